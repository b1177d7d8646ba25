"""How an extra of the package is installed where the package is installed as it is here."""

from __future__ import annotations

import json
import shlex
from importlib import metadata
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

_OF_THE_ARENA: Final = frozenset({"alembic", "av", "fastapi", "psycopg", "sqlalchemy", "starlette", "uvicorn"})


def install(extra: str, *others: str) -> str:
    """The command that installs an extra: from the clone where the package is one, else from the index.

    Args:
        extra: its name, such as ``figures``.
        others: packages that are installed with it.
    """
    clone = _clone()
    where = "audiometry" if clone is None else "." if clone == Path.cwd() else str(clone)
    editable = () if clone is None else ("-e",)
    return shlex.join(["pip", "install", *others, *editable, f"{where}[{extra}]"])


def missing(problem: ImportError) -> str:
    """What to do about a module of an arena that is not installed; empty for any other.

    >>> missing(ModuleNotFoundError("No module named 'numpy'", name="numpy"))
    ''
    """
    package = (problem.name or "").partition(".")[0]
    return f"this needs the package '{package}'; run: {install('arena')}" if package in _OF_THE_ARENA else ""


def _clone() -> Path | None:
    """The folder that an editable package is in, by what its installer wrote down (PEP 610)."""
    try:
        told = json.loads(metadata.distribution("audiometry").read_text("direct_url.json") or "{}")
        editable = told.get("dir_info", {}).get("editable", False)
        found = Path(url2pathname(urlsplit(told["url"]).path)) if editable else None
    except (metadata.PackageNotFoundError, OSError, ValueError, KeyError, AttributeError):
        return None
    return found if found is not None and found.is_dir() else None
