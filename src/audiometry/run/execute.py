"""Runs a benchmark: plan, folder, dispatch."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import msgspec

from audiometry import models
from audiometry.audio.kept import KeptClips
from audiometry.bench import Benchmark
from audiometry.bench.wordings import refuse_more
from audiometry.choices.variant import TEXT_ONLY
from audiometry.dispatch.attempts import Conditions
from audiometry.dispatch.cache import open_cache
from audiometry.dispatch.local import Dispatcher
from audiometry.dispatch.retry import RetryPolicy
from audiometry.dispatch.session import dispatch
from audiometry.dispatch.tally import Price, Tally
from audiometry.dispatch.waiting import PROCESS
from audiometry.errors import UsageError, shown
from audiometry.files import atomic, foreign
from audiometry.files.journal import Journal
from audiometry.files.run_folder import RunFolder
from audiometry.models import Model, cards
from audiometry.models.protocol import KnowsAnswers, NeedsKey
from audiometry.models.settings import AnswerTable
from audiometry.records import ReplyRecord
from audiometry.run import chosen, layout, recipes, shots
from audiometry.run.answers import BenchmarkAnswers
from audiometry.run.earlier import Reuse, settle
from audiometry.run.folder import agree, default_path, describe, finish
from audiometry.run.plan import Plan
from audiometry.run.recipe import follow
from audiometry.run.settings import RunSettings


class Prepared(msgspec.Struct, frozen=True):
    """A run that is ready to go: nothing is written and nobody asked yet.

    ``said`` is what the benchmark's card asks unasked, and what of its recipe is not done here, in lines for people.
    """

    plan: Plan
    model: Model
    settings: RunSettings
    folder: RunFolder
    said: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True):
    """What a session of a run did.

    Attributes:
        folder: where everything is.
        planned: items times variants.
        before: replies that were there when it started.
        tally: what this session asked.
        interrupted: the person stopped it; the same command goes on.
        reuse: what was found of earlier replies.
    """

    folder: RunFolder
    planned: int
    before: int
    tally: Tally
    interrupted: bool
    reuse: Reuse


def prepare(benchmark: Benchmark, model_name: str, settings: RunSettings, path: Path | None = None) -> Prepared:
    """Resolve names and settings into a run.

    Args:
        benchmark: what to ask.
        model_name: whom, as ``provider/name``.
        settings: how.
        path: the run folder; None: one named after the request, under ``runs/``.

    Raises:
        UsageError: something in the request cannot be.
    """
    if settings.again and settings.cache:
        raise UsageError("--again asks everything anew and --cache takes replies from a file; leave out one of them")
    positions = benchmark.select(settings.tasks, settings.limit, settings.categories)
    by_default = tuple(chosen.said_by_default(settings, benchmark))
    settings = chosen.settled(settings, benchmark, positions)
    variants = chosen.variants(settings)
    asked = {benchmark.items.task_of(position): None for position in positions} if settings.wordings > 1 else {}
    refuse_more(benchmark.card, list(asked), settings.wordings)
    by = follow(recipes.find(settings.recipe), model_name, settings, benchmark, positions) if settings.recipe else None
    settings = settings if by is None else by.settings
    model = load_model(model_name, settings, BenchmarkAnswers(benchmark), key_later=True)
    _refuse_untaken(model, settings)
    if by is None:
        card = model.card
        how = layout.stamp(settings.prompt or "ours", layout.part_order(settings.part_order, card, model_name))
    else:
        by.refuse_another(model_name, model.parameters)
        card, how = by.narrowed(model.card, model_name), by.stamp
    how = layout.with_shots(how, settings.shots or 0, settings.shots_with, benchmark.card.example)
    shots.refuse(benchmark, positions, how, card, model_name)
    plan = Plan(benchmark, positions, variants, how, card, settings.seed, None if by is None else by.ask.as_layout)
    folder = RunFolder(path or default_path(describe(plan, model, settings)))
    if settings.again or not folder.has_replies():  # else it is known only later whether anybody is to be asked
        _need_key(model)
    PROCESS.begin("")
    by_recipe = () if by is None else by.said(model.card, model_name)
    return Prepared(plan, model, settings, folder, (*by_default, *by_recipe))


def _refuse_untaken(model: Model, settings: RunSettings) -> None:
    """Refuse what a person has asked for and the model does not take, as its card says."""
    card, asked = model.card, settings.model
    if asked.temperature is not None and not card.takes_temperature(asked.extra):
        raise UsageError(
            f"{model.name} takes no temperature, as its card says; leave out --temperature{cards.unless(card)}"
        )
    if asked.max_tokens is not None and not card.max_tokens_key:
        raise UsageError(f"{model.name} takes no limit on its replies, as its card says; leave out --max-tokens")
    if card.needs_audio and TEXT_ONLY in settings.variants:
        raise UsageError(
            f"{model.name} takes no prompt without a clip, as its card says; leave out --variant {TEXT_ONLY} "
            "(noise, silence and other-clip tell too whether it listens)"
        )


def _need_key(model: Model) -> None:
    if isinstance(model, NeedsKey):
        model.need_key()


def load_model(name: str, settings: RunSettings, answers: AnswerTable, *, key_later: bool = False) -> Model:
    """The model of that name as a run uses it, its reader included.

    Args:
        name: ``provider/name``.
        settings: of the run.
        answers: what a scripted model may know.
        key_later: see `ModelSettings`.

    Raises:
        UsageError: something in the request cannot be.
    """
    name = models.with_reader(name, settings.reader)
    models.refuse_idle([name], _given(settings))
    PROCESS.begin(f"waiting for {shown(name)} to start")  # some are started or loaded as soon as they are looked at
    wanted = msgspec.structs.replace(
        settings.model,
        seed=settings.seed,
        answers=answers,
        connections=settings.concurrency,
        key_later=key_later,
    )
    return models.load(name, wanted)


def _given(settings: RunSettings) -> list[str]:
    """What a person has set of what not every provider takes."""
    given = {
        "base_urls": settings.model.base_urls,
        "proxy": settings.model.proxy,
        "stream": settings.model.stream,
        "temperature": settings.model.temperature is not None,
        "max_tokens": settings.model.max_tokens is not None,
        "extra": settings.model.extra,
        "card": settings.model.card,
        "reader": settings.reader,
        "price": settings.price,
    }
    return [setting for setting, value in given.items() if value]


def execute(
    run: Prepared,
    *,
    watch: Callable[[ReplyRecord, Tally], None] = lambda _record, _tally: None,
    started: Callable[[int, Reuse], None] = lambda _planned, _reuse: None,
    stopping: Callable[[], None] = lambda: None,
    first: Callable[[Prepared], Awaitable[None]] | None = None,
) -> Outcome:
    """Ask everything that is not answered yet, and keep each reply as it arrives.

    Args:
        run: from `prepare`.
        watch: called after every reply with it and the accounts so far.
        started: called once with how many replies are planned, and what was found of earlier ones.
        stopping: called when Ctrl-C was pressed and replies under way are waited for.
        first: done before anything is asked, with the model open and the folder claimed; not if nothing is left to ask.

    Raises:
        RunFolderError: the folder belongs to another run or is in use.
        StorageError: the disk refused; whatever arrived before is kept.
        StoppedError: no further reply can be had.
    """
    info = describe(run.plan, run.model, run.settings)
    agree(run.folder, info)  # before anything is touched
    knows_answers = isinstance(run.model, KnowsAnswers) and run.model.knows_answers
    with (
        Journal(run.folder.replies_path) as journal,
        open_cache("" if knows_answers else run.settings.cache) as cache,
        contextlib.closing(run.plan.clips),
    ):
        run.plan.clips.keep(_kept_clips(run))
        done, reuse = settle(journal, run.folder, run.plan, info, knows_answers=knows_answers)
        planned = len(run.plan)
        if reuse.here < planned:
            _need_key(run.model)
        started(planned, reuse)
        tally = Tally(run.settings.price or card_price(run.model))
        dispatcher = Dispatcher(
            run.model,
            journal,
            conditions(run.settings, run.model),
            cache=cache,
            tally=tally,
            watch=lambda record: watch(record, tally),
        )
        # A run with nothing left to ask starts no event loop: resuming a finished one is instant.
        opening = partial(first, run) if first is not None else None
        said = foreign.read_file(run.folder.info_path)
        try:
            interrupted = reuse.here < planned and dispatch(dispatcher, run.plan.asks(done), stopping, opening)
        finally:
            if journal.put_back and not run.folder.exists():  # somebody removed the folder in mid-run
                atomic.write(run.folder.info_path, said)
        if reuse.there + tally.replies == reuse.in_folder:
            finish(run.folder)
    return Outcome(run.folder, planned, reuse.here, tally, interrupted, reuse)


def _kept_clips(run: Prepared) -> KeptClips:
    """Where converted clips are kept: on the disk of the run as well, if each will be asked for again."""
    named = Path(run.settings.clips) if run.settings.clips else None
    again = len(run.plan.variants) > 1 or run.plan.prompt.shots_with == "audio"
    return KeptClips(named, beside=run.folder.path if again else None)


def conditions(settings: RunSettings, model: Model) -> Conditions:
    """Under which a model is asked."""
    return Conditions(
        concurrency=settings.concurrency or model.card.concurrency,
        requests_per_minute=settings.rpm,
        tokens_per_minute=settings.tpm,
        timeout_s=settings.model.timeout_s,
        retry=RetryPolicy(max_tries=settings.max_tries),
        seed=settings.seed,
    )


def card_price(model: Model) -> Price:
    """What a model costs, as its card says."""
    return Price(tokens_in=model.card.price_in, tokens_out=model.card.price_out)
