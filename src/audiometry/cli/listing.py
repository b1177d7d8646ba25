"""``audiometry list``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from audiometry.records import Task

WHAT = ("benchmarks", "metrics", "models", "profiles", "tasks")


@click.command(name="list")
@click.argument("what", type=click.Choice(WHAT))
@click.argument("bench", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(what: str, bench: str | None, *, as_json: bool) -> None:
    """List what there is: benchmarks, metrics, models, profiles, or the tasks of a benchmark.

    \b
    Examples:
      audiometry list benchmarks
      audiometry list tasks mini
    """
    makers = {"benchmarks": _benchmarks, "metrics": _metrics, "models": _models, "profiles": _profiles}
    rows = _tasks(bench) if what == "tasks" else makers[what]()
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(rows).decode())
        return
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        click.echo(f"{row['name']:<{width}}  {row['about']}".rstrip())


def _benchmarks() -> list[dict[str, str]]:
    from audiometry import bench

    found = []
    for name in bench.benchmarks():
        loaded = bench.load(name)
        info = loaded.card.benchmark
        about = f"{len(loaded):,} items, {len(loaded.tasks())} tasks, version {info.version}. {info.title}"
        found.append({"name": name, "about": about})
    for name, card in bench.published_cards().items():
        about = f"published data, needs --data DIR; {len(card.task)} tasks, version {card.benchmark.version}."
        found.append({"name": name, "about": f"{about} {card.benchmark.title}".rstrip()})
    return found


def _metrics() -> list[dict[str, str]]:
    from audiometry.score.metrics import metrics

    program = {"name": "exec/COMMAND", "about": "a program of your own, JSON lines over a pipe"}
    return [*({"name": name, "about": metric.about} for name, metric in metrics().items()), program]


def _models() -> list[dict[str, str]]:
    from audiometry.models.registry import about

    return [{"name": name, "about": text} for name, text in about().items()]


def _profiles() -> list[dict[str, str]]:
    from audiometry.score.chat.rules import RULES
    from audiometry.score.profiles import profiles

    choices = [{"name": name, "about": profile.about, "scores": "choices"} for name, profile in profiles().items()]
    judged = [{"name": name, "about": f"open answers: {one.about}", "scores": "open"} for name, one in RULES.items()]
    return [*choices, *judged]


def _tasks(name: str | None) -> list[dict[str, str]]:
    from audiometry import bench
    from audiometry.errors import UsageError

    if name is None:
        raise UsageError("name the benchmark: audiometry list tasks mini")
    published = bench.published_cards().get(name)
    if published is not None:
        return [_task(entry, "") for entry in published.task]
    loaded = bench.load(name)
    return [_task(loaded.card.task_named(task), f"{n:,} items") for task, n in loaded.tasks().items()]


def _task(entry: Task, size: str) -> dict[str, str]:
    facts = ", ".join(filter(None, [size, entry.category]))
    return {"name": entry.name, "about": f"{facts}. {entry.title}".removeprefix(". ").rstrip()}
