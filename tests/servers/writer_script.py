"""How the server plays a writer of questions: it reads the blocks of the prompt and writes by a script.

The script is JSON::

    {"holds": {"words of a prompt": "raw text"}, "again": "raw text", "reply": "raw text", "wrap": "Sure! {}"}

``holds`` is what is said to a prompt with these words in it, ``again`` to any that asks once more, ``reply`` to all the
rest; where none of these applies, the writer does as it is told, and ``wrap`` puts words around its JSON.
"""

import hashlib
import json
import re
from typing import Any

BLOCK = re.compile(
    r"\[(?P<name>[^\[\]\n]+) (?P<mark>[0-9a-f]{16})\]\n(?P<text>.*?)\n\[end of (?P=name) (?P=mark)\]", re.DOTALL
)
ASKED_AGAIN = "could not be read"
MANY = re.compile(r"[Ww]rite (\d+)")


def write(prompt: str, script: dict[str, Any]) -> str:
    """What the writer says to a prompt."""
    if "again" in script and ASKED_AGAIN in prompt:
        return str(script["again"])
    for words, text in script.get("holds", {}).items():
        if words in prompt:
            return str(text)
    if "reply" in script:
        return str(script["reply"])
    blocks = {found["name"]: found["text"] for found in BLOCK.finditer(prompt)}
    return str(script.get("wrap", "{}")).replace("{}", json.dumps(told(prompt, blocks)))


def told(prompt: str, blocks: dict[str, str]) -> dict[str, Any]:
    """What it was told to write, made of what is known of the recording."""
    known = blocks.get("known of the recording", "")
    tag = hashlib.sha256(prompt.encode()).hexdigest()[:6]
    many = int(found[1]) if (found := MANY.search(prompt)) else 1
    if '{"wrong"' in prompt:
        return {"wrong": [f"near miss {k} {tag}" for k in range(many)]}
    if '{"questions": ["' in prompt:
        return {"questions": [f"What do you hear, put as {tag} {k}?" for k in range(many)]}
    if '{"summary"' in prompt:
        return {"summary": "A piece.", "questions": [music(f"{tag}{k}") for k in range(many)]}
    if '{"question"' in prompt:
        return {"question": f"What is heard in the clip {tag}?", "answer": f"It is the thing called {known[:20]}."}
    return {"known": known}


def music(tag: str) -> dict[str, Any]:
    """A question about music."""
    wrong = {name: f"{name} {tag}" for name in ("related", "true", "neither")}
    about = {"knowledge": ["Tempo", "weather"], "reasoning": ["genre"]}
    return {"question": f"Which sound leads, number {tag}?", "answer": f"the lead {tag}"} | wrong | about
