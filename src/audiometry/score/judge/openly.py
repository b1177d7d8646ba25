"""Open answers judged: judges are asked what they have not said yet, or their stored verdicts are taken."""

from __future__ import annotations

import itertools
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from audiometry.dispatch.tally import Price, Usage
from audiometry.errors import UsageError
from audiometry.models import cards
from audiometry.score.extras import Injection
from audiometry.score.judge import injection as tempting
from audiometry.score.judge.asked import Verdicts, ask, asked_of, held
from audiometry.score.judge.comparisons import COMPARISONS
from audiometry.score.judge.keys import Keys, short
from audiometry.score.judge.stored import Stored, stored
from audiometry.score.opened import OpenedRun
from audiometry.score.readers.judged import JudgedReader

if TYPE_CHECKING:
    from audiometry.score.judge.judge import Judge
    from audiometry.score.judge.settings import Follow, JudgeSettings


class Judging(msgspec.Struct, frozen=True, kw_only=True):
    """One judge's verdicts on a run's open answers.

    Attributes:
        verdicts: what it answered.
        n_pairs: by name of the rules, how many different comparisons they ask about.
        n_missing: those that have no answer, and the trials that were wanted and have none.
        usage: what the answers about them took, in all sessions.
        failures: by name of the rules, how many of its answers cannot be read, by reason.
        missing: by name of the rules, how many answers are not there.
        injection: how far it obeys a reply; None if that was not tried.
    """

    verdicts: Verdicts
    n_pairs: Mapping[str, int]
    n_missing: int
    usage: Usage
    failures: Mapping[str, dict[str, int]]
    missing: Mapping[str, int]
    injection: Injection | None


def judge_open(
    run: OpenedRun,
    readers: Sequence[JudgedReader],
    judges: Sequence[Judge],
    injections: int = 0,
    follow: Follow | None = None,
) -> list[Judging]:
    """Have judges compare a run's open answers with the references; nothing is asked twice.

    Args:
        run: with all its variants.
        readers: by whose rules.
        judges: one or several, a panel.
        injections: replies that each judge is tempted with, to see whether it obeys; 0: none.
        follow: who is told how it goes.

    Raises:
        UsageError: a judge cannot be used or is named twice.
        StoppedError: nobody answers, or the person stopped it; the answers so far are kept.
    """
    names = [judge.settings.name for judge in judges]
    if len(set(names)) < len(names):
        raise UsageError("a judge is named twice; name each one once, at temperature 0 it would say the same")
    return [
        _held(run, readers, one.settings, injections) or _asked(run, readers, one, injections, follow) for one in judges
    ]


def judged_before(run: OpenedRun, readers: Sequence[JudgedReader], judges: Sequence[Stored]) -> list[Judging]:
    """As `judge_open`, from verdicts that the run folder holds; nobody is asked.

    Raises:
        RunFolderError: a journal is damaged.
    """
    return [_again(run, readers, one) for one in judges]


def _asked(
    run: OpenedRun, readers: Sequence[JudgedReader], judge: Judge, n_injections: int, follow: Follow | None
) -> Judging:
    verdicts = ask(run, readers, judge, follow, lambda: tempting.contents(run, n_injections))
    return _judging(run, readers, verdicts, n_injections)


def _held(run: OpenedRun, readers: Sequence[JudgedReader], settings: JudgeSettings, injections: int) -> Judging | None:
    """What the folder holds, if the judge has answered everything already, so that it need not be loaded."""
    if settings.card or settings.extra:  # how it was asked may differ
        return None
    words = COMPARISONS.prompt_sha256()
    known = [one for one in stored(run.folder.path) if one.name == settings.name and one.prompt_sha256 == words]
    if len(known) != 1:  # none, or asked in several ways: the model says which it is
        return None
    judging = _again(run, readers, known[0], settings.price, injections)
    return None if judging.n_missing else judging


def _again(
    run: OpenedRun,
    readers: Sequence[JudgedReader],
    which: Stored,
    price: Price | None = None,
    n_injections: int = 0,
) -> Judging:
    """What a judge said, as the folder keeps it."""
    card = cards.find(which.name)
    verdicts = held(run, which, COMPARISONS, price or Price(tokens_in=card.price_in, tokens_out=card.price_out))
    found = _judging(run, readers, verdicts, n_injections)
    usage, then = found.usage, which.usage
    if then is not None and usage.cost_usd is None and msgspec.structs.replace(then, cost_usd=None) == usage:
        found = msgspec.structs.replace(found, usage=then)  # at the price of that time
    return found


def _judging(run: OpenedRun, readers: Sequence[JudgedReader], verdicts: Verdicts, n_injections: int) -> Judging:
    answers, unanswered = verdicts.answers, array("Q")
    asked = {reader.name: array("Q") for reader in readers}
    missing = Counter({reader.name: 0 for reader in readers})
    why = {reader.name: Counter[str]() for reader in readers}
    for item, reply, shown, kind in asked_of(run):
        for reader in readers:
            for pair in reader.asks(reply, item, shown) if kind in reader.kinds else ():
                key = pair.key
                said = answers.of(key, pair)
                asked[reader.name].append(short(key))
                if said.text is None:
                    missing[reader.name] += 1
                    unanswered.append(short(key))
                if failed := reader.unread(pair, said):
                    why[reader.name][failed] += 1
    each = {name: Keys(found) for name, found in asked.items()}
    keys, n_missing = Keys(itertools.chain(*each.values())), len(Keys(unanswered))
    further = len(answers) > len(keys) - n_missing  # what was asked to see whether it obeys
    tried = tempting.tried(run, answers, n_injections) if n_injections or further else None
    return Judging(
        verdicts=verdicts,
        n_pairs={name: len(found) for name, found in each.items()},
        n_missing=n_missing + (0 if tried is None else tried.n_missing),
        usage=verdicts.usage(keys if tried is None else Keys(itertools.chain(keys, tried.keys))),
        failures={name: dict(sorted(found.items())) for name, found in why.items()},
        missing=missing,
        injection=None if tried is None else tried.injection,
    )
