"""From runs to why their replies are wrong."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

import audiometry
from audiometry.analysis.agreement import agree
from audiometry.analysis.agreement.result import Agreement
from audiometry.analysis.modes import book as books
from audiometry.analysis.modes import judged, rules, told
from audiometry.analysis.modes.result import Coder, Modes, Quote, RunModes, Share
from audiometry.analysis.modes.told import Coded, Kind, Line
from audiometry.analysis.modes.wrong import NONE, Replied, Wrong, replied
from audiometry.errors import UsageError, shown
from audiometry.files.code_book import Book
from audiometry.files.ratings import CODES, of_lines
from audiometry.records import RatingLine
from audiometry.score.confounds import alike
from audiometry.score.judge.settings import Follow, slug_of
from audiometry.score.kept import keep_ratings
from audiometry.score.opened import OpenedRun, open_runs
from audiometry.score.table import cleaned
from audiometry.stats.estimate import Estimate, estimate
from audiometry.stats.parts import SHARE, means, ratio

if TYPE_CHECKING:
    from audiometry.score.judge.judge import Judge

QUOTES: Final = 3  # of each coder and code
LONGEST: Final = 300  # characters of a quoted reply


def modes(
    runs: Sequence[OpenedRun | Path],
    *,
    book: Book | None = None,
    judges: Sequence[Judge] = (),
    people: Sequence[Path] = (),
    bench: str = "",
    follow: Follow | None = None,
    keep: bool = True,
    quotes: int = QUOTES,
) -> Modes:
    """Say why the wrong replies of runs are wrong, by rules and, where there are any, by judges and people.

    Looked at is the reply to each question with options in the benchmark's own wording and order. What coders say is
    kept in the run folder, each code with its reply and its book, and counts from then on until the reply changes.

    Args:
        runs: of one benchmark, or the paths of their folders.
        book: the codes; None: the house's.
        judges: who codes besides the rules, without hearing.
        people: rating files with a ``code``, of people or of judges who were asked before.
        bench: where the benchmark is now, if it moved.
        follow: who is told how it goes.
        keep: write what coders say into the run folders.
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
    models = {run.info.called for run in opened}
    before, damaged = zip(*(told.kept(run.folder.path, book) for run in opened), strict=True)
    lines, left_out = told.given(people, [one.settings.name for one in judges], [line for of in before for line in of])
    left_out += told.of_other_models(lines, models)
    ways = _Ways(book, judges, lines, len(models) == 1, follow, [] if keep else None, quotes)
    found = tuple(_of_run(run, ways, of) for run, of in zip(opened, before, strict=True))
    said = ["the rules of the code book are for comments: no reply is coded by them"] if book.has_rules else []
    said += [*(ways.unkept or ()), *left_out, *(why for of in damaged for why in of)]
    if not any(one.compared for one in found):
        said.append(
            "no reply without the clip could be read, so rules cannot tell what is said of any recording"
            if any(one.asked_alone for one in found)
            else "rules cannot tell what is said of any recording: run again with --variant noise --variant text-only, "
            f"then {books.WORDS} is known"
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
                n_left_out=len(left_out),
            )
        ),
    )


class _Ways(msgspec.Struct, frozen=True):
    """How every run is coded; ``alone``: runs of one model, which a line need not name; see `modes`."""

    book: Book
    judges: Sequence[Judge]
    lines: Sequence[Line]
    alone: bool
    follow: Follow | None
    unkept: list[str] | None
    quotes: int


def _of_run(run: OpenedRun, ways: _Ways, before: Sequence[Line]) -> RunModes:
    given, book = replied(run), ways.book
    coders: list[Coder] = []
    coded: dict[str, Coded] = {}
    by_chance: Counter[str] = Counter()
    if book == books.own():
        coded[rules.NAME] = {}
        for one in given.each():
            coded[rules.NAME][one.row] = rules.code(given, one)
            by_chance.update(rules.guessed(given, one))
        coders.append(_coder(rules.NAME, "rules", given, coded[rules.NAME], book))
    for judge in ways.judges:
        codes, coder = _judged(given, judge, book, ways.follow)
        coders.append(coder)
        coded[coder.name] = codes
    now = told.of_run(ways.lines, given, book, alone=ways.alone)
    then = told.of_run(before, given, book, alone=True)
    for name, says in [*now.items(), *((name, says) for name, says in then.items() if name not in {*coded, *now})]:
        failed = len(given.wrong) - len(says.codes) if says.kind == "judge" else says.n_over
        coder = _coder(name, says.kind, given, says.codes, book, failed)
        coders.append(msgspec.structs.replace(coder, passed_over=says.passed_over, kept=name not in now))
        coded[name] = says.codes
    if not coders:
        raise UsageError("rules know the house's code book alone; name a judge (--judge) or people's file (--people)")
    return RunModes(
        run=run.folder.path.name,
        model=run.info.called,
        n_items=len(given.state),
        n_right=int((given.state == 1).sum()),
        n_wrong=len(given.wrong),
        n_lost=int((given.state == NONE).sum()),
        compared=tuple(name for name, chosen in given.alone.items() if (chosen != NONE).any()),
        asked_alone=len(given.alone),
        by_chance={code: n / len(given.wrong) for code in book.names if (n := by_chance[code])},
        coders=tuple(coders),
        quotes=tuple(_quotes(given, coded, book, ways.quotes)) if ways.quotes else (),
        agreement=_kept(given, ways, coders, coded),
        signature=_signature(run, book, coders),
    )


def _kept(given: Replied, ways: _Ways, coders: Sequence[Coder], coded: Mapping[str, Coded]) -> Agreement | None:
    """How far coders agree, None with one; what they say is written into the run folder, where that is wanted."""
    if ways.unkept is None and len(coders) == 1:
        return None
    lines = {coder.name: _lines(given, coder, coded[coder.name], ways.book) for coder in coders}
    for coder in coders:
        if ways.unkept is not None and not coder.kept:
            slug = coder.name
            if coder.kind != "rules":
                slug = f"{slug_of(f'/{slug}')}-{hashlib.sha256(slug.encode(errors='surrogatepass')).hexdigest()[:8]}"
            path = told.folder(given.run.folder.path, ways.book) / f"{CODES}{slug}.jsonl"
            ways.unkept.extend(keep_ratings(path, lines[coder.name]))
    return agree(of_lines(line for each in lines.values() for line in each)) if len(coders) > 1 else None


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
    came = np.flatnonzero(given.state != NONE)
    shares = {}
    for code in book.names:
        has = np.zeros(len(given.state), np.float64)
        has[[row for row in coded if coded[row][0] == code]] = 1.0
        found = _share(has, given.cluster, rows)
        of_all = _share(has, given.cluster, came) if len(rows) == len(given.wrong) else None
        how = Counter(coded[row][1] for row in rows.tolist() if coded[row][0] == code and coded[row][1])
        shares[code] = Share(
            n=int(has.sum()),
            value=None if found is None else found.value,
            interval=None if found is None else found.interval,
            of_all=None if of_all is None else of_all.value,
            of_all_interval=None if of_all is None else of_all.interval,
            how=dict(how.most_common()),
        )
    at, positions = given.run.benchmark.items.at, given.run.positions
    items = {at(positions[row]).id: coded[row][0] for row in rows.tolist()}
    return Coder(name=name, kind=kind, n_coded=len(rows), n_failed=failed, codes=shares, items=items)


def _share(has: NDArray[np.float64], cluster: NDArray[np.int64], rows: NDArray[np.int64]) -> Estimate | None:
    return estimate(means(has[rows], cluster[rows]), ratio, [1.0], SHARE) if len(rows) else None


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


def _lines(given: Replied, coder: Coder, coded: Coded, book: Book) -> list[RatingLine]:
    """A coder's words as rating lines."""
    found = []
    for row, (code, _) in sorted(coded.items()):
        item = given.run.benchmark.items.at(given.run.positions[row])
        found.append(
            RatingLine(
                item=item.id,
                rater=coder.name,
                kind="metric" if coder.kind == "rules" else coder.kind,
                model=given.run.info.called,
                code=code,
                book=book.short,
                reply=given.stamps[row],
                cluster=item.cluster,
            )
        )
    return found


def _signature(run: OpenedRun, book: Book, coders: Sequence[Coder]) -> str:
    who = [one.name if one.kind != "rules" else f"rules-v{rules.VERSION}" for one in coders if one.kind != "person"]
    if people := len(coders) - len(who):
        who.append(f"people-{people}")
    return (
        f"failure-modes | book={book.short} | coders={','.join(who)} | profile=strict | variant=plain | "
        f"benchmark={run.info.benchmark.name}@{run.info.benchmark.sha256[:12]} | audiometry={audiometry.__version__}"
    )
