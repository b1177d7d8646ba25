"""Prompts as a processor takes them, and how much of a clip it lets through: measured, not believed."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from audiometry import seeds
from audiometry.audio import clip as clips
from audiometry.errors import ModelError, RateMismatchError, TooLongAudioError, UsageError, shown
from audiometry.models.system_turn import without_system
from audiometry.models.transformers.opened import Opened, ear, takes
from audiometry.records import Audio, Part, Prompt, Text

if TYPE_CHECKING:
    import numpy.typing as npt

Message = dict[str, Any]

_NOMINAL_S: Final = 30.0  # seconds; tried where a processor names no length of its own
_SHORT_S: Final = 1.0
_FINEST_S: Final = 0.1
_TELLTALE_S: Final = 0.05  # the end of a clip by which it is seen whether the end arrives
_WORDS: Final = "What is heard?"


def messages(prompt: Prompt, rate: int, longest_s: float | None, *, system_role: bool = True) -> list[Message]:
    """A prompt as transformers' chat templates take it: turns of parts in their order, clips as samples.

    Args:
        prompt: whose clips may be in any format that can be read, of any number of channels, which are averaged.
        rate: that the processor takes, Hz; 0: words are all it takes, as plain strings.
        longest_s: what reaches the model of a clip, seconds; None: any length.
        system_role: whether the model takes a system turn; else its words go before the user's.

    Raises:
        ModelError: there is a clip and the model takes words alone.
        UnreadableAudioError: a clip is damaged.
        RateMismatchError: a clip has another rate than the processor takes.
        TooLongAudioError: the processor would cut a clip.
    """
    turns = prompt.turns if system_role else without_system(prompt.turns)
    if not rate:
        return [{"role": turn.role, "content": _words(turn.parts)} for turn in turns]
    return [{"role": turn.role, "content": [_part(part, rate, longest_s) for part in turn.parts]} for turn in turns]


def has_clip(messages: Sequence[Message]) -> bool:
    """Whether a prompt has one."""
    return any(part["type"] == "audio" for message in messages for part in message["content"])


def _words(parts: Sequence[Part]) -> str:
    if not all(isinstance(part, Text) for part in parts):
        raise ModelError(
            "no-audio",
            "the model takes words alone and the prompt has a clip; ask a model that hears, or let this one read for "
            "a cascade (--model cascade/… --reader hf/…)",
            fatal=True,
        )
    return "\n".join(part.text for part in parts if isinstance(part, Text))


def _part(part: Part, rate: int, longest_s: float | None) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return _clip(_samples(part, rate, longest_s), part.data)


def _clip(samples: npt.NDArray[np.float32], data: bytes = b"") -> dict[str, Any]:
    # processors on Mistral's tokenizer take a file in base64, all others samples; each leaves the other key alone
    return {"type": "audio", "audio": samples, "base64": base64.b64encode(data).decode()}


def _samples(audio: Audio, rate: int, longest_s: float | None) -> npt.NDArray[np.float32]:
    heard = clips.read(audio.data)
    if heard.rate != rate:
        raise RateMismatchError(
            f"the clip has {heard.rate} Hz, the model takes {rate} Hz; correct the model card's rate"
        )
    if longest_s is not None and heard.duration_s > longest_s:
        raise TooLongAudioError(
            f"the clip lasts {heard.duration_s:.2f} s, the model takes at most {longest_s:.2f} s; nothing is "
            "cut silently: shorten the clip or choose another model"
        )
    return heard.mono()


def inputs(processor: Any, conversations: Sequence[list[Message]]) -> Any:
    """The tensors for several prompts, shorter ones padded on the left."""
    more: dict[str, Any] = {}
    if takes(processor.apply_chat_template, "sanitize_control_tokens"):
        more["sanitize_control_tokens"] = True  # words of an item that look like a control token stay words
    if hasattr(processor, "tokenizer"):  # only the words are padded here: how clips are is the model's affair
        more["processor_kwargs"] = {"text_kwargs": {"padding": True}}
    else:
        more["padding"] = True
    made = processor.apply_chat_template(
        list(conversations),
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
        add_generation_prompt=True,
        **more,
    )
    if made["input_ids"].shape[0] != len(conversations):
        raise ModelError("processor", f"{len(conversations)} prompts became {made['input_ids'].shape[0]} rows")
    return made


def longest_s(opened: Opened) -> float | None:
    """The longest clip whose end reaches the model, seconds; None if a clip of twice the stated length arrives whole.

    None too where words are all that it takes.

    A feature extractor's ``chunk_length`` is where one processor cuts and another begins a new window, so two
    clips that differ only in their last 50 ms are put through the processor: what comes out is the same if the end
    was cut. A length that the processor names as its limit (``max_audio_len``) is taken as said.

    Raises:
        UsageError: not even a short clip reaches the model's inputs.
    """
    if not opened.rate:
        return None
    _see_that_clips_arrive(opened)
    limit = getattr(opened.processor, "max_audio_len", None)
    if isinstance(limit, (int, float)) and limit > 0:
        return float(limit)
    stated = _stated_s(opened)
    nominal = stated or _NOMINAL_S
    if _arrives(opened, 2 * nominal):
        return None
    if stated and _arrives(opened, stated):
        return stated
    low, high = _SHORT_S, 2 * nominal
    while high - low > _FINEST_S:
        middle = (low + high) / 2
        low, high = (middle, high) if _arrives(opened, middle) else (low, middle)
    whole = low - _TELLTALE_S  # of the last clip that arrived, the telltale may have arrived in part
    return round(math.floor(whole / _FINEST_S) * _FINEST_S, 1)


def _see_that_clips_arrive(opened: Opened) -> None:
    from jinja2 import TemplateError

    left_out = (
        f"model '{opened.wanted.name}': its processor or chat template leaves the audio out of the prompt; "
        "it needs an entry for content of type audio"
    )
    try:
        if _arrives(opened, _SHORT_S):
            return
    except (ValueError, TypeError, LookupError, AttributeError, ImportError, RuntimeError, TemplateError) as problem:
        raise UsageError(f"{left_out} ({shown(str(problem), 200)})") from problem
    raise UsageError(left_out)


def _stated_s(opened: Opened) -> float | None:
    listens = ear(opened.processor)
    samples, seconds = getattr(listens, "n_samples", None), getattr(listens, "chunk_length", None)
    if isinstance(samples, int) and samples > 0:
        return samples / opened.rate
    return float(seconds) if isinstance(seconds, (int, float)) and seconds > 0 else None


def _arrives(opened: Opened, seconds: float) -> bool:
    """Whether the end of a clip so long changes what the model is given.

    The two ends are one noise and its reverse: level, mean and peak of the clips are the same, so a processor that
    normalises before it cuts does not look as if it let the end through.
    """
    frames, tail = round(seconds * opened.rate), round(_TELLTALE_S * opened.rate)
    noise = seeds.generator(0, "ends of clips").normal(0, 0.05, frames).astype(np.float32)
    noise[: tail // 2] *= 4
    other = noise.copy()
    other[-tail:] = noise[-tail:][::-1]
    return _differ(_heard(opened, noise), _heard(opened, other))


def _heard(opened: Opened, samples: npt.NDArray[np.float32]) -> dict[str, Any]:
    content = [_clip(samples, _wav(samples, opened.rate)), {"type": "text", "text": _WORDS}]
    return dict(inputs(opened.processor, [[{"role": "user", "content": content}]]))


def _wav(samples: npt.NDArray[np.float32], rate: int) -> bytes:
    from audiometry.audio.encode import encoder, to_pcm16

    sink = encoder("wav", rate, 1)
    sink.write(to_pcm16(samples[:, None]))
    return sink.finish()


def _differ(a: dict[str, Any], b: dict[str, Any]) -> bool:
    pairs = [(np.asarray(a[key]), np.asarray(b[key])) for key in a]
    return any(x.shape != y.shape or not np.allclose(x, y, atol=1e-3) for x, y in pairs)
