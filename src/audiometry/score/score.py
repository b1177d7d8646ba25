"""Scores a run folder; free, and as often as one likes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

import audiometry
from audiometry.choices.variant import ORDER, PLAIN
from audiometry.files.asked import signed as chosen
from audiometry.files.run_folder import RunInfo
from audiometry.score import aggregate
from audiometry.score.aggregate import ItemTable
from audiometry.score.conditions import conditions
from audiometry.score.extras import PlainMatching
from audiometry.score.judge_all import judge_all
from audiometry.score.judged import Judged, OpenRun, judge, open_run, with_options, with_own_clips
from audiometry.score.kept import keep
from audiometry.score.marks import mark
from audiometry.score.profiles import Profile, named, profiles, rules_of
from audiometry.score.result import Scored, Scores
from audiometry.score.together import scores_of

DEFAULT = "strict"
MATCHING = "airbench"  # the profile whose reader is the paper's exact matching
LONGEST_DECODING: Final = 40  # characters of it in a signature


def score(path: Path, names: Sequence[str] = (), source: str = "") -> Scores:
    """A run under one or several profiles; also written to the folder's ``scores/``.

    Args:
        path: of the run folder.
        names: of profiles; ``all`` for every one; empty for ``strict``.
        source: where the benchmark is now, if it moved.

    Raises:
        RunFolderError: not a run folder, or its benchmark has changed.
        UsageError: all of its questions are open.
        UnknownNameError: there is no such profile.
    """
    return score_run(open_run(path, source), names)


def score_run(run: OpenRun, names: Sequence[str] = ()) -> Scores:
    """As `score`, for a run that is open already."""
    result = scored_under(run, names)
    keep(run.folder, result)
    return result


def scored_under(run: OpenRun, names: Sequence[str] = ()) -> Scores:
    """As `score_run`, but nothing is written: the folder may be one that only can be read."""
    chosen = wanted(names)
    whole, run = run, with_options(run)
    everything, run = run, with_own_clips(run)
    read = {MATCHING: named(MATCHING)} | chosen
    judged = dict(zip(read, judge_all(run, list(read.values())), strict=True))
    items = aggregate.table(run)
    without = conditions(everything, chosen, items)
    found: dict[str, Scored] = {}
    matched = {MATCHING: plain_matching(judged[MATCHING])}
    for name in chosen:
        one = scored_by(run, name, items=items, judged=judged[name])
        extras = msgspec.structs.replace(one.extras, plain_matching=matched)
        found[name] = msgspec.structs.replace(one, variants=without[name], extras=extras)
    return scores_of(whole, run, found)


def scored_by(run: OpenRun, name: str, *, items: ItemTable | None = None, judged: Judged | None = None) -> Scored:
    """A run's rows under one profile, over the items with their own clips.

    Args:
        run: the run.
        name: of the profile.
        items: the run's items, if they have been looked up already.
        judged: the verdicts of that profile, if they are known already.

    Raises:
        UnknownNameError: there is no such profile.
    """
    profile, run = named(name), with_own_clips(with_options(run))
    judged = judge(run, profile) if judged is None else judged
    items = aggregate.table(run) if items is None else items
    return aggregate.scored(items, judged, sign(run.info, name), mark(run, profile, judged), rules_of(profile), name)


def wanted(names: Sequence[str]) -> dict[str, Profile]:
    """The profiles of those names, each once; ``all`` for every one, ours first; ours alone if none is named.

    Raises:
        UnknownNameError: there is no such profile.
    """
    if "all" in names:
        known = profiles()
        return {DEFAULT: known[DEFAULT]} | known
    return {name: named(name) for name in names or (DEFAULT,)}


def sign(info: RunInfo, profile: str) -> str:
    """The short text printed beside a number that says how it was made; safe as a file name."""
    rules = rules_of(named(profile))
    guesses = (f"guesses-{profile}-{info.seed}",) if rules.guess else ()
    return signed(info, f"{profile}.{rules.version}", *guesses)


def signed(info: RunInfo, first: str, *others: str) -> str:
    """As `sign`, for a number that was made in another way than by a profile.

    Args:
        info: of the run.
        first: name and version of what made the number.
        others: what else has a say in it.
    """
    orders = sum(variant == PLAIN or variant.startswith(ORDER) for variant in info.variants)
    parts = [
        first,
        f"{info.benchmark.name.replace('/', '-')}-{info.benchmark.version}-{info.benchmark.sha256[:8]}",
        *chosen(info.extent, info.selections),
        *_asked(info),
        f"orders-{orders}",
        f"seed-{info.seed}",
        *((f"left-out-{info.benchmark.left_out}",) if info.benchmark.left_out else ()),
        *_heard_by(info),
        *others,
        f"v{audiometry.__version__}",
    ]
    return "+".join("".join(c if c.isalnum() or c in "-._" else "-" for c in part) for part in parts)


def _asked(info: RunInfo) -> tuple[str, ...]:
    """What a signature says of prompt and decoding: a recipe stands for both, else what a person has set."""
    prompt, stamp = info.prompt, info.prompt.recipe
    if stamp is None:
        return (f"{prompt.layout}-{prompt.sha256[:6]}", prompt.part_order, *_decoding(info.decoding))
    named = f"recipe-{'own-' if stamp.own else ''}{stamp.name}-wording-{stamp.wording}-{stamp.sha256[:6]}"
    short = "decoding-by-program" if stamp.decoding == "program" else "decoding-partly" if stamp.unset else ""
    return (named, prompt.part_order, *filter(None, [short]))


def _decoding(given: Mapping[str, Any]) -> tuple[str, ...]:
    """In words while they are few, else a hash; nothing where all is the model's own."""
    if not given:
        return ()
    said = "-".join(f"{key}-{given[key]}" for key in sorted(given))
    if len(said) > LONGEST_DECODING or any(isinstance(value, dict | list) for value in given.values()):
        said = hashlib.sha256(msgspec.json.encode(given, order="deterministic")).hexdigest()[:6]
    return (f"decoding-{said}",)


def _heard_by(info: RunInfo) -> tuple[str, ...]:
    """Of a cascade: that it hears words alone, and the model that reads them; by rules it reads unless that is said."""
    hears, reader = info.parameters.get("hears"), info.parameters.get("reader")
    name = reader.get("name") if isinstance(reader, dict) else None
    return (*((f"hears-{hears}",) if hears else ()), *((f"reader-{name}",) if name and name != "rules" else ()))


def plain_matching(judged: Judged) -> PlainMatching:
    """How many replies the reader of `MATCHING` reads, by its verdicts over the items with their own clips."""
    row = aggregate.counts(judged)
    came = row.n_replies - row.n_failed - row.n_not_asked
    return PlainMatching(n_read=row.n_answered, n_replies=came, share=row.n_answered / came if came else None)
