"""Rows of a measure: values by hand, intervals, bounds, and what goes wrong."""

import json
import math
import random

import jiwer
import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiometry.analysis.agreement import agree
from audiometry.errors import UsageError
from audiometry.files.ratings import read as read_ratings
from audiometry.records import Failure, RatingLine
from audiometry.score import compare, planned
from audiometry.score.door import measured as measured_by
from audiometry.score.filling import fill
from audiometry.score.measures import MEASURES, packages
from audiometry.score.measures.means import mean
from audiometry.score.measures.measure import Counted
from audiometry.score.measures.references import ByReference
from audiometry.score.opened import open_run
from audiometry.score.profiles import PROFILES
from audiometry.score.rows import ONE_CLUSTER
from audiometry.score.table import Table
from audiometry.stats.wilson import wilson

FAILURE = {"text": None, "error": {"kind": "timeout", "message": "late"}}
WORDS = ["a", "cat", "sat", "on", "mats", "dogs", "ran"]
CARD = '[benchmark]\nname = "made"\nversion = "1"\n'
NAMES = ("wer", "cer", "bleu", "chrf", "rouge-l", "token-f1", "exact-match")


def card(**tasks):
    """A card with open tasks: ``card(read="speech", sung="")``."""
    entries = (f'[[task]]\nname = "{task}"\nkind = "open"\ncategory = "{name}"\n' for task, name in tasks.items())
    return CARD + "".join(entries)


@pytest.fixture
def measured(make_benchmark, make_run):
    """``measured([(reference, reply, {fields of the item})…], "wer")``: a reply of None was never asked for."""

    def measure(rows, *names, text="", **changes):
        items = [
            {"id": f"item-{n:05}", "options": [], "answer": due, "task": "read"} | (more[0] if more else {})
            for n, (due, _, *more) in enumerate(rows)
        ]
        folder = make_benchmark(items, card=text or card(read=""), clips=False)
        replies = {item["id"]: said for item, (_, said, *_) in zip(items, rows, strict=True) if said is not None}
        run = make_run(folder, replies, **changes)
        found = measured_by(open_run(run), names).scores
        return (found[names[0]], run) if len(names) == 1 else (found, run)

    return measure


def sentences(number, seed=0, wrong=0.2):
    made = random.Random(seed)
    rows = []
    for _ in range(number):
        due = [made.choice(WORDS) for _ in range(made.randint(4, 9))]
        said = [made.choice(WORDS) if made.random() < wrong else word for word in due]
        rows.append((" ".join(due), " ".join(said)))
    return rows


def test_a_corpus_is_all_edits_over_all_words(measured):
    found, _ = measured([("a b c d e f g h", "a b c d e f g h"), ("hen", "red fox")], "wer")
    assert found.value == pytest.approx(2 / 9)
    assert (found.average, found.value, found.direction) == ("items", pytest.approx(2 / 9), "down")
    assert found.tasks["read"].value == found.value
    assert (found.n_items, found.n_answered, found.n_failed, found.complete, found.bounds) == (2, 2, 0, True, None)


def test_many_sentences_are_as_jiwer_has_them(measured):
    rows = sentences(80)
    found, _ = measured(rows, "wer")
    assert found.value == pytest.approx(jiwer.wer([due for due, _ in rows], [said for _, said in rows]))
    assert found.interval[0] < found.value < found.interval[1]


def test_the_whole_is_the_mean_of_categories_and_pooled_is_the_corpus(measured):
    rows = [("a b", "a b", {"task": "read"}), ("a b", "a x", {"task": "told"})] + [("a b", "x y", {"task": "sung"})] * 3
    found, _ = measured(rows, "wer", text=card(read="speech", told="speech", sung="music"))
    assert {name: row.value for name, row in found.tasks.items()} == {"read": 0, "told": 0.5, "sung": 1}
    assert {name: row.value for name, row in found.categories.items()} == {"speech": 0.25, "music": 1}
    assert (found.value, found.average, found.extras.corpus) == (pytest.approx(0.625), "categories", pytest.approx(0.7))
    by_tasks, _ = measured(rows, "wer", text=card(read="speech", told="", sung="music"))
    assert (by_tasks.value, by_tasks.average) == (pytest.approx(0.5), "tasks")
    of_one, _ = measured(rows, "wer", text=card(read="speech", told="speech", sung="speech"))
    assert (of_one.value, of_one.average) == (pytest.approx(0.5), "tasks")  # as page and terminal call it


def test_tasks_of_a_pool_are_one_corpus(measured):
    rows = [
        ("a b", "a b", {"task": "read"}),
        *[("a b c d", "x y z d", {"task": "told"})] * 2,
        ("a", "a", {"task": "sung"}),
    ]
    text = card(read="speech", told="speech", sung="music").replace('"speech"\n', '"speech"\npool = "talk"\n')
    found, _ = measured(rows, "wer", text=text)
    assert found.categories["speech"].value == pytest.approx(6 / 10)
    assert found.value == pytest.approx(3 / 10)


def test_failures_count_as_empty_and_have_bounds(measured):
    rows = [("a b c d", "a b c d")] * 98 + [("a b c d", FAILURE)] * 2
    for name, worst in (("wer", 2 / 100), ("rouge-l", 98 / 100), ("token-f1", 98 / 100)):
        found, _ = measured(rows, name)
        assert found.value == pytest.approx(worst)
        assert found.bounds == ((0.0, None) if name == "wer" else (pytest.approx(worst), 1.0))
        assert (found.n_answered, found.n_failed, found.complete, found.rankable) == (98, 2, False, False)
        assert found.failures == {"timeout": 2}


def test_nothing_bounds_what_missing_replies_may_get_wrong(measured):
    """A reply may hold any number of words that nobody said, so the whole run can be worse than the lost ones empty."""
    babble = " ".join("abcdefgh")
    whole, _ = measured([("a b", "a b"), ("a b", babble)], "wer", "cer")
    lost, _ = measured([("a b", "a b"), ("a b", FAILURE)], "wer", "cer")
    for name, one in lost.items():
        assert one.bounds == one.tasks["read"].bounds == (0.0, None)
        assert whole[name].value > 1 > one.value


def test_a_run_that_is_not_finished_has_bounds_and_no_number(measured):
    found, _ = measured([("a b", "a b"), ("a b", None), ("a b", FAILURE)], "wer")
    assert (found.value, found.interval, found.bounds) == (None, None, (0.0, None))
    assert (found.n_not_asked, found.n_failed, found.n_counted, found.left_out) == (1, 1, 2, ())


def test_refusals_and_empty_replies_are_counted_and_scored_as_they_stand(measured):
    found, _ = measured([("a b c", ""), ("a b c", "I'm sorry, I can't hear audio."), ("a b c", "a b c")], "wer")
    assert (found.n_empty, found.n_refused, found.n_answered, found.complete) == (1, 1, 1, True)
    assert found.value == pytest.approx((3 + 8 + 0) / 9)  # I am sorry I can not hear audio


def test_a_rate_may_exceed_one(measured):
    found, _ = measured([("a", "b c d"), ("a", "b c d e")], "wer")
    assert found.value == pytest.approx(3.5)


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_itself_is_perfect(measured, name):
    found, _ = measured([(due, due) for due, _ in sentences(12)], name)
    best = 0 if name in {"wer", "cer"} else found.range[1]
    assert found.value == pytest.approx(best)
    # twelve clusters without a mistake do not prove that there is none
    assert max(abs(end - best) for end in found.interval) > 0.1 * (found.range[1] or 1)


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_items_has_no_say(measured, name):
    more = [{"id": f"s{n:02}", "file_name": f"{n // 2}.wav"} for n in range(20)]
    rows = [(due, said, known) for (due, said), known in zip(sentences(20), more, strict=True)]
    (first, _), (second, _) = (measured(one, name) for one in (rows, random.Random(5).sample(rows, len(rows))))
    assert first.value == pytest.approx(second.value)
    assert first.interval == pytest.approx(second.interval)
    assert first.n_clusters == 10


def test_items_of_one_clip_are_one_cluster(measured):
    rows = sentences(40)
    apart, _ = measured(rows, "wer")
    together, _ = measured([(due, said, {"group": f"g{n // 10}"}) for n, (due, said) in enumerate(rows)], "wer")
    one, _ = measured([(due, said, {"group": "g"}) for due, said in rows], "wer")
    assert apart.value == together.value == one.value
    assert (apart.n_clusters, together.n_clusters, one.n_clusters) == (40, 4, 1)
    assert one.interval is None
    assert together.interval[1] - together.interval[0] > 0


def test_the_interval_covers_the_truth_about_as_often_as_it_says(measured):
    """Corpora drawn from one population; the binomial chance of fewer than 33 of 40 at 95 % is below 0.1 %."""
    population = sentences(4000, seed=99)
    truth = jiwer.wer([due for due, _ in population], [said for _, said in population])
    covered = 0
    for seed in range(40):
        found, _ = measured(sentences(30, seed=seed), "wer")
        covered += found.interval[0] <= truth <= found.interval[1]
    assert covered >= 33


def test_variants_of_an_item_are_averaged_and_those_without_its_clip_left_alone(make_benchmark, make_run):
    folder = make_benchmark([{"options": [], "answer": "a b", "task": "read"}], card=card(read=""), clips=False)
    variants = ("plain", "order-1", "noise")
    said = {("item-00000", "plain"): "a b", ("item-00000", "order-1"): "a x", ("item-00000", "noise"): "x y z"}
    run = make_run(folder, said, variants=variants)
    found = measured_by(open_run(run), ["wer"]).scores["wer"]
    assert (found.value, found.n_items, found.n_replies) == (0.25, 1, 2)
    assert json.loads((run / found.extras.ratings).read_text())["score"] == 0.25


def test_every_reply_is_measured_once_and_all_in_one_call(measured, monkeypatch):
    calls, measure = [], ByReference.parts

    def counting(self, items, outcomes, columns):
        calls.append(len(items))
        return measure(self, items, outcomes, columns)

    monkeypatch.setattr(ByReference, "parts", counting)
    measured([("a b", "a b"), ("a b", "a"), ("a b", FAILURE)], "wer")
    assert calls == [3]


def test_over_answered_and_the_corpus_are_sums_over_sums_and_no_means_of_items(measured):
    found, _ = measured([("a b c d", "a b c x"), ("a b", "x y"), ("a b c", ""), ("a b", FAILURE)], "wer")
    assert found.over_answered == pytest.approx(3 / 6)
    assert (found.value, found.bounds[0]) == pytest.approx((8 / 11, 6 / 11))
    assert found.bounds[1] is None
    two, _ = measured(
        [("a b c d", "a b c x", {"task": "read"}), ("a b", "x y", {"task": "read"}), ("a", "a", {"task": "sung"})],
        "wer",
        text=card(read="speech", sung="music"),
    )
    assert (two.value, two.over_answered, two.extras.corpus) == pytest.approx((1 / 4, 1 / 4, 3 / 7))


def test_the_size_of_an_item_is_its_reference_words_however_many_variants_count(make_benchmark, make_run):
    """In limits on the log scale: not its edits, nor more or less where a variant was not asked or a clip failed."""
    items = [{"options": [], "answer": due, "task": "read"} for due in ("a b", "a b c", "a", "a b c d")]
    folder = make_benchmark(items, card=card(read=""), clips=False)
    said = {(f"item-{n:05}", "plain"): "x y z" for n in range(3)} | {("item-00000", "order-1"): "a b"}
    run = open_run(make_run(folder, said, variants=("plain", "order-1")))
    table = Table(fill(run, PROFILES.named("strict"), MEASURES.named("wer")))
    assert table.scale.kind == "log"
    assert table.sizes(np.ones(4, np.bool_)).tolist() == [2, 3, 1, 0]


def test_every_score_is_a_line_that_agree_reads(measured):
    found, run = measured([("a b", "a x"), ("a b", FAILURE), ("a b", "")], "wer", "bleu")
    lines = (run / found["wer"].extras.ratings).read_bytes().splitlines()
    assert [msgspec.json.decode(line, type=RatingLine) for line in lines] == [
        RatingLine(
            item=item, rater="metric:wer", kind="metric", model="made/by-hand", score=score, lower_is_better=True
        )
        for item, score in (("item-00000", 0.5), ("item-00002", 1.0))
    ]
    ratings = read_ratings([run])
    assert (sorted(ratings.raters), set(ratings.kinds), len(ratings.value)) == (
        ["metric:bleu", "metric:wer"],
        {"metric"},
        4,
    )
    assert ratings.lower_is_better == ["metric:wer"]


def test_the_lines_of_a_program_that_counts_what_is_wrong_say_so(measured, odd):
    odd(higher_is_better=False)
    _, run = measured([("a b", "a x"), ("a b", "")], "odd")
    assert agree(read_ratings([run])).raters[0].lower_is_better


def test_the_signature_says_how_the_number_was_made(measured):
    found, _ = measured([("a b", "a x", {"tags": {"language": "de"}})], *NAMES)
    for name in NAMES:
        assert found[name].signature.startswith(f"{name}.1+made-1-")
    assert "whisper-normalizer-" in found["wer"].signature
    assert "basic-marks-kept-de" in found["wer"].signature
    assert "+sacrebleu|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in found["bleu"].signature


def test_another_version_of_the_normaliser_is_another_signature_and_a_comparison_has_one_for_both(
    make_benchmark, make_run, cli, monkeypatch
):
    """Numbers of two versions never meet: what is stored keeps its own file, and both runs are scored anew."""
    rows, real = sentences(12), packages.version
    items = [{"options": [], "answer": due, "task": "read"} for due, _ in rows]
    folder = make_benchmark(items, card=card(read=""), clips=False)
    a, b = (make_run(folder, {f"item-{n:05}": row[k] for n, row in enumerate(rows)}) for k in (0, 1))

    def signature():
        return cli("score", a, "--measure", "wer", "--json").json["scores"]["wer"]["signature"]

    now = signature()
    name = f"whisper-normalizer-{real('whisper-normalizer')}-"
    assert name in now
    monkeypatch.setattr(packages, "version", lambda one: "99.0" if one == "whisper-normalizer" else real(one))
    assert signature() == now.replace(name, "whisper-normalizer-99.0-")
    assert len([path for path in (a / "scores").iterdir() if path.name.startswith("wer")]) == 2
    (both,) = compare(a, b, measure="wer").signatures
    assert "whisper-normalizer-99.0-" in both


def test_a_script_that_does_not_fit_the_language_is_noted(measured):
    found, _ = measured([("今天天气很好", "今天天气很好"), ("a cat", "a cat")], "wer")
    assert "but with references in another script: 1 items; tag them, or say wer?language=CODE" in found.notes[0]
    told, _ = measured([("今天天气很好", "今天天气好")], "wer?language=zh")
    assert (told.notes, told.value, told.extras.ratings) == (
        (),
        pytest.approx(1 / 6),
        "ratings/metric-wer-language-zh-1b30.jsonl",
    )


def test_a_reply_without_end_is_cut_and_still_counts(measured):
    found, _ = measured([("a b c", "so " * 300_000), ("a b c", "a b c")], "wer")
    assert found.extras.n_cut == 1
    assert found.value == pytest.approx(300_000 / 6, rel=1e-4)
    assert "replies read no further than" in found.notes[0]


def test_a_task_without_a_single_reference_word_is_left_out(measured):
    rows = [("[silence]", "hm hm", {"task": "read"}), ("a b", "a x", {"task": "sung"})]
    found, _ = measured(rows, "wer", text=card(read="speech", sung="music"))
    assert found.tasks["read"].value is None
    assert found.tasks["read"].interval is None
    assert (found.left_out, found.value) == (("read",), 0.5)
    alone, _ = measured([("[silence]", "noise")], "wer")
    assert (alone.value, alone.interval, alone.extras.corpus) == (None, None, None)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.lists(st.sampled_from(["a b c", "", "x", "a c", None]), min_size=2, max_size=6))
def test_no_number_is_ever_nan_and_values_lie_in_their_bounds(measured, said):
    found, _ = measured([("a b c", one if one is not None else FAILURE) for one in said], *NAMES)
    for one in found.values():
        for row in (one, *one.tasks.values()):
            assert (row.value is None) == (said.count(None) == len(said))  # no reply came
            assert row.value is None or math.isfinite(row.value)
            assert row.interval is None or row.interval[0] <= row.value <= row.interval[1]
            if row.bounds is not None:
                low, high = row.bounds
                assert (high is None) == (one.range[1] is None)
                assert row.value is None or low - 1e-9 <= row.value <= (math.inf if high is None else high + 1e-9)
        assert (one.bounds is None) == (None not in said)


class Odd:
    """A metric of another package: counts as told, and why some pairs have none."""

    name, about, unit, highest = "odd", "odd", "odds", 10.0
    columns = ("characters", "pairs")

    def __init__(self, failures=None, shape=None, ends=None, *, higher_is_better=True):
        self.higher_is_better = higher_is_better
        self._failures, self._shape, self.ends = failures or {}, shape, ends

    def count(self, pairs):
        counts = np.array([[0.0 if n in self._failures else len(pair.prediction), 1.0] for n, pair in enumerate(pairs)])
        return Counted(counts if self._shape is None else np.zeros(self._shape), self._failures)

    def value(self, totals):
        return mean(totals)

    def each(self, counts):
        return counts[:, 0]

    def made_with(self, pairs):
        return ("odd-1",)


@pytest.fixture
def odd(monkeypatch):
    def use(**how):
        monkeypatch.setattr(planned, "named", lambda name: ByReference(Odd(**how)))

    return use


WHY = Failure(kind="crash", message="it left")


def test_replies_without_a_score_are_in_no_value_and_at_both_ends_of_the_bounds(measured, odd):
    odd(failures={0: WHY}, ends=(np.array([0.0, 1.0]), np.array([10.0, 1.0])))
    found, run = measured([("a", "aaaa"), ("a", "aa"), ("a", "aaaaaa")], "odd")
    assert (found.value, found.n_answered, found.n_unjudged, found.failures) == (4, 2, 1, {"crash": 1})
    assert found.bounds == (pytest.approx(8 / 3), pytest.approx(18 / 3))
    assert (found.complete, found.rankable) == (False, False)
    assert "no score for 1 of the replies, first for that to item 'item-00000': it left" in found.notes[0]
    assert len((run / found.extras.ratings).read_text().splitlines()) == 2


def test_without_a_scale_there_are_no_bounds(measured, odd):
    odd(failures={0: WHY})
    found, _ = measured([("a", "aaaa"), ("a", "aa")], "odd")
    assert (found.value, found.bounds) == (2, None)


def test_nothing_scored_at_all_is_no_number(measured, odd):
    odd(failures={0: WHY, 1: WHY})
    found, run = measured([("a", "aaaa"), ("a", "aa")], "odd")
    assert (found.value, found.interval, found.bounds, found.extras.corpus, found.left_out) == (
        None,
        None,
        None,
        None,
        ("read",),
    )
    assert (run / found.extras.ratings).read_bytes() == b""


def test_a_failed_reply_that_cannot_be_measured_as_empty_is_left_without_bounds(measured, odd):
    odd(failures={1: WHY})
    found, _ = measured([("a", "aaaa"), ("a", FAILURE)], "odd")
    assert (found.value, found.n_failed, found.n_unjudged, found.bounds) == (4, 1, 0, None)


@pytest.mark.parametrize("shape", [(3,), (1, 2), (2, 0, 1)])
def test_a_metric_that_gives_no_counts_is_told_so(measured, odd, shape):
    odd(shape=shape)
    with pytest.raises(UsageError, match="measure 'odd' gives parts of shape"):
        measured([("a", "a"), ("a", "b")], "odd")


def test_a_run_that_is_equally_wrong_everywhere_is_only_as_sure_as_its_clips_are_many(measured):
    found, _ = measured([("a", "b c d")] * 5, "wer")
    free = wilson(0, 5)[1]
    assert (found.value, found.interval) == (3, pytest.approx((3 * (1 - free), 3 * (1 + free))))


def test_a_task_answered_with_nothing_leaves_the_whole_its_interval(measured):
    rows = [(due, said, {"task": "read"}) for due, said in sentences(8)] + [("a b", "", {"task": "sung"})] * 3
    found, _ = measured(rows, "wer", text=card(read="speech", sung="music"))
    assert found.tasks["sung"].value == 1
    low, high = found.interval
    assert low < found.value - wilson(0, 3)[1] / 2 < found.value < found.value + wilson(0, 3)[1] / 2 < high


def test_tasks_of_one_cluster_are_named_since_no_average_of_them_has_an_interval(measured):
    rows = [(due, said, {"task": "read"}) for due, said in sentences(8)] + [("a b", "a x", {"task": "sung"})]
    found, _ = measured(rows, "wer", text=card(read="speech", sung="music"))
    expected = "tasks whose items are all one cluster, so that nothing tells how exact an average of them is: sung"
    assert found.notes == (expected,)
    assert (found.tasks["sung"].interval, found.interval) == (None, None)
    assert found.tasks["read"].interval is not None


def test_a_task_whose_clips_are_all_equally_wrong_is_not_named_with_those_of_one_cluster(measured):
    """Three clips, each wrong throughout: not one cluster, and so many tell how many others may differ."""
    rows = [(due, said, {"task": "read"}) for due, said in sentences(4)]
    rows += [("a b", "x y", {"task": "sung"})] * 3 + [("a b", "a x", {"task": "told"})]
    found, _ = measured(rows, "wer", text=card(read="speech", sung="music", told="speech"))
    assert found.tasks["sung"].interval == pytest.approx((1 - wilson(0, 3)[1], 1 + wilson(0, 3)[1]))
    alone = "tasks whose items are all one cluster, so that nothing tells how exact an average of them is: told"
    assert found.notes == (alone,)


def test_two_runs_are_compared_by_any_measure(make_benchmark, make_run, cli):
    rows = sentences(40)
    items = [{"options": [], "answer": due, "task": "read"} for due, _ in rows]
    folder = make_benchmark(items, card=card(read=""), clips=False)
    good = make_run(folder, {f"item-{n:05}": due for n, (due, _) in enumerate(rows)})
    bad = make_run(folder, {f"item-{n:05}": said for n, (_, said) in enumerate(rows)})
    found = cli("compare", good, bad, "--measure", "wer", "--json").json
    assert (found["measure"], found["unit"], found["direction"]) == ("wer", "errors per reference word", "down")
    expected = jiwer.wer([due for due, _ in rows], [said for _, said in rows])
    assert (found["score_a"], found["score_b"]) == (0, pytest.approx(expected))
    assert found["difference"] == pytest.approx(-expected)
    assert found["interval"][1] < 0
    assert found["p"] < 0.001
    assert set(found["tasks"]) == {"read"}
    assert "wer" in cli("compare", good, bad, "--metric", "wer").out


def test_a_task_without_a_value_is_in_no_average_as_if_it_were_not_there(measured):
    """Of two tasks of speech one has no reference word: speech is the other, and half of the whole."""
    rows = [
        *[("a b", "a b", {"task": "read"})] * 3,
        *[("[noise]", "", {"task": "told"})] * 3,
        *[("a b", "x y", {"task": "sung"})] * 3,
    ]
    found, _ = measured(rows, "wer", text=card(read="speech", told="speech", sung="music"))
    assert (found.categories["speech"].value, found.categories["music"].value, found.left_out) == (0, 1, ("told",))
    assert (found.value, found.over_answered) == (0.5, 0.5)


def test_a_task_without_a_row_in_a_comparison_is_named(make_benchmark, make_run):
    rows = [("a b", {"task": "read"})] * 12 + [("[noise]", {"task": "told"})] * 3
    items = [{"options": [], "answer": due} | more for due, more in rows]
    folder = make_benchmark(items, card=card(read="speech", told="speech"), clips=False)
    said = {f"item-{n:05}": "a b" if n % 3 else "a x" for n in range(15)}
    found = compare(make_run(folder, said), make_run(folder, dict.fromkeys(said, "a b")), measure="wer")
    assert set(found.tasks) == {"read"}
    assert "tasks without a row, as they have no value in one run or are a single cluster: told" in found.warnings


def test_a_score_of_one_cluster_says_so_whatever_its_scale(measured, make_benchmark, make_run, cli):
    found, _ = measured([("a b", "a x", {"group": "one"})] * 4, "wer")
    assert (found.interval, found.notes) == (None, (ONE_CLUSTER,))
    labels = '[benchmark]\nname = "made"\n[[task]]\nname = "mood"\nkind = "label"\n'
    items = [{"options": [], "answer": answer, "task": "mood", "group": "one"} for answer in ("sad", "glad")]
    folder = make_benchmark(items, card=labels, clips=False)
    a, b = (make_run(folder, {"item-00000": "sad", "item-00001": said}) for said in ("glad", "sad"))
    assert f"Note: {ONE_CLUSTER}." in " ".join(cli("score", a).out.split())
    assert ONE_CLUSTER in compare(a, b).warnings


def test_runs_of_one_cluster_are_told_that_nothing_can_be_told(make_benchmark, make_run):
    items = [{"options": [], "answer": "a b", "task": "read", "group": "one"} for _ in range(4)]
    folder = make_benchmark(items, card=card(read=""), clips=False)
    runs = [make_run(folder, {f"item-{n:05}": text for n in range(4)}) for text in ("a b", "a x")]
    with pytest.raises(UsageError, match=r"nothing can be told of the difference of .* by wer: .* a single cluster"):
        compare(*runs, measure="wer")


def test_what_rests_on_a_few_clips_says_so(measured):
    rows = [("a b c d e f g h", "a b c d e f g h")] * 60 + [("a b", "so " * 200)] * 2 + [("a b c", "a b x")] * 4
    found, _ = measured(rows, "wer")
    assert found.rests_on == found.tasks["read"].rests_on == 2
    assert "read rests on 2 clips, which hold half of the errors" in found.notes
    even, _ = measured([("a b c", "a b x")] * 40, "wer")
    assert (even.rests_on, even.notes) == (None, ())


@pytest.mark.parametrize(("n", "said"), [(10, False), (11, True)])
def test_of_few_clips_everybody_sees_on_which_an_error_rate_rests(measured, n, said):
    found, _ = measured([("a b c d", "x")] + [("a b", "a b")] * (n - 1), "wer")
    assert (found.rests_on, found.n_clusters) == (1, n)
    assert ("read rests on 1 clip, which holds half of the errors" in found.notes) is said
