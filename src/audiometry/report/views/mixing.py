"""What was done to two clips to mix them, and what is in a set of mixes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from audiometry.audio.mixed_file import MixRecord
from audiometry.builder.mixed_set import FAILED, REJECTED, MixedSet
from audiometry.errors import shown
from audiometry.render.document import Block, line, strong
from audiometry.render.table import Cell, Column, Table
from audiometry.report.views.build import rejections

_LONGEST: Final = 40  # characters of a file's name
_COLUMNS: Final = (
    Column(id="clip", title="clip", kind="name"),
    Column(id="file", title="file", kind="text"),
    Column(id="loudness", title="in the mix", kind="number", unit="LUFS", decimals=2),
    Column(id="before", title="before", kind="number", unit="LUFS", decimals=2),
    Column(id="gain", title="gain", kind="number", unit="dB", decimals=2, sign=True),
    Column(id="onset", title="starts at", kind="number", unit="s", decimals=3),
    Column(id="duration", title="lasts", kind="number", unit="s", decimals=3),
)
_LABELS: Final = (
    Column(id="louder", title="louder", kind="name"),
    Column(id="a", title="a starts first", kind="count"),
    Column(id="b", title="b starts first", kind="count"),
    Column(id="equal", title="start together", kind="count"),
    Column(id="all", title="all", kind="count"),
)


def mixed(made: MixRecord) -> Iterator[Block]:
    """What can be heard in a mix, clip by clip how it came to that, and what was done to both."""
    loud = "Equal loudness" if made.louder == "equal" else f"{made.louder} is louder by {made.level_difference:.2f} LU"
    start = "both start together" if made.ahead == "equal" else f"{made.ahead} starts first, by {made.offset_s:.3f} s"
    yield line(strong(f"{loud}; {start}."))
    rows = tuple(
        (
            name,
            shown(Path(one.path).name, _LONGEST),
            made.loudness_lufs[name],
            made.loudness_before_lufs[name],
            made.gain_db[name],
            one.onset_s,
            one.duration_s,
        )
        for name, one in made.sources.items()
    )
    yield Table(id="mix", caption="", signature=made.meter, columns=_COLUMNS, rows=rows)
    if made.headroom_db:
        yield line(f"Both were lowered by {-made.headroom_db:.2f} dB, so that no sample exceeds full scale.")
    for name, one in made.sources.items():
        if one.rate != made.rate:
            yield line(f"{name} was resampled, {one.rate:,} → {made.rate:,} Hz.")
        if one.channels != made.channels:
            yield line(f"{name} is mono and stands in both channels, where it is 3 LU louder than alone.")
    if made.overlap_s <= 0:
        yield line("They are never heard together: one ends before the other starts.", weight="minded")
    if made.lossy:
        yield line(f"{made.format} is lossy: this holds of what was encoded; .wav and .flac keep it.", weight="minded")


def mixed_set(made: MixedSet) -> Iterator[Block]:
    """How many mixes there are of which labels, and what could not be mixed."""
    before = f", {made.before:,} of them were there already" if made.before else ""
    yield line(strong(f"{len(made.lines):,} mixes" if len(made.lines) != 1 else "1 mix"), before)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (louder, *by_ahead.values(), sum(by_ahead.values())) for louder, by_ahead in made.labels.items()
    )
    yield Table(id="mixes", caption="", signature="", columns=_LABELS, rows=rows)
    if made.failed:
        first = made.failed[0]
        more = f"; each in {FAILED}" if len(made.failed) > 1 else ""
        what = f"{len(made.failed):,} could not be mixed"
        yield line(strong(what), f": {first.id}, {shown(first.error, 200)}{more}", weight="minded")
    yield from rejections(made.rejected)
    if made.rejected:
        yield line(f"Rows that are not used: {REJECTED}", weight="dim")
    for note in made.notes:
        yield line(shown(note, 300), weight="minded")
