"""Scores of several runs in one band a task: what stands beside the marks, in which order, and how much room it has."""

import re

import pytest
from msgspec import structs

from audiometry.records import BenchmarkInfo, Card, Task
from audiometry.render.document import Chart, Folded
from audiometry.render.html import html as as_html
from audiometry.render.table import Estimate
from audiometry.report import html
from audiometry.report.naming import FEW
from audiometry.report.views.entries import Runs
from audiometry.report.views.rules import rules
from audiometry.report.views.tasks import headline, tasks
from audiometry.score import score

TASKS = [f"task {n}" for n in range(12)]
CARD = '[benchmark]\nname = "many"\n' + "".join(
    f'[[task]]\nname = "{name}"\ntitle = "Something heard, number {n}"\nnote = "What it is."\n'
    f'category = "{("speech", "sound", "music")[n % 3]}"\n'
    for n, name in enumerate(TASKS)
)
RIGHT = (lambda i: i % 12 == 3, lambda i: i % 12 in {3, 4}, lambda i: i % 12 != 0)


@pytest.fixture
def three(made, make_benchmark, make_run):
    """Three runs on twelve tasks: the last reads all but one, the others that of number 3, of number 4 too, or none."""
    items = [made.item(i, task=TASKS[i % 12]) for i in range(24)]
    bench = make_benchmark(items, name="many", card=CARD)
    return [make_run(bench, made.answers(items, right=one), name=f"run-{n}") for n, one in enumerate(RIGHT)]


def card():
    return Card(
        benchmark=BenchmarkInfo(name="many"),
        task=tuple(
            Task(name=name, title=f"Number {n}", category=("speech", "sound", "music")[n % 3], note="What it is.")
            for n, name in enumerate(TASKS)
        ),
    )


def runs_of(paths, n=0):
    found = [score(path, store=False).scores["strict"] for path in paths]
    found = [found[at % len(found)] for at in range(n or len(found))]
    return Runs(scored=tuple(found), labels=tuple(f"run {at}" for at in range(len(found))), absent=("",) * len(found))


def chart(section):
    return next(block for block in section.blocks if isinstance(block, Chart))


def test_one_band_a_task_holds_a_mark_a_run_and_the_numbers_of_each(three, on_axes):
    runs = runs_of(three)
    section = tasks("strict", runs, card())
    assert on_axes([section]) == 1
    table, figure = chart(section).table, chart(section).figure
    assert figure.series == ("run 0", "run 1", "run 2")
    assert len(figure.marks) == 3 * len(table.rows) == 3 * len(figure.y.bands) == 3 * (1 + 3 + 12)
    by_name = {row[0]: row[1:] for row in table.rows}
    for name, task in zip(TASKS, card().task, strict=True):
        cells = by_name[task.title]
        rows = [one.tasks[name] for one in runs.scored]
        assert [(cell.value, cell.interval) for cell in cells[:3]] == [(row.value, row.interval) for row in rows]
        assert cells[3:] == (rows[0].chance, rows[0].n_items)
        assert table.info[[row[0] for row in table.rows].index(task.title)].items == f"task={name.replace(' ', '%20')}"
    assert [column.title for column in table.columns][4:] == ["chance", "items"]
    fewer = structs.replace(runs.scored[1], n_items=5)
    apart = chart(tasks("strict", structs.replace(runs, scored=(runs.scored[0], fewer, None)), card())).table
    assert [column.title for column in apart.columns][4:] == ["chance", "fewest items", "most items"]
    assert apart.rows[0][5:] == (5, runs.scored[0].n_items)
    assert all(row[5] == row[6] for row in apart.rows[1:])
    (every,) = next(one for one in section.blocks if isinstance(one, Folded)).blocks
    assert [row[:2] for row in every.rows[:3]] == [(table.rows[0][0], label) for label in runs.labels]
    assert [column.title for column in every.columns][2:] == ["correct", "95 %", "chance", "items", "answered"]


def test_rows_can_be_sorted_by_score_and_by_difference_below_what_sums_them_up(three):
    table = chart(tasks("strict", runs_of(three), card())).table
    titles = [row[0] for row in table.rows]
    strong = [title for title, info in zip(titles, table.info, strict=True) if info.strong]
    found = {order.by: [titles[at] for at in order.rows] for order in table.orders}
    assert found["benchmark"] == titles
    assert all(sorted(rows) == sorted(titles) for rows in found.values())
    assert found["score"][:4] == found["difference"][:4] == strong
    assert found["score"][4:6] == ["Number 3", "Number 4"]
    assert found["score"][-1] == found["difference"][-1].replace("3", "0") == "Number 0"
    down = runs_of(three)
    down = structs.replace(down, scored=tuple(structs.replace(one, direction="down") for one in down.scored))
    lowest = next(order for order in chart(tasks("x", down, card())).table.orders if order.by == "score")
    assert titles[lowest.rows[4]] == "Number 0"
    alone = chart(tasks("strict", structs.replace(down, scored=down.scored[:1]), card())).table
    assert [order.by for order in alone.orders] == ["benchmark", "score"]


def test_of_many_runs_the_numbers_stand_apart_and_none_is_lost(three):
    runs = runs_of(three, 50)
    section = tasks("strict", runs, card())
    wide = chart(section).table
    assert [column.id for column in wide.columns] == ["name", *(f"run-{n}" for n in range(50)), "chance", "items"]
    assert wide.id == "tasks"
    assert all(isinstance(cell, Estimate) for row in wide.rows for cell in row[1:51])
    figure = chart(section).figure
    assert (figure.kind, figure.series) == ("matrix", ())
    assert len(figure.marks) == 51 * 16  # chance among them
    cells = {(figure.y.bands[int(mark.y)].name, figure.x.bands[int(mark.x)].name): mark for mark in figure.marks}
    assert len(cells) == 51 * 16
    for row in wide.rows:
        for run, cell in zip(wide.columns[1:51], row[1:51], strict=True):
            assert cells[run.title, row[0]].value == cell.value == cells[run.title, row[0]].shade
    mean = [cells[band.name, wide.rows[0][0]].value for band in figure.y.bands[1:]]
    assert mean == sorted(mean, reverse=True)
    assert figure.y.bands[0].name == "chance"  # beside the best, however many runs there are
    assert cells["run 7", "Number 3"].items == "task=task%203&run=run+7"
    (every,) = next(one for one in section.blocks if isinstance(one, Folded)).blocks
    assert len(every.rows) == 50 * 16
    assert len({row[:2] for row in every.rows}) == 50 * 16
    assert figure.caption == "Share correct by task, in percent, with chance"
    assert wide.caption == "Share correct by task, in percent, with its 95 % interval and chance"
    page = str(as_html([section]))
    drawn, beside = (
        page.split(f'id="{name}"')[1].split("</table>", maxsplit=1)[0] for name in ("figure-tasks", "table-tasks")
    )
    assert (drawn.count('scope="row"'), drawn.count('scope="col"')) == (51, 1 + 16)
    assert beside.count('scope="col"') == 53


def test_of_many_runs_the_best_stand_first(three):
    runs = runs_of(three, 12)
    table = chart(headline(runs)).table
    assert [row[1] for row in table.rows] == sorted((row[1] for row in table.rows), reverse=True)
    assert {row[0] for row in table.rows} == set(runs.labels)
    down = [structs.replace(one, direction="down") for one in runs.scored]
    down[3] = None
    found = chart(headline(structs.replace(runs, scored=tuple(down), absent=("not judged",) * 12))).table
    assert [row[1] for row in found.rows[:-1]] == sorted(row[1] for row in found.rows[:-1])
    assert found.rows[-1][:2] == ("run 3", "not judged")
    few = runs_of(three, FEW)
    assert [row[0] for row in chart(headline(few)).table.rows] == list(few.labels)


def test_rules_name_whose_each_signature_is_where_runs_stand_side_by_side(three):
    one, other = runs_of(three).scored[:2]
    each = [{"strict": one, "loose": other}, {"strict": other, "loose": one}]
    for found, names in ((each, ["strict, a", "loose, a", "strict, b", "loose, b"]), (each[:1], ["strict", "loose"])):
        section = rules(found, ["a", "b"][: len(found)], card(), profile="loose")
        assert [copied.name for copied in section.blocks[-1].blocks] == names
        table = chart(section).table
        assert [(row[0], info.strong) for row, info in zip(table.rows, table.info, strict=True)] == [
            ("strict", False),
            ("loose", True),
        ]
        folds = [block for block in section.blocks if isinstance(block, Folded) and "Each task" in block.title]
        assert [fold.blocks[0].id for fold in folds] == [
            f"rules-by-task{ending}" for ending in (("-a", "-b") if len(found) > 1 else ("",))
        ]
        rows = {row[0]: row[1:] for row in folds[0].blocks[0].rows}
        assert rows["Number 3"] == tuple(scored.tasks["task 3"].value for scored in found[0].values())
        assert rows["speech"] == tuple(scored.categories["speech"].value for scored in found[0].values())


def test_a_table_has_the_signature_of_every_number_in_it(three):
    one, other, third = (structs.replace(one, signature=f"made-{n}") for n, one in enumerate(runs_of(three).scored[:3]))
    together = "made-0; made-1; made-2"
    found = rules([{"strict": one, "loose": other, "papers": third}], ["a"], card())
    beside = headline(structs.replace(runs_of(three), scored=(one, other, third)))
    for drawn in (chart(found), chart(beside)):
        assert drawn.table.signature == drawn.figure.signature == together
    alone = headline(structs.replace(runs_of(three), scored=(one, one, one)))
    assert chart(alone).table.signature == "made-0"


def test_the_headline_has_a_row_a_run_with_what_was_right_of_the_answered_and_what_was_asked(three):
    runs = runs_of(three)
    lost = structs.replace(runs.scored[1], over_answered=0.75, n_answered=18, n_failed=6, asked_of={"task 3": (2, 9)})
    none = structs.replace(runs.scored[2], over_answered=None)
    runs = structs.replace(runs, scored=(runs.scored[0], lost, none))
    assert (lost.part != "", none.part) == (True, "")
    table = chart(headline(runs, of=99)).table
    columns = [column.id for column in table.columns]
    answered, asked, items = map(columns.index, ("answered-alone", "asked", "items"))
    assert [row[answered] for row in table.rows] == [runs.scored[0].over_answered, 0.75, "none"]
    assert [row[asked] for row in table.rows] == ["", lost.part, ""]
    assert [row[items] for row in table.rows] == [24, 24, 24]
    assert [info.series for info in table.info] == [0, 1, 2]
    assert headline(runs, of=99).title.endswith(" · 24 of 99 items, mean of categories")
    assert headline(runs).title == ""


def test_a_run_without_a_score_or_a_task_says_so(three):
    runs = runs_of(three)
    lacking = structs.replace(runs.scored[1], tasks={"task 3": runs.scored[1].tasks["task 3"]})
    runs = structs.replace(runs, scored=(runs.scored[0], lacking, None), absent=("", "", "not judged"))
    rows = {row[0]: row[1:4] for row in chart(tasks("strict", runs, card())).table.rows}
    assert [cell if isinstance(cell, str) else cell.value for cell in rows["Number 4"]] == [
        0.0,
        "not asked",
        "not judged",
    ]
    assert rows["Number 3"][1].value == lacking.tasks["task 3"].value


def test_hostile_names_of_tags_and_tasks_stay_text_and_make_no_file_name(three):
    runs = runs_of(three[:1])
    tag = "../<img src=x onerror=alert(1)>\u202e"
    one = structs.replace(
        runs.scored[0], by={tag: {"<b>": runs.scored[0].tasks["task 3"]}, "///": {"": runs.scored[0]}}
    )
    section = tasks("strict", structs.replace(runs, scored=(one,)), card())
    places = [block.table.id for block in section.blocks if isinstance(block, Chart)]
    assert places == ["tasks", "tasks-by-img-src-x-onerror-alert-1", "tasks-by-tag-2"]
    page = str(as_html([section]))
    assert "<img" not in page
    assert "<b>" not in page
    assert "\u202e" not in re.sub(r"<bdi>.*?</bdi>|<script.*?</script>", "", page, flags=re.DOTALL)


@pytest.mark.browser
def test_three_runs_on_twelve_tasks_have_room_on_a_screen_and_can_be_sorted(visit, three, tmp_path):
    path = html.write(three, tmp_path / "three.html")
    page = visit(1280).load(path)
    section = page.locator("#tasks")
    assert section.bounding_box()["height"] <= 1200
    ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map((node) => node.id)")
    assert len(set(ids)) == len(ids)
    assert page.evaluate("() => document.documentElement.scrollWidth <= 1280")
    first = "() => [...document.querySelectorAll('#table-tasks tbody tr')].map((row) => row.cells[0].innerText)"
    before = page.evaluate(first)
    group = section.locator(".orders")
    assert group.get_by_role("button").all_text_contents() == ["benchmark", "score", "difference"]
    group.get_by_role("button", name="score").click()
    assert page.evaluate(first)[4].startswith("Something heard, number 3")
    assert page.evaluate(first) != before
    assert page.url.endswith("#tasks?order=score")
    assert group.locator("[aria-pressed=true]").text_content() == "score"
    page.goto(f"{path.as_uri()}#tasks?order=difference")
    page.reload()
    assert group.locator("[aria-pressed=true]").text_content() == "difference"
    assert page.evaluate(first)[-1].startswith("Something heard, number 3")
    group.get_by_role("button", name="benchmark").click()
    assert page.evaluate(first) == before


@pytest.mark.browser
def test_without_a_script_rows_stand_as_they_are_and_nothing_promises_more(browser, three, tmp_path):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(html.write(three, tmp_path / "three.html").as_uri())
    assert page.locator("#tasks button").count() == 0
    assert page.locator("#table-tasks tbody tr").count() == 16
    page.context.close()
