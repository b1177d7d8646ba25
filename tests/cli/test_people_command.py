"""`audiometry score --judge J --people FILE`: what people would give, and what is said where that cannot be told."""

import csv
import html
import json
import re
from pathlib import Path

import pytest

from audiometry.seeds import generator

CARD = """
[benchmark]
name = "made/chat"
version = "1"

[[task]]
name = "sounds"
category = "sound"
kind = "open"

[[task]]
name = "voices"
category = "speech"
kind = "open"
"""
N = 90
QUALITY = [2 + n * 37 % 6 for n in range(N)]  # people's scores; the judge gives some two more


@pytest.fixture
def judged(make_benchmark, cli, tmp_path, chat_server):
    """A run of open questions, a judge that is two points too kind, and ``go(*words)``: score it."""
    tasks = ["voices" if number % 3 == 0 else "sounds" for number in range(N)]
    rows = [
        {"question": f"What is sound {n}?", "options": [], "answer": f"reference {n} [q=8]", "task": task}
        for n, task in enumerate(tasks)
    ]
    recorded = tmp_path / "recorded.jsonl"
    replies = [f"reply {n} [q={quality + 1 + n % 3}]" for n, quality in enumerate(QUALITY)]
    replies[0] = ""
    lines = [json.dumps({"item": f"item-{n:05}", "text": text}) for n, text in enumerate(replies)]
    recorded.write_text("".join(line + "\n" for line in lines))
    folder = tmp_path / "run"
    cli("run", make_benchmark(rows, card=CARD), "--model", f"scripted/replay?file={recorded}", "-o", folder)
    server = chat_server(judge="{}")

    def go(*words, judge=("--judge", "openai/mock")):
        return cli("score", folder, *judge, "--base-url", server.url, *words)

    go.server = server
    go.folder = folder
    return go


@pytest.fixture
def ratings(tmp_path):
    """``ratings(numbers)``: a rating file with people's scores of these items."""

    def write(numbers, name="ratings.csv", **columns):
        path = tmp_path / name
        with path.open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["item", "rater", "score", *columns])
            for number in numbers:
                more = [column(number) for column in columns.values()]
                table.writerow([f"item-{number:05}", "anna", QUALITY[number], *more])
        return path

    return write


def drawn(n=45):
    return [int(number) for number in generator(1, "people").permutation(N - 1)[:n] + 1]


def flat(text):
    return " ".join(text.split())


def test_what_people_would_give_stands_beside_what_the_judge_gives(judged, ratings):
    found = judged("--people", ratings(drawn()), "--json")
    assert found.code == 0
    scored = found.json["scores"]["strict"]
    people = scored["extras"]["people"]
    means = [
        sum(QUALITY[n] if n else 1 for n in range(N) if (n % 3 == 0) is speech)
        / sum((n % 3 == 0) is speech for n in range(N))
        for speech in (True, False)
    ]
    truth = sum(means) / 2  # of the two categories; the empty reply has its 1
    assert people["interval"][0] <= truth <= people["interval"][1]
    assert people["value"] == pytest.approx(truth, abs=0.25)
    assert people["judge"] == pytest.approx(scored["value"])
    assert scored["value"] > people["interval"][1] + 0.5
    assert (people["n_items"], people["n_empty"], people["n_answered"]) == (N, 1, N - 1)
    assert (people["n_rated"], people["n_clusters_rated"], people["n_ratings"], people["n_raters"]) == (45, 45, 45, 1)
    assert scored["notes"] == []
    # the empty reply has the score of the rules, whatever somebody says of it
    other = judged("--people", ratings([0, *drawn()], "empty.csv"), "--json").json["scores"]["strict"]["extras"][
        "people"
    ]
    assert (other["n_rated"], other["n_ratings"], other["value"]) == (45, 46, people["value"])
    (note,) = judged("--people", ratings([0, *drawn()], "empty.csv"), "--json").json["scores"]["strict"]["notes"]
    assert note.startswith("1 item that people rated has no score by the judge to set right")
    assert judged("--people", ratings(drawn()), "--json").code == 0
    (stored,) = (judged.folder / "scores").iterdir()
    assert json.loads(stored.read_text())["scores"]["strict"]["extras"]["people"] == people
    every = judged("--people", ratings(drawn()), "--profile", "all", "--json")
    assert every.code == 0
    extras = {name: one["extras"].get("people") for name, one in every.json["scores"].items()}
    assert extras["strict"] == people
    assert extras["airbench"]["n_rated"] == 45
    assert extras["lmms-eval"] is None  # its rules have no number over everything
    text = flat(judged("--people", ratings(drawn())).out)
    assert f"People would give {people['value']:.2f} (95 %: " in text
    assert "set right by 1 rater on 45 of 90 items, 45 different clips. Their ratings alone:" in text


def test_a_file_of_no_use_is_found_out_before_a_judge_is_asked(judged, ratings, tmp_path):
    letters = tmp_path / "letters.csv"
    letters.write_text("item,rater,choice\nitem-00001,anna,A\n")
    torn = tmp_path / "torn.csv"
    torn.write_text("who,what\n1,2\n")
    raw = {
        "empty.csv": (b"", "is empty: no ratings"),
        "list.json": (b'[{"item": "item-00001"}]', "is a JSON list; write one object a line"),
        "bytes.csv": (bytes(range(256)), "neither a rating file nor a run folder"),
        "comma.csv": (b'item,rater,score\nitem-00001,anna,"7,5"\n', "score 7,5 has a decimal comma: write 7.5"),
        "columns.csv": (
            b"id,who,rating\n1,anna,2\n",
            "and one of score, choice, preferred, code (its first line: id,who,rating)",
        ),
        "latin.csv": ("item,rater,score\nitem-00001,zoë,7\n".encode("latin-1"), "not UTF-8 text"),
        "twice.csv": (b"item,rater,score,score\nitem-00001,anna,7,3\n", "has more than one column score; leave one"),
        "wide.csv": (
            "item,rater,score\nitem-00001,anna,7\n".encode("utf-16"),
            "neither a rating file nor a run folder",
        ),
        "formula.csv": (b"item,rater,score\nitem-00001,anna,=1+6\n", "'score' is a text ('=1+6')"),
        "nan.jsonl": (b'{"item": "item-00001", "rater": "anna", "score": NaN}\n', "none of its 1 lines can be used"),
        "huge.jsonl": (b'{"item": "item-00001", "rater": "anna", "score": 1e308}\n', "is beyond any scale"),
        "deep.jsonl": (b'{"item": ' + b"[" * 10_000 + b"\n", "none of its 1 lines can be used"),
        "half.jsonl": (rb'{"item": "\ud800", "rater": "anna", "score": 7}' + b"\n", "half a character"),
        "long.jsonl": (b'{"item": "' + b"x" * 1_100_000 + b'"}\n', "longer than 1,000,000 bytes"),
        "true.jsonl": (b'{"item": "item-00001", "rater": "anna", "score": true}\n', "none of its 1 lines can be used"),
        "quotes.csv": (b"item,rater,score\n" + b'"' * 20_000 + b"\n", "none of its 1 lines can be used"),
        "never.csv": (b"item,rater,score,propensity\nitem-00001,anna,7,0\n", "propensity 0 is not a share above 0"),
        "header.csv": (b"item,rater,score\n", "is empty: no ratings"),
        "inf.csv": (b"item,rater,score\nitem-00001,anna,inf\n", "score inf is not finite"),
        "eleven.csv": (b"item,rater,score\nitem-00001,anna,11\n", "anna gives item-00001 11; scores lie between 1 and"),
        "judge.csv": (b"item,rater,kind,score\nitem-00001,gpt,judge,7\n", "(it has no word of a person)"),
        "pair.csv": (b"item,rater,preferred,model_a,model_b\nitem-00001,anna,a,x,y\n", "(it has preferred)"),
        "elsewhere.csv": (b"item,rater,score\nx/1,anna,7\n", "rates no item of this run (x/1)"),
        "red.csv": (b"item,rater,score\n\x1b[31mx,anna,7\n", "rates no item of this run"),
    }
    for name, (data, _) in raw.items():
        (tmp_path / name).write_bytes(data)
    for path, reason in (
        *((tmp_path / name, reason) for name, (_, reason) in raw.items()),
        (tmp_path / "none.csv", "cannot read"),
        (tmp_path / "\n".join("ab"), "cannot read"),
        (Path("/dev/zero"), "is a device, not a rating file"),
        (tmp_path, "is neither a rating file nor a run folder"),
        (judged.folder, "holds no ratings yet"),
        (torn, "neither a rating file nor a run folder"),
        (letters, "from 1 to 10 (it has choice); see docs/people.md"),
        (
            ratings(drawn(29), "few.csv"),
            "people rated 29 items of 90 that are judged, of 29 different clips: 30 at least",
        ),
        (ratings(drawn(), "other.csv", model=lambda _: "openai/other"), "(it has those of openai/other)"),
        (ratings(drawn(), "odds.csv", propensity=lambda n: 0.5 if n % 2 else ""), "has no `propensity`, others have"),
    ):
        found = judged("--people", path)
        assert found.code == 2
        assert reason in found.err
        assert found.err.count("\n") == 1
        assert "\x1b" not in found.err
    assert not judged.server.log()


def test_where_it_cannot_be_told_the_judges_score_stands_and_a_line_says_why(judged, ratings):
    found = judged("--people", ratings(range(1, 46)))
    assert found.code == 1
    text = flat(found.out)
    assert "no score that people would give: the items that people rated were not drawn at random" in text
    assert "stand earlier in the benchmark than the others" in text
    one_task = [n for n in range(1, N) if n % 3][:59]
    found = judged("--people", ratings(one_task), "--json")
    scored = found.json["scores"]["strict"]
    assert scored["notes"] == []
    assert scored["extras"]["people"]["left_out"] == ["voices"]
    assert scored["extras"]["people"]["n_items"] == 60
    assert "Nobody rated voices: left out of these numbers." in flat(judged("--people", ratings(one_task)).out)
    path = ratings(drawn(), "others.csv")
    path.write_text(path.read_text() + "elsewhere,anna,7\n")
    found = judged("--people", path)
    assert found.code == 0  # ratings of other runs are told of, and nothing is lost
    assert "elsewhere: 1 of the rated items is not in this run, and passed over" in flat(found.out)
    path.write_text(path.read_text() + "item-00002,ben,much\n")
    found = judged("--people", path)
    assert found.code == 1  # a line was lost
    assert "1 lines could not be used (line 48: 'score' is a text ('much')" in flat(found.out)


def test_a_run_that_is_not_finished_has_no_score_that_people_would_give(judged, ratings):
    replies = judged.folder / "replies.jsonl"
    replies.write_text("".join(replies.read_text().splitlines(keepends=True)[:-3]))
    found = judged("--people", ratings(drawn()), "--json")
    assert found.code == 1
    scored = found.json["scores"]["strict"]
    assert "people" not in scored["extras"]
    assert scored["notes"][-1] == "no score that people would give: the run is not finished"


def test_without_a_judge_of_open_questions_it_has_nothing_to_do(judged, ratings, cli, make_benchmark, tmp_path):
    found = judged("--people", ratings(drawn()), judge=())
    assert found.code == 2
    assert "--people is about judges; name one with --judge" in found.err
    choices = tmp_path / "choices"
    cli("run", make_benchmark(2), "--model", "scripted/oracle", "-o", choices)
    found = cli("score", choices, "--judge", "openai/mock", "--align", "judge", "--people", ratings(drawn()))
    assert found.code == 2
    assert "--people is about open questions that a judge scores" in found.err


def test_the_page_says_what_the_terminal_says_until_the_replies_are_others(judged, ratings, cli, tmp_path):
    said = judged("--people", ratings([*drawn(), 0]))
    (line,) = [one for one in said.out.splitlines() if one.startswith("People would give ")]
    (note,) = [one for one in said.out.splitlines() if "no score by the judge to set right" in one]
    page = tmp_path / "page.html"

    def shown():
        found = cli("report", judged.folder, "-o", page)
        assert found.code == 0, found.err
        return html.unescape(re.sub(r'<span class="nowrap">([^<]*)</span>', r"\1", page.read_text()))

    before = shown()
    assert before.count(line.strip()) == 1
    assert note.strip() in before
    assert "what people would give is not shown" not in before.lower()
    replies = judged.folder / "replies.jsonl"
    replies.write_bytes(replies.read_bytes().replace(b"reply 7 ", b"reply seven "))
    after = shown()
    assert "People would give" not in after
    assert "What people would give is not shown, since replies or verdicts are others now" in after
    assert judged("--people", ratings(drawn())).code == 0
    assert "People would give" in shown()
