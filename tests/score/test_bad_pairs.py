"""Runs that cannot be compared, or of which nothing can be told: `compare`, `report`, `variance` and `score` say so."""

import json

import pytest

from audiometry.choices.variant import asked_names

LABELS = ["sad", "happy", "angry"]
TASK = '[[task]]\nname = "{}"\nkind = "label"\nlabels = ["sad", "happy", "angry"]\n'
CARD = (
    '[benchmark]\nname = "made"\nversion = "1"\n'
    + TASK.format("emotion")
    + 'wordings = ["{question}", "Now: {question}", "Then: {question}"]\n'
)
PAIRS = ("compare", "report", "variance")


@pytest.fixture
def folder(make_benchmark):
    """A benchmark of n items, of these labels in turn."""

    def make(n=12, labels=LABELS, card=CARD, tasks=("emotion",), *, clips=False):
        items = [
            {"task": tasks[k % len(tasks)], "options": [], "answer": labels[k // len(tasks) % len(labels)]}
            for k in range(n)
        ]
        return make_benchmark(items, card=card, clips=clips)

    return make


def right(n=12, labels=LABELS):
    return {f"item-{k:05}": labels[k % len(labels)] for k in range(n)}


def constant(text, n=12):
    return {f"item-{k:05}": text for k in range(n)}


def said(cli, command, *runs, words=()):
    more = ("-o", runs[0].with_name(f"{runs[0].name}.html")) if command == "report" else ()
    return cli(command, *runs, *more, *words)


def refused(cli, command, *runs, words=()):
    """The one line of a command that does nothing."""
    before = [sorted(path for path in run.rglob("*") if path.is_file()) for run in runs]
    done = said(cli, command, *runs, words=words)
    (line,) = done.err.splitlines()
    assert (done.code, done.out) == (2, "")
    assert [sorted(path for path in run.rglob("*") if path.is_file()) for run in runs] == before
    assert not runs[0].with_name(f"{runs[0].name}.html").exists()
    return line


@pytest.mark.parametrize("command", PAIRS)
@pytest.mark.parametrize(
    ("card", "n", "tasks", "differ"),
    [
        (CARD.replace('"1"', '"2"'), 12, ("emotion",), "of made 2 ("),
        (CARD, 11, ("emotion",), "which differ in the items of emotion (12 / 11 items)"),
        (CARD.replace("Now:", "Say:"), 12, ("emotion",), "which differ in the card's task emotion (wordings)"),
        (CARD.replace('kind = "label"', 'kind = "label"\nnote = "so"'), 12, ("emotion",), "emotion (note: '' / 'so')"),
        (CARD + '[asked]\nshots = 1\n[[example]]\nquestion = "Q"\nanswer = "sad"\n', 12, ("emotion",), "in the card ("),
        (CARD + "# a word\n", 12, ("emotion",), "in comments or rows that nobody is asked"),
        (CARD + TASK.format("mood"), 12, ("emotion", "mood"), "which differ in tasks that only one has: mood"),
        (CARD.replace('"made"', '"other"'), 12, ("emotion",), "of other 1 ("),
    ],
)
def test_another_version_is_refused_and_what_is_other_is_named(cli, folder, make_run, command, card, n, tasks, differ):
    a, b = make_run(folder(), right()), make_run(folder(n, card=card, tasks=tasks), {})
    line = refused(cli, command, a, b)
    assert differ in line
    assert "of made 1 (" in line
    assert "only runs of the same version" in line


@pytest.mark.parametrize("command", PAIRS)
def test_of_two_copies_the_first_item_that_differs_is_named_and_how(cli, folder, make_run, command):
    a, b = folder(), folder()
    lines = (b / "metadata.jsonl").read_text().splitlines(keepends=True)
    lines[1] = lines[1].replace('"answer": "happy"', '"answer": "angry"')
    (b / "metadata.jsonl").write_text("".join(lines))
    line = refused(cli, command, make_run(a, right()), make_run(b, right()))
    assert "which differ in item item-00001 (answer: 'happy' / 'angry'); only runs" in line


@pytest.mark.parametrize("command", PAIRS)
def test_a_folder_of_a_later_audiometry_is_refused(cli, folder, make_run, command):
    its = folder()
    a, b = make_run(its, right()), make_run(its, right())
    info = json.loads((b / "run.json").read_text())
    (b / "run.json").write_text(json.dumps(info | {"format": 2}))
    assert "format 2, this audiometry reads 1; update audiometry" in refused(cli, command, a, b)


def test_runs_made_by_two_versions_of_audiometry_are_scored_alike_and_that_is_said(cli, folder, make_run):
    its = folder()
    runs = [make_run(its, right(), versions={"audiometry": number}) for number in ("0.0.9", "0.1.0")]
    note = "made by audiometry 0.0.9 / 0.1.0, and are scored by this one alike"
    assert note in " ".join(cli("compare", *runs).out.split())
    assert (
        "made by audiometry"
        not in cli("compare", runs[0], make_run(its, right(), versions={"audiometry": "0.0.9"})).out
    )


@pytest.mark.parametrize("command", PAIRS)
def test_the_same_run_twice_is_refused(cli, folder, make_run, command):
    run = make_run(folder(), right())
    assert "is given twice; give each run once" in refused(cli, command, run, run)


@pytest.fixture
def disjoint(cli, folder, tmp_path):
    """Two runs without an item in common."""
    card = '[benchmark]\nname = "made"\n' + TASK.format("a") + TASK.format("b")
    its = folder(card=card, tasks=("a", "b"), clips=True)
    for task in "ab":
        cli("run", its, "--model", "scripted/oracle", "--task", task, "-o", tmp_path / task)
    return tmp_path / "a", tmp_path / "b"


@pytest.mark.parametrize("command", ["compare", "variance"])
def test_disjoint_runs_are_refused(cli, disjoint, command):
    line = refused(cli, command, *disjoint)
    assert "no item in common; run them with the same --task and --limit" in line


def test_a_report_of_disjoint_runs_says_that_nothing_is_compared(cli, disjoint):
    assert said(cli, "report", *disjoint).code == 0
    page = disjoint[0].with_name("a.html").read_text()
    assert "the runs have no item in common" in page
    assert "A minus" not in page


@pytest.mark.parametrize("command", ["compare", "score"])
def test_a_measure_that_is_not_there_is_refused_with_the_nearest(cli, folder, make_run, command):
    its = folder()
    runs = [make_run(its, right()) for _ in range(2 if command == "compare" else 1)]
    assert "unknown measure 'macro-f2'; did you mean 'macro-f1'?" in refused(
        cli, command, *runs, words=("--measure", "macro-f2")
    )


@pytest.mark.parametrize(
    ("n", "labels", "a", "b", "difference", "p"),
    [
        (12, LABELS, right(), right(), 0, 1),
        (12, LABELS, constant("no idea"), constant("no idea"), 0, 1),
        (12, LABELS, right(), constant("no idea"), 1, None),
        (1, LABELS, constant("sad", 1), constant("happy", 1), 1, 1),
        (12, ["sad"], constant("sad"), constant("sad"), 0, 1),
        (12, ["sad"], constant("sad"), constant("happy"), 1, None),
    ],
    ids=["all right", "all unanswered", "right and unanswered", "one item", "one class", "one class, all wrong"],
)
def test_at_the_ends_of_the_scale_each_command_has_a_number_with_limits(
    cli, folder, make_run, n, labels, a, b, difference, p
):
    its = folder(n, labels)
    runs = [make_run(its, one) for one in (a, b)]
    found = cli("compare", *runs, "--json").json
    assert found["difference"] == difference
    low, high = found["interval"]
    assert low <= difference <= high
    assert high - low > 0.1  # never certain, of so few
    assert (found["p"] == p) if p is not None else (0 < found["p"] < 0.05)
    assert (low <= 0 <= high) == (found["p"] >= 0.05)
    scored = cli("score", runs[0], "--json").json["scores"]
    assert all(one["interval"][0] <= one["value"] <= one["interval"][1] for one in scored.values() if one["interval"])
    assert said(cli, "report", *runs).code == 0
    assert ">NaN" not in runs[0].with_name(f"{runs[0].name}.html").read_text()
    firm = cli("variance", *runs)
    assert firm.code == (2 if n == 1 else 0)
    assert n > 1 or "too few clips to tell how firm places are: 1 where 6 are the fewest that can" in firm.err


def test_runs_asked_in_other_ways_are_compared_by_their_own_means_and_the_ways_are_named(cli, folder, make_run):
    its = folder()
    ways = [asked_names(wordings=n, repeats=times) for n, times in ((1, 1), (2, 1), (3, 2))]
    runs = [make_run(its, {(i, v): t for i, t in right().items() for v in way}, variants=way) for way in ways]
    for one, other, names in ((0, 1, "plain / 2 wordings"), (1, 2, "2 wordings / 3 wordings × 2 repeats")):
        done = cli("compare", runs[one], runs[other])
        assert done.code == 0
        assert f"different variants ({names})" in " ".join(done.out.split())
        assert said(cli, "report", runs[one], runs[other]).code == 0
        assert cli("variance", runs[one], runs[other]).code == 0
