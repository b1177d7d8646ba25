"""The reader's shortcuts, held to the slow way that each stands for."""

import importlib
import itertools
import json
import pkgutil
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audiometry.choices
from audiometry.choices import cues, plainer
from audiometry.choices.needing import Needing
from audiometry.choices.refusal import declines, may_decline

TABLES = sorted(Path(__file__).parent.glob("golden_replies*.jsonl"))
REPLIES = sorted({json.loads(line)["reply"][:4000] for path in TABLES for line in path.read_text("utf-8").splitlines()})

# as one reads it: sentences, lines, what stands before a "but"
ENDS = re.compile(
    r"[.!?…]+[\"')\]]*(?=\s|$)|\n+|;(?=\s)|[。！？；]|,?\s(?=(?:but|however|though|although|nevertheless|pero|sino"
    r"|mais|aber|sondern|maar|ma|mas|но|а)\s)|，(?:而)?是|，但是?",
    re.IGNORECASE,
)


def needing():
    """Every pattern of the reader that waits for a word, by name."""
    found = {f"plainer {number}": pattern for number, (pattern, _) in enumerate(plainer._PLAINER)}
    for info in pkgutil.iter_modules(audiometry.choices.__path__):
        module = importlib.import_module(f"audiometry.choices.{info.name}")
        found |= {name: one for name, one in vars(module).items() if isinstance(one, Needing)}
    return found


NEEDING = needing()


def test_there_are_such_patterns():
    assert len(NEEDING) >= 14


@pytest.mark.parametrize("name", NEEDING)
@settings(max_examples=30)
@given(data=st.data())
def test_whatever_matches_a_pattern_holds_one_of_its_words(name, data):
    pattern = NEEDING[name].pattern
    text = data.draw(st.from_regex(re.compile(pattern.pattern, pattern.flags)))
    assert NEEDING[name].may_match(text)


@pytest.mark.parametrize("name", NEEDING)
def test_on_real_replies_it_finds_what_the_pattern_finds(name):
    one = NEEDING[name]
    for reply in REPLIES:
        for text in (reply, reply.upper(), reply[len(reply) // 2 :]):
            assert str(one.search(text)) == str(one.pattern.search(text))
            assert str(one.search(text, 3, 60)) == str(one.pattern.search(text, 3, 60))
            assert str(one.match(text)) == str(one.pattern.match(text))
            assert one.sub(" ", text) == one.pattern.sub(" ", text)


def test_without_a_word_the_pattern_is_left_alone_and_beyond_ascii_it_is_not():
    one = Needing(re.compile("as|al.o", re.IGNORECASE), "also")
    assert one.search("as well") is None
    assert one.search("ALSO") is not None
    assert one.search("alſo") is not None


def test_sentences_end_where_they_are_seen_to_end():
    assert [cut(cues.SEGMENT_ENDS, reply) for reply in REPLIES] == [cut(ENDS, reply) for reply in REPLIES]


@given(st.text(alphabet=".!?…\n;。！？；，, \t\"')]abBUTutmaно是而但", max_size=30))
def test_any_text_ends_where_it_is_seen_to_end(text):
    assert cut(cues.SEGMENT_ENDS, text) == cut(ENDS, text)


def cut(pattern, text):
    return [match.span() for match in pattern.finditer(text)]


def test_no_segment_declines_where_the_whole_text_cannot():
    silent = [reply for reply in REPLIES if not may_decline(reply)]
    assert len(silent) > len(REPLIES) // 4
    for reply in silent:
        ends = [0, *(match.end() for match in cues.SEGMENT_ENDS.finditer(reply)), len(reply)]
        assert not any(declines(reply[a:b]) for a, b in itertools.pairwise(ends))
