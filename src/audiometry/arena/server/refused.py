"""Why a request is not answered for now, and what all refusals are as HTTP says them."""

from __future__ import annotations

import math
from http import HTTPStatus
from typing import Final

from audiometry.arena.store.refusals import ClosedError, FullError, NotThereError
from audiometry.errors import (
    AudioError,
    AudiometryError,
    ShortageError,
    StorageError,
    TooLargeAudioError,
    UndecodableError,
    UsageError,
)

SOON_S: Final = 2
"""Seconds after which to try again what this machine or its database could not do."""


class LaterError(AudiometryError):
    """Not now.

    Args:
        message: one line.
        after_s: seconds after which to try again.
    """

    def __init__(self, message: str, after_s: float = SOON_S) -> None:
        super().__init__(message)
        self.after_s = after_s


class TooOftenError(LaterError):
    """Somebody does something too often."""


class ForbiddenError(AudiometryError):
    """It is not for this person, or not before something else."""


class StrangerError(AudiometryError):
    """Nobody has come in."""


_STATUS: Final[tuple[tuple[type[AudiometryError], HTTPStatus], ...]] = (
    (TooOftenError, HTTPStatus.TOO_MANY_REQUESTS),
    (LaterError, HTTPStatus.SERVICE_UNAVAILABLE),
    (StrangerError, HTTPStatus.UNAUTHORIZED),
    (ForbiddenError, HTTPStatus.FORBIDDEN),
    (NotThereError, HTTPStatus.NOT_FOUND),
    (ClosedError, HTTPStatus.CONFLICT),
    (FullError, HTTPStatus.CONFLICT),
    (TooLargeAudioError, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (AudioError, HTTPStatus.BAD_REQUEST),
    (UndecodableError, HTTPStatus.BAD_REQUEST),
    (UsageError, HTTPStatus.BAD_REQUEST),
    (StorageError, HTTPStatus.SERVICE_UNAVAILABLE),
    (ShortageError, HTTPStatus.SERVICE_UNAVAILABLE),
)
OURS: Final = "this arena cannot keep anything at the moment; nothing is lost, try again in a little while"
"""Told where the machine is to blame, whose own words tell of paths and models."""


def told(problem: AudiometryError) -> tuple[int, str, int | None]:
    """Status, line and seconds to wait, as a request is answered that ends in this error."""
    status = next((status for kind, status in _STATUS if isinstance(problem, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    if isinstance(problem, FullError) and not problem.done:
        return HTTPStatus.SERVICE_UNAVAILABLE, str(problem), 30
    if isinstance(problem, LaterError):
        return status, str(problem), max(1, math.ceil(problem.after_s))
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return status, OURS, SOON_S
    if isinstance(problem, UndecodableError):
        return status, f"what was sent cannot be read: {problem}", None
    return status, str(problem), None
