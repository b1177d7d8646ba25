"""The skeletons: each compiles, says what is missing in one line, and runs as far as it can without its model."""

import json
import re
import shlex
import subprocess
import sys
import wave
from pathlib import Path

import pytest

from audiometry.models.piping import wire
from audiometry.models.piping.lines import Line

EXAMPLES = Path(__file__).parents[2] / "examples" / "wrap_research_code"
SKELETONS = sorted((EXAMPLES / "skeletons").glob("*.py"))
MODELS = {
    "blsp",
    "diva",
    "m2ugen",
    "macaw_llm",
    "mu_llama",
    "musilingo",
    "next_gpt",
    "pandagpt",
    "qwen_audio_chat",
    "salmonn",
    "speechgpt",
}

STAND_IN = Path(__file__).parents[1] / "servers" / "research_stand_in.py"
# what the calls that give a model's words give back, by skeleton; see the stand-in
GIVES = {
    "blsp": {"decode": "SAID"},
    "diva": {"generate": ["SAID"]},
    "m2ugen": {"generate": ["SAID"]},
    "macaw_llm": {"batch_decode": ["SAID"]},
    "mu_llama": {"generate": ["SAID"]},
    "musilingo": {"answer": ["SAID", "tokens"]},
    "next_gpt": {"generate": ["SAID\n###", 0]},
    "pandagpt": {"generate": "SAID"},
    "qwen_audio_chat": {"chat": ["SAID", "history"]},
    "salmonn": {"generate": ["SAID"]},
    "speechgpt": {},
}


def run(*arguments, stdin=b"", cwd=None):
    command = [sys.executable, "-I", "-S", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=30, cwd=cwd)


def test_every_model_of_the_list_has_a_skeleton():
    assert {path.stem for path in SKELETONS} == MODELS


@pytest.mark.parametrize("path", SKELETONS, ids=lambda p: p.stem)
def test_a_skeleton_says_where_everything_comes_from_and_that_it_was_not_run(path):
    text = path.read_text(encoding="utf-8")
    compile(text, str(path), "exec")
    about = text.split('"""')[1]
    for heading in ("Code ", "Weights ", "Needs ", "Hears ", "Entry ", "Decoding "):
        assert re.search(rf"^{heading}", about, re.MULTILINE), heading
    assert "not run by us" in " ".join(about.split())
    assert "kHz" in about
    assert len(text.splitlines()) <= 120


@pytest.mark.parametrize("path", SKELETONS, ids=lambda p: p.stem)
def test_without_the_research_code_it_ends_with_one_line(path, tmp_path):
    done = run(path, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == b""
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"{path.name}: ")
    assert "cannot be imported (No module named" in line
    assert "https://" in line


def test_a_clone_that_is_not_there_is_told(tmp_path):
    done = run(EXAMPLES / "skeletons" / "salmonn.py", "--repo", tmp_path / "nowhere")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"salmonn.py: there is no folder {tmp_path}/nowhere; clone https://")


@pytest.mark.parametrize("path", SKELETONS, ids=lambda p: p.stem)
def test_its_own_lines_hold_with_modules_that_take_anything(path, tmp_path):
    clip = tmp_path / "p1-0.wav"
    with wave.open(str(clip), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes(b"\0\0" * 1600)
    audio = {"path": str(clip), "format": "wav", "rate": 16000, "channels": 1, "duration_s": 0.1}
    request = {"id": "p1", "turns": [{"role": "user", "parts": [{"audio": audio}, {"text": "What is it?"}]}]}
    done = run(STAND_IN, "{}", path, stdin=json.dumps(request).encode() + b"\n", cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    first, second = done.stdout.splitlines()
    hello = wire.read_hello(Line(first, len(first)), path.name)
    assert hello.name
    assert hello.rate in {16_000, 24_000}
    reply = json.loads(second)
    assert reply["id"] == "p1"
    # such a model gives no text, DiVA's gives two replies to one prompt, SpeechGPT's writes no file with its words
    expected = {"speechgpt": "FileNotFoundError", "diva": "TypeError"}.get(path.stem, "no-text")
    assert "text" in reply or reply["error"]["kind"] == expected, done.stderr.decode()


@pytest.mark.parametrize("path", SKELETONS, ids=lambda p: p.stem)
def test_a_run_gets_an_answer_of_a_model_that_stands_in(path, tmp_path, cli, make_benchmark):
    """The whole way through `exec/`: the model stands in, and says something only of a clip and a question."""
    command = shlex.join([sys.executable, "-I", "-S", str(STAND_IN), json.dumps(GIVES[path.stem]), str(path)])
    done = cli("run", make_benchmark(1), "--model", f"exec/{command}", "--no-probe", "-o", tmp_path / "run", "--json")
    (line,) = (tmp_path / "run" / "replies.jsonl").read_text().splitlines()
    reply = json.loads(line)
    assert reply["text"] == "The answer is A.", reply
    assert (done.code, done.json["profiles"]["strict"]["n_answered"]) == (0, 1)
