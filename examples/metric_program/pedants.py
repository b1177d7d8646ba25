# /// script
# requires-python = ">=3.9,<3.12"
# dependencies = ["qa-metrics==0.2.42", "nltk"]
# ///
"""PEDANTS as a metric program, by qa-metrics: ``audiometry score RUN --measure "exec/uv run --script pedants.py"``.

The measure of answer equivalence that Mind the Gap uses. The package pins scikit-learn to a version of 2023, downloads
its classifiers from GitHub when it is first used, and loads them as pickles, which run whatever code they hold: it
belongs in an environment of its own, as the lines above describe one. Without uv: ``pip install qa-metrics nltk`` in a
virtual environment of Python 3.9 to 3.11, and its ``python`` in place of ``uv run --script``.

The score of an answer is 1 where PEDANTS takes it for equivalent to a reference, else 0. With ``--confidence`` it is
the classifier's confidence, 0 to 1, of the nearest reference, which is another metric and says so. English only.

Source: Li et al. 2024, "PEDANTS: Cheap but Effective and Interpretable Answer Equivalence", EMNLP Findings.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any


def loaded() -> Any:
    """The matcher, ready; leaves with one line on standard error if it cannot be had."""
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what it prints is no answer
            from qa_metrics.pedant import PEDANT

            return PEDANT()
    except ImportError as problem:
        sys.exit(f"qa-metrics is not here ({problem}); run: pip install qa-metrics nltk")
    except Exception as problem:  # noqa: BLE001  of the network, of a file that is no pickle, of another scikit-learn
        line = " ".join(str(problem).split())[:300]
        sys.exit(f"PEDANTS cannot be loaded; it fetches its classifiers from github.com at the first use: {line}")


def main() -> None:
    """Answer each line with a score."""
    parser = argparse.ArgumentParser(description="PEDANTS for audiometry, JSON lines over a pipe")
    parser.add_argument("--confidence", action="store_true", help="the classifier's confidence in place of 0 or 1")
    options = parser.parse_args()
    pedant = loaded()
    name, unit = "pedants", "share of answers equivalent by PEDANTS"
    if options.confidence:
        name, unit = "pedants-confidence", "mean confidence of PEDANTS, 0 to 1"
    say(metric=name, version="qa-metrics-" + metadata.version("qa-metrics"), highest=1, unit=unit)

    def score(asked: dict[str, Any]) -> float:
        question, said = asked.get("question", ""), asked["prediction"]
        if not said.strip():
            return 0.0
        if options.confidence:
            return max(float(pedant.get_score(one, said, question)) for one in asked["references"])
        return float(bool(pedant.evaluate(asked["references"], said, question)))

    serve(score)


def say(**line: Any) -> None:
    """One line to audiometry, at once."""
    print(json.dumps(line), flush=True)


def serve(score: Callable[[dict[str, Any]], float]) -> None:
    """Answer lines until there are no more; an item that cannot be scored gets an error, the others a number."""
    for line in sys.stdin:
        asked = json.loads(line)
        language = asked.get("language", "en")
        if language != "en":
            say(item=asked["item"], error=f"PEDANTS is English, this item is in '{language}'")
            continue
        with contextlib.redirect_stdout(sys.stderr):
            found = score(asked)
        say(item=asked["item"], score=found)


if __name__ == "__main__":
    main()
