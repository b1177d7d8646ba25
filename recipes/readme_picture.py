"""Make the README's picture, light and dark: a run's headline beside one of its items with its spectrogram.

.venv/bin/audiometry demo -o runs/demo
.venv/bin/python recipes/readme_picture.py runs/demo/report.html docs/images
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ITEM = "#browser?verdict=correct&task=Audio_Grounding&page=1"
WIDTH, SCALE, MARGIN = 1280, 1.5, 12
JOINED = """<!DOCTYPE html><style>
body {{ margin: 0; padding: 28px; background: {paper}; }}
body {{ display: grid; grid-template-columns: {left}px {right}px; gap: 36px; align-items: center; }}
img {{ display: block; width: 100%; border-radius: 10px; }}
</style><body><img src="{headline}"><img src="{item}">"""


def main() -> None:
    """Take both pictures and put them side by side."""
    report, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as scratch:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": 760, "height": 1400}, device_scale_factor=SCALE, color_scheme=scheme
            )
            page = context.new_page()
            page.goto(f"{report.as_uri()}{ITEM}")
            page.wait_for_selector("html[data-ready]")
            parts = {"headline": _headline(page), "item": _item(page)}
            for name, data in parts.items():
                (Path(scratch) / f"{name}.png").write_bytes(data)
            paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
            joined = Path(scratch) / "joined.html"
            joined.write_text(JOINED.format(left=560, right=620, paper=paper, headline="headline.png", item="item.png"))
            page.set_viewport_size({"width": WIDTH, "height": 600})
            page.goto(joined.as_uri())
            page.locator("body").screenshot(path=folder / f"report-{scheme}.png")
            context.close()
        browser.close()


def _headline(page: Page) -> bytes:
    """The summary down to the signature."""
    return _down_to(page, "#summary", "#summary .copied")


def _item(page: Page) -> bytes:
    """An item of which the sound is drawn, down to the reply."""
    page.locator("#list > li > button").first.click()
    page.wait_for_timeout(8000)  # the picture is drawn in slices
    return _down_to(page, "#list > li.open", "#list > li.open .said")


def _down_to(page: Page, part: str, last: str) -> bytes:
    whole, end = page.locator(part).bounding_box(), page.locator(last).first.bounding_box()
    if whole is None or end is None:
        raise SystemExit(f"the page has no {last}")
    height = end["y"] + end["height"] - whole["y"] + MARGIN
    top = whole["y"] + page.evaluate("scrollY")
    clip = {"x": max(0.0, whole["x"] - MARGIN), "y": top, "width": whole["width"] + 2 * MARGIN, "height": height}
    return page.screenshot(clip=clip, full_page=True)


if __name__ == "__main__":
    main()
