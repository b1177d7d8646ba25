"""The habits of the house that no linter holds: sizes, two broad excepts, no copies, words that say nothing."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
SYSTEM_PROGRAMS = ("chromium", "chromium-headless-shell", "espeak-ng", "ffmpeg", "openssl", "postgresql")
SOURCE = ROOT / "src" / "audiometry"
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_MODULE, LONGEST_FUNCTION = 300, 60
COPIED_BLOCK, MOST_COPIED = 6, 0.03
EMPTY_NAMES = {"utils", "util", "common", "helpers", "misc", "core", "base"}


def named(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of the body, its docstring left out."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def dotted(node: ast.AST) -> str:
    """An expression as it is written, such as ``click.echo``."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return ast.unparse(node)


class Seen(NamedTuple):
    """What is looked for in a module, from one walk through its tree."""

    documented: bool
    long: dict[str, int]
    calls: frozenset[str]
    attributes: frozenset[str]
    bases: frozenset[str]
    catches: tuple[tuple[str, ...], ...]
    imports: tuple[ast.Import | ast.ImportFrom, ...]


@cache
def seen(path: Path) -> Seen:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    lengths = [(n.name, code_lines(n)) for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return Seen(
        documented=bool(ast.get_docstring(tree)),
        long={name: n for name, n in lengths if n > LONGEST_FUNCTION},
        calls=frozenset(dotted(n.func) for n in nodes if isinstance(n, ast.Call)),
        attributes=frozenset(n.attr for n in nodes if isinstance(n, ast.Attribute)),
        bases=frozenset(dotted(base) for n in nodes if isinstance(n, ast.ClassDef) for base in n.bases),
        catches=tuple(caught(n) for n in nodes if isinstance(n, ast.ExceptHandler)),
        imports=tuple(n for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom))),
    )


def caught(handler: ast.ExceptHandler) -> tuple[str, ...]:
    return (
        tuple(n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)) if handler.type else ("BaseException",)
    )


def test_modules_and_functions_are_short_and_named():
    lines = {named(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: n for name, n in lines.items() if n > LONGEST_MODULE} == {}
    assert {named(path): seen(path).long for path in MODULES if seen(path).long} == {}
    assert [named(path) for path in MODULES if path.stem in EMPTY_NAMES] == []
    assert [named(path) for path in MODULES if not seen(path).documented] == [], "a module says what it is"


def test_the_broad_excepts_are_the_dispatchers_and_that_of_other_packages_code():
    broad = {"Exception", "BaseException"}
    found = [named(path) for path in MODULES for names in seen(path).catches if broad & set(names)]
    assert found == ["dispatch/attempts.py", "outside.py"]


def test_only_the_command_line_prints():
    assert [named(path) for path in MODULES if seen(path).calls & {"print", "eval", "exec"}] == []


DECODERS = (
    "json.load",
    "json.decode",
    "json.Decoder",
    "toml.decode",
    "yaml.decode",
    "tomllib.load",
    "JSONDecoder",
    "msgspec.convert",
)


def decodes(path: Path) -> bool:
    """Whether there is a decoder of foreign bytes, or a catch of what one throws."""
    for node in seen(path).imports:
        if isinstance(node, ast.ImportFrom):
            if node.module in {"json", "tomllib", "csv", "msgspec.json", "msgspec.toml"}:
                return True
        elif {"tomllib", "csv", "pickle", "marshal"} & {one.name for one in node.names}:
            return True
    if {"DecodeError", "ValidationError", "JSONDecodeError"} & seen(path).attributes:
        return True
    return any(name in call for call in seen(path).calls if not call.startswith("foreign.") for name in DECODERS)


def test_foreign_bytes_are_decoded_in_one_place():
    """In ``files``, which knows all the ways in which decoding fails; frames of our own worker are no foreign bytes."""
    found = {named(path) for path in MODULES if decodes(path)}
    assert {name.partition("/")[0] for name in found} == {"files"}, found


def test_foreign_files_are_read_in_one_place():
    """By `foreign.read_file`, which waits for no pipe and has a bound; ``module`` is a file of this package."""
    found = {
        (named(path), call)
        for path in MODULES
        if path.relative_to(SOURCE).parts[0] in {"bench", "run"}
        for call in seen(path).calls
        if call.endswith((".read_bytes", ".read_text"))
    }
    assert {call for _, call in found} <= {"module.read_bytes"}, found


def imported(path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules of ours that a file names in an import, wherever that stands: in a function, or for types alone.

    That a part of a package brings its ``__init__`` along is Python's way and no arrow of anybody's.
    """
    found = set()
    for node in seen(path).imports:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names & modules.keys()
            found |= {node.module} if names - modules.keys() else set()
    return {name for name in found & modules.keys() if modules[name] != path}


def circles(arrows: dict[str, set[str]]) -> list[set[str]]:
    """Sets of files from each of which one comes to all others of the set."""

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        ahead = [start]
        while ahead:
            new = arrows[ahead.pop()] - found
            found |= new
            ahead += new
        return found

    to = {name: reached(name) for name in arrows}
    rounds = {frozenset({name} | {other for other in to[name] if name in to[other]}) for name in arrows}
    return [set(one) for one in rounds if len(one) > 1]


def test_no_files_import_each_other_in_a_circle():
    parts = {path: ("audiometry", *path.relative_to(SOURCE).with_suffix("").parts) for path in MODULES}
    modules = {".".join(one[:-1] if one[-1] == "__init__" else one): path for path, one in parts.items()}
    assert circles({name: imported(path, modules) for name, path in modules.items()}) == []


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]
    assert circles({"a": {"b"}, "b": set()}) == []
    path = SOURCE / "errors.py"
    modules = {"audiometry.models.registry": SOURCE / "models/registry.py", "audiometry.errors": path}
    assert imported(SOURCE / "models/__init__.py", modules) == {"audiometry.models.registry"}
    assert imported(path, modules) == set()


PRINTERS = {"click.echo", "click.secho", "echo", "print", "Console", "sys.stdout.write", "sys.stderr.write"}


def test_all_that_is_printed_goes_through_one_door():
    rich = {
        path: [n for n in seen(path).imports if isinstance(n, ast.ImportFrom) and n.module == "rich"]
        for path in MODULES
    }
    found = [
        named(path)
        for path in MODULES
        if PRINTERS & seen(path).calls
        or "print" in {alias.name for node in rich[path] for alias in node.names}
        or any("Console" in base for base in seen(path).bases)
    ]
    assert set(found) == {"cli/say.py", "render/console.py"}


def test_little_is_copied():
    """Runs of six equal lines of code that stand in two places, as a share of all lines."""
    blocks: Counter[tuple[str, ...]] = Counter()
    places: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    total = 0
    for path in MODULES:
        lines = [
            line.strip()
            for line in path.read_text(encoding="utf-8").splitlines()
            if len(line.strip()) > 3 and not line.strip().startswith(("#", "import ", "from "))
        ]
        total += len(lines)
        for start in range(len(lines) - COPIED_BLOCK + 1):
            block = tuple(lines[start : start + COPIED_BLOCK])
            blocks[block] += 1
            places.setdefault(block, []).append((named(path), start))
    copied = {
        (name, start + k)
        for block, n in blocks.items()
        if n > 1
        for name, start in places[block][1:]
        for k in range(COPIED_BLOCK)
    }
    assert len(copied) / total < MOST_COPIED


def test_the_extra_all_is_every_extra_but_hf():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    (named,) = re.findall(r"audiometry\[(.+)\]", *extras["all"])
    assert sorted(named.split(",")) == sorted(set(extras) - {"all", "hf"})


@pytest.mark.parametrize("ci", ["", "true"])
def test_a_missing_system_package_skips_a_test_but_fails_it_in_ci(system_program, monkeypatch, tmp_path, ci):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in SYSTEM_PROGRAMS:
        with pytest.raises(pytest.fail.Exception if ci else pytest.skip.Exception, match=f"Debian's package {name}$"):
            system_program(name)


def test_system_packages_are_installed_by_ci_and_looked_for_in_one_place():
    installed = (ROOT / ".ci/system-packages").read_text("utf-8")
    assert all(f"+=({name})" in installed for name in SYSTEM_PROGRAMS)
    tests = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")}
    asked = {name for text in tests.values() for name in re.findall(r'\bsystem_program\("(.+)"\)', text)}
    assert asked == set(SYSTEM_PROGRAMS)
    assert [path.name for path, text in tests.items() if "shutil" + ".which(" in text] == ["conftest.py"]


def test_the_shell_of_who_runs_the_tests_reaches_none_of_them():
    shell = {
        "OPENAI_API_KEY",
        "HF_TOKEN",
        "OPENAI_BASE_URL",
        "https_proxy",
        "NO_PROXY",
        "NO_COLOR",
        "FORCE_COLOR",
        "COLUMNS",
    }
    code = f"import os, runpy; runpy.run_path('tests/conftest.py'); print({shell} & os.environ.keys())"
    env = os.environ | dict.fromkeys(shell, "1")
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, env=env, text=True) == "set()\n"
