"""How the numbers of a run were made: what was asked of whom, how, when, and what it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from audiometry.bench.left_out import first
from audiometry.choices.variant import aside, of_score
from audiometry.dispatch.tally import Usage
from audiometry.files.run_folder import RecipeStamp, RunInfo
from audiometry.records import Card
from audiometry.render.document import Block, Copied, Facts, Folded, Line, Piece, Words, code, line, name
from audiometry.report.gather import RunView
from audiometry.report.naming import FEW
from audiometry.report.rows_text import rows_of, stated
from audiometry.report.titles import titled
from audiometry.report.views.check import told_of
from audiometry.score.confounds import said_of
from audiometry.score.opened import OpenedRun
from audiometry.score.result import Scored

MOST_LEFT_OUT: Final = 50  # rows that are listed
_WHY: Final = {"missing": "whose clip is not there", "empty": "whose clip is empty"}
_PERCENTILES: Final = {"p50": "median", "p90": "90 %", "p99": "99 %"}
Fact: TypeAlias = tuple[str, Words]


def made(views: Sequence[RunView], card: Card, profile: str) -> tuple[Block, ...]:
    """Of each run how it was made, on demand, and whose the benchmark is.

    Args:
        views: the runs.
        card: of their benchmark.
        profile: whose rules they are scored by.
    """
    several, parts = len(views) > 1, {name for view in views for name in view.scored}
    blocks: list[Block] = []
    for view in views:
        n = 0 if view.silent else len(view.scored)
        numbers = ("this run", "this number", "these numbers")[min(n, 2)]
        were = "were" if numbers == "these numbers" else "was"
        title = f"How {view.label} was made" if several else f"How {numbers} {were} made"
        signatures = _signatures(view.scored, named=len(parts) > 1) if several or len(parts) > 1 else ()
        facts = (*_asked(view.run.info), *_run(view), *_took(view.usage), *_where(view.run))
        rules = ("rules", (profile,))
        blocks.append(Folded(title, (*signatures, Facts((*facts, rules)), *_left_out(view.run))))
    if len(blocks) > FEW:
        blocks = [Folded(f"How the {len(blocks)} runs were made", tuple(blocks))]
    info = card.benchmark
    if said := tuple(told_of(info.unknown, info.known)):
        told = (("what nobody published", info.unknown), ("known defects", info.known))
        title = " and ".join(what for what, facts in told if facts)
        blocks.append(Folded(f"{title[0].upper()}{title[1:]} of {info.name}", said))
    return (*blocks, *_owned(card))


def _signatures(scored: Mapping[str, Scored], *, named: bool) -> Iterator[Copied]:
    for one in scored.values():
        yield Copied(one.signature, f"signature, {titled(one)}" if named else "signature")


def _asked(info: RunInfo) -> Iterator[Fact]:
    """What was asked, of whom and how."""
    prompt, recipe = info.prompt, info.prompt.recipe
    yield "model", (name(info.model),)
    if info.parameters:
        yield "parameters", (stated(info.parameters),)
    yield "benchmark", (f"{info.benchmark.name} {info.benchmark.version}, content ", code(info.benchmark.sha256[:12]))
    if info.decoding:
        yield "decoding that was set", (stated(info.decoding),)
    options = f", options {prompt.style}" if prompt.style != "dotted" else ""
    yield "prompt", (f"{prompt.layout} ", code(prompt.sha256[:6]), f", {prompt.part_order}{options}")
    if prompt.shots:
        how = "with clips" if prompt.shots_with == "audio" else "in words"
        yield "worked examples", (f"{prompt.shots} before each item, {how}, ", code(prompt.examples[:6]))
    if recipe is not None:
        yield "recipe", (name(recipe.name), *_recipe(recipe, info))
    yield "variants", (", ".join([said_of(of_score(info.variants)), *aside(info.variants)]),)
    yield "seed", (f"{info.seed}",)


def _recipe(recipe: RecipeStamp, info: RunInfo) -> Iterator[str | Piece]:
    yield " (a file of the user's) " if recipe.own else " "
    yield code(recipe.sha256[:6])
    if recipe.about:
        yield f": {recipe.about}"
    yield f"; its prompt {'word for word' if recipe.wording == 'exact' else 'in our words'}"
    yield ", by its own account" if recipe.own else ""
    if recipe.decoding == "program":
        yield "; the program decodes by itself"
    elif recipe.unset:
        yield f"; not asked for, though it is part of the recipe: {', '.join(recipe.unset)}"
    if info.audio is not None and info.audio.longest_s:
        yield f"; {'of longer clips their first' if info.audio.cut else 'clips of at most'} {info.audio.longest_s:g} s"


def _run(view: RunView) -> Iterator[Fact]:
    """How much was asked, and when."""
    info = view.run.info
    parts = [rows_of(view.run)]
    if info.categories:
        parts.append(f"of {'category' if len(info.categories) == 1 else 'categories'} {', '.join(info.categories)}")
    parts += [f"tasks {', '.join(info.tasks)}"] if info.tasks else []
    parts += [f"limited to {info.limit:,}"] if info.limit else []
    yield "items", (", ".join(parts),)
    if there := view.run.benchmark.said_of_published():
        yield "benchmark's items", (there,)
    yield "started", (_moment(info.started),)
    if view.finished:
        yield "last reply", (_moment(view.finished),)


def _took(usage: Usage) -> Iterator[Fact]:
    said = f"{usage.requests:,}, {usage.retries:,} of them retries"
    said += f"; {usage.cached:,} replies from the cache" if usage.cached else ""
    for folder, taken in usage.taken_over.items():
        since, until = taken.since[:10], taken.until[:10]
        days = since if since == until else f"{since} to {until}"
        said += f"; {taken.replies:,} taken over from {folder} (replies of {days})"
    yield "requests", (said,)
    latency = [f"{_PERCENTILES.get(part, part)} {value:.2f} s" for part, value in usage.latency_s.items()]
    yield "latency", (", ".join(latency) or "not measured",)
    unknown = f"; {usage.tokens_unknown:,} replies did not say" if usage.tokens_unknown else ""
    stated_ = usage.tokens_in or usage.tokens_out
    said = f"{usage.tokens_in:,} in, {usage.tokens_out:,} out{unknown}" if stated_ else "not stated by the model"
    yield "tokens", (said,)


def _where(run: OpenedRun) -> Iterator[Fact]:
    yield "versions", (", ".join(f"{package} {version}" for package, version in run.info.versions.items()),)
    yield "run folder", (code(run.folder.path.resolve().name),)


def _left_out(run: OpenedRun) -> Iterator[Folded]:
    """How many rows of a run's benchmark are left out for what, and on demand the first `MOST_LEFT_OUT` of them."""
    problems = run.benchmark.problems
    if problems:
        whys = Counter(_WHY.get(one.code, "for what is written there") for one in problems)
        rows, more = first(problems, run.benchmark.root, MOST_LEFT_OUT), len(problems) - MOST_LEFT_OUT
        said = [f"Left out: {row}" for row in rows] + ([f"and {more:,} more"] if more > 0 else [])
        each = ", ".join(f"{n:,} {why}" for why, n in whys.most_common())
        yield Folded(f"Rows left out: {each}", tuple(line(one, weight="dim") for one in said))


def _owned(card: Card) -> Iterator[Line]:
    """Whose the benchmark is."""
    info = card.benchmark
    parts = [f"Licence: {info.licence}." if info.licence else "", info.citation, info.homepage]
    if any(parts):
        yield line(" ".join([f"{info.name} {info.version}.", *filter(None, parts)]), weight="dim")


def _moment(at: str) -> str:
    return at.replace("T", " ").replace("Z", " UTC")
