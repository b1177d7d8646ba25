"""Has a writer write for clips, a round after the other until there are as many items as are wanted."""

from __future__ import annotations

import heapq
import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter

import msgspec

from audiometry.builder.clip import SourceClip
from audiometry.builder.make import Candidate, Hand, Unfit
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.builder.writer import NO_WRITER, Asking
from audiometry.errors import counted, shown
from audiometry.records import Item


class Wish(msgspec.Struct, frozen=True):
    """What is to be written about a clip.

    Attributes:
        clip: that it is about.
        about: what the make wants to know again when the reply is there: a question, an answer, an ability.
        stratum: of which as many are wanted as of any other.
    """

    clip: SourceClip
    about: tuple[str, ...] = ()
    stratum: str = ""


class Writing(msgspec.Struct, frozen=True, kw_only=True):
    """How a make has its items written.

    Attributes:
        prompt: for a wish.
        reads: whether a reply can be used at all; another one is asked for once more.
        take: what a reply gives; the dictionary is the provenance of what was written.
        tokens_out: of a usual reply.
        each: how many items a reply is to give.
    """

    prompt: Callable[[Wish], Asking]
    reads: Callable[[str], bool]
    take: Callable[[Wish, str, dict[str, str]], Iterable[Candidate | Unfit]]
    tokens_out: int
    each: int = 1


def written(hand: Hand, wishes: Sequence[Wish], how: Writing) -> Iterator[Candidate | Unfit]:
    """What a writer makes of wishes; where the task wants ``n`` items, no more are asked for than it takes.

    What would tell the writer a private value is not asked.
    """
    writer, n = hand.writer, hand.task.n
    assert writer is not None  # noqa: S101  the spec was refused without one
    session = writer.session(hand.task.name, how.reads, how.tokens_out)
    left, made = _Queues(hand, wishes), Counter[str]()
    while len(left) and (not n or made.total() < n):
        told = list[Wish]()
        for wish in left.taken(math.ceil((n - made.total()) / how.each) if n else len(left), made):
            if column := hand.private.told([how.prompt(wish).words]):
                reason = (
                    f"what is known of it repeats a value of {shown(column, 40)}, which is private; nobody was asked"
                )
                yield Unfit(rule="private", reason=reason, clip=wish.clip)
            else:
                told.append(wish)
        replies = session.ask(lambda told=told: map(how.prompt, told))  # type: ignore[misc]  # of this round
        for wish, (asked, said) in zip(told, replies, strict=not writer.dry):
            if said.text is None:
                reason = "the writer gave no reply; the same command asks again"
                yield Unfit(rule="no-reply", reason=reason, clip=wish.clip, by=writer.settings.name)
                continue
            for one in how.take(wish, said.text, session.provenance(asked, said)):
                made[wish.stratum] += isinstance(one, Candidate)
                yield one
        if writer.dry:
            return
    spread_over = {one.stratum: made[one.stratum] for one in wishes}
    if n and max(spread_over.values(), default=0) - min(spread_over.values(), default=0) > 1:
        (few, least), (many, most) = (pick(spread_over.items(), key=itemgetter(1)) for pick in (min, max))
        counts = f"{least:,} of {shown(few, 40)}, {most:,} of {shown(many, 40)}"
        why = "too few clips fit, or too little of what was written was good enough"
        hand.notes.append(f"task {shown(hand.task.name)}: not evenly spread ({counts}); {why}")


def short_of(tasks: Sequence[TaskSpec], items: Iterable[Item]) -> Iterator[str]:
    """Tasks that have some items, but fewer than they were to have, a line each.

    Args:
        tasks: of the spec.
        items: that are in the benchmark in the end.
    """
    made = Counter(one.task for one in items)
    for task in tasks:
        if 0 < made[task.name] < task.n:
            got = f"{counted(made[task.name], 'item')} of the {task.n:,} that it wants"
            yield f"task {shown(task.name)}: {got}; for more, give it more clips, or a higher n for what was rejected"


def unreadable(wish: Wish, why: str, reply: str, by: str) -> Unfit:
    """A reply that could not be read, whole."""
    return Unfit(
        rule="unreadable", reason=f"the writer's reply cannot be used: {why}", clip=wish.clip, reply=reply, by=by
    )


def slips(spec: Spec, task: TaskSpec) -> Iterator[str]:
    """What is wrong with a task that is written."""
    if not spec.writer.model:
        yield NO_WRITER
    if not any(one.facts for one in spec.source if task.source in {"", one.called}):
        yield "has nothing to write from; name what is known of the clips in facts of its source"


def facts_of(hand: Hand, clip: SourceClip) -> str:
    """All that is known of a clip as a text, a fact a line; what stands in a private column is none of it."""
    names = dict.fromkeys(name for one in hand.overlapping(clip) for name in one.facts)
    known = ((name, hand.true_of(clip, name)) for name in names)
    return "\n".join(f"{name}: {'; '.join(values)}" for name, values in known if values)


class _Queues:
    """Wishes in the order in which they are granted, each stratum for itself."""

    def __init__(self, hand: Hand, wishes: Sequence[Wish]) -> None:
        order = list(enumerate(wishes))
        if hand.task.n:
            order.sort(key=lambda one: hand.draw("turn", one[1].clip, *one[1].about).random())
        self._of: dict[str, deque[tuple[int, Wish]]] = {}
        for place, one in order:
            self._of.setdefault(one.stratum, deque()).append((place, one))

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    def taken(self, n: int, made: Counter[str]) -> list[Wish]:
        """The next ``n``, of the strata of which the fewest were made, in the order of their clips."""
        heap = [(made[name], name) for name, some in self._of.items() if some]
        heapq.heapify(heap)
        out = list[tuple[int, Wish]]()
        while heap and len(out) < n:
            count, name = heap[0]
            out.append(self._of[name].popleft())
            if self._of[name]:
                heapq.heapreplace(heap, (count + 1, name))
            else:
                heapq.heappop(heap)
        return [wish for _, wish in sorted(out, key=itemgetter(0))]


def spread(choices: Sequence[Sequence[str]], each: int) -> list[list[str]]:
    """For each clip some of the things that it may be asked for, so that each is asked for as often as may be.

    Those that may be asked for least come first, so that what they are asked for is not given to others too.

    >>> spread([["a", "b"], ["a", "b"], ["a"], ["a"]], 1)
    [['b'], ['b'], ['a'], ['a']]
    """
    counts, out = Counter[str](), [list[str]() for _ in choices]
    for place in sorted(range(len(choices)), key=lambda place: len(choices[place])):
        own = choices[place]
        out[place] = sorted(own, key=lambda name: (counts[name], own.index(name)))[:each]
        counts.update(out[place])
    return out
