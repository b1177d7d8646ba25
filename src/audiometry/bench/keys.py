"""Keys of metadata that are nearly known ones, by a slip of the hand or by another's habit."""

from __future__ import annotations

from collections.abc import Collection
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
    **dict.fromkeys(("correctanswer", "correctoption", "answergt", "gold", "goldanswer", "groundtruth"), "answer"),
    **dict.fromkeys(("prompt", "query", "instruction"), "question"),
    **dict.fromkeys(("uid", "itemid", "uniqid", "idx"), "id"),
}  # fmt: skip
"""What others call a field; a slip only where the field itself is missing."""

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


@lru_cache(1024)
def _meant(key: str) -> tuple[str, str]:
    """The known key that it is a misspelling of, and the one that others call so."""
    folded = "".join(c for c in key.lower() if c.isalnum())
    near = [known for known in sorted(KEYS) if len(known) > SHORT and _one_slip(key.strip().lower(), known)]
    return _FOLDED.get(folded) or next(iter(near), ""), HABITS.get(folded, "")


def _one_slip(a: str, b: str) -> bool:
    """Whether one letter was left out, put in, changed or swapped with its neighbour."""
    while a and b and a[0] == b[0]:
        a, b = a[1:], b[1:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    return (len(a) <= 1 and len(b) <= 1) or (len(a) == len("xy") and a == b[::-1])
