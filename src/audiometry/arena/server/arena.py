"""What the arena does for a voter: recordings, battles, votes, her data. The store keeps it; here it is limited."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec

from audiometry.arena.asking.asked import Entrant, Query
from audiometry.arena.asking.steps import STEP_S, steps
from audiometry.arena.server import wire
from audiometry.arena.server.battles import Battles
from audiometry.arena.server.frequency import Frequency
from audiometry.arena.server.metrics import Metrics
from audiometry.arena.server.refused import ForbiddenError, LaterError
from audiometry.arena.server.seen import page_settings, seen
from audiometry.arena.server.settings import Settings
from audiometry.arena.store.nouns import Battle, Heard, Pairing, Recording, Voter
from audiometry.arena.store.refusals import FullError, NotThereError
from audiometry.arena.store.store import Store
from audiometry.arena.store.words import clean, code_of
from audiometry.errors import AudioError, UsageError, shown
from audiometry.web.decoding import Decoding

LONG_POLL_S: Final = 25.0
_LOOK_S: Final = 0.5
_WHILE_S: Final = 600.0
_UNDER_WAY: Final = frozenset({"asking", "ready"})


class Who(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks.

    Attributes:
        key: a secret of the browser's, or of a study's participant.
        address: on the network, for limits alone.
        client: browser and system in a few words.
        participant: an opaque id of a study; empty: none.
    """

    key: str
    address: str = ""
    client: str = ""
    participant: str = ""


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """A study around an arena; see `web.study.spec.StudySpec`."""

    name: str
    n: int
    votes_per_pair: int = 0


class Arena:
    """Serves voters.

    Args:
        store: that keeps all of it.
        entrants: the models that take part.
        settings: of the arena.
        decoding: what decodes recordings.
        study: the study around it: its name, votes a person and votes a pair; None: none.
        languages: in which the page is there.
        heed: told in a line what goes wrong on this side.

    Attributes:
        stopping: no battle is begun any more.
        full: all battles that a study wanted are taken.
    """

    def __init__(
        self,
        store: Store,
        entrants: Sequence[Entrant],
        settings: Settings,
        decoding: Decoding,
        *,
        study: Around | None = None,
        languages: tuple[str, ...] = (),
        heed: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.store, self.entrants, self.settings, self.decoding = store, tuple(entrants), settings, decoding
        self.metrics = Metrics()
        self.battles = Battles(store, {one.contestant.id: one for one in entrants}, self.metrics, heed)
        self.stopping = False
        self._study, self._languages = study, languages
        self._pairing = Pairing(quota=settings.asking.quota)
        if study is not None:
            self._pairing = Pairing(quota=study.votes_per_pair, study=study.name)
        self.full = False
        limits = settings.limits
        self._often = {
            "battle": Frequency(limits.battles, _WHILE_S, "you have asked very often"),
            "recording": Frequency(limits.recordings, _WHILE_S, "you have sent very many recordings"),
            "address battle": Frequency(limits.address_battles, _WHILE_S, "very much is asked from your network"),
            "address recording": Frequency(limits.address_recordings, _WHILE_S, "very much comes from your network"),
        }
        self._turns: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def state(self, who: Who) -> wire.State:
        """Where a voter is: what the page has to know, and the newest battle."""
        voter = await self._voter(who)
        battle = await asyncio.to_thread(self.store.current, voter)
        page = page_settings(voter, self.settings, self._languages, in_study=self._study is not None)
        progress = None
        if self._study is not None:
            progress = wire.Progress(await asyncio.to_thread(self.store.count, voter), self._study.n)
        return wire.State(settings=page, battle=None if battle is None else seen(battle), progress=progress)

    async def consent(self, who: Who, given: wire.Agreed) -> wire.Nothing:
        """Keep that a voter agreed."""
        wanted = self.settings.consent
        if wanted is None or given.version != wanted.version:
            raise UsageError("the text to agree to has changed meanwhile; load the page again")
        voter = await self._voter(who)
        await asyncio.to_thread(self.store.consent, voter, given.version)
        return wire.Nothing()

    async def record(self, who: Who, data: bytes, heard: Mapping[str, Any]) -> wire.Recorded:
        """Decode and keep a recording."""
        voter = await self._agreed(who)
        self._limit("recording", voter, who)
        source = heard.get("source")
        if source == "upload" and not self.settings.recording.upload:
            raise UsageError("files are not taken here; record with the microphone")
        try:
            clip, found = await self.decoding.heard(data)
        except AudioError as problem:
            self.metrics.count("recordings", refused=problem.kind)
            raise
        facts = Heard(
            duration_s=found.duration_s,
            rate=found.rate,
            channels=found.channels,
            peak_dbfs=found.peak_dbfs,
            level_dbfs=found.level_dbfs,
        )
        own = {**heard, "kind": found.kind, "clipped": found.clipped, "gain_db": found.gain_db}
        kept = await asyncio.to_thread(self.store.keep_recording, voter, clip, facts, own)
        self.metrics.count("recordings", refused="")
        return wire.Recorded(
            recording=kept.id,
            href=f"/audio/{kept.id}",
            duration_s=found.duration_s,
            peak_dbfs=found.peak_dbfs,
            level_dbfs=found.level_dbfs,
            silent=found.silent,
            clipped=found.clipped,
        )

    async def recording(self, who: Who, recording: str) -> Recording:
        """A voter's own recording."""
        found = await asyncio.to_thread(self.store.recording, await self._voter(who), recording)
        if found is None:
            raise NotThereError("there is no such recording")
        return found

    async def battle(self, who: Who, asked: wire.Asked) -> wire.Battle:
        """Begin a battle, or give the one that is under way with this query."""
        voter = await self._agreed(who)
        turn = self._turns.setdefault(voter.id, asyncio.Lock())
        async with turn:  # a double click is one battle
            query = await self._query(who, asked)
            found = await asyncio.to_thread(self.store.current, voter)
            if found is None or found.state not in _UNDER_WAY or not _is_of(found, query):
                found = await self._begun(who, voter, query)
        return seen(found)

    async def wait(self, who: Who, battle: str, within_s: float = LONG_POLL_S) -> wire.Battle:
        """A battle, once both replies are complete; as it is when that takes longer than ``within_s``."""
        voter = await self._voter(who)
        end = time.monotonic() + within_s
        found = await self._own(voter, battle)
        while found.state == "asking" and (left := end - time.monotonic()) > 0 and not self.stopping:
            if not await self.battles.complete(battle, left):  # another process asks
                await asyncio.sleep(min(left, _LOOK_S))
            found = await self._own(voter, battle)
        if found.state == "ready":
            await asyncio.to_thread(self.store.released, battle)
        return seen(found)

    async def in_steps(self, who: Who, battle: str) -> AsyncIterator[wire.Battle]:
        """The same, growing in equal steps once both are complete; one that was voted on comes whole."""
        found = await self.wait(who, battle)
        if found.state == "ready":
            for a, b in [*steps(found.a, found.b)][:-1]:
                yield msgspec.structs.replace(found, state="asking", a=a, b=b)
                await asyncio.sleep(STEP_S)
        yield found

    async def vote(self, who: Who, said: wire.Said) -> wire.Battle:
        """Keep a vote, or change it."""
        rules = self.settings.vote
        if said.outcome not in rules.outcomes:
            raise UsageError(f"'{shown(said.outcome, 40)}' cannot be said here; say {', '.join(rules.outcomes)}")
        if unknown := sorted(set(said.tags) - set(rules.tags)):
            raise UsageError(f"'{shown(unknown[0], 40)}' is none of the reasons here; load the page again")
        voter = await self._voter(who)
        found = await asyncio.to_thread(
            self.store.vote, voter, said.battle, said.outcome, said.comment.strip(), tuple(dict.fromkeys(said.tags))
        )
        self.metrics.count("votes", outcome=said.outcome)
        return seen(found)

    async def reveal(self, who: Who, battle: str) -> wire.Revealed:
        """Close a vote and say who the two were."""
        if self._study is not None:
            raise ForbiddenError("a study tells nothing before its last vote")
        if not self.settings.vote.reveal:
            raise ForbiddenError("this arena does not tell who the two were")
        voter = await self._voter(who)
        found = await asyncio.to_thread(self.store.reveal, voter, battle)
        a, b = (wire.Side(side.name, side.latency_s, side.first_token_s) for side in (found.a, found.b))
        return wire.Revealed(**msgspec.structs.asdict(seen(found.battle)), models=wire.Sides(a, b))

    async def code(self, who: Who) -> wire.Code:
        """A voter's personal code."""
        await self._voter(who)
        return wire.Code(code_of(who.key))

    async def delete(self, code: str) -> wire.Deleted:
        """Remove what the person with a code said."""
        found = await asyncio.to_thread(self.store.delete, code)
        self.metrics.count("deletions")
        return wire.Deleted(found.recordings, found.battles, found.votes)

    def key_of(self, participant: str) -> str:
        """The key by which a study's participant is known as a voter, in whatever browser."""
        return f"study {self._pairing.study} {participant}"

    @property
    def awake(self) -> list[Entrant]:
        """The models that can be asked now."""
        return [one for one in self.entrants if not one.rest.left_s]

    async def _voter(self, who: Who) -> Voter:
        known = {"client": who.client, "participant": who.participant}
        return await asyncio.to_thread(self.store.voter, who.key, **known)

    async def _agreed(self, who: Who) -> Voter:
        """The voter, who has agreed to the present text where there is one."""
        voter, wanted = await self._voter(who), self.settings.consent
        if wanted is not None and voter.consent != wanted.version:
            raise ForbiddenError("agree to how your recordings are used first; load the page again")
        return voter

    async def _own(self, voter: Voter, battle: str) -> Battle:
        found = await asyncio.to_thread(self.store.battle, voter, battle)
        if found is None:
            raise NotThereError("there is no such battle")
        return found

    async def _query(self, who: Who, asked: wire.Asked) -> Recording | str:
        text = clean(asked.text.strip())
        if bool(text) == bool(asked.recording):
            raise UsageError("nothing was asked; send a recording or words, one of them")
        if text and not self.settings.recording.typed:
            raise UsageError("typed words are not taken here; speak")
        return text or await self.recording(who, asked.recording)

    async def _begun(self, who: Who, voter: Voter, query: Recording | str) -> Battle:
        if self.stopping:
            raise LaterError("the arena is about to be started again; nothing is lost, try again in a minute", 30)
        self._limit("battle", voter, who)
        awake = self.awake
        able = [one for one in awake if one.takes(None if isinstance(query, str) else query.heard.duration_s)]
        if len(able) < 2:  # noqa: PLR2004  a battle
            if len(awake) < 2:  # noqa: PLR2004  as above
                wait_s = sorted(one.rest.left_s for one in self.entrants)[1]
                raise LaterError("too few models answer at the moment; try again in a little while", wait_s)
            raise UsageError("too few models here take this kind of question; ask in another way")
        seed, began = secrets.randbits(63), time.time()
        try:
            pair = await asyncio.to_thread(self.store.draw, [one.contestant for one in able], self._pairing, seed)
        except FullError as problem:
            self.full = problem.done
            raise
        battle = await asyncio.to_thread(self.store.begin, voter, query, pair)
        if battle.state == "asking" and battle.made_at >= began:  # not one that another process has begun meanwhile
            clip, text = (None, query) if isinstance(query, str) else (query.path, "")
            self.battles.ask(pair.a, pair.b, Query(id=battle.id, clip=clip, text=text))
        return battle

    def _limit(self, what: str, voter: Voter, who: Who) -> None:
        self._often[what].done(voter.id)
        self._often[f"address {what}"].done(who.address)


def _is_of(battle: Battle, query: Recording | str) -> bool:
    return battle.text == query if isinstance(query, str) else battle.recording == query.id
