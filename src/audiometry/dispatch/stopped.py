"""The dispatcher's giving up, apart from the dispatcher: whoever only names it loads no event loop."""

from __future__ import annotations

from audiometry.errors import AudiometryError

KEPT = "all replies so far are kept"
NONE_CAME = "no reply came"


class StoppedError(AudiometryError):
    """The dispatcher gave up before all was asked; what arrived is kept.

    Args:
        message: one line.
        refused: why nothing else can succeed either (a key or a model that is not accepted), without what is kept;
            empty where another try may.
        kind: of the failure that stopped it, as in a record; empty where there was none.
    """

    def __init__(self, message: str, refused: str = "", kind: str = "") -> None:
        super().__init__(message)
        self.refused, self.kind = refused, kind

    def unanswered(self) -> StoppedError:
        """The same where there is nothing that could be kept."""
        return StoppedError(str(self).replace(KEPT, NONE_CAME), self.refused, self.kind)


class PersonStoppedError(StoppedError):
    """The person stopped it; what arrived is kept."""

    exit_code = 130
