"""Open answers judged: judges are asked what they have not said yet, or their stored verdicts are taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from audiometry.dispatch.tally import Price, Usage
from audiometry.errors import UsageError
from audiometry.models import cards
from audiometry.score.extras import Injection
from audiometry.score.judge import injection as tempting
from audiometry.score.judge.answers import Answers
from audiometry.score.judge.asked import Verdicts, ask, asked_of, held
from audiometry.score.judge.comparisons import COMPARISONS, Pair
from audiometry.score.judge.keys import Keys
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
        n_pairs: different comparisons.
        usage: what the answers about them took, in all sessions.
        failures: by name of the rules, how many of its answers cannot be read, by reason.
        missing: by name of the rules, how many answers are not there.
        injection: how far it obeys a reply; None if that was not tried.
    """

    verdicts: Verdicts
    n_pairs: int
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
    return [_again(run, readers, one)[0] for one in judges]


def _asked(
    run: OpenedRun, readers: Sequence[JudgedReader], judge: Judge, n_injections: int, follow: Follow | None
) -> Judging:
    verdicts = ask(run, readers, judge, follow, lambda: tempting.contents(run, n_injections))
    return _judging(run, readers, verdicts, n_injections)[0]


def _held(run: OpenedRun, readers: Sequence[JudgedReader], settings: JudgeSettings, injections: int) -> Judging | None:
    """What the folder holds, if the judge has answered everything already, so that it need not be loaded."""
    if settings.card or settings.extra:  # how it was asked may differ
        return None
    words = COMPARISONS.prompt_sha256()
    known = [one for one in stored(run.folder.path) if one.name == settings.name and one.prompt_sha256 == words]
    if len(known) != 1:  # none, or asked in several ways: the model says which it is
        return None
    judging, missing = _again(run, readers, known[0], settings.price, injections)
    return None if missing else judging


def _again(
    run: OpenedRun,
    readers: Sequence[JudgedReader],
    which: Stored,
    price: Price | None = None,
    n_injections: int = 0,
) -> tuple[Judging, int]:
    """What a judge said, as the folder keeps it, and how many comparisons have no answer."""
    card = cards.find(which.name)
    verdicts = held(run, which, COMPARISONS, price or Price(tokens_in=card.price_in, tokens_out=card.price_out))
    found, missing = _judging(run, readers, verdicts, n_injections)
    usage, then = found.usage, which.usage
    if then is not None and usage.cost_usd is None and msgspec.structs.replace(then, cost_usd=None) == usage:
        found = msgspec.structs.replace(found, usage=then)  # at the price of that time
    return found, missing


class _Survey(msgspec.Struct, frozen=True):
    """Keys of all comparisons, how many have no answer, and by name of the rules what is missing or cannot be read."""

    keys: Keys
    n_missing: int
    missing: Mapping[str, int]
    failures: dict[str, dict[str, int]]


def _survey(run: OpenedRun, readers: Sequence[JudgedReader], answers: Answers[Pair]) -> _Survey:
    keys, unanswered = Keys(), Keys()
    missing = Counter({reader.name: 0 for reader in readers})
    why = {reader.name: Counter[str]() for reader in readers}
    for item, reply, shown, kind in asked_of(run):
        for reader in readers:
            for pair in reader.asks(reply, item, shown) if kind in reader.kinds else ():
                key = pair.key
                said = answers.of(key, pair)
                missing[reader.name] += said.text is None
                keys.add(key)
                if said.text is None:
                    unanswered.add(key)
                if failed := reader.unread(pair, said):
                    why[reader.name][failed] += 1
    n_missing = len(unanswered.settled())
    return _Survey(
        keys.settled(), n_missing, missing, {name: dict(sorted(found.items())) for name, found in why.items()}
    )


def _judging(
    run: OpenedRun, readers: Sequence[JudgedReader], verdicts: Verdicts, n_injections: int
) -> tuple[Judging, int]:
    """What a judge said, and how many comparisons have no answer."""
    answers = verdicts.answers
    found = _survey(run, readers, answers)
    further = len(answers) > len(found.keys) - found.n_missing  # what was asked to see whether it obeys
    tried = tempting.tried(run, answers, n_injections) if n_injections or further else None
    return Judging(
        verdicts=verdicts,
        n_pairs=len(found.keys),
        usage=verdicts.usage(found.keys if tried is None else found.keys.with_those_of(tried.keys)),
        failures=found.failures,
        missing=found.missing,
        injection=None if tried is None else tried.injection,
    ), found.n_missing + (0 if tried is None else tried.n_missing)
