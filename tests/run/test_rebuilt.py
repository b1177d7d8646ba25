"""Prompts built again from what a run folder says of them."""

import msgspec
import pytest

from audiometry import bench
from audiometry.dispatch.ask import prompt_sha256
from audiometry.files.run_folder import BenchmarkStamp, RecipeStamp, RunInfo
from audiometry.records import Audio, Item, ReplyRecord
from audiometry.run import layout
from audiometry.run.rebuilt import Rebuilt
from audiometry.run.recipes import digest, recipes

CLIP = Audio(data=b"", format="wav", sha256="ab", rate=1, channels=1, duration_s=1.0)
SINGLE = Item(id="i", task="t", question="What?", options=("it's", "b"), answer="b", file_name="a.wav")
OPEN = Item(id="o", task="t", question="What?", file_name="a.wav")
ASKS = [(recipe, ask) for recipe in recipes().values() for ask in recipe.ask]


def rebuilt(stamp):
    info = RunInfo(
        benchmark=BenchmarkStamp(name="b", version="1", source="b", sha256="0"),
        model="scripted/oracle",
        parameters={},
        prompt=stamp,
        seed=3,
        variants=("plain",),
        n_items=1,
        versions={},
        started="",
    )
    return Rebuilt(bench.load("mini"), info)


@pytest.mark.parametrize(("recipe", "ask"), ASKS, ids=[f"{recipe.name}-{i}" for i, (recipe, _) in enumerate(ASKS)])
def test_a_recipe_is_found_again_while_it_says_the_same(recipe, ask):
    own = ask.as_layout
    stamp = layout.stamp(ask.layout or "recipe", ask.part_order, own)
    said = RecipeStamp(name=recipe.name, sha256=digest(recipe, ask), wording=ask.wording)
    stamp = msgspec.structs.replace(stamp, recipe=said)
    for item in (SINGLE, OPEN):
        if own.single if item.options else own.open:
            prompt = layout.prompt(item, "plain", item.options, [CLIP], stamp, own)
            record = ReplyRecord(item=item.id, prompt_sha256=prompt_sha256(prompt), audio_sha256="ab", text="A")
            found = rebuilt(stamp).words(item, record)
            assert found is not None
            assert [turn.role for turn in found.turns] == [turn.role for turn in prompt.turns]
            assert found.text == prompt.text
            for other in ({"own": True}, {"sha256": "0" * 64}, {"name": "gone"}):
                changed = msgspec.structs.replace(stamp, recipe=msgspec.structs.replace(said, **other))
                assert rebuilt(changed).words(item, record) is None


def test_what_cannot_be_laid_out_is_not_rebuilt():
    plain = layout.stamp("ours", "audio-first")
    many = msgspec.structs.replace(SINGLE, options=tuple(map(str, range(30))))
    assert rebuilt(plain).words(many, ReplyRecord(item="i")) is None
    assert rebuilt(plain).words(SINGLE, ReplyRecord(item="i", variant="order-x")) is None
    assert rebuilt(msgspec.structs.replace(plain, layout="gone")).words(SINGLE, ReplyRecord(item="i")) is None
