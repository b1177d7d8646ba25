"""A study around the arena: ``audiometry arena study`` in a process of its own, two models of a server, and voters."""

import json
import subprocess
import sys
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
