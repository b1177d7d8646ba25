"""Scoring grows with the number of items, and no faster: numbers that are held are counted, not time."""

import gc
import json
import tracemalloc

import pytest

from audiometry.programs import parallel
from audiometry.score import score


@pytest.mark.slow
def test_scoring_holds_few_bytes_an_item(make_benchmark, make_run, monkeypatch):
    """It held 320 when copies of all columns and both halves of a variance were there at once."""
    monkeypatch.setattr(parallel, "processors", lambda: 1)  # what is read is not shared, or not always alike
    used = {}
    for n in (
        100,
        1_000,
        3_000,
        1_000,
        3_000,
    ):  # the first loads what is loaded once; what else is made once is no growth
        items = [{"task": f"t{k % 19}", "group": f"g{k // 3}", "tags": {"folder": f"f{k % 25}"}} for k in range(n)]
        run = make_run(make_benchmark(items, clips=False), {f"item-{k:05}": "ABCD"[k % 3] for k in range(n)})
        tracemalloc.start()
        gc.collect()
        score(run, store=False)
        most = tracemalloc.get_traced_memory()[1]
        used[n] = min(used.get(n, most), most)
        tracemalloc.stop()
    assert used[3_000] - used[1_000] < 250 * 2_000


def test_as_many_labels_as_items_take_memory_as_they_grow(make_benchmark, make_run, monkeypatch):
    """Of macro F1 each label has three columns: a table of all items and all of them grew with the square."""
    monkeypatch.setattr(parallel, "processors", lambda: 1)
    used = []
    for n in (50, 300, 1_200):  # the first loads what is loaded once
        labels = [f"label number {k}" for k in range(n)]
        card = f'[benchmark]\nname = "made"\n[[task]]\nname = "t"\nkind = "label"\nlabels = {json.dumps(labels)}\n'
        items = [{"task": "t", "options": [], "answer": label} for label in labels]
        said = {f"item-{k:05}": labels[k - k % 2] for k in range(n)}
        run = make_run(make_benchmark(items, card=card, clips=False), said)
        tracemalloc.start()
        found = score(run, store=False).scores["macro-f1"]
        used.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.value == pytest.approx(1 / 3)
    assert used[2] < 5 * used[1]
