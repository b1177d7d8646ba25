"""Judges that stay loaded while several runs, or several kinds of question, are put to them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audiometry.score.judging.judge import Judge
    from audiometry.score.judging.settings import JudgeSettings

_KEPT: ContextVar[list[Judge] | None] = ContextVar("kept judges", default=None)


@contextlib.contextmanager
def kept_open() -> Iterator[None]:
    """Every judge that is opened within stays loaded until the end of the outermost of these."""
    if _KEPT.get() is not None:
        yield
        return
    with contextlib.ExitStack() as closing:
        judges: list[Judge] = []
        token = _KEPT.set(judges)
        closing.callback(_KEPT.reset, token)
        try:
            yield
        finally:
            for judge in judges:
                closing.callback(judge.close)


@contextlib.contextmanager
def opened(settings: JudgeSettings) -> Iterator[Judge]:
    """The judge of these settings; the one that is loaded already, if there is one."""
    from audiometry.score.judging.judge import Judge

    judges = _KEPT.get()
    if judges is None:
        with Judge(settings) as judge:
            yield judge
        return
    judge_ = next((one for one in judges if one.settings == settings), None)
    if judge_ is None:
        judges.append(judge_ := Judge(settings))
    yield judge_
