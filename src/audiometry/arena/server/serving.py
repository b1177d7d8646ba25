"""An arena put together from its settings and served."""

from __future__ import annotations

import contextlib
import math
import re
import socket
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from starlette.types import ASGIApp

from audiometry.arena.asking.asked import Entrant
from audiometry.arena.asking.transcript import Transcriber
from audiometry.arena.server.addresses import Addresses
from audiometry.arena.server.arena import Arena
from audiometry.arena.server.board import Board
from audiometry.arena.server.life import Life, closed
from audiometry.arena.server.routes import STATIC, application
from audiometry.arena.server.settings import ModelEntry, Settings, checked
from audiometry.arena.server.study_work import StudyWork
from audiometry.arena.server.who import Around
from audiometry.arena.store.nouns import Rates
from audiometry.arena.store.store import Store
from audiometry.dispatch.open_files import fitted
from audiometry.errors import UsageError, shown
from audiometry.models import Model, load, refuse_idle, routes, with_reader
from audiometry.models.settings import addressed
from audiometry.render import html
from audiometry.web import serve as server
from audiometry.web.decoding import Decoding
from audiometry.web.guard import LOCAL
from audiometry.web.study import gate
from audiometry.web.study.spec import StudySpec
from audiometry.web.study.study import Study
from audiometry.web.upload import Limits

_OPEN: Final = frozenset({"/health", "/metrics"})
_LOOPBACK: Final = frozenset({"", "127.0.0.1", "::1", "localhost"})


def loaded(entry: ModelEntry, settings: Settings) -> Model:
    """The model of an entry; nothing is contacted yet.

    Raises:
        UsageError: there is none of that name, or a setting does nothing with it.
    """
    try:
        return _loaded(entry, settings)
    except UsageError as problem:  # which speaks of the options of commands; here they are keys of a file
        said = str(problem).replace("or give --base-url", "or say where it is served (base_url, or NAME@URL)")
        raise UsageError(re.sub("--([a-z-]+)", lambda option: option[1].replace("-", "_"), said)) from problem


def _loaded(entry: ModelEntry, settings: Settings) -> Model:
    name, url = addressed(entry.name)
    reader, reader_url = addressed(entry.reader)
    name = with_reader(name, reader) if reader else name
    url = entry.base_url or url or reader_url
    if name.startswith("scripted/") and not name.startswith("scripted/constant"):
        raise UsageError(
            f"{shown(name)} answers a benchmark's questions, not people's; to try the page out, take "
            "'scripted/constant?text=Hello', which says the same to everybody"
        )
    given: dict[str, Any] = {
        "base_urls": (url,) if url else (),
        "temperature": entry.temperature,
        "max_tokens": entry.max_tokens,
        "extra": entry.extra,
        "card": entry.card,
    }
    given = {key: value for key, value in given.items() if value not in (None, "", (), {})}
    refuse_idle([name], [*(["reader"] if reader else []), *given])
    route = routes().get(name.partition("/")[0])
    streams = entry.stream and route is not None and "stream" in route.takes
    concurrency = settings.limits.connections
    return load(name, timeout_s=settings.asking.timeout_s, stream=streams, connections=min(concurrency, 64), **given)


def _entrants(settings: Settings, models: Sequence[Model], store: Store) -> list[Entrant]:
    found = list[Entrant]()
    for entry, model in zip(settings.entries, models, strict=True):
        system = settings.system_prompt if entry.system_prompt is None else entry.system_prompt
        contestant = store.contestant(
            model.name,
            label=entry.label,
            release=entry.release,
            system_prompt=system,
            parameters=model.parameters,
            card=msgspec.to_builtins(model.card),
        )
        if any(one.contestant.id == contestant.id for one in found):
            raise UsageError(f"'{shown(model.name)}' takes part twice under equal settings; leave out one of them")
        found.append(Entrant(model, contestant, timeout_s=settings.asking.timeout_s, whole_s=settings.asking.whole_s))
    return found


def fitting(settings: Settings, entrants: list[Entrant]) -> Settings:
    """The settings, with recordings no longer than every model takes, and words only where two models take them."""
    cards = [one.model.card for one in entrants]
    longest = min([settings.recording.longest_s, *(card.longest_s or math.inf for card in cards if not card.cut)])
    typed = settings.recording.typed and sum(one.takes(None) for one in entrants) > 1
    return msgspec.structs.replace(
        settings, recording=msgspec.structs.replace(settings.recording, longest_s=longest, typed=typed)
    )


def serve(
    settings: Settings,
    on: socket.socket,
    *,
    host: str = "",
    heed: Callable[[str], object],
    ready: Callable[[Settings], object] = lambda _: None,
    study: Study | None = None,
) -> None:
    """Serve an arena until Ctrl-C or SIGTERM.

    Args:
        settings: of it.
        on: where it listens.
        host: the address it was told to listen on; empty: this machine alone.
        heed: told in a line what goes wrong on this side, and what is waited for.
        ready: told when it begins, with the settings as they came to fit the models.
        study: around it; None: anybody may vote.

    Raises:
        UsageError: the settings do not go together, a model or the database cannot be had.
        StorageError: the database does not answer.
    """
    settings = checked(settings)
    if study is not None:  # whose pages go over into the arena's
        settings = msgspec.structs.replace(settings, title=study.spec.title)
    models = [loaded(entry, settings) for entry in settings.entries]  # what is wrong there leaves no database behind
    transcriber = _transcriber(settings)
    if why := closed(settings.audio_folder):  # which is said before anybody has spoken
        raise UsageError(f"{why}; name another folder by audio in the settings")
    store = Store.open(settings.db, settings.audio_folder)
    with contextlib.ExitStack() as stack:
        stack.callback(store.close)
        entrants = _entrants(settings, models, store)
        fits = fitting(settings, entrants)
        if fits.recording.longest_s < settings.recording.longest_s:
            heed(f"recordings may last {fits.recording.longest_s:g} s: one of the models takes no more")
        taken = Limits(bytes=fits.recording.largest_bytes, longest_s=fits.recording.longest_s)
        arena = Arena(
            store,
            entrants,
            fits,
            Decoding(taken, normalise=fits.recording.normalise),
            study=None if study is None else _around(study.spec),
            transcriber=transcriber,
            languages=languages(),
            heed=heed,
        )
        board = None if study is not None else Board(settings.db, settings.audio_folder, settings.title, heed)
        life = Life(arena, board, heed)
        hosts = frozenset(one.lower() for one in settings.hosts) or (LOCAL if host in _LOOPBACK else None)
        addresses = Addresses(settings.limits.requests, settings.proxies)
        who = None if study is None else gate.participant
        app: ASGIApp = application(arena, board, life, addresses, hosts=hosts, participant=who, heed=heed)
        if study is not None:
            app = gate.admitted(
                app,
                study,
                StudyWork(arena),
                palette=html.PALETTE,
                hosts=hosts,
                heed=heed,
                open_paths=_OPEN,
                refusal=addresses.refusal,
            )
        server.serve(
            app,
            on,
            lambda _: ready(fits),
            life=life,
            connections=fitted(settings.limits.connections),
            of_address=None if settings.proxies else settings.limits.address_connections or None,
        )


def _transcriber(settings: Settings) -> Transcriber | None:
    if not settings.transcriber:
        return None
    return Transcriber(loaded(ModelEntry(name=settings.transcriber), settings), settings.asking.timeout_s)


def _around(spec: StudySpec) -> Around:
    return Around(name=spec.name, n=spec.n, votes_per_pair=spec.votes_per_pair)


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What an arena holds, for whoever runs it.

    Attributes:
        db: URL of its database.
        votes: that count, open ones too.
        models: what became of asking each.
    """

    db: str
    votes: int
    models: tuple[Rates, ...]


def standing(settings: Settings) -> Standing:
    """What an arena holds.

    Raises:
        UsageError: there is no such database.
        StorageError: it does not answer.
    """
    with contextlib.closing(Store.open(settings.db, settings.audio_folder, make=False)) as store:
        return Standing(db=store.database.name, votes=store.votes().votes.n, models=store.failures())


def languages() -> tuple[str, ...]:
    """The languages in which the page is there."""
    return tuple(sorted(shown(path.name.split(".")[1]) for path in STATIC.glob("words.*.json")))
