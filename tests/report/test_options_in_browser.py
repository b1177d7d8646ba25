"""Dimensions, kinds of options and rounds of orders in headless Chromium, at two widths and in both themes."""

import pytest

from audiometry.analysis.modes import modes
from audiometry.choices.ordering import order
from audiometry.records import ReplyRecord
from audiometry.report import html
from audiometry.seeds import stream

HOSTILE = "<img src=x onerror='window.pwned = 1'>\u202e"
CARD = """
[benchmark]
name = "small"
version = "1"
licence = "CC0-1.0"
[[task]]
name = "bell"
[[task]]
name = "voice"
[[dimension]]
tag = "knowledge"
title = "Music knowledge"
values = ["melody", "temporal relations between elements"]
[distractors]
IR = "incorrect but related"
CU = "<img src=x onerror='window.pwned = 2'>"
"""
ORDERS = ("plain", *(f"order-{k}" for k in range(1, 5)))
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def runs(made, make_benchmark, make_run):
    """Two runs in a whole round of orders, of which replies differ from order to order."""
    kinds = [["IR", "CU", "IU"][k] for k in range(3)]
    items = []
    for number in range(40):
        options = [f"{kind or 'right'} {number} {HOSTILE if number == 3 else 'x' * number}" for kind in ("", *kinds)]
        tags = {"knowledge": [["melody"], ["temporal relations between elements"], []][number % 3]}
        items.append(made.item(number, options=options, kinds=["", *kinds], answer=options[0], tags=tags))
    benchmark = make_benchmark(items, card=CARD)
    found = []
    for model in range(2):
        records = []
        for item in items:
            for place, variant in enumerate(ORDERS):
                shown = order(item["id"], item["options"], seed=0, order=place)
                draw = stream(model, "said", item["id"], variant).random()
                text = item["answer"] if draw < 0.4 else shown[int(draw * 100) % 4] if draw < 0.95 else "Hm."
                records.append(ReplyRecord(item=item["id"], variant=variant, text=text))
        found.append(make_run(benchmark, records, name=f"run-{model}", variants=ORDERS, model=f"made/{model}"))
    return found


@pytest.mark.parametrize("n", [1, 2])
def test_they_fit_and_can_be_used_by_all(visit, made, runs, axe, n):
    path = html.write(runs[:n])
    seen = visit(1280)
    page = seen.load(path)
    page.evaluate("() => document.querySelectorAll('#options details').forEach((n) => n.open = true)")
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(made.OVERFLOW) == 0, width
        assert axe(page) == [], width
    page.emulate_media(color_scheme="dark")
    assert axe(page, "color-contrast") == []
    assert page.evaluate("() => window.pwned") is None
    assert seen.clean()
    text = page.locator("#options").inner_text()
    assert "right in every order of a whole round" in page.locator("#wordings").inner_text()
    assert "incorrect but related" in text
    assert "<img src=x" in text  # as text
    assert "Music knowledge" in page.locator("#tasks").inner_text()


def test_a_kind_leads_to_items_that_say_which_of_their_options_are_of_it(visit, runs):
    page = visit(1280).load(html.write(runs[:1]))
    page.locator("#options tr", has_text="incorrect but related").first.get_by_role("link", name="items").click()
    page.wait_for_function("() => location.hash.includes('kind=IR')")
    some = page.locator("#list > li").count()
    assert 0 < some < 40
    page.locator("#list > li button, #list > li a, #list > li > *").first.click()
    taken = page.locator(".options .chosen", has_text="incorrect but related")
    taken.first.wait_for()
    assert "IR " in taken.first.inner_text()
    page.locator("#kind").select_option("CU")
    page.wait_for_function("() => location.hash.includes('kind=CU')")
    assert page.evaluate("() => window.pwned") is None


def test_a_dimensions_value_leads_to_its_items(visit, runs):
    page = visit(1280).load(html.write(runs[:1]))
    row = page.locator("#tasks tr", has_text="temporal relations between elements").first
    row.get_by_role("link", name="items").click()
    page.wait_for_function("() => location.hash.includes('tag=')")
    page.wait_for_function("() => document.querySelectorAll('#list > li').length === 13")
    assert page.locator("#list > li").count() == 13


def test_a_failure_mode_leads_to_its_items_which_name_it(visit, runs):
    page = visit(1280).load(html.write(runs[:1]))
    n = modes([runs[0]], keep=False).runs[0].coders[0].codes["auditory-hallucination"].n
    assert 0 < n < 40
    page.locator("#modes tr", has_text="auditory hallucination").first.get_by_role("link", name="items").click()
    page.wait_for_function("() => location.hash.includes('wrong=auditory-hallucination')")
    page.wait_for_function(f"() => document.querySelectorAll('#list > li').length === {n}")
    page.locator("#list > li button, #list > li a, #list > li > *").first.click()
    page.locator(".said .head", has_text="hears what is not there").first.wait_for()
    page.locator("#wrong").select_option("")
    page.wait_for_function("() => document.querySelectorAll('#list > li').length === 40")
