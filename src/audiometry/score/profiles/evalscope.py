"""EvalScope's scoring of AIR-Bench foundation: what cannot be read counts as wrong.

The port reports its 25 folders and the categories; how it averages is not stated, so items are taken to count alike.
It skips items whose clip is missing with a warning; here a reply that failed for want of its clip is a failure like
any other and counts as wrong.

Source: ``air_bench_foundation`` of EvalScope.
"""

from __future__ import annotations

from audiometry.choices.parsers import evalscope
from audiometry.score.profiles import LetterProfile, Rules

PROFILE = LetterProfile(
    name="evalscope",
    about="EvalScope's port: 'answer: X', a letter on its own, or the first character; all items, mean of items",
    rules=Rules(version=2, average="items"),
    reader=lambda reply, _: evalscope.read(reply),
)
