"""One run as a report needs it: every score that there is of it, its accounts, and every reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from audiometry.choices.variant import of_score
from audiometry.dispatch.tally import Usage
from audiometry.report.ledger import Ledger
from audiometry.report.record_row import Kept
from audiometry.report.said import lacks_open, unscored
from audiometry.report.shown import SHOWN, Plans, with_people
from audiometry.report.views.scored import without_reply
from audiometry.review.review import said_unreviewed
from audiometry.run.answered import Otherwise
from audiometry.run.probing import result as probing
from audiometry.run.probing.result import Probe
from audiometry.score.attention import Listening
from audiometry.score.door import with_sheets
from audiometry.score.heard import Changed
from audiometry.score.items import KINDS, occurring
from audiometry.score.judge.stored import begun
from audiometry.score.opened import OpenedRun, kind_of
from audiometry.score.outcome import OpenOutcome, outcome
from audiometry.score.replies import Replies
from audiometry.score.result import Scored, Scores
from audiometry.score.sheet import Sheet


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
        heard: whether the model listens, by the rules of the page if these have a test of it, else by those of
            ``strict``; None if it was not asked without the clips.
        outcome: what became of replies that no score has a part in, while nobody has judged them.
        begun: journals of judges that were stopped before their end.
        notes: what the page lacks of the run, a line each.
        probe: its hearing test; None if there was none.
        kinds: of its items' tasks.
        asked: numbers of its variants in the page's list.
        variants: those of them in which items come with their own clip: what the scores are made of.
        replies: all that was to be asked, and its accounts, once they were looked at.
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
    kinds: frozenset[str]
    asked: tuple[int, ...]
    variants: tuple[int, ...]
    replies: Ledger

    def reply(self, position: int, variant: int) -> Kept:
        """The reply that counts; one that says so if it was never asked."""
        return self.replies.reply(position, self.asked.index(variant))

    def verdict(self, position: int, variant: int) -> str:
        """What became of that reply; empty if none was to be asked for."""
        return self.replies.verdict(position, self.asked.index(variant))

    @property
    def usage(self) -> Usage:
        """What it took."""
        return self.replies.tally.usage()

    @property
    def finished(self) -> str:
        """When its last reply arrived; empty if none did."""
        return self.replies.finished

    def kind(self, position: int) -> str:
        """What an answer to an item is; see `kind_of`."""
        return kind_of(self.run, self.run.benchmark.items.at(position))

    def n_correct(self, scored: Scored) -> int:
        """How many of the replies that a score is made of are right; of those that rules read."""
        return self.replies.n_correct(scored, [self.asked.index(variant) for variant in self.variants])

    @property
    def complete(self) -> bool:
        """Whether no score lacks a reply, nor any open question that nobody has judged."""
        return all(one.complete for one in self.scored.values()) and not self.lacks_open

    @property
    def lacks_open(self) -> str:
        """What is missing of the replies that nobody has judged; empty for nothing."""
        return "" if self.opens else lacks_open(self.outcome)

    @property
    def silent(self) -> bool:
        """Whether no reply came to anything that is scored: then it has no number, whatever rules make of nothing."""
        return without_reply(self.scored)

    @property
    def unjudged(self) -> bool:
        """Whether its replies to open questions have no judge's score."""
        return not self.opens and self.outcome.n_items > 0


def gather(
    run: OpenedRun,
    plans: Plans,
    *,
    label: str,
    variants: tuple[str, ...],
    before: Sequence[RunView] = (),
    by: Sequence[str] = (),
) -> RunView:
    """Score a run by all plans, and read its replies for the page.

    Args:
        run: the run.
        plans: what the page shows of it.
        label: how the page calls it.
        variants: of all runs of the report.
        before: those that were gathered already, whose tables of items this one may share.
        by: tags of items by whose values there are rows.
    """
    changed, others = Changed(run), Otherwise(run.benchmark, run.info)
    replies = Ledger(run)
    found, sheets = with_sheets(run, plans.all, by, counts=[changed, others], replies=replies)
    numbers = {name: i for i, name in enumerate(variants)}
    asked, own = (tuple(numbers[name] for name in names) for names in (run.info.variants, of_score(run.info.variants)))
    there = {name: plan.wanted for name, plan in plans.shown.items() if plan.name in sheets}
    kept = {name: _sharing(sheets[plans.shown[name].name], name, before) for name in there}
    replies.settle([(wanted, kept[name]) for name, wanted in there.items()])
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
        sheets=kept,
        changed=changed,
        heard=next((one.listening for one in own_scores.values() if one.listening is not None), found.listening),
        outcome=unjudged,
        begun=begun(run.folder.path),
        notes=(
            *filter(None, [others.said(reply for *_, reply in Replies(run)), said_unreviewed(run.benchmark)]),
            *plans.notes,
            *_broken(found),
            *lost,
            *_unscored(found, 0 if opens else unjudged.n_items),
        ),
        probe=probing.read(run.folder.path),
        kinds=_kinds(found, sheets),
        asked=asked,
        variants=own,
        replies=replies,
    )


def _sharing(sheet: Sheet, name: str, before: Sequence[RunView]) -> Sheet:
    other = next((view.sheets[name] for view in before if name in view.sheets), None)
    return sheet if other is None else msgspec.structs.replace(sheet, items=sheet.items.beside(other.items))


def _kinds(found: Scores, sheets: Mapping[str, Sheet]) -> frozenset[str]:
    """Of the run's items; one in no score has no options, since any would be read by some rules."""
    scored = {KINDS[code] for sheet in sheets.values() for code in occurring(sheet.items.kind).tolist()}
    return frozenset(scored | {"open" if kind == "choice" else kind for kind in found.unscored})


def _broken(found: Scores) -> Iterator[str]:
    """Which scores could not be made, and why."""
    for name, why in found.broken.items():
        yield f"{name.removeprefix(SHOWN)} is not scored: {why}"


def _unscored(found: Scores, n_told: int) -> Iterator[str]:
    """Which items are in no score; of those that nobody has judged the page tells by itself."""
    if found.n_unscored > n_told:
        yield unscored(found).removesuffix(".")
