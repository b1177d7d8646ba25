"""What a session of a run took."""

from __future__ import annotations

from audiometry.dispatch.tally import Usage
from audiometry.errors import counted
from audiometry.render.document import Line, line


def usage(used: Usage, before: int, taken: int = 0) -> Line:
    """What a session of a run took: requests, time, tokens, cost.

    Args:
        used: by the session.
        before: replies that were there before.
        taken: those of them that were taken over from another run folder.
    """
    earlier = f" ({before:,} {'was' if before == 1 else 'were'} there before" if before else ""
    earlier += (f", {taken:,} of them taken over" if taken else "") + ")" if earlier else ""
    parts = [counted(used.replies, "reply") + earlier]
    if used.cached:
        parts.append(f"{used.cached:,} from the cache")
    if used.retries:
        parts.append(counted(used.retries, "retry"))
    if used.latency_s:
        parts.append(f"latency {used.latency_s['p50']:.2f} s, p90 {used.latency_s['p90']:.2f} s")
    if used.tokens_in or used.tokens_out:
        parts.append(f"{used.tokens_in:,} + {used.tokens_out:,} tokens")
    if used.cost_usd is not None:
        parts.append(f"${used.cost_usd:.4f}")
    if used.answered_by:
        parts.append("answered by " + ", ".join(f"{where} {n:,}" for where, n in used.answered_by.items()))
    return line(" · ".join(parts), weight="dim")
