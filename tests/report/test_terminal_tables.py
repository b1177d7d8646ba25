"""Numbers in the tables of a terminal are those of the score."""

import pytest
from msgspec import structs

from audiometry.dispatch.tally import Tally
from audiometry.records import BenchmarkInfo, Card, ReplyRecord, Task
from audiometry.render.console import Terminal
from audiometry.render.numbers import p_value
from audiometry.report.views.comparison import both
from audiometry.report.views.scored import missing, scored
from audiometry.report.views.usage import usage
from audiometry.score import compare, score
from audiometry.score.opened import open_run

CARD = Card(benchmark=BenchmarkInfo(name="small"), task=(Task(name="bell", title="Bells that ring"),))


def printed(report):
    """In lines with one blank between words; the last one is of all words."""
    out = Terminal(160)
    with out.capture() as said:
        out.print(report)
    return in_lines(said)


def shown(scores, card):
    """The same of a run's scores."""
    out = Terminal(160)
    with out.capture() as said:
        out.show([*scored(scores, card), *missing(scores)])
    return in_lines(said)


def in_lines(said):
    return [" ".join(line.split()) for line in (*said.get().splitlines(), said.get())]


def compared(found):
    """The same of two runs that are compared."""
    out = Terminal(160)
    with out.capture() as said:
        out.show(both(found, CARD, (found.a, found.b)))
    return [" ".join(line.split()) for line in (*said.get().splitlines(), said.get())]


@pytest.fixture
def items(made):
    return [made.item(i) for i in range(12)]


@pytest.fixture
def pair(made, items, make_benchmark, make_run):
    bench = make_benchmark(items)
    right = (lambda i: i > 1, lambda i: i % 3 == 0)
    return [make_run(bench, made.answers(items, right=one), name=f"run-{n}") for n, one in enumerate(right)]


def test_two_runs_side_by_side(pair):
    found = compare(*pair)
    assert list(found.categories) == ["sound", "speech"]
    assert (found.score_a, found.score_b) == pytest.approx((10 / 12, 4 / 12))
    said = compared(found)
    assert "accuracy: share correct, printed in percent, higher is better." in said
    low, high = (f"{100 * end:+.1f}" for end in found.interval)
    cells = ["all", "12", "83.3", "33.3", "+50.0", f"({low}", "to", f"{high})", p_value(found.p)]
    cells.append(found.undetectable)
    assert " ".join(cells) in said
    for name, row in found.categories.items():
        assert [line for line in said if line.startswith(f"all of {name} {row.n_items} {100 * row.score_a:.1f}")]
    assert "sign-flip" not in said[-1]
    assert [line.split(" 6 ")[0] for line in said if " 6 " in line][:2] == [
        "Bells that ring",
        "voice",
    ]  # as `score` calls them
    assert "What difference would be found cannot be said: one clip has over a fifteenth of weight" in said[-1]
    assert ("A and B differ." in said[-1]) is (found.p < 0.05)


def test_a_run_with_failures_shows_between_what_its_score_lies(pair):
    run = open_run(pair[0])
    lines = run.folder.replies_path.read_bytes().splitlines(keepends=True)
    run.folder.replies_path.write_bytes(b"".join(lines[:9]))
    scores = score(run)
    low, high = (f"{100 * end:.1f}" for end in scores.scores["strict"].bounds)
    said = shown(scores, run.benchmark.card)
    assert (
        f"Incomplete: 3 not asked. At worst {low}, at best {high}. A run that is not finished has no number" in said[-1]
    )


def test_scores_of_judges_have_their_own_scale(pair):
    found = structs.replace(
        compare(*pair), judges=("openai/judge",), unit="judge's score", range=(1.0, 10.0), detectable=0.526
    )
    said = compared(found)[-1]
    assert "judged by openai/judge " in said
    assert "accuracy: judge's score, 1 to 10, higher is better." in said
    assert "A true difference of 0.53 would be found" in said
    shares = structs.replace(found, judges=(), unit="mean F1, 0 to 1", range=(0.0, 1.0), detectable=0.075)
    said = compared(shares)[-1]
    assert "accuracy: mean F1, 0 to 1, higher is better." in said  # its ends once
    assert "A true difference of 0.075 would be found" in said


def test_what_no_number_of_items_can_show_is_left_out(pair):
    found = structs.replace(compare(*pair), detectable=None, tasks={}, categories={})
    said = compared(found)[-1]
    assert "none" not in said
    assert "true difference" not in said


def test_plain_matching_is_told_once_whatever_else_scores_choices(items, made, make_benchmark, make_run):
    bench = make_benchmark(items[:8], name="twice")
    run = open_run(make_run(bench, made.answers(items[:8]), name="twice"))
    found = score(run, measures=["macro-f1"])
    assert len([one for one in found.scores.values() if one.extras.plain_matching]) == 2
    said = shown(found, run.benchmark.card)[-1]
    assert said.count("Plain matching by AIR-Bench's paper") == 1


def test_categories_have_rows_where_there_are_several(items, made, make_benchmark, make_run):
    for n, name in ((12, "both"), (1, "one")):
        bench = make_benchmark(items[:n], name=name)
        run = open_run(make_run(bench, made.answers(items[:n], right=lambda _: True), name=name))
        lines = shown(score(run), run.benchmark.card)
        assert any(line.startswith(("sound 100.0 ", "speech 100.0 ")) for line in lines) is (n == 12)
        assert any(line.startswith("speech ") for line in lines) is (n == 12)


@pytest.mark.parametrize(
    ("before", "taken", "said"),
    [
        (0, 0, "2 replies"),
        (1, 0, "2 replies (1 was there before)"),
        (1_200, 0, "2 replies (1,200 were there before)"),
        (1_200, 7, "2 replies (1,200 were there before, 7 of them taken over)"),
    ],
)
def test_what_a_session_took(before, taken, said):
    tally = Tally()
    for number in range(2):
        tally.add(ReplyRecord(item=str(number), text="A", attempts=1 + number, latency_s=0.5))
    assert usage(tally.usage(), before, taken).text == f"{said} · 1 retry · latency 0.50 s, p90 0.50 s"


def test_no_p_is_printed_as_nought(pair):
    found = compare(*pair)
    tasks = {name: structs.replace(row, p=0.00002, p_corrected=0.00004) for name, row in found.tasks.items()}
    said = compared(structs.replace(found, tasks=tasks, p=0.00001))[-1]
    assert said.count("< 0.0001") == 2 + 2 * len(tasks)
    assert "; p < 0.0001): A and B " in said
    assert "0.0000" not in said
