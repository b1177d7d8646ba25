"""The one decoder of foreign bytes: every way to fail is one error, in the user's words, with its line."""

import errno
import io
import os
import time
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import msgspec
import pytest

from audiometry.bench import table_rows
from audiometry.errors import BenchmarkError, RunFolderError, UndecodableError
from audiometry.files import benchmark_folder, foreign, jsonl

IN = " in entry 1 of 'task'"


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    n: Annotated[int, msgspec.Meta(ge=1)] = 1
    kind: Literal["choice", "open"] = "choice"
    options: tuple[str, ...] = ()
    share: dict[str, float] = {}
    pair: tuple[int, int] = (1, 2)
    score: float | None = None
    short: Annotated[str, msgspec.Meta(min_length=1, pattern="^[a-z]")] = "a"


class Outer(msgspec.Struct):
    task: list[Inner]
    codes: dict[int, int] = {}


def said(raw, kind=Outer, decode=foreign.json):
    with pytest.raises(UndecodableError) as caught:
        decode(raw, kind)
    message = caught.value.at("F")
    assert message.isprintable()
    return message


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (b'"n": 0', "'n'@ is out of range (0); 1 or more is needed"),
        (b'"n": 1.5', "'n'@ is a number (1.5); a whole number is needed"),
        (b'"n": null', "'n'@ is null; a whole number is needed"),
        (b'"kind": "opne"', "'kind'@ is none of its choices ('opne'); 'choice' or 'open' is needed"),
        (b'"options": [1]', "entry 1 of 'options'@ is a number (1); a text is needed"),
        (b'"options": {}', "'options'@ is an object; a list is needed"),
        (b'"share": {"a": "x"}', "an entry of 'share'@ is a text; a number is needed"),
        (b'"pair": [1]', "'pair'@ is of the wrong length; one of 2 entries is needed"),
        (b'"score": true', "'score'@ is a truth value (true); a number or null is needed"),
        (b'"score": 1e999', "'score'@ is a number without measure; a smaller one is needed"),
        (b'"short": ""', "'short'@ is of the wrong length (''); one of at least 1 characters is needed"),
        (b'"short": "B"', "'short'@ is of the wrong form ('B'); a text that matches '^[a-z]' is needed"),
        (b'"opions": []', "unknown key 'opions'@; did you mean 'options'?"),
        (b'"short": "\x1b[31m"', 'not JSON: a character that does not belong there at \'\\x1b[31m"}]}\''),
        (b'"name": "\xe4"', "not UTF-8 text ('\"name\":\"x\",\"name\": \"ä\"}]}'); save it as UTF-8"),
        (b'"name": "\\ud83d"', "half a character (\\ud83d without its pair)"),
        (b'"name": "\\ude00 \\ud83d\\ude00"', "half a character (\\ude00 without its pair)"),
        (b'"name": "\x00"', "not JSON: a NUL byte at '\\x00\"}]}'"),
        (b'"n": ' + b"9" * 5000, "'n'@ is a number without measure; a smaller one is needed"),
        (b'"a":"b"', "unknown key 'a'@; known: kind, n, name, options, pair, score, share, short"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_by_its_keys_in_plain_words(fault, words):
    assert said(b'{"task":[{"name":"x",' + fault + b"}]}") == f"F: {words.replace('@', IN)}"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "F: it is empty"),
        (b" \n", "F: it is empty"),
        (b"[]", "F: it is a list; an object is needed"),
        (b'{"task": [{}]}', "F: 'name' is missing in entry 1 of 'task'"),
        (b"{}", "F: 'task' is missing"),
        (b'{"task": [], "codes": {"x": 3}}', "F: a key of 'codes' is a text; a whole number is needed"),
        (b'{"task": [],\n "codes":', "F, line 2: it ends in the middle"),
        (b'{"task": [],\n}', "F, line 2: not JSON: a comma before the closing } at '}'"),
        (b"{'task': []}", "F: not JSON: a key without double quotes at ''task': []}'"),
        (b'{"task": []} {}', "F: not JSON: something behind the end of the value at '{}'"),
        (b"\xff\xfe{\x00", "F: UTF-16 text; save it as UTF-8"),
        (b'{"x":' + b"[" * 100_000, "F: lists or objects nested too deeply"),
    ],
)
def test_a_document_that_is_none_is_named_with_its_line(raw, words):
    assert said(raw) == words


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'[[task]]\nname = "x"\nn = "3"', "F, line 3: 'n'@ is a text ('3'); a whole number is needed"),
        (b'[[task]]\nname = "x"\nopions = []', "F, line 3: unknown key 'opions'@; did you mean 'options'?"),
        (b"[task]\nname = 1", "F, line 1: 'task' is a table; a list, written [[task]], is needed"),
        (b"task = 2026-01-01", "F, line 1: 'task' is a date (2026-01-01); a list, written [[task]], is needed"),
        (b'[[task]]\nname = "x"\noptions = 1', "F, line 3: 'options'@ is a number (1); a list is needed"),
        (b'[[task]]\nname = "x"\nscore = "3"', "F, line 3: 'score'@ is a text ('3'); a number is needed"),
        (b"# fine\nname = x", "F, line 2: not TOML, no value of TOML (a text needs quotes): 'name = x'"),
        (b"a = 1\na = 2\n", "F, line 2: not TOML, a key stands twice: 'a = 2'"),
        (b"[a]\n[a]\n", "F, line 2: not TOML, a table stands twice: '[a]'"),
        (b'a = "\x1b"', r"""F, line 1: not TOML: 'a = "\x1b"'"""),
        (b'name = "M\xfcnster"', "F: not UTF-8 text ('name = \"Münster\"'); save it as UTF-8"),
        (b"a = " + b"[" * 5000, "F: lists or objects nested too deeply"),
        (b"a = " + b"9" * 5000, "F: a number too long to be read"),
        (b"b = 1\n" + b"a." * 50_000 + b"a = 1", "F, line 2: a key of more than 20 parts; a few are meant"),
    ],
)  # fmt: skip
def test_toml_is_named_with_its_line(raw, words):
    assert said(raw, decode=foreign.toml) == words.replace("@", IN)


def test_a_number_of_very_many_digits_is_not_written_out():
    assert "(of very many digits)" in said(b"task = 0x" + b"f" * 10_000, decode=foreign.toml)


def test_a_byte_order_mark_is_no_fault():
    assert foreign.json(b'\xef\xbb\xbf{"task": []}', Outer) == Outer([])
    assert foreign.toml(b"\xef\xbb\xbftask = []", Outer) == Outer([])
    assert foreign.text(b"\xef\xbb\xbfa") == "a"
    with pytest.raises(UndecodableError):
        foreign.json(b"\xef\xbb\xbf" * 2, Outer)


def test_lines_know_their_number_and_a_torn_last_one_is_none():
    good = b'{"task": []}\n'
    assert len(list(foreign.Decoder(Outer).lines(io.BytesIO(good * 3 + good[:-1])))) == 3
    assert len(list(foreign.Decoder(Outer).lines(io.BytesIO(b"\xef\xbb\xbf" + good)))) == 1
    with pytest.raises(UndecodableError) as caught:
        list(foreign.Decoder(Outer).lines(io.BytesIO(good * 2 + b'{"x":' + b"[" * 100_000 + b"\n" + good)))
    assert caught.value.at("F") == "F, line 3: lists or objects nested too deeply"


def test_the_short_form_has_no_values_so_that_faults_can_be_counted():
    short = set()
    for i in range(5):
        with pytest.raises(UndecodableError) as caught:
            foreign.json(f'{{"task": {i}}}'.encode(), Outer)
        short.add(caught.value.short)
    assert short == {"'task' is a number; a list is needed"}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"a;b\n1;\xe4\n", "F, line 2: not UTF-8 text ('1;ä'); save it as UTF-8"),
        (b'a;b\n1;"2\n', "F, line 2: a quote that is not closed"),
        (b'a;b\n1;"2"3\n', "F, line 2: a quote inside a cell that is not doubled"),
        (b"a;b\n1;" + b"x" * 200_000 + b"\n", "F, line 2: a cell of more than 131,072 characters"),
        ("a;b\n".encode("utf-16"), "F: UTF-16 text; save it as UTF-8"),
    ],
)
def test_rows_of_csv(tmp_path, raw, words):
    path = tmp_path / "rows.csv"
    path.write_bytes(raw)
    with pytest.raises(UndecodableError) as caught:
        list(foreign.csv_rows(path, ";"))
    assert caught.value.at("F") == words
    path.write_bytes(b"\xef\xbb\xbfa;b\n1;2\n")
    assert list(foreign.csv_rows(path, ";")) == [["a", "b"], ["1", "2"]]


@pytest.mark.parametrize(
    "make",
    [
        lambda n: b'{"x":' + b"[" * n,
        lambda n: b'{"' + b"[" * n + b'": 1, "task": 3}',
        lambda n: b'{"task": [{"name": "x", "' + b"a" * n + b'": 1}]}',
        lambda n: b'{"task": "' + b"\\ud83d" * n + b'"}',
        lambda n: b'{"task": ' + b"9" * n + b"}",
        lambda n: b"\n" * n + b"\xff",
    ],
)
@pytest.mark.parametrize("decode", [foreign.json, foreign.toml])
def test_no_fault_costs_more_than_the_input(make, decode):
    def seconds(n):
        started = time.process_time()
        with pytest.raises(UndecodableError):
            decode(make(n), Outer)
        return time.process_time() - started

    assert seconds(400_000) < 2.0  # a square would take minutes


def test_toml_without_end_costs_no_more():
    for raw in (
        b"a." * 200_000, b"a = " + b"{a." * 50_000, b"[" * 200_000, b'a = """' + b'"' * 200_000,
        b'"+".' * 100_000 + b"a = 1", b"'a b' . " * 50_000 + b"a = 1", '"é".'.encode() * 50_000 + b"a = 1",
        b'["+"' + b'."+"' * 100_000 + b"]", rb'a = "' + rb'\" ' * 300_000, b"'" * 900_000, b'"' * 900_000,
        b'x = {y = """\n\'""", ' + b'"+".' * 100_000 + b"a = 1}", b"k" * 900_000 + b" = 1\ntask = 1",
        b"# a\n" * 300_000,
    ):  # fmt: skip
        started = time.process_time()
        with pytest.raises(UndecodableError):
            foreign.toml(raw, Outer)
        assert time.process_time() - started < 2.0


def test_dots_in_texts_and_comments_of_toml_are_no_keys():
    dots, three = "x." * 500, "'" * 3
    raw = f'# {dots}\na = """\n{dots}\n"""\nb = {three}\n{dots}{three}\nc = "{dots}"\nd = \'{dots}\'\n["{dots}".e]\n'
    assert foreign.toml(raw.encode(), dict[str, Any])["d"] == dots


def test_what_is_no_file_of_bounded_size_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "sparse").touch()
    os.truncate(tmp_path / "sparse", 1 << 32)
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name, why in (
        ("pipe", "not a file"), ("zero", "not a file"), (".", "not a file"), ("sparse", "larger"), ("no", "No such"),
    ):  # fmt: skip
        with pytest.raises(UndecodableError, match=why):
            foreign.read_file(tmp_path / name)
    (tmp_path / "ten").write_bytes(b"x" * 10)
    assert foreign.read_file(tmp_path / "ten", 10) == b"x" * 10
    with pytest.raises(UndecodableError, match="larger than 9 bytes"):
        foreign.read_file(tmp_path / "ten", 9)


def test_a_small_file_takes_little_memory_however_large_it_may_be(tmp_path):
    (tmp_path / "small").write_bytes(b"[]")
    tracemalloc.start()
    try:
        assert foreign.read_file(tmp_path / "small", foreign.LARGEST_TABLE) == b"[]"
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_file_that_states_no_size_is_read_whole(tmp_path, monkeypatch):
    (tmp_path / "ten").write_bytes(b"x" * 10)
    stat = os.fstat
    monkeypatch.setattr(os, "fstat", lambda fd: SimpleNamespace(st_mode=stat(fd).st_mode, st_size=0))
    assert foreign.read_file(tmp_path / "ten") == b"x" * 10
    with pytest.raises(UndecodableError, match="larger than 9 bytes"):
        foreign.read_file(tmp_path / "ten", 9)


def test_a_name_that_no_file_can_have_is_said_to_be_one(tmp_path):
    for name in ("a\0b", "\ud800"):
        with pytest.raises(UndecodableError, match="no file can have that name"):
            foreign.read_file(tmp_path / name)


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (lambda path: list(jsonl.read(path, Outer)), RunFolderError),
        (lambda path: list(benchmark_folder.read_lines(path)), BenchmarkError),
        (lambda path: list(foreign.csv_rows(path, ",")), UndecodableError),
        (lambda path: list(table_rows.read(path, "csv", [], [])), BenchmarkError),
    ],
)
def test_a_file_that_nobody_may_read_is_one_line_and_a_shortage_is_none_of_its_faults(
    tmp_path, monkeypatch, read, error
):
    path = tmp_path / "rows"
    path.touch()

    def refuse(code):
        def opening(*_, **__):
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(Path, "open", opening)

    refuse(errno.EACCES)
    with pytest.raises(error, match=r"it cannot be read \(Permission denied\)"):
        read(path)
    refuse(errno.EMFILE)
    with pytest.raises(OSError, match="Too many open files"):
        read(path)


def test_a_line_without_end_is_refused_by_its_number(tmp_path, monkeypatch):
    monkeypatch.setattr(foreign, "LARGEST", 100_000)
    raw = b'{"task": []}\n' * 3 + b"\0" * 200_000
    with pytest.raises(UndecodableError) as caught:
        list(foreign.Decoder(Outer).lines(io.BytesIO(raw)))
    assert caught.value.at("F") == "F, line 4: more than 100,000 bytes"
    (tmp_path / "metadata.jsonl").write_bytes(raw)
    with pytest.raises(BenchmarkError, match=r"metadata\.jsonl, line 4: more than 100,000 bytes"):
        list(benchmark_folder.read_lines(tmp_path / "metadata.jsonl"))


def test_lines_longer_than_a_block_and_empty_ones():
    lines = [b'{"task": [], "x": "%s"}\n' % (b"y" * n) for n in (0, 200_000, 5, 65_500, 65_536)]
    assert len(list(foreign.Decoder(Outer).lines(io.BytesIO(b"".join(lines) * 3)))) == 15
    for raw, line in ((b"\n", 1), (b"\n{}", 1), (b'{"task": []}\n\n', 2)):
        with pytest.raises(UndecodableError, match="it is empty") as caught:
            list(foreign.Decoder(Outer).lines(io.BytesIO(raw)))
        assert caught.value.line == line
