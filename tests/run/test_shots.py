"""Worked examples before an item: which, how they are sent, and what is kept of them."""

import hashlib
import json
import re
from collections import Counter

import pytest

from audiometry import bench as benches
from audiometry.choices.variant import asked_names
from audiometry.dispatch.ask import prompt_sha256
from audiometry.records import ModelCard
from audiometry.records.card import Example
from audiometry.run import layout
from audiometry.run.plan import Plan
from audiometry.run.shots import Shots

EXAMPLES = """
[[example]]
question = "Which of these is struck?"
options = ["lyre", "gong", "reed", "horn"]
answer = "gong"

[[example]]
question = "Which of these is plucked?"
options = ["zither", "tuba", "bell", "fife"]
answer = "zither"
"""


def stamp(n, shots_with="text", examples=()):
    return layout.with_shots(layout.stamp("ours", "audio-first"), n, shots_with, examples)


def with_card(folder, text):
    path = folder / "benchmark.toml"
    path.write_text(path.read_text() + text)
    return folder


def told_apart(folder, words="Which one is it, number {}?"):
    """Every item with a question of its own."""
    path = folder / "metadata.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(row | {"question": words.format(k)}) + "\n" for k, row in enumerate(rows)))
    return folder


def shots_of(folder, n, shots_with="text", seed=0):
    loaded = benches.load(folder)
    return loaded, Shots(loaded, seed, stamp(n, shots_with, loaded.card.example))


def golds(shots):
    return ["ABCD"[shot.options.index(shot.item.answer)] for shot in shots]


def test_the_card_s_examples_go_before_each_question_with_their_answers(
    asked, benchmark, chat_server, replies, tmp_path
):
    folder, server = with_card(benchmark(6), EXAMPLES), chat_server(decode=True)
    assert asked(folder, server, "--shots", 2).code == 0
    for line in server.log():
        text = line["text"]
        assert line["parts"] == ["user:input_audio", "user:text"]
        assert (
            text.index("Which of these is struck?")
            < text.index("Which of these is plucked?")
            < text.index("What plays?")
        )
        for question, answer in (("struck", "gong"), ("plucked", "zither")):
            part = text[text.index(question) :]
            letter = re.search(r"Answer: (\w)", part)[1]
            assert f"\n{letter}. {answer}\n" in part[: part.index("Answer:")]
        assert text.count("Answer:") == 2
        assert text.count("Now the question to answer:\nWhat plays?") == 1
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (info["prompt"]["shots"], len(info["prompt"]["examples"])) == (2, 64)
    assert all(
        record["audio_sha256"].count("+") == 0 and "examples" not in record for record in replies(tmp_path / "run")
    )


def test_examples_with_clips_are_other_items_each_behind_its_own_clip_and_the_item_s_comes_last(
    asked, benchmark, chat_server, replies, tmp_path
):
    folder, server = with_card(told_apart(benchmark(6)), EXAMPLES), chat_server(decode=True)
    assert asked(folder, server, "--shots", 2, "--shots-with", "audio", "--variant", "text-only").code == 0
    heard = [line for line in server.log() if line["formats"]]
    assert len(heard) == 6
    assert len({line["audio_sha256"].split("+")[-1] for line in heard}) == 6
    kept = {(record["item"], record["variant"]): record for record in replies(tmp_path / "run")}
    loaded, shots = shots_of(folder, 2, "audio")
    for line in heard:
        assert line["parts"] == ["user:input_audio", "user:text"] * 3
        assert "gong" not in line["text"]
    for item in loaded:
        record, before = kept[item.id, "plain"], shots.of(item, "plain")
        files = [loaded.clip_path(name) for shot in before for name in shot.clips]
        assert len(files) == 2
        assert [clip["sha256"] for clip in record["examples"]] == [_sha256(path) for path in files]
        assert record["audio_sha256"] == _sha256(loaded.clip_path(item.file_name))
        sent = "+".join([*(clip["sha256"] for clip in record["examples"]), record["audio_sha256"]])
        (line,) = (line for line in heard if line["audio_sha256"] == sent)
        assert line["text"].endswith(layout.prompt(item, "", item.options, [], stamp(0)).text)
        assert "examples" not in kept[item.id, "text-only"]
    assert sum(line["text"].count("Answer:") == 2 and not line["formats"] for line in server.log()) == 6


def _sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("card", ["", EXAMPLES])
def test_over_items_the_right_letter_of_an_example_favours_none(benchmark, card):
    folder = with_card(told_apart(benchmark(400, frames=1)), card)
    loaded, shots = shots_of(folder, 1)
    counts = Counter(golds(shots.of(item, "plain"))[0] for item in loaded)
    assert set(counts) == set("ABCD")
    assert sum((n - 100) ** 2 / 100 for n in counts.values()) < 16.3  # chi-squared, 3 degrees, p = .001


def test_within_a_prompt_the_right_letters_differ(benchmark):
    loaded, shots = shots_of(told_apart(benchmark(12)), 4)
    assert all(sorted(golds(shots.of(item, "plain"))) == list("ABCD") for item in loaded)


def test_examples_are_the_same_in_every_order_and_without_the_clip_and_none_go_before_fewer_options(benchmark):
    loaded, shots = shots_of(told_apart(benchmark(8)), 2)
    for item in loaded:
        first = shots.of(item, "plain")
        assert first == shots.of(item, "order-3") == shots.of(item, "noise") == shots.of(item, "repeat-1")
        assert len(first) == 2
        assert shots.of(item, "distractors=IR") == shots.of(item, "leave-1") == ()


def test_another_seed_draws_others_and_the_place_of_an_item_plays_no_part(benchmark):
    folder = told_apart(benchmark(12))
    loaded, shots = shots_of(folder, 2)
    before = {item.id: shots.of(item, "plain") for item in loaded}
    _, other = shots_of(folder, 2, seed=1)
    assert any(other.of(item, "plain") != before[item.id] for item in loaded)
    path = folder / "metadata.jsonl"
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    again, turned = shots_of(folder, 2)
    assert {item.id: turned.of(item, "plain") for item in again} == before


def test_none_is_of_the_item_s_own_cluster_and_its_task_comes_first(make_benchmark):
    rows = [
        {"id": f"{task}{k}", "task": task, "group": f"g{k // 2}", "question": f"{task}, number {k}?"}
        for task in ("pitch", "tempo")
        for k in range(8)
    ]
    loaded, shots = shots_of(make_benchmark(rows), 3)
    for item in loaded:
        found = [shot.item for shot in shots.of(item, "plain")]
        assert len({one.id for one in found}) == 3
        assert all(one.group != item.group and one.task == item.task for one in found)


def test_an_item_that_equals_an_example_of_the_card_is_asked_after_another(make_benchmark):
    rows = [{"id": "same", "question": "Which of these is struck?", "answer": "gong", "options": ["gong", "oboe"]}]
    rows += [{"id": f"i{k}", "question": f"Number {k}?"} for k in range(6)]
    card = '[benchmark]\nname = "made"\nversion = "1"\n' + EXAMPLES
    loaded, shots = shots_of(make_benchmark(rows, card=card), 2)
    assert [shot.item.question for shot in shots.of(loaded.item("i1"), "plain")] == [
        "Which of these is struck?",
        "Which of these is plucked?",
    ]
    struck, other = shots.of(loaded.item("same"), "plain")
    assert "struck" not in struck.item.question + other.item.question


def test_where_all_are_asked_the_same_the_examples_answer_tells_nothing_of_the_item_s(benchmark):
    loaded, shots = shots_of(benchmark(200, frames=1), 1)
    same = sum(shots.of(item, "plain")[0].item.answer == item.answer for item in loaded)
    assert 25 < same < 80  # 50 of 200 by chance; never, or always, would tell


def test_an_open_question_is_never_shown_with_its_own_answer(make_benchmark):
    card = '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\nkind = "transcript"\n'
    rows = [{"options": [], "answer": f"word {k // 3}", "question": "What is said?"} for k in range(18)]
    loaded, shots = shots_of(make_benchmark(rows, card=card), 2)
    for item in loaded:
        answers = [shot.item.answer for shot in shots.of(item, "plain")]
        assert len(answers) == 2
        assert item.answer not in answers
    prompt = Plan(loaded, range(1), ("plain",), stamp(1), ModelCard(), 0).words(loaded.items.at(0), "plain", [])
    assert re.search(r"What is said\?\nAnswer: word \d", prompt.text)


def test_wordings_are_the_examples_too(make_benchmark):
    card = (
        '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\n'
        'wordings = ["{question}", "Listen well. {question}"]\n' + EXAMPLES
    )
    loaded = benches.load(make_benchmark(4, card=card))
    plan = Plan(loaded, range(4), asked_names(1, 2), stamp(1), ModelCard(), 0)
    text = plan.words(loaded.items.at(0), "wording-1", []).text
    assert text.count("Listen well.") == 2


def test_a_run_goes_on_with_the_same_prompts_and_asks_nothing_twice(asked, benchmark, chat_server, tmp_path):
    folder, server = told_apart(benchmark(8)), chat_server(decode=True)
    options = ("--shots", 2, "--shots-with", "audio")
    assert asked(folder, server, *options, "--limit", 3).code == 0
    assert asked(folder, server, *options).code == 0
    assert len(server.log()) == 8
    done = asked(folder, server, *options)
    assert "Nobody was asked" in done.err
    assert len(server.log()) == 8
    again = asked(folder, server, "--shots", 1, "--shots-with", "audio")
    assert again.code == 2
    assert "shots" in again.said
    assert "give another folder" in again.said


def test_a_run_whose_example_clip_was_changed_asks_what_it_was_shown_in_again(
    asked, make_wav, benchmark, chat_server, replies, tmp_path
):
    folder, server = told_apart(benchmark(8)), chat_server(decode=True)
    options = ("--shots", 1, "--shots-with", "audio")
    assert asked(folder, server, *options).code == 0
    make_wav(folder / "audio" / "3.wav", seed=99)
    loaded, shots = shots_of(folder, 1, "audio")
    expected = {item.id for item in loaded if shots.of(item, "plain")[0].clips == ("audio/3.wav",)} | {"i3"}
    assert asked(folder, server, *options).code == 0
    assert len(server.log()) == 8 + len(expected)
    assert Counter(record["item"] for record in replies(tmp_path / "run") if "error" not in record)["i3"] == 2


def test_the_cache_tells_runs_with_other_example_clips_apart(asked, make_wav, benchmark, chat_server, tmp_path):
    folder, server = told_apart(benchmark(4)), chat_server(decode=True)
    options = ("--shots", 1, "--shots-with", "audio", "--cache", tmp_path / "cache.sqlite")
    assert asked(folder, server, *options, folder="one").code == 0
    assert asked(folder, server, *options, folder="two").code == 0
    assert len(server.log()) == 4
    loaded, shots = shots_of(folder, 1, "audio")
    name = shots.of(loaded.item("i0"), "plain")[0].clips[0]
    make_wav(folder / name, seed=77)
    assert asked(folder, server, *options, folder="three").code == 0
    assert len(server.log()) >= 4 + 2  # the item whose clip it is, and i0 that it is shown before


@pytest.mark.parametrize("model", ["scripted/oracle", "scripted/random", "scripted/deaf"])
@pytest.mark.parametrize("shots_with", ["text", "audio"])
def test_scripted_models_hear_the_item_s_own_clip_behind_examples(cli, benchmark, tmp_path, model, shots_with):
    words = ("run", told_apart(benchmark(8)), "--model", model, "--no-probe", "-o", tmp_path / "run", "--json")
    done = cli(*words, "--shots", 2, "--shots-with", shots_with)
    assert done.code == 0
    value = done.json["scores"]["strict"]["value"]
    assert model == "scripted/random" or value == 1.0
    heard = "-audio" if shots_with == "audio" else ""
    assert f"+shots-2{heard}+" in done.json["scores"]["strict"]["signature"]


def test_a_dry_run_shows_them(cli, benchmark, tmp_path):
    folder = with_card(benchmark(4), EXAMPLES)
    words = ("run", folder, "--model", "scripted/oracle", "--shots", 1, "-o", tmp_path / "run", "--dry-run")
    done = cli(*words)
    assert done.code == 0
    assert "Which of these is struck?" in done.out
    assert "shots-1" in done.out
    assert cli(*words, "--json").json["prompt"]["shots"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--shots", 6), r"--shots 6: 0 to 5 worked examples"),
        (("--shots", -1), r"--shots -1: 0 to 5 worked examples"),
        (("--shots", 3), r"--shots 3: bench has 2 examples for task instrument; ask for 2"),
        (("--shots-with", "audio"), r"--shots-with audio: there are no examples; say how many"),
        (("--shots", 5, "--shots-with", "audio"), r"only 3 independent items with a clip and an answer.*ask for 3"),
        (("--shots", "many"), r"many"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(cli, benchmark, tmp_path, words, said):
    folder = with_card(benchmark(4), EXAMPLES)
    done = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "run", *words)
    assert done.code == 2
    assert re.search(said, done.said)
    assert not (tmp_path / "run").exists()


def test_a_recipe_stands_alone(cli, benchmark, tmp_path):
    folder = with_card(benchmark(4, name="airbench-foundation"), EXAMPLES + "\n[asked]\nshots = 1\n")
    server = ("--model", "openai/mock", "--base-url", "http://127.0.0.1:9/v1")
    words = ("run", folder, *server, "--recipe", _recipe(tmp_path), "--dry-run")
    done = cli(*words, "-o", tmp_path / "run", "--shots", 1)
    assert done.code == 2
    assert "--shots beside --recipe mine" in done.said
    done = cli(*words, "-o", tmp_path / "run")
    assert done.code == 0, done.err
    assert "by a recipe there is none" in done.err
    assert "struck" not in done.out


def _recipe(folder):
    path = folder / "mine.toml"
    path.write_text(
        'models = ["*"]\n[[ask]]\nbenchmarks = ["*"]\nwording = "ours"\npart_order = "audio-first"\n'
        'single = "{question}\\n{options}"\nopen = "{question}"\n'
    )
    return path


def test_a_model_that_takes_clips_before_all_words_takes_no_clips_among_them(asked, benchmark, chat_server, tmp_path):
    card = tmp_path / "card.toml"
    card.write_text('[[card]]\nname = "openai/mock"\npart_order = "audio-first"\nfixed_order = true\n')
    folder, server = told_apart(benchmark(4)), chat_server()
    done = asked(folder, server, "--card", card, "--shots", 1, "--shots-with", "audio")
    assert done.code == 2
    assert "takes prompts audio-first alone" in done.said
    assert asked(folder, server, "--card", card, "--shots", 1).code == 0


def test_what_the_card_asks_is_said_at_the_start_and_kept(asked, benchmark, chat_server, tmp_path):
    folder, server = with_card(benchmark(4), EXAMPLES + "\n[asked]\norders = 3\nshots = 1\n"), chat_server()
    done = asked(folder, server)
    assert done.code == 0
    assert "asked in 3 orders of the options, as the benchmark's card says" in done.err
    assert "after 1 worked example in words, as the benchmark's card says; --shots 0" in done.err
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (info["variants"], info["prompt"]["shots"]) == (["plain", "order-1", "order-2"], 1)
    assert len(server.log()) == 12
    done = asked(folder, server, "--shots-with", "audio", "--variant", "cyclic", "--dry-run", folder="heard")
    assert "orders of the options" not in done.err  # more than the card says
    assert "after 1 worked example with clips, as the benchmark's card says" in done.err
    done = asked(folder, server, "--orders", 1, "--shots", 0, folder="other")
    assert "card says" not in done.err
    assert len(server.log()) == 16


def test_the_layout_of_muchomusic_puts_an_example_as_it_puts_the_item(benchmark):
    loaded = benches.load(with_card(benchmark(4), EXAMPLES))
    how = layout.with_shots(layout.stamp("muchomusic", "text-first"), 1, "text", loaded.card.example)
    text = Plan(loaded, range(1), ("plain",), how, ModelCard(), 0).words(loaded.items.at(0), "plain", []).text
    example, _, item = text.partition("\n\n")
    lines = example.splitlines()
    assert lines[0] == "Question: Which of these is struck?"
    options = re.findall(r"\(([A-D])\) (\w+)", lines[1])
    assert dict(options)[lines[2].removeprefix("The correct answer is: ")] == "gong"
    assert item == "Question: What plays?\nOptions: (A) violin (B) piano (C) drum (D) flute\nThe correct answer is: "


def test_the_examples_of_a_card_are_listed_with_its_tasks(cli, benchmark):
    folder = with_card(benchmark(4), EXAMPLES)
    done = cli("list", "tasks", folder, "--examples")
    said = " ".join(done.out.split())
    assert "worked example 1: Which of these is struck? gong, not lyre / reed / horn" in said
    (row,) = cli("list", "tasks", folder, "--examples", "--json").json
    assert [one["answer"] for one in row["worked_examples"]] == ["gong", "zither"]


def test_a_run_that_was_cut_off_asks_what_is_missing_and_nothing_else(asked, benchmark, chat_server, replies, tmp_path):
    folder, server = with_card(benchmark(6), EXAMPLES), chat_server(decode=True)
    words = ("--shots", 1, "--variant", "cyclic", "--variant", "leave-one-out")
    assert asked(folder, server, *words).code == 0
    path = tmp_path / "run" / "replies.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])  # in the midst of a line
    left = path.read_bytes().count(b"\n")
    before = {(one["item"], one["variant"]): one["prompt_sha256"] for one in map(json.loads, whole.splitlines())}
    n = len(server.log())
    assert asked(folder, server, *words).code == 0
    assert len(server.log()) - n == 6 * 8 - left
    assert {(one["item"], one["variant"]): one["prompt_sha256"] for one in replies(tmp_path / "run")} == before


GOLDEN = "24958cf5490b9ffd23cab1a74c954431e1287005d8dcfb8b900fda2850737282"


def test_what_is_asked_stays_the_same_from_version_to_version(make_benchmark):
    """Prompts to the byte: a change of what is drawn would make replies of older runs answers to other questions."""
    kinds = ["", "IR", "CU", "IU"]
    rows = [
        {
            "question": f"Number {k}?",
            "kinds": kinds[-k % 4 :] + kinds[: -k % 4],
            "options": list("wxyz"),
            "answer": "wxyz"[k % 4],
        }
        for k in range(8)
    ]
    loaded = benches.load(make_benchmark(rows, clips=False), absent=())
    variants = ("plain", "order-1", "distractors=IR", "distractors=CU+IU", "leave-2")
    whole = hashlib.sha256()
    for how in (stamp(2), stamp(2, "audio")):
        plan = Plan(loaded, range(8), variants, how, ModelCard(), 0)
        for ask in plan.asks(set()):
            item = loaded.item(ask.item)
            whole.update(prompt_sha256(plan.words(item, ask.variant, [layout.A_CLIP])).encode())
    assert whole.hexdigest() == GOLDEN


def test_the_prompts_stamp_is_of_the_cards_examples_only_where_they_are_shown():
    how, example = layout.stamp("ours", "audio-first"), Example(question="Who?", answer="she")
    said = [layout.with_shots(how, 1, shown, own).examples for shown in ("text", "audio") for own in ((), (example,))]
    assert said[0] != said[1]
    assert said[0] == said[2] == said[3]
