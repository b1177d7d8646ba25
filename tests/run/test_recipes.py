"""Recipes: asked as a model's makers ask it, told so in every record, or refused in one line."""

import json
import sys
from pathlib import Path

import pytest

from audiometry.files.run_folder import RunFolder
from audiometry.run import recipes
from audiometry.score.signature import signed

QUESTION = "What plays, {question} or {options}?"
OPTIONS = ["violin", "piano", "drum", "flute"]
LINES = {
    "dotted": ["A. violin", "B. piano", "C. drum", "D. flute"],
    "bracketed": ["(A) violin", "(B) piano", "(C) drum", "(D) flute"],
    "one-line": ["(A) violin (B) piano (C) drum (D) flute"],
    "words": OPTIONS,
    "words-one-line": ["violin piano drum flute"],
    "quoted": ["'violin', 'piano', 'drum', 'flute'"],
}
AIRBENCH = ["…", QUESTION, *LINES["dotted"]]
MMAU = ["", f"{QUESTION}  ….", f"[{LINES['quoted'][0]}]."]
#: Recipe, model, benchmark, clip first, the lines of the first prompt ("…" for a sentence of ours), word for word.
#: Facts: what the sources that a recipe names show of the structure, written down apart from it.
FACTS = [
    ("qwen2-audio", "vllm/Qwen/Qwen2-Audio-7B-Instruct", "airbench/foundation", True, AIRBENCH, False),
    ("qwen2-audio", "vllm/Qwen/Qwen2-Audio-7B-Instruct", "airbench/chat", True, [QUESTION], False),
    ("qwen2-audio", "vllm/Qwen/Qwen2-Audio-7B-Instruct", "mmau-test-mini", True, MMAU, False),
    ("qwen3-omni", "vllm/Qwen/Qwen3-Omni-30B-A3B-Instruct", "airbench/foundation", True, AIRBENCH, False),
    ("qwen3-omni", "vllm/Qwen/Qwen3-Omni-30B-A3B-Instruct", "mmar", True, [QUESTION, "…", *LINES["words"]], False),
    ("qwen3-omni", "vllm/Qwen/Qwen3-Omni-30B-A3B-Instruct", "mmau", True, MMAU, False),
    ("qwen3-omni", "vllm/Qwen/Qwen3-Omni-30B-A3B-Instruct", "airbench/chat", True, [QUESTION], True),
    ("audio-flamingo-3", "vllm/nvidia/audio-flamingo-3-hf", "mmau-test-mini", True,
     [f"{QUESTION} …", *LINES["bracketed"]], False),
    ("audio-flamingo-3", "vllm/nvidia/audio-flamingo-3-hf", "mmar", True,
     [f"{QUESTION} …", *LINES["bracketed"]], False),
    ("kimi-audio", "exec/{program}", "mmau-test-mini", False, [QUESTION, *LINES["one-line"]], True),
    ("gemini", "google/gemini-2.5-flash", "mmau-test-mini", False,
     ["Question:", QUESTION, "Choices:", *LINES["one-line"]], False),
    ("salmonn", "exec/{program}", "airbench/foundation", True, AIRBENCH, False),
    ("salmonn", "exec/{program}", "airbench/chat", True, [QUESTION], True),
    ("salmonn", "exec/{program}", "muchomusic", True,
     [f"Question: {QUESTION}", f" Options: {LINES['one-line'][0]} ", " …: "], False),
]  # fmt: skip
#: What a request holds beside the prompt, by recipe; a program is told nothing.
DECODING = {
    "qwen2-audio": {"temperature": 0.0, "max_completion_tokens": 256, "min_tokens": 1},
    "qwen3-omni": {"temperature": 0.0},
    "audio-flamingo-3": {"max_completion_tokens": 128},
    "gemini": {},
}
PROGRAM = """
import json, sys
print(json.dumps({"audiometry": 1, "name": "salmonn", "longest_s": 120}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    open(sys.argv[1], "a").write(line)
    print(json.dumps({"id": asked["id"], "text": "A"}), flush=True)
"""
RECIPE = """
models = ["openai/mock", "scripted/*"]
[[ask]]
benchmarks = ["bench"]
wording = "ours"
single = "{question}|{options}"
part_order = "text-first"
"""


@pytest.fixture
def made(benchmark):
    """``made("airbench/chat")``: a folder of a benchmark of that name, its question full of holes."""

    def make(name, n=4, **how):
        folder = benchmark(n, name.replace("/", "-"), question=QUESTION, **how)
        card = folder / "benchmark.toml"
        card.write_text(card.read_text().replace(f'"{folder.name}"', f'"{name}"'))
        if name.endswith("chat"):
            lines = map(json.loads, (folder / "metadata.jsonl").read_text().splitlines())
            bare = [{key: value for key, value in line.items() if key != "options"} for line in lines]
            (folder / "metadata.jsonl").write_text("".join(json.dumps(line) + "\n" for line in bare))
            card.write_text(card.read_text() + 'kind = "open"\n')
        return folder

    return make


@pytest.fixture
def own(tmp_path):
    """``own("…")``: a user's recipe; ``own(RECIPE, single="…")`` with keys of its last table replaced."""

    def write(text=RECIPE, *, more="", name="mine", **keys):
        path = tmp_path / f"{name}.toml"
        lines = [line for line in text.splitlines() if line.partition(" =")[0] not in keys]
        lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
        path.write_text("\n".join([*lines, more]) + "\n")
        return path

    return write


@pytest.mark.parametrize(("name", "model", "bench", "clip_first", "lines", "exact"), FACTS)
def test_first_prompt_is_laid_out_as_the_makers_source_shows(
    cli, made, tmp_path, name, model, bench, clip_first, lines, exact
):
    program = tmp_path / f"{name}.py"
    program.write_text(PROGRAM)
    model = model.format(program=f"{sys.executable} {program} {tmp_path / 'log'}")
    server = () if model.startswith("exec") else ("--base-url", "http://127.0.0.1:9/v1")
    words = ("--model", model, *server, "--recipe", name, "--dry-run", "--json")
    done = cli("run", made(bench, frames=16_000), *words)
    (turn,) = done.json["first_prompt"]  # no recipe of these has a system turn
    clip, text = turn["parts"] if clip_first else turn["parts"][::-1]
    assert clip.startswith("(clip: ")
    for said, fact in zip(text.split("\n"), lines, strict=True):
        before, hole, after = fact.partition("…")
        assert said.startswith(before)
        assert said.endswith(after)
        assert (len(said) > len(before + after)) == bool(hole)
    assert not exact or "…" not in "".join(lines)
    assert done.json["prompt"]["recipe"]["wording"] == ("exact" if exact else "ours")


def test_every_recipe_has_facts_and_sources():
    known = recipes.recipes()
    assert {fact[0] for fact in FACTS} == set(known)
    for recipe in known.values():
        assert all(source.startswith("https://") for source in recipe.sources)
        assert all(source.startswith("https://") for ask in recipe.ask for source in ask.sources)
        assert recipe.sources
    github = [s for r in known.values() for s in (*r.sources, *(s for a in r.ask for s in a.sources)) if "/blob/" in s]
    assert all(len(source.split("/blob/")[1].split("/")[0]) == 40 for source in github)  # pinned


@pytest.mark.parametrize(("name", "model", "bench"), [
    (name, model, bench) for name, model, bench, *_ in FACTS if not model.startswith("exec")
    and bench in {"airbench/foundation", "mmau-test-mini"}
])  # fmt: skip
def test_requests_decode_as_the_makers_do(asked, made, chat_server, tmp_path, name, model, bench):
    provider, _, called = model.partition("/")
    server = chat_server(model=[called], provider=provider)  # which refuses what the real one does not take
    assert asked(made(bench, 2), server, "--recipe", name, model=model).code == 0
    assert len(server.log()) == 2
    for line in server.log():
        assert {key: line["parameters"].get(key) for key in DECODING[name]} == DECODING[name]
        assert not {"temperature", "max_tokens", "max_completion_tokens"} & (line["parameters"].keys() - DECODING[name])
    kept = RunFolder(tmp_path / "run").info()
    assert kept.prompt.recipe.name == name
    assert kept.prompt.recipe.decoding == "set"
    assert f"+recipe-{name}-" in signed(kept, "strict.1")


def test_a_program_decodes_by_itself_and_that_is_said_everywhere(cli, made, tmp_path, capfd):
    program = tmp_path / "salmonn.py"
    program.write_text(PROGRAM)
    model = f"exec/{sys.executable} {program} {tmp_path / 'log'}"
    done = cli("run", made("airbench/foundation", 2), "--model", model, "--recipe", "salmonn", "--no-probe",
               "-o", tmp_path / "run")  # fmt: skip
    assert done.code == 0
    assert "recipe salmonn: the program decodes by itself" in done.err
    asked = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert all("temperature" not in json.dumps(one) and "num_beams" not in json.dumps(one) for one in asked)
    info = RunFolder(tmp_path / "run").info()
    assert info.prompt.recipe.decoding == "program"
    assert (info.audio.longest_s, info.audio.cut) == (30, True)  # the makers' length, though the program takes 120 s
    assert "+decoding-by-program+" in signed(info, "strict.1")


@pytest.mark.parametrize(
    ("command", "says", "taken"),
    [
        ("hello", "SALMONN-13B", True),
        ("salmonn", "other", True),
        ("hello", "other", False),
        ("hello", "qwen", False),
    ],
)
def test_a_program_is_known_by_its_command_or_by_what_it_says_it_is(cli, made, tmp_path, command, says, taken):
    program = tmp_path / f"{command}.py"
    program.write_text(PROGRAM.replace('"salmonn"', json.dumps(says)))
    model = f"exec/{sys.executable} {program} log"
    done = cli("run", made("airbench/chat", 2), "--model", model, "--recipe", "salmonn", "--dry-run")
    assert done.code == (0 if taken else 2), done.said
    assert taken or f"which says it is exec/{says}; leave --recipe out" in done.said
    done = cli("run", made("airbench/chat", 2), "--model", "exec/none-such", "--recipe", "gemini")
    assert "not for exec/none-such; leave --recipe out" in done.said  # nothing had to start to know that


def test_a_clip_longer_than_the_recipes_is_a_failure_and_nothing_is_cut(cli, made, own, tmp_path):
    recipe = own("longest_s = 0.5" + RECIPE)
    bench = made("bench", 2, frames=16_000)
    done = cli("run", bench, "--model", "scripted/oracle", "--recipe", recipe, "--no-probe", "-o", tmp_path / "run")
    assert done.code == 1
    assert "2 × audio too long" in done.err


def test_a_clip_is_cut_where_the_makers_cut_it_and_its_record_says_so(asked, made, own, chat_server, replies, tmp_path):
    bench, server = made("bench", 2, frames=24_000), chat_server(decode=True)
    recipe = own('longest_s = 1\nlonger = "cut"' + RECIPE)
    assert asked(bench, server, "--recipe", recipe).code == 0
    assert {clip["frames"] for line in server.log() for clip in line["audio"]} == {16_000}
    assert {tuple(one["audio_changes"]) for one in replies(tmp_path / "run")} == {("first 1.00 of 1.50 s",)}
    assert RunFolder(tmp_path / "run").info().audio.cut
    refusing = own("longest_s = 1" + RECIPE)
    assert "give another folder" in asked(bench, server, "--recipe", refusing).said


def test_a_clip_that_is_too_short_is_a_failure_or_padded_as_the_makers_do(
    asked, made, own, chat_server, replies, tmp_path
):
    bench, server = made("bench", 2, frames=800), chat_server(decode=True)
    refusing = own("shortest_s = 0.1" + RECIPE)
    assert "2 × audio too short" in asked(bench, server, "--recipe", refusing, folder="refused").err
    assert server.log() == []
    padding = own('shortest_s = 1\nshorter = "pad"' + RECIPE)
    assert asked(bench, server, "--recipe", padding).code == 0
    assert {clip["frames"] for line in server.log() for clip in line["audio"]} == {16_800}
    assert {tuple(one["audio_changes"]) for one in replies(tmp_path / "run")} == {("1.00 s of silence after it",)}
    info = RunFolder(tmp_path / "run").info()
    assert (info.audio.shortest_s, info.audio.padded) == (1, True)
    assert asked(made("bench", 2, frames=16_000), server, "--recipe", padding, folder="long").code == 0
    assert server.log()[-1]["audio"][0]["frames"] == 16_000


def test_a_system_turn_and_further_words_come_from_a_users_file(asked, made, own, chat_server, tmp_path):
    recipe = own(system="Hear.", more="[decoding]\ntemperature = 0.5\nmax_tokens = 9")
    server = chat_server()
    assert asked(made("bench", 2), server, "--recipe", recipe).code == 0
    assert {tuple(line["parts"]) for line in server.log()} == {("system:text", "user:text", "user:input_audio")}
    for line in server.log():
        assert line["parameters"] == {"temperature": 0.5, "max_tokens": 9}
    stamp = RunFolder(tmp_path / "run").info().prompt
    assert (stamp.recipe.name, stamp.recipe.own, stamp.part_order) == ("mine", True, "text-first")
    assert "+recipe-own-mine-wording-ours-" in signed(RunFolder(tmp_path / "run").info(), "strict.1")


def test_what_a_provider_cannot_be_asked_for_is_said_before_and_after(cli, made, own, tmp_path):
    recipe = own(more='[decoding]\ntemperature = 0\ngeneration = {num_beams = 4}\nunset = ["a window of 16"]')
    done = cli("run", made("bench", 4), "--model", "scripted/oracle", "--recipe", recipe, "--no-probe",
               "-o", tmp_path / "run")  # fmt: skip
    said = "not asked for here, though the makers set it: temperature, num_beams, a window of 16"
    assert said in done.err
    assert "+decoding-partly+" in done.out
    done = cli("report", tmp_path / "run", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "temperature, num_beams, a window of 16" in page
    assert "<dt>recipe</dt>" in page
    assert "by its own account" in page


@pytest.mark.parametrize("style", LINES)
def test_scores_know_how_options_were_shown(cli, made, own, tmp_path, style):
    recipe = own(options=style)
    done = cli("run", made("bench", 8), "--model", "scripted/oracle", "--recipe", recipe, "--no-probe", "--json",
               "-o", tmp_path / "run")  # fmt: skip
    assert done.json["scores"]["strict"]["value"] == 1.0


def test_a_letter_answers_nothing_where_none_was_shown(cli, made, own, tmp_path):
    recipe = own(options="words")
    done = cli("run", made("bench", 8), "--model", "scripted/constant?text=A", "--recipe", recipe, "--no-probe",
               "--json", "-o", tmp_path / "run")  # fmt: skip
    assert done.json["scores"]["strict"]["n_answered"] == 0
    done = cli("score", tmp_path / "run", "--profile", "airbench", "--json")
    assert done.json["scores"]["airbench"]["n_answered"] == 0


BAD = [
    ("about = 1" + RECIPE, "about"),
    (RECIPE.replace("wording", "wordings"), "wordings"),
    (RECIPE.replace('"ours"', '"mine"'), "wording"),
    (RECIPE.replace("{options}", ""), "{question} and {options}, each once"),
    (RECIPE.replace("{question}", ""), "{question} and {options}, each once"),
    (RECIPE.replace("{question}", "{question}{question}"), "{question} and {options}, each once"),
    (RECIPE + 'open = "{question} {options}"', "no {options}"),
    (RECIPE + 'options = "roman"', "options"),
    (RECIPE + 'layout = "airbench"', "in place of"),
    (RECIPE.replace("single =", "layout =").replace("{question}|{options}", "airbenche"), "did you mean 'airbench'"),
    (RECIPE.replace("single", "system"), "puts no item"),
    (RECIPE.replace('part_order = "text-first"', ""), "part_order"),
    (RECIPE.replace("text-first", "clip-first"), "part_order"),
    (RECIPE.replace('["bench"]', "[]"), "benchmarks"),
    (RECIPE.replace('["openai/mock", "scripted/*"]', "[]"), "models"),
    ('models = ["*"]', "ask"),
    (RECIPE + "[decoding]\ntemperature = -1", "temperature"),
    (RECIPE + '[decoding]\nmax_tokens = "9"', "max_tokens"),
    (RECIPE + "[decoding]\nfields = {model = 'x'}", "model"),
    (RECIPE + "[decoding]\ngeneration = {max_new_tokens = 9}", "max_new_tokens"),
    (RECIPE + "[decoding]\nfields = {a = nan}", "'fields': 'a' holds what JSON does not have"),
    (RECIPE + "[decoding]\nfields = {since = 2026-01-01}", "'fields': 'since' holds what JSON does not have"),
    (RECIPE + "[decoding]\nfields = {api_key = 'x'}", "'fields': 'api_key' is a secret"),
    (RECIPE + "[decoding]\ngeneration = {top_p = nan}", "'generation': 'top_p' holds what JSON does not have"),
    (RECIPE + "[decoding]\ntemperature = inf", "temperature"),
    (RECIPE + "[decoding]\ntemperature = nan", "temperature"),
    (RECIPE + "[decoding]\nfields = {a = " + "[" * 60 + "]" * 60 + "}", "'a' is nested more than 50 deep"),
    ("longest_s = inf" + RECIPE, "longest_s"),
    ("longest_s = 0" + RECIPE, "longest_s"),
    ("shortest_s = -1" + RECIPE, "shortest_s"),
    ('shorter = "cut"' + RECIPE, "shorter"),
    (RECIPE + "shown = 27", "shown"),
    ('longer = "cut"' + RECIPE, "'longest_s' does not say where"),
    ('shorter = "pad"' + RECIPE, "'shortest_s' does not say what is short"),
    (RECIPE.replace("}|", "} {answer}|"), "'single' holds {answer}, in whose place nothing is put"),
    (RECIPE + 'open = "{question} { Question }"', "'open' holds { Question }"),
    (RECIPE + 'system = "Hear {question}"', "'system' holds {question}"),
    (RECIPE + 'system = ""', "'system'"),
    (RECIPE + 'system = " "', "'system' is blank; leave it out"),
    ("not toml", "line 1"),
    ("\x00", "line 1"),
    ("a." * 400 + "b = 1", "parts"),
]


@pytest.mark.parametrize(("text", "names"), BAD)
def test_a_bad_file_is_one_line_that_names_what_is_wrong(cli, made, tmp_path, text, names):
    (tmp_path / "bad.toml").write_text(text)
    done = cli("run", made("bench", 2), "--model", "scripted/oracle", "--recipe", tmp_path / "bad.toml", "-o",
               tmp_path / "run")  # fmt: skip
    assert done.code == 2
    assert "bad.toml" in done.said
    assert names in done.said
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("where", ["missing.toml", "folder.toml", "", "qwen2audio", "../x"])
def test_a_recipe_that_is_not_there(cli, made, tmp_path, where):
    (tmp_path / "folder.toml").mkdir()
    named = tmp_path / where if where.endswith("toml") else where
    done = cli("run", made("bench", 2), "--model", "scripted/oracle", "--recipe", named, "--dry-run")
    assert done.code == 2
    if where == "qwen2audio":
        assert "did you mean 'qwen2-audio'" in done.said


def test_hostile_text_in_a_template_stays_text(cli, made, own, tmp_path):
    hostile = "\x1b[31m{0.__class__} {question} ${HOME} %s {{options}} \u202e\n{options}"
    hostile = hostile.replace("{{options}} ", "{{x}} ")
    recipe = own(single=hostile, name="\u202enasty")
    done = cli("run", made("bench", 4), "--model", "scripted/oracle", "--recipe", recipe, "--no-probe", "-o",
               tmp_path / "run")  # fmt: skip
    assert done.code == 0
    assert "\x1b[31m" not in done.out + done.err
    assert "\u202e" not in done.out + done.err
    done = cli("run", made("bench", 4), "--model", "scripted/oracle", "--recipe", recipe, "--dry-run", "--json")
    assert "{0.__class__} " + QUESTION + " ${HOME} %s {{x}} " in done.json["first_prompt"][0]["parts"][0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--model", "openai/gpt-audio", "--recipe", "qwen2-audio"), "not for openai/gpt-audio"),
        (("--model", "scripted/oracle", "--recipe", "salmonn"), "is for exec/*salmonn*"),
        (("--model", "vllm/Qwen/Qwen2-Audio-7B-Instruct", "--recipe", "qwen2-audio"), "does not cover bench"),
        (
            ("--model", "vllm/Qwen/Qwen3-Omni-30B-A3B-Instruct", "--recipe", "qwen3-omni"),
            "items with options: task instrument of bench",
        ),
        (("--model", "vllm/qwen/qwen2-audio-7b-instruct", "--recipe", "qwen2-audio"), "does not cover bench"),
    ],
)
def test_a_recipe_for_another_model_or_benchmark_is_refused_with_the_way_on(cli, made, tmp_path, words, says):
    done = cli("run", made("bench", 2), *words, "--base-url", "http://127.0.0.1:9/v1", "-o", tmp_path / "run")
    assert done.code == 2
    assert says in done.said
    assert "leave --recipe out" in done.said
    assert not (tmp_path / "run").exists()


def test_a_recipe_for_very_many_models_says_so_in_a_line_that_ends(cli, made, own):
    recipe = own(RECIPE.replace('["openai/mock", "scripted/*"]', json.dumps([f"openai/m{n}" for n in range(2_000)])))
    done = cli("run", made("bench", 2), "--model", "scripted/oracle", "--recipe", recipe, "--dry-run")
    assert done.code == 2
    assert "openai/m11, …, not for scripted/oracle; leave --recipe out" in done.said
    assert "give --recipe COPY.toml" in done.said


@pytest.mark.parametrize("provider", ["vllm", "openai"])
def test_kimi_audio_over_a_server_is_refused_with_the_reason_whatever_the_recipe(cli, made, own, provider):
    model = f"{provider}/moonshotai/Kimi-Audio-7B-Instruct"
    words = ("run", made("mmau-test-mini", 2), "--model", model, "--base-url", "http://127.0.0.1:9/v1", "--dry-run")
    done = cli(*words, "--recipe", "kimi-audio")
    assert done.code == 2
    assert f"recipe kimi-audio is not for {model}: the template of vLLM" in done.said
    assert "puts the clip before the words" in done.said
    if provider == "vllm":
        recipe = own(RECIPE.replace("openai/mock", model), benchmarks=["mmau*"])
        assert "takes prompts audio-first alone" in cli(*words, "--recipe", recipe).said
        assert "takes prompts audio-first alone" in cli(*words, "--part-order", "text-first").said


@pytest.mark.parametrize("template", ["nvidia/audio-flamingo-3-hf", "nvidia/music-flamingo-hf"])
def test_an_order_that_a_models_template_undoes_is_not_recorded(cli, made, template):
    done = cli("run", made("bench", 2), "--model", f"vllm/{template}", "--base-url", "http://127.0.0.1:9/v1",
               "--part-order", "text-first", "--dry-run")  # fmt: skip
    assert done.code == 2
    assert "takes prompts audio-first alone" in done.said


@pytest.mark.parametrize("longer", ["refuse", "cut"])
def test_a_limit_of_the_models_below_the_recipes_is_said_before_and_is_no_cut(
    cli, made, own, tmp_path, chat_server, longer
):
    card = tmp_path / "card.toml"
    card.write_text('[[card]]\nname = "openai/mock"\nlongest_s = 1\n')
    recipe = own(f'longest_s = 60\nlonger = "{longer}"' + RECIPE)
    words = ("run", made("bench", 2, frames=24_000), "--model", "openai/mock", "--base-url", chat_server().url,
             "--no-probe", "--card", card)  # fmt: skip
    done = cli(*words, "--recipe", recipe, "-o", tmp_path / "run")
    assert "the makers take clips of up to 60 s, openai/mock takes 1 s; longer ones are failures" in done.err
    assert "2 × audio too long" in done.err
    card.write_text(card.read_text() + "cut = true\n")
    done = cli(*words, "--recipe", recipe, "-o", tmp_path / "cut")
    assert "openai/mock takes 1 s; longer ones are cut there" in done.err
    assert done.code == 0
    within = cli(*words, "--recipe", own(f'longest_s = 1\nlonger = "{longer}"' + RECIPE), "-o", tmp_path / "within")
    assert "the makers take" not in within.err


def test_a_program_that_says_that_it_is_kimi_audio_is_asked(cli, made, tmp_path):
    program = tmp_path / "model.py"
    program.write_text(PROGRAM.replace('"salmonn"', '"moonshotai/Kimi-Audio-7B-Instruct"'))
    done = cli("run", made("mmau", 2), "--model", f"exec/{sys.executable} {program} {tmp_path / 'log'}", "--recipe",
               "kimi-audio", "--dry-run", "--json")  # fmt: skip
    assert done.json["prompt"]["recipe"]["name"] == "kimi-audio"


def test_open_questions_need_a_template_of_their_own(cli, made, own):
    recipe = own(RECIPE.replace('["bench"]', '["bench/chat"]'))
    done = cli("run", made("bench/chat", 2), "--model", "scripted/oracle", "--recipe", recipe, "--dry-run")
    assert "does not cover open questions: task instrument of bench/chat" in done.said


def test_tasks_that_are_not_covered_are_refused_and_the_others_asked(cli, made, own):
    recipe = own(tasks=["pitch*"])
    bench = made("bench", 4, tasks=("instrument", "pitch"))
    done = cli("run", bench, "--model", "scripted/oracle", "--recipe", recipe, "--dry-run")
    assert "does not cover task instrument" in done.said
    assert "pitch*" in done.said
    ok = cli("run", bench, "--model", "scripted/oracle", "--recipe", recipe, "--dry-run", "--task", "pitch", "--json")
    assert ok.json["n_items"] == 2


@pytest.mark.parametrize(
    "words",
    [
        ("--prompt", "ours"),
        ("--part-order", "audio-first"),
        ("--temperature", 0),
        ("--max-tokens", 5),
        ("--extra", "extra.toml"),
    ],
)
def test_options_that_a_recipe_sets_are_refused_beside_it(cli, made, own, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "extra.toml").write_text("top_p = 0.5")
    done = cli("run", made("bench", 2), "--model", "openai/mock", "--base-url", "http://127.0.0.1:9/v1",
               "--recipe", own(), *words, "-o", tmp_path / "run")  # fmt: skip
    assert done.code == 2
    assert done.said.startswith(f"audiometry: error: {words[0]} beside --recipe mine")


def test_all_that_clashes_with_a_recipe_is_named_at_once(cli, made, own):
    done = cli(
        "run", made("bench", 2), "--model", "openai/mock", "--recipe", own(), "--max-tokens", 5, "--prompt", "ours"
    )
    assert "error: --prompt and --max-tokens beside --recipe mine" in done.said
    assert "leave out these or the recipe" in done.said


def test_a_run_with_a_recipe_is_another_run_and_goes_on_with_the_same(cli, made, own, tmp_path):
    bench, folder = made("bench", 8), tmp_path / "run"
    words = ("run", bench, "--model", "scripted/oracle", "--no-probe", "-o", folder)
    assert cli(*words, "--recipe", own(), "--limit", 3).code == 0
    done = cli(*words)
    assert done.code == 2
    assert "was made with --recipe mine (197c24), now without; give another" in done.said
    again = cli(*words, "--recipe", own(), "--json")
    assert (again.code, again.json["reused"]["here"]) == (0, 3)
    changed = cli(*words, "--recipe", own(single="{question} {options}"))
    assert "give another folder" in changed.said
    told_otherwise = cli(*words, "--recipe", own(note="a word for people"), "--json")
    assert (told_otherwise.code, told_otherwise.json["reused"]["here"]) == (0, 8)


def test_without_a_folder_a_recipe_has_one_of_its_own(cli, made, own, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bench = made("bench", 2)
    plain = cli("run", bench, "--model", "scripted/oracle", "--dry-run", "--json").json["run"]
    assert (
        cli("run", bench, "--model", "scripted/oracle", "--recipe", own(), "--dry-run", "--json").json["run"] != plain
    )


def test_recipes_are_listed_with_models_benchmarks_wording_and_sources(cli):
    done = cli("list", "recipes")
    for name, recipe in recipes.recipes().items():
        assert name in done.out
        assert recipe.models[0] in done.out
        assert recipe.sources[0] in cli("list", "recipes", name).out
    assert "https://" not in done.out
    assert "length_penalty 1.0 (the makers'; a program decodes by itself)" in done.out
    assert "airbench/chat (word for word); airbench/foundation (in our words or not wholly known)" in done.out
    listed = {row["name"]: row for row in cli("list", "recipes", "--json").json}
    assert listed["kimi-audio"]["ask"][0]["wording"] == "exact"
    assert listed["salmonn"]["decoding"]["generation"]["num_beams"] == 4


def test_the_example_in_the_documentation_is_a_recipe(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "recipes.md").read_text()
    (tmp_path / "example.toml").write_text(text.split("```toml\n")[1].split("```")[0])
    recipe = recipes.find(str(tmp_path / "example.toml"))
    assert (recipe.name, recipe.own, recipe.ask[0].options) == ("example", True, "bracketed")
    for name in recipes.recipes():
        assert f"| `{name}` |" in text


def test_a_program_that_takes_the_other_order_alone_is_not_asked(cli, made, tmp_path):
    program = tmp_path / "salmonn.py"
    program.write_text(PROGRAM.replace('"longest_s"', '"part_order": "text-first", "fixed_order": true, "longest_s"'))
    program.write_text(program.read_text().replace(": true,", ": True,"))
    model = f"exec/{sys.executable} {program} {tmp_path / 'log'}"
    done = cli("run", made("airbench/chat", 2), "--model", model, "--recipe", "salmonn", "-o", tmp_path / "run")
    assert done.code == 2
    assert "--recipe salmonn asks audio-first" in done.said
    assert not (tmp_path / "log").exists()


def test_decoding_that_a_models_card_does_not_take_is_said_and_not_asked_for(asked, made, own, chat_server, tmp_path):
    card = tmp_path / "card.toml"
    card.write_text('[[card]]\nname = "openai/mock"\ntemperature = false\nmax_tokens_key = ""\n')
    recipe = own(more="[decoding]\ntemperature = 0\nmax_tokens = 9\ngeneration = {top_p = 0.5, top_k = 4}")
    server = chat_server()
    done = asked(made("bench", 2), server, "--recipe", recipe, "--card", card)
    assert done.code == 0
    assert "though the makers set it: temperature, max_tokens, top_k" in done.err
    assert all(line["parameters"] == {"top_p": 0.5} for line in server.log())


@pytest.mark.parametrize(
    ("change", "other"),
    [
        ({"system": "Hear."}, True),
        ({"options": "bracketed"}, True),
        ({"shown": 4}, True),
        ({"part_order": "audio-first"}, True),
        ({"wording": "exact"}, True),
        ({"more": "[decoding]\ntemperature = 0.5"}, True),
        ({"more": "[decoding]\ngeneration = {num_beams = 4}"}, True),
        ({"more": "[decoding]\nunset = ['a penalty']"}, True),
        ({"text": "longest_s = 30" + RECIPE}, True),
        ({"text": 'longest_s = 9\nlonger = "cut"' + RECIPE}, True),
        ({"text": "shortest_s = 1" + RECIPE}, True),
        ({"text": 'shortest_s = 1\nshorter = "pad"' + RECIPE}, True),
        ({"benchmarks": ["bench", "other"]}, False),
        ({"sources": ["https://example.org"]}, False),
        ({"text": 'about = "mine"\nnote = "told"' + RECIPE}, False),
    ],
)
def test_whatever_shapes_a_request_makes_another_recipe_and_nothing_else_does(own, change, other):
    def stamp(path):
        found = recipes.find(str(path))
        return recipes.digest(found, found.ask[0])

    assert (stamp(own(**change)) != stamp(own(name="plain"))) == other
    limited, cut = own("longest_s = 9" + RECIPE), own('longest_s = 9\nlonger = "cut"' + RECIPE, name="cut")
    assert stamp(limited) != stamp(cut)


@pytest.mark.parametrize("more", ["fields = {bogus = 1}", "max_tokens = 9"])
def test_a_server_that_refuses_what_a_recipe_asks_for_is_told_of_as_that(asked, made, own, chat_server, more):
    card = 'max_tokens_key = "n_tokens"' if "max" in more else ""
    recipe = own(more=f"[decoding]\n{more}", name="mine")
    written = recipe.with_name("card.toml")
    written.write_text(f'[[card]]\nname = "openai/mock"\n{card}\n')
    done = asked(made("bench", 2), chat_server(provider="openai"), "--recipe", recipe, "--card", written)
    assert done.code
    assert "recipe mine asks for it: give a copy of that without it, or leave --recipe out" in done.err
