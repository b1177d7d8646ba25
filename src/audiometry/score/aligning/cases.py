"""The replies of a run as a judge may be asked about them, and what the rules make of each."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from audiometry.records import Verdict
from audiometry.score.aligning.opinion import Opinion
from audiometry.score.aligning.wording import Content, content
from audiometry.score.extras import Mode
from audiometry.score.judged import OpenRun, replies
from audiometry.score.profiles import AnyProfile as Profile
from audiometry.score.profiles import Reading, as_shown

EXCERPT = 300  # characters of a reply that are kept to be shown


class Case(msgspec.Struct, frozen=True):
    """One reply that came.

    Attributes:
        key: of its content; empty for a blank reply or an item without options, which no judge is asked about.
        readings: what the rules make of it, by profile.
        right: the letter of the right option; None if not known.
        cluster: what its item shares with items that are not independent of it.
        excerpt: its beginning.
    """

    key: str
    readings: dict[str, Reading]
    right: str | None
    cluster: str
    excerpt: str


class Survey(msgspec.Struct, frozen=True):
    """All replies of a run that came.

    Attributes:
        cases: by item and variant, in the order of arrival; the last reply counts.
        contents: what there is to be asked about, by key.
    """

    cases: dict[tuple[str, str], Case]
    contents: dict[str, Content]

    def put(self, name: str, mode: Mode) -> dict[str, Content]:
        """What a profile has to put to the judge, by key."""
        return {
            case.key: self.contents[case.key]
            for case in self.cases.values()
            if case.key and is_put(case.readings[name], mode)
        }


def survey(run: OpenRun, profiles: Mapping[str, Profile]) -> Survey:
    """Read a run's replies once.

    Args:
        run: with all its variants.
        profiles: whose rules, by name.
    """
    cases: dict[tuple[str, str], Case] = {}
    contents: dict[str, Content] = {}
    first, *others = ((name, as_shown(profile, run.info.prompt.style)) for name, profile in profiles.items())
    for reply in replies(run, first[1]):
        record, item, options = reply.record, reply.item, reply.options
        if record.error is not None or record.text is None:
            continue
        about = content(item, options, record.text)
        key = about.key if about.reply and options else ""
        if key:
            contents[key] = about
        readings = {first[0]: reply.reading} | {name: p.read(record, item, options) for name, p in others}
        place = (record.item, record.variant)
        cases.pop(place, None)
        cases[place] = Case(key, readings, reply.gold, item.cluster, record.text[:EXCERPT])
    return Survey(cases, contents)


def is_put(reading: Reading, mode: Mode) -> bool:
    """Whether a reply that came is put to the judge: always, or where the rules read nothing."""
    return mode == "always" or (reading.verdict == Verdict.UNANSWERED and reading.letter is None)


def aligned(reading: Reading, mode: Mode, opinion: Opinion | None, right: str | None, failed: Reading) -> Reading:
    """What becomes of a reading by the rules once a judge was asked.

    A reply that declines stays one that declines unless the judge reads a letter from it.

    Args:
        reading: by the rules, of a reply that came.
        mode: when the judge is asked.
        opinion: the judge's; None where it is not asked since there is nothing to read.
        right: the letter of the right option.
        failed: what a reply is where the judge failed.
    """
    if not is_put(reading, mode):
        return reading
    if opinion is not None and opinion.failed:
        return failed
    if opinion is not None and opinion.letter is not None:
        if right is None:
            return Reading(Verdict.UNANSWERED, opinion.letter, "judge")
        verdict = Verdict.CORRECT if opinion.letter == right else Verdict.WRONG
        return Reading(verdict, opinion.letter, "judge")
    if reading.verdict == Verdict.REFUSED:
        return reading
    return Reading(Verdict.UNANSWERED, None, "judge-none" if opinion is not None else "blank")
