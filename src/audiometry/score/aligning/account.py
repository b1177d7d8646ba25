"""The account of an alignment: how much the judge was asked, what it said, and where the rules read otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from audiometry.dispatch.tally import Usage
from audiometry.errors import shown
from audiometry.records import Verdict
from audiometry.score.aligning import wording
from audiometry.score.aligning.cases import Case, Survey, is_put
from audiometry.score.aligning.opinion import Opinion
from audiometry.score.aligning.wording import Content
from audiometry.score.extras import Agreement, Alignment, Disagreement, Mode
from audiometry.score.judging.inquiry import Inquiry
from audiometry.score.profiles import Reading
from audiometry.stats.interval import proportion

LONGEST = 200  # characters of a reply that a disagreement shows


def account(
    name: str, mode: Mode, judge: Inquiry[Content], found: Survey, opinions: Mapping[str, Opinion], usage: Usage
) -> Alignment:
    """What a judge did for one profile.

    Args:
        name: of the profile.
        mode: when the judge was asked.
        judge: who.
        found: the replies.
        opinions: the judge's, by key.
        usage: what the answers about this profile's contents took.
    """
    came = found.cases.values()
    put = [case for case in came if is_put(case.readings[name], mode)]
    asked = [opinions[case.key] for case in put if case.key]
    contents = {case.key for case in put if case.key}
    all_contents = {case.key for case in came if case.key}
    n_read = sum(case.readings[name].letter is not None for case in came)
    failures = Counter(opinion.how for opinion in asked if opinion.failed)
    return Alignment(
        judge=judge.settings.name,
        mode=mode,
        parameters=judge.parameters,
        prompt_sha256=wording.prompt_sha256(),
        journal=f"{judge.path.parent.name}/{judge.path.name}",
        n_replies=len(came),
        n_read_by_rules=n_read,
        share_read_by_rules=n_read / len(came) if came else None,
        n_put=len(asked),
        n_contents=len(contents),
        n_calls_saved=len(all_contents - contents),
        n_blank=len(put) - len(asked),
        n_chosen=sum(opinion.letter is not None for opinion in asked),
        n_none=sum(opinion.letter is None and not opinion.failed for opinion in asked),
        n_judge_failed=failures.total(),
        failures=dict(sorted(failures.items())),
        agreement=_agreement(name, put, opinions) if mode == "always" else None,
        disagreements=tuple(_disagreements(name, found, opinions)) if mode == "always" else (),
        usage=usage,
        n_requests_now=judge.requests,
    )


def _agreement(name: str, put: list[Case], opinions: Mapping[str, Opinion]) -> Agreement | None:
    clusters: dict[str, int] = {}
    same, cluster = [], []
    for case in put:
        letter = opinions[case.key].letter if case.key else None
        by_rules = case.readings[name].letter
        if letter is not None and by_rules is not None:
            same.append(float(letter == by_rules))
            cluster.append(clusters.setdefault(case.cluster, len(clusters)))
    if not same:
        return None
    estimate = proportion(np.array(same), np.array(cluster))
    return Agreement(share=estimate.value, interval=(estimate.low, estimate.high), n=len(same))


def _disagreements(name: str, found: Survey, opinions: Mapping[str, Opinion]) -> Iterator[Disagreement]:
    for (item, variant), case in found.cases.items():
        opinion, reading = opinions.get(case.key), case.readings[name]
        if opinion is None or opinion.failed or not _decided(reading) or opinion.letter == reading.letter:
            continue
        yield Disagreement(
            item=item,
            variant=variant,
            rules=reading.letter,
            how=reading.how,
            judge=opinion.letter,
            right=case.right,
            reply=shown(case.excerpt, LONGEST),
        )


def _decided(reading: Reading) -> bool:
    """Whether the rules say what a reply is: a letter, or one that declines; what they cannot read says nothing."""
    return reading.letter is not None or reading.verdict == Verdict.REFUSED
