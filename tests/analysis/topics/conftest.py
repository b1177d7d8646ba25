"""Votes with queries of known topics."""

import json
from pathlib import Path
from typing import Any

import pytest

from audiometry.seeds import stream

WORDS = {
    "cooking": "recipe oven garlic pasta soup onion bake chicken sauce boil",
    "travel": "flight hotel paris airport luggage visa beach passport tour trip",
    "space": "planet moon star galaxy rocket orbit telescope mars comet gravity",
    "music": "guitar song piano chord melody concert drum jazz violin band",
}
FRAMES = {
    "knowledge-expansion": "What is a {} and a {}, and what about {}?",
    "task-execution": "Write a short poem about {}, {} and {}",
    "advice": "Should I get a {} or a {} for my {}?",
    "chat": "I love my {} and {}, {} too",
}


def rows(n: int = 160, voters: int = 12, seed: int = 0) -> list[dict[str, Any]]:
    """Votes; each query has a topic that its words tell, and a use that its frame tells."""
    draw = stream(seed, "votes with topics")
    found = []
    for at in range(n):
        topic, use = draw.pick(list(WORDS)), draw.pick(list(FRAMES))
        words = draw.shuffled(WORDS[topic].split())[:3]
        a, b = draw.shuffled(["m1", "m2", "m3"])[:2]
        found.append(
            {
                "model_a": a,
                "model_b": b,
                "winner": draw.pick(["model_a", "model_b", "tie"]),
                "voter": f"p{int(draw.random() * voters)}",
                "battle": f"b{at}",
                "query": FRAMES[use].format(*words),
                "told": topic,
                "meant": use,
            }
        )
    return found


@pytest.fixture
def votes(tmp_path: Path) -> Any:
    """Write a vote file: ``votes()``, ``votes(rows)``, ``votes(n=200)``."""

    def write(given: list[dict[str, Any]] | None = None, name: str = "votes.jsonl", **more: int) -> Path:
        path = tmp_path / name
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in (rows(**more) if given is None else given))
        path.write_text("".join(lines), encoding="utf-8")
        return path

    return write


@pytest.fixture
def made_rows() -> Any:
    """`rows`."""
    return rows
