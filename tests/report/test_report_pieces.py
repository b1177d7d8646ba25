"""Items that are too many for a page: in files beside it, read when they are needed."""

import errno
import json
import os
import re
import shutil

import pytest

from audiometry.errors import StorageError
from audiometry.files import atomic
from audiometry.records import ReplyRecord
from audiometry.report import clips, html, pieces

ODD = ("'\\'", "\\u0027);window.pwned = 8//", "\n\r\t")
ASKED = "() => [...document.querySelectorAll('#list > li .asks')].map((node) => node.textContent)"


@pytest.fixture
def items(made):
    hostile = [*made.PAYLOADS, *ODD]
    entries = [made.item(i, question=f"{i}: {hostile[i % len(hostile)]}") for i in range(60)]
    entries[3]["tags"] = {"__proto__": ["a"], "kind": "kind-3", "told": "t" * 500}
    entries[4]["question"] = "long " * 400
    return entries


@pytest.fixture
def bench(items, make_benchmark):
    return make_benchmark(items)


@pytest.fixture
def run(made, items, bench, make_run):
    said = [*made.PAYLOADS, *ODD]
    records = made.answers(items)
    records[1::4] = [ReplyRecord(item=entry["id"], text=said[i % len(said)]) for i, entry in enumerate(items[1::4])]
    return make_run(bench, records)


@pytest.fixture
def apart(monkeypatch):
    """Put items beside the page from the first on, few in a file."""
    monkeypatch.setattr(pieces, "MOST_EMBEDDED", 0)
    monkeypatch.setattr(pieces, "A_PIECE", 4_000)


def documents(path):
    """What the files beside a page hand over, by name, as a script would read them."""
    found = {}
    for one in path.with_name(f"{path.name}-items").iterdir():
        text = re.fullmatch(r"audiometryPiece\('(.*)'\);\n", one.read_text()).group(1)
        found[one.name] = json.loads(re.sub(r"\\(['\\])", r"\1", text))
    return found


def test_the_files_hold_the_same_items_as_the_page_would_and_their_clips(made, run, tmp_path, monkeypatch):
    whole = made.Page(html.write([run], tmp_path / "whole.html"))
    assert "strict-dynamic" not in whole.text
    assert not (tmp_path / "whole.html-items").exists()
    size = len(re.search(r'id="items">(.*?)</script>', whole.text, re.DOTALL).group(1).encode())
    monkeypatch.setattr(pieces, "A_PIECE", size // 8)
    for most, beside in ((size, False), (size - 100, True)):
        monkeypatch.setattr(pieces, "MOST_EMBEDDED", most)
        path = html.write([run], tmp_path / "apart.html")
        assert path.with_name("apart.html-items").exists() == beside
    page, files = made.Page(path), documents(path)
    listed = page.data("pieces")
    assert (listed["folder"], "apart.html-items/</code> beside it" in page.text) == ("apart.html-items", True)
    assert len(listed["whole"]) >= 8
    assert sorted(files) == sorted([*listed["brief"], *(name for name, _ in listed["whole"])])
    read = []
    for name, first in listed["whole"]:
        assert first == len(read)
        read += files[name]["items"]
        numbers = {str(number) for item in files[name]["items"] for number in item["clips"]}
        assert files[name]["clips"] == {number: whole.data("clips")[int(number)] for number in numbers}
    assert read == whole.data("items")
    brief = [item for name in listed["brief"] for item in files[name]]
    assert [(one["id"], one["task"], one["gold"]) for one in brief if "gold" in one] == [
        (one["id"], one["task"], one["gold"]) for one in read if "gold" in one
    ]
    assert [[reply.get("verdict", 0) for reply in one["replies"]] for one in brief] == [
        [reply.get("verdict", 0) for reply in one["replies"]] for one in read
    ]
    assert max(len(one["question"]) for one in brief) == 301
    assert brief[3]["tags"] == {"__proto__": ["a"], "kind": "kind-3"}
    assert not any("text" in reply for one in brief for reply in one["replies"])


def test_files_of_earlier_pages_go_once_the_new_page_is_there_and_others_stay(made, run, tmp_path, apart, monkeypatch):
    path = html.write([run], tmp_path / "report.html")
    folder, text = tmp_path / "report.html-items", path.read_text()
    names = {one.name for one in folder.iterdir()}
    (folder / "mine.js").write_text("kept")
    monkeypatch.setattr(pieces, "A_PIECE", 6_000)
    before = atomic.write_parts

    def killed(place, parts, **more):
        if place == path:
            list(parts)
            raise StorageError("the machine went off")
        before(place, parts, **more)

    monkeypatch.setattr(atomic, "write_parts", killed)
    with pytest.raises(StorageError):
        html.write([run], path)
    assert path.read_text() == text
    assert {one.name for one in folder.iterdir()} == {"mine.js", *names}
    monkeypatch.setattr(atomic, "write_parts", before)
    listed = made.Page(html.write([run], path)).data("pieces")
    now = {*listed["brief"], *(name for name, _ in listed["whole"])}
    assert now != names
    assert {one.name for one in folder.iterdir()} == {"mine.js", *now}
    monkeypatch.setattr(pieces, "MOST_EMBEDDED", 25_000_000)
    html.write([run], path)
    assert [one.name for one in folder.iterdir()] == ["mine.js"]
    (folder / "mine.js").unlink()
    html.write([run], path)
    assert not folder.exists()


@pytest.fixture
def other(items, bench, make_run):
    """A run of the same benchmark with other replies."""
    return make_run(bench, [ReplyRecord(item=one["id"], text="None of them.") for one in items], name="other")


def names_of(made, path):
    listed = made.Page(path).data("pieces")
    return {*listed["brief"], *(name for name, _ in listed["whole"])}


def test_pages_whose_names_differ_in_the_ending_have_folders_of_their_own(made, run, other, tmp_path, apart):
    first, *others = [tmp_path / name for name in ("a.html", "a.htm", "a")]
    html.write([run], first)
    for path in others:
        html.write([other], path)
    for path in (first, *others):
        assert names_of(made, path) == {one.name for one in path.with_name(f"{path.name}-items").iterdir()}


def test_what_killed_writers_left_goes_after_an_hour_and_what_others_write_stays(made, run, tmp_path, apart):
    path = html.write([run], tmp_path / "report.html")
    folder = path.with_name("report.html-items")
    left = [tmp_path / ".report.html.abcd_123", folder / f".{'0a' * 10}.js.abcd_123", folder / f"{'0b' * 10}.js"]
    mine = [tmp_path / ".other.html.abcd_123", tmp_path / ".report.html", folder / ".notes.abcd_123"]
    for one in (*left, *mine):
        one.write_text("half")
    html.write([run], path)
    assert all(one.exists() for one in left)  # they may be of a report that is being written
    for one in (*left, *mine):
        os.utime(one, (1_000_000_000, 1_000_000_000))
    html.write([run], path)
    assert [one.exists() for one in (*left, *mine)] == [False, False, False, True, True, True]
    assert names_of(made, path) <= {one.name for one in folder.iterdir()}


def test_what_ends_the_items_is_not_the_disks_doing(tmp_path):
    def rows():
        yield b"{}"
        raise OSError(errno.EMFILE, "Too many open files")

    with pieces.ItemShelf(tmp_path / "report.html") as items, pytest.raises(OSError, match="Too many open files"):
        items.put(rows())


def test_a_report_that_cannot_be_written_leaves_no_links_to_clips(run, tmp_path, apart, monkeypatch):
    monkeypatch.setattr(clips, "MOST_EMBEDDED", 0)
    path, write = tmp_path / "report.html", atomic.write

    def full(place, data):
        raise StorageError(f"cannot write {place}: No space left on device; free some space")

    monkeypatch.setattr(atomic, "write", full)
    with pytest.raises(StorageError):
        html.write([run], path)
    assert list(tmp_path.glob("*report*")) == []
    monkeypatch.setattr(atomic, "write", write)
    html.write([run], path)
    linked = set((tmp_path / "report.html-audio").iterdir())
    monkeypatch.setattr(atomic, "write", full)
    with pytest.raises(StorageError):
        html.write([run], path)
    assert linked
    assert set((tmp_path / "report.html-audio").iterdir()) == linked


@pytest.mark.parametrize("last", ["inner", "outer"])
def test_two_reports_to_one_file_at_once_leave_the_page_that_stands_all_its_items(
    made, run, other, tmp_path, apart, monkeypatch, last
):
    path = html.write([run], tmp_path / "report.html")
    folder, at_first = path.with_name("report.html-items"), names_of(made, path)
    for one in (path, *folder.iterdir()):
        os.utime(one, (1_000_000_000, 1_000_000_000))
    before = atomic.write_parts

    def meanwhile(place, parts, **more):
        if place != path:
            before(place, parts, **more)
            return
        monkeypatch.setattr(atomic, "write_parts", before)
        if last == "outer":  # the other report starts and ends when all files of this one are there, but not its page
            parts = list(parts)
            html.write([other], path)
        before(place, parts, **more)
        if last == "inner":  # the other one ends when this one's page is there, before anything was removed
            html.write([run], path)

    monkeypatch.setattr(atomic, "write_parts", meanwhile)
    html.write([run if last == "outer" else other], path)
    there = {one.name for one in folder.iterdir()}
    assert names_of(made, path) == at_first
    assert at_first <= there


BROKEN = {
    "brief torn": ("brief", "audiometryPiece('[{');"),
    "brief of another kind": ("brief", "audiometryPiece('{}');"),
    "whole torn": ("whole", "audiometryPiece('{');"),
    "whole empty": ("whole", "audiometryPiece('null');"),
    "whole of others": ("whole", None),
}


@pytest.mark.browser
@pytest.mark.parametrize("what", BROKEN)
def test_a_file_that_was_not_written_with_the_page_is_said_and_shows_no_item(made, run, tmp_path, apart, visit, what):
    path = html.write([run], tmp_path / "r.html")
    listed, (kind, text) = made.Page(path).data("pieces"), BROKEN[what]
    folder, whole = path.with_name("r.html-items"), [name for name, _ in listed["whole"]]
    wrong = folder / (listed["brief"][0] if kind == "brief" else whole[0])
    wrong.write_text(text or (folder / whole[1]).read_text())
    page = visit().page
    page.goto(path.as_uri())
    place = "#reading"
    if kind == "whole":
        page.locator("#list .row").first.click()
        place = "#open-item"
    said = f"{wrong.name} in the folder r.html-items/ is not as it was written with this page"
    page.wait_for_function(
        "([place, said]) => document.querySelector(place)?.textContent.includes(said)", arg=[place, said]
    )
    if kind == "whole":
        assert page.locator("#open-item").inner_text().startswith(said)
        page.locator("#search").fill("zzzz")
        page.wait_for_function("(said) => document.getElementById('status').textContent.includes(said)", arg=said)


@pytest.mark.slow
@pytest.mark.browser
def test_from_a_web_server_a_file_beside_the_page_is_read_and_never_run(
    run, made, items, tmp_path, apart, visit, served
):
    path = html.write([run], tmp_path / "r ü%.html")
    seen = visit()
    page = seen.page
    page.goto(served(path))
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate(ASKED)[:3] == [entry["question"] for entry in items[:3]]
    page.locator("#list .row").nth(5).click()
    page.wait_for_selector("#open-item .facts")
    whole = path.with_name("r ü%.html-items") / made.Page(path).data("pieces")["whole"][-1][0]
    whole.write_text("window.pwned = 1;" + whole.read_text())
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.locator("#search").fill("zzzz")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('not as it was written')")
    whole.unlink()
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.locator("#search").fill("zzzz")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('is not there')")
    assert page.evaluate("() => [window.pwned, document.querySelectorAll('script[src]').length]") == [None, 0]


@pytest.mark.browser
def test_a_browser_reads_the_files_beside_a_page_and_says_where_they_are_missed(run, items, tmp_path, apart, visit):
    path = html.write([run], tmp_path / "my ü%20report.html")
    seen = visit()
    page = seen.load(path)
    shown = page.evaluate(ASKED)
    assert shown[:3] == [entry["question"] for entry in items[:3]]
    page.locator("#list .row").nth(5).click()
    page.wait_for_selector("#open-item .facts")
    assert items[5]["source"] in page.locator("#open-item").inner_text()
    assert page.evaluate("() => document.querySelector('#open-item audio').src").startswith("blob:")
    page.locator("#search").fill("made for test 47")
    page.wait_for_function("() => document.querySelectorAll('#list > li').length === 1")
    assert page.evaluate(ASKED) == [items[47]["question"]]
    assert page.evaluate("() => [window.pwned, Object.keys({}.__proto__).length]") == [None, 0]
    assert seen.clean()
    alone = visit()
    shutil.copy(path, tmp_path / "moved.html")
    page = alone.page
    page.goto((tmp_path / "moved.html").as_uri())
    shutil.rmtree(tmp_path / "my ü%20report.html-items")
    page.reload()
    page.wait_for_function("() => document.getElementById('reading').textContent.includes('Copy that folder too')")
    assert "my ü%20report.html-items/" in page.locator("#reading").inner_text()
