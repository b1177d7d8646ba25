"""What was measured and recognised in a clip, before it is put into words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from audiometry.models.cascade.signal import voice
from audiometry.models.cascade.signal.events import EventMeasures
from audiometry.models.cascade.signal.frames import Span
from audiometry.models.cascade.signal.onsets import Tempo
from audiometry.models.cascade.transcribe import Transcript


class Note(NamedTuple):
    """A sound between two onsets.

    Attributes:
        start_s, end_s: when.
        level_dbfs: the loudest tenth of a second.
        hz: its pitch; None: no stable one.
        timbre: see `audiometry.models.cascade.signal.timbre`; None: not measured.
    """

    start_s: float
    end_s: float
    level_dbfs: float
    hz: float | None
    timbre: npt.NDArray[np.float64] | None


class Stretch(NamedTuple):
    """A stretch without pauses: where, how loud, what kind of event, how much its spectrum moves, whose voice."""

    span: Span
    level_dbfs: float
    events: EventMeasures | None
    flux_db: float
    speaker: int | None


class Heard(NamedTuple):
    """All that the description is written from; parts that do not apply are None or empty."""

    duration_s: float
    rate: int
    channels: int
    level_dbfs: float
    peak_dbfs: float
    events: EventMeasures | None
    stretches: tuple[Stretch, ...]
    measures: voice.VoiceMeasures
    speech: float
    machine: float | None
    transcript: Transcript | None
    as_digit: str
    as_letter: str
    as_spelling: str
    onsets: tuple[float, ...]
    notes: tuple[Note, ...]
    tempo: Tempo | None
