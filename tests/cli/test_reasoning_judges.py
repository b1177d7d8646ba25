"""Judges that take no temperature: they are asked without, and every number that they make says so."""

import json

import pytest

CARD = '[[card]]\nname = "openai/*"\ntemperature = false\nmax_tokens_key = "max_completion_tokens"\n'


@pytest.fixture
def folders(make_benchmark, cli, tmp_path):
    """Of a run with options, whose replies rules cannot read, and of one with open questions."""

    def go(kind):
        benchmark = '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\n'
        rows = [{"question": f"What is sound {number}?"} for number in range(3)]
        if kind == "open":
            benchmark += 'kind = "open"\n'
            rows = [row | {"options": [], "answer": "rain", "meta": '{"events": ["rain"]}'} for row in rows]
        recorded = tmp_path / "recorded.jsonl"
        said = [{"item": f"item-{n:05}", "variant": "plain", "text": f"It goes moo {n}."} for n in range(3)]
        recorded.write_text("".join(json.dumps(line) + "\n" for line in said))
        out = tmp_path / "run"
        cli("run", make_benchmark(rows, card=benchmark), "--model", f"scripted/replay?file={recorded}", "-o", out)
        return out

    return go


@pytest.mark.parametrize("kind", ["choice", "open"])
def test_a_reasoning_model_judges_and_its_signature_says_how(folders, cli, chat_server, tmp_path, kind):
    card = tmp_path / "card.toml"
    card.write_text(CARD)
    extra = tmp_path / "extra.toml"
    extra.write_text('reasoning_effort = "low"\n')
    how = {"judge": "{}"} if kind == "open" else {"answer": "C"}
    server, folder = chat_server(provider="openai", **how), folders(kind)
    align = ("--align", "judge") if kind == "choice" else ()
    words = ("score", folder, *align, "--judge", "openai/o3-x", "--base-url", server.url, "--card", card)
    done = cli(*words, "--extra", extra, "--json")
    assert done.code == 0, done.err
    scored = done.json["scores"]["strict"]
    assert "-own-temperature" in scored["signature"]
    for asked in (line["parameters"] for line in server.log()):
        assert "temperature" not in asked
        assert "max_tokens" not in asked
        assert asked["reasoning_effort"] == "low"
    asked = len(server.log())
    assert cli(*words, "--extra", extra, "--json").json["scores"]["strict"]["signature"] == scored["signature"]
    assert len(server.log()) == asked
    other = cli(*words, "--json").json["scores"]["strict"]["signature"]  # asked otherwise: judged anew
    assert other != scored["signature"]
    assert len(server.log()) > asked
    if kind == "open":  # stored verdicts are found again by the same name
        slug = other.rpartition("+judge-")[2].partition("+")[0]
        assert slug.endswith("-own-temperature")
        page = tmp_path / "report.html"
        assert cli("report", folder, "-o", page, "--judge", slug).code == 0
        assert slug in page.read_text()


def test_a_judge_that_refuses_what_its_card_allows_ends_with_its_name(folders, cli, chat_server, tmp_path):
    card = tmp_path / "card.toml"
    card.write_text('[[card]]\nname = "openai/*"\n')
    server, folder = chat_server(provider="openai", answer="C"), folders("choice")
    words = ("score", folder, "--align", "judge", "--judge", "openai/o3-like", "--base-url", server.url, "--card", card)
    done = cli(*words)
    assert done.code == 1
    assert "judge openai/o3-like: " in done.err
    assert "does not take 'temperature' in a request" in done.err
    assert "; say temperature = false in a card (--card)" in done.err
    assert "--temperature" not in done.err  # which `score` does not have
    assert len(done.err.strip().splitlines()) == 1


def test_a_judge_that_refuses_a_limit_alone_is_asked_without(folders, cli, chat_server, tmp_path):
    card = tmp_path / "card.toml"
    card.write_text('[[card]]\nname = "openai/*"\ntemperature = false\n')
    server, folder = chat_server(provider="openai", answer="C"), folders("choice")
    words = ("score", folder, "--align", "judge", "--judge", "openai/o3-like", "--base-url", server.url, "--card", card)
    assert cli(*words).code == 0
    assert [line["parameters"] for line in server.log() if line["status"] == 200] == [{}] * 3


def test_a_judge_whose_items_a_filter_blocks_fails_at_these(folders, cli, chat_server):
    server, folder = chat_server(faults=["content-filter"]), folders("choice")
    done = cli("score", folder, "--align", "judge", "--judge", "openai/m", "--base-url", server.url, "--json")
    assert done.code == 1
    assert done.json["scores"]["strict"]["extras"]["alignment"]["n_judge_failed"] == 3


def test_a_field_that_each_request_to_a_judge_states(folders, cli, tmp_path):
    extra = tmp_path / "extra.toml"
    extra.write_text("temperature = 1\n")
    words = ("--align", "judge", "--judge", "openai/m", "--base-url", "http://127.0.0.1:9/v1", "--extra", extra)
    done = cli("score", folders("choice"), *words)
    assert (done.code, "--extra holds 'temperature', which each request states by itself" in done.err) == (2, True)


def test_a_judge_that_ended_is_said(folders, cli, chat_server, tmp_path):
    card = tmp_path / "card.toml"
    card.write_text('[[card]]\nname = "openai/*"\nends = "2020-01-31"\nsuccessor = "openai/next"\n')
    server, folder = chat_server(answer="C"), folders("choice")
    words = ("--align", "judge", "--judge", "openai/old", "--base-url", server.url, "--card", card)
    assert "openai/old was served until 2020-01-31; ask openai/next instead" in cli("score", folder, *words).err


@pytest.mark.parametrize("kind", ["choice", "open"])
def test_a_judge_that_needs_audio_is_refused_before_it_is_asked(folders, cli, chat_server, tmp_path, kind):
    server, folder = chat_server(provider="openai"), folders(kind)
    align = ("--align", "judge") if kind == "choice" else ()
    done = cli("score", folder, *align, "--judge", "openai/gpt-audio-1.5", "--base-url", server.url)
    assert (done.code, server.log(), (folder / "judge").exists()) == (2, [], False)
    assert "judge openai/gpt-audio-1.5 takes no prompt without a clip, as its card says" in done.err


def test_one_judge_asked_in_two_ways_is_told_apart_by_what_differs(folders, cli, chat_server, tmp_path):
    extra = tmp_path / "extra.toml"
    extra.write_text("top_p = 0.5\n")
    server, folder = chat_server(judge="{}"), folders("open")
    words = ("score", folder, "--judge", "openai/m", "--base-url", server.url)
    assert (cli(*words).code, cli(*words, "--extra", extra).code) == (0, 0)
    done = cli("report", folder, "--judge", "openai/m", "-o", tmp_path / "page.html")
    assert done.code == 2
    slugs = sorted(path.stem.removeprefix("chat-") for path in (folder / "judge").iterdir())
    told = "openai/m was asked in several ways (its parameters differ: top_p): choose one with --judge "
    assert f"{told}{slugs[0]} or --judge {slugs[1]}\n" in done.err
    assert cli("report", folder, "--judge", slugs[1], "-o", tmp_path / "page.html").code == 0
