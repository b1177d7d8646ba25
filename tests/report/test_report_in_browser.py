"""The report in a real browser: headless Chromium, by keyboard, at every width, in both themes."""

import json
from urllib.parse import parse_qs

import pytest

from audiometry.records import Failure, ReplyRecord
from audiometry.report import html
from audiometry.run.probing import result
from audiometry.run.probing.result import Finding
from audiometry.score import score
from audiometry.score.judge.planning import named
from audiometry.score.opened import open_run

pytestmark = pytest.mark.browser

SHOWN = "() => [...document.querySelectorAll('#list > li')].map((li) => li.querySelector('.asks').textContent)"
UNNAMED = """
() => [...document.querySelectorAll("input, select, button, a, audio")]
  .filter((node) => !(node.labels?.length || node.textContent.trim() || node.ariaLabel)).length
"""
NARROWEST = """
(selector) => Math.min(...[...document.querySelectorAll(selector)].map((node) => node.getBoundingClientRect().width))
"""
FOCUSED = "() => document.activeElement.id || document.activeElement.className || document.activeElement.tagName"


SCALES = """
(table) => [...table.querySelectorAll("tbody tr")].map((row) =>
  [row.querySelector("svg.plot path.mark") !== null, row.querySelector(".under")?.innerText || ""])
"""

BROKEN = r"""
() => [...document.querySelectorAll("main th, main td, main h2, main h3")].flatMap((cell) => {
  const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), found = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.parentElement.closest("script, svg, .visually-hidden")) continue;
    for (const word of node.data.matchAll(/(?<!\w)[\w.,%]{2,20}(?!\w)/g)) {
      const range = document.createRange();
      range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1) found.push(`${cell.closest("section")?.id}: ${word[0]}`);
    }
  }
  return found;
})
"""


@pytest.fixture
def items(made):
    entries = [made.item(i) for i in range(130)]
    entries[1] = made.item(1, question="A question of one very long word: " + "m" * 300)
    entries[2] = made.item(2, file_name="audio/gone.wav")
    return entries


@pytest.fixture
def records(made, items):
    """Of every verdict some, and one reply that reasons at length."""
    found = made.answers(items, right=lambda i: i % 5 != 0)
    for i in range(3, 130, 20):
        found[i] = ReplyRecord(item=items[i]["id"], error=Failure(kind="timeout", message="x" * 400), attempts=3)
        found[i + 1] = ReplyRecord(item=items[i + 1]["id"], text="I'm sorry, I can't help with that.")
        found[i + 2] = ReplyRecord(item=items[i + 2]["id"], text="Hard to say. " * 200, notes="low, 118 Hz")
    return found


@pytest.fixture
def bench(items, make_benchmark):
    return make_benchmark(items, {"audio/gone.wav": None})


@pytest.fixture
def run(bench, records, make_run):
    return make_run(bench, records)


@pytest.fixture(scope="module")
def kept():
    """The pages below, each written once: no test changes them."""
    return {}


@pytest.fixture
def report(kept, request):
    if "report" not in kept:
        kept["report"] = html.write([request.getfixturevalue("run")])
    return kept["report"]


@pytest.fixture
def pair(kept, request, items, records, make_run, tmp_path):
    if "pair" in kept:
        return kept["pair"]
    bench, names = request.getfixturevalue("bench"), ("model" * 30, "other")
    variants = ("plain", "order-1")
    more = [ReplyRecord(item=entry["id"], variant=v, text="B") for entry in items for v in variants]
    runs = [make_run(bench, records, name=names[0]), make_run(bench, more, name=names[1], variants=variants)]
    kept["pair"] = html.write(runs, tmp_path / "pair.html")
    return kept["pair"]


@pytest.fixture
def beyond(kept, made, make_benchmark, make_run, tmp_path):
    """Two runs with published systems, variants without the clip and hearing tests, one of which found much."""
    if "beyond" in kept:
        return kept["beyond"]
    items = made.airbench_items()
    bench = make_benchmark(items, name="airbench", card=made.airbench_card())
    without = [ReplyRecord(item=entry["id"], variant="noise", text="A") for entry in items]
    runs = [
        make_run(bench, made.answers(items, right=right) + without, name=name, variants=("plain", "noise"))
        for name, right in (("hears", lambda _: True), ("guesses" * 12, lambda i: i % 4 == 0))
    ]
    result.write(runs[0], made.probe())
    result.write(runs[1], made.probe(hears=False, findings=(Finding(cause="cut", message="m" * 300),), stopped="late"))
    kept["beyond"] = html.write(runs, tmp_path / "beyond.html")
    return kept["beyond"]


def test_it_fits_every_width_in_both_themes_and_says_nothing_on_the_console(visit, report, pair, beyond, made):
    for path in (report, pair, beyond):
        seen = visit(1600)
        page = seen.load(path)
        page.locator("#list .row").nth(1).click()
        page.evaluate("() => document.querySelectorAll('section > details').forEach((d) => { d.open = true; })")
        for width in (1600, 1280, 840, 800, 400):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(made.OVERFLOW) == 0, (path.name, width)
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(made.OVERFLOW) == 0, path.name
        assert seen.clean()


def test_no_column_of_tasks_or_rules_is_out_of_sight_on_a_wide_screen(visit, report, beyond):
    for path in (report, beyond):
        page = visit(1280).load(path)
        wide = "(all) => all.filter((n) => n.scrollWidth > n.clientWidth + 1).map((n) => n.ariaLabel)"
        assert page.locator("#tasks > .shown .scroll, #rules > .shown .scroll").evaluate_all(wide) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 900, 1280])
def test_drawings_and_names_keep_their_room_beside_numbers_and_no_word_is_broken(visit, beyond, pair, width):
    page = visit(width).load(pair)
    page.evaluate("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate(BROKEN) == []
    page = visit(width).load(beyond)
    page.evaluate("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate(BROKEN) == []
    assert page.evaluate(NARROWEST, ".chart svg.plot") >= 90  # px
    assert page.evaluate(NARROWEST, ".plain th[scope=row]") >= 100


def test_all_text_can_be_read_in_both_themes(visit, report, pair, beyond, made):
    for path in (report, pair, beyond):
        page = visit(1280).load(path)
        page.evaluate("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        for row in (0, 3, 5):
            page.locator("#list .row").nth(row).click()
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert page.evaluate(made.CONTRAST) == [], (path.name, scheme)


CUT = """
(all) => all.filter((tick) => {
  const box = tick.getBoundingClientRect(), room = tick.closest(".scroll").getBoundingClientRect();
  return box.width && (box.left < room.left || box.right > room.right);
}).map((tick) => tick.innerText)
"""


def test_narrow_and_printed_pages_keep_their_scales_and_show_where_tables_go_on(visit, beyond):
    page = visit(400).load(beyond)
    assert page.locator(".scroll .under .ticks span").evaluate_all(CUT) == []
    axis = page.locator("#comparison .legend .under").first
    assert "A better → · A − B, points" in axis.inner_text()  # its head is not there
    rows = page.locator("#tasks table").first.evaluate(SCALES)
    assert any(drawn for drawn, _ in rows)
    assert all(text.split() == ["0", "25", "50", "75", "100"] for drawn, text in rows if drawn)
    wide = "() => [...document.querySelectorAll('.scroll')].filter((n) => n.scrollWidth > n.clientWidth)"
    shades = page.evaluate(f"{wide}.map((n) => getComputedStyle(n).backgroundAttachment)")
    assert shades
    assert set(shades) == {"local, local, scroll, scroll"}
    page.set_viewport_size({"width": 1280, "height": 900})
    assert not page.locator("#tasks .under").first.is_visible()
    assert not axis.is_visible()
    page.set_viewport_size({"width": 661, "height": 900})  # A4 in print
    page.emulate_media(media="print")
    assert page.locator("#tasks thead .ticks").first.is_visible()
    assert set(page.evaluate(f"() => ({wide})().map((n) => getComputedStyle(n).overflowX)")) <= {"visible"}


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 900, 1040, 1280])
def test_what_is_led_to_does_not_stand_under_the_head_of_the_page(visit, beyond, width):
    page = visit(width).load(beyond)
    for link in page.locator("nav a").all():
        link.click()
        bar, there = (page.locator(one).bounding_box() for one in (".top", link.get_attribute("href")))
        assert there["y"] >= bar["y"] + bar["height"], link.inner_text()


def test_sections_lead_to_each_other_and_wide_tables_can_be_scrolled_by_keyboard(visit, beyond):
    seen = visit(400)
    page = seen.load(beyond)
    links = page.locator("nav a")
    for name in ("Published", "Listening", "Probe", "Rules"):
        link = links.filter(has_text=name)
        assert page.locator(link.get_attribute("href")).count() == 1
    page.get_by_text("All 19 tasks").click()
    region = page.get_by_role("region", name="Share correct by task: chance, runs")
    region.focus()
    assert page.evaluate("() => document.activeElement.matches(':focus-visible, .scroll')")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.activeElement.scrollLeft > 0")
    table = page.get_by_role("table", name="Share correct by category")
    assert table.get_by_role("rowheader").count() == 2 + 2 + 9
    assert table.get_by_role("columnheader").count() == 1 + 1 + 5  # the name, the drawing
    rules = page.get_by_role("table", name="Share correct under each profile")
    assert rules.get_by_role("rowheader").count() == sum("choice" in one.readers for one in named(["all"]))
    assert page.evaluate(UNNAMED) == 0
    assert seen.clean()


def test_filters_by_verdict_count_what_the_score_counts(visit, run, report):
    scored = score(open_run(run)).scores["strict"]
    seen = visit()
    page = seen.load(report)
    correct = round(scored.over_answered * scored.n_answered)
    expected = {
        "all": scored.n_items,
        "correct": correct,
        "wrong": scored.n_answered - correct,
        "unanswered": scored.n_unanswered,
        "refused": scored.n_refused,
        "failed": scored.n_failed,
    }
    assert min(expected.values()) > 0
    for name, n in expected.items():
        assert page.locator(f"label[for=verdict-{name}] .n").text_content() == str(n)
        page.locator(f"label[for=verdict-{name}]").click()
        assert page.locator("#status").text_content().split()[0] == str(n)
        for mark in page.locator("#list .verdict").all_text_contents() if name != "all" else []:
            assert mark.endswith(name)
    for task, row in scored.tasks.items():
        page.locator("#clear").click()
        page.locator("#task").select_option(task)
        assert page.locator("#status").text_content() == f"{row.n_items} of {scored.n_items} items"
    assert seen.clean()


def test_a_search_finds_words_in_questions_replies_tags_and_ids(visit, report):
    page = visit().load(report)
    for query, said in (
        ("small/077", "1 of 130 items"),
        ("HARD to say", "7 of 130 items"),
        ("made for test 99", "1 of 130 items"),
        ("nothing like it", "No item is like that. Clear the filters to see all."),
    ):
        page.locator("#search").fill(query)
        page.wait_for_function("said => document.getElementById('status').textContent === said", arg=said)
        assert page.locator("#list > li").count() == (int(said[0]) if said[0].isdigit() else 0)


def test_pages_hold_fifty_items_and_lead_to_all(visit, report):
    page = visit().load(report)
    seen = page.evaluate(SHOWN)
    for _ in range(2):
        assert len(seen) % 50 == 0
        page.locator("#next").click()
        seen += page.evaluate(SHOWN)
    assert len(set(seen)) == 130
    assert page.locator("#next").is_disabled()
    assert page.locator("#page").text_content() == "Page 3 of 3"


def test_the_keyboard_alone_reaches_filters_items_and_sound(visit, report):
    seen = visit()
    page = seen.load(report)
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to the items"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "verdict-all"
    assert page.evaluate("() => document.activeElement.matches(':focus-visible')")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(FOCUSED) == "verdict-wrong"
    assert set(page.locator("#list .verdict").all_text_contents()) == {"✗wrong"}
    for expected in ("search", "task", "tag", "how", "sort", "clear", "link"):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED) == expected
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "row"
    page.keyboard.press("Enter")
    first = page.locator("li.open .asks").text_content()
    page.keyboard.press("j")
    assert page.locator("li.open .asks").text_content() != first
    page.keyboard.press("ArrowUp")
    assert page.locator("li.open .asks").text_content() == first
    page.keyboard.press("p")
    page.wait_for_function("() => document.querySelector('li.open audio').duration > 0")
    page.wait_for_function("() => document.querySelector('li.open audio').played.length > 0")
    page.keyboard.press("Escape")
    assert page.locator("li.open").count() == 0
    assert page.evaluate(FOCUSED) == "row"
    page.keyboard.press("/")
    page.keyboard.type("small/076")
    page.wait_for_function("() => document.querySelectorAll('#list > li').length === 0")
    page.keyboard.press("Escape")
    assert page.locator("#search").input_value() == ""
    assert page.locator("#list > li").count() > 1
    assert seen.clean()


def test_the_next_item_after_the_last_of_a_page_is_on_the_next(visit, report):
    page = visit().load(report)
    page.locator("#list .row").last.focus()
    page.keyboard.press("j")
    assert page.locator("#page").text_content() == "Page 2 of 3"
    page.keyboard.press("k")
    assert page.locator("#page").text_content() == "Page 1 of 3"


@pytest.mark.slow
def test_an_open_item_shows_all_there_is_to_know(visit, report):
    page = visit().load(report)
    page.locator("#list .row").nth(6).click()
    assert page.locator("li.open .options li").all_text_contents() == [
        "Aa low bell",
        "Ba high bell",
        "Ca cracked bell✓ right answer▸ chosen",
        "Dno bell",
    ]
    text = page.locator("li.open").inner_text()
    for part in ("read as C by rule", "0.50 s", "small/006", "kind-0", "made for test 6", "CC0-1.0", "audio/6.wav"):
        assert part in text
    page.locator("#list .row").nth(5).click()
    text = page.locator("li.open").inner_text()
    assert "not read, because" in text
    assert "All 2,600 characters" in text
    assert "low, 118 Hz" in text
    page.locator("#list .row").nth(2).click()
    assert "Nothing to play: the file cannot be read" in page.locator("li.open").inner_text()
    page.locator("#list .row").nth(3).click()
    assert "timeout: xxxx" in page.locator("li.open").inner_text()


def test_a_link_to_an_item_opens_it_whatever_is_filtered(visit, report):
    seen = visit()
    page = seen.load(report)
    page.locator("label[for=verdict-refused]").click()
    link = page.locator("#examples details[open] a").first
    wanted = parse_qs(link.get_attribute("href").removeprefix("#browser?"))["item"][0]
    link.click()
    assert wanted in page.locator("li.open .facts").inner_text()
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("li.open")
    assert wanted in page.locator("li.open .facts").inner_text()
    assert seen.clean()


def test_several_runs_show_each_reply_and_where_they_differ(visit, pair):
    seen = visit()
    page = seen.load(pair)
    assert page.locator("#run-field").is_visible()
    assert page.locator("#variant-field").is_visible()
    page.locator("#list .row").nth(6).click()
    assert page.locator("li.open h3").all_text_contents() == [
        "With its own clip, options in order 1",
        "With its own clip, options in order 2",
    ]
    assert page.locator("li.open .said").count() == 3
    page.locator("#list .row").nth(6).click()
    items = json.loads(page.locator("script#items").text_content())
    same = next(n for n, item in enumerate(items) if not any(reply.get("order") for reply in item["replies"]))
    page.locator("#list .row").nth(same).click()
    said = page.locator("li.open h3").last.text_content()
    assert said == "With its own clip, options in order 2, which is the same as 1"
    page.locator("#run").select_option(label="scripted/other")
    assert page.locator("#status").text_content() == "130 items, 260 replies"
    page.locator("#variant").select_option("order-1")
    assert page.locator("#status").text_content() == "130 items"
    page.locator("#clear").click()
    page.locator("label[for=verdict-differ]").click()
    n = int(page.locator("#status").text_content().split()[0])
    assert 0 < n < 130
    assert page.locator("label[for=verdict-differ] .n").text_content() == str(n)
    assert seen.clean()


def test_variants_without_the_clip_count_only_when_asked_for(visit, items, bench, records, make_run):
    more = [ReplyRecord(item=entry["id"], variant="silence", text="A") for entry in items]
    page = visit().load(html.write([make_run(bench, records + more, variants=("plain", "silence"))]))
    assert page.locator("#status").text_content() == "130 items"
    assert page.locator("#list > li").first.locator(".verdict").count() == 1
    page.locator("#variant").select_option("every")
    assert page.locator("#status").text_content() == "130 items, 260 replies"
    assert page.locator("#list > li").first.locator(".verdict").count() == 2


def test_hostile_texts_do_not_run(visit, made, make_benchmark, make_run):
    entries = [
        made.item(i, id=f"{i} {payload}", question=payload, source=payload, meta=payload, licence=payload)
        | {"options": [payload, "b", "c", "d"], "answer": payload, "tags": {payload: payload}}
        for i, payload in enumerate(made.PAYLOADS)
    ]
    records = [
        ReplyRecord(item=entry["id"], text=entry["question"], notes=entry["question"], finish_reason=entry["question"])
        for entry in entries
    ]
    records[1] = ReplyRecord(
        item=entries[1]["id"], error=Failure(kind=made.PAYLOADS[1], message=made.PAYLOADS[2]), audio_changes=("<b>",)
    )
    seen = visit()
    page = seen.load(html.write([make_run(make_benchmark(entries), records, model=made.PAYLOADS[2])]))
    for i, payload in enumerate(made.PAYLOADS):
        page.locator("#list .row").nth(i).click()
        assert page.locator("li.open .asks").text_content() == payload
        assert page.locator("li.open .options li .text").first.text_content() == payload
        assert f"{i} {payload}" in page.locator("li.open dl").text_content()
    assert page.evaluate("() => window.pwned") is None
    assert page.evaluate("() => document.querySelectorAll('img, b, script[src]').length") == 0
    assert seen.clean()


def test_linked_clips_play_and_damaged_ones_say_that_they_do_not(visit, made, make_benchmark, make_run, monkeypatch):
    from audiometry.report import clips

    monkeypatch.setattr(clips, "MOST_EMBEDDED", 100)
    entries = [made.item(0), made.item(1)]
    bench = make_benchmark(entries, {"audio/1.wav": b"fLaC" + b"\x00" * 90})
    page = visit().load(html.write([make_run(bench, made.answers(entries))]))
    page.locator("#list .row").first.click()
    assert page.locator("li.open audio").get_attribute("src").startswith("report.html-audio/")
    page.wait_for_function("() => document.querySelector('li.open audio').duration > 0")
    page.locator("#list .row").nth(1).click()
    page.locator("li.open .none").wait_for()
    assert "cannot play" in page.locator("li.open .none").text_content()


def test_roles_and_names_are_there_for_those_who_cannot_see(visit, report):
    page = visit(400).load(report)
    for role, name in (("navigation", "Sections"), ("search", "Filter the items"), ("list", "Items")):
        assert page.get_by_role(role, name=name).count() == 1
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("heading", level=1).count() == 1
    chart = page.get_by_role("table", name="Share correct by task")
    assert chart.get_by_role("rowheader").count() == 5
    assert chart.get_by_role("columnheader").count() == 11  # with what became of replies that are no answers
    assert page.evaluate(UNNAMED) == 0


def test_it_reads_without_scripts(browser, report):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.resolve().as_uri())
    assert "needs JavaScript" in page.locator("#browser").inner_text()
    assert "Mean of categories" in page.locator("#tasks").inner_text()
    context.close()


def test_paper_is_white_and_its_ink_dark_whatever_the_theme(visit, report, made):
    page = visit(800, "dark").load(report)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(made.CONTRAST) == []
    assert not page.locator("#filters").is_visible()


PAPER = """
() => [...document.querySelectorAll("main table")].filter((table) => table.checkVisibility()).map((table) => {
  const style = (node) => node && getComputedStyle(node);
  const cells = [...table.querySelectorAll("tbody th, tbody td:not(.drawn)")].map((cell) => style(cell).fontSize);
  return [style(table).display, style(table.tHead).display, [...new Set(cells)].length];
})
"""


def test_on_paper_tables_stay_tables_caveats_are_open_and_tables_in_folds_are_as_on_the_page(visit, beyond):
    page = visit(661).load(beyond)  # A4
    page.emulate_media(media="print")
    assert set(map(tuple, page.evaluate(PAPER))) == {("table", "table-header-group", 1)}
    assert not any(link.is_visible() for link in page.locator("a.items").all())
    assert page.locator("#examples a").evaluate_all(
        "(all) => all.every((link) => getComputedStyle(link).color === getComputedStyle(link.parentNode).color)"
    )
    assert page.locator(".made:not(.bulk) .facts").first.is_visible()
    bulk = page.locator("details.bulk:not([open])")
    said = "(all) => all.map((fold) => getComputedStyle(fold.querySelector('summary'), '::after').content)"
    assert set(bulk.evaluate_all(said)) == {'" (closed: it is printed once it is opened on the page)"'}
    assert not bulk.first.locator("table").first.is_visible()
    bulk.first.evaluate("(fold) => { fold.open = true; }")
    assert page.locator("details.bulk[open] table").first.is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_anybodys_way(serious, report, pair, beyond, scheme):
    assert serious([report, pair, beyond], scheme) == []
