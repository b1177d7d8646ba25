"""Plays the hub for the tests: what its client library asks when it fetches a dataset repository.

    python tests/servers/hub_server.py FOLDER

FOLDER holds ``OWNER/NAME/COMMIT/files…`` and ``hub.json``, read at every request:

- ``refs``: ``{"OWNER/NAME": {"main": COMMIT}}``
- ``gated``: repositories whose files are given to nobody
- ``breaks``: ``{"OWNER/NAME/file": n}``: how many more downloads break off in the middle
- ``spoils``: ``{"OWNER/NAME/file": n}``: how many more downloads have other bytes
- ``drips``: how many bytes of a file come before the others, ten a second
- ``status``: answer everything with it
- ``nonsense``: answer every listing with that

Prints ``{"port": …}`` when it is ready; one line a request in FOLDER/requests.jsonl. Source: the HTTP interface that
huggingface_hub 1 and 2 use (``/api/datasets``, ``/tree``, ``/resolve``; ``X-Error-Code``, ``X-Repo-Commit``, ``ETag``).
"""

import hashlib
import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(sys.argv[1])
API = re.compile(r"/api/datasets/([^/]+/[^/]+)(?:/(revision|tree)/([^/]+))?")
RESOLVE = re.compile(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")


class Hub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    broken: dict[str, int] = {}  # noqa: RUF012  one server, one state

    def do_HEAD(self):
        self.handle_all()

    def do_GET(self):
        self.handle_all()

    def handle_all(self):
        path = unquote(urlsplit(self.path).path)
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        told = {"method": self.command, "path": path, "range": self.headers.get("Range"), "token": token}
        with self.lock, (ROOT / "requests.jsonl").open("a") as log:
            log.write(json.dumps(told) + "\n")
        self.state = json.loads((ROOT / "hub.json").read_text())
        if self.state.get("status"):
            self.refuse(self.state["status"], "", f"the token {token} is not liked")
        elif found := RESOLVE.fullmatch(path):
            self.give_file(*found.groups(), token)
        elif found := API.fullmatch(path):
            self.give_listing(*found.groups())
        else:
            self.refuse(404, "", "no such page")

    def commit_of(self, repository, revision):
        """The commit, or None once an error has been sent."""
        refs = self.state["refs"].get(repository)
        if refs is None:
            self.refuse(401, "RepoNotFound", "Invalid username or password.")
            return None
        commit = refs.get(revision, revision if revision in refs.values() else None)
        if commit is None:
            self.refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return commit

    def give_listing(self, repository, what, revision):
        if "nonsense" in self.state:
            self.give_json(self.state["nonsense"])
            return
        commit = self.commit_of(repository, revision or "main")
        if commit is None:
            return
        base = ROOT / repository / commit
        files = sorted(p for p in base.rglob("*") if p.is_file())
        names = [p.relative_to(base).as_posix() for p in files] + self.state.get("also_names", [])
        if what == "tree":
            listed = [
                {"type": "file", "path": p.relative_to(base).as_posix(), "size": p.stat().st_size, "oid": oid(p)}
                for p in files
            ]
            self.give_json(listed)
        else:
            siblings = [
                {"rfilename": name, "size": (base / name).stat().st_size, "blobId": oid(base / name)}
                if (base / name).is_file()
                else {"rfilename": name}
                for name in names
            ]
            self.give_json({"_id": "1", "id": repository, "sha": commit, "siblings": siblings, "tags": []})

    def give_file(self, repository, revision, name, token):
        commit = self.commit_of(repository, revision)
        if commit is None:
            return
        if repository in self.state.get("gated", []):
            self.refuse(403 if token else 401, "GatedRepo", f"Access to dataset {repository} is restricted.")
            return
        file = ROOT / repository / commit / name
        if not file.is_file():
            self.refuse(404, "EntryNotFound", "Entry not found")
            return
        raw = file.read_bytes()
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        start = int(asked[1]) if asked else 0
        self.send_response(206 if asked else 200)
        self.send_header("X-Repo-Commit", commit)
        self.send_header("ETag", f'"{oid(file)}"')
        self.send_header("Accept-Ranges", "bytes")
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{len(raw) - 1}/{len(raw)}")
        self.send_header("Content-Length", str(len(raw) - start))
        self.end_headers()
        if self.command == "HEAD":
            return
        key = f"{repository}/{name}"
        with self.lock:
            self.broken[key] = self.broken.get(key, 0) + 1
        if self.broken[key] <= self.state.get("breaks", {}).get(key, 0):
            self.wfile.write(raw[start : start + (len(raw) - start) // 2])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(2)
            return
        for _ in range(self.state.get("drips", 0)):  # a byte a tenth of a second
            self.wfile.write(raw[start : start + 1])
            start += 1
            time.sleep(0.1)
        spoilt = self.broken[key] <= self.state.get("spoils", {}).get(key, 0)
        self.wfile.write(bytes(len(raw) - start) if spoilt else raw[start:])

    def give_json(self, document):
        raw = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def refuse(self, status, code, message):
        raw = b"" if self.command == "HEAD" else json.dumps({"error": message}).encode()
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        self.send_header("X-Error-Message", message)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass


def oid(path):
    raw = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(raw) + raw, usedforsecurity=False).hexdigest()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.daemon_threads = True
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    server.serve_forever()
