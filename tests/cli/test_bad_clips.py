"""Every kind of bad clip in one benchmark, against a real server: good ones are answered, bad ones named."""

import io
import json
import re
import struct

import numpy as np
import soundfile

CARD_16K = '[[card]]\nname = "openai/mock"\nlongest_s = 30\n'


def encoded(samples, rate=16_000, form="WAV", subtype="PCM_16"):
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format=form, subtype=subtype)
    return file.getvalue()


def tone(seconds=0.5, rate=16_000, channels=1):
    wave = 0.3 * np.sin(2 * np.pi * 440 * np.arange(int(seconds * rate)) / rate)
    return np.repeat(wave[:, None], channels, axis=1).astype(np.float32)


def header_only(seconds, rate=16_000, channels=1):
    """A WAV header that promises ``seconds`` of audio, and none of it."""
    size = int(seconds * rate) * 2 * channels
    fmt = struct.pack("<HHIIHH", 1, channels, rate, rate * 2 * channels, 2 * channels, 16)
    return (
        b"RIFF"
        + struct.pack("<I", 36 + size)
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + fmt
        + b"data"
        + struct.pack("<I", size)
    )


BAD = {
    "truncated.wav": (encoded(tone())[:-4000], "truncated|ends|shorter|cut"),
    "text.wav": (b"this is not audio at all\n" * 40, "not audio|no audio|not a"),
    "nan.wav": (encoded(np.full((8000, 1), np.nan, np.float32), subtype="FLOAT"), "not (a )?number|NaN|finite"),
    "channels-0.wav": (header_only(0.5, channels=0), "channel"),
    "three-hours.wav": (header_only(3 * 3600), "10800"),
}
GOOD = {
    "silent.wav": encoded(np.zeros((8000, 1), np.float32)),
    "eight-bit.wav": encoded(tone(), subtype="PCM_U8"),
    "rate-192k.wav": encoded(tone(rate=192_000), rate=192_000),
    "six-channels.wav": encoded(tone(channels=6)),
    "flac-called.wav": encoded(tone(), form="FLAC"),
    "plain.wav": encoded(tone()),
}


def test_bad_clips_fail_one_by_one_and_good_ones_are_answered(make_benchmark, chat_server, cli, tmp_path):
    rows = [{"file_name": f"audio/{name}"} for name in [*BAD, *GOOD]]
    folder = make_benchmark([*rows, {"file_name": "audio/missing.wav"}, {"file_name": "audio/empty.wav"}])
    (folder / "audio/empty.wav").write_bytes(b"")
    for name, data in ({n: d for n, (d, _) in BAD.items()} | GOOD).items():
        (folder / "audio" / name).write_bytes(data)
    with (folder / "audio/three-hours.wav").open("r+b") as file:
        file.truncate(44 + 2 * 16_000 * 3 * 3600)  # sparse: three hours of silence that take no room
    card = tmp_path / "card.toml"
    card.write_text(CARD_16K)
    server = chat_server(decode=True)
    said = cli(
        "run",
        folder,
        "--no-probe",
        "--model",
        "openai/mock",
        "--base-url",
        server.url,
        "--card",
        card,
        "-o",
        tmp_path / "run",
    )
    lines = [json.loads(line) for line in (tmp_path / "run/replies.jsonl").read_text().splitlines()]
    by_item = {line["item"]: line for line in lines}
    names = {f"item-{k:05}": row["file_name"] for k, row in enumerate(rows)}
    assert len(lines) == len(rows) == len(by_item)
    for item, name in names.items():
        short = name.removeprefix("audio/")
        record = by_item[item]
        if short in GOOD:
            assert record["text"] == "A", short
            assert record["attempts"] == 1
        else:
            message = record["error"]["message"]
            assert name in message
            assert "\n" not in message
            assert re.search(BAD[short][1], message), message
            assert record.get("attempts", 0) == 0
    assert len(server.log()) == len(GOOD)
    assert said.code == 1
    assert f"{len(BAD)} of {len(rows)} failed" in said.err
    assert f"2 of {len(rows) + 2} rows are left out:\n  metadata.jsonl, line {len(rows) + 1}: item" in said.err
    assert "Traceback" not in said.err
    changed = {names[i].removeprefix("audio/"): r.get("audio_changes", []) for i, r in by_item.items()}
    assert changed["plain.wav"] == []
    assert any("192000 → 16000" in c for c in changed["rate-192k.wav"])
    assert any("6 → 1" in c for c in changed["six-channels.wav"])
