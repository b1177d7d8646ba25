"""How to decode belongs to the request: one model that is loaded serves all kinds of them."""

import asyncio

import msgspec
import pytest

from audiometry.errors import UsageError
from audiometry.models import load
from audiometry.models.protocol import Decodes, parameters_of
from audiometry.records import Decoding


def test_the_kinds_of_request_of_one_model_are_told_apart_as_those_of_two_were(chat_server):
    """A judge's journal is named by these: what was judged before one model served both is found again."""
    where = {"base_urls": (chat_server(answer="A").url,), "judging": True}
    one = load("openai/mock", temperature=0.0, **where)
    for limit in (None, 16):
        alone = load("openai/mock", temperature=0.0, max_tokens=limit, **where)
        assert one.parameters_under(Decoding(0.0, limit)) == alone.parameters
    assert one.parameters == one.parameters_under(Decoding(0.0)) != one.parameters_under(Decoding(0.0, 16))


def test_one_model_is_asked_in_several_ways_over_one_connection(chat_server, make_prompt):
    server = chat_server(answer="A")
    model = load("openai/mock", base_urls=(server.url,), max_tokens=5)

    async def asked() -> None:
        for decoding in (None, Decoding(0.0, 16), Decoding(0.5), None):
            await model.answer(msgspec.structs.replace(make_prompt("What?"), decoding=decoding))
        await model.close()

    asyncio.run(asked())
    told = [{key: line["parameters"].get(key) for key in ("temperature", "max_tokens")} for line in server.log()]
    assert told == [
        {"temperature": None, "max_tokens": 5},
        {"temperature": 0.0, "max_tokens": 16},
        {"temperature": 0.5, "max_tokens": None},
        {"temperature": None, "max_tokens": 5},
    ]


def test_a_cascade_hands_the_decoding_on_to_its_reader():
    class Reader:
        name, card = "made/reader", load("scripted/random").card

        @property
        def parameters(self):
            return {"told": None}

        def parameters_under(self, decoding):
            return {"told": decoding.max_tokens}

    model = load("cascade/pocketsphinx", reader=Reader())
    assert model.parameters["reader"]["parameters"] == {"told": None}
    assert model.parameters_under(Decoding(max_tokens=7))["reader"]["parameters"] == {"told": 7}
    assert load("cascade/pocketsphinx").parameters_under(Decoding(max_tokens=7))["reader"]["name"] == "rules"


def test_a_model_of_another_package_need_not_take_any():
    class Plain:
        name, parameters = "ears/left", {"seed": 1}

    assert not isinstance(Plain(), Decodes)
    assert parameters_of(Plain(), None) == {"seed": 1}
    with pytest.raises(UsageError, match="ears/left takes no decoding with a request"):
        parameters_of(Plain(), Decoding(0.0))


def test_the_houses_own_routes_all_take_it():
    for name in ("openai/mock", "exec/true", "scripted/random", "cascade/pocketsphinx"):
        assert isinstance(load(name, base_urls=("http://127.0.0.1:1/v1",)), Decodes)
