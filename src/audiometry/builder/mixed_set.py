"""A whole set of mixes from a plan: pairs drawn by a seed, mixed on all processors, with a line of data each."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from audiometry.audio.encode import LIMITS
from audiometry.audio.mixed_file import MixRecord, mix_sounds
from audiometry.audio.mixing import WITHIN_LU
from audiometry.builder import slips, sources
from audiometry.builder.clip import key_of
from audiometry.builder.gather import Gathered, gather
from audiometry.builder.mixed_pairs import DrawnPair, HowMixed, draw_pairs
from audiometry.builder.mixed_sounds import placed, sound, unheard
from audiometry.builder.private import Private
from audiometry.builder.spec import Source
from audiometry.errors import AudioError, BenchmarkError, UndecodableError, counted, shown, suggestion
from audiometry.files import atomic, foreign, presence
from audiometry.files.build_folder import Rejected
from audiometry.files.journal import Journal
from audiometry.programs.parallel import mapped

LINES: Final = "metadata.jsonl"
"""A line a mix, as the hub's AudioFolder has it."""
FAILED: Final = "failed.jsonl"
REJECTED: Final = "rejected.jsonl"
PLAN: Final = "plan.toml"
AUDIO: Final = "audio"
ANSWERS: Final = ("a", "b", "equal")
_NEAR: Final = 1e-3  # seconds by which an offset is moved at most, to a whole sample
_CHUNK: Final = 8  # pairs, some 50 ms


class SetPlan(HowMixed, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan file.

    Attributes:
        source: two, a and b.
        n: how many mixes.
        seed: of all that is drawn.
        format: of the mixes, ``wav`` or ``flac``, ``mp3``, ``ogg``.
    """

    source: tuple[Source, ...] = ()
    n: int = 0
    seed: int = 1
    format: str = "wav"


class Failed(msgspec.Struct, frozen=True):
    """A line of `FAILED`: a pair that could not be mixed, and why; tried again when the set goes on.

    Attributes:
        id: of the mix.
        error: why.
        a, b: source and row of its clips, and their files but where their names would tell a private value.
        louder, ahead: its labels.
    """

    id: str
    error: str
    a: str
    b: str
    louder: str
    ahead: str


class MixedSet(msgspec.Struct, frozen=True, kw_only=True):
    """A set as it stands.

    Attributes:
        folder: of it.
        lines: of its mixes.
        failed: pairs that could not be mixed.
        rejected: rows of the sources that could not be used.
        notes: what a person should know, a line each.
        before: how many mixes were there already.
    """

    folder: Path
    lines: list[MixRecord]
    failed: list[Failed]
    rejected: list[Rejected]
    notes: list[str]
    before: int

    @property
    def labels(self) -> dict[str, dict[str, int]]:
        """How many mixes have which clip louder, and of these which ahead."""
        found = Counter((one.louder, one.ahead) for one in self.lines)
        return {louder: {ahead: found[louder, ahead] for ahead in ANSWERS} for louder in ANSWERS}


def mix_set(path: Path, folder: Path, progress: Callable[[int, int], None] | None = None) -> MixedSet:
    """Make the set of a plan file, or go on with it.

    Args:
        path: of the plan.
        folder: of the set, new or of an earlier start of the same plan.
        progress: called with the number of pairs done and of all.

    Raises:
        BenchmarkError: the plan or a source cannot be used, or the folder holds something else.
        StorageError: the disk refused; what was made is kept.
    """
    plan, raw = read_plan(path)
    there = {one.name for one in folder.iterdir()} if presence.is_folder(folder) else set[str]()
    if there - {PLAN, REJECTED} and not {PLAN, LINES} <= there:
        raise BenchmarkError(f"{folder} is not empty and holds no set of mixes; give another folder with -o")
    read_sources = [sources.read(path, one) for one in plan.source]
    sources.refuse_within(folder, read_sources)
    gathered = [gather([one]) for one in read_sources]
    rejected = [row for one in gathered for row in one.rejected]
    notes = [note for one in gathered for note in one.notes if "columns.group" not in note]  # which has no splits here
    pairs, silent = _drawn(plan, gathered, folder, path.parent)
    rejected += silent
    private = [one.private for one in gathered]
    atomic.write(folder / PLAN, raw)
    _kept(folder / REJECTED, rejected)
    with Journal(folder / LINES) as journal:
        before = _there(folder, pairs, plan)
        done, failed = dict(before), list[Failed]()
        left = [one for one in pairs if one.id not in before]
        for made in mix_all(left, folder, plan.format, path.parent, private):
            if isinstance(made, Failed):
                failed.append(made)
            else:
                done[made.id] = journal.append(made)
            if progress is not None:
                progress(len(done) + len(failed), len(pairs))
        _kept(folder / FAILED, failed)
    lines = [done[one.id] for one in pairs if one.id in done]
    return MixedSet(folder=folder, lines=lines, failed=failed, rejected=rejected, notes=notes, before=len(before))


def read_plan(path: Path) -> tuple[SetPlan, bytes]:
    """A plan and the bytes of its file.

    Raises:
        BenchmarkError: it is not valid TOML, a key is wrong, or something is out of its range.
    """
    try:
        raw = foreign.read_file(path)
        plan = foreign.toml(raw, SetPlan)
    except UndecodableError as problem:
        raise BenchmarkError(f"{problem.at(path)}; compare it with docs/mixing.md") from None
    for slip in _slips(plan):
        raise BenchmarkError(f"{path}: {slip}")
    return plan, raw


def _slips(plan: SetPlan) -> Iterator[str]:
    if len(plan.source) != 2:  # noqa: PLR2004  a and b
        yield f"has {counted(len(plan.source), '[[source]]')}; two are mixed, the first is a, the second b"
    if plan.n < 1:
        yield f"has n = {plan.n}; how many mixes is meant, 1 or more"
    if plan.format not in LIMITS:
        yield f"has format = '{shown(plan.format)}'; {suggestion(plan.format, LIMITS)}"
    yield from plan.slips()
    for source in plan.source:
        for slip in slips.of_source(source):
            yield f"[[source]] {shown(source.called)} {slip}"


def mix_all(
    pairs: Sequence[DrawnPair],
    folder: Path,
    form: str = "wav",
    base: Path = Path(),
    private: Sequence[Private] = (),
) -> Iterator[MixRecord | Failed]:
    """Mix pairs into files of a folder, on all processors.

    Args:
        pairs: as they were drawn.
        folder: gets ``audio/ID.wav``.
        form: ending of the files.
        base: the folder below which recordings are called by their paths.
        private: a recording whose name repeats one of these values is called by its row.

    Returns:
        In their order, what can be measured back of each, or why there is none.

    Raises:
        StorageError: the disk refused.
    """
    for path in (folder / AUDIO).iterdir() if (folder / AUDIO).is_dir() else ():
        if atomic.is_half(path.name):  # of a start that was killed
            path.unlink(missing_ok=True)
    # by number: a pair holds its whole source, which is not to be sent
    mixed = partial(_mixed, pairs, folder, form, base, private)
    return mapped(mixed, range(len(pairs)), chunk=_CHUNK)


def _mixed(
    pairs: Sequence[DrawnPair], folder: Path, form: str, base: Path, private: Sequence[Private], number: int
) -> MixRecord | Failed:
    pair = pairs[number]
    name = f"{AUDIO}/{pair.id}.{form}"
    try:
        a, b = (sound(one, base, private) for one in (pair.a, pair.b))
        made = mix_sounds(a, b, pair.plan, folder / name, durable=False)
    except AudioError as problem:
        a_is, b_is = (placed(one, private) for one in (pair.a, pair.b))
        return Failed(pair.id, str(problem), a_is, b_is, pair.plan.louder, pair.plan.ahead)
    return msgspec.structs.replace(made, id=pair.id, file_name=name)


def _drawn(
    plan: SetPlan, gathered: Sequence[Gathered], folder: Path, base: Path
) -> tuple[list[DrawnPair], list[Rejected]]:
    """The pairs of a set, of clips that have a loudness, and the clips that have none."""
    private, clips = [one.private for one in gathered], [one.clips for one in gathered]
    known, rejected = _mixed_before(folder), list[Rejected]()
    while True:
        pairs = draw_pairs(clips[0], clips[1], plan.n, plan, seed=plan.seed)
        drawn = {one.key: one for pair in pairs for one in (pair.a, pair.b)}
        new = [one for key, one in drawn.items() if key not in known]
        told = list(mapped(partial(unheard, new, base, private), range(len(new)), chunk=_CHUNK))
        rejected += filter(None, told)
        silent = {clip.key for clip, why in zip(new, told, strict=True) if why is not None}
        if not silent:
            return pairs, rejected
        known.update(one.key for one in new)
        clips = [[one for one in some if one.key not in silent] for some in clips]


def _mixed_before(folder: Path) -> set[str]:
    """Keys of clips that are in a mix that was made already, so that they have a loudness."""
    found = set[str]()
    with contextlib.suppress(UndecodableError, OSError), foreign.opened(folder / LINES) as file:
        for line in foreign.Decoder(MixRecord).lines(file):
            found.update(key_of(one.sha256, one.span_s, one.channel) for one in line.sources.values())
    return found


def _kept(path: Path, records: Sequence[msgspec.Struct]) -> None:
    """Write lines, if there are any; those of an earlier start go in any case."""
    if records:
        atomic.write_records(path, records)
    else:
        path.unlink(missing_ok=True)


def _there(folder: Path, pairs: Sequence[DrawnPair], plan: SetPlan) -> dict[str, MixRecord]:
    """The mixes that an earlier start has made.

    Raises:
        BenchmarkError: they are of another plan or of other sources.
    """
    due, found = {one.id: one for one in pairs}, dict[str, MixRecord]()
    try:
        with foreign.opened(folder / LINES) as file:
            for line in foreign.Decoder(MixRecord).lines(file):
                pair = due.get(line.id)
                if pair is None or not _is_of(line, pair, plan):
                    raise BenchmarkError(
                        f"{folder} holds mixes of another plan or of other clips, the first is {shown(line.id)}; "
                        "give another folder with -o"
                    )
                if presence.is_file(folder / line.file_name):
                    found[line.id] = line
    except UndecodableError as problem:
        raise BenchmarkError(f"{problem.at(folder / LINES)}; remove that line, or restore the file") from None
    return found


def _is_of(line: MixRecord, pair: DrawnPair, plan: SetPlan) -> bool:
    """Whether a line is of what is to be made of a pair."""
    due = pair.plan
    return (
        (line.louder, line.ahead, line.format) == (due.louder, due.ahead, plan.format)
        and due.rate in {None, line.rate}
        and abs(line.offset_s - due.offset_s) < _NEAR
        and abs(line.level_difference - due.level_difference_db) < 2 * WITHIN_LU
        and [one.sha256 for one in line.sources.values()] == [one.recording.sha256 for one in (pair.a, pair.b)]
        and [one.span_s for one in line.sources.values()] == [one.span for one in (pair.a, pair.b)]
    )
