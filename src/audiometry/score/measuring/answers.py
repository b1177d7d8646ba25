"""A run's open items with a reference, and what was answered to them."""

from __future__ import annotations

import re
from collections import Counter

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.choices.clean import without_reasoning
from audiometry.choices.refusal import declines
from audiometry.errors import UsageError
from audiometry.records import Item, ReplyRecord
from audiometry.score.chat.sheet import SHORT, State, latest
from audiometry.score.judged import OpenRun, open_positions
from audiometry.score.metrics.languages import language_code
from audiometry.score.readers import DECLINED

LANGUAGE, OF_REFERENCE, REFERENCES = "language", "reference_language", "references"  # tags of an item
_MARKED = re.compile(r"<(answer|final_answer|response)>(.*?)(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)


class Answers(msgspec.Struct, frozen=True):
    """The open items of a run; row i is the i-th of them, column v the v-th variant.

    Attributes:
        run: the run, with the positions of these items only.
        items: of each row.
        state: ``int8[items, variants]``, codes of `State`.
        texts: what each reply says, without reasoning; empty where it failed.
        failures: failed replies by kind.
        n_with_options: items that have options and so are no matter of a metric.
        n_without_reference: open items without one.
    """

    run: OpenRun
    items: list[Item]
    state: NDArray[np.int8]
    texts: list[list[str]]
    failures: dict[str, int]
    n_with_options: int
    n_without_reference: int

    @property
    def lost(self) -> NDArray[np.bool_]:
        """``bool[items, variants]``, replies that did not come, asked for or not."""
        return np.isin(self.state, (State.FAILED, State.NOT_ASKED))


def read(run: OpenRun) -> Answers:
    """Join a run's replies to its open items.

    Raises:
        UsageError: no item is open, or none has a reference.
        RunFolderError: a reply to an item that is not in the benchmark.
    """
    opened = [(position, run.benchmark.items.at(position)) for position in open_positions(run)]
    usable = [(position, item) for position, item in opened if references_of(item)]
    _refuse_nothing(run, len(opened), len(usable))
    rows = {position: row for row, (position, _) in enumerate(usable)}
    state = np.full((len(rows), len(run.info.variants)), State.NOT_ASKED, np.int8)
    texts = [[""] * state.shape[1] for _ in rows]
    failures: Counter[str] = Counter()
    for (row, column), record in latest(run, rows).items():
        if record.error is not None or record.text is None:
            failures[record.error.kind if record.error else "no-text"] += 1
            state[row, column] = State.FAILED
            continue
        texts[row][column] = said = answer_in(record.text)
        state[row, column] = state_of(record, said, references_of(usable[row][1]))
    return Answers(
        run=msgspec.structs.replace(run, positions=list(rows)),
        items=[item for _, item in usable],
        state=state,
        texts=texts,
        failures=dict(sorted(failures.items())),
        n_with_options=len(run.positions) - len(opened),
        n_without_reference=len(opened) - len(usable),
    )


def references_of(item: Item) -> tuple[str, ...]:
    """The reference answer and, where an item has the tag ``references``, those in it; blank ones are none."""
    more = item.tags.get(REFERENCES, [])
    listed = [item.answer or "", *(more if isinstance(more, list) else [str(more)])]
    return tuple(dict.fromkeys(one.strip() for one in listed if one.strip()))


def language_of(item: Item, otherwise: str = "") -> str:
    """The code of the language in an item's tag ``reference_language``, else ``language``.

    Args:
        item: any; the two tags differ where speech is to be translated.
        otherwise: where it has neither.
    """
    tag = item.tags.get(OF_REFERENCE) or item.tags.get(LANGUAGE)
    return language_code(str(tag)) if tag else otherwise


def answer_in(reply: str) -> str:
    """A reply without its reasoning; of answers in tags, the last one that is not empty."""
    said = without_reasoning(reply).strip()
    marked = [found[2].strip() for found in _MARKED.finditer(said)] if "<" in said else []
    return next((one for one in reversed(marked) if one), said)


def state_of(record: ReplyRecord, said: str, references: tuple[str, ...]) -> State:
    """What became of a reply that came; words that a reference has too ("I cannot hear you") decline nothing."""
    if record.finish_reason in DECLINED:
        return State.REFUSED
    if not said:
        return State.EMPTY
    if len(said) <= SHORT and declines(said) and not any(declines(one[:SHORT]) for one in references):
        return State.REFUSED
    return State.ANSWERED


def _refuse_nothing(run: OpenRun, n_open: int, n_usable: int) -> None:
    if not n_open:
        raise UsageError(
            f"{run.folder.path}: every item of {run.info.benchmark.name} has options, and metrics measure open "
            "answers; score it without --metric"
        )
    if not n_usable:
        raise UsageError(
            f"{run.folder.path}: no open item of {run.info.benchmark.name} has a reference to compare with; put one "
            "into `answer`"
        )
