"""What was written is asked without its clip; it is set aside only where a model is right in every order of options."""

import json
import re
from collections import Counter

import pytest

NEAR = """
name = "species"
category = "sound"
make = "near"
about = "species"
question = ["Which bird is heard?"]
"""
LABEL = """
name = "label"
make = "label"
about = "species"
question = ["Which of these birds is heard?"]
"""


def filters(**keys):
    return "[filter]\n" + "\n".join(f"{key} = {json.dumps(value)}" for key, value in keys.items())


def info_of(tmp_path, name="out"):
    return json.loads((tmp_path / name / "build/build.json").read_text())


def test_what_a_model_knows_from_the_words_alone_is_set_aside_and_kept_with_its_reason(written, tmp_path):
    said, items, rejected, _ = written({}, NEAR, LABEL, filters(text=["scripted/deaf"]), n=10)
    assert said.code == 1  # a task is left without items
    assert Counter(item["task"] for item in items) == {"label": 10}
    assert {(one["rule"], one["by"], one["task"]) for one in rejected} == {
        ("answerable-without", "scripted/deaf", "species")
    }
    assert rejected[0]["reason"] == (
        "scripted/deaf is right in all 4 cyclic orders of its options with the words alone"
    )
    assert rejected[0]["where"] == "rows, row 2"
    assert {*rejected[0]["item"]["options"]} > {rejected[0]["item"]["answer"]}
    (one,) = info_of(tmp_path)["filtered"]
    assert one == {"model": "scripted/deaf", "variant": "text-only", "items": 10, "unanswered": 0, "right": 10} | {
        "by_guessing": 10 / 4**4,
        "by_taste": 0.0,
    }


def test_a_model_that_is_right_in_some_orders_alone_sets_nothing_aside(written, tmp_path):
    own = filters(text=["scripted/constant?text=A", "scripted/random", "scripted/constant?text=B"])
    said, items, rejected, _ = written({}, NEAR, own, n=40)
    assert said.code == 0
    assert len(items) + len(rejected) == 40
    assert len(rejected) <= 2  # a guesser is right in all four orders of one item in 256
    assert [one["items"] for one in info_of(tmp_path)["filtered"]] == [40] * 3
    flat = " ".join(said.out.split())
    assert "Filter scripted/constant?text=A, text-only: 0 of 40 written items set aside" in flat
    assert "No blind score: name a model that did not filter" in flat


def test_only_the_items_that_are_known_go_and_the_letters_are_balanced_anew(written, tmp_path):
    own = filters(text=["scripted/constant?text=robin"])
    said, items, rejected, _ = written({}, f"{NEAR}n = 30", own, n=30)
    assert said.code == 0
    assert {item["answer"] for item in items} == {"wren", "crow", "rook", "tit"}
    assert {one["item"]["answer"] for one in rejected} == {"robin"}
    places = Counter(item["options"].index(item["answer"]) for item in items)
    assert max(places.values()) - min(places.values()) <= 1
    assert info_of(tmp_path)["items"] == {"species": 24}
    assert "24 items of the 30 that it wants" in " ".join(said.out.split())
    clips = {item["file_name"] for item in items}
    assert {f"audio/{path.name}" for path in (tmp_path / "out/audio").iterdir()} == clips


def test_questions_with_two_options_are_never_set_aside(written, tmp_path):
    _, items, _, _ = written({}, NEAR + "options = 2", filters(text=["scripted/deaf"]), n=4)
    assert len(items) == 4
    assert info_of(tmp_path)["filtered"] == []


def test_models_that_hear_are_asked_with_silence_and_with_another_clip(written, tmp_path, chat_server, cli):
    ears = chat_server(answer="A")
    own = filters(audio=[f"openai/ears@{ears.url}"], text=[f"openai/eyes@{ears.url}"])
    said, items, _, pen = written({}, NEAR, own, n=5)
    assert said.code == 0, said.err
    assert len(items) == 5
    log = ears.log()
    heard, read = ([line for line in log if line["model"] == name] for name in ("ears", "eyes"))
    assert (len(heard), len(read)) == (2 * 5 * 4, 5 * 4)
    assert all(line["formats"] == [] for line in read)
    assert all(line["formats"] == ["wav"] for line in heard)
    own_clips = {line["audio_sha256"] for line in heard}
    assert len(own_clips) == 1 + 5  # silence is the same for all; some other clip for each
    assert {one["variant"] for one in info_of(tmp_path)["filtered"]} == {"text-only", "silence", "other-clip"}
    before = (tmp_path / "out/metadata.jsonl").read_bytes()
    assert cli("build", tmp_path / "spec.toml", "-o", tmp_path / "out").code == 0
    assert len(ears.log()) == len(log)
    assert len(pen.log()) == 5
    assert (tmp_path / "out/metadata.jsonl").read_bytes() == before


def test_the_blind_score_is_of_a_model_that_filtered_nothing_for_each_task(written, tmp_path):
    own = filters(text=["scripted/random"], blind="scripted/constant?text=robin")
    said, items, _, _ = written({}, NEAR, LABEL, own, n=20)
    assert said.code == 0
    blind = info_of(tmp_path)["blind"]
    assert blind["model"] == "scripted/constant?text=robin"
    n = sum(item["task"] == "species" for item in items)
    robins = sum(item["task"] == "species" and item["answer"] == "robin" for item in items)
    label = blind["tasks"]["label"]
    low, high = label.pop("interval")
    assert low < 4 / 20 < high
    assert label == {"right": 4, "items": 20, "unanswered": 0, "chance": 0.25}
    assert [blind["tasks"]["species"][key] for key in ("right", "items")] == [robins, n]
    stated = (
        "Blind score (the words alone, scripted/constant?text=robin): label 20.0 % of 20 items, "
        f"95 % interval {100 * low:.1f} to {100 * high:.1f} %, chance 25.0 %"
    )
    assert stated in " ".join(said.out.split())
    page = re.sub("<[^>]*>", "", (tmp_path / "out/build/report.html").read_text())
    assert stated in page
    assert "Filter scripted/random, text-only: " in page
    limits = json.loads((tmp_path / "out/croissant.json").read_text())["rai:dataLimitations"]
    assert (
        f"With the words alone {blind['model']} is right about label in 4 of 20 items, a guesser about 25.0 %."
        in limits
    )


def test_failed_requests_leave_bounds_of_the_blind_score_and_no_score(written, tmp_path, chat_server, cli):
    half = chat_server(answer="robin", faults=["500:items-0.5"])
    own = filters(blind=f"openai/words@{half.url}")
    said, items, _, _ = written({}, LABEL, own, n=20, more=("--max-tries", 1))
    assert len(items) == 20
    one = info_of(tmp_path)["blind"]["tasks"]["label"]
    lost = one["unanswered"]
    assert 0 < lost < 20
    assert (one["items"], one["interval"]) == (20, None)
    low, high = 5 * one["right"], 5 * (one["right"] + lost)
    assert low <= 20 <= high
    flat = " ".join(said.out.split())
    assert f"label is incomplete, between {low:.1f} and {high:.1f} % of 20 items, chance 25.0 %: {lost} replies" in flat
    before = len(half.log())
    cli("build", tmp_path / "spec.toml", "-o", tmp_path / "out", "--max-tries", 1)
    assert len(half.log()) == before + lost


@pytest.mark.parametrize("options", [4, 3])
def test_what_guesses_and_tastes_would_set_aside_stands_beside_what_was(written, tmp_path, options):
    script = {"reply": json.dumps({"wrong": ["owl", "hen", "gull"][: options - 1]})}
    task = f"{NEAR}options = {options}"
    said, items, _, _ = written(script, task, filters(text=["scripted/constant?text=owl"]), n=30)
    (one,) = info_of(tmp_path)["filtered"]
    assert (len(items), one["right"]) == (30, 0)
    assert one["by_guessing"] == pytest.approx(30 / options**options)
    assert one["by_taste"] == pytest.approx(30 / (options - 1))  # in each it keeps to the owl
    assert f"its taste for one option {30 / (options - 1):.1f})" in " ".join(said.out.split())


def test_a_filter_that_does_not_answer_stops_the_build_and_what_it_said_is_kept(written, tmp_path, chat_server, cli):
    down = chat_server(faults=["503"])
    own = filters(text=[f"openai/eyes@{down.url}"])
    said, items, _, pen = written({}, NEAR, own, n=12, more=("--max-tries", 1))
    assert (said.code, items) == (1, [])
    assert "filter openai/eyes: " in said.err
    path = tmp_path / "spec.toml"
    path.write_text(path.read_text().replace(down.url, chat_server(answer="A").url))
    assert cli("build", path, "-o", tmp_path / "out").code == 0
    assert len(pen.log()) == 12


@pytest.mark.parametrize(
    ("task", "own", "what"),
    [
        (NEAR, filters(text=["openai/a", "openai/a"]), "names 'openai/a' twice in text"),
        (NEAR, filters(text=["openai/a"], blind="openai/a@http://x/v1"), "writes or filters the items"),
        (LABEL, filters(text=["openai/a"]), "has nothing to filter: no task has options that a model writes"),
        (NEAR, filters(texts=["openai/a"]), "did you mean 'text'"),
    ],
)
def test_a_filter_that_cannot_be_is_refused_before_anybody_is_asked(written, task, own, what):
    said, _, _, server = written({}, task, own, n=2)
    assert (said.code, server.log()) == (2, [])
    assert what in said.err


def test_open_questions_are_not_filtered_and_that_is_said(written, chat_server):
    other = chat_server(answer="robin")
    task = 'name = "ward_QA"\ncategory = "sound"\nmake = "chat"'
    said, items, _, _ = written({}, task, filters(text=[f"openai/x@{other.url}"], audio=[f"openai/y@{other.url}"]))
    assert (said.code, len(items), other.log()) == (0, 5, [])
    assert "task ward_QA: open questions have no options" in " ".join(said.out.split())


def test_a_dry_run_counts_what_filters_would_be_asked(recordings, spec, cli, captioned):
    recordings(5)
    own = filters(
        text=["openai/a@http://one:9/v1"], audio=["openai/b@http://two:9/v1"], blind="openai/c@http://three:9/v1"
    )
    facts = 'species = "species", caption = "caption"'
    path = spec(captioned(5), NEAR, LABEL, own, facts=facts)
    said = cli("build", path, "--dry-run", "--writer", "openai/pen@http://zero:9/v1", "--json")
    assert said.code == 0, said.err
    calls = {one["what"]: one["calls"] for one in said.json["asked"]}
    assert calls == {
        "species": 5,
        "filter, the words alone": 20,
        "filter, silence and another clip": 40,
        "blind score": 10,
    }
    assert len(said.json["hosts"]) == 4
    text = " ".join(cli("build", path, "--dry-run", "--writer", "openai/pen@http://zero:9/v1").out.split())
    assert "two:9/v1 would be told the columns rows: species, caption, and sent the clips" in text
    assert text.count("sent the clips") == 1
