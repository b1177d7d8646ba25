"""What a build made, what it rejected and why, and what comes next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from audiometry.builder.build import Built, Plan
from audiometry.builder.dry_run import ToBeTold
from audiometry.builder.spec import Spec
from audiometry.errors import counted, shown
from audiometry.files.build_folder import FOLDER, REJECTED, BlindScore, BuildInfo, Rejected
from audiometry.records import Item
from audiometry.render.document import Block, Line, Section, Weight, line, strong
from audiometry.render.numbers import percent
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
        blocks.append(line(f"All that was rejected, with the reasons: {FOLDER}/{REJECTED}", weight="dim"))
    return Section(id="build", title="", blocks=(*blocks, *without_clip(found.info), *notes(found.plan)))


def without_clip(info: BuildInfo) -> Iterator[Block]:
    """How models did without the clips: those that filtered, and the one that did not."""
    for one in info.filtered:
        lost = f"; {one.unanswered:,} replies did not come, their items stay" if one.unanswered else ""
        said = f"{one.right:,} of {counted(one.items, 'written item')} set aside, right in every order of the options"
        chance = f"guessing alone would set aside {one.by_guessing:.1f}, its taste for one option {one.by_taste:.1f}"
        weight: Weight = "minded" if one.right and one.by_guessing + one.by_taste >= one.right / 2 else "plain"
        yield line(f"Filter {shown(one.model)}, {one.variant}: {said} ({chance}){lost}", weight=weight)
    if info.blind is None:
        if info.filtered:
            yield line("No blind score: name a model that did not filter, as blind under [filter]", weight="minded")
        return
    for task, score in info.blind.tasks.items():
        head = f"Blind score (the words alone, {shown(info.blind.model)}): {shown(task)} "
        yield line(f"{head}{_blind(score)}", weight="minded" if score.unanswered else "plain")


def _blind(score: BlindScore) -> str:
    chance = f"chance {percent(score.chance)} %"
    low, high = score.right / score.items, (score.right + score.unanswered) / score.items
    of = f"% of {counted(score.items, 'item')}"
    if score.unanswered:
        asks = f"{score.unanswered:,} replies did not come; the same command asks for them again"
        return f"is incomplete, between {percent(low)} and {percent(high)} {of}, {chance}: {asks}"
    limits = score.interval
    within = f", 95 % interval {percent(limits[0])} to {percent(limits[1])} %" if limits else ""
    return f"{percent(low)} {of}{within}, {chance}"


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
        heard = ", and sent the clips" if host in told.hear else ""
        yield line(
            strong(f"{shown(host, 200)} would be told"), f" {f'the columns {named}' if named else 'no column'}{heard}"
        )
    for one in told.asked:
        head = strong(f"{shown(one.what)}: {counted(one.calls, 'call')} of {shown(one.model)}")
        most = f" if nothing is rejected, {one.most:,} at most" if one.most > one.calls else ""
        yield line(head, f"{most}, {_cost(one.price_usd)}", ", the first:" if one.sample else "")
        yield from map(line, one.sample.splitlines())
    yield line(
        f"{counted(told.calls, 'call')} in all, {_cost(told.price_usd)}; what cannot be read is asked once more."
    )


def _cost(usd: float | None) -> str:
    return "price not known" if usd is None else f"about ${usd:.2f}"


def made(plan: Plan, rejected: Sequence[Rejected]) -> Iterator[Block]:
    """A table of tasks, and a line on the first few rejections by each rule."""
    gone = {one.item.id for one in rejected[len(plan.rejected) :] if one.item is not None}  # after they were made
    clip_of = ((one.item, one.clip.key) for one in plan.made if one.item.id not in gone)
    yield from of_tasks(plan.spec, clip_of, rejected)


def of_tasks(spec: Spec, items: Iterable[tuple[Item, str]], rejected: Sequence[Rejected]) -> Iterator[Block]:
    """The same of the items of a spec, each with what tells its clip from others."""
    n_rejected, by_task = Counter(one.task for one in rejected), defaultdict[str, list[tuple[Item, str]]](list)
    for item, clip in items:
        by_task[item.task].append((item, clip))
    rows = list[tuple[Cell, ...]]()
    for task in spec.task:
        own = by_task[task.name]
        listed = ", ".join(map(str, sorted({len(one.options) for one, _ in own if one.options})))
        answers, clips = len({one.answer for one, _ in own}), len({clip for _, clip in own})
        rows.append((task.name, task.make, len(own), clips, listed, answers, n_rejected[task.name]))
    yield Table(
        id="build-tasks",
        caption=f"What is made of {spec.benchmark.name}",
        signature="",
        columns=_TASKS,
        rows=tuple(rows),
    )
    yield from rejections(rejected)


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
