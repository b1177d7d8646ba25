"""The list of a report's items in a real browser: what a row says, filters, orders, addresses, links from numbers."""

import json
import re
from collections import Counter
from urllib.parse import parse_qs, urlencode

import pytest

from audiometry.records import Failure, ReplyRecord
from audiometry.report import html, pieces

pytestmark = pytest.mark.browser

FOUR = """
[benchmark]
name = "four"
version = "1"

[[task]]
name = "bell"
title = "Which bell"

[[task]]
name = "mood"
kind = "label"
labels = ["glad", "sad: truly", "calm"]

[[task]]
name = "words"
kind = "transcript"

[[task]]
name = "talk"
kind = "open"
"""
GO = """
(hash) => new Promise((done) => {
  addEventListener("hashchange", () => setTimeout(done, 0), { once: true });
  location.hash = hash;
})
"""
MOODS = ("glad", "sad: truly", "calm")
SAID = ("the cat sat", "the hat sat", "cat", "")
ROWS = """
() => [...document.querySelectorAll("#list > li")].map((li) => ({
  marks: [...li.querySelectorAll(".marks > span")].map((n) => n.textContent),
  asks: li.querySelector(".asks").textContent,
  right: li.querySelector(".right").textContent,
  said: [...li.querySelectorAll(".said-so bdi")].map((n) => n.textContent),
  task: li.querySelector(".of-task").textContent,
}))
"""
SEEN = """
() => ({
  status: document.getElementById("status").textContent,
  asks: [...document.querySelectorAll("#list .asks")].map((n) => n.textContent),
  page: document.getElementById("page").textContent,
  open: document.querySelector("#list > li.open .asks")?.textContent,
  controls: [...document.querySelectorAll("#filters select, #search, #filters input:checked")].map((n) => n.value),
})
"""


def four_items(made, n=80):
    """Items of four kinds in turn, with tags of text, truth, number and list; not all have each."""
    entries = []
    for i in range(n):
        kind = i % 4
        answer = (made.item(i)["answer"], MOODS[i // 4 % 3], "the cat sat", "A cat.")[kind]
        tags = {
            "genre": ("rock", "pop:new", "")[i % 3],
            "loud": bool(i % 2),
            "level": 1.5 + i % 2 * 0.5 - 0.5,
            "in": ["a", "b"],
        }
        entry = made.item(i, task=("bell", "mood", "words", "talk")[kind], answer=answer, tags=tags if i % 5 else {})
        entries.append(entry if kind == 0 else entry | {"options": []})
    return entries


def four_replies(made, entries, shift):
    """Of every kind of verdict some, other ones for another shift."""
    found = []
    for i, entry in enumerate(entries):
        right = made.letter(entry, right=(i + shift) % 3 != 0) if entry["options"] else ""
        text = (right, MOODS[(i // 4 + i // 12 + shift) % 3], SAID[(i // 4 + shift) % 4], f"A cat {shift}.")[i % 4]
        found.append(ReplyRecord(item=entry["id"], text=text, attempts=1))
    found[5] = ReplyRecord(item=entries[5]["id"], text="No idea at all.", attempts=1)
    found[17 + 12 * shift] = ReplyRecord(
        item=entries[17 + 12 * shift]["id"], error=Failure(kind="timeout", message="late")
    )
    return found


@pytest.fixture(scope="module")
def kept():
    """The page of four kinds, written once: no test changes it."""
    return []


@pytest.fixture
def four(kept, made, make_benchmark, make_run, tmp_path):
    if not kept:
        entries = four_items(made)
        bench = make_benchmark(entries, name="four", card=FOUR)
        runs = [make_run(bench, four_replies(made, entries, shift), name=f"run & {shift}#1") for shift in (0, 1)]
        kept.append(html.write(runs, tmp_path / "four.html"))
    return kept[0]


def read_back(path):
    """The page's own items, and the names that their numbers stand for."""
    text = path.read_text()
    items, names = (json.loads(text.partition(f'id="{name}">')[2].partition("<")[0]) for name in ("items", "names"))
    return items, names


def test_a_row_says_verdict_question_and_what_was_right_and_read(visit, four):
    page = visit().load(four)
    rows = page.evaluate(ROWS)
    assert rows[0] == {
        "marks": ["✗wrong", "✓correct"],
        "asks": "What do you hear in clip 0?",
        "right": "a low bell",
        "said": ["a high bell", "a low bell"],
        "task": "Which bell",
    }
    assert (rows[1]["right"], rows[1]["said"]) == ("glad", ["glad", "sad: truly"])
    assert (rows[2]["right"], rows[2]["said"]) == ("the cat sat", ["the cat sat", "the hat sat"])
    assert rows[2]["marks"] == ["0 errorsin 3", "1 errorin 3"]
    assert (rows[3]["right"], rows[3]["said"]) == ("A cat.", ["A cat 0.", "A cat 1."])
    assert rows[5]["said"] == ["–"]
    assert rows[17]["marks"][0] == "!failed"
    assert rows[6]["marks"] == ["1 errorin 3", "2 errorsin 3"]


def test_rows_of_a_page_are_laid_out_alike_and_verdicts_that_nothing_has_are_not_offered(visit, four):
    page = visit().load(four)
    for query in ("", "task=words", "task=mood"):
        page.evaluate(GO, f"#browser?{query}")
        kinds = page.locator("#list .row").evaluate_all("(all) => [...new Set(all.map((row) => row.className))]")
        assert len(kinds) == 1, query
        shown = page.locator("#verdicts label:visible .n").all_inner_texts()
        assert "0" not in shown[1:], query
    page.evaluate(GO, "#browser?task=words&verdict=wrong")  # one that is chosen can be taken back
    assert "0" in page.locator("#verdicts label:visible .n").all_inner_texts()


def test_items_in_files_beside_the_page_are_listed_and_filtered_like_those_in_it(visit, four, tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "MOST_EMBEDDED", 0)
    pages = [
        visit().load(path) for path in (four, html.write(sorted(four.parent.glob("run *")), tmp_path / "beside.html"))
    ]
    for query in ("", "score=errors", "right=glad&chosen=calm", "tag=level:1.0&sort=how", "verdict=differ&sort=most"):
        for page in pages:
            page.evaluate(GO, f"#browser?{query}&page=1")
        seen, beside = ((page.evaluate(SEEN), page.evaluate(ROWS)) for page in pages)
        assert seen == beside
        assert seen[1]


@pytest.mark.slow
def test_every_number_of_a_confusion_matrix_leads_to_exactly_its_replies(visit, four):
    seen = visit()
    page = seen.load(four)
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => (one.open = true))")
    links = page.locator("a[href*='chosen=']")
    cells = [(link.get_attribute("href"), int(link.text_content())) for link in links.all()]
    rights = [parse_qs(href, keep_blank_values=True)["right"][0] for href, _ in cells]
    assert {right in MOODS for right in rights} == {True, False}  # labels, and options that all questions have
    for number, (href, n) in enumerate(cells):
        links.nth(number).click()
        asked = parse_qs(href.removeprefix("#browser?"), keep_blank_values=True)
        page.wait_for_function("href => location.hash === href", arg=href)
        assert page.locator("#status").text_content().split()[0] == str(n)
        for row in page.evaluate(ROWS):
            assert row["right"] == asked["right"][0]
            assert row["said"] == [asked["chosen"][0] or "–"]
            assert len(row["marks"]) == 1
        assert page.locator("#run").input_value() == asked["run"][0]
        assert page.locator("#only-said").text_content().startswith(f"Only replies where {asked['right'][0]} is right")
    of_labels = [n for (_, n), right in zip(cells, rights, strict=True) if right in MOODS]
    assert sum(of_labels) == 2 * 20 - 2  # replies to labels that came
    page.locator("#all-answers").click()
    assert not page.locator("#only").is_visible()
    assert "chosen" not in page.url
    assert seen.clean()


@pytest.mark.slow
def test_every_link_to_items_leads_to_some(visit, four):
    seen = visit()
    page = seen.load(four)
    links = set(page.locator("a[href^='#browser?']").evaluate_all("all => all.map((one) => one.getAttribute('href'))"))
    assert len(links) > 20
    for href in sorted(links):
        page.evaluate(GO, href)
        assert page.evaluate(SEEN)["asks"], href
    assert seen.clean()


def expected(items, names, test):
    """How many items have a reply that passes, as the page's status says it."""
    found = [[reply for reply in item["replies"] if test(item, reply)] for item in items]
    n, replies = sum(map(bool, found)), sum(map(len, found))
    said = "No item is like that" if not n else f"{n} of {len(items)} items" if n < len(items) else f"{n} items"
    return said + (f", {replies} replies" if replies != n else "")


@pytest.mark.slow
def test_filters_let_through_what_they_say_and_an_address_gives_exactly_that_again(visit, four):
    items, names = read_back(four)
    seen = visit()
    page = seen.load(four)

    def tag(name, value):
        return lambda item, _: item.get("tags", {}).get(name) == value

    def verdict(reply):
        return names["verdicts"][reply.get("verdict", 0)]

    tests = {
        "tag=genre:pop%3Anew": tag("genre", "pop:new"),
        "tag=genre:": tag("genre", ""),
        "tag=genre": lambda item, _: "genre" in item.get("tags", {}),
        "tag=loud:True": tag("loud", True),
        "tag=level:1.0": tag("level", 1.0),
        "tag=in:b": lambda item, _: "in" in item.get("tags", {}),
        "how=timeout": lambda _, reply: reply.get("how") == "timeout",
        "verdict=differ": lambda item, _: len({verdict(reply) for reply in item["replies"]}) > 1,
        "verdict=answered&task=talk": lambda item, _: names["tasks"][item["task"]]["name"] == "talk",
        "task=mood&verdict=wrong&run=" + urlencode({"": names["runs"][1]})[1:]: lambda item, reply: (
            names["tasks"][item["task"]]["name"] == "mood" and verdict(reply) == "wrong" and reply.get("run", 0) == 1
        ),
        "score=exact": lambda _, reply: "edits" in reply and sum(reply["edits"][:3]) == 0,
        "score=errors&q=SMALL/02+what": lambda item, reply: (
            sum(reply.get("edits", [0])[:3]) > 0 and item["id"].startswith("small/02")
        ),
        "right=sad%3A+truly&chosen=glad": lambda item, reply: (
            item.get("answer") == "sad: truly" and reply.get("read") == "glad"
        ),
    }
    for query, test in tests.items():
        page.evaluate(GO, f"#browser?{query}")
        assert page.locator("#status").text_content() == expected(items, names, test), query
    hows = Counter(reply.get("how") for item in items for reply in item["replies"])
    page.locator("#clear").click()
    for how in page.locator("#how option").evaluate_all("all => all.map((one) => one.value)")[1:]:
        page.locator("#how").select_option(how)
        assert page.locator("#status").text_content() == expected(
            items, names, lambda _, reply, how=how: reply.get("how") == how
        )
        assert hows[how] > 0
    page.locator("#how").select_option("")
    page.locator("#tag").select_option("genre")
    page.locator("#value").select_option(label="rock")
    page.locator("#sort").select_option("tag")
    page.locator("#search").fill("clip")
    page.locator("label[for=verdict-wrong]").click()
    page.wait_for_function("() => location.hash.includes('q=clip')")
    assert parse_qs(page.url.partition("?")[2]) == {
        "verdict": ["wrong"],
        "tag": ["genre:rock"],
        "q": ["clip"],
        "sort": ["tag"],
    }
    page.locator("#list .row").nth(1).click()
    other = visit().page
    other.goto(page.url)
    other.wait_for_selector("html[data-ready]")
    assert other.evaluate(SEEN) == page.evaluate(SEEN)
    assert page.evaluate(SEEN)["open"]
    assert page.locator("#link").evaluate("link => link.href") == page.url
    page.locator("#link").click()
    page.wait_for_function(
        "() => ['copied', 'it is the page\\'s address'].includes(document.getElementById('copied').textContent)"
    )
    assert seen.clean()


def rate(item):
    """Mean over the replies of errors by unit of the reference."""
    rates = [sum(reply["edits"][:3]) / reply["edits"][3] for reply in item["replies"]]
    return round(sum(rates) / len(rates), 6)


@pytest.mark.slow
def test_nothing_serious_stands_in_the_way_of_anybody_who_reads_the_list(visit, four, axe, made):
    page = visit(1280).load(four)
    page.evaluate(GO, "#browser?tag=in:b&right=glad&chosen=glad&sort=tag")
    page.locator("#list .row").first.click()
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert axe(page) == [], width
        assert page.evaluate(made.CONTRAST) == [], width
        assert page.evaluate(made.OVERFLOW) == 0, width
    page.emulate_media(color_scheme="dark")
    assert axe(page, "color-contrast") == []
    assert page.evaluate(made.CONTRAST) == []


def test_orders_put_items_by_what_they_say(visit, four):
    page = visit().load(four)
    found = {}
    for order in page.locator("#sort option").evaluate_all("all => all.map((one) => one.value)")[1:]:
        page.locator("#sort").select_option(order)
        found[order] = page.evaluate(ROWS)
    assert list(found) == ["task", "verdict", "how", "fewest", "most"]
    assert [row["task"] for row in found["task"]] == ["Which bell"] * 20 + ["mood"] * 20 + ["words"] * 10
    rates = {item["question"]: rate(item) for item in read_back(four)[0] if "edits" in item["replies"][0]}
    least = [rates[row["asks"]] for row in found["fewest"][:20]]
    assert least == sorted(least)
    assert [rates[row["asks"]] for row in found["most"][:20]] == least[::-1]
    assert any("answered" in mark or "error" in mark for mark in found["verdict"][0]["marks"])
    page.locator("#tag").select_option("genre")
    page.locator("#sort").select_option("tag")
    page.locator("#value").select_option(label="any value")
    genre = {f"What do you hear in clip {i}?": ("rock", "pop:new", "")[i % 3] for i in range(80)}
    shown = [genre[row["asks"]] for row in page.evaluate(ROWS)]
    assert shown == sorted(shown)


def test_back_undoes_what_a_link_did_and_closes_an_item(visit, four):
    seen = visit()
    page = seen.load(four)
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => (one.open = true))")
    before = page.evaluate(SEEN)
    page.locator("a[href*='chosen=']:visible").first.click()
    page.wait_for_selector("#only:not([hidden])")
    filtered = page.evaluate(SEEN)
    page.locator("#list .row").first.click()
    assert page.evaluate(SEEN)["open"]
    assert "item=" in page.url
    page.keyboard.press("j")  # the next item is no further step
    page.go_back()
    page.wait_for_function("() => !document.querySelector('#list > li.open')")
    assert page.evaluate(SEEN) == filtered
    page.locator("#list .row").first.click()
    page.keyboard.press("Escape")  # as "Back" does
    page.wait_for_function("() => !location.hash.includes('item=')")
    assert page.evaluate(SEEN) == filtered
    page.go_back()
    page.wait_for_function("() => document.getElementById('only').hidden")
    assert page.evaluate(SEEN) == before
    page.go_forward()
    page.wait_for_function("() => !document.getElementById('only').hidden")
    assert page.evaluate(SEEN) == filtered
    assert seen.clean()


def test_back_undoes_filters_one_by_one_and_a_search_as_a_whole(visit, four):
    seen = visit()
    page = seen.load(four)
    states = [("", page.evaluate(SEEN))]

    def narrowed(asked):
        page.wait_for_function("(asked) => location.hash === asked", arg=asked)
        states.append((asked, page.evaluate(SEEN)))

    page.locator("label[for=verdict-wrong]").click()
    narrowed("#browser?verdict=wrong")
    page.locator("#search").press_sequentially("cl", delay=60)
    narrowed("#browser?verdict=wrong&q=cl")
    page.locator("#search").press_sequentially("ip 1", delay=60)  # no further step
    states.pop()
    narrowed("#browser?verdict=wrong&q=clip+1")
    page.locator("#sort").select_option("task")
    narrowed("#browser?verdict=wrong&q=clip+1&sort=task")
    page.locator("#list .row").first.click()
    page.go_back()
    for asked, state in states[-2::-1]:
        page.go_back()
        page.wait_for_function("(asked) => location.hash === asked", arg=asked)
        page.wait_for_function(
            "(status) => document.getElementById('status').textContent === status", arg=state["status"]
        )
        assert page.evaluate(SEEN) == state
    assert page.locator("#search").input_value() == ""
    assert page.locator("#verdict-all").is_checked()
    page.go_forward()
    page.wait_for_function("() => document.getElementById('verdict-wrong').checked")
    assert seen.clean()


def test_keys_work_from_page_load_and_never_in_fields(visit, four):
    page = visit().load(four)
    page.keyboard.press("Enter")
    first = page.evaluate(SEEN)["asks"][0]
    assert page.evaluate(SEEN)["open"] == first
    page.keyboard.press("Escape")
    page.wait_for_function("() => !location.hash.includes('item=')")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    for key in "jj":
        page.keyboard.press(key)
    assert page.evaluate("() => document.activeElement.closest('li') === document.querySelectorAll('#list > li')[1]")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    assert page.evaluate(SEEN)["open"] == first
    page.keyboard.press("/")
    page.keyboard.type("jkp/")
    assert page.locator("#search").input_value() == "jkp/"
    page.wait_for_function("() => location.hash === '#browser?q=jkp%2F'")
    assert page.locator("#list > li").count() == 0
    page.locator("#task").focus()
    page.keyboard.press("j")
    assert page.evaluate("() => document.activeElement.id") == "task"


HOSTILE = (
    "#browser?task=<img src=x onerror='window.pwned=1'>",
    "#browser?task=__proto__&verdict=constructor&tag=toString:valueOf&sort=hasOwnProperty",
    "#browser?run=%00%1b[31m&how=%E2%80%AEevil&score=win,none",
    "#browser?q=" + "%3Cscript%3E" * 3000,
    "#browser?page=-7&sort=nothing",
    "#browser?page=1e9",
    "#browser?page=%F0%28&%FF=%FE&&==&item",
    "#browser?item=javascript:window.pwned=2",
    "#item=%E0%A4%A",
    "#item=" + "x" * 100_000,
    "#browser?right=" + "y" * 100_000 + "&chosen=%22%3E%3Cb%3E",
    "#browser?tag=genre&tag=loud:true&verdict=wrong&verdict=",
)


def test_hostile_addresses_do_nothing_but_say_what_the_page_has_not(visit, four):
    seen = visit(400)
    page = seen.load(four)
    for address in HOSTILE:
        page.evaluate(GO, address)
        page.wait_for_function("() => document.getElementById('status').textContent !== 'Reading the items …'")
        said = page.evaluate(SEEN)
        asked = address.removeprefix("#browser?")
        if asked.startswith(("task", "run", "right")):
            assert said["asks"] == []
            assert "The page has no " in said["status"]
        if asked.startswith("page"):
            assert len(said["asks"]) == 50
        assert len(said["status"]) < 400
        assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert page.evaluate("() => [window.pwned, document.querySelectorAll('main img, main b').length]") == [None, 0]
    page.evaluate(GO, "#browser")
    assert page.evaluate(SEEN)["status"] == "80 items, 160 replies"
    assert seen.clean()


def test_without_scripts_there_is_nothing_that_does_nothing(browser, four):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(four.resolve().as_uri())
    assert "needs JavaScript" in page.locator("#browser").inner_text()
    shown = page.locator("form, input, select, button, kbd, #list, #link").all()
    assert shown
    assert not any(one.is_visible() for one in shown)
    assert page.locator("a[href^='#browser?'], a[href^='#item=']").count() == 0
    page.locator("summary:visible", has_text="What is taken for what").click()
    cell = page.locator("a[data-items*='chosen=']:visible").first
    assert cell.is_visible()
    assert int(cell.inner_text()) > 0
    assert not page.get_by_text("Open this item").first.is_visible()
    context.close()


@pytest.mark.parametrize("n", [0, 1])
def test_of_no_item_and_of_one_only_what_can_matter_is_offered(visit, made, make_benchmark, make_run, n):
    entries = [made.item(0, tags={"all": "alike"})]
    path = html.write([make_run(make_benchmark(entries), made.answers(entries))])
    if not n:  # no run is of none; a page may be
        before, item, after = re.split(
            r'(?<=id="items">)(.*?)(?=</script>)', path.read_text(), maxsplit=1, flags=re.DOTALL
        )
        assert entries[0]["id"] in item
        path.write_text(f"{before}[]{after}")
    seen = visit()
    page = seen.load(path)
    assert page.locator("#status").text_content() == ("1 item" if n else "There are no items.")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.keyboard.press("p")
    page.keyboard.press("Escape")
    for name in ("task", "tag", "value", "how", "run", "variant", "score"):
        assert not page.locator(f"#{name}-field").is_visible(), name
    assert seen.clean()


EVIL = (
    "<script>window.pwned = 1</script>",
    "\u202eevil\u2066",
    "n" * 3000,
    "a b\x1b[31m&=#?+%",
    '"><img src=x onerror=alert(1)>',
)


@pytest.mark.slow
def test_fifty_runs_and_names_of_any_kind_keep_their_place(visit, made, make_benchmark, make_run, tmp_path):
    entries = [
        made.item(i, id=f"{i}/{name}", question=name * (16 if i == 2 else 1), tags={name: name, "all": list(EVIL)})
        | {"options": [name, "b", "c", "d"], "answer": name}
        for i, name in enumerate(EVIL)
    ]
    entries[0]["question"] = "q" * 50_000  # more is no question
    card = "\n".join(f"[[task]]\nname = {json.dumps(task)}" for task in ("bell", "voice"))
    bench = make_benchmark(entries, card=f'[benchmark]\nname = "small"\nversion = "1"\n{card}'.replace("{", "{{"))
    replies = [ReplyRecord(item=entry["id"], text="AB"[i % 2]) for i, entry in enumerate(entries)]
    models = [*(f"{name}{n}" for n, name in enumerate(EVIL)), *(f"other {n}" for n in range(5, 49))]
    runs = [make_run(bench, replies, name=f"run{n}", model=model) for n, model in enumerate(models)]
    replies[1] = ReplyRecord(item=entries[1]["id"], text="B" + "m" * 1_000_000)
    runs.append(make_run(bench, replies, name="long", model="long"))
    seen = visit(400)
    page = seen.load(html.write(runs, tmp_path / "fifty.html"))
    rows = page.evaluate(ROWS)
    assert [len(row["marks"]) for row in rows] == [8] * 5
    assert page.locator("#list .marks").first.text_content().endswith("and 42 more")
    assert page.locator("#list .marks .by").nth(1).get_attribute("title") == EVIL[1] + "1"
    assert page.locator("#run option").count() == 51
    offered = page.locator("#filters option").all_text_contents()
    assert any("\\u202eevil\\u2066" in text for text in offered)
    assert not any("\u202e" in text for text in offered)
    drawn = "(all) => all.map((key) => [key.dataset.series, key.querySelector('path').outerHTML])"
    heads = dict(page.locator("#summary [data-series], #tasks [data-series]").evaluate_all(drawn))
    marks = page.locator("#list .row").first.locator(".by .key").evaluate_all(drawn)
    assert marks == [[str(run), heads[str(run)]] for run in range(8)]
    assert len({drawing for _, drawing in marks}) == 8
    for i, name in enumerate(EVIL):
        page.locator("#tag").select_option(name)
        page.locator("#value").select_option(f":{name}")
        assert page.locator("#status").text_content() == "1 of 5 items, 50 replies"
        assert page.evaluate(ROWS)[0]["right"] == name[:300] + " …" * (len(name) > 300)
        page.locator("#run").select_option(f"{name}{i}")
        page.locator("#list .row").click()
        again = page.url
        page.evaluate(GO, "#browser")
        page.evaluate(GO, again.partition("#")[2].join(["#", ""]))
        assert page.locator("#open-item").get_attribute("aria-label") == f"Item {i}/{name}"
        assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
        page.locator("#clear").click()
    page.set_viewport_size({"width": 1280, "height": 900})
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert page.evaluate("() => [window.pwned, document.querySelectorAll('main img').length]") == [None, 0]
    assert seen.clean()
