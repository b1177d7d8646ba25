"""What each provider refuses, and in which words: ``--provider openai`` and so on.

The shapes are those of public reports (see `audiometry.models.chat_completions.blocked` and the tests of
``chat_strict``): OpenAI's ``unsupported_value``, ``unsupported_parameter``, ``unknown_parameter``, ``invalid_value``,
``invalid_prompt`` and ``model_not_found``; Gemini's compatibility address with its list of one error, ``choices: null``
and ``content_filter: PROHIBITED_CONTENT``; vLLM's ``extra_forbidden`` and Voxtral's rule on system turns; DashScope's
``data_inspection_failed``, its prefix and its models that only stream; OpenRouter's moderation.
"""

import json
from typing import Any

from chat_request import Asked, BadRequestError

Refusal = tuple[int, Any]
FLAGGED = "flagged words"  # in a question: the provider's filter blocks it
BLOCKED_REPLY = "blocked reply"  # in a question: its filter stops the reply

COMMON = {
    "model", "messages", "stream", "stream_options", "temperature", "top_p", "max_tokens", "max_completion_tokens", "n",
    "stop", "seed", "modalities", "audio", "reasoning_effort", "frequency_penalty", "presence_penalty",
    "response_format",
}  # fmt: skip
TAKES = {
    "openai": COMMON,
    "google": COMMON - {"seed", "frequency_penalty", "presence_penalty"},
    # ChatCompletionRequest, vllm/entrypoints/openai/protocol.py
    "vllm": COMMON
    | {
        "top_k",
        "min_p",
        "min_tokens",
        "repetition_penalty",
        "length_penalty",
        "chat_template_kwargs",
    },
    "dashscope": COMMON | {"enable_thinking"},
    "openrouter": COMMON | {"provider", "reasoning", "top_k"},
}
REASONING = ("o1", "o3", "o4", "gpt-5", "gpt-6")
ENDED = ("gpt-4o-audio-preview-2024-12-17",)
STREAMED = ("qwen-omni", "qwen2.5-omni", "qwen3-omni", "qwen3.5-omni")


def refusal(provider: str, raw: bytes, asked: Asked, largest: int) -> Refusal | None:
    """Status and body with which the provider refuses that request; None if it takes it."""
    unknown = sorted(set(json.loads(raw)) - TAKES[provider])
    if len(raw) > largest:
        return too_large(provider, largest)
    return RULES[provider](asked, unknown[0] if unknown else "")


def prefixed(raw: bytes) -> bytes:
    """A body for DashScope without the prefix before its base64; `BadRequestError` if it is missing somewhere."""
    count = raw.count(b'"input_audio":{"data":')
    stripped = raw.replace(b'"data":"data:;base64,', b'"data":"')
    if len(raw) - len(stripped) != count * len(b"data:;base64,"):
        raise BadRequestError("The provided URL does not appear to be valid. Ensure it is correctly formatted.")
    return stripped


def too_large(provider: str, largest: int) -> Refusal:
    if provider == "google":
        return google(f"Request payload size exceeds the limit: {largest} bytes.")
    return 413, {"error": {"message": "Request body too large.", "type": "invalid_request_error", "code": None}}


def openai_error(message: str, code: str | None, param: str | None, status: int = 400) -> Refusal:
    return status, {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def openai(asked: Asked, unknown: str) -> Refusal | None:
    if asked.model.startswith(ENDED):
        told = f"The model `{asked.model}` has been deprecated, learn more here: https://platform.example/deprecations"
        return openai_error(told, "model_not_found", None, 404)
    if unknown:
        return openai_error(f"Unknown parameter: '{unknown}'.", "unknown_parameter", unknown)
    if asked.model.startswith(REASONING) and (wrong := reasoning(asked.parameters)):
        return wrong
    for number, clip in enumerate(asked.clips):
        if clip.format not in {"wav", "mp3"}:
            told = f"Invalid value: '{clip.format}'. Supported values are: 'wav' and 'mp3'."
            return openai_error(told, "invalid_value", f"messages[0].content[{number}].input_audio.format")
    if "audio" in asked.model and not asked.clips:
        told = "This model requires that either input content or output modality contain audio."
        return openai_error(told, "invalid_value", "model")
    told = "Invalid prompt: your prompt was flagged as potentially violating our usage policy."
    return openai_error(told, "invalid_prompt", None) if FLAGGED in asked.text else None


def reasoning(stated: dict[str, Any]) -> Refusal | None:
    if "max_tokens" in stated:
        told = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        return openai_error(told, "unsupported_parameter", "max_tokens")
    if stated.get("temperature", 1) != 1 and stated.get("reasoning_effort") != "none":
        told = (
            f"Unsupported value: 'temperature' does not support {stated['temperature']} with this model. "
            "Only the default (1) value is supported."
        )
        return openai_error(told, "unsupported_value", "temperature")
    return None


def google(message: str) -> Refusal:
    violation = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [{"description": message}]}
    return 400, [{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT", "details": [violation]}}]


def gemini(asked: Asked, unknown: str) -> Refusal | None:
    if unknown:
        return google(f'Invalid JSON payload received. Unknown name "{unknown}": Cannot find field.')
    head = {"object": "chat.completion", "model": asked.model, "usage": {"prompt_tokens": 31, "completion_tokens": 0}}
    if FLAGGED in asked.text:
        return 200, head | {"choices": None}
    if BLOCKED_REPLY in asked.text:
        return 200, head | {"choices": [{"index": 0, "finish_reason": "content_filter: PROHIBITED_CONTENT"}]}
    return None


def vllm_error(message: str) -> Refusal:
    return 400, {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400}


def vllm(asked: Asked, unknown: str) -> Refusal | None:
    if unknown:
        return vllm_error(
            f"[{{'type': 'extra_forbidden', 'loc': ('body', '{unknown}'), 'msg': 'Extra inputs are not permitted', "
            f"'input': {asked.parameters[unknown]!r}}}]"
        )
    if len(asked.clips) > 1:
        return vllm_error("At most 1 audio(s) may be provided in one prompt.")
    if "Voxtral" in asked.model and asked.clips and any(part.startswith("system:") for part in asked.parts):
        return vllm_error(
            "Found system messages at indexes [0] and audio chunks in messages at indexes [1]. "
            "This is not allowed prior to the tokenizer version 13."
        )
    if "audio-first" in asked.model and asked.parts.index("user:text") < asked.parts.index("user:input_audio"):
        return vllm_error("Expected the audio before the text in a user message.")
    return None


def dashscope(asked: Asked, unknown: str) -> Refusal | None:
    request = {"id": "chatcmpl-1", "request_id": "1"}
    if not asked.stream and asked.model.startswith(STREAMED):
        told = "This model only support stream mode, please enable the stream parameter to access the model. "
        error = {"code": "invalid_parameter_error", "param": None, "message": told, "type": "invalid_request_error"}
        return 400, {"error": error} | request
    if unknown:
        told = {"message": f"Unrecognized request argument supplied: {unknown}", "type": "invalid_request_error"}
        return 400, {"error": told | {"param": None, "code": None}} | request
    if FLAGGED in asked.text:
        told = {"message": "Input data may contain inappropriate content.", "type": "data_inspection_failed"}
        return 400, {"error": told | {"param": None, "code": "data_inspection_failed"}} | request
    return None


def openrouter(asked: Asked, unknown: str) -> Refusal | None:
    if unknown:
        return 400, {"error": {"message": f"Unrecognized key: '{unknown}'", "code": 400}, "user_id": "u"}
    metadata = {
        "reasons": ["harassment"],
        "flagged_input": "What makes…",
        "provider_name": "OpenAI",
        "model_slug": "a/b",
    }
    error = {"code": 403, "message": "Input was flagged", "metadata": metadata}
    if FLAGGED in asked.text:
        return 403, {"error": error}
    if BLOCKED_REPLY in asked.text:
        return 200, {"error": error | {"message": "Content flagged by moderation"}}
    return None


RULES = {"openai": openai, "google": gemini, "vllm": vllm, "dashscope": dashscope, "openrouter": openrouter}
