"""Replies read by several processes: what one reads alone, to the byte."""

import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiometry.errors import RunFolderError
from audiometry.programs.parallel import mapped
from audiometry.score import filling as module
from audiometry.score import score
from audiometry.score.filling import fill_all
from audiometry.score.measures import MEASURES
from audiometry.score.opened import open_run
from audiometry.score.profiles import PROFILES
from audiometry.score.sheet import Wanted

ACCURACY = MEASURES.named("accuracy")
VARIANTS = ("plain", "order-1")
FAILURE = {"error": {"kind": "timeout", "message": "no reply within 1 s"}}
REPLIES = st.one_of(
    st.sampled_from(["A", "(B) cat", "It is not a dog, so the answer is C.", "I'm sorry, I cannot hear.", "", FAILURE]),
    st.sampled_from([{"text": "The answer", "finish_reason": "length"}, {"error": {"kind": "crash", "message": "x"}}]),
    st.text(max_size=60).filter(str.isprintable),
)


def _mapped(processes):
    """The parallel map from the first value on; each value is a chunk of replies."""

    def use(function, values, **how):
        return mapped(function, values, **(how | {"after_s": 0, "processes": processes}))

    return use


def wanted():
    return [
        Wanted(profile=one, measure=ACCURACY, readers={"choice": one.readers["choice"]})
        for one in PROFILES.all().values()
        if "choice" in one.readers and getattr(one.readers["choice"], "asks", None) is None
    ]


@pytest.fixture
def shared(monkeypatch):
    """Several processes from the first reply on, two replies at a time."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)  # what pytest runs beside it holds no lock of ours

    def use(*, processes=2):
        monkeypatch.setattr(module, "mapped", _mapped(processes))
        monkeypatch.setattr(module, "_CHUNK", 2)

    return use


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_verdicts_are_those_of_the_plain_loop(data, shared, make_benchmark, make_run):
    asked = [(f"item-{n:05}", variant) for n in range(6) for variant in VARIANTS]
    said = data.draw(st.dictionaries(st.sampled_from(asked), REPLIES))
    run = open_run(make_run(make_benchmark(6, clips=False), said, variants=VARIANTS))
    found = {}
    for processes in (1, 2):
        shared(processes=processes)
        found[processes] = fill_all(run, wanted())
    for alone, together in zip(found[1], found[2], strict=True):
        for name in ("state", "parts", "counted", "letter", "gold", "guessed", "worst", "best"):
            np.testing.assert_array_equal(getattr(alone, name), getattr(together, name))
        assert (alone.why, alone.blocked, alone.left_out) == (together.why, together.blocked, together.left_out)
        assert alone.items.cluster.tolist() == together.items.cluster.tolist()


def test_a_later_line_of_the_same_item_stands_and_a_failure_never_takes_its_place(shared, make_benchmark, make_run):
    path = make_run(make_benchmark(3, clips=False), {"item-00000": FAILURE, "item-00001": "A", "item-00002": "B"})
    journal = path / "replies.jsonl"
    first, second, third = journal.read_text().splitlines(keepends=True)
    journal.write_text(first + second + third + second.replace('"A"', '"B"') + first.replace("00000", "00002"))
    shared()
    strict = next(sheet for sheet in fill_all(open_run(path), wanted()) if sheet.profile.name == "strict")
    assert strict.letter.tolist() == [[-1], [1], [1]]
    assert strict.why == {(0, 0): "timeout"}


def test_the_scores_on_disk_are_the_same_to_the_byte(shared, make_benchmark, make_run):
    texts = ["A", "I would say (B) cat.", "Not the dog; therefore C.", FAILURE, "no idea"]
    path = make_run(make_benchmark(25, clips=False), {f"item-{n:05}": texts[n % 5] for n in range(24)})
    written = {}
    for processes in (1, 3):
        shared(processes=processes)
        score(path, ["all"])
        written[processes] = {file.name: file.read_bytes() for file in (path / "scores").iterdir()}
    assert len(written[1]) == len(wanted())
    assert written[1] == written[3]


def test_a_line_that_is_no_reply_is_named_as_ever(shared, make_benchmark, make_run):
    path = make_run(make_benchmark(9, clips=False), {f"item-{n:05}": "A" for n in range(9)})
    journal = path / "replies.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([*lines[:7], "{}\n", *lines[7:]]))
    shared()
    with pytest.raises(RunFolderError, match=r"replies\.jsonl, line 8: "):
        fill_all(open_run(path), wanted())
