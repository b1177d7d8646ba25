"""Who asks, and the study that they may be in."""

from __future__ import annotations

import msgspec


class Who(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks.

    Attributes:
        key: a secret of the browser's, or of a study's participant.
        address: on the network, for limits alone.
        client: browser and system in a few words.
        participant: an opaque id of a study; empty: none.
    """

    key: str
    address: str = ""
    client: str = ""
    participant: str = ""


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """A study around an arena; see `web.study.spec.StudySpec`."""

    name: str
    n: int
    votes_per_pair: int = 0
