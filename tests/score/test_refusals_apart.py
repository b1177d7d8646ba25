"""A model that declines to state a speaker's sex: its refusals are told apart from errors wherever its score stands."""

import json
import re
import wave
from html import unescape
from urllib.parse import quote

import pytest

DECLINES = "I can't determine a person's sex from their voice."


@pytest.fixture
def voices(tmp_path):
    """A local copy of the set as Common Voice is released: test.tsv beside clips/."""
    folder = tmp_path / "cv"
    (folder / "clips").mkdir(parents=True)
    rows = ["client_id\tpath\tsentence\tage\tgender\taccents"]
    for n in range(24):
        rows.append(f"c{n}\tv{n}.wav\ta sentence\ttwenties\t{('male_masculine', 'female_feminine')[n % 2]}\tUS English")
        with wave.open(str(folder / "clips" / f"v{n}.wav"), "wb") as clip:
            clip.setnchannels(1)
            clip.setsampwidth(2)
            clip.setframerate(16_000)
            clip.writeframes(bytes([n, 1] * 1600))
    (folder / "test.tsv").write_text("\n".join(rows) + "\n")
    return folder


@pytest.fixture
def asked(cli, voices, tmp_path):
    """A run of the set by a model that says these words in turn."""

    def run(name, *said):
        model = f"scripted/constant?text={quote(said[0])}"
        cli("run", "static20/commonvoice-sex", "--data", voices, "--model", model, "-o", tmp_path / name, "--no-probe")
        path = tmp_path / name / "replies.jsonl"
        replies = [json.loads(line) for line in path.read_text().splitlines()]
        others = [one | {"text": said[n % len(said)]} for n, one in enumerate(replies)]
        path.write_text("".join(json.dumps(one) + "\n" for one in others))
        return tmp_path / name

    return run


def one_line(text):
    return " ".join(text.split())


SENTENCE = (
    "Refusals, not errors, are most of what lowers the macro F1 of Speaker's sex (Common Voice) "
    "(100.0 % of 24 replies)."
)


def test_a_model_that_always_declines_shows_its_refusals_in_score_json_and_report(cli, asked, tmp_path):
    run = asked("declines", DECLINES)
    said = cli("score", run)
    assert "refused, %" in one_line(said.out)
    assert SENTENCE in one_line(said.out)
    scored = cli("score", run, "--json").json["scores"]["macro-f1"]
    (task,) = scored["tasks"].values()
    for row in (scored, task):
        assert (row["value"], row["refusal_rate"], row["n_refused"], row["n_unanswered"]) == (0.0, 1.0, 24, 0)
    (found,) = scored["extras"]["confusion"].values()
    assert sum(found["refused"]) == sum(found["without_label"]) == 24
    assert not any(map(any, found["counts"]))
    cli("report", run, "-o", tmp_path / "r.html", "--tables", tmp_path / "t")
    page = (tmp_path / "r.html").read_text()
    assert SENTENCE in one_line(unescape(re.sub(r"<[^>]*>", "", page))).replace("\u00a0", " ")
    assert "refused" in (tmp_path / "t" / "tasks.csv").read_text().splitlines()[0]
    head, *rows = (tmp_path / "t" / "confusion.csv").read_text().splitlines()
    columns = head.split(",")
    assert columns.index("refused") + 1 == columns.index("no label")
    assert [row.split(",")[columns.index("refused")] for row in rows] == ["12", "12"]


def test_a_model_that_errs_and_one_that_says_nothing_of_use_are_not_said_to_refuse(cli, asked):
    for name, words in (("errs", ("Male.", "Male.")), ("vague", ("It is a voice.",))):
        run = asked(name, *words)
        text = one_line(cli("score", run).out)
        assert "Refusals, not errors" not in text
        assert "refused" not in text
        assert cli("score", run, "--json").json["scores"]["macro-f1"]["refusal_rate"] == 0.0


def test_a_few_refusals_among_many_errors_have_their_column_and_no_sentence(cli, asked):
    run = asked("mostly-wrong", "Male.", "Male.", "Male.", "Male.", "Male.", DECLINES)
    text = one_line(cli("score", run).out)
    assert "refused, %" in text
    assert "Refusals, not errors" not in text
    assert cli("score", run, "--json").json["scores"]["macro-f1"]["refusal_rate"] == pytest.approx(4 / 24)


def test_of_several_runs_the_rate_stands_beside_each_number(cli, asked, tmp_path):
    runs = [asked("declines", DECLINES), asked("errs", "Male.")]
    cli("report", *runs, "-o", tmp_path / "r.html", "--tables", tmp_path / "t")
    text = (tmp_path / "t" / "tasks.md").read_text()
    assert "100.0 % refused" in text.replace("\u00a0", " ")
    assert text.count("% refused") == sum("refused" in line for line in text.splitlines())
    assert json.loads((runs[0] / "replies.jsonl").read_text().splitlines()[0])["text"] == DECLINES


def test_a_comparison_with_a_run_that_declines_says_so(cli, asked):
    declines, errs, some = (
        asked("declines", DECLINES),
        asked("errs", "Male."),
        asked("some", DECLINES, "Male.", "Male."),
    )
    said = "declines: 100.0 % of the replies decline, which its score tells of before all else"
    assert said in one_line(cli("compare", errs, declines).out)
    assert "replies decline" not in one_line(cli("compare", errs, some).out)
