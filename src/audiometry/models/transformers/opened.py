"""A model's config, processor and decoding settings: all but its weights."""

from __future__ import annotations

import inspect
from typing import Any, Final

import msgspec

from audiometry.errors import UsageError, shown
from audiometry.models.identity import of_folder
from audiometry.models.settings import ModelSettings
from audiometry.models.transformers import adapters, decoding
from audiometry.models.transformers.adapters import Adapter
from audiometry.models.transformers.wanted import Wanted, adapter_alone

_GENERIC: Final = ("AutoModelForMultimodalLM", "AutoModelForImageTextToText", "AutoModelForSeq2SeqLM")
_LONGEST_REASON: Final = 200
_UNTOLD: Final = {
    *("transformers_version", "_from_model_config", "bos_token_id", "eos_token_id", "pad_token_id"),
    *("num_return_sequences", "return_dict_in_generate"),
}


class Opened(msgspec.Struct, frozen=True, eq=False):
    """What is known of a model before its weights are loaded.

    Attributes:
        wanted: what was asked for.
        auto: the auto class of transformers that loads it.
        config, processor, generation: transformers' objects; of a model of words alone the processor is its tokenizer.
        rate: samples a second that the processor takes, Hz; 0: it has no part for audio, words are all it takes.
        own: decoding settings of the model, before those of its user or of a request.
        identity: commit of a hub name, or fingerprint of a folder's weights.
        adapter: that it hears through; None: it has none.
    """

    wanted: Wanted
    auto: Any
    config: Any
    processor: Any
    generation: Any
    rate: int
    own: Any
    identity: str
    adapter: Adapter | None = None

    @property
    def tokenizer(self) -> Any:
        """Makes words of tokens."""
        return getattr(self.processor, "tokenizer", self.processor)

    def under(self, settings: ModelSettings) -> Opened:
        """The same model, decoding as these settings say.

        Raises:
            UsageError: settings contradict each other, or one would do nothing.
        """
        found = decoding.generation(self.wanted, self.own, self.tokenizer, settings)
        return msgspec.structs.replace(self, generation=found)

    @property
    def kind(self) -> str:
        """The class of the model."""
        named = self.auto._model_mapping[type(self.config)]  # noqa: SLF001  the mapping has no public name
        one = named[0] if isinstance(named, (list, tuple)) else named
        return str(one.__name__)

    def parameters(self, settings: ModelSettings) -> dict[str, Any]:
        """All that shapes replies besides the prompt."""
        import torch  # pyright: ignore[reportMissingImports]  # in an extra
        import transformers  # pyright: ignore[reportMissingImports]  # in an extra

        settled = {k: v for k, v in self.generation.to_diff_dict().items() if k not in _UNTOLD}
        given = settings.max_tokens is not None
        told: dict[str, Any] = {
            "class": self.kind,
            "weights": self.identity,
            "dtype": self.dtype,
            "decoding": settled,
            "max_new_tokens_from": "given"
            if given
            else "the model"
            if self.own.max_new_tokens is not None
            else "default",
            "transformers": str(transformers.__version__),
            "torch": str(torch.__version__),
        }
        if self.adapter is not None:
            told["adapter"] = self.adapter.folder or "beside the weights"
        return {**told, "seed": settings.seed} if self.samples else told

    @property
    def dtype(self) -> str:
        """Of the weights, by name; ``as stored`` if only they know it."""
        if self.wanted.dtype != "auto":
            return self.wanted.dtype
        stored = getattr(self.config, "dtype", None) or getattr(self.config.get_text_config(), "dtype", None)
        return str(stored).removeprefix("torch.") if stored else "as stored"

    @property
    def samples(self) -> bool:
        """Whether replies are drawn at random."""
        return bool(self.generation.do_sample)


def open_model(wanted: Wanted, settings: ModelSettings) -> Opened:
    """Read everything but the weights; from the hub's cache where it is there, else from the hub.

    Raises:
        UsageError: there is no such model, it does not answer in words, or a part of it is missing.
    """
    transformers = _transformers(wanted)
    transformers.utils.logging.disable_progress_bar()
    where = {"revision": wanted.revision} if wanted.revision else {}
    whole = _config(wanted, where)
    # models that also speak are made of a part that writes and one that reads it aloud: only the first is loaded
    config = getattr(whole, "thinker_config", whole)
    config.dtype = config.dtype or whole.dtype
    auto = _auto_class(wanted, config)
    words_alone = auto is transformers.AutoModelForCausalLM
    adapter = adapters.find(wanted, where, config)
    processor = _processor(wanted, where, transformers.AutoTokenizer if words_alone else transformers.AutoProcessor)
    rate = 0 if words_alone else _rate(wanted, processor)
    tokenizer = getattr(processor, "tokenizer", processor)
    _share_template(processor, tokenizer)
    processor = processor if rate else tokenizer
    _see_template(wanted, processor)
    # replies begin at one place in all rows of a batch only if the padding stands before the words
    tokenizer.padding_side = "left"
    own = decoding.of_model(wanted, where, config)
    generation = decoding.generation(wanted, own, tokenizer, settings)
    if wanted.local:
        identity = of_folder(wanted.source, *([adapter.folder] if adapter and adapter.folder else []))
    else:
        identity = str(getattr(whole, "_commit_hash", None) or "unknown")
    return Opened(wanted, auto, config, processor, generation, rate, own, identity, adapter)


def _transformers(wanted: Wanted) -> Any:
    """The library, its parts that read models imported; they import torchvision where it is installed.

    Raises:
        UsageError: what is installed does not fit together.
    """
    try:
        import transformers  # pyright: ignore[reportMissingImports]  # in an extra

        _ = transformers.AutoConfig, transformers.AutoProcessor, transformers.AutoModelForCausalLM
    except (ImportError, RuntimeError) as problem:
        why = _reason(problem.__cause__ if isinstance(problem.__cause__, Exception) else problem)
        raise UsageError(
            f"model '{wanted.name}': transformers cannot be used as it is installed here ({why}); see that torch, "
            "torchvision and torchaudio are of one release"
        ) from problem
    return transformers


def _processor(wanted: Wanted, where: dict[str, str], auto: Any) -> Any:
    what = auto.__name__.removeprefix("Auto").lower()
    try:
        return auto.from_pretrained(wanted.source, **where)
    except (OSError, ValueError, TypeError, ImportError, AttributeError) as problem:
        raise UsageError(f"model '{wanted.name}': its {what} cannot be loaded: {_reason(problem)}") from problem


def _share_template(processor: Any, tokenizer: Any) -> None:
    """Let each have the other's chat template where only one has it: some processors drop it when they are loaded."""
    ours, theirs = (getattr(one, "chat_template", None) for one in (processor, tokenizer))
    if ours is None and theirs is not None:
        processor.chat_template = theirs
    elif theirs is None and ours is not None:
        tokenizer.chat_template = ours


def _config(wanted: Wanted, where: dict[str, str]) -> Any:
    import transformers  # pyright: ignore[reportMissingImports]  # in an extra

    try:
        return transformers.AutoConfig.from_pretrained(wanted.source, **where)
    except OSError as problem:
        causes = _causes(problem)
        if wanted.local:
            why = f"its config.json cannot be read: {_reason(problem)}"
        elif any(cause.endswith("EntryNotFoundError") for cause in causes) and adapters.is_there(wanted, where):
            raise UsageError(adapter_alone(wanted.name)) from problem
        elif {"RepositoryNotFoundError", "GatedRepoError"} & causes:
            why = "the hub has no such model, or it asks for consent: see its page, and set HF_TOKEN"
        elif {"LocalEntryNotFoundError", "OfflineModeIsEnabled"} & causes:
            why = "it is not in the local cache and the hub cannot be reached; give a folder, or try again online"
        else:
            why = _reason(problem)
        raise UsageError(f"model '{wanted.name}': {why}") from problem
    except (ValueError, KeyError) as problem:
        if "trust_remote_code" in str(problem):
            why = "it brings program code of its own, which is not run here; use it through exec/… or vllm/…"
        else:
            why = f"transformers {transformers.__version__} does not know its architecture: {_reason(problem)}"
        raise UsageError(f"model '{wanted.name}': {why}") from problem


def _auto_class(wanted: Wanted, config: Any) -> Any:
    """The generic class that transformers' own mappings name for the architecture; that of text models last.

    Raises:
        UsageError: they name none, so that it is not a model that answers in words.
    """
    import transformers  # pyright: ignore[reportMissingImports]  # in an extra

    for name in _GENERIC:
        auto = getattr(transformers, name, None)
        if auto is None or (config.is_encoder_decoder and name == "AutoModelForSeq2SeqLM"):
            continue  # translators and recognisers, not the models with ears that are listed among them
        if type(config) in auto._model_mapping:  # noqa: SLF001  the mapping has no public name
            return auto
    kind = shown(str(config.model_type))
    if type(config) in transformers.AutoModelForSpeechSeq2Seq._model_mapping:  # noqa: SLF001  as above
        raise UsageError(
            f"model '{wanted.name}' is no audio-text-to-text model: {kind} only transcribes; it takes no question "
            "(try cascade/whisper-…)"
        )
    if type(config) in transformers.AutoModelForCausalLM._model_mapping:  # noqa: SLF001  as above
        return transformers.AutoModelForCausalLM
    raise UsageError(
        f"model '{wanted.name}' is no audio-text-to-text model: transformers {transformers.__version__} lists {kind} "
        "under none of its generic classes for them"
    )


def ear(processor: Any) -> Any:
    """The part of a processor that takes audio, or None."""
    return getattr(processor, "feature_extractor", None) or getattr(processor, "audio_processor", None)


def _rate(wanted: Wanted, processor: Any) -> int:
    """The rate at which a processor takes audio; 0 if it has no part for it, as those that only see."""
    listens = ear(processor)
    if listens is None:
        return 0
    rate = getattr(listens, "sampling_rate", None)
    if not isinstance(rate, int) or rate < 1 or getattr(processor, "tokenizer", None) is None:
        raise UsageError(
            f"model '{wanted.name}': its {type(listens).__name__} does not say at which rate it takes audio"
        )
    return rate


def _see_template(wanted: Wanted, processor: Any) -> None:
    """Raise unless prompts can be put into the model's words."""
    from transformers import (  # pyright: ignore[reportMissingImports]  # in an extra
        PreTrainedTokenizerBase,
        ProcessorMixin,
    )

    usual = (ProcessorMixin.apply_chat_template, PreTrainedTokenizerBase.apply_chat_template)
    if (
        getattr(type(processor), "apply_chat_template", None) in usual
        and getattr(processor, "chat_template", None) is None
    ):
        raise UsageError(
            f"model '{wanted.name}' has no chat template, so nobody knows how it wants to be asked; take its "
            "instruction-tuned version, or put a chat_template.jinja into its folder"
        )


def takes(function: Any, keyword: str) -> bool:
    """Whether a function has that keyword by name."""
    return keyword in inspect.signature(function).parameters


def _causes(problem: BaseException | None) -> set[str]:
    found: set[str] = set()
    while problem is not None:
        found.add(type(problem).__name__)
        problem = problem.__cause__ or problem.__context__
    return found


def _reason(problem: Exception) -> str:
    return shown(str(problem), _LONGEST_REASON) or type(problem).__name__
