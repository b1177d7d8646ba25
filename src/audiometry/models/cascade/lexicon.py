"""What words for sounds mean in measures, as ``sounds.toml`` beside this module says."""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

from audiometry.files import foreign

_LOGARITHMIC = frozenset({"tone", "centroid", "flatness", "burst", "attack", "decay", "bursts", "rate", "sounding"})
_FLOORS = {"flatness": 1e-4, "attack": 0.01, "decay": 0.01, "burst": 0.01, "rate": 0.2, "sounding": 0.02}


class Sound(NamedTuple):
    """A sound by its words (prefixes of words count) and its typical measures (value, doubt)."""

    words: tuple[str, ...]
    typical: dict[str, tuple[float, float]]

    def fit(self, measures: dict[str, float]) -> float:
        """Mean squared deviation in steps of doubt, negated: 0 fits perfectly; measures that are missing count as 4."""
        off = []
        for name, (value, doubt) in self.typical.items():
            if name not in measures or (name == "tone" and measures[name] <= 0):
                off.append(4.0)
            elif name in _LOGARITHMIC:
                floor = _FLOORS.get(name, 1e-3)
                off.append((math.log(max(measures[name], floor) / max(value, floor)) / math.log(doubt)) ** 2)
            else:
                off.append(((measures[name] - value) / doubt) ** 2)
        return -sum(min(9.0, o) for o in off) / len(off)


@cache
def sounds() -> tuple[Sound, ...]:
    """All sounds of ``sounds.toml``."""
    raw = files("audiometry.models.cascade").joinpath("sounds.toml").read_bytes()
    return tuple(
        Sound(tuple(entry["words"]), {k: (float(v[0]), float(v[1])) for k, v in entry.items() if k != "words"})
        for entry in foreign.toml(raw, dict[str, Any])["sound"]
    )


def sounds_named(text: str) -> list[Sound]:
    """Sounds whose words occur in a text, as the beginnings of its words.

    >>> [s.words[0] for s in sounds_named("A dog barking near running water")]
    ['dog', 'water']
    """
    words = ["".join(c for c in w if c.isalpha() or c == "-") for w in text.lower().split()]
    joined = [*words, *(f"{a}_{b}" for a, b in pairwise(words))]
    found: list[tuple[int, Sound]] = []
    for sound in sounds():
        strength = sum(1 for stem in sound.words if any(_named(w, stem) for w in joined))
        if strength:
            found.append((strength, sound))
    best = max((n for n, _ in found), default=0)
    return [s for n, s in found if n == best] if best > 1 else [s for _, s in found]


def _named(word: str, stem: str) -> bool:
    """Whether a word is the stem or one of its plain inflections."""
    return word.startswith(stem) and (len(word) - len(stem) <= 4 and len(stem) > 2)  # noqa: PLR2004  -ing, -s, -ed
