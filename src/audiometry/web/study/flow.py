"""Where a participant stands: a pure function of what the study asks and what they have done."""

from __future__ import annotations

from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from audiometry import seeds
from audiometry.web.study.spec import StudySpec

Exit: TypeAlias = Literal["complete", "no_consent", "screened_out", "quota_full", "technical_failure", "withdrawn"]
Step: TypeAlias = Literal["consent", "screening", "demographics", "instructions", "check", "work"] | Exit
EXITS: Final[frozenset[str]] = frozenset(Exit.__args__)  # type: ignore[attr-defined]  # of a Literal


class Done(msgspec.Struct, frozen=True):
    """What a participant has done on the page that the study is around.

    Attributes:
        n: votes, or answers, that are kept.
        more: whether anything is left for them to do.
    """

    n: int
    more: bool = True


class Work(Protocol):
    """The page that a study is around, as far as the study has to know it."""

    async def done(self, participant: str) -> Done:
        """How many votes, or answers, of a participant are kept."""
        ...

    async def withdraw(self, participant: str) -> None:
        """Remove what a participant gave."""
        ...


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """A participant as they are kept, without their id.

    Attributes:
        number: opaque, the same wherever they are named.
        arrived_at: UTC, ISO 8601, as all times here.
        exit, exit_at: the way out that they took; empty while they are under way.
        held_until: until when they have a place, seconds since 1970; None: they have none.
        consent: version that they agreed to; empty: none.
        consented_at: when.
        screening, screened_at: answers of the screening.
        demographics, demographics_at: answers given, which may be none.
        instructed_at: when they had read the instructions.
        done: votes, or answers, when last looked.
        checks: by number, whether an attention check was passed.
        withdrawn_at: when they took back what they gave.
        trouble: what did not work, in their words.
    """

    number: str
    arrived_at: str
    exit: str = ""
    exit_at: str = ""
    held_until: float | None = None
    consent: str = ""
    consented_at: str = ""
    screening: dict[str, str] | None = None
    screened_at: str = ""
    demographics: dict[str, str] | None = None
    demographics_at: str = ""
    instructed_at: str = ""
    done: int = 0
    checks: dict[int, bool] = {}
    withdrawn_at: str = ""
    trouble: str = ""


def admitted(spec: StudySpec, answers: dict[str, str]) -> bool:
    """Whether every answer of the screening admits."""
    return all(answers.get(one.name) in one.admit for one in spec.screening)


def checks_after(spec: StudySpec, number: str) -> tuple[int, ...]:
    """After how many votes each attention check stands: spread over the work, drawn for each participant."""
    among, m = max(1, spec.n - 1), len(spec.check)
    stream = seeds.stream(spec.seed, "attention checks", spec.name, number)
    ends = [(k * among // m, max(k * among // m + 1, (k + 1) * among // m)) for k in range(m)]
    return tuple(first + 1 + int(stream.random() * (last - first)) for first, last in ends)


def due(spec: StudySpec, person: Person, done: Done) -> int | None:
    """The attention check that is to be shown now; None: none is."""
    places = checks_after(spec, person.number)
    return next((k for k, after in enumerate(places) if done.n >= after and k not in person.checks), None)


def step(spec: StudySpec, person: Person, done: Done) -> Step:
    """What comes next for a participant who has a place, or the way out that they have taken or come to.

    Nobody is asked twice. Who has done all that there was to do for them is complete, even if it was less than n: that
    there was no more is no fault of theirs.
    """
    if person.exit:
        return person.exit  # type: ignore[return-value]  # one of `EXITS`
    steps: dict[Step, bool] = {
        "consent": person.consent != spec.consent.version,
        "screening": bool(spec.screening) and person.screening is None,
        "demographics": bool(spec.demographics) and not person.demographics_at,
        "instructions": not person.instructed_at,
        "quota_full": not done.more and not done.n,
        "check": due(spec, person, done) is not None,
        "work": done.n < spec.n and done.more,
    }
    for name, is_next in steps.items():
        if is_next:
            return name
    return "complete"
