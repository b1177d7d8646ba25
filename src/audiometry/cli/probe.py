"""``audiometry probe``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from audiometry.cli import sections
from audiometry.cli.ask_options import say_of_cards
from audiometry.cli.run import command as run_command
from audiometry.cli.say import json_option, say, say_blocks, say_json
from audiometry.errors import shown

FOUND = 1
SHARED = (
    "part_order", "seed", "concurrency", "rpm", "tpm", "max_tries", "timeout", "base_urls", "proxy", "temperature",
    "max_tokens", "extra", "stream", "card", "reader",
)  # fmt: skip
"""Options of `audiometry run` that mean the same here."""


@click.command(
    cls=sections.Sectioned,
    sections=sections.RUN,
    params=[option for option in run_command.params if option.name in SHARED],
)
@click.argument("model", metavar="MODEL")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep probe.json, the clips and the replies here.",
)
@json_option
def command(model: str, output: Path | None, *, as_json: bool, **given: object) -> int:
    """Test whether audio reaches a model, before money is spent on it.

    56 short questions with one right option, and up to 33 more on what is in doubt: tones, spoken digits, files
    of 8, 16 and 44.1 kHz, a digit in one channel only, a digit at the end of 5, 29, 31 and 61 seconds, MP3 where
    the model takes it, the clip before and after the words. Says what was heard, and what is wrong where something
    is lost, cut or slowed. Exits with 1 if it finds something wrong.

    \b
    Examples:
      audiometry probe cascade/pocketsphinx
      audiometry probe vllm/Qwen/Qwen2-Audio-7B-Instruct \\
          --base-url http://localhost:8000/v1
    """
    if output is not None and output.suffix.lower() in {".htm", ".html", ".json"}:
        raise click.BadParameter(f"{shown(str(output), 200)} is called as a file; name a folder", param_hint="'-o'")
    from audiometry.cli import running
    from audiometry.cli.progress import Steps, WaitingLine
    from audiometry.dispatch.waiting import PROCESS
    from audiometry.run.probe import USUAL, probe

    say_of_cards((model,), given["card"], given["extra"])  # type: ignore[arg-type]  # as below
    steps = Steps("questions")
    settings = running.settings(model, **given)  # type: ignore[arg-type]  # the options of a run, by name
    with WaitingLine(PROCESS, steps.line):
        found = probe(model, settings, output, watch=lambda done: steps.show(done, max(done, USUAL)))
    steps.end()
    if as_json:
        say_json(found)
    else:
        from audiometry.report.views import probe as views

        say_blocks(*views.probe(found, of=model))
        if output is not None:
            then = f"; next: audiometry run BENCH --model {shlex.quote(model)}" if found.hears else ""
            say(f"Kept in {shown(str(output / 'probe.json'), 1000)}, clips and replies beside it{shown(then, 1000)}")
    return FOUND if found.findings or not found.hears else 0
