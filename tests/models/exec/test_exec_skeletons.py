"""The skeletons: each says what it does and where that was read, and ends in one line without the research code.

Each answers on the whole way through `exec/`, with a stand-in that refuses what the real code refuses.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from audiometry.models.exec import wire
from audiometry.programs.lines import Line

EXAMPLES = Path(__file__).parents[3] / "examples" / "wrap_research_code"
SKELETONS = sorted((EXAMPLES / "skeletons").glob("*.py"))
STAND_IN = Path(__file__).parents[2] / "servers" / "research_stand_in.py"
FACTS = tomllib.loads((Path(__file__).parent / "research_facts.toml").read_text(encoding="utf-8"))
HEAD = ("Code", "Weights", "Needs", "Rate", "Limit", "Order", "Template", "Decoding", "Text alone", "Source")
FIRST, LAST, BOTH = "audio-first", "text-first", True

# what the calls that give a model's words give back; the order it is asked in; whether the other one can be asked for;
# whether it answers words alone; the longest clip, seconds
MODELS = {
    "blsp": ({"decode": "SAID"}, LAST, BOTH, True, 30),
    "diva": ({"generate": ["SAID"]}, LAST, False, False, 30),
    "kimi_audio": ({"generate": [None, "SAID"]}, LAST, BOTH, False, 600),
    "m2ugen": ({"generate": ["SAID[AUD0][AUD1]"]}, FIRST, False, True, 60),
    "macaw_llm": ({"batch_decode": ["SAID"]}, FIRST, False, True, 30),
    "mimo_audio": ({"audio_understanding_sft": "SAID", "text_dialogue_sft": "SAID"}, FIRST, False, True, None),
    "mu_llama": ({"generate": ["SAID"]}, FIRST, False, False, 60),
    "musilingo": ({"decode": "Assistant: SAID###"}, FIRST, BOTH, False, None),
    "next_gpt": ({"generate": ["SAID [AUD0] [AUD1]\n###"]}, FIRST, BOTH, True, None),
    "pandagpt": ({"generate": "SAID"}, FIRST, False, False, None),
    "qwen_audio": ({"decode": "SAID"}, FIRST, False, False, 30),
    "qwen_audio_chat": ({"chat": ["SAID", "history"]}, FIRST, BOTH, True, 30),
    "salmonn": ({"generate": ["<s>SAID</s>"]}, FIRST, BOTH, False, 30),
    "speechgpt": ({}, LAST, False, True, None),
    "step_audio": ({"decode": "SAID"}, LAST, False, True, None),
    "step_audio_2": ({"StepAudio2()": ["tokens", "SAID", []]}, FIRST, BOTH, True, None),
    "typhoon2_audio": ({"generate": {"text": "SAID"}}, FIRST, False, False, 30),
    "typhoon_audio": ({"generate": "SAID"}, FIRST, False, False, 30),
}
QUESTION, WITH_CLIP, WITHOUT = "What makes this sound?", "The answer is A.", "The answer is B."


def run(*arguments, stdin=b"", cwd=None):
    command = [sys.executable, "-I", "-S", *map(str, arguments)]
    seen = {**os.environ, "SEEN": str(cwd / "seen")} if cwd else None
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=30, cwd=cwd, env=seen)


def clip(seconds=1.0):
    return {"path": "/x/p1-0.wav", "format": "wav", "rate": 16000, "channels": 1, "duration_s": seconds}


def asked(path, gives, prompts, folder):
    """The stand-in behind a skeleton, asked prompts of such parts in turn."""
    requests = [{"id": f"p{n}", "turns": [{"role": "user", "parts": parts}]} for n, parts in enumerate(prompts)]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    return run(STAND_IN, json.dumps(gives), path, stdin=lines.encode(), cwd=folder)


def told(path, gives, prompts, folder):
    """Its replies."""
    done = asked(path, gives, prompts, folder)
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()[1:]]


def about(path):
    return path.read_text(encoding="utf-8").split('"""')[1]


def model(path, gives=None):
    gives = MODELS[path.stem][0] if gives is None else gives
    return "exec/" + shlex.join([sys.executable, "-I", "-S", str(STAND_IN), json.dumps(gives), str(path)])


def of(names):
    return pytest.mark.parametrize("path", [p for p in SKELETONS if p.stem in names], ids=lambda p: p.stem)


every = of(MODELS)


def test_every_model_of_the_list_has_a_skeleton_and_facts():
    assert {path.stem for path in SKELETONS} == set(MODELS) == set(FACTS)


@every
def test_a_skeleton_says_what_it_does_where_everything_comes_from_and_that_it_was_not_run(path):
    text = path.read_text(encoding="utf-8")
    compile(text, str(path), "exec")
    said = about(path)
    assert "not run by us" in " ".join(said.split())
    assert re.findall(r"^([A-Z][a-z]+(?: [a-z]+)?)  +\S", said, re.MULTILINE) == list(HEAD)
    assert re.search(r"^Rate .*\b(kHz|any)\b", said, re.MULTILINE)
    assert len(text.splitlines()) <= 120


@every
def test_the_source_that_a_skeleton_names_is_the_one_its_facts_were_read_at(path):
    source = " ".join(about(path).split("Source ")[1].split())
    for where in FACTS[path.stem]:
        repository, commit, file = re.fullmatch(r"(.+?)@(.+?):(.+)", where).groups()
        if commit == "not known":  # said, not hidden
            assert "names no commit" in source
            continue
        assert re.fullmatch(r"[0-9a-f]{40}", commit)
        assert repository in source
        assert f"@{commit[:7]} " in source
        assert Path(file).name in source


@every
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


def test_a_run_with_a_skeleton_without_its_research_code_says_so_in_one_line(cli, make_benchmark, tmp_path):
    program = shlex.join([sys.executable, "-I", "-S", str(EXAMPLES / "skeletons" / "pandagpt.py")])
    done = cli("run", make_benchmark(1), "--model", f"exec/{program}", "-o", tmp_path / "run")
    (line,) = done.err.strip().splitlines()
    assert done.code == 2
    assert "pandagpt.py: PandaGPT cannot be imported" in line
    assert not (tmp_path / "run").exists()


@every
def test_the_hello_says_what_the_head_says(path, tmp_path):
    _, order, both, words_alone, longest = MODELS[path.stem]
    done = run(STAND_IN, "{}", path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    (first,) = done.stdout.splitlines()
    hello = wire.read_hello(Line(first, len(first)), path.name)
    assert hello.name
    assert (hello.part_order, hello.fixed_order, hello.needs_audio) == (order, not both, not words_alone)
    assert (hello.longest_s, hello.batch) == (longest, 1)
    said = {
        key: " ".join(text.split())
        for key, text in re.findall(r"^([A-Z][a-z]+(?: [a-z]+)?)  +((?:.+\n)+?)(?=\S|\n)", about(path), re.MULTILINE)
    }
    assert said["Rate"].startswith("any" if hello.rate is None else f"{hello.rate // 1000} kHz")
    assert said["Limit"].startswith(f"{longest} s: " if longest else "none ")
    assert said["Order"].startswith(("clip first" if order == FIRST else "words first") + (", " if both else ""))
    assert ("can be asked for" in said["Order"]) == both
    assert ("no other" in said["Order"]) == (not both)
    assert said["Text alone"].startswith("answered" if words_alone else "refused: ")
    assert ("--max-tokens" in said["Decoding"]) == ("max_tokens" in hello.decoding)


@every
def test_a_run_gets_an_answer_of_a_model_that_stands_in(path, tmp_path, cli, make_benchmark):
    """The whole way through `exec/`: the stand-in refuses other names than the real code's."""
    done = cli("run", make_benchmark(1), "--model", model(path), "--no-probe", "-o", tmp_path / "run", "--json")
    (line,) = (tmp_path / "run" / "replies.jsonl").read_text().splitlines()
    reply = json.loads(line)
    assert reply["text"] == WITH_CLIP, reply
    assert (done.code, done.json["scores"]["strict"]["n_answered"]) == (0, 1)


# what shows in what was handed over that the clip comes first, and that the words do
SHOWN = {
    "blsp": (r"'###\[Human\]:',", r"Human\]:.*makes this sound"),
    "kimi_audio": (r"'audio'.*'content': '.*makes this sound", r"makes this sound.*'message_type': 'audio'"),
    "musilingo": (r"</Audio> .*makes this sound", r"makes this sound.* <Audio>"),
    "next_gpt": (r"### Human: <Audio>.*makes this sound", r"### Human: .*makes this sound.* <Audio>"),
    "qwen_audio_chat": (r"from_list_format.*'audio'.*makes this sound", r"from_list_format.*makes this sound.*'audio'"),
    "salmonn": (r"</Speech> .*makes this sound", r"makes this sound.* <Speech>"),
    "step_audio_2": (r"'type': 'audio'.*makes this sound", r"makes this sound.*'type': 'audio'"),
}


@every
def test_each_form_of_prompt_is_answered_as_it_stands_or_refused_in_one_line(path, tmp_path):
    _, order, both, words_alone, _ = MODELS[path.stem]
    forms = {"": [{"text": QUESTION}], FIRST: [{"audio": clip()}, {"text": QUESTION}]}
    forms[LAST] = forms[FIRST][::-1]
    replies = told(path, MODELS[path.stem][0], forms.values(), tmp_path)
    seen = (tmp_path / "seen").read_text()
    taken = {order, *([FIRST, LAST] if both else []), *([""] if words_alone else [])}
    for form, reply in zip(forms, replies, strict=True):
        if form in taken:
            assert reply["text"] == (WITH_CLIP if form else WITHOUT)
        else:
            assert reply["error"]["kind"] == ("part-order" if form else "no-clip")
            assert reply["error"]["message"].startswith("this program ")
    for form, shows in zip((FIRST, LAST), SHOWN.get(path.stem, ()), strict=bool(both)):
        assert re.search(shows, seen), (form, seen)


@of({"macaw_llm", "pandagpt"})
def test_words_alone_are_asked_or_refused_once_before_anything_is_asked(path, tmp_path, cli, make_benchmark):
    given = ("--model", model(path), "--no-probe", "--variant", "text-only", "-o", tmp_path / "run")
    done = cli("run", make_benchmark(2), *given)
    if MODELS[path.stem][3]:
        replies = [json.loads(line) for line in (tmp_path / "run" / "replies.jsonl").read_text().splitlines()]
        assert done.code == 0
        assert all(reply["text"] for reply in replies)
        assert sum(reply["variant"] == "text-only" for reply in replies) == 2
    else:
        (line,) = done.err.strip().splitlines()
        assert done.code == 2
        assert "takes no prompt without a clip" in line
        assert "--variant text-only" in line
        assert not (tmp_path / "run").exists()


@of({"pandagpt", "next_gpt"})
def test_what_imagebind_does_not_hear_stands_in_the_notes(path, tmp_path):
    prompts = [[{"audio": clip(seconds)}, {"text": QUESTION}] for seconds in (2.0, 6.0, 27.0)]
    replies = told(path, MODELS[path.stem][0], prompts, tmp_path)
    assert [reply["text"] for reply in replies] == [WITH_CLIP] * 3
    assert [reply["notes"] for reply in replies] == ["", "", "heard 6 of 27 s"]


def test_two_clips_are_refused_by_a_model_that_takes_one(tmp_path):
    (reply,) = told(EXAMPLES / "skeletons" / "blsp.py", {}, [[{"audio": clip()}] * 2], tmp_path)
    assert reply["error"]["message"] == "this program takes one clip a prompt, here are 2"


@pytest.mark.parametrize(
    ("skeleton", "real", "wrong", "why"),
    [
        ("macaw_llm", "llm_config=", "llama_config=", "MM_LLMs_Config: missing a required argument: 'llm_config'"),
        ("m2ugen", "load_llama=False", "load_lama=False", "M2UGen: got an unexpected keyword argument 'load_lama'"),
        ("next_gpt", '"stops_id"', '"stop_ids"', "generate: missing a required argument: 'stops_id'"),
        ("musilingo", "encode_audio", "encode_sound", "the research code has no"),
        ("blsp", "import BlspModel", "import BLSPModel as BlspModel", "cannot import name 'BLSPModel'"),
        ("diva", "max_new_tokens=", "max_tokens=", "generate: got an unexpected keyword argument 'max_tokens'"),
    ],
)
def test_the_stand_in_refuses_what_the_real_code_refuses(skeleton, real, wrong, why, tmp_path):
    text = (EXAMPLES / "skeletons" / f"{skeleton}.py").read_text(encoding="utf-8")
    assert real in text
    path = tmp_path / "skeletons" / f"{skeleton}.py"
    path.parent.mkdir()
    path.write_text(text.replace(real, wrong), encoding="utf-8")
    (tmp_path / "audiometry_pipe.py").write_text((EXAMPLES / "audiometry_pipe.py").read_text(encoding="utf-8"))
    parts = [{"audio": clip()}, {"text": QUESTION}][:: 1 if MODELS[skeleton][1] == FIRST else -1]
    done = asked(path, MODELS[skeleton][0], [parts], tmp_path)
    assert why in (done.stdout + done.stderr).decode()
    assert WITH_CLIP not in done.stdout.decode()
