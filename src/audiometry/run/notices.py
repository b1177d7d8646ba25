"""What a person should know before a model is asked."""

from __future__ import annotations

from audiometry import models
from audiometry.choices import LETTERED
from audiometry.errors import counted, shown
from audiometry.models import cards
from audiometry.models.protocol import NeverVaries
from audiometry.run.execute import Prepared


def notices(run: Prepared) -> list[str]:
    """Lines for people about a run of which nothing has been asked yet; none if all is as they expect."""
    name, card = run.model.name, run.model.card
    lines = cards.notices(models.reader_of(name) or name, card, run.settings.model.extra)
    if card.needs_audio and (n := run.plan.n_without_clip):
        lines.append(
            f"{counted(n, 'item')} without a clip cannot be asked: {name} takes no prompt without one, as its card says"
        )
    return [*lines, *_unordered(run), *_alike(run), *_by_recipe(run)]


def _unordered(run: Prepared) -> list[str]:
    """That items without options are asked the same again, where options are put in several orders."""
    plan, orders = run.plan, run.settings.orders or 1
    if orders < 2:  # noqa: PLR2004  that of the benchmark
        return []
    card, of = plan.benchmark.card, plan.benchmark.items.task_of
    n = sum(card.task_named(of(position)).kind != "choice" for position in plan.positions)
    again = "once more" if orders == 2 else f"{orders - 1} times more"  # noqa: PLR2004  one besides its own
    return [
        f"--orders {orders}: {n:,} of {len(plan.positions):,} items have no options and are asked the same {again}"
    ] * (n > 0)


def _alike(run: Prepared) -> list[str]:
    """That repeats are the same replies again, where it is known that nothing can vary."""
    settings, model = run.settings, run.model
    if settings.repeats < 2:  # noqa: PLR2004  once is no repeat
        return []
    begins = f"--repeats {settings.repeats}: "
    if isinstance(model, NeverVaries) and model.never_varies:
        return [f"{begins}{model.name} says the same each time, so that nothing can vary from one to the next"]
    stated = (settings.model.temperature, settings.model.extra.get("temperature"), model.parameters.get("temperature"))
    if 0 in stated:
        without = "; leave out --temperature for the model's own" if settings.model.temperature is not None else ""
        return [f"{begins}without sampling (temperature 0) next to nothing can vary from one to the next{without}"]
    return []


def _by_recipe(run: Prepared) -> list[str]:
    """What becomes of too long and too short clips, and that no letters are shown, as a recipe or the card says."""
    plan, own, stamp = run.plan, run.model.card, run.plan.prompt.recipe
    recipe = "" if stamp is None else shown(stamp.called)
    lines = []
    narrowed = (plan.card.longest_s, plan.card.cut) != (own.longest_s, own.cut)
    source = f"as {recipe} says" if narrowed else "as the model's card says"
    if plan.card.longest_s is not None and plan.card.cut:
        lines.append(
            f"of clips longer than {plan.card.longest_s:g} s their first {plan.card.longest_s:g} s are sent, {source}"
        )
    elif plan.card.longest_s is not None and narrowed:
        lines.append(f"clips longer than {plan.card.longest_s:g} s are not sent and count as failures, {source}")
    short, told = plan.card.shortest_s, (plan.card.shortest_s, plan.card.padded) != (own.shortest_s, own.padded)
    source = f"as {recipe} says" if told else "as the model's card says"
    if short is not None and plan.card.padded:
        lines.append(f"clips shorter than {short:g} s are followed by {short:g} s of silence, {source}")
    elif short is not None and told:
        lines.append(f"clips shorter than {short:g} s are not sent and count as failures, {source}")
    if recipe and plan.prompt.style not in LETTERED:
        lines.append(f"options are shown without letters, as {recipe} says: a reply that names a letter is unanswered")
    return lines
