"""Wordings that a model wrote, before people: which are kept, what items ask in place of the others, and by whom."""

import json

import msgspec
import pytest

from audiometry import bench
from audiometry.cli import reviewing
from audiometry.files.build_folder import BuildInfo
from audiometry.review import sources
from audiometry.review.applied import apply
from audiometry.review.review import unreviewed
from audiometry.review.rewording import MOST

GIVEN = ("Which animal is heard?", "Name the animal.")
PEN = {"model": "served/pen", "prompt": "abc"}
YES, NO = {"verdict": "approve"}, {"verdict": "reject", "reason": "repeated", "note": "as the first"}


@pytest.fixture
def built(make_benchmark):
    """A build whose writer wrote some wordings: ``built(("Who is it?", …), given=…)``; every wording has an item."""

    def make(written, given=GIVEN, value="", more=()):
        wordings = (*given, *written)
        rows = []
        for n, text in enumerate((*wordings, *more)):
            by = {f"question_{key}": said for key, said in PEN.items()} if text in written else {}
            rows.append({
                "id": f"i{n}", "task": "animals", "question": text.replace("{label}", value), "answer": "dog",
                "tags": {"word": value, "n": n}, "provenance": {"make": "label", **by},
            })  # fmt: skip
        folder = make_benchmark(rows)
        (folder / "build").mkdir()
        (folder / "build" / "spec.toml").write_text("")
        info = BuildInfo(
            benchmark="made", version="1", seed=5, audiometry="0", spec_sha256="", sources=(), clips=len(rows),
            items={"animals": len(rows)}, rejected={"missing": 1}, wordings={"animals": wordings},
            written={"animals": dict.fromkeys(written, PEN)},
        )  # fmt: skip
        (folder / "build" / "build.json").write_bytes(msgspec.json.encode(info))
        return folder

    return make


def judge(folder, said, items=None, raters=("anna",)):
    """Have raters say the same: of wordings by their text, of items by their id."""
    given = {"output": None, "sample": None, "raters": len(raters), "seed": None}
    review, benchmark = reviewing.opened((str(folder),), "", **given)
    with review.desk() as desk:
        for unit in desk.units.values():
            answer = said.get(unit.item.question) if unit.given else (items or {}).get(unit.item.id)
            for rater in raters if answer else ():
                desk.put(rater, unit.key, answer)
    return review, benchmark


def applied(folder, *judged):
    review, benchmark = judge(folder, *judged)
    to = folder.parent / f"{folder.name}-new"
    made = apply(review, benchmark, to)
    lines = [json.loads(line) for line in (to / "metadata.jsonl").read_text().splitlines()]
    return made, to, lines, json.loads((to / "build" / "build.json").read_text())


def test_wordings_come_before_items_each_with_its_examples(built):
    folder = built(("Who calls?", "What makes this sound?"))
    review, _ = judge(folder, {})
    with review.desk() as desk:
        first = [desk.next("anna")]
        desk.put("anna", first[0].key, YES)
        first.append(desk.next("anna"))
        assert sorted(unit.item.question for unit in first) == ["What makes this sound?", "Who calls?"]
        form = desk.form(first[1], "anna")
        assert form.shown[0].text == first[1].item.question
        assert [one.text for one in form.shown[1].options] == list(GIVEN)
        assert [field.name for field in form.fields] == ["verdict", "question", "reason", "note"]
        desk.put("anna", first[1].key, NO)
        assert not desk.next("anna").given
    assert unreviewed(bench.load(folder)) == (4, 4)  # of items


def test_what_is_kept_is_asked_in_place_of_what_is_not(built):
    folder = built(("Who calls?", "What makes this sound?", "Say its name."))
    said = {"Who calls?": NO, "What makes this sound?": YES | {"verdict": "mend", "question": "What sounds like this?"}}
    made, to, lines, info = applied(folder, said, {f"i{n}": YES for n in range(5)})
    assert info["wordings"]["animals"] == [*GIVEN, "What sounds like this?", "Say its name."]
    assert info["written"]["animals"] == {"What sounds like this?": PEN | {"mended": "anna"}, "Say its name.": PEN}
    before = [json.loads(line) for line in (folder / "metadata.jsonl").read_text().splitlines()]
    assert lines[:2] == before[:2]
    assert lines[4] == before[4]
    other, changed = lines[2:4]
    assert other["question"] in info["wordings"]["animals"]
    assert other["id"] != "i2"
    assert other["provenance"]["make"] == "label"
    assert ("question_model" in other["provenance"]) == (other["question"] not in GIVEN)
    assert (changed["question"], changed["provenance"]["question_mended"]) == ("What sounds like this?", "anna")
    assert changed["provenance"]["question_model"] == "served/pen"
    assert (made.n_items, made.n_rejected, made.n_reworded, made.n_wordings, made.n_text_mended) == (5, 0, 2, 2, 0)
    assert set(made.new_ids) == {"i2", "i3"}
    assert made.n_unreviewed == 2  # their words are others than those that were approved
    (gone,) = [json.loads(line) for line in (to / "build" / "rejected.jsonl").read_text().splitlines()]
    assert (gone["where"], gone["reply"], gone["by"]) == ("a wording", "Who calls?", "anna")
    assert gone["reason"] == "It hardly differs from another one: as the first"
    assert info["rejected"] == {"missing": 1, "review": 1}


def test_the_review_of_wordings_goes_on_in_the_new_version(built):
    folder = built(("Who calls?", "What makes this sound?", "Say its name."))
    _, to, *_ = applied(
        folder, {"Who calls?": YES, "Say its name.": YES | {"verdict": "mend", "question": "Tell its name."}}
    )
    review, benchmark = judge(to, {})
    answers = review.answers()
    judged = {unit.item.question: answers.n(unit.key) for unit in sources.wordings(benchmark)}
    assert judged == {"Who calls?": 1, "What makes this sound?": 0, "Tell its name.": 1}
    assert answers.passed_over == 0


def test_an_items_own_mending_counts_before_its_wordings(built):
    folder = built(("Who calls?",))
    own = {"verdict": "mend", "question": "Who barks?", "option-0": "dog", "option-1": "cat", "option-2": "cow",
           "option-3": "hen", "answer": "dog"}  # fmt: skip
    made, _, lines, _ = applied(folder, {"Who calls?": NO}, {"i2": own})
    assert lines[2]["question"] == "Who barks?"
    assert (made.n_text_mended, made.n_reworded, made.n_unreviewed) == (1, 0, 2)


def test_at_most_fifty_are_kept_those_that_people_approved_first(built):
    written = tuple(f"Wording {n} of it?" for n in range(MOST + 3))
    folder = built(written)
    _, to, lines, info = applied(folder, dict.fromkeys(written[2:], YES))
    assert info["wordings"]["animals"] == [*GIVEN, *written[2 : MOST + 2]]
    gone = [json.loads(line) for line in (to / "build" / "rejected.jsonl").read_text().splitlines()]
    assert [(one["reply"], one["reason"]) for one in gone] == [
        (text, "50 others are kept") for text in (*written[:2], written[-1])
    ]
    assert {line["question"] for line in lines} <= {*info["wordings"]["animals"]}


def test_without_a_word_about_wordings_all_stay_and_the_items_to_the_byte(built):
    folder = built(tuple(f"Wording {n} of it?" for n in range(MOST + 3)))
    made, to, _, info = applied(folder, {}, {"i0": YES})
    assert (to / "metadata.jsonl").read_bytes() == (folder / "metadata.jsonl").read_bytes()
    assert (made.n_wordings, len(info["wordings"]["animals"])) == (MOST + 3, MOST + 5)


def test_a_place_in_a_wording_is_filled_with_what_the_item_is_about(built):
    given = ("When is '{label}' said?",)
    folder = built(("At which time is {label} heard?", "When comes {label}?"), given, value="yes")
    mend = {"verdict": "mend", "question": "When does one say {label}?"}
    _, _, lines, _ = applied(folder, {"At which time is {label} heard?": NO, "When comes {label}?": mend})
    assert lines[0]["question"] == "When is 'yes' said?"
    assert lines[1]["question"] in {"When is 'yes' said?", "When does one say yes?"}
    assert lines[2]["question"] == "When does one say yes?"
    review, _ = judge(folder, {})
    unit = next(one for one in review.units if one.given)
    for text, why in (("When?", "needs {label} once"), (given[0], "one of the examples"), (unit.question, "nothing")):
        assert why in review.mode.flaw(unit, {"verdict": "mend", "question": text})


def test_what_would_ask_twice_about_a_clip_is_left_out(make_benchmark, built):
    folder = built(("Who calls?",), given=GIVEN[:1])
    lines = [json.loads(line) for line in (folder / "metadata.jsonl").read_text().splitlines()]
    lines[1]["file_name"] = lines[0]["file_name"]
    (folder / "metadata.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    made, to, left, _ = applied(folder, {"Who calls?": NO})
    assert [line["id"] for line in left] == ["i0"]
    assert made.n_rejected == 1
    assert "every other is asked about its clip already" in (to / "build" / "rejected.jsonl").read_text()


def test_the_command_offers_them_and_says_what_it_kept(built, cli, tmp_path):
    folder = built(("Who calls?", "What makes this sound?"))
    judge(folder, {"Who calls?": NO})
    said = cli("review", folder, "--apply", "-o", tmp_path / "new")
    assert said.code == 0, said.err
    assert "1 wording that a model wrote is kept; 1 item asks in other words now." in said.out
    file = tmp_path / "x.jsonl"
    assert cli("review", folder, "--export", file).code == 0
    assert json.loads(file.read_text())["item"].startswith("wording:animals:")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1280, "light")])
def test_a_wording_is_judged_on_the_page(built, visit, axe, width, scheme):
    folder = built(("Who calls?",))
    review, _ = judge(folder, {})
    page, _ = visit(folder, review=review, width=width, scheme=scheme)
    assert page.locator("h1").inner_text() == "Who calls?"
    assert [one.inner_text() for one in page.locator(".shown .options li").all()] == list(GIVEN)
    assert page.locator(".hear").is_hidden()
    assert axe(page) == []
    page.wait_for_timeout(400)
    page.keyboard.press("m")
    page.fill("#question", "Who is calling?")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#far').textContent.startsWith('1 of 4')")
    (answer,) = review.answers()
    assert answer.said == {"verdict": "mend", "question": "Who is calling?"}
