"""When a program that ended early is started again, which prompt is to blame, and when to stop trying."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Final

TRIES_BEFORE_ANY_REPLY: Final = 3  # lives in a row without a reply, if there never was one: nothing works
TRIES_AFTER_ONE: Final = 10  # the same, once there was one: a run of bad prompts is possible, an endless one not
FATAL_PROMPT: Final = 2  # lives that ended with one prompt alone under way: it is the prompt
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 30.0


class Endurance:
    """Keeps count of a program's lives. Prompts are known by any key that is the same at each try."""

    def __init__(self) -> None:
        self.fruitless = 0
        self._ever = False
        self._lives_with: Counter[Hashable] = Counter()
        self._last: Hashable = None
        self._suspects = 0

    def answered(self) -> None:
        """A prompt was answered, be it with an error."""
        self._ever = True
        self.fruitless = 0
        self._suspects = max(0, self._suspects - 1)

    def ended(self, under_way: Sequence[Hashable], replies: int) -> None:
        """A life is over.

        Args:
            under_way: the prompts that were waited for.
            replies: how many it had answered.
        """
        alone = under_way[0] if len(set(under_way)) == 1 else None
        # One prompt that ends every life it is asked in says nothing of all the others.
        if not replies and (alone is None or alone != self._last):
            self.fruitless += 1
        self._last = alone
        if alone is not None:
            self._lives_with[alone] += 1
            self._suspects = max(0, self._suspects - 1)
        else:
            self._suspects = len(under_way)

    def to_blame(self, prompt: Hashable) -> bool:
        """Whether it is this prompt that ends the program, so that asking it again is of no use."""
        return self._lives_with[prompt] >= FATAL_PROMPT

    @property
    def exhausted(self) -> bool:
        """Whether starting it again is of no use."""
        return self.fruitless >= (TRIES_AFTER_ONE if self._ever else TRIES_BEFORE_ANY_REPLY)

    @property
    def careful(self) -> bool:
        """Whether to ask one at a time, to find out which of several prompts ended the last life."""
        return self._suspects > 0

    @property
    def wait_s(self) -> float:
        """How long to wait before the next start, seconds."""
        return min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** (self.fruitless - 1)) if self.fruitless else 0.0
