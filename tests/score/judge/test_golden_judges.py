"""What a small real language model said when it was asked to score, and what a person reads of it.

SmolLM2-135M-Instruct, asked in audiometry's own words and, outside of it, in shorter prompts that want other forms
(``asked``), at several temperatures, with examples before the question or without. ``scores`` were labelled by hand:
the two scores from 1 to 10 that the text states, or null. They are there for the form of what such models say; as
scores they mean nothing.
"""

import json
from pathlib import Path

from audiometry.score.judge.scores import port_scores, read_scores

PATH = Path(__file__).parent / "golden_judge_outputs.jsonl"
ROWS = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def test_the_table_is_large_and_most_of_it_holds_no_scores():
    assert len({row["said"] for row in ROWS}) == len(ROWS) >= 130
    assert 20 <= sum(row["scores"] is not None for row in ROWS) <= 30
    assert len({row["asked"] for row in ROWS}) >= 10


def test_every_labelled_output_is_read_as_a_person_reads_it():
    misread = []
    for row in ROWS:
        found = read_scores(row["said"])
        scores = None if found.failed else [found.first, found.second]
        if scores != row["scores"]:
            misread.append((row["said"], row["scores"], found))
    assert misread == []


def test_a_reader_of_numbers_anywhere_makes_scores_of_prose():
    """The rule of the port, kept under its name: of the outputs that state no scores it reads a third."""
    prose = [row for row in ROWS if row["scores"] is None]
    taken = [row for row in prose if not port_scores(row["said"]).failed]
    assert len(taken) >= len(prose) / 3
