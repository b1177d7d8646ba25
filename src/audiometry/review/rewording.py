"""Wordings of a build after a review: which are kept, and what items ask in place of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from audiometry import seeds
from audiometry.errors import counted
from audiometry.files.build_folder import BuildInfo, Rejected
from audiometry.records import Item
from audiometry.review.modes.mode import Decision
from audiometry.review.modes.wording import PLACE
from audiometry.review.unit import Unit

MOST: Final = 50
"""Written wordings of a task that are kept, as AIR-Bench (section 3.2) has it."""
RULE: Final = "review"
_WRITTEN: Final = "question_"
"""Before what an item's provenance says of its wording."""
_NO_OTHER: Final = "its wording is not kept, and every other is asked about its clip already"


class Wordings:
    """The wordings of a build after a review of them.

    Args:
        info: of the build.
        units: its wordings that a model wrote.
        decisions: what becomes of them, by the id of the unit's item; the others stay unless `MOST` are decided on.
        items: of the benchmark, so that nothing is asked twice about a clip.

    Attributes:
        kept: by task, the wordings that stand now, the given ones first.
        written: of those that a model wrote, their provenance.
        rejected: the others, with their reasons.
        by: of those that are mended, by task and words, whose mending it is.
    """

    def __init__(
        self, info: BuildInfo, units: Iterable[Unit], decisions: Mapping[str, Decision], items: Iterable[Item]
    ) -> None:
        self._seed, self._all = info.seed, info.wordings
        self.kept, self.written = dict(info.wordings), dict(info.written)
        self.rejected, self.by = list[Rejected](), dict[tuple[str, str], tuple[str, ...]]()
        self._now: dict[tuple[str, str], str] = {}  # by task and what it was; nothing of what is gone
        by_task: dict[str, list[Unit]] = {}
        for unit in units:
            by_task.setdefault(unit.item.task, []).append(unit)
        for task, own in by_task.items():
            if any(unit.item.id in decisions for unit in own):
                self._settle(task, own, decisions)
        tasks = {task for task, _ in self._now}
        self._used = {(item.clips, item.task, item.question) for item in items if item.task in tasks}

    def _settle(self, task: str, units: list[Unit], decisions: Mapping[str, Decision]) -> None:
        rejects = [one for one in units if (said := decisions.get(one.item.id)) and said.verdict == "reject"]
        decided = [one for one in units if one.item.id in decisions and one not in rejects]
        waiting = [one for one in units if one.item.id not in decisions]
        stay = {one.item.id for one in (*decided, *waiting)[:MOST]}
        before, written = self.written[task], dict[str, dict[str, str]]()
        for unit in units:
            text, said = unit.item.question, decisions.get(unit.item.id)
            now = str(said.changes["question"]) if said is not None and said.verdict == "mend" else text
            by = said.by if said is not None else ()
            if unit.item.id in stay and now not in written:
                self._now[task, text] = now
                written[now] = before[text]
                if now != text:
                    written[now] = before[text] | {"mended": ", ".join(by)}
                    self.by[task, now] = by
            else:
                self._now[task, text] = ""
                full = (
                    "it says the same as another one" if unit.item.id in stay else f"{counted(MOST, 'other')} are kept"
                )
                reason = said.reason if said is not None and said.verdict == "reject" else full
                who = ", ".join(by) or "review"
                self.rejected.append(
                    Rejected(rule=RULE, reason=reason, by=who, task=task, where="a wording", reply=text)
                )
        self.written[task] = written
        self.kept[task] = (*(one for one in self._all[task] if one not in before), *written)

    def of(self, item: Item) -> Item | str:
        """An item as it asks now, with the provenance of its wording; itself where that stands; or why it has to go."""
        was, value = self._asked(item)
        now = self._now.get((item.task, was), was)
        if now == was:
            return item
        draw = seeds.stream(self._seed, "review wording", item.id)
        for one in [now] if now else draw.shuffled(self.kept[item.task]):
            question = one.replace(PLACE, value)
            if (asked := (item.clips, item.task, question)) not in self._used:
                self._used.add(asked)
                own = {key: said for key, said in item.provenance.items() if not key.startswith(_WRITTEN)}
                own |= {f"{_WRITTEN}{key}": said for key, said in self.written[item.task].get(one, {}).items()}
                return msgspec.structs.replace(item, question=question, provenance=own)
        return _NO_OTHER

    def _asked(self, item: Item) -> tuple[str, str]:
        """The wording of an item's question, and what stands in the place that it leaves; both empty if it has none."""
        values = [value for value in item.tags.values() if isinstance(value, str)]
        for one in self._all.get(item.task, ()):
            for value in values if PLACE in one else [""]:
                if one.replace(PLACE, value) == item.question:
                    return one, value
        return "", ""
