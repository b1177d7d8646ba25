"""mini/chat: what stands in it, and its facts measured again from its clips."""

import hashlib
import importlib
import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from scipy.optimize import nnls

import audiometry
from audiometry import bench, registry
from audiometry.files import jsonl
from audiometry.records import ReplyRecord

ROOT = Path(__file__).parents[2]
FOLDER = Path(audiometry.__file__).parent / "bench" / "mini"
CATEGORIES = {
    "speech_chat": "speech",
    "sound_chat": "sound",
    "music_chat": "music",
    "speech_and_sound_chat": "mixed",
    "speech_and_music_chat": "mixed",
}
STRICTNESS = ("CC0-1.0", "MIT", "MIT-Festival", "CC-BY-3.0", "CC-BY-SA-3.0")
RATE = 24_000
TOLERANCE = 3  # of 32,768: how far a sample may be off that another processor or library decoded, resampled and mixed


@pytest.fixture(scope="module")
def chat():
    return bench.load("mini/chat")


@pytest.fixture(scope="module")
def mini():
    return bench.load("mini")


@pytest.fixture(scope="module")
def mixed(chat):
    return [item for item in chat if CATEGORIES[item.task] == "mixed"]


@pytest.fixture(scope="module")
def written():
    """What was written by hand, by the id of its item."""
    tasks = tomllib.loads((ROOT / "recipes/mini/chat.toml").read_text("utf-8"))
    return {f"mini/chat/{task}/{n:04d}": row for task, rows in tasks.items() for n, row in enumerate(rows, 1)}


def test_there_are_enough_items_in_each_category(chat):
    assert len(chat) >= 60
    assert {t.name: t.category for t in chat.card.task} == CATEGORIES
    assert {t.kind for t in chat.card.task} == {"open"}
    assert min(chat.tasks().values()) >= 12


def test_every_item_is_whole(chat):
    for item in chat:
        assert item.options == ()
        assert item.question.endswith(("?", ".")), item.id
        assert item.answer.endswith((".", '"', ".)")), item.id
        assert len(item.answer.split()) >= 7, item.id
        assert len(item.meta) > 20, item.id
        assert item.source
        assert item.licence in STRICTNESS
        assert hashlib.sha256((FOLDER / item.file_name).read_bytes()).hexdigest() == item.sha256
    assert len({item.question for item in chat}) == len(chat)
    assert len({item.sha256 for item in chat}) == len(chat)


def test_questions_are_not_cut_from_one_pattern(chat):
    first = Counter(" ".join(item.question.split()[:3]) for item in chat)
    assert first.most_common(1)[0][1] <= 3


def said(word, text):
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)


def test_what_an_answer_states_stands_in_the_description(chat, written):
    assert {item.id for item in chat} == set(written)
    for item in chat:
        row = written[item.id]
        same = row.get("means", {})
        assert row["must"], item.id
        for word in [*row["must"], *same]:
            assert said(word, item.meta), (item.id, word)
            assert said(same.get(word, word), item.answer), (item.id, word)


def test_no_question_gives_its_answer_away(chat, written):
    allowed = {"five", "two", "speech starts first", "man", "woman", "2 s"}
    for item in chat:
        told = [w for w in written[item.id]["must"] if said(w, item.question) and w not in allowed]
        assert len(told) < len(written[item.id]["must"]) / 2, (item.id, told)


def test_descriptions_of_clips_as_they_are_agree_with_the_labels_of_mini(chat, mini):
    checked = Counter()
    for item in chat:
        if CATEGORIES[item.task] == "mixed":
            continue
        (name,) = item.tags["sources"]
        source = mini.item(name)
        assert (item.file_name, item.sha256, item.licence) == (source.file_name, source.sha256, source.licence)
        facts = json.loads(source.meta) if source.meta else {}
        for key, end in {"words": '"', "values": '"', "sounds": "", "languages": ""}.items():
            places = [item.meta.index(f"{value}{end} (") for value in dict.fromkeys(facts.get(key, []))]
            assert places == sorted(places), (item.id, facts[key])
            checked[key] += bool(places)
        for tag in ("sound", "instrument", "language", "text"):
            if tag in source.tags and source.tags.get("about") != "absence":
                assert str(source.tags[tag]) in item.meta, item.id
                checked[tag] += 1
        for start, _ in facts.get("spans", []):
            assert re.search(rf"{start:.2f} to", item.meta), item.id
    assert min(checked.values()) >= 2
    assert checked["sounds"] >= 8


def placed(path, start_s, length):
    """A clip of mini without its silent edges, so late in a mix of that length."""
    samples, rate = soundfile.read(path)
    samples = samples if rate == RATE else soxr.resample(samples, rate, RATE)
    power = np.mean(np.square(samples[: len(samples) // 240 * 240]).reshape(-1, 240), axis=1)
    loud = np.flatnonzero(power > power.max() * 1e-4)
    cut = samples[loud[0] * 240 : (loud[-1] + 1) * 240]
    out = np.zeros(length)
    at = round(start_s * RATE)
    out[at : at + len(cut)] = cut[: length - at]
    active = power[loud].mean()
    return out, 10 * np.log10(active)


def powers(samples):
    """Mean power of each whole 20 ms."""
    return np.mean(np.square(samples[: len(samples) // 480 * 480]).reshape(-1, 480), axis=1)


def start_of(samples, mix):
    """Where a clip without its silent edges fits a mix best, seconds."""
    size = 1 << (len(mix) + len(samples)).bit_length()
    fit = np.fft.irfft(np.fft.rfft(mix, size) * np.conj(np.fft.rfft(samples, size)), size)
    return int(np.argmax(fit[: len(mix)])) / RATE


@pytest.mark.shipped
def test_levels_and_onsets_of_mixed_clips_are_those_in_the_tags(mixed, mini):
    """Each source is looked for in the mix by correlation; then the powers of both are fitted to that of the mix."""
    errors = []
    for item in mixed:
        mix, rate = soundfile.read(FOLDER / item.file_name)
        assert rate == RATE
        assert np.abs(mix).max() < 0.99
        paths = [FOLDER / mini.item(source).file_name for source in item.tags["sources"]]
        alone = [placed(path, 0, len(mix) * 4)[0] for path in paths]
        starts = [start_of(np.trim_zeros(one), mix) for one in alone]
        parts = [placed(path, start, len(mix)) for path, start in zip(paths, starts, strict=True)]
        whole = powers(mix)
        weights = 1 / (whole + 1e-3 * whole.max())
        gains, _ = nnls(np.stack([powers(one) for one, _ in parts], axis=1) * weights[:, None], whole * weights)
        speech, other = (level + 10 * np.log10(gain) for (_, level), gain in zip(parts, gains, strict=True))
        kind = "sound" if item.task == "speech_and_sound_chat" else "music"
        above = {"speech": 1, kind: -1, "equal": 0}[item.tags["louder"]] * item.tags["level_difference"]
        later = {"speech": -1, kind: 1, "equal": 0}[item.tags["ahead"]] * item.tags["offset_s"]
        errors.append(abs(speech - other - above))
        assert errors[-1] < 1.2, item.id
        assert starts[0] - starts[1] == pytest.approx(later, abs=0.01), item.id
    assert np.mean(errors) < 0.4


def test_levels_onsets_and_who_is_ahead_vary_and_stand_in_the_description(mixed):
    for tag, least in (("louder", 4), ("ahead", 4), ("level_difference", 4), ("offset_s", 6)):
        assert len({item.tags[tag] for item in mixed}) >= least, tag
    for item in mixed:
        louder, ahead = item.tags["louder"], item.tags["ahead"]
        level = "equally loud" if louder == "equal" else f"The {louder} is {item.tags['level_difference']:g} dB louder"
        onset = "start together" if ahead == "equal" else f"the {ahead} starts first"
        assert level in item.meta
        assert onset in item.meta
        assert (item.tags["level_difference"] == 0) == (louder == "equal")
        assert (item.tags["offset_s"] == 0) == (ahead == "equal")


@pytest.mark.shipped
def test_the_parts_of_a_mix_overlap_and_are_used_once(chat, mixed, mini):
    used = Counter(source for item in chat for source in item.tags["sources"])
    assert used.most_common(1)[0][1] == 1
    for item in mixed:
        lengths = [
            len(np.trim_zeros(placed(FOLDER / mini.item(s).file_name, 0, 20 * RATE)[0])) for s in item.tags["sources"]
        ]
        whole = soundfile.info(FOLDER / item.file_name).frames
        assert sum(lengths) - (whole - 0.35 * RATE) > 0.3 * min(lengths), item.id


def test_a_mix_is_under_the_stricter_licence_and_names_all_its_authors(mixed, mini):
    told = (FOLDER / "ATTRIBUTION-chat.md").read_text("utf-8")
    of_mini = (FOLDER / "ATTRIBUTION.md").read_text("utf-8")
    for item in mixed:
        sources = [mini.item(source) for source in item.tags["sources"]]
        assert item.licence == max((s.licence for s in sources), key=STRICTNESS.index)
        (line,) = [row for row in told.splitlines() if row.startswith(f"| {item.file_name} |")]
        assert f"| {item.licence} |" in line
        for source in sources:
            (row,) = [row for row in of_mini.splitlines() if row.startswith(f"| {source.file_name} |")]
            assert source.file_name in line
            assert row.rstrip(" |").rpartition("| ")[2] in line
            assert source.source in item.source


def test_the_folder_holds_these_mixed_clips_only_in_16_bits_and_named_by_their_parts(mixed, mini):
    assert {f"mixed/{path.name}" for path in (FOLDER / "mixed").iterdir()} == {item.file_name for item in mixed}
    for item in mixed:
        kept = soundfile.info(FOLDER / item.file_name)
        assert (kept.format, kept.subtype, kept.samplerate, kept.channels) == ("FLAC", "PCM_16", RATE, 1)
        parts = (mini.item(source).sha256[:6] for source in item.tags["sources"])
        assert item.file_name == f"mixed/{'-'.join(parts)}.flac"


def test_the_card_says_what_it_cannot_show(chat):
    told = " ".join(chat.card.benchmark.cannot_show)
    for words in (
        "one voice for each language",
        "laid over each other plainly",
        "wrote them ourselves",
        "items a task",
    ):
        assert words in told


@pytest.mark.shipped
def test_the_recipe_builds_it_again(tmp_path, monkeypatch, mixed):
    """Texts to the letter; clips sample by sample, within a tolerance: decoding and resampling differ by processor."""
    monkeypatch.syspath_prepend(ROOT)
    recipe = importlib.import_module("recipes.mini.chat")
    recipe.build(FOLDER, tmp_path)
    for name in ("chat.toml", "ATTRIBUTION-chat.md"):
        assert (tmp_path / name).read_text("utf-8") == (FOLDER / name).read_text("utf-8")
    again, shipped = (
        [json.loads(line) for line in (folder / "chat.jsonl").read_text("utf-8").splitlines()]
        for folder in (tmp_path, FOLDER)
    )
    for row in again:
        folder = tmp_path if row["file_name"].startswith("mixed/") else FOLDER
        assert row.pop("sha256") == hashlib.sha256((folder / row["file_name"]).read_bytes()).hexdigest()
    for row in shipped:
        del row["sha256"]
    assert again == shipped
    assert len(list((tmp_path / "mixed").iterdir())) == len(mixed)
    for item in mixed:
        made, kept = (soundfile.read(folder / item.file_name, dtype="int16")[0] for folder in (tmp_path, FOLDER))
        assert len(made) == len(kept), item.id
        assert np.abs(made.astype(int) - kept).max() <= TOLERANCE, item.id


def test_it_is_found_without_a_look_at_other_packages(monkeypatch):
    def no(**_):
        raise AssertionError

    monkeypatch.setattr(registry, "entry_points", no)
    assert len(bench.load("mini/chat")) >= 60
    assert bench.locate("mini/chat") == FOLDER / "chat.toml"


def test_checks_find_no_error_and_no_unused_clip(cli):
    for name in ("mini/chat", "mini"):
        report = cli("check", name, "--headers", "--json").json
        assert report["n_errors"] == 0, name
        assert "unused" not in {finding["code"] for finding in report["findings"]}, name


def test_it_is_listed_and_run_with_scripted_models(cli, tmp_path, chat):
    listed = cli("list", "benchmarks").out
    assert re.search(r"^mini/chat +1\.1\.0 +69 +5  open questions", listed, re.MULTILINE)
    told = {}
    for model in ("oracle", "constant?text=I+cannot+tell.", f"replay?file={tmp_path}/oracle/replies.jsonl"):
        folder = tmp_path / model.partition("?")[0]
        assert cli("run", "mini/chat", "--model", f"scripted/{model}", "-o", folder).code == 0
        told[folder.name] = {r.item: r.text for r in jsonl.read(folder / "replies.jsonl", ReplyRecord)}
    assert told["oracle"] == told["replay"] == {item.id: item.answer for item in chat}
    assert len(set(told["constant"].values())) == 1
