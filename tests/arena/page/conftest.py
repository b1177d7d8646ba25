"""The arena's page in a Chromium that hears a real voice, before a server that does what a test sets."""

import contextlib
from pathlib import Path
from queue import Queue
from threading import Thread

import numpy as np
import pytest
import soundfile

import audiometry.arena
from audiometry import bench
from audiometry.web import serve as server

RATE = 48_000
FAKE = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")


@pytest.fixture(scope="session")
def voice():
    """Some seconds of a person who speaks, at 48 kHz."""
    loaded = bench.load("mini")
    item = next(one for one in loaded if one.task == "Spoken_Language_Identification")
    samples, rate = soundfile.read(loaded.clip_path(item.clips[0]))
    at = np.arange(int(len(samples) / rate * RATE)) / RATE
    return np.interp(at, np.arange(len(samples)) / rate, samples if samples.ndim == 1 else samples[:, 0])


@pytest.fixture(scope="module")
def hearing(chromium, tmp_path_factory):
    """Start a Chromium of which the microphone hears these samples over and over: ``hearing(samples)``."""

    def start(samples, *more):
        path = tmp_path_factory.mktemp("microphone") / "heard.wav"
        soundfile.write(path, np.asarray(samples, np.float32), RATE, subtype="PCM_16")
        return chromium(*FAKE, f"--use-file-for-fake-audio-capture={path}", *more)

    return start


@pytest.fixture(scope="module")
def listener(hearing, voice):
    """A Chromium that hears a voice."""
    return hearing(voice)


@pytest.fixture
def stand(tmp_path, arena_stand_in):
    """A stand-in server that a test sets, served until the test ends; ``stand.url`` is where."""
    made = arena_stand_in.StandIn(Path(audiometry.arena.__file__).parent / "static")
    made.pages_of_audio = tmp_path
    on = server.listen(port=0)
    ends = Queue()
    thread = Thread(target=server.serve, args=(made.app(), on, ends.put))
    thread.start()
    made.url = f"http://127.0.0.1:{on.getsockname()[1]}"
    yield made
    made.hold.set()
    ends.get()()
    thread.join()


@pytest.fixture
def visit(listener, stand):
    """Open the page: ``visit(width=360, scheme="dark")``; what the console says is in ``page.said``."""
    with contextlib.ExitStack() as stack:

        def call(path="/", width=1280, height=900, scheme="light", browser=listener, url=None, script="", **given):
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **given)
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(20_000)
            if script:
                page.add_init_script(script)
            page.said = []
            page.on("console", lambda one: page.said.append(one.text))
            page.on("pageerror", lambda one: page.said.append(str(one)))
            page.goto((url or stand.url) + path)
            page.wait_for_selector("html[data-ready]")
            return page

        yield call


@pytest.fixture
def at():
    """Wait until the page is in a state: ``at(page, "listen")``; with ``keys`` until its keys are heard too."""

    def wait(page, state, *, keys=False):
        page.wait_for_selector(f'main[data-state="{state}"]')
        if keys:
            page.wait_for_timeout(400)

    return wait
