"""How an item is put into words: the prompt layouts, each under its name.

A layout is a module of `audiometry.run.layouts` with ``LAYOUTS = {"name": Layout(…)}``, or an entry point in the group
``audiometry.prompt_layouts`` that gives a `Layout`. ``ours`` is the default. The others lay a prompt out as a paper's
or a port's script does, in our own words, since the layout changes results as well as the scoring does.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, Literal, TypeAlias

import msgspec

from audiometry.choices import LETTERED, STYLES, render
from audiometry.errors import UsageError, shown
from audiometry.files.run_folder import PromptStamp
from audiometry.outside import Fits, exactly, looked_at, one_of
from audiometry.records import Audio, Item, ModelCard, Part, Prompt, Text, Turn, sensible
from audiometry.registry import Kind

HOLES = re.compile(r"(\{question\}|\{options\})")
MOST_SHOWN: Final = 26  # letters
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


def _words(*holds: str) -> Fits:
    """A text that can be sent, with these holes in it."""
    what = f"a text with {' and '.join(holds)}" if holds else "a text that can be sent"
    return what, lambda given: sensible.text(given) == given and all(hole in given for hole in holds)


_SAYS: Final[Mapping[str, Fits]] = {
    "single": _words("{question}", "{options}"),
    "open": _words("{question}"),
    "system": _words(),
    "shown": (f"a whole number to {MOST_SHOWN}", lambda given: type(given) is int and 0 <= given <= MOST_SHOWN),
    "style": one_of(*STYLES),
}


def _layout(_: str, given: Any) -> Layout:
    layout = exactly(given, Layout)
    looked_at(layout, _SAYS)
    return layout


LAYOUTS: Final[Kind[Layout]] = Kind(
    "audiometry.prompt_layouts", "audiometry.run.layouts", "prompt layout", holds="LAYOUTS", made=_layout
)


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


@cache
def named(name: str) -> Layout:
    """The layout of that name.

    Raises:
        UnknownNameError: there is none.
    """
    return LAYOUTS.named(name)


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
    layout = named(how.layout) if own is None else own
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
