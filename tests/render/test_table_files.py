"""Tables as Markdown, LaTeX and CSV, each read back by a reader that is not ours."""

import csv
import io
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec import structs

from audiometry.render import files
from audiometry.render.delimited import delimited
from audiometry.render.latex import latex
from audiometry.render.markdown import markdown
from audiometry.render.table import Column, Estimate, OutOf, RowInfo, Table, whole

COLUMNS = (
    Column(id="task", title="task", kind="name"),
    Column(id="items", title="items", kind="count"),
    Column(id="correct", title="correct", kind="number", unit="%"),
    Column(id="interval", title="95 %", kind="interval", unit="%"),
    Column(id="answered", title="answered", kind="count"),
    Column(id="tau", title="tau-b", kind="number", decimals=2),
    Column(id="p", title="p", kind="p"),
    Column(id="why", title="why", kind="text"),
)
ROWS = (
    ("melody_1", 2000, 0.625, (0.45, 0.7812), OutOf(1999, 2000), Estimate(0.75, (0.61, -0.83), "of 3"), 0.00001, ""),
    ("a|b", 7, "not asked", (None, 0.5), OutOf(0, 7), None, None, "=HYPERLINK(1)"),
    ("mean", 2007, -0.3595, None, OutOf(39, 2007), Estimate(-0.5), 0.5, "-0.5"),
)  # fmt: skip
TABLE = Table(
    id="tasks-macro_f1",
    caption="Share correct by task, 50 % of it",
    signature="strict|n3|seed_0",
    columns=COLUMNS,
    rows=ROWS,
    info=(RowInfo(), RowInfo(last=True), RowInfo(strong=True)),
)
HOSTILE = (
    "<script>alert(1)</script>", "\\input{/etc/passwd}", "^^5cinput", "$\\write18{x}$", "| x | y |",
    "`a` **b** ~~c~~", "[a](javascript:b)", "x" * 10_000, "https://a.example www.b.example c@d.example",
    "\x1b[2J\u202eabc\x00", "a\n\n% b\r\n\\\\ [2em] *",
    "你好 عربي 🎧 Žižek", "--- '' `` ,, \"a", "=cmd|' /C calc'!A0", "+1-1", "@SUM(1)", "\t=1",
    "&amp; &#64;",
)  # fmt: skip


def of_names(*names):
    rows = tuple((name, 1, name) for name in names)
    columns = (COLUMNS[0], COLUMNS[1], COLUMNS[-1])
    return Table(id="h", caption=names[0], signature=names[-1], columns=columns, rows=rows)


def cells_of_markdown(text):
    """Cells as a reader of Markdown shows them, and the kinds of markup that it found in them."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    rows, markup, at = [], set(), 0
    while at < len(tokens):
        if tokens[at].type == "tr_open":
            rows.append([])
        if tokens[at].type in {"th_open", "td_open"}:
            rows[-1].append("".join(one.content for one in tokens[at + 1].children))
            markup |= {one.type for one in tokens[at + 1].children} - {"text", "text_special"}
        at += 1
    return rows, markup


def test_markdown_is_read_back_as_the_same_cells_in_line():
    text = markdown(TABLE)
    rows, _ = cells_of_markdown(text)
    assert rows[0] == ["task", "items", "correct, %", "95 %", "answered", "tau-b", "p", "why"]
    assert rows[1] == [
        "melody_1", "2,000", "62.5", "45.0 to 78.1", "1,999/2,000",
        "0.75 (0.61 to −0.83) of 3", "< 0.0001", "",
    ]  # fmt: skip
    assert rows[2][:4] == ["a|b", "7", "not asked", "50.0 or less"]
    assert rows[3][:3] == ["mean", "2,007", "−36.0"]
    lines = text.splitlines()
    assert lines[0] == "Share correct by task, 50 % of it"
    assert lines[-1] == r"strict\|n3\|seed\_0"
    assert len({len(line) for line in lines if line.startswith("| ")}) == 1
    assert "**mean**" in text


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_only_text_in_markdown(name):
    rows, markup = cells_of_markdown(markdown(of_names(name, "b")))
    assert rows[1] == [whole(name), "1", whole(name)]
    assert not markup
    assert not re.search(r"(?<!\\)(?:://|www\.)", markdown(of_names(name, "b")))


@given(st.text())
def test_any_name_is_read_back_from_markdown(name):
    rows, markup = cells_of_markdown(markdown(of_names(name or "a", "b")))
    assert rows[1][0] == whole(name or "a").strip()
    assert not markup


SMALLER = ("small", "footnotesize", "scriptsize")
COMMANDS = {
    *SMALLER, "setlength", "tabcolsep",
    "begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule", "textbf", "linewidth", "char",
    "textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar", "ldots", "times", "pm",
    "circ", "mu", "cdot", "rightarrow", "leftarrow", "leq", "geq", "ss", "ae", "AE", "oe", "OE", "o", "O", "aa", "AA",
    "l", "L", "i", "S", "copyright", "u", "r", "H", "v", "d", "c", "b", *"{}$&#_%`'^~=.\"\\",
}  # fmt: skip


def rows_of_latex(text):
    """The cells of a table's rows, as TeX would split them; fails where TeX would act on anything else."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert code.isascii()
    assert code.replace("\n", "").isprintable()
    assert "%" not in code.replace("\\%", "")
    tokens = re.findall(r"\\(?:[A-Za-z]+|.)|.|\n", code)
    rows, cell, depth, maths = [[]], "", 0, 0
    for one in tokens:
        if one.startswith("\\"):
            assert one[1:] in COMMANDS, one
        depth += (one == "{") - (one == "}")
        maths += one == "$"
        assert depth >= 0
        if one == "\\\\":
            assert depth == 0
            rows[-1].append(cell.strip())
            rows.append([])
            cell = ""
        elif one == "&":
            rows[-1].append(cell.strip())
            cell = ""
        else:
            assert one not in "^~#_" or cell.endswith("\\") or maths % 2, one
            cell += one
    assert depth == 0
    assert maths % 2 == 0
    return [[cell.split("rule\n")[-1].strip() for cell in row] for row in rows[:-1]]


def test_latex_has_the_same_cells_under_booktabs_rules():
    text = latex(TABLE)
    rows = rows_of_latex(text)
    assert rows[0][-7:] == ["items", "correct, \\%", "95 \\%", "answered", "tau-b", "p", "why"]
    assert rows[1][0] == "melody\\_1"
    assert rows[1][5] == "0.75 (0.61 to $-$0.83) of 3"
    assert rows[1][6] == "\\textless{} 0.0001"
    assert rows[3][:3] == ["\\textbf{mean}", "2,007", "$-$36.0"]
    assert all(len(row) == len(COLUMNS) for row in rows)
    assert r"\begin{tabular}{lrrrrrrl}" in text
    assert r"\caption{Share correct by task, 50 \% of it}" in text
    assert r"\label{tab:tasks-macro-f1}" in text
    assert "% strict|n3|seed_0\n" in text
    assert [text.count(rule) for rule in ("\\toprule", "\\midrule", "\\bottomrule")] == [1, 2, 1]


def test_a_wide_table_is_set_in_smaller_type_in_latex_and_one_too_wide_for_that_says_so():
    sizes = []
    for n in range(1, 40):
        columns = (COLUMNS[0], *(Column(id=f"c{at}", title=f"a run {at}", kind="count") for at in range(n)))
        text = latex(Table(id="t", caption="", signature="", columns=columns, rows=(("task", *range(n)),)))
        (size,) = re.findall(r"\\centering(?:(\\\w+)\\setlength\{\\tabcolsep\}\{3pt\})?\n", text)
        sizes.append((size, "wider than" in text.splitlines()[1]))
    found = list(dict.fromkeys(sizes))
    assert found == [("", False), *((f"\\{one}", False) for one in SMALLER), ("\\scriptsize", True)]
    broad = Column(id="said", title="said", kind="text")  # of which half a line is broken into lines
    text = latex(Table(id="t", caption="", signature="", columns=(COLUMNS[0], broad), rows=(("a", "x" * 5000),)))
    assert (r"p{0.5\linewidth}" in text, "wider than" in text) == (True, False)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_only_text_in_latex(name):
    rows = rows_of_latex(latex(of_names(name, name)))
    assert [len(row) for row in rows] == [3, 3, 3]
    assert not any(row[0].startswith(("[", "*")) for row in rows)


def test_hyphens_and_quotes_of_a_name_do_not_melt_into_others():
    assert "a-{}-{}-b ,{}, '{}'" in latex(of_names("a---b ,, ''", "b"))


@given(st.text())
def test_any_name_is_balanced_in_latex(name):
    assert [len(row) for row in rows_of_latex(latex(of_names(name or "a", name)))] == [3, 3, 3]


@pytest.mark.slow
def test_latex_compiles(tmp_path):
    program = next(filter(None, map(shutil.which, ("pdflatex", "tectonic", "xelatex", "lualatex"))), None)
    if program is None:
        pytest.skip("no LaTeX on this machine")
    tables = latex(TABLE) + "".join(latex(of_names(name[:200], name[:200])) for name in HOSTILE)
    head = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
    (tmp_path / "paper.tex").write_text(head + tables + "\\end{document}\n")
    mode = [] if "tectonic" in program else ["-draftmode", "-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([program, *mode, "paper.tex"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def test_csv_is_read_back_with_a_number_a_cell():
    text = delimited(TABLE)
    heads, *rows = csv.reader(io.StringIO(text, newline=""))
    assert heads == [
        "task", "items", "correct, %", "95 % low, %", "95 % high, %", "answered", "answered of",
        "tau-b", "tau-b 95 % low", "tau-b 95 % high", "tau-b note", "p", "why",
    ]  # fmt: skip
    assert rows[0] == [
        "melody_1", "2000", "62.5", "45.0", "78.1", "1999", "2000", "0.75", "0.61", "-0.83", "of 3", "1.0e-05", "",
    ]  # fmt: skip
    assert rows[1] == ["a|b", "7", "not asked", "", "50.0", "0", "7", "", "", "", "", "", "'=HYPERLINK(1)"]
    assert rows[2] == ["mean", "2007", "-36.0", "", "", "39", "2007", "-0.50", "", "", "", "0.5000", "-0.5"]
    assert text.count("\r\n") == 4


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_of_a_csv_is_a_formula_or_acts_on_a_terminal(name):
    heads, row, _ = csv.reader(io.StringIO(delimited(of_names(name, "b")), newline=""))
    assert row[0].removeprefix("'") == whole(name)
    assert row[0][:1] not in "=+-@\t\r"
    assert row[0].isprintable()
    assert len(heads) == len(row)


def test_numbers_of_a_csv_have_no_separators_and_no_plus():
    column = Column(id="d", title="difference", kind="number", sign=True)
    table = Table(id="t", caption="", signature="", columns=(COLUMNS[0], column), rows=(("a", 1234.5), ("b", -2e6)))
    assert delimited(table).splitlines() == ["task,difference", "a,1234.5", "b,-2000000.0"]


def test_every_file_of_a_table_says_what_it_is_of():
    rows = (("=a", 0.5), ("b", 1.5))
    columns = (COLUMNS[0], Column(id="of", title="of", kind="number"))
    table = Table(id="t", caption="=What it shows", signature="s", columns=columns, rows=rows, of="=model on small 2")
    assert delimited(table).splitlines() == [
        "task,of,of (task)",
        "'=a,0.5,\"'=What it shows; =model on small 2\"",
        'b,1.5,"\'=What it shows; =model on small 2"',
    ]
    assert markdown(table).splitlines()[0] == "=What it shows; =model on small 2"
    assert r"\caption{=What it shows; =model on small 2}" in latex(table)
    assert markdown(structs.replace(table, of="")).splitlines()[0] == "=What it shows"


def test_columns_of_two_runs_with_one_name_have_headings_of_their_own():
    columns = (COLUMNS[0], *(Column(id=f"run-{n}", title="model", kind="number", unit="%") for n in range(3)))
    table = Table(id="t", caption="", signature="", columns=columns, rows=(("a", 0.1, 0.2, 0.3),))
    assert delimited(table).splitlines() == [
        'task,"model, %","model, % (run-1)","model, % (run-2)"',
        "a,10.0,20.0,30.0",
    ]


def test_a_file_has_the_name_of_what_it_is_of_in_any_alphabet(tmp_path):
    names = ("Wörter: ça & là", "музыка", "音楽" * 90, "ध्वनि", "../..", "\u202e", "🎧/é", "A", "a")
    blocks = [structs.replace(TABLE, id=name) for name in names]
    found = [path.name for path in files.write_tables(blocks, tmp_path) if path.suffix == ".tex"]
    assert found == [
        "wörter-ça-là.tex", "музыка.tex", f"{'音楽' * 33}.tex", "ध्वनि.tex",
        "unnamed.tex", "unnamed-2.tex", "é.tex", "a.tex", "a-2.tex",
    ]  # fmt: skip
    assert len({path.name for path in tmp_path.iterdir()}) == 3 * len(names)
    labels = [re.search(r"label\{tab:(.*)\}", latex(one))[1] for one in blocks]
    assert len(set(labels)) == len(labels)
    assert all(label.isascii() for label in labels)
