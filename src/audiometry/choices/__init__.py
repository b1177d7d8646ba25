"""Options: how they are ordered and shown, and how an answer is read out of a reply."""

from __future__ import annotations

from audiometry.choices.letters import letter_of, letters
from audiometry.choices.ordering import order
from audiometry.choices.read import read_answer
from audiometry.choices.rendering import LETTERED, STYLES, render
from audiometry.records import Answer

__all__ = ["LETTERED", "STYLES", "Answer", "letter_of", "letters", "order", "read_answer", "render"]
