"""What the built-in cards say of open models is what the installed processors do."""

import inspect

import pytest

from audiometry.models import cards

pytestmark = [pytest.mark.hf, pytest.mark.usefixtures("torch_alone")]


def default(function, name):
    return inspect.signature(function).parameters[name].default


def test_longest_clips_are_those_at_which_processors_cut():
    from transformers import WhisperFeatureExtractor
    from transformers.models.audioflamingo3.processing_audioflamingo3 import AudioFlamingo3Processor
    from transformers.models.gemma3n.feature_extraction_gemma3n import Gemma3nAudioFeatureExtractor
    from transformers.models.gemma4.processing_gemma4 import Gemma4Processor
    from transformers.models.musicflamingo.processing_musicflamingo import MusicFlamingoProcessor

    def longest(name):
        return cards.find(name).longest_s

    assert default(WhisperFeatureExtractor.__call__, "truncation")
    assert longest("hf/Qwen/Qwen2-Audio-7B") == default(WhisperFeatureExtractor.__init__, "chunk_length")
    assert longest("hf/nvidia/audio-flamingo-3-hf") == default(AudioFlamingo3Processor.__init__, "max_audio_len")
    assert longest("hf/nvidia/music-flamingo-hf") == default(MusicFlamingoProcessor.__init__, "max_audio_len")
    rate = default(Gemma3nAudioFeatureExtractor.__init__, "sampling_rate")
    assert cards.find("hf/google/gemma-3n-E2B-it").rate == rate
    assert longest("hf/google/gemma-3n-E2B-it") == default(Gemma3nAudioFeatureExtractor.__call__, "max_length") / rate
    tokens = default(Gemma4Processor.__init__, "audio_seq_length")
    assert (
        longest("hf/google/gemma-4-E2B-it") == tokens * default(Gemma4Processor.__init__, "audio_ms_per_token") / 1000
    )


def test_rates_are_those_of_the_processors():
    from transformers.models.audioflamingo3.processing_audioflamingo3 import AudioFlamingo3Processor
    from transformers.models.granite_speech.feature_extraction_granite_speech import GraniteSpeechFeatureExtractor
    from transformers.models.phi4_multimodal.feature_extraction_phi4_multimodal import Phi4MultimodalFeatureExtractor
    from transformers.models.qwen2_5_omni.processing_qwen2_5_omni import Qwen2_5OmniProcessor
    from transformers.models.qwen3_omni_moe.processing_qwen3_omni_moe import Qwen3OmniMoeProcessor

    found = {
        "hf/Qwen/Qwen2.5-Omni-7B": Qwen2_5OmniProcessor.audio_kwargs["sampling_rate"],
        "hf/Qwen/Qwen3-Omni-30B-A3B-Instruct": Qwen3OmniMoeProcessor.audio_kwargs["sampling_rate"],
        "hf/nvidia/audio-flamingo-3-hf": AudioFlamingo3Processor.audio_kwargs["sampling_rate"],
        "hf/ibm-granite/granite-speech-3.3-2b": default(GraniteSpeechFeatureExtractor.__init__, "sampling_rate"),
        "hf/microsoft/Phi-4-multimodal-instruct": default(Phi4MultimodalFeatureExtractor.__init__, "sampling_rate"),
    }
    assert {name: cards.find(name).rate for name in found} == found
    assert Qwen3OmniMoeProcessor.audio_kwargs["truncation"] is False  # so no longest clip is stated
    assert cards.find("hf/Qwen/Qwen3-Omni-30B-A3B-Instruct").longest_s is None
