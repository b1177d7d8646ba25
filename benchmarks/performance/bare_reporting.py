"""The loop beside a report: decodes items and replies, reads each answer and writes a row an item as JSON.

python bare_reporting.py BENCHMARK RUN RUN FILE
"""

import sys
from pathlib import Path

import msgspec

from audiometry.choices import read_answer
from audiometry.records import Item, ReplyRecord


def main(benchmark: Path, one: Path, other: Path, output: Path) -> None:
    """Write the rows."""
    item, reply = msgspec.json.Decoder(Item), msgspec.json.Decoder(ReplyRecord)
    with (benchmark / "metadata.jsonl").open("rb") as lines:
        items = {found.id: found for found in map(item.decode, lines)}
    said: list[dict[str, tuple[ReplyRecord, str | None]]] = []
    for folder in (one, other):
        with (folder / "replies.jsonl").open("rb") as lines:
            records = map(reply.decode, lines)
            said.append({r.item: (r, read_answer(r.text or "", items[r.item].options).letter) for r in records})
    with output.open("wb") as file:
        for name, found in items.items():
            file.write(msgspec.json.encode((found, [each[name] for each in said])) + b"\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
