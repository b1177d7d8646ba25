"""An arena's votes as a vote file: without words, but those that somebody looked through for personal data."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from audiometry.arena.store.columns import COUNTS, IN_TURN, QUERY, left_out_of
from audiometry.arena.store.contestants import names
from audiometry.arena.store.nouns import OUTCOMES
from audiometry.arena.store.recordings import ENDING, Audio
from audiometry.arena.store.schema import BATTLE, RECORDING, REPLY, VOTE, VOTER
from audiometry.errors import StorageError, UndecodableError, UsageError, counted
from audiometry.files import atomic, foreign, parquet
from audiometry.files.secrets import known
from audiometry.web.database import Database

BATCH: Final = 10_000  # rows that are in memory at a time
_KINDS: Final = {
    **dict.fromkeys(("seconds", "latency_a", "latency_b", "propensity"), "double"),
    **dict.fromkeys(("length_a", "length_b", "characters", "others"), "int32"),
    "reasons": "strings",
}
"""Types of columns that are no texts."""
_WORDS: Final = ("query", "comment")
_AS_THEY_ARE: Final = ("length_a", "length_b", "latency_a", "latency_b", "propensity", "seconds", "study")


class VoteLine(msgspec.Struct, frozen=True, kw_only=True):
    """A vote as a vote file has it, and ``others``: how many other voters sent the same recording, byte by byte.

    Lengths are of characters, which ``characters`` says of both replies together. ``voter`` is a participant's number
    in a study, by which votes are joined to what is written of participants, else one of the arena's own.
    """

    model_a: str
    model_b: str
    winner: str
    voter: str
    battle: str
    at: str
    seconds: float | None
    study: str
    language: str
    query: str | None
    reasons: list[str]
    comment: str | None
    length_a: int
    length_b: int
    characters: int
    latency_a: float | None
    latency_b: float | None
    propensity: float
    first: str
    others: int


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """What was written.

    Attributes:
        votes: how many.
        withheld: of them, those whose words nobody has looked through, or are not to be shared.
        shared: votes whose recording another voter sent too, byte by byte.
        left_out: votes that count nowhere, a sentence each without its full stop.
    """

    votes: int
    withheld: int
    shared: int
    left_out: tuple[str, ...] = ()

    def notes(self) -> tuple[str, ...]:
        """What else is to be known, in the same way."""
        made = []
        if self.withheld:
            made.append(
                f"the words of {counted(self.withheld, 'vote')} are left out: nobody said that they may be shared"
            )
        if self.shared:
            made.append(f"{counted(self.shared, 'vote')} on a recording that another voter sent too (column others)")
        return (*made, *self.left_out)


class LookedThrough(msgspec.Struct, frozen=True, kw_only=True):
    """A battle as somebody looks through it for personal data.

    Attributes:
        battle: its id.
        query, comment, reply_a, reply_b: what was said.
        audio: file of the recording; empty: it was typed.
        share: whether all of it may be shared; None: nobody has decided.
    """

    battle: str
    query: str = ""
    comment: str = ""
    reply_a: str = ""
    reply_b: str = ""
    audio: str = ""
    share: bool | None = None


def export(
    database: Database,
    to: Path,
    kind: str,
    *,
    texts: bool,
    reached: Callable[[int, int], None] | None = None,
) -> Exported:
    """Write the votes that count as a vote file, in the order in which they were cast.

    Args:
        database: of the arena.
        to: the file.
        kind: ``jsonl`` or ``parquet``.
        texts: write queries and comments too, of battles that were looked through and may be shared.
        reached: told now and then how many votes of how many are written.
    """
    n = withheld = shared = 0

    def told() -> Iterator[VoteLine]:
        nonlocal n, withheld, shared
        with database.reading(whole=True) as connection:
            whole = connection.scalar(sa.select(sa.func.count()).select_from(VOTE)) or 0
            for line in _lines(connection, texts=texts):
                n += 1
                if reached is not None and n % BATCH == 0:
                    reached(n, whole)
                withheld += texts and line.query is None
                shared += line.others > 0
                yield line

    fields = [name for name in VoteLine.__struct_fields__ if texts or name not in _WORDS]
    rows = ({name: getattr(line, name) for name in fields} for line in told())
    if kind == "parquet":
        parquet.write(to, {name: _KINDS.get(name, "string") for name in fields}, rows)
    else:
        clean = known().document
        atomic.write_parts(to, (clean(msgspec.json.encode(row)) + b"\n" for row in rows))
    with database.reading(whole=True) as connection:
        left = tuple(left_out_of(connection))
    return Exported(votes=n, withheld=withheld, shared=shared, left_out=left)


def to_look_through(database: Database, audio: Audio, to: Path) -> int:
    """Write what nobody has looked through yet, a line a vote, for somebody to say whether it may be shared.

    Returns:
        How many lines.
    """
    replies = [REPLY.alias(side) for side in "ab"]
    asked = sa.select(
        BATTLE.c.id, QUERY.label("query"), sa.func.coalesce(VOTE.c.comment, "").label("comment"), RECORDING.c.audio
    )
    asked = asked.add_columns(*(sa.func.coalesce(one.c.text, "").label(f"reply_{one.name}") for one in replies))
    asked = asked.join(VOTE, VOTE.c.battle == BATTLE.c.id).outerjoin(RECORDING, RECORDING.c.id == BATTLE.c.recording)
    for side, one in enumerate(replies):
        asked = asked.outerjoin(one, sa.and_(one.c.battle == BATTLE.c.id, one.c.side == side))
    said = sa.or_(BATTLE.c.text.is_not(None), BATTLE.c.recording.is_not(None))
    with database.reading(whole=True) as connection:
        rows = connection.execute(asked.where(COUNTS, said, BATTLE.c.shareable.is_(None)).order_by(*IN_TURN)).all()
    lines = [
        LookedThrough(
            battle=row.id,
            query=row.query,
            comment=row.comment,
            reply_a=row.reply_a,
            reply_b=row.reply_b,
            audio="" if row.audio is None else str(audio.path(row.audio)),
        )
        for row in rows
    ]
    atomic.write_records(to, lines)
    return len(lines)


def looked_through(database: Database, file: Path) -> tuple[int, int]:
    """Take in what somebody said of the lines that `to_look_through` wrote; a vote that changes is to be seen anew.

    Returns:
        How many were decided, and how many of them may be shared.

    Raises:
        UsageError: it is no such file, or one of another arena; nothing of it is taken.
    """
    lines, number = [], 0
    try:
        for number, raw in enumerate(foreign.read_file(file).splitlines(), 1):  # noqa: B007  the line of an error
            if raw.strip():
                lines.append(foreign.json(raw, LookedThrough))
    except UndecodableError as problem:
        do = "each line is one that was written, with share true or false"
        raise UsageError(f"{problem.at(file, number)}; {do}") from None
    lines = [one for one in lines if one.share is not None]
    with database.writing() as connection:
        for one in lines:
            marked = sa.update(BATTLE).where(BATTLE.c.id == one.battle).values(shareable=one.share)
            if not connection.execute(marked).rowcount:
                raise UsageError(f"{file} names a battle that is not in {database.name}; no line of it was taken")
    return len(lines), sum(bool(one.share) for one in lines)


def copied(database: Database, audio: Audio, folder: Path) -> int:
    """Copy the recordings of votes that may be shared, each by the name of its battle; how many."""
    with database.reading(whole=True) as connection:
        rows = connection.execute(
            sa.select(BATTLE.c.id, RECORDING.c.audio)
            .join(VOTE, VOTE.c.battle == BATTLE.c.id)
            .join(RECORDING, RECORDING.c.id == BATTLE.c.recording)
            .where(COUNTS, BATTLE.c.shareable)
        ).all()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for battle, sha256 in rows:
            shutil.copyfile(audio.path(sha256), folder / f"{battle}{ENDING}")
    except OSError as problem:
        raise StorageError(f"cannot copy recordings to {folder}: {problem.strerror}") from problem
    return len(rows)


def _lines(connection: Connection, *, texts: bool) -> Iterable[VoteLine]:
    called = names(connection)
    others = sa.func.count(RECORDING.c.voter.distinct()) - 1
    by_audio = sa.select(RECORDING.c.audio, others.label("others")).group_by(RECORDING.c.audio)
    sent = by_audio.having(others > 0).subquery()
    asked = (
        sa.select(VOTE, BATTLE.c.language, BATTLE.c.study, BATTLE.c.shareable, QUERY.label("query"), sent.c.others)
        .add_columns(VOTER.c.participant)
        .join(BATTLE, BATTLE.c.id == VOTE.c.battle)
        .join(VOTER, VOTER.c.id == VOTE.c.voter)
        .outerjoin(RECORDING, RECORDING.c.id == BATTLE.c.recording)
        .outerjoin(sent, sent.c.audio == RECORDING.c.audio)
        .where(COUNTS)
        .order_by(*IN_TURN)
    )
    for row in connection.execution_options(yield_per=BATCH).execute(asked):
        models: dict[str, Any] = {f"model_{side}": called[getattr(row, side)] for side in "ab"}
        if models["model_a"] == models["model_b"]:  # merged since
            continue
        words = texts and row.shareable
        yield VoteLine(
            **models,
            winner=OUTCOMES[row.outcome],
            voter=row.participant or f"v{row.voter}",
            battle=row.battle,
            at=datetime.fromtimestamp(row.at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            language=row.language,
            query=row.query if words else None,
            comment=row.comment if words else None,
            reasons=row.tags,
            first="model_a",
            others=row.others or 0,
            characters=row.length_a + row.length_b,
            **{name: getattr(row, name) for name in _AS_THEY_ARE},
        )
