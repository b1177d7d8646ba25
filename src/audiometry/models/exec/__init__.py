"""Any program that speaks JSON lines over a pipe, for research code in an environment of its own."""

from __future__ import annotations

from audiometry.models.protocol import Model
from audiometry.models.route import Route
from audiometry.models.settings import ModelSettings


def load(name: str, settings: ModelSettings) -> Model:
    """See `model.load`, which is imported when a model is loaded."""
    from audiometry.models.exec import model

    return model.load(name, settings)


ROUTES = {
    "exec": Route(
        load=load, example="exec/python serve.py", takes=frozenset({"temperature", "max_tokens", "card", "price"})
    )
}
