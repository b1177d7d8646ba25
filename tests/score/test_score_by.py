"""``audiometry score --by``: rows for the values of a tag, on the terminal as in JSON."""

import re

import pytest

GENRES = [{"genre": "jazz"}, {"genre": ["jazz", "rock"]}, {"genre": "rock"}, {}]


@pytest.fixture
def run(make_benchmark, make_run):
    folder = make_benchmark([{"tags": tags} for tags in GENRES * 4], clips=False)
    return make_run(
        folder, {f"item-{n:05}": "ABCD"[n % 4] for n in range(12)} | {f"item-{n:05}": "-" for n in range(12, 16)}
    )


@pytest.mark.parametrize("profiles", [(), ("--profile", "airbench", "--profile", "strict")])
def test_each_value_has_a_row_in_the_table(cli, run, profiles):
    said = cli("score", run, "--by", "genre", *profiles)
    assert said.code == 0
    lines = [line for line in said.out.splitlines() if "genre: " in line]
    assert [line.split()[1] for line in lines] == ["jazz", "rock"]
    assert all("75.0" in line for line in lines)


def test_json_has_the_same_rows(cli, run):
    rows = cli("score", run, "--by", "genre", "--json").json["scores"]["strict"]["by"]["genre"]
    assert {value: (row["value"], row["n_items"]) for value, row in rows.items()} == {
        "jazz": (0.75, 8),
        "rock": (0.75, 8),
    }


def test_a_tag_that_no_item_has_is_one_line_with_the_nearest(cli, run):
    said = cli("score", run, "--by", "genres")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "unknown tag of the items 'genres'; did you mean 'genre'" in said.err


@pytest.mark.parametrize("profiles", [(), ("--profile", "airbench", "--profile", "strict")])
def test_what_a_row_is_over_is_said_where_the_headline_is_a_mean_of_tasks(cli, make_benchmark, make_run, profiles):
    items = [{"task": task, "tags": {"genre": "jazz"}} for task in ["a"] * 9 + ["b"]]
    replies = {f"item-{n:05}": "ABCD"[n % 4] for n in range(9)} | {"item-00009": "-"}
    found = cli("score", make_run(make_benchmark(items, clips=False), replies), "--by", "genre", *profiles).out
    assert "90.0" in found  # 9 of 10 items
    assert "50.0" in found  # the mean of two tasks
    assert found.count("Rows of genre: all items as one, whatever their task, no mean of tasks.") == 1


def test_it_is_not_said_where_the_headline_is_over_the_same_items(cli, run):
    assert "Rows of genre" not in cli("score", run, "--by", "genre").out


def test_a_page_has_the_rows_that_the_terminal_has(cli, run, tmp_path):
    page = tmp_path / "page.html"
    assert cli("report", run, "--by", "genre", "-o", page).code == 0
    table = re.search(r'<table [^>]*id="table-tasks-by-genre".*?</table>', page.read_text(), re.DOTALL).group()
    rows = [" ".join(re.sub(r"<svg.*?</svg>|<[^>]*>", " ", row, flags=re.DOTALL).split()) for row in table.split("<tr")]
    said = [line.split() for line in cli("score", run, "--by", "genre").out.splitlines() if "genre: " in line]
    for words in said:
        assert sum(set(words) <= set(row.split()) for row in rows) >= 1, words
    assert len(said) == 2
    assert 'data-items="tag=genre%3Ajazz"' in table
    wrong = cli("report", run, "--by", "genres", "-o", page)
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)
    assert "unknown tag of the items 'genres'; did you mean 'genre'" in wrong.err


@pytest.mark.parametrize(("values", "n_rows"), [(30, 4), (20, 20)])
def test_many_numbers_with_decimals_have_a_row_for_each_quarter_of_the_items(
    cli, make_benchmark, make_run, tmp_path, values, n_rows
):
    tags = [
        {"index": round(0.9871 - n / 1000, 4)} for n in range(values)
    ]  # falling, so that their order is not the rows'
    folder = make_benchmark([{"tags": one} for one in [*tags, {}]], clips=False)
    run = make_run(folder, {f"item-{n:05}": "ABCD"[n % 4] for n in range(values + 1)})
    rows = cli("score", run, "--by", "index", "--json").json["scores"]["strict"]["by"]["index"]
    assert len(rows) == n_rows
    assert sum(row["n_items"] for row in rows.values()) == values
    if n_rows == 4:
        assert [*rows] == ["0.9581 to 0.9651", "0.9661 to 0.9721", "0.9731 to 0.9801", "0.9811 to 0.9871"]
        assert [row["n_items"] for row in rows.values()] == [8, 7, 8, 7]
        assert cli("report", run, "--by", "index", "-o", tmp_path / "page.html").code == 0
        links = set(re.findall(r"\btag=[^\"& ]*", (tmp_path / "page.html").read_text("utf-8")))
        assert links == {"tag=index"}  # all items with a number; there is no value that would be a quarter's


@pytest.mark.parametrize("text", ["s{:03}", "{}"])
def test_names_and_whole_numbers_have_a_row_each_however_many(cli, make_benchmark, make_run, text):
    folder = make_benchmark([{"tags": {"speaker": text.format(n)}} for n in range(30)], clips=False)
    run = make_run(folder, {f"item-{n:05}": "A" for n in range(30)})
    assert len(cli("score", run, "--by", "speaker", "--json").json["scores"]["strict"]["by"]["speaker"]) == 30
