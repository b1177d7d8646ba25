"""The live board, replies in steps, and what stands around voters: addresses, cookies, health."""

import asyncio
import errno
import http.client
import json
import time

import pytest

from audiometry.arena.server.board import Board
from audiometry.arena.store.store import Store

LONG = " ".join(f"word{n}" for n in range(120))


def until(true, seconds=60.0):
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.1)
    return found


def test_the_board_moves_by_closed_votes_alone_and_nobody_waits_for_it(serve, staged):
    arena = serve(limits=staged[2], board_s=0.5)
    anna = arena.voter()
    status, found = anna.post("/board")
    assert (status, found["title"], found["models"]) == (200, "Audiometry arena", [])
    hasty = anna.voted("tie", "Is it already?")
    anna.post("/reveal", {"battle": hasty["battle"]})
    found = until(lambda: (one := anna.post("/board")[1])["votes"] == 1 and one)
    assert (found["models"], found["set_apart"]["votes"]["too fast"]) == ([], 1)
    voters = [arena.voter() for _ in range(5)]
    battles = [voter.asked(text="Is it?")["battle"] for voter in voters]
    time.sleep(1.2)  # to read both
    for n, (voter, battle) in enumerate(zip(voters, battles, strict=True)):
        voter.post("/vote", {"battle": battle, "outcome": "model_a" if n % 3 else "model_b"})
        voter.post("/reveal", {"battle": battle})
    found = until(lambda: (one := anna.post("/board")[1])["votes"] == 6 and one)
    rated = {one["model"] for one in [*found["models"], *found["unplaced"]]}
    assert rated == {"acme/ears-one", "zenith/listener-two"}
    rates = {one["model"]: one for one in found["rates"]}
    assert rates["acme/ears-one"]["asked"] == 6
    assert "voters" not in (found["set_apart"] or {})
    # a vote that is not revealed moves nothing: whoever gave it could see who the two were, and change it
    anna.voted("tie", "Is it still?")
    anna.asked(text="And now?")
    before = found["at"]
    later = until(lambda: (one := anna.post("/board")[1])["at"] > before and one)
    assert later["votes"] == 6
    assert {one["model"]: one["asked"] for one in later["rates"]} == {name: one["asked"] for name, one in rates.items()}
    assert anna.seen[-1][3] < 5


@pytest.mark.slow
def test_a_machine_without_handles_gives_no_new_board_and_the_next_one_all_the_same(tmp_path, monkeypatch):
    told, real = [], asyncio.create_subprocess_exec
    store = Store.open(f"sqlite:///{tmp_path / 'a.db'}", tmp_path / "audio")
    board = Board(f"sqlite:///{tmp_path / 'a.db'}", tmp_path / "audio", heed=told.append)

    async def none_left(*_, **__):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", none_left)
    for _ in range(2):
        asyncio.run(board.made())
    assert len(told) == 1, "told once"
    assert "no new board could be made" in told[0]
    assert not json.loads(board.document)["at"]
    monkeypatch.setattr(asyncio, "create_subprocess_exec", real)
    asyncio.run(board.made())
    assert json.loads(board.document)["at"]
    store.close()


@pytest.mark.slow
def test_replies_in_steps_grow_alike_and_end_with_a_whole_battle(serve):
    arena = serve([{"name": "acme/ears-one", "text": LONG, "delay": 0.2}, {"name": "zenith/listener-two"}],
                  asking={"steps": True})  # fmt: skip
    anna = arena.voter()
    assert anna.post("/state")[1]["settings"]["steps"] is True
    battle = anna.post("/battle", {"text": "Is it?"})[1]["battle"]
    line = http.client.HTTPConnection("127.0.0.1", arena.port, timeout=30)
    line.request("GET", f"/battle/{battle}/wait", headers={"cookie": anna.cookie})
    answer = line.getresponse()
    assert answer.getheader("content-type") == "application/x-ndjson"
    came = [(time.monotonic(), json.loads(one)) for one in answer]
    line.close()
    *growing, (_, last) = came
    assert {one["state"] for _, one in growing} == {"asking"}
    assert (last["state"], {last["a"], last["b"]}) == ("ready", {LONG, "yes"})
    long = "a" if last["a"] == LONG else "b"
    lengths = [len(one[long]) for _, one in growing]
    assert lengths == sorted(lengths)
    assert all(LONG.startswith(one[long]) for _, one in growing)
    assert came[-1][0] - came[0][0] > 1.0  # they were let out one after the other
    assert anna.get(f"/battle/{battle}/wait")[1]["state"] == "ready"


def test_a_failed_battle_in_steps_comes_at_once(serve):
    arena = serve([{"name": "acme/ears-one", "fail": "bad-request"}, {"name": "zenith/listener-two"}],
                  asking={"steps": True})  # fmt: skip
    assert arena.voter().asked(text="Is it?")["state"] == "failed"


def test_limits_go_by_the_address_that_our_own_proxy_noted(serve):
    arena = serve(proxies=1, limits={"address_battles": 1})
    anna = arena.voter()

    def asks(n, noted):
        return anna.post("/battle", {"text": f"Is it {n}?"}, x_forwarded_for=noted)[0]

    assert asks(1, "203.0.113.7") == 200
    assert asks(2, "203.0.113.7") == 429
    assert asks(3, "198.51.100.1, 203.0.113.7") == 429  # what stands before it, anybody may have written
    assert asks(4, "203.0.113.8") == 200


def test_a_cookie_of_https_is_for_https_alone(serve):
    anna = serve(https=True).voter()
    anna.post("/state")
    assert "secure" in anna.headers["set-cookie"].lower()
    assert anna.cookie.startswith("__Host-audiometry-arena=")
    assert anna.voted()["outcome"] == "model_a"


def test_health_and_metrics_name_no_model(arena):
    anna = arena.voter()
    anna.voted()
    status, health = anna.get("/health")
    assert (status, health["status"], health["models"]) == (200, "ok", 2)
    status, text = anna.sent("GET", "/metrics")
    assert status == 200
    assert b'audiometry_arena_votes_total{outcome="model_a"}' in text
    assert not [name for name in (b"acme", b"zenith") if name in text]


@pytest.mark.parametrize("path", ["/", "/board", "/file/arena.js", "/file/words.en.json", "/file/palette.css"])
def test_pages_and_what_they_load_are_served(arena, path):
    anna = arena.voter()
    status, data = anna.sent("GET", path)
    assert (status, bool(data)) == (200, True)
    assert "default-src 'self'; media-src 'self' blob:" in anna.headers["content-security-policy"]


def test_what_is_not_there_is_not_found(arena):
    for path in ("/nowhere", "/file/../settings.py", "/file/secret.txt", "/clip/x", "/who"):
        assert arena.voter().sent("GET", path)[0] == 404
