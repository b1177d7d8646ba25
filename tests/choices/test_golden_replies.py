import json
from pathlib import Path

import pytest

from audiometry import choices

HERE = Path(__file__).parent
ROWS = [
    json.loads(line)
    for name in ("golden_replies.jsonl", "golden_replies_2.jsonl")
    for line in (HERE / name).read_text("utf-8").splitlines()
]
# a person reads them, the rules do not: parts of an option's text, a hesitation that may be a list, a last letter too
# many, others than the one, a small letter alone, what is excluded twice, the main one of two
MISSED = {
    *("metro", "a real voice", "B flat", "Hmm, no... yes!", "cought"),
    *("IMO b", "too fast to be slow", "statement", "A gets my vote", "Without drums, the piano stands out."),
    "I can hear a piano. However, the main instrument is the violin.",
    "At 0:02 one speaker begins; there's no second one.",
    "It's a monologue by one speaker, with no interruptions from others.",
}


def test_the_table_is_large_and_holds_many_replies_that_answer_nothing():
    unanswered = [row for row in ROWS if row["letter"] is None and not row["refused"]]
    assert len(ROWS) >= 2150
    assert len(unanswered) >= 580
    assert sum(row["refused"] for row in ROWS) >= 60
    assert len({(row["reply"], tuple(row["options"])) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("options_as", [list, tuple])
def test_every_labelled_reply_is_read_as_a_person_reads_it(options_as):
    misread, missed = [], set()
    for row in ROWS:
        answer = choices.read_answer(row["reply"], options_as(row["options"]))
        assert answer.how
        if row["letter"] is not None and answer.letter is None:
            missed.add(row["reply"])
        elif (answer.letter, answer.refused) != (row["letter"], row["refused"]):
            misread.append((row["reply"], row["options"], row["letter"], row["refused"], answer))
    assert misread == []
    assert missed == MISSED  # what is read after all leaves the list


def test_a_reply_to_an_open_question_is_read_for_whether_it_declines_only():
    for row in ROWS:
        answer = choices.read_answer(row["reply"], ())
        assert answer.letter is None
        assert answer.how
        assert answer.refused or not row["refused"]
