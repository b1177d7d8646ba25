"""Sound: reading, converting, encoding, measuring, mixing. Knows nothing of benchmarks or models.

``audiometry.audio.mix(a, b, MixPlan(…))`` overlays two clips and says what it did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audiometry.audio.mixing import Mix, MixPlan, mix

__all__ = ["Mix", "MixPlan", "mix"]


def __getattr__(name: str) -> Any:
    """Mixing, loaded when it is used: a header is read without numpy."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from audiometry.audio import mixing

    return getattr(mixing, name)
