"""A stand-in for the arena's server, for what a real one cannot be made to do on request: it says what a test sets.

It speaks the wire between page and server and keeps one voter's battle in memory:

    stand = StandIn(pages)           # pages: the folder of the page's files
    stand.settings["steps"] = True   # what the page is told
    stand.fails["vote"] = [503]      # the next answers of a route: a status, or 0 for a connection that breaks
    stand.delay_s["recording"] = 2   # seconds before a route answers
    stand.replies = ("One.", "Two.") # what the models say; None: they failed
    stand.hold.clear()               # replies wait until it is set again
"""

import asyncio
import json
import threading

from starlette.applications import Starlette
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, StreamingResponse

from audiometry.render import html
from audiometry.web import app as web
from audiometry.web.guard import Guard

KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json"}
OUTCOMES = ["model_a", "model_b", "tie", "both_bad", "skip"]
MODELS = {
    "a": {"name": "lab/whisper-and-llama", "latency_s": 1.84, "first_token_s": 0.41},
    "b": {"name": "other/listener-2-large-instruct", "latency_s": 0.62, "first_token_s": None},
}
PIECES = 4


class StandIn:
    def __init__(self, pages):
        self.pages = pages
        self.files = {one.name: one for one in [*pages.iterdir(), *web.STATIC.iterdir(), html.PALETTE, html.STYLE]}
        self.settings = {
            "title": "Voice arena", "outcomes": OUTCOMES, "tags": [], "comment": True, "shortcuts": True,
            "longest_s": 60, "typed": True, "upload": True, "steps": False, "reveal": True, "consent": None,
            "processing": {"echo_cancellation": False, "noise_suppression": False, "auto_gain_control": False},
            "languages": ["en"], "largest_bytes": 24_000_000, "board": True,
        }  # fmt: skip
        self.heard = {"silent": False, "clipped": False, "peak_dbfs": -6.2, "level_dbfs": -21.0}
        self.replies = (
            "The capital of Australia is Canberra.",
            "It is Canberra, not Sydney.\n\n* Founded: 1913\n* People: 470,000",
        )
        self.board = {"models": [], "unplaced": [], "rates": [], "votes": 0, "at": "2026-11-28T12:00:00Z"}
        self.progress = None
        self.fails, self.delay_s = {}, {}
        self.hold = threading.Event()
        self.hold.set()
        self.asked, self.sent = [], {}  # routes in order; recordings with what the page said of them
        self.battle, self.consented, self.n = None, False, 0

    def app(self):
        app = Starlette()
        app.add_middleware(Guard, hosts=None)
        app.add_route("/", lambda _: FileResponse(self.pages / "index.html"))
        app.add_route("/board", self._board_page, methods=["GET", "POST"])
        app.add_route("/file/{name}", self._file)
        app.add_route("/audio/{name}", self._audio)
        app.add_route("/battle/{battle}/wait", self._wait)
        for name in ("state", "consent", "recording", "battle", "vote", "reveal", "code", "delete"):
            app.add_route(f"/{name}", self._route(name), methods=["POST"])
        return app

    def _route(self, name):
        async def answered(request):
            if refused := await self._trouble(name):
                return refused
            return await getattr(self, f"_{name}")(request)

        return answered

    async def _trouble(self, name):
        self.asked.append(name)
        await asyncio.sleep(self.delay_s.get(name, 0))
        status = self.fails[name].pop(0) if self.fails.get(name) else None
        if status == 0:
            return StreamingResponse(broken(), media_type="application/json")
        if status is None:
            return None
        why = {409: "the vote is closed", 429: "that was too much at once", 413: "it is too large"}
        return JSONResponse({"error": why.get(status, "it went wrong")}, status, headers={"retry-after": "2"})

    def _file(self, request):
        path = self.files.get(request.path_params["name"])
        if path is None:
            return PlainTextResponse("There is no such file.\n", 404)
        return FileResponse(path, media_type=KINDS[path.suffix], headers={"cache-control": "no-cache"})

    def _audio(self, request):
        path, kind = self.sent[request.path_params["name"]]["path"], self.sent[request.path_params["name"]]["type"]
        return FileResponse(path, media_type=kind)

    async def _board_page(self, request):
        if request.method == "GET":
            return FileResponse(self.pages / "board.html")
        return await self._trouble("board") or JSONResponse(self.board)

    async def _state(self, _):
        settings = self.settings | ({"consent": None} if self.consented else {})
        battle = self.battle and {name: value for name, value in self.battle.items() if name != "models"}
        return JSONResponse({"settings": settings, "battle": battle, "progress": self.progress})

    async def _consent(self, request):
        self.consented = (await request.json())["version"] == self.settings["consent"]["version"]
        return JSONResponse({})

    async def _recording(self, request):
        data, told = await request.body(), json.loads(request.headers["x-audiometry-heard"])
        self.n += 1
        name = f"r{self.n}"
        path = self.pages_of_audio / name
        path.write_bytes(data)
        self.sent[name] = {"path": path, "type": request.headers["content-type"], "told": told, "bytes": len(data)}
        facts = {"recording": name, "href": f"/audio/{name}", "duration_s": told.get("seconds", 1.0)} | self.heard
        return JSONResponse(facts)

    async def _battle(self, request):
        asked = await request.json()
        query = {"text": asked["text"]} if "text" in asked else {"href": f"/audio/{asked['recording']}"}
        battle = self.battle
        if battle is None or battle["query"] != query or battle["state"] == "failed":
            self.n += 1
            self.battle = {"battle": f"b{self.n}", "state": "asking", "query": query, "a": "", "b": "", "outcome": None,
                           "comment": "", "tags": []}  # fmt: skip
        return JSONResponse(self.battle)

    async def _wait(self, request):
        if refused := await self._trouble("wait"):
            return refused
        if self.settings["steps"]:
            return StreamingResponse(self._steps(), media_type="application/x-ndjson")
        for _ in range(40):
            if self.hold.is_set():
                self._ready()
                break
            await asyncio.sleep(0.025)
        return JSONResponse(self.battle)

    async def _steps(self):
        for piece in range(1, PIECES):
            await asyncio.sleep(0.05)
            so_far = [text[: len(text) * piece // PIECES] for text in self.replies]
            yield json.dumps({"state": "asking", "a": so_far[0], "b": so_far[1]}) + "\n"
        await asyncio.to_thread(self.hold.wait)
        self._ready()
        yield json.dumps(self.battle) + "\n"

    def _ready(self):
        if self.battle["state"] == "asking":
            a, b = self.replies or ("", "")
            self.battle |= {"state": "ready" if self.replies else "failed", "a": a, "b": b}

    async def _vote(self, request):
        vote = await request.json()
        if self.battle["state"] == "revealed":
            return JSONResponse({"error": "you have seen who they were, so the vote is closed"}, 409)
        if self.progress and self.battle["state"] == "ready":
            self.progress["done"] += 1
        self.battle |= {"state": "voted"} | {name: vote[name] for name in ("outcome", "comment", "tags")}
        return JSONResponse(self.battle)

    async def _reveal(self, _):
        self.battle |= {"state": "revealed", "models": MODELS}
        return JSONResponse(self.battle)

    async def _code(self, _):
        return JSONResponse({"code": "K7QF-2M9D-XW4T"})

    async def _delete(self, request):
        if (await request.json())["code"] != "K7QF-2M9D-XW4T":
            return JSONResponse({"error": "nobody has this code"}, 404)
        self.battle, self.consented = None, False
        return JSONResponse({"recordings": 2, "battles": 3, "votes": 1})


async def broken():
    """A body of which the connection breaks."""
    yield "{"
    raise ConnectionAbortedError
