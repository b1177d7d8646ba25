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

_WRITTEN: Final = r"(?:question|answer|option|caption|distractor|sentence|version|text|rewrite)s?"
_REWRITTEN: Final = r"(?:modified|rephrased|reworded|rewritten|changed|revised|updated|improved|corrected|generated)"
_NOW: Final = r"(?:here(?:['’]s| is| are))"
_LEFT: Final = {
    "a label before the text": re.compile(
        rf"^\W{{0,4}}(?:(?:original|new|possible|suggested|correct|sample)\s+(?:question|answer|option|caption)s?"
        rf"|{_REWRITTEN}\s+{_WRITTEN}|(?:modified|rephrased|reworded|rewritten|revised))\W{{0,4}}[:：]",
        _FLAGS,
    ),
    "a name of its own part": re.compile(
        r"^\W{0,4}(?:(?:question|answer|distractor)\s*\d{0,3}|option\s*[A-H0-9])\W{0,4}[:：]\s"
        r"|\n\W{0,4}(?:(?:correct )?answer|explanation|rationale|reasoning)\W{0,4}[:：]\s",
        _FLAGS,
    ),
    "words about the writing": re.compile(
        rf"\b(?:{_WRITTEN}\s+(?:(?:can|could|may|might|should)\s+be|has\s+been|is)\s+{_REWRITTEN}\s+(?:to|as|so)\b"
        rf"[^.?!]{{0,20}}[:：]|{_NOW}\s+(?:[\w-]+\s+){{0,4}}(?:{_REWRITTEN}|multiple[- ]choice)\s+{_WRITTEN}\b"
        rf"|{_NOW}\s+(?:\w+\s+){{1,4}}(?:questions?|distractors?|versions?|captions?|options)\b[^.?!,]{{0,40}}[:：]"
        rf"|i(?:['’]ve| have)\s+(?:\w+ly\s+)?{_REWRITTEN}\s+(?:the|this|your|these)\s+(?:question|option|caption|"
        r"distractor)s?)",
        _FLAGS,
    ),
    "a model that speaks of itself": re.compile(
        r"\bas an?\s+(?:ai|artificial intelligence|(?:large )?language model)(?:\s+(?:language )?(?:model|assistant))?"
        r"\s*,?\s+i\b|\bi(?:['’]m| am)? (?:can(?:no|['’])t|unable to|not able to|don['’]t have the ability to)\s+"
        r"(?:directly\s+)?(?:(?:listen to|hear|access|process|play|analy[sz]e)\s+(?:\w+\s+){0,2}"
        r"(?:audio|clip|recording|sound)|assist with (?:that|this)|(?:generate|create|write|provide)\s+(?:\w+\s+){0,2}"
        r"(?:question|answer|option|caption)s?)",
        _FLAGS,
    ),
    "a fence or a mark-up": re.compile(
        r"```|^\s*#{2,6}\s\S|^\s*\*\*[^*]+\*\*|<\|?(?:im_start|im_end|endoftext|assistant|user|s)\|?>|\[/?INST\]"
    ),
    "a place that was to be filled": re.compile(
        r"\{\{?\s*[a-z_]\w{2,}\s*\}?\}|\[(?:insert|your|option|answer|question)[^\]]{0,30}\]"
        r"|<(?:insert|answer|question|option)[^>]{0,30}>",
        _FLAGS,
    ),
}
_ASKED: Final = {
    "words about the writing": re.compile(
        rf"^\W{{0,4}}(?:note\W+)?(?:the|this|your)\s+(?:original\s+)?question\s+(?:(?:can|could|may|might|should)\s+be|"
        rf"has\s+been)\s+{_REWRITTEN}\b|{_NOW}\s+(?:\w+\s+){{1,4}}(?:questions?|options|distractors?)\s+(?:for|about|based)\b"
        rf"|\bi(?:['’]ve| have)\s+(?:\w+ly\s+)?{_REWRITTEN}\s+it\b"
        r"|\blet me know if you(?:['’]d|\s+(?:need|want|would))\b|\bhope this helps\b",
        _FLAGS,
    ),
    "words about what the writer was given": re.compile(
        r"\b(?:based on|according to|mentioned in|given)\s+the\s+(?:provided\s+|given\s+)?(?:captions?|meta-?data|"
        r"meta-information)\b",
        _FLAGS,
    ),
    "an obliging opening": re.compile(r"^\W{0,4}(?:sure|certainly|of course|absolutely)\s*[,!:.]\s*\S", _FLAGS),
    "a model that speaks of itself": re.compile(
        r"^\W{0,4}(?:i(?:['’]m| am) (?:sorry,? but|unable|not able)\b)", _FLAGS
    ),
}
"""What is a leftover in a question, and may be somebody's words in an option or an answer."""
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
            if what := left(text, asked=part == "question"):
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


def left(text: str, *, asked: bool = True) -> str:
    """What a text has in it that no person would write there, in words; empty for nothing.

    >>> left("Sure, here is a question about the clip: what is heard?"), left("What is heard, for sure?")
    ('words about the writing', '')
    >>> left("Sure, here is your coffee", asked=False), left("Sure! What is heard?")
    ('', 'an obliging opening')

    Args:
        text: any.
        asked: it is a question; of options and answers, what a person may have said is none.
    """
    head = text[:_LOOKED_AT]
    rules = (*_LEFT.items(), *(_ASKED.items() if asked else ()))
    return next((what for what, rule in rules if rule.search(head)), "")


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
