"""``audiometry run``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from audiometry.cli import sections
from audiometry.cli.ask_options import asking
from audiometry.cli.numbers import Finite
from audiometry.cli.say import json_option, say

C = TypeVar("C", bound=Callable[..., Any])


def _ways(option: str, says: str) -> Callable[[C], C]:
    """The option of a way in which items are asked again."""
    return click.option(option, type=click.IntRange(min=1), default=1, metavar="N", show_default=True, help=says)


@click.command(cls=sections.Sectioned, sections=sections.RUN)
@click.argument("benchmark", metavar="BENCH")
@click.option(
    "--model", required=True, metavar="NAME", help="Whom to ask, as provider/name; see `audiometry list models`."
)
@click.option(
    "--data", type=click.Path(path_type=Path), metavar="DIR", help="Where published data are: as released, or a copy."
)
@click.option("--task", "tasks", multiple=True, metavar="T", help="Only this task; may be given several times.")
@click.option(
    "--category",
    "categories",
    multiple=True,
    metavar="C",
    help="Only tasks of this category, such as speech; may be given several times. Beside --task only what both name.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N items, taken from the tasks in turn.")
@click.option(
    "--orders",
    type=click.IntRange(min=1),
    metavar="N",
    help="Ask each item with its options in N orders; their mean is what counts. Few options have few orders: one may "
    "come twice, and is asked twice.  [default: what the benchmark's card says, or 1]",
)
@_ways("--wordings", "Ask each item in N of its task's wordings, in every order.")
@_ways("--repeats", "Ask all that N times over: what a model that samples owes to chance.")
@click.option(
    "--shots",
    type=int,
    metavar="N",
    help="Show N worked examples (0 to 5) before each item: those of the benchmark's card, or other items of it.  "
    "[default: what the card says, or 0]",
)
@click.option(
    "--shots-with",
    type=click.Choice(["text", "audio"]),
    default="text",
    show_default=True,
    help="Examples in words alone, or other items with their clips.",
)
@click.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="V",
    help="Ask each item otherwise too; may be given several times. To see whether the model listens: noise, silence, "
    "other-clip or text-only, or one of another package. With fewer options: distractors=KIND or =KIND+KIND (the "
    "right one and the distractors of these kinds), distractors (each kind and each two), leave-one-out. In every "
    "place: cyclic (as many orders as it takes).",
)
@click.option(
    "--prompt",
    default="",
    metavar="LAYOUT",
    help="The prompt layout: ours, airbench, lmms-eval, muchomusic, or one of another package.  [default: ours]",
)
@click.option(
    "--part-order",
    type=click.Choice(["audio-first", "text-first"]),
    help="Clip or words first.  [default: what the model's card says]",
)
@click.option(
    "--recipe",
    default="",
    metavar="NAME|FILE",
    help="Ask as the model's makers do: layout, order, system turn, decoding, longest clip; not beside --prompt, "
    "--part-order, --shots, --temperature, --max-tokens and --extra. See `audiometry list recipes`.",
)
@click.option("--seed", type=int, default=0, metavar="S", show_default=True, help="Of everything random.")
@click.option(
    "--clips",
    type=click.Path(file_okay=False),
    default="",
    metavar="DIR",
    help="Take clips that were converted before from this folder, and add new ones.",
)
@click.option("--again", is_flag=True, help="Ask everything anew; replies that are there are set aside in the folder.")
@asking("the model")
@click.option(
    "--temperature",
    type=Finite(min=0),
    metavar="X",
    help="Temperature of sampling; 0: the likeliest token, without sampling.  [default: the model's own]",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Longest reply, in tokens.  [default: the model's own]",
)
@click.option("--stream", is_flag=True, help="Ask for replies as they come, to measure the time to the first words.")
@click.option(
    "--reader",
    default="",
    metavar="MODEL",
    help="Who reads what a cascade heard, such as openai/gpt-6.1-terra; the same as reader=MODEL in its name.  "
    "[default: rules]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The run folder.  [default: named under runs/]",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Refuse a benchmark of which a row cannot be asked.  [default: such rows are left out]",
)
@click.option("--no-probe", is_flag=True, help="Do not test first, with eight questions, whether the model hears.")
@click.option(
    "--dry-run", is_flag=True, help="Show what would be asked, the first prompt, and every wording; ask nobody."
)
@json_option
def command(
    benchmark: str,
    model: str,
    data: Path | None,
    output: Path | None,
    *,
    strict: bool,
    no_probe: bool,
    dry_run: bool,
    as_json: bool,
    **given: object,
) -> int:
    """Ask a model every item of a benchmark, keep each reply as it arrives, and print the score.

    BENCH is the id of a benchmark (`audiometry list benchmarks`) or the path of a benchmark folder.
    Running the same command again goes on where it stopped and asks nothing twice; recorded
    failures are tried again. Before the first item eight short questions show whether the model hears
    at all; what they say stands in probe.json, and never stops the run.

    Rows that cannot be asked (no question, an answer that is no option, a clip that is not there) are
    left out, and how many is said; with --strict they are refused.

    \b
    Examples:
      audiometry run mini --model cascade/pocketsphinx --limit 60
      audiometry run static20 --data sets/ --model vllm/m --wordings 3 -o runs/m
      audiometry run my-benchmark/ --model vllm/Qwen/Qwen2-Audio-7B-Instruct \\
          --base-url http://localhost:8000/v1 -o runs/qwen2-audio
      audiometry run mini --model "cascade/whisper-large-v2?hears=words" \\
          --reader vllm/meta-llama/Llama-3.1-8B-Instruct \\
          --base-url http://localhost:8000/v1
    """
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    from audiometry import bench
    from audiometry.cli import progress, running
    from audiometry.dispatch.waiting import PROCESS
    from audiometry.run.execute import prepare
    from audiometry.run.notices import notices
    from audiometry.score.measures import refuse_unfit

    settings = running.settings(model, **given)  # type: ignore[arg-type]  # the options above, by name
    loaded = bench.load(benchmark, data, strict=strict)
    refuse_unfit(loaded.card)
    running.show_slips(loaded)
    running.show_unreviewed(loaded)
    with progress.WaitingLine(PROCESS):
        prepared = prepare(loaded, model, settings, output)
    running.show_recipe(prepared)
    for line in notices(prepared):
        say(line, err=True)
    if dry_run:
        return running.show_plan(prepared, as_json=as_json)
    outcome = progress.follow(prepared, first=None if no_probe else running.before_run)
    return running.show_outcome(prepared, outcome, as_json=as_json)
