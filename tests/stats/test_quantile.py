from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import norm, t

from audiometry.stats.quantile import normal_quantile, student_quantile


@settings(deadline=None)
@given(confidence=st.floats(0.01, 0.999))
def test_normal_quantile_is_scipys(confidence):
    assert normal_quantile(confidence) == pytest.approx(norm.ppf(0.5 + confidence / 2), rel=1e-9)


@settings(deadline=None)
@given(confidence=st.floats(0.5, 0.999), df=st.floats(1, 1e7))
@example(confidence=0.999, df=9491203.44140625)
@example(confidence=0.999, df=9999.0)
@example(confidence=0.999, df=10001.0)
def test_student_quantile_is_scipys(confidence, df):
    assert student_quantile(confidence, df) == pytest.approx(t.ppf(0.5 + confidence / 2, df), rel=1e-7)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("df", [10_001.0, 20_000.0, 1e6])
def test_the_series_for_many_degrees_of_freedom_has_all_its_terms(confidence, df):
    assert student_quantile(confidence, df) == pytest.approx(t.ppf(0.5 + confidence / 2, df), rel=5e-11)


@pytest.mark.parametrize(("df", "expected"), [(1, 12.7062), (2, 4.3027), (5, 2.5706), (30, 2.0423), (1e9, 1.9600)])
def test_student_quantile_is_that_of_the_printed_table(df, expected):
    assert student_quantile(0.95, df) == pytest.approx(expected, abs=5e-5)


def test_no_quantile_loads_scipy():
    code = "import sys, audiometry.stats.estimate, audiometry.stats.compare; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
