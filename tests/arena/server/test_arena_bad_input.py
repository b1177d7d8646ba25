"""What strangers send: each a clear line, nothing lost, no way in."""

import asyncio
import contextlib
import http.client
import io
import json
import sqlite3
import struct
import sys
import time
import zlib

import numpy as np
import pytest
import soundfile
from starlette.requests import Request

from audiometry.arena.server.refused import LaterError
from audiometry.arena.server.room import Room
from audiometry.web.guard import body

SQL = "'; DROP TABLE vote; --\" OR 1=1 /* \\ %s {0} \x00 ẞ"
HTML = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def words(answer):
    """The one line of an answer that refuses."""
    status, found = answer
    assert list(found) == ["error"], found
    assert "\n" not in found["error"]
    return status, found["error"]


def recording(voter, data, **headers):
    status, found = voter.sent("POST", "/recording", data, **headers)
    return status, json.loads(found)


@pytest.mark.parametrize(
    ("data", "kind", "why"),
    [
        (b"", "audio/webm", "empty"),
        (b"<html>I am a page</html>", "audio/webm", "no recording that is read here"),
        (b"%PDF-1.7 and so on", "audio/ogg", "no recording that is read here"),
        (b"#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n", "audio/mpeg", "no recording that is read here"),
        (b"\x1aE\xdf\xa3" + bytes(4000), "audio/webm", "damaged"),
        (b"RIFF\xff\xff\xff\xffWAVEfmt " + bytes(64), "audio/wav", "damaged|no sound|too short"),
    ],
)
def test_what_is_no_recording_is_told_in_a_line(arena, data, kind, why):
    status, said = words(recording(arena.voter(), data, content_type=kind))
    assert status == 400
    assert any(word in said for word in why.split("|"))


def test_a_fake_type_is_not_believed(arena, sounds):
    status, found = recording(arena.voter(), sounds.coded(sounds.tone(), "mp3", "libmp3lame"), content_type="image/png")
    assert (status, found["silent"]) == (200, False)


def resident_mb(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:  # noqa: PTH123  no file of ours
        return int(file.read().split()[1]) * 4096 / 1e6


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_half_a_gigabyte_is_refused_by_its_length_or_as_it_comes_and_held_nowhere(arena):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", arena.port, timeout=30)) as line:
        line.putrequest("POST", "/recording")
        line.putheader("content-length", str(500_000_000))
        line.endheaders()
        answer = line.getresponse()
        assert (answer.status, list(json.loads(answer.read()))) == (413, ["error"])
    before, most = resident_mb(arena.pid), 0.0
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", arena.port, timeout=30)) as line:
        line.putrequest("POST", "/recording")
        line.putheader("transfer-encoding", "chunked")
        line.endheaders()
        piece = b"%x\r\n" % (1 << 20) + bytes(1 << 20) + b"\r\n"
        for _ in range(500):
            line.send(piece)
            most = max(most, resident_mb(arena.pid))
        line.send(b"0\r\n\r\n")
        answer = line.getresponse()
        assert (answer.status, list(json.loads(answer.read()))) == (413, ["error"])
    assert most - before < 150


def bomb(declared):
    """A FLAC whose samples are all zero: a few bytes of each second."""
    out = io.BytesIO()
    with soundfile.SoundFile(out, "w", samplerate=48_000, channels=2, format="FLAC", subtype="PCM_16") as file:
        for _ in range(declared):
            file.write(np.zeros((48_000, 2), np.int16))
    return out.getvalue()


def webm_of_compressed_zeros(megabytes):
    """A Matroska file whose one block is so many megabytes of zeros, deflated as its header says."""

    def element(number, data):
        size = len(data)
        return bytes.fromhex(number) + struct.pack(">Q", size | 1 << 56) + data

    packed = zlib.compress(bytes(megabytes << 20), 9)
    head = element("1A45DFA3", element("4282", b"matroska"))
    coding = element("6D80", element("6240", element("5031", b"\0") + element("5033", b"\1")
                                     + element("5034", element("4254", b"\0"))))  # fmt: skip
    sound = element("E1", element("B5", struct.pack(">d", 48_000.0)) + element("9F", b"\1") + element("6264", b"\x10"))
    track = element("AE", element("D7", b"\1") + element("73C5", b"\1") + element("83", b"\2")
                    + element("86", b"A_PCM/INT/LIT") + coding + sound)  # fmt: skip
    cluster = element("1F43B675", element("E7", b"\0") + element("A3", b"\x81\0\0\x80" + packed))
    return head + element("18538067", element("1654AE6B", track) + cluster)


def test_bombs_in_a_container_cost_little(arena):
    assert words(recording(arena.voter(), bomb(600)))[0] == 400
    deflated = webm_of_compressed_zeros(100)
    assert len(deflated) < 200_000
    began = time.monotonic()
    status, found = recording(arena.voter(), deflated)  # the decoder stops at 10 MB, and takes the rest for noise
    assert status == 400 or found["duration_s"] <= 60
    assert time.monotonic() - began < 20


def test_sql_and_signs_of_every_kind_are_words(arena):
    anna = arena.voter()
    battle = anna.asked(text=SQL[:60])
    assert battle["query"]["text"].startswith("'; DROP TABLE vote; --")
    said = {"battle": battle["battle"], "outcome": "tie", "comment": SQL}
    status, found = anna.sent("POST", "/vote", json.dumps(said).encode())
    assert status == 200, found
    assert json.loads(found)["comment"].startswith("'; DROP TABLE vote; --")
    for path, document in (
        ("/vote", {"battle": SQL[:40], "outcome": "tie"}),
        ("/vote", {"battle": battle["battle"], "outcome": SQL[:30]}),
        ("/vote", {"battle": battle["battle"], "outcome": "tie", "tags": [SQL]}),
        ("/reveal", {"battle": SQL[:40]}),
        ("/battle", {"recording": SQL[:40]}),
        ("/delete", {"code": SQL}),
        ("/consent", {"version": SQL[:30]}),
    ):
        assert words(anna.post(path, document))[0] in {400, 404}
    status, _ = recording(anna, b"x", x_audiometry_heard=json.dumps({"label": SQL}))
    assert status == 400
    with sqlite3.connect(arena.url.removeprefix("sqlite:///")) as line:
        assert line.execute("SELECT count(*) FROM vote").fetchone()[0] >= 1


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("/battle", b"{", 400),
        ("/battle", b"\xff\xfe", 400),
        ("/battle", b'{"text": 7}', 400),
        ("/battle", b'{"text": " "}', 400),
        ("/battle", b'{"text": "a", "recording": "b"}', 400),
        ("/battle", json.dumps({"text": "x" * 2001}).encode(), 400),
        ("/battle", b"[" * 5000, 400),
        ("/battle", b'{"text": "half a sign: \\ud800"}', 400),
        ("/battle", b"x" * 70_000, 413),
        ("/vote", b"{}", 400),
        ("/vote", b'{"battle": "forged", "outcome": "tie"}', 404),
        ("/vote", b'{"battle": "' + b"0" * 32 + b'", "outcome": "tie"}', 404),
        ("/reveal", b'{"battle": "../../etc/passwd"}', 404),
        ("/delete", b'{"code": ""}', 404),
    ],
)
def test_forged_and_broken_requests_are_told_in_a_line(arena, path, sent, status):
    anna = arena.voter()
    found, data = anna.sent("POST", path, sent)
    assert words((found, json.loads(data)))[0] == status


def test_what_a_browser_says_of_itself_is_bounded(arena):
    assert words(recording(arena.voter(), b"x", x_audiometry_heard="{" + " " * 3000 + "}"))[0] == 400
    assert words(recording(arena.voter(), b"x", x_audiometry_heard="[1]"))[0] == 400


@pytest.mark.parametrize("cookie", ["", "x", "a" * 5000, "../../etc/passwd", "'; DROP TABLE voter", "A" * 22])
def test_a_made_up_voter_is_nobody_else(arena, cookie):
    anna = arena.voter()
    battle = anna.voted()["battle"]
    other = arena.voter()
    other.cookie = f"audiometry-arena={cookie}"
    assert other.post("/state")[1]["battle"] is None
    assert words(other.post("/reveal", {"battle": battle}))[0] == 404


def test_another_sites_page_cannot_vote_nor_is_it_shown_anything(arena):
    anna = arena.voter()
    battle = anna.voted()["battle"]
    for headers in ({"origin": "https://evil.example"}, {"sec_fetch_site": "cross-site"}, {"host": "evil.example"}):
        status, _ = anna.sent("POST", "/vote", json.dumps({"battle": battle, "outcome": "tie"}).encode(), **headers)
        assert status == 403
    assert "default-src 'self'" in anna.headers["content-security-policy"]
    assert anna.headers["x-content-type-options"] == "nosniff"


def test_html_in_names_and_scripts_in_replies_are_text(serve):
    arena = serve([{"name": f"acme/{HTML}", "text": HTML}, {"name": "zenith/listener-two", "text": "No."}])
    anna = arena.voter()
    battle = anna.voted(text=HTML)
    assert HTML in {battle["a"], battle["b"]}
    assert battle["query"]["text"] == HTML
    assert anna.headers["content-type"] == "application/json"
    assert anna.headers["x-content-type-options"] == "nosniff"
    models = anna.post("/reveal", {"battle": battle["battle"]})[1]["models"]
    assert f"acme/{HTML}" in {side["name"] for side in models.values()}


def test_a_model_that_hangs_fails_its_battle_in_time_and_then_rests(serve):
    models = [{"name": "acme/ears-one", "hang": True}, *({"name": f"zenith/{n}"} for n in "ab")]
    arena = serve(models, asking={"timeout_s": 0.2, "whole_s": 0.3})
    anna = arena.voter()
    states = [anna.asked(text=f"Anybody {n}?")["state"] for n in range(24)]
    assert states.count("failed") >= 3
    assert set(states[-4:]) == {"ready"}  # it is drawn no more
    failed = anna.asked(text="Anybody 1?")
    assert failed["battle"]
    assert anna.get("/health")[1]["models_awake"] == 2
    told = [line.partition(" does not answer ") for line in arena.errors.read_text().splitlines()]
    said = [what for model, _, what in told if model == "acme/ears-one"]
    once = "(timeout); this is told once, and when it rests after 3 in a row"
    assert said[0] == once
    assert said.count(once) == 1
    assert said[1].startswith("(timeout); it rests for ")


def test_models_that_all_rest_are_told_so_and_when_to_come_back(serve):
    arena = serve([{"name": "acme/ears-one", "fail": "key"}, {"name": "zenith/listener-two", "fail": "key"}])
    anna = arena.voter()
    battle = anna.asked(text="Anybody?")
    assert (battle["state"], battle["a"], battle["b"]) == ("failed", "", "")
    assert b"key" not in b"".join(data for _, _, data, _ in anna.seen)
    status, said = words(anna.post("/battle", {"text": "Anybody now?"}))
    assert (status, "too few models answer" in said) == (503, True)
    told = arena.errors.read_text()  # whoever runs it is told which, and why; nothing of what was asked
    assert "Anybody" not in told
    assert "on purpose" not in told
    with sqlite3.connect(arena.url.removeprefix("sqlite:///")) as line:
        assert all("at Text(text='Anybody?')" in error for (error,) in line.execute("SELECT error FROM reply"))
    for name in ("acme/ears-one", "zenith/listener-two"):
        assert f"{name} does not answer (key); it rests for 30 s" in told
    assert 1 <= int(anna.headers["retry-after"]) <= 30
    assert words(anna.post("/vote", {"battle": battle["battle"], "outcome": "tie"}))[0] == 409


def test_who_asks_too_often_is_told_to_wait(serve):
    arena = serve(limits={"battles": 2, "address_battles": 3})
    anna, bert = arena.voter(), arena.voter()
    for n in range(2):
        assert anna.asked(text=f"Is it {n}?")["state"] == "ready"
    assert anna.asked(text="Is it 1?")["state"] == "ready"  # the same battle again is no new one
    status, said = words(anna.post("/battle", {"text": "Is it 3?"}))
    assert (status, said) == (429, "you have asked very often; wait a little")
    assert int(anna.headers["retry-after"]) > 1
    assert bert.asked(text="Is it?")["state"] == "ready"
    assert words(bert.post("/battle", {"text": "Is it so?"}))[0] == 429  # of the whole network


def test_battles_that_are_not_blind_are_set_apart_and_can_be_voted_on(serve):
    arena = serve([{"name": "acme/ears-one", "text": "I am Ears, made by Acme."}, {"name": "zenith/listener-two"}])
    anna = arena.voter()
    anna.voted(text="Was hört man denn in dieser Aufnahme?")
    anna.voted(text="Who are you?")
    with sqlite3.connect(arena.url.removeprefix("sqlite:///")) as line:
        assert sorted(line.execute("SELECT reason FROM apart")) == [("identity-asked",), ("identity-claim",)]
        assert ("de",) in line.execute("SELECT language FROM battle").fetchall()


def test_what_is_said_is_written_down_after_a_kill_too_and_a_spoken_question_who_answers_is_set_apart(serve, sounds):
    scribe = {"name": "acme/scribe", "text": "Who are you, and who made you?", "delay": 2.0}
    arena = serve([{"name": "acme/ears-one"}, {"name": "zenith/listener-two"}, scribe], transcriber="acme/scribe")
    anna = arena.voter()
    kept = recording(anna, sounds.coded(sounds.tone()))[1]
    battle = anna.asked(recording=kept["recording"])
    assert battle["state"] == "ready"
    arena.kill()
    arena.start(arena.port)
    anna.post("/vote", {"battle": battle["battle"], "outcome": "tie"})
    anna.post("/reveal", {"battle": battle["battle"]})
    with sqlite3.connect(arena.url.removeprefix("sqlite:///")) as line:
        said, end = ("Who are you, and who made you?", "en"), time.monotonic() + 60
        while line.execute("SELECT transcript, language FROM recording").fetchall() != [said]:
            assert time.monotonic() < end
            time.sleep(0.1)
        arena.stop()  # it finishes what is under way
        assert line.execute("SELECT language FROM battle").fetchall() == [("en",)]
        assert line.execute("SELECT reason FROM apart").fetchall() == [("identity-asked",)]
    arena.start(arena.port)
    assert anna.asked(recording=kept["recording"])["battle"] != battle["battle"]  # whose words are known already
    arena.stop()
    with sqlite3.connect(arena.url.removeprefix("sqlite:///")) as line:
        assert line.execute("SELECT reason FROM apart").fetchall() == [("identity-asked",)] * 2


def test_a_full_disk_is_no_fault_of_the_voter_and_nothing_is_half_kept(serve, sounds, tmp_path):
    arena = serve()
    anna = arena.voter()
    anna.post("/state")
    arena.audio.rmdir()
    arena.audio.write_text("where the folder should be")
    status, said = words(recording(anna, sounds.coded(sounds.tone())))
    assert (status, said.startswith("this arena cannot keep anything at the moment")) == (503, True)
    assert str(tmp_path) not in said
    end = time.monotonic() + 30
    while (found := anna.get("/health"))[0] != 503:
        assert time.monotonic() < end
        time.sleep(0.2)
    assert (found[1]["status"], found[1]["database"], found[1]["disk"]) == ("degraded", True, False)
    arena.audio.unlink()
    assert recording(anna, sounds.coded(sounds.tone()))[0] == 200


def test_many_who_send_at_once_have_so_much_memory_and_no_more():
    room = Room(10)
    with room.taken() as one:
        one(6)
        with room.taken() as other:
            other(4)
            with pytest.raises(LaterError, match="try again"):
                other(1)
        with room.taken() as third:
            third(4)  # what the refused one had sent is free again
    with room.taken() as all_of_it:
        all_of_it(10)
        with pytest.raises(LaterError, match="try again"):
            all_of_it(1)  # nor is more free than there was


def test_a_body_is_told_of_as_it_comes_and_may_be_refused():
    told, parts = [], [b"ab", b"cde", b"f"]

    async def receive():
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    def more(size):
        told.append(size)
        if sum(told) > 4:
            raise LaterError("later")

    with pytest.raises(LaterError):
        asyncio.run(body(Request({"type": "http", "method": "POST"}, receive), 100, 5, more))
    assert (told, parts) == ([2, 3], [b"f"])
