"""What can be wrong with a build spec beyond its form: what its parts say of one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from audiometry.builder.make import MAKES
from audiometry.builder.spec import MixSpec, Source, Spec, TaskSpec
from audiometry.builder.writer import NO_WRITER
from audiometry.errors import BenchmarkError, shown, suggestion
from audiometry.models.settings import addressed

MOST_OPTIONS = 26  # letters A to Z


def refuse(path: Path, spec: Spec) -> None:
    """Refuse a spec that cannot be built.

    Raises:
        BenchmarkError: its first slip, and what to do.
    """
    for slip in _all(spec):
        raise BenchmarkError(f"{path}: {slip}")


def _all(spec: Spec) -> Iterator[str]:
    if not spec.benchmark.name.strip():
        yield 'the benchmark has no name; write name = "…" under [benchmark]'
    if not spec.source:
        yield "has no [[source]]; name a folder or a table of recordings"
    if not spec.task:
        yield "has no [[task]]; say what is to be made"
    for what, names in (("[[source]]", [one.called for one in spec.source]), ("[[task]]", [t.name for t in spec.task])):
        if twice := next((name for place, name in enumerate(names) if name in names[:place]), ""):
            yield f"has two {what} called '{shown(twice)}'; give each its name"
    for source in spec.source:
        for slip in of_source(source):
            yield f"[[source]] {shown(source.called)} {slip}"
    for task in spec.task:
        for slip in _of_task(task, spec):
            yield f"[[task]] {shown(task.name)} {slip}"
    yield from _of_filter(spec)
    yield from _of_addresses(spec)


def _of_addresses(spec: Spec) -> Iterator[str]:
    own = spec.filter
    named = {"writer": (spec.writer.model, spec.writer.base_url), "filter": (*own.text, *own.audio, own.blind)}
    for table, texts in named.items():
        for parts in (urlsplit(addressed(one)[1] or one) for one in texts if "://" in one):
            if "@" in parts.netloc or parts.query:
                why = "which would stand in the benchmark's build/spec.toml; set the provider's key in the environment"
                yield f"[{table}] has an address with a user, a password or a query, {why}"


def _of_filter(spec: Spec) -> Iterator[str]:
    own = spec.filter
    for key, names in (("text", own.text), ("audio", own.audio)):
        if twice := next((name for k, name in enumerate(names) if name in names[:k]), ""):
            yield f"[filter] names '{shown(twice)}' twice in {key}; leave one out"
    others = {addressed(one)[0] for one in (*own.text, *own.audio, spec.writer.model)}
    if own.blind and addressed(own.blind)[0] in others:
        why = "which writes or filters the items, so that its score would not be blind; name another model"
        yield f"[filter] has blind = '{shown(own.blind)}', {why}"
    makes = [(MAKES.named(task.make), task) for task in spec.task]
    if (own.text or own.audio) and not any(make.written or make.kind(task) == "open" for make, task in makes):
        yield "[filter] has nothing to filter: no task has options that a model writes; leave text and audio out"


def of_source(source: Source) -> Iterator[str]:
    """What is wrong with a source, and what to do."""
    columns = source.columns
    if source.source == "hub" and not source.repository:
        yield 'has no repository; write repository = "owner/name"'
    if source.source not in {"folder", "hub"} and not source.path:
        yield f'has no path; name the table (path = "rows.{source.source}")'
    if not columns.audio:
        yield "has an empty column of the audio; name it in columns.audio"
    if columns.end and not columns.start:
        yield "has a column of ends and none of starts; name it in columns.start"
    options = (columns.options,) if isinstance(columns.options, str) else columns.options
    kinds = (columns.kinds,) if isinstance(columns.kinds, str) else ()
    told = {
        columns.question,
        columns.answer,
        *options,
        *kinds,
        columns.split,
        columns.licence,
        columns.task,
        columns.start,
        columns.end,
    }
    for name in source.facts:
        fact = source.fact(name)
        if fact is None or not fact.column.strip() or not name.strip():
            yield f"has the fact '{shown(name)}' without a column; name it"
        elif any(f"{a}.".startswith(f"{b}.") for p in columns.private for a, b in ((p, fact.column), (fact.column, p))):
            yield f"has the fact '{shown(name)}' in a column that is private; leave one of the two out"
    for name in columns.private:
        if name in told:
            yield f"names '{shown(name)}' as private and as something that is told; leave one out"


def _of_task(task: TaskSpec, spec: Spec) -> Iterator[str]:
    if not task.name.strip():
        yield "has no name; give it one"
    named = [one.called for one in spec.source]
    if task.source and task.source not in named:
        yield f"names the source '{shown(task.source)}', which is none; {suggestion(task.source, named)}"
    sources = [one for one in spec.source if task.source in {"", one.called}]
    if task.mix is not None:
        yield from _of_mix(task, task.mix, named)
        sources += [one for one in spec.source if one.called == task.mix.other]
    known = {name for one in sources for name in one.facts} | ({"louder", "ahead"} if task.mix else set())
    for key, name in (("about", task.about), ("near", task.near)):
        if name and name not in known:
            near = suggestion(name, known) or "its sources have none, name some in facts"
            yield f"has {key} = '{shown(name)}', which is no fact; {near}"
    if not 2 <= task.options <= MOST_OPTIONS:  # noqa: PLR2004  a choice needs two
        yield f"has options = {task.options}; 2 to {MOST_OPTIONS} are meant"
    if task.n < 0:
        yield f"has n = {task.n}; how many items at most is meant, 0 for all"
    if task.per_clip < 1:
        yield f"has per_clip = {task.per_clip}; how many items of one clip is meant, 1 or more"
    yield from _of_questions(task, spec)
    yield from _of_labels(task)
    yield from MAKES.named(task.make).slips(spec, task)


def _of_mix(task: TaskSpec, mix: MixSpec, named: Sequence[str]) -> Iterator[str]:
    if not task.source:
        yield 'mixes clips and does not say of which source; name it (source = "speech")'
    if mix.other not in named or mix.other == task.source:
        near = suggestion(mix.other, [name for name in named if name != task.source])
        yield f"has mix with '{shown(mix.other)}', which is no other source; {near or 'name one as with'}"
    yield from (f"{slip} (in mix)" for slip in mix.slips())


def _of_questions(task: TaskSpec, spec: Spec) -> Iterator[str]:
    if task.written < 0:
        yield f"has written = {task.written}; how many more questions a model is to write is meant"
    if task.written and not task.question:
        yield "has written, and no question to go by; give one to three as examples"
    if task.written and not spec.writer.model:
        yield NO_WRITER
    for number, wording in enumerate(task.question, 1):
        if not wording.strip():
            yield f"has an empty question, number {number}; leave it out"
        if wording in task.question[: number - 1]:
            yield f"has question {number} twice; write another"


def _of_labels(task: TaskSpec) -> Iterator[str]:
    whose: dict[str, str] = {}
    others = task.labels if isinstance(task.labels, dict) else dict.fromkeys(task.labels, ())
    for label, names in others.items():
        for name in (label, *names):
            if not name.strip():
                yield "has an empty label; leave it out"
            if whose.setdefault(folded(name), label) != label:
                yield f"has the label '{shown(name)}' for both '{shown(whose[folded(name)])}' and '{shown(label)}'"
    if isinstance(task.labels, tuple) and len(set(map(folded, task.labels))) < len(task.labels):
        yield "has a label twice; leave one out"


def folded(text: str) -> str:
    """A label without case and further blanks, by which two ways to write it are one."""
    return " ".join(text.casefold().split())
