"""What can be named on the command line, and the runs in a folder, at a glance."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from audiometry.choices import LETTERED
from audiometry.errors import shown
from audiometry.files.extras import install
from audiometry.render.document import Block, Copied, Section, line, name
from audiometry.render.table import Cell, Column, OutOf, Table
from audiometry.report.listed import Row, scored_as
from audiometry.report.numbers import scale
from audiometry.report.rows_text import stated
from audiometry.report.titles import measure_title
from audiometry.report.views.check import told_of
from audiometry.run.listed import RunRow
from audiometry.run.recipe import PROGRAMS
from audiometry.run.recipes import Ask, Recipe

LONGEST: Final = 1000  # characters of a foreign text in a line
_WORDINGS: Final = {"exact": "word for word", "ours": "in our words or not wholly known"}


def runs(rows: Sequence[RunRow]) -> Iterator[Block]:
    """How far each run is, its failures and its last scores; those that cannot be read below, with why."""
    told = [row for row in rows if not row.problem]
    if told:
        yield _table(
            "runs",
            "Runs, how far each is, and its last scores",
            (
                Column(id="run", title="run", kind="name"),
                Column(id="benchmark", title="benchmark", kind="name"),
                Column(id="model", title="model", kind="name"),
                Column(id="replies", title="replies", kind="count"),
                Column(id="failed", title="failed", kind="count", drop=1),
                Column(id="started", title="started (UTC)", kind="text"),
                Column(id="scores", title="scores", kind="text"),
            ),
            (
                (
                    row.name,
                    row.benchmark,
                    row.asked,
                    OutOf(row.done, row.planned),
                    row.failed,
                    row.started[:16].replace("T", " "),
                    _scores(row),
                )
                for row in told
            ),
        )
    for row in rows:
        if row.problem:
            yield line(name(row.name), f": cannot be read: {row.problem}", weight="minded")


def benchmarks(rows: Sequence[Row]) -> Iterator[Block]:
    """By id, with what they hold; of published ones whose data a person brings, the option that takes these."""
    yield _table(
        "benchmarks",
        "Benchmarks by id",
        (
            Column(id="benchmark", title="benchmark", kind="name"),
            Column(id="version", title="version", kind="text"),
            Column(id="items", title="items", kind="count"),
            Column(id="tasks", title="tasks", kind="count"),
            Column(id="title", title="what it is", kind="text"),
        ),
        (
            (row["name"], row["version"], "--data DIR" if row["items"] is None else row["items"], row["tasks"],
             row["title"].removeprefix(f"{row['name']}: "))
            for row in rows
        ),
    )  # fmt: skip
    if any(row["items"] is None for row in rows):
        yield line("--data DIR: published data, of which --data names the folder.", weight="dim")


def measures(rows: Sequence[Row]) -> Iterator[Block]:
    """Of which tasks, what they count, which way is better, and what has to be installed."""
    yield _table(
        "measures",
        "Measures of the replies to tasks",
        (
            Column(id="measure", title="measure", kind="name"),
            Column(id="better", title="better", kind="text"),
            Column(id="kinds", title="kinds of task", kind="text"),
            Column(id="what", title="what it counts", kind="text"),
        ),
        (
            (row["name"], {"up": "higher", "down": "lower", "": ""}[row.get("direction", "")],
             ", ".join(row.get("kinds", ())), "; ".join(filter(None, (row["about"], row.get("counts")))))
            for row in rows
        ),
    )  # fmt: skip
    for extra in dict.fromkeys(row["extra"] for row in rows if row["extra"]):
        *others, last = (row["name"] for row in rows if row["extra"] == extra)
        yield Copied(install(extra), f"{', '.join(others)} and {last} need" if others else f"{last} needs")


def models(rows: Sequence[Row]) -> Iterator[Block]:
    """Providers with an example, the keys and whether these are set, and what has to be installed."""
    for row in rows:
        keys = " or ".join(f"{key} ({'set' if there else 'not set'})" for key, there in row["keys"].items())
        facts = filter(None, (f"e.g. {shlex.quote(row['example'])}", f"key: {keys}" if keys else ""))
        needs = (Copied(install(row["extra"]), "needs"),) if row["extra"] else ()
        yield entry(row["name"], (row["about"], "; ".join(facts)), needs)


def profiles(rows: Sequence[Row]) -> Iterator[Block]:
    """Rules of scoring, and of what."""
    yield _table(
        "profiles",
        "Rules of scoring",
        (
            Column(id="profile", title="profile", kind="name"),
            Column(id="rules", title="what it scores, and by whose rules", kind="text"),
        ),
        ((row["name"], row["about"]) for row in rows),
    )


def tasks(rows: Sequence[Row]) -> Iterator[Block]:
    """Those of a benchmark, with those that are scored alike together; with examples an item of each."""
    if any("example_item" in row for row in rows):
        for row in rows:
            lines = (*_example(row["example_item"]), *_worked(row["worked_examples"]))
            yield entry(row["name"], (row["about"], *lines))
        return
    columns = (
        ("name", Column(id="task", title="task", kind="name")),
        ("items", Column(id="items", title="items", kind="count")),
        ("published", Column(id="published", title="published", kind="count")),
        ("kind", Column(id="kind", title="kind", kind="text")),
        ("category", Column(id="category", title="category", kind="text")),
        ("title", Column(id="title", title="what it is", kind="text")),
    )
    there = [(key, column) for key, column in columns if key == "title" or any(row[key] for row in rows)]
    told = ({**row, "kind": scored_as(row["kind"], row["measure"])} for row in rows)
    cells = (tuple(row[key] or None for key, _ in there) for row in told)
    yield _table("tasks", "Tasks", tuple(column for _, column in there), cells)
    yield from (line(there) for there in dict.fromkeys(row.get("there", "") for row in rows) if there)
    unknown, known = (list(dict.fromkeys(fact for row in rows for fact in row[key])) for key in ("unknown", "known"))
    yield from told_of(unknown, known)


def recipes(found: Mapping[str, Recipe], *, sources: bool) -> Iterator[Block]:
    """How makers ask their models; with where that is from, where sources are asked for."""
    for called, recipe in found.items():
        covers = "; ".join(f"{', '.join(ask.benchmarks)} ({_WORDINGS[ask.wording]})" for ask in recipe.ask)
        lines = (
            recipe.about,
            f"for {', '.join(recipe.models)} on {covers}",
            *map(_put, recipe.ask),
            f"decoding: {_decoding(recipe)}; clips: {_clips(recipe)}",
            recipe.note,
        )
        told = dict.fromkeys((*recipe.sources, *(source for ask in recipe.ask for source in ask.sources)))
        yield entry(called, (*lines, *(told if sources else ())))


def entry(named: str, lines: Iterable[str], more: tuple[Block, ...] = ()) -> Section:
    """A name with what is known of it, a line a fact."""
    told = tuple(line(shown(one, LONGEST)) for one in lines if one)
    return Section(id=named, title=shown(named, LONGEST), blocks=(*told, *more))


def _table(id_: str, caption: str, columns: tuple[Column, ...], rows: Iterable[tuple[Cell, ...]]) -> Table:
    return Table(id=id_, caption=caption, signature="", columns=columns, rows=tuple(rows))


def _example(item: Mapping[str, Any]) -> Iterator[str]:
    """Question, options and which is right, or the reference, and the clips."""
    yield item["question"]
    yield from (f"- {option}{' (right)' if option == item['answer'] else ''}" for option in item["options"])
    if not item["options"] and item["answer"] is not None:
        yield f"reference: {item['answer']}"
    yield from (f"clip: {clip}" for clip in item["clips"])


def _worked(examples: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The examples of the card that may be shown before an item, a line each."""
    for number, one in enumerate(examples, 1):
        wrong = " / ".join(option for option in one.get("options", ()) if option != one["answer"])
        yield f"worked example {number}: {one['question']} {one['answer']}{f', not {wrong}' if wrong else ''}"


def _put(ask: Ask) -> str:
    """How a recipe puts the items of some benchmarks."""
    facts = [
        "words before clip" if ask.part_order == "text-first" else "clip before words",
        "" if ask.options in LETTERED or not ask.single else "options without letters",
        "with a system turn" if ask.system else "no system turn",
    ]
    return f"{', '.join(ask.benchmarks)}: {', '.join(filter(None, facts))}"


def _decoding(recipe: Recipe) -> str:
    set_as = {"temperature": recipe.decoding.temperature, "max_tokens": recipe.decoding.max_tokens}
    fields = {key: value for key, value in set_as.items() if value is not None} | dict(recipe.decoding.generation)
    said = stated(fields) or "the model's own"
    by_program = all(pattern.partition("/")[0] in PROGRAMS for pattern in recipe.models)
    return f"{said} (the makers'; a program decodes by itself)" if by_program else said


def _clips(recipe: Recipe) -> str:
    said = "whole"
    if recipe.longest_s is not None:
        then = f"cut to its first {recipe.longest_s:g} s" if recipe.longer == "cut" else "is a failure"
        said = f"of up to {recipe.longest_s:g} s, a longer one {then}"
    if recipe.shortest_s is not None:
        then = f"followed by {recipe.shortest_s:g} s of silence" if recipe.shorter == "pad" else "a failure"
        said += f", one shorter than {recipe.shortest_s:g} s {then}"
    return said


def _scores(row: RunRow) -> str:
    """Its scores with their units, or why there is none; of a stopped run how far it came."""
    if row.stopped:
        return f"stopped, {row.done + row.failed:,} of {row.planned:,} asked"
    said = []
    for one in row.scores.values():
        its, high = scale(one), one.range[1]
        end = " %" if its.share else f" of {high:g}" if high is not None and high > 1 else ""
        said.append(f"{measure_title(one)} {its.number(one.value)}{end}")
    return ", ".join(said) or ("incomplete" if row.failed else "not scored")
