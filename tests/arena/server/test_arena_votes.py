"""From a recording to the reveal over HTTP, and what a vote is worth: one row, changed until the reveal."""

import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

NAMES = {"acme/ears-one": "Yes, it is.", "zenith/listener-two": "No, it is not."}


def rows(arena, statement, *values):
    with sqlite3.connect(arena.url.removeprefix("sqlite:///")) as line:
        return line.execute(statement, values).fetchall()


def test_a_recording_becomes_a_battle_a_vote_and_a_reveal(arena, sounds):
    anna = arena.voter()
    status, state = anna.post("/state")
    assert (status, state["battle"], state["settings"]["outcomes"][0]) == (200, None, "model_a")
    assert "httponly" in anna.headers["set-cookie"].lower()
    assert "samesite=lax" in anna.headers["set-cookie"].lower()
    sent = sounds.coded(sounds.tone(2.0), tags={"title": "Mrs Secret"})
    heard = json.dumps({"echoCancellation": False, "source": "microphone"})
    status, data = anna.sent("POST", "/recording", sent, content_type="text/plain", x_audiometry_heard=heard)
    kept = json.loads(data)
    assert (status, kept["silent"], kept["clipped"], round(kept["duration_s"], 2)) == (200, False, False, 2.0)
    battle = anna.asked(recording=kept["recording"])
    assert battle["state"] == "ready"
    assert battle["query"] == {"href": kept["href"]}
    assert {battle["a"], battle["b"]} == set(NAMES.values())
    said = {"battle": battle["battle"], "outcome": "model_b", "comment": " warmer ", "tags": ["tone"]}
    status, voted = anna.post("/vote", said)
    assert (status, voted["outcome"], voted["comment"], voted["tags"]) == (200, "model_b", "warmer", ["tone"])
    status, revealed = anna.post("/reveal", {"battle": battle["battle"]})
    assert {side: NAMES[one["name"]] for side, one in revealed["models"].items()} == {
        "a": battle["a"],
        "b": battle["b"],
    }
    assert all(one["latency_s"] >= 0 for one in revealed["models"].values())
    assert anna.post("/state")[1]["battle"]["state"] == "revealed"
    assert rows(arena, "SELECT json_extract(settings, '$.echoCancellation') FROM recording WHERE id = ?",
                kept["recording"]) == [(0,)]  # fmt: skip


def test_a_recording_is_its_owners_alone_in_ranges_and_never_by_hash(arena, sounds):
    anna, bert = arena.voter(), arena.voter()
    kept = json.loads(anna.sent("POST", "/recording", sounds.coded(sounds.tone()))[1])
    status, whole = anna.sent("GET", kept["href"])
    assert (status, anna.headers["content-type"], whole[:4]) == (200, "audio/flac", b"fLaC")
    assert "no-store" in anna.headers["cache-control"]
    told = {name: anna.headers[name] for name in ("etag", "last-modified")}
    again = json.loads(bert.sent("POST", "/recording", sounds.coded(sounds.tone()))[1])
    assert bert.sent("GET", again["href"])[0] == 200
    assert bert.headers["last-modified"] == told["last-modified"] == "Thu, 01 Jan 1970 00:00:00 GMT"
    assert bert.headers["etag"] != told["etag"], "nobody learns that another sent the same sounds before"
    status, part = anna.sent("GET", kept["href"], range="bytes=4-99")
    assert (status, part) == (206, whole[4:100])
    assert anna.headers["content-range"] == f"bytes 4-99/{len(whole)}"
    (sha256,) = {name for (name,) in rows(arena, "SELECT audio FROM recording WHERE id = ?", kept["recording"])}
    for voter, address in ((bert, kept["href"]), (arena.voter(), kept["href"]), (anna, f"/audio/{sha256}")):
        assert voter.get(address)[0] == 404
    assert bert.post("/battle", {"recording": kept["recording"]})[0] == 404


def test_a_double_click_and_two_tabs_are_one_battle_and_one_vote(arena):
    anna = arena.voter()
    anna.post("/state")
    with ThreadPoolExecutor(8) as tabs:
        others = [type(anna)(arena.port, anna.cookie) for _ in range(8)]
        begun = list(tabs.map(lambda tab: tab.post("/battle", {"text": "Twice?"})[1]["battle"], others))
        assert len(set(begun)) == 1
        anna.get(f"/battle/{begun[0]}/wait")
        said = [{"battle": begun[0], "outcome": outcome} for outcome in ("model_a", "model_b", "tie", "both_bad")]
        answers = list(tabs.map(lambda one: one[0].post("/vote", one[1])[0], zip(others, said * 2, strict=True)))
    assert answers == [200] * 8
    assert rows(arena, "SELECT count(*) FROM vote WHERE battle = ?", begun[0]) == [(1,)]


def test_a_vote_is_changed_until_the_reveal_and_never_after(arena):
    anna = arena.voter()
    battle = anna.voted("model_a")["battle"]
    assert anna.post("/vote", {"battle": battle, "outcome": "tie"})[1]["outcome"] == "tie"
    assert anna.post("/reveal", {"battle": battle})[0] == 200
    status, why = anna.post("/vote", {"battle": battle, "outcome": "model_b"})
    assert (status, list(why)) == (409, ["error"])
    assert anna.post("/reveal", {"battle": battle})[0] == 200  # again it says the same
    assert rows(arena, "SELECT outcome, changes FROM vote WHERE battle = ?", battle) == [(2, 1)]


def test_a_reveal_races_votes_and_closes_them(arena):
    anna = arena.voter()
    battle = anna.voted("model_a")["battle"]
    tabs = [type(anna)(arena.port, anna.cookie) for _ in range(9)]
    gate, answers = threading.Barrier(9), []

    def act(n):
        gate.wait()
        said = {"battle": battle, "outcome": "model_b"}
        answers.append(tabs[n].post("/reveal", {"battle": battle}) if n == 0 else tabs[n].post("/vote", said))

    with ThreadPoolExecutor(9) as pool:
        list(pool.map(act, range(9)))
    assert {status for status, _ in answers} <= {200, 409}
    (told,) = [found for _, found in answers if "models" in found]
    after = anna.post("/state")[1]["battle"]
    assert (after["state"], after["outcome"]) == ("revealed", told["outcome"])


def test_others_can_neither_see_vote_on_nor_reveal_a_battle(arena):
    anna, bert = arena.voter(), arena.voter()
    battle = anna.voted()["battle"]
    bert.post("/state")
    for voter in (bert, arena.voter()):
        assert voter.post("/vote", {"battle": battle, "outcome": "tie"})[0] == 404
        assert voter.post("/reveal", {"battle": battle})[0] == 404
        assert voter.get(f"/battle/{battle}/wait")[0] == 404
    assert anna.post("/state")[1]["battle"]["outcome"] == "model_a"


def test_who_the_two_were_is_told_after_a_vote_alone(arena):
    anna = arena.voter()
    battle = anna.asked(text="Who is it?")
    status, why = anna.post("/reveal", {"battle": battle["battle"]})
    assert (status, why) == (409, {"error": "vote first; then it is told who the two were"})


def test_an_arena_that_reveals_nothing_refuses_to(serve, staged):
    arena = serve(vote={"reveal": False, "outcomes": ["model_a", "model_b", "tie"]})
    anna = arena.voter()
    battle = anna.voted("tie")["battle"]
    assert anna.post("/state")[1]["settings"]["reveal"] is False
    assert anna.post("/reveal", {"battle": battle})[0] == 403
    assert anna.post("/vote", {"battle": battle, "outcome": "both_bad"})[0] == 400
    assert anna.post("/vote", {"battle": battle, "outcome": "tie", "tags": ["tone"]})[0] == 400


def test_consent_is_asked_first_and_once(serve):
    arena = serve(consent={"version": "2", "text": "Your voice is kept."})
    anna = arena.voter()
    assert anna.post("/state")[1]["settings"]["consent"] == {"version": "2", "text": "Your voice is kept."}
    assert anna.post("/battle", {"text": "Now?"})[0] == 403
    assert anna.sent("POST", "/recording", b"x")[0] == 403
    assert anna.post("/consent", {"version": "1"})[0] == 400
    assert anna.post("/consent", {"version": "2"})[0] == 200
    assert anna.post("/state")[1]["settings"]["consent"] is None
    assert anna.asked(text="Now?")["state"] == "ready"


def test_a_personal_code_deletes_what_was_said(serve, sounds):
    arena = serve()
    anna, bert = arena.voter(), arena.voter()
    sent = sounds.coded(sounds.tone(), "ipod", "aac", tags={"title": "Mrs Secret"})
    for voter in (anna, bert):
        kept = json.loads(voter.sent("POST", "/recording", sent)[1])
        battle = voter.asked(recording=kept["recording"])
        voter.post("/vote", {"battle": battle["battle"], "outcome": "model_a", "comment": "Zanzibar"})
    code = anna.post("/code")[1]["code"]
    assert arena.voter().post("/delete", {"code": code})[1] == {"recordings": 1, "battles": 1, "votes": 1}
    assert arena.voter().post("/delete", {"code": code})[0] == 404
    assert anna.sent("GET", f"/audio/{kept['recording']}")[0] == 404
    assert bert.sent("GET", f"/audio/{kept['recording']}")[0] == 200
    assert len(list(arena.audio.glob("??/*"))) == 1
    assert rows(arena, "SELECT count(*) FROM vote WHERE comment = 'Zanzibar'") == [(1,)]


@pytest.mark.parametrize("outcome", ["model_a", "model_b", "tie", "both_bad", "skip"])
def test_every_outcome_is_kept_as_it_was_said(arena, outcome):
    anna = arena.voter()
    assert anna.voted(outcome)["outcome"] == outcome
    assert anna.post("/state")[1]["battle"]["outcome"] == outcome
