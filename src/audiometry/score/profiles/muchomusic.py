"""MuChoMusic's scoring: what cannot be read is wrong, and every question counts alike.

Where a letter was read out of a word, as A out of "Acoustic guitar", the reply counts as one that chose it. The paper
repeats its questions in three random orders of the options and prints the mean; here each order is a variant, and the
mean over the variants is the headline.

The share of replies from which anything was read is the paper's instruction-following rate. Its attention test is
passed by a model whose accuracy drops significantly under noise or under another track.

Source: MuChoMusic (arXiv 2408.01337) §4.2 and §4.4, and the scoring script published with it.
"""

from __future__ import annotations

from audiometry.choices.parsers import muchomusic
from audiometry.choices.variant import NOISE, OTHER_CLIP
from audiometry.score.profiles import Profile
from audiometry.score.readers.choice import LetterReader

PROFILE = Profile(
    name="muchomusic",
    about="MuChoMusic's script: the only capital A-D anywhere, else the first option contained; all items",
    readers={"choice": LetterReader(name="muchomusic", parser=muchomusic.read, letters=muchomusic.LETTERS)},
    average="items",
    attention=(NOISE, OTHER_CLIP),
)
