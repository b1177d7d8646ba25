"""A run by a recipe: what it covers, what it sets, and what is refused beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

import msgspec

from audiometry.bench import Benchmark
from audiometry.errors import UsageError, shown
from audiometry.files.run_folder import PromptStamp, RecipeStamp
from audiometry.models import cards
from audiometry.models.registry import routes
from audiometry.records import ModelCard
from audiometry.run import layout
from audiometry.run.recipes import Ask, Decoding, Recipe, digest
from audiometry.run.settings import RunSettings

PROGRAMS: Final = frozenset({"exec"})
"""Providers of programs that decode by themselves."""

MOST_LISTED: Final = 12  # names in a line

_SAMPLING: Final = {"top_p": "top_p", "top_k": "top_k", "repetition_penalty": "repetition_penalty"}
GENERATION: Final[Mapping[str, Mapping[str, str]]] = {
    "vllm": {**_SAMPLING, "min_p": "min_p", "min_new_tokens": "min_tokens", "length_penalty": "length_penalty"},
    "openai": {"top_p": "top_p"},
    "google": {"top_p": "top_p"},
}
"""What a provider calls transformers' settings of decoding; ``hf`` calls them as transformers does."""


class Following(msgspec.Struct, frozen=True):
    """A recipe for one run.

    Attributes:
        recipe: what is followed.
        ask: how it puts the items.
        settings: of the run, with what the recipe says of decoding.
        stamp: what is kept of it.
    """

    recipe: Recipe
    ask: Ask
    settings: RunSettings
    stamp: PromptStamp

    def refuse_another(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Refuse a program whose command and own name are none of the recipe's models.

        Args:
            name: of the model, as ``provider/name``.
            parameters: of it; a program says there what it is.

        Raises:
            UsageError: the recipe is for other models.
        """
        provider = name.partition("/")[0]
        if provider in PROGRAMS and not _is_for(self.recipe, name):
            called = f"{provider}/{parameters['program']['name']}"
            if not _is_for(self.recipe, called):
                raise _another(self.recipe, f"{name}, which says it is {called}")

    def narrowed(self, card: ModelCard, model: str) -> ModelCard:
        """A model's card with the shortest clip of the recipe's, and with its longest, if that is shorter.

        Raises:
            UsageError: the model takes the recipe's order of clip and words not at all.
        """
        layout.part_order(self.ask.part_order, card, model, f"--recipe {shown(self.recipe.name)} asks")
        if self.recipe.shortest_s is not None:
            padded = self.recipe.shorter == "pad"
            card = msgspec.structs.replace(card, shortest_s=self.recipe.shortest_s, padded=padded)
        if _shorter(card, self.recipe):  # a card's own limit says what becomes of longer clips
            return card
        return msgspec.structs.replace(card, longest_s=self.recipe.longest_s, cut=self.recipe.longer == "cut")

    def said(self, card: ModelCard, model: str) -> tuple[str, ...]:
        """Lines on what is not as the makers do it: of the model with that card, before the recipe has narrowed it."""
        recipe, stamp = self.recipe, self.stamp.recipe
        lines: list[str] = []
        if stamp is not None and stamp.decoding == "program":
            lines.append("the program decodes by itself; that it does so as its makers do is for it to say")
        elif stamp is not None and stamp.unset:
            lines.append(f"not asked for here, though the makers set it: {_listed(stamp.unset)}")
        if recipe.longest_s is not None and _shorter(card, recipe):
            longer = "cut there" if card.cut else "failures"
            lines.append(
                f"the makers take clips of up to {recipe.longest_s:g} s, {shown(model, 200)} "
                f"takes {card.longest_s:g} s; longer ones are {longer}"
            )
        return tuple(f"recipe {shown(recipe.name)}: {line}" for line in lines)


def _shorter(card: ModelCard, recipe: Recipe) -> bool:
    """Whether a model's own limit on clips holds, and not the recipe's."""
    return recipe.longest_s is None or (card.longest_s is not None and card.longest_s < recipe.longest_s)


def follow(
    recipe: Recipe, model: str, settings: RunSettings, benchmark: Benchmark, positions: Sequence[int]
) -> Following:
    """A run's settings by a recipe.

    Args:
        recipe: what to follow.
        model: whom to ask, as ``provider/name``.
        settings: what a person has set.
        benchmark: whose items.
        positions: of those that are asked.

    Raises:
        UsageError: it is for other models (of a program, see `Following.refuse_another`) or benchmarks, or something
            set says what the recipe says.
    """
    _refuse_beside(recipe, settings)
    bare, provider = model.partition("?")[0], model.partition("/")[0]
    later = provider in PROGRAMS and _fits(provider, [pattern.partition("/")[0] for pattern in recipe.models])
    if not later and not _is_for(recipe, bare):  # a program says what it is when it has started
        raise _another(recipe, bare)
    ask = _covering(recipe, benchmark, positions)
    card = cards.find(bare, settings.model.card)
    asked, unset = ({}, ()) if provider in PROGRAMS else _for_provider(recipe.decoding, provider, card)
    said = RecipeStamp(
        name=recipe.name,
        about=recipe.about,
        own=recipe.own,
        sha256=digest(recipe, ask),
        wording=ask.wording,
        decoding="program" if provider in PROGRAMS else "set",
        unset=unset,
    )
    stamp = layout.stamp(ask.layout or "recipe", ask.part_order, ask.as_layout)
    made = msgspec.structs.replace(settings, model=msgspec.structs.replace(settings.model, **asked, recipe=recipe.name))
    return Following(recipe, ask, made, msgspec.structs.replace(stamp, recipe=said))


def _refuse_beside(recipe: Recipe, settings: RunSettings) -> None:
    given: dict[str, object] = {
        "--prompt": settings.prompt,
        "--part-order": settings.part_order,
        "--temperature": settings.model.temperature is not None,
        "--max-tokens": settings.model.max_tokens is not None,
        "--extra": settings.model.extra,
        "--shots": settings.shots,
    }
    if both := [option for option, value in given.items() if value]:
        raise UsageError(
            f"{' and '.join(both)} beside --recipe {shown(recipe.name)}: a recipe says that itself; leave out "
            f"{both[0] if len(both) == 1 else 'these'} or the recipe, or write one of your own"
        )


def _for_provider(decoding: Decoding, provider: str, card: ModelCard) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Model settings for what a provider can be asked for, and the names of what it cannot."""
    route = routes().get(provider)
    takes = set(route.takes if route is not None else ())
    takes -= set() if card.temperature else {"temperature"}
    takes -= set() if card.max_tokens_key else {"max_tokens"}
    asked: dict[str, Any] = {}
    unset: list[str] = []
    for name in ("temperature", "max_tokens"):
        value = getattr(decoding, name)
        if value is not None and name in takes:
            asked[name] = value
        elif value is not None:
            unset.append(name)
    names = {key: key for key in decoding.generation} if provider == "hf" else GENERATION.get(provider, {})
    further = {names[key]: value for key, value in decoding.generation.items() if key in names} | dict(decoding.fields)
    if "extra" not in takes:
        unset += [*decoding.generation, *decoding.fields]
    else:
        unset += [key for key in decoding.generation if key not in names]
        if further:
            asked["extra"] = further
    return asked, (*unset, *decoding.unset)


def _covering(recipe: Recipe, benchmark: Benchmark, positions: Sequence[int]) -> Ask:
    name, hint = shown(recipe.name), "leave --recipe out, or write a recipe of your own (docs/recipes.md)"
    fitting = [ask for ask in recipe.ask if _fits(benchmark.name, ask.benchmarks)]
    if not fitting:
        covered = _listed(one for ask in recipe.ask for one in ask.benchmarks)
        raise UsageError(f"recipe {name} does not cover {shown(benchmark.name)} (it covers {covered}); {hint}")
    tasks = {benchmark.items.task_of(position): position for position in reversed(positions)}
    left = [[task for task in tasks if ask.tasks and not _fits(task, ask.tasks)] for ask in fitting]
    ask = next((ask for ask, missing in zip(fitting, left, strict=True) if not missing), None)
    if ask is None:
        only = _listed(task for one in fitting for task in one.tasks)
        raise UsageError(
            f"recipe {name} does not cover task {shown(left[-1][0])} of {shown(benchmark.name)}; "
            f"choose with --task among {only}, or {hint}"
        )
    how = ask.as_layout
    for task, first in tasks.items():  # the items of a task are all of a kind
        options = benchmark.items.at(first).options
        if not (how.single if options else how.open):
            kind = "items with options" if options else "open questions"
            raise UsageError(
                f"recipe {name} does not cover {kind}: task {shown(task)} of {shown(benchmark.name)}; {hint}"
            )
    return ask


def _is_for(recipe: Recipe, name: str) -> bool:
    return not _why_not(recipe, name) and _fits(name.lower(), [pattern.lower() for pattern in recipe.models])


def _why_not(recipe: Recipe, name: str) -> str:
    return next((why for pattern, why in recipe.refused.items() if _fits(name.lower(), [pattern.lower()])), "")


def _another(recipe: Recipe, name: str) -> UsageError:
    if why := _why_not(recipe, name):
        return UsageError(f"recipe {shown(recipe.name)} is not for {shown(name, 200)}: {shown(why, 1000)}")
    return UsageError(
        f"recipe {shown(recipe.name)} is for {_listed(recipe.models)}, not for {shown(name, 200)}; "
        f"leave --recipe out, or copy {shown(recipe.path, 1000)}, name the model in it and give --recipe COPY.toml"
    )


def _listed(names: Iterable[str]) -> str:
    """Names in one line, each once; of many the first twelve."""
    once = list(dict.fromkeys(names))
    return ", ".join(map(shown, once[:MOST_LISTED])) + (", …" if len(once) > MOST_LISTED else "")


def _fits(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
