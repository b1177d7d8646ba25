"""What a review makes of a benchmark: a new version, in which rejected items are gone and mended ones are mended."""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import msgspec

from audiometry import bench
from audiometry.bench import Benchmark
from audiometry.errors import BenchmarkError, StorageError, UsageError, shown
from audiometry.files import atomic, benchmark_folder, foreign, linked
from audiometry.files.benchmark_folder import CARD, METADATA
from audiometry.files.build_folder import FOLDER, INFO, REJECTED, REPORT, BuildInfo, Rejected, read_info
from audiometry.records.reply import now
from audiometry.review import sources
from audiometry.review.answers import Answer, Answers
from audiometry.review.changed import Changed
from audiometry.review.folder import ANSWERED, INSIDE, ReviewFolder, Settings
from audiometry.review.modes import OF_ITEMS
from audiometry.review.modes.answer import NAME as ANSWER
from audiometry.review.modes.mode import Decision
from audiometry.review.modes.wording import APPROVE
from audiometry.review.review import Review, unreviewed
from audiometry.review.rewording import RULE, Wordings
from audiometry.review.version import next_version, with_version

_LEFT: Final = frozenset({CARD, METADATA, INSIDE, "croissant.json"})  # what tells of the old version


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """What was made, as ``--json`` says it.

    Attributes:
        folder: the new version's.
        version: its version.
        n_items: in it.
        n_rejected, n_text_mended, n_answer_mended: what became of the others.
        n_reworded: of its items, that ask in other words since the wording they had is not kept, or is mended.
        n_wordings: that a model wrote and that are kept, of all tasks; None: it wrote none.
        n_waiting: items that stay as they are since raters are missing, or mend them in different ways.
        n_unreviewed: of its items, that nobody has judged.
        new_ids: of items that ask in other words now, by the old id.
    """

    folder: str
    version: str
    n_items: int
    n_rejected: int
    n_text_mended: int
    n_answer_mended: int
    n_reworded: int = 0
    n_wordings: int | None = None
    n_waiting: int
    n_unreviewed: int
    new_ids: dict[str, str]


def apply(review: Review, benchmark: Benchmark, to: Path) -> Applied:
    """Write a new version of a benchmark folder, with all that a review says of it.

    Mended text gets a new id, a mended answer keeps it; both versions keep the lines of all other items to the byte.

    Args:
        review: of its items.
        benchmark: the old version, which stays as it is.
        to: the new version's folder, which is not there yet.

    Raises:
        UsageError: it is no folder of its own data, ``to`` is there, or there is nothing to apply.
        StorageError: the disk refused; what was written is removed.
    """
    root = benchmark.root
    if benchmark.card.data.source != "folder" or not (root / METADATA).is_file():
        raise UsageError(f"{shown(benchmark.source)} is no benchmark folder with {METADATA}; make one of it first")
    if to.exists():
        raise UsageError(f"{shown(str(to), 200)} is there already; give a folder that is not there yet")
    if not len(review.answers()):
        raise UsageError("no answer of this review is about what the benchmark holds now; there is nothing to apply")
    half = to.with_name(f".{to.name}.half")  # so that what is there is whole, whatever ends this
    with ExitStack() as left:
        left.callback(shutil.rmtree, half, ignore_errors=True)
        shutil.rmtree(half, ignore_errors=True)
        made = _write(review, benchmark, half)
        try:
            half.replace(to)
        except OSError as problem:
            raise StorageError(f"cannot write {to}: {problem.strerror}; choose another folder") from problem
    return msgspec.structs.replace(made, folder=str(to))


def _decisions(review: Review) -> tuple[dict[str, Decision], int]:
    """What becomes of what is decided, items and wordings, by id; how many others somebody has judged."""
    answers, found, n_waiting = review.answers(), {}, 0
    for unit in review.units:
        said = answers.of(unit.key)
        missing = review.mode.wanted(unit, said, review.settings.raters)
        if (decision := None if missing else review.mode.decide(unit, said)) is not None:
            found[unit.item.id] = decision
        else:
            n_waiting += bool(said)
    return found, n_waiting


def _write(review: Review, benchmark: Benchmark, to: Path) -> Applied:
    root, info = benchmark.root, read_info(benchmark.root)
    decisions, n_waiting = _decisions(review)
    wordings = None
    if info is not None and info.written:
        wordings = Wordings(info, sources.wordings(benchmark), decisions, benchmark)
    found = Changed(benchmark.card.data.columns, decisions, wordings)
    with (root / METADATA).open("rb") as file:
        atomic.write_parts(to / METADATA, found.lines(file))
    if not found.items:
        raise UsageError("every item is rejected, so that nothing is left; there is no new version")
    version = next_version(benchmark.card.benchmark.version)
    atomic.write(to / CARD, with_version(foreign.read_file(root / CARD), version))
    if benchmark_folder.read_card(to).benchmark.version != version:
        raise BenchmarkError(f'{root / CARD}: its version cannot be changed; write version = "1" under [benchmark]')
    _carry(root, to, {name for item in found.items.values() for name in item.clips})
    _say_rejected(root, to, [*(wordings.rejected if wordings is not None else ()), *found.rejected])
    if info is not None:
        info = _built(info, version, found, wordings)
        atomic.write_document(to / FOLDER / INFO, info)
    new = bench.load(to)
    _carry_answers(review, benchmark, new, found)
    left, _ = unreviewed(new) or (len(new), 0)
    if info is not None:
        atomic.write_document(to / FOLDER / INFO, msgspec.structs.replace(info, unreviewed=left / len(new)))
    return Applied(
        folder=str(to),
        version=version,
        n_items=len(new),
        n_rejected=len(found.rejected),
        n_text_mended=found.n_text,
        n_answer_mended=found.n_answer,
        n_reworded=len(found.reworded),
        n_wordings=sum(map(len, wordings.written.values())) if wordings is not None else None,
        n_waiting=n_waiting,
        n_unreviewed=left,
        new_ids={old: item.id for old, item in found.items.items() if item.id != old},
    )


def _built(info: BuildInfo, version: str, found: Changed, wordings: Wordings | None) -> BuildInfo:
    """What is there now, of a build; what was measured on other items is not told any more."""
    counts = Counter(item.task for item in found.items.values())
    n_rejected = len(found.rejected) + (len(wordings.rejected) if wordings is not None else 0)
    same = not found.rejected and not found.n_answer and all(old == item.id for old, item in found.items.items())
    return msgspec.structs.replace(
        info,
        version=version,
        items={task: counts[task] for task in info.items},
        clips=len({name for item in found.items.values() for name in item.clips}),
        rejected=info.rejected | ({RULE: info.rejected.get(RULE, 0) + n_rejected} if n_rejected else {}),
        blind=info.blind if same else None,
        wordings=wordings.kept if wordings is not None else info.wordings,
        written=wordings.written if wordings is not None else info.written,
    )


def _carry(root: Path, to: Path, clips: set[str]) -> None:
    """The clips, linked where the disk can, and beside them what a build wrote and the files that lie at the top."""
    beside = [path for path in root.iterdir() if path.name not in _LEFT and not path.name.startswith(".")]
    built = [path for path in (root / FOLDER).rglob("*") if path != root / FOLDER / REPORT]
    names = {path.relative_to(root).as_posix() for path in (*beside, *built)}
    for name in sorted(clips | names):
        path = (root / name).resolve()  # what a link leads to: a link itself may lead nowhere from there
        if not path.is_file():
            continue
        linked.link_or_copy(path, to / name, copy=name in names)  # some of those are written to


def _say_rejected(root: Path, to: Path, rejected: list[Rejected]) -> None:
    before = root / FOLDER / REJECTED
    earlier = before.read_bytes() if before.is_file() else b""
    lines = (msgspec.json.encode(one) + b"\n" for one in rejected)
    if rejected or earlier:
        atomic.write_parts(to / FOLDER / REJECTED, (earlier, *lines))


def _carry_answers(review: Review, old: Benchmark, new: Benchmark, found: Changed) -> None:
    """What was said of what is still there as it was; of what is mended that those approve it whose mending it is."""
    before = {unit.key: unit.content for unit in (*sources.items(old), *sources.wordings(old))}
    units = [*sources.items(new), *sources.wordings(new)]
    stay = {unit.key: unit for unit in units if before.get(unit.key) == unit.content}
    mends = [
        Answer(unit=unit.key, item=unit.item.id, content=unit.content, rater=by, said={"verdict": APPROVE}, at=now())
        for unit in units
        for by in found.mended_by(unit.item)
    ]
    for place, mode, more in ((INSIDE, APPROVE, mends), (ANSWERED, ANSWER, [])):
        held = review.folder if review.mode.name == mode else ReviewFolder(old.root / place)
        lines = [*Answers(stay, held.lines(), OF_ITEMS[mode].takes), *more]
        if lines:
            folder = ReviewFolder(new.root / place)
            folder.write_settings(Settings(mode=mode, of=(new.name,), raters=review.settings.raters))
            atomic.write_records(folder.answers_path, lines)
    if review.mode.name not in {APPROVE, ANSWER}:  # every word is kept
        atomic.write_records(new.root / INSIDE / f"{review.mode.name}.jsonl", review.folder.lines())
