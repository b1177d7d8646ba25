"""What else than the model differs between two runs that are compared, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import shown
from audiometry.files.run_folder import AudioStamp, RunInfo
from audiometry.score.heard import heard
from audiometry.score.judged import OpenRun

MOST_NAMED = 6  # parameters of one model that differ
PART = "which is part of the difference"


def differences(a: OpenRun, b: OpenRun, both: NDArray[np.int64]) -> tuple[str, ...]:
    """What else than the model differs between two runs.

    Args:
        a: a run.
        b: another one.
        both: places of the items that both were asked.
    """
    left = max(len(a.positions), len(b.positions)) - len(both)
    found = [f"{left} items were asked in one run only and are left out"] if left else []
    found += asked_otherwise(a.info, b.info)
    if a.info.variants != b.info.variants:
        found.append("the runs asked different variants; each item's are averaged first")
    found += [f"{run.folder.path}: {said}" for run in (a, b) if (said := heard(run).said)]
    return tuple(found)


def asked_otherwise(a: RunInfo, b: RunInfo) -> Iterator[str]:
    """In what prompts, parameters and lengths of clips differ; of two models' parameters, what was set by people."""
    one, other = a.prompt, b.prompt
    if (one.sha256, one.part_order, one.style) != (other.sha256, other.part_order, other.style):
        yield f"different prompts, {PART}: {shown(one.called, 200)} / {shown(other.called, 200)}"
    elif (one.recipe and one.recipe.sha256) != (other.recipe and other.recipe.sha256):
        named = (shown(stamp.called, 200) if stamp.recipe else "no recipe" for stamp in (one, other))
        yield f"different recipes with the same prompt: {' / '.join(named)}"
    said = _apart(a.decoding, b.decoding)
    if not said and a.model == b.model:
        said = _apart(*(_flat(msgspec.to_builtins(info.parameters)) for info in (a, b)))
    if said:
        more = [f"{len(said) - MOST_NAMED} more"] if len(said) > MOST_NAMED else []
        yield f"different parameters, {PART}: {', '.join(said[:MOST_NAMED] + more)}"
    lengths = [_length(info.audio) for info in (a, b)]
    if lengths[0] != lengths[1]:
        yield f"clips were cut otherwise: {' / '.join(lengths)}"


def _apart(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """``top_p 0.9 / none`` for each that is not the same in both."""
    return [
        f"{shown(name)} {_value(one.get(name))} / {_value(other.get(name))}"
        for name in dict.fromkeys((*one, *other))
        if one.get(name) != other.get(name)
    ]


def _value(value: Any) -> str:
    return "none" if value is None else shown(value if isinstance(value, str) else msgspec.json.encode(value).decode())


def _flat(values: dict[str, Any], above: str = "") -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in values.items():
        out |= _flat(value, f"{above}{name}.") if isinstance(value, dict) else {f"{above}{name}": value}
    return out


def _length(audio: AudioStamp | None) -> str:
    return f"after {audio.longest_s:g} s" if audio and audio.cut and audio.longest_s else "never"
