"""The number of a run on its own: large, beside its drawing, and what became of the replies that it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from audiometry.errors import counted
from audiometry.render.document import Block, Chart, Copied, Headline, Line, Tile, Tiles, line, strong
from audiometry.render.numbers import percent
from audiometry.report.gather import RunView
from audiometry.report.ledger import RULED_KINDS
from audiometry.report.parts import Part
from audiometry.report.titles import FEWER, SIGNS, STATES, field, measure_title
from audiometry.score.extras import Against
from audiometry.score.result import Scored

_OUTCOMES: Final = {"win": "above the reference", "tie": "as the reference", "loss": "below the reference"}


def summary(part: Part, view: RunView, chart: Chart, profile: str) -> tuple[Block, ...]:
    """The head of a page of one run with one score.

    Args:
        part: the score.
        view: the run.
        chart: its number over everything, drawn in one band.
        profile: whose rules it is scored by.
    """
    scored, its = part.first, part.its
    against = scored.extras.beside.all if scored.extras.beside is not None else None
    number = its.number(scored.value), "%" if its.share and scored.value is not None else ""
    what = "correct" if its.share else f"of {its.high:g}" if part.judged else measure_title(scored)
    under = []
    if scored.interval is not None:
        under.append(line("95 % interval ", strong(its.span(scored.interval)), weight="bare"))
    if scored.part:
        under.append(line("Asked ", strong(scored.part), weight="bare"))
    beside = against is not None and against.win is not None
    title = "Against the reference answers" if beside else "What became of the replies"
    return (
        Headline(
            number=number,
            what=what if scored.value is not None else "",
            under=tuple(under),
            chart=chart,
            told=tuple(_told(part, against, profile)),
        ),
        Tiles(title, (*_outcomes(against), *_states(scored, view, drawn=not beside), *_counts(part))),
        Copied(scored.signature, "signature"),
    )


def _told(part: Part, against: Against | None, profile: str) -> Iterator[Line]:
    """What the number is of, how it stands to what it is held against, and what the rules did to make it."""
    scored = part.first
    n = counted(scored.n_items, "item")
    if scored.n_not_asked:
        said = "The run is not finished: it has bounds and no number."
    elif scored.value is None and scored.average == "none" and scored.n_counted:
        said = f"The rules of {profile} have numbers for categories only, and no mean of them."
    elif scored.value is None:
        said = f"{'Nothing' if part.judged else 'No reply'} counts under the rules of {profile}, so there is no number."
    else:
        share = "share" if part.its.share else scored.unit
        said = f"The {share} of {n}" if scored.average == "items" else f"The mean of {scored.average} over {n}"
        said += f", {scored.n_replies:,} replies" if scored.n_replies != scored.n_items else ""
        alike = "; those that share a clip or a recording count as one group"
        said += alike if scored.n_clusters != scored.n_items else ""
        said += f".{_chance(scored)}"
    if against is not None and against.reference is not None:
        theirs = part.its.number(against.reference)
        if against.beside(scored.n_counted):
            said += f" The reference answers beside them get {theirs} (the dashed line)."
        else:
            these = counted(against.n_reference or 0, "reply")
            said += f" The reference answers get {theirs} beside {these} alone: {FEWER}, so no line is drawn."
    yield line(said, weight="bare")
    if (passes := scored.extras.leave_one_out) is not None:
        vote, each = part.its.number(passes.vote.value), part.its.number(passes.each.value)
        chance = "" if passes.chance is None else f" (chance {part.its.number(passes.chance)} %)"
        alone = f"Without one wrong option each, {vote} % are right by a majority vote of the passes{chance}"
        yield line(f"{alone}, {each} % in single passes.", weight="bare")
    if scored.n_counted != scored.n_replies and not scored.n_not_asked:
        said = f"The rules of {profile} count {scored.n_counted:,} of {scored.n_replies:,} replies."
        yield line(said, weight="bare")
    if scored.n_guessed:
        right = f"{scored.n_guessed_right:,} of them right"
        said = f"The rules of {profile} draw a letter where none was read: {scored.n_guessed:,} times, {right}."
        yield line(said, weight="bare")


def _chance(scored: Scored) -> str:
    """How the interval lies to chance; empty where one of them is not known."""
    if scored.chance is None or scored.interval is None:
        return ""
    if not scored.n_answered:
        return " No reply holds an answer: none chose rightly, none wrongly."
    low, high = scored.interval
    if low <= scored.chance <= high:
        said = f"includes chance ({percent(scored.chance)} %): this result cannot be told apart from guessing"
    else:
        said = f"lies {'above' if low > scored.chance else 'below'} chance ({percent(scored.chance)} %)"
    return f" The interval {said}."


def _outcomes(against: Against | None) -> Iterator[Tile]:
    """How large a share of the answers is above the reference, as it, and below."""
    for tone, name in _OUTCOMES.items():
        share: float | None = getattr(against, tone, None)
        if share is not None:
            yield Tile(name, percent(share), "%", tone, share=share)


def _states(scored: Scored, view: RunView, *, drawn: bool) -> Iterator[Tile]:
    """What became of the replies, and how many; but for the usual states only those that there are."""
    counts = {name: int(getattr(scored, field(name))) for name in ("answered", *STATES)}
    ruled = RULED_KINDS.intersection(scored.kinds)
    usual = {"answered", "refused", "failed", "unanswered" if ruled else "empty"}
    if ruled:
        correct = view.n_correct(scored)
        counts = {"correct": correct, "wrong": counts.pop("answered") - correct} | counts
        usual |= {"correct", "wrong"}
    of = scored.n_replies
    for name, n in counts.items():
        if n or name in usual:
            share, tone = n / max(1, of), name.replace(" ", "-")
            said = f"of {of:,}, {percent(share)} %"
            yield Tile(name, f"{n:,}", said, tone, SIGNS[name], share if drawn else 0.0)


def _counts(part: Part) -> Iterator[Tile]:
    """What else the number rests on."""
    scored = part.first
    if part.its.share:
        yield Tile("answered", f"{scored.n_answered:,}", f"of {scored.n_replies:,} replies")
        none = scored.over_answered is None
        mean = f", mean of {scored.average}" * (scored.average in {"categories", "tasks"})
        alone = ("", "none answered") if none else (percent(scored.over_answered), f"%{mean}")
        yield Tile("correct of the answered", *alone)
    if scored.chance is not None:
        yield Tile("chance", percent(scored.chance), "%")
    yield Tile("items", f"{scored.n_items:,}", f"in {counted(len(scored.tasks), 'task')}")
    yield Tile("independent groups", f"{scored.n_clusters:,}")
