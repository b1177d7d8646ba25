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
from audiometry.arena.asking.transcript import Transcriber
from audiometry.arena.server import wire
from audiometry.arena.server.battles import Battles
from audiometry.arena.server.frequency import Frequency
from audiometry.arena.server.metrics import Metrics
from audiometry.arena.server.refused import ForbiddenError, LaterError
from audiometry.arena.server.seen import page_settings, seen
from audiometry.arena.server.settings import Settings
from audiometry.arena.server.who import Around, Who
from audiometry.arena.store.nouns import Battle, Contestant, Heard, Pair, Pairing, Recording, Voter
from audiometry.arena.store.refusals import FullError, NotThereError
from audiometry.arena.store.store import Store
from audiometry.arena.store.words import clean, code_of
from audiometry.errors import AudioError, UsageError, shown
from audiometry.web.decoding import Decoding

LONG_POLL_S: Final = 25.0
_LOOK_S: Final = 0.5
_WHILE_S: Final = 600.0
_VOTER_S: Final = 20.0
MOST_VOTERS: Final = 10_000
_UNDER_WAY: Final = frozenset({"asking", "ready"})


class Arena:
    """Serves voters.

    Args:
        store: that keeps all of it.
        entrants: the models that take part.
        settings: of the arena.
        decoding: what decodes recordings.
        study: the study around it: its name, votes a person and votes a pair; None: none.
        transcriber: writes down what is said on recordings; None: nobody does.
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
        transcriber: Transcriber | None = None,
        languages: tuple[str, ...] = (),
        heed: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.store, self.entrants, self.settings, self.decoding = store, tuple(entrants), settings, decoding
        self.metrics = Metrics()
        by_id = {one.contestant.id: one for one in entrants}
        self.battles = Battles(store, by_id, self.metrics, heed, transcriber)
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
        self._voters: dict[str, tuple[Voter, float]] = {}
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def state(self, who: Who) -> wire.State:
        """Where a voter is: what the page has to know, and the newest battle."""

        def looked() -> wire.State:
            voter = self._voter(who)
            page = page_settings(voter, self.settings, self._languages, in_study=self._study is not None)
            battle = self.store.current(voter)
            progress = None if self._study is None else wire.Progress(self.store.count(voter), self._study.n)
            return wire.State(settings=page, battle=None if battle is None else seen(battle), progress=progress)

        return await asyncio.to_thread(looked)

    async def consent(self, who: Who, given: wire.Agreed) -> wire.Nothing:
        """Keep that a voter agreed."""
        wanted = self.settings.consent
        if wanted is None or given.version != wanted.version:
            raise UsageError("the text to agree to has changed meanwhile; load the page again")
        await asyncio.to_thread(lambda: self.store.consent(self._voter(who), given.version))
        self.forget()
        return wire.Nothing()

    async def record(self, who: Who, data: bytes, heard: Mapping[str, Any]) -> wire.Recorded:
        """Decode and keep a recording."""
        voter = await asyncio.to_thread(self._agreed, who)
        self._limit("recording", who)
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
        return await asyncio.to_thread(lambda: self._recording(self._voter(who), recording))

    async def battle(self, who: Who, asked: wire.Asked) -> wire.Battle:
        """Begin a battle, or give the one that is under way with this query."""
        turn = self._turns.setdefault(who.key, asyncio.Lock())
        async with turn:  # a double click is one battle
            voter, query, found = await asyncio.to_thread(self._under_way, who, asked)
            return seen(found or await self._begun(who, voter, query))

    async def wait(self, who: Who, battle: str, within_s: float = LONG_POLL_S) -> wire.Battle:
        """A battle, once both replies are complete; as it is when that takes longer than ``within_s``."""

        def looked() -> Battle:
            found = self.store.battle(self._voter(who), battle)
            if found is None:
                raise NotThereError("there is no such battle")
            return found

        end = time.monotonic() + within_s
        found = await asyncio.to_thread(looked)
        if found.state == "ready" and not self.settings.asking.steps:
            await asyncio.to_thread(self.store.released, battle)  # else it is as soon as it is ready
        while found.state == "asking" and (left := end - time.monotonic()) > 0 and not self.stopping:
            if not await self.battles.complete(battle, left):  # another process asks
                await asyncio.sleep(min(left, _LOOK_S))
            found = await asyncio.to_thread(looked)
        return seen(found)

    async def in_steps(self, who: Who, battle: str) -> AsyncIterator[wire.Battle]:
        """The same, growing in equal steps once both are complete; one that was voted on comes whole."""
        found = await self.wait(who, battle)
        if found.state == "ready":
            for a, b in [*steps(found.a, found.b)][:-1]:
                yield msgspec.structs.replace(found, state="asking", a=a, b=b)
                await asyncio.sleep(STEP_S)
            await asyncio.to_thread(self.store.released, battle)
        yield found

    async def vote(self, who: Who, said: wire.Said) -> wire.Battle:
        """Keep a vote, or change it."""
        rules = self.settings.vote
        if said.outcome not in rules.outcomes:
            raise UsageError(f"'{shown(said.outcome, 40)}' cannot be said here; say {', '.join(rules.outcomes)}")
        if unknown := sorted(set(said.tags) - set(rules.tags)):
            raise UsageError(f"'{shown(unknown[0], 40)}' is none of the reasons here; load the page again")
        words, tags = said.comment.strip(), tuple(dict.fromkeys(said.tags))
        found = await asyncio.to_thread(
            lambda: self.store.vote(self._voter(who), said.battle, said.outcome, words, tags)
        )
        self.metrics.count("votes", outcome=said.outcome)
        self.full &= said.outcome != "skip"  # whose place is free again
        return seen(found)

    async def reveal(self, who: Who, battle: str) -> wire.Revealed:
        """Close a vote and say who the two were."""
        if self._study is not None:
            raise ForbiddenError("a study tells nothing before its last vote")
        if not self.settings.vote.reveal:
            raise ForbiddenError("this arena does not tell who the two were")
        found = await asyncio.to_thread(lambda: self.store.reveal(self._voter(who), battle))
        a, b = (wire.Side(side.name, side.latency_s, side.first_token_s) for side in (found.a, found.b))
        return wire.Revealed(**msgspec.structs.asdict(seen(found.battle)), models=wire.Sides(a, b))

    async def code(self, who: Who) -> wire.Code:
        """A voter's personal code."""
        await asyncio.to_thread(self._voter, who)
        return wire.Code(code_of(who.key))

    async def delete(self, code: str) -> wire.Deleted:
        """Remove what the person with a code said."""
        found = await asyncio.to_thread(self.store.delete, code)
        self.forget()
        self.metrics.count("deletions")
        return wire.Deleted(found.recordings, found.battles, found.votes)

    def forget(self) -> None:
        """Look voters up anew: one of them is gone, or has agreed to something."""
        self._voters.clear()

    def key_of(self, participant: str) -> str:
        """The key by which a study's participant is known as a voter, in whatever browser."""
        return f"study {self._pairing.study} {participant}"

    @property
    def awake(self) -> list[Entrant]:
        """The models that can be asked now."""
        return [one for one in self.entrants if not one.rest.left_s]

    def _voter(self, who: Who) -> Voter:
        """Looked up anew every so often, and where the store does not know them any more."""
        voter, until = self._voters.get(who.key, (None, 0.0))
        if voter is None or time.monotonic() > until:
            if len(self._voters) >= MOST_VOTERS:
                self._voters.clear()
            voter = self.store.voter(who.key, client=who.client, participant=who.participant)
            self._voters[who.key] = voter, time.monotonic() + _VOTER_S
        return voter

    def _agreed(self, who: Who) -> Voter:
        """The voter, who has agreed to the present text where there is one."""
        voter, wanted = self._voter(who), self.settings.consent
        if wanted is not None and voter.consent != wanted.version:
            raise ForbiddenError("agree to how your recordings are used first; load the page again")
        return voter

    def _recording(self, voter: Voter, recording: str) -> Recording:
        found = self.store.recording(voter, recording)
        if found is None:
            raise NotThereError("there is no such recording")
        return found

    def _under_way(self, who: Who, asked: wire.Asked) -> tuple[Voter, Recording | str, Battle | None]:
        """Who asks and what, and the battle with that query that waits for replies or a vote; None: there is none."""
        voter, text = self._agreed(who), clean(asked.text.strip())
        if bool(text) == bool(asked.recording):
            raise UsageError("nothing was asked; send a recording or words, one of them")
        if text and not self.settings.recording.typed:
            raise UsageError("typed words are not taken here; speak")
        query = text or self._recording(voter, asked.recording)
        found = self.store.current(voter)
        is_this = found is not None and found.state in _UNDER_WAY and _is_of(found, query)
        return voter, query, found if is_this else None

    async def _begun(self, who: Who, voter: Voter, query: Recording | str) -> Battle:
        if self.stopping:
            raise LaterError("the arena is about to be started again; nothing is lost, try again in a minute", 30)
        self._limit("battle", who)
        awake = self.awake
        able = [one for one in awake if one.takes(None if isinstance(query, str) else query.heard.duration_s)]
        if len(able) < 2:  # noqa: PLR2004  a battle
            if len(awake) < 2:  # noqa: PLR2004  as above
                wait_s = sorted(one.rest.left_s for one in self.entrants)[1]
                raise LaterError("too few models answer at the moment; try again in a little while", wait_s)
            raise UsageError("too few models here take this kind of question; ask in another way")
        began = time.time()
        try:
            pair, battle = await asyncio.to_thread(self._drawn, voter, query, [one.contestant for one in able])
        except FullError as problem:
            self.full = problem.done
            raise
        if battle.state == "asking" and battle.made_at >= began:  # not one that another process has begun meanwhile
            self.battles.ask(pair.a, pair.b, Query.of(battle.id, query))
        return battle

    def _drawn(self, voter: Voter, query: Recording | str, able: Sequence[Contestant]) -> tuple[Pair, Battle]:
        everybody = [one.contestant for one in self.entrants]
        pair = self.store.draw(able, self._pairing, secrets.randbits(63), everybody)
        return pair, self.store.begin(voter, query, pair)

    def _limit(self, what: str, who: Who) -> None:
        self._often[what].done(who.key)
        self._often[f"address {what}"].done(who.address)


def _is_of(battle: Battle, query: Recording | str) -> bool:
    return battle.text == query if isinstance(query, str) else battle.recording == query.id
