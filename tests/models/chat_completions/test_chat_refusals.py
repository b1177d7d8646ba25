"""What providers say when they refuse: an item that is blocked, a field that is not taken, or something else."""

import json

import pytest

from audiometry.errors import ModelError
from audiometry.models.chat_completions import blocked
from audiometry.models.chat_completions import reply as chat_reply
from audiometry.models.chat_completions.fields import refused_field
from audiometry.records import Chunk

OPENAI = "Invalid prompt: your prompt was flagged as potentially violating our usage policy."
AZURE = {
    "message": "The response was filtered due to the prompt triggering the content management policy.",
    "param": "prompt",
    "code": "content_filter",
    "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"hate": {"filtered": True}}},
}
DASHSCOPE = "<400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content."
BLOCKED = [
    (400, {"error": {"message": OPENAI, "type": "invalid_request_error", "param": None, "code": "invalid_prompt"}}),
    (400, {"error": AZURE}),
    (400, {"error": {"message": "No.", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
    (400, {"error": {"message": "No.", "code": "data_inspection_failed", "type": "data_inspection_failed"}}),
    (400, {"message": DASHSCOPE}),
    (400, {"error": DASHSCOPE}),
    (400, [{"error": {"message": "Blocked by a safety filter.", "code": 400}}]),
    (403, {"error": {"code": 403, "message": "Input was flagged"}}),
    (403, {"error": {"code": 403, "message": "No.", "metadata": {"reasons": ["violence"], "flagged_input": "…"}}}),
    (403, {"error": {"code": 403, "message": "No.", "metadata": {"error_type": "content_policy_violation"}}}),
    (400, {"error": {"message": "No.", "metadata": {"flagged_input": "…"}}}),
    (422, {"detail": "x", "error": {"type": "content_filter"}}),
    (500, {"error": {"message": "flagged", "code": "content_filter"}}),
    (429, {"error": {"message": "flagged", "code": "content_filter"}}),
    (451, {"error": {"message": "The moderation of this provider refused the prompt."}}),
]
NOT_BLOCKED = [
    (403, {"error": {"message": "You may not use this model.", "code": "permission_denied"}}),
    (403, {"error": {"message": "Your account was flagged for a violation of our usage policies."}}),
    (403, {"error": {"message": "This organization is blocked by moderation."}}),
    (401, {"error": {"message": "Your access was terminated: usage policy.", "code": "content_filter"}}),
    (404, {"error": {"message": "flagged", "code": "content_filter"}}),
    (400, {"error": {"message": "No.", "metadata": {"reasons": ["violence"]}}}),
    (
        403,
        {"error": {"message": "You do not have access to model omni-moderation-latest", "type": "x"}},
    ),
    (403, {"error": {"message": "This model is not available in your region under our usage policies."}}),
    (403, {"error": {"message": "Your request was flagged as coming from an unsupported country", "code": "x"}}),
    (403, {"error": {"message": "Access denied. See https://x/content-policy", "type": "access_denied"}}),
    (403, {"error": {"message": "Your key has been flagged; contact support", "code": 403}}),
    (403, {"error": {"message": "Your organization has been flagged", "code": "content_policy_violation"}}),
    (403, {"error": {"message": "Not for you", "code": "content_policy_violation"}}),
    (403, {"error": {"message": "Key may not use this model", "code": 403, "metadata": {"reasons": ["key_scope"]}}}),
    (403, {"error": {"message": "user suspended: repeated violations of usage policy", "code": 403}}),
    (403, {"message": "Consumer is flagged"}),
    (403, {"error": "blocked by content filter: category AI/ML not permitted on this network"}),
    (400, {"error": "blocked by content filter: category AI/ML not permitted on this network"}),
    (400, {"error": {"message": "Content policy: you must accept the usage policy before using this model"}}),
    (403, {"error": {"message": "The model x requires a moderation-approved plan", "type": "PermissionDenied"}}),
    (403, {"error": {"message": "Token flagged as leaked; rotate it", "code": "key_flagged"}}),
    (400, {"error": {"message": "Your key has been flagged by our content filter", "code": "content_filter"}}),
    (400, {"error": {"message": "Not yet approved", "type": "moderation_pending"}}),
    (500, {"error": {"message": "The content was flagged"}}),
    (503, {"error": {"message": "The filter timed out", "code": "content_filter"}}),
    (500, {"error": {"message": "No.", "code": "content_filter_error"}}),
    (429, {"error": {"message": "The content was flagged too often: slow down", "code": "rate_limited"}}),
    (400, {"error": {"message": "Invalid value: 'ogg'.", "param": "messages[0].content[0]", "code": "invalid_value"}}),
    (400, {"error": {"message": "too long", "metadata": {"raw": "x", "reasons": []}}}),
    (403, "flagged"),
    (403, None),
]


@pytest.mark.parametrize(("status", "body"), BLOCKED)
def test_a_blocked_item_is_a_reply_that_a_filter_ended(status, body):
    reply = chat_reply.refusal(status, json.dumps(body).encode())
    assert (reply.text, reply.finish_reason) == ("", "content_filter")
    assert reply.notes.startswith("blocked by the provider: ")


@pytest.mark.parametrize(("status", "body"), NOT_BLOCKED)
def test_what_is_said_of_who_asks_or_of_the_request_is_none(status, body):
    assert chat_reply.refusal(status, json.dumps(body).encode()) is None


def test_a_field_called_like_a_filter_blocks_no_item():
    raw = b'{"error": {"message": "Unknown parameter: \'moderation\'.", "param": "moderation"}}'
    assert chat_reply.refusal(400, raw) is None
    assert chat_reply.failure(400, raw, None, "host", ["moderation"]).fatal


def test_a_filters_code_counts_before_any_field():
    told = "Invalid prompt flagged: unknown reason. Unknown parameter: 'temperature'."
    raw = json.dumps({"error": {"message": told, "code": "content_filter"}}).encode()
    assert chat_reply.refusal(400, raw).finish_reason == "content_filter"


def test_no_json_is_no_refusal():
    assert chat_reply.refusal(403, b"<html>flagged by moderation</html>") is None
    assert chat_reply.refusal(403, b"[]") is None


@pytest.mark.parametrize(
    ("document", "blocked"),
    [
        ({"choices": None}, True),
        ({"choices": None, "error": None}, True),
        ({"choices": None, "error": {"message": "dead"}}, False),
        ({"choices": []}, False),
        ({}, False),
    ],
)
def test_choices_that_are_null_are_of_a_blocked_prompt(document, blocked):
    raw = json.dumps(document).encode()
    if blocked:
        assert chat_reply.read(raw, "host").finish_reason == "content_filter"
        assert chat_reply.read_event(raw, "host").silent
        return
    with pytest.raises(ModelError):
        chat_reply.read(raw, "host")


@pytest.mark.parametrize("feedback", ["promptFeedback", "prompt_feedback"])
@pytest.mark.parametrize("key", ["blockReason", "block_reason"])
def test_a_prompt_that_gemini_blocked(feedback, key):
    raw = json.dumps({feedback: {key: "PROHIBITED_CONTENT"}, "usage": {"prompt_tokens": 9}}).encode()
    reply = chat_reply.read(raw, "host")
    assert (reply.text, reply.finish_reason, reply.tokens_in) == ("", "content_filter", 9)


@pytest.mark.parametrize(
    ("reason", "said", "note"),
    [
        ("content_filter", "content_filter", ""),
        ("content_filter: RECITATION", "content_filter", "blocked by the provider: content_filter: RECITATION"),
        ("SAFETY", "content_filter", "blocked by the provider: SAFETY"),
        ("PROHIBITED_CONTENT", "content_filter", "blocked by the provider: PROHIBITED_CONTENT"),
        ("sensitive", "content_filter", "blocked by the provider: sensitive"),
        ("FinishReason.SAFETY", "content_filter", "blocked by the provider: FinishReason.SAFETY"),
        ("IMAGE_PROHIBITED_CONTENT", "content_filter", "blocked by the provider: IMAGE_PROHIBITED_CONTENT"),
        ("OTHER", "OTHER", ""),
        ("stop", "stop", ""),
        ("MAX_TOKENS", "MAX_TOKENS", ""),
        (["SAFETY"], None, ""),
    ],
)
def test_why_a_reply_ended_in_the_words_of_the_format(reason, said, note):
    raw = json.dumps({"choices": [{"finish_reason": reason, "message": {"content": "Hm"}}]}).encode()
    reply = chat_reply.read(raw, "host")
    assert (reply.text, reply.finish_reason, reply.notes) == ("Hm", said, note)
    event = chat_reply.read_event(raw, "host")
    assert (event.chunk.text, event.chunk.finish_reason, event.chunk.notes) == ("Hm", said, note)


def test_a_filter_in_the_middle_of_a_stream():
    event = chat_reply.read_event(json.dumps({"error": AZURE}).encode(), "host")
    assert event.last
    assert event.chunk == Chunk(finish_reason="content_filter", notes=f"blocked by the provider: {AZURE['message']}")


def test_errors_inside_errors_are_looked_into_to_a_bound():
    deep = {"code": "content_filter"}
    for _ in range(1000):
        deep = {"inner": deep}
    assert not blocked.by_error(deep)


@pytest.mark.parametrize(
    ("error", "stopped"),
    [
        ({"code": 403, "message": "No.", "metadata": {"reasons": ["x"], "flagged_input": "…"}}, True),
        ({"code": 403, "message": "Input was flagged"}, True),
        ({"code": "content_filter", "message": "blocked"}, True),
        ({"code": 403, "message": "Key may not use this model", "metadata": {"reasons": ["key_scope"]}}, False),
        ({"code": 403, "message": "Content policy: not for this tier"}, False),
    ],
)
def test_an_error_inside_a_reply_is_believed_as_its_own_status_would_be(error, stopped):
    raw = json.dumps({"error": error}).encode()
    for read in (chat_reply.read, chat_reply.read_event):
        if stopped:
            reply = read(raw, "host")
            assert getattr(reply, "chunk", reply).finish_reason == "content_filter"
        else:
            with pytest.raises(ModelError):
                read(raw, "host")


SENT = ["temperature", "max_tokens", "top_k", "seed", "stop", "stream"]
UNKNOWN = 'Invalid JSON payload received. Unknown name "top_k": Cannot find field.'
FORBIDDEN = (
    "[{'type': 'extra_forbidden', 'loc': ('body', 'top_k'), 'msg': 'Extra inputs are not permitted', 'input': 1}]"
)


@pytest.mark.parametrize(
    ("status", "body", "field"),
    [
        (400, {"error": {"message": "Unknown parameter: 'top_k'.", "param": "top_k"}}, "top_k"),
        (400, {"error": {"message": "Not supported with this model.", "param": "seed"}}, "seed"),
        (400, {"error": {"message": "Unrecognized request argument supplied: top_k"}}, "top_k"),
        (400, [{"error": {"message": UNKNOWN, "status": "INVALID_ARGUMENT"}}], "top_k"),
        (400, {"object": "error", "message": FORBIDDEN}, "top_k"),
        (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "top_k"], "input": 1}]}, "top_k"),
        (400, {"error": {"message": "'stream' does not support true with this model."}}, "stream"),
        (400, {"error": {"message": "This model does not support the 'temperature' parameter."}}, "temperature"),
        (400, {"error": {"message": "`top_k` is deprecated for this model."}}, "top_k"),
        (400, {"error": {"message": "temperature: Extra inputs are not permitted"}}, "temperature"),
        (400, {"error": "Argument not supported on this model: stop"}, "stop"),
        (422, {"message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "top_k"]}]}}, "top_k"),
        (422, {"detail": "Unsupported value: 'temperature' does not support 0 with this model."}, "temperature"),
        (400, {"error": {"message": "Unknown parameter: 'other'."}}, ""),
        (422, {"message": "[{'type':'value_error','msg':'clip format not supported','input':{'temperature':0}}]"}, ""),
        (422, {"detail": [{"msg": "format not supported", "loc": ["body", "messages"], "input": {"seed": 1}}]}, ""),
        (400, {"error": {"message": "Unknown error: stop the clip, it is corrupt"}}, ""),
        (400, {"error": {"message": "Audio not read (unsupported codec). Input: What is 'temperature'?"}}, ""),
        (400, {"error": {"message": "Unknown reason. The request was {'temperature': 0.0, 'top_k': 1}"}}, ""),
        (400, {"error": {"message": "Codec not supported", "input": {"param": "seed"}}}, ""),
        (400, {"error": {"message": "'max_tokens' is too large: 4096 and your prompt has 2000 tokens."}}, ""),
        (400, {"error": {"message": "The format of the audio is not supported."}}, ""),
        (404, {"error": {"message": "Unknown parameter: 'top_k'."}}, ""),
        (500, {"error": {"message": "Unknown parameter: 'top_k'."}}, ""),
    ],
)
def test_a_field_that_a_server_does_not_take(status, body, field):
    raw = json.dumps(body).encode()
    assert refused_field(status, raw, SENT).name == field
    error = chat_reply.failure(status, raw, None, "host", SENT)
    assert (error.kind == "field-refused", error.kind == "field-refused" and error.fatal) == (bool(field), bool(field))
