"""The page of agreement: its figures, its numbers, hostile names, and a real browser."""

from __future__ import annotations

import json
import re

import pytest

from audiometry.analysis.agreement import agree
from audiometry.errors import StorageError
from audiometry.files.ratings import read
from audiometry.render.document import Chart, Folded, Section
from audiometry.render.figure import Figure
from audiometry.report import agree_page, section_page
from audiometry.report.naming import endings
from audiometry.report.views.agreement import agreement
from audiometry.report.views.places import MOST_VALUES
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
        return found, section_page.write(agree_page.page(found), tmp_path / "agreement.html")

    return make


def sections(page):
    return re.findall(r'<section id="(\w+)"', page)


def blocks(parts):
    """Every block, those in sections and folded up ones too."""
    for one in parts:
        yield one
        if isinstance(one, Section | Folded):
            yield from blocks(one.blocks)


def charts(found):
    return {one.figure.id: one for one in blocks(agreement(found)) if isinstance(one, Chart)}


def without_data(page):
    """The page without what its buttons copy, in which no tag can begin, and without its one script."""
    data = re.compile(r'<script type="application/json" class="copies">[^<]*</script>')
    found = data.sub("", page)
    return found[: found.index("<script>")] + found[found.index("</script>") :].removeprefix("</script>")


def test_all_figures_stand_on_one_page_that_fetches_nothing(write):
    found, path = write(rows())
    page = path.read_text()
    assert sections(page) == ["summary", "choices", "scores", "preferences", "order"]
    assert "<script" not in without_data(page)
    assert re.findall(r'(?:src|href)="(?!#|data:)', page) == []
    assert "default-src 'none'" in page
    models = [f"order{ending}-by-model" for ending in endings([one.rater for one in found.positions])]
    assert list(charts(found)) == ["choices", "scores", "preferences", "preferences-models", *models]
    assert page.count('<table class="chart" id=') == 4 + len(found.positions)
    share = found.choices.people.share
    assert f"{100 * share.value:.1f}" in page
    assert f"{100 * share.interval[0]:.1f} to {100 * share.interval[1]:.1f}" in page


def test_every_number_that_is_drawn_is_in_its_place(write, on_axes):
    found, path = write(rows())
    assert on_axes(agreement(found)) == 4 + 3 * len(found.positions)
    drawn = [one for one in blocks(agreement(found)) if isinstance(one, Figure)]
    assert len({one.full_caption for one in drawn}) == len(drawn) == 2 * len(found.positions)
    chart = charts(found)["choices"]
    figure, people = chart.figure, found.choices.people.share
    names = [band.name for band in figure.y.bands]
    assert names == [row[0] for row in chart.table.rows] == ["people among themselves", *JUDGES]
    assert (figure.reference, figure.shade) == (people.value, people.interval)
    assert figure.x.high == 1
    assert figure.x.low <= min(mark.interval[0] for mark in figure.marks)
    assert [mark.x for mark in figure.marks] == [people.value, *(one.share.value for one in found.choices.against)]
    assert [info.series for info in chart.table.info] == [mark.series for mark in figure.marks] == [5, 0, 1]
    place = (figure.marks[1].x - figure.x.low) / (1 - figure.x.low)
    assert f'<svg x="{100 * place:.2f}%"' in path.read_text()
    scores, of = charts(found)["scores"], [*found.scores.each_person, *found.scores.against]
    ns = [one.tau_b.n for one in of]
    assert (scores.figure.n, scores.figure.n_least, scores.figure.n_of) == (max(ns), min(ns), "reply")
    places = charts(found)["order-openai-a-judge-by-model"]
    assert places.figure.series == tuple(f"{column.title} place" for column in places.table.columns[1:3])
    assert [column.series for column in places.table.columns] == [None, 0, 1, None, None]
    assert {mark.series for mark in places.figure.marks} == {0, 1}
    models = charts(found)["preferences-models"]
    assert [row[0] for row in models.table.rows] == [f"{'m' * 70} / n", f"{'m' * 70} / o", "n / o"]
    assert [column.title for column in models.table.columns[1:]] == ["people among themselves", *JUDGES, "metric:wer"]
    assert len(models.figure.marks) == 3 * 4


def test_only_what_was_rated_is_shown(write):
    one = [row for row in rows() if "choice" in row]
    assert sections(write(one)[1].read_text()) == ["summary", "choices"]
    machines = [row for row in rows() if row["rater"] in JUDGES and "score" in row]
    page = write(machines)[1].read_text()
    assert sections(page) == ["summary", "scores", "order"]
    assert "No other rater rated the same things as a person" in page
    assert "no person among the raters" in page.lower()


def test_histograms_of_many_values_are_by_whole_points(write):
    fine = [row for row in rows() if row.get("order")]
    source = generator(2, "fine")
    for row in fine:
        row["score"] += round(0.1 * source.normal(), 3)
    found, path = write(fine)
    assert len(found.positions[0].histogram) > MOST_VALUES
    drawn = {one.id: one for one in blocks(agreement(found)) if isinstance(one, Figure)}
    apart, both = (drawn[f"order-openai-a-judge-{what}"] for what in ("differences", "scores"))
    n = found.positions[0].difference.n
    assert len(apart.y.bands) < MOST_VALUES
    assert apart.n == both.n == n
    assert sum(mark.x for mark in apart.marks) == n
    assert [sum(mark.x for mark in both.marks if mark.series == place) for place in (0, 1)] == [n, n]
    assert "Scores in both places" in path.read_text()
    few = agreement(write([row for row in rows(items=1) if row.get("order")])[0])
    bars = [one for one in blocks(few) if isinstance(one, Figure)]
    assert all(max(mark.x for mark in one.marks) <= 3 for one in bars)
    assert {one.x.low for one in bars} == {0.0}  # a bar begins at nought, however few there are
    assert [band.name for band in apart.y.bands if band.strong] == ["0"]


def test_a_folder_in_its_place_is_refused(write, tmp_path):
    found, _ = write(rows(items=3))
    with pytest.raises(StorageError, match="not a regular file"):
        section_page.write(agree_page.page(found), tmp_path)


def test_hostile_names_are_text(write, made):
    names = made.PAYLOADS
    lines = [
        {"item": f"{i}{names[i % len(names)]}", "rater": name, "choice": "AB"[i % 2], "model": names[1]}
        for i in range(25)
        for name in names
    ]
    lines += [row | {"model": names[0]} for row in rows(judges={names[2]: 0.1}, models=names[:2]) if "order" in row]
    page = without_data(write(lines)[1].read_text())
    assert "<script" not in page
    assert "<img" not in page
    assert "onload=" not in re.sub(r"&#34;&gt;&lt;svg onload=&#34;", "", page.replace("<wbr>", ""))
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


@pytest.mark.slow
@pytest.mark.browser
def test_bars_stand_beside_their_values_under_what_these_are(visit, write):
    page = visit(1280).load(write(rows())[1])
    table = page.locator("#figure-order-openai-a-judge-differences table")
    assert table.locator("th").first.inner_text() == "difference"
    name, drawn = (table.locator(f"tbody tr:first-child {one}").bounding_box() for one in ("bdi", "svg"))
    assert drawn["x"] - name["x"] < 160


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_used_by_all(write, serious, scheme):
    assert serious([write(rows())[1]], scheme, listed=False) == []


@pytest.mark.browser
def test_it_is_a_page_for_the_keyboard_and_for_those_who_cannot_see(visit, write):
    found, path = write(rows())
    seen = visit(400)
    page = seen.load(path)
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_role("navigation", name="Sections").count() == 1
    for link in page.locator("nav a").all():
        assert page.locator(link.get_attribute("href")).count() == 1
    chart = page.get_by_role("table", name="Which option a reply chooses: share of the same as a person")
    assert chart.get_by_role("rowheader").count() == 1 + len(JUDGES)
    assert chart.get_by_role("columnheader").count() == 7
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.matches('nav a:focus-visible')")
    raters = page.get_by_role("region", name="Raters and how much they rated", exact=True)
    raters.focus()
    assert page.evaluate("() => document.activeElement.matches('.scroll')")
    assert len(
        page.get_by_role("region", name="Raters and how much they rated", exact=True).get_by_role("rowheader").all()
    ) == len(found.raters)
    assert seen.clean()


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_anybodys_way(visit, write, axe, scheme):
    for path in (write(rows())[1],):
        page = visit(1280, scheme).load(path)
        page.evaluate("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        for width in (1280, 400):
            page.set_viewport_size({"width": width, "height": 900})
            assert axe(page) == [], (path.name, width)
