"""What is found about why replies are wrong."""

from __future__ import annotations

from typing import Literal

import msgspec

from audiometry.analysis.agreement.result import Agreement
from audiometry.dispatch.tally import Usage
from audiometry.files.code_book import Code


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How often a coder gave a code.

    Attributes:
        n: replies.
        value: of all that the coder coded, 0 to 1; None where it coded none.
        interval: 95 %, by clusters; None where the data give none.
        of_all: the same of all replies that came, right ones too; None where the coder coded not all that are wrong.
        of_all_interval: of that.
        how: by rule or, of a person or a judge, empty.
    """

    n: int
    value: float | None
    interval: tuple[float, float] | None
    of_all: float | None = None
    of_all_interval: tuple[float, float] | None = None
    how: dict[str, int] = {}


class Coder(msgspec.Struct, frozen=True, kw_only=True):
    """One coder.

    Attributes:
        name: ``rules``, a judge as ``provider/name``, or a person.
        kind: ``rules``, ``judge`` or ``person``.
        n_coded: replies.
        n_failed: wrong replies without a code of a judge, or codes of a person that count for nothing.
        items: by id of an item the code of its reply.
        passed_over: why codes from a file count for nothing, with a few of each reason; empty if all count.
        kept: whether it is told from the run folder what this coder said before.
        codes: by name, in the order of the book.
        usage: of a judge, what its answers took in all sessions.
        prompt_sha256: of a judge's instructions; empty for others.
    """

    name: str
    kind: Literal["rules", "judge", "person"]
    n_coded: int
    n_failed: int
    codes: dict[str, Share]
    items: dict[str, str] = {}
    passed_over: str = ""
    kept: bool = False
    usage: Usage | None = None
    prompt_sha256: str = ""


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """One reply, as an example of a code.

    Attributes:
        code, coder: which, and whose.
        item: its id.
        question, right, chosen, reply: as asked and said; ``chosen`` is empty where nothing was read.
        how: the rule, or empty.
    """

    code: str
    coder: str
    item: str
    question: str
    right: str
    chosen: str
    reply: str
    how: str


class RunModes(msgspec.Struct, frozen=True, kw_only=True):
    """Why the replies of one run are wrong.

    Attributes:
        run, model: its folder's name, and who was asked.
        n_items, n_right, n_wrong, n_lost: items; with a right reply; with one there is to explain; with none at all.
        compared: the variants without the clip by which rules know what is said of any clip.
        asked_alone: how many variants without the clip were asked, whether or not anything could be read there.
        by_chance: by code, the share of what is wrong that rules would give it if each wrong option that was chosen
            were any of the wrong ones, whatever the clip; empty where rules did not code.
        coders: rules first, then judges who were asked, then those whose codes files hold.
        quotes: of each coder and code a few.
        agreement: how far the coders agree, as `audiometry agree` says it; None with one coder.
        signature: how it was made.
    """

    run: str
    model: str
    n_items: int
    n_right: int
    n_wrong: int
    n_lost: int
    compared: tuple[str, ...]
    asked_alone: int
    by_chance: dict[str, float]
    coders: tuple[Coder, ...]
    quotes: tuple[Quote, ...]
    agreement: Agreement | None
    signature: str


class Modes(msgspec.Struct, frozen=True, kw_only=True):
    """Why the replies of runs are wrong.

    Attributes:
        benchmark: its name.
        book: the codes.
        book_sha256: of the code book.
        runs: one after the other.
        warnings: what stands in the way of a claim, a sentence each.
        n_left_out: lines and files that count for nobody, as the warnings say.
    """

    benchmark: str
    book: tuple[Code, ...]
    book_sha256: str
    runs: tuple[RunModes, ...]
    warnings: tuple[str, ...]
    n_left_out: int = 0
