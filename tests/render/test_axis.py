"""Axes of figures: round numbers around all values."""

import pytest

from audiometry.render.figure import axis_around


@pytest.mark.parametrize(
    ("values", "ends", "n"),
    [
        ([0.965, 0.99, 1.0], (0.96, 1.0), 5),
        ([0.3, 0.7, 1.0], (0.2, 1.0), 5),
        ([-0.2, 0.4, 1.0], (-0.2, 1.0), 7),
        ([-0.68, 0.39], (-0.8, 0.4), 7),
        ([5.0], (5.0, 5.01), 2),
        ([4.4, 7.6], (4.0, 8.0), 5),
        ([0.0, 1e7], (0.0, 1e7), 6),
        ([0.0, 62.0], (0.0, 80.0), 5),
    ],
)
def test_an_axis_holds_all_values_between_round_marks(values, ends, n):
    found = axis_around(values)
    assert (found.low, found.high) == pytest.approx(ends)
    assert len(found.ticks) == n
    assert (found.at(found.low), found.at(found.high), found.at(1e9)) == (0, 1, 1)
