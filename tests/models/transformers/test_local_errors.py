"""What can be wrong with a local model is said in one line, before anything is asked."""

import asyncio
import json
import shutil
import sys
import types

import pytest

from audiometry import models
from audiometry.errors import RateMismatchError, UnknownNameError, UsageError
from audiometry.files.extras import install
from audiometry.models.identity import of_folder
from audiometry.models.transformers import wanted


@pytest.fixture
def installed(monkeypatch):
    """As if torch and transformers were there, or only those that are named."""

    def pretend(*packages):
        monkeypatch.setattr(wanted, "installed", lambda package: package in packages)

    pretend("torch", "transformers")
    return pretend


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    return tmp_path


def line(problem):
    """The message of a problem: one line of at most a few."""
    said = str(problem.value)
    assert "\n" not in said
    assert len(said) < 600
    return said


@pytest.mark.parametrize(
    ("there", "named"), [((), "torch and transformers"), (("torch",), "transformers"), (("transformers",), "torch")]
)
def test_a_missing_package_is_named_with_what_to_run(installed, folder, there, named):
    installed(*there)
    with pytest.raises(UsageError) as problem:
        models.load(f"hf/{folder}")
    assert f"needs {named}, not installed here" in line(problem)
    assert install("hf", "torch") in line(problem)


def test_options_are_read(installed, folder):
    read = wanted.read(f"hf/{folder}?dtype=bfloat16&device=cuda:1&batch=3&revision=abc")
    assert (read.dtype, read.device, read.batch, read.revision) == ("bfloat16", "cuda:1", 3, "abc")
    assert (read.name, read.source, read.local) == (f"hf/{folder}", str(folder), True)
    plain = wanted.read("hf/Qwen/Qwen2-Audio-7B-Instruct")
    assert (plain.dtype, plain.device, plain.batch, plain.revision) == ("auto", "auto", 8, None)
    assert (plain.source, plain.local) == ("Qwen/Qwen2-Audio-7B-Instruct", False)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ("dtype=float8", UnknownNameError, "did you mean"),
        ("device=gpu", UnknownNameError, "unknown device 'gpu'"),
        ("device=cuda:x", UnknownNameError, "unknown device"),
        ("batch=0", UsageError, "batch=0 is not a number between 1"),
        ("batch=1.5", UsageError, "batch=1.5 is not a whole number"),
        ("batch=many", UsageError, "batch=many"),
        ("quantise=4", UnknownNameError, "unknown option"),
    ],
)
def test_a_wrong_option_is_refused(installed, folder, options, error, words):
    with pytest.raises(error) as problem:
        models.load(f"hf/{folder}?{options}")
    assert words in line(problem)


@pytest.mark.parametrize("name", ["hf/./nothing-here", "hf//nothing/here", "hf/a/b/c", "hf/~/no-such-folder-here"])
def test_a_folder_that_is_not_there_is_no_hub_name(installed, name):
    with pytest.raises(UsageError, match="there is no such folder"):
        models.load(name)


def test_a_folder_without_config_is_said_to_be_one(installed, tmp_path):
    with pytest.raises(UsageError) as problem:
        models.load(f"hf/{tmp_path}")
    assert "has no config.json" in line(problem)


def test_checkpoints_are_told_apart_by_their_weights(tmp_path):
    weights = bytearray(range(256)) * 40_000
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
        (tmp_path / name / "notes.md").write_text(name)
        (tmp_path / name / "model.safetensors").write_bytes(weights)
    marks = {name: of_folder(tmp_path / name) for name in ("one", "two", "three")}
    assert len(set(marks.values())) == 1
    weights[-1] ^= 1
    (tmp_path / "two" / "model.safetensors").write_bytes(weights)
    (tmp_path / "three" / "config.json").write_text("{ }")
    marks = {name: of_folder(tmp_path / name) for name in marks}
    assert len(set(marks.values())) == 3


@pytest.fixture
def refused(local):
    """Why a model is refused when its card is asked for."""

    def why(source, options="", **settings):
        with pytest.raises(UsageError) as problem:
            _ = local(source, options, **settings).card
        return line(problem)

    return why


@pytest.fixture
def copy(tiny, tmp_path):
    """A copy of the tiny model's folder, to be spoilt."""
    return shutil.copytree(tiny, tmp_path / "copy")


def edit(path, **changes):
    content = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))


@pytest.mark.hf
def test_packages_that_do_not_fit_together_are_said_to(refused, tiny, monkeypatch):
    class Broken(types.ModuleType):
        def __getattr__(self, name):
            raise ModuleNotFoundError(f"Could not import module '{name}'") from RuntimeError("operator nms\nis missing")

    broken = Broken("transformers")
    broken.__spec__ = sys.modules["transformers"].__spec__
    monkeypatch.setitem(sys.modules, "transformers", broken)
    assert "cannot be used as it is installed here (operator nms is missing)" in refused(tiny)


@pytest.mark.hf
def test_a_recogniser_is_refused(refused, torch_alone, tmp_path):
    import transformers

    transformers.WhisperConfig(d_model=8, encoder_layers=1, decoder_layers=1).save_pretrained(tmp_path)
    said = refused(tmp_path)
    assert "whisper only transcribes" in said
    assert "cascade/whisper" in said


@pytest.mark.hf
def test_a_model_of_another_kind_is_refused(refused, torch_alone, tmp_path):
    import transformers

    transformers.ViTConfig(hidden_size=8, num_hidden_layers=1).save_pretrained(tmp_path)
    assert "lists vit under none of its generic classes" in refused(tmp_path)


@pytest.mark.hf
def test_a_processor_that_is_not_there_is_refused(refused, copy):
    (copy / "processor_config.json").unlink()
    assert "its processor cannot be loaded" in refused(copy)


@pytest.mark.hf
def test_a_model_without_chat_template_is_refused(refused, make_flamingo):
    assert "has no chat template" in refused(make_flamingo(template=None))


@pytest.mark.hf
def test_a_chat_template_that_drops_the_clip_is_refused(refused, make_qwen2_audio):
    deaf = "{% for m in messages %}{% for p in m['content'] %}{{ p['text'] }}{% endfor %}{% endfor %}"
    said = refused(make_qwen2_audio(template=deaf))
    assert "leaves the audio out" in said


@pytest.mark.hf
@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("{", "config.json cannot be read"),
        ('{"model_type": "wav9vec"}', "does not know its architecture"),
        ('{"model_type": "own", "auto_map": {"AutoConfig": "own.Own"}}', "brings program code of its own"),
    ],
    ids=["not JSON", "unknown architecture", "own code"],
)
def test_a_config_that_cannot_be_used(refused, copy, config, words):
    (copy / "config.json").write_text(config)
    assert words in refused(copy)


@pytest.mark.hf
def test_a_hub_name_that_cannot_be_had(torch_alone, refused):
    said = refused("nobody/nothing-of-this-name")
    assert "model 'hf/nobody/nothing-of-this-name'" in said
    assert "hub cannot be reached" in said


@pytest.mark.hf
@pytest.mark.parametrize("device", ["cuda", "cuda:3", "mps"])
def test_a_device_that_is_not_there(torch_alone, tiny, device):
    if torch_alone.cuda.is_available() or torch_alone.backends.mps.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(UsageError) as problem:
        _ = models.load(f"hf/{tiny}?device={device}").parameters
    assert f"device={device}: this torch" in line(problem)


@pytest.mark.hf
@pytest.mark.parametrize(("there", "device", "words"), [(2, "cuda:2", "the last is cuda:1"), (1, "cuda", "bfloat16")])
def test_what_a_gpu_lacks_is_said(torch_alone, tiny, monkeypatch, there, device, words):
    monkeypatch.setattr(torch_alone.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch_alone.cuda, "device_count", lambda: there)
    monkeypatch.setattr(torch_alone.cuda, "is_bf16_supported", lambda: False)
    with pytest.raises(UsageError) as problem:
        wanted.device(wanted.read(f"hf/{tiny}?device={device}&dtype=bfloat16"))
    assert words in line(problem)


def start(model):
    async def go():
        try:
            await model.start()
        finally:
            await model.close()

    asyncio.run(go())


@pytest.mark.hf
@pytest.mark.parametrize("flaw", ["none", "cut", "garbage"])
def test_weights_that_are_missing_or_damaged_are_refused_before_the_first_prompt(local, copy, flaw):
    weights = copy / "model.safetensors"
    whole = weights.read_bytes()
    weights.unlink()
    if flaw != "none":
        weights.write_bytes(whole[:-1000] if flaw == "cut" else b"no weights at all" * 100)
    with pytest.raises(UsageError) as problem:
        start(local(copy))
    assert "its weights cannot be loaded" in line(problem)


@pytest.mark.hf
def test_weights_that_lack_a_part_are_refused_not_made_up(local, copy, torch_alone):
    from safetensors.torch import load_file, save_file

    weights = load_file(copy / "model.safetensors")
    lost = sorted(weights)[:2]
    save_file({k: v for k, v in weights.items() if k not in lost}, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(UsageError) as problem:
        start(local(copy))
    assert "lack 2 of its weights" in line(problem)
    assert "random numbers" in line(problem)


@pytest.mark.hf
def test_a_clip_of_another_rate_is_refused(local, tiny, noise, asking, at_once):
    (problem,) = at_once(local(tiny), [asking(noise(1, rate=8000), "What?")])
    assert isinstance(problem, RateMismatchError)
    assert "8000 Hz, the model takes 16000 Hz" in str(problem)


@pytest.mark.hf
def test_the_command_line_says_it_in_one_line(cli, make_benchmark, tmp_path, torch_alone):
    (tmp_path / "config.json").write_text('{"model_type": "wav9vec"}')
    said = cli("run", make_benchmark(1), "--model", f"hf/{tmp_path}", "-o", tmp_path / "run")
    assert said.code == 2
    assert "does not know its architecture" in said.err
    assert "Traceback" not in said.err
