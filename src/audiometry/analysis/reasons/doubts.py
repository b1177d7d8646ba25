"""What stands in the way of a claim about reasons, a sentence each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from audiometry.analysis import one_voter
from audiometry.analysis.coding.labelled import SAMPLE
from audiometry.analysis.coding.rules import LONGEST
from audiometry.analysis.reasons.result import Reasons
from audiometry.analysis.reasons.spoken import Spoken
from audiometry.errors import counted, shown

FEW: Final = 30  # voters, or votes
PROMISED: Final = 0.6  # kappa with the labelled sample
_MANY: Final = 0.5  # of the comments on one and the same text
_ALIKE: Final = 5  # comments alike that are told
_EXAMPLES: Final = 5


def doubts(found: Reasons, said: Spoken) -> tuple[str, ...]:
    """All of them.

    Args:
        found: what is found.
        said: the votes it is made of.
    """
    return (*_of_words(found, said), *_uncoded(found), *_of_counts(found, said))


def _of_words(found: Reasons, said: Spoken) -> Iterator[str]:
    if not found.n_commented:
        yield f"no vote has a comment; all is by the tags that were ticked on {counted(found.n_tagged, 'vote')}"
    tags = [one for one in found.reasons if one.is_tag]
    if tags:
        named = ", ".join(f"'{shown(one.code, 40)}' ({one.votes.n:,})" for one in tags[:_EXAMPLES])
        more = f" and {len(tags) - _EXAMPLES:,} more" if len(tags) > _EXAMPLES else ""
        stay = "stays as it is" if len(tags) == 1 else "stay as they are"
        yield f"{counted(len(tags), 'tag')} of no code in the book {stay}: {named}{more}"
    if said.n_other_tags:
        yield f"{counted(said.n_other_tags, 'tick')} of tags too many to have a place each are in no count"
    if cut := sum(len(one) > LONGEST for one in said.comments):
        yield f"{counted(cut, 'comment')} longer than {LONGEST:,} characters: the rest of them is not read"
    for often, n in Counter(one for one in said.comments if one).most_common(1):
        if n >= _ALIKE and n > _MANY * found.n_commented:
            yield f"{n:,} of {counted(found.n_commented, 'comment')} are the same: '{shown(often, 60)}'"


def _uncoded(found: Reasons) -> Iterator[str]:
    unread = [one for one in found.tongues if not one.is_read]
    if found.coder == "rules" and unread:
        each = ", ".join(f"{shown(one.name, 30)} {one.n:,}" for one in unread[:_EXAMPLES])
        each += ", …" if len(unread) > _EXAMPLES else ""
        n = sum(one.n for one in unread)
        yield (
            f"{counted(n, 'comment')} in languages or letters that no rule was written for, uncoded: {each}; "
            "a judge reads them (--judge)"
        )


def _of_counts(found: Reasons, said: Spoken) -> Iterator[str]:
    unknown = int((said.voter < 0).sum())
    if found.n_voters is None:
        yield "no voter is known, so that each vote stands for itself: intervals are too narrow if people voted often"
    elif unknown:
        yield f"{counted(unknown, 'vote')} of nobody known: each stands for itself, and is in no count of voters"
    yield from one_voter.told(said.voter, "votes with words")
    if found.n_said < FEW:
        yield f"only {counted(found.n_said, 'vote')} with words: shares of so few say little"
    elif found.n_voters is not None and found.n_voters < FEW:
        yield f"only {counted(found.n_voters, 'voter')}: shares of so few people say little about others"
    for one in found.agreement:
        if one.against == SAMPLE and (one.whole.kappa or 0.0) < PROMISED:
            yield f"{shown(one.coder, 60)} agrees with the labelled sample by less than kappa {PROMISED}"
