"""What a check of a benchmark says."""

from __future__ import annotations

from typing import Literal

import msgspec

Severity = Literal["error", "warning", "note"]
ORDER: tuple[Severity, ...] = ("error", "warning", "note")
SHOWN_ITEMS = 5


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to know about a benchmark.

    Attributes:
        severity: ``error``: items cannot be asked or scored as they stand; ``warning``: they can, but a number
            made from them may mislead; ``note``: a fact to keep in mind.
        code: short, stable word (``missing``, ``truncated``, ``longest-option``).
        where: a clip, a line of the metadata, or a task.
        what: what was found, with its numbers.
        do: what to do about it.
        n_items: how many items it touches.
        items: ids of the first of them.
    """

    severity: Severity
    code: str
    where: str
    what: str
    do: str
    n_items: int = 0
    items: tuple[str, ...] = ()

    def __str__(self) -> str:
        said = "; ".join(filter(None, (self.what, self.do)))
        return f"{self.where}: {said}" if said else self.where


def finding(severity: Severity, code: str, where: str, what: str, do: str, items: tuple[str, ...] = ()) -> Finding:
    """A finding that touches these items; the first few are named."""
    return Finding(
        severity=severity, code=code, where=where, what=what, do=do, n_items=len(items), items=items[:SHOWN_ITEMS]
    )


class Guess(msgspec.Struct, frozen=True, kw_only=True):
    """How well a rule that hears nothing answers.

    Attributes:
        n: items for which it names exactly one option.
        right: how many of those it answers right.
        accuracy: ``right / n``, 0 to 1.
        chance: mean of 1 / number of options over the same items.
        overall: share of all items of the task that is right where its option is taken and the others are guessed.
        overall_chance: mean of 1 / number of options over all items of the task.
        p: exact probability of so many right by chance (binomial, one-sided).
        p_corrected: the same after Holm's correction over all rules and tasks of the benchmark.
    """

    n: int
    right: int
    accuracy: float
    chance: float
    overall: float
    overall_chance: float
    p: float
    p_corrected: float


class Letters(msgspec.Struct, frozen=True, kw_only=True):
    """Places of the right answers among the options as they are listed.

    Attributes:
        counts: first place, second, …
        expected: the same by chance.
        p: probability of a spread as uneven by chance.
        p_corrected: after Holm's correction over the tasks.
        method: how p was found.
    """

    counts: tuple[int, ...]
    expected: tuple[float, ...]
    p: float
    p_corrected: float
    method: str


class TaskFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One task in numbers.

    Attributes:
        n_items: usable items.
        n_clips: different clips they ask about.
        n_options: number of items by number of options.
        n_answers: different right answers.
        answers: how often the most frequent ones (at most 20) are right.
        letters: None where no item has options and an answer.
        guesses: by rule.
    """

    n_items: int
    n_clips: int
    n_options: dict[int, int]
    n_answers: int
    answers: dict[str, int]
    letters: Letters | None
    guesses: dict[str, Guess]


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that a check found.

    Attributes:
        benchmark: name on its card.
        folder: where it is.
        n_errors, n_warnings, n_notes: findings of each severity.
        n_items: usable items.
        published: how many of how many published items these are; empty where nobody says how many there are.
        unknown: facts about it that nobody published, a line each.
        known: its known defects, a line each.
        n_without_clip: those of them that name no clip, as their task allows.
        n_left_out: rows that cannot be asked.
        n_clips: different clips that items name.
        n_clips_read: those that could be decoded to their end.
        audio_s: their length together, seconds.
        rates: clips by samples a second, Hz.
        channels: clips by number of channels.
        formats: clips by format.
        items_per_clip: clips by number of items that name them.
        tasks: by name.
        findings: errors first, then warnings, then notes.
    """

    benchmark: str
    folder: str
    n_errors: int
    n_warnings: int
    n_notes: int
    n_items: int
    published: str = ""
    unknown: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    n_without_clip: int
    n_left_out: int
    n_clips: int
    n_clips_read: int
    audio_s: float
    rates: dict[int, int]
    channels: dict[int, int]
    formats: dict[str, int]
    items_per_clip: dict[int, int]
    tasks: dict[str, TaskFacts]
    findings: tuple[Finding, ...]
