"""How an item is put into words: the prompt layouts, each under its name.

``ours`` is the default. The others lay a prompt out as a paper's or a port's script does, in our own
words, since the layout changes results as well as the scoring does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from audiometry.choices import render
from audiometry.errors import UnknownNameError, UsageError, shown
from audiometry.files.run_folder import PromptStamp
from audiometry.records import Audio, Item, ModelCard, Part, Prompt, Text, Turn

PartOrder: TypeAlias = Literal["audio-first", "text-first"]


class Layout(msgspec.Struct, frozen=True):
    """A way to put items into words.

    Attributes:
        single: for an item with options; ``{question}`` and ``{options}`` are filled in one pass, whatever they hold.
        open: for an open question.
        shown: at least so many options are shown, absent ones as the word None, which is no option; 0: as they are.
    """

    single: str
    open: str
    shown: int = 0


LAYOUTS = {
    "ours": Layout(
        "{question}\n\n{options}\n\nExactly one of these options is right. Reply with its letter and nothing else.",
        "{question}",
    ),
    # AIR-Bench §4: instruction line, question, four lettered lines; two-option items show None twice.
    "airbench": Layout(
        "Pick, out of the options A, B, C and D, the answer that fits the question on the next line best; "
        "A, B, C or D is all you may say.\n{question}\n{options}",
        "{question}",
        shown=4,
    ),
    # The port in lmms-eval: question, four lettered lines, the instruction last.
    # For open questions it asks for detail and for English.
    "lmms-eval": Layout(
        "{question}\n{options}\nGive the letter of the right option, directly.",
        "{question}\nAnswer in English and in detail.",
        shown=4,
    ),
}


def part_order(wanted: PartOrder | None, card: ModelCard, model: str) -> PartOrder:
    """In which order clip and words are asked of a model.

    Args:
        wanted: what a person asked for; None: as the card says.
        card: of the model.
        model: how the message calls it.

    Raises:
        UsageError: the model takes the other order alone.
    """
    if wanted is None or wanted == card.part_order or not card.fixed_order:
        return wanted or card.part_order
    raise UsageError(f"--part-order {wanted}: {shown(model)} takes prompts {card.part_order} alone; leave it away")


def stamp(layout: str, part_order: PartOrder) -> PromptStamp:
    """What a run folder keeps of a layout.

    Raises:
        UnknownNameError: there is no such layout.
    """
    if layout not in LAYOUTS:
        raise UnknownNameError("prompt layout", layout, LAYOUTS)
    how = LAYOUTS[layout]
    words = f"{how.single}\0{how.open}" + (f"\0{how.shown}" if how.shown else "")
    return PromptStamp(layout=layout, sha256=hashlib.sha256(words.encode()).hexdigest(), part_order=part_order)


def prompt(item: Item, variant: str, options: tuple[str, ...], clips: Sequence[Audio], how: PromptStamp) -> Prompt:
    """The prompt for one item in one variant.

    Args:
        item: what is asked.
        variant: its name, kept beside the prompt.
        options: in the order they are shown; empty for an open question.
        clips: as they are sent.
        how: which layout, and whether clips or words come first.
    """
    layout = LAYOUTS[how.layout]
    if options:
        shown = (*options, *["None"] * (layout.shown - len(options)))
        words = _fill(layout.single, item.question, render(shown))
    else:
        words = _fill(layout.open, item.question, "")
    text = Text(words)
    parts: tuple[Part, ...] = (*clips, text) if how.part_order == "audio-first" else (text, *clips)
    return Prompt(turns=(Turn("user", parts),), item=item.id, variant=variant, options=options)


def _fill(template: str, question: str, options: str) -> str:
    before, _, rest = template.partition("{question}")
    between, _, after = rest.partition("{options}")
    return before + question.strip() + between + options + after
