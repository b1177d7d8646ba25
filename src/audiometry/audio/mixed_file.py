"""Two files mixed into a third, and the record that is kept of it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from audiometry.audio.clip import Clip, read
from audiometry.audio.clip_file import called, read_file
from audiometry.audio.encode import LIMITS, encode
from audiometry.audio.loudness import FILTER
from audiometry.audio.mixing import Mix, MixPlan, Part, Which, check, mix
from audiometry.errors import UsageError, shown
from audiometry.files import atomic

LOSSY: Final = frozenset({"mp3", "ogg"})
METER: Final = f"ITU-R BS.1770-4, {FILTER}"
_DECIMALS: Final = 6
_LARGEST_KEPT: Final = (1 << 25) - (1 << 13)  # bytes: glibc's own bound, and room for its header; never written to


class Sound(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A clip and what it is of.

    Attributes:
        path, sha256: of its file.
        clip: its samples.
        span_s: the part of the file that it is, first and last second; None: the whole.
        channel: the one that it is, counted from 1; 0: all.
    """

    path: str
    sha256: str
    clip: Clip
    span_s: tuple[float, float] | None = None
    channel: int = 0


class MixedFrom(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of the two: where it is, what it held, and where its sound stands in the mix; see `Sound`."""

    path: str
    sha256: str
    rate: int
    channels: int
    duration_s: float
    onset_s: float
    span_s: tuple[float, float] | None = None
    channel: int = 0


class MixRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What can be measured back from a mix, and what it was made of.

    Attributes:
        id: in a set of mixes.
        file_name: of the mix.
        louder, ahead, level_difference, offset_s: see `Mix`; LU and seconds.
        gain_db, loudness_before_lufs, loudness_lufs: of ``a`` and of ``b``, see `Part`.
        headroom_db: a part of both gains.
        duration_s, rate, channels: of the mix.
        format: its coding; ``lossy`` ones bend levels and onsets a little after all this was so.
        meter: what loudness is measured by.
        sources: both files.
    """

    id: str = ""
    file_name: str
    louder: Which
    ahead: Which
    level_difference: float
    offset_s: float
    gain_db: dict[str, float]
    loudness_before_lufs: dict[str, float]
    loudness_lufs: dict[str, float]
    headroom_db: float
    duration_s: float
    rate: int
    channels: int
    format: str
    lossy: bool
    meter: str
    sources: dict[str, MixedFrom]

    @property
    def overlap_s(self) -> float:
        """Seconds in which both are heard; 0 or less: one ends before the other begins."""
        ends = [one.onset_s + one.duration_s for one in self.sources.values()]
        return min(ends) - self.offset_s


def mix_files(a: Path, b: Path, plan: MixPlan, out: Path, *, durable: bool = True) -> MixRecord:
    """Mix two files into a third, in 16 bits, in one step.

    Args:
        a: one file.
        b: the other.
        plan: without a rate, the mix has the higher one of the two.
        out: the mix; its ending says how it is coded.
        durable: see `atomic.write_parts`.

    Raises:
        UsageError: the plan is absurd, no such coding is written, or the mix would take the place of a source.
        AudioError: a clip cannot be read or mixed; says which.
        StorageError: the mix cannot be written.
    """
    check(plan)
    coding(out)
    for source in (a, b):
        if _same(source, out):
            raise UsageError(
                f"{called(str(out))} is one of the two clips, which is not written over; name another file"
            )
    return mix_sounds(_sound(a), _sound(b), plan, out, durable=durable)


def mix_sounds(a: Sound, b: Sound, plan: MixPlan, out: Path, *, durable: bool = True) -> MixRecord:
    """As `mix_files`, of clips that were read; ``out`` is none of theirs."""
    _keep_freed()
    form = coding(out)
    if plan.rate is None:
        plan = msgspec.structs.replace(plan, rate=max(a.clip.rate, b.clip.rate))
    made = mix(a.clip, b.clip, plan, names=(called(a.path), called(b.path)))
    atomic.write_parts(out, (encode(made.clip, form),), durable=durable)
    return _record(made, (_source(a, made.a), _source(b, made.b)), out, form)


@cache
def _keep_freed() -> None:
    """Have freed memory kept for the next pair: else each needs some 700 fresh pages, a third of its time.

    The allocator of glibc, on Linux, keeps what is smaller than the largest block that was ever freed.
    """
    np.empty(_LARGEST_KEPT, dtype=np.uint8)


def coding(out: Path) -> str:
    """The coding that a file's ending names.

    Raises:
        UsageError: none that is written here.
    """
    form = out.suffix.lower().removeprefix(".")
    if form not in LIMITS:
        *others, last = (f".{name}" for name in LIMITS)
        what = f"audio is not written as '.{shown(form, 20)}'" if form else "has no ending that says how to write it"
        raise UsageError(f"{called(str(out))}: {what}; name it {', '.join(others)} or {last}")
    return form


def _same(source: Path, out: Path) -> bool:
    """Whether both are one file, by whatever names and links."""
    try:
        return source.samefile(out)
    except (OSError, ValueError):  # one of them is not there
        return False


def _sound(path: Path) -> Sound:
    data = read_file(path)
    clip = read(data, where=called(str(path)))
    return Sound(path=str(path), sha256=hashlib.sha256(data).hexdigest(), clip=clip)


def _source(sound: Sound, part: Part) -> MixedFrom:
    return MixedFrom(
        path=sound.path,
        sha256=sound.sha256,
        rate=sound.clip.rate,
        channels=sound.clip.channels,
        duration_s=_rounded(sound.clip.duration_s),
        onset_s=_rounded(part.onset_s),
        span_s=sound.span_s,
        channel=sound.channel,
    )


def _record(made: Mix, sources: tuple[MixedFrom, MixedFrom], out: Path, form: str) -> MixRecord:
    parts = {"a": made.a, "b": made.b}
    return MixRecord(
        file_name=str(out),
        louder=made.louder,
        ahead=made.ahead,
        level_difference=_rounded(made.level_difference_db),
        offset_s=_rounded(made.offset_s),
        gain_db={name: _rounded(part.gain_db) for name, part in parts.items()},
        loudness_before_lufs={name: _rounded(part.loudness_before_lufs) for name, part in parts.items()},
        loudness_lufs={name: _rounded(part.loudness_lufs) for name, part in parts.items()},
        headroom_db=_rounded(made.headroom_db),
        duration_s=_rounded(made.clip.duration_s),
        rate=made.clip.rate,
        channels=made.clip.channels,
        format=form,
        lossy=form in LOSSY,
        meter=METER,
        sources=dict(zip("ab", sources, strict=True)),
    )


def _rounded(value: float) -> float:
    """To what no ear and no meter tells apart, so that machines agree on the digits."""
    return round(value, _DECIMALS) + 0.0  # no -0.0
