"""Requests that state how they are decoded, to one local model, whose weights are loaded once."""

import msgspec
import pytest

from audiometry.errors import UsageError
from audiometry.records import Decoding

pytestmark = pytest.mark.hf
LIMITS = (None, Decoding(0.0, 3), Decoding(0.0, 6), Decoding(0.0, 3))


def test_each_request_of_a_batch_is_decoded_as_it_states(local, make_qwen2_audio, noise, asking, at_once, monkeypatch):
    from audiometry.models.transformers import engine

    loaded, load = [], engine._loaded
    monkeypatch.setattr(engine, "_loaded", lambda *given: loaded.append(1) or load(*given))
    folder = make_qwen2_audio(min_new_tokens=2)
    prompts = [msgspec.structs.replace(asking(noise(1), "What?"), decoding=one) for one in LIMITS]
    replies = at_once(local(folder, "batch=8"), prompts)
    assert loaded == [1]
    assert [reply.tokens_out <= most for reply, most in zip(replies, (8, 3, 6, 3), strict=True)] == [True] * 4
    assert replies[1] == replies[3]
    for prompt, reply, limit in zip(prompts, replies, (8, 3, 6, 3), strict=True):
        (alone,) = at_once(local(folder, max_tokens=limit), [msgspec.structs.replace(prompt, decoding=None)])
        assert alone.text == reply.text


def test_the_parameters_are_those_of_a_model_that_was_told_so(local, tiny):
    model = local(tiny)
    for limit in (3, 8, None):
        alone = local(tiny, max_tokens=limit, temperature=0.0)
        assert model.parameters_under(Decoding(0.0, limit)) == alone.parameters
    assert model.parameters == model.parameters_under(Decoding(max_tokens=8))
    assert model.parameters_under(Decoding(0.0))["max_new_tokens_from"] == "default"


def test_a_decoding_that_contradicts_the_settings_is_refused(local, tiny):
    model = local(tiny, extra={"do_sample": True})
    with pytest.raises(UsageError, match="do_sample = true"):
        model.parameters_under(Decoding(0.0, 3))
