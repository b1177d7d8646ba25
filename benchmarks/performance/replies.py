"""What a model might have replied to the made release: letters, or whole sentences. Every row gets a reply."""

import json
import random
from pathlib import Path
from typing import Any

SHORT = ("{letter}", "{letter}", "{letter}.", "({letter})", "{letter}. {option}", "{option}")
OPENINGS = (
    "The recording begins quietly and becomes more distinct after about {seconds} seconds.",
    "Listening closely, I can make out a steady background with one clear event at {seconds} s.",
    "In this clip, the main source is near the microphone and slightly compressed (take {number}).",
    "There is some noise at first, but from second {seconds} on the sound is clear.",
    "Based on the audio, several features stand out: pitch, timbre and the pauses around {seconds} s.",
)
MIDDLES = (
    "It does not sound like {other}, because the onset is too soft for that.",
    "At first one might think of {other}, though the rest of the clip speaks against it.",
    "I considered {other} as well; however, the timbre does not fit.",
    "Neither the level nor the spectrum suggests {other}.",
    "This is consistent with what is described in the question, so I compared the four candidates one by one.",
    "",
)
CLOSINGS = (
    "Therefore, the answer is {letter}.",
    "The most suitable answer is ({letter}) {option}.",
    "So the correct choice is {option}.",
    "I would say that it is {option}.",
    "My best guess is option {letter}, {option}.",
    "**Answer: {letter}**",
    "This strongly suggests {option}.",
    "It could be {option} or {other}; it is hard to tell from such a short clip.",
    "I'm sorry, but I cannot determine this from the audio alone.",
    "Final answer: {letter}) {option}",
)
REASONED = "<think>{text}</think>\n{closing}"


def write_replies(release: Path, kind: str, path: Path) -> Path:
    """Replies of a kind, ``letters`` or ``prose``, as lines that the scripted model ``replay`` says again.

    Args:
        release: the folder that holds ``Foundation/``.
        kind: of replies.
        path: the file to write.
    """
    rows = json.loads((release / "Foundation" / "Foundation_meta.json").read_text(encoding="utf-8"))
    draw = random.Random(kind)
    with path.open("w", encoding="utf-8") as out:
        for row in rows:
            name = f"{row['task_name']}_{row['dataset_name']}/{row['uniq_id']}"
            text = {"letters": short, "prose": prose}[kind](row, draw)
            out.write(json.dumps({"item": name, "variant": "plain", "text": text, "attempts": 1}) + "\n")
    return path


def short(row: dict[str, Any], draw: random.Random) -> str:
    """A letter, in one of the usual dresses, or the option's text."""
    return draw.choice(SHORT).format_map(chosen(row, draw))


def prose(row: dict[str, Any], draw: random.Random) -> str:
    """Some sentences, no two replies alike: a description, a doubt, a conclusion; one in ten thinks aloud."""
    said = chosen(row, draw) | {"seconds": f"{draw.uniform(0, 9):.1f}", "number": str(draw.randrange(1000))}
    text = f"{draw.choice(OPENINGS)} {draw.choice(MIDDLES)}".format_map(said).strip()
    closing = draw.choice(CLOSINGS).format_map(said)
    return REASONED.format(text=text, closing=closing) if draw.random() < 0.1 else f"{text} {closing}"


def chosen(row: dict[str, Any], draw: random.Random) -> dict[str, str]:
    """The option that the model takes, right two times in three, and another one."""
    options = [row[f"choice_{letter}"] for letter in "abcd" if row[f"choice_{letter}"] is not None]
    option = row["answer_gt"] if draw.random() < 2 / 3 else draw.choice(options)
    place = options.index(option)
    other = draw.choice([o for i, o in enumerate(options) if i != place])
    return {"letter": "ABCD"[place], "option": option, "other": other}
