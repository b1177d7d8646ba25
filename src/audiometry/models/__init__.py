"""A model name, turned into something that answers.

``load("cascade/pocketsphinx")`` gives a `Model`; providers are the modules of this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audiometry.models.protocol import Model
from audiometry.models.settings import ModelSettings

if TYPE_CHECKING:
    from audiometry.models.registry import load, providers, reader_of, refuse_idle, routes, with_reader

__all__ = ["Model", "ModelSettings", "load", "providers", "reader_of", "refuse_idle", "routes", "with_reader"]


def __getattr__(name: str) -> Any:
    # The registry imports every provider module; who only needs the types should not pay for that.
    if name in __all__:
        from audiometry.models import registry

        return getattr(registry, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
