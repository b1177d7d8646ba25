"""Code books: what is read, and what is refused in one line."""

from __future__ import annotations

import hashlib
import json

import pytest

from audiometry.errors import UsageError
from audiometry.files import code_book

TWO = (
    '[[code]]\nname = "one"\ntitle = "one"\nabout = "is one"\n[[code]]\nname = "two"\ntitle = "two"\nabout = "is two"\n'
)


def test_rules_and_languages_are_optional_and_change_the_hash(tmp_path):
    path = tmp_path / "book.toml"
    path.write_text(TWO)
    bare = code_book.read(path)
    path.write_text('languages = ["en"]\n' + TWO + "praise = ['fine']\n")
    ruled = code_book.read(path)
    assert (bare.has_rules, ruled.has_rules, ruled.languages) == (False, True, ("en",))
    assert ruled.code[1].patterns == ("fine",)
    assert bare.sha256 != ruled.sha256
    plain = {"code": [{"name": name, "title": name, "about": f"is {name}"} for name in ("one", "two")]}
    written = json.dumps(plain, separators=(",", ":")).encode()
    assert bare.sha256 == hashlib.sha256(written).hexdigest()  # by which a run folder's codes are found again


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TWO + "rules = ['(']\n", "a rule of 'two' is no regular expression: missing ), unterminated subpattern"),
        (TWO + "rules = ['(a|b)']\n", "a rule of 'two' captures a group; write (?:…) ((a|b))"),
        (TWO + "rules = ['[[a]']\n", "a rule of 'two' is no regular expression: Possible nested set"),
        (TWO + "rules = ['(?i)a']\n", "a rule of 'two' is no regular expression: global flags not at the start"),
        (TWO + "rules = ['x*']\n", "a rule of 'two' is found in an empty text (x*)"),
        (TWO + "rules = ['(?:a+)+b']\n", "a rule of 'two' repeats a repeat, which some comments take for ever to read"),
        (TWO + "rules = ['(?:x(?:a|b+))*b']\n", "bound it, as {0,9} ((?:x(?:a|b+))*b)"),
        (TWO + "rules = ['(?:a+){2,}b']\n", "a rule of 'two' repeats a repeat"),
        (TWO + "rules = ['(?:a{2,}){,10}b']\n", "a rule of 'two' repeats a repeat"),
        (TWO + f"rules = ['{'x' * 1001}']\n", "a rule of 'two' is longer than 1000 characters"),
        (TWO + "rules = ['a{99999999999}']\n", "a rule of 'two' is no regular expression"),
        (TWO + f"rules = {['x'] * 2001}\n", "has 2,001 rules; 2,000 at most"),
        (TWO.replace('"two"\nt', '"one"\nt'), "needs 2 to 40 codes, each under a name of its own"),
        (TWO.replace('"one"\nt', '"O ne"\nt'), "the code 'O ne' needs a name in small letters"),
        (TWO + "rule = []\n", "is no code book"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path, text, why):
    path = tmp_path / "book.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"book\.toml") as problem:
        code_book.read(path)
    assert why in str(problem.value)
    assert "\n" not in str(problem.value)


def test_rules_may_repeat_without_bound_and_a_repeat_a_few_times(tmp_path):
    path = tmp_path / "book.toml"
    rules = [r"(?:a+ ){0,9}b", r"a+b*c{2,}", r"[)+]+", r"\(a+\)+", r"(?:a+)?b", r"(?:ab){3}", r"(?:a|b)*c+"]
    path.write_text(TWO + f"rules = {json.dumps(rules)}\n", encoding="utf-8")
    assert code_book.read(path).code[1].rules == tuple(rules)
