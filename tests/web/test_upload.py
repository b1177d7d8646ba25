"""Recordings of strangers: what is made of them, and what they cannot do."""

import asyncio
import io
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from audiometry.errors import (
    AudioError,
    StorageError,
    TooLargeAudioError,
    TooLongAudioError,
    TooShortAudioError,
    UnreadableAudioError,
)
from audiometry.web import decoding, upload

RATE = 48_000
TAGS = {"title": "Mrs Secret", "artist": "Anna", "comment": "taken at home"}
SENT = {  # as it is called afterwards: container, codec, how close the level is
    "webm/opus": ("webm", "libopus", 0.1),
    "ogg/opus": ("ogg", "libopus", 0.1),
    "mp4/aac": ("ipod", "aac", 0.1),
    "aac/aac": ("adts", "aac", 0.3),
    "mp3/mp3": ("mp3", "libmp3lame", 0.5),
    "flac/flac": ("flac", "flac", 0.01),
    "wav/pcm": ("wav", "pcm_s16le", 0.01),
    "mp4/alac": ("mp4", "alac", 0.01),
}


@pytest.mark.parametrize("kind", SENT)
def test_every_container_keeps_length_level_and_pitch_and_none_of_its_metadata(sounds, kind):
    form, codec, decibels = SENT[kind]
    sent = sounds.coded(sounds.tone(2.0), form, codec, tags=TAGS)
    kept, found = upload.heard(sent)
    samples, rate = soundfile.read(io.BytesIO(kept), dtype="float32")
    assert (found.kind, rate, found.rate, found.channels) == (kind, RATE, RATE, 1)
    assert kept[:4] == b"fLaC"
    assert found.duration_s == len(samples) / RATE == pytest.approx(2.0, abs=0.05)
    assert found.level_dbfs == pytest.approx(20 * np.log10(0.25 / np.sqrt(2)), abs=decibels)
    middle = samples[RATE // 2 : RATE // 2 + RATE]  # a second: the spectrum's places are hertz
    assert np.abs(np.fft.rfft(middle)).argmax() == 523
    assert not any(word.encode() in kept for word in TAGS.values())
    assert form == "adts" or any(word.encode() in sent for word in TAGS.values())


def test_lossless_samples_stay_as_they_are_and_give_the_same_bytes(sounds):
    exact = np.round(sounds.tone() * 32768) / 32768
    wav, flac = (
        upload.heard(sounds.coded(exact, form, codec)) for form, codec in (("wav", "pcm_s16le"), ("flac", "flac"))
    )
    assert wav[0] == flac[0]
    assert np.array_equal(soundfile.read(io.BytesIO(wav[0]), dtype="float32")[0], exact.astype(np.float32))


def test_silence_is_told_and_stays_silence_when_levels_are_brought_up(sounds):
    kept, found = upload.heard(sounds.coded(np.zeros(RATE), "wav", "pcm_s16le"), normalise=True)
    assert found.silent
    assert (found.peak_dbfs, found.level_dbfs, found.gain_db) == (None, None, 0.0)
    assert not soundfile.read(io.BytesIO(kept))[0].any()


@pytest.mark.parametrize(("amplitude", "peak"), [(0.1, -1.0), (0.9, -1.0), (0.001, -30.0)])
def test_normalising_brings_the_peak_up_by_no_more_than_is_sound(sounds, amplitude, peak):
    kept, found = upload.heard(sounds.coded(sounds.tone(amplitude=amplitude), "wav", "pcm_f32le"), normalise=True)
    assert 20 * np.log10(np.abs(soundfile.read(io.BytesIO(kept))[0]).max()) == pytest.approx(peak, abs=0.1)
    assert found.peak_dbfs == pytest.approx(20 * np.log10(amplitude), abs=0.1)
    assert found.gain_db == pytest.approx(min(30.0, -1.0 - 20 * np.log10(amplitude)), abs=0.1)


def test_clipping_is_told_and_overshooting_is_lowered_not_cut(sounds):
    assert upload.heard(sounds.coded(np.clip(sounds.tone(amplitude=3.0), -1, 1), "wav", "pcm_s16le"))[1].clipped
    assert not upload.heard(sounds.coded(sounds.tone(amplitude=0.99), "wav", "pcm_s16le"))[1].clipped
    kept, found = upload.heard(sounds.coded(sounds.tone(amplitude=2.0), "wav", "pcm_f32le"))
    assert found.peak_dbfs == pytest.approx(6.02, abs=0.01)
    assert found.gain_db == pytest.approx(-6.02, abs=0.01)
    samples = soundfile.read(io.BytesIO(kept), dtype="float32")[0]
    assert np.abs(samples - sounds.tone(amplitude=1.0)).max() < 2 / 32768


LIMITS = upload.Limits(bytes=400_000, longest_s=3.0, shortest_s=0.2)
REFUSED = {
    "no bytes": (lambda sounds: b"", UnreadableAudioError, "empty"),
    "a picture": (
        lambda sounds: b"\x89PNG\r\n\x1a\n" + bytes(99),
        UnreadableAudioError,
        "no recording that is read here",
    ),
    "a zip": (lambda sounds: b"PK\x03\x04" + bytes(99), UnreadableAudioError, "no recording that is read here"),
    # formats that name other files or addresses, which a guessing decoder would open
    "a playlist": (lambda sounds: b"#EXTM3U\n#EXTINF:1,\n/etc/passwd\n", UnreadableAudioError, "no recording"),
    "a list of files": (
        lambda sounds: b"ffconcat version 1.0\nfile /etc/passwd\n",
        UnreadableAudioError,
        "no recording",
    ),
    "a head alone": (lambda sounds: b"\x1aE\xdf\xa3", UnreadableAudioError, "damaged"),
    "noise behind a head": (lambda sounds: b"OggS" + random.Random(1).randbytes(5000), UnreadableAudioError, "damaged"),
    "too many bytes": (lambda sounds: bytes(400_001), TooLargeAudioError, "more than 0.4 MB"),
    "too long": (lambda sounds: sounds.coded(sounds.tone(3.5)), TooLongAudioError, "more than 3 s"),
    "ten minutes of nothing": (
        lambda sounds: sounds.coded(np.zeros(600 * 8000), "flac", "flac", rate=8000),
        TooLongAudioError,
        "3 s",
    ),
    "too short": (lambda sounds: sounds.coded(sounds.tone(0.1)), TooShortAudioError, "lasts 0.1"),
    "two tracks": (
        lambda sounds: sounds.coded(sounds.tone(), "matroska", "flac", tracks=2),
        UnreadableAudioError,
        "several tracks",
    ),
    "many channels": (
        lambda sounds: sounds.coded([sounds.tone()] * 3, "wav", "pcm_s16le"),
        UnreadableAudioError,
        "3 channels",
    ),
    "not numbers": (
        lambda sounds: sounds.coded(sounds.tone() / 0, "wav", "pcm_f32le"),
        UnreadableAudioError,
        "not numbers",
    ),
    "codec unknown": (
        lambda sounds: sounds.coded(sounds.tone(), "wav", "adpcm_ima_wav"),
        UnreadableAudioError,
        "no sound that is read",
    ),
}


@pytest.mark.filterwarnings("ignore:(divide|invalid)")
@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_recording_is_one_line_soon(sounds, what, capfd):
    make, error, why = REFUSED[what]
    sent = make(sounds)
    began = time.process_time()
    with pytest.raises(error, match=why) as problem:
        upload.heard(sent, LIMITS)
    assert "\n" not in str(problem.value)
    assert time.process_time() - began < 2
    assert capfd.readouterr() == ("", "")


def test_a_decoder_that_takes_too_long_is_left(sounds):
    clock = iter(range(0, 1000, 5))
    with pytest.raises(TooLargeAudioError, match="too long to decode"):
        upload.heard(sounds.coded(sounds.tone(2.0)), clock=lambda: next(clock))


@pytest.fixture(scope="module")
def whole(sounds):
    return [sounds.coded(sounds.tone(0.5), form, codec, tags=TAGS) for form, codec, _ in SENT.values()]


@given(st.sampled_from(range(len(SENT))), st.randoms(use_true_random=False), st.floats(0, 1))
def test_broken_recordings_are_decoded_or_refused_in_a_line(whole, which, draw, kept):
    one = whole[which]
    data = bytearray(one[: max(1, round(len(one) * max(kept, 0.05)))])
    for _ in range(draw.choice([0, 1, 5, 40])):
        data[draw.randrange(min(len(data), draw.choice([64, 600, len(data)])))] = draw.randrange(256)
    try:
        made, found = upload.heard(bytes(data), LIMITS)
    except AudioError as problem:
        assert "\n" not in str(problem)  # noqa: PT017  most are refused, some are whole enough
    else:
        samples, rate = soundfile.read(io.BytesIO(made))
        assert (len(samples) / rate, rate) == (found.duration_s, found.rate)
        assert np.isfinite(samples).all()


def together(work):
    """What ``work`` gives, with processes that decode for it."""

    async def all_of_it():
        processes = decoding.Decoding(upload.Limits(longest_s=3.0, decode_s=5.0), size=1)
        try:
            return await work(processes)
        finally:
            await processes.close()

    return asyncio.run(all_of_it())


def test_a_process_decodes_refuses_breaks_and_the_next_one_goes_on(sounds, capfd, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    sent = sounds.coded(sounds.tone(2.0), tags=TAGS)

    async def work(processes):
        found = [await processes.heard(sent)]
        for broken, error in ((sent[:50], UnreadableAudioError), (sounds.coded(sounds.tone(4.0)), TooLongAudioError)):
            with pytest.raises(error):
                await processes.heard(broken)
        (member,) = processes._pool.members
        member.program.kill("as a broken decoder ends")
        with pytest.raises(UnreadableAudioError, match=r"^the recording cannot be decoded; record again"):
            await processes.heard(sent)
        found.append(await processes.heard(sent))
        assert not list(tmp_path.glob("audiometry-heard-*/*"))
        return found

    assert together(work) == [upload.heard(sent)] * 2
    assert capfd.readouterr() == ("", "")
    assert not list(tmp_path.glob("audiometry-heard-*"))


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from audiometry.web.decoding import Decoding

async def main():
    processes = Decoding()
    await processes.heard(Path(sys.argv[1]).read_bytes())
    folder = Path(processes._folder.name)
    (folder / "somebody's voice").write_text("in the middle of it")
    print(folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def test_nobodys_voice_is_left_behind_by_a_server_that_is_killed(sounds, tmp_path):
    (tmp_path / "sent").write_bytes(sounds.coded(sounds.tone()))
    found = subprocess.run(
        [sys.executable, "-c", KILLED, tmp_path / "sent"], capture_output=True, text=True, timeout=60, check=False
    )
    folder, end = Path(found.stdout.strip()), time.monotonic() + 30
    assert folder.name.startswith("audiometry-heard-")
    while folder.exists():
        assert time.monotonic() < end, "it is still there"
        time.sleep(0.05)


def test_a_process_that_hangs_is_ended(sounds, monkeypatch):
    async def never(_):
        await asyncio.sleep(60)

    async def work(processes):
        processes.limits = upload.Limits(decode_s=0.05)
        monkeypatch.setattr(processes._pool, "ask", never)
        with pytest.raises(UnreadableAudioError, match="cannot be decoded"):
            await processes.heard(sounds.coded(sounds.tone()))

    together(work)


def test_a_full_disk_is_no_fault_of_the_recording(sounds, monkeypatch):
    async def work(processes):
        processes._folder.cleanup()
        monkeypatch.setattr(processes, "_folder", type("Gone", (), {"name": "/dev/full", "cleanup": lambda _: None})())
        with pytest.raises(StorageError, match=r"^the recording cannot be kept"):
            await processes.heard(sounds.coded(sounds.tone()))

    together(work)
