"""What is heard in a clip does not depend on the clips that were heard before it."""

import importlib.util
import json
from pathlib import Path

import pytest

from audiometry import bench

needs_pocketsphinx = pytest.mark.skipif(
    importlib.util.find_spec("pocketsphinx") is None, reason="the package pocketsphinx is not installed"
)
CLIPS = (
    "mini/Speech_Entity_Reconition/0005",  # each about 1.5 s
    "mini/Spoken_Language_Identification/0005",
)


@needs_pocketsphinx
def test_a_clip_is_described_alike_in_any_order():
    from audiometry.models.cascade.hear import Listener
    from audiometry.models.cascade.messages import Request
    from audiometry.models.cascade.transcribe import PocketSphinx

    root = Path(bench.locate("mini"))
    rows = {row["id"]: row for row in map(json.loads, (root / "metadata.jsonl").read_text().splitlines())}
    clips = [(root / rows[name]["file_name"]).read_bytes() for name in CLIPS]
    listener = Listener(PocketSphinx())
    heard: dict[int, set[str]] = {}
    for order in ((0, 1), (1, 0)):  # first, after itself, after another
        for number in order:
            heard.setdefault(number, set()).add(listener.listen(Request(clips[number])))
    assert {number: len(texts) for number, texts in heard.items()} == {0: 1, 1: 1}
