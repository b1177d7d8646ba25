"""What stands in the demo benchmark: numbers, balance, licences, files."""

import hashlib
import re
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
import soundfile

import audiometry
from audiometry import bench
from audiometry.records import Item

FOLDER = Path(audiometry.__file__).parent / "bench" / "mini"
RECIPE = Path(__file__).parents[2] / "recipes" / "mini"

CATEGORIES = {
    "Spoken_Language_Identification": "speech",
    "Speech_Entity_Reconition": "speech",
    "Synthesized_Voice_Detection": "speech",
    "Speech_Grounding": "speech",
    "Speaker_Number_Verification": "speech",
    "vocal_sound_classification": "sound",
    "Sound_AQA": "sound",
    "Audio_Grounding": "sound",
    "Music_Instruments_Classfication": "music",
    "Music_Midi_Pitch_Analysis": "music",
    "Music_Midi_Velocity_Analysis": "music",
    "Music_AQA": "music",
}
LICENCES = {"CC0-1.0", "CC-BY-3.0", "CC-BY-SA-3.0", "MIT", "MIT-Festival"}
MOST_BYTES = 12_000_000


@pytest.fixture(scope="module")
def mini():
    return bench.load("mini")


@pytest.fixture(scope="module")
def items(mini):
    return list(mini)


@pytest.fixture(scope="module")
def by_task(items):
    out: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        out[item.task].append(item)
    return out


def test_it_has_enough_items_in_each_of_the_twelve_tasks(items, by_task):
    assert len(items) >= 600
    assert set(by_task) == set(CATEGORIES)
    assert min(map(len, by_task.values())) >= 40


def test_the_card_names_every_task_with_its_category_and_says_what_it_cannot_show(mini):
    assert {t.name: t.category for t in mini.card.task} == CATEGORIES
    assert all(t.kind == "choice" and t.title and t.note for t in mini.card.task)
    told = " ".join(mini.card.benchmark.cannot_show).lower()
    for word in ("one voice", "one general midi sound font", "emotion", "sex", "scene", "accent", "synthe"):
        assert word in told
    assert mini.card.benchmark.name == "mini"
    assert mini.card.benchmark.licence


def test_no_line_of_the_metadata_has_a_problem(mini):
    assert mini.problems == ()
    assert mini.notes == ()


def test_ids_are_unique_and_options_differ_and_hold_the_answer(items):
    assert len({i.id for i in items}) == len(items)
    for item in items:
        assert len(set(item.options)) == len(item.options), item.id
        assert item.answer in item.options, item.id
        assert len(item.options) == (2 if item.task == "Synthesized_Voice_Detection" else 4), item.id
        assert item.id.startswith(f"mini/{item.task}/")


def test_answer_letters_are_balanced_in_each_task_and_in_its_first_part(by_task):
    for task, of_task in by_task.items():
        for part in (of_task, of_task[:12]):
            letters = Counter(i.options.index(i.answer) for i in part)
            counts = [letters[n] for n in range(len(part[0].options))]
            assert max(counts) - min(counts) <= 1, (task, counts)


def test_the_tasks_take_turns_in_the_file(items):
    first = [i.task for i in items[: 13 * len(CATEGORIES)]]
    assert set(Counter(first).values()) == {13}
    assert first[: len(CATEGORIES)] == list(CATEGORIES)


def test_each_task_is_asked_in_at_least_thirty_wordings(by_task):
    templates = tomllib.loads((RECIPE / "wordings.toml").read_text("utf-8"))
    for task, of_task in by_task.items():
        known = [t for kinds in [templates[task]] for kind in kinds.values() for t in kind]
        assert len(set(known)) == len(known) >= 30, task
        patterns = [re.compile(re.sub(r"\\\{\w+\\\}", ".+", re.escape(t))) for t in known]
        used = {t.pattern for t in patterns if any(t.fullmatch(i.question) for i in of_task)}
        assert len(used) >= 30, (task, len(used))
        assert all(any(t.fullmatch(i.question) for t in patterns) for i in of_task), task


def test_no_question_names_its_answer(items):
    for item in items:
        leaked = re.search(rf"(?<!\w){re.escape(str(item.answer))}(?!\w)", item.question, re.IGNORECASE)
        assert leaked is None, item.id


@pytest.mark.shipped
def test_every_clip_is_there_whole_audible_and_named_by_its_hash(items):
    for name, item in {i.file_name: i for i in items}.items():
        path = FOLDER / name
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert digest == item.sha256
        assert name == f"audio/{digest[:12]}.ogg"
        samples, rate = soundfile.read(path, always_2d=True)
        assert samples.shape[1] == 1
        assert rate in {16_000, 24_000}
        assert 0.5 <= len(samples) / rate <= 12, name
        assert np.isfinite(samples).all()
        assert 0.01 < np.abs(samples).max() <= 1.0, name


def test_the_folder_holds_nothing_else_and_stays_small(items):
    audio = {f"audio/{p.name}" for p in (FOLDER / "audio").iterdir()}
    assert audio == {i.file_name for i in items}
    assert sum(p.stat().st_size for p in FOLDER.rglob("*") if p.is_file()) <= MOST_BYTES


def test_every_clip_has_a_known_licence_and_the_attribution_covers_it(items):
    text = (FOLDER / "ATTRIBUTION.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (audio/\S+) \| (\S+) \|", text, re.MULTILINE))
    for item in items:
        assert item.licence in LICENCES, item.id
        assert rows[item.file_name] == item.licence
        for package in re.findall(r"Debian (\S+) ", item.source + " "):
            assert re.search(rf"^### {re.escape(package)} ", text, re.MULTILINE), package
    assert set(rows) == {i.file_name for i in items}


def test_what_holds_share_alike_material_is_share_alike(items):
    for item in items:
        if re.search(r"sounds-(en|es|fr)-|Debian scratch ", item.source):
            assert item.licence == "CC-BY-SA-3.0", item.id
        elif re.search(r"sounds-(it|ru)-", item.source):
            assert item.licence == "CC-BY-3.0", item.id


def test_no_recording_of_unclear_or_copyleft_software_licence_is_used(items):
    packages = {p for i in items for p in re.findall(r"Debian (\S+) ", i.source + " ")}
    assert packages == {
        *(f"asterisk-core-sounds-{code}-g722" for code in ("en", "es", "fr", "it", "ru")),
        "scratch",
        "sonic-pi-samples",
        "fluid-soundfont-gm",
        "flite",
        "espeak-ng",
    }
