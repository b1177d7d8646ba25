"""Where a participant stands, as a pure function."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.web.study import flow
from audiometry.web.study.flow import Done, Person
from audiometry.web.study.spec import Check, Codes, Consent, Pay, Question, Screen, StudySpec

OPTIONS = ("A", "B")
CONSENT = Consent(version="1", text="t", receives="r", kept="k", shared="s", withdraw="w", contact="c")
CODES = Codes(complete="c01", no_consent="c02", quota_full="c03", technical_failure="c04", screened_out="c05")


def study(n=10, checks=2, screening=1, demographics=1, seed=1):
    return StudySpec(
        name="s",
        title="t",
        participants=10,
        n=n,
        minutes=5,
        instructions="i",
        consent=CONSENT,
        codes=CODES,
        pay=Pay(currency="EUR", complete=2, screened_out=1),
        screening=(Screen(name="s", question="?", options=OPTIONS, admit=("A",)),) * screening,
        demographics=(Question(name="d", question="?", options=OPTIONS),) * demographics,
        check=(Check(question="A", options=OPTIONS, choose="A"),) * checks,
        seed=seed,
    )


def person(**given):
    return Person(number=given.pop("number", "p0123456789"), arrived_at="2026-11-28T12:00:00Z", **given)


READY = {
    "consent": "1",
    "screening": {"s": "A"},
    "demographics_at": "2026-11-28T12:01:00Z",
    "instructed_at": "2026-11-28T12:02:00Z",
}
numbers = st.text("0123456789abcdef", min_size=10, max_size=10).map(lambda one: f"p{one}")


@pytest.mark.parametrize(
    ("lacks", "step"),
    [("consent", "consent"), ("screening", "screening"), ("demographics_at", "demographics"),
     ("instructed_at", "instructions"), (None, "work")],
)  # fmt: skip
def test_what_is_lacking_comes_next_and_nothing_twice(lacks, step):
    had = {name: value for name, value in READY.items() if name != lacks}
    assert flow.step(study(), person(**had), Done(0)) == step


def test_parts_that_a_study_has_not_are_passed_over():
    bare = study(checks=0, screening=0, demographics=0)
    assert flow.step(bare, person(consent="1"), Done(0)) == "instructions"
    assert flow.step(bare, person(consent="1", instructed_at="x"), Done(10)) == "complete"


def test_another_version_of_the_consent_is_asked_for_again():
    new = msgspec.structs.replace(study(), consent=msgspec.structs.replace(CONSENT, version="2"))
    assert flow.step(new, person(**READY), Done(3)) == "consent"


def test_who_did_all_there_was_is_complete_and_who_found_nothing_is_not():
    spec = study(checks=0)
    assert flow.step(spec, person(**READY), Done(4, more=False)) == "complete"
    assert flow.step(spec, person(**READY), Done(0, more=False)) == "quota_full"


@pytest.mark.parametrize("way_out", sorted(flow.EXITS))
def test_a_way_out_is_for_good(way_out):
    assert flow.step(study(), person(exit=way_out), Done(3)) == way_out


@given(n=st.integers(1, 60), checks=st.integers(0, 6), number=numbers, seed=st.integers(0, 9))
def test_attention_checks_are_spread_over_the_work_and_all_are_shown(n, checks, number, seed):
    spec = study(n=n, checks=min(checks, n), seed=seed)
    after = flow.checks_after(spec, number)
    assert list(after) == sorted(after)
    assert all(1 <= one <= max(1, n - 1) for one in after)  # between two units, where there are two
    if n > len(after) > 1:
        assert len(set(after)) == len(after)
    shown, done, seen = dict[int, bool](), 0, list[int]()
    for _ in range(n + len(after)):
        step = flow.step(spec, person(**READY, number=number, checks=shown), Done(done))
        if step == "check":
            seen.append(flow.due(spec, person(number=number, checks=shown), Done(done)))
            shown = shown | {seen[-1]: False}  # a failed one is not asked again
        else:
            assert step == "work"
            done += 1
    assert flow.step(spec, person(**READY, number=number, checks=shown), Done(done)) == "complete"
    assert seen == list(range(len(after)))


def test_checks_do_not_stand_at_the_same_place_for_everybody():
    spec = study(n=20)
    assert len({flow.checks_after(spec, f"p{n:010x}") for n in range(50)}) > 20


@given(answers=st.dictionaries(st.sampled_from(["s", "x"]), st.sampled_from(["A", "B", ""])))
def test_the_screening_admits_only_by_all_its_answers(answers):
    assert flow.admitted(study(), answers) == (answers.get("s") == "A")
