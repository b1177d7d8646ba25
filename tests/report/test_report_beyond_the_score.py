"""What a report says beyond the score: others' rules, whether the model listens, whether audio reaches it."""

import re
from html import unescape

import msgspec
import pytest

from audiometry.errors import RunFolderError
from audiometry.records import Failure, ReplyRecord
from audiometry.render.console import console
from audiometry.report import html
from audiometry.report.views.heard import heard
from audiometry.report.views.probe import probe
from audiometry.run.probing import result
from audiometry.run.probing.result import Finding
from audiometry.score import score
from audiometry.score.door import heard as listening
from audiometry.score.opened import open_run
from audiometry.score.profiles import PROFILES
from audiometry.score.ranks import ranked


@pytest.fixture
def items(made):
    return [made.item(i) for i in range(12)]


@pytest.fixture
def bench(items, make_benchmark):
    return make_benchmark(items)


def wordy(made, items):
    """Right replies, of which the rules of others read but some."""
    records = made.answers(items, right=lambda _: True)
    for i in range(0, 12, 3):
        records[i] = ReplyRecord(item=items[i]["id"], text=f"I think it is {items[i]['answer']}.")
    return records


def rows(section, table):
    """The rows of a table."""
    text = re.search(rf'<table [^>]*id="table-{table}".*?</table>', section, re.DOTALL)[0]
    return re.findall(r'<tr role="row" class.*?</tr>', text, re.DOTALL)


class TestRules:
    def test_every_profile_stands_with_what_it_does_and_what_it_gives(self, made, items, bench, make_run):
        run = make_run(bench, wordy(made, items))
        section = made.Page(html.write([run])).section("rules")
        scores = score(open_run(run), ["all"])
        lines = rows(section, "rules")
        assert len(lines) == len(scores.scores) >= 5
        for line, (name, scored) in zip(lines, scores.scores.items(), strict=True):
            assert f"<bdi>{name}</bdi>" in line
            assert PROFILES.all()[name].about.replace("'", "&#39;").split(";")[0] in line
            cells = dict(re.findall(r'data-label="([^"]*)"[^>]*>([^<]*)</td>', line))
            assert cells["correct, %"] == f"{100 * scored.value:.1f}"
            assert cells["answered"] == f"{scored.n_answered}/12"
            assert cells["counted"] == f"{scored.n_counted}"
            assert (cells["guessed"], cells["guessed right"]) == (str(scored.n_guessed), str(scored.n_guessed_right))
            assert scored.signature in section
        assert len({scored.value for scored in scores.scores.values()}) > 1
        assert section.count("The other sections go by these rules.") == 1

    def test_the_share_that_plain_matching_reads_is_said(self, made, items, bench, make_run):
        run = make_run(bench, wordy(made, items))
        matchings = score(open_run(run)).scores["strict"].extras.plain_matching
        section = made.Page(html.write([run])).section("rules")
        assert list(matchings) == ["airbench-text", "airbench-script"]
        paper, script = matchings.values()
        assert "Plain matching by AIR-Bench" in section
        assert f") reads {paper.n_read} of 12 replies that came, {100 * paper.share:.1f} %; by its script" in section
        assert f"second to last) {script.n_read}, {100 * script.share:.1f} %." in section

    def test_one_run_has_no_place(self, made, items, bench, make_run):
        section = made.Page(html.write([make_run(bench, wordy(made, items))])).section("rules")
        assert "place" not in section

    def test_places_that_rules_give_or_take_are_shown(self, made, items, bench, make_run, tmp_path):
        plain = make_run(bench, made.answers(items, right=lambda i: i != 1), name="plain")
        runs = [make_run(bench, wordy(made, items), name="wordy"), plain]
        opened = [open_run(path) for path in runs]
        scores = ranked([score(run, ["all"]) for run in opened], opened)
        changed = {name: rank.change for name, rank in scores[1].ranks.items() if rank.change}
        assert changed
        section = made.Page(html.write(runs, tmp_path / "two.html")).section("rules")
        for name in scores[1].scores:
            lines = rows(section, "rules-places")
            places = [re.search(rf'data-label="{name}, %".*?<span class="ci">(.*?)</span>', line)[1] for line in lines]
            expected = []
            for one in scores:
                rank = one.ranks[name]
                moved = f" ({rank.change:+d})" if rank.change else ""
                expected.append(f"#{rank.rank}{'=' if rank.tied else ''}{moved}")
            assert places == expected
        assert "in brackets: places gained or lost against strict." in section

    def test_a_run_with_failures_has_no_place_under_ours_and_it_is_said_why(
        self, made, items, bench, make_run, tmp_path
    ):
        late = [ReplyRecord(item=one["id"], error=Failure(kind="timeout", message="x")) for one in items[-3:]]
        runs = [
            make_run(bench, made.answers(items), name="whole"),
            make_run(bench, [*made.answers(items)[:-3], *late], name="torn"),
        ]
        section = made.Page(html.write(runs, tmp_path / "two.html")).section("rules")
        assert "scripted/torn</bdi> is not ranked under strict: more than 1 % of the replies failed." in section

    def test_runs_of_other_items_have_no_places(self, made, items, bench, make_run, tmp_path):
        bells = [entry for entry in items if entry["task"] == "bell"]
        runs = [
            make_run(bench, made.answers(items), name="all"),
            make_run(bench, made.answers(bells), name="bells", tasks=("bell",)),
        ]
        section = made.Page(html.write(runs, tmp_path / "two.html")).section("rules")
        assert "rules-places" not in section
        assert "not asked the same items" in section

    def test_a_run_folder_that_can_only_be_read_is_left_as_it_is(self, made, items, bench, make_run, tmp_path):
        run = make_run(bench, made.answers(items))
        before = sorted(run.iterdir())
        html.write([run], tmp_path / "elsewhere.html")
        assert sorted(run.iterdir()) == before


class TestListening:
    def asked(self, made, items, bench, make_run, text, name="run"):
        """A run of right replies, and of replies ``text(entry)`` to the items without their clips."""
        records = made.answers(items, right=lambda _: True)
        records += [ReplyRecord(item=entry["id"], variant="noise", text=text(entry)) for entry in items]
        return make_run(bench, records, variants=("plain", "noise"), name=name)

    def test_the_verdict_is_that_of_the_analysis_in_its_words(self, made, make_benchmark, make_run):
        items = [made.item(i, file_name=f"audio/{i % 2}.wav", group=f"g{i}") for i in range(80)]
        bench = make_benchmark(items)
        hearing = self.asked(made, items, bench, make_run, lambda _: "A", "hearing")
        deaf = self.asked(made, items, bench, make_run, made.letter, "deaf")
        for run, verdict in ((hearing, "listens"), (deaf, "does not listen")):
            found = listening(open_run(run))
            assert found.verdict == verdict
            section = made.Page(html.write([run])).section("listening")
            assert f"<bdi>scripted/{run.name}</bdi> <strong>{verdict}</strong>: " in section
            assert found.reason in unescape(re.sub("<[^>]*>", "", section)).replace("\u2212", "-")
            assert ('class="finding against"' in section) == (verdict == "does not listen")

    def test_scores_with_and_without_the_clip_are_drawn_against_chance(self, made, items, bench, make_run):
        run = self.asked(made, items, bench, make_run, lambda _: "A")
        one = score(run, ["strict"], store=False).scores["strict"]
        (chart,) = heard([one, None], ["m", "n"], "scores", "made")
        assert [row[0] for row in chart.table.rows] == ["with the clip", "noise"]
        assert [(mark.x, mark.interval) for mark in chart.figure.marks] == [
            (1.0, None),
            (one.variants["noise"].value, one.variants["noise"].interval),
        ]
        assert chart.figure.reference == one.chance == 0.25
        bare = msgspec.structs.replace(one, variants={})
        assert list(heard([bare, None], ["m", "n"], "scores", "made")) == []
        assert 'id="table-listening-scores"' in made.Page(html.write([run])).section("listening")

    def test_a_page_tells_it_by_its_own_rules_if_these_have_a_test_and_as_a_terminal_does(
        self, made, make_benchmark, make_run
    ):
        """Letters in lower case under noise: right by ours, unreadable by MuChoMusic's."""
        items = [made.item(i, file_name=f"audio/{i % 2}.wav", group=f"g{i}") for i in range(80)]
        run = self.asked(made, items, make_benchmark(items), make_run, lambda entry: f"({made.letter(entry).lower()})")
        told = {name: score(run, [name], store=False).listening for name in ("strict", "muchomusic", "airbench")}
        assert (told["strict"].verdict, told["muchomusic"].verdict) == ("does not listen", "listens")
        assert told["airbench"] is None
        for profile, by in (("strict", "strict"), ("muchomusic", "muchomusic"), ("airbench", "strict")):
            page = made.Page(html.write([run], profile=profile))
            section = " ".join(
                unescape(re.sub("<[^>]*>", "", page.section("listening"))).replace("\u2212", "-").split()
            )
            assert told[by].reason in section
            assert f"by the rules of {by}: " in section
            passed = f"scripted/{run.name} passes the attention test of muchomusic: the score drops under noise ("
            assert (passed in section) == (profile == "muchomusic")
            heads = re.findall(r"<th[^>]*>(.*?)</th>", page.section("listening"))
            assert any("the score" in one for one in heads) == (profile != "airbench")  # else of other numbers

    def test_too_few_items_cannot_tell(self, made, items, bench, make_run):
        run = self.asked(made, items[:4], bench, make_run, made.letter)
        assert listening(open_run(run)).verdict == "cannot tell on these items"
        assert "these items cannot tell</strong>" in made.Page(html.write([run])).section("listening")

    def test_each_run_has_its_own_and_one_that_was_not_asked_has_none(self, made, items, bench, make_run, tmp_path):
        runs = [
            make_run(bench, made.answers(items), name="unasked"),
            self.asked(made, items, bench, make_run, made.letter, "asked"),
        ]
        section = made.Page(html.write(runs, tmp_path / "two.html")).section("listening")
        assert section.count('<p class="finding') == 1
        assert made.Page(html.write(runs[:1])).section("listening") == ""


class TestProbe:
    @pytest.fixture
    def run(self, made, items, bench, make_run):
        return make_run(bench, made.answers(items))

    def test_what_was_heard_stands_part_by_part(self, made, run):
        result.write(run, made.probe())
        page = made.Page(html.write([run]))
        section = page.section("probe")
        assert "Audio reaches the model.</strong>" in section
        assert "9 of 10 right where guessing gives 2.5 (p &lt; 0.0001)" in section
        assert "Nothing wrong was found; heard in 1 of 2 parts" in section
        rows = [re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL) for row in section.split("<tr")[2:]]
        parts = [tuple(re.sub(r"<[^>]*>", "", cell) for cell in row[:3]) for row in rows]
        assert parts == [("spoken digits", "heard", "9/10"), ("digit at the end of 61 s", "not asked", "")]
        assert 'href="#probe"' in page.text
        assert 'href="#probe"' not in page.section("summary")

    def test_what_is_wrong_stands_beside_the_number_too(self, made, run):
        wrong = Finding(cause="cut", message="clips end after 30 s")
        result.write(run, made.probe(findings=(wrong,)))
        page = made.Page(html.write([run]))
        assert "Clips end after 30 s." in page.section("probe")
        assert "Nothing wrong" not in page.section("probe")
        assert "Clips end after 30 s. " in page.section("summary")
        assert "as it was sent" in page.section("summary")

    def test_no_sign_of_hearing_is_a_warning(self, made, run):
        result.write(run, made.probe(hears=False, p=0.6, right=3))
        page = made.Page(html.write([run]))
        assert "No sign that audio reaches the model.</strong>" in page.section("probe")
        assert "(p = 0.6000)" in page.section("probe")
        assert "No sign that audio reaches the model.</strong>" in page.section("summary")

    def test_a_page_of_several_runs_says_which_of_them_was_tested(self, made, items, bench, make_run, run, tmp_path):
        other = make_run(bench, made.answers(items), name="unasked")
        result.write(run, made.probe())
        page = made.Page(html.write([run, other], tmp_path / "two.html"))
        assert f"<bdi>scripted/{run.name}</bdi>" in page.section("probe")
        assert "unasked" not in page.section("probe")

    def test_without_a_reply_nothing_can_be_said(self, made, run):
        result.write(run, made.probe(hears=False, p=1.0, right=0, n=0, n_failed=10, stopped="the server is gone"))
        page = made.Page(html.write([run]))
        assert "Nothing can be said, no reply came</strong>" in page.section("probe")
        assert "It ended early: the server is gone." in page.section("probe")
        assert "No sign" not in page.text

    @pytest.mark.parametrize("stopped", ["", "the server is gone"])
    def test_without_a_reply_the_terminal_says_so_in_one_line_and_why(self, made, stopped):
        found = made.probe(hears=False, p=1.0, right=0, n=0, n_failed=10, stopped=stopped)
        out = console()
        with out.capture() as said:
            out.show(probe(found, of="scripted/run"))
        why = stopped or "no replies"
        assert said.get() == f"scripted/run: Nothing can be said, no reply came: {why}.\n"

    def test_the_short_form_says_what_it_does_not_look_at(self, made, run):
        result.write(run, made.probe(form="short"))
        assert "does not look at rates" in made.Page(html.write([run])).section("probe")

    def test_a_run_without_one_has_no_section_and_a_damaged_one_is_an_error_of_one_line(self, made, run):
        page = made.Page(html.write([run]))
        assert page.section("probe") == ""
        assert 'href="#probe"' not in page.text
        (run / result.FILE).write_text("{")
        with pytest.raises(RunFolderError, match=r"probe\.json.*remove it"):
            html.write([run])

    def test_texts_from_outside_are_text(self, made, run):
        for payload in made.PAYLOADS[:4]:
            result.write(run, made.probe(findings=(Finding(cause=payload, message=payload),), stopped=payload))
            assert payload not in made.Page(html.write([run])).text
