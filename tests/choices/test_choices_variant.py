import pytest

from audiometry import choices
from audiometry.choices import variant
from audiometry.errors import UnknownNameError
from audiometry.records import Item


def test_the_variants_of_a_number_of_orders():
    assert variant.asked_names(1) == ("plain",)
    assert variant.asked_names(3) == ("plain", "order-1", "order-2")


def test_a_variant_shows_the_options_in_the_order_of_its_number():
    options = ("a", "b", "c", "d")
    item = Item(id="x", options=options)
    assert variant.shown_options(item, seed=4, variant="plain") == options
    for k in range(1, 6):
        shown = variant.shown_options(item, seed=4, variant=f"order-{k}")
        assert shown == choices.order("x", options, seed=4, order=k)


@pytest.mark.parametrize("name", ["order", "order-", "order-x", "order--1", "7", "", f"order-{'9' * 5000}"])
def test_other_names_are_no_variants(name):
    with pytest.raises(UnknownNameError, match="unknown variant"):
        variant.shown_options(Item(id="x", options=("a",)), seed=0, variant=name)
