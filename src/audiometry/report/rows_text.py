"""Items, clips and rows of a run counted, and settings, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from audiometry.errors import counted, shown
from audiometry.files.request_fields import DEEPEST
from audiometry.outside import VariantError
from audiometry.score.cut import n_clips_cut
from audiometry.score.opened import OpenedRun


def said_of_rows(n_items: int, n_without_clip: int, n_left_out: int, n_clips_cut: int = 0, *, of: int = 0) -> str:
    """The numbers for a terminal or a page; nobody has to guess whether there was audio, nor of how many these are.

    >>> said_of_rows(1200, 0, 0), said_of_rows(1, 1, 3), said_of_rows(0, 0, 0)
    ('1,200 items, each with a clip', '1 item, 1 of them without a clip, 3 rows left out', '0 items')
    >>> said_of_rows(72, 0, 0, 5)
    '72 items, each with a clip, 5 replies to the beginning of a longer clip'
    >>> said_of_rows(120, 0, 0, of=160)
    '120 of 160 items, each with a clip'
    """
    clips = f", {n_without_clip:,} of them without a clip" if n_without_clip else ", each with a clip" * (n_items > 0)
    left_out = f", {counted(n_left_out, 'row')} left out" if n_left_out else ""
    cut = f", {counted(n_clips_cut, 'reply')} to the beginning of a longer clip" if n_clips_cut else ""
    some = f"{n_items:,} of " if of > n_items else ""
    return f"{some}{counted(max(of, n_items), 'item')}{clips}{cut}{left_out}"


def said_of_blocked(n_refused: int, n_blocked: int) -> str:
    """How many of the refused the provider blocked; empty for none.

    >>> said_of_blocked(3, 1)
    'Of 3 refused, 1 was blocked by the provider: no reply came to it.'
    """
    if not n_blocked:
        return ""
    were, them = ("was", "it") if n_blocked == 1 else ("were", "them")
    return f"Of {n_refused:,} refused, {n_blocked:,} {were} blocked by the provider: no reply came to {them}."


FAILURES: Final = {
    "timeout": "no reply in time",
    "crash": "crashed",
    "program": "error of the program",
    "no-options": "no options or labels",
    "no-choices": "reply without an answer",
    "start": "did not start",
    "closed": "closed before it answered",
    "prose": "words without scores",
    "one-score": "one score alone",
    "several-score-lines": "several lines of scores",
    "judge-unreadable": "the judge's answer cannot be read",
    "judge-failed": "no answer of the judge",
}


def said_of_failures(failures: Mapping[str, int]) -> str:
    """How many replies are lost to what, the most frequent first, in words where the code alone does not say it.

    >>> said_of_failures({"timeout": 2, "http-429": 1, "odd-end": 1200})
    '1,200 × odd end, 2 × no reply in time, 1 × HTTP 429'
    """
    return ", ".join(f"{n:,} × {_said(kind)}" for kind, n in sorted(failures.items(), key=lambda one: -one[1]))


def _said(kind: str) -> str:
    return FAILURES.get(kind) or shown(kind.replace("http-", "HTTP ").replace("-", " "), 60)


HOPELESS: Final = frozenset({
    "http-400", "http-405", "http-413", "http-415", "http-422", "request-too-large", "no-audio",
    "no-options", "no-answer", "not-recorded",
})  # fmt: skip
"""Failures by the request itself: the same one fails again."""
AGAIN: Final = "the same audiometry run as before"
"""What asks a model again, where other commands tell of its run."""


def what_helps(failures: Iterable[str], command: str = AGAIN) -> str:
    """What to do about failures of these kinds: to try again helps only where the request was no part of the reason.

    >>> what_helps(["http-429", "no-options"]), what_helps(["no-options"])
    ('the same audiometry run as before asks for what is missing', 'trying again as it is will not help')
    """
    kinds = set(failures)
    if kinds == {VariantError.kind}:
        return f"mend the variant, then {command} asks for them"
    if kinds and all(kind.startswith("audio") for kind in kinds):
        return f"mend these clips, then {command} asks for them"
    if kinds and all(kind.startswith("audio") or kind in HOPELESS for kind in kinds):
        return "trying again as it is will not help"
    return f"{command} asks for what is missing"


def rows_of(run: OpenedRun) -> str:
    """As `said_of_rows`, of a run."""
    return said_of_rows(len(run.positions), run.n_without_clip, run.info.benchmark.left_out, n_clips_cut(run))


def stated(value: Any, depth: int = 0) -> str:
    """Settings in words: ``reader (name rules, version 1), vad off``; what is empty says nothing.

    Of what is nested without end the inside is left out.

    >>> stated({"reader": {"name": "rules", "seed": None}, "vad": False, "stop": ["a", "b"]})
    'reader (name rules), vad off, stop a, b'
    """
    if depth > DEEPEST and isinstance(value, dict | list | tuple):
        return "…"
    if isinstance(value, dict):
        known = {name: one for name, one in value.items() if one not in (None, {}, [], ())}
        said = ((name, one, stated(one, depth + 1)) for name, one in known.items())
        parts = ((name, f"({words})" if isinstance(one, dict) else words) for name, one, words in said)
        return ", ".join(f"{name} {one}" for name, one in parts)
    if isinstance(value, bool):
        return "on" if value else "off"
    return ", ".join(stated(one, depth + 1) for one in value) if isinstance(value, list | tuple) else str(value)
