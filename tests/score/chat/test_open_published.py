"""The paper's chat averages, by the code that averages a run, and the two that contradict their own row."""

from fractions import Fraction

import numpy as np
import pytest

from audiometry.score.aggregate import ItemTable
from audiometry.score.averages import half_up
from audiometry.score.chat.tree import Tree
from audiometry.score.published import published, slips

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


def tree() -> Tree:
    sizes = [size for size, _, _ in TASKS.values()]
    task = np.repeat(np.arange(len(TASKS)), sizes)
    pools = tuple(dict.fromkeys(pool for _, _, pool in TASKS.values()))
    pool = np.array([pools.index(pool) for _, _, pool in TASKS.values()])
    n = len(task)
    items = ItemTable(
        task=task,
        cluster=np.arange(n),
        chance=np.zeros(n),
        folder=np.full(n, -1),
        tasks=tuple(TASKS),
        categories=tuple(category for _, category, _ in TASKS.values()),
    )
    of_pool = {pool: category for _, category, pool in TASKS.values()}
    return Tree(items, pool[task], pools, tuple(of_pool[name] for name in pools))


@pytest.mark.parametrize("name", COMPLETE)
def test_a_run_with_a_systems_categories_has_its_average(name):
    where, system = tree(), CHAT[name]
    category = np.array([where.categories[code] for code in where.pool])
    scores = np.select([category == c for c in CATEGORIES], [float(system.categories[c]) for c in CATEGORIES])
    whole = where.of().mean(scores)
    assert where.averaged_by == "categories"
    rounded, cut = half_up(whole, 2), Fraction(int(Fraction(str(round(whole, 6))) * 100), 100)
    reproduced = system.average == rounded or Fraction(system.average) == cut
    assert reproduced == (name not in SLIPS)


def test_eight_systems_have_an_average_and_two_are_slips_of_the_paper():
    assert len(COMPLETE) == 8
    assert {(one.system, one.printed, one.computed) for one in slips("airbench/chat")} == {
        ("NExT-GPT", CHAT["NExT-GPT"].average, Fraction(393, 100)),
        ("Macaw-LLM", CHAT["Macaw-LLM"].average, Fraction(9725, 10000)),
    }


def test_the_foundation_table_has_none_and_others_have_no_table():
    assert slips("airbench/foundation") == ()
    assert slips("mini/chat") == ()


def test_pools_are_of_items_and_mixed_audio_of_tasks():
    where = tree()
    task = np.array(where.items.tasks)[where.items.task]
    scores = np.select(
        [task == "sound_QA", task == "sound_generation_QA", task == "speech_and_sound_QA"], [5.0, 10, 4], 8
    )
    category = np.array([where.categories[code] for code in where.pool])
    assert where.of(category == "sound").mean(scores) == pytest.approx((400 * 5 + 100 * 10) / 500)
    assert where.of(category == "mixed").mean(scores[:]) == pytest.approx((4 + 8) / 2)
    some = np.where(category == "mixed", np.nan, scores)
    assert where.of().mean(some) == pytest.approx((8 + 6 + 8) / 3)  # nothing of a category: the mean of the others
