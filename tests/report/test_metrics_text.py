"""The table of a metric, read at 80 columns."""

import io

import pytest
from rich.console import Console

from audiometry.records import BenchmarkInfo, Card, Task
from audiometry.report.metrics_text import metrics_report, number
from audiometry.score.measuring.result import Measured, MetricRow

CARD = Card(benchmark=BenchmarkInfo(name="made"), task=(Task(name="read", title="Read speech", category="speech"),))


def row(value, **changes):
    fields = {"interval": None, "n_items": 5, "n_clusters": 5, "n_replies": 5, "n_scored": 5}
    fields |= {"n_failed": 0, "n_refused": 0, "n_empty": 0} | changes
    return MetricRow(value=value, **fields)


def measured(value=0.25, **changes):
    plain = row(value, interval=(0.1, 0.4))
    fields = {name: getattr(plain, name) for name in MetricRow.__struct_fields__}
    fields |= {"signature": "wer.1+made", "unit": "errors per reference word", "higher_is_better": False}
    fields |= {"highest": None, "average": "corpus", "pooled": value, "complete": True, "rankable": True}
    fields |= {"failures": {}, "unscored": {}, "n_cut": 0, "n_with_options": 0, "n_without_reference": 0}
    fields |= {"ratings": "ratings/metric-wer.jsonl", "categories": {}, "tasks": {"read": plain}}
    return Measured(**(fields | changes))


def printed(*found):
    file = io.StringIO()
    Console(file=file, width=80, highlight=False).print(
        metrics_report("made/by-hand", {f"wer{n or ''}": one for n, one in enumerate(found)}, CARD)
    )
    return file.getvalue()


def cells(text, first):
    line = next(line for line in text.splitlines() if line.strip().startswith(first))
    return line.split()


def test_one_task_is_its_row_and_the_whole():
    text = printed(measured())
    assert "wer of made/by-hand: errors per reference word; lower is better" in text
    assert cells(text, "task") == ["task", "items", "value", "95", "%", "failed"]
    assert cells(text, "Read speech") == ["Read", "speech", "5", "0.250", "0.100", "to", "0.400", "0"]
    assert cells(text, "all") == ["all", "5", "0.250", "0.100", "to", "0.400", "0"]
    assert "one corpus" not in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_categories_the_pooled_value_and_tasks_without_a_number_are_said():
    tasks = {"read": row(0.1), "silent": row(None)}
    groups = {"speech": row(0.1), "sound": row(12.34)}
    text = printed(measured(tasks=tasks, categories=groups, average="categories", pooled=0.2, left_out=("silent",)))
    assert cells(text, "silent") == ["silent", "5", "none", "none", "0"]
    assert cells(text, "sound") == ["sound", "5", "12.3", "none", "0"]
    assert cells(text, "mean of categories")[:3] == ["mean", "of", "categories"]
    assert "All items as one corpus: 0.200." in text
    assert "Without a number and in no average: silent." in text


def test_what_is_lost_is_said_with_how_far_it_may_matter():
    lost = {"complete": False, "failures": {"timeout": 2}, "unscored": {"crash": 1}, "n_unscored": 1, "n_refused": 3}
    flat = " ".join(printed(measured(bounds=(0.1, 0.3), **lost)).split())
    assert (
        "Incomplete: timeout 2, crash 1; had each been empty or perfect, the value would lie between 0.100 and 0.300."
        in flat
    )
    assert "task items value 95 % refused failed unscored" in flat
    flat = " ".join(printed(measured(rankable=False, **lost)).split())
    assert (
        "how far the value may be off is not known; more than 1 % are lost, so this number is not to be ranked." in flat
    )


def test_items_left_out_are_said_once_for_all_metrics():
    text = " ".join(printed(*[measured(n_with_options=7, n_without_reference=1234, notes=("seen",))] * 2).split())
    assert text.count("Left out, since they have options: 7 items.") == 1
    assert text.count("Left out, since they are open but have no reference: 1,234 items.") == 1
    assert text.count("Note: seen.") == 2


@pytest.mark.parametrize(("value", "text"), [(0, "0.000"), (9.9996, "10.000"), (-12.34, "-12.3"), (100, "100.0")])
def test_numbers(value, text):
    assert number(value) == text
