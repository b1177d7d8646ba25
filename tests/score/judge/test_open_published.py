"""The paper's chat averages, by the code that averages a run, and the two that contradict their own row."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from audiometry.records import State
from audiometry.render.numbers import half_up
from audiometry.score.items import KINDS, ItemTable
from audiometry.score.measures.judge_score import MEASURE
from audiometry.score.profiles import PROFILES
from audiometry.score.published import published, slips
from audiometry.score.sheet import CODE, Sheet
from audiometry.score.table import Table

CHAT = {system.name: system for system in published("airbench/chat")}
COMPLETE = [name for name, system in CHAT.items() if system.average is not None]
SLIPS = {"NExT-GPT", "Macaw-LLM"}
CATEGORIES = ("speech", "sound", "music", "mixed")
TASKS = {  # of the release, with their rows and the category they are pooled in
    "speech_QA": (400, "speech", "speech"),
    "speech_dialogue_QA": (400, "speech", "speech"),
    "sound_QA": (400, "sound", "sound"),
    "sound_generation_QA": (100, "sound", "sound"),
    "music_QA": (400, "music", "music"),
    "music_generation_analysis_QA": (100, "music", "music"),
    "speech_and_sound_QA": (200, "mixed", "speech_and_sound_QA"),
    "speech_and_music_QA": (200, "mixed", "speech_and_music_QA"),
}


def table(scores: dict[str, float], by: Callable[[str], str]) -> Table:
    """Of a run with that score for every item, by what ``by`` makes of its task; a task without one does not count."""
    sizes = [size for size, _, _ in TASKS.values()]
    task = np.repeat(np.arange(len(TASKS)), sizes)
    n, names = len(task), list(TASKS)
    each = np.array([scores.get(by(names[code]), np.nan) for code in task.tolist()])
    there = ~np.isnan(each)
    items = ItemTable(
        position=np.arange(n),
        task=task,
        kind=np.full(n, KINDS.index("open")),
        cluster=np.arange(n),
        chance=np.zeros(n),
        reference=np.ones(n, np.bool_),
        clip=np.ones(n, np.bool_),
        tasks=tuple(TASKS),
        categories=tuple(category for _, category, _ in TASKS.values()),
        pools=tuple(pool for _, _, pool in TASKS.values()),
        shape=np.zeros(n, np.int64),
    )
    score = np.where(there, each, 0.0)
    sheet = Sheet(
        run=None,
        profile=PROFILES.named("strict"),
        measure=MEASURE["judge-score"],
        items=items,
        variants=("plain",),
        state=np.full((n, 1), CODE[State.ANSWERED], np.int8),
        parts=np.stack((score, there, score, there), axis=1)[:, None, :].astype(np.float64),
        counted=there[:, None],
        worst=None,
        best=None,
        letter=np.full((n, 1), -1, np.int8),
        gold=np.full((n, 1), -1, np.int8),
        option=np.full((n, 1), -1, np.int8),
        guessed=np.zeros((n, 1), np.bool_),
        why={},
        blocked=frozenset(),
        left_out={},
    )
    return Table(sheet)


@pytest.mark.parametrize("name", COMPLETE)
def test_a_run_with_a_systems_categories_has_its_average(name):
    system = CHAT[name]
    made = table({c: float(system.categories[c]) for c in CATEGORIES}, lambda task: TASKS[task][1])
    whole = made.whole().value
    assert made.averaged_by == "categories"
    rounded, cut = half_up(whole, 2), Fraction(int(Fraction(str(round(whole, 6))) * 100), 100)
    reproduced = system.average == rounded or Fraction(system.average) == cut
    assert reproduced == (name not in SLIPS)


def test_ten_systems_have_an_average_and_two_are_slips_of_the_paper():
    assert len(COMPLETE) == 10
    assert {(one.system, one.printed, one.computed) for one in slips("airbench/chat")} == {
        ("NExT-GPT", CHAT["NExT-GPT"].average, Fraction(393, 100)),
        ("Macaw-LLM", CHAT["Macaw-LLM"].average, Fraction(9725, 10000)),
    }


def test_the_foundation_table_has_none_and_others_have_no_table():
    assert slips("airbench/foundation") == ()
    assert slips("mini/chat") == ()


def test_pools_are_of_items_and_mixed_audio_of_tasks():
    scores = dict.fromkeys(TASKS, 8.0) | {"sound_QA": 5.0, "sound_generation_QA": 10.0, "speech_and_sound_QA": 4.0}
    made = table(scores, lambda task: task)
    category = np.array(made.categories)[made.pool]
    assert made.row(category == "sound", "tasks").value == pytest.approx((400 * 5 + 100 * 10) / 500)
    assert made.row(category == "mixed", "tasks").value == pytest.approx((4 + 8) / 2)
    without = {task: score for task, score in scores.items() if TASKS[task][1] != "mixed"}
    some = table(without, lambda task: task).whole().value
    assert some == pytest.approx((8 + 6 + 8) / 3)  # nothing of a category: the mean of the others
