"""``benchmark.toml`` and ``metadata.jsonl`` as formats."""

import pytest

from audiometry.errors import BenchmarkError
from audiometry.files import benchmark_folder as folders


def test_a_folder_without_a_card_is_named_after_itself(tmp_path):
    (tmp_path / "my-set").mkdir()
    card = folders.read_card(tmp_path / "my-set")
    assert card.benchmark.name == "my-set"
    assert card.task_named("anything").kind == "choice"


def test_a_card_without_a_name_is_named_after_its_folder_and_only_there(tmp_path):
    (tmp_path / "my-set").mkdir()
    card = '[data.columns]\nanswer_is = "letter"\n'
    for name in ("benchmark.toml", "other.toml"):
        (tmp_path / "my-set" / name).write_text(card)
    assert folders.read_card(tmp_path / "my-set").benchmark.name == "my-set"
    assert folders.read_card_file(tmp_path / "my-set/benchmark.toml").benchmark.name == "my-set"
    with pytest.raises(BenchmarkError, match=r"other\.toml: the benchmark has no name; write name = "):
        folders.read_card_file(tmp_path / "my-set/other.toml")


def test_a_card_is_read(tmp_path):
    (tmp_path / "benchmark.toml").write_text(
        '[benchmark]\nname = "m"\nversion = "2"\n[[task]]\nname = "t"\nkind = "open"\ncategory = "music"\n'
    )
    card = folders.read_card(tmp_path)
    assert (card.benchmark.version, card.task_named("t").kind, card.task_named("t").category) == ("2", "open", "music")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"[benchmark", r", line 1: not TOML"),
        (b"[benchmark]\nname = 3\n", r", line 2: 'name' in 'benchmark' is a number \(3\); a text is needed"),
        (b"\xff", r": not UTF-8 text"),
        (
            b'# M\xfcnster\n[benchmark]\nname = "m"\n',
            r", line 1: not UTF-8 text \('# M.nster'\)",
        ),
        (b'[[task]]\ntitle = "x"\n', r": 'name' is missing in entry 1 of 'task'"),
        (b"a = " + b"[" * 5000, r": lists or objects nested too deeply"),
        (b"a = " + b"9" * 5000, r": a number too long to be read"),
        (b'name = "m"\n', r", line 1: unknown key 'name'; known: [a-z, ]*; its name goes under \[benchmark\]"),
    ],
)
def test_a_card_that_is_none(tmp_path, raw, said):
    (tmp_path / "benchmark.toml").write_bytes(raw)
    with pytest.raises(BenchmarkError, match=rf"benchmark\.toml{said}.*; compare it with the card format"):
        folders.read_card(tmp_path)


def test_every_line_is_given_with_its_place(tmp_path):
    path = tmp_path / "metadata.jsonl"
    raw = [b'{"id":"a","task":"t"}\n', b"\n", b'{"id":[1]}\n', b'{"id":"\xff","task":"t"}\n', b'{"id":"b","task":"t"}']
    path.write_bytes(b"".join(raw))
    lines = list(folders.read_lines(path))
    assert [line.number for line in lines] == [1, 3, 4, 5]
    assert [line.item.id if line.item else None for line in lines] == ["a", None, None, "b"]
    assert "'id' is a list; a text is needed" in lines[1].problem
    assert lines[2].problem.startswith("not UTF-8 text")
    whole = path.read_bytes()
    assert whole[lines[3].offset : lines[3].offset + lines[3].length] == raw[4]
