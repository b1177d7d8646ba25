"""More than 600 replies to the label tasks of the static suite, as models word them, and what is to be read of each."""

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
# what the rules are known not to read: an initial alone, an intent's words in another order
KNOWN = {"Answer: F", "set alarm", "The user wants to set an alarm for seven."}
TABLE = [
    tuple(line.replace("\\n", "\n").split("|", 2))
    for line in Path(__file__).with_name("labels_of_the_suite.txt").read_text(encoding="utf-8").splitlines()
]


def task_of(task):
    return read_card_file(SHIPPED / "static20" / f"{task}.toml").task[0]


def read(task, reply):
    entry = task_of(task)
    names = label_names(entry.labels or OF_THE_DATA[task], entry.synonyms, entry.ranges)
    return read_label(reply, names, entry.wordings[0])


def test_the_table_is_large_enough_and_has_no_reply_twice():
    assert len(TABLE) > 600
    assert max(Counter(row[0::2] for row in TABLE).values()) == 1
    said = (Path(__file__).parents[2] / "docs" / "static-suite.md").read_text(encoding="utf-8")
    assert f"table of {len(TABLE)} replies" in said
    assert sum(label == "!" for _, label, _ in TABLE) >= 40
    assert sum(label == "-" for _, label, _ in TABLE) >= 90


@pytest.mark.parametrize(("task", "label", "reply"), TABLE, ids=[f"{task}-{n}" for n, (task, *_) in enumerate(TABLE)])
def test_of_each_reply_the_label_is_read_that_a_person_reads(task, label, reply):
    found = read(task, reply)
    as_meant = (found.label, found.refused) == (None if label in {"-", "!"} else label, label == "!")
    assert as_meant == (reply not in KNOWN), found


def test_no_label_is_read_wrongly_and_of_a_hundred_that_are_given_ninety_five_are_read():
    found = [(label, read(task, reply)) for task, label, reply in TABLE]
    assert [one for one in found if one[1].label not in {None, one[0]}] == []
    given = [one.label for label, one in found if label not in {"-", "!"}]
    assert sum(label is not None for label in given) >= 0.95 * len(given)


@pytest.mark.parametrize("task", sorted({task for task, *_ in TABLE}))
def test_every_name_that_a_card_gives_a_label_is_read_as_that_label_and_as_no_other(task):
    entry = task_of(task)
    every = entry.labels or [*dict.fromkeys([*OF_THE_DATA[task], *entry.synonyms])]
    names = label_names(every, entry.synonyms, entry.ranges)
    given = [(name, label) for label in every for name in (label, *entry.synonyms.get(label, ()))]
    assert max(Counter(name.lower() for name, _ in given).values()) == 1
    assert [(name, label) for name, label in given if read_label(name, names).label != label] == []


def test_the_accents_are_all_those_that_speakers_could_choose_when_they_were_recorded():
    entry = read_card_file(SHIPPED / "static20" / "commonvoice-accent.toml")
    assert set(entry.data.values["accents"].values()) == set(entry.task[0].synonyms)
    assert len(entry.task[0].synonyms) == 16
