"""What became of the replies to a run's open items, before anybody has judged them."""

from __future__ import annotations

from itertools import chain

import msgspec

from audiometry.score.chat.sheet import State, latest, state_of
from audiometry.score.judged import OpenRun, n_planned, open_positions


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How many replies answered, declined, held no word, did not come, or were not asked for; of all variants."""

    n_items: int
    n_replies: int
    n_answered: int
    n_refused: int
    n_empty: int
    n_failed: int
    n_not_asked: int


class OpenOutcome(Outcome, frozen=True, kw_only=True):
    """All open items of a run, and by task; ``n_without_reference``: items that no judge can compare."""

    n_without_reference: int
    tasks: dict[str, Outcome]


def outcome(run: OpenRun) -> OpenOutcome:
    """Count the replies to a run's open items.

    Raises:
        RunFolderError: a reply to an item that is not in the benchmark.
    """
    positions = open_positions(run)
    items = run.benchmark.items
    rows = {position: row for row, position in enumerate(positions)}
    states: dict[str, list[State]] = {items.task_of(position): [] for position in positions}
    for (row, _), record in latest(run, rows).items():
        states[items.task_of(positions[row])].append(state_of(record))
    return OpenOutcome(
        **msgspec.structs.asdict(_counted(list(chain.from_iterable(states.values())), run, positions)),
        n_without_reference=sum(not (items.at(position).answer or "").strip() for position in positions),
        tasks={
            name: _counted(found, run, [position for position in positions if items.task_of(position) == name])
            for name, found in states.items()
        },
    )


def _counted(states: list[State], run: OpenRun, positions: list[int]) -> Outcome:
    n_replies = n_planned(run, positions)
    return Outcome(
        n_items=len(positions),
        n_replies=n_replies,
        n_answered=states.count(State.ANSWERED),
        n_refused=states.count(State.REFUSED),
        n_empty=states.count(State.EMPTY),
        n_failed=states.count(State.FAILED),
        n_not_asked=n_replies - len(states),
    )
