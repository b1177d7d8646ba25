"""A study around the arena: ``audiometry arena study`` in a process of its own, two models of a server, and voters."""

import contextlib
import json
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest


def vote(one):
    """A battle to its vote; the page's state afterwards."""
    status = one.ask("POST", "/state", {})
    if status.status == 403:
        return status
    battle = one.ask("POST", "/battle", {"text": f"Is it so? {len(one.heard)}"}).json
    while battle["state"] == "asking":
        battle = one.ask("GET", f"/battle/{battle['battle']}/wait").json
    assert one.ask("POST", "/reveal", {"battle": battle["battle"]}).status in {403, 409}
    return one.ask("POST", "/vote", {"battle": battle["battle"], "outcome": "tie", "comment": "same", "tags": []})


def take_part(visitor, found, pid):
    """All of it; what is shown at the end."""
    one = visitor(found.port, pid)
    shown = one.through()
    for _ in range(12):
        if shown["step"] == "work":
            for path in ("/code", "/delete"):  # numbers, of which codes would be made, stand in files without ids
                assert one.ask("POST", path, {"code": "any"}).status == 404
            vote(one)
        elif shown["step"] == "check":
            one.say("check", check=shown["check"], chosen=("Rather not", "Blue")[shown["check"]])
        else:
            return one, shown
        shown = one.say("step")
    raise AssertionError(shown)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_people_vote_in_a_study_and_are_paid(served_arena, visitor, request, tmp_path, kind):
    url = "" if kind == "sqlite" else request.getfixturevalue("new_database")()
    found = served_arena(url, participants=3, n=2)
    early = visitor(found.port, "early")
    assert early.ask("GET", "/").headers["location"] == "/study"
    for path in ("/state", "/battle", "/vote", "/recording", "/code"):
        assert early.ask("POST", path, {}).status == 403
    assert early.ask("GET", "/health").status == 200
    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(lambda n: take_part(visitor, found, f"pid-{n}"), range(5)))
    codes = sorted(shown["code"] for _, shown in ends)
    assert codes == ["C-COMPLETE"] * 3 + ["C-FULL"] * 2
    one = next(one for one, shown in ends if shown["step"] == "complete")
    assert vote(one).status == 403
    assert one.ask("GET", "/board").status in {303, 403, 404}
    sheet = found.sheet(tmp_path / "pay.csv")
    assert sorted(row["suggestion"] for row in sheet.values()) == ["approve"] * 3 + ["ask to return"] * 2
    assert {row["done"] for row in sheet.values() if row["suggestion"] == "approve"} == {"2"}
    assert found.run("--participants", str(tmp_path / "people.jsonl")).returncode == 0
    people = [json.loads(line) for line in (tmp_path / "people.jsonl").read_text().splitlines()]
    assert [one["exit"] for one in people].count("complete") == 3
    assert not [pid for pid in sheet if pid in found.said.read_text()]
    found.end()
    assert (
        "6 participants (complete 3, quota full 2, under way 1); next: audiometry arena study" in found.said.read_text()
    )
    exported = tmp_path / "votes.jsonl"
    subprocess.run(
        [sys.executable, "-m", "audiometry", "arena", "export", "--db", found.url, "--to", "jsonl", "-o", exported],
        check=True,
        capture_output=True,
    )
    votes = exported.read_text(encoding="utf-8")
    assert len(votes.splitlines()) >= 6  # those of who were complete
    assert not [pid for pid in sheet if pid in votes]
    complete = {one["participant"] for one in people if one["exit"] == "complete"}
    assert complete <= {json.loads(line)["voter"] for line in votes.splitlines()}  # joined by number
    assert complete == {row["participant"] for row in sheet.values() if row["exit"] == "complete"}


def test_ids_that_somebody_makes_up_stand_under_the_limit_of_requests(served_arena, visitor):
    found = served_arena(requests=2)
    came = [visitor(found.port, f"made-up-{n}").came for n in range(20)]
    statuses = Counter(one.status for one in came)
    assert statuses[303] >= 2  # five more seconds let one more in
    assert statuses[429] == 20 - statuses[303] > 0
    late = next(one for one in came if one.status == 429)
    assert late.data == b"too many requests come from your network; wait a little\n"
    assert int(late.headers["retry-after"]) >= 1
    db = found.url.removeprefix("sqlite:///")
    with contextlib.closing(sqlite3.connect(db)) as line:  # who was refused is nowhere
        assert line.execute("SELECT count(*) FROM study_identity").fetchone() == (statuses[303],)
    somebody = visitor(found.port)
    assert somebody.ask("GET", "/study/file/study.css").status == 200


WAYS = {"does all": 40, "skips": 10, "fails checks": 10, "refuses": 8, "screened out": 8, "goes": 10, "withdraws": 6}
CODES = {
    "complete": "C-COMPLETE", "no_consent": "C-NOCONSENT", "screened_out": "C-SCREENED", "quota_full": "C-FULL",
}  # fmt: skip


def votes_once(one, outcome="tie"):
    """A battle to its vote; False if the study has none left for this participant."""
    for _ in range(600):
        battle = one.ask("POST", "/battle", {"text": f"Is it so? {len(one.heard)}"})
        if battle.status == 200:
            break
        if one.say("step")["step"] != "work":
            return False
        time.sleep(0.1)  # the last places are other people's for now
    else:
        raise AssertionError(battle.data)
    found = battle.json
    while found["state"] == "asking":
        found = one.ask("GET", f"/battle/{found['battle']}/wait").json
    said = {"battle": found["battle"], "outcome": outcome, "comment": "", "tags": []}
    first, again = (one.ask("POST", "/vote", said).status for _ in range(2))  # a double click
    assert {first, again} <= {200, 403}
    return True


def to_the_end(one, shown, way, chance):
    """Vote and answer checks until a way out, in a new session now and then."""
    skips = way == "skips"
    for _ in range(60):
        if shown["step"] == "work":
            if way in {"goes", "withdraws"} and chance.random() < 0.6:
                return one.say("withdraw") if way == "withdraws" else shown
            votes_once(one, "skip" if skips else chance.choice(["model_a", "model_b", "tie", "both_bad"]))
            skips = False
        elif shown["step"] == "check":
            right = ("Rather not", "Blue")[shown["check"]]
            wrong = shown["questions"][0]["options"][0]
            one.say("check", check=shown["check"], chosen=wrong if way == "fails checks" else right)
        else:
            return shown
        if chance.random() < 0.2:
            one.come()
        shown = one.say("step")
    raise AssertionError(shown)


def lives(visitor, found, pid, seed):
    """Somebody who takes part in one of many ways; the way, and the step at which they are in the end."""
    chance = random.Random(seed)
    way = chance.choices([*WAYS], [*WAYS.values()])[0]
    one = visitor(found.port, pid)
    shown = one.through(consent=way != "refuses", hearing="No" if way == "screened out" else "Yes")
    shown = to_the_end(one, shown, way, chance)
    if shown["step"] in CODES:
        assert shown["code"] == CODES[shown["step"]]
    return way, shown["step"]


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 300])
def test_each_pair_has_its_votes_exactly_however_people_come_and_go(served_arena, visitor, tmp_path, n):
    places = n // 2
    per_pair = places // 2  # fewer than people could give, some of whom skip
    found = served_arena(names=("yes", "no", "maybe"), participants=places, n=2,
                         change=lambda text: f"votes_per_pair = {per_pair}\n{text}")  # fmt: skip
    pids = [f"{random.Random(k).getrandbits(96):024x}" for k in range(2 * n)]
    with ThreadPoolExecutor(8) as pool:
        ends = dict(zip(pids[:n], pool.map(lambda k: lives(visitor, found, pids[k], k), range(n)), strict=True))
        gone = [pid for pid, (_, step) in ends.items() if step in {"work", "check"}]
        back = dict(zip(gone, pool.map(lambda pid: take_all(visitor, found, pid), gone), strict=True))
        late = dict(zip(pids[n:], pool.map(lambda pid: take_all(visitor, found, pid), pids[n:]), strict=True))
    steps = Counter([step for _, step in ends.values() if step not in {"work", "check"}])
    steps += Counter([*back.values(), *late.values()])
    assert 0 < steps["complete"] <= places
    assert list(late.values())[-1] == "quota_full"
    with contextlib.closing(sqlite3.connect(found.url.removeprefix("sqlite:///"))) as db:
        counted = db.execute(
            "SELECT min(a, b), max(a, b), count(*) FROM vote "
            "WHERE outcome < 4 AND battle NOT IN (SELECT battle FROM apart) GROUP BY 1, 2"
        ).fetchall()
        assert [votes for *_, votes in counted] == [per_pair] * 3
        assert db.execute("SELECT count(*) FROM lease WHERE expires IS NULL").fetchone() == (3 * per_pair,)
    sheet = found.sheet(tmp_path / "pay.csv")
    assert Counter(row["exit"] for row in sheet.values())["complete"] == steps["complete"]
    assert all(row["suggestion"] == "approve" for row in sheet.values() if row["exit"] == "complete")
    found.end()
    assert not [pid for pid in pids if pid in found.said.read_text()]


def take_all(visitor, found, pid):
    """Somebody who does all that there is; where they are in the end."""
    one = visitor(found.port, pid)
    return to_the_end(one, one.through(), "does all", random.Random(pid))["step"]
