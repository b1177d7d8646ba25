"""What any command prints as tables and lines: every figure and every name of the wide print, whole, at any width."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import ClassVar

import pytest

from audiometry.choices.variant import asked_names
from audiometry.files.run_folder import RunFolder
from audiometry.records import Failure, ReplyRecord
from audiometry.render import console
from audiometry.render.console import Terminal
from audiometry.render.document import Chart, Section
from audiometry.render.table import Table
from audiometry.seeds import generator

PUBLISHED = Path(__file__).parents[2] / "examples" / "talk_arena"
WIDEST = 1000
FIGURE = re.compile(r"(?<![\w.,+-])[+-]?\d(?:[\d.,]*\d)?(?![\w])")  # and none that is a part of a name
COPIED = re.compile(r"\+seed-|audiometry score |pip install ")  # signatures and commands, which are never broken
NOUGHTS = re.compile(r"^All 0, so left out: .*$", re.MULTILINE)
FOUR = """
[benchmark]
name = "four"
version = "1"
[[task]]
name = "Speaker_Emotion_Recognition_in_noise"
title = "Emotion of who speaks"
category = "speech"
[[task]]
name = "music_genre"
title = "Genre"
category = "music"
[[task]]
name = "sex"
kind = "label"
labels = ["female", "male"]
title = "Whose voice it is"
[[task]]
name = "words"
kind = "transcript"
title = "What is said"
"""


WAYS = """
[benchmark]
name = "ways"
version = "1"
[[task]]
name = "music_genre"
title = "Genre"
category = "music"
wordings = ["{{question}}", "Listen. {{question}}", "So? {{question}}"]
[[task]]
name = "Speaker_sex_of_who_is_loudest"
kind = "label"
labels = ["female", "male"]
category = "speech"
wordings = ["Female or male?", "Male or female?", "Which?"]
"""


@pytest.fixture
def four(make_benchmark, make_run, made):
    """Two runs of three kinds of task with replies of every state, asked without the clip too."""
    items = []
    for n in range(48):
        task = ("Speaker_Emotion_Recognition_in_noise", "music_genre", "sex", "words")[n % 4]
        other = {
            "sex": {"options": [], "answer": ("female", "male")[n // 4 % 2]},
            "words": {"options": [], "answer": "a cat sat"},
        }
        items.append(made.item(n, task=task, tags={"mood": f"mood-{n % 3}"}, **other.get(task, {})))
    bench = make_benchmark(items, card=FOUR)
    runs = []
    for name, luck in (("a-model-of-a-maker/with-a-long-name", 0.8), ("b", 0.55)):
        draw = generator(1, name)
        records = []
        for variant in ("plain", "silence"):
            for entry in items:
                right = draw.random() < (luck if variant == "plain" else 0.3)
                if entry["options"]:
                    text = made.letter(entry, right=right)
                else:
                    text = entry["answer"] if right else {"sex": "a child", "words": "a cat"}[entry["task"]]
                error = Failure(kind="timeout", message="late") if draw.random() < 0.03 else None
                more = (
                    {"error": error}
                    if error
                    else {"text": "I cannot help with that." if draw.random() < 0.05 else text}
                )
                records.append(ReplyRecord(item=entry["id"], variant=variant, attempts=1, latency_s=0.5, **more))
        runs.append(
            make_run(bench, records, name=name.replace("/", "-"), model=f"vllm/{name}", variants=("plain", "silence"))
        )
    return bench, runs


@pytest.fixture
def ratings(tmp_path):
    """Scores, letters and preferences by people, judges and a metric with long names."""
    path, rows = tmp_path / "ratings.jsonl", []
    machines = {
        "openai/gpt-terra-preview-of-september": "judge",
        "vllm/Qwen/Qwen-Omni-large-Instruct": "judge",
        "metric:bleu": "metric",
    }
    draw = generator(2, "ratings")
    for n in range(30):
        for name in ("anna", "ben", "cleo", *machines):
            kind = {"kind": machines[name]} if name in machines else {}
            own = {"item": f"c/{n}", "rater": name} | kind
            rows.append(
                own | {"item": f"q/{n}", "choice": "ABCD"[int(draw.integers(4) if draw.random() < 0.3 else n % 4)]}
            )
            for model in ("Qwen-Audio-Chat-Instruct", "gpt-audio-mini"):
                for order in ("reference-first", "reference-second") if "judge" in kind.values() else ("",):
                    score = float(1 + (n + draw.integers(3)) % 9)
                    rows.append(own | {"model": model, "score": score} | ({"order": order} if order else {}))
            if name not in machines:
                two = {"model_a": "Qwen-Audio-Chat-Instruct", "model_b": "gpt-audio-mini"}
                rows.append(own | two | {"preferred": "ab"[int(draw.integers(2))]})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def votes(tmp_path):
    """Votes on models with long names on two topics, some with words, a model that never won, a line of nothing."""
    path, draw = tmp_path / "votes.csv", generator(2, "votes")
    names = ("Qwen-Audio-Chat-Instruct", "a-model-of-a-maker/with-a-long-name", "b")
    rows = [
        "model_a,model_b,winner,voter,topic,length_a,length_b,comment,reasons",
        "b,loser,model_a,v1,birds,3,4,,",
        "b,b,tie,v1,birds,3,4,,",
    ]
    for n in range(300):
        one, other = draw.choice(3, 2, replace=False)
        said = draw.choice(["model_a", "model_b", "tie", "both_bad"])
        words = ("friendly,", "much too long and B was rude,tone", ",speed;odd", "zxcvb,")[n % 4]
        met = f"{names[one]},{names[other]},{said},v{n % 40},{('birds', 'bells')[n % 2]}"
        rows.append(f"{met},{n % 70},{n % 31},{words}")
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def chat(make_benchmark, make_run, made):
    """A run of a benchmark whose paper printed results."""
    items = [made.open_item(number) for number in range(24)]
    bench = make_benchmark(items, name="air", card=made.OPEN_CARD.replace("{name}", "airbench/chat"))
    return make_run(bench, [ReplyRecord(item=entry["id"], text="A dog.", attempts=1) for entry in items], name="chat")


@pytest.fixture
def foundation(make_benchmark, make_run, made):
    items = made.airbench_items(3)
    return make_run(make_benchmark(items, name="f", card=made.airbench_card()), made.answers(items), name="foundation")


@pytest.fixture
def asked_in_ways(make_benchmark, make_run, made):
    """Two runs of choices and labels in three wordings and two orders, right by luck, with long names."""
    items = [
        made.item(n, task="music_genre")
        if n % 2
        else made.item(n, task="Speaker_sex_of_who_is_loudest", options=[], answer=("female", "male")[n // 2 % 2])
        for n in range(24)
    ]
    bench = make_benchmark(items, name="ways", card=WAYS)
    runs, variants = [], asked_names(2, 3, 1)
    for name, luck in (("a-model-of-a-maker/with-a-long-name-of-its-own", 0.8), ("b", 0.6)):
        draw = generator(3, name)
        records = []
        for entry in items:
            for variant in variants:
                right = draw.random() < luck
                text = entry["answer"] if right else entry["options"][0] if entry["options"] else "a child"
                records.append(ReplyRecord(item=entry["id"], variant=variant, attempts=1, text=text))
        runs.append(make_run(bench, records, name=f"ways-{luck}", model=f"vllm/{name}", variants=variants))
    return runs


class Recorder(Terminal):
    """A console that keeps what it is to print."""

    kept: ClassVar[list] = []

    def show(self, blocks):
        self.kept.append((Terminal.show, [list(blocks)], {}))

    def print(self, *reports, **how):
        self.kept.append((Terminal.print, reports, how))


def told(kept, width):
    """What was kept as a terminal of a width prints it."""
    out = Terminal(width)
    with out.capture() as captured:
        for do, arguments, how in kept:
            do(out, *arguments, **how)
    return captured.get()


def figures(text):
    """Every figure but noughts, columns of which may go where a line says so, and the 95 of the intervals."""
    bare = NOUGHTS.sub("", re.sub(r"95\s+%", "", text))
    return Counter(one for one in FIGURE.findall(bare) if one != "0")


def words(text):
    """Every word, and those of names apart: a name may be broken behind its ``_``, ``-`` and ``/``."""
    return set(re.findall(r"[^\W_]+", text)) - {"All", "0", "so", "left", "out"}


def corners(blocks):
    """Headings of the names of all tables, which are not said where each row is a block."""
    for one in blocks:
        if isinstance(one, Section):
            yield from corners(one.blocks)
        elif isinstance(one, Chart | Table):
            yield (one.table if isinstance(one, Chart) else one).columns[0].title


def rows_named(blocks):
    """Names of all rows, which are said again where a table's columns stand in several tables."""
    for one in blocks:
        if isinstance(one, Section):
            yield from rows_named(one.blocks)
        elif isinstance(one, Chart | Table):
            table = one.table if isinstance(one, Chart) else one
            names = [at for at, column in enumerate(table.columns) if column.kind == "name"]
            yield from (str(row[at]) for row in table.rows for at in names)


@pytest.mark.parametrize("widths", [(60,), pytest.param((60, 80, 100, 120), marks=pytest.mark.slow)])
def test_every_figure_and_name_is_there_whole_at_every_width(
    cli, four, ratings, votes, chat, foundation, asked_in_ways, chat_server, monkeypatch, tmp_path, widths
):
    (bench, (a, b)), judge = four, chat_server(judge=json.dumps({"other": 7.5}))
    codes = tmp_path / "codes.jsonl"
    wrong = [json.loads(line)["item"] for line in (a / "replies.jsonl").read_text().splitlines()]
    said = [
        {"item": item, "rater": name, "model": RunFolder(a).info().called, "code": "declined"}
        for item in wrong
        for name in ("anna", "ben")
    ]
    codes.write_text("".join(json.dumps(one) + "\n" for one in said))
    commands = [
        ("score", a),
        ("score", a, b),
        ("score", a, "--profile", "all"),
        ("score", a, "--by", "mood"),
        ("score", chat, "--judge", "openai/judge", "--base-url", judge.url),
        ("score", foundation),
        ("compare", a, b),
        ("variance", asked_in_ways[0]),
        ("variance", *asked_in_ways),
        ("modes", a, b, "--people", codes),
        ("agree", ratings),
        ("gap", "--scores", PUBLISHED / "static_scores.csv", "--votes", PUBLISHED / "talk_arena.csv"),
        ("reasons", "--votes", votes),
        ("arena", "rank", "--votes", votes, "--by", "topic", "--control", "length"),
        ("probe", "scripted/oracle"),
        ("check", bench),
        ("check", "--run", a, "--run", b),
        ("list", "runs", a.parent),
        ("list", "benchmarks"),
        ("list", "measures"),
        ("list", "models"),
        ("list", "models", "--cards"),
        ("list", "models", "vllm/Qwen/Qwen2-Audio-7B-Instruct", "--cards"),
        ("list", "profiles"),
        ("list", "recipes"),
        ("list", "recipes", "salmonn"),
        ("list", "tasks", bench),
        ("list", "tasks", "mini", "--examples"),
    ]
    monkeypatch.setattr(console, "console", lambda *_: Recorder(WIDEST))
    for command in commands:
        Recorder.kept = []
        said = cli(*command)
        assert said.code in {0, 1}, said.err
        assert Recorder.kept, command
        wide = told(Recorder.kept, WIDEST)
        blocks = [block for do, (shown, *_), _ in Recorder.kept if do is Terminal.show for block in shown]
        heads, again = words(" ".join(corners(blocks))), figures(" ".join(rows_named(blocks)))
        assert sum(figures(wide).values()) > (0 if command[0] == "list" else 5), command
        for width in widths:
            text = told(Recorder.kept, width)

            assert figures(text) >= figures(wide), (command, width)
            assert (figures(text) - figures(wide)).keys() <= again.keys(), (command, width)
            assert words(text) ^ words(wide) <= heads, (command, width)
            lines = told([one for one in Recorder.kept if one[0] is Terminal.show], width).splitlines()
            assert all(line == line.rstrip() for line in lines), (command, width)
            long = [line for line in lines if len(line) > width and len(line.split()) > 1]
            assert not [line for line in long if not COPIED.search(line)], (command, width)


@pytest.mark.parametrize("settings", [{"COLUMNS": "61", "TERM": "dumb", "FORCE_COLOR": "1"}, {"COLUMNS": "60"}])
def test_a_dumb_terminal_and_a_pipe_have_every_figure_too(cli, four, asked_in_ways, monkeypatch, settings):
    for name, value in {"COLUMNS": str(WIDEST), "FORCE_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    bench, (a, _) = four
    lists = [("list", what) for what in ("models", "profiles", "recipes")]
    commands = [("score", a), ("check", bench), ("variance", *asked_in_ways), ("list", "tasks", "mini"), *lists]
    wide = [cli(*command).out for command in commands]
    monkeypatch.delenv("FORCE_COLOR")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    bare = re.compile(r"\x1b\[[0-9;]*m")
    for command, whole in zip(commands, wide, strict=True):
        text = bare.sub("", cli(*command).out)
        assert figures(text) == figures(bare.sub("", whole)), command
        in_lines = command[0] == "list" and "TERM" not in settings  # in a pipe a row is a line
        most = WIDEST if in_lines else int(settings["COLUMNS"]) if "TERM" in settings else 100
        assert all(len(line) <= most for line in text.splitlines() if line.startswith("─")), command
