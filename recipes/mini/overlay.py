"""Two clips of mini laid over each other at a set level difference and onset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import soxr
from recipes.mini import clips
from recipes.mini.draft import Samples

RATE = clips.SOUND_RATE
LEAD_S, TAIL_S = 0.15, 0.2


@dataclass(frozen=True)
class Layer:
    """One of the two clips as it is laid.

    Attributes:
        samples: ``float[n]`` at `RATE`, silent edges cut, at the level it has in the mix.
        cut_s: silence cut from its beginning, seconds.
        start_s: where its first sound lies in the mix, seconds.
    """

    samples: Samples
    cut_s: float
    start_s: float

    @property
    def shift_s(self) -> float:
        """What is to be added to a time in the clip to get the time in the mix, seconds."""
        return self.start_s - self.cut_s

    @property
    def end_s(self) -> float:
        """Where its last sound ends in the mix, seconds."""
        return self.start_s + len(self.samples) / RATE


def sounding(samples: Samples, rate: int) -> tuple[Samples, float]:
    """A clip at `RATE` without the silence at its edges, and how much of it was before, seconds."""
    here = samples if rate == RATE else np.asarray(soxr.resample(samples, rate, RATE), np.float64)
    size = round(RATE * clips.FRAME_S)
    levels = clips.frame_levels(here, RATE)
    loud = np.flatnonzero(levels > levels.max() - clips.EDGE_DB)
    return clips.faded(here[loud[0] * size : (loud[-1] + 1) * size], RATE), loud[0] * clips.FRAME_S


def level_db(samples: Samples) -> float:
    """Mean power of what is not silence, dB relative to full scale."""
    levels = clips.frame_levels(samples, RATE)
    return float(10 * np.log10(np.mean(10 ** (levels[levels > levels.max() - clips.EDGE_DB] / 10))))


def overlay(
    speech: tuple[Samples, int], other: tuple[Samples, int], *, above_db: float, later_s: float
) -> tuple[Samples, Layer, Layer]:
    """Lay speech and something else over each other; the louder keeps its level.

    Args:
        speech: samples and their rate, Hz.
        other: the same of what it is laid over.
        above_db: by how much the speech is louder, dB; less than 0: softer.
        later_s: by how much its first sound comes later, seconds; less than 0: earlier.

    Returns:
        The mix at `RATE`, the speech and the other in it. A peak above `clips.PEAK` lowers both by the same gain.

    Raises:
        ValueError: the two do not overlap.
    """
    (said, said_cut), (heard, heard_cut) = sounding(*speech), sounding(*other)
    change = 10 ** ((level_db(said) - level_db(heard) - above_db) / 20)
    said, heard = (said, heard * change) if above_db >= 0 else (said / change, heard)
    starts = [round((LEAD_S + max(later, 0)) * RATE) for later in (later_s, -later_s)]
    mix = np.zeros(max(starts[0] + len(said), starts[1] + len(heard)) + round(TAIL_S * RATE))
    mix[starts[0] : starts[0] + len(said)] += said
    mix[starts[1] : starts[1] + len(heard)] += heard
    gain = min(1.0, clips.PEAK / np.abs(mix).max())
    layers = (
        Layer(said * gain, said_cut, starts[0] / RATE),
        Layer(heard * gain, heard_cut, starts[1] / RATE),
    )
    if min(one.end_s for one in layers) <= max(one.start_s for one in layers):
        raise ValueError("the two clips do not overlap")
    return mix * gain, *layers
