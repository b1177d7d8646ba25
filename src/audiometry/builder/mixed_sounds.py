"""Clips of sources as sounds to be mixed, by names that tell nothing private."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from audiometry.audio.loudness import loudness
from audiometry.audio.mixed_file import Sound
from audiometry.builder import audio_files
from audiometry.builder.clip import SourceClip
from audiometry.builder.private import Private
from audiometry.errors import AudioError, SilentAudioError
from audiometry.files.build_folder import Rejected


def sound(clip: SourceClip, base: Path, private: Sequence[Private]) -> Sound:
    """What of a recording is to be mixed."""
    root, name = clip.recording.source.root, clip.recording.name
    path = (root / name).relative_to(base).as_posix() if (root / name).is_relative_to(base) else name
    tells = any(one.told([path]) for one in private)
    try:
        path = f"{clip.source}, row {clip.rows}" if tells else path
        samples = audio_files.read(clip, path)
    except AudioError as problem:
        if not tells:
            raise
        raise AudioError(f"{path} cannot be read any more; restore the file") from problem
    return Sound(path=path, sha256=clip.recording.sha256, clip=samples, span_s=clip.span, channel=clip.channel)


def placed(clip: SourceClip, private: Sequence[Private]) -> str:
    """Where a clip stands, and its file, but where that would tell a private value."""
    where, name = f"{clip.source}, row {clip.rows}", clip.recording.name
    return where if any(one.told([name]) for one in private) else f"{where}: {name}"


def unheard(clips: Sequence[SourceClip], base: Path, private: Sequence[Private], number: int) -> Rejected | None:
    """Why a clip cannot be mixed with any; None if it can."""
    clip = clips[number]
    try:
        found = sound(clip, base, private)
        loudness(found.clip, where=found.path)
    except AudioError as problem:
        return Rejected(
            rule="silent" if isinstance(problem, SilentAudioError) else "unreadable",
            reason=str(problem),
            where=f"{clip.source}, row {clip.rows}",
        )
    return None
