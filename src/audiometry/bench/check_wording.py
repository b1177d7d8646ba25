"""What whoever wrote the items left behind: words of a language model about its work, and options that say the same."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from audiometry.bench.findings import Finding, finding
from audiometry.errors import shown
from audiometry.records import Card, Item

LONGEST: Final = 60  # characters of a text in a finding
_LOOKED_AT: Final = 2_000  # characters of a text
_FLAGS: Final = re.IGNORECASE

_LEFT: Final = {
    "a label before the text": re.compile(
        r"^\W{0,4}(?:modified|revised|rewritten|rephrased|updated|corrected|new|generated|improved)\s+"
        r"(?:question|answer|option|caption|version|text)s?\W{0,4}[:：]",
        _FLAGS,
    ),
    "a name of its own part": re.compile(r"^\W{0,4}(?:question|answer)\s*\d{0,3}\W{0,4}[:：]\s", _FLAGS),
    "words about the writing": re.compile(
        r"\b(?:(?:question|answer|option|caption|sentence)s?\s+(?:can|could|may|might|should)\s+be\s+"
        r"(?:modified|rephrased|reworded|rewritten|changed|revised)|here(?:'s| is| are)\s+(?:\w+\s+){1,4}"
        r"(?:questions?|answers?|options?|versions?|rewrite|captions?)|i(?:'ve| have)\s+"
        r"(?:modified|rephrased|reworded|rewritten|changed|revised|generated)|let me know if|hope this helps|"
        r"as requested|without changing the meaning)\b",
        _FLAGS,
    ),
    "a model that speaks of itself": re.compile(
        r"\bas an?\s+(?:ai|artificial intelligence|(?:large )?language model)\b"
        r"|^\W{0,4}(?:i(?:'m| am) (?:sorry|unable|not able)\b"
        r"|i can(?:no|')t (?:listen|hear|access|provide|assist|help))",
        _FLAGS,
    ),
    "an obliging opening": re.compile(
        r"^\W{0,4}(?:sure|certainly|of course|absolutely|okay|great)\s*[,!:.]\s*\S", _FLAGS
    ),
    "a fence or a mark-up": re.compile(
        r"```|^\s*#{1,6}\s\S|<\|?(?:im_start|im_end|endoftext|assistant|user|s)\|?>|\[/?INST\]"
    ),
    "a place that was to be filled": re.compile(
        r"\{\{?\s*\w+\s*\}?\}|\[(?:insert|your|option|answer|question)[^\]]{0,30}\]|<(?:insert|answer|question|option)[^>]{0,30}>",
        _FLAGS,
    ),
}
_HOLES: Final = re.compile(r"\{(?:question|options|labels)\}")


def findings(items: Sequence[Item], card: Card) -> Iterator[Finding]:
    """Items, and wordings of the card, in which something was left behind, and options that say the same.

    Args:
        items: of a benchmark.
        card: its own.
    """
    found: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    twins: list[tuple[str, str]] = []
    for item in items:
        for part, text in _texts(item):
            if what := left(text):
                found[part, what].append((item.id, text))
        if (twice := twin(item.options)) is not None:
            twins.append((item.id, twice))
    for (part, what), those in found.items():
        name, text = those[0]
        yield finding(
            "warning",
            "written",
            f"item {shown(name)}",
            f"the {part} has {what}, as a writing model leaves behind: '{shown(text, LONGEST)}'",
            "read these items over, and correct or remove them",
            tuple(name for name, _ in those),
        )
    for task in card.task:
        for wording in task.wordings:
            if what := left(_HOLES.sub("x", wording)):
                yield finding(
                    "warning",
                    "written",
                    f"task {shown(task.name)}",
                    f"a wording has {what}: '{shown(wording, LONGEST)}'",
                    "correct it in the card",
                )
    if twins:
        name, text = twins[0]
        yield finding(
            "warning",
            "options-alike",
            f"item {shown(name)}",
            f"two options say the same but for case, blanks or marks: '{shown(text, LONGEST)}'",
            "change one of them: either may be called right",
            tuple(name for name, _ in twins),
        )


def left(text: str) -> str:
    """What a text has in it that no person would ask, in words; empty for nothing.

    >>> left("Sure, here is a question about the clip: what is heard?"), left("What is heard, for sure?")
    ('words about the writing', '')
    >>> left("Modified question: which bird is it?"), left("Was the question modified?")
    ('a label before the text', '')
    """
    head = text[:_LOOKED_AT]
    return next((what for what, rule in _LEFT.items() if rule.search(head)), "")


def twin(options: Sequence[str]) -> str | None:
    """The first option that says what one before it says; None if all are different.

    >>> twin(["A dog", "a cat", "a dog."]), twin(["C", "C#"]), twin(["-3", "3"])
    ('a dog.', None, None)
    """
    seen: set[str] = set()
    for option in options:
        folded = _folded(option)
        if folded in seen:
            return option
        seen.add(folded)
    return None


def _folded(option: str) -> str:
    """An option without what changes nothing of its meaning: case, blanks, quotes, and the marks at its end."""
    text = " ".join(unicodedata.normalize("NFKC", option).casefold().split())
    return text.strip("\"'“”‘’ ").rstrip(".,;:! ") or text


def _texts(item: Item) -> Iterator[tuple[str, str]]:
    yield "question", item.question
    for option in item.options:
        yield "option", option
    if item.answer is not None and item.answer not in item.options:
        yield "answer", item.answer
