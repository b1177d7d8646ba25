"""Each state of the arena's page can be used by everybody: axe, nothing too wide or too small, one heading, focus."""

import pytest

pytestmark = pytest.mark.browser

OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
SMALL = """() =>
    [...document.querySelectorAll("button, a[href], input:not([tabindex='-1']), select, textarea, summary")]
    .filter((one) => one.checkVisibility() && !one.matches(".skip"))
    .map((one) => (one.closest("label") || one))
    .filter((one) => { const box = one.getBoundingClientRect(); return box.width < 24 || box.height < 24; })
    .map((one) => one.outerHTML)"""

LONG = "One more sentence of an answer that goes on for a while, as answers do. " * 9
TERMS = (
    "Your voice is sent to this server and to two models, which may run elsewhere. Recordings are kept for 30 days.\n\n"
    "Your votes are published without your name. You can withdraw by deleting your data with your personal code."
)
RATINGS = (
    ("lab/diva-llama-3-8b", 1143.0, [1129.8, 1156.8], [1, 1]),
    ("openai/gpt-audio", 1073.7, [1062.5, 1085.3], [2, 3]),
    ("google/gemini-2.5-flash", 1054.3, [1042.3, 1066.1], [2, 3]),
    ("vllm/Qwen/Qwen2-Audio-7B-Instruct", 984.8, [972.7, 996.7], [4, 4]),
    ("cascade/typhoon-audio-8b", 744.2, [None, 759.4], [5, 5]),
)
NEW = "scripted/<b>new</b>"
WINS = (
    (0, 252, 313, 322, 417),
    (176, 0, 186, 254, 447),
    (130, 213, 0, 255, 424),
    (103, 155, 171, 0, 347),
    (50, 19, 50, 82, 0),
)
MATRIX = {"models": [*sorted(one[0] for one in RATINGS), NEW], "wins": [[0] * 6 for _ in range(6)]}
for low, row in enumerate(WINS):
    for high, n in enumerate(row):
        MATRIX["wins"][MATRIX["models"].index(RATINGS[low][0])][MATRIX["models"].index(RATINGS[high][0])] = n
BOARD = {
    "title": "Voices of the coast",
    "matrix": MATRIX,
    "votes": 5000,
    "at": "2026-11-28T12:00:00Z",
    "models": [
        {"model": model, "rating": rating, "interval": interval, "rank_range": ranks, "battles": 2000}
        for model, rating, interval, ranks in RATINGS
    ],
    "unplaced": [{"model": NEW, "reason": "never lost", "battles": 12}],
    "rates": [
        {"model": "lab/diva-llama-3-8b", "asked": 2014, "failed": 9, "refused": 31, "empty": 5, "abandoned": 120},
        {"model": NEW, "asked": 0, "failed": 0, "refused": 0, "empty": 0, "abandoned": 0},
    ],
    "set_apart": {"left_out": True, "votes": {"chance": 0, "one side": 40, "burst": 0, "too fast": 12}},
    "warnings": ["the first two models are told apart by 14 votes"],
}


def consent(page, stand, at):
    stand.settings["consent"] = {"version": "1", "text": TERMS}
    page.reload()
    at(page, "consent")


def refused(page, stand, at):
    consent(page, stand, at)
    page.click("#consent-refuse")
    at(page, "refused")


def ready(page, stand, at):
    at(page, "ready")


def checked(page, stand, at):
    at(page, "ready")
    page.click("#check")
    page.wait_for_selector(".meter")
    page.wait_for_selector("#device")
    page.wait_for_function("() => document.querySelector('.meter').getAttribute('aria-valuenow') > -50")


def recording(page, stand, at):
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    page.wait_for_timeout(900)


def listen(page, stand, at):
    recording(page, stand, at)
    page.click("#stop")
    at(page, "listen")
    page.wait_for_function("() => document.querySelector('#length').textContent.includes('second')")


def warned(page, stand, at):
    stand.heard |= {"silent": True, "clipped": True}
    listen(page, stand, at)


def away(page, stand, at):
    stand.fails["recording"] = [503]
    recording(page, stand, at)
    page.click("#stop")
    at(page, "listen")
    page.wait_for_selector("#again")


def typed(page, stand, at):
    at(page, "ready")
    page.click("#type")
    at(page, "typed")


def waiting(page, stand, at):
    stand.hold.clear()
    typed(page, stand, at)
    page.fill("#question", "What is the capital of Australia, and since when?")
    page.click("#send")
    at(page, "waiting")


def failed(page, stand, at):
    stand.replies = None
    typed(page, stand, at)
    page.fill("#question", "What is the capital of Australia?")
    page.click("#send")
    at(page, "failed")


def replies(page, stand, at):
    listen(page, stand, at)
    page.click("#send")
    at(page, "replies")


def tagged(page, stand, at):
    stand.settings["tags"] = ["helpfulness", "level of detail", "language", "accuracy", "tone"]
    stand.settings["outcomes"] = ["model_a", "model_b", "tie"]
    stand.progress = {"done": 3, "wanted": 10}
    stand.replies = (LONG, "<script>window.pwned = 1</script> **Bold** " + "w" * 200)
    page.reload()
    replies(page, stand, at)


def voted(page, stand, at):
    replies(page, stand, at)
    page.fill("#comment", "shorter, and to the point")
    page.click("#model_a")
    at(page, "voted")


def revealed(page, stand, at):
    voted(page, stand, at)
    page.click("#reveal")
    at(page, "revealed")


def board(page, stand, at):
    stand.board = BOARD
    page.goto(stand.url + "/board")
    at(page, "board")
    assert page.locator("#apart").inner_text().startswith("52 votes were set apart")


def gone(page, stand, at):
    stand.fails["state"] = [503]
    page.reload()
    at(page, "away")
    assert page.locator(".skip").text_content() == "Skip to the question"


def no_board(page, stand, at):
    page.goto(stand.url + "/board")
    at(page, "board")


def even_board(page, stand, at):
    same = [{"model": one, "rating": 1000.0, "interval": None, "rank_range": [1, 2], "battles": 2} for one in "xy"]
    stand.board = {"models": same, "votes": 2, "at": "2026-11-28T12:00:00Z"}
    no_board(page, stand, at)


def data(page, stand, at):
    at(page, "ready")
    page.click("#data")
    page.click("#data-show")
    page.wait_for_selector("#data-code strong")
    page.click("#data-delete")
    page.wait_for_selector("#data-sure")


def keys(page, stand, at):
    replies(page, stand, at)
    at(page, "replies", keys=True)
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")


ALL = (
    gone, consent, refused, ready, checked, recording, listen, warned, away, typed, waiting, failed, replies, tagged,
    voted, revealed, board, no_board, even_board, data, keys,
)  # fmt: skip


QUICK = (ready, tagged, revealed)


def marked(state):
    return pytest.param(state, id=state.__name__, marks=() if state in QUICK else pytest.mark.slow)


@pytest.mark.parametrize("state", [marked(one) for one in ALL])
def test_everybody_can_use_it(state, visit, stand, at, axe):
    page = visit()
    state(page, stand, at)
    for width, scheme in ((1280, "light"), (360, "dark")):
        page.set_viewport_size({"width": width, "height": 740})
        page.emulate_media(color_scheme=scheme)
        assert axe(page) == []
        assert page.evaluate(OVERFLOW) <= 0
        assert page.evaluate(SMALL) == []  # WCAG 2.5.8
    assert page.locator("h1").count() == 1
    assert page.evaluate("() => document.activeElement !== document.body") or state in (
        gone,
        consent,
        ready,
        board,
        no_board,
        even_board,
    )
    assert page.evaluate("() => window.pwned") is None
    assert [line for line in page.said if "503" not in line] == []
