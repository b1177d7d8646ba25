"""Recordings: who sent which audio, and its files, one for each content however many people sent it."""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from audiometry.arena.store import voters
from audiometry.arena.store.nouns import Heard, Recording
from audiometry.arena.store.schema import AUDIO, BATTLE, RECORDING
from audiometry.arena.store.words import clean, key_of
from audiometry.errors import AudiometryError, StorageError
from audiometry.files import atomic
from audiometry.web.database import Database

ORPHAN_S: Final = 3600.0
"""Seconds after which a file that no recording names belongs to none that is under way."""
ENDING: Final = ".flac"
"""Of their files, all of which are written anew as FLAC."""
NO_WORDS: Final = "zxx"
"""The language of a recording on which nothing is said, by ISO 639-2; nobody is to listen to it again."""
_HEARD: Final = tuple(Heard.__struct_fields__)


class Audio:
    """Audio files by content hash; a file goes with its last recording.

    Args:
        database: that counts them.
        folder: where they are, made if missing.
    """

    def __init__(self, database: Database, folder: Path) -> None:
        self._database, self._folder = database, folder

    def path(self, sha256: str) -> Path:
        """Where a content stands, under a name that a player opens."""
        return self._folder / sha256[:2] / f"{sha256}{ENDING}"

    def keep(self, voter: int, clip: bytes, heard: Heard, settings: Mapping[str, Any]) -> Recording:
        """Keep a clip; see `Store.keep_recording`."""
        sha256 = hashlib.sha256(clip).hexdigest()
        made = Recording(id=secrets.token_hex(16), path=self.path(sha256), heard=heard)
        self._written(made.path, clip)  # most of the time it takes, before anybody has to wait
        try:
            with self._database.writing() as connection:
                self._named(connection, voter, sha256, made, clip, settings)
        except AudiometryError:
            with contextlib.suppress(StorageError):
                self.remove([sha256])
            raise
        return made

    def _named(
        self,
        connection: Connection,
        voter: int,
        sha256: str,
        made: Recording,
        clip: bytes,
        settings: Mapping[str, Any],
    ) -> None:
        """Keep whose recording a content is."""
        voters.present(connection, voter)
        _hold(self._database, connection, sha256)
        if not _is_known(connection, sha256):
            facts = msgspec.structs.asdict(made.heard)
            connection.execute(sa.insert(AUDIO).values(sha256=sha256, size=len(clip), **facts))
        self._written(made.path, clip)  # whoever deleted the last recording of it may have come in between
        whose = {"id": made.id, "voter": voter, "audio": sha256, "at": time.time(), "settings": clean(settings)}
        connection.execute(sa.insert(RECORDING).values(**whose, transcript="", language=""))

    def found(self, connection: Connection, voter: int, recording: str) -> Recording | None:
        """A recording of that voter."""
        row = connection.execute(
            sa.select(RECORDING, *(AUDIO.c[name] for name in _HEARD))
            .join(AUDIO)
            .where(RECORDING.c.id == recording, RECORDING.c.voter == voter)
        ).first()
        return None if row is None else self._recording(row)

    def transcribed(self, recording: str, transcript: str, language: str) -> None:
        """Keep what is said on a recording, and in which language.

        Args:
            recording: its id.
            transcript: what is said; empty: nothing.
            language: ``en``; empty: it is not known.
        """
        said = {"transcript": clean(transcript), "language": clean(language)}
        with self._database.writing() as connection:
            connection.execute(
                sa.update(BATTLE).where(BATTLE.c.recording == recording).values(language=said["language"])
            )
            kept = said if transcript else {"language": NO_WORDS}
            connection.execute(sa.update(RECORDING).where(RECORDING.c.id == recording).values(**kept))

    def untold(self) -> tuple[tuple[str, Recording], ...]:
        """Recordings of which nobody has written down what is said, each with its newest battle, whose replies came."""
        own = BATTLE.alias("own")
        newest = sa.select(sa.func.max(own.c.made_at)).where(own.c.recording == RECORDING.c.id).scalar_subquery()
        asked = (
            sa.select(BATTLE.c.id.label("battle"), RECORDING, *(AUDIO.c[name] for name in _HEARD))
            .select_from(RECORDING)
            .join(AUDIO)
            .join(BATTLE, BATTLE.c.recording == RECORDING.c.id)
            .where(RECORDING.c.transcript == "", RECORDING.c.language == "")
            .where(BATTLE.c.state != "asking", BATTLE.c.made_at == newest)
        )
        with self._database.reading() as connection:
            return tuple((row.battle, self._recording(row)) for row in connection.execute(asked))

    def remove(self, shas: Iterable[str]) -> None:
        """Remove files that no recording names any more; called when that is committed."""
        for sha256 in sorted(set(shas)):
            with self._database.writing() as connection:
                _hold(self._database, connection, sha256)
                if not _is_known(connection, sha256):
                    try:
                        self.path(sha256).unlink(missing_ok=True)
                    except OSError as problem:
                        raise StorageError(
                            f"cannot remove {self.path(sha256)}: {problem.strerror}; remove it by hand"
                        ) from problem

    def sweep(self) -> int:
        """Remove files that whoever was killed left behind; how many."""
        old = time.time() - ORPHAN_S
        named = set[str]()
        with contextlib.suppress(OSError):  # one that goes meanwhile is what is wanted
            named = {one.name for one in self._folder.glob("??/*") if one.stat().st_mtime < old}
        half = {name for name in named if atomic.is_half(name)}
        for name in half:
            with contextlib.suppress(OSError):  # not ours to remove: the rest is swept all the same
                (self._folder / name[1:3] / name).unlink()
        with self._database.reading() as connection:
            known = set(connection.scalars(sa.select(AUDIO.c.sha256)))
        orphans = {name.removesuffix(ENDING) for name in named if name.endswith(ENDING)} - half - known
        self.remove(orphans)
        return len(orphans | half)

    def _written(self, path: Path, clip: bytes) -> None:
        if not path.exists():
            atomic.write(path, clip)

    def _recording(self, row: Row[Any]) -> Recording:
        return Recording(
            id=row.id,
            path=self.path(row.audio),
            heard=Heard(**{name: getattr(row, name) for name in _HEARD}),
            transcript=row.transcript,
            language=row.language,
        )


def unnamed(database: Database, connection: Connection, shas: Iterable[str]) -> list[str]:
    """Forget those contents that no recording names any more; which they were."""
    gone = []
    for sha256 in sorted(set(shas)):
        _hold(database, connection, sha256)
        named = sa.select(RECORDING.c.id).where(RECORDING.c.audio == sha256).exists()
        if connection.execute(sa.delete(AUDIO).where(AUDIO.c.sha256 == sha256, ~named)).rowcount:
            gone.append(sha256)
    return gone


def _hold(database: Database, connection: Connection, sha256: str) -> None:
    """Keep others from naming a content, or removing it, until the end of the transaction."""
    database.hold(connection, key_of("audio", sha256))


def _is_known(connection: Connection, sha256: str) -> bool:
    return connection.scalar(sa.select(AUDIO.c.sha256).where(AUDIO.c.sha256 == sha256)) is not None
