"""The link by which a recruiter sends a participant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from audiometry.errors import UsageError
from audiometry.web.study.spec import Recruitment

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class NotOursError(UsageError):
    """A link that does not lead into this study.

    Args:
        why: in one word, for the page: ``nobody`` or ``another``.
        message: one line.
    """

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


def identified(named: Recruitment, link: Mapping[str, str]) -> tuple[str, str]:
    """Who comes, and in which session of the recruiter's, by a link's parameters.

    Raises:
        NotOursError: it names nobody, or another study.
    """
    participant, session = link.get(named.participant, ""), link.get(named.session, "")
    if not _ID.fullmatch(participant) or not (session == "" or _ID.fullmatch(session)):
        raise NotOursError("nobody", f"the link's {named.participant} is none")
    if named.studies and link.get(named.study, "") not in named.studies:
        raise NotOursError("another", f"the link's {named.study} is of another study")
    return participant, session
