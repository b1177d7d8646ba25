"""A make of another package: found by its name, and one line where it is broken."""

import pytest

ECHO = """
from audiometry.builder.make import Candidate, Make

def make(hand):
    for clip in hand.clips:
        yield Candidate(clip=clip, question="What is it?", answer=clip.facts["species"][0], wrong=("nothing",))

ECHO = Make(
    name="echo", about="the label or nothing", slips=lambda spec, task: iter(()), kind=lambda task: "choice", make=make
)
"""
TASK = 'name = "echo"\nmake = "echo"'


@pytest.fixture
def said(announce, recordings, spec, cli, tmp_path):
    def build(code=ECHO):
        announce("audiometry.makes", "echo = echoing:ECHO", echoing=code)
        recordings(4)
        rows = [{"file": f"birds/{k}.wav", "species": f"bird {k}", "station": k} for k in range(4)]
        return cli("build", spec(rows, TASK), "-o", tmp_path / "out")

    return build


def test_a_make_of_another_package_makes_items(said, metadata, tmp_path):
    found = said()
    assert found.code == 0, found.err
    assert [item["answer"] for item in metadata(tmp_path / "out")] == [f"bird {k}" for k in range(4)]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('question="What is it?"', "question=5"), "a candidate holds 5 where a text is needed"),
        (("yield Candidate(", "yield dict("), "dict"),
        (('["species"]', '["genus"]'), "KeyError: 'genus'"),
        (
            ('lambda task: "choice"', 'lambda task: "quiz"'),
            "its kind of task is quiz, not choice, label, transcript, open",
        ),
        (('name="echo"', 'name="other"'), "it calls itself other, not echo"),
    ],
)
def test_a_broken_one_is_one_line_that_names_the_package(said, change, why):
    assert change[0] in ECHO
    found = said(ECHO.replace(*change))
    assert found.code == 2
    assert why in found.err
    assert "by the package outside 1.0" in found.err
    assert found.err.count("\n") == 1
