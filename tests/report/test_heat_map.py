"""Runs by tasks as a heat map: signs are of the tests that compare has, corrected over all cells, and read in grey."""

import pytest
from msgspec import structs

from audiometry.render.document import Chart, Folded
from audiometry.render.figure import Figure
from audiometry.render.svg import caption, svg
from audiometry.report import html
from audiometry.report.views.significance import BETTER, WORSE, against_first
from audiometry.score import compare, score
from audiometry.stats.multiplicity import holm

TASKS = ("one", "two", "three")
CARD = '[benchmark]\nname = "heat"\n' + "".join(f'[[task]]\nname = "{name}"\n' for name in TASKS)
RIGHT = {  # of the first run half; the others better in all, worse in all, better in one task alone
    "half": lambda i: i // 3 % 2 == 0,
    "all": lambda _: True,
    "few": lambda i: i // 3 % 12 == 0,
    "one": lambda i: i // 3 % 2 == 0 or i % 3 == 0,
}


@pytest.fixture
def four(made, make_benchmark, make_run):
    items = [made.item(i, task=TASKS[i % 3]) for i in range(72)]
    bench = make_benchmark(items, name="heat", card=CARD)
    return [make_run(bench, made.answers(items, right=right), name=name) for name, right in RIGHT.items()]


def blocks_of(paths, tmp_path, **how):
    shown = []
    html.write(paths, tmp_path / "page.html", also=shown.extend, **how)
    return shown


def leaves(blocks):
    for one in blocks:
        if hasattr(one, "blocks"):
            yield from leaves(one.blocks)
        else:
            yield one


def heat(blocks):
    return next(one for one in leaves(blocks) if isinstance(one, Figure) and one.id == "tasks-heat")


def cells(figure):
    """Signs by run and task."""
    names = [band.name for band in figure.x.bands]
    rows = [band.name for band in figure.y.bands]
    return {(rows[mark.y], names[mark.x]): mark for mark in figure.marks}


def test_signs_are_those_of_compare_corrected_over_all_cells(four, tmp_path):
    figure = heat(blocks_of(four, tmp_path))
    found = [compare(four[0], other) for other in four[1:]]
    keys = [(other.name, task) for other in four[1:] for task in TASKS]
    adjusted = dict(zip(keys, holm([one.tasks[task].p for one in found for task in TASKS]), strict=True))
    differences = dict(zip(keys, [one.tasks[task].difference for one in found for task in TASKS], strict=True))
    by_cell = cells(figure)
    signs = set()
    for (run, task), p in adjusted.items():
        sign = "" if p >= 0.05 else BETTER if differences[run, task] < 0 else WORSE
        (row,) = (row for row, name in by_cell if name == task and run in row)
        assert by_cell[row, task].sign == sign, (run, task, p)
        signs.add(sign)
    assert signs == {"", BETTER, WORSE}


def test_marks_read_without_colour_and_the_caption_says_what_they_are(four, tmp_path):
    figure = heat(blocks_of(four, tmp_path))
    drawn, told = svg(figure), caption(figure)
    assert f"100.0{BETTER}" in drawn
    assert f"8.3{WORSE}" in drawn
    (first,) = (at for at, band in enumerate(figure.y.bands) if band.name == "scripted/half")
    assert {mark.y for mark in figure.marks if mark.framed} == {first}
    assert all(not mark.sign for mark in figure.marks if mark.framed)
    for words in (
        f"{BETTER} better, {WORSE} worse than scripted/half",
        "swapping whole clusters",
        "(Holm) over 9 cells of tasks",
    ):
        assert words in told
    assert "n\u00a0=\u00a072 items" in told


def test_of_an_error_rate_better_is_what_is_lower(four):
    (found,) = [compare(four[0], four[1])]
    down = structs.replace(found, direction="down")
    assert against_first([(1, found)], 2).of("tasks", "one")[1].sign == BETTER
    assert against_first([(1, down)], 2).of("tasks", "one")[1].sign == WORSE
    assert against_first([], 2) is None


def test_more_cells_correct_more(four):
    found = [compare(four[0], other) for other in four[1:]]
    alone, among = against_first([(1, found[0])], 2), against_first(list(enumerate(found, 1)), 4)
    assert alone.of("tasks", "one")[1].corrected < among.of("tasks", "one")[1].corrected


def test_beyond_eight_runs_the_matrix_that_there_is_has_the_signs_and_there_is_no_second(four, tmp_path):
    shown = blocks_of([four[0], *self_copies(four, tmp_path)], tmp_path)
    charts = [one for one in leaves(shown) if isinstance(one, Chart) and one.table.id == "tasks"]
    (chart,) = charts
    assert chart.figure.kind == "matrix"
    assert {mark.sign for mark in chart.figure.marks} == {"", BETTER, WORSE}
    assert not [one for one in leaves(shown) if isinstance(one, Figure) and one.id == "tasks-heat"]


def self_copies(four, tmp_path):
    """Eight more runs: copies of the others."""
    import shutil

    for n in range(8):
        where = tmp_path / f"copy-{n}"
        shutil.copytree(four[1 + n % 3], where)
        yield where


def test_one_run_has_no_heat_map(four, tmp_path):
    shown = blocks_of(four[:1], tmp_path)
    assert not [one for one in leaves(shown) if isinstance(one, Figure) and one.id.endswith("-heat")]
    assert not any(isinstance(one, Folded) and "heat map" in one.title for one in shown)


def test_numbers_run_by_run_have_p_beside_them(four, tmp_path, cli):
    cli("report", *four, "-o", tmp_path / "r.html", "--tables", tmp_path / "t", "--figures", tmp_path / "f")
    head, *rows = (tmp_path / "t" / "tasks-numbers.csv").read_text().splitlines()
    assert "p corrected" in head or "p-corrected" in head
    assert any(row.startswith("one,") for row in rows)
    assert {path.suffix for path in (tmp_path / "f").glob("tasks-heat.*")} == {".svg", ".png", ".pdf"}
    assert score(four[0], store=False).scores["strict"].value is not None


def test_a_task_that_a_run_was_not_asked_leaves_its_cell_empty(made, make_benchmark, make_run, tmp_path):
    items = [made.item(i, task=TASKS[i % 3]) for i in range(30)]
    bench = make_benchmark(items, name="heat", card=CARD)
    runs = [make_run(bench, made.answers(items), name="whole")]
    runs.append(
        make_run(bench, made.answers([one for one in items if one["task"] == "one"]), name="part", tasks=("one",))
    )
    figure = heat(blocks_of(runs, tmp_path))
    assert ("part", "two") not in {(row.partition("/")[2] or row, name) for row, name in cells(figure)}
    assert "not tested" not in caption(figure)


def test_a_mean_of_some_tasks_says_of_how_many_in_the_heat_map_too(made, make_benchmark, make_run, tmp_path):
    items = [made.item(i, task=TASKS[i % 3]) for i in range(30)]
    bench = make_benchmark(items, name="heat", card=CARD)
    some = {"answers": made.answers([one for one in items if one["task"] != "one"]), "tasks": TASKS[1:]}
    alike = [make_run(bench, some["answers"], name=name, tasks=some["tasks"]) for name in ("a", "b")]
    figure = heat(blocks_of(alike, tmp_path))
    assert figure.x.bands[0].name == "Mean of tasks, 2 of 3 tasks"
    assert not any("2 of 3" in band.name for band in figure.y.bands)
    assert figure.reference_name == "the run that others are compared with"
    (chart,) = [one for one in leaves(blocks_of(alike, tmp_path)) if isinstance(one, Chart) and one.table.id == "tasks"]
    assert "2 of 3" in chart.table.rows[0][0]
    assert not any(cell.note for cell in chart.table.rows[0][1:3])
    unlike = heat(blocks_of([alike[0], make_run(bench, made.answers(items), name="all")], tmp_path))
    assert unlike.x.bands[0].name == "Mean of tasks"
    assert [band.name.endswith(", 2 of 3 tasks") for band in unlike.y.bands if "a" in band.name].count(True) == 1
