"""From runs to why their replies are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

import msgspec
import numpy as np

import audiometry
from audiometry.analysis.agreement import agree
from audiometry.analysis.agreement.result import Agreement
from audiometry.analysis.modes import book as books
from audiometry.analysis.modes import judged, rules
from audiometry.analysis.modes.book import Book
from audiometry.analysis.modes.result import Coder, Modes, Quote, RunModes, Share
from audiometry.analysis.modes.wrong import NONE, Replied, Wrong, replied
from audiometry.errors import UsageError, shown
from audiometry.files.ratings import WHATS, Ratings, of_lines
from audiometry.records import RatingLine
from audiometry.score.confounds import alike
from audiometry.score.judge.settings import Follow, slug_of
from audiometry.score.kept import keep_ratings
from audiometry.score.opened import OpenedRun, open_runs
from audiometry.score.table import cleaned
from audiometry.stats.estimate import estimate
from audiometry.stats.parts import SHARE, means, ratio

if TYPE_CHECKING:
    from audiometry.score.judge.judge import Judge

QUOTES: Final = 3  # of each coder and code
LONGEST: Final = 300  # characters of a quoted reply
Kind: TypeAlias = Literal["rules", "judge", "person"]
Coded: TypeAlias = dict[int, tuple[str, str]]
"""By row of an item the code of its reply, and the rule."""


def modes(
    runs: Sequence[OpenedRun | Path],
    *,
    book: Book | None = None,
    judges: Sequence[Judge] = (),
    people: Ratings | None = None,
    bench: str = "",
    follow: Follow | None = None,
    keep: bool = True,
    quotes: int = QUOTES,
) -> Modes:
    """Say why the wrong replies of runs are wrong, by rules and, where there are any, by judges and people.

    Looked at is the reply to each question with options in the benchmark's own wording and order. What coders say is
    kept as ``ratings/codes-*.jsonl`` in the run folder, and what judges answer beside it, so nobody is asked twice.

    Args:
        runs: of one benchmark, or the paths of their folders.
        book: the codes; None: the house's.
        judges: who codes besides the rules, without hearing.
        people: rating lines with a ``code``, of people or of judges who were asked before.
        bench: where the benchmark is now, if it moved.
        follow: who is told how it goes.
        keep: write what rules and judges say into the run folders.
        quotes: replies of each coder and code that are quoted; 0: none, and the replies are read once less.

    Raises:
        UsageError: the runs are of different benchmarks, have no questions with options, or the ratings hold no code.
        RunFolderError: a run folder is damaged.
        StoppedError: nobody answers, or the person stopped it; the answers so far are kept.

    Source: the failure modes are those that MuChoMusic (arXiv 2408.01337) tells apart by hand; book and rules are ours.
    """
    opened = open_runs(list(runs), bench)
    for other in opened[1:]:
        alike(opened[0], other)
    book = book or books.own()
    if people is not None and not (people.what == WHATS.index("code")).any():
        raise UsageError("the people's file holds no codes; each line needs an item, a rater and a code")
    alone = len({run.info.called for run in opened}) == 1
    said: list[str] = []
    unkept = said if keep else None
    found = tuple(_of_run(run, book, judges, _People(people, alone), follow, unkept, quotes) for run in opened)
    if not any(one.compared for one in found):
        said.append(
            "rules cannot tell what is said of any recording: run again with --variant noise --variant text-only, then "
            f"{books.WORDS} is known"
        )
    return cast(
        "Modes",
        cleaned(
            Modes(
                benchmark=opened[0].info.benchmark.name,
                book=book.code,
                book_sha256=book.sha256,
                runs=found,
                warnings=tuple(said),
            )
        ),
    )


class _People(msgspec.Struct, frozen=True):
    """What people said; ``alone``: of one model, which a line need not name."""

    ratings: Ratings | None
    alone: bool

    def of(self, given: Replied, book: Book) -> Iterator[tuple[str, Kind, Coded, int]]:
        """Each person or stored judge, their codes (the last counts), and how many are of none of the run's replies."""
        if self.ratings is None:
            return
        ratings, run = self.ratings, given.run
        rows = {position: row for row, position in enumerate(run.positions)}
        wrong = set(given.wrong.tolist())
        found: dict[str, Coded] = {}
        strange: Counter[str] = Counter()
        for at in np.flatnonzero(ratings.what == WHATS.index("code")).tolist():
            if ratings.models[ratings.model[at]] not in {run.info.called, "" if self.alone else run.info.called}:
                continue
            position = run.benchmark.items.position(ratings.items[ratings.item[at]])
            row = -1 if position is None else rows.get(position, -1)
            code, name = ratings.codes[int(ratings.value[at])], ratings.raters[ratings.rater[at]]
            codes = found.setdefault(name, {})
            if row in wrong and code in book.names:
                codes[row] = (code, "")
            else:
                strange[name] += 1
        for name in sorted(found):
            kind: Kind = "judge" if ratings.kinds[ratings.raters.index(name)] == "judge" else "person"
            yield name, kind, found[name], strange[name]


def _of_run(
    run: OpenedRun,
    book: Book,
    judges: Sequence[Judge],
    people: _People,
    follow: Follow | None,
    unkept: list[str] | None,
    quotes: int,
) -> RunModes:
    given = replied(run)
    own = book == books.own()
    by_rules: Coded = {}
    guessed = 0.0
    for one in given.each() if own else ():
        by_rules[one.row] = rules.code(given, one)
        guessed += rules.by_chance(given, one)
    coders = [_coder(rules.NAME, "rules", given, by_rules, book)] if own else []
    coded: dict[str, Coded] = {rules.NAME: by_rules} if own else {}
    for judge in judges:
        codes, coder = _judged(given, judge, book, follow)
        coders.append(coder)
        coded[coder.name] = codes
    for name, kind, codes, strange in people.of(given, book):
        coders.append(_coder(name, kind, given, codes, book, strange))
        coded[name] = codes
    if not coders:
        raise UsageError("rules know the house's code book alone; name a judge (--judge) or people's file (--people)")
    alone = unkept is None and len(coders) == 1
    lines = {coder.name: [] if alone else _lines(run, coder, coded[coder.name]) for coder in coders}
    for coder in coders:
        if unkept is not None and coder.kind != "person":
            path = run.folder.path / "ratings" / f"codes-{slug_of(f'/{coder.name}')}.jsonl"
            unkept += keep_ratings(path, lines[coder.name])
    return RunModes(
        run=run.folder.path.name,
        model=run.info.called,
        n_items=len(given.state),
        n_right=int((given.state == 1).sum()),
        n_wrong=len(given.wrong),
        n_lost=int((given.state == NONE).sum()),
        compared=tuple(name for name, chosen in given.alone.items() if (chosen != NONE).any()),
        by_chance=guessed / len(by_rules) if by_rules else None,
        coders=tuple(coders),
        quotes=tuple(_quotes(given, coded, book, quotes)) if quotes else (),
        agreement=_agreement(lines.values()) if len(coders) > 1 else None,
        signature=_signature(run, book, coders),
    )


def _judged(given: Replied, judge: Judge, book: Book, follow: Follow | None) -> tuple[Coded, Coder]:
    from audiometry.score.judge.inquiry import Inquiry  # what asks is not loaded where rules alone code

    inquiry = Inquiry(judge, judged.questions(book), given.run.folder.path)
    answers = inquiry.ask(lambda: judged.contents(given), follow)
    found: Coded = {}
    keys: set[str] = set()
    for one in given.each():
        about = judged.asked(one)
        keys.add(about.key)
        if (code := judged.code_of(answers.of(about.key, about), book)) is not None:
            found[one.row] = (code, "")
    usage = answers.account(keys, inquiry.price).usage()
    failed = len(given.wrong) - len(found)
    coder = _coder(inquiry.asked.name, "judge", given, found, book, failed)
    return found, msgspec.structs.replace(coder, usage=usage, prompt_sha256=inquiry.asked.prompt_sha256)


def _coder(name: str, kind: Kind, given: Replied, coded: Coded, book: Book, failed: int = 0) -> Coder:
    rows = np.array(sorted(coded), np.int64)
    cluster = given.cluster[rows]
    shares = {}
    for code in book.names:
        has = np.array([coded[row][0] == code for row in rows.tolist()], np.float64)
        found = estimate(means(has, cluster), ratio, [1.0], SHARE) if len(rows) else None
        how = Counter(coded[row][1] for row in rows.tolist() if coded[row][0] == code and coded[row][1])
        shares[code] = Share(
            n=int(has.sum()),
            value=None if found is None else found.value,
            interval=None if found is None else found.interval,
            how=dict(how.most_common()),
        )
    return Coder(name=name, kind=kind, n_coded=len(rows), n_failed=failed, codes=shares)


def _quotes(given: Replied, coded: Mapping[str, Coded], book: Book, n: int) -> list[Quote]:
    """The first few of each coder and code, in the order of the benchmark."""
    wanted: dict[int, list[tuple[str, str]]] = {}
    for coder, said in coded.items():
        for code in book.names:
            for row in [row for row in sorted(said) if said[row][0] == code][:n]:
                wanted.setdefault(row, []).append((coder, code))
    texts: dict[int, Wrong] = {one.row: one for one in given.each() if one.row in wanted}
    order = {name: at for at, name in enumerate(coded)}
    place = {name: at for at, name in enumerate(book.names)}
    found = [
        (order[coder], place[code], row, _quote(texts[row], coder, code, coded[coder][row][1]))
        for row, every in wanted.items()
        for coder, code in every
    ]
    return [quote for *_, quote in sorted(found, key=lambda one: one[:3])]


def _quote(wrong: Wrong, coder: str, code: str, how: str) -> Quote:
    return Quote(
        code=code,
        coder=coder,
        item=wrong.item.id,
        question=shown(wrong.item.question, LONGEST),
        right=shown(wrong.right, LONGEST),
        chosen=shown(wrong.outcome.read or "", LONGEST),
        reply=shown(wrong.text, LONGEST),
        how=how,
    )


def _lines(run: OpenedRun, coder: Coder, coded: Coded) -> list[RatingLine]:
    """A coder's words as rating lines."""
    found = []
    for row, (code, _) in sorted(coded.items()):
        item = run.benchmark.items.at(run.positions[row])
        found.append(
            RatingLine(
                item=item.id,
                rater=coder.name,
                kind="metric" if coder.kind == "rules" else coder.kind,
                model=run.info.called,
                code=code,
                cluster=item.cluster,
            )
        )
    return found


def _agreement(lines: Iterable[Sequence[RatingLine]]) -> Agreement:
    return agree(of_lines(line for each in lines for line in each))


def _signature(run: OpenedRun, book: Book, coders: Sequence[Coder]) -> str:
    who = ",".join(one.name if one.kind != "rules" else f"rules-v{rules.VERSION}" for one in coders)
    return (
        f"failure-modes | book={book.sha256[:12]} | coders={who} | variant=plain | "
        f"benchmark={run.info.benchmark.name}@{run.info.benchmark.sha256[:12]} | audiometry={audiometry.__version__}"
    )
