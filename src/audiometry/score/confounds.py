"""What else than the model differs between two runs that are compared, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from audiometry.bench import Benchmark
from audiometry.choices.variant import PLAIN, crossed, in_order, is_crossed, of_score, with_fewer
from audiometry.errors import UsageError, counted, shown
from audiometry.files.run_folder import AudioStamp, PromptStamp, RunInfo, differing
from audiometry.score.heard import Changed
from audiometry.score.opened import OpenedRun

MOST_NAMED = 6  # of what differs
PART = "which is part of the difference"


def confounds(a: OpenedRun, b: OpenedRun, n_one: int, clips: Sequence[Changed] = ()) -> tuple[str, ...]:
    """What else than the model differs between two runs.

    Args:
        a: a run.
        b: another one.
        n_one: items of the comparison's kind that only one of them was asked.
        clips: replies of each that were made with other clips than there are now.
    """
    found = [f"{n_one:,} items were asked in one run only and are left out"] if n_one else []
    found += asked_otherwise(a.info, b.info)
    made = [run.info.versions.get("audiometry", "") for run in (a, b)]
    if all(made) and made[0] != made[1]:
        found.append(
            f"the runs were made by audiometry {' / '.join(map(shown, made))}, and are scored by this one alike"
        )
    ways = [of_score(run.info.variants) for run in (a, b)]
    if ways[0] != ways[1]:
        asked = " / ".join(map(said_of, ways))
        found.append(
            f"the runs asked different variants ({asked}): each has its own mean over them, on the items of both"
        )
    if less := set(with_fewer(a.info.variants)) & set(with_fewer(b.info.variants)):
        found.append(f"variants with fewer options are not compared: {', '.join(in_order(less))}")
    found += [f"{run.folder.path}: {one.said}" for run, one in zip((a, b), clips, strict=False) if one.said]
    return tuple(found)


def asked_otherwise(a: RunInfo, b: RunInfo) -> Iterator[str]:
    """In what prompts, parameters and lengths of clips differ; of two models' parameters, what was set by people."""
    one, other = a.prompt, b.prompt
    if _laid_out(one) != _laid_out(other):
        yield f"different prompts, {PART}: {shown(one.called, 200)} / {shown(other.called, 200)}"
    elif (one.recipe and one.recipe.sha256) != (other.recipe and other.recipe.sha256):
        named = (shown(stamp.called, 200) if stamp.recipe else "no recipe" for stamp in (one, other))
        yield f"different recipes with the same prompt: {' / '.join(named)}"
    apart = list(differing(a.decoding, b.decoding))
    if not apart and a.model == b.model:
        apart = list(differing(a.parameters, b.parameters))
    if apart:
        said = [f"{name} {mine} / {others}" for name, mine, others in apart]
        more = [f"{len(said) - MOST_NAMED} more"] if len(said) > MOST_NAMED else []
        yield f"different parameters, {PART}: {', '.join(said[:MOST_NAMED] + more)}"
    lengths = [_length(info.audio) for info in (a, b)]
    if lengths[0] != lengths[1]:
        yield f"clips were cut otherwise: {' / '.join(lengths)}"


def _length(audio: AudioStamp | None) -> str:
    return f"after {audio.longest_s:g} s" if audio and audio.cut and audio.longest_s else "never"


def _laid_out(prompt: PromptStamp) -> tuple[object, ...]:
    return prompt.sha256, prompt.part_order, prompt.style, prompt.signed_shots, prompt.examples


def alike(a: OpenedRun, b: OpenedRun) -> None:
    """Let through only two runs of one benchmark.

    Raises:
        UsageError: they are not; it says in what the benchmarks differ.
    """
    if a.info.benchmark.sha256 != b.info.benchmark.sha256:
        unlike = _unlike(a.benchmark, b.benchmark)
        raise UsageError(
            f"{a.folder.path} is a run of {_named(a)}, {b.folder.path} of {_named(b)}{unlike}; "
            "only runs of the same version can be compared, or share a report"
        )


def _named(run: OpenedRun) -> str:
    stamp = run.info.benchmark
    return f"{stamp.name} {stamp.version} ({stamp.sha256[:8]})"


def _unlike(a: Benchmark, b: Benchmark) -> str:
    """In what two benchmarks of one name differ; nothing of those that are told apart by their names."""
    if a.name != b.name:
        return ""
    one, other = a.tasks(), b.tasks()
    if lone := list(one.keys() ^ other.keys()):
        return f", which differ in tasks that only one has: {_few(sorted(lone))}"
    sizes = [f"{shown(name, 40)} ({n:,} / {other[name]:,} items)" for name, n in one.items() if n != other[name]]
    if sizes:
        return (
            f", which differ in the items of {', '.join(sizes[:MOST_NAMED])}{', …' if len(sizes) > MOST_NAMED else ''}"
        )
    for task in a.card.task:
        if apart := _apart(task, b.card.task_named(task.name)):
            return f", which differ in the card's task {shown(task.name, 40)} ({apart})"
    for item, twin in zip(a, b, strict=True):
        if apart := _apart(item, twin):
            return f", which differ in item {shown(item.id, 40)} ({apart})"
    apart = _apart(a.card, b.card)
    return (
        f", which differ in the card ({apart})" if apart else ", which differ in comments or rows that nobody is asked"
    )


def _apart(one: msgspec.Struct, other: msgspec.Struct) -> str:
    """The fields in which two records of a kind differ, with what the first of them says where that is a text."""
    fields = [name for name in one.__struct_fields__ if getattr(one, name) != getattr(other, name)]
    both = [getattr(record, fields[0]) for record in (one, other)] if fields else []
    said = " / ".join(f"'{shown(value, 40)}'" for value in both if isinstance(value, str))
    return f"{_few(fields)}{': ' * bool(said)}{said}"


def said_of(variants: Sequence[str]) -> str:
    """In how many wordings and orders, and how often, in words; the variants' names where these are not crossed.

    Args:
        variants: of a score.
    """
    if not is_crossed(variants):
        return _few(variants)
    return " × ".join(counted(n, way) for way, n in crossed(variants)._asdict().items() if n > 1) or PLAIN


def _few(names: Sequence[str]) -> str:
    return ", ".join(shown(name, 40) for name in names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
