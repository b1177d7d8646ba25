import hashlib
import io
import subprocess
import sys

import msgspec
import numpy as np
import pytest
import soundfile as sf
import soxr
from hypothesis import given, settings
from hypothesis import strategies as st

from audiometry.audio import riff
from audiometry.audio.clip import read
from audiometry.audio.inspect import inspect
from audiometry.audio.kept import KeptClips
from audiometry.audio.prepare import prepare, prepare_file
from audiometry.audio.target import passes
from audiometry.errors import (
    AudioError,
    TooLargeAudioError,
    TooLongAudioError,
    TooShortAudioError,
    UnreadableAudioError,
)
from audiometry.records import ModelCard

CARD = ModelCard()
ANY = ModelCard(rate=None, channels=None, formats=())


def tone(rate=16000, seconds=0.5, channels=1, hz=440.0, level=0.3):
    t = np.arange(round(rate * seconds)) / rate
    return (level * np.sin(2 * np.pi * hz * t))[:, None].repeat(channels, 1).astype(np.float32)


def encoded(x, rate, form="WAV", subtype="PCM_16", **settings):
    out = io.BytesIO()
    sf.write(out, x, rate, format=form, subtype=subtype, **settings)
    return out.getvalue()


def decoded(data):
    return sf.read(io.BytesIO(data), dtype="float32", always_2d=True)


def db(x):
    return 10 * np.log10(np.mean(np.square(x, dtype=np.float64)))


def test_a_file_that_fits_is_sent_byte_for_byte():
    data = encoded(tone(), 16000)
    audio = prepare(data, CARD, where="a.wav")
    assert audio.data is data
    assert audio.sha256 == hashlib.sha256(data).hexdigest()
    assert (audio.format, audio.rate, audio.channels, audio.duration_s) == ("wav", 16000, 1, 0.5)
    assert audio.changes == ()


@pytest.mark.parametrize(
    ("form", "subtype", "card"),
    [
        ("FLAC", "PCM_16", ModelCard(formats=("wav", "flac"))),
        ("MP3", "MPEG_LAYER_III", ModelCard(formats=("mp3",))),
        ("OGG", "VORBIS", ModelCard(formats=("ogg", "wav"))),
        ("WAV", "FLOAT", ANY),
        ("WAV", "PCM_24", ANY),
        ("AIFF", "PCM_16", ANY),
    ],
)
def test_other_formats_pass_where_the_card_takes_them(form, subtype, card):
    data = encoded(tone(), 16000, form, subtype)
    audio = prepare(data, card, where="a")
    assert audio.data is data
    assert audio.changes == ()
    assert audio.format == form.lower()


def test_the_name_does_not_matter_the_content_does():
    audio = prepare(encoded(tone(), 16000, "FLAC"), CARD, where="really-a-flac.wav")
    assert audio.format == "wav"
    assert audio.changes == ("flac → wav",)


@pytest.mark.parametrize(
    ("rate", "channels", "form", "subtype", "changes"),
    [
        (44100, 2, "WAV", "PCM_16", ("2 → 1 channels", "44100 → 16000 Hz")),
        (192000, 6, "WAV", "PCM_24", ("6 → 1 channels", "192000 → 16000 Hz", "24-bit → 16-bit")),
        (16000, 1, "WAV", "PCM_U8", ("8-bit → 16-bit",)),
        (16000, 1, "WAV", "PCM_32", ("32-bit → 16-bit",)),
        (16000, 1, "WAV", "FLOAT", ("32-bit float → 16-bit",)),
        (16000, 1, "WAV", "DOUBLE", ("64-bit float → 16-bit",)),
        (8000, 1, "WAV", "ULAW", ("8000 → 16000 Hz", "mu-law → 16-bit")),
        (8000, 1, "WAV", "ALAW", ("8000 → 16000 Hz", "A-law → 16-bit")),
        (16000, 1, "WAV", "IMA_ADPCM", ("ADPCM → 16-bit",)),
        (16000, 1, "WAVEX", "PCM_16", ("wav header made plain",)),
        (16000, 1, "AIFF", "PCM_S8", ("8-bit → 16-bit", "aiff → wav")),
        (48000, 1, "OGG", "OPUS", ("48000 → 16000 Hz", "ogg → wav")),
        (16000, 1, "MP3", "MPEG_LAYER_III", ("mp3 → wav",)),
        (22050, 2, "FLAC", "PCM_24", ("2 → 1 channels", "22050 → 16000 Hz", "24-bit → 16-bit", "flac → wav")),
    ],
)
def test_every_change_is_named_and_the_sound_stays(rate, channels, form, subtype, changes):
    data = encoded(tone(rate, 1.0, channels), rate, form, subtype)
    audio = prepare(data, CARD, where="a")
    assert audio.changes == changes
    got = inspect(audio.data, "sent")
    assert (got.format, got.subtype, got.rate, got.channels, got.plain) == ("wav", "PCM_16", 16000, 1, True)
    assert (audio.rate, audio.channels, audio.duration_s) == (16000, 1, got.frames / 16000)
    assert audio.duration_s == pytest.approx(1.0, abs=0.05)
    sent, _ = decoded(audio.data)
    middle = sent[2000:14000, 0]
    assert np.argmax(np.abs(np.fft.rfft(middle))) * 16000 / len(middle) == pytest.approx(440, abs=2)
    assert db(middle) == pytest.approx(20 * np.log10(0.3) - 3.01, abs=0.3)


def test_resampling_keeps_frequency_level_and_length():
    n = 44100 * 2 + 17
    x = (0.5 * np.sin(2 * np.pi * 1000 * np.arange(n) / 44100)).astype(np.float32)[:, None].repeat(2, 1)
    audio = prepare(encoded(x, 44100), CARD, where="a")
    y = decoded(audio.data)[0][:, 0]
    assert abs(len(y) - n * 16000 / 44100) <= 1
    middle = y[8000:24000]  # one second: bins of 1 Hz
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    assert np.argmax(spectrum) == 1000
    assert db(middle) == pytest.approx(20 * np.log10(0.5 / np.sqrt(2)), abs=0.05)


def test_block_by_block_is_the_same_as_all_at_once():
    rng = np.random.default_rng(3)
    x = (rng.standard_normal((44100 * 3 + 1234, 2)) * 0.1).astype(np.float32)
    data = encoded(x, 44100)
    whole = decoded(data)[0]
    expected = soxr.resample(whole[:, 0] * np.float32(0.5) + whole[:, 1] * np.float32(0.5), 44100, 16000, "HQ")
    sent = sf.read(io.BytesIO(prepare(data, CARD, where="a").data), dtype="int16")[0]
    assert np.array_equal(sent, np.rint(expected * 32768).astype(np.int16))


def test_sixteen_bits_survive_a_change_of_container_exactly():
    rng = np.random.default_rng(4)
    x = rng.integers(-32768, 32768, size=40000, dtype=np.int16)
    audio = prepare(encoded(x, 16000, "FLAC"), CARD, where="a")
    assert np.array_equal(sf.read(io.BytesIO(audio.data), dtype="int16")[0], x)
    assert audio.changes == ("flac → wav",)


def test_peaks_above_full_scale_lower_the_clip_and_are_not_clipped():
    x = tone(level=2.0)
    audio = prepare(encoded(x, 16000, subtype="FLOAT"), CARD, where="a")
    y = decoded(audio.data)[0]
    assert audio.changes == ("lowered by 6.02 dB (peaks above full scale)", "32-bit float → 16-bit")
    assert np.max(np.abs(y * 2 - x)) < 2e-4
    assert np.abs(y).max() <= 1.0


def test_full_scale_is_not_lowered():
    x = np.tile(np.array([32767, -32768], dtype=np.int16), 4000)
    six = np.repeat(x[:, None], 6, axis=1)
    audio = prepare(encoded(six, 16000), CARD, where="a")
    assert audio.changes == ("6 → 1 channels",)
    assert np.abs(sf.read(io.BytesIO(audio.data), dtype="int16")[0].astype(int) - x).max() <= 1


def test_silence_stays_silence():
    audio = prepare(encoded(np.zeros((44100, 2), np.float32), 44100), CARD, where="a")
    assert not decoded(audio.data)[0].any()
    assert audio.changes == ("2 → 1 channels", "44100 → 16000 Hz")


def test_channels_that_cancel_are_said():
    x = tone(channels=2)
    x[:, 1] *= -1
    audio = prepare(encoded(x, 16000, subtype="FLOAT"), CARD, where="a")
    assert audio.changes[:2] == ("2 → 1 channels", "channels cancel each other: level falls to nothing")
    x[:, 1] *= 0.99
    assert "level falls by 46 dB" in prepare(encoded(x, 16000, subtype="FLOAT"), CARD, where="a").changes[1]


def test_a_clip_of_which_nothing_is_left_is_refused():
    with pytest.raises(UnreadableAudioError, match=r"^a: too short: 1 samples at 44100 Hz are none at 8000 Hz"):
        prepare(encoded(np.zeros((1, 1), np.float32), 44100), ModelCard(rate=8000), where="a")


@pytest.mark.parametrize("form", ["mp3", "ogg", "flac", "wav"])
def test_what_is_encoded_has_the_right_rate_and_length_and_always_the_same_bytes(form):
    card = ModelCard(formats=(form,), rate=24000)
    data = encoded(tone(44100, 1.3, 2), 44100)
    audio = prepare(data, card, where="a")
    y, rate = decoded(audio.data)
    assert (audio.format, rate, y.shape[1], len(y)) == (form, 24000, 1, round(1.3 * 24000))
    assert audio.duration_s == pytest.approx(1.3, abs=1e-4)
    assert db(y[2400:-2400]) == pytest.approx(20 * np.log10(0.3) - 3.01, abs=0.1)
    assert inspect(audio.data, "sent").format == form
    child = (
        "import sys; from audiometry.audio.prepare import prepare; from audiometry.records import ModelCard;"
        f"print(prepare(sys.stdin.buffer.read(), ModelCard(formats=('{form}',), rate=24000), where='a').sha256)"
    )
    done = subprocess.run([sys.executable, "-c", child], input=data, capture_output=True, check=True)
    assert done.stdout.decode().strip() == audio.sha256


def test_a_rate_that_mp3_has_not_becomes_the_next_higher_one():
    card = ModelCard(formats=("mp3",), rate=None)
    assert prepare(encoded(tone(10000), 10000), card, where="a").rate == 11025
    assert prepare(encoded(tone(96000), 96000), card, where="a").rate == 48000


def test_the_first_format_that_can_hold_what_is_asked_is_taken():
    card = ModelCard(formats=("mp3", "flac"), rate=10000)
    assert prepare(encoded(tone(), 16000), card, where="a").format == "flac"
    with pytest.raises(AudioError, match=r"a: the model's card asks for mp3 at 10000 Hz.*correct the card"):
        prepare(encoded(tone(), 16000), ModelCard(formats=("mp3",), rate=10000), where="a")


def test_a_card_without_formats_keeps_the_format_when_it_has_to_convert():
    card = ModelCard(formats=(), rate=16000)
    assert prepare(encoded(tone(22050), 22050, "FLAC"), card, where="a").format == "flac"
    assert prepare(encoded(tone(22050), 22050, "AIFF"), card, where="a").format == "wav"


def test_too_long_names_both_lengths():
    with pytest.raises(
        TooLongAudioError, match=r"^b/x\.wav: lasts 31\.00 s, the model takes at most 30\.00 s; .*shorten"
    ):
        prepare(encoded(tone(seconds=31), 16000), ModelCard(longest_s=30), where="b/x.wav")
    assert prepare(encoded(tone(seconds=30), 16000), ModelCard(longest_s=30), where="a").duration_s == 30


def test_three_hours_are_refused_without_being_read(tmp_path):
    path = tmp_path / "long.wav"
    length = 3 * 3600 * 16000 * 2
    with path.open("wb") as f:
        f.write(riff.pcm16_header(length, 16000, 1))
        f.truncate(44 + length)
    child = (
        "import resource, sys\n"
        "from audiometry.audio.prepare import prepare_file\n"
        "from audiometry.errors import TooLongAudioError\n"
        "from audiometry.records import ModelCard\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: prepare_file(sys.argv[1], ModelCard(longest_s=30))\n"
        "except TooLongAudioError as e: print(e)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", child, path], capture_output=True, check=True, text=True)
    message, grown = done.stdout.splitlines()
    assert message.startswith(f"{path}: lasts 10800.00 s, the model takes at most 30.00 s")
    assert int(grown) < 4096  # kB; the file is 345,600 kB


@pytest.mark.slow
def test_memory_is_bounded_by_what_goes_in_and_out(tmp_path):
    path = tmp_path / "half-hour.flac"
    rng = np.random.default_rng(0)
    minute = (0.1 * rng.standard_normal((44100 * 60, 2))).astype(np.float32)
    with sf.SoundFile(path, "w", 44100, 2, "PCM_16", format="FLAC") as f:
        for _ in range(30):
            f.write(minute)
    child = (
        "import resource, sys\n"
        "from audiometry.audio.prepare import prepare\n"
        "from audiometry.audio.clip import read\n"
        "from audiometry.audio.clip_file import read_file\n"
        "from audiometry.records import ModelCard\n"
        "import soxr, soundfile\n"
        "data = read_file(sys.argv[1])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "audio = prepare(data, ModelCard(), where='a')\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(audio.data))\n"
    )
    done = subprocess.run([sys.executable, "-c", child, path], capture_output=True, check=True, text=True)
    assert float(done.stdout) < 1.5  # 58 MB out; the samples as float would be 635 MB


def test_what_passes_loads_no_audio_library():
    child = (
        "import sys; from audiometry.audio.prepare import prepare; from audiometry.records import ModelCard;"
        "prepare(sys.stdin.buffer.read(), ModelCard(), where='a');"
        "print([m for m in ('numpy', 'soundfile', 'soxr') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", child], input=encoded(tone(), 16000), capture_output=True, check=True)
    assert done.stdout.decode().strip() == "[]"


def test_numbers_that_are_none_are_found_when_converting():
    x = tone()
    x[1600] = np.nan
    with pytest.raises(UnreadableAudioError, match=r"^a: samples that are not numbers .*first at 0\.100 s; replace"):
        prepare(encoded(x, 16000, subtype="FLOAT"), CARD, where="a")
    x[1600] = np.inf
    with pytest.raises(UnreadableAudioError, match="not numbers"):
        prepare(encoded(x, 16000, subtype="DOUBLE"), CARD, where="a")


def test_absurdly_loud_samples_are_lowered_or_refused():
    x = tone(channels=2, level=1e30)
    audio = prepare(encoded(x, 16000, subtype="FLOAT"), CARD, where="a")
    assert audio.changes[1] == "lowered by 600.00 dB (peaks above full scale)"
    noise = np.sign(np.random.default_rng(0).standard_normal((44100, 1))).astype(np.float32) * np.float32(3.4e38)
    with pytest.raises(UnreadableAudioError, match="too large"):
        prepare(encoded(noise, 44100, subtype="FLOAT"), CARD, where="a")


def test_an_open_ended_wav_is_read_to_its_end_and_its_header_closed():
    x = tone()
    data = bytearray(encoded(x, 16000))
    data[4:8] = data[40:44] = b"\xff\xff\xff\xff"
    audio = prepare(bytes(data), CARD, where="a")
    assert audio.changes == ("wav header made plain",)
    assert np.array_equal(decoded(audio.data)[0], decoded(encoded(x, 16000))[0])


def test_passes_asks_for_all_of_the_card():
    info = inspect(encoded(tone(channels=2), 16000), "a")
    assert passes(info, ANY, 1000)
    assert passes(info, ModelCard(channels=2), 1000)
    assert passes(info, ModelCard(channels=None), 1000)
    assert not passes(info, ModelCard(channels=1), 1000)
    assert not passes(info, ModelCard(channels=2, rate=8000), 1000)
    assert not passes(info, ModelCard(channels=2, formats=("mp3",)), 1000)
    assert passes(info, ModelCard(channels=2, largest_mb=0.002), 1425)
    assert not passes(info, ModelCard(channels=2, largest_mb=0.002), 1426)


def test_prepare_file_reads_and_names(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(encoded(tone(), 16000))
    assert prepare_file(path, CARD).changes == ()
    with pytest.raises(UnreadableAudioError, match=r"^item 3 \(b\.wav\): no such file; correct the name"):
        prepare_file(tmp_path / "b.wav", ModelCard(longest_s=3), where="item 3 (b.wav)")


@settings(max_examples=60, deadline=None)
@given(
    rate=st.sampled_from([4000, 8000, 11025, 16000, 22050, 37800, 44100, 48000, 96000]),
    channels=st.integers(1, 7),
    kind=st.sampled_from(
        [
            ("WAV", "PCM_16"),
            ("WAV", "PCM_U8"),
            ("WAV", "FLOAT"),
            ("WAVEX", "PCM_24"),
            ("FLAC", "PCM_16"),
            ("AIFF", "PCM_16"),
        ]
    ),
    frames=st.integers(20, 3000),
    level=st.sampled_from([0.0, 0.1, 1.0, 3.0]),
    card=st.builds(
        ModelCard,
        rate=st.sampled_from([None, 8000, 16000, 24000, 44100]),
        channels=st.sampled_from([None, 1, 2]),
        formats=st.sampled_from([("wav",), ("mp3", "wav"), ("flac",), ("ogg",), ()]),
    ),
)
def test_what_is_sent_is_always_what_the_card_asks(rate, channels, kind, frames, level, card):
    x = (np.random.default_rng(frames).uniform(-level, level, (frames, channels))).astype(np.float32)
    data = encoded(x, rate, *kind)
    audio = prepare(data, card, where="a")
    got = inspect(audio.data, "sent")
    assert (got.format, got.rate, got.channels) == (audio.format, audio.rate, audio.channels)
    assert passes(got, card, len(audio.data))
    assert not card.formats or got.format in card.formats
    assert card.rate in {None, got.rate}
    assert card.channels is None or got.channels <= card.channels
    assert got.duration_s == pytest.approx(frames / rate, abs=1 / min(rate, got.rate) + 1e-9)
    assert (audio.data == data) == (audio.changes == ())
    clip = read(audio.data)
    assert clip.frames == got.frames
    if level == 0.0 and kind[1] != "PCM_U8":
        assert not clip.samples.any()


def test_a_large_file_that_is_not_too_long_is_prepared(tmp_path, monkeypatch):
    monkeypatch.setattr("audiometry.audio.prepare._LARGE", 1000)
    path = tmp_path / "a.wav"
    path.write_bytes(encoded(tone(), 16000))
    assert prepare_file(path, ModelCard(longest_s=1)).data == path.read_bytes()
    with pytest.raises(TooLongAudioError, match=r"lasts 0\.50 s, the model takes at most 0\.25 s"):
        prepare_file(path, ModelCard(longest_s=0.25))
    path.write_bytes(encoded(tone(), 16000, "FLAC"))
    with pytest.raises(TooLongAudioError):
        prepare_file(path, ModelCard(longest_s=0.25))
    path.write_bytes(b"fLaC" + bytes(2000))
    with pytest.raises(UnreadableAudioError, match="header cannot be read"):
        prepare_file(path, ModelCard(longest_s=0.25))
    path.write_bytes(encoded(tone(), 16000, "AIFF"))
    with pytest.raises(TooLongAudioError):
        prepare_file(path, ModelCard(longest_s=0.25))


@pytest.mark.parametrize(("rate", "channels", "level"), [(16_000, 1, 0.3), (44_100, 2, 0.3), (44_100, 2, 1.5)])
def test_a_clip_that_is_too_short_is_refused_or_followed_by_silence(rate, channels, level):
    data = encoded(tone(rate, 0.5, channels, level=level), rate, subtype="FLOAT")
    with pytest.raises(TooShortAudioError, match="the model takes 1"):
        prepare(data, ModelCard(shortest_s=1), where="a")
    kept, card = KeptClips(), ModelCard(shortest_s=1, padded=True)
    plain, audio = (prepare(data, one, where="a", kept=kept) for one in (CARD, card))
    heard = decoded(audio.data)[0]
    assert (len(heard), audio.duration_s) == (24_000, 1.5)
    assert np.array_equal(heard[:8_000], decoded(plain.data)[0])
    assert not heard[8_000:].any()
    assert audio.changes == ("1.00 s of silence after it", *plain.changes)
    assert prepare(encoded(tone(seconds=1.0), 16_000), card, where="a", kept=kept).changes == ()


def test_a_clip_too_large_as_wav_becomes_an_mp3_of_the_same_sound():
    card = ModelCard(rate=None, formats=("wav", "mp3"), largest_mb=0.1)  # 71,250 bytes for clips
    small, large = (encoded(tone(44_100, seconds), 44_100) for seconds in (0.5, 2.0))
    assert prepare(small, card, where="a").changes == ()
    audio = prepare(large, card, where="a")
    assert (audio.format, audio.rate, audio.changes) == ("mp3", 44_100, ("wav → mp3",))
    assert len(audio.data) <= 71_250 < len(large)
    assert abs(db(decoded(audio.data)[0]) - db(tone(44_100, 2.0))) < 0.5
    flac = prepare(encoded(tone(44_100, 2.0), 44_100, "FLAC"), card, where="a")
    assert (flac.format, flac.changes) == ("mp3", ("flac → mp3",))


def test_what_no_format_makes_small_enough_is_refused_in_one_line():
    wav, noise = encoded(tone(44_100, 2.0), 44_100), np.random.default_rng(0).uniform(-1, 1, (44_100 * 20, 1))
    said = "a.wav: 0.2 MB as wav, of which a request to the model holds 0.1 MB; nothing is cut silently"
    with pytest.raises(TooLargeAudioError, match=said):
        prepare(wav, ModelCard(rate=None, formats=("wav",), largest_mb=0.1), where="a.wav")
    loud = encoded(noise.astype(np.float32), 44_100)
    with pytest.raises(TooLargeAudioError, match="MB as mp3"):
        prepare(loud, ModelCard(rate=None, formats=("wav", "mp3"), largest_mb=0.1), where="a.wav")
    mp3 = encoded(noise.astype(np.float32), 44_100, "MP3", "MPEG_LAYER_III")
    with pytest.raises(TooLargeAudioError, match="MB as mp3"):
        prepare(mp3, ModelCard(rate=None, formats=("wav", "mp3"), largest_mb=0.1), where="a.mp3")


def test_a_kept_clip_is_measured_too():
    kept, data = KeptClips(), encoded(tone(44_100, 2.0), 44_100)
    large = ModelCard(rate=None, formats=("flac",), largest_mb=1)
    assert prepare(data, large, where="a", kept=kept).format == "flac"
    with pytest.raises(TooLargeAudioError):
        prepare(data, msgspec.structs.replace(large, largest_mb=0.001), where="a", kept=kept)
