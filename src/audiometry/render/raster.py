"""SVG as PNG and PDF, by the library of the extra ``figures``."""

from __future__ import annotations

from typing import Any, Final

from audiometry.errors import UsageError

_SCALE: Final = 2  # px for each of the drawing's


def png(svg: str) -> bytes:
    """A picture of twice as many px, as screens of today and print want it.

    Raises:
        UsageError: the library is not installed.
    """
    found: bytes = _library().svg_to_png(svg, scale=_SCALE)
    return found


def pdf(svg: str) -> bytes:
    """One page of the drawing's size, with text as text.

    Raises:
        UsageError: the library is not installed.
    """
    found: bytes = _library().svg_to_pdf(svg)
    return found


def _library() -> Any:
    try:
        import vl_convert
    except ImportError as problem:
        raise UsageError(
            "PNG and PDF files need the package 'vl-convert-python' (the SVG files are there); "
            "run: pip install 'audiometry[figures]'"
        ) from problem
    return vl_convert
