"""Verdicts that a run folder holds, used again: nobody is asked, and nothing of them is lost."""

import json

import msgspec
import pytest

from audiometry.errors import StorageError, UnknownNameError, UsageError
from audiometry.score.door import score, scored
from audiometry.score.judge.planning import planned_open
from audiometry.score.judge.settings import JudgeSettings
from audiometry.score.judge.stored import begun, in_common, stored
from audiometry.score.kept import passed_over

ROWS = [
    ("speech_QA", "good [q=9]"),
    ("speech_dialogue_QA", "poor [q=3]"),
    ("sound_QA", "fair [q=6]"),
    ("speech_and_sound_QA", ""),
    ("speech_and_music_QA", {"error": {"kind": "timeout", "message": "late"}}),
]


def _bare(score):
    """A score without what this session took."""
    document = msgspec.to_builtins(score)
    for one in document["scores"].values():
        for judge in one["extras"]["judges"].values():
            judge.pop("n_requests_now")
    return document


def _settings(name="openai/judge-0", **more):
    return {"judges": [JudgeSettings(name=name)], **more}


def test_stored_verdicts_give_the_same_numbers_and_nobody_is_asked(make_open_run, judge_it):
    run = make_open_run(ROWS)
    asked = judge_it(run, {"bias": 1, "says": {"poor [q=3]": "hard to say"}}, names=("all",), injections=2)
    again = score(run, ("all",), **_settings())
    assert _bare(again) == _bare(asked)  # the trial with demands included, though it was not asked for this time
    (judge,) = again.scores["strict"].extras.judges.values()
    assert judge.n_requests_now == 0
    assert judge.injection is not None
    before = {path: path.read_bytes() for path in run.folder.path.rglob("*") if path.is_file()}
    assert _bare(scored(run, planned_open(run, ("all",), stored(run.folder.path)))) == _bare(asked)
    assert {path: path.read_bytes() for path in run.folder.path.rglob("*") if path.is_file()} == before


def test_a_panel_is_put_together_from_what_is_stored(make_open_run, judge_it):
    run = make_open_run(ROWS)
    asked = judge_it(run, {"bias": 1}, {"bias": -1}, panel="median")
    judges = stored(run.folder.path)
    assert [one.name for one in judges] == ["openai/judge-0", "openai/judge-1"]
    assert _bare(scored(run, planned_open(run, (), judges, "median"))) == _bare(asked)
    assert len(scored(run, planned_open(run, (), judges[:1])).scores["strict"].extras.judges) == 1


def test_a_panel_is_one_in_whatever_order_its_judges_are_named(make_open_run, judge_it):
    run = make_open_run(ROWS)
    found = [judge_it(run, {"bias": 1}, {"bias": -1}), score(run, (), judges=judge_it.servers[::-1])]
    one, other = (scores.scores["strict"] for scores in found)
    assert (one.signature, list(one.extras.judges)) == (other.signature, ["openai/judge-0", "openai/judge-1"])
    assert list(other.extras.judges) == list(one.extras.judges)
    assert len(list((run.folder.path / "scores").iterdir())) == 1


def test_a_judge_that_has_not_said_all_is_asked(make_open_run, judge_it):
    run = make_open_run(ROWS)
    judge_it(run, {})
    (judge,) = stored(run.folder.path)
    journal = run.folder.path / judge.journal
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-1]))
    with pytest.raises(UsageError, match="needs a key"):
        score(run, (), **_settings())
    strict = scored(run, planned_open(run, (), [judge])).scores["strict"]
    assert strict.n_unjudged == 1
    assert not strict.complete


def test_a_judge_with_parameters_of_its_own_is_asked_and_not_taken_from_what_is_stored(make_open_run, judge_it):
    run = make_open_run(ROWS)
    judge_it(run, {})
    with pytest.raises(UsageError, match="needs a key"):
        score(run, (), judges=[JudgeSettings(name="openai/judge-0", extra={"top_p": 0.5})])


def test_a_judge_whose_answers_are_gone_is_none_that_a_run_holds(make_open_run, judge_it):
    run = make_open_run(ROWS)
    judge_it(run, {})
    (judge,) = stored(run.folder.path)
    (run.folder.path / judge.journal).unlink()
    assert stored(run.folder.path) == ()


def test_a_judge_of_choices_that_rules_could_all_read_is_held_without_an_answer(make_benchmark, make_run, chat_server):
    run = make_run(make_benchmark(2, clips=False), {"item-00000": "A", "item-00001": "B"})
    server = chat_server(judge="{}")
    score(run, judges=[JudgeSettings(name="openai/mock", base_urls=(server.url,))], align="judge")
    assert not server.log()
    assert [(one.name, one.kind, one.mode) for one in stored(run, "align", "strict")] == [
        ("openai/mock", "align", "judge")
    ]


def test_more_trials_than_are_stored_are_asked_for(make_open_run, judge_it):
    run = make_open_run(ROWS)
    judge_it(run, {}, injections=1)
    assert score(run, (), **_settings(injections=1)).scores["strict"].complete is False
    with pytest.raises(UsageError, match="needs a key"):
        score(run, (), **_settings(injections=3))


def test_the_price_of_that_time_is_kept(make_open_run, judge_it):
    run = make_open_run(ROWS)
    judge_it(run, {})
    (path,) = (run.folder.path / "scores").glob("*.json")
    document = json.loads(path.read_text())
    usage = document["scores"]["strict"]["extras"]["judges"]["openai/judge-0"]["usage"]
    usage["cost_usd"] = 0.25
    path.write_text(json.dumps(document))
    (judge,) = scored(run, planned_open(run, (), stored(run.folder.path))).scores["strict"].extras.judges.values()
    assert judge.usage.cost_usd == 0.25


def test_what_was_begun_only_is_told_apart(make_open_run, judge_it):
    run = make_open_run(ROWS)
    assert stored(run.folder.path) == begun(run.folder.path) == ()
    judge_it(run, {})
    (judge,) = stored(run.folder.path)
    for path in (run.folder.path / "scores").iterdir():
        path.unlink()
    assert stored(run.folder.path) == ()
    assert begun(run.folder.path) == (judge.journal,)


def test_a_judge_that_was_tried_in_vain_leaves_no_mark_unless_asked_for(make_open_run, judge_it):
    run = make_open_run(ROWS)
    judge_it(run, {})
    prose = {reply: "I like both." for _, reply in ROWS[:3]}
    judge_it(run, {}, {"says": prose, "again": prose})
    path = run.folder.path
    good, bad = stored(path)
    assert [one.failed for one in (good, bad)] == [False, True]
    assert in_common({path: (good, bad)}) == (good,)
    assert in_common({path: (good, bad)}, bad.name) == (bad,)
    with pytest.raises(UsageError, match="has not been judged"):
        in_common({path: (bad,)})
    lost = path / "judge" / "chat-lost-01234567.jsonl"
    failed = {"item": "x", "variant": "first", "attempts": 1, "error": {"kind": "timeout", "message": "late"}}
    lost.write_text(json.dumps(failed) + "\n")
    assert begun(path) == ()
    with lost.open("a") as file:
        file.write('{"item": "x", "variant": "first", "attempts": 1, "text": "7 7"}\n')
    assert begun(path) == ("judge/chat-lost-01234567.jsonl",)


def test_a_panel_is_made_only_of_judges_that_were_named_together(make_open_run, judge_it):
    run = make_open_run(ROWS)
    judge_it(run, {})
    judge_it(run, {}, {"bias": 1})
    together = stored(run.folder.path)
    assert in_common({run.folder.path: together}) == together
    apart = [msgspec.structs.replace(one, panels=frozenset({frozenset({one.slug})})) for one in together]
    with pytest.raises(UsageError, match=r"not by all of them together: .* --judge openai/judge-0 --judge openai/jud"):
        in_common({run.folder.path: apart})
    assert in_common({run.folder.path: apart}, apart[1].name) == (apart[1],)


def test_a_judge_that_one_profile_can_read_has_not_failed(make_open_run, judge_it):
    run = make_open_run(ROWS[:3])
    prose = {reply: "I give 7 to one and 8 to the other." for _, reply in ROWS[:3]}
    found = judge_it(run, {"says": prose, "again": prose}, names=("lmms-eval", "strict"))
    assert [one.n_unjudged for one in found.scores.values()] == [0, 3]
    (judge,) = stored(run.folder.path)
    assert not judge.failed


def test_a_judge_whose_answers_are_gone_is_not_stored(make_open_run, judge_it):
    run = make_open_run(ROWS)
    judge_it(run, {})
    (judge,) = stored(run.folder.path)
    (run.folder.path / judge.journal).unlink()
    assert stored(run.folder.path) == ()


def test_a_profile_without_rules_for_open_answers_is_refused_where_all_is_open(make_open_run, judge_it):
    with pytest.raises(UnknownNameError, match="unknown profile for open answers 'evalscope'"):
        judge_it(make_open_run(ROWS), {}, names=("evalscope",))


def test_a_damaged_score_is_named_and_hides_no_other(make_open_run, judge_it):
    run = make_open_run(ROWS)
    judge_it(run, {})
    first = stored(run.folder.path)
    (path,) = (run.folder.path / "scores").glob("*.json")
    judge_it(run, {}, {"bias": 1})
    path.write_text('{"format": 2, "scores": 3}')
    assert stored(run.folder.path)
    assert passed_over(run.folder.path).startswith(
        f"{run.folder.path}: 1 stored score cannot be read (the first: scores/{path.name}: "
    )
    for other in (run.folder.path / "scores").glob("*.json"):
        if other != path:
            other.unlink()
    assert first != stored(run.folder.path) == ()


def test_a_device_in_the_place_of_a_judges_answers_is_told_before_any_is_paid_for(make_open_run, judge_it, chat_server):
    run = make_open_run(ROWS)
    judge_it(run, {})
    (path,) = (run.folder.path / "judge").glob("chat-*.jsonl")
    path.unlink()
    path.symlink_to("/dev/null")
    server = chat_server()
    with pytest.raises(StorageError, match=rf"{path.name} is no file, .*; remove what is there"):
        score(run, judges=[msgspec.structs.replace(judge_it.servers[0], base_urls=(server.url,))])
    assert not server.log()


def test_a_path_out_of_the_folder_is_not_followed(make_open_run, judge_it):
    run = make_open_run(ROWS)
    judge_it(run, {})
    (path,) = (run.folder.path / "scores").glob("*.json")
    path.write_text(path.read_text().replace('"judge/chat-', '"judge/../../chat-'))
    assert stored(run.folder.path) == ()


def test_runs_are_put_together_by_judges_that_they_share_only(make_open_run, judge_it):
    one, two, three = (make_open_run(ROWS) for _ in range(3))
    judge_it(one, {}, {})
    judge_it(two, {})
    held = {run.folder.path: stored(run.folder.path) for run in (one, two, three)}
    slugs = [judge.slug for judge in held[one.folder.path]]
    first, second, none = held
    assert [judge.slug for judge in in_common({first: held[first]})] == slugs
    with pytest.raises(
        UsageError, match=rf"judged differently: .*by openai/judge-0 \({slugs[0]}\).*choose one with --judge {slugs[0]}"
    ):
        in_common({first: held[first], second: held[second]})
    for wanted in (slugs[0], "openai/judge-0"):
        assert in_common({first: held[first], second: held[second]}, wanted) == held[first][:1]
    with pytest.raises(UsageError, match=r"has not been judged; .*audiometry score .* --judge MODEL"):
        in_common({first: held[first], none: held[none]})
    with pytest.raises(UsageError, match=rf"those of openai/judge-0 \({slugs[0]}\)\); .*--judge openai/other"):
        in_common({second: held[second]}, "openai/other")
    other = msgspec.structs.replace(held[second][0], slug="judge-0-ffffffff")
    with pytest.raises(UsageError, match="score them with the same judge, asked alike"):
        in_common({first: (other,), second: held[second]})
    other = msgspec.structs.replace(other, prompt_sha256="0" * 64)
    with pytest.raises(UsageError, match=r"several ways .with other instructions.: choose one with --judge judge-0-"):
        in_common({first: (other, *held[first])})
