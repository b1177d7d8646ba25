"""A tiny random model of every architecture that hears and can be made here, asked through ``hf/`` with real clips."""

import base64
import importlib.util
import json
import types

import pytest

from audiometry.errors import UsageError

pytestmark = [
    pytest.mark.hf,
    # peft's own code, where the tests make adapters
    pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing:FutureWarning"),
]

VISION = {"depth": 1, "hidden_size": 32, "intermediate_size": 32, "num_heads": 2, "out_hidden_size": 32}
OMNI = {"image_token": "<|IMAGE|>", "audio_token": "<|AUDIO|>", "video_token": "<|VIDEO|>"} | {
    f"{what}_{end}_token": f"<|{what}_{end}|>" for what in ("vision", "audio") for end in ("bos", "eos")
}

MUSIC = {"audio_bos_token": "<|sound_bos|>", "audio_eos_token": "<|sound_eos|>"}
GLM, GRANITE = {"audio_token": "<|pad|>"}, {"audio_token": "<|audio|>"}


@pytest.fixture(scope="session")
def whisper(torch_alone):
    from transformers import WhisperFeatureExtractor

    return lambda: WhisperFeatureExtractor(feature_size=16, chunk_length=2, sampling_rate=16_000)


@pytest.fixture(scope="session")
def sees(torch_alone):
    """The eyes of models that hear as well."""
    if importlib.util.find_spec("torchvision") is None:
        pytest.skip("torchvision is not installed")
    import transformers

    return {
        "image_processor": transformers.Qwen2VLImageProcessor(),
        "video_processor": transformers.Qwen2VLVideoProcessor(),
    }


@pytest.fixture(scope="session")
def music_flamingo(torch_alone, parts, make_tiny, whisper):
    import transformers as t

    tokenizer = parts.tokenizer(**MUSIC)
    config = t.MusicFlamingoConfig(
        audio_config=parts.listener("audioflamingo3_encoder"),
        text_config=parts.writer(tokenizer),
        audio_token_id=tokenizer.convert_tokens_to_ids("<sound>"),
    )
    torch_alone.manual_seed(0)
    model = t.MusicFlamingoForConditionalGeneration(config)
    ears = t.MusicFlamingoProcessor(feature_extractor=whisper(), tokenizer=tokenizer, max_audio_len=6)
    return make_tiny(model, ears, "<sound>")


@pytest.fixture(scope="session")
def glm_asr(torch_alone, parts, make_tiny, whisper):
    import transformers as t

    tokenizer = parts.tokenizer(**GLM)
    listener = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = t.GlmAsrConfig(
        audio_config=listener | {"num_mel_bins": 16, "max_position_embeddings": 100, "head_dim": 16},
        text_config=parts.writer(tokenizer),
        audio_token_id=tokenizer.convert_tokens_to_ids("<|pad|>"),
    )
    torch_alone.manual_seed(0)
    ears = t.GlmAsrProcessor(feature_extractor=whisper(), tokenizer=tokenizer, max_audio_len=6)
    return make_tiny(t.GlmAsrForConditionalGeneration(config), ears, "<|pad|>")


@pytest.fixture(scope="session")
def qwen25_omni(torch_alone, parts, make_tiny, whisper, sees):
    import transformers as t

    tokenizer = parts.tokenizer(**OMNI)
    ids = tokenizer.convert_tokens_to_ids
    writer = parts.writer(tokenizer) | {"model_type": "qwen2_5_omni_text"}
    rope = {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [2, 3, 3]}
    thinker = {
        "audio_config": parts.listener("qwen2_5_omni_audio_encoder") | {"n_window": 50, "output_dim": 32},
        "vision_config": VISION | {"patch_size": 14, "fullatt_block_indexes": [0]},
        "text_config": writer | {"rope_parameters": rope},
        "audio_token_index": ids("<|AUDIO|>"),
        "image_token_index": ids("<|IMAGE|>"),
        "video_token_index": ids("<|VIDEO|>"),
        "audio_start_token_id": ids("<|audio_bos|>"),
        "audio_end_token_id": ids("<|audio_eos|>"),
        "vision_start_token_id": ids("<|vision_bos|>"),
    }
    talker = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    talker |= {"num_key_value_heads": 2, "embedding_size": 32, "vocab_size": 9000}
    talker |= dict.fromkeys((f"tts_text_{end}_token_id" for end in ("start", "end", "pad")), 1)
    talker |= dict.fromkeys((f"{what}_{end}_token_id" for what in ("vision", "audio") for end in ("start", "end")), 1)
    config = t.Qwen2_5OmniConfig(thinker_config=thinker, talker_config=talker, enable_audio_output=False)
    torch_alone.manual_seed(0)
    model = t.Qwen2_5OmniForConditionalGeneration(config)
    return make_tiny(
        model, t.Qwen2_5OmniProcessor(**sees, feature_extractor=whisper(), tokenizer=tokenizer), "<|AUDIO|>"
    )


@pytest.fixture(scope="session")
def qwen3_omni(torch_alone, parts, make_tiny, whisper, sees):
    import transformers as t

    tokenizer = parts.tokenizer(**OMNI)
    ids = tokenizer.convert_tokens_to_ids
    experts = {"moe_intermediate_size": 32, "num_experts": 2, "num_experts_per_tok": 1, "decoder_sparse_step": 1}
    rope = {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [3, 3, 2], "mrope_interleaved": True}
    listener = {"num_mel_bins": 16, "encoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 32}
    listener |= {"d_model": 32, "output_dim": 32, "downsample_hidden_size": 8, "max_source_positions": 100}
    writer = parts.writer(tokenizer) | {"model_type": "qwen3_omni_moe_text", "head_dim": 16} | experts
    thinker = {
        "audio_config": listener | {"n_window": 50, "n_window_infer": 100, "conv_chunksize": 50},
        "vision_config": VISION | {"patch_size": 16, "deepstack_visual_indexes": [0], "num_position_embeddings": 16},
        "text_config": writer | {"rope_parameters": rope},
        "audio_token_id": ids("<|AUDIO|>"),
        "image_token_id": ids("<|IMAGE|>"),
        "video_token_id": ids("<|VIDEO|>"),
        "audio_start_token_id": ids("<|audio_bos|>"),
        "vision_start_token_id": ids("<|vision_bos|>"),
    }
    torch_alone.manual_seed(0)
    config = t.Qwen3OmniMoeConfig(thinker_config=thinker, enable_audio_output=False)
    model = t.Qwen3OmniMoeForConditionalGeneration(config)
    return make_tiny(
        model, t.Qwen3OmniMoeProcessor(**sees, feature_extractor=whisper(), tokenizer=tokenizer), "<|AUDIO|>"
    )


@pytest.fixture(scope="session")
def phi4(torch_alone, parts, make_tiny, sees, lay_adapter):
    import transformers as t

    tokenizer = parts.tokenizer(**{key: OMNI[key] for key in ("image_token", "audio_token")})
    ids = tokenizer.convert_tokens_to_ids
    small = {"hidden_size": 32, "intermediate_size": 32, "num_attention_heads": 2}
    listener = small | {"num_blocks": 1, "nemo_conv_channels": 32, "ext_pw_out_channel": 32}
    viewer = small | {"num_hidden_layers": 2, "image_size": 28, "patch_size": 14, "crop_size": 28, "feature_layer": -2}
    config = t.Phi4MultimodalConfig(
        **{key: value for key, value in parts.writer(tokenizer).items() if key != "model_type"},
        bos_token_id=ids("<|im_start|>"),
        vision_config=viewer | {"image_token_id": ids("<|IMAGE|>")},
        audio_config=listener | {"depthwise_separable_out_channel": 32, "audio_token_id": ids("<|AUDIO|>")},
    )
    torch_alone.manual_seed(0)
    processor = t.Phi4MultimodalProcessor(
        image_processor=t.Phi4MultimodalImageProcessor(),
        audio_processor=t.Phi4MultimodalFeatureExtractor(),
        tokenizer=tokenizer,
    )
    folder = make_tiny(t.Phi4MultimodalForCausalLM(config), processor, "<|AUDIO|>")
    return lay_adapter(folder, below="speech-lora")


@pytest.fixture(scope="session")
def mel(torch_alone):
    """In place of torchaudio, of which there is no build for this torch: Granite's extractor takes one thing of it."""
    from transformers.audio_utils import mel_filter_bank
    from transformers.models.granite_speech import feature_extraction_granite_speech as module

    class Mel(torch_alone.nn.Module):
        def __init__(self, sample_rate, n_fft, win_length, hop_length, n_mels):
            super().__init__()
            self.how = (n_fft, hop_length, win_length)
            bank = mel_filter_bank(n_fft // 2 + 1, n_mels, 0.0, sample_rate / 2, sample_rate)
            self.bank = torch_alone.tensor(bank.T, dtype=torch_alone.float32)

        def forward(self, samples):
            window = torch_alone.hann_window(self.how[2])
            return self.bank @ torch_alone.stft(samples, *self.how, window, return_complex=True).abs() ** 2

    with pytest.MonkeyPatch.context() as patch:
        if importlib.util.find_spec("torchaudio") is None:
            taken = types.SimpleNamespace(transforms=types.SimpleNamespace(MelSpectrogram=Mel))
            patch.setattr(module, "torchaudio", taken, raising=False)
            patch.setattr(module, "requires_backends", lambda *_: None)
        yield


@pytest.fixture(scope="session")
def make_granite(torch_alone, parts, make_tiny, mel):
    import transformers as t

    def make(*, has_lora_adapter):
        tokenizer = parts.tokenizer(**GRANITE)
        encoder = {"model_type": "granite_speech_encoder", "num_layers": 2, "hidden_dim": 32, "feedforward_mult": 2}
        encoder |= {"num_heads": 2, "dim_head": 16, "output_dim": 42, "context_size": 50, "max_pos_emb": 64}
        projector = {"model_type": "blip_2_qformer", "hidden_size": 32, "num_hidden_layers": 1, "intermediate_size": 64}
        projector |= {"num_attention_heads": 2, "encoder_hidden_size": 32, "cross_attention_frequency": 1}
        config = t.GraniteSpeechConfig(
            encoder_config=encoder | {"conv_kernel_size": 5},
            projector_config=projector,
            text_config=parts.writer(tokenizer) | {"model_type": "granite"},
            audio_token_id=tokenizer.convert_tokens_to_ids("<|audio|>"),
            has_lora_adapter=has_lora_adapter,
        )
        torch_alone.manual_seed(0)
        ears = t.GraniteSpeechProcessor(audio_processor=t.GraniteSpeechFeatureExtractor(), tokenizer=tokenizer)
        return make_tiny(t.GraniteSpeechForConditionalGeneration(config), ears, "<|audio|>")

    return make


@pytest.fixture(scope="session")
def granite(make_granite, lay_adapter):
    return lay_adapter(make_granite(has_lora_adapter=True))


MISTRAL = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
    "[ARGS]",
    "[CALL_ID]",
    "[TRANSCRIBE]",
    "[AUDIO]",
    "[BEGIN_AUDIO]",
]


@pytest.fixture(scope="session")
def voxtral(torch_alone, parts, tmp_path_factory):
    pytest.importorskip("mistral_common", reason="mistral-common is not installed")
    import transformers as t
    from transformers.tokenization_mistral_common import MistralCommonBackend

    folder = tmp_path_factory.mktemp("voxtral")
    letters = [{"rank": i, "token_bytes": base64.b64encode(bytes([i])).decode(), "token_str": None} for i in range(256)]
    sizes = {"num_vocab_tokens": 256, "default_vocab_size": 256 + len(MISTRAL)}
    spectrum = {"num_mel_bins": 16, "hop_length": 160, "window_size": 400}
    told = {
        "config": sizes | {"default_num_special_tokens": len(MISTRAL), "version": "v7", "pattern": r"\p{L}+|\s+|."},
        "vocab": letters,
        "special_tokens": [{"rank": i, "token_str": s, "is_control": True} for i, s in enumerate(MISTRAL)],
        "audio": {
            "sampling_rate": 16_000,
            "frame_rate": 12.5,
            "chunk_length_s": 30.0,
            "audio_encoding_config": spectrum,
        },
    }
    (folder / "tekken.json").write_text(json.dumps(told))
    tokenizer = MistralCommonBackend.from_pretrained(folder)
    writer = parts.writer(parts.tokenizer()) | {"model_type": "llama", "vocab_size": 256 + len(MISTRAL)}
    listener = parts.listener("voxtral_encoder") | {"encoder_ffn_dim": 128, "max_source_positions": 1500}
    config = t.VoxtralConfig(
        audio_config=listener,
        text_config=writer | {"eos_token_id": 2, "pad_token_id": 11},
        audio_token_id=MISTRAL.index("[AUDIO]"),
    )
    torch_alone.manual_seed(0)
    model = t.VoxtralForConditionalGeneration(config)
    model.generation_config = t.GenerationConfig(eos_token_id=2, pad_token_id=11)
    ears = t.WhisperFeatureExtractor(feature_size=16, sampling_rate=16_000)
    t.VoxtralProcessor(feature_extractor=ears, tokenizer=tokenizer).save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


CLASSES = {
    "voxtral": ("VoxtralForConditionalGeneration", None),
    "music_flamingo": ("MusicFlamingoForConditionalGeneration", 6.0),
    "glm_asr": ("GlmAsrForConditionalGeneration", 6.0),
    "qwen25_omni": ("Qwen2_5OmniThinkerForConditionalGeneration", 2.0),
    "qwen3_omni": ("Qwen3OmniMoeThinkerForConditionalGeneration", None),
    "phi4": ("Phi4MultimodalForCausalLM", None),
    "granite": ("GraniteSpeechForConditionalGeneration", None),
}
"""By fixture: the class that is loaded, and the longest clip, seconds. Qwen2-Audio and Audio Flamingo 3 are asked in
`test_transformers_local`."""


@pytest.mark.parametrize("name", CLASSES)
def test_each_class_hears_the_clip_alone_and_in_a_batch(request, local, noise, asking, at_once, seen, name):
    folder, (kind, longest_s) = request.getfixturevalue(name), CLASSES[name]
    model = local(folder, max_tokens=6)
    assert (model.card.rate, model.card.longest_s) == (16_000, longest_s)
    assert model.parameters["class"] == kind
    prompts = [asking(noise(n, 1.0 + 0.4 * n), "What is heard?", item=str(n)) for n in range(2)]
    together = at_once(model, [*prompts, asking("What is heard?", item="words")])
    assert all(1 <= getattr(reply, "tokens_out", 0) <= 6 for reply in together), together
    alone = at_once(local(folder, max_tokens=6), prompts[:1])[0]
    mine = features(seen[-1])
    assert alone.tokens_in == together[0].tokens_in > together[2].tokens_in
    other = at_once(local(folder, max_tokens=6), [asking(noise(7), "What is heard?")])[0]
    assert other.tokens_in == alone.tokens_in
    assert other.text != alone.text
    assert float((features(seen[-1]) - mine).abs().mean()) > 0.01


def features(tensors):
    """What a model is given of the only clip."""
    (found,) = (value for key, value in tensors.items() if key in {"input_features", "audio_input_features"})
    return found


@pytest.mark.parametrize(("name", "said"), [("granite", "beside the weights"), ("phi4", "speech-lora")])
def test_an_adapter_made_for_audio_rests_in_prompts_without_a_clip(
    request, local, noise, asking, at_once, monkeypatch, name, said
):
    from audiometry.models.transformers import adapters

    model = local(request.getfixturevalue(name))
    assert model.parameters["adapter"] == said
    prompts = [asking(noise(1), "What?", item="clip"), asking("What?", item="words")]
    clip, words = at_once(model, prompts)
    monkeypatch.setattr(adapters, "find", lambda *_: None)
    monkeypatch.setattr("transformers.modeling_utils.maybe_load_adapters", lambda name, _, **more: (None, name, more))
    bare_clip, bare_words = at_once(local(request.getfixturevalue(name)), prompts)
    assert words == bare_words
    assert clip.text != bare_clip.text


def test_a_model_that_says_it_has_an_adapter_and_has_none_is_refused(local, make_granite):
    with pytest.raises(UsageError) as problem:
        _ = local(make_granite(has_lora_adapter=True)).card
    assert "hears through an adapter, and adapter_config.json is not there" in str(problem.value)
    assert local(make_granite(has_lora_adapter=False)).card.rate == 16_000


LEFT_OUT = {
    **dict.fromkeys(("dots3_note", "gemma4", "inkling_mm_model", "muse_spark"), "sees too, of many parts; not tried"),
    "fun_asr_nano": "only transcribes",
    "gemma3n": "its eye is a model of timm's",
    "gemma4_unified": "as Gemma 4",
    "granite_speech_plus": "as Granite Speech",
    "kyutai_speech_to_text": "only transcribes, and has no chat template",
    "moss_transcribe_diarize": "only transcribes",
    "nemo_speechlm": "only transcribes",
    "qwen3_asr": "only transcribes",
    **dict.fromkeys(("seamless_m4t", "seamless_m4t_v2"), "only translates"),
    "vibevoice_asr": "only transcribes",
    "voxtral_realtime": "only transcribes, as it is spoken",
}
"""Architectures that hear and of which no tiny model is made here, and why."""


def test_architectures_that_hear_are_made_here_or_named(torch_alone):
    from transformers.models.auto import feature_extraction_auto, modeling_auto

    listed = set()
    for name in ("MULTIMODAL_LM", "IMAGE_TEXT_TO_TEXT", "SEQ_TO_SEQ_CAUSAL_LM"):
        listed |= set(getattr(modeling_auto, f"MODEL_FOR_{name}_MAPPING_NAMES"))
    made = {"qwen2_audio", "audioflamingo3", "musicflamingo", "glmasr", "phi4_multimodal", "granite_speech", "voxtral"}
    made |= {"qwen2_5_omni", "qwen2_5_omni_thinker", "qwen3_omni_moe", "qwen3_omni_moe_thinker"}
    hears = listed & set(feature_extraction_auto.FEATURE_EXTRACTOR_MAPPING_NAMES)
    assert hears - made <= set(LEFT_OUT)
