"""What a review makes of a benchmark: a new version, in which rejected items are gone and mended ones are mended."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec

from audiometry import bench
from audiometry.bench import Benchmark
from audiometry.bench.rules import meant
from audiometry.errors import BenchmarkError, StorageError, UsageError, shown
from audiometry.files import atomic, benchmark_folder, foreign
from audiometry.files.benchmark_folder import CARD, METADATA
from audiometry.files.build_folder import FOLDER, INFO, REJECTED, BuildInfo, Rejected
from audiometry.records import Columns, Item
from audiometry.records.reply import now
from audiometry.review import sources
from audiometry.review.answers import Answer, Answers
from audiometry.review.folder import ANSWERED, INSIDE, ReviewFolder, Settings
from audiometry.review.modes import OF_ITEMS
from audiometry.review.modes.answer import NAME as ANSWER
from audiometry.review.modes.approve import APPROVE
from audiometry.review.modes.mode import Decision
from audiometry.review.review import Review, unreviewed

RULE: Final = "review"
_VERSION: Final = re.compile(r"(.*)-reviewed\.(\d+)")
_LINE: Final = re.compile(rb"(?m)^([ \t]*version[ \t]*=[ \t]*)(\"[^\"\n]*\"|'[^'\n]*')")
_TABLE: Final = re.compile(rb"(?m)^[ \t]*\[benchmark\][^\n]*\n")
_LEFT: Final = frozenset({CARD, METADATA, INSIDE, "croissant.json"})  # what tells of the old version


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """What was made, as ``--json`` says it.

    Attributes:
        folder: the new version's.
        version: its version.
        n_items: in it.
        n_rejected, n_text_mended, n_answer_mended: what became of the others.
        n_waiting: items that stay as they are since raters are missing, or mend them in different ways.
        n_unreviewed: of its items, that nobody has judged.
        new_ids: of items whose text was mended, by the old id.
    """

    folder: str
    version: str
    n_items: int
    n_rejected: int
    n_text_mended: int
    n_answer_mended: int
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
    """What becomes of items of which that is decided, and how many wait for it that somebody has judged."""
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
    root = benchmark.root
    decisions, n_waiting = _decisions(review)
    rejected = list[Rejected]()
    items = dict[str, Item]()  # by old id
    with (root / METADATA).open("rb") as file:
        atomic.write_parts(to / METADATA, _lines(file, benchmark.card.data.columns, decisions, items, rejected))
    if not items:
        raise UsageError("every item is rejected, so that nothing is left; there is no new version")
    version = next_version(benchmark.card.benchmark.version)
    atomic.write(to / CARD, with_version(foreign.read_file(root / CARD), version))
    if benchmark_folder.read_card(to).benchmark.version != version:
        raise BenchmarkError(f'{root / CARD}: its version cannot be changed; write version = "1" under [benchmark]')
    clips = {name for item in items.values() for name in item.clips}
    _carry(root, to, clips)
    _say_rejected(root, to, rejected)
    new = bench.load(to)
    _carry_answers(review, benchmark, new, decisions, items)
    left, _ = unreviewed(new) or (len(new), 0)
    info = to / FOLDER / INFO
    if info.is_file():
        built = foreign.json(foreign.read_file(info), BuildInfo)
        counts = Counter(item.task for item in items.values())
        built = msgspec.structs.replace(
            built,
            version=version,
            items={task: counts[task] for task in built.items},
            clips=len(clips),
            rejected=built.rejected | ({RULE: built.rejected.get(RULE, 0) + len(rejected)} if rejected else {}),
            blind=built.blind if not rejected and all(one.verdict == "keep" for one in decisions.values()) else None,
            unreviewed=left / len(new),
        )
        atomic.write_document(info, built)
    new_ids = {old: item.id for old, item in items.items() if item.id != old}
    mended = sum(one.verdict == "mend" for name, one in decisions.items() if name in items)
    return Applied(
        folder=str(to),
        version=version,
        n_items=len(new),
        n_rejected=len(rejected),
        n_text_mended=len(new_ids),
        n_answer_mended=mended - len(new_ids),
        n_waiting=n_waiting,
        n_unreviewed=left,
        new_ids=new_ids,
    )


def _lines(
    file: Iterable[bytes],
    columns: Columns,
    decisions: Mapping[str, Decision],
    items: dict[str, Item],
    rejected: list[Rejected],
) -> Iterator[bytes]:
    """The new metadata; fills what became of the items."""
    read = benchmark_folder.LineReader()
    for number, raw in enumerate(file, 1):
        item = read.line(number, 0, raw).item if raw.strip() else None
        decision = decisions.get(item.id) if item is not None else None
        if item is None:  # left out of what is asked, and nothing anybody was shown
            yield raw
            continue
        item = meant(item, columns)
        if decision is None or decision.verdict == "keep":
            items[item.id] = item
            yield raw if raw.endswith(b"\n") else raw + b"\n"
        elif decision.verdict == "reject":
            by = ", ".join(decision.by)
            rejected.append(Rejected(rule=RULE, reason=decision.reason, by=by, task=item.task, item=item))
        else:
            changed = items[item.id] = mended(item, decision.changes)
            own = {name: getattr(changed, name) for name in ("id", "question", *(("options",) if item.options else ()))}
            own |= {"kinds": changed.kinds} if changed.kinds else {}
            yield (
                msgspec.json.encode(foreign.json(raw, dict[str, Any]) | own | {"answer": _named(changed, columns)})
                + b"\n"
            )


def _named(item: Item, columns: Columns) -> str | None:
    """An answer as its benchmark names the right option."""
    if columns.answer_is not in {"letter", "index", "number"} or item.answer not in item.options:
        return item.answer
    place = item.options.index(item.answer)
    return chr(ord("A") + place) if columns.answer_is == "letter" else str(place + (columns.answer_is == "number"))


def mended(item: Item, changes: Mapping[str, Any]) -> Item:
    """An item with what was mended; another id where its words are others, so that no reply to the old ones counts.

    >>> mended(Item(id="a", question="q", options=("x", "y"), answer="x"), {"answer": "y"}).id
    'a'
    >>> mended(Item(id="a", question="q"), {"question": "Q?"}).id
    '4f672ab30310e4fa'
    """
    changed = msgspec.structs.replace(item, **changes)
    if (changed.question, changed.options) == (item.question, item.options):
        return changed
    whole = msgspec.json.encode((item.id, changed.question, changed.options))
    return msgspec.structs.replace(changed, id=hashlib.sha256(whole).hexdigest()[:16])


def next_version(version: str) -> str:
    """The version after a review.

    >>> next_version("1"), next_version("1-reviewed.1")
    ('1-reviewed.1', '1-reviewed.2')
    """
    found = _VERSION.fullmatch(version)
    return f"{found[1]}-reviewed.{int(found[2]) + 1}" if found else f"{version}-reviewed.1"


def with_version(card: bytes, version: str) -> bytes:
    """A card that says another version, everything else to the byte."""
    table = _TABLE.search(card)
    start = table.end() if table else 0
    end = min((at for at in (card.find(b"\n[", start),) if at >= 0), default=len(card))
    line = _LINE.search(card, start, end + 1)
    said = b'"' + version.replace("\\", "\\\\").replace('"', '\\"').encode() + b'"'
    if line:
        return card[: line.start(2)] + said + card[line.end(2) :]
    head = card[:start] if table else b"[benchmark]\n"
    return head + b"version = " + said + b"\n" + card[start:]


def _carry(root: Path, to: Path, clips: set[str]) -> None:
    """The clips, linked where the disk can, and beside them what a build wrote and the files that lie at the top."""
    beside = [path for path in root.iterdir() if path.name not in _LEFT and not path.name.startswith(".")]
    built = [path for path in (root / FOLDER).rglob("*") if path != root / FOLDER / "report.html"]
    names = {path.relative_to(root).as_posix() for path in (*beside, *built)}
    for name in sorted(clips | names):
        path = (root / name).resolve()  # what a link leads to: a link itself may lead nowhere from there
        if not path.is_file():
            continue
        try:
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            if name in names or not _linked(path, to / name):  # some of those are written to
                shutil.copyfile(path, to / name)
        except OSError as problem:
            raise StorageError(f"cannot write {to / name}: {problem.strerror}; choose another folder") from problem


def _linked(path: Path, to: Path) -> bool:
    try:
        os.link(path, to)
    except OSError:
        return False
    return True


def _say_rejected(root: Path, to: Path, rejected: list[Rejected]) -> None:
    before = root / FOLDER / REJECTED
    earlier = before.read_bytes() if before.is_file() else b""
    lines = (msgspec.json.encode(one) + b"\n" for one in rejected)
    if rejected or earlier:
        atomic.write_parts(to / FOLDER / REJECTED, (earlier, *lines))


def _carry_answers(
    review: Review, old: Benchmark, new: Benchmark, decisions: Mapping[str, Decision], items: Mapping[str, Item]
) -> None:
    """What was said of items that are still there; of a mended one that those approve it whose mending it is."""
    by_mend = {name: one.by for name, one in decisions.items() if one.verdict == "mend" and name in items}
    old_names = {items[name].id: name for name in by_mend}
    still = items.keys() - by_mend.keys()
    stay = {unit.key: unit for unit in sources.items(old) if unit.item.id in still}
    mends = [
        Answer(unit=unit.key, item=unit.item.id, content=unit.content, rater=by, said={"verdict": APPROVE}, at=now())
        for unit in sources.items(new)
        for by in by_mend.get(old_names.get(unit.item.id, ""), ())
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
