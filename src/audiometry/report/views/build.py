"""What a build made, what it rejected and why, and what comes next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from audiometry.builder.build import Built, Plan
from audiometry.builder.writer import ToBeTold
from audiometry.errors import counted, shown
from audiometry.files.build_folder import FOLDER, REJECTED, Rejected
from audiometry.render.document import Block, Line, Section, line, strong
from audiometry.render.table import Cell, Column, Table

SHOWN_EACH: Final = 2  # rejections of one rule that are written out
_TASKS: Final = (
    Column(id="task", title="task", kind="name"),
    Column(id="make", title="make", kind="text"),
    Column(id="items", title="items", kind="count"),
    Column(id="clips", title="clips", kind="count"),
    Column(id="options", title="options", kind="text"),
    Column(id="answers", title="answers", kind="count"),
    Column(id="rejected", title="rejected", kind="count"),
)


def planned(plan: Plan) -> Section:
    """What a spec would make, what would be rejected, and who would be told of which column."""
    return Section(id="build", title="", blocks=(*made(plan, plan.rejected), *notes(plan), *_told(plan)))


def built(found: Built) -> Section:
    """What was made, what was rejected, and what a person should know."""
    blocks = list(made(found.plan, found.rejected))
    if found.rejected:
        blocks.append(
            line(f"Each of the {counted(len(found.rejected), 'rejection')}: {FOLDER}/{REJECTED}", weight="dim")
        )
    return Section(id="build", title="", blocks=(*blocks, *notes(found.plan)))


def notes(plan: Plan) -> list[Line]:
    """What a person should know, a line each."""
    return [line(note, weight="minded") for note in plan.notes]


def _told(plan: Plan) -> Iterator[Block]:
    for one in plan.sources:
        if one.spec.columns.private:
            names = ", ".join(shown(name, 40) for name in one.spec.columns.private)
            yield line(f"{shown(one.spec.called)}: private, in nothing that is made: {names}")
    if plan.told is None or not plan.told.calls:
        yield line("No model is asked (0 calls), and nothing leaves this machine.")
    else:
        yield from _asked(plan.told)


def _asked(told: ToBeTold) -> Iterator[Block]:
    for host, columns in told.hosts.items():
        named = "; ".join(
            f"{shown(source)}: {', '.join(shown(one, 40) for one in names)}" for source, names in columns.items()
        )
        yield line(strong(f"{shown(host, 200)} would be told"), f" the columns {named}")
    for one in told.asked:
        yield line(strong(f"{shown(one.task)}: {counted(one.calls, 'call')} of {shown(told.model)}"), ", the first:")
        yield from map(line, one.sample.splitlines())
    cost = "not known" if told.price_usd is None else f"about ${told.price_usd:.2f}"
    yield line(f"{counted(told.calls, 'call')} in all; price {cost}. What cannot be read is asked for once more.")


def made(plan: Plan, rejected: Sequence[Rejected]) -> Iterator[Block]:
    """A table of tasks, and a line on the first few rejections by each rule."""
    yield _tasks(plan)
    yield from rejections(rejected)


def _tasks(plan: Plan) -> Table:
    n_rejected = Counter(one.task for one in plan.rejected)
    rows = list[tuple[Cell, ...]]()
    for task in plan.spec.task:
        own = [one for one in plan.made if one.item.task == task.name]
        options = sorted({len(one.item.options) for one in own if one.item.options})
        answers = len({one.item.answer for one in own})
        clips = len({one.clip.key for one in own})
        listed = ", ".join(map(str, options))
        rows.append((task.name, task.make, len(own), clips, listed, answers, n_rejected[task.name]))
    return Table(
        id="build-tasks",
        caption=f"What is made of {plan.spec.benchmark.name}",
        signature="",
        columns=_TASKS,
        rows=tuple(rows),
    )


def rejections(rejected: Sequence[Rejected]) -> Iterator[Block]:
    """A line on the first few of each rule."""
    by_rule: dict[str, list[Rejected]] = defaultdict(list)
    for one in rejected:
        by_rule[one.rule].append(one)
    for rule, some in by_rule.items():
        yield line(strong(f"{len(some):,} rejected"), f" ({rule}): {_first(some)}", weight="minded")


def _first(some: Sequence[Rejected]) -> str:
    first = "; ".join(shown(f"{one.where}: {one.reason}", 200) for one in some[:SHOWN_EACH])
    return first + (f"; and {len(some) - SHOWN_EACH:,} more" if len(some) > SHOWN_EACH else "")
