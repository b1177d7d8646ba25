"""The same recordings and facts from every kind of source."""

import json
import shutil

import pytest

from audiometry.bench import hub

SPECIES = 'name = "species"\nmake = "label"\nabout = "species"\nquestion = ["Which bird is heard?"]'
BIRDS = ("robin", "wren", "crow", "rook", "tit")
ROWS = [{"file": f"birds/{k}.wav", "species": BIRDS[k % 5], "station": f"s{k}"} for k in range(10)]


@pytest.fixture
def made(recordings, cli, tmp_path, metadata, monkeypatch):
    """Build from a ``[[source]]`` that is written out, beside the recordings."""
    monkeypatch.setenv("AUDIOMETRY_CACHE", str(tmp_path / "cache"))
    recordings(10)

    def make(source, task=SPECIES, facts='facts = {species = "species"}', out="out"):
        head = '[benchmark]\nname = "x"\nlicence = "CC0-1.0"\n[[source]]\nname = "rows"'
        whole = f"{head}\n{source}\n{facts}\n[[task]]\n{task}\n"
        (tmp_path / "spec.toml").write_text(whole, encoding="utf-8")
        said = cli("build", tmp_path / "spec.toml", "-o", tmp_path / out)
        return said, metadata(tmp_path / out) if said.code < 2 else []

    return make


def known(items):
    """What does not tell where an item came from."""
    return sorted((item["id"], item["answer"], item["sha256"], item["group"]) for item in items)


@pytest.fixture
def wanted(made, tmp_path):
    (tmp_path / "rows.csv").write_text(
        "file,species,station\n" + "".join(",".join(row.values()) + "\n" for row in ROWS)
    )
    said, items = made(
        'source = "csv"\npath = "rows.csv"\ncolumns = {audio = "file", group = ["station"]}', out="wanted"
    )
    assert said.code == 0, said.err
    assert len(items) == 10
    return known(items)


COLUMNS = 'columns = {audio = "file", group = ["station"]}'


def test_tab_separated_cells(made, wanted, tmp_path):
    (tmp_path / "rows.tsv").write_text(
        "\n".join("\t".join(row) for row in [list(ROWS[0]), *(r.values() for r in ROWS)])
    )
    said, items = made(f'source = "tsv"\npath = "*.tsv"\n{COLUMNS}')
    assert (said.code, known(items)) == (0, wanted)


@pytest.mark.parametrize("lines", [True, False])
def test_json_with_facts_inside_an_object(made, wanted, tmp_path, lines):
    rows = [{"file": r["file"], "station": r["station"], "tags": {"bird": [r["species"]]}} for r in ROWS]
    text = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
    (tmp_path / "rows.json").write_text(text)
    said, items = made(f'source = "json"\npath = "rows.json"\n{COLUMNS}', facts='facts = {species = "tags.bird"}')
    assert (said.code, known(items)) == (0, wanted)


@pytest.mark.parametrize("inside", ["struct", "bytes", "names"])
def test_parquet_with_clips_inside_or_beside(made, wanted, tmp_path, inside):
    pa = pytest.importorskip("pyarrow", reason="the hub extra is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = []
    for row in ROWS:
        raw = (tmp_path / row["file"]).read_bytes()
        audio = {"struct": {"bytes": raw, "path": row["file"]}, "bytes": raw, "names": row["file"]}[inside]
        rows.append({"file": audio, "species": row["species"], "station": row["station"]})
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet", row_group_size=4)
    said, items = made(f'source = "parquet"\npath = "*.parquet"\n{COLUMNS}')
    assert (said.code, known(items)) == (0, wanted)


@pytest.mark.parametrize("name", ["metadata.csv", "metadata.jsonl"])
def test_a_folder_with_its_table_in_the_hubs_layout(made, wanted, tmp_path, name):
    rows = [row | {"file_name": row["file"].removeprefix("birds/")} for row in ROWS]
    if name.endswith("csv"):
        text = "species,station,file_name\n" + "".join(
            f"{r['species']},{r['station']},{r['file_name']}\n" for r in rows
        )
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "birds" / name).write_text(text)
    said, items = made('source = "folder"\npath = "birds"\ncolumns = {group = ["station"]}')
    assert (said.code, known(items)) == (0, wanted)


@pytest.mark.parametrize("table", ["data/test.csv", ""])
def test_a_data_set_on_the_hub(made, wanted, tmp_path, monkeypatch, table):
    """Of which the copy is here; how it is fetched is tested with the hub's own library (tests/bench/test_hub.py)."""
    here, commit = tmp_path / "copy", "a" * 40
    for row in ROWS:
        name = here / "birds" / row["species"] / row["file"].rpartition("/")[2]
        name.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tmp_path / row["file"], name)
    clips = tuple(sorted(path.relative_to(here).as_posix() for path in here.rglob("*.wav")))
    if table:
        (here / "data").mkdir()
        rows = [f"birds/{row['species']}/{row['file'].rpartition('/')[2]},{row['species']}\n" for row in ROWS]
        (here / table).write_text("audio,label\n" + "".join(rows))
    copy = hub.Copy(commit, str(here), (table,) if table else (), clips)
    monkeypatch.setattr(hub, "fetch", lambda path, wanted: copy)
    said, items = made('source = "hub"\nrepository = "org/birds"', facts='facts = {species = "label"}')
    assert said.code == 0, said.err
    assert {item["id"]: item["answer"] for item in items} == {one[0]: one[1] for one in wanted}
    info = json.loads((tmp_path / "out/build/build.json").read_text())
    assert info["sources"][0]["revision"] == f"org/birds@{commit}"
    assert json.loads((tmp_path / "out/croissant.json").read_text())["isBasedOn"] == [f"org/birds@{commit}"]


def test_folders_that_are_called_after_their_labels(made, wanted, tmp_path):
    for row in ROWS:
        (tmp_path / "sorted" / row["species"]).mkdir(parents=True, exist_ok=True)
        shutil.copy(tmp_path / row["file"], tmp_path / "sorted" / row["species"])
    said, items = made('source = "folder"\npath = "sorted"', facts='facts = {species = "label"}')
    assert said.code == 0
    assert {item["id"]: item["answer"] for item in items} == {one[0]: one[1] for one in wanted}


def test_tables_and_clips_in_other_places_than_the_spec(made, wanted, tmp_path):
    (tmp_path / "spec").mkdir()
    elsewhere = tmp_path / "elsewhere" / "tables"
    elsewhere.mkdir(parents=True)
    (tmp_path / "rows.csv").rename(elsewhere / "rows.csv")
    beside = f"../{tmp_path.name}"
    for path, clips in ((elsewhere / "*.csv", tmp_path), (f"{beside}/elsewhere/tables/rows.csv", beside)):
        said, items = made(
            f'source = "csv"\npath = "{path}"\nclips_in = "{clips}"\n{COLUMNS}', out=f"out-{clips == beside}"
        )
        assert said.code == 0, said.err
        assert known(items) == wanted


def test_rows_that_are_meant_and_what_their_values_stand_for(made, wanted, tmp_path):
    rows = [row | {"species": str(BIRDS.index(row["species"])), "part": "use"} for row in ROWS]
    rows += [row | {"part": "leave", "species": "9"} for row in rows]
    (tmp_path / "rows.csv").write_text(",".join(rows[0]) + "\n" + "".join(",".join(r.values()) + "\n" for r in rows))
    values = ", ".join(f'{n} = "{bird}"' for n, bird in enumerate(BIRDS))
    more = f'values = {{species = {{{values}}}}}\nwhere = {{part = ["use"]}}'
    said, items = made(f'source = "csv"\npath = "rows.csv"\n{COLUMNS}\n{more}')
    assert (said.code, known(items)) == (0, wanted)
    assert "data.where" not in said.out


def test_several_sources_of_one_task(made, wanted, tmp_path):
    lines = (tmp_path / "rows.csv").read_text().splitlines(keepends=True)
    (tmp_path / "a.csv").write_text("".join([lines[0], *lines[1:6]]))
    (tmp_path / "b.csv").write_text("".join([lines[0], *lines[6:]]))
    first = f'source = "csv"\npath = "a.csv"\n{COLUMNS}\nfacts = {{species = "species"}}'
    shared = 'groups = "stations"'
    said, items = made(f'{first}\n{shared}\n[[source]]\nsource = "csv"\npath = "b.csv"\n{shared}\n{COLUMNS}')
    assert (said.code, known(items)) == (0, wanted)
    assert {item["source"] for item in items} == {"rows", "b.csv"}


def test_a_folder_of_clips_is_not_written_into(made, tmp_path):
    said, _ = made('source = "folder"\npath = "."', facts='facts = {species = "label"}')
    assert said.code == 2
    assert "whose recordings its clips would become; give another folder with -o" in said.err
    assert not (tmp_path / "out").exists()


def test_a_folder_without_anything(made, tmp_path):
    (tmp_path / "nothing").mkdir()
    said, _ = made('source = "folder"\npath = "nothing"')
    assert said.code == 2
    assert "nothing holds no table and no clips; correct the path" in said.err
    said, _ = made('source = "folder"\npath = "nowhere"')
    assert "nowhere is no folder; correct the path" in said.err
