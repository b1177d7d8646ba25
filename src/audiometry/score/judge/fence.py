"""Lines around foreign text that cannot occur in it, so that no answer can end its own block."""

from __future__ import annotations

import hashlib

LENGTH = 16  # hexadecimal digits


def unused_mark(seed: str, everything: str) -> str:
    """Some digits that do not occur in a text, the same ones for the same seed and text.

    Args:
        seed: any text, such as a hash of what is shown.
        everything: all that the mark must not occur in.
    """
    mark = hashlib.sha256(seed.encode()).hexdigest()
    while mark[:LENGTH] in everything:
        mark = hashlib.sha256(mark.encode()).hexdigest()
    return mark[:LENGTH]
