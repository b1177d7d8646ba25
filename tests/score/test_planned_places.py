"""Which places of a run were to be asked: what no command chose is neither lost nor not asked."""

import json

import numpy as np
import pytest

from audiometry.errors import RunFolderError
from audiometry.files.asked import Selection
from audiometry.files.run_folder import RunFolder
from audiometry.records import State
from audiometry.score import judged, opened
from audiometry.score.filling import fill
from audiometry.score.measures.accuracy import MEASURE
from audiometry.score.profiles import named
from audiometry.score.replies import Replies
from audiometry.score.sheet import CODE, UNPLANNED

ITEMS = [f"item-{k:05}" for k in range(4)]
SOME = Selection(limit=2, variants=("plain", "noise"))
ALL = Selection(variants=("plain",))


@pytest.fixture
def run(make_benchmark, make_run):
    """All items asked as they are, but for the last; two of them with noise, of which one has a reply."""
    replies = dict.fromkeys(ITEMS[:3], "A") | {(ITEMS[0], "noise"): "B", (ITEMS[3], "noise"): "C"}
    path = make_run(make_benchmark(4), replies, variants=("plain", "noise"), asked=(ALL, SOME))
    return opened.open_run(path)


def test_what_no_command_chose_was_not_to_be_asked(run):
    sheet = fill(run, named("strict"), MEASURE)
    answered, missing = CODE[State.ANSWERED], CODE[State.NOT_ASKED]
    assert sheet.state.tolist() == [
        [answered, answered],
        [answered, missing],
        [answered, UNPLANNED],
        [missing, UNPLANNED],  # whatever stands in the file
    ]
    assert not sheet.counted[np.asarray(sheet.state) == UNPLANNED].any()


def test_replies_that_were_not_chosen_are_passed_over(run):
    found = Replies(run)
    assert [(row, column) for row, column, _ in found] == [(0, 0), (1, 0), (2, 0), (0, 1)]
    assert list(found.missing()) == [(1, 1), (3, 0)]


def test_a_run_of_one_command_is_planned_throughout(make_benchmark, make_run):
    rows = [{"id": "a"}, {"id": "b", "file_name": ""}]
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\naudio = "optional"\n'
    folder = make_benchmark(rows, card=card)
    found = Replies(opened.open_run(make_run(folder, {"a": "A"}, variants=("plain", "noise"))))
    assert len(list(found)) == 1
    assert list(found.missing()) == [(0, 1), (1, 0)]


def test_a_stated_choice_that_does_not_fit_the_tasks_stated_beside_it_counts(make_benchmark, make_run):
    """``run.json`` may say anything: what each command chose is what was asked."""
    rows = [{"task": "bells"}, {"task": "drums"}]
    path = make_run(make_benchmark(rows), {ITEMS[0]: "A", ITEMS[1]: "B"}, tasks=("bells",), asked=(ALL,))
    for opener in (opened, judged):
        assert opener.open_run(path).positions == [0, 1]
    assert fill(opened.open_run(path), named("strict"), MEASURE).state.shape == (2, 1)


@pytest.mark.parametrize("opener", [opened, judged])
def test_what_an_older_folder_does_not_say_is_looked_up(make_benchmark, make_run, opener):
    path = make_run(make_benchmark(4), {}, limit=3, n_items=3)
    document = json.loads((path / "run.json").read_text())
    for key in ("asked", "extent", "categories", "n_planned"):
        del document[key]
    (path / "run.json").write_text(json.dumps(document))
    info = opener.open_run(path).info
    assert (info.extent["sounds"].n_asked, info.extent["sounds"].n_items, info.n_planned) == (3, 4, 3)
    assert info.limit == 3
    assert RunFolder(path).info().extent == {}  # nothing is written


def test_the_command_after_a_correction_chooses_what_was_chosen(make_benchmark, make_run):
    folder = make_benchmark(4)
    path = make_run(folder, {ITEMS[0]: "A"}, limit=2, variants=("plain", "silence"))
    (folder / "metadata.jsonl").write_text((folder / "metadata.jsonl").read_text().replace("sound?", "noise?"))
    for opener in (opened, judged):
        with pytest.raises(RunFolderError) as caught:
            opener.open_run(path)
        assert f"audiometry run {folder} --model made/by-hand --limit 2 --variant silence -o {path}" in str(
            caught.value
        )
