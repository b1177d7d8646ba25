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

from audiometry.choices import LETTERED, STYLES, letter_of, render
from audiometry.errors import UsageError, shown
from audiometry.files.run_folder import PromptStamp
from audiometry.outside import Fits, exactly, looked_at, one_of
from audiometry.records import Audio, Example, Item, ModelCard, Part, Prompt, Text, Turn, sensible
from audiometry.registry import Kind

HOLES = re.compile(r"(\{question\}|\{options\})")
MOST_SHOWN: Final = 26  # letters
PartOrder: TypeAlias = Literal["audio-first", "text-first"]
EXAMPLE: Final = "An example, with its answer:\n{asked}\nAnswer: {answer}"
AFTER: Final = "Now the question to answer:"
_EXAMPLE_HOLES = re.compile(r"(\{asked\}|\{answer\})")


class Layout(msgspec.Struct, frozen=True):
    """A way to put items into words.

    Attributes:
        single: for an item with options; ``{question}`` and ``{options}`` are filled in one pass, whatever they hold.
        open: for an open question.
        shown: at least so many options are shown, absent ones as the word None, which is no option; 0: as they are.
        style: how options are shown; see `choices.STYLES`.
        system: words of a system turn before it; empty: there is none.
        example: a worked example that goes before it; ``{asked}`` are its question and options as the templates above
            put them, ``{answer}`` the letter of its right option, or the answer itself where no letters are shown.
        after: words between the examples and the item; empty: none.
    """

    single: str
    open: str
    shown: int = 0
    style: str = "dotted"
    system: str = ""
    example: str = EXAMPLE
    after: str = AFTER

    @property
    def sha256(self) -> str:
        """Of all that it says of an item."""
        words = f"{self.single}\0{self.open}" + (f"\0{self.shown}" if self.shown else "")
        if self.style != "dotted" or self.system:
            words += f"\0{self.style}\0{self.system}"
        return hashlib.sha256(words.encode()).hexdigest()


class Shot(msgspec.Struct, frozen=True):
    """A worked example as it is shown before an item.

    Attributes:
        item: its question, in the words of the variant, and its answer.
        options: in the order shown; none of a question without.
        clips: paths of its clips; none where it is shown in words alone.
    """

    item: Item
    options: tuple[str, ...] = ()
    clips: tuple[str, ...] = ()


Heard: TypeAlias = tuple[Shot, Sequence[Audio]]
"""An example with its clips as they are sent."""

A_CLIP: Final = Audio(data=b"", format="", sha256="", rate=0, channels=0, duration_s=0.0)
"""Stands for a clip where only the words matter."""


def silent(shots: Sequence[Shot]) -> list[Heard]:
    """Examples with `A_CLIP` for each clip."""
    return [(shot, [A_CLIP] * len(shot.clips)) for shot in shots]


def _words(*holds: str) -> Fits:
    """A text that can be sent, with these holes in it."""
    what = f"a text with {' and '.join(holds)}" if holds else "a text that can be sent"
    return what, lambda given: sensible.text(given) == given and all(hole in given for hole in holds)


_SAYS: Final[Mapping[str, Fits]] = {
    "single": _words("{question}", "{options}"),
    "open": _words("{question}"),
    "system": _words(),
    "example": _words("{asked}", "{answer}"),
    "after": _words(),
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


def with_shots(
    how: PromptStamp, shots: int, shots_with: Literal["text", "audio"], examples: Sequence[Example]
) -> PromptStamp:
    """The same with worked examples.

    Args:
        how: the layout.
        shots: how many; 0: none.
        shots_with: in words alone, or with their clips.
        examples: of the benchmark's card.
    """
    if not shots:
        return how
    words = named(how.layout)
    own = examples if shots_with == "text" else ()  # with clips, other items are shown
    said = msgspec.json.encode((words.example, words.after, own), order="deterministic")
    digest = hashlib.sha256(said).hexdigest()
    return msgspec.structs.replace(how, shots=shots, shots_with=shots_with, examples=digest)


def prompt(
    item: Item,
    variant: str,
    options: tuple[str, ...],
    clips: Sequence[Audio],
    how: PromptStamp,
    own: Layout | None = None,
    shots: Sequence[Heard] = (),
) -> Prompt:
    """The prompt for one item in one variant.

    Args:
        item: what is asked.
        variant: its name, kept beside the prompt.
        options: in the order they are shown; empty for an open question.
        clips: as they are sent.
        how: which layout, and whether clips or words come first.
        own: the layout itself, if it is none of `LAYOUTS`.
        shots: worked examples that go before it, each with its clips as they are sent.
    """
    layout = named(how.layout) if own is None else own
    words = _asked(layout, item, options)
    examples = [_example(layout, shot) for shot, _ in shots]
    text = f"{layout.after}\n{words}" if shots and layout.after else words
    parts: list[Part] = []
    if any(heard for _, heard in shots):
        for (_, heard), said in zip(shots, examples, strict=True):
            parts += _in_order(heard, said, how)
    else:  # they are a part of the words, wherever these stand
        text = "\n\n".join([*examples, text])
    parts += _in_order(clips, text, how)
    before = (Turn("system", (Text(layout.system),)),) if layout.system else ()
    return Prompt(
        turns=(*before, Turn("user", tuple(parts))),
        item=item.id,
        variant=variant,
        options=options,
        lettered=layout.style in LETTERED,
        example_clips=sum(len(heard) for _, heard in shots),
        asks=words if shots else "",
    )


def _asked(layout: Layout, item: Item, options: tuple[str, ...]) -> str:
    if not options:
        return _fill(layout.open, HOLES, {"{question}": item.question.strip(), "{options}": ""})
    shown = (*options, *["None"] * (layout.shown - len(options)))
    filled = {"{question}": item.question.strip(), "{options}": render(shown, layout.style)}
    return _fill(layout.single, HOLES, filled)


def _example(layout: Layout, shot: Shot) -> str:
    lettered = bool(shot.options) and layout.style in LETTERED
    answer = (shot.item.answer or "").strip()
    answer = letter_of(shot.options, shot.item.answer or "") if lettered else answer
    filled = {"{asked}": _asked(layout, shot.item, shot.options), "{answer}": answer}
    return _fill(layout.example, _EXAMPLE_HOLES, filled)


def _in_order(clips: Sequence[Audio], words: str, how: PromptStamp) -> list[Part]:
    return [*clips, Text(words)] if how.part_order == "audio-first" else [Text(words), *clips]


def _fill(template: str, holes: re.Pattern[str], filled: Mapping[str, str]) -> str:
    return "".join(filled.get(piece, piece) for piece in holes.split(template))
