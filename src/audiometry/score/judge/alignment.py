"""Choices aligned by a judge: the plan of such a score, and the account of what the judge was asked and said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from audiometry.choices.variant import PLAIN, without_clip
from audiometry.errors import shown
from audiometry.records import Item, ReplyRecord, State
from audiometry.records.rating import RatingLine
from audiometry.score.extras import Agreement, Alignment, Disagreement
from audiometry.score.followed import followed
from audiometry.score.judge.asked import Asker, Verdicts, asked_of, looked_up
from audiometry.score.judge.letters import Opinion, content, opinion_of
from audiometry.score.kept import keep_ratings
from audiometry.score.opened import OpenedRun
from audiometry.score.planned import Planned, by_choice
from audiometry.score.profiles import Profile
from audiometry.score.readers import Outcome
from audiometry.score.readers.aligned import AlignedReader
from audiometry.score.readers.choice import place_of_answer
from audiometry.score.result import Scored
from audiometry.score.sheet import Sheet
from audiometry.stats.estimate import estimate
from audiometry.stats.parts import SHARE, means, ratio

LONGEST = 200  # characters of a reply that a disagreement shows
EXCERPT = 300  # of them that are looked at


def by_alignment(
    run: OpenedRun, profile: Profile, reader: Asker, verdicts: Verdicts, *, told: bool = True, ratings: bool = False
) -> Planned:
    """Choices as a judge has read them: completing a profile's rules, or in its place.

    Args:
        run: whose.
        profile: with a reader of choices.
        reader: that of the profile, completed or not.
        verdicts: the judge's.
        told: give the account of the alignment as well. Whether the model listens is told by the rules alone.
        ratings: write the options that the judge read as a rating file.
    """
    plan, aligned = by_choice(run, profile), reader if isinstance(reader, AlignedReader) else None

    def finish(sheet: Sheet, made: Scored, more: Sequence[Sheet]) -> Scored:
        made = plan.finish(sheet, made, more)
        ifr = followed(more[0]) if more else None  # of the rules: what a judge makes of a reply is no form of it
        made = msgspec.structs.replace(made, extras=msgspec.structs.replace(made.extras, ifr=ifr))
        if not told or aligned is None:
            return made
        book = _Book(aligned.shown_as(run.info.prompt.style), verdicts)
        for item, reply, options, kind in asked_of(run):
            if kind in aligned.kinds:
                book.put(item, reply, options)
        unkept: tuple[str, ...] = ()
        if ratings:
            path = run.folder.path / "ratings" / f"align-{verdicts.judge.slug}.jsonl"
            unkept = keep_ratings(path, book.lines(run.info.called))
        extras = msgspec.structs.replace(made.extras, alignment=book.account())
        return msgspec.structs.replace(made, extras=extras, notes=(*made.notes, *unkept))

    signed = f"judge-{verdicts.judge.slug}"
    if aligned is not None:
        signed = f"align-{signed}{'-always' if aligned.mode == 'always' else ''}"
    readers, tested = {"choice": reader}, profile.tests_listening and without_clip(run.info.variants)
    return msgspec.structs.replace(
        plan,
        wanted=msgspec.structs.replace(plan.wanted, readers=readers, words=looked_up(run, reader, [verdicts])),
        others=(*plan.others, signed),
        finish=finish,
        more=(plan.wanted,) if aligned and (told or tested) else (),
    )


class _Book:
    """Counts what a judge did for one profile, reply after reply."""

    def __init__(self, reader: AlignedReader, verdicts: Verdicts) -> None:
        self._reader, self._verdicts = reader, verdicts
        self._n: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._every: set[str] = set()
        self._asked: set[str] = set()
        self._same: list[float] = []
        self._cluster: list[str] = []
        self._apart: list[Disagreement] = []
        self._chosen: list[tuple[str, str]] = []

    def put(self, item: Item, reply: ReplyRecord, options: Sequence[str]) -> None:
        """One reply."""
        if reply.error is not None or reply.text is None:
            return
        by_rules = self._reader.rules.read(reply, item, options)
        is_put = self._reader.puts(by_rules)
        self._n.update(replies=1, read=by_rules.letter is not None)
        about = content(item, tuple(options), reply.text)
        if not about.reply:
            self._n["blank"] += is_put
            return
        key = about.key
        self._every.add(key)
        if not is_put:
            return
        self._asked.add(key)
        opinion = opinion_of(self._verdicts.answers.of(key, about), about)
        self._n.update(put=1, chosen=opinion.letter is not None)
        self._failures.update([opinion.how] if opinion.failed else [])
        if not opinion.failed and reply.variant == PLAIN:
            self._chosen.append((item.id, opinion.letter or "none"))
        if self._reader.mode == "always":
            self._compare(item, reply, options, by_rules, opinion)

    def _compare(
        self, item: Item, reply: ReplyRecord, options: Sequence[str], by_rules: Outcome, opinion: Opinion
    ) -> None:
        if opinion.letter is not None and by_rules.letter is not None:
            self._same.append(float(opinion.letter == by_rules.letter))
            self._cluster.append(item.cluster)
        decided = by_rules.letter is not None or by_rules.state == State.REFUSED  # what they cannot read says nothing
        if opinion.failed or not decided or opinion.letter == by_rules.letter:
            return
        right = place_of_answer(item, options)
        self._apart.append(
            Disagreement(
                item=item.id,
                variant=reply.variant,
                rules=by_rules.letter,
                how=by_rules.how,
                judge=opinion.letter,
                right=chr(ord("A") + right) if right >= 0 else None,
                reply=shown((reply.text or "")[:EXCERPT], LONGEST),
            )
        )

    def account(self) -> Alignment:
        """What the judge did."""
        n, verdicts = self._n, self._verdicts
        failed = self._failures.total()
        return Alignment(
            judge=verdicts.judge.name,
            mode=self._reader.mode,
            parameters=verdicts.judge.parameters,
            prompt_sha256=verdicts.judge.prompt_sha256,
            journal=verdicts.judge.journal,
            n_replies=n["replies"],
            n_read_by_rules=n["read"],
            share_read_by_rules=n["read"] / n["replies"] if n["replies"] else None,
            n_put=n["put"],
            n_contents=len(self._asked),
            n_calls_saved=len(self._every - self._asked),
            n_blank=n["blank"],
            n_chosen=n["chosen"],
            n_none=n["put"] - n["chosen"] - failed,
            n_judge_failed=failed,
            failures=dict(sorted(self._failures.items())),
            agreement=self._agreement(),
            disagreements=tuple(self._apart),
            usage=verdicts.usage(self._asked),
            n_requests_now=verdicts.n_requests_now,
        )

    def _agreement(self) -> Agreement | None:
        if not self._same:
            return None
        cluster = np.unique(self._cluster, return_inverse=True)[1]
        found = estimate(means(self._same, cluster), ratio, [1.0], SHARE)
        return Agreement(share=found.value or 0.0, interval=found.interval or (0.0, 1.0), n=len(self._same))

    def lines(self, model: str) -> list[RatingLine]:
        """The options that the judge read in the first order of options, or none, as rating lines."""
        rater = self._verdicts.judge.name
        return [
            RatingLine(item=item, rater=rater, kind="judge", model=model, choice=letter)
            for item, letter in self._chosen
        ]
