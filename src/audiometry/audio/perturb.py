"""A clip replaced by noise or by silence of the same length: what a model that listens must notice."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from audiometry.audio.clip import Clip, read
from audiometry.audio.inspect import inspect
from audiometry.audio.prepare import prepare
from audiometry.outside import VariantError, called
from audiometry.records import Audio, ModelCard

if TYPE_CHECKING:
    import numpy.typing as npt

STAND_IN_DBFS: Final = -26.0
"""RMS of the noise in place of a silent clip, dB re full scale: what speech is usually levelled to (ITU-T G.191)."""

SILENT: Final = 2.0**-15
"""RMS of one 16-bit step (-90 dBFS); below it a clip is silent."""

_TOP: Final = 32767 / 32768
_CREST: Final = 5.0  # a level this far below full scale needs no limiting: one sample in two million is higher
_LOUDEST: Final = 0.99  # RMS up to which noise can be made; its samples are nearly all at full scale then


def noise_like(clip: Clip, rng: np.random.Generator) -> Clip:
    """White Gaussian noise of a clip's length, rate, channels and RMS.

    Each channel has noise of its own. Where the level is so high that Gaussian peaks would exceed full scale, they are
    limited to it and the rest is raised, so that the RMS still holds.

    Args:
        clip: what is replaced; if its own peaks exceed full scale, it is taken as lowered to it, as `prepare` sends
            it. If it is silent (below `SILENT`), the noise has `STAND_IN_DBFS`.
        rng: a named stream, ``seeds.generator(seed, "noise", item.id)``.
    """
    samples = rng.standard_normal((clip.frames, clip.channels), dtype=np.float32)
    target = level(clip) or 10 ** (STAND_IN_DBFS / 20)
    samples *= np.float32(_gain(target) / _rms(samples))
    np.clip(samples, -1.0, _TOP, out=samples)
    for _ in range(3 if target * _CREST > 1 else 0):  # this very sample is a little off what limiting does on average
        samples *= np.float32(target / _rms(samples))
        np.clip(samples, -1.0, _TOP, out=samples)
    return Clip(samples=samples, rate=clip.rate)


def level(clip: Clip) -> float:
    """RMS over all samples and channels as the clip is sent, at most 0.99 of full scale; 0 if it is silent."""
    found = _rms(clip.samples) * min(1.0, _TOP / max(_TOP, float(np.abs(clip.samples).max(initial=0.0))))
    return min(found, _LOUDEST) if found >= SILENT else 0.0


def as_noise(audio: Audio, card: ModelCard, rng: np.random.Generator, *, where: str) -> Audio:
    """A clip as it is sent, replaced by noise like it and made fit for the same model.

    The noise is made after the model's card has shaped the clip: resampled noise would be softer than the clip, since
    it has as much power above the new rate's limit as below.

    Args:
        audio: from `prepare`, for the same card.
        card: what the model takes.
        rng: see `noise_like`.
        where: what error messages call the clip.
    """
    clip = read(audio.data, where=where)
    heard = level(clip)
    made = f"{20 * math.log10(heard):.1f} dBFS RMS, as the clip" if heard else f"{STAND_IN_DBFS} dBFS RMS, clip silent"
    return _sent(noise_like(clip, rng), card, f"replaced by noise ({made})", where)


def as_silence(audio: Audio, card: ModelCard, *, where: str) -> Audio:
    """A clip as it is sent, replaced by digital zero of its length, rate and channels; see `as_noise`."""
    info = inspect(audio.data, where)  # the header says enough: nothing is decoded
    zeros = np.zeros((info.frames, info.channels), dtype=np.float32)
    return _sent(Clip(samples=zeros, rate=info.rate), card, "replaced by silence", where)


def as_changed(
    audio: Audio,
    card: ModelCard,
    change: Callable[[npt.NDArray[np.float32], int], npt.NDArray[np.float32]],
    said: str,
    *,
    where: str,
) -> Audio:
    """A clip as it is sent with other samples, made fit for the same model.

    Args:
        audio: from `prepare`, for the same card.
        card: what the model takes.
        change: of samples ``float32[n, channels]`` and their rate in Hz, to as many channels.
        said: what was done, for the record.
        where: what error messages call the clip.

    Raises:
        VariantError: what came of it is not sound.
    """
    clip = read(audio.data, where=where)
    samples = called(
        lambda: np.ascontiguousarray(change(clip.samples.copy(), clip.rate), dtype=np.float32),
        lambda said: VariantError(f"{where}: {said}"),
    )
    if samples.ndim != clip.samples.ndim or samples.shape[1:] != clip.samples.shape[1:] or not len(samples):
        raise VariantError(f"{where}: samples of shape {samples.shape} came of {clip.samples.shape}")
    if not np.isfinite(samples).all():
        raise VariantError(f"{where}: samples that are not numbers came of it")
    return _sent(Clip(samples=samples, rate=clip.rate), card, said, where)


def _sent(clip: Clip, card: ModelCard, change: str, where: str) -> Audio:
    from audiometry.audio.encode import encode

    audio = prepare(encode(clip, "wav"), card, where=where)
    return msgspec.structs.replace(audio, changes=(change, *audio.changes))


def _gain(target: float) -> float:
    """The standard deviation of Gaussian noise that has a given RMS once limited to full scale; found by halving."""
    if target * _CREST <= 1:
        return target
    low, high = target, 1e3
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if _limited_rms(middle) < target else (low, middle)
    return high


def _limited_rms(sigma: float) -> float:
    """RMS of Gaussian noise of that standard deviation, limited to -1 to 1 (moments of a censored normal)."""
    edge = 1 / sigma
    beyond = math.erfc(edge / math.sqrt(2))
    inside = (1 - beyond) - edge * math.sqrt(2 / math.pi) * math.exp(-edge * edge / 2)
    return math.sqrt(sigma * sigma * inside + beyond)


def _rms(samples: npt.NDArray[np.float32]) -> float:
    total = sum(
        float(np.square(part, dtype=np.float64).sum()) for part in np.array_split(samples, 1 + len(samples) // 2**16)
    )
    return math.sqrt(total / max(1, samples.size))
