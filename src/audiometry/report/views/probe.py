"""What a hearing test found: whether audio reaches a model, and what is wrong with it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal

from audiometry.errors import counted
from audiometry.render.document import Block, Line, Section, Words, line, strong
from audiometry.render.numbers import p_value
from audiometry.render.table import Cell, Column, OutOf, Table
from audiometry.run.probing.result import Aspect, Probe

ID: Final = "probe"
_ABOUT: Final = line(
    "A hearing test of tones and spoken digits, apart from the items: what the model could tell of clips whose content "
    "is known.",
    weight="about",
)
_COLUMNS: Final = (
    Column(id="part", title="part", kind="name"),
    Column(id="result", title="result", kind="text"),
    Column(id="right", title="right", kind="count"),
    Column(id="chance", title="chance", kind="number", unit="%"),
    Column(id="p", title="p", kind="p"),
    Column(id="unread", title="named no option", kind="count", drop=1),
    Column(id="refused", title="declined", kind="count", drop=2),
    Column(id="failed", title="failed", kind="count", drop=3),
    Column(id="sent", title="sent as", kind="text"),
)


def probes(found: list[tuple[str, Probe]], *, several: bool) -> Section:
    """The hearing tests of runs, each under the name of its run where a page has several."""
    parts: tuple[Block, ...] = tuple(
        Section(id=f"{ID}-{number}", title="", of=name, blocks=probe(one, f"{ID}-{number}-parts"))
        for number, (name, one) in enumerate(found, 1)
    )
    blocks = parts if several else probe(found[0][1])
    return Section(id=ID, title="Does audio reach it?", short="Probe", blocks=(_ABOUT, *blocks))


def probe(found: Probe, table: str = f"{ID}-parts", of: str = "") -> tuple[Block, ...]:
    """Whether audio reaches the model, what is wrong, and part by part; where no reply came, why.

    Args:
        found: of the test.
        table: id of the table of parts.
        of: the model's name, where nothing else says it.
    """
    blocks: list[Block] = [_verdict(found, (strong(of), ": ") if of else ())]
    more: Literal["minded", "about"] = "minded" if found.n else "about"  # why no reply came is said already
    blocks += [line(f"{one.message[:1].upper()}{one.message[1:]}.", weight=more) for one in found.findings]
    if found.stopped:
        blocks.append(line(f"It ended early: {found.stopped}.", weight=more))
    if found.n:
        blocks += (_parts(found, table), line(_closing(found)))
    return tuple(blocks)


def one_line(found: Probe) -> str:
    """The short form in a line: ``Probe: the model hears (6 of 6)``."""
    if not found.n:
        return f"Probe: nothing can be said, no reply came ({found.stopped or _why(found)}); the run goes on"
    missing = f", {found.n_failed} without a reply" if found.n_failed else ""
    count = f"{found.right} of {found.n}{missing}"
    if found.hears:
        return f"Probe: the model hears ({count})"
    return (
        f"WARNING: Probe: no sign that audio reaches the model ({count} right, guessing gives {found.expected:.1f}); "
        f"the run goes on. `audiometry probe {shlex.quote(found.model)}` tells more, with the options of this run"
    )


def _verdict(found: Probe, of: Words) -> Line:
    if not found.n:
        return line(*of, strong("Nothing can be said, no reply came"), f": {_why(found)}.", weight="minded")
    verdict = "Audio reaches the model." if found.hears else "No sign that audio reaches the model."
    failed = f"; {counted(found.n_failed, 'question')} without a reply" if found.n_failed else ""
    return line(
        *of,
        strong(verdict),
        f" {found.right:,} of {found.n:,} right where guessing gives {found.expected:.1f} "
        f"(p {p_value(found.p, '= ')}){failed}.",
        weight="plain" if found.hears and not found.findings else "minded",
    )


def _why(found: Probe) -> str:
    """Why no reply came: the most frequent failure, once."""
    said = Counter(one.error.message for one in found.questions if one.error is not None)
    return said.most_common(1)[0][0] if said else found.stopped or "no replies"


def _parts(found: Probe, name: str) -> Table:
    return Table(
        id=name,
        caption="Parts of the hearing test",
        signature=f"probe | model={found.model} | form={found.form} | seed={found.seed} | each part at {found.alpha:g}",
        columns=_COLUMNS,
        rows=tuple(tuple(_cells(one)) for one in found.aspects),
    )


def _cells(one: Aspect) -> Iterator[Cell]:
    yield from (one.title, one.verdict, OutOf(one.right, one.n) if one.n else None, one.chance)
    yield from (one.p if one.n else None, one.n_unread, one.n_refused, one.n_failed)
    yield "; ".join(filter(None, (one.sent, one.note)))


def _closing(found: Probe) -> str:
    verdicts = [one.verdict for one in found.aspects]
    open_ = [one.title for one in found.aspects if one.verdict in {"cannot tell", "not asked"}]
    heard = f"heard in {verdicts.count('heard')} of {len(verdicts)} parts, each tested at {found.alpha:g}"
    asked = counted(found.usage.requests, "request")
    if found.findings:
        return f"{heard.capitalize()}; {asked}."
    form = ", which does not look at rates, channels and lengths"
    wrong = f"Nothing wrong was found{f' by the short form of the test{form}' * (found.form == 'short')}"
    rest = f"; nothing can be said of: {', '.join(open_)}" if open_ else ""
    return f"{wrong}; {heard}; {asked}{rest}."
