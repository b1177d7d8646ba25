"""How soon the list of items of a report can be used, and filtered, in headless Chromium."""

import shutil
import statistics
import sys
from pathlib import Path

from processes import run
from scoring import MODELS, finished, made
from sections import AUDIOMETRY, Row, Settings

SIZES = (2000, 20_000, 100_000)
READY_S = {20_000: 2.0}
FILTERED_MS = {20_000: 100.0}
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")

WHEN_READY = """
new MutationObserver(() => {
  if (document.documentElement?.dataset.ready) window.readyAt ??= performance.now();
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-ready"] });
"""
# From what a person does to the list that stands there, laid out: select a value, or type a word.
CHANGE = """
([id, value, type]) => new Promise((done) => {
  const list = document.getElementById("list"), node = document.getElementById(id);
  let began = 0;
  const seen = new MutationObserver(() => {
    seen.disconnect();
    list.getBoundingClientRect();
    done(performance.now() - began);
  });
  seen.observe(list, { childList: true });
  node.value = value;
  if (node.type === "radio") node.checked = true;
  began = performance.now();
  node.dispatchEvent(new Event(type, { bubbles: true }));
})
"""
CHANGES = {
    "a verdict": ("verdict-wrong", "wrong", "change"),
    "a task": ("task", "task-3", "change"),
    "a tag": ("tag", "folder", "change"),
    "a value of it": ("value", ":folder-7", "change"),
    "an order": ("sort", "how", "change"),
    "a word": ("search", "recording number 7", "input"),
    "nothing any more": ("search", "", "input"),
}


def page(settings: Settings) -> list[Row]:
    """Seconds until a report of two runs can be used, milliseconds until it is filtered; medians and the best."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("the page is measured in Chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    rows = []
    for n in SIZES:
        report = settings.cache / f"page-{n}.html"
        runs = [finished(made(settings.cache / f"scoring-{n}", n), model) for model in MODELS]
        run([AUDIOMETRY, "report", *runs, "-o", report])
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
            ready, filtered = zip(*[_visit(browser, report) for _ in range(settings.repeats)], strict=True)
            browser.close()
        rows.append(Row(f"{n:,} items: ready", statistics.median(ready) / 1000, "s", READY_S.get(n)))
        rows.append(Row(f"{n:,} items: ready, best", min(ready) / 1000, "s"))
        took = {what: [one[what] for one in filtered] for what in CHANGES}
        rows += [Row(f"{n:,} items: {w}", statistics.median(ms), "ms", FILTERED_MS.get(n)) for w, ms in took.items()]
        rows.append(Row(f"{n:,} items: the slowest of these, best", max(map(min, took.values())), "ms"))
    return rows


def _visit(browser: object, report: Path) -> tuple[float, dict[str, float]]:
    """Milliseconds of one visit: until the list can be used, and for each change, one after the other."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.add_init_script(WHEN_READY)
    tab.goto(report.resolve().as_uri())
    tab.wait_for_selector("html[data-ready]")
    tab.wait_for_timeout(1500)  # a person looks before they type
    ready = tab.evaluate("() => window.readyAt")
    took = {what: tab.evaluate(CHANGE, list(change)) for what, change in CHANGES.items()}
    tab.close()
    return ready, took
