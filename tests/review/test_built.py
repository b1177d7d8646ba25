"""From a table of recordings to a benchmark that people have approved, and a run that says so."""

import hashlib
import json
import re

import msgspec

from audiometry import bench
from audiometry.review.review import unreviewed

SPEC = """
[benchmark]
name = "dawn"
licence = "CC0-1.0"
[[source]]
source = "csv"
path = "rows.csv"
columns = {audio = "file", group = ["station"]}
facts = {species = "species"}
[[task]]
name = "species"
category = "sound"
make = "label"
about = "species"
question = ["Which bird is heard?"]
"""


def test_a_built_benchmark_is_reviewed_applied_and_run(make_benchmark, begun, cli, tmp_path):
    sounds = make_benchmark(8) / "audio"
    rows = [f"{n:05}.wav,{['robin', 'wren', 'crow', 'owl'][n % 4]},s{n}" for n in range(8)]
    (sounds / "rows.csv").write_text("\n".join(["file,species,station", *rows]) + "\n")
    (sounds / "dawn.toml").write_text(SPEC)
    folder, new = tmp_path / "dawn", tmp_path / "reviewed"
    assert cli("build", sounds / "dawn.toml", "-o", folder).code == 0
    assert unreviewed(bench.load(folder)) == (8, 8)
    info = folder / "build" / "build.json"
    blind = {
        "model": "served/deaf",
        "tasks": {"species": {"right": 2, "items": 8, "unanswered": 0, "chance": 0.25, "interval": None}},
    }
    info.write_text(json.dumps(json.loads(info.read_text()) | {"blind": blind}))
    with begun(folder).desk() as desk:
        units = list(desk.units.values())
        desk.put("anna", units[0].key, {"verdict": "reject", "reason": "clip", "note": "wind"})
        for unit in units[1:6]:
            desk.put("anna", unit.key, {"verdict": "approve"})
    assert cli("review", folder, "--apply", "-o", new).code == 0
    built = json.loads((new / "build" / "build.json").read_text())
    assert (built["items"], built["clips"], built["rejected"]["review"]) == ({"species": 7}, 7, 1)
    assert built["unreviewed"] == 2 / 7
    assert built["blind"] is None  # it was of other items
    assert built["version"] == bench.load(new).card.benchmark.version
    described = json.loads((new / "croissant.json").read_text())
    assert described["version"] == built["version"]
    (table,) = [one for one in described["distribution"] if one.get("contentUrl") == "metadata.jsonl"]
    assert table["sha256"] == hashlib.sha256((new / "metadata.jsonl").read_bytes()).hexdigest()
    said = " ".join(re.sub(r"<[^>]+>", " ", (new / "build" / "report.html").read_text("utf-8")).split())
    assert f"version {built['version']}, 7 items, 7 clips, 5 of them reviewed" in said
    assert "1 rejected (review)" in said
    assert re.search(r"7 clips, 0\.\d min in all", said)
    ran = cli("run", new, "--model", "scripted/oracle", "-o", tmp_path / "second", "--no-probe", "--json")
    assert "dawn: 2 of 7 items (28.6 %) are unreviewed" in ran.err
    assert units[0].item.id not in msgspec.json.encode([item.id for item in bench.load(new)]).decode()
