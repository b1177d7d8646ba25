"""``audiometry list``."""

from __future__ import annotations

import shlex
import textwrap
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from audiometry.cli import listed_runs
from audiometry.cli.say import json_option, say, say_json, terminal_width
from audiometry.errors import counted, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from audiometry.records import Item, Task
    from audiometry.run.recipes import Ask
    from audiometry.score.measures.measure import Measure

FILE_COLUMNS = 100  # of a line of cards in a file or a pipe
WHAT = ("benchmarks", "measures", "metrics", "models", "profiles", "recipes", "runs", "tasks")


class _What(click.Choice[str]):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from audiometry.errors import UnknownNameError

        if value not in WHAT:
            raise UnknownNameError("thing to list", value, WHAT)
        return super().convert(value, param, ctx)


@click.command(name="list")
@click.argument("what", type=_What(WHAT), metavar="WHAT")
@click.argument("where", required=False, metavar="[BENCH|DIR|MODEL|RECIPE]")
@click.option("--examples", is_flag=True, help="Of each task an item with its options, the same each time.")
@click.option("--cards", is_flag=True, help="Models by what is known of how each is asked, and where they end.")
@json_option
def command(what: str, where: str | None, *, examples: bool, cards: bool, as_json: bool) -> None:
    """List benchmarks, models, runs, measures, profiles, recipes or the tasks of a benchmark.

    \b
    WHAT is one of:
      benchmarks   by id, those shipped and published ones whose data you bring
      measures     of which tasks, what they count, and which way is better
      models       providers, with an example, key (set or not) and extra, or
                   with --cards what is known of models (of MODEL with sources)
      profiles     rules of scoring
      recipes      how makers ask their models (of RECIPE with sources)
      runs         in the folder DIR (runs): how far, failures, the last scores
      tasks        of the benchmark BENCH

    \b
    Examples:
      audiometry list benchmarks
      audiometry list tasks mini --examples
      audiometry list runs --json
      audiometry list models openai/gpt-audio-1.5 --cards
    """
    from audiometry.errors import UsageError

    if examples and what != "tasks":
        raise UsageError(f"--examples are of tasks; leave it out of audiometry list {what}")
    if cards:
        return _show_cards(what, where, as_json=as_json)
    if where is not None and what not in {"recipes", "runs", "tasks"}:
        hint = "give --cards with it, or leave it out" if what == "models" else "leave it out"
        raise UsageError(f"audiometry list {what} takes no other word; '{shown(where)}': {hint}")
    if what == "runs":
        return listed_runs.show(where, as_json=as_json)
    makers = {
        "benchmarks": _benchmarks, "measures": _measures, "metrics": _measures, "models": _models,
        "profiles": _profiles,
    }  # fmt: skip
    of_one: dict[str, Callable[[str | None], list[dict[str, Any]]]] = {
        "recipes": _recipes,
        "tasks": partial(_tasks, examples=examples),
    }
    rows = of_one[what](where) if what in of_one else makers[what]()
    if as_json:
        return say_json([{key: value for key, value in row.items() if key != "lines"} for row in rows])
    _say_rows(rows)
    return None


def _say_rows(rows: list[dict[str, Any]]) -> None:
    """Names and what is known of each beside them; on a terminal wrapped, names of much of its width on lines alone."""
    columns = terminal_width()
    widest = max((len(shown(row["name"])) for row in rows), default=0)
    alone = columns is not None and 3 * (widest + 2) > columns
    indent = " " * (4 if alone else widest + 2)
    for row in rows:
        name = shown(row["name"])
        lines = [shown(row["about"], 1000), *_notes(row)]
        if alone:
            say(name)
            name = ""
        for line in lines:
            said = line
            if columns is not None:
                room = max(columns - len(indent), 20)
                said = f"\n{indent}".join(textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False))
            say(f"{name:<{len(indent)}}{said}".rstrip())
            name = ""


def _show_cards(what: str, name: str | None, *, as_json: bool) -> None:
    from datetime import UTC, datetime

    from audiometry.cli import model_cards
    from audiometry.errors import UsageError

    if what != "models":
        raise UsageError(f"--cards are of models; leave it out of audiometry list {what}")
    rows = model_cards.rows(name, datetime.now(UTC).date())
    if as_json:
        return say_json(rows)
    width = terminal_width() or FILE_COLUMNS
    return model_cards.show(rows, width=width) if name is None else model_cards.show_one(rows[0], width=width)


def _notes(row: dict[str, Any]) -> list[str]:
    """What stands below the line of a model or measure."""
    keys = " or ".join(f"{name} ({'set' if there else 'not set'})" for name, there in row.get("keys", {}).items())
    parts = [
        f"e.g. {shlex.quote(row['example'])}" if "example" in row else "",
        f"key: {keys}" if keys else "",
        f"needs: pip install 'audiometry[{row['extra']}]'" if row.get("extra") else "",
    ]
    return list(filter(None, ["; ".join(filter(None, parts)), *row.get("lines", ())]))


def _benchmarks() -> list[dict[str, Any]]:
    from audiometry import bench

    found = []
    for name in bench.benchmarks():
        loaded = bench.load(name)
        info = loaded.card.benchmark
        size = f"{counted(len(loaded), 'item')}, {counted(len(loaded.tasks()), 'task')}"
        about = f"{size}, version {info.version}. {info.title}"
        found.append({"name": name, "about": about})
    for name, card in bench.published_cards().items():
        about = "published data, needs --data DIR"
        if card is not None:
            size = f"{counted(len(card.task), 'task')}, version {card.benchmark.version}"
            about = f"{about}; {size}. {card.benchmark.title}".rstrip()
        found.append({"name": name, "about": about})
    return found


def _measures() -> list[dict[str, Any]]:
    from audiometry.score.measures import MEASURES
    from audiometry.score.measures.measure import takes_scores
    from audiometry.score.measures.packages import NEEDED_BY

    program = {"name": "exec/COMMAND", "about": "a program of your own, JSON lines over a pipe", "extra": ""}
    found = [
        {
            "name": name,
            "about": measure.about,
            "extra": "text" if name in NEEDED_BY else "",
            "lines": [_scale(measure)],
            "unit": measure.unit,
            "direction": measure.direction,
            "range": measure.range,
            "kinds": sorted(measure.kinds),
        }
        for name, measure in MEASURES.all().items()
        if not takes_scores(measure)  # what judges' scores are made of is asked for by naming a judge
    ]
    return [*found, program]


def _scale(measure: Measure) -> str:
    """What a measure counts, between which ends, which way is better, and of which tasks."""
    from audiometry.report.numbers import counts

    better = "higher" if measure.direction == "up" else "lower"
    return f"{counts(measure)}; {better} is better; tasks of kind {', '.join(sorted(measure.kinds))}"


def _models() -> list[dict[str, Any]]:
    import os

    from audiometry.models.registry import about, routes

    said = about()
    return [
        {
            "name": f"{name}/…",
            "about": said[f"{name}/…"],
            "example": route.example,
            "keys": {key: bool(os.environ.get(key)) for key in route.keys},
            "extra": route.extra,
        }
        for name, route in routes().items()
    ]


_SCORES = {"choice": "choices", "label": "labels", "transcript": "transcripts", "open": "open"}  # by kind of task


def _profiles() -> list[dict[str, Any]]:
    from audiometry.score.judge.rules import RULES
    from audiometry.score.profiles import PROFILES

    choices = []
    for name, profile in PROFILES.all().items():
        scores = next(what for kind, what in _SCORES.items() if kind in profile.readers)
        says = "open answers" if scores == "open" else scores
        choices.append({"name": name, "about": f"{says}: {profile.about}", "scores": scores})
    judged = [{"name": name, "about": f"open answers: {one.about}", "scores": "open"} for name, one in RULES.items()]
    return [*choices, *judged]


def _recipes(named: str | None) -> list[dict[str, Any]]:
    """All recipes, or one with its sources."""
    import msgspec

    from audiometry.report.rows_text import stated
    from audiometry.run.recipe import PROGRAMS
    from audiometry.run.recipes import find, recipes

    found = []
    known = recipes() if named is None else {(one := find(named)).name: one}
    for name, recipe in known.items():
        document = {"name": name} | msgspec.to_builtins(recipe) | {"path": recipe.path}
        wordings = {"exact": "word for word", "ours": "in our words or not wholly known"}
        covers = "; ".join(f"{', '.join(one.benchmarks)} ({wordings[one.wording]})" for one in recipe.ask)
        set_as = {"temperature": recipe.decoding.temperature, "max_tokens": recipe.decoding.max_tokens}
        decoding = {key: value for key, value in set_as.items() if value is not None} | dict(recipe.decoding.generation)
        said = stated(decoding) or "the model's own"
        if all(pattern.partition("/")[0] in PROGRAMS for pattern in recipe.models):
            said += " (the makers'; a program decodes by itself)"
        sources = dict.fromkeys((*recipe.sources, *(source for one in recipe.ask for source in one.sources)))
        clips = "whole" if recipe.longest_s is None else f"of up to {recipe.longest_s:g} s, a longer one "
        if recipe.longest_s is not None:
            clips += f"cut to its first {recipe.longest_s:g} s" if recipe.longer == "cut" else "is a failure"
        lines = [f"for {', '.join(recipe.models)} on {covers}", *map(_put, recipe.ask)]
        if recipe.shortest_s is not None:
            then = f"followed by {recipe.shortest_s:g} s of silence" if recipe.shorter == "pad" else "a failure"
            clips += f", one shorter than {recipe.shortest_s:g} s {then}"
        lines += [f"decoding: {said}; clips: {clips}", recipe.note, *(sources if named else ())]
        found.append(document | {"lines": [shown(line, 1000) for line in lines if line]})
    return found


def _put(ask: Ask) -> str:
    """How a recipe puts the items of some benchmarks."""
    from audiometry.choices import LETTERED

    facts = [
        "words before clip" if ask.part_order == "text-first" else "clip before words",
        "" if ask.options in LETTERED or not ask.single else "options without letters",
        "with a system turn" if ask.system else "no system turn",
    ]
    return f"{', '.join(ask.benchmarks)}: {', '.join(filter(None, facts))}"


def _tasks(name: str | None, *, examples: bool) -> list[dict[str, Any]]:
    from audiometry import bench
    from audiometry.bench.example import example
    from audiometry.errors import UsageError

    if name is None:
        raise UsageError("name the benchmark: audiometry list tasks mini")
    published = bench.published_cards().get(name)
    if published is not None and examples:
        raise UsageError(f"the items of {name} come with its data; give the folder of the benchmark that they made")
    if published is not None:  # of others the data tell
        return [_task(entry, "") for entry in published.task]
    loaded = bench.load(name)
    rows = [_task(loaded.card.task_named(task), counted(n, "item")) for task, n in loaded.tasks().items()]
    return [row | _example(example(loaded, row["name"])) for row in rows] if examples else rows


def _example(item: Item) -> dict[str, Any]:
    """An item in a document, and its lines on a terminal: question, options and which is right, or the reference."""
    lines = [item.question] if item.question else []
    lines += [f"- {option}{' (right)' if option == item.answer else ''}" for option in item.options]
    if not item.options and item.answer is not None:
        lines.append(f"reference: {item.answer}")
    lines += [f"clip: {clip}" for clip in item.clips]
    document = {"id": item.id, "question": item.question, "options": item.options, "answer": item.answer}
    return {"example_item": document | {"clips": item.clips}, "lines": [shown(line, 1000) for line in lines]}


def _task(entry: Task, size: str) -> dict[str, Any]:
    how = f"{entry.kind} by {entry.measure}" if entry.measure else entry.kind
    about = f"{', '.join(filter(None, [size, entry.category, how]))}. {entry.title}".rstrip()
    facts = {"category": entry.category, "kind": entry.kind, "measure": entry.measure}
    return {"name": entry.name, **facts, "about": about}
