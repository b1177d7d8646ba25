"""The package of docs/a-package-of-your-own.md, as it stands there: it is short, it is found, and each part works."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from audiometry.score.profiles import PROFILES
from audiometry.score.published import published

PAGE = Path(__file__).parents[2] / "docs/a-package-of-your-own.md"
BLOCKS = re.findall(r"^```(python|toml|json)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
MODULES = {code.splitlines()[0].removeprefix("# "): code for kind, code in BLOCKS if kind == "python"}
(PROJECT,) = [tomllib.loads(code) for kind, code in BLOCKS if kind == "toml"]
(PRINTED,) = [json.loads(code) for kind, code in BLOCKS if kind == "json"]
CARD = '[benchmark]\nname = "tones"\nversion = "1"\n'


@pytest.fixture
def site(tmp_path, monkeypatch, make_benchmark):
    """The package as pip leaves it."""
    for name, code in MODULES.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    (tmp_path / "site/ears/printed.json").write_text(json.dumps(PRINTED), encoding="utf-8")
    made = make_benchmark([{"options": ["yes", "no"], "answer": "yes"}] * 8)
    (made / "benchmark.toml").write_text(CARD, encoding="utf-8")
    made.rename(tmp_path / "site/ears/tones")
    info = tmp_path / "site/ears-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ears\nVersion: 1.0\n")
    groups = PROJECT["project"]["entry-points"]
    lines = [line for group, of in groups.items() for line in (f"[{group}]", *(f"{n} = {v}" for n, v in of.items()))]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    for name in [name for name in sys.modules if name.partition(".")[0] == "ears"]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path / "site"


@pytest.mark.parametrize("name", MODULES)
def test_each_part_takes_at_most_25_lines(name):
    assert len([line for line in MODULES[name].splitlines()[1:] if line.strip()]) <= 25


def test_every_part_is_announced_and_found(site, cli):
    announced = {value.partition(":")[0] for of in PROJECT["project"]["entry-points"].values() for value in of.values()}
    assert {f"{name.replace('.', '/')}.py" for name in announced} == set(MODULES)
    for what, names in {
        "models": ["ears/…"],
        "benchmarks": ["tones", "quiz"],
        "profiles": ["first-word", "halved"],
        "measures": ["short"],
    }.items():
        listed = cli("list", what)
        assert (listed.code, listed.err) == (0, "")
        assert all(name in listed.out for name in names), listed.out
    assert re.search(r"halved +open answers: half", cli("list", "profiles").out)


def test_model_benchmark_layout_variant_reader_and_published_results(site, cli, tmp_path):
    asked = ("run", "tones", "--model", "ears/left", "--prompt", "last", "--variant", "backwards", "--no-probe")
    said = cli(*asked, "-o", tmp_path / "run")
    assert (said.code, "warning" in said.err) == (0, False), said.err
    scored = cli("score", tmp_path / "run", "--profile", "first-word", "--profile", "strict", "--json")
    assert (scored.code, scored.json["scores"]["strict"]["value"]) == (0, 1.0)
    found = scored.json["scores"]["first-word"]
    assert (found["n_unanswered"], found["signature"].startswith("first-word.1+")) == (8, True)
    assert cli("run", "tones", "--model", "scripted/oracle", "--no-probe", "-o", tmp_path / "best").code == 0
    (system,) = published("tones")
    assert (str(system.average), system.name) == ("0.625", "First system")
    page = cli("report", tmp_path / "run", "-o", tmp_path / "page.html")
    assert (page.code, page.err.count("\n"), page.err.startswith("next: open ")) == (0, 1, True)
    assert "First system" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_reader_reads_what_was_shown(site, make_benchmark, make_run, cli):
    items = [{"options": ["yes", "no"], "answer": "yes"} for _ in range(4)]
    said = ["Yes, it does.", "No.", "It does", " "]
    run = make_run(make_benchmark(items), {f"item-{n:05}": one for n, one in enumerate(said)})
    found = cli("score", run, "--profile", "first-word", "--json").json["scores"]["first-word"]
    counts = [found[f"n_{name}"] for name in ("answered", "unanswered", "empty")]
    assert (found["value"], counts) == (0.25, [2, 1, 1])


def test_released_data(site, cli, tmp_path, make_benchmark):
    clips = make_benchmark(2)
    rows = [f"{path.relative_to(clips)}\tWhich?\tyes\tno" for path in sorted(clips.rglob("*.wav"))]
    (clips / "questions.tsv").write_text("\n".join(rows), encoding="utf-8")
    said = cli("run", "quiz", "--data", clips, "--no-probe", "--model", "scripted/oracle", "-o", tmp_path / "run")
    assert said.code == 0, said.err
    assert cli("score", tmp_path / "run", "--json").json["scores"]["strict"]["value"] == 1.0


def test_a_measure_and_judges_rules(site, make_benchmark, make_run, cli):
    card = '[benchmark]\nname = "b"\nversion = "1"\n[[task]]\nname = "sounds"\nkind = "open"\n'
    folder = make_benchmark([{"options": [], "answer": "a dog"} for _ in range(4)], card=card, clips=False)
    run = make_run(folder, {f"item-{n:05}": "so " * 3 ** (n + 1) for n in range(4)})
    assert cli("score", run, "--measure", "short", "--json").json["scores"]["short"]["value"] == 0.5
    said = cli("score", run, "--profile", "halved", "--measure", "short")
    assert (said.code, "halved is not scored: it needs a judge; name one with --judge." in said.out) == (1, True)
    said = cli("score", run, "--profile", "first-word", "--measure", "short", "--json")
    assert (said.code, said.json["broken"]) == (1, {"first-word": "nothing here goes by its rules"})
    assert cli("score", run, "--profile", "all", "--measure", "short").code == 0
    rules = PROFILES.named("halved").readers["open"].rules
    read = rules.read("8 4")
    assert (read.first, read.second, rules.read("eight").how) == (4.0, 2.0, "no two numbers")
