"""The page of agreement: its figures, its numbers, hostile names, and a real browser."""

from __future__ import annotations

import json
import re

import pytest

from audiometry.analysis.agreement import agree
from audiometry.errors import StorageError
from audiometry.files.ratings import read
from audiometry.report import agree_page
from audiometry.report.axis import axis
from audiometry.seeds import generator

MODELS = ("m" * 70, "n", "o")
JUDGES = {"openai/a-judge": 0.4, "vllm/" + "long" * 30: -0.3}


def rows(names=("anna", "ben", "cleo"), judges=JUDGES, models=MODELS, items=30):
    source = generator(1, "page")
    for i in range(items):
        letter = source.integers(4)
        for name in [*names, *judges]:
            said = "ABCD"[letter if source.random() < 0.9 else source.integers(4)]
            yield {"item": f"q/{i}", "rater": name, "choice": said} | ({} if name in names else {"kind": "judge"})
        worth = {model: source.normal(4 + place, 1.5) for place, model in enumerate(models)}
        for place, a in enumerate(models):
            for name in names:
                yield {"item": f"c/{i}", "rater": name, "model": a, "score": round(worth[a] + source.normal())}
                for b in models[place + 1 :]:
                    which = "a" if worth[a] + source.normal() > worth[b] else "b"
                    yield {"item": f"c/{i}", "rater": name, "preferred": which, "model_a": a, "model_b": b}
            for name, bias in judges.items():
                for order, side in (("reference-second", bias), ("reference-first", -bias)):
                    number = round(2 * (worth[a] + side + 0.4 * source.normal())) / 2
                    row = {"item": f"c/{i}", "rater": name, "kind": "judge", "model": a, "score": number}
                    yield row | {"order": order}
            yield {"item": f"c/{i}", "rater": "metric:wer", "model": a, "score": 1 - worth[a] / 10}


@pytest.fixture
def write(tmp_path):
    def make(lines, **settings):
        path = tmp_path / "ratings.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        found = agree(read([path]), resamples=200, **settings)
        return found, agree_page.write(found, tmp_path / "agreement.html")

    return make


def sections(page):
    return re.findall(r'<section id="(\w+)"', page)


def test_all_figures_stand_on_one_page_that_runs_and_fetches_nothing(write):
    found, path = write(rows())
    page = path.read_text()
    assert sections(page) == ["summary", "choices", "scores", "preferences", "order"]
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="(?!#|data:)', page) == []
    assert "default-src 'none'" in page
    assert page.count('class="chart agree') == 4 + len(found.positions)
    share = found.choices.people.share
    assert f"{100 * share.value:.1f}" in page
    assert f"{100 * share.interval[0]:.1f} to {100 * share.interval[1]:.1f}" in page


def test_every_number_that_is_drawn_is_in_its_place(write):
    found, path = write(rows())
    figure = agree_page.overall(found.choices, {name: i for i, name in enumerate(JUDGES)})
    (block,) = figure.blocks
    assert [line.name for line in block.lines] == ["people among themselves", *JUDGES]
    assert figure.axis.high == 1
    assert figure.axis.low <= min(line.measure.interval[0] for line in block.lines)
    line = block.lines[1]
    place = figure.axis.at(line.measure.value)
    assert place == pytest.approx(100 * (line.measure.value - figure.axis.low) / (1 - figure.axis.low), abs=1e-3)
    assert f'<svg x="{place}%"' in path.read_text()
    models = agree_page.by_models(found.preferences, {})
    assert [block.title for block in models.blocks] == [f"{'m' * 70} / n", f"{'m' * 70} / o", "n / o"]
    assert {len(block.lines) for block in models.blocks} == {1 + len(JUDGES) + 1}


def test_only_what_was_rated_is_shown(write):
    one = [row for row in rows() if "choice" in row]
    assert sections(write(one)[1].read_text()) == ["summary", "choices"]
    machines = [row for row in rows() if row["rater"] in JUDGES and "score" in row]
    page = write(machines)[1].read_text()
    assert sections(page) == ["summary", "scores", "order"]
    assert "Nobody and no judge rated the same things as a person" in page
    assert "no person among the raters" in page.lower()


def test_histograms_of_many_values_are_by_whole_points(write):
    fine = [row for row in rows() if row.get("order")]
    source = generator(2, "fine")
    for row in fine:
        row["score"] += round(0.1 * source.normal(), 3)
    found, path = write(fine)
    assert len(found.positions[0].histogram) > agree_page._BINS
    place = agree_page._places(found.positions[0])
    assert len(place.differences) < agree_page._BINS
    assert sum(bar.counts[0] for bar in place.differences) == found.positions[0].difference.n
    assert sum(bar.counts[1] for bar in place.scores) == found.positions[0].difference.n
    assert max(width for bar in place.scores for width in bar.widths) == 100
    assert "Scores in both places" in path.read_text()


@pytest.mark.parametrize(
    ("values", "top", "ends", "n"),
    [
        ([0.965, 0.99], 1.0, (0.96, 1.0), 5),
        ([0.3, 0.7], 1.0, (0.2, 1.0), 5),
        ([-0.2, 0.4], 1.0, (-0.5, 1.0), 4),
        ([5.0], None, (5.0, 5.01), 2),
        ([4.4, 7.6], None, (4.0, 8.0), 5),
        ([0.0, 1e7], None, (0.0, 1e7), 2),
    ],
)
def test_a_scale_holds_all_values_between_round_marks(values, top, ends, n):
    found = axis(values, top)
    assert (found.low, found.high) == pytest.approx(ends)
    assert len(found.ticks) == n
    assert (found.at(found.low), found.at(found.high), found.at(1e9)) == (0, 100, 100)


def test_a_folder_in_its_place_is_refused(write, tmp_path):
    found, _ = write(rows(items=3))
    with pytest.raises(StorageError, match="not a regular file"):
        agree_page.write(found, tmp_path)


def test_hostile_names_are_text(write, made):
    names = made.PAYLOADS
    lines = [
        {"item": f"{i}{names[i % len(names)]}", "rater": name, "choice": "AB"[i % 2], "model": names[1]}
        for i in range(25)
        for name in names
    ]
    lines += [row | {"model": names[0]} for row in rows(judges={names[2]: 0.1}, models=names[:2]) if "order" in row]
    page = write(lines)[1].read_text()
    assert "<script" not in page
    assert "<img" not in page
    assert "onload=" not in re.sub(r"&#34;&gt;&lt;svg onload=&#34;", "", page)
    assert "{{ 7 * 7 }}" in page


@pytest.mark.browser
def test_it_fits_every_width_and_can_be_read_in_both_themes(visit, made, write):
    _, path = write(rows())
    for scheme in ("light", "dark"):
        seen = visit(1600, scheme)
        page = seen.load(path)
        for width in (1600, 1280, 840, 800, 400):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(made.OVERFLOW) == 0, (scheme, width)
        assert page.evaluate(made.CONTRAST) == []
        assert seen.clean()


@pytest.mark.browser
def test_it_is_a_page_for_the_keyboard_and_for_those_who_cannot_see(visit, write):
    found, path = write(rows())
    seen = visit(400)
    page = seen.load(path)
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_role("navigation", name="Sections").count() == 1
    for link in page.locator("nav a").all():
        assert page.locator(link.get_attribute("href")).count() == 1
    chart = page.get_by_role("table", name="Share of the same letter as a person")
    assert chart.get_by_role("rowheader").count() == 1 + len(JUDGES)
    assert chart.get_by_role("columnheader").count() == 8
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.matches('nav a:focus-visible')")
    raters = page.get_by_role("region", name="Raters", exact=True)
    raters.focus()
    assert page.evaluate("() => document.activeElement.matches('.scroll')")
    assert len(page.get_by_role("region", name="Raters", exact=True).get_by_role("rowheader").all()) == len(
        found.raters
    )
    assert seen.clean()
