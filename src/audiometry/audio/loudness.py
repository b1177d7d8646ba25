"""Integrated loudness by ITU-R BS.1770-4: K-weighting, 400 ms blocks, gates at -70 LUFS and at 10 LU below the mean.

The weighting is `FILTER`: De Man's analogue prototypes of the two filters, brought to any rate by the bilinear
transform. At 48 kHz they are the standard's table; an equaliser's textbook filters, which some meters take instead,
differ by up to 0.13 LU at 16 kHz. Checked against the standard's own coefficients, EBU Tech 3341 and other meters.

Source: ITU-R BS.1770-4 (2015), annex 1; B. De Man, "Evaluation of implementations of the EBU R128 loudness
measurement", AES convention 145 (2018).
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from audiometry.audio.clip import Clip
from audiometry.errors import AudioError, SilentAudioError

FILTER: Final = "K-weighting (De Man)"
"""The weighting, as results name it."""
GATE_LUFS: Final = -70.0
"""Blocks at or below it are not counted."""
BLOCK_S: Final = 0.4
"""Length of a block, seconds; a shorter clip is measured whole, without a gate."""
LOWEST_RATE: Final = 4000
"""Hz: at half of it the weighting has hardly left its slope."""
STEREO: Final = 2
"""Channels, the most that are measured; both weigh 1."""

_HOPS: Final = 4  # a block's: blocks overlap by three quarters
_AT_ONCE: Final = 1 << 16  # frames that are filtered at a time: they stay in the processor's cache, however long a clip
_OFFSET: Final = -0.691  # LU: takes back what the weighting adds at 997 Hz
_RELATIVE_LU: Final = -10.0
_DIGITAL_SILENCE: Final = 2.0**-30  # power of one 16-bit step


class Measured(msgspec.Struct, frozen=True, eq=False):
    """What the meter saw of a clip: enough to know its loudness at any gain.

    Attributes:
        powers: float64, mean square of each block after weighting, channels summed; of a clip under `BLOCK_S` its own.
        gated: whether the gates apply; not to a clip under `BLOCK_S`.
        where: what error messages call the clip.
    """

    powers: npt.NDArray[np.float64]
    gated: bool
    where: str

    def lufs(self, gain: float = 1.0) -> float:
        """Integrated loudness, LUFS, of the clip times a linear ``gain``.

        Raises:
            SilentAudioError: no block is above the gate; without gates: it is below one 16-bit step.
        """
        powers = self.powers * (gain * gain)
        if not self.gated:
            if powers[0] < _DIGITAL_SILENCE:
                raise SilentAudioError(f"{self.where}: silent, so it has no loudness; choose a clip that can be heard")
            return _lufs(float(powers[0]))
        powers = powers[powers > _power(GATE_LUFS)]
        if not len(powers):
            low = f"never above {GATE_LUFS:.0f} LUFS, so it has no loudness"
            raise SilentAudioError(f"{self.where}: {low}; choose a clip that can be heard")
        return _lufs(float(powers[powers > float(powers.mean()) * 10 ** (_RELATIVE_LU / 10)].mean()))


def loudness(clip: Clip, *, where: str = "clip") -> float:
    """Integrated loudness of a mono or stereo clip, LUFS.

    Blocks that the end of the clip cuts are left out, as the standard has it. A clip under 0.4 s has the level of the
    whole, without gates.

    Raises:
        SilentAudioError: there is nothing to be heard; never minus infinity.
        AudioError: see `measure`.

    >>> sine = np.sin(2 * np.pi * 997 / 48000 * np.arange(48000), dtype=np.float32)
    >>> round(loudness(Clip(sine[:, None], 48000)), 2)
    -3.01
    """
    return measure(clip, where=where).lufs()


def measure(clip: Clip, *, where: str = "clip") -> Measured:
    """The power of each block.

    Raises:
        AudioError: more than two channels, a rate below `LOWEST_RATE`, samples that are not numbers.
    """
    if not 1 <= clip.channels <= STEREO:
        raise AudioError(f"{where}: has {clip.channels} channels, more than the 2 that can be measured; downmix it")
    if clip.rate < LOWEST_RATE:
        raise AudioError(f"{where}: {clip.rate} Hz is too low for the meter's filter; it takes {LOWEST_RATE} and more")
    if not np.isfinite(clip.samples).all():
        raise AudioError(f"{where}: samples that are not numbers (NaN or infinity); replace the file")
    hops = (10 * clip.frames + 9) // clip.rate  # by whole frames, where a hop has a fraction of one
    if hops < _HOPS:
        power = _energies(clip, [0, clip.frames]).sum() / max(1, clip.frames)
        return Measured(np.array([power]), gated=False, where=where)
    energies = _energies(clip, [hop * clip.rate // 10 for hop in range(hops + 1)])
    sums = sum(energies[k : hops - _HOPS + 1 + k] for k in range(_HOPS))
    return Measured(np.asarray(sums / (BLOCK_S * clip.rate)), gated=True, where=where)


def _energies(clip: Clip, bounds: list[int]) -> npt.NDArray[np.float64]:
    """Sum of squares after weighting, channels summed, from each bound (a frame) to the next."""
    from scipy.signal import sosfilt

    sections = weighting(clip.rate)
    out = np.zeros(len(bounds) - 1)
    many = max(1, _AT_ONCE * 10 // clip.rate)
    for channel in clip.samples.T if clip.frames else ():
        state = np.zeros((len(sections), 2))
        for first in range(0, len(out), many):
            part = bounds[first : first + many + 1]
            y, state = sosfilt(sections, channel[part[0] : part[-1]].astype(np.float64), zi=state)
            y *= y
            out[first : first + len(part) - 1] += np.add.reduceat(y, np.subtract(part[:-1], part[0]))
    return out


@cache
def weighting(rate: int) -> npt.NDArray[np.float64]:
    """Both filters at a rate in Hz, as scipy's second-order sections, float64 of shape (2, 6).

    The second filter's numerator is (1, -2, 1) at every rate, as in the standard's table.
    """
    k, q = math.tan(math.pi * 1681.9744509555319 / rate), 0.7071752369554193
    high = 10 ** (3.99984385397 / 20)
    middle = high**0.499666774155
    shelf = [
        high + middle * k / q + k * k, 2 * (k * k - high), high - middle * k / q + k * k,
        1 + k / q + k * k, 2 * (k * k - 1), 1 - k / q + k * k,
    ]  # fmt: skip
    k, q = math.tan(math.pi * 38.13547087613982 / rate), 0.5003270373253953
    norm = 1 + k / q + k * k
    low_cut = [1.0, -2.0, 1.0, 1.0, 2 * (k * k - 1) / norm, (1 - k / q + k * k) / norm]
    return np.array([[value / shelf[3] for value in shelf], low_cut])


def _lufs(power: float) -> float:
    return _OFFSET + 10 * math.log10(power)


def _power(lufs: float) -> float:
    return float(10 ** ((lufs - _OFFSET) / 10))
