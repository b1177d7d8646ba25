"""A table as LaTeX with booktabs: it compiles with any engine, and every foreign text is only text."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from rich.cells import cell_len

from audiometry.render.table import Table, whole

_WIDE: Final = 48  # characters of a text beyond which its column breaks lines
_ACTS: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\char34{}", "`": r"\char96{}", "[": "{[}", "]": "{]}", "*": "{*}",
}  # fmt: skip
"""What TeX acts on, shorthands of languages and the ``[`` and ``*`` that may follow a line's end among it."""
_SIGNS: Final = {
    "\u2212": "$-$", "\u2013": "--", "\u2014": "---", "\u2018": "`", "\u2019": "'", "\u201c": "``", "\u201d": "''",
    "\u2026": r"\ldots{}", "×": r"$\times$", "±": r"$\pm$", "°": r"$^\circ$", "µ": r"$\mu$", "·": r"$\cdot$",
    "→": r"$\rightarrow$", "←": r"$\leftarrow$", "≤": r"$\leq$", "≥": r"$\geq$", "ß": r"\ss{}", "æ": r"\ae{}",
    "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}", "Ø": r"\O{}", "å": r"\aa{}", "Å": r"\AA{}",
    "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}", "§": r"\S{}", "©": r"\copyright{}", "†": r"$\dagger$",
}  # fmt: skip
_ACCENTS: Final = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d", "\u0327": "c", "\u0331": "b",
}  # fmt: skip
_LIGATURES: Final = re.compile(r"([-,'])(?=\1)")
_INDENT: Final = "    "
_LINE: Final = 345.0  # pt, of LaTeX's article
_LETTER: Final = 5.0  # pt, about, of ten-point type
_APART: Final = 6.0  # pt, on either side of a column
_CLOSE: Final = 3.0  # pt, the same in smaller type
_TOO_WIDE: Final = "% wider than the 345 pt of a line: turn it (sidewaystable), spread it (table*) or leave columns out"
_SIZES: Final = {"": 1.0, r"\small": 0.9, r"\footnotesize": 0.8, r"\scriptsize": 0.7}
_NUMBER: Final = r"\textbackslash{}u"  # before a letter's own, of one that not every engine has


def latex(table: Table) -> str:
    r"""A ``table`` environment with caption and label; how its numbers were made stands in a comment above it.

    Rows that sum up others have their names in bold, and what follows a group is set apart by a rule. The document
    needs ``\usepackage{booktabs}``, and no other package. A table that is wider than a line is set in smaller type; of
    one that is too wide for that too, a comment says so.
    """
    rows = []
    for number, row in enumerate(table.rows):
        info = table.about(number)
        cells = [escaped(one.typeset(cell)) for one, cell in zip(table.columns, row, strict=True)]
        if info.strong and cells[0]:
            cells[0] = rf"\textbf{{{cells[0]}}}"
        rows.append(_INDENT + " & ".join(cells) + r" \\")
        if info.last and number + 1 < len(table.rows):
            rows.append(_INDENT + r"\midrule")
    size, fits = _size(table)
    lines = [
        r"% needs \usepackage{booktabs}",
        *([] if fits else [_TOO_WIDE]),
        *([f"% {whole(table.signature)}"] if table.signature else []),
        r"\begin{table}",
        r"  \centering" + (rf"{size}\setlength{{\tabcolsep}}{{{_CLOSE:g}pt}}" if size else ""),
        rf"  \caption{{{escaped(table.full_caption)}}}",
        rf"  \label{{tab:{re.sub(r'[^A-Za-z0-9-]', _labelled, table.id)}}}",
        rf"  \begin{{tabular}}{{{''.join(_side(table, at) for at in range(len(table.columns)))}}}",
        _INDENT + r"\toprule",
        _INDENT + " & ".join(escaped(one.typeset_heading) for one in table.columns) + r" \\",
        _INDENT + r"\midrule",
        *rows,
        _INDENT + r"\bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _labelled(letter: re.Match[str]) -> str:
    """A letter of an id as a label has it, so that no two ids have one."""
    return "-" if letter[0].isascii() else f"u{ord(letter[0]):04x}"


def _size(table: Table) -> tuple[str, bool]:
    """The largest type in which a table is no wider than a line, and whether it is in that."""
    broad = 0.0
    for at, column in enumerate(table.columns):
        cells = float(max((cell_len(column.printed(row[at])) for row in table.rows), default=0))
        cells = 0.5 * _LINE / _LETTER if _side(table, at).startswith("p") else cells
        broad += _LETTER * max(cells, cell_len(column.heading))
    for size, share in _SIZES.items():
        if share * broad + 2 * (_CLOSE if size else _APART) * len(table.columns) <= _LINE:
            return size, True
    return next(reversed(_SIZES)), False


def _side(table: Table, at: int) -> str:
    column = table.columns[at]
    longest = max((len(column.printed(row[at])) for row in table.rows), default=0)
    if column.kind == "text" and longest > _WIDE:
        return r"p{0.5\linewidth}"
    return "l" if column.left else "r"


def escaped(text: str) -> str:
    r"""A foreign text of which TeX makes nothing but text.

    Accents become TeX's own; letters that not every engine has are written as their number.

    >>> escaped("50 % of a_b"), escaped("\\input{x}"), escaped("Žižek 你")
    ('50 \\% of a\\_b', '\\textbackslash{}input\\{x\\}', '\\v{Z}i\\v{z}ek \\textbackslash{}u4f60')
    """
    return "".join(map(_letter, unicodedata.normalize("NFC", _LIGATURES.sub("\\1\0", whole(text)))))


def numbered(text: str) -> str:
    r"""The letters of a text that are written as their number, each once.

    >>> numbered("Žižek 你好你")
    '你好'
    """
    normal = unicodedata.normalize("NFC", text)
    return "".join(one for one in dict.fromkeys(normal) if one.isalpha() and _letter(one).startswith(_NUMBER))


def _letter(letter: str) -> str:
    if letter == "\0":  # put between letters that would melt into another
        return "{}"
    if letter in _ACTS or letter in _SIGNS:
        return _ACTS.get(letter) or _SIGNS[letter]
    if letter.isascii():
        return letter
    plain, *marks = list(unicodedata.normalize("NFD", letter))
    if len(marks) == 1 and marks[0] in _ACCENTS and plain.isascii():
        return rf"\{_ACCENTS[marks[0]]}{{{plain}}}"
    return f"{_NUMBER}{ord(letter):04x}"
