"""Tiny models with random weights answer for real, on the CPU."""

import asyncio
import json
import time

import msgspec
import numpy as np
import pytest

from audiometry import models
from audiometry.errors import ModelError, TooLongAudioError, UnreadableAudioError
from audiometry.records import Audio

pytestmark = pytest.mark.hf


@pytest.fixture
def prompts(noise, asking):
    """Of unlike lengths, so that most rows of a batch are padded."""
    words = ("What?", "Which of these sounds is heard in the recording?", "Say what you hear.")
    return [asking(noise(n, 0.3 + 0.2 * n), words[n % 3], item=f"item-{n}") for n in range(8)]


def tokens_by_hand(folder, audio, words, max_new_tokens):
    """What the model in a folder says to one clip and words, asked as its documentation shows."""
    import io

    import soundfile
    from transformers import AutoProcessor, Qwen2AudioForConditionalGeneration

    processor = AutoProcessor.from_pretrained(folder)
    model = Qwen2AudioForConditionalGeneration.from_pretrained(folder)
    samples, rate = soundfile.read(io.BytesIO(audio.data), dtype="float32")
    text = f"<|im_start|>user\n<|audio_bos|><|AUDIO|><|audio_eos|>{words}<|im_end|>\n<|im_start|>assistant\n"
    tensors = processor(text=text, audio=[samples], sampling_rate=rate, return_tensors="pt")
    out = model.generate(**tensors, max_new_tokens=max_new_tokens, do_sample=False)
    return out[0, tensors["input_ids"].shape[1] :].tolist()


def test_the_card_comes_from_the_processor(local, tiny):
    card = local(tiny, "batch=3").card
    assert (card.rate, card.channels, card.formats, card.longest_s) == (16_000, 1, ("wav",), 2.0)
    assert card.concurrency == 3
    assert local(tiny).card.concurrency == 8


def test_a_reply_is_what_the_model_says_when_asked_by_hand(local, tiny, noise, asking, at_once, tokenizer):
    clip = noise(3, 1.3)
    tokens = tokens_by_hand(tiny, clip, "What is it?", 8)
    (reply,) = at_once(local(tiny), [asking(clip, "What is it?")])
    assert reply.text == tokenizer.decode(tokens, skip_special_tokens=True)
    assert (reply.tokens_out, reply.finish_reason) == (8, "length")
    assert reply.text


@pytest.mark.parametrize("generation", [{}, {"repetition_penalty": 1.4}], ids=["greedy", "repetition penalty"])
def test_greedy_replies_are_the_same_alone_in_a_batch_and_again(
    local, make_qwen2_audio, prompts, at_once, seen, generation
):
    folder = make_qwen2_audio(**generation)
    together = at_once(local(folder, "batch=8"), prompts)
    assert [len(tensors["input_ids"]) for tensors in seen][-1] == 8
    assert (seen[-1]["attention_mask"] == 0).any()
    alone = [at_once(local(folder), [prompt])[0] for prompt in prompts[:3]]
    again = at_once(local(folder, "batch=3"), prompts)
    assert together[:3] == alone
    assert together == again
    assert len({reply.text for reply in together}) > 3


def test_a_repetition_penalty_does_not_see_the_padding(local, make_qwen2_audio, noise, asking, at_once, tokenizer):
    """Rows are padded with the very token that the short prompt is answered with first."""
    short, long = (noise(1, 0.3), "Say it."), (noise(2, 1.9), "Which of these is heard?")
    folder = make_qwen2_audio(repetition_penalty=5.0)
    token = tokens_by_hand(folder, *short, 1)[0]
    assert token > 128  # no letter of the prompt: nothing but padding could make it a repetition
    first = tokenizer.convert_ids_to_tokens(token)
    replies = []
    for prompts in ([short], [short, long]):
        model = local(folder)
        model._opened.processor.tokenizer.pad_token = first
        replies.append(at_once(model, [asking(*prompt) for prompt in prompts])[0])
    assert replies[0] == replies[1]


def test_the_samples_of_the_clip_are_what_the_model_is_given(local, tiny, noise, asking, at_once, seen):
    import io

    import soundfile
    from transformers import WhisperFeatureExtractor

    clips = [noise(1, 1.0), noise(2, 1.0)]
    replies = at_once(local(tiny), [asking(clip, "What is it?") for clip in clips])
    given = seen[-1]["input_features"].numpy()
    ear = WhisperFeatureExtractor(feature_size=16, chunk_length=2, sampling_rate=16_000)
    for row, clip in zip(given, clips, strict=True):
        samples, _ = soundfile.read(io.BytesIO(clip.data), dtype="float32")
        expected = ear(samples, sampling_rate=16_000, return_tensors="np")["input_features"][0]
        np.testing.assert_allclose(row, expected, atol=1e-5)
    assert replies[0].text != replies[1].text


def test_parts_keep_their_order(local, tiny, noise, asking, at_once, seen, tokenizer):
    audio = tokenizer.convert_tokens_to_ids("<|AUDIO|>")
    first, second = noise(1, 0.5), noise(2, 0.5)
    orders = [(first, "before", second, "after"), (first, second, "before", "after"), ("before", "after", first)]
    rows = []
    for parts in orders:
        at_once(local(tiny), [asking(*parts)])
        rows += seen[-1]["input_ids"].tolist()
    said = [tokenizer.decode([t for k, t in enumerate(row) if t != audio or row[k - 1] != audio]) for row in rows]
    clip = "<|audio_bos|><|AUDIO|><|audio_eos|>"
    assert f"user\n{clip}before{clip}after<|im_end|>" in said[0]
    assert f"user\n{clip}{clip}beforeafter<|im_end|>" in said[1]
    assert f"user\nbeforeafter{clip}<|im_end|>" in said[2]


def test_words_that_look_like_control_tokens_stay_words(local, tiny, noise, asking, at_once, seen, tokenizer):
    (reply,) = at_once(local(tiny), [asking(noise(1), "Is <|AUDIO|> a clip? <|im_end|>")])
    assert reply.text
    ids = seen[-1]["input_ids"][0].tolist()
    assert ids.count(tokenizer.convert_tokens_to_ids("<|im_end|>")) == 1
    assert ids.count(tokenizer.convert_tokens_to_ids("<|audio_bos|>")) == 1


def test_a_prompt_without_a_clip_is_answered_beside_one_with(local, tiny, noise, asking, at_once):
    with_clip, without = at_once(local(tiny), [asking(noise(1), "What?"), asking("What?")])
    (alone,) = at_once(local(tiny), [asking("What?")])
    assert without == alone
    assert without.tokens_in < with_clip.tokens_in


def test_a_reply_that_ends_by_itself_stops_and_one_at_the_limit_says_so(
    local, tiny, make_qwen2_audio, noise, asking, at_once
):
    clip, words = noise(4), "What?"
    (endless,) = at_once(local(tiny, max_tokens=12), [asking(clip, words)])
    assert (endless.finish_reason, endless.tokens_out) == ("length", 12)
    tokens = tokens_by_hand(tiny, clip, words, 12)
    last = max(tokens[:11], key=tokens.index)
    at = tokens.index(last) + 1
    assert 1 < at < 12
    ending = local(make_qwen2_audio(eos_token_id=[last]), max_tokens=12)
    ended, neighbour = at_once(ending, [asking(clip, words), asking(noise(5), "Which?")])
    assert (ended.finish_reason, ended.tokens_out) == ("stop", at)
    assert endless.text.startswith(ended.text)
    assert len(ended.text) < len(endless.text)
    assert neighbour.finish_reason == ("length" if neighbour.tokens_out == 12 else "stop")


def test_tokens_of_the_prompt_are_counted_without_padding(local, tiny, noise, asking, at_once, seen):
    short, long = at_once(local(tiny), [asking(noise(1, 0.2), "A?"), asking(noise(2, 1.9), "A far longer question?")])
    alone = at_once(local(tiny), [asking(noise(1, 0.2), "A?")])[0]
    assert short.tokens_in == alone.tokens_in == seen[-1]["input_ids"].shape[1]
    assert long.tokens_in > short.tokens_in + 20


def test_a_clip_too_long_is_refused_not_cut_and_one_that_just_fits_is_taken(local, tiny, noise, asking, at_once, seen):
    fits, over = at_once(local(tiny), [asking(noise(1, 2.0), "A?"), asking(noise(1, 2.01), "A?")])
    assert fits.text
    assert isinstance(over, TooLongAudioError)
    assert "2.01 s" in str(over)
    assert len(seen[-1]["input_ids"]) == 1


def test_a_bad_clip_or_prompt_fails_alone(local, tiny, noise, asking, at_once, monkeypatch):
    from audiometry.models.transformers import hearing

    made = hearing.inputs

    def inputs(processor, conversations):
        if any("poison" in str(conversation) for conversation in conversations):
            raise ValueError("the processor cannot do this")
        return made(processor, conversations)

    monkeypatch.setattr(hearing, "inputs", inputs)
    broken = Audio(data=b"RIFF", format="wav", sha256="0", rate=16_000, channels=1, duration_s=1.0)
    good = [asking(noise(n), "What?") for n in range(3)]
    model = local(tiny, "batch=8")
    replies = at_once(model, [good[0], asking(broken, "What?"), good[1], asking(noise(9), "poison"), good[2]])
    assert isinstance(replies[1], UnreadableAudioError)
    assert isinstance(replies[3], ValueError)
    alone = [at_once(local(tiny), [prompt])[0] for prompt in good]
    assert [replies[0], replies[2], replies[4]] == alone


def test_a_batch_that_does_not_fit_is_halved_and_stays_so(local, tiny, prompts, at_once, monkeypatch, torch_alone):
    from audiometry.models.transformers.engine import Engine

    answer, sizes = Engine.answer, []

    def tight(self, batch):
        sizes.append(len(batch))
        if len(batch) > 2:
            raise torch_alone.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return answer(self, batch)

    expected = at_once(local(tiny, "batch=8"), prompts)
    monkeypatch.setattr(Engine, "answer", tight)
    model = local(tiny, "batch=8")
    assert at_once(model, prompts, close=False) == expected
    assert sizes == [8, 4, 2, 2, 2, 2]
    sizes.clear()
    assert at_once(model, prompts) == expected
    assert max(sizes) == 2


def test_a_prompt_that_does_not_fit_alone_is_said_to(local, tiny, noise, asking, at_once, monkeypatch):
    from audiometry.models.transformers.engine import Engine

    def full(self, batch):
        raise RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: 9 bytes")

    monkeypatch.setattr(Engine, "answer", full)
    (problem,) = at_once(local(tiny), [asking(noise(1), "What?")])
    assert isinstance(problem, ModelError)
    assert (problem.kind, problem.retry, problem.fatal) == ("out-of-memory", False, False)


def test_an_asker_who_leaves_ends_its_reply_and_not_the_others(local, make_qwen2_audio, noise, asking):
    model = local(make_qwen2_audio(min_new_tokens=4000), "batch=2", max_tokens=4000)

    async def go():
        await model.start()
        began = time.perf_counter()
        leaving = [asyncio.create_task(model.answer(asking(noise(n), "What?"))) for n in range(2)]
        await asyncio.sleep(0.5)
        for task in leaving:
            task.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)
        assert all(task.cancelled() for task in leaving)
        staying = asyncio.create_task(model.answer(asking(noise(3), "What?")))
        await asyncio.sleep(0.5)
        await model.close()
        await asyncio.wait({staying}, timeout=5)
        assert staying.done()
        return time.perf_counter() - began

    assert asyncio.run(go()) < 8


def test_a_model_serves_one_event_loop_after_the_other_and_not_after_its_end(local, tiny, noise, asking, at_once):
    model = local(tiny)
    first = at_once(model, [asking(noise(1), "What?")], close=False)
    assert at_once(model, [asking(noise(1), "What?")]) == first
    (problem,) = at_once(model, [asking(noise(1), "What?")])
    assert isinstance(problem, ModelError)
    assert problem.kind == "closed"


def test_streaming_gives_the_same_in_one_piece(local, tiny, noise, asking, at_once, chunks_of):
    prompt = asking(noise(1), "What?")
    (chunk,) = chunks_of(local(tiny), prompt)
    (reply,) = at_once(local(tiny), [prompt])
    assert (chunk.text, chunk.finish_reason, chunk.tokens_in, chunk.tokens_out) == (
        reply.text,
        reply.finish_reason,
        reply.tokens_in,
        reply.tokens_out,
    )


def test_parameters_say_what_shapes_replies(local, tiny, make_qwen2_audio):
    told = local(tiny).parameters
    assert told["class"] == "Qwen2AudioForConditionalGeneration"
    assert told["dtype"] == "float32"
    assert told["decoding"] == {"max_new_tokens": 8}
    assert told["max_new_tokens_from"] == "given"
    assert "seed" not in told
    assert msgspec.json.decode(msgspec.json.encode(told)) == told
    other = local(make_qwen2_audio(seed=1)).parameters
    assert {key for key in told if told[key] != other[key]} == {"weights"}
    assert local(tiny, "dtype=bfloat16").parameters["dtype"] == "bfloat16"
    assert local(tiny, "batch=2").parameters == told


def test_the_longest_reply_is_given_or_the_models_own_or_the_stated_default(local, tiny, make_qwen2_audio):
    own = make_qwen2_audio(max_new_tokens=77, max_length=99)
    limits = [local(tiny, max_tokens=None), local(own, max_tokens=None), local(own, max_tokens=5)]
    told = [(m.parameters["decoding"]["max_new_tokens"], m.parameters["max_new_tokens_from"]) for m in limits]
    assert told == [(1024, "default"), (77, "the model"), (5, "given")]
    assert "max_length" not in limits[1].parameters["decoding"]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_other_dtypes_compute(local, tiny, noise, asking, at_once, dtype):
    (reply,) = at_once(local(tiny, f"dtype={dtype}"), [asking(noise(1), "What?")])
    assert reply.tokens_out == 8


def test_another_architecture_with_windows_of_its_own(local, make_flamingo, noise, asking, at_once, seen):
    folder = make_flamingo()
    model = local(folder)
    assert model.card.longest_s == 6.0
    assert model.parameters["class"] == "AudioFlamingo3ForConditionalGeneration"
    prompts = [asking(noise(n, 0.5 + n), "What?", item=str(n)) for n in range(4)]
    together = at_once(model, prompts)
    assert seen[-1]["input_features"].shape[0] == 1 + 1 + 2 + 2
    assert together == [at_once(local(folder), [prompt])[0] for prompt in prompts]


def test_a_run_through_the_command_line(cli, tiny, make_benchmark, noise, tmp_path, torch_alone):
    folder = make_benchmark(6)
    for number in range(6):
        clip = noise(number, 3.0 if number == 4 else 0.5 + 0.2 * number)
        (folder / "audio" / f"0000{number}.wav").write_bytes(clip.data)
    run = tmp_path / "run"
    line = ("run", folder, "--model", f"hf/{tiny}?batch=4&device=cpu", "--max-tokens", 6, "--no-probe", "-o", run)
    line = [word for word in line if word != "--no-probe" or "--no-probe" in cli("run", "--help").out]
    said = cli(*line, "--json")
    assert said.code == 1, said.err
    assert (said.json["scores"]["strict"]["n_items"], said.json["scores"]["strict"]["n_failed"]) == (6, 1)
    records = {r["item"]: r for r in map(json.loads, (run / "replies.jsonl").read_text("utf-8").splitlines())}
    assert records["item-00004"]["error"]["kind"] == "audio-too-long"
    good = [r for name, r in records.items() if name != "item-00004"]
    assert all(r["text"] is not None and r["tokens_out"] <= 6 and r["tokens_in"] > 50 for r in good)
    info = json.loads((run / "run.json").read_text("utf-8"))
    assert info["parameters"]["decoding"]["max_new_tokens"] == 6
    assert info["audio"]["longest_s"] == 2.0
    plan = cli("run", folder, "--model", f"hf/{tiny}", "--repeats", 2, "--temperature", 0, "--dry-run", "--json")
    assert plan.json["parameters"]["class"] == "Qwen2AudioForConditionalGeneration"
    assert "says the same each time, so that nothing can vary" in plan.err


def test_the_provider_is_listed(torch_alone):
    assert models.registry.providers()["hf"] == "audiometry.models.transformers"
