"""One run as a report needs it: its score, its accounts, and every reply as a line of JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from audiometry.dispatch.tally import Tally, Usage
from audiometry.errors import UsageError
from audiometry.records import Item, ReplyRecord, Verdict
from audiometry.report.record_row import RecordRow, fields
from audiometry.run.probing import result as probing
from audiometry.run.probing.result import Probe
from audiometry.score.door import score as scored_all
from audiometry.score.door import scored as scored_by
from audiometry.score.judge.planning import planned_aligned
from audiometry.score.judge.stored_alignments import Stored
from audiometry.score.judged import NOT_ASKED, VERDICTS, JudgedReply, OpenRun, replies, with_own_clips
from audiometry.score.listening import Listening
from audiometry.score.profiles import Profile, Reading, named, reading_of
from audiometry.score.readers import as_shown
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
    run: OpenRun
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


class Reread:
    """Reads replies to questions with options as a plan does, what judges said included.

    Args:
        wanted: the plan's sheet.
        style: in which options were shown.
    """

    def __init__(self, wanted: Wanted, style: str) -> None:
        self._reader, self._words = as_shown(wanted.readers["choice"], style), wanted.words

    def read(self, record: ReplyRecord, item: Item, options: Sequence[str]) -> Reading:
        """What becomes of a reply."""
        assert self._reader is not None  # noqa: S101  for the type
        said = self._words(record, item, options) if self._words is not None else ()
        return reading_of(self._reader.read(record, item, options, said), item)


def gather(
    run: OpenRun, *, number: int, label: str, profile: str, variants: tuple[str, ...], which: Stored | None = None
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
    rules: Profile | Reread = named(profile)
    scored = score.scores.get(profile)
    if which is not None:
        plan = planned_aligned(run, profile, which)
        scored = scored_by(run, [plan]).scores[profile]
        rules = Reread(plan.wanted, run.info.prompt.style)
    if scored is None:
        raise UsageError(f"profile {profile} has nothing to say of questions with options; name another")
    tally, finished = Tally(), ""
    kept: dict[tuple[int, int], Kept] = {}
    encode = msgspec.json.Encoder().encode
    variant_numbers = {name: i for i, name in enumerate(variants)}
    for reply in replies(run, rules):
        tally.add(reply.record)
        finished = max(finished, reply.record.at)
        verdict, variant = VERDICTS.index(reply.reading.verdict), variant_numbers[reply.record.variant]
        place = (_position(run, reply), variant)
        if verdict == FAILED and place in kept and kept[place].verdict != FAILED:
            continue  # as scoring does: a failure never takes the place of a reply
        row = _row(reply, run=number, variant=variant, verdict=verdict)
        kept[place] = Kept(verdict, reply.reading.how, encode(row))
    asked, own = (
        tuple(variant_numbers[name] for name in names)
        for names in (run.info.variants, with_own_clips(run).info.variants)
    )
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


def _position(run: OpenRun, reply: JudgedReply) -> int:
    found = run.benchmark.items.position(reply.item.id)
    return -1 if found is None else found


def _row(reply: JudgedReply, *, run: int, variant: int, verdict: int) -> ReplyRow:
    own = reply.item.options
    return ReplyRow(
        run=run,
        variant=variant,
        verdict=verdict,
        how=reply.reading.how,
        order=() if reply.options == own else tuple(own.index(option) for option in reply.options),
        chosen=ord(reply.reading.letter) - ord("A") if reply.reading.letter else -1,
        **fields(reply.record),
    )
