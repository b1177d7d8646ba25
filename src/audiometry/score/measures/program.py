"""Any program as a measure: JSON lines over a pipe, for metrics with an environment or data of their own (METEOR).

Each pair is a line ``{"item", "prediction", "references", "question"?, "language"?}``; the program answers it, in any
order, with ``{"item", "score"}`` or ``{"item", "error"}``. ``item`` is whatever it was sent. Once it is ready it may
say what it is: ``{"metric", "version", "higher_is_better", "lowest", "highest", "unit"}``, all but ``metric`` optional.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from audiometry.files.secrets import Scrubber, shown
from audiometry.models.settings import NameOptions
from audiometry.programs.terms import Terms
from audiometry.records import Failure
from audiometry.score.measures.asked import asked
from audiometry.score.measures.languages import language_code
from audiometry.score.measures.means import mean
from audiometry.score.measures.measure import PROGRAM, Counted, Floats
from audiometry.score.measures.pipe import Introduction
from audiometry.score.measures.references import ByReference, Pair, Watch, unwatched

TIMEOUT_S, START_S, LONGEST_S = 60.0, 120.0, 86_400.0
_OPTIONS = re.compile(r"\?[a-z]+=[^\s'\"]*\Z")
_KEYS: Final = ("timeout", "start", "language", "env")


def load(name: str) -> ByReference:
    """The measure behind ``exec/COMMAND``.

    ``?timeout=SECONDS`` at its end is the longest wait for an answer (60), ``start`` for the first one after a start
    (120), ``language`` the code of the language of items without the tag, ``env`` the names of variables that it gets
    though they hold secrets; several are joined by ``&``.

    Raises:
        UsageError: there is no such program, the command cannot be split, or an option is wrong.
    """
    command, stated = name.removeprefix(PROGRAM), {}
    found = _OPTIONS.search(command)
    if found is not None:
        command = command[: found.start()]
        stated = dict(parse_qsl(found[0][1:], keep_blank_values=True))
    options = NameOptions(stated, PROGRAM + shown(command), "measure")
    options.allow(*_KEYS)
    terms = Terms.of(
        command,
        start_s=options.number("start", default=START_S, low=0.1, high=LONGEST_S),
        timeout_s=options.number("timeout", default=TIMEOUT_S, low=0.1, high=LONGEST_S),
        env=stated.get("env", ""),
    )
    counts = ProgramCounts(Scrubber().text(PROGRAM + command), terms)
    return ByReference(counts, language_code(stated.get("language", "")))


class ProgramCounts:
    """The mean of the scores that a program gives; started when pairs are to be counted, ended afterwards.

    Args:
        name: as the user wrote it, without options.
        terms: what to start, and how long to wait.

    Attributes:
        watch: told after every answer; may be set before pairs are counted.
        kept_in: the file that keeps the answers; None: none.
        n_before: pairs whose answers it kept.
    """

    def __init__(self, name: str, terms: Terms) -> None:
        self.name, self._terms = name, terms
        self.about = f"the scores of {terms.called}"
        self._itself = Introduction()
        self.columns = ("score", "pairs")
        self.watch: Watch = unwatched
        self.kept_in: Path | None = None
        self.n_before = 0

    @property
    def unit(self) -> str:
        """As the program says."""
        return shown(self._itself.unit, 40) or "mean score"

    @property
    def higher_is_better(self) -> bool:
        """As the program says; yes if it does not."""
        return self._itself.higher_is_better

    @property
    def lowest(self) -> float | None:
        """As the program says; 0 if it says only the highest, None if it says neither."""
        return self._itself.range[0]

    @property
    def highest(self) -> float | None:
        """As the program says; None if it does not."""
        return self._itself.highest

    @property
    def ends(self) -> tuple[Floats, Floats] | None:
        """Counts of the worst and the best reply; None if the program states no scale."""
        import numpy as np

        if self.highest is None:
            return None
        worst, best = np.array([self.lowest, 1.0]), np.array([self.highest, 1.0])
        return (worst, best) if self.higher_is_better else (best, worst)

    def count(self, pairs: Sequence[Pair]) -> Counted:
        """Scores, and 1 for each pair; ``float64[n, 2]``, zeros where the program failed.

        Raises:
            UsageError: the program cannot be started.
            RunFolderError: the file of its answers is damaged, or in use.
        """
        import numpy as np

        keys = _keys(pairs)
        lines = {key: _line(key, pair) for key, pair in zip(keys, pairs, strict=True)}
        answers, self.n_before = asked(self._terms, lines, self.watch, self.kept_in)
        self._itself = answers.itself
        counts, failures = np.zeros((len(pairs), 2)), {}
        for row, key in enumerate(keys):
            score = answers.scores.get(key)
            if isinstance(score, float):
                counts[row] = score, 1
            else:
                failures[row] = score or Failure(kind="no-answer", message="the program gave no answer")
        return Counted(counts, failures)

    def value(self, totals: Floats) -> Floats:
        """The mean of the scores; NaN of nothing."""
        return mean(totals)

    def each(self, counts: Floats) -> Floats:
        """The scores."""
        import numpy as np

        return np.asarray(counts[:, 0])

    def made_with(self, pairs: Sequence[Pair]) -> tuple[str, ...]:  # noqa: ARG002  a measure
        """Name and version as the program says them, or that it says none."""
        said = [shown(part, 60) for part in (self._itself.metric, self._itself.version) if part]
        return ("-".join(said) or "says-no-version",)


def _keys(pairs: Sequence[Pair]) -> list[str]:
    """A name for each pair: the item's, and where it comes again one that no item has."""
    items = {pair.item for pair in pairs}
    taken: set[str] = set()
    keys = []
    for pair in pairs:
        key, times = pair.item, 1
        while key in taken or (times > 1 and key in items):
            times += 1
            key = f"{pair.item}#{times}"
        taken.add(key)
        keys.append(key)
    return keys


def _line(key: str, pair: Pair) -> bytes:
    line: dict[str, Any] = {"item": key, "prediction": pair.prediction, "references": pair.references}
    if pair.question:
        line["question"] = pair.question
    if pair.language:
        line["language"] = pair.language
    return msgspec.json.encode(line) + b"\n"
