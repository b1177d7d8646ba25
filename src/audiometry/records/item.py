"""One question about one or more clips."""

from __future__ import annotations

import msgspec


class Item(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One line of ``metadata.jsonl``.

    Attributes:
        id: unique in its benchmark.
        task: name of the task it is scored under.
        question: the question as a person would put it, without options.
        file_name: path of its clip, relative to the benchmark folder; empty for none.
        file_names: paths, where an item has several clips (then ``file_name`` is empty).
        options: the candidate answers in the benchmark's own order; empty for an open question.
        kinds: what kind of option each of them is, in the same order, the right one's being empty; none: that is not
            known.
        answer: the text of the right option, or the reference answer; None only where an open question has no
            reference.
        tags: facts for slicing results (``louder``, ``genre``, ``dimension``), never sent to a model.
        meta: anything else the source said, as text or as a JSON string; a judge may read it in place of the audio,
            an evaluated model is never sent it.
        source: where the clip comes from.
        licence: SPDX identifier or name of the clip's licence.
        sha256: of the clip's file, hexadecimal; empty if not stated.
        provenance: of an item that was built: source, row, file, span, model, hash of its prompt, seed, as far as they
            apply.
        group: items of one group are not independent (a speaker, a recording); empty: the clip is the group.
    """

    id: str
    task: str = ""
    question: str = ""
    file_name: str = ""
    file_names: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    answer: str | None = None
    tags: dict[str, str | int | float | bool | list[str]] = {}
    meta: str = ""
    source: str = ""
    licence: str = ""
    sha256: str = ""
    group: str = ""
    provenance: dict[str, str] = {}

    @property
    def clips(self) -> tuple[str, ...]:
        """Paths of all clips, in the order they are sent."""
        return self.file_names or ((self.file_name,) if self.file_name else ())

    @property
    def cluster(self) -> str:
        """What it shares with items that are not independent of it."""
        return self.group or self.sha256 or "|".join(self.clips) or self.id

    @property
    def references(self) -> tuple[str, ...]:
        """Its answer and, where it has the tag ``references``, the further right ones in it; blank ones are none."""
        more = self.tags.get("references", [])
        listed = [self.answer or "", *(more if isinstance(more, list) else [str(more)])]
        return tuple(dict.fromkeys(one.strip() for one in listed if one.strip()))
