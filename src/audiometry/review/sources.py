"""What there is to review, as units: items of a benchmark, replies of runs, pairs of replies, suspected answers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, zip_longest

import msgspec

from audiometry import seeds
from audiometry.bench import Benchmark
from audiometry.choices.variant import PLAIN, shown_options
from audiometry.errors import UsageError, shown
from audiometry.files.build_folder import read_info
from audiometry.records import Item
from audiometry.review.unit import Judged, Unit
from audiometry.score.judge.question import shown_reply
from audiometry.score.opened import OpenedRun
from audiometry.score.replies import Replies


def items(benchmark: Benchmark) -> list[Unit]:
    """The items of a benchmark."""
    titles = {name: benchmark.card.title_of(name) for name in benchmark.tasks()}
    return [
        Unit(
            item=item,
            title=titles.get(item.task, item.task),
            asked=benchmark.asked(item, PLAIN).question,
            options=item.options,
        )
        for item in benchmark
    ]


def wordings(benchmark: Benchmark) -> list[Unit]:
    """Those that a model wrote for the questions of a build, each with the examples that it was to be like."""
    if (info := read_info(benchmark.root)) is None:
        return []
    return [
        Unit(
            item=Item(id=f"wording:{task}:{_named(task, text)}", task=task, question=text),
            title=benchmark.card.title_of(task),
            given=tuple(one for one in info.wordings.get(task, ()) if one not in own),
        )
        for task, own in info.written.items()
        for text in own
    ]


def _named(task: str, text: str) -> str:
    return hashlib.sha256(msgspec.json.encode((task, text))).hexdigest()[:8]


def replies(run: OpenedRun) -> list[Unit]:
    """The replies of a run to its items in their own wording and order, in the order of the benchmark.

    Those that never came, or say nothing, are not there. Reasoning is left out, as judges are not shown it either.
    """
    card, found = run.benchmark.card, dict[int, Unit]()
    for row, column, record in Replies(run):
        if run.info.variants[column] != PLAIN or not (text := shown_reply(record.text or "")):
            continue
        item = run.benchmark.asked(run.benchmark.items.at(run.positions[row]), PLAIN)
        options = shown_options(item, seed=run.info.seed, variant=PLAIN)
        said = (Judged(run.info.called, text),)
        found[row] = Unit(item=item, title=card.title_of(item.task), replies=said, options=options)
    return [found[row] for row in sorted(found)]


def pairs(runs: Sequence[OpenedRun], n: int | None, seed: int) -> list[Unit]:
    """Two models' replies to one item: of all pairs of models as many, drawn at random.

    Args:
        runs: of different models, on one benchmark.
        n: how many in all; None: every pair on every item.
        seed: of the draw.

    Raises:
        UsageError: two runs are of one model, or of different benchmarks.
    """
    alike(runs)
    said = [{unit.item.id: unit for unit in replies(run)} for run in runs]
    drawn = list[list[Unit]]()
    for a, b in combinations(range(len(runs)), 2):
        both = [
            msgspec.structs.replace(unit, replies=(*unit.replies, *other.replies))
            for name, unit in said[a].items()
            if (other := said[b].get(name)) is not None
        ]
        drawn.append(seeds.stream(seed, "review pairs", str(a), str(b)).shuffled(both))
    in_turn = [unit for turn in zip_longest(*drawn) for unit in turn if unit is not None]
    return in_turn[:n]


def suspects(benchmark: Benchmark, wrong: Iterable[Mapping[str, str]], answered: Mapping[str, int]) -> list[Unit]:
    """Items of which more than half of the models, and at least two, chose the same wrong option.

    Args:
        benchmark: of the items.
        wrong: for each run, by item the text of the wrong option that was chosen.
        answered: by item, how many runs there are a reply of.
    """
    chosen: dict[str, Counter[str]] = {}
    for one in wrong:
        for name, option in one.items():
            chosen.setdefault(name, Counter())[option] += 1
    found = []
    for unit in items(benchmark):
        (option, n), *_ = chosen.get(unit.item.id, Counter({"": 0})).most_common(1)
        if n >= 2 and 2 * n > answered.get(unit.item.id, 0) and unit.item.answer:  # noqa: PLR2004  one model may just err
            found.append(msgspec.structs.replace(unit, suspects=(unit.item.answer, option)))
    return found


def alike(runs: Sequence[OpenedRun]) -> None:
    """Raise if runs cannot be reviewed together.

    Raises:
        UsageError: two are of one model, or of different benchmarks.
    """
    names = [run.info.called for run in runs]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UsageError(f"two of the runs are of {shown(twice)}; give one run of each model")
    if len({run.benchmark.sha256 for run in runs}) > 1:
        raise UsageError("the runs are over different benchmarks, or versions of one; give runs over the same")
