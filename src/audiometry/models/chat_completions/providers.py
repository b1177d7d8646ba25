"""Whose chat-completions servers are known by name."""

from __future__ import annotations

import msgspec


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """Where a provider's server is, in which environment variables its key and address stand, and a model there."""

    base_url: str
    key_names: tuple[str, ...]
    url_name: str
    key_needed: bool
    example: str


KNOWN = {
    "openai": Provider(
        base_url="https://api.openai.com/v1",
        key_names=("OPENAI_API_KEY",),
        url_name="OPENAI_BASE_URL",
        key_needed=True,
        example="gpt-audio-1.5",
    ),
    "google": Provider(
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_names=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        url_name="GOOGLE_BASE_URL",
        key_needed=True,
        example="gemini-3.8-flash",
    ),
    "vllm": Provider(
        base_url="http://localhost:8000/v1",
        key_names=("VLLM_API_KEY",),
        url_name="VLLM_BASE_URL",
        key_needed=False,
        example="Qwen/Qwen2-Audio-7B-Instruct",
    ),
    "openrouter": Provider(
        base_url="https://openrouter.ai/api/v1",
        key_names=("OPENROUTER_API_KEY",),
        url_name="OPENROUTER_BASE_URL",
        key_needed=True,
        example="google/gemini-3.8-flash",
    ),
}
