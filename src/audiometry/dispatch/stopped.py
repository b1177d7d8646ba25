"""The dispatcher's giving up, apart from the dispatcher: whoever only names it loads no event loop."""

from __future__ import annotations

from audiometry.errors import AudiometryError


class StoppedError(AudiometryError):
    """The dispatcher gave up before all was asked; what arrived is kept."""
