"""What goes wrong in models, variants, prompt layouts and released data of other packages: a line, and nothing lost."""

import asyncio
import json
import re

import pytest

from audiometry.errors import UsageError
from audiometry.models import load
from audiometry.models.protocol import Batches, Decodes, NeedsKey, Served, SharedWork, SlowStart
from audiometry.outside import awaited

KEY = "sk-0123456789abcdefghij"
MODEL = """
    from audiometry.records import Chunk, ModelCard, Reply


    class First:
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
        return First()
"""
VARIANT = """
    from audiometry.run.variant import Variant


    async def clips(hand, item):
        return await hand.own(item)


    VARIANT = Variant(name="odd", about="odd", clips=clips)
"""
RELEASED = """
    from audiometry.bench import Benchmark
    from audiometry.bench.store import ItemList, digest
    from audiometry.records import BenchmarkInfo, Card, Item, Task


    def opened(data):
        clips = sorted(path.relative_to(data).as_posix() for path in data.rglob("*.wav"))
        items = [Item(id=f"q{n}", task="quiz", question="Which?", file_name=clip) for n, clip in enumerate(clips)]
        card = Card(benchmark=BenchmarkInfo(name="quiz", version="1"), task=(Task(name="quiz", kind="open"),))
        return Benchmark(source="quiz", card=card, root=data, items=ItemList(items), sha256=digest(b"quiz"), data="x")
"""
RAISES = {
    "raise SystemExit(0)": "SystemExit: 0",
    "raise type('Own', (BaseException,), {})('of its own')": "Own: of its own",
    "raise type('Untold', (Exception,), {'__str__': lambda self: 1 / 0})": "an error that cannot be shown",
    "raise EOFError": "EOFError",
    "raise __import__('asyncio').CancelledError": "CancelledError",
    "raise GeneratorExit": "GeneratorExit",
    f"raise ValueError('{KEY}')": "ValueError: [*]+",
    "f = lambda: f(); f()": "RecursionError",
}


AT = {  # where a model goes wrong: the line before which it does
    "load": "        return First()\n",
    "answer": '            return Reply(text="A", finish_reason="stop")\n',
    "close": "            pass\n",
}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def model(where, does):
    """The model with that done first in a place, which is a method or `parameters`."""
    if where == "parameters":
        method = f"        @property\n        def parameters(self):\n            {does}\n"
        return MODEL.replace("        parameters = {}\n", method)
    line = AT[where]
    assert line in MODEL
    return MODEL.replace(line, f"{' ' * (len(line) - len(line.lstrip()))}{does}\n{line}")


def one_line(said, code):
    assert (said.code, said.err.count("\n"), "Traceback" in said.err, KEY in said.err) == (code, 1, False, False)
    return said.err


def run(cli, benchmark, tmp_path, *more, model="ears/first"):
    return cli("run", benchmark, "--no-probe", "--model", model, "-o", tmp_path / "run", "--max-tries", "1", *more)


def errors(tmp_path):
    lines = [json.loads(line) for line in (tmp_path / "run" / "replies.jsonl").read_text().splitlines()]
    return [line["error"] for line in lines if line.get("error")]


@pytest.mark.parametrize("raised", RAISES)
@pytest.mark.parametrize("where", ["load", "parameters"])
def test_a_model_that_cannot_be_loaded_is_one_line(announce, cli, tmp_path, make_benchmark, where, raised):
    announce("audiometry.models", "ears = provider:load", provider=model(where, raised))
    said = one_line(run(cli, make_benchmark(1), tmp_path), 2)
    assert re.search(
        rf"model 'ears/first' \(provider:load by the package outside 1.0\) failed \({RAISES[raised]}.*ask another", said
    )
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("raised", RAISES)
def test_whatever_a_model_raises_is_a_failed_reply(announce, cli, tmp_path, make_benchmark, raised):
    announce("audiometry.models", "ears = provider:load", provider=model("answer", raised))
    said = run(cli, make_benchmark(2), tmp_path, "--json")
    found = errors(tmp_path)
    assert (said.code, "Traceback" in said.err, len(found)) == (1, False, 2)
    assert [one["kind"] for one in found] == ["crash"] * 2
    assert all(re.match(RAISES[raised], one["message"]) for one in found), found


@pytest.mark.parametrize("raised", RAISES)
def test_a_model_that_cannot_let_go_costs_nothing(announce, cli, tmp_path, make_benchmark, raised):
    announce("audiometry.models", "ears = provider:load", provider=model("close", raised))
    said = run(cli, make_benchmark(2), tmp_path, "--json")
    assert (said.code, errors(tmp_path), said.json["scores"]["strict"]["n_items"]) == (0, [], 2)
    assert re.search(rf"warning: model 'ears/first' .* cannot let go \({RAISES[raised]}", said.err)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("return First()", "return None", "NoneType has no name, card"),
        ('name = "ears/first"', "name = 5", "its name is 5, not a text of one line"),
        ('name = "ears/first"', 'name = "a\\x1b[2Jb"', "its name is .*, not a text of one line"),
        ("ModelCard()", "None", "its card is None, not a ModelCard"),
        ("ModelCard()", "ModelCard(rate='fast')", r"ModelCard: .*rate"),
        ("parameters = {}", "parameters = 5", "gives no dict but int"),
        ("parameters = {}", "parameters = {'x': object()}", "TypeError"),
        ("async def close", "async def shut", "First has no close"),
    ],
)
def test_what_a_model_says_of_itself_is_looked_at_when_it_is_loaded(
    announce, cli, tmp_path, make_benchmark, old, new, says
):
    assert old in MODEL
    announce("audiometry.models", "ears = provider:load", provider=MODEL.replace(old, new))
    assert re.search(says, one_line(run(cli, make_benchmark(1), tmp_path), 2))


def test_what_a_model_says_in_our_words_stays_as_it_is(announce, cli, tmp_path, make_benchmark):
    raised = "raise __import__('audiometry.errors').errors.UsageError('give ears a key in EARS_KEY')"
    announce("audiometry.models", "ears = provider:load", provider=model("load", raised))
    assert one_line(run(cli, make_benchmark(1), tmp_path), 2) == "audiometry: error: give ears a key in EARS_KEY\n"


def test_what_a_model_offers_besides_is_offered_by_its_guard_alone(announce):
    more = """
        batch = 3
        served_at = ("http://localhost",)

        async def start(self):
            raise SystemExit(0)


    def load("""
    announce("audiometry.models", "ears = provider:load", provider=MODEL.replace("\n    def load(", more))
    found = load("ears/first")
    kinds = (SlowStart, Batches, Served, NeedsKey, Decodes, SharedWork)
    assert [isinstance(found, kind) for kind in kinds] == [True, True, True, False, False, False]
    assert (found.batch, found.served_at) == (3, ("http://localhost",))
    with pytest.raises(UsageError, match=r"model 'ears/first' .* cannot start \(SystemExit: 0\)"):
        asyncio.run(found.start())


def test_who_waits_for_another_package_can_be_cancelled():
    async def waits():
        async with asyncio.timeout(0.01):
            await awaited(lambda: asyncio.sleep(60), ValueError)

    with pytest.raises(TimeoutError):
        asyncio.run(waits())


@pytest.mark.parametrize("raised", [*RAISES, "return None", "return [5]", "hand = None"])
def test_whatever_a_variant_does_is_a_failure_of_its_items_alone(announce, cli, tmp_path, make_benchmark, raised):
    line = "        return await hand.own(item)\n"
    assert line in VARIANT
    code = VARIANT.replace(line, f"        {raised}\n{line}")
    announce("audiometry.variants", "odd = odd_variant:VARIANT", odd_variant=code)
    said = run(cli, make_benchmark(2), tmp_path, "--variant", "odd", "--json", model="scripted/oracle")
    found = errors(tmp_path)
    assert (said.code, "Traceback" in said.err, len(found)) == (1, False, 2)
    assert {one["kind"] for one in found} == {"variant"}
    where = r"item .*, in the variant odd \(odd_variant:VARIANT by the package outside 1.0\): "
    assert all(re.match(where + RAISES.get(raised, ".*Error: "), one["message"]) for one in found)
    assert "mend the variant, then the same command asks for them" in said.err


def test_a_variant_that_fails_at_the_samples_is_not_the_clips_fault(announce, cli, tmp_path, make_benchmark):
    code = """
        from audiometry.run.variant import of_samples

        VARIANT = of_samples("odd", "odd", lambda samples, rate, draw: samples.nosuch)
    """
    announce("audiometry.variants", "odd = odd_variant:VARIANT", odd_variant=code)
    said = run(cli, make_benchmark(2), tmp_path, "--variant", "odd", model="scripted/oracle")
    assert [one["kind"] for one in errors(tmp_path)] == ["variant"] * 2
    assert "(odd_variant:VARIANT by the package outside 1.0)" in said.err
    assert "mend these clips" not in said.err


@pytest.mark.parametrize("raised", [*RAISES, "return None", "Item = str", "digest = None", "(data / 'x').read_bytes()"])
def test_released_data_that_cannot_be_opened_are_one_line(announce, cli, tmp_path, make_benchmark, raised):
    code = RELEASED.replace("    def opened(data):\n", f"    def opened(data):\n        {raised}\n")
    announce("audiometry.layouts", "quiz = quiz:opened", quiz=code)
    said = run(cli, "quiz", tmp_path, "--data", make_benchmark(2), model="scripted/random")
    assert "benchmark 'quiz' (quiz:opened by the package outside 1.0) " in one_line(said, 2)
    assert "mini" in cli("list", "benchmarks").out


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('id=f"q{n}"', 'id="q"', "item 2 of 2 has an id that another has: 'q'"),
        ('id=f"q{n}"', 'id=""', "item 1 of 2 has no id"),
        ('question="Which?"', "question=5", "Item: .*question"),
        ('question="Which?"', 'question="\\ud800"', "surrogates not allowed"),
        (
            "return Benchmark(",
            "return type('Own', (Benchmark,), {})(",
            "gives no Benchmark but Own, which is made of it;",
        ),
        ('version="1"', "version=1", "Card: .*version"),
        ('kind="open"', 'kind="choice"', "item 1 of 2, 'q0', has no options"),
        ("file_name=clip", "file_name='../x.wav'", "item 1 of 2, 'q0', has the file name"),
        ('task="quiz"', 'task="other"', "item 1 of 2, 'q0', has the task 'other', which the card has not"),
        ('data="x")', 'data="x", problems=(5,))', "its problems is .5,., not Problems"),
        ('data="x")', 'data="x", counts=(5,))', "its counts is .5,., not FolderCounts"),
        ('data="x")', 'data="x", notes=("a\\nb",))', "its notes is .*, not lines"),
        ("root=data", "root=str(data)", "its root is .*, not a Path"),
        ('sha256=digest(b"quiz")', "sha256=None", "its sha256 is None, not 64 hexadecimal digits"),
    ],
)
def test_what_released_data_say_is_looked_at(announce, cli, tmp_path, make_benchmark, old, new, says):
    assert old in RELEASED
    announce("audiometry.layouts", "quiz = quiz:opened", quiz=RELEASED.replace(old, new))
    said = run(cli, "quiz", tmp_path, "--data", make_benchmark(2), model="scripted/random")
    assert re.search(says, one_line(said, 2))


@pytest.mark.parametrize(
    ("made", "says"),
    [
        ("type('Own', (Layout,), {}, frozen=True)('x', 'x')", "Own is no Layout, but one made of Layout"),
        ("Layout(5, 'x')", "its single is 5, not a text with {question} and {options}"),
        ("Layout('{question}', 'x')", "its single is .*, not a text with {question} and {options}"),
        ("Layout(BOTH, '{options}')", "its open is .*, not a text with {question}"),
        ("Layout(BOTH, '{question}\\ud800')", "its open is .*, not a text with"),
        ("Layout(BOTH, '{question}', system='\\ud800')", "its system is .*, not a text that can be sent"),
        ("Layout(BOTH, '{question}', shown=-1)", "its shown is -1, not a whole number to 26"),
        ("Layout(BOTH, '{question}', style='wide')", "its style is 'wide', not dotted or"),
        ("Layout(BOTH, '{question}', system=5)", "its system is 5, not a text"),
    ],
)
def test_what_a_prompt_layout_says_is_looked_at(announce, cli, tmp_path, make_benchmark, made, says):
    code = f"from audiometry.run.layout import Layout\nBOTH = '{{question}} {{options}}'\nTHING = {made}"
    announce("audiometry.prompt_layouts", "odd = odd_words:THING", odd_words=code)
    said = run(cli, make_benchmark(1), tmp_path, "--prompt", "odd", model="scripted/oracle")
    assert re.search(says, one_line(said, 2))
