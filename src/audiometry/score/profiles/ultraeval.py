"""UltraEval-Audio's scoring of AIR-Bench foundation: right if the reply starts with the right letter.

Everything else is wrong, failures included, and the number is plain accuracy over items.

Source: the ``single_choice`` task and ``prefix-match`` evaluator of UltraEval-Audio.
"""

from __future__ import annotations

from audiometry.choices.parsers import ultraeval
from audiometry.score.profiles import Profile
from audiometry.score.readers.choice import LetterReader

PROFILE = Profile(
    name="ultraeval",
    about="UltraEval-Audio's port: right if the reply starts with the right letter in any case; mean of items",
    readers={"choice": LetterReader(name="ultraeval", parser=ultraeval.read)},
    average="items",
)
