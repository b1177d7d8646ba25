"""What a folder holds never becomes less, whatever a later command names; only what that names is asked."""

import json

import pytest

from audiometry.files.run_folder import RunFolder

TASKS = ("pitch", "timbre", "rhythm")


@pytest.fixture
def kept(cli, benchmark, tmp_path):
    """``kept("--limit", 3)``: what a run with these options left: exit code, how many were asked anew, run.json."""
    bench, run = benchmark(12, tasks=TASKS), tmp_path / "run"
    card = bench / "benchmark.toml"
    card.write_text(card.read_text().replace('"pitch"', '"pitch"\ncategory = "music"'))

    def go(*words):
        before = len((run / "replies.jsonl").read_text().splitlines()) if run.exists() else 0
        done = cli("run", bench, "--no-probe", "--model", "scripted/oracle", "-o", run, *words)
        done.new = len((run / "replies.jsonl").read_text().splitlines()) - before
        done.info = json.loads((run / "run.json").read_text())
        [done.row] = json.loads(cli("list", "runs", run, "--json").out)
        done.scored = json.loads(cli("score", run, "--json").out)["scores"]["strict"]
        return done

    go.bench, go.run = bench, run
    return go


NARROWER = [
    ("--limit", 4),
    ("--limit", 11),
    ("--task", "pitch"),
    ("--category", "music"),
    ("--task", "pitch", "--limit", 2),
    ("--variant", "silence", "--limit", 4),
]


@pytest.mark.parametrize("words", NARROWER)
def test_a_finished_run_stays_as_it_is(kept, words):
    first = kept("--variant", "silence")
    before = [(path.name, path.read_bytes()) for path in sorted(kept.run.glob("*.json*"))]
    less = kept(*words)
    assert (less.code, less.new) == (0, 0)
    assert "The folder is of a larger run, 24 replies, of which this command asks" in less.err
    assert before == [(path.name, path.read_bytes()) for path in sorted(kept.run.glob("*.json*"))]
    assert "scripted/oracle on bench: 12 items" in less.out
    assert less.scored == first.scored
    assert (less.scored["n_items"], less.row["planned"], less.row["stopped"]) == (12, 24, False)


def test_as_large_a_limit_says_nothing(kept):
    kept("--limit", 12)
    same = kept("--limit", 12)
    assert "larger run" not in same.err
    assert same.info["limit"] == 12
    assert "larger run" not in kept().err
    assert kept().info["limit"] is None


@pytest.mark.parametrize(
    ("first", "then", "new", "n_items", "stated"),
    [
        (("--limit", 4), ("--limit", 9), 5, 9, ([], [], 9)),
        (("--limit", 4), (), 8, 12, ([], [], None)),
        (("--task", "pitch"), ("--task", "timbre"), 4, 8, (["pitch", "timbre"], [], None)),
        (("--task", "pitch"), (), 8, 12, ([], [], None)),
        (("--task", "timbre", "--limit", 1), ("--category", "music"), 4, 5, ([], [], None)),
        (("--task", "pitch", "--limit", 2), ("--task", "timbre", "--limit", 3), 3, 5, (["pitch", "timbre"], [], 3)),
        (("--limit", 4), ("--task", "pitch"), 2, 6, ([], [], None)),
    ],
)
def test_more_is_added_and_no_more_is_asked_than_was_named(kept, first, then, new, n_items, stated):
    kept(*first)
    more = kept(*then)
    assert (more.code, more.new) == (0, new)
    assert (more.info["n_items"], more.scored["n_items"], more.row["planned"]) == (n_items, n_items, n_items)
    assert (more.info["tasks"], more.info["categories"], more.info["limit"]) == stated
    assert sum(task["n_asked"] for task in more.info["extent"].values()) == n_items
    again = kept(*first)
    assert (again.new, again.info) == (0, more.info)


def test_variants_of_some_items_leave_the_others_as_they_are(kept):
    kept("--limit", 4, "--variant", "silence")
    wide = kept()
    assert wide.new == 8
    assert (wide.info["n_items"], wide.info["variants"], wide.info["n_planned"]) == (12, ["plain", "silence"], 16)
    assert (wide.row["done"], wide.row["planned"], wide.row["stopped"]) == (16, 16, False)
    both = kept("--variant", "silence")
    assert (both.new, both.info["n_planned"], len(both.info["asked"])) == (8, 24, 1)


def test_a_stopped_run_is_not_asked_for_more_than_a_command_names(cli, kept):
    kept()
    path = kept.run / "replies.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:5]))
    less = kept("--limit", 3)
    assert (less.new, less.row["done"], less.row["planned"], less.row["stopped"]) == (0, 5, 12, True)
    assert "stopped, 5 of 12 asked" in cli("list", "runs", kept.run).out
    assert "the other 9 stay in it and in its score (7 of them came to nothing yet)." in less.err
    assert less.info["limit"] is None
    assert (kept().new, kept().row["stopped"]) == (7, False)
    assert "stopped" not in cli("list", "runs", kept.run).out


def test_everything_anew_is_not_asked_with_less(kept):
    first = kept()
    less = kept("--again", "--limit", 4)
    assert (less.code, less.new, less.info) == (2, 0, first.info)
    assert "--again asks anew all 12 replies of" in less.said
    assert "and these options choose 4; leave out --task, --category and --limit" in less.said
    assert not list(kept.run.glob("replies-until-*"))
    anew = kept("--again")
    assert (anew.code, len(list(kept.run.glob("replies-until-*")))) == (0, 1)
    assert not anew.info["unfinished"]


def test_everything_anew_goes_on_in_pieces(kept):
    kept()
    folder = RunFolder(kept.run)
    kept("--again")
    path = kept.run / "replies.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    document = json.loads(folder.info_path.read_text()) | {"unfinished": True}
    folder.info_path.write_text(json.dumps(document))
    part = kept("--again", "--limit", 4)
    assert (part.code, part.new) == (0, 2)
    assert part.info["unfinished"]  # eight are still to be asked anew
    rest = kept("--again")
    assert (rest.new, rest.info["unfinished"]) == (8, False)
    assert len(list(kept.run.glob("replies-until-*"))) == 1


def test_a_folder_without_a_reply_has_nothing_to_lose(kept):
    assert kept().info["n_items"] == 12
    failures = [{"item": f"i{k}", "variant": "plain", "error": {"kind": "timeout", "message": "m"}} for k in range(12)]
    (kept.run / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in failures))
    assert kept("--limit", 4).info["n_items"] == 4


def test_what_was_corrected_is_asked_as_far_as_it_is_named(kept):
    kept()
    rows = (kept.bench / "metadata.jsonl").read_text()
    (kept.bench / "metadata.jsonl").write_text(rows.replace("What plays?", "Which one plays?"))
    some = kept("--limit", 4)
    assert some.new == 12 + 4  # all are taken back, four are asked again
    assert (some.row["done"], some.row["planned"], some.row["stopped"]) == (4, 12, True)
    assert kept().row["stopped"] is False


@pytest.mark.parametrize("gone", [("asked", "extent", "n_planned", "categories"), ("asked",), ("extent",)])
def test_a_folder_from_before_it_was_written_down(kept, gone):
    first = kept("--limit", 5)
    path = kept.run / "run.json"
    path.write_text(json.dumps({key: value for key, value in first.info.items() if key not in gone}))
    less = kept("--limit", 2)
    assert (less.code, less.new, less.row["planned"], less.scored) == (0, 0, 5, first.scored)
    assert "limit-5" in less.scored["signature"]
    assert kept().info["n_items"] == 12


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--category", "musik"), "unknown category of bench 'musik'; did you mean 'music'?"),
        (("--category", "music", "--task", "timbre"), "task timbre of bench is of no category, not music; leave one"),
        (("--limit", 0), "--limit"),
        (("--limit", -3), "--limit"),
    ],
)
def test_what_cannot_be_chosen_leaves_no_folder(cli, kept, words, said):
    done = cli("run", kept.bench, "--model", "scripted/oracle", "-o", kept.run, *words)
    assert done.code == 2
    assert said in done.said
    assert not kept.run.exists()


def test_a_dry_run_says_what_the_folder_holds(cli, kept):
    kept()
    words = ("run", kept.bench, "--model", "scripted/oracle", "-o", kept.run, "--category", "music", "--dry-run")
    assert "which is of a larger run, 12 replies: the others stay in it and in its score" in cli(*words).out
    document = cli(*words, "--json").json
    assert (document["n_requests"], document["n_in_folder"], document["categories"]) == (4, 12, ["music"])
    assert document["limit"] is None
    other = cli(*words, "--seed", "5")
    assert other.code == 2
    assert "was made with parameters seed = 0 (now 5)" in other.said


def test_what_was_asked_is_in_the_signature(kept):
    assert "+category-music+limit-2+" in kept("--category", "music", "--limit", 2).scored["signature"]
    assert "+category-music+ours" in kept("--category", "music").scored["signature"]
    assert "+tasks-pitch-timbre+ours" in kept("--task", "timbre").scored["signature"]
    assert "+bench-1-" in kept("--task", "rhythm").scored["signature"]
    whole = kept().scored["signature"]
    assert not {"category", "task", "limit", "items"} & set(whole.replace("+", "-").split("-"))
