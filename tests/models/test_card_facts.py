"""The built-in cards: which fit a name, what they state, and that every value says where it is stated."""

from datetime import date
from fnmatch import fnmatchcase
from itertools import pairwise

import pytest

from audiometry.models import cards

WRITTEN = {card["name"]: card for card in cards.written()}
PLAIN = {name for name in WRITTEN if not set(name) & set("*?[")}

FITTING = {  # a name, and the cards that fit it, the longest pattern last
    "openai/gpt-audio-1.5": ("openai/gpt-*audio*",),
    "openai/gpt-audio": ("openai/gpt-audio", "openai/gpt-*audio*"),
    "openai/gpt-audio-mini": ("openai/gpt-*audio*", "openai/gpt-audio-mini*"),
    "openai/gpt-4o-audio-preview": ("openai/gpt-[3-9]*", "openai/gpt-*audio*", "openai/gpt-4o-audio-preview*"),
    "openai/gpt-4o-mini-audio-preview": (
        "openai/gpt-[3-9]*",
        "openai/gpt-*audio*",
        "openai/gpt-4o-mini-audio-preview*",
    ),
    "openai/gpt-4o": ("openai/gpt-4o", "openai/gpt-[3-9]*"),
    "openai/gpt-4o-2024-08-06": ("openai/gpt-[3-9]*", "openai/gpt-4o-2024-*"),
    "openai/gpt-4o-transcribe": ("openai/gpt-[3-9]*",),
    "openai/gpt-4.1-mini": ("openai/gpt-[3-9]*", "openai/gpt-4.1-mini*"),
    "openai/gpt-4.1-nano": ("openai/gpt-[3-9]*", "openai/gpt-4.1-nano*"),
    "openai/gpt-4-turbo-2024-04-09": ("openai/gpt-[3-9]*", "openai/gpt-4-turbo*"),
    "openai/gpt-3.5-turbo-0125": ("openai/gpt-[3-9]*", "openai/gpt-3.5-turbo*"),
    "openai/gpt-5-mini": ("openai/gpt-[3-9]*", "openai/gpt-[5-9]*", "openai/gpt-5-mini*"),
    "openai/gpt-5-nano": ("openai/gpt-[3-9]*", "openai/gpt-[5-9]*", "openai/gpt-5-nano*"),
    "openai/gpt-5-pro": ("openai/gpt-[3-9]*", "openai/gpt-[5-9]*", "openai/gpt-5-pro*"),
    "openai/gpt-5.1": ("openai/gpt-5.1", "openai/gpt-[3-9]*", "openai/gpt-[5-9]*", "openai/gpt-5.[1-6]*"),
    "openai/gpt-5.4-nano": (
        "openai/gpt-[3-9]*",
        "openai/gpt-[5-9]*",
        "openai/gpt-5.[1-6]*",
        "openai/gpt-5.4-nano*",
    ),
    "openai/gpt-6.1-terra": ("openai/gpt-[3-9]*", "openai/gpt-[5-9]*"),
    "openai/o1-pro": ("openai/o[1-9]*", "openai/o1-pro*"),
    "openai/o3-pro-2025-06-10": ("openai/o[1-9]*", "openai/o3-pro*"),
    "openai/o3-2025-04-16": ("openai/o[1-9]*", "openai/o3-2025-*"),
    "openai/o3-mini": ("openai/o[1-9]*", "openai/o3-mini*"),
    "openai/gpt-oss-120b": (),
    "openai/mock": (),
    "google/gemini-2.5-flash": ("google/gemini*", "google/gemini-2.5-flash"),
    "google/gemini-2.5-flash-lite": ("google/gemini*",),
    "google/gemini-2.0-flash": ("google/gemini*", "google/gemini-2.0-flash*"),
    "google/gemini-3.1-pro-preview": ("google/gemini*",),
    "google/gemini-3.5-flash": ("google/gemini*",),
    "google/gemini-3.5-flash-lite": ("google/gemini*", "google/gemini-3.5-flash-lite*"),
    "google/gemini-3.8-flash": ("google/gemini*", "google/gemini-3.[6-9]*"),
    "google/gemini-4-argon": ("google/gemini*", "google/gemini-[4-9]*"),
    "vllm/Qwen/Qwen2-Audio-7B-Instruct": ("vllm/*", "*/Qwen2-Audio*"),
    "hf/Qwen/Qwen2-Audio-7B-Instruct": ("*/Qwen2-Audio*",),
    "hf/./checkpoints/Qwen2-Audio-step-4000?dtype=bfloat16": ("*/Qwen2-Audio*",),
    "vllm/Qwen/Qwen2.5-Omni-7B": ("vllm/*", "*/Qwen2.5-Omni*"),
    "hf/Qwen/Qwen3-Omni-30B-A3B-Instruct": ("*/Qwen3-Omni*",),
    "openai/qwen3-omni-flash": ("openai/qwen3-omni-flash*",),
    "openai/qwen3.5-omni-plus": ("openai/qwen3.5-omni-*",),
    "openai/qwen3.8-omni-flash": ("openai/qwen3.8-omni-*",),
    "openai/qwen-omni-turbo": ("openai/qwen-omni-turbo*",),
    "openai/qwen2.5-omni-7b": ("openai/qwen2.5-omni-7b*",),
    "hf/nvidia/audio-flamingo-3-hf": ("*/audio-flamingo-3*",),
    "hf/nvidia/audio-flamingo-next-think-hf": ("*/audio-flamingo-next*",),
    "vllm/nvidia/music-flamingo-2601-hf": ("vllm/*", "*/music-flamingo*"),
    "vllm/mistralai/Voxtral-Small-24B-2507": ("vllm/*", "*/[Vv]oxtral-*"),
    "hf/google/gemma-3n-E4B-it": ("*/gemma-3n-*",),
    "vllm/google/gemma-4-E4B-it": ("vllm/*", "*/gemma-4-E[24]B*"),
    "vllm/google/gemma-4-12B-it": ("vllm/*", "*/gemma-4-12B*"),
    "vllm/google/gemma-4-31B-it": ("vllm/*", "*/gemma-4-[23][0-9]B*"),
    "hf/google/gemma-4-26B-A4B-it": ("*/gemma-4-[23][0-9]B*",),
    "hf/ibm-granite/granite-speech-3.3-8b": ("*/granite*speech*", "*/granite-speech-3.*"),
    "hf/ibm-granite/granite-4.0-1b-speech": ("*/granite*speech*",),
    "hf/ibm-granite/granite-speech-4.1-2b": ("*/granite*speech*",),
    "vllm/ibm-granite/granite-speech-3.3-8b": (
        "vllm/*",
        "*/granite*speech*",
        "*/granite-speech-3.*",
        "vllm/*granite-speech-3.3*",
    ),
    "vllm/microsoft/Phi-4-multimodal-instruct": ("vllm/*", "*/Phi-4-multimodal*", "vllm/*Phi-4-multimodal*"),
    "vllm/fixie-ai/ultravox-v0_6-llama-3_3-70b": ("vllm/*", "*/ultravox*"),
    "vllm/moonshotai/Kimi-Audio-7B-Instruct": ("vllm/*", "*/Kimi-Audio*", "vllm/*Kimi-Audio*"),
    "vllm/XiaomiMiMo/MiMo-Audio-7B-Instruct": ("vllm/*", "vllm/*MiMo-*", "*/MiMo-Audio*"),
    "vllm/XiaomiMiMo/MiMo-V2-Omni": ("vllm/*", "vllm/*MiMo-*", "*/MiMo-V2-Omni*"),
    "vllm/step-audio-2-mini": ("vllm/*", "*/[Ss]tep-[Aa]udio-2*"),
    "vllm/DeSTA-ntu/DeSTA2.5-Audio-Llama-3.1-8B": ("vllm/*", "*/DeSTA2*"),
    "vllm/stepfun-ai/Step-Audio-R1.1": ("vllm/*", "*/[Ss]tep-[Aa]udio-[Rr]1*"),
    "vllm/OpenMOSS-Team/MOSS-Audio-8B-Thinking": ("vllm/*", "*/MOSS-Audio*"),
    "vllm/mispeech/midashenglm-7b": ("vllm/*", "*/midashenglm*"),
    "vllm/FunAudioLLM/Fun-Audio-Chat-8B": ("vllm/*", "*/Fun-Audio-Chat*"),
    "vllm/openbmb/MiniCPM-o-4_5": ("vllm/*", "*/MiniCPM-o-*"),
    "vllm/nvidia/Nemotron-3-Nano-Omni-30B-A3B-Reasoning-BF16": ("vllm/*", "*/Nemotron-3-*Omni*"),
    "openrouter/google/gemini-3.8-flash": ("openrouter/*",),
    "openrouter/qwen/qwen3-omni-flash": ("openrouter/*",),
    "vllm/Qwen/Qwen3-32B": ("vllm/*",),
    "hf/Qwen/Qwen3-32B": (),
}

STATED = {  # what a run does with a name, where the cautious default would be wrong
    "openai/gpt-audio-1.5": {"rate": None, "formats": ("wav", "mp3"), "needs_audio": True, "ends": ""},
    "openai/gpt-audio": {"ends": "2027-01-19", "successor": "openai/gpt-audio-1.5", "temperature": True},
    "openai/gpt-4o-audio-preview": {"ends": "2027-01-19", "needs_audio": True},
    "openai/gpt-4o-audio-preview-2024-12-17": {"ends": "2026-07-22"},
    "openai/gpt-4o": {"ends": "2027-01-13", "temperature": True, "max_tokens_key": "max_completion_tokens"},
    "openai/gpt-6.1-terra": {"temperature": False, "max_tokens_key": "max_completion_tokens", "ends": ""},
    "openai/o4-mini": {"temperature": False, "max_tokens_key": "max_completion_tokens", "ends": "2026-10-22"},
    "google/gemini-3.8-flash": {"rate": None, "longest_s": 34_200, "largest_mb": 100, "temperature": False},
    "google/gemini-3.1-pro-preview": {"temperature": True, "ends": ""},
    "google/gemini-2.5-pro": {"ends": "2026-11-30", "successor": "google/gemini-3.8-flash"},
    "vllm/Qwen/Qwen2-Audio-7B-Instruct": {"longest_s": 30, "max_tokens_key": "max_completion_tokens"},
    "openai/qwen3-omni-flash": {
        "data_prefix": "data:;base64,",
        "fields": {"modalities": ["text"]},
        "stream": True,
        "longest_s": 1200,
        "largest_mb": 10,
    },
    "openai/qwen3.5-omni-plus": {"stream": True, "longest_s": 10_800},
    "openai/qwen-omni-turbo": {"stream": True, "longest_s": 180},
    "google/gemini-4-hydrogen": {"temperature": False, "rate": None, "longest_s": 34_200},
    "openai/gpt-5.4": {"temperature": False, "temperature_if": {"reasoning_effort": "none"}},
    "openai/gpt-5": {"temperature": False, "temperature_if": {}, "ends": "2026-12-10"},
    "openai/gpt-4-1106-preview": {"ends": "2026-10-22"},
    "openai/gpt-5-chat-latest": {"ends": "2026-07-22"},
    "openai/o3-pro": {"ends": "2026-12-10"},
    "vllm/mistralai/Voxtral-Small-24B-2507": {"longest_s": 600},
    "hf/mistralai/Voxtral-Small-24B-2507": {"longest_s": 2400},
    "vllm/google/gemma-4-31B-it": {"longest_s": 600, "part_order": "audio-first"},
    "hf/nvidia/audio-flamingo-next-hf": {"longest_s": 1800},
    "vllm/step-audio-2-mini": {"part_order": "audio-first", "rate": 16_000},
    "vllm/stepfun-ai/Step-Audio-R1": {"part_order": "text-first"},
    "openrouter/google/gemini-3.8-flash": {"rate": None, "fields": {"provider": {"require_parameters": True}}},
    "hf/nvidia/audio-flamingo-3-hf": {"longest_s": 600, "part_order": "audio-first", "fixed_order": True},
    "hf/nvidia/music-flamingo-2601-hf": {"longest_s": 1200},
    "hf/google/gemma-4-E2B-it": {"longest_s": 30, "part_order": "text-first"},
    "hf/google/gemma-3n-E2B-it": {"longest_s": 30, "part_order": "audio-first"},
    "vllm/microsoft/Phi-4-multimodal-instruct": {"served_as": "speech", "longest_s": 600},
    "hf/microsoft/Phi-4-multimodal-instruct": {"longest_s": None},
    "vllm/fixie-ai/ultravox-v0_5-llama-3_2-1b": {"longest_s": 600},
    "hf/moonshotai/Kimi-Audio-7B-Instruct": {"part_order": "text-first", "longest_s": None, "system_role": True},
    "vllm/moonshotai/Kimi-Audio-7B-Instruct": {"part_order": "audio-first", "longest_s": 30, "system_role": False},
    "vllm/XiaomiMiMo/MiMo-V2-Omni": {"rate": 24_000, "longest_s": 546},
}


def fitting(name):
    return sorted((pattern for pattern in WRITTEN if fnmatchcase(name, pattern)), key=len)


@pytest.mark.parametrize("name", FITTING)
def test_no_card_fits_a_name_by_accident(name):
    assert fitting(name) == list(FITTING[name])


def test_every_card_fits_some_name_that_is_tested():
    assert set(WRITTEN) - PLAIN == {pattern for patterns in FITTING.values() for pattern in patterns} - PLAIN


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_what_a_card_says_of_one_model_holds_whatever_patterns_say(name):
    card = cards.find(name)
    own = {key: value for key, value in WRITTEN[name].items() if key not in {"name", "sources", "note"}}
    assert {key: getattr(card, key) for key in own} == own
    assert card.note.endswith(WRITTEN[name].get("note", ""))


@pytest.mark.parametrize("name", [*FITTING, *sorted(PLAIN)])
def test_two_patterns_of_one_length_never_say_the_same(name):
    found = [WRITTEN[pattern] for pattern in fitting(name)]
    for one, other in pairwise(found):
        same = set(one) & set(other) - {"name", "sources", "fields", "note", *cards.LIMITS}
        assert len(one["name"]) < len(other["name"]) or not same


@pytest.mark.parametrize("name", STATED)
def test_what_is_known_of_a_model_is_on_its_card(name):
    card = cards.find(name)
    assert {field: getattr(card, field) for field in STATED[name]} == STATED[name]


@pytest.mark.parametrize("card", cards.written(), ids=lambda card: card["name"])
def test_every_value_says_where_it_is_stated(card):
    stated = {key for key, value in card.items() if key not in {"name", "sources"} and value != ""}
    if "ends" in stated:  # a page that names the day names what comes after it
        stated.discard("successor")
    sources = card["sources"]
    assert stated <= set(sources) <= set(card)
    for where in sources.values():
        assert where.startswith(("https://", "transformers, models/", "vllm 0."))


@pytest.mark.parametrize(
    "card", [card for card in cards.written() if "successor" in card], ids=lambda card: card["name"]
)
def test_a_successor_is_served_longer(card):
    ends, after = card.get("ends"), cards.find(card["successor"]).ends
    assert not after or (ends and date.fromisoformat(ends) < date.fromisoformat(after))
