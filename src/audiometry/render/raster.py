"""SVG as PNG and PDF, by the library of the extra ``figures``."""

from __future__ import annotations

from typing import Any, Final

from audiometry.errors import UsageError
from audiometry.files import extras

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


def missing() -> str:
    """What to install where the library is missing; empty where it is there."""
    try:
        import vl_convert  # noqa: F401  looked for alone
    except ImportError:
        return (
            "figures are written as SVG alone: PNG and PDF need the package 'vl-convert-python'; "
            f"run: {extras.install('figures')}"
        )
    return ""


def _library() -> Any:
    if why := missing():
        raise UsageError(why)
    import vl_convert

    return vl_convert
