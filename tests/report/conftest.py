"""Small benchmarks and run folders for reports, and a real browser to look at them."""

import io
import json
import re
import wave
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import msgspec
import pytest

from audiometry import bench
from audiometry.dispatch.tally import Tally
from audiometry.files.run_folder import BenchmarkStamp, PromptStamp, RunFolder, RunInfo
from audiometry.records import ReplyRecord
from audiometry.render import files
from audiometry.run.probing.result import Aspect, Probe
from audiometry.score.published import published_tasks

CARD = """
[benchmark]
name = "small"
version = "2"
title = "Small things heard"
cannot_show = ["Anything beyond {n} items."]

[[task]]
name = "bell"
title = "Which bell"
category = "sound"
note = "Bells only."

[[task]]
name = "voice"
title = "Whose voice"
category = "speech"
"""
CONTRAST = """
() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const drawn = new Map();
  const rgb = (colour) => {
    if (!drawn.has(colour)) {
      context.clearRect(0, 0, 1, 1); context.fillStyle = colour; context.fillRect(0, 0, 1, 1);
      drawn.set(colour, [...context.getImageData(0, 0, 1, 1).data]);
    }
    return drawn.get(colour);
  };
  const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let n = node; n; n = n.parentElement) {
      const colour = rgb(getComputedStyle(n).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll("body *")) {
    if (![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) continue;
    if (node.closest("script, style, :disabled, [hidden], option") || !node.getClientRects().length) continue;
    const style = getComputedStyle(node);
    const [a, b] = [luminance(rgb(style.color)), luminance(behind(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) poor.push(`${node.tagName}.${node.className} ${ratio.toFixed(2)} ${node.textContent}`);
  }
  return poor;
}
"""
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
PAYLOADS = (
    "<script>window.pwned = 1</script>",
    "</script><script>window.pwned = 2</script>",
    "<img src=x onerror='window.pwned = 3'>",
    '"><svg onload="window.pwned = 4">',
    "<!--<script>window.pwned = 5",
    "javascript:window.pwned = 6",
    "{{ 7 * 7 }} {% raw %}",
    "\u2028window.pwned = 7\u2029",
    "&lt;b&gt; &amp; ]]> \\u003c/script>",
)


def tone(seconds: float = 0.4, rate: int = 8000, value: int = 7) -> bytes:
    """A WAV file of a square wave."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        half = max(1, rate // (2 * (200 + 10 * value)))
        samples = [2000 if (i // half) % 2 else -2000 for i in range(int(seconds * rate))]
        file.writeframes(b"".join(s.to_bytes(2, "little", signed=True) for s in samples))
    return out.getvalue()


def item(number: int, **changes: Any) -> dict[str, Any]:
    """An item of the small benchmark: half of them bells, gold letters in turn."""
    options = ["a low bell", "a high bell", "a cracked bell", "no bell"]
    return {
        "id": f"small/{number:03d}",
        "task": "bell" if number % 2 else "voice",
        "question": f"What do you hear in clip {number}?",
        "file_name": f"audio/{number}.wav",
        "options": options,
        "answer": options[number % 4],
        "tags": {"loud": bool(number % 3), "kind": f"kind-{number % 3}"},
        "source": f"made for test {number}",
        "licence": "CC0-1.0",
    } | changes


def letter(entry: dict[str, Any], *, right: bool = True) -> str:
    """The right letter of an item, or the one after it."""
    place = entry["options"].index(entry["answer"])
    return "ABCDEFGHIJ"[place if right else (place + 1) % len(entry["options"])]


def answers(
    items: Sequence[dict[str, Any]], *, right: Callable[[int], bool] = lambda i: i % 4 != 0, latency: float = 0.5
) -> list[ReplyRecord]:
    """A reply to each item, right where the rule says so: but for every fourth."""
    return [
        ReplyRecord(item=entry["id"], text=letter(entry, right=right(i)), latency_s=latency, attempts=1)
        for i, entry in enumerate(items)
    ]


def airbench_card() -> str:
    """A card that calls itself AIR-Bench foundation, with its tasks and categories."""
    return '[benchmark]\nname = "airbench/foundation"\nversion = "2024-02"\n' + "".join(
        f'[[task]]\nname = "{task.task_name}"\ntitle = "{task.task}"\ncategory = "{task.category}"\n'
        for task in published_tasks("airbench/foundation")
    )


def airbench_items(each: int = 2) -> list[dict[str, Any]]:
    """So many items of each of its tasks."""
    names = [task.task_name for task in published_tasks("airbench/foundation")] * each
    return [item(number, task=name, file_name=f"audio/{number % 3}.wav") for number, name in enumerate(names)]


def probe(**changes: Any) -> Probe:
    """A hearing test of two parts, one of them heard."""
    parts = (
        Aspect(name="digits", title="spoken digits", kind="digit", verdict="heard", right=9, n=10, chance=0.25, p=2e-5),
        Aspect(
            name="end", title="digit at the end of 61 s", kind="digit", verdict="not asked", chance=0.25, note="cut"
        ),
    )
    found = Probe(
        form="full",
        model="scripted/run",
        parameters={},
        seed=0,
        hears=True,
        p=2e-5,
        right=9,
        n=10,
        expected=2.5,
        n_failed=0,
        aspects=parts,
        findings=(),
        usage=Tally().usage(),
        at="2026-01-02T03:04:05Z",
        questions=(),
    )
    return msgspec.structs.replace(found, **changes)


OPEN_CARD = """
[benchmark]
name = "{name}"
version = "3"
title = "Things told of sounds"

[[task]]
name = "speech_QA"
title = "Of speech"
category = "speech"
kind = "open"

[[task]]
name = "sound_QA"
title = "Of sounds"
category = "sound"
kind = "open"

[[task]]
name = "speech_and_sound_QA"
category = "mixed"
kind = "open"
"""
OPEN_TASKS = ("speech_QA", "sound_QA", "speech_and_sound_QA")


def open_item(number: int, **changes: Any) -> dict[str, Any]:
    """An open item; every third is of mixed audio, with tags."""
    task = OPEN_TASKS[number % 3]
    tags = {"folder": f"folder-{number % 2}"}
    if task == "speech_and_sound_QA":
        tags |= {"louder": "speech" if number % 2 else "sound", "level_difference": number % 12}
    return {
        "id": f"open/{number:03d}",
        "task": task,
        "question": f"What happens in clip {number}?",
        "file_name": f"audio/{number}.wav",
        "answer": f"Reference {number}.",
        "meta": f"{{'events': ['take {number}']}}",
        "tags": tags,
        "source": "made",
        "licence": "CC0-1.0",
    } | changes


def verdicts(
    run: Path,
    say: Callable[[Any], str | tuple[str, str] | None],
    *,
    name: str = "openai/judge",
    slug: str = "judge-01234567",
    panel: bool = False,
) -> None:
    """Put a judge's verdicts into a run folder, as scoring would have: ``say(pair)`` gives its answer, or both.

    ``panel``: the judge was named together with all that the folder holds.
    """
    from audiometry.score.judge.asked import contents
    from audiometry.score.judge.comparisons import COMPARISONS
    from audiometry.score.opened import open_run
    from audiometry.score.profiles import PROFILES
    from audiometry.score.result import FORMAT

    lines = []
    for key, pair in dict(contents(open_run(run), [PROFILES.named("strict").readers["open"]])).items():
        said = say(pair)
        for variant, text in zip(("first", "again"), (said,) if isinstance(said, str) else said or (), strict=False):
            lines.append(ReplyRecord(item=key, variant=variant, text=text, attempts=1, tokens_in=300, tokens_out=3))
    journal = run / "judge" / f"chat-{slug}.jsonl"
    journal.parent.mkdir(exist_ok=True)
    journal.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    account = {"journal": f"judge/{journal.name}", "prompt_sha256": COMPARISONS.prompt_sha256(), "parameters": {}}
    (run / "scores").mkdir(exist_ok=True)
    judges = {name: account}
    if panel:
        for path in (run / "scores").glob("*.json"):
            judges |= json.loads(path.read_text())["scores"]["strict"]["extras"]["judges"]
    document = {"format": FORMAT, "scores": {"strict": {"extras": {"judges": judges}}}}
    (run / "scores" / f"strict--{slug}.json").write_text(json.dumps(document))


MakeBenchmark = Callable[..., Path]
MakeRun = Callable[..., Path]


@pytest.fixture
def make_benchmark(tmp_path: Path) -> MakeBenchmark:
    """Write a benchmark folder; ``clips`` maps file names to bytes (None: the file is missing), default tones."""

    def make(
        items: Sequence[dict[str, Any]],
        clips: dict[str, bytes | None] | None = None,
        name: str = "small",
        card: str = CARD,
    ) -> Path:
        folder = tmp_path / f"bench-{name}"
        folder.mkdir()
        (folder / "benchmark.toml").write_text(card.format(n=len(items)))
        lines = [json.dumps(entry) for entry in items]
        (folder / "metadata.jsonl").write_text("\n".join(lines) + "\n")
        wanted = {entry["file_name"]: tone(value=i) for i, entry in enumerate(items) if entry.get("file_name")}
        for file_name, data in (wanted | (clips or {})).items():
            if data is not None:
                path = folder / file_name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        return folder

    return make


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Write a run folder with the given records, as a run would have left it."""

    def make(benchmark: Path, records: Sequence[ReplyRecord], *, name: str = "run", **info: Any) -> Path:
        loaded = bench.load(benchmark, absent=())  # scoring needs no clips
        stamp = BenchmarkStamp(
            name=loaded.name, version=loaded.card.benchmark.version, source=str(benchmark), sha256=loaded.sha256
        )
        settings: dict[str, Any] = {
            "model": f"scripted/{name}",
            "parameters": {
                "temperature": 0.5,
                "reader": {"name": "rules", "stop": ["a", "b"], "parameters": {}, "vad": False},
            },
            "seed": 0,
            "variants": ("plain",),
            "versions": {"audiometry": "0.1.0"},
            "started": "2026-01-02T03:04:05Z",
        }
        folder = RunFolder(tmp_path / name)
        prompt = PromptStamp(layout="ours", sha256="9ce086" + "0" * 58, part_order="audio-first")
        folder.write_info(RunInfo(benchmark=stamp, prompt=prompt, n_items=len(loaded), **(settings | info)))
        folder.replies_path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
        return folder.path

    return make


class Page:
    """A report as a parser sees it."""

    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        self.text = re.sub(r'<span class="nowrap">([^<]*)</span>', r"\1", text)  # numbers that no line break splits

    def data(self, name: str) -> Any:
        """The JSON of a data element, read back."""
        found = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', self.text, re.DOTALL)
        assert len(found) == 1
        return json.loads(found[0])

    def section(self, name: str) -> str:
        """The HTML of a section; empty if the page has none of that name."""
        found = re.findall(rf'<section id="{name}".*?</section>', self.text, re.DOTALL)
        return str(found[0]) if found else ""

    @property
    def scripts(self) -> list[str]:
        """The text of each script that a browser runs."""
        return re.findall(r"<script>(.*?)</script>", self.text, re.DOTALL)


@pytest.fixture(scope="session")
def made() -> SimpleNamespace:
    """The functions above, for tests: a conftest is not to be imported."""
    return SimpleNamespace(
        PAYLOADS=PAYLOADS,
        Page=Page,
        airbench_card=airbench_card,
        airbench_items=airbench_items,
        answers=answers,
        CONTRAST=CONTRAST,
        OPEN_CARD=OPEN_CARD,
        OVERFLOW=OVERFLOW,
        item=item,
        letter=letter,
        open_item=open_item,
        probe=probe,
        tone=tone,
        verdicts=verdicts,
    )


class Visit:
    """A page in the browser with what it said and asked for on the way."""

    def __init__(self, browser: Any, width: int, scheme: str) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.problems.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def load(self, path: Path) -> Any:
        """Open a report and wait until its items can be used."""
        self.page.goto(path.resolve().as_uri())
        self.page.wait_for_selector("html[data-ready]")
        return self.page

    def clean(self) -> bool:
        """Whether nothing was said on the console and nothing was asked of a network."""
        outside = [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))]
        assert self.problems == []
        assert outside == []
        return True


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Visit]]:
    """Open pages; they are closed with the test."""
    opened: list[Visit] = []

    def start(width: int = 1280, scheme: str = "light") -> Visit:
        opened.append(Visit(browser, width, scheme))
        return opened[-1]

    yield start
    for one in opened:
        one.page.close()


@pytest.fixture
def on_axes() -> Callable[[Any], int]:
    """Hold all that figures draw to lying between the ends of their axes, and what begins at 0 to filling it."""

    def check(blocks: Any) -> int:
        found = [one for one in files.figures(blocks) if one.kind != "matrix"]
        for figure in found:
            bands = figure.y.bands
            values = [end for mark in figure.marks for end in (mark.x, *(mark.interval or ()))]
            values += [one for one in (figure.reference, *(band.reference for band in bands)) if one is not None]
            ends = [end for one in (figure.shade, *(band.shade for band in bands)) for end in one or ()]
            values += [*ends, *([0.0] if figure.kind == "bars" else [])]
            assert figure.x.low <= min(values), figure.id
            assert max(values) <= figure.x.high, figure.id
            if figure.kind == "bars" or figure.x.sign:  # which are drawn from nothing on
                assert max(0.0, *values) > figure.x.ticks[-2] or figure.x.ticks[-2] == 0, figure.id
                assert min(0.0, *values) < figure.x.ticks[1], figure.id
            assert {mark.y for mark in figure.marks} <= set(range(len(bands))) or figure.kind == "scatter", figure.id
        return len(found)

    return check


@pytest.fixture
def serious(visit: Any, axe: Callable[..., list[str]]) -> Callable[..., list[Any]]:
    """What axe-core finds on pages, wide and narrow, with all that folds open; of ``listed`` items the fourth too."""

    def call(paths: Sequence[Path], scheme: str, *, listed: bool = True) -> list[Any]:
        found: list[Any] = []
        for path in paths:
            page = visit(1280, scheme).load(path)
            page.evaluate("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            if listed:
                page.locator("#list .row").nth(3).click()
            for width in (1280, 400):
                page.set_viewport_size({"width": width, "height": 900})
                found += [(path.name, width, one) for one in axe(page)]
        return found

    return call


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Nothing is to be read there."""


@pytest.fixture
def served(tmp_path):
    """Gives the address of a file of the test's folder from a web server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield lambda path: f"http://127.0.0.1:{server.server_port}/{quote(str(path.relative_to(tmp_path)))}"
        server.shutdown()
