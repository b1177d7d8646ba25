"""The music benchmarks asked as their cards say, and by the studies of their papers."""

import re

import pytest

from audiometry import bench
from audiometry.run.execute import execute, prepare
from audiometry.run.settings import RunSettings
from audiometry.score.door import score
from audiometry.score.opened import open_run


def ran(data, name, path, **how):
    prepared = prepare(bench.load(name, data), "scripted/oracle", RunSettings(**how), path)
    execute(prepared)
    return prepared, score(open_run(path)).scores["strict"]


def test_muchomusic_is_asked_in_three_orders_after_one_example_of_its_card(music, tmp_path):
    prepared, one = ran(music.write(tmp_path / "data", music.rows(8)), "muchomusic", tmp_path / "run")
    assert prepared.plan.variants == ("plain", "order-1", "order-2")
    assert (one.value, one.n_replies) == (1.0, 24)
    assert "+shots-1+" in one.signature
    assert "+orders-3+" in one.signature
    assert any("asked in 3 orders" in line for line in prepared.said)
    asked = list(prepared.plan.benchmark)
    texts = [prepared.plan.words(item, "plain", []).text for item in asked]
    first = prepared.plan.benchmark.card.example[0]
    assert all(text.count("Answer:") == 1 and first.question in text for text in texts)
    letters = {re.search(r"Answer: (\w)", text)[1] for text in texts}
    assert len(letters) > 1  # never fixed


def test_its_study_of_distractors_has_a_row_a_kind_and_a_pair(music, tmp_path):
    data = music.write(tmp_path / "data", music.rows(8))
    _, one = ran(data, "muchomusic", tmp_path / "run", orders=1, variants=("distractors",))
    chance = {name.partition("=")[2]: row.chance for name, row in one.fewer.items()}
    third = pytest.approx(1 / 3)
    assert chance == {"IR": 0.5, "CU": 0.5, "IU": 0.5, "IR+CU": third, "IR+IU": third, "CU+IU": third}
    assert {row.value for row in one.fewer.values()} == {1.0}
    assert (one.chance, one.n_replies) == (0.25, 8)


def test_rul_leaves_each_of_four_distractors_out_and_votes(music, tmp_path):
    told = music.rows(8)
    data = music.write_rul(music.write(tmp_path / "data", told), told)
    prepared, one = ran(data, "rul-muchomusic", tmp_path / "run", variants=("leave-one-out", "noise"))
    assert prepared.plan.variants == ("plain", "noise", "leave-1", "leave-2", "leave-3", "leave-4")
    assert {round(row.chance, 4) for row in one.fewer.values()} == {0.25}
    vote = one.extras.leave_one_out
    assert (vote.vote.value, vote.each.value, vote.n_items) == (1.0, 1.0, 8)
    assert one.chance == 0.2
    assert list(one.variants) == ["noise"]
