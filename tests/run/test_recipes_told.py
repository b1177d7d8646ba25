"""Wherever people look at a run, they see by whose recipe it was asked, what was cut, and what a person has set."""

import json
from pathlib import Path

import pytest

from audiometry.choices import LETTERED
from audiometry.files.run_folder import RunFolder
from audiometry.run import recipes
from audiometry.score.signature import signed

RECIPE = """
about = "As nobody asks"
models = ["openai/mock", "scripted/*"]
[[ask]]
benchmarks = ["bench"]
wording = "ours"
single = "{question}|{options}"
part_order = "audio-first"
"""


@pytest.fixture
def own(tmp_path):
    def write(text=RECIPE, name="mine"):
        path = tmp_path / f"{name}.toml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def run(cli, benchmark, tmp_path):
    """``run(name, *options)``: a run of two items of 1.5 s, in the folder of that name."""
    bench = benchmark(2, "bench", frames=24_000)

    def start(name, *options):
        words = ("run", bench, "--model", "scripted/oracle", "--no-probe", *options)
        return cli(*words, "-o", tmp_path / name) if name else cli(*words)

    return start


def test_a_cut_is_said_before_the_run_in_its_table_in_its_document_and_on_its_page(run, own, cli, tmp_path):
    recipe = own('longest_s = 1\nlonger = "cut"' + RECIPE)
    done = run("run", "--recipe", recipe)
    assert "of clips longer than 1 s their first 1 s are sent, as own recipe mine says" in done.err
    said = "2 items, each with a clip, 2 replies to the beginning of a longer clip"
    assert said in " ".join(done.out.split())
    assert cli("score", tmp_path / "run", "--json").json["n_clips_cut"] == 2
    assert cli("report", tmp_path / "run", "-o", tmp_path / "page.html").code == 0
    assert said in (tmp_path / "page.html").read_text()


def test_nothing_is_said_of_a_cut_where_none_was(run, own, cli, tmp_path):
    done = run("run", "--recipe", own('longest_s = 2\nlonger = "cut"' + RECIPE))
    assert "to the beginning of" not in done.out
    assert cli("score", tmp_path / "run", "--json").json["n_clips_cut"] == 0


def test_a_card_that_cuts_is_told_of_alike(cli, asked, benchmark, chat_server, tmp_path):
    card = tmp_path / "card.toml"
    card.write_text('[[card]]\nname = "openai/mock"\nlongest_s = 1\ncut = true\n')
    done = asked(benchmark(2, "bench", frames=24_000), chat_server(), "--card", card)
    assert "of clips longer than 1 s their first 1 s are sent, as the model's card says" in done.err
    assert cli("score", tmp_path / "run", "--json").json["n_clips_cut"] == 2


def test_a_length_that_is_refused_is_said_before_the_run(run, own):
    done = run("run", "--recipe", own("longest_s = 1" + RECIPE))
    assert "clips longer than 1 s are not sent and count as failures, as own recipe mine says" in done.err


@pytest.mark.parametrize(
    ("shorter", "says"),
    [("pad", "are followed by 2 s of silence"), ("refuse", "are not sent and count as failures")],
)
def test_what_becomes_of_short_clips_is_said_before_the_run(run, own, shorter, says):
    done = run("run", "--dry-run", "--recipe", own(f"shortest_s = 2\nshorter = '{shorter}'" + RECIPE))
    assert f"clips shorter than 2 s {says}, as own recipe mine says" in done.err


def test_letters_that_are_not_shown_are_said_and_not_counted(run, own, cli, tmp_path):
    done = run("run", "--recipe", own(RECIPE + 'options = "words"'))
    said = "options are shown without letters, as own recipe mine says: a reply that names a letter is unanswered"
    assert said in done.err
    cli("report", tmp_path / "run", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Options were shown without letters" in page
    assert 'id="letters"' not in page
    assert 'href="#letters"' not in page


def test_a_run_is_told_by_its_recipe_in_table_title_list_and_folder(run, own, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    recipe = own(name="gemini")
    named = "scripted/oracle, own recipe gemini"
    assert named in run("", "--recipe", recipe).out
    run("")
    by, plain = sorted((path.name for path in (tmp_path / "runs").iterdir()), key=len, reverse=True)
    assert by.startswith("bench--oracle--own-recipe-gemini--")
    listed = cli("list", "runs").out
    assert listed.count(named) == 1
    assert {row["asked"] for row in cli("list", "runs", "--json").json} == {named, "scripted/oracle"}
    cli("report", tmp_path / "runs" / by, tmp_path / "runs" / plain, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert f"<title>{named}, scripted/oracle on bench" in page
    assert "own recipe gemini</bdi>" in page


def test_the_page_says_of_a_recipe_what_it_says_of_itself(run, own, cli, tmp_path):
    run("run", "--recipe", own())
    cli("report", tmp_path / "run", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "As nobody asks" in page
    assert "its makers" not in page
    folder = RunFolder(tmp_path / "run")
    assert folder.info().prompt.recipe.about == "As nobody asks"
    again = run("run", "--recipe", own(RECIPE.replace("nobody", "somebody")))
    assert "Nobody was asked" in again.err  # it shapes nothing


def test_a_signature_names_a_recipe_once_and_is_one_line(run, own, tmp_path):
    text = RECIPE + '[decoding]\ntemperature = 0\nunset = ["a penalty on the last 16 tokens of the text"]'
    done = run("run", "--recipe", own(text))
    signature = signed(RunFolder(tmp_path / "run").info(), "strict.1")
    assert signature.count("recipe-") == 1
    assert "-wording-ours-" in signature
    assert "+decoding-partly+" in signature
    assert "penalty" not in signature
    (line,) = (line for line in done.out.splitlines() if "recipe-own-mine" in line)
    assert line.startswith("strict: strict.")
    assert line.rstrip().endswith("+v0.1.0")


@pytest.mark.parametrize(
    ("options", "extra", "mark"),
    [
        (("--temperature", "0.5"), "", "+decoding-temperature-0.5+"),
        (("--max-tokens", "9"), "top_p = 0.9", "+decoding-max_tokens-9-top_p-0.9+"),
        ((), "stop = ['a', 'b']", "+decoding-"),
        ((), "", ""),
    ],
)
def test_what_a_person_sets_of_decoding_stands_beside_the_number(
    asked, benchmark, chat_server, tmp_path, options, extra, mark
):
    (tmp_path / "extra.toml").write_text(extra)
    more = ("--extra", tmp_path / "extra.toml") if extra else ()
    assert asked(benchmark(2, "bench"), chat_server(), *options, *more).code == 0
    info = RunFolder(tmp_path / "run").info()
    signature = signed(info, "strict.1")
    assert mark in signature
    assert ("decoding" in signature) == bool(mark)
    assert len(info.decoding) == len(options) // 2 + bool(extra)


def _notes(cli, tmp_path, *names):
    return cli("compare", *(tmp_path / name for name in names), "--json").json["warnings"]


def test_compare_names_both_prompts(run, own, cli, tmp_path):
    run("a")
    run("b", "--recipe", own())
    (note,) = _notes(cli, tmp_path, "a", "b")
    assert note.startswith(
        "different prompts, which is part of the difference: ours 9ce086 audio-first / own recipe mine "
    )


def test_compare_does_not_call_another_recipe_another_prompt(run, own, cli, tmp_path):
    run("a", "--recipe", own())
    run("b", "--recipe", own("longest_s = 1\nlonger = 'cut'" + RECIPE))
    first, second, few = _notes(cli, tmp_path, "a", "b")
    assert first.startswith("different recipes with the same prompt: own recipe mine ")
    assert second == "clips were cut otherwise: never / after 1 s"
    assert few.endswith("can mislead"), "of so few items that differ"
    run("c", "--recipe", own(RECIPE.replace("nobody", "somebody")))
    assert _notes(cli, tmp_path, "a", "c") == []


def test_compare_names_parameters_that_differ(asked, benchmark, chat_server, cli, tmp_path):
    bench, server = benchmark(2, "bench"), chat_server()
    (tmp_path / "extra.toml").write_text("top_p = 0.9")
    for name, words in {"a": ("--extra", tmp_path / "extra.toml"), "b": ("--temperature", "0")}.items():
        assert asked(bench, server, *words, folder=name).code == 0
    assert "different parameters, which is part of the difference: temperature none / 0.0, top_p 0.9 / none" in _notes(
        cli, tmp_path, "a", "b"
    )


def test_a_dry_run_says_how_items_are_asked(run, own, tmp_path):
    text = 'longest_s = 1\nlonger = "cut"' + RECIPE + 'system = "Hear."\n[decoding]\ntemperature = 0.5\n'
    done = run("run", "--recipe", own(text.replace("scripted/*", "openai/*")), "--model", "openai/mock", "--base-url",
               "http://127.0.0.1:9/v1", "--dry-run")  # fmt: skip
    for line in (
        "own recipe mine, As nobody asks; its prompt in our words",
        "decoding: temperature 0.5",
        "clips: the first 1 s of each",
        "audio-first; system turn: as below",
    ):
        assert line in done.out
    assert not (tmp_path / "run").exists()


def test_a_dry_run_shows_further_fields(cli, benchmark, tmp_path):
    (tmp_path / "extra.toml").write_text("top_p = 0.9")
    words = ("run", benchmark(2, "bench"), "--model", "openai/mock", "--base-url", "http://127.0.0.1:9/v1",
             "--extra", tmp_path / "extra.toml", "--dry-run")  # fmt: skip
    assert "decoding: top_p 0.9" in cli(*words).out
    assert cli(*words, "--json").json["decoding"] == {"top_p": 0.9}


def test_recipes_are_listed_with_length_order_and_letters(cli):
    lines = cli("list", "recipes").out
    assert "cut to its first 30 s" in lines
    assert "words before clip" in lines
    assert "without letters" in lines


def test_the_table_of_the_documentation_says_length_and_letters_as_the_recipes_have_them():
    text = (Path(__file__).parents[2] / "docs" / "recipes.md").read_text()
    for name, recipe in recipes.recipes().items():
        (row,) = (line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        _, _, asks, clips, *_ = (cell.strip() for cell in row.split("|"))
        length = f"{'first' if recipe.longer == 'cut' else 'up to'} {recipe.longest_s or 0:g} s"
        assert clips == ("whole" if recipe.longest_s is None else length)
        assert ("(no letters)" in asks) == any(ask.single and ask.options not in LETTERED for ask in recipe.ask)
        assert ("exact)" in asks) == any(ask.wording == "exact" for ask in recipe.ask)


def test_open_questions_are_told_of_alike(cli, benchmark, own, tmp_path):
    bench = benchmark(2, "bench", frames=24_000)
    rows = [json.loads(line) for line in (bench / "metadata.jsonl").read_text().splitlines()]
    bare = ({key: value for key, value in row.items() if key != "options"} for row in rows)
    (bench / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in bare))
    with (bench / "benchmark.toml").open("a") as card:
        card.write('kind = "open"\n')
    recipe = own('longest_s = 1\nlonger = "cut"' + RECIPE.replace("single", "open").replace("|{options}", ""))
    words = ("--model", "scripted/constant?text=Rain", "--no-probe", "--recipe", recipe, "-o", tmp_path / "run")
    done = cli("run", bench, *words)
    named, cut = "constant?text=Rain, own recipe mine", "2 replies to the beginning of a longer clip"
    told = (done.out, cli("score", tmp_path / "run", "--metric", "token-f1").out)
    assert all(named in " ".join(said.split()) and cut in " ".join(said.split()) for said in told)
    cli("report", tmp_path / "run", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert named in page
    assert cut in page


def test_ratings_and_people_name_the_recipe(cli, own, tmp_path):
    asked = RECIPE.replace('"bench"', '"mini/chat"').replace('single = "{question}|{options}"', 'open = "{question}"')
    recipe, folder = own(asked), tmp_path / "run"
    words = ("--model", "scripted/oracle", "--no-probe", "--limit", 2, "--recipe", recipe)
    assert cli("run", "mini/chat", *words, "-o", folder).code == 0
    assert cli("score", folder, "--metric", "token-f1").code == 0
    [path] = (folder / "ratings").glob("*.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert {line["model"] for line in lines} == {"scripted/oracle, own recipe mine"}
    theirs = tmp_path / "people.jsonl"
    theirs.write_text("".join(json.dumps(line | {"rater": "p", "kind": "person"}) + "\n" for line in lines))
    said = cli("agree", theirs, folder)
    assert said.code == 0
    assert "models that the runs are not of" not in said.out + said.err
    theirs.write_text("".join(json.dumps(line | {"rater": "p", "model": "scripted/oracle"}) + "\n" for line in lines))
    said = cli("agree", theirs, folder)
    assert "models that the runs are not of" in said.out + said.err
