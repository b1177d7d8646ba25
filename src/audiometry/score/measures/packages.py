"""The packages of the extra ``text``: loaded when a measure is used, not before."""

from __future__ import annotations

import importlib
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from audiometry.errors import UsageError
from audiometry.files import extras

NEEDED_BY = frozenset({"bleu", "cer", "chrf", "rouge-l", "wer"})
"""The measures that need packages of the extra ``text``."""


def loaded(measure: str, package: str, module: str) -> Any:
    """A module of a package that a measure needs.

    Args:
        measure: who needs it.
        package: as it is installed.
        module: to import.

    Raises:
        UsageError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise UsageError(
            f"measure '{measure}' needs the package '{package}'; run: {extras.install('text')}"
        ) from problem


def stamp(package: str, detail: str = "") -> str:
    """Name and version of a package for a signature, and how it was used."""
    try:
        found = version(package)
    except PackageNotFoundError:
        found = "unknown"
    return "-".join(filter(None, [package, found, detail]))
