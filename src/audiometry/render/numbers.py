"""How numbers are printed, wherever they stand: rounded as in printed tables, shares in percent, p never as nought."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Final

_NUMBER: Final = r"[+\u2212-]?\d[\d.,]*"
_UNITS: Final = r"(?:\u00a0| )(?:%|points|s|ms|Hz|kHz|dB|MB|kB)(?![\w%])"
TOGETHER: Final = re.compile(rf"(?:p [=<] |95(?:\u00a0| )%: )?{_NUMBER}(?:{_UNITS})?(?: to {_NUMBER}(?:{_UNITS})?)?")
"""What stands on one line: a number with its unit, a range, an interval with its 95 %, and p."""
WORD: Final = re.compile(rf"(?:{TOGETHER.pattern}|\S)+\s*")
"""What is not broken over lines, with the blanks behind it."""
_NOISE: Final = 12  # decimal places beyond which a float is noise
_LEAST: Final = 0.0001  # of p that is printed


def half_up(value: Fraction | Decimal | float, places: int = 1) -> Decimal:
    """A number with so many decimal places; halves go away from zero, as in printed tables.

    >>> half_up(Fraction(3595, 100)), half_up(0.25)
    (Decimal('36.0'), Decimal('0.3'))
    >>> half_up(-0.001)
    Decimal('0.0')

    Args:
        value: exact; or a float, which is taken for the decimal number with 12 places nearest to it.
        places: 0 or more.
    """
    if isinstance(value, Fraction):
        value = Decimal(value.numerator) / Decimal(value.denominator)
    elif not isinstance(value, Decimal):
        value = Decimal(f"{value:.{_NOISE}f}")
    return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) + Decimal(0)  # never -0.0


def percent(share: float | Decimal | None) -> str:
    """A share from 0 to 1 as it is printed: in percent, one decimal place; ``none`` where there is no number.

    >>> percent(0.3595), percent(0.0625), percent(None)
    ('36.0', '6.3', 'none')
    """
    return "none" if share is None else str(half_up(100 * share))


def p_value(p: float, equal: str = "") -> str:
    """A p as it is printed: four places, halves up, never nought; ``equal`` stands before one that is not below them.

    >>> p_value(0.03125), p_value(0.00002), p_value(0.5, "= "), p_value(0.00002, "= ")
    ('0.0313', '< 0.0001', '= 0.5000', '< 0.0001')
    """
    return "< 0.0001" if p < _LEAST else f"{equal}{half_up(p, 4)}"
