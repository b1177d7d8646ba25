"""Every kind of block on one page, in a real browser: for everyone, at every width, on paper, without a script."""

import io
import re
from itertools import pairwise

import msgspec
import pytest
from pypdf import PdfReader

from audiometry.render.bands import banded, fitted
from audiometry.render.delimited import delimited
from audiometry.render.document import Chart, Section
from audiometry.render.figure import Mark, axis_around
from audiometry.render.latex import latex
from audiometry.render.markdown import markdown
from audiometry.render.svg import WIDTH, svg
from audiometry.render.table import Column, Estimate, Table
from audiometry.report import section_page
from audiometry.report.pages import styles
from audiometry.report.section_page import SectionPage

pytestmark = pytest.mark.browser

CLIPBOARD = """
() => { window.copied = []; Object.defineProperty(navigator, "clipboard",
  { value: { writeText: async (text) => { window.copied.push(text); } }, configurable: true }); }
"""
NO_CLIPBOARD = """
() => { window.copied = []; Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
  document.execCommand = (does) => { window.copied.push(document.activeElement.value); return does === "copy"; }; }
"""

SEEN = """
(all) => all.filter((node) => node.getBoundingClientRect().width > 2)
  .filter((node) => !node.closest("thead") || getComputedStyle(node.closest("thead")).position !== "absolute")
  .map((node) => node.innerText.split(/\\s+/))
"""


HEADS = """
() => [...document.querySelectorAll("thead th")].flatMap((head) => {
  const box = head.getBoundingClientRect();
  return [...head.querySelectorAll(":scope > bdi, :scope > svg")].map((one) => one.getBoundingClientRect())
    .filter((one) => one.left < box.left - 1 || one.right > box.right + 1)
    .map((one) => [head.innerText, one.left - box.left, one.right - box.right]);
})
"""


@pytest.fixture
def page_of(every, tmp_path):
    def make(name="melody", blocks=()):
        page = SectionPage(
            title="All blocks",
            eyebrow="of every kind",
            warnings=(),
            first=(),
            sections=(Section(id="own", title="Own", blocks=blocks),) if blocks else every.every_block(name),
            foot=(),
        )
        return section_page.write(page, tmp_path / "page.html")

    return make


def test_heads_of_runs_with_long_names_keep_to_their_columns_and_say_what_is_counted(visit, page_of):
    names = [f"exec/python3 ../model.py ../data/full/key.json 0.{n} messy" for n in range(3)]
    columns = [Column(id="what", title="what", kind="name")]
    for at, run in enumerate(names):
        columns.append(Column(id=f"n-{at}", title=f"{run}: replies", kind="count", series=at))
        columns.append(Column(id=f"share-{at}", title=f"{run}: share", kind="number", unit="%", series=at))
    columns.append(Column(id="one", title="one of them", kind="text"))
    row = ("declines", *(cell for n in range(3) for cell in (n, Estimate(0.1 * n, (0.0, 0.5)))), "I cannot.")
    table = Table(id="t", caption="what", signature="s", columns=tuple(columns), rows=(row,), series=tuple(names))
    marks = [Mark(x=0.1 * n, y=0, series=n) for n in range(3)]
    few = msgspec.structs.replace(table, id="c", columns=tuple(columns[:3]), rows=(row[:3],))
    chart = banded(few, marks, axis_around([0.0, 0.5], unit="%"), ns=[9])
    for width in (1600, 1280, 400):
        page = visit(width).load(page_of(blocks=(table, chart)))
        beyond = page.evaluate(HEADS)
        assert beyond == [], width
    drawn = page.locator("#table-c")
    said = drawn.locator("thead th").evaluate_all("(all) => all.map((one) => one.innerText.split('\\n')[0].trim())")
    assert {"n", "%"} <= set(said)
    assert page.evaluate("() => [...document.querySelectorAll('[role=region]')].map((one) => one.ariaLabel)") == [
        "what",
        "what, drawn",
    ]  # no two of one name


def test_nothing_serious_stands_in_anybodys_way(visit, page_of, axe, made):
    page = visit(1280).load(page_of())
    page.evaluate("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(made.OVERFLOW) == 0, width
        assert axe(page) == [], width
    assert page.evaluate(made.CONTRAST) == []
    page.emulate_media(color_scheme="dark")
    assert axe(page, "color-contrast") == []
    assert page.evaluate(made.CONTRAST) == []


def test_what_is_to_be_minded_and_parts_of_a_whole_are_told_apart_by_colour(visit, page_of):
    page = visit(1280).load(page_of())
    look = "(all) => all.map((one) => getComputedStyle(one)[%s])"
    minded, plain = (
        page.locator(f".finding{of}").evaluate_all(look % '"borderLeftColor"') for of in (".against", ":not(.against)")
    )
    assert set(minded).isdisjoint(plain)
    assert page.locator(".finding").first.evaluate("(one) => getComputedStyle(one).borderLeftWidth") == "3px"
    fills = page.locator("#head .stack rect").evaluate_all(look % '"fill"')
    assert len({*fills, "rgb(0, 0, 0)"}) == 3
    sizes = [page.locator(f"#head {of}").first.evaluate("(one) => one.offsetHeight") for of in (".number", ".tiles dd")]
    assert sizes[0] > 2 * sizes[1]


def test_axes_have_their_numbers_at_every_width_and_on_paper(visit, page_of):
    page = visit(1280).load(page_of())
    for width, media in ((1280, "screen"), (400, "screen"), (1100, "print"), (661, "print")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media=media)
        ticks = page.locator(".chart .ticks").evaluate_all(SEEN)
        assert ["0", "25", "50", "75", "100"] in ticks, (width, media)
        assert ["−20", "−10", "0", "+10", "+20"] in ticks, (width, media)


def test_numbers_of_many_runs_are_in_one_wide_table_that_scrolls_with_its_names_in_sight(visit, page_of, every, made):
    labels = tuple(f"acme/a-rather-long-name-of-a-model-{n}" for n in range(50))
    columns = (Column(id="run", title=label, kind="number", unit="%", series=n) for n, label in enumerate(labels))
    wide = msgspec.structs.replace(
        every.TABLE,
        id="wide",
        columns=(every.COLUMNS[0], *columns, every.COLUMNS[1]),
        rows=tuple((name, *[Estimate(0.5, (0.4, 0.6))] * 50, 2000) for name in every.NAMES),
        series=labels,
    )
    several = msgspec.structs.replace(wide, id="several")
    page = visit(1280).load(
        page_of(blocks=(Chart(fitted(every.bands(runs=labels)), wide), Chart(every.bands(runs=labels[:6]), several)))
    )
    assert not page.locator("#table-wide").is_visible()
    assert page.locator("#drawn-table-several thead th").all_inner_texts()[-1] == "items"
    assert page.locator("#drawn-table-several thead th").count() == 3
    assert page.locator("#figure-tasks tbody tr").count() == 51
    page.get_by_text("All numbers").first.click()
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(made.OVERFLOW) == 0
        lefts = page.locator("#table-wide").evaluate(
            "(one) => { const box = one.closest('.scroll'); box.scrollLeft = 2000;"
            " const [name, edge] = [one.rows[1].cells[0], box].map((node) => node.getBoundingClientRect().left);"
            " return [box.scrollLeft, name - edge]; }"
        )
        assert lefts[0] == 2000
        assert abs(lefts[1]) < 1
    assert page.locator("#table-wide thead th").count() == 52


def test_tables_are_copied_in_three_forms_and_a_reader_is_told(visit, page_of, every):
    for clipboard in (CLIPBOARD, NO_CLIPBOARD):
        page = visit(1280).load(page_of())
        page.evaluate(clipboard)
        group = page.locator("#numbers .copy").first
        for form in ("CSV", "LaTeX", "Markdown"):
            group.get_by_role("button", name=re.compile(f"^{form} ?: {every.TABLE.caption}$")).click()
            page.wait_for_function(
                "said => document.querySelector('[role=status]').textContent === said", arg=f"Copied as {form}"
            )
        texts = [form(every.TABLE).replace("\r\n", "\n") for form in (delimited, latex, markdown)]
        assert [text.replace("\r\n", "\n") for text in page.evaluate("window.copied")] == texts


def test_figures_are_saved_as_the_file_and_as_a_picture(visit, page_of, every):
    page = visit(1280).load(page_of())
    group = page.locator("#figure-labels .copy")
    with page.expect_download() as saved:
        group.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == "labels.svg"
    assert saved.value.path().read_text(encoding="utf-8") == svg(every.MATRIX)
    with page.expect_download() as saved:
        group.get_by_role("button", name="PNG").click()
    assert saved.value.suggested_filename == "labels.png"
    picture = saved.value.path().read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20]) == 2 * WIDTH
    assert len(picture) > 10_000


@pytest.mark.slow
def test_buttons_stand_above_what_they_copy_and_are_seen_without_a_pointer(visit, page_of):
    page = visit(1280).load(page_of())
    group = page.locator("#figure-labels .copy")
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator(".copy").evaluate_all("(all) => all.every((one) => getComputedStyle(one).opacity === '1')")
        below = (
            "(one) => one.closest('.shown').querySelector('table, .plane, .gauge > .plot').getBoundingClientRect().top"
        )
        ends = "(one) => one.getBoundingClientRect().bottom"
        assert page.locator(".shown:not(details *) .copy").evaluate_all(
            f"(all) => all.every((one) => ({ends})(one) <= ({below})(one))"
        )
    assert group.locator("button").count() == 2
    assert group.locator("button").evaluate_all("(all) => all.every((one) => one.tabIndex === 0)")


def test_without_a_script_there_is_no_dead_control(browser, page_of):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_of().as_uri())
    assert page.locator("button, input, select").count() == 0
    context.close()


def test_a_printed_page_shows_what_is_folded_up(browser, page_of):
    page = browser.new_page()
    page.goto(page_of().as_uri())
    text = "".join(one.extract_text() for one in PdfReader(io.BytesIO(page.pdf())).pages)
    assert "Folded up." in text
    assert "What it is." in text  # of the section; the row's note stays on demand
    assert "Markdown" not in text
    page.close()


def test_hostile_names_are_text_in_what_is_copied_and_saved(visit, page_of, made):
    seen = visit(1280)
    page = seen.load(page_of("".join(made.PAYLOADS)))
    assert page.evaluate("() => window.pwned") is None
    assert page.locator("#numbers .copy").count() == 2
    assert seen.clean()


def test_a_figure_with_nothing_to_show_has_a_line_and_no_buttons(visit, page_of):
    page = visit(1280).load(page_of())
    assert "Nothing to show" in page.locator("#figure-nothing").inner_text()
    assert page.locator("#figure-nothing button").count() == 0


DEJAVU = """
(all) => all.filter((text) => {
  text.style.fontFamily = '"DejaVu Sans"';
  const box = text.getBoundingClientRect(), sheet = text.ownerSVGElement.getBoundingClientRect();
  return text.ownerSVGElement === document.documentElement && (box.right > sheet.right || box.left < sheet.left);
}).map((text) => text.textContent)
"""


def test_no_line_of_a_file_leaves_its_sheet_in_the_broadest_of_the_letters_it_asks_for(visit, every, tmp_path):
    page = visit(1280).page
    path = tmp_path / "figure.svg"
    for figure in (every.DIFFERENCE, every.SCATTER, every.bands(("task",) * 3, ("scripted/noisy-oracle?p=0.6",) * 5)):
        more = "; vllm/some-model on four 1.0.0, one of WWWW and 5 of 12 replies not asked for" * 3
        path.write_text(svg(msgspec.structs.replace(figure, caption=figure.caption + more)))
        page.goto(path.as_uri())
        assert page.locator("text").evaluate_all(DEJAVU) == []


def test_the_key_of_intervals_has_the_colour_of_the_one_series_that_has_any(visit, page_of, every):
    marks = [msgspec.structs.replace(mark, series=2) for mark in every.DIFFERENCE.marks]
    one = msgspec.structs.replace(every.DIFFERENCE, id="one", marks=tuple(marks))
    page = visit(1280).load(page_of(blocks=(one,)))
    colour = "(line) => getComputedStyle(line).stroke"
    lines = page.locator("#figure-one .whisker")
    assert len({lines.nth(at).evaluate(colour) for at in range(lines.count())}) == 1


def lightness(colour):
    """CIE L* of a colour, 0 to 100."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    y = sum(a * b for a, b in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))
    return 116 * y ** (1 / 3) - 16


def test_verdicts_differ_in_lightness_and_not_in_hue_alone():
    for theme in re.findall(r"--correct: .*", styles()):
        colours = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", theme))
        light = {name: lightness(colour) for name, colour in colours.items()}
        assert abs(light["correct"] - light["wrong"]) >= 15
        ordered = sorted(light.values())
        assert len(ordered) == 6
        assert min(b - a for a, b in pairwise(ordered)) >= 3
