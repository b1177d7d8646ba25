"""The way into a page with a study around it: forged, foreign, doubled and broken requests come to nothing."""

import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from audiometry.errors import StorageError, UsageError
from audiometry.web.app import FAILED
from audiometry.web.study import pages
from audiometry.web.study.flow import Done
from audiometry.web.study.study import Study


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/"), ("POST", "/next"), ("POST", "/answer"), ("GET", "/clip/0"), ("GET", "/who")]
)
def test_nobody_passes_before_it_is_their_turn(inside, visitor, method, path):
    found = inside(n=2)
    anna = visitor(found.port)

    def refused():
        got = anna.ask(method, path, {} if method == "POST" else None)
        if path == "/":
            assert (got.status, got.headers["location"]) == (303, "/study")
        else:
            assert (got.status, got.json["study"]) == (403, "/study")
        seen = anna.ask("GET", path, Accept="text/html,*/*")  # by a person, to whom JSON says nothing
        assert (seen.status, seen.headers["location"]) == (303, "/study")
        return True

    assert refused()
    anna.pid = "anna"
    anna.come()
    for name, said in (
        ("consent", {"version": "1", "agreed": True}), ("screening", {"answers": {"hearing": "Yes"}}),
        ("demographics", {"answers": {}}), ("instructions", {}),
    ):  # fmt: skip
        assert refused()
        assert anna.at() == name
        anna.say(name, **said)
    assert anna.ask("GET", "/").status == 200
    assert anna.work()["step"] == "complete"
    assert refused()


def test_all_that_is_sent_is_guarded_and_the_files_are_the_wheels(inside, visitor):
    somebody = visitor(inside().port)
    page = somebody.ask("GET", "/study")
    text = page.data.decode()
    assert not re.search(r"https?://|<style|style=|\son\w+=", text)
    paths = re.findall(r'(?:src|href)="(/[^"]+)"', text)
    for path in (*paths, "/study/file/words.js", "/study/file/none.js", "/study/nothing", "/study/file/..%2fpages.py"):
        got = somebody.ask("GET", path)
        assert got.status == (200 if path in {*paths, "/study/file/words.js"} else 404), path
        assert got.headers["referrer-policy"] == "no-referrer"
        assert "default-src 'self'" in got.headers["content-security-policy"]
        assert b"C-" not in got.data  # no code in what anybody may load
    assert somebody.ask("GET", "/study/step").status == 405
    assert somebody.ask("POST", "/study/step", {}, Origin="https://evil.example").status == 403
    assert somebody.ask("GET", "/study", Host="evil.example").status == 403


@pytest.mark.parametrize("pid", ["<script>alert(1)</script>", "a'; DROP TABLE study; --", "", "x" * 5000, "\u202eanna"])
def test_a_link_that_names_nobody_leaves_the_address_bar_and_whoever_sat_there(inside, visitor, pid):
    found = inside()
    anna = visitor(found.port, "anna")
    anna.pid, before = pid, anna.cookie
    anna.cookie = before
    got = anna.ask("GET", f"/?PROLIFIC_PID={'%3Cscript%3E' if '<' in pid else '%20'}")
    assert (got.status, got.headers["location"]) == (303, "/study#nobody")
    assert "max-age=0" in got.headers["set-cookie"].lower()
    got = anna.come()
    assert (got.status, got.headers["location"]) == (303, "/study#nobody")
    assert len(found.study.everybody()) == 1


def test_a_link_of_another_study_is_told_so(inside, visitor, spec):
    own = msgspec.structs.replace(spec().recruitment, studies=("ours",))
    found = inside(said=msgspec.structs.replace(spec(), recruitment=own))
    assert visitor(found.port, "anna", STUDY_ID="theirs").came.headers["location"] == "/study#another"
    assert visitor(found.port, "anna", STUDY_ID="ours").came.headers["location"] == "/study"


@pytest.mark.parametrize("token", ["", "forged", "'; --", "é", "a" * 4000, "p0123456789"])
def test_a_forged_cookie_is_nobodys(inside, visitor, token):
    found = inside()
    anna = visitor(found.port, "anna")
    name = anna.cookie.partition("=")[0]
    anna.cookie = f"{name}={token}".encode().decode("latin-1")
    assert anna.ask("POST", "/study/step", {}).status == 401
    assert anna.ask("POST", "/next", {}).status == 403


def test_a_participant_of_another_study_is_nobody_here(inside, visitor, spec, tmp_path, clock):
    found = inside()
    other = Study.open(msgspec.structs.replace(spec(), name="fish"), f"sqlite:///{tmp_path}/study.db", clock)
    token = other.arrive({"PROLIFIC_PID": "anna"})
    other.close()
    anna = visitor(found.port)
    anna.cookie = f"audiometry-study-birds={token}"
    assert anna.ask("POST", "/study/step", {}).status == 401


def test_two_tabs_and_doubled_forms_count_once(inside, visitor):
    found = inside(8, n=2)
    anna = visitor(found.port, "anna")
    shown = anna.say("step")
    for _ in range(2):
        anna.say("consent", version="1", agreed=True)
        assert shown["step"] != anna.at()
    anna.say("consent", version="1", agreed=False)  # of a tab that was open before
    assert anna.through()["step"] == "work"
    tabs = [visitor(found.port) for _ in range(6)]
    for tab in tabs:
        tab.cookie = anna.cookie
    puts = [tab.ask("POST", "/next", {}).json for tab in tabs]
    units = [*{put["unit"]: put for put in puts}.values()]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda tab: tab.answer(units[0]), tabs))
    shown = anna.work(until=1) if anna.at() == "check" else anna.say("step")
    assert shown["done"] == 1
    while anna.at() == "check":
        anna.work(until=1)
    puts = []
    for tab in tabs[:4]:  # each tab another unit, and only one is left to be answered
        puts.append(tab.ask("POST", "/next", {}).json)
        assert tab.ask("POST", "/later", {}).status == 200
    assert len({put["unit"] for put in puts}) == 4
    with ThreadPoolExecutor(4) as pool:
        ends = [got.status for got in pool.map(lambda tab, put: tab.answer(put), tabs, puts)]
    assert sorted(ends) == [200, 403, 403, 403]
    assert anna.say("step")["code"] == "C-COMPLETE"
    assert found.desk.answers.count(found.study.everybody()[0].person.number) == 2


def test_an_answer_after_the_last_one_or_taken_back_is_not_taken(inside, visitor):
    found = inside(n=2)
    anna = visitor(found.port, "anna")
    anna.through()
    put = anna.ask("POST", "/next", {}).json
    anna.work()
    for name, said in (("answer", {"unit": put["unit"], "said": {"verdict": "reject"}}), ("undo", {}), ("mine", {})):
        assert anna.ask("POST", f"/{name}", said).status == 403
    assert found.desk.answers.count(found.study.everybody()[0].person.number) == 2


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\xff", b'{"version": 1, "agreed": true}', b'{"version": "1"}', b"x" * (1 << 21)]
)
def test_what_is_no_form_is_one_line_and_changes_nothing(inside, visitor, body):
    found = inside()
    anna = visitor(found.port, "anna")
    got = anna.ask("POST", "/study/consent", body)
    assert got.status == 400
    assert "\n" not in got.json["error"]
    assert anna.at() == "consent"


def test_who_withdraws_has_all_taken_back_and_is_paid_for_what_they_did(inside, visitor):
    found = inside(n=4)
    anna = visitor(found.port, "anna")
    anna.through(age="Under 30")
    while anna.say("step").get("done", 0) < 2:
        anna.work(until=1)
    number = found.study.everybody()[0].person.number
    assert found.desk.answers.count(number) == 2
    assert anna.say("withdraw")["step"] == "withdrawn"
    (paid,) = found.study.everybody()
    assert (paid.person.done, paid.person.demographics, found.desk.answers.count(number)) == (2, None, 0)
    assert found.review.ratings() == []
    assert found.review.folder.answers_path.read_text().count(number) == 0


def test_a_disk_that_refuses_shows_no_code_and_all_goes_on_when_it_is_back(inside, visitor, monkeypatch):
    found = inside(n=2)
    anna = visitor(found.port, "anna")
    anna.through()
    while (shown := anna.say("step")).get("done", 0) < 1 or shown["step"] == "check":
        anna.work(until=1)

    def full(*_, **__):
        raise StorageError("the disk is full")

    monkeypatch.setattr(Study, "_leave", full)
    anna.answer()
    for path, status in (("/study/step", 500), ("/next", 503)):
        got = anna.ask("POST", path, {})
        assert (got.status, got.json["error"]) == (status, FAILED)
    assert "C-COMPLETE" not in json.dumps([str(data) for _, data, _ in anna.heard])
    monkeypatch.undo()
    assert anna.say("step")["code"] == "C-COMPLETE"


def test_who_had_done_all_before_the_server_died_is_complete_before_anybody_is_let_in(inside, visitor, clock):
    found = inside(participants=1, n=2)
    study, desk = found.study, found.desk
    number = study.who(study.arrive({"PROLIFIC_PID": "anna"}))
    study.consent(number, "1", agreed=True, done=Done(0))
    study.screen(number, {"hearing": "Yes"}, Done(0))
    study.describe(number, {}, Done(0))
    study.begin(number, Done(0))
    for check, chosen in enumerate(("Rather not", "Blue")):
        study.check(number, check, chosen, Done(1))
    for _ in range(2):
        desk.put(number, desk.next(number).key, {"verdict": "approve"})
    clock.minutes(600)  # her place has run out, and is hers
    assert visitor(found.port, "ben").at() == "quota_full"
    assert visitor(found.port, "anna").say("step")["code"] == "C-COMPLETE"


def test_a_database_that_does_not_answer_is_asked_again_and_nothing_is_lost(inside, visitor, monkeypatch):
    found = inside(n=2)
    anna = visitor(found.port, "anna")
    anna.through()
    put = anna.ask("POST", "/next", {}).json

    def gone(*_, **__):
        raise StorageError("sqlite:///secret/place does not answer")

    monkeypatch.setattr(Study, "look", gone)
    for got in (anna.answer(put), anna.ask("GET", "/"), anna.ask("POST", "/next", {})):
        assert (got.status, got.headers["retry-after"], got.json["error"]) == (503, "2", FAILED)
        assert b"secret" not in got.data
    monkeypatch.undo()
    assert anna.answer(put).status == 200


def test_ids_leave_the_address_bar_and_are_in_no_answer_of_the_server(inside, visitor):
    found = inside(n=2)
    anna = visitor(found.port, "5f2222222222222222222222")
    assert (anna.came.status, anna.came.headers["location"]) == (303, "/study")
    assert anna.came.headers["referrer-policy"] == "no-referrer"
    cookie = anna.came.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie
    behind = anna.ask("GET", "/?PROLIFIC_PID=b", X_Forwarded_Proto="https")
    assert "secure" in behind.headers["set-cookie"].lower()
    anna.come()
    anna.through()
    shown = anna.work()
    assert shown["return_to"] == "https://app.prolific.com/submissions/complete?cc=C-COMPLETE"
    for path, data, headers in anna.heard[1:]:
        assert anna.pid.encode() not in data, path
        assert anna.pid not in str(headers)
    assert anna.pid not in str(anna.heard[0][2])


def test_a_study_asks_no_more_than_there_is(inside, spec):
    with pytest.raises(UsageError, match="of 2 items; set n lower"):
        inside(2, n=3)
    with pytest.raises(UsageError, match="votes_per_pair is of an arena"):
        inside(6, said=msgspec.structs.replace(spec(), votes_per_pair=500))


def test_where_nothing_is_left_the_last_one_is_complete_with_less(inside, visitor):
    found = inside(3, n=3, raters=1, participants=5)
    anna, ben = visitor(found.port, "anna"), visitor(found.port, "ben")
    anna.through()
    ben.through()
    while anna.say("step").get("done", 0) < 2:
        anna.work(until=1)
    assert ben.work()["step"] == "complete"  # of one
    assert anna.work()["step"] == "complete"
    assert visitor(found.port, "cara").through()["step"] == "quota_full"
    done = {one.id: one.person.done for one in found.study.everybody()}
    assert done["anna"] + done["ben"] == 3


def test_another_language_is_one_file_and_one_that_is_not_there_is_said(inside, visitor, spec, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="unknown language of the study's pages 'fr'; known: en"):
        inside(said=msgspec.structs.replace(spec(), language="fr"))
    shutil.copytree(pages.STATIC, tmp_path / "static")
    german = (pages.STATIC / "words.en.js").read_text().replace("Before you begin", "Bevor es losgeht")
    (tmp_path / "static" / "words.de.js").write_text(german)
    monkeypatch.setattr(pages, "STATIC", tmp_path / "static")
    found = inside(said=msgspec.structs.replace(spec(), language="de"))
    assert "Bevor es losgeht" in visitor(found.port).ask("GET", "/study/file/words.js").data.decode()
