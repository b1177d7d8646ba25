"""What a person should know before a model is asked."""

from __future__ import annotations

from audiometry import models
from audiometry.errors import counted
from audiometry.models import cards
from audiometry.run.execute import Prepared


def notices(run: Prepared) -> list[str]:
    """Lines for people about a run of which nothing has been asked yet; none if all is as they expect."""
    name, card = run.model.name, run.model.card
    lines = cards.notices(models.reader_of(name) or name, card, run.settings.model.extra)
    if card.needs_audio and (n := run.plan.n_without_clip):
        lines.append(
            f"{counted(n, 'item')} without a clip cannot be asked: {name} takes no prompt without one, as its card says"
        )
    return lines
