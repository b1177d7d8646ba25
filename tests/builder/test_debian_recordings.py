"""The specs of ``examples/debian_recordings``, from the packages' folders to reviewed benchmarks and scored runs.

Skipped where the packages are not there; ``DEBIAN_ROOT`` names the folder that they were unpacked into, if not ``/``.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from audiometry import bench
from audiometry.review import sources
from audiometry.review.folder import INSIDE, ReviewFolder
from audiometry.review.modes import OF_ITEMS
from audiometry.review.review import reviewed

pytestmark = pytest.mark.slow
EXAMPLE = Path(__file__).parents[2] / "examples/debian_recordings"
ROOT = Path(os.environ.get("DEBIAN_ROOT", "/"))
NEEDED = (
    "usr/share/pocketsphinx/test/data/librivox/transcription",
    "usr/share/hydrogen/data/drumkits",
    "usr/share/klettres/de/alpha",
    "usr/share/sounds/sf2/TimGM6mb.sf2",
)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    programs = (Path(one) / "fluidsynth" for one in os.environ["PATH"].split(os.pathsep))
    if not all((ROOT / one).exists() for one in NEEDED) or not any(map(Path.exists, programs)):
        pytest.skip(f"not installed: the packages that {EXAMPLE / 'tables.py'} names")
    folder = tmp_path_factory.mktemp("debian")
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
    subprocess.run([sys.executable, "tables.py", str(ROOT)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.mark.parametrize(
    ("name", "tasks", "rules"),
    [
        ("speech", {"transcript": 10}, {}),
        ("drums", {"drum": 120}, {"missing": 1}),
        ("notes", {"instrument": 54}, {}),
        ("letters", {"language": 150, "louder": 40}, {"missing": 1, "clipped": None}),
    ],
)
def test_a_package_becomes_a_reviewed_benchmark_and_a_scored_run(tables, cli, tmp_path, name, tasks, rules):
    folder, new = tmp_path / name, tmp_path / "reviewed"
    built = cli("build", tables / f"{name}.toml", "-o", folder, "--json")
    assert (built.code, built.json["items"]) == (0, tasks)
    assert {rule: n for rule, n in built.json["rejected"].items() if rules.get(rule, n) is not None} == {
        rule: n for rule, n in rules.items() if n is not None
    }
    assert built.json["check"]["n_errors"] == 0
    loaded = bench.load(folder)
    review = reviewed(
        ReviewFolder(folder / INSIDE),
        OF_ITEMS["approve"],
        sources.items(loaded),
        (loaded.name,),
        dict.fromkeys(("raters", "sample", "seed")),
    )
    with review.desk() as desk:
        first, *others = desk.units.values()
        desk.put("anna", first.key, {"verdict": "reject", "reason": "clip", "note": ""})
        for unit in others:
            desk.put("anna", unit.key, {"verdict": "approve"})
    applied = cli("review", folder, "--apply", "-o", new, "--json").json
    assert (applied["n_items"], applied["n_rejected"], applied["n_unreviewed"]) == (sum(tasks.values()) - 1, 1, 0)
    assert cli("check", new, "--json").json["n_errors"] == 0
    ran = cli("run", new, "--model", "scripted/oracle", "-o", tmp_path / "run", "--no-probe", "--json")
    assert ran.code == 0
    (score,) = cli("score", tmp_path / "run", "--json").json["scores"].values()
    assert score["value"] == (0 if name == "speech" else 1)
    assert score["n_items"] == applied["n_items"]
