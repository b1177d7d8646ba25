"""Options of asking: a judge may bring an address of its own."""

import json
import os

import click
import pytest

from audiometry.cli import ask_options
from audiometry.cli.ask_options import ASKING, asking, judge_settings
from audiometry.errors import UsageError
from audiometry.models.settings import addressed

HOW = {
    "base_urls": (),
    "concurrency": None,
    "rpm": None,
    "tpm": None,
    "max_tries": 5,
    "timeout": 1.0,
    "prices": None,
}


@pytest.mark.parametrize(
    ("said", "name", "address"),
    [
        ("openai/gpt-4o", "openai/gpt-4o", ""),
        ("vllm/Qwen/Qwen3@http://localhost:8000/v1", "vllm/Qwen/Qwen3", "http://localhost:8000/v1"),
        ("openai/m@https://u:p@host/v1", "openai/m", "https://u:p@host/v1"),
        ("google/gemini@001", "google/gemini@001", ""),
    ],
)
def test_a_name_and_its_address_are_told_apart(said, name, address):
    assert addressed(said) == (name, address)


def test_an_address_of_its_own_goes_before_that_of_all():
    own = judge_settings("openai/a@http://one/v1", **HOW | {"base_urls": ("http://all/v1",)})
    other = judge_settings("openai/b", **HOW | {"base_urls": ("http://all/v1",)})
    assert (own.name, own.base_urls) == ("openai/a", ("http://one/v1",))
    assert other.base_urls == ("http://all/v1",)


@pytest.mark.parametrize("option", ["--temperature", "--timeout", "--rpm", "--tpm"])
@pytest.mark.parametrize("value", ["nan", "inf", "1e999"])
def test_what_is_no_number_is_refused_before_anybody_is_asked(cli, make_benchmark, option, value):
    done = cli("run", make_benchmark([{}]), "--model", "scripted/oracle", option, value, "--dry-run")
    assert (done.code, f"'{option}': {value} is not a number" in done.err) == (2, True)


@pytest.mark.parametrize("price", ["nan", "inf", "-5"])
def test_a_price_is_a_number(tmp_path, price):
    (tmp_path / "prices.toml").write_text(f'["openai/m"]\ntokens_in = {price}\n')
    with pytest.raises(UsageError, match=r"prices .*prices.toml, line 2: 'tokens_in' in an entry is out of range"):
        ask_options.price("openai/m", str(tmp_path / "prices.toml"))


def test_a_pipe_or_a_device_has_no_prices(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(UsageError, match=f"prices .*{name}: it is not a file"):
            ask_options.price("openai/m", str(tmp_path / name))


def test_a_panel_asks_each_judge_at_its_own_address(cli, chat_server, make_benchmark, tmp_path):
    item = {"options": [], "answer": "A dog barks.", "meta": "a dog"}
    folder = make_benchmark([item], card='[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\nkind = "open"\n')
    run = tmp_path / "run"
    assert cli("run", folder, "--model", "scripted/oracle", "--no-probe", "-o", run).code == 0
    servers = [chat_server(judge=json.dumps({"other": score})) for score in (4, 8)]
    judges = [f"openai/judge-{n}@{server.url}" for n, server in enumerate(servers)]
    said = cli("score", run, "--judge", judges[0], "--judge", judges[1], "--json")
    assert said.code == 0, said.err
    strict = said.json["scores"]["strict"]
    assert {name: judge["row"]["value"] for name, judge in strict["extras"]["judges"].items()} == {
        "openai/judge-0": 4,
        "openai/judge-1": 8,
    }
    assert strict["value"] == 6
    assert [len(server.log()) for server in servers] == [2, 2]


def test_a_judges_proxy():
    assert judge_settings("openai/m", **HOW, proxy="proxy:3128").proxy == "proxy:3128"
    assert judge_settings("openai/m", **HOW).proxy == ""


def test_the_options_of_asking_are_known_by_name():
    @asking("the judge")
    @click.command()
    def command():
        pass

    assert {param.name for param in command.params} == ASKING
