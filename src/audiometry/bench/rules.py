"""What an item has to be before anybody is asked about it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath

from msgspec.structs import replace

from audiometry.errors import shown, suggestion
from audiometry.records import Card, Item, Task

ANY = Task(name="any", kind="open", audio="optional")  # for looking at an item's clips only
MOST_OPTIONS = 26  # letters A to Z
PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*")  # nearly every name; the rest is looked at closely
LETTER = re.compile(r"\(?([A-Za-z])[.):]?")
INDEX = re.compile(r"([0-9]{1,4})(?:\.0+)?")
LONGEST_TEXT = 50_000  # characters; beyond that it is a slip of the file, not a question


class Rules:
    """What the items of a benchmark have to be.

    Args:
        card: names the tasks.
    """

    def __init__(self, card: Card) -> None:
        self._tasks = {task.name: task for task in card.task}

    def flaws(self, item: Item) -> list[tuple[str, str]]:
        """All that keeps an item from being asked, its clips' files apart: codes as `Problem` has them, and words."""
        task = self._tasks.get(item.task)
        if task is None and self._tasks and item.task:
            near = suggestion(item.task, self._tasks)
            return [("metadata", f"has the task '{shown(item.task)}', which the card has not ({near}); correct one")]
        found = [("metadata", what) for what in problems(item, task or Task(name=item.task))]
        if not item.clips and (task is None or task.audio == "required"):
            what = 'names no clip; name it in file_name, or write audio = "optional" in the [[task]] of its card'
            found.append(("no-clip", what))
        return found


def with_text(item: Item, answer_is: str) -> Item:
    """The item with the text of the right option, where its answer is a letter or an index (from 0) instead.

    An answer that names no option so is left as it is, and is then not among the options.
    """
    if answer_is == "text" or item.answer is None or not item.options:
        return item
    place = _place(item.answer, answer_is)
    return replace(item, answer=item.options[place]) if place in range(len(item.options)) else item


def _place(answer: str, answer_is: str) -> int:
    """Of the option that an answer names, from 0; -1 for none."""
    if answer_is == "letter":
        found = LETTER.fullmatch(answer.strip())
        return ord(found[1].upper()) - ord("A") if found else -1
    whole = INDEX.fullmatch(answer.strip())
    return int(whole[1]) if whole else -1


def problems(item: Item, task: Task) -> list[str]:
    """All that is wrong with an item, each as what it is and what to do; empty if nothing is."""
    found: list[str] = []
    if not item.id:
        found.append("has no id; give it one")
    if not item.task:
        found.append("has no task; name one")
    if not item.question.strip():
        found.append("has no question; write one")
    elif len(item.question) > LONGEST_TEXT:
        found.append(f"has a question of {len(item.question):,} characters; {LONGEST_TEXT:,} is the most, shorten it")
    if item.file_name and item.file_names:
        found.append("has both file_name and file_names; keep one")
    found += [f"has the file name '{shown(name)}'; {why}" for name in item.clips if (why := _unsafe(name))]
    if task.kind == "choice":
        found += _option_problems(item)
    return found


def _option_problems(item: Item) -> list[str]:
    options = item.options
    if not options:
        return [f"has no options, but task {shown(item.task)} is single choice; list them under options"]
    found = []
    if len(options) == 1:
        found.append("has one option only; a choice needs two")
    if len(options) > MOST_OPTIONS:
        found.append(f"has {len(options)} options; {MOST_OPTIONS} is the most (A to Z)")
    if any(not o.strip() for o in options):
        found.append("has an empty option; fill it in or leave it out")
    twice = [o for i, o in enumerate(options) if _folded(o) in {_folded(p) for p in options[:i]}]
    if twice:
        found.append(f"has the option '{shown(twice[0])}' twice; change one")
    if sum(map(len, options)) > LONGEST_TEXT:
        found.append(f"has options of {sum(map(len, options)):,} characters in all; {LONGEST_TEXT:,} is the most")
    if item.answer is not None and item.answer not in options:
        hint = _hint(item.answer, len(options))
        found.append(f"has the answer '{shown(item.answer)}', which is not among its options; {hint}")
    return found


def _hint(answer: str, n: int) -> str:
    """What to do about an answer that is no option of ``n``; a letter or an index looks like one."""
    if 0 <= _place(answer, "letter") < n:
        return 'if it is a letter, write answer_is = "letter" under [data.columns] of the card'
    place = _place(answer, "index")
    if 0 <= place < n:
        return 'if it counts the options from 0, write answer_is = "index" under [data.columns] of the card'
    if place == n:
        return 'if it counts the options from 1, subtract 1, as answer_is = "index" counts from 0, or give the text'
    return "correct one of them"


def _folded(text: str) -> str:
    return " ".join(text.split())


def _unsafe(name: str) -> str:
    if PLAIN_NAME.fullmatch(name) and ".." not in name:
        return ""
    if "\0" in name or not name.strip():
        return "a name is needed"
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or name.startswith("\\"):
        return "it must be relative to the benchmark folder"
    if ".." in PurePosixPath(name.replace("\\", "/")).parts:
        return "it must not leave the benchmark folder"
    return ""
