"""Run folders written by hand, so that scoring is tested on replies that are known."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audiometry import bench
from audiometry.files.run_folder import BenchmarkStamp, RunFolder, RunInfo
from audiometry.run import layout

MakeRun = Callable[..., Path]


@pytest.fixture
def make_run(tmp_path_factory: pytest.TempPathFactory) -> MakeRun:
    """Write a run folder over a benchmark folder: ``make_run(folder, {"item-00000": "B", …})``.

    A reply is a text, or a mapping of fields of the record; keys are item ids, or (id, variant).
    """

    def make(
        folder: Path,
        replies: dict[Any, str | dict[str, Any]],
        *,
        variants: tuple[str, ...] = ("plain",),
        **changes: Any,
    ) -> Path:
        loaded = bench.load(folder, absent=())  # scoring needs no clips
        fields: dict[str, Any] = {
            "benchmark": BenchmarkStamp(
                name=loaded.name, version=loaded.card.benchmark.version, source=str(folder), sha256=loaded.sha256
            ),
            "model": "made/by-hand",
            "parameters": {},
            "prompt": layout.stamp("ours", "audio-first"),
            "seed": 0,
            "variants": variants,
            "n_items": len(loaded),
            "versions": {},
            "started": "2026-01-01T00:00:00Z",
        }
        run = RunFolder(tmp_path_factory.mktemp("run"))
        run.write_info(RunInfo(**(fields | changes)))
        lines = []
        for key, reply in replies.items():
            item, variant = key if isinstance(key, tuple) else (key, "plain")
            body = {"text": reply} if isinstance(reply, str) else reply
            lines.append(json.dumps({"item": item, "variant": variant, "attempts": 1} | body) + "\n")
        run.replies_path.write_text("".join(lines), encoding="utf-8")
        return run.path

    return make
