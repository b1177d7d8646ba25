"""The page of a review in a real browser: a clip that plays, keys, reloads, both themes, every width."""

import io
import re

import numpy as np
import pytest
import soundfile

from audiometry.cli import reviewing

pytestmark = pytest.mark.browser

EVIL = "<img src=x onerror='window.pwned = 1'>\u202e</script>" + "w" * 300
PLAYING = "() => { const a = document.querySelector('audio'); return !a.paused && a.currentTime > 0.05; }"
DRAWN = "() => document.querySelector('.player')?.dataset.state === 'drawn'"
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
FIELD = "() => document.activeElement.id"


def tone(hertz=440, seconds=20.0):
    out = io.BytesIO()
    soundfile.write(out, np.sin(2 * np.pi * hertz * np.arange(int(seconds * 8000)) / 8000) / 2, 8000, format="WAV")
    return out.getvalue()


@pytest.fixture
def folder(make_benchmark):
    made = make_benchmark([{"id": f"i{n}", "answer": "dog", "file_name": f"audio/{n // 2}.wav"} for n in range(4)])
    for n in range(2):
        (made / "audio" / f"{n}.wav").write_bytes(tone(400 + 200 * n))
    return made


def settle(page):
    """Wait until keys are heard again after a unit appeared."""
    page.wait_for_timeout(400)


def left(page):
    return page.locator("#far").inner_text()


def test_a_clip_is_heard_seen_and_judged_by_keys_alone(visit, folder, axe):
    page, review = visit(folder)
    page.wait_for_function(DRAWN)
    assert axe(page) == []
    page.keyboard.press(" ")
    page.wait_for_function(PLAYING)
    before = page.evaluate("() => parseFloat(document.querySelector('.cursor').style.left)")
    page.wait_for_function(f"() => parseFloat(document.querySelector('.cursor').style.left) > {before}")  # keeps step
    settle(page)
    page.keyboard.press("r")
    page.keyboard.press("2")
    page.keyboard.press("Tab")
    assert page.evaluate(PLAYING)  # to answer is not to rewind
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('1 of 4')")
    (answer,) = review.answers()
    assert answer.said == {"verdict": "reject", "reason": "wrong-answer"}
    assert 0 < answer.seconds < 60
    settle(page)
    page.keyboard.press("a")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('2 of 4')")
    page.keyboard.press("u")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('1 of 4')")
    assert page.locator("input[value=approve]").is_checked()
    assert page.said == []


def test_keys_stay_alive_after_clicks_on_the_player_and_are_silent_where_one_writes(visit, folder):
    page, review = visit(folder)
    page.wait_for_function(DRAWN)
    settle(page)
    width = page.locator("audio").bounding_box()["width"]
    for x, key, verdict in ((20, "r", "reject"), (250, "m", "mend"), (width - 58, "r", "reject")):  # play, bar, mute
        page.locator("audio").click(position={"x": x, "y": 20})
        page.keyboard.press(key)  # which the player's own buttons would let nobody else hear
        assert page.locator(f"input[value={verdict}]").is_checked()
        page.keyboard.press("Escape")
    page.wait_for_function("() => { const a = document.querySelector('audio'); return a.muted && !a.paused; }")
    page.keyboard.press("p")
    page.wait_for_function("() => document.querySelector('audio').paused")
    page.locator(".seek").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
        assert page.evaluate("() => document.activeElement.tagName") != "AUDIO"
    page.locator(".seek").click()
    for key, speed in (("s", 1.25), ("s", 1.5)):
        page.keyboard.press(key)
        assert page.evaluate("() => document.querySelector('audio').playbackRate") == speed
    assert "1.5×" in page.locator("#speed").inner_text()
    page.keyboard.press("m")
    page.locator("#note").fill("")
    page.keyboard.type("a rap sum?")
    assert page.locator("#note").input_value() == "a rap sum?"
    assert len(review.answers()) == 0
    assert page.locator("input[value=mend]").is_checked()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert "Approve" in page.locator("dialog").inner_text()  # its key too
    page.keyboard.press("a")
    page.keyboard.press("?")
    page.wait_for_selector("dialog", state="detached")
    assert len(review.answers()) == 0


def test_the_player_is_zoomed_looped_and_plays_by_itself_where_one_wants_it(visit, make_benchmark):
    folder = make_benchmark(2)
    for path in (folder / "audio").iterdir():
        path.write_bytes(tone())
    page, _ = visit(folder)
    page.wait_for_function(DRAWN)
    settle(page)
    assert page.evaluate("() => document.querySelector('audio').paused")  # not unless one wants it
    for key in ("+", "=", "-", "+"):
        page.keyboard.press(key)
    assert page.locator(".wide").inner_text() == "4×"
    page.evaluate("() => { document.querySelector('audio').currentTime = 2; }")
    page.keyboard.press("[")
    page.evaluate("() => { document.querySelector('audio').currentTime = 2.5; }")
    page.keyboard.press(">")
    assert page.locator(".ends").inner_text() == "2.00 to 2.50 s"
    page.keyboard.press("Escape")
    assert page.locator(".ends").inner_text() == ""
    page.click("#autoplay")
    assert page.locator("#autoplay").get_attribute("aria-pressed") == "true"
    page.reload()
    page.wait_for_selector(".unit")
    assert page.locator("#autoplay").get_attribute("aria-pressed") == "true"
    heard = page.evaluate("() => document.querySelector('audio').src")
    page.wait_for_function(PLAYING)
    settle(page)
    page.keyboard.press("r")
    page.keyboard.press("1")
    assert page.evaluate(PLAYING)  # to answer is not to rewind
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => document.querySelector('audio').src !== '{heard}'")
    page.wait_for_function(PLAYING)
    page.click("#autoplay")
    assert page.evaluate("() => localStorage.getItem('audiometry-autoplay')") is None


def test_what_is_written_is_neither_sent_by_approving_nor_lost(visit, folder):
    page, review = visit(folder)
    settle(page)
    page.keyboard.press("m")
    assert page.evaluate(FIELD) == "question"
    page.fill("#question", "Which animal?")
    page.fill("#option-1", "a wolf")
    assert "a wolf" in page.locator("fieldset", has_text="Which is right?").inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.wait_for_selector("#problem .notice")
    assert len(review.answers()) == 0
    page.keyboard.press("m")
    assert page.locator("#problem .notice").count() == 0
    assert page.locator("#question").input_value() == "Which animal?"
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('1 of 4')")
    page.keyboard.press("u")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('0 of 4')")
    settle(page)
    page.keyboard.press("m")
    assert page.locator("#question").input_value() == "Which animal?"
    page.locator("#option-1").press("Enter")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('1 of 4')")
    assert [answer.said["option-1"] for answer in review.answers()] == ["a wolf"]


@pytest.mark.slow
def test_what_is_left_for_later_keeps_what_is_half_said(visit, make_benchmark):
    page, review = visit(make_benchmark([{"id": one, "question": f"{one}?"} for one in ("i0", "i1")]))
    settle(page)
    unit = page.locator("h1").inner_text()
    page.keyboard.press("m")
    page.fill("#note", "a wolf?")
    page.keyboard.press("Escape")
    page.keyboard.press(".")
    page.wait_for_function("(before) => document.querySelector('h1').innerText !== before", arg=unit)
    settle(page)
    page.keyboard.press("a")
    page.wait_for_function("(before) => document.querySelector('h1').innerText === before", arg=unit)
    assert page.locator("#note").input_value() == "a wolf?"
    assert len(review.answers()) == 1


@pytest.mark.slow
def test_own_answers_are_read_again_and_changed_by_keys(visit, folder, axe):
    page, review = visit(folder)
    settle(page)
    page.keyboard.press("a")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('1 of 4')")
    page.keyboard.press(",")
    page.wait_for_selector("dialog[open] .own button:focus")
    assert "Approve" in page.locator(".own li").inner_text()
    assert axe(page) == []
    page.keyboard.press(",")
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press(",")
    page.wait_for_selector("dialog[open] .own button:focus")
    page.keyboard.press("Enter")
    page.wait_for_selector("#kept")
    assert page.locator("input[value=approve]").is_checked()
    assert page.locator("#later").inner_text().startswith("Back")
    settle(page)
    page.keyboard.press("r")
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.wait_for_selector("#kept", state="detached")
    (answer,) = review.answers()
    assert answer.said == {"verdict": "reject", "reason": "several-right"}
    page.click("#mine")
    page.locator(".own button").click()
    page.wait_for_selector("#kept")
    page.keyboard.press(".")
    page.wait_for_selector("#kept", state="detached")
    assert review.answers().count("anna") == 1


def test_a_page_that_is_closed_without_a_word_lets_others_have_its_item(visit, make_benchmark, client):
    page, _ = visit(make_benchmark(1))
    ben = client(int(page.url.rpartition(":")[2].strip("/")), "ben")
    assert "unit" not in ben.next()
    page.reload()
    page.wait_for_selector(".unit")
    assert "unit" not in ben.next()  # it is hers again
    settle(page)
    page.keyboard.press("m")
    page.goto("about:blank")
    assert "unit" not in ben.next()  # half said
    page.go_back()
    page.wait_for_selector(".unit")
    page.evaluate("() => localStorage.clear()")
    page.goto("about:blank")
    for _ in range(50):
        if "unit" in ben.next():
            break
        page.wait_for_timeout(20)
    else:
        pytest.fail("it is still hers")


def test_what_is_missing_is_named_and_gets_the_focus(visit, folder):
    page, _ = visit(folder)
    settle(page)
    page.keyboard.press("r")
    page.keyboard.press("Enter")
    assert page.locator("#problem").inner_text().strip() == "Still to be answered: Why?"
    assert page.evaluate(FIELD) == "reason-0"
    page.keyboard.press("3")
    assert page.locator("#problem").inner_text() == ""


@pytest.mark.slow
def test_arrows_choose_and_the_same_key_sends_again_after_undo(visit, folder, make_run, tmp_path):
    run = make_run(folder, {f"i{n}": "a dog" for n in range(4)}, model="lab/a")
    review, _ = reviewing.opened((str(run),), "score", output=tmp_path / "kept", sample=3, raters=2, seed=None)
    page, _ = visit(folder, review=review)
    settle(page)
    page.locator("#score-0").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert page.locator("#score-2").is_checked()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#far').textContent.includes('1 by you, 2 left')")
    (answer,) = review.answers()
    assert answer.said == {"score": "3"}
    assert page.evaluate("() => document.querySelector('progress').position") == pytest.approx(1 / 3)  # of one's own
    for key, by in (("4", 2), ("u", 1), ("4", 2)):
        settle(page)
        page.keyboard.press(key)
        page.wait_for_function(f"() => document.querySelector('#far').textContent.includes('{by} by you')")


def test_undo_keeps_its_key_where_there_are_more_options_than_twenty(visit, make_benchmark, make_run, tmp_path):
    many = [f"label {n}" for n in range(22)]
    folder = make_benchmark([{"id": f"i{n}", "options": many, "answer": "label 3"} for n in range(2)])
    run = make_run(folder, {"i0": "label 20", "i1": "label 20"}, model="lab/a")
    review, _ = reviewing.opened((str(run),), "align", output=tmp_path / "kept", sample=2, raters=1, seed=None)
    page, _ = visit(folder, review=review)
    settle(page)
    page.keyboard.press("v")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('1 of 2')")
    settle(page)
    page.keyboard.press("u")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('0 of 2')")


def test_what_is_half_said_outlives_a_reload_and_the_server(visit, folder, begun, serving, browser):
    page, review = visit(folder)
    unit = page.locator("h1").inner_text()
    page.keyboard.press("m")
    settle(page)
    page.keyboard.press("m")
    page.fill("#question", "Which animal?")
    page.fill("#note", "clearer")
    page.reload()
    page.wait_for_selector(".unit")
    assert page.locator("h1").inner_text() == unit
    assert page.locator("#question").input_value() == "Which animal?"
    page.route("**/answer", lambda route: route.abort())
    page.click("#send")
    page.wait_for_selector("#problem .notice")
    assert "kept in this browser" in page.locator("#problem").inner_text()
    page.unroute("**/answer")
    page.locator("#problem button").click()
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('1 of 4')")
    (answer,) = review.answers()
    assert answer.said["question"] == "Which animal?"
    assert answer.said["note"] == "clearer"
    assert page.evaluate("() => localStorage.length") == 0


def test_it_says_who_one_is_and_lets_another_come(visit, folder):
    page, review = visit(folder)
    assert page.locator(".me").inner_text().startswith("anna")
    page.click("#other")
    page.fill("#name", "ben")
    page.keyboard.press("Enter")
    page.wait_for_selector(".unit")
    assert page.locator(".me").inner_text().startswith("ben")
    settle(page)
    page.keyboard.press("a")
    page.wait_for_function("() => document.querySelector('#far').textContent.includes('1 by you')")
    assert review.answers().raters == ["ben"]


def test_options_that_are_times_are_played_as_ranges(visit, make_benchmark):
    folder = make_benchmark([{"id": "i0", "file_name": "audio/0.wav", "options": ["[0.50, 1.00]", "[2.00, 2.50]"]}])
    (folder / "audio" / "0.wav").write_bytes(tone(seconds=4))
    page, _ = visit(folder, width=640)
    page.locator(".band", has_text="B").click()
    page.wait_for_function(PLAYING)
    assert 2 <= page.evaluate("() => document.querySelector('audio').currentTime") < 2.6
    page.set_viewport_size({"width": 640, "height": 360})  # 1280 px at 200 %
    page.reload()
    page.wait_for_selector(".band")
    assert page.locator(".unit").bounding_box()["y"] < 20  # past the bar


def test_pressed_twice_is_meant_for_what_was_seen(visit, folder):
    page, review = visit(folder)
    settle(page)
    page.evaluate("() => { const at = performance.now(); performance.now = () => at; }")
    page.keyboard.press("a")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('1 of 4')")
    page.keyboard.press("a")  # at once: the next item has not been read
    page.evaluate("() => { const at = performance.now(); performance.now = () => at + 1000; }")
    assert len(review.answers()) == 1
    page.keyboard.press("a")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('2 of 4')")


def test_a_clip_that_the_next_item_shares_plays_on(visit, make_benchmark):
    folder = make_benchmark([{"id": f"i{n}", "file_name": "audio/0.wav"} for n in range(2)])
    (folder / "audio" / "0.wav").write_bytes(tone())
    page, _ = visit(folder)
    page.wait_for_function(DRAWN)
    page.keyboard.press("p")
    page.wait_for_function(PLAYING)
    settle(page)
    page.keyboard.press("a")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('1 of 2')")
    assert page.evaluate(PLAYING)


def test_the_end_says_so_and_looks_again(visit, folder, client):
    page, _ = visit(folder)
    port = int(page.url.rpartition(":")[2].strip("/"))
    ben = client(port, "ben")
    while "unit" in (put := ben.next()):
        ben.say(put, verdict="approve")
    settle(page)
    page.keyboard.press("a")
    page.wait_for_selector("h1:text('Nothing is left for you')")
    assert "judged 1. Of 4 in all, 4 are done" in page.locator("main").inner_text()
    page.click("main button")
    page.wait_for_selector("h1:text('Still nothing is left')")
    page.keyboard.press("u")
    page.wait_for_selector(".unit")


def test_all_that_is_true_is_ticked_by_keys(visit, folder):
    page, review = visit(folder, mode="answer")
    settle(page)
    for key in ("1", "3", "3", "2"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#far').textContent.includes('1 by you')")
    settle(page)
    for key in ("1", "2", "w"):  # which excludes the others
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#far').textContent.includes('2 by you')")
    assert sorted(answer.said["true"] for answer in review.answers()) == [["0", "1"], ["wrong"]]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["prefer", "code", "align", "score"])
def test_replies_are_judged_by_everybody(visit, folder, make_run, mode, axe, tmp_path):
    said = {f"i{n}": f"{EVIL} {n}" for n in range(4)}
    runs = [make_run(folder, said, model=f"lab/{EVIL}{n}") for n in range(1 + (mode == "prefer"))]
    given = {"output": tmp_path / "kept", "sample": 3, "raters": None, "seed": None}
    review, _ = reviewing.opened(tuple(map(str, runs)), mode, **given)
    page, _ = visit(folder, width=400, scheme="dark", review=review)
    assert page.evaluate(OVERFLOW) <= 0
    assert axe(page) == []
    settle(page)
    page.keyboard.press({"prefer": "0", "code": "5", "align": "b", "score": "0"}[mode])
    if mode == "code":
        page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('1 of 3')")
    assert page.evaluate("() => window.pwned") is None
    assert "lab/" not in page.content()
    assert page.said == []


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1280, "light")])
def test_hostile_texts_stay_texts_at_every_width_and_in_both_themes(visit, make_benchmark, axe, width, scheme):
    folder = make_benchmark([{"id": EVIL, "question": EVIL, "task": "t" + EVIL, "options": [EVIL, "b"], "meta": EVIL}])
    page, _ = visit(folder, width=width, scheme=scheme)
    settle(page)
    page.locator("summary").last.click()
    for key in ("m", "r"):
        page.keyboard.press(key)
        page.keyboard.press("Escape")
        assert page.evaluate(OVERFLOW) <= 0
    assert axe(page) == []
    assert page.evaluate("() => window.pwned") is None
    assert page.locator("img:not(.brand img)").count() == 0
    assert EVIL.partition("\u202e")[0] in page.locator("h1").inner_text()
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert scheme == "light" or axe(page) == []
    assert page.said == []


def test_the_first_page_can_be_used_by_everybody(visit, folder, axe):
    page, _ = visit(folder, name="")
    assert page.evaluate(FIELD) == "name"
    assert axe(page) == []
    page.fill("#name", "an\u200bna")
    page.keyboard.press("Enter")
    page.wait_for_selector("#problem .notice")
    assert "cannot be a name" in page.locator("#problem").inner_text()
    assert re.search(r"400", " ".join(page.said))  # the browser itself says that a request was refused
