"""The reader of labels in free words, by the names that the task's card has for them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from audiometry.choices.labels import label_names, read_label
from audiometry.choices.option_text import Names
from audiometry.records import Item, ReplyRecord, State, Task
from audiometry.records.reply import FILTERED
from audiometry.score.readers import KINDS, Outcome, Said, ended
from audiometry.score.readers.choice import unread


class LabelReader(msgspec.Struct, frozen=True, kw_only=True):
    """Reads one of a task's labels by the house's rules; what they cannot read is never guessed.

    Attributes:
        names: of the labels; none before it is told the task.
    """

    name: str = "label"
    version: int = 1
    kinds: KINDS = frozenset({"label"})
    names: Names = Names((), (), ())

    def for_task(self, task: Task, gold: Sequence[str]) -> LabelReader:
        """The same rules for a task.

        Args:
            task: its card's entry.
            gold: right labels that occur; they are all that there is where the card lists none.
        """
        return msgspec.structs.replace(self, names=label_names(task.labels or gold, task.synonyms, task.ranges))

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:  # noqa: ARG002  no options, no judge
        """What became of a reply."""
        before = ended(reply)
        if before is not None or reply is None or reply.text is None:
            return before or Outcome(State.FAILED)
        if reply.finish_reason == FILTERED:  # whatever came before the filter stopped it
            return Outcome(State.REFUSED, how=FILTERED)
        found = read_label(reply.text, self.names, item.question)
        if found.label is not None:
            return Outcome(State.ANSWERED, found.label, how=found.how)
        return unread(reply, found.how, refused=found.refused)


LABEL = LabelReader()
