"""What scoring says, as it is printed, stored and exchanged: one scored result, whatever the measure."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from audiometry.errors import counted
from audiometry.score.attention import Listening
from audiometry.score.extras import Extras
from audiometry.score.row import Condition, Difference, Interval, Row

__all__ = ["FORMAT", "Comparison", "Condition", "Difference", "Interval", "Rank", "Row", "Scored", "Scores", "Stored"]

LEVEL: Final = 0.05  # of p, below which two runs are said to differ
FORMAT: Final = 2  # of a stored score; files of another are passed over
Direction = Literal["up", "down"]
Range = tuple[float | None, float | None]


class Scored(Row, frozen=True, kw_only=True):
    """A run under one profile and one measure: the row over everything, and what it is made of.

    Attributes:
        signature: how the number was made, short enough to print beside it.
        profile, measure, unit: names, and what the value counts (``share correct``, ``errors per reference word``).
        kinds: of the tasks it is about (``choice``, ``label``, ``transcript``, ``open``).
        direction: whether more (``up``) or less (``down``) is better.
        range: the ends of the scale; None where there is none.
        average: what the value is a mean of: ``categories``, ``tasks`` (or pools, also where there is one category),
            ``items`` (also of one task), or ``none``: the rules have no number over everything.
        complete: every reply came (and was judged).
        rankable: at most 1 % failed, unjudged or not asked; otherwise the number is not to be ranked.
        whole: every category of the benchmark was asked in full, so that it may stand beside published numbers.
        asked_of: of tasks of its kinds that were not asked in full, how many of their items were asked and how many
            there are; ``asked_in``: the same of categories.
        failures: replies that failed (of choices, also those that were not judged) by kind.
        n_blocked: of the refused, those that the provider blocked, so that no reply came.
        categories, pools, tasks: rows by name; ``pools`` only where a pool has several tasks.
        alike: of a suite, where the value is a mean of categories: the row in which all tasks count alike.
        folders: rows by data folder, for benchmarks whose items carry the tag ``folder``.
        by: rows by tag and value, where ``--by`` asked for them; of each all items as one, whatever their task.
        pooled: tasks whose items come from several folders, or pools of several tasks, and which.
        left_out: tasks without a number, which are in no average.
        unscored_items: items that this scoring has no part in, by reason (``no reference answer``, …).
        variants: rows of the variants that replace the items' clips (``noise``, …); in no headline.
        listening: of choices, whether the model listens, under ``strict`` and profiles whose authors have a test of it;
            by rules alone, also where a judge reads replies. None where nothing was asked without the clips.
        fewer: rows of the variants with fewer options (``distractors=…``, ``leave-…``), each with the chance of as many
            as were shown; in no headline.
        notes: what a reader of the number has to know, a line each.
        extras: what this kind alone has to show.
    """

    signature: str
    profile: str
    measure: str
    unit: str
    kinds: tuple[str, ...]
    direction: Direction
    range: Range
    average: str
    complete: bool
    rankable: bool
    whole: bool = True
    asked_of: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    asked_in: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    failures: dict[str, int]
    n_blocked: int = 0
    categories: dict[str, Row]
    pools: dict[str, Row] = msgspec.field(default_factory=dict)
    tasks: dict[str, Row]
    alike: Row | None = None
    folders: dict[str, Row] = msgspec.field(default_factory=dict)
    by: dict[str, dict[str, Row]] = msgspec.field(default_factory=dict)
    pooled: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    unscored_items: dict[str, int] = msgspec.field(default_factory=dict)
    variants: dict[str, Condition] = msgspec.field(default_factory=dict)
    listening: Listening | None = None
    fewer: dict[str, Row] = msgspec.field(default_factory=dict)
    notes: tuple[str, ...] = ()
    extras: Extras = Extras()

    @property
    def part(self) -> str:
        """What part of the benchmark it is of, for beside the number: ``60 of 717 items``; empty where of all.

        Of tasks that were asked in full or not at all it is told how many: ``1 of 19 tasks``.
        """
        if not self.asked_of:
            return ""
        each = {name: (row.n_items, row.n_items) for name, row in self.tasks.items()} | self.asked_of
        if all(n in {0, of} for n, of in each.values()):
            return f"{sum(n > 0 for n, _ in each.values()):,} of {counted(len(each), 'task')}"
        n, of = (sum(both) for both in zip(*each.values(), strict=True))
        return f"{n:,} of {counted(of, 'item')}"


class Rank(msgspec.Struct, frozen=True, kw_only=True):
    """A run's place among others under one score.

    Attributes:
        rank: 1 is best; equal values share the better place; None: not ranked.
        of: how many runs are ranked.
        tied: how many others have the same place.
        change: places gained (above 0) or lost against ``strict``; None if either has no rank.
        why: why it is not ranked.
    """

    rank: int | None
    of: int
    tied: int = 0
    change: int | None = None
    why: str = ""


class Scores(msgspec.Struct, frozen=True, kw_only=True):
    """``score --json``: a run under one or several profiles and measures.

    Attributes:
        run: path of the folder.
        benchmark, model: names.
        asked: the model, and by whose recipe.
        scores: by name: the profile for choices, the measure else; a second one of a name is ``NAME@PROFILE``.
        listening: that of ``strict``, else of the first score that has one.
        ranks: by name of the score, where several runs on the same items are scored together.
        n_items: items of the run.
        n_unscored: items that none of these scores has a part in (say open ones, where no judge is named);
            ``unscored``: how many of each kind of task.
        n_without_clip: items of these numbers that name no clip, as their task allows.
        n_published: how many items were published; 0: nobody says. ``coverage``: how much of them is there, in words.
        unlike: how it was asked otherwise than numbers that were published (``85 of 1,187 items``).
        n_left_out: rows of the benchmark that cannot be asked; no items.
        n_clips_cut: replies to the beginning of a longer clip, as a recipe or the model's card says.
        left_out: how many rows by task; a task of which no item is left is in no other number.
        broken: scores that could not be made, since a measure or reader of another package is broken, or a profile that
            was named has no part in what was asked or needs a judge: by name, why.
        unkept: why the scores could not be written to the run folder; empty if they were, or were not to be.
    """

    run: str
    benchmark: str
    model: str
    asked: str
    scores: dict[str, Scored]
    listening: Listening | None = None
    ranks: dict[str, Rank] = msgspec.field(default_factory=dict)
    n_items: int
    n_unscored: int = 0
    unscored: dict[str, int] = msgspec.field(default_factory=dict)
    n_without_clip: int
    n_published: int = 0
    coverage: str = ""
    unlike: tuple[str, ...] = ()
    n_left_out: int
    n_clips_cut: int
    left_out: dict[str, int]
    broken: dict[str, str] = {}
    unkept: str = ""


class Stored(Scores, frozen=True, kw_only=True):
    """A score as it is kept in a run folder; see `audiometry.score.kept`.

    Attributes:
        replies: of a score by a program, or one that people's ratings stand beside, sha256 of the ``replies.jsonl``
            that it scored: without the program, or the ratings, it cannot be made anew. Empty for others.
    """

    format: int = FORMAT
    replies: str = ""


class Comparison(Difference, frozen=True, kw_only=True):
    """``compare --json``: A minus B over all items, by category and by task, p corrected over each (Holm).

    Attributes:
        a, b: the run folders.
        measure, unit, direction, range, profile: see `Scored`.
        tasks, categories: by name.
        n_came: of these items, those to which no reply that counts failed, and no verdict, on either side.
        n_waiting: replies that are left out of both, as one run has not been asked them yet; not in pairs: items.
        in_pairs: reply by reply; else item by item, each run with its own mean over the variants that it was asked.
        by_failures: the runs differ (p < .05), and on these items alone they would not.
        warnings: what keeps the difference from being one of the models alone.
        aligned_by: the judge that read what the rules could not, or every reply; empty: rules alone.
        judges: who scored the answers, where a judge did; several are a ``panel``.
        signatures: how the scores of A and B are made; one where both are made alike.
        also: further kinds of task that both runs were asked, each by its measure, by name (as in `Scores`).
    """

    a: str
    b: str
    measure: str
    unit: str
    direction: Direction
    range: Range
    profile: str
    tasks: dict[str, Difference]
    categories: dict[str, Difference] = msgspec.field(default_factory=dict)
    n_came: int
    n_waiting: int = 0
    in_pairs: bool = True
    by_failures: bool = False
    warnings: tuple[str, ...] = ()
    aligned_by: str = ""
    judges: tuple[str, ...] = ()
    panel: str = ""
    signatures: tuple[str, ...] = ()
    also: dict[str, Comparison] = msgspec.field(default_factory=dict)

    def verdict(self, p: float) -> str:
        """What is told of the two runs, after their names.

        Args:
            p: by which it is told; corrected, where several pairs of runs are compared.
        """
        if p >= LEVEL:
            return "cannot be told apart on these items"
        if not self.by_failures:
            return "differ"
        if not self.n_came:
            return "differ by failures alone, since there is no item without one"
        return f"differ by failures alone: on the {counted(self.n_came, 'item')} without one they cannot be told apart"
