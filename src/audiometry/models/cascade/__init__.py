"""The embedded model: speech recognition and signal measurements, described in words, then read.

``worker`` runs in processes of its own and turns a clip into a description, by what ``hear`` measures (``signal``) and
what a recogniser hears (``transcribe``); ``rules`` answers a question from a description and nothing else.
"""

from __future__ import annotations

from audiometry.models.protocol import Model
from audiometry.models.route import Route
from audiometry.models.settings import ModelSettings


def load(name: str, settings: ModelSettings) -> Model:
    """See `model.load`, which is imported when a model is loaded."""
    from audiometry.models.cascade import model

    return model.load(name, settings)


ROUTES = {"cascade": Route(load=load, example="cascade/pocketsphinx", takes=frozenset({"reader"}), extra="cascade")}
