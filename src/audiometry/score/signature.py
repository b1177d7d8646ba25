"""The signature: the short text printed beside a number that says how it was made."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

import audiometry
from audiometry.choices.variant import crossed, is_crossed, of_score
from audiometry.files.asked import signed as chosen
from audiometry.files.run_folder import RunInfo

LONGEST_DECODING: Final = 40  # characters of it in a signature
_ORDERS: Final = re.compile(r"^orders-\d+(-of-some)?$")
_WAYS: Final = re.compile(r"(wording|repeat)s-\d+")
_SHOTS: Final = re.compile(r"shots-\d(-audio)?")


def signed(info: RunInfo, first: str, *others: str) -> str:
    """The signature of a number; safe as a file name.

    Args:
        info: of the run.
        first: name and version of what made the number.
        others: what else has a say in it.
    """
    parts = [
        first,
        f"{info.benchmark.name.replace('/', '-')}-{info.benchmark.version}-{info.benchmark.sha256[:8]}",
        *chosen(info.extent, info.selections),
        *_asked(info),
        *_ways(info),
        f"seed-{info.seed}",
        *((f"left-out-{info.benchmark.left_out}",) if info.benchmark.left_out else ()),
        *_heard_by(info),
        *others,
        f"v{audiometry.__version__}",
    ]
    return "+".join("".join(c if c.isalnum() or c in "-._" else "-" for c in part) for part in parts)


def asked_once(signature: str, *, shots: bool) -> str:
    """The signature of what is asked aside, in the first order and wording alone.

    Args:
        signature: of the run's score.
        shots: whether worked examples stand before it too.

    >>> asked_once("strict.1+things-1-5b9c1f2a+mcq-698237+shots-1+orders-3+repeats-2+seed-0", shots=False)
    'strict.1+things-1-5b9c1f2a+mcq-698237+orders-1+seed-0'
    """
    parts = (_ORDERS.sub("orders-1", part) for part in signature.split("+") if not _WAYS.fullmatch(part))
    return "+".join(part for part in parts if shots or not _SHOTS.fullmatch(part))


def _ways(info: RunInfo) -> Iterator[str]:
    """In how many orders and wordings items were asked, and how often."""
    ways = crossed(info.variants)
    alike = len({of_score(one.variants) for one in info.selections}) == 1 and is_crossed(info.variants)
    yield f"orders-{ways.order}{'' if alike else '-of-some'}"
    yield from (f"{way}s-{n}" for way, n in (("wording", ways.wording), ("repeat", ways.repeat)) if n > 1)


def _asked(info: RunInfo) -> tuple[str, ...]:
    """What a signature says of prompt and decoding: a recipe stands for both, else what a person has set."""
    prompt, stamp = info.prompt, info.prompt.recipe
    if stamp is None:
        laid_out = (f"{prompt.layout}-{prompt.sha256[:6]}", *prompt.signed_shots, prompt.part_order)
        return (*laid_out, *_decoding(info.decoding))
    named = f"recipe-{'own-' if stamp.own else ''}{stamp.name}-wording-{stamp.wording}-{stamp.sha256[:6]}"
    short = "decoding-by-program" if stamp.decoding == "program" else "decoding-partly" if stamp.unset else ""
    return (named, prompt.part_order, *filter(None, [short]))


def _decoding(given: Mapping[str, Any]) -> tuple[str, ...]:
    """In words while they are few, else a hash; nothing where all is the model's own."""
    if not given:
        return ()
    said = "-".join(f"{key}-{given[key]}" for key in sorted(given))
    if len(said) > LONGEST_DECODING or any(isinstance(value, dict | list) for value in given.values()):
        said = hashlib.sha256(msgspec.json.encode(given, order="deterministic")).hexdigest()[:6]
    return (f"decoding-{said}",)


def _heard_by(info: RunInfo) -> tuple[str, ...]:
    """Of a cascade: that it hears words alone, and the model that reads them; by rules it reads unless that is said."""
    hears, reader = info.parameters.get("hears"), info.parameters.get("reader")
    name = reader.get("name") if isinstance(reader, dict) else None
    return (*((f"hears-{hears}",) if hears else ()), *((f"reader-{name}",) if name and name != "rules" else ()))
