"""Profiles of ports held to the ports: replies whose letter the ports' own functions gave, and thousands of made ones.

`make test-ports` has both packages, in an environment of its own; the table beside this file is what they say.
"""

import importlib
import json
import string
import sys
import types
import warnings
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from audiometry import seeds
from audiometry.records import Item, ReplyRecord
from audiometry.score.measures.accuracy import is_right
from audiometry.score.profiles import PROFILES as EVERY

TABLE = [json.loads(line) for line in (Path(__file__).parent / "port_replies.jsonl").read_text("utf-8").splitlines()]
OPTIONS = ("a dog", "Bass guitar", "cat", "thirties to fourties", "Eagle")
PORTS = ("lmms-eval", "evalscope")
PROFILES = {name: EVERY.named(name) for name in PORTS}


def reading(profile, reply, n, gold=0):
    """What a profile reads in a reply to an item with the first ``n`` options: the letter, and whether it is right."""
    item = Item(id="i", task="t", options=OPTIONS[:n], answer=OPTIONS[gold])
    found = PROFILES[profile].readers["choice"].read(ReplyRecord(item="i", text=reply), item, item.options)
    return found.letter, is_right(item, found)


@pytest.mark.parametrize("profile", PORTS)
@pytest.mark.parametrize("row", TABLE, ids=lambda row: ascii(row["reply"])[:40] + f"-{row['n']}")
def test_a_profile_reads_the_letter_that_the_port_was_seen_to_read(row, profile):
    letter, right = reading(profile, row["reply"], row["n"], row["gold"])
    assert letter == row[profile]
    assert right == (row[profile] == "ABCDE"[row["gold"]])


def test_the_table_is_large_and_has_each_case():
    assert len({(row["reply"], row["n"]) for row in TABLE}) == len(TABLE) >= 60
    for port in PORTS:
        assert {row[port] for row in TABLE} >= {None, *"ABCD"}
    assert Counter(row["n"] for row in TABLE).keys() == {2, 3, 4, 5}


# Against the functions themselves.

THERE = find_spec("lmms_eval") is not None and find_spec("evalscope") is not None


def against_ports(test):
    """Marks a test that needs both packages."""
    reason = "lmms-eval and evalscope are not installed; `make test-ports` has them"
    return pytest.mark.ports(pytest.mark.skipif(not THERE, reason=reason)(test))


# what each is run inside of, and libraries that it imports for other work than reading letters
WITHOUT = {
    "lmms_eval.tasks.air_bench.utils": ("lmms_eval", "lmms_eval.tasks"),
    "lmms_eval.tasks.muchomusic.utils": ("lmms_eval", "lmms_eval.tasks"),
    "evalscope.benchmarks.air_bench.air_bench_foundation_adapter": ("evalscope", "evalscope.benchmarks"),
}
LIBRARIES = ("datasets", "editdistance", "jsonlines", "pandas")
UNREAD = "?"
N_MADE = 2500


class Nothing(types.ModuleType):
    """A library of which no part is used."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def imported(name, monkeypatch):
    """A port's module, its packages' ``__init__`` left out: these bring in torch."""
    for library in LIBRARIES:
        monkeypatch.setitem(sys.modules, library, Nothing(library))
    spec = find_spec(name.split(".", maxsplit=1)[0])
    (top,) = spec.submodule_search_locations
    for package in WITHOUT[name]:
        module = types.ModuleType(package)
        module.__spec__ = spec if package == spec.name else None  # for whoever looks for it again
        module.__path__ = [str(Path(top).joinpath(*package.split(".")[1:]))]
        monkeypatch.setitem(sys.modules, package, module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)


@pytest.fixture(scope="module")
def lmms_eval():
    """``(reply, n, gold) -> letter, right, the letters that a guess is drawn from``, by lmms-eval's own functions."""
    with pytest.MonkeyPatch.context() as patch:
        port = imported("lmms_eval.tasks.air_bench.utils", patch)

        def by_port(reply, n, gold):
            drawn = []
            patch.setattr(port.random, "choice", lambda letters: drawn.extend(letters) or UNREAD)
            if n > 4:  # its documents have four options at most, its parser takes any letters
                letter = port.parse_multi_choice_response(reply.strip(), list(string.ascii_uppercase[:n]))
                right = letter == string.ascii_uppercase[gold]
            else:
                document = {f"choice_{'abcd'[k]}": OPTIONS[k] if k < n else None for k in range(4)}
                document |= {"answer_gt": OPTIONS[gold], "task_name": "t", "uniq_id": 7}
                found = port.air_bench_process_results_foundation(document, [reply])
                letter, right = found["submission"][7], found["accuracy"]["score"] == 1
            return (None, False, set(drawn)) if letter == UNREAD else (letter, right, set(drawn))

        yield by_port


@pytest.fixture(scope="module")
def lmms_eval_on_music():
    """As `lmms_eval`, by its task of MuChoMusic, whose questions have four options, with the answer as "(A) …"."""
    with pytest.MonkeyPatch.context() as patch:
        port = imported("lmms_eval.tasks.muchomusic.utils", patch)

        def by_port(reply, gold):
            drawn = []
            patch.setattr(port.random, "choice", lambda letters: drawn.extend(letters) or UNREAD)
            letter = port.parse_multi_choice_response(reply.strip(), [*"ABCD"])
            document = {"answer": f"({'ABCD'[gold]}) {OPTIONS[gold]}"}
            right = port.muchomusic_process_results(document, [reply])["accuracy"] == 1
            return (None, False, set(drawn)) if letter == UNREAD else (letter, right, set(drawn))

        yield by_port


@pytest.fixture(scope="module")
def evalscope():
    """As `lmms_eval`, by EvalScope's adapter; what it extracts besides A to D is no letter."""
    with pytest.MonkeyPatch.context() as patch:
        port = imported("evalscope.benchmarks.air_bench.air_bench_foundation_adapter", patch)
        adapter = port.AIRBenchFoundationAdapter

        def by_port(reply, n, gold):
            shown = (OPTIONS[:n] + (None,) * 4)[:4]
            letter = adapter.extract_answer(None, reply, None)
            target = adapter._answer_to_letter(OPTIONS[gold], shown)
            right = adapter.match_score(None, reply, letter, target, None).value["acc"] == 1
            return letter if letter in {"A", "B", "C", "D"} else None, right, set()

        yield by_port


@pytest.fixture(params=PORTS)
def port(request):
    """A profile's name, and what its port reads."""
    return request.param, request.getfixturevalue(request.param.replace("-", "_"))


# fmt: off
SAID = [
    "answer", "Answer:", "ANSWER -", "answer :\n", "The answer is", "answers", "answer  -  ", "Answer: option",
    "aNswer;", "answer::", "answer :- ",
]
WORDS = [
    "dog", "Bass", "cat", "drums", "A dog", "Don't know", "I", "is", "so", "or", "not", "a", "b", "Eagle", "ABC", "AB",
    "A or B or A", "B and C, not B at all",
]
FORMS = [
    "{}", "({})", "[{}]", "{}.", "{})", "{}:", "{},", "**{}**", '"{}"', "option {}", "{}'s", "_{}", "{}1", "<{}>",
    "\\boxed{{{}}}",
]
STRANGE = ["", "Ａ", "Ⓑ", "答案是C", "é", "Вариант В", "ſ", "İ", "ẚ", "\u202eB", "🅰", "١", "ANſWER B", "ß", "Å", "А"]
# fmt: on
BETWEEN = [" ", " ", " ", "", "\n", ", ", ". ", "; ", " - ", "\t", "\u00a0", "\u200b", "...", "\u3000", "/"]
ENDS = ["", "", "", *".,!?;:", "'", "''", ".,", ",.", "!?", "?!", ":;", ";:", ".'", "\n", " ", "\ufeff", "…", "\x00"]


def made(n, number):
    """A made reply to an item with ``n`` options: up to five pieces with something between them and at the ends."""
    draw = seeds.stream(0, "ports", str(n), str(number))
    out = draw.pick(ENDS)
    for place in range(int(draw.random() ** 1.5 * 6)):
        out += draw.pick(BETWEEN) if place else ""
        kind = draw.random()
        letter = draw.pick(string.ascii_uppercase[:n] * 3 + "ABCDEFabcde")
        piece = draw.pick(SAID + WORDS) if kind < 0.4 else draw.pick(FORMS).format(letter)
        out += draw.pick([*OPTIONS, *STRANGE]) if kind > 0.85 else piece
    return out + draw.pick(ENDS)


@against_ports
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_profile_reads_thousands_of_made_replies_as_its_port_does(port, n):
    profile, by_port = port
    replies = {made(n, number): number % n for number in range(N_MADE)}
    assert len(replies) >= 2000
    seen = Counter()
    differ = []
    for reply, gold in replies.items():
        *wanted, drawn_from = by_port(reply, n, gold)
        found = reading(profile, reply, n, gold)
        seen[wanted[0]] += 1
        if found != tuple(wanted):
            differ.append((reply, found, wanted))
        assert drawn_from in (set(), set("ABCDE"[:n]))
    assert not differ, f"{len(differ)} of {len(replies)}, such as {differ[:5]}"
    assert min(seen[letter] for letter in (None, *"ABCD"[:n])) >= 30  # each was put to the test


@against_ports
def test_the_table_is_what_the_ports_read(port):
    profile, by_port = port
    for row in TABLE:
        letter, right, _ = by_port(row["reply"], row["n"], row["gold"])
        assert (row["reply"], letter) == (row["reply"], row[profile])
        assert right == (letter is not None and letter == "ABCDE"[row["gold"]])


@against_ports
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_guess_is_drawn_from_the_letters_that_the_port_draws_from(lmms_eval, n):
    guess = PROFILES["lmms-eval"].guess
    _, _, drawn_from = lmms_eval("No idea", n, 0)
    assert {guess(0, f"item-{number}", "plain", n) for number in range(200)} == drawn_from == set("ABCDE"[:n])


@against_ports
def test_one_profile_stands_for_the_ports_tasks_of_airbench_and_of_muchomusic(lmms_eval, lmms_eval_on_music):
    replies = {made(4, number): number % 4 for number in range(N_MADE)} | {row["reply"]: 0 for row in TABLE}
    seen = Counter()
    for reply, gold in replies.items():
        on_music = lmms_eval_on_music(reply, gold)
        assert (reply, on_music) == (reply, lmms_eval(reply, 4, gold))
        assert (reply, *reading("lmms-eval", reply, 4, gold)) == (reply, *on_music[:2])
        assert on_music[2] in (set(), set("ABCD"))
        seen[on_music[0]] += 1
    assert min(seen[letter] for letter in (None, *"ABCD")) >= 30
