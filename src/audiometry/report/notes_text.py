"""What a reader of a score has to know, in lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from audiometry.errors import shown
from audiometry.report.numbers import Scale
from audiometry.score.averages import percent
from audiometry.score.extras import Extras
from audiometry.score.matching import RULES
from audiometry.score.result import Scored


def matching(extras: Extras) -> Iterator[Text]:
    """How many of the replies plain matching reads, by each parser."""
    for name, found in extras.plain_matching.items():
        if found.share is None:
            yield Text("Plain matching reads nothing: no reply came.", style="yellow")
            return
        how = RULES[name]
        read = f"{found.n_read:,} of {found.n_replies:,} replies that came, {percent(found.share)} %"
        yield Text(f"Plain matching by {name} ({how}) reads {read}.", style="dim")


def incomplete(scored: Scored, its: Scale) -> str:
    """What is missing of a score, and where it lies whatever that would have been."""
    kinds = [f"{shown(kind)} {n:,}" for kind, n in scored.failures.items()]
    kinds += [f"not asked {scored.n_not_asked:,}"] if scored.n_not_asked else []
    no_verdict = scored.n_unjudged and bool(scored.extras.judges)
    kinds += [f"no verdict of the judge {scored.n_unjudged:,}"] if no_verdict else []
    parts = [f"Incomplete: {', '.join(kinds)}."]
    if scored.bounds is not None:
        worst, best = scored.bounds if scored.direction == "up" else scored.bounds[::-1]
        parts.append(f"At worst {its.number(worst)}, at best {its.number(best)}.")
    lacking = [name for name, row in scored.categories.items() if row.n_lost]
    parts += [f"Incomplete: {', '.join(lacking)}."] if 0 < len(lacking) < len(scored.categories) else []
    if scored.n_not_asked:
        parts.append("A run that is not finished has no number; the same command goes on with it.")
    elif not scored.rankable:
        parts.append("More than 1 % failed, so this number is not to be ranked.")
    return " ".join(parts)


def left_out(name: str, scored: Scored) -> Text:
    """Which tasks have no number under a score, and so are in no average."""
    listed = ", ".join(map(shown, scored.left_out))
    return Text(
        f"{name}: no reply counts in {len(scored.left_out)} of {len(scored.tasks)} tasks; they have no number and "
        f"are left out of the averages: {listed}.",
        style="yellow",
    )


def pooled(scored: Scored) -> Iterator[str]:
    """Which items are pooled before anything is averaged, each counting alike."""
    if scored.pooled:
        pools = ", ".join(f"{name} ({', '.join(parts)})" for name, parts in scored.pooled.items())
        yield f"Pooled, each item counting alike: {pools}."
