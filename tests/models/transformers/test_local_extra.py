"""Generation settings by name (``--extra``): taken, recorded, and refused where they do nothing or contradict."""

import json
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from audiometry.errors import UnknownNameError, UsageError
from audiometry.models import ModelSettings
from audiometry.models.transformers import decoding


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({"temperature": 0.7}, "'temperature', which a run of hf/… states by --temperature"),
        ({"max_tokens": 5}, "states by --max-tokens"),
        ({"max_new_tokens": 5}, "states by --max-tokens"),
        ({"top_q": 1}, "did you mean 'top_p'"),
        ({"chat_template_kwargs": {}}, "unknown generation setting"),
        ({"num_return_sequences": 2}, "unknown generation setting"),
        ({"min_length": 2}, "unknown generation setting"),
        ({"top_p": 0}, "top_p"),
        ({"top_p": 1.5}, "top_p"),
        ({"top_p": "0.9"}, "top_p"),
        ({"top_k": 2.5}, "top_k"),
        ({"top_k": -1}, "top_k"),
        ({"num_beams": 0}, "num_beams"),
        ({"do_sample": "yes"}, "do_sample"),
        ({"repetition_penalty": 0}, "repetition_penalty"),
        ({"stop_strings": [""]}, "stop_strings"),
        ({"stop_strings": "END"}, "stop_strings"),
        ({"suppress_tokens": [-1]}, "suppress_tokens"),
        ({"early_stopping": "soon"}, "early_stopping"),
    ],
)
def test_what_is_no_setting_is_refused_in_one_line(extra, words):
    with pytest.raises(UsageError) as problem:
        decoding.further(extra)
    assert words in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_name_that_is_nearly_one_is_an_unknown_name():
    with pytest.raises(UnknownNameError):
        decoding.further({"do_samples": True})


def test_what_says_nothing_is_left_to_the_model():
    assert decoding.further({"top_p": None, "top_k": 5, "stop_strings": ["x"]}) == {"top_k": 5, "stop_strings": ["x"]}


@pytest.mark.hf
def test_every_name_is_one_of_transformers(torch_alone):
    from transformers import GenerationConfig

    assert set(decoding.Further.__struct_fields__) <= set(vars(GenerationConfig()))


@pytest.mark.hf
def test_they_hold_and_are_recorded(local, tiny, noise, asking, at_once):
    prompts = [asking(noise(n), "What is heard?", item=str(n)) for n in range(3)]
    plain = at_once(local(tiny), prompts)
    drawn = local(tiny, extra={"do_sample": True, "top_k": 20, "top_p": 0.9}, seed=3)
    assert drawn.parameters["decoding"] == {"max_new_tokens": 8, "do_sample": True, "top_k": 20, "top_p": 0.9}
    assert drawn.parameters["seed"] == 3
    assert at_once(drawn, prompts) != plain
    (only,) = {tuple(one.text for one in at_once(local(tiny, extra={"do_sample": True, "top_k": 1}), prompts))}
    assert list(only) == [one.text for one in plain]
    penalised = at_once(local(tiny, extra={"repetition_penalty": 5.0}), prompts)
    assert penalised != plain
    longer = local(tiny, extra={"min_new_tokens": 3})
    assert longer.parameters["decoding"]["min_new_tokens"] == 3


@pytest.mark.hf
def test_beams_do_not_depend_on_the_neighbours(local, tiny, noise, asking, at_once):
    prompts = [asking(noise(n, 0.5 + 0.3 * n), "What is heard?", item=str(n)) for n in range(3)]
    extra = {"num_beams": 3, "length_penalty": 0.5, "early_stopping": True}
    together = at_once(local(tiny, extra=extra), prompts)
    assert all(getattr(reply, "tokens_out", None) == 8 for reply in together), together
    assert together == [at_once(local(tiny, extra=extra), [prompt])[0] for prompt in prompts]


@pytest.mark.hf
def test_a_stop_string_ends_a_reply(local, tiny, noise, asking, at_once):
    prompt = asking(noise(1), "What is heard?")
    (whole,) = at_once(local(tiny), [prompt])
    stop = next(letter for letter in whole.text[1:] if letter.isascii() and letter.isprintable())
    (cut,) = at_once(local(tiny, extra={"stop_strings": [stop]}), [prompt])
    assert cut.text == whole.text[: whole.text.index(stop, 0) + 1]
    assert cut.finish_reason == "stop"


@dataclass
class Case:
    extra: dict
    words: str
    temperature: float | None = None
    model: str = "greedy"


CONTRADICTIONS = [
    Case({"top_p": 0.9}, "top_p = 0.9 does nothing, replies are not drawn"),
    Case({"top_k": 5}, "does nothing", temperature=0.0, model="sampler"),
    Case({"do_sample": True}, "--temperature 0 says otherwise", temperature=0.0),
    Case({"do_sample": False}, "--temperature 0.5 says otherwise", temperature=0.5),
    Case({"early_stopping": True}, "there are no beams"),
    Case({"length_penalty": 2.0}, "there are no beams"),
    Case({"num_beams": 2}, "draws at random among beams", model="sampler"),
    Case({"min_new_tokens": 9}, "longer than the limit of 8"),
]


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({"do_sample": True}, "do_sample = true, but a judge is asked at temperature 0; leave it out"),
        ({"top_p": 0.9}, "top_p = 0.9 does nothing, replies are not drawn at random; leave it out"),
        ({"min_new_tokens": 9}, "longer than the limit of 8; lower it in --extra"),
    ],
)
def test_a_judge_is_told_of_no_option_that_score_does_not_have(extra, words):
    own = SimpleNamespace(do_sample=False, num_beams=1, max_new_tokens=8, min_new_tokens=extra.get("min_new_tokens"))
    settings = ModelSettings(temperature=0.0, judging=True)

    def refuse():
        decoding._set_drawing(own, settings, extra)
        decoding._refuse_idle(own, extra, judging=settings.judging)

    with pytest.raises(UsageError) as problem:
        refuse()
    assert words in str(problem.value)


@pytest.mark.hf
@pytest.mark.parametrize("case", CONTRADICTIONS, ids=[json.dumps(case.extra) for case in CONTRADICTIONS])
def test_what_does_nothing_or_contradicts_is_refused(local, tiny, make_qwen2_audio, case):
    folder = tiny if case.model == "greedy" else make_qwen2_audio(do_sample=True, top_k=20)
    with pytest.raises(UsageError) as problem:
        _ = local(folder, extra=case.extra, temperature=case.temperature).parameters
    assert case.words in str(problem.value)


@pytest.mark.hf
def test_values_that_do_nothing_by_themselves_are_let_be(local, tiny, make_qwen2_audio):
    idle = {"top_p": 1.0, "length_penalty": 1.0, "do_sample": False, "min_new_tokens": 1}
    assert local(tiny, extra=idle, temperature=0.0).parameters["decoding"]["min_new_tokens"] == 1
    greedy = local(make_qwen2_audio(do_sample=True, top_k=20), extra={"do_sample": False}).parameters
    assert "seed" not in greedy
    assert "top_k" not in greedy["decoding"]


@pytest.mark.hf
def test_a_run_keeps_them(cli, tiny, make_benchmark, noise, tmp_path):
    folder, extra = make_benchmark(2), tmp_path / "extra.toml"
    for number in range(2):
        (folder / "audio" / f"0000{number}.wav").write_bytes(noise(number).data)
    extra.write_text("no_repeat_ngram_size = 2\n")
    line = ("run", folder, "--model", f"hf/{tiny}?device=cpu", "--max-tokens", 4, "--no-probe", "--extra", extra)
    said = cli(*line, "-o", tmp_path / "run", "--json")
    assert said.code == 0, said.err
    told = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))
    assert told["parameters"]["decoding"] == {"max_new_tokens": 4, "no_repeat_ngram_size": 2}
    extra.write_text("top_q = 2\n")
    said = cli(*line, "-o", tmp_path / "other")
    assert said.code == 2
    assert "did you mean 'top_p'" in said.err
