"""A study around a review, by HTTP against the command line in a process of its own."""

import contextlib
import http.client
import json
import random
import signal
import sqlite3
import stat
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

CODES = {
    "complete": "C-COMPLETE", "no_consent": "C-NOCONSENT", "screened_out": "C-SCREENED", "quota_full": "C-FULL",
    "technical_failure": "C-TROUBLE", "withdrawn": "",
}  # fmt: skip


def tables(found):
    """All rows of the study's database, by table."""
    with contextlib.closing(sqlite3.connect(f"file:{found.folder}/review/study.db?mode=ro", uri=True)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in names}  # noqa: S608  its own names


def kept(found, pid):
    """The way out that the database holds of whoever has that id, as another process sees it."""
    with contextlib.closing(sqlite3.connect(f"file:{found.folder}/review/study.db?mode=ro", uri=True)) as db:
        asked = "SELECT p.exit FROM study_participant p JOIN study_identity i ON i.key = p.key WHERE i.id = ?"
        ((way_out,),) = db.execute(asked, (pid,)).fetchall()
        return way_out


def live(visitor, found, pid, chance):
    """Somebody who takes part in one of many ways; the way, and what they were last shown."""
    way = chance.choices(
        ["does all", "fails one check", "fails all checks", "refuses", "screened out", "goes", "trouble", "withdraws"],
        [40, 10, 5, 10, 10, 15, 5, 5],
    )[0]  # fmt: skip
    one = visitor(found.port, pid)
    if chance.random() < 0.3:
        one.come()  # in another browser
    shown = one.through(
        consent=way != "refuses",
        hearing=chance.choice(["No", "I am not sure"]) if way == "screened out" else "Yes",
        age=chance.choice([None, "Under 30"]),
    )
    if shown["step"] == "work":
        if way in {"goes", "trouble", "withdraws"}:
            shown = one.work(until=chance.randint(0, 2))
        else:
            half = one.work(fail={"fails one check": (0,), "fails all checks": (0, 1)}.get(way, ()), until=1)
            if half["step"] in {"work", "check"} and chance.random() < 0.3:
                one.come()  # a new session goes on where the last one was
                assert one.say("step") == half
            shown = one.work(fail={"fails one check": (0,), "fails all checks": (0, 1)}.get(way, ()))
        if way == "trouble":
            shown = one.say("trouble", what="=cmd|' /C calc'!A0\nno sound")
        if way == "withdraws":
            shown = one.say("withdraw")
    for path, data, headers in one.heard:
        assert pid not in str(headers) + path * (path != one.heard[0][0])
        told = [code for code in CODES.values() if code and code.encode() in data]
        if told:
            assert told == [CODES[json.loads(data)["step"]]]
    if shown["step"] in CODES:
        assert shown.get("code", "") == CODES[shown["step"]]
        assert kept(found, pid) == shown["step"]  # as soon as it is told
        assert one.say("step") == shown
        assert one.ask("GET", "/").status == 303
        assert one.ask("POST", "/next", {}).json["study"] == "/study"
    return way, shown["step"]


@pytest.mark.parametrize("n", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_quotas_codes_pay_and_ids_hold_for_everybody_who_comes(served, visitor, tmp_path, n):
    places = n // 2
    found = served(participants=places, n=2)
    pids = [f"{random.Random(k).getrandbits(96):024x}" for k in range(2 * n)]
    with ThreadPoolExecutor(8) as pool:
        lives = dict(
            zip(pids[:n], pool.map(lambda k: live(visitor, found, pids[k], random.Random(k)), range(n)), strict=True)
        )
        # those who went hold their places still: all others are taken, and not one more
        gone = {pid for pid, (_, step) in lives.items() if step in {"work", "check"}}
        more = list(pool.map(lambda pid: visitor(found.port, pid).through()["step"] != "quota_full", pids[n:]))
    late = [pid for pid, has_place in zip(pids[n:], more, strict=True) if has_place]
    steps = Counter(step for _, step in lives.values())
    assert steps["complete"] + len(gone) + len(late) == places
    with ThreadPoolExecutor(8) as pool:
        ends = list(pool.map(lambda pid: finish(visitor, found, pid), [*late, *gone]))
    assert {step for step, _ in ends} <= {"complete"}
    assert sum(row[4] == "complete" for row in tables(found)["study_participant"]) == places

    sheet = found.sheet(tmp_path / "pay.csv")
    assert stat.S_IMODE((tmp_path / "pay.csv").stat().st_mode) == 0o600
    assert sheet.keys() == set(pids)
    for pid, (way, step) in lives.items():
        row = sheet[pid]
        if pid in gone:
            step = "complete"  # noqa: PLW2901  they came back
        assert (row["exit"], row["code"]) == (step, CODES[step])
        screened = step not in {"no_consent", "quota_full"}
        assert (Decimal(row["amount"]) >= Decimal("0.20")) == screened
        if step == "complete":
            assert (row["suggestion"], row["amount"]) == ("approve", "2.00")
        if way == "fails one check" and step == "complete":
            assert row["checks_failed"] == "1"
        assert not row["evidence"].startswith(("=", "+", "-", "@"))

    assert found.run("--participants", str(tmp_path / "people.jsonl")).returncode == 0
    assert found.run("--export", str(tmp_path / "ratings.jsonl")).returncode == 0
    found.end()
    assert f"{2 * n} participants (complete {places}, " in found.said.read_text()
    held = tables(found)
    assert {row[1] for row in held.pop("study_identity")} == set(pids)
    written = {
        path: path.read_text(encoding="utf-8") for path in (found.said, found.folder / "review" / "answers.jsonl")
    }
    written |= {name: (tmp_path / f"{name}.jsonl").read_text() for name in ("people", "ratings")}
    written["tables"] = repr(held)
    for where, text in written.items():
        assert not [pid for pid in pids if pid in text], where
    people = [json.loads(line) for line in written["people"].splitlines()]
    assert len(people) == 2 * n
    raters = {json.loads(line)["rater"] for line in written["ratings"].splitlines()}
    assert (
        raters
        == {line["rater"] for line in found.answers()}
        <= {one["participant"] for one in people if one["exit"] != "withdrawn"}
    )


def finish(visitor, found, pid):
    """Somebody comes back and does what is left."""
    one = visitor(found.port, pid)
    shown = one.work() if one.through()["step"] in {"work", "check"} else one.say("step")
    return shown["step"], shown.get("code")


@pytest.mark.slow
def test_a_server_killed_between_the_last_answer_and_the_code_owes_nothing(served, visitor, tmp_path):
    found = served(participants=1, n=2)
    anna = visitor(found.port, "anna")
    shown = anna.through()
    while shown.get("done", 0) < 1 or shown["step"] == "check":
        shown = anna.work(until=1)
    put = anna.ask("POST", "/next", {}).json
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(anna.answer, put)
        for _ in range(2_000):  # until the answer is on the disk; by then the code may be kept too, or not
            if len(found.answers()) == 2:
                break
        found.end(signal.SIGKILL)
        with contextlib.suppress(OSError, http.client.HTTPException):
            sent.result(30)
    found.start()
    assert visitor(found.port, "ben").at() == "quota_full"  # the only place is Anna's, though she is not back yet
    anna.come()
    shown = anna.work()
    assert (shown["step"], shown["code"]) == ("complete", "C-COMPLETE")
    assert len(found.answers()) == 2
    assert found.sheet(tmp_path / "pay.csv")["anna"]["suggestion"] == "approve"
