"""``audiometry mix``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from audiometry.cli.say import json_option, say, say_blocks, say_json
from audiometry.errors import UsageError, shown, visible

if TYPE_CHECKING:
    from audiometry.audio import MixPlan
    from audiometry.audio.mixing import Which

_WHICH = click.Choice(["a", "b", "equal"])


@click.command()
@click.argument("clips", metavar="A B | PLAN.toml", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--louder", type=_WHICH, help="Which clip is louder; it keeps its level.")
@click.option("--by", type=float, metavar="LU", help="By how much: 0 to 30 LU.")
@click.option("--ahead", type=_WHICH, help="Which clip starts first.")
@click.option("--offset", type=float, metavar="SECONDS", help="By how much; rounded to the sample.")
@click.option("--rate", type=int, metavar="HZ", help="Of the mix.  [default: the higher one of the two]")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="OUT",
    help="The mix: .wav or .flac in 16 bits, .ogg or .mp3; of a plan, a folder.",
)
@json_option
def command(
    clips: tuple[Path, ...],
    louder: Which | None,
    by: float | None,
    ahead: Which | None,
    offset: float | None,
    rate: int | None,
    output: Path,
    *,
    as_json: bool,
) -> int:
    """Mix two recordings at a set difference in loudness and a set onset, or a whole set of pairs by a plan.

    Loudness is integrated loudness by ITU-R BS.1770-4, in LUFS; a clip under 0.4 s has the level of the whole.
    The louder clip keeps its level, the other one is scaled. Where the sum would exceed full scale, both are
    lowered alike, so that the difference holds. What was done is printed: gains, loudness before and after,
    onsets. Mono beside stereo becomes stereo; the lower of two rates is resampled to the higher one.

    A plan names two sources and ranges; pairs are drawn by its seed, labels balanced, and mixed on all
    processors. What was stopped goes on with the same command. A pair that cannot be mixed is one line in
    OUT/failed.jsonl; then the exit code is 1.

    \b
    Examples:
      audiometry mix speech.wav rain.wav --louder a --by 6 \\
          --ahead b --offset 1.5 -o mixed.wav
      audiometry mix talk.flac song.mp3 --louder equal --ahead equal -o both.flac
      audiometry mix pairs.toml -o mixes/
    """
    given = {"--louder": louder, "--by": by, "--ahead": ahead, "--offset": offset, "--rate": rate}
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    if len(clips) == 1 and clips[0].suffix.lower() == ".toml":
        idle = [name for name, value in given.items() if value is not None]
        if idle:
            raise UsageError(f"{idle[0]} does nothing with a plan, which says it; leave it out")
        return _mix_set(clips[0], output, as_json=as_json)
    if len(clips) != 2:  # noqa: PLR2004  a and b
        raise UsageError("mix needs two recordings, or one plan that ends in .toml")
    if louder is None or ahead is None:
        lack = "--louder" if louder is None else "--ahead"
        raise UsageError(f"mix needs {lack} a, b or equal")
    return _mix_two((clips[0], clips[1]), _plan(louder, by, ahead, offset, rate), output, as_json=as_json)


def _plan(louder: Which, by: float | None, ahead: Which, offset: float | None, rate: int | None) -> MixPlan:
    from audiometry.audio import MixPlan

    if louder != "equal" and by is None:
        raise UsageError(f"--louder {louder} needs --by, how many LU (0 to 30)")
    if ahead != "equal" and offset is None:
        raise UsageError(f"--ahead {ahead} needs --offset, how many seconds")
    return MixPlan(louder=louder, level_difference_db=by or 0.0, ahead=ahead, offset_s=offset or 0.0, rate=rate)


def _mix_two(clips: tuple[Path, Path], plan: MixPlan, output: Path, *, as_json: bool) -> int:
    from audiometry.audio.mixed_file import mix_files

    if output.is_dir():
        raise UsageError(f"{shown(str(output), 200)} is a folder; name the file that the mix is written to")
    made = mix_files(*clips, plan, output)
    if as_json:
        say_json(made)
        return 0
    from audiometry.report.views import mixing

    say_blocks(*mixing.mixed(made))
    channels = "mono" if made.channels == 1 else "stereo"
    say(f"Kept in {visible(str(output))}: {made.duration_s:.3f} s, {made.rate:,} Hz, {channels}")
    return 0


def _mix_set(plan: Path, output: Path, *, as_json: bool) -> int:
    from audiometry.builder.mixed_set import LINES, mix_set
    from audiometry.cli.progress import Steps

    if output.is_file():
        raise UsageError(f"{shown(str(output), 200)} is a file; a plan makes a folder")
    steps = Steps("mixes")
    try:
        made = mix_set(plan, output, steps.show)
    finally:
        steps.end()
    if as_json:
        counts = {"n": len(made.lines), "failed": made.failed, "rejected": made.rejected, "notes": made.notes}
        say_json({"folder": str(made.folder), **counts, "labels": made.labels})
    else:
        from audiometry.report.views import mixing

        say_blocks(*mixing.mixed_set(made))
        say(f"Kept in {visible(str(output))}: the mixes in audio/, a line each in {LINES}")
    return int(bool(made.failed))
