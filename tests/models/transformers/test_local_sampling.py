"""Replies drawn at random depend on seed and item alone, and are drawn as transformers would."""

import pytest

from audiometry import seeds

pytestmark = pytest.mark.hf

SAMPLING = {"do_sample": True, "temperature": 1.0, "top_k": 20, "top_p": 0.9}


@pytest.fixture(scope="module")
def sampler(make_qwen2_audio):
    return make_qwen2_audio(**SAMPLING)


@pytest.fixture
def prompts(noise, asking):
    return [asking(noise(n, 0.4 + 0.3 * n), "What is heard?", item=f"item-{n}") for n in range(5)]


def test_a_reply_is_the_same_whoever_shares_the_batch(local, sampler, prompts, at_once):
    together = at_once(local(sampler, "batch=5", seed=7), prompts)
    reordered = at_once(local(sampler, "batch=2", seed=7), prompts[::-1])[::-1]
    alone = [at_once(local(sampler, seed=7), [prompt])[0] for prompt in prompts]
    assert together == reordered == alone


def test_another_seed_or_item_draws_another_reply(local, sampler, noise, asking, at_once):
    clip = noise(1)
    asked = [asking(clip, "What is heard?", item=item) for item in ("a", "b")]
    a, b = at_once(local(sampler, seed=1), asked)
    (other,) = at_once(local(sampler, seed=2), asked[:1])
    assert len({a.text, b.text, other.text}) == 3


def test_the_seed_is_a_parameter_only_where_replies_are_drawn(local, sampler, tiny):
    assert local(sampler, seed=3).parameters["seed"] == 3
    assert local(sampler, seed=3).parameters["decoding"] == {"max_new_tokens": 8, **_stated(SAMPLING)}
    assert "seed" not in local(sampler, temperature=0.0).parameters
    assert local(tiny, temperature=0.5).parameters["decoding"]["temperature"] == 0.5
    assert local(tiny, temperature=0.5).parameters["decoding"]["do_sample"] is True


def _stated(settings):
    """Without those that are transformers' defaults."""
    from transformers import GenerationConfig

    return {k: v for k, v in GenerationConfig(**settings).to_diff_dict().items() if k in settings}


def test_temperature_nought_is_greedy(local, sampler, tiny, prompts, at_once):
    assert at_once(local(sampler, temperature=0.0), prompts) == at_once(local(tiny), prompts)


def test_one_possible_token_is_the_greedy_one(local, tiny, make_qwen2_audio, prompts, at_once):
    only = make_qwen2_audio(do_sample=True, top_k=1)
    assert at_once(local(only), prompts) == at_once(local(tiny), prompts)


def test_draws_follow_the_probabilities(torch_alone):
    from audiometry.models.transformers.sampling import Draw

    scores = torch_alone.tensor([[0.0, float("-inf"), 1.0, 2.0, float("-inf"), -1.0]])
    expected = torch_alone.softmax(scores[0].double(), dim=-1)
    n, counts = 4000, torch_alone.zeros(6, dtype=torch_alone.float64)
    draw = Draw([seeds.stream(0, "test")])
    for _ in range(n):
        one = draw(None, scores)
        assert int(torch_alone.isfinite(one).sum()) == 1
        counts[int(one.argmax())] += 1
    assert counts[1] == counts[4] == 0
    spread = (expected * (1 - expected) / n).sqrt()
    assert bool(((counts / n - expected).abs() <= 4 * spread).all())


def test_draws_see_the_scores_after_all_cuts(make_qwen2_audio, prompts, local, at_once, monkeypatch):
    """What is left to draw from is what transformers' own cuts leave: 20 tokens at most, for 0.9 of the mass."""
    from audiometry.models.transformers.sampling import Draw

    left, call = [], Draw.__call__

    def watched(self, input_ids, scores):
        left.extend(scores.isfinite().sum(-1).tolist())
        return call(self, input_ids, scores)

    monkeypatch.setattr(Draw, "__call__", watched)
    at_once(local(make_qwen2_audio(**SAMPLING)), prompts)
    assert len(left) >= 8 * len(prompts)
    assert 1 < max(left) <= 20


def test_random_beams_are_refused(make_qwen2_audio, local):
    from audiometry.errors import UsageError

    folder = make_qwen2_audio(do_sample=True, num_beams=2)
    with pytest.raises(UsageError, match="--temperature 0"):
        _ = local(folder).parameters
    assert local(folder, temperature=0.0).parameters["decoding"]["num_beams"] == 2
