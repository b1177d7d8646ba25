"""Adapters: small weights laid over a model's own, without which some models do not understand what they hear."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from audiometry.errors import UsageError
from audiometry.files import extras
from audiometry.models.transformers.wanted import CONFIG_OF_ADAPTER, Wanted, installed

IN_FOLDERS: Final = {"phi4_multimodal": "speech-lora"}
"""Architectures that keep the adapter for audio in a folder of its own, which transformers loads only if it is told.

Source: https://huggingface.co/docs/transformers/v5.14.0/model_doc/phi4_multimodal (audio and text)
"""

_NAME: Final = "laid_over"  # in no weight's own name: transformers knows an adapter's weights by it
_NOWHERE: Final = "-"  # a folder that there is not: transformers is not to load by itself what it then says nothing of


class Adapter(msgspec.Struct, frozen=True):
    """An adapter of a model.

    Attributes:
        folder: where it is, below the model's own; empty: there.
        for_clips: whether it is meant for prompts with a clip alone.
    """

    folder: str
    for_clips: bool


def find(wanted: Wanted, where: dict[str, str], config: Any) -> Adapter | None:
    """The adapter that a model hears through; None if it has none.

    Raises:
        UsageError: it is not there, or peft is not, which lays it over the model.
    """
    own = IN_FOLDERS.get(config.model_type, "")
    flagged = bool(own or getattr(config, "has_lora_adapter", False))
    there = is_there(wanted, where, own)
    if flagged and not there:
        raise UsageError(
            f"model '{wanted.name}' hears through an adapter, and {f'{own}/' if own else ''}{CONFIG_OF_ADAPTER} is not "
            "there; get the whole checkpoint, the adapter's files with it"
        )
    if not there:
        return None
    if not installed("peft"):
        raise UsageError(
            f"model '{wanted.name}' has an adapter ({f'{own}/' if own else ''}{CONFIG_OF_ADAPTER}), without which it "
            f"would answer as another model; that needs peft, not installed here: {extras.install('hf')}"
        )
    return Adapter(own, flagged)


def is_there(wanted: Wanted, where: dict[str, str], folder: str = "") -> bool:
    """Whether a model has an adapter in that folder; on the hub it is looked for where its files were."""
    if wanted.local:
        return (Path(wanted.source) / folder / CONFIG_OF_ADAPTER).is_file()
    from transformers.utils import peft_utils  # pyright: ignore[reportMissingImports]  # in an extra

    return peft_utils.find_adapter_config_file(wanted.source, subfolder=folder, **where) is not None


def hidden(adapter: Adapter | None) -> dict[str, Any]:
    """What keeps transformers from loading an adapter by itself, which hides what the model's own files lack."""
    return {"adapter_kwargs": {"subfolder": _NOWHERE}} if adapter and not adapter.folder else {}


def lay_over(model: Any, adapter: Adapter, wanted: Wanted) -> list[str]:
    """Load an adapter over a model; the names of its weights that its files lack.

    Raises:
        OSError, ValueError, RuntimeError, …: whatever transformers and peft raise.
    """
    where = {"subfolder": adapter.folder} | ({"revision": wanted.revision} if wanted.revision else {})
    told = model.load_adapter(wanted.source, adapter_name=_NAME, adapter_kwargs=where)
    model.set_adapter(_NAME)
    return sorted(str(key) for key in (*told.missing_keys, *told.mismatched_keys))
