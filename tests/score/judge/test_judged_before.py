"""Judged answers score as they did before they were scored on the sheet: rows, references, accounts, mixed audio.

``judged_before.json`` was written by the code of that time; limits are made otherwise now, and not in it.
"""

import json
from pathlib import Path

import msgspec
import pytest

BEFORE = json.loads(Path(__file__).with_name("judged_before.json").read_text())
SAYS = {"odd": "Fine.", "zero": "0 0", "half": "I give 3 and then 9."}
SCRIPT = {"says": SAYS, "again": {"odd": "Fine.", "zero": "0 0", "half": "3 9"}, "other": 2, "bias": 1}
JUDGES = [SCRIPT, {"other": 3, "bias": 2}, {"bias": 0.5, "says": {"a [q=6]": "x"}, "again": {"a [q=6]": "9 9"}}]
TAGS = {"tags": {"louder": "speech", "level_difference": 4.0}}
ROWS = [
    ("speech_QA", "a [q=6]"),
    ("speech_dialogue_QA", "b [q=8.5]"),
    ("speech_dialogue_QA", "odd"),
    ("sound_QA", "half"),
    ("sound_QA", "zero"),
    ("sound_QA", ""),
    ("sound_QA", {"text": None, "error": {"kind": "timeout", "message": "late"}}),
    ("speech_and_sound_QA", "c [q=9]", TAGS),
    ("speech_and_sound_QA", "I'm sorry, I can't help with that.", TAGS),
    ("speech_and_music_QA", "d [q=3]", {"tags": {"louder": "music", "offset_s": 0.2}, "meta": ""}),
]


def changed(found, before, where=""):
    """What was told then and is not told now, but for the last digits."""
    if not isinstance(before, dict):
        alike = found == (pytest.approx(before, abs=1e-8) if isinstance(before, float) else before)
        return [] if alike else [f"{where}: {before} was told, now {found}"]
    gone = [f"{where}.{key} is gone" for key in before.keys() - found.keys()]
    return gone + [
        one for key in before.keys() & found.keys() for one in changed(found[key], before[key], f"{where}.{key}")
    ]


@pytest.mark.parametrize("case", sorted(BEFORE))
def test_all_is_as_before(make_open_run, judge_it, case):
    name, _, panel = case.partition(" ")
    how = {"names": (name,), "injections": 2} | ({} if panel == "alone" else {"panel": panel})
    found = judge_it(make_open_run(ROWS), *JUDGES[: 1 if panel == "alone" else 3], **how).scores[name]
    assert changed(msgspec.to_builtins(found), BEFORE[case]) == []
