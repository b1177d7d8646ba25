"""The labels of the demo benchmark measured again from its clips, by means that share no code with the recipe."""

import json
import re
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile

import audiometry
from audiometry import bench

FOLDER = Path(audiometry.__file__).parent / "bench" / "mini"
pytestmark = pytest.mark.shipped

CODES = {"en_US": "English", "es_MX": "Spanish", "fr_CA": "French", "it_IT": "Italian", "ru_RU": "Russian"}


@pytest.fixture(scope="module")
def by_task():
    out = defaultdict(list)
    for item in bench.load("mini"):
        out[item.task].append(item)
    return out


def heard(item):
    return soundfile.read(FOLDER / item.file_name)


def level_db(samples):
    return 10 * np.log10(np.mean(np.square(samples)) + 1e-12)


def events(samples, rate, quiet_s, below_db=45.0):
    """Start and end (seconds) of what is louder than so much below the loudest 5 ms, gaps under ``quiet_s`` closed."""
    size = rate // 200
    power = np.mean(np.square(samples[: len(samples) // size * size]).reshape(-1, size), axis=1)
    loud = np.flatnonzero(power > power.max() * 10 ** (-below_db / 10))
    breaks = np.flatnonzero(np.diff(loud) * size / rate > quiet_s)
    starts, ends = np.r_[loud[0], loud[breaks + 1]], np.r_[loud[breaks], loud[-1]] + 1
    return np.stack([starts, ends], axis=1) * size / rate


def span(text):
    assert re.fullmatch(r"\[\d+\.\d\d, \d+\.\d\d\]", text), text
    start, end = text[1:-1].split(", ")
    return float(start), float(end)


@pytest.mark.parametrize("task", ["Speech_Grounding", "Audio_Grounding"])
def test_every_time_range_on_offer_begins_and_ends_where_something_sounds(by_task, task):
    right = total = 0
    for item in by_task[task]:
        found = events(*heard(item), quiet_s=0.16)
        for option in item.options:
            start, end = span(option)
            right += np.abs(found[:, 0] - start).min() < 0.04 and np.abs(found[:, 1] - end).min() < 0.06
            total += 1
    assert total == 4 * len(by_task[task])
    assert right / total >= 0.97


@pytest.mark.parametrize("task", ["Speech_Grounding", "Audio_Grounding"])
def test_what_is_asked_for_lies_in_the_range_that_is_right(by_task, task):
    for item in by_task[task]:
        facts = json.loads(item.meta)
        named = facts.get("words") or facts["sounds"]
        asked = item.tags.get("word") or item.tags["sound"]
        assert named.count(asked) == 1
        start, end = facts["spans"][named.index(asked)]
        assert span(item.answer) == (pytest.approx(start, abs=0.006), pytest.approx(end, abs=0.006))
        assert asked in item.question
        if task == "Speech_Grounding":
            assert len(re.findall(r"\.g722", item.source)) == len(named)


def test_there_is_silence_between_the_utterances_of_several_speakers(by_task):
    for item in by_task["Speaker_Number_Verification"]:
        samples, rate = heard(item)
        spans = json.loads(item.meta)["spans"]
        for (_, end), (start, _) in pairwise(spans):
            between = samples[round((end + 0.03) * rate) : round((start - 0.03) * rate)]
            assert start - end > 0.2
            assert level_db(between) < level_db(samples) - 40


def test_the_number_of_speakers_is_that_of_the_voices_it_is_made_from(by_task):
    numbers = Counter()
    by_languages = 0
    for item in by_task["Speaker_Number_Verification"]:
        folders = re.findall(r"(\w\w_\w\w)_[fm]_(\w+)/", item.source)
        assert len({voice for _, voice in folders}) == int(item.answer)
        assert item.tags["languages"] == sorted({CODES[code] for code, _ in folders})
        by_languages += len(item.tags["languages"]) == int(item.answer)
        numbers[item.answer] += 1
    assert set(numbers.values()) == {15}
    assert by_languages / sum(numbers.values()) < 0.75  # counting languages is not enough


def test_the_number_of_speakers_cannot_be_told_from_the_length(by_task):
    of_task = by_task["Speaker_Number_Verification"]
    lengths = [soundfile.info(FOLDER / i.file_name).duration for i in of_task]
    assert abs(np.corrcoef(lengths, [int(i.answer) for i in of_task])[0, 1]) < 0.4


def test_the_language_is_that_of_the_folder(by_task):
    for item in by_task["Spoken_Language_Identification"]:
        assert [CODES[code] for code in re.findall(r": (\w\w_\w\w)_", item.source)] == [item.answer]
    assert set(Counter(i.answer for i in by_task["Spoken_Language_Identification"]).values()) == {12}


def test_entities_are_what_the_files_are_named(by_task):
    checked = Counter()
    for item in by_task["Speech_Entity_Reconition"]:
        kind = item.tags["entity"]
        files = re.findall(r"/(?:digits|letters|phonetic)/(\w[\w-]*)\.g722", item.source)
        if kind == "letters":
            assert [f.upper() for f in files] == item.answer.split()
        elif kind in {"digits", "number"}:
            assert files == item.answer.split()
        elif kind == "code-words":
            assert [f[0].upper() for f in files] == [w[0] for w in item.answer.split()]
        else:
            assert re.fullmatch(r"(day|mon)-\d+", files[0])
        checked[kind] += 1
    assert len(checked) == 6
    assert sum(checked.values()) == len(by_task["Speech_Entity_Reconition"])


def test_no_sequence_stands_out_among_its_options(by_task):
    for item in by_task["Speech_Entity_Reconition"]:
        if " " not in item.answer:
            continue
        for place in zip(*(o.split() for o in item.options), strict=True):
            assert sorted(Counter(place).values()) in ([4], [2, 2]), item.id


def test_voices_of_people_and_of_programs_say_the_same_texts_at_about_the_same_length(by_task):
    texts, lengths = defaultdict(list), defaultdict(list)
    for item in by_task["Synthesized_Voice_Detection"]:
        human = "asterisk" in item.source
        assert item.answer == ("a human voice" if human else "a synthesised voice")
        texts[human].append((item.tags["language"], item.tags["text"]))
        lengths[human].append(soundfile.info(FOLDER / item.file_name).duration)
    assert sorted(texts[True]) == sorted(texts[False])
    assert abs(np.mean(lengths[True]) - np.mean(lengths[False])) < 0.5 * np.std(lengths[True] + lengths[False])


def test_sounds_that_are_counted_can_be_counted_again(by_task):
    asked = [i for i in by_task["Sound_AQA"] if i.tags["about"] == "count"]
    assert len(asked) == 16
    same = 0
    for item in asked:
        others = len(json.loads(item.meta)["sounds"]) - int(item.answer)
        assert others == 1
        found = len(events(*heard(item), quiet_s=0.18))
        same += found == int(item.answer) + 1
    assert same / len(asked) >= 0.9


def test_a_recogniser_hears_the_digits_numbers_days_and_months_that_are_labels(by_task):
    pocketsphinx = pytest.importorskip("pocketsphinx")
    digits = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    tens = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    teens = ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
    words = {str(n): w for n, w in enumerate(digits)}
    words |= {str(n): w for n, w in zip(range(30, 100, 10), tens, strict=True)}
    words |= {str(n): w for n, w in enumerate(teens, 13)}
    right = total = 0
    for kinds in ({"digits"}, {"number", "day", "month"}):
        asked = [
            i
            for i in by_task["Speech_Entity_Reconition"]
            if i.tags["entity"] in kinds and i.tags["language"] == "English"
        ]
        said = {i.id: " ".join(words.get(w, w.lower()) for w in str(i.answer).split()) for i in asked}
        vocabulary = digits if kinds == {"digits"} else sorted({*tens, *teens, *said.values()})
        grammar = f"#JSGF V1.0; grammar g; public <s> = ({' | '.join(vocabulary)})+;"
        decoder = pocketsphinx.Decoder(samprate=16_000, loglevel="FATAL", lm=None)
        decoder.add_jsgf_string("labels", grammar)
        decoder.activate_search("labels")
        for item in asked:
            samples, _ = heard(item)
            decoder.start_utt()
            decoder.process_raw((samples * 32767).astype(np.int16).tobytes(), full_utt=True)
            decoder.end_utt()
            hypothesis = decoder.hyp()
            right += hypothesis is not None and hypothesis.hypstr == said[item.id]
            total += 1
    assert total == 28
    assert right / total >= 0.9


def test_level_and_length_do_not_give_the_language_away(by_task):
    levels = defaultdict(list)
    for item in by_task["Spoken_Language_Identification"]:
        samples, _ = heard(item)
        loud = samples[np.abs(samples) > 0]
        levels[item.answer].append(level_db(loud))
    means = [np.mean(v) for v in levels.values()]
    assert max(means) - min(means) < 3


def test_how_often_an_option_is_right_elsewhere_does_not_tell_that_it_is_right_here(by_task):
    for task, of_task in by_task.items():
        offered, won = Counter(), Counter()
        for item in of_task:
            offered.update(item.options)
            won[item.answer] += 1
        gained = 0.0
        for item in of_task:
            rates = {o: (won[o] - (o == item.answer) + 1) / (offered[o] - 1 + len(item.options)) for o in item.options}
            best = [o for o in rates if rates[o] == max(rates.values())]
            gained += (item.answer in best) / len(best)
        chance = 1 / len(of_task[0].options)
        assert gained / len(of_task) < chance + 0.15, task


def test_what_is_counted_cannot_be_told_from_the_length(by_task):
    for task, about in (("Sound_AQA", "count"), ("Music_AQA", "notes")):
        asked = [i for i in by_task[task] if i.tags["about"] == about]
        lengths = [soundfile.info(FOLDER / i.file_name).duration for i in asked]
        assert abs(np.corrcoef(lengths, [int(i.answer) for i in asked])[0, 1]) < 0.6, about
