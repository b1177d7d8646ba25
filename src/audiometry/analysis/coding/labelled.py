"""A sample of texts that was labelled with codes, and how far a coder agrees with it, each code and all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.files import jsonl
from audiometry.stats.agreement import cohen_kappa
from audiometry.stats.bootstrap import Coefficient

SAMPLE: Final = "the labelled sample"
"""What a coder is held against, where it is that."""
HELD_OUT: Final = "held-out"
ROUNDABOUT: Final = "roundabout"
Ints = NDArray[np.int64]


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """One text of the sample.

    Attributes:
        text: what was said.
        language: BCP 47; of mixed ones with a dash between.
        codes: all that it has.
        half: ``development``, from which rules were written, or ``held-out``; ``roundabout``: written after the rules,
            in words that go round the usual ones.
        praised, faulted: the codes by which it praises, or faults, what it speaks of.
    """

    text: str
    language: str
    codes: tuple[str, ...]
    half: Literal["development", "held-out", "roundabout"]
    praised: tuple[str, ...] = ()
    faulted: tuple[str, ...] = ()


class Agreed(msgspec.Struct, frozen=True, kw_only=True):
    """How far a coder gives one code where the sample has it.

    Attributes:
        code: its name; empty: all codes, each of each text a decision.
        kappa: Cohen's, by codes given and not given; None where it is not defined.
        interval: 95 %, of resampled texts; None where the sample gives none.
        precision, recall: of those that the coder gave the right ones, of those in the sample the found ones; None:
            there are none.
        n_labelled, n_given, n_both: texts with it in the sample, by the coder, and in both.
    """

    code: str
    kappa: float | None
    interval: tuple[float, float] | None
    precision: float | None
    recall: float | None
    n_labelled: int
    n_given: int
    n_both: int


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far a coder agrees with a labelled sample, or with another coder.

    Attributes:
        coder: its name.
        against: what it is held against.
        n: texts.
        whole: all codes together.
        codes: each of the book.
        n_ways, right_ways: codes of texts given by both that praise or fault something in the sample, and of how many
            the coder says the same of that.
    """

    coder: str
    against: str
    n: int
    whole: Agreed
    codes: tuple[Agreed, ...]
    n_ways: int = 0
    right_ways: int = 0


def sample(path: Path, half: str = HELD_OUT) -> tuple[Labelled, ...]:
    """The texts of one part of a sample.

    Args:
        path: of its JSON lines.
        half: which.

    Raises:
        RunFolderError: it is damaged.
    """
    return tuple(one for one in jsonl.read(path, Labelled) if one.half == half)


def agreement(
    coder: str,
    names: Sequence[str],
    right: Sequence[Labelled],
    given: Sequence[Mapping[str, tuple[bool, bool]]],
    against: str = SAMPLE,
) -> Agreement:
    """Hold a coder against the sample.

    Args:
        coder: its name.
        names: of all codes.
        right: the sample.
        given: of each text of it the codes that the coder gives, and whether each praises and faults.
        against: what the sample is called.
    """
    labelled = np.array([[name in one.codes for name in names] for one in right], np.int64)
    coded = np.array([[name in one for name in names] for one in given], np.int64)
    found = between(coder, against, names, labelled, coded)
    ways = [
        said[name] == (name in one.praised, name in one.faulted)
        for one, said in zip(right, given, strict=True)
        for name in one.codes
        if name in said and name in {*one.praised, *one.faulted}
    ]
    return msgspec.structs.replace(found, n_ways=len(ways), right_ways=sum(ways))


def between(coder: str, against: str, names: Sequence[str], right: Ints, given: Ints) -> Agreement:
    """Hold a coder against another one.

    Args:
        coder: its name.
        against: the other's, which counts for right in precision and recall.
        names: of all codes.
        right: ``int64[n, k]``, 1 where a text has a code by the other.
        given: the same by the coder.
    """
    texts = np.arange(len(right))
    return Agreement(
        coder=coder,
        against=against,
        n=len(right),
        whole=_agreed("", right.ravel(), given.ravel(), np.repeat(texts, len(names))),
        codes=tuple(_agreed(name, right[:, at], given[:, at], texts) for at, name in enumerate(names)),
    )


def _agreed(code: str, labelled: Ints, coded: Ints, texts: Ints) -> Agreed:
    found: Coefficient = cohen_kappa(labelled, coded, texts, rng=seeds.generator(0, "coding", code))
    n_labelled, n_given, n_both = int(labelled.sum()), int(coded.sum()), int((labelled & coded).sum())
    return Agreed(
        code=code,
        kappa=found.value,
        interval=None if found.low is None or found.high is None else (found.low, found.high),
        precision=n_both / n_given if n_given else None,
        recall=n_both / n_labelled if n_labelled else None,
        n_labelled=n_labelled,
        n_given=n_given,
        n_both=n_both,
    )
