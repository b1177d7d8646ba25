"""Run folders that cannot be scored say why, in one line."""

import json

import pytest

from audiometry.errors import RunFolderError, UnknownNameError, UsageError
from audiometry.report import html
from audiometry.score import compare, score
from audiometry.score.opened import open_run
from audiometry.score.outcome import outcome


def test_a_folder_that_is_no_run(tmp_path):
    with pytest.raises(RunFolderError, match=r"is not a run folder .*run\.json"):
        score(tmp_path)


def test_a_benchmark_that_changed_since(make_benchmark, make_run):
    folder = make_benchmark(2)
    run = make_run(folder, {"item-00000": "A"})
    with (folder / "metadata.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(RunFolderError, match=r"another version of made .*--bench"):
        score(run)


def test_another_benchmark_is_not_called_another_version(make_benchmark, make_run):
    run = make_run(make_benchmark(2), {"item-00000": "A"})
    other = make_benchmark(3, card='[benchmark]\nname = "other"\nversion = "1"\n')
    with pytest.raises(RunFolderError, match=r"was made with made, and .* is other; give with --bench where made is"):
        score(run, bench=str(other))


def test_a_moved_benchmark_is_found_where_the_user_says(make_benchmark, make_run, tmp_path):
    folder = make_benchmark(2)
    run = make_run(folder, {"item-00000": "A"})
    moved = folder.rename(tmp_path / "moved")
    for read in (score, lambda path: html.write([path])):
        with pytest.raises(RunFolderError, match=r"bench.*, which is not there; say with --bench where it is now"):
            read(run)
    assert score(run, bench=str(moved)).scores["strict"].n_answered == 1


def test_a_run_is_not_compared_with_itself(make_benchmark, make_run):
    run = make_run(make_benchmark(2), {"item-00000": "A"})
    with pytest.raises(UsageError, match="is given twice; give each run once"):
        compare(run, run)


def test_an_unknown_profile_suggests_the_nearest(make_benchmark, make_run):
    run = make_run(make_benchmark(1), {"item-00000": "A"})
    with pytest.raises(UnknownNameError, match="did you mean 'strict'"):
        score(run, ["strickt"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "run.json"),
        ('{"format": 99}', "format 99.*update audiometry"),
        ('{"format": 1}', "is missing"),
        ("[]", "run.json"),
    ],
)
def test_a_damaged_run_json(make_benchmark, make_run, text, says):
    run = make_run(make_benchmark(1), {})
    (run / "run.json").write_text(text)
    with pytest.raises(RunFolderError, match=says):
        score(run)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"item": 7}', "'item' is a number .7.; a text is needed"),
        (b'{"item":"a","notes":' + b"[" * 500 + b"]" * 500 + b"}", "'notes' is a list; a text is needed"),
        (b'{"item":"a","x":' + b"[" * 100_000, "nested too deeply"),
        (b'{"item":"\xe4"}', "not UTF-8 text"),
        (b'{"item":"a\x00"}', "a NUL byte"),
        (b'{"item":"a","tokens_in":' + b"9" * 5000 + b"}", "a number without measure"),
    ],
)
def test_a_damaged_line_of_replies_is_named(make_benchmark, make_run, line, says):
    run = make_run(make_benchmark(2), {"item-00000": "A"})
    with (run / "replies.jsonl").open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(RunFolderError, match=rf"replies\.jsonl, line 2: .*{says}.*; remove that line"):
        score(run)


@pytest.mark.parametrize("options", [["a dog", "a cat"], []], ids=["choices", "open"])
def test_a_reply_to_an_unknown_item_is_named_unless_a_correction_has_removed_it(make_benchmark, make_run, options):
    card = '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\nkind = "open"\n'
    item = {"options": options, "answer": "a dog", "meta": "a dog"}
    run = make_run(make_benchmark([item], card="" if options else card), {"elsewhere": "A", "item-00000": "a dog"})
    read = score if options else (lambda path: outcome(open_run(path)))
    with pytest.raises(RunFolderError, match="'elsewhere' is not in made"):
        read(run)
    info = json.loads((run / "run.json").read_text())
    info["benchmark"]["earlier"] = ["0" * 64]
    (run / "run.json").write_text(json.dumps(info))
    found = read(run)
    assert (found.scores["strict"] if options else found).n_answered == 1


def test_a_torn_last_line_is_not_a_reply(make_benchmark, make_run):
    run = make_run(make_benchmark(2), {"item-00000": "A"})
    with (run / "replies.jsonl").open("a") as file:
        file.write('{"item": "item-00001", "te')
    assert score(run).scores["strict"].n_not_asked == 1


def test_a_folder_of_runs_given_as_a_run_leads_to_those_in_it(tmp_path, make_benchmark, make_run):
    run = make_run(make_benchmark(2), {})
    many = tmp_path / "many runs"
    many.mkdir()
    run.rename(many / "one")
    with pytest.raises(RunFolderError, match=r"1 run in it, such as '.*one'; audiometry list runs '.*' lists them"):
        open_run(many)


def test_a_benchmarks_folder_given_as_a_run_is_told_how_to_become_one(make_benchmark):
    folder = make_benchmark(2)
    with pytest.raises(RunFolderError, match=r"it is a benchmark; .* audiometry run .* --model MODEL"):
        open_run(folder)
