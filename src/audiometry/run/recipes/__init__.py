"""Recipes: how a model's makers ask it in the evaluations that they published, found by name or in a user's file.

Each ``*.toml`` here is a `Recipe`; to add one, add a file. What is structure (order of parts, marks of options,
decoding, length) is as the source says; a sentence of the makers' is never copied: where they have one, ours stands.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from audiometry.choices import STYLES
from audiometry.errors import UndecodableError, UnknownNameError, UsageError, shown, suggestion
from audiometry.files import foreign, request_fields
from audiometry.records.model_card import STATED, More, NoLess
from audiometry.run.layout import HOLES, LAYOUTS, Layout, PartOrder
from audiometry.run.layout import named as layout_named

_PLACEHOLDER = re.compile(r"(?<![\w{$])\{\s*\w+\s*\}(?!\})")
HERE = Path(__file__).parent
Wording: TypeAlias = Literal["exact", "ours"]
Names: TypeAlias = Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


class Decoding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How replies are decoded; what is left out is the model's own default.

    Attributes:
        temperature, max_tokens: as in `ModelSettings`.
        generation: further settings under transformers' names (``top_p``, ``num_beams``, ``min_new_tokens``); each
            provider is asked for those that it has, under its own names.
        fields: further fields of a request, sent as they are.
        unset: what the makers' code sets besides and no provider can be asked for.
    """

    temperature: NoLess | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    generation: Mapping[str, Any] = {}
    fields: Mapping[str, Any] = {}
    unset: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for key in (*self.generation, *self.fields):
            if key in STATED | {"temperature", "max_tokens", "max_completion_tokens", "max_new_tokens"}:
                raise ValueError(f"'{shown(key)}' may not stand among further settings: a run states it")


class Ask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the items of some benchmarks are put.

    Attributes:
        benchmarks: names or patterns (``mmau*``).
        tasks: names or patterns; empty: all.
        wording: ``exact`` if this is the makers' prompt word for word, ``ours`` if a sentence is put otherwise or what
            is known of their prompt leaves something open.
        layout: the name of a prompt layout (``airbench``), in place of ``single``, ``open``, ``options`` and ``shown``.
        single, open, shown, system: see `Layout`; a template that is empty covers no such item.
        options: how options are shown; see `choices.STYLES`.
        part_order: whether clips or words come first.
        sources: where the makers say so.
        note: a line for people.
    """

    benchmarks: Names
    tasks: tuple[str, ...] = ()
    wording: Wording
    layout: str = ""
    single: str = ""
    open: str = ""
    options: str = "dotted"
    shown: Annotated[int, msgspec.Meta(ge=0, le=26)] = 0
    system: Annotated[str, msgspec.Meta(min_length=1)] = ""
    part_order: PartOrder
    sources: tuple[str, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        if self.options not in STYLES:
            raise ValueError(f"'options' is '{shown(self.options)}'; {suggestion(self.options, STYLES)}")
        if self.layout:
            self._refuse_beside_layout()
        elif not self.single and not self.open:
            raise ValueError("it puts no item: give 'single', 'open' or both, or the name of a 'layout'")
        for name, template, wanted in (("single", self.single, (1, 1)), ("open", self.open, (1, 0))):
            found = HOLES.findall(template)
            if template and (found.count("{question}"), found.count("{options}")) != wanted:
                needs = "{question} and {options}, each once" if wanted[1] else "{question} once and no {options}"
                raise ValueError(f"'{name}' needs {needs}")
        for name, template in (("single", self.single), ("open", self.open), ("system", self.system)):
            known = () if name == "system" else ("{question}", "{options}")
            if stray := next((one for one in _PLACEHOLDER.findall(template) if one not in known), ""):
                raise ValueError(f"'{name}' holds {shown(stray)}, in whose place nothing is put")
        if self.system and not self.system.strip():
            raise ValueError("'system' is blank; leave it out for no system turn")

    def _refuse_beside_layout(self) -> None:
        if self.layout not in LAYOUTS.names():
            raise ValueError(f"'layout' is '{shown(self.layout)}'; {suggestion(self.layout, LAYOUTS.names())}")
        if self.single or self.open or self.shown or self.options != "dotted":
            raise ValueError("'layout' stands in place of 'single', 'open', 'options' and 'shown'")

    @property
    def as_layout(self) -> Layout:
        """What it says, as a prompt layout."""
        if self.layout:
            return msgspec.structs.replace(layout_named(self.layout), system=self.system)
        return Layout(self.single, self.open, self.shown, self.options, self.system)


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    about: str = ""
    models: Names
    refused: Mapping[str, str] = {}
    longest_s: More | None = None
    longer: Literal["refuse", "cut"] = "refuse"
    shortest_s: More | None = None
    shorter: Literal["refuse", "pad"] = "refuse"
    decoding: Decoding = Decoding()
    sources: tuple[str, ...] = ()
    note: str = ""
    ask: Annotated[tuple[Ask, ...], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        if self.longer == "cut" and self.longest_s is None:
            raise ValueError("'longer' is 'cut', but 'longest_s' does not say where")
        if self.shorter == "pad" and self.shortest_s is None:
            raise ValueError("'shorter' is 'pad', but 'shortest_s' does not say what is short")


class Recipe(_File, frozen=True, kw_only=True):
    """A recipe: a TOML file.

    Attributes:
        about: a line for people: whose evaluation it is.
        models: names or patterns (``*/Qwen/Qwen2-Audio*``) of models that it is for, in any case of letters.
        refused: names or patterns of models that it would not ask as its makers do, and why, in words for people.
        longest_s: the longest clip that their code takes, seconds; None: it does not say.
        longer: what becomes of a longer one: it is a failure, or ``cut`` there, which its record says.
        shortest_s: the shortest clip that their code takes as it is, seconds; None: it does not say.
        shorter: what becomes of a shorter one: it is a failure, or followed by as much silence (``pad``).
        decoding: how replies are decoded, whatever the benchmark.
        sources: where the makers say what holds for all benchmarks.
        note: what of their code a recipe does not do.
        ask: how items are put; the first that covers a benchmark counts.
        name: of the file, without its ending.
        own: whether it is a user's file.
        path: of it.
    """

    name: str
    own: bool
    path: str


def digest(recipe: Recipe, ask: Ask) -> str:
    """Hash of all that a recipe says on how to ask, what people are told besides left out."""
    bare = msgspec.structs.replace(ask, benchmarks=("*",), tasks=(), sources=(), note="")
    length = (recipe.longest_s, recipe.longer, recipe.shortest_s, recipe.shorter)
    said = (*length, recipe.decoding, bare, ask.as_layout.sha256)
    return hashlib.sha256(msgspec.json.encode(said, order="deterministic")).hexdigest()


def recipes() -> dict[str, Recipe]:
    """The recipes that come with audiometry, by name."""
    return {path.stem: _read(path, own=False) for path in sorted(HERE.glob("*.toml"))}


def find(name: str) -> Recipe:
    """A recipe by its name, or by the path of a file (with a ``/`` in it, or ending in ``.toml``).

    Raises:
        UsageError: the file cannot be read, or says what a recipe cannot say.
        UnknownNameError: there is none of that name.
    """
    if "/" in name or name.endswith(".toml"):
        return _read(Path(name), own=True)
    path = HERE / f"{name}.toml"
    known = [found.stem for found in HERE.glob("*.toml")]
    if name not in known:
        raise UnknownNameError(
            "recipe", name, known, hint="see `audiometry list recipes`, or give a file (./NAME.toml)"
        )
    return _read(path, own=False)


def _read(path: Path, *, own: bool) -> Recipe:
    try:
        said = foreign.toml(foreign.read_file(path, foreign.LARGEST_TOML), _File)
        for table in ("generation", "fields"):
            request_fields.refuse(getattr(said.decoding, table), table)
    except UndecodableError as problem:
        raise UsageError(f"recipe {problem.at(path)}") from None
    fields = {name: getattr(said, name) for name in said.__struct_fields__}
    return Recipe(**fields, name=path.stem, own=own, path=str(path))
