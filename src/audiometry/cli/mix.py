"""``audiometry mix``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from audiometry.cli.say import json_option, say, say_blocks, say_json
from audiometry.errors import UsageError, visible

if TYPE_CHECKING:
    from audiometry.audio import MixPlan
    from audiometry.audio.mixing import Which

_WHICH = click.Choice(["a", "b", "equal"])


@click.command()
@click.argument("clips", metavar="A B", nargs=2, type=click.Path(path_type=Path))
@click.option("--louder", type=_WHICH, required=True, help="Which clip is louder; it keeps its level.")
@click.option("--by", type=float, metavar="LU", help="By how much: 0 to 30 LU.")
@click.option("--ahead", type=_WHICH, required=True, help="Which clip starts first.")
@click.option("--offset", type=float, metavar="SECONDS", help="By how much; rounded to the sample.")
@click.option("--rate", type=int, metavar="HZ", help="Of the mix.  [default: the higher one of the two]")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="OUT",
    help="The mix: .wav or .flac in 16 bits, .ogg or .mp3.",
)
@json_option
def command(
    clips: tuple[Path, Path],
    louder: Which,
    by: float | None,
    ahead: Which,
    offset: float | None,
    rate: int | None,
    output: Path,
    *,
    as_json: bool,
) -> int:
    """Mix two recordings at a set difference in loudness and a set onset.

    Loudness is integrated loudness by ITU-R BS.1770-4, in LUFS; a clip under 0.4 s has the level of the whole.
    The louder clip keeps its level, the other one is scaled. Where the sum would exceed full scale, both are
    lowered alike, so that the difference holds. What was done is printed: gains, loudness before and after,
    onsets. Mono beside stereo becomes stereo; the lower of two rates is resampled to the higher one.

    \b
    Examples:
      audiometry mix speech.wav rain.wav --louder a --by 6 \\
          --ahead b --offset 1.5 -o mixed.wav
      audiometry mix talk.flac song.mp3 --louder equal --ahead equal -o both.flac
    """
    plan = _plan(louder, by, ahead, offset, rate)
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    from audiometry.audio.mixed_file import mix_files

    made = mix_files(*clips, plan, output)
    if as_json:
        say_json(made)
        return 0
    from audiometry.report.views import mixing

    say_blocks(*mixing.mixed(made))
    channels = "mono" if made.channels == 1 else "stereo"
    say(f"Kept in {visible(str(output))}: {made.duration_s:.3f} s, {made.rate:,} Hz, {channels}")
    return 0


def _plan(louder: Which, by: float | None, ahead: Which, offset: float | None, rate: int | None) -> MixPlan:
    from audiometry.audio import MixPlan

    if louder != "equal" and by is None:
        raise UsageError(f"--louder {louder} needs --by, how many LU (0 to 30)")
    if ahead != "equal" and offset is None:
        raise UsageError(f"--ahead {ahead} needs --offset, how many seconds")
    return MixPlan(louder=louder, level_difference_db=by or 0.0, ahead=ahead, offset_s=offset or 0.0, rate=rate)
