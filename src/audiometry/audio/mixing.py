"""Two clips overlaid at a set difference in loudness and a set onset, with an account of what was done."""

from __future__ import annotations

import math
from typing import Final, Literal, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from audiometry.audio.clip import Clip, at_rate
from audiometry.audio.inspect import RATES
from audiometry.audio.loudness import GATE_LUFS, LOWEST_RATE, STEREO, Measured, measure
from audiometry.errors import AudioError, RateMismatchError, SilentAudioError, UsageError

Which: TypeAlias = Literal["a", "b", "equal"]
Pair: TypeAlias = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]

MOST_LU: Final = 30.0
LONGEST_OFFSET_S: Final = 3600.0
WITHIN_LU: Final = 0.05
"""How far the difference in loudness may be from what was asked for."""

_ROUNDS: Final = 20
_EXACT_LU: Final = 1e-9
_TOP: Final = 32767 / 32768  # the highest sample that 16 bits hold


class MixPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a mix is to be.

    Attributes:
        louder: which clip.
        level_difference_db: by how many LU, 0 to 30; 0 if neither is.
        ahead: which clip starts first.
        offset_s: by how many seconds, 0 to an hour; rounded to the sample; 0 if neither does.
        rate: of the mix, Hz; None: the clips', which must be the same then.
    """

    louder: Which
    level_difference_db: float = 0.0
    ahead: Which
    offset_s: float = 0.0
    rate: int | None = None


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one clip.

    Attributes:
        gain: by which its samples were multiplied, the gain for headroom included; a float32.
        gain_db: the same in dB.
        loudness_before_lufs: integrated loudness as it came, in the channels of the mix.
        loudness_lufs: the same in the mix.
        onset_s: where in the mix it begins.
        duration_s: of it, seconds.
        rate: it came with, Hz.
    """

    gain: float
    gain_db: float
    loudness_before_lufs: float
    loudness_lufs: float
    onset_s: float
    duration_s: float
    rate: int


class Mix(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A mixed clip and what was done.

    Attributes:
        clip: float32, peak ≤ 1.
        louder, ahead: which clip is; ``equal`` too where the plan has a clip louder or ahead by nothing.
        level_difference_db: between the loudness of the two in the mix, LU.
        offset_s: between their onsets, seconds; a whole number of samples.
        headroom_db: gain of both, so that no sample exceeds full scale; 0 or less, and a part of both gains.
        a, b: what became of each clip.
        sources: both clips in the rate and the channels of the mix, before they were scaled.
    """

    clip: Clip
    louder: Which
    ahead: Which
    level_difference_db: float
    offset_s: float
    headroom_db: float
    a: Part
    b: Part
    sources: tuple[Clip, Clip]

    @property
    def scaled(self) -> Pair:
        """Both clips as they stand in the mix: laid at their onsets on silence, their float32 sum is the mix."""
        first, second = (_scaled(clip, part.gain) for clip, part in zip(self.sources, (self.a, self.b), strict=True))
        return first, second


def mix(a: Clip, b: Clip, plan: MixPlan, *, names: tuple[str, str] = ("clip a", "clip b")) -> Mix:
    """Overlay two clips at a set level difference and onset.

    The louder clip keeps its level; the other is scaled, up or down, until their integrated
    loudness (ITU-R BS.1770-4, LUFS) differs by ``plan.level_difference_db``. Of two that are to be equal, b keeps its.

    Args:
        a: mono or stereo clip; under 0.4 s (one loudness block) the ungated level of the whole clip
            counts. Beside a stereo clip a mono one stands in both channels, and has the loudness
            that it has there, 3 LU above that of its file.
        b: the other one, of the same rate.
        plan: which clip is louder, by how many LU (0 to 30: further down the meter's −70 LUFS gate
            would bend the result), which starts first, by how many seconds (≥ 0). With ``plan.rate`` clips of
            another rate are resampled (soxr, HQ).
        names: what error messages call the clips.

    Returns:
        The mixed clip, as long as the later end of the two, peak ≤ 1.0, and what was done:
        gains, loudness before and after, offset. If headroom forced a common gain, both
        levels moved together, so the difference still holds.

    Raises:
        SilentAudioError: a clip has no measurable loudness, or would have none in the mix.
        RateMismatchError: the clips' rates differ, and the plan names none.
        AudioError: more than two channels, samples that are not numbers, too low a rate.
        UsageError: the plan is absurd.

    Source: AIR-Bench §3.3, figure 2.
    """
    check(plan)
    if plan.rate is None and a.rate != b.rate:
        raise RateMismatchError(f"{names[0]} has {a.rate} Hz, {names[1]} {b.rate} Hz; name the rate of the mix")
    rate, channels = plan.rate or a.rate, max(a.channels, b.channels)
    clips = _laid(at_rate(a, rate), channels), _laid(at_rate(b, rate), channels)
    meters = measure(clips[0], where=names[0]), measure(clips[1], where=names[1])
    gains = _gains(meters, plan)
    onsets = _onsets(plan, rate)
    mixed = _overlaid(clips, gains, onsets)
    headroom = _headroom(mixed)
    if headroom < 1:
        gains = gains[0] * headroom, gains[1] * headroom
        mixed = _overlaid(clips, gains, onsets)
    after = _after(meters, gains, plan)
    parts = [
        Part(
            gain=float(np.float32(gains[k])),
            gain_db=_db(gains[k]),
            loudness_before_lufs=meters[k].lufs(),
            loudness_lufs=after[k],
            onset_s=onsets[k] / rate,
            duration_s=clips[k].duration_s,
            rate=(a, b)[k].rate,
        )
        for k in (0, 1)
    ]
    offset = abs(onsets[0] - onsets[1])
    return Mix(
        clip=Clip(samples=mixed, rate=rate),
        louder=plan.louder if plan.level_difference_db else "equal",
        ahead=plan.ahead if offset else "equal",
        level_difference_db=abs(after[0] - after[1]),
        offset_s=offset / rate,
        headroom_db=_db(headroom),
        a=parts[0],
        b=parts[1],
        sources=clips,
    )


def check(plan: MixPlan) -> None:
    """Refuse a plan that nobody can have meant.

    Raises:
        UsageError: a number is out of its range, or two say different things.
    """
    if not 0 <= plan.level_difference_db <= MOST_LU:
        raise UsageError(f"a level difference of {plan.level_difference_db:g} LU cannot be made; give 0 to {MOST_LU:g}")
    if not 0 <= plan.offset_s <= LONGEST_OFFSET_S:
        raise UsageError(f"an offset of {plan.offset_s:g} s cannot be made; give 0 to {LONGEST_OFFSET_S:g}")
    if plan.louder == "equal" and plan.level_difference_db:
        raise UsageError(f"equal loudness and {plan.level_difference_db:g} LU contradict each other; give one of them")
    if plan.ahead == "equal" and plan.offset_s:
        raise UsageError(f"an equal start and an offset of {plan.offset_s:g} s contradict each other; give one of them")
    if plan.rate is not None and not LOWEST_RATE <= plan.rate <= RATES[1]:
        raise UsageError(f"a rate of {plan.rate} Hz cannot be made; give {LOWEST_RATE} to {RATES[1]}")


def _laid(clip: Clip, channels: int) -> Clip:
    """A mono clip in both channels of a stereo mix; any other as it is."""
    if clip.channels == 1 and channels == STEREO:
        return Clip(samples=np.repeat(clip.samples, channels, axis=1), rate=clip.rate)
    return clip


def _gains(meters: tuple[Measured, Measured], plan: MixPlan) -> tuple[float, float]:
    """Linear gains of both clips: one of them 1."""
    quiet, loud = (1, 0) if plan.louder == "a" else (0, 1)
    goal = meters[loud].lufs() - plan.level_difference_db
    gain = 1.0
    # Once is enough, unless the gate at -70 LUFS lets in or out blocks that it did not before.
    for _ in range(_ROUNDS):
        try:
            error = goal - meters[quiet].lufs(gain)
        except SilentAudioError as problem:
            if gain == 1.0:
                raise
            raise _too_quiet(meters[quiet].where, goal) from problem
        if abs(error) < _EXACT_LU:
            break
        gain *= 10 ** (error / 20)
    return (gain, 1.0) if quiet == 0 else (1.0, gain)


def _after(meters: tuple[Measured, Measured], gains: tuple[float, float], plan: MixPlan) -> tuple[float, float]:
    """Loudness of both clips as they stand in the mix, which differs as the plan has it."""
    quiet, loud = (1, 0) if plan.louder == "a" else (0, 1)
    top = meters[loud].lufs() + _db(gains[loud])
    try:
        found = [meter.lufs(gain) for meter, gain in zip(meters, gains, strict=True)]
    except SilentAudioError as problem:
        raise _too_quiet(meters[quiet].where, top - plan.level_difference_db) from problem
    if abs(found[loud] - found[quiet] - plan.level_difference_db) > WITHIN_LU:
        raise _too_quiet(meters[quiet].where, top - plan.level_difference_db)
    return found[0], found[1]


def _too_quiet(name: str, lufs: float) -> SilentAudioError:
    return SilentAudioError(
        f"{name}: at {lufs:.1f} LUFS in the mix, too near the {GATE_LUFS:.0f} below which nothing is measured; "
        "lower the level difference, or choose louder clips"
    )


def _onsets(plan: MixPlan, rate: int) -> tuple[int, int]:
    """The frames at which both clips begin."""
    lag = 0 if plan.ahead == "equal" else round(plan.offset_s * rate)
    return (0, lag) if plan.ahead == "a" else (lag, 0)


def _overlaid(clips: tuple[Clip, Clip], gains: tuple[float, float], onsets: tuple[int, int]) -> npt.NDArray[np.float32]:
    """The sum of both clips, scaled."""
    ends = [onset + clip.frames for onset, clip in zip(onsets, clips, strict=True)]
    out = np.zeros((max(ends), clips[0].channels), dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore"):  # which the peak tells
        np.multiply(clips[0].samples, np.float32(gains[0]), out=out[onsets[0] : ends[0]])
        out[onsets[1] : ends[1]] += _scaled(clips[1], gains[1])
    return out


def _scaled(clip: Clip, gain: float) -> npt.NDArray[np.float32]:
    return clip.samples * np.float32(gain)


def _headroom(mixed: npt.NDArray[np.float32]) -> float:
    """The gain that brings every sample into what 16 bits hold; 1 where they are."""
    peak = max(float(mixed.max()), -float(mixed.min()))
    if not math.isfinite(peak):
        raise AudioError("samples too large to be mixed; replace the file")
    return _TOP / peak if peak > _TOP else 1.0


def _db(gain: float) -> float:
    return 20 * math.log10(gain)
