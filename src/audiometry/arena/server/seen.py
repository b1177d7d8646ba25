"""What a voter is shown of the settings and of a battle, as it goes over the wire."""

from __future__ import annotations

from audiometry.arena.server import wire
from audiometry.arena.server.settings import Settings
from audiometry.arena.store.nouns import Battle, Voter


def page_settings(voter: Voter, settings: Settings, languages: tuple[str, ...], *, in_study: bool) -> wire.PageSettings:
    """What the page has to know; a study has its own consent, reveals nothing and shows no board."""
    speaking, vote, consent = settings.recording, settings.vote, settings.consent
    is_agreed = consent is None or voter.consent == consent.version
    return wire.PageSettings(
        title=settings.title,
        outcomes=vote.outcomes,
        tags=vote.tags,
        comment=vote.comment,
        shortcuts=vote.shortcuts,
        longest_s=speaking.longest_s,
        largest_bytes=speaking.largest_bytes,
        typed=speaking.typed,
        upload=speaking.upload,
        processing=wire.Processing(speaking.echo_cancellation, speaking.noise_suppression, speaking.auto_gain_control),
        reveal=vote.reveal and not in_study,
        steps=settings.asking.steps,
        board=not in_study,
        consent=None if consent is None or is_agreed else wire.Consent(consent.version, consent.text),
        languages=languages,
    )


def seen(battle: Battle) -> wire.Battle:
    """A battle as it goes over the wire."""
    return wire.Battle(
        battle=battle.id,
        state=battle.state,
        query=wire.Query(battle.text, f"/audio/{battle.recording}" if battle.recording else ""),
        a=battle.a,
        b=battle.b,
        outcome=battle.outcome or None,
        comment=battle.comment,
        tags=battle.tags,
    )
