"""What people ask for as a page, in a real browser, and as tables and figures with their captions."""

from __future__ import annotations

import json

import pytest

from audiometry.analysis.topics import topics
from audiometry.arena.board import Settings, board
from audiometry.files import votes
from audiometry.render.document import Chart, Folded, Section
from audiometry.report import section_page, topics_page
from audiometry.report.views import topics as views

HOSTILE = "Should I <script>alert(1)</script> buy the \u202eguitar\u202c or the piano for my band?"


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Two topics, and a query that would do harm."""
    words = {
        "music": ["guitar", "piano", "chord", "melody", "band"],
        "space": ["planet", "moon", "star", "orbit", "comet"],
    }
    rows = [
        {"model_a": "a", "model_b": "b", "winner": ("model_a", "model_b")[at % 2], "voter": f"p{at % 7}", "query": text}
        for at, text in enumerate(
            f"What is the {own[at % 5]} and the {own[(at + 1) % 5]} of {own[(at + at // 5) % 5]} {at}?"
            for own in words.values()
            for at in range(25)
        )
    ]
    path = tmp_path_factory.mktemp("votes") / "votes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, rows[0] | {"query": HOSTILE}]))
    return topics(votes.read(path, texts=True), n_topics=2)


def blocks(parts):
    for one in parts:
        yield one
        if isinstance(one, Section | Folded):
            yield from blocks(one.blocks)


def test_every_number_stands_in_a_table_with_its_signature(asked):
    charts = {one.table.id: one for one in blocks(views.topics(asked.found)) if isinstance(one, Chart)}
    assert set(charts) == {"uses", "topics", "topics-by-use", "uses-trust", "languages"}
    assert all(one.table.signature == asked.found.signature for one in charts.values())
    assert [row[1] for row in charts["topics"].table.rows] == [one.share.n for one in asked.found.topics]
    assert charts["uses"].table.rows[-1][1] == asked.found.uses.efficiency.queries.n
    drawn = [mark.x for mark in charts["topics"].figure.marks]
    assert drawn == [one.share.value for one in asked.found.topics]
    assert any(one.startswith("7 voters only: intervals are rough") for one in asked.found.warnings)


@pytest.mark.browser
def test_the_page_is_whole_and_harmless_in_a_browser(asked, browser, axe, tmp_path):
    page_of = topics_page.page(asked.found, board(asked.file, Settings(), ("topic", "use")))
    path = section_page.write(page_of, tmp_path / "topics.html")
    page = browser.new_page(color_scheme="light")
    said = []
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    for width in (400, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert axe(page) == [], width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.emulate_media(color_scheme="dark")
    assert axe(page, "color-contrast") == []
    assert not said
    assert {"By topic", "By use"} <= set(page.locator("h2").all_inner_texts())
    page.close()
