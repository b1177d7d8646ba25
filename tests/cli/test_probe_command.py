"""`audiometry probe`, and its short form before a run, against a server that listens and goes deaf on request."""

import contextlib
import json
import os
import re
import urllib.request
from html import unescape
from pathlib import Path

import pytest

from audiometry.render.numbers import p_value

CARD = '[[card]]\nname = "openai/mock"\nchannels = 2\nformats = ["wav", "mp3"]\n'

# name of a server: its options
SERVERS = {
    "healthy": (),
    "drops the audio": ("--fault", "drop"),
    "cuts at 30 s": ("--fault", "cut-30"),
    "plays at 8 kHz": ("--fault", "wrong-rate", "--rate", "8000"),
    "plays at 16 kHz": ("--fault", "wrong-rate", "--rate", "16000"),
    "reads the left channel": ("--fault", "left-only"),
    "decodes no mp3": ("--fault", "mp3-deaf"),
    "hears nothing behind words": ("--fault", "late-deaf"),
    "keeps the last 30 s": ("--fault", "last-30"),
    "hears the clip before": ("--fault", "stale"),
}


class Ears:
    """A server process that listens; started when it is first asked for."""

    def __init__(self, servers, options, folder):
        self.servers = servers
        self.pid, self.port = servers.start("hearing_server", options, folder / "stderr.txt")
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def requests(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=10) as reply:
            return json.load(reply)["requests"]

    def stop(self):
        self.servers.stop(self.pid)


@pytest.fixture(scope="module")
def ears(servers, tmp_path_factory):
    """``ears("cuts at 30 s")``: one process for all tests of this module."""
    running = {}
    with contextlib.ExitStack() as stack:

        def server(name):
            if name not in running:
                running[name] = Ears(servers, SERVERS[name], tmp_path_factory.mktemp("ears"))
                stack.callback(running[name].stop)
            return running[name]

        yield server


@pytest.fixture
def card(tmp_path):
    path = tmp_path / "card.toml"
    path.write_text(CARD)
    return path


@pytest.fixture
def probed(cli, ears, card):
    """``probed("healthy", "--seed", 1)``: the JSON that the command prints, and its exit code."""

    def go(name, *words, own_card=card):
        said = cli("probe", "openai/mock", "--base-url", ears(name).url, "--card", own_card, "--json", *words)
        assert "Traceback" not in said.err
        return said.json, said.code

    return go


def verdicts(found, *names):
    return [one["verdict"] for one in found["aspects"] if one["name"] in names]


def test_nothing_is_wrong_with_a_healthy_server(probed, ears):
    before = ears("healthy").requests()
    found, code = probed("healthy")
    assert (found["findings"], found["hears"], code) == ([], True, 0)
    assert (found["right"], found["n"]) == (56, 56)
    assert {one["verdict"] for one in found["aspects"]} == {"heard"}
    assert found["alpha"] == 0.01
    assert all(one["p"] <= 0.01 for one in found["aspects"])
    assert found["usage"]["requests"] == ears("healthy").requests() - before == 56


@pytest.mark.parametrize(
    ("name", "cause", "lost", "kept"),
    [
        ("drops the audio", "no-audio", ("tones", "digits", "left", "mp3"), ()),
        ("cuts at 30 s", "cut", ("end-31s", "end-61s"), ("end-5s", "end-29s", "start-61s", "left", "right")),
        ("plays at 8 kHz", "wrong-rate", ("pitch-8k", "pitch-16k", "pitch-44k"), ()),
        ("reads the left channel", "right-channel", ("right",), ("left", "digits", "end-61s")),
        ("decodes no mp3", "mp3", ("mp3",), ("digits",)),
        ("hears nothing behind words", "part-order", ("other-order",), ("digits", "end-61s")),
        ("keeps the last 30 s", "start-lost", ("start-61s",), ("end-61s",)),
    ],
)
def test_a_server_with_a_fault_is_caught_and_the_fault_is_named(probed, name, cause, lost, kept):
    found, code = probed(name)
    assert [one["cause"] for one in found["findings"]] == [cause]
    assert code == 1
    assert set(verdicts(found, *lost)) == {"not heard"}
    assert set(verdicts(found, *kept)) <= {"heard"}
    assert found["hears"] is (cause != "no-audio")
    assert found["usage"]["requests"] <= 56 + 14


def test_the_length_of_a_cut_and_the_speed_of_a_wrong_rate_are_said(probed):
    cut = probed("cuts at 30 s")[0]["findings"][0]["message"]
    assert cut.startswith("clips are cut at about 30 s: the end is heard in clips of up to 29 s")
    slow = probed("plays at 8 kHz")[0]["findings"][0]["message"]
    assert "clips of 16,000 Hz 2 times too slow" in slow


def test_a_server_that_takes_every_clip_for_16_khz_is_caught_with_clips_of_44_1_khz(probed, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(CARD + "rate = 44100\n")
    found, code = probed("plays at 16 kHz", own_card=own)
    assert [one["cause"] for one in found["findings"]] == ["wrong-rate"]
    assert "2.8 times too slow" in found["findings"][0]["message"]
    assert code == 1


def test_clips_of_the_rate_that_a_server_takes_for_granted_are_played_right(probed):
    found, code = probed("plays at 16 kHz")
    assert (found["findings"], code) == ([], 0)
    assert "8000 → 16000 Hz" in next(one["sent"] for one in found["aspects"] if one["name"] == "digits-8k")


def test_one_channel_is_lost_to_no_model_that_is_sent_mono(cli, ears):
    said = cli("probe", "openai/mock", "--base-url", ears("reads the left channel").url, "--json")
    assert verdicts(said.json, "left", "right") == ["heard", "heard"]
    assert "2 → 1 channels" in next(one["sent"] for one in said.json["aspects"] if one["name"] == "right")
    mp3 = next(one for one in said.json["aspects"] if one["name"] == "mp3")
    assert (mp3["verdict"], mp3["n"]) == ("not asked", 0)


def test_the_order_in_which_a_model_hears_is_found_when_the_other_was_given(probed):
    found, _ = probed("hears nothing behind words", "--part-order", "text-first")
    assert [one["cause"] for one in found["findings"]] == ["part-order"]
    assert "heard with the clip before the words only" in found["findings"][0]["message"]


def test_a_server_that_mixes_clips_up_is_caught(probed):
    found, _ = probed("hears the clip before", "--concurrency", 1)
    assert [one["cause"] for one in found["findings"]] == ["other-clip"]
    assert "the question before" in found["findings"][0]["message"]


def test_clips_longer_than_the_card_says_are_not_asked(probed, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(CARD + "longest_s = 30\n")
    found, code = probed("healthy", own_card=own)
    assert verdicts(found, "end-31s", "end-61s", "start-61s") == ["not asked"] * 3
    assert (found["findings"], found["n_failed"], code) == ([], 0, 0)


def test_the_text_says_what_was_heard_and_what_is_wrong(cli, ears, card, tmp_path):
    said = cli("probe", "openai/mock", "--base-url", ears("cuts at 30 s").url, "--card", card)
    assert said.out.startswith("openai/mock: Audio reaches the model.")
    assert "digit at the end of 31 s" in said.out
    assert "not heard" in said.out
    assert "\nClips are cut at about 30 s" in said.out
    assert "Kept in" not in said.out
    words = ("--card", card, "-o", tmp_path / "kept")
    healthy = cli("probe", "openai/mock", "--base-url", ears("healthy").url, *words)
    assert "Nothing wrong was found; heard in 16 of 16 parts" in healthy.out
    kept = f"Kept in {tmp_path / 'kept' / 'probe.json'}, clips and replies beside it; next: audiometry run BENCH"
    assert f"{kept} --model openai/mock" in healthy.out


def test_clips_replies_and_result_can_be_kept(probed, tmp_path):
    found, _ = probed("healthy", "-o", tmp_path / "kept")
    assert json.loads((tmp_path / "kept" / "probe.json").read_text()) == found
    assert len((tmp_path / "kept" / "probe-replies.jsonl").read_text().splitlines()) == 56
    assert len(list((tmp_path / "kept" / "probe-clips").rglob("*.wav"))) == 53


def test_a_server_that_is_not_there_says_that_nothing_can_be_said(cli):
    said = cli("probe", "openai/mock", "--base-url", "http://127.0.0.1:9/v1", "--max-tries", 1)
    assert said.code == 1
    assert "Nothing can be said, no reply came" in said.out
    assert "cannot connect to 127.0.0.1:9" in said.out.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "Missing argument"),
        (("opnai/x",), "did you mean 'openai'"),
        (("openai/x", "--base-url", "localhost"), "not an address"),
        (("openai/x", "--part-order", "sideways"), "audio-first"),
    ],
)
def test_a_mistake_is_one_line(cli, arguments, says):
    said = cli("probe", *arguments)
    assert said.code == 2
    assert says in said.err
    assert said.err.count("\n") == 1


def test_a_rejected_key_is_one_line(cli, chat_server):
    said = cli("probe", "openai/mock", "--base-url", chat_server(require_key=True).url)
    assert said.code == 1
    assert "check the key" in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


# before a run


@pytest.fixture
def ran(cli, ears, make_benchmark, tmp_path):
    """``ran("healthy", 3)``: a run of so many items on that server, in the same folder each time."""
    folder = make_benchmark(6)

    def go(name, limit, *words):
        where = ("--base-url", ears(name).url, "-o", tmp_path / "run")
        return cli("run", folder, "--model", "openai/mock", *where, "--limit", limit, *words)

    return go


def test_a_run_listens_first_and_says_so_on_standard_error(ran, ears, tmp_path):
    before = ears("healthy").requests()
    said = ran("healthy", 3, "--json")
    assert "Probe: the model hears (8 of 8)" in said.err
    assert said.json["usage"]["requests"] == 3
    assert ears("healthy").requests() - before == 11
    lines = (tmp_path / "run" / "replies.jsonl").read_text().splitlines()
    assert {json.loads(line)["item"].partition("-")[0] for line in lines} == {"item"}
    kept = json.loads((tmp_path / "run" / "probe.json").read_text())
    assert (kept["form"], kept["hears"], kept["n"]) == ("short", True, 8)


def test_no_folder_is_called_as_a_page(cli, tmp_path):
    said = cli("probe", "scripted/oracle", "-o", tmp_path / "probe.html")
    assert said.code == 2
    assert "probe.html is called as a file; name a folder" in said.err
    assert not list(tmp_path.iterdir())


def test_it_listens_once_for_a_folder(ran, ears):
    ran("healthy", 3)
    before = ears("healthy").requests()
    again = ran("healthy", 5)
    assert "Probe" not in again.err
    assert ears("healthy").requests() - before == 2


def test_it_does_not_listen_when_nothing_is_left_to_ask(ran, ears, tmp_path):
    ran("healthy", 3, "--no-probe")
    before = ears("healthy").requests()
    again = ran("healthy", 3)
    assert "Probe" not in again.err
    assert ears("healthy").requests() == before
    assert not (tmp_path / "run" / "probe.json").exists()


@pytest.mark.parametrize("words", [("--no-probe",), ("--dry-run",)])
def test_it_does_not_listen_when_told_so(ran, ears, words, tmp_path):
    before = ears("healthy").requests()
    said = ran("healthy", 3, *words)
    assert "Probe" not in said.err
    assert ears("healthy").requests() - before == (3 if words == ("--no-probe",) else 0)
    assert not (tmp_path / "run" / "probe.json").exists()


def test_no_sign_of_audio_warns_and_the_run_goes_on(ran, tmp_path):
    said = ran("drops the audio", 3, "--seed", 1)
    assert said.code == 0
    assert "WARNING: Probe: no sign that audio reaches the model" in said.err
    assert len((tmp_path / "run" / "replies.jsonl").read_text().splitlines()) == 3
    assert json.loads((tmp_path / "run" / "probe.json").read_text())["hears"] is False


def test_a_server_that_answers_no_probe_stops_no_run_and_is_listened_to_the_next_time(
    cli, chat_server, make_benchmark, tmp_path
):
    server = chat_server(faults=["400:first-1"])  # of each question
    call = ("run", make_benchmark(2), "--model", "openai/mock", "--base-url", server.url, "-o", tmp_path / "run")
    said = cli(*call)
    assert "Probe: nothing can be said, no reply came" in said.err
    assert "the run goes on" in said.err
    assert not (tmp_path / "run" / "probe.json").exists()
    again = cli(*call)
    assert "of 8 right" in again.err
    assert again.code == 0
    assert (tmp_path / "run" / "probe.json").exists()


@pytest.mark.parametrize(
    ("fault", "hint"),
    [("401", "(OPENAI_API_KEY); no item was asked"), ("403", "may not use this model"), ("404-model", "--base-url;")],
)
def test_who_refuses_the_probe_is_not_asked_the_items(cli, chat_server, make_benchmark, tmp_path, fault, hint):
    server = chat_server(faults=[fault])
    call = ("run", make_benchmark(2), "--model", "openai/mock", "--base-url", server.url, "-o", tmp_path / "run")
    said = cli(*call, "--concurrency", 1)
    assert said.code == 1
    assert said.err.count(f"answered {fault[:3]}") == 1  # once, and that is the end
    assert "the run goes on" not in said.err
    assert hint in said.err
    assert len(server.log()) == 1


def test_an_address_without_its_path_is_met_with_a_hint(cli, chat_server, make_benchmark, tmp_path):
    server = chat_server()
    address = server.url.removesuffix("/v1")
    said = cli("run", make_benchmark(2), "--model", "openai/mock", "--base-url", address, "-o", tmp_path / "run")
    assert said.code == 1
    assert "answered 404" in said.err
    assert "check the model's name and --base-url, which usually ends in /v1;" in said.err


def test_waiting_ends_when_one_reply_might_have_come(cli, chat_server, make_benchmark, tmp_path):
    server = chat_server(faults=["slow:first-2"])
    call = ("run", make_benchmark(1), "--model", "openai/mock", "--base-url", server.url, "-o", tmp_path / "run")
    said = cli(*call, "--timeout", 0.5, "--concurrency", 2)
    assert "nothing can be said, no reply came (not all replies came within 0.5 s); the run goes on" in said.err
    assert said.code == 0
    probing = [line for line in server.log() if "tone" in line["text"] or "digit" in line["text"]]
    assert len(probing) == 2  # those that were under way when the time was over


def section(page, name):
    """The text of a report's section, without its marks."""
    found = re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", found[0]).split())) if found else ""


def test_a_report_shows_what_was_found_before_the_run(ran, cli, tmp_path):
    ran("drops the audio", 2, "--seed", 1)
    page = Path(cli("report", tmp_path / "run").out.strip()).read_text()
    assert "No sign that audio reaches the model. 0 of 8 right where guessing gives 1.4" in section(page, "probe")
    assert section(page, "probe").count("0 of 8") == section(page, "probe").count("No sign that audio reaches") == 1
    assert ". Look at how the server is given audio" in section(page, "probe")
    assert "No sign that audio reaches the model." in section(page, "summary")


def test_a_report_shows_what_a_full_test_kept_in_the_run_folder_found(ran, probed, cli, tmp_path):
    ran("cuts at 30 s", 2, "--no-probe")
    found, _ = probed("cuts at 30 s", "-o", tmp_path / "run")
    page = Path(cli("report", tmp_path / "run").out.strip()).read_text()
    shown = section(page, "probe")
    assert f"Audio reaches the model . {found['right']} of {found['n']} right" in shown.replace("model.", "model .")
    assert "Clips are cut at about 30 s" in shown
    for one in found["aspects"]:
        counts = " ".join(str(one[name]) for name in ("n_unread", "n_refused", "n_failed"))
        row = f"{one['title']} {one['verdict']} {one['right']}/{one['n']} {100 * one['chance']:.1f} {p_value(one['p'])}"
        assert f"{row} {counts} {one['sent']}" in shown
    assert "clips are cut at about 30 s" in section(page, "summary").casefold()


@pytest.mark.slow
def test_the_embedded_model_hears_tones_and_digits_at_all_rates_and_in_both_channels(cli):
    pytest.importorskip("pocketsphinx", reason="the cascade's extra is not installed")
    said = cli("probe", "cascade/pocketsphinx", "--json")
    found, code = said.json, said.code
    assert (found["hears"], found["findings"], code) == (True, [], 0)
    plain = ("tones", "digits", "other-order", "pitch-8k", "pitch-16k", "pitch-44k", "digits-8k", "digits-44k")
    assert set(verdicts(found, *plain, "left", "right", "end-5s", "end-29s")) == {"heard"}


def test_the_server_processes_do_not_outlive_their_tests(servers, tmp_path):
    one = Ears(servers, (), tmp_path)
    assert one.requests() == 0
    one.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(one.pid, 0)
