"""Scoring as many items as AIR-Bench foundation has, under every profile, as one command."""

import json
import resource
import subprocess
import sys

import pytest

from audiometry.score.published import published_tasks

N_ITEMS = 24_683
WORDS = ("violin", "piano", "trumpet", "drums", "guitar", "a dog", "a cat", "rain", "a car", "speech")
SAID = ("{letter}", "{letter}.", "The answer is {letter}.", "{option}", "{letter}) {option}", "Hmm, hard to say.")


@pytest.mark.slow
def test_a_whole_release_is_scored_under_all_profiles_in_five_seconds(make_benchmark, make_run):
    tasks = published_tasks("airbench/foundation")
    card = '[benchmark]\nname = "made"\nversion = "1"\n' + "".join(
        f'[[task]]\nname = "{task.task_name}"\ncategory = "{task.category}"\n' for task in tasks
    )
    rows = [
        {
            "task": tasks[n % 19].task_name,
            "options": [WORDS[(n + k) % 10] for k in range(4)],
            "tags": {"folder": f"{tasks[n % 19].task_name}_{n % 2}"},
        }
        for n in range(N_ITEMS)
    ]
    replies = {
        f"item-{n:05}": SAID[n % 6].format(letter="ABCD"[n % 4], option=rows[n]["options"][n % 4])
        for n in range(N_ITEMS)
    }
    run = make_run(make_benchmark(rows, card=card, clips=False), replies)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "audiometry", "score", str(run), "--profile", "all", "--json"]
    done = subprocess.run(command, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    profiles = json.loads(done.stdout)["scores"]
    assert len(profiles) >= 5
    assert {scored["n_items"] for scored in profiles.values()} == {N_ITEMS}
    assert profiles["strict"]["value"] > profiles["ultraeval"]["value"]
    # time of the processor, since other work on the machine is none of its business; it uses one core
    assert (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime) <= 5
