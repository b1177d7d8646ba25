"""A table on a terminal: every figure whole at any width, no word broken, columns of noughts the first to go."""

import re

import pytest

from audiometry.render.console import Terminal, console
from audiometry.render.document import Chart, Copied, Folded, Line, Section, code, line, name, strong
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.render.table import Column, Estimate, OutOf, RowInfo, Table

WIDTHS = (40, 60, 80, 100, 120)
COLUMNS = (
    Column(id="task", title="task", kind="name"),
    Column(id="items", title="items", kind="count"),
    Column(id="correct", title="correct", kind="number", unit="%"),
    Column(id="interval", title="95 %", kind="interval", unit="%"),
    Column(id="refused", title="refused", kind="count", drop=1),
    Column(id="empty", title="empty", kind="count", drop=2),
    Column(id="answered", title="answered", kind="count"),
    Column(id="tau", title="tau-b", kind="number", decimals=2),
    Column(id="p", title="p corrected", kind="p"),
)
NAME = "Speaker_Gender_Recognition_common_voice"
ROWS = (
    (NAME, 2000, 0.625, (0.45, 0.7812), 0, 3, OutOf(39, 2000), Estimate(0.75, (0.61, 0.83)), 0.00001),
    ("melody", 7, "not asked", None, 0, 0, OutOf(0, 7), None, None),
    ("mean of categories", 2007, 0.3595, (0.3, 0.4), 0, 3, OutOf(39, 2007), Estimate(-0.5), 0.5),
)  # fmt: skip
TABLE = Table(
    id="tasks",
    caption="Share correct by task",
    signature="",
    columns=COLUMNS,
    rows=ROWS,
    info=(RowInfo(), RowInfo(last=True), RowInfo(strong=True)),
)


def shown(blocks, width):
    out = Terminal(width)
    with out.capture() as captured:
        out.show(blocks)
    return captured.get()


def figures(text):
    return re.findall(r"[+-]?\d[\d.,]*", text.replace("95 %", ""))


def words(text):
    return {word.strip(";,:.()") for word in re.findall(r"[^\s_/-]+", text.replace("─", ""))}


@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_is_there_whole_at_every_width(width):
    text = shown([TABLE], width)
    wide = shown([TABLE], 1000)
    noughts = [] if "refused" in text.partition("All 0")[0] else ["0"] * 3
    assert sorted(figures(text.replace("All 0, so", "")) + noughts) == sorted(figures(wide))
    assert all(len(row) <= width and row == row.rstrip() for row in text.splitlines())
    assert words(text) <= words(wide) | {"All", "0", "so", "left", "out"}


def test_columns_of_noughts_go_first_and_a_line_names_them_and_others_stay():
    narrow, wide = shown([TABLE], 100), shown([TABLE], 1000)
    assert "refused" in wide
    assert "left out" not in wide
    assert "All 0, so left out: refused.\n" in narrow
    assert "empty" in narrow.partition("All 0")[0]  # it may go, and tells something


def test_a_text_in_the_last_column_is_wrapped_at_words_and_a_table_without_rows_is_not_there():
    columns = (COLUMNS[0], Column(id="why", title="why", kind="text"))
    table = Table(id="why", caption="", signature="", columns=columns, rows=(("a", "so many words that " * 5),))
    lines = shown([table], 60).splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(" ".join(lines[3:]).split()) == "a " + " ".join(("so many words that " * 5).split())
    assert shown([Table(id="x", caption="", signature="", columns=columns, rows=())], 60) == ""


def test_a_headline_its_tiles_and_cards_are_lines_of_words(every):
    lines = [part.strip() for part in shown(every.headline("\x1b[2Jmelody"), 60).splitlines()]
    assert lines == [
        "50.0 % correct",
        "95 % interval 40.0 to 60.0",
        "The mean of 2,000 items.",
        "correct: 1,000 of 2,000, 50.0 %",
        "wrong: 1,000 of 2,000, 50.0 %",
        "above the reference: 40.0 %",
        "items: 2,000",
        "\\x1b[2Jmelody",
        "A \\x1b[2Jmelody right answer",
        "B another",
        "no letter reference",
        "wrong read as \\x1b[2Jmelody",
        "\\x1b[2Jmelody",
        "an empty reply",
        "alone",
    ]


def test_what_is_copied_is_one_line_and_what_a_page_tells_or_folds_up_is_not_there():
    bands = Axis(bands=(Band(name="a"),))
    figure = Figure(id="f", caption="", signature="", kind="bands", x=Axis(), y=bands, marks=(Mark(x=1, y=0),))
    section = Section(
        id="s",
        title="Tasks",
        of="m",
        blocks=(
            line("It scores ", strong("62.5 %"), " of ", name("\x1b[31mred"), " by ", code("strict")),
            Copied("word " * 60, "strict"),
            Line(("for readers of a page",), "about"),
            Folded("More", (line("folded"),)),
            Chart(figure, TABLE),
        ),
    )
    lines = shown([section], 60).splitlines()
    assert lines[1] == "Tasks: m"
    assert lines[2] == "It scores 62.5 % of \\x1b[31mred by strict"
    assert lines[3].rstrip() == "strict: " + ("word " * 60).rstrip()
    assert "melody" in "\n".join(lines)
    assert not any("readers" in one or "folded" in one for one in lines)


def test_a_line_is_broken_at_its_blanks_and_in_no_word_range_or_number_with_its_unit():
    assert "x" * 100 in shown([line("a ", "x" * 100, " b")], 60)
    assert shown([line("        and 7 more")], 15).splitlines() == ["        and 7", "        more"]
    said = line(
        "Of ", strong("1,200 replies"), " 17.8 % (11.2 to 26.9 %) compare otherwise, 0.50 s later, p = 0.0210." * 3
    )
    for width in range(30, 70):
        text = shown([said], width)
        lines = text.splitlines()
        assert all(len(one) <= width and one == one.rstrip() for one in lines)
        assert " ".join(lines) == said.text.rstrip()
        assert all(text.count(whole) == 3 for whole in ("17.8 %", "(11.2 to 26.9 %)", "0.50 s", "p = 0.0210"))


def test_a_heading_takes_as_few_lines_as_its_cells_are_wide_for():
    columns = (COLUMNS[0], Column(id="n", title="same as each person", kind="number", unit="%"))
    table = Table(id="h", caption="", signature="", columns=columns, rows=(("a" * 20, Estimate(0.5, (0.25, 0.75))),))
    assert shown([table], 43).splitlines()[1:3] == [" " * 29 + "same as each", "task" + " " * 28 + "person, %"]


def test_a_terminal_says_what_is_folded_up_where_that_matters():
    more = Folded("3 more lines", (TABLE,), "and 3 more lines; --json has all")
    assert shown([more], 60) == "and 3 more lines; --json has all\n"


def test_a_dumb_terminal_is_as_wide_as_it_says(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "61")
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    assert console().width == 61


def test_foreign_names_neither_act_on_a_terminal_nor_flood_it():
    hostile = Table(
        id="h", caption="", signature="", columns=COLUMNS[:2], rows=(("\x1b[2J\u202eabc", 1), ("x" * 1_000_000, 2))
    )
    text = shown([hostile], 60)
    assert "\x1b" not in text
    assert "\\u202eabc" in text
    assert len(text) < 2000


def test_a_table_without_room_becomes_several_of_the_same_rows_an_interval_beside_its_number():
    lines = shown([TABLE], 60).splitlines()
    heads = [one.split() for one in lines if one.startswith("task")]
    assert len(heads) > 1
    rows = [one for one in lines if one.startswith("melody")]
    assert len(rows) == len(heads)
    with_number = next(one for one in lines if "62.5" in one)
    assert "45.0 to 78.1" in with_number
    assert "\n\n\n" not in "\n".join(lines)
    one_row = Table(id="o", caption="", signature="", columns=COLUMNS, rows=ROWS[:1])
    assert "items 2,000; correct, % 62.5;" in shown([one_row], 60)


def test_a_name_that_no_column_has_room_for_stands_below_and_leaves_the_others_a_table():
    long = "x" * 90
    rows = (("short", "vllm/m1", 1, 0.5), ("other", long, 2, 0.25), ("third", long, 3, 0.75))
    columns = (COLUMNS[0], Column(id="model", title="model", kind="name"), *COLUMNS[1:3])
    lines = shown([Table(id="n", caption="", signature="", columns=columns, rows=rows)], 60).splitlines()
    assert [one.split() for one in lines if one.startswith(("other", "third"))] == [
        ["other", "[a]", "2", "25.0"],
        ["third", "[a]", "3", "75.0"],
    ]
    assert lines[-2:] == ["[a]:", f"  {long}"]
    mine = tuple((name.replace("short", "[a]"), model.replace("vllm/m1", "[b]"), *rest) for name, model, *rest in rows)
    text = shown([Table(id="n", caption="", signature="", columns=columns, rows=mine)], 60)
    assert text.endswith(f"[c]:\n  {long}\n")
    assert [text.count(mark) for mark in ("[a]", "[b]", "[c]")] == [1, 1, 3]


def test_a_heading_that_is_one_long_word_ends_in_blocks_and_not_in_a_loop():
    columns = (Column(id="h", title="h" * 70, kind="name"), *COLUMNS[1:3])
    rows = tuple((f"the {name} of them all", 1, 0.5) for name in ("first", "second"))
    text = shown([Table(id="h", caption="", signature="", columns=columns, rows=rows)], 60)
    assert text.count("of them all") == 2
    assert text.count("items 1; correct, % 50.0") == 2
