"""Runs of open questions written by hand, and a real server that plays the judge from a script."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audiometry.score.door import score
from audiometry.score.judge.settings import JudgeSettings
from audiometry.score.opened import OpenedRun, open_run
from audiometry.score.result import Scores

CARD = """
[benchmark]
name = "made/chat"
version = "1"

[[task]]
name = "speech_QA"
category = "speech"
pool = "speech"
kind = "open"

[[task]]
name = "speech_dialogue_QA"
category = "speech"
pool = "speech"
kind = "open"

[[task]]
name = "sound_QA"
category = "sound"
pool = "sound"
kind = "open"

[[task]]
name = "speech_and_sound_QA"
category = "mixed"
kind = "open"

[[task]]
name = "speech_and_music_QA"
category = "mixed"
kind = "open"
"""
TASKS = ("speech_QA", "speech_dialogue_QA", "sound_QA", "speech_and_sound_QA", "speech_and_music_QA")

MakeOpenRun = Callable[..., OpenedRun]
JudgeIt = Callable[..., Scores]


@pytest.fixture
def make_open_run(make_benchmark: Callable[..., Path], make_run: Callable[..., Path]) -> MakeOpenRun:
    """``make_open_run([("speech_QA", "the model's reply"), …])``: item n has the reference ``reference n [q=8]``.

    A reply is a text or a mapping of fields of the record; None for none at all. A third entry changes the item.
    """

    def make(rows: list[tuple[Any, ...]], **changes: Any) -> OpenedRun:
        items, replies = [], {}
        for number, (task, reply, *more) in enumerate(rows):
            item = {
                "id": f"item-{number:05}",
                "task": task,
                "question": f"What is happening in clip {number}?",
                "options": [],
                "answer": f"reference {number} [q=8]",
                "meta": json.dumps({"events": ["a dog barks", f"take {number}"]}),
            }
            items.append(item | (more[0] if more else {}))
            if reply is not None:
                replies[item["id"]] = reply
        return open_run(make_run(make_benchmark(items, card=CARD), replies, **changes))

    return make


@pytest.fixture
def judge_it(chat_server: Callable[..., Any]) -> JudgeIt:
    """``judge_it(run, {"bias": 1})``: the run scored by a judge with that script; several scripts make a panel."""

    def judge(run: OpenedRun, *scripts: dict[str, Any], names: tuple[str, ...] = (), **settings: Any) -> Scores:
        judges = []
        for number, script in enumerate(scripts or ({},)):
            server = chat_server(judge=json.dumps(script))
            judges.append(
                JudgeSettings(name=f"openai/judge-{number}", base_urls=(server.url,), max_tries=1, concurrency=4)
            )
        judge.servers = judges  # type: ignore[attr-defined]  # for a second look
        return score(run, names, judges=judges, **settings)

    return judge
