"""From a table to a benchmark that runs: labels, the source's own questions, spans, letters, ids, provenance."""

import json
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import soundfile

from audiometry import bench
from audiometry.builder.build import build, plan

ROOT = Path(__file__).parents[2]
SPECIES = """
name = "species"
category = "sound"
make = "label"
about = "species"
question = ["Which bird is heard?", "Name the bird."]
"""
BIRDS = ("robin", "wren", "crow", "rook", "tit")


def rows_of(n, **more):
    return [{"file": f"birds/{k}.wav", "species": BIRDS[k % 5], "station": f"s{k}"} | more for k in range(n)]


def built(path, tmp_path, name="out"):
    return build(path, tmp_path / name)


def test_a_table_of_labels_becomes_a_benchmark_on_which_the_oracle_is_right(recordings, spec, cli, tmp_path, metadata):
    recordings(20)
    path = spec(rows_of(20), SPECIES)
    said = cli("build", path, "-o", tmp_path / "out")
    assert said.code == 0, said.err
    assert "20" in said.out
    assert said.out.rstrip().endswith(f"audiometry run {tmp_path / 'out'} --model NAME")
    items = metadata(tmp_path / "out")
    assert len(items) == 20
    for place, item in enumerate(items):
        assert item["answer"] == BIRDS[place % 5]
        assert len(item["options"]) == len(set(item["options"])) == 4
        assert set(item["options"]) <= set(BIRDS)
        assert item["group"] == f"s{place}"
        assert item["licence"] == "CC0-1.0"
        assert item["tags"]["species"] == item["answer"]
        whole = (tmp_path / "birds" / f"{place}.wav").read_bytes()
        assert (tmp_path / "out" / item["file_name"]).read_bytes() == whole
        assert item["provenance"] == {
            "source": "rows",
            "row": str(place + 2),
            "file": f"birds/{place}.wav",
            "make": "label",
            "seed": "1",
        }
    assert {item["question"] for item in items} == {"Which bird is heard?", "Name the bird."}
    said = cli("run", tmp_path / "out", "--model", "scripted/oracle", "-o", tmp_path / "run", "--json")
    assert said.json["scores"]["strict"]["value"] == 1.0


@pytest.mark.slow
def test_the_spec_beside_the_demo_benchmark_makes_a_second_one(cli, tmp_path, metadata):
    out = tmp_path / "second"
    said = cli("build", ROOT / "examples/second_benchmark/spec.toml", "-o", out, "--json")
    assert (said.code, said.json["check"]["n_errors"]) == (0, 0), said.out
    items = metadata(out)
    assert Counter(item["task"] for item in items) == said.json["items"]
    assert Counter(item["answer"] for item in items if item["task"] == "instrument").most_common()[-1][1] == 5
    for item in items:
        if item["task"] == "languages":
            true = item["tags"]["languages"]
            assert {*item["options"]} & {*([true] if isinstance(true, str) else true)} == {item["answer"]}
    assert all(item["licence"] not in {"", "see each item"} for item in items)
    said = cli("run", out, "--model", "scripted/oracle", "-o", tmp_path / "run", "--json")
    assert said.json["scores"]["strict"]["value"] == 1.0


def test_letters_differ_by_one_at_most_for_each_task_and_number_of_options(recordings, spec, tmp_path, metadata):
    recordings(23)
    rows = [row | {"species": ";".join((BIRDS * 2)[k % 5 : k % 5 + 1 + k % 4])} for k, row in enumerate(rows_of(23))]
    facts = 'species = {column = "species", separator = ";"}'
    other = SPECIES.replace('name = "species"', 'name = "again"')
    items = metadata(built(spec(rows, SPECIES, other, facts=facts), tmp_path).folder)
    counts = {(task, n): Counter() for task, n in product(("species", "again"), (2, 3, 4))}
    for item in items:
        counts[item["task"], len(item["options"])][item["options"].index(item["answer"])] += 1
    for (_, n), places in counts.items():
        assert sum(places.values()) > n
        assert max(places.values()) - min(places[k] for k in range(n)) <= 1


def test_no_wrong_option_is_true_of_the_clip_by_any_row_that_overlaps_it(recordings, spec, tmp_path, metadata):
    recordings(2, seconds=4)
    spans = [(0, 1, "robin"), (0.5, 2, "wren"), (2, 3, "crow"), (2.5, 3.5, "rook"), (0, 1, "tit"), ("", "", "owl")]
    rows = [{"file": "birds/0.wav", "from": a, "to": b, "species": s, "station": "x"} for a, b, s in spans]
    rows.append({"file": "birds/1.wav", "from": 0, "to": 1, "species": "hen", "station": "y"})
    columns = 'audio = "file", start = "from", end = "to", group = ["station"]'
    items = metadata(built(spec(rows, SPECIES + "options = 8", columns=columns), tmp_path).folder)
    wrong = {item["provenance"].get("span", ""): {*item["options"]} - {item["answer"]} for item in items[:-1]}
    assert wrong == {
        "0-1": {"crow", "rook", "hen"},
        "0.5-2": {"crow", "rook", "hen"},
        "2-3": {"robin", "wren", "tit", "hen"},
        "2.5-3.5": {"robin", "wren", "tit", "hen"},
        "": {"hen"},
    }
    assert {*items[-1]["options"]} == {"hen", "robin", "wren", "crow", "rook", "tit", "owl"}


def test_rows_that_make_no_item_still_say_what_is_true(recordings, spec, tmp_path, metadata):
    recordings(2, seconds=4)
    rows = [
        {"file": "birds/0.wav", "from": 0, "to": 1, "species": "robin", "part": "dev"},
        {"file": "birds/0.wav", "from": 0.5, "to": 2, "species": "wren", "part": "train"},
        {"file": "birds/0.wav", "from": 0.5, "to": 0.8, "species": "crow", "part": "test"},
        {"file": "birds/0.wav", "from": 0, "to": 1, "species": "jay", "part": "dev"},
        {"file": "birds/0.wav", "from": 1, "to": 90, "species": "rook", "part": "dev"},
        *(
            {"file": "birds/1.wav", "from": k, "to": k + 0.5, "species": one, "part": "dev"}
            for k, one in enumerate(("hen", "tit", "owl"))
        ),
        *(
            {"file": "birds/1.wav", "from": 3, "to": 3.5, "species": one, "part": "dev"}
            for one in ("robin", "wren", "crow", "rook")
        ),
    ]
    columns = 'audio = "file", start = "from", end = "to", split = "part"'
    items = metadata(built(spec(rows, SPECIES + "options = 9", columns=columns), tmp_path).folder)
    (asked,) = (one for one in items if one["provenance"]["file"] == "birds/0.wav")
    assert {*asked["options"]} - {asked["answer"]} == {"hen", "tit", "owl"}


def test_rows_of_one_recording_are_of_one_split_and_one_group(recordings, spec, tmp_path, metadata):
    recordings(2, seconds=4)
    rows = [
        {"file": "birds/0.wav", "from": k, "to": k + 1, "species": "robin", "part": part, "station": station}
        for k, (part, station) in enumerate((("test", "anna"), ("test", ""), ("dev", "ben")))
    ]
    rows.append({"file": "birds/1.wav", "from": 0, "to": 1, "species": "wren", "part": "dev", "station": "ben"})
    rows.append(rows[-1] | {"from": 2, "to": 3, "station": "cy", "part": "test"})
    columns = 'audio = "file", start = "from", end = "to", group = ["station"], split = "part"'
    found = built(spec(rows, SPECIES, columns=columns), tmp_path)
    assert {(one["tags"]["split"], one["group"]) for one in metadata(found.folder)} == {("test", "anna")}
    assert [one.rule for one in found.rejected] == ["two-splits"] * 2


@pytest.mark.parametrize("channel", ["", "2", "right"])
def test_spans_and_channels_are_cut_out_to_the_sample(recordings, spec, tmp_path, metadata, channel):
    recordings(2, seconds=40, channels=2)  # more than a block of the decoder
    rows = rows_of(2, begin="7.25", end="30.5", side=channel)
    columns = 'audio = "file", start = "begin", end = "end", channel = "side", group = ["station"]'
    items = metadata(built(spec(rows, SPECIES, columns=columns), tmp_path).folder)
    for place, item in enumerate(items):
        whole, rate = soundfile.read(tmp_path / f"birds/{place}.wav", dtype="int16", always_2d=True)
        cut, _ = soundfile.read(tmp_path / "out" / item["file_name"], dtype="int16", always_2d=True)
        wanted = whole[int(7.25 * rate) : int(30.5 * rate), slice(1, 2) if channel else slice(None)]
        assert np.array_equal(cut, wanted)
        assert item["provenance"].get("channel", "") == ("2" if channel else "")


def test_ids_rest_on_clip_span_task_and_question_alone(recordings, spec, tmp_path, metadata):
    recordings(12)
    before = metadata(built(spec(rows_of(8), SPECIES), tmp_path, "a").folder)
    (tmp_path / "birds/0.wav").rename(tmp_path / "birds/other.wav")
    more = rows_of(12)
    more[0]["file"] = "birds/other.wav"
    after = metadata(built(spec([*more[8:], *more[:8]], SPECIES, top="seed = 1"), tmp_path, "b").folder)
    assert {item["id"] for item in before} < {item["id"] for item in after}
    answers = {item["id"]: (item["question"], item["answer"], item["sha256"]) for item in after}
    assert all(answers[item["id"]] == (item["question"], item["answer"], item["sha256"]) for item in before)
    other = metadata(built(spec(rows_of(8)[1:], SPECIES.replace('"species"', '"kind"', 1)), tmp_path, "c").folder)
    assert not {item["id"] for item in other} & {item["id"] for item in before}


def test_the_same_spec_gives_the_same_bytes_and_another_seed_another_draw(recordings, spec, tmp_path):
    recordings(10)
    whole = {}
    for name, top in (("a", ""), ("b", "seed = 1"), ("c", "seed = 2")):
        folder = built(spec(rows_of(10), SPECIES, top=top), tmp_path, name).folder
        whole[name] = (folder / "metadata.jsonl").read_bytes()
    assert whole["a"] == whole["b"] != whole["c"]


def test_near_labels_share_a_fact_with_the_right_one(recordings, spec, tmp_path, metadata, rejected):
    recordings(10)
    genus = {"robin": "A", "wren": "A", "tit": "a ", "crow": "B", "rook": "B"}
    rows = [row | {"genus": genus[row["species"]]} for row in rows_of(10)]
    rows[9] |= {"species": "owl", "genus": "C"}
    rows.append(rows[0] | {"species": "wren;crow", "genus": "A"})
    facts = 'species = {column = "species", separator = ";"}, genus = "genus"'
    out = built(spec(rows, SPECIES + 'near = "genus"', facts=facts), tmp_path).folder
    for item in metadata(out):
        assert {genus[option].strip().upper() for option in item["options"]} == {genus[item["answer"]].strip().upper()}
    assert [one["rule"] for one in rejected(out)] == ["no-wrong-option"]


def test_of_many_labels_each_is_drawn_and_none_that_is_true(recordings, spec, tmp_path, metadata):
    recordings(10)
    rows = [row | {"species": f"bird {k};bird {k + 1}"} for k, row in enumerate(rows_of(10))]
    labels = f"labels = {[f'bird {k}' for k in range(60)]}\n"
    out = built(spec(rows, SPECIES + labels, facts='species = {column = "species", separator = ";"}'), tmp_path).folder
    shown = Counter(option for item in metadata(out) for option in item["options"] if option != item["answer"])
    assert len(shown) > 18
    for k, item in enumerate(metadata(out)):
        assert len({*item["options"]}) == 4
        assert len({*item["options"]} & {f"bird {k}", f"bird {k + 1}"}) == 1


def test_the_sources_own_questions_are_kept_with_their_options(recordings, spec, tmp_path, metadata):
    recordings(4)
    rows = [
        {"file": f"birds/{k}.wav", "q": f"Is it {k}?", "a": "yes", "b": "no", "c": "", "gold": "AB"[k % 2]}
        for k in range(4)
    ]
    columns = 'audio = "file", question = "q", options = ["a", "b", "c"], answer = "gold", answer_is = "letter"'
    items = metadata(built(spec(rows, 'name = "own"\nmake = "given"', columns=columns, facts=""), tmp_path).folder)
    assert [item["question"] for item in items] == [f"Is it {k}?" for k in range(4)]
    assert [item["answer"] for item in items] == ["yes", "no", "yes", "no"]
    assert Counter(item["options"].index(item["answer"]) for item in items) == {0: 2, 1: 2}


def test_a_fact_can_be_the_answer_of_a_transcript_or_an_open_question(recordings, spec, cli, tmp_path, metadata):
    recordings(3)
    rows = [{"file": f"birds/{k}.wav", "said": f"word {k}", "station": k} for k in range(3)]
    task = 'name = "words"\nmake = "given"\nkind = "transcript"\nabout = "said"\nquestion = ["What is said?"]'
    out = built(spec(rows, task, facts='said = "said"'), tmp_path).folder
    assert [item["answer"] for item in metadata(out)] == ["word 0", "word 1", "word 2"]
    assert bench.load(out).card.task[0].kind == "transcript"
    said = cli("run", out, "--model", "scripted/oracle", "-o", tmp_path / "run", "--json")
    assert said.json["scores"]["wer"]["value"] == 0


def test_labels_with_other_names_and_so_many_of_each(recordings, spec, tmp_path, metadata, rejected):
    recordings(20)
    rows = [row | {"species": "Rotkehlchen"} if k % 10 == 0 else row for k, row in enumerate(rows_of(20))]
    labels = 'labels = {robin = ["rotkehlchen"], wren = [], crow = ["carrion crow"], owl = []}\nn = 7'
    out = built(spec(rows, SPECIES + labels), tmp_path).folder
    items = metadata(out)
    assert sorted(Counter(item["answer"] for item in items).values()) == [2, 2, 3]
    assert any("owl" in item["options"] for item in items)
    assert {one["reason"].partition("'")[2].partition("'")[0] for one in rejected(out)} == {"rook", "tit"}


def test_of_labels_of_which_there_are_few_all_are_kept(recordings, spec, tmp_path, metadata):
    recordings(10)
    few = ["robin"] * 7 + ["wren", "wren", "crow"]
    rows = [row | {"species": label} for row, label in zip(rows_of(10), few, strict=True)]
    items = metadata(built(spec(rows, SPECIES + "n = 7"), tmp_path).folder)
    assert Counter(item["answer"] for item in items) == {"robin": 4, "wren": 2, "crow": 1}


def test_one_clip_is_asked_as_often_as_said_and_never_the_same_twice(recordings, spec, tmp_path, metadata):
    recordings(6)
    items = metadata(built(spec(rows_of(6), SPECIES + "per_clip = 2"), tmp_path).folder)
    assert Counter((item["sha256"], item["question"]) for item in items).most_common(1)[0][1] == 1
    assert {*Counter(item["sha256"] for item in items).values()} == {2}


def test_a_dry_run_writes_nothing_and_says_what_would_be_made(recordings, spec, cli, tmp_path):
    recordings(5)
    path = spec(rows_of(5, who="Anna"), SPECIES, columns='audio = "file", group = ["who"], private = ["who"]')
    before = sorted(tmp_path.rglob("*"))
    said = cli("build", path, "--dry-run")
    assert said.code == 0
    assert "rows: private, in nothing that is made: who" in said.out
    assert "0 calls" in said.out
    said = cli("build", path, "--dry-run", "--json")
    assert said.json["items"] == {"species": 5}
    assert (said.json["calls"], said.json["hosts"], said.json["private"]) == (0, {}, {"rows": ["who"]})
    assert sorted(tmp_path.rglob("*")) == before
    assert plan(path).made
    assert cli("build", path).code == 2


def test_a_folder_that_is_something_else_is_left_alone(recordings, spec, cli, tmp_path):
    recordings(5)
    path = spec(rows_of(5), SPECIES)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/mine.txt").write_text("")
    said = cli("build", path, "-o", tmp_path / "notes")
    assert (said.code, "holds no build; give another folder with -o" in said.err) == (2, True)
    assert [one.name for one in (tmp_path / "notes").iterdir()] == ["mine.txt"]


def test_a_benchmark_is_not_built_over_its_own_source(recordings, spec, cli, tmp_path):
    recordings(10)
    path = spec(rows_of(10), SPECIES)
    assert cli("build", path, "-o", tmp_path / "out").code == 0
    before = {one: one.read_bytes() for one in (tmp_path / "out").rglob("*") if one.is_file()}
    second = tmp_path / "second.toml"
    given = '[[task]]\nname = "again"\nmake = "label"\nabout = "species"\nquestion = ["Which?"]\n'
    facts = 'facts = {species = "answer"}\n'
    second.write_text(f'[benchmark]\nname = "b"\n[[source]]\nsource = "folder"\npath = "out"\n{facts}{given}')
    said = cli("build", second, "-o", tmp_path / "out")
    assert said.code == 2
    assert "holds the recordings of the source out, which are never written over" in said.err
    assert {one: one.read_bytes() for one in (tmp_path / "out").rglob("*") if one.is_file()} == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("spec.toml", '"dawn"', '"dusk"'), "out holds the benchmark 'dawn', not 'dusk'; give another folder with -o"),
        (("out/metadata.jsonl", "Which", "What"), "metadata.jsonl was changed since it was built, by hand or by a"),
        (("out/build/build.json", '"format"', "format"), "build.json, line 2: not JSON: a key without double quotes"),
    ],
)
def test_what_another_benchmark_or_a_person_made_is_not_built_over(recordings, spec, cli, tmp_path, change, said):
    recordings(10)
    path = spec(rows_of(10), SPECIES)
    assert cli("build", path, "-o", tmp_path / "out").code == 0
    assert cli("build", path, "-o", tmp_path / "out").code == 0
    name, old, new = change
    (tmp_path / name).write_text((tmp_path / name).read_text().replace(old, new))
    before = {one: one.read_bytes() for one in (tmp_path / "out").rglob("*") if one.is_file()}
    refused = cli("build", path, "-o", tmp_path / "out")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert said in refused.err
    assert {one: one.read_bytes() for one in (tmp_path / "out").rglob("*") if one.is_file()} == before


def test_another_spec_into_the_same_folder_leaves_no_clip_behind(recordings, spec, tmp_path, metadata):
    recordings(10)
    folder = built(spec(rows_of(10), SPECIES), tmp_path).folder
    (folder / "audio/mine.wav").write_bytes(b"")
    built(spec(rows_of(6), SPECIES), tmp_path)
    assert {path.name for path in (folder / "audio").iterdir()} == {
        Path(item["file_name"]).name for item in metadata(folder)
    } | {"mine.wav"}
    assert json.loads((folder / "build/build.json").read_text())["clips"] == 6


def test_a_task_uses_the_source_and_the_splits_that_it_names(recordings, spec, tmp_path, metadata):
    recordings(10)
    rows = [row | {"part": ("train", "dev", "test")[k % 3]} for k, row in enumerate(rows_of(10))]
    columns = 'audio = "file", group = ["station"], split = "part"'
    train = SPECIES.replace('name = "species"', 'name = "trained"') + 'splits = ["train"]\nsource = "rows"'
    items = metadata(built(spec(rows, SPECIES, train, columns=columns), tmp_path, "a").folder)
    splits = {name: Counter(i["tags"]["split"] for i in items if i["task"] == name) for name in ("species", "trained")}
    assert splits == {"species": {"dev": 3, "test": 3}, "trained": {"train": 4}}
    items = metadata(built(spec(rows, SPECIES, columns=columns, top='splits = ["test"]'), tmp_path, "b").folder)
    assert {item["tags"]["split"] for item in items} == {"test"}
