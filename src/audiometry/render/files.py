"""Tables and figures as files for a paper."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

from audiometry.errors import StorageError
from audiometry.files import atomic, presence
from audiometry.files.secrets import Scrubber
from audiometry.render.delimited import delimited
from audiometry.render.document import Block, Chart, Folded, Headline, Section
from audiometry.render.figure import Figure
from audiometry.render.latex import latex
from audiometry.render.markdown import markdown
from audiometry.render.raster import pdf, png
from audiometry.render.svg import svg
from audiometry.render.table import Table, filed

T = TypeVar("T", Table, Figure)
TEXTS: Final[Mapping[str, Callable[[Table], str]]] = {"md": markdown, "tex": latex, "csv": delimited}
_LONGEST: Final = 100  # characters of a file's name
_BYTES: Final = 200  # of it; no disk takes more than 255


def tables(blocks: Iterable[Block]) -> Iterator[Table]:
    """The tables among blocks that have rows, in order; the numbers of charts among them."""
    for block in _leaves(blocks):
        table = block.table if isinstance(block, Chart) else block
        if isinstance(table, Table) and table.rows:
            yield table


def figures(blocks: Iterable[Block]) -> Iterator[Figure]:
    """The figures among blocks, in order; charts' among them."""
    for block in _leaves(blocks):
        figure = block.figure if isinstance(block, Chart) else block
        if isinstance(figure, Figure):
            yield figure


def write_tables(blocks: Iterable[Block], folder: Path) -> list[Path]:
    """Write every table as Markdown, LaTeX and CSV, under its id.

    Args:
        blocks: of which all tables are written.
        folder: where to; made if missing. Other files there stay.

    Returns:
        What was written.

    Raises:
        StorageError: the folder cannot be made, or a file not be written: then those that were not there before are
            removed, and each other file is the old one or the new one.
    """
    with _together(folder) as put:
        return [
            put(f"{name}.{ending}", form(table))
            for name, table in _named(tables(blocks), folder)
            for ending, form in TEXTS.items()
        ]


def write_figures(blocks: Iterable[Block], folder: Path, *, svg_alone: bool = False) -> list[Path]:
    """Write every figure as SVG, PNG and PDF, as `write_tables` writes tables.

    Args:
        blocks: of which all figures are written.
        folder: where to.
        svg_alone: not as PNG and PDF, which need what may be missing.

    Raises:
        StorageError: as there.
        UsageError: what makes PNG and PDF is not installed; all SVG files are written.
    """
    drawn = [(name, svg(figure)) for name, figure in _named(figures(blocks), folder)]
    clean = Scrubber().text
    with _together(folder) as put:
        written = [put(f"{name}.svg", text) for name, text in drawn]
        for name, text in () if svg_alone else drawn:
            written += [put(f"{name}.png", png(clean(text))), put(f"{name}.pdf", pdf(clean(text)))]
    return written


@contextlib.contextmanager
def _together(folder: Path) -> Iterator[Callable[[str, str | bytes], Path]]:
    """Writes files by name; where the disk refuses one, those that were not there before go, and what is full has room.

    What killed writers of the same files left behind goes as well.
    """
    there, names, scrubber = presence.exists(folder), dict[str, bool](), Scrubber()

    def put(name: str, made: str | bytes) -> Path:
        names[name] = os.path.lexists(folder / name)
        # not durable, as it is made again
        atomic.write_parts(
            folder / name, [scrubber.text(made).encode() if isinstance(made, str) else made], durable=False
        )
        return folder / name

    try:
        yield put
    except StorageError:
        with contextlib.suppress(OSError):  # what cannot be removed does no harm
            for name in (name for name, before in names.items() if not before):
                (folder / name).unlink(missing_ok=True)
            if not there:
                folder.rmdir()
        raise
    atomic.sweep(folder, {name[: atomic.NAMED] for name in names}.__contains__)


def _leaves(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, (Section, Folded)):
            yield from _leaves(block.blocks)
        else:
            yield block.chart if isinstance(block, Headline) else block


def _named(those: Iterable[T], folder: Path) -> Iterator[tuple[str, T]]:
    """Each with a name for its files that no other one has, on a disk that takes capitals for small letters too."""
    if presence.exists(folder) and not presence.is_folder(folder):
        raise StorageError(f"cannot write into {folder}: it is not a folder")
    taken: set[str] = set()
    for one in those:
        safe = filed(one.id, _LONGEST).encode()[:_BYTES].decode(errors="ignore") or "unnamed"
        names = (safe if n == 1 else f"{safe}-{n}" for n in range(1, len(taken) + 2))
        name = next(name for name in names if name not in taken)
        taken.add(name)
        yield name, one
