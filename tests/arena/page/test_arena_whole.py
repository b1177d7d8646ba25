"""The page before a real arena: a voice goes to two models, the vote counts, and the leaderboard moves."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = pytest.mark.browser

YES, NO = {"name": "acme/ears-one", "text": "Yes, it is."}, {"name": "zenith/listener-two", "text": "No, it is not."}
RAW = {"echo_cancellation": False, "noise_suppression": False, "auto_gain_control": False}
LENGTH = "() => document.querySelector('#length').textContent.includes('second')"
PLAYS = (
    "() => { const audio = document.querySelector('audio'); return audio.duration > 0.8 && audio.currentTime > 0.1; }"
)
READ_S = 1.2  # a vote that comes sooner is set apart


def vote(url, wanted):
    """Somebody new, who takes the answers that begin with these words, one vote after the other."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())

    def post(path, **body):
        asked = urllib.request.Request(url + path, json.dumps(body).encode())  # noqa: S310  of this machine
        with browser.open(asked) as answer:
            return json.load(answer)

    post("/state")
    for n, word in enumerate(wanted):
        battle = post("/battle", text=f"Is it {word} {n}?")
        while battle["state"] == "asking":
            with browser.open(f"{url}/battle/{battle['battle']}/wait") as answer:
                battle = json.load(answer)
        time.sleep(READ_S)
        post("/vote", battle=battle["battle"], outcome="model_a" if battle["a"].startswith(word) else "model_b")
        post("/reveal", battle=battle["battle"])


def votes(url, people, *wanted):
    """As many people as are given, at the same time."""
    with ThreadPoolExecutor(people) as pool:
        list(pool.map(lambda _: vote(url, wanted), range(people)))


@pytest.fixture
def arena(servers, tmp_path):
    """A real arena whose models say what they are told to: ``arena([YES, NO], vote={"tags": ["tone"]})``.

    It gives the address; ``arena.killed()`` ends it as a power cut would, and starts it again once that is called.
    """
    pids = []

    def start(models=(YES, NO), port=0, **settings):
        words = ["--db", f"sqlite:///{tmp_path / 'arena.db'}", "--models", json.dumps(models), "--port", port]
        served = servers.start("arena_server", [*words, "--settings", json.dumps(settings)], tmp_path / "stderr.txt")
        pids.append(served.pid)
        start.again = lambda: start(models, served.port, **settings)
        return f"http://127.0.0.1:{served.port}"

    def killed():
        os.kill(pids[-1], signal.SIGKILL)
        servers.stop(pids.pop())
        return start.again

    start.killed = killed
    yield start
    for pid in pids:
        servers.stop(pid)


def speak(page, at, ms=1200):
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    page.wait_for_timeout(ms)
    page.click("#stop")
    at(page, "listen")
    page.wait_for_function(LENGTH)


def ranked(page, first):
    """Wait until that model is first on the board."""
    for _ in range(60):
        page.reload()
        page.wait_for_selector("html[data-ready]")
        names = page.locator("table.chart tbody th").all_inner_texts()
        if names[:1] == [first]:
            return names
        page.wait_for_timeout(500)
    return pytest.fail(f"{first} never came first: {names}")


def test_a_voice_is_answered_and_names_are_told_after_the_vote(visit, arena, at, axe):
    url = arena(vote={"tags": ["tone", "detail"]})
    page = visit(url=url)
    names = ("acme", "zenith", "ears-one", "listener-two")
    seen = []
    page.on("response", lambda one: seen.append(one) if "/file/" not in one.url else None)
    speak(page, at)
    assert page.locator(".notes").inner_text() == ""  # neither silent nor clipped
    page.evaluate("() => document.querySelector('audio').play()")
    page.wait_for_function(PLAYS)
    page.reload()
    at(page, "listen")  # what the server kept of it
    page.evaluate("() => document.querySelector('audio').play()")
    page.wait_for_function(PLAYS)
    assert any(one.status == 206 for one in seen)  # by ranges
    seen.clear()
    page.click("#send")
    at(page, "replies")
    assert axe(page) == []
    texts = {side: page.locator(f"#answer-{side} .text").inner_text() for side in "ab"}
    assert sorted(texts.values()) == [NO["text"], YES["text"]]
    assert not any(name in page.content() for name in names)
    page.fill("#comment", "it is so")
    page.get_by_text("tone").click()
    page.click("#model_a" if texts["a"] == YES["text"] else "#model_b")
    at(page, "voted")
    told = [one.text() for one in seen if "/audio/" not in one.url]
    assert len(told) >= 3
    assert not any(name in text for text in told for name in names)
    page.click("#reveal")
    at(page, "revealed")
    for side in "ab":
        model = YES if texts[side] == YES["text"] else NO
        assert page.locator(f"#answer-{side} .who").inner_text() == model["name"]
        assert "whole answer after" in page.locator(f"#answer-{side}").inner_text()
    page.click("#next")
    at(page, "ready")
    assert page.said == []


@pytest.mark.slow
def test_the_leaderboard_moves(visit, arena, at, axe):
    url = arena(board_s=1, limits={"battles": 0})
    page = visit(url=url)
    votes(url, 3, "Yes", "No", "Yes")
    page.click('a[href="/board"]')
    at(page, "board")
    ranked(page, YES["name"])
    assert axe(page) == []
    votes(url, 4, "No", "No", "Yes", "No")
    assert ranked(page, NO["name"]) == [NO["name"], YES["name"]]
    assert page.said == []


@pytest.mark.slow
def test_silence_clipping_and_text_are_told_by_the_real_server(visit, hearing, arena, at, tmp_path):
    import numpy as np

    url = arena(recording=RAW)
    page = visit(url=url, browser=hearing(np.zeros(48_000)))
    at(page, "ready")
    page.click("#record")
    page.get_by_text("Nothing is heard so far").wait_for()
    page.click("#stop")
    page.wait_for_selector("#silent")
    (tmp_path / "text.wav").write_text("no sound at all")
    with page.expect_file_chooser() as chooser:
        page.click("#upload")
    chooser.value.set_files(tmp_path / "text.wav")
    page.wait_for_selector("#refused")
    loud = np.sign(np.sin(2 * np.pi * 220 * np.arange(48_000) / 48_000))
    speak(page := visit(url=url, browser=hearing(loud)), at)
    page.wait_for_selector("#clipped")


@pytest.mark.slow
def test_a_failed_battle_steps_and_deleted_data_with_the_real_server(visit, arena, at):
    slow = {**NO, "delay": 1.0}
    page = visit(url=arena([YES, slow], asking={"steps": True}, consent={"version": "1", "text": "You may leave."}))
    at(page, "consent")
    page.click("#consent-agree")
    at(page, "ready")
    page.click("#type")
    page.fill("#question", "Is it?")
    page.click("#send")
    at(page, "waiting")
    page.reload()
    at(page, "replies")
    assert {page.locator(f"#answer-{side} .text").inner_text() for side in "ab"} == {YES["text"], NO["text"]}
    page.click("#skip")
    at(page, "voted")
    other = page.context.new_page()
    other.goto(page.url)
    at(other, "voted")
    other.click("#reveal")
    at(other, "revealed")
    page.click("#tie")
    at(page, "revealed")
    assert page.locator("#problem .notice").inner_text()
    page.click("#data")
    page.click("#data-show")
    page.wait_for_selector("#data-code strong")
    page.click("#data-delete")
    page.click("#data-sure")
    page.wait_for_selector("#data-code:has-text('Deleted')")
    page.keyboard.press("Escape")
    at(page, "consent")


@pytest.mark.slow
def test_a_server_that_is_killed_while_one_waits_and_while_one_votes_loses_nothing(visit, arena, at):
    page = visit(url=arena([YES, {**NO, "delay": 3.0}]))
    speak(page, at)
    page.click("#send")
    at(page, "waiting")
    again = arena.killed()
    page.wait_for_selector("#lost:visible")
    again()
    at(page, "replies")
    page.fill("#comment", "it is so")
    again = arena.killed()
    page.click("#model_a")
    page.wait_for_selector("#again")
    again()
    page.click("#again")
    at(page, "voted")
    page.reload()
    at(page, "voted")
    assert page.locator("#comment").input_value() == "it is so"


@pytest.mark.slow
def test_two_models_that_fail_leave_a_way_on(visit, arena, at):
    page = visit(url=arena([{**YES, "fail": "server"}, NO], asking={"timeout_s": 1, "whole_s": 2}))
    at(page, "ready")
    page.click("#type")
    page.fill("#question", "Is it?")
    page.click("#send")
    at(page, "failed")
    page.click("#failed-again")
    at(page, "failed")
    assert page.locator("#model_a").count() == 0  # there is nothing to vote on
    page.click("#failed-new")
    at(page, "ready")


@pytest.mark.slow
def test_two_real_models_hear_a_voice_and_the_vote_is_kept(visit, url, at, tmp_path):
    """The whole of it as a person has it: the command, two recognisers on this machine, each kind of database."""
    pytest.importorskip("pocketsphinx")
    from audiometry.web import serve as server

    with server.listen(port=0) as free:
        port = free.getsockname()[1]
    models = "cascade/pocketsphinx,cascade/pocketsphinx?hears=words"
    command = [sys.executable, "-m", "audiometry", "arena", "serve", "--models", models, "--db", url, "--port", port]
    served = subprocess.Popen([str(word) for word in command], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.2)
        page = visit(url=address)
        page.set_default_timeout(60_000)
        speak(page, at, 3000)
        page.click("#send")
        at(page, "replies")
        assert all(page.locator(f"#answer-{side} .text").inner_text() for side in "ab")
        page.click("#tie")
        at(page, "voted")
        page.click("#reveal")
        at(page, "revealed")
        assert sorted(page.locator(".who").all_inner_texts()) == models.split(",")
    finally:
        served.terminate()
        said = served.communicate(timeout=60)[1]
    assert "every vote is kept" in said
    from audiometry.arena.store.store import Store

    store = Store.open(url, tmp_path / "audio")
    try:
        assert store.votes().votes.n == 1
    finally:
        store.close()
