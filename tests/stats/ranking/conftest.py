"""The pair counts that Talk Arena published, as votes."""

import pytest

from audiometry.stats.ranking.votes import coded

# left model, right model, left won, right won, tied: 500 votes a pair (Talk Arena's public site; arXiv 2502.15919)
PAIRS = (
    ("DiVA", "GPT-4o", 252, 176, 72),
    ("DiVA", "Gemini-1.5-Pro", 313, 130, 57),
    ("DiVA", "Qwen2-Audio", 322, 103, 75),
    ("GPT-4o", "Gemini-1.5-Pro", 186, 213, 101),
    ("GPT-4o", "Qwen2-Audio", 254, 155, 91),
    ("Gemini-1.5-Pro", "Qwen2-Audio", 255, 171, 74),
    ("Typhoon-Audio", "DiVA", 50, 417, 33),
    ("Typhoon-Audio", "GPT-4o", 19, 447, 34),
    ("Typhoon-Audio", "Gemini-1.5-Pro", 50, 424, 26),
    ("Typhoon-Audio", "Qwen2-Audio", 82, 347, 71),
)


def rows():
    for left, right, *counts in PAIRS:
        for label, count in zip(("model_a", "model_b", "tie"), counts, strict=True):
            yield from [(left, right, label)] * count


@pytest.fixture(scope="session")
def published():
    """A row a vote: left model, right model, label."""
    return list(rows())


@pytest.fixture(scope="session")
def talk_arena(published):
    return coded(*zip(*published, strict=True))
