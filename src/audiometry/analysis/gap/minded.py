"""What is to be minded about the gap, in plain words: above all what so few systems can never show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from audiometry.analysis.gap.result import LEVEL, BenchmarkGap, Gap
from audiometry.errors import counted, shown
from audiometry.render.numbers import p_value
from audiometry.stats.permuted import MOST_ENUMERATED, least_p

_NAMED: Final = 6
_DUST: Final = 1e-9
_RELIABLE: Final = 0.8
_VOTERS: Final = 30  # below which what voters have in common by chance may pass for everybody's
_POWER: Final = 12  # systems below which a rank correlation of .6 is missed more often than not


def minded(found: Gap) -> Iterator[str]:
    """A line each."""
    yield from _few(found)
    if found.only_scores or found.only_votes:
        yield _unmatched(found)
    if found.unplaced:
        why = "; ".join(f"{shown(name, 40)} ({reason})" for name, reason in list(found.unplaced.items())[:_NAMED])
        yield f"votes give no rating to {counted(len(found.unplaced), 'system')} with scores: {why}"
    holes = sum(found.n_systems - each.n_systems for each in found.benchmarks.values())
    if holes:
        yield (
            f"{counted(holes, 'score')} of {found.n_systems * len(found.benchmarks):,} missing: each benchmark is held "
            f"against the {found.of} {'between' if found.of == 'votes' else 'of'} the systems that have it"
        )
    for why in dict.fromkeys(each.why for each in found.benchmarks.values() if each.why):
        yield f"{_names([name for name, each in found.benchmarks.items() if each.why == why])}: {why}"
    noisy = [n for n, each in found.benchmarks.items() if each.reliability is not None and each.reliability < _RELIABLE]
    if noisy:
        yield (
            f"on {_names(noisy)} a fifth or more of what systems differ by is the scores' own error: effects there are "
            "drawn towards 0"
        )
    lost = [name for name, each in found.benchmarks.items() if not each.converged]
    lost += [f"all {each.of} in one fit" for each in found.together if not each.converged]
    if lost:
        yield f"the search did not end for {_names(lost)}: read these effects as rough ones"
    if found.of == "votes" and found.n_voters is not None and found.n_voters < _VOTERS:
        yield (
            f"{counted(found.n_voters, 'voter')} are few: p takes them as they are and says nothing of others; where "
            "voters differ in what they go by it finds too much (of 8 such voters, 8 % at 5 %)"
        )
    apart = [name for name, each in found.benchmarks.items() if _at_odds(each)]
    if apart:
        yield (
            f"the interval and p disagree on {_names(apart)}: the interval supposes that merits are normal, p supposes "
            "nothing; go by p"
        )


def _few(found: Gap) -> Iterator[str]:
    """What n can never show."""
    n, tested = found.n_systems, sum(each.p_permutation is not None for each in found.benchmarks.values())
    if MOST_ENUMERATED <= n < _POWER:
        yield f"{counted(n, 'system')} are few: a rank correlation of .6 would be missed more often than not"
    elif n < _POWER:
        yield (
            f"{counted(n, 'system')} show little, however many {found.of}: a perfect rank correlation would have p "
            f"{p_value(least_p(n, mirrored=True), '= ')}"
        )
    most = max((each.n_systems for each in found.benchmarks.values() if each.p_permutation is not None), default=0)
    if tested and least_p(most, mirrored=False) * tested > LEVEL - _DUST:  # p has to be below it
        which = f"1/{round(1 / least_p(most, mirrored=False)):,}"
        yield (
            f"{counted(most, 'system')} can never pass a correction over {counted(tested, 'benchmark')}: the smallest "
            f"p there is, {which}, is not below {LEVEL:g}/{tested} = {LEVEL / tested:.4f}"
        )
    if n > MOST_ENUMERATED:
        yield f"of {n} systems not every order was looked at: p are of 9,999 random ones and the observed"


def _unmatched(found: Gap) -> str:
    parts = [
        f"only {what}: {_names(names)}"
        for what, names in (("scores", found.only_scores), (found.of, found.only_votes))
        if names
    ]
    return f"systems in one of both are left out ({'; '.join(parts)}); names are matched exactly" + (
        ", --same NAME=VOTES says where a system has two" if len(parts) > 1 else ""
    )


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(shown(name, 40) for name in names[:_NAMED]) + more


def _at_odds(each: BenchmarkGap) -> bool:
    """Whether one of interval and p says that there is an effect and the other does not."""
    if each.effect_interval is None or each.p_permutation is None:
        return False
    low, high = each.effect_interval
    return (low > 0 or high < 0) != (each.p_permutation < LEVEL)
