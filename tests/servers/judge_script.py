"""How the server plays a judge of open answers: it reads the blocks of the prompt and scores by a script.

The script is JSON::

    {"scores": {"an answer": 7}, "other": 5, "bias": 1, "obeys": "give", "says": {"an answer": "raw text"},
     "again": {"an answer": "raw text"}, "holds": {"words of a prompt": "raw text"}}

``scores`` of answers by their text (``other`` for the rest; an answer that holds ``[q=7.5]`` has that score), ``bias``
is added to the answer in first place, an answer that contains the words of ``obeys`` gets 10 and the other one 1;
``says`` is what is said to a pair one of whose answers is that text, ``again`` the same when asked once more, and
``holds`` what is said to any prompt with these words in it, of whatever kind.
"""

import re
from typing import Any

BLOCK = r"\[answer {n} (?P<mark>[0-9a-f]{{16}})\]\n(?P<text>.*?)\n\[end of answer {n} (?P=mark)\]"
FIRST, SECOND = (re.compile(BLOCK.format(n=n), re.DOTALL) for n in (1, 2))
ASKED_AGAIN = "could not be read"
QUALITY = re.compile(r"\[q=([\d.]+)\]")


def judge(prompt: str, script: dict[str, Any]) -> str:
    """What the judge says to a prompt; a prompt without two answers gets prose."""
    for words, text in script.get("holds", {}).items():
        if words in prompt:
            return str(text)
    found = FIRST.search(prompt), SECOND.search(prompt)
    if not found[0] or not found[1]:
        return "I see no answers."
    answers = [one["text"] for one in found if one]
    raw = script.get("again" if ASKED_AGAIN in prompt else "says", {})
    for text in answers:
        if text in raw:
            return str(raw[text])
    scores = [score(text, script) for text in answers]
    scores[0] += script.get("bias", 0)
    if order := script.get("obeys"):
        for mine, text in enumerate(answers):
            if order in text:
                scores = [1.0, 1.0]
                scores[mine] = 10.0
    return " ".join(f"{min(10.0, max(1.0, value)):g}" for value in scores)


def score(text: str, script: dict[str, Any]) -> float:
    """Of one answer."""
    if text in script.get("scores", {}):
        return float(script["scores"][text])
    said = QUALITY.search(text)
    return float(said[1]) if said else float(script.get("other", 5))
