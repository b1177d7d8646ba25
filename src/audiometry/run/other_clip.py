"""Other items, drawn: whose clip stands in for an item's own, and who may be an example before it."""

from __future__ import annotations

from collections.abc import Iterator

from audiometry import seeds
from audiometry.bench import Benchmark
from audiometry.records import Item

DRAWS = 64  # before every item is looked at in turn


class OtherItems:
    """Draws items of a benchmark, the choice resting on their ids alone and not on their order.

    Nothing is read before the first is drawn.

    Args:
        benchmark: whose items.
        seed: of the run.
        name: of the stream that orders them.
    """

    def __init__(self, benchmark: Benchmark, seed: int, name: str) -> None:
        self._benchmark, self._seed, self._name = benchmark, seed, name
        self._order: dict[str, list[int]] = {}

    def drawn(self, task: str, draw: seeds.Stream, *, elsewhere: bool = False) -> Iterator[Item]:
        """Items of a task, or of the others, at random, and then all of them, so that whoever looks for one finds it.

        Args:
            task: of an item.
            draw: what decides, `DRAWS` times.
            elsewhere: of the other tasks instead.
        """
        tasks, at = self._by_task(), self._benchmark.items.at
        positions = tasks.get(task, [])
        if elsewhere:
            positions = [position for name, those in tasks.items() if name != task for position in those]
        for _ in range(DRAWS if positions else 0):
            yield at(draw.pick(positions))
        yield from map(at, positions)

    def _by_task(self) -> dict[str, list[int]]:
        """Positions by task, in an order that the ids alone decide."""
        if not self._order:
            items = self._benchmark.items
            keys = [(seeds.number(self._seed, self._name, items.at(p).id), p) for p in range(len(items))]
            for _, position in sorted(keys):
                self._order.setdefault(items.task_of(position), []).append(position)
            self._order = dict(sorted(self._order.items()))
        return self._order


class OtherClips:
    """Draws, for each item, items whose clip can stand in for its own.

    Preferred are items of the same task with another answer. The same task, so that the clip is of the kind the
    question expects and nothing but listening tells that it is the wrong one. Another answer, because where the other
    clip has the same one a model that listens is right as before. (MuChoMusic draws any other track; there, as good as
    all answers differ.) Next come items of the same task, then of other tasks; never one without a clip or of the
    same cluster, which may share the recording or the speaker.

    What is drawn depends on the seed, the item's id and the items of the benchmark, not on their order or on how many
    are asked.

    Args:
        benchmark: whose items.
        seed: of the run.
    """

    def __init__(self, benchmark: Benchmark, seed: int) -> None:
        self._seed, self._items = seed, OtherItems(benchmark, seed, "other-clip")

    def candidates(self, item: Item) -> Iterator[Item]:
        """Items whose clip may be taken, the first choice first, each once; none if there are none."""
        draw = seeds.stream(self._seed, "other-clip", item.id)
        same_answer: dict[str, Item] = {}
        given: set[str] = set()
        for other in self._items.drawn(item.task, draw):
            if other.id in given or other.id in same_answer or not _may_stand_in(other, item):
                continue
            if other.answer is not None and other.answer == item.answer:
                same_answer[other.id] = other
                continue
            given.add(other.id)
            yield other
        yield from same_answer.values()
        for other in self._items.drawn(item.task, draw, elsewhere=True):
            if other.id not in given and _may_stand_in(other, item):
                given.add(other.id)
                yield other


def _may_stand_in(other: Item, item: Item) -> bool:
    return bool(other.clips) and other.id != item.id and other.cluster != item.cluster
