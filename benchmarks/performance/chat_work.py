"""The open questions that are judged: 2,000 of AIR-Bench chat's size, no two alike, and what a model replied."""

import json
import random
from pathlib import Path

from work import DONE, write_noise

TASKS = {
    "speech_QA": ("speech", "speech"),
    "speech_dialogue_QA": ("speech", "speech"),
    "sound_QA": ("sound", "sound"),
    "music_QA": ("music", "music"),
    "speech_and_sound_QA": ("mixed", ""),
    "speech_and_music_QA": ("mixed", ""),
}
SENTENCE = (
    "a woman says quietly that the train to the coast was late again while rain falls on a tin roof and somebody in "
    "the next room tunes an old guitar; after about twelve seconds a dog barks twice, a door closes, the voice stops, "
    "and a slow melody in a minor key begins, played by strings over a soft drum at roughly ninety beats a minute"
)
DESCRIPTION, QUESTION, REFERENCE, REPLY = 600, 80, 200, 300  # characters
CLIP_S = 0.1


def make_chat(folder: Path, n_items: int) -> tuple[Path, Path]:
    """A benchmark folder of open questions and a file of replies to it, made if they are not there yet.

    Args:
        folder: where such folders are kept; the benchmark becomes a folder in it.
        n_items: how many items, each with a clip of its own, too short to matter.

    Returns:
        The benchmark, and the replies as the scripted model ``replay`` says them again.
    """
    made = folder / f"bench-chat-{n_items}"
    replies = made / "replies.jsonl"
    if (made / DONE).exists():
        return made, replies
    (made / "audio").mkdir(parents=True, exist_ok=True)
    draw = random.Random("chat")
    with (made / "metadata.jsonl").open("w", encoding="utf-8") as metadata, replies.open("w", encoding="utf-8") as said:
        for i in range(n_items):
            file_name = f"audio/{i:06d}.wav"
            write_noise(made / file_name, seed=i, seconds=CLIP_S)
            item = {
                "id": f"item-{i:06d}",
                "task": list(TASKS)[i % len(TASKS)],
                "question": prose(draw, i, QUESTION).rstrip(".") + "?",
                "file_name": file_name,
                "options": [],
                "answer": prose(draw, i, REFERENCE),
                "meta": json.dumps({"text": prose(draw, i, DESCRIPTION - 40), "gender": "female", "take": i}),
            }
            metadata.write(json.dumps(item) + "\n")
            reply = {"item": item["id"], "variant": "plain", "text": prose(draw, i, REPLY), "attempts": 1}
            said.write(json.dumps(reply) + "\n")
    (made / "benchmark.toml").write_text(card(made.name), encoding="utf-8")
    (made / DONE).touch()
    return made, replies


def prose(draw: random.Random, number: int, length: int) -> str:
    """Words up to about that many characters; the number makes each text another one."""
    words = SENTENCE.split()
    text = f"In take {number}"
    while len(text) < length - 6:
        text += " " + draw.choice(words)
    return text + "."


def card(name: str) -> str:
    """The benchmark's card, with the tasks of AIR-Bench chat in its pools."""
    lines = ["[benchmark]", f'name = "{name}"', 'version = "1"']
    for task, (category, pool) in TASKS.items():
        lines += ["", "[[task]]", f'name = "{task}"', 'kind = "open"', f'category = "{category}"']
        lines += [f'pool = "{pool}"'] if pool else []
    return "\n".join([*lines, ""])
