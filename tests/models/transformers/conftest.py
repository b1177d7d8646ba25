"""Tiny models with random weights, made here and saved as any checkpoint is."""

import asyncio
import hashlib
import io
import os
from importlib.util import find_spec

import msgspec
import numpy as np
import pytest
import soundfile

from audiometry.models import load
from audiometry.records import Audio, Prompt, Reply, Text, Turn

THERE = all(find_spec(package) is not None for package in ("torch", "transformers"))
SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>", "<sound>")
ENDS = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'audio' %}<|audio_bos|>AUDIO<|audio_eos|>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

WRITER = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
QWEN, FLAMINGO = TEMPLATE.replace("AUDIO<", "<|AUDIO|><"), TEMPLATE.replace("AUDIO<", "<sound><")


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("hf") and not THERE:
            item.add_marker(
                pytest.mark.skip(reason="torch and transformers are not installed; `make test-hf` has them")
            )


def make_clip(number, seconds=1.0, rate=16_000):
    """A tone in noise, another for every number, as a 16-bit WAV."""
    at = np.arange(round(seconds * rate)) / rate
    hiss = np.random.default_rng(number).normal(0, 0.02, len(at))
    samples = (0.5 * np.sin(2 * np.pi * 150 * 1.6 ** (number % 9) * at) + hiss).astype(np.float32)
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype="PCM_16")
    data = file.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    return Audio(data=data, format="wav", sha256=digest, rate=rate, channels=1, duration_s=len(samples) / rate)


def make_prompt(*parts, item="item"):
    told = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    return Prompt(turns=(Turn("user", told),), item=item, variant="plain")


def gather(model, prompts, *, close=True):
    """All replies, asked at the same time, without how long each took; errors in their place."""

    async def go():
        try:
            found = await asyncio.gather(*(model.answer(prompt) for prompt in prompts), return_exceptions=True)
            return [msgspec.structs.replace(one, latency_s=0.0) if isinstance(one, Reply) else one for one in found]
        finally:
            if close:
                await model.close()

    return asyncio.run(go())


@pytest.fixture
def noise():
    return make_clip


@pytest.fixture
def asking():
    return make_prompt


@pytest.fixture
def at_once():
    return gather


@pytest.fixture(scope="session")
def torch_alone():
    """One thread, no hub, and what transformers itself imports."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch

    torch.set_num_threads(1)
    try:
        import torchvision  # noqa: F401  transformers imports it where it is there
    except ImportError:
        yield torch
    except RuntimeError:  # a build for a GPU lacks its own operators on a CPU; none of them is called here
        names = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            names.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        yield torch
    else:
        yield torch


def _tokenizer(**named):
    """Letters and special tokens; those named are its ``image_token`` and so on."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    from tokenizers import models as kinds
    from transformers import PreTrainedTokenizerFast

    letters = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    bare = Tokenizer(kinds.BPE(vocab=letters, merges=[]))
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    specials = list(dict.fromkeys([*SPECIALS, *named.values()]))
    bare.add_special_tokens(specials)
    more = {"extra_special_tokens": named} if named else {"additional_special_tokens": specials}
    return PreTrainedTokenizerFast(tokenizer_object=bare, **more, **ENDS)


def _writer(tokenizer):
    """The part that writes, as a config: two layers of a Qwen2 of width 32."""
    return {
        "model_type": "qwen2",
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "vocab_size": len(tokenizer),
        "max_position_embeddings": 8192,
        "initializer_range": 0.3,
        "eos_token_id": tokenizer.convert_tokens_to_ids("<|im_end|>"),
        "pad_token_id": tokenizer.convert_tokens_to_ids("<|endoftext|>"),
    }


def _listener(kind):
    return {
        "model_type": kind,
        "d_model": 32,
        "hidden_size": 32,
        "encoder_layers": 2,
        "encoder_attention_heads": 2,
        "encoder_ffn_dim": 64,
        "num_mel_bins": 16,
        "max_source_positions": 100,
        "initializer_range": 0.3,
    }


def _save(model, processor, folder, generation):
    from transformers import GenerationConfig

    ids = processor.tokenizer.convert_tokens_to_ids
    told = {"eos_token_id": [ids("<|im_end|>")], "pad_token_id": ids("<|endoftext|>")} | generation
    model.generation_config = GenerationConfig(**told)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def make_qwen2_audio(torch_alone, tmp_path_factory):
    """``make_qwen2_audio(seed=0, template=…, do_sample=True, …)`` is the folder of a model that takes 2 s of audio."""

    def make(*, seed=0, template=QWEN, folder=None, **generation):
        import transformers

        tokenizer = _tokenizer()
        config = transformers.Qwen2AudioConfig(
            audio_config=_listener("qwen2_audio_encoder"),
            text_config=_writer(tokenizer),
            audio_token_index=tokenizer.convert_tokens_to_ids("<|AUDIO|>"),
        )
        torch_alone.manual_seed(seed)
        model = transformers.Qwen2AudioForConditionalGeneration(config)
        ear = transformers.WhisperFeatureExtractor(feature_size=16, chunk_length=2, sampling_rate=16_000)
        processor = transformers.Qwen2AudioProcessor(feature_extractor=ear, tokenizer=tokenizer, chat_template=template)
        return _save(model, processor, folder or tmp_path_factory.mktemp("qwen2-audio"), generation)

    return make


@pytest.fixture(scope="session")
def make_flamingo(torch_alone, tmp_path_factory):
    """A model of another architecture, whose processor makes windows of 2 s, up to 6 s in all."""

    def make(*, template=FLAMINGO):
        import transformers

        tokenizer = _tokenizer()
        config = transformers.AudioFlamingo3Config(
            audio_config=_listener("audioflamingo3_encoder"),
            text_config=_writer(tokenizer),
            audio_token_id=tokenizer.convert_tokens_to_ids("<sound>"),
        )
        torch_alone.manual_seed(0)
        model = transformers.AudioFlamingo3ForConditionalGeneration(config)
        ear = transformers.WhisperFeatureExtractor(feature_size=16, chunk_length=2, sampling_rate=16_000)
        processor = transformers.AudioFlamingo3Processor(
            feature_extractor=ear, tokenizer=tokenizer, chat_template=template, max_audio_len=6
        )
        return _save(model, processor, tmp_path_factory.mktemp("flamingo"), {})

    return make


@pytest.fixture(scope="session")
def make_writer(torch_alone, tmp_path_factory):
    """The folder of a model that takes words alone."""

    def make(*, template=WRITER):
        import transformers

        tokenizer = _tokenizer()
        tokenizer.chat_template = template
        torch_alone.manual_seed(0)
        told = {key: value for key, value in _writer(tokenizer).items() if key != "model_type"}
        model = transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**told))
        folder = tmp_path_factory.mktemp("writer")
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return make


@pytest.fixture(scope="session")
def tiny(make_qwen2_audio):
    """The folder of a tiny Qwen2-Audio that answers greedily."""
    return make_qwen2_audio()


@pytest.fixture(scope="session")
def tokenizer(torch_alone):
    return _tokenizer()


class Parts:
    """What tiny models are made of."""

    tokenizer, writer, listener = map(staticmethod, (_tokenizer, _writer, _listener))


@pytest.fixture(scope="session")
def make_tiny(torch_alone, tmp_path_factory):
    """``make_tiny(model, processor, "<sound>")`` is a folder with both; the mark stands where the clip does."""

    def make(model, processor, mark):
        for name, weight in model.named_parameters():  # as they are made, some tiny ears are hardly heard
            if weight.ndim > 1 and any(part in name for part in ("audio", "encoder", "projector")):
                weight.data *= 10
        processor.chat_template = TEMPLATE.replace("AUDIO<", f"{mark}<")
        return _save(model, processor, tmp_path_factory.mktemp("tiny"), {})

    return make


@pytest.fixture(scope="session")
def parts():
    return Parts


@pytest.fixture(scope="session")
def lay_adapter():
    """``lay_adapter(folder, below="speech-lora")`` puts an adapter, which is no no-op, beside or below the weights."""
    return _lay_adapter


def _lay_adapter(folder, *, below="", drop=0):
    import torch
    import transformers
    from peft import LoraConfig, get_peft_model
    from safetensors.torch import load_file, save_file

    torch.manual_seed(0)
    config = transformers.AutoConfig.from_pretrained(folder)
    model = getattr(transformers, config.architectures[0]).from_pretrained(folder)
    lora = LoraConfig(r=4, target_modules=r".*layers.*(q_proj|v_proj|qkv_proj)", init_lora_weights=False)
    get_peft_model(model, lora).save_pretrained(folder / below)
    path = folder / below / "adapter_model.safetensors"
    weights = {key: value * 20 for key, value in load_file(path).items()}
    save_file(dict(sorted(weights.items())[drop:]), path, {"format": "pt"})
    return folder


@pytest.fixture
def local(torch_alone):
    """``local(folder, "batch=4", max_tokens=8)`` is the model in a folder."""

    def make(folder, options="", **settings):
        settings.setdefault("max_tokens", 8)
        return load(f"hf/{folder}?device=cpu&{options}", **settings)

    return make


@pytest.fixture
def seen(monkeypatch):
    """The tensors that models were given, as they were when the processor was done."""
    from audiometry.models.transformers import hearing

    made, kept = hearing.inputs, []

    def inputs(processor, conversations):
        tensors = made(processor, conversations)
        kept.append({key: tensors[key].clone() for key in tensors})
        return tensors

    monkeypatch.setattr(hearing, "inputs", inputs)
    return kept
