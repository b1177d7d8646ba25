"""Models behind a chat-completions server, the provider's own or the one at ``--base-url``."""

from __future__ import annotations

from audiometry.models.chat_completions.providers import KNOWN
from audiometry.models.protocol import Model
from audiometry.models.route import Route
from audiometry.models.settings import ModelSettings


def load(name: str, settings: ModelSettings) -> Model:
    """See `model.load`, which is imported when a model is loaded."""
    from audiometry.models.chat_completions import model

    return model.load(name, settings)


ROUTES = {
    name: Route(
        load=load,
        example=f"{name}/{one.example}",
        takes=frozenset({"base_urls", "proxy", "stream", "temperature", "max_tokens", "extra", "card", "price"}),
        keys=one.key_names,
        key_needed=one.key_needed,
    )
    for name, one in KNOWN.items()
}
