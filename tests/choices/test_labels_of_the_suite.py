"""More than 300 replies to the label tasks of the static suite, as models word them, and what is to be read of each."""

from collections import Counter
from pathlib import Path

import pytest

from audiometry.bench.registry import SHIPPED
from audiometry.choices.labels import label_names, read_label
from audiometry.files.benchmark_folder import read_card_file

OF_THE_DATA = {  # labels of tasks whose cards list none
    "fairspeech-age": ["18 - 22", "23 - 30", "31 - 45", "46 - 65"],
    "commonvoice-accent": [
        "United States English",
        "England English",
        "India and South Asia (India, Pakistan, Sri Lanka)",
        "Australian English",
        "Scottish English",
        "Irish English",
        "Canadian English",
    ],
    "slurp-intent": ["alarm set", "weather query", "play music", "calendar set"],
}
# what the rules are known to get wrong: the decade that a sentence is about, a label beside a denied name of its own
KNOWN = {"The sentence is about the sixties.", "neutral (no strong emotion)"}
TABLE = [
    tuple(line.split("|", 2))
    for line in Path(__file__).with_name("labels_of_the_suite.txt").read_text(encoding="utf-8").splitlines()
]


def read(task, reply):
    entry = read_card_file(SHIPPED / "static20" / f"{task}.toml").task[0]
    names = label_names(entry.labels or OF_THE_DATA[task], entry.synonyms, entry.ranges)
    return read_label(reply, names, entry.wordings[0])


def test_the_table_is_large_enough_and_has_no_reply_twice():
    assert len(TABLE) > 300
    assert max(Counter(row[0::2] for row in TABLE).values()) == 1
    assert sum(label == "!" for _, label, _ in TABLE) >= 20
    assert sum(label == "-" for _, label, _ in TABLE) >= 40


@pytest.mark.parametrize(("task", "label", "reply"), TABLE, ids=[f"{task}-{n}" for n, (task, *_) in enumerate(TABLE)])
def test_of_each_reply_the_label_is_read_that_a_person_reads(task, label, reply):
    found = read(task, reply)
    as_meant = (found.label, found.refused) == (None if label in {"-", "!"} else label, label == "!")
    assert as_meant == (reply not in KNOWN), found
