"""The measures of labels and words beside the libraries of the field, and two runs of 20,000 items compared."""

import json
import statistics
import sys

from processes import HERE, run
from scoring import MODELS, finished, made
from sections import AUDIOMETRY, Row, Settings

COMPARED = 20_000
GOALS_S = {"macro F1": 0.3, "swaps": 5.0, "WER": 0.4}
SAID = {
    "macro F1": "macro F1 of 1,000,000 labels",
    "scikit-learn": "the same by scikit-learn",
    "interval": "interval of 100,000 labels of 7 classes",
    "swaps": "two such with their interval and 9,999 swaps",
    "WER": "WER of 100,000 pairs, 10 to 20 words, no normaliser",
    "rapidfuzz": "their distances by rapidfuzz alone",
    "jiwer": "the same by jiwer",
}
BESIDE = (("macro F1", "scikit-learn"), ("WER", "rapidfuzz"), ("WER", "jiwer"))


def measures(settings: Settings) -> list[Row]:
    """CPU seconds of functions, how many times what the libraries take, and of the command and what it calls."""
    found = json.loads(run([sys.executable, HERE / "bare_measures.py", str(settings.repeats)]).output)
    rows = [Row(f"{said}, CPU", statistics.median(found[name]), "s", GOALS_S.get(name)) for name, said in SAID.items()]
    for ours, theirs in BESIDE:
        ratios = [one / other for one, other in zip(found[ours], found[theirs], strict=True)]
        rows.append(Row(f"{ours} / {theirs}", statistics.median(ratios), ""))
    return rows + comparison(settings)


def comparison(settings: Settings) -> list[Row]:
    """Two finished runs of 20,000 items and 19 tasks: the whole command, and the function in a process that is up."""
    benchmark = made(settings.cache / f"scoring-{COMPARED}", COMPARED)
    runs = [finished(benchmark, model) for model in MODELS]
    used = [run([AUDIOMETRY, "compare", *runs]) for _ in range(settings.repeats)]
    alone = json.loads(run([sys.executable, HERE / "bare_comparison.py", *runs, str(settings.repeats)]).output)
    what = f"{COMPARED:,} items of 19 tasks compared"
    return [
        Row(f"{what}: the command", statistics.median(one.wall_s for one in used), "s", 2.0),
        Row(f"{what}: the command, CPU", statistics.median(one.cpu_s for one in used), "s"),
        Row(f"{what}: opened and compared by the function, CPU", statistics.median(alone["whole"]), "s"),
        Row(f"{what}: from sheets on, Holm over tasks, CPU", statistics.median(alone["sheets"]), "s"),
    ]
