"""An arena in a process of its own, whose models do what a test sets.

    python tests/servers/arena_server.py --db sqlite:////tmp/a.db --models '[{"name": "acme/one", "text": "yes"}, …]'

A model answers ``text`` after ``delay`` seconds, its first word after ``first`` (as one that streams); ``{item}`` in it
is the battle's id. ``fail`` makes it raise a failure of that kind; ``hang`` never answers. It prints ``{"port": …}``
when people can come in; what it has to say it says on standard error.
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path

import msgspec
import numpy as np  # noqa: F401  loaded before the fork
import soundfile  # noqa: F401  as above

from audiometry.arena.server import serving, settings
from audiometry.errors import ModelError
from audiometry.languages import detector
from audiometry.records import Chunk, ModelCard, Reply
from audiometry.web import serve as server

detector()  # loaded before the fork


class Staged:
    """See above."""

    def __init__(self, name, *, text="yes", delay=0.0, first=None, fail="", hang=False, **card):
        self.name, self.card, self.parameters = name, ModelCard(concurrency=300, **card), {"text": text}
        self.text, self.delay, self.first, self.fail, self.hang = text, delay, first, fail, hang

    async def answer(self, prompt):
        if self.hang:
            await asyncio.sleep(3600)
        await asyncio.sleep(self.delay)
        if self.fail:
            said = prompt.turns[-1].parts[0]  # as providers quote what they refuse
            raise ModelError(self.fail, f"{self.name} failed on purpose at {said}", fatal=self.fail == "key")
        return Reply(text=self.text.replace("{item}", prompt.item), finish_reason="stop", first_token_s=self.first)

    async def stream(self, prompt):
        yield Chunk.whole(await self.answer(prompt))

    async def close(self):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--settings", default="{}", help="JSON, as a settings file has it")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    staged = {one["name"]: Staged(**one) for one in json.loads(given.models)}
    serving.loaded = lambda entry, _: staged[entry.name]
    said = json.loads(given.settings)
    names = [name for name in staged if name != said.get("transcriber")]
    found = msgspec.convert({**said, "models": names, "db": given.db}, settings.Settings)
    with server.listen(port=given.port) as on:
        port = on.getsockname()[1]

        def ready(_):
            print(json.dumps({"port": port}), flush=True)

        serving.serve(found, on, heed=lambda why: print(why, file=sys.stderr, flush=True), ready=ready)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
