"""What can go wrong on the arena's page is a state with a name, a line that says what to do, and a way on by keys."""

import pytest

pytestmark = pytest.mark.browser

DEAD = """() => {
    const its = Object.getOwnPropertyDescriptor(MediaRecorder.prototype, 'ondataavailable');
    Object.defineProperty(MediaRecorder.prototype, 'ondataavailable', {
        set(told) { its.set.call(this, () => told({ data: new Blob([]) })); },
    });
}"""
HELD = """(() => {
    const devices = navigator.mediaDevices, ask = devices.getUserMedia.bind(devices);
    devices.getUserMedia = async (wanted) => { window.wanted = wanted; return window.stream = await ask(wanted); };
})()"""
LIES = """() => {
    const can = MediaRecorder.isTypeSupported, create = URL.createObjectURL;
    const broken = (blob) => (blob.type.startsWith('audio/webm;') ? new Blob(['x'], { type: blob.type }) : blob);
    MediaRecorder.isTypeSupported = (type) => type.includes('mp4') || can.call(MediaRecorder, type);
    URL.createObjectURL = (blob) => create.call(URL, broken(blob));
}"""
TAKEN = """() => { navigator.mediaDevices.getUserMedia = async () => {
    throw new DOMException('Could not start audio source', 'NotReadableError');
}; }"""
GONE = "() => { const [track] = window.stream.getTracks(); track.stop(); track.dispatchEvent(new Event('ended')); }"


def trouble(page):
    """The name of the trouble that is told, which has the focus."""
    page.wait_for_selector("#trouble")
    assert page.evaluate("() => document.activeElement.id === 'trouble' || document.activeElement === document.body")
    assert page.locator("#trouble h2").inner_text()
    return page.locator("#trouble").get_attribute("data-trouble")


def types(page, at):
    """Who cannot speak types, by keys."""
    page.wait_for_timeout(400)
    page.keyboard.press("t")
    at(page, "typed")
    page.keyboard.type("Who was it?")
    page.keyboard.press("Control+Enter")
    at(page, "replies")


@pytest.mark.slow
def test_an_insecure_address(chromium, visit, stand, at, axe):
    browser = chromium("--host-resolver-rules=MAP arena.test 127.0.0.1")
    page = visit(browser=browser, url=stand.url.replace("127.0.0.1", "arena.test"))
    assert trouble(page) == "insecure"
    assert page.locator("#record").is_hidden()
    assert axe(page) == []
    types(page, at)


def test_a_microphone_that_is_not_allowed(chromium, visit, at, axe):
    page = visit(browser=chromium("--use-fake-device-for-media-stream", "--deny-permission-prompts"))
    at(page, "ready")
    page.click("#record")
    assert trouble(page) == "denied"
    assert axe(page) == []
    page.evaluate(TAKEN)  # as where another program holds it
    page.click("#check")
    page.wait_for_selector("#trouble[data-trouble='busy']")
    assert trouble(page) == "busy"
    assert axe(page) == []
    types(page, at)


@pytest.mark.slow
def test_no_microphone_at_all(chromium, visit, at):
    page = visit(browser=chromium("--use-fake-ui-for-media-stream", "--disable-audio-input"))
    at(page, "ready", keys=True)
    page.keyboard.press("r")
    assert trouble(page) == "nodevice"
    types(page, at)


@pytest.mark.slow
def test_a_browser_that_cannot_play_what_it_records(visit, stand, at):
    page = visit()
    at(page, "ready")
    page.evaluate("() => { HTMLMediaElement.prototype.canPlayType = () => ''; }")
    page.click("#record")
    assert trouble(page) == "unsupported"
    types(page, at)


@pytest.mark.slow
def test_the_first_type_that_is_recorded_and_played_is_taken(visit, stand, at):
    """A browser may say that it can and not do it: the first type here records nothing that plays."""
    page = visit()
    page.evaluate(LIES)
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    page.wait_for_timeout(600)
    page.click("#stop")
    at(page, "listen")
    page.wait_for_function("() => document.querySelector('#length').textContent.includes('second')")
    assert not stand.sent["r1"]["type"].startswith("audio/webm;")


@pytest.mark.slow
def test_a_microphone_that_goes_while_one_speaks(visit, stand, at):
    page = visit(script=HELD)
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    page.wait_for_timeout(700)
    page.evaluate(GONE)
    at(page, "listen")
    assert "went away" in page.locator("#kept").inner_text()
    wanted = page.evaluate("() => window.wanted.audio")
    assert wanted == {
        "echoCancellation": False,
        "noiseSuppression": False,
        "autoGainControl": False,
        "channelCount": 1,
    }
    page.wait_for_function("() => document.querySelector('#length').textContent.includes('second')")
    assert stand.sent["r1"]["bytes"] > 1000


@pytest.mark.parametrize("gone", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_recording_of_no_bytes(visit, stand, at, gone):
    page = visit(script=HELD)
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    page.click("#stop")
    at(page, "listen")
    page.evaluate(DEAD)
    page.click("#redo")
    at(page, "recording")
    if gone:
        page.evaluate(GONE)
    else:
        page.click("#stop")
    assert trouble(page) == ("gone" if gone else "empty")
    assert len(stand.sent) == 1


@pytest.mark.slow
def test_silence_and_clipping_are_the_servers_word(visit, stand, at):
    stand.heard |= {"silent": True, "clipped": True}
    page = visit()
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    page.click("#stop")
    at(page, "listen")
    page.wait_for_selector("#silent")
    page.wait_for_selector("#clipped")
    assert page.locator(".notes").get_attribute("role") == "status"


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "line"), [(0, "does not answer"), (503, "it went wrong"), (429, "too much")])
def test_a_recording_is_sent_again_where_the_server_did_not_take_it(visit, stand, at, fault, line):
    stand.fails["recording"] = [fault, fault]
    page = visit()
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    page.wait_for_timeout(500)
    page.click("#stop")
    at(page, "listen")
    page.wait_for_selector("#again")
    assert page.evaluate("() => document.querySelector('#problem').getAttribute('role')") == "alert"
    page.reload()
    at(page, "listen")  # it is kept in the browser
    page.wait_for_selector("#again")
    assert line in page.locator("#problem").inner_text()
    page.click("#send")  # which sends it to be checked first
    at(page, "replies")
    assert len(stand.sent) == 1


@pytest.mark.slow
def test_a_server_that_goes_while_one_waits_is_found_again(visit, stand, at):
    stand.fails["wait"] = [0, 503]
    page = visit()
    at(page, "ready", keys=True)
    page.keyboard.press("t")
    at(page, "typed")
    page.keyboard.type("Who was it?")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#lost:visible")
    at(page, "replies")
    assert stand.asked.count("battle") == 1


@pytest.mark.slow
def test_a_vote_that_did_not_arrive_can_be_sent_again(visit, stand, at):
    stand.fails["vote"] = [0]
    page = visit()
    types(page, at)
    page.click("#model_a")
    page.wait_for_selector("#again")
    assert page.locator('[aria-pressed="true"]').count() == 0
    page.click("#again")
    at(page, "voted")


@pytest.mark.slow
def test_a_battle_without_answers_goes_to_two_models_anew(visit, stand, at):
    said, stand.replies = stand.replies, None
    page = visit()
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    page.wait_for_timeout(500)
    page.click("#stop")
    at(page, "listen")
    page.click("#send")
    at(page, "failed", keys=True)
    stand.replies = said
    page.keyboard.press("r")
    at(page, "replies")
    assert len(stand.sent) == 1


@pytest.mark.slow
def test_a_page_that_is_opened_while_the_server_is_away(visit, stand, at):
    stand.fails["state"] = [503, 0]
    page = visit()
    for _ in range(2):
        at(page, "away")
        page.click("#again")
    at(page, "ready")
    assert stand.fails["state"] == []


@pytest.mark.slow
def test_a_board_that_does_not_come(visit, stand, at):
    stand.fails["board"] = [503]
    page = visit("/board")
    at(page, "away")
    page.click("#again")
    at(page, "board")
    assert stand.fails["board"] == []


@pytest.mark.slow
def test_a_file_that_is_too_large_is_not_even_sent(visit, stand, at, tmp_path):
    stand.settings["largest_bytes"] = 1_500_000
    (tmp_path / "long.wav").write_bytes(bytes(1_500_001))
    page = visit()
    at(page, "ready")
    with page.expect_file_chooser() as chooser:
        page.click("#upload")
    chooser.value.set_files(tmp_path / "long.wav")
    page.wait_for_selector("#refused:has-text('more than 1.5 MB')")
    assert page.locator("#send").is_hidden()
    assert "recording" not in stand.asked


@pytest.mark.slow
def test_the_microphone_that_one_chose_is_taken_and_another_one_where_it_is_gone(visit, stand, at):
    page = visit(script=HELD)
    at(page, "ready")
    page.click("#check")
    page.wait_for_selector(".meter")
    page.wait_for_selector("#device")
    options = page.locator("#device option").evaluate_all("(all) => all.map((one) => one.value)")
    assert len(options) >= 3  # two, and the system's own
    page.select_option("#device", options[2])
    page.wait_for_function("(id) => window.wanted?.audio.deviceId?.exact === id", arg=options[2])
    page.reload()
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    assert page.evaluate("() => window.wanted.audio.deviceId.exact") == options[2]
    page.click("#cancel")
    at(page, "ready")
    page.evaluate("() => localStorage.setItem('audiometry-arena device', 'of another day')")
    page.click("#record")
    at(page, "recording")
    assert page.evaluate("() => 'deviceId' in window.wanted.audio") is False
