"""What a user can set about a run."""

from __future__ import annotations

from typing import Literal

import msgspec

from audiometry.dispatch.tally import Price
from audiometry.models import ModelSettings


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a benchmark is run; None means the default of the model or its card.

    Attributes:
        tasks, categories, limit: which items; see `Benchmark.select`.
        orders: in how many orders of their options items are asked; None: as the benchmark's card says.
        wordings: in how many of their task's wordings, each in every order.
        repeats: how often the same is asked.
        variants: those aside that are asked as well, or short names of several; see `choices.variant`, `run.chosen`.
        aside_only: items are asked in those variants alone, and not with their own clip.
        shots: how many worked examples go before each item; None: as the benchmark's card says.
        shots_with: whether these are words alone, or other items with their clips.
        prompt: name of the prompt layout; empty: ``ours``.
        part_order: clip before words or after; None: the card's.
        recipe: how the model's makers ask it, by name or as the path of a file; empty: none. See `run.recipes`.
        seed: of everything random.
        concurrency: the most requests under way; None: the card's.
        rpm, tpm: the most requests, tokens a minute; None: no limit.
        max_tries: requests for one item.
        model: how the model is to be used.
        reader: name of the model that reads what a cascade heard, which becomes part of the cascade's name; empty: as
            that says, or rules.
        price: of the model; None: the card's.
        cache: path of a reply cache; empty: none.
        clips: path of a folder in which converted clips stay; empty: none.
        again: everything is asked anew, and earlier replies are set aside.
    """

    tasks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    limit: int | None = None
    orders: int | None = None
    wordings: int = 1
    repeats: int = 1
    variants: tuple[str, ...] = ()
    aside_only: bool = False
    shots: int | None = None
    shots_with: Literal["text", "audio"] = "text"
    prompt: str = ""
    part_order: Literal["audio-first", "text-first"] | None = None
    recipe: str = ""
    seed: int = 0
    concurrency: int | None = None
    rpm: float | None = None
    tpm: float | None = None
    max_tries: int = 5
    model: ModelSettings = ModelSettings()
    reader: str = ""
    price: Price | None = None
    cache: str = ""
    clips: str = ""
    again: bool = False
