"""Published systems beside a run: in the report, in the terminal, and where there is nothing to say."""

import json
import re
import subprocess
import sys

import pytest

from audiometry.records import ReplyRecord
from audiometry.render.console import console
from audiometry.report import html
from audiometry.report.published_table import beside
from audiometry.report.published_text import MOST, published_report
from audiometry.score import score
from audiometry.score.opened import open_run
from audiometry.score.published import PUBLISHED, published, published_tasks

NAME = "airbench/foundation"
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


def rows(section):
    """Each table of a section as rows of texts, cell by cell."""
    tables = re.findall(r"<tbody>(.*?)</tbody>", section, re.DOTALL)
    cells = [
        [
            re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
            for row in re.findall(r"<tr.*?</tr>", body, re.DOTALL)
        ]
        for body in tables
    ]
    return [[[re.sub(r"<[^>]*>", "|", cell).strip("|") for cell in row] for row in body] for body in cells]


def printed(values):
    return ["–||not printed" if value is None else f"{100 * value:.1f}" for value in values]


def test_the_papers_tables_stand_in_its_order_with_the_run_beside_them(made, run):
    scored = score(open_run(run)).scores["strict"]
    summary, tasks = rows(made.Page(html.write([run])).section("published"))
    systems = published(NAME)
    assert [row[0].split("|")[0] for row in summary[:4]] == ["Speech", "Sound", "Music", "Average"]
    for row, category in zip(summary, ("speech", "sound", "music"), strict=False):
        own = scored.categories[category]
        low, high = own.interval
        assert row[2] == f"{100 * own.value:.1f}|{100 * low:.1f} to {100 * high:.1f}"
        assert row[3:] == printed([system.categories[category] for system in systems])
    assert summary[3][2].startswith(f"{100 * scored.value:.1f}|")
    assert summary[3][3:] == printed([system.average for system in systems])
    assert summary[4][3:] == printed([system.plain_matching for system in systems])
    by_task = [system for system in systems if system.tasks]
    assert [row[0].split("|")[0] for row in tasks] == [task.task for task in TASKS]
    for row, task in zip(tasks, TASKS, strict=True):
        assert row[1] == f"{task.chance:.1f}"
        assert row[2].startswith(f"{100 * scored.tasks[task.task_name].value:.1f}|")
        assert row[3:] == printed([system.tasks.get(task.task_name) for system in by_task])


def test_beside_the_published_shares_stands_that_of_the_papers_text_and_not_the_scripts(made, items, bench, make_run):
    said = ["B)", *["Dogs and birds can be heard."] * (len(items) - 1)]
    path = make_run(bench, [ReplyRecord(item=item["id"], text=text) for item, text in zip(items, said, strict=True)])
    scores = score(open_run(path))
    by_text, by_script = (one.share for one in scores.scores["strict"].extras.plain_matching.values())
    assert (by_text, by_script) == (pytest.approx(1 / len(items)), 1.0)
    summary, _ = rows(made.Page(html.write([path])).section("published"))
    assert summary[4][2] == f"{100 * by_text:.1f}"
    out = console()
    with out.capture() as captured:
        out.print(published_report(scores))
    own = next(line for line in captured.get().splitlines() if line.strip().startswith(scores.asked))
    assert own.split()[-1] == f"{100 * by_text:.1f}"


def test_published_numbers_are_marked_cited_and_without_an_interval(made, run):
    section = made.Page(html.write([run])).section("published")
    n = len(published(NAME))
    assert f'colspan="{n}" class="printed">published, table 3<' in section
    assert "published, table 5" in section
    assert "arXiv 2402.07729, tables 3, 4 and 5" in section
    assert "other prompts" in section
    assert "cannot be tested against" in section
    assert all(" to " not in cell for cell in re.findall(r'<td class="printed">(.*?)</td>', section))
    assert section.count('class="ci"') == 4 + 19


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
    summary, tasks = rows(section)
    assert "4 of 38</strong> items" in section
    assert [row[2].rsplit("|", 1)[-1] for row in summary[:4]] == [
        "1 of 9 tasks",
        "not asked",
        "1 of 6 tasks",
        "2 of 19 tasks",
    ]
    assert sum(row[2] == "not asked" for row in tasks) == 17


def test_a_category_asked_in_part_is_marked_on_page_and_terminal(made, items, bench, make_run):
    run = make_run(bench, made.answers(items[: len(TASKS)]), limit=len(TASKS))
    summary, tasks = rows(made.Page(html.write([run])).section("published"))
    marks = [re.findall(r"[0-9]+ of [0-9]+ asked", row[2]) for row in summary]
    assert marks == [["9 of 18 asked"], ["4 of 8 asked"], ["6 of 12 asked"], ["19 of 38 asked"], ["19 of 38 asked"]]
    assert summary[3][2] == "19 of 38 asked"  # and no number
    assert all("1 of 2 asked" in row[2] for row in tasks)
    out = console()
    with out.capture() as captured:
        out.print(published_report(score(open_run(run))))
    assert "6 of 12" in captured.get()


def test_rules_that_average_items_say_so_and_what_they_do_not_count_has_no_number(made, run, items, bench, make_run):
    page = made.Page(html.write([run], profile="lmms-eval"))
    assert "by the rules of lmms-eval" in page.section("published")
    assert page.section("published").count("mean of items") == 4
    silent = make_run(
        bench, [made.answers([entry])[0].__class__(item=entry["id"], text="??") for entry in items], name="s"
    )
    summary, tasks = rows(made.Page(html.write([silent], profile="airbench")).section("published"))
    assert {row[2] for row in [*summary[:4], *tasks]} == {"no reply counts"}
    assert summary[4][2] == "0.0"


def test_several_runs_each_have_a_column(made, items, bench, make_run, tmp_path):
    runs = [
        make_run(bench, made.answers(items, right=right), name=name)
        for name, right in (("good", lambda _: True), ("bad", lambda _: False))
    ]
    summary, _ = rows(made.Page(html.write(runs, tmp_path / "two.html")).section("published"))
    assert [cell.split("|")[0] for cell in summary[3][2:4]] == ["100.0", "0.0"]
    assert len(summary[3]) == 4 + len(published(NAME))


def test_other_benchmarks_have_no_such_section(made, make_benchmark, make_run):
    entries = [made.item(i) for i in range(4)]
    run = make_run(make_benchmark(entries), made.answers(entries))
    page = made.Page(html.write([run]))
    assert page.section("published") == ""
    assert 'href="#published"' not in page.text
    assert published_report(score(open_run(run))) is None


def test_the_terminal_shows_a_row_a_system_after_the_run_and_chance(run):
    done = subprocess.run(
        [sys.executable, "-m", "audiometry", "score", str(run)], capture_output=True, text=True, check=True
    )
    lines = [line.strip() for line in done.stdout.splitlines()]
    at = next(i for i, line in enumerate(lines) if line.startswith("Beside published systems, by the rules of strict"))
    scored = score(open_run(run)).scores["strict"]
    own = [scored.categories[name] for name in ("speech", "sound", "music")] + [scored]
    row = next(i for i in range(at, len(lines)) if lines[i].startswith("scripted/run"))
    assert lines[row].split()[1:5] == [f"{100 * one.value:.1f}" for one in own]
    assert lines[row + 1].split()[:3] == [f"{100 * own[0].interval[0]:.1f}", "to", f"{100 * own[0].interval[1]:.1f}"]
    assert lines[row + 2].startswith("chance")
    below = [line for line in lines[row:] if "(published)" in line]
    assert [line.split(" (published)")[0] for line in below] == [system.name for system in published(NAME)]
    for line, system in zip(below, published(NAME), strict=True):
        cells = [*system.categories.values(), system.average, system.plain_matching]
        assert line.split(" (published)")[1].split() == ["-" if c is None else f"{100 * c:.1f}" for c in cells]
    assert "landmarks" in " ".join(lines)


def test_the_terminal_goes_by_the_first_of_several_profiles(run):
    scores = score(open_run(run), ("airbench", "strict"))
    out = console()
    with out.capture() as captured:
        out.print(published_report(scores))
    assert "by the rules of airbench" in captured.get()
    assert f"{100 * scores.scores['airbench'].value:.1f}" in captured.get()


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
    out = console()
    with out.capture() as captured:
        out.print(published_report(scores))
    text = captured.get()
    assert re.findall(r"system (\d+) \(published\)", text) == [str(n) for n in range(MOST)]
    assert "And 150 systems more, which audiometry report shows." in text
    assert re.findall(r"Slips of the paper: system (\d+)", text) == ["3"]
    assert len(beside(NAME, [scores.scores["strict"]]).summary.systems) == 250


def test_a_category_that_was_begun_after_another_is_marked_beside_it(made, make_benchmark, cli, tmp_path):
    bench = make_benchmark(made.airbench_items(3), card=made.airbench_card())
    run = ("run", bench, "--model", "scripted/oracle", "--no-probe", "-o", tmp_path / "run")
    assert cli(*run, "--category", "speech").code == 0
    said = cli(*run, "--category", "sound", "--limit", "8")
    assert said.code == 0, said.err
    asked = score(open_run(tmp_path / "run")).scores["strict"]
    assert asked.asked_in == {"sound": (8, 12), "music": (0, 18)}
    summary, tasks = rows(made.Page(html.write([tmp_path / "run"])).section("published"))
    marks = [re.findall(r"[0-9]+ of [0-9]+ asked", row[2]) for row in summary[:3]]
    assert marks == [[], ["8 of 12 asked"], []]
    assert ("100.0" in summary[0][2], summary[2][2]) == (True, "not asked")
    assert sum("2 of 3 asked" in row[2] for row in tasks) == 4
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
        summary, *_ = rows(made.Page(html.write([run])).section("published"))
        parts.append([re.findall(r"[0-9]+ of [0-9]+ asked", row[1]) for row in summary])
    assert parts == [[[]] * 5, [["2 of 8 asked"], ["1 of 8 asked"], [], ["1 of 8 asked"], []]]
    assert summary[4][1] == "not asked in full"
