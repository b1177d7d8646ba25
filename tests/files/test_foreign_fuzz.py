"""Every reader of foreign bytes, fed with real files that a hostile hand has changed: it reads, or says why not."""

import json
import random
import sqlite3
import time
from collections import deque
from pathlib import Path

import pytest

from audiometry import bench
from audiometry.cli.ask_options import price
from audiometry.dispatch.cache import ReplyCache
from audiometry.errors import AudiometryError, UsageError, visible
from audiometry.files import benchmark_folder, foreign, lenient, ratings
from audiometry.files.run_folder import RunFolder
from audiometry.models import cards
from audiometry.models.chat_completions import reply
from audiometry.models.exec import wire
from audiometry.programs.lines import Line
from audiometry.records import Reply
from audiometry.run import listed
from audiometry.run.probing import result
from audiometry.score.judge import stored as judged

ITEM = {"id": "a", "task": "t", "question": "Which?", "options": ["dog", "cat"], "answer": "dog", "tags": {"n": 1}}
RUN = {
    "format": 1,
    "benchmark": {"name": "b", "version": "1", "source": "/b", "sha256": "0" * 64},
    "model": "scripted/random",
    "parameters": {"seed": 0, "temperature": 0.5},
    "prompt": {"layout": "plain", "sha256": "1" * 64, "part_order": "audio-first"},
    "seed": 0,
    "variants": ["plain"],
    "n_items": 2,
    "versions": {"audiometry": "0"},
    "started": "2026-01-01T00:00:00Z",
}
RECORD = {"item": "a", "text": "A", "finish_reason": "stop", "tokens_in": 3, "latency_s": 0.5, "prompt_sha256": "2"}
CARD = b"""# a card
[benchmark]
name = "b"
version = "1.0"
[data]
source = "csv"
path = "rows.csv"
[data.columns]
id = ["id"]
options = ["a", "b"]
audio = ""
[[task]]
name = "t"
audio = "optional"
kind = "choice"
chance = 0.5
"""
COMPLETION = {
    "choices": [{"message": {"content": "A"}, "delta": {"content": "A"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1},
}
_ALIGN = {"judge": "j", "mode": "judge", "journal": "judge/align-j.jsonl"}
_JUDGES = {"j": {"journal": "judge/chat-j.jsonl", "usage": None}}
JUDGED = {"format": 2, "scores": {"p": {"extras": {"alignment": _ALIGN, "judges": _JUDGES}}}}
RATING = {"item": "a", "rater": "r", "score": 3, "model": "m", "choice": "A"}


def document(value):
    return json.dumps(value).encode()


def lines(value, n=3):
    return b"".join(document(value) + b"\n" for _ in range(n))


def every(found):
    """All of a lazy result."""
    deque(found, maxlen=0)


def of_file(name, read):
    """A reader of a file of that name in a folder: ``read(folder, path)``."""

    def call(raw: bytes, folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(raw)
        read(folder, path)

    return call


def _table(kind):
    def read(folder, _):
        card = CARD.replace(b"csv", kind.encode())
        (folder / "card.toml").write_bytes(card)
        every(bench.load(folder / "card.toml"))

    return read


def _folder(folder, _):
    (folder / "benchmark.toml").write_bytes(CARD[: CARD.index(b"[data]")] + CARD[CARD.index(b"[[task]]") :])
    every(bench.load(folder))


def _cached(raw, folder):
    cache = ReplyCache(folder / "cache.sqlite")
    cache.put("k", Reply(text="A"))
    with sqlite3.connect(folder / "cache.sqlite") as other:
        other.execute("UPDATE reply SET reply = ?", (raw,))
    other.close()
    cache.get("k")
    cache.close()


def _pipe(raw, _):
    line = Line(raw, len(raw))
    wire.read_said(line)
    wire.read_hello(line, "p")


def _lenient(raw, _):
    try:
        lenient.read(raw)
    except ValueError:  # what it says it raises
        return


READERS = {
    "card": (CARD, of_file("benchmark.toml", lambda folder, _: benchmark_folder.read_card(folder))),
    "metadata": (lines(ITEM, 1), of_file("metadata.jsonl", _folder)),
    "csv": (
        b'id,task,question,a,b,answer\n1,t,"Which, then?",dog,cat,dog\n2,t,x,a,b,a\n',
        of_file("rows.csv", _table("csv")),
    ),
    "tsv": (b"id\ttask\tquestion\ta\tb\tanswer\n1\tt\tWhich\tdog\tcat\tdog\n", of_file("rows.tsv", _table("tsv"))),
    "json": (document([ITEM | {"a": "dog", "b": "y"}, {"id": "c", "a": "dog"}]), of_file("rows.json", _table("json"))),
    "json lines": (lines(ITEM | {"a": "dog", "b": "y"}, 1), of_file("rows.json", _table("json"))),
    "run.json": (document(RUN), of_file("run.json", lambda folder, _: RunFolder(folder).info())),
    "runs": (document(RUN), of_file("r/run.json", lambda folder, _: listed.runs(folder))),
    "replies": (lines(RECORD), of_file("replies.jsonl", lambda folder, _: every(RunFolder(folder).replies()))),
    "ratings": (lines(RATING), of_file("people.jsonl", lambda _, path: ratings.read([path]))),
    "ratings csv": (b'item,rater,score\na,r,3\nb,r,"4"\n', of_file("people.csv", lambda _, path: ratings.read([path]))),
    "model card": (
        b'[[card]]\nname = "m"\nrate = 8000\nformats = ["wav"]\n',
        of_file("m.toml", lambda _, path: cards.find("m", str(path))),
    ),
    "prices": (
        b'["p/m"]\ntokens_in = 2.5\ntokens_out = 10\n',
        of_file("prices.toml", lambda _, path: price("p/m", str(path))),
    ),
    "probe": (
        b'{"hears": true, "aspects": [{"name": "tone"}]}',
        of_file("probe.json", lambda folder, _: result.read(folder)),
    ),
    "aligned": (
        document(JUDGED),
        of_file("scores/p--1.json", lambda folder, _: judged.stored(folder, "align", "p")),
    ),
    "judged": (document(JUDGED), of_file("scores/p--2.json", lambda folder, _: judged.stored(folder))),
    "cache": (document({"text": "A", "tokens_in": 3}), _cached),
    "hello": (b'{"audiometry": 1, "name": "n", "batch": 2, "formats": ["wav"]}', _pipe),
    "said": (b'{"id": "1", "text": "A", "tokens_in": 3, "error": null}', _pipe),
    "completion": (document(COMPLETION), lambda raw, _: reply.read(raw, "server")),
    "event": (document(COMPLETION), lambda raw, _: reply.read_event(raw, "server")),
    "failure": (b'{"error": {"message": "no", "type": "x"}}', lambda raw, _: reply.failure(500, raw, None, "server")),
    "loose": (b'{"score": NaN, "why": "x"}', lambda raw, _: foreign.loose_json(raw)),
    "lenient": (document(COMPLETION), _lenient),
}

BITS = (
    b"",
    b"\x00",
    b"\xff",
    b"\xe4",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\\ud800",
    b"\\udc00",
    b"\\u0000",
    b"\x1b]0;x\x07",
    b"\xc2\x9b",
    "\u202e".encode(),
    "\u2028".encode(),
    b"\n",
    b"\r\n",
    b"\r",
    b'"',
    b"'",
    b'"""',
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b":",
    b"=",
    b".",
    b"#",
    b"null",
    b"true",
    b"NaN",
    b"Infinity",
    b"-",
    b"-0",
    b"1e999",
    b"1e-999",
    b"9" * 30,
    b"9" * 5000,
    b"0x" + b"f" * 5000,
    b"1979-05-27",
    b"[" * 300,
    b"[" * 5000,
    b'{"a":' * 3000,
    b"a." * 3000,
    b"{a." * 200,
    b"A. " * 2000,
    b"\\" * 999,
    b"\xf0\x9f" * 50,
    b" " * 5000,
    b"[[a]]\n" * 50,
)


def mutated(raw: bytes, rng: random.Random) -> bytes:
    """Bytes with one to four changes: cut, doubled, swapped, flipped, or something hostile put in."""
    out = bytearray(raw)
    for _ in range(rng.randint(1, 4)):
        i, j = sorted(rng.randrange(len(out) + 1) for _ in range(2))
        way = rng.randrange(7)
        if way == 0:
            del out[i:j]
        elif way == 1:
            out[i:i] = out[i:j]
        elif way == 2 and i < len(out):
            out[i] = rng.randrange(256)
        elif way == 3:
            out[i : i + rng.randint(0, 4)] = rng.choice(BITS)
        elif way == 4:
            ends = [k + 1 for k, byte in enumerate(out) if byte in b',:{}[]="\n']
            at = rng.choice(ends or [0])
            out[at:at] = rng.choice(BITS)
        elif way == 5:
            del out[j:]
        else:
            out[i:j] = bytes(out[i:j])[::-1]
    return bytes(out)


def fuzzed(name: str, folder: Path, seeds: range) -> tuple[int, int]:
    """Feed a reader with a change for every seed; how many it read, and how many it refused."""
    raw, read = READERS[name]
    n_read = n_refused = 0
    for seed in seeds:
        changed = mutated(raw, random.Random(f"{name} {seed}"))
        began, said = time.process_time(), ""
        try:
            read(changed, folder)
        except AudiometryError as problem:
            said = str(problem)
        n_read, n_refused = n_read + (not said), n_refused + bool(said)
        assert visible(said) == said, (seed, changed)
        assert "\n" not in said, (seed, changed)
        assert time.process_time() - began < 5, (seed, changed[:200])
    return n_read, n_refused


@pytest.mark.parametrize("name", READERS)
def test_a_reader_reads_or_says_why_not(name, tmp_path):
    raw, read = READERS[name]
    if name != "probe":  # of which only the beginning is here
        read(raw, tmp_path)
    n_read, n_refused = fuzzed(name, tmp_path, range(60))
    assert n_read + n_refused == 60


@pytest.mark.parametrize("field", [b'"\\ud800name": "n"', b'"name": "\\ud800"', b'"formats": ["wav", "\\ud800"]'])
def test_half_a_character_in_a_hello(field):
    with pytest.raises(UsageError, match="is wrong: half a character in a text"):
        wire.read_hello(Line(raw := b'{"audiometry": 1, %s}' % field, len(raw)), "p")
