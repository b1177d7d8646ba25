"""``audiometry list models --cards``: what is known of how each model is asked, where it ends, and who says so."""

import json
import re
from datetime import date
from itertools import pairwise

import pytest

from audiometry.cli.main import run as command_line
from audiometry.cli.say import say_blocks
from audiometry.models import cards
from audiometry.report import cards as known
from audiometry.report.views import cards as views


@pytest.fixture
def cli(capsys):
    def call(*words):
        with pytest.raises(SystemExit) as left:
            command_line(["list", *words])
        said = capsys.readouterr()
        return left.value.code, said.out, said.err

    return call


def test_every_card_is_told_in_json_with_its_sources(cli):
    code, out, err = cli("models", "--cards", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert (code, err) == (0, "")
    assert set(rows) == {card["name"] for card in cards.written()}
    assert rows["*/audio-flamingo-3*"]["card"]["longest_s"] == 600
    assert rows["*/audio-flamingo-3*"]["sources"]["longest_s"].startswith("transformers, models/audioflamingo3/")


@pytest.fixture
def told(monkeypatch, capsys):
    """Blocks as a terminal of so many columns has them."""

    def call(blocks, columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("FORCE_COLOR", "1")
        say_blocks(*blocks)
        return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)

    return call


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_terminal_tells_them_at_any_width_and_loses_no_word(told, columns):
    rows = known.rows(None, date(2026, 11, 22))
    said = told(views.cards(rows), columns)
    words = {word.rstrip(".;") for word in said.split()}
    assert all(len(line) <= columns or len(line.split()) <= 2 for line in said.splitlines())
    for row in rows:
        about = row["about"] if row["about"] != "nothing of its own" else ""
        ends = f"{row['card'].get('ends', '')} {row['card'].get('successor', '')}"
        for word in f"{about} {row['card'].get('note', '')} {ends}".split():
            assert {word.rstrip(".;"), word + ","} & words
    assert "https://" not in said
    assert "nothing of its own" not in said


def test_they_stand_by_provider_under_plain_names_and_ends_are_one_table(told):
    lines = told(views.cards(known.rows(None, date(2026, 11, 22))), 100).splitlines()
    heads = [after for line, after in pairwise(lines) if not line and after[:5] != "model"]
    assert heads[:2] == ["openai/… (and others in its format)", "google/…"]
    assert heads[-2:] == ["Any route (open models, and others)", "Models that end"]
    assert any(line.startswith("Step-Audio-2…: ") for line in lines)
    assert not [row["name"] for row in known.rows(None, date(2026, 11, 22)) if "[" in views.plain(row["name"])]
    table = lines[lines.index("Models that end") + 2 :]
    assert table[0].split() == ["model", "last", "day", "ask", "instead"]
    assert ["openai/gpt-4", "2026-10-22,", "over", "openai/gpt-5.6-sol"] in [line.split() for line in table]
    assert ["openai/gpt-audio", "2027-01-19", "openai/gpt-audio-1.5"] in [line.split() for line in table]
    assert len({line.index("2026-") for line in table if "2026-" in line}) == 1  # in one column
    days = [line.split()[1] for line in table[2:] if line and line.split()[1][:2] == "20"]
    assert days == sorted(days)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("openai/nosuch", ["by default: wav; 16 kHz; mono; clip before words"]),
        ("scripted/oracle", ["by default: any file as it is; any rate; any channels; clip before words",
                             "made of rules: any clip as it is, since none is heard"]),
        ("exec/x", ["by default: wav; 16 kHz; mono; clip before words",
                    "its program says in its first line what it takes; what it leaves out is as by default"]),
        ("hf/a/b", ["by default: wav; mono; clip before words",
                    "rate and longest clip are measured on its processor, when it is loaded"]),
        ("cascade/pocketsphinx", ["by default: wav, flac or ogg; any rate; any channels; clip before words"]),
        ("cascade/whisper-tiny.en?hears=words&reader=openai/gpt-4-0125-preview", [
            "by default: wav, flac or ogg; any rate; any channels; clip before words",
            "openai/gpt-4-0125-preview was served until 2026-03-25"]),
        ("openai/gpt-audio-1.5", ["by default: clip before words"]),
    ],
)  # fmt: skip
def test_one_model_is_told_whole_with_what_counts_by_default_marked_as_that(told, name, lines):
    (row,) = known.rows(name, date(2026, 11, 22))
    _, first, *rest = told(views.card(row), 300).splitlines()
    assert first == name
    assert set(lines) <= set(rest)
    assert (row.get("reader", "") != "") == ("reader=" in name)


def test_a_pattern_is_told_as_a_name():
    patterns = ("*/[Vv]oxtral-*", "*[im]/q*", "*/gemma-4-[23][0-9]B*", "a/b[24]*c", "x")
    assert [views.plain(one) for one in patterns] == [
        "Voxtral-…", "q…", "gemma-4-20B… to gemma-4-39B…", "b2…c or b4…c", "x",
    ]  # fmt: skip


def test_a_model_is_told_by_all_its_cards_with_the_address_of_each_value(cli):
    _, out, _ = cli("models", "vllm/Qwen/Qwen2-Audio-7B-Instruct", "--cards")
    told = " ".join(out.split())
    assert "16 kHz; clips of up to 30 s; reply length sent as max_completion_tokens" in told
    assert "longest_s: transformers, models/qwen2_audio/" in told
    _, out, _ = cli("models", "vllm/Qwen/Qwen2-Audio-7B-Instruct", "--cards", "--json")
    (row,) = json.loads(out)
    assert (row["card"]["longest_s"], row["card"]["max_tokens_key"]) == (30, "max_completion_tokens")


@pytest.mark.parametrize(
    ("today", "line"),
    [
        (date(2027, 1, 19), "openai/gpt-audio is served until 2027-01-19; its successor is openai/gpt-audio-1.5"),
        (date(2027, 1, 20), "openai/gpt-audio was served until 2027-01-19; ask openai/gpt-audio-1.5 instead"),
    ],
)
def test_a_model_that_ends_has_its_line(today, line, told):
    rows = known.rows("openai/gpt-audio", today)
    assert f"\n{line}\n" in told(views.card(rows[0]), 100)
    assert rows[0]["served"] == line


def test_one_whose_successor_alone_is_known_says_that(told):
    [row] = known.rows("openai/gpt-audio-mini", date(2026, 11, 22))
    assert "\nopenai/gpt-audio-mini is to be followed by openai/gpt-audio-1.5\n" in told(views.card(row), 100)


def test_every_field_of_a_card_has_words(told, monkeypatch):
    card = {
        "name": "x/y", "rate": "any", "channels": "any", "formats": [], "longest_s": 34200, "largest_mb": 1.5,
        "parts": "audio_url", "data_prefix": "data:;base64,", "part_order": "text-first", "system_role": False,
        "needs_audio": True, "concurrency": 2, "served_as": "speech", "stream": True, "temperature": False,
        "temperature_if": {"reasoning_effort": "none"}, "untaken": ["top_p"], "max_tokens_key": "",
        "fields": {"stop": ["a\x1b[2J"]}, "cut": True, "fixed_order": True, "price_in": 2.5, "price_out": 10,
        "note": "mind\nthis",
    }  # fmt: skip
    monkeypatch.setattr(cards, "written", lambda _name="": (card,))
    rows = known.rows(None, date(2026, 11, 22))
    _, first, said = told(views.cards(rows), 200).split("\n", 2)
    assert first == "x/…"
    assert " ".join(said.split()) == (
        "y: "
        "any file as it is; any rate; any channels; clips of up to 9.5 h; longer ones are cut; "
        "requests of up to 1.5 MB; "
        "words before clip; in that order alone; no system turn; refuses prompts without a clip; "
        "served under the name 'speech'; "
        "clips as audio_url; "
        "'data:;base64,' before base64; always streamed; no temperature; but one with reasoning_effort = \"none\"; "
        'no top_p; no limit on the reply; stop = ["a\\u001b[2J"]; 2 at a time; '
        "$2.5 a million tokens in; $10 a million tokens out. "
        "mind this"
    )
    plain = {"name": "x/y", "channels": 4, "system_role": True, "needs_audio": False, "served_as": "",
             "parts": "input_audio", "data_prefix": "", "temperature": True, "part_order": "audio-first",
             "longest_s": 90}  # fmt: skip
    monkeypatch.setattr(cards, "written", lambda _name="": (plain,))
    assert known.rows(None, date(2026, 11, 22))[0]["about"] == (
        "up to 4 channels; clips of up to 90 s; clip before words"
    )


def test_a_name_without_a_card_says_so(cli):
    assert cli("models", "openai/somebody", "--cards")[1].splitlines()[2].startswith("by default: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("runs", "--cards"), "--cards are of models; leave it out of audiometry list runs"),
        (("models", "mini", "--cards"), "'mini' is not a model name; write provider/name"),
        (("models", "opanai/gpt-audio", "--cards"), "unknown model provider 'opanai'; did you mean 'openai'?"),
        (("models", "openai/", "--cards"), "'openai/' is not a model name"),
        (("models", "a\x1b[2J", "--cards"), "is not a model name"),
    ],
)
def test_what_is_no_model_is_refused_in_one_line(cli, words, said):
    code, out, err = cli(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
    assert "\x1b" not in err
