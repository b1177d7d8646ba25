"""A cascade's reader, which is part of the cascade's name: ``cascade/whisper-base?reader=openai/gpt-6.1-terra``."""

from __future__ import annotations

import re

from audiometry.errors import UsageError, shown
from audiometry.models.settings import split_options

READER = "reader"
_NOT_PLAIN = re.compile(r"[\x00-\x20%&?#+\x7f]")


def reader_in(name: str) -> str:
    """The reader that the name of a cascade names; empty: none.

    >>> reader_in("cascade/whisper-base?hears=words&reader=openai/gpt-6.1-terra")
    'openai/gpt-6.1-terra'

    Raises:
        UsageError: it is named twice, or by nothing.
    """
    bare, options = split_options(name)
    reader = options.get(READER)
    if reader == "":
        raise UsageError(
            f"model '{shown(bare)}': {READER}= names nobody; write {READER}=provider/name, or leave it out"
        )
    return reader or ""


def with_reader(name: str, reader: str) -> str:
    """The name of a cascade with its reader in it, as ``--reader`` writes it.

    >>> with_reader("cascade/pocketsphinx", "hf/Qwen/Qwen3-8B?dtype=auto")
    'cascade/pocketsphinx?reader=hf/Qwen/Qwen3-8B%3Fdtype=auto'

    Raises:
        UsageError: the name has another one already.
    """
    there = reader_in(name)
    if there and reader and there != reader:
        raise UsageError(f"--reader {shown(reader)}, but the model's name says {READER}={shown(there)}; leave out one")
    if there or not reader:
        return name
    return f"{name}{'&' if '?' in name else '?'}{READER}={quoted(reader)}"


def quoted(reader: str) -> str:
    """A model's name as the value of an option: what would end it, or be read as something else, in percent signs."""
    return _NOT_PLAIN.sub(lambda found: f"%{ord(found[0]):02X}", reader)
