"""Which places of a run were to be asked: what no command chose is neither lost nor not asked."""

import json

import msgspec
import numpy as np
import pytest

from audiometry.errors import RunFolderError
from audiometry.files.asked import Selection
from audiometry.files.run_folder import RunFolder
from audiometry.records import State
from audiometry.score import opened
from audiometry.score.conditions import conditions
from audiometry.score.filling import fill
from audiometry.score.listening import listening
from audiometry.score.measures.accuracy import MEASURE
from audiometry.score.profiles import PROFILES
from audiometry.score.replies import Replies
from audiometry.score.sheet import CODE, UNPLANNED
from audiometry.score.signature import signed
from audiometry.score.table import Table

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
    sheet = fill(run, PROFILES.named("strict"), MEASURE)
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
    assert list(opened.open_run(path).positions) == [0, 1]
    assert fill(opened.open_run(path), PROFILES.named("strict"), MEASURE).state.shape == (2, 1)


def test_what_an_older_folder_does_not_say_is_looked_up(make_benchmark, make_run):
    path = make_run(make_benchmark(4), {}, limit=3, n_items=3)
    document = json.loads((path / "run.json").read_text())
    for key in ("asked", "extent", "categories", "n_planned"):
        del document[key]
    (path / "run.json").write_text(json.dumps(document))
    info = opened.open_run(path).info
    assert (info.extent["sounds"].n_asked, info.extent["sounds"].n_items, info.n_planned) == (3, 4, 3)
    assert info.limit == 3
    assert RunFolder(path).info().extent == {}  # nothing is written


def test_the_command_after_a_correction_chooses_what_was_chosen(make_benchmark, make_run):
    folder = make_benchmark(4)
    path = make_run(folder, {ITEMS[0]: "A"}, limit=2, variants=("plain", "silence"))
    (folder / "metadata.jsonl").write_text((folder / "metadata.jsonl").read_text().replace("sound?", "noise?"))
    with pytest.raises(RunFolderError) as caught:
        opened.open_run(path)
    assert f"audiometry run {folder} --model made/by-hand --limit 2 --variant silence -o {path}" in str(caught.value)


def test_a_condition_is_of_the_items_that_were_chosen_for_it(make_benchmark, make_run):
    """Two of the four with noise; what the others score with their clips has no part in it."""
    replies = dict(zip(ITEMS, "ABAA", strict=True)) | {(ITEMS[0], "noise"): "B", (ITEMS[1], "noise"): "B"}
    path = make_run(make_benchmark(4), replies, variants=("plain", "noise"), asked=(ALL, SOME))
    sheet = fill(opened.open_run(path), PROFILES.named("strict"), MEASURE)
    found = conditions(sheet)
    assert list(found) == ["noise"]
    row = found["noise"]
    assert (row.n_items, row.n_replies, row.n_not_asked, row.value, row.bounds) == (2, 2, 0, 0.5, None)
    assert (row.difference.n_items, row.difference.score_a, row.difference.score_b) == (2, 1.0, 0.5)
    told = listening(sheet, found)
    assert (told.score, told.conditions["noise"].n_lost) == (1.0, 0)
    whole = Table(sheet.of(variants=["plain"])).whole()
    assert (whole.n_items, whole.value) == (4, 0.5)


def test_the_signature_says_that_some_items_came_in_more_orders(run):
    assert "+orders-1+" in signed(run.info, "x")
    some = Selection(limit=2, variants=("plain", "order-1"))
    info = msgspec.structs.replace(run.info, variants=some.variants, asked=(ALL, some))
    assert "+orders-2-of-some+" in signed(info, "x")
    assert "+orders-2+" in signed(msgspec.structs.replace(info, asked=(some,)), "x")


def test_items_of_which_no_place_was_to_be_asked_are_in_the_table_all_the_same(make_benchmark, make_run):
    rows = [*({"id": name, "file_name": "", "task": "words", "group": "g"} for name in "bc"), {"id": "a"}]
    card = '[benchmark]\nname = "made"\n' + "".join(
        f'[[task]]\nname = "{name}"\naudio = "optional"\n' for name in ("sounds", "words")
    )
    folder = make_benchmark(rows, card=card)
    sheet = fill(
        opened.open_run(make_run(folder, {("a", "noise"): "A"}, variants=("noise",))), PROFILES.named("strict"), MEASURE
    )
    items = sheet.items
    assert sheet.state.tolist() == [[UNPLANNED], [UNPLANNED], [CODE[State.ANSWERED]]]
    assert [items.tasks[code] for code in items.task] == ["words", "words", "sounds"]
    assert len(set(items.cluster.tolist())) == 2
    assert items.chance.tolist() == [0.25] * 3


def test_lines_that_are_no_part_of_a_run_take_the_place_of_none_that_is(make_benchmark, make_run):
    """Of an order that nobody asked, or an item that a correction has removed: they are numbered apart."""
    run = make_run(make_benchmark(2), {ITEMS[0]: "A", ITEMS[1]: "B"})
    lines = [{"item": ITEMS[k], "variant": f"order-{n}", "text": "C", "attempts": 1} for n in (1, 2) for k in (0, 1)]
    with (run / "replies.jsonl").open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    found = Replies(opened.open_run(run))
    assert [(row, reply.text) for row, _, reply in found] == [(0, "A"), (1, "B")]
    assert list(found.missing()) == []
