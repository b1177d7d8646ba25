"""Scores the open items of a run folder: asks judges what they have not said yet, and makes the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from audiometry.choices.variant import with_clip
from audiometry.errors import UsageError
from audiometry.files.ratings import Ratings
from audiometry.score.aggregate import MOST_FAILED
from audiometry.score.chat.bias import position_bias
from audiometry.score.chat.injection import try_injections
from audiometry.score.chat.pair import Pair
from audiometry.score.chat.people import beside_people, said_of
from audiometry.score.chat.rows import Table
from audiometry.score.chat.rules import MEASURE, RULES, UNIT, ChatRules, rules_named
from audiometry.score.chat.sheet import Sheet, sheet
from audiometry.score.chat.slices import mixed
from audiometry.score.chat.stored import StoredJudge, again, kept
from audiometry.score.chat.tree import Groups, Tree, tree
from audiometry.score.chat.values import Panel, Values, joined, values
from audiometry.score.chat.verdicts import JudgedBy, ask, keep_ratings
from audiometry.score.chat.without import conditions
from audiometry.score.extras import Against, Beside, Extras, JudgeAccount
from audiometry.score.judged import OpenRun
from audiometry.score.judging.loaded import kept_open
from audiometry.score.judging.settings import Follow, JudgeSettings
from audiometry.score.kept import keep
from audiometry.score.people.said import PeopleSaid
from audiometry.score.result import Row, Scored, Scores
from audiometry.score.signature import signed
from audiometry.score.together import scores_of

DEFAULT = "strict"


class ChatSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Who judges open answers.

    Attributes:
        judges: one or several, a panel.
        panel: how the scores of several are put together.
        injections: replies that each judge is tempted with, to see whether it obeys; 0: none.
        people: ratings of some of the replies, from which the score that people would give is estimated; None: none.
    """

    judges: tuple[JudgeSettings, ...]
    panel: Panel = "mean"
    injections: int = 0
    people: Ratings | None = None


def score_chat(run: OpenRun, names: Sequence[str], settings: ChatSettings, follow: Follow | None = None) -> Scores:
    """A run's open items under one or several profiles; also written to the folder's ``scores/`` and ``ratings/``.

    Args:
        run: the run, with all its variants.
        names: of profiles; ``all`` for every one; empty for ``strict``.
        settings: the judges.
        follow: who is told how the judging goes.

    Raises:
        UsageError: nothing can be judged, or a judge cannot be used or is named twice; or what people rated is of no
            use, which is found out before a judge is asked.
        UnknownNameError: there is no such profile or model.
        StoppedError: nobody answers, or the person stopped it; the answers so far are kept.
    """
    rules = wanted(names)
    twice = [one.name for one in settings.judges]
    if len(set(twice)) < len(twice):
        raise UsageError("a judge is named twice; name each one once, at temperature 0 it would say the same")
    found = sheet(run)
    said = None if settings.people is None else said_of(found, settings.people)
    pairs = _pairs(found, rules)
    with kept_open():
        judges = [
            kept(found, pairs, one, settings.injections) or _asked(found, pairs, one, settings.injections, follow)
            for one in settings.judges
        ]
    strict = _strictly(found, judges)
    result = _result(found, rules, judges, strict, settings.panel, said)
    for one, its in zip(judges, strict, strict=True):
        keep_ratings(found, one.verdicts, its, _own_clips(found))
    keep(run.folder, result)
    return result


def score_stored(run: OpenRun, names: Sequence[str], judges: Sequence[StoredJudge], panel: Panel = "mean") -> Scores:
    """As `score_chat`, from verdicts that the run folder holds; nobody is asked and nothing is written.

    Args:
        run: the run, with all its variants.
        names: of profiles; ``all`` for every one; empty for ``strict``.
        judges: one or several, from `stored`.
        panel: how the scores of several are put together.

    Raises:
        UsageError: nothing can be judged.
        UnknownNameError: there is no such profile.
        RunFolderError: a journal is damaged.
    """
    found = sheet(run)
    pairs = _pairs(found, wanted(names))
    return score_sheet(found, names, [again(found, one, pairs) for one in judges], panel)


def score_sheet(found: Sheet, names: Sequence[str], judges: Sequence[JudgedBy], panel: Panel = "mean") -> Scores:
    """As `score_stored`, for replies and verdicts that have been read already.

    Args:
        found: the replies.
        names: of profiles, as in `score_stored`.
        judges: with their verdicts on all pairs that these profiles have judged.
        panel: how the scores of several are put together.

    Raises:
        UnknownNameError: there is no such profile.
    """
    return _result(found, wanted(names), judges, _strictly(found, judges), panel)


def wanted(names: Sequence[str]) -> dict[str, ChatRules]:
    """The profiles of those names, each once; ``all`` for every one, ours first; ours alone if none is named.

    Raises:
        UnknownNameError: there is no such profile for open answers.
    """
    return dict(RULES) if "all" in names else {name: rules_named(name) for name in names or (DEFAULT,)}


def _pairs(found: Sheet, rules: Mapping[str, ChatRules]) -> dict[str, Pair]:
    return found.to_judge(empty_too=any(one.empty_judged for one in rules.values()))


def _asked(
    found: Sheet, pairs: Mapping[str, Pair], judge: JudgeSettings, n_injections: int, follow: Follow | None
) -> JudgedBy:
    verdicts = ask(found.run, pairs, judge, follow)
    tempted = try_injections(found, verdicts, judge, n_injections, follow) if n_injections else None
    return JudgedBy(verdicts, tempted)


def _strictly(found: Sheet, judges: Sequence[JudgedBy]) -> list[Values]:
    """The scores by our own reading, whatever the profiles: ratings and position bias are made of these."""
    return [values(found, one.verdicts.said, RULES[DEFAULT]) for one in judges]


def _result(
    found: Sheet,
    rules: Mapping[str, ChatRules],
    judges: Sequence[JudgedBy],
    strict: Sequence[Values],
    panel: Panel,
    said: PeopleSaid | None = None,
) -> Scores:
    prefix = f"{MEASURE}@" if found.beside_choices else ""
    scored = {prefix + name: _scored(found, one, judges, strict, panel, said) for name, one in rules.items()}
    return scores_of(found.whole, found.run, scored)


def _scored(
    found: Sheet,
    rules: ChatRules,
    judges: Sequence[JudgedBy],
    strict: Sequence[Values],
    panel: Panel,
    said: PeopleSaid | None,
) -> Scored:
    where = tree(found, rules)
    ours = rules.name == DEFAULT
    each = list(strict) if ours else [values(found, one.verdicts.said, rules) for one in judges]
    together = joined(each, panel)
    own = _own_clips(found)
    table = Table(found, together, rules, where, own)
    whole = _whole(table, where, rules)
    names = [one.verdicts.name for one in judges]
    shaped = [f"judge-{one.verdicts.slug}" for one in judges] + ([f"panel-{panel}"] if len(names) > 1 else [])
    items, category = where.items, np.array([where.categories[code] for code in where.pool])
    tasks = {items.tasks[code]: Groups.one(items.task == code) for code in sorted(set(items.task.tolist()))}
    folders = {name: Groups.one(items.folder == code) for code, name in enumerate(items.folders)}
    categories = {name: where.of(category == name) for name in dict.fromkeys(category.tolist()) if name}
    alone = [table if its is together else Table(found, its, rules, where, own) for its in each]
    accounts = [_account(found, where, rules, *one) for one in zip(judges, each, strict, alone, strict=True)]
    parts = {"categories": categories, "tasks": tasks, "folders": folders}
    rows = {kind: {name: table.row(one) for name, one in of.items()} for kind, of in parts.items()}
    beside = {kind: {name: table.against(one) for name, one in of.items()} for kind, of in parts.items()}
    overall = None if _without_overall(where, rules) else said
    people, notes = beside_people(found, together, rules, table, where, overall)
    return Scored(
        **msgspec.structs.asdict(whole),
        notes=notes,
        signature=signed(found.run.info, f"{rules.name}.{rules.version}", *shaped),
        profile=rules.name,
        measure=MEASURE,
        unit=UNIT,
        kinds=("open",),
        direction="up",
        range=(rules.lowest, rules.highest),
        average="none" if _without_overall(where, rules) else where.averaged_by,
        complete=whole.n_lost == 0,
        rankable=whole.n_lost <= MOST_FAILED * whole.n_replies,
        failures=found.failures,
        categories=rows["categories"],
        tasks=rows["tasks"],
        folders=rows["folders"],
        pooled=_pooled(where),
        left_out=tuple(name for name, row in rows["tasks"].items() if not row.n_counted and not row.n_not_asked),
        unscored_items=found.left_out,
        variants=conditions(found, together, rules, where),
        extras=Extras(
            judges=dict(zip(names, accounts, strict=True)),
            panel=panel if len(names) > 1 else "",
            beside=Beside(all=_whole_against(table, where, rules), **beside),
            without_description=found.without_description,
            mixed=mixed(found, table, where),
            people=people,
        ),
    )


def _own_clips(found: Sheet) -> list[int]:
    """The columns of the variants with the items' own clips."""
    variants = found.run.info.variants
    return [variants.index(name) for name in with_clip(variants)]


def _without_overall(where: Tree, rules: ChatRules) -> bool:
    """Whether the rules have numbers for categories only."""
    return rules.average == "items" and len(set(where.categories)) > 1


def _whole(table: Table, where: Tree, rules: ChatRules) -> Row:
    row = table.row(where.of())
    if not _without_overall(where, rules):
        return row
    return msgspec.structs.replace(row, value=None, interval=None, bounds=None, over_answered=None)


def _whole_against(table: Table, where: Tree, rules: ChatRules) -> Against:
    found = table.against(where.of())
    if not _without_overall(where, rules):
        return found
    return Against(reference=None, orders=dict.fromkeys(found.orders), win=None, tie=None, loss=None)


def _pooled(where: Tree) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for pool, task in zip(where.pool.tolist(), where.items.task.tolist(), strict=True):
        found.setdefault(where.pools[pool], {})[where.items.tasks[task]] = None
    return {pool: tuple(tasks) for pool, tasks in found.items() if len(tasks) > 1}


def _account(
    found: Sheet, where: Tree, rules: ChatRules, judged: JudgedBy, its: Values, strict: Values, alone: Table
) -> JudgeAccount:
    verdicts = judged.verdicts
    return JudgeAccount(
        row=_whole(alone, where, rules),
        against=_whole_against(alone, where, rules),
        parameters=verdicts.parameters,
        prompt_sha256=verdicts.prompt_sha256,
        journal=verdicts.journal,
        failures=its.why,
        n_pairs=len(verdicts.said),
        usage=verdicts.usage,
        n_requests_now=verdicts.n_requests_now,
        position_bias=position_bias(strict, where.items.cluster, _own_clips(found)),
        injection=judged.injection,
    )
