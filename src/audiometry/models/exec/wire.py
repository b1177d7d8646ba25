"""What is said over the pipe: one JSON document a line, both ways.

The program speaks first (`Hello`). Then each prompt is a line with an id of its own, and the program
answers it with a line of the same id (`Said`), in any order. The items' ids, gold answers and metadata
never cross the pipe.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from audiometry.errors import ModelError, UndecodableError, UsageError, shown
from audiometry.files import foreign, lenient, secrets
from audiometry.programs.lines import Line
from audiometry.records import Audio, Prompt, Reply, Text, sensible
from audiometry.records.model_card import More

PROTOCOL: Final = 1
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=200)]
_ID = re.compile(rb'"id"\s*:\s*"([^"\\]{1,40})"')
_ID_WITHIN = 4096  # bytes from the start of a line that cannot be read
_LONGEST_KIND = 40


class Hello(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The program's first line: what it is and what it takes; what it leaves out is the cautious default.

    Attributes:
        audiometry: version of this protocol.
        name, version: of the model; a change makes cached replies void.
        batch: how many prompts it is sent at a time, the others wait for its replies.
        rate: samples a second it wants, Hz; None: any.
        channels: the most it takes; None: any.
        formats: encodings it takes, the preferred one first; empty: any file as it is.
        longest_s: the longest clip it takes, seconds; None: not known.
        part_order: whether clip or words come first unless the user says otherwise.
        fixed_order: whether it takes prompts in that order alone.
        needs_audio: whether it refuses prompts without a clip.
        clips: as paths of files, or as base64 in the line itself.
        decoding: which of the user's settings it obeys.
    """

    audiometry: int
    name: Name = ""
    version: Name = ""
    batch: Count = 1
    rate: Count | None = 16_000
    channels: Count | None = 1
    formats: tuple[str, ...] = ("wav",)
    longest_s: More | None = None
    part_order: Literal["audio-first", "text-first"] = "audio-first"
    fixed_order: bool = False
    needs_audio: bool = False
    clips: Literal["path", "base64"] = "path"
    decoding: tuple[Literal["temperature", "max_tokens"], ...] = ()


class Trouble(msgspec.Struct, frozen=True):
    """Why the program has no reply."""

    kind: str = "program"
    message: str = ""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the program that answers a prompt.

    Attributes:
        id: of the prompt.
        text: the reply, as the model gave it.
        finish_reason, tokens_in, tokens_out, notes: see `Reply`.
        error: why there is no reply.
        retry: whether the same prompt may succeed later.
    """

    id: str
    text: str | None = None
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    notes: str = ""
    error: Trouble | None = None
    retry: bool = False


_encode = msgspec.json.Encoder().encode


def read_hello(line: Line, program: str) -> Hello | None:
    """What a first line says of the program; None if it is no hello but something printed on the side.

    Raises:
        UsageError: it is a hello, but a wrong one.
    """
    said = _object(line)
    version = said.get("audiometry")
    if version is None:
        return None
    if type(version) is not int:
        raise UsageError(
            f"{program}: its first line (the hello) is wrong: 'audiometry' is {shown(repr(version))}; a whole number "
            f"is needed, such as {PROTOCOL}"
        )
    if version != PROTOCOL:
        raise UsageError(
            f"{program} speaks version {shown(str(version))} of the protocol; this audiometry speaks {PROTOCOL}: "
            "copy audiometry_pipe.py to it anew, or use the audiometry that it was made for"
        )
    try:
        return foreign.json(foreign.written(said), Hello)
    except UndecodableError as problem:
        raise UsageError(f"{program}: its first line (the hello) is wrong: {problem}") from None


def read_said(line: Line) -> Said | None:
    """What a line answers; one that names a prompt but cannot be used becomes an error for that prompt.

    Of a reply only its text must be there; all else is used if it makes sense.

    Returns:
        None if it names no prompt: something printed on the side.
    """
    said = _object(line) if line.whole else {}
    number, text, error = said.get("id"), said.get("text"), said.get("error")
    if isinstance(number, str):
        if error or (error == {} and text is None):
            return Said(id=number, error=_trouble(error), retry=said.get("retry") is True)
        if isinstance(text, str):
            return Said(
                id=number,
                text=sensible.text(text),
                finish_reason=sensible.word(said.get("finish_reason")),
                tokens_in=sensible.count(said.get("tokens_in")),
                tokens_out=sensible.count(said.get("tokens_out")),
                notes=sensible.text(notes) if isinstance(notes := said.get("notes"), str) else "",
            )
    return _unusable(line, said)


def _object(line: Line) -> dict[str, Any]:
    try:
        found = lenient.read(line.data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _trouble(error: Any) -> Trouble:
    said = error if isinstance(error, dict) else {"message": error}
    return Trouble(**{key: str(value) for key, value in said.items() if key in {"kind", "message"}})


def _unusable(line: Line, said: dict[str, Any]) -> Said | None:
    if not line.whole:
        why = f"it has {line.size:,} bytes, of which at most {len(line.data):,} are read"
    elif not said:
        why = "it is not a JSON object"
    else:
        why = "it has neither text nor error" if said.get("text") is None else "its text is not a string"
    named = _ID.search(line.data[:_ID_WITHIN])
    if named is None:
        return None
    message = f"the program's line for this prompt cannot be used: {why}"
    return Said(id=named[1].decode(errors="replace"), error=Trouble("bad-reply", message))


def reply(said: Said, program: str, aside: str) -> Reply | ModelError:
    """A reply or its absence, as the rest of the house knows them.

    Args:
        said: by the program.
        program: how messages call it.
        aside: what it printed on the side meanwhile; kept with the notes.
    """
    if said.error is not None or said.text is None:
        trouble = said.error or Trouble()
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", trouble.kind)  # a class of errors is called so
        kind = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
        message = secrets.shown(trouble.message, 400) or "no reason given"
        return ModelError(
            kind if 0 < len(kind) <= _LONGEST_KIND else "program", f"{program}: {message}", retry=said.retry
        )
    return Reply(
        text=said.text,
        finish_reason=said.finish_reason,
        tokens_in=said.tokens_in,
        tokens_out=said.tokens_out,
        notes="\n".join(filter(None, [said.notes, aside])),
    )


def request(number: str, prompt: Prompt, paths: Mapping[int, Path] | None, decoding: Mapping[str, Any]) -> bytes:
    """The line for a prompt.

    Args:
        number: its id on the pipe.
        prompt: only its turns are sent.
        paths: where each clip lies, by its place among the prompt's clips; None: send base64.
        decoding: the user's settings, sent if there are any.
    """
    turns, place = [], 0
    for turn in prompt.turns:
        parts: list[dict[str, Any]] = []
        for part in turn.parts:
            if isinstance(part, Text):
                parts.append({"text": part.text})
            else:
                parts.append({"audio": _clip(part, None if paths is None else paths[place])})
                place += 1
        turns.append({"role": turn.role, "parts": parts})
    line: dict[str, Any] = {"id": number, "turns": turns}
    if decoding:
        line["decoding"] = decoding
    return _encode(line) + b"\n"


def _clip(clip: Audio, path: Path | None) -> dict[str, Any]:
    where = {"path": str(path)} if path is not None else {"base64": clip.data}
    return {
        **where,
        "format": clip.format,
        "rate": clip.rate,
        "channels": clip.channels,
        "duration_s": clip.duration_s,
    }
