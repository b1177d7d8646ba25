"""Puts a sheet's pairs to judges and keeps what they said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from audiometry.dispatch.tally import Usage
from audiometry.files import atomic
from audiometry.records.rating import RatingLine
from audiometry.score.chat.pair import ORDERS, Comparisons, Pair
from audiometry.score.chat.sheet import Sheet
from audiometry.score.chat.values import Values
from audiometry.score.extras import Injection
from audiometry.score.judged import OpenRun
from audiometry.score.judging.loaded import opened
from audiometry.score.judging.settings import Follow, JudgeSettings
from audiometry.score.readers import Said


class Verdicts(msgspec.Struct, frozen=True):
    """What one judge said of a run.

    Attributes:
        name, slug: of the judge, and of the judge with its parameters, safe as a file name.
        said: by key of the pair.
        parameters, prompt_sha256, journal: see `JudgeAccount`.
        usage: requests, tokens and cost of all answers about these pairs.
        n_requests_now: requests of this session.
    """

    name: str
    slug: str
    said: Mapping[str, Said]
    parameters: dict[str, Any]
    prompt_sha256: str
    journal: str
    usage: Usage
    n_requests_now: int


class JudgedBy(msgspec.Struct, frozen=True):
    """One judge's verdicts, and how far it obeys a reply; None if that was not tried."""

    verdicts: Verdicts
    injection: Injection | None


def ask(run: OpenRun, pairs: Mapping[str, Pair], settings: JudgeSettings, follow: Follow | None = None) -> Verdicts:
    """Have a judge compare; nothing is asked twice.

    Args:
        run: in whose folder the answers are kept.
        pairs: by key.
        settings: the judge.
        follow: who is told how it goes.

    Raises:
        UsageError: the judge cannot be used.
        StoppedError: nobody answers, or the person stopped it; what was answered is kept.
    """
    from audiometry.score.judging.inquiry import Inquiry  # what asks is not loaded where all is answered

    with opened(settings) as loaded:
        judge = Inquiry(loaded, Comparisons(), run.folder.path)
        said = judge.ask(pairs.items, follow).said(pairs)
        usage = judge.account(pairs).usage()
    return Verdicts(
        name=settings.name,
        slug=judge.slug,
        said=said,
        parameters=judge.parameters,
        prompt_sha256=judge.questions.prompt_sha256(),
        journal=f"{judge.path.parent.name}/{judge.path.name}",
        usage=usage,
        n_requests_now=judge.requests,
    )


def keep_ratings(sheet: Sheet, verdicts: Verdicts, found: Values, columns: list[int]) -> None:
    """Write a judge's scores of the model's answers as a rating file, a line for each item and order.

    Args:
        sheet: the items.
        verdicts: whose.
        found: the scores; those that nobody gave (a missing answer's minimum) are left out.
        columns: the variants with the items' own clips; an item's score is their mean.
    """
    path = sheet.run.folder.path / "ratings" / f"judge-{verdicts.slug}.jsonl"
    atomic.write_records(path, _lines(sheet, verdicts.name, found, columns))


def _lines(sheet: Sheet, name: str, found: Values, columns: list[int]) -> Iterator[RatingLine]:
    model = sheet.run.info.called
    for row, position in enumerate(sheet.run.positions):
        item = sheet.run.benchmark.items.at(position).id
        for order, called in enumerate(ORDERS):
            given = [found.model[row, c, order] for c in columns if found.reference[row, c, order] >= 0]
            if given:
                score = round(float(sum(given)) / len(given), 6)
                yield RatingLine(item=item, rater=name, kind="judge", model=model, score=score, order=called)
