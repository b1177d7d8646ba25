"""What an item has to be before anybody is asked about it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

from msgspec.structs import replace

from audiometry import seeds
from audiometry.bench.keys import answers_among, options_among
from audiometry.bench.left_out import Problem
from audiometry.bench.wordings import stands_alone
from audiometry.errors import counted, shown, suggestion
from audiometry.files.card_slips import KIND
from audiometry.records import Card, Columns, Item, Task
from audiometry.records.card import QUESTION

ANY = Task(name="any", kind="open", audio="optional")  # for looking at an item's clips only
MOST_OPTIONS = 26  # letters A to Z
PLAIN_NAME = re.compile(r"[][A-Za-z0-9_.-]+(?:/[][A-Za-z0-9_.-]+)*")  # nearly every name; the rest is looked at closely
LETTER = re.compile(r"\(?([A-Za-z])(?:[.):](?:\s.*)?)?", re.DOTALL)
INDEX = re.compile(r"([0-9]{1,4})(?:\.0+)?")
NO_ANSWER: Final = "has no answer; give the text of the right option"
NO_LABEL: Final = "has no answer; give its label"
NO_WORDS: Final = "has no answer; give the words that are said"
NO_OPTIONS: Final = "has no options"
NOT_RELATIVE: Final = "it must be relative to the benchmark folder"
# what only all rows together tell, put into a problem's words when they were read
_COUNTED: Final = "\0counted"
_PLACE: Final = "\0place"
_INDEX: Final = 'if 0 is the first option, write answer_is = "index"'
_NUMBER: Final = 'if 1 is the first option, write answer_is = "number"'
_EITHER: Final = 'if 0 is the first option, write answer_is = "index", if 1 is, "number",'
_OWN: Final = "in benchmark.toml (a new file of these two lines will do)"
LONGEST_TEXT = 50_000  # characters; beyond that it is a slip of the file, not a question


class Rules:
    """What the items of a benchmark have to be.

    Args:
        card: names the tasks and says how answers are given.
        table: whether ``[data.columns]`` of the card can name fields.
    """

    def __init__(self, card: Card, *, table: bool = False) -> None:
        self._tasks = {task.name: task for task in card.task}
        self._columns = card.data.columns
        self._answer_is = card.data.columns.answer_is
        own = card.data.source == "folder" and not card.data.path
        self._where = f"under [data.columns] {_OWN if own else 'of the card'}"
        self._table = table
        self._at_0 = self._at_n = 0

    def read(self, item: Item) -> Item:
        """The item as it is meant (`meant`); numbers that answers are, are kept account of."""
        counted = self._answer_is in {"index", "number"} or item.answer not in item.options
        if item.answer is not None and item.options and counted:
            place = _place(item.answer, "index")
            self._at_0 += place == 0
            self._at_n += place == len(item.options)
        return meant(item, self._columns)

    def miscounted(self) -> str:
        """Why the answers of all items read cannot be counted as the card says; empty if they can."""
        if self._answer_is == "index" and self._at_n and not self._at_0:
            why = f'answer_is = "index" counts the options from 0, but none is 0 and {self._at_n:,} are past the last'
            return f'{why}; if 1 is the first option, write answer_is = "number"'
        if self._answer_is == "number" and self._at_0:
            why = f'answer_is = "number" counts the options from 1, but the answer 0 is given {self._at_0:,} times'
            return f'{why}; if 0 is the first option, write answer_is = "index"'
        return ""

    def settled(self, problems: Iterable[Problem]) -> list[Problem]:
        """Problems with what all items read tell about how answers are counted."""
        counted = {(True, False): _INDEX, (False, True): _NUMBER}.get((self._at_0 > 0, self._at_n > 0), _EITHER)
        return [replace(one, what=one.what.replace(_COUNTED, counted).replace(_PLACE, self._where)) for one in problems]

    def flaws(self, item: Item, unused: Collection[str] = ()) -> list[tuple[str, str]]:
        """All that keeps an item from being asked, its clips' files apart: codes as `Problem` has them, and words.

        Args:
            item: as `read`.
            unused: keys or columns of its row that no field has.
        """
        task = self._tasks.get(item.task)
        if task is None and self._tasks and item.task:
            near = suggestion(item.task, self._tasks)
            return [("metadata", f"has the task '{shown(item.task)}', which the card has not ({near}); correct one")]
        task_or_plain = task or Task(name=item.task)
        found = [("metadata", self._with_hint(what, unused)) for what in problems(item, task_or_plain)]
        if not item.clips and (task is None or task.audio == "required"):
            what = 'names no clip; name it in file_name, or write audio = "optional" in the [[task]] of its card'
            found.append(("no-clip", what))
        return found

    def _with_hint(self, what: str, unused: Collection[str]) -> str:
        """What is wrong, with the keys beside it that look like what is missing."""
        if what in {NO_ANSWER, NO_LABEL, NO_WORDS} and (near := answers_among(unused)):
            do = f'write answer = "{shown(near[0], 40)}" {_PLACE}' if self._table else "call it answer"
            return f"has no answer, but '{shown(near[0], 40)}'; if that is it, {do}"
        if what.startswith(NO_OPTIONS) and (near := options_among(unused)):
            listed = ", ".join(f'"{shown(key, 40)}"' for key in near)
            do = f"write options = [{listed}] {_PLACE}" if self._table else f"list {listed} under options"
            return f"{NO_OPTIONS}; {do}"
        return what


def meant(item: Item, columns: Columns) -> Item:
    """The item with the text of the right option (`with_text`), its options in an order of its own if the card says so.

    That order is drawn by its id, for data that keep the right option in one place.
    """
    item = with_text(item, columns.answer_is)
    if not columns.drawn or not item.options:
        return item
    order = seeds.stream(0, "own-order", item.id).shuffled(range(len(item.options)))
    kinds = tuple(item.kinds[place] for place in order) if len(item.kinds) == len(order) else item.kinds
    return replace(item, options=tuple(item.options[place] for place in order), kinds=kinds)


def with_text(item: Item, answer_is: str) -> Item:
    """The item with the text of the right option, where its answer is a letter, an index or a number instead.

    An answer that names no option so is left as it is, and is then not among the options.
    """
    if answer_is == "text" or item.answer is None or not item.options:
        return item
    if answer_is == "either" and item.answer in item.options:
        return item
    place = _place(item.answer, "letter" if answer_is == "either" else answer_is)
    return replace(item, answer=item.options[place]) if place in range(len(item.options)) else item


def _place(answer: str, answer_is: str) -> int:
    """Of the option that an answer names, from 0; -1 for none."""
    if answer_is == "letter":
        found = LETTER.fullmatch(answer.strip())
        return ord(found[1].upper()) - ord("A") if found else -1
    whole = INDEX.fullmatch(answer.strip())
    return int(whole[1]) - (answer_is == "number") if whole else -1


def problems(item: Item, task: Task) -> list[str]:
    """All that is wrong with an item, each as what it is and what to do; empty if nothing is."""
    found: list[str] = []
    if not item.id:
        found.append("has no id; give it one")
    if not item.task:
        found.append("has no task; name one")
    if not item.question.strip() and not stands_alone(task):
        found.append(f"has no question; write one, or for its task in the card wordings without {QUESTION}")
    elif len(item.question) > LONGEST_TEXT:
        found.append(f"has a question of {len(item.question):,} characters; {LONGEST_TEXT:,} is the most, shorten it")
    if item.file_name and item.file_names:
        found.append("has both file_name and file_names; keep one")
    found += [f"has the file name '{shown(name)}'; {why}" for name in item.clips if (why := _unsafe(name))]
    if task.kind == "choice" or (task.kind == "label" and item.options):
        found += _option_problems(item) or _kind_problems(item)
    elif task.kind == "label":
        found += _label_problems(item, task)
    elif task.kind == "transcript" and not item.options and not item.references:
        found.append(NO_WORDS)
    return found


def _label_problems(item: Item, task: Task) -> list[str]:
    answer = item.answer or ""
    if not answer.strip():
        return [NO_LABEL]
    if answer in task.labels or not task.labels:
        return []
    hint = _nearly(answer, task.labels) or suggestion(answer, task.labels)
    if INDEX.fullmatch(answer.strip()):
        hint = f"{hint}; what numbers of a table stand for is said under [data.values] of the card"
    return [f"has the answer '{shown(answer, strip=False)}', which is none of the labels of its task; {hint}"]


def _option_problems(item: Item) -> list[str]:
    options = item.options
    if not options:
        kinds = 'kind = "label", "transcript" or "open" in its [[task]] of benchmark.toml'
        return [f"{NO_OPTIONS}, but task {shown(item.task)} is single choice; list them under options, or say {kinds}"]
    found = []
    if len(options) == 1:
        found.append("has one option only; a choice needs two")
    if len(options) > MOST_OPTIONS:
        found.append(f"has {len(options)} options; {MOST_OPTIONS} is the most (A to Z)")
    folded = [_folded(option) for option in options]
    if not all(folded):
        found.append("has an empty option; fill it in or leave it out")
    if len(set(folded)) < len(folded):
        twice = next(option for i, option in enumerate(options) if folded[i] in folded[:i])
        found.append(f"has the option '{shown(twice)}' twice; change one")
    if sum(map(len, options)) > LONGEST_TEXT:
        found.append(f"has options of {sum(map(len, options)):,} characters in all; {LONGEST_TEXT:,} is the most")
    if not (item.answer or "").strip():
        found.append(NO_ANSWER)
    elif item.answer is not None and item.answer not in options:
        hint = _hint(item.answer, options)
        found.append(f"has the answer '{shown(item.answer, strip=False)}', which is not among its options; {hint}")
    return found


def _kind_problems(item: Item) -> list[str]:
    """What is wrong with the kinds of options that are right in themselves."""
    kinds = item.kinds
    if not kinds:
        return []
    if len(kinds) != len(item.options):
        n, of = counted(len(kinds), "kind"), counted(len(item.options), "option")
        return [f"has {n} for {of}; give one for each, empty for the right one"]
    right = item.options.index(item.answer or "")
    if kinds[right] or kinds.count("") > 1:
        return ["has kinds that do not tell the right option, whose kind alone is empty; correct them"]
    bad = next((kind for kind in kinds if kind and not KIND.fullmatch(kind)), "")
    return [f"has the kind '{shown(bad)}'; a short name is needed, of letters, digits, - and _"] if bad else []


def _hint(answer: str, options: tuple[str, ...]) -> str:
    """What to do about an answer that is no option; a letter or a number looks like one, and so may its text."""
    if near := _nearly(answer, options):
        return near
    if 0 <= _place(answer, "letter") < len(options):
        return f'if it is a letter, write answer_is = "letter" {_PLACE}'
    if 0 <= _place(answer, "index") <= len(options):
        return f"{_COUNTED} {_PLACE}"
    return "correct one of them"


def _nearly(answer: str, known: tuple[str, ...]) -> str:
    near = next((one for one in known if _loose(one) == _loose(answer)), None)
    if near is None:
        return ""
    return f"'{shown(near, strip=False)}' differs from it only in case, blanks or a full stop: write them alike"


def _loose(text: str) -> str:
    return _folded(text).casefold().removesuffix(".").rstrip()


def _folded(text: str) -> str:
    return " ".join(text.split())


def _unsafe(name: str) -> str:
    if PLAIN_NAME.fullmatch(name) and ".." not in name:
        return ""
    if "\0" in name or not name.strip():
        return "a name is needed"
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or name.startswith("\\"):
        return NOT_RELATIVE
    if ".." in PurePosixPath(name.replace("\\", "/")).parts:
        return "it must not leave the benchmark folder"
    return ""
