"""A reviewed benchmark: what becomes of its items, their ids, and everything beside them."""

import json
import os
import re

import pytest

from audiometry import bench
from audiometry.cli import reviewing
from audiometry.errors import StorageError, UsageError
from audiometry.files import atomic
from audiometry.review.applied import apply
from audiometry.review.review import unreviewed
from audiometry.review.version import with_version

CARD = '# mine\n[benchmark]\nname = "made"\nversion = "3"   # the third\nlicence = "CC0-1.0"\n\n[data.columns]\n{}\n'
MEND = {"verdict": "mend", "question": "What makes this sound?", "option-0": "dog", "option-1": "cat",
        "option-2": "cow", "option-3": "hen"}  # fmt: skip
ANSWER = MEND | {"answer": "hen"}
TEXT = MEND | {"option-1": "a cat", "answer": "cat", "question": "Who makes it?"}
REJECT = {"verdict": "reject", "reason": "several-right", "note": "hen too"}
YES = {"verdict": "approve"}


@pytest.fixture
def judged(begun, make_benchmark):
    """A benchmark that was judged, by item: ``judged([[YES], [REJECT, YES, REJECT]])``; what raters say, in turn."""

    def make(said, rows=None, columns="", mode="approve"):
        rows = rows or [{"id": f"i{n}", "answer": "cat", "extra": {"kept": n}} for n in range(len(said))]
        folder = make_benchmark(rows, card=CARD.format(columns))
        review = begun(folder, raters=max(1, *map(len, said)), mode=mode)
        with review.desk() as desk:
            for unit in desk.units.values():
                for n, one in enumerate(said[int(unit.item.id[1:])]):
                    at = desk.order(unit, f"r{n}")  # what is ticked is said in the item's own order
                    ticks = [str(at.index(int(tick))) if tick.isdigit() else tick for tick in one.get("true", ())]
                    desk.put(f"r{n}", unit.key, one | ({"true": ticks} if ticks else {}))
        return folder, review

    return make


def applied(folder, review):
    to = folder.parent / f"{folder.name}-new"
    made = apply(review, bench.load(folder), to)
    lines = [json.loads(line) for line in (to / "metadata.jsonl").read_text().splitlines()]
    return made, to, {line["id"]: line for line in lines}


def test_rejected_items_are_kept_apart_mended_text_gets_a_new_id_and_a_mended_answer_keeps_it(judged):
    folder, review = judged([[YES], [REJECT], [TEXT], [ANSWER], []])
    before = (folder / "metadata.jsonl").read_bytes().splitlines(keepends=True)
    made, to, lines = applied(folder, review)
    after = (to / "metadata.jsonl").read_bytes().splitlines(keepends=True)
    assert (after[0], after[-1]) == (before[0], before[4])  # to the byte
    assert list(lines)[2] == "i3"
    assert lines["i3"] == json.loads(before[3]) | {"answer": "hen"}
    new = made.new_ids["i2"]
    assert made.new_ids.keys() == {"i2"}
    assert lines[new] == json.loads(before[2]) | {
        "id": new, "question": "Who makes it?", "options": ["dog", "a cat", "cow", "hen"], "answer": "a cat"
    }  # fmt: skip
    (rejected,) = [json.loads(line) for line in (to / "build" / "rejected.jsonl").read_text().splitlines()]
    assert (rejected["rule"], rejected["by"], rejected["item"]["id"]) == ("review", "r0", "i1")
    assert rejected["reason"] == "More than one option is right: hen too"
    assert (made.n_items, made.n_rejected, made.n_text_mended, made.n_answer_mended, made.n_unreviewed) == (
        4,
        1,
        1,
        1,
        1,
    )
    assert made.version == "3-reviewed.1"
    assert (to / "benchmark.toml").read_text() == CARD.format("").replace('"3"', '"3-reviewed.1"')
    assert sorted(path.name for path in (to / "audio").iterdir()) == [f"{n:05}.wav" for n in (0, 2, 3, 4)]
    assert before == (folder / "metadata.jsonl").read_bytes().splitlines(keepends=True)


def test_the_new_version_knows_what_was_reviewed_and_its_review_goes_on(judged, begun):
    folder, review = judged([[YES], [TEXT], []])
    assert unreviewed(bench.load(folder)) == (1, 3)
    _, to, _ = applied(folder, review)
    loaded = bench.load(to)
    assert unreviewed(loaded) == (1, 3)
    more = begun(to)
    with more.desk() as desk:
        assert desk.next("ben").item.id == "i2"
        desk.put("ben", desk.next("ben").key, REJECT)
    assert unreviewed(loaded) == (0, 3)
    made = apply(more, loaded, to.parent / f"{to.name}-er")
    assert (made.version, made.n_rejected, made.n_unreviewed) == ("3-reviewed.2", 1, 0)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ([REJECT], True),
        ([REJECT, YES, YES], True),
        ([REJECT, REJECT, YES], False),
        ([REJECT, YES], False),
        ([YES, YES, TEXT], True),
    ],
)
def test_most_decide_and_of_a_tie_the_more_cautious(judged, said, left):
    folder, review = judged([said, [YES, YES]])
    made, _, lines = applied(folder, review)
    assert ("i0" in lines) is left
    assert made.n_waiting == (len(said) == 1) + (len(said) == 3)  # of three that were asked for, two have come


@pytest.mark.parametrize(
    ("said", "stands", "by"),
    [
        ([YES, ANSWER, ANSWER], ("What makes this sound?", "hen"), {"r1", "r2"}),
        ([ANSWER, ANSWER, MEND | {"answer": "cow"}], ("What makes this sound?", "hen"), {"r0", "r1"}),
        (
            [YES, ANSWER, MEND | {"answer": "cow"}],
            ("What makes this sound?", "cat"),
            {"r0", "r1", "r2"},
        ),  # no such word
        ([ANSWER, MEND | {"question": "Who?", "answer": "cat"}], ("Who?", "hen"), set()),  # nobody has said all of it
    ],
)
def test_nobody_is_said_to_approve_what_they_have_not_said(judged, said, stands, by):
    folder, review = judged([said])
    made, to, lines = applied(folder, review)
    (line,) = lines.values()
    assert (line["question"], line["answer"]) == stands
    path = to / "review" / "answers.jsonl"
    held = [json.loads(one) for one in path.read_text().splitlines()] if path.exists() else []
    assert {one["rater"] for one in held} == by
    assert made.n_waiting == (stands[1] == "cat")
    assert made.n_unreviewed == (not by)


def test_what_others_built_is_carried_on(judged):
    folder, review = judged([[REJECT], [YES]])
    (folder / "ATTRIBUTION.md").write_text("thanks")
    (folder / "croissant.json").write_text("{}")
    (folder / "build").mkdir()
    (folder / "build" / "rejected.jsonl").write_text('{"rule":"missing","reason":"gone"}\n')
    _, to, _ = applied(folder, review)
    assert (to / "ATTRIBUTION.md").read_text() == "thanks"
    assert not (to / "croissant.json").exists()  # it tells of the old version
    assert len((to / "build" / "rejected.jsonl").read_text().splitlines()) == 2
    assert len((folder / "build" / "rejected.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("answer_is", "right", "mended"), [("letter", "B", "D"), ("index", "1", "3"), ("number", "2", "4")]
)
def test_a_mended_answer_is_named_as_the_benchmark_names_it(judged, answer_is, right, mended):
    rows = [{"id": f"i{n}", "answer": right} for n in range(2)]
    folder, review = judged([[ANSWER], [YES]], rows, f'answer_is = "{answer_is}"')
    _, to, lines = applied(folder, review)
    assert lines["i0"]["answer"] == mended
    assert [item.answer for item in bench.load(to)] == ["hen", "cat"]


def test_it_goes_where_nothing_is_and_half_of_it_is_never_left(judged, monkeypatch, tmp_path):
    folder, review = judged([[YES]])
    loaded = bench.load(folder)
    with pytest.raises(UsageError, match="is there already"):
        apply(review, loaded, folder)
    monkeypatch.setattr(atomic, "write_records", lambda *_: (_ for _ in ()).throw(StorageError("full")))
    with pytest.raises(StorageError):
        apply(review, loaded, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("card", "after"),
    [
        ('[benchmark]\nname = "a"\n', '[benchmark]\nversion = "2"\nname = "a"\n'),
        ("[benchmark]\nversion = '1'\n[[task]]\nname = \"version = x\"\n",
         '[benchmark]\nversion = "2"\n[[task]]\nname = "version = x"\n'),
        ('[data]\nsource = "folder"\n', '[benchmark]\nversion = "2"\n[data]\nsource = "folder"\n'),
    ],
)  # fmt: skip
def test_a_card_says_its_version(card, after):
    assert with_version(card.encode(), "2").decode() == after


def test_the_command_applies_and_a_run_says_what_is_unreviewed(judged, cli, tmp_path):
    folder, _ = judged([[YES], [REJECT], []])
    to = tmp_path / "new"
    said = cli("review", folder, "--apply", "-o", to)
    assert said.code == 0
    first, last = said.out.splitlines()
    assert first == ("2 items, 1 rejected; of 0 the text is mended (they have new ids), of 0 the answer; 1 unreviewed.")
    assert last == f"Version 3-reviewed.1 in {to}; next: audiometry check {to}"
    ran = cli("run", to, "--model", "scripted/oracle", "-o", tmp_path / "run", "--no-probe")
    assert f"made: 1 of 2 items (50.0 %) are unreviewed; audiometry review {to}" in ran.err
    assert cli("review", folder, "--apply").code == 2
    assert "say with -o where to" in cli("review", folder, "--apply").err
    assert cli("review", folder, "--apply", "-o", tmp_path / "b", "--json").json["version"] == "3-reviewed.1"


def test_what_is_unreviewed_is_said_with_every_score_as_the_review_goes_on(judged, begun, cli, tmp_path):
    folder, _ = judged([[YES], [], []])
    run, page = tmp_path / "run", tmp_path / "page.html"
    ran = cli("run", folder, "--model", "scripted/oracle", "-o", run, "--no-probe", "--json")
    assert ran.json["unreviewed"] == {"n_items": 2, "of": 3}
    assert "2 of 3 items (66.7 %) are unreviewed." in cli("score", run).err
    with begun(folder).desk() as desk:
        desk.put("ben", desk.next("ben").key, YES)
    scored = cli("score", run, "--json")
    assert "1 of 3 items (33.3 %) are unreviewed." in scored.err
    assert scored.json["unreviewed"] == {"n_items": 1, "of": 3}
    assert cli("report", run, "-o", page).code == 0
    assert "1 of 3 items (33.3 %) are unreviewed." in re.sub(r"<[^>]+>", "", page.read_text())
    with begun(folder).desk() as desk:
        desk.put("ben", desk.next("ben").key, YES)
    scored = cli("score", run, "--json")
    assert "unreviewed" not in scored.err
    assert scored.json["unreviewed"] == {"n_items": 0, "of": 3}
    (folder / "review" / "answers.jsonl").write_bytes(b"{}\n")
    scored = cli("score", run, "--json")
    assert scored.code == 0
    assert "how much of it is reviewed is not known" in scored.err
    assert "unreviewed" not in scored.json


def test_a_benchmark_that_nobody_reviews_is_not_spoken_of(make_benchmark, cli, tmp_path):
    folder = make_benchmark(2)
    assert unreviewed(bench.load(folder)) is None
    assert "review" not in cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "run", "--no-probe").err
    assert "holds no review" in cli("review", folder, "--apply", "-o", tmp_path / "new").err


def test_suspected_answers_that_most_find_wrong_are_mended_and_the_review_of_before_stays(
    judged, make_run, cli, tmp_path, monkeypatch
):
    folder, _ = judged([[YES], [YES], []])
    monkeypatch.chdir(tmp_path)
    runs = [make_run(folder, {"i0": "hen", "i1": "cat", "i2": "cat"}, model=f"lab/{name}") for name in "ab"]
    review, _ = reviewing.opened(tuple(map(str, runs)), "errata", output=None, sample=None, raters=None, seed=None)
    (unit,) = review.units
    with review.desk() as desk:
        for name in ("anna", "ben"):
            stands = desk.order(unit, name).index(1)
            desk.put(name, unit.key, {"right": str(stands)})
    said = cli("review", *runs, "--mode", "errata", "--apply", "-o", tmp_path / "new", "--json").json
    assert (said["n_answer_mended"], said["n_text_mended"], said["n_rejected"], said["n_unreviewed"]) == (1, 0, 0, 1)
    assert [item.answer for item in bench.load(tmp_path / "new")] == ["hen", "cat", "cat"]
    assert len((tmp_path / "new" / "review" / "errata.jsonl").read_text().splitlines()) == 2
    assert bench.load(folder).items.at(0).answer == "cat"


def test_a_benchmark_is_validated_by_answering(judged):
    right, wrong = {"true": ["1"]}, {"true": ["wrong"]}
    folder, review = judged([[right] * 3, [wrong] * 3, [right]], mode="answer")
    assert unreviewed(bench.load(folder)) == (0, 3)
    made, to, lines = applied(folder, review)
    assert (list(lines), made.n_unreviewed) == (["i0", "i2"], 0)
    assert (to / "review" / "answer" / "answers.jsonl").is_file()
    (rejected,) = [json.loads(line) for line in (to / "build" / "rejected.jsonl").read_text().splitlines()]
    assert rejected["reason"] == "0 of 3 people ticked the right answer"


def test_what_a_page_sends_back_as_it_stood_is_no_change(judged):
    rows = [{"id": "i0", "answer": "cat", "question": "  Who barks?\r\nSay it. "}]
    untouched = MEND | {"question": "Who barks?\nSay it.", "answer": "hen"}
    folder, review = judged([[untouched]], rows)
    made, _, lines = applied(folder, review)
    assert made.new_ids == {}
    assert lines["i0"]["question"] == rows[0]["question"]


def test_a_question_that_only_the_card_words_is_read_as_models_are_asked_it(begun, make_benchmark):
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\nwordings = ["Which animal is it?"]\n'
    folder = make_benchmark([{"id": "a", "question": ""}], card=card)
    with begun(folder).desk() as desk:
        unit = desk.next("anna")
        assert desk.form(unit, "anna").shown[0].text == "Which animal is it?"
        desk.put("anna", unit.key, YES)


def test_nothing_is_written_where_every_item_is_rejected(judged, cli, tmp_path):
    folder, _ = judged([[REJECT], [REJECT]])
    said = cli("review", folder, "--apply", "-o", tmp_path / "new")
    assert said.code == 2
    assert "every item is rejected" in said.err
    assert not (tmp_path / "new").exists()


def test_rows_that_cannot_be_asked_are_carried_on_as_they_are(judged):
    folder, review = judged([[YES], [YES], [YES]])
    lines = (folder / "metadata.jsonl").read_text().splitlines()
    (folder / "metadata.jsonl").write_text("\n".join([*lines[:2], "{not json", "", lines[2]]) + "\n")
    (folder / "audio" / "00001.wav").unlink()
    to = folder.parent / f"{folder.name}-new"
    made = apply(review, bench.load(folder), to)
    assert (to / "metadata.jsonl").read_text() == (folder / "metadata.jsonl").read_text()
    assert made.n_items == 2


def test_a_reference_answer_is_mended_too(begun, make_benchmark):
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\nkind = "open"\n'
    folder = make_benchmark([{"id": "i0", "options": [], "answer": "a dog", "meta": "barks"}], card=card)
    review = begun(folder)
    with review.desk() as desk:
        (unit,) = desk.units.values()
        assert [(part.kind, part.text) for part in desk.form(unit, "r").shown] == [
            ("question", "What makes this sound?"), ("reply", "a dog"), ("more", "barks")
        ]  # fmt: skip
        desk.put("r", unit.key, {"verdict": "mend", "question": unit.item.question, "answer": "a hound"})
    made, _, lines = applied(folder, review)
    assert (lines["i0"]["answer"], made.version, made.new_ids) == ("a hound", "0-reviewed.1", {})


def test_what_is_no_folder_of_its_own_data_is_not_written_anew(begun, cli, make_benchmark, tmp_path):
    folder = make_benchmark(2)
    card = folder / "card.toml"
    data = 'source = "json"\npath = "metadata.jsonl"\n[data.columns]\naudio = "file_name"\n'
    card.write_text(f'[benchmark]\nname = "far"\n[data]\n{data}')
    review = begun(folder)
    review.folder.write_settings(review.settings)
    with pytest.raises(UsageError, match="is no benchmark folder"):
        apply(review, bench.load(card), tmp_path / "new")


def test_clips_are_what_links_lead_to_and_nothing_is_given_away_that_is_not_of_it(judged, tmp_path):
    folder, review = judged([[YES], [YES], [YES]])
    for n, kept in enumerate(sorted((folder / "audio").iterdir())):
        kept.rename(folder.parent / f"kept{n}.wav")
        kept.symlink_to(f"../../kept{n}.wav" if n else folder.parent / "kept0.wav")
    for name in (".env", ".git/config", "runs/a/run.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("secret")
    to = tmp_path / "far" / "away" / "new"
    assert apply(review, bench.load(folder), to).n_items == 3
    assert [path.read_bytes()[:4] for path in sorted((to / "audio").iterdir())] == [b"RIFF"] * 3
    assert sorted(path.name for path in to.iterdir()) == ["audio", "benchmark.toml", "metadata.jsonl", "review"]
    assert [path.name for path in to.parent.iterdir()] == ["new"]


def test_a_new_version_is_there_whole_or_not_at_all(judged, monkeypatch, tmp_path):
    folder, review = judged([[YES], [YES]])
    to, link = tmp_path / "new", os.link

    def killed(*of):
        assert not to.exists()
        raise KeyboardInterrupt

    monkeypatch.setattr("os.link", killed)
    with pytest.raises(KeyboardInterrupt):
        apply(review, bench.load(folder), to)
    (tmp_path / ".new.half").mkdir()  # of one that was killed
    (tmp_path / ".new.half" / "metadata.jsonl").write_text("{}")
    monkeypatch.setattr("os.link", link)
    assert apply(review, bench.load(folder), to).n_items == 2
    assert sorted(path.name for path in (to / "audio").iterdir()) == ["00000.wav", "00001.wav"]


def test_what_nobody_has_said_of_what_is_there_makes_no_new_version(judged, tmp_path):
    folder, _ = judged([[YES]])
    path = folder / "metadata.jsonl"
    path.write_text(path.read_text().replace("What makes", "What now makes"))
    review, benchmark = reviewing.opened((str(folder),), "", output=None, sample=None, raters=None, seed=None)
    with pytest.raises(UsageError, match="nothing to apply"):
        apply(review, benchmark, tmp_path / "new")


def test_clips_are_copied_where_they_cannot_be_linked(judged, monkeypatch):
    folder, review = judged([[YES], [YES]])
    monkeypatch.setattr("os.link", lambda *_: (_ for _ in ()).throw(OSError(1, "not permitted")))
    _, to, _ = applied(folder, review)
    one = to / "audio" / "00000.wav"
    assert one.read_bytes() == (folder / "audio" / "00000.wav").read_bytes()
    assert one.stat().st_nlink == 1
