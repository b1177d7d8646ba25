"""What another package adds to scoring, each in at most 25 lines: a reader, a measure, a profile, published results."""

import json
import re
from decimal import Decimal

import numpy as np
import pytest

from audiometry.errors import UsageError
from audiometry.files.benchmark_folder import read_card
from audiometry.records import Item, State, Task
from audiometry.registry import BrokenPackageWarning
from audiometry.score import compare, score
from audiometry.score.judge.needed import needs_judge
from audiometry.score.measures import MEASURES, refuse_unfit
from audiometry.score.profiles import PROFILES
from audiometry.score.published import published
from audiometry.score.readers import Outcome

READER = '''
"""Reads yes and no: the first word of a reply that begins with one of the options."""
from audiometry.records import State
from audiometry.score.profiles import Profile
from audiometry.score.readers import Outcome, ended


class FirstWord:
    name, version, kinds = "first-word", 2, frozenset({"choice"})

    def read(self, reply, item, shown, said=()):
        before = ended(reply)
        if before is not None:
            return before
        word = reply.text.split()[0].strip(",.").casefold() if reply.text.split() else ""
        chosen = [option for option in shown if option.casefold() == word]
        return Outcome(State.ANSWERED if chosen else State.UNANSWERED, *chosen[:1], how="first-word")


PROFILE = Profile(name="first-word", about="the first word of a reply", version=2, readers={"choice": FirstWord()})
'''

MEASURE = '''
"""The share of replies of at most ten words."""
import numpy as np
from audiometry.score.measures.measure import Counted, ratio


class Short:
    name, about, version, unit, direction = "short", "at most ten words", 1, "share of replies", "up"
    kinds, range = frozenset({"open", "transcript"}), (0.0, 1.0)

    def columns(self, task, gold):
        return ("short", "replies")

    def parts(self, items, outcomes, columns):
        return Counted(np.array([[0 < len((o.read or "").split()) <= 10, 1] for o in outcomes], float).reshape(-1, 2))

    def ends(self, items, columns):
        return np.tile([0.0, 1.0], (len(items), 1)), np.ones((len(items), 2))

    def value(self, sums):
        return ratio(sums[..., 0], sums[..., 1])


MEASURE = Short()
'''
OPEN = '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\nkind = "open"\n'
CHOICE_AND_WORDS = (
    '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\naudio = "optional"\n'
    '[[task]]\nname = "words"\nkind = "transcript"\naudio = "optional"\n'
)
OPTIONS, OPENED = ["yes", "no"], list[str]()
KEY = "sk-0123456789abcdefghij"
FAILURE = {"error": {"kind": "timeout", "message": "late"}}


@pytest.mark.parametrize("code", [READER, MEASURE])
def test_nothing_takes_more_than_25_lines(code):
    assert len(code.strip().splitlines()) <= 25


def test_a_reader_and_a_profile_of_another_package(make_benchmark, make_run, announce):
    announce("audiometry.profiles", "first-word = first_word:PROFILE", first_word=READER)
    folder = make_benchmark([{"options": ["yes", "no"], "answer": "yes"} for _ in range(4)])
    said = ["Yes, it does.", "No.", "It does", FAILURE]
    run = make_run(folder, {f"item-{n:05}": one for n, one in enumerate(said)})
    found = score(run, ["first-word"]).scores["first-word"]
    assert (found.value, found.n_answered, found.n_unanswered, found.n_failed) == (0.25, 2, 1, 1)
    assert found.bounds == (0.25, 0.5)
    assert found.signature.startswith("first-word.2+")


@pytest.mark.parametrize(
    ("replies", "says"),
    [({"item-00001": FAILURE}, "answered of a reply that failed"), ({}, "answered of a reply that was not asked for")],
)
def test_what_never_came_cannot_be_read_as_right(make_benchmark, make_run, announce, cli, replies, says):
    code = READER.replace("return before\n", "return Outcome(State.ANSWERED, item.answer)\n")
    announce("audiometry.profiles", "first-word = first_word:PROFILE", first_word=code)
    folder = make_benchmark([{"options": ["yes", "no"], "answer": "yes"}] * 2)
    run = make_run(folder, {"item-00000": "Yes."} | replies)
    said = cli("score", run, "--profile", "all", "--json").json
    assert says in said["broken"]["first-word"]
    assert {"strict", "airbench"} <= said["scores"].keys()


def _reader(says, does):
    code = READER.replace(
        "        before = ended(reply)\n", f"        {does}  # {says}\n        before = ended(reply)\n"
    )
    return code.replace("class FirstWord", f"{CLASSES}class FirstWord")


READS = {
    "raises": ("raise KeyError('x')", r"failed at a reply to item 'item-0000[01]' \(KeyError: 'x'\)"),
    "none": ("return None", "gives no Outcome but NoneType"),
    "state": ("return Outcome('right')", "gives an Outcome whose state is 'right', which is none of State"),
    "letters": ("return Outcome(State.ANSWERED, letter='AB')", "letter is 'AB', which is none of A to Z"),
    "accent": ("return Outcome(State.ANSWERED, letter='\\u00e9')", "letter is 'é', which is none of A to Z"),
    "number": ("return Outcome(State.ANSWERED, letter=3)", "letter is 3, which is none of A to Z"),
    "read": ("return Outcome(State.ANSWERED, 5)", "read is 5, which is no text"),
    "half": ("return Outcome(State.ANSWERED, how='\\ud800')", r"how is '\\ud800', which is no text"),
    "scores": ("return Outcome(State.ANSWERED, scores=('1',))", r"scores are \('1',\), which are no numbers"),
    "endless": ("return Outcome(State.ANSWERED, scores=(10**400,))", "scores are .*, which are no numbers"),
    **{
        f"scores={what}": (
            f"return Outcome(State.ANSWERED, scores={what})",
            "scores are .* is no tuple of at most 1000",
        )
        for what in ("5", "None", "iter(int, 1)", "(1 / 0 for _ in 'a')", "(1.0,) * 1001")
    },
    **{
        f"letter={what}": (f"return Outcome(State.ANSWERED, letter={what})", "letter is .*, which is none of A to Z")
        for what in ("[]", "{}", "Ends('A')", "b'A'")
    },
    "ends": (
        "return Outcome(State.ANSWERED, Ends('yes'))",
        "read is 'yes', which is no text",
    ),
    "how ends": ("return Outcome(State.ANSWERED, how=Ends('yes'))", "how is 'yes', which is no text"),
    "too long": (
        "return Outcome(State.ANSWERED, how='x' * 201)",
        "how is a str of 201, which is no text of at most 200",
    ),
    "longer": ("return Outcome(State.ANSWERED, 'x' * 10_000_001)", "read is a str of 10000001, which is no text"),
    "beyond": (
        "return Outcome(State.ANSWERED, 'yes', letter='Z')",
        "letter is Z of 2 options, and whose read is one of",
    ),
    "made of": ("return Own(State.ANSWERED)", "gives no Outcome but Own"),
}
CLASSES = """
class Ends(str):
    def __eq__(self, other):
        raise SystemExit(0)

    __hash__ = __ne__ = __eq__


class Own(Outcome, frozen=True):
    def __getattribute__(self, name):
        raise SystemExit(0)


"""


@pytest.mark.parametrize("way", READS)
def test_a_broken_reader_costs_its_own_score_alone(make_benchmark, make_run, announce, cli, way):
    does, says = READS[way]
    announce("audiometry.profiles", "first-word = first_word:PROFILE", first_word=_reader(way, does))
    folder = make_benchmark([{"options": ["yes", "no"], "answer": "yes"}] * 2)
    run = make_run(folder, {"item-00000": "Yes.", "item-00001": "No."})
    said = cli("score", run, "--profile", "all", "--json")
    assert said.code == 1
    assert {"strict", "airbench"} <= said.json["scores"].keys()
    line = said.json["broken"]["first-word"]
    assert re.search(rf"profile 'first-word' \(first_word:PROFILE by the package outside 1.0\) .*{says}", line)
    assert "\n" not in line
    other = make_run(folder, {"item-00000": "No.", "item-00001": "No."})
    for command in (["score", run], ["compare", run, other]):
        alone = cli(*command, "--profile", "first-word")
        assert (alone.code, "Traceback" in alone.err) == (2, False)
        assert "profile 'first-word' (first_word:PROFILE by the package outside 1.0)" in alone.err


@pytest.mark.parametrize("code", [_reader("raises", "raise KeyError('x')"), "PROFILE = {}"])
def test_a_broken_profile_stops_no_report_that_does_not_name_it(
    make_benchmark, make_run, announce, cli, tmp_path, code
):
    announce("audiometry.profiles", "first-word = first_word:PROFILE", first_word=code)
    run = make_run(make_benchmark([{"options": ["yes", "no"], "answer": "yes"}]), {"item-00000": "Yes."})
    page = tmp_path / "page.html"
    assert (cli("report", run, "-o", page).code, page.exists()) == (0, True)
    alone = cli("report", run, "-o", page, "--profile", "first-word")
    assert (alone.code, "first_word:PROFILE by the package outside 1.0" in alone.err) == (2, True)
    assert "Traceback" not in alone.err


def test_a_report_by_a_broken_profile_is_one_line_whatever_else_there_is_to_show(
    make_benchmark, make_run, announce, cli, tmp_path
):
    announce("audiometry.profiles", "first-word = first_word:PROFILE", first_word=_reader("", "raise SystemExit(0)"))
    items = [{"options": ["yes", "no"], "answer": "yes"}, {"task": "words", "options": [], "answer": "a dog"}]
    run = make_run(make_benchmark(items, card=CHOICE_AND_WORDS, clips=False), {"item-00000": "A", "item-00001": "dog"})
    assert cli("report", run, "-o", tmp_path / "page.html").code == 0
    alone = cli("report", run, "-o", tmp_path / "other.html", "--profile", "first-word")
    assert (alone.code, alone.err.count("\n"), (tmp_path / "other.html").exists()) == (2, 1, False)
    assert "first_word:PROFILE by the package outside 1.0) failed at a reply to item 'item-00000'" in alone.err


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("PROFILE = {'name': 'first-word'}", "dict is no Profile"),
        (
            READER.replace("PROFILE = Profile(", "class Own(Profile, frozen=True):\n    pass\n\n\nPROFILE = Own("),
            "Own is no Profile, but one made of Profile",
        ),
        (READER.replace('{"choice": FirstWord()}', "None"), "its readers is None, not readers by kind"),
        (READER.replace('{"choice": FirstWord()}', '{"choice": len}'), "has no name, version, kinds, read"),
        (READER.replace('{"choice": First', '{"chioce": First'), "its readers is .*, not readers by kind"),
        (
            READER.replace("version=2,", 'measures={"choice": "wer"},'),
            "its measure of choice is wer, which",
        ),
        (READER.replace("version=2,", "measures={}, version=2,"), "its measures name none for choice"),
        (READER.replace("version=2,", "average='blah', version=2,"), "its average is 'blah', not categories or tasks"),
        (READER.replace("version=2,", "attention=('text-only',),"), "not a tuple of noise, silence, other-clip"),
        (READER.replace("version=2,", "denominator='blah',"), "its denominator is 'blah', not all or readable"),
        (READER.replace("version=2,", "version='x',"), "its version is 'x', not a whole number"),
        (READER.replace('about="the first word of a reply"', "about=5"), "its about is 5, not a text of one line"),
        (READER.replace("version=2,", "guess=7,"), "its guess is 7, not a function or None"),
        (READER.replace('frozenset({"choice"})', 'frozenset({"label"})'), "its reader of choice is one of label"),
        (READER.replace('name, version, kinds = "first-word", 2', "name, version, kinds = 7, 2"), "its name is 7"),
        (READER.replace("version=2,", 'measures={"choice": "acuracy"},'), "unknown measure 'acuracy'; did you mean"),
    ],
)
def test_what_is_no_profile_is_left_out_with_a_line(make_benchmark, make_run, announce, cli, code, says):
    announce("audiometry.profiles", "first-word = first_word:PROFILE", first_word=code)
    run = make_run(make_benchmark([{"options": ["yes", "no"], "answer": "yes"}]), {"item-00000": "Yes."})
    for command in (["list", "profiles"], ["score", run, "--profile", "all"]):
        done = cli(*command)
        assert (done.code, "Traceback" in done.err) == (0, False)
        assert re.search(rf"warning: profile 'first-word' is announced as first_word:PROFILE .*{says}", done.err)
    alone = cli("score", run, "--profile", "first-word")
    assert (alone.code, re.search(says, alone.err) is not None, "Traceback" in alone.err) == (2, True, False)


CHANGING = """
class Changing(dict):
    def get(self, kind, other=None):
        return self[kind]

    def __getitem__(self, kind):
        if len(ASKED) > 8:
            raise SystemExit(0)
        ASKED.append(kind)
        return "accuracy"


ASKED = []
PROFILE = Profile("""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('frozenset({"choice"})', 'frozenset({"choice"})\n    questions, rules, lettered = 5, 5, 5'),
        ("version=2,", "measures=Changing(choice='accuracy'),"),
    ],
)
def test_what_else_a_profile_of_another_package_has_is_not_looked_at(make_benchmark, make_run, announce, cli, old, new):
    code = READER.replace(old, new).replace("PROFILE = Profile(", CHANGING.strip())
    announce("audiometry.profiles", "first-word = first_word:PROFILE", first_word=code)
    run = make_run(make_benchmark([{"options": ["yes", "no"], "answer": "yes"}]), {"item-00000": "Yes."})
    assert [cli("score", run, "--profile", "first-word").code for _ in range(9)] == [0] * 9
    assert cli("report", run, "--profile", "first-word", "-o", run / "page.html").code == 0


def test_who_asks_a_judge_is_a_reader_of_the_house_for_its_own_kind(announce):
    code = READER.replace(
        '{"choice": FirstWord()}', '{"choice": JudgedReader(rules=RULES["strict"], kinds={"choice"})}'
    )
    lines = "from audiometry.score.judge.rules import RULES\nfrom audiometry.score.readers.judged import JudgedReader\n"
    announce("audiometry.profiles", "first-word = first_word:PROFILE", first_word=lines + code)
    with pytest.warns(BrokenPackageWarning, match="its reader of choice is one of none"):
        assert "first-word" not in PROFILES.all()
    golden = READER.replace('{"choice": FirstWord()}', '{"choice": GoldenReader()}')
    lines = "from audiometry.score.readers.golden import GoldenReader\n"
    announce("audiometry.profiles", "mine = mine:PROFILE", package="two", mine=lines + golden)
    assert needs_judge(PROFILES.named("mine"))


def test_no_profile_can_be_called_as_all_are(announce, cli):
    announce("audiometry.profiles", "all = first_word:PROFILE", first_word=READER)
    said = cli("list", "profiles")
    assert (said.code, said.err.count("all stands for every profile")) == (0, 1)


def test_a_profile_of_another_package_cannot_take_the_place_of_another(make_benchmark, make_run, announce):
    code = READER.replace('Profile(name="first-word"', 'Profile(name="strict"')
    announce("audiometry.profiles", "first-word = first_word:PROFILE", first_word=code)
    run = make_run(make_benchmark([{"options": ["yes", "no"], "answer": "no"}]), {"item-00000": "yes, or (B)"})
    assert {"strict", "first-word"} <= score(run, ["all"]).scores.keys()


def test_a_name_that_leads_out_of_the_run_folder_leads_nowhere(make_benchmark, make_run, announce, tmp_path):
    announce("audiometry.profiles", "../../../pwn = first_word:PROFILE", first_word=READER)
    announce("audiometry.measures", "../../../pwm = short_replies:MEASURE", package="two", short_replies=MEASURE)
    run = make_run(make_benchmark([{"options": [], "answer": "a dog"}], card=OPEN, clips=False), {"item-00000": "a"})
    score(run, ["all"], measures=["../../../pwm"])
    choices = make_run(make_benchmark([{"options": ["yes", "no"], "answer": "no"}]), {"item-00000": "yes, or (B)"})
    score(choices, ["../../../pwn"])
    for folder in (run, choices):
        assert [path.name.startswith("..-..-..-pw") for path in (folder / "scores").iterdir()].count(True) == 1
    assert not [path for path in tmp_path.rglob("*pw*") if path.parent.name != "scores"]


def test_a_measure_of_another_package_has_rows_intervals_and_comparisons(make_benchmark, make_run, announce):
    announce("audiometry.measures", "short = short_replies:MEASURE", short_replies=MEASURE)
    folder = make_benchmark([{"options": [], "answer": "a dog"} for _ in range(30)], card=OPEN, clips=False)
    brief = make_run(folder, {f"item-{n:05}": "a dog" for n in range(30)})
    wordy = make_run(
        folder, {f"item-{n:05}": "so " * (30 if n % 3 else 3) for n in range(29)} | {"item-00029": FAILURE}
    )
    found = score(wordy, measures=["short"]).scores["short"]
    assert (found.value, found.n_failed, found.unit) == (pytest.approx(10 / 30), 1, "share of replies")
    assert found.bounds == pytest.approx((10 / 30, 11 / 30))
    assert found.interval[0] < found.value < found.interval[1]
    assert list((wordy / "scores").glob("short--*.json"))
    apart = compare(brief, wordy, measure="short")
    assert (apart.score_a, apart.difference) == (1.0, pytest.approx(20 / 30))
    assert apart.p < 0.001


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("return Counted(np.full((len(outcomes), 2), np.nan))", "that are not finite"),
        ("return Counted(np.ones((len(outcomes), 3)))", "gives parts of shape"),
    ],
)
def test_a_measure_that_gives_no_parts_is_one_line(make_benchmark, make_run, announce, wrong, says):
    code = MEASURE.replace("return Counted(np.array([[0 < len", wrong + "  # (np.array([[0 < len")
    announce("audiometry.measures", "short = short_replies:MEASURE", short_replies=code)
    folder = make_benchmark([{"options": [], "answer": "a dog"}], card=OPEN, clips=False)
    with pytest.raises(UsageError, match=f"measure 'short' .*{says}") as raised:
        score(make_run(folder, {"item-00000": "a dog"}), measures=["short"])
    assert "\n" not in str(raised.value)


PARTS, VALUE = "        return Counted(np.array", "return ratio(sums[..., 0], sums[..., 1])"
ENDS = "return np.tile([0.0, 1.0], (len(items), 1)), np.ones((len(items), 2))"
BROKEN = {
    "columns": ('return ("short", "replies")', 'raise RuntimeError("no\\ncolumns")', r"failed \(RuntimeError: no"),
    "parts": (PARTS, f"        raise KeyError('x')\n{PARTS}", "KeyError: 'x'"),
    "nan": (PARTS, f"        return Counted(np.full((len(outcomes), 2), np.nan))\n{PARTS}", "that are not finite"),
    "wide": (
        PARTS,
        f"        return Counted(np.ones((len(outcomes), 5)))\n{PARTS}",
        r"gives parts of shape \(2, 5\) for 2",
    ),
    "no-parts": (PARTS, f"        return None\n{PARTS}", "no Counted but NoneType"),
    "complex": (
        PARTS,
        f"        return Counted(np.ones((len(outcomes), 2), complex))\n{PARTS}",
        "TypeError: complex numbers",
    ),
    "failure": (
        PARTS,
        f"        return Counted(np.ones((len(outcomes), 2)), {{0: 5}})\n{PARTS}",
        "failure 0 of 2 outcomes is 5",
    ),
    "failures": (
        PARTS,
        f"        return Counted(np.ones((len(outcomes), 2)), 'x')\n{PARTS}",
        "AttributeError: 'str'",
    ),
    "no-row": (
        PARTS,
        f"        return Counted(np.ones((len(outcomes), 2)), {{9: Counted(None)}})\n{PARTS}",
        "failure 9 of 2 outcomes",
    ),
    "three-columns": (VALUE, f"{VALUE}\n\n    scale = 'f1'", "gives 2 columns, and its scale f1 has 3 for each class"),
    "other-values": (
        VALUE,
        "return ratio(sums[..., 0], 2 * sums[..., 1])\n\n    scale = 'recall'",
        "says that its scale is recall, and its values are others",
    ),
    "masked": (
        PARTS,
        f"        return Counted(np.ma.masked_all((len(outcomes), 2)))\n{PARTS}",
        "that are not finite",
    ),
    "texts": (VALUE, "return np.full(sums.shape[:-1], '0.5')", r"failed \(TypeError: texts\)"),
    "twice": ('return ("short", "replies")', 'return ("short", "short")', "gives the column 'short' twice"),
    "one-end": (ENDS, "return (np.ones((len(items), 2)),)", "gives 1 ends, and there are a worst and a best"),
    "ends": (ENDS, "return np.ones((7, 7)), np.ones((7, 7))", r"gives ends of shape \(7, 7\)"),
    "value": (VALUE, f"{VALUE}[..., None]", "gives values of shape"),
    "raises": (VALUE, "return 1 / 0", "ZeroDivisionError"),
    "in-place": (
        VALUE,
        "sums[..., 0] /= sums[..., 1]\n        return sums[..., 0]",
        r"failed \(ValueError: output array is read-only\)",
    ),
    "afterwards": (VALUE, f"found = {VALUE[7:]}\n        sums *= 2\n        return found", "array is read-only"),
    "items": (PARTS, f"        outcomes.clear()\n{PARTS}", "'tuple' object has no attribute 'clear'"),
    "columns-of": (PARTS, f"        items[0] = None\n{PARTS}", "'tuple' object does not support item assignment"),
}


@pytest.mark.parametrize("way", BROKEN)
def test_a_broken_measure_is_one_line_that_names_its_package_and_the_others_are_scored(
    make_benchmark, make_run, announce, cli, way
):
    old, new, says = BROKEN[way]
    assert old in MEASURE
    announce("audiometry.measures", "short = short_replies:MEASURE", short_replies=MEASURE.replace(old, new))
    folder = make_benchmark([{"options": [], "answer": "a dog"}] * 2, card=OPEN, clips=False)
    run = make_run(
        folder, {"item-00000": "a dog"} | ({"item-00001": FAILURE} if way == "ends" else {"item-00001": "a"})
    )
    found = score(run, measures=["short", "token-f1"])
    assert list(found.scores) == ["token-f1"]
    line = found.broken["short"]
    assert re.search(rf"measure 'short' \(short_replies:MEASURE by the package outside 1.0\) .*{says}", line)
    assert "\n" not in line
    assert len(list((run / "scores").glob("*.json"))) == 1
    said = cli("score", run, "--measure", "short", "--measure", "token-f1", "--json")
    assert (said.code, list(said.json["scores"]), said.json["broken"]) == (1, ["token-f1"], {"short": line})
    alone = cli("score", run, "--measure", "short")
    assert alone.code == 2
    assert "measure 'short' (short_replies:MEASURE by the package outside 1.0)" in alone.err
    with pytest.raises(UsageError, match="measure 'short'"):
        compare(run, make_run(folder, {"item-00000": "a dog", "item-00001": "b"}), measure="short")


HELPED = """
from audiometry.score.measures.means import MeanOfPairs
from audiometry.score.measures.references import ByReference


def alike(pair):
    {does}


MEASURE = ByReference(MeanOfPairs(name="alike", about="alike", unit="share of answers", score=alike))
"""
DOES = {
    "raises": ('raise RuntimeError("boom")', "RuntimeError: boom"),
    "text": ('return "good"', "ValueError: .*good"),
    "nan": ('return float("nan")', "not finite"),
    "nothing": ("return None", "not finite"),
    "pair": ("return (1.0, 2.0)", "ValueError|TypeError"),
}


@pytest.mark.parametrize("way", DOES)
def test_a_broken_score_of_pairs_is_one_line_and_the_others_are_scored(make_benchmark, make_run, announce, cli, way):
    does, says = DOES[way]
    announce("audiometry.measures", "alike = alike_pairs:MEASURE", alike_pairs=HELPED.format(does=does))
    folder = make_benchmark([{"options": [], "answer": "a dog"}] * 2, card=OPEN, clips=False)
    run = make_run(folder, {"item-00000": "a dog", "item-00001": "a"})
    said = cli("score", run, "--measure", "alike", "--measure", "token-f1", "--json")
    assert (said.code, list(said.json["scores"])) == (1, ["token-f1"])
    line = said.json["broken"]["alike"]
    assert re.search(rf"measure 'alike' \(alike_pairs:MEASURE by the package outside 1.0\) .*({says})", line)
    assert "\n" not in line
    assert len(list((run / "scores").glob("*.json"))) == 1
    other = make_run(folder, {"item-00000": "a dog", "item-00001": "b"})
    against = cli("compare", run, other, "--measure", "alike")
    assert (against.code, "Traceback" in against.err) == (2, False)
    assert "measure 'alike' (alike_pairs:MEASURE by the package outside 1.0)" in against.err


RAISES = {
    "raise SystemExit(0)": "SystemExit: 0",
    "raise type('Own', (BaseException,), {})('of its own')": "Own: of its own",
    "raise type('Untold', (Exception,), {'__str__': lambda self: 1 / 0})": "an error that cannot be shown",
    "raise EOFError": "EOFError",
    "raise StopIteration(7)": "StopIteration: 7",
    "raise BufferError('full')": "BufferError: full",
    "raise MemoryError": "MemoryError",
    "f = lambda: f(); f()": "RecursionError",
}


@pytest.mark.parametrize(("raised", "says"), RAISES.items())
@pytest.mark.parametrize("kind", ["measure", "profile"])
def test_whatever_another_package_raises_costs_its_own_score_alone(
    make_benchmark, make_run, announce, cli, kind, raised, says
):
    choice = OPTIONS if kind == "profile" else OPENED
    folder = make_benchmark([{"options": choice, "answer": "yes"}] * 2, card="" if choice else OPEN, clips=False)
    if kind == "profile":
        announce("audiometry.profiles", "first-word = first_word:PROFILE", first_word=_reader("", raised))
        named, asked = "first-word", ("--profile", "first-word", "--profile", "strict")
    else:
        code = MEASURE.replace(PARTS, f"        {raised}\n{PARTS}")
        announce("audiometry.measures", "short = short_replies:MEASURE", short_replies=code)
        named, asked = "short", ("--measure", "short", "--measure", "token-f1")
    run = make_run(folder, {"item-00000": "yes", "item-00001": "no"})
    said = cli("score", run, *asked, "--json")
    assert (said.code, list(said.json["scores"])) == (1, [asked[-1]])
    line = said.json["broken"][named]
    assert re.search(rf"^{kind} '{named}' \(.* by the package outside 1.0\) failed .*{says}", line)
    assert ("item 'item-00000'" in line, "\n" in line) == (True, False)


@pytest.mark.parametrize(("raised", "says"), RAISES.items())
def test_whatever_another_package_raises_when_it_is_loaded_is_one_line(announce, cli, raised, says):
    whole = {what: cli("list", what).out for what in ("measures", "profiles")}
    announce("audiometry.measures", "short = short_replies:MEASURE", package="one", short_replies=raised)
    announce("audiometry.profiles", "mine = my_rules:PROFILE", package="two", my_rules=raised)
    for what, before in whole.items():
        said = cli("list", what)
        assert (said.code, said.out, said.err.count("\n")) == (0, before, 1)
        assert re.search(rf"is announced as .* by the package (one|two) 1.0, .* \({says}", said.err)


@pytest.mark.filterwarnings("always:with sk")
def test_no_key_that_another_package_says_is_shown(make_benchmark, make_run, announce, cli, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    code = MEASURE.replace(PARTS, f"        raise ValueError('no such key: {KEY}')\n{PARTS}")
    announce("audiometry.measures", "short = short_replies:MEASURE", package="one", short_replies=code)
    announce("audiometry.profiles", "mine = my_rules:PROFILE", package="two", my_rules=f"raise ValueError('{KEY}')")
    folder = make_benchmark([{"options": [], "answer": "a dog"}], card=OPEN, clips=False)
    run = make_run(folder, {"item-00000": "a dog"})
    said = [cli("score", run, "--measure", "short", "--measure", "token-f1", "--json"), cli("list", "profiles")]
    assert "no such key: ***" in said[0].json["broken"]["short"]
    assert "ValueError: ***" in said[1].err
    warns = MEASURE.replace(PARTS, f"        warnings.warn('with {KEY}')\n{PARTS}").replace(
        "import numpy", "import warnings, numpy"
    )
    announce("audiometry.measures", "other = warning:MEASURE", package="three", warning=warns)
    said.append(cli("score", run, "--measure", "other", "--json"))
    assert (said[2].code, "UserWarning: with ***" in said[2].err) == (0, True)
    assert KEY not in "".join(one.out + one.err for one in said)


SAID_OF_ITSELF = {
    "kinds": ("5", '{"speech"}', "frozenset()"),
    "range": (
        "5",
        "(0,)",
        "iter((0.0, 1.0))",
        '("a", "b")',
        "(1.0, 0.0)",
        '(float("nan"), 1.0)',
        "(None, 1.0)",
        "(0.0, 1e308)",
    ),
    "direction": ('"sideways"', "7"),
    "unit": ("5", '"u" * 41', '"a\\nb"', '""'),
    "version": ('"x"', "True", "-1"),
    "name": ("5", '""'),
    "about": ("5", '"a\\x1b[2Jb"', '"a" * 201'),
    "takes": ('"words"',),
    "scale": ('"wide"', "7"),
    "columns": ("5",),
    "at_once": ('"no"',),
}


@pytest.mark.parametrize(("says", "what"), [(says, what) for says, all_ in SAID_OF_ITSELF.items() for what in all_])
def test_what_a_measure_says_of_itself_is_looked_at_when_it_is_loaded(announce, cli, says, what):
    code = f"{MEASURE}\nShort.{says} = {what}\n"
    announce("audiometry.measures", "short = short_replies:MEASURE", short_replies=code)
    said = cli("list", "measures")
    assert (said.code, said.err.count("\n")) == (0, 1)
    assert re.search(rf"measure 'short' is announced as short_replies:MEASURE .*: its {says} is .*, not ", said.err)


KINDS = """[benchmark]
name = "made"
version = "1"
[[task]]
name = "sounds"
kind = "open"
measure = "short"
[[task]]
name = "quiz"
kind = "choice"
[[task]]
name = "talk"
kind = "transcript"
"""


@pytest.mark.parametrize("broken", ["import no_such_thing", MEASURE.replace(PARTS, f"        1 / 0\n{PARTS}")])
def test_a_broken_measure_that_a_card_names_leaves_the_other_kinds_scored(
    make_benchmark, make_run, announce, cli, broken
):
    announce("audiometry.measures", "short = short_replies:MEASURE", short_replies=broken)
    items = [
        {"task": "sounds", "options": [], "answer": "a dog"},
        {"task": "quiz", "options": ["yes", "no"], "answer": "yes"},
        {"task": "talk", "options": [], "answer": "so it is"},
    ]
    folder = make_benchmark(items, card=KINDS, clips=False)
    runs = [make_run(folder, {f"item-{n:05}": "yes" for n in range(3)}) for _ in range(2)]
    said = cli("score", runs[0], "--json")
    assert (said.code, sorted(said.json["scores"])) == (1, ["strict", "wer"])
    assert "by the package outside 1.0" in said.json["broken"]["short"]
    assert cli("score", runs[0]).code == 1
    both = cli("compare", *runs, "--json").json
    assert both["measure"] == "accuracy"
    assert any("by wer" in one for one in both["warnings"])
    assert "by the package outside 1.0" in "".join(both["warnings"])


def test_a_card_that_names_a_broken_measure_is_refused_before_anything_is_paid(make_benchmark, announce):
    announce("audiometry.measures", "short = short_replies:MEASURE", short_replies="import no_such_thing")
    folder = make_benchmark([{"task": "sounds", "options": [], "answer": "a dog"}], card=KINDS, clips=False)
    with pytest.raises(UsageError, match="measure 'short' is announced as short_replies:MEASURE"):
        refuse_unfit(read_card(folder))


@pytest.mark.parametrize(
    ("guess", "says"),
    [
        ("lambda *of: 1 / 0", r"failed at item 'item-00001' \(ZeroDivisionError"),
        ("lambda *of: 7", "gives no str but int at item 'item-00001'"),
        ("lambda *of: 'AB'", "guesses 'AB' of 2 options at item 'item-00001'"),
        ("lambda *of: 'C'", "guesses 'C' of 2 options"),
        ("lambda *of: 'a'", "guesses 'a' of 2 options"),
    ],
)
def test_a_broken_guess_costs_its_own_score_alone(make_benchmark, make_run, announce, cli, guess, says):
    code = READER.replace("version=2,", f"version=2, guess={guess},")
    announce("audiometry.profiles", "first-word = first_word:PROFILE", first_word=code)
    run = make_run(
        make_benchmark([{"options": OPTIONS, "answer": "yes"}] * 2), {"item-00000": "Yes.", "item-00001": "Hm"}
    )
    said = cli("score", run, "--profile", "first-word", "--profile", "strict", "--json")
    assert (said.code, list(said.json["scores"])) == (1, ["strict"])
    assert re.search(f"profile 'first-word' .* {says}", said.json["broken"]["first-word"])


@pytest.mark.parametrize("stamps", ["(5,)", "7", "('two\\nlines',)"])
def test_what_a_signature_cannot_say_is_refused(make_benchmark, make_run, announce, cli, stamps):
    code = HELPED.format(does="return 1.0").replace("score=alike)", f"score=alike, stamps=lambda pairs: {stamps})")
    announce("audiometry.measures", "alike = alike_pairs:MEASURE", alike_pairs=code)
    run = make_run(make_benchmark([{"options": [], "answer": "a dog"}], card=OPEN, clips=False), {"item-00000": "dog"})
    said = cli("score", run, "--measure", "alike", "--measure", "token-f1", "--json")
    assert (said.code, list(said.json["scores"])) == (1, ["token-f1"])
    assert re.search("measure 'alike' .* (no text of one line|failed .TypeError)", said.json["broken"]["alike"])


KEEPS = """
        if getattr(self, "out", np.zeros(0)).shape != sums.shape[:-1]:
            self.out = np.zeros(sums.shape[:-1])
        self.out[...] = ratio(sums[..., 0], sums[..., 1])
        return self.out
"""


def test_what_a_measure_keeps_or_changes_of_its_own_changes_no_figure_of_ours(announce):
    clears = PARTS.replace("return", "[item.tags.clear() for item in items]\n        return")
    code = MEASURE.replace(VALUE, KEEPS.strip()).replace(PARTS, clears).replace("(0.0, 1.0)\n", "[0.0, 1.0]\n")
    announce("audiometry.measures", "short = short_replies:MEASURE", short_replies=code)
    measure = MEASURES.named("short")
    assert measure.range == (0.0, 1.0)
    first = measure.value(np.array([[1.0, 2.0]]))
    assert (measure.value(np.array([[3.0, 4.0]])).tolist(), first.tolist()) == ([0.75], [0.5])
    sums = np.array([[-1e-8, 1.0], [1.0 + 1e-8, 1.0], [np.nan, 1.0]])
    assert np.array_equal(measure.value(sums), [0.0, 1.0, np.nan], equal_nan=True)
    item = Item(id="a", task="sounds", tags={"genre": ["a"]})
    measure.parts([item], [Outcome(State.ANSWERED, "a dog")], measure.columns(Task(name="sounds"), ()))
    assert item.tags == {"genre": ["a"]}


def test_a_value_beyond_its_own_range_is_refused(make_benchmark, make_run, announce):
    code = MEASURE.replace(VALUE, VALUE.replace("return ", "return 5 * "))
    announce("audiometry.measures", "short = short_replies:MEASURE", short_replies=code)
    folder = make_benchmark([{"options": [], "answer": "a dog"}], card=OPEN, clips=False)
    with pytest.raises(UsageError, match=r"measure 'short' .* gives 5, which its range \(0.0, 1.0\) leaves out"):
        score(make_run(folder, {"item-00000": "a dog"}), measures=["short"])


def test_a_sound_score_of_pairs_of_another_package_keeps_all_that_ours_have(make_benchmark, make_run, announce):
    code = HELPED.format(does="return float(pair.prediction in pair.references)")
    announce("audiometry.measures", "alike = alike_pairs:MEASURE", alike_pairs=code)
    folder = make_benchmark([{"options": [], "answer": "a dog"}] * 2, card=OPEN, clips=False)
    run = make_run(folder, {"item-00000": "a dog", "item-00001": "a"})
    found = score(run, measures=["alike?language=de"]).scores["alike?language=de"]
    assert (found.value, len((run / found.extras.ratings).read_text().splitlines())) == (0.5, 2)


def test_what_is_no_measure_is_left_out_of_the_list_with_a_line(announce):
    announce("audiometry.measures", "short = short_replies:MEASURE", short_replies="MEASURE = object()")
    with pytest.warns(BrokenPackageWarning, match="TypeError: object has no name, about, version"):
        assert "short" not in MEASURES.all()


PRINTED = {
    "benchmark": "made",
    "source": "a paper, table 1",
    "tasks": [{"task": "Sounds", "task_name": "sounds", "category": ""}],
    "systems": [{"name": "Ours", "tasks": {"sounds": 62.5}, "average": 62.5}],
}


def test_published_results_of_another_package_are_a_data_file(tmp_path, announce):
    path = tmp_path / "made.json"
    path.write_text(json.dumps(PRINTED), encoding="utf-8")
    announce("audiometry.published", "made = printed:FILE", printed=f"FILE = {str(path)!r}")
    (system,) = published("made")
    assert (system.name, system.tasks, system.average) == ("Ours", {"sounds": Decimal("0.625")}, Decimal("0.625"))
    assert len(published("airbench/foundation")) == 9


@pytest.mark.parametrize(
    ("code", "says"),
    [("FILE = {}", "TypeError"), ("1 / 0", "ZeroDivisionError"), ("def FILE(): return 7", "TypeError")],
)
def test_published_results_that_are_none_stop_no_command(make_benchmark, make_run, announce, cli, tmp_path, code, says):
    announce("audiometry.published", "four = printed:FILE", printed=code)
    run = make_run(make_benchmark([{"options": ["yes", "no"], "answer": "yes"}]), {"item-00000": "Yes."})
    for command in (["score", run], ["report", run, "-o", tmp_path / "page.html"]):
        done = cli(*command)
        assert (done.code, "Traceback" in done.err) == (0, False)
        line = f"warning: published results 'four' is announced as printed:FILE by the package outside 1.0.*{says}"
        assert len(re.findall(line, done.err)) <= 1
    with pytest.warns(BrokenPackageWarning, match=f"published results 'four' is announced as printed:FILE .*{says}"):
        assert len(published("airbench/foundation")) == 9


def test_a_judge_score_without_a_judge_is_refused_and_not_offered(make_benchmark, make_run, cli):
    folder = make_benchmark([{"options": [], "answer": "a dog"}] * 2, card=OPEN, clips=False)
    run, other = (make_run(folder, {"item-00000": text, "item-00001": ""}) for text in ("a dog", "a cat"))
    for command in (["score", run], ["compare", run, other]):
        done = cli(*command, "--measure", "judge-score")
        assert (done.code, "judge-score is made of what a judge says: give --judge MODEL" in done.err) == (2, True)
    assert not (run / "scores").exists()
    unknown = cli("score", run, "--measure", "f1")
    assert (unknown.code, "judge-score" in unknown.err, "f1" in unknown.err) == (2, False, True)


def test_what_is_called_like_ours_leaves_ours_in_place(make_benchmark, make_run, announce, cli):
    announce("audiometry.measures", "token-f1 = short_replies:MEASURE", short_replies=MEASURE)
    run = make_run(make_benchmark([{"options": [], "answer": "a dog"}], card=OPEN, clips=False), {"item-00000": "dog"})
    done = cli("score", run, "--measure", "token-f1", "--json")
    assert (done.code, done.json["scores"]["token-f1"]["value"]) == (0, pytest.approx(2 / 3, abs=0.4))
    assert re.search("measure 'token-f1' is announced as short_replies:MEASURE .* but is ours", done.err)
    listed = cli("list", "measures")
    assert (listed.code, "token-f1" in listed.out, "but is ours" in listed.err) == (0, True, True)


SYSTEM = {"name": "Ours", "tasks": {"sounds": 62.5}, "average": 62.5}
NOT_PRINTED = {
    '"tasks": {"sounds": 101}': r"`systems\[0\].tasks.sounds` is 101, not 0 to 100",
    '"tasks": {"sounds": -40}': "is -40, not 0 to 100",
    '"tasks": {"sounds": 1e999}': r"is 1E\+999, not 0 to 100",
    '"tasks": {"sounds": 1e99999999}': r"is 1E\+99999999, not 0 to 100",
    '"tasks": {"sounds": 1e-99999}': "not 0 to 100",
    '"tasks": {"sounds": -0.0}': "is -0.0, not 0 to 100",
    '"average": 5000': r"`systems\[0\].average` is 5000, not 0 to 100",
    '"average": "NaN"': "average.* NaN",
    '"average": "sNaN"': "average.* sNaN",
    '"average": 70': r"`systems\[0\].average` is 70, and what it is of 62.5 to 62.5",
    '"categories": {"a": 1, "b": 2}': "is 62.5, and what it is of 1 to 2",
    '"plain_matching": 170': "plain_matching. is 170",
    '"name": "a\\nb"': "name. is 'a b', not a text of one line",
    '"source": "a\\u001b[2Jb"': r"source. is 'a\\x1b\[2Jb', not a text of one line",
    '"tasks": [{"task": "\\u202e", "task_name": "sounds", "category": "all"}]': r"tasks\[0\].task. is .*, not a text",
}


@pytest.mark.parametrize("wrong", NOT_PRINTED)
def test_published_results_that_no_paper_can_print_are_one_line_that_names_file_and_key(
    make_benchmark, make_run, announce, cli, tmp_path, wrong
):
    path = tmp_path / "made.json"
    key = wrong.partition(":")[0].strip('"')
    of_table = key == "source" or "task_name" in wrong
    table = {name: one for name, one in PRINTED.items() if not of_table or name != key}
    text = json.dumps({**table, "systems": [{name: one for name, one in SYSTEM.items() if of_table or name != key}]})
    end = len(text) - (1 if of_table else 3)
    path.write_text(text[:end] + ", " + wrong + text[end:], encoding="utf-8")
    announce("audiometry.published", "made = printed:FILE", printed=f"FILE = {str(path)!r}")
    run = make_run(make_benchmark([{"options": [], "answer": "a dog"}], card=OPEN, clips=False), {"item-00000": "dog"})
    done = cli("score", run, "--measure", "token-f1")
    assert (done.code, "Traceback" in done.err) == (0, False)
    with pytest.warns(BrokenPackageWarning, match=rf"made.json: .*{NOT_PRINTED[wrong]}.*; its published results are"):
        assert published("made") == ()
    page = cli("report", run, "-o", tmp_path / "page.html")
    assert (page.code, len(re.findall("its published results are left out", page.err)) <= 1) == (0, True)


def test_what_is_wrong_is_said_once_a_command(make_benchmark, make_run, announce, cli, tmp_path):
    path = tmp_path / "made.json"
    path.write_text("{}", encoding="utf-8")
    announce(
        "audiometry.published", "made = printed:FILE", "bare = printed:BARE", printed=f"FILE = {str(path)!r}\nBARE = 5"
    )
    run = make_run(make_benchmark([{"options": OPTIONS, "answer": "yes"}]), {"item-00000": "Yes."})
    for _ in range(2):
        done = cli("report", run, "-o", tmp_path / "page.html")
        assert done.err.count("its published results are left out") == 1
        assert done.err.count("published results 'bare' is announced as") == 1


def test_published_results_that_cannot_be_read_are_left_out_with_a_line(tmp_path, announce):
    path = tmp_path / "made.json"
    path.write_text(json.dumps(PRINTED | {"sistems": []}), encoding="utf-8")
    announce("audiometry.published", "made = printed:FILE", printed=f"FILE = {str(path)!r}")
    with pytest.warns(BrokenPackageWarning, match="made.json.*sistems.*its published results are left out"):
        assert published("made") == ()
    assert len(published("airbench/chat")) == 11
