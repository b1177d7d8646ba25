"""The page of open questions in a real browser: every width, both themes, by keyboard, with hostile texts."""

import pytest

from audiometry.records import Failure, ReplyRecord
from audiometry.report import html
from audiometry.run.probing import result

pytestmark = pytest.mark.browser

SHOWN = "() => [...document.querySelectorAll('#list .asks')].map((node) => node.textContent)"
SCORES = "() => [...document.querySelectorAll('#list .row .score')].map((node) => parseFloat(node.textContent))"
FOCUSED = "() => document.activeElement.className || document.activeElement.id"
UNNAMED = """
() => [...document.querySelectorAll("input, select, button, a, audio, [role=region], pre[tabindex]")]
  .filter((node) => !(node.labels?.length || node.textContent.trim() || node.ariaLabel)).length
"""


def say(pair):
    """The reply is worth what it says; the place in front is worth one more."""
    reply = next(text for text in pair.answers if text.startswith("Worth"))
    worth = int(reply.split()[1].rstrip("."))
    scores = [8, worth] if pair.order == "reference-first" else [min(10, worth + 1), 8]
    return "no idea" if worth == 7 else f"{scores[0]} {scores[1]}"


@pytest.fixture
def bench(made, make_benchmark):
    items = [made.open_item(i) for i in range(60)]
    items[1] = made.open_item(1, question="A question of one very long word: " + "m" * 300, meta="d" * 3000)
    return make_benchmark(
        items, {"audio/2.wav": None}, name="open", card=made.OPEN_CARD.replace("{name}", "airbench/chat")
    )


@pytest.fixture
def records():
    found = [
        ReplyRecord(item=f"open/{i:03d}", text=f"Worth {1 + i % 10}.", latency_s=0.5, attempts=1) for i in range(60)
    ]
    found[10] = ReplyRecord(item="open/010", error=Failure(kind="timeout", message="x" * 400), attempts=3)
    found[11] = ReplyRecord(item="open/011", text="")
    found[12] = ReplyRecord(item="open/012", text="Worth 3. " + "And so on. " * 400)
    return found


@pytest.fixture
def report(made, bench, records, make_run):
    more = [ReplyRecord(item=f"open/{i:03d}", variant="silence", text=f"Worth {1 + i % 3}.") for i in range(60)]
    run = make_run(bench, records + more, variants=("plain", "silence"))
    result.write(run, made.probe())
    made.verdicts(run, say)
    return html.write([run])


@pytest.fixture
def pair(made, bench, records, make_run, tmp_path):
    runs = [make_run(bench, records, name=name) for name in ("model" * 30, "other")]
    for run in runs:
        made.verdicts(run, say)
        made.verdicts(run, say, name="openai/" + "second" * 20, slug="second-11111111", panel=True)
    return html.write(runs, tmp_path / "pair.html")


@pytest.fixture
def unjudged(bench, records, make_run):
    return html.write([make_run(bench, records, name="unjudged")])


@pytest.mark.slow
def test_it_fits_every_width_in_both_themes_with_readable_colours(visit, made, report, pair, unjudged):
    for path in (report, pair, unjudged):
        for scheme in ("light", "dark"):
            seen = visit(1600, scheme)
            page = seen.load(path)
            page.locator("#list .row").nth(1).click()
            page.evaluate("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            for width in (1600, 1280, 800, 400):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate(made.OVERFLOW) == 0, (path.name, scheme, width)
            assert page.evaluate(made.CONTRAST) == [], (path.name, scheme)
            assert page.evaluate(UNNAMED) == 0
            assert seen.clean()


def test_an_item_shows_clip_reference_reply_and_both_verdicts(visit, report):
    page = visit(1280, "light").load(report)
    page.locator("#list .row").first.click()
    panel = page.locator("#open-item")
    assert panel.locator("audio").count() == 1
    assert panel.locator(".reference").inner_text().split() == ["Reference", "answer", "Reference", "0."]
    assert panel.locator(".heard pre").is_hidden()
    panel.locator(".heard summary").click()
    assert "take 0" in panel.locator(".heard pre").inner_text()
    first = panel.locator(".group").first
    assert first.locator(".said > pre").inner_text() == "Worth 1."
    rows = [row.split() for row in first.locator(".verdicts tbody tr").all_inner_texts()]
    assert rows == [["reference", "first", "8", "1", "1", "8"], ["reply", "first", "2", "8", "2", "8"]]
    assert "1.5" in first.locator(".score").inner_text()


def test_items_are_filtered_by_score_state_and_task_and_put_in_order(visit, report):
    page = visit(1280, "light").load(report)
    status = page.locator("#status")
    assert status.inner_text().startswith("60 items")
    page.select_option("#score", "win")
    scores = page.evaluate(SCORES)
    assert len(scores) == 18  # worth 8, 9 or 10 against 8, and half a point more by the place in front
    assert min(scores) > 8
    page.select_option("#score", "none")
    assert status.inner_text() == "6 of 60 items"  # "no idea" of all that are worth 7
    assert all("no verdict" not in text for text in page.evaluate(SHOWN))
    page.select_option("#score", "")
    page.select_option("#sort", "low")
    scores = page.evaluate(SCORES)
    assert scores == sorted(scores)
    page.select_option("#sort", "high")
    assert page.evaluate(SCORES)[0] == 10
    page.locator("label[for=verdict-empty]").click()
    assert page.evaluate(SHOWN) == ["What happens in clip 11?"]
    page.locator("#clear").click()
    page.select_option("#task", "sound_QA")
    assert status.inner_text() == "20 of 60 items"
    page.select_option("#variant", "silence")
    page.select_option("#score", "1-3")
    assert page.evaluate("() => document.querySelectorAll('#list .row').length") > 0


def test_it_can_be_used_by_keyboard_alone(visit, report):
    page = visit(1280, "light").load(report)
    page.keyboard.press("j")  # from page load on
    assert "row" in page.evaluate(FOCUSED)
    page.keyboard.press("Enter")
    assert page.locator("#open-item").is_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert page.locator("#open-item").count() == 0
    page.keyboard.press("/")
    assert page.evaluate(FOCUSED) == "search"
    page.keyboard.type("clip 59?")
    page.wait_for_function("() => document.querySelectorAll('#list > li').length === 1")
    for expected in ("task", "tag", "how", "variant", "score"):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED) == expected


def test_hostile_texts_do_nothing(visit, made, make_benchmark, make_run):
    items = [made.open_item(i, question=t, answer=t, meta=t, source=t) for i, t in enumerate(made.PAYLOADS)]
    bench = make_benchmark(items, name="evil", card=made.OPEN_CARD.replace("{name}", "made/evil"))
    records = [ReplyRecord(item=e["id"], text=t, attempts=1) for e, t in zip(items, made.PAYLOADS, strict=True)]
    run = make_run(bench, records, name="evil", model=made.PAYLOADS[0])
    texts = iter(made.PAYLOADS * 9)
    made.verdicts(run, lambda _: (next(texts), next(texts)), name="openai/<script>window.pwned=8</script>")
    seen = visit(1280, "light")
    page = seen.load(html.write([run]))
    for number in range(len(items)):
        page.locator("#list .row").nth(number).click()
        shown = page.locator("#open-item .said > pre").first.inner_text().strip()
        assert (
            shown == made.PAYLOADS[number].strip("\u2028\u2029").strip() or number == 7
        )  # line ends of their own kind
    assert page.evaluate("() => window.pwned") is None
    assert seen.clean()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_anybodys_way(serious, report, pair, unjudged, scheme):
    assert serious([report, pair, unjudged], scheme) == []
