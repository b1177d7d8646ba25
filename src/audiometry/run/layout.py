"""How an item is put into words: the prompt layouts, each under its name.

``ours`` is the default. The others lay a prompt out as a paper's or a port's script does, in our own
words, since the layout changes results as well as the scoring does.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from audiometry.choices import LETTERED, render
from audiometry.errors import UnknownNameError, UsageError, shown
from audiometry.files.run_folder import PromptStamp
from audiometry.records import Audio, Item, ModelCard, Part, Prompt, Text, Turn

HOLES = re.compile(r"(\{question\}|\{options\})")
PartOrder: TypeAlias = Literal["audio-first", "text-first"]


class Layout(msgspec.Struct, frozen=True):
    """A way to put items into words.

    Attributes:
        single: for an item with options; ``{question}`` and ``{options}`` are filled in one pass, whatever they hold.
        open: for an open question.
        shown: at least so many options are shown, absent ones as the word None, which is no option; 0: as they are.
        style: how options are shown; see `choices.STYLES`.
        system: words of a system turn before it; empty: there is none.
    """

    single: str
    open: str
    shown: int = 0
    style: str = "dotted"
    system: str = ""

    @property
    def sha256(self) -> str:
        """Of all that it says."""
        words = f"{self.single}\0{self.open}" + (f"\0{self.shown}" if self.shown else "")
        if self.style != "dotted" or self.system:
            words += f"\0{self.style}\0{self.system}"
        return hashlib.sha256(words.encode()).hexdigest()


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


def part_order(wanted: PartOrder | None, card: ModelCard, model: str, asked: str = "--part-order") -> PartOrder:
    """In which order clip and words are asked of a model.

    Args:
        wanted: what a person asked for; None: as the card says.
        card: of the model.
        model: how the message calls it.
        asked: what asked for it, as people know that.

    Raises:
        UsageError: the model takes the other order alone.
    """
    if wanted is None or wanted == card.part_order or not card.fixed_order:
        return wanted or card.part_order
    raise UsageError(f"{asked} {wanted}: {shown(model)} takes prompts {card.part_order} alone; leave it out")


def named(name: str) -> Layout:
    """The layout of that name.

    Raises:
        UnknownNameError: there is none.
    """
    if name not in LAYOUTS:
        raise UnknownNameError("prompt layout", name, LAYOUTS)
    return LAYOUTS[name]


def stamp(layout: str, part_order: PartOrder, own: Layout | None = None) -> PromptStamp:
    """What a run folder keeps of a layout.

    Args:
        layout: its name.
        part_order: whether clips or words come first.
        own: the layout itself, if it is none of `LAYOUTS`.

    Raises:
        UnknownNameError: there is no such layout.
    """
    how = named(layout) if own is None else own
    return PromptStamp(layout=layout, sha256=how.sha256, part_order=part_order, style=how.style)


def prompt(
    item: Item,
    variant: str,
    options: tuple[str, ...],
    clips: Sequence[Audio],
    how: PromptStamp,
    own: Layout | None = None,
) -> Prompt:
    """The prompt for one item in one variant.

    Args:
        item: what is asked.
        variant: its name, kept beside the prompt.
        options: in the order they are shown; empty for an open question.
        clips: as they are sent.
        how: which layout, and whether clips or words come first.
        own: the layout itself, if it is none of `LAYOUTS`.
    """
    layout = LAYOUTS[how.layout] if own is None else own
    if options:
        shown = (*options, *["None"] * (layout.shown - len(options)))
        words = _fill(layout.single, item.question, render(shown, layout.style))
    else:
        words = _fill(layout.open, item.question, "")
    text = Text(words)
    parts: tuple[Part, ...] = (*clips, text) if how.part_order == "audio-first" else (text, *clips)
    before = (Turn("system", (Text(layout.system),)),) if layout.system else ()
    return Prompt(
        turns=(*before, Turn("user", parts)),
        item=item.id,
        variant=variant,
        options=options,
        lettered=layout.style in LETTERED,
    )


def _fill(template: str, question: str, options: str) -> str:
    filled = {"{question}": question.strip(), "{options}": options}
    return "".join(filled.get(piece, piece) for piece in HOLES.split(template))
