"""The fields of a chat-completions request beside its messages: which are sent, and which a server refuses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from itertools import islice
from typing import Any, Final, NamedTuple

from audiometry.errors import UsageError, shown
from audiometry.files import lenient
from audiometry.models import cards
from audiometry.models.settings import ModelSettings
from audiometry.records import ModelCard
from audiometry.records.model_card import DECODING, STATED

LOOKED_AT: Final = 1 << 14  # bytes of a response that is no reply
_DEEPEST, _MOST = 4, 100  # errors inside errors that are looked into, and errors at all
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


_REFUSES: Final = (
    r"(?:unsupported|not supported|(?:does|do) not support|(?:does|do)n't support|unrecogni[sz]ed|unknown|unexpected"
    r"|not permitted|not allowed|extra_forbidden|unsupported_(?:parameter|value)|unknown_parameter|cannot find field"
    r"|no longer|deprecated)"
)
_SAYS_SO: Final = re.compile(_REFUSES, re.IGNORECASE)
_FIELD: Final = r"(?:parameter|argument|field|name|key|option|property|value)s?"
_CODES: Final = ("type", "code", "msg", "message")


class Refused(NamedTuple):
    """A field that a server does not take.

    Attributes:
        name: of the field; empty: none.
        placed: the server names it apart from its words, where nothing of an item can stand.
    """

    name: str = ""
    placed: bool = False


def refused_field(status: int, raw: bytes, sent: Iterable[str]) -> Refused:
    """The field of a request that a server does not take, whatever the item; no name if that is not what it says.

    A server that repeats the request in its words, or speaks of a clip's codec, refuses no field: the refusing word
    must stand right beside the name.

    Args:
        status: of the response.
        raw: its body. OpenAI names the field in ``param``, Mistral in ``loc``; Gemini and vLLM in the message.
        sent: the fields that were sent.
    """
    if status not in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}:
        return Refused()
    try:
        errors = list(islice(_errors(lenient.read(raw)), _MOST))
    except ValueError:
        errors = [{"message": raw[:LOOKED_AT].decode(errors="replace")}]
    names = list(sent)
    for error in errors:
        told = " ".join(str(value)[:LOOKED_AT] for key in _CODES if isinstance(value := error.get(key), str))
        if (name := _place(error)) in names and _SAYS_SO.search(told):
            return Refused(name, placed=True)
    for error in errors:
        words = error.get("message")
        if isinstance(words, str) and (found := _named(words[:LOOKED_AT].replace("\\", ""), names)):
            return Refused(found)
    return Refused()


def _errors(value: Any, deeper: int = _DEEPEST) -> Iterator[dict[str, Any]]:
    """The errors in a body, the outer ones first; what a server repeats of the request is none."""
    if isinstance(value, str):
        yield {"message": value}
    if isinstance(value, dict):
        yield value
        value = [value.get(key) for key in ("error", "message", "detail")]
    for one in value if deeper and isinstance(value, list) else ():
        yield from _errors(one, deeper - 1)


def _place(error: dict[str, Any]) -> str:
    """Where an error says that it is: the name of a request's field, as far as it is one."""
    param, loc = error.get("param"), error.get("loc")
    if isinstance(loc, list):
        param = next((one for one in loc if one != "body"), None)
    return param if isinstance(param, str) else ""


def _named(words: str, names: Iterable[str]) -> str:
    """The first of those names that stands beside a word that refuses it."""
    places = {}
    for name in names:
        field, quoted = re.escape(name), rf"['\"`]{re.escape(name)}['\"`]"
        beside = (
            rf"{_REFUSES}[^.:;'\"`]{{0,30}}\b{_FIELD}\b[^.:;'\"`]{{0,40}}:?\s*{quoted}"  # Unknown parameter: 'top_k'
            rf"|{_REFUSES}[^.:;'\"`]{{0,30}}\b{_FIELD}\b[^.:;'\"`]{{0,40}}: {field}(?=\s*(?:[.,;]|$))"
            rf"|\b{_FIELD}\s[^.:;'\"`]{{0,15}}{_REFUSES}[^.:;'\"`]{{0,40}}: ['\"`]?{field}['\"`]?(?=\s*(?:[.,;]|$))"
            rf"|{_REFUSES}(?: (?:the|use of|setting|{_FIELD}))*:? {quoted}"  # does not support the parameter 'top_k'
            rf"|(?:{quoted}|^{field})(?: {_FIELD})?:?(?: \w+){{0,3}}? {_REFUSES}"  # 'top_k' is not supported
            rf"|'type': 'extra_forbidden', 'loc': \('body', '{field}'"
        )
        if found := re.search(beside, words, re.IGNORECASE):
            places[name] = found.end()
    return min(places, key=lambda name: places[name], default="")


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
