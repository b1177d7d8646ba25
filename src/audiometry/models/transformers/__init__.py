"""Local models, loaded and asked through transformers' generic classes (needs torch)."""

from __future__ import annotations

from audiometry.models.protocol import Model
from audiometry.models.route import Route
from audiometry.models.settings import ModelSettings


def load(name: str, settings: ModelSettings) -> Model:
    """See `model.load`, which is imported when a model is loaded."""
    from audiometry.models.transformers import model

    return model.load(name, settings)


ROUTES = {
    "hf": Route(
        load=load,
        example="hf/Qwen/Qwen2-Audio-7B-Instruct",
        takes=frozenset({"temperature", "max_tokens", "extra", "card", "price"}),
        extra="hf",
    )
}
