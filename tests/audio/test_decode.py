"""Conversion beside a plain one by the same two libraries, and the ways in which the decoder gets its bytes."""

import functools
import gc
import io
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
import soxr

from audiometry.audio import decode
from audiometry.audio import prepare as preparing
from audiometry.audio.inspect import inspect
from audiometry.audio.prepare import prepare, prepare_file
from audiometry.errors import UnreadableAudioError
from audiometry.records import ModelCard

CARD = ModelCard()
OPEN_FILES = Path("/proc/self/fd")
LSB = 1 / 32768
KINDS = [
    ("MP3", "MPEG_LAYER_III", 44100, 2),
    ("FLAC", "PCM_16", 44100, 2),
    ("FLAC", "PCM_24", 48000, 6),
    ("OGG", "VORBIS", 44100, 2),
    ("WAV", "PCM_24", 44100, 2),
    ("WAV", "FLOAT", 22050, 1),
    ("AIFF", "PCM_16", 16000, 2),
]


def music(rate, channels, seconds=4.0):
    """Coloured noise and tones, another mixture in each channel; longer than a block of the decoder."""
    rng, t = np.random.default_rng(rate + channels), np.arange(round(rate * seconds)) / rate
    noise = np.cumsum(rng.standard_normal((len(t), channels)), axis=0) % 1.0 - 0.5
    tones = np.sin(2 * np.pi * 330 * t[:, None] * np.arange(1, channels + 1))
    return (0.1 * noise + 0.4 * tones).astype(np.float32)


@functools.cache
def file_of(form, subtype, rate, channels):
    out = io.BytesIO()
    sf.write(out, music(rate, channels), rate, format=form, subtype=subtype)
    return out.getvalue()


def plainly(data):
    """What a short script makes of a file: decoded whole, averaged, resampled."""
    samples, rate = sf.read(io.BytesIO(data), dtype="float32", always_2d=True)
    mean = samples.mean(axis=1)
    return soxr.resample(mean, rate, CARD.rate, quality="HQ") if rate != CARD.rate else mean


@pytest.mark.parametrize(("form", "subtype", "rate", "channels"), KINDS)
def test_a_conversion_is_what_a_plain_script_makes(form, subtype, rate, channels):
    data = file_of(form, subtype, rate, channels)
    got, rate = sf.read(io.BytesIO(prepare(data, CARD, where="a").data), dtype="float32")
    wanted = plainly(data)
    assert rate == CARD.rate
    assert abs(len(got) - len(wanted)) <= 1
    n = min(len(got), len(wanted))
    assert np.abs(got[:n] - wanted[:n]).max() <= 1.01 * LSB  # half for rounding; resampling in blocks adds a trace


@pytest.mark.parametrize("channels", [1, 2, 6])
@pytest.mark.parametrize("form", ["WAV", "WAVEX"])
def test_samples_that_lie_in_the_file_are_those_that_the_library_reads(form, channels):
    data = file_of(form, "PCM_16", 16_000, channels)
    theirs = sf.read(io.BytesIO(data), dtype="float32", always_2d=True)[0]
    for size in (0, 1000):
        info = inspect(data, "x")
        ours = [block.copy() for block in decode.blocks(data, info, "x", size)]
        assert {block.dtype for block in ours} == {np.dtype(np.float32)}
        assert max(map(len, ours)) <= (size or decode.BLOCK)
        assert np.array_equal(np.concatenate(ours), theirs)
    unclosed = data.replace(b"data" + (len(theirs) * 2 * channels).to_bytes(4, "little"), b"data\xff\xff\xff\xff")
    odd = unclosed + b"\x01" * (2 * channels - 1)  # a frame that a killed recorder did not finish
    assert np.array_equal(np.concatenate([b.copy() for b in decode.blocks(odd, inspect(odd, "x"), "x")]), theirs)


def refuse(*_args):
    raise OSError(24, "Too many open files")


class Full(io.FileIO):
    def write(self, _data, /):
        raise OSError(28, "No space left on device")


WAYS = {
    "a temporary file": lambda patch: patch.delattr(os, "memfd_create", raising=False),  # as on other systems
    "no descriptor left": lambda patch: patch.setattr(decode, "_descriptor", refuse),
    "no room": lambda patch: patch.setattr(io, "FileIO", Full),
    "more bytes than are copied": lambda patch: patch.setattr(decode, "_IN_A_FILE", 100),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_the_decoder_gives_the_same_bytes(way, monkeypatch, tmp_path):
    files = [file_of(*kind) for kind in KINDS]
    wanted = [prepare(data, CARD, where="a") for data in files]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    WAYS[way](monkeypatch)
    assert [prepare(data, CARD, where="a") for data in files] == wanted
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("card", [CARD, ModelCard(formats=("flac",), rate=44100, channels=2)], ids=["decoded", "sent"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_half_a_flac_file_is_refused_whether_it_is_decoded_or_sent(card, share, tmp_path):
    data = file_of("FLAC", "PCM_16", 44100, 2)
    (tmp_path / "a.flac").write_bytes(data[: round(share * len(data))])
    with pytest.raises(UnreadableAudioError) as caught:
        prepare_file(tmp_path / "a.flac", card)
    assert caught.value.flaw in {"truncated", "damaged"}
    (tmp_path / "a.flac").write_bytes(data)
    assert prepare_file(tmp_path / "a.flac", card) == prepare(data, card, where="a")


def silent_after(data):
    """A WAV file whose samples have become zeros, and the same cut short."""
    return data[:44] + bytes(len(data) - 44), data[: len(data) // 2]


@pytest.mark.parametrize("number", [0, 1])
def test_what_is_written_over_a_file_while_it_is_decoded_is_not_what_was_hashed(number, monkeypatch, tmp_path):
    data, path, convert = file_of("WAV", "PCM_24", 44100, 2), tmp_path / "a.wav", preparing._converted
    path.write_bytes(data)

    def written_over(source, card):
        monkeypatch.setattr(preparing, "_converted", convert)
        path.write_bytes(silent_after(data)[number])
        return convert(source, card)

    monkeypatch.setattr(preparing, "_converted", written_over)
    assert prepare_file(path, CARD) == prepare(data, CARD, where="a")


def test_a_file_that_is_left_alone_is_decoded_once(conversions, tmp_path):
    (tmp_path / "a.wav").write_bytes(file_of("WAV", "PCM_24", 44100, 2))
    prepare_file(tmp_path / "a.wav", CARD)
    assert len(conversions) == 1


def test_a_decoder_reads_without_calling_back(monkeypatch):
    data = file_of("MP3", "MPEG_LAYER_III", 44100, 2)
    info = decode.describe(data, "a")
    monkeypatch.setattr(decode._Bytes, "readinto", pytest.fail)
    assert sum(len(block) for block in decode.blocks(data, info, "a")) == info.frames


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="needs /proc")
@pytest.mark.parametrize("damage", ["none", "cut", "noise", "stopped half-way"])
def test_no_descriptor_stays_open(damage):
    gc.collect()  # what earlier tests left open closes at any time
    before = len(list(OPEN_FILES.iterdir()))
    for form, subtype, rate, channels in KINDS:
        data = bytearray(file_of(form, subtype, rate, channels))
        if damage == "cut":
            del data[len(data) // 2 :]
        elif damage == "noise":
            data[len(data) // 3 : len(data) // 2] = np.random.default_rng(1).bytes(len(data) // 2 - len(data) // 3)
        try:
            info = decode.describe(bytes(data), "a")
            blocks = decode.blocks(bytes(data), info, "a", 1000)
            next(blocks)
            if damage == "stopped half-way":
                blocks.close()
            else:
                list(blocks)
        except UnreadableAudioError:
            assert damage in {"cut", "noise"}
    assert len(list(OPEN_FILES.iterdir())) <= before
