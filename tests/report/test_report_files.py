"""``--tables`` and ``--figures``: what a page or a comparison shows, as files for a paper."""

import csv
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from audiometry.errors import StorageError
from audiometry.files import atomic
from audiometry.files.extras import install
from audiometry.records import ReplyRecord
from audiometry.render.markdown import escaped
from audiometry.report import html


@pytest.fixture
def pair(made, make_benchmark, make_run):
    items = [made.item(i) for i in range(40)]
    items[3] |= {"question": "<script>alert(1)</script>"}
    bench = make_benchmark(items)
    records = made.answers(items)
    records[4] = ReplyRecord(item=items[4]["id"], text="Hard to say.")
    return [make_run(bench, records, name="first"), make_run(bench, made.answers(items), name="second")]


def test_every_table_of_a_page_is_in_the_folder_and_the_page_holds_the_same_text(cli, pair, tmp_path):
    folder, page = tmp_path / "tables", tmp_path / "both.html"
    said = cli("report", *pair, "-o", page, "--tables", folder, "--figures", tmp_path / "figures")
    assert (said.code, said.out.strip()) == (0, str(page))
    held = page.read_text(encoding="utf-8")
    names = {path.stem for path in folder.iterdir()}
    assert "unread" in names
    assert re.search(rf"{len(names) * 3} files of tables in ", said.err)
    assert held.count('class="copies"') >= len(names)
    for name in names:
        assert {path.suffix for path in folder.glob(f"{name}.*")} == {".md", ".tex", ".csv"}
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert len({len(row) for row in rows}) == 1
        assert rows[0][0]


def test_every_file_says_what_it_is_of(cli, pair, tmp_path):
    from audiometry.score.opened import open_runs

    model = open_runs(pair)[0].info.model
    for runs, of in ((pair[:1], f"{model} on small 2"), (pair, "on small 2")):
        tables, figures = tmp_path / f"t{len(runs)}", tmp_path / f"f{len(runs)}"
        assert cli("report", *runs, "-o", tmp_path / "page.html", "--tables", tables, "--figures", figures).code == 0
        captions = [one.read_text().splitlines()[0] for one in tables.glob("*.md")]
        captions += [re.search(r"\\caption\{(.*)\}", one.read_text())[1] for one in tables.glob("*.tex")]
        captions += [re.search("<title>(.*)</title>", one.read_text())[1] for one in figures.glob("*.svg")]
        assert len(captions) > 12
        assert [one for one in captions if not one.endswith(f"; {of}")] == []
        for path in tables.glob("*.csv"):  # the caption too, which says whose numbers of what these are
            with path.open(encoding="utf-8", newline="") as file:
                (said,) = {row["of"] for row in csv.DictReader(file)}
                assert escaped(said) == path.with_suffix(".md").read_text().splitlines()[0]
        assert [one.name for one in tables.glob("*.tex") if "\n% strict.1+" not in one.read_text()] == []
        if len(runs) > 1:
            assert re.search(r" A \([^)]+\) minus B \([^)]+\), share correct,", (tables / "comparison.csv").read_text())


def test_a_comparison_says_how_both_scores_were_made(cli, made, make_benchmark, make_run, tmp_path):
    items = [made.item(i) for i in range(40)]
    bench = make_benchmark(items)
    runs = [make_run(bench, made.answers(items), name=f"run-{n}", seed=n) for n in (0, 7)]
    signatures = [cli("score", run, "--json").json["scores"]["strict"]["signature"] for run in runs]
    assert signatures[0] != signatures[1]
    made_by = f"{signatures[0]} against {signatures[1]}; in pairs, by swapping whole clusters"
    said = cli("compare", *runs, "--figures", tmp_path / "f", "--tables", tmp_path / "t", "--json")
    assert said.json["signatures"] == signatures
    assert cli("report", *runs, "-o", tmp_path / "p.html", "--tables", tmp_path / "r").code == 0
    for folder in ("t", "r"):
        assert f"% {made_by}" in (tmp_path / folder / "comparison.tex").read_text()
    caption = re.search("<title>(.*)</title>", (tmp_path / "f" / "comparison.svg").read_text())[1]
    assert "A (scripted/run-0) minus B (scripted/run-7)" in caption
    assert "corrected" not in caption


def test_a_comparison_has_its_files_too_beside_its_document(cli, pair, tmp_path):
    said = cli("compare", *pair, "--tables", tmp_path / "t", "--figures", tmp_path / "f", "--json")
    assert said.code == 0
    assert said.json["a"]
    assert (tmp_path / "t" / "comparison.tex").read_text().count(r"\toprule") == 1
    assert {path.suffix for path in (tmp_path / "f").iterdir()} == {".svg", ".png", ".pdf"}


def test_without_the_extra_the_page_and_svg_stand_and_a_line_says_what_to_install(cli, pair, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    said = cli("compare", *pair, "--figures", tmp_path / "f")
    assert said.code == 1  # a part is done
    first, last = said.err.splitlines()
    assert first.startswith("note: figures are written as SVG alone: ")  # before anything is worked out
    assert first.endswith(install("figures"))
    assert last == f"1 file of figures in {tmp_path / 'f'}; open {tmp_path / 'f' / 'comparison.svg'}"
    assert {path.suffix for path in (tmp_path / "f").iterdir()} == {".svg"}


def test_a_file_where_a_folder_has_to_be_is_a_line(cli, pair, tmp_path):
    (tmp_path / "file").write_text("mine")
    said = cli("report", pair[0], "--tables", tmp_path / "file")
    assert said.code == 2
    assert "Traceback" not in said.err
    assert (tmp_path / "file").read_text() == "mine"


def test_a_report_hands_on_what_its_views_show(pair, tmp_path):
    shown = []
    html.write(pair, tmp_path / "page.html", also=shown.extend)
    assert shown


def test_the_document_names_the_files_that_were_written(cli, pair, tmp_path, monkeypatch):
    out = ["-o", tmp_path / "p.html", "--tables", tmp_path / "t", "--figures", tmp_path / "f", "--json"]
    said = cli("report", pair[0], *out)
    assert said.code == 0
    for kind in ("tables", "figures"):
        assert sorted(said.json[kind]) == sorted(map(str, (tmp_path / kind[0]).iterdir()))
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    said = cli("report", pair[0], *out)
    assert said.code == 1
    assert {path.rpartition(".")[2] for path in said.json["figures"]} == {"svg"}
    assert install("figures") in said.json["missing"][0]


def test_a_score_has_its_files_each_named_by_its_measure_and_of_several_runs_by_the_run(
    cli, made, make_benchmark, make_run, tmp_path
):
    card = '[benchmark]\nname = "two"\n[[task]]\nname = "say"\nkind = "transcript"\n'
    card += "[[task]]\nname = 'voice'\n"
    items = [made.item(n, **({"task": "say", "options": [], "answer": "a"} if n % 2 else {})) for n in range(12)]
    bench = make_benchmark(items, card=card)
    replies = [ReplyRecord(item=one["id"], text=one["answer"], attempts=1) for one in items]
    runs = [make_run(bench, replies, name=name, model=f"vllm/{name}") for name in ("One", "two")]
    tables, figures = tmp_path / "t", tmp_path / "f"
    said = cli("score", runs[0], "--tables", tables, "--figures", figures)
    assert said.code == 0, said.err
    assert {path.stem for path in tables.iterdir()} == {"tasks-accuracy", "tasks-wer"}
    assert {path.name for path in figures.glob("*.pdf")} == {"tasks-accuracy.pdf", "tasks-wer.pdf"}
    assert (tables / "tasks-wer.md").read_text().splitlines()[0].endswith("; vllm/One on two 0")
    assert (
        f"6 files of tables in {tables}; in LaTeX, with booktabs: \\input{{{tables / 'tasks-accuracy.tex'}}}\n"
        in said.err
    )
    assert f"6 files of figures in {figures}; open {figures / 'tasks-accuracy.svg'}\n" in said.err
    assert cli("score", *runs, "--tables", tmp_path / "both").code == 0
    names = {path.stem for path in (tmp_path / "both").iterdir()}
    own = {f"tasks-{measure}-vllm-{run}" for measure in ("accuracy", "wer") for run in ("one", "two")}
    assert names == own | {"ranks"}


def test_every_document_names_the_files_under_the_same_keys(cli, pair, tmp_path):
    ratings = [{"item": f"{n}", "rater": rater, "score": n % 5 + 1} for n in range(8) for rater in ("anna", "ben")]
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ratings))
    for number, command in enumerate(
        (
            ("score", pair[0]),
            ("score", *pair),
            ("compare", *pair),
            ("report", pair[0], "-o", tmp_path / "p.html"),
            ("agree", tmp_path / "people.jsonl", "-o", tmp_path / "a.html"),
        )
    ):
        folders = {kind: tmp_path / f"{kind}-{number}" for kind in ("tables", "figures")}
        bare = cli(*command, "--json").json
        told = cli(*command, *(word for kind, at in folders.items() for word in (f"--{kind}", at)), "--json").json
        for document, without in zip(*(one if isinstance(one, list) else [one] for one in (told, bare)), strict=True):
            assert document.keys() - without.keys() == folders.keys()
            for kind, at in folders.items():
                assert sorted(document[kind]) == sorted(map(str, at.iterdir()))
        if command[0] in {"report", "agree"}:
            assert Path(told["report"]) == command[-1]


def test_files_of_before_stay_and_are_told_of(cli, pair, tmp_path):
    folder = tmp_path / "paper"
    assert "from before" not in cli("report", *pair, "-o", tmp_path / "p.html", "--tables", folder).err
    before = set(folder.iterdir())
    said = cli("report", pair[0], "-o", tmp_path / "p.html", "--tables", folder, "--json")
    stay = before - set(map(type(folder), said.json["tables"]))
    assert stay
    assert f"{len(stay)} files from before in that folder" in said.err
    assert "of the same names stood there and were replaced" in said.err
    assert stay <= set(folder.iterdir())


def test_letters_that_not_every_font_has_are_told(cli, made, make_benchmark, make_run, tmp_path):
    card = '[benchmark]\nname = "b"\n[[task]]\nname = "bell"\ntitle = "声音 Žluté"\n[[task]]\nname = "voice"\n'
    items = [made.item(n) for n in range(8)]
    run = make_run(make_benchmark(items, card=card), made.answers(items))
    said = cli("score", run, "--tables", tmp_path / "t", "--figures", tmp_path / "f")
    lines = said.err.splitlines()
    assert lines[1] == "letters that not every TeX or font has, in .tex as their numbers: 声音"
    assert lines[3] == "letters that not every TeX or font has, in PNG and PDF only if a font here has them: 声音"
    assert r"\textbackslash{}u58f0\textbackslash{}u97f3 \v{Z}lut\'{e}" in (tmp_path / "t" / "tasks.tex").read_text()


@pytest.mark.parametrize("option", ["--tables", "--figures"])
@pytest.mark.parametrize(
    ("place", "whose"),
    [
        ("run", "a run folder"),
        ("run/scores", "where a run's scores are"),
        ("bench", "a benchmark"),
        ("p.html-items", "where a page's items are"),
        ("link", "a run folder"),
    ],
)
def test_no_files_are_mixed_with_what_is_dear(cli, pair, tmp_path, place, whose, option):
    run, bench = tmp_path / "run", tmp_path / "bench"
    shutil.copytree(pair[1], run)
    for folder in (run / "scores", bench, tmp_path / "p.html-items"):
        folder.mkdir(exist_ok=True)
    for path in (bench / "metadata.jsonl", tmp_path / "p.html"):
        path.touch()
    (tmp_path / "link").symlink_to(run)
    before = sorted(tmp_path.rglob("*"))
    said = cli("report", pair[0], "-o", tmp_path / "other.html", option, tmp_path / place)
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert f"{place} is {whose}; name another one with {option}" in said.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("option", ["tables", "figures"])
@pytest.mark.parametrize("folder", ["new", "./new", "new/below", "link/new"])
def test_a_page_and_a_folder_of_files_have_a_place_each(cli, pair, tmp_path, monkeypatch, folder, option):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    said = cli("report", *pair, f"--{option}", folder, "-o", "new")
    assert (said.code, said.err) == (
        2,
        f"audiometry: error: -o and --{option} name the same place; give each its own\n",
    )
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("words", "option"),
    [(("-o", "a", "-o", "b"), "-o"), (("--tables", "a", "--tables=b"), "--tables"), (("-oa", "-o", "b"), "-o")],
)
def test_a_place_to_write_to_is_named_once(cli, pair, tmp_path, monkeypatch, words, option):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    said = cli("report", *pair, *words)
    assert (said.code, said.err) == (2, f"audiometry: error: {option} is given twice; leave one out\n")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["report.csv", "REPORT.JSON", "tasks.tex"])
def test_no_page_is_called_as_something_else(cli, pair, tmp_path, name):
    (tmp_path / "people.jsonl").write_text('{"item": "a", "rater": "b", "score": 1}\n')
    for command in (("report", pair[0]), ("agree", tmp_path / "people.jsonl")):
        said = cli(*command, "-o", tmp_path / name)
        assert (said.code, said.err.count("\n")) == (1, 1)
        assert "it will be a page; name a file that ends in .html" in said.err
        assert not (tmp_path / name).exists()


def test_how_far_a_report_of_several_runs_is_stands_on_a_terminal(pair, monkeypatch, tmp_path, capsys):
    from audiometry.cli import progress
    from audiometry.cli import report as command

    class Steps:
        def __init__(self, what):
            self.what = what

        def show(self, done, whole):
            told.append((self.what, done, whole))

        def end(self):
            told.append(self.what)

    told = []
    monkeypatch.setattr(progress, "Steps", Steps)
    command.command.main([str(path) for path in (*pair, "-o", tmp_path / "p.html")], standalone_mode=False)
    assert told == [("runs", 1, 2), ("runs", 2, 2), "runs", ("comparisons", 1, 1), "comparisons"]


def test_figures_of_nothing_say_why_there_are_none(cli, made, make_benchmark, make_run, tmp_path):
    items = [made.item(i) for i in range(4)]
    run = make_run(make_benchmark(items), [])
    said = cli("report", run, "--figures", tmp_path / "f")
    assert "0 files of figures in " in said.err
    assert "there is no number to show" in said.err


def test_an_incomplete_run_says_so_with_its_bounds_wherever_its_numbers_stand(
    cli, made, make_benchmark, make_run, tmp_path
):
    items = [made.item(i) for i in range(40)]
    bench = make_benchmark(items)
    records = made.answers(items)
    for at in range(16):
        records[at] = ReplyRecord(item=items[at]["id"], error={"kind": "timeout", "message": "late"})
    run, whole = make_run(bench, records, name="lost"), make_run(bench, made.answers(items), name="whole")
    low, high = (f"{100 * end:.1f}" for end in cli("score", run, "--json").json["scores"]["strict"]["bounds"])
    told = f"incomplete, bounds {low} to {high}"
    assert f"{low} to {high}" in cli("score", run).out
    for runs, who in (((run,), ""), ((run, whole), "scripted/lost is ")):
        folder = tmp_path / f"of-{len(runs)}"
        out = ["-o", tmp_path / "p.html", "--tables", folder, "--figures", folder]
        assert cli("report", *runs, *out).code == 0
        for name in ("tasks", "headline"):
            for ending in ("md", "tex", "svg"):
                assert f"; {who}{told}; " in (folder / f"{name}.{ending}").read_text(), (name, ending)
        data = (folder / "tasks.csv").read_text()
        assert ("bounds low, %" in data) if len(runs) == 1 else (f"bounds {low} to {high}" in data)
        assert "incomplete" in (folder / "rules.md").read_text().splitlines()[0]
        for name in ("letters", "comparison") if len(runs) > 1 else ("letters",):
            for ending in ("md", "svg"):
                assert re.search("; incomplete, .*16 of 40 ", (folder / f"{name}.{ending}").read_text()), (name, ending)


def test_beyond_four_runs_every_task_under_every_profile_is_in_the_data(cli, made, make_benchmark, make_run, tmp_path):
    items = [made.item(i) for i in range(12)]
    bench = make_benchmark(items)
    runs = [make_run(bench, made.answers(items, right=lambda i, n=n: i > n), name=f"run-{n}") for n in range(5)]
    assert cli("report", *runs, "-o", tmp_path / "p.html", "--tables", tmp_path).code == 0
    with (tmp_path / "rules-by-task.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    titles = list(dict.fromkeys(row[0] for row in rows))
    assert len(titles) > 2
    assert len(rows) == len(titles) * len(runs)
    assert all(all(row[: len(head) - 1]) for row in rows)
    scores = [cli("score", run, "--profile", "all", "--json").json["scores"] for run in runs]
    profiles = [name.partition(",")[0] for name in head[2:-1]]
    for (task, found), of_run in zip(
        scores[0]["strict"]["tasks"].items(), range(0, len(rows), len(runs)), strict=False
    ):
        assert found["n_items"]
        for at, score in enumerate(scores):
            numbers = [f"{100 * score[name]['tasks'][task]['value']:.1f}" for name in profiles]
            assert rows[of_run + at][2:-1] == numbers


def test_what_nobody_judged_is_counted_of_items_with_their_own_clips_and_names_its_run(
    cli, made, make_benchmark, make_run, tmp_path
):
    items = [made.open_item(number) for number in range(4)]
    bench = make_benchmark(items, name="air", card=made.OPEN_CARD.replace("{name}", "own"))
    records = [ReplyRecord(item=one["id"], text="A dog.", attempts=1) for one in items]
    records += [
        ReplyRecord(item=one["id"], variant="silence", error={"kind": "timeout", "message": "late"}) for one in items
    ]
    run = make_run(bench, records, name="chat", variants=("plain", "silence"))
    assert cli("report", run, "-o", tmp_path / "p.html", "--tables", tmp_path).code == 0
    told = (tmp_path / "unjudged.md").read_text()
    assert "4/4" in told
    assert told.splitlines()[0].endswith(" on own 3")


def test_of_files_that_do_not_all_fit_none_is_left_that_was_not_there(cli, pair, tmp_path, monkeypatch):
    folder, page, write = tmp_path / "tables", tmp_path / "both.html", atomic.write_parts
    room = iter(range(9))

    def full(path, parts, **more):
        if path.parent == folder and next(room, None) is None:
            raise StorageError(f"cannot write {path}: No space left on device; free some space")
        write(path, parts, **more)

    monkeypatch.setattr(atomic, "write_parts", full)
    said = cli("report", pair[0], "-o", page, "--tables", folder)
    assert (said.code, "No space left on device" in said.err) == (1, True)
    assert not folder.exists()
    folder.mkdir()
    (folder / "tasks.csv").write_text("mine")
    room = iter(range(9))
    assert cli("report", pair[0], "-o", page, "--tables", folder).code == 1
    assert {path.name for path in folder.iterdir()} <= {"tasks.csv"}


def test_what_a_killed_report_left_of_a_table_goes_after_an_hour(cli, pair, tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    left = [folder / f".tasks.csv.{end}" for end in ("aaaaaaaa", "bbbbbbbb")] + [folder / ".notes.csv.aaaaaaaa"]
    for path in left:
        path.write_text("half")
    for path in left[1:]:
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert cli("report", pair[0], "-o", tmp_path / "page.html", "--tables", folder).code == 0
    assert [path.exists() for path in left] == [True, False, True]
