"""The store of an arena: every operation is one transaction, and has happened once it returns."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from audiometry.arena.store import battles, cleared, contestants, pairs, rates, voters
from audiometry.arena.store.cleared import Expired
from audiometry.arena.store.nouns import (
    Asking,
    Battle,
    Contestant,
    Deleted,
    Heard,
    Listed,
    Pair,
    Pairing,
    Rates,
    Recording,
    Replied,
    Revealed,
    Voter,
)
from audiometry.arena.store.recordings import Audio
from audiometry.arena.store.words import clean
from audiometry.web.database import Database

if TYPE_CHECKING:
    from audiometry.files.votes import VoteFile

MIGRATIONS: Final = Path(__file__).parent / "migrations"
VERSION_TABLE: Final = "arena_version"


class Store:
    """Voters, recordings, battles and votes; of any number of threads and processes.

    Args:
        database: it.
        audio: folder of audio files by content hash.

    Attributes:
        database: it.
        audio: its files.
    """

    def __init__(self, database: Database, audio: Path) -> None:
        self.database, self.audio = database, Audio(database, audio)

    @classmethod
    def open(cls, url: str, audio: Path, *, make: bool = True) -> Self:
        """Open an arena's database; see `Database.open`.

        Args:
            url: ``sqlite:///FILE`` or ``postgresql://…``.
            audio: folder beside it; made when something is kept there.
            make: whether tables are made or brought up to date; else they have to be there.
        """
        return cls(Database.open(url, migrations=MIGRATIONS, version_table=VERSION_TABLE, make=make), audio)

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def voter(self, key: str, *, client: str = "", participant: str = "") -> Voter:
        """The voter with a key, found or made.

        Args:
            key: secret and random, such as a cookie's; its hash alone is kept.
            client: browser and system in a few words.
            participant: an opaque id of a study.
        """
        return voters.enter(self.database, key, client, participant)

    def consent(self, voter: Voter, version: str) -> Voter:
        """Keep that a voter agreed to a version of the text, and when."""
        with self.database.writing() as connection:
            return voters.consent(connection, voter, version)

    def count(self, voter: Voter) -> int:
        """How often a voter has voted, skipped battles included."""
        with self.database.reading() as connection:
            return voters.count(connection, voter.id)

    def keep_recording(self, voter: Voter, clip: bytes, heard: Heard, settings: Mapping[str, Any]) -> Recording:
        """Keep a clip; the same bytes of several people are one file.

        Args:
            voter: who sent it.
            clip: the bytes of a file, without anybody's metadata.
            heard: what is known of it.
            settings: what the browser really did to the sound, and the like.

        Raises:
            StorageError: the disk is full, or the database does not answer; nothing is kept.
        """
        return self.audio.keep(voter.id, clip, heard, settings)

    def recording(self, voter: Voter, recording: str) -> Recording | None:
        """A recording by its id; None if it is another's, or none's."""
        with self.database.reading() as connection:
            return self.audio.found(connection, voter.id, recording)

    def transcribed(self, recording: str, transcript: str, language: str) -> None:
        """Keep what is said on a recording; see `Audio.transcribed`."""
        self.audio.transcribed(recording, transcript, language)

    def contestant(
        self,
        model: str,
        *,
        label: str = "",
        release: str = "",
        system_prompt: str = "",
        parameters: Mapping[str, Any] | None = None,
        card: Mapping[str, Any] | None = None,
    ) -> Contestant:
        """The contestant that a model is as it is asked now; a new one if anything but its label has changed.

        Args:
            model: its name.
            label: what people are told that it is called; empty: its name.
            release: the version, as the provider calls it.
            system_prompt: that it is given.
            parameters: that shape its replies.
            card: what it is known to take.
        """
        shapes = {"system_prompt": system_prompt, "parameters": dict(parameters or {}), "card": dict(card or {})}
        with self.database.writing() as connection:
            return contestants.enter(self.database, connection, {"model": model, "release": release, **shapes}, label)

    def merge(self, one: str, into: str) -> None:
        """Count a contestant's battles as those of another, on boards and in quotas.

        Args:
            one: the first digits of its hash.
            into: those of the other's.
        """
        with self.database.writing() as connection:
            contestants.merge(connection, one, into)

    def listed(self) -> tuple[Listed, ...]:
        """All contestants, in the order in which they came."""
        with self.database.reading() as connection:
            return contestants.listed(connection)

    def draw(
        self, contestants: Sequence[Contestant], how: Pairing, seed: int, resting: Sequence[Contestant] = ()
    ) -> Pair:
        """Draw two contestants and their sides.

        Args:
            contestants: those that can be asked now.
            how: uniformly, or by the places that a quota leaves.
            seed: of the draw, 63 bits.
            resting: those that take part too, asked now or not: a quota is full once no pair of any has a place.

        Raises:
            FullError: fewer than two contestants, or no place is free.
        """
        return pairs.draw(self.database, [one.id for one in contestants], how, seed, [one.id for one in resting])

    def begin(self, voter: Voter, query: Recording | str, pair: Pair) -> Battle:
        """Begin a battle, or give the one under way with this query; words typed anew after their vote are none.

        Args:
            voter: whose.
            query: what is asked.
            pair: as `draw` gave it; its place is free if it is not needed.
        """
        with self.database.writing() as connection:
            return battles.begin(self.database, connection, voter.id, query, pair)

    def replied(self, battle: str, a: Replied, b: Replied, language: str = "") -> Battle:
        """Keep both replies, and the query's language: the battle is ready, or has failed. Again does nothing."""
        with self.database.writing() as connection:
            return battles.replied(connection, battle, (a, b), language)

    def released(self, battle: str) -> None:
        """Keep when its voter was shown both replies whole, for the first time."""
        with self.database.writing() as connection:
            battles.released(connection, battle)

    def battle(self, voter: Voter, battle: str) -> Battle | None:
        """A battle by its id; None if it is another's, or none's."""
        with self.database.reading() as connection:
            return battles.found(connection, voter.id, battle)

    def current(self, voter: Voter) -> Battle | None:
        """The newest battle of a voter, which a reload finds again."""
        with self.database.reading() as connection:
            return battles.found(connection, voter.id)

    def asking(self) -> tuple[Asking, ...]:
        """All battles whose replies are not there yet, the oldest first: for whoever asks models, never for a voter."""
        with self.database.reading() as connection:
            return battles.asking(connection, self.audio)

    def vote(self, voter: Voter, battle: str, outcome: str, comment: str = "", tags: Sequence[str] = ()) -> Battle:
        """Vote, or change the vote.

        Args:
            voter: whose battle it is.
            battle: its id.
            outcome: one of `OUTCOMES`.
            comment: reasons in words.
            tags: reasons chosen from a list.

        Raises:
            NotThereError: it is another's, or none's.
            ClosedError: it is revealed, or has no two replies.
        """
        with self.database.writing() as connection:
            return battles.vote(self.database, connection, voter.id, battle, outcome, comment, tags)

    def reveal(self, voter: Voter, battle: str) -> Revealed:
        """Close the vote and say who the two were.

        Raises:
            NotThereError: it is another's, or none's.
            ClosedError: there is no vote yet.
        """
        with self.database.writing() as connection:
            return battles.reveal(connection, voter.id, battle)

    def set_apart(self, battle: str, reason: str, rule: str = "") -> None:
        """Leave a battle out of boards and quotas; nothing of it is removed.

        Args:
            battle: its id.
            reason: at most 40 characters (``identity-claim``).
            rule: what led to it, for people.
        """
        with self.database.writing() as connection:
            battles.set_apart(connection, battle, reason, clean(rule))

    def votes(
        self, groups: Sequence[str] = (), *, texts: bool = False, closed: bool = False, latencies: bool = True
    ) -> VoteFile:
        """The votes that count, as a vote file gives them.

        Args:
            groups: what they are grouped by: ``language``, ``study``; others are in no database.
            texts: whether queries, comments and reasons are read.
            closed: leave out votes less than an hour old that are not revealed: their voters would see who the two are.
            latencies: whether these are read of both replies.
        """
        from audiometry.arena.store import columns  # with numpy, which whoever keeps votes does without

        return columns.read(self.database, self.audio, groups, texts=texts, closed=closed, latencies=latencies)

    def failures(self, *, closed: bool = False) -> tuple[Rates, ...]:
        """What became of asking each contestant, in order of name; ``closed`` as for `votes`."""
        with self.database.reading(whole=True) as connection:
            return rates.rates(connection, closed=closed)

    def delete(self, code: str, *, votes: bool = False) -> Deleted:
        """Remove what a person said, and who it was; what was counted stays without words.

        Args:
            code: her personal code (`code_of`), however it is spelt.
            votes: whether her votes go too.

        Raises:
            NotThereError: it is nobody's.
        """
        with self.database.reading() as connection:
            who = voters.of_code(connection, code)
        return self.withdraw(Voter(id=who), votes=votes)

    def withdraw(self, voter: Voter, *, votes: bool = True) -> Deleted:
        """As `delete`, of a voter that is known."""
        with self.database.writing() as connection:
            deleted, shas = cleared.person(self.database, connection, voter.id, votes=votes)
        self.audio.remove(shas)
        self.database.forget()
        return deleted

    def expire(self, *, asking_s: float = 600.0, vote_s: float = 1800.0, keep_s: float | None = None) -> Expired:
        """Do what time asks for: to be called every few minutes.

        Args:
            asking_s: seconds after which nobody asks the models any more, whoever began it was killed: failed.
            vote_s: seconds after which both replies without a vote are abandoned, until a vote comes after all.
            keep_s: seconds for which recordings and words are kept; None: no end.
        """
        with self.database.writing() as connection:
            done, shas = cleared.expire(self.database, connection, time.time(), asking_s, vote_s, keep_s)
        self.audio.remove(shas)
        self.audio.sweep()
        self.database.forget()  # also what was deleted while somebody read for too long
        return done
