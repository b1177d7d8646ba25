"""Findings over all clips of a benchmark."""

from __future__ import annotations

import contextlib
import math
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path, PurePosixPath
from typing import Final

from audiometry.bench.benchmark import Benchmark
from audiometry.bench.check_clip import RUN, ClipFacts, examine
from audiometry.bench.findings import SHOWN_ITEMS, Finding, finding
from audiometry.bench.left_out import AUDIO_ENDINGS
from audiometry.errors import BenchmarkError, UnreadableAudioError, counted, shown
from audiometry.files import benchmark_folder, presence
from audiometry.records import Item

SILENT: Final = 2**-15
"""Peaks up to one step of 16 bits are silence: there is nothing to hear in them."""
QUIET: Final = 10 ** (-40 / 20)
CLIPPED: Final = 1e-4
"""Share of samples in flat runs at full scale above which a clip is called clipped."""
OFFSET: Final = 0.01
SHORT_S: Final = 0.1
LONG_S: Final = 30.0
"""Many models take no more, and some cut the rest off silently (Whisper's window)."""
CANCELLED: Final = 1e-4

_OTHER_NAMES: Final = {
    "sph": "wav",
    "w64": "wav",
    "rf64": "wav",
    "aif": "aiff",
    "opus": "ogg",
    "oga": "ogg",
    "wave": "wav",
}
_UNREADABLE: Final = {
    "missing": "fetch the file or drop its items",
    "empty": "replace the file or drop its items",
    "truncated": "replace the file or drop its items",
    "damaged": "replace the file or drop its items",
    "not-audio": "replace the file or drop its items",
    "not-numbers": "make the file again or drop its items",
}


def located(benchmark: Benchmark, names: Iterable[str]) -> tuple[list[tuple[str, Path]], list[ClipFacts]]:
    """Where clips are, and what is known of those that cannot be had."""
    there, lost = list[tuple[str, Path]](), list[ClipFacts]()
    for name in names:
        try:
            there.append((name, benchmark.clip_path(name)))
        except UnreadableAudioError as problem:
            lost.append(ClipFacts(name=name, path="", flaw=problem.flaw, message=str(problem)))
    return there, lost


def examine_all(
    clips: Sequence[tuple[str, Path]],
    workers: int,
    progress: Callable[[int, int], None] | None,
    look: Callable[[str, Path], ClipFacts] = examine,
    together: int = 1,
) -> list[ClipFacts]:
    """Every clip looked at, in the order given, ``workers`` at a time; no more than those are in memory.

    A thread takes as many clips ``together``: handing over one takes as long as reading a header.
    """
    out: dict[int, ClipFacts] = {}
    waiting: dict[Future[list[ClipFacts]], int] = {}
    with ThreadPoolExecutor(workers) as pool:
        for position in range(0, len(clips), together):
            waiting[pool.submit(_look_at, look, clips[position : position + together])] = position
            if len(waiting) >= 2 * workers:
                _collect(waiting, out)
                _tell(progress, len(out), len(clips))
        while waiting:
            _collect(waiting, out)
            _tell(progress, len(out), len(clips))
    return [out[i] for i in range(len(clips))]


def _look_at(look: Callable[[str, Path], ClipFacts], clips: Sequence[tuple[str, Path]]) -> list[ClipFacts]:
    return [look(name, path) for name, path in clips]


def _collect(waiting: dict[Future[list[ClipFacts]], int], out: dict[int, ClipFacts]) -> None:
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        out |= enumerate(future.result(), waiting.pop(future))


def _tell(progress: Callable[[int, int], None] | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)


def clip_findings(facts: ClipFacts, items: Sequence[Item]) -> Iterator[Finding]:
    """What is to be said of one clip."""
    ids = tuple(i.id for i in items)
    if facts.flaw:
        what = facts.message.removeprefix(f"{facts.name}: ").rpartition("; ")[0] or facts.message
        do = _UNREADABLE.get(facts.flaw, "make the file readable or drop its items")
        yield finding("error", facts.flaw, facts.name, what, do, ids)
    if facts.sha256:
        stated = {i.sha256.lower() for i in items if i.sha256 and len(i.clips) == 1} - {facts.sha256}
        if stated:
            what = f"sha256 is {facts.sha256[:12]}…, the metadata say {shown(min(stated))[:12]}…"
            yield finding("error", "sha256", facts.name, what, "fetch the file again or correct sha256", ids)
    if facts.info is not None:
        yield from _name_findings(facts, ids)
        yield from _sound_findings(facts, ids)


def _name_findings(facts: ClipFacts, ids: tuple[str, ...]) -> Iterator[Finding]:
    assert facts.info is not None  # noqa: S101  narrowed by the caller
    found = Path(facts.path).name
    if found != PurePosixPath(facts.name).name:
        what = f"no such file; {shown(found)} of the same stem is used"
        yield finding("warning", "other-name", facts.name, what, "correct file_name", ids)
    ending = Path(facts.path).suffix.lower().removeprefix(".")
    if ending and _OTHER_NAMES.get(ending, ending) != _OTHER_NAMES.get(facts.info.format, facts.info.format):
        what = f"named .{shown(ending)}, but it is {facts.info.format}"
        yield finding("warning", "misnamed", facts.name, what, "rename the file; some models trust the name", ids)
    if not facts.ends:
        what = f"the Ogg stream has no end mark after {facts.info.duration_s:.2f} s"
        yield finding("warning", "no-end", facts.name, what, "listen to its end: it may have been cut", ids)


def _sound_findings(facts: ClipFacts, ids: tuple[str, ...]) -> Iterator[Finding]:
    assert facts.info is not None  # noqa: S101  narrowed by the caller
    name, seconds = facts.name, facts.info.duration_s
    if seconds <= SHORT_S:
        what = f"very short: {1000 * seconds:.1f} ms"
        yield finding("warning", "short", name, what, "check that it was not cut", ids)
    if not facts.samples:
        return  # only its header was read
    if facts.peak <= SILENT:
        what = f"silent: no sample above {SILENT:.1e} of full scale in {seconds:.2f} s"
        yield finding("warning", "silent", name, what, "replace the clip or drop its items", ids)
    elif facts.peak < QUIET:
        what = f"very quiet: peak {20 * math.log10(facts.peak):.1f} dBFS"
        yield finding("warning", "quiet", name, what, "raise its level if loudness is not the question", ids)
    if facts.clipped > CLIPPED * facts.samples:
        share = 100 * facts.clipped / facts.samples
        what = (
            f"clipped: {facts.clipped} of {facts.samples} samples ({share:.2f} %) at full scale, {RUN} or more in a row"
        )
        yield finding("warning", "clipped", name, what, "record or convert it again at a lower level", ids)
    if abs(facts.offset) > OFFSET and facts.peak > SILENT:
        what = f"DC offset: its mean is {facts.offset:+.4f} of full scale"
        yield finding("warning", "dc-offset", name, what, "subtract the mean", ids)
    if facts.left < CANCELLED:
        what = "its channels cancel each other: averaged to mono nothing is left to hear"
        yield finding("warning", "cancels", name, what, "turn one channel round or keep only one", ids)


def set_findings(clips: Sequence[ClipFacts], users: dict[str, list[Item]]) -> Iterator[Finding]:
    """What is to be said of the clips together: copies, mixed rates, long clips."""
    yield from _copies(clips, users)
    read = [c for c in clips if c.info is not None]
    rates = Counter(c.info.rate for c in read if c.info is not None)
    if len(rates) > 1:
        what = "clips of several sample rates: " + ", ".join(f"{n} at {r} Hz" for r, n in rates.most_common())
        yield finding("note", "rates", "clips", what, "if rates go with answers, convert all clips to one rate")
    channels = Counter(c.info.channels for c in read if c.info is not None)
    if len(channels) > 1:
        what = "clips of several channel counts: " + ", ".join(f"{n} with {c}" for c, n in channels.most_common())
        yield finding("note", "channels", "clips", what, "if channels go with answers, convert all clips to mono")
    long = [c for c in read if c.info is not None and c.info.duration_s > LONG_S]
    if long:
        longest = max(long, key=_seconds)
        ids = tuple(i.id for c in long for i in users[c.name])
        top = f"{_seconds(longest):.1f} s ({shown(longest.name)})"
        what = f"{counted(len(long), 'clip')} longer than {LONG_S:.0f} s, the longest {top}"
        yield finding("note", "long", "clips", what, "see that the models to be tested take them whole", ids)


def _seconds(clip: ClipFacts) -> float:
    return clip.info.duration_s if clip.info is not None else 0.0


def _copies(clips: Sequence[ClipFacts], users: dict[str, list[Item]]) -> Iterator[Finding]:
    by_path: dict[str, ClipFacts] = {}
    for clip in clips:
        by_path.setdefault(clip.path, clip)
    by_bytes = _groups(by_path.values(), lambda c: c.sha256 if c.bytes else "")
    for same in by_bytes:
        yield _copy("duplicate", "the same bytes as", same, users)
    first = {c.sha256: c for c in reversed(list(by_path.values()))}
    for same in _groups(first.values(), lambda c: c.content):
        yield _copy("duplicate-sound", "the same samples as", same, users)


def _groups(clips: Iterable[ClipFacts], key: Callable[[ClipFacts], str]) -> list[list[ClipFacts]]:
    groups: dict[str, list[ClipFacts]] = defaultdict(list)
    for clip in clips:
        if key(clip):
            groups[key(clip)].append(clip)
    return [g for g in groups.values() if len(g) > 1]


def _copy(code: str, how: str, same: list[ClipFacts], users: dict[str, list[Item]]) -> Finding:
    others = [shown(c.name) for c in same[1:]]
    listed = ", ".join(others[:SHOWN_ITEMS]) + (
        f" and {len(others) - SHOWN_ITEMS} more" if len(others) > SHOWN_ITEMS else ""
    )
    ids = tuple(dict.fromkeys(i.id for c in same for i in users[c.name]))
    do = "keep one file, or give their items one group: they are not independent"
    return finding("warning", code, same[0].name, f"{how} {listed}", do, ids)


def links(benchmark: Benchmark, users: dict[str, list[Item]]) -> Iterator[Finding]:
    """Links in the folder that lead out of it, each by its name; nothing of what they lead to is said.

    Data of the hub are passed over: its library's cache is made of links.
    """
    if benchmark.revision:
        return
    root = os.path.realpath(benchmark.root)
    for folder, folders, files in os.walk(root):
        for path in (os.path.join(folder, name) for name in sorted([*folders, *files])):  # noqa: PTH118  many names
            if os.path.islink(path) and not os.path.realpath(path).startswith(f"{root}{os.sep}"):  # noqa: PTH114  as above
                name = Path(path).relative_to(root).as_posix()
                own = [items for clip, items in users.items() if clip == name or clip.startswith(f"{name}/")]
                ids = tuple(dict.fromkeys(item.id for items in own for item in items))
                do = "put the file itself there before the benchmark is passed on"
                yield finding(
                    "warning", "link", shown(name), "is a link that leads out of the benchmark folder", do, ids
                )


def unused(benchmark: Benchmark, used: set[Path]) -> Iterator[Finding]:
    """Audio files in the folder that no item names, of this benchmark or of another whose metadata lie beside."""
    if not presence.is_folder(benchmark.root):
        return
    named = {name for beside in benchmark.root.glob("*.jsonl") for name in _named(beside)}
    audio = [
        p
        for p in benchmark.root.rglob("*")
        if p.suffix.lower() in AUDIO_ENDINGS and p not in used and presence.is_file(p)
    ]
    # by other names: links, a root that is one
    resolved = {p.resolve() for p in used if presence.exists(p)} if audio else set()
    left = sorted({p.relative_to(benchmark.root).as_posix() for p in audio if p.resolve() not in resolved} - named)
    if left:
        listed = ", ".join(shown(p) for p in left[:SHOWN_ITEMS]) + (", …" if len(left) > SHOWN_ITEMS else "")
        what = f"{counted(len(left), 'audio file')} that no item names: {listed}"
        yield finding("note", "unused", str(benchmark.root), what, "add their items or remove them")


def _named(metadata: Path) -> set[str]:
    """The clips that a file of metadata names; of another file with that ending none."""
    found: set[str] = set()
    if presence.is_file(metadata):  # a pipe would be waited for
        with contextlib.suppress(BenchmarkError):
            for line in benchmark_folder.read_lines(metadata):
                found.update(line.item.clips if line.item is not None else ())
    return found
