"""What stands in the way of a claim about agreement, a sentence each."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from audiometry.analysis.agreement.result import Agreement, Measure, Named
from audiometry.analysis.agreement.setting import MOST_MACHINES, MOST_PAIRED, Setting
from audiometry.analysis.agreement.table import Rows
from audiometry.errors import counted, shown
from audiometry.files.ratings import Ratings

FEW = 20  # items below which an interval says little more than that there is none
WIDER = 1.5  # a rater whose scores span so many times the range of the people's is on another scale
NAMES = 3


def doubts(found: Agreement, ratings: Ratings, scored: Rows | None, setting: Setting) -> list[str]:
    """Warnings, the gravest first.

    Args:
        found: what was computed.
        ratings: what it was computed from.
        scored: one score a rater and unit; None for none.
        setting: who is who.
    """
    out = [*_unmet(found), *_unread(found), *_unknown(ratings), *_raters(found, ratings), *_alone(found)]
    if found.n_repeated:
        out.append(
            f"{counted(found.n_repeated, 'rating')} replaced by a later one of the same rater, item, model and order"
        )
    for title, part in found.parts.items():
        if part.n_items < FEW:
            out.append(f"only {counted(part.n_items, 'item')} with {title}: too few for a claim; {FEW} is the least")
    out += _few(found)
    for title, one in found.named.items():
        out += _named(title, one)
    if scored is not None:
        out += _scales(scored, setting)
    return out


def _unmet(found: Agreement) -> Iterable[str]:
    """That nothing of this is what people would have said of a judge, where all the judges and metrics are apart."""
    people = any(one.kind == "person" for one in found.raters)
    others = any(one.kind != "person" for one in found.raters)
    named = [one.share.n for part in found.named.values() for one in part.against]
    scored = [] if found.scores is None else [one.tau_b.n for one in found.scores.against]
    if people and others and not any(named + scored):
        yield (
            "no judge or metric rated the same thing as a person, so none is held against people; in each rating name "
            "the item by its id and the model as the run does (a column `model`)"
        )


def _unread(found: Agreement) -> Iterable[str]:
    for source in found.files:
        if source.n_unread:
            lines = "; ".join(f"line {one.line}: {one.why}" for one in source.unread)
            more = "; …" if source.n_unread > len(source.unread) else ""
            yield f"{source.path}: {counted(source.n_unread, 'line')} left out as unusable ({lines}{more})"


def _unknown(ratings: Ratings) -> Iterable[str]:
    """Ratings of what the runs beside them do not hold."""
    if ratings.known_items is None or ratings.known_models is None:
        return
    known = np.array([name in ratings.known_items for name in ratings.items], np.bool_)
    strange = ~known[ratings.item]
    if strange.any():
        names = [ratings.items[code] for code in np.unique(ratings.item[strange])]
        items = counted(len(names), "item")
        yield f"{counted(int(strange.sum()), 'rating')} of {items} that the runs do not hold ({_some(names)})"
    known = np.array([not name or name in ratings.known_models for name in ratings.models], np.bool_)
    strange = ~(known[ratings.model] & known[ratings.other])
    if strange.any():
        codes = np.concatenate((ratings.model[strange], ratings.other[strange]))
        names = [ratings.models[code] for code in np.unique(codes) if not known[code]]
        yield f"{counted(int(strange.sum()), 'rating')} of models that the runs are not of ({_some(names)})"


def _raters(found: Agreement, ratings: Ratings) -> Iterable[str]:
    if ratings.two_kinds:
        yield f"said to be of more than one kind, and taken as no person: {_some(ratings.two_kinds)}"
    people = [rater.name for rater in found.raters if rater.kind == "person"]
    if len(found.raters) == 1:
        yield f"{shown(found.raters[0].name)} is the only rater: nobody to agree with"
    elif not people:
        yield "no person among the raters: this says how far machines agree, not whether they are right"
    elif len(people) == 1:
        yield f"{shown(people[0])} is the only person: nobody knows how far people agree among themselves"
    machines = len(found.raters) - len(people)
    if machines > MOST_MACHINES:
        yield f"{machines:,} judges and metrics: only the first {MOST_MACHINES} are looked at; choose with --rater"
    if len(people) > MOST_PAIRED:
        yield (
            f"{len(people):,} people: they are compared two by two only among the first {MOST_PAIRED}; "
            "what is said of people as a whole is of all"
        )


def _alone(found: Agreement) -> Iterable[str]:
    """Raters who share nothing with anybody."""
    met: set[str] = set()
    for part in found.parts.values():
        met.update(name for pair in part.pairs for name in (pair.a, pair.b))
    met.update(position.rater for position in found.positions)
    people = sum(rater.kind == "person" for rater in found.raters)
    compared = people <= MOST_PAIRED and len(found.raters) - people <= MOST_MACHINES
    compared &= any(rater.kind != "metric" for rater in found.raters)
    alone = [rater.name for rater in found.raters if rater.name not in met]
    if len(found.raters) > 1 and alone and compared:
        yield f"nothing that another rater rated as well: {_some(alone)}; look at how items and models are named"


def _few(found: Agreement) -> Iterable[str]:
    """Judges and metrics that share few items with people, where there are enough in all."""
    shared: dict[str, list[tuple[str, int]]] = {
        title: [(one.rater, one.share.n_items) for one in part.against] for title, part in found.named.items()
    }
    if found.scores is not None:
        shared["scores"] = [(one.a, one.tau_b.n_items) for one in found.scores.against]
    for title, raters in shared.items():
        names = [name for name, n in raters if 0 < n < FEW <= getattr(found, title).n_items]
        if names:
            yield f"{title}: fewer than {FEW} items shared with people, too few for a claim: {_some(names)}"


def _named(title: str, part: Named) -> Iterable[str]:
    if part.n_two_minds:
        yield f"{title}: {part.n_two_minds:,} left out, since the same rater said otherwise in the other order"
    tied = max((one.n_no_majority for one in part.against), default=0)
    if tied:
        yield f"{title}: people are tied on {tied:,} of what judges or metrics rated: no majority to agree with"
    measures: list[tuple[str, Measure]] = [] if part.people is None else [("people", part.people.alpha)]
    measures += [(one.rater, one.alpha) for one in part.against]
    for name, measure in measures:
        if measure.value is None and measure.n:
            yield f"{title}: alpha of {shown(name)} is not defined: {measure.why}"


def _scales(scored: Rows, setting: Setting) -> Iterable[str]:
    """Judges whose scores are plainly on another scale than the people's."""
    person = setting.is_person()[scored.rater]
    if not person.any():
        return
    low, high = float(scored.value[person].min()), float(scored.value[person].max())
    if low == high:
        yield f"scores: people give nothing but {low:g}: no order, and nothing to agree with"
        return
    for rater, _, value in scored.by_rater([code for code, kind in enumerate(setting.kinds) if kind == "judge"]):
        if len(value) and float(np.ptp(value)) > WIDER * (high - low):
            yield (
                f"scores: {shown(setting.raters[rater])} gives {value.min():g} to {value.max():g}, people {low:g} to "
                f"{high:g}: on two scales, bias, kappa and alpha mean little; tau and rho do not mind"
            )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMES:,} more" if len(names) > NAMES else ""
    return ", ".join(shown(name, 40) for name in names[:NAMES]) + more
