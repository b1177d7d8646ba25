"""What a metric program answered is kept as it comes: asked nothing twice, unless it is another program by now."""

import os
import sys
import textwrap

import pytest

from audiometry.errors import RunFolderError
from audiometry.score.measures import named
from audiometry.score.measures.references import Pair

PROGRAM = """
    import json, pathlib, sys
    here = pathlib.Path(__file__).parent
    print(json.dumps({"metric": "same", "version": (here / "version").read_text()}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        with (here / "asked").open("a") as log:
            print(asked["item"], file=log)
        failed = asked["prediction"] == "bad"
        said = {"error": "no"} if failed else {"score": float(asked["prediction"] in asked["references"])}
        print(json.dumps({"item": asked["item"]} | said), flush=True)
"""


@pytest.fixture
def scored(tmp_path):
    """``scored("yes", "no", …)``: scores of these answers, and which items the program was asked for them."""
    script, log, kept = tmp_path / "metric.py", tmp_path / "asked", tmp_path / "judge" / "metric.jsonl"
    script.write_text(textwrap.dedent(PROGRAM))
    (tmp_path / "version").write_text("1")

    def score(*answers, watch=None):
        log.write_text("")
        counts = named(f"exec/{sys.executable} {script}").counts
        counts.kept_in = kept
        counts.watch = watch or counts.watch
        found = counts.count(
            [Pair(item=f"i{n}", prediction=said, references=("yes",)) for n, said in enumerate(answers)]
        )
        return found.parts[:, 0].tolist(), log.read_text().split(), counts.made_with([])[0]

    score.folder, score.kept = tmp_path, kept
    return score


def test_what_was_answered_is_not_asked_again(scored):
    assert scored("yes", "no") == ([1, 0], ["i0", "i1"], "same-1")
    assert scored("yes", "no") == ([1, 0], [], "same-1")
    assert scored("yes", "yes", "no") == ([1, 1, 0], ["i1", "i2"], "same-1")


def test_answers_are_kept_as_they_come_so_that_a_stop_loses_none(scored):
    held = []

    def watch(done, failed, planned):
        held.append((done, len(scored.kept.read_text().splitlines())))

    scored(*["yes"] * 90, watch=watch)
    assert held == [(n, n) for n in range(1, 91)]
    first = scored.kept.read_text().splitlines(keepends=True)[:3]
    scored.kept.write_text("".join(first) + '{"key": "torn')
    found, asked, _ = scored(*["yes"] * 90)
    assert (found, len(asked)) == ([1] * 90, 87)


def test_what_failed_is_asked_again(scored):
    assert scored("yes", "bad") == ([1, 0], ["i0", "i1"], "same-1")
    assert scored("yes", "bad") == ([1, 0], ["i1"], "same-1")


def test_a_program_that_was_changed_is_asked_anew(scored):
    scored("yes", "no")
    script = scored.folder / "metric.py"
    script.write_text(script.read_text().replace("float(", "0.5 * float("))
    assert scored("yes", "no") == ([0.5, 0], ["i0", "i1"], "same-1")


def test_a_program_that_says_another_version_is_asked_everything_anew(scored):
    scored("yes", "no")
    (scored.folder / "version").write_text("2")
    found, asked, version = scored("yes", "no", "yes")
    assert (found, asked, version) == ([1, 0, 1], ["i2", "i0", "i1"], "same-2")
    assert scored("yes", "no", "yes") == ([1, 0, 1], [], "same-2")


def test_answers_that_cannot_be_kept_still_count(scored):
    scored.kept.parent.mkdir()
    scored.kept.symlink_to(os.devnull)
    assert scored("yes")[0] == [1]
    scored.kept.unlink()
    scored.kept.parent.rmdir()
    scored.kept.parent.write_text("a file")
    assert scored("yes")[0] == [1]


@pytest.mark.parametrize("line", ["{", "[]", '{"key": "a", "item": "b", "score": 1e999}', '{"key": "a", "item": "b"}'])
def test_damaged_answers_are_named(scored, line):
    scored("yes")
    scored.kept.write_text(f"{line}\n")
    with pytest.raises(RunFolderError, match=r"metric\.jsonl, line 1: .*; remove that line, or restore the file"):
        scored("yes")
