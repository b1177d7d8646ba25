"""The loop beside scoring: decodes items and replies, reads each answer and counts the right ones.

python bare_scoring.py BENCHMARK RUN
"""

import sys
from pathlib import Path

import msgspec

from audiometry.choices import read_answer
from audiometry.records import Item, ReplyRecord


def main(benchmark: Path, folder: Path) -> None:
    """Print how many are right."""
    item, reply, right = msgspec.json.Decoder(Item), msgspec.json.Decoder(ReplyRecord), 0
    with (benchmark / "metadata.jsonl").open("rb") as items, (folder / "replies.jsonl").open("rb") as replies:
        asked = {one.id: (one.options, one.answer) for one in map(item.decode, items)}
        for record in map(reply.decode, replies):
            options, answer = asked[record.item]
            letter = read_answer(record.text or "", options).letter
            right += letter is not None and options[ord(letter) - ord("A")] == answer
    print(right)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
