"""A run of the static suite beside the systems that were printed of it: forms, means, marks, kinds of systems."""

import csv
import math
import wave
from decimal import Decimal
from statistics import mean

import pytest
from msgspec import structs

from audiometry import bench
from audiometry.render.console import Terminal
from audiometry.render.document import Chart, Folded, Line, Section
from audiometry.render.files import tables as tables_of
from audiometry.report.published import beside
from audiometry.report.suite import suite
from audiometry.report.views.suite import suite as view
from audiometry.score import score
from audiometry.score.counts import Confusion
from audiometry.score.opened import open_run
from audiometry.score.published import published, published_tasks

CARD = bench.published_cards()["static20"]
SETS = [task.task_name for task in published_tasks("static20")]
OPEN = ["public-sg-speechqa", "openhermes", "alpaca"]
VALUES = {name: 0.3 + 0.02 * n for n, name in enumerate(SETS)}
SYSTEMS = published("static20")
CATEGORY = {task.task_name: task.category for task in published_tasks("static20")}


@pytest.fixture
def data(tmp_path):
    """Local copies of three sets, one of them of transcripts."""
    answers = {"iemocap": ["angry", "sad"], "callhome": ["friend", "relative"], "commonvoice-asr": ["a cat", "a dog"]}
    for name, those in answers.items():
        folder = tmp_path / "data" / name
        folder.mkdir(parents=True)
        with (folder / "metadata.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["audio", "answer"], *([f"{n}.wav", one] for n, one in enumerate(those))])
        for n in range(len(those)):
            with wave.open(str(folder / f"{n}.wav"), "wb") as file:
                file.setparams((1, 2, 8000, 0, "NONE", ""))
                file.writeframes(bytes([n, 9] * 800))
    return tmp_path / "data"


@pytest.fixture
def run(cli, data, tmp_path):
    """A run of these sets, and what the command said."""
    folder = tmp_path / "run"
    code, out, err = cli("run", "static20", "--data", data, "--model", "scripted/oracle", "-o", folder, "--no-probe")
    assert code == 0
    return folder, out, err


@pytest.fixture
def whole(run):
    """What a run of all published items of all sets would score: macro F1, token F1 and the WER of both transcripts."""
    base = score(open_run(run[0])).scores["macro-f1"]
    one = structs.replace(base.tasks["iemocap"], interval=(0.05, 0.9))

    def scored(measure, names, **more):
        rows = {
            name: structs.replace(one, value=VALUES.get(name, 0.1), n_items=CARD.size_of(name) or 50) for name in names
        }
        means = {
            of: structs.replace(
                one, value=mean([VALUES.get(name, 0.1) for name in rows if of in {"", CATEGORY.get(name)}])
            )
            for of in ("", *CATEGORY.values())
            if not of or of in map(CATEGORY.get, rows)
        }
        more |= {"alike": means.pop(""), "categories": means}
        return structs.replace(base, measure=measure, tasks=rows, asked_of={}, signature=f"{measure}.1", **more)

    words = ["librispeech-clean", "commonvoice-asr"]
    return [
        scored("macro-f1", [name for name in SETS if name not in OPEN]),
        scored("token-f1", OPEN),
        scored("wer", words, direction="down", range=(0, None)),
    ]


def shown(scored, labels=("ours",), name="static20", card=CARD):
    """The tables of the section by id: headings, and rows by name; and the section."""
    section = view(suite(name, card, [scored] * len(labels)), labels)
    found = {}
    for table in tables_of([section]):
        rows = {row[0]: [*map(str, map(printed, table.columns[1:], row[1:]))] for row in table.rows}
        found[table.id] = ([column.title for column in table.columns[1:]], rows)
    if "published-sets" in found:  # systems as rows, as the other tables have them
        systems, sets = found["published-sets"]
        found["sets"] = [*sets], {one: [cells[n] for cells in sets.values()] for n, one in enumerate(systems)}
    return found, section


def printed(column, cell):
    return column.printed(cell)


def lines(blocks):
    """The words of all lines of some blocks."""
    for block in blocks:
        if isinstance(block, Line):
            yield block.text
        elif isinstance(block, Section | Folded):
            yield from lines(block.blocks)


def chart(section):
    (found,) = (block for block in section.blocks if isinstance(block, Chart))
    return found


def without(scored, name):
    """The same without a set."""
    return [
        structs.replace(one, tasks={task: row for task, row in one.tasks.items() if task != name}) for one in scored
    ]


def test_each_published_mean_of_the_sites_form_is_that_of_its_eighteen_cells(whole):
    heads, rows = shown(whole)[0]["sets"]
    assert heads[0] == "mean of 18"
    assert len(heads) == 21
    assert suite("static20", CARD, [whole]).means[0].printed == tuple(one.average for one in SYSTEMS)
    assert [*rows] == ["ours", *(f"{one.name} (published)" for one in SYSTEMS)]
    means = [Decimal(cells[0]) for name, cells in rows.items() if name != "ours"]
    assert [*map(float, means)] == [17.1, 25.5, 23.3, 25.9, 35.0, 35.7, 42.2, 41.5, 43.4, 33.1, 39.2]
    for (name, cells), printed_mean in zip([*rows.items()][1:], means, strict=True):
        assert abs(sum(map(Decimal, cells[1:19])) / 18 - printed_mean) <= Decimal("0.051"), name


def test_each_published_mean_of_a_category_is_that_of_its_cells(whole):
    found = suite("static20", CARD, [whole])
    for one in found.means[1:]:
        for system, printed in zip(SYSTEMS, one.printed, strict=True):
            cells = [value for name, value in system.tasks.items() if CATEGORY[name] == one.title]
            assert printed == pytest.approx(sum(cells) / len(cells)), (one.title, system.name)


def test_both_forms_are_one_table_with_both_transcript_sets_last_and_not_in_the_mean(whole):
    found, section = shown(whole)
    heads, rows = found["sets"]
    assert heads[19:] == [
        "WER: Transcription (LibriSpeech test-clean)",
        "WER: Transcription (Common Voice, English)",
    ]
    assert rows["ours"][19:] == ["10.0", "10.0"]
    assert {tuple(cells[19:]) for name, cells in rows.items() if name != "ours"} == {("–", "–")}
    worse = [*whole[:2], structs.replace(whole[2], tasks={})]
    assert shown(worse)[0]["sets"][1]["ours"][0] == rows["ours"][0]
    said = " ".join(lines(section.blocks))
    assert "In the public site's form: mean of 18 and its 18 sets; with the word error rates" in said
    assert "the paper's form: 20 sets." in said


def test_a_mean_has_the_interval_of_the_score_over_the_same_sets(cli, data, tmp_path):
    folder = tmp_path / "half"
    cli("run", "static20", "--data", data, "--model", "scripted/noisy-oracle?p=0.5", "-o", folder, "--no-probe")
    scored = score(open_run(folder)).scores["macro-f1"]
    whole, cognitive, _, identity = suite("static20", CARD, [[scored]]).means
    for one, row in ((whole, scored.alike), (cognitive, scored.categories["cognitive state"])):
        assert (one.own[0].value, one.own[0].interval) == (pytest.approx(row.value), pytest.approx(row.interval))
    assert identity.own[0].interval == pytest.approx(scored.categories["speaker identity"].interval)
    assert "† 2 of 18 sets" in whole.own[0].note


def test_the_interval_over_sets_by_two_measures_adds_the_distances_to_the_limits_by_each(whole):
    value, reach = sum(VALUES.values()) / 18, []
    for scored, n, low, high in ((whole[0], 15, 0.2, 0.3), (whole[1], 3, 0.1, 0.4)):
        row = structs.replace(scored.alike, interval=(scored.alike.value - low, scored.alike.value + high))
        reach.append((structs.replace(scored, alike=row), n / 18 * low, n / 18 * high))
    one = suite("static20", CARD, [[scored for scored, _, _ in reach]]).means[0].own[0]
    low, high = (math.hypot(*(each[side] for each in reach)) for side in (1, 2))
    assert one.interval == pytest.approx((value - low, value + high))
    none = [structs.replace(one, alike=None) for one in whole]  # no row of the score is of these sets: nothing is known
    assert suite("static20", CARD, [none]).means[0].own[0].interval is None


def test_token_f1_beside_pedants_is_marked_at_the_cells_and_the_means_and_said_below(whole):
    found, section = shown(whole)
    heads, rows = found["sets"]
    marked = [head for head, cell in zip(heads, rows["ours"], strict=True) if cell.endswith(" *")]
    assert marked == ["mean of 18", "Public SG SpeechQA", "OpenHermes Audio", "Alpaca Audio"]
    assert [cell.endswith(" *") for cell in found["published"][1]["ours"]] == [True, False, True, False]
    (said,) = (one for one in lines(section.blocks) if one.startswith("* "))
    assert "token F1, where published systems have PEDANTS (Public SG SpeechQA, OpenHermes Audio, Alpaca" in said
    assert chart(section).figure.y.bands[0].name == "ours (mean of 18, speech content: token F1 for PEDANTS)"
    same = [whole[0], structs.replace(whole[1], measure="exec/uv run pedants.py")]
    assert "*" not in "".join(shown(same)[0]["sets"][1]["ours"])


def test_a_mean_of_fewer_sets_says_of_how_many_and_is_not_drawn(whole):
    found, section = shown(without(whole, "meld"))
    heads, rows = found["sets"]
    assert rows["ours"][heads.index("MELD")] == "–"
    assert rows["ours"][0].endswith("* 17 of 18 sets")
    assert "A mean of fewer sets than were published is no number to hold against theirs." in lines(section.blocks)
    series = {chart(section).figure.series[mark.series] for mark in chart(section).figure.marks if mark.y == 0}
    assert series == {"speech content", "speaker identity"}
    said = "Not drawn: ours under mean of 18, cognitive state, as it is of fewer sets or items than were published."
    assert said in lines(section.blocks)
    assert "runs are not drawn where it is of fewer sets" in chart(section).figure.caption
    assert not any(one.startswith("Not drawn") for one in lines(shown(whole)[1].blocks))
    assert "not drawn" not in chart(shown(whole)[1]).figure.caption
    assert len({mark.y for mark in chart(section).figure.marks}) == 12


def test_fewer_items_than_were_published_are_marked_and_their_means_are_not_drawn(whole):
    few = structs.replace(whole[0].tasks["meld"], n_items=2607)
    found, section = shown([structs.replace(whole[0], tasks=whole[0].tasks | {"meld": few}), *whole[1:]])
    heads, rows = found["sets"]
    assert [head for head, cell in zip(heads, rows["ours"], strict=True) if "†" in cell] == ["mean of 18", "MELD"]
    assert "† Of fewer items than were published." in lines(section.blocks)
    assert {chart(section).figure.series[mark.series] for mark in chart(section).figure.marks if mark.y == 0} == {
        "speech content",
        "speaker identity",
    }
    stopped = structs.replace(whole[0], asked_of={"urfunny": (993, 994)})
    assert "†" in shown([stopped, *whole[1:]])[0]["sets"][1]["ours"][1]


def test_replies_that_are_missing_are_marked_at_the_cell_and_the_mean_and_in_the_figure(whole):
    lost = structs.replace(whole[0].tasks["meld"], n_failed=1)
    found, section = shown([structs.replace(whole[0], tasks=whole[0].tasks | {"meld": lost}), *whole[1:]])
    heads, rows = found["sets"]
    assert [head for head, cell in zip(heads, rows["ours"], strict=True) if "!" in cell] == ["mean of 18", "MELD"]
    assert any(said.startswith("! Incomplete") for said in lines(section.blocks))
    assert "cognitive state: incomplete" in chart(section).figure.y.bands[0].name
    assert not any(said.startswith("! ") for said in lines(shown(whole)[1].blocks))


def test_files_of_the_tables_say_what_their_own_marks_mean(whole):
    part = [structs.replace(whole[0], asked_of={"urfunny": (993, 994)}), whole[1], whole[2]]
    said = {one.id: one.caption for one in tables_of([shown(without(part, "meld"))[1]])}
    for form in ("published-sets", "published"):
        assert "; † Of fewer items than were published; A mean of fewer sets" in said[form]
        assert "; * By another measure than published numbers" in said[form]
        assert "! " not in said[form]
    whole_ones = {one.id: one.caption for one in tables_of([shown(whole)[1]])}
    assert not any("† " in caption or "fewer" in caption for caption in whole_ones.values())


def test_several_runs_stand_together_above_the_published_systems(run, cli, data, tmp_path):
    other = tmp_path / "other"
    cli("run", "static20", "--data", data, "--model", "scripted/deaf", "-o", other, "--no-probe")
    one, both = cli("score", run[0]).out, cli("score", run[0], other).out
    assert one.count("Published systems\n") == both.count("Published systems\n") == 1
    assert one.count("NExT-GPT") == both.count("NExT-GPT") == 2  # once in each table
    table = both[both.index("Published systems\n") :].split("NExT-GPT")[0]
    assert "scripted/oracle" in table
    assert "scripted/deaf" in table


def test_the_small_set_is_marked_in_the_headings_of_the_sets(whole):
    assert [head for head in shown(whole)[0]["sets"][0] if "small" in head] == ["CallHome, small: 24 items"]


def test_runs_stand_above_published_systems_with_marks_of_their_own_and_n(whole):
    _, section = shown(whole, ("a", "b"))
    figure = chart(section).figure
    assert [band.name.partition(" (")[0] for band in figure.y.bands[:3]] == ["a", "b", "NExT-GPT"]
    assert all((mark.interval is None) is mark.hollow is (mark.y > 1) for mark in figure.marks)
    assert figure.series[:2] == ("a", "b")  # whose colours are theirs on all of the page
    assert min(mark.series for mark in figure.marks) == 2
    assert figure.n == figure.n_least == 17_853
    assert "wer.1" not in figure.signature
    assert "macro-f1.1; token-f1.1; published numbers: Mind the Gap" in figure.signature


def test_open_against_commercial_is_of_published_systems_alone_with_its_exact_interval(whole):
    found, section = shown(whole)
    heads, rows = found["published-sorts"]
    assert heads == ["open", "commercial", "difference", "95 %"]
    paid = [float(one.average) for one in SYSTEMS if one.commercial]
    free = [float(one.average) for one in SYSTEMS if not one.commercial]
    low, high = (100 * (min(paid) - max(free)), 100 * (max(paid) - min(free)))
    assert rows["all 18"] == [
        f"{100 * sum(free) / 9:.1f}",
        "42.5",
        "+11.7",
        f"{low:+.1f} to {high:+.1f}",
    ]
    assert [*rows] == ["all 18", "cognitive state", "speech content", "speaker identity"]
    said = " ".join(lines(section.blocks))
    assert "Commercial (Gemini-1.5-Pro and GPT-4o) minus open" in said
    assert "2 of 11 can be picked in 55 ways, so that no two-sided p can be below 0.036" in said


def test_a_set_by_itself_stands_beside_what_was_printed_of_it(whole):
    card = bench.published_cards()["static20/callhome"]
    found, section = shown([whole[0]], name="static20/callhome", card=card)
    heads, rows = found["published"]
    assert heads == ["CallHome, small: 24 items"]
    assert rows["ours"] == ["48.0 (5.0 to 90.0)"]
    assert rows["GPT-4o (published)"] == ["59.7"]
    assert "sets" not in found
    assert len(chart(section).figure.marks) == 12


def test_nothing_is_said_where_nothing_was_printed(whole):
    cards = bench.published_cards()
    assert suite("static20/librispeech-clean", cards["static20/librispeech-clean"], [[whole[2]]]) is None
    assert suite("airbench/foundation", cards["airbench/foundation"], [[whole[0]]]) is None
    assert suite("static20", CARD, [[]]) is None
    assert beside("static20", [whole[0]]) is None  # the suite's section is the only one


def test_no_figure_of_the_forms_is_lost_on_any_terminal(whole):
    _, section = shown(whole)
    for width in (60, 80, 100, 120):
        out = Terminal(width)
        with out.capture() as captured:
            out.show([section])
        text = captured.get()
        assert max(map(len, text.splitlines())) <= width
        assert all(text.count(number) == 1 for number in ("59.7", "89.2", "91.4"))
        assert text.count("43.4") == 2
        assert "the paper's form: 20 sets" in " ".join(text.split())


def test_the_command_says_what_is_there_and_the_page_what_nobody_published(run, cli, tmp_path):
    folder, out, err = run
    assert "static20: 4 of 20,473 published items" in err
    assert "Relationship (CallHome), small: 2 items" in " ".join(out.split())
    assert "Emotion (IEMOCAP), small: 2 items" in " ".join(out.split())  # of 1,023
    assert "† 2 of 18 sets" in " ".join(out.split())
    assert out.count("GPT-4o (published)") == 1
    assert "set by set" in out
    assert "audiometry score and audiometry report" in " ".join(out.split())
    assert "SLURP intent" not in out
    assert "SLURP intent" in cli("score", folder)[1]
    assert "GPT-4 Turbo" not in out
    assert "not judged yet" not in out
    page = tmp_path / "page.html"
    assert cli("report", folder, "-o", page, "--tables", tmp_path / "t", "--figures", tmp_path / "f")[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "What nobody published of static20" in text
    assert "Not published: callhome: which 24 of its 120 calls the paper took" in text
    assert "4 of 20,473 published items" in text
    assert {"published.csv", "published-sets.tex", "published-sets.md", "published-sorts.csv"} <= {
        path.name for path in (tmp_path / "t").iterdir()
    }
    assert (tmp_path / "f" / "published.svg").exists()
    assert "Relationship (CallHome), small: 2 items" in (tmp_path / "f" / "tasks-macro-f1.svg").read_text("utf-8")


def test_a_check_says_how_many_of_the_published_items_there_are_and_what_nobody_published(data, cli):
    code, out, _ = cli("check", "static20", "--data", data)
    said = " ".join(out.split())
    assert code == 0
    assert "; 4 of 20,473 published items" in said
    assert "Not published: callhome: which 24 of its 120 calls the paper took" in said
    assert ": ;" not in said
    assert "covost2-language, openhermes, alpaca, librispeech-clean 0 errors" in said
    found = cli("check", "static20", "--data", data, "--json").json
    assert found["published"] == "4 of 20,473 published items"
    assert len(found["unknown"]) > 10


def test_accuracy_in_place_of_macro_f1_is_another_measure(whole):
    found, section = shown([structs.replace(whole[0], measure="accuracy"), whole[1]])
    assert found["sets"][1]["ours"][1] == "30.0 *"
    assert any(
        said.startswith("* share correct, where published systems have macro F1 (URFunny, MUStARD")
        for said in lines(section.blocks)
    )
    both = [structs.replace(whole[0], measure="accuracy"), *whole]
    assert "*" not in shown(both)[0]["sets"][1]["ours"][1]


def test_two_runs_are_compared_with_the_small_set_marked(run, cli, tmp_path):
    other = tmp_path / "other"
    data = tmp_path / "data"
    assert cli("run", "static20", "--data", data, "--model", "scripted/noisy-oracle?p=0.5", "-o", other)[0] == 0
    code, out, _ = cli("compare", run[0], other)
    assert code == 0
    assert "small: 2 items" in out


def test_a_document_has_the_means_with_their_intervals_and_open_against_commercial(run, cli, tmp_path):
    found = cli("score", run[0], "--json").json["published"]
    scored = score(open_run(run[0])).scores["macro-f1"]
    mean_of_all, cognitive, *_ = found["means"]
    assert mean_of_all["of"] == "mean of 18"
    assert (mean_of_all["value"], mean_of_all["interval"]) == (scored.alike.value, [*scored.alike.interval])
    assert mean_of_all["note"] == "† 2 of 18 sets"
    assert mean_of_all["published"]["GPT-4o"] == 0.434
    assert cognitive["interval"] == [*scored.categories["cognitive state"].interval]
    assert len(found["sets"]) == 20
    assert found["open_and_commercial"][0]["ways"] == 55
    again = cli("run", "static20", "--data", tmp_path / "data", "--model", "scripted/oracle", "-o", run[0], "--json")
    assert again.json["published"] == found


def test_a_page_says_which_mean_is_which(whole):
    said = " ".join(lines(shown(whole)[1].blocks))
    assert ("mean of 18: all sets alike, as published. The score above" in said) is (whole[0].average == "categories")
    by_category = [structs.replace(one, average="categories") for one in whole]
    assert "mean of 18: all sets alike, as published. The score above" in " ".join(lines(shown(by_category)[1].blocks))


def test_classes_that_no_item_has_are_said_with_the_mark(whole):
    few = structs.replace(whole[0].tasks["iemocap"], n_items=2)
    counts = ((1, 0, 0, 0), *[(0,) * 4] * 3)
    read = Confusion(labels=("angry", "happy", "neutral", "sad"), counts=counts, without_label=(0, 0, 0, 1))
    extras = structs.replace(whole[0].extras, confusion={"iemocap": read})
    of_two = structs.replace(whole[0], tasks=whole[0].tasks | {"iemocap": few}, extras=extras)
    found, section = shown([of_two, *whole[1:]])
    heads, rows = found["sets"]
    assert rows["ours"][heads.index("IEMOCAP")].endswith(" † 2 of 4 classes")
    assert "Macro F1 of part of the classes of a set is mostly higher than that of all." in lines(section.blocks)
    assert rows["ours"][0].endswith(" * †")
