"""The single file that a research repository copies: old Pythons, stray prints, batches, one bad clip among many."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples" / "wrap_research_code"
OLD = sorted(Path.home().glob(".pyenv/versions/3.8*/bin/python3")) + sorted(Path("/usr/bin").glob("python3.[89]"))
START = f"import sys; sys.path.insert(0, {str(EXAMPLES)!r}); import audiometry_pipe as pipe\n"


def talk(body, *requests, python=sys.executable):
    """What a program says to requests that are all there at once; its standard error."""
    lines = "".join(json.dumps(r) + "\n" for r in requests)
    command = [str(python), "-I", "-S", "-c", START + body]
    done = subprocess.run(command, input=lines.encode(), capture_output=True, check=True, timeout=30)
    hello, *replies = [json.loads(line) for line in done.stdout.splitlines()]
    return hello, replies, done.stderr.decode()


def ask(number, text="?", **audio):
    parts = [{"audio": {"format": "wav", "rate": 16000, "channels": 1, "duration_s": 1.0, **audio}}] if audio else []
    return {"id": f"p{number}", "turns": [{"role": "user", "parts": [*parts, {"text": text}]}]}


ECHO = "pipe.serve(lambda rs: [r.text for r in rs], name='echo', batch=4, longest_s=30, formats=['wav', 'flac'])"


@pytest.mark.parametrize("python", [sys.executable, *OLD[:1]], ids=lambda p: Path(p).parts[-3])
def test_it_runs_in_this_python_and_in_an_old_one(python):
    hello, replies, _ = talk(ECHO, ask(1, "a"), ask(2, "b"), python=python)
    assert replies == [{"id": "p1", "text": "a"}, {"id": "p2", "text": "b"}]
    assert {k: hello[k] for k in ("audiometry", "name", "batch", "rate", "channels", "longest_s", "formats")} == {
        "audiometry": 1,
        "name": "echo",
        "batch": 4,
        "rate": 16000,
        "channels": 1,
        "longest_s": 30,
        "formats": ["wav", "flac"],
    }


def test_its_hello_is_one_that_audiometry_reads():
    from audiometry.models.exec import wire
    from audiometry.programs.lines import Line

    hello, _, _ = talk(ECHO)
    raw = json.dumps(hello).encode()
    assert wire.read_hello(Line(raw, len(raw)), "it").batch == 4


def test_whatever_prints_or_reads_stays_off_the_pipe():
    body = (
        "import os, subprocess\n"
        "pipe.take_over()\n"
        "print('python prints')\n"
        "os.write(1, b'C prints\\n')\n"
        "subprocess.run([sys.executable, '-I', '-S', '-c', 'print(\"child read\", repr(input.__name__), "
        '__import__("sys").stdin.read() == "")\'])\n'
        "assert sys.stdin.read() == ''\n" + ECHO
    )
    hello, replies, errors = talk(body, ask(1, "a"))
    assert hello["name"] == "echo"
    assert replies == [{"id": "p1", "text": "a"}]
    assert "python prints" in errors
    assert "C prints" in errors
    assert "child read 'input' True" in errors


def test_waiting_requests_come_as_batches_of_the_size_that_was_said():
    body = "pipe.serve(lambda rs: [str(len(rs)) for _ in rs], batch=3)"
    _, replies, _ = talk(body, *(ask(n) for n in range(7)))
    assert [r["text"] for r in replies] == ["3"] * 6 + ["1"]
    assert [r["id"] for r in replies] == [f"p{n}" for n in range(7)]


def test_one_bad_request_fails_alone():
    body = (
        "def answer(rs):\n"
        "    if any(r.text == 'bad' for r in rs): raise ValueError('clip is\\nempty')\n"
        "    return [r.text for r in rs]\n"
        "pipe.serve(answer, batch=3)"
    )
    _, replies, errors = talk(body, ask(1, "a"), ask(2, "bad"), ask(3, "c"))
    assert replies == [
        {"id": "p1", "text": "a"},
        {"id": "p2", "error": {"kind": "ValueError", "message": "clip is\nempty"}},
        {"id": "p3", "text": "c"},
    ]
    assert "Traceback" in errors


@pytest.mark.parametrize(
    ("reply", "kind"),
    [("None", "no-text"), ("3", "no-text"), ("KeyError('x')", "KeyError"), ("{'text': {1}}", None)],
)
def test_a_reply_that_is_no_text_is_never_passed_off_as_one(reply, kind):
    _, (said,), _ = talk(f"pipe.serve(lambda rs: [{reply}])", ask(1))
    if kind is None:
        assert said["text"] == "{1}"  # what JSON cannot hold is shown as Python shows it
    else:
        assert said["error"]["kind"] == kind


@pytest.mark.parametrize("wrong", ["'AB'", "['A']", "None"])
def test_the_wrong_number_of_replies_is_an_error_and_no_mix_up(wrong):
    _, replies, _ = talk(f"pipe.serve(lambda rs: {wrong} if len(rs) == 2 else ['ok'], batch=2)", ask(1), ask(2))
    assert [r["text"] for r in replies] == ["ok", "ok"]


def test_clips_are_read_from_files_or_from_the_line(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"RIFFa")
    body = "pipe.serve(lambda rs: [r.clips[0].read().decode() + str(r.clips[0].duration_s) for r in rs])"
    _, replies, _ = talk(body, ask(1, path=str(tmp_path / "a.wav")), ask(2, base64="UklGRmI="))
    assert [r["text"] for r in replies] == ["RIFFa1.0", "RIFFb1.0"]


def test_half_a_character_does_no_harm():
    _, (said,), _ = talk("pipe.serve(lambda rs: ['a\\ud83d b'])", ask(1))
    assert said["text"] == "a? b"


def test_a_dict_carries_counts_and_notes():
    _, (said,), _ = talk("pipe.serve(lambda rs: [{'text': 'A', 'tokens_out': 2, 'notes': 'n'}])", ask(1))
    assert said == {"id": "p1", "text": "A", "tokens_out": 2, "notes": "n"}


def test_an_edited_script_has_another_version(tmp_path):
    versions = []
    for end in ("", "# edited\n"):
        path = tmp_path / "serve.py"
        path.write_text(START + ECHO + "\n" + end)
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(path)], input=b"", capture_output=True, check=True, timeout=30
        )
        versions.append(json.loads(done.stdout)["version"])
    assert versions[0] != versions[1]
    assert all(len(v) == 12 for v in versions)


TWO = {"turns": [{"role": "user", "parts": [{"text": "a"}, *ask(1, "b", path="x.wav")["turns"][0]["parts"]]}]}


def test_a_request_knows_its_words_before_and_after_the_clip():
    body = "pipe.serve(lambda rs: ['|'.join([r.text, r.before, r.after, str(len(r.parts))]) for r in rs], batch=2)"
    _, replies, _ = talk(body, {"id": "p1", **TWO}, ask(2, "c"))
    assert [r["text"] for r in replies] == ["a\n\nb|a|b|3", "c|c||1"]


def test_two_clips_are_an_error_of_their_prompt_where_one_is_taken():
    two = ask(1, "b", path="x.wav")
    two["turns"][0]["parts"] *= 2
    _, replies, _ = talk("pipe.serve(pipe.each(lambda r: str(r.clip and r.clip.path)))", two, ask(2), ask(3, path="y"))
    assert replies[0]["error"] == {"kind": "ValueError", "message": "this program takes one clip a prompt, here are 2"}
    assert [r["text"] for r in replies[1:]] == ["None", "y"]


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ("", [None, None, None]),
        ("needs_audio=True", [None, "no-clip", None]),
        ("part_order='audio-first', fixed_order=True", ["part-order", None, None]),
        ("part_order='text-first', fixed_order=True", [None, None, "part-order"]),
    ],
)
def test_prompts_that_a_program_does_not_take_are_refused_and_the_others_answered(terms, told):
    first = ask(3, "after", path="x.wav")
    last = {"id": "p1", "turns": [{"role": "user", "parts": first["turns"][0]["parts"][::-1]}]}
    hello, replies, _ = talk(f"pipe.serve(pipe.each(lambda r: 'ok'), batch=3, {terms})", last, ask(2), first)
    assert [r.get("error", {}).get("kind") for r in sorted(replies, key=lambda r: r["id"])] == told
    assert (hello["fixed_order"], hello["needs_audio"]) == ("fixed" in terms, "needs" in terms)


def test_options_are_read_from_the_command_line(tmp_path):
    path = tmp_path / "serve.py"
    path.write_text(START + "print(pipe.options(repo=('.', 'the clone'), llama_dir=('x', 'y'), batch=(1, 'n')))")
    run = [sys.executable, "-I", "-S", str(path), "--llama-dir", "z", "--batch", "3"]
    done = subprocess.run(run, capture_output=True, check=True, timeout=30, text=True)
    assert done.stdout.strip() == "Namespace(repo='.', llama_dir='z', batch=3)"
