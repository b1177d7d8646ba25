"""When something goes wrong, and what: rules such as ``503:0.2``, ``drop:every-7``, ``500:first-2``.

A rule is ``KIND`` or ``KIND:WHEN``. WHEN is

- a share between 0 and 1: that share of requests, drawn anew at each attempt of an item;
- ``items-0.2``: that share of items, at every attempt;
- ``first-2``: the first two attempts of every item;
- ``every-7``: requests 7, 14, 21, … in order of arrival;
- ``at-3``: the third request only; ``until-9``: requests 1 to 9; ``after-9``: all from the tenth on;
- ``always``, the same as leaving it out.

Draws depend on the seed, the rule, the item and its attempt, so the same items meet the same faults in any order.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

STATUSES = {
    "400": (400, "invalid_request_error", "The request is not valid."),
    "401": (401, "invalid_api_key", "Incorrect API key provided."),
    "401-echo": (401, "invalid_api_key", "Incorrect API key provided: {key}."),
    "403": (403, "permission_denied", "You may not use this model."),
    "404-model": (404, "model_not_found", "The model `{model}` does not exist."),
    "408": (408, "request_timeout", "The request took too long."),
    "413": (413, "request_too_large", "The request is larger than the server takes."),
    "422": (422, "unprocessable", "The audio could not be processed."),
    "429": (429, "rate_limit_exceeded", "Rate limit reached."),
    "429-date": (429, "rate_limit_exceeded", "Rate limit reached."),
    "429-bare": (429, "rate_limit_exceeded", "Rate limit reached."),
    "429-quota": (429, "insufficient_quota", "You exceeded your current quota."),
    "500": (500, "server_error", "The server had an error."),
    "502": (502, "bad_gateway", "Bad gateway."),
    "503": (503, "overloaded", "The server is overloaded."),
    "503-retry": (503, "overloaded", "The server is overloaded."),
    "504": (504, "gateway_timeout", "Gateway timeout."),
}
"""Answered with a JSON error; `429` and `503-retry` carry Retry-After in seconds, `429-date` as an HTTP date."""

BODIES: dict[str, tuple[bytes, str]] = {
    "html": (b"<!DOCTYPE html><html><body><h1>Welcome to nginx!</h1></body></html>", "application/json"),
    "half-json": (
        b'{"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"index": 0, "mess',
        "application/json",
    ),
    "empty": (b"", "application/json"),
    "no-choices": (b'{"id": "chatcmpl-1", "object": "chat.completion", "choices": []}', "application/json"),
    "null-choices": (b'{"id": "chatcmpl-1", "object": "chat.completion", "choices": null}', "application/json"),
    "not-object": (b'["A"]', "application/json"),
    "bad-utf8": (
        b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "\xff\xfe"}}]}',
        "application/json",
    ),
    "error-200": (b'{"error": {"message": "The engine is dead.", "type": "server_error"}}', "application/json"),
}
"""Answered with status 200 and this body."""

MESSAGES: dict[str, dict[str, Any]] = {
    "null-content": {"content": None},
    "empty-content": {"content": ""},
    "parts": {"as_parts": True},
    "refusal": {"content": None, "refusal": "I'm sorry, but I can't help with that."},
    "content-filter": {"content": "", "finish_reason": "content_filter"},
    "length": {"finish_reason": "length"},
    "reasoning": {"reasoning_content": "The pitch is high, so perhaps B. No: the speaker is a man."},
    "spoken": {"spoken": True},
    "spoken-too": {"spoken": True, "written": True},
    "huge": {"megabytes": 10},
}
"""A well-formed reply whose message is changed so; spoken: its words stand in its audio, instead or as well."""

SIDES: dict[str, dict[str, Any]] = {
    "odd-usage": {"usage": {"prompt_tokens": 12.5, "completion_tokens": -1, "total_tokens": "many"}},
    "odd-usage-list": {"usage": [1, 2]},
    "odd-fields": {"id": 7, "object": None, "created": "now", "model": [], "error": "", "warnings": {"a": [1e300]}},
    "odd-choice": {"choice": {"index": "0", "finish_reason": 0, "logprobs": "none", "error": False}},
    "odd-reason": {"choice": {"finish_reason": "it had said all there\nis to say"}},
    "odd-message": {"message": {"role": 5, "refusal": False, "tool_calls": "none", "annotations": 0}},
    "surrogate": {"tail": " \ud800"},
    "raw-bytes": {"tail": " \udcff"},
}
"""A well-formed reply but for fields beside the text: in the document, in its choice, in its message; or a text with a
tail that is half a character, as an escape or as a byte."""

CONNECTION = {
    "slow": None,
    "slow-drip": 200,
    "drop": None,
    "drop-middle": 200,
    "redirect": 302,
    "redirect-307": 307,
    "text-plain": 200,
    "gzip": 200,
    "gzip-bomb": 200,
    "deflate-bomb": 200,
}
"""The way it comes: never, a byte at a time, cut off, from elsewhere, under a false content type, compressed though
that was not asked for, compressed to a thousandth; with its status."""

STREAM = dict.fromkeys(
    (
        "stream-break",  # cut off in the middle
        "stream-error",  # an error event in the middle
        "stream-no-done",  # no [DONE] at the end
        "stream-open",  # no [DONE], and the connection stays open
        "stream-done-open",  # open after [DONE]
        "stream-late-usage",  # the counts 0.1 s after the reason, then open
        "stream-error-after",  # an error event after the reason
        "stream-odd",  # odd events in between
        "stream-no-reason",  # no reason and no [DONE], but a proper end
        "stream-nothing",  # nothing but odd events, then [DONE]
        "stream-not",  # not streamed but whole
    ),
    200,
)
"""Only for streamed replies."""

KINDS = (*STATUSES, *BODIES, *MESSAGES, *SIDES, *CONNECTION, *STREAM)


@dataclass(frozen=True)
class Moment:
    """Which request this is."""

    sequence: int
    item: str
    attempt: int
    stream: bool


COUNTED: dict[str, Callable[[Moment, int], bool]] = {
    "every": lambda moment, n: moment.sequence % n == 0,
    "at": lambda moment, n: moment.sequence == n,
    "until": lambda moment, n: moment.sequence <= n,
    "after": lambda moment, n: moment.sequence > n,
    "first": lambda moment, n: moment.attempt <= n,
}


@dataclass(frozen=True)
class FaultRule:
    kind: str
    when: str = "always"

    def applies(self, seed: int, moment: Moment) -> bool:
        if self.kind in STREAM and not moment.stream:
            return False
        word, _, number = self.when.partition("-")
        if word in COUNTED:
            return COUNTED[word](moment, int(number))
        if word == "items":
            return draw(seed, self.kind, moment.item) < float(number)
        return self.when == "always" or draw(seed, self.kind, moment.item, str(moment.attempt)) < float(self.when)


def draw(seed: int, *names: str) -> float:
    """A number in [0, 1) that depends on the seed and the names alone."""
    digest = hashlib.sha256("\x00".join((str(seed), *names)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def read_rule(text: str) -> FaultRule:
    """The rule a person wrote as ``KIND[:WHEN]``; `ValueError` says what is wrong with it."""
    kind, _, when = text.partition(":")
    if kind not in KINDS:
        raise ValueError(f"no fault {kind!r}; there are {', '.join(KINDS)}")
    when = when or "always"
    word, _, number = when.partition("-")
    if word in COUNTED:
        if not number.isdecimal() or (word == "every" and number == "0"):
            raise ValueError(f"{when!r} needs a whole number")
    elif when != "always" and not 0 <= float(number if word == "items" else when) <= 1:
        raise ValueError(f"{when!r} is not a share between 0 and 1")
    return FaultRule(kind, when)


def first_fault(rules: list[FaultRule], seed: int, moment: Moment) -> str | None:
    """The kind of the first rule that applies, if any does."""
    return next((rule.kind for rule in rules if rule.applies(seed, moment)), None)


def status_of(kind: str | None) -> int | None:
    """The status a client gets to see; None where it sees none."""
    if kind in STATUSES:
        return STATUSES[kind][0]
    if kind in CONNECTION:
        return CONNECTION[kind]
    return 200
