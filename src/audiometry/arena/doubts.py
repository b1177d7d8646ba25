"""What stands in the way of a claim from votes, in plain sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from audiometry.arena.board import Board
from audiometry.errors import counted, shown
from audiometry.stats.ranking import Ranking
from audiometry.stats.ranking.goodness import FEW as FEW_VOTES

LEVEL: Final = 0.05
FEW: Final = 30  # battles of a model, or voters, below which the sandwich's intervals are rough
UNEQUAL: Final = 0.9  # of the voters there are: below it some voted far more often than others
_NAMED: Final = 5  # names in a sentence
NOT_RANKED: Final = "no model is ranked: no two of them are connected by wins and losses both ways"
FEW_BATTLES: Final = f"some models have fewer than {FEW} battles; their intervals are rough"
FEW_VOTERS: Final = f"fewer than {FEW} voters; intervals are rough, as they rest on how voters differ"
UNEQUALLY: Final = "some voters voted far more often than others, so that intervals are somewhat too narrow"


def doubts(found: Board) -> list[str]:
    """A sentence each, without its full stop."""
    whole = list(of_ranking(found.ranking))
    if found.ranking.models and found.ranking.clusters != "voters":
        which = "no voter is" if found.ranking.clusters == "votes" else "some voters are not"
        whole.append(f"{which} known: such a vote stands alone, so that intervals are too narrow if people voted often")
    return [*whole, *_abuse(found)]


def _abuse(found: Board) -> Iterator[str]:
    """That votes may be nobody's opinion, if they are not left out; that more are than before."""
    its = found.look
    if its is None:
        return
    n = int((~its.stands).sum())
    if n and not found.set_apart:
        of = f"{counted(n, 'vote')} of {counted(len(its.voters), 'voter')}" if its.voters else counted(n, "vote")
        yield f"{of} may be nobody's opinion; --set-apart leaves them out of the board"
    if own := its.of_their_own:
        lines = ", ".join(f"{line:,}" for line in own[:_NAMED]) + (", …" if len(own) > _NAMED else "")
        yield (
            f"{counted(len(own), 'voter')} choose as one another do and not as others: people of another taste or "
            f"language, or votes of one hand. They count, so look at them; their first votes are on lines {lines}"
        )
    if its.alarm is not None:
        yield (
            f"{100 * its.alarm.recent:.0f} % of the last {its.alarm.n} votes look like nobody's opinion, "
            f"{100 * its.alarm.before:.1f} % before: see first whether something is broken"
        )


def of_parts(rankings: Mapping[str, Ranking]) -> tuple[list[str], dict[str, list[str]]]:
    """What is to be said of rankings side by side: what holds of several said once, then the rest of each by its name.

    Args:
        rankings: by the names of their parts.
    """
    each = {name: tuple(_of_ranking(one)) for name, one in rankings.items()}
    met = Counter(general for said in each.values() for general, _ in said if general)
    once = [
        f"in {_names([name for name, said in each.items() if general in dict(said)])}: {general}"
        for general, n in met.items()
        if n > 1
    ]
    own = {name: [text for general, text in said if met[general] <= 1] for name, said in each.items()}
    return once, own


def of_ranking(ranking: Ranking) -> Iterator[str]:
    """What is to be said of one ranking, of a part too."""
    yield from (text for _, text in _of_ranking(ranking))


def _of_ranking(ranking: Ranking) -> Iterator[tuple[str, str]]:
    """Each sentence after what it comes to without its numbers and names; empty: there is nothing without them."""
    if not ranking.models:
        yield NOT_RANKED, f"no model can be ranked: {NOT_RANKED.partition(': ')[2]}"
        return
    if not ranking.converged:
        yield "", "the search for the highest likelihood did not end: these ratings are none"
    if misfit := misfits(ranking):
        yield "", misfit
    few = [one.model for one in ranking.models if one.battles < FEW]
    if few:
        yield FEW_BATTLES, f"fewer than {FEW} battles each: {_names(few)}; their intervals are rough"
    if ranking.clusters == "voters" and ranking.n_clusters == 1:
        yield FEW_VOTERS, "1 voter only: there are no intervals, as they rest on how voters differ"
    elif ranking.clusters == "voters" and ranking.n_clusters < FEW:
        only = f"{counted(ranking.n_clusters, 'voter')} only"
        yield FEW_VOTERS, f"{only}: intervals are rough, as they rest on how voters differ"
    elif ranking.clusters == "voters" and ranking.kish_clusters < min(FEW, UNEQUAL * ranking.n_clusters):
        telling = f"{counted(ranking.n_clusters, 'voter')} tell no more than {ranking.kish_clusters:.0f}"
        head, _, tail = UNEQUALLY.partition(",")
        yield UNEQUALLY, f"{head}: {telling} with equally many votes,{tail}"
    if ranking.no_propensity and not ranking.weighted and ranking.no_propensity < ranking.votes:
        without = f"{counted(ranking.no_propensity, 'vote')} of {ranking.votes:,} without a propensity"
        yield "", f"{without}: none is used, and all votes weigh alike"
    if ranking.first is not None and ranking.side_unknown:
        unknown = f"of {counted(ranking.side_unknown, 'vote')} it is not known which reply was shown first"
        yield "", f"{unknown}: they count as if none was"


def misfits(ranking: Ranking) -> str:
    """That the votes do not fit one scale, and which pair is furthest off it; empty where they do."""
    fit = ranking.fit
    if fit is None or fit.p is None or fit.p >= LEVEL:
        return ""
    worst = fit.pairs[0]
    p = "< 0.0001" if fit.p < 0.0001 else f"= {fit.p:.4f}"  # noqa: PLR2004  as p is printed everywhere
    rough = f"; roughly so, as {counted(fit.thin, 'pair')} met fewer than {FEW_VOTES} times" if fit.thin else ""
    return (
        f"these votes do not fit one scale: chi-square {fit.chi2:.1f} on {fit.df} degrees of freedom, p {p}{rough}; "
        f"a rating is an average over whom a model met. Furthest off: {shown(worst.a, 60)} won "
        f"{100 * worst.observed:.1f} % of {counted(worst.n, 'vote')} against {shown(worst.b, 60)}, by the ratings it "
        f"would be {100 * worst.expected:.1f} %"
    )


def _names(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    between = "; " if any(", " in name for name in names[:_NAMED]) else ", "
    return between.join(shown(name, 60) for name in names[:_NAMED]) + more
