"""One run of open questions as a report needs it: its score from stored verdicts, and every reply with these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np

from audiometry.choices.variant import with_clip
from audiometry.dispatch.tally import Tally, Usage
from audiometry.records import ReplyRecord
from audiometry.report.record_row import RecordRow, fields
from audiometry.run.probing import result as probing
from audiometry.run.probing.result import Probe
from audiometry.score.chat.outcome import OpenOutcome, outcome
from audiometry.score.chat.rules import RULES, ChatRules, rules_named
from audiometry.score.chat.score import score_sheet
from audiometry.score.chat.sheet import Sheet, State, latest, sheet, state_of
from audiometry.score.chat.stored import StoredJudge, again, begun
from audiometry.score.chat.values import Panel, Values, joined, values
from audiometry.score.chat.verdicts import JudgedBy
from audiometry.score.judged import NOT_ASKED, OpenRun, open_positions
from audiometry.score.readers import Said
from audiometry.score.result import Scored, Scores

STATES: Final = tuple(state.name.lower() for state in (State.ANSWERED, State.REFUSED, State.EMPTY, State.FAILED))
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
    run: OpenRun
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


class _Scores(msgspec.Struct, frozen=True):
    """Replies and verdicts as scores; row and column as on the sheet."""

    sheet: Sheet
    judges: Sequence[JudgedBy]
    rules: ChatRules
    together: Values

    def verdicts(self, place: tuple[int, int]) -> tuple[VerdictRow, ...]:
        """What each judge said of a reply."""
        keys = self.sheet.keys.get(place, ())
        return tuple(
            _verdict(number, order, judge.verdicts.said[key], self.rules)
            for number, judge in enumerate(self.judges)
            for order, key in enumerate(keys)
            if key in judge.verdicts.said
        )


def gather_open(
    run: OpenRun,
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
    rules, positions = rules_named(profile), open_positions(run)
    run = msgspec.structs.replace(run, positions=positions)
    scores, score = _scores(run, rules, judges, panel)
    numbers = {name: i for i, name in enumerate(variants)}
    asked, own = (tuple(numbers[name] for name in names) for names in (run.info.variants, with_clip(run.info.variants)))
    places = {position: row for row, position in enumerate(scores.sheet.run.positions)} if scores else {}
    tally, finished, kept = Tally(), "", {}
    found = latest(run, {position: position for position in positions})
    for (position, column), record in found.items():
        tally.add(record)
        finished = max(finished, record.at)
        row = _row(record, run=number, variant=asked[column])
        if scores is not None and position in places:
            row = _with_scores(row, scores, (places[position], column))
        kept[position, asked[column]] = msgspec.json.encode(row)
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


def _scores(
    run: OpenRun, rules: ChatRules, judges: Sequence[StoredJudge], panel: Panel
) -> tuple[_Scores | None, Scores | None]:
    if not judges:
        return None, None
    found = sheet(run)
    strict, pairs = found.to_judge(empty_too=False), found.to_judge(empty_too=True)
    judged = [again(found, one, pairs) for one in judges]
    empty = pairs.keys() - strict.keys()
    whole = all(one.verdicts.said[key].text is not None for one in judged for key in empty)
    if not whole and not rules.empty_judged:  # empty replies were not put to the judge; these rules do not ask for it
        judged = [again(found, one, strict) for one in judges]
    names = [name for name, one in RULES.items() if whole or name == rules.name or not one.empty_judged]
    score = score_sheet(found, names, judged, panel)
    each = [values(found, one.verdicts.said, rules) for one in judged]
    return _Scores(found, judged, rules, joined(each, panel)), score


def _row(record: ReplyRecord, *, run: int, variant: int) -> OpenReplyRow:
    verdict = STATES.index(state_of(record).name.lower())
    return OpenReplyRow(run=run, variant=variant, verdict=verdict, **fields(record))


def _with_scores(row: OpenReplyRow, scores: _Scores, place: tuple[int, int]) -> OpenReplyRow:
    row.score, row.reference = (_mean(side[place]) for side in (scores.together.model, scores.together.reference))
    row.verdicts = scores.verdicts(place)
    row.judged = bool(row.verdicts)
    return row


def _mean(both: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float | None:
    there = both[~np.isnan(both)]
    return round(float(there.mean()), 6) if len(there) else None


def _verdict(judge: int, order: int, said: Said, rules: ChatRules) -> VerdictRow:
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
