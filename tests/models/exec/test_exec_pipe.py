"""Programs over a pipe, each a real process: replies, batches, and every way they can fail."""

import asyncio
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from audiometry.errors import ModelError, UnknownNameError, UsageError
from audiometry.files.secrets import is_secret
from audiometry.models import load

PREAMBLE = """\
import json, os, sys, time
def say(**fields): sys.stdout.write(json.dumps(fields) + "\\n"); sys.stdout.flush()
def hello(**fields): say(**{"audiometry": 1, "name": "child", "version": "1", **fields})
def requests():
    for line in sys.stdin: yield json.loads(line)
def text(request): return "".join(p.get("text", "") for t in request["turns"] for p in t["parts"])
def once(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    if os.path.exists(path): return False
    open(path, "w").close()
    return True
"""
ECHO = 'hello()\nfor r in requests(): say(id=r["id"], text=text(r))\n'


@pytest.fixture
def program(tmp_path):
    """Write a program and give its command: ``program(body)``; the shorter the start the better."""

    def write(body, name="child.py"):
        path = tmp_path / name
        path.write_text(PREAMBLE + body, encoding="utf-8")
        return f"{shlex.quote(sys.executable)} -I -S {shlex.quote(str(path))}"

    return write


def model_of(command, **settings):
    return load(f"exec/{command}", **settings)


def asked(model, *prompts):
    """Replies or errors of prompts asked at once."""

    async def go():
        try:
            return await asyncio.gather(*(model.answer(p) for p in prompts), return_exceptions=True)
        finally:
            await model.close()

    return asyncio.run(go())


def in_turn(model, *prompts):
    """Replies or errors of prompts asked one after the other."""

    async def go():
        found = []
        try:
            for prompt in prompts:
                found.extend(await asyncio.gather(model.answer(prompt), return_exceptions=True))
            return found
        finally:
            await model.close()

    return asyncio.run(go())


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid, within_s=5.0):
    end = time.monotonic() + within_s
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def test_a_program_answers_and_its_card_comes_from_it(program, make_prompt, make_clip):
    body = (
        "hello(batch=3, rate=24000, channels=2, formats=['flac', 'wav'], longest_s=15.5, part_order='text-first',"
        " fixed_order=True, needs_audio=True)\n"
        "for r in requests():\n"
        "    a = r['turns'][0]['parts'][0]['audio']\n"
        "    data = open(a['path'], 'rb').read()\n"
        "    say(id=r['id'], text=str(len(data)), finish_reason='stop', tokens_in=4, tokens_out=1,"
        " notes=oct(os.stat(a['path']).st_mode & 0o777) + ' ' + a['path'])\n"
    )
    command = program(body)
    model = model_of(command)
    card = model.card
    assert (card.rate, card.channels, card.formats, card.longest_s) == (24000, 2, ("flac", "wav"), 15.5)
    assert (card.part_order, card.fixed_order, card.needs_audio, card.concurrency) == ("text-first", True, True, 3)
    assert model.name == f"exec/{command}"
    assert model.parameters == {
        "command": shlex.split(command),
        "program": {"name": "child", "version": "1"},
    }
    clip = make_clip()
    (reply,) = asked(model, make_prompt(clip, "what?", item="secret-gold-A"))
    assert (reply.text, reply.finish_reason, reply.tokens_in, reply.tokens_out) == (str(len(clip.data)), "stop", 4, 1)
    mode, path = reply.notes.split(" ", 1)
    assert mode == "0o600"
    assert "secret" not in path
    assert not Path(path).exists()
    assert not Path(path).parent.exists()


def test_nothing_starts_before_the_card_is_asked_for(program, tmp_path):
    command = program(f"open({str(tmp_path / 'started')!r}, 'w').close()\n" + ECHO)
    model = model_of(command)
    assert not (tmp_path / "started").exists()
    assert model.card.concurrency == 1
    assert (tmp_path / "started").exists()
    asyncio.run(model.close())


def test_replies_out_of_order_find_their_prompts(program, make_prompt):
    body = (
        "hello(batch=4)\nheld = []\n"
        "for r in requests():\n"
        "    held.append(r)\n"
        "    if len(held) == 4:\n"
        "        for h in reversed(held): say(id=h['id'], text=text(h))\n"
        "        held = []\n"
    )
    model = model_of(program(body))
    prompts = [make_prompt(f"t{n}") for n in range(12)]
    assert [r.text for r in asked(model, *prompts)] == [f"t{n}" for n in range(12)]


def test_of_two_replies_to_one_prompt_the_first_counts_and_the_second_is_noted(program, make_prompt):
    body = (
        "hello()\nfor r in requests():\n    say(id=r['id'], text=text(r))\n    say(id=r['id'], text='something else')\n"
    )
    model = model_of(program(body))
    prompts = [make_prompt(f"t{n}") for n in range(4)]
    replies = asked(model, *prompts)
    assert [r.text for r in replies] == [f"t{n}" for n in range(4)]
    assert "a line that answers nothing" in replies[-1].notes
    assert "something else" in replies[-1].notes


def test_no_more_are_under_way_than_the_program_takes(program, make_prompt):
    body = (
        "import threading, queue\nhello(batch=2)\nq = queue.Queue()\n"
        "def read():\n    for r in requests(): q.put(r)\n    q.put(None)\n"
        "threading.Thread(target=read, daemon=True).start()\n"
        "while True:\n"
        "    r = q.get()\n"
        "    if r is None: break\n"
        "    time.sleep(0.05)\n"
        "    say(id=r['id'], text=str(1 + q.qsize()))\n"
    )
    prompts = [make_prompt(f"t{n}") for n in range(8)]
    model = model_of(program(body))
    assert model.batch == 2
    began = time.perf_counter()
    replies = asked(model, *prompts)
    took = time.perf_counter() - began
    assert max(int(r.text) for r in replies) == 2
    assert sum(r.latency_s for r in replies) <= 2 * took  # two at a time; with the waits for those before, twice that
    fewer = model_of(program(body), connections=1)
    assert fewer.batch == 1
    assert {r.text for r in asked(fewer, *prompts)} == {"1"}


def test_a_program_that_cannot_read_files_gets_base64(program, make_prompt, make_clip):
    body = (
        "import base64\nhello(clips='base64')\n"
        "for r in requests():\n"
        "    a = r['turns'][0]['parts'][0]['audio']\n"
        "    say(id=r['id'], text=base64.b64decode(a['base64'])[:4].decode() + str('path' in a))\n"
    )
    (reply,) = asked(model_of(program(body)), make_prompt(make_clip(), "?"))
    assert reply.text == "RIFFFalse"


def test_decoding_settings_reach_a_program_that_obeys_them_and_no_other(program, make_prompt):
    body = "hello(decoding=['max_tokens'])\nfor r in requests(): say(id=r['id'], text=json.dumps(r.get('decoding')))\n"
    command = program(body)
    model = model_of(command, max_tokens=7)
    assert model.parameters["max_tokens"] == 7
    (reply,) = asked(model, make_prompt("?"))
    assert json.loads(reply.text) == {"max_tokens": 7}
    disobeyed = model_of(command, temperature=0.0)
    with pytest.raises(UsageError, match="does not say that it obeys temperature; leave --temperature out"):
        _ = disobeyed.card
    asyncio.run(disobeyed.close())
    judge = model_of(command, temperature=0.0, judging=True)  # for which `score` has no such option
    with pytest.raises(UsageError, match='obeys temperature; let it heed that and put "decoding"'):
        _ = judge.card
    asyncio.run(judge.close())


def test_more_under_way_than_the_program_takes_is_refused(program):
    model = model_of(program("hello(batch=2)\nfor r in requests(): pass\n"), connections=3)
    with pytest.raises(UsageError, match=r"--concurrency 3: .* takes 2 at a time"):
        _ = model.card
    asyncio.run(model.close())


def test_a_users_card_goes_before_the_programs(program, tmp_path):
    card = tmp_path / "card.toml"
    card.write_text('[[card]]\nname = "exec/*"\nrate = 8000\nlongest_s = 5\n')
    model = model_of(program("hello(batch=4, rate=48000)\nfor r in requests(): pass\n"), card=str(card))
    assert (model.card.rate, model.card.longest_s, model.card.concurrency) == (8000, 5, 4)
    asyncio.run(model.close())


SHOW_NAMES = "hello()\nfor r in requests(): say(id=r['id'], text=' '.join(sorted(os.environ)))\n"


@pytest.mark.parametrize(
    ("option", "names"),
    [
        ("", set()),
        ("?env=SOME_KEY", {"SOME_KEY"}),
        ("?env=SOME_KEY,OTHER_TOKEN", {"SOME_KEY", "OTHER_TOKEN"}),
        ("?start=50&env=OTHER_TOKEN", {"OTHER_TOKEN"}),
    ],
)
def test_the_environment_is_passed_on_but_for_secrets_that_are_not_named(
    program, make_prompt, monkeypatch, option, names
):
    monkeypatch.setenv("SOME_KEY", "swordfish")
    monkeypatch.setenv("OTHER_TOKEN", "swordfish")
    monkeypatch.setenv("PLAIN", "word")
    model = model_of(program(SHOW_NAMES) + option)
    (reply,) = asked(model, make_prompt("?"))
    inside = set(reply.text.split())
    assert inside & {"SOME_KEY", "OTHER_TOKEN"} == names
    assert {name for name in os.environ if not is_secret(name)} <= inside
    assert "?" not in model.name


def test_a_secret_that_is_not_there_cannot_be_passed_on(program, monkeypatch):
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(UsageError, match="env=SOME_KEY: there is no such variable in the environment; set it"):
        model_of(program(ECHO) + "?env=SOME_KEY")


def test_a_program_that_misses_a_secret_is_told_how_to_get_it(program, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "swordfish-swordfish")
    model = model_of(program("os.environ['SOME_KEY']\nhello()\n"))
    with pytest.raises(UsageError, match=r"it was started without SOME_KEY, add \?env=SOME_KEY if it may have that"):
        _ = model.card
    asyncio.run(model.close())


def test_a_secret_at_the_end_of_a_long_standard_error_is_not_cut_in_two(program, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "swordfish-" * 30)
    body = "sys.stderr.write('x' * 4000 + os.environ['SOME_KEY'] + 'y' * 3950); sys.exit(3)\n"
    model = model_of(program(body) + "?env=SOME_KEY")
    with pytest.raises(UsageError, match="ended with exit code 3") as caught:
        _ = model.card
    asyncio.run(model.close())
    assert "fish" not in str(caught.value)


@pytest.mark.parametrize("where", ["name", "version"])
def test_a_name_without_end_is_refused(program, where):
    model = model_of(program(f"hello({where}='x' * 10**6)\n"))
    with pytest.raises(UsageError, match=r"its first line \(the hello\) is wrong: '\w+' is .* at most 200 characters"):
        _ = model.card
    asyncio.run(model.close())


def test_a_streamed_reply_is_one_piece(program, make_prompt, chunks_of):
    (chunk,) = chunks_of(model_of(program(ECHO)), make_prompt("hello"))
    assert chunk.text == "hello"


def test_a_model_serves_one_event_loop_after_another(program, make_prompt):
    model = model_of(program(ECHO))
    assert asyncio.run(model.answer(make_prompt("one"))).text == "one"
    assert asyncio.run(model.answer(make_prompt("two"))).text == "two"
    asyncio.run(model.close())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("exec/no-such-program --x", "there is no program 'no-such-program' to start"),
        ("exec/./nowhere/serve.py", "there is no program"),
        ("exec/python 'serve.py", "cannot be split into words"),
        ("exec/ ", "needs a command"),
        ("exec/sh serve.sh?start=soon", "start=soon is not a number"),
        ("exec/sh serve.sh?start=0", "start=0 is not a number between 1 and"),
    ],
)
def test_a_command_that_cannot_be_is_told_before_anything_starts(name, says):
    with pytest.raises(UsageError, match=says):
        load(name)


def test_a_question_mark_inside_the_command_is_its_own(program):
    command = program(ECHO) + " 'http://h/?start=3' what? a?b=c"
    model = model_of(command)
    assert model.parameters["command"][-3:] == ["http://h/?start=3", "what?", "a?b=c"]
    asyncio.run(model.close())


def test_the_start_time_is_no_part_of_the_name(program):
    command = program(ECHO)
    assert load(f"exec/{command}?start=5").name == f"exec/{command}"


def test_the_provider_is_known():
    with pytest.raises(UnknownNameError, match="did you mean 'exec'"):
        load("exce/python serve.py")


def test_a_program_that_exits_at_once_is_told_with_its_code_and_last_words(program):
    body = "print('Traceback', file=sys.stderr)\nprint('ImportError: no torch', file=sys.stderr)\nsys.exit(3)\n"
    with pytest.raises(UsageError) as caught:
        _ = model_of(program(body)).card
    told = str(caught.value)
    assert "ended with exit code 3 (its last words on standard error: ImportError: no torch)" in told
    assert "\n" not in told


def test_a_file_that_is_no_program_is_told(tmp_path):
    path = tmp_path / "script"
    path.write_bytes(b"\x00\x01 not a program")
    path.chmod(0o755)
    with pytest.raises(UsageError, match="cannot be started: Exec format error"):
        _ = load(f"exec/{path}").card


@pytest.mark.slow
def test_a_slow_start_is_waited_for_as_long_as_was_said(program):
    slow = program("print('loading', file=sys.stderr, flush=True)\ntime.sleep(1.5)\n" + ECHO)
    model = load(f"exec/{slow}?start=20")
    assert model.card.concurrency == 1
    asyncio.run(model.close())
    started = time.monotonic()
    with pytest.raises(UsageError, match=r"did not say within 1 s .* standard error: loading; .*\?start=SECONDS"):
        _ = load(f"exec/{slow}?start=1").card
    assert time.monotonic() - started < 1.5


def test_chatter_before_the_hello_is_no_hello(program, make_prompt):
    (reply,) = asked(model_of(program("print('Loading checkpoint shards')\n" + ECHO)), make_prompt("x"))
    assert reply.text == "x"
    with pytest.raises(UsageError, match=r"did not say what it is; standard output held [0-9,]+ lines"):
        _ = model_of(program("while True: print('tqdm')\n")).card


def test_a_crash_fails_what_was_under_way_and_the_program_is_started_again(program, make_prompt):
    body = (
        "hello()\nfor r in requests():\n"
        "    if text(r) == 'two' and once('crashed'):\n"
        "        print('CUDA error', file=sys.stderr, flush=True)\n"
        "        os._exit(7)\n"
        "    say(id=r['id'], text=text(r))\n"
    )
    prompts = [make_prompt(t) for t in ("one", "two", "two", "three")]
    one, two, again, three = in_turn(model_of(program(body)), *prompts)
    assert (one.text, again.text, three.text) == ("one", "two", "three")
    assert (two.kind, two.retry, two.fatal) == ("crash", True, False)
    assert "ended with exit code 7 (its last words on standard error: CUDA error)" in str(two)


def test_a_reply_written_just_before_a_crash_counts(program, make_prompt):
    body = "hello()\nfor r in requests():\n    say(id=r['id'], text='last')\n    os._exit(1)\n"
    replies = in_turn(model_of(program(body)), *(make_prompt(f"t{n}") for n in range(4)))
    assert {getattr(r, "text", None) or r.kind for r in replies} <= {"last", "crash"}
    assert replies[0].text == "last"


def test_a_prompt_that_kills_the_program_each_time_is_found_out_and_harms_no_other(program, make_prompt):
    body = (
        "hello(batch=3)\nfor r in requests():\n"
        "    if text(r) == 'bad': os.kill(os.getpid(), 9)\n"
        "    say(id=r['id'], text=text(r))\n"
    )
    model = model_of(program(body))

    async def until_done(prompt):
        for _ in range(6):
            try:
                return (await model.answer(prompt)).text
            except ModelError as error:
                if not error.retry:
                    return error
                await asyncio.sleep(0.05)
        return "given up"

    async def go():
        try:
            texts = ["ok0", "bad", "ok1", "ok2", "ok3"]
            return await asyncio.gather(*(until_done(make_prompt(t)) for t in texts))
        finally:
            await model.close()

    first, bad, *rest = asyncio.run(go())
    assert [first, *rest] == ["ok0", "ok1", "ok2", "ok3"]
    assert isinstance(bad, ModelError)
    assert (bad.kind, bad.fatal) == ("crash", False)
    assert "was killed by SIGKILL, each time that it was asked this prompt alone" in str(bad)


def test_a_program_that_never_answers_anything_stops_the_run_with_one_line(program, make_prompt):
    body = "hello()\nfor r in requests():\n    print('broken', file=sys.stderr, flush=True)\n    os._exit(2)\n"
    errors = in_turn(model_of(program(body)), *(make_prompt(f"t{n}") for n in range(4)))
    assert [e.fatal for e in errors] == [False, False, True, True]
    assert "broken); that is 3 times in a row without a single reply: mend it first" in str(errors[2])


@pytest.mark.slow
def test_a_program_that_starts_only_once_stops_the_run(program, make_prompt):
    body = (
        "if not once('first'): sys.exit('weights are gone')\n"
        "hello()\nfor r in requests():\n    say(id=r['id'], text='A')\n    os._exit(1)\n"
    )
    prompts = [make_prompt(f"t{n}") for n in range(12)]
    found = in_turn(model_of(program(body)), prompts[0])
    assert found[0].text == "A"
    model = model_of(program(body.replace("text='A')", "text='A') if False else None"), name="other.py"))
    (tmp,) = [Path(model._command[-1]).parent]
    (tmp / "first").unlink()
    errors = in_turn(model, *prompts[:4])
    assert [(e.kind, e.fatal) for e in errors] == [("crash", False), ("start", False), ("crash", True), ("crash", True)]
    assert "weights are gone" in str(errors[-1])


def test_a_program_that_hangs_is_ended_and_started_again(program, make_prompt):
    body = (
        "hello(batch=2)\nfor r in requests():\n"
        "    if text(r) == 'hang' and once('hung'): time.sleep(600)\n"
        "    say(id=r['id'], text=text(r))\n"
    )
    model = model_of(program(body), timeout_s=0.6)

    async def go():
        try:
            first = await asyncio.gather(
                model.answer(make_prompt("hang")), model.answer(make_prompt("beside")), return_exceptions=True
            )
            second = await asyncio.gather(*(model.answer(make_prompt(t)) for t in ("hang", "beside")))
            return first, second
        finally:
            await model.close()

    (hung, beside), again = asyncio.run(go())
    assert (hung.kind, hung.retry) == ("timeout", True)
    assert "was stuck and is started again" in str(hung)
    assert beside.retry
    assert beside.kind in {"stuck", "timeout"}
    assert [r.text for r in again] == ["hang", "beside"]


@pytest.mark.slow
def test_a_slow_program_that_answers_others_is_left_alone(program, make_prompt):
    body = (
        "hello(batch=9)\nfirst = None\nfor r in requests():\n"
        "    if text(r) == 'slow': first = r; continue\n"
        "    say(id=r['id'], text=str(os.getpid()))\n"
    )
    model = model_of(program(body), timeout_s=0.6)

    async def go():
        try:
            slow = asyncio.ensure_future(model.answer(make_prompt("slow")))
            pids = []
            for n in range(6):
                pids.append((await model.answer(make_prompt(f"t{n}"))).text)
                await asyncio.sleep(0.12)
            return pids, (await asyncio.gather(slow, return_exceptions=True))[0]
        finally:
            await model.close()

    pids, late = asyncio.run(go())
    assert len(set(pids)) == 1
    assert (late.kind, late.retry, str(late)) == ("timeout", True, "no reply within 0.6 s")


def test_a_caller_that_gives_up_leaves_the_others_alone(program, make_prompt):
    model = model_of(program("hello(batch=2)\nfor r in requests():\n    time.sleep(0.2); say(id=r['id'], text='A')\n"))

    async def go():
        try:
            quitter = asyncio.ensure_future(model.answer(make_prompt("x")))
            other = asyncio.ensure_future(model.answer(make_prompt("y")))
            await asyncio.sleep(0.05)
            quitter.cancel()
            return (await other).text, (await model.answer(make_prompt("z"))).text
        finally:
            await model.close()

    assert asyncio.run(go()) == ("A", "A")


def test_what_is_printed_beside_replies_is_noted(program, make_prompt):
    body = (
        "hello()\nfor r in requests():\n"
        '    print(\'Setting pad_token_id\'); print(\'{"id": "p999", "text": "no such prompt"}\')\n'
        "    say(id=r['id'], text='A', notes='own'); say(id=r['id'], text='B')\n"
    )
    one, two = in_turn(model_of(program(body)), make_prompt("x"), make_prompt("y"))
    first = "the first: 'Setting pad_token_id'"
    assert (one.text, one.notes) == ("A", f"own\nstandard output held 2 lines that answer nothing, {first}")
    assert two.text == "A"
    assert 'held 3 lines that answer nothing, the first: \'{"id": "p1", "text": "B"}\'' in two.notes


def test_garbage_instead_of_replies_is_capped_and_told(program, make_prompt):
    body = "hello()\nfor r in requests():\n    while True: print('garbage \\x00\\xff')\n"
    (error,) = asked(model_of(program(body)), make_prompt("x"))
    assert (error.kind, error.retry) == ("not-json", True)
    assert re.search(r"standard output held [0-9,]+ lines that answer nothing, the first: 'garbage", str(error))
    assert "\x00" not in str(error)


def test_garbage_without_end_is_named_in_the_timeout(program, make_prompt):
    body = 'hello()\nfor r in requests():\n    print(\'{"text": "A"}\', flush=True)\n'
    (error,) = asked(model_of(program(body), timeout_s=0.4), make_prompt("x"))
    assert error.kind == "timeout"
    assert 'a line that answers nothing, the first: \'{"text": "A"}\'' in str(error)


def test_a_line_of_100_megabytes_is_not_kept_and_fails_its_prompt_alone(program, make_prompt):
    body = (
        "hello()\nfor r in requests():\n"
        "    if text(r) == 'long':\n"
        '        w = sys.stdout.write; w(\'{"id": "\' + r[\'id\'] + \'", "text": "\')\n'
        "        for _ in range(100): w('a' * 1000000)\n"
        "        w('\"}\\n'); sys.stdout.flush()\n"
        "    else: say(id=r['id'], text='A')\n"
    )
    long, other = in_turn(model_of(program(body)), make_prompt("long"), make_prompt("x"))
    assert (long.kind, long.retry) == ("bad-reply", False)
    assert "100,000,0" in str(long)
    assert other.text == "A"


def test_a_flood_on_standard_error_never_blocks(program, make_prompt):
    body = (
        "hello()\nfor r in requests():\n"
        "    for _ in range(200): sys.stderr.write('x' * 50000 + '\\n')\n"
        "    sys.stderr.flush(); say(id=r['id'], text='A')\n"
        "    if text(r) == 'end': sys.stderr.write('the end\\r\\n\\n'); sys.stderr.flush(); os._exit(1)\n"
    )
    model = model_of(program(body))
    assert [r.text for r in in_turn(model, make_prompt("x"), make_prompt("end"))] == ["A", "A"]


def test_a_program_that_closes_its_input_is_started_again(program, make_prompt):
    body = (
        "hello()\nif once('deaf'):\n    os.close(0); time.sleep(600)\nfor r in requests(): say(id=r['id'], text='A')\n"
    )
    model = model_of(program(body))
    assert model.card.concurrency == 1
    time.sleep(0.1)
    deaf, heard = in_turn(model, make_prompt("x"), make_prompt("x"))
    assert (deaf.kind, deaf.retry) == ("crash", True)
    assert "closed its standard input" in str(deaf)
    assert heard.text == "A"


@pytest.mark.slow
def test_a_program_that_closes_its_output_is_started_again(program, make_prompt):
    body = (
        "hello()\nfor r in requests():\n"
        "    if once('mute'): os.close(1); time.sleep(600)\n"
        "    say(id=r['id'], text='A')\n"
    )
    mute, heard = in_turn(model_of(program(body)), make_prompt("x"), make_prompt("x"))
    assert "closed its standard output" in str(mute)
    assert heard.text == "A"


def test_a_program_that_comes_back_as_another_model_stops_nothing_silently(program, make_prompt):
    body = (
        "hello(version='1' if once('v1') else '2')\nfor r in requests():\n    say(id=r['id'], text='A'); os._exit(0)\n"
    )
    one, *rest = in_turn(model_of(program(body)), *(make_prompt(f"t{n}") for n in range(3)))
    assert one.text == "A"
    assert all(isinstance(e, ModelError) for e in rest)
    assert "says something else of itself than at the start of the run" in str(rest[-1])


GRANDCHILD = (
    "import subprocess\nchild = subprocess.Popen([sys.executable, '-I', '-S', '-c', 'import time; time.sleep(600)'])\n"
)


def test_closing_while_the_program_starts_ends_it(program, make_prompt, tmp_path):
    model = model_of(program(f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n"))

    async def go():
        asked = asyncio.ensure_future(model.answer(make_prompt("x")))
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():  # noqa: ASYNC110  another process writes it
            await asyncio.sleep(0.02)
        await model.close()
        return (await asyncio.gather(asked, return_exceptions=True))[0]

    error = asyncio.run(go())
    assert (error.kind, error.fatal) == ("closed", True)
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_crash_while_nothing_is_asked_is_made_good(program, make_prompt, tmp_path):
    body = "hello(name='same')\nif once('idle'): os._exit(1)\nfor r in requests(): say(id=r['id'], text='A')\n"
    model = model_of(program(body))
    assert model.card.concurrency == 1
    time.sleep(0.3)
    found = in_turn(model, make_prompt("x"), make_prompt("x"))
    assert found[-1].text == "A"


def test_closing_ends_the_program_and_its_children(program, make_prompt):
    body = GRANDCHILD + "hello()\nfor r in requests(): say(id=r['id'], text=f'{os.getpid()} {child.pid}')\n"
    (reply,) = asked(model_of(program(body)), make_prompt("x"))
    assert all(gone(int(pid)) for pid in reply.text.split())


@pytest.mark.slow
def test_closing_ends_a_program_that_will_not_go(program, make_prompt):
    body = (
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "hello()\nfor r in requests(): say(id=r['id'], text=str(os.getpid()))\n"
        "time.sleep(600)\n"
    )
    started = time.monotonic()
    (reply,) = asked(model_of(program(body)), make_prompt("x"))
    assert gone(int(reply.text))
    assert time.monotonic() - started < 8


def test_a_crash_ends_the_children_that_were_left(program, make_prompt):
    body = GRANDCHILD + "hello()\nfor r in requests():\n    say(id=r['id'], text=str(child.pid)); os._exit(1)\n"
    model = model_of(program(body))
    reply = asyncio.run(model.answer(make_prompt("x")))
    assert gone(int(reply.text))
    asyncio.run(model.close())


def test_a_model_that_nobody_closes_leaves_nothing_behind(program, make_prompt):
    model = model_of(program("hello(name=str(os.getpid()))\nfor r in requests(): pass\n"))
    pid = int(model.parameters["program"]["name"])
    assert alive(pid)
    del model
    assert gone(pid)


START_AND_LEAVE = """\
import os, sys
from audiometry.models import load
model = load("exec/" + sys.argv[1])
print(model.parameters["program"]["name"], flush=True)
if sys.argv[2] == "stay":
    sys.stdin.read()
"""


@pytest.mark.parametrize("end", ["leave", signal.SIGKILL, signal.SIGTERM])
def test_when_audiometry_is_gone_so_is_the_program(program, end, tmp_path):
    body = GRANDCHILD + "hello(name=f'{os.getpid()} {child.pid}')\ntime.sleep(600)\n"
    how = "leave" if end == "leave" else "stay"
    command = [sys.executable, "-c", START_AND_LEAVE, program(body), how]
    temporary = tmp_path / "clips"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as outer:
        pids = [int(pid) for pid in outer.stdout.readline().split()]
        assert len(pids) == 2
        if end != "leave":
            outer.send_signal(end)
        outer.wait(timeout=20)
    assert [gone(pid) for pid in pids] == [True, True]
    deadline = time.monotonic() + 5
    while list(temporary.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert list(temporary.iterdir()) == []
