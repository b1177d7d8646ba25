"""What of a line of progress stands on a narrow terminal: whole parts, and no number cut."""

from __future__ import annotations

from collections.abc import Sequence

_GAP = "  "
_CUT = "…"


def one_line(counted: Sequence[str], waited: str, width: int) -> str:
    """The parts that have room on one line, in their order.

    What is counted gives way from its end, then what is waited for from the end of its words, then the bar; the
    first number goes last.

    >>> one_line(["██░░", "5/10", "2.0/s"], "waiting for a server, 0:12", 40)
    '██░░  5/10  waiting for a server, 0:12'
    >>> one_line(["██░░", "5/10", "2.0/s"], "waiting for a server, 0:12", 32)
    '██░░  5/10  waiting for …, 0:12'
    >>> one_line(["██░░", "5/10", "2.0/s"], "", 9), one_line(["██░░", "5/10"], "", 3)
    ('5/10', '')

    Args:
        counted: the bar, then numbers, the one that says most first; none where nothing is counted.
        waited: what is waited for, and after a comma how long; empty for nothing.
        width: columns.
    """
    parts = list(counted)
    while len(parts) > 2 and len(_GAP.join(filter(None, (*parts, waited)))) > width:  # noqa: PLR2004  the bar, a number
        parts.pop()
    room = width - len(_GAP.join((*parts, "")))
    said = _GAP.join(filter(None, (*parts, _shortened(waited, room))))
    while parts and len(said) > width:
        said = _GAP.join(parts := parts[1:])
    return said if len(said) <= width else ""


def _shortened(text: str, room: int) -> str:
    """Its first words, and the time at its end."""
    if len(text) <= room:
        return text
    head, comma, time = text.rpartition(", ")
    words, end = (head.split(" "), f"{comma}{time}") if time[:1].isdigit() else (text.split(" "), "")
    while words := words[:-1]:
        said = f"{' '.join(words)} {_CUT}{end}"
        if len(said) <= room:
            return said
    return ""
