"""How an extra is installed: from the clone where the package is an editable one, else from the index."""

import json
import shlex
from importlib import metadata
from pathlib import Path

import pytest

from audiometry.files.extras import install


@pytest.fixture
def installed(monkeypatch):
    """The package as an installer leaves it: what stands in its ``direct_url.json``; None: nothing."""

    class Distribution:
        def __init__(self, told):
            self._told = told

        def read_text(self, name):
            assert name == "direct_url.json"
            return self._told

    return lambda told: monkeypatch.setattr(metadata, "distribution", lambda _: Distribution(told))


def test_of_an_editable_package_the_clone_is_named_from_wherever_it_is_asked(installed, tmp_path, monkeypatch):
    clone = tmp_path / "a clone's"
    clone.mkdir()
    installed(json.dumps({"url": clone.as_uri(), "dir_info": {"editable": True}}))
    monkeypatch.chdir(clone)
    assert install("figures") == "pip install -e '.[figures]'"
    monkeypatch.chdir(tmp_path)
    assert shlex.split(install("hf", "torch")) == ["pip", "install", "torch", "-e", f"{clone}[hf]"]


@pytest.mark.parametrize(
    "told",
    [
        None,
        "",
        "{",
        "[]",
        '{"url": "file:///nowhere", "dir_info": {"editable": true}}',
        json.dumps({"url": Path.cwd().as_uri(), "dir_info": {}}),
        '{"url": "https://host/audiometry.whl", "archive_info": {}}',
        '{"dir_info": {"editable": true}}',
    ],
)
def test_of_any_other_package_the_index_is_named(installed, told):
    installed(told)
    assert install("figures") == "pip install 'audiometry[figures]'"


def test_a_package_that_nobody_installed_is_one_of_the_index(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    assert install("figures") == "pip install 'audiometry[figures]'"
