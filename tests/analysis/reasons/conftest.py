"""Vote files with words."""

from __future__ import annotations

import json

import pytest

from audiometry.analysis.reasons import reasons
from audiometry.files import votes


@pytest.fixture
def vote_file(tmp_path):
    """``vote_file([{"comment": …}, …])``: a file of votes, of x against y, which x won, unless they say otherwise."""

    def write(rows, name="votes.jsonl"):
        path = tmp_path / name
        plain = {"model_a": "x", "model_b": "y", "winner": "model_a"}
        path.write_text("".join(json.dumps(plain | row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def told(vote_file):
    """The reasons of such votes."""
    return lambda rows, **how: reasons(votes.read(vote_file(rows), texts=True), **how)
