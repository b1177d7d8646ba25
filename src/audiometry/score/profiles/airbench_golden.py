"""AIR-Bench's scoring of its foundation part by its text: a judge says of every reply whether it is correct.

The judge is shown the question, the right choice, the reply and, where the benchmark has one, a description of the
audio. The text has the meta-information there; the published foundation part holds none. Every item counts; a verdict
that cannot be read is a failure of the judge, with bounds, where the text says nothing. The script published with the
paper does otherwise: see ``docs/profiles.md``. The averages are the paper's: mean of tasks in a category, mean of the
categories.

Source: AIR-Bench (arXiv 2402.07729) §3.4 and figure 3.
"""

from __future__ import annotations

from audiometry.score.profiles import Profile
from audiometry.score.readers.golden import GoldenReader

PROFILE = Profile(
    name="airbench-golden",
    about="AIR-Bench's text: a judge that is shown the right choice says whether each reply is correct; needs --judge",
    readers={"choice": GoldenReader()},
)
