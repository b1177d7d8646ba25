"""What stands in the way of a claim from votes, and that a board tells how far it is."""

import json

import msgspec
import pytest

from audiometry.arena.board import Settings, board
from audiometry.arena.doubts import doubts
from audiometry.files.votes import read

WINNERS = ("model_a", "model_b", "model_a")


@pytest.fixture
def file(tmp_path):
    """Sixty votes on two topics; `known` of them are of one of twenty voters."""

    def made(known):
        rows = [
            {"battle": str(n), "model_a": "x", "model_b": "y", "winner": WINNERS[n % 3], "topic": f"t{n % 2}"}
            | ({"voter": f"v{n % 20}"} if n < known else {})
            for n in range(60)
        ]
        (tmp_path / "votes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return read(tmp_path / "votes.jsonl", groups=["topic"])

    return made


@pytest.mark.parametrize(("known", "said"), [(0, ["no voter is known"]), (30, ["some voters are not known"]), (60, [])])
def test_votes_of_nobody_known_are_told(file, known, said):
    found = doubts(board(file(known), Settings()))
    assert [one.partition(":")[0] for one in found if "such a vote stands alone" in one] == said


def test_voters_who_choose_as_one_another_do_are_told_with_their_lines(file):
    found = board(file(60), Settings())
    assert not any("choose as one another" in one for one in doubts(found))
    look = msgspec.structs.replace(found.look, of_their_own=(3, 1004, 9000, 9001, 9002, 9003))
    (said,) = [one for one in doubts(msgspec.structs.replace(found, look=look)) if "choose as one another" in one]
    assert said.startswith("6 voters choose as one another do and not as others")
    assert said.endswith("their first votes are on lines 3, 1,004, 9,000, 9,001, 9,002, …")


def test_boards_are_counted_as_they_are_made(file):
    told = []
    board(file(60), Settings(), by=("topic",), reached=lambda *at: told.append(at))
    assert told == [(3, 5), (5, 5)]  # of each topic its own board and that of all other votes
