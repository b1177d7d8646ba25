"""A run of MuChoMusic beside the paper's table: over everything, by dimension, and how much could be read."""

import json
from decimal import Decimal

import pytest

from audiometry import seeds
from audiometry.render.console import Terminal
from audiometry.render.document import Chart
from audiometry.report.published import beside
from audiometry.report.views.published import published as view
from audiometry.score import score
from audiometry.score.published import published, slips

CARD = """
[benchmark]
name = "muchomusic"
version = "1"
[[task]]
name = "music_QA"
category = "music"
[[dimension]]
tag = "knowledge"
title = "Knowledge"
values = ["melody", "harmony"]
[[dimension]]
tag = "reasoning"
title = "Reasoning"
values = ["lyrics"]
"""
N = 40
TABLE_3 = """
MusiLingo 21.1 22.0 19.2 71.6
MuLLaMa 32.4 32.3 31.3 79.4
M2UGen 42.9 44.9 41.2 96.4
SALMONN 41.8 41.0 43.3 99.8
Qwen-Audio 51.4 51.1 51.0 89.7
random_guessing 25.0 25.0 25.0 100.0
"""


def tags(number):
    found = {"knowledge": ["melody"] if number % 2 else [], "reasoning": ["lyrics"] if number % 3 == 0 else []}
    return {tag: values for tag, values in found.items() if values}


@pytest.fixture
def run(make_benchmark, make_run):
    rows = [{"task": "music_QA", "tags": tags(number)} for number in range(N)]
    folder = make_benchmark(rows, card=CARD, clips=False)
    return make_run(folder, {f"item-{n:05}": "hm" if n % 10 == 0 else "A" for n in range(N)})


def test_the_papers_table_is_what_it_printed():
    found = [
        (one.name.replace(" ", "_"), one.average, *one.dimensions.values(), one.ifr) for one in published("muchomusic")
    ]
    wanted = [line.split() for line in TABLE_3.split("\n") if line]
    assert found == [(name, *(Decimal(number) / 100 for number in numbers)) for name, *numbers in wanted]
    assert all([*one.dimensions] == ["knowledge", "reasoning"] for one in published("muchomusic"))
    assert slips("muchomusic") == ()  # its number over everything is no mean of the two, as questions may be of neither
    assert published("rul-muchomusic") == ()  # another test under a like name


def test_a_run_has_its_own_number_in_each_column(run):
    scored = score(run, ["muchomusic"], store=False).scores["muchomusic"]
    found = beside("muchomusic", [scored])
    lines = {line.title: line for line in found.summary.lines}
    assert list(lines) == ["average", "Knowledge", "Reasoning", "instruction-following rate"]
    dimensions = scored.extras.dimensions
    own = {
        "average": scored,
        "Knowledge": dimensions["knowledge"].any,
        "Reasoning": dimensions["reasoning"].any,
    }
    for title, row in own.items():
        (cell,) = lines[title].own
        assert (cell.value, cell.interval, cell.note) == (row.value, row.interval, "")
    right = [n for n in range(N) if n % 4 == 0 and n % 10]
    assert lines["average"].own[0].value == pytest.approx(len(right) / N)
    assert lines["Reasoning"].own[0].value == pytest.approx(
        sum(n % 3 == 0 for n in right) / sum(n % 3 == 0 for n in range(N))
    )
    assert lines["instruction-following rate"].own[0].value == pytest.approx(36 / 40)
    assert found.tasks.lines == ()
    section = view(found, [scored], ["mine"])
    chart = next(block for block in section.blocks if isinstance(block, Chart))
    assert [column.title for column in chart.table.columns] == ["system", "average", "Knowledge", "Reasoning", "IFR"]
    assert [row[0] for row in chart.table.rows[:3]] == ["mine", "chance of the items", "chance of the paper's tasks"]
    assert chart.table.rows[1][1:] == (0.25, 0.25, 0.25, None)
    assert chart.table.rows[2][1] == 0.25
    paper, best = chart.table.orders
    assert paper.rows == tuple(range(len(chart.table.rows)))
    assert [chart.table.rows[at][0].split(" (")[0] for at in best.rows[:3]] == ["Qwen-Audio", "M2UGen", "SALMONN"]
    assert chart.table.rows[-1] == ("random guessing (published)", 0.25, 0.25, 0.25, 1.0)
    assert len(chart.figure.series) == 3  # what was read is a matter of form, and not drawn
    assert chart.figure.reference == 0.25
    text = " ".join(block.text for block in section.blocks if hasattr(block, "text"))
    assert "given to a judge" not in text  # as AIR-Bench's were
    assert "the paper's script read the replies" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_number_of_it_is_cropped_on_a_terminal(run, width):
    scored = score(run, ["muchomusic"], store=False).scores["muchomusic"]
    out = Terminal(width)
    with out.capture() as said:
        out.show([view(beside("muchomusic", [scored]), [scored], ["mine"])])
    assert all(number in said.get() for line in TABLE_3.split("\n") for number in line.split()[1:])


def test_of_a_part_it_says_so_and_a_run_without_dimensions_has_none(make_benchmark, make_run, run):
    rows = [{"task": "music_QA"} for _ in range(8)]
    folder = make_benchmark(rows, card=CARD.partition("[[dimension]]")[0], clips=False)
    scored = score(make_run(folder, {f"item-{n:05}": "A" for n in range(8)}), ["strict"], store=False).scores["strict"]
    lines = {line.title: line for line in beside("muchomusic", [scored]).summary.lines}
    assert lines["knowledge"].own[0].value is None
    assert lines["average"].own[0].value == 2 / 8
    stopped = make_run(folder, {"item-00000": "A"})
    scored = score(stopped, ["strict"], store=False).scores["strict"]
    lines = {line.title: line for line in beside("muchomusic", [scored]).summary.lines}
    assert (lines["average"].own[0].value, lines["average"].own[0].note) == (None, "not all asked")
    assert (lines["instruction-following rate"].own[0].value, lines["instruction-following rate"].own[0].note) == (
        None,
        "not all asked",
    )


def test_a_run_of_few_of_the_published_questions_asked_otherwise_says_so_wherever_the_table_stands(
    cli, make_benchmark, tmp_path
):
    """With clips gone from the web that is what most people have: all that they have was asked."""
    card = CARD.replace('version = "1"', 'version = "1"\nsize = 1187\n[asked]\norders = 3\nshots = 1')
    folder = make_benchmark([{"task": "music_QA"} for _ in range(8)], card=card)
    ways = {"like": ("--shots", "1", "--orders", "3"), "unlike": ("--shots", "0", "--orders", "1")}
    for name, how in ways.items():
        done = cli("run", folder, "--model", "scripted/oracle", "--no-probe", "-o", tmp_path / name, *how)
        assert done.code == 0, done.err
    paper, words = "8 of 1,187 items", "8 of 1,187 items, after 0 examples, not 1, in 1 order, not 3"
    for name, said in (("like", paper), ("unlike", words)):
        text = " ".join(cli("score", tmp_path / name).out.split())
        assert f"is unlike what was printed: {said}." in text
        assert "8 of 1,187 published items." in text
        document = json.loads(cli("score", tmp_path / name, "--json").out)
        assert (", ".join(document["unlike"]), document["n_published"]) == (said, 1187)
        tables = tmp_path / f"tables-{name}"
        assert cli("report", tmp_path / name, "-o", tmp_path / "page.html", "--tables", tables).code == 0
        assert f"({said})" in (tables / "published.md").read_text()
        assert "8 of 1,187 published items" in (tmp_path / "page.html").read_text()


def test_guesses_come_from_the_named_stream_that_airbench_guesses_come_from_too(run):
    """lmms-eval's task of MuChoMusic draws a letter where nothing is read: by name, so that order plays no part."""
    scored = score(run, ["lmms-eval"], store=False).scores["lmms-eval"]
    unread = [n for n in range(N) if n % 10 == 0]
    drawn = {n: seeds.stream(0, "lmms-eval", f"item-{n:05}", "plain").pick("ABCD") for n in unread}
    right = sum(drawn[n] == "ABCD"[n % 4] for n in unread)
    assert (scored.n_guessed, scored.n_guessed_right) == (len(unread), right)


def test_several_runs_stand_in_one_published_table(cli, run, make_run, tmp_path):
    """And one without a reply in none."""
    source = json.loads((run / "run.json").read_text())["benchmark"]["source"]
    fail = {"error": {"kind": "timeout", "message": "no reply"}}
    more = [make_run(source, {f"item-{n:05}": reply for n in range(N)}) for reply in ("B", fail)]
    runs = []
    for number, one in enumerate([run, *more]):
        runs.append(tmp_path / f"run-{number}")
        one.rename(runs[-1])
        info = json.loads((runs[-1] / "run.json").read_text())
        (runs[-1] / "run.json").write_text(json.dumps(info | {"model": f"made/{number}"}))
    alone = cli("score", runs[0]).out
    both = cli("score", *runs).out
    assert alone.count("SALMONN") == both.count("SALMONN") == 1
    table = both[both.index("Published systems\n") :].split("SALMONN")[0]
    assert ("made/0" in table, "made/1" in table, "made/2" in table) == (True, True, False)
