"""What `audiometry run` and `audiometry demo` share: options into settings, and what is printed at the end."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping
from typing import Any, Literal, cast

import msgspec

from audiometry import models
from audiometry.bench import Benchmark, revisions
from audiometry.bench.selection import positions
from audiometry.choices.variant import asked
from audiometry.cli.ask_options import price
from audiometry.cli.say import say, say_blocks, say_json
from audiometry.dispatch.tally import Tally
from audiometry.errors import AudioError, counted, shown
from audiometry.files.run_folder import RunInfo
from audiometry.models import ModelSettings
from audiometry.records import Item, Text
from audiometry.report.rows_text import said_of_failures, said_of_rows, stated, what_helps
from audiometry.run.execute import Outcome, Prepared
from audiometry.run.folder import agree, describe, widened
from audiometry.run.plan import Plan
from audiometry.run.settings import RunSettings

FAILED, INTERRUPTED = 1, 130
LONGEST_FAILURE = 300  # characters of what the commonest failure said


def settings(
    model: str,
    *,
    part_order: str | None,
    timeout: float,
    base_urls: tuple[str, ...],
    proxy: str = "",
    temperature: float | None,
    max_tokens: int | None,
    stream: bool,
    card: str | None,
    extra: Mapping[str, Any] | None = None,
    prices: str | None = None,
    reader: str,
    **how: Any,
) -> RunSettings:
    """The options of ``audiometry run``, or those of them that ``audiometry probe`` has, as settings.

    What is not of the model or its price (``how``) is called as in `RunSettings`.
    """
    return RunSettings(
        part_order=cast("Literal['audio-first', 'text-first'] | None", part_order),
        model=ModelSettings(
            base_urls=base_urls,
            proxy=proxy,
            card=card or "",
            temperature=temperature,
            max_tokens=max_tokens,
            extra=extra or {},
            timeout_s=timeout,
            stream=stream,
        ),
        reader=reader,
        price=price(models.with_reader(model, reader), prices),
        **how,
    )


def show_slips(benchmark: Benchmark) -> None:
    """Say on standard error what was made of a benchmark's rows, before anybody is asked; nothing if all is well."""
    there = benchmark.said_of_published()
    if there:
        say(f"{shown(benchmark.name)}: {there}", err=True)
    for line in (*benchmark.notes, *benchmark.lines_left_out(), *benchmark.said_emptied()):
        say(line, err=True)


def show_unreviewed(benchmark: Benchmark) -> None:
    """Say on standard error how many items of a benchmark that was built, or is reviewed, nobody has judged."""
    from audiometry.review.review import said_unreviewed

    if said := said_unreviewed(benchmark):
        where = shown(shlex.quote(benchmark.source), 300)
        say(f"{shown(benchmark.name)}: {said}; audiometry review {where}", err=True)


def show_recipe(run: Prepared) -> None:
    """Say on standard error what of a run's recipe is not done, and which data moved since it began; mostly nothing."""
    revision = run.plan.benchmark.revision
    before = run.folder.info().benchmark.revision if revision and run.folder.exists() else ""
    for line in (*run.said, *(revisions.moved(before, revision) if before else ())):
        say(line, err=True)


def show_plan(run: Prepared, *, as_json: bool) -> int:
    """Print what would be asked."""
    plan = run.plan
    first = plan.benchmark.items.at(plan.positions[0])
    turns = _prompt(plan, first)
    info = describe(plan, run.model, run.settings)
    held = widened(run.folder, info, agree(run.folder, info), plan.benchmark)
    document = {
        "benchmark": plan.benchmark.name,
        "model": run.model.name,
        "parameters": run.model.parameters,
        "decoding": info.decoding,
        "prompt": msgspec.to_builtins(plan.prompt),
        "audio": info.audio,
        "tasks": info.tasks,
        "categories": info.categories,
        "limit": info.limit,
        "n_items": len(plan.positions),
        "variants": plan.variants,
        "n_requests": len(plan),
        "n_in_folder": held.n_planned,
        "n_without_clip": plan.n_without_clip,
        "n_left_out": plan.benchmark.n_left_out,
        "left_out": plan.benchmark.left_out(run.settings.tasks),
        "rows_left_out": [str(problem) for problem in plan.benchmark.problems],
        "run": str(run.folder.path),
        "first_item": first.id,
        "first_prompt": turns,
        "wordings": _wordings(plan),
    }
    if as_json:
        say_json(document)
        return 0
    each = f"{counted(len(plan.positions), 'item')} × {len(plan.variants)} = {counted(len(plan), 'request')}"
    lacks = "a clip is not asked in variants without it"
    fewer = f" (an item without {lacks if plan.n_without_clip else 'these distractors is not asked with them alone'})"
    more = fewer if len(plan) < len(plan.positions) * len(plan.variants) else ""
    say(f"{plan.benchmark.name}: {each}{more}")
    say(said_of_rows(len(plan.positions), plan.n_without_clip, plan.benchmark.n_left_out))
    say(f"to {run.model.name}, kept in {shown(str(run.folder.path), 1000)}")
    if held.n_planned > len(plan):
        say(f"which is of a larger run, {held.n_planned:,} replies: the others stay in it and in its score")
    for line in _how(run, info):
        say(line)
    say(f"\nThe first prompt, item {first.id}:")
    for turn in turns:
        say(f"\n[{turn['role']}]\n" + "\n".join(turn["parts"]))
    for task, said in document["wordings"].items():
        numbered = "\n".join(f"{number}. {words}" for number, words in enumerate(said, 1))
        say(f"\nThe wordings of {shown(task)}, of its first item:\n{numbered}")
    return 0


def _prompt(plan: Plan, first: Item) -> list[dict[str, Any]]:
    """The turns of the first prompt of an item, clips in words."""
    try:
        prompt = asyncio.run(plan.build(first, plan.variants[0]))
    except AudioError as problem:
        return [{"role": "user", "parts": [f"({problem})"]}]
    said = [
        [
            part.text if isinstance(part, Text) else _clip(part.format, part.duration_s, part.rate, part.changes)
            for part in turn.parts
        ]
        for turn in prompt.turns
    ]
    return [{"role": turn.role, "parts": parts} for turn, parts in zip(prompt.turns, said, strict=True)]


def _wordings(plan: Plan) -> dict[str, list[str]]:
    """By task the question of its first item in every wording that is asked; nothing where there is only one."""
    names = [name for name in plan.variants if (own := asked(name)) is not None and not (own.order or own.repeat)]
    items = plan.benchmark.items
    first = {items.task_of(position): position for position in reversed(plan.positions)} if len(names) > 1 else {}
    every = [items.at(position) for position in sorted(first.values())]
    return {item.task: [plan.benchmark.asked(item, name).question for name in names] for item in every}


def _how(run: Prepared, info: RunInfo) -> list[str]:
    """How a run asks, in a few lines."""
    stamp, own, longest = info.prompt.recipe, run.plan.own, run.plan.card.longest_s
    unset = "the model's own" if stamp is None or stamp.decoding == "set" else "the program's own"
    clips = f"the first {longest or 0:g} s of each" if run.plan.card.cut else f"of at most {longest or 0:g} s"
    lines = [
        f"prompt: {shown(info.prompt.called)}; system turn: {'as below' if own is not None and own.system else 'none'}",
        f"decoding: {shown(stated(info.decoding), 1000) or unset}",
        f"clips: {'whole' if longest is None else clips}",
    ]
    if stamp is not None:
        wording = "word for word" if stamp.wording == "exact" else "in our words"
        about = f", {shown(stamp.about, 300)}" if stamp.about else ""
        lines.insert(0, f"{shown(stamp.called)}{about}; its prompt {wording}")
    return lines


def show_outcome(run: Prepared, outcome: Outcome, *, as_json: bool, report: str | None = None) -> int:
    """Score what rules can score, count the rest, and print it; the exit code.

    Args:
        run: what was asked.
        outcome: what came of it.
        as_json: print one document and nothing else on standard output.
        report: where its report is, in the document; None: there is none, so that the last line says where the run is
            and what comes next.
    """
    from audiometry.cli import tables
    from audiometry.report.scored_sections import as_document, of_run
    from audiometry.report.views.outcome import outcome as unjudged_yet
    from audiometry.report.views.usage import usage
    from audiometry.score.door import score, scored
    from audiometry.score.opened import OpenedRun, has_open, has_options, has_words
    from audiometry.score.outcome import outcome as outcome_of

    plan = run.plan
    info = run.folder.info()  # of all that the folder was asked, by commands before too
    opened = OpenedRun(run.folder, info, plan.benchmark, positions(plan.benchmark, info.selections))
    by_rules = has_options(opened) or has_words(opened)
    scores = score(opened) if by_rules else scored(opened, [])
    unjudged = outcome_of(opened) if has_open(opened) else None
    if as_json:
        document = as_document(scores, plan.benchmark)
        document |= {"usage": msgspec.to_builtins(outcome.tally.usage())}
        document |= {"reused": msgspec.to_builtins(outcome.reuse)} | ({} if report is None else {"report": report})
        if unjudged is not None:
            document["open"] = msgspec.to_builtins(unjudged)
        say_json(document)
        return _closing(run, outcome) or int(tables.say_unkept([scores]))
    tables.show_coverage(plan.benchmark)
    if by_rules:
        say_blocks(*of_run(scores, plan.benchmark.card))
    if unjudged is not None and (unjudged.n_items or not by_rules):
        say_blocks(unjudged_yet(unjudged, opened))
    say_blocks(usage(outcome.tally.usage(), outcome.before, sum(outcome.reuse.taken.values())))
    code = _closing(run, outcome) or int(tables.say_unkept([scores]))
    if report is None and not outcome.interrupted:
        path = shlex.quote(str(run.folder.path))
        then = f"audiometry report {path}" if by_rules else f"audiometry score {path} --judge MODEL"
        say(f"Kept in {shown(str(run.folder.path), 1000)}; next: {shown(then, 1000)}")
    return code


def _closing(run: Prepared, outcome: Outcome) -> int:
    folder, tally, reuse = run.folder.path, outcome.tally, outcome.reuse
    if reuse.here == outcome.planned and reuse.since:
        span = reuse.since if reuse.since == reuse.until else f"{reuse.since} to {reuse.until}"
        say(f"Nobody was asked: all replies are from before, {span}; --again asks anew.", err=True)
    if outcome.interrupted:
        left = outcome.planned - outcome.before - tally.done
        failed = f" and {tally.failed:,} failed" if tally.failed else ""
        kept = f"{left:,} of {outcome.planned:,} not asked yet{failed}, kept in {shown(str(folder), 1000)}"
        say(f"Stopped with {kept}; the same command goes on from here.", err=True)
        return INTERRUPTED
    if tally.failed:
        from audiometry.render.document import line

        kinds = said_of_failures(dict(tally.failures.most_common(5)))
        told = line(f"{tally.failed:,} of {outcome.planned:,} failed ({kinds}), the first: {_example(tally)}")
        helps = what_helps(tally.failures, "the same command")
        where = line(f"All are in {shown(str(folder / 'replies.jsonl'), 1000)} under `error`; {helps}.")
        say_blocks(told, where, as_lines=True, err=True)
        return FAILED
    return 0


def _example(tally: Tally) -> str:
    """What the commonest failure said the first time."""
    error = tally.examples[tally.failures.most_common(1)[0][0]].error
    return shown(error.message, LONGEST_FAILURE) if error else ""


def _clip(form: str, duration_s: float, rate: int, changes: tuple[str, ...]) -> str:
    done = f"; {', '.join(changes)}" if changes else ""
    return f"(clip: {form}, {duration_s:.2f} s, {rate} Hz{done})"


async def before_run(run: Prepared) -> None:
    """The short form, told in one line on standard error."""
    from audiometry.report.views.probe import one_line
    from audiometry.run.probe import before_run as short

    found = await short(run)
    if found is not None:
        say(one_line(found), err=True)
