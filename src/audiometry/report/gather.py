"""One run as a report needs it: its score, its accounts, and every reply as a line of JSON."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from audiometry.choices.variant import shown_options, with_clip
from audiometry.dispatch.tally import Tally, Usage
from audiometry.errors import UsageError
from audiometry.records import Item, ReplyRecord, State, Verdict
from audiometry.report.record_row import RecordRow, fields
from audiometry.report.views import NOT_ASKED, VERDICTS
from audiometry.run.probing import result as probing
from audiometry.run.probing.result import Probe
from audiometry.score.door import score as scored_all
from audiometry.score.door import scored as scored_by
from audiometry.score.judge.planning import planned_aligned
from audiometry.score.judge.stored_alignments import Stored
from audiometry.score.listening import Listening
from audiometry.score.measures.accuracy import is_right
from audiometry.score.opened import OpenedRun
from audiometry.score.planned import by_choice
from audiometry.score.profiles import PROFILES
from audiometry.score.readers import Outcome, as_shown
from audiometry.score.replies import Replies
from audiometry.score.result import Scored, Scores
from audiometry.score.sheet import Wanted

FAILED: Final = VERDICTS.index(Verdict.FAILED)


class ReplyRow(RecordRow, omit_defaults=True):
    """One reply to a question with options as the page's script finds it; ``verdict`` is a number in `VERDICTS`.

    Attributes:
        how: the rule that decided.
        order: places in the item's own options in the order they were shown; empty if that is the same.
        chosen: place of the chosen option as shown, from 0; -1 for none.
    """

    how: str = ""
    order: tuple[int, ...] = ()
    chosen: int = -1


class Kept(NamedTuple):
    """The reply that counts for one item in one variant: what it was sorted by, and its `ReplyRow` as JSON."""

    verdict: int
    how: str
    row: bytes


class RunView(msgspec.Struct, frozen=True):
    """One run of a report.

    Attributes:
        label: how the page calls it; unlike that of any other run there.
        run: where it is.
        scored: under the report's profile, as completed by a judge where the report is aligned.
        score: under every profile, by rules alone.
        heard: whether the model listens; None if it was not asked without the clips.
        probe: its hearing test; None if there was none.
        usage: what it took.
        finished: when its last reply arrived; empty if none did.
        asked: numbers of its variants in the page's list.
        variants: those of them in which items come with their own clip: what the score is made of.
        kept: by position of the item and number of the variant.
    """

    label: str
    run: OpenedRun
    scored: Scored
    score: Scores
    heard: Listening | None
    probe: Probe | None
    usage: Usage
    finished: str
    asked: tuple[int, ...]
    variants: tuple[int, ...]
    kept: dict[tuple[int, int], Kept]

    def reply(self, position: int, variant: int) -> Kept:
        """The reply that counts; one that says so if it was never asked."""
        found = self.kept.get((position, variant))
        return found or Kept(FAILED, NOT_ASKED, b"")

    def row(self, position: int, variant: int, number: int) -> bytes:
        """See `audiometry.report.views.Shown`."""
        return self.reply(position, variant).row or msgspec.json.encode(unasked(number, variant))


def gather(
    run: OpenedRun, *, number: int, label: str, profile: str, variants: tuple[str, ...], which: Stored | None = None
) -> RunView:
    """Score a run under every profile, and read its replies for the page.

    Args:
        run: the run.
        number: its place in the report, from 0.
        label: how the page calls it.
        profile: whose rules.
        variants: of all runs of the report.
        which: the alignment by a judge that completes the profile; None: rules alone.
    """
    score = scored_all(run, ("all",), store=False)
    if which is None and profile not in score.scores:
        raise UsageError(
            score.broken.get(profile) or f"profile {profile} has nothing to say of questions with options; name another"
        )
    plan = by_choice(run, PROFILES.named(profile)) if which is None else planned_aligned(run, profile, which)
    scored = score.scores[profile] if which is None else scored_by(run, [plan]).scores[profile]
    read = _Reading(run, plan.wanted)
    tally, finished = Tally(), ""
    kept: dict[tuple[int, int], Kept] = {}
    encode = msgspec.json.Encoder().encode
    numbers = {name: i for i, name in enumerate(variants)}
    asked, own = (tuple(numbers[name] for name in names) for names in (run.info.variants, with_clip(run.info.variants)))
    for row, column, record in Replies(run):
        tally.add(record)
        finished = max(finished, record.at)
        item = run.benchmark.items.at(run.positions[row])
        verdict, outcome, order = read(record, item)
        line = ReplyRow(
            run=number,
            variant=asked[column],
            verdict=verdict,
            how=outcome.how,
            order=order,
            chosen=ord(outcome.letter) - ord("A") if outcome.letter else -1,
            **fields(record),
        )
        kept[run.positions[row], asked[column]] = Kept(verdict, outcome.how, encode(line))
    return RunView(
        label=label,
        run=run,
        scored=scored,
        score=score,
        heard=score.listening,
        probe=probing.read(run.folder.path),
        usage=tally.usage(),
        finished=finished,
        asked=asked,
        variants=own,
        kept=kept,
    )


def unasked(run: int, variant: int) -> ReplyRow:
    """The row of a reply that is missing from the run folder."""
    return ReplyRow(run=run, variant=variant, verdict=FAILED, how=NOT_ASKED, error="the run has no reply to this item")


class _Reading:
    """Reads replies to questions with options as a plan does, what judges said included.

    Args:
        run: whose.
        wanted: the plan's sheet.
    """

    def __init__(self, run: OpenedRun, wanted: Wanted) -> None:
        self._seed = run.info.seed
        self._reader, self._words = as_shown(wanted.readers["choice"], run.info.prompt.style), wanted.words

    def __call__(self, record: ReplyRecord, item: Item) -> tuple[int, Outcome, tuple[int, ...]]:
        """The verdict's number, the outcome, and the order of options if it is not the item's own."""
        assert self._reader is not None  # noqa: S101  for the type
        shown = shown_options(item.id, item.options, seed=self._seed, variant=record.variant)
        said = self._words(record, item, shown) if self._words is not None else ()
        outcome = self._reader.read(record, item, shown, said)
        order = () if shown == item.options else tuple(item.options.index(option) for option in shown)
        return VERDICTS.index(_verdict(item, outcome)), outcome, order


def _verdict(item: Item, outcome: Outcome) -> Verdict:
    if outcome.state == State.ANSWERED:
        return Verdict.CORRECT if is_right(item, outcome) else Verdict.WRONG
    return {State.REFUSED: Verdict.REFUSED, State.FAILED: Verdict.FAILED}.get(outcome.state, Verdict.UNANSWERED)
