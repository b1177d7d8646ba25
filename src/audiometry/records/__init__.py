"""The nouns of the house, as frozen structs. Nothing here reads, writes or decides.

``item`` and ``card`` say what is asked, ``prompt`` what a model receives, ``reply`` what came back,
``verdict`` what a scorer says of it, ``rating`` what a person, a judge or a metric does.
"""

from __future__ import annotations

from audiometry.records.card import (
    BenchmarkInfo,
    Card,
    Columns,
    DataSource,
    Dimension,
    Example,
    HowAsked,
    Task,
)
from audiometry.records.item import Item
from audiometry.records.model_card import ModelCard
from audiometry.records.prompt import Audio, Decoding, Part, Prompt, Text, Turn
from audiometry.records.rating import RatingLine
from audiometry.records.reply import CHANGED, Chunk, Failure, Reply, ReplyRecord
from audiometry.records.verdict import Answer, State, Verdict

__all__ = [
    "CHANGED",
    "Answer",
    "Audio",
    "BenchmarkInfo",
    "Card",
    "Chunk",
    "Columns",
    "DataSource",
    "Decoding",
    "Dimension",
    "Example",
    "Failure",
    "HowAsked",
    "Item",
    "ModelCard",
    "Part",
    "Prompt",
    "RatingLine",
    "Reply",
    "ReplyRecord",
    "State",
    "Task",
    "Text",
    "Turn",
    "Verdict",
]
