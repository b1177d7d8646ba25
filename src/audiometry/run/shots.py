"""Worked examples: questions with their answers that are shown before an item (``--shots N``).

In words alone they are those of the benchmark's card, in its order, and where it has none for a task other items of the
benchmark; with their clips they are always other items. Which items, and under which letter an example's right option
stands, is drawn by the run's seed and the item's id, alike in every variant. No letter is favoured: over items each is
as likely, and within a prompt the right letters differ as far as they can.

Nothing may tell the item's own answer. An example of the same cluster is never shown, nor one with the item's own
question and answer out of a card, nor for questions without options an item of the same answer. Of other items those
with another question come first; where a task asks all its items the same, their answers play no part in the draw,
since never to show the right one would tell it as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from audiometry import seeds
from audiometry.bench import Benchmark
from audiometry.bench.example import fitting
from audiometry.choices.fewer import fewer
from audiometry.choices.variant import PLAIN, TEXT_ONLY
from audiometry.errors import AudioError, UsageError, counted, shown
from audiometry.files.run_folder import PromptStamp
from audiometry.records import Item, ModelCard
from audiometry.run.layout import Shot
from audiometry.run.other_clip import DRAWS, OtherItems

MOST_SHOTS = 5
NAME = "shots"


class Shots:
    """Gives the examples that go before each item.

    Args:
        benchmark: whose items.
        seed: of the run.
        how: says how many, and whether with their clips.
    """

    def __init__(self, benchmark: Benchmark, seed: int, how: PromptStamp) -> None:
        self._benchmark, self._seed, self._n, self._heard = benchmark, seed, how.shots, how.shots_with == "audio"
        self._others = OtherItems(benchmark, seed, NAME)

    def of(self, item: Item, variant: str) -> tuple[Shot, ...]:
        """The examples before an item in a variant; none with fewer options, and without sound in words alone.

        Args:
            item: as the benchmark has it, in its own words.
            variant: how it is asked.

        Raises:
            AudioError: there are not so many.
        """
        if not self._n or fewer(variant) is not None:
            return ()
        found = list(islice(self._candidates(item), self._n))
        if len(found) < self._n:
            raise AudioError(f"item {item.id}: the benchmark has no {self._n} examples for it; ask with fewer --shots")
        heard = self._heard and variant != TEXT_ONLY
        return tuple(self._shown(item, one, k, variant, heard=heard) for k, one in enumerate(found))

    def _candidates(self, item: Item) -> Iterator[Item]:
        for one in () if self._heard else fitting(self._benchmark.card, item.task, options=bool(item.options)):
            if (one.question, one.answer) != (item.question, item.answer):
                yield Item(id="", task=item.task, question=one.question, options=one.options, answer=one.answer)
        draw = seeds.stream(self._seed, NAME, item.id)
        given: set[str] = set()
        for task in (True, False):
            alike: dict[str, Item] = {}
            for number, other in enumerate(self._others.drawn(item.task, draw, elsewhere=not task)):
                if number == DRAWS:
                    yield from alike.values()
                    given |= alike.keys()
                if other.id in given or other.id in alike or not self._may(other, item):
                    continue
                if number < DRAWS and other.question == item.question:
                    alike[other.id] = other
                    continue
                given.add(other.id)
                yield other

    def _may(self, other: Item, item: Item) -> bool:
        return (
            can_show(other, heard=self._heard)
            and other.cluster != item.cluster
            and kind_of(self._benchmark, other) == (kind := kind_of(self._benchmark, item))
            and (kind in CLOSED or other.answer != item.answer)
        )

    def _shown(self, item: Item, one: Item, k: int, variant: str, *, heard: bool) -> Shot:
        try:
            asked = self._benchmark.asked(one, variant)
        except UsageError:  # another task, with fewer wordings
            asked = self._benchmark.asked(one, PLAIN)
        return Shot(asked, self._in_order(item, one, k), one.clips if heard else ())

    def _in_order(self, item: Item, one: Item, k: int) -> tuple[str, ...]:
        """The options of an example, the right one where it is drawn."""
        n = len(one.options)
        if not n:
            return ()
        places = seeds.stream(self._seed, NAME, "letters", str(n), item.id).shuffled(range(n))
        wrong = [option for option in one.options if option != one.answer]
        wrong = seeds.stream(self._seed, NAME, "options", str(k), item.id).shuffled(wrong)
        wrong.insert(places[k % n], one.answer or "")
        return tuple(wrong)


CLOSED = frozenset({"choice", "label"})
"""Kinds of task whose items share their answers."""


def kind_of(benchmark: Benchmark, item: Item) -> str:
    """What an answer to an item is."""
    return "choice" if item.options else benchmark.card.task_named(item.task).kind


def can_show(item: Item, *, heard: bool) -> bool:
    """Whether an item may be an example at all: its right answer is known, and with sound it has a clip."""
    return bool((item.answer or "").strip()) and (bool(item.clips) or not heard)


def refuse(benchmark: Benchmark, positions: Iterable[int], how: PromptStamp, card: ModelCard, model: str) -> None:
    """Refuse more examples than a benchmark has for what is asked, and clips among the words where they cannot stand.

    Args:
        benchmark: whose items.
        positions: of those that are asked.
        how: says how many examples, and whether with their clips.
        card: of the model.
        model: how messages call it.

    Raises:
        UsageError: there are not so many, or the model does not take them.
    """
    if how.shots and how.shots_with == "audio" and card.fixed_order:
        raise UsageError(
            f"--shots-with audio: {shown(model, 200)} takes prompts {card.part_order} alone, and each example has a "
            "clip and words; leave it out for examples in words"
        )
    first = {benchmark.items.task_of(position): position for position in reversed(list(positions))} if how.shots else {}
    heard, name = how.shots_with == "audio", shown(benchmark.name)
    lacking: dict[str, str] = {}
    for task, position in first.items():
        item = benchmark.items.at(position)
        of_card = [] if heard else fitting(benchmark.card, task, options=bool(item.options))
        if len(of_card) >= how.shots:
            continue
        if of_card:
            raise UsageError(
                f"--shots {how.shots}: {name} has {counted(len(of_card), 'example')} for task {shown(task)}; "
                f"ask for {len(of_card)}"
            )
        lacking[kind_of(benchmark, item)] = task
    for kind, task in lacking.items():
        _refuse_few(benchmark, kind, task, how.shots, heard=heard)


def _refuse_few(benchmark: Benchmark, kind: str, task: str, shots: int, *, heard: bool) -> None:
    """Refuse where an item may find too few others: one cluster is its own, and one answer of open questions."""
    needed = shots + (1 if kind in CLOSED else 2)
    clusters, answers = set[str](), set[str | None]()
    for item in benchmark:
        if kind_of(benchmark, item) == kind and can_show(item, heard=heard):
            clusters.add(item.cluster)
            answers.add(item.answer)
            if len(clusters) >= needed and (kind in CLOSED or len(answers) >= needed):
                return
    there = (len(clusters) if kind in CLOSED else min(len(clusters), len(answers))) - (needed - shots)
    what = "with a clip and an answer" if heard else "with an answer"
    there_are = f"only {max(0, there)}" if there > 0 else "no"
    raise UsageError(
        f"--shots {shots}{' --shots-with audio' if heard else ''}: for task {shown(task)} {shown(benchmark.name)} has "
        f"{there_are} independent items {what} to show; {f'ask for {there}' if there > 0 else 'leave it out'}"
    )
