"""The payment sheet: what is suggested for whom, and that nothing is held against anybody."""

import csv
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.web.study import flow, sheet
from audiometry.web.study.flow import Person
from audiometry.web.study.people import Paid
from audiometry.web.study.spec import Check, Codes, Consent, Pay, Screen, StudySpec

SPEC = StudySpec(
    name="s",
    title="t",
    participants=10,
    n=7,
    minutes=5,
    instructions="i",
    consent=Consent(version="1", text="t", receives="r", kept="k", shared="s", withdraw="w", contact="c"),
    codes=Codes(complete="c01", no_consent="c02", quota_full="c03", technical_failure="c04", screened_out="c05"),
    pay=Pay(currency="EUR", complete=Decimal("3.00"), screened_out=Decimal("0.30")),
    screening=(Screen(name="s", question="?", options=("A", "B"), admit=("A",)),),
    check=(Check(question="A", options=("A", "B"), choose="A"),) * 3,
)


def line(exit="", *, done=0, screened=True, consent="1", **given):  # noqa: A002  the field's name
    person = Person(
        number="p0123456789",
        arrived_at="2026-11-28T12:00:00Z",
        exit=exit,
        done=done,
        consent=consent,
        screening={"s": "A"} if screened else None,
        **given,
    )
    return sheet.line(SPEC, Paid(person, "anna", "x"))


@pytest.mark.parametrize(
    ("given", "suggestion", "amount"),
    [
        ({"exit": "complete", "done": 7}, "approve", "3.00"),
        ({"exit": "complete", "done": 5}, "approve", "3.00"),  # no more was left
        ({"exit": "complete", "done": 7, "checks": {0: False}}, "approve", "3.00"),
        ({"exit": "complete", "done": 7, "checks": {0: False, 1: False, 2: False}}, "approve", "3.00"),
        ({"exit": "complete", "done": 7, "withdrawn_at": "2026-11-28T13:00:00Z"}, "approve", "3.00"),
        ({"exit": "screened_out"}, "partial", "0.30"),
        ({"exit": "screened_out", "screened": False}, "partial", "0.30"),  # their answers are not kept any more
        ({"exit": "no_consent", "consent": "", "screened": False}, "ask to return", "0.00"),
        ({"exit": "quota_full", "consent": "", "screened": False}, "ask to return", "0.00"),
        ({"exit": "quota_full"}, "partial", "0.30"),  # the place ran out after the screening
        ({"exit": "quota_full", "done": 1}, "partial", "0.69"),  # 0.30 + 2.70 / 7, rounded up
        ({"exit": "technical_failure", "done": 3}, "partial", "1.46"),
        ({"exit": "technical_failure", "screened": False}, "partial", None),
        ({"exit": "technical_failure", "screened": False, "consent": ""}, "ask to return", "0.00"),
        ({"exit": "withdrawn", "done": 2, "withdrawn_at": "2026-11-28T13:00:00Z"}, "partial", "1.08"),
        ({"exit": "withdrawn", "screened": False}, "ask to return", "0.00"),
        ({"done": 6}, "partial", "2.62"),
        ({}, "partial", "0.30"),
        ({"screened": False}, "ask to return", "0.00"),
    ],
)
def test_what_is_suggested(given, suggestion, amount):
    found = line(**given)
    assert (found.suggestion, None if found.amount is None else str(found.amount)) == (suggestion, amount)


@given(
    way_out=st.sampled_from(["", *sorted(flow.EXITS)]),
    done=st.integers(0, 7),
    passed=st.dictionaries(st.integers(0, 2), st.booleans()),
    fast=st.booleans(),
)
def test_neither_checks_nor_speed_change_what_anybody_is_paid(way_out, done, passed, fast):
    at = {"consented_at": "2026-11-28T12:00:00Z", "exit_at": f"2026-11-28T12:{'00:09' if fast else '40:00'}Z"}
    found, best = line(way_out, done=done, checks=passed, **at), line(way_out, done=done)
    assert (found.suggestion, found.amount) == (best.suggestion, best.amount)
    assert found.amount is None or SPEC.pay.complete >= found.amount >= 0
    if way_out != "no_consent":
        assert found.amount >= SPEC.pay.screened_out  # nobody is unpaid for the screening


def test_evidence_says_why():
    found = line(
        "technical_failure",
        done=3,
        checks={0: True, 1: False},
        trouble='=no "sound",\n at all',
        consented_at="2026-11-28T12:00:00Z",
        exit_at="2026-11-28T12:07:30Z",
    )
    assert found.minutes == 7.5
    assert (found.checks_passed, found.checks_failed, found.code) == (1, 1, "c04")
    assert found.evidence == (
        "something did not work; 3 of 7 done; answered the screening; attention checks: 1 passed, 1 failed; "
        'says: =no "sound", at all'
    )
    assert "no more was left to do" in line("complete", done=5).evidence
    assert "no more was left to do" not in line("complete", done=7).evidence
    assert "took back their answers on 2026" in line("complete", done=7, withdrawn_at="2026-11-28T13:00:00Z").evidence
    assert "yours to say" in line("technical_failure", screened=False).evidence


def test_a_sheet_is_read_again_as_it_was_written(tmp_path):
    lines = [line("complete", done=7), line("technical_failure", screened=False, trouble='a "b", c')]
    sheet.write(lines, tmp_path / "pay.csv")
    with (tmp_path / "pay.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["amount"] for row in rows] == ["3.00", ""]
    assert [row["evidence"] for row in rows] == [one.evidence for one in lines]
    assert rows[0].keys() == set(sheet.Line.__struct_fields__)


def test_a_participant_is_described_by_number_with_checks_counted_from_1():
    person = Person(
        number="p0123456789",
        arrived_at="2026-11-28T12:00:00Z",
        exit="complete",
        done=7,
        consent="1",
        consented_at="2026-11-28T12:00:00Z",
        exit_at="2026-11-28T12:07:20Z",
        checks={2: True, 0: False},
    )
    found = sheet.described(person)
    assert (found.participant, found.checks, found.minutes) == ("p0123456789", {"1": False, "3": True}, 7.3)
    assert (found.screening, found.demographics) == ({}, {})
