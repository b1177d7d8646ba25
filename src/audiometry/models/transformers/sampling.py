"""Random replies that depend on the seed and the item alone, whoever shares the batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from audiometry.seeds import Stream


class Draw:
    """A logits processor that draws the next token of each row from that row's own stream, and leaves no other.

    One uniform number a row and token is looked up in the cumulated probabilities, on the scores that are left
    after temperature, top-k, top-p and all else. The numbers come from the CPU, so a GPU draws alike.

    Args:
        streams: one a row.
    """

    def __init__(self, streams: Sequence[Stream]) -> None:
        self._streams = streams

    def __call__(self, input_ids: Any, scores: Any) -> Any:  # noqa: ARG002  the interface's
        """The scores (rows, vocabulary) with all but the drawn tokens at minus infinity."""
        import torch  # pyright: ignore[reportMissingImports]  # in an extra

        total = torch.softmax(scores.double(), dim=-1).cumsum(dim=-1)
        drawn = torch.tensor([stream.random() for stream in self._streams], dtype=torch.float64, device=scores.device)
        token = torch.searchsorted(total, drawn[:, None] * total[:, -1:], right=True).clamp(max=scores.shape[-1] - 1)
        return torch.full_like(scores, float("-inf")).scatter_(1, token, 0.0)


def by_streams(streams: Sequence[Stream]) -> Callable[..., Any]:
    """A decoding method for ``generate(custom_generate=…)``: transformers' own loop, draws from the rows' streams."""
    from transformers import LogitsProcessorList  # pyright: ignore[reportMissingImports]  # in an extra

    def decode(
        model: Any, input_ids: Any, logits_processor: Any, stopping_criteria: Any, generation_config: Any, **rest: Any
    ) -> Any:
        generation_config.do_sample = False  # what is drawn is the only token left, so the best one is it
        return model._sample(  # noqa: SLF001  the loop that custom decoding methods are documented to end in
            input_ids,
            logits_processor=LogitsProcessorList([*logits_processor, Draw(streams)]),
            stopping_criteria=stopping_criteria,
            generation_config=generation_config,
            **rest,
        )

    return decode


class Unwanted:
    """A stopping criterion that ends the rows whose reply nobody waits for any more.

    Args:
        gone: one question a row.
    """

    def __init__(self, gone: Sequence[Callable[[], bool]]) -> None:
        self._gone = gone

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:  # noqa: ARG002  the interface's
        """Which rows end, bool of shape (rows,)."""
        import torch  # pyright: ignore[reportMissingImports]  # in an extra

        return torch.tensor([gone() for gone in self._gone], dtype=torch.bool, device=input_ids.device)


def unwanted(gone: Sequence[Callable[[], bool]]) -> Any:
    """The same as transformers takes it."""
    from transformers import StoppingCriteriaList  # pyright: ignore[reportMissingImports]  # in an extra

    return StoppingCriteriaList([Unwanted(gone)])
