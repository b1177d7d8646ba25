"""Finds the benchmark behind an id or a path.

An id is a folder in this package with a card (``mini``), a further card in it (``mini/chat``), a name in the
``BENCHMARKS`` of one of its modules (published data in a layout of their own: ``airbench/foundation``), or what another
package announces: in the group ``audiometry.benchmarks`` a function that gives the path of a benchmark folder, in
``audiometry.layouts`` one that opens released data. Anything else is a path.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from audiometry.bench import (
    airbench,
    folder_table,
    foreign_data,
    hub,
    left_out,
    local_copy,
    muchomusic,
    revisions,
    suite,
    table,
)
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.foreign_data import Opener
from audiometry.bench.place import TABLES, at, cards, metadata_beside, metadata_table
from audiometry.bench.store import MetadataFile, digest
from audiometry.bench.wordings import settled
from audiometry.errors import BenchmarkError, UnknownNameError, UsageError, counted, shown
from audiometry.files import benchmark_folder, foreign, presence
from audiometry.files.run_folder import BenchmarkStamp
from audiometry.records import Card
from audiometry.registry import Kind

SHIPPED = Path(__file__).parent
MOST_UNUSED = 12  # keys that a line names


def _shipped() -> dict[str, Path]:
    """Folders and cards of the house by id; a card that stands alone is one if its benchmark is named as its file."""
    alone = {path.stem: path for path in sorted((SHIPPED / "cards").glob("*.toml"))}
    return {
        name: path for own in SHIPPED.glob(f"*/{benchmark_folder.CARD}") for name, path in cards(own.parent).items()
    } | {name: path for name, path in alone.items() if f'name = "{name}"'.encode() in foreign.read_file(path)}


def _folder(_: str, given: Any) -> Path:
    """The folder of another package's benchmark, which a function of it gives."""
    folder = Path(given())
    if not presence.is_folder(folder):
        raise BenchmarkError(f"{folder} is no folder")
    return folder


FOLDERS: Final[Kind[Path]] = Kind("audiometry.benchmarks", None, "benchmark", own=_shipped, made=_folder)
OPENERS: Final[Kind[Opener]] = Kind(
    "audiometry.layouts",
    "audiometry.bench",
    "benchmark",
    holds="BENCHMARKS",
    made=lambda name, given: foreign_data.opener(given, name, lambda: OPENERS.announced(name)),
)


def benchmarks() -> dict[str, Path]:
    """Every benchmark that is known by an id and there, with its folder, or its card where the folder holds several."""
    elsewhere = _elsewhere_cards()
    return {name: path for name, path in FOLDERS.all().items() if name not in elsewhere}


def _elsewhere_cards() -> dict[str, Card]:
    """Cards of the house whose data are not beside them, by id."""
    found = {}
    for name, path in _shipped().items():
        card = benchmark_folder.read_card(path) if path.is_dir() else benchmark_folder.read_card_file(path)
        if card.data.source == "cards":
            card = suite.merged(card, suite.cards_of(path / benchmark_folder.CARD, card))
        if card.data.source != "folder":
            found[name] = card
    return found


def locate(id_or_path: str | Path) -> Path:
    """The folder of a benchmark, or its card where the folder holds several.

    Raises:
        UnknownNameError: neither an id nor a folder with a metadata file.
    """
    found = _at_once(id_or_path)
    if found is not None:
        return found
    path = Path(id_or_path)
    name = str(id_or_path)
    if name in FOLDERS.names():
        return FOLDERS.named(name)
    if presence.is_file(path) and path.name in {benchmark_folder.CARD, benchmark_folder.METADATA, *TABLES}:
        path = path.parent
    if presence.is_folder(path) or (presence.is_file(path) and path.suffix == ".toml"):
        return path
    if presence.exists(path):
        raise BenchmarkError(f"{path} is a file; give the folder that holds {benchmark_folder.METADATA}")
    known = [*FOLDERS.names(), *OPENERS.names()]
    raise UnknownNameError("benchmark", name, known, hint="or give the path of a benchmark folder")


def _at_once(id_or_path: str | Path) -> Path | None:
    """A shipped benchmark or a folder by its full path: found without a look at other packages, which takes time."""
    path = Path(id_or_path)
    if path.is_absolute():
        return path if presence.is_folder(path) else None
    if str(path) != str(id_or_path) or ".." in path.parts:  # "./mini" and "mini/" are no ids
        return None
    if presence.is_file(SHIPPED / path / benchmark_folder.CARD):
        return SHIPPED / path
    return cards(SHIPPED / path.parent).get(str(path)) if path.parent != path else None


def published_cards() -> dict[str, Card | None]:
    """The cards of published benchmarks, by id; their items are where a person has put the data.

    One of another package has its card beside the function that opens it, as its ``card``; None: it has none.
    """
    return {name: _card(name, opener) for name, opener in OPENERS.all().items()} | _elsewhere_cards()


def _card(name: str, opener: Opener) -> Card | None:
    path = getattr(opener, "card", SHIPPED / "cards" / f"{name.replace('/', '-')}.toml")
    return benchmark_folder.read_card_file(path) if presence.is_file(path) else None


def load(
    id_or_path: str | Path,
    data: str | Path | None = None,
    revision: str = "",
    *,
    absent: Collection[str] | None = None,
    checked: str = "",
    strict: bool = False,
) -> Benchmark:
    """The benchmark of that id, or in that folder; its metadata are read and checked, its audio is not.

    Rows that cannot be asked are left out and stand in `Benchmark.problems`.

    Args:
        id_or_path: ``mini``, ``airbench/foundation``, or the path of a benchmark folder.
        data: where published data are: as released, or a copy in another form (`local_copy`).
        revision: of data on the hub, as a benchmark says it (`Benchmark.revision`), in place of the card's; empty for
            the card's own.
        absent: ids that a run left out since the clips in the folder were not there then; None: the disk is asked.
        checked: sha256 of a benchmark that was checked before; where this one is the same, and ``absent`` is all that
            was left out, its lines are not checked again.
        strict: refuse it if a single row is left out.

    Raises:
        UnknownNameError: there is none of that name.
        BenchmarkError: its card cannot be used, a slip in its metadata is not to be passed over, or nothing can be
            asked; says which and why.
    """
    found = opened(id_or_path, data, revision, absent, checked)
    found.refuse(strict=strict)
    return found


def asked(stamp: BenchmarkStamp, source: str = "") -> Benchmark:
    """The benchmark of a run, as far as it is still where it was, with the rows that were left out then.

    Args:
        stamp: as the run's folder has it.
        source: where the benchmark is now, if it moved.

    Raises:
        UnknownNameError, BenchmarkError: see `load`.
    """
    if stamp.data:
        return load(stamp.source, data=source or stamp.data)
    return load(source or stamp.source, revision=stamp.revision, absent=stamp.absent, checked=stamp.sha256)


def opened(
    id_or_path: str | Path,
    data: str | Path | None = None,
    revision: str = "",
    absent: Collection[str] | None = None,
    checked: str = "",
) -> Benchmark:
    """As `load`, whatever is wrong with its rows.

    Raises:
        UnknownNameError: there is none of that name.
        BenchmarkError: its card cannot be used, or there are no data.
    """
    openers = () if _at_once(id_or_path) and not data else OPENERS.names()
    if str(id_or_path) in openers:
        return OPENERS.named(str(id_or_path))(Path(data) if data else None)
    path, given = locate(id_or_path), Path(data) if data else None
    card_path = path / benchmark_folder.CARD if presence.is_folder(path) else path
    card = benchmark_folder.read_card(path) if presence.is_folder(path) else benchmark_folder.read_card_file(path)
    if card.data.source == "folder":
        if data:
            raise UsageError(f"--data is for published benchmarks ({', '.join(openers)}); {id_or_path} needs none")
        return of_card(card_path, card, str(id_or_path), absent, checked)
    return _elsewhere(card_path, card, given, str(id_or_path), revision)


def _elsewhere(card_path: Path, card: Card, data: Path | None, source: str, revision: str) -> Benchmark:
    """The benchmark of a card whose data are not beside it.

    Whatever the card says, data that are given may be a copy in another form (`local_copy`).
    """
    card = revisions.pinned(card, revision)
    if card.data.source == "cards":
        opens = lambda path, one, its: _elsewhere(path, one, its, str(path), revision)  # noqa: E731
        return suite.load(card_path, card, data, source, opens)
    if card.data.source == "airbench":
        raise BenchmarkError(
            f"{card_path}: [data] source 'airbench' is that of published data; give their id and --data"
        )
    if data is not None:
        return local_copy.load(card_path, card, local_copy.of_set(card_path, card, data), source)
    if card.data.source == "folder":  # of a suite
        return of_card(card_path, card, source)
    if card.data.source == "hub":
        return hub.load(card_path, card, source)
    if card_path.is_relative_to(SHIPPED):
        what = f"{local_copy.wanted(card)} (see {card.benchmark.homepage})"
        raise UsageError(f"{source} does not come with audiometry; give its data with --data FOLDER: {what}")
    by_code = {"muchomusic": muchomusic.load, "airbench-foundation": airbench.load_task}
    return by_code.get(card.data.source, table.load)(card_path, card, None, source)


def of_card(
    card_path: Path, card: Card, source: str, absent: Collection[str] | None = None, checked: str = ""
) -> Benchmark:
    """The benchmark whose metadata and clips lie beside a card, which need not be there; see `load`."""
    if rows := metadata_table(card_path, card):
        return folder_table.load(card_path, card, rows, source, absent)
    if card.data.values or card.data.where:
        raise BenchmarkError(
            f"{card_path}: [data.values] and [data.where] are for tables; write what is meant into the metadata"
        )
    found = at(card_path, settled(card, {}))
    card_bytes = foreign.read_file(found.card_path) if presence.exists(found.card_path) else b""
    before = digest(card_bytes, found.metadata, *([left_out.stamp_of(absent)] if absent else [])) if checked else ""
    items = MetadataFile(found.metadata, found.card, absent, checked=bool(checked) and before == checked)
    left = [left_out.stamp(items.problems)] if items.problems else []
    listed = ", ".join(
        f"{shown(key, 40)} ({counted(n, 'line')})" for key, n in list(items.unused.items())[:MOST_UNUSED]
    )
    listed += ", …" if len(items.unused) > MOST_UNUSED else ""
    what = f"{found.metadata.name}: keys that are not used: {listed}; `tags` and `meta` are the places for such facts"
    if items.like_answers:
        what += f", but if '{shown(items.like_answers[0], 40)}' is the answer, call it answer"
    other = metadata_beside(found.metadata)
    ignored = [f"{name}: is not read, as {found.metadata.name} is beside it; remove one of them" for name in other]
    return Benchmark(
        source=source,
        card=found.card,
        root=found.metadata.parent,
        items=items,
        sha256=before if items.checked else digest(card_bytes, found.metadata, *left),
        problems=items.problems,
        notes=[*([what] if items.unused else []), *ignored, *items.notes],
    )
