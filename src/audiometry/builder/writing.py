"""Has a writer write for clips, a round after the other until there are as many items as are wanted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import msgspec

from audiometry.builder.clip import SourceClip
from audiometry.builder.items import item_id
from audiometry.builder.make import Candidate, Hand, Unfit
from audiometry.builder.queues import Queues, Wish, spread
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.builder.writer import NO_WRITER, Asking, Session
from audiometry.errors import shown
from audiometry.score.readers import Said

__all__ = ["Wish", "Writing", "facts_of", "slips", "spread", "written"]

T = TypeVar("T")


class Writing(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """How a make has its items written.

    Attributes:
        prompt: for a wish.
        read: what a reply holds, or in words why it cannot be used; one that cannot is asked for once more.
        take: what that gives: for the wish, what was read, the whole reply, and the provenance of what was written.
        tokens_out: of a usual reply.
        each: how many items a reply is to give.
    """

    prompt: Callable[[Wish], Asking]
    read: Callable[[str], T | str]
    take: Callable[[Wish, T, str, dict[str, str]], Iterable[Candidate | Unfit]]
    tokens_out: int
    each: int = 1

    def reads(self, text: str) -> bool:
        """Whether a reply can be used."""
        return not isinstance(self.read(text), str)


def written(hand: Hand, wishes: Sequence[Wish], how: Writing[T]) -> Iterator[Candidate | Unfit]:
    """What a writer makes of wishes; where the task wants ``n`` items, no more are asked for than it takes.

    What was made before and lost since (`Hand.gone`) does not count, so that others are asked for in its place. What
    would tell the writer a private value is not asked, nor what is about a clip in which nothing can be heard.
    """
    writer, n = hand.writer, hand.task.n
    assert writer is not None  # noqa: S101  the spec was refused without one
    session = writer.session(hand.task.name, how.reads, how.tokens_out)
    session.at_most(len(wishes) if n else 0)
    hand.strata = tuple(dict.fromkeys(one.stratum for one in wishes))
    left, made, seen = Queues(hand, wishes), Counter[str](), set(hand.gone)
    while taken := left.taken(math.ceil(left.lacking(n, made) / how.each) if n else len(wishes), made):
        unheard, told = hand.unheard([one.clip for one in taken]), list[tuple[int, Wish]]()
        good = [False] * len(taken)
        for place, wish in enumerate(taken):
            if (unfit := unheard.get(wish.clip.key) or _untold(hand, wish, how)) is not None:
                yield unfit
            else:
                told.append((place, wish))
        replies = session.ask(lambda told=told: (how.prompt(wish) for _, wish in told))  # type: ignore[misc]  # of this round
        for (place, wish), (asked, said) in zip(told, replies, strict=not writer.dry):
            for one in _taken(how, wish, said, session, asked):
                if isinstance(one, Candidate):
                    name = item_id(one.clip, hand.task.name, one.question)
                    counts = name not in seen
                    made[one.stratum] += counts
                    good[place] |= counts
                    seen.add(name)
                yield one
        if writer.dry:
            return
        left.told(zip(taken, good, strict=True))


def _untold(hand: Hand, wish: Wish, how: Writing[T]) -> Unfit | None:
    if hand.private.is_empty:  # a prompt takes as long to put together as a reply to be read
        return None
    if column := hand.private.told([how.prompt(wish).words]):
        reason = f"what is known of it repeats a value of {shown(column, 40)}, which is private; nobody was asked"
        return Unfit(rule="private", reason=reason, clip=wish.clip)
    return None


def _taken(how: Writing[T], wish: Wish, said: Said, session: Session, asked: Asking) -> Iterator[Candidate | Unfit]:
    """What a reply gives, or what is wrong with it."""
    if said.text is None:
        reason = "the writer gave no reply; the same command asks again"
        yield Unfit(rule="no-reply", reason=reason, clip=wish.clip, by=session.name)
        return
    by, found = session.provenance(asked, said), how.read(said.text)
    if isinstance(found, str):
        reason = f"the writer's reply cannot be used: {found}"
        yield Unfit(rule="unreadable", reason=reason, clip=wish.clip, reply=said.text, by=by["model"])
        return
    yield from how.take(wish, found, said.text, by)


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
