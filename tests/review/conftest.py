"""A review that is served in this process, and somebody who asks it without a browser."""

import contextlib
import http.client
import json
from queue import Queue
from threading import Thread
from types import SimpleNamespace

import pytest

from audiometry import bench
from audiometry.review import page, sources
from audiometry.review.folder import ANSWERED, INSIDE, ReviewFolder
from audiometry.review.modes import OF_ITEMS
from audiometry.review.review import reviewed
from audiometry.web import serve as server
from audiometry.web.clips import Clips
from audiometry.web.door import Door


class Client:
    """Somebody at a page, who has come in by a name."""

    def __init__(self, port: int, name: str = "", host: str = "") -> None:
        self.port, self.host, self.cookie = port, host or f"127.0.0.1:{port}", ""
        if name:
            assert self.post("enter", {"name": name}).status == 200

    def ask(self, method, path, body=None, **headers):
        """The status, the headers and the body of what is answered."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as line:
            sent = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
            known = {"Host": self.host} | ({"Cookie": self.cookie} if self.cookie else {})
            line.request(method, path, sent, known | {k.replace("_", "-"): v for k, v in headers.items()})
            got = line.getresponse()
            data = got.read()
        if cookie := got.headers.get("set-cookie"):
            self.cookie = cookie.partition(";")[0]
        said = json.loads(data) if got.headers.get_content_type() == "application/json" else None
        return SimpleNamespace(status=got.status, headers=got.headers, data=data, json=said)

    def post(self, name, body=None, **headers):
        return self.ask("POST", f"/{name}", body or {}, **headers)

    def next(self):
        return self.post("next").json

    def say(self, put, /, **said):
        return self.post("answer", {"unit": put["unit"], "said": said, "seconds": 1.5})


@pytest.fixture
def client():
    return Client


@pytest.fixture
def begun(tmp_path):
    """A review of a benchmark folder: ``begun(folder, mode="approve", raters=2)``."""

    def start(folder, mode="approve", to=None, **given):
        loaded = bench.load(folder)
        units = sources.items(loaded)
        given = {"raters": None, "sample": None, "seed": None} | given
        return reviewed(
            ReviewFolder(to or folder / (ANSWERED if mode == "answer" else INSIDE)),
            OF_ITEMS[mode],
            units,
            (loaded.name,),
            given,
        )

    return start


@pytest.fixture
def serving():
    """Serve a review until the test ends: ``port = serving(review, benchmark folder)``."""
    with contextlib.ExitStack() as stack:

        def start(review, folder, links=None):
            loaded = bench.load(folder)
            on = server.listen(port=0)
            port = on.getsockname()[1]
            clips = stack.enter_context(contextlib.closing(Clips(loaded.clip_path)))
            desk = stack.enter_context(review.desk())
            app = page.application(
                page.Page(desk, clips, loaded.name), Door("review", links), clips, start.heard.append
            )
            ends = Queue()
            thread = Thread(target=server.serve, args=(app, on, ends.put))
            thread.start()
            stack.callback(lambda: (ends.get()(), thread.join()))
            return port

        start.heard = []
        yield start


@pytest.fixture
def journal():
    """A journal in memory."""

    class Kept(list):
        def append(self, record):
            super().append(record)
            return record

    return Kept


@pytest.fixture
def visit(browser, begun, serving):
    """Open a review's page: gives the page and the review; what the console says is in ``page.said``.

    It is closed with the test, so that nothing plays on in the next one.
    """
    opened = []

    def call(folder, name="anna", width=1280, scheme="light", review=None, **given):
        review = review or begun(folder, **given)
        port = serving(review, folder)
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        opened.append(page)
        page.said = []
        page.on("console", lambda one: page.said.append(one.text))
        page.on("pageerror", lambda one: page.said.append(str(one)))
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector("html[data-ready]")
        if name:
            page.fill("#name", name)
            page.keyboard.press("Enter")
            page.wait_for_selector(".unit")
        return page, review

    yield call
    for one in opened:
        one.close()
