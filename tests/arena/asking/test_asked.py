"""Two models asked at the same time: what became of each, how long one waits, and when a model rests."""

import asyncio
import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.arena.asking import asked, rest, steps
from audiometry.arena.asking.asked import Entrant, Query
from audiometry.arena.store.nouns import Contestant
from audiometry.audio import clip, encode
from audiometry.errors import ModelError
from audiometry.records import Audio, ModelCard, Reply, Text


class Model:
    """Does what a test says."""

    def __init__(self, *acts, **card):
        self.name, self.card, self.parameters = "acme/staged", ModelCard(**card), {}
        self.acts, self.prompts, self.times = list(acts), [], []

    async def answer(self, prompt):
        self.prompts.append(prompt)
        self.times.append(time.monotonic())
        act = self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]
        if isinstance(act, float):
            await asyncio.sleep(act)
            return Reply(text="late", finish_reason="stop")
        if isinstance(act, BaseException):
            raise act
        return act if isinstance(act, Reply) else Reply(text=act, finish_reason="stop", first_token_s=0.1)


def entrant(*acts, timeout_s=5.0, whole_s=10.0, system="Be brief.", clock=time.monotonic, **card):
    made = Contestant(id=1, model="acme/staged", system_prompt=system)
    return Entrant(Model(*acts, **card), made, timeout_s=timeout_s, whole_s=whole_s, rest=rest.Rest(clock))


def asks(one, query=None):
    return asyncio.run(one.asked(query or Query(id="b", text="Is it?")))


def test_a_reply_is_kept_with_what_is_known_of_it():
    one = entrant("Yes.")
    found = asks(one)
    assert (found.state, found.text, found.finish_reason, found.first_token_s) == ("answered", "Yes.", "stop", 0.1)
    assert found.latency_s >= 0
    system, user = one.model.prompts[0].turns
    assert (system.role, system.parts, user.role, user.parts) == (
        "system", (Text("Be brief."),), "user", (Text("Is it?"),)
    )  # fmt: skip


def test_a_recording_is_sent_as_the_card_wants_it(tmp_path, sounds):
    path = tmp_path / "clip"
    path.write_bytes(encode.encode(clip.Clip(samples=sounds.tone(1.0)[:, None], rate=48_000), "flac"))
    one = entrant("Yes.", system="", rate=16_000, formats=("wav",))
    assert asks(one, Query(id="b", clip=path)).state == "answered"
    (turn,) = one.model.prompts[0].turns
    (sent,) = turn.parts
    assert isinstance(sent, Audio)
    assert (sent.format, sent.rate, sent.duration_s) == ("wav", 16_000, 1.0)


@pytest.mark.parametrize(
    ("reply", "state", "text"),
    [
        ("<think>It asks…</think> Four.", "answered", "Four."),
        ("I'm sorry, but I can't help with that.", "refused", "I'm sorry, but I can't help with that."),
        (Reply(text="No.", finish_reason="refusal"), "refused", "No."),
        (Reply(text="", finish_reason="content_filter"), "empty", ""),
        (" \n", "empty", ""),
        ("<think>for ever", "empty", ""),
        (ModelError("bad-request", "no"), "failed", ""),
        (ValueError("a bug of the provider's"), "failed", ""),
    ],
)
def test_refused_empty_and_failed_are_told_apart(reply, state, text):
    found = asks(entrant(reply))
    assert (found.state, found.text, bool(found.error)) == (state, text, state == "failed")


def test_a_failure_that_may_pass_is_tried_again_and_others_are_not():
    one = entrant(ModelError("busy", "busy", retry=True, retry_after_s=0.01), "Yes.")
    assert asks(one).state == "answered"
    other = entrant(ModelError("bad-request", "no"), "Yes.")
    assert asks(other).state == "failed"
    assert (len(one.model.prompts), len(other.model.prompts)) == (2, 1)


def test_nobody_waits_longer_than_was_said():
    began = time.monotonic()
    found = asks(entrant(30.0, timeout_s=0.05, whole_s=0.3))
    assert (found.state, "no reply within 0.3 s" in found.error) == ("failed", True)
    assert time.monotonic() - began < 5


def test_both_are_asked_at_the_same_time_and_end_together():
    one, other = entrant("at once"), entrant(0.3)
    a, b = asyncio.run(asked.both(one, other, Query(id="b", text="?")))
    assert (a.text, b.text) == ("at once", "late")
    assert abs(one.model.times[0] - other.model.times[0]) < 0.2


def test_a_model_that_keeps_failing_rests_longer_each_time_and_is_asked_again():
    now = [0.0]
    one = entrant(*[ModelError("bad-request", "no")] * 5, "Yes.", clock=lambda: now[0])
    for _ in range(2):
        asks(one)
        assert one.rest.left_s == 0
    asks(one)
    assert one.rest.left_s == rest.FIRST_S
    now[0] = rest.FIRST_S
    assert one.rest.left_s == 0
    asks(one)  # it fails again, right after its rest
    assert one.rest.left_s == 2 * rest.FIRST_S
    now[0] += 100
    asks(one)
    assert one.rest.left_s == 4 * rest.FIRST_S
    now[0] += 200
    assert asks(one).state == "answered"
    assert one.rest.left_s == 0


def test_a_key_that_is_refused_has_the_model_rest_at_once():
    one = entrant(ModelError("key", "who are you", fatal=True))
    asks(one)
    assert one.rest.left_s > 0


def test_a_recording_that_cannot_be_sent_is_no_fault_of_the_model(tmp_path):
    one = entrant("Yes.")
    for _ in range(5):
        found = asks(one, Query(id="b", clip=tmp_path / "gone"))
        assert found.state == "failed"
    assert one.rest.left_s == 0


def test_a_model_says_what_it_takes():
    assert entrant("x").takes(None)
    assert not entrant("x", needs_audio=True).takes(None)
    assert not entrant("x", longest_s=30.0).takes(31.0)
    assert entrant("x", longest_s=30.0, cut=True).takes(31.0)
    assert not entrant("x", shortest_s=1.0).takes(0.5)
    assert entrant("x", shortest_s=1.0, padded=True).takes(0.5)


@given(st.text(max_size=300), st.text(max_size=300), st.integers(1, 40))
def test_steps_grow_alike_and_end_together_with_all_of_both(a, b, n):
    found = list(steps.steps(a, b, n))
    assert len(found) == n
    assert found[-1] == (a, b)
    for side, whole in enumerate((a, b)):
        parts = [one[side] for one in found]
        assert all(whole.startswith(part) for part in parts)
        assert all(len(x) <= len(y) for x, y in itertools.pairwise(parts))
        part = max(len(whole) // n, 12)
        assert all(len(whole) * k // n - part <= len(x) <= len(whole) * k // n for k, x in enumerate(parts, 1))
