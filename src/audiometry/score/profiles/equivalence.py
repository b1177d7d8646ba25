"""Answer equivalence: a judge says of every open answer whether it says what the reference answer says.

The judge is shown the question, the reference (all, where there are several), the reply and what the benchmark says of
the recording. Every item counts; a verdict that cannot be read is a failure of the judge, with bounds.
"""

from __future__ import annotations

from audiometry.score.profiles import Profile
from audiometry.score.readers.equivalence import EquivalenceReader

PROFILE = Profile(
    name="equivalence",
    about="answer equivalence: a judge says whether each open answer says what the reference says; needs --judge",
    readers={"open": EquivalenceReader()},
    measures={"open": "judge-equivalence"},
)
