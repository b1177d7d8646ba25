"""How a local model's replies are decoded: its own settings, those that a run states, and further ones by name."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from audiometry.errors import UndecodableError, UnknownNameError, UsageError, shown
from audiometry.files import foreign
from audiometry.models.settings import ModelSettings
from audiometry.models.transformers.wanted import Wanted

NEW_TOKENS: Final = 1024
"""Longest reply of a model whose own settings name no limit, in tokens."""

Share: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=1)]
Cutoff: TypeAlias = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Words: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]

_OPTIONS: Final = {
    "temperature": "--temperature",
    **dict.fromkeys(("max_tokens", "max_new_tokens", "max_completion_tokens"), "--max-tokens"),
}
_DRAWING: Final[Mapping[str, object]] = {"top_k": 0, "top_p": 1.0, "top_h": 1.0, "min_p": 0.0, "typical_p": 1.0} | {
    "epsilon_cutoff": 0.0,
    "eta_cutoff": 0.0,
}
_BEAMS: Final[Mapping[str, object]] = {"early_stopping": False, "length_penalty": 1.0}
"""Settings that do something only where replies are drawn, or where there are beams, with the value that does none."""


class Further(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What ``--extra`` may set of transformers' generation settings, by their names there.

    Left out is what would make a reply depend on its neighbours in a batch (``min_length`` counts their padding) or on
    the clock, and what shapes no reply.
    """

    do_sample: bool | None = None
    top_k: Count | None = None
    top_p: Share | None = None
    top_h: Share | None = None
    min_p: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    typical_p: Share | None = None
    epsilon_cutoff: Cutoff | None = None
    eta_cutoff: Cutoff | None = None
    num_beams: Annotated[int, msgspec.Meta(ge=1, le=64)] | None = None
    early_stopping: bool | Literal["never"] | None = None
    length_penalty: float | None = None
    repetition_penalty: Annotated[float, msgspec.Meta(gt=0)] | None = None
    no_repeat_ngram_size: Count | None = None
    min_new_tokens: Count | None = None
    stop_strings: tuple[Words, ...] | None = None
    suppress_tokens: tuple[Count, ...] | None = None
    begin_suppress_tokens: tuple[Count, ...] | None = None


def further(extra: Mapping[str, Any]) -> dict[str, Any]:
    """The generation settings in ``--extra``, known to be some.

    Raises:
        UsageError: a name is none of them or belongs to an option, or a value is out of its range.
    """
    for key in extra:
        if option := _OPTIONS.get(key):
            raise UsageError(f"--extra holds '{key}', which a run of hf/… states by {option}; leave it out there")
        if key not in Further.__struct_fields__:
            hint = "a local model takes generation settings in --extra (docs/local-models.md)"
            raise UnknownNameError("generation setting", key, Further.__struct_fields__, hint=hint)
    try:
        found = foreign.convert({key: value for key, value in extra.items() if value is not None}, Further, strict=True)
    except UndecodableError as problem:
        raise UsageError(f"--extra: {problem}") from None
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in msgspec.structs.asdict(found).items()
        if value is not None
    }


def of_model(wanted: Wanted, where: dict[str, str], config: Any) -> Any:
    """The model's own decoding settings."""
    from transformers import GenerationConfig  # pyright: ignore[reportMissingImports]  # in an extra

    try:
        return GenerationConfig.from_pretrained(wanted.source, **where)
    except OSError:
        return GenerationConfig.from_model_config(config)


def generation(wanted: Wanted, of_model: Any, tokenizer: Any, settings: ModelSettings) -> Any:
    """The model's own decoding settings, with what the user or a request set.

    Raises:
        UsageError: settings contradict each other, or one would do nothing.
    """
    own = copy.deepcopy(of_model)
    own.max_new_tokens = settings.max_tokens or own.max_new_tokens or NEW_TOKENS
    own.max_length = None  # it counts the prompt, its padding included: a limit that would depend on the neighbours
    own.num_return_sequences, own.return_dict_in_generate = 1, False
    more = further(settings.extra)
    _set_drawing(own, settings, more)
    for key, value in more.items():
        setattr(own, key, value)
    if own.do_sample and (own.num_beams or 1) > 1:
        raise UsageError(
            f"model '{wanted.name}' draws at random among beams, which no seed repeats in a batch; add --temperature 0"
        )
    _refuse_idle(own, more, judging=settings.judging)
    _end(own, tokenizer)
    return own


def _set_drawing(own: Any, settings: ModelSettings, more: Mapping[str, Any]) -> None:
    """Whether replies are drawn: as --temperature says, else --extra, else the model."""
    drawn, temperature = more.get("do_sample"), settings.temperature
    if temperature is not None:
        if drawn is not None and drawn != (temperature > 0):
            other = f"--temperature {temperature:g} says otherwise; leave out one of them"
            if settings.judging:
                other = f"but a judge is asked at temperature {temperature:g}; leave it out"
            raise UsageError(f"--extra says do_sample = {str(drawn).lower()}, {other}")
        drawn = temperature > 0
        own.temperature = temperature or None
    if drawn is not None:
        own.do_sample = drawn
    if drawn is False:
        own.temperature = own.top_k = own.top_p = own.top_h = own.min_p = own.typical_p = None


def _refuse_idle(own: Any, more: Mapping[str, Any], *, judging: bool) -> None:
    for key, value in more.items():
        if not own.do_sample and key in _DRAWING and value != _DRAWING[key]:
            why = "replies are not drawn at random"
            why += ";" if judging else ": add do_sample = true, or a --temperature above 0, or"
        elif (own.num_beams or 1) == 1 and key in _BEAMS and value != _BEAMS[key]:
            why = "there are no beams: add num_beams, or"
        else:
            continue
        raise UsageError(f"--extra: {key} = {shown(str(value), 40)} does nothing, {why} leave it out")
    if own.min_new_tokens is not None and own.min_new_tokens > own.max_new_tokens:
        raise UsageError(
            f"replies of at least {own.min_new_tokens} tokens (min_new_tokens) are longer than the limit of "
            f"{own.max_new_tokens}; {'lower it in --extra' if judging else 'raise --max-tokens'}"
        )


def _end(own: Any, tokenizer: Any) -> None:
    """See that replies have an end, and batches a padding."""
    if own.eos_token_id is None:
        own.eos_token_id = tokenizer.eos_token_id
    if own.pad_token_id is None:
        own.pad_token_id = tokenizer.pad_token_id
    if own.pad_token_id is None and own.eos_token_id is not None:
        ends = own.eos_token_id
        own.pad_token_id = ends[0] if isinstance(ends, (list, tuple)) else ends
