"""From votes to reasons: what counts as said, for whom it speaks, shares by other ways, and what must not matter."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from audiometry import languages
from audiometry.analysis.reasons import reasons
from audiometry.analysis.reasons.spoken import AGAINST_A, AGAINST_B, FOR_A, FOR_B, HAS, OPEN, flag
from audiometry.analysis.reasons.tongues import letters_of, teller
from audiometry.errors import UsageError
from audiometry.files import code_book, votes
from audiometry.records.votes import Outcome
from audiometry.stats.wilson import wilson

A, B, TIE, BAD = Outcome.A, Outcome.B, Outcome.TIE, Outcome.BOTH_BAD


@pytest.mark.parametrize(
    ("way", "named", "outcome", "first", "expected"),
    [
        ("praise", None, A, -1, FOR_A),
        ("praise", None, B, -1, FOR_B),
        ("praise", None, TIE, -1, FOR_A | FOR_B),
        ("praise", None, BAD, -1, 0),
        ("complaint", None, A, -1, AGAINST_B),
        ("complaint", None, B, -1, AGAINST_A),
        ("complaint", None, TIE, -1, AGAINST_A | AGAINST_B),
        ("complaint", None, BAD, -1, AGAINST_A | AGAINST_B),
        ("complaint", "a", A, -1, AGAINST_A),  # the words win over the vote
        ("praise", "b", A, -1, FOR_B),
        ("praise", "both", A, -1, FOR_A | FOR_B),
        ("complaint", "other", B, -1, AGAINST_A),
        ("praise", "second", A, 0, FOR_B),
        ("praise", "second", A, -1, FOR_A),  # nobody knows which was second: as if none was named
        ("", "a", A, -1, OPEN),
    ],
)
def test_whom_a_reason_speaks_for_or_against(way, named, outcome, first, expected):
    assert flag(way, named, outcome, first) == HAS | expected


def reason(found, code):
    return next(one for one in found.reasons if one.code == code)


def cell(found, kind, model, code):
    (its,) = [one for one in found.by_model if one.kind == kind]
    return next(one for one in its.models if one.model == model).cells[code]


def test_what_is_said_is_counted_by_vote_and_by_voter(told):
    rows = [
        {"voter": "ann", "comment": "more detailed"},
        {"voter": "ann", "comment": "more detailed, and B was wrong"},
        {"voter": "bo", "comment": "zxcvb"},
        {"voter": "cy", "reasons": ["Tone", "level of detail", "Sounds local"]},
        {"voter": "dee", "comment": "  "},
        {"comment": "friendly", "reasons": ["tone"]},
    ]
    found = told(rows)
    assert (found.n_votes, found.n_said, found.n_commented, found.n_tagged, found.n_voters) == (6, 5, 4, 2, 3)
    assert found.n_uncoded == 1
    detail = reason(found, "level-of-detail")
    assert (detail.votes.n, detail.votes.value) == (3, 0.6)
    assert (detail.voters.n, detail.voters.value) == (2, pytest.approx(2 / 3))
    assert (detail.n_praise, detail.n_complaint, detail.n_open) == (2, 0, 1)
    assert (detail.n_ticked, detail.n_commented) == (1, 2)
    tone = reason(found, "tone")
    assert (tone.votes.n, tone.voters.n, tone.n_ticked, tone.n_commented) == (2, 1, 2, 1)
    own = reason(found, "Sounds local")
    assert (own.is_tag, own.title, own.votes.n) == (True, "Sounds local", 1)
    assert any("1 tag of no code in the book stays as it is: 'Sounds local' (1)" in one for one in found.warnings)


def test_shares_and_intervals_are_those_of_independent_counts_and_of_clusters(told):
    """Each voter once: Wilson's. The same ten voters ten times each, always alike: as wide as of ten."""
    single = told([{"voter": f"v{n}", "comment": "friendly" if n < 30 else "zxcvb"} for n in range(100)])
    low, high = reason(single, "tone").votes.interval
    assert (low, high) == pytest.approx(wilson(0.3, 100), abs=0.012)
    again = told([{"voter": f"v{n % 10}", "comment": "friendly" if n % 10 < 3 else "zxcvb"} for n in range(100)])
    value, interval = reason(again, "tone").votes.value, reason(again, "tone").votes.interval
    y = np.array([n % 10 < 3 for n in range(100)], float)
    sums = np.array([(y - 0.3)[np.arange(100) % 10 == voter].sum() for voter in range(10)])
    error = np.sqrt(10 / 9 * (sums**2).sum()) / 100  # the clustered standard error, by hand
    assert value == 0.3
    assert interval[1] - interval[0] > 3.2 * error
    assert interval[1] - interval[0] > 2.5 * (high - low)
    assert reason(again, "tone").voters.interval == pytest.approx(wilson(0.3, 10), abs=0.05)


def test_models_are_credited_for_praise_and_ticks_where_they_won_and_faulted_where_they_did_not(told):
    rows = [
        {"comment": "friendly"},  # for x
        {"comment": "the other was rude"},  # against y, no merit of x
        {"reasons": ["tone"]},  # ticked for the vote of x
        {"winner": "model_b", "comment": "friendly"},  # for y
        {"winner": "tie", "comment": "friendly"},
        {"winner": "both_bad", "comment": "rude"},  # against both
    ]
    found = told(rows)
    assert (cell(found, "for", "x", "tone").n, cell(found, "for", "x", "tone").value) == (2, pytest.approx(2 / 3))
    assert (cell(found, "for", "y", "tone").n, cell(found, "for", "y", "tone").value) == (1, 1.0)
    assert (cell(found, "against", "y", "tone").n, cell(found, "against", "y", "tone").value) == (2, 0.5)
    assert (cell(found, "against", "x", "tone").n, cell(found, "against", "x", "tone").value) == (1, 0.5)
    assert [one.n for one in found.by_model] == [4, 6]


def test_a_planted_preference_is_found_and_corrected_over_all_cells(told):
    rows = [
        {"model_a": model, "voter": f"v{n % 40}", "comment": text}
        for n in range(60)
        for model, text in (
            ("warm", "friendly" if n % 2 else "clear"),
            ("dry", "clear" if n % 2 else "accurate"),
            ("third", ("friendly", "clear", "accurate", "fast", "useful")[n % 5]),
        )
    ]
    found = told(rows)
    mine = cell(found, "for", "warm", "tone")
    assert mine.value == 0.5
    assert mine.p < mine.p_corrected < 0.01
    ps = [one.p for each in found.by_model[0].models for one in each.cells.values() if one.p is not None]
    assert len(ps) == 3 * 5
    assert cell(found, "for", "third", "tone").p_corrected == 1.0


def test_what_the_words_say_wins_over_the_vote_and_quotes_say_so(told):
    found = told([{"battle": "b-1", "comment": "A was too formal, I picked it for the facts"}])
    (quote,) = [one for one in found.quotes if one.code == "tone"]
    assert (quote.battle, quote.line, quote.outcome, quote.faulted, quote.praised) == ("b-1", 1, "model_a", ("x",), ())


def test_quotes_are_different_comments_of_either_way_and_act_on_no_terminal(told):
    rows = [{"battle": f"b{n}", "comment": "very clear"} for n in range(5)]
    rows += [{"battle": "c", "comment": "unclear\x1b[31m \u202e<b>"}, {"comment": "clear " + "x" * 1000}]
    found = [one for one in told(rows).quotes if one.code == "clarity"]
    assert len(found) == 3
    assert {bool(one.faulted) for one in found} == {True, False}
    assert all("\x1b" not in one.comment and "\u202e" not in one.comment for one in found)
    assert max(len(one.comment) for one in found) == 300


COMMENTS = ("friendly", "rude", "both useful", "zxcvb", "B was wrong", "the other was slow", "clear and short", "")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["xy", "yx", "xz", "yz"]),
        st.sampled_from(["model_a", "model_b", "tie", "both_bad"]),
        st.sampled_from(COMMENTS),
        st.integers(0, 4),
        st.sampled_from([[], ["tone"], ["Speed", "odd tag"]]),
    ),
    min_size=2,
    max_size=25,
)
TURNED = {"model_a": "model_b", "model_b": "model_a"}


def same(found):
    """All that is not about the file itself."""
    parts = (found.reasons, found.coders, found.by_model, found.tongues, found.n_uncoded, found.n_voters)
    return rounded(msgspec.to_builtins(parts))


def rounded(value):
    """The same but for the last digits of sums, which hang on the order."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list | tuple) else value


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=6, deadline=None, phases=[Phase.generate]
)
@given(ROWS, st.randoms())
def test_neither_the_order_of_rows_nor_a_second_copy_nor_which_side_is_a_matters(vote_file, rows, random):
    made = [
        {
            "model_a": pair[0],
            "model_b": pair[1],
            "winner": winner,
            "comment": comment,
            "voter": f"v{voter}",
            "reasons": tags,
            "battle": f"b{at}",
        }
        for at, (pair, winner, comment, voter, tags) in enumerate(rows)
    ]
    if not any(one["comment"] or one["reasons"] for one in made):
        made[0]["comment"] = "friendly"

    def read(some):
        return reasons(votes.read(vote_file(some), texts=True))

    whole = read(made)
    mixed = random.sample(made, len(made))
    assert same(read(mixed)) == same(whole)
    assert read(mixed).quotes == tuple(
        type(q)(**{f: getattr(q, f) for f in q.__struct_fields__} | {"line": mixed_line(mixed, q)})
        for q in whole.quotes
    )
    twice = read([*made, *made])
    assert same(twice) == same(whole)
    assert twice.n_unread == len(made)
    turned = [
        one
        | {"model_a": one["model_b"], "model_b": one["model_a"], "winner": TURNED.get(one["winner"], one["winner"])}
        | {"comment": one["comment"].replace("B was", "A was")}
        for one in made
    ]
    assert same(read(turned)) == same(whole)


def mixed_line(rows, quote):
    return next(at for at, one in enumerate(rows, 1) if one["battle"] == quote.battle)


def test_ticks_and_comments_of_the_same_votes_are_held_against_each_other(told):
    rows = [{"comment": c, "reasons": [t]} for c, t in [("friendly", "tone"), ("fast", "tone"), ("fast", "speed")] * 4]
    found = told(rows)
    (ticks,) = [one for one in found.agreement if one.against == "ticked tags"]
    tone = next(one for one in ticks.codes if one.code == "tone")
    assert tone.kappa == pytest.approx(cohen_kappa_score([1, 1, 0] * 4, [1, 0, 0] * 4))
    assert (tone.precision, tone.recall) == (1.0, 0.5)
    assert [one.name for one in found.coders] == ["ticked tags", "rules"]


def test_a_book_of_ones_own_codes_by_its_own_rules_and_has_no_sample(told, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[[code]]\nname = "accent"\ntitle = "accent"\nabout = "speaks of it"\npraise = ["my accent"]\n'
        '[[code]]\nname = "joy"\ntitle = "joy"\nabout = "speaks of it"\n'
    )
    found = told([{"comment": "It got MY ACCENT"}, {"comment": "friendly"}, {"reasons": ["Joy"]}],
                 book=code_book.read(path))  # fmt: skip
    assert {one.code: one.votes.n for one in found.reasons} == {"accent": 1, "joy": 1}
    assert (found.n_uncoded, found.agreement) == (1, ())
    bare = tmp_path / "bare.toml"
    bare.write_text(path.read_text().replace('praise = ["my accent"]\n', ""))
    with pytest.raises(UsageError, match="the code book has no rules, so that comments need a judge"):
        told([{"comment": "x"}], book=code_book.read(bare))


def test_votes_without_a_word_are_refused_in_one_line(told):
    with pytest.raises(UsageError, match="none of 2 votes says anything in words; reasons are made of the columns"):
        told([{"comment": " "}, {"reasons": []}])


def test_comments_in_languages_that_no_rule_reads_are_said(told):
    rows = [
        {"comment": "ดีกว่า"},
        {"comment": "ดีมาก"},
        {"comment": "Cevap yanlış."},
        {"comment": "zxcvb"},
        {"comment": "asdf", "language": "tr"},
    ]
    found = told([*rows, {"comment": "friendly", "language": "tr"}])
    assert {(one.name, one.is_read, one.n) for one in found.tongues} == {
        ("th", False, 2),
        ("Latin letters", True, 1),
        ("tr", False, 2),
    }
    (said,) = [one for one in found.warnings if "no rule was written for" in one]
    assert said.startswith("4 comments in languages or letters")


def test_without_the_extra_languages_are_told_by_their_letters(told, monkeypatch):
    def missing():
        raise UsageError("install it")

    monkeypatch.setattr(languages, "detector", missing)
    teller.cache_clear()
    found = told([{"comment": c} for c in ("ดีกว่า", "Cevap yanlış.", "!?…")] + [{"comment": "friendly"}])
    teller.cache_clear()
    assert {(one.name, one.is_read) for one in found.tongues} == {("Thai letters", False), ("Latin letters", True)}


def test_kana_make_a_text_japanese_whatever_else_is_in_it():
    assert (letters_of("日本語の説明"), letters_of("日本語"), letters_of("12")) == ("Japanese", "Chinese", "")


def test_alike_long_and_few_comments_are_told(told):
    found = told([{"comment": "Nice."}] * 10 + [{"comment": "clear " + "x" * 5000}])
    said = " | ".join(found.warnings)
    assert "10 of 11 comments are the same: 'Nice.'" in said
    assert "1 comment longer than 4,000 characters: the rest of them is not read" in said
    assert "no voter is known" in said
    assert "only 11 votes with words" in said
    assert {one.code: one.votes.n for one in found.reasons} == {"other": 10, "clarity": 1}


def test_a_voter_with_a_large_part_is_told(told):
    rows = [{"voter": "ann" if at < 10 else f"v{at}", "comment": "friendly"} for at in range(30)]
    assert any(one.startswith("one voter has 10 of 30 votes with words") for one in told(rows).warnings)
    assert not any("one voter has" in one for one in told(rows[8:]).warnings)
