"""Figures as SVG, PNG and PDF files, and the folders that they and tables are written into."""

import io
import re
import struct
import sys
import zlib
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from audiometry.errors import StorageError, UsageError, counted
from audiometry.files.extras import install
from audiometry.render import files, layout, raster
from audiometry.render.bands import CROWD, fitted
from audiometry.render.document import Chart
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.render.svg import NOTHING as SAID
from audiometry.render.svg import WIDTH, svg
from audiometry.render.table import whole

FOREIGN = "</text><script>alert(1)</script>\x1b[2J\u202e\x00 &amp; \ud800"


def read(text):
    """The file as a strict reader of XML sees it, without names of the format."""
    return ET.fromstring(re.sub(r' xmlns="[^"]*"', "", text, count=1))  # noqa: S314  our own text


def texts(root):
    return [node.text or "" for node in root.iter("text")]


def placed(node, wide=WIDTH, left=0.0):
    """Every mark's place on the paper: how far from the left, through drawings in drawings."""
    for one in node:
        if one.tag == "path" and "mark" in one.get("class", ""):
            yield left
        if one.tag == "svg":
            at, broad = one.get("x", "0"), one.get("width", "100%")
            x = left + (wide * float(at[:-1]) / 100 if at.endswith("%") else float(at))
            yield from placed(one, wide if broad == "100%" else float(broad), x)


def all_figures(every):
    return [every.bands(), every.DIFFERENCE, every.BARS, every.MATRIX, every.SCATTER, every.NOTHING]


def test_a_file_stands_alone_and_says_what_it_shows(every):
    for figure in all_figures(every):
        text = svg(figure)
        root = read(text)
        assert root.get("width") == str(WIDTH)
        assert root.find("title").text == figure.caption
        assert not {node.tag for node in root.iter()} & {"script", "image", "use", "foreignObject", "a"}
        assert not re.search(
            r"""(?:href|src|on\w+)\s*=|url\(|@import|&#?\w+;(?<!&amp;)(?<!&lt;)(?<!&gt;)(?<!&#34;)""", text
        )
        assert text.count("http") == 1
        said = " ".join(texts(root))
        assert figure.caption in said
        assert (f"n\u00a0=\u00a0{counted(figure.n, figure.n_of)}." in said) == bool(figure.n and figure.marks)
        assert figure.signature in said
        for axis in (figure.x, figure.y):
            if figure.marks:
                assert {band.name for band in axis.bands} <= set(texts(root)) | {"_".join(every.NAMES[0].split("_"))}
                assert {axis.tick(tick).replace("-", "−") for tick in axis.ticks} <= set(texts(root))


def test_marks_stand_where_their_axis_says_and_below_each_other(every):
    figure = every.bands()
    root = read(svg(figure))
    left, right = (float(next(one.get("x") for one in root.iter("text") if one.text == tick)) for tick in ("0", "100"))
    legend = len(figure.series)
    places = list(placed(root))[legend:]
    assert places == pytest.approx([left + (right - left) * mark.x for mark in figure.marks], abs=0.2)
    heights = [layout.middle(figure, 0, place) for place in range(3)]
    assert heights == [heights[0], heights[0] + layout.MARK, heights[0] + 2 * layout.MARK]
    assert heights[-1] + layout.MARK / 2 <= layout.tall(figure, 0)


def test_bands_of_many_series_become_a_matrix_of_their_values_the_darker_the_farther_along(every):
    figure = every.bands(("a", "b"), tuple(f"run {n}" for n in range(12)))
    for down, first in ((True, min), (False, max)):
        found = fitted(figure, down=down)
        at = {band.name: row for row, band in enumerate(found.y.bands)}
        means = {figure.series[mark.series]: mark.x for mark in figure.marks if mark.y == 0}
        assert found.y.bands[0].name == "chance"
        assert found.y.bands[1].name in {name for name, mean in means.items() if mean == first(means.values())}
        cells = {(mark.y, mark.x): mark for mark in found.marks if mark.y > 0}
        for mark in figure.marks:
            cell = cells[at[figure.series[mark.series]], mark.y]
            assert (cell.value, cell.shade) == (mark.x, figure.x.at(mark.x))
        assert "95" not in svg(found)
    plain = [band.name for band in fitted(figure).y.bands]
    assert plain[1:] == list(figure.series)
    few = every.bands(("a", "b"), tuple(f"run {n}" for n in range(CROWD)))
    assert fitted(few) is few
    marks = (*every.DIFFERENCE.marks, *(Mark(x=0.02, y=0, series=n) for n in range(1, 9)))
    around = fitted(msgspec.structs.replace(every.DIFFERENCE, series=tuple("abcdefghi"), marks=marks))
    assert [mark.shade for mark in around.marks[:2]] == [1.0, 0.0]  # the second may be nothing
    assert around.shade_name == "A - B, \u221210 to +10 points; none where the 95 % interval holds 0"


def level(root):
    return [node for node in root.findall("text") if "x" in node.attrib]


def boxes(root):
    """The level texts of a file with the room they take, left, right, above and below."""
    sizes = {"tick": 11, "beside": 11, "number": 11, "small": 10}
    for node in level(root):
        size = next((sizes[one] for one in node.get("class").split() if one in sizes), 13)
        x, y, wide = float(node.get("x")), float(node.get("y")), layout.breadth(node.text, size)
        left = x - wide * {"end": 1, "middle": 0.5}.get(node.get("text-anchor"), 0)
        yield node.text, left, left + wide, y - 0.7 * size, y


def test_no_text_covers_another_or_leaves_the_paper_and_names_stand_beside_what_they_name(every):
    for figure in all_figures(every):
        root = read(svg(figure))
        found = list(boxes(root))
        for at, (text, left, right, above, below) in enumerate(found):
            assert left >= -1, (figure.id, text)
            assert right <= 1.05 * WIDTH, (figure.id, text)  # how broad letters are is not known so well
            assert 0 <= above < below <= float(root.get("height")), (figure.id, text)
            for other, start, end, top, foot in found[at + 1 :]:
                apart = right <= start + 4 or end <= left + 4 or below <= top or foot <= above
                assert apart, (figure.id, text, other)
        drawn = [node for node in root.iter("rect") if "edge" in node.get("class", "")]
        drawn += [node for node in root.findall("svg") if "height" in node.attrib and float(node.get("height")) > 1]
        names = {band.name for band in figure.y.bands}
        for node, (text, _, right, above, below) in zip(level(root), found, strict=True):
            if text in names and drawn and (figure.kind != "matrix" or node.get("text-anchor") == "end"):
                assert right <= min(float(one.get("x")) for one in drawn), (figure.id, text)
                middles = (float(one.get("y")) + float(one.get("height")) / 2 for one in drawn)
                assert min(abs((above + below) / 2 - middle) for middle in middles) <= 6, (figure.id, text)


def test_each_band_may_have_a_shade_of_its_own(every):
    bands = (Band(name="a", shade=(-0.1, 0.1)), Band(name="b"))
    axis = every.DIFFERENCE.x
    figure = msgspec.structs.replace(every.DIFFERENCE, y=Axis(bands=bands), shade=(-0.05, 0.05))
    wide = [node.get("width") for node in read(svg(figure)).iter("rect") if node.get("class") == "shade"]
    shares = [f"{100 * (axis.at(half) - axis.at(-half)):.2f}%" for half in (0.1, 0.05)]
    assert [one for one in wide if one.endswith("%")] == shares


def test_series_differ_without_colour_and_others_systems_are_hollow(every):
    runs = tuple(f"run {number}" for number in range(12))
    root = read(svg(every.bands(("a",), runs)))
    keys = [(node.get("d"), node.get("class")) for node in root.iter("path")][: len(runs)]
    assert len({shape for shape, _ in keys}) == layout.SERIES
    assert len(set(keys)) == len(runs)
    assert ["hollow" in of for _, of in keys] == [number == 2 for number in range(12)]


def test_numbers_of_a_matrix_stand_in_cells_the_darker_the_more_and_sums_in_none(every):
    below = Mark(x=2, y=1, value=-0.25, shade=-0.5, sign="*")
    figure = msgspec.structs.replace(every.MATRIX, marks=(*every.MATRIX.marks[:5], below, *every.MATRIX.marks[6:]))
    root = read(svg(figure))
    cells = [node for node in root.iter("rect") if "cell" in node.get("class", "")][3:]  # after the legend's
    numbers = [node.text for node in root.iter("text") if "number" in node.get("class")]
    assert numbers == ["1,200", "7", "14", "7", "1,200", "−0.3*", "1,221", "1,221"]
    dark = [float(cell.get("fill-opacity")) for cell in cells]
    assert len(cells) == 6
    assert dark[0] == dark[4] == max(dark)
    assert [number for number, cell in enumerate(cells) if "less" in cell.get("class")] == [5]
    assert sum("framed" in node.get("class", "") for node in root.iter("rect")) == 2 + 1
    assert {"right", "share of the row"} <= set(texts(root))


def test_a_matrix_of_many_columns_is_broader_than_the_others_and_loses_none(every):
    names = tuple(Band(name=f"a task of some length, number {n}") for n in range(40))
    marks = tuple(Mark(x=x, y=0, value=0.5, shade=0.5) for x in range(40))
    figure = msgspec.structs.replace(every.MATRIX, x=Axis(bands=names), marks=marks)
    root = read(svg(figure))
    wide = float(root.get("width"))
    assert wide > WIDTH
    assert {band.name for band in names} <= set(texts(root))
    assert all(float(node.get("x")) < wide - 20 for node in root.iter("text") if "number" in node.get("class"))


def test_a_mark_at_an_end_of_its_axis_is_drawn_whole(every):
    plots = [node for node in read(svg(every.bands())).iter("svg") if list(node.iter("path"))]
    assert len(plots) > 2
    assert {node.get("overflow") for node in plots if node.get("viewBox") is None} == {"visible"}


def test_what_a_drawing_says_in_words_has_the_digits_of_tables(every):
    marks = (Mark(x=0.70161, y=0, interval=(0.6643, 0.735)), Mark(x=0.8, y=1))
    figure = msgspec.structs.replace(every.bands(("a", "b"), ("one",)), marks=marks)
    assert read(svg(figure)).find("desc").text == "a: 70.2 (66.4 to 73.5). b: 80.0"
    error_rate = Axis(high=1.5, ticks=(0.0, 1.5), decimals=3)
    figure = msgspec.structs.replace(figure, x=error_rate)
    assert "0.702 (0.664 to 0.735)" in read(svg(figure)).find("desc").text


def test_a_legend_names_only_marks_that_are_there(every):
    figure = every.bands(("a",), ("one", "two", "three"))
    figure = msgspec.structs.replace(figure, marks=tuple(mark for mark in figure.marks if mark.series != 1))
    assert [name for name in texts(read(svg(figure))) if name in figure.series] == ["one", "three"]


def test_a_bar_begins_at_nought(every):
    axis = Axis(low=-10.0, high=10.0, ticks=(-10.0, 0.0, 10.0))
    assert layout.reach(axis, Mark(x=5.0, y=0)) == (0.5, 0.75)
    assert layout.reach(axis, Mark(x=-5.0, y=0)) == (0.25, 0.5)
    assert layout.reach(Axis(low=2.0, high=10.0), Mark(x=6.0, y=0)) == (0.0, 0.5)


def test_names_beside_marks_cover_neither_each_other_nor_marks(every):
    labels = layout.beside(every.SCATTER, 320)
    assert [label.text for label in labels] == ["one system", "another system", "ours"]
    first, second, _ = labels
    assert first.left != second.left or abs(first.y - second.y) * 320 >= 13


def test_a_figure_with_nothing_to_show_says_so(every):
    root = read(svg(every.NOTHING))
    assert SAID in texts(root)
    assert not list(root.iter("path"))


@given(st.text() | st.just(FOREIGN))
def test_any_name_is_only_text(foreign):
    figure = Figure(
        id=foreign, caption=foreign, signature=foreign, kind="bands", x=Axis(title=foreign, ticks=(0.0, 1.0)),
        y=Axis(bands=(Band(name=foreign),)), marks=(Mark(x=0.5, y=0, interval=(0.4, 0.6)),),
        reference=0.1, reference_name=foreign, series=(foreign,), shade=(0.1, 0.2), shade_name=foreign,
    )  # fmt: skip
    root = read(svg(figure))
    assert not list(root.iter("script"))
    assert root.find("title").text == (whole(foreign) or None) or len(foreign) > 1000


def test_a_name_of_a_megabyte_is_cut_and_a_long_word_is_broken(every):
    figure = every.bands(("x" * 1_000_000, "y" * 100, "z"))
    text = svg(figure)
    assert len(text) < 50_000
    words = [one for one in texts(read(text)) if set(one) == {"y"}]
    assert "".join(words) == "y" * 100
    assert max(map(len, words)) < 60


def test_png_is_a_picture_of_twice_the_size_with_letters_in_it(every):
    figure = every.bands()
    data = raster.png(svg(figure))
    wide, _ = struct.unpack(">II", data[16:24])
    assert wide == 2 * WIDTH
    bare = raster.png(re.sub(r"<text[^>]*>[^<]*</text>", "", svg(figure)))
    assert len(data) > len(bare) + 5000  # what letters add to a picture
    assert zlib.crc32(data) != zlib.crc32(bare)


def test_pdf_is_a_page_whose_text_is_text(every):
    (page,) = PdfReader(io.BytesIO(raster.pdf(svg(every.bands())))).pages
    text = page.extract_text()
    for word in ("Share correct by task", "melody", "strict|n2000|seed0", "75", "chance"):
        assert word in text


def test_tables_and_figures_are_written_under_names_of_their_own(every, tmp_path):
    blocks = (*every.every_block(), every.DIFFERENCE, Chart(every.bands(), every.TABLE))
    folder = tmp_path / "new" / "paper"
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("mine")
    tables, figures = files.write_tables(blocks, folder), files.write_figures(blocks, folder)
    names = {path.name for path in tables}
    assert {"tasks.md", "tasks.tex", "tasks.csv", "tasks-2.csv", "tasks-3.csv", "named.md", "one.md"} == names - {
        f"tasks-{n}.{ending}" for n in (2, 3) for ending in ("md", "tex")
    } - {f"{name}.{ending}" for name in ("named", "one") for ending in ("tex", "csv")}
    assert {path.suffix for path in figures} == {".svg", ".png", ".pdf"}
    assert {path.stem for path in figures} >= {"tasks", "tasks-2", "comparison", "comparison-2", "nothing"}
    assert (folder / "mine.txt").read_text() == "mine"
    assert all(path.stat().st_size for path in (*tables, *figures))
    assert [path.read_bytes() for path in files.write_tables(blocks, folder)] == [path.read_bytes() for path in tables]


def test_no_id_leads_out_of_its_folder(every, tmp_path):
    hostile = [
        msgspec.structs.replace(every.TABLE, id=name) for name in ("../../x", "/etc/x", "A", "a", "\x00", "é" * 300)
    ]
    written = files.write_tables(hostile, tmp_path / "in")
    assert {path.parent for path in written} == {tmp_path / "in"}
    assert [path.stem for path in written[::3]] == ["x", "etc-x", "a", "a-2", "unnamed", "é" * 100]
    assert sorted(tmp_path.iterdir()) == [tmp_path / "in"]


def test_a_folder_that_cannot_be_made_is_told_in_a_line(every, tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "in"):
        with pytest.raises(StorageError, match=r"cannot write") as found:
            files.write_tables([every.TABLE], folder)
        assert "\n" not in str(found.value)


def test_without_the_extra_svg_files_are_there_and_a_line_says_what_to_install(every, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UsageError, match=re.escape(install("figures"))):
        files.write_figures([every.BARS, every.DIFFERENCE], tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["comparison.svg", "letters.svg"]


def test_what_a_picture_cannot_show_is_told_in_words_too():
    bare = Figure(
        id="b", caption="c", signature="", kind="bands", x=Axis(), y=Axis(bands=(Band(name="one"), Band(name="two"))),
        marks=(Mark(x=0.5, y=0),), series=("a", "b"), unheld="nobody knows", n=1, n_of="reply",
    )  # fmt: skip
    root = read(svg(bare))
    assert root.find("{*}desc").text == "one: a 0.5. two: no number. b: no number"
    said = " ".join(texts(root))
    assert "n\u00a0=\u00a01 reply." in said
    assert "No reference line: nobody knows." in said
    none = " ".join(texts(read(svg(msgspec.structs.replace(bare, marks=(), unheld="")))))
    assert "Nothing to show" in none
    assert "n\u00a0=" not in none
    assert "No reference line" not in none
