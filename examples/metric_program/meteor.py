"""METEOR as a metric program, by nltk: ``audiometry score RUN --metric "exec/python meteor.py"``.

Needs ``pip install nltk`` in whatever Python runs it, and WordNet, which is fetched apart from the package:
``python -m nltk.downloader wordnet``, or ``--fetch`` here. ``--without-synonyms`` needs no WordNet: exact and stemmed
words only, which is another metric and says so. English only: items in other languages get an error, not a number.

A program of your own needs the last function alone: read a line, answer a line.

Source: Banerjee and Lavie 2005, "METEOR: An automatic metric for MT evaluation with improved correlation with human
judgments".
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from typing import Any

WORDS = re.compile(r"\w+(?:'\w+)?|[^\w\s]")
LONGEST = 2000  # words; matching takes time in proportion to answer times reference


class NoSynonyms:
    """Stands for a WordNet that knows no word."""

    def synsets(self, _word: str) -> list[Any]:
        """No synonyms of any word."""
        return []


def wordnet(options: argparse.Namespace) -> Any:
    """What knows synonyms; leaves with one line on standard error if it is not there."""
    if options.without_synonyms:
        return NoSynonyms()
    import nltk
    from nltk.corpus import wordnet as found

    if options.fetch:
        nltk.download("wordnet", quiet=True)
    try:
        found.ensure_loaded()
    except LookupError:
        sys.exit(
            "WordNet is not here; fetch it with `python -m nltk.downloader wordnet`, add --fetch, or --without-synonyms"
        )
    return found


def main() -> None:
    """Answer each line with a score."""
    parser = argparse.ArgumentParser(description="METEOR for audiometry, JSON lines over a pipe")
    parser.add_argument("--fetch", action="store_true", help="download WordNet first, if it is not there")
    parser.add_argument("--without-synonyms", action="store_true", help="exact and stemmed words only; no WordNet")
    options = parser.parse_args()
    try:
        import nltk
        from nltk.translate.meteor_score import meteor_score
    except ImportError:
        sys.exit("nltk is not here; run: pip install nltk")
    synonyms = wordnet(options)
    name = "meteor-without-synonyms" if options.without_synonyms else "meteor"
    say(metric=name, version="nltk-" + nltk.__version__, highest=1, unit="mean METEOR, 0 to 1")

    def score(asked: dict[str, Any]) -> float:
        references = [WORDS.findall(text)[:LONGEST] for text in asked["references"]]
        return meteor_score(references, WORDS.findall(asked["prediction"])[:LONGEST], wordnet=synonyms)

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
            say(item=asked["item"], error=f"METEOR by WordNet is English, this item is in '{language}'")
        else:
            say(item=asked["item"], score=score(asked))


if __name__ == "__main__":
    main()
