"""``--tables DIR`` and ``--figures DIR``: what a command shows, as files for a paper."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from audiometry.cli.say import say, say_blocks, say_json
from audiometry.errors import shown, visible
from audiometry.files import presence

if TYPE_CHECKING:
    from audiometry.render.document import Block

C = TypeVar("C", bound=Callable[..., Any])


def with_files(command: C) -> C:
    """A command with the two options."""
    for name, what in (
        (
            "figures",
            "Write every figure into this folder too, as SVG, PNG and PDF; the last two need the extra figures.",
        ),
        ("tables", "Write every table into this folder too, as Markdown, LaTeX (booktabs) and CSV."),
    ):
        kind = click.Path(path_type=Path)
        command = click.option(f"--{name}", name, metavar="DIR", type=kind, callback=_folder, help=what)(command)
    return command


def _folder(_: click.Context, option: click.Parameter, value: Path | None) -> Path | None:
    """Let through what is no file and nobody else's folder, and say what is not written, before all is worked out."""
    if value is None:
        return None
    if os.path.lexists(value) and not presence.is_folder(value):
        raise click.BadParameter(f"{shown(str(value), 200)} is a file; name a folder, which is made if it is not there")
    if whose := _taken(value):
        raise click.BadParameter(f"{shown(str(value), 200)} is {whose}; name another one with --{option.name}")
    if option.name == "figures":
        from audiometry.render import raster

        if missing := raster.missing():
            say(f"note: {missing}", err=True)
    return value


def _taken(folder: Path) -> str:
    """Whose a folder is that tables and figures would be mixed up with; empty if nobody's."""
    from audiometry.files.benchmark_folder import CARD, METADATA

    where = Path(os.path.realpath(folder))
    page, _, of = where.name.rpartition("-")
    if presence.exists(where / "run.json"):
        return "a run folder"
    if where.name == "scores" and presence.exists(where.parent / "run.json"):
        return "where a run's scores are"
    if any(presence.exists(where / name) for name in (CARD, METADATA)):
        return "a benchmark"
    return f"where a page's {of} are" if of in {"items", "audio"} and presence.is_file(where.parent / page) else ""


def say_files(blocks: Iterable[Block], tables: Path | None, figures: Path | None) -> dict[str, list[str]]:
    """Write the files that were asked for, and say on standard error how many stand where, and how to use them.

    Returns:
        Their paths, by what they are; ``missing`` says what has to be installed for the rest.
    """
    blocks, found = tuple(blocks), dict[str, list[str]]()
    for folder, kind in ((tables, "tables"), (figures, "figures")):
        if folder is None:
            continue
        from audiometry.errors import counted
        from audiometry.render import files, raster

        missing = raster.missing() if kind == "figures" else ""
        before = {path.name for path in folder.iterdir()} if presence.is_folder(folder) else set[str]()
        written = (
            files.write_tables(blocks, folder)
            if kind == "tables"
            else files.write_figures(blocks, folder, svg_alone=bool(missing))
        )
        found[kind] = [str(path) for path in written]
        none = next((_used(path) for path in written if path.suffix in _USED), ": there is no number to show")
        say(f"{counted(len(written), 'file')} of {kind} in {shown(str(folder), 1000)}{none}", err=True)
        endings = {f".{ending}" for ending in (files.TEXTS if kind == "tables" else ("svg", "png", "pdf"))}
        if over := sum(path.name in before for path in written):
            say(
                f"{counted(over, 'file')} of the same names stood there and {'was' if over == 1 else 'were'} replaced",
                err=True,
            )
        others = {path for path in folder.glob("*.*") if path.suffix in endings} - set(written)
        if others:
            say(f"{counted(len(others), 'file')} from before in that folder: no part of this", err=True)
        if foreign := _foreign(written):
            where = "in .tex as their numbers" if kind == "tables" else "in PNG and PDF only if a font here has them"
            say(f"letters that not every TeX or font has, {where}: {shown(foreign, 20)}", err=True)
        if missing and written:
            found["missing"] = [missing]
    return found


def say_result(
    document: Callable[[], Any],
    blocks: Sequence[Block],
    page: Path | None,
    tables: Path | None,
    figures: Path | None,
    *,
    as_json: bool,
    before: Iterable[Block] = (),
    after: Iterable[Block] = (),
    filed: Sequence[Block] | None = None,
    warnings: Iterable[str] = (),
) -> int:
    """Say what was found, on the terminal or as JSON, write the files that were asked for, and say what comes next.

    Args:
        document: makes what JSON says.
        blocks: what is shown; may be empty for JSON without files.
        page: where the page of it was written; None: nowhere.
        tables: the folder for them; see `say_files`.
        figures: the folder for them.
        as_json: as one JSON document.
        before: what stands above the blocks on the terminal, and in no file.
        after: what stands below them.
        filed: the blocks in the order in which files are told of; None: as shown.
        warnings: said on standard error beside JSON; the blocks have them already.

    Returns:
        The exit code: 1 if files could not be written since something is not installed.
    """
    if not as_json:
        say_blocks(*before, *blocks, *after)
    written = say_files(blocks if filed is None else filed, tables, figures)
    if as_json:
        say_json(with_written(document(), written if page is None else {"report": str(page), **written}))
        for warning in warnings:
            say(f"Note: {warning}.", err=True)
    elif page is not None:
        say(f"Kept in {visible(str(page))}; next: open it in a browser")
    elif not written:
        say("Kept nowhere; next: the same with -o FILE.html makes a page of it, with its pictures")
    return int("missing" in written)


_USED: Final = {".tex": ("in LaTeX, with booktabs: \\input{", "}"), ".svg": ("open ", "")}


def _used(path: Path) -> str:
    before, after = _USED[path.suffix]
    return f"; {before}{shown(str(path), 1000)}{after}"


def _foreign(written: Iterable[Path]) -> str:
    """The letters in files that not every font and engine has."""
    from audiometry.render.latex import numbered

    texts = (path.read_text(encoding="utf-8") for path in written if path.suffix in {".md", ".svg"})
    return numbered("".join(texts))


def with_written(document: Any, files: Mapping[str, str | list[str]]) -> Any:
    """A document with the files that were written beside it: under the same keys whatever the command."""
    import msgspec

    return msgspec.to_builtins(document) | dict(files) if files else document
