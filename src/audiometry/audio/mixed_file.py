"""Two files mixed into a third, and the record that is kept of it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import msgspec

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


class MixedFrom(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two files: where it is, what it held, and where its sound stands in the mix."""

    path: str
    sha256: str
    rate: int
    channels: int
    duration_s: float
    onset_s: float


class MixRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What can be measured back from a mix, and what it was made of.

    Attributes:
        file: the mix.
        louder, ahead, level_difference, offset_s: see `Mix`; LU and seconds.
        gain_db, loudness_before_lufs, loudness_lufs: of ``a`` and of ``b``, see `Part`.
        headroom_db: a part of both gains.
        duration_s, rate, channels: of the mix.
        format: its coding; ``lossy`` ones bend levels and onsets a little after all this was so.
        meter: what loudness is measured by.
        sources: both files.
    """

    file: str
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
    form = coding(out)
    for source in (a, b):
        if _same(source, out):
            raise UsageError(
                f"{called(str(out))} is one of the two clips, which is not written over; name another file"
            )
    (first, first_sha), (second, second_sha) = _clip(a), _clip(b)
    if plan.rate is None:
        plan = msgspec.structs.replace(plan, rate=max(first.rate, second.rate))
    made = mix(first, second, plan, names=(called(str(a)), called(str(b))))
    atomic.write_parts(out, (encode(made.clip, form),), durable=durable)
    sources = _source(a, first, first_sha, made.a), _source(b, second, second_sha, made.b)
    return _record(made, sources, out, form)


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


def _clip(path: Path) -> tuple[Clip, str]:
    data = read_file(path)
    return read(data, where=called(str(path))), hashlib.sha256(data).hexdigest()


def _source(path: Path, clip: Clip, sha256: str, part: Part) -> MixedFrom:
    return MixedFrom(
        path=str(path),
        sha256=sha256,
        rate=clip.rate,
        channels=clip.channels,
        duration_s=_rounded(clip.duration_s),
        onset_s=_rounded(part.onset_s),
    )


def _record(made: Mix, sources: tuple[MixedFrom, MixedFrom], out: Path, form: str) -> MixRecord:
    parts = {"a": made.a, "b": made.b}
    return MixRecord(
        file=str(out),
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
