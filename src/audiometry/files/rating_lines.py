"""Lines of rating files, JSON or CSV, from hostile hands: each becomes a rating, or the reason why it is none."""

from __future__ import annotations

import hashlib
import math
import re
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from string import ascii_uppercase
from typing import IO, Any, Final

from audiometry.errors import UndecodableError, UsageError, shown
from audiometry.files import foreign, foreign_lines
from audiometry.files.foreign_lines import LONGEST, Lines
from audiometry.records import RatingLine, ReplyRecord

LARGEST: Final = 1e9  # a score beyond it is on no scale, and its square leaves no digits to compare
RAREST: Final = 1e-6  # a propensity below it would let one rating outweigh all others
LONGEST_NAME: Final = 200  # characters of a rater's name, which heads columns
EVERY: Final = 10_000  # lines between two words of progress
_BETWEEN: Final = re.compile(r"[\s_-]+")
LONGEST_SHOWN: Final = 120  # characters of a first line that is none of ours
_COMMA = re.compile(r"([+-]?\d{0,9}),(\d{1,9})")
NO_OPTION: Final = ("none", "several", "cannot", "wrong")
"""What a choice may be that is no letter: no option, more than one, it cannot be told, the question is wrong."""
_CHOICES: Final = (*ascii_uppercase, *map(str.upper, NO_OPTION))
_SETS: Final = 128  # above every place of a choice, so that no set of ticked options is taken for one
_NAMES = ("item", "rater", "model", "model_a", "model_b", "cluster", "code")


def each(path: Path, reached: Callable[[int], None] | None = None) -> Iterator[tuple[int, RatingLine | str]]:
    """Each line of a rating file with its number, from 1: a rating, or why it cannot be used.

    Args:
        path: of the file.
        reached: told now and then how many bytes are read.

    Raises:
        UsageError: it is no rating file.
    """
    with foreign_lines.opened(path, "a rating file", "JSON lines, CSV or a run folder") as file:
        for number, line in rating_lines(file, path):
            if reached is not None and number % EVERY == 0 and file.seekable():
                reached(file.tell())
            yield number, line if isinstance(line, str) else unusable(line) or line


def code_of(line: RatingLine) -> str:
    """The code of a line as a code book writes it: in small letters, with dashes.

    >>> code_of(RatingLine(item="1", rater="ann", code=" Format_failure"))
    'format-failure'
    """
    return _BETWEEN.sub("-", line.code.strip().casefold())


def stamp(record: ReplyRecord) -> str:
    """What tells whether a reply is still the same to the same prompt and clips."""
    shaped = "\0".join((record.item, record.variant, record.prompt_sha256, record.audio_sha256, record.text or ""))
    return hashlib.sha256(shaped.encode(errors="surrogatepass")).hexdigest()[:16]


def unusable(line: RatingLine) -> str:
    """Why a line says nothing that counts; empty if it does."""
    if not line.item.strip() or not line.rater.strip():
        return f"no {'rater' if line.item.strip() else 'item'}"
    if len(line.rater) > LONGEST_NAME:
        return f"the rater's name has {len(line.rater):,} characters; at most {LONGEST_NAME} are read"
    if line.score is None and not line.choice and line.preferred is None and not line.code.strip():
        return "none of score, choice, preferred, code"
    return (
        _no_score(line.score)
        or _no_choice(line.choice)
        or _no_ticks(line.ticked)
        or _no_preference(line)
        or _no_share(line.propensity)
    )


def _no_score(score: float | None) -> str:
    if score is None:
        return ""
    if not math.isfinite(score):
        return f"score {score} is not finite"
    return f"score {score:g} is beyond any scale" if abs(score) > LARGEST else ""


def place_of(choice: str) -> int:
    """A choice as a number: A is 0, after Z come `NO_OPTION`; -1 for what is none.

    >>> place_of("b"), place_of("none"), place_of("BEE")
    (1, 26, -1)
    """
    said = choice.strip().upper()
    return _CHOICES.index(said) if said in _CHOICES else -1


def _no_choice(choice: str | None) -> str:
    said = (choice or "A").strip().upper()
    return "" if place_of(said) >= 0 else f"choice '{shown(said, 40)}' is no letter, nor {', '.join(NO_OPTION)}"


def chosen(line: RatingLine) -> float:
    """A line's choice as a number: `place_of`; of several options that are named, one of its own for each set of them.

    >>> chosen(RatingLine(item="1", rater="ann", choice="several", ticked="CA"))
    133.0
    """
    if (line.choice or "").strip().upper() != "SEVERAL" or not line.ticked:
        return float(place_of(line.choice or ""))
    return float(_SETS + sum(1 << place_of(letter) for letter in set(line.ticked.upper())))


def _no_ticks(ticked: str) -> str:
    fine = not ticked or (ticked.isascii() and ticked.isalpha())
    return "" if fine else f"ticked '{shown(ticked, 40)}' holds more than letters; write those of the options, as AC"


def _no_preference(line: RatingLine) -> str:
    if line.preferred is None:
        return ""
    if not line.model_a or not line.model_b:
        return "preferred without model_a and model_b"
    return "preferred between a model and itself" if line.model_a == line.model_b else ""


def _no_share(propensity: float | None) -> str:
    if propensity is None or RAREST <= propensity <= 1:
        return ""
    return f"propensity {propensity:g} is not a share above 0 (from {RAREST:g}) and at most 1"


def rating_lines(file: IO[bytes], path: Path) -> Iterator[tuple[int, RatingLine | str]]:
    """Each line with its number, from 1, as a rating or why it is none; empty lines are not there.

    Args:
        file: open for reading; it may be a pipe.
        path: what to call it.

    Raises:
        UsageError: the first line is neither a JSON object nor the header of ratings in CSV, each column once.
    """
    lines = foreign_lines.Lines(file)
    for number, raw in lines:
        head = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
        start = head.strip()
        if not start:
            continue
        if start.startswith(b"{"):
            yield number, _from_json(head)
            yield from ((n, _from_json(line)) for n, line in lines if line.strip())
            return
        if start.startswith(b"["):
            raise UsageError(f"{path} is a JSON list; write one object a line, as `jq -c '.[]'` does")
        delimiter, header = foreign_lines.header(start, ("item", "rater"))
        if not header:
            raise UsageError(
                f"{path} is neither a rating file nor a run folder; give JSON lines or CSV with item and rater, and "
                "one of score, choice, preferred, code "
                f"(its first line: {shown(start.decode(errors='replace'), LONGEST_SHOWN)})"
            )
        if twice := [name for name in RatingLine.__struct_fields__ if header.count(name) > 1]:
            raise UsageError(f"{path} has more than one column {twice[0]}; leave one, so that it is known which counts")
        yield from _from_csv(lines, header, delimiter)
        return


def _from_json(raw: bytes) -> RatingLine | str:
    try:
        return _DECODER.decode(raw)
    except UndecodableError as problem:
        if b"\x00" in raw:
            return f"longer than {LONGEST:,} bytes, or not text"
        try:
            return _lenient(_OBJECT.decode(raw))
        except UndecodableError:
            torn = "" if raw.endswith(b"\n") else "torn (no newline at its end): "
            return f"{torn}{problem}"


_DECODER = foreign.Decoder(RatingLine)
_OBJECT = foreign.Decoder(dict[str, Any])


def _lenient(said: dict[str, Any]) -> RatingLine | str:
    """A line whose empty values and whole-number names are taken as meant."""
    kept = {name: value for name, value in said.items() if value is not None and value != ""}
    for name in _NAMES:
        if isinstance(kept.get(name), int) and not isinstance(kept[name], bool):
            kept[name] = str(kept[name])
    for name in ("score", "propensity"):
        if isinstance(value := kept.get(name), str) and (found := _COMMA.fullmatch(value.strip())):
            return f"{name} {shown(value, 40)} has a decimal comma: write {found[1]}.{found[2]}"
    try:
        return foreign.convert(kept, RatingLine)
    except UndecodableError as problem:
        return str(problem)


def _from_csv(lines: Lines, header: list[str], delimiter: str) -> Iterator[tuple[int, RatingLine | str]]:
    """Rows by the header."""
    waiting: deque[foreign_lines.Line] = deque()
    while (taken := lines.next()) is not None:
        waiting.append(taken)
        for number, cells in foreign_lines.csv_rows(waiting, lines.next, delimiter):
            if isinstance(cells, UndecodableError):
                yield number, str(cells)
            elif len(cells) != len(header):
                if any(cell.strip() for cell in cells):
                    yield number, f"{len(cells)} cells where the header has {len(header)}"
            elif any(cell.strip() for cell in cells):
                yield number, _lenient({name: cell.strip() for name, cell in zip(header, cells, strict=True)})
