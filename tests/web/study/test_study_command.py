"""``audiometry review … --study``: what is refused, and the sheets that it writes."""

import contextlib
import json
import sys

import pytest

from audiometry.web.study.flow import Done
from audiometry.web.study.spec import read
from audiometry.web.study.study import Study


@pytest.fixture
def folder(make_benchmark):
    return make_benchmark(4)


@pytest.fixture
def taken_part(folder, study_file):
    """A study in which Anna has done all, Ben is under way and Cara did not agree."""
    path = study_file(n=2)
    (folder / "review").mkdir()
    with contextlib.closing(Study.open(read(path), f"sqlite:///{folder}/review/study.db")) as study:
        for pid in ("anna", "ben", "cara"):
            number = study.who(study.arrive({"PROLIFIC_PID": pid, "SESSION_ID": f"x{pid}"}))
            study.consent(number, "1", agreed=pid != "cara", done=Done(0))
            if pid == "anna":
                study.screen(number, {"hearing": "Yes"}, Done(0))
                study.describe(number, {"age": "Under 30"}, Done(0))
                study.begin(number, Done(0))
                study.check(number, 0, "Certainly", Done(1))
                study.check(number, 1, "Blue", Done(1))
                study.look(number, Done(2))
    return path


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["--payment", "pay.csv"], "name its file with --study"),
        (["--forget-ids"], "name its file with --study"),
        (["--study", "none.toml"], "none.toml"),
        (["--study", "{study}", "--rater", "anna", "--host", "127.0.0.1"], "leave --rater out"),
        (["--study", "{study}", "--payment", "pay.csv"], "nobody has come to a study of"),
        (["--study", "{study}", "--payment", "a.csv", "--payment", "b.csv"], "given twice"),
    ],
)
def test_what_cannot_be_done_is_one_line(cli, folder, study_file, flags, why):
    study = str(study_file())
    got = cli("review", folder, *(flag.replace("{study}", study) for flag in flags))
    assert got.code == 2
    assert why in got.err
    assert got.err.count("\n") == 1
    assert not (folder / "review").exists()


def test_the_sheet_pays_who_came_and_leaves_out_who_is_under_way(cli, folder, taken_part, tmp_path):
    got = cli("review", folder, "--study", taken_part, "--payment", tmp_path / "pay.csv")
    assert got.code == 0
    assert "2 participants to be paid or asked (approve 1, ask to return 1)" in got.out
    assert "Not in it: 1 still under way" in got.out
    rows = (tmp_path / "pay.csv").read_text().splitlines()
    assert {row.split(",")[0] for row in rows[1:]} == {'"anna"', '"cara"'}
    assert "anna" not in got.out + got.err


def test_people_are_written_without_ids_and_as_one_document(cli, folder, taken_part, tmp_path):
    got = cli("review", folder, "--study", taken_part, "--participants", tmp_path / "people.jsonl", "--json")
    found = json.loads(got.out)
    assert (found["study"], found["n_participants"], found["n_under_way"]) == ("birds", 3, 1)
    text = (tmp_path / "people.jsonl").read_text()
    people = {line["exit"]: line for line in map(json.loads, text.splitlines())}
    assert people["complete"]["checks"] == {"1": False, "2": True}
    assert people["complete"]["demographics"] == {"age": "Under 30"}
    assert people["complete"]["consented_at"]
    assert people[""]["consent"] == "1"
    assert not [pid for pid in ("anna", "ben", "cara") if pid in text]


def test_ids_are_removed_and_then_nobody_can_be_paid_by_a_sheet(cli, folder, taken_part, tmp_path):
    pay = tmp_path / "pay.csv"
    got = cli("review", folder, "--study", taken_part, "--payment", pay, "--forget-ids")
    assert got.code == 0
    assert "2 ids removed" in got.out
    assert "Kept: ids of 1 still under way" in got.out  # who could not be paid without
    assert "anna" in pay.read_text()  # the sheet came first
    got = cli("review", folder, "--study", taken_part, "--payment", tmp_path / "again.csv")
    assert got.code == 2
    assert "ids were removed" in got.err
    assert not (tmp_path / "again.csv").exists()
    raw = b"".join(path.read_bytes() for path in (folder / "review").glob("study.db*"))
    assert b"anna" not in raw
    assert b"cara" not in raw


def test_a_sheet_of_an_arena_that_is_not_there_makes_none(cli, study_file, tmp_path):
    db = tmp_path / "none.sqlite"
    got = cli("arena", "study", study_file(), "--db", f"sqlite:///{db}", "--payment", tmp_path / "pay.csv")
    assert got.code == 2
    assert "nobody has come to the study of study.toml yet" in got.err
    assert not db.exists()
    wrong = study_file(change=lambda text: 'arena = "none.toml"\n' + text)
    got = cli("arena", "study", wrong, "--db", f"sqlite:///{db}")
    assert got.code == 2
    assert "none.toml" in got.err
    assert not db.exists()


def test_what_is_missing_is_named_with_what_installs_it(cli, folder, study_file, monkeypatch):
    import audiometry.web.study

    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    monkeypatch.delitem(sys.modules, "audiometry.web.study.study", raising=False)
    monkeypatch.delattr(audiometry.web.study, "study", raising=False)
    got = cli("review", folder, "--study", study_file())
    assert got.code == 2
    assert "a study needs SQLAlchemy and Alembic; run: pip install" in got.err
