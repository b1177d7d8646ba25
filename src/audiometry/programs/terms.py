"""How a program is to be used."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

import msgspec

from audiometry.files import secrets
from audiometry.programs.command import passed
from audiometry.programs.command import words as command_words


class Terms(msgspec.Struct, frozen=True):
    """What to start, and how long to wait.

    Attributes:
        command: the program and its arguments.
        called: how messages name it.
        start_s: longest wait for its hello, seconds.
        timeout_s: longest wait for a reply, seconds, as the user set it.
        passed: variables of the environment that it gets though they hold secrets.
    """

    command: Sequence[str]
    called: str
    start_s: float
    timeout_s: float
    passed: tuple[str, ...] = ()

    @classmethod
    def of(cls, command: str, *, start_s: float, timeout_s: float, env: str = "") -> Terms:
        """Those of a command as a user writes it; ``env`` names the variables that it gets though they hold secrets.

        Raises:
            UsageError: it cannot be split, there is no such program, or no such variable.
        """
        words = command_words(command)
        called = f"'{secrets.shown(shlex.join(words), 60)}'"
        return cls(words, called, start_s, timeout_s, passed(env, f"exec/{secrets.shown(command)}"))

    @property
    def environment(self) -> dict[str, str]:
        """What it gets: no secrets but those that are named; they are other programs' keys."""
        return secrets.without(os.environ, self.passed)

    def missed(self, said: str) -> str:
        """What to do, if a message names a variable that was held back; else empty."""
        held = (name for name in os.environ if secrets.is_secret(name) and name not in self.passed)
        names = [name for name in held if name in said]
        return f"it was started without {names[0]}, add ?env={names[0]} if it may have that" if names else ""

    @property
    def reply_s(self) -> float:
        """The wait itself: it ends a little before the dispatcher's, which knows less of what went wrong."""
        return self.timeout_s - min(1.0, 0.02 * self.timeout_s)
