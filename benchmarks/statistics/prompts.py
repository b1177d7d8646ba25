"""Measure what `audiometry variance` claims: the errors of its sources, best against worst where nothing is, places.

    python benchmarks/statistics/prompts.py
    python benchmarks/statistics/prompts.py --replicates 100

A reply is right with a probability that is the sum of effects: of the item (or of its clip), the wording, the order,
the item in a wording and in an order. The truth about a source is how far the score expected moves where its effects
alone are drawn anew (of chance, how far the score moves where all else stays); it is held against the standard error
that the split finds for it.
"""

from __future__ import annotations

import argparse
from itertools import combinations, repeat
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.analysis.variance.influence import Leaf, Sums, held_of
from audiometry.analysis.variance.places import drawn_anew
from audiometry.choices.variant import asked_names
from audiometry.stats.compare import compare
from audiometry.stats.crossed import components
from audiometry.stats.f1 import macro_f1
from audiometry.stats.multiplicity import holm
from audiometry.stats.parts import SHARE, Parts, Scale, ratio

Floats = NDArray[np.float64]
SEED, SWAPS, ANEW = 12, 499, 60
FACTORS = ("item", "wording", "order")
SOURCES = (("item",), ("wording",), ("order",), ("item", "wording"), ("item", "order"), ())
"""Those with effects of their own; the last is chance."""


class Setting(msgspec.Struct, frozen=True):
    """One kind of benchmark and model.

    Attributes:
        name: of it.
        items: of the benchmark.
        each: items a clip, or of each clip.
        wordings: that they are asked in.
        tasks: of as many items each, of which the score is the mean.
        classes: of macro F1; 0: accuracy.
        spread: of the effects of each source but chance, as standard deviations, in the order of `SOURCES`.
        rate: of right replies, on average.
    """

    name: str
    items: int
    each: int | tuple[int, ...] = 1
    wordings: int = 3
    tasks: int = 1
    classes: int = 0
    spread: tuple[float, ...] = (0.15, 0.05, 0.03, 0.08, 0.05)
    rate: float = 0.6

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Items, wordings, orders and repeats."""
        return self.items, self.wordings, 2, 2

    @property
    def sizes_of_clips(self) -> tuple[int, ...]:
        """Items of each clip."""
        return self.each if isinstance(self.each, tuple) else (self.each,) * (self.items // self.each)

    @property
    def clip(self) -> NDArray[np.int64]:
        """Of each item."""
        return np.repeat(np.arange(len(self.sizes_of_clips)), self.sizes_of_clips)

    def sizes(self, source: tuple[str, ...]) -> tuple[int, ...]:
        """Of the effects of a source, 1 for what it does not hang on."""
        items, wordings, orders, _ = self.shape
        if not source:
            return self.shape
        levels = {"item": items, "wording": wordings, "order": orders}
        return (*(levels[one] if one in source else 1 for one in FACTORS), 1)

    def effects(self, at: int, rng: np.random.Generator) -> Floats:
        """The effects of one source drawn anew: items of a clip share their own; of chance, what decides each reply."""
        if not SOURCES[at]:
            return rng.random(self.shape)
        found = rng.normal(0, self.spread[at], self.sizes(SOURCES[at]))
        return found[self.clip] if SOURCES[at] == ("item",) else found

    def expected(self, effects: list[Floats]) -> Floats:
        """How likely each reply is right, ``float64[items, wordings, orders, repeats]``."""
        chance = sum(effects[:-1], np.full((1, 1, 1, 1), self.rate)).clip(0.02, 0.98)
        return np.broadcast_to(chance, self.shape)

    def right(self, effects: list[Floats]) -> Floats:
        """Which replies are right: 1, else 0."""
        return (effects[-1] < self.expected(effects)).astype(np.float64)

    def sums(self, right: Floats) -> Floats:
        """Parts of each clip in each way, ``float64[clips, ways, k]``; a wrong label is the one after the right one."""
        flat = right.reshape(self.items, -1)
        if not self.classes:
            found = np.stack((flat, np.ones_like(flat)), axis=-1).astype(np.float64)
        else:
            gold = self.clip % self.classes
            found = np.zeros((*flat.shape, 3 * self.classes))
            rows = np.arange(self.items)
            found[rows, :, 3 * gold] = flat
            found[rows, :, 3 * gold + 1] = 1
            found[rows, :, 3 * gold + 2] = flat
            found[rows, :, 3 * ((gold + 1) % self.classes) + 2] = 1 - flat
        return np.asarray(np.add.reduceat(found, np.cumsum((0, *self.sizes_of_clips[:-1])), axis=0))

    def whole(self, right: Floats) -> Sums:
        """The same as the split takes it."""
        sums = self.sums(right)
        value = macro_f1 if self.classes else ratio
        sheet: Any = SimpleNamespace(measure=SimpleNamespace(value=value), variants=range(sums.shape[1]))
        return Sums(sheet, tuple(map(self.leaf, np.split(np.arange(len(sums)), self.tasks), repeat(sums))), len(sums))

    def leaf(self, clips: NDArray[np.int64], sums: Floats) -> Leaf:
        """A task of these clips."""
        size = np.array(self.sizes_of_clips, np.float64)[clips]
        share = size / size.sum()
        held = held_of(sums[clips, 0, 1::3]) if self.classes else share
        return Leaf(1 / self.tasks, clips, share, held, sums[clips])


SETTINGS = (
    Setting("20 items", 20),
    Setting("200 items of very unequal difficulty", 200, spread=(0.3, 0.05, 0.03, 0.05, 0.03)),
    Setting("150 items, macro F1 of 3 classes", 150, classes=3),
    Setting("50 clips of 4 items each", 200, each=4),
    Setting("40 items in 2 wordings", 40, wordings=2),
    Setting("20 clips of 1 item, 5 of 10, 1 of 40", 110, each=(*[1] * 20, *[10] * 5, 40)),
    Setting("mean of 40 tasks of 1 item", 40, tasks=40),
    Setting("mean of 40 tasks of 2 items", 80, tasks=40),
    Setting("mean of 10 tasks of 8 items, macro F1 of 4 classes", 80, tasks=10, classes=4),
)
ALONE = SETTINGS[:4]
"""Whose best and worst wordings are compared: of one task."""


def found(setting: Setting, right: Floats) -> list[float]:
    """The standard error of each of `SOURCES`, squared, as the split finds it."""
    values = setting.whole(right).pseudo_values()
    parts = {one.factors: one.of_mean for one in components(values.reshape(-1, *setting.shape[1:]), FACTORS)}
    return [parts[source] for source in SOURCES]


def truth(setting: Setting, rng: np.random.Generator) -> list[float]:
    """How far the score moves where one source alone is drawn anew, squared, of one world."""
    effects = [setting.effects(at, rng) for at in range(len(SOURCES))]
    moved = []
    for at in range(len(SOURCES)):
        drawn = ([*effects[:at], setting.effects(at, rng), *effects[at + 1 :]] for _ in range(ANEW))
        made = setting.expected if SOURCES[at] else setting.right
        moved.append(float(np.var([setting.whole(made(one)).values().mean() for one in drawn], ddof=1)))
    return moved


def errors(setting: Setting, replicates: int) -> tuple[Floats, Floats]:
    """Of each source the true spread of the score and its standard error as found, root mean squares, ``float64[6]``.

    Args:
        setting: what is simulated.
        replicates: runs that are split, and a quarter as many worlds in which each source is drawn anew.
    """
    rng = seeds.generator(SEED, "errors", setting.name)
    every = [
        found(setting, setting.right([setting.effects(at, rng) for at in range(len(SOURCES))]))
        for _ in range(replicates)
    ]
    true = [truth(setting, rng) for _ in range(max(10, replicates // 4))]
    return np.sqrt(np.mean(true, axis=0)), np.sqrt(np.mean(every, axis=0))


def covers(wordings: int, replicates: int) -> float:
    """How often the score of 100 items and two standard errors either way hold what all wordings would give: .5."""
    setting = Setting("", 100, wordings=wordings, spread=(0.15, 0.1, 0.0, 0.08, 0.0), rate=0.5)
    rng, n = seeds.generator(SEED, "covers", str(wordings)), 0
    for _ in range(replicates):
        right = setting.right([setting.effects(at, rng) for at in range(len(SOURCES))])
        n += abs(float(right.mean()) - setting.rate) < 2 * np.sqrt(sum(found(setting, right)))
    return n / replicates


def rejects(setting: Setting, replicates: int, swaps: int = SWAPS) -> float:
    """How often best and worst of three wordings differ at p < .05, corrected over pairs, where wordings do nothing.

    An item may still be easier in one wording than in another, in either direction alike.
    """
    rng = seeds.generator(SEED, "rejects", setting.name)
    scale = Scale("f1") if setting.classes else SHARE
    value = cast("Any", macro_f1 if setting.classes else ratio)
    n = 0
    for _ in range(replicates):
        effects = [setting.effects(at, rng) for at in range(len(SOURCES))]
        effects[1] = effects[1] * 0
        sums = setting.sums(setting.right(effects))
        ways = sums.reshape(len(sums), *setting.shape[1:3], setting.shape[3], -1)
        of = np.arange(len(sums))
        size = np.array(setting.sizes_of_clips, np.float64)
        sides = [
            Parts(ways[:, wording].reshape(len(sums), -1, ways.shape[-1]), of, of * 0, size)
            for wording in range(setting.shape[1])
        ]
        worth = [float(value(side.dense.sum(axis=0)).mean()) for side in sides]
        pairs = [*combinations(range(len(sides)), 2)]
        ps = [compare(sides[a], sides[b], value, [1.0], scale, rng, swaps=swaps).p or 1.0 for a, b in pairs]
        ends = tuple(sorted((int(np.argmax(worth)), int(np.argmin(worth)))))
        n += ends in pairs and holm(ps)[pairs.index(ends)] < 0.05
    return n / replicates


class Board(msgspec.Struct, frozen=True):
    """Two runs on the same items.

    Attributes:
        items: of the benchmark.
        wordings: that they were asked in.
        spread: standard deviation of a wording's effect on a run, its own for each run.
        tasks: of as many items each.
        ahead: how much the second run is better than the first.
    """

    items: int
    wordings: int = 1
    spread: float = 0.0
    tasks: int = 1
    ahead: float = 0.0

    def runs(self, rng: np.random.Generator) -> list[Sums]:
        """Both, drawn."""
        item = rng.normal(0, 0.2, (self.items, 1))
        setting = Setting("", self.items, tasks=self.tasks)
        of = [0.6 + item + n * self.ahead + rng.normal(0, self.spread, (1, self.wordings)) for n in range(2)]
        made = [setting.whole((rng.random((self.items, self.wordings)) < chance).astype(float)) for chance in of]
        sheet: Any = SimpleNamespace(measure=made[0].sheet.measure, variants=asked_names(1, self.wordings))
        return [msgspec.structs.replace(one, sheet=sheet) for one in made]


BOARDS = (
    *(Board(items, ahead=ahead) for items, ahead in ((6, 0), (10, 0), (100, 0), (100, 0.2))),
    *(Board(40, tasks=tasks) for tasks in (20, 40)),
    Board(200, 2, 0.1),
    Board(200, 3, 0.05),
    Board(200, 3, 0.1),
    Board(1000, 3, 0.05),
    Board(200, 5, 0.1),
    Board(60, 3, 0.05, tasks=20),
    *(Board(200, wordings, ahead=0.2) for wordings in (2, 3, 5)),
)


def firm(board: Board, replicates: int, draws: int = 400) -> float:
    """How often the two runs have one place each in 95 % of the draws of items (and wordings)."""
    rng, n = seeds.generator(SEED, "firm", str(board)), 0
    for number in range(replicates):
        found = drawn_anew("both" if board.wordings > 1 else "items", board.runs(rng), number, draws)
        behind = float((found[:, 0] < found[:, 1]).mean())
        n += not 0.025 < behind < 0.975
    return n / replicates


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--replicates", type=int, default=400)
    replicates = options.parse_args().replicates
    names = ["items", "wordings", "orders", "items × wordings", "items × orders", "chance"]
    print("| standard error found / spread over repetitions, points |", " | ".join(names), "| all |")
    print("|---|" + "---|" * (len(names) + 1))
    for setting in SETTINGS:
        true, ours = errors(setting, replicates)
        both = [*zip(ours, true, strict=True), (np.sqrt((ours**2).sum()), np.sqrt((true**2).sum()))]
        cells = (f"{100 * mine:.2f} / {100 * real:.2f}" for mine, real in both)
        print(f"| {setting.name} |", " | ".join(cells), "|", flush=True)
    print("\n| wordings do nothing | p < .05, % |\n|---|---|")
    for setting in ALONE:
        print(f"| {setting.name} | {100 * rejects(setting, replicates):.1f} |", flush=True)
    print("\n| wordings of 10 points | two standard errors hold the score, % |\n|---|---|")
    for wordings in (2, 3, 5, 10):
        print(f"| {wordings} | {100 * covers(wordings, replicates):.1f} |", flush=True)
    heads = ("items", "tasks", "wordings", "their spread, points", "ahead, points", "one place each, %")
    print("\n|", " | ".join(heads), "|\n" + "|---" * len(heads) + "|")
    for board in BOARDS:
        numbers = (board.items, board.tasks, board.wordings, *(f"{100 * one:g}" for one in (board.spread, board.ahead)))
        print("|", " | ".join(map(str, numbers)), f"| {100 * firm(board, replicates):.1f} |", flush=True)


if __name__ == "__main__":
    main()
