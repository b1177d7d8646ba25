"""Runs under others' rules, against loops over the replies by hand."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiometry import seeds
from audiometry.choices.parsers import airbench, evalscope, lmms_eval, muchomusic, ultraeval
from audiometry.score import compare, score
from audiometry.score.filling import fill_all
from audiometry.score.measures import MEASURES
from audiometry.score.opened import open_run
from audiometry.score.profiles import PROFILES
from audiometry.score.sheet import Wanted

FAILURE = {"error": {"kind": "timeout", "message": "no reply within 1 s"}}
OPTIONS = ("dog", "cat", "cow", "hen")
CARD = """
[benchmark]
name = "made"
version = "1"
[[task]]
name = "words"
category = "speech"
[[task]]
name = "voices"
category = "speech"
[[task]]
name = "bells"
category = "sound"
"""
CATEGORY = {"words": "speech", "voices": "speech", "bells": "sound"}
SAID = ["A", "B.", "C", "(D)", "The answer is C.", "Don't know", "b", "I cannot tell.", "", "cow", FAILURE]
READ = {
    "airbench": airbench.read,
    "lmms-eval": lambda text: lmms_eval.read(text, OPTIONS),
    "evalscope": evalscope.read,
    "ultraeval": lambda text: ultraeval.read(text, OPTIONS),
    "muchomusic": lambda text: muchomusic.read(text, OPTIONS),
}


def letter(number):
    return "ABCD"[number % 4]


def under(path, name):
    return score(path, [name]).scores[name]


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values) if values else None


def marked(name, number, reply, seed=0):
    """1 right, 0 wrong, None out of the denominator: by hand, from the reader."""
    read = READ[name](reply).letter if isinstance(reply, str) else None
    if read is None:
        if name == "airbench":
            return None
        if name == "lmms-eval":
            read = seeds.stream(seed, "lmms-eval", f"item-{number:05}", "plain").pick("ABCD")
    return Fraction(int(read == letter(number)))


def expected(name, tasks, said):
    """Headline, by category, by task: loops with fractions."""
    marks = [(task, marked(name, n, reply)) for n, (task, reply) in enumerate(zip(tasks, said, strict=True))]
    by_task = {t: mean(m for task, m in marks if task == t and m is not None) for t in dict.fromkeys(tasks)}
    categories = dict.fromkeys(CATEGORY[t] for t in by_task)
    if name == "airbench":
        by_category = {c: mean(m for t, m in by_task.items() if CATEGORY[t] == c and m is not None) for c in categories}
        return mean(m for m in by_category.values() if m is not None), by_category, by_task
    by_category = {c: mean(m for task, m in marks if CATEGORY[task] == c) for c in categories}
    return mean(m for _, m in marks), by_category, by_task


def same(found, wanted):
    return found is None if wanted is None else found == pytest.approx(float(wanted), abs=1e-12)


@settings(
    max_examples=25,
    deadline=None,  # each example writes a benchmark and a run to disk, which may be busy
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.tuples(st.sampled_from(sorted(CATEGORY)), st.sampled_from(SAID)), min_size=1, max_size=10))
def test_every_number_of_every_port_against_a_loop_by_hand(make_benchmark, make_run, rows):
    tasks, said = zip(*rows, strict=True)
    folder = make_benchmark([{"task": task} for task in tasks], card=CARD, clips=False)
    run = open_run(make_run(folder, {f"item-{n:05}": reply for n, reply in enumerate(said)}))
    for name, read in READ.items():
        scored = score(run, [name], store=False).scores[name]
        headline, categories, by_task = expected(name, tasks, said)
        came = [task for task, reply in rows if isinstance(reply, str)]  # of what nothing came has no number
        assert same(scored.value, headline if came else None)
        spoken = {CATEGORY[task] for task in came}
        assert all(same(scored.categories[c].value, one if c in spoken else None) for c, one in categories.items())
        assert all(same(scored.tasks[t].value, value if t in came else None) for t, value in by_task.items())
        assert scored.left_out == tuple(t for t in scored.tasks if by_task[t] is None)
        failed = sum(not isinstance(reply, str) for reply in said)
        unread = sum(isinstance(reply, str) and read(reply).letter is None for reply in said)
        assert (scored.n_failed, scored.n_unanswered + scored.n_empty) == (failed, unread)
        assert scored.n_guessed == (failed + unread if name == "lmms-eval" else 0)
        assert scored.n_counted == len(said) - (failed + unread if name == "airbench" else 0)
        if scored.value is not None:
            assert 0 <= scored.interval[0] <= scored.value <= scored.interval[1] <= 1


def test_plain_matching_is_by_the_papers_text_and_by_its_script_over_the_replies_that_came(make_benchmark, make_run):
    folder = make_benchmark(len(SAID), clips=False)
    run = make_run(folder, {f"item-{n:05}": reply for n, reply in enumerate(SAID)})
    found = score(run).scores["strict"].extras.plain_matching
    shares = [(name, one.n_read, one.n_replies, one.share) for name, one in found.items()]
    n, by_text, by_script = len(SAID) - 1, ["A", "B.", "C"], ["A", "B.", "C", "(D)", "The answer is C.", "Don't know"]
    assert shares == [
        ("airbench-text", len(by_text), n, len(by_text) / n),
        ("airbench-script", len(by_script), n, len(by_script) / n),
    ]


def test_a_model_that_writes_sentences_is_not_matched_by_the_text_where_the_script_reads_all_of_it(
    make_benchmark, make_run, cli
):
    folder = make_benchmark(20, clips=False)
    said = dict.fromkeys((f"item-{n:05}" for n in range(20)), "Dogs and birds can be heard.")
    run = make_run(folder, said | {"item-00003": "B)"})
    printed = " ".join(cli("score", run).out.split())
    said = (
        "Plain matching by AIR-Bench's paper ('B', 'B.' or 'B)' and no more) reads 1 of 20 replies that came, 5.0 %; "
    )
    assert said + "by its script (the first character, else the second to last) 20, 100.0 %." in printed


def test_a_failure_raises_the_headline_under_airbench_and_nowhere_else_but_by_luck(make_benchmark, make_run):
    folder = make_benchmark(4)
    good = {"item-00000": "A", "item-00001": "B", "item-00002": "D", "item-00003": "A"}
    before, after = make_run(folder, good), make_run(folder, good | {"item-00003": FAILURE})
    assert under(before, "airbench").value == pytest.approx(1 / 2)
    assert under(after, "airbench").value == pytest.approx(2 / 3)
    for name in ("strict", "evalscope", "ultraeval", "muchomusic"):
        assert under(after, name).value == under(before, name).value == pytest.approx(1 / 2)


def test_what_would_have_been_is_said_for_replies_that_failed(make_benchmark, make_run):
    folder = make_benchmark(4)
    run = make_run(folder, {"item-00000": "A", "item-00001": "B", "item-00002": "D", "item-00003": FAILURE})
    for name in ("strict", "airbench", "evalscope", "ultraeval", "muchomusic", "lmms-eval"):
        assert under(run, name).bounds == pytest.approx((2 / 4, 3 / 4))


def test_a_task_of_failures_only_has_no_number_and_is_in_no_average(make_benchmark, make_run, cli):
    folder = make_benchmark([{"task": t} for t in ("words", "words", "voices", "bells")], card=CARD)
    run = make_run(folder, {"item-00000": "A", "item-00001": "A", "item-00002": "Hmm.", "item-00003": FAILURE})
    found = under(run, "airbench")
    assert found.tasks["bells"].value is None
    assert found.tasks["bells"].interval is None
    assert found.tasks["bells"].bounds == (0.0, 1.0)
    assert found.tasks["voices"].value is None
    assert found.categories["sound"].value is None
    assert found.categories["speech"].value == found.value == pytest.approx(1 / 2)
    assert found.left_out == ("voices", "bells")
    strict = under(run, "strict")
    assert strict.tasks["bells"].value is None
    assert (strict.value, strict.left_out) == (pytest.approx(1 / 8), ())  # its failure counts all the same
    said = cli("score", run, "--profile", "airbench")
    assert "left out of the averages: voices, bells" in " ".join(said.out.split())
    rows = json.loads(cli("score", run, "--profile", "airbench", "--json").out)["scores"]["airbench"]["tasks"]
    assert rows["bells"]["value"] is None


def test_a_run_of_failures_only_has_no_number_whatever_the_rules_make_of_failures(make_benchmark, make_run, cli):
    run = make_run(make_benchmark(200, clips=False), {f"item-{n:05}": FAILURE for n in range(200)})
    found = score(run, ["all"]).scores
    assert {(one.value, one.interval) for one in found.values()} == {(None, None)}
    assert found["airbench"].n_clusters == found["airbench"].n_counted == 0
    assert found["strict"].bounds == (0, 1)
    assert 0.15 < found["lmms-eval"].n_guessed_right / 200 < 0.35
    assert found["lmms-eval"].n_answered == 0
    assert found["lmms-eval"].over_answered is None
    printed = cli("score", run, "--profile", "all")
    (said,) = (line for line in " ".join(printed.out.split()).split(". ") if "No reply came" in line)
    assert said.endswith("No reply came, so there is no number: 200 × no reply in time")
    assert " ".join(printed.out.split()).count(FAILURE["error"]["message"]) == 1
    assert "─" not in printed.out
    assert "correct" not in printed.out


def test_an_html_report_says_that_nothing_counts_and_gives_no_number(make_benchmark, make_run, cli, tmp_path):
    folder = make_benchmark([{"task": t} for t in ("words", "bells")], card=CARD)
    page = tmp_path / "report.html"
    run = make_run(folder, {"item-00000": "A", "item-00001": "Hmm."})
    assert cli("report", run, "--profile", "airbench", "-o", page).code == 0
    assert "none counts" in page.read_text(encoding="utf-8")
    run = make_run(folder, {"item-00000": "Hmm.", "item-00001": "Hmm."})
    assert cli("report", run, "--profile", "airbench", "-o", page).code == 0
    assert "so there is no number" in page.read_text(encoding="utf-8")


def test_guesses_depend_on_the_seed_the_item_and_the_variant_only(make_benchmark, make_run):
    folder = make_benchmark(40, clips=False)
    replies = {f"item-{n:05}": "Hmm." for n in range(40)}
    first = under(make_run(folder, replies), "lmms-eval")
    backwards = under(make_run(folder, dict(reversed(replies.items()))), "lmms-eval")
    part = under(make_run(folder, replies, limit=10, n_items=10), "lmms-eval")
    other = [under(make_run(folder, replies, seed=seed), "lmms-eval").value for seed in range(1, 9)]
    right = [letter(n) == seeds.stream(0, "lmms-eval", f"item-{n:05}", "plain").pick("ABCD") for n in range(40)]
    assert first.value == backwards.value == pytest.approx(sum(right) / 40)
    assert part.value == pytest.approx(sum(right[:10]) / 10)
    assert len(set(other)) > 1


@pytest.mark.parametrize("n", [2, 3, 5])
def test_guesses_are_right_as_often_as_a_draw_among_the_items_own_options(make_benchmark, make_run, n):
    options = ["dog", "cat", "cow", "hen", "owl"][:n]
    folder = make_benchmark([{"options": options, "answer": options[k % n]} for k in range(300)], clips=False)
    found = under(make_run(folder, {f"item-{k:05}": "Hmm." for k in range(300)}), "lmms-eval")
    assert found.n_guessed == 300
    assert abs(found.value - 1 / n) < 3.3 * (1 / n * (1 - 1 / n) / 300) ** 0.5
    assert found.value == pytest.approx(found.n_guessed_right / 300)


def test_guesses_are_scored_against_the_order_that_was_shown(make_benchmark, make_run):
    from audiometry import bench
    from audiometry.choices.variant import shown_options

    folder = make_benchmark(12, clips=False)
    variants = ("plain", "order-1", "order-2")
    lost = {(f"item-{n:05}", variant): FAILURE if n % 2 else "Hmm." for n in range(12) for variant in variants}
    found = under(make_run(folder, lost, variants=variants), "lmms-eval")
    right = 0
    for item in bench.load(folder, absent=()):
        for variant in variants:
            shown = shown_options(item, seed=0, variant=variant)
            right += shown["ABCD".index(lmms_eval.guess(0, item.id, variant, 4))] == item.answer
    assert (found.n_guessed, found.n_guessed_right) == (36, right)
    assert found.value == pytest.approx(right / 36)


def test_under_airbench_the_readable_variants_of_an_item_are_averaged(make_benchmark, make_run):
    folder = make_benchmark([{"answer": "dog"}, {"answer": "dog"}, {"answer": "dog"}])
    variants = ("plain", "order-1")
    replies = {(f"item-{n:05}", variant): FAILURE for n in range(3) for variant in variants}
    replies |= {("item-00000", "plain"): "A", ("item-00000", "order-1"): "Hmm.", ("item-00001", "plain"): "B"}
    found = under(make_run(folder, replies, variants=variants), "airbench")
    assert found.value == pytest.approx(1 / 2)
    assert (found.n_items, found.n_replies, found.n_counted, found.n_clusters) == (3, 6, 2, 2)


def test_a_letter_without_an_option_counts_as_an_answer_where_it_was_shown(make_benchmark, make_run):
    folder = make_benchmark([{"options": ["yes", "no"]}, {"options": ["yes", "no"]}])
    run = make_run(folder, {"item-00000": "C", "item-00001": "D. None"})
    for name in ("airbench", "evalscope", "muchomusic"):
        assert (under(run, name).n_answered, under(run, name).value) == (2, 0.0)
    for name in ("lmms-eval", "ultraeval"):
        assert under(run, name).n_answered == 0
    assert (under(run, "ultraeval").n_answered, under(run, "ultraeval").value) == (0, 0.0)
    assert under(run, "airbench").extras.letters.chosen == {"A": 0, "B": 0, "C": 1, "D": 1}


def test_folders_have_rows_and_a_task_of_two_pools_their_items(make_benchmark, make_run, cli):
    tags = [{"folder": f"Emotion_{name}"} for name in ("iemocap", "meld", "meld", "meld")]
    folder = make_benchmark([{"task": "Emotion", "tags": tag} for tag in tags] + [{"task": "Age"}])
    said = {"item-00000": "A", "item-00001": "C", "item-00002": "Hmm.", "item-00003": "D", "item-00004": "A"}
    run = make_run(folder, said)
    found = under(run, "strict")
    assert list(found.folders) == ["Emotion_iemocap", "Emotion_meld"]
    assert found.folders["Emotion_iemocap"].value == 1.0
    assert found.folders["Emotion_meld"].value == pytest.approx(1 / 3)
    assert found.tasks["Emotion"].value == pytest.approx(2 / 4)  # not the mean of 1 and 1/3
    assert found.pooled == {"Emotion": ("Emotion_iemocap", "Emotion_meld")}
    assert under(run, "airbench").folders["Emotion_meld"].value == pytest.approx(1 / 2)
    assert "Taken as one task, each item counting the same: Emotion (Emotion_iemocap, Emotion_meld)." in " ".join(
        cli("score", run).out.split()
    )
    assert under(make_run(make_benchmark(1), {"item-00000": "A"}), "strict").folders == {}


@settings(
    max_examples=10,
    deadline=None,  # as above
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([s for s in SAID if s is not None])), max_size=14))
def test_one_pass_for_all_profiles_says_what_one_pass_for_each_says(make_benchmark, make_run, lines):
    """Replies in any order, several for one item, failures before and after."""
    folder = make_benchmark(6, clips=False)
    path = make_run(folder, {})
    bodies = [{"item": f"item-{n:05}"} | ({"text": s} if isinstance(s, str) else s) for n, s in lines]
    (path / "replies.jsonl").write_text("".join(json.dumps(body) + "\n" for body in bodies))
    run, accuracy = open_run(path), MEASURES.named("accuracy")
    every = [
        Wanted(profile=p, measure=accuracy, readers={"choice": p.readers["choice"]})
        for p in PROFILES.all().values()
        if "choice" in p.readers
    ]
    every = [one for one in every if getattr(one.readers["choice"], "asks", None) is None]
    for together, wanted in zip(fill_all(run, every), every, strict=True):
        alone = fill_all(run, [wanted])[0]
        for column in ("state", "letter", "gold", "parts", "counted"):
            np.testing.assert_array_equal(getattr(together, column), getattr(alone, column))
        assert together.why == alone.why


def test_comparing_under_airbench_uses_the_items_that_count_in_both(make_benchmark, make_run):
    folder = make_benchmark(6)
    a = make_run(folder, {f"item-{n:05}": letter(n) for n in range(5)} | {"item-00005": FAILURE})
    b = make_run(folder, {f"item-{n:05}": letter(n + (n > 2)) for n in range(6)} | {"item-00000": "Hmm."})
    found = compare(a, b, "airbench")
    assert (found.n_items, found.score_a, found.score_b) == (4, 1.0, pytest.approx(1 / 2))
    assert any("2 items do not count in both" in warning for warning in found.warnings)
    assert compare(a, b).n_items == 6


def test_comparing_where_nothing_counts_is_refused(make_benchmark, make_run):
    from audiometry.errors import UsageError

    folder = make_benchmark(2)
    with pytest.raises(UsageError, match="no item counts in both"):
        compare(make_run(folder, {"item-00001": "B"}), make_run(folder, {"item-00000": "A"}), "airbench")


def test_comparing_under_a_port_weighs_items_alike(make_benchmark, make_run):
    folder = make_benchmark([{"task": t} for t in ("words", "words", "words", "bells")], card=CARD)
    a = make_run(folder, {f"item-{n:05}": letter(n) for n in range(4)})
    b = make_run(folder, {f"item-{n:05}": letter(n) for n in range(3)} | {"item-00003": "A"})
    assert compare(a, b, "evalscope").difference == pytest.approx(1 / 4)
    assert compare(a, b, "airbench").difference == pytest.approx(1 / 2)


def test_signatures_name_the_rules_their_version_and_the_stream_of_guesses(make_benchmark, make_run):
    run = make_run(make_benchmark(1), {"item-00000": "A"}, seed=5)
    signatures = {name: s.signature.split("+") for name, s in score(run, ["all"]).scores.items()}
    for name, parts in signatures.items():
        assert parts[0] == f"{name}.{PROFILES.named(name).version}"
        assert ("guesses-lmms-eval-5" in parts) == (name == "lmms-eval")
    assert next(iter(signatures)) == "strict"
    assert len(list((run / "scores").iterdir())) == len(signatures)


def test_failures_are_said_side_by_side_with_what_they_could_have_been(make_benchmark, make_run, cli):
    late = {f"item-{n:05}": {"text": None, "error": {"kind": "timeout", "message": "late"}} for n in (2, 3)}
    run = make_run(make_benchmark(4, clips=False), {f"item-{n:05}": letter(n) for n in range(2)} | late)
    said = " ".join(cli("score", run, "--profile", "strict", "--profile", "airbench").out.split())
    assert (
        "Incomplete: 2 × no reply in time. At worst 50.0, at best 100.0. "
        "More than 1 % failed, so this number is not to be ranked." in said
    )
    assert "50.0 to 100.0" in said


GENEROUS = """
from audiometry.records import Answer
from audiometry.score.profiles import Profile
from audiometry.score.readers.choice import LetterReader

PROFILE = Profile(
    name="generous",
    about="every reply chooses A",
    version=3,
    readers={"choice": LetterReader(name="generous", parser=lambda reply, shown: Answer(letter="A", how="generous"))},
)
"""


def test_another_packages_profile_is_scored_under_its_own_name(make_benchmark, make_run, announce):
    announce("audiometry.profiles", "generous = generosity:PROFILE", generosity=GENEROUS)
    run = make_run(make_benchmark(2), {"item-00000": "x", "item-00001": "y"})
    found = score(run, ["generous"]).scores["generous"]
    right = sum(item.options[0] == item.answer for item in open_run(run).benchmark)
    assert (found.value, found.n_answered) == (right / 2, 2)
    assert found.signature.startswith("generous.3+")
    assert found.average == "items"  # of its one task
