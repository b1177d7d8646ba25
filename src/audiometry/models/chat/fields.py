"""The fields of a chat-completions request beside its messages: which are sent, and which a server refuses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

from audiometry.errors import UsageError, shown
from audiometry.models import cards
from audiometry.models.settings import ModelSettings
from audiometry.records import ModelCard
from audiometry.records.model_card import DECODING, STATED

LOOKED_AT: Final = 1 << 14  # bytes of a response that is no reply
LIMITS: Final = DECODING - {"temperature"}


def request_fields(card: ModelCard, settings: ModelSettings) -> dict[str, Any]:
    """All that is sent with every request beside its messages, by key.

    The card's own come first, then the user's, who may replace them; a temperature or limit only where the card's
    model takes one.

    Args:
        card: of the model.
        settings: how it is to be asked.

    Raises:
        UsageError: the user's fields hold what a request states already, or what the model does not take.
    """
    stated = set(STATED)
    decoding: dict[str, Any] = {}
    if settings.temperature is not None:
        stated.add("temperature")
        if card.takes_temperature(settings.extra):
            decoding["temperature"] = settings.temperature
    if settings.max_tokens is not None:
        stated |= LIMITS | {card.max_tokens_key}
        if card.max_tokens_key:
            decoding[card.max_tokens_key] = settings.max_tokens
    if taken := sorted(stated.intersection(settings.extra)):
        raise UsageError(f"--extra holds '{shown(taken[0])}', which each request states by itself; leave it out there")
    if "temperature" in settings.extra and not card.takes_temperature(settings.extra):
        raise UsageError(
            f"--extra holds 'temperature', but the model takes none, as its card says; leave it out{cards.unless(card)}"
        )
    if untaken := [field for field in settings.extra if field in card.untaken]:
        asked = f"recipe {shown(settings.recipe)}" if settings.recipe else "--extra"
        raise UsageError(
            f"{asked} holds '{shown(untaken[0])}', which the model refuses or ignores, as its card says; leave it out"
        )
    if not card.max_tokens_key and (limits := sorted(LIMITS.intersection(settings.extra))):
        raise UsageError(
            f"--extra holds '{limits[0]}', but the model takes no limit on its replies, as its card says; leave it out"
        )
    return {**card.fields, **settings.extra, **decoding}


_REFUSES: Final = re.compile(
    r"unsupported|not supported|does(?: not|n't) support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed"
    r"|extra_forbidden|cannot find field|no longer|deprecated",
    re.IGNORECASE,
)


def refused_field(status: int, raw: bytes, sent: Iterable[str]) -> str:
    """The field of a request that a server does not take, whatever the item; empty if that is not what it says.

    Args:
        status: of the response.
        raw: its body. OpenAI names the field in ``param``; Gemini, vLLM and Mistral in the words of the message.
        sent: the fields that were sent.
    """
    if status not in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}:
        return ""
    said = raw[:LOOKED_AT].decode(errors="replace").replace("\\", "")
    if not _REFUSES.search(said):
        return ""
    places = {name: found.start() for name in sent if (found := re.search(rf"['\"`]{re.escape(name)}['\"`]", said))}
    after = {name: found.start() for name in sent if (found := re.search(rf": {re.escape(name)}\b", said))}
    return min(places or after, key=lambda name: (places or after)[name], default="")


def remedy(field: str, card: ModelCard, settings: ModelSettings) -> str:
    """What to do where a server refuses a field."""
    if settings.recipe and (field in settings.extra or field in {"temperature", card.max_tokens_key}):
        return f"recipe {shown(settings.recipe)} asks for it: give a copy of that without it, or leave --recipe out"
    if field in settings.extra:
        return "take it out of the file given with --extra"
    if field in card.fields:
        return "give a card (--card) without it in [card.fields]"
    if field == "temperature":
        return f"{'' if settings.judging else 'leave --temperature out, or '}say temperature = false in a card (--card)"
    if field in {"stream", "stream_options"}:
        return "leave --stream out" if settings.stream else "give a card (--card) without stream = true"
    leave = "" if settings.judging else "leave --max-tokens out, or "
    return f"{leave}name the limit that it takes by max_tokens_key in a card (--card)"
