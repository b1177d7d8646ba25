"""A study under way: participants come, go on step by step, and leave with a code that is told once all is kept."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Final, Self

import msgspec
import sqlalchemy as sa

from audiometry.errors import AudiometryError, UsageError, shown, visible
from audiometry.records.reply import now
from audiometry.web.database import Database
from audiometry.web.study import flow
from audiometry.web.study.flow import Done, Person, Step
from audiometry.web.study.link import identified
from audiometry.web.study.people import Paid, People
from audiometry.web.study.spec import Question, StudySpec
from audiometry.web.study.tables import CHECK, CONSENT, MIGRATIONS, STUDY, TEXT, VERSION_TABLE

LONGEST_TROUBLE: Final = 2_000  # characters


class Study:
    """A study in its database. Every method is one transaction, and what it gives is kept when it returns.

    Args:
        spec: the study.
        database: open, with the tables of studies.
        clock: seconds since 1970, for how long places are held.

    Raises:
        UsageError: the consent says something else than it did under the same version.
    """

    def __init__(self, spec: StudySpec, database: Database, clock: Callable[[], float] = time.time) -> None:
        self.spec, self._database, self._clock = spec, database, clock
        self._secret = self._begun()
        self._numbers: dict[str, str] = {}
        self._working: set[str] = set()

    @classmethod
    def open(cls, spec: StudySpec, url: str, clock: Callable[[], float] = time.time) -> Self:
        """A study in the database of that URL, whose tables are made or brought up to date.

        Raises:
            UsageError: it is no such URL, or the consent was changed under the same version.
            StorageError: the database does not answer.
        """
        database = Database.open(url, migrations=MIGRATIONS, version_table=VERSION_TABLE)
        try:
            return cls(spec, database, clock)
        except AudiometryError:
            database.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def arrive(self, link: Mapping[str, str]) -> str:
        """A participant comes by the recruiter's link: the token by which their browser is known from now on.

        Who came before is the same participant, in whatever browser; who is new where no place is left is told so.

        Raises:
            NotOursError: the link names nobody, or another study.
        """
        participant, session = identified(self.spec.recruitment, link)
        token = secrets.token_urlsafe(16)
        with self._writing() as people:
            number, new = people.come(participant, session)
            people.known_by(token, number)
            if new and self._is_full(people, number):
                self._leave(people, number, "quota_full")
        return token

    def who(self, token: str) -> str | None:
        """The number of whom a token stands for; None: nobody of this study."""
        if token and token not in self._numbers:
            with self._reading() as people:
                if (number := people.of_token(token)) is None:
                    return None
                self._numbers[token] = number
        return self._numbers.get(token)

    def has_begun(self, number: str) -> bool:
        """Whether a participant has come as far as the work; before that nothing of them is looked for there."""
        if number not in self._working:
            with self._reading() as people:
                if not people.person(number).instructed_at:
                    return False
            self._working.add(number)
        return True

    def look(self, number: str, done: Done) -> tuple[Person, Step]:
        """A participant and what comes next for them; keeps how far they are, and their place for longer."""
        with self._reading() as people:
            person = people.person(number)
        step = flow.step(self.spec, person, done)
        if person.exit or (step not in flow.EXITS and person.done == done.n and not self._lapses(person)):
            return person, step
        with self._step(number, done) as (people, person, step):
            if person.consent and step not in flow.EXITS:
                self._hold(people, person)
            now_is = people.person(number)
        return now_is, flow.step(self.spec, now_is, done)

    def settle(self, number: str, done: Done) -> None:
        """Count a participant as complete who had done all when the server was killed; nobody's place is prolonged."""
        with self._step(number, done):
            pass

    def consent(self, number: str, version: str, *, agreed: bool, done: Done) -> tuple[Person, Step]:
        """A participant agrees, or does not, to a version of the consent."""
        with self._step(number, done) as (people, person, step):
            if step == "consent" and version == self.spec.consent.version:
                people.add(CONSENT, participant=number, version=version, agreed=agreed, at=now())
                if not agreed:
                    self._leave(people, number, "no_consent")
                else:
                    people.note(number, consent=version, consented_at=now())
                    self._hold(people, person)
        return self.look(number, done)

    def screen(self, number: str, answers: Mapping[str, str], done: Done) -> tuple[Person, Step]:
        """A participant answers the screening.

        Raises:
            UsageError: a question is left out, or has no such option.
        """
        with self._step(number, done) as (people, _, step):
            if step == "screening":
                kept = _answers(self.spec.screening, answers)
                if missing := next((one for one in self.spec.screening if one.name not in kept), None):
                    raise UsageError(f"nothing is chosen under '{shown(missing.question)}'; it is needed")
                people.note(number, screening=kept, screened_at=now())
                if not flow.admitted(self.spec, kept):
                    self._leave(people, number, "screened_out")
        return self.look(number, done)

    def describe(self, number: str, answers: Mapping[str, str], done: Done) -> tuple[Person, Step]:
        """A participant says something of themselves, or nothing.

        Raises:
            UsageError: a question has no such option.
        """
        with self._step(number, done) as (people, _, step):
            if step == "demographics":
                people.note(number, demographics=_answers(self.spec.demographics, answers), demographics_at=now())
        return self.look(number, done)

    def begin(self, number: str, done: Done) -> tuple[Person, Step]:
        """A participant has read the instructions."""
        with self._step(number, done) as (people, _, step):
            if step == "instructions":
                people.note(number, instructed_at=now())
        return self.look(number, done)

    def check(self, number: str, n: int, chosen: str, done: Done) -> tuple[Person, Step]:
        """A participant answers an attention check; a second answer to the same one is none.

        Raises:
            UsageError: it has no such option.
        """
        with self._step(number, done) as (people, person, step):
            if step == "check" and flow.due(self.spec, person, done) == n:
                asked = self.spec.check[n]
                if chosen not in asked.options:
                    raise UsageError("nothing is chosen; it is needed")
                passed = chosen == asked.choose
                people.add(CHECK, participant=number, n=n, chosen=chosen, passed=passed, at=now())
        return self.look(number, done)

    def trouble(self, number: str, what: str, done: Done) -> tuple[Person, Step]:
        """A participant cannot go on, since something does not work."""
        with self._step(number, done) as (people, person, step):
            if not person.exit and step not in flow.EXITS:
                people.note(number, trouble=visible(what.strip()[:LONGEST_TROUBLE]))
                self._leave(people, number, "technical_failure")
        return self.look(number, done)

    def withdraw(self, number: str) -> tuple[Person, Step]:
        """A participant has taken back what they gave; what they said of themselves goes too."""
        with self._writing() as people:
            person = people.person(number)
            if not person.withdrawn_at:
                people.note(number, demographics=None, trouble="", withdrawn_at=now())
            if not person.exit:
                self._leave(people, number, "withdrawn")
        return self.look(number, Done(0))

    def under_way(self) -> list[str]:
        """Numbers of those who work still."""
        with self._reading() as people:
            return people.under_way()

    def everybody(self) -> list[Paid]:
        """All participants beside their ids."""
        with self._reading() as people:
            return people.all()

    def forget_ids(self) -> int:
        """Remove the ids of who is done and give how many there were; a keyed hash still knows who comes again."""
        with self._writing() as people:  # who is under way could not be paid without
            n = people.forget_ids([one.person.number for one in people.all() if self.is_here(one.person)])
        self._database.forget()
        return n

    def is_here(self, person: Person) -> bool:
        """Whether somebody is under way: has a place still, or came not long ago and has none yet."""
        until = person.held_until
        if until is None:
            until = datetime.fromisoformat(person.arrived_at).timestamp() + self.spec.hold_minutes * 60
        return not person.exit and until > self._clock()

    def _begun(self) -> bytes:
        """The study's secret; made at its first start, beside what its consent says."""
        name, consent = self.spec.name, self.spec.consent
        text = msgspec.json.encode(consent).decode()
        of = (TEXT.c.study == name) & (TEXT.c.version == consent.version)
        with self._database.writing() as c:
            self._database.hold(c, _key(name))
            secret = c.execute(sa.select(STUDY.c.secret).where(STUDY.c.name == name)).scalar()
            if secret is None:
                secret = secrets.token_bytes(32)
                c.execute(sa.insert(STUDY).values(name=name, secret=secret, made_at=now()))
            held = c.execute(sa.select(TEXT.c.text).where(of)).scalar()
            if held is None:
                c.execute(sa.insert(TEXT).values(study=name, version=consent.version, text=text))
            elif held != text:
                raise UsageError(
                    f"the consent of study {name} was changed, and its version is still {shown(consent.version)}; "
                    "give it another version, and those who are under way are asked again"
                )
        return bytes(secret)

    @contextmanager
    def _reading(self) -> Iterator[People]:
        with self._database.reading() as connection:
            yield People(connection, self.spec.name, self._secret)

    @contextmanager
    def _writing(self) -> Iterator[People]:
        with self._database.writing() as connection:
            self._database.hold(connection, _key(self.spec.name))
            yield People(connection, self.spec.name, self._secret)

    @contextmanager
    def _step(self, number: str, done: Done) -> Iterator[tuple[People, Person, Step]]:
        """A participant where they stand now, which is kept, while nobody else changes anything."""
        with self._writing() as people:
            person = people.person(number)
            step = flow.step(self.spec, person, done)
            if not person.exit and done.n != person.done:
                people.note(number, done=done.n)
            if not person.exit and step in flow.EXITS:
                self._leave(people, number, step)
            yield people, person, step

    def _lapses(self, person: Person) -> bool:
        """Whether it is time to hold somebody's place for longer."""
        return bool(person.consent) and (person.held_until or 0) - self._clock() < self.spec.hold_minutes * 30

    def _hold(self, people: People, person: Person) -> None:
        """Hold a place, or tell that none is left."""
        if not self._is_held(person) and self._is_full(people, person.number):
            self._leave(people, person.number, "quota_full")
        else:
            people.note(person.number, held_until=self._clock() + self.spec.hold_minutes * 60)

    def _is_held(self, person: Person) -> bool:
        return (person.held_until or 0) > self._clock()

    def _is_full(self, people: People, but: str) -> bool:
        return people.taken(but, self._clock()) >= self.spec.participants

    @staticmethod
    def _leave(people: People, number: str, way_out: str) -> None:
        people.note(number, exit=way_out, exit_at=now(), held_until=None)


def _answers(asked: tuple[Question, ...], given: Mapping[str, str]) -> dict[str, str]:
    """Answers as they are kept: those to questions that are asked, each an option of its own."""
    for one in asked:
        if given.get(one.name, one.options[0]) not in one.options:
            raise UsageError(f"'{shown(one.question)}' has no such option; load the page again")
    return {one.name: given[one.name] for one in asked if one.name in given}


def _key(name: str) -> int:
    """The lock of a study's places."""
    return int.from_bytes(hashlib.sha256(f"study {name}".encode()).digest()[:8], "big") >> 1
