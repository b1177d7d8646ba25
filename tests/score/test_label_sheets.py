"""Tasks of labels on the sheet: macro F1, balanced accuracy and accuracy, held to scikit-learn, and their bad input."""

import itertools
import json
import tracemalloc

import msgspec
import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score, recall_score

from audiometry import stats
from audiometry.records import Item, State
from audiometry.score import score
from audiometry.score.classes import class_read, right_class
from audiometry.score.difference import Pairing, compare
from audiometry.score.filling import fill
from audiometry.score.measures import MEASURES
from audiometry.score.opened import open_run
from audiometry.score.profiles import PROFILES
from audiometry.score.readers import Outcome
from audiometry.score.rows import rows
from audiometry.score.table import Table

FAILURE = {"error": {"kind": "timeout", "message": "no reply within 1 s"}}
EMOTIONS = ["angry", "happy", "sad", "neutral"]
CARD = """
[benchmark]
name = "made"
[[task]]
name = "emotion"
kind = "label"
labels = ["angry", "happy", "sad", "neutral", "bored"]
[task.synonyms]
angry = ["furious"]
[[task]]
name = "language"
kind = "label"
labels = ["English", "German", "French"]
"""


def made(make_benchmark, make_run, tasks, card=CARD, seed=0, variants=("plain",), **more):
    """A run over (task, answer, reply) triples; a reply None is missing."""
    items = [
        {"task": task, "question": "Which one?", "options": [], "answer": answer, "group": f"g{k // 2}"}
        for k, (task, answer, _) in enumerate(tasks)
    ]
    folder = make_benchmark(items, card=card, clips=False)
    replies = {
        (f"item-{k:05}", variant): reply
        for k, (_, _, reply) in enumerate(tasks)
        for variant in variants
        if reply is not None
    }
    return open_run(make_run(folder, replies, variants=variants, seed=seed, **more))


def sheet_of(run, measure="macro-f1"):
    return fill(run, PROFILES.named("strict"), MEASURES.named(measure))


def drawn(n, labels, seed, right=0.6, others=()):
    """Gold labels and replies: right, another label, or something that is none."""
    rng = np.random.default_rng(seed)
    gold = [str(one) for one in rng.choice(labels, n, p=np.arange(1, len(labels) + 1) / sum(range(len(labels) + 1)))]
    pool = [*labels, *others, "no idea"]
    return [(one, one if rng.random() < right else str(rng.choice(pool))) for one in gold]


def oracle(pairs):
    gold = [one for one, _ in pairs]
    read = [reply if reply != "no idea" else "(none)" for _, reply in pairs]
    labels = sorted(set(gold))
    return f1_score(gold, read, labels=labels, average="macro", zero_division=0)


def test_macro_f1_of_tasks_and_headline_is_scikit_learns(make_benchmark, make_run):
    """Also with a label that never is right ("bored"): who was given it belongs to none of the classes."""
    emotion = drawn(61, EMOTIONS, 1, others=["bored"])
    language = drawn(30, ["English", "German"], 2, right=0.4, others=["French"])
    run = made(make_benchmark, make_run, [("emotion", *p) for p in emotion] + [("language", *p) for p in language])
    found = rows(sheet_of(run))
    by_task = {"emotion": oracle(emotion), "language": oracle(language)}
    assert {name: row.value for name, row in found.tasks.items()} == pytest.approx(by_task)
    assert found.value == pytest.approx(np.mean(list(by_task.values())))
    assert found.interval[0] < found.value < found.interval[1]
    assert (found.measure, found.direction, found.range, found.kinds) == ("macro-f1", "up", (0.0, 1.0), ("label",))
    assert found.tasks["emotion"].chance is None  # what guessing gives hangs on how often each class is right
    assert rows(sheet_of(run, "accuracy")).tasks["emotion"].chance == pytest.approx(1 / 5)
    assert found.tasks["emotion"].n_unanswered == sum(reply == "no idea" for _, reply in emotion)
    over = [pair for pair in emotion if pair[1] != "no idea"]
    assert found.tasks["emotion"].over_answered == pytest.approx(oracle(over))


def test_classes_of_which_no_reply_was_answered_stay_in_the_value_over_the_answered(make_benchmark, make_run):
    pairs = [("angry", "no idea")] * 3 + [("sad", "sad")] * 4 + [("sad", "no idea")]
    run = made(make_benchmark, make_run, [("emotion", *pair) for pair in pairs])
    over = [pair for pair in pairs if pair[1] != "no idea"]
    kept = f1_score(*zip(*over, strict=True), labels=["angry", "sad"], average="macro", zero_division=0)
    assert rows(sheet_of(run)).over_answered == kept == 0.5
    assert rows(sheet_of(run, "balanced-accuracy")).over_answered == 0.5
    assert rows(sheet_of(run, "accuracy")).over_answered == 1


def test_balanced_accuracy_and_accuracy(make_benchmark, make_run):
    pairs = drawn(61, EMOTIONS, 3, others=["bored"])
    run = made(make_benchmark, make_run, [("emotion", *pair) for pair in pairs])
    gold, read = zip(*pairs, strict=True)
    with pytest.warns(UserWarning, match="y_pred contains classes not in y_true"):
        wanted = balanced_accuracy_score(gold, read)
    found = rows(sheet_of(run, "balanced-accuracy"))
    assert found.value == pytest.approx(wanted)
    assert found.interval[0] < found.value < found.interval[1]
    assert rows(sheet_of(run, "accuracy")).value == pytest.approx(np.mean([a == b for a, b in pairs]))


@pytest.mark.parametrize("seed", range(4))
def test_refused_unanswered_and_failed_replies_belong_to_no_class_as_scikit_learn_has_it(
    make_benchmark, make_run, seed
):
    """Beside labels that are never right; each is a miss of its own class and of no other."""
    declined = "I'm sorry, I cannot determine the speaker's emotion."
    pairs = drawn(80, EMOTIONS, seed, right=0.4, others=["bored", declined, declined])
    lost = dict.fromkeys(range(0, 80, 17), FAILURE)
    run = made(make_benchmark, make_run, [("emotion", gold, lost.get(k, said)) for k, (gold, said) in enumerate(pairs)])
    gold = [one for one, _ in pairs]
    read = [said if said in {*EMOTIONS, "bored"} and k not in lost else "(none)" for k, (_, said) in enumerate(pairs)]
    classes = sorted(set(gold))
    found = rows(sheet_of(run)).tasks["emotion"]
    assert found.n_refused == sum(said == declined and k not in lost for k, (_, said) in enumerate(pairs)) > 0
    assert found.value == pytest.approx(f1_score(gold, read, labels=classes, average="macro", zero_division=0))
    recall = recall_score(gold, read, labels=classes, average="macro", zero_division=0)
    assert rows(sheet_of(run, "balanced-accuracy")).value == pytest.approx(recall)


def test_a_pool_has_the_classes_of_all_its_tasks(make_benchmark, make_run):
    card = CARD.replace('name = "emotion"', 'name = "emotion"\npool = "all"').replace(
        'name = "language"', 'name = "language"\npool = "all"'
    )
    emotion, language = drawn(20, EMOTIONS, 4), drawn(31, ["English", "German"], 5)
    run = made(
        make_benchmark, make_run, [("emotion", *p) for p in emotion] + [("language", *p) for p in language], card=card
    )
    found = rows(sheet_of(run))
    assert found.value == pytest.approx(oracle(emotion + language))
    assert found.pools["all"].value == found.value


def test_in_a_pool_a_label_that_only_another_task_has_in_gold_is_a_class(make_benchmark, make_run):
    entries = "".join(
        f'[[task]]\nname = "{name}"\npool = "all"\nkind = "label"\nlabels = ["a sound", "a word"]\n' for name in "xy"
    )
    tasks = [("x", "a sound", "a word"), ("x", "a sound", "a sound"), ("y", "a word", "a word")]
    run = made(make_benchmark, make_run, tasks, card=f'[benchmark]\nname = "made"\n{entries}')
    assert rows(sheet_of(run)).value == pytest.approx(oracle([pair[1:] for pair in tasks]))


def test_a_slice_over_tasks_takes_the_classes_by_name(make_benchmark, make_run):
    """Tasks with other classes have other columns; where their items are summed up together, equal names are one."""
    emotion, language = drawn(24, EMOTIONS, 6), drawn(24, ["English", "German"], 7)
    run = made(make_benchmark, make_run, [("emotion", *p) for p in emotion] + [("language", *p) for p in language])
    sheet = sheet_of(run)
    assert sheet.different is not None
    assert sheet.columns.widest == 3 * len(EMOTIONS)
    some = np.arange(48) % 3 == 0
    wanted = oracle([(emotion + language)[k] for k in np.flatnonzero(some)])
    assert Table(sheet).row(some).value == pytest.approx(wanted)


def test_classes_that_do_not_occur_among_some_items_are_in_no_mean_over_them(make_benchmark, make_run):
    pairs = [("sad", "sad"), ("sad", "happy"), ("angry", "angry"), ("angry", "sad"), ("angry", "angry")]
    pairs += [("happy", "sad"), ("happy", "happy")]
    run = made(make_benchmark, make_run, [("emotion", *pair) for pair in pairs])
    some, none = np.arange(7) < 5, np.zeros(7, np.bool_)
    for measure, wanted in (("macro-f1", oracle(pairs[:5])), ("balanced-accuracy", (1 / 2 + 2 / 3) / 2)):
        table = Table(sheet_of(run, measure))
        assert table.row(some).value == pytest.approx(wanted)
        assert table.row(none).value is None


def test_classes_of_two_tasks_are_told_apart_however_few_they_are(make_benchmark, make_run):
    emotion, language = drawn(24, EMOTIONS[:2], 6), drawn(24, ["English", "German"], 7, right=0.9)
    run = made(make_benchmark, make_run, [("emotion", *p) for p in emotion] + [("language", *p) for p in language])
    found = Table(sheet_of(run)).row(np.ones(48, np.bool_))
    assert found.value == pytest.approx(oracle(emotion + language))


@pytest.mark.parametrize("measure", ["macro-f1", "balanced-accuracy", "accuracy"])
@pytest.mark.parametrize(
    ("replies", "value"),
    [(["no idea"] * 6, 0.0), (["angry", "happy", "sad"] * 2, 1.0), (["I can't tell."] * 6, 0.0)],
)
def test_all_unanswered_and_all_right(make_benchmark, make_run, measure, replies, value):
    run = made(make_benchmark, make_run, [("emotion", EMOTIONS[k % 3], reply) for k, reply in enumerate(replies)])
    found = rows(sheet_of(run, measure))
    assert found.value == value
    assert 0 <= found.interval[0] <= value <= found.interval[1] <= 1
    assert found.interval[1] > found.interval[0]


def test_one_item_and_one_class(make_benchmark, make_run):
    one = rows(sheet_of(made(make_benchmark, make_run, [("emotion", "sad", "sad")])))
    assert (one.value, one.interval) == (1.0, (0.0, 1.0))
    same = rows(
        sheet_of(made(make_benchmark, make_run, [("emotion", "sad", "sad" if k else "angry") for k in range(9)]))
    )
    assert same.value == pytest.approx(2 * 8 / 17)


def test_bounds_hold_whatever_the_lost_replies_would_have_been(make_benchmark, make_run):
    rng = np.random.default_rng(8)
    pairs = drawn(40, EMOTIONS, 9)
    lost = rng.choice(40, 6, replace=False).tolist()
    known = [("emotion", gold, FAILURE if k in lost else reply) for k, (gold, reply) in enumerate(pairs)]
    for measure in ("macro-f1", "balanced-accuracy"):
        found = rows(sheet_of(made(make_benchmark, make_run, known), measure))
        low, high = found.bounds
        assert found.n_failed == 6
        assert not found.rankable
        tried = []
        for _ in range(100):
            filled = [
                (gold, str(rng.choice(EMOTIONS)) if k in lost else reply) for k, (gold, reply) in enumerate(pairs)
            ]
            gold, read = zip(*filled, strict=True)
            tried.append(oracle(filled) if measure == "macro-f1" else _recall(gold, read))
        assert low - 1e-9 <= min(tried) <= max(tried) <= high + 1e-9
        assert min(tried) - low < 0.05  # and is not much wider than what can be
        best = [(gold, gold if k in lost else reply) for k, (gold, reply) in enumerate(pairs)]
        assert high == pytest.approx(oracle(best) if measure == "macro-f1" else _recall(*zip(*best, strict=True)))


def _recall(gold, read):
    return np.mean([np.mean([r == g for g, r in zip(gold, read, strict=True) if g == one]) for one in set(gold)])


def test_parts_and_ends_of_macro_f1():
    measure = MEASURES.named("macro-f1")
    columns = measure.columns(None, ("a", "b"))
    assert len(columns) == 6
    item = Item(id="1", task="t", question="?", answer="a")
    outcomes = [Outcome(State.ANSWERED, "a"), Outcome(State.ANSWERED, "b"), Outcome(State.ANSWERED, "c")]
    outcomes += [Outcome(State.REFUSED, "a"), Outcome(State.FAILED)]
    parts = measure.parts([item] * 5, outcomes, columns).parts
    assert parts.tolist() == [[1, 1, 1, 0, 0, 0], [0, 1, 0, 0, 0, 1], *[[0, 1, 0, 0, 0, 0]] * 3]
    worst, best = measure.ends([item], columns)
    assert (worst.tolist(), best.tolist()) == ([[0, 1, 0, 0, 0, 1]], [[1, 1, 1, 0, 0, 0]])
    assert measure.value(parts.sum(axis=0)) == stats.f1.macro_f1(parts.sum(axis=0))
    without = msgspec.structs.replace(item, answer=None)
    for name in ("macro-f1", "balanced-accuracy"):
        measure = MEASURES.named(name)
        ends = measure.ends([without, item], measure.columns(None, ("a", "b")))
        assert [end.any(axis=1).tolist() for end in ends] == [[False, True]] * 2
    balanced = MEASURES.named("balanced-accuracy")
    items = [msgspec.structs.replace(item, answer=label) for label in "abc"]
    worst, best = balanced.ends(items, balanced.columns(None, ("a", "b", "c")))
    assert worst.tolist() == [[0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1]]
    assert best.tolist() == [[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1]]


@pytest.mark.parametrize("known", ["aa", "ab", "bb"])
@pytest.mark.parametrize("lost", ["a", "b", "ab", "aab"])
def test_the_lowest_macro_f1_of_what_is_lost_is_that_of_the_worst_that_can_be_read(known, lost):
    """Known items are right: one hit each, or two of one class; every label is tried in every lost place."""
    measure = MEASURES.named("macro-f1")
    columns = measure.columns(None, ("a", "b"))
    items = [Item(id="1", task="t", question="?", answer=label) for label in lost]
    came = [Item(id="1", task="t", question="?", answer=label) for label in known]
    right = measure.parts(came, [Outcome(State.ANSWERED, item.answer) for item in came], columns).parts.sum(axis=0)
    tried = [
        float(
            measure.value(
                right + measure.parts(items, [Outcome(State.ANSWERED, r) for r in read], columns).parts.sum(0)
            )
        )
        for read in itertools.product("ab", repeat=len(lost))
    ]
    found = float(measure.lowest(right[None], measure.ends(items, columns)[0].sum(axis=0)[None])[0])
    assert found <= min(tried) + 1e-12
    if lost in {"a", "b"} and known == "ab":
        assert found == pytest.approx(min(tried))


def test_choices_are_classes_by_their_letter_in_the_benchmarks_own_order(make_benchmark, make_run):
    """Whatever order they were shown in: options stand in another one under ``order-1``."""
    from audiometry.choices.variant import shown_options

    folder = make_benchmark([{"id": f"i{k}"} for k in range(12)], clips=False)
    opened = open_run(make_run(folder, {}, variants=("order-1",)))
    rng, replies, pairs = np.random.default_rng(1), {}, []
    for item in opened.benchmark:
        shown = shown_options(item, seed=0, variant="order-1")
        chosen = str(rng.choice(item.options))
        replies[item.id, "order-1"] = "ABCD"[shown.index(chosen)]
        pairs.append((item.options.index(item.answer), item.options.index(chosen)))
    found = rows(sheet_of(open_run(make_run(folder, replies, variants=("order-1",)))))
    assert found.value == pytest.approx(f1_score(*zip(*pairs, strict=True), average="macro", zero_division=0))
    assert found.kinds == ("choice",)


@pytest.mark.parametrize(
    ("options", "text", "name"),
    [
        (("dog", "cat", "cow"), "cat", "B"),
        (("cat", "cow"), "cat", "A"),
        (("a Dog", "a  cat"), "A CAT ", "B"),
        (("dog", "Dog", "cat"), "Dog", "B"),
        (("dog", "cat"), "bird", None),
        ((), "cat", "cat"),
        (("dog", "cat"), None, None),
        ((), None, None),
    ],
)
def test_the_class_of_a_choice_is_its_letter_whatever_its_words_and_of_a_label_itself(options, text, name):
    item = Item(id="1", task="t", question="?", options=options, answer=text)
    assert right_class(item) == name
    assert class_read(item, Outcome(State.ANSWERED, text)) == name
    assert class_read(item, Outcome(State.REFUSED, text)) is None


def test_labels_of_a_card_without_any_are_those_of_its_items(make_benchmark, make_run):
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "emotion"\nkind = "label"\n'
    tasks = [("emotion", "sad", "The speaker is sad."), ("emotion", "angry", "Anger"), ("emotion", "sad", "bored")]
    found = rows(sheet_of(made(make_benchmark, make_run, tasks, card=card), "accuracy"))
    assert (found.n_answered, found.n_unanswered, found.chance) == (2, 1, 0.5)


def test_two_runs_are_compared_by_macro_f1(make_benchmark, make_run):
    pairs = drawn(60, EMOTIONS, 11, right=0.9)
    worse = [(gold, "happy" if k % 2 else reply) for k, (gold, reply) in enumerate(pairs)]
    a = made(make_benchmark, make_run, [("emotion", *pair) for pair in pairs])
    b = open_run(make_run(a.benchmark.root, {f"item-{k:05}": reply for k, (_, reply) in enumerate(worse)}))
    found = compare(sheet_of(a), sheet_of(b))
    assert (found.score_a, found.score_b) == pytest.approx((oracle(pairs), oracle(worse)))
    assert found.p < 0.05
    assert found.interval[0] > 0
    assert found.tasks["emotion"].difference == found.difference
    assert compare(sheet_of(b), sheet_of(a)).difference == -found.difference


def test_an_order_with_the_same_replies_makes_no_difference(make_benchmark, make_run):
    pairs = drawn(40, EMOTIONS, 12)
    both = ("plain", "order-1")
    a = made(make_benchmark, make_run, [("emotion", *pair) for pair in pairs], variants=both)
    b = open_run(make_run(a.benchmark.root, {f"item-{k:05}": reply for k, (_, reply) in enumerate(pairs)}))
    for measure in ("macro-f1", "accuracy"):
        assert Pairing(sheet_of(a, measure), sheet_of(b, measure)).whole().difference == 0


@pytest.mark.parametrize("measure", ["macro-f1", "balanced-accuracy", "accuracy"])
def test_classes_of_replies_that_one_run_was_not_asked_count_in_neither(make_benchmark, make_run, measure):
    pairs, orders = drawn(40, EMOTIONS, 13, right=0.8), ("plain", "order-1")
    a = made(make_benchmark, make_run, [("emotion", *pair) for pair in pairs], variants=orders)
    replies = {(f"item-{k:05}", "plain"): reply for k, (_, reply) in enumerate(pairs)}
    later = {(f"item-{k:05}", "order-1"): "sad" for k in range(40)}
    every, begun = replies | later, replies | dict(list(later.items())[:7])
    runs = [open_run(make_run(a.benchmark.root, one, variants=orders)) for one in (every, begun)]
    found = compare(*(sheet_of(run, measure) for run in runs))
    assert (found.difference, found.p, found.n_items) == (0, 1, 40)


def test_runs_of_different_variants_are_compared_by_their_own_scores(make_benchmark, make_run):
    """Where one was asked in several orders, its value is the mean over them, as its score's is: no number has two."""
    gold = ["angry"] * 30 + ["happy"] * 12 + ["sad"] * 6
    source = np.random.default_rng(4)

    def run(variants, replies):
        lost = {(f"item-{k:05}", variants[-1]): FAILURE for k in range(44, 48)} if len(variants) > 1 else {}
        folder = make_benchmark(
            [{"task": "emotion", "question": "Which?", "options": [], "answer": one} for one in gold],
            card=CARD.split('[[task]]\nname = "language"', maxsplit=1)[0],
            clips=False,
        )
        said = {(f"item-{k:05}", v): str(source.choice(replies)) for k in range(48) for v in variants}
        return open_run(make_run(folder, said | lost, variants=variants))

    a, b = run(("plain", "order-1", "order-2"), ["angry", "angry", "happy", "sad"]), run(("plain",), ["angry", "happy"])
    c = run(("plain", "order-1"), ["angry", "sad"])
    for measure in ("macro-f1", "accuracy", "balanced-accuracy"):
        sheets = [sheet_of(one, measure) for one in (a, b, c)]
        values = [Table(sheet).whole().value for sheet in sheets]
        for first, second in ((0, 1), (1, 0), (0, 2)):
            found = compare(sheets[first], sheets[second])
            assert (found.score_a, found.score_b) == pytest.approx((values[first], values[second]))
            assert found.difference == pytest.approx(values[first] - values[second])
            assert found.interval[0] <= found.difference <= found.interval[1]


def test_variants_are_averaged_over_those_that_count_where_tasks_have_other_classes(make_benchmark, make_run):
    """A variant is worth what it is over the replies that it has; one without any in a task takes no part there."""
    emotion, language = drawn(30, EMOTIONS, 21), drawn(20, ["English", "German"], 22, right=0.4)
    again = [(gold, reply) for (gold, _), (_, reply) in zip(emotion, drawn(30, EMOTIONS, 23)[::-1], strict=True)]
    tasks = [("emotion", *pair) for pair in emotion] + [("language", *pair) for pair in language]
    plain = made(make_benchmark, make_run, tasks)
    replies = {(f"item-{k:05}", "plain"): reply for k, (_, _, reply) in enumerate(tasks)}
    later = {(f"item-{k:05}", "order-1"): reply for k, (_, reply) in enumerate(again) if k >= 10}
    both = open_run(make_run(plain.benchmark.root, replies | later, variants=("plain", "order-1")))
    sheet = sheet_of(both)
    assert sheet.different is not None
    found = Pairing(sheet, sheet_of(plain)).tasks()
    assert found["emotion"].score_a == pytest.approx((oracle(emotion) + oracle(again[10:])) / 2)
    assert found["emotion"].score_b == pytest.approx(oracle(emotion))
    assert found["language"].score_a == found["language"].score_b == pytest.approx(oracle(language))


@pytest.mark.slow
def test_many_classes_of_many_items_are_kept_small(make_benchmark, make_run):
    """60 classes: 180 columns for each of the items would be 1,440 bytes an item."""
    n, labels = 3_000, [f"intent {k}" for k in range(60)]
    card = f'[benchmark]\nname = "made"\n[[task]]\nname = "intent"\nkind = "label"\nlabels = {labels}\n'
    rng = np.random.default_rng(0)
    gold = rng.choice(labels, n).tolist()
    read = [one if rng.random() < 0.7 else str(rng.choice(labels)) for one in gold]
    tasks = [("intent", *pair) for pair in zip(gold, read, strict=True)]
    run = made(make_benchmark, make_run, tasks, card=card)
    sheet_of(run)
    tracemalloc.start()
    sheet = sheet_of(run)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert sheet.parts.nbytes == 4 * n
    assert sheet.different.shape[0] <= len(set(zip(gold, read, strict=True))) + 1
    assert kept < n * 1_440
    assert rows(sheet).value == pytest.approx(oracle(list(zip(gold, read, strict=True))))


def test_ten_times_the_labels_take_no_more_than_ten_times_the_memory(make_benchmark, make_run):
    """Numbers that are kept are counted, as calls hide what one call makes: a matrix of all labels was 64 MB here."""
    used = []
    for n in (400, 4000):
        labels = [f"label number {k}" for k in range(n)]
        card = f'[benchmark]\nname = "made"\n[[task]]\nname = "t"\nkind = "label"\nlabels = {json.dumps(labels)}\n'
        said = [("t", labels[-1], labels[0]), ("t", labels[5], labels[5]), ("t", labels[7], "no idea")]
        run = made(make_benchmark, make_run, said, card)
        tracemalloc.start()
        found = score(run, store=False).scores["macro-f1"]
        used.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert used[1] < 12 * used[0]
    one = found.extras.confusion["t"]
    assert (len(one.labels), len(one.counts), one.n_others) == (100, 100, 0)
    at = one.labels.index
    assert one.counts[at(labels[-1])][at(labels[0])] == one.counts[at(labels[5])][at(labels[5])] == 1
    assert sum(map(sum, one.counts)) == 2
    assert one.without_label[at(labels[7])] == 1


def test_of_very_many_labels_those_that_are_mistaken_are_shown_and_the_others_counted(make_benchmark, make_run):
    labels = [f"label number {k}" for k in range(150)]
    card = f'[benchmark]\nname = "made"\n[[task]]\nname = "t"\nkind = "label"\nlabels = {json.dumps(labels)}\n'
    said = [("t", label, label) for label in labels] + [("t", labels[149], labels[148])] * 2
    one = score(made(make_benchmark, make_run, said, card), store=False).scores["macro-f1"].extras.confusion["t"]
    assert one.labels == (*labels[:98], *labels[148:])
    assert one.counts[99] == (*[0] * 98, 2, 1)
    assert (sum(map(sum, one.counts)), one.n_others) == (102, 50)


def test_labels_have_a_place_whatever_their_number(make_benchmark, make_run):
    labels = [f"label number {k}" for k in range(40_000)]
    card = f'[benchmark]\nname = "made"\n[[task]]\nname = "t"\nkind = "label"\nlabels = {json.dumps(labels)}\n'
    said = [("t", labels[-1], labels[-1]), ("t", labels[33_000], labels[39_000]), ("t", labels[1], labels[1])]
    found = score(made(make_benchmark, make_run, said, card), store=False).scores["macro-f1"]
    assert found.value == pytest.approx(2 / 3)
    of = found.extras.confusion["t"]
    assert {(of.labels[row], of.labels[at]) for row, at in zip(*np.nonzero(of.counts), strict=True)} == {
        (right, read) for _, right, read in said
    }
