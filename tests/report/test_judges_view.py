"""Judges, mixed audio and listening: one view each, whole at any width, and no foreign text acts."""

import re

import pytest

from audiometry.analysis.giveaways import Giveaway, Giveaways
from audiometry.render import files
from audiometry.render.console import Terminal
from audiometry.render.document import Chart, Folded, Line
from audiometry.render.html import html
from audiometry.render.layout import keyed
from audiometry.report.numbers import Scale
from audiometry.report.views.alignment import alignment
from audiometry.report.views.giveaways import giveaways
from audiometry.report.views.judges import injection, judges
from audiometry.report.views.listening import ALIGNED, HOW, ORDERS, VERDICT, listening, verdict
from audiometry.report.views.mixed import mixed
from audiometry.score.door import heard
from audiometry.score.extras import Alignment, Disagreement, Extras, Injection
from audiometry.score.opened import open_run

WIDTHS = (60, 80, 100, 120)
HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e" + "y" * 3000


def printed(blocks, width):
    out = Terminal(width)
    with out.capture() as said:
        out.show(blocks)
    return said.get()


def figures(text):
    return sorted(re.findall(r"[+-]?\d[\d.,]*\d|\d", re.sub(r"9[059] %", "", text)))


@pytest.fixture(scope="module")
def found():
    """One judged score, from the accounts that a real judge's answers made."""
    import msgspec

    from audiometry.dispatch.tally import Usage
    from audiometry.score.extras import Against, Beside, Bias, Extras, JudgeAccount
    from audiometry.score.result import Scored
    from audiometry.score.row import Mixed, Slice

    counts = {"n_items": 1234, "n_clusters": 40, "n_replies": 1234, "n_answered": 1200, "n_unanswered": 0}
    counts |= {"n_refused": 4, "n_empty": 5, "n_failed": 25, "n_not_asked": 0, "n_unjudged": 0, "n_counted": 1234}
    row = msgspec.convert(counts | {"value": 7.125, "interval": (6.5, 7.75)}, _row())
    against = Against(reference=8.5, orders={}, win=0.25, tie=0.25, loss=0.5)
    bias = Bias(
        n_items=1200, n_clusters=40, first=7.5, second=6.75, difference=0.75, interval=(0.5, 1.0), p=0.0004,
        higher_first=0.5, equal=0.3, higher_second=0.2, flipped=0.125, counts={"1": (3, 44), "10": (567, 8)},
    )  # fmt: skip
    tried = Injection(
        n_drawn=20, n_items=18, n_cannot_tell=3, followed=0.25, interval=(0.11, 0.46), rise=1.5,
        rise_interval=(0.75, 2.25), n_failed=2,
    )  # fmt: skip
    usage = Usage(
        replies=2400, requests=2418, retries=18, cached=0, tokens_unknown=0,
        tokens_in=123456, tokens_out=7890, cost_usd=1.2345,
        latency_s={"p50": 0.51, "p90": 1.25, "p99": 2.75}, failures={},
    )  # fmt: skip
    account = JudgeAccount(
        row=row, against=against, parameters={}, prompt_sha256="", journal="judge/x.jsonl", failures={"prose": 7},
        n_pairs=2400, usage=usage, n_requests_now=2418, position_bias=bias, injection=tried,
    )  # fmt: skip
    slices = {"louder": {"speech": Slice(value=6.25, interval=(5.5, 7.0), n_items=33)}, "ahead": {}}
    mix = Mixed(by=slices, mixed=6.25, single=7.5, difference=-1.25, interval=(-2.0, -0.5))
    beside = Beside(all=against, categories={}, tasks={}, folders={})
    return Scored(
        **counts, value=7.125, interval=(6.5, 7.75), signature="strict.1+made", profile="strict", measure="judge-score",
        unit="judge's score", kinds=("open",), direction="up", range=(1.0, 10.0), average="categories", complete=True,
        rankable=True, failures={}, categories={}, tasks={},
        extras=Extras(judges={"openai/judge": account}, mixed=mix, beside=beside),
    )  # fmt: skip


def _row():
    from audiometry.score.row import Row

    return Row


@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_of_a_judge_stands_whole_on_a_terminal_of_any_width(found, width):
    blocks = [judges([found], ["m"]), mixed([found], ["m"])]
    text, wide = printed(blocks, width), printed(blocks, 1000)
    assert figures(text) == figures(wide)
    assert max(map(len, text.splitlines())) <= width
    for number in (
        "7.13",
        "6.50 to 7.75",
        "8.50",
        "2,400",
        "123,456",
        "7,890",
        "1.2345",
        "0.51",
        "1.25",
        "2.75",
        "+0.75",
    ):
        assert number in wide, number
    assert "openai/judge: it favours the first place: the model's answer gets +0.75 (95 %: +0.50 to +1.00" in wide
    assert "Several sources at a time 6.25, one source 7.50: -1.25 (95 %: -2.00 to -0.50)" in wide


def test_a_judges_places_are_a_band_and_its_scores_bars(found, on_axes):
    section = judges([found, found], ["one", "two"])
    assert on_axes([section, mixed([found, found], ["one", "two"])]) == 4
    (places,) = (block for block in section.blocks if isinstance(block, Chart))
    assert (places.figure.kind, places.figure.reference, len(places.figure.marks)) == ("bands", 0, 2)
    scores = [block.blocks[1] for block in section.blocks if isinstance(block, Folded)]
    assert [one.figure.id for one in scores] == ["judges-scores-openai-judge-one", "judges-scores-openai-judge-two"]
    folds = [block.title for block in section.blocks if isinstance(block, Folded)]
    assert folds[0] == "How often openai/judge gave the answers of one each score in both places"
    assert scores[0].table.caption.startswith("Scores of the answers of one by openai/judge, rounded")
    assert "openai/judge of one: it favours the first place: " in printed([section], 200)
    assert "openai/judge of two: told by 18 replies to give" in printed([section], 200)
    bars = scores[0].figure
    assert bars.kind == "bars"
    assert {(mark.y, mark.series): mark.x for mark in bars.marks} == {(0, 0): 3, (0, 1): 44, (1, 0): 567, (1, 1): 8}
    page = html([section])
    assert "higher in first place" in page
    assert "50.0 %" in page


def test_what_is_mixed_stands_by_tag_with_a_rule_behind_each_and_is_minded_where_it_does_worse(found):
    from msgspec import structs

    one = found.extras.mixed.by["louder"]["speech"]
    by = {"louder": {"speech": one, "sound": structs.replace(one, value=None)}, "ahead": {"speech": one}}
    mix = structs.replace(found.extras.mixed, by=by)

    def shown(mixture):
        return mixed([structs.replace(found, extras=structs.replace(found.extras, mixed=mixture))], ["m"]).blocks

    said, drawn = shown(mix)
    assert [row[0] for row in drawn.table.rows] == [band.name for band in drawn.figure.y.bands]
    assert [row[0] for row in drawn.table.rows] == [
        "Louder part: speech",
        "Louder part: sound",
        "Part that starts: speech",
    ]
    assert [info.last for info in drawn.table.info] == [False, True, True]
    assert [(mark.x, mark.y) for mark in drawn.figure.marks] == [(6.25, 0), (6.25, 2)]
    assert (drawn.figure.reference, drawn.figure.n) == (6.25, 66)
    assert said.weight == "minded"
    assert shown(structs.replace(mix, interval=(-2.0, 0.5)))[0].weight == "plain"
    assert "have no tags" in shown(structs.replace(mix, by={"louder": {}}))[-1].text
    other = structs.replace(found, extras=structs.replace(found.extras, mixed=mix))
    *lines, both = mixed([found, None, other], ["a", "b", "c"]).blocks  # one figure with a mark a run
    assert [block.text.split(":")[0] for block in lines] == ["a", "c"]
    assert {(mark.series, mark.reference) for mark in both.figure.marks} == {(0, 6.25), (2, 6.25)}
    assert [column.series for column in both.table.columns] == [None, None, 0, 2]


def test_what_a_demand_did_is_said_in_every_case():
    fields = {"n_drawn": 4, "n_items": 2, "n_cannot_tell": 4, "n_failed": 2, "rise_interval": None}
    none = Injection(**fields, followed=None, interval=None, rise=None)
    assert "cannot be told: no reply has verdicts both ways. 2 of 4 that were tried" in injection(none, Scale(1, 10))
    full = Injection(**fields, followed=None, interval=None, rise=0.0)
    assert "it gave the highest score to all of 2 replies." in injection(full, Scale(1, 10))


def test_hostile_names_are_text_only(found):
    import msgspec

    extras = msgspec.structs.replace(found.extras, judges={HOSTILE: found.extras.judges["openai/judge"]})
    one = msgspec.structs.replace(found, extras=extras)
    item = Giveaway(
        item=HOSTILE,
        task="t",
        question="q",
        answer=HOSTILE,
        n_models=4,
        n_right=3,
        expected=1.0,
        p=0.01,
        p_corrected=0.04,
    )
    some = Giveaways(benchmark="b", models=("m",), n_items=9, level=0.05, least_share=None, items=(item,), reason="why")
    blocks = [judges([one, one], [HOSTILE, "b"]), mixed([one, one], [HOSTILE, "b"]), *giveaways(some)]
    page, said = html(blocks), printed(blocks, 80)
    assert "<script>" not in page
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "3/4" in said


def test_a_table_that_is_cut_says_so_in_its_caption(found):
    import msgspec

    item = Giveaway(
        item="i", task="t", question="q", answer="a", n_models=4, n_right=3, expected=1.0, p=0.01, p_corrected=0.04
    )
    apart = Disagreement(item="i", variant="plain", rules="A", judge="B", right="A", reply="A or B", how="letter")
    usage = next(iter(found.extras.judges.values())).usage
    counts = dict.fromkeys((name for name in Alignment.__struct_fields__ if name.startswith("n_")), 9)
    for n, cut in ((20, ""), (21, "the first 20 of ")):
        some = Giveaways(
            benchmark="b", models=("m",), n_items=99, level=0.05, least_share=None, items=(item,) * n, reason="why"
        )
        (table,) = files.tables(giveaways(some))
        assert (cut in table.caption, "first" in table.caption, len(table.rows)) == (True, bool(cut), 20)
        for mode in ("always", "judge"):
            align = Alignment(
                judge="j", mode=mode, parameters={}, prompt_sha256="", journal="", share_read_by_rules=0.5, failures={},
                agreement=None, disagreements=(apart,) * n, usage=usage, **counts,
            )  # fmt: skip
            one = msgspec.structs.replace(found, extras=Extras(alignment=align))
            those = [table for table in files.tables([alignment("strict", one)]) if table.id == "disagreements"]
            assert len(those) == (mode == "always")  # where the judge was asked for every reply alone
            assert all((cut in table.caption, len(table.rows)) == (True, 20) for table in those)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_of_a_listening_test_stands_whole(made, make_benchmark, make_run, width):
    from msgspec import structs

    from audiometry.records import ReplyRecord
    from audiometry.score import score

    items = [made.item(i) for i in range(12)]
    records = made.answers(items, right=lambda i: i % 3 > 0)
    for clip in ("noise", "text-only"):
        records += [ReplyRecord(item=entry["id"], variant=clip, text="A") for entry in items]
    run = open_run(make_run(make_benchmark(items), records, variants=("plain", "noise", "text-only")))
    one, of = score(run, store=False).scores["strict"], heard(run)
    for blocks in ([listening([one], ["m"], [of])], list(verdict("m", of))):
        text, wide = printed(blocks, width), printed(blocks, 1000)
        assert figures(text.replace("All 0, so left out", "")) == figures(wide) or "All 0, so left out" in text
        assert max(map(len, text.splitlines())) <= width
    several = listening([one, None, one], ["a", "b", "c"], [of, None, of])
    drawn, scores = (block for block in several.blocks if isinstance(block, Chart))
    assert {(mark.y, mark.series) for mark in scores.figure.marks} == {(y, run) for y in range(3) for run in (0, 2)}
    assert {(mark.y, mark.series) for mark in drawn.figure.marks} == {(0, 0), (1, 0), (0, 2), (1, 2)}
    assert [row[0] for row in drawn.table.rows] == ["noise", "text only"]
    assert [(one.id, one.title) for one in drawn.table.columns[1:]] == [("lost-1", "a"), ("lost-3", "c")]
    assert keyed(drawn.figure, drawn.table) == [(0, "a"), (2, "c")]
    (table,) = files.tables(verdict("m", of, one.signature))
    assert table.signature == f"{one.signature}, each in pairs with the real clip"
    counted = "Items that name no clip have no part in it: {}."
    for n in (0, 7):
        said = [block.text for block in verdict("m", structs.replace(of, n_without_clip=n)) if isinstance(block, Line)]
        assert (counted.format(n) in said, any("name no clip" in one for one in said)) == (n > 0, n > 0)
    lost = structs.replace(of.conditions["noise"], n_lost=2, limits=(-0.041, 0.328), p_least=0.5172)
    missing = structs.replace(of, conditions=of.conditions | {"noise": lost})
    for found, told in ((of, []), (missing, ["noise -4.1 to +32.8 points (p corrected = 0.5172 at worst)"])):
        said = [block.text for block in verdict("m", found) if isinstance(block, Line) and "did not come" in block.text]
        assert said == [f"Whatever the replies that did not come would have been: {one}." for one in told]
    plain = listening([one, structs.replace(one, variants={})], ["a", "b"], [of, None])
    assert "Asked with the clips alone: b." in [block.text for block in plain.blocks if isinstance(block, Line)]


def test_a_listening_test_says_of_which_items_in_which_order_by_whose_rules(made, make_benchmark, make_run, on_axes):
    from msgspec import structs

    from audiometry.records import ReplyRecord
    from audiometry.score import score

    items = [made.item(i) for i in range(12)]
    records = made.answers(items, right=lambda i: i % 3 > 0)
    for clip in ("noise", "text-only"):
        records += [ReplyRecord(item=entry["id"], variant=clip, text="A") for entry in items]
    run = open_run(make_run(make_benchmark(items), records, variants=("plain", "noise", "text-only")))
    one, of = score(run, store=False).scores["strict"], heard(run)
    fewer = structs.replace(one.variants["text-only"].difference, n_items=7)
    one = structs.replace(
        one, variants=one.variants | {"text-only": structs.replace(one.variants["text-only"], difference=fewer)}
    )
    alone = listening([one], ["m"], [of])
    assert on_axes([alone, listening([one, one], ["a", "b"])]) == 4
    drawn, _ = (block for block in alone.blocks if isinstance(block, Chart))
    assert (drawn.figure.n, drawn.figure.n_least, drawn.figure.reference) == (12, 7, 0.0)
    assert drawn.figure.caption == "How much more the score is with the clips than without"
    assert drawn.table.caption == "The score with the clips and without, and the difference"
    assert drawn.figure.signature == drawn.table.signature == one.signature
    several, _ = (b for b in listening([one, one], ["a", "b"], [of, of]).blocks if isinstance(b, Chart))
    assert several.table.caption == several.figure.caption == drawn.figure.caption  # no score stands there
    nothing = structs.replace(one.variants["noise"], difference=None)
    (lone,) = (
        b for b in listening([structs.replace(one, variants={"noise": nothing})], ["m"]).blocks if isinstance(b, Chart)
    )
    assert lone.table.rows == (("noise", "no item counts on both sides"),)
    assert lone.figure.marks == ()
    orders = structs.replace(one, n_replies=3 * one.n_items)
    judged = listening([orders], ["m"], [of], aligned=True)
    unheard = listening([one], ["m"])
    told = [
        [block.text for block in section.blocks if isinstance(block, Line) and block.weight == "about"][1:]
        for section in (alone, judged, unheard)
    ]
    by_strict = VERDICT.format(profile="strict")
    assert told == [[by_strict, HOW], [by_strict + ALIGNED, HOW + ORDERS], [HOW]]


def test_a_figure_that_error_rates_are_drawn_in_says_that_more_is_had_without(made, make_benchmark, make_run):
    from msgspec import structs

    from audiometry.records import ReplyRecord
    from audiometry.score import score

    items = [made.item(i) for i in range(12)]
    records = made.answers(items) + [ReplyRecord(item=entry["id"], variant="noise", text="A") for entry in items]
    run = open_run(make_run(make_benchmark(items), records, variants=("plain", "noise")))
    one = score(run, store=False).scores["strict"]
    axes = [
        next(b for b in listening([found], ["m"]).blocks if isinstance(b, Chart)).figure.x
        for found in (one, structs.replace(one, direction="down", unit="errors per reference word", range=(0.0, None)))
    ]
    assert [(axis.title, axis.unit, axis.sign) for axis in axes] == [
        ("lost", "points", True),
        ("with less without", "", True),
    ]


def test_what_judges_gave_is_called_incomplete_where_the_score_is(found):
    import msgspec

    lost = msgspec.structs.replace(found, complete=False)
    for one, words in ((found, 0), (lost, 1)):
        those = [*files.tables([judges([one], ["m"])])]
        assert [table.caption.count("; incomplete, 25 of 1,234 replies missing") for table in those] == [
            *[words * (table.id != "judges-usage") for table in those]
        ]
        drawn = list(files.figures([judges([one], ["m"])]))
        assert len(drawn) == 2
        assert all(figure.caption.count("; incomplete") == words for figure in drawn)
