"""The variants in which items come without their own clips."""

import pytest

from audiometry.choices.variant import WITHOUT_CLIP, aside, asked_names, of_score, shown_options, variant_names
from audiometry.errors import UnknownNameError
from audiometry.records import Item


def test_the_real_clip_is_always_asked_and_comes_first():
    assert variant_names(asked_names(1)) == ("plain",)
    assert variant_names(asked_names(1), ["text-only"]) == ("plain", "text-only")
    assert variant_names(asked_names(2), ["other-clip", "noise", "noise"]) == (
        "plain",
        "order-1",
        "noise",
        "other-clip",
    )


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("nois", "noise"),
        ("Silence", "silence"),
        ("other", "other-clip"),
        ("textonly", "text-only"),
        ("text", "text-only"),
    ],
)
def test_a_slip_gets_the_nearest_name(slip, meant):
    with pytest.raises(UnknownNameError, match=f"unknown variant '{slip}'; did you mean '{meant}'"):
        variant_names(asked_names(1), ["noise", slip])


@pytest.mark.parametrize("name", ["plain", "order-1", "", "xyz"])
def test_what_is_asked_anyway_is_not_named(name):
    with pytest.raises(UnknownNameError, match=r"always asked with their own clip too.*--orders"):
        variant_names(asked_names(3), [name])


def test_only_variants_with_the_clip_make_a_score():
    every = variant_names(asked_names(3), WITHOUT_CLIP)
    assert of_score(every) == ("plain", "order-1", "order-2")
    assert aside(every) == WITHOUT_CLIP


@pytest.mark.parametrize("name", WITHOUT_CLIP)
@pytest.mark.parametrize("seed", [0, 1])
def test_nothing_but_the_sound_differs_from_plain(name, seed):
    item = Item(id="x", options=("d", "a", "c", "b"))
    assert shown_options(item, seed=seed, variant=name) == shown_options(item, seed=seed, variant="plain")
