"""Ranking of 1,000,000 votes beside evalica and choix where they are installed, and a file of ten million votes."""

import importlib.util
import json
import statistics
import sys
from pathlib import Path

import numpy as np
from processes import HERE, Used, run
from sections import AUDIOMETRY, Row, Settings

ROWS = 10_000_000
CHUNK = 100_000
READ = "import sys, pathlib; from audiometry.files import votes; print(votes.read(pathlib.Path(sys.argv[1])).votes.n)"
BESIDE = {"evalica": "the fit alone by evalica, a row a vote", "choix": "the fit alone by choix, from a matrix of wins"}


def ranking(settings: Settings) -> list[Row]:
    """CPU seconds from label strings on, peak memory, and a large file read and ranked."""
    found = {what: measured(what, settings) for what in ("fit", "votes", "by voter", "voters")}
    seconds = {what: statistics.median(json.loads(used.output)) for what, used in found.items()}
    peak = max(used.peak_mb for used in found.values())
    rows = [
        Row("1,000,000 votes of 40 models: coded, fitted, sandwich", seconds["fit"], "s", 0.3),
        Row("100 resamples of votes more", seconds["votes"] - seconds["fit"], "s", 0.2),
        Row("the same with 20,000 voters: coded, fitted, sandwich", seconds["by voter"], "s"),
        Row("100 resamples of voters more", seconds["voters"] - seconds["by voter"], "s", 2.0),
        Row("peak memory, the labels among it", peak, "MB", 600),
    ]
    for package, said in BESIDE.items():
        if importlib.util.find_spec(package) is not None:
            rows.append(Row(said, statistics.median(json.loads(measured(package, settings).output)), "s"))
    return rows + large(settings)


def measured(what: str, settings: Settings) -> Used:
    """One of them, in a process of its own."""
    return run([sys.executable, HERE / "bare_ranking.py", what, str(settings.repeats)])


def large(settings: Settings) -> list[Row]:
    """A file of ten million votes: read into columns, as CSV and as JSON lines, and ranked by the command."""
    rows = []
    for kind in ("csv", "jsonl"):
        path = written(settings.cache / f"votes-{ROWS}.{kind}")
        used = run([sys.executable, "-c", READ, path])
        rows.append(Row(f"{ROWS:,} votes read from {kind} ({path.stat().st_size / 1e6:,.0f} MB)", used.wall_s, "s"))
        rows.append(Row(f"the same, peak memory of {kind}", used.peak_mb, "MB"))
    used = run([AUDIOMETRY, "arena", "rank", "--votes", settings.cache / f"votes-{ROWS}.csv", "--json"])
    rows.append(Row(f"{ROWS:,} votes ranked by the command", used.wall_s, "s"))
    rows.append(Row("the same, peak memory", used.peak_mb, "MB"))
    return rows


def written(path: Path) -> Path:
    """The file, made once."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    labels = ("model_a", "model_b", "tie", "both_bad")
    part = path.with_suffix(".part")
    with part.open("w") as file:
        if path.suffix == ".csv":
            file.write("battle,model_a,model_b,winner,voter,topic\n")
        for start in range(0, ROWS, CHUNK):
            a = rng.integers(0, 40, CHUNK)
            b = (a + rng.integers(1, 40, CHUNK)) % 40
            said = rng.choice(4, CHUNK, p=[0.4, 0.35, 0.15, 0.1])
            drawn = zip(a.tolist(), b.tolist(), said.tolist(), rng.integers(0, 200_000, CHUNK).tolist(), strict=True)
            for at, (one, other, outcome, who) in enumerate(drawn, start):
                cells = (f"b{at}", f"model-{one}", f"model-{other}", labels[outcome], f"v{who}", f"topic-{at % 20}")
                if path.suffix == ".csv":
                    file.write(",".join(cells) + "\n")
                else:
                    names = ("battle", "model_a", "model_b", "winner", "voter", "topic")
                    file.write(json.dumps(dict(zip(names, cells, strict=True))) + "\n")
    return part.rename(path)
