"""The ``?key=value`` part of a model name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.errors import UnknownNameError, UsageError
from audiometry.models.settings import split_options


def test_options_are_a_mapping():
    bare, options = split_options("replay?file=a%20b.jsonl&x=")
    assert bare == "replay"
    assert dict(options) == {"file": "a b.jsonl", "x": ""}
    assert len(options) == 2
    assert options.get("y", "none") == "none"


def test_a_name_without_options():
    bare, options = split_options("oracle")
    assert (bare, dict(options)) == ("oracle", {})
    options.allow()


def test_what_is_not_allowed_is_an_error():
    _, options = split_options("x?a=1&bb=2")
    with pytest.raises(UnknownNameError, match="unknown option of model 'x' 'bb'"):
        options.allow("a")


@given(st.floats(0, 1))
def test_numbers(value):
    assert split_options(f"x?p={value!r}")[1].number("p", default=0.5, low=0, high=1) == value


@pytest.mark.parametrize("raw", ["2", "-1", "nan", "inf", "", "half"])
def test_numbers_out_of_range(raw):
    with pytest.raises(UsageError, match=f"model 'x': p={raw} is not a number between 0 and 1"):
        split_options(f"x?p={raw}")[1].number("p", default=0.5, low=0, high=1)


def test_bytes_that_are_no_text():
    with pytest.raises(UsageError, match=r"model 'x': 'reader=openai/%FF%FE' holds bytes that are no UTF-8"):
        split_options("x?reader=openai/%FF%FE")


def test_the_default():
    assert split_options("x")[1].number("p", default=0.5, low=0, high=1) == 0.5
