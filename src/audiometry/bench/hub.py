"""Tables in a dataset repository of the Hugging Face hub, downloaded once and read as any others.

A revision is settled to its commit before anything is fetched, and a note in our own cache says which files of that
commit are there whole, so a copy that broke off is never taken for the data. The files lie in the cache of the hub's
own library (``HF_HOME``), which keeps what it has when a download is begun again. A token comes from ``HF_TOKEN``
alone. The library is needed (``pip install 'audiometry[hub]'``), but not to read what is there already.
"""

from __future__ import annotations

import glob
import hashlib
import importlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from audiometry.bench import arrived, class_folders, table
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.left_out import AUDIO_ENDINGS
from audiometry.bench.parquet import cache_folder
from audiometry.errors import AudiometryError, BenchmarkError, StorageError, UndecodableError, UsageError, shown
from audiometry.files import atomic, extras, foreign
from audiometry.records import Card, DataSource

KINDS = {".parquet": "parquet", ".csv": "csv", ".tsv": "tsv", ".json": "json", ".jsonl": "json"}
COMMIT = r"[0-9a-f]{40}"
REPOSITORY = r"(?a:\w[\w.-]*/\w[\w.-]*)"
YES = {"1", "ON", "YES", "TRUE"}  # as the hub's library reads its environment
LISTED = 8  # names in a message
COPY = "or give a copy with --data FOLDER: the repository's files, or metadata.csv with audio and answer beside clips"


class Copy(msgspec.Struct, frozen=True):
    """Files of one commit that are here, whole.

    Attributes:
        commit: 40 hexadecimal digits.
        folder: that names are relative to.
        tables, clips: names in the repository.
    """

    commit: str
    folder: str
    tables: tuple[str, ...]
    clips: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether every file is there still."""
        return all(os.path.isfile(os.path.join(self.folder, name)) for name in (*self.tables, *self.clips))  # noqa: PTH113, PTH118  tens of thousands of names


class NoTableError(BenchmarkError):
    """Among the files there is no table that a card means."""


def load(path: Path, card: Card, source: str) -> Benchmark:
    """A benchmark from a card that points at a dataset repository: from the hub, or from what was fetched from it.

    Args:
        path: of the card.
        card: its content.
        source: how the user named the benchmark.

    Raises:
        UsageError: the hub's library is not installed.
        BenchmarkError: the repository cannot be had or read; says why and what to do.
    """
    wanted = card.data
    copy = fetch(path, wanted)
    folder = Path(copy.folder)
    files = [folder / name for name in copy.tables]
    if files:
        loaded = table.read(path, card, _kind(path, files), files, folder, data=None, source=source)
    elif (found := class_folders.load(path, card, folder, copy.clips, data=None, source=source)) is None:
        raise BenchmarkError(f"{path}: [data] clips match no folders of labels in {wanted.repository}; name a table")
    else:
        loaded = found
    if files and not len(loaded) and not wanted.clips and {one.code for one in loaded.problems} == {"missing"}:
        do = 'name those of the repository under [data] of the card: clips = ["**/*.wav"]'
        raise BenchmarkError(f"{path}: not one clip that {shown(copy.tables[0])} names was fetched; {do}")
    if not wanted.split and (several := arrived.several_splits(copy.tables)):
        loaded.notes = (*loaded.notes, f"{path.name}: {several}")
    loaded.revision = f"{wanted.repository}@{copy.commit}"
    return loaded


def fetch(path: Path, wanted: DataSource) -> Copy:
    """The files that a card names, downloaded unless they are here.

    Args:
        path: of the card, for messages.
        wanted: repository, revision, split and patterns.

    Raises:
        UsageError: the hub's library is not installed.
        BenchmarkError: the repository cannot be had, or holds no such file.
        StorageError: the disk refused.
    """
    _check(path, wanted)
    kept = _kept(wanted)
    offline = os.environ.get("HF_HUB_OFFLINE", "").upper() in YES
    if kept is not None and (offline or re.fullmatch(COMMIT, wanted.revision)):
        return kept
    at = f"{wanted.repository}{f' at {shown(wanted.revision)}' if wanted.revision else ''}"
    if offline:
        raise BenchmarkError(
            f"{path}: no whole copy of {at} is here and HF_HUB_OFFLINE is set; run once with the network, {COPY}"
        )
    copy = _download(path, wanted, at)
    for revision in {wanted.revision, copy.commit}:
        atomic.write(_note(msgspec.structs.replace(wanted, revision=revision)), msgspec.json.encode(copy))
    return copy


def _download(path: Path, wanted: DataSource, at: str) -> Copy:
    library = _library()
    if not sys.stderr.isatty():
        library.utils.disable_progress_bars()
    token = os.environ.get("HF_TOKEN") or False  # False: none, not even one that lies in a file
    with _explained(library, f"{path}: {at}", wanted.repository), arrived.stopped_at_once(library):
        asked = {"revision": wanted.revision or None, "files_metadata": True}
        listing = library.HfApi(token=token).dataset_info(wanted.repository, **asked)
        commit = str(listing.sha)
        if not re.fullmatch(COMMIT, commit):
            raise BenchmarkError(f"{path}: the hub names no commit of {at}; correct [data] revision")
        if (known := _kept(msgspec.structs.replace(wanted, revision=commit))) is not None:
            return known
        names = [sibling.rfilename for sibling in listing.siblings or ()]
        clips = tuple(name for name in names if any(_fits(name, pattern) for pattern in wanted.clips))
        tables = () if _in_classes(wanted, names, clips) else _tables(path, wanted, names)
        arrived.refuse_many(tables, f"{path}: {at}")
        # Tables by name. Of clips there may be many, so by pattern: the library's may match more, never less.
        patterns = [*map(glob.escape, tables), *(p for one in wanted.clips for p in (one, one.replace("**/", "")))]
        how = {"repo_type": "dataset", "revision": commit, "allow_patterns": patterns, "token": token}
        listed, meant = listing.siblings or (), {*tables, *clips}
        arrived.sweep(Path(library.constants.HF_HUB_CACHE), wanted.repository)
        folder = library.snapshot_download(wanted.repository, **how)
        if spoiled := arrived.spoiled(listed, meant, Path(folder)):  # the library takes a file that is there as it is
            folder = library.snapshot_download(wanted.repository, **how)
            spoiled = arrived.spoiled(listed, meant, Path(folder))
    copy = Copy(commit, folder, tables, clips)
    if spoiled or not copy.whole:
        raise BenchmarkError(f"{path}: {at} did not arrive whole; run the same command again")
    return copy


def _library() -> Any:
    try:
        for part in ("errors", "constants", "utils"):
            importlib.import_module(f"huggingface_hub.{part}")
        library = importlib.import_module("huggingface_hub")
    except ImportError as problem:
        raise UsageError(f"data on the hub need its library: {extras.install('hub')}") from problem
    except ValueError as problem:  # of a variable that it reads
        do = "correct the variables of your environment that begin with HF_"
        raise UsageError(f"the hub's library cannot be used ({shown(str(problem), 120)}); {do}") from problem
    library.constants.HF_HUB_DISABLE_TELEMETRY = True  # else it asks for more than the files
    return library


@contextmanager
def _explained(library: Any, at: str, repository: str) -> Iterator[None]:
    """What the library raises, as one line each; a server's own words are left out, as they may hold anything."""
    errors = library.errors
    try:
        yield
    except AudiometryError:
        raise
    except errors.GatedRepoError as problem:
        where = f"{library.constants.ENDPOINT}/datasets/{repository}"
        raise BenchmarkError(
            f"{at}: its terms have to be accepted first, at {where}; then set HF_TOKEN, {COPY}"
        ) from problem
    except errors.RepositoryNotFoundError as problem:
        seen = "that HF_TOKEN may read" if os.environ.get("HF_TOKEN") else "that is public; set HF_TOKEN if it is not"
        raise BenchmarkError(
            f"{at}: the hub has no such dataset {seen}; correct [data] repository of a card of your own, {COPY}"
        ) from problem
    except errors.RevisionNotFoundError as problem:
        raise BenchmarkError(f"{at}: the repository has no such revision; correct [data] revision") from problem
    except errors.HfHubHTTPError as problem:
        refused = problem.response.status_code in {401, 403, 404}
        advice = f"check HF_TOKEN and [data] repository, {COPY}" if refused else "run the same command again later"
        raise BenchmarkError(f"{at}: the hub answered {problem.response.status_code}; {advice}") from problem
    # The library's own base class of all that its HTTP client raises; and it hides some of that behind a missing file.
    except (errors.HTTPError, errors.LocalEntryNotFoundError, ConnectionError) as problem:
        why = type(problem.__cause__ or problem).__name__
        raise BenchmarkError(
            f"{at}: the hub cannot be reached or broke off ({why}); run the same command again, what has arrived is "
            f"kept, set HF_HUB_OFFLINE=1 to use a whole copy that is here, {COPY}"
        ) from problem
    except OSError as problem:
        raise StorageError(f"{at}: cannot be kept: {problem.strerror or problem}") from problem
    except (ValueError, TypeError, KeyError) as problem:
        raise BenchmarkError(f"{at}: the hub's answer cannot be read ({type(problem).__name__})") from problem


def _check(path: Path, wanted: DataSource) -> None:
    if not re.fullmatch(REPOSITORY, wanted.repository):
        raise BenchmarkError(f"{path}: [data] repository '{shown(wanted.repository)}' is not one; write owner/name")
    for pattern in (wanted.path, *wanted.clips):
        if PurePosixPath(pattern).is_absolute() or ".." in PurePosixPath(pattern).parts:
            raise BenchmarkError(f"{path}: [data] '{shown(pattern)}' is not a path in a repository; correct it")


def _tables(path: Path, wanted: DataSource, names: Sequence[str]) -> tuple[str, ...]:
    """The names of the tables that are meant, in order."""
    for name in names:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise BenchmarkError(f"{path}: the repository names a file '{shown(name)}', which leads out of it")
    pattern = wanted.path or "**/*.parquet"
    found = sorted(name for name in names if PurePosixPath(name).suffix in KINDS and _fits(name, pattern))
    chosen = _of_split(found, wanted.split) if wanted.split else found
    if not chosen:
        which = f"no table of the split '{shown(wanted.split)}'" if wanted.split and found else "no table"
        there = found or [name for name in sorted(names) if PurePosixPath(name).suffix in KINDS]
        listed = ", ".join(shown(name) for name in there[:LISTED]) + (", …" if len(there) > LISTED else "")
        endings = (PurePosixPath(name).suffix for name in names)
        ending = next((one for one in endings if one.lower() in AUDIO_ENDINGS), "")
        do = f'or name its clips: clips = ["**/*{ending}"]' if ending and not wanted.clips and not there else ""
        raise NoTableError(
            f"{path}: {which} matches {shown(pattern)} in {wanted.repository} (tables there: {listed or 'none'}); "
            f"correct [data] path or split{do and f', {do}'}"
        )
    return tuple(chosen)


def tables_in(path: Path, wanted: DataSource, folder: Path) -> list[Path]:
    """The tables that a card means, in a copy of the repository's files.

    Raises:
        NoTableError: there is none.
    """
    _check(path, wanted)
    names = [file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()]
    return [folder / name for name in _tables(path, wanted, names)]


def _in_classes(wanted: DataSource, names: Sequence[str], clips: Sequence[str]) -> bool:
    """Whether a repository holds clips in folders named after their labels, and no table."""
    if wanted.path or any(PurePosixPath(name).suffix in KINDS for name in names if "/" in name or "metadata" in name):
        return False
    return bool(class_folders.labels_of(clips))


def _of_split(names: Sequence[str], split: str) -> list[str]:
    """Tables of a split: by the beginning of their names, else by a folder.

    Source: the hub's documentation, "File names and splits".
    """
    begins = re.compile(rf"{re.escape(split)}(?![A-Za-z0-9])")
    named = [name for name in names if begins.match(PurePosixPath(name).name)]
    return named or [name for name in names if split in PurePosixPath(name).parts[:-1]]


def _fits(name: str, pattern: str) -> bool:
    """Whether a path matches a pattern, in which ``*`` stays within a folder and ``**`` does not.

    >>> _fits("a/b/c.csv", "**/*.csv"), _fits("c.csv", "**/*.csv"), _fits("a/b/c.csv", "a/*.csv")
    (True, True, False)
    """
    return _parts_fit(PurePosixPath(name).parts, PurePosixPath(pattern).parts)


def _parts_fit(name: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "**":
        return any(_parts_fit(name[i:], pattern[1:]) for i in range(len(name) + 1))
    return bool(name) and fnmatchcase(name[0], pattern[0]) and _parts_fit(name[1:], pattern[1:])


def _kind(path: Path, files: Sequence[Path]) -> str:
    kinds = sorted({KINDS[file.suffix] for file in files})
    if len(kinds) > 1:
        raise BenchmarkError(f"{path}: tables of several kinds match ({', '.join(kinds)}); narrow [data] path")
    return kinds[0]


def _kept(wanted: DataSource) -> Copy | None:
    """What was fetched for this very wish before, if it is all there."""
    try:
        copy = foreign.read_json(_note(wanted), Copy)
    except UndecodableError:
        return None
    return copy if copy.whole else None


def _note(wanted: DataSource) -> Path:
    wish = (wanted.repository, wanted.revision, wanted.path, wanted.split, wanted.clips)
    return cache_folder() / "hub" / f"{hashlib.sha256(msgspec.json.encode(wish)).hexdigest()[:24]}.json"
