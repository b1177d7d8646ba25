"""Reasons in the terminal, as JSON, as a page in a real browser, and of hostile files."""

from __future__ import annotations

import json
import re

import pytest

from audiometry.analysis.reasons import reasons
from audiometry.files import votes
from audiometry.report import reasons_page, section_page
from audiometry.report.views import reasons as views
from audiometry.seeds import stream

NAMES = ("a-model-of-a-maker/with-a-long-name-of-its-own", '"><svg onload=1>', "你好", "dora")
COMMENTS = (
    ("friendly", "more natural", "clear and short", "B was wrong", "the other was slow"),
    ("accurate", "useful", "zxcvb", "ดีกว่า", "<script>alert(1)</script> clear"),
    ("回答更详细", "falsch", "both bad", "refused \x1b[31m to answer \u202e", "fast", "more natural", "friendlier"),
    ("the facts were right", "rude", "clear", "boring"),
)


@pytest.fixture
def voted(tmp_path):
    """A file of some hundred votes with comments and ticks; the first model is liked for its tone."""

    def write(n=400, path="votes.jsonl"):
        draw = stream(5, "reasons page")
        rows = []
        for at in range(n):
            a, b = draw.shuffled(range(4))[:2]
            winner = draw.pick(("model_a", "model_a", "model_b", "tie", "both_bad"))
            first = (a, b)[winner == "model_b"] == 0
            comment = "friendly" if first and at % 6 else draw.pick(draw.pick(COMMENTS))
            rows.append({"model_a": NAMES[a], "model_b": NAMES[b], "winner": winner, "battle": f"battle-{at}",
                         "voter": f"v{at % 50}", "comment": comment if at % 3 else "",
                         "reasons": [] if at % 4 else [draw.pick(("Tone", "Accuracy", "<b>odd</b> tag"))]})  # fmt: skip
        file = tmp_path / path
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return file

    return write


def test_the_terminal_counts_quotes_and_says_what_coding_is_worth(cli, voted):
    said = cli("reasons", "--votes", voted())
    assert said.code == 0, said.err
    flat = " ".join(said.out.split())
    for words in (
        "of 50 voters say something in words",
        "comments uncoded",
        "Beyond chance: tone more often for a-model-of-a-maker/with-a-long-name-of-its-own",
        "Which models are faulted for what",
        "In their words",
        "rules against the labelled sample, 101 texts: kappa 0.9",
        "1 tag of no code in the book stays as it is: '<b>odd</b> tag'",
        "comments in languages or letters that no rule was written for, uncoded: th ",
    ):
        assert words in flat, words
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out


def test_json_is_alone_on_standard_output_and_holds_every_cell(cli, voted):
    said = cli("reasons", "--votes", voted(), "--json")
    document = json.loads(said.out)
    assert document["coder"] == "rules"
    assert document["n_votes"] == 400
    (agreed,) = [one for one in document["agreement"] if one["against"] == "the labelled sample"]
    assert agreed["whole"]["kappa"] >= 0.6
    liked = document["by_model"][0]
    assert liked["kind"] == "for"
    cell = next(one for one in liked["models"] if one["model"] == NAMES[0])["cells"]["tone"]
    assert cell["p_corrected"] < 0.05
    assert {"n", "value", "interval", "p", "p_corrected"} == cell.keys()
    assert "Note: " in said.err


def test_files_of_tables_and_figures_are_written(cli, voted, tmp_path):
    said = cli("reasons", "--votes", voted(), "--tables", tmp_path / "t", "--figures", tmp_path / "f")
    assert said.code == 0, said.err
    assert {"reasons.csv", "reasons-for.tex", "reasons-for-cells.csv", "uncoded-languages.md", "code-book.md"} <= {
        path.name for path in (tmp_path / "t").iterdir()
    }
    assert {"reasons.svg", "reasons-for.svg", "reasons-against.svg"} <= {
        path.name for path in (tmp_path / "f").iterdir()
    }


def test_no_name_and_no_comment_acts_on_the_page(voted, tmp_path):
    page = tmp_path / "page.html"
    section_page.write(reasons_page.page(reasons(votes.read(voted(), texts=True))), page)
    text = page.read_text()
    for active in ("<svg onload", "<script>alert", "<b>odd", "\x1b"):
        assert active not in text
    words = re.sub(r"<[^>]+>", " ", text)
    for said in ("Why people prefer one reply", "Which models are preferred for what", "In their words", "Battle"):
        assert said in words


def test_every_number_that_is_drawn_is_in_its_place(voted, on_axes):
    assert on_axes(views.reasons(reasons(votes.read(voted(), texts=True)))) > 2


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_can_be_used_by_all_at_every_width(visit, made, voted, tmp_path, axe):
    found = reasons(votes.read(voted(120), texts=True))
    path = section_page.write(reasons_page.page(found), tmp_path / "page.html")
    seen = visit(1280)
    page = seen.load(path)
    page.evaluate("() => document.querySelectorAll('details').forEach((n) => n.open = true)")
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(made.OVERFLOW) == 0, width
    assert axe(page) == []
    assert page.evaluate(made.CONTRAST) == []
    page.emulate_media(color_scheme="dark")
    assert axe(page, "color-contrast") == []
    assert page.evaluate(made.CONTRAST) == []
    assert seen.clean()


PLAIN = {"model_a": "x", "model_b": "y", "winner": "model_a"}


@pytest.mark.parametrize(
    ("rows", "code", "told"),
    [
        ([{}], 2, "none of 1 votes says anything in words"),
        ([{"comment": ""}, {"comment": " \t"}], 2, "says anything in words"),
        ([{"comment": "x"}], 0, "1 of 1 vote"),
        ([{"comment": "better"}] * 10, 0, "10 of 10 comments are the same: 'better'"),
        ([{"comment": "x" * 1_000_000}, {"comment": "clear"}], 1, "1: longer than 1,000,000 bytes (line 1)"),
        ([{"comment": "clear " * 160_000}], 0, "1 comment longer than 4,000 characters"),
        ([{"comment": "\x1b]0;title\x07 clear"}], 0, r"\x1b]0;title\x07 clear"),
        ([{"comment": "\ud800 clear"}, {"comment": "clear"}], 1, "1: half a character (line 1)"),
        ([{"reasons": ["odd", "odd", "tone"]}], 0, "1 tag of no code in the book stays as it is: 'odd' (1)"),
        ([{"reasons": [f"tag {n}"]} for n in range(60)], 0, "20 ticks of tags too many to have a place each"),
        ([{"comment": c} for c in ("ดี", "καλό", "טוב", "კარგი", "good")], 0, "4 comments in languages or letters"),
        ([{"comment": {"a": 1}}, {"comment": 5, "reasons": "tone|speed"}], 0, "1 with ticked tags"),
    ],
)
def test_each_odd_file_is_said_in_a_clear_line(cli, tmp_path, rows, code, told):
    file = tmp_path / "votes.jsonl"
    file.write_text("".join(json.dumps(PLAIN | row) + "\n" for row in rows))
    said = cli("reasons", "--votes", file)
    assert said.code == code, said.err
    assert told in " ".join((said.out + said.err).split())
    assert "\x1b" not in said.out + said.err
    assert code != 2 or said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--book", "none.toml"), "none.toml is no code book: it cannot be read (No such file or directory)"),
        (("--rpm", "5"), "--rpm is about judges"),
        (("--votes", "none.jsonl"), "none.jsonl"),
    ],
)
def test_slips_are_said_in_one_line(cli, voted, words, why):
    said = cli("reasons", *(() if "--votes" in words else ("--votes", voted(20))), *words)
    assert said.code == 2
    assert why in said.err
    assert said.err.count("\n") == 1


def test_of_many_models_the_page_has_the_most_frequent_and_says_how_many_are_left_out(cli, tmp_path):
    rows = [
        PLAIN | {"model_a": f"m{n % 45:02}", "comment": ("clear", "fast")[n % 2], "voter": f"v{n}"} for n in range(100)
    ]
    file = tmp_path / "votes.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = cli("reasons", "--votes", file, "-o", tmp_path / "page.html")
    flat = " ".join(said.out.split())
    assert "40 models by 2 reasons, on the page (-o)." in flat
    page = re.sub(r"<[^>]+>", " ", (tmp_path / "page.html").read_text())
    assert "5 more models with 10 votes in all are not listed." in " ".join(page.split())
    assert said.out.splitlines()[-1].startswith("Kept in ")


def test_where_nothing_is_coded_it_is_said_and_no_table_is_empty(cli, tmp_path):
    file = tmp_path / "votes.jsonl"
    file.write_text("".join(json.dumps(PLAIN | {"comment": one}) + "\n" for one in ("zxcvb", "qwrt")))
    said = cli("reasons", "--votes", file)
    assert said.code == 0
    flat = " ".join(said.out.split())
    assert "No vote gives a reason of the book." in flat
    assert "2 comments uncoded (100.0 % of 2): no rule reads them." in flat
    assert "Which models" not in flat
