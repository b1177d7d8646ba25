"""What there is to name on the command line: benchmarks, tasks, measures, models, profiles and recipes, a row each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from audiometry import bench
from audiometry.bench.example import example, fitting
from audiometry.errors import UsageError, counted
from audiometry.records import Card, Item

if TYPE_CHECKING:
    from audiometry.run.recipes import Recipe

Row: TypeAlias = dict[str, Any]
"""A document; ``name`` and ``about`` are in each."""
_SCORES: Final = {"choice": "choices", "label": "labels", "transcript": "transcripts", "open": "open"}
"""What a profile scores, by the first kind of task that it reads."""


def benchmarks() -> Iterator[Row]:
    """Those at hand, and published ones whose data a person brings; of these ``items`` is None."""
    for name in bench.benchmarks():
        loaded = bench.load(name)
        info, n, tasks = loaded.card.benchmark, len(loaded), len(loaded.tasks())
        about = f"{counted(n, 'item')}, {counted(tasks, 'task')}, version {info.version}. {info.title}"
        yield _benchmark(name, about, n, tasks, info.version, info.title)
    for name, card in bench.published_cards().items():
        about = "published data, needs --data DIR"
        if card is None:
            yield _benchmark(name, about, None, None, "", "")
            continue
        info, tasks = card.benchmark, len(card.task)
        about = f"{about}; {counted(tasks, 'task')}, version {info.version}. {info.title}".rstrip()
        yield _benchmark(name, about, None, tasks, info.version, info.title)


def _benchmark(name: str, about: str, items: int | None, tasks: int | None, version: str, title: str) -> Row:
    return {"name": name, "about": about, "items": items, "tasks": tasks, "version": version, "title": title}


def measures() -> Iterator[Row]:
    """All but those that are asked for by naming a judge; last what a program of one's own is called."""
    from audiometry.report.numbers import counts
    from audiometry.score.measures import MEASURES
    from audiometry.score.measures.measure import takes_scores
    from audiometry.score.measures.packages import NEEDED_BY

    for name, measure in MEASURES.all().items():
        if not takes_scores(measure):
            yield {
                "name": name,
                "about": measure.about,
                "extra": "text" if name in NEEDED_BY else "",
                "counts": counts(measure),
                "unit": measure.unit,
                "direction": measure.direction,
                "range": measure.range,
                "kinds": sorted(measure.kinds),
            }
    yield {"name": "exec/COMMAND", "about": "a program of your own, JSON lines over a pipe", "extra": ""}


def models() -> Iterator[Row]:
    """Providers with an example, the variables of their keys and whether these are set."""
    from audiometry.models.registry import about, routes

    said = about()
    for name, route in routes().items():
        yield {
            "name": f"{name}/…",
            "about": said[f"{name}/…"],
            "example": route.example,
            "keys": {key: bool(os.environ.get(key)) for key in route.keys},
            "extra": route.extra,
        }


def profiles() -> Iterator[Row]:
    """Rules by which choices are read, and those of judges."""
    from audiometry.score.judge.rules import RULES
    from audiometry.score.profiles import PROFILES

    for name, profile in PROFILES.all().items():
        scores = next(what for kind, what in _SCORES.items() if kind in profile.readers)
        says = "open answers" if scores == "open" else scores
        yield {"name": name, "about": f"{says}: {profile.about}", "scores": scores}
    for name, rules in RULES.items():
        yield {"name": name, "about": f"open answers: {rules.about}", "scores": "open"}


def recipes(named: str | None) -> Mapping[str, Recipe]:
    """All recipes by name, or one."""
    from audiometry.run.recipes import find
    from audiometry.run.recipes import recipes as every

    return every() if named is None else {(one := find(named)).name: one}


def recipe(name: str, one: Recipe) -> Row:
    """A recipe with its name and where it stands."""
    return {"name": name, **msgspec.to_builtins(one), "path": one.path}


def tasks(name: str | None, data: Path | None = None, *, examples: bool) -> Iterator[Row]:
    """Those of a benchmark, each with an item if examples are asked for; the number of items where data are at hand.

    Args:
        name: of the benchmark.
        data: where published data are; None: of published ones only the cards are looked at.
        examples: whether an item of each is asked for.

    Raises:
        UsageError: no benchmark is named, or examples of one whose data are not at hand.
    """
    if name is None:
        raise UsageError("name the benchmark: audiometry list tasks mini")
    published = bench.published_cards().get(name) if data is None else None
    if published is not None and examples:
        each = ", which has a folder for each set" if published.data.source == "cards" else ""
        raise UsageError(f"the items of {name} come with its data; give their folder with --data DIR{each}")
    if published is not None:  # of others the data tell
        yield from (_task(published, entry.name, None) for entry in published.task)
        return
    loaded = bench.load(name, data)
    for task, n in loaded.tasks().items():
        row = _task(loaded.card, task, n) | {"there": loaded.said_of_published()}
        if examples:
            item = example(loaded, task)
            worked = fitting(loaded.card, task, options=bool(item.options))
            row |= {"example_item": _example(item), "worked_examples": msgspec.to_builtins(worked)}
        yield row


def _example(item: Item) -> Row:
    shown = {"id": item.id, "question": item.question, "options": item.options, "answer": item.answer}
    return shown | {"clips": item.clips}


def _task(card: Card, name: str, n: int | None) -> Row:
    entry, size = card.task_named(name), card.size_of(name)
    items = "" if n is None else counted(n, "item")
    title = "" if (called := card.called(name)) == name else called
    said = (items, entry.category, scored_as(entry.kind, entry.measure))
    about = f"{', '.join(filter(None, said))}. {title}".rstrip()
    facts = {"category": entry.category, "kind": entry.kind, "measure": entry.measure}
    told = {"unknown": card.benchmark.unknown if name == card.only_task else (), "known": card.benchmark.known}
    return {"name": name, **facts, "items": n, "published": size, "title": title, "about": about, **told}


def scored_as(kind: str, measure: str) -> str:
    """Of which kind a task is, and the measure that its card names.

    >>> scored_as("label", ""), scored_as("choice", "macro-f1")
    ('label', 'choice by macro-f1 of letters')
    """
    of = " of letters" if (kind, measure) == ("choice", "macro-f1") else ""
    return f"{kind} by {measure}{of}" if measure else kind
