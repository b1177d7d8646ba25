"""All that is said of a run's scores: whose they are, a section for each measure, and what no number is of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.render.document import Block, Line, line, strong
from audiometry.render.numbers import p_value
from audiometry.report.naming import endings
from audiometry.report.numbers import scale
from audiometry.report.rows_text import AGAIN, said_of_failures, said_of_rows
from audiometry.report.said import incomplete, matching, unscored
from audiometry.report.views.entries import Entries, Entry, Runs
from audiometry.report.views.fewer import section
from audiometry.report.views.rules import rules
from audiometry.report.views.score_rows import charted
from audiometry.report.views.tasks import tasks
from audiometry.score.result import Scored, Scores

LONGEST_WORDS: Final = 500  # characters of what a failure said


def scored(scores: Scores, card: Card, words: str = "") -> Iterator[Block]:
    """The sections of a run; rules of one measure stand side by side.

    Args:
        scores: of the run.
        card: of its benchmark.
        words: of a run without any reply, what its commonest failure said.
    """
    n = scores.n_items - scores.n_unscored
    said = said_of_rows(n, scores.n_without_clip, scores.n_left_out, scores.n_clips_cut, of=scores.n_items)
    yield line("")
    yield line(strong(scores.asked), " on ", strong(scores.benchmark), f": {said}")
    if scores.coverage:
        yield line(f"{scores.coverage}.")
    if without_reply(scores.scores):
        yield why_nothing(scores.scores, words)
        return
    told = next((name for name, one in scores.scores.items() if one.extras.plain_matching), "")
    each = list(_together(scores.scores))
    for found, ending in zip(each, endings([next(iter(one.values())).measure for one in each]), strict=True):
        if len(found) > 1:
            yield rules([found], [scores.asked], card, place=f"rules{ending}", alone=True)
            continue
        [(name, one)] = found.items()
        of = scores.n_items if len(scores.scores) > 1 else 0
        more = [*(matching(one.extras) if name == told else ())]
        more += [] if one.complete else [line(incomplete(one, scale(one)), weight="minded")]
        yield tasks(name, Runs(scored=(one,)), card, place=f"tasks{ending}", of=of, more=[more])
        if one.listening is None:
            yield from without_clip(one, ending)
        yield from section(Runs(scored=(one,)), card, f"fewer{ending}")


def _together(scores: Mapping[str, Scored]) -> Iterator[dict[str, Scored]]:
    """Scores of one measure side by side; of judges each by itself."""
    for _, alike in groupby(scores.items(), key=lambda one: one[1].measure):
        found = dict(alike)
        if any(one.extras.beside for one in found.values()):
            yield from ({name: one} for name, one in found.items())
        else:
            yield found


def missing(scores: Scores) -> Iterator[Line]:
    """What could not be scored, and items that are in no number."""
    yield from (line(f"{name} is not scored: {why}.", weight="minded") for name, why in scores.broken.items())
    if scores.n_unscored and not without_reply(scores.scores):
        yield line(unscored(scores))


def without_reply(found: Mapping[str, Scored]) -> bool:
    """Whether no reply came to anything that is scored."""
    return bool(found) and not any(one.replied for one in found.values())


def why_nothing(found: Mapping[str, Scored], words: str = "", more: Mapping[str, int] | None = None) -> Line:
    """Why there is no number of a run without any reply.

    Args:
        found: its scores.
        words: what its commonest failure said.
        more: failures of replies that no score has a part in.
    """
    failures: Counter[str] = Counter(more)
    for one in {(one.measure, one.kinds): one for one in found.values()}.values():  # once, whatever the rules
        failures.update(one.failures)
    if not failures:
        return line(f"No reply came yet, so there is no number; {AGAIN} asks for them.", weight="minded")
    quoted = f" The commonest failure said: {shown(words, LONGEST_WORDS)}" if words else ""
    return line(f"No reply came, so there is no number: {said_of_failures(failures)}.{quoted}", weight="minded")


def without_clip(found: Scored, ending: str = "") -> Iterator[Block]:
    """What a score is without the clips, and what it loses: of measures that the listening test has no part in."""
    runs, its = Runs(scored=(found,)), scale(found)
    if not found.variants:
        return
    entries = Entries(
        all=tuple(Entry(title=f"without its clip: {name}", rows=(row,)) for name, row in found.variants.items()),
        place=f"without-clip{ending}",
        corner="clip",
        caption="What it scores without the clips, with its 95 % interval",
    )
    yield from charted(runs, entries)
    for name, row in found.variants.items():
        if (lost := row.difference) is not None:
            other = None if lost.p_corrected == lost.p else lost.p_corrected
            p = "" if other is None else f", corrected over the sounds {p_value(other)}"
            first = " in the first order" if found.n_replies > found.n_items else ""
            yield line(
                f"With its own clips instead of {name} it scores {its.change(lost.difference)} "
                f"(95 %: {its.changes(lost.interval)}, p {p_value(lost.p, '= ')}{p}; {counted(lost.n_items, 'item')}: "
                f"{its.number(lost.score_a)} with them{first}, {its.number(lost.score_b)} without)."
            )
