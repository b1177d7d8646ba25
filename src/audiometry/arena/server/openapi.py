"""The arena's routes described for machines (OpenAPI 3.1), from the same structs that they take and give."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from audiometry.arena.server import wire
from audiometry.arena.server.settings import Settings
from audiometry.web.app import Problem

_POSTS: Final[dict[str, tuple[type[Any], type[Any], str, tuple[int, ...]]]] = {
    "/state": (wire.Nothing, wire.State, "Where a voter is", ()),
    "/consent": (wire.Agreed, wire.Nothing, "Agree to the present text", ()),
    "/battle": (wire.Asked, wire.Battle, "Begin a battle, or find the one with this query again", (403, 404, 409)),
    "/vote": (wire.Said, wire.Battle, "Vote, or change the vote until the reveal", (404, 409)),
    "/reveal": (wire.Which, wire.Revealed, "Close the vote and say who the two were", (403, 404, 409)),
    "/code": (wire.Nothing, wire.Code, "The personal code by which a voter's data are deleted", ()),
    "/delete": (wire.Code, wire.Deleted, "Remove what the person with a code said", (404,)),
}
_ALWAYS: Final = (400, 403, 413, 429, 503)


def described(settings: Settings) -> bytes:
    """The description, as JSON."""
    kinds = [Problem, wire.Recorded, wire.Health, *(kind for one in _POSTS.values() for kind in one[:2])]
    _, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    paths: dict[str, Any] = {
        path: {
            "post": {
                "summary": about,
                "requestBody": {"required": takes is not wire.Nothing, "content": _json(takes)},
                "responses": _responses(gives, others),
            }
        }
        for path, (takes, gives, about, others) in _POSTS.items()
    }
    sound = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
    paths["/recording"] = {
        "post": {
            "summary": "Send a recording: WebM, Ogg, MP4, WAV, FLAC or MP3; its type is not believed",
            "parameters": [
                {
                    "name": "x-audiometry-heard",
                    "in": "header",
                    "description": "JSON: what the browser did to the sound",
                    "schema": {"type": "string"},
                }
            ],
            "requestBody": {"required": True, **sound},
            "responses": _responses(wire.Recorded, ()),
        }
    }
    paths["/audio/{recording}"] = _get("recording", "One's own recording; ranges are answered", 206)
    lines = "application/x-ndjson" if settings.asking.steps else "application/json"
    paths["/battle/{battle}/wait"] = _get("battle", "A battle, once both replies are complete", 200)
    paths["/battle/{battle}/wait"]["get"]["responses"]["200"] = {"description": "it", "content": {lines: {}}}
    paths["/health"] = {"get": {"responses": _responses(wire.Health, ())}}
    paths["/metrics"] = {
        "get": {"responses": {"200": {"description": "Prometheus text", "content": {"text/plain": {}}}}}
    }
    page = {"get": {"responses": {"200": {"description": "a page", "content": {"text/html": {}}}}}}
    paths["/"] = page
    paths["/board"] = {**page, "post": {"responses": _responses(None, ())}}
    about = {"title": "audiometry arena", "version": "1"}
    return msgspec.json.encode(
        {"openapi": "3.1.0", "info": about, "paths": paths, "components": {"schemas": components}}
    )


def _json(kind: type[Any] | None) -> dict[str, Any]:
    schema = {} if kind is None else {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {"application/json": {"schema": schema}}


def _responses(gives: type[Any] | None, others: tuple[int, ...]) -> dict[str, Any]:
    refused = {str(status): {"description": "refused", "content": _json(Problem)} for status in {*_ALWAYS, *others}}
    return {"200": {"description": "done", "content": _json(gives)}, **refused}


def _get(name: str, about: str, status: int) -> dict[str, Any]:
    found = {str(one): {"description": "it"} for one in {200, status}}
    parameter = {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
    refused = {key: value for key, value in _responses(None, (404,)).items() if key != "200"}
    return {"get": {"summary": about, "parameters": [parameter], "responses": {**found, **refused}}}
