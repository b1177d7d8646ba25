"""A few items of a benchmark that foretell votes, beside the whole of it."""

from __future__ import annotations

from audiometry.analysis.subset import Subset
from audiometry.errors import counted
from audiometry.render.document import Block, line, name, strong
from audiometry.render.table import Column, Table


def subset(found: Subset) -> tuple[Block, ...]:
    """What is chosen, and what it is worth.

    Args:
        found: the subset.
    """
    columns = (
        Column(id="by", title="foretold by", kind="name"),
        Column(id="items", title="items", kind="count"),
        Column(id="q2", title="Q²", kind="number", decimals=2, sign=True),
        Column(id="p", title="p", kind="p"),
        Column(id="loss", title="log loss of votes", kind="number", decimals=3),
    )
    each = (
        ("the chosen items, chosen anew each time", found.n_items, found.chosen),
        ("the whole benchmark", found.n_of, found.whole),
        ("as many items at random", found.n_items, found.at_random),
    )
    table = Table(
        id="subset-worth",
        caption="Systems that are left out, foretold by the others: Q² of their merits (1: exactly, 0: no better than "
        "the mean of the others) and mean log loss of their votes",
        signature=found.signature,
        columns=columns,
        rows=(
            *((by, n, worth.q2, worth.p, worth.log_loss) for by, n, worth in each),
            ("the mean of the other systems", 0, 0.0, None, found.log_loss_of_none),
        ),
    )
    by_task = Table(
        id="subset-tasks",
        caption="Chosen items by task",
        signature=found.signature,
        columns=(Column(id="task", title="task", kind="name"), Column(id="chosen", title="chosen", kind="count")),
        rows=tuple(found.tasks.items()),
    )
    return (
        *(line(f"Note: {one}.", weight="minded") for one in found.warnings),
        line(
            strong(f"{found.n_items:,} of {counted(found.n_of, 'item')}"),
            " of ",
            name(found.benchmark),
            f" chosen by {counted(found.n_votes, 'vote')} on {counted(found.n_systems, 'system')}. On these systems "
            f"their mean correlates with the ratings {found.correlation:+.2f}, which says little: below is what they "
            "are worth on systems that had no part in choosing them.",
        ),
        table,
        *((by_task,) if len(found.tasks) > 1 else ()),
        line(found.signature, weight="dim"),
    )
