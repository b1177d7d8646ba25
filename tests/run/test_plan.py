"""Same inputs and seed, same plan, byte for byte; pinned, so that it stays so over versions."""

import asyncio
import hashlib

import pytest

from audiometry import bench as benches
from audiometry.choices.variant import asked_names
from audiometry.dispatch.ask import prompt_sha256
from audiometry.errors import UnknownNameError, UnreadableAudioError, UsageError
from audiometry.records import Item, ModelCard
from audiometry.run import layout
from audiometry.run.execute import prepare
from audiometry.run.plan import Plan
from audiometry.run.settings import RunSettings

GOLDEN = "572f7a745a12926aff8fd5ef98339b7b53a51c2ba7c2df2d29d5e903a66c1319"


def plan_of(folder, seed=0, orders=3, tasks=(), limit=None, part_order="audio-first"):
    benchmark = benches.load(folder, absent=())  # clips are looked at when their turn comes
    how = layout.stamp("ours", part_order)
    return Plan(benchmark, benchmark.select(tasks, limit), asked_names(orders), how, ModelCard(), seed)


def built(plan, done=frozenset()):
    async def go():
        return [(ask.item, ask.variant, await ask.build()) for ask in plan.asks(done)]

    return asyncio.run(go())


def digest(plan):
    whole = hashlib.sha256()
    for item, variant, prompt in built(plan):
        whole.update(
            f"{item}\0{variant}\0{prompt_sha256(prompt)}\0{'|'.join(prompt.options)}\0{prompt.text}\n".encode()
        )
    return whole.hexdigest()


def test_the_plan_never_changes(benchmark):
    assert digest(plan_of(benchmark(8), seed=5)) == GOLDEN


def test_the_same_twice_and_another_with_another_seed(benchmark):
    folder = benchmark(8)
    assert digest(plan_of(folder)) == digest(plan_of(folder))
    assert digest(plan_of(folder)) != digest(plan_of(folder, seed=1))
    assert digest(plan_of(folder, orders=1)) == digest(plan_of(folder, seed=1, orders=1))  # nothing random in it


def test_the_order_of_items_does_not_change_an_item(benchmark):
    folder = benchmark(12)
    before = {(item, variant): prompt.text for item, variant, prompt in built(plan_of(folder))}
    lines = (folder / "metadata.jsonl").read_text().splitlines(keepends=True)
    (folder / "metadata.jsonl").write_text("".join(reversed(lines)))
    assert {(item, variant): prompt.text for item, variant, prompt in built(plan_of(folder))} == before


def test_a_selection_does_not_change_an_item(benchmark):
    folder = benchmark(12, tasks=("pitch", "instrument"))
    every = {(item, variant): prompt for item, variant, prompt in built(plan_of(folder))}
    for chosen in (plan_of(folder, limit=5), plan_of(folder, tasks=("pitch",)), plan_of(folder, orders=2)):
        some = built(chosen)
        assert 0 < len(some) < len(every)
        assert all(every[item, variant] == prompt for item, variant, prompt in some)


def test_what_is_done_is_left_out(benchmark):
    plan = plan_of(benchmark(4), orders=2)
    done = {("i1", "plain"), ("i2", "order-1"), ("i9", "plain"), ("i1", "order-7")}
    assert [(item, variant) for item, variant, _ in built(plan, done)] == [
        ("i0", "plain"), ("i2", "plain"), ("i3", "plain"), ("i0", "order-1"), ("i1", "order-1"), ("i3", "order-1"),
    ]  # fmt: skip
    assert plan.count(done) == 2
    assert len(plan) == 8


def test_nothing_is_read_before_its_turn(benchmark):
    folder = benchmark(3)
    asks = plan_of(folder).asks(set())
    first = next(asks)
    for path in (folder / "audio").iterdir():
        path.unlink()
    with pytest.raises(UnreadableAudioError, match=r"audio/0\.wav"):
        asyncio.run(first.build())


def test_large_files_are_read_the_same(benchmark):
    folder = benchmark(1, frames=600_000)
    (_, _, prompt), *_ = built(plan_of(folder))
    assert prompt.audio[0].data == (folder / "audio" / "0.wav").read_bytes()


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_what_never_ends_is_not_a_clip(benchmark, kind):
    import os

    path = benchmark(1) / "audio" / "0.wav"
    path.unlink()
    path.symlink_to("/dev/null") if kind == "device" else os.mkfifo(path)
    with pytest.raises(UnreadableAudioError, match=r"audio/0\.wav: a device or a pipe, not a file; replace it"):
        built(plan_of(path.parents[1]))


ITEM = Item(id="i", task="t", question=" {options} or {question}? ", options=("{question}", "a\nb"))


def test_braces_in_a_question_are_words():
    text = layout.prompt(ITEM, "plain", ITEM.options, [], layout.stamp("ours", "text-first")).text
    assert text.startswith("{options} or {question}?\n\nA. {question}\nB. a b\n\n")


def test_an_open_question_is_asked_alone():
    prompt = layout.prompt(
        Item(id="i", task="t", question="Describe it."), "plain", (), [], layout.stamp("ours", "text-first")
    )
    assert prompt.text == "Describe it."


def test_an_unknown_layout():
    with pytest.raises(UnknownNameError, match="unknown prompt layout 'theirs'"):
        layout.stamp("theirs", "text-first")


def test_the_layouts_words_never_change():
    assert (
        layout.stamp("ours", "audio-first").sha256 == "9ce08621f965e086b08b7f825452c78978c44e1d9143198c6e97c2c7732d2e23"
    )


def test_at_least_one_order(benchmark):
    with pytest.raises(UsageError, match="--orders 0: at least 1"):
        prepare(benches.load(benchmark(1)), "scripted/random", RunSettings(orders=0))
