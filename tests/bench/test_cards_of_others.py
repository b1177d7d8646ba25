"""MMAU, MMAR and DCASE's questions by cards alone, on made data in their layouts."""

import json

import pytest

from audiometry import bench


def entry(number, music, folder, **more):
    """A question of our own, its clip written where it says."""
    name = f"{more.pop('below')}/{number}.wav"
    music.write_clip(folder / name, number)
    options = [f"a {animal}, {number}" for animal in ("hen", "cow", "dog", "cat")]
    return {"id": f"q{number}", "answer": options[number % 4]} | more, options, name


def mmau(music, folder):
    rows = []
    for number in range(9):
        told, options, name = entry(number, music, folder, below="test-mini-audios")
        of = {"task": ("sound", "music", "speech")[number % 3], "dataset": "made", "split": "test-mini"}
        facts = {"category": "Reasoning", "sub-category": "Made", "difficulty": "easy"}
        rows.append(told | of | facts | {"audio_id": f"./{name}", "question": f"Who, {number}?", "choices": options})
    rows[3] |= {"choices": [*rows[3]["choices"][1:], rows[3]["answer"]]}
    rows[4] |= {"question": f"Modified question: {rows[4]['question']}"}
    (folder / "mmau-test-mini.json").write_text(json.dumps(rows, indent=2))


def mmar(music, folder):
    rows = []
    for number in range(5):
        told, options, name = entry(number, music, folder, below="audio")
        of = {"modality": "mix-sound-music", "category": "Made Layer", "sub-category": "Made", "language": "en"}
        where = {"source": "made", "url": "https://example.org", "timestamp": "00:00:01"}
        shown = sorted({*options[: 2 + number], told["answer"]})
        rows.append(told | of | where | {"audio_path": f"./{name}", "question": f"Who, {number}?", "choices": shown})
    (folder / "MMAR-meta.json").write_text(json.dumps(rows))


def adqa(music, folder):
    lines = []
    for number in range(5):
        told, options, name = entry(number, music, folder, below="dev_audios")
        lines.append(told | {"audio_path": name, "question_text": f"Who, {number}?", "multi_choice": options})
    (folder / "dev.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_mmau_is_three_tasks_and_leaves_out_questions_that_have_their_answer_twice(music, tmp_path):
    mmau(music, tmp_path)
    found = bench.load("mmau", tmp_path)
    assert found.tasks() == {"sound": 2, "music": 3, "speech": 3}
    assert "item q3 has the option 'a cat, 3' twice; change one" in str(found.problems[0])
    fifth = found.item("q4")
    assert fifth.question.startswith("Modified question: ")  # as it was released, and as the card says
    assert fifth.tags == {"category": "Reasoning", "sub-category": "Made", "difficulty": "easy", "dataset": "made"}
    assert any("Modified question" in one for one in found.card.benchmark.known)
    assert found.said_of_published() == "8 of 1,000 published items"


def test_mmar_has_two_to_four_options_and_its_facts_as_tags(music, tmp_path):
    mmar(music, tmp_path)
    found = bench.load("mmar", tmp_path)
    assert [len(item.options) for item in found] == [2, 3, 4, 4, 4]
    assert found.tasks() == {"mmar": 5}
    assert set(next(iter(found)).tags) == {"modality", "category", "sub-category", "language"}


def test_adqa_is_read_from_a_copy_of_its_repository(music, tmp_path):
    adqa(music, tmp_path)
    found = bench.load("dcase-adqa", tmp_path)
    assert [(item.id, item.file_name) for item in found][:1] == [("q0", "dev_audios/0.wav")]
    assert [item.answer in item.options for item in found] == [True] * 5


@pytest.mark.parametrize(("name", "made"), [("mmau", mmau), ("mmar", mmar), ("dcase-adqa", adqa)])
def test_each_is_asked_and_scored(music, tmp_path, cli, name, made):
    made(music, tmp_path)
    asks = ("--data", tmp_path, "--model", "scripted/oracle", "--no-probe", "-o", tmp_path / "run")
    assert cli("run", name, *asks)[0] == 0
    scores = json.loads(cli("score", tmp_path / "run", "--json")[1])["scores"]
    assert scores["strict"]["value"] == 1


def test_options_of_a_copy_may_be_a_list_as_python_writes_one(music, tmp_path):
    mmau(music, tmp_path)
    told = json.loads((tmp_path / "mmau-test-mini.json").read_text())
    lists = [{**row, "choices": str(row["choices"])} for row in told]
    (tmp_path / "mmau-test-mini.json").write_text(json.dumps(lists))
    found = bench.load("mmau", tmp_path)
    assert next(item.options for item in found) == ("a hen, 0", "a cow, 0", "a dog, 0", "a cat, 0")
    assert len(found) == 8


def test_a_suite_keeps_what_its_cards_say_of_kinds_dimensions_examples_and_defects(music, tmp_path):
    for name in ("muchomusic", "dcase-adqa"):
        (tmp_path / f"{name}.toml").write_text((bench.registry.SHIPPED / "cards" / f"{name}.toml").read_text())
    (tmp_path / "both.toml").write_text(
        '[benchmark]\nname = "both"\n[data]\nsource = "cards"\ncards = ["muchomusic.toml", "dcase-adqa.toml"]\n'
    )
    music.write(tmp_path / "data" / "muchomusic", music.rows())
    adqa(music, tmp_path / "data" / "dcase-adqa")
    found = bench.load(tmp_path / "both.toml", tmp_path / "data")
    card = found.card
    assert found.tasks() == {"music_QA": 8, "adqa": 5}
    assert found.item("muchomusic/2").kinds.count("") == 1
    assert [one.tag for one in card.dimension] == ["knowledge", "reasoning"]
    assert (set(card.distractors), {one.task for one in card.example}) == ({"IR", "CU", "IU"}, {"music_QA"})
    assert any(one.startswith("muchomusic: No audio is distributed") for one in card.benchmark.known)
    assert "muchomusic: 4 of 4 tracks were found" in found.said_of_published()
