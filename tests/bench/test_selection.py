"""Which items the commands of a run name together, and whether a category was asked in full."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry import bench
from audiometry.bench import selection
from audiometry.errors import UnknownNameError, UsageError
from audiometry.files.asked import Selection, TaskExtent, signed, whole
from audiometry.files.run_folder import BenchmarkStamp, PromptStamp, RunInfo

TASKS = {"emotion": "speech", "gender": "speech", "birds": "sound", "pitch": "music", "plain": "", "absent": "smell"}
SIZES = {"emotion": 7, "gender": 3, "birds": 5, "pitch": 1, "plain": 4}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """Five tasks of three categories and none; the card names a sixth of which there is no item."""
    folder = tmp_path_factory.mktemp("bench")
    head = '[benchmark]\nname = "kinds"\n'
    card = head + "".join(f'[[task]]\nname = "{t}"\ncategory = "{c}"\naudio = "optional"\n' for t, c in TASKS.items())
    (folder / "benchmark.toml").write_text(card)
    rows = [
        {"id": f"{task}-{k}", "task": task, "question": "Q?", "options": ["a", "b"], "answer": "a"}
        for k in range(max(SIZES.values()))
        for task, n in SIZES.items()
        if k < n
    ]
    (folder / "sound.wav").write_bytes(b"RIFF")
    rows[0]["file_name"] = "sound.wav"
    (folder / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return bench.load(folder)


def ids(loaded, positions):
    return {loaded.items.at(position).id for position in positions}


def one(*tasks, limit=None, categories=(), variants=("plain",)):
    return Selection(tasks=tasks, limit=limit, categories=categories, variants=variants)


def test_categories_are_selected(loaded):
    assert len(loaded.select(categories=["speech"])) == 10
    assert len(loaded.select(categories=["speech", "sound"])) == 15
    assert ids(loaded, loaded.select(["gender"], categories=["speech", "sound"])) == {f"gender-{k}" for k in range(3)}
    assert ids(loaded, loaded.select(limit=3, categories=["speech"])) == {"emotion-0", "gender-0", "emotion-1"}


@pytest.mark.parametrize(
    ("tasks", "categories", "error", "said"),
    [
        ([], ["spech"], UnknownNameError, "unknown category of kinds 'spech'; did you mean 'speech'?"),
        ([], ["Speech"], UnknownNameError, "did you mean 'speech'?"),
        ([], ["xyz"], UnknownNameError, "known: music, sound, speech"),
        ([], [""], UnknownNameError, "unknown category of kinds ''"),
        ([], ["speech", "smell"], UsageError, "category smell of kinds: none of its items is there to be asked"),
        (["birds"], ["speech"], UsageError, "task birds of kinds is of category sound, not speech; leave one of them"),
        (["gender", "pitch"], ["speech", "sound"], UsageError, "task pitch of kinds is of category music, not speech,"),
        (["plain"], ["speech"], UsageError, "task plain of kinds is of no category, not speech"),
        (["bird"], ["speech"], UnknownNameError, "unknown task of kinds 'bird'; did you mean 'birds'?"),
    ],
)
def test_what_cannot_be_chosen_is_said(loaded, tasks, categories, error, said):
    with pytest.raises(error) as caught:
        loaded.select(tasks, categories=categories)
    assert said in str(caught.value)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_is_at_least_one(loaded, limit):
    with pytest.raises(UsageError, match=f"a limit of {limit} items: at least 1 is needed"):
        loaded.select(limit=limit)


def test_a_benchmark_without_categories_says_so(tmp_path):
    (tmp_path / "metadata.jsonl").write_text(
        '{"id": "1", "task": "t", "question": "Q", "options": ["a", "b"], "answer": "a"}\n'
    )
    (tmp_path / "benchmark.toml").write_text('[[task]]\nname = "t"\naudio = "optional"\n')
    with pytest.raises(UnknownNameError, match="none of its tasks has a category; choose with --task"):
        bench.load(tmp_path).select(categories=["speech"])


PLAIN, HEARD = ("plain",), ("plain", "noise")


@pytest.mark.parametrize(
    ("before", "now", "after"),
    [
        ([one()], one(limit=5), [one()]),
        ([one(limit=5)], one(), [one()]),
        ([one(limit=9)], one(limit=5), [one(limit=9)]),
        ([one(limit=5)], one(limit=9), [one(limit=9)]),
        ([one(limit=50)], one(limit=20), [one(limit=50)]),  # 20 is all there is: the larger number stays
        ([one("birds")], one("pitch"), [one("birds", "pitch")]),
        ([one("birds")], one(), [one()]),
        ([one()], one("birds"), [one()]),
        ([one(categories=("speech",))], one("gender"), [one(categories=("speech",))]),
        ([one(categories=("speech",))], one(categories=("sound",)), [one(categories=("sound", "speech"))]),
        ([one("emotion", "gender", "birds", "pitch")], one("plain"), [one()]),
        ([one("emotion", limit=2)], one("emotion", limit=4), [one("emotion", limit=4)]),
        ([one("emotion", limit=2)], one("birds"), [one("birds"), one("emotion", limit=2)]),
        ([one("emotion", limit=2), one("birds")], one("emotion"), [one("birds", "emotion")]),
        ([one(limit=50)], one(), [one()]),  # the same items, and all of them
        ([one("emotion", "gender", "birds", "pitch", "plain")], one(), [one()]),
        ([one(categories=("speech",))], one("birds"), [one("birds"), one(categories=("speech",))]),
        ([one("birds")], one(categories=("speech",)), [one(categories=("speech",)), one("birds")]),
        (
            [one("emotion")],
            one("gender", categories=("speech",)),
            [one("gender", categories=("speech",)), one("emotion")],
        ),
        ([one(variants=HEARD)], one(), [one(variants=HEARD)]),
        ([one()], one(variants=HEARD), [one(variants=HEARD)]),
        ([one()], one(limit=5, variants=HEARD), [one(limit=5, variants=HEARD), one()]),
        ([one(limit=5, variants=HEARD)], one(), [one(), one(limit=5, variants=HEARD)]),
        (
            [one(variants=("plain", "order-1", "silence"))],
            one(variants=HEARD),
            [one(variants=("plain", "order-1", "noise", "silence"))],
        ),
    ],
)
def test_one_more_command_never_makes_it_less(loaded, before, now, after):
    assert list(selection.joined(loaded, before, now)) == after


CHOICES = st.builds(
    one,
    st.sampled_from([*SIZES]),
    limit=st.sampled_from([None, 1, 2, 3, 6]),
    variants=st.sampled_from([PLAIN, HEARD, ("plain", "order-1")]),
) | st.builds(
    one,
    limit=st.sampled_from([None, 1, 4, 8]),
    categories=st.sampled_from([(), ("speech",), ("sound", "music")]),
    variants=st.sampled_from([PLAIN, HEARD]),
)


@given(st.lists(CHOICES, min_size=1, max_size=5))
def test_what_is_planned_is_all_that_any_command_named_and_nothing_else(loaded, commands):
    kept = ()
    for command in commands:
        kept = selection.joined(loaded, kept, command)
    each = {}
    for command in commands:
        for variant, places in selection.planned(loaded, [command]).items():
            each[variant] = each.get(variant, frozenset()) | places
    assert selection.planned(loaded, kept) == each
    assert list(selection.positions(loaded, kept)) == sorted(each["plain"])


def test_an_item_without_a_clip_is_not_planned_without_it(loaded):
    found = selection.planned(loaded, [one(variants=HEARD)])
    assert [len(places) for places in found.values()] == [20, 1]
    assert selection.count(loaded, found, {("emotion-0", "noise"), ("gender-0", "noise"), ("gone", "plain")}) == 1


def test_what_a_corrected_benchmark_no_longer_has_goes_out_of_it(loaded):
    gone = [one("tempo", "birds"), one("tempo", limit=3), one(categories=("taste",)), one("birds", categories=("sea",))]
    assert list(selection.joined(loaded, gone, one("pitch"))) == [one("birds", "pitch")]
    assert list(selection.joined(loaded, [one(categories=("taste",))], one("pitch"))) == [one("pitch")]
    moved = one("birds", "gender", categories=("speech",))  # birds were speech when that was asked
    kept = one("gender", categories=("speech",))
    assert list(selection.joined(loaded, [moved], one("pitch"))) == [one("pitch"), kept]
    gone = one("birds", categories=("speech",))
    assert list(selection.joined(loaded, [gone], one("pitch"))) == [one("pitch")]


def test_run_json_says_the_widest_of_each_and_counts_all(loaded):
    info = RunInfo(
        benchmark=BenchmarkStamp(name="kinds", version="0", source="", sha256=loaded.sha256),
        model="m",
        parameters={},
        prompt=PromptStamp(layout="ours", sha256="", part_order="audio-first"),
        seed=0,
        variants=("plain",),
        n_items=0,
        versions={},
        started="",
    )
    found = selection.stated(loaded, info, [one("gender", limit=2, variants=HEARD), one("birds", "emotion", limit=4)])
    assert (found.tasks, found.categories, found.limit) == (("birds", "emotion", "gender"), (), 4)
    assert found.variants == HEARD
    assert (found.n_items, found.n_without_clip, found.n_planned) == (6, 5, 6)
    assert [found.extent[name].n_asked for name in ("birds", "emotion", "gender", "pitch")] == [2, 2, 2, 0]
    again = selection.stated(loaded, info, [one("gender", limit=2), one()])
    assert (again.tasks, again.limit, again.n_items, again.n_without_clip) == ((), None, 20, 19)
    assert selection.stated(loaded, info, [one("plain", "birds")]).tasks == ("plain", "birds")


def asked(loaded, *selections):
    return selection.extent(loaded, selection.positions(loaded, selections))


def test_which_categories_were_asked_in_full(loaded):
    everything = asked(loaded, one())
    assert everything["emotion"] == TaskExtent(category="speech", n_asked=7, n_items=7)
    assert everything["absent"] == TaskExtent(category="smell", n_asked=0, n_items=0)
    assert whole(everything) == {"speech": True, "sound": True, "music": True, "": True, "smell": False}
    assert whole(asked(loaded, one(limit=19))) == whole(everything) | {"speech": False}
    assert whole(asked(loaded, one("emotion", "birds"))) == {
        "speech": False,
        "sound": True,
        "music": False,
        "": False,
        "smell": False,
    }
    assert list(everything) == list(TASKS)


@pytest.mark.parametrize(
    ("selections", "said"),
    [
        ([one(categories=("speech",))], ("category-speech",)),
        ([one("gender", "emotion")], ("category-speech",)),
        ([one("gender", "emotion", "birds")], ("categories-speech-sound",)),
        ([one("gender")], ("task-gender",)),
        ([one("gender", "plain")], ("tasks-gender-plain",)),
        ([one(categories=("speech",), limit=4)], ("category-speech", "limit-4")),
        ([one("gender", limit=4)], ("task-gender",)),  # all there are
        ([one("gender", limit=2), one("birds")], ("tasks-gender-birds", "items-7-of-8")),
        ([one("gender", limit=2, variants=HEARD), one("gender", limit=2)], ("task-gender", "limit-2")),
    ],
)
def test_the_signature_says_what_was_chosen_however_it_was_chosen(loaded, selections, said):
    assert signed(asked(loaded, *selections), selections) == said


def test_a_signature_names_few_and_tells_many_apart():
    def of(*chosen):
        extent = {f"a-long-name-{k}": TaskExtent(n_asked=k in chosen, n_items=1) for k in range(19)}
        return signed(extent, [one()])

    assert of(*range(19)) == ()
    assert of(3) == ("task-a-long-name-3",)
    assert signed({"x" * 40: TaskExtent(n_asked=1, n_items=1), "y": TaskExtent(n_asked=0, n_items=1)}, [one()]) == (
        f"task-{'x' * 40}",
    )
    [three], [others] = of(1, 2, 3), of(1, 2, 4)
    assert three.startswith("tasks-3-of-19-")
    assert others.startswith("tasks-3-of-19-")
    assert three != others


def test_a_benchmark_of_which_a_task_is_missing_is_no_whole_one(loaded):
    assert signed(asked(loaded, one()), [one()])[0].startswith("tasks-emotion-gender-birds-pitch-plain")
