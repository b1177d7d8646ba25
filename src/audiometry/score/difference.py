"""Two sheets on the same items: the difference of their values, overall and by task, whatever the measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.choices.variant import of_score
from audiometry.errors import UsageError, counted, shown
from audiometry.records import State
from audiometry.render.numbers import percent
from audiometry.score.by_reference import no_scores
from audiometry.score.confounds import confounds
from audiometry.score.heard import Changed
from audiometry.score.items import Bools, occurring
from audiometry.score.measures.foreign import by_reference
from audiometry.score.measures.measure import takes_scores
from audiometry.score.result import LEVEL, Comparison
from audiometry.score.row import Difference
from audiometry.score.rows import ONE_CLUSTER
from audiometry.score.sheet import CODE, Sheet
from audiometry.score.table import MOST_FAILED, Table, cleaned, weights_of
from audiometry.stats import compare as paired
from audiometry.stats.compare import FEW_DIFFER
from audiometry.stats.multiplicity import holm
from audiometry.stats.parts import Parts

_NAMED = 5  # tasks in a warning
MOST_REFUSED = 0.5  # of the replies, so that nothing need be said of it
_NO_REPLY = [CODE[State.FAILED], CODE[State.NOT_ASKED]]


class Pairing:
    """Two sheets of one benchmark under one measure, on what counts in both.

    Of the same variants, that is every reply (an item in a variant): one that does not count on one side counts on
    neither, or a run would differ from its own beginning. Of different ones it is every item, each side with the
    replies that it has.

    Args:
        a, b: with the variants that count; where one has more, those of the other stand for several.

    Attributes:
        n_both: items that both were asked.
        n: those of them that count in both.
        in_pairs: both have the same variants.
        n_waiting: items (in pairs: replies) that count in neither, as one run has not been asked them yet.
        n_left: those that count in neither by the rules.
        came: ``bool[n]``, to which no reply that counts is lost on either side.
    """

    def __init__(self, a: Sheet, b: Sheet) -> None:
        both = np.intersect1d(a.items.position, b.items.position)
        first, second = (_at(sheet, both) for sheet in (a, b))
        self.in_pairs = set(a.variants) == set(b.variants)
        if self.in_pairs:
            second = second.of(variants=first.variants)
            there = np.asarray(first.counted & second.counted, np.bool_)
            first, second = (_without(side, ~there) for side in (first, second))
        else:
            there = np.asarray(first.counted.any(1, keepdims=True) & second.counted.any(1, keepdims=True), np.bool_)
        counts = np.asarray(there.any(axis=1), np.bool_)
        self.n_both, self.n = len(both), int(counts.sum())
        self.n_waiting, self.n_left = self._out(first, second, there)
        self.came = np.asarray(~(_lost_in(first) | _lost_in(second))[counts], np.bool_)
        self.a, self.b = Table(first.of(counts)), Table(second.of(counts))

    def _out(self, first: Sheet, second: Sheet, there: Bools) -> tuple[int, int]:
        """How many items (in pairs: replies) count in neither: not asked in one run yet, and by the rules."""
        sides, planned = (first, second), np.ones_like(there)
        late = [side.state == CODE[State.NOT_ASKED] for side in sides]
        if self.in_pairs:
            planned = (first.state >= 0) | (second.state >= 0)
        else:  # the item, where nothing of it counts
            late = [(one.any(1) & ~side.counted.any(1))[:, None] for one, side in zip(late, sides, strict=True)]
        waiting = late[0] | late[1]
        out = planned & ~there
        return int((out & waiting).sum()), int((out & ~waiting).sum())

    def whole(self, tests: int = 1) -> Difference | None:
        """Over everything, averaged as the headline is; None if there is nothing to compare.

        Args:
            tests: over how many p is to be corrected.
        """
        average = "items" if self.a.by_items else self.a.averaged_by
        return self._difference(np.ones(self.n, np.bool_), average, tests)

    def tasks(self) -> dict[str, Difference]:
        """By task, p corrected over them (Holm)."""
        items = self.a.sheet.items
        codes = occurring(items.task).tolist()
        found = {items.tasks[code]: self._difference(items.task == code, "items", len(codes)) for code in codes}
        return corrected({name: one for name, one in found.items() if one is not None})

    def categories(self) -> dict[str, Difference]:
        """By category, averaged as the score's are, p corrected over them (Holm); nothing without categories."""
        table = self.a
        category = np.array(table.categories)[table.pool]
        average = "items" if table.by_items else "tasks"
        present = set(category.tolist()) - {""}
        found = {
            name: self._difference(category == name, average, len(present))
            for name in dict.fromkeys(table.categories)
            if name in present
        }
        return corrected({name: one for name, one in found.items() if one is not None})

    def _difference(self, rows: Bools, average: str, tests: int) -> Difference | None:
        leaf, categories = self.a.leaves(rows, average)
        cluster = self.a.sheet.items.cluster[rows]
        sums = [side.sheet.sums(rows, leaf) for side in (self.a, self.b)]
        most = math.lcm(*(side.shape[1] for side in sums))  # a mean over variants is the same over each one twice
        parts = [
            Parts(
                one if one.shape[1] == most else np.repeat(one, most // one.shape[1], axis=1),
                cluster,
                leaf,
                side.sizes(rows),
            )
            for one, side in zip(sums, (self.a, self.b), strict=True)
        ]
        value, rng = self.a.sheet.measure.value, seeds.generator(0, "compare")
        known = sorted(set(self.a.known(rows, leaf)) & set(self.b.known(rows, leaf)))
        weights = weights_of(leaf, categories, known)
        if not known:
            return None
        found = paired.compare(parts[0], parts[1], value, weights, self.a.scale, rng, tests=tests)
        if found.difference is None or found.a is None or found.b is None or found.interval is None:
            return None
        return Difference(
            n_items=int(rows.sum()),
            n_clusters=found.n_clusters,
            score_a=found.a,
            score_b=found.b,
            difference=found.difference,
            interval=found.interval,
            p=1.0 if found.p is None else found.p,
            detectable=found.detectable,
            undetectable=found.undetectable,
            n_effective=found.n_differing,
        )


def compare(a: Sheet, b: Sheet, clips: Sequence[Changed] = (), tests: int = 1) -> Comparison:
    """A minus B on the items that count in both, by the sheets' measure.

    Args:
        a: of a run.
        b: of another one of the same benchmark, filled alike.
        clips: replies of each run that were made with other clips than there are now.
        tests: over how many such comparisons p is to be corrected.

    Raises:
        UsageError: no item is in both, or none counts in both.
    """
    first, second = (side.of(variants=of_score(side.variants)) for side in (a, b))
    pair = Pairing(first, second)
    paths = [str(side.run.folder.path) for side in (a, b)]
    if not pair.n_both:
        raise UsageError(f"{paths[0]} and {paths[1]} have no item in common; run them with the same --task and --limit")
    rules, measure = a.profile.name, a.measure
    for side, path in zip((first, second), paths, strict=True):
        if np.isin(side.state[side.state >= 0], _NO_REPLY).all():
            raise UsageError(f"{path}: no reply came, so there is nothing to compare; audiometry run asks for replies")
    if not pair.n:
        for side, path in zip((first, second), paths, strict=True):
            unjudged = int((side.state == CODE[State.UNJUDGED]).sum())
            if why := no_scores(by_reference(side.measure), unjudged):
                raise UsageError(f"{path}: {why}")
        raise UsageError(
            f"no item counts in both {paths[0]} and {paths[1]} under the rules of {rules}; compare by others"
        )
    whole, tasks = pair.whole(tests), pair.tasks()
    if whole is None:
        alone = "all items of one are a single cluster"
        if pair.a.scale.kind == "plain":
            alone += ", or differ all alike and the measure states no upper end of its scale, which would tell"
        raise UsageError(
            f"nothing can be told of the difference of {paths[0]} and {paths[1]} by {measure.name}: no task has a "
            f"value in both, or {alone}; ask more clips"
        )
    in_one = len(first.items) + len(second.items) - 2 * pair.n_both
    found = Comparison(
        **{name: getattr(whole, name) for name in Difference.__struct_fields__},
        a=paths[0],
        b=paths[1],
        measure=measure.name,
        unit=measure.unit,
        direction=measure.direction,
        range=measure.range,
        profile=rules,
        tasks=tasks,
        categories=pair.categories(),
        n_came=int(pair.came.sum()),
        n_waiting=pair.n_waiting,
        in_pairs=pair.in_pairs,
        by_failures=_by_failures(pair, whole),
        warnings=(
            *_lost((first, second), in_pairs=pair.in_pairs),
            *confounds(a.run, b.run, in_one, clips),
            *_left(pair, whole, rules),
            *([ONE_CLUSTER] if whole.n_clusters == 1 < whole.n_items else []),
            *_untold(pair, tasks),
        ),
    )
    return cast("Comparison", cleaned(found))


def _lost_in(sheet: Sheet) -> Bools:
    """``bool[n]``, the items that count although no reply to them came, or no verdict."""
    return np.asarray((sheet.lost & sheet.counted).any(axis=1), np.bool_)


def _by_failures(pair: Pairing, whole: Difference) -> bool:
    """Whether nothing is left of a difference on the items to which no reply is lost."""
    if whole.p >= LEVEL or pair.came.all():
        return False
    left = Pairing(pair.a.sheet.of(pair.came), pair.b.sheet.of(pair.came)).whole() if pair.came.any() else None
    return left is None or left.p >= LEVEL or left.difference * whole.difference < 0


def _lost(sides: Sequence[Sheet], *, in_pairs: bool) -> Iterator[str]:
    """Runs of which more replies are lost than one that may be ranked, or most decline."""
    for side in sides:
        path, n = side.run.folder.path, max(1, int((side.state >= 0).sum()))
        failed, not_asked, unjudged = (
            side.state == CODE[state] for state in (State.FAILED, State.NOT_ASKED, State.UNJUDGED)
        )
        if failed.sum() / n > MOST_FAILED:
            right = {"choice", "label"}.intersection(side.measure.kinds)
            worst = "the lowest score" if takes_scores(side.measure) else "wrong" if right else "empty answers"
            counts = f" and count as {worst}" if side.counted[failed].any() else ""
            share = percent(failed.sum() / n)
            yield f"{path}: {share} % of the replies failed{counts}; run it again before you rank it"
        if (refused := (side.state == CODE[State.REFUSED]).sum() / n) > MOST_REFUSED:
            yield f"{path}: {percent(refused)} % of the replies decline, which its score tells of before all else"
        if not_asked.any():
            late = int(not_asked.sum())
            out = f"these {late:,} are" if in_pairs else "the items without any are"
            yield (
                f"{path} is not finished: {percent(late / n)} % of its replies are not asked for yet, and {out} left "
                "out of both runs here; the same audiometry run as before goes on with it"
            )
        if unjudged.sum() / n > MOST_FAILED:
            yield (
                f"{path}: the judge failed at {percent(unjudged.sum() / n)} % of the replies; score it again before "
                "you rank it"
            )


def _untold(pair: Pairing, tasks: Mapping[str, Difference]) -> Iterator[str]:
    """Tasks that both were asked and that have no row."""
    items = pair.a.sheet.items
    names = [items.tasks[code] for code in occurring(items.task).tolist() if items.tasks[code] not in tasks]
    if names:
        few = ", ".join(shown(name, 40) for name in names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
        alike = ", or differ all alike on a scale of unstated end" if pair.a.scale.kind == "plain" else ""
        yield f"tasks without a row, as they have no value in one run or are a single cluster{alike}: {few}"


def _left(pair: Pairing, whole: Difference, rules: str) -> Iterator[str]:
    if n := pair.n_left:
        replies = pair.in_pairs and len(pair.a.sheet.variants) > 1
        does = ("reply does" if replies else "item does") if n == 1 else "replies do" if replies else "items do"
        yield f"{n:,} {does} not count in both runs under the rules of {rules} and {'is' if n == 1 else 'are'} left out"
    if 0 < whole.n_effective < FEW_DIFFER:
        worth = counted(round(whole.n_effective), "equal one")
        yield f"the runs differ on few clips (worth {worth}); below {FEW_DIFFER}, p and interval can mislead"


def corrected(found: Mapping[str, Difference]) -> dict[str, Difference]:
    """Differences with p corrected over all of them (Holm)."""
    adjusted = holm([one.p for one in found.values()])
    return {
        name: msgspec.structs.replace(one, p_corrected=p)
        for (name, one), p in zip(found.items(), adjusted, strict=True)
    }


def _without(sheet: Sheet, places: Bools) -> Sheet:
    """The sheet without what counts in some of its places."""
    if not (sheet.counted & places).any():
        return sheet
    parts = sheet.parts.copy()
    parts[places] = 0
    return msgspec.structs.replace(sheet, parts=parts, counted=sheet.counted & ~places)


def _at(sheet: Sheet, positions: NDArray[np.int64]) -> Sheet:
    """The sheet with these items only; positions rise in both."""
    return sheet.of(np.asarray(np.isin(sheet.items.position, positions), np.bool_))
