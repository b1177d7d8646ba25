"""EvalScope's scoring of AIR-Bench foundation: what cannot be read counts as wrong.

The port's score counts items alike, in a category and over all; it prints a mean over its 25 folders beside it.
It skips items whose clip is missing with a warning; here a reply that failed for want of its clip is a failure like
any other and counts as wrong.

Source: ``air_bench_foundation`` of EvalScope.
"""

from __future__ import annotations

from audiometry.choices.parsers import evalscope
from audiometry.score.profiles import Profile
from audiometry.score.readers.choice import LetterReader

PROFILE = Profile(
    name="evalscope",
    about="EvalScope's port: 'answer: X', a letter on its own, or the first character; all items, mean of items",
    readers={
        "choice": LetterReader(
            name="evalscope", parser=lambda reply, _: evalscope.read(reply), letters=evalscope.LETTERS
        )
    },
    version=2,
    average="items",
)
