"""AIR-Bench's printed table of systems out of its printed table of tasks, by the code that averages a run."""

from decimal import Decimal
from fractions import Fraction
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.records import State
from audiometry.render.numbers import half_up, percent
from audiometry.score.averages import averages, shares
from audiometry.score.items import ItemTable
from audiometry.score.measures import MEASURES
from audiometry.score.profiles import PROFILES
from audiometry.score.published import printed_beside, published, published_tasks
from audiometry.score.rows import categories_of, tasks_of
from audiometry.score.sheet import CODE, Sheet
from audiometry.score.table import Table

FOUNDATION = {system.name: system for system in published("airbench/foundation")}
TASKS = published_tasks("airbench/foundation")
CATEGORY_OF = {task.task_name: task.category for task in TASKS}
IN_TABLE_5 = [name for name, system in FOUNDATION.items() if system.tasks]


def test_nine_systems_are_published_and_all_but_one_by_task():
    assert len(FOUNDATION) == 9
    assert [name for name in FOUNDATION if name not in IN_TABLE_5] == ["Macaw-LLM"]
    assert [task.category for task in TASKS] == ["speech"] * 9 + ["sound"] * 4 + ["music"] * 6


@pytest.mark.parametrize("name", IN_TABLE_5)
def test_table_3_comes_out_of_table_5(name):
    system = FOUNDATION[name]
    found = averages(system.tasks, CATEGORY_OF)
    printed = {category: value and half_up(100 * value) for category, value in found.categories.items()}
    assert printed == {category: value and 100 * value for category, value in system.categories.items()}
    if found.left_out:  # the paper prints no average over a part of the tasks
        assert (name, system.average) == ("Whisper+GPT-4", None)
        assert {CATEGORY_OF[task] for task in found.left_out} == {"sound", "music"}
    else:
        assert half_up(100 * found.overall) == 100 * system.average


@pytest.mark.parametrize("name", [name for name in IN_TABLE_5 if FOUNDATION[name].average is not None])
def test_a_run_with_a_systems_accuracies_prints_its_row_of_table_3(name):
    """A thousand items a task, of which as many are right as the table says, through the aggregation of runs."""
    system = FOUNDATION[name]
    right = [int(1000 * system.tasks[task.task_name]) for task in TASKS]
    n = 1000 * len(TASKS)
    correct = np.concatenate([np.arange(1000) < k for k in right])
    items = ItemTable(
        position=np.arange(n),
        task=np.repeat(np.arange(len(TASKS)), 1000),
        kind=np.zeros(n, np.int64),
        cluster=np.arange(n),
        chance=np.full(n, 0.25),
        reference=np.ones(n, np.bool_),
        clip=np.ones(n, np.bool_),
        tasks=tuple(CATEGORY_OF),
        categories=tuple(CATEGORY_OF.values()),
        pools=tuple(CATEGORY_OF),
        shape=np.zeros(n, np.int64),
    )
    one = np.ones((n, 1), np.bool_)
    sheet = Sheet(
        run=None,
        profile=PROFILES.named("strict"),
        measure=MEASURES.named("accuracy"),
        items=items,
        variants=("plain",),
        state=np.full((n, 1), CODE[State.ANSWERED], np.int8),
        parts=np.stack([correct, np.ones(n)], axis=1).reshape(n, 1, 2).astype(float),
        counted=one,
        worst=None,
        best=None,
        letter=np.full((n, 1), -1, np.int8),
        gold=np.full((n, 1), -1, np.int8),
        option=np.full((n, 1), -1, np.int8),
        guessed=~one,
        why={},
        blocked=frozenset(),
        left_out={},
    )
    table = Table(sheet)
    found, average = table.whole(), table.averaged_by
    assert average == "categories"
    assert percent(found.value) == percent(system.average)
    assert {c: percent(row.value) for c, row in categories_of(table).items()} == {
        c: percent(value) for c, value in system.categories.items()
    }
    assert {t: percent(row.value) for t, row in tasks_of(table).items()} == {
        t: percent(value) for t, value in system.tasks.items()
    }


def test_the_printed_numbers_are_the_papers():
    turbo = FOUNDATION["Qwen-Audio Turbo"]
    assert turbo.tasks["Speaker_Emotion_Recontion"] == Decimal("0.600")
    assert (turbo.average, turbo.plain_matching) == (Decimal("0.578"), Decimal("0.482"))
    assert FOUNDATION["Whisper+GPT-4"].plain_matching is None
    assert "2402.07729" in turbo.source
    chat = {system.name: system for system in published("airbench/chat")}
    assert chat["SALMONN"].average == Decimal("6.11")
    assert chat["SALMONN"].categories["mixed"] == Decimal("6.08")
    assert [name for name, system in chat.items() if system.later] == ["Qwen2-Audio", "Gemini-1.5-pro"]
    assert chat["Qwen2-Audio"].average == Decimal("6.93")
    assert "ranking list" in chat["Qwen2-Audio"].source != chat["SALMONN"].source == turbo.source
    assert (printed_beside("airbench/chat"), printed_beside("mini")) == ("airbench/foundation", "")
    assert published("mini") == ()


@given(st.lists(st.tuples(st.integers(0, 1000), st.sampled_from(["a", "b", "c"])), min_size=1, max_size=12))
def test_averages_against_means_of_means(rows):
    values = {str(n): Fraction(value, 1000) for n, (value, _) in enumerate(rows)}
    category_of = {str(n): category for n, (_, category) in enumerate(rows)}
    groups = {c: [values[t] for t in values if category_of[t] == c] for c in category_of.values()}
    found = averages(values, category_of)
    assert found.categories == {c: mean(group) for c, group in groups.items()}
    assert found.overall == mean(mean(group) for group in groups.values())
    assert sum(shares(list(category_of.values()))) == 1


def test_tasks_without_a_number_are_left_out_and_named():
    found = averages({"a": Fraction(1, 2), "b": None, "c": None}, {"a": "speech", "b": "speech", "c": "music"})
    assert (found.categories, found.overall) == ({"speech": Fraction(1, 2), "music": None}, Fraction(1, 2))
    assert found.left_out == ("b", "c")
    assert averages({"a": None}, {"a": ""}).overall is None


def test_one_task_without_a_category_makes_it_a_mean_of_tasks():
    values = {"a": Fraction(1), "b": Fraction(0), "c": Fraction(0)}
    assert averages(values, {"a": "speech", "b": "music", "c": ""}).overall == Fraction(1, 3)
    assert averages(values, {"a": "speech", "b": "music", "c": "music"}).overall == Fraction(1, 2)


@pytest.mark.parametrize(
    ("value", "printed"),
    [(0.3595, "36.0"), (0.0625, "6.3"), (0.0005, "0.1"), (0.1 + 0.2 - 0.05, "25.0"), (1.0, "100.0"), (0, "0.0")],
)
def test_halves_are_rounded_up_whatever_binary_numbers_make_of_them(value, printed):
    assert percent(value) == printed
    assert half_up(Fraction(str(round(value, 12))) * 100) == Decimal(printed)


def test_exact_shares_print_without_a_detour_over_binary_numbers():
    assert percent(Decimal("0.3595")) == "36.0"
    assert percent(None) == "none"
    assert half_up(Decimal("6.345"), 2) == Decimal("6.35")
