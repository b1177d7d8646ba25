"""The page of a review as a server: who is answered, what is sent, what is kept."""

import hashlib
import io
import json
import re

import pytest
import soundfile

from audiometry.errors import StorageError
from audiometry.files.journal import Journal
from audiometry.web.app import FAILED


@pytest.fixture
def folder(make_benchmark):
    secret = {"meta": "recorded at noon", "tags": {"label": "hound"}, "source": "kennel"}
    return make_benchmark([{"id": f"hound-{n}", "answer": "dog", **secret} for n in range(6)])


@pytest.fixture
def port(begun, serving, folder):
    return serving(begun(folder), folder)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "192.168.1.7:{port}", "[::2]:80"])
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/file/review.js"), ("POST", "/next")])
def test_a_page_opened_from_another_host_is_refused(client, port, host, method, path):
    got = client(port, host=host.format(port=port) or " ").ask(method, path, b"" if method == "GET" else {})
    assert got.status == 403
    assert b"this machine alone" in got.data


@pytest.mark.parametrize("host", ["localhost:{port}", "127.0.0.1:{port}", "LOCALHOST", "[::1]:{port}"])
def test_this_machine_is_answered_under_its_own_names(client, port, host):
    assert client(port, host=host.format(port=port)).ask("GET", "/").status == 200


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"},
     {"Sec_Fetch_Site": "same-site"}, {"Origin": "http://127.0.0.1:1"}],
)  # fmt: skip
def test_what_another_sites_page_sends_is_not_taken(client, port, headers):
    anna = client(port, "anna")
    put = anna.next()
    sent = {"unit": put["unit"], "said": {"verdict": "approve"}}
    assert anna.post("answer", sent, **headers).status == 403
    assert anna.post("answer", sent, Origin=f"http://127.0.0.1:{port}", Sec_Fetch_Site="same-origin").status == 200


def test_all_that_is_sent_is_guarded(client, port):
    anna = client(port, "anna")
    put = anna.next()
    for path in ("/", "/file/page.css", "/file/none.js", put["clips"][0]["href"], "/who", "/nothing"):
        headers = anna.ask("GET", path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["server"] is None
        assert headers.get_all("cache-control")[0] in {"no-store", "no-cache", "private, max-age=3600"}


def test_the_page_loads_only_what_the_wheel_has(client, port):
    somebody = client(port)
    text = somebody.ask("GET", "/").data.decode()
    assert not re.search(r"https?://|<style|style=|\son\w+=", text)
    for path in re.findall(r'(?:src|href)="(/[^"]+)"', text):
        assert somebody.ask("GET", path).status == 200, path
    for path in ("/file/..%2f..%2freview.json", "/file/../page.py", "/docs", "/openapi.json", "/clip/none"):
        assert somebody.ask("GET", path).status in {401, 404}, path
    assert somebody.ask("GET", "/nowhere").data == b"There is no such page.\n"


def test_nobody_is_told_anything_before_they_have_come_in(client, port):
    somebody = client(port)
    for name in ("next", "answer", "undo"):
        assert somebody.post(name).status == 401
    href = client(port, "anna").next()["clips"][0]["href"]
    assert somebody.ask("GET", href).status == 401


def test_a_clip_comes_by_ranges_under_a_name_that_tells_nothing(client, port, folder):
    anna = client(port, "anna")
    href = anna.next()["clips"][0]["href"]
    assert re.fullmatch(r"/clip/[0-9a-f]{20}", href)
    whole = anna.ask("GET", href)
    assert whole.status == 200
    assert whole.headers["content-type"] == "audio/wav"
    digests = {hashlib.sha256(path.read_bytes()).digest() for path in (folder / "audio").iterdir()}
    assert hashlib.sha256(whole.data).digest() in digests
    part = anna.ask("GET", href, Range="bytes=10-19")
    assert (part.status, part.data) == (206, whole.data[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{len(whole.data)}"
    assert anna.ask("GET", href, Range="bytes=999999-").status == 416


def test_an_address_of_a_clip_cannot_be_made_of_its_name(client, begun, serving, folder, tmp_path):
    hrefs = set()
    for name in ("a", "b"):
        anna = client(serving(begun(folder, to=tmp_path / name), folder), "anna")
        hrefs.add(anna.next()["clips"][0]["href"])
    assert len(hrefs) == 2  # of the same item


def test_a_clip_that_is_gone_is_not_there(client, port, folder):
    anna = client(port, "anna")
    assert anna.post("undo").json["unit"] == anna.next()["unit"]  # nothing to take back
    href = anna.next()["clips"][0]["href"]
    for path in (folder / "audio").iterdir():
        path.unlink()
    assert anna.ask("GET", href).status == 404


def test_what_is_sent_has_a_bound(client, port):
    got = client(port, "anna").post("answer", b'{"unit": "' + b"x" * (1 << 20) + b'"}')
    assert got.status == 400
    assert "more than 1,048,576 bytes were sent" in got.json["error"]


def test_what_browsers_do_not_play_is_served_as_wav(client, begun, serving, make_benchmark):
    folder = make_benchmark([{"id": "a", "file_name": "audio/a.aiff"}])
    out = io.BytesIO()
    soundfile.write(out, [[0.5], [-0.5]] * 400, 8000, format="AIFF")
    (folder / "audio" / "a.aiff").write_bytes(out.getvalue())
    anna = client(serving(begun(folder), folder), "anna")
    (clip,) = anna.next()["clips"]
    assert clip["type"] == "audio/wav"
    samples, rate = soundfile.read(io.BytesIO(anna.ask("GET", clip["href"]).data))
    assert (len(samples), rate) == (800, 8000)


def test_a_clip_that_is_broken_is_said_to_be_and_the_item_can_be_judged(client, begun, serving, make_benchmark):
    name = "audio/gold\u202eDOG.wav"
    folder = make_benchmark([{"id": "a", "file_name": name}])
    (folder / name).write_bytes(b"not audio at all, but long enough to be read as something")
    review = begun(folder)
    anna = client(serving(review, folder), "anna")
    put = anna.next()
    assert "audio" in put["clips"][0]["problem"]
    assert "DOG" not in json.dumps(put)
    assert str(folder) not in json.dumps(put)
    anna.say(put, verdict="reject", reason="clip")
    assert [line.code for line in review.ratings()] == ["reject"]


def test_a_rater_is_sent_no_more_than_the_form_has(client, port):
    sent = json.dumps(client(port, "anna").next())
    assert "hound" not in sent
    assert "kennel" not in sent
    assert "/audio/" not in sent


def test_a_page_sent_twice_two_reviewers_and_a_reload(client, begun, serving, folder):
    review = begun(folder)
    port = serving(review, folder)
    anna, ben = client(port, "anna"), client(port, "ben")
    first, second = anna.next(), ben.next()
    assert first["unit"] != second["unit"]
    assert anna.next()["unit"] == first["unit"]
    one = anna.say(first, verdict="approve")
    again = anna.say(first, verdict="approve")
    assert one.json["unit"] == again.json["unit"] != first["unit"]
    assert "load the page again" in ben.say(first, verdict="reject", reason="clip").json["error"]  # it was not Ben's
    ben.say(second, verdict="reject", reason="clip")
    assert {(line.rater, line.code) for line in review.ratings()} == {("anna", "approve"), ("ben", "reject")}
    assert len((folder / "review" / "answers.jsonl").read_text().splitlines()) == 2
    back = anna.post("undo").json
    assert (back["unit"], back["said"]) == (first["unit"], {"verdict": "approve"})
    assert back["progress"]["mine"] == 0
    assert client(port, "anna").next()["unit"] == first["unit"]  # in another browser too


def test_a_rater_reads_their_own_answers_and_changes_one(client, begun, serving, folder):
    review = begun(folder)
    anna = client(serving(review, folder), "anna")
    first = anna.next()
    assert anna.post("mine").json == {"answers": []}
    assert "you have said nothing of it" in anna.post("open", {"unit": first["unit"]}).json["error"]
    anna.say(first, verdict="reject", reason="clip", note="hum")
    (own,) = anna.post("mine").json["answers"]
    said = ["Reject", "The clip is broken, or nothing can be heard", "Note (optional): hum"]
    assert (own["unit"], own["said"]) == (first["unit"], said)
    put = anna.post("open", {"unit": own["unit"]}).json
    assert put["kept"]
    assert put["said"] == {"verdict": "reject", "reason": "clip", "note": "hum"}
    before = anna.next()
    assert anna.say(put, verdict="approve").json["unit"] == before["unit"]
    assert [line.code for line in review.ratings()] == ["approve"]
    assert client(anna.port, "ben").post("open", {"unit": own["unit"]}).status == 400  # it is hers


def test_who_closes_the_page_lets_go_of_what_was_on_it(client, begun, serving, make_benchmark):
    folder = make_benchmark(1)
    port = serving(begun(folder), folder)
    anna, ben = client(port, "anna"), client(port, "ben")
    put = anna.next()
    assert "unit" not in ben.next()
    assert anna.post("begin", {"unit": put["unit"]}).json == {}
    assert anna.post("leave", {"visit": put["visit"]}).json == {}
    assert "unit" in ben.next()


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{", 400), (b"[]", 400), (b"\xff", 400), (b'{"unit": 3}', 400), (b'{"unit": "x", "said": {}}', 400),
     (b'{"unit": "x", "said": {"verdict": {"a": 1}}}', 400), (b'{"said": "' + b"x" * (1 << 20) + b'"}', 400)],
)  # fmt: skip
def test_what_is_no_answer_is_one_line(client, port, body, status):
    got = client(port, "anna").post("answer", body)
    assert got.status == status
    assert got.json["error"]
    assert "\n" not in got.json["error"]
    assert len(got.json["error"]) < 500


def test_a_full_disk_is_one_line_and_what_was_said_before_stays(client, begun, serving, folder, monkeypatch):
    review = begun(folder)
    anna = client(serving(review, folder), "anna")
    anna.say(anna.next(), verdict="approve")
    put = anna.next()

    def full(*_):
        raise StorageError("cannot write reviews/prefer-a-model/answers.jsonl: No space left on device")

    monkeypatch.setattr(Journal, "append", full)
    got = anna.say(put, verdict="approve")
    assert (got.status, got.json["error"]) == (
        500,
        FAILED,
    )  # a path tells of models
    assert "No space left" in serving.heard[-1]
    monkeypatch.undo()
    assert anna.next()["unit"] == put["unit"]
    assert anna.say(put, verdict="approve").status == 200
    assert len(review.answers()) == 2


def test_a_link_lets_its_rater_in_from_elsewhere_and_a_name_does_not(client, begun, serving, folder):
    from audiometry.web.door import hashed, token

    mine = token()
    review = begun(folder)
    port = serving(review, folder, {hashed(mine): "anna"})
    far = client(port, host="reviews.example:8765")
    assert far.ask("GET", "/").status == 200
    assert far.post("enter", {"name": "anna"}).status == 401
    assert far.ask("GET", "/link/" + token()).status == 403
    assert far.post("next").status == 401
    let_in = far.ask("GET", "/link/" + mine)
    assert (let_in.status, let_in.headers["location"]) == (303, "/")
    cookie = let_in.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert far.next()["rater"] == "anna"
    assert far.post("undo", {}, Origin="https://evil.example").status == 403
