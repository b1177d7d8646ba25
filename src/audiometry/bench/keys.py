"""Keys of metadata that are nearly known ones, by a slip of the hand or by another's habit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final

from audiometry.files.benchmark_folder import KEYS

SHORT: Final = 3
"""Letters up to which one slip makes another word (``id``, ``uid``)."""
HABITS: Final = {
    **dict.fromkeys(
        ("file", "filepath", "path", "audio", "audiofile", "audiofilename", "audioname", "audiopath", "clip", "wav",
         "wavfile", "wavpath", "sound"), "file_name"
    ),
    **dict.fromkeys(("files", "audios", "clips"), "file_names"),
    **dict.fromkeys(("choices", "candidates", "alternatives"), "options"),
    **dict.fromkeys(
        ("correctanswer", "correctoption", "rightanswer", "answergt", "answertext", "gt", "gold", "goldanswer",
         "groundtruth"), "answer"
    ),
    **dict.fromkeys(("prompt", "query", "instruction"), "question"),
    **dict.fromkeys(("uid", "itemid", "uniqid", "idx"), "id"),
}  # fmt: skip
"""What others call a field; a slip only where the field itself is missing."""
ANSWERS: Final = frozenset(
    {"correct", "expected", "key", "label", "reference", "right", "sentence", "solution", "target", "text"}
    | {"transcript", "transcription"}
)
"""What may be an answer or another fact: no slip, but named where an answer is missing."""
PLAIN: Final = frozenset({"kind"})
"""Words near a known key that are other facts more often than slips."""
_LISTED: Final = re.compile(r"(.*?)[ _-]?([a-z]|[0-9]{1,2})")

_FOLDED: Final = {known.replace("_", ""): known for known in KEYS}


def nearest(key: str, present: Collection[str]) -> str:
    """The known key that an unknown one was meant to be; empty if it is just another word.

    >>> nearest("Filename", ()), nearest("anwser", ()), nearest("choices", ()), nearest("question_id", ())
    ('file_name', 'answer', 'options', '')

    Args:
        key: that no item has.
        present: keys beside it: what only others call a known key is no slip beside that key itself.
    """
    slipped, habit = _meant(key)
    return slipped or ("" if habit in present else habit)


def answers_among(unused: Iterable[str]) -> list[str]:
    """The keys that look like the answer.

    >>> answers_among(["speaker", "Label", "correct_answer"])
    ['Label', 'correct_answer']
    """
    return [key for key in unused if _fold(key) in ANSWERS or HABITS.get(_fold(key)) == "answer"]


def options_among(unused: Iterable[str]) -> list[str]:
    """The keys that look like one option each.

    >>> options_among(["speaker", "option_a", "option_b", "take1"])
    ['option_a', 'option_b']
    >>> options_among(["take1", "take2"]), options_among(["option_a"])
    ([], [])
    """
    told = {key: parts for key in unused if (parts := _LISTED.fullmatch(key.strip().lower()))}
    found = [key for key, parts in told.items() if parts[1] in {"", "choice", "option", "opt", "candidate"}]
    return found if {told[key][2] for key in found} & {"a", "0", "1"} and len(found) > 1 else []


@lru_cache(1024)
def _meant(key: str) -> tuple[str, str]:
    """The known key that it is a misspelling of, and the one that others call so."""
    folded = _fold(key)
    if folded in PLAIN:
        return "", ""
    near = [known for known in sorted(KEYS) if len(known) > SHORT and _one_slip(key.strip().lower(), known)]
    return _FOLDED.get(folded) or next(iter(near), ""), HABITS.get(folded, "")


def _fold(key: str) -> str:
    return "".join(c for c in key.lower() if c.isalnum())


def _one_slip(a: str, b: str) -> bool:
    """Whether one letter was left out, put in, changed or swapped with its neighbour."""
    while a and b and a[0] == b[0]:
        a, b = a[1:], b[1:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    return (len(a) <= 1 and len(b) <= 1) or (len(a) == len("xy") and a == b[::-1])
