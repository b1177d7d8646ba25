"""What a local model takes: measured at its processor, and from the card that fits its name."""

import json
import shutil

import pytest

from audiometry.errors import UsageError
from audiometry.models import cards
from audiometry.records import Prompt, Text, Turn

pytestmark = pytest.mark.hf


@pytest.fixture
def named(local, tiny, tmp_path):
    """The tiny model in a folder of that name."""

    def make(name):
        return local(shutil.copytree(tiny, tmp_path / name))

    return make


@pytest.mark.parametrize("name", ["Qwen2-Audio-7B", "gemma-4-E2B-it", "Kimi-Audio-7B", "granite-speech-3.3-2b"])
def test_what_the_built_in_card_knows_is_taken(named, name):
    model, known = named(name), cards.find(f"hf/{name}")
    card = model.card
    assert known.note
    for field in ("part_order", "fixed_order", "system_role", "needs_audio", "note"):
        assert getattr(card, field) == getattr(known, field)
    assert card.sources["note"] == known.sources["note"]
    assert (card.rate, card.longest_s, card.name) == (16_000, 2.0, model.name)


def test_what_the_processor_measures_goes_before_the_built_in_card(named):
    assert cards.find("hf/MiMo-Audio-7B").rate == 24_000
    card = named("MiMo-Audio-7B").card
    assert card.rate == 16_000
    assert "rate" not in card.sources


def test_the_shorter_of_both_lengths_holds(named, monkeypatch):
    from audiometry.models.transformers import hearing

    for measured, expected in ((60.0, 30.0), (None, 30.0), (10.0, 10.0)):
        monkeypatch.setattr(hearing, "longest_s", lambda _, at=measured: at)
        card = named(f"gemma-3n-{measured}").card
        assert card.longest_s == expected
        assert ("longest_s" in card.sources) == (expected == 30.0)


def test_the_run_asks_in_the_cards_order(cli, tiny, make_benchmark, tmp_path):
    model = f"hf/{shutil.copytree(tiny, tmp_path / 'gemma-4-E2B-it')}?device=cpu"
    plan = cli("run", make_benchmark(1), "--model", model, "--dry-run", "--json").json
    words, clip = plan["first_prompt"][-1]["parts"]
    assert "Hz" in clip
    assert "Hz" not in words


def test_a_model_without_a_system_turn_gets_its_words_in_the_users(
    local, tiny, noise, at_once, tmp_path, tokenizer, seen
):
    (tmp_path / "card.toml").write_text('[[card]]\nname = "hf/*"\nsystem_role = false\n')
    turns = (Turn("system", (Text("Be brief."),)), Turn("user", (noise(1), Text("What?"))))
    at_once(local(tiny, card=str(tmp_path / "card.toml")), [Prompt(turns=turns, item="a", variant="plain")])
    said = tokenizer.decode(seen[-1]["input_ids"][0])
    assert "system" not in said
    assert "Be brief.\n\nWhat?" in said


def test_request_fields_of_a_card_are_refused(local, tiny, tmp_path):
    (tmp_path / "card.toml").write_text('[[card]]\nname = "hf/*"\n[card.fields]\ntop_p = 0.5\n')
    with pytest.raises(UsageError, match="use --extra"):
        _ = local(tiny, card=str(tmp_path / "card.toml")).card


def test_a_card_of_ones_own_holds_but_promises_no_more_than_the_processor(local, tiny, tmp_path):
    card = tmp_path / "card.toml"

    def with_card(**keys):
        told = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
        card.write_text(f'[[card]]\nname = "hf/*"\n{told}')
        return local(tiny, "batch=3", card=str(card)).card

    found = with_card(rate=16_000, longest_s=60.0, part_order="text-first", price_in=1.0)
    assert (found.longest_s, found.part_order, found.price_in, found.concurrency) == (2.0, "text-first", 1.0, 3)
    assert with_card(rate=16_000, longest_s=1.5).longest_s == 1.5
    with pytest.raises(UsageError, match="set rate = 16000"):
        with_card(rate=44_100)
