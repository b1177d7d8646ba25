"""How a command asks a benchmark: the variants it names, and what the card asks where nothing is named."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from audiometry.bench import Benchmark
from audiometry.choices import fewer
from audiometry.choices.variant import asked_names, variant_names
from audiometry.errors import UnknownNameError, UsageError, counted, shown
from audiometry.records import Item
from audiometry.run.settings import RunSettings
from audiometry.run.shots import MOST_SHOTS
from audiometry.run.variant import known

CYCLIC = "cyclic"
LEAVE_ONE = "leave-one-out"
SHORT = (CYCLIC, fewer.DISTRACTORS, LEAVE_ONE)
"""Names of ``--variant`` that stand for several."""


def settled(settings: RunSettings, benchmark: Benchmark, positions: Sequence[int]) -> RunSettings:
    """Settings with the orders and examples of the card where nothing else is said, and each variant by its name.

    Args:
        settings: what a person has set.
        benchmark: whose items.
        positions: of those that are asked.

    Raises:
        UsageError: a number is too small or too large, or there is no such variant.
    """
    card = benchmark.card.asked
    orders = card.orders if settings.orders is None else settings.orders
    shots = settings.shots
    if shots is None:
        shots = 0 if settings.recipe else card.shots
    for way, n in (("orders", orders), ("wordings", settings.wordings), ("repeats", settings.repeats)):
        if n < 1:
            raise UsageError(f"--{way} {n}: at least 1 is needed")
    if not 0 <= shots <= MOST_SHOTS:
        raise UsageError(f"--shots {shots}: 0 to {MOST_SHOTS} worked examples can go before a question")
    if settings.shots_with == "audio" and not shots:
        raise UsageError("--shots-with audio: there are no examples; say how many with --shots N, or leave it out")
    asked = _Named(benchmark, positions)
    if CYCLIC in settings.variants:
        orders = max(orders, asked.most_options() + 1)
    aside = tuple(dict.fromkeys(one for name in settings.variants if name != CYCLIC for one in asked.by(name)))
    return msgspec.structs.replace(settings, orders=orders, shots=shots, variants=aside)


def variants(settings: RunSettings) -> tuple[str, ...]:
    """All variants of settled settings, in the order in which they are asked.

    Raises:
        UnknownNameError: there is no such variant.
    """
    own = () if settings.aside_only else asked_names(settings.orders or 1, settings.wordings, settings.repeats)
    less = [name for name in settings.variants if fewer.fewer(name) is not None]
    names = (*known(), *less)
    try:
        return variant_names(own, settings.variants, names)
    except UnknownNameError as problem:
        hint = "items are always asked with their own clip too, as --orders, --wordings and --repeats say"
        every = (*known(), *SHORT, f"{fewer.DISTRACTORS}=…")
        raise UnknownNameError("variant", problem.name, every, hint) from None


def said_by_default(given: RunSettings, benchmark: Benchmark) -> list[str]:
    """What is asked since the card says so, in lines; none where a command says it all or the card says nothing.

    Args:
        given: what a person has set.
        benchmark: whose card.
    """
    card, lines = benchmark.card.asked, []
    if given.orders is None and card.orders > 1 and CYCLIC not in given.variants:
        lines.append(f"asked in {card.orders} orders of the options, as the benchmark's card says; --orders 1: in one")
    if given.shots is None and card.shots:
        after = f"after {counted(card.shots, 'worked example')}"
        how = "with clips" if given.shots_with == "audio" else "in words"
        said = f"asked {after} {how}, as the benchmark's card says; --shots 0: without"
        lines.append(f"the benchmark's card asks {after}; by a recipe there is none" if given.recipe else said)
    return lines


class _Named:
    """What names of ``--variant`` stand for."""

    def __init__(self, benchmark: Benchmark, positions: Sequence[int]) -> None:
        self._benchmark, self._positions = benchmark, positions

    def by(self, name: str) -> Sequence[str]:
        """The variants that a name stands for, itself as it is kept."""
        less = fewer.fewer(name)
        if name == fewer.DISTRACTORS:
            return [one.name for one in self._pairs()]
        if name == LEAVE_ONE or (less is not None and less.leaves):
            return self._leaving(name)
        if name.startswith(f"{fewer.DISTRACTORS}="):
            return [self._kept(name)]
        return [name]

    def most_options(self) -> int:
        """Of any item.

        Raises:
            UsageError: none has any.
        """
        most = max((len(self._item(position).options) for position in self._positions), default=0)
        if not most:
            raise UsageError(f"--variant {CYCLIC}: the items of {self._called} have no options; leave it out")
        return most

    def _kinds(self, name: str) -> list[str]:
        """The kinds of distractor that there are, in the order of the card."""
        there = {kind: None for position in self._positions for kind in self._item(position).kinds if kind}
        if not there:
            raise UsageError(
                f"--variant {shown(name)}: {self._called} does not say of which kind its distractors are; leave it out"
            )
        columns = self._benchmark.card.data.columns.kinds
        order = [*self._benchmark.card.distractors, *(() if isinstance(columns, str) else columns), *there]
        return [kind for kind in dict.fromkeys(order) if kind in there]

    def _pairs(self) -> Sequence[fewer.Fewer]:
        kinds = self._kinds(fewer.DISTRACTORS)
        found = [one for one in fewer.every(kinds) if self._any(one)]
        if not found:
            raise UsageError(
                f"--variant {fewer.DISTRACTORS}: {self._called} has distractors of one kind alone; leave it out"
            )
        return found

    def _kept(self, name: str) -> str:
        wanted, kinds = name.partition("=")[2].split("+"), self._kinds(name)
        for kind in wanted:
            if kind not in kinds:
                raise UnknownNameError("kind of distractor", kind, kinds, f"{self._called} has {', '.join(kinds)}")
        one = fewer.Fewer(tuple(kind for kind in kinds if kind in wanted))
        if not self._any(one):
            raise UsageError(f"--variant {shown(name)}: no item has distractors of all these kinds; name fewer")
        return one.name

    def _leaving(self, name: str) -> Sequence[str]:
        most = max((len(item.options) - 1 for item in map(self._item, self._positions) if item.options), default=0)
        every = [fewer.Fewer(leaves=k).name for k in range(1, most + 1)] if most >= fewer.LEAST else []
        if not every:
            raise UsageError(f"--variant {shown(name)}: no item of {self._called} has two distractors; leave it out")
        if name != LEAVE_ONE and name not in every:
            raise UsageError(f"--variant {shown(name)}: the items of {self._called} have at most {most} distractors")
        return every if name == LEAVE_ONE else [name]

    def _any(self, one: fewer.Fewer) -> bool:
        return any(one.of(self._item(position)) for position in self._positions)

    def _item(self, position: int) -> Item:
        return self._benchmark.items.at(position)

    @property
    def _called(self) -> str:
        return shown(self._benchmark.name)
