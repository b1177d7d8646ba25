"""The page of open questions: what is in it, judged and not, for one run and for several."""

import io
import json
import re
import sys
from html import unescape

import pytest

from audiometry.errors import RunFolderError, UnknownNameError, UsageError
from audiometry.records import Failure, ReplyRecord
from audiometry.render.console import Terminal
from audiometry.report import html
from audiometry.report.views.outcome import outcome as unjudged
from audiometry.score.door import scored
from audiometry.score.judge.planning import planned_open
from audiometry.score.judge.stored import stored
from audiometry.score.opened import open_run
from audiometry.score.outcome import outcome


def rows_of(run):
    opened = open_run(run)
    return scored(opened, planned_open(opened, (), stored(run))).scores["strict"]


def say(pair, *, bias=1, worth=6):
    """The reference is worth 8, the reply ``worth``; whatever stands first gets a little more."""
    scores = [8, worth] if pair.order == "reference-first" else [worth, 8]
    return f"{scores[0] + bias} {scores[1]}"


@pytest.fixture
def items(made):
    return [made.open_item(i) for i in range(24)]


@pytest.fixture
def bench(made, items, make_benchmark):
    return make_benchmark(items, name="open", card=made.OPEN_CARD.replace("{name}", "made/chat"))


@pytest.fixture
def records(items):
    """An answer to each; one declines, one is empty, one failed."""
    found = [
        ReplyRecord(item=entry["id"], text=f"I hear {i}.", latency_s=0.5, attempts=1) for i, entry in enumerate(items)
    ]
    found[3] = ReplyRecord(item=items[3]["id"], text="I'm sorry, I cannot listen to audio.", attempts=1)
    found[4] = ReplyRecord(item=items[4]["id"], text="  ", attempts=1)
    found[5] = ReplyRecord(item=items[5]["id"], error=Failure(kind="timeout", message="late"), attempts=2)
    return found


@pytest.fixture
def run(bench, records, make_run):
    return make_run(bench, records)


def flat(text):
    return " ".join(re.sub(r"<script.*?</script>|<[^>]+>", " ", text, flags=re.DOTALL).split())


def test_a_run_that_nobody_judged_says_so_and_shows_its_replies(made, run):
    page = made.Page(html.write([run]))
    summary = flat(page.section("summary"))
    assert "This run has not been judged, so there is no score." in summary
    assert f"audiometry score {run} --judge MODEL" in summary
    assert "Of speech 8 7/8 1 0 0 0" in summary  # items, answered, refused, empty, failed, not asked
    assert not any(page.section(name) for name in ("tasks", "judges", "published", "rules", "mixed", "comparison"))
    assert page.data("names")["judges"] == []
    assert page.data("items")[0]["replies"][0]["text"] == "I hear 0."


def test_open_questions_that_were_not_asked_are_no_replies(made, bench, records, make_run):
    run = make_run(bench, [one for one in records if one.item not in {f"open/{n:03}" for n in (8, 9, 10)}])
    summary = flat(made.Page(html.write([run])).section("summary"))
    titles = re.findall(r"Of \w+|speech_and_\w+_QA", summary)
    rows = re.findall(r"(\d+) (\d+)/(\d+) (\d+) (\d+) (\d+) (\d+)(?= |$)", summary)
    *rows, whole = rows
    assert len(rows) == len(titles) > 1
    assert [int(n) for n in whole] == [sum(int(row[at]) for row in rows) for at in range(len(whole))]
    for items, answered, replies, *states in (list(map(int, row)) for row in rows):
        assert items == replies == answered + sum(states)
    assert [sum(int(row[n]) for row in rows) for n in (4, 5, 6)] == [1, 1, 3]
    missing = "3 of 24 replies to open questions are not asked for yet. 1 of 24 replies to open questions failed"
    assert f"{missing} (1 × no reply in time). The same audiometry run as before asks for what is missing." in summary
    out, opened = io.StringIO(), open_run(run)
    Terminal(100, out).show([unjudged(outcome(opened), opened)])
    assert all(" ".join([row[0], f"{row[1]}/{row[2]}", *row[3:]]) in " ".join(out.getvalue().split()) for row in rows)
    assert "items answered refused empty failed not asked" in " ".join(out.getvalue().split())


def test_the_summary_says_what_the_score_says(made, run):
    made.verdicts(run, say)
    page = made.Page(html.write([run]))
    strict = rows_of(run)
    summary = flat(page.section("summary"))
    assert f'<span class="number">{strict.value:.2f}</span>' in page.text
    assert f"{strict.interval[0]:.2f} to {strict.interval[1]:.2f}" in summary
    assert strict.signature in page.text
    assert "1 of 24 replies failed (1 × no reply in time) and score 1. At worst" in summary
    low, high = strict.bounds
    assert f"At worst {low:.2f}, at best {high:.2f}." in summary
    assert "More than 1 % failed" in summary
    assert "openai/judge" in summary
    for n, name in ((21, "answered"), (1, "refused"), (1, "empty"), (1, "failed")):
        assert re.search(rf"{name} {n} of 24", summary), name
    tasks = flat(page.section("tasks"))
    for name in ("Of speech", "Of sounds", "speech_and_sound_QA", "Mean of categories", "All 2 folders"):
        assert name in tasks
    assert f"{strict.categories['mixed'].value:.2f}" in tasks


def test_the_judge_is_looked_at(made, run):
    made.verdicts(run, lambda pair: ("who knows", "who can say") if "I hear 7." in pair.answers else say(pair))
    page = made.Page(html.write([run]))
    judges = flat(page.section("judges"))
    assert "the model&#39;s answer gets +1.00 (95 %: " in re.sub(" (?=[:;.,)])|(?<=[(]) ", "", judges)
    assert "it favours the first place" in judges
    assert "2 × words without scores" in judges
    assert "higher in first place 100.0 % of items" in judges
    (bias,) = (
        one.position_bias
        for one in scored(open_run(run), planned_open(open_run(run), (), stored(run)))
        .scores["strict"]
        .extras.judges.values()
    )
    counts = re.search(r'id="table-judges-scores".*?</table>', page.section("judges"), re.DOTALL)[0]
    row = r'<bdi>(\d+)</bdi></th>.*?data-label="first">(\d+)</td>.*?data-label="second">(\d+)</td>'
    found = {score: (int(a), int(b)) for score, a, b in re.findall(row, counts, re.DOTALL)}
    assert found == bias.counts
    assert "was not tried" in judges
    summary = flat(page.section("summary"))
    assert "(1 × no reply in time) and score 1. 1 reply has no verdict that can be read. At worst" in summary


def test_every_verdict_stands_with_its_item_as_it_was_said(made, run):
    made.verdicts(run, lambda pair: ("Both are fine.", "7 6") if "I hear 6." in pair.answers else say(pair))
    page = made.Page(html.write([run]))
    found = {entry["id"]: entry for entry in page.data("items")}
    (reply,) = found["open/006"]["replies"]
    assert reply["verdicts"] == [
        {"said": "Both are fine.", "again": "7 6", "mine": 6, "other": 7, "how": "line"},
        {"order": 1, "said": "Both are fine.", "again": "7 6", "mine": 7, "other": 6, "how": "line"},
    ]
    assert (reply["score"], reply["reference"]) == (6.5, 6.5)
    states = page.data("names")["verdicts"]
    assert [states[found[f"open/{n:03}"]["replies"][0].get("verdict", 0)] for n in (2, 3, 4, 5)] == [
        "answered",
        "refused",
        "empty",
        "failed",
    ]
    for n in (4, 5):  # nobody was asked about these; under strict they score 1
        reply = found[f"open/{n:03}"]["replies"][0]
        assert reply["score"] == 1
        assert "verdicts" not in reply
    assert found["open/006"]["meta"] == "{'events': ['take 6']}"


def test_profiles_stand_side_by_side_as_far_as_the_verdicts_go(made, bench, records, make_run):
    whole = make_run(bench, [record for record in records if (record.text or "x").strip()], name="whole")
    made.verdicts(whole, say)
    assert "lmms-eval" in flat(made.Page(html.write([whole])).section("rules"))
    lacking = make_run(bench, records, name="lacking")
    made.verdicts(lacking, say)
    page = made.Page(html.write([lacking]))
    assert page.section("rules") == ""
    judges = unescape(flat(page.section("judges")))
    assert "Judges' scores are not shown under the rules of airbench and lmms-eval" in judges
    assert "by the rules of airbench" in flat(made.Page(html.write([lacking], profile="airbench")).section("summary"))


def test_several_judges_are_a_panel_or_one_by_one(made, run):
    made.verdicts(run, say)
    made.verdicts(run, lambda pair: say(pair, worth=2), name="openai/stern", slug="stern-89abcdef")
    with pytest.raises(UsageError, match=r"not by all of them together: choose one with --judge .* --judge openai/st"):
        html.write([run], panel="median")  # a panel is made of judges that were named, not of all that were tried
    made.verdicts(run, lambda pair: say(pair, worth=2), name="openai/stern", slug="stern-89abcdef", panel=True)
    page = made.Page(html.write([run], panel="median"))
    assert "a panel of 2 judges, the median of their scores" in flat(page.section("summary"))
    assert page.data("names")["judges"] == ["openai/judge", "openai/stern"]
    assert len(page.data("items")[0]["replies"][0]["verdicts"]) == 4
    one = made.Page(html.write([run], judge="openai/stern"))
    assert one.data("names")["judges"] == ["openai/stern"]
    with pytest.raises(
        UsageError, match=r"it has those of openai/judge \(judge-01234567\), openai/stern \(stern-89abcdef\)"
    ):
        html.write([run], judge="nobody")


def test_runs_stand_side_by_side_and_are_compared(made, bench, records, make_run, tmp_path):
    runs = [make_run(bench, records, name=name) for name in ("one", "two")]
    made.verdicts(runs[0], say)
    with pytest.raises(UsageError, match="has not been judged"):
        html.write(runs, tmp_path / "both.html")
    made.verdicts(runs[1], lambda pair: say(pair, worth=4))
    page = made.Page(html.write(runs, tmp_path / "both.html"))
    comparison = flat(page.section("comparison"))
    assert "A scripted/one B scripted/two" in comparison
    assert "judge's score, 1 to 10, higher is better." in unescape(comparison)
    assert "): A and B differ." in comparison
    assert len(page.data("items")[0]["replies"]) == 2
    made.verdicts(runs[1], say, slug="judge-76543210")
    with pytest.raises(UsageError, match="judged differently"):
        html.write(runs, tmp_path / "both.html")


def test_variants_without_the_clip_and_mixed_audio(made, bench, records, make_run, items):
    more = [ReplyRecord(item=entry["id"], variant="silence", text="Silence.", attempts=1) for entry in items]
    run = make_run(bench, records + more, variants=("plain", "silence"))
    made.verdicts(run, lambda pair: say(pair, worth=2 if "Silence." in pair.answers else 7))
    page = made.Page(html.write([run]))
    without = flat(page.section("listening"))
    row = re.search(r"silence .* 23 ([0-9.]+) ([0-9.]+) .* ([0-9.]+) [0-9.]+ to [0-9.]+ 24 items", without)
    assert row[3] == row[2] < row[1]
    mixed = flat(page.section("mixed"))
    assert "Louder part: sound" in mixed
    assert "over 10 dB" in mixed
    assert "one source" in mixed


def test_published_systems_stand_beside_and_are_marked(made, items, make_benchmark, make_run, records):
    bench = make_benchmark(items, name="air", card=made.OPEN_CARD.replace("{name}", "airbench/chat"))
    run = make_run(bench, records, name="air")
    made.verdicts(run, say)
    section = made.Page(html.write([run])).section("published")
    published = flat(section)
    rows = [
        re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        for row in re.findall(r"<tr.*?</tr>", section.partition("published-both")[0], re.DOTALL)
    ]
    cells = {flat(name): [flat(cell) for cell in others if 'class="drawn"' not in cell] for name, *others in rows}
    assert cells["system"] == ["average", "speech", "sound", "music", "mixed"]
    assert cells["SALMONN (published)"] == ["6.11", "6.16", "6.28", "5.95", "6.08"]
    scored = rows_of(run)
    own = next(value for name, value in cells.items() if name.startswith("scripted/"))
    assert [cell.split()[0] for cell in own[1:3]] == [
        f"{scored.categories[name].value:.2f}" for name in ("speech", "sound")
    ]
    assert "GPT-4 Turbo judged" in published
    assert "NExT-GPT&#39;s average is printed 4.13, the mean of its categories is 3.93" in published


def test_hostile_texts_stay_texts_and_long_ones_are_cut(made, make_benchmark, make_run):
    items = [
        made.open_item(i, question=text, answer=text, meta=text, source=text) for i, text in enumerate(made.PAYLOADS)
    ]
    items[2]["meta"] = items[2]["answer"] = made.PAYLOADS[0] * 40_000
    bench = make_benchmark(items, name="evil", card=made.OPEN_CARD.replace("{name}", "made/evil"))
    long = made.PAYLOADS[0] + "\u202e" + "x" * 1_000_000
    records = [ReplyRecord(item=e["id"], text=text, attempts=1) for e, text in zip(items, made.PAYLOADS, strict=True)]
    records[0] = ReplyRecord(item=items[0]["id"], text=long, attempts=1)
    run = make_run(bench, records, name="evil")
    made.verdicts(run, lambda pair: (made.PAYLOADS[1] + "y" * 9_000, made.PAYLOADS[2]), name="openai/<script>")
    page = made.Page(html.write([run]))
    assert len(page.scripts) == 1
    assert "<script>window.pwned" not in page.text
    assert "<img src=x" not in page.text
    third = page.data("items")[2]
    cut = f" … ({len(made.PAYLOADS[0]) * 40_000 - 50_000:,} more characters are in the benchmark)"
    assert all(third[name].endswith(cut) and len(third[name]) == 50_000 + len(cut) for name in ("meta", "answer"))
    first = page.data("items")[0]["replies"][0]
    assert len(first["text"]) == 50_000
    assert first["left_out"] == len(long) - 50_000
    assert len(first["verdicts"][0]["said"]) == 4_000
    assert first["verdicts"][0]["left_out"] == len(made.PAYLOADS[1]) + 5_000
    assert "score" not in first
    assert len(page.text) < 1_000_000


def test_judging_that_was_stopped_is_told(made, run):
    made.verdicts(run, say)
    for path in (run / "scores").iterdir():
        path.unlink()
    summary = flat(made.Page(html.write([run])).section("summary"))
    assert "The judging was begun and not finished." in summary
    assert "judge/chat-judge-01234567.jsonl" in summary


def test_a_benchmark_of_both_kinds_has_one_page_of_all(made, make_benchmark, make_run):
    items = [made.open_item(i) for i in range(4)] + [made.item(i) for i in range(4, 8)]
    card = made.OPEN_CARD.replace("{name}", "both") + '\n[[task]]\nname = "bell"\n\n[[task]]\nname = "voice"\n'
    bench = make_benchmark(items, name="both", card=card)
    replies = [ReplyRecord(item=e["id"], text="I hear it.", attempts=1) for e in items[:4]] + made.answers(items[4:])
    run = make_run(bench, replies, name="both")
    page = made.Page(html.write([run]))
    assert "4 open questions are in none of these numbers" in flat(page.section("summary"))
    assert [entry["id"] for entry in page.data("items")] == [entry["id"] for entry in items]
    assert [entry.get("kind", "") for entry in page.data("items")] == ["open"] * 4 + [""] * 4
    assert '<span class="number">75.0</span>' in page.text
    made.verdicts(run, say)
    for judge in ("", "openai/judge"):
        page = made.Page(html.write([run], judge=judge))
        summary = flat(page.section("summary"))
        assert "none of these numbers" not in summary
        words = flat(page.text).replace("&#39;", "'")
        for title in (
            "Questions with options: share correct · 4 of 8 items",
            "Open questions: judge's score · 4 of 8 items",
        ):
            assert words.count(title) == 1  # each number under one heading
        assert "share correct, %" in summary
        assert "judge-score@strict" not in page.text.partition("<main")[0] + summary.partition("How")[0]
        assert ">75.0</td>" in page.section("tasks-accuracy")
        assert len(page.data("items")) == 8
        assert page.section("judges")


@pytest.fixture
def both(made, make_benchmark, make_run):
    """Runs of a benchmark of choices and open questions: ``both(name, **info)``."""
    items = [made.open_item(i) for i in range(4)] + [made.item(i) for i in range(4, 8)]
    card = made.OPEN_CARD.replace("{name}", "both") + '\n[[task]]\nname = "bell"\n\n[[task]]\nname = "voice"\n'
    bench = make_benchmark(items, name="both", card=card)

    def make(name, *, opened=True, **info):
        replies = [ReplyRecord(item=e["id"], text="I hear it.", attempts=1) for e in items[:4]] if opened else []
        return make_run(bench, replies + made.answers(items[4:]), name=name, **info)

    return make


def test_judged_runs_keep_their_scores_beside_those_that_nobody_judged(made, both, tmp_path):
    judged = [both("one"), both("two")]
    for run in judged:
        made.verdicts(run, say)
    runs = [*judged, both("three"), both("four", opened=False, tasks=("bell", "voice"))]
    page = made.Page(html.write(runs, tmp_path / "all.html"))
    summary = page.section("summary")
    words = flat(summary)
    assert "Not judged: scripted/three . 4 open questions are in none of its numbers" in words
    assert re.findall(r"audiometry score (\S+) --judge (\S+)", words) == [(str(runs[2]), "openai/judge")]
    assert summary.count('class="finding against"') == 1
    table = re.search(r'<table [^>]*id="table-scores".*?</table>', summary, re.DOTALL).group()
    head, *rows = [flat(row) for row in re.findall(r"<tr.*?</tr>", table, re.DOTALL)]
    assert head.replace("&#39;", "'") == "run share correct, % judge's score"
    shown = [re.search(r"not judged|not asked|\d\.\d\d", row).group() for row in rows]
    assert shown == [f"{rows_of(judged[0]).value:.2f}"] * 2 + ["not judged", "not asked"]
    assert "judge's score, 1 to 10" in unescape(
        flat(page.section("comparison-accuracy") + page.section("comparison-judge-score"))
    )
    made.verdicts(runs[2], say, slug="judge-76543210")
    words = flat(made.Page(html.write(runs, tmp_path / "all.html")).section("summary"))
    assert words.count("Judges&#39; scores are not shown: ") + words.count("Judges' scores are not shown: ") == 1
    assert "in none of" not in words


def test_what_cannot_be_is_one_line(made, run):
    made.verdicts(run, say)
    with pytest.raises(UsageError, match="there is nothing to align"):
        html.write([run], align="always")
    with pytest.raises(UnknownNameError, match="unknown profile 'nobodys'"):
        html.write([run], profile="nobodys")
    journal = run / "judge" / "chat-judge-01234567.jsonl"
    journal.write_text("{}\n" + journal.read_text())
    with pytest.raises(RunFolderError, match="line 1"):
        html.write([run])


def test_nothing_is_loaded_that_could_ask(made, run):
    import subprocess

    made.verdicts(run, say)
    code = (
        "import sys; from pathlib import Path; from audiometry.report import html; "
        f"html.write([Path({json.dumps(str(run))})]); "
        "print(sorted({'aiohttp', 'soundfile', 'scipy', 'audiometry.models.registry'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
