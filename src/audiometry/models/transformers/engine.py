"""Weights, and batches of prompts answered by them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any, Final

from audiometry import seeds
from audiometry.errors import UsageError, shown
from audiometry.models.transformers import adapters, hearing, wanted
from audiometry.models.transformers.batching import Asked
from audiometry.models.transformers.opened import Opened
from audiometry.models.transformers.sampling import by_streams, unwanted
from audiometry.records import Decoding, Reply

_OUT_OF_MEMORY: Final = ("out of memory", "can't allocate memory", "cannot allocate memory")
_OF_ADAPTERS: Final = (TypeError, LookupError, AttributeError)  # what peft makes of a config that is none


class Engine:
    """A model in memory.

    Args:
        opened: whose weights.
        device: torch's name of where to put them.
        seed: of the replies that are drawn at random.
        under: gives the model as it decodes requests of a kind; None: all are of one.

    Raises:
        UsageError: the weights are missing, incomplete, damaged, or do not fit into memory.
    """

    def __init__(
        self, opened: Opened, device: str, seed: int, under: Callable[[Decoding | None], Opened] | None = None
    ) -> None:
        self._opened, self._seed, self.device = opened, seed, device
        self._under = under or (lambda _: opened)
        self._model = _loaded(opened, device)

    def answer(self, batch: Sequence[Asked]) -> list[Reply]:
        """A reply to each; greedy ones do not depend on the others but in the last bits of the arithmetic.

        A batch is decoded in one way, and an adapter that is for clips is for all rows or for none: rows of another
        decoding, and those with a clip and without, are batches of their own then.
        Whatever torch or transformers raise comes through.
        """
        adapter = self._opened.adapter
        by_clip = adapter is not None and adapter.for_clips
        places: dict[tuple[Decoding | None, bool], list[int]] = {}
        for place, asked in enumerate(batch):
            places.setdefault((asked.decoding, by_clip and hearing.has_clip(asked.messages)), []).append(place)
        replies: dict[int, Reply] = {}
        for (decoding, clips), some in places.items():
            if by_clip:
                (self._model.enable_adapters if clips else self._model.disable_adapters)()
            replies |= zip(some, self._answer([batch[place] for place in some], self._under(decoding)), strict=True)
        return [replies[place] for place in range(len(batch))]

    def _answer(self, batch: Sequence[Asked], opened: Opened) -> list[Reply]:
        import torch  # pyright: ignore[reportMissingImports]  # in an extra

        tensors = hearing.inputs(self._opened.processor, [asked.messages for asked in batch])
        # of a clip come numbers, which have to be of the weights' kind; of words alone come none
        tensors = tensors.to(self.device, **({"dtype": self._model.dtype} if self._opened.rate else {}))
        more: dict[str, Any] = {}
        if opened.samples:
            more["custom_generate"] = by_streams([seeds.stream(self._seed, "reply", *asked.names) for asked in batch])
        if opened.generation.stop_strings:
            more["tokenizer"] = self._opened.tokenizer
        with torch.inference_mode():
            out = self._model.generate(
                **tensors,
                generation_config=opened.generation,
                stopping_criteria=unwanted([asked.gone for asked in batch]),
                **more,
            )
        width = tensors["input_ids"].shape[1]
        sizes = tensors["attention_mask"].sum(-1).tolist() if "attention_mask" in tensors else [width] * len(batch)
        return [self._reply(row[width:].tolist(), int(size), opened) for row, size in zip(out, sizes, strict=True)]

    def _reply(self, tokens: list[int], tokens_in: int, opened: Opened) -> Reply:
        generation = opened.generation
        ended = generation.eos_token_id
        ends = set(ended) if isinstance(ended, (list, tuple)) else {ended}
        at = next((place for place, token in enumerate(tokens) if token in ends), None)
        if at is not None:
            tokens = tokens[: at + 1]
        else:
            while tokens and tokens[-1] == generation.pad_token_id:  # ended by a stop string before its neighbours
                tokens.pop()
        whole = at is None and len(tokens) >= generation.max_new_tokens
        return Reply(
            text=self._opened.tokenizer.decode(tokens, skip_special_tokens=True),
            finish_reason="length" if whole else "stop",
            tokens_in=tokens_in,
            tokens_out=len(tokens),
        )


def _loaded(opened: Opened, device: str) -> Any:
    from safetensors import SafetensorError  # pyright: ignore[reportMissingImports]  # comes with transformers

    asked = opened.wanted
    more: dict[str, Any] = adapters.hidden(opened.adapter)
    if asked.revision:
        more["revision"] = asked.revision
    if wanted.installed("accelerate"):
        more["device_map"] = {"": device}  # straight to the device, without a copy in main memory
    try:
        model, told = opened.auto.from_pretrained(
            asked.source, config=opened.config, dtype=asked.dtype, output_loading_info=True, **more
        )
        model.to(device)
        missing = sorted([*told["missing_keys"], *(str(key) for key in told["mismatched_keys"])])
        if opened.adapter is not None:
            missing += adapters.lay_over(model, opened.adapter, asked)
    except (OSError, ValueError, RuntimeError, ImportError, MemoryError, SafetensorError, *_OF_ADAPTERS) as problem:
        why = "they do not fit into memory" if out_of_memory(problem) else shown(str(problem), 300)
        raise UsageError(f"model '{asked.name}': its weights cannot be loaded: {why}") from problem
    if missing:
        raise UsageError(
            f"model '{asked.name}': its files lack {len(missing)} of its weights or hold them in another shape "
            f"({shown(', '.join(missing[:3]), 120)}{', …' if len(missing) > 3 else ''}); "  # noqa: PLR2004  a line
            "they would be random numbers: get the whole checkpoint"
        )
    model.generation_config = opened.generation
    model.eval()
    return model


def out_of_memory(problem: BaseException) -> bool:
    """Whether that is what an error says, whichever device said it."""
    import torch  # pyright: ignore[reportMissingImports]  # in an extra

    if isinstance(problem, (MemoryError, torch.OutOfMemoryError)):
        return True
    return isinstance(problem, RuntimeError) and any(words in str(problem).lower() for words in _OUT_OF_MEMORY)


def release() -> None:
    """Give back the memory that nothing uses any more."""
    import torch  # pyright: ignore[reportMissingImports]  # in an extra

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
