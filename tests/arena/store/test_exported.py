"""Exports, held against the reader of vote files and what was voted."""

import json
from pathlib import Path

import numpy as np
import pytest

from audiometry.arena.store import exported
from audiometry.arena.store.nouns import Pairing, Replied
from audiometry.errors import UsageError
from audiometry.files import votes

SECRETS = ("my number is 555-0123", "ask for Anna Lind", "Anna, you said")


@pytest.fixture
def voted(arena):
    """An arena with ten votes: a skipped one, one set apart, two of two voters on the same recording."""
    store = arena.store
    for n in range(10):
        voter = store.voter(f"voter {n % 3}")
        query = f"question {n}, {SECRETS[0]}"
        if n in {0, 1, 3}:  # 0 and 3 are one voter's
            kept = store.keep_recording(voter, b"the same sound", arena.heard, {})
            store.transcribed(kept.id, f"question {n}, {SECRETS[0]}", "en")
            query = store.recording(voter, kept.id)
        battle = store.begin(voter, query, store.draw(arena.contestants(), Pairing(), n))
        other = Replied(state="answered", text=f"{SECRETS[2]} that", latency_s=0.25)
        store.replied(battle.id, arena.answered, other)
        outcome = ("model_a", "model_b", "tie", "both_bad", "skip")[n % 5]
        store.vote(voter, battle.id, outcome, SECRETS[1], ["tone"])
        if n == 7:
            store.set_apart(battle.id, "identity-claim")
    return store


def same(one, two):
    """Whether two vote files hold the same votes, whatever their order and the numbers of their voters."""

    def rows(file):
        its = file.votes
        names, language = its.models, file.groups.get("language")
        return sorted(
            (
                names[its.a[n]],
                names[its.b[n]],
                int(its.outcome[n]),
                int(its.first[n]),
                float(its.propensity[n]),
                str(its.contrasts["length"][n]),
                str(its.contrasts["latency"][n]),
                "" if language is None or language.code[n] < 0 else language.values[language.code[n]],
                round(float(file.seconds[n]), 6),
            )
            for n in range(its.n)
        )

    assert rows(one) == rows(two)
    assert np.allclose(np.sort(one.at), np.sort(two.at), rtol=0, atol=0.002)
    assert sorted(np.bincount(one.votes.voter[one.votes.voter >= 0])) == sorted(
        n for n in np.bincount(two.votes.voter) if n
    )


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_an_export_is_a_vote_file_that_says_what_the_database_says(voted, tmp_path, kind):
    file = tmp_path / f"votes.{kind}"
    told = exported.export(voted.database, file, kind, texts=False)
    assert (told.votes, told.withheld, told.shared) == (7, 0, 3)
    assert told.left_out == ("1 vote set apart: identity-claim", "2 battles that the voter did not want to decide")
    same(votes.read(file, groups=("language",), times=True), voted.votes(("language",)))


def test_no_words_and_nobody_is_in_an_export(voted, tmp_path):
    for kind in ("jsonl", "parquet"):
        file = tmp_path / f"votes.{kind}"
        exported.export(voted.database, file, kind, texts=False)
        for words in (*SECRETS, "voter 0", "the same sound"):
            assert words.encode() not in file.read_bytes()


def test_a_studys_voters_have_their_numbers_as_participants(arena, tmp_path):
    voters = [arena.store.voter(f"key {n}", participant=number) for n, number in enumerate(("p0123456789", ""))]
    for n, voter in enumerate(voters):
        _, battle = arena.ready(f"key {n}")
        arena.store.vote(voter, battle.id, "tie")
    exported.export(arena.store.database, tmp_path / "v", "jsonl", texts=False)
    assert [json.loads(line)["voter"] for line in (tmp_path / "v").read_text().splitlines()] == [
        "p0123456789",
        f"v{voters[1].id}",
    ]


def test_identical_recordings_of_several_voters_are_flagged(voted, tmp_path):
    exported.export(voted.database, tmp_path / "v", "jsonl", texts=False)
    lines = [json.loads(line) for line in (tmp_path / "v").read_text().splitlines()]
    assert [line["others"] for line in lines] == [1, 1, 0, 1, 0, 0, 0]


def test_words_are_exported_once_somebody_said_that_they_may_be_and_anew_after_a_change(voted, tmp_path):
    look, out = tmp_path / "look.jsonl", tmp_path / "out.jsonl"
    assert exported.to_look_through(voted.database, voted.audio, look) == 7
    lines = [json.loads(line) for line in look.read_text().splitlines()]
    assert all(line["query"].startswith("question") and SECRETS[2] in line["reply_b"] for line in lines)
    audio = [line["audio"] for line in lines]
    assert [bool(one) for one in audio] == [True, True, False, True, False, False, False]
    assert {(Path(one).suffix, Path(one).read_bytes()) for one in audio if one} == {(".flac", b"the same sound")}
    assert exported.export(voted.database, out, "jsonl", texts=True).withheld == 7

    for line in lines[:4]:
        line["share"] = line["query"][9] in "023"
    look.write_text("\n".join(map(json.dumps, lines)))  # as an editor leaves it, without a last newline
    assert exported.looked_through(voted.database, look) == (4, 3)
    assert exported.to_look_through(voted.database, voted.audio, look) == 3
    told = exported.export(voted.database, out, "jsonl", texts=True)
    assert (told.withheld, told.notes()[0]) == (
        4,
        "the words of 4 votes are left out: nobody said that they may be shared",
    )
    by_query = {line["query"]: line["comment"] for line in map(json.loads, out.read_text().splitlines())}
    assert set(by_query) == {None, *(f"question {n}, {SECRETS[0]}" for n in (0, 2, 3))}
    assert (by_query.pop(None), set(by_query.values())) == (None, {SECRETS[1]})
    assert exported.copied(voted.database, voted.audio, tmp_path / "sound") == 2
    assert {one.read_bytes() for one in (tmp_path / "sound").iterdir()} == {b"the same sound"}

    mine = voted.voter("voter 0")
    assert voted.vote(mine, lines[0]["battle"], "tie", "another word").outcome == "tie"
    assert exported.export(voted.database, out, "jsonl", texts=True).withheld == 5


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"battle": "unknown", "share": true}', "names a battle that is not in"),
        ('{"battle": 1}', "line 2: .*; each line is one that was written, with share true or false"),
        ("share", "line 2"),
    ],
)
def test_what_was_said_is_taken_whole_or_not_at_all(voted, tmp_path, line, why):
    look = tmp_path / "look.jsonl"
    exported.to_look_through(voted.database, voted.audio, look)
    first = json.loads(look.read_text().splitlines()[0]) | {"share": True}
    look.write_text(json.dumps(first) + f"\n{line}\n")
    with pytest.raises(UsageError, match=why):
        exported.looked_through(voted.database, look)
    assert exported.to_look_through(voted.database, voted.audio, look) == 7
    with pytest.raises(UsageError, match="missing"):
        exported.looked_through(voted.database, tmp_path / "missing")
