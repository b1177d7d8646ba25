"""What a score is made of, held to numpy on the replies themselves, and how firm places are."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binomtest

from audiometry.analysis.variance import variance
from audiometry.analysis.variance.influence import Leaf, Sums, held_of
from audiometry.choices.variant import asked_names
from audiometry.errors import UsageError
from audiometry.render.document import Chart, Folded
from audiometry.render.files import tables
from audiometry.report import html
from audiometry.stats.crossed import components
from audiometry.stats.multiplicity import holm
from audiometry.stats.parts import ratio

OPTIONS = ["dog", "cat", "cow", "hen"]
CHOICES = (
    '[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\n'
    'wordings = ["{question}", "Listen. {question}", "So? {question}"]\n'
)
LABELS = (
    '[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\nkind = "label"\nlabels = ["dog", "cat"]\n'
    'wordings = ["Dog or cat?", "Cat or dog?", "Which?"]\n'
)


def drawn(seed, shape, by_item, by_wording):
    """Right or wrong by item, wording, order and repeat, some items and wordings being easier."""
    rng = np.random.default_rng(seed)
    chance = np.clip(
        0.6 + rng.normal(0, by_item, shape[0])[:, None, None, None] + np.array(by_wording)[:, None, None], 0, 1
    )
    return rng.random(shape) < chance


def replies(right, answer, wrong):
    """Replies by item and variant, right where that is said; they name options, so that letters do not matter."""
    n, wordings, orders, repeats = right.shape
    names = iter(asked_names(orders, wordings, repeats))
    out = {}
    for repeat in range(repeats):
        for wording in range(wordings):
            for order in range(orders):
                name = next(names)
                for item in range(n):
                    out[f"item-{item:05}", name] = answer(item) if right[item, wording, order, repeat] else wrong(item)
    return out


@pytest.fixture
def run_of(make_benchmark, make_run):
    """A run of choices with these replies right."""
    folders = {}

    def make(right, **more):
        n, wordings, orders, repeats = right.shape
        folder = folders.setdefault(n, make_benchmark(n, card=CHOICES))
        said = replies(right, lambda item: OPTIONS[item % 4], lambda item: OPTIONS[(item + 1) % 4])
        return make_run(folder, said, variants=asked_names(orders, wordings, repeats), **more)

    return make


def test_of_choices_the_parts_are_those_of_the_replies_themselves(run_of):
    right = drawn(1, (24, 3, 2, 2), 0.3, [0.2, 0.0, -0.2])
    (found,) = variance([run_of(right)]).splits
    expected = components(right.astype(float), ("item", "wording", "order"))
    assert (found.wordings, found.orders, found.repeats, found.n_items) == (3, 2, 2, 24)
    assert found.value == pytest.approx(right.mean())
    assert found.error == pytest.approx(np.sqrt(sum(one.of_mean for one in expected)), rel=1e-5)
    for ours, theirs in zip(found.sources, expected, strict=True):
        assert ours.factors == theirs.factors
        assert ours.variance == pytest.approx(theirs.variance, abs=1e-5)
    assert sum(one.share for one in found.sources) == pytest.approx(1)
    np.testing.assert_allclose(found.cells, right.mean(axis=(0, 3)))
    assert [one.value for one in found.by_wording] == pytest.approx(right.mean(axis=(0, 2, 3)).tolist())
    assert [one.value for one in found.by_order] == pytest.approx(right.mean(axis=(0, 1, 3)).tolist())
    assert (found.wording.best, found.wording.worst) == (1, 3)
    assert found.wording.difference == pytest.approx(found.by_wording[0].value - found.by_wording[2].value)
    assert found.wording.interval[0] < found.wording.difference < found.wording.interval[1]
    assert found.wording.n_pairs == 3


def test_consistency_counts_items_that_are_right_in_every_way(run_of):
    right = drawn(2, (20, 3, 2, 1), 0.4, [0, 0, 0])
    right[:5] = True
    right[5:7] = False
    (found,) = variance([run_of(right)]).splits
    flat = right.reshape(20, -1)
    assert found.consistency.always == pytest.approx(flat.all(axis=1).mean())
    assert found.consistency.never == pytest.approx((~flat).all(axis=1).mean())
    pairs = [np.mean([row[a] == row[b] for a in range(6) for b in range(a)]) for row in flat]
    assert found.consistency.agree == pytest.approx(np.mean(pairs))


def test_a_wording_that_is_worse_is_told_and_one_that_is_not_is_not(run_of):
    apart = drawn(3, (60, 3, 1, 1), 0.2, [0.3, 0.3, -0.4])
    alike = drawn(4, (60, 3, 1, 1), 0.2, [0, 0, 0])
    told, untold = (variance([run_of(right)]).splits[0].wording for right in (apart, alike))
    assert told.worst == 3
    assert told.p < 0.01
    assert untold.p > 0.05


def test_of_labels_orders_are_repeats_and_macro_f1_is_split(make_benchmark, make_run):
    right = drawn(5, (30, 2, 2, 1), 0.2, [0.2, -0.2])
    items = [{"answer": "dog" if n % 2 else "cat", "options": []} for n in range(30)]
    folder = make_benchmark(items, card=LABELS)
    said = replies(right, lambda n: "dog" if n % 2 else "cat", lambda n: "cat" if n % 2 else "dog")
    (found,) = variance([make_run(folder, said, variants=asked_names(2, 2, 1))]).splits
    assert (found.name, found.wordings, found.orders, found.repeats) == ("macro-f1", 2, 1, 2)
    assert [one.factors for one in found.sources] == [("item",), ("wording",), ("item", "wording"), ()]
    assert not found.by_order
    f1 = []
    for wording in range(2):
        for order in range(2):
            hit = right[:, wording, order, 0]
            dog = np.arange(30) % 2 == 1
            each = []
            for mine in (dog, ~dog):
                true, false, missed = (mine & hit).sum(), (~mine & ~hit).sum(), (mine & ~hit).sum()
                each.append(2 * true / (2 * true + false + missed))
            f1.append(np.mean(each))
    assert found.value == pytest.approx(np.mean(f1))
    assert found.words == {"sounds": ("Dog or cat?", "Cat or dog?")}
    assert found.unordered == 30


def test_orders_that_are_drawn_item_by_item_are_no_source_of_their_own(make_benchmark, make_run, cli):
    """Of a model that orders do nothing to, the scores in three orders differ all the same."""
    orders = []
    for seed in range(4):
        right = drawn(40 + seed, (60, 1, 3, 1), 0.2, [0.0])
        splits = []
        for own in ("", "[data.columns]\ndrawn = true\n"):
            folder = make_benchmark([{"answer": "dog"}] * 60, card=f"{CHOICES}{own}")
            run = make_run(folder, replies(right, lambda _: "dog", lambda _: "cat"), variants=asked_names(3))
            splits += variance([run]).splits
        other, one = splits
        assert one.drawn > other.drawn
        assert [source.factors for source in one.sources] == [("item",), ()]
        assert (one.orders, one.by_order, one.value) == (3, other.by_order, other.value)  # shown all the same
        orders += [source.share for source in other.sources if source.factors == ("order",)]
    assert max(orders) > 0.1  # what such a benchmark would be said to have
    told = " ".join(cli("variance", run).out.split())
    assert "Each item's orders are drawn, so that orders have nothing in common: they count as repeats." in told
    assert "orders of an item, and chance" in told
    assert "orders of options" not in told


@pytest.mark.parametrize(("n_labels", "orders", "repeats"), [(24, 1, 4), (8, 2, 2), (0, 2, 2)])
def test_orders_count_as_repeats_where_most_items_of_a_score_have_no_options(
    make_benchmark, make_run, cli, n_labels, orders, repeats
):
    more = LABELS.partition("[[task]]")[2].replace("sounds", "labels")
    rows = [
        {"task": "labels", "answer": "dog" if n % 2 else "cat", "options": []} if n < n_labels else {"answer": "dog"}
        for n in range(32)
    ]
    folder = make_benchmark(rows, card=f"{CHOICES}[[task]]{more}")
    right = drawn(31, (32, 1, 2, 2), 0.2, [0.0])
    said = replies(right, lambda n: rows[n]["answer"], lambda n: "dog" if rows[n]["answer"] == "cat" else "cat")
    run = make_run(folder, said, variants=asked_names(2, 1, 2))
    (found,) = variance([run], measure="accuracy").splits
    assert (found.orders, found.repeats, found.unordered) == (orders, repeats, n_labels)
    assert bool(found.by_order) == (("order",) in [one.factors for one in found.sources]) == (orders == 2)
    told = " ".join(cli("variance", run, "--metric", "accuracy").out.split())
    assert (f"{n_labels} of them have no options: further orders are repeats" in told) == bool(n_labels)
    assert ("those of the few others count as such" in told) == (orders == 1)


def test_places_of_runs_far_apart_are_firm_and_of_runs_alike_are_not(run_of):
    shape = (80, 3, 1, 1)
    best, good, twin = (drawn(seed, shape, 0.1, [up] * 3) for seed, up in ((6, 0.35), (7, -0.2), (8, -0.2)))
    runs = [run_of(right, model=f"made/{name}") for right, name in ((good, "good"), (best, "best"), (twin, "twin"))]
    found = variance(runs).places["strict"]
    assert found.runs[0].model == "made/best"
    first, second, third = found.runs
    assert (first.rank, first.ranks, first.keeps["items"]) == (1, (1, 1), 1.0)
    assert min(first.first, *first.keeps.values()) > 0.98  # t of three wordings is wide
    assert second.keeps["both"] < 0.95
    assert third.ranks[0] == 2
    assert found.wordings == 3


def test_few_wordings_tell_less_of_places_than_many(run_of):
    better, worse = (drawn(seed, (60, 3, 1, 1), 0.1, [up] * 3) for seed, up in ((31, 0.1), (32, -0.1)))
    same = [
        np.tile(right[:, :1], (1, 3, 1, 1)) for right in (better, worse)
    ]  # wordings do nothing, and nor does chance
    apart = [np.concatenate((right[:, :1], right[:, :1], other[:, :1]), axis=1) for right, other in (same, same[::-1])]
    sure, unsure = (variance([run_of(right) for right in runs]).places["strict"].runs[0] for runs in (same, apart))
    assert sure.keeps["both"] == pytest.approx(sure.keeps["items"], abs=0.02)
    assert sure.keeps["wordings"] == 1
    assert unsure.keeps["wordings"] < 0.8  # ahead in two of three


@pytest.mark.parametrize(("n", "keeps"), [(1, 0.84), (4, 0.97)])
def test_clips_that_alone_tell_two_runs_apart_are_no_firm_place(run_of, n, keeps):
    right = np.ones((50, 1, 1, 1), bool)
    other = right.copy()
    other[:n] = False
    place = variance([run_of(right), run_of(other)]).places["strict"].runs[0]
    assert place.keeps["items"] == pytest.approx(keeps, abs=0.02)


def test_of_fewer_than_six_clips_there_are_no_places(run_of):
    right = drawn(9, (5, 2, 1, 1), 0.2, [0.4, -0.4])
    found = variance([run_of(right), run_of(right)])
    assert not found.places
    assert "strict: too few clips to tell how firm places are: 5 where 6 are the fewest that can" in found.warnings


def test_equal_runs_share_a_place_and_draws_are_the_same_each_time(run_of):
    right = drawn(9, (30, 2, 1, 1), 0.2, [0.1, -0.1])
    runs = [run_of(right), run_of(right)]
    first, again = variance(runs, seed=3), variance(runs, seed=3)
    assert [one.rank for one in first.places["strict"].runs] == [1, 1]
    assert first.places["strict"].runs[0].keeps == {"items": 1.0, "wordings": 1.0, "both": 1.0}
    assert variance([run_of(right[:, :1]), run_of(right[:, :1])]).places["strict"].runs[0].keeps == {"items": 1.0}
    assert first == again


def test_a_run_that_was_asked_one_way_has_nothing_to_split(run_of):
    with pytest.raises(UsageError, match="asked one way only, so there is nothing to split"):
        variance([run_of(drawn(1, (8, 1, 1, 1), 0.1, [0]))])


def test_orders_and_wordings_that_are_not_crossed_are_refused(make_benchmark, make_run):
    folder = make_benchmark(4, card=CHOICES)
    names = ("plain", "order-1", "wording-1")
    said = {(f"item-{n:05}", name): OPTIONS[n % 4] for n in range(4) for name in names}
    with pytest.raises(UsageError, match="not every order was asked in every wording"):
        variance([make_run(folder, said, variants=names)])


def test_only_items_that_were_asked_in_every_way_count(run_of):
    right = drawn(10, (12, 2, 1, 1), 0.2, [0, 0])
    path = run_of(right)
    lines = [json.loads(line) for line in (path / "replies.jsonl").read_text().splitlines()]
    kept = [one for one in lines if (one["item"], one["variant"]) != ("item-00003", "wording-1")]
    (path / "replies.jsonl").write_text("".join(json.dumps(one) + "\n" for one in kept))
    (found,) = variance([path]).splits
    assert found.n_items == 11
    assert found.value == pytest.approx(np.delete(right, 3, axis=0).mean())


def test_the_command_says_it_in_text_and_in_json(run_of, cli, tmp_path):
    path = run_of(drawn(1, (24, 3, 2, 2), 0.3, [0.2, 0.0, -0.2]))
    said = cli("variance", path, "--tables", tmp_path / "t", "--figures", tmp_path / "f")
    assert "What the share correct is made of" in said.out
    assert "The best wording, 1, and the worst, 3" in said.out
    assert {path.stem for path in (tmp_path / "t").glob("*.csv")} >= {"variance-sources", "variance-ways"}
    figure = (tmp_path / "f" / "variance-ways.svg").read_text()
    for words in ("made/by-hand on made", "24 items", "wording"):
        assert words in figure.replace("\u00a0", " "), words
    found = cli("variance", path, "--json").json
    assert found["splits"][0]["sources"][0]["factors"] == ["item"]


def failed(path, n):
    """The same run with its first replies lost."""
    lines = [json.loads(line) for line in (path / "replies.jsonl").read_text().splitlines()]
    for one in lines[:n]:
        one.pop("text", None)
        one["error"] = {"kind": "timeout", "message": "late"}
    (path / "replies.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


def test_a_run_of_which_more_than_one_percent_failed_has_no_place(run_of, cli):
    right = [drawn(seed, (100, 2, 1, 1), 0.2, [0.1, -0.1]) for seed in (11, 12, 13)]
    runs = [run_of(each, model=f"made/{n}") for n, each in enumerate(right)]
    assert len(variance([failed(runs[0], 2), *runs[1:]]).places["strict"].runs) == 3
    places = variance([failed(runs[0], 3), *runs[1:]]).places["strict"]
    assert [one.model for one in places.runs] in (["made/1", "made/2"], ["made/2", "made/1"])
    assert places.unplaced == (str(runs[0]),)
    assert "made/0 has no place: more than 1 % of its replies failed" in " ".join(cli("variance", *runs).out.split())
    assert "strict" not in variance([runs[0], runs[1]]).places


def test_places_by_what_all_runs_were_asked_say_which_run_was_asked_less(run_of, cli):
    right = [drawn(seed, (40, 3, 1, 1), 0.2, [0.2, 0, -0.2]) for seed in (21, 22, 23)]
    full = [run_of(each, model=f"made/full{n}") for n, each in enumerate(right[:2])]
    plain = run_of(right[2][:, :1], model="made/plain")
    alike, found = (variance(runs).places["strict"] for runs in (full, [*full, plain]))
    assert (alike.cut, alike.wordings) == ((), 3)
    assert (set(found.cut), found.wordings, found.n_items) == ({*map(str, full)}, 1, 40)
    assert found == variance([plain, *full]).places["strict"]
    assert len(found.signatures) == 1
    assert found.signatures[0].endswith("+wordings-1+orders-1+repeats-1+common-items-40")
    assert "wordings-3" in alike.signatures[0]
    assert "wordings-3" not in found.signatures[0]
    assert {one.model: one.value for one in found.runs}["made/full0"] == pytest.approx(right[0][:, 0].mean())
    said = " ".join(cli("variance", *full, plain).out.split())
    assert "made/plain was not asked all that others were" in said
    assert "by what all runs were asked, 40 items in 1 wording." in said
    assert "not asked all" not in " ".join(cli("variance", *full).out.split())
    late = variance([*full, failed(plain, 3)]).places["strict"]  # has no place, and takes nothing from the others
    assert (late.cut, late.wordings, late.unplaced) == ((), 3, (str(plain),))


def test_captions_name_the_run_where_there_are_several(run_of, cli, tmp_path):
    right = drawn(1, (24, 2, 2, 1), 0.3, [0.2, -0.2])
    runs = [run_of(right, model=f"made/{name}") for name in ("one", "two")]
    cli("variance", *runs, "--figures", tmp_path / "f")
    names = {path.name for path in (tmp_path / "f").glob("*.svg")}
    assert names >= {"variance-ways-made-one.svg", "variance-ways-made-two.svg", "variance-sources-made-one.svg"}
    for path in (tmp_path / "f").glob("variance-*.svg"):
        text = path.read_text()
        assert f"made/{path.stem.rpartition('-')[2]}" in text
        assert "on made" in text
        assert "n\u00a0=\u00a024\u00a0items" in text.replace("24 items", "24\u00a0items")


def test_the_page_shows_the_spread_and_folds_up_what_the_score_is_made_of(run_of, cli, tmp_path):
    right = drawn(1, (24, 3, 2, 1), 0.3, [0.2, 0.0, -0.2])
    runs = [run_of(right, model=f"made/{name}") for name in ("one", "two")]
    shown = []
    html.write(runs[:1], tmp_path / "one.html", also=shown.extend)
    (section,) = (one for one in shown if getattr(one, "id", "") == "wordings")
    inner = section.blocks[1]
    chart = next(one for one in inner.blocks if isinstance(one, Chart))
    (split,) = variance(runs[:1]).splits
    cells = {(mark.y, mark.series): mark.x for mark in chart.figure.marks}
    for wording, row in enumerate(split.cells):
        assert cells[wording, 0] == pytest.approx(split.by_wording[wording].value)
        for order, value in enumerate(row, 1):
            assert cells[wording, order] == pytest.approx(value)
    assert chart.figure.reference == pytest.approx(split.value)
    folded = [one for one in inner.blocks if isinstance(one, Folded)]
    assert [one.title for one in folded] == ["What the score is made of"]
    assert {one.id for one in tables(folded)} == {"variance-sources"}
    assert not any(getattr(one, "id", "") == "places" for one in shown)
    shown.clear()
    html.write(runs, tmp_path / "two.html", also=shown.extend)
    (places,) = (one for one in shown if getattr(one, "id", "") == "places")
    figure = next(one for one in places.blocks if isinstance(one, Chart)).figure
    found = variance(runs).places["strict"].runs
    assert [(mark.x, mark.interval) for mark in figure.marks] == [(one.rank, one.ranks) for one in found]
    assert {one.id for one in tables(shown)} >= {"variance-ways-made-one", "variance-ways-made-two", "places"}
    (words,) = (
        one for one in next(s for s in shown if getattr(s, "id", "") == "wordings").blocks if isinstance(one, Folded)
    )
    assert len(words.blocks) == 3  # once, whatever the number of runs


def of_tasks(right, sizes):
    """Sums of items that are right or not, in tasks of so many items, of which the score is the mean."""
    flat = right.reshape(len(right), -1).astype(float)
    sums, ends = np.stack((flat, np.ones_like(flat)), axis=-1), np.cumsum(sizes)
    leaves = tuple(
        Leaf(1 / len(sizes), np.arange(end - n, end), np.full(n, 1 / n), np.full(n, 1 / n), sums[end - n : end])
        for n, end in zip(sizes, ends, strict=True)
    )
    sheet = SimpleNamespace(measure=SimpleNamespace(value=ratio), variants=range(flat.shape[1]))
    return Sums(sheet, leaves, len(right))


@pytest.mark.parametrize("sizes", [[1] * 24, [2] * 12, [1, 1, 1, 3, 6, 12], [24], [1, 23]])
def test_items_and_chance_are_found_whole_however_few_clips_a_task_has(sizes):
    found, true, scores = [], [], []
    weight = np.repeat(1 / (len(sizes) * np.array(sizes)), sizes)
    rng = np.random.default_rng(17)
    for _ in range(400):
        likely = np.clip(0.5 + rng.normal(0, 0.2, (24, 1, 1, 1)), 0.02, 0.98)
        sums = of_tasks(rng.random((24, 3, 1, 2)) < likely, sizes)
        parts = components(sums.pseudo_values().reshape(24, 3, 1, 2), ("item", "wording", "order"))
        found.append([sum(one.of_mean for one in parts), parts[-1].of_mean])
        true.append((weight**2 * (likely * (1 - likely)).ravel() / 6).sum())
        scores.append(sums.values().mean())
    total, chance = np.mean(found, axis=0)
    assert 0.85 < chance / np.mean(true) < 1.2
    assert 0.85 < total / np.var(scores) < 1.5  # what comes out below 0 counts as 0


def test_a_measure_by_classes_is_corrected_for_the_share_of_the_class():
    gold = np.array([[2.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 3.0]])
    np.testing.assert_allclose(held_of(gold), [2 / 5, 2 / 5, 1 / 4, 1 / 2])  # the last: (1/5 + 9/4) / 4
    np.testing.assert_allclose(held_of(np.array([[1.0]])), [0.5])  # of a class of one, not divided by nothing


def test_what_lacks_a_split_says_why(run_of):
    right = drawn(5, (8, 2, 1, 1), 0.2, [0, 0])
    with pytest.raises(UsageError, match="no reply came, so there is no number to split"):
        variance([failed(run_of(right), 16)])
    with pytest.raises(UsageError, match="1 item of one clip: nothing tells how far others"):
        variance([run_of(right[:1])])


def test_a_run_with_failures_is_said_to_be_incomplete_with_its_bounds(run_of, cli):
    right = drawn(5, (20, 2, 1, 1), 0.2, [0, 0])
    path = failed(run_of(right), 4)
    (found,) = variance([path]).splits
    assert (found.n_lost, found.n_replies) == (4, 40)
    low, high = found.bounds
    assert high - low == pytest.approx(0.1)
    said = " ".join(cli("variance", path).out.split())
    assert "Incomplete: 4 of 40 replies failed or are unjudged; at worst the score is" in said
    assert "Incomplete" not in cli("variance", run_of(right)).out


def test_where_nothing_varies_there_is_no_standard_error_and_no_worst_wording(run_of, cli):
    path = run_of(np.ones((8, 2, 1, 1), bool))
    (found,) = variance([path]).splits
    assert (found.error, found.wording) == (None, None)
    said = " ".join(cli("variance", path).out.split())
    assert "with no standard error, as nothing varies" in said
    assert "the worst" not in said


def test_shares_are_of_the_scores_variance_and_so_add_up_with_the_errors(run_of):
    (found,) = variance([run_of(drawn(1, (24, 3, 2, 2), 0.3, [0.2, 0.0, -0.2]))]).splits
    assert [one.share for one in found.sources] == pytest.approx(
        [one.error**2 / found.error**2 for one in found.sources]
    )


def test_tasks_and_classes_of_one_clip_are_told(make_benchmark, make_run, cli):
    right = drawn(5, (8, 2, 1, 1), 0.2, [0.2, -0.2])
    golds = ["dog", "cat", *["dog"] * 6]
    said = replies(right, lambda n: golds[n], lambda n: "cat" if golds[n] == "dog" else "dog")
    path = make_run(
        make_benchmark([{"answer": one, "options": []} for one in golds], card=LABELS),
        said,
        variants=asked_names(1, 2, 1),
    )
    (found,) = variance([path]).splits
    assert (found.n_single, found.n_alone, found.n_effective) == (1, 0, pytest.approx(8))
    assert "1 class has one clip only" in " ".join(cli("variance", path).out.split())


TWO_TASKS = CHOICES + (
    '[[task]]\nname = "more"\nwordings = ["{question}", "Answer. {question}", "Do answer. {question}"]\n'
)


@pytest.fixture
def two_tasks(make_benchmark, make_run):
    """A run of 30 items of each of two tasks with these replies right."""

    def make(right):
        items = [{"task": "sounds" if n < 30 else "more"} for n in range(60)]
        said = replies(right, lambda item: OPTIONS[item % 4], lambda item: OPTIONS[(item + 1) % 4])
        return make_run(make_benchmark(items, card=TWO_TASKS), said, variants=asked_names(1, 3, 1))

    return make


def test_the_best_wording_of_each_task_is_held_against_its_worst(two_tasks, cli):
    right = np.concatenate(
        (drawn(41, (30, 3, 1, 1), 0.1, [0.3, 0, -0.4]), drawn(42, (30, 3, 1, 1), 0.1, [-0.4, 0, 0.3]))
    )
    path = two_tasks(right)
    (found,) = variance([path]).splits
    pairs = [(a, b) for a in range(3) for b in range(a + 1, 3)]
    each = {}
    for task, rows in (("sounds", right[:30, :, 0, 0]), ("more", right[30:, :, 0, 0])):
        for a, b in pairs:
            less, more = sorted((int((rows[:, a] > rows[:, b]).sum()), int((rows[:, a] < rows[:, b]).sum())))
            each[task, a, b] = binomtest(less, less + more).pvalue if less + more else 1.0
    adjusted = dict(zip(each, holm(list(each.values())), strict=True))
    for task in ("sounds", "more"):
        assert found.tasks_p[task] == pytest.approx(adjusted[task, 0, 2], abs=0.02)
        assert found.tasks_p[task] < 0.01
    assert found.wording.p > 0.05  # they cancel
    said = " ".join(cli("variance", path).out.split())
    assert "Each task has wordings of its own" in said
    assert "corrected over all pairs of all tasks (Holm)" in said


def test_of_one_task_nothing_is_said_of_others_wordings(run_of, cli):
    path = run_of(drawn(1, (24, 3, 1, 1), 0.3, [0.2, 0.0, -0.2]))
    assert variance([path]).splits[0].tasks_p == {}
    assert "wordings of its own" not in cli("variance", path).out


def test_items_that_were_not_asked_in_every_way_are_counted(run_of, cli):
    path = run_of(drawn(10, (12, 2, 1, 1), 0.2, [0, 0]))
    lines = [json.loads(line) for line in (path / "replies.jsonl").read_text().splitlines()]
    kept = [one for one in lines if (one["item"], one["variant"]) != ("item-00003", "wording-1")]
    (path / "replies.jsonl").write_text("".join(json.dumps(one) + "\n" for one in kept))
    (found,) = variance([path]).splits
    assert (found.n_items, found.n_of) == (11, 12)
    assert "Over the 11 of 12 items that were asked in all of these ways the score is" in " ".join(
        cli("variance", path).out.split()
    )


def test_a_score_that_cannot_be_split_hides_no_other(make_benchmark, make_run):
    card = CHOICES + '[[task]]\nname = "said"\nkind = "label"\nlabels = ["dog", "cat"]\nwordings = ["Who?", "What?"]\n'
    items = [
        *({"task": "sounds"} for _ in range(8)),
        *({"task": "said", "options": [], "answer": ("dog", "cat")[n % 2]} for n in range(8)),
    ]
    right = drawn(5, (16, 2, 1, 1), 0.2, [0.2, -0.2])
    said = replies(
        right,
        lambda n: OPTIONS[n % 4] if n < 8 else items[n]["answer"],
        lambda n: OPTIONS[(n + 1) % 4] if n < 8 else "neither",
    )
    path = make_run(make_benchmark(items, card=card), said, variants=asked_names(1, 2, 1))
    both = variance([path])
    lines = [json.loads(line) for line in (path / "replies.jsonl").read_text().splitlines()]
    kept = [one for one in lines if one["item"] < "item-00008" or one["variant"] == "plain"]
    (path / "replies.jsonl").write_text("".join(json.dumps(one) + "\n" for one in kept))
    some = variance([path])
    assert [one.name for one in both.splits] == ["strict", "macro-f1"]
    assert some.splits == both.splits[:1]
    assert any("no item counts in every wording and order" in text for text in some.warnings)


def test_places_are_by_the_items_of_all_runs_whichever_has_fewer(run_of):
    right = [drawn(seed, (30, 1, 1, 1), 0.2, [0]) for seed in (61, 62)]
    full, few = (run_of(each, model=f"made/{n}") for n, each in enumerate(right))
    info = json.loads((few / "run.json").read_text())
    (few / "run.json").write_text(json.dumps(info | {"limit": 20, "n_items": 20}))
    lines = (few / "replies.jsonl").read_text().splitlines(keepends=True)
    (few / "replies.jsonl").write_text("".join(line for line in lines if json.loads(line)["item"] < "item-00020"))
    first, last = (variance(runs).places["strict"] for runs in ([few, full], [full, few]))
    assert first.runs == last.runs
    assert (first.n_items, first.cut) == (20, (str(full),))
    assert {one.model: one.value for one in first.runs} == {
        f"made/{n}": pytest.approx(each[:20].mean()) for n, each in enumerate(right)
    }


def test_a_run_that_is_not_finished_takes_no_place_and_nothing_from_the_others(run_of):
    runs = [run_of(drawn(seed, (20, 2, 1, 1), 0.2, [0, 0]), model=f"made/{seed}") for seed in (51, 52, 53)]
    full = variance(runs[:2]).places["strict"]
    lines = [json.loads(line) for line in (runs[2] / "replies.jsonl").read_text().splitlines()]
    kept = [one for one in lines if one["variant"] == "plain" or one["item"] > "item-00009"]
    (runs[2] / "replies.jsonl").write_text("".join(json.dumps(one) + "\n" for one in kept))
    found = variance(runs)
    assert found.places["strict"] == full
    assert f"{runs[2]}: strict: not finished, so it has no place" in found.warnings
    assert found.splits[2].n_items < found.splits[2].n_of == 20
