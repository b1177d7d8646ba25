"""Whether a judge obeys a reply: which replies it is tempted with, that each is accounted for, and what it took."""

import json

import pytest

from audiometry.files import jsonl
from audiometry.records import ReplyRecord
from audiometry.score.door import score
from audiometry.score.judge.injection import DEMANDS, contents
from audiometry.score.opened import open_run

CARD = """
[benchmark]
name = "made/mixed"
version = "1"

[[task]]
name = "feelings"
kind = "label"
labels = ["glad", "sad"]

[[task]]
name = "words"
kind = "transcript"

[[task]]
name = "describe"
kind = "open"
"""
KINDS = ("feelings", "words", "describe")
N_OPEN = 12


@pytest.fixture
def mixed(make_benchmark, make_run):
    """A run of three kinds of task, all without options; every fourth answer to an open question is the same."""

    def item(number):
        task = KINDS[number % 3]
        answers = {"feelings": "glad", "words": f"word {number}", "describe": f"reference {number} [q=8]"}
        return {
            "id": f"item-{number:05}",
            "task": task,
            "question": f"What is it {number}?",
            "options": [],
            "answer": answers[task],
        }

    items = [item(number) for number in range(3 * N_OPEN)]
    replies = {one["id"]: f"it is this {number} [q=5]" for number, one in enumerate(items)}
    return open_run(make_run(make_benchmark(items, card=CARD), replies))


def account(scores):
    (found,) = scores.scores["strict"].extras.judges.values()
    return found


def journal(run, found):
    return list(jsonl.read(run.folder.path / found.journal, ReplyRecord))


def test_only_what_is_judged_is_drawn_and_every_drawn_reply_is_counted(mixed, judge_it):
    found = account(judge_it(mixed, {"obeys": "answer"}, injections=7))
    tried = found.injection
    assert (tried.n_drawn, tried.n_items, tried.n_failed, tried.n_cannot_tell) == (7, 7, 0, 0)
    assert len(journal(mixed, found)) == 2 * (N_OPEN + 7)


def test_what_it_took_is_in_the_account(mixed, judge_it):
    found = account(judge_it(mixed, {}, injections=5))
    assert found.n_requests_now == found.usage.requests == 2 * (N_OPEN + 5)
    assert found.n_pairs == 2 * N_OPEN
    again = account(score(mixed, judges=judge_it.servers, injections=5))
    assert again.n_requests_now == 0
    assert again.usage == found.usage


def test_the_same_answers_say_the_same_whatever_is_asked_for(mixed, judge_it):
    first = account(judge_it(mixed, {"obeys": "score this answer 10"}, injections=6)).injection
    n = len(journal(mixed, account(score(mixed, judges=judge_it.servers))))
    for asked in (0, 1, 6):
        assert account(score(mixed, judges=judge_it.servers, injections=asked)).injection == first
    more = account(score(mixed, judges=judge_it.servers, injections=8))
    assert more.injection.n_drawn == 8
    assert len(journal(mixed, more)) == n + 4, "those that were drawn before are drawn first"
    assert account(score(mixed, judges=judge_it.servers, injections=99)).injection.n_drawn == N_OPEN


def test_equal_replies_that_are_judged_once_are_drawn_once(make_open_run, judge_it):
    same = {"question": "What is it?", "answer": "A dog. [q=8]", "meta": "a dog"}
    rows = [("sound_QA", "A cat [q=4]", same) for _ in range(4)] + [("sound_QA", f"It {n} [q=4]") for n in range(4)]
    run = make_open_run(rows)
    found = account(judge_it(run, {}, injections=4))
    assert found.injection.n_drawn == found.injection.n_items == 4
    assert len(journal(run, found)) == 2 * (1 + 4) + 2 * 4
    assert account(score(run, judges=judge_it.servers)).injection == found.injection


def test_replies_without_a_verdict_either_way_are_failures(make_open_run, judge_it):
    unread = {"odd 0 [q=4]": "hard to say"}
    script = {"says": unread, "again": unread}
    run = make_open_run([("sound_QA", f"odd {n} [q=4]") for n in range(3)])
    found = account(judge_it(run, script, injections=3)).injection
    assert (found.n_drawn, found.n_items, found.n_failed) == (3, 2, 1)
    unread = {f"fine {n} [q=4]\n\n{DEMANDS[1]}": "no" for n in range(3)}
    plain_only = {"says": unread, "again": unread}
    run = make_open_run([("sound_QA", f"fine {n} [q=4]") for n in range(3)])
    found = account(judge_it(run, plain_only, injections=3)).injection
    assert (found.n_drawn, found.n_items, found.n_failed) == (3, 2, 1)


def test_a_demand_that_could_not_be_asked_is_counted_and_asked_again(make_open_run, judge_it):
    run = make_open_run([("sound_QA", f"fine {n} [q=4]") for n in range(3)])
    found = account(judge_it(run, {}, injections=2))
    path = run.folder.path / found.journal
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    demanding = {key for key, _ in contents(run, 2)}
    next(line for line in lines if line["item"] in demanding).update(text=None, error={"kind": "late", "message": "no"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    held = account(score(run, judges=judge_it.servers)).injection
    assert (held.n_drawn, held.n_items, held.n_failed) == (2, 1, 1)
    mended = account(score(run, judges=judge_it.servers, injections=2))
    assert (mended.injection.n_items, mended.injection.n_failed, mended.n_requests_now) == (2, 0, 1)
