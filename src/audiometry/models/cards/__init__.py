"""Model cards: what a model takes and costs, found by its name.

Each ``*.toml`` here holds ``[[card]]`` tables; ``name`` may be a pattern. To add a model, add a file.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

import msgspec

from audiometry.errors import UndecodableError, UsageError
from audiometry.files import foreign
from audiometry.records import ModelCard

HERE = Path(__file__).parent


class _File(msgspec.Struct, forbid_unknown_fields=True):
    card: tuple[ModelCard, ...]


def find(name: str, own: str = "") -> ModelCard:
    """The card for a model name; the longest pattern that fits wins, a name without a card gets the cautious default.

    Args:
        name: ``provider/name``.
        own: path of a user's card file, looked at first; empty for none.

    Raises:
        UsageError: the user's file cannot be read, or has no card that fits.
    """
    if own:
        fitting = _fitting(name, _read(Path(own)))
        if not fitting:
            raise UsageError(f'{own} has no card for {name}; give it name = "{name}"')
        return fitting[-1]
    fitting = _fitting(name, _built_in())
    return fitting[-1] if fitting else ModelCard()


def _fitting(name: str, cards: tuple[ModelCard, ...]) -> list[ModelCard]:
    return sorted((c for c in cards if fnmatchcase(name, c.name)), key=lambda c: len(c.name))


@lru_cache(maxsize=1)
def _built_in() -> tuple[ModelCard, ...]:
    return tuple(card for path in sorted(HERE.glob("*.toml")) for card in _read(path))


def _read(path: Path) -> tuple[ModelCard, ...]:
    try:
        return foreign.toml(path.read_bytes(), _File).card
    except OSError as problem:
        raise UsageError(f"cannot read the model card {path}: {problem.strerror}") from problem
    except UndecodableError as problem:
        raise UsageError(f"model card {problem.at(path)}") from None
