"""What a model takes, found by its name."""

import os
import re
from pathlib import Path

import msgspec
import pytest

from audiometry.audio.encode import LIMITS
from audiometry.errors import UsageError
from audiometry.models import cards
from audiometry.records import ModelCard


def test_an_unknown_name_gets_the_cautious_card():
    card = cards.find("openai/mock")
    assert (card.rate, card.channels, card.formats, card.parts) == (16_000, 1, ("wav",), "input_audio")


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("openai/gpt-audio", "openai/gpt-*audio*"),
        ("google/gemini-2.5-flash-lite", "google/gemini*"),
        ("vllm/Qwen/Qwen2-Audio-7B-Instruct", "*/Qwen2-Audio*"),
    ],
)
def test_the_longest_pattern_wins(name, pattern):
    assert cards.find(name).name == pattern


def test_every_card_can_be_met():
    built_in = [msgspec.convert(card, ModelCard) for card in cards.written()]
    assert len(built_in) >= 5
    for card in built_in:
        assert card.name
        assert all(form in LIMITS for form in card.formats)
        assert card.rate is None or all(LIMITS[form].holds(card.rate) for form in card.formats)


def test_cards_are_laid_over_one_another(tmp_path):
    path = tmp_path / "cards.toml"
    path.write_text(
        '[[card]]\nname = "*/Qwen/Qwen2-Audio*"\nlongest_s = 30\nmax_tokens_key = "max_tokens"\nrate = "any"\n'
        '[card.fields]\nstop = ["x"]\n[card.sources]\nlongest_s = "a"\n'
        '[[card]]\nname = "vllm/*"\nrate = 8000\nchannels = "any"\nmax_tokens_key = "max_completion_tokens"\n'
        '[card.fields]\nstop = []\nseed = 1\n[card.sources]\nrate = "b"\n'
    )
    assert cards.find("vllm/Qwen/Qwen2-Audio-7B", str(path)) == ModelCard(
        name="*/Qwen/Qwen2-Audio*",
        rate=None,
        channels=None,
        longest_s=30,
        fields={"stop": ["x"], "seed": 1},
        sources={"longest_s": "a", "rate": "b"},
    )
    assert cards.find("vllm/other", str(path)).max_tokens_key == "max_completion_tokens"


def test_of_limits_the_least_counts_with_its_source_and_notes_follow_one_another(tmp_path):
    path = tmp_path / "cards.toml"
    path.write_text(
        '[[card]]\nname = "vllm/*"\nlongest_s = 600\nlargest_mb = 50\nnote = "All."\n'
        '[card.sources]\nlongest_s = "server"\nnote = "one"\n'
        '[[card]]\nname = "*/long-*"\nlongest_s = 2400\nnote = "This."\n'
        '[card.sources]\nlongest_s = "model"\nnote = "two"\n'
        '[[card]]\nname = "*/short-*"\nlongest_s = 30\nnote = ""\n[card.sources]\nlongest_s = "model"\n'
    )
    long, short = (cards.find(name, str(path)) for name in ("vllm/long-1", "vllm/short-1"))
    assert (long.longest_s, long.largest_mb, long.note) == (600, 50, "All. This.")
    assert long.sources == {"longest_s": "server", "note": "one; two"}
    assert (short.longest_s, short.note, short.sources) == (30, "", {"longest_s": "model", "note": "one"})
    assert cards.find("hf/long-1", str(path)).longest_s == 2400


def test_a_card_of_ones_own_comes_first(tmp_path):
    path = tmp_path / "cards.toml"
    path.write_text(
        '[[card]]\nname = "openai/*"\nrate = 8000\n'
        '[[card]]\nname = "openai/mock"\nrate = 24000\nformats = ["mp3", "wav"]\nparts = "audio_url"\n'
    )
    assert cards.find("openai/mock", str(path)) == ModelCard(
        name="openai/mock", rate=24_000, formats=("mp3", "wav"), parts="audio_url"
    )
    assert cards.find("openai/gpt-audio", str(path)) == ModelCard(name="openai/*", rate=8000)
    with pytest.raises(UsageError, match='has no card for vllm/x; give it name = "vllm/x"'):
        cards.find("vllm/x", str(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[card]", ""),
        ('[[card]]\nname = "m"\nrat = 8000\n', "line 3: unknown key 'rat' in entry 1 of 'card'; did you mean 'rate'"),
        ('[[cards]]\nname = "m"\n', "line 1: unknown key 'cards'; did you mean 'card'"),
        (
            '[[card]]\nname = "m"\nrate = 0\n',
            r"line 3: 'rate' in entry 1 of 'card' is out of range",
        ),
        ('[[card]]\nname = "m"\nconcurrency = 0\n', "1 or more is needed"),
        ('[[card]]\nname = "m"\nlongest_s = -1.0\n', "more than 0.0 is needed"),
        ('[[card]]\nname = "m"\nparts = "video"\n', "none of its choices .'video'."),
        ('[[card]]\nname = "m"\npart_order = "both"\n', "none of its choices .'both'."),
        ('[[card]]\nname = "m"\nrate = "all"\n', "'rate' in entry 1 of 'card' is none of its choices .'all'."),
        ('[[card]]\nname = "m"\nlargest_mb = 0\n', "more than 0.0 is needed"),
        ('[[card]]\nname = "m"\nends = "soon"\n', "'ends' is 'soon'; a date such as"),
        ('[[card]]\nname = "m"\n[card.fields]\nstream = true\n', "'fields' may not hold 'stream': a run states it"),
        ('[[card]]\nname = "m"\n[card.fields]\ntemperature = 1\n', "may not hold 'temperature'"),
        ('[[card]]\nname = "m"\nmax_tokens_key = "messages"\n', "'max_tokens_key' may not be 'messages': requests st"),
        ('[[card]]\nname = "m"\nmax_tokens_key = "temperature"\n', "'max_tokens_key' may not be 'temperature'"),
        ('[[card]]\nname = "m"\nmax_tokens_key = "k"\n[card.fields]\nk = 1\n', "'max_tokens_key' may not be 'k'"),
        ('[[card]]\nname = "m"\nlongest_s = inf\ncut = true\n', "'longest_s' in entry 1 of 'card' is out of range"),
        ('[[card]]\nname = "m"\nprice_in = nan\n', "'price_in' in entry 1 of 'card' is out of range"),
        ('[[card]]\nname = "m"\nprice_out = -5\n', "'price_out' in entry 1 of 'card' is out of range"),
        ('[[card]]\nname = "m"\n[card.fields]\na = nan\n', "'fields': 'a' holds what JSON does not have"),
        ('[[card]]\nname = "m"\n[card.fields]\na = [{b = -inf}]\n', "'fields': 'a: … b' holds what JSON does not"),
        ('[[card]]\nname = "m"\n[card.fields]\na = 2026-01-01\n', "'fields': 'a' holds what JSON does not have"),
        ('[[card]]\nname = "m"\n[card.temperature_if]\na = nan\n', "'temperature_if': 'a' holds what JSON does not"),
        ('[[card]]\nname = "m"\n[card.fields]\nprovider.token = "x"\n', "'fields': 'provider: … token' is a secret"),
        (
            '[[card]]\nname = "m"\n[card.fields]\na = ' + "[" * 60 + "]" * 60,
            "'fields': 'a' is nested more than 50 deep",
        ),
        ('[[card]]\nname = "m"\n[card.sources]\nrat = "x"\n', "'sources' names 'rat'; did you mean 'rate'"),
        ("\udcff", "not UTF-8 text"),
        ('# M\udcfcnster\n[[card]]\nname = "m"\n', "line 1: not UTF-8 text"),
        ("a = " + "[" * 5000, "nested too deeply"),
        ("a = " + "9" * 5000, "a number too long to be read"),
    ],
)
def test_a_card_with_a_slip(tmp_path, text, said):
    path = tmp_path / "card.toml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UsageError, match=rf"model card .*card\.toml[:,] .*{said}"):
        cards.find("m", str(path))


def test_what_is_wrong_with_cards_together_is_one_line(tmp_path):
    path = tmp_path / "card.toml"
    path.write_text('[[card]]\nname = "a/*"\nmax_tokens_key = "k"\n[[card]]\nname = "a/m*"\n[card.fields]\nk = 1\n')
    with pytest.raises(UsageError, match=r"cards for a/m laid over one another: .*'max_tokens_key' may not be"):
        cards.find("a/m", str(path))


def test_a_successor_of_many_words_is_one_short_line():
    card = ModelCard(ends="2020-01-01", successor="openai/\x1b[2Jnew\n" + "x" * 5000)
    (line,) = cards.notices("openai/m", card, {})
    assert len(line) < 300
    assert line.isprintable()


def test_no_such_file(tmp_path):
    with pytest.raises(UsageError, match=r"model card .*: it cannot be read \(No such file"):
        cards.find("m", str(tmp_path / "none.toml"))


def test_every_key_of_a_card_stands_in_the_documents():
    text = (Path(__file__).parents[2] / "docs/models.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert sorted(key for row in rows for key in re.findall(r"`(\w+)`", row[0])) == sorted(ModelCard.__struct_fields__)
    defaults = {row[0].strip("| `"): row[-1].strip("| `") for row in rows}
    for key in ("rate", "channels", "part_order", "max_tokens_key", "parts", "concurrency"):
        assert defaults[key] == str(getattr(ModelCard(), key))


def test_the_card_in_the_documents_states_nothing_that_counts_anyway(tmp_path):
    text = (Path(__file__).parents[2] / "docs/models.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(\[\[card\]\].*?)```", text, re.DOTALL)
    (tmp_path / "card.toml").write_text(example, encoding="utf-8")
    card = cards.find("vllm/my-org/m", str(tmp_path / "card.toml"))
    assert (card.longest_s, card.cut, card.ends) == (30, False, "")
    stated = re.findall(r"^(\w+) = ", example.partition("[card.fields]")[0], re.MULTILINE)
    assert [key for key in stated if getattr(card, key) == getattr(ModelCard(), key)] == []


def test_a_card_that_says_that_the_order_is_undone_fixes_it():
    said = {card["name"]: card.get("note", "") for card in cards.written()}
    undone = [name for name, note in said.items() if re.search("whatever order|template puts the clip before", note)]
    assert len(undone) >= 3
    assert [name for name in undone if not cards.find(name).fixed_order] == []


def test_a_pipe_a_device_or_a_large_file_is_no_card(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(3 << 30)
    for name, said in {"pipe": "it is not a file", "zero": "it is not a file", "large": "it is larger than"}.items():
        with pytest.raises(UsageError, match=rf"model card .*{name}: {said}"):
            cards.find("m", str(tmp_path / name))
