"""The sound of an opened item in a real browser: what the picture shows, and that it can be played and sought in."""

import hashlib
import io
import itertools
import math
import re
import subprocess
import sys

import numpy as np
import pytest
import soundfile

from audiometry.records import ReplyRecord
from audiometry.report import clips, html

pytestmark = pytest.mark.browser

DRAWN = "() => document.querySelector('li.open .player')?.dataset.state === 'drawn'"
STRONGEST = """
(share) => {
  const canvas = document.querySelector("li.open .spectrum"), { width, height } = canvas;
  const other = Object.assign(document.createElement("canvas"), { width, height });
  const copy = other.getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(Math.round(share * width), 0, 1, height);
  const light = Array.from({ length: height }, (_, row) => data[4 * row] + data[4 * row + 1] + data[4 * row + 2]);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return [light.indexOf(dark ? Math.max(...light) : Math.min(...light)) + 0.5, height];
}
"""
CURSOR = "() => parseFloat(document.querySelector('li.open .cursor').style.left)"
NOW = "() => document.querySelector('li.open audio').currentTime"
RATE = 16_000


def tones(*frequencies: float, seconds: float = 1.0, channels: int = 1, form: str = "WAV", subtype=None):
    """Sines of half the full scale one after the other; the second channel has an octave above."""
    t = np.arange(int(seconds * RATE)) / RATE
    parts = [np.stack([np.sin(2 * np.pi * f * (c + 1) * t) / 2 for c in range(channels)], axis=1) for f in frequencies]
    out = io.BytesIO()
    soundfile.write(out, np.concatenate(parts), RATE, format=form, subtype=subtype)
    return out.getvalue()


def mel(hertz: float) -> float:
    return 2595 * math.log10(1 + hertz / 700)


def row_of(hertz: float, height: int) -> float:
    """Where a tone is in the picture, counted from its top."""
    return height * (1 - mel(hertz) / mel(RATE / 2))


@pytest.fixture
def opened(visit, made, make_benchmark, make_run):
    """Open the first item of a benchmark whose clips are these; gives the visit."""

    def start(*sounds, width=1280, scheme="light", number=0, card=None, texts=(), script="", each=(), **changes):
        entries = [made.item(i, **changes | (each[i] if each else {})) for i in range(len(sounds))]
        files = {entry["file_name"]: clip for entry, clip in zip(entries, sounds, strict=True)}
        bench = make_benchmark(entries, files, **({} if card is None else {"card": card}))
        said = [ReplyRecord(item=entry["id"], text=text) for entry, text in zip(entries, texts, strict=False)]
        seen = visit(width, scheme)
        seen.page.add_init_script(script)
        seen.load(html.write([make_run(bench, said or made.answers(entries))]))
        seen.page.locator("#list .row").nth(number).click()
        return seen

    return start


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_tone_is_drawn_at_its_time_and_frequency_in_both_themes(opened, scheme):
    seen = opened(tones(500, 3000), scheme=scheme)
    seen.page.wait_for_function(DRAWN)
    for share, hertz in ((0.25, 500), (0.75, 3000)):
        row, height = seen.page.evaluate(STRONGEST, share)
        assert abs(row - row_of(hertz, height)) <= 3, (hertz, row, height)
    said = seen.page.locator("li.open .about").inner_text()
    assert said.startswith("2.00 s · 16 kHz · mono · peak −6.0 dBFS, RMS −9.0 dBFS")
    assert "connect-src" not in seen.page.content()
    assert "−5 dBFS" in said  # the upper end of the colours: the tones have −6
    marks = seen.page.locator("li.open .hertz span").all_inner_texts()
    assert {"500 Hz", "1 kHz", "4 kHz"} <= set(marks)
    assert seen.page.locator("li.open .times span").first.inner_text() == "0 s"
    assert seen.clean()


def test_stereo_is_mixed_and_said_to_be(opened):
    out = io.BytesIO()
    one = np.sin(2 * np.pi * 500 * np.arange(RATE) / RATE) / 2
    soundfile.write(out, np.stack([one, -one], axis=1), RATE, format="WAV")  # of the mix nothing is left
    seen = opened(out.getvalue())
    seen.page.wait_for_function(DRAWN)
    said = seen.page.locator("li.open .about").inner_text()
    assert "stereo, mixed in the spectrogram" in said
    assert "peak −6.0 dBFS" in said
    assert said.endswith("−90 dBFS")  # the least that is ever the upper end of the colours


def test_silence_is_no_number(opened):
    seen = opened(tones(0))
    seen.page.wait_for_function(DRAWN)
    said = seen.page.locator("li.open .about").inner_text()
    assert "digital silence" in said
    assert "Infinity" not in said
    assert "NaN" not in said


def test_samples_that_are_no_numbers_are_said_and_leave_the_others_theirs(opened):
    out, sound = io.BytesIO(), np.sin(2 * np.pi * 500 * np.arange(RATE) / RATE).astype(np.float32) / 2
    sound[[100, 200, 300, 400]] = np.nan, np.inf, -np.inf, np.nan
    soundfile.write(out, sound, RATE, format="WAV", subtype="FLOAT")
    seen = opened(out.getvalue())
    seen.page.wait_for_function(DRAWN)
    said = seen.page.locator("li.open .about").inner_text()
    assert "peak −6.0 dBFS, RMS −9.0 dBFS · 4 samples are no numbers (NaN or infinite), drawn as 0" in said
    assert "Infinity" not in said
    row, height = seen.page.evaluate(STRONGEST, 0.5)
    assert abs(row - row_of(500, height)) <= 3
    seen.page.set_viewport_size({"width": 700, "height": 900})  # drawn again
    seen.page.wait_for_timeout(300)
    assert "· 4 samples are no numbers" in seen.page.locator("li.open .about").inner_text()


def test_a_clip_without_a_sample_is_said_to_hold_no_sound(opened):
    seen = opened(tones(500, seconds=0.0))
    seen.page.wait_for_function("() => document.querySelector('li.open .player')?.dataset.state === 'none'")
    assert seen.page.locator("li.open .about").inner_text() == "The clip holds no sound."


def test_the_cursor_follows_keys_pointer_and_sound(opened):
    seen = opened(tones(500, 1000, seconds=2.0))
    page = seen.page
    page.wait_for_function(DRAWN)
    slider = page.get_by_role("slider", name="Position in Clip")
    assert page.get_by_role("img", name="Spectrogram of Clip").count() == 1
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"() => ({NOW})() > 0.09")
    assert page.evaluate(CURSOR) == pytest.approx(2.5, abs=0.2)  # a fortieth of it
    page.keyboard.press("End")
    assert page.evaluate(NOW) == pytest.approx(4.0, abs=0.05)
    page.keyboard.press("Home")
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.mouse.down()
    assert page.evaluate(NOW) == pytest.approx(2.0, abs=0.05)
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 20)
    page.mouse.up()
    assert page.evaluate(NOW) == pytest.approx(1.0, abs=0.3)  # what was dragged over plays
    page.keyboard.press("Escape")
    page.keyboard.press(" ")
    page.mouse.click(box["x"] + box["width"] / 4, box["y"] + 20)
    assert slider.get_attribute("aria-valuetext") == "1.0 of 4.0 seconds"
    before = page.evaluate(CURSOR)
    page.keyboard.press(" ")
    page.wait_for_function(f"() => ({NOW})() > 1.1")
    page.wait_for_function(f"() => ({CURSOR})() > {before + 1}")
    page.keyboard.press(" ")
    assert page.evaluate("() => document.querySelector('li.open audio').paused")
    assert seen.clean()


@pytest.mark.slow
def test_a_free_range_plays_in_a_loop_by_pointer_and_by_keys(opened, axe):
    seen = opened(tones(500, 1000, seconds=2.0))
    page = seen.page
    page.wait_for_function(DRAWN)
    slider, ends = page.get_by_role("slider", name="Position in Clip"), page.locator("li.open .ends")
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.55, box["y"] + 20, steps=3)
    page.mouse.up()
    assert re.fullmatch(r"(2\.00|1\.99) to 2\.(19|20|21) s", ends.inner_text())
    times = page.evaluate(LOOPED, 40)
    assert any(after < before for before, after in itertools.pairwise(times)), times
    assert min(times) >= 1.98
    assert axe(page) == []
    page.get_by_role("button", name="Leave the loop").click()
    assert ends.inner_text() == ""
    page.wait_for_function(f"() => ({NOW})() > 2.4")
    slider.focus()
    page.keyboard.press(" ")
    for key in ("Home", "PageUp", "[", "PageUp", "]"):
        page.keyboard.press(key)
    assert ends.inner_text() == "0.40 to 0.80 s"
    looped = page.locator("li.open .looped").bounding_box()
    assert looped["width"] == pytest.approx(box["width"] / 10, abs=2)
    page.keyboard.press("End")  # to seek out of a loop is to leave it
    assert ends.inner_text() == ""
    page.keyboard.press("Home")
    page.keyboard.press("]")  # nothing before the start could play
    assert ends.inner_text() in {"", "0.00 to 4.00 s"}
    assert seen.clean()


def test_zoom_draws_the_time_wider_and_follows_the_cursor(opened, axe):
    seen = opened(tones(500, 3000, seconds=2.0))
    page = seen.page
    page.wait_for_function(DRAWN)
    wide = page.evaluate("() => document.querySelector('li.open .spectrum').width")
    page.get_by_role("slider", name="Position in Clip").focus()
    for _ in range(3):
        page.keyboard.press("+")
    assert page.locator("li.open .wide").inner_text() == "8×"
    page.wait_for_function(f"() => document.querySelector('li.open .spectrum').width > {7.9 * wide}")
    page.wait_for_function(f"([share, row]) => Math.abs(({STRONGEST.strip()})(share)[0] - row) < 30", arg=[0.75, 40])
    scrolled = "() => document.querySelector('li.open .view').scrollLeft"
    assert page.evaluate(scrolled) == 0
    page.keyboard.press("End")
    page.wait_for_function(f"() => ({scrolled})() > 1000")
    place = "() => document.querySelector('li.open .cursor').getBoundingClientRect().x"
    view = page.locator("li.open .view").bounding_box()
    page.wait_for_function(f"() => ({place})() <= {view['x'] + view['width'] + 2}")
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
    assert axe(page) == []
    for _ in range(4):
        page.keyboard.press("-")
    assert page.locator("li.open .wide").inner_text() == "1×"
    assert page.get_by_role("button", name="Zoom out").is_disabled()
    page.wait_for_function(f"() => document.querySelector('li.open .spectrum').width === {wide}")
    assert seen.clean()


def test_a_narrower_window_draws_anew_and_keeps_the_times(opened):
    seen = opened(tones(500, 3000))
    page = seen.page
    page.wait_for_function(DRAWN)
    wide = page.evaluate("() => document.querySelector('li.open .spectrum').width")
    page.set_viewport_size({"width": 400, "height": 900})
    page.wait_for_function(f"() => document.querySelector('li.open .spectrum').width < {wide} / 2")
    page.wait_for_function(f"([share, row]) => Math.abs(({STRONGEST.strip()})(share)[0] - row) < 30", arg=[0.75, 40])
    assert 0 < page.evaluate("() => document.querySelector('li.open .spectrum').width") < wide / 2
    assert abs(page.evaluate(STRONGEST, 0.75)[0] - 40) < 30


def test_no_more_than_what_is_looked_at_is_read_or_drawn(opened):
    """Nothing is read of a clip before its item is opened, and a closed item's is let go."""
    seen = opened(tones(500), tones(700), number=1)
    page = seen.page
    page.wait_for_function(DRAWN)
    assert page.locator("audio").count() == 1
    assert sum(url.startswith("blob:") for url in seen.requests) <= 2
    page.keyboard.press("Escape")
    assert page.locator("audio").count() == 0


HALF_AN_HOUR = "Object.defineProperty(HTMLMediaElement.prototype, 'duration', { get: () => 1799 });"


@pytest.mark.parametrize(("form", "subtype"), [("WAV", "PCM_16"), ("FLAC", "PCM_16"), ("OGG", "VORBIS")])
def test_more_samples_than_a_page_can_hold_are_not_decoded(opened, form, subtype):
    clips = [tones(500, channels=channels, form=form, subtype=subtype) for channels in (7, 6)]
    seen = opened(*clips, script=HALF_AN_HOUR)  # at 16 kHz six channels of that are as much as half an hour can be
    page = seen.page
    page.wait_for_function("() => document.querySelector('li.open .player').dataset.state === 'none'")
    assert "too many samples for a picture" in page.locator("li.open .about").inner_text()
    assert page.locator("li.open audio").is_visible()
    page.locator("#list .row").nth(1).click()
    page.wait_for_function("() => document.querySelector('li.open .player').dataset.state !== 'waiting'")
    assert "too many" not in page.locator("li.open .about").inner_text()


def test_a_clip_that_is_no_sound_says_so_and_has_no_dead_controls(opened):
    seen = opened(b"fLaC" + b"\x00" * 90)
    page = seen.page
    page.wait_for_function("() => document.querySelector('li.open .player').dataset.state === 'none'")
    assert page.locator("li.open .player").inner_text() == "This browser cannot play the clip (audio/flac)."
    for gone in ("audio", ".seek", "canvas"):
        assert not page.locator(f"li.open {gone}").first.is_visible()


LOOPED = """
async (frames) => {
  const audio = document.querySelector("li.open audio"), seen = [];
  for (let i = 0; i < frames; i++) {
    await new Promise((next) => requestAnimationFrame(next));
    seen.push(audio.currentTime);
  }
  return seen;
}
"""
SPANS = {"options": ["[0.2, 0.6]", "[0.5, 0.9]", "[1.4, 2.6]", "[7, 8]"], "answer": "[0.5, 0.9]"}


@pytest.mark.slow
def test_options_that_are_ranges_of_time_are_bands_to_play_in_a_loop(opened):
    seen = opened(tones(500, 3000, 1000), **SPANS)
    page = seen.page
    page.wait_for_function(DRAWN)
    bands = page.get_by_role("group", name="Ranges to play in a loop").get_by_role("button")
    assert bands.all_inner_texts() == ["A", "✓ B", "C ▸"]  # the last is beyond the end; wrongly chosen is C
    boxes = [bands.nth(i).bounding_box() for i in range(3)]
    stage = page.locator("li.open .stage").bounding_box()
    assert boxes[1]["x"] == pytest.approx(stage["x"] + stage["width"] / 6, abs=3)
    assert boxes[1]["width"] == pytest.approx(stage["width"] * 0.4 / 3, abs=3)
    assert boxes[0]["y"] != boxes[1]["y"]  # they overlap
    right = page.get_by_role("button", name="Option B, the right one: play 0.5 to 0.9 s in a loop")
    right.click()
    assert right.get_attribute("aria-pressed") == "true"
    page.wait_for_function(f"() => ({NOW})() > 0.55")
    times = page.evaluate(LOOPED, 90)
    again = [after for before, after in itertools.pairwise(times) if after < before]
    assert again, times
    assert min(times) >= 0.49
    assert max(times) < 1.9  # a busy machine may be late, but the clip has 3 s
    page.get_by_role("slider", name="Position in Clip").press("End")
    assert right.get_attribute("aria-pressed") == "false"
    bands.nth(0).click()
    bands.nth(0).click()
    assert page.evaluate("() => document.querySelector('li.open audio').paused")
    assert seen.clean()


MARKS = """
(all) => all.map((band) => [...band.querySelectorAll(".mark")].map((mark) =>
  [...mark.classList].find((name) => name.startsWith("run-"))))
"""


def test_bands_that_do_not_overlap_share_a_lane_whatever_the_order_of_the_options(opened):
    seen = opened(tones(500, 3000, 1000), options=["[2.2, 2.8]", "[1.2, 1.6]", "[0.1, 0.5]"], answer="[1.2, 1.6]")
    seen.page.wait_for_function(DRAWN)
    boxes = [one.bounding_box() for one in seen.page.locator("li.open .band").all()]
    assert [one["x"] for one in boxes] == sorted((one["x"] for one in boxes), reverse=True)
    assert len({one["y"] for one in boxes}) == 1


def test_bands_say_who_chose_them_of_those_who_heard_the_clip(visit, made, make_benchmark, make_run, tmp_path):
    bench = make_benchmark([made.item(0, **SPANS)], {"audio/0.wav": tones(500, 3000)})

    def run(name, own, noise=None):
        said = {"plain": own, "noise": noise} if noise else {"plain": own}
        records = [ReplyRecord(item="small/000", variant=variant, text=text) for variant, text in said.items()]
        return make_run(bench, records, name=name, variants=tuple(said))

    runs = [run("one", "B", "A"), run("two", "A"), run("three", "B")]
    for some, said, marks in (
        (runs[:1], ["Option A:", "Option B, the right one, chosen:", "Option C:"], [[], [], []]),
        (
            runs,
            ["Option A, chosen by two:", "Option B, the right one, chosen by one, three:", "Option C:"],
            [["run-1"], ["run-0", "run-2"], []],
        ),
    ):
        seen = visit()
        page = seen.load(html.write(some, tmp_path / "report.html"))
        page.locator("#list .row").first.click()
        page.wait_for_function(DRAWN)
        bands = page.locator("li.open .band")
        names = [one.get_attribute("aria-label").partition(" play")[0] for one in bands.all()]
        assert [re.sub("[\u2068\u2069]|scripted/", "", name) for name in names] == said
        assert bands.evaluate_all(MARKS) == marks
        assert [("▸" in text) for text in bands.all_inner_texts()] == [False, len(some) == 1, False]
        assert seen.clean()


def test_an_item_that_is_opened_by_keyboard_is_scrolled_to(opened):
    seen = opened(*[tones(500)] * 9)
    page = seen.page
    top = "() => document.querySelector('li.open')?.getBoundingClientRect().top"
    page.keyboard.press("Escape")
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    for key in ("j", "j", "Enter"):
        page.keyboard.press(key)
    page.wait_for_function(f"() => ({top})() < 200 && ({top})() >= 0")
    assert page.locator("li.open .stage").evaluate("n => n.getBoundingClientRect().bottom < innerHeight")
    page.keyboard.press("Escape")
    page.evaluate("() => scrollBy(0, -300)")
    before = page.evaluate("() => scrollY")
    page.locator("#list .row").nth(1).click()
    page.wait_for_selector("li.open .facts")
    assert page.evaluate("() => scrollY") == before  # a mouse stays where it was


def test_answers_have_what_is_left_of_their_line_and_tasks_their_names(opened):
    options = [
        "a synthesised voice",
        "a human voice that goes on for very much longer than there is room for in any row",
    ]
    task = "Music note analysis: velocity of each note"
    card = (
        f'[benchmark]\nname = "small"\nversion = "1"\n[[task]]\nname = "bell"\ntitle = "{task}"\n[[task]]\nname = "b"\n'
    )
    each = [{"task": "bell"}, {"task": "b"}]
    seen = opened(tones(500), tones(500), card=card, options=options, answer=options[0], texts=["B", "A"], each=each)
    cut = "(all) => all.map((text) => text.scrollWidth > text.clientWidth)"
    rows = seen.page.locator("#list > li:not(.open) .row")
    seen.page.keyboard.press("Escape")
    assert rows.nth(0).locator(".answers bdi").evaluate_all(cut) == [False, True]
    assert rows.nth(1).locator(".answers bdi").evaluate_all(cut) == [False, False]
    assert rows.nth(0).locator(".of-task").evaluate("n => n.scrollHeight <= n.clientHeight && n.clientHeight > 30")


def test_options_that_only_look_like_ranges_are_no_bands(opened):
    options = [["1-2", "2-3"], ["(0, 1)", "(1, 2)"], ["[0.2, 0.6]", "the end"], ["[2, 1]", "[1, 2]"]]
    seen = opened(*[tones(500)] * 4, each=[{"options": one, "answer": one[0]} for one in options])
    for row in range(4):
        seen.page.locator("#list .row").nth(row).click() if row else None
        seen.page.wait_for_function(DRAWN)
        assert f"small/00{row}" in seen.page.locator("li.open").inner_text()
        assert seen.page.locator("li.open .band").count() == 0


def test_reference_and_reply_of_a_grounding_task_are_bands_that_stay_over_the_picture(opened):
    card = '[benchmark]\nname = "small"\nversion = "1"\n[[task]]\nname = "bell"\nkind = "open"\n'
    said = {"options": [], "task": "bell", "answer": "[0.5, 0.9]"}
    seen = opened(tones(500), card=card, texts=["0.95 s to 0.99 s"], width=400, **said)
    seen.page.wait_for_function(DRAWN)
    bands = seen.page.locator("li.open .band")
    assert bands.all_inner_texts() == ["✓ reference", "reply"]
    stage = seen.page.locator("li.open .stage").bounding_box()
    for box in (bands.nth(0).bounding_box(), bands.nth(1).bounding_box()):
        assert stage["x"] <= box["x"]
        assert box["x"] + box["width"] <= stage["x"] + stage["width"] + 1
    assert bands.nth(1).evaluate("n => n.scrollWidth <= n.clientWidth")


HEARD = """
window.heard = [];
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => { heard.push(blob.arrayBuffer()); return make(blob); };
"""
HASHED = """
async () => {
  const hash = async (bytes) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", await bytes))];
  return Promise.all(heard.map(hash));
}
"""


@pytest.mark.slow
def test_wordings_orders_and_repeats_have_the_numbers_of_the_charts(visit, made, make_benchmark, tmp_path):
    card = (
        '[benchmark]\nname = "b"\n[[task]]\nname = "sounds"\nwordings = ["Here: {{question}}", "So? {{question}}"]\n'
        '[[task]]\nname = "moods"\nkind = "label"\nlabels = ["sad", "glad"]\nwordings = ["Sad or glad?", "Mood?"]\n'
    )
    items = [made.item(0, task="sounds"), made.item(1, task="moods", options=[], answer="sad")]
    folder = make_benchmark(items, card=card)
    ways = ("--wordings", "2", "--orders", "2", "--repeats", "2", "--variant", "noise")
    asked = [sys.executable, "-m", "audiometry", "run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r"]
    subprocess.run([*asked, *ways], check=True, capture_output=True)
    page = visit().load(html.write([tmp_path / "r"]))
    choices = page.locator("#variant option").all_text_contents()
    assert choices[1:3] == [
        "its own clip, wording 1, options in order 1, repeat 1",
        "its own clip, wording 1, options in order 2, repeat 1",
    ]
    assert "its own clip, wording 2, options in order 2, repeat 2" in choices
    assert "noise in place of the clip (noise)" in choices
    page.locator("#list .row").nth(1).click()  # without options
    titles = page.locator("li.open h3").all_text_contents()
    assert "With its own clip, wording 2, order 1, repeat 2" in titles
    assert len(set(titles)) == len(titles)
    assert not any("options" in title for title in titles)
    assert "2 wordings × 2 orders × 2 repeats, noise" in page.locator("body").text_content()


def test_an_opened_item_shows_the_prompt_and_what_was_heard(visit, made, make_benchmark, tmp_path):
    entries = [made.item(i, question=f"What is <b>clip</b> {i}?") for i in range(2)]
    bench, folder = make_benchmark(entries), tmp_path / "asked"
    variants = ("--orders", "2", "--variant", "other-clip", "--variant", "silence", "--variant", "text-only")
    asked = [sys.executable, "-m", "audiometry", "run", str(bench), "--model", "scripted/oracle", "-o", str(folder)]
    subprocess.run([*asked, *variants], check=True, capture_output=True)
    seen = visit()
    seen.page.add_init_script(HEARD)
    page = seen.load(html.write([folder]))
    page.locator("#list .row").first.click()
    groups = page.locator("li.open .group")
    titles = (
        "its own clip, options in order 1",
        "its own clip, options in order 2",
        "silence in place of the clip (silence)",
        "another item's clip (other-clip)",
        "no clip, the words alone (text-only)",
    )
    assert groups.locator("h3").all_inner_texts() == [f"With {title}" for title in titles]
    choices = page.locator("#variant option").all_text_contents()
    assert choices == ["with their own clip", *titles, "any variant"]
    plain, order, silence, other, words = (groups.nth(i) for i in range(5))
    for one in (plain, order, silence, other, words):
        one.locator(".prompt summary").click()
        said = one.locator(".turn pre").inner_text()
        options = zip("ABCD", one.locator(".options .text").all_inner_texts(), strict=True)
        told = "\n".join(f"{letter}. {option}" for letter, option in options)
        end = "Exactly one of these options is right. Reply with its letter and nothing else."
        assert said == f"What is <b>clip</b> 0?\n\n{told}\n\n{end}"
    assert plain.locator(".options .text").all_inner_texts() != order.locator(".options .text").all_inner_texts()
    assert plain.locator(".turn > *").all_inner_texts()[:2] == ["user", "♪ clip"]
    assert "replaced by" not in silence.inner_text()  # which is said where the sound would be
    assert "Before sending, the clip was replaced by the clip of" in other.inner_text()
    assert "there is nothing to hear" in silence.inner_text()
    assert other.locator(".path").inner_text() == "audio/1.wav"
    assert "♪ clip" not in words.inner_text()
    assert "No clip was sent" in words.inner_text()
    heard = page.evaluate(HASHED)
    own, stood_in = ((bench / entry["file_name"]).read_bytes() for entry in entries)
    assert [bytes(one) for one in heard] == [hashlib.sha256(data).digest() for data in (own, stood_in)]
    assert seen.clean()


def test_errors_stand_in_their_place_as_many_as_are_counted(opened):
    card = '[benchmark]\nname = "small"\nversion = "1"\n[[task]]\nname = "bell"\nkind = "transcript"\n'
    words = {"options": [], "task": "bell", "answer": "The cat sat on the <b>mat</b> today."}
    seen = opened(tones(500), card=card, texts=["a cat sat on the red <b>mat</b>"], **words)
    line, key = seen.page.locator("li.open .in-place"), seen.page.locator("li.open .errors p.small")
    signs = key.locator(".edit").all_text_contents()
    assert signs == ["missing", "added", "duesaid"]
    assert "as the measure normalises both texts" in seen.page.locator("li.open .panel > p.small").inner_text()
    assert key.inner_text().endswith("said.")  # not under each reply
    assert line.locator(".edit").all_text_contents() == [" for the said a", " added red", " missing today"]
    lines = "n => [...n.querySelectorAll('del, ins')].map((m) => getComputedStyle(m).textDecorationLine)"
    assert line.evaluate(lines) == ["line-through", "underline", "underline", "line-through"]
    assert "1 substituted, 1 missing, 1 added" in seen.page.locator("li.open .score").first.get_attribute("title")


def test_only_kinds_of_errors_that_occur_are_explained(opened):
    card = '[benchmark]\nname = "small"\nversion = "1"\n[[task]]\nname = "bell"\nkind = "transcript"\n'
    seen = opened(tones(500), card=card, texts=["the cat"], options=[], task="bell", answer="The cat sat.")
    assert seen.page.locator("li.open .errors p.small .edit").all_inner_texts() == ["missing"]


def test_clips_of_any_usual_kind_are_drawn_at_their_own_rate(opened):
    forms = (("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("MP3", "MPEG_LAYER_III"))
    seen = opened(*(tones(1000, seconds=2.0, form=form, subtype=subtype) for form, subtype in forms))
    for row, form in enumerate(forms):
        seen.page.locator("#list .row").nth(row).click() if row else None
        seen.page.wait_for_function(DRAWN)
        said = seen.page.locator("li.open .about").inner_text()
        assert "16 kHz" in said, form
        assert "decoded at" not in said, form
        place, height = seen.page.evaluate(STRONGEST, 0.5)
        assert abs(place - row_of(1000, height)) <= 3, form


def test_the_rate_of_opus_is_said_to_be_the_decoders(opened):
    seen = opened(tones(1000, seconds=1.0, form="OGG", subtype="OPUS"))
    seen.page.wait_for_function(DRAWN)
    assert "s · Opus, decoded at 48 kHz · mono" in seen.page.locator("li.open .about").inner_text()


FUSSY = """
window.OfflineAudioContext = class extends OfflineAudioContext {
  constructor(channels, frames, rate) {
    if (rate < 44100) throw new DOMException("no", "NotSupportedError");
    super(channels, frames, rate);
  }
};
"""


def test_a_rate_that_a_browser_does_not_decode_at_is_said(opened):
    seen = opened(tones(500, 3000), script=FUSSY)
    seen.page.wait_for_function(DRAWN)
    said = seen.page.locator("li.open .about").inner_text()
    assert said.startswith("2.00 s · 16 kHz · mono")
    assert "decoded at 48 kHz by this browser: shown up to 8 kHz" in said


def test_linked_clips_are_drawn_from_a_server_and_said_not_to_be_from_a_disk(
    visit, made, make_benchmark, make_run, served, monkeypatch
):
    monkeypatch.setattr(clips, "MOST_EMBEDDED", 100)
    entries = [made.item(0)]
    report = html.write([make_run(make_benchmark(entries, {"audio/0.wav": tones(500)}), made.answers(entries))])
    assert "connect-src 'self';" in report.read_text()  # and nothing else; a page with its clips inside has none
    page = visit().load(report)
    page.locator("#list .row").click()
    page.wait_for_function("() => document.querySelector('li.open .player').dataset.state === 'none'")
    said = "The picture needs the clip inside the page, or the page on a web server."
    assert page.locator("li.open .about").inner_text() == said
    page.wait_for_function("() => document.querySelector('li.open audio').duration > 0")
    fetched = visit()
    fetched.page.goto(served(report))
    fetched.page.locator("#list .row").click()
    fetched.page.wait_for_function(DRAWN)
    assert fetched.problems == []


@pytest.mark.slow
def test_an_opened_item_stands_in_nobodys_way(opened, axe, made):
    seen = opened(tones(500, 3000, 1000), **SPANS)
    seen.page.wait_for_function(DRAWN)
    seen.page.locator(".band").first.click()
    for width, scheme in ((1280, "light"), (400, "dark")):
        seen.page.set_viewport_size({"width": width, "height": 900})
        seen.page.emulate_media(color_scheme=scheme)
        assert axe(seen.page) == [], width
        assert seen.page.evaluate(made.CONTRAST) == []
        assert seen.page.evaluate(made.OVERFLOW) == 0


DEAF = "OfflineAudioContext.prototype.decodeAudioData = async () => { throw new DOMException('no', 'EncodingError'); };"


def test_what_plays_but_is_not_drawn_says_why_and_keeps_its_controls(opened):
    out = io.BytesIO()
    soundfile.write(out, np.zeros(3000 * 1801, np.int16), 3000, format="FLAC")
    seen = opened(out.getvalue(), tones(500), script=DEAF)
    for row, why in enumerate(("drawn of up to 30 minutes", "cannot decode it for a picture")):
        seen.page.locator("#list .row").nth(row).click() if row else None
        seen.page.locator("li.open .about", has_text=why).wait_for()
        assert seen.page.locator("li.open audio").is_visible()
        assert not seen.page.locator("li.open canvas").first.is_visible()


@pytest.mark.slow
def test_runs_that_were_asked_otherwise_show_each_its_own_whatever_they_are_called(
    visit, made, make_benchmark, tmp_path
):
    bench = make_benchmark([made.item(i, task="bell") for i in range(4)])
    folders = [tmp_path / name for name in ("\u202eevil", "m" * 120)]
    for seed, (folder, prompt) in enumerate(zip(folders, ("ours", "airbench"), strict=True)):
        words = ["run", str(bench), "--model", "scripted/oracle", "--seed", str(seed), "--prompt", prompt]
        words += ["--variant", "other-clip", "-o", str(folder)]
        subprocess.run([sys.executable, "-m", "audiometry", *words], check=True, capture_output=True)
    seen = visit(400)
    page = seen.load(html.write(folders, tmp_path / "both.html"))
    page.locator("#list .row").first.click()
    prompts = page.locator("li.open .group").first.locator(".prompt")
    assert prompts.count() == 2
    for one in prompts.all():
        one.locator("summary").click()
    texts = prompts.locator("pre").all_inner_texts()
    assert texts[0].startswith("What do you hear in clip 0?")
    assert texts[1].startswith("Pick, out of the options")
    assert prompts.first.locator("summary").inner_text().startswith("Prompt as it was sent to \u2068")
    assert page.evaluate(made.OVERFLOW) == 0
    assert seen.clean()
