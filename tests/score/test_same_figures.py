"""One question has one answer: page, terminal and ``--json`` hold the same figures, whatever the measure."""

import html
import json
import re
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal

import pytest

from audiometry.report.views.comparison import UNABLE

CARD = """
[benchmark]
name = "made"
version = "1"
[[task]]
name = "bells"
category = "sound"
[[task]]
name = "horns"
category = "sound"
[[task]]
name = "voices"
category = "speech"
[[task]]
name = "mood"
category = "speech"
kind = "label"
labels = ["angry", "happy", "sad"]
[[task]]
name = "genre"
category = "music"
kind = "label"
labels = ["folk", "jazz"]
[[task]]
name = "words"
category = "speech"
kind = "transcript"
[[task]]
name = "lyrics"
category = "music"
kind = "transcript"
[[task]]
name = "talk"
category = "speech"
kind = "open"
[[task]]
name = "scene"
category = "sound"
kind = "open"
"""
ANSWERS = {
    "mood": ["angry", "happy", "sad"],
    "genre": ["folk", "jazz"],
    "words": ["a cat sat on the mat", "two dogs bark"],
    "lyrics": ["la la la la", "love me do", "so long"],
    "talk": ["She asks for tea. [q=8]"],
    "scene": ["Rain on a roof. [q=7]", "A street. [q=9]"],
}
SAID = {
    "bells": ["A", "B", "None of them.", "C"],
    "horns": ["A", "A", "I cannot help with that."],
    "voices": ["A", "B", "C", "D", "A"],
    "mood": ["angry", "happy", "happy", "sad", "I cannot tell."],
    "genre": ["folk", "jazz", "jazz", "polka"],
    "words": ["a cat sat on a mat", "two dogs bark", "dogs bark", ""],
    "lyrics": ["la la la", "love me do", "so so long", "la la la la"],
    "talk": ["She wants tea. [q=6]", "", "Tea! [q=9]", "A man speaks. [q=2]"],
    "scene": ["Rain. [q=7.5]", "Traffic. [q=9]", "I cannot help with that.", "Birds. [q=3]"],
}
TITLES = (
    "Questions with options: share correct · 42",
    "Open questions: judge's score · 28",
    "Labels: macro F1 · 28",
    "Transcripts: word error rate · 28",
)
N = 14  # items of a task


def run_of(make_run, folder, shift=0, left_out=(), **changes):
    replies = {}
    for number, (task, k) in enumerate((task, k) for task in SAID for k in range(N)):
        said = SAID[task][(k * (1 + shift) + shift) % len(SAID[task])]
        failed = task in {"horns", "genre", "lyrics"} and k == N - 1
        lost = {"error": {"kind": "timeout", "message": "late"}}
        replies[f"item-{number:05}", "plain"] = lost if failed else said
        if f"item-{number:05}" in left_out:
            del replies[f"item-{number:05}", "plain"]
        replies[f"item-{number:05}", "noise"] = "B" if task in {"bells", "horns", "voices"} else "jazz"
    return make_run(folder, replies, variants=("plain", "noise"), **changes)


@pytest.fixture
def bench(make_benchmark):
    rows = []
    for task in SAID:
        for k in range(N):
            row = {"task": task, "tags": {"folder": f"f{k % 2}"} if task == "talk" else {}}
            if task in ANSWERS:
                row |= {"options": [], "answer": ANSWERS[task][k % len(ANSWERS[task])], "meta": "{'heard': 'x'}"}
            rows.append(row)
    return make_benchmark(rows, card=CARD)


def printed(value, one, *, sign=False):
    """As the tables print it: shares in percent with one decimal, judges' scores with two, others with three."""
    if value is None:
        return "none"
    share, high = one["unit"] == "share correct", one["range"][1]
    number = Decimal(f"{100 * value if share else value:.12f}")
    places = 1 if share or (high or 0) > 10 else 2 if high and high > 1 else 3
    rounded = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) + Decimal(0)
    return f"{rounded:+z}" if sign else str(rounded)


def span(pair, one, **how):
    return "" if pair is None else " to ".join(printed(end, one, **how) for end in pair)


def p_of(p):
    return (
        ""
        if p is None
        else "< 0.0001"
        if p < 0.0001
        else str(Decimal(f"{p:.12f}").quantize(Decimal("0.0001"), ROUND_HALF_UP))
    )


TITLE = re.compile(r"[A-Z][a-z ]+: [^.]+ · [0-9,]+ of [0-9,]+ items$")
STATES = ("unanswered", "refused", "empty", "failed", "not asked", "unjudged")


MEASURES = ("accuracy", "judge-score", "macro-f1", "wer")
VALUES = {"correct", "score", "macro F1", "word error rate"}


def cells(row, one, against=None):
    """What a table has to show of a row of the JSON."""
    out = {
        "items": f"{row['n_items']:,}",
        "value": printed(row["value"], one),
        "95 %": span(row["interval"], one),
        "answered": f"{row['n_answered']:,}/{row['n_replies']:,}",
    }
    out |= {state: str(n) for state in STATES if (n := row[f"n_{state.replace(' ', '_')}"])}
    if row["bounds"] is not None:
        out["bounds"] = " to ".join("more" if end is None else printed(end, one) for end in row["bounds"])
        out["bounds"] = out["bounds"].replace("to more", "or more")
    if row.get("chance") is not None:
        out["chance"] = printed(row["chance"], one)
    if against:
        out |= {
            name: printed(against[name], {"unit": "share correct", "range": (0, 1)}) for name in ("win", "tie", "loss")
        }
        n, alone = (
            against["n_reference"],
            against["reference"] is not None and against["n_reference"] != row["n_counted"],
        )
        out |= {"reference": f"{printed(against['reference'], one)}{f' of {n} replies' if alone else ''}"}
    return out


def clean(row):
    """Cells of a table by what they are; a state that no reply is in is not told."""
    names = {head: head.removesuffix(", %") for head in row}
    found = {"value" if name in VALUES else name: row[head].replace("\u2212", "-") for head, name in names.items()}
    return {name: cell for name, cell in found.items() if cell and not (name in STATES and cell == "0")}


def titles(rows):
    """The rows with that over everything under one name."""
    return {
        "the whole" if title.lower().startswith(("mean of ", "all items")) else title: row
        for title, row in rows.items()
    }


def of_json(one):
    """Every row of a score, by its title."""
    beside = one["extras"].get("beside") or {}
    out = {
        title: cells(row, one, beside.get(kind, {}).get(title))
        for kind in ("tasks", "categories", "pools", "folders")
        for title, row in (one.get(kind) or {}).items()
        if kind != "categories" or len(one["categories"]) > 1
    }
    if "choice" not in one["kinds"]:  # these are in the table of the listening test
        out |= {f"without its clip: {variant}": cells(row, one) for variant, row in one["variants"].items()}
    return out | {"the whole": cells(one, one, beside.get("all"))}


def table(text):
    """The rows of a table in the terminal: by title, the cells by heading."""
    head, *rows = [line.rstrip() for line in text.splitlines() if line.strip() and not set(line.strip()) <= {"─"}]
    (_, _), *heads = [(found.group(), found.end()) for found in re.finditer(r"\S+( \S+)*", head)]
    found = {}
    for row in rows:
        edge = row.rfind(" ", 0, heads[0][1]) + 1  # of the first number
        starts = [edge, *(end for _, end in heads)]
        found[row[:edge].strip()] = {
            name: cell for (name, end), start in zip(heads, starts, strict=False) if (cell := row[start:end].strip())
        }
    return found


def of_terminal(text):
    """By score, the rows of its tables and the lines below them."""
    out = {}
    starts = [found.start() for found in re.finditer(r"^task  ", text, re.MULTILINE)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        block = text[start:end]
        name, _ = re.search(r"^(\S+): (\S+\+made-1-\S+)$", block, re.MULTILINE).groups()
        rows = {}
        for part in re.findall(r"^.*\n─+\n(?:.+\n)*", block, re.MULTILINE):
            if "answered" in part:
                rows |= {title: clean(row) for title, row in table(part).items()}
            block = block.replace(part, "")
        lines = [line for line in map(str.rstrip, block.splitlines()) if line]
        lines = lines[
            : next((at for at, line in enumerate(lines) if line.startswith(("How far to trust ", "clip "))), None)
        ]
        lines = [line for line in lines if not TITLE.match(line) and not line.startswith(f"{name}: ")]
        out[name] = titles(rows), lines
    return out


def text_of(part):
    part = re.sub(
        r"<script.*?</script>|<svg.*?</svg>|<span class=\"ticks\".*?</span></span>", "", part, flags=re.DOTALL
    )
    part = re.sub(r'<span class="nowrap">([^<]*)</span>', r"\1", part)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", part)).split())


def section(page, name):
    return next(iter(re.findall(rf'<section id="{name}"[ >].*?</section>', page, re.DOTALL)), "")


def of_page(page, n):
    """The same of the n-th score of a page."""
    part = section(page, f"tasks-{MEASURES[n - 1]}")
    name = text_of(re.search(r'<p class="copied"><span class="muted">(.*?)</span>', part)[1])
    rows = {}
    for row in re.findall(r'<tr role="row" class.*?</tr>', part, re.DOTALL):
        if "/" not in row.partition('data-label="answered"')[2]:
            continue  # of a matrix
        title = re.sub(r'<a [^>]*class="items".*?</a>', "", re.search(r"<th scope=.*?</th>", row, re.DOTALL).group())
        found = re.findall(r'data-label="([^"]*)"[^>]*>(.*?)</td>', row, re.DOTALL)
        rows[text_of(title)] = clean({label: text_of(cell) for label, cell in found})
    notes = re.findall(r'<p class="(?:small|finding|finding against)">(.*?)</p>', part, re.DOTALL)
    return name, titles(rows), list(map(text_of, notes))


def numbers(text):
    return set(re.findall(r"\d[\d,]*(?:\.\d+)?", text.replace("−", "-")))


def apart(**sides):
    """What stands on one side and not on another, each named."""
    out = []
    (first, one), *others = sides.items()
    for second, other in others:
        for title in dict.fromkeys((*one, *other)):
            a, b = one.get(title, {}), other.get(title, {})
            out += [
                f"{title}, {head}: {first} {a.get(head)}, {second} {b.get(head)}"
                for head in dict.fromkeys((*a, *b))
                if a.get(head) != b.get(head)
            ]
    return out


@pytest.fixture
def judge(chat_server):
    server = chat_server(judge='{"bias": 0.5}')
    return ("--judge", "openai/mock", "--base-url", server.url)


def test_page_terminal_and_json_hold_the_same_rows_and_notes(bench, make_run, cli, judge, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    run = run_of(make_run, bench)
    document = cli("score", run, *judge, "--json").json
    said = cli("score", run, *judge)
    terminal = of_terminal(said.out)
    path = tmp_path / "page.html"
    assert cli("report", run, "-o", path).code == 0
    page = path.read_text()
    assert list(terminal) == list(document["scores"])
    names, titles = [], []
    for n, _ in enumerate(document["scores"], 1):
        name, rows, notes = of_page(page, n)
        names.append(name)
        one = document["scores"][name]
        in_terminal, lines = terminal[name]
        assert apart(json=of_json(one), terminal=in_terminal) == []
        in_terminal = {title: row for title, row in in_terminal.items() if not title.startswith("without its clip")}
        assert apart(terminal=in_terminal, page=rows) == []
        lacking = [line for line in lines if line.startswith("Incomplete: ")]
        elsewhere = ("Plain matching ", "With its own clips ", "Most often mistaken in ")  # of matrices
        other = [line for line in lines if line.startswith(elsewhere)]
        assert [line for line in lines if line not in notes and line not in {*lacking, *other}] == []
        assert [line for line in notes if line not in lines] == []
        if errors := one["extras"].get("errors"):
            kinds = [f"{errors[f'{kind}s']} {did}" for kind, did in (("substitution", "substituted"),
                     ("deletion", "deleted"), ("insertion", "inserted"))]  # fmt: skip
            assert any(", ".join(kinds) in note and f"Of {errors['reference']} " in note for note in notes)
        summary = text_of(section(page, "summary"))
        titles.append(text_of(re.search(r"<h2.*?</h2>", section(page, f"tasks-{MEASURES[n - 1]}"), re.DOTALL).group()))
        title = titles[-1].partition(" · ")[0]
        mine = summary[summary.index(f"{title}. ") :] if lacking else ""
        listening = text_of(section(page, f"listening-{MEASURES[n - 1]}"))
        rules = text_of(section(page, "rules-accuracy"))
        for line in lacking:
            assert numbers(line.replace("1 %", "")) <= numbers(mine), line
        for line in other:
            assert numbers(line.replace("table 4", "")) <= numbers(listening + rules), line
        for variant, row in one["variants"].items():
            drop = row["difference"]
            found = [printed(drop[end], one) for end in ("score_a", "score_b", "detectable")]
            found += [printed(row["value"], one), span(row["interval"], one), f"{row['n_items']:,} items"]
            found += [printed(drop["difference"], one, sign=True), span(drop["interval"], one, sign=True)]
            found += [p_of(drop["p_corrected"]), f"{drop['n_items']:,}"]
            assert [text for text in found if text not in listening.replace("−", "-")] == [], (name, variant)
    assert set(names) == set(document["scores"])
    in_terminal = [line.rstrip() for line in said.out.splitlines() if TITLE.match(line.rstrip())]
    assert titles == in_terminal == [f"{title} of 126 items" for title in TITLES]


def test_a_judge_has_the_same_account_on_page_terminal_and_json(bench, make_run, cli, judge, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    run = run_of(make_run, bench)
    one = cli("score", run, *judge, "--injections", "3", "--json").json["scores"]["judge-score@strict"]
    said = cli("score", run, *judge)
    path = tmp_path / "page.html"
    assert cli("report", run, "-o", path).code == 0
    page = path.read_text()
    words = text_of(section(page, "judges")).replace("−", "-")
    shown = {}
    for row in re.findall(r'<tr role="row" class.*?</tr>', section(page, "judges"), re.DOTALL):
        who = text_of(re.search(r'<th scope="row".*?</th>', row, re.DOTALL).group())
        found = re.findall(r'data-label="([^"]*)"[^>]*>(.*?)</td>', row, re.DOTALL)
        shown[who] = shown.get(who, {}) | {head: text_of(cell) for head, cell in found}
    for who, account in one["extras"]["judges"].items():
        usage, row = account["usage"], account["row"]
        assert shown[who]["score"] == f"{printed(row['value'], one)} {span(row['interval'], one)}"
        assert shown[who]["comparisons"] == str(account["n_pairs"])
        assert [shown[who][name] for name in ("tokens in", "out", "requests")] == [
            f"{usage[name]:,}" for name in ("tokens_in", "tokens_out", "requests")
        ]
        for part, name in (("p50", "median"), ("p90", "90 %"), ("p99", "99 %")):
            assert shown[who][f"{name} latency, s"] == f"{usage['latency_s'][part]:.2f}"
        found = account["injection"]
        changes = [printed(found["rise"], one, sign=True), span(found["rise_interval"], one, sign=True)]
        said_of_it = f"scores change by {changes[0]} (95 %: {changes[1]})."
        assert said_of_it in said.out
        assert said_of_it in re.sub(" (?=[:;.,)])|(?<=[(]) ", "", words)


def data(page, name):
    return json.loads(re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)[1])


def test_the_page_counts_what_became_of_replies_as_the_tables_do(bench, make_run, cli, chat_server, tmp_path):
    """The section of replies without an answer and the filters of the items, over all kinds of task."""
    run = run_of(make_run, bench, left_out={"item-00001", "item-00050", "item-00090", "item-00120"})
    judge = chat_server(judge=json.dumps({"says": {"Tea! [q=9]": "well"}, "again": {"Tea! [q=9]": "well"}}))
    document = cli("score", run, "--judge", "openai/mock", "--base-url", judge.url, "--json").json
    path = tmp_path / "page.html"
    assert cli("report", run, "-o", path).code == 0
    page = path.read_text()
    every = document["scores"].values()
    due = {state: sum(one[f"n_{state.replace(' ', '_')}"] for one in every) for state in ("answered", *STATES)}
    assert all(due.values()), due
    counted = Counter()
    for row in re.findall(r"<tr.*?</tr>", section(page, "unread"), re.DOTALL)[1:]:
        became, n, _ = (text_of(cell) for cell in re.findall(r"<td.*?</td>", row, re.DOTALL))
        counted[became] += int(n)
    assert counted == {state: due[state] for state in STATES}
    names = data(page, "names")
    replies = [reply for item in data(page, "items") for reply in item["replies"]]
    own = [one for one in replies if one.get("variant", 0) not in names["aside"]]
    became = [names["verdicts"][one.get("verdict", 0)] for one in own]
    assert {state: became.count(state) for state in STATES} == counted
    assert sum(became.count(name) for name in ("correct", "wrong", "answered")) == due["answered"]
    assert re.findall(r"<summary><bdi>(\w+)</bdi>", section(page, "examples")) == list(SAID)  # some of each task


def leaves(part, path=""):
    """The numbers of a document, by their path."""
    if isinstance(part, dict):
        for name, inner in part.items():
            yield from leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(part, list):
        for inner in part:
            yield from leaves(inner, path)
    elif isinstance(part, int | float) and not isinstance(part, bool):
        yield path, part


ONLY_JSON = (
    r"(tasks|categories|folders|pools)\..*\.over_answered",  # of parts of the whole
    r"extras\.judges\..*\.over_answered",
    r".*\.n_effective",  # a warning says where they are too few
    r".*\.orders\..*",  # the page has both places of the answer, with their difference
    r"unscored_items\.another kind of task",  # these have scores of their own
    r"variants\..*\.(over_answered|bounds|n_\w+)",
)


def test_every_number_of_the_document_stands_on_the_page(bench, make_run, cli, judge, tmp_path):
    run = run_of(make_run, bench)
    document = cli("score", run, *judge, "--json").json
    path = tmp_path / "page.html"
    assert cli("report", run, "-o", path).code == 0
    there = numbers(text_of(path.read_text().partition("<main>")[2].partition('<section id="browser"')[0]))
    missing = {}
    for name, one in document["scores"].items():
        for place, number in leaves(one):
            exact = 100 * abs(Decimal(f"{number:.12f}"))
            forms = {printed(abs(number), one), p_of(number), f"{exact:.1f}", f"{exact:.0f}"}
            forms |= {f"{number:,.0f}"} if number == int(number) else set()
            forms |= {f"{number:,.2f}"} if place.endswith(".statistic") else set()
            if not forms & there and not any(re.fullmatch(known, place) for known in ONLY_JSON):
                missing[f"{name} {place}"] = number
    assert missing == {}


def of_difference(row, one):
    """What a table has to show of a difference."""
    return {
        "items": f"{row['n_items']:,}",
        "A": printed(row["score_a"], one),
        "B": printed(row["score_b"], one),
        "A - B": f"{printed(row['difference'], one, sign=True)} {span(row['interval'], one, sign=True)}",
        "p": p_of(row["p"]),
        "p corrected": p_of(row["p_corrected"]),
        "detectable": row["undetectable"] or printed(row["detectable"], one),
    }


def given(row):
    """The cells that say something, by heading without its unit; an interval without its brackets."""
    return {re.split(r", (?:%|points)$", head)[0]: re.sub("[()]", "", cell) for head, cell in row.items() if cell}


def test_comparisons_have_the_same_rows_on_page_terminal_and_json(bench, make_run, cli, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    runs = [run_of(make_run, bench), run_of(make_run, bench, 1, model="made/other")]
    document = cli("compare", *runs, "--json").json
    said = cli("compare", *runs).out
    path = tmp_path / "page.html"
    assert cli("report", *runs, "-o", path).code == 0
    page = path.read_text()
    every = {document["measure"]: document} | {one["measure"]: one for one in document["also"].values()}
    assert list(every) == ["accuracy", "macro-f1", "wer"]
    blocks = re.split(r"^ *task  ", said, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(every)
    for one, block in zip(every.values(), blocks, strict=True):
        rows = {name: given(of_difference(row, one)) for name, row in one["tasks"].items()}
        rows |= {f"all of {name}": given(of_difference(row, one)) for name, row in one["categories"].items()}
        rows["all"] = given(of_difference(one, one))
        head, _, below = block.partition("\nThe difference is ")
        in_terminal = {title: given(row) for title, row in table(f"task  {head}").items()}
        assert apart(json=rows, terminal=in_terminal) == []
        part = section(page, f"comparison-{one['measure']}")
        shown = {}
        for row in re.findall(r"<tr role=\"row\" class.*?</tr>", part, re.DOTALL):
            title = text_of(re.search(r'<th scope="row".*?</th>', row, re.DOTALL).group())
            found = re.findall(r'data-label="([^"]*)"[^>]*>(.*?)</td>', row, re.DOTALL)
            shown[title] = given({head.replace("−", "-"): text_of(cell).replace("−", "-") for head, cell in found})
        assert apart(json=rows, page=shown) == []
        whole, words = of_difference(one, one), text_of(part).replace("−", "-")
        points = " points" if one["unit"] == "share correct" else ""
        assert f"{'lower' if one['direction'] == 'down' else 'higher'} is better." in words
        p = f"p {'' if '<' in whole['p'] else '= '}{whole['p']}"
        difference, interval = printed(one["difference"], one, sign=True), span(one["interval"], one, sign=True)
        for told in (below, words.partition("The difference is ")[2]):
            sentence = re.sub(" (?=[:;.,)])|(?<=[(]) ", "", " ".join(told.split()))
            assert sentence.startswith(f"{difference}{points} (95 %: {interval}; {p})")
            found = f"A true difference of {whole['detectable']}{points} would be found four times in five."
            assert (UNABLE[one["undetectable"]] if one["undetectable"] else found) in sentence
        assert [note for note in one["warnings"] if note not in words and not note.startswith("not compared")] == []
