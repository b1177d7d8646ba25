"""A model that hears through an adapter is asked through it, or not at all."""

import json
import shutil

import pytest

from audiometry.errors import UsageError
from audiometry.files.extras import install
from audiometry.models.transformers import wanted

# peft's own code, where the tests make adapters
pytestmark = pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing:FutureWarning")

BASE = {"base_model_name_or_path": "owner/base\x1b[31m"}


def one_line(problem):
    said = str(problem.value)
    assert "\n" not in said
    assert "\x1b" not in said
    return said


@pytest.mark.parametrize("content", [json.dumps(BASE), "{", "[]", '{"base_model_name_or_path": null}'])
def test_a_folder_with_an_adapter_alone_is_refused(monkeypatch, tmp_path, content):
    monkeypatch.setattr(wanted, "installed", lambda package: True)
    (tmp_path / "adapter_config.json").write_text(content)
    with pytest.raises(UsageError) as problem:
        wanted.read(f"hf/{tmp_path}")
    said = one_line(problem)
    assert "is an adapter alone" in said
    assert ("of owner/base" in said) == (content == json.dumps(BASE))


@pytest.fixture
def plain(tiny, tmp_path):
    return shutil.copytree(tiny, tmp_path / "plain")


@pytest.fixture
def adapted(plain, lay_adapter):
    """A fine-tuned model: weights and an adapter in one folder."""
    return lay_adapter(plain)


@pytest.fixture
def prompts(noise, asking):
    return [asking(noise(n), "What is heard?", item=str(n)) for n in range(3)]


@pytest.mark.hf
def test_an_adapter_beside_the_weights_is_loaded_and_recorded(local, tiny, adapted, prompts, at_once, noise):
    import io

    import soundfile
    from peft import PeftModel
    from transformers import AutoProcessor, Qwen2AudioForConditionalGeneration

    without, with_it = at_once(local(tiny), prompts), at_once(local(adapted), prompts)
    assert [reply.text for reply in without] != [reply.text for reply in with_it]
    processor = AutoProcessor.from_pretrained(adapted)
    by_hand = PeftModel.from_pretrained(Qwen2AudioForConditionalGeneration.from_pretrained(tiny), adapted)
    samples, rate = soundfile.read(io.BytesIO(noise(0).data), dtype="float32")
    text = "<|im_start|>user\n<|audio_bos|><|AUDIO|><|audio_eos|>What is heard?<|im_end|>\n<|im_start|>assistant\n"
    tensors = processor(text=text, audio=[samples], sampling_rate=rate, return_tensors="pt")
    out = by_hand.generate(**tensors, max_new_tokens=8, do_sample=False)[0, tensors["input_ids"].shape[1] :]
    assert with_it[0].text == processor.tokenizer.decode(out, skip_special_tokens=True)
    told = local(adapted).parameters
    assert told["adapter"] == "beside the weights"
    assert told["weights"] != local(tiny).parameters["weights"]
    assert "adapter" not in local(tiny).parameters


def refused(model):
    import asyncio

    async def go():
        try:
            await model.start()
        finally:
            await model.close()

    with pytest.raises(UsageError) as problem:
        asyncio.run(go())
    return one_line(problem)


@pytest.mark.hf
def test_without_peft_it_is_refused(local, adapted, monkeypatch):
    there = wanted.installed
    from audiometry.models.transformers import adapters

    monkeypatch.setattr(adapters, "installed", lambda package: package != "peft" and there(package))
    said = refused(local(adapted))
    assert f"needs peft, not installed here: {install('hf')}" in said


@pytest.mark.hf
def test_what_the_files_of_model_or_adapter_lack_is_refused(local, plain, lay_adapter):
    from safetensors.torch import load_file, save_file

    lay_adapter(plain, drop=1)
    assert "lack 1 of its weights" in refused(local(plain))
    weights = load_file(plain / "model.safetensors")
    save_file(dict(sorted(weights.items())[1:]), plain / "model.safetensors", {"format": "pt"})
    assert "lack 2 of its weights" in refused(local(plain))


@pytest.mark.hf
@pytest.mark.parametrize("flaw", ["no weights", "cut", "no JSON", "no adapter's config", "another model's"])
def test_a_damaged_adapter_is_refused(local, adapted, flaw):
    weights, config = adapted / "adapter_model.safetensors", adapted / "adapter_config.json"
    if flaw == "no weights":
        weights.unlink()
    elif flaw == "cut":
        weights.write_bytes(weights.read_bytes()[:-100])
    elif flaw == "no JSON":
        config.write_text("{")
    elif flaw == "no adapter's config":
        config.write_text("[1]")
    else:
        config.write_text(json.dumps(json.loads(config.read_text()) | {"target_modules": ["no_such_module"]}))
    assert "weights cannot be loaded" in refused(local(adapted))


@pytest.mark.hf
def test_a_hub_name_of_an_adapter_alone_is_refused(local, torch_alone, monkeypatch):
    from audiometry.models.transformers import adapters

    monkeypatch.setattr(adapters, "is_there", lambda *_: True)
    with pytest.raises(UsageError) as problem:
        _ = local("nobody/an-adapter").card
    assert "is an adapter alone" in one_line(problem)
