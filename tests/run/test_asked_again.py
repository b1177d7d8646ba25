"""Items asked in several wordings, orders and repeats: what is sent, kept, taken from a cache and gone on with."""

import json
from collections import Counter

import pytest

from audiometry.choices.variant import asked_names, is_crossed

CARD = (
    '[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\n'
    'wordings = ["{question}", "Listen closely. {question}", "Now: {question}"]\n'
)
WAYS = ("--wordings", 2, "--orders", 2, "--repeats", 2)


@pytest.fixture
def folder(make_benchmark):
    return make_benchmark(3, card=CARD)


def lines(run):
    return [json.loads(line) for line in (run / "replies.jsonl").read_text().splitlines()]


def test_every_order_is_asked_in_every_wording_as_often(cli, folder, tmp_path):
    cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r", *WAYS)
    found = lines(tmp_path / "r")
    assert len(found) == 3 * 8
    assert set(Counter(one["variant"] for one in found).values()) == {3}
    words = {one["variant"]: one["prompt_sha256"] for one in found if one["item"] == "item-00000"}
    assert words["plain"] != words["wording-1"] != words["wording-1+order-1"]
    assert words["wording-1+order-1"] == words["wording-1+order-1+repeat-1"]
    said = cli("score", tmp_path / "r", "--json").json
    assert "+orders-2+wordings-2+repeats-2+" in said["scores"]["strict"]["signature"]
    assert said["scores"]["strict"]["value"] == 1.0


def test_repeats_are_other_requests_to_the_cache_and_the_same_ones_are_not(cli, folder, tmp_path):
    ask = ("run", folder, "--model", "scripted/oracle", "--cache", tmp_path / "cache.sqlite")
    model = ("--model", "scripted/constant?text=B")
    cli(ask[0], ask[1], *model, *ask[4:], "-o", tmp_path / "a", "--repeats", 2)
    cli(ask[0], ask[1], *model, *ask[4:], "-o", tmp_path / "b", "--repeats", 3)
    taken = Counter((one["variant"], bool(one.get("cached"))) for one in lines(tmp_path / "b"))
    assert taken == {("plain", True): 3, ("repeat-1", True): 3, ("repeat-2", False): 3}
    assert not any(one.get("cached") for one in lines(tmp_path / "a"))
    before = lines(tmp_path / "b")
    assert "Nobody was asked" in cli(ask[0], ask[1], *model, *ask[4:], "-o", tmp_path / "b", "--repeats", 3).err
    assert lines(tmp_path / "b") == before


def test_a_folder_grows_by_wordings_and_never_becomes_less(cli, folder, tmp_path):
    run = ("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r")
    cli(*run)
    cli(*run, "--wordings", 3)
    cli(*run, "--orders", 2)
    assert len(lines(tmp_path / "r")) == 3 * (3 + 1)
    info = json.loads((tmp_path / "r" / "run.json").read_text())
    assert info["variants"] == ["plain", "order-1", "wording-1", "wording-2"]
    assert (
        "+orders-2-of-some+wordings-3+" in cli("score", tmp_path / "r", "--json").json["scores"]["strict"]["signature"]
    )
    assert "not every order was asked in every wording" in cli("variance", tmp_path / "r").err


def words_of(run):
    """Of each item and variant the prompt of the reply that counts."""
    return {(one["item"], one["variant"]): one["prompt_sha256"] for one in lines(run) if not one.get("error")}


@pytest.mark.parametrize("into", ["r", "other"])
def test_wordings_in_another_order_are_found_again_and_one_in_front_alone_is_asked(cli, folder, tmp_path, into):
    run = ("run", folder, "--model", "scripted/constant?text=B", "--json", "--orders", 2, "--repeats", 2)
    assert cli(*run, "--wordings", 3, "-o", tmp_path / "r").json["usage"]["requests"] == 3 * 12
    before, card = words_of(tmp_path / "r"), folder / "benchmark.toml"
    card.write_text(
        CARD.replace('"{question}", "Listen closely. {question}"', '"Listen closely. {question}", "{question}"')
    )
    assert cli(*run, "--wordings", 3, "-o", tmp_path / into).json["usage"]["requests"] == 0
    now = words_of(tmp_path / into)
    assert now.keys() == before.keys()
    for item in {item for item, _ in now}:
        for rest in ("order-1", "repeat-1", "order-1+repeat-1"):
            assert now[item, rest] == before[item, f"wording-1+{rest}"] != before[item, rest]
            assert now[item, f"wording-2+{rest}"] == before[item, f"wording-2+{rest}"]
    card.write_text(CARD.replace("wordings = [", 'wordings = ["What now? {question}", '))
    assert cli(*run, "--wordings", 4, "-o", tmp_path / into).json["usage"]["requests"] == 3 * 4


def test_a_reply_found_again_under_another_wording_serves_once(cli, folder, tmp_path):
    run = ("run", folder, "--model", "scripted/constant?text=B", "--json", "-o", tmp_path / "r")
    assert cli(*run).json["usage"]["requests"] == 3
    question = json.loads((folder / "metadata.jsonl").read_text().splitlines()[0])["question"]
    alike = f'"Now: {{question}}", "{{question}}", {json.dumps(question)}]\n'
    (folder / "benchmark.toml").write_text(CARD.partition('"{question}"')[0] + alike)
    assert cli(*run, "--wordings", 3).json["usage"]["requests"] == 3 * 2


def test_more_wordings_than_there_are_are_refused_before_anybody_is_asked(cli, folder, make_benchmark, tmp_path):
    said = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r", "--wordings", 4)
    assert said.code == 2
    assert "task sounds has 3 of them; ask for 3" in said.err
    said = cli("run", make_benchmark(2), "--model", "scripted/oracle", "-o", tmp_path / "s", "--wordings", 2)
    assert "task sounds has none, its items are asked in their own words" in said.err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("number", ["0", "-1", "two"])
@pytest.mark.parametrize("way", ["--wordings", "--orders", "--repeats"])
def test_no_number_of_ways_is_one_line(cli, folder, tmp_path, way, number):
    said = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r", way, number)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert way in said.err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("model", "words", "said"),
    [
        ("scripted/oracle", (), "scripted/oracle says the same each time, so that nothing can vary"),
        ("scripted/deaf", (), "says the same each time"),
        ("cascade/pocketsphinx", (), "cascade/pocketsphinx says the same each time"),
        ("scripted/random", (), ""),
        ("scripted/noisy-oracle", (), ""),
        ("openai/x", ("--temperature", 0), "temperature 0) next to nothing can vary from one to the next; leave out"),
        ("openai/x", ("--temperature", 0.7), ""),
        ("openai/x", (), ""),
    ],
)
def test_repeats_of_what_cannot_vary_are_told_and_asked(cli, folder, tmp_path, model, words, said):
    at = ("--base-url", "http://127.0.0.1:9/v1") if model.startswith("openai") else ()
    ask = ("run", folder, "--model", model, *at, *words, "-o", tmp_path / "r", "--dry-run")
    done = cli(*ask, "--repeats", 2)
    told = [line for line in done.err.splitlines() if line.startswith("--repeats 2: ")]
    assert (done.code, len(told)) == (0, bool(said))
    assert said in "".join(told)
    assert "--repeats" not in cli(*ask).err


def test_items_without_options_are_told_to_be_asked_the_same_in_every_order(cli, folder, make_benchmark, tmp_path):
    label = {"task": "labels", "options": [], "answer": "dog"}
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "labels"\nkind = "label"\nlabels = ["dog", "cat"]\n'
    mixed = make_benchmark([label, label, {}], card=card + '[[task]]\nname = "sounds"\n')
    ask = ("--model", "scripted/oracle", "-o", tmp_path / "r", "--dry-run")
    assert "--orders 3: 2 of 3 items have no options and are asked the same 2 times more\n" in (
        cli("run", mixed, *ask, "--orders", 3).err
    )
    for these in ((mixed,), (folder, "--orders", 2), (mixed, "--orders", 2, "--task", "sounds")):
        assert "no options" not in cli("run", *these, *ask).err


def test_a_dry_run_shows_every_wording_of_every_task(cli, folder, tmp_path):
    ask = ("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r", "--dry-run")
    said = cli(*ask, *WAYS).out
    assert "The wordings of sounds, of its first item:" in said
    assert "\n2. Listen closely. " in said
    assert "Now: " not in said
    assert len(cli(*ask, "--wordings", 3, "--json").json["wordings"]["sounds"]) == 3
    assert cli(*ask, "--json").json["wordings"] == {}


def test_the_command_that_goes_on_names_wordings_and_repeats(cli, folder, tmp_path):
    cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r", *WAYS)
    table = folder / "metadata.jsonl"
    table.write_text(table.read_text().replace("?", ", now?", 1))
    said = cli("score", tmp_path / "r").err
    assert "--wordings 2 --orders 2 --repeats 2" in said


def test_a_report_shows_the_prompt_in_the_words_in_which_it_was_sent(cli, folder, tmp_path):
    cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r", "--wordings", 2)
    assert cli("report", tmp_path / "r", "-o", tmp_path / "r.html").code == 0
    page = (tmp_path / "r.html").read_text()
    assert "Listen closely." in page


@pytest.mark.parametrize("way", ["--wordings", "--orders", "--repeats"])
def test_more_ways_to_ask_than_anybody_means_are_refused_at_once(cli, folder, tmp_path, way):
    said = cli("run", folder, "--model", "scripted/oracle", way, 10**9, "-o", tmp_path / "run")
    assert said.code == 2
    assert "1,000,000,000" in said.err
    assert "ways to ask" in said.err or "wordings" in said.err
    assert not (tmp_path / "run").exists()


def test_a_variant_of_a_great_number_takes_no_memory():
    assert not is_crossed(["plain", f"order-{10**8}"])
    assert is_crossed(asked_names(3, 2, 2))
    assert is_crossed([])
