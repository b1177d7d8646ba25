"""Agreement on a terminal."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from audiometry.analysis.agreement import agree
from audiometry.analysis.agreement.result import Measure
from audiometry.files.ratings import read
from audiometry.render.console import Terminal
from audiometry.render.table import Column, Estimate
from audiometry.report.views.agreement import NONE, SHOWN, agreement, doubts, estimate, made
from audiometry.seeds import generator


@pytest.fixture
def printed(tmp_path):
    """The report of the given rating lines, as text of a width."""

    def make(rows, width=100):
        path = tmp_path / "ratings.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        found, console = agree(read([path]), resamples=50), Terminal(width)
        with console.capture() as captured:
            console.show([*agreement(found), made(found), doubts(found)])
        return captured.get()

    return make


def measure(value, interval=None, **more):
    return Measure(value=value, interval=interval, n=10, n_items=10, **more)


def test_numbers_stand_with_their_intervals_and_what_is_not_there_is_a_dash():
    assert estimate(measure(0.982, (0.964, 0.9911))) == Estimate(0.982, (0.964, 0.9911))
    assert estimate(None) == estimate(measure(None)) == NONE
    apart = Column(id="apart", title="", kind="number", decimals=2, sign=True)
    assert apart.printed(estimate(measure(-0.5, (-0.75, 0.1)))) == "-0.50 (-0.75 to +0.10)"
    assert apart.printed(estimate(measure(-0.001, (-0.002, 0.001)))) == "+0.00 (+0.00 to +0.00)"  # no zero has a minus


def test_long_lists_are_cut_and_it_is_said(printed):
    source = generator(1, "text")
    judges = [f"judge-{i}" for i in range(9)]
    models = [f"m{i}" for i in range(9)]
    rows = []
    for i in range(25):
        rows += [
            {"item": str(i), "rater": name, "kind": "judge", "model": model, "score": int(source.integers(1, 9))}
            for name in judges
            for model in models
        ]
        rows += [
            {"item": str(i), "rater": name, "preferred": "ab"[source.integers(2)], "model_a": a, "model_b": b}
            for name in ("anna", "ben")
            for a in models
            for b in models
            if a < b
        ]
    text = printed(rows)
    assert f"and {11 * 10 // 2 - SHOWN} more lines; --json has all" in text
    assert all(f"judge-{n}" in text for n in range(9))
    assert "people among" in text


def test_pairs_of_models_keep_their_names_beside_judges_with_long_ones(printed):
    rows = [
        {"item": str(i), "rater": name, "kind": kind, "preferred": "ab"[i % 2], "model_a": "gpt", "model_b": "qwen"}
        for i in range(25)
        for name, kind in (("anna", "person"), ("ben", "person"), ("j" * 40, "judge"), ("vllm/" + "k" * 40, "judge"))
    ]
    text = printed(rows).partition("By pair of models")[2]
    assert "\ngpt / qwen" in text
    assert all(name in text for name in ("j" * 40, "vllm/" + "k" * 40))


@pytest.mark.parametrize("width", [60, 100, 200])
def test_it_keeps_to_the_width_whatever_names_are_long(printed, width):
    rows = [
        {"item": str(i), "rater": name, "choice": "AB"[i % 2]}
        for i in range(25)
        for name in ("a" * 200, "b" * 200, "\x1b[31mred\n")
    ]
    text = printed(rows, width)
    assert all(len(line) <= width or len(line.split()) == 1 for line in text.splitlines())
    assert text.count("a" * 200) == text.count("b" * 200) == 2  # below the raters, and below their pairs: never cut
    assert text.count("[a]") > text.count("[a]:\n") == 2
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [40, 60, 70, 80])
def test_a_narrow_terminal_has_every_number_and_name_whole(printed, width):
    rows = [
        {"item": str(i), "model": "m", "rater": name, "kind": kind, "score": 1 + (i * step) % 7}
        for i in range(25)
        for step, (name, kind) in enumerate((("anna", "person"), ("ben", "person"), ("vllm/judge", "judge")), 1)
    ]
    figures, names = r"(?<![\d.])[+-]?\d+\.\d\d(?!\d)", r"\b(anna|ben|vllm/judge)\b"
    ample, narrow = printed(rows, 200), printed(rows, width)
    assert len(re.findall(figures, ample)) > 30
    assert Counter(re.findall(figures, narrow)) == Counter(re.findall(figures, ample))
    assert Counter(re.findall(names, narrow)) >= Counter(re.findall(names, ample))  # again in each part of a table


def test_one_person_and_a_judge_have_a_table_without_a_yardstick(printed):
    rows = [
        {"item": str(i), "rater": name, "kind": kind, "preferred": "a", "model_a": "m", "model_b": "n"}
        for i in range(25)
        for name, kind in (("anna", "person"), ("judge", "judge"))
    ]
    text = printed(rows)
    assert "people among" not in text
    assert "more line" not in text  # all rows are there
    assert text.count("Raters in pairs") == 1
    assert "Raters in pairs" not in printed([row for row in rows if row["rater"] == "anna"])
    assert "Note: anna is the only person" in text
    assert "—" in text


def test_no_difference_at_all_has_no_p(printed):
    rows = [
        {"item": str(i), "rater": "judge", "kind": "judge", "model": "m", "score": 5, "order": order}
        for i in range(25)
        for order in ("reference-first", "reference-second")
    ]
    text = " ".join(printed(rows).split())
    assert "an answer gets +0.00 points compared with second place: 5.00 against 5.00, 25 replies of 25 items." in text
    assert "The same score in both places: 100.0 %" in text
    assert "p =" not in text
    assert "pairs of models" not in text


def test_names_are_text_and_not_markup_and_keep_their_ends(printed):
    names = ("[red]judge[/red]", "exec/" + "x" * 60 + " --seed 1", "exec/" + "x" * 60 + " --seed 2")
    rows = [
        {"item": str(i), "rater": name, "kind": "judge", "preferred": "ab"[i % 2], "model_a": "[b]m", "model_b": "n"}
        for i in range(25)
        for name in names
    ]
    rows += [row | {"rater": name, "kind": "person"} for row in rows for name in ("anna", "ben")]
    text = printed(rows, 200)
    for part in ("[red]judge[/red]", "[b]m", "--seed 1", "--seed 2"):
        assert part in text


def test_scores_of_nothing_in_common_are_said(printed):
    rows = [{"item": str(i), "rater": name, "score": 1} for name, i in (("anna", 1), ("ben", 2))]
    assert "No two of the raters scored the same replies." in printed(rows)
