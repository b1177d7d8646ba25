"""The run folder from the running side: its name, what it must agree with, what is done already."""

from __future__ import annotations

import hashlib
import platform
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec

import audiometry
from audiometry.bench import Benchmark
from audiometry.bench.selection import extent, joined, stated
from audiometry.errors import RunFolderError, shown
from audiometry.files import presence
from audiometry.files.asked import Selection
from audiometry.files.run_folder import (
    RUNS,
    AudioStamp,
    BenchmarkStamp,
    PromptStamp,
    RecipeStamp,
    RunFolder,
    RunInfo,
    differing,
)
from audiometry.files.secrets import Scrubber
from audiometry.models import Model
from audiometry.models.protocol import Served
from audiometry.records.reply import now
from audiometry.run.plan import Plan
from audiometry.run.settings import RunSettings

CUT = "..."  # between the words that are kept of a name that is too long
LIBRARIES = ("numpy", "soundfile", "soxr", "aiohttp", "pocketsphinx", "faster-whisper")


def describe(plan: Plan, model: Model, settings: RunSettings) -> RunInfo:
    """``run.json`` for a plan and a model; without secrets, so that it is the same when it is read back."""
    benchmark = plan.benchmark
    stamp = BenchmarkStamp(
        name=benchmark.name,
        version=benchmark.card.benchmark.version,
        source=_absolute(benchmark.source),
        sha256=benchmark.sha256,
        data=_absolute(benchmark.data) if benchmark.data else "",
        revision=benchmark.revision,
        left_out=benchmark.n_left_out,
        absent=benchmark.absent,
    )
    selection = Selection(
        tasks=settings.tasks, categories=settings.categories, limit=settings.limit, variants=plan.variants
    )
    info = RunInfo(
        benchmark=stamp,
        model=model.name,
        parameters=model.parameters,
        prompt=plan.prompt,
        audio=AudioStamp(
            rate=plan.card.rate,
            channels=plan.card.channels,
            formats=plan.card.formats,
            longest_s=plan.card.longest_s,
            largest_mb=plan.card.largest_mb,
            cut=plan.card.cut,
            shortest_s=plan.card.shortest_s,
            padded=plan.card.padded,
        ),
        decoding=_decoding(settings),
        seed=settings.seed,
        variants=plan.variants,
        tasks=selection.tasks,
        categories=selection.categories,
        limit=selection.limit,
        asked=(selection,),
        extent=extent(benchmark, plan.positions),
        n_items=len(plan.positions),
        n_without_clip=plan.n_without_clip,
        n_planned=len(plan),
        versions=dict(_versions()),
        started=now(),
        served_at=model.served_at if isinstance(model, Served) else (),
        again=settings.again,
        unfinished=settings.again,
    )
    return Scrubber().record(info)


def default_path(info: RunInfo, root: Path = RUNS) -> Path:
    """A name that the same request always gets, so that asking again resumes: ``runs/mini--oracle--7f3a``.

    It rests on where the benchmark is and not on its content, so that a corrected one finds its replies.
    """
    shape = _shape(info) | {"benchmark": info.benchmark.name, "benchmark content": info.benchmark.source}
    shaped = msgspec.json.encode([shape[key] for key in sorted(shape)], order="deterministic")
    digest = hashlib.sha256(shaped).hexdigest()[:4]
    model = info.model.partition("/")[2] or info.model
    recipe = [] if info.prompt.recipe is None else [_slug(info.prompt.recipe.called)]
    return root / "--".join([_slug(info.benchmark.name), _slug(model, 120), *recipe, digest])


def agree(folder: RunFolder, info: RunInfo) -> RunInfo | None:
    """Whether a run may start or go on in a folder; nothing is written.

    A folder holds one benchmark, model, prompt and seed; which items and variants are asked may grow, and the benchmark
    may be corrected where it is. One without a reply may become another run's.

    Returns:
        What ``run.json`` says by now; None if no run was started here, or none that has a reply and is another one.

    Raises:
        RunFolderError: the folder belongs to another run; says in what they differ.
    """
    if folder.exists():
        before = folder.info()
        old, new = _shape(before), _shape(info)
        same_place = _place(before) == _place(info)
        for key, was in old.items():
            if was != new[key] and not (same_place and key.startswith("benchmark")):
                if not _answered(folder):
                    return None
                raise RunFolderError(_difference(folder, key, before, info))
        return before
    if folder.has_replies():
        raise RunFolderError(f"{folder.path} has replies but no run.json; restore it, or give another folder with -o")
    return None


def widened(folder: RunFolder, info: RunInfo, before: RunInfo | None, benchmark: Benchmark) -> RunInfo:
    """``run.json`` of a command with all that the folder was asked before; what is there never becomes less.

    Args:
        folder: of the run; one without a reply has nothing to lose.
        info: of the command alone.
        before: see `agree`.
        benchmark: as it is now.
    """
    if before is None or not _answered(folder):
        return info
    selections = joined(benchmark, before.selections, info.selections[0])
    return info if selections == info.selections else stated(benchmark, info, selections)


def claim(folder: RunFolder, info: RunInfo, benchmark: Benchmark) -> RunInfo:
    """Start or continue a run in a folder whose journal is held, so that no other process is at work there.

    Args:
        folder: of the run.
        info: of the command.
        benchmark: as it is now.

    Returns:
        What ``run.json`` says now.

    Raises:
        RunFolderError: the folder belongs to another run; see `agree`.
        StorageError: it cannot be written.
    """
    before = agree(folder, info)
    if before is not None:
        info = widened(folder, info, before, benchmark)
        contents = dict.fromkeys((*before.benchmark.earlier, before.benchmark.sha256))
        earlier = tuple(content for content in contents if content != info.benchmark.sha256)
        info = msgspec.structs.replace(
            info,
            benchmark=msgspec.structs.replace(info.benchmark, earlier=earlier),
            started=before.started,
            served_at=_served_at(before, info),
            again=before.again or info.again,
            unfinished=before.unfinished or info.unfinished,
        )
        if _settled(before) == _settled(info):
            return before
    folder.write_info(info)
    return info


def finish(folder: RunFolder) -> None:
    """Say that every reply is there, so that the next ``--again`` begins anew.

    Raises:
        StorageError: it cannot be written.
    """
    info = folder.info()
    if info.unfinished:
        folder.write_info(msgspec.structs.replace(info, unfinished=False))


def _served_at(before: RunInfo, info: RunInfo) -> tuple[str, ...] | None:
    """Where all replies of a folder were asked: those that are there, and those to come."""
    if info.again and not before.unfinished:  # what was there is set aside
        return info.served_at
    if before.served_at is None or info.served_at is None:
        return None
    return tuple(sorted({*before.served_at, *info.served_at}))


def _shape(info: RunInfo) -> dict[str, object]:
    """What shapes every reply of a run."""
    return {
        "benchmark": f"{info.benchmark.name} {info.benchmark.version}",
        "benchmark content": info.benchmark.sha256,
        "model": info.model,
        "parameters": msgspec.to_builtins(info.parameters),
        "prompt": _shaping(info.prompt),
        "audio": msgspec.to_builtins(info.audio),
        "seed": info.seed,
    }


def _shaping(stamp: PromptStamp) -> object:
    """A prompt stamp without what people are told besides."""
    recipe = stamp.recipe and msgspec.structs.replace(stamp.recipe, about="")
    return msgspec.to_builtins(msgspec.structs.replace(stamp, recipe=recipe))


def _decoding(settings: RunSettings) -> dict[str, Any]:
    given = {"temperature": settings.model.temperature, "max_tokens": settings.model.max_tokens}
    return {key: value for key, value in given.items() if value is not None} | dict(settings.model.extra)


def _place(info: RunInfo) -> tuple[str, str]:
    return info.benchmark.name, info.benchmark.source


def _settled(info: RunInfo) -> RunInfo:
    return msgspec.structs.replace(info, versions={})


def _answered(folder: RunFolder) -> bool:
    """Whether there is a reply; a folder of failures alone may take another request."""
    return any(record.error is None for record in folder.lines())


def _difference(folder: RunFolder, key: str, before: RunInfo, info: RunInfo) -> str:
    was, now_is = _shape(before)[key], _shape(info)[key]
    recipes = [_recipe(one.prompt.recipe) for one in (before, info)]
    if key.startswith("benchmark"):
        width = 20 if key == "benchmark content" else 80
        same = str(was).rpartition(" ")[0] == str(now_is).rpartition(" ")[0]  # names, or hashes without one
        other = "version of the benchmark" if same else "benchmark"
        what = f"another {other} ({str(was)[:width]}, now {str(now_is)[:width]})"
    elif key not in {"model", "seed"} and recipes[0] != recipes[1]:
        what = f"{recipes[0] or 'no --recipe'}, now {recipes[1] or 'without'}"
    elif isinstance(was, dict) and isinstance(now_is, dict):
        said = (f"{name} = {then} (now {now_as})" for name, then, now_as in differing(was, now_is))
        what = f"{key} {shown(', '.join(said), 400)}"
    else:
        what = f"{key} {was}, now {now_is}"
    return f"{folder.path} was made with {what}; give another folder with -o"


def _recipe(stamp: RecipeStamp | None) -> str:
    return "" if stamp is None else f"--recipe {shown(stamp.name)} ({stamp.sha256[:6]})"


def _absolute(source: str) -> str:
    """A path that still holds when the run is scored from elsewhere; an id stays as it is."""
    path = Path(source)
    return str(path.resolve()) if presence.exists(path) else source


def _slug(text: str, longest: int = 60) -> str:
    """A name as part of a file's: letters, digits, dots and dashes; of one that is too long whole words at both ends.

    What tells two cascades apart, or two programs, stands at the end: who reads, and with which options.

    >>> _slug("whisper-large-v2?hears=words&reader=vllm/meta-llama/Llama-3.1-70B-Instruct", 40)
    'whisper...Llama-3.1-70B-Instruct'
    """
    whole = re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")
    if len(whole) <= longest:
        return whole or "run"
    first = whole[: longest // 3 + 1].rpartition("-")[0]
    room = longest - len(first) - len(CUT)
    end = whole[-room - 1 :]
    return f"{first}{CUT}{end.partition('-')[2] or end[1:]}"


@cache
def _versions() -> dict[str, str]:
    found = {"audiometry": audiometry.__version__, "python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
