"""One run as a report needs it: every score that there is of it, its accounts, and every reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from audiometry.choices.variant import shown_options, with_clip
from audiometry.dispatch.tally import Tally, Usage
from audiometry.records import ReplyRecord, State
from audiometry.report.record_row import NOT_ASKED, Edits, Kept
from audiometry.report.said import lacks_open
from audiometry.report.shown import SHOWN, Plans, with_people
from audiometry.report.text import unscored
from audiometry.run.probing import result as probing
from audiometry.run.probing.result import Probe
from audiometry.score.door import with_sheets
from audiometry.score.heard import Changed, by_clip
from audiometry.score.judge.stored import begun
from audiometry.score.listening import Listening
from audiometry.score.measures.accuracy import is_right
from audiometry.score.measures.edits import DELETED, INSERTED, SUBSTITUTED, UNITS
from audiometry.score.opened import OpenedRun, kind_of
from audiometry.score.outcome import OpenOutcome, outcome
from audiometry.score.readers.judged import JudgedReader, became
from audiometry.score.replies import Replies
from audiometry.score.result import Scored, Scores
from audiometry.score.sheet import STATES, Sheet, Wanted

RULED_KINDS: Final = frozenset({"choice", "label"})
"""Kinds of task whose replies are right or wrong."""

EDITED: Final = {"wer": "word", "cer": "character"}
"""Measures that count errors, and in what."""


class RunView(msgspec.Struct, frozen=True):
    """One run of a report.

    Attributes:
        label: how the page calls it; unlike that of any other run there.
        run: where it is.
        scored: the scores of the page, by name.
        choices: under every profile, by rules alone; empty without questions with options.
        opens: judged answers under every profile that was judged in full, by name.
        whole: all of them, with what is said of the run as a whole.
        sheets: what the scores of the page are compared by, by name; none of those that were stored.
        changed: which of its replies were to clips that are others now.
        heard: whether the model listens; None if it was not asked without the clips.
        outcome: what became of replies that no score has a part in, while nobody has judged them.
        begun: journals of judges that were stopped before their end.
        notes: what the page lacks of the run, a line each.
        probe: its hearing test; None if there was none.
        clips: of each, to how many replies it was something else than it is now, and how many there are.
        usage: what it took.
        finished: when its last reply arrived; empty if none did.
        asked: numbers of its variants in the page's list.
        variants: those of them in which items come with their own clip: what the scores are made of.
        kept: what became of all that was to be asked, by position of the item and number of the variant.
    """

    label: str
    run: OpenedRun
    scored: Mapping[str, Scored]
    choices: Mapping[str, Scored]
    opens: Mapping[str, Scored]
    whole: Scores
    sheets: Mapping[str, Sheet]
    changed: Changed
    heard: Listening | None
    outcome: OpenOutcome
    begun: tuple[str, ...]
    notes: tuple[str, ...]
    probe: Probe | None
    clips: Mapping[str, tuple[int, int]]
    usage: Usage
    finished: str
    asked: tuple[int, ...]
    variants: tuple[int, ...]
    kept: Mapping[tuple[int, int], Kept]

    def reply(self, position: int, variant: int) -> Kept:
        """The reply that counts; one that says so if it was never asked."""
        return self.kept.get((position, variant)) or Kept(None, NOT_ASKED)

    def kind(self, position: int) -> str:
        """What an answer to an item is; see `kind_of`."""
        return kind_of(self.run, self.run.benchmark.items.at(position))

    def n_correct(self, scored: Scored) -> int:
        """How many of the replies that a score is made of are right; of those that rules read."""
        task_of = self.run.benchmark.items.task_of
        mine = (at for at in self.run.positions if task_of(at) in scored.tasks and self.kind(at) in scored.kinds)
        return sum(self.reply(at, variant).verdict == "correct" for at in mine for variant in self.variants)

    @property
    def complete(self) -> bool:
        """Whether no score lacks a reply, nor any open question that nobody has judged."""
        return all(one.complete for one in self.scored.values()) and not self.lacks_open

    @property
    def lacks_open(self) -> str:
        """What is missing of the replies that nobody has judged; empty for nothing."""
        return "" if self.opens else lacks_open(self.outcome)

    @property
    def unjudged(self) -> bool:
        """Whether its replies to open questions have no judge's score."""
        return not self.opens and self.outcome.n_items > 0


def gather(run: OpenedRun, plans: Plans, *, label: str, variants: tuple[str, ...]) -> RunView:
    """Score a run by all plans, and read its replies for the page.

    Args:
        run: the run.
        plans: what the page shows of it.
        label: how the page calls it.
        variants: of all runs of the report.
    """
    changed = Changed(run)
    found, sheets = with_sheets(run, plans.all, counts=[changed])
    numbers = {name: i for i, name in enumerate(variants)}
    asked, own = (tuple(numbers[name] for name in names) for names in (run.info.variants, with_clip(run.info.variants)))
    shown = [_Shown(plan.wanted, sheets[plan.name]) for plan in plans.shown.values() if plan.name in sheets]
    tally, finished = Tally(), ""
    kept: dict[tuple[int, int], Kept] = {}
    replies, none = Replies(run), Kept(None, NOT_ASKED)
    for row, column, record in replies:
        tally.add(record)
        finished = max(finished, record.at)
        kept[run.positions[row], asked[column]] = _kept(run, shown, record, (row, column))
    kept |= {(run.positions[row], asked[column]): none for row, column in replies.missing()}
    own_scores, choices, opens = plans.sorted(found.scores)
    own_scores, lost = with_people(run, own_scores)
    unjudged = outcome(run)
    return RunView(
        label=label,
        run=run,
        scored=own_scores,
        choices=choices,
        opens=opens,
        whole=found,
        sheets={name: sheets[plan.name] for name, plan in plans.shown.items() if plan.name in sheets},
        changed=changed,
        heard=found.listening,
        outcome=unjudged,
        begun=begun(run.folder.path),
        notes=(*plans.notes, *_broken(found), *lost, *_unscored(found, 0 if opens else unjudged.n_items)),
        probe=probing.read(run.folder.path),
        clips=by_clip(run),
        usage=tally.usage(),
        finished=finished,
        asked=asked,
        variants=own,
        kept=kept,
    )


def _broken(found: Scores) -> Iterator[str]:
    """Which scores could not be made, and why."""
    for name, why in found.broken.items():
        yield f"{name.removeprefix(SHOWN)} is not scored: {why}"


def _unscored(found: Scores, n_told: int) -> Iterator[str]:
    """Which items are in no score; of those that nobody has judged the page tells by itself."""
    if found.n_unscored > n_told:
        yield unscored(found).removesuffix(".")


class _Shown:
    """A score of the page, and what its rows count of a reply."""

    def __init__(self, wanted: Wanted, sheet: Sheet) -> None:
        self.wanted, self.sheet = wanted, sheet
        self._row = {position: row for row, position in enumerate(sheet.items.position.tolist())}

    def covers(self, position: int) -> bool:
        """Whether it has a part in an item."""
        return position in self._row

    def state(self, position: int, column: int) -> State:
        """What became of a reply, as the tables count it."""
        return STATES[int(self.sheet.state[self._row[position], column])]

    def edits(self, position: int, column: int) -> Edits | None:
        """The errors of a reply; None where the score counts none."""
        if (unit := EDITED.get(self.sheet.measure.name)) is None or not self.covers(position):
            return None
        parts = self.sheet.parts[self._row[position], column]
        substituted, deleted, inserted, units = (int(parts[at]) for at in (SUBSTITUTED, DELETED, INSERTED, UNITS))
        return Edits(substituted, deleted, inserted, units, unit)


def _kept(run: OpenedRun, shown: Sequence[_Shown], record: ReplyRecord, place: tuple[int, int]) -> Kept:
    """A reply with what the first score read of it that it has a part in, and what judges said."""
    position = run.positions[place[0]]
    item = run.benchmark.items.at(position)
    found = next((one for one in shown if place in one.sheet.outcomes and one.covers(position)), None)
    if found is None:
        return Kept(record, became(record)[0].value)
    wanted, read, kind = found.wanted, found.sheet.outcomes[place], kind_of(run, item)
    state = found.state(position, place[1])
    if kind in RULED_KINDS:
        options = shown_options(item.id, item.options, seed=run.info.seed, variant=record.variant)
        order = () if options == item.options else tuple(map(item.options.index, options))
        right = "correct" if is_right(item, read) else "wrong"
        return Kept(record, right if state == State.ANSWERED else state.value, read, order, ruled=True)
    reader = wanted.readers[kind]
    said = wanted.words(record, item, ()) if wanted.words is not None else ()
    rules = reader.rules if isinstance(reader, JudgedReader) else None
    edits = next(filter(None, (one.edits(position, place[1]) for one in shown)), None)
    return Kept(record, state.value, read, said=said, rules=rules, edits=edits)
