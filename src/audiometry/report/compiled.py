"""What the templates were compiled to, kept as long as the process: compiling a page takes longer than filling it."""

from __future__ import annotations

from types import CodeType
from typing import Final

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

_KEPT: Final[dict[tuple[str, str], CodeType]] = {}


class Compiled(BytecodeCache):
    """Code by template and checksum of its text."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what was compiled before."""
        bucket.code = _KEPT.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled now."""
        if bucket.code is not None:
            _KEPT[bucket.key, bucket.checksum] = bucket.code
