"""What ``audiometry review`` does: finds what is reviewed, serves the page, says how far it is."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from audiometry.bench import Benchmark
from audiometry.cli import studying
from audiometry.cli.say import say, say_json
from audiometry.errors import UnknownNameError, UsageError, counted, shown
from audiometry.files.extras import install
from audiometry.review.folder import REVIEWS, ReviewFolder
from audiometry.review.modes.mode import Mode
from audiometry.review.review import Review
from audiometry.review.unit import Unit

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from audiometry.score.opened import OpenedRun
    from audiometry.web.study.study import Study

_NO_NAME = re.compile(r"[^a-z0-9.]+")
LONGEST_NAME = 80  # characters of a folder's name


def opened(
    of: tuple[str, ...],
    mode: str,
    *,
    output: Path | None,
    sample: int | None,
    raters: int | None,
    seed: int | None,
    bench: str = "",
) -> tuple[Review, Benchmark]:
    """The review that was asked for, and the benchmark whose clips it plays."""
    from audiometry.files.run_folder import RunFolder
    from audiometry.review.modes import OF_ITEMS, OF_REPLIES
    from audiometry.review.review import reviewed

    are_runs = [RunFolder(Path(one)).exists() for one in of]
    if any(are_runs) and not all(are_runs):
        raise UsageError(
            f"{shown(of[are_runs.index(False)], 200)} is no run, and others are; give runs, or a benchmark"
        )
    modes = OF_REPLIES if any(are_runs) else OF_ITEMS
    if mode and mode not in OF_REPLIES | OF_ITEMS:
        raise UnknownNameError("mode of review", mode, OF_REPLIES | OF_ITEMS)
    if mode and mode not in modes:
        what = "a benchmark" if any(are_runs) else "runs"
        raise UsageError(f"mode {mode} is for {what}; of what is given people can {', '.join(modes)}")
    if raters is not None and mode == "answer":
        raise UsageError("mode answer has three to five people by a rule of its own; leave --raters out")
    found = _of_replies([Path(one) for one in of], mode, bench, sample, seed) if any(are_runs) else _of_items(of, mode)
    given = {"sample": sample, "raters": raters, "seed": seed}
    folder = ReviewFolder(output or found.folder)
    return reviewed(folder, found.mode, found.units, found.of, given), found.benchmark


class _Found(msgspec.Struct, frozen=True):
    """What there is to review, and where the review is kept unless it is said."""

    mode: Mode
    units: list[Unit]
    benchmark: Benchmark
    of: tuple[str, ...]
    folder: Path


def _of_items(of: tuple[str, ...], mode: str) -> _Found:
    from audiometry import bench
    from audiometry.review import sources
    from audiometry.review.modes import OF_ITEMS

    first, *more = of
    if more:
        raise UsageError("a benchmark is reviewed alone; give one folder, or several runs")
    benchmark, mode = bench.load(first), mode or "approve"
    units = sources.items(benchmark)
    if mode == "approve":
        units = [*sources.wordings(benchmark), *units]
    else:
        units = [unit for unit in units if unit.item.answer in unit.options]
    return _Found(OF_ITEMS[mode], units, benchmark, (benchmark.name,), _of_benchmark(first, mode, benchmark.name))


def _of_benchmark(given: str, mode: str, name: str) -> Path:
    """Where a benchmark's review is kept: in it, if it is a folder."""
    from audiometry.review.folder import ANSWERED, INSIDE

    return Path(given) / (ANSWERED if mode == "answer" else INSIDE) if Path(given).is_dir() else _kept(mode, name, ())


def _of_replies(paths: list[Path], mode: str, source: str, sample: int | None, seed: int | None) -> _Found:
    from audiometry.review import sources
    from audiometry.review.modes import OF_REPLIES
    from audiometry.score.opened import has_options, open_runs

    runs = sorted(open_runs(paths, source), key=lambda run: run.info.called)
    sources.alike(runs)
    mode = mode or ("prefer" if len(runs) > 1 else "align" if has_options(runs[0]) else "score")
    benchmark, asked = runs[0].benchmark, OF_REPLIES[mode]
    if mode == "prefer":
        if len(runs) == 1:
            raise UsageError("mode prefer compares two models' replies; give two runs or more")
        units = sources.pairs(runs, sample, seed if seed is not None else 1)
    elif mode in {"code", "errata"}:
        asked, units = _of_wrong(runs, mode)
    else:
        units = [unit for run in runs for unit in sources.replies(run) if mode != "align" or unit.options]
    of = (benchmark.name, *(run.info.called for run in runs))
    return _Found(asked, units, benchmark, of, _kept(mode, benchmark.name, of[1:]))


def _of_wrong(runs: list[OpenedRun], mode: str) -> tuple[Mode, list[Unit]]:
    """Wrong replies to be coded, or answers that they make suspect."""
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    from audiometry.analysis.modes import book, wrong
    from audiometry.review import sources
    from audiometry.review.modes import OF_REPLIES, code
    from audiometry.review.unit import Judged

    replied = [wrong.replied(run) for run in runs]
    if mode == "code":
        units = [
            Unit(item=one.item, title=given.run.benchmark.card.title_of(one.item.task), options=one.shown,
                 replies=(Judged(given.run.info.called, one.text),))
            for given in replied
            for one in given.each()
        ]  # fmt: skip
        return code.mode([(one.name, one.title, one.about) for one in book.own().code]), units
    chosen = [{one.item.id: one.outcome.read for one in given.each() if one.outcome.read} for given in replied]
    answered: Counter[str] = Counter()
    for given in replied:
        at = given.run.benchmark.items.at
        answered.update(
            at(place).id for place, state in zip(given.run.positions, given.state, strict=True) if state != wrong.NONE
        )
    return OF_REPLIES[mode], sources.suspects(runs[0].benchmark, chosen, answered)


def _kept(mode: str, benchmark: str, models: tuple[str, ...]) -> Path:
    """Where a review is kept that has no benchmark folder to be kept in."""
    named = _NO_NAME.sub("-", "-".join((mode, benchmark, *models)).lower()).strip("-.")[:LONGEST_NAME]
    own = hashlib.sha256(msgspec.json.encode((mode, benchmark, models))).hexdigest()[:6]
    return REVIEWS / f"{named}-{own}"


def serve(
    review: Review, benchmark: Benchmark, *, host: str, port: int, named: tuple[str, ...], study: Study | None = None
) -> Review:
    """Serve the page until Ctrl-C; the review with the links that were made."""
    try:
        from audiometry.review import page
        from audiometry.web import door
        from audiometry.web import serve as server
        from audiometry.web.clips import Clips
    except ImportError as problem:
        if (problem.name or "").partition(".")[0] not in {"fastapi", "starlette", "uvicorn"}:
            raise
        raise UsageError(f"review needs FastAPI and uvicorn; run: {install('web')}") from problem
    tokens = {door.token(): door.named(name) for name in dict.fromkeys(named)}
    with contextlib.ExitStack() as stack:
        on = stack.enter_context(server.listen(host or server.HERE, port))
        desk = stack.enter_context(review.desk())
        clips = stack.enter_context(contextlib.closing(Clips(benchmark.clip_path)))
        if tokens:
            review = review.with_links({door.hashed(token): name for token, name in tokens.items()})
        if host and not review.settings.links and study is None:
            raise UsageError("nobody could come in: make a link for each person with --rater NAME, or give a --study")
        called = shown(benchmark.name)
        app: ASGIApp
        if study is not None:
            app = studying.around_review(study, desk, clips, called, host=host)
        else:
            own = hashlib.sha256(os.fsencode(review.folder.path.resolve())).hexdigest()[:8]
            entrance = door.Door(f"audiometry-{own}", review.settings.links if host else None)
            app = page.application(page.Page(desk, clips, called), entrance, clips, lambda why: say(why, err=True))

        def ready(_: Callable[[], None]) -> None:
            for line in benchmark.lines_left_out():
                say(line, err=True)
            say(
                f"{counted(desk.missing, 'answer')} to be given about {counted(len(desk.units), review.mode.noun)}.",
                err=True,
            )
            address = server.address(on, socket.gethostname() if host in {"0.0.0.0", "::"} else host or server.HERE)  # noqa: S104  compared, not bound
            for line in (
                studying.ways_in(study, address) if study is not None else _ways_in(review, address, host, tokens)
            ):
                say(line, err=True)

        server.serve(app, on, ready)
    return review


def _ways_in(review: Review, address: str, host: str, tokens: Mapping[str, str]) -> Iterator[str]:
    """How people come to the page."""
    for token, name in tokens.items():
        yield f"{shown(name)}: {address}/link/{token}"
    if host and (others := sorted(set(review.settings.links.values()) - set(tokens.values()))):
        yield f"Links of before still hold: {', '.join(map(shown, others))}."
    way = "Each person opens the own link" if host else f"Open {address} in a browser"
    yield f"{way}; Ctrl-C ends it, and nothing is lost."


def apply(of: tuple[str, ...], mode: str, *, output: Path | None, as_json: bool, **given: Any) -> int:
    """Write the new version that a review makes of a benchmark; say what has changed."""
    from audiometry.review.applied import apply as applied

    if output is None:
        raise UsageError("--apply writes a new version of the benchmark; say with -o where to")
    review, benchmark = opened(of, mode, output=None, **given)
    refuse_none(review, of)
    found = applied(review, benchmark, output)
    _describe(output)
    if as_json:
        say_json(found)
        return 0
    where = shown(shlex.quote(found.folder), 1000)
    mended = (
        f"of {found.n_text_mended:,} the text is mended (they have new ids), of {found.n_answer_mended:,} the answer"
    )
    say(
        f"{counted(found.n_items, 'item')}, {found.n_rejected:,} rejected; {mended}; {found.n_unreviewed:,} unreviewed."
    )
    if found.n_wordings is not None:
        are, ask = ("is", "are")[found.n_wordings != 1], ("asks", "ask")[found.n_reworded != 1]
        say(
            f"{counted(found.n_wordings, 'wording')} that a model wrote {are} kept; "
            f"{counted(found.n_reworded, 'item')} {ask} in other words now."
        )
    if found.n_waiting:
        say(f"{counted(found.n_waiting, 'item')} stay as they are: raters are missing, or mend them in different ways.")
    say(f"Version {shown(found.version)} in {where}; next: audiometry check {where}")
    return 0


def refuse_none(review: Review, of: tuple[str, ...]) -> None:
    """Raise if nobody has said anything; names the modes in which people have.

    Raises:
        UsageError: the folder holds no review, or no answer.
    """
    from audiometry.review.modes import OF_ITEMS, OF_REPLIES

    there = review.folder.exists()
    if there and any(review.folder.lines()):
        return
    where, (name, *models) = shown(str(review.folder.path), 200), review.settings.of
    found = list[str]()
    for mode in OF_REPLIES if models else OF_ITEMS:
        folder = ReviewFolder(_kept(mode, name, tuple(models)) if models else _of_benchmark(of[0], mode, name))
        if mode != review.mode.name and folder.exists() and (n := sum(1 for _ in folder.lines())):
            found.append(f"--mode {mode} ({counted(n, 'line')})")
    why = f"nobody has said anything yet in {where}" if there else f"{where} holds no review"
    do = f"in mode {review.mode.name}, but there is one with {' and one with '.join(found)}; name that"
    raise UsageError(f"{why} {do}" if found else f"{why}; have people review first")


def _describe(folder: Path) -> None:
    """Write anew what tells people and other programs of a benchmark that was built."""
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    from audiometry import bench
    from audiometry.builder import croissant
    from audiometry.builder import spec as specs
    from audiometry.files import atomic, benchmark_folder, build_folder, foreign
    from audiometry.files.stamp import sha256_of
    from audiometry.report import build_page, section_page

    path, held = (folder / build_folder.FOLDER / name for name in (build_folder.SPEC, build_folder.INFO))
    if not (path.is_file() and held.is_file()):
        return
    info, spec = foreign.json(foreign.read_file(held), build_folder.BuildInfo), specs.read(path)[0]
    about = msgspec.structs.replace(spec.benchmark, version=info.version)
    spec, hashed = msgspec.structs.replace(spec, benchmark=about), sha256_of(folder / benchmark_folder.METADATA)
    atomic.write(folder / croissant.FILE, croissant.document(spec, info, hashed, tuple(bench.load(folder))))
    section_page.write(build_page.reviewed(folder, info), folder / build_folder.FOLDER / build_folder.REPORT)
