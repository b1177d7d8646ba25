"""What a hearing test found, for the terminal."""

from __future__ import annotations

import shlex
from collections import Counter

import rich.box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from audiometry.errors import counted
from audiometry.run.probing.result import Aspect, Probe

STYLES = {"heard": "green", "not heard": "bold red", "failed": "bold red", "cannot tell": "yellow", "not asked": "dim"}
TINY = 0.001


def probe_report(found: Probe) -> Group:
    """Whether audio reaches the model, part by part, and what is wrong; a line where no reply came."""
    if not found.n:
        return Group(Text.assemble(_headline(found), f": {_why(found)}"))
    lines: list[RenderableType] = [_headline(found), _parts(found)]
    lines += [Text.assemble(("  wrong ", "bold red"), f"{one.message}.") for one in found.findings]
    if found.stopped:
        lines.append(Text.assemble(("stopped ", "bold red"), found.stopped))
    lines.append(Text(_closing(found), style="bold" if found.findings else "bold green" if found.hears else "bold red"))
    return Group(*lines)


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


def _why(found: Probe) -> str:
    """Why no reply came: the most frequent failure, once."""
    said = Counter(one.error.message for one in found.questions if one.error is not None)
    return said.most_common(1)[0][0] if said else found.stopped or "no replies"


def _headline(found: Probe) -> Text:
    if not found.n:
        return Text.assemble((found.model, "bold"), ": ", ("no reply came, so nothing can be said", "bold red"))
    chance = f"{found.right} of {found.n} right, guessing gives {found.expected:.1f}"
    p = f"p < {TINY}" if found.p < TINY else f"p = {found.p:.3f}"
    said = ("audio reaches it", "green") if found.hears else ("no sign that audio reaches it", "bold red")
    return Text.assemble((found.model, "bold"), ": ", said, f" ({chance}, {p})")


def _parts(found: Probe) -> Table:
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("what", no_wrap=True)
    for heading in ("right", "p"):
        out.add_column(heading, justify="right", no_wrap=True)
    out.add_column("verdict", no_wrap=True)
    out.add_column("sent as")
    for one in found.aspects:
        right, p = (f"{one.right} of {one.n}", f"{one.p:.3f}" if one.p >= TINY else f"< {TINY}") if one.n else ("", "")
        out.add_row(one.title, right, p, Text(one.verdict, style=STYLES[one.verdict]), _more(one))
    return out


def _more(one: Aspect) -> str:
    notes = [one.sent, one.note]
    notes += [f"{one.n_refused} declined"] if one.n_refused else []
    notes += [f"{one.n_unread} named no option"] if one.n_unread else []
    return "; ".join(filter(None, notes))


def _closing(found: Probe) -> str:
    verdicts = [one.verdict for one in found.aspects]
    open_ = [one.title for one in found.aspects if one.verdict in {"cannot tell", "not asked"}]
    heard = f"heard in {verdicts.count('heard')} of {len(verdicts)} parts, each tested at {found.alpha:g}"
    took = counted(found.usage.requests, "request")
    if found.findings:
        return f"\nNot right; {heard}; {took}"
    rest = f"; nothing can be said of: {', '.join(open_)}" if open_ else ""
    return f"\nNothing wrong found; {heard}; {took}{rest}"
