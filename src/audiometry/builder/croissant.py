"""Croissant metadata of a built benchmark: JSON-LD that catalogues of data sets read, with its responsible-AI fields.

Only what the spec and the build know is stated; nothing is made up for a field that asks for more.

Source: MLCommons, Croissant Format Specification 1.1 (2026) and Croissant RAI Specification 1.0 (2024).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from audiometry.builder.audio_files import FOLDER
from audiometry.builder.spec import Spec
from audiometry.errors import counted
from audiometry.files.benchmark_folder import METADATA
from audiometry.files.build_folder import Blind, BuildInfo
from audiometry.records import Item

FILE: Final = "croissant.json"
VERSION: Final = "http://mlcommons.org/croissant/1.1"
_CR: Final = (
    "citeAs column conformsTo=dct:conformsTo data=json dataType=vocab equivalentProperty examples=json extract field "
    "fileProperty fileObject fileSet format includes isLiveDataset jsonPath key md5 parentField path recordSet "
    "references regex repeated replace samplingRate separator source subField transform"
)
_SHOWN: Final = {"json": {"@type": "@json"}, "vocab": {"@type": "@vocab"}}
_FORMS: Final = {
    "wav": "audio/wav",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "mp3": "audio/mpeg",
    "aiff": "audio/aiff",
}
_FIELDS: Final = {
    "id": "Unique in the benchmark.",
    "task": "The task it is scored under.",
    "question": "As a person would put it, without options.",
    "options": "The candidate answers, in their order.",
    "answer": "The right option, or the reference answer.",
    "file_name": "Its clip, below this file's folder.",
    "sha256": "Of the clip's file.",
    "licence": "Of the clip.",
    "group": "Items of one group are not independent.",
}


def document(spec: Spec, info: BuildInfo, metadata_sha256: str, items: Sequence[Item]) -> bytes:
    """The JSON-LD document.

    Args:
        spec: what was built.
        info: what was made of it.
        metadata_sha256: hash of the benchmark's metadata file.
        items: of the benchmark.
    """
    about, forms = spec.benchmark, {one.file_name.rpartition(".")[2] for one in items}
    whole = {
        "@context": _context(),
        "@type": "sc:Dataset",
        "name": about.name,
        "description": about.title or _made(info),
        "conformsTo": VERSION,
        "license": list(dict.fromkeys(filter(None, [about.licence, *(one.licence for one in info.sources)]))),
        "url": about.homepage,
        "version": about.version,
        "citeAs": about.citation,
        "inLanguage": spec.language,
        "isLiveDataset": False,
        "isBasedOn": [one.revision for one in info.sources if one.revision],
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": METADATA,
                "name": METADATA,
                "contentUrl": METADATA,
                "encodingFormat": "application/jsonlines",
                "sha256": metadata_sha256,
            },
            {
                "@type": "cr:FileSet",
                "@id": FOLDER,
                "name": FOLDER,
                "includes": f"{FOLDER}/*",
                "encodingFormat": sorted({_FORMS.get(form, "audio/*") for form in forms}),
            },
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "items",
                "name": "items",
                "key": {"@id": "items/id"},
                "field": _fields(items),
            }
        ],
        **_responsible(spec, info),
    }
    return msgspec.json.format(
        msgspec.json.encode({key: one for key, one in whole.items() if one not in ("", [])}), indent=2
    )


def _context() -> dict[str, Any]:
    found: dict[str, Any] = {"@language": "en", "@vocab": "https://schema.org/"}
    prefixes = {
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "dct": "http://purl.org/dc/terms/",
        "sc": "https://schema.org/",
    }
    for word in _CR.split():
        name, _, how = word.partition("=")
        found[name] = {"@id": f"cr:{name}"} | _SHOWN[how] if how in _SHOWN else how or f"cr:{name}"
    return found | prefixes


def _fields(items: Sequence[Item]) -> list[dict[str, Any]]:
    """The fields that any item has: of a column that is nowhere nothing could be read."""
    return [_field(name, about) for name, about in _FIELDS.items() if any(getattr(one, name) for one in items)]


def _field(name: str, about: str) -> dict[str, Any]:
    several = {"repeated": True} if name == "options" else {}
    return several | {
        "@type": "cr:Field",
        "@id": f"items/{name}",
        "name": name,
        "description": about,
        "dataType": "sc:Text",
        "source": {"fileObject": {"@id": METADATA}, "extract": {"column": name}},
    }


def _made(info: BuildInfo) -> str:
    tasks = ", ".join(f"{name} ({n:,})" for name, n in info.items.items())
    return (
        f"Questions about {counted(info.clips, 'clip')} of audio, for the evaluation of audio-language models: {tasks}."
    )


def _responsible(spec: Spec, info: BuildInfo) -> dict[str, Any]:
    """The fields of responsible AI that a build can answer."""
    sources = "; ".join(f"{one.name} ({one.source}, {counted(one.rows, 'row')})" for one in info.sources)
    makes = ", ".join(f"{task.name}: {task.make}" for task in spec.task)
    private = sorted({name for one in info.sources for name in one.private})
    rejected = ", ".join(f"{rule} {n:,}" for rule, n in info.rejected.items())
    hidden = f"The columns {', '.join(private)} of the sources were declared private; no item holds a value of theirs."
    grouped = all(source.columns.group for source in spec.source)
    alone = "Clips of one speaker, station or day may count as independent: the sources name no groups."
    unheard = list(_unheard(info.blind)) if info.blind else []
    return {
        "rai:dataCollection": f"Recordings and tables of the sources: {sources}.",
        "rai:dataPreprocessingProtocol": "Spans and channels cut out as 16-bit WAV, whole recordings byte for byte; "
        f"questions made by rule ({makes}); the right option in each place equally often, seed {info.seed}.",
        "rai:dataAnnotationProtocol": "Labels are those of the sources; of the items "
        f"{100 * info.unreviewed:.0f} % were reviewed by no person.",
        "rai:dataCollectionMissingData": f"Rejected, by rule: {rejected}." if rejected else "",
        "rai:dataUseCases": "Evaluation of audio-language models.",
        "rai:dataLimitations": [
            *spec.benchmark.cannot_show,
            *spec.benchmark.known,
            *([] if grouped else [alone]),
            *unheard,
        ],
        "rai:personalSensitiveInformation": hidden if private else "",
    }


def _unheard(blind: Blind) -> Iterator[str]:
    for task, one in blind.tasks.items():
        lost = f" ({counted(one.unanswered, 'reply')} did not come)" if one.unanswered else ""
        share = f"{one.right:,} of {counted(one.items, 'item')}{lost}, a guesser about {100 * one.chance:.1f} %"
        yield f"With the words alone {blind.model} is right about {task} in {share}."
