"""Metric programs: what is sent, and every way in which one can fail."""

import sys
import textwrap
import time

import numpy as np
import pytest

from audiometry.errors import UnknownNameError, UsageError
from audiometry.score import compare
from audiometry.score.measures import named
from audiometry.score.measures.references import Pair

LOOP = """
    import json, sys, time
    def say(**line):
        print(json.dumps(line), flush=True)
    {before}
    for line in sys.stdin:
        asked = json.loads(line)
        item, said, due = asked["item"], asked["prediction"], asked["references"]
        {body}
"""
RIGHT = "say(item=item, score=float(said in due))"


@pytest.fixture
def program(tmp_path):
    """``program(body, before="")`` gives the name of a metric whose program runs ``body`` for each pair."""

    def make(body=RIGHT, before="", options="?timeout=0.4&start=5"):
        path = tmp_path / "metric.py"
        text = textwrap.dedent(LOOP).replace("{before}", before)
        path.write_text(text.replace("{body}", body.replace("\n", "\n    ")), encoding="utf-8")
        return f"exec/{sys.executable} {path}{options}"

    return make


def pair(item, said, due="yes", language="", question=""):
    return Pair(item=item, prediction=said, references=(due,), language=language, question=question)


def test_scores_come_back_by_item_in_any_order(program):
    held = "held.append((item, said in due))\nif len(held) == 4: [say(item=i, score=int(s)) for i, s in held[::-1]]"
    metric = named(program(held, before="held = []")).counts
    found = metric.count([pair("a", "yes"), pair("b", "no"), pair("c", "yes"), pair("a", "no")])
    assert found.parts.tolist() == [[1, 1], [0, 1], [1, 1], [0, 1]]
    assert found.failures == {}
    assert metric.value(found.parts.sum(axis=0)) == 0.5
    assert metric.each(found.parts).tolist() == [1, 0, 1, 0]


def test_what_is_sent(program):
    body = """
    known = ("é\\n\\x00", "de", "Qué?") if item == "a" else ("x", None, None)
    right = (said, asked.get("language"), asked.get("question")) == known
    keys = {"item", "prediction", "references"} | ({"language", "question"} if item == "a" else set())
    say(item=item, score=int(right and due == ["yes"] and set(asked) == keys))
    """
    body = textwrap.dedent(body).strip()
    found = named(program(body)).counts.count([pair("a", "é\n\x00", language="de", question="Qué?"), pair("b", "x")])
    assert found.parts[:, 0].tolist() == [1, 1]


def test_items_named_like_the_second_of_another_are_kept_apart(program):
    found = named(program()).counts.count([pair("a", "yes"), pair("a", "no"), pair("a#2", "yes")])
    assert found.parts[:, 0].tolist() == [1, 0, 1]


def test_a_program_says_what_it_is(program):
    hello = 'say(metric="tries", version="3", higher_is_better=False, highest=5, unit="tries needed")'
    metric = named(program(before=hello)).counts
    metric.count([pair("a", "yes")])
    assert (metric.higher_is_better, metric.highest, metric.unit) == (False, 5, "tries needed")
    assert metric.made_with([]) == ("tries-3",)
    assert [end.tolist() for end in metric.ends] == [[5, 1], [0, 1]]
    plain = named(program()).counts
    plain.count([pair("a", "yes")])
    assert (plain.higher_is_better, plain.highest, plain.made_with([])) == (True, None, ("says-no-version",))


@pytest.mark.parametrize(
    ("stated", "ends", "beyond"),
    [
        ("", (None, None), None),
        ("highest=1", (0, 1), "score -0.5 is not between 0 and the stated 1"),
        ("lowest=-1, highest=1", (-1, 1), None),
        ("lowest=-2, highest=0", (-2, 0), None),
        ("lowest=-3, highest=-0.5", (-3, -0.5), None),
        ("lowest=-2", (-2, None), None),
        ("lowest=-0.25", (-0.25, None), "score -0.5 is not -0.25 or more, as it stated"),
        ("lowest=-1, highest=-0.75", (-1, -0.75), "score -0.5 is not between -1 and the stated -0.75"),
    ],
)
def test_a_program_says_where_its_scale_begins(program, stated, ends, beyond):
    metric = named(program("say(item=item, score=-0.5)", before=f'say(metric="m", {stated})'))
    found = metric.counts.count([pair("a", "yes")])
    assert metric.range == ends
    assert [one.message for one in found.failures.values()] == ([beyond] if beyond else [])
    if None not in ends:
        assert [end.tolist() for end in metric.counts.ends] == [[ends[0], 1], [ends[1], 1]]


def test_a_scale_of_unstated_ends_is_printed_and_stored_as_such(program, make_benchmark, make_run, cli):
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "say"\nkind = "transcript"\n'
    folder = make_benchmark([{"task": "say", "answer": "a", "options": []}] * 6, card=card, clips=False)
    run = make_run(folder, {f"item-{n:05}": "a" for n in range(6)})
    name = program("say(item=item, score=-0.5 - len(held) % 3); held.append(1)", before="held = []")
    assert "Mean score, on a scale of unstated ends; higher is better." in " ".join(
        cli("score", run, "--measure", name).out.split()
    )
    found = cli("score", run, "--measure", name, "--json").json["scores"][name]
    assert (found["value"], found["range"]) == (-1.5, [None, None])
    stated = 'held = []; say(metric="m", lowest=-3, highest=0)'
    name = program("say(item=item, score=-0.5 - len(held) % 3); held.append(1)", before=stated)
    found = cli("score", run, "--measure", name, "--json").json["scores"][name]
    assert (found["value"], found["range"]) == (-1.5, [-3, 0])
    assert -3 <= found["interval"][0] < -1.5 < found["interval"][1] <= 0
    assert cli("report", run).code == 0


@pytest.mark.parametrize(
    "wrong",
    [
        'highest="x"',
        "highest=-1",
        "highest=float('inf')",
        "highest=1e308",
        "highest=5e-324",
        "highest=0",
        "lowest=1, highest=1",
        "lowest=float('nan')",
        'higher_is_better="no"',
    ],
)
def test_a_wrong_introduction_is_one_line(program, wrong):
    with pytest.raises(UsageError, match="what it says of itself is wrong") as raised:
        named(program(before=f'say(metric="m", {wrong})')).counts.count([pair("a", "yes")])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("body", "kind", "says"),
    [
        ("sys.exit('out of memory')", "crash", "with exit code 1 (its last words on standard error: out of memory)"),
        ("time.sleep(60)", "stuck", "gave no answer for 0.4 s and was ended; if it needs longer, add ?timeout=SECONDS"),
        ("print('loading...', flush=True); time.sleep(60)", "stuck", "the first: 'loading...'"),
        ("say(item='somebody else', score=1); time.sleep(60)", "stuck", "somebody else"),
        ("print('{\"item\": \"%s\", \"score\": NaN}' % item, flush=True)", "not-a-number", "score nan is not a finite"),
        ("print('{\"item\": \"%s\", \"score\": 1e999}' % item, flush=True)", "not-a-number", "score inf"),
        ("say(item=item, score='0.5')", "not-a-number", "score '0.5'"),
        ("say(item=item, score=True)", "not-a-number", "score True"),
        ("say(item=item)", "not-a-number", "score None"),
        ("say(item=item, score=7)", "out-of-range", "score 7 is not between 0 and the stated 1"),
        ("say(item=item, error='no WordNet\\nhere')", "program", "no WordNet here"),
        ("[print('x', flush=True) for _ in range(1000)]; time.sleep(60)", "not-json", "1,000 lines that answer"),
        ("print('[' * 5_000_000, flush=True); time.sleep(60)", "stuck", "of 5,000,000 bytes"),
    ],
)  # fmt: skip
def test_one_bad_answer_is_recorded_and_the_rest_counts(program, body, kind, says):
    bad = "\n".join(f"    {line}" for line in body.split("\n"))
    name = program(f"if item == 'bad':\n{bad}\nelse: {RIGHT}", before='say(metric="m", highest=1)')
    pairs = [*(pair(f"a{n}", "yes") for n in range(40)), pair("bad", "yes"), *(pair(f"b{n}", "no") for n in range(40))]
    metric = named(name).counts
    found = metric.count(pairs)
    assert list(found.failures) == [40]
    assert found.failures[40].kind == kind
    assert says in found.failures[40].message
    assert "\n" not in found.failures[40].message
    assert len(found.failures[40].message) < 600
    assert metric.value(found.parts.sum(axis=0)) == 0.5
    assert found.parts[40].tolist() == [0, 0]


@pytest.mark.parametrize("score", ["1e308", "-1e308", "1e10"])
def test_a_score_beyond_any_scale_counts_nowhere(program, score):
    found = named(program(f"say(item=item, score={score} if item == 'bad' else 1)")).counts.count(
        [pair("good", "yes"), pair("bad", "yes")]
    )
    assert (found.failures[1].kind, found.parts.tolist()) == ("out-of-range", [[1, 1], [0, 0]])
    assert "is beyond any scale" in found.failures[1].message


def test_a_program_that_never_works_is_given_up_soon(program):
    begun = time.monotonic()
    found = named(program(before="sys.exit('no module named nltk')")).counts.count(
        [pair(str(n), "x") for n in range(500)]
    )
    assert len(found.failures) == 500
    assert {failure.kind for failure in found.failures.values()} == {"crash"}
    assert "no module named nltk" in found.failures[499].message
    assert not found.parts.any()
    assert time.monotonic() - begun < 20


def test_its_first_answer_may_take_longer(program):
    slow = "time.sleep(1.0) if item == 'a' else None\n" + RIGHT
    assert named(program(slow)).counts.count([pair("a", "yes"), pair("b", "yes")]).failures == {}
    late = named(program(slow, options="?start=0.3&timeout=5")).counts.count([pair("a", "yes")])
    assert "add ?start=SECONDS" in late.failures[0].message


def test_a_large_reply_and_many_pairs_pass_through(program):
    metric = named(program("say(item=item, score=len(said))")).counts
    found = metric.count([pair(str(n), "x" * 1_000_000) for n in range(5)] + [pair(f"s{n}", "") for n in range(3000)])
    assert found.parts[:6, 0].tolist() == [1e6] * 5 + [0]
    assert np.all(found.parts[:, 1] == 1)


def test_nothing_to_measure_starts_nothing(tmp_path):
    touched = tmp_path / "started"
    metric = named(f"exec/touch {touched}").counts
    assert metric.count([]).parts.shape == (0, 2)
    assert not touched.exists()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("exec/", "needs a command"),
        ("exec/no-such-program-here x", "there is no program 'no-such-program-here'"),
        ("exec/cat 'unclosed", "cannot be split into words"),
        ("exec/cat?timeout=0", "timeout=0 is not a number between 0.1 and"),
        ("exec/cat?start=soon", "start=soon is not a number"),
    ],
)
def test_names_that_cannot_be_used(name, says):
    with pytest.raises(UsageError, match=says) as raised:
        named(name)
    assert "\n" not in str(raised.value)


def test_options_of_programs():
    assert named("exec/cat?language=German&timeout=3")._language == "de"
    assert named("exec/cat?timeout=3").name == "exec/cat"
    with pytest.raises(UnknownNameError, match="did you mean 'timeout'"):
        named("exec/cat?timout=3")


def test_whoever_watches_is_told_after_every_answer(program):
    metric = named(program("sys.exit(1) if item == 'bad' else say(item=item, score=1 if said else 'no')")).counts
    told = []
    metric.watch = lambda *numbers: told.append(numbers)
    metric.count([pair("a", "x"), pair("b", ""), pair("bad", "x"), pair("c", "x")])
    assert told[-1] == (2, 2, 4)
    assert [sum(numbers[:2]) for numbers in told] == [1, 2, 3, 4]


@pytest.mark.parametrize(("option", "scores"), [("", [0, 0]), ("&env=SOME_KEY", [1, 0])])
def test_a_program_gets_no_secret_that_is_not_named(program, monkeypatch, option, scores):
    monkeypatch.setenv("SOME_KEY", "swordfish")
    monkeypatch.setenv("OTHER_TOKEN", "swordfish")
    metric = named(
        program("import os; say(item=item, score=int(said in os.environ))", options=f"?start=5{option}")
    ).counts
    assert metric.count([pair("a", "SOME_KEY"), pair("b", "OTHER_TOKEN")]).parts[:, 0].tolist() == scores


def test_what_a_program_says_of_itself_holds_no_secret(program, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "swordfish-1234")
    hello = "import os; key = os.environ['SOME_KEY']; say(metric=key, version=key, unit=key)"
    body = "say(item=item, error='x' * 195 + key)"
    metric = named(program(body, before=hello, options="?start=5&env=SOME_KEY")).counts
    found = metric.count([pair("a", "yes")])
    assert metric.made_with([]) == ("***-***",)
    assert "swo" not in metric.unit + found.failures[0].message
    assert "swordfish" not in named("exec/echo swordfish-1234").name


def test_a_program_that_states_no_scale_and_says_one_thing_has_no_interval_in_a_comparison(
    program, make_benchmark, make_run
):
    card = '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\nkind = "open"\n'
    folder = make_benchmark([{"options": [], "answer": "a"} for _ in range(12)], card=card, clips=False)
    runs = [make_run(folder, {f"item-{n:05}": text for n in range(12)}) for text in ("a", "b")]
    with pytest.raises(UsageError, match=r"nothing can be told .* states no upper end of its scale"):
        compare(*runs, measure=program("say(item=item, score=50)"))


@pytest.mark.parametrize(
    ("body", "before", "n_pairs", "first"),
    [
        ("print(0.5, flush=True)", 'print("loading the model", flush=True)', 40, "'loading the model'"),
        ("print(0.5, flush=True)", "", 1, "'0.5'"),
        ("print('[0.5]', flush=True)", "", 5, "'[0.5]'"),
        ("say(score=1)", "", 5, "'{\"score\": 1}'"),
        ("say(item='another', score=1)", "", 5, "another"),
    ],
)
def test_a_program_that_answers_wrongly_from_the_start_is_given_up_at_once(program, body, before, n_pairs, first):
    started = time.monotonic()
    found = named(program(body, before, "?start=60&timeout=60")).counts.count(
        [pair(f"i{n}", "yes") for n in range(n_pairs)]
    )
    assert time.monotonic() - started < 15, "it was waited for, or started again and again"
    assert set(found.failures) == set(range(n_pairs))
    said = found.failures[0].message
    assert 'was ended, since an answer reads {"item": …, "score": …}' in said
    assert first in said
    assert found.failures[0].kind == "not-json"


def test_a_program_that_says_something_else_to_each_question_is_not_started_again(program, tmp_path):
    log = tmp_path / "starts"
    body, before = "print('the score is high', flush=True)", f"open({str(log)!r}, 'a').write('x')"
    found = named(program(body, before, "?start=0.6&timeout=0.6")).counts.count(
        [pair(f"i{n}", "yes") for n in range(5)]
    )
    assert len(found.failures) == 5
    assert (
        "standard output held 5 lines that answer nothing, the first: 'the score is high'" in found.failures[0].message
    )
    assert log.read_text() == "x"


def test_what_a_program_prints_while_it_loads_ends_nothing(program):
    before = (
        "[say(level='info', message=f'loaded {n} %') for n in range(9)]; print('ready'); [print(n) for n in (1, 2)]"
    )
    assert (
        named(program(before=before)).counts.count([pair("a", "yes"), pair("b", "yes"), pair("c", "no")]).failures == {}
    )


@pytest.mark.slow
def test_comparing_by_a_program_that_crashes_says_so(program, make_benchmark, make_run):
    card = '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\nkind = "open"\n'
    folder = make_benchmark([{"options": [], "answer": "a"} for _ in range(3)], card=card, clips=False)
    runs = [make_run(folder, {f"item-{n:05}": text for n in range(3)}) for text in ("a", "b")]
    with pytest.raises(UsageError, match=r"the measure has no score for 3 of the replies, .*exit code 7.*out of luck"):
        compare(*runs, measure=program(before="print('out of luck', file=sys.stderr); sys.exit(7)"))
