"""A study as its file says it (``study.toml``): who takes part, what they agree to and are asked, codes and pay."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final

import msgspec

from audiometry.errors import UndecodableError, UsageError, counted, shown
from audiometry.files import foreign

PROLIFIC: Final = "https://app.prolific.com/submissions/complete?cc={code}"
"""Where a participant of Prolific goes with a code."""

Positive = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=20_000)]
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_CURRENCY: Final = re.compile("[A-Z]{3}")
_CODE: Final = re.compile(r"[A-Za-z0-9_-]{3,40}")
_PARAMETER: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")


class Consent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``[consent]``: what people agree to, in the parts that they have to be told.

    Attributes:
        version: of all of it; kept with the time beside whoever agrees. Another text needs another version.
        text: what the study is about, what people do, its risks, the legal ground.
        receives: who receives recordings and answers.
        kept: how long they are kept.
        shared: what is shared, and with whom.
        withdraw: how one withdraws.
        contact: whom to ask.
    """

    version: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    text: Text
    receives: Text
    kept: Text
    shared: Text
    withdraw: Text
    contact: Text


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question with options: a ``[[demographics]]``, which anybody may leave out.

    Attributes:
        name: under which its answer is kept.
        question: its text.
        options: of which one is chosen.
    """

    name: str
    question: Text
    options: tuple[Text, ...]


class Screen(Question, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ``[[screening]]`` question, which has to be answered.

    Attributes:
        admit: the options with which one takes part.
    """

    admit: tuple[Text, ...]


class Check(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ``[[check]]`` of attention: the question itself says which option to choose.

    Attributes:
        question: its text, in which ``choose`` stands word for word.
        options: to choose from.
        choose: the one that the question asks for.
    """

    question: Text
    options: tuple[Text, ...]
    choose: Text


class Codes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``[codes]`` that people take back to where they came from, one for each way out.

    Attributes:
        complete: all was done.
        no_consent: they did not agree.
        screened_out: an answer of the screening does not admit them; needed where there is a screening.
        quota_full: there is no place left.
        technical_failure: something did not work, and they said so.
        withdrawn: they withdrew on the way; empty: they are asked to return their submission.
    """

    complete: str
    no_consent: str
    quota_full: str
    technical_failure: str
    screened_out: str = ""
    withdrawn: str = ""


class Pay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``[pay]``, as the payment sheet says it.

    Attributes:
        currency: its ISO 4217 code.
        complete: of a whole participation.
        screened_out: of the screening alone; needed where there is one.
    """

    currency: str
    complete: Decimal
    screened_out: Decimal = Decimal(0)


class Recruitment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``[recruitment]``: how the link says who comes; Prolific's habits unless told otherwise.

    Attributes:
        participant, study, session: names of the link's parameters.
        studies: values of ``study`` that are this study's; none: whichever comes.
        return_to: address to which a code is taken, with ``{code}`` in it; empty: people copy the code.
    """

    participant: str = "PROLIFIC_PID"
    study: str = "STUDY_ID"
    session: str = "SESSION_ID"
    studies: tuple[str, ...] = ()
    return_to: str = PROLIFIC


class StudySpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole study.

    Attributes:
        name: under which participants are kept; another name is another study, with other people.
        title: for participants.
        participants: places: how many are to complete it.
        n: votes, or answers, of each.
        minutes: how long it takes, as people are told.
        instructions: what to do, in paragraphs.
        consent, screening, demographics, check, codes, pay, recruitment: its parts.
        language: of the pages, as far as the study itself does not say their words.
        arena: file of the arena that it is in, from the study's folder; empty: none, or its models are given.
        votes_per_pair: of an arena: votes wanted for each pair of models; 0: pairs are drawn evenly.
        hold_minutes: how long a place is kept for somebody who gives no sign.
        seed: of where checks stand.
    """

    name: str
    title: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    participants: Positive
    n: Positive
    minutes: Positive
    instructions: Text
    consent: Consent
    codes: Codes
    pay: Pay
    screening: tuple[Screen, ...] = ()
    demographics: tuple[Question, ...] = ()
    check: tuple[Check, ...] = ()
    recruitment: Recruitment = Recruitment()
    language: str = "en"
    arena: str = ""
    votes_per_pair: Annotated[int, msgspec.Meta(ge=0)] = 0
    hold_minutes: Annotated[int, msgspec.Meta(ge=10, le=10_000)] = 60
    seed: int = 1

    def code(self, way_out: str) -> str:
        """The code of a way out; empty where there is none."""
        return str(getattr(self.codes, way_out))


def read(path: Path) -> StudySpec:
    """A study's file.

    Raises:
        UsageError: it cannot be read, a key is not known (the nearest is named), or what it says cannot be done.
    """
    where = shown(str(path), 200)
    try:
        found = foreign.toml(foreign.read_file(path), StudySpec)
    except UndecodableError as problem:
        raise UsageError(f"{problem.at(where)} (all keys: docs/study.md)") from None
    if why := next(_slips(found), ""):
        raise UsageError(f"{where}: {why}")
    return found


def _slips(spec: StudySpec) -> Iterator[str]:
    """What cannot be done as it is said, each with what to do."""
    if not _NAME.fullmatch(spec.name):
        yield f"name '{shown(spec.name)}' has to be small letters, digits, - and _, at most 40"
    for kind, asked in (("screening", spec.screening), ("demographics", spec.demographics)):
        yield from _names(kind, [one.name for one in asked])
    questions: tuple[Question | Check, ...] = (*spec.screening, *spec.demographics, *spec.check)
    for question in questions:
        yield from _choices(question)
    if len(spec.check) > spec.n:
        yield f"{counted(len(spec.check), 'check')} among {spec.n:,} things to do; leave some out, or set n higher"
    yield from _codes(spec)
    yield from _pay(spec)
    yield from _link(spec.recruitment)


def _names(kind: str, names: Iterable[str]) -> Iterator[str]:
    for name, n in Counter(names).items():
        if not _NAME.fullmatch(name):
            yield f"{kind}: name '{shown(name)}' has to be small letters, digits, - and _, at most 40"
        if n > 1:
            yield f"{kind}: {n} questions are called {name}; give each a name of its own"


def _choices(question: Question | Check) -> Iterator[str]:
    called = f"'{shown(question.question, 60)}'"
    if len(question.options) < 2:  # noqa: PLR2004  a choice
        yield f"{called} has {counted(len(question.options), 'option')}; a choice needs two"
    if len(set(question.options)) < len(question.options):
        yield f"{called} has the same option twice"
    wanted = question.admit if isinstance(question, Screen) else ()
    if isinstance(question, Check):
        wanted = (question.choose,)
        if question.choose not in question.question:
            yield (
                f"{called} does not say to choose '{shown(question.choose, 60)}'; put that into the question itself, "
                "word for word: nobody may be judged by what stands elsewhere"
            )
        for other in question.options:
            if other != question.choose and question.choose in other and other in question.question:
                yield (
                    f"{called} says to choose '{shown(other, 60)}', of which '{shown(question.choose, 60)}' is a part; "
                    "whoever did so would fail it"
                )
    for one in wanted:
        if one not in question.options:
            yield f"{called} has no option '{shown(one, 60)}'; options: {shown(', '.join(question.options), 200)}"
    if isinstance(question, Screen) and not question.admit:
        yield f"{called} admits nobody; list in admit the options with which one takes part"


def _codes(spec: StudySpec) -> Iterator[str]:
    codes = {name: str(code) for name, code in msgspec.structs.asdict(spec.codes).items() if code}
    for name, code in codes.items():
        if not _CODE.fullmatch(code):
            yield f"codes.{name} '{shown(code)}' has to be 3 to 40 letters, digits, - and _"
    for code, n in Counter(codes.values()).items():
        if n > 1:
            same = ", ".join(name for name, one in codes.items() if one == code)
            yield f"codes {same} are the same; each way out needs its own, else they cannot be told apart"
    if spec.screening and not spec.codes.screened_out:
        yield "codes.screened_out is missing: whoever the screening does not admit needs a code, and is paid with it"


def _pay(spec: StudySpec) -> Iterator[str]:
    pay = spec.pay
    if not _CURRENCY.fullmatch(pay.currency):
        yield f"pay.currency '{shown(pay.currency, 40)}' has to be three capital letters, as EUR, GBP or USD"
    for name, amount in (("complete", pay.complete), ("screened_out", pay.screened_out)):
        if not amount.is_finite() or amount < 0 or amount != round(amount, 2):
            yield f"pay.{name} is {amount}; give a sum of money, with two places at most"
            return
    if not pay.complete:
        yield "pay.complete is 0; say what a participation is paid"
    if spec.screening and not pay.screened_out:
        yield "pay.screened_out is missing: whoever answers the screening is paid for that"
    if pay.screened_out > pay.complete:
        yield "pay.screened_out is more than pay.complete; exchange them"


def _link(recruitment: Recruitment) -> Iterator[str]:
    names = (recruitment.participant, recruitment.study, recruitment.session)
    for name in names:
        if not _PARAMETER.fullmatch(name):
            yield f"recruitment: '{shown(name)}' cannot be the name of a link's parameter"
    if len(set(names)) < len(names):
        yield "recruitment: participant, study and session need names of their own"
    to = recruitment.return_to
    if to and ("{code}" not in to or not to.startswith("https://")):
        yield f"recruitment.return_to '{shown(to)}' has to begin with https:// and hold {{code}}"
