"""Queries that were spoken: recordings of votes written down by a model, each once, and kept as they come."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from audiometry import models
from audiometry.analysis.topics.result import Heard
from audiometry.audio.prepare import prepare_file
from audiometry.choices import clean
from audiometry.dispatch.ask import Ask
from audiometry.dispatch.cache import open_cache
from audiometry.dispatch.local import Dispatcher
from audiometry.dispatch.session import dispatch
from audiometry.dispatch.tally import Price, Tally, Usage
from audiometry.errors import UsageError, shown
from audiometry.files import jsonl, presence
from audiometry.files.journal import Journal
from audiometry.files.votes import VoteFile
from audiometry.models import Model
from audiometry.models.cascade.description import Description
from audiometry.models.protocol import parameters_of
from audiometry.records import Prompt, ReplyRecord, Text, Turn
from audiometry.score.judge.settings import Follow, JudgeSettings, JudgingStoppedError, slug_of

ASKS: Final = (
    "Write down what is said in this recording, word by word, in the language that is spoken. Answer with these words "
    "and nothing else."
)
_CASCADE: Final = "cascade/"


def heard(file: VoteFile, settings: JudgeSettings, folder: Path, follow: Follow, recordings: Path) -> Heard:
    """Have the recordings of votes without a query in words written down; none is asked about twice.

    Args:
        file: votes, read with their texts; ``audio`` names a recording in ``recordings``.
        settings: which model, and how it is asked; of a cascade its recogniser alone is.
        folder: where transcripts are kept.
        follow: who is told how it goes.
        recordings: the folder that recordings are in, or in folders of.

    Raises:
        UsageError: no vote names a recording, or the model cannot be used.
        StoppedError: nobody answers, or the person stopped it; what was written down is kept.
    """
    assert file.texts is not None  # noqa: S101  as the docstring says
    failures: Counter[str] = Counter()
    of_vote = [
        "" if any(map(str.isalnum, query)) or not name.strip() else name.strip()
        for query, name in zip(file.texts.query, file.texts.audio or [""] * file.votes.n, strict=True)
    ]
    if not any(of_vote):
        raise UsageError(
            f"{file.path}: --transcribe has nothing to write down: no vote without a query names its recording (column "
            "audio)"
        )
    keys = {name: _hashed(recordings, name) for name in dict.fromkeys(filter(None, of_vote))}
    paths = {key: recordings / name for name, (key, _) in keys.items() if key}
    texts, usage = _written(paths, settings, folder, follow)
    said = list(file.texts.query)
    for at, name in enumerate(of_vote):
        if name:
            key, why = keys[name]
            said[at], why = texts[key] if key else ("", why)
            failures.update([why] if why else [])
    return Heard(
        said=tuple(said),
        by=settings.name,
        n_recordings=len(paths),
        n_without=sum(not text and not why for text, why in texts.values()),
        failures=dict(failures),
        usage=usage,
    )


def _hashed(recordings: Path, name: str) -> tuple[str, str]:
    """The hash of a recording's file, or what is wrong with it. Votes of strangers name no file from elsewhere."""
    if "\0" in name:
        return "", "a recording whose name no file can have"
    folder = os.path.realpath(recordings)
    path = os.path.realpath(os.path.join(folder, name))  # noqa: PTH118  realpath takes any name
    if not path.startswith(f"{folder}{os.sep}"):
        return "", "a recording that is not beside the vote file"
    if presence.exists(path) and not presence.is_file(path):  # a pipe would be waited for
        return "", "a recording that is no file"
    try:
        with open(path, "rb") as file:  # noqa: PTH123  the same
            return hashlib.file_digest(file, "sha256").hexdigest(), ""
    except OSError as problem:
        return "", f"a recording that cannot be read ({problem.strerror})"


def _written(
    paths: dict[str, Path], settings: JudgeSettings, folder: Path, follow: Follow
) -> tuple[dict[str, tuple[str, str]], Usage]:
    """By hash of a recording what is said in it, or why that is not known, and what that took."""
    cascade = settings.name.startswith(_CASCADE)
    name = settings.name
    if cascade and "hears=" not in name:
        name += f"{'&' if '?' in name else '?'}hears=words"
    model = models.load(name, settings.of_model(**({"base_urls": ()} if cascade else {})))
    shaped = msgspec.json.encode([name, parameters_of(model, None), ASKS], order="deterministic")
    journal_path = folder / "heard" / f"{slug_of(name)}-{hashlib.sha256(shaped).hexdigest()[:8]}.jsonl"
    before = {record.item for record in _records(journal_path) if record.error is None}
    left = [key for key in paths if key not in before]
    if left:
        tally = Tally(settings.price or Price(tokens_in=model.card.price_in, tokens_out=model.card.price_out))
        conditions = settings.conditions(model.card)
        follow.started(len(paths), len(paths) - len(left))
        with Journal(journal_path) as journal, open_cache(settings.cache) as cache:
            dispatcher = Dispatcher(
                model, journal, conditions, cache=cache, tally=tally, watch=lambda record: follow.watch(record, tally)
            )
            if dispatch(dispatcher, _asks(left, paths, model), follow.stopping):
                raise JudgingStoppedError("stopped; what was written down is kept, the same command goes on from here")
    found: dict[str, tuple[str, str]] = dict.fromkeys(paths, ("", "a recording that was not asked about"))
    spent = Tally(settings.price or Price(tokens_in=model.card.price_in, tokens_out=model.card.price_out))
    for record in _records(journal_path):
        if record.item in found:
            spent.add(record)
            found[record.item] = _read(record, cascade=cascade)
    return found, spent.usage()


def _records(path: Path) -> Iterator[ReplyRecord]:
    return jsonl.read(path, ReplyRecord)


def _asks(keys: list[str], paths: dict[str, Path], model: Model) -> Iterator[Ask]:
    first = model.card.part_order == "audio-first"
    for key in keys:

        async def build(key: str = key) -> Prompt:
            clip = await asyncio.to_thread(prepare_file, paths[key], model.card, where=paths[key].name)
            parts = (clip, Text(ASKS)) if first else (Text(ASKS), clip)
            return Prompt(turns=(Turn("user", parts),), item=key)

        yield Ask(key, "plain", build)


def _read(record: ReplyRecord, *, cascade: bool) -> tuple[str, str]:
    """What a reply says was said, or what is wrong."""
    if record.error is not None or record.text is None:
        message = record.error.message if record.error is not None else "no text"
        return "", f"a recording that could not be heard ({shown(message, 120)})"
    if cascade:  # its rules answer in sentences where there are no words
        return Description(record.notes).spoken, ""
    return clean.bounded(clean.without_reasoning(record.text)).strip(), ""
