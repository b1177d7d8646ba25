"""The player of clips that pages put into their script: waveform, spectrogram, ranges to play in a loop."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SCRIPTS: Final = (Path(__file__).with_name("sound.js"), Path(__file__).with_suffix(".js"))
"""Define ``player(element, source, options)``, in this order; the first lines of the last say how it is used."""

STYLE: Final = Path(__file__).with_suffix(".css")
"""How it looks, in the colours that a page defines."""
