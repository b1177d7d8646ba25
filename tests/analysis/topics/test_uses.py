"""What queries are for: the rules against the half of the labelled queries that they were not written from."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from audiometry.analysis.topics import uses
from audiometry.analysis.topics.shares import trust
from audiometry.languages import detector
from audiometry.stats.prevalence import corrected_share


def coded(half, language=None):
    detect = detector()
    return {
        one.text: uses.use_of(one.text, detect(one.text) if language is None else language)[0]
        for one in uses.labelled(half)
    }


def test_rules_agree_with_queries_that_they_were_not_written_from():
    said = coded("held-out")
    found = trust(said)
    assert found.n == 146
    assert found.n_languages > 10
    assert found.kappa.value >= 0.6
    assert found.kappa.low > 0.6  # and surely so
    sample = uses.labelled()
    oracle = cohen_kappa_score([one.use for one in sample], [said[one.text] for one in sample])
    assert found.kappa.value == pytest.approx(oracle)


def test_the_trust_counts_right_ones_of_each_use_and_for_efficiency():
    said, sample = coded("held-out"), uses.labelled()
    found = trust(said)
    for use, (right, of) in found.right.items():
        assert of == sum(one.use == use for one in sample)
        assert right == sum(one.use == use == said[one.text] for one in sample)
    efficient = [one for one in sample if one.use in {"task-execution", "knowledge-expansion"}]
    assert found.sensitivity[1] == len(efficient)
    assert found.sensitivity[0] == sum(said[one.text] in uses.EFFICIENCY for one in efficient)
    assert found.specificity[1] == len(sample) - len(efficient)


def test_the_corrected_share_is_right_whether_others_all_chat_or_all_seek_advice():
    its = trust(coded("held-out"))
    names = uses.book().names
    assert {name: sum(row[:2]) for name, row in its.told.items()} == {  # called efficient, as documented
        uses.TASK: 40,
        uses.KNOWLEDGE: 52,
        uses.CHAT: 9,
        uses.ADVICE: 3,
    }
    rows = [its.told[name] for name in names]
    for other in (uses.CHAT, uses.ADVICE):
        mix = [{uses.TASK: 0.25, uses.KNOWLEDGE: 0.25, other: 0.5}.get(name, 0.0) for name in names]
        told = sum(part * np.array(row) / sum(row) for part, row in zip(mix, rows, strict=True))
        found = corrected_share(told, 1000, rows, [name in uses.EFFICIENCY for name in names])
        assert found[0] == pytest.approx(0.5, abs=1e-4)


def test_a_coder_that_always_says_the_same_has_no_trust():
    found = trust(dict.fromkeys((one.text for one in uses.labelled()), "chat"))
    assert found.kappa.value == pytest.approx(0.0)
    assert found.sensitivity[0] == 0
    assert found.specificity[0] == found.specificity[1]


def test_the_sample_is_large_enough_and_halved():
    halves = Counter(one.half for half in ("development", "held-out") for one in uses.labelled(half))
    assert sum(halves.values()) >= 200
    assert min(halves.values()) >= 100


def test_without_a_language_all_rules_are_tried():
    sample, said = uses.labelled("development"), coded("development", "")
    assert sum(said[one.text] == one.use for one in sample) / len(sample) > 0.9


@pytest.mark.parametrize(
    ("query", "language", "use"),
    [
        ("Um, so, could you please set a timer for, uh, ten minutes?", "en", "task-execution"),
        ("set set a timer", "en", "task-execution"),
        ("Write an email in which I give my sister advice", "en", "task-execution"),
        ("Give me some advice on what to wear", "en", "advice"),
        ("How much is twelve times nine?", "en", "task-execution"),
        ("I was reading about bees, and I was wondering how they find their way", "en", "knowledge-expansion"),
        ("Hello!", "en", "chat"),
        ("Kannst du mir ein Gedicht über den Herbst schreiben?", "de", "task-execution"),
        ("周末去哪里玩比较好?", "zh", "advice"),
        ("このメールを丁寧に書き直してください。", "ja", "task-execution"),
        ("ما هي عاصمة فرنسا؟", "ar", "knowledge-expansion"),
        ("Γιατί ο ουρανός είναι μπλε;", "el", "knowledge-expansion"),  # no rules of its own
    ],
)
def test_fillers_stutters_and_politeness_do_not_hide_what_is_asked(query, language, use):
    assert uses.use_of(query, language)[0] == use


@given(st.text(max_size=300), st.sampled_from(["en", "zh", "ja", "", "xx"]))
def test_any_text_has_a_use(text, language):
    assert uses.use_of(text, language)[0] in uses.book().names


def test_a_hostile_text_takes_no_time():
    for text in ("what " * 100_000, "a" * 1_000_000, "?" * 100_000, "can you " * 100_000, "を" * 100_000):
        assert uses.use_of(text)[0] in uses.book().names  # the tests' limit on time would say so


def test_where_no_temporary_file_can_be_written_one_line_says_so(monkeypatch):
    import errno
    import tempfile

    from audiometry.errors import UsageError

    def no_room(*_, **__):
        raise OSError(errno.EFBIG, "File too large")

    monkeypatch.setattr(tempfile, "TemporaryFile", no_room)
    with pytest.raises(UsageError, match="a temporary file: File too large; see TMPDIR"):
        detector.__wrapped__()
