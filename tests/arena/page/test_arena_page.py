"""The arena's page in a real browser: from a question that is spoken to a vote, and on to the next."""

import re

import pytest

pytestmark = pytest.mark.browser

OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
SPACED = "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }"
FOCUS = "() => document.activeElement.id"
SAID = "() => document.querySelector('#said').textContent"
LENGTH = "() => document.querySelector('#length').textContent.includes('second')"


def ask(page, at, text="Who was it?"):
    at(page, "ready")
    page.click("#type")
    at(page, "typed")
    page.fill("#question", text)
    page.click("#send")


def speak(page, at, ms=800):
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    page.wait_for_timeout(ms)
    page.click("#stop")
    at(page, "listen")
    page.wait_for_function(LENGTH)


def test_speak_hear_send_vote_and_see_who_it_was_by_keys_alone(visit, stand, at):
    page = visit()
    at(page, "ready", keys=True)
    page.keyboard.press("r")
    at(page, "recording", keys=True)
    page.wait_for_timeout(1200)
    page.keyboard.press("r")
    at(page, "listen", keys=True)
    page.wait_for_function(LENGTH)
    page.keyboard.press("p")
    page.wait_for_function("() => document.querySelector('audio').currentTime > 0.1")
    page.keyboard.press("s")
    at(page, "replies", keys=True)
    page.keyboard.press("c")
    page.keyboard.type("abstx, and not so sure?")  # every key of the vote, silent here
    assert stand.battle["state"] == "ready"
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    at(page, "voted", keys=True)
    assert page.locator("#model_b").get_attribute("aria-pressed") == "true"
    page.keyboard.press("t")
    page.wait_for_function("() => document.querySelector('#tie').getAttribute('aria-pressed') === 'true'")
    assert (stand.battle["outcome"], stand.battle["comment"]) == ("tie", "abstx, and not so sure?")
    assert "lab/" not in page.content()
    page.keyboard.press("w")
    at(page, "revealed")
    assert page.locator("#answer-a").inner_text().split("\n\n")[:3] == [
        "Answer A",
        "lab/whisper-and-llama",
        "whole answer after 1.84 seconds · first words after 0.41 seconds",
    ]
    assert "first words" not in page.locator("#answer-b").inner_text()  # it came in one piece
    assert page.evaluate(SAID) == ""  # nobody is told any more that the vote can be changed
    page.wait_for_timeout(400)
    page.keyboard.press("n")
    at(page, "ready")
    assert page.said == []
    (sent,) = stand.sent.values()
    assert sent["type"] == sent["told"]["type"] == "audio/webm;codecs=opus"
    assert 1.2 < sent["told"]["seconds"] < 30
    assert {"echoCancellation": False, "noiseSuppression": False, "autoGainControl": False}.items() <= sent[
        "told"
    ].items()
    assert not {"deviceId", "groupId", "label"} & sent["told"].keys()


@pytest.mark.slow
def test_tab_and_enter_are_enough(visit, stand, at):
    page = visit()

    def to(name):
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate(FOCUS) == name:
                assert page.evaluate("() => document.activeElement.matches(':focus-visible')")
                return page.keyboard.press("Enter")
        return pytest.fail(f"no way to {name}")

    at(page, "ready")
    to("keys")
    page.wait_for_selector("dialog[open] #single:focus")
    page.keyboard.press(" ")  # switches single keys off
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.wait_for_timeout(100)
    assert page.locator("main").get_attribute("data-state") == "ready"
    assert page.locator("kbd:visible").count() == 0
    to("record")
    at(page, "recording")
    assert page.evaluate(FOCUS) == "stop"
    page.wait_for_timeout(500)
    page.keyboard.press("Enter")
    at(page, "listen")
    assert page.evaluate("() => document.activeElement.tagName") == "H1"
    page.wait_for_function(LENGTH)
    to("send")
    at(page, "replies")
    assert page.evaluate("() => document.activeElement.tagName") == "H1"
    assert page.evaluate(SAID) == "Both answers are here."
    to("model_a")
    at(page, "voted")
    assert page.evaluate(FOCUS) == "model_a"  # a second Enter reveals nothing
    assert page.evaluate(SAID).startswith("Kept: A is better. You can change")
    to("reveal")
    at(page, "revealed")
    to("next")
    at(page, "ready")
    page.reload()
    at(page, "ready", keys=True)
    page.keyboard.press("r")
    page.wait_for_timeout(100)
    assert page.locator("main").get_attribute("data-state") == "ready"  # still off


@pytest.mark.slow
def test_every_state_outlives_a_reload(visit, stand, at):
    page = visit()
    speak(page, at)
    page.reload()
    at(page, "listen")
    page.wait_for_function("() => document.querySelector('audio').duration > 0.5")
    assert len(stand.sent) == 1
    stand.hold.clear()
    page.click("#send")
    at(page, "waiting")
    page.reload()
    at(page, "waiting")
    stand.hold.set()
    at(page, "replies")
    page.fill("#comment", "half said")
    page.reload()
    at(page, "replies")
    assert page.locator("#comment").input_value() == "half said"
    page.click("#both_bad")
    at(page, "voted")
    page.reload()
    at(page, "voted")
    assert page.locator("#both_bad").get_attribute("aria-pressed") == "true"
    page.fill("#comment", "said in full")
    page.click("#reveal")  # which keeps the words that were changed after the vote
    at(page, "revealed")
    assert stand.battle["comment"] == "said in full"
    page.reload()
    at(page, "revealed")
    page.click("#next")
    at(page, "ready")
    page.reload()
    at(page, "ready")
    page.click("#type")
    page.fill("#question", "half a quest")
    page.reload()
    at(page, "typed")
    assert page.locator("#question").input_value() == "half a quest"


@pytest.mark.slow
def test_a_recording_that_was_cut_off_by_a_reload_is_not_lost(visit, stand, at):
    page = visit()
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    page.wait_for_timeout(2500)
    page.reload()
    at(page, "listen")
    assert "kept in this browser" in page.locator("#kept").inner_text()
    page.wait_for_function(LENGTH)
    assert stand.sent["r1"]["bytes"] > 10_000


def test_a_double_click_is_one_vote_and_two_tabs_see_one_battle(visit, stand, at):
    page = visit()
    ask(page, at)
    at(page, "replies")
    stand.delay_s["vote"] = 0.2
    page.dblclick("#model_a")
    at(page, "voted")
    assert stand.asked.count("vote") == 1
    other = page.context.new_page()
    other.goto(stand.url)
    at(other, "voted")
    other.click("#reveal")
    at(other, "revealed")
    page.click("#model_b")  # too late
    at(page, "revealed")
    assert "the vote is closed" in page.locator("#problem").inner_text()
    assert stand.battle["outcome"] == "model_a"
    page.click("#next")
    at(page, "ready")
    page.goto("about:blank")
    page.go_back()
    at(page, "ready")


@pytest.mark.slow
def test_pressed_twice_is_meant_for_what_was_seen(visit, stand, at):
    page = visit()
    ask(page, at)
    at(page, "replies", keys=True)
    page.evaluate("() => { const at = performance.now(); performance.now = () => at; }")
    page.keyboard.press("a")
    page.wait_for_selector("#reveal")
    page.keyboard.press("w")
    page.wait_for_selector('main[data-state="revealed"]')
    page.keyboard.press("n")  # at once: who answered has not been read
    page.wait_for_timeout(100)
    assert page.locator("main").get_attribute("data-state") == "revealed"


def test_both_advance_in_equal_steps_where_the_arena_wants_it(visit, stand, at):
    stand.settings["steps"] = True
    stand.hold.clear()
    page = visit()
    ask(page, at)
    at(page, "waiting")
    page.wait_for_function("() => document.querySelectorAll('.answer .text').length === 2")
    lengths = [len(page.locator(f"#answer-{side} .text").inner_text()) for side in "ab"]
    assert all(0 < n < len(text) for n, text in zip(lengths, stand.replies, strict=True))
    assert page.locator(".answers").get_attribute("aria-busy") == "true"
    assert page.locator("#model_a").count() == 0
    stand.hold.set()
    at(page, "replies")
    assert page.locator("#answer-a .text").inner_text() == stand.replies[0]


@pytest.mark.slow
def test_a_study_has_its_own_outcomes_an_end_and_no_board(visit, stand, at):
    stand.settings |= {"outcomes": ["model_a", "model_b", "tie"], "tags": ["tone", "accuracy"], "reveal": False}
    stand.settings |= {"shortcuts": False, "upload": False}
    stand.progress = {"done": 1, "wanted": 2}
    page = visit()
    assert page.locator('a[href="/board"], #keys, #upload, #data').count() == 0
    assert page.locator("#leave").get_attribute("href") == "/study#leave"
    ask(page, at)
    at(page, "replies")
    assert "1 of 2" in page.locator(".far").inner_text()
    own = page.locator(".vote button").evaluate_all("(all) => all.map((one) => one.id)")
    assert own == ["model_a", "model_b", "tie"]
    page.keyboard.press("a")
    page.get_by_text("accuracy").click()
    page.click("#tie")
    at(page, "voted")
    assert page.evaluate(SAID).startswith("Chosen: Tie. It is kept when you go on")
    assert page.locator("#reveal").count() == 0
    page.reload()
    at(page, "voted")  # chosen, and in this browser alone
    page.click("#model_b")
    assert stand.battle["state"] == "ready"
    with page.expect_navigation():
        page.click("#finish")
    assert (stand.battle["outcome"], stand.battle["tags"]) == ("model_b", ["accuracy"])
    assert stand.asked.count("vote") == 1


@pytest.mark.slow
def test_an_upload_is_heard_back_and_what_is_no_sound_has_a_way_on(visit, stand, at, tmp_path, voice):
    import soundfile

    soundfile.write(tmp_path / "said.wav", voice, 48_000)
    (tmp_path / "text.wav").write_text("no sound at all")
    page = visit()
    at(page, "ready")
    stand.fails["recording"] = [400]
    for name, note in (("text.wav", "#refused"), ("said.wav", "#length:has-text('second')")):
        with page.expect_file_chooser() as chooser:
            page.click("#upload, #other")
        chooser.value.set_files(tmp_path / name)
        at(page, "listen")
        page.wait_for_selector(note)
    assert stand.sent["r1"]["told"] == {"source": "upload"}
    assert stand.sent["r1"]["bytes"] == (tmp_path / "said.wav").stat().st_size
    page.click("#send")
    at(page, "replies")


@pytest.mark.slow
def test_the_time_limit_ends_a_recording_and_a_discarded_one_is_not_sent(visit, stand, at):
    stand.settings["longest_s"] = 2
    page = visit()
    at(page, "ready")
    assert "Up to 2 seconds" in page.locator("main").inner_text()
    page.click("#record")
    at(page, "recording", keys=True)
    page.keyboard.press("Escape")  # is no key of this state: what was said is not lost by it
    page.click("#cancel")
    at(page, "ready")
    assert page.evaluate(SAID) == "Discarded. Nothing was sent."
    page.click("#record")
    at(page, "listen")
    assert "time limit" in page.locator("#kept").inner_text()
    page.wait_for_function(LENGTH)
    assert 2 <= stand.sent["r1"]["told"]["seconds"] < 3


@pytest.mark.slow
def test_nothing_is_recorded_without_consent_and_everything_can_be_deleted(visit, stand, at):
    stand.settings["consent"] = {"version": "3", "text": "We keep it.\n\nYou may <b>leave</b>."}
    page = visit()
    at(page, "consent", keys=True)
    assert page.locator(".terms p").all_inner_texts() == ["We keep it.", "You may <b>leave</b>."]
    page.keyboard.press("r")
    page.click("#consent-refuse")
    at(page, "refused")
    assert set(stand.asked) == {"state"}
    page.click("#consent-back")
    page.click("#consent-agree")
    speak(page, at)
    page.click("#data")
    page.click("#data-show")
    page.wait_for_selector("#data-code:has-text('K7QF-2M9D-XW4T')")
    page.fill("#code", "wrong")
    page.keyboard.press("Enter")
    page.click("#data-sure")
    page.wait_for_selector("#data-said:has-text('nobody has this code')")
    page.fill("#code", "K7QF-2M9D-XW4T")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # yes
    page.wait_for_selector(
        "#data-code:has-text('Recordings: 2; questions with their answers: 3; votes of which the words are gone: 1')"
    )
    assert page.evaluate("() => document.activeElement.textContent") == "Close"
    page.keyboard.press("Escape")
    at(page, "consent")
    assert page.evaluate("() => sessionStorage.length") <= 1


@pytest.mark.slow
def test_another_language_is_one_file(visit, stand, at, tmp_path):
    (tmp_path / "words.de.json").write_text(
        '{"language": "de", "direction": "ltr", "ready.title": "Frag etwas", "limit": {"one": "{n} Sekunde", '
        '"other": "Bis {n} Sekunden."}}'
    )
    stand.files["words.de.json"] = tmp_path / "words.de.json"
    stand.settings |= {"languages": ["en", "de"], "longest_s": 1200}
    page = visit(locale="de-AT")
    at(page, "ready")
    assert page.locator("h1").inner_text() == "Frag etwas"
    assert "Bis 1.200 Sekunden." in page.locator("main").inner_text()
    assert page.locator("html").get_attribute("lang") == "de"
    assert page.locator("#type").inner_text().startswith("Type instead")  # what it lacks


@pytest.mark.slow
@pytest.mark.parametrize("width", [640, 320])  # 1280 px at 200 % and at 400 %
def test_at_two_hundred_percent_and_with_less_motion(visit, stand, at, width):
    stand.replies = ("long " * 200, "w" * 300)
    stand.hold.clear()
    page = visit(width=width, height=360, reduced_motion="reduce", bypass_csp=True)
    ask(page, at)
    at(page, "waiting")
    assert page.evaluate("() => document.getAnimations().length") == 0
    stand.hold.set()
    at(page, "replies", keys=True)
    assert page.evaluate(OVERFLOW) <= 0
    page.add_style_tag(content=SPACED)  # WCAG 1.4.12
    assert page.evaluate(OVERFLOW) <= 0
    page.keyboard.press("c")
    box = page.locator("#comment").bounding_box()
    assert 0 <= box["y"] < 360  # nothing of the page covers what has the focus
    page.click("#skip")
    at(page, "voted")
    assert page.locator(".top").evaluate("(top) => getComputedStyle(top).position") == "static"
    assert re.search("Skip", page.locator('[aria-pressed="true"]').inner_text())


@pytest.mark.slow
def test_what_takes_long_is_said_calmly(visit, stand, at):
    stand.hold.clear()
    page = visit()
    page.clock.install()
    ask(page, at)
    page.wait_for_selector('main[data-state="waiting"]')
    page.clock.run_for(31_000)
    assert page.evaluate(SAID) == "Still answering: 30 seconds so far."
    assert page.locator("#said").get_attribute("role") == "status"  # polite


@pytest.mark.slow
def test_nothing_that_has_the_focus_is_below_the_bar(visit, stand, at):
    stand.replies = ("long " * 400, "short")
    page = visit(width=1280, height=400)
    ask(page, at)
    at(page, "replies")
    page.keyboard.press("End")
    for _ in range(14):
        page.keyboard.press("Shift+Tab")
        focus, bar = page.evaluate("""() => [document.activeElement, document.querySelector('.top')]
            .map((one) => { const { top, bottom } = one.getBoundingClientRect(); return { top, bottom }; })""")
        inside = page.evaluate("() => document.activeElement.matches('.top *, .skip')")
        nothing = page.evaluate("() => document.activeElement === document.body")
        assert inside or nothing or focus["bottom"] > bar["bottom"]


@pytest.mark.slow
def test_who_has_not_agreed_to_the_newest_terms_is_asked_and_loses_nothing(visit, stand, at):
    page = visit()
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    stand.settings["consent"] = {"version": "2", "text": "We keep it longer now."}
    stand.fails["recording"] = [403]
    page.wait_for_timeout(600)
    page.click("#stop")
    at(page, "consent")
    page.click("#consent-agree")
    at(page, "listen")
    page.wait_for_function(LENGTH)
    assert len(stand.sent) == 1
