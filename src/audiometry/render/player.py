"""The player of clips that pages put into their script: waveform, spectrogram, ranges to play in a loop."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SCRIPTS: Final = tuple(Path(__file__).with_name(name) for name in ("sound.js", "picture.js", "player.js"))
"""Define ``player(element, source, options)``, in this order; the first lines of the last say how it is used."""

STYLE: Final = Path(__file__).with_suffix(".css")
"""How it looks, in the colours that a page defines."""
