"""Another package adds one of each kind by entry points: 25 lines each, nothing edited."""

import json
import re
import sys
import textwrap
from collections import Counter

import pytest

from audiometry.run import layout

PROVIDER = '''
    """A model that says the first letter, whatever it hears."""

    from audiometry.records import Chunk, ModelCard, Reply


    class FirstLetter:
        name = "ears/first"
        card = ModelCard()
        parameters = {}

        async def answer(self, prompt):
            return Reply(text="A", finish_reason="stop")

        async def stream(self, prompt):
            yield Chunk(text="A", finish_reason="stop")

        async def close(self):
            pass


    def load(name, settings):
        return FirstLetter()
'''
BENCHMARK = '''
    """A benchmark that lies beside this module."""

    from pathlib import Path


    def folder():
        return Path(__file__).parent / "tones"
'''
PROFILE = '''
    """Whoever says anything at all is right."""

    from audiometry.records import State
    from audiometry.score.profiles import Profile
    from audiometry.score.readers import Outcome


    class Kind:
        name = "kind"
        version = 1
        kinds = frozenset({"choice"})

        def read(self, reply, item, shown, said=()):
            if reply is None or reply.text is None:
                return Outcome(State.FAILED)
            return Outcome(State.ANSWERED, item.answer, how="kind", letter="A")

        def shown_as(self, style):
            return self


    PROFILE = Profile(name="kind", about="any reply is right", readers={"choice": Kind()})
'''
RELEASED = '''
    """A benchmark whose data a person downloads, a line a question, in a layout of its own."""

    from audiometry.bench import Benchmark
    from audiometry.bench.store import ItemList, digest
    from audiometry.records import BenchmarkInfo, Card, Item, Task


    def opened(data):
        lines = (data / "questions.tsv").read_text(encoding="utf-8").splitlines()
        items = []
        for number, line in enumerate(lines):
            clip, words, answer, other = line.split("\\t")
            options = (answer, other)
            item = Item(id=f"q{number}", task="quiz", question=words, file_name=clip, options=options, answer=answer)
            items.append(item)
        card = Card(benchmark=BenchmarkInfo(name="quiz", version="1"), task=(Task(name="quiz"),))
        sha256 = digest("\\n".join(lines).encode())
        return Benchmark(source="quiz", card=card, root=data, items=ItemList(items), sha256=sha256, data=str(data))
'''
WORDS = '''
    """The question last, as one paper has it."""

    from audiometry.run.layout import Layout

    LAST = Layout("{options}\\n{question}\\nOne letter, please.", "{question}")
'''
BACKWARDS = '''
    """The clip played backwards."""

    from audiometry.run.variant import of_samples

    VARIANT = of_samples("backwards", "played backwards", lambda samples, rate, draw: samples[::-1])
'''
ENTRY_POINTS = """
[audiometry.models]
ears = provider:load
[audiometry.benchmarks]
tones = tones_benchmark:folder
[audiometry.profiles]
kind = kind_profile:PROFILE
"""


@pytest.mark.parametrize("code", [PROVIDER, BENCHMARK, PROFILE, RELEASED, WORDS, BACKWARDS])
def test_it_is_short(code):
    assert len(textwrap.dedent(code).strip().splitlines()) <= 25


def test_all_three_work_together(start, benchmark, tmp_path):
    package = tmp_path / "site"
    (package / "ears-1.0.dist-info").mkdir(parents=True)
    for name, code in (("provider", PROVIDER), ("tones_benchmark", BENCHMARK), ("kind_profile", PROFILE)):
        (package / f"{name}.py").write_text(textwrap.dedent(code))
    (package / "ears-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: ears\nVersion: 1.0\n")
    (package / "ears-1.0.dist-info" / "entry_points.txt").write_text(ENTRY_POINTS)
    benchmark(8).rename(package / "tones")
    env = {"PYTHONPATH": str(package)}

    def say(*words):
        process = start(*words, env=env, text=True)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        return out

    assert "tones" in say("list", "benchmarks")
    assert "ears" in say("list", "models")
    assert "any reply is right" in say("list", "profiles")
    assert "ears/first" in say("run", "tones", "--no-probe", "--model", "ears/first", "-o", tmp_path / "run")
    out = say("score", tmp_path / "run", "--profile", "kind", "--profile", "strict", "--json")
    profiles = json.loads(out)["scores"]
    assert (profiles["kind"]["value"], profiles["strict"]["value"]) == (1.0, 0.25)


def test_a_released_layout(announce, cli, tmp_path, make_benchmark):
    announce("audiometry.layouts", "quiz = quiz:opened", quiz=RELEASED)
    clips = make_benchmark(2)
    rows = [f"{path.relative_to(clips)}\tWhich?\tyes\tno" for path in sorted(clips.rglob("*.wav"))]
    (clips / "questions.tsv").write_text("\n".join(rows), encoding="utf-8")
    assert re.search(r"^quiz +--data DIR$", cli("list", "benchmarks").out, re.MULTILINE)
    said = cli("run", "quiz", "--data", clips, "--no-probe", "--model", "scripted/oracle", "-o", tmp_path / "run")
    assert said.code == 0, said.err
    assert cli("score", tmp_path / "run", "--json").json["scores"]["strict"]["value"] == 1.0


def test_a_prompt_layout_and_a_variant(announce, cli, tmp_path, make_benchmark):
    announce("audiometry.prompt_layouts", "last = words_last:LAST", package="words", words_last=WORDS)
    announce("audiometry.variants", "backwards = backwards_variant:VARIANT", backwards_variant=BACKWARDS)
    asked = ("run", make_benchmark(8), "--no-probe", "--model", "scripted/oracle", "-o", tmp_path / "run")
    assert cli(*asked, "--prompt", "last", "--variant", "backwards", "--variant", "noise").code == 0
    lines = [json.loads(line) for line in (tmp_path / "run" / "replies.jsonl").read_text().splitlines()]
    assert Counter(line["variant"] for line in lines) == {"plain": 8, "noise": 8, "backwards": 8}
    changed = [line["audio_changes"] for line in lines if line["variant"] == "backwards"]
    assert changed == [["played backwards"]] * 8
    assert len({line["audio_sha256"] for line in lines}) == 24
    assert cli(*asked, "--prompt", "last", "--variant", "backwards", "--variant", "noise").code == 0
    assert len((tmp_path / "run" / "replies.jsonl").read_text().splitlines()) == 24, "all stands"
    scored = cli("score", tmp_path / "run", "--json").json["scores"]["strict"]
    assert scored["value"] == 1.0
    assert scored["variants"]["backwards"]["value"] < 1.0
    assert "did you mean 'backwards'" in cli(*asked, "--variant", "backward").err


@pytest.mark.parametrize(
    ("group", "what", "command"),
    [
        ("audiometry.models", "model provider", ("list", "models")),
        ("audiometry.benchmarks", "benchmark", ("list", "benchmarks")),
        ("audiometry.layouts", "benchmark", ("list", "benchmarks")),
    ],
)
def test_one_broken_package_is_one_line_and_the_list_stands(announce, cli, group, what, command):
    whole = cli(*command).out
    announce(group, "moon = moon:THING", moon="raise RuntimeError('no\x1b[2Jmoon')")
    said = cli(*command)
    assert (said.code, said.out) == (0, whole)
    assert said.err.count("\n") == 1
    assert said.err.startswith(f"audiometry: warning: {what} 'moon' is announced as moon:THING by the package outside")
    assert "\x1b" not in said.err


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("samples * float('nan')", "samples that are not numbers came of it"),
        ("samples[:, 0]", "samples of shape"),
        ("samples[:0]", "samples of shape"),
        ("1 / 0", "division by zero"),
    ],
)
def test_a_variant_that_goes_wrong_is_a_failure_of_its_items_alone(
    announce, cli, tmp_path, make_benchmark, change, why
):
    code = BACKWARDS.replace("samples[::-1]", change)
    announce("audiometry.variants", "backwards = backwards_variant:VARIANT", backwards_variant=code)
    asked = ("run", make_benchmark(2), "--no-probe", "--model", "scripted/oracle", "--variant", "backwards")
    assert cli(*asked, "-o", tmp_path / "run", "--max-tries", "1").code == 1
    lines = [json.loads(line) for line in (tmp_path / "run" / "replies.jsonl").read_text().splitlines()]
    failed = [line["error"]["message"] for line in lines if line.get("error")]
    assert len(failed) == 2
    assert all(why in message and "\n" not in message for message in failed), failed
    assert cli("score", tmp_path / "run", "--json").json["scores"]["strict"]["value"] == 1.0


@pytest.mark.parametrize(
    ("group", "code", "asked", "why"),
    [
        ("audiometry.models", "THING = 3", ("--model", "thing/x"), "no function load"),
        ("audiometry.prompt_layouts", "THING = '{question}'", ("--prompt", "thing"), "str is no Layout"),
        ("audiometry.variants", "THING = len", ("--variant", "thing"), "it is no Variant called thing"),
        ("audiometry.variants", BACKWARDS + "\n    THING = VARIANT", ("--variant", "thing"), "no Variant called thing"),
    ],
)
def test_what_is_announced_as_something_else_is_one_line(
    announce, cli, tmp_path, make_benchmark, group, code, asked, why
):
    announce(group, "thing = thing:THING", thing=code)
    model = () if "--model" in asked else ("--model", "scripted/oracle")
    said = cli("run", make_benchmark(2), "--no-probe", *model, *asked, "-o", tmp_path / "run")
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert why in said.err
    assert "by the package outside 1.0, which cannot be loaded" in said.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("made", "why"), [("'/no/such/folder'", "is no folder"), ("None", "TypeError")])
def test_a_benchmark_that_is_not_there_is_one_line(announce, cli, tmp_path, made, why):
    announce("audiometry.benchmarks", "tones = tones_b:folder", tones_b=f"def folder(): return {made}")
    said = cli("run", "tones", "--no-probe", "--model", "scripted/oracle", "-o", tmp_path / "run")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert why in said.err
    assert "mini" in cli("list", "benchmarks").out


@pytest.mark.parametrize("name", ["plain", "order-7", "order-x", "Big", "two words", ""])
def test_a_variant_may_not_be_called_like_an_order_of_options(announce, name):
    from audiometry.run.variant import VARIANTS, of_samples

    with pytest.raises(TypeError, match="it is no Variant called"):
        VARIANTS._made(name, of_samples(name, "x", lambda samples, rate, draw: samples))


def test_a_run_is_scored_where_the_package_of_its_variant_and_layout_is_gone(announce, cli, tmp_path, make_benchmark):
    asked = ("run", make_benchmark(4), "--no-probe", "--model", "scripted/oracle", "-o", tmp_path / "run")
    asked = (*asked, "--variant", "backwards", "--prompt", "last")
    folders = [
        announce("audiometry.prompt_layouts", "last = words_last:LAST", package="words", words_last=WORDS),
        announce("audiometry.variants", "backwards = backwards_variant:VARIANT", backwards_variant=BACKWARDS),
    ]
    assert cli(*asked).code == 0
    before = cli("score", tmp_path / "run", "--json").json
    sys.path[:] = [path for path in sys.path if path not in map(str, folders)]
    layout.named.cache_clear()
    assert cli("score", tmp_path / "run", "--json").json == before
    assert "unknown variant 'backwards'" in cli(*asked).err
    assert "unknown prompt layout 'last'" in cli(*asked[:-4], "--prompt", "last").err
