"""Prompts for models that take no system turn."""

from __future__ import annotations

from audiometry.records import Text, Turn


def without_system(turns: tuple[Turn, ...]) -> list[Turn]:
    """The turns with each system turn put before the words of the user's next one, a blank line between."""
    held: list[str] = []
    out: list[Turn] = []
    for turn in turns:
        if turn.role == "system":
            held += [part.text for part in turn.parts if isinstance(part, Text)]
        elif held and turn.role == "user":
            said = [part.text for part in turn.parts if isinstance(part, Text)]
            clips = [part for part in turn.parts if not isinstance(part, Text)]
            words = Text("\n\n".join([*held, *said]))
            first = bool(turn.parts) and isinstance(turn.parts[0], Text)
            out.append(Turn("user", (words, *clips) if first else (*clips, words)))
            held = []
        else:
            out.append(turn)
    if held:
        out.append(Turn("user", (Text("\n\n".join(held)),)))
    return out
