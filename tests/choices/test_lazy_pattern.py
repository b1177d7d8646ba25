"""Patterns compiled at their first use do all that compiled ones do."""

import copy
import re

import pytest

from audiometry.choices.pattern import lazy

SOURCE, TEXT = r"(\w)b+", "abb cb"


@pytest.mark.parametrize("method", ["match", "search", "fullmatch"])
def test_finds_what_a_compiled_pattern_finds(method: str) -> None:
    """Whichever method is used first."""
    ours, oracle = getattr(lazy(SOURCE), method), getattr(re.compile(SOURCE), method)
    for text in (TEXT, "ABB", "abb", ""):
        found, expected = ours(text), oracle(text)
        assert (found and found.span()) == (expected and expected.span())


def test_cuts_and_replaces_as_a_compiled_pattern_does() -> None:
    """Every other method that the reader uses, and the attributes."""
    ours, oracle = lazy(SOURCE, re.IGNORECASE), re.compile(SOURCE, re.IGNORECASE)
    assert ours.sub(r"\1", TEXT) == oracle.sub(r"\1", TEXT) == "a c"
    assert ours.findall(TEXT) == oracle.findall(TEXT)
    assert ours.split(TEXT) == oracle.split(TEXT)
    assert [m.span() for m in ours.finditer(TEXT)] == [m.span() for m in oracle.finditer(TEXT)]
    assert ours.pattern == SOURCE
    assert ours.flags == oracle.flags


def test_is_not_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes it worth while; and it is compiled once."""
    compiled: list[str] = []
    real = re.compile

    def counting(source: str, flags: re.RegexFlag) -> re.Pattern[str]:
        compiled.append(source)
        return real(source, flags)

    monkeypatch.setattr("audiometry.choices.pattern.re.compile", counting)
    pattern = lazy(SOURCE)
    copy.copy(pattern)
    assert compiled == []
    for text in (TEXT, "ab"):
        assert pattern.search(text)
        assert pattern.match(text)
    assert compiled == [SOURCE]


def test_a_source_that_is_no_pattern_raises_when_it_is_used() -> None:
    """No later than that, and by the usual error."""
    with pytest.raises(re.error, match="unterminated"):
        lazy("[").search("x")
