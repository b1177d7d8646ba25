"""Which weights a folder holds, so that replies of one checkpoint are never taken for another's."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

_WEIGHTS: Final = (".safetensors", ".bin", ".pt", ".pth")
_SETTINGS: Final = (".json", ".jinja", ".model", ".txt")
_BLOCK: Final = 1 << 16
_LOOKS: Final = 64


def of_folder(folder: str | Path, *below: str) -> str:
    """A fingerprint of a model's folder: small files whole, of each file of weights its size and 64 blocks of 64 KiB.

    Folders ``below`` it, by name, count with it.

    Two checkpoints of one training differ nearly everywhere, so that blocks tell them apart at a thousandth of the
    time; a change of a few bytes elsewhere goes unseen.
    """
    digest = hashlib.sha256()
    places = [Path(folder), *(Path(folder) / name for name in below)]
    for path in (path for place in places for path in sorted(place.iterdir(), key=lambda path: path.name)):
        if path.suffix not in (*_WEIGHTS, *_SETTINGS) or not path.is_file():
            continue
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as file:
            if path.suffix in _SETTINGS or size <= _BLOCK * _LOOKS:
                digest.update(file.read())
                continue
            for look in range(_LOOKS):
                file.seek((size - _BLOCK) * look // (_LOOKS - 1))
                digest.update(file.read(_BLOCK))
    return f"folder {digest.hexdigest()[:16]}"
