"""Mixes: what the plan says can be measured in the samples, for whatever clips and plans."""

import numpy as np
import pyloudnorm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiometry import audio
from audiometry.audio import MixPlan, mix
from audiometry.audio import loudness as loudness_module
from audiometry.audio.clip import Clip
from audiometry.audio.encode import to_pcm16
from audiometry.audio.loudness import loudness, weighting
from audiometry.errors import AudioError, RateMismatchError, SilentAudioError, UsageError

RATES = st.sampled_from([8_000, 16_000, 22_050, 44_100, 48_000])


def noise(seed, seconds, rate, channels=1, level=0.1):
    rng = np.random.default_rng(seed)
    frames = round(seconds * rate)
    size = level * (1 + 0.9 * np.sin(np.arange(frames) / rate * rng.uniform(1, 20)))
    return Clip((rng.standard_normal((frames, channels)) * size[:, None]).astype(np.float32), rate)


@st.composite
def clips(draw, rate):
    seconds = draw(st.floats(0.05, 0.39) | st.floats(0.4, 2.0))
    return noise(draw(st.integers(0, 99)), seconds, rate, draw(st.sampled_from([1, 2])), draw(st.floats(0.005, 3.0)))


@st.composite
def works(draw):
    rate = draw(RATES)
    louder, ahead = draw(st.sampled_from("ab")), draw(st.sampled_from("ab"))
    plan = MixPlan(
        louder=draw(st.sampled_from([louder, "equal"])), ahead=draw(st.sampled_from([ahead, "equal"])), offset_s=0
    )
    by = 0 if plan.louder == "equal" else draw(st.floats(0, 30))
    offset = 0 if plan.ahead == "equal" else draw(st.floats(0, 1.5))
    plan = MixPlan(louder=plan.louder, level_difference_db=by, ahead=plan.ahead, offset_s=offset)
    return draw(clips(rate)), draw(clips(rate)), plan


def on_silence(made, part, which):
    """One scaled clip, as long as the mix."""
    out = np.zeros_like(made.clip.samples)
    onset = round(part.onset_s * made.clip.rate)
    out[onset : onset + len(made.scaled[which])] = made.scaled[which]
    return out


@settings(max_examples=60)
@given(works())
def test_what_the_plan_says_stands_in_the_samples(work):
    a, b, plan = work
    made = mix(a, b, plan)
    rate = made.clip.rate
    lay = [on_silence(made, part, which) for which, part in enumerate((made.a, made.b))]
    assert np.array_equal(lay[0] + lay[1], made.clip.samples)  # to the last bit
    assert made.clip.samples.dtype == np.float32
    assert np.abs(made.clip.samples).max() <= 1
    lag = round(plan.offset_s * rate)
    onsets = [round(part.onset_s * rate) for part in (made.a, made.b)]
    assert onsets == ([0, lag] if plan.ahead == "a" else [lag, 0])
    assert made.offset_s == lag / rate
    assert made.clip.frames == max(onsets[0] + a.frames, onsets[1] + b.frames)
    sign = 1 if plan.louder == "a" else -1
    levels = [loudness(Clip(samples, rate)) for samples in made.scaled]
    assert sign * (levels[0] - levels[1]) == pytest.approx(plan.level_difference_db, abs=0.1)
    assert levels == pytest.approx([made.a.loudness_lufs, made.b.loudness_lufs], abs=1e-3)
    assert made.level_difference_db == pytest.approx(plan.level_difference_db, abs=0.1)
    assert made.headroom_db <= 0


@settings(max_examples=30)
@given(works())
def test_the_same_plan_gives_the_same_samples(work):
    a, b, plan = work
    first, again = mix(a, b, plan), mix(Clip(a.samples.copy(), a.rate), Clip(b.samples.copy(), b.rate), plan)
    assert np.array_equal(to_pcm16(first.clip.samples), to_pcm16(again.clip.samples))


@settings(max_examples=30)
@given(works(), st.floats(-1e-9, 1e-9))
def test_another_machines_arithmetic_moves_no_sample_by_more_than_a_step(work, off):
    a, b, plan = work
    here = to_pcm16(mix(a, b, plan).clip.samples)
    shelf = np.array([[1 + off, 1 - off, 1, 1, 1 + off, 1], [1] * 6])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loudness_module, "weighting", lambda rate: weighting(rate) * shelf)
        there = to_pcm16(mix(a, b, plan).clip.samples)
    assert np.abs(here.astype(int) - there).max() <= 1


@settings(max_examples=30)
@given(works())
def test_the_order_of_the_clips_is_only_a_name(work):
    a, b, plan = work
    other = {"a": "b", "b": "a", "equal": "equal"}
    if plan.louder == "equal":
        return  # one of them keeps its level
    turned = MixPlan(
        louder=other[plan.louder],
        level_difference_db=plan.level_difference_db,
        ahead=other[plan.ahead],
        offset_s=plan.offset_s,
    )
    assert np.array_equal(mix(a, b, plan).clip.samples, mix(b, a, turned).clip.samples)


def test_an_independent_meter_measures_the_difference_and_the_louder_clip_keeps_its_level():
    rate = 48_000
    a, b = noise(1, 3, rate), noise(2, 2, rate, level=0.02)
    made = audio.mix(a, b, MixPlan(louder="b", level_difference_db=12, ahead="a", offset_s=0.75))
    meter = pyloudnorm.Meter(rate, filter_class="DeMan")
    first, second = (meter.integrated_loudness(part[:, 0].astype(float)) for part in made.scaled)
    assert second - first == pytest.approx(12, abs=0.01)
    assert made.b.gain_db == 0
    assert made.b.loudness_lufs == made.b.loudness_before_lufs == pytest.approx(second, abs=0.001)
    assert made.a.loudness_lufs == pytest.approx(made.a.loudness_before_lufs + made.a.gain_db, abs=1e-6)
    assert (made.a.onset_s, made.b.onset_s, made.offset_s) == (0, 0.75, 0.75)
    assert np.array_equal(made.clip.samples[:36_000], made.scaled[0][:36_000])


def test_headroom_lowers_both_alike():
    a, b = noise(1, 2, 16_000, level=0.3), noise(2, 2, 16_000, level=0.3)
    made = mix(a, b, MixPlan(louder="a", level_difference_db=1, ahead="equal"))
    assert made.headroom_db < -3
    assert made.a.gain_db == pytest.approx(made.headroom_db)
    assert made.a.loudness_lufs - made.b.loudness_lufs == pytest.approx(1)
    assert np.abs(made.clip.samples).max() == pytest.approx(32767 / 32768, abs=1e-6)


def test_a_mono_clip_stands_in_both_channels_of_a_stereo_mix():
    a, b = noise(1, 1, 16_000), noise(2, 1, 16_000, channels=2)
    made = mix(a, b, MixPlan(louder="a", level_difference_db=6, ahead="equal"))
    assert made.clip.channels == 2
    assert np.array_equal(made.scaled[0], np.repeat(a.samples, 2, axis=1) * np.float32(10 ** (made.a.gain_db / 20)))
    assert made.a.loudness_before_lufs == pytest.approx(loudness(a) + 10 * np.log10(2), abs=1e-6)
    assert loudness(Clip(made.scaled[0], 16_000)) - loudness(Clip(made.scaled[1], 16_000)) == pytest.approx(6, abs=1e-4)


def test_two_rates_need_one_to_be_named():
    a, b = noise(1, 1, 16_000), noise(2, 1, 44_100)
    with pytest.raises(RateMismatchError, match="clip a has 16000 Hz, clip b 44100 Hz; name the rate of the mix"):
        mix(a, b, MixPlan(louder="a", level_difference_db=6, ahead="a", offset_s=0.3))
    made = mix(a, b, MixPlan(louder="a", level_difference_db=6, ahead="a", offset_s=0.3, rate=22_050))
    assert (made.clip.rate, made.a.rate, made.b.rate) == (22_050, 16_000, 44_100)
    assert made.clip.frames == round(1.3 * 22_050)
    first, second = (loudness(Clip(part, 22_050)) for part in made.scaled)
    assert first - second == pytest.approx(6, abs=1e-4)


def test_nothing_louder_and_nothing_ahead_is_called_equal():
    a, b = noise(1, 1, 16_000), noise(2, 1, 16_000)
    made = mix(a, b, MixPlan(louder="a", level_difference_db=0, ahead="b", offset_s=1e-5))
    assert (made.louder, made.ahead, made.offset_s) == ("equal", "equal", 0)


def test_clips_that_cancel_each_other_leave_silence():
    a = noise(1, 1, 16_000)
    made = mix(a, Clip(-a.samples, 16_000), MixPlan(louder="equal", ahead="equal"))
    assert not made.clip.samples.any()


def test_a_clip_of_five_minutes_and_one_of_a_twentieth_of_a_second():
    long, short = noise(1, 300, 8_000), noise(2, 0.05, 8_000)
    made = mix(long, short, MixPlan(louder="b", level_difference_db=9, ahead="a", offset_s=299.99))
    assert made.clip.frames == 300 * 8_000 + 320
    assert made.b.loudness_lufs - made.a.loudness_lufs == pytest.approx(9)


def test_blocks_that_the_gate_lets_in_are_counted():
    """Speech in a room so quiet that its pauses are below the gate, until it is raised."""
    rate = 16_000
    quiet = noise(1, 8, rate, level=2.2e-4)
    quiet.samples[rate * 4 :] *= np.float32(0.6)
    loud = noise(2, 2, rate, level=0.1)
    made = mix(quiet, loud, MixPlan(louder="equal", ahead="equal"))
    assert abs(made.a.loudness_before_lufs + made.a.gain_db - made.a.loudness_lufs) > 0.5
    first, second = (loudness(Clip(part, rate)) for part in made.scaled)
    assert first == pytest.approx(second, abs=1e-3)


def test_a_difference_that_ends_below_the_gate_is_refused():
    rate = 16_000
    a, b = noise(1, 1, rate, level=0.003), noise(2, 1, rate)
    with pytest.raises(SilentAudioError, match=r"rain\.wav: at -7\d\.\d LUFS in the mix, too near the -70"):
        mix(a, b, MixPlan(louder="a", level_difference_db=30, ahead="equal"), names=("hum.wav", "rain.wav"))


def test_a_difference_that_headroom_bends_below_the_gate_is_refused():
    """A click makes a clip loud and takes its room; of the other, the softer half is then below the gate."""
    rate = 16_000
    click = noise(1, 1, rate, level=1e-3)
    other = Clip((np.random.default_rng(2).standard_normal((rate * 4, 1)) * 0.1).astype(np.float32), rate)
    click.samples[8000] = 100
    other.samples[rate * 2 :] *= np.float32(0.4)
    with pytest.raises(SilentAudioError, match=r"clip b: at -6\d\.\d LUFS in the mix, too near the -70"):
        mix(click, other, MixPlan(louder="a", level_difference_db=30, ahead="equal"))
    assert mix(click, other, MixPlan(louder="a", level_difference_db=20, ahead="equal")).headroom_db < -39


@pytest.mark.parametrize("seconds", [0.1, 1])
def test_silence_has_no_level(seconds):
    silent = Clip(np.zeros((round(16_000 * seconds), 1), np.float32), 16_000)
    for a, b, where in ((silent, noise(1, 1, 16_000), "clip a"), (noise(1, 1, 16_000), silent, "clip b")):
        with pytest.raises(SilentAudioError, match=f"{where}: "):
            mix(a, b, MixPlan(louder="a", level_difference_db=3, ahead="equal"))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_is_refused(value):
    bad = noise(1, 1, 16_000)
    bad.samples[-1] = value
    for rate in (None, 8_000):
        with pytest.raises(AudioError, match="clip b: samples that are not numbers"):
            mix(noise(1, 1, 16_000), bad, MixPlan(louder="a", level_difference_db=3, ahead="equal", rate=rate))


def test_samples_beyond_all_bounds_are_scaled_or_refused():
    huge = Clip(noise(1, 1, 16_000).samples * np.float32(1e20), 16_000)
    made = mix(huge, noise(2, 1, 16_000), MixPlan(louder="b", level_difference_db=3, ahead="equal"))
    assert np.abs(made.clip.samples).max() <= 1
    top = Clip(np.full((8000, 1), np.finfo(np.float32).max), 16_000)
    top.samples[::2] *= -1
    with pytest.raises(AudioError, match="samples too large to be mixed"):
        mix(top, Clip(top.samples.copy(), 16_000), MixPlan(louder="equal", ahead="equal"))


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ({"level_difference_db": -1}, "-1 LU cannot be made; give 0 to 30"),
        ({"level_difference_db": 31}, "31 LU cannot be made"),
        ({"level_difference_db": float("nan")}, "nan LU cannot be made"),
        ({"offset_s": -0.1}, "-0.1 s cannot be made; give 0 to 3600"),
        ({"offset_s": float("inf")}, "inf s cannot be made"),
        ({"louder": "equal", "level_difference_db": 2}, "equal loudness and 2 LU contradict"),
        ({"ahead": "equal", "offset_s": 2}, "an equal start and an offset of 2 s contradict"),
        ({"rate": 100}, "a rate of 100 Hz cannot be made; give 4000 to 2000000"),
    ],
)
def test_an_absurd_plan_is_refused(plan, says):
    clip = noise(1, 0.5, 16_000)
    with pytest.raises(UsageError, match=says):
        mix(clip, clip, MixPlan(**{"louder": "a", "ahead": "a", **plan}))
