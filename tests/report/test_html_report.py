"""The file that `audiometry report` writes: what is in it, for one run and for several."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from audiometry.errors import RunFolderError, StorageError, UnknownNameError, UsageError
from audiometry.records import Failure, ReplyRecord
from audiometry.render import files
from audiometry.render.document import Block
from audiometry.render.numbers import p_value
from audiometry.render.table import Estimate
from audiometry.report import html, placing
from audiometry.report.rows import safe
from audiometry.score import score
from audiometry.score.opened import open_run


@pytest.fixture
def items(made):
    return [made.item(i) for i in range(12)]


@pytest.fixture
def one(made, items, make_benchmark, make_run):
    """A complete run of twelve items, nine of them right."""
    return make_run(make_benchmark(items), made.answers(items))


def audiometry(*arguments):
    # a process of its own: the browser of other tests has an event loop running in this one
    return subprocess.run(
        [sys.executable, "-m", "audiometry", *map(str, arguments)], capture_output=True, text=True, check=False
    )


def test_parameters_nested_without_end_are_shown_as_far_as_they_can_be_read(one):
    stamp = json.loads((one / "run.json").read_bytes())
    for depth in (40, 400):
        deep = "end"
        for n in range(depth):
            deep = {"a": deep} if n % 2 else [deep]
        (one / "run.json").write_text(json.dumps(stamp | {"parameters": {"extra": deep}}))
        done = audiometry("report", one)
        assert (done.returncode, done.stderr.startswith("next: open "), done.stderr.count("\n")) == (0, True, 1)
        assert ("end)" in (one / "report.html").read_text()) == (depth == 40)


def test_a_real_run_gives_a_report_in_its_folder(made, tmp_path, items, make_benchmark):
    folder = tmp_path / "real"
    assert audiometry("run", make_benchmark(items), "--model", "scripted/oracle", "-o", folder).returncode == 0
    done = audiometry("report", folder)
    assert (done.returncode, done.stdout.strip()) == (0, str(folder / "report.html"))
    assert done.stderr.startswith(f"next: open {folder / 'report.html'} in a browser")
    page = made.Page(folder / "report.html")
    assert "scripted/oracle" in page.text
    assert '<span class="number">100.0</span>' in page.text
    assert len(page.data("items")) == 12


def test_an_error_at_the_command_line_is_one_line(tmp_path):
    done = audiometry("report", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "is not a run folder" in done.stderr


def test_the_summary_says_what_the_score_says(made, one):
    page = made.Page(html.write([one]))
    scored = score(open_run(one)).scores["strict"]
    low, high = scored.interval
    assert f'<span class="number">{100 * scored.value:.1f}</span>' in page.text
    assert f"<strong>{100 * low:.1f} to {100 * high:.1f}</strong>" in page.text
    assert scored.signature in page.text
    assert "Anything beyond 12 items." in page.text
    assert "2026-01-02 03:04:05 UTC" in page.text
    assert "temperature 0.5, reader (name rules, stop a, b, vad off)" in page.text
    assert "median 0.50 s" in page.text
    assert "incomplete" not in page.text
    assert "None: every item has a reply" in page.text


def test_every_task_stands_in_the_chart_with_its_number_beside_its_drawing(made, one):
    page = made.Page(html.write([one]))
    scored = score(open_run(one)).scores["strict"]
    chart = page.text[page.text.index('id="tasks"') : page.text.index('id="letters"')]
    assert [t for t in ("Which bell", "Whose voice", "Mean of categories", "sound", "speech") if t not in chart] == []
    assert "Bells only." in chart
    for row in scored.tasks.values():
        assert f">{100 * row.value:.1f}</td>" in chart
        assert f'x1="{100 * row.interval[0]:.2f}%" x2="{100 * row.interval[1]:.2f}%"' in chart
        assert f'<line class="chance" x1="{100 * row.chance:.2f}%"' in chart


def test_letters_are_counted_as_the_score_counts_them(made, one):
    page = made.Page(html.write([one]))
    letters = score(open_run(one)).scores["strict"].extras.letters
    part = page.section("letters")
    found = re.findall(r'"rowheader"><bdi>([A-Z])</bdi>.*?"right">(\d+)<.*?"chosen">(\d+)<', part, re.DOTALL)
    assert found == [(name, str(letters.gold[name]), str(letters.chosen[name])) for name in letters.gold]
    assert f"p {p_value(letters.test.p, '= ')}" in part


def test_the_data_read_back_are_the_items_and_replies(made, one, items):
    page = made.Page(html.write([one]))
    rows, names = page.data("items"), page.data("names")
    assert [row["id"] for row in rows] == [entry["id"] for entry in items]
    for i, (row, entry) in enumerate(zip(rows, items, strict=True)):
        assert row["question"] == entry["question"]
        assert row["options"][row["gold"]] == entry["answer"]
        assert row["tags"] == entry["tags"]
        assert names["tasks"][row["task"]]["name"] == entry["task"]
        reply = row["replies"][0]
        assert names["verdicts"][reply.get("verdict", 0)] == ("correct" if i % 4 else "wrong")
        assert reply["text"] == "ABCD"[reply["chosen"]]
        assert reply["how"]


def test_a_transcript_has_its_errors_as_the_score_counts_them(made, make_benchmark, make_run):
    entries = [
        made.item(i, task="bell" if i % 2 else "voice", question="Write it down.", answer="the cat sat on the mat")
        | {"options": [], "tags": {"language": "en"}}
        for i in range(4)
    ]
    card = """
    [benchmark]
    name = "small"
    version = "2"
    [[task]]
    name = "bell"
    kind = "transcript"
    measure = "cer"
    [[task]]
    name = "voice"
    kind = "transcript"
    """
    texts = ["the cat sat on a big mat", "the hat sat on the mat", "cat sat", ""]
    records = [ReplyRecord(item=entry["id"], text=text) for entry, text in zip(entries, texts, strict=True)]
    run = make_run(make_benchmark(entries, card=card), records)
    rows = made.Page(html.write([run])).data("items")
    found = [row["replies"][0]["edits"] for row in rows]
    assert found == [
        [1, 0, 1, 6, "word"],
        [1, 0, 0, 22, "character"],
        [0, 4, 0, 6, "word"],
        [0, 22, 0, 22, "character"],
    ]
    marks = [row["replies"][0].get("marks", []) for row in rows]
    assert marks[0][0] == ["the cat sat on"]
    assert marks[1] == [["the "], ["c", "h"], ["at sat on the mat"]]
    for edits, mine in zip(found, marks, strict=True):
        kinds = [(bool(due), bool(said)) for due, said in (one for one in mine if len(one) == 2)]
        assert [kinds.count(kind) for kind in ((True, True), (True, False), (False, True))] == edits[:3]
    for name, unit in (("wer", "word"), ("cer", "character")):
        errors = score(open_run(run)).scores[name].extras.errors
        mine = [one for one in found if one[4] == unit]
        sums = [sum(one[place] for one in mine) for place in range(4)]
        assert sums == [errors.substitutions, errors.deletions, errors.insertions, errors.reference]


def test_failed_refused_unanswered_and_missing_replies_are_shown_each_by_its_reason(
    made, items, make_benchmark, make_run
):
    records = made.answers(items)[:-1]
    records[0] = ReplyRecord(item=items[0]["id"], error=Failure(kind="http-500", message="the server broke"))
    records[1] = ReplyRecord(item=items[1]["id"], text="I'm sorry, I can't help with that.")
    records[2] = ReplyRecord(item=items[2]["id"], text="Hard to say, it may be either of the two.")
    run = make_run(make_benchmark(items), records)
    page = made.Page(html.write([run]))
    scored = score(open_run(run)).scores["strict"]
    low, high = scored.bounds
    assert "This run is incomplete." in page.text
    assert f"At worst {100 * low:.1f}, at best {100 * high:.1f}." in page.text
    assert page.text.count("At worst") == 1
    assert "1 of 12 replies are not asked for yet, so there is no number." in page.text
    assert "1 of 12 replies failed (1 × HTTP 500) and do not count as correct." in page.text
    assert "not to be ranked" not in page.text  # there is no number
    part = page.text[page.text.index('id="unread"') : page.text.index('id="examples"')]
    assert next(key for key, _ in re.findall(r"verdict=([^&]*)&amp;how=([^\"]*)", part)) == "failed"
    for text in ("http-500", "the server broke", "not asked", "can&#39;t help with that", "Hard to say"):
        assert text in part
    last = page.data("items")[-1]["replies"][0]
    assert last["how"] == "not asked"
    assert page.data("names")["verdicts"][last["verdict"]] == "not asked"


def test_what_was_not_asked_is_not_called_failed(made, items, make_benchmark, make_run):
    page = made.Page(html.write([make_run(make_benchmark(items), made.answers(items)[:6])]))
    assert "6 of 12 replies are not asked for yet, so there is no number." in page.text
    assert "1 % failed" not in page.text


def test_a_finished_run_with_failures_is_not_to_be_ranked(made, items, make_benchmark, make_run):
    records = made.answers(items)
    records[0] = ReplyRecord(item=items[0]["id"], error=Failure(kind="http-500", message="the server broke"))
    page = made.Page(html.write([make_run(make_benchmark(items), records)]))
    assert page.text.count("More than 1 % failed, so this number is not to be ranked.") == 1
    assert "not asked for yet" not in page.text


def test_a_run_without_any_reply_has_no_number_but_why_in_the_failures_own_words(
    made, items, make_benchmark, make_run, cli
):
    words = "the key sk-1 <img src=x onerror=alert(1)> is \x1b[2J unknown"
    lost = [ReplyRecord(item=e["id"], error=Failure(kind="http-401", message=words)) for e in items[:-1]]
    lost.append(ReplyRecord(item=items[-1]["id"], error=Failure(kind="timeout", message="late")))
    run = make_run(make_benchmark(items), lost)
    page = made.Page(html.write([run]))
    shown = page.text[: page.text.index('id="unread"')]
    said = f"No reply came, so there is no number: {len(items) - 1} × HTTP 401, 1 × no reply in time."
    assert shown.count(said) == 1
    assert (
        shown.count("The commonest failure said: the key sk-1 &lt;img src=x onerror=alert(1)&gt; is \\x1b[2J unknown")
        == 1
    )
    assert "<img" not in page.text
    assert "<table" not in shown
    assert '<span class="number">' not in shown
    assert "bounds" not in shown
    assert not {"tasks", "rules", "letters", "examples"} & set(re.findall(r'<section id="([a-z-]+)"', page.text))
    flat = " ".join(cli("score", run).out.split())
    assert flat.count(said) == flat.count("the key sk-1 <img src=x onerror=alert(1)> is \\x1b[2J unknown") == 1
    records = [*lost[:-1], *made.answers(items)[-1:]]
    one = made.Page(html.write([make_run(run.parent / "bench-small", records, name="one")]))
    assert 'id="table-tasks"' in one.text


def test_a_run_without_any_reply_has_no_number_beside_others_nor_is_it_compared(
    made, items, make_benchmark, make_run, cli, tmp_path
):
    bench = make_benchmark(items)
    lost = [ReplyRecord(item=e["id"], error=Failure(kind="http-401", message="no key")) for e in items]
    dead, one, two = (
        make_run(bench, records, name=name)
        for name, records in (("dead", lost), ("one", made.answers(items)), ("two", made.answers(items)[::-1]))
    )
    shown: list[Block] = []
    page = made.Page(html.write([one, dead, two], tmp_path / "three.html", also=shown.extend))
    assert page.section("summary").count("No reply came, so there is no number") == 1
    tables = {row[0]: row[1:] for row in _rows_of(shown, "tasks")}
    assert {row[1] for row in tables.values()} == {"no reply"}
    assert all(isinstance(row[n], Estimate) for row in tables.values() for n in (0, 2))
    assert {len(row) for row in _rows_of(shown, "rules")} == {1 + 2 + 2}  # nothing made by rules of failures
    why = "no reply came, so there is nothing to compare"
    assert why in page.section("comparison")
    refused = cli("compare", one, dead)
    assert (refused.code, why in refused.err) == (2, True)
    ranked = cli("score", one, dead, two, "--profile", "all").out
    assert re.search(r"is not ranked under .*lmms-eval.*: no\s+reply\s+came", " ".join(ranked.split()))


def _rows_of(blocks, name):
    return next(table.rows for table in files.tables(blocks) if table.id == name)


def test_the_tiles_count_replies_whatever_tasks_count(made, make_benchmark, make_run):
    items = [made.item(i, task="bell" if i < 2 else "voice") for i in range(12)]
    records = made.answers(items, right=lambda i: i < 2)
    run = make_run(make_benchmark(items), records)
    assert score(open_run(run)).scores["strict"].over_answered == 0.5
    tiles = made.Page(html.write([run])).section("summary")
    for name, n in (("correct", 2), ("wrong", 10)):
        assert re.search(rf"</span>{name}</span></dt><dd>{n}<", tiles), name


def test_one_category_is_named_and_its_number_is_no_mean_of_categories(made, items, make_benchmark, make_run, cli):
    card = '[benchmark]\nname = "made"\n' + "".join(
        f'[[task]]\nname = "{name}"\ncategory = "{of}"\n'
        for name, of in (("bell", "sound"), ("gong", "sound"), ("voice", "speech"))
    )
    entries = [made.item(i, task=("bell", "gong", "voice")[i % 3]) for i in range(12)]
    bench = make_benchmark(entries, card=card)
    asked = [entry for entry in entries if entry["task"] != "voice"]
    run = make_run(bench, made.answers(asked), categories=("sound",))
    page = made.Page(html.write([run]))
    assert "8 items, each with a clip, of category sound</bdi></dd>" in page.text
    assert "The mean of tasks over 8 items" in page.text
    assert "Mean of tasks" in page.section("tasks")
    assert "of categories" not in page.section("summary").lower()
    said = cli("score", run).out
    assert "Mean of tasks" in said
    assert "ean of categories" not in said
    alone = make_run(bench, made.answers([e for e in entries if e["task"] == "bell"]), tasks=("bell",), name="alone")
    assert "The share of 4 items" in made.Page(html.write([alone])).text
    assert "All items" in cli("score", alone).out


def test_an_item_that_the_provider_blocked_is_told_apart_from_a_reply_that_declines(
    made, items, make_benchmark, make_run
):
    records = made.answers(items)
    blocked = {"text": "", "finish_reason": "content_filter", "notes": "blocked by the provider: SAFETY"}
    for k, said in ((1, blocked), (2, blocked), (3, {"text": "I'm sorry, I can't help with that."})):
        records[k] = ReplyRecord(item=items[k]["id"], **said)
    page = made.Page(html.write([make_run(make_benchmark(items), records)]))
    assert "Of 3 refused, 2 were blocked by the provider: no reply came to them." in page.text
    part = page.text[page.text.index('id="unread"') : page.text.index('id="examples"')]
    rows = [re.sub(r"<[^>]*>", " ", row).split() for row in re.findall(r"<tr.*?</tr>", part, re.DOTALL)[1:]]
    assert [row[row.index("refused") + 1] for row in rows] == ["2", "1"]
    assert sum("no reply: the provider blocked the item" in " ".join(row) for row in rows) == 1
    assert "an empty reply" not in part
    assert [bool(row["replies"][0].get("blocked")) for row in page.data("items")[:4]] == [False, True, True, False]


def test_a_long_name_may_break_behind_its_marks_and_stays_text(made, items, make_benchmark, make_run):
    model = "cascade/pocketsphinx?hears=words&reader=openai/gpt<b>"
    page = made.Page(html.write([make_run(make_benchmark(items), made.answers(items), model=model)]))
    said = "cascade/<wbr>pocketsphinx?<wbr>hears=<wbr>words&amp;<wbr>reader=<wbr>openai/<wbr>gpt&lt;b&gt;"
    assert page.text.count(f"<bdi>{said}</bdi>") >= 2  # the title, and how the number was made


def test_a_reply_after_a_failure_counts_and_a_failure_after_a_reply_does_not(made, items, make_benchmark, make_run):
    failure = Failure(kind="timeout", message="too late")
    records = made.answers(items, right=lambda _: True)
    records.insert(0, ReplyRecord(item=items[0]["id"], error=failure))
    records.append(ReplyRecord(item=items[1]["id"], error=failure))
    page = made.Page(html.write([make_run(make_benchmark(items), records)]))
    assert [row["replies"][0].get("verdict", 0) for row in page.data("items")] == [0] * 12


def test_variants_keep_the_order_in_which_options_were_shown(made, items, make_benchmark, make_run):
    bench = make_benchmark(items)
    variants = ("plain", "order-1", "order-2")
    records = [ReplyRecord(item=entry["id"], variant=v, text="A") for entry in items for v in variants]
    page = made.Page(html.write([make_run(bench, records, variants=variants)]))
    assert page.data("names")["variants"] == list(variants)
    verdicts = page.data("names")["verdicts"]
    for row in page.data("items"):
        assert [reply.get("variant", 0) for reply in row["replies"]] == [0, 1, 2]
        for reply in row["replies"]:
            order = reply.get("order", [0, 1, 2, 3])
            assert sorted(order) == [0, 1, 2, 3]
            right = order[reply["chosen"]] == row["gold"]
            assert verdicts[reply.get("verdict", 0)] == ("correct" if right else "wrong")


def test_variants_without_the_clip_are_told_apart_from_the_score(made, items, make_benchmark, make_run):
    records = made.answers(items, right=lambda _: True)
    records += [ReplyRecord(item=entry["id"], variant="noise", text="I cannot help with that.") for entry in items]
    run = make_run(make_benchmark(items), records, variants=("plain", "noise"))
    page = made.Page(html.write([run]))
    row = score(open_run(run)).scores["strict"].variants["noise"]
    assert (row.value, row.difference.difference) == (0, 1)
    assert page.data("names")["aside"] == [1]
    assert [len(item["replies"]) for item in page.data("items")] == [2] * 12
    cells = dict(re.findall(r'data-label="([^"]*)"[^>]*>(.*?)</td>', page.section("listening")))
    low, high = row.interval
    alone = f'0.0<span class="ci">{100 * low:.1f} to {100 * high:.1f}</span><span class="ci">12 items</span>'
    assert cells["alone, %"] == alone
    assert [cells[name] for name in ("items", "with the clip, %", "without, %")] == ["12", "100.0", "0.0"]
    assert cells["lost, points"].startswith("+100.0<")
    assert "None: every item has a reply" in page.text


def test_rules_that_count_less_or_guess_say_so(made, items, make_benchmark, make_run, tmp_path):
    records = made.answers(items)
    for i in range(1, 12, 2):  # all bells
        records[i] = ReplyRecord(item=items[i]["id"], text="??????")
    run = make_run(make_benchmark(items), records)
    guessed = score(open_run(run), ("lmms-eval",)).scores["lmms-eval"]
    page = made.Page(html.write([run], tmp_path / "g.html", profile="lmms-eval"))
    assert f"none was read: {guessed.n_guessed} times, {guessed.n_guessed_right} of them right" in page.text
    assert guessed.signature in page.text
    page = made.Page(html.write([run], tmp_path / "a.html", profile="airbench"))
    assert "The rules of airbench count 6 of 12 replies." in page.text
    assert "left out of the averages: bell." in page.text
    assert "none counts" in page.section("tasks")


def test_the_same_run_gives_the_same_bytes(one, tmp_path):
    first = html.write([one], tmp_path / "a.html").read_bytes()
    assert html.write([one], tmp_path / "a.html").read_bytes() == first


def test_a_long_reply_is_cut_and_the_report_says_so(made, items, make_benchmark, make_run):
    records = made.answers(items)
    records[3] = ReplyRecord(item=items[3]["id"], text="mm " * 30_000)
    page = made.Page(html.write([make_run(make_benchmark(items), records)]))
    reply = page.data("items")[3]["replies"][0]
    assert len(reply["text"]) + reply["left_out"] == 90_000
    assert reply["left_out"] == 40_000


class TestSeveralRuns:
    @pytest.fixture
    def three(self, made, items, make_benchmark, make_run):
        bench = make_benchmark(items)
        return [
            make_run(bench, made.answers(items, right=right), name=name)
            for name, right in (("good", lambda i: i != 3), ("half", lambda i: i % 2 == 0), ("bad", lambda _: False))
        ]

    def test_each_stands_beside_the_others(self, made, three, tmp_path):
        page = made.Page(html.write(three, tmp_path / "all.html"))
        assert page.data("names")["runs"] == ["scripted/good", "scripted/half", "scripted/bad"]
        summary = page.text[: page.text.index('id="tasks"')]
        for path in three:
            scored = score(open_run(path)).scores["strict"]
            assert re.search(rf'data-label="correct, %"[^>]*>{100 * scored.value:.1f}</td>', summary)
            assert scored.signature in summary
        assert [reply.get("run", 0) for reply in page.data("items")[0]["replies"]] == [0, 1, 2]

    def test_the_first_is_compared_with_each_other_and_p_is_corrected(self, made, three, tmp_path):
        from audiometry.score import compare
        from audiometry.stats.multiplicity import holm

        page = made.Page(html.write(three, tmp_path / "all.html"))
        part = page.section("comparison")
        found = [compare(three[0], other) for other in three[1:]]
        for one, p in zip(found, holm([one.p for one in found]), strict=True):
            assert f"{100 * one.difference:+.1f} points" in part
            assert f"corrected over the comparisons {p_value(p)}" in part
            for name, row in one.categories.items():
                cell = rf"all of {name}</bdi>.*?</tr>"
                cells = [found[0] for found in re.finditer(cell, part, re.DOTALL)]
                assert any(f'>{100 * row.difference:+.1f}<span class="ci">'.replace("-", "−") in at for at in cells), (
                    name
                )

    def test_the_default_is_the_current_folder(self, three, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert html.write(three[:2]) == Path("report.html")
        assert (tmp_path / "report.html").stat().st_size > 10_000

    def test_what_is_not_its_own_stays(self, three, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("report.html").write_text("mine")
        assert html.write(three[:2]) == Path("report-2.html")
        assert html.write(three[1:]) == Path("report-3.html")  # other runs
        assert html.write(three[:2]) == Path("report-2.html")  # the same once more
        assert Path("report.html").read_text() == "mine"
        assert sorted(path.name for path in Path().glob("*.html")) == ["report-2.html", "report-3.html", "report.html"]

    def test_a_folder_and_a_file_that_cannot_be_read_stay_too(self, three, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("report.html").mkdir()
        Path("report-2.html").write_text("not to be read")

        def refuse(*_):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
        assert placing.here(three[:2]) == Path("report-3.html")

    def test_runs_that_asked_different_items_show_what_each_was_asked(
        self, made, items, make_benchmark, make_run, tmp_path
    ):
        bench = make_benchmark(items)
        bells = [entry for entry in items if entry["task"] == "bell"]
        runs = [
            make_run(bench, made.answers(items), name="all"),
            make_run(bench, made.answers(bells), name="bells", tasks=("bell",)),
        ]
        page = made.Page(html.write(runs, tmp_path / "two.html"))
        assert [len(row["replies"]) for row in page.data("items")] == [1, 2] * 6
        assert "not asked" in page.text[page.text.index('id="tasks"') : page.text.index('id="letters"')]

    def test_two_runs_of_one_model_are_told_apart(self, made, items, make_benchmark, make_run, tmp_path):
        bench = make_benchmark(items)
        runs = [make_run(bench, made.answers(items), name=name, model="openai/m") for name in ("first", "second")]
        page = made.Page(html.write(runs, tmp_path / "two.html"))
        assert page.data("names")["runs"] == ["openai/m (first)", "openai/m (second)"]


class TestRefusals:
    def test_runs_of_different_benchmarks(self, made, items, make_benchmark, make_run, tmp_path):
        one = make_run(make_benchmark(items), made.answers(items), name="one")
        other = make_run(make_benchmark(items[:6], name="other"), made.answers(items[:6]), name="two")
        said = (
            r"small 2 \(\w{8}\).*small 2 \(\w{8}\), which differ in the items of bell .*; only runs of the same version"
        )
        with pytest.raises(UsageError, match=said):
            html.write([one, other], tmp_path / "x.html")
        assert not (tmp_path / "x.html").exists()

    def test_one_run_twice(self, one, tmp_path):
        with pytest.raises(UsageError, match="given twice"):
            html.write([one, one / ".." / one.name], tmp_path / "x.html")

    def test_no_run(self):
        with pytest.raises(UsageError, match="needs a run"):
            html.write([])

    def test_not_a_run_folder(self, tmp_path):
        with pytest.raises(RunFolderError, match="is not a run folder"):
            html.write([tmp_path])

    def test_an_unknown_profile(self, one):
        with pytest.raises(UnknownNameError, match="did you mean 'strict'"):
            html.write([one], profile="strikt")

    def test_a_folder_or_device_as_output(self, one, tmp_path):
        with pytest.raises(StorageError, match="not a regular file"):
            html.write([one], tmp_path)
        with pytest.raises(StorageError, match="not a regular file"):
            html.write([one], Path("/dev/full"))
        assert Path("/dev/full").is_char_device()

    def test_a_place_that_cannot_be_written_keeps_what_stood_there(self, one, tmp_path):
        (tmp_path / "file").write_text("mine")
        with pytest.raises(StorageError, match="cannot write"):
            html.write([one], tmp_path / "file" / "report.html")
        assert (tmp_path / "file").read_text() == "mine"


def test_json_in_a_page_cannot_end_its_element():
    document = b'{"a": "</script><!-- & \xe2\x80\xa8 \xe2\x80\xa9"}'
    found = safe(document)
    assert not re.search(rb"[<>&]|\xe2\x80[\xa8\xa9]", found)
    import json

    assert json.loads(found) == json.loads(document)


def test_hostile_texts_are_text(made, make_benchmark, make_run):
    items = [
        made.item(i, id=f"id {payload}", question=payload, source=payload, meta=payload, tags={payload: [payload]})
        | {"options": [payload, "b", "c", "d"], "answer": payload, "licence": payload}
        for i, payload in enumerate(made.PAYLOADS)
    ]
    bench = make_benchmark(items)
    records = [ReplyRecord(item=entry["id"], text=entry["question"], notes=entry["question"]) for entry in items]
    records[2] = ReplyRecord(item=items[2]["id"], error=Failure(kind="x" + made.PAYLOADS[0], message=made.PAYLOADS[1]))
    run = make_run(bench, records, model=made.PAYLOADS[0], parameters={made.PAYLOADS[2]: made.PAYLOADS[3]})
    page = made.Page(html.write([run]))
    assert [row["question"] for row in page.data("items")] == list(made.PAYLOADS)
    assert len(page.scripts) == 1
    static = re.sub(r"<script.*?</script>", "", page.text, flags=re.DOTALL)
    assert re.findall(r"<(?:img|iframe|object|embed|link rel=\"style)", static) == []
    assert "<svg onload" not in static
    assert "49" not in re.findall(r"{{.*?}}", static)


def test_only_the_pages_own_script_may_run_and_no_network_may_be_asked(made, one):
    import base64
    import hashlib

    page = made.Page(html.write([one]))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.text).group(1)
    digest = base64.b64encode(hashlib.sha256(page.scripts[0].encode()).digest()).decode()
    assert f"script-src &#39;sha256-{digest}&#39;" in policy or f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert "unsafe-eval" not in policy
    for word in ("innerHTML", "insertAdjacentHTML", "document.write", "eval(", "outerHTML"):
        assert word not in page.scripts[0]
    assert (
        re.findall(r'(?:src|href)="(?!#|data:,)[^"]*"', re.sub(r"<script.*?</script>", "", page.text, flags=re.DOTALL))
        == []
    )


LABELS = """
[benchmark]
name = "made"

[[task]]
name = "letters"
measure = "macro-f1"

[[task]]
name = "facts"
kind = "open"
measure = "token-f1"
"""


def test_choices_by_another_measure_have_counts_of_replies_and_no_letters(made, make_benchmark, make_run):
    items = [made.item(i, task="letters") for i in range(8)]
    records = made.answers(items, right=lambda i: i > 0)
    records[5] = ReplyRecord(item=items[5]["id"], text="I cannot help with that.")
    run = make_run(make_benchmark(items, card=LABELS), records)
    scored = score(open_run(run)).scores["macro-f1"]
    assert scored.over_answered != pytest.approx(6 / 7)
    page = made.Page(html.write([run]))
    for name, n in (("correct", 6), ("wrong", 1), ("refused", 1)):
        assert re.search(rf"</span>{name}</span></dt><dd>{n}<", page.section("summary")), name
    assert not page.section("letters")
    assert "No reply named a letter" not in page.text
    assert f"Of the answered alone: {scored.over_answered:.3f}." in page.section("tasks")


def test_an_item_that_no_score_has_a_part_in_is_shown_and_told_of(made, make_benchmark, make_run):
    items = [made.item(i, task="facts", options=[], answer="a red house" if i else None) for i in range(5)]
    said = ["a house", "a red house", "", "I cannot help with that.", "red"]
    records = [ReplyRecord(item=entry["id"], text=text) for entry, text in zip(items, said, strict=True)]
    page = made.Page(html.write([make_run(make_benchmark(items, card=LABELS), records)]))
    verdicts = page.data("names")["verdicts"]
    found = [verdicts[entry["replies"][0].get("verdict", 0)] for entry in page.data("items")]
    assert found == ["answered", "answered", "empty", "refused", "answered"]
    assert "1 item is in none of these numbers" in page.section("summary")


def test_no_page_is_written_over_a_file_that_is_none(one, tmp_path):
    notes = tmp_path / "notes.html"
    notes.write_text("<!DOCTYPE html><title>mine</title>")
    for dear in (notes, one / "run.json", one / "replies.jsonl"):
        before = dear.read_bytes()
        with pytest.raises(StorageError, match="no page of audiometry's; name another with -o"):
            html.write([one], dear)
        assert dear.read_bytes() == before
    (tmp_path / "empty.html").touch()
    assert html.write([one], html.write([one], tmp_path / "empty.html")).stat().st_size > 10_000


def test_a_key_in_a_run_folder_of_others_is_not_on_the_page_nor_in_its_files(made, one, monkeypatch, tmp_path, cli):
    key = "sk-0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    stamp = json.loads((one / "run.json").read_bytes())
    (one / "run.json").write_text(json.dumps(stamp | {"model": f"made/{key}", "parameters": {"k": key}}))
    replies = (one / "replies.jsonl").read_text().splitlines()
    replies[0] = json.dumps(json.loads(replies[0]) | {"text": f"I was asked with {key}."})
    (one / "replies.jsonl").write_text("\n".join(replies) + "\n")
    page = tmp_path / "page.html"
    assert cli("report", one, "-o", page, "--tables", tmp_path / "t", "--figures", tmp_path / "f").code == 0
    text = made.Page(page).text
    assert "k ***" in text
    assert "I was asked with ***." in text
    assert "made/***" in (tmp_path / "t" / "tasks.md").read_text()
    files = [page, *(tmp_path / "t").iterdir(), *(tmp_path / "f").iterdir()]
    assert len(files) > 10
    assert [path for path in files if key.encode() in path.read_bytes()] == []


@pytest.mark.parametrize("key", ["sk-never-shown-0123456789", "interval"])  # the second is a word of ours as well
def test_no_command_prints_a_key_that_others_wrote(cli, made, make_benchmark, make_run, tmp_path, monkeypatch, key):
    bench = make_benchmark([made.item(i, question=f"Do you hear {key}?") for i in range(8)])
    records = made.answers([made.item(i) for i in range(8)])
    runs = [make_run(bench, records, name=f"runs/{n}", model=f"scripted/oracle?x={key}&n={n}") for n in "ab"]
    monkeypatch.setenv("OPENAI_API_KEY", key)
    listed = ("list", "runs", tmp_path / "runs"), ("list", "tasks", bench, "--examples")
    for command in (("score", runs[0]), ("compare", *runs), *listed):
        for words in (command, (*command, "--json")):
            said = cli(*words)
            assert said.code == 0, words
            assert "***" in said.out or command[0] == "compare", words
            assert key not in said.out.replace(f'"{key}":', "") + said.err, words
