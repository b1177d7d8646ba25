"""Two runs compared: one view for a terminal of any width and for the page."""

import re

import pytest

from audiometry.records import BenchmarkInfo, Card, Task
from audiometry.render import files
from audiometry.render.console import Terminal
from audiometry.render.delimited import delimited
from audiometry.render.document import Chart, Folded, Line, Section
from audiometry.render.html import html
from audiometry.render.latex import latex
from audiometry.render.markdown import markdown
from audiometry.report.views.comparison import Pair, both, comparison
from audiometry.score.result import Comparison, Difference

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e" + "x" * 5000
CARD = Card(benchmark=BenchmarkInfo(name="small"), task=(Task(name="bells", title="Bells that ring"),))


def difference(value, reach=0.2, **more):
    row = {"n_items": 1234, "n_clusters": 40, "score_a": 0.5 + value, "score_b": 0.5, "difference": value, "p": 0.1234}
    return row | {"interval": (value - reach, value + reach), "detectable": 0.069} | more


def compared(detectable=0.069, **more):
    tasks = {"bells": -0.1, "horns": 0.3, "voices": 0.05}
    fields = difference(0.031, 0.04, detectable=detectable) | {
        "a": "runs/a", "b": "runs/b", "measure": "accuracy", "unit": "share correct", "direction": "up",
        "range": (0.0, 1.0), "profile": "strict", "n_came": 1234,
        "tasks": {
            name: Difference(**difference(value, detectable=0.1 + abs(value)), p_corrected=0.5)
            for name, value in tasks.items()
        },
    }  # fmt: skip
    return Comparison(**(fields | more))


def chart(blocks):
    for block in blocks:
        if isinstance(block, Chart):
            return block
        if isinstance(block, Section) and (found := chart(block.blocks)):
            return found
    return None


def printed(blocks, width):
    out = Terminal(width)
    with out.capture() as said:
        out.show(blocks)
    return said.get()


def test_tasks_are_sorted_by_their_difference_and_the_whole_stands_below_them():
    found = chart(both(compared(), CARD, ("a", "b")))
    assert [row[0] for row in found.table.rows] == ["horns", "voices", "Bells that ring", "all"]
    assert [band.name for band in found.figure.y.bands] == [row[0] for row in found.table.rows]
    assert [mark.x for mark in found.figure.marks] == [0.3, 0.05, -0.1, 0.031]


def test_the_drawing_is_around_nothing_with_what_would_be_missed_shaded(on_axes):
    assert on_axes([*both(compared(), CARD, ("a", "b")), *both(compared(detectable=0.9), CARD, ("a", "b"))]) == 2
    figure = chart(both(compared(), CARD, ("a", "b"))).figure
    shades = {band.name: band.shade for band in figure.y.bands}
    assert (figure.reference, figure.shade, shades["all"]) == (0.0, None, (-0.069, 0.069))
    assert shades["horns"] == (-(own := compared().tasks["horns"].detectable), own) != shades["all"]
    assert figure.x.low <= min(mark.interval[0] for mark in figure.marks)
    assert figure.x.high >= max(mark.interval[1] for mark in figure.marks)
    assert 'class="shade"' in html([comparison([Pair(a="a", b="b", found=compared())], CARD)])
    far = chart(both(compared(detectable=0.9), CARD, ("a", "b"))).figure
    assert far.x.low <= -0.9
    assert far.x.high >= 0.9
    assert chart(both(compared(detectable=None), CARD, ("a", "b"))).figure.y.bands[-1].shade is None


def test_nothing_is_on_the_axis_however_far_from_it_all_differences_are():
    far = {"bells": Difference(**difference(0.4, 0.01, detectable=None))}
    figure = chart(both(compared(None, difference=0.4, interval=(0.39, 0.41), tasks=far), CARD, ("a", "b"))).figure
    assert (figure.x.low, figure.x.sign) == (0.0, True)
    assert (figure.shade_name, figure.n, figure.n_least) == ("", 1234, 1234)


def test_only_differences_have_a_sign_and_only_the_whole_sums_up():
    categories = {name: Difference(**difference(0.1), p_corrected=0.25) for name in ("sound", "speech")}
    found = chart(both(compared(categories=categories, p_corrected=0.125), CARD, ("a", "b")))
    table, signs = found.table, {column.id: column.sign for column in found.table.columns}
    assert [name for name, sign in signs.items() if sign] == ["difference"]
    whole = [column.printed(cell) for column, cell in zip(table.columns, table.rows[-1], strict=True)]
    assert whole == ["all", "1,234", "53.1", "50.0", "+3.1 (-0.9 to +7.1)", "0.1234", "0.1250", "6.9"]
    assert [row[0] for row in table.rows[3:]] == ["all of sound", "all of speech", "all"]
    assert [info.strong for info in table.info] == [False] * 5 + [True]
    assert [info.last for info in table.info] == [False, False, True, False, True, False]
    assert [(band.strong, band.last) for band in found.figure.y.bands] == [
        (info.strong, info.last) for info in table.info
    ]


def test_the_caption_says_over_what_p_is_corrected():
    categories = {name: Difference(**difference(0.1)) for name in ("sound", "speech")}
    captions = [
        chart(both(compared(categories=dict(list(categories.items())[:n])), CARD, ("a", "b"))).table.caption
        for n in (0, 1, 2)
    ]
    assert [one.partition("; ")[2] for one in captions] == [
        *["p and detectable corrected over tasks (Holm)"] * 2,
        "p and detectable corrected over tasks, those of categories over categories (Holm)",
    ]
    pairs = [Pair(a="a", b=name, found=compared(p_corrected=0.5)) for name in "bc"]
    over, *each = charts_of(comparison(pairs, CARD))
    assert over.table.caption.endswith("; p and detectable corrected over runs (Holm)")
    for one in each:  # what stands in the row of all is what both pages say of the pair
        assert one.table.caption.endswith("; p and detectable corrected over tasks, those of all over runs (Holm)")
        assert one.table.rows[-1][6] == over.table.rows[0][6] == 0.5


def charts_of(found):
    return [chart(found.blocks), *(chart(one.blocks) for one in found.blocks if isinstance(one, Folded))]


def test_a_file_says_that_an_unfinished_run_or_another_number_of_variants_is_compared():
    late, apart = compared(n_waiting=84), compared(n_waiting=7, in_pairs=False)
    words = "; incomplete, {} left out that one run has not been asked"
    for found, said, how in (
        (compared(), "", "; in pairs, by swapping whole clusters"),
        (late, words.format("84 replies"), "; in pairs, by swapping whole clusters"),
        (apart, words.format("7 items"), "; in pairs of items, each run's mean over its own variants, by swapping"),
    ):
        one = chart(both(found, CARD, ("a", "b")))
        for drawn in (one.figure, one.table):
            assert drawn.caption.partition("printed in percent")[2].partition("; p and")[0] == said
            assert how in drawn.signature
    over = chart(comparison([Pair(a="a", b="b", found=late), Pair(a="a", b="c", found=compared())], CARD).blocks)
    assert over.table.caption.count("incomplete") == 1
    assert "; b: incomplete, 84 replies left out" in over.table.caption


def test_both_p_and_how_both_sides_were_scored_are_named():
    said = " ".join(printed(both(compared(p_corrected=0.25), CARD, ("a", "b")), 1000).split())
    assert "; p = 0.1234, corrected over the comparisons 0.2500): A and B " in said
    pairs = [Pair(a="a", b=name, found=compared(signatures=("x", made))) for name, made in (("b", "y"), ("c", "z"))]
    found = comparison(pairs, CARD)
    charts = charts_of(found)
    ways = ["x against y against z", "x against y", "x against z"]
    assert [one.table.signature for one in charts] == [f"{way}; in pairs, by swapping whole clusters" for way in ways]
    assert all(one.figure.signature == one.table.signature for one in charts)
    assert chart(both(compared(), CARD, ("a", "b"))).table.signature.startswith("accuracy, rules of strict; ")


@pytest.mark.parametrize(
    ("direction", "says", "axis"),
    [("up", "higher", "A better → · A \u2212 B"), ("down", "lower", "← A better · A \u2212 B")],
)
def test_which_way_is_better_is_said_beside_the_measure_and_on_the_axis(direction, says, axis):
    found = comparison([Pair(a="a", b="b", found=compared(direction=direction))], CARD, place="comparison-2")
    assert f", {says} is better." in printed([found], 200)
    drawn = chart(found.blocks)
    assert drawn.figure.x.title == axis
    assert [form(drawn.table).count("A \u2212 B") for form in (markdown, delimited)] == [1, 0]
    assert "A $-$ B" in latex(drawn.table)
    assert drawn.figure.id == drawn.table.id == "comparison-2"


def test_who_read_the_replies_is_said_where_rules_alone_did_not():
    judged = both(compared(judges=("one", "two"), panel="median"), CARD, ("a", "b"))
    assert "judged by one, two, median of the panel\n" in printed(judged, 200)
    assert "judged by one\n" in printed(both(compared(judges=("one",)), CARD, ("a", "b")), 200)
    assert "read by one\n" in printed(both(compared(aligned_by="one"), CARD, ("a", "b")), 200)
    assert " by one" not in printed(both(compared(), CARD, ("a", "b")), 200)


def test_a_sentence_says_what_would_be_found_whatever_p_is():
    said = " ".join(printed(both(compared(), CARD, ("a", "b")), 200).split())
    assert "+3.1 points (95 %: -0.9 to +7.1; p = 0.1234): A and B cannot be told apart on these items." in said
    assert said.endswith("A true difference of 6.9 points would be found four times in five.")
    assert "smallest difference" not in said


@pytest.mark.parametrize(
    ("word", "says"),
    [
        (
            "unclear",
            "What difference would be found cannot be said: one clip has over a fifteenth of weight or errors.",
        ),
        ("never", "So few items cannot show a difference, however large."),
    ],
)
def test_where_no_number_would_be_right_a_word_and_a_sentence_stand_in_its_place(word, says):
    tasks = {"bells": Difference(**difference(0.1, detectable=None, undetectable=word))}
    blocks = [*both(compared(None, undetectable=word, tasks=tasks), CARD, ("a", "b"))]
    assert " ".join(printed(blocks, 200).split()).endswith(says)
    drawn = chart(blocks)
    assert [row[-1] for row in drawn.table.rows] == [word, word]
    assert [band.shade for band in drawn.figure.y.bands] == [None, None]
    assert drawn.figure.shade_name == ""


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_every_figure_stands_whole_on_a_terminal_of_any_width(width):
    found = compared(categories={name: Difference(**difference(0.1)) for name in ("sound", "speech")})
    text, wide = (printed(both(found, CARD, ("a", "b")), size).replace("95 %", "") for size in (width, 1000))
    assert sorted(re.findall(r"[+-]?\d[\d.,]*", text)) == sorted(re.findall(r"[+-]?\d[\d.,]*", wide))
    assert all(len(one) <= width for one in text.splitlines())


def test_what_is_said_of_several_measures_is_said_once_on_a_terminal():
    found = compared(warnings=("few clusters",), also={"wer": compared(warnings=("few clusters",), measure="wer")})
    text = printed(both(found, CARD, ("a", "b")), 100)
    assert text.count("Note: few clusters.") == 1
    assert text.index("Note: few clusters.") < text.index("\nwer: ")


def test_hostile_names_are_text_only():
    tasks = {HOSTILE: Difference(**difference(0.1))}
    found = compared(a=HOSTILE, b=HOSTILE, tasks=tasks, categories=tasks | {"b": tasks[HOSTILE]}, warnings=(HOSTILE,))
    said = printed(both(found, CARD, ("a", "b")), 80)
    assert "\x1b" not in said
    assert "\u202e" not in said
    page = html([comparison([Pair(a=HOSTILE, b=HOSTILE, found=found), Pair(a="a", b=HOSTILE, found=HOSTILE)], CARD)])
    assert "<script>" not in page


def test_of_several_runs_all_stand_in_one_drawing_and_each_by_task_on_demand():
    others = (
        compared(),
        compared(difference=-0.2, interval=(-0.3, -0.1), p_corrected=0.0123, warnings=("few clusters",)),
        compared(difference=0.4, n_items=1000),
    )
    pairs = [
        Pair(a="a", b=name, found=one, places=(0, n))
        for n, (name, one) in enumerate(zip("bcd", others, strict=True), 1)
    ]
    found = comparison([*pairs, Pair(a="a", b="e", found="no item is in both")], CARD, place="comparison-2")
    over = chart([block for block in found.blocks if isinstance(block, Chart)])
    assert [row[0] for row in over.table.rows] == ["d", "b", "c"]
    assert [info.series for info in over.table.info] == [3, 1, 2]
    assert over.table.rows[2][6] == 0.0123
    assert [column.series for column in over.table.columns[2:4]] == [0, None]
    assert over.table.columns[0].title == "B"
    assert (over.figure.n, over.figure.n_least) == (1234, 1000)  # each mark is of a run
    fewer = {"bells": Difference(**difference(0.1, n_items=9))}
    by_task = chart(both(compared(tasks=fewer), CARD, ("a", "b"))).figure
    assert (by_task.n, by_task.n_least) == (1234, 1234)  # each is of a part
    assert {band.shade for band in over.figure.y.bands} == {(-0.069, 0.069)}
    assert [mark.series for mark in over.figure.marks] == [3, 1, 2]
    minded = [block.text for block in found.blocks if isinstance(block, Line) and block.weight == "minded"]
    assert "Note, against c: few clusters." in minded  # before what is folded up
    charts = [chart(block.blocks) for block in found.blocks if isinstance(block, Folded)]
    assert [one.table.id for one in (over, *charts)] == [
        "comparison-2",
        *(f"comparison-2-with-{name}" for name in "bcd"),
    ]
    assert [one.table.columns[3].series for one in charts] == [1, 2, 3]
    assert "is not compared with" in html([found])


def test_of_very_many_runs_each_by_task_is_a_table_folded_up_once_and_a_note_of_several_is_said_once():
    others = [compared(warnings=("few clusters",) if n != 4 else ()) for n in range(1, 50)]
    pairs = [Pair(a="a", b=f"b{n}", found=one, places=(0, n)) for n, one in enumerate(others, 1)]
    found = comparison(pairs, CARD)
    (fold,) = (block for block in found.blocks if isinstance(block, Folded))
    assert [figure.id for figure in files.figures([found])] == ["comparison"]
    assert [table.id for table in files.tables([found])] == [
        "comparison",
        *(f"comparison-with-b{n}" for n in range(1, 50)),
    ]
    assert len(fold.blocks) == 49
    (note,) = (block.text for block in found.blocks if isinstance(block, Line) and block.weight == "minded")
    assert note == f"Note, against {', '.join(f'b{n}' for n in range(1, 50) if n != 4)}: few clusters."
    few = comparison(pairs[:8], CARD)
    assert len([block for block in few.blocks if isinstance(block, Folded)]) == 8
    assert len(list(files.figures([few]))) == 9
