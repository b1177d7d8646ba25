"""A benchmark is corrected and run again: what has not changed is not asked, what has changed is, and counts anew."""

import json
import os
import shutil
import signal

import pytest
import soundfile

from audiometry.dispatch.tally import Tally
from audiometry.report.views.usage import usage


def counts(server):
    return sum(server.requests.values())


def edit(bench, item, **fields):
    """Change fields of an item; with None for the item's line, remove it."""
    path = bench / "metadata.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines = [line | (fields if line["id"] == item else {}) for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines if line.get("keep", True)))


def task_row(done, name="instrument"):
    return done.json["scores"]["strict"]["tasks"][name]


def test_a_corrected_answer_asks_nothing_and_counts(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(8), chat_server(letters="A")
    before = task_row(asked(bench, server, "--json"))
    edit(bench, "i1", answer="violin")  # option A, which the model chose
    done = asked(bench, server, "--json")
    assert (done.code, counts(server)) == (0, 8)
    assert task_row(done)["value"] == before["value"] + 1 / 8
    assert done.json["usage"]["requests"] == 0
    assert done.json["reused"]["here"] == 8
    assert "Nobody was asked: all replies are from before, 20" in done.err
    assert "--again asks anew" in done.err
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert len(info["benchmark"]["earlier"]) == 1
    assert info["benchmark"]["sha256"] not in info["benchmark"]["earlier"]


@pytest.mark.parametrize("model", ["scripted/oracle", "scripted/deaf", "scripted/noisy-oracle?p=1"])
def test_a_rule_that_knows_the_answers_knows_the_corrected_ones(cli, benchmark, tmp_path, model):
    def value(folder="run", *words):
        done = cli("run", bench, "--model", model, "--no-probe", "--json", "-o", tmp_path / folder, *words)
        assert done.code == 0, done.err
        return task_row(done)["value"], done.json["usage"]["requests"]

    bench, cache = benchmark(4), tmp_path / "cache.sqlite"
    assert value("run", "--cache", cache) == (1.0, 4)
    edit(bench, "i1", answer="violin")
    assert value("run", "--cache", cache) == (1.0, 4)
    assert value() == (1.0, 0)  # and once more nothing
    edit(bench, "i2", answer="violin")
    assert value("other") == (1.0, 4)  # nothing is taken over either


def test_where_nobody_is_to_be_asked_no_key_is_needed(asked, cli, benchmark, chat_server, tmp_path, monkeypatch):
    bench, server = benchmark(4), chat_server()
    assert asked(bench, server).code == 0
    edit(bench, "i1", answer="violin")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    words = ("run", bench, "--no-probe", "--model", "openai/mock", "-o", tmp_path / "run")
    assert cli(*words).code == 0
    for more in (("--again",), ("--orders", 2)):
        done = cli(*words, *more)
        assert done.code == 2
        assert "openai/mock needs a key: set OPENAI_API_KEY" in done.said
    assert cli(*words).code == 0  # and what was there is there


def test_a_correction_is_met_with_the_command_to_run(asked, cli, benchmark, chat_server, tmp_path):
    bench, server = benchmark(4), chat_server()
    assert asked(bench, server).code == 0
    edit(bench, "i1", answer="violin")
    run = tmp_path / "run"
    done = cli("score", run)
    assert (done.code, f"): audiometry run {bench} --model openai/mock -o {run}" in done.said) == (2, True)


def test_a_changed_question_is_asked_alone(asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(8), chat_server()
    assert asked(bench, server).code == 0
    edit(bench, "i3", question="What is heard?")
    done = asked(bench, server)
    assert (done.code, counts(server)) == (0, 9)
    assert "1 reply no longer answers what is asked" in done.err
    assert [r["item"] for r in replies(tmp_path / "run")][8:] == ["i3", "i3"]
    assert asked(bench, server).code == 0
    assert counts(server) == 9


def test_options_in_another_order_are_asked_again(asked, benchmark, chat_server):
    bench, server = benchmark(8), chat_server()
    assert asked(bench, server).code == 0
    edit(bench, "i3", options=["piano", "violin", "drum", "flute"])
    assert asked(bench, server).code == 0
    assert counts(server) == 9


@pytest.mark.parametrize("how", [{}, {"rate": 44_100, "channels": 2}])
def test_a_replaced_clip_is_asked_alone(asked, benchmark, chat_server, make_wav, how):
    bench, server = benchmark(8, frames=800, **how), chat_server()
    assert asked(bench, server).code == 0
    make_wav(bench / "audio" / "5.wav", seed=1005, frames=800, **how)
    done = asked(bench, server)
    assert (done.code, counts(server)) == (0, 9)
    assert asked(bench, server).code == 0
    assert counts(server) == 9


def test_a_reply_that_does_not_tell_its_file_stays_where_it_is(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(4, frames=800, rate=44_100), chat_server()
    assert asked(bench, server).code == 0
    path = tmp_path / "run" / "replies.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        assert line.pop("file_sha256")
        line.pop("file_stat")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    edit(bench, "i1", answer="violin")
    assert asked(bench, server).code == 0
    assert counts(server) == 4
    edit(bench, "i2", answer="violin")
    assert asked(bench, server, folder="elsewhere").code == 0  # but is taken over by nobody
    assert counts(server) == 8


def test_clips_that_were_only_touched_are_the_same(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(6, frames=800, rate=44_100, channels=2), chat_server()
    assert asked(bench, server).code == 0
    for path in (bench / "audio").iterdir():
        kept = path.read_bytes()
        path.unlink()
        path.write_bytes(kept)
    shutil.rmtree(tmp_path / "elsewhere", ignore_errors=True)
    assert asked(bench, server).code == 0
    assert counts(server) == 6


def test_a_row_whose_clip_is_gone_is_left_out_and_its_reply_waits(asked, benchmark, chat_server):
    bench, server = benchmark(6), chat_server()
    first = asked(bench, server, "--json")
    clip = bench / "audio" / "2.wav"
    kept = clip.read_bytes()
    clip.unlink()
    again = asked(bench, server, "--json")
    assert "1 of 6 rows are left out" in again.err
    assert (task_row(again)["n_items"], counts(server)) == (5, 6)
    clip.write_bytes(kept)
    assert asked(bench, server, "--json").json["scores"] == first.json["scores"]
    assert counts(server) == 6


def test_items_come_and_go(asked, benchmark, chat_server, tmp_path, cli):
    bench, server = benchmark(8), chat_server()
    assert asked(bench, server).code == 0
    whole = (bench / "metadata.jsonl").read_text()
    edit(bench, "i7", keep=False)
    done = asked(bench, server, "--json")
    assert (done.code, counts(server), task_row(done)["n_items"]) == (0, 8, 7)
    assert cli("score", tmp_path / "run").code == 0
    assert len((tmp_path / "run" / "replies.jsonl").read_text().splitlines()) == 8  # nothing was taken back
    (bench / "metadata.jsonl").write_text(whole)  # and it is back: its reply is still there
    done = asked(bench, server, "--json")
    assert (done.code, counts(server), task_row(done)["n_items"]) == (0, 8, 8)


def test_an_item_under_another_id_keeps_its_reply(asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(8, frames=800, rate=44_100), chat_server()
    first = asked(bench, server, "--json")
    edit(bench, "i3", id="flute-3")
    edit(bench, "i4", id="violin-4")
    done = asked(bench, server, "--json")
    assert (done.code, counts(server)) == (0, 8)
    assert task_row(done)["value"] == task_row(first)["value"]
    said = {r["item"]: (r["text"], r["at"]) for r in replies(tmp_path / "run")}
    assert said["flute-3"] == said["i3"]
    assert {r["item"]: r["taken_from"] for r in replies(tmp_path / "run") if "taken_from" in r} == {
        "flute-3": "run",
        "violin-4": "run",
    }
    edit(bench, "i5", id="piano-5", question="What is heard?")
    assert asked(bench, server).code == 0
    assert counts(server) == 9


def test_a_reply_serves_one_of_two_items_that_look_the_same(asked, benchmark, chat_server):
    bench, server = benchmark(4), chat_server()
    assert asked(bench, server).code == 0
    edit(bench, "i1", id="one")
    path = bench / "metadata.jsonl"
    line = next(one for one in path.read_text().splitlines() if '"one"' in one)
    path.write_text(f"{path.read_text()}{line.replace('one', 'two', 1)}\n")
    assert asked(bench, server).code == 0
    assert counts(server) == 5  # of five items, each has a reply of its own
    edit(bench, "one", id="i1")  # as it was
    edit(bench, "two", id="four")
    assert asked(bench, server).code == 0
    assert counts(server) == 5
    path.write_text(f"{path.read_text()}{line.replace('one', 'three', 1)}\n")
    assert asked(bench, server).code == 0
    assert counts(server) == 6


def test_two_items_that_look_the_same_are_both_renamed(asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(4), chat_server()
    edit(bench, "i2", file_name="audio/1.wav", answer="piano")
    assert asked(bench, server).code == 0
    edit(bench, "i1", id="one")
    edit(bench, "i2", id="two")
    done = asked(bench, server, "--json")
    assert (done.code, counts(server), done.json["reused"]["here"]) == (0, 4, 4)


def test_noise_is_drawn_by_the_id_and_asked_again(asked, benchmark, chat_server):
    bench, server = benchmark(4, frames=800), chat_server()
    assert asked(bench, server, "--variant", "noise", "--variant", "silence").code == 0
    edit(bench, "i1", id="one")
    assert asked(bench, server, "--variant", "noise", "--variant", "silence").code == 0
    assert counts(server) == 13


def test_a_correction_that_is_undone_asks_nothing(asked, benchmark, chat_server):
    bench, server = benchmark(8), chat_server()
    first = asked(bench, server, "--json")
    whole = (bench / "metadata.jsonl").read_text()
    edit(bench, "i3", question="What is heard?")
    assert asked(bench, server).code == 0
    (bench / "metadata.jsonl").write_text(whole)
    done = asked(bench, server, "--json")
    assert (done.code, counts(server)) == (0, 9)
    assert done.json["scores"] == first.json["scores"]


def test_what_was_taken_back_and_never_asked_anew_may_stand_again(asked, benchmark, chat_server):
    bench, server, dead = benchmark(8), chat_server(), chat_server(faults=["400:items-1.0"])
    first = asked(bench, server, "--json")
    whole = (bench / "metadata.jsonl").read_text()
    edit(bench, "i3", question="What is heard?")
    assert asked(bench, dead).code == 1
    (bench / "metadata.jsonl").write_text(whole)
    done = asked(bench, server, "--json")
    assert (done.code, counts(server)) == (0, 8)
    assert done.json["scores"] == first.json["scores"]


def test_a_reply_to_an_older_question_never_counts(asked, benchmark, chat_server):
    bench, server, dead = benchmark(8), chat_server(), chat_server(faults=["400:items-1.0"])
    assert asked(bench, server).code == 0
    edit(bench, "i3", question="What is heard?")
    done = asked(bench, dead, "--json")
    assert done.code == 1
    assert (task_row(done)["n_failed"], task_row(done)["n_items"]) == (1, 8)


@pytest.mark.slow
def test_killed_in_the_middle_of_asking_anew(asked, start, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(12), chat_server()
    assert asked(bench, server).code == 0
    for k in range(6):
        edit(bench, f"i{k}", question="What is heard?")
    slow = chat_server(delay_ms=200)
    words = ("run", bench, "--no-probe", "--model", "openai/mock", "--concurrency", 1)
    process = start(*words, "--base-url", slow.url, "-o", tmp_path / "run")
    while len(slow.log()) < 3:
        assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    there = sum("text" in r for r in replies(tmp_path / "run")) - 12
    well = chat_server()
    done = asked(bench, well, "--json")
    assert (done.code, counts(well)) == (0, 6 - there)
    assert task_row(done)["n_answered"] == 8 + 4


def test_variants_without_the_clip(asked, benchmark, chat_server, make_wav):
    bench, server = benchmark(8, frames=800), chat_server()
    variants = [word for v in ("noise", "silence", "text-only", "other-clip") for word in ("--variant", v)]
    assert asked(bench, server, "--orders", 2, *variants).code == 0
    assert counts(server) == 8 * 6
    assert asked(bench, server, "--orders", 2, *variants).code == 0
    assert counts(server) == 8 * 6
    make_wav(bench / "audio" / "5.wav", seed=1005, frames=800)
    assert asked(bench, server, "--orders", 2, *variants).code == 0
    standing_in = 48 + 4  # plain, order-1, noise and silence of the item; text-only has no clip
    assert standing_in <= counts(server) <= standing_in + 8  # and whoever had its clip in place of his own
    n = counts(server)
    assert asked(bench, server, "--orders", 2, *variants).code == 0
    assert counts(server) == n


OTHER = ("--variant", "other-clip")


def test_clips_that_stood_in_and_were_replaced_are_asked_again(
    asked, benchmark, chat_server, make_wav, replies, tmp_path
):
    bench, server = benchmark(4, frames=800), chat_server()  # sent as they are
    assert asked(bench, server, *OTHER).code == 0
    for n in range(4):
        make_wav(bench / "audio" / f"{n}.wav", seed=1000 + n, frames=800)
    assert asked(bench, server, *OTHER).code == 0
    assert counts(server) == 16
    sent = {(r["item"], r["variant"]): r["audio_sha256"] for r in replies(tmp_path / "run")}
    assert asked(bench, server, *OTHER, folder="fresh").code == 0
    assert sent == {(r["item"], r["variant"]): r["audio_sha256"] for r in replies(tmp_path / "fresh")}


def test_replies_to_clips_that_stood_in_are_taken_over(asked, benchmark, chat_server):
    bench, server = benchmark(4, frames=800), chat_server()
    assert asked(bench, server, *OTHER).code == 0
    edit(bench, "i3", question="What is heard?")
    assert asked(bench, server, *OTHER, folder="second").code == 0
    assert counts(server) == 8 + 2


def test_a_copy_in_another_format_that_stands_in_is_asked_once(asked, benchmark, chat_server):
    bench, server = benchmark(2, frames=800, rate=44_100, channels=2), chat_server()
    samples, rate = soundfile.read(bench / "audio" / "0.wav", dtype="int16")
    soundfile.write(bench / "audio" / "1.flac", samples, rate, subtype="PCM_16")
    edit(bench, "i1", file_name="audio/1.flac")
    assert asked(bench, server, *OTHER).code == 0
    assert asked(bench, server, *OTHER).code == 0
    assert counts(server) == 4


def test_again_asks_everything_anew_and_keeps_what_was(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(6), chat_server()
    assert asked(bench, server).code == 0
    before = (tmp_path / "run" / "replies.jsonl").read_bytes()
    done = asked(bench, server, "--again")
    assert (done.code, counts(server)) == (0, 12)
    assert "6 replies are set aside in " in done.err
    aside = list((tmp_path / "run").glob("replies-until-*.jsonl"))
    assert [path.read_bytes() for path in aside] == [before]
    assert asked(bench, server).code == 0
    assert asked(bench, server, "--again").code == 0
    assert counts(server) == 18
    assert len(list((tmp_path / "run").glob("replies-until-*.jsonl"))) == 2


def test_again_goes_on_where_it_failed(asked, benchmark, chat_server, tmp_path):
    """Replies that --again bought are not bought a second time by the same command."""
    bench, server, half = benchmark(6), chat_server(), chat_server(faults=["400:items-0.5"])
    assert asked(bench, server).code == 0
    done = asked(bench, half, "--again", "--json")
    there = done.json["usage"]["replies"]
    assert (done.code, 0 < there < 6) == (1, True)
    done = asked(bench, server, "--again")
    assert (done.code, counts(server)) == (0, 12 - there)
    assert "set aside" not in done.err
    assert len(list((tmp_path / "run").glob("replies-until-*.jsonl"))) == 1
    assert asked(bench, server, "--again").code == 0  # that one is finished: another begins
    assert counts(server) == 18 - there
    assert len(list((tmp_path / "run").glob("replies-until-*.jsonl"))) == 2


def test_again_that_another_command_finished_begins_anew(asked, benchmark, chat_server):
    bench, server, half = benchmark(6), chat_server(), chat_server(faults=["400:items-0.5"])
    assert asked(bench, half, "--again").code == 1
    assert asked(bench, server).code == 0
    asked_so_far = counts(server)
    assert asked(bench, server, "--again").code == 0
    assert counts(server) == asked_so_far + 6


def test_again_and_a_cache_contradict_each_other(asked, benchmark, chat_server, tmp_path):
    done = asked(benchmark(2), chat_server(), "--again", "--cache", tmp_path / "c.sqlite")
    assert done.code == 2
    assert "--again asks everything anew and --cache takes replies" in done.said


def test_another_folder_takes_over_from_the_older_one(cli, asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(8, frames=800, rate=44_100), chat_server()
    assert asked(bench, server, folder="first").code == 0
    edit(bench, "i3", question="What is heard?")
    done = asked(bench, server, "--json", folder="second")
    assert (done.code, counts(server)) == (0, 9)
    span = json.loads((tmp_path / "first" / "replies.jsonl").read_text().splitlines()[0])["at"]
    assert f"Took over 7 replies from {tmp_path / 'first'}, of {span[:10]}" in done.err
    assert done.json["reused"]["taken"] == {str(tmp_path / "first"): 7}
    assert done.json["usage"]["cached"] == 0
    report = tmp_path / "second.html"
    assert cli("report", tmp_path / "second", "-o", report).code == 0
    assert "7 taken over from first (replies of 20" in report.read_text()
    assert "replies from the cache" not in report.read_text()
    assert report.read_text().count('"taken_from":"first"') == 7  # of each item
    assert "(7 were there before, 7 of them taken over)" in usage(Tally().usage(), 7, 7).text
    assert usage(Tally().usage(), 1).text == "0 replies (1 was there before)"
    marked = [r for r in replies(tmp_path / "second") if r.get("taken_from")]
    assert {r["taken_from"] for r in marked} == {"first"}
    assert len(marked) == 7
    assert all(r["cached"] for r in marked)
    old = {r["item"]: (r["text"], r["at"]) for r in replies(tmp_path / "first")}
    assert all(old[r["item"]] == (r["text"], r["at"]) for r in marked)
    assert asked(bench, server, "--again", folder="third").code == 0
    assert counts(server) == 17
    assert asked(bench, server, "--seed", 3, folder="fourth").code == 0  # another request
    assert counts(server) == 25


def test_a_run_that_lacks_nothing_looks_into_no_other_folder(asked, benchmark, chat_server, monkeypatch):
    bench, server = benchmark(4), chat_server()
    assert asked(bench, server).code == 0
    edit(bench, "i1", answer="violin")
    monkeypatch.setattr("audiometry.run.earlier.older", lambda *_: pytest.fail("looked"))
    assert asked(bench, server).code == 0


def test_a_second_sample_of_the_same_is_asked(asked, benchmark, chat_server):
    bench, server = benchmark(4), chat_server()
    assert asked(bench, server, folder="first").code == 0
    assert asked(bench, server, folder="second").code == 0
    assert counts(server) == 8


def test_a_broken_folder_beside_is_no_hindrance(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(4), chat_server()
    for name, text in (("a", b"{"), ("b", b"\xff"), ("c", b"[" * 100_000)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_bytes(text)
    assert asked(bench, server, folder="first").code == 0
    edit(bench, "i1", answer="drum")
    lines = (tmp_path / "first" / "replies.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "first" / "replies.jsonl").write_bytes(b"".join([*lines[:2], b"%!\n", *lines[2:]]))
    done = asked(bench, server, folder="second")
    assert (done.code, counts(server)) == (0, 6)
    assert f"Not taken over: {tmp_path / 'first' / 'replies.jsonl'}, line 3: " in done.err


def test_without_a_name_a_corrected_benchmark_finds_its_folder(cli, benchmark, chat_server, tmp_path, monkeypatch):
    bench, server = benchmark(6), chat_server()
    monkeypatch.chdir(tmp_path)
    words = ["run", bench, "--no-probe", "--model", "openai/mock", "--base-url", server.url]
    assert cli(*words).code == 0
    edit(bench, "i1", answer="violin")
    assert cli(*words).code == 0
    assert counts(server) == 6
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_words_are_read_whatever_was_corrected_before(asked, benchmark, chat_server, tmp_path):
    """A folder that says it is of the new content may hold replies to the old one, where a run was cut short."""
    bench, server = benchmark(6), chat_server()
    assert asked(bench, server).code == 0
    edit(bench, "i1", question="What is heard?", answer="violin")
    assert asked(bench, server, "--task", "instrument", "--limit", 1).code == 0
    assert asked(bench, server).code == 0
    assert counts(server) == 7


def test_another_server_is_another_checkpoint(asked, benchmark, chat_server, replies, tmp_path):
    """One name, a checkpoint a port: nothing of the one counts for the other, whatever was corrected or has failed."""
    bench, first, second = benchmark(8), chat_server(letters="A"), chat_server(letters="B")
    assert asked(bench, first, folder="step1000").code == 0
    edit(bench, "i3", question="What is heard?")
    done = asked(bench, second, folder="step2000")
    assert (done.code, counts(second)) == (0, 8)
    assert "Took over" not in done.err
    assert {r["text"] for r in replies(tmp_path / "step2000")} == {"B"}
    broken = chat_server(faults=["400:items-1.0"])
    assert asked(bench, broken, folder="step3000").code == 1
    edit(bench, "i3", question="What sounds?")
    assert asked(bench, broken, folder="step3000").code == 1
    assert not [r for r in replies(tmp_path / "step3000") if r.get("text")]


def test_a_folder_goes_on_at_another_address_and_says_so(asked, benchmark, chat_server, replies, tmp_path):
    bench, first, second = benchmark(8), chat_server(letters="A"), chat_server(letters="B")
    assert asked(bench, first, "--limit", 5).code == 0
    done = asked(bench, second, "--json")
    assert (done.code, counts(second)) == (0, 3)
    assert f"Asked at another address than before: {second.url} (before: {first.url}); " in done.err
    both = sorted([first.url, second.url])
    assert json.loads((tmp_path / "run" / "run.json").read_text())["served_at"] == both
    assert "another address" not in asked(bench, second).err  # known by now
    edit(bench, "i3", question="What is heard?")
    done = asked(bench, second, folder="other")  # five of those replies are of the first server
    assert (done.code, counts(second)) == (0, 11)
    assert "Took over" not in done.err
    assert asked(bench, second, "--again").code == 0
    assert json.loads((tmp_path / "run" / "run.json").read_text())["served_at"] == [second.url]


def test_a_folder_that_does_not_say_where_it_was_asked_gives_nothing(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(4), chat_server()
    assert asked(bench, server, folder="first").code == 0
    path = tmp_path / "first" / "run.json"
    info = json.loads(path.read_text())
    del info["served_at"]
    path.write_text(json.dumps(info))
    edit(bench, "i1", question="What is heard?")
    assert asked(bench, server, folder="second").code == 0
    assert counts(server) == 8
    assert asked(bench, server, folder="first").code == 0  # itself it goes on, and still cannot say
    assert counts(server) == 9
    assert json.loads(path.read_text())["served_at"] is None


def test_what_is_written_of_an_address_has_no_secrets(asked, benchmark, chat_server, cli, tmp_path):
    bench, server = benchmark(2), chat_server()
    secret = server.url.replace("://", "://me:hunter2-long@") + "?api_key=much-too-secret"
    words = ("run", bench, "--no-probe", "--model", "openai/mock", "--base-url", secret, "-o", tmp_path / "run")
    assert cli(*words).code == 0
    written = (tmp_path / "run" / "run.json").read_text()
    assert json.loads(written)["served_at"] == [server.url]
    assert not [word for word in ("me:", "hunter2", "much-too-secret", "api_key") if word in written]
