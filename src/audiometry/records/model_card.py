"""What a model takes, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

import msgspec

from audiometry.errors import shown, suggestion

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
MOST: Final = 1e9  # of any measure; inf is none, and JSON has no word for it
More: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=MOST)]
NoLess: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=MOST)]
if TYPE_CHECKING:
    CountOrAny: TypeAlias = Count | None
else:  # TOML has no word for None: in a file it is "any"
    CountOrAny = Count | Literal["any"] | None

STATED: Final = frozenset({"model", "messages", "stream", "stream_options", "n"})
"""Request fields that a run states by itself: nobody else may. Of several replies (``n``) one would be read."""

DECODING: Final = frozenset({"temperature", "max_tokens", "max_completion_tokens"})
"""Request fields that have options of their own."""


class ModelCard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A model card (``models/cards/*.toml``, or a user's file).

    The defaults are the conservative ones for a name that has no card: 16 kHz mono WAV.

    Attributes:
        name: ``provider/name`` or a pattern (``openai/*``).
        rate: samples a second it wants, Hz; None (``"any"`` in a file): any, sent as it is.
        channels: the most it takes; None (``"any"`` in a file): any.
        formats: encodings it takes, the preferred one first; empty: any file as it is.
        longest_s: the longest clip it takes, seconds; None: not known.
        cut: whether a longer one is cut there, which its changes then say; else it is refused.
        shortest_s: the shortest clip it takes, seconds; None: not known.
        padded: whether a shorter one is followed by as much silence, which its changes then say; else it is refused.
        largest_mb: the largest request with clips in it that it takes, megabytes (10^6 bytes); None: not known.
        parts: how clips travel in a chat-completions request.
        data_prefix: put before the base64 of an ``input_audio`` part (``data:;base64,``).
        part_order: whether the clip or the words come first unless the user says otherwise.
        fixed_order: whether it takes prompts in that order alone.
        system_role: whether it accepts a system turn.
        needs_audio: whether it refuses prompts without a clip.
        concurrency: how many requests it serves well at a time, unless the user says otherwise.
        served_as: its name in requests; empty: what follows ``provider/``.
        stream: whether it answers only piece by piece, so that this is always asked for.
        temperature: whether requests may state one.
        temperature_if: request fields with which they may although ``temperature`` says no.
        untaken: further request fields that it refuses, or takes and ignores, so that nobody may state them.
        max_tokens_key: the name of the length limit in its requests; empty: it takes none.
        fields: request fields that are always sent, a part of its parameters.
        ends: ISO date of the last day on which it is served; empty: not known.
        successor: the model to ask instead after that.
        price_in, price_out: US dollars a million tokens, in and out; None: not known.
        note: a line for people.
        sources: for a field, where its value is stated.
    """

    name: str = ""
    rate: CountOrAny = 16_000
    channels: CountOrAny = 1
    formats: tuple[str, ...] = ("wav",)
    longest_s: More | None = None
    cut: bool = False
    shortest_s: More | None = None
    padded: bool = False
    largest_mb: More | None = None
    parts: Literal["input_audio", "audio_url"] = "input_audio"
    data_prefix: str = ""
    part_order: Literal["audio-first", "text-first"] = "audio-first"
    fixed_order: bool = False
    system_role: bool = True
    needs_audio: bool = False
    concurrency: Count = 8
    served_as: str = ""
    stream: bool = False
    temperature: bool = True
    temperature_if: Mapping[str, Any] = {}
    untaken: tuple[str, ...] = ()
    max_tokens_key: str = "max_tokens"
    fields: Mapping[str, Any] = {}
    ends: str = ""
    successor: str = ""
    price_in: NoLess | None = None
    price_out: NoLess | None = None
    note: str = ""
    sources: Mapping[str, str] = {}

    def takes_temperature(self, extra: Mapping[str, Any]) -> bool:
        """Whether requests with these further fields may state a temperature."""
        sent = {**self.fields, **extra}
        met = [key in sent and sent[key] == value for key, value in self.temperature_if.items()]
        return self.temperature or (bool(met) and all(met))

    def __post_init__(self) -> None:
        for one in ("rate", "channels"):
            if getattr(self, one) == "any":
                msgspec.structs.force_setattr(self, one, None)
        if own := sorted((STATED | DECODING).intersection(self.fields)):
            raise ValueError(f"'fields' may not hold '{own[0]}': a run states it")
        if self.max_tokens_key in STATED | {"temperature"} or self.max_tokens_key in self.fields:
            raise ValueError(f"'max_tokens_key' may not be '{shown(self.max_tokens_key)}': requests state that already")
        for one in self.sources:
            if one not in self.__struct_fields__:
                raise ValueError(f"'sources' names '{shown(one)}'; {suggestion(one, self.__struct_fields__)}")
        if self.ends:
            try:
                date.fromisoformat(self.ends)
            except ValueError:
                raise ValueError(f"'ends' is '{shown(self.ends)}'; a date such as 2027-01-31 is needed") from None
