"""The page of an arena's board: with as many models, parts and models without a place as there are."""

from __future__ import annotations

import re

import pytest

from audiometry.arena.board import Settings, board
from audiometry.files import votes
from audiometry.report import board_page, section_page
from audiometry.report.views import board as view
from audiometry.seeds import generator

NAMES = ("anna", "a-model-of-a-maker/with-a-long-name-of-its-own", '"><svg onload=1>', "dora", "你好")


@pytest.fixture
def write(tmp_path):
    """A board of some models with topics, lengths and one that never won, and its page."""

    def make(n=900, several=5):
        draw = generator(1, "page")
        names = [*NAMES, *(f"model-{at}" for at in range(several - len(NAMES)))]
        rows = ["model_a\tmodel_b\twinner\tvoter\ttopic\tlength_a\tlength_b\tfirst"]
        for at in range(n):
            a, b = draw.choice(several, 2, replace=False)
            said = draw.choice(["model_a", "model_b", "tie", "both_bad", "?"], p=[0.5, 0.3, 0.1, 0.09, 0.01])
            topic = ("birds", "bells & <b>whistles</b>", "")[at % 3]
            cells = (said, f"v{at % 35}", topic, at % 50, at % 31, "ab"[at % 2])
            rows.append("\t".join(map(str, (names[a], names[b], *cells))).replace('"', "'"))
        rows += ["anna\tloser\tmodel_a\tv1\tbirds\t4\t5\ta"] * 3
        path = tmp_path / "votes.tsv"
        path.write_text("\n".join(rows) + "\n")
        settings = Settings(first=True, control=("length",))
        found = board(votes.read(path), settings, ("topic", "length"))
        page = tmp_path / "board.html"
        section_page.write(board_page.page(found), page)
        return found, page

    return make


def test_the_page_holds_every_board_and_no_name_acts(write):
    found, page = write()
    text = page.read_text()
    assert "<svg onload" not in text
    assert "<b>whistles" not in text
    words = re.sub(r"<[^>]+>", " ", text)
    for said in ("Models ranked by votes", "Leaderboard", "Who beat whom", "By topic", "By length", "never won"):
        assert said in words, said
    assert "set apart, which count nowhere" in words
    assert all(f"{round(one.rating):,}" in words for one in found.ranking.models)


def test_every_number_that_is_drawn_is_in_its_place(write, on_axes):
    found, _ = write()
    boards = [found.ranking, *(part.ranking for one in found.splits for part in one.parts)]
    assert on_axes(view.board(found)) == len(boards) == 6


def test_ids_of_tables_and_figures_differ(write):
    _, page = write()
    ids = re.findall(r' id="([^"]+)"', page.read_text())
    assert len(ids) == len(set(ids))


@pytest.mark.browser
@pytest.mark.parametrize("several", [5, 14])
def test_it_fits_every_width_and_can_be_read_in_both_themes(visit, made, write, several):
    _, path = write(several=several)
    seen = visit(1600)
    page = seen.load(path)
    page.evaluate("() => document.querySelectorAll('details').forEach((n) => n.open = true)")
    for width in (1600, 1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(made.OVERFLOW) == 0, width
    assert page.evaluate(made.CONTRAST) == []
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(made.CONTRAST) == []
    assert seen.clean()


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_used_by_all(write, serious, scheme):
    assert serious([write()[1]], scheme, listed=False) == []
