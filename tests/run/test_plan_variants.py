"""What is asked without the items' own clips."""

import asyncio
import hashlib
import json

import pytest

from audiometry import bench as benches
from audiometry.audio import clip as clips
from audiometry.choices.variant import WITHOUT_CLIP, asked_names, variant_names
from audiometry.dispatch.ask import audio_sha256, prompt_sha256
from audiometry.errors import AudioError
from audiometry.records import ModelCard
from audiometry.run import layout
from audiometry.run.other_clip import OtherClips
from audiometry.run.plan import Plan

GOLDEN = "b6e9923b276d6fbf91d8d3ba4a295e3f29b10600aca614905d976eaf075b8679"


def plan_of(folder, *, seed=0, limit=None, variants=WITHOUT_CLIP, card=None, tasks=()):
    benchmark = benches.load(folder, absent=())  # clips are looked at when their turn comes
    how = layout.stamp("ours", "audio-first")
    return Plan(
        benchmark,
        benchmark.select(tasks, limit),
        variant_names(asked_names(1), variants),
        how,
        card or ModelCard(),
        seed,
    )


def built(plan):
    async def go():
        return {(ask.item, ask.variant): await ask.build() for ask in plan.asks(set())}

    return asyncio.run(go())


def sent(plan):
    return {key: (prompt_sha256(prompt), audio_sha256(prompt)) for key, prompt in built(plan).items()}


def in_words_alone(folder):
    """The folder, with tasks whose items need no clip."""
    card = folder / "benchmark.toml"
    card.write_text(card.read_text().replace("[[task]]\n", '[[task]]\naudio = "optional"\n'))
    return folder


def rewrite(folder, change):
    path = folder / "metadata.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in change(rows)))


def test_the_same_seed_gives_the_same_bytes_of_all_that_is_sent(benchmark):
    folder = benchmark(6, frames=800)
    first = sent(plan_of(folder))
    assert first == sent(plan_of(folder))
    other = sent(plan_of(folder, seed=1))
    changed = {variant for (item, variant) in first if first[item, variant] != other[item, variant]}
    assert "noise" in changed
    assert not {"plain", "silence", "text-only"} & changed


def test_silence_and_whose_clip_stands_in_never_change(benchmark):
    plan = plan_of(benchmark(8, tasks=("pitch", "instrument")), seed=5, variants=["silence", "other-clip"])
    lines = "".join(f"{key} {value}\n" for key, value in sorted(sent(plan).items()))
    assert hashlib.sha256(lines.encode()).hexdigest() == GOLDEN


def test_words_and_options_are_those_of_plain(benchmark):
    prompts = built(plan_of(benchmark(5)))
    for (item, variant), prompt in prompts.items():
        assert prompt.text == prompts[item, "plain"].text
        assert prompt.options == prompts[item, "plain"].options
        assert prompt.variant == variant
        assert len(prompt.audio) == (0 if variant == "text-only" else 1)


def test_noise_and_silence_are_as_long_as_the_clip(benchmark):
    prompts = built(plan_of(benchmark(3, frames=5_000, rate=8_000)))
    for (item, variant), prompt in prompts.items():
        if variant in {"noise", "silence"}:
            (real,), (made,) = prompts[item, "plain"].audio, prompt.audio
            assert (made.duration_s, made.rate, made.channels) == (real.duration_s, real.rate, real.channels)
            assert made.changes[0].startswith(f"replaced by {variant}")
            assert clips.read(made.data).samples.any() == (variant == "noise")


def test_a_selection_and_the_order_of_items_change_nothing(benchmark):
    folder = benchmark(12, tasks=("pitch", "instrument"))
    every = sent(plan_of(folder, seed=2))
    for some in (sent(plan_of(folder, seed=2, limit=3)), sent(plan_of(folder, seed=2, tasks=["pitch"]))):
        assert some.items() < every.items()
    rewrite(folder, lambda rows: rows[::-1])
    assert sent(plan_of(folder, seed=2)) == every


def test_another_clip_is_of_the_same_task_with_another_answer(benchmark):
    folder = in_words_alone(benchmark(24, tasks=("pitch", "instrument")))
    plan = plan_of(folder)
    taken = set()
    for item in plan.benchmark:
        other = next(plan.others.candidates(item))
        assert (other.task, other.id == item.id, other.answer == item.answer) == (item.task, False, False)
        taken.add(other.id)
    assert len(taken) > 8  # not always the same few


def test_every_item_that_may_stand_in_is_a_candidate_once_and_the_best_come_first(benchmark):
    folder = in_words_alone(benchmark(24, tasks=("pitch", "instrument")))
    rewrite(folder, lambda rows: [row | ({"group": "band"} if n < 4 else {}) for n, row in enumerate(rows)])
    rewrite(folder, lambda rows: [row | ({"file_name": ""} if n == 5 else {}) for n, row in enumerate(rows)])
    loaded = benches.load(folder)
    item = loaded.item("i0")
    found = list(OtherClips(loaded, 0).candidates(item))
    assert sorted(other.id for other in found) == sorted(f"i{n}" for n in range(4, 24) if n != 5)
    kinds = [(other.task != item.task, other.answer == item.answer and other.task == item.task) for other in found]
    assert kinds == sorted(kinds, key=lambda kind: (kind[0], kind[1]))


def test_each_candidate_is_equally_likely(benchmark):
    loaded = benches.load(benchmark(9))
    item, n = loaded.item("i0"), 1_200
    firsts = [next(OtherClips(loaded, seed).candidates(item)).id for seed in range(n)]
    counts = {name: firsts.count(name) for name in set(firsts)}
    assert set(counts) == {"i1", "i2", "i3", "i5", "i6", "i7"}  # i4 and i8 have the answer of i0
    assert sum((count - n / 6) ** 2 / (n / 6) for count in counts.values()) < 20.5  # chi-squared(5), p = 0.001


def test_never_the_bytes_of_its_own_clip(benchmark):
    folder = benchmark(6)
    for n in (1, 2, 3):  # copies under other names
        (folder / f"audio/{n}.wav").write_bytes((folder / "audio/0.wav").read_bytes())
    for seed in range(5):
        prompts = built(plan_of(folder, seed=seed, variants=["other-clip"]))
        for (item, variant), prompt in prompts.items():
            if variant == "other-clip":
                assert prompt.audio[0].sha256 != prompts[item, "plain"].audio[0].sha256


def test_a_broken_clip_does_not_stand_in(benchmark):
    folder = benchmark(6)
    plan = plan_of(folder, variants=["other-clip"])
    item = plan.benchmark.item("i0")
    first, second = (other for other, _ in zip(plan.others.candidates(item), range(2), strict=False))
    (folder / first.file_name).write_bytes(b"no audio")
    prompt = asyncio.run(plan.build(item, "other-clip"))
    assert prompt.audio[0].changes == (f"replaced by the clip of {second.id}",)


def test_one_clip_alone_has_no_other(benchmark):
    plan = plan_of(benchmark(1), variants=["other-clip"])
    with pytest.raises(AudioError, match="item i0: no other item has a clip to stand in"):
        asyncio.run(plan.build(plan.benchmark.item("i0"), "other-clip"))


def test_if_all_others_are_broken_the_last_says_so(benchmark):
    folder = benchmark(2)
    (folder / "audio/1.wav").write_bytes(b"")
    plan = plan_of(folder, variants=["other-clip"])
    with pytest.raises(AudioError, match=r"audio/1\.wav: empty"):
        asyncio.run(plan.build(plan.benchmark.item("i0"), "other-clip"))


def test_an_item_of_several_clips_has_each_replaced(benchmark):
    folder = benchmark(6)
    two = {"file_name": "", "file_names": ["audio/0.wav", "audio/1.wav"]}
    rewrite(folder, lambda rows: [row | (two if row["id"] == "i0" else {}) for row in rows if row["id"] != "i1"])
    prompts = built(plan_of(folder))
    assert {variant: len(prompts["i0", variant].audio) for variant in ("plain", *WITHOUT_CLIP)} == {
        "plain": 2, "noise": 2, "silence": 2, "other-clip": 2, "text-only": 0,
    }  # fmt: skip
    one, other = prompts["i0", "noise"].audio
    assert one.sha256 != other.sha256


def without_first(folder, n=1):
    silent = {f"i{k}" for k in range(n)}
    rewrite(folder, lambda rows: [row | ({"file_name": ""} if row["id"] in silent else {}) for row in rows])
    return in_words_alone(folder)


def test_an_item_without_a_clip_is_not_asked_without_it(benchmark):
    plan = plan_of(without_first(benchmark(3)))
    prompts = built(plan)
    assert [variant for item, variant in prompts if item == "i0"] == ["plain"]
    assert len(plan) == len(prompts) == 3 + 2 * len(WITHOUT_CLIP)
    assert plan.count({("i0", "plain"), ("i0", "noise"), ("i1", "noise")}) == 2


def test_items_without_a_clip_have_no_part_in_whether_a_model_listens(cli, benchmark, tmp_path):
    folder, run = without_first(benchmark(12), 4), tmp_path / "run"
    words = ["run", folder, "--model", "scripted/deaf", "--variant", "silence", "--variant", "text-only", "-o", run]
    found = cli(*words, "--json").json
    assert len((run / "replies.jsonl").read_text().splitlines()) == 12 + 2 * 8
    assert found["listening"]["n_without_clip"] == 4
    assert {one["n_items"] for one in found["listening"]["conditions"].values()} == {8}
    strict = found["scores"]["strict"]
    assert {row["n_items"] for row in strict["variants"].values()} == {8}
    assert (strict["n_items"], strict["complete"], strict["failures"]) == (12, True, {})
    said = cli("run", *words[1:])
    assert said.code == 0
    assert "Items that name no clip have no part in it: 4." in said.out
    assert cli("list", "runs", tmp_path, "--json").json[0]["planned"] == 28
    assert cli("report", run, "-o", tmp_path / "r.html").code == 0
    assert "Items that name no clip have no part in it: 4." in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_where_no_item_has_a_clip_there_is_nothing_to_listen_to(cli, benchmark, tmp_path):
    folder = without_first(benchmark(3), 3)
    done = cli("run", folder, "--model", "scripted/deaf", "--variant", "noise", "-o", tmp_path / "run", "--json")
    assert done.code == 0
    assert done.json["listening"] is None
    assert done.json["scores"]["strict"]["variants"] == {}


def test_an_unreadable_clip_fails_wherever_it_is_needed(benchmark):
    folder = benchmark(3)
    (folder / "audio/0.wav").write_bytes(b"")
    plan = plan_of(folder)
    item = plan.benchmark.item("i0")
    for variant in ("plain", "noise", "silence", "other-clip"):
        with pytest.raises(AudioError, match=r"audio/0\.wav: empty"):
            asyncio.run(plan.build(item, variant))
    assert asyncio.run(plan.build(item, "text-only")).audio == ()


def test_a_run_grows_by_variants_and_asks_nothing_twice(cli, benchmark, replies, tmp_path):
    folder, run = benchmark(4), tmp_path / "run"
    assert cli("run", folder, "--model", "scripted/deaf", "-o", run).code == 0
    assert cli("run", folder, "--model", "scripted/deaf", "-o", run, "--variant", "silence").code == 0
    grown = cli("run", folder, "--model", "scripted/deaf", "-o", run, "--variant", "text-only", "--variant", "silence")
    assert grown.code == 0
    asked = [(line["item"], line["variant"]) for line in replies(run)]
    assert len(asked) == len(set(asked)) == 12
    assert [variant for _, variant in asked] == ["plain"] * 4 + ["silence"] * 4 + ["text-only"] * 4
    assert json.loads((run / "run.json").read_text())["variants"] == ["plain", "silence", "text-only"]
