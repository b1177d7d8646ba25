"""Failure modes on the page: where they tell something, of one run and of several, with stored codes of judges."""

from __future__ import annotations

import json

import pytest

from audiometry.report import html

CARD = '[benchmark]\nname = "made"\n\n[distractors]\nIR = "incorrect but related"\n'
ITEM = {"task": "sounds", "options": ["a waltz", "a polka", "a dog"], "kinds": ["", "IR", "IR"], "answer": "a waltz"}


@pytest.fixture
def page(make_benchmark, make_run, made, tmp_path):
    """``page(["A", "B"], …)``: the text of a page with runs of these replies."""
    from audiometry.records import ReplyRecord

    def write(*runs, kinds=True, codes=()):
        more = {} if kinds else {"kinds": []}
        items = [made.item(n) | ITEM | more for n in range(len(runs[0]))]
        bench = make_benchmark(items, name="made", card=CARD)
        folders = [
            make_run(
                bench,
                [ReplyRecord(item=entry["id"], text=text) for entry, text in zip(items, replies, strict=True)],
                name=f"run-{n}",
            )
            for n, replies in enumerate(runs)
        ]
        for n, code in enumerate(codes):
            (folders[0] / "ratings").mkdir(exist_ok=True)
            line = {"item": items[n]["id"], "rater": "vllm/judge", "kind": "judge", "code": code}
            with (folders[0] / "ratings" / "codes-judge.jsonl").open("a") as file:
                file.write(json.dumps(line) + "\n")
        out = tmp_path / "page.html"
        html.write(folders, out)
        assert not (folders[0] / "ratings" / "codes-rules.jsonl").exists()
        return out.read_text()

    return write


def test_a_run_whose_wrong_options_are_of_a_kind_has_its_failure_modes(page):
    text = page(["A", "B", "C", "B"])
    assert 'id="modes"' in text
    assert "hears what is not there" in text
    assert "3 wrong or without an answer" in text


@pytest.mark.parametrize(("replies", "kinds"), [(["A", "B", "no idea"], False), (["A", "A", "A"], True)])
def test_where_only_the_states_are_known_there_is_no_such_section(page, replies, kinds):
    assert 'id="modes"' not in page(replies, kinds=kinds)


def test_several_runs_stand_side_by_side(page):
    text = page(["A", "B", "C", "A"], ["B", "B", "A", "A"])
    assert text.count('id="modes"') == 1
    assert "audiometry modes RUN quotes some" in text
    assert "2 of 4 replies wrong or without an answer" in text
    section = text.partition('id="modes"')[2].partition("</section>")[0]
    assert "50.0" in section  # of all replies; of what is wrong it is all
    assert "as a share of all replies that came" in section


def test_a_judge_who_was_asked_before_stands_beside_the_rules(page):
    text = page(["B", "C", "A"], kinds=False, codes=("auditory-hallucination", "declined"))
    assert "vllm/judge" in text
    assert "declines" in text
    assert "not coded" not in text


def test_what_a_judge_left_uncoded_is_said_on_the_page_too(page):
    assert "1 of 2 replies were not coded" in page(["B", "C", "A"], kinds=False, codes=("declined",))
