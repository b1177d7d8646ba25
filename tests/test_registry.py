"""Things found by name: in a folder of ours, and in what other packages announce."""

import decimal
import locale
import signal
import sys
import warnings
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest

from audiometry import registry
from audiometry.errors import UnknownNameError, UsageError
from audiometry.registry import BrokenPackageWarning, Kind

SCALE = """class Scale:
    name = "NAME"


SCALE = Scale()
"""


@pytest.fixture
def scales(tmp_path, monkeypatch):
    """A folder of ours with two modules, one package, and a module that is none of the kind and must not be loaded."""
    folder = tmp_path / "weighing"
    (folder / "heavy").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "kitchen_scale.py").write_text(SCALE.replace("NAME", "kitchen-scale"))
    (folder / "heavy" / "__init__.py").write_text(SCALE.replace("NAME", "weighbridge"))
    (folder / "several.py").write_text("SCALE = {'spring': 1, 'beam': 2}\n")
    (folder / "no_scale.py").write_text("raise RuntimeError('SCALE is not set here')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Kind("audiometry.scales", "weighing", "weighing scale", hint="see the list")
    for name in [one for one in sys.modules if one.partition(".")[0] == "weighing"]:
        del sys.modules[name]


def test_modules_and_packages_of_the_folder(scales):
    assert scales.names() == ("beam", "kitchen-scale", "spring", "weighbridge")
    assert scales.where()["weighbridge"] == "weighing.heavy"
    assert scales.all()["beam"] == scales.named("beam") == 2
    assert list(scales.all()) == list(scales.names())


def test_a_name_loads_its_own_module_alone(scales):
    assert scales.named("kitchen-scale").name == "kitchen-scale"
    assert {one for one in sys.modules if one.startswith("weighing.")} == {"weighing.kitchen_scale"}


def test_an_unknown_name_tells_the_nearest(scales):
    with pytest.raises(UnknownNameError, match=r"unknown weighing scale 'beem'; did you mean 'beam'\?; see the list"):
        scales.named("beem")


def test_another_package_is_loaded_when_it_is_asked_for(scales, announce):
    announce("audiometry.scales", "moon = moon:SCALE", moon=SCALE.replace("NAME", "moon"))
    assert "moon" in scales.names()
    assert scales.named("beam") == 2
    assert "moon" not in sys.modules
    assert scales.named("moon").name == scales.all()["moon"].name == "moon"


def test_what_is_installed_is_read_once_and_anew_on_another_path(scales, announce, monkeypatch):
    read = []
    monkeypatch.setattr(registry, "entry_points", lambda: read.append(None) or entry_points())
    announce("audiometry.scales", "moon = moon:SCALE", moon=SCALE.replace("NAME", "moon"))
    assert scales.named("moon").name == "moon"
    assert scales.names() == scales.names()
    Kind("audiometry.clocks", None, "clock").names()
    assert len(read) == 1
    announce("audiometry.scales", "sun = sun:SCALE", package="solar", sun=SCALE.replace("NAME", "sun"))
    assert {"moon", "sun"} < set(scales.names())
    assert len(read) == 2


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("import no_such_module", "moon:SCALE"),
        ("", "moon:SCALE"),
        ("", "moons:SCALE"),
        ("SCALE = (", "moon:SCALE"),
        ("1 / 0", "moon:SCALE"),
        ("raise KeyError('HOME')", "moon:SCALE"),
        ("SCALE = None", "moon:SCALE.name"),
    ],
)
def test_a_broken_package_is_one_line_and_the_rest_goes_on(scales, announce, code, value):
    announce("audiometry.scales", f"moon = {value}", package="lunar", moon=code)
    line = f"weighing scale 'moon' is announced as {value} by the package lunar 1.0, which cannot be loaded"
    with pytest.warns(BrokenPackageWarning, match=line) as told:
        assert list(scales.all()) == ["beam", "kitchen-scale", "spring", "weighbridge"]
    assert len(told) == 1
    assert "\n" not in str(told[0].message)
    with pytest.raises(UsageError, match=line):
        scales.named("moon")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scales.named("beam") == 2


def test_what_an_entry_point_gives_is_made_into_a_thing(announce):
    def made(name, given):
        if not callable(given):
            raise TypeError(f"{given!r} is no function")
        return f"{name}: {given()}"

    kind = Kind("audiometry.scales", None, "scale", own=lambda: {"beam": "ours"}, made=made)
    announce("audiometry.scales", "moon = moon:light", "sun = moon:DARK", moon="DARK = 1\ndef light(): return 'weak'")
    with pytest.warns(BrokenPackageWarning, match="'sun' .* 1 is no function"):
        assert kind.all() == {"beam": "ours", "moon": "moon: weak"}
    assert kind.named("beam") == "ours"
    with pytest.raises(UnknownNameError, match="unknown scale"):
        kind.named("scales")


def test_two_that_packages_announce_are_refused_with_both_and_left_out_of_all(scales, announce):
    announce("audiometry.scales", "moon = moon:SCALE", package="one", moon="SCALE = 1")
    announce("audiometry.scales", "moon = other:SCALE", package="two", other="SCALE = 1")
    says = (
        "weighing scale 'moon' is there twice, as (moon:SCALE by the package one 1.0|other:SCALE by the package two "
        "1.0) and (moon:SCALE by the package one 1.0|other:SCALE by the package two 1.0)"
    )
    with pytest.raises(UsageError, match=says):
        scales.named("moon")
    with pytest.warns(BrokenPackageWarning, match=says):
        assert list(scales.all()) == ["beam", "kitchen-scale", "spring", "weighbridge"]
    assert scales.named("spring") == 1


def test_a_name_of_ours_stays_ours(scales, announce):
    announce("audiometry.scales", "beam = other:SCALE", package="two", other="SCALE = 7")
    says = (
        r"weighing scale 'beam' is announced as other:SCALE by the package two 1.0, but is ours \(weighing.several\), "
        "which stays"
    )
    for find in (lambda: scales.all()["beam"], lambda: scales.named("beam")):
        with pytest.warns(BrokenPackageWarning, match=says):
            assert find() == 2
    assert "other" not in sys.modules


def test_two_of_ours_of_one_name_are_refused(scales, tmp_path):
    (tmp_path / "weighing" / "twin.py").write_text("SCALE = {'beam': 3}\n")
    with pytest.raises(UsageError, match=r"'beam' is there twice, as weighing\.several and weighing\.twin"):
        scales.all()


def test_the_same_announced_twice_is_one_thing(scales, announce):
    announce("audiometry.scales", "moon = moon:SCALE", package="one", moon="SCALE = 1")
    announce("audiometry.scales", "moon = moon:SCALE", package="two")
    assert scales.named("moon") == scales.all()["moon"] == 1


def test_without_the_text_of_the_modules_all_are_looked_into(scales, tmp_path, monkeypatch):
    (tmp_path / "weighing" / "no_scale.py").write_text("")
    monkeypatch.setattr("importlib.machinery.SourceFileLoader.get_source", lambda *_: None)
    assert scales.names() == ("beam", "kitchen-scale", "spring", "weighbridge")


CHANGES = """
    import decimal, locale, os, signal
    import numpy as np

    os.chdir("/")
    np.seterr(all="raise")
    decimal.getcontext().prec = 2
    locale.setlocale(locale.LC_ALL, "C.UTF-8" if locale.setlocale(locale.LC_ALL) == "C" else "C")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    SCALE = 7
    raise SystemExit(0)
"""


@pytest.mark.parametrize("ends", [True, False])
def test_what_a_package_changes_of_the_process_as_it_is_imported_is_put_back(scales, announce, tmp_path, ends):
    def state():
        here, rounded, pressed = Path.cwd(), np.geterr(), signal.getsignal(signal.SIGINT)
        return here, rounded, pressed, locale.setlocale(locale.LC_ALL), decimal.getcontext().prec

    code = CHANGES if ends else CHANGES.replace("raise SystemExit(0)", "")
    announce("audiometry.scales", "moon = moon:SCALE", moon=code)
    before = state()
    if ends:
        with pytest.raises(UsageError, match=r"cannot be loaded \(SystemExit: 0\)"):
            scales.named("moon")
    else:
        assert scales.named("moon") == 7
    assert state() == before


def test_a_package_may_start_where_the_folder_is_gone(scales, announce, tmp_path, monkeypatch):
    announce("audiometry.scales", "moon = moon:SCALE", moon="SCALE = 7")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert scales.named("moon") == 7


@pytest.mark.parametrize("name", ["mo\x1b[2Jon", "\u202emoon", "m" * 101, "mo\0on"])
def test_a_name_that_cannot_be_shown_is_left_out_with_a_line(scales, announce, name):
    announce("audiometry.scales", f"{name} = moon:SCALE", moon="SCALE = 7")
    with pytest.warns(BrokenPackageWarning, match="its name is not a text of one line of at most 100") as told:
        assert list(scales.all()) == ["beam", "kitchen-scale", "spring", "weighbridge"]
    assert str(told[0].message).isprintable()


def test_a_package_without_metadata_is_named_by_its_entry_point(scales, announce):
    folder = announce("audiometry.scales", "moon = moon:SCALE", moon="1 / 0")
    for text in ("Metadata-Version: 2.1\n", None):
        path = folder / "outside-1.0.dist-info" / "METADATA"
        path.unlink() if text is None else path.write_text(text)
        with pytest.raises(UsageError, match=r"'moon' is announced as moon:SCALE, which cannot be loaded \(Zero"):
            scales.named("moon")


@pytest.mark.parametrize("damage", [b"[audiometry.scales]\nx = \xff:M\n", b"[other.group]\nx\n= y\nz =\n"])
def test_a_package_with_a_damaged_list_is_left_out_with_a_line_and_stops_nothing(scales, announce, damage):
    announce("audiometry.scales", "sun = sun:SCALE", package="whole", sun="SCALE = 9")
    folder = announce("audiometry.scales", "moon = moon:SCALE", package="torn", moon="SCALE = 7")
    (folder / "torn-1.0.dist-info" / "entry_points.txt").write_bytes(damage)
    with pytest.warns(
        BrokenPackageWarning, match=r"what the package in .*torn-1.0.dist-info announces cannot be"
    ) as told:
        assert scales.all()["sun"] == 9
    assert len(told) == 1
    assert "moon" not in scales.names()
