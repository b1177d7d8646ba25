"""Which line of ``replies.jsonl`` counts, told in one place."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.errors import RunFolderError
from audiometry.files import replies
from audiometry.files.run_folder import RunFolder
from audiometry.records import CHANGED, Failure, ReplyRecord


def line(item="a", text=None, error=None, variant="plain", **more):
    failure = None if error is None else Failure(kind=error, message="m")
    return ReplyRecord(item=item, variant=variant, text=text, error=failure, **more)


def counted(tmp_path, *records):
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return list(replies.that_count(path, ReplyRecord))


@pytest.mark.parametrize(
    ("lines", "counts"),
    [
        ([line(text="A"), line(text="B")], [1]),
        ([line(text="A"), line(error="timeout")], [0]),
        ([line(error="timeout"), line(text="A")], [1]),
        ([line(error="timeout"), line(error="http-500")], [1]),
        ([line(text="A"), line(error="timeout"), line(text=""), line(error="x")], [2]),
        ([line(text="A"), line(error=CHANGED)], []),
        ([line(error="timeout"), line(error=CHANGED)], []),
        ([line(text="A"), line(error=CHANGED), line(error="timeout")], [2]),
        ([line(text="A"), line(error=CHANGED), line(error="timeout"), line(text="B")], [3]),
        ([line(error=CHANGED), line(error=CHANGED), line(text="A")], [2]),
        ([line(text="A"), line(error=CHANGED, item="b"), line(error=CHANGED, variant="order-1")], [0]),
        ([line(text="A"), line(text="B", variant="order-1"), line(text="C", item="b")], [0, 1, 2]),
        ([line(text="A"), line()], [0]),  # neither a reply nor a reason: no reply came
        ([line(), line(text="A")], [1]),
        ([line(text="A"), line(text="B", error="timeout")], [0]),
    ],
)
def test_the_last_reply_counts_and_a_failure_never_takes_its_place(tmp_path, lines, counts):
    assert counted(tmp_path, *lines) == [lines[number] for number in counts]


def of_one(lines):
    """The rule in other words, for the lines of one item and variant: numbers of those that count."""
    back = max((n for n, one in enumerate(lines) if one.error and one.error.kind == CHANGED), default=-1)
    after = range(back + 1, len(lines))
    came = [n for n in after if lines[n].error is None and lines[n].text is not None]
    return (came or list(after))[-1:]


@given(
    st.lists(
        st.builds(
            line,
            item=st.sampled_from("abc"),
            variant=st.sampled_from(["plain", "order-1"]),
            text=st.sampled_from([None, "", "A", "B"]),
            error=st.sampled_from([None, None, "timeout", CHANGED]),
        ),
        max_size=12,
    )
)
def test_any_order_of_arrival(lines):
    keys = {(one.item, one.variant) for one in lines}
    wanted = set()
    for key in keys:
        places = [n for n, one in enumerate(lines) if (one.item, one.variant) == key]
        wanted |= {places[n] for n in of_one([lines[n] for n in places])}
    decoded = [msgspec.json.decode(msgspec.json.encode(one), type=replies.Line) for one in lines]
    found = replies.counting(decoded)
    assert [n for n, what in enumerate(found.lines) if what != replies.NOTHING] == sorted(wanted)
    assert {n for n, what in enumerate(found.lines) if what == replies.REPLY} == {n for n in wanted if decoded[n].came}
    assert found.taken_back == any(one.error is not None and one.error.kind == CHANGED for one in lines)
    by_their_places = replies.counting(decoded, lambda item, variant: "abc".index(item) * 2 + (variant != "plain"))
    assert by_their_places == found


def test_failures_may_be_left_out(tmp_path):
    counted(tmp_path, line(text="A"), line(item="b", error="timeout"), line(item="c"))
    path = tmp_path / "replies.jsonl"
    assert [one.item for one in replies.that_count(path, replies.Line, failures=False)] == ["a"]
    assert [one.item for one in replies.that_count(path, replies.Line)] == ["a", "b", "c"]


def test_a_torn_line_is_none_and_what_is_added_meanwhile_is_passed_over(tmp_path):
    path = tmp_path / "replies.jsonl"
    assert list(RunFolder(tmp_path).replies()) == []
    counted(tmp_path, line(text="A"), line(item="b", text="B"))
    with path.open("a") as file:
        file.write('{"item": "a", "text": "torn"')
    found = replies.look(path)
    with path.open("a") as file:
        file.write("}\n" + json.dumps({"item": "c", "text": "C"}) + "\n")
    assert [one.text for one in replies.that_count(path, ReplyRecord, found)] == ["A", "B"]
    assert [one.text for one in RunFolder(tmp_path).replies()] == ["B", "torn", "C"]


@pytest.mark.parametrize("bad", ['{"item": 1}', "[]", "{}", '{"item": "a", "error": "x"}', '{"item": "a", "text": 2}'])
def test_a_line_of_another_kind_is_named(tmp_path, bad):
    path = tmp_path / "replies.jsonl"
    path.write_text('{"item": "a", "text": "A"}\n' + bad + "\n")
    with pytest.raises(RunFolderError, match=r"replies\.jsonl, line 2: .*; remove that line, or restore the file"):
        list(replies.that_count(path, ReplyRecord))
