"""From votes to topics: shares against plain counts, and that neither order nor spelling has a say."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from audiometry.analysis.topics import topics
from audiometry.analysis.topics.queries import queries
from audiometry.analysis.topics.uses import EFFICIENCY
from audiometry.errors import UsageError
from audiometry.files.votes import read
from audiometry.seeds import stream
from audiometry.stats.wilson import wilson


def opened(path, *columns):
    return read(path, texts=True, groups=("language", *columns))


def test_known_topics_and_uses_are_found_again_with_their_shares(votes, made_rows):
    rows = made_rows()
    asked = topics(opened(votes(rows), "told"))
    found, groups = asked.found, asked.file.groups
    assert adjusted_rand_score(groups["told"].code, groups["topic"].code) >= 0.9
    assert [groups["use"].values[code] for code in groups["use"].code] == [row["meant"] for row in rows]
    meant = Counter(row["meant"] for row in rows)
    for use, share in found.uses.shares.items():
        assert share.n == meant[use]
        assert share.value == pytest.approx(meant[use] / len(rows))
        assert share.interval[0] < share.value < share.interval[1]
    by_person = defaultdict(list)
    for row in rows:
        by_person[row["voter"]].append(row["meant"] in EFFICIENCY)
    most = sum(2 * sum(own) > len(own) for own in by_person.values())
    its = found.uses.efficiency
    assert (its.people, its.n_people) == (pytest.approx(most / len(by_person)), len(by_person))
    assert its.people_interval == pytest.approx(wilson(most / len(by_person), len(by_person)))
    assert its.corrected != its.queries.value
    assert sum(one.share.n for one in found.topics) == len(rows)
    assert all(sum(one.uses.values()) == one.share.n for one in found.topics)
    assert found.languages["en"].n > 0.9 * len(rows)
    assert not any("one voter has" in one for one in found.warnings)
    assert found.topics[0].share.n == max(one.share.n for one in found.topics)


def test_without_voters_each_query_stands_alone_and_nothing_is_said_of_people(votes, made_rows):
    rows = [{key: value for key, value in row.items() if key != "voter"} for row in made_rows()]
    found = topics(opened(votes(rows)), n_topics=4).found
    assert (found.n_people, found.n_unknown_people) == (0, len(rows))
    assert (found.uses.efficiency.people, found.uses.efficiency.n_people) == (None, 0)
    assert all(one.people == 0 for one in found.uses.shares.values())
    assert any("no voter is known" in one for one in found.warnings)


def test_a_voter_who_asked_a_large_part_is_told(votes, made_rows):
    rows = [row | ({"voter": "p0"} if at < 40 else {}) for at, row in enumerate(made_rows())]
    found = topics(opened(votes(rows)), n_topics=4).found
    assert any(one.startswith("one voter has ") for one in found.warnings)


def test_the_order_of_votes_has_no_say(votes, made_rows):
    rows = made_rows()
    one = topics(opened(votes(rows)), n_topics=4).found
    other = topics(opened(votes(stream(1, "order").shuffled(rows), "other.jsonl")), n_topics=4).found
    assert one == other


def test_equal_queries_count_as_often_as_they_were_asked(votes, made_rows):
    rows = made_rows(n=120)
    again = [row | {"battle": f"again{at}", "query": row["query"].upper() + " "} for at, row in enumerate(rows[:30])]
    found = topics(opened(votes([*rows, *again])), n_topics=4).found
    alone = topics(opened(votes(rows)), n_topics=4).found
    assert (found.n_asked, found.n_different) == (150, alone.n_different)
    assert sum(one.n_different for one in found.topics) == alone.n_different


def test_a_battle_that_several_vote_on_is_asked_once(votes, made_rows):
    rows = made_rows(n=60)
    more = [row | {"voter": "another"} for row in rows]
    file = opened(votes([*rows, *more]))
    among = queries(file)
    assert len(among.asked) == 60
    asked = topics(file, n_topics=4)
    assert asked.found.n_asked == 60
    assert (asked.file.groups["topic"].code >= 0).all()  # of all votes


def test_stated_languages_count_before_guesses(votes, made_rows):
    rows = [row | {"language": "de-AT" if at % 2 else ""} for at, row in enumerate(made_rows(n=40))]
    among = queries(opened(votes(rows)))
    assert among.told_by == "both"
    assert {"de"} < set(among.languages) <= {"de", "en", ""}
    assert queries(opened(votes([row | {"language": "de"} for row in rows], "all.jsonl"))).told_by == "votes"
    bare = [{name: value for name, value in row.items() if name != "language"} for row in rows]
    assert queries(opened(votes(bare, "none.jsonl"))).told_by == "words"


def test_points_of_another_embedding_make_topics(votes, made_rows):
    rows = made_rows(n=80)
    told = {row["query"]: sorted({one["told"] for one in rows}).index(row["told"]) for row in rows}
    asked = topics(
        opened(votes(rows), "told"), embed=("by hand", lambda texts: np.eye(4)[[told[one] for one in texts]])
    )
    assert asked.found.embedded == "by hand"
    assert asked.found.stability.chosen == 4
    assert adjusted_rand_score(asked.file.groups["told"].code, asked.file.groups["topic"].code) == 1.0


def test_queries_of_many_languages_keep_theirs(votes, made_rows):
    foreign = [
        "东京的天气怎么样?",
        "¿Por qué el mar es salado?",
        "Hallo, wie geht es dir?",
        "今日は疲れた。",
        "🙂",
        "…",
        "",
    ]
    rows = made_rows(n=40)
    rows += [rows[0] | {"battle": f"x{at}", "query": text} for at, text in enumerate(foreign)]
    found = topics(opened(votes(rows))).found
    assert {"zh", "es", "de", "ja", "en"} <= set(found.languages)
    assert found.n_without == 3  # no words: a face, dots, and nothing
    assert found.n_asked == 44


def test_points_that_are_all_one_make_no_topics_and_it_is_said_why(votes):
    found = topics(opened(votes(n=60)), embed=("openai/same", lambda texts: np.ones((len(texts), 4)))).found
    assert any("all of them one point" in one for one in found.warnings)
    assert not any("too few" in one for one in found.warnings)


@pytest.mark.parametrize(
    "texts", [["timer"], ["the same words again"] * 10, [chr(97 + at) * 5 for at in range(25)], ["a", "b", "c"]]
)
def test_too_little_for_topics_still_has_uses(votes, made_rows, texts):
    row = made_rows(n=1)[0]
    found = topics(opened(votes([row | {"battle": f"{at}", "query": text} for at, text in enumerate(texts)]))).found
    assert [one.label for one in found.topics] == ["other"]
    assert any("too few for topics" in one for one in found.warnings)
    assert sum(share.n for share in found.uses.shares.values()) == len(texts)


def test_votes_without_any_query_are_refused(votes, made_rows):
    path = votes([{name: row[name] for name in ("model_a", "model_b", "winner")} for row in made_rows(n=3)])
    with pytest.raises(UsageError, match="no query in any of 3 votes"):
        topics(opened(path))
