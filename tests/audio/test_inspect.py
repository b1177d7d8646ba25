import io
import struct

import msgspec
import numpy as np
import pytest
import soundfile as sf
from hypothesis import given, settings
from hypothesis import strategies as st

from audiometry.audio import mpeg, ogg, riff
from audiometry.audio.clip import read
from audiometry.audio.clip_file import read_file
from audiometry.audio.decode import blocks
from audiometry.audio.inspect import inspect
from audiometry.audio.prepare import prepare
from audiometry.errors import UnreadableAudioError
from audiometry.records import ModelCard

RNG = np.random.default_rng(7)
X = (0.3 * np.sin(np.arange(24000) * 0.1) + 0.02 * RNG.standard_normal(24000)).astype(np.float32)


def encoded(form="WAV", subtype=None, x=X, rate=16000, **settings):
    out = io.BytesIO()
    sf.write(out, x, rate, format=form, subtype=subtype, **settings)
    return out.getvalue()


FILES = {
    f"{form} {subtype}": encoded(form, subtype)
    for form, subtype in [
        ("WAV", "PCM_16"), ("WAV", "PCM_U8"), ("WAV", "PCM_24"), ("WAV", "FLOAT"), ("WAV", "ULAW"),
        ("WAV", "IMA_ADPCM"), ("WAVEX", "PCM_16"), ("RF64", "PCM_16"), ("W64", "PCM_16"), ("FLAC", "PCM_16"),
        ("OGG", "VORBIS"), ("OGG", "OPUS"), ("MP3", "MPEG_LAYER_III"), ("AIFF", "PCM_16"), ("AU", "PCM_16"),
    ]
}  # fmt: skip


def refused_in_one_line(error):
    assert str(error).startswith("a: ")
    assert "; " in str(error)
    assert str(error).isprintable()


@pytest.mark.parametrize("name", FILES)
def test_what_a_file_is_comes_from_its_content(name):
    form, subtype = name.split()
    info = inspect(FILES[name], "a.xyz")
    assert info.format == {"WAVEX": "wav"}.get(form, form.lower())
    assert info.subtype == subtype
    assert (info.rate, info.channels) == (16000, 1)
    assert info.frames == pytest.approx(24000, abs=410 if subtype == "IMA_ADPCM" else 0)
    assert info.duration_s == info.frames / 16000
    assert info.plain == (form not in {"WAV", "WAVEX"} or name == "WAV PCM_16")


@pytest.mark.parametrize("name", FILES)
def test_the_own_reader_of_headers_agrees_with_libsndfile(name):
    data = FILES[name]
    info, theirs = inspect(data, "a"), sf.info(io.BytesIO(data))
    assert (info.rate, info.channels, info.frames, info.subtype) == (
        theirs.samplerate, theirs.channels, theirs.frames, theirs.subtype,
    )  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.95])
def test_a_cut_file_is_called_truncated_before_anything_is_sent(name, share):
    data = FILES[name]
    with pytest.raises(UnreadableAudioError, match=r"^clip 7: .*; (replace|known)") as caught:
        inspect(data[: int(len(data) * share)], "clip 7")
    if share > 0.2:
        assert "truncated" in str(caught.value)


@settings(max_examples=150, deadline=None)
@given(name=st.sampled_from(sorted(FILES)), cut=st.floats(0, 1, exclude_max=True), card=st.sampled_from([(), ("wav",)]))
def test_a_file_cut_anywhere_is_read_or_refused_in_one_line(name, cut, card):
    data = FILES[name][: int(len(FILES[name]) * cut)]
    try:
        audio = prepare(data, ModelCard(rate=None, formats=card), where="a")
    except UnreadableAudioError as e:
        refused_in_one_line(e)
    else:  # only a cut that takes nothing audible away: padding, or less than one sample
        between_pages = name.startswith("OGG") and not ogg.ends_marked(data)
        assert between_pages or audio.duration_s == pytest.approx(1.5, abs=0.03)


@settings(max_examples=100, deadline=None)
@given(
    st.binary(max_size=400), st.sampled_from([b"", b"RIFF", b"fLaC", b"OggS", b"ID3\x04", b"FORM", b"\xff\xfb\x90\x64"])
)
def test_any_bytes_are_read_or_refused_in_one_line(tail, head):
    try:
        info = inspect(head + tail, "a")
    except UnreadableAudioError as e:
        refused_in_one_line(e)
    else:
        assert info.frames > 0


def wav(fmt=None, stated=None, payload=b"\x01\x00" * 100, riff_size=None, extra=b""):
    fmt = fmt if fmt is not None else struct.pack("<HHIIHH", 1, 1, 16000, 32000, 2, 16)
    stated = len(payload) if stated is None else stated
    body = b"WAVE" + b"fmt " + struct.pack("<I", len(fmt)) + fmt + extra + b"data" + struct.pack("<I", stated) + payload
    return b"RIFF" + struct.pack("<I", len(body) if riff_size is None else riff_size) + body


def test_chunks_around_the_samples_are_passed_over():
    info = inspect(wav(extra=b"LIST\x03\x00\x00\x00abc\x00") + b"id3 \x04\x00\x00\x00abcd", "a")
    assert (info.frames, info.plain) == (100, True)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"empty \(0 bytes\)"),
        (wav(fmt=struct.pack("<HHIIHH", 1, 0, 16000, 0, 0, 16)), "no channels"),
        (wav(fmt=struct.pack("<HHIIHH", 1, 1, 0, 0, 2, 16)), "a rate of 0 Hz"),
        (wav(fmt=struct.pack("<HHIIHH", 1, 1, 3_000_000_000, 0, 2, 16)), "says 3000000000 Hz, audio has 1000 to"),
        (wav(fmt=struct.pack("<HHIIHH", 1, 1, 1, 2, 2, 16)), "its header says 1 Hz.*correct the header"),
        (wav(payload=b""), "a WAV header without samples"),
        (wav()[:40], "ends in its header"),
        (wav(stated=400), r"truncated: its header promises 400 bytes of samples, 200 are there \(50\.0 %\)"),
        (wav(stated=400_000, payload=bytes(399_999)), r"399999 are there \(almost all\)"),
        (b"RIFF\x00\x00\x00\x00WAVEdata\x04\x00\x00\x00abcd", "ends in its header"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", "Git LFS pointer.*git lfs pull"),
        (b"\x00\x00\x00\x20ftypM4A " + bytes(40), "MP4/M4A.*convert"),
        (b"\x1aE\xdf\xa3" + bytes(40), "WebM/Matroska.*convert"),
        (b"\n<!DOCTYPE html><html>", "web page, not audio"),
        (b"fLaC" + bytes(60), "starts like audio but its header cannot be read"),
        (b"just some words\n in a file", "not audio .it starts as no known format does.; known: wav, flac"),
        (b"\xff\xfb\x90\x64", "truncated: its last frame is incomplete"),
    ],
)
def test_what_is_wrong_and_what_to_do_is_said(data, message):
    with pytest.raises(UnreadableAudioError, match=rf"^clip 7: .*{message}"):
        inspect(data, "clip 7")


@pytest.mark.parametrize(
    ("stated", "riff_size"), [(0xFFFFFFFF, 0xFFFFFFFF), (0x7FFFF000, 0x7FFFF024), (0, 0), (0, 36), (0, 8)]
)
def test_a_header_written_before_the_length_was_known_is_read_to_the_end(stated, riff_size):
    data = wav(stated=stated, riff_size=riff_size)
    info = inspect(data, "a")
    assert (info.frames, info.plain) == (100, False)
    assert read(data).frames == 100


def test_a_header_that_no_short_form_fits_is_left_to_the_library():
    odd = struct.pack("<HHIIHH", 1, 1, 16000, 64000, 4, 16)  # 16 bits in frames of 4 bytes
    assert riff.parse(wav(fmt=odd), "a").subtype == ""


def test_damage_in_the_middle_is_found_when_decoding():
    data = bytearray(FILES["FLAC PCM_16"])
    middle = len(data) // 2
    data[middle : middle + 4000] = RNG.bytes(4000)
    inspect(bytes(data), "a")
    with pytest.raises(UnreadableAudioError, match=r"^a: (damaged|truncated): .*; replace"):
        read(bytes(data), where="a")


def test_a_flac_without_a_stated_length_is_counted():
    data = bytearray(FILES["FLAC PCM_16"])
    data[21] &= 0xF0
    data[22:26] = bytes(4)
    assert inspect(bytes(data), "a").frames == 24000
    assert read(bytes(data)).frames == 24000


@pytest.mark.parametrize("quiet_first", [True, False])
def test_an_mp3_without_a_length_note_is_not_cut(quiet_first):
    noise = 0.1 * np.random.default_rng(1).standard_normal(16000 * 8)
    halves = [np.zeros(16000 * 8), noise] if quiet_first else [noise, np.zeros(16000 * 8)]
    x = np.concatenate(halves).astype(np.float32)
    data = encoded("MP3", "MPEG_LAYER_III", x, bitrate_mode="VARIABLE", compression_level=0.0)
    stream = mpeg.scan(data)
    assert stream is not None
    first = mpeg.frame(data, stream.start)
    bare = data[first.length :]
    assert abs(sf.info(io.BytesIO(bare)).frames - len(x)) > 16000, "libsndfile has learned to count: drop this detour"
    info = inspect(bare, "a")
    assert info.frames == pytest.approx(len(x), abs=mpeg.TOLERANCE)
    assert not info.plain
    clip = read(bare)
    assert clip.frames == pytest.approx(len(x), abs=mpeg.TOLERANCE)
    levels = [np.std(clip.samples[16000 : 16000 * 7]), np.std(clip.samples[16000 * 9 : -4000])]
    assert levels == pytest.approx([0, 0.1] if quiet_first else [0.1, 0], abs=0.01)
    audio = prepare(bare, ModelCard(formats=("mp3",)), where="a")
    assert audio.changes == ("mp3 encoded anew",)
    assert audio.duration_s == pytest.approx(16, abs=0.2)


def _id3(length):
    return b"ID3\x03\0\0" + bytes(length >> 7 * place & 127 for place in (3, 2, 1, 0)) + bytes(length)


@pytest.mark.parametrize("rate", [22050, 44100])
def test_no_sample_of_an_mp3_without_a_length_note_is_dropped(rate):
    x = 0.1 * np.random.default_rng(1).standard_normal(rate * 4).astype(np.float32)
    x[rate * 2 :] = 0
    data = encoded("MP3", "MPEG_LAYER_III", x, rate, bitrate_mode="VARIABLE", compression_level=0.0)
    bare = data[mpeg.frame(data, mpeg.scan(data).start).length :]
    # a tag of many bytes makes libsndfile expect too much, so that it reads all that is there
    whole = sf.read(io.BytesIO(_id3(4 * len(bare)) + bare), dtype="float32", always_2d=True)[0]
    assert len(whole) == mpeg.scan(bare).samples > sf.info(io.BytesIO(bare)).frames
    clip = read(bare)
    assert clip.frames == len(whole)
    assert np.allclose(clip.samples, whole, rtol=0, atol=1e-6)  # the decoder's sums may run in another order


def test_a_tag_before_an_mp3_changes_no_sample_of_it_and_is_no_reason_to_encode_it_anew(capfd):
    data = encoded("MP3", "MPEG_LAYER_III", bitrate_mode="CONSTANT", compression_level=0.5)
    bare = data[mpeg.frame(data, mpeg.scan(data).start).length :]
    tagged = _id3(40_000) + bare
    untagged, info = sf.read(io.BytesIO(bare), dtype="float32", always_2d=True)[0], inspect(tagged, "a")
    assert (info.plain, info.frames) == (True, len(untagged))
    assert sf.info(io.BytesIO(tagged)).frames > 2 * len(untagged), "libsndfile has learned: drop this detour"
    assert np.array_equal(read(tagged).samples, untagged)
    assert prepare(tagged, ModelCard(formats=("mp3",)), where="a").changes == ()
    assert capfd.readouterr().err == ""


def test_two_mp3_files_joined_are_read_to_the_end():
    one = FILES["MP3 MPEG_LAYER_III"]
    assert sf.info(io.BytesIO(one + one)).frames == 24000
    assert read(one + one).frames == pytest.approx(48000, abs=mpeg.TOLERANCE)


def test_tags_around_mp3_frames_are_passed_over():
    one = FILES["MP3 MPEG_LAYER_III"]
    tag = b"ID3\x04\x00\x00\x00\x00\x02\x00" + bytes(256)
    data = tag + one + b"TAG" + bytes(125)
    plain, tagged = mpeg.scan(one), mpeg.scan(data)
    assert (tagged.count, tagged.cut, tagged.start) == (plain.count, "", 266)
    assert inspect(data, "a").frames == 24000
    assert mpeg.scan(one + tag + one).count == 2 * plain.count + 1


def test_frames_of_mp3_are_measured_by_their_header():
    assert mpeg.frame(b"\xff\xfb\x90\x64", 0) == mpeg.Frame(417, 1152, 12, 32)  # MPEG-1, 128 kbit/s, 44.1 kHz, stereo
    assert mpeg.frame(b"\xff\xf3\x82\xc4", 0) is not None
    assert mpeg.frame(b"\xff\xe3\x18\xc4", 0).samples == 576  # MPEG-2.5
    for bad in (
        b"\xff\xfb\xf0\x64",
        b"\xff\xfb\x00\x64",
        b"\xff\xfb\x9c\x64",
        b"\xff\xeb\x90\x64",
        b"\xff\xfb\x90",
        b"abcd",
    ):
        assert mpeg.frame(bad, 0) is None
    assert mpeg.scan(b"not an mp3") is None
    assert mpeg.led_in(b"not an mp3") == (b"not an mp3", 0)


def test_ogg_pages_keep_their_checksum_under_another_serial():
    data = FILES["OGG VORBIS"]
    at = pages = 0
    while (length := ogg.page_length(data, at)) is not None:
        assert ogg.checksum(data[at : at + length]) == int.from_bytes(data[at + 22 : at + 26], "little")
        at, pages = at + length, pages + 1
    assert at == len(data)
    assert pages > 2
    changed = ogg.with_serial(data, 5)
    assert changed[14:18] == b"\x05\x00\x00\x00"
    assert np.array_equal(sf.read(io.BytesIO(changed))[0], sf.read(io.BytesIO(data))[0])


def test_an_ogg_stream_cut_between_pages_lacks_its_end_mark():
    data = FILES["OGG VORBIS"]
    last = data.rfind(b"OggS")
    assert ogg.ends_marked(data)
    assert ogg.ends_whole(data[:last])
    assert not any(ogg.ends_whole(data[: last + more]) for more in (1, 2, 3, 4, 20))
    assert not ogg.ends_marked(data[:last])


def test_other_cases_of_mpeg_and_ogg_heads():
    layer_two = b"\xff\xfd\x90\x04" + bytes(518)
    info = inspect(layer_two * 20, "a")
    assert (info.format, info.subtype, info.rate, info.channels) == ("mp2", "MPEG_LAYER_II", 44100, 2)
    assert ogg.page_length(FILES["OGG VORBIS"][:28], 0) is None
    one = FILES["MP3 MPEG_LAYER_III"]
    assert mpeg.scan(one[: one.find(b"Xing") + 5]).cut
    without_count = one.replace(b"Xing\x00\x00\x00\x0f", b"Xing\x00\x00\x00\x00", 1)
    assert without_count != one
    assert mpeg.scan(without_count).note
    assert mpeg.scan(without_count[:-1]).cut == "its last frame is incomplete"
    assert mpeg.scan(one + bytes(5000) + b"\xff\xf3\xff\xff" + one[-2000:]).count >= mpeg.scan(one).count


def test_a_short_format_chunk_is_a_damaged_header():
    with pytest.raises(UnreadableAudioError, match="ends in its header"):
        inspect(wav(fmt=bytes(12)), "a")


@pytest.mark.parametrize(
    ("data", "flaw"),
    [
        (b"", "empty"),
        (wav(payload=b""), "empty"),
        (wav()[:40], "truncated"),
        (wav()[:-1], "truncated"),
        (wav(fmt=struct.pack("<HHIIHH", 1, 0, 16000, 0, 0, 16)), "damaged"),
        (b"words and words and words", "not-audio"),
        *[(FILES[name][:-2000], "truncated") for name in FILES],
    ],
)
def test_the_flaw_has_a_stable_word(data, flaw):
    with pytest.raises(UnreadableAudioError) as caught:
        inspect(data, "a")
    assert caught.value.flaw == flaw


def test_flaws_found_when_reading_and_decoding_have_their_words(tmp_path):
    with pytest.raises(UnreadableAudioError) as caught:
        read_file(tmp_path / "none.wav")
    assert caught.value.flaw == "missing"
    with pytest.raises(UnreadableAudioError) as caught:
        read_file(tmp_path)
    assert caught.value.flaw == "unreadable"
    with pytest.raises(UnreadableAudioError) as caught:
        read(encoded("WAV", "FLOAT", np.array([0, np.nan, 0], np.float32)))
    assert caught.value.flaw == "not-numbers"


def test_samples_that_are_not_what_the_header_says_are_damage():
    data = FILES["FLAC PCM_16"]
    info = inspect(data, "a")
    other = msgspec.structs.replace(info, channels=2)
    with pytest.raises(UnreadableAudioError, match="says 2 channels at 16000 Hz, its samples 1 at 16000 Hz"):
        list(blocks(data, other, "a"))


@pytest.mark.slow
def test_bytes_changed_anywhere_never_give_another_error(capfd):
    rng = np.random.default_rng(11)
    outcomes = set()
    for _ in range(1500):
        name = sorted(FILES)[rng.integers(len(FILES))]
        data = bytearray(FILES[name])
        for _ in range(rng.integers(1, 30)):
            data[rng.integers(min(len(data), 200) if rng.random() < 0.5 else len(data))] = rng.integers(256)
        card = ModelCard(rate=[None, 8000][rng.integers(2)], formats=[(), ("wav",), ("mp3",)][rng.integers(3)])
        try:
            outcomes.add(prepare(bytes(data), card, where="a").format)
        except UnreadableAudioError as e:
            refused_in_one_line(e)
            outcomes.add(e.flaw)
    assert "Traceback" not in capfd.readouterr().err
    assert {"wav", "mp3", "truncated", "damaged", "not-audio"} <= outcomes
