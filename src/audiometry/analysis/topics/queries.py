"""Queries of votes: each different one once, with how often it was asked, by whom, and in which language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.topics.words import key
from audiometry.files.votes import VoteFile
from audiometry.languages import detector, plain

Codes = NDArray[np.int64]
NONE = -1


class Queries(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked in votes.

    A battle is asked once, however many vote on it: the vote of it that stands first stands for it.

    Attributes:
        texts: each different query once, in the order of its words, spelt as it is most often.
        languages: of each, an ISO 639-1 code; empty: not known.
        told_by: whose languages these are: ``votes``, ``words`` where they were told by letters and words, or ``both``.
        of_vote: ``int64[votes]``, the query of each vote; `NONE`: it has none.
        asked: ``int64[m]``, votes that stand for a query that was asked, of each battle one.
        person: ``int64[m]``, who asked, as a number; each of an unknown voter stands alone.
        n_people: how many voters are known among them.
        n_unknown: how many of them have no voter who is known.
    """

    texts: tuple[str, ...]
    languages: tuple[str, ...]
    told_by: str
    of_vote: Codes
    asked: Codes
    person: Codes
    n_people: int
    n_unknown: int

    @property
    def of_asked(self) -> Codes:
        """``int64[m]``, the query of each time that one was asked."""
        found: Codes = self.of_vote[self.asked]
        return found

    @property
    def n_asked(self) -> Codes:
        """``int64[queries]``, how often each was asked."""
        return np.bincount(self.of_asked, minlength=len(self.texts))

    @property
    def n_without(self) -> int:
        """Votes without a query."""
        return int((self.of_vote == NONE).sum())


def queries(file: VoteFile, said: Sequence[str] | None = None) -> Queries:
    """The queries of votes; the order of the votes has no say in them.

    Args:
        file: the votes, read with their texts.
        said: the query of each vote; None: as the file has it.
    """
    texts = file.texts
    given = said if said is not None else texts.query if texts is not None else [""] * file.votes.n
    keys = {text: key(text) if any(map(str.isalnum, text)) else "" for text in set(given)}
    spelt: dict[str, Counter[str]] = {}
    for text in given:
        spelt.setdefault(keys[text], Counter())[text.strip()] += 1
    spelt.pop("", None)
    order = sorted(spelt)
    place = {one: at for at, one in enumerate(order)} | {"": NONE}
    of_vote = np.fromiter((place[keys[text]] for text in given), np.int64, len(given))
    asked = _once(of_vote, texts.battle if texts is not None else ())
    person, n_people, n_unknown = _people(file, asked)
    best = tuple(min(spelt[one], key=lambda text, one=one: (-spelt[one][text], text)) for one in order)  # type: ignore[misc]  # one is bound
    languages, told_by = _languages(file, best, of_vote)
    return Queries(
        texts=best,
        languages=languages,
        told_by=told_by,
        of_vote=of_vote,
        asked=asked,
        person=person,
        n_people=n_people,
        n_unknown=n_unknown,
    )


def _once(of_vote: Codes, battles: Sequence[str]) -> Codes:
    """Votes with a query, of a battle with the same one only the first."""
    seen: set[tuple[str, int]] = set()
    found = []
    for at in np.flatnonzero(of_vote != NONE).tolist():
        battle = battles[at] if battles else ""
        if battle and (battle, int(of_vote[at])) in seen:
            continue
        seen.add((battle, int(of_vote[at])))
        found.append(at)
    return np.array(found, np.int64)


def _people(file: VoteFile, asked: Codes) -> tuple[Codes, int, int]:
    voter = file.votes.voter
    if voter is None:
        return np.arange(len(asked)), 0, len(asked)
    who = voter[asked].astype(np.int64)
    unknown = who < 0
    n = int(who.max(initial=-1)) + 1
    who[unknown] = n + np.arange(int(unknown.sum()))
    return who, len(np.unique(who[~unknown])), int(unknown.sum())


def _languages(file: VoteFile, texts: Sequence[str], of_vote: Codes) -> tuple[tuple[str, ...], str]:
    """By the votes where these say it, of several the most frequent one; else by the text itself."""
    group = file.groups.get("language")
    said: list[Counter[str]] = [Counter() for _ in texts]
    if group is not None:
        names = [plain(value) for value in group.values]
        for query, code in zip(of_vote.tolist(), group.code.tolist(), strict=True):
            if query != NONE and code >= 0:
                said[query][names[code]] += 1
    told = [min(some, key=lambda one, some=some: (-some[one], one)) if some else "" for some in said]  # type: ignore[misc]  # some is bound
    if all(told):
        return tuple(told), "votes"
    detect = detector()
    return tuple(own or detect(text) for own, text in zip(told, texts, strict=True)), "both" if any(told) else "words"
