"""Why the store does not do what a voter asks for."""

from __future__ import annotations

from audiometry.errors import UsageError


class NotThereError(UsageError):
    """What was asked for is not there, or is somebody else's, which is not told apart."""


class ClosedError(UsageError):
    """It is too late for what was asked, or too early."""


class FullError(UsageError):
    """All places are taken.

    Args:
        message: one line.
        done: they are taken for good; else one may become free again.
    """

    def __init__(self, message: str, *, done: bool) -> None:
        super().__init__(message)
        self.done = done
