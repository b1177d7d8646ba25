"""What models would be asked for a build, who would be told what, and about what it would cost; nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from audiometry import models
from audiometry.builder.make import MAKES
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.builder.writer import HowAsked, Told, Writer
from audiometry.dispatch.tally import Price
from audiometry.models import Model, ModelSettings
from audiometry.models.protocol import Served
from audiometry.records import Item
from audiometry.score.judge.settings import JudgeSettings

CHARACTERS_A_TOKEN: Final = 4.0
_ASKED: Final = 300  # characters of a question with its options, about
_CHOSEN: Final = 8  # tokens of a reply that chooses, about


class WouldAsk(msgspec.Struct, frozen=True, kw_only=True):
    """Prompts of one kind to one model.

    Attributes:
        what: the task that it writes for, or what it would be asked for.
        model: its name.
        calls: how many prompts, about: where a task wants a number of items, if nothing is rejected.
        most: how many at most, where others are asked in the place of what is rejected; 0: no more.
        price_usd: about what they would cost; None: not known, as of clips.
        sample: the first of them, whole; empty where it is not known yet.
    """

    what: str
    model: str
    calls: int
    price_usd: float | None
    sample: str = ""
    most: int = 0


class ToBeTold(msgspec.Struct, frozen=True, kw_only=True):
    """All that would be asked.

    Attributes:
        asked: by whom and for what.
        hosts: by host, the columns of each source whose values, or what is written from them, it would be told.
        hear: hosts that would be sent clips as well.
    """

    asked: tuple[WouldAsk, ...]
    hosts: dict[str, dict[str, tuple[str, ...]]]
    hear: frozenset[str]

    @property
    def calls(self) -> int:
        """How many."""
        return sum(one.calls for one in self.asked)

    @property
    def price_usd(self) -> float | None:
        """About, US dollars; None where a price is not known."""
        known = [one.price_usd for one in self.asked if one.price_usd is not None]
        return sum(known) if len(known) == len(self.asked) else None


def to_be_told(spec: Spec, asked: HowAsked, writer: Writer | None, made: Sequence[Item]) -> ToBeTold:
    """What would be asked.

    Args:
        spec: of the build.
        asked: how models are asked.
        writer: that was not asked; None: nobody writes.
        made: the items that need no writer.

    Raises:
        UsageError: there is no such model.
    """
    told = {} if writer is None else writer.told
    found, hosts = list[WouldAsk](), dict[str, dict[str, tuple[str, ...]]]()
    hear = set[str]()
    if writer is not None and told:
        model = _unasked(writer.settings)
        found += [_writes(writer.settings, model, one) for one in told.values()]
        hosts |= _told(model, _columns(spec, [task for task in spec.task if task.name in told]))  # of wordings: none
    for what, name, n, tasks, with_clip in _without_clip(spec, told, made):
        how = asked.settings(name)
        model = _unasked(how)
        cost = None if with_clip else _price(how, model, n * _ASKED, n * _CHOSEN)
        found.append(WouldAsk(what=what, model=how.name, calls=n, price_usd=cost))
        for host, columns in _told(model, _columns(spec, tasks)).items():
            hosts[host] = hosts.get(host, {}) | columns
            hear |= {host} if with_clip else set()
    return ToBeTold(asked=tuple(found), hosts=hosts, hear=frozenset(hear))


def _without_clip(
    spec: Spec, told: dict[str, Told], made: Sequence[Item]
) -> Iterator[tuple[str, str, int, list[TaskSpec], bool]]:
    """For what a model is asked without clips, who, how often, about which tasks, and whether it is sent any sound."""
    written = [task for task in spec.task if MAKES.named(task.make).written]
    items = {task.name: _items(task, told[task.name]) for task in written if task.name in told}
    turned = sum(items[task.name] * task.options for task in written if task.name in items)
    yield from (("filter, the words alone", name, turned, written, False) for name in spec.filter.text)
    yield from (("filter, silence and another clip", name, 2 * turned, written, True) for name in spec.filter.audio)
    if spec.filter.blind:
        there = sum(bool(one.options) for one in made) + sum(items.values())
        yield "blind score", spec.filter.blind, there, list(spec.task), False


def _items(task: TaskSpec, told: Told) -> int:
    each = task.per_clip if task.make == "music" else 1
    return min(task.n, told.calls * each) if task.n else told.calls * each


def _columns(spec: Spec, tasks: Sequence[TaskSpec]) -> dict[str, tuple[str, ...]]:
    """The columns of each source that tasks are made of."""
    found = {}
    for one in spec.source:
        if any(one.called in spec.sources_of(task) for task in tasks):
            facts = [fact.column for name in one.facts if (fact := one.fact(name))]
            options = (one.columns.options,) if isinstance(one.columns.options, str) else one.columns.options
            given = [one.columns.question, *options] if any(task.make == "given" for task in tasks) else []
            found[one.called] = tuple(dict.fromkeys(filter(None, (*facts, *given))))
    return found


def _writes(how: JudgeSettings, model: Model, one: Told) -> WouldAsk:
    cost = _price(how, model, one.characters, one.tokens_out)
    return WouldAsk(what=one.task, model=how.name, calls=one.calls, price_usd=cost, sample=one.sample, most=one.most)


def _price(how: JudgeSettings, model: Model, characters: int, tokens_out: int) -> float | None:
    price = how.price or Price(tokens_in=model.card.price_in, tokens_out=model.card.price_out)
    if price.tokens_in is None or price.tokens_out is None:
        return None
    return (characters / CHARACTERS_A_TOKEN * price.tokens_in + tokens_out * price.tokens_out) / 1e6


def _told(model: Model, columns: dict[str, tuple[str, ...]]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Those columns by each host that a model is asked at; its name stands for one that is asked at none."""
    return dict.fromkeys(model.served_at if isinstance(model, Served) else (model.name,), columns)


def _unasked(how: JudgeSettings) -> Model:
    """A model for its price and its address; nothing is asked."""
    wanted = ModelSettings(base_urls=how.base_urls, proxy=how.proxy, card=how.card, extra=how.extra, key_later=True)
    return models.load(how.name, wanted)
