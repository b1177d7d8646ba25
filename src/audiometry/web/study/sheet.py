"""What a study gives to those who run it: the payment sheet, with ids, and its people without."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import ROUND_UP, Decimal
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from audiometry.files import atomic
from audiometry.web.study.flow import Person
from audiometry.web.study.people import Paid
from audiometry.web.study.spec import StudySpec

Suggestion: TypeAlias = Literal["approve", "partial", "ask to return"]

QUOTE: Final = '"'
_CENT: Final = Decimal("0.01")
_WAYS: Final = {
    "complete": "complete",
    "no_consent": "did not agree to take part",
    "screened_out": "screened out: paid for the screening, by the action of its code",
    "quota_full": "came when no place was left",
    "technical_failure": "something did not work",
    "withdrawn": "withdrew on the way",
    "": "left on the way",
}


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the payment sheet.

    Attributes:
        id, session: as the recruiter's link had them.
        participant: the number, as answers, votes and `Described` have it.
        exit, code: the way out that was taken, and its code; empty for who left on the way.
        suggestion: what to do; nobody loses anything by an attention check, by what they chose, or by speed.
        amount: to be paid in all; None: yours to say.
        currency: of the amount.
        done, of: votes, or answers.
        checks_passed, checks_failed: attention checks, told for the analysis and for nothing else.
        minutes: from consent to the way out.
        consent, consented_at: the version agreed to, and when.
        evidence: in words.
    """

    id: str
    session: str
    participant: str
    exit: str
    code: str
    suggestion: Suggestion
    amount: Decimal | None
    currency: str
    done: int
    of: int
    checks_passed: int
    checks_failed: int
    minutes: float | None
    consent: str
    consented_at: str
    evidence: str


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """A participant as they may be told of: by number, without id.

    Attributes:
        participant: the number, which their answers or votes carry too.
        exit: the way out; empty: none.
        consent, consented_at, withdrawn_at: what was agreed to, when, and when it was taken back.
        screening, demographics: answers; none of the latter once withdrawn.
        done: votes, or answers.
        checks: by number from 1, whether an attention check was passed.
        minutes: from consent to the way out.
    """

    participant: str
    exit: str
    consent: str
    consented_at: str
    withdrawn_at: str
    screening: dict[str, str]
    demographics: dict[str, str]
    done: int
    checks: dict[str, bool]
    minutes: float | None


def line(spec: StudySpec, paid: Paid) -> Line:
    """What a participant is to be paid, and why."""
    person = paid.person
    suggestion, amount = _suggested(spec, person)
    passed, minutes = sum(person.checks.values()), _minutes(person)
    failed = len(person.checks) - passed
    evidence = [_WAYS[person.exit], f"{person.done} of {spec.n} done"]
    if person.exit == "complete" and person.done < spec.n:
        evidence.append("no more was left to do")
    if person.screening is not None and person.exit != "screened_out":
        evidence.append("answered the screening")
    if person.checks:
        evidence.append(f"attention checks: {passed} passed, {failed} failed")
    if person.withdrawn_at and person.exit != "withdrawn":
        evidence.append(f"took back their answers on {person.withdrawn_at}")
    if person.trouble:
        evidence.append(f"says: {' '.join(person.trouble.split())}")
    if amount is None:
        evidence.append("the amount is yours to say")
    return Line(
        id=paid.id,
        session=paid.session,
        participant=person.number,
        exit=person.exit,
        code=spec.code(person.exit) if person.exit else "",
        suggestion=suggestion,
        amount=None if amount is None else amount.quantize(_CENT),
        currency=spec.pay.currency,
        done=person.done,
        of=spec.n,
        checks_passed=passed,
        checks_failed=failed,
        minutes=minutes,
        consent=person.consent,
        consented_at=person.consented_at,
        evidence="; ".join(evidence),
    )


def _suggested(spec: StudySpec, person: Person) -> tuple[Suggestion, Decimal | None]:
    """By the way out and by what was done alone."""
    pay, zero = spec.pay, Decimal(0)
    if person.exit == "complete":
        return "approve", pay.complete
    if person.exit == "screened_out":
        return "partial", pay.screened_out
    base = pay.screened_out if person.screening is not None else zero
    share = (pay.complete - base) * min(person.done, spec.n) / spec.n
    earned = base + share.quantize(_CENT, ROUND_UP)
    if earned:
        return "partial", earned
    if person.exit == "technical_failure" and person.consent:
        return "partial", None
    return "ask to return", zero


def described(person: Person) -> Described:
    """A participant without id."""
    return Described(
        participant=person.number,
        exit=person.exit,
        consent=person.consent,
        consented_at=person.consented_at,
        withdrawn_at=person.withdrawn_at,
        screening=person.screening or {},
        demographics=person.demographics or {},
        done=person.done,
        checks={str(n + 1): passed for n, passed in sorted(person.checks.items())},
        minutes=_minutes(person),
    )


def write(lines: Iterable[Line], path: Path) -> None:
    """Write a payment sheet as CSV, for its owner's eyes alone: it holds ids.

    Raises:
        StorageError: the disk refused.
    """
    rows = ["" if value is None else str(value) for one in lines for value in msgspec.structs.astuple(one)]
    width = len(Line.__struct_fields__)
    table = [Line.__struct_fields__, *(rows[at : at + width] for at in range(0, len(rows), width))]
    said = (",".join(f'"{cell.replace(QUOTE, QUOTE * 2)}"' for cell in row) for row in table)
    atomic.write(path, "".join(f"{row}\n" for row in said).encode(), private=True)


def _minutes(person: Person) -> float | None:
    if not (person.consented_at and person.exit_at):
        return None
    first, last = (datetime.fromisoformat(at) for at in (person.consented_at, person.exit_at))
    return round((last - first).total_seconds() / 60, 1)
