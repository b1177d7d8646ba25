"""Reads a description back: labels, and the numbers in their lines."""

from __future__ import annotations

import re
from typing import NamedTuple

from audiometry.models.cascade.wording import NO_WORDS

_RANGE = re.compile(r"(\d+\.\d+)-(\d+\.\d+) s")


class TimedWord(NamedTuple):
    """A word of the transcript, seconds from the start."""

    text: str
    start_s: float
    end_s: float


class Note(NamedTuple):
    """A pitched sound: when it starts (s), MIDI number with fraction, level (dBFS), what it sounds like."""

    start_s: float
    midi: float
    level_dbfs: float
    like: str


class Stretch(NamedTuple):
    """A stretch of sound between pauses; see the description's lines ``Stretch 1`` and on."""

    start_s: float
    end_s: float
    level_dbfs: float
    facts: dict[str, float]


class Description:
    r"""The facts of a description by their labels.

    >>> d = Description("Length: 1.00 s, 16000 Hz, 1 channel\nAs a number: five")
    >>> d["As a number"], d.number("Length"), d["Voices"]
    ('five', 1.0, '')
    """

    def __init__(self, text: str) -> None:
        pairs = (line.split(": ", 1) for line in text.splitlines() if ": " in line)
        self._lines = {p[0]: p[1] for p in pairs}

    def __getitem__(self, label: str) -> str:
        """The text of a line; empty if it is not there."""
        return self._lines.get(label, "")

    def starting(self, label: str) -> list[tuple[str, str]]:
        """Lines whose label starts so, in order."""
        return [(k, v) for k, v in self._lines.items() if k.startswith(label)]

    def number(self, label: str, after: str = "") -> float | None:
        """The first number in a line, or the first behind some words of it."""
        _, _, rest = self[label].partition(after) if after else ("", "", self[label])
        found = re.search(r"-?\d+(?:\.\d+)?", rest)
        return float(found[0]) if found else None

    @property
    def speech(self) -> float:
        """Likeness to speech, 0 to 1."""
        return self.number("Kind", "speech likeness") or 0.0

    @property
    def spoken(self) -> str:
        """What is said, as far as it was recognised; empty if nothing was."""
        said = self["Transcript"]
        return "" if said == NO_WORDS else said

    @property
    def words(self) -> list[TimedWord]:
        """The transcript's words with their times."""
        found = re.findall(r"([^\s;]+) (\d+\.\d+)-(\d+\.\d+) s", self["Words"])
        return [TimedWord(w, float(a), float(b)) for w, a, b in found]

    @property
    def notes(self) -> list[Note]:
        """The pitched sounds, in order."""
        pattern = r"(\d+\.\d+) s \S+ \(MIDI (-?\d+\.\d+), [^)]*\), (-?\d+\.\d+) dBFS(?:, like ([a-z ]+))?"
        return [Note(float(a), float(b), float(c), d) for a, b, c, d in re.findall(pattern, self["Notes"])]

    @property
    def shares(self) -> dict[str, float]:
        """The instruments of the line ``Timbre``: name to share of the likeness."""
        return {name: float(p) for name, p in re.findall(r"[:;] ([a-z ]+) (\d\.\d+)", self["Timbre"])}

    @property
    def stretches(self) -> list[Stretch]:
        """The stretches of sound, in order."""
        out = []
        for _, text in self.starting("Stretch "):
            found = _RANGE.search(text)
            if found is None:
                continue
            facts = _facts(text)
            level = re.search(r"(-?\d+\.\d+) dBFS", text)
            out.append(Stretch(float(found[1]), float(found[2]), float(level[1]) if level else 0.0, facts))
        return out

    @property
    def events(self) -> dict[str, float]:
        """The measures of all that sounds, by the names that ``sounds.toml`` uses."""
        return _facts(self["Events"])

    @property
    def spotted(self) -> list[tuple[float, float]]:
        """Where the asked-for word may be, seconds, most confident first."""
        return [(float(a), float(b)) for _, v in self.starting("Listening for") for a, b in _RANGE.findall(v)]


def _facts(text: str) -> dict[str, float]:
    return {k: float(v) for k, v in re.findall(r"\b([a-z]+) (-?\d+(?:\.\d+)?)", text)}
