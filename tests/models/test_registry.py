"""Names to models."""

import sys
import textwrap

import pytest

import audiometry.models
from audiometry.errors import UnknownNameError, UsageError
from audiometry.models import ModelSettings, load, providers
from audiometry.models.registry import about


def test_the_houses_own_providers():
    assert {"openai", "google", "vllm", "scripted", "cascade"} <= set(providers())
    assert list(providers()) == sorted(providers())
    assert about()["scripted/…"].startswith("Models made of rules")


@pytest.mark.parametrize("name", ["openai", "openai/", "", "/x"])
def test_not_a_name(name):
    with pytest.raises(UsageError, match=r"is not a model name; write provider/name|unknown model provider ''"):
        load(name)


def test_an_unknown_provider():
    with pytest.raises(UnknownNameError, match=r"'openia'; did you mean 'openai'\?; see `audiometry list"):
        load("openia/gpt-4o")


def test_an_unknown_setting():
    with pytest.raises(UnknownNameError, match=r"unknown model setting 'temprature'; did you mean 'temperature'\?"):
        load("scripted/random", temprature=0.5)


def test_changes_come_over_settings():
    assert load("scripted/random", ModelSettings(seed=1), seed=2).parameters == {"seed": 2}
    assert load("scripted/random", ModelSettings(seed=1)).parameters == {"seed": 1}


def test_the_package_gives_nothing_else():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        audiometry.models.nothing  # noqa: B018


def installed(folder, monkeypatch, code, announced):
    """A package that announces a provider, as pip would leave it."""
    (folder / "ears.py").write_text(textwrap.dedent(code))
    info = folder / "ears-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ears\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[audiometry.models]\nears = {announced}\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "ears", raising=False)


def test_a_provider_of_another_package(tmp_path, monkeypatch, say, make_prompt):
    code = """
        from audiometry.models.scripted import ScriptedModel
        def load(name, settings):
            return ScriptedModel(name, lambda prompt: name.upper(), settings.seed)
    """
    installed(tmp_path, monkeypatch, code, "ears:load")
    assert providers()["ears"] == "ears:load"
    assert about()["ears/…"] == "from ears:load"
    assert say(load("ears/left"), make_prompt("What?"))[0].text == "EARS/LEFT"


@pytest.mark.parametrize(
    ("code", "announced"), [("import no_such_module", "ears:load"), ("", "ears:load"), ("", "eyes:load")]
)
def test_a_package_that_does_not_hold_what_it_announces(tmp_path, monkeypatch, code, announced):
    installed(tmp_path, monkeypatch, code, announced)
    with pytest.raises(
        UsageError,
        match=f"model provider 'ears' is announced as {announced} by the package ears 1.0, which cannot be loaded",
    ):
        load("ears/left")


def test_a_judge_without_a_provider_is_told_a_model_that_reads_text():
    with pytest.raises(UsageError, match="for example openai/"):
        load("gpt-4", judging=True)
