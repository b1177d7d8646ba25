"""Sources as people have them: each slip is a clear line, the rest goes on, nothing is lost."""

import json
import re
import unicodedata

import pytest

SPECIES = 'name = "species"\nmake = "label"\nabout = "species"\nquestion = ["Which bird is heard?"]'
GIVEN = 'name = "n"\nmake = "given"\nkind = "open"\nabout = "note"\nquestion = ["What is noted?"]'
BIRDS = ("robin", "wren", "crow", "rook", "tit")


def rows_of(n, **more):
    return [{"file": f"birds/{k}.wav", "species": BIRDS[k % 5], "station": f"s{k}"} | more for k in range(n)]


@pytest.fixture
def made(recordings, spec, cli, tmp_path, metadata, rejected):
    def make(rows, task=SPECIES, change=None, n=10, **how):
        recordings(n, seconds=1)
        path = spec(rows, task, **how)
        if change:
            change(tmp_path)
        said = cli("build", path, "-o", tmp_path / "out")
        assert "Traceback" not in said.err
        there = (tmp_path / "out" / "metadata.jsonl").exists()
        return (said, metadata(tmp_path / "out"), rejected(tmp_path / "out")) if there else (said, [], [])

    return make


def flat(said):
    return " ".join(said.out.split())


def test_files_that_are_not_there_are_named_and_the_others_are_used(made):
    said, items, rejected = made(rows_of(12))
    assert said.code == 0
    assert len(items) == 10
    assert [(one["rule"], one["where"]) for one in rejected] == [("missing", f"rows, row {line}") for line in (12, 13)]
    assert "'birds/10.wav', which is not there; fetch it, correct the name or remove the row" in rejected[0]["reason"]
    assert "2 rejected (missing): rows, row 12: names the clip" in flat(said)


def test_recordings_that_cannot_be_read_are_named_and_the_others_are_used(made, tmp_path):
    def change(folder):
        (folder / "birds/0.wav").write_bytes(b"")
        (folder / "birds/1.wav").write_text("<html>")
        whole = (folder / "birds/2.wav").read_bytes()
        (folder / "birds/2.wav").write_bytes(whole[: len(whole) // 2])

    said, items, rejected = made(rows_of(10), change=change)
    assert said.code == 0
    assert len(items) == 7
    assert sorted(one["rule"] for one in rejected) == ["empty", "unreadable", "unreadable"]
    assert any("truncated" in one["reason"] for one in rejected)


@pytest.mark.parametrize("emptied", [True, False])
def test_a_recording_that_changes_while_it_is_built_from_is_named(made, monkeypatch, tmp_path, emptied):
    from audiometry.builder import audio_files, build

    real = audio_files.written

    def changes(folder, by_recording):
        (tmp_path / "birds/3.wav").write_bytes(b"" if emptied else (tmp_path / "birds/4.wav").read_bytes())
        return real(folder, by_recording)

    monkeypatch.setattr(build.audio_files, "written", changes)
    said, items, rejected = made(rows_of(10))
    assert (said.code, len(items)) == (0, 9)
    (one,) = rejected
    assert one["reason"] == "birds/3.wav has changed while it was built from; run the same command again"
    assert one["item"]["answer"] == "rook"


def test_a_span_past_what_can_be_decoded_is_named(made, monkeypatch):
    """Of a lossy file whose header promises more than there is."""
    from audiometry.audio import decode

    real = decode.blocks

    def ends_early(*given, **how):
        for block in real(*given, **how):
            yield block[:8000]

    monkeypatch.setattr(decode, "blocks", ends_early)
    rows = [row | {"a": "0.1", "b": "0.4"} for row in rows_of(5)] + [rows_of(1)[0] | {"a": "0.8", "b": "0.9"}]
    _, items, rejected = made(rows, columns='audio = "file", start = "a", end = "b", group = ["station"]')
    assert len(items) == 5
    (one,) = rejected
    assert one["reason"] == "birds/0.wav ends before its header says, at 0.50 s; correct the times"


def test_rows_in_another_encoding_are_named_and_the_others_are_used(made):
    def change(folder):
        path = folder / "rows.csv"
        lines = path.read_bytes().splitlines()
        lines[3] = lines[3].replace(b"crow", "cröw".encode("latin-1"))
        path.write_bytes(b"\n".join(lines).replace(b"robin", "rübin".encode()))

    said, items, rejected = made(rows_of(10), change=change)
    assert said.code == 0
    assert {item["answer"] for item in items} == {"rübin", "wren", "crow", "rook", "tit"}
    assert len(items) == 9
    (one,) = rejected
    assert one["rule"] == "unreadable-row"
    assert one["where"] == "rows, row 4"
    assert re.fullmatch(r"is not UTF-8 text \('.*cröw.*'\); save it as UTF-8", one["reason"])


def test_a_line_of_json_that_cannot_be_read_is_named_and_the_others_are_used(made, spec):
    def change(folder):
        (folder / "rows.jsonl").write_bytes(
            b'{"file": "birds/0.wav", "species": "robin", "station": 1}\n{"file": \n'
            b'{"file": "birds/1.wav", "species": "wren", "station": 2}\n{"file": "birds/2.wav", "species": "cr\xf6w"}\n'
        )
        path = folder / "spec.toml"
        path.write_text(path.read_text().replace('"csv"', '"json"').replace("rows.csv", "rows.jsonl"))

    said, items, rejected = made(rows_of(2), change=change)
    assert said.code == 0
    assert len(items) == 2
    assert [one["where"] for one in rejected] == ["rows, row 2", "rows, row 4"]


@pytest.mark.parametrize(("encoding", "said"), [("utf-16", "UTF-16 text; save it as UTF-8")])
def test_a_table_in_an_encoding_of_its_own_is_refused_by_its_name(made, encoding, said):
    def change(folder):
        path = folder / "rows.csv"
        path.write_text(path.read_text(), encoding=encoding)

    found, _, _ = made(rows_of(3), change=change)
    assert found.code == 2
    assert said in found.err


def test_empty_labels_are_named(made):
    rows = rows_of(10)
    rows[3]["species"] = rows[7]["species"] = " "
    said, items, rejected = made(rows)
    assert said.code == 0
    assert len(items) == 8
    assert [(one["rule"], one["where"]) for one in rejected] == [("empty-label", f"rows, row {k}") for k in (5, 9)]
    assert "has no species; fill the cell" in flat(said)


def test_one_class_only_makes_no_item_and_other_tasks_go_on(made):
    other = SPECIES.replace('"species"', '"station"')
    said, items, rejected = made([row | {"species": "robin"} for row in rows_of(10)], f"{SPECIES}\n[[task]]\n{other}",
                                 facts='species = "species", station = "station"')  # fmt: skip
    assert said.code == 1
    assert {item["task"] for item in items} == {"station"}
    assert {one["rule"] for one in rejected} == {"no-wrong-option"}
    assert "task species: one label only ('robin'); list those that there could be in labels" in flat(said)
    assert "task species: no item could be made, all 10 clips are rejected (no-wrong-option 10)" in flat(said)


def test_a_label_set_mends_one_class_only(made):
    said, items, _ = made([row | {"species": "robin"} for row in rows_of(4)], f'{SPECIES}\nlabels = ["robin", "wren"]')
    assert (said.code, {tuple(sorted(item["options"])) for item in items}) == (0, {("robin", "wren")})


def test_fewer_labels_than_options_are_all_shown_and_said(made):
    said, items, _ = made([row | {"species": BIRDS[k % 3]} for k, row in enumerate(rows_of(9))])
    assert said.code == 0
    assert {len(item["options"]) for item in items} == {3}
    assert "task species: 3 labels (robin, wren, crow), so its items have 3 options" in flat(said)


@pytest.mark.parametrize(
    ("begin", "end", "reason"),
    [
        ("0.5", "1.2", "ends at 1.2 s, but birds/0.wav is 1.00 s long; correct the times or the file"),
        ("0.9", "0.2", "starts at 0.9 s and ends at 0.2 s; correct the times"),
        ("-1", "0.5", "starts at -1 s and ends at 0.5 s; correct the times"),
        ("3", "", "starts at 3 s and ends at 1 s; correct the times"),
        ("soon", "1", "has 'soon' in a; seconds are meant, 12.5"),
        ("inf", "1", "has 'inf' in a; seconds are meant, 12.5"),
    ],
)
def test_times_that_cannot_be_are_named(made, begin, end, reason):
    rows = [row | {"a": "0,25", "b": "1.005"} for row in rows_of(6)]
    rows[0] |= {"a": begin, "b": end}
    said, items, rejected = made(rows, columns='audio = "file", start = "a", end = "b", group = ["station"]')
    assert said.code == 0
    assert [item["provenance"]["span"] for item in items] == ["0.25-1"] * 5
    assert [(one["rule"], one["reason"]) for one in rejected] == [("times", reason)]


@pytest.mark.parametrize("channel", ["3", "0", "middle"])
def test_a_channel_that_is_not_there_is_named(made, channel):
    rows = [row | {"side": "1"} for row in rows_of(6)]
    rows[0]["side"] = channel
    said, items, rejected = made(rows, columns='audio = "file", channel = "side", group = ["station"]')
    assert (said.code, len(items)) == (0, 5)
    (one,) = rejected
    assert one["reason"] == f"names the channel '{channel}' of a clip that has 1 channel; 1 is the first"


def test_a_licence_that_is_absent_and_groups_that_are_not_known_are_said(made):
    said, items, _ = made(rows_of(6), benchmark="", columns='audio = "file"')
    assert (said.code, len(items)) == (0, 6)
    assert flat(said).count("rows: no licence is stated; write it in the [[source]], or under [benchmark]") == 1
    assert flat(said).count("rows: no columns.group, so clips of one speaker, station or day count as independent") == 1
    said, _, _ = made(rows_of(6))
    assert "no licence" not in said.out
    assert "columns.group" not in said.out


def test_empty_cells_of_licences_are_said(made):
    rows = [row | {"licence": "CC-BY-4.0" * (k > 1)} for k, row in enumerate(rows_of(6))]
    said, items, _ = made(rows, columns='audio = "file", group = ["station"], licence = "licence"')
    assert [item["licence"] for item in items] == ["CC0-1.0"] * 2 + ["CC-BY-4.0"] * 4
    assert "rows: 2 rows without a licence in licence: theirs is taken for that of the source or the" in flat(said)


def test_a_row_of_one_of_several_tables_is_named_with_its_table(made, tmp_path):
    def change(folder):
        (folder / "more.csv").write_text((folder / "rows.csv").read_text().replace("birds/5.wav", "birds/55.wav"))
        (folder / "spec.toml").write_text((folder / "spec.toml").read_text().replace("rows.csv", "*.csv"))

    rows = rows_of(6)
    rows[1]["species"] = ""
    _, _, rejected = made(rows, change=change)
    assert [one["where"] for one in rejected] == ["rows, row 7 of more.csv", "rows, row 3 of more.csv, 3 of rows.csv"]


def test_a_row_that_names_no_recording_is_said_in_words_of_the_source(made):
    rows = rows_of(6)
    rows[2]["file"] = ""
    _, _, rejected = made(rows)
    assert [(one["rule"], one["where"]) for one in rejected] == [("no-clip", "rows, row 4")]
    assert rejected[0]["reason"] == "names no recording; fill the cell, or remove the row"


@pytest.mark.parametrize("private", ["", ', private = ["station"]'])
def test_absolute_paths_are_used_below_the_folder_that_the_source_names(made, tmp_path, private):
    rows = [*rows_of(6), {"file": "/elsewhere/0.wav", "species": "tit", "station": "s9"}]
    for row in rows[:5]:
        row["file"] = f"{tmp_path}/{row['file']}"
    columns = f'audio = "file", group = ["station"]{private}'
    _, items, rejected = made(rows, columns=columns, source=f'clips_in = "{tmp_path}"')
    assert [item["provenance"]["file"] for item in items] == [f"birds/{k}.wav" for k in range(6)]
    (one,) = rejected
    assert (one["rule"], one["where"]) == ("unreadable-row", "rows, row 8")
    assert one["reason"].startswith("names its recording by an absolute path; say in clips_in of the source")


def test_a_key_that_is_known_stands_in_no_copy_of_the_spec(made, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret1")
    made(rows_of(6), benchmark='licence = "CC0-1.0" # asked with sk-verysecret1')
    held = b"".join(path.read_bytes() for path in (tmp_path / "out/build").iterdir() if path.is_file())
    assert b"asked with ***" in held
    assert b"sk-verysecret1" not in held


def test_what_the_source_cannot_mean_is_named_and_the_rest_goes_on(made):
    columns = 'audio = "file", question = "q", options = ["a", "b"], answer = "gold"'
    rows = [{"file": f"birds/{k}.wav", "q": f"Is it {k}?", "a": "yes", "b": "no", "gold": "yes"} for k in range(6)]
    rows[0] |= {"gold": "maybe"}
    rows[1] |= {"a": "no", "gold": "no"}
    rows[2] |= {"q": ""}
    rows[3] |= {"gold": ""}
    rows[4] |= {"a": "x" * 60_000, "gold": "no"}
    said, items, rejected = made(rows, 'name = "own"\nmake = "given"', columns=columns, facts="")
    assert (said.code, len(items)) == (0, 1)
    assert [one["rule"] for one in rejected] == [
        "answer-no-option",
        "answer-no-option",
        "malformed",
        "empty-label",
        "malformed",
    ]
    assert rejected[0]["item"]["question"] == "Is it 0?"


def test_a_group_or_a_clip_stands_in_one_split(made, tmp_path):
    rows = [row | {"part": "dev" if k < 4 else "test"} for k, row in enumerate(rows_of(10))]
    rows[4]["station"] = rows[0]["station"] = "s9"
    rows += [rows[6] | {"part": "dev", "species": "owl"}, rows[7] | {"part": "train"}, rows[8] | {"part": ""}]
    columns = 'audio = "file", group = ["station"], split = "part"'
    said, items, rejected = made(rows, columns=columns)
    assert said.code == 0
    split = {item["provenance"]["file"]: item["tags"]["split"] for item in items}
    assert split == {f"birds/{k}.wav": "dev" if 0 < k < 4 else "test" for k in range(1, 10)}
    assert [(one["rule"], one["where"]) for one in rejected] == [
        ("two-splits", "rows, row 2"),
        ("two-splits", "rows, row 12"),
    ]
    assert "is in the split dev, but most of its group 's9' is in test" in rejected[0]["reason"]
    for part in ("train", "none"):
        assert f"rows: 1 clip of the split {part}: not used, dev, test are" in flat(said)
    assert "owl" not in str(items)


def test_what_shares_a_clip_stands_in_one_split_whatever_its_group(made):
    """Two groups that have a clip in common are one."""
    rows = [
        row | {"part": "test" if k < 3 else "dev", "station": "a" if k < 3 else "b"} for k, row in enumerate(rows_of(7))
    ]
    rows.append(rows[0] | {"part": "dev", "station": "b"})
    columns = 'audio = "file", group = ["station"], split = "part"'
    _, items, rejected = made(rows, columns=columns)
    assert {item["tags"]["split"] for item in items} == {"dev"}
    assert {one["where"] for one in rejected} == {"rows, row 2", "rows, row 3", "rows, row 4"}


def test_private_values_stand_in_nothing_that_is_made(made, tmp_path):
    rows = [
        row | {"who": f"Anna Meyer {k % 3}", "note": f"note {k}", "station": "x"} for k, row in enumerate(rows_of(10))
    ]
    rows[2]["note"] = "the patient anna  meyer 2 coughs"
    rows[3]["note"] = "anna coughs"
    rows[8] |= {"file": "birds/Anna Meyer 1.wav", "who": "Anna Meyer 1"}
    rows[9] |= {"file": "birds/Bernd_Meyer.wav", "who": "Bernd Meyer"}
    columns = 'audio = "file", group = ["who"], private = ["who"]'

    def change(folder):
        (folder / "birds/Anna Meyer 1.wav").write_text("no audio")
        (folder / "birds/Bernd_Meyer.wav").unlink(missing_ok=True)

    said, items, rejected = made(rows, f"{SPECIES}\n[[task]]\n{GIVEN}", change=change, columns=columns,
                                 facts='species = "species", note = "note"')  # fmt: skip
    assert said.code == 0
    assert {item["group"] for item in items} == {"rows-1", "rows-2", "rows-3"}
    assert len(items) == 15
    assert [one["rule"] for one in rejected] == ["missing", "unreadable", "private"]
    assert (rejected[0]["where"], rejected[0]["reason"].partition(";")[0]) == (
        "rows, row 11",
        "names a clip that is not there",
    )
    assert all("item" not in one for one in rejected)
    for path in (tmp_path / "out").rglob("*"):
        assert path.is_dir() or b"meyer" not in path.read_bytes().lower(), path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('make = "label"', 'make = "labl"'), "unknown make 'labl'; did you mean 'label'?"),
        (('about = "species"', 'abuot = "species"'), "unknown key 'abuot' in entry 1 of 'task'; did you mean 'about'?"),
        (('group = ["station"]', 'gruop = ["station"]'), "unknown key 'gruop' in 'columns' in entry 1 of 'source'"),
        (('about = "species"', 'about = "specis"'), "has about = 'specis', which is no fact; did you mean 'species'?"),
        (('audio = "file"', 'audio = "fiel"'), "; add it, or write in columns of the [[source]] rows"),
        (('path = "rows.csv"', 'path = "rows/*.csv"'), "no file matches rows/*.csv in"),
        (('group = ["station"]', 'private = ["species"]'), "has the fact 'species' in a column that is private"),
        (('group = ["station"]', 'private = ["species.who"]'), "has the fact 'species' in a column that is private"),
        (('name = "dawn"', ""), 'the benchmark has no name; write name = "…" under [benchmark]'),
        (('question = ["Which bird is heard?"]', ""), "[[task]] species has no question; write one"),
        (('about = "species"', 'about = "species"\noptions = 40'), "has options = 40; 2 to 26 are meant"),
        (('about = "species"', 'about = "species"\nn = -1'), "has n = -1; how many items at most is meant, 0 for all"),
        (('about = "species"', 'about = "species"\nper_clip = 3'), "has per_clip = 3 and 1 question; one clip is"),
        (('about = "species"', 'about = "species"\nlabels = ["a", "A"]'), "for both 'a' and 'A'"),
        (('path = "rows.csv"', ""), 'has no path; name the table (path = "rows.csv")'),
        (('source = "csv"', 'source = "hub"'), 'has no repository; write repository = "owner/name"'),
        (('audio = "file"', 'audio = ""'), "has an empty column of the audio; name it in columns.audio"),
        (('audio = "file"', 'audio = "file", end = "b"'), "has a column of ends and none of starts"),
        (('audio = "file"', 'audio = "file", split = "x", private = ["x"]'), "names 'x' as private and as something"),
        (('species = "species"', 'species = {column = " "}'), "has the fact 'species' without a column; name it"),
        (("[[task]]", '[[source]]\nname = "rows"\n[[task]]'), "has two [[source]] called 'rows'; give each its name"),
        (('about = "species"', 'about = "species"\nsource = "row"'), "names the source 'row', which is none; did you"),
        (('about = "species"', 'about = "species"\nnear = "genus"'), "has near = 'genus', which is no fact; known"),
        (('["Which bird is heard?"]', '["Which?", " "]'), "has an empty question, number 2; leave it out"),
        (('["Which bird is heard?"]', '["Which?", "Which?"]'), "has question 2 twice; write another"),
        (('about = "species"', 'about = "species"\nlabels = ["a", "a"]'), "has a label twice; leave one out"),
        (('about = "species"', 'about = "species"\nlabels = ["a"]'), "has one label only; it needs two, or none"),
        (('about = "species"', 'about = "species"\nlabels = ["a", ""]'), "has an empty label; leave it out"),
        (('make = "label"', 'make = "given"'), "has no options; name their columns in columns.options, or"),
        (("[[task]]", '[writer]\nmodel = "vllm/x"\nbase_url = "http://me:pw@h/v1"\n[[task]]'), "with a user, a pass"),
        (("[[task]]", '[filter]\nblind = "vllm/x@http://h/v1?key=pw"\n[[task]]'), "[filter] has an address with a"),
        (("seed = 1", "sead = 1"), "unknown key 'sead'; did you mean 'seed'?"),
    ],
)  # fmt: skip
def test_a_slip_of_the_spec_is_one_line_before_anything_is_written(made, tmp_path, change, said):
    def slip(folder):
        text = (folder / "spec.toml").read_text()
        assert change[0] in text
        (folder / "spec.toml").write_text(text.replace(*change))

    found, _, _ = made(rows_of(6), change=slip, top="seed = 1")
    assert found.code == 2
    assert said in found.err
    assert found.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_private_values_in_lists_objects_other_letters_groups_and_licences_stand_in_nothing(made, tmp_path):
    composed, apart = (unicodedata.normalize(form, "Jörg Mühlhäuser") for form in ("NFC", "NFD"))
    told = [apart, "田中太郎さんの猫", "Zoe Quist calls", "Ada Brown calls", "Old Parr barks", "owl"]
    rows = [
        {"file": f"birds/{k}.wav", "label": label, "who": {"name": composed if k == 0 else "田中太郎"}, "note": f"n{k}",
         "station": "s", "split": "dev", "licence": "", "people": ["Zoe Quist", "Ada Brown"], "of": '["Old Parr"]'}
        for k, label in enumerate(told)
    ]  # fmt: skip
    rows += [rows[5] | {"file": f"birds/{k}.wav", "label": "wren", "station": f"s{k}"} for k in (6, 7, 8, 9)]
    rows[6]["station"] = "Zoe Quist's garden"
    rows[7]["licence"] = "by courtesy of Ada Brown"
    rows[8]["split"] = "ward of Old Parr"

    def change(folder):
        (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        text = (folder / "spec.toml").read_text()
        (folder / "spec.toml").write_text(text.replace('"csv"', '"json"').replace("rows.csv", "rows.jsonl"))

    columns = """audio = "file", group = ["station"], split = "split", licence = "licence",
                 private = ["who.name", "people", "of", "who.nobody"]""".replace("\n", " ")
    tasks = SPECIES + '\nlabels = ["owl", "wren"]\n[[task]]\n' + GIVEN.replace("note", "species")
    said, items, rejected = made(rows[:1], tasks, change=change, columns=columns, facts='species = "label"')
    assert [item["answer"] for item in items] == ["owl", "wren", "wren"] * 2
    assert [one["rule"] for one in rejected] == ["not-a-label"] * 5 + ["private"] * 7
    assert {item["group"] for item in items} == {"rows-1", "s", "s9"}
    assert "no row has a value in who.nobody, which is private" in flat(said)
    for path in (*(tmp_path / "out").rglob("*.*"), said):
        text = path.out + path.err if path is said else path.read_bytes().decode("utf-8", "replace")
        assert not [one for one in (composed, apart, "田中太郎", "Quist", "Brown", "Parr") if one in text], path
