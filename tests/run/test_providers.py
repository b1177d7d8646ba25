"""Providers that refuse what they do not take, each in its own words: a real server process plays them."""

import pytest

from audiometry.files import jsonl
from audiometry.records import ReplyRecord

PREFIX = 'data_prefix = "data:;base64,"\n'
whole_and_streamed = pytest.mark.parametrize("stream", [(), ("--stream",)], ids=["whole", "streamed"])


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def ask(cli, make_benchmark, tmp_path):
    """``ask(server, "openai/m", "--stream")`` runs three items in turn, the second with ``words``; None: of nobody."""

    def run(server, model, *options, words="", n=3, bench=None):
        rows = [{"question": f"What is this? {words}"} if number == 1 else {} for number in range(n)]
        bench, out = bench or make_benchmark(rows), tmp_path / "run"
        url = server.url if server else "http://127.0.0.1:9/v1"
        asked = ["run", bench, "--model", model, "--base-url", url, "--no-probe", "--concurrency", "1"]
        done = cli(*asked, *options, "-o", out)
        done.bench, done.folder = bench, out
        done.replies = list(jsonl.read(out / "replies.jsonl", ReplyRecord))
        return done

    return run


@pytest.fixture
def written(tmp_path):
    """``written("card.toml", "…")`` is the path of a file with that text."""

    def write(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_reasoning_model_is_asked_as_its_card_says(chat_server, ask):
    server = chat_server(provider="openai")
    done = ask(server, "openai/gpt-6-luna", "--max-tokens", "50")
    assert (done.code, server.log()[0]["parameters"]) == (0, {"max_completion_tokens": 50})


@pytest.mark.parametrize(
    ("key", "options", "said"),
    [
        ("temperature = false", ("--temperature", "0"), "no temperature, as its card says; leave out --temperature"),
        ('max_tokens_key = ""', ("--max-tokens", "5"), "no limit on its replies, as its card says; leave out --max-t"),
        ("needs_audio = true", ("--variant", "text-only"), "no prompt without a clip, as its card says; leave out --v"),
    ],
)
def test_what_the_card_says_is_not_taken_is_refused_before_anybody_is_asked(
    chat_server, ask, written, key, options, said
):
    server = chat_server()
    done = ask(server, "openai/m", *options, "--card", written("card.toml", f'[[card]]\nname = "openai/*"\n{key}\n'))
    assert (done.code, server.log()) == (2, [])
    assert f"openai/m takes {said}" in done.err


def test_a_router_may_drop_no_field(chat_server, ask):
    server = chat_server(provider="openrouter")
    done = ask(server, "openrouter/google/gemini-3.8-flash", "--temperature", "0")
    assert done.code == 0, done.err
    assert server.log()[0]["parameters"] == {"provider": {"require_parameters": True}, "temperature": 0}
    assert server.log()[0]["model"] == "google/gemini-3.8-flash"


def test_a_model_that_only_streams_is_streamed_without_being_told_to(chat_server, ask):
    server = chat_server(provider="dashscope")
    done = ask(server, "openai/qwen3-omni-flash")
    assert done.code == 0, done.err
    assert ([one.text for one in done.replies], {line["stream"] for line in server.log()}) == (["A"] * 3, {True})


def test_one_that_only_streams_and_has_no_card_says_what_to_do(chat_server, ask, written):
    card = written("card.toml", f'[[card]]\nname = "openai/*"\n{PREFIX}')
    done = ask(chat_server(provider="dashscope"), "openai/qwen3-omni-flash", "--card", card)
    assert done.code == 1
    assert "only support stream mode" in done.err
    assert "give --stream, or say stream = true in a card (--card)" in done.err


HOW = {"option": ("--temperature", "0"), "extra": ()}


@pytest.mark.parametrize("where", ["option", "extra"])
@pytest.mark.parametrize("effort", ["none", "low", ""])
def test_a_temperature_is_taken_or_refused_alike_wherever_it_is_stated(chat_server, ask, written, where, effort):
    server = chat_server(provider="openai")
    extra = (f'reasoning_effort = "{effort}"\n' if effort else "") + ("temperature = 0\n" if where == "extra" else "")
    given = (*(("--extra", written("extra.toml", extra)) if extra else ()), *HOW[where])
    done = ask(server, "openai/gpt-5.4", *given)
    if effort == "none":
        assert (done.code, server.log()[0]["parameters"]) == (0, {"reasoning_effort": "none", "temperature": 0})
    else:
        assert (done.code, server.log(), len(done.err.strip().splitlines())) == (2, [], 1)
        assert "as its card says; leave " in done.err
        assert 'reasoning_effort = "none"' in done.err


def test_a_field_that_a_model_ignores_is_not_recorded_as_stated(chat_server, ask, written):
    server = chat_server(provider="google")
    done = ask(server, "google/gemini-4-argon", "--extra", written("extra.toml", "top_p = 0.5\n"))
    assert (done.code, server.log()) == (2, [])
    assert "--extra holds 'top_p', which the model refuses or ignores, as its card says; leave it out" in done.err


def test_a_limit_is_refused_in_extra_too_where_the_card_says_that_none_is_taken(chat_server, ask, written):
    server, card = chat_server(), written("card.toml", '[[card]]\nname = "openai/*"\nmax_tokens_key = ""\n')
    done = ask(server, "openai/m", "--extra", written("extra.toml", "max_tokens = 5\n"), "--card", card)
    assert (done.code, server.log()) == (2, [])
    assert "--extra holds 'max_tokens', but the model takes no limit on its replies, as its card says" in done.err


def test_items_without_a_clip_are_said_once_and_not_sent_to_who_demands_one(chat_server, ask, make_benchmark):
    server = chat_server(provider="openai")
    card = '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\naudio = "optional"\n'
    bench = make_benchmark([{}, {"file_name": ""}, {}], card=card)
    done = ask(server, "openai/gpt-audio-1.5", bench=bench)
    said = "1 item without a clip cannot be asked: openai/gpt-audio-1.5 takes no prompt without one, as its card says"
    assert done.err.count(said) == 1
    assert (len(server.log()), {line["status"] for line in server.log()}) == (2, {200})
    (failed,) = [one.error for one in done.replies if one.error]
    assert failed.kind == "no-audio"
    assert "trying again as it is will not help" in done.err
    assert failed.message == "item item-00001 has no clip, which the model demands; it was not sent"
    assert f"the first: {failed.message}\n" in done.err  # named once


@whole_and_streamed
@pytest.mark.parametrize(
    ("provider", "model", "flag", "value", "field", "what_to_do"),
    [
        ("openai", "openai/o3-x", "--temperature", "0", "temperature", "say temperature = false in a card (--card)"),
        ("openai", "openai/o3-x", "--max-tokens", "9", "max_tokens", "by max_tokens_key in a card (--card)"),
        ("openai", "openai/m", "--extra", "zeal = 1", "zeal", "take it out of the file given with --extra"),
        ("google", "google/gemini-9", "--extra", "top_k = 1", "top_k", "take it out of the file given with --extra"),
        ("vllm", "vllm/x/y", "--extra", "zeal = 1", "zeal", "take it out of the file given with --extra"),
        ("dashscope", "openai/q", "--extra", "zeal = 1", "zeal", "take it out of the file given with --extra"),
        ("openrouter", "openai/r", "--card", "[card.fields]\nzeal = 1", "zeal", "without it in [card.fields]"),
    ],
)
def test_a_refused_field_ends_the_run_at_once_by_its_name(
    chat_server, ask, written, provider, model, flag, value, field, what_to_do, stream
):
    card = f'[[card]]\nname = "{model}"\n' + (PREFIX if provider == "dashscope" else "")
    given = {"--card": written("card.toml", card + (value if flag == "--card" else ""))}
    if flag != "--card":
        given[flag] = written("extra.toml", value) if flag == "--extra" else value
    server = chat_server(provider=provider)
    done = ask(server, model, *(word for pair in given.items() for word in pair), *stream)
    assert done.code == 1
    assert f"does not take '{field}' in a request" in done.err
    assert what_to_do in done.err
    assert (len(server.log()), done.replies) == (1, [])


@whole_and_streamed
def test_a_provider_that_changes_its_mind_about_a_field_loses_nothing(chat_server, ask, written, stream):
    extra = ("--extra", written("extra.json", '{"zeal": 1}'))
    server = chat_server(provider="openai", lenient=2)
    done = ask(server, "openai/m", *extra, *stream)
    assert (done.code, len(server.log()), [one.text for one in done.replies]) == (1, 3, ["A", "A"])
    assert "does not take 'zeal' in a request (Unknown parameter: 'zeal'.)" in done.err
    assert "all replies so far are kept" in done.err
    takes_it = chat_server()
    again = ask(takes_it, "openai/m", *extra, *stream, bench=done.bench)
    assert (again.code, len(takes_it.log()), len(again.replies)) == (0, 1, 3)


@whole_and_streamed
def test_a_field_refused_in_words_after_others_took_it_fails_items_and_at_the_third_the_run(
    chat_server, ask, written, stream
):
    server = chat_server(provider="vllm", lenient=2)
    done = ask(server, "vllm/m", "--extra", written("extra.json", '{"zeal": 1}'), *stream, n=6)
    assert (done.code, len(server.log()), [one.text for one in done.replies]) == (1, 5, ["A", "A", None, None])
    assert [one.error.kind for one in done.replies[2:]] == ["field-refused"] * 2
    assert "does not take 'zeal' in a request" in done.err


def test_what_is_wrong_with_a_prompt_is_wrong_with_that_item(chat_server, ask):
    done = ask(chat_server(provider="vllm"), "vllm/audio-first", "--part-order", "text-first", "--max-tokens", "9")
    assert (done.code, [one.error.kind for one in done.replies]) == (1, ["http-400"] * 3)


@whole_and_streamed
@pytest.mark.parametrize(
    ("provider", "model", "words"),
    [
        ("openai", "openai/gpt-audio-1.5", "flagged words"),
        ("google", "google/gemini-2.5-flash", "flagged words"),
        ("google", "google/gemini-2.5-flash", "blocked reply"),
        ("openrouter", "openai/r", "flagged words"),
        ("openrouter", "openai/r", "blocked reply"),
        ("dashscope", "openai/q", "flagged words"),
    ],
)
def test_a_blocked_item_is_refused_and_not_bought_again(chat_server, ask, cli, written, provider, model, words, stream):
    card = ("--card", written("c.toml", f'[[card]]\nname = "openai/*"\n{PREFIX}')) if provider == "dashscope" else ()
    server = chat_server(provider=provider)
    done = ask(server, model, *stream, *card, words=words)
    assert done.code == 0, done.err
    assert all(one.error is None for one in done.replies)
    assert [one.finish_reason for one in done.replies] == ["stop", "content_filter", "stop"]
    said = done.replies[1].notes
    assert said.startswith("blocked by the provider: ")
    assert "{" not in said
    score = cli("score", done.folder, "--json").json["scores"]["strict"]
    assert (score["n_refused"], score["n_blocked"], score["n_failed"]) == (1, 1, 0)
    assert "Of 1 refused, 1 was blocked by the provider: no reply came to it." in cli("score", done.folder).out
    ask(server, model, *stream, *card, bench=done.bench)
    assert len(server.log()) == 3


@pytest.mark.parametrize("n", [7, 9])
def test_where_all_is_blocked_from_the_start_a_line_says_so_once(chat_server, ask, make_benchmark, n):
    bench = make_benchmark([{"question": "What is this? flagged words"}] * n)
    done = ask(chat_server(provider="openai"), "openai/m", bench=bench)
    said = "All of the first 8 items were blocked, and count as refused (blocked by the provider: Invalid prompt: your"
    assert done.err.count(said) == (n > 8)


def test_a_probe_of_which_all_is_blocked_says_nothing_of_hearing():
    from audiometry.records import ReplyRecord
    from audiometry.run.probing import asking, questions

    question = questions.questions(questions.SHORT, 0)[0]
    said = {"item": "x", "variant": "v", "text": "", "finish_reason": "content_filter", "notes": "blocked: SAFETY"}
    heard = asking._heard(question, ReplyRecord(prompt_sha256="", audio_sha256="", **said), None)
    assert (heard.text, heard.said, heard.error.kind, heard.error.message) == (
        None,
        None,
        "content_filter",
        "blocked: SAFETY",
    )


@pytest.mark.parametrize("fault", ["401", "403"])
@whole_and_streamed
def test_a_key_that_may_not_ask_still_ends_the_run(chat_server, ask, fault, stream):
    server = chat_server(faults=[f"{fault}:after-1"])
    done = ask(server, "openai/m", *stream)
    assert (done.code, len(server.log()), len(done.replies)) == (1, 2, 1)


def test_a_model_that_ended_is_said_before_it_is_asked_and_where_it_is_not_found(chat_server, ask, written):
    card = '[[card]]\nname = "openai/*"\nends = "2020-01-31"\nsuccessor = "openai/gpt-audio-1.5"\n'
    name = "openai/gpt-4o-audio-preview-2024-12-17"
    done = ask(chat_server(provider="openai"), name, "--card", written("card.toml", card))
    said = f"{name} was served until 2020-01-31; ask openai/gpt-audio-1.5 instead"
    first, *_, last = done.err.strip().splitlines()
    assert (done.code, first) == (1, said)
    assert "has been deprecated" in last
    assert said in last
    assert "check" not in last


def test_a_server_that_ends_a_model_sooner_than_its_card_is_not_contradicted(chat_server, ask, written):
    card = '[[card]]\nname = "openai/*"\nends = "9020-01-31"\nsuccessor = "openai/gpt-audio-1.5"\n'
    name = "openai/gpt-4o-audio-preview-2024-12-17"
    done = ask(chat_server(provider="openai"), name, "--card", written("card.toml", card))
    first, *_, last = done.err.strip().splitlines()
    assert first.endswith("is served until 9020-01-31; its successor is openai/gpt-audio-1.5")
    assert "; if it ended already, ask openai/gpt-audio-1.5 instead; else check the model's name and --base-url" in last
    assert "served until" not in last


def test_voxtral_is_sent_its_system_words_in_the_users_turn(chat_server, ask, written):
    text = '[[card]]\nname = "vllm/*"\nsystem_role = {}\n'
    server = chat_server(provider="vllm")
    model = "vllm/mistralai/Voxtral-Mini-3B-2507"
    done = ask(server, model, "--prompt", "airbench", "--card", written("card.toml", text.format("false")))
    assert (done.code, {line["status"] for line in server.log()}) == (0, {200})


@pytest.mark.parametrize(("prefix", "status"), [(PREFIX, 200), ("", 400)])
def test_a_name_and_a_prefix_of_the_servers_own(chat_server, ask, written, prefix, status):
    card = f'[[card]]\nname = "openai/*"\nserved_as = "speech"\n{prefix}'
    server = chat_server(provider="dashscope", model="speech")
    ask(server, "openai/q", "--card", written("card.toml", card), n=1)
    assert [line["status"] for line in server.log()] == [status]


def test_music_keeps_its_band_above_8_khz(chat_server, ask, make_benchmark):
    import numpy as np
    import soundfile

    bench = make_benchmark(1)
    rate = 44_100
    tone = 0.5 * np.sin(2 * np.pi * 15_000 * np.arange(rate // 10) / rate)
    soundfile.write(bench / "audio" / "00000.wav", np.stack([tone, tone], axis=1), rate, subtype="PCM_16")
    server = chat_server(provider="openai", decode=True)
    done = ask(server, "openai/gpt-audio-1.5", bench=bench)
    (line,) = server.log()
    assert (line["audio"][0]["rate"], line["audio"][0]["channels"]) == (rate, 2)
    assert done.replies[0].audio_changes == ()


@pytest.mark.parametrize(("formats", "sent"), [('["wav", "mp3"]', "mp3"), ('["wav"]', None)])
def test_a_clip_too_large_as_wav_goes_as_mp3_or_is_one_failure(
    chat_server, ask, written, make_benchmark, formats, sent
):
    import numpy as np
    import soundfile

    bench = make_benchmark(2)
    slow = 0.1 * np.sin(np.arange(16_000 * 20) * 0.05)
    soundfile.write(bench / "audio" / "00001.wav", slow, 16_000, subtype="PCM_16")  # 0.64 MB
    card = written("card.toml", f'[[card]]\nname = "google/*"\nlargest_mb = 0.5\nformats = {formats}\n')
    server = chat_server(provider="google", largest=500_000, decode=True)
    done = ask(server, "google/gemini-2.5-flash", "--card", card, bench=bench)
    small, large = done.replies
    assert (small.text, small.audio_changes) == ("A", ())
    assert all(line["status"] == 200 for line in server.log())
    if sent:
        assert (large.text, large.audio_changes) == ("A", ("wav → mp3",))
        assert server.log()[1]["formats"] == ["mp3"]
    else:
        assert (large.error.kind, len(server.log())) == ("audio-too-large", 1)
        assert large.error.message.startswith(
            "audio/00001.wav: 0.6 MB as wav, of which a request to the model holds 0.4 MB;"
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stream = true", "--extra holds 'stream', which each request states by itself; leave it out there"),
        ('model = "x"', "--extra holds 'model'"),
        ("messages = []", "--extra holds 'messages'"),
        ("n = 4", "--extra holds 'n'"),
        ("max_tokens = 9", "--extra holds 'max_tokens'"),
        ("max_completion_tokens = 9", "--extra holds 'max_completion_tokens'"),
        ("", "holds no fields; write some, such as top_p = 0.9, or leave it out"),
        ("top_p 0.9", "extra.toml, line 1"),
        ("{", "extra.toml: it ends in the middle"),
        ('{"top_p": NaN}', "extra.toml: not JSON"),
        ("[1, 2]", "it is a list; an object is needed; write fields of a request, such as top_p = 0.9"),
        ("[1]", "it is a list; an object is needed"),
        ('["top_p"]', "it is a list; an object is needed"),
        ("\ufeff[[1]]", "it is a list; an object is needed"),
        ('"top_p"', "it is a text ('top_p'); an object is needed"),
        ("[1] # a table", "'1' is no name of a field"),
        ('"" = 1', "'' is no name of a field"),
        ('{"top_p": 0.5, "top_p": 0.9}', "the key 'top_p' stands twice"),
        ('{"a": [{"b": 1, "b": 1}]}', "the key 'b' stands twice"),
        ('{"top_p": 0.5,}', "not JSON: a comma before the closing }"),
        ("top_p = nan", "'top_p' holds what JSON does not have"),
        ("since = 2026-01-01", "'since' holds what JSON does not have"),
        ('{"a": 1, "b": {"since": 2026}, "api_key": "sk-live-1"}', "'api_key' is a secret, which would be recorded"),
        ('[provider]\ntoken = "x"', "'provider: … token' is a secret"),
        ('a = [{X-Api-Key = "x"}]', "'a: … X-Api-Key' is a secret"),
        ('headers.Authorization = "Bearer x"', "'headers: … Authorization' is a secret"),
        ('hook = "https://me:hunter2@host/"', "'hook' is a secret"),
        ("abc_123_secret_456 = 1", "a name of a field holds a key of the environment"),
        ("a.abc_123_secret_456 = 1", "a name of a field holds a key of the environment"),
        ("a = " + "[" * 60 + "]" * 60, "'a' is nested more than 50 deep"),
        ("a = " + "{b = " * 300 + "1" + "}" * 300, "nested"),
        ("\udcff", "not UTF-8 text"),
        ("a = " + "[" * 5000, "nested too deeply"),
    ],
)
def test_fields_of_ones_own_with_a_slip(ask, written, text, said, monkeypatch):
    monkeypatch.setenv("OTHER_API_KEY", "abc_123_secret_456")
    path = written("extra.toml", "")
    path.write_bytes(text.encode(errors="surrogateescape"))
    done = ask(None, "openai/m", "--max-tokens", "5", "--extra", path, n=1)
    assert (done.code, done.folder.exists()) == (2, False)
    assert said in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not any(secret in done.err for secret in ("abc_123", "sk-live", "hunter2"))


@pytest.mark.parametrize("text", ['\ufeff{"a": {"b": 1}}', "[a]\nb = 1", "a.b = 1", ' {"a": {"b": 1}} \n'])
def test_fields_of_ones_own_in_json_and_toml(chat_server, ask, written, text):
    server = chat_server()
    assert ask(server, "openai/m", "--extra", written("extra", text)).code == 0
    assert server.log()[0]["parameters"] == {"a": {"b": 1}}


def test_fields_of_ones_own_are_recorded_and_shape_the_run(chat_server, ask, written):
    card = written("card.toml", '[[card]]\nname = "openai/*"\n[card.fields]\nreasoning_effort = "low"\nseed = 3\n')
    extra = written("extra.toml", 'reasoning_effort = "high"\nstop = ["x"]\ntemperature = 1\n')
    server = chat_server()
    done = ask(server, "openai/m", "--card", card, "--extra", extra)
    said = '--extra sends reasoning_effort = "high" to openai/m in place of its card\'s "low"'
    assert done.err.count(said) == 1
    stated = {"reasoning_effort": "high", "stop": ["x"], "seed": 3, "temperature": 1}
    assert all(line["parameters"] == stated for line in server.log())
    other = ask(server, "openai/m", "--card", card, bench=done.bench)
    assert other.code == 2
    assert "was made with parameters" in other.err


def test_fields_do_nothing_with_rules(cli, make_benchmark, written):
    done = cli("run", make_benchmark(1), "--model", "scripted/oracle", "--extra", written("extra.toml", "top_p = 1"))
    assert done.code == 2
    assert "--extra does nothing with scripted/oracle" in done.err
