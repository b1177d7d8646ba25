"""Patterns that are compiled when they are first used: a run of bare letters needs few of the reader's many."""

from __future__ import annotations

import re
from typing import Any, cast


class _Waiting:
    """Stands for a pattern; from its first use on its methods are the compiled pattern's own."""

    def __init__(self, source: str, flags: re.RegexFlag) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by copy and the like, which mean this object
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for method in ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(source: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """A pattern that costs nothing until it is used; a source that is none raises then.

    >>> lazy("b+").search("abbc").group()
    'bb'
    """
    return cast("re.Pattern[str]", _Waiting(source, flags))
