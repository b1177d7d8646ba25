"""What a session of a run took, for the terminal."""

from __future__ import annotations

from rich.text import Text

from audiometry.dispatch.tally import Usage
from audiometry.errors import counted


def usage_line(usage: Usage, before: int, taken: int = 0) -> Text:
    """What a session of a run took: requests, time, tokens, cost.

    Args:
        usage: of the session.
        before: replies that were there before.
        taken: those of them that were taken over from another run folder.
    """
    earlier = f" ({before:,} {'was' if before == 1 else 'were'} there before" if before else ""
    earlier += (f", {taken:,} of them taken over" if taken else "") + ")" if earlier else ""
    parts = [counted(usage.replies, "reply") + earlier]
    if usage.cached:
        parts.append(f"{usage.cached:,} from the cache")
    if usage.retries:
        parts.append(counted(usage.retries, "retry"))
    if usage.latency_s:
        parts.append(f"latency {usage.latency_s['p50']:.2f} s, p90 {usage.latency_s['p90']:.2f} s")
    if usage.tokens_in or usage.tokens_out:
        parts.append(f"{usage.tokens_in:,} + {usage.tokens_out:,} tokens")
    if usage.cost_usd is not None:
        parts.append(f"${usage.cost_usd:.4f}")
    if usage.answered_by:
        parts.append("answered by " + ", ".join(f"{where} {n:,}" for where, n in usage.answered_by.items()))
    return Text(" · ".join(parts), style="dim")
