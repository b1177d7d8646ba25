"""Votes as columns, held against what was voted."""

import numpy as np
import pytest
import sqlalchemy as sa

from audiometry import seeds
from audiometry.arena.board import Settings, board
from audiometry.arena.store.nouns import Pairing, Replied
from audiometry.arena.store.schema import BATTLE, REPLY, VOTE
from audiometry.records.votes import Outcome

REPLIES = (
    Replied(state="answered", text="Yes, it is.", latency_s=1.5),
    Replied(state="refused", text="I would rather not."),
    Replied(state="answered", text="", latency_s=0.0),
)
SAID = ("model_a", "model_b", "tie", "both_bad", "skip")


@pytest.fixture
def voted(arena):
    """A store with 30 votes of five voters on three models, and what each of them was."""
    store = arena.store
    three = [store.contestant(name) for name in ("x/one", "x/two", "x/three")]
    names = {one.id: one.model for one in three}
    stream, wanted = seeds.stream(1, "votes"), {}
    for n in range(30):
        voter = store.voter(f"voter {n % 5}")
        pair = store.draw(three, Pairing(), n)
        query = f"question {n}"
        if n % 3 == 0:
            query = store.keep_recording(voter, b"sound %d" % n, arena.heard, {})
            store.transcribed(query.id, f"question {n}", "e'n%")
            query = store.recording(voter, query.id)
        battle = store.begin(voter, query, pair)
        a, b = stream.pick(REPLIES), stream.pick(REPLIES)
        store.replied(battle.id, a, b)
        outcome, tags = stream.pick(SAID), ["tone"] * (n % 2)
        store.vote(voter, battle.id, outcome, f"because {n}", tags)
        wanted[battle.id] = {
            "names": (names[pair.a], names[pair.b]),
            "outcome": outcome,
            "voter": voter.id,
            "language": "e'n%" if n % 3 == 0 else None,
            "lengths": (len(a.text), len(b.text)),
            "latencies": (a.latency_s, b.latency_s),
            "query": f"question {n}",
            "comment": f"because {n}",
            "reasons": tuple(tags),
        }
    return store, wanted


def outcome_of(code):
    return ("model_a", "model_b", "tie", "both_bad")[Outcome(code)]


def told(file):
    """The votes of a file, one by one, by battle."""
    votes, language = file.votes, file.groups["language"]
    rows = {}
    for at, battle in enumerate(file.texts.battle):
        latencies = [None if np.isnan(x) else x for x in votes.contrasts["latency"][at]]
        rows[battle] = {
            "names": (votes.models[votes.a[at]], votes.models[votes.b[at]]),
            "outcome": outcome_of(votes.outcome[at]),
            "voter": votes.voter[at],
            "language": None if language.code[at] < 0 else language.values[language.code[at]],
            "lengths": tuple(votes.contrasts["length"][at]),
            "latencies": tuple(latencies),
            "query": file.texts.query[at],
            "comment": file.texts.comment[at],
            "reasons": file.texts.reasons[at],
        }
    return rows


def test_all_that_counts_is_read_and_nothing_else(voted):
    store, wanted = voted
    file = store.votes(("language", "topic"), texts=True)
    decided = {battle: one for battle, one in wanted.items() if one["outcome"] != "skip"}
    assert told(file) == decided
    assert set(file.votes.propensity) == {1 / 3}
    assert not file.votes.first.any(), "a is what was shown first"
    assert file.notes == (f"{30 - len(decided)} battles that the voter did not want to decide",)
    assert "topic" not in file.groups
    spoken = {battle for battle, audio in zip(file.texts.battle, file.texts.audio, strict=True) if audio}
    assert spoken == {battle for battle, one in decided.items() if one["language"]}
    lengths = [sum(decided[battle]["lengths"]) for battle in file.texts.battle]
    assert file.characters.tolist() == lengths, "by which a vote is known that came before they can be read"
    plain = store.votes()
    assert (plain.votes.n, plain.texts, plain.groups) == (len(decided), None, {})
    assert sorted(plain.votes.outcome) == sorted(file.votes.outcome)
    assert [one.model for one in board(plain, Settings()).ranking.models]


def test_votes_that_are_set_apart_are_on_no_board_but_told(voted):
    store, wanted = voted
    gone = [battle for battle, one in wanted.items() if one["outcome"] != "skip"][:3]
    for battle in gone:
        store.set_apart(battle, "identity-claim", "the reply says it is x/one")
        store.set_apart(battle, "identity-claim")
    file = store.votes(texts=True)
    assert not set(gone) & set(file.texts.battle)
    assert "3 votes set apart: identity-claim" in file.notes
    with store.database.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(VOTE)) == 30


def test_a_board_for_all_to_see_waits_until_a_voter_knows_or_an_hour_is_over(voted):
    store, wanted = voted
    decided = [battle for battle, one in wanted.items() if one["outcome"] != "skip"]
    assert store.votes(closed=True).votes.n == 0
    assert store.failures(closed=True) == ()
    with store.database.writing() as connection:
        old = VOTE.c.battle.in_(decided[:2])
        connection.execute(sa.update(VOTE).where(old).values(at=VOTE.c.at - 3601))
    for battle in decided[2:5]:
        with store.database.reading() as connection:
            voter = connection.scalar(sa.select(VOTE.c.voter).where(VOTE.c.battle == battle))
        store.reveal(next(one for n in range(5) if (one := store.voter(f"voter {n}")).id == voter), battle)
    assert set(store.votes(closed=True, texts=True).texts.battle) == set(decided[:5])
    assert sum(one.asked for one in store.failures(closed=True)) == 2 * 5
    assert sum(one.asked for one in store.failures()) == 2 * 30


def test_contestants_that_are_merged_have_one_name_and_no_votes_between_them(store, arena):
    plain, warm = (store.contestant("x/one", parameters={"temperature": t}) for t in (0, 1))
    other = store.contestant("y")
    for n, pair in enumerate([(plain, other)] * 3 + [(warm, other)] * 4 + [(plain, warm)] * 5):
        voter = store.voter("key")
        battle = store.begin(voter, f"question {n}", store.draw(pair, Pairing(), n))
        store.replied(battle.id, arena.answered, arena.answered)
        store.vote(voter, battle.id, "model_a")
    apart = sorted(f"x/one@{one.sha256[:8]}" for one in (plain, warm))
    assert store.votes().votes.models == (*apart, "y")
    store.merge(warm.sha256, plain.sha256)
    file = store.votes()
    assert file.votes.models == ("x/one", "y")
    assert file.votes.n == 7
    assert file.notes == ("5 votes of two contestants that have been merged into one",)


def test_an_arena_without_votes_has_an_empty_file(store):
    assert store.votes(("language",), texts=True).votes.n == 0
    assert store.failures() == ()


def test_rates_say_what_became_of_asking(store, arena):
    pair = [store.contestant("x/one"), store.contestant("x/two")]
    said = ["answered", "refused", "empty", "failed", "answered"]
    for n, state in enumerate(said):
        voter = store.voter("key")
        battle = store.begin(voter, f"question {n}", store.draw(pair, Pairing(), 1))
        mine = Replied(state=state, text="Yes." if state in {"answered", "refused"} else "")
        store.replied(battle.id, mine, Replied(state="answered", text="No."))
        if n == 0:
            store.vote(voter, battle.id, "tie")
    arena.ready(query="unanswered yet")
    first = store.draw(pair, Pairing(), 1).a
    assert store.expire(vote_s=-1).abandoned == 3
    rates = {one.model: one for one in store.failures()}
    one, two = (rates[name] for name in (("x/one", "x/two") if first == pair[0].id else ("x/two", "x/one")))
    assert (one.refused, one.empty, one.failed) == (1, 1, 1)
    assert (two.refused, two.empty, two.failed) == (0, 0, 0)
    assert two.asked >= 5
    assert one.abandoned >= 2
    each = sa.select(BATTLE, REPLY.c.side, REPLY.c.state.label("said")).join(REPLY, REPLY.c.battle == BATTLE.c.id)
    with store.database.reading() as connection:
        replies = [((row.a, row.b)[row.side], row.state, row.said) for row in connection.execute(each)]
    ids = {one.model: one.id for one in pair}
    for found in rates.values():
        own = [(state, said) for who, state, said in replies if who == ids.get(found.model)]
        if own:
            assert found.asked == len(own)
            assert found.abandoned == sum(state == "abandoned" for state, _ in own)
            assert found.answered == sum(said == "answered" for _, said in own)
