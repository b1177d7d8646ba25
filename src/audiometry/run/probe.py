"""The hearing test of a model: does audio reach it, whole, at its own rate, with both channels?

A small benchmark of tones and spoken digits is made and asked on the way that all items go: files, fitted to the
model's card, laid out, dispatched. What is lost on that way is lost here as well, and shows.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from audiometry import bench
from audiometry.bench import Benchmark
from audiometry.dispatch import event_loop
from audiometry.dispatch.stopped import StoppedError
from audiometry.dispatch.tally import Tally
from audiometry.files import presence
from audiometry.models import Model
from audiometry.records.reply import now
from audiometry.run import layout
from audiometry.run.answers import BenchmarkAnswers
from audiometry.run.execute import Prepared, card_price, conditions, load_model
from audiometry.run.probing import asking, diagnose, result, weigh
from audiometry.run.probing.asking import Asker, Outcome
from audiometry.run.probing.pitch_shift import Shift, shift
from audiometry.run.probing.questions import AGAIN, SHORT, Part, basics, further
from audiometry.run.probing.result import ALPHA, Aspect, Form, Probe
from audiometry.run.settings import RunSettings

REPLIES = "probe-replies.jsonl"
CLIPS = "probe-clips"
USUAL, LONGEST = 56, 92
"""Questions of the full test where the model's card takes all clips, and the most: of a model that tells tones and no
digits, three parts of them asked again."""
SHORT_TRIES = 2
SCRIPTED = "scripted/"


def probe(
    model_name: str,
    settings: RunSettings,
    path: Path | None = None,
    *,
    watch: Callable[[int], None] = lambda _: None,
) -> Probe:
    """Test a model in full: `LONGEST` questions at most.

    Args:
        model_name: whom, as ``provider/name``.
        settings: how, as for a run; layout, items and variants play no part.
        path: a folder for ``probe.json``, the clips and the replies; None: nothing is kept.
        watch: called after every reply with how many came.

    Raises:
        UsageError: something in the request cannot be.
        StoppedError: no reply can be had.
        StorageError: a reply could not be kept.
    """
    with tempfile.TemporaryDirectory(prefix="audiometry-probe-") as temporary:
        answers = _Answers()
        model = load_model(model_name, settings, answers)
        found = event_loop.run(lambda: _full(_asker(model, settings, watch), path or Path(temporary), answers))
    if path is not None:
        result.write(path, found)
    return found


async def before_run(run: Prepared) -> Probe | None:
    """The short form, eight questions, with the model of a run; ``probe.json`` goes into its folder if a reply came.

    It stops a run only where key, model or address are refused, which no item can change: it waits no longer than one
    reply may take, and what else goes wrong stands in ``stopped``.

    Returns:
        What it found; None if the folder has a probe already, or the model is a scripted one, which has no ears.

    Raises:
        StoppedError: the model refuses to be asked.
        StorageError: the run's folder cannot be written.
    """
    if run.model.name.startswith(SCRIPTED) or presence.exists(run.folder.path / result.FILE):
        return None
    settings = msgspec.structs.replace(
        run.settings,
        part_order=run.plan.prompt.part_order,
        max_tries=min(SHORT_TRIES, run.settings.max_tries),
    )
    who = _asker(run.model, settings, lambda _: None)
    who = msgspec.structs.replace(who, deadline_s=settings.model.timeout_s)
    with tempfile.TemporaryDirectory(prefix="audiometry-probe-") as temporary:
        written = asking.write(SHORT, who, Path(temporary))
        outcome = await asking.ask(written, who, Path(temporary), Path(temporary) / REPLIES)
    if outcome.refused:
        raise StoppedError(f"{outcome.refused}; no item was asked", outcome.refused)
    found = _weighed("short", who, SHORT, outcome)
    if found.n:
        result.write(run.folder.path, found)
    return found


class _Answers:
    """What a scripted model may know of the test; see `AnswerTable`."""

    def __init__(self) -> None:
        self._tables: list[tuple[Benchmark, BenchmarkAnswers]] = []

    def learn(self, folder: Path) -> None:
        """Add the questions in a folder."""
        benchmark = bench.load(folder)
        self._tables.append((benchmark, BenchmarkAnswers(benchmark)))

    def answer(self, item: str) -> str | None:
        """The text of the right option; None if the question is not known."""
        return next((table.answer(item) for known, table in self._tables if known.item(item)), None)

    def audio_sha256(self, item: str) -> str:
        """Hash of the question's own clip."""
        return next((table.audio_sha256(item) for known, table in self._tables if known.item(item)), "")

    def kind(self, item: str) -> str:
        """Of the question."""
        return next((table.kind(item) for known, table in self._tables if known.item(item)), "")

    def labels(self, item: str) -> Sequence[str]:
        """None: the questions have options, or are open."""
        return next((table.labels(item) for known, table in self._tables if known.item(item)), ())


async def _full(who: Asker, folder: Path, answers: _Answers) -> Probe:
    """The basic questions; the others, with digits or with tones as the first ones suggest; more of what is open."""
    asked, outcome = basics(), Outcome(())
    try:
        outcome = await _stage("basics", asked, outcome, who, folder, answers)
        if not outcome.stopped and not any(h.text is not None for h in outcome.heard):
            outcome = Outcome(outcome.heard, f"none of the first {len(outcome.heard)} questions had a reply")
        rest = further(who.card, who.part_order, _signal(outcome.heard))
        outcome = await _stage("further", rest, outcome, who, folder, answers)
        asked = (*asked, *rest)
        found, hears, _, wrong_rate = _shown("full", who, asked, outcome.heard)
        names = [] if wrong_rate is not None else weigh.to_ask_again(found, hears=hears)
        again = [msgspec.structs.replace(part, skip=part.n, n=AGAIN[part.kind]) for part in asked if part.name in names]
        outcome = await _stage("again", again, outcome, who, folder, answers)
    finally:
        await who.model.close()
    if outcome.stopped and not any(h.text is not None or h.error is not None for h in outcome.heard):
        raise StoppedError(outcome.stopped)
    return _weighed("full", who, asked, outcome)


async def _stage(
    name: str, parts: Sequence[Part], before: Outcome, who: Asker, folder: Path, answers: _Answers
) -> Outcome:
    """What came before, and of these parts; nothing more once it was stopped."""
    if before.stopped or not parts:
        return before
    clips = folder / CLIPS / name
    written = await asyncio.to_thread(asking.write, parts, who, clips)
    answers.learn(clips)
    outcome = await asking.ask(written, who, clips, folder / REPLIES)
    return Outcome((*before.heard, *outcome.heard), outcome.stopped)


def _signal(heard: Sequence[result.Heard]) -> Literal["digit", "tone"]:
    """What the further parts play: digits, unless tones are told and digits are not."""
    tones, digits = weigh.aspects(basics(), heard, {})
    return "tone" if tones.p <= ALPHA < digits.p else "digit"


def _asker(model: Model, settings: RunSettings, watch: Callable[[int], None]) -> Asker:
    return Asker(
        model=model,
        part_order=layout.part_order(settings.part_order, model.card, model.name),
        seed=settings.seed,
        conditions=conditions(settings, model),
        tally=Tally(settings.price or card_price(model)),
        watch=watch,
    )


def _shown(
    form: Form, who: Asker, parts: Sequence[Part], heard: Sequence[result.Heard]
) -> tuple[tuple[Aspect, ...], bool, float, Shift | None]:
    """The parts with their verdicts, whether there is a sign of hearing and how likely by guessing, a wrong rate."""
    found = weigh.aspects(parts, heard, asking.left_out(parts, who.card))
    hears, p = weigh.overall(found, form)
    wrong_rate = shift(heard)
    if wrong_rate is not None:
        hears, p = True, min(p, wrong_rate.p)  # answers that follow the tones, only at another pitch
        found = diagnose.heard_shifted(found, wrong_rate, heard)
    return found, hears, p, wrong_rate


def _weighed(form: Form, who: Asker, parts: Sequence[Part], outcome: Outcome) -> Probe:
    heard = outcome.heard
    found, hears, p, wrong_rate = _shown(form, who, parts, heard)
    if not hears:
        found = weigh.without_sign(found)
    return Probe(
        form=form,
        model=who.model.name,
        parameters=who.model.parameters,
        seed=who.seed,
        hears=hears,
        p=p,
        right=sum(one.right for one in found),
        n=sum(one.n for one in found),
        expected=round(weigh.expected(found), 2),
        n_failed=sum(one.n_failed for one in found),
        aspects=found,
        findings=tuple(diagnose.findings(found, heard, wrong_rate, hears=hears)),
        stopped=outcome.stopped,
        usage=who.tally.usage(),
        at=now(),
        questions=heard,
    )
