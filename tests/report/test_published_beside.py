"""Published systems beside a run: in the report, in the terminal, and where there is nothing to say."""

import json
import re
import subprocess
import sys
from html import unescape

import pytest
from msgspec import structs

from audiometry.records import ReplyRecord
from audiometry.render.console import Terminal, console
from audiometry.render.document import Chart, Section
from audiometry.render.files import figures
from audiometry.render.files import tables as tables_of
from audiometry.render.layout import keyed
from audiometry.render.svg import svg
from audiometry.report import html
from audiometry.report.published import beside
from audiometry.report.views.published import MOST
from audiometry.report.views.published import published as view
from audiometry.run.probing import result
from audiometry.score import score
from audiometry.score.opened import open_run
from audiometry.score.published import PUBLISHED, published, published_tasks

NAME = "airbench/foundation"
CHANCE = "chance of the paper's tasks"
TASKS = published_tasks(NAME)


@pytest.fixture
def items(made):
    return made.airbench_items()


@pytest.fixture
def bench(made, items, make_benchmark):
    return make_benchmark(items, card=made.airbench_card())


@pytest.fixture
def run(made, items, bench, make_run):
    return make_run(bench, made.answers(items))


def bare(section):
    """A section without the texts that its tables are copied as."""
    return re.sub(r"<script.*?</script>", "", section, flags=re.DOTALL)


def tables(section):
    """Each table of a section by its id: rows by name, cells by heading; texts of one cell are parted by |."""
    found = {}
    for name, table in re.findall(r'<table [^>]*id="table-([^"]*)".*?>(.*?)</table>', section, re.DOTALL):
        head, *body = (
            [
                unescape(re.sub(r"(\s*<[^>]*>\s*)+", "|", cell).strip("|"))
                for cell in re.findall(r'<t[hd][ >](?![^>]*class="drawn")[^>]*>(.*?)</t[hd]>', row, re.DOTALL)
            ]
            for row in re.findall(r"<tr.*?</tr>", re.sub(r"<caption.*?</caption>", "", table), re.DOTALL)
        )
        found[name] = {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in body}
    return found


def ours(section):
    """The cells of the first run: by category, and by task."""
    found = tables(section)
    by_task = [[*row.values()][1] for row in found.get("published-tasks", {}).values()]
    own = next(iter(found["published"].values()))
    return [own[name] for name in sorted(own, key=("average, %", "average", "matched, %").count)], by_task


def printed(values):
    return ["–" if value is None else f"{100 * value:.1f}" for value in values]


def shown(scores, width=None):
    """What the terminal shows beside a run's first score."""
    first = next(iter(scores.scores.values()))
    out = Terminal(width) if width else console()
    with out.capture() as captured:
        out.show([view(beside(scores.benchmark, [first]), [first], [scores.asked])])
    return captured.get()


def test_the_papers_systems_stand_in_its_order_below_the_run(made, run):
    scores = score(open_run(run))
    scored, label = scores.scores["strict"], scores.asked
    found = tables(made.Page(html.write([run])).section("published"))
    summary, tasks = found["published"], found["published-tasks"]
    systems = published(NAME)
    chances = ["chance of the items", CHANCE]
    assert list(summary) == [label, *chances, *(f"{one.name} (published)" for one in systems)]
    assert list(summary[label]) == ["average, %", "speech, %", "sound, %", "music, %", "matched, %"]
    for category in ("speech", "sound", "music"):
        own = scored.categories[category]
        low, high = own.interval
        assert summary[label][f"{category}, %"] == f"{100 * own.value:.1f}|{100 * low:.1f} to {100 * high:.1f}"
    assert summary[label]["average, %"].startswith(f"{100 * scored.value:.1f}|")
    for one in systems:
        cells = [one.average, *one.categories.values(), one.plain_matching]
        assert list(summary[f"{one.name} (published)"].values()) == printed(cells)
    by_task = [system for system in systems if system.tasks]
    assert list(tasks) == [f"{task.category}: {task.task}" for task in TASKS]
    for row, task in zip(tasks.values(), TASKS, strict=True):
        assert list(row)[2:] == [f"{system.name}, %" for system in by_task]
        chance, own, *others = row.values()
        assert chance == f"{task.chance:.1f}"
        assert own.startswith(f"{100 * scored.tasks[task.task_name].value:.1f}|")
        assert others == printed([system.tasks.get(task.task_name) for system in by_task])


def test_the_papers_chance_stands_apart_from_that_of_the_items(made, run):
    summary = tables(made.Page(html.write([run])).section("published"))["published"]
    scored = score(open_run(run)).scores["strict"]
    own = [scored.categories[name].chance for name in ("speech", "sound", "music")]
    assert [*summary["chance of the items"].values()] == [*printed([scored.chance, *own]), ""]
    assert [*summary["chance of the paper's tasks"].values()] == ["26.9", "30.6", "25.0", "25.0", ""]


def test_runs_are_drawn_with_their_interval_and_published_systems_hollow_without(run, on_axes):
    scores = score(open_run(run))
    scored = scores.scores["strict"]
    found = beside(NAME, [scored])
    (chart,) = [one for one in view(found, [scored], [scores.asked]).blocks if isinstance(one, Chart)]
    assert on_axes([chart]) == 1
    assert chart.figure.series == ("average", "speech", "sound", "music")
    for series, title in enumerate(chart.figure.series):
        ours, *others = [mark for mark in chart.figure.marks if mark.series == series]
        own = scored.categories.get(title, scored)
        assert (ours.x, ours.interval, ours.hollow, ours.y) == (own.value, own.interval, False, 0)
        printed_of = {one.name: one.categories.get(title, one.average) for one in published(NAME)}
        if title != "average":
            printed_of = {one.name: one.categories[title] for one in published(NAME) if title in one.categories}
        printed_of = {name: value for name, value in printed_of.items() if value is not None}
        assert [mark.x for mark in others] == [pytest.approx(float(one)) for one in printed_of.values()]
        assert all(mark.hollow and mark.interval is None for mark in others)
        names = [chart.figure.y.bands[int(mark.y)].name for mark in others]
        assert names == [f"{name} (published)" for name in printed_of]
    assert {band.name for band in chart.figure.y.bands if band.bare} == {"chance of the items", CHANCE}
    assert chart.figure.reference == pytest.approx(0.2685, abs=1e-4)  # of the paper's tasks
    assert (chart.figure.n, chart.figure.n_least) == (scored.n_items, scored.n_items)  # and not the marks
    section = view(found, [scored], [scores.asked])
    cited = [one.signature for one in (chart.figure, *tables_of([section]))]
    assert len(cited) == 4
    assert all("arXiv" in one for one in cited)
    assert [one.startswith("strict.1+") for one in cited].count(True) == 3
    assert chart.figure.caption.startswith(f"Share correct by category of {1 + len(published(NAME))} systems, ")
    narrow = structs.replace(scored, categories={name: scored.categories[name] for name in ("speech", "sound")})
    (alone,) = [b for b in view(beside(NAME, [narrow]), [narrow], ["a"]).blocks if isinstance(b, Chart)]
    assert alone.figure.y.bands[0].name == "a (average: 2 of 3 categories)"
    part = structs.replace(scored, n_items=5)
    (both,) = [b for b in view(beside(NAME, [scored, part]), [scored, part], ["a", "b"]).blocks if isinstance(b, Chart)]
    assert (both.figure.n, both.figure.n_least) == (scored.n_items, 5)
    titles = [name for _, name in keyed(both.figure)]
    assert titles == list(chart.figure.series)
    assert {mark.series for mark in both.figure.marks} == {2, 3, 4, 5}  # no run's marks and colours


def test_systems_printed_on_both_benchmarks_stand_one_against_the_other(run):
    scored = score(open_run(run)).scores["strict"]
    found = beside(NAME, [scored])
    chat = {one.name: one.average for one in published("airbench/chat")}
    both = [(one.name, one.average, chat[one.name]) for one in published(NAME) if one.average is not None]
    assert (found.other, [*found.both], len(both)) == ("airbench/chat", both, 8)
    (section,) = [one for one in view(found, [scored], ["run"]).blocks if isinstance(one, Section)]
    _, figure, folded = section.blocks
    assert figure.kind == "scatter"
    assert [(mark.name, mark.x, mark.y) for mark in figure.marks] == [(n, float(a), float(b)) for n, a, b in both]
    assert all(mark.hollow for mark in figure.marks)
    assert (figure.reference, figure.reference_name) == (scored.value, "this run")
    (table,) = folded.blocks
    assert table.rows == tuple((n, float(a), float(b)) for n, a, b in both)
    two = view(beside(NAME, [scored] * 2), [scored] * 2, ["a", "b"]).blocks[-3]
    assert two.blocks[1].reference is None
    assert two.blocks[1].shade is None
    lines = [(band.name, band.reference) for band in two.blocks[1].x.bands]  # each run at its own value
    assert lines == [("a", scored.value), ("b", scored.value)]
    assert keyed(two.blocks[1]) == [(0, "a"), (1, "b")]
    assert svg(two.blocks[1]).count('<line class="whisker run-') == 2


def test_what_was_added_to_the_ranking_list_after_the_paper_is_marked_and_has_its_own_source(
    made, make_benchmark, make_run
):
    items = [made.open_item(number) for number in range(24)]
    bench = make_benchmark(items, card=made.OPEN_CARD.replace("{name}", "airbench/chat"))
    run = make_run(bench, [ReplyRecord(item=entry["id"], text="A dog.", attempts=1) for entry in items])
    made.verdicts(run, lambda _: ("8 7", "7 8"))
    blocks = []
    section = made.Page(html.write([run], also=blocks.extend)).section("published")
    summary = tables(section)["published"]
    later = {"Qwen2-Audio": "6.93 7.18 6.99 6.79 6.77", "Gemini-1.5-pro": "5.70 6.97 5.49 5.06 5.27"}
    for name, numbers in later.items():
        assert " ".join(summary[f"{name} (published later)"].values()) == numbers
    assert sum("(published)" in name for name in summary) == len(published("airbench/chat")) - 2 == 9
    assert "Qwen2-Audio and Gemini-1.5-pro: the ranking list of github.com/OFA-Sys/AIR-Bench, later" in section
    assert "chance" not in "".join(summary)
    axis = next(figure.x for figure in figures(blocks) if figure.id == "published")
    assert (axis.low, axis.high, axis.ticks) == (1, 10, (1, 4, 7, 10))


@pytest.mark.slow
@pytest.mark.browser
def test_published_systems_and_a_hearing_test_can_be_used_by_all(visit, made, run, axe):
    result.write(run, made.probe())
    path = html.write([run])
    for scheme in ("light", "dark"):
        page = visit(1280, scheme).load(path)
        page.evaluate(
            "() => document.querySelectorAll('#published details, #probe details').forEach((n) => n.open = true)"
        )
        for width in (1280, 400):
            page.set_viewport_size({"width": width, "height": 900})
            assert axe(page) == [], (scheme, width)


def test_beside_the_published_shares_stands_that_of_the_papers_text_and_not_the_scripts(made, items, bench, make_run):
    said = ["B)", *["Dogs and birds can be heard."] * (len(items) - 1)]
    path = make_run(bench, [ReplyRecord(item=item["id"], text=text) for item, text in zip(items, said, strict=True)])
    scores = score(open_run(path))
    by_text, by_script = (one.share for one in scores.scores["strict"].extras.plain_matching.values())
    assert (by_text, by_script) == (pytest.approx(1 / len(items)), 1.0)
    summary = tables(made.Page(html.write([path])).section("published"))["published"]
    assert summary[scores.asked]["matched, %"] == f"{100 * by_text:.1f}"
    own = next(line for line in shown(scores).splitlines() if line.strip().startswith(scores.asked))
    assert own.split()[-1] == f"{100 * by_text:.1f}"


def test_published_numbers_are_marked_cited_and_without_an_interval(made, run):
    section = bare(made.Page(html.write([run])).section("published"))
    assert section.count(" (published)") == len(published(NAME))
    assert "arXiv 2402.07729, tables 3, 4 and 5" in section
    assert "other prompts" in section
    assert "cannot be tested against" in section
    assert section.count('class="ci"') == 4 + 19  # of the run
    for name, row in tables(section)["published"].items():
        assert (" (published)" in name) == all("|" not in cell for cell in row.values()) or "chance" in name


def test_chance_is_averaged_as_the_paper_averages(run):
    found = beside(NAME, [score(open_run(run)).scores["strict"]])
    speech = [task.chance for task in TASKS if task.category == "speech"]
    chances = {line.title: line.chance for line in found.summary.lines}
    assert chances["speech"] == pytest.approx(float(sum(speech)) / len(speech) / 100)
    assert chances["average"] == pytest.approx((chances["speech"] + chances["sound"] + chances["music"]) / 3)


def test_a_part_of_the_items_says_of_what_it_is_a_mean(made, items, bench, make_run):
    names = ("Speech_Grounding", "Music_AQA")
    asked = [entry for entry in items if entry["task"] in names]
    run = make_run(bench, made.answers(asked), tasks=names)
    section = made.Page(html.write([run])).section("published")
    own, tasks = ours(section)
    assert "is unlike what was printed: <strong>4 of 38 items</strong>" in section
    assert [cell.rsplit("|", 1)[-1] for cell in own[:4]] == [
        "1 of 9 tasks",
        "not asked",
        "1 of 6 tasks",
        "2 of 19 tasks",
    ]
    assert tasks.count("not asked") == 17


def test_a_category_asked_in_part_is_marked_on_page_and_terminal(made, items, bench, make_run):
    run = make_run(bench, made.answers(items[: len(TASKS)]), limit=len(TASKS))
    own, tasks = ours(made.Page(html.write([run])).section("published"))
    marks = [re.findall(r"[0-9]+ of [0-9]+ asked", cell) for cell in own]
    assert marks == [["9 of 18 asked"], ["4 of 8 asked"], ["6 of 12 asked"], ["19 of 38 asked"], ["19 of 38 asked"]]
    assert own[3] == "19 of 38 asked"  # and no number
    assert all("1 of 2 asked" in cell for cell in tasks)
    assert "6 of 12" in shown(score(open_run(run)))


def test_rules_that_average_items_say_so_and_what_they_do_not_count_has_no_number(made, run, items, bench, make_run):
    page = made.Page(html.write([run], profile="lmms-eval"))
    assert "By the rules of lmms-eval" in page.section("published")
    assert bare(page.section("published")).count("mean of items") == 4
    silent = make_run(
        bench, [made.answers([entry])[0].__class__(item=entry["id"], text="??") for entry in items], name="s"
    )
    own, tasks = ours(made.Page(html.write([silent], profile="airbench")).section("published"))
    assert {*own[:4], *tasks} == {"no reply counts"}
    assert own[4] == "0.0"


def test_several_runs_each_have_a_row(made, items, bench, make_run, tmp_path):
    runs = [
        make_run(bench, made.answers(items, right=right), name=name)
        for name, right in (("good", lambda _: True), ("bad", lambda _: False))
    ]
    found = tables(made.Page(html.write(runs, tmp_path / "two.html")).section("published"))
    good, bad, *_ = found["published"].values()
    assert [row["average, %"].split("|")[0] for row in (good, bad)] == ["100.0", "0.0"]
    assert len(found["published"]) == 2 + 2 + len(published(NAME))
    assert {len(row) for row in found["published-tasks"].values()} == {1 + 2 + 8}


def test_other_benchmarks_have_no_such_section(made, make_benchmark, make_run):
    entries = [made.item(i) for i in range(4)]
    run = make_run(make_benchmark(entries), made.answers(entries))
    page = made.Page(html.write([run]))
    assert page.section("published") == ""
    assert 'href="#published"' not in page.text
    assert beside("small", list(score(open_run(run)).scores.values())) is None


def test_the_terminal_shows_a_row_a_system_after_the_run_and_chance(run):
    done = subprocess.run(
        [sys.executable, "-m", "audiometry", "score", str(run)], capture_output=True, text=True, check=True
    )
    lines = [line.strip() for line in done.stdout.splitlines()]
    at = lines.index("Published systems")
    assert lines[at + 1].startswith("By the rules of strict")
    scored = score(open_run(run)).scores["strict"]
    own = [scored, *(scored.categories[name] for name in ("speech", "sound", "music"))]
    row = next(i for i in range(at, len(lines)) if lines[i].startswith("scripted/run"))
    assert lines[row].split()[1:5] == [f"{100 * one.value:.1f}" for one in own]
    assert lines[row + 1].split()[:3] == [f"{100 * own[0].interval[0]:.1f}", "to", f"{100 * own[0].interval[1]:.1f}"]
    assert lines[row + 3].startswith("chance of the items")
    assert lines[row + 4].startswith("chance of the paper's tasks")
    below = [line for line in lines[row:] if "(published)" in line]
    assert [line.split(" (published)")[0] for line in below] == [system.name for system in published(NAME)]
    for line, system in zip(below, published(NAME), strict=True):
        cells = [system.average, *system.categories.values(), system.plain_matching]
        assert line.split(" (published)")[1].split() == printed(cells)
    assert "landmarks" in " ".join(lines)


def test_the_terminal_goes_by_the_first_of_several_profiles(run):
    scores = score(open_run(run), ("airbench", "strict"))
    text = shown(scores)
    assert "By the rules of airbench" in text
    assert f"{100 * scores.scores['airbench'].value:.1f}" in text


def test_of_very_many_systems_the_terminal_shows_some_and_says_so(made, run, tmp_path, monkeypatch):
    """Each row is laid out on its own: of 20,000 that took a quarter of a minute."""
    categories = {"speech": 40, "sound": 50, "music": 60}
    systems = [
        {"name": f"system {n}", "categories": categories, "average": 55 if n in {3, 200} else 50} for n in range(250)
    ]
    path = tmp_path / "many.json"
    path.write_text(json.dumps({"benchmark": NAME, "source": "a paper", "systems": systems}))
    monkeypatch.setattr(PUBLISHED, "all", lambda: {"many": path})
    scores = score(open_run(run))
    text = shown(scores)
    assert re.findall(r"system (\d+) \(published\)", text) == [str(n) for n in range(MOST)]
    assert "And 150 more systems, which audiometry report shows." in text
    assert re.findall(r"A slip of the paper: system (\d+)", text) == ["3", "200"]
    assert len(beside(NAME, [scores.scores["strict"]]).summary.systems) == 250


def test_a_category_that_was_begun_after_another_is_marked_beside_it(made, make_benchmark, cli, tmp_path):
    bench = make_benchmark(made.airbench_items(3), card=made.airbench_card())
    run = ("run", bench, "--model", "scripted/oracle", "--no-probe", "-o", tmp_path / "run")
    assert cli(*run, "--category", "speech").code == 0
    said = cli(*run, "--category", "sound", "--limit", "8")
    assert said.code == 0, said.err
    asked = score(open_run(tmp_path / "run")).scores["strict"]
    assert asked.asked_in == {"sound": (8, 12), "music": (0, 18)}
    own, tasks = ours(made.Page(html.write([tmp_path / "run"])).section("published"))
    marks = [re.findall(r"[0-9]+ of [0-9]+ asked", cell) for cell in own[:3]]
    assert marks == [[], ["8 of 12 asked"], []]
    assert ("100.0" in own[0], own[2]) == (True, "not asked")
    assert sum("2 of 3 asked" in cell for cell in tasks) == 4
    shown = [line for line in said.out.splitlines() if " asked" in line]
    assert any("8 of 12 asked" in line for line in shown)


def test_a_judged_category_asked_in_part_is_marked_though_the_paper_prints_no_tasks(made, make_benchmark, make_run):
    items = [made.open_item(number) for number in range(24)]
    bench = make_benchmark(items, card=made.OPEN_CARD.replace("{name}", "airbench/chat"))
    replies = [ReplyRecord(item=entry["id"], text="A dog.", attempts=1) for entry in items]
    parts = []
    for n in (24, 4):
        run = make_run(bench, replies[:n], limit=n, name=f"asked-{n}")
        made.verdicts(run, lambda _: ("8 7", "7 8"))
        own, _ = ours(made.Page(html.write([run])).section("published"))
        parts.append([re.findall(r"[0-9]+ of [0-9]+ asked", cell) for cell in own])
    assert parts == [[[]] * 5, [["2 of 8 asked"], ["1 of 8 asked"], [], ["1 of 8 asked"], []]]
    assert own[4] == "not asked in full"
