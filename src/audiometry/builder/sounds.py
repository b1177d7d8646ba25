"""Whether anything can be heard in a clip, before a model is asked about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from audiometry.bench.check_audio import SILENT
from audiometry.bench.check_clip import RUN, Measures
from audiometry.builder import audio_files
from audiometry.builder.clip import SourceClip
from audiometry.builder.make import Unfit
from audiometry.builder.private import Private
from audiometry.errors import AudioError, UnreadableAudioError
from audiometry.programs.parallel import mapped

CLIPPED: Final = 0.01
"""Share of samples in flat runs at full scale above which nothing is asked about a clip; `audiometry check` warns of
a hundredth of it, as loud music has."""
_CHUNK: Final = 16
_BELOW_FULL: Final = 0.99  # a peak below which no sample is at full scale, whatever the format
_Flaw = tuple[str, str]


class Sounds:
    """What is wrong with the sound of clips; each is decoded once.

    Args:
        private: values that no reason repeats.
    """

    def __init__(self, private: Private) -> None:
        self._private = private
        self._flaws: dict[str, _Flaw | None] = {}

    def unfit(self, clips: Iterable[SourceClip], *, silence: bool = False) -> dict[str, Unfit]:
        """The clips about which nothing is to be asked, by their keys, with the reason.

        Args:
            clips: any.
            silence: whether silent ones will do.
        """
        by_key = {one.key: one for one in clips}
        new = [one for key, one in by_key.items() if key not in self._flaws]
        found = mapped(partial(_flaw, new, self._private), range(len(new)), chunk=_CHUNK)
        self._flaws |= zip((one.key for one in new), found, strict=True)
        flaws = ((key, self._flaws[key]) for key in by_key)
        return {
            key: Unfit(rule=flaw[0], reason=flaw[1], clip=by_key[key])
            for key, flaw in flaws
            if flaw is not None and not (silence and flaw[0] == "silent")
        }


def _flaw(clips: Sequence[SourceClip], private: Private, number: int) -> _Flaw | None:
    clip = clips[number]
    import numpy as np

    name = f"{clip.source}, row {clip.rows}" if private.told([clip.recording.name]) else clip.recording.name
    try:
        heard = audio_files.read(clip, name)
    except AudioError as problem:
        rule = problem.flaw if isinstance(problem, UnreadableAudioError) and problem.flaw == "not-numbers" else ""
        why = str(problem)
        return rule or "unreadable", f"{name} cannot be read; restore the file" if private.told([why]) else why
    peak = max(float(heard.samples.max()), -float(heard.samples.min()))
    if peak <= SILENT:
        return "silent", f"no sample is above {SILENT:.1e} of full scale; nothing can be heard in it"
    if peak < _BELOW_FULL:
        return None
    measures = Measures(heard.samples.shape[1])
    measures.add(np.ascontiguousarray(heard.samples))
    share = measures.clipped / heard.samples.size
    if share > CLIPPED:
        return "clipped", f"{100 * share:.1f} % of its samples stand at full scale, {RUN} or more in a row"
    return None
