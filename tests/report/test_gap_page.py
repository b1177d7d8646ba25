"""The gap in the terminal, as JSON, as a page and in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from audiometry.analysis.gap import from_file, gap
from audiometry.files import votes
from audiometry.render.document import Chart, Folded, Section
from audiometry.render.figure import Figure
from audiometry.report import gap_page, section_page
from audiometry.report.views import gap as views

EXAMPLE = Path(__file__).parents[2] / "examples" / "talk_arena"
SCORES = EXAMPLE / "static_scores.csv"


@pytest.fixture(scope="module")
def voted():
    """The published pair counts."""
    return EXAMPLE / "talk_arena.csv"


@pytest.fixture(scope="module")
def found(voted):
    return gap(from_file(SCORES), votes.read(voted).votes)


def blocks(parts):
    for one in parts:
        yield one
        if isinstance(one, Section | Folded):
            yield from blocks(one.blocks)


def test_the_command_prints_what_the_data_can_and_cannot_say(cli, voted):
    said = cli("gap", "--scores", SCORES, "--votes", voted)
    assert said.code == 0, said.err
    flat = " ".join(said.out.split())
    for words in (
        "5 systems with scores and 5,000 votes (634 ties, half a vote for either), on 18 benchmarks",
        "None of 18 benchmarks can be told from chance",
        "Mean tau-b +0.02 over 18 benchmarks; the smallest exact p is 0.2333",
        "It would call 16 of 18 benchmarks significant",
        "18 columns of rank 4: 5 systems give 4 contrasts",
        "5 systems can never pass a correction over 18 benchmarks",
    ):
        assert words in flat


def test_json_is_as_promised_and_alone_on_standard_output(cli, voted):
    said = cli("gap", "--scores", SCORES, "--votes", voted, "--json")
    document = json.loads(said.out)
    assert document["n_systems"] == 5
    one = document["benchmarks"]["URFunny"]
    assert {"tau_b", "p_exact", "interval", "effect", "p_permutation", "n_items"} <= one.keys()
    assert one["tau_b"] == pytest.approx(0.527, abs=0.001)
    assert one["n_items"] == 994
    assert len(document["warnings"]) >= 3
    assert "Note: " in said.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "give scores either as a file with --scores or as run folders with --runs"),
        (("--scores", "none.csv"), "none.csv: it cannot be read"),
        (("--scores", SCORES, "--same", "x"), "is not NAME=VOTES"),
        (("--scores", SCORES, "--same", "Divas=DiVA"), "did you mean 'DiVA'"),
        (("--scores", SCORES, "--lower-is-better", "WER"), "no scores on 'WER'"),
    ],
)
def test_wrong_usage_is_one_line_and_code_two(cli, voted, arguments, told):
    said = cli("gap", *arguments, "--votes", voted)
    assert said.code == 2
    assert told in said.err
    assert said.out == ""


def test_rows_that_cannot_be_used_end_with_code_one(cli, voted, tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text(SCORES.read_text() + "DiVA,extra,high,1,other\n", encoding="utf-8")
    said = cli("gap", "--scores", table, "--votes", voted)
    assert said.code == 1
    assert "1 row not used, line 200 first: its score 'high' is not a number" in " ".join(said.out.split())


def test_names_that_differ_are_matched_where_that_is_said(cli, voted, tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text(SCORES.read_text().replace("DiVA", "hf/diva=8b"), encoding="utf-8")
    apart = json.loads(cli("gap", "--scores", table, "--votes", voted, "--json").out)
    assert (apart["n_systems"], apart["only_votes"]) == (4, ["DiVA"])
    same = json.loads(cli("gap", "--scores", table, "--votes", voted, "--same", "hf/diva=8b=DiVA", "--json").out)
    assert same["n_systems"] == 5


def test_the_page_has_the_figures_and_fetches_nothing(found, tmp_path):
    path = section_page.write(gap_page.page(found, ("scores.csv", "votes.csv")), tmp_path / "gap.html")
    page = path.read_text()
    assert re.findall(r'<section id="(\w+)" ', page)[0] == "summary"
    assert re.findall(r'(?:src|href)="(?!#|data:)', page) == []
    figures = [one for one in blocks(views.gap(found)) if isinstance(one, Figure)]
    assert len(figures) == 18
    assert all(one.kind == "scatter" and len(one.marks) == 5 for one in figures)
    assert figures[0].marks[0].upright is not None
    assert "5 systems can never pass a correction over 18 benchmarks" in page
    grid = re.split(r"</details>", page[page.index('class="multiples"') :])[0]
    assert grid.count("<figure ") == 18
    assert grid.count(found.signature) == 1  # below all; in the data of each file it is broken into lines
    assert 'class="legend"' not in grid


def test_benchmarks_are_ordered_by_their_effect_with_intervals(found):
    charts = {one.figure.id: one for one in blocks(views.gap(found)) if isinstance(one, Chart)}
    effects = charts["gap-effects"].figure
    assert [mark.x for mark in effects.marks] == sorted((mark.x for mark in effects.marks), reverse=True)
    assert effects.reference == 0.0
    assert all(mark.interval[0] < mark.x < mark.interval[1] for mark in effects.marks)
    assert effects.y.bands[0].name == "MELD"
    matrix = charts["gap-correlated"].figure
    assert len(matrix.marks) == 18 * 18


def test_every_number_that_is_drawn_is_in_its_place(found, on_axes):
    assert on_axes(views.gap(found)) >= 20


def test_hostile_names_stay_text(cli, tmp_path):
    bad = "<script>alert(1)</script>\u202e\x1b[31m"
    scores, voted = tmp_path / "scores.jsonl", tmp_path / "votes.jsonl"
    rows = [{"system": f"{bad}{s}", "benchmark": f"{bad}{b}", "score": s * b} for s in range(4) for b in (1, 2)]
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    lines = [
        {"model_a": f"{bad}{a}", "model_b": f"{bad}{b}", "winner": "model_a" if n % 3 else "model_b"}
        for a in range(4)
        for b in range(a)
        for n in range(6)
    ]
    voted.write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
    said = cli("gap", "--scores", scores, "--votes", voted, "-o", tmp_path / "gap.html")
    assert said.code == 0, said.err
    assert "\x1b[31m" not in said.out
    assert "\u202e" not in said.out
    assert "<script>alert" not in (tmp_path / "gap.html").read_text()


@pytest.mark.browser
def test_the_page_can_be_used_by_all_at_every_width(visit, made, found, tmp_path, axe):
    path = section_page.write(gap_page.page(found, ("scores.csv", "votes.csv")), tmp_path / "gap.html")
    seen = visit(1280)
    page = seen.load(path)
    page.evaluate("() => document.querySelectorAll('details').forEach((n) => n.open = true)")
    for width in (1600, 1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(made.OVERFLOW) == 0, width
        scrolled = page.evaluate(
            "() => [...document.querySelectorAll('.scroll')].map((n) => n.scrollWidth - n.clientWidth)"
        )
        assert width == 400 or max(scrolled) <= 1, width  # 18 benchmarks with one another, in one picture
    assert axe(page) == []
    assert page.evaluate(made.CONTRAST) == []
    page.emulate_media(color_scheme="dark")
    assert axe(page, "color-contrast") == []
    assert page.evaluate(made.CONTRAST) == []
    assert seen.clean()
