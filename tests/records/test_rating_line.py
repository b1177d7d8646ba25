"""The line that people's, judges' and metrics' ratings have in common."""

import msgspec
import pytest

from audiometry.records import RatingLine

READ = msgspec.json.Decoder(RatingLine).decode


def test_a_line_needs_no_more_than_item_and_rater_and_leaves_other_keys_alone():
    line = READ(b'{"item":"a","rater":"ann","score":3,"mood":"fine"}')
    assert line == RatingLine(item="a", rater="ann", kind="person", score=3.0)
    assert msgspec.json.encode(line) == b'{"item":"a","rater":"ann","score":3.0}'


@pytest.mark.parametrize(
    "wrong",
    [
        b'{"item":"a"}',
        b'{"rater":"ann"}',
        b'{"item":1,"rater":"ann"}',
        b'{"item":"a","rater":"ann","kind":"robot"}',
        b'{"item":"a","rater":"ann","preferred":"left"}',
        b'{"item":"a","rater":"ann","score":"high"}',
        b'{"item":"a","rater":"ann","score":NaN}',
        b'["a"]',
    ],
)
def test_what_is_no_rating_is_refused(wrong):
    with pytest.raises(msgspec.DecodeError):
        READ(wrong)


def test_a_metric_says_that_it_is_one():
    line = RatingLine(item="a", rater="metric:wer", kind="metric", model="m", score=0.5)
    assert READ(msgspec.json.encode(line)) == line
    assert b'"kind":"metric"' in msgspec.json.encode(line)
