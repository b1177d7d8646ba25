"""Commits of data on the hub, as a benchmark says them: ``owner/name@commit``, several apart by blanks."""

from __future__ import annotations

from msgspec.structs import replace

from audiometry.records import Card


def pinned(card: Card, revision: str) -> Card:
    """The card at the commit that a benchmark gave; unchanged if that is of other repositories."""
    commit = _commits(revision).get(card.data.repository, "")
    return replace(card, data=replace(card.data, revision=commit)) if commit else card


def moved(before: str, now: str) -> list[str]:
    """A line for each repository that stands at another commit than before.

    >>> moved("a/b@1111111aaaa c/d@22", "a/b@3333333bbbb c/d@22 e/f@44")
    ['a/b: has moved from 1111111 to 3333333 since this run was asked; what differs is asked anew']
    """
    was = _commits(before)
    return [
        f"{name}: has moved from {was[name][:7]} to {commit[:7]} since this run was asked; what differs is asked anew"
        for name, commit in _commits(now).items()
        if was.get(name, commit) != commit
    ]


def _commits(revision: str) -> dict[str, str]:
    pins = (one.rpartition("@") for one in revision.split())
    return {name: commit for name, _, commit in pins if name}
