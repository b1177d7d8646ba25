"""What became of the replies to a run's open items, before anybody has judged them."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import msgspec

from audiometry.choices.variant import is_of_score
from audiometry.records import State
from audiometry.score.opened import OpenedRun, open_positions
from audiometry.score.readers.judged import became
from audiometry.score.replies import Replies


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How many replies answered, declined, held no word, did not come, or were not asked for.

    As in all rows, of the variants that have the items' own clips.
    """

    n_items: int
    n_replies: int
    n_answered: int
    n_refused: int
    n_empty: int
    n_failed: int
    n_not_asked: int


class OpenOutcome(Outcome, frozen=True, kw_only=True):
    """All open items of a run, and by task.

    Attributes:
        n_without_reference: items that no judge can compare.
        failures: of the replies that failed, by kind.
        tasks: by name.
    """

    n_without_reference: int
    failures: dict[str, int]
    tasks: dict[str, Outcome]


def outcome(run: OpenedRun) -> OpenOutcome:
    """Count the replies to a run's open items.

    Raises:
        RunFolderError: a reply to an item that is not in the benchmark.
    """
    items, card, replies = run.benchmark.items, run.benchmark.card, Replies(run)
    entries = {name: card.task_named(name) for name in run.benchmark.tasks()}
    judged = {name for name, task in entries.items() if task.kind == "open" and not task.measure}
    positions = [position for position in open_positions(run) if items.task_of(position) in judged]
    opened = set(positions)
    states: dict[str, list[State]] = {items.task_of(position): [] for position in positions}
    failures: Counter[str] = Counter()
    own = [is_of_score(variant) for variant in run.info.variants]
    for row, k, reply in replies if opened else ():
        if run.positions[row] in opened and own[k]:
            state, how = became(reply)
            states[items.task_of(run.positions[row])].append(state)
            failures.update([how] * (state is State.FAILED))
    for row, k in replies.missing() if opened else ():
        if run.positions[row] in opened and own[k]:
            states[items.task_of(run.positions[row])].append(State.NOT_ASKED)
    asked = {name: sum(items.task_of(position) == name for position in positions) for name in states}
    return OpenOutcome(
        **msgspec.structs.asdict(_counted(list(chain.from_iterable(states.values())), len(positions))),
        n_without_reference=sum(not (items.at(position).answer or "").strip() for position in positions),
        failures=dict(sorted(failures.items())),
        tasks={name: _counted(found, asked[name]) for name, found in states.items()},
    )


def _counted(states: list[State], n_items: int) -> Outcome:
    return Outcome(
        n_items=n_items,
        n_replies=len(states),
        n_answered=states.count(State.ANSWERED),
        n_refused=states.count(State.REFUSED),
        n_empty=states.count(State.EMPTY),
        n_failed=states.count(State.FAILED),
        n_not_asked=states.count(State.NOT_ASKED),
    )
