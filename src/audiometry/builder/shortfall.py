"""Says where fewer items were made than are wanted, or not as many of each kind, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter

from audiometry.builder.maker import Own
from audiometry.errors import counted, shown
from audiometry.files.build_folder import Rejected


def notes(tasks: Sequence[Own], rejected: Sequence[Rejected], *, whole: bool) -> Iterator[str]:
    """A line for each task without items, with fewer than it wants, or with not as many of each stratum.

    Args:
        tasks: what is made of each.
        rejected: what is none of it, of any time.
        whole: all is made that will be; else only what can be said before anybody is asked.
    """
    for own in tasks:
        n, name = len(own.made), f"task {shown(own.task.name)}"
        left = [one for one in rejected if one.task == own.task.name and one.where != "a wording"]
        if not n and not own.would_ask:
            yield f"{name}: no item could be made, {_why(left, own.clips)}"
        elif whole and n < own.task.n:
            missing = f"{counted(n, 'item')} of the {own.task.n:,} that it wants, {own.task.n - n:,} missing"
            what = "mix" if own.task.mix else "clip"
            clips = f"all {own.clips:,} {what}{'e' * (what == 'mix')}s" if own.clips > 1 else f"its only {what}"
            rules = f" (rejected: {_rules(left)})" if left else ""
            were = "were" if own.clips > 1 else "was"
            yield f"{name}: {missing}: {clips} {were} used{rules}; give it more clips, or ask for fewer items"
        if whole and own.task.n:
            yield from (f"{name}: {one}" for one in _uneven(own))


def _uneven(own: Own) -> Iterator[str]:
    counts = Counter(one.stratum for one in own.made)
    spread = {name: counts[name] for name in own.strata}
    if max(spread.values(), default=0) - min(spread.values(), default=0) > 1:
        (few, least), (many, most) = (pick(spread.items(), key=itemgetter(1)) for pick in (min, max))
        said = f"{least:,} of {shown(few, 40)}, {most:,} of {shown(many, 40)}"
        yield f"not evenly spread ({said}): no clip is left of which more is good enough"


def _why(left: Sequence[Rejected], n: int) -> str:
    return f"all {counted(n, 'clip')} are rejected ({_rules(left)})" if n else "no clip is left for it"


def _rules(left: Sequence[Rejected]) -> str:
    return ", ".join(f"{rule} {n:,}" for rule, n in Counter(one.rule for one in left).most_common(3))
