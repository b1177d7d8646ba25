"""A study's file: every slip is one line that says what to do."""

from pathlib import Path

import pytest

from audiometry.errors import UsageError
from audiometry.web.study.spec import read


def swap(old, new):
    def change(text):
        assert old in text
        return text.replace(old, new, 1)

    return change


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("participants =", "participant =", "participants"),
        ("minutes = 8", "", "minutes"),
        ("n = 3", "n = 0", "n"),
        ("n = 3", "n = 'many'", "n"),
        ("n = 3", "n = 1", "2 checks among 1 things to do"),
        ('name = "birds"', 'name = "Birds of May"', "small letters"),
        ('title = "Which', 'titel = "Which', "did you mean 'title'?"),
        ("receives =", "recieves =", "did you mean 'receives'?"),
        ("kept =", "keep =", "did you mean 'kept'?"),
        ('contact = "study@example.org"', 'contact = ""', "contact"),
        ('name = "hearing"', 'name = "how you hear"', "small letters"),
        ('admit = ["Yes"]', "admit = []", "admits nobody"),
        ('admit = ["Yes"]', 'admit = ["Yeah"]', "no option 'Yeah'; options: Yes, No, I am not sure"),
        ('options = ["Yes", "No", "I am not sure"]', 'options = ["Yes"]', "a choice needs two"),
        ('options = ["Under 30", "30 to 59"', 'options = ["Under 30", "Under 30"', "same option twice"),
        ("choose 'Rather not' here", "choose the third", "does not say to choose 'Rather not'"),
        ('choose = "Rather not"', 'choose = "Rather"', "of which 'Rather' is a part"),
        ('choose = "Blue"', 'choose = "Green"', "does not say to choose 'Green'"),
        ('"Red", "Green", "Blue"', '"Red", "Green"', "no option 'Blue'"),
        ('no_consent = "C-NOCONSENT"', "", "no_consent"),
        ('no_consent = "C-NOCONSENT"', 'no_consent = "C-COMPLETE"', "codes complete, no_consent are the same"),
        ('screened_out = "C-SCREENED"', "", "codes.screened_out is missing"),
        ('quota_full = "C-FULL"', 'quota_full = "<b>"', "has to be 3 to 40 letters"),
        ("screened_out = 0.20", "", "pay.screened_out is missing"),
        ("screened_out = 0.20", "screened_out = 3.00", "more than pay.complete"),
        ("screened_out = 0.20", "screened_out = -1", "a sum of money"),
        ("complete = 2.00", "complete = 0", "pay.complete is 0"),
        ("complete = 2.00", "complete = 2.005", "two places"),
        ("complete = 2.00", "complete = nan", "a sum of money"),
        ('currency = "GBP"', 'currency = "pounds"', "three capital letters, as EUR"),
        ("complete = 2.00", 'complete = "2,00"', "is no number ('2,00'); a number, as 3.00, is needed"),
        ("hold_minutes = 60", "hold_minutes = 1", "hold_minutes"),
        ("[pay]", '[recruitment]\nparticipant = "P ID"\n[pay]', "name of a link's parameter"),
        ("[pay]", '[recruitment]\nparticipant = "STUDY_ID"\n[pay]', "names of their own"),
        ("[pay]", '[recruitment]\nreturn_to = "http://x.example/{code}"\n[pay]', "begin with https://"),
        ("[pay]", '[recruitment]\nreturn_to = "https://x.example/"\n[pay]', "hold {code}"),
        ("[pay]", "[pay", "study.toml"),
    ],
)
def test_a_slip_is_one_line_that_names_it(study_file, old, new, why):
    with pytest.raises(UsageError) as problem:
        read(study_file(change=swap(old, new)))
    assert why in str(problem.value)
    assert "study.toml" in str(problem.value)
    assert "\n" not in str(problem.value)


def test_two_questions_of_one_name_are_refused(study_file):
    more = '[[screening]]\nname = "hearing"\nquestion = "Again?"\noptions = ["A", "B"]\nadmit = ["A"]\n[[demographics]]'
    with pytest.raises(UsageError, match="2 questions are called hearing"):
        read(study_file(change=swap("[[demographics]]", more)))


@pytest.mark.parametrize("raw", [None, b"", b"\xff\xfe", b"name = 3"])
def test_a_file_that_is_none_is_one_line(tmp_path, raw):
    path = tmp_path / "study.toml"
    if raw is not None:
        path.write_bytes(raw)
    with pytest.raises(UsageError, match=r"study\.toml"):
        read(path)


def test_the_file_in_the_documentation_is_a_study(tmp_path):
    text = (Path(__file__).parents[3] / "docs" / "study.md").read_text(encoding="utf-8")
    (tmp_path / "study.toml").write_text(text.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    found = read(tmp_path / "study.toml")
    assert (found.participants, found.n, len(found.check)) == (300, 10, 1)


def test_what_may_be_left_out_is_left_out(study_file):
    def change(text):
        head, rest = text.split("[[screening]]")
        return head + rest[rest.index("[codes]") :].replace("screened_out", "# screened_out")

    found = read(study_file(change=change))
    assert (found.screening, found.demographics, found.check) == ((), (), ())
    assert found.recruitment.return_to.startswith("https://app.prolific.com/")
    assert found.code("withdrawn") == ""
