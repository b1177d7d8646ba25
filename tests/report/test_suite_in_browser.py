"""The page of a run of the static suite in a browser."""

import subprocess
import sys
import wave

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_anybodys_way_and_nothing_is_broader_than_a_phone(serious, visit, tmp_path, scheme):
    folder = tmp_path / "callhome"
    folder.mkdir()
    (folder / "metadata.csv").write_text("audio,answer\n" + "".join(f"{n}.wav,friend\n" for n in range(4)))
    for n in range(4):
        with wave.open(str(folder / f"{n}.wav"), "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", ""))
            file.writeframes(bytes([n, 9] * 800))
    ours, run, page = [sys.executable, "-m", "audiometry"], str(tmp_path / "run"), tmp_path / "page.html"
    asked = [*ours, "run", "static20", "--data", str(tmp_path), "--model", "scripted/oracle", "-o", run, "--no-probe"]
    subprocess.run(asked, check=True, capture_output=True)
    subprocess.run([*ours, "report", run, "-o", str(page)], check=True, capture_output=True)
    assert serious([page], scheme) == []
    narrow = visit(400, scheme).load(page)
    assert narrow.evaluate("() => document.documentElement.scrollWidth") == 400
    assert narrow.locator("#published .scroll table").count() >= 2
    wide = visit(1280, scheme).load(page)
    forms = wide.locator("#table-published-sets")
    fits = "one => one.scrollWidth <= one.closest('.scroll').clientWidth"
    assert forms.evaluate(fits)  # all systems in sight
    assert forms.locator("td.main").count() == 21  # the run's own column is set apart
    assert (
        narrow.locator("#table-published-sets th[scope=row]").first.evaluate("th => getComputedStyle(th).position")
        == "sticky"
    )
    wide.emulate_media(media="print")
    wide.set_viewport_size({"width": 794, "height": 1123})  # A4: what is broader shrinks every page
    assert wide.evaluate("() => document.documentElement.scrollWidth") == 794
