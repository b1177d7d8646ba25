"""One run of open questions as a report needs it: its score from stored verdicts, and every reply with these."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from audiometry.choices.variant import with_clip
from audiometry.dispatch.tally import Tally, Usage
from audiometry.records import Item, ReplyRecord, State
from audiometry.report.record_row import RecordRow, fields
from audiometry.report.views import NOT_ASKED
from audiometry.run.probing import result as probing
from audiometry.run.probing.result import Probe
from audiometry.score.door import scored
from audiometry.score.judge.answers import Answers
from audiometry.score.judge.comparisons import Comparisons, Pair
from audiometry.score.judge.planning import planned_all, rules_named
from audiometry.score.judge.rules import JudgeRules
from audiometry.score.judge.stored import StoredJudge, begun
from audiometry.score.opened import OpenedRun, open_positions
from audiometry.score.outcome import OpenOutcome, outcome
from audiometry.score.readers import Said
from audiometry.score.readers.judged import Compared, JudgedReader, Panel, became
from audiometry.score.replies import Replies
from audiometry.score.result import Scored, Scores

STATES: Final = tuple(state.value for state in (State.ANSWERED, State.REFUSED, State.EMPTY, State.FAILED))
LONGEST_VERDICT: Final = 4_000
"""Characters of a judge's answer that a report shows; the rest stays in the run folder, and the report says so."""


class VerdictRow(msgspec.Struct, omit_defaults=True):
    """What a judge said of a reply in one order, as the page's script finds it.

    Attributes:
        judge: number in the page's list.
        order: 0: the reference stood first; 1: the model's answer did.
        said, again: the raw answer, and the one to being asked once more, at most `LONGEST_VERDICT` characters each.
        left_out: how many more there are.
        mine, other: what was read for the model's answer and for the reference; None where nothing counts.
        how: the form in which the scores stood, or why they cannot be read.
    """

    judge: int = 0
    order: int = 0
    said: str | None = None
    again: str | None = None
    left_out: int = 0
    mine: float | None = None
    other: float | None = None
    how: str = ""


class OpenReplyRow(RecordRow, omit_defaults=True):
    """One reply to an open question as the page's script finds it; ``verdict`` is a number in `STATES`.

    Attributes:
        score, reference: means over both orders and all judges; None where there is none.
        judged: whether judges were asked about it.
        verdicts: by judge and order.
    """

    score: float | None = None
    reference: float | None = None
    judged: bool = False
    verdicts: tuple[VerdictRow, ...] = ()


class ChatView(msgspec.Struct, frozen=True):
    """One run of open questions in a report.

    Attributes:
        label: how the page calls it; unlike that of any other run there.
        run: where it is, with its open items only.
        scored: under the report's profile; None if it was not judged.
        score: under every profile; None if it was not judged.
        outcome: what became of its replies.
        begun: journals of judges that were stopped before their end.
        probe: its hearing test; None if there was none.
        usage: what it took.
        finished: when its last reply arrived; empty if none did.
        asked, variants: see `Shown`.
        kept: by position of the item and number of the variant.
    """

    label: str
    run: OpenedRun
    scored: Scored | None
    score: Scores | None
    outcome: OpenOutcome
    begun: tuple[str, ...]
    probe: Probe | None
    usage: Usage
    finished: str
    asked: tuple[int, ...]
    variants: tuple[int, ...]
    kept: Mapping[tuple[int, int], bytes]

    def row(self, position: int, variant: int, number: int) -> bytes:
        """See `audiometry.report.views.Shown`."""
        missing = OpenReplyRow(
            run=number,
            variant=variant,
            verdict=STATES.index("failed"),
            error=f"{NOT_ASKED}: the run has no reply to this item",
        )
        return self.kept.get((position, variant)) or msgspec.json.encode(missing)


class _Words(msgspec.Struct, frozen=True):
    """What judges said, as the report's profile reads it."""

    reader: JudgedReader
    judges: Sequence[Answers[Pair]]

    def tell(self, row: OpenReplyRow, record: ReplyRecord, item: Item) -> None:
        """Put scores and verdicts on the row of a reply."""
        asked = self.reader.asks(record, item, ())
        said = [[answers.of(pair.key, pair) for pair in asked] for answers in self.judges]
        found = self.reader.read(record, item, (), [one for each in said for one in each])
        references = found.references if isinstance(found, Compared) else ()
        row.score, row.reference = _mean(found.scores), _mean(references)
        row.verdicts = tuple(
            _verdict(number, order, one, self.reader.rules)
            for number, each in enumerate(said)
            for order, one in enumerate(each)
        )
        row.judged = bool(row.verdicts)


def gather_open(
    run: OpenedRun,
    *,
    number: int,
    label: str,
    profile: str,
    variants: tuple[str, ...],
    judges: Sequence[StoredJudge],
    panel: Panel,
) -> ChatView:
    """Score a run of open questions from stored verdicts, and read its replies for the page.

    Args:
        run: the run.
        number: its place in the report, from 0.
        label: how the page calls it.
        profile: whose rules.
        variants: of all runs of the report.
        judges: whose verdicts; empty: it is shown without scores.
        panel: how those of several are put together.

    Raises:
        UnknownNameError: there is no such profile for open answers.
        RunFolderError: a journal is damaged.
    """
    positions = open_positions(run)
    run = msgspec.structs.replace(run, positions=positions)
    plans = planned_all(run, profile, judges, panel) if judges else []
    score = scored(run, plans) if plans else None
    words = _words(run, profile, judges, panel)
    numbers = {name: i for i, name in enumerate(variants)}
    asked, own = (tuple(numbers[name] for name in names) for names in (run.info.variants, with_clip(run.info.variants)))
    tally, finished, kept = Tally(), "", {}
    for at, column, record in Replies(run):
        tally.add(record)
        finished = max(finished, record.at)
        verdict = STATES.index(became(record)[0].value)
        row = OpenReplyRow(run=number, variant=asked[column], verdict=verdict, **fields(record))
        item = run.benchmark.items.at(positions[at])
        if words is not None and (item.answer or "").strip():
            words.tell(row, record, item)
        kept[positions[at], asked[column]] = msgspec.json.encode(row)
    return ChatView(
        label=label,
        run=run,
        scored=None if score is None else score.scores[profile],
        score=score,
        outcome=outcome(run),
        begun=begun(run.folder.path),
        probe=probing.read(run.folder.path),
        usage=tally.usage(),
        finished=finished,
        asked=asked,
        variants=own,
        kept=kept,
    )


def _words(run: OpenedRun, profile: str, judges: Sequence[StoredJudge], panel: Panel) -> _Words | None:
    if not judges:
        return None
    answers = [Answers(Comparisons(), run.folder.path / one.journal) for one in judges]
    return _Words(JudgedReader(rules=rules_named(profile), panel=panel), answers)


def _mean(scores: Sequence[float]) -> float | None:
    there = [score for score in scores if not math.isnan(score)]
    return round(sum(there) / len(there), 6) if there else None


def _verdict(judge: int, order: int, said: Said, rules: JudgeRules) -> VerdictRow:
    read = rules.scores(said)
    mine, other = (read.second, read.first) if order == 0 else (read.first, read.second)
    texts = [text for text in (said.first, said.again) if text is not None]
    return VerdictRow(
        judge=judge,
        order=order,
        said=None if said.first is None else said.first[:LONGEST_VERDICT],
        again=None if said.again is None else said.again[:LONGEST_VERDICT],
        left_out=sum(max(0, len(text) - LONGEST_VERDICT) for text in texts),
        mine=mine,
        other=other,
        how=read.how,
    )
