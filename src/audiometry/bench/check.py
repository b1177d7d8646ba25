"""Looks for defects in a benchmark before anybody is asked about it."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from audiometry.bench import check_audio, check_labels, check_leaks, check_wording
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.check_clip import ClipFacts, examine, examine_header
from audiometry.bench.findings import ORDER, CheckReport, Finding, Guess, Letters, TaskFacts, finding
from audiometry.bench.left_out import Problem
from audiometry.bench.registry import locate, opened
from audiometry.bench.store import ItemList
from audiometry.errors import BenchmarkError
from audiometry.files import benchmark_folder, presence
from audiometry.records import BenchmarkInfo, Card, Item

_MOST_ANSWERS = 20
_HEADERS = 32  # clips that a thread takes together where only headers are read


def check(
    benchmark: Benchmark | Path | str,
    *,
    workers: int | None = None,
    seed: int = 0,
    decode: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> CheckReport:
    """Read every line and every clip of a benchmark and say what is wrong with them.

    Clips: missing, empty, truncated, damaged, not audio, not numbers, silent, quiet, clipped, with an offset,
    cancelling channels, very short or long, misnamed, copies, another sha256 than stated. Metadata: every line
    that cannot be used, items asked twice or answered in two ways, options that say the same, and what a language
    model that wrote them left behind. Statistics: balance of answers
    and of their letters, and how well rules do that hear nothing (see `audiometry.bench.check_leaks`).

    Clips are decoded by threads and block by block: memory holds ``2 × workers`` files.

    Args:
        benchmark: a benchmark, its id, or its folder.
        workers: threads; as many as there are processors if None.
        seed: of the random orders in the tests; the same seed gives the same report.
        decode: decode every clip to its end; if not, only headers and tails are read: many times faster, and blind
            to silence, clipping, copies and damage inside.
        progress: called with the number of clips done and of all.

    Raises:
        UnknownNameError: there is no benchmark of that name.
        BenchmarkError: the folder has no metadata file.
    """
    if not isinstance(benchmark, Benchmark):
        source = benchmark
        try:
            benchmark = opened(source)
        except BenchmarkError as problem:
            return _refused(source, problem)
    problems = list(map(_of_row, benchmark.problems))
    if not len(benchmark) and not problems:
        problems.append(finding("error", "no-items", benchmark.source, "holds no items", "write some"))
    problems += (finding("note", "data", *_note(note)) for note in benchmark.notes)
    items = list(benchmark)
    users: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        for name in dict.fromkeys(item.clips):
            users[name].append(item)
    named, lost = check_audio.located(benchmark, users)
    look, together = (examine, 1) if decode else (examine_header, _HEADERS)
    clips = lost + check_audio.examine_all(named, workers or os.cpu_count() or 1, progress, look, together)
    tasks: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        tasks[item.task].append(item)
    letters = check_labels.letters(tasks, seed)
    guesses, leaks = check_leaks.guesses(tasks, {c.name: c for c in clips}, seed)
    found = [
        *problems,
        *(f for c in clips for f in check_audio.clip_findings(c, users[c.name])),
        *check_audio.set_findings(clips, users),
        *check_audio.links(benchmark, users),
        *check_audio.unused(benchmark, {path for _, path in named}),
        *check_labels.kind_findings(tasks, benchmark.card),
        *check_labels.item_findings(items, benchmark.card, {c.name: c.content or c.sha256 or c.name for c in clips}),
        *(f for name, own in tasks.items() for f in check_labels.balance_findings(name, own)),
        *check_labels.letter_findings(letters),
        *check_wording.findings(items, benchmark.card),
        *leaks,
    ]
    facts = {name: _task_facts(own, letters.get(name), guesses[name]) for name, own in tasks.items()}
    return _report(benchmark, items, clips, users, facts, found)


def _refused(source: Path | str, problem: BenchmarkError) -> CheckReport:
    """What is wrong with its card, without which its rows are not looked at.

    Raises:
        BenchmarkError: it is not about the card.
    """
    path = locate(source)
    card_path = path / benchmark_folder.CARD if presence.is_folder(path) else path
    if not str(problem).startswith(str(card_path)):
        raise problem
    what, _, do = str(problem).removeprefix(str(card_path)).lstrip(":, ").rpartition("; ")
    card = Card(benchmark=BenchmarkInfo(name=card_path.parent.resolve().name))
    empty = Benchmark(source=str(source), card=card, root=card_path.parent, items=ItemList([]), sha256="")
    return _report(empty, [], [], {}, {}, [finding("error", "card", card_path.name, what, do)])


def _note(note: str) -> tuple[str, str, str]:
    where, _, rest = note.partition(": ")
    what, _, do = rest.rpartition("; ")
    return (where, what, do) if what else (where, do, "")


def _of_row(problem: Problem) -> Finding:
    what, _, do = problem.what.rpartition("; ")
    file, _, place = problem.where.rpartition(", ")
    ids = (problem.item,) if problem.item else ()
    where = f"{Path(file).name}, {place}" if file else problem.where
    return finding("error", problem.code, where, what or problem.what, do or "correct the row", ids)


def _task_facts(items: Sequence[Item], letters: Letters | None, guesses: dict[str, Guess]) -> TaskFacts:
    answers = check_labels.frequent_answers(items)
    return TaskFacts(
        n_items=len(items),
        n_clips=len({c for i in items for c in i.clips}),
        n_options=dict(sorted(Counter(len(i.options) for i in items).items())),
        n_answers=len(answers),
        answers=dict(answers.most_common(_MOST_ANSWERS)),
        letters=letters,
        guesses=guesses,
    )


def _report(
    benchmark: Benchmark,
    items: Sequence[Item],
    clips: Sequence[ClipFacts],
    users: dict[str, list[Item]],
    facts: dict[str, TaskFacts],
    found: Sequence[Finding],
) -> CheckReport:
    read = [c.info for c in clips if c.info is not None]
    count = Counter(f.severity for f in found)
    return CheckReport(
        benchmark=benchmark.name,
        folder=str(benchmark.root),
        n_errors=count["error"],
        n_warnings=count["warning"],
        n_notes=count["note"],
        n_items=len(items),
        published=benchmark.said_of_published(),
        unknown=benchmark.card.benchmark.unknown,
        known=benchmark.card.benchmark.known,
        n_without_clip=sum(not item.clips for item in items),
        n_left_out=benchmark.n_left_out,
        n_clips=len(clips),
        n_clips_read=len(read),
        audio_s=math.fsum(i.duration_s for i in read),
        rates=dict(Counter(i.rate for i in read).most_common()),
        channels=dict(Counter(i.channels for i in read).most_common()),
        formats=dict(Counter(i.format for i in read).most_common()),
        items_per_clip=dict(sorted(Counter(map(len, users.values())).items())),
        tasks=facts,
        findings=tuple(f for severity in ORDER for f in found if f.severity == severity),
    )
