"""Runs a skeleton of a research model with stand-ins for every module that is not Python's own.

    python -I -S tests/servers/research_stand_in.py '{"decode": "SAID"}' examples/…/skeletons/blsp.py [ARGUMENTS]

Anything can be got from a stand-in and called. The calls named in the first argument give back what stands there, as
the model's own code documents it; SAID in it becomes an answer once a clip and a question on a sound were handed over.
"""

import importlib.abc
import importlib.machinery
import json
import pathlib
import runpy
import sys

ANSWER = "The answer is A."
HIDDEN = ("__file__", "__spec__", "__loader__", "__path__", "__all__")
gives = {}
seen = []


def said():
    told = repr(seen)
    clip = ".wav" in told or "upload_audio" in told  # MusiLingo is handed samples
    return ANSWER if clip and "makes this sound" in told else "Nothing was asked."


def filled(what):
    if isinstance(what, list):
        return [filled(one) for one in what]
    return what.replace("SAID", said()) if isinstance(what, str) else what


class Anything:
    def __init__(self, name=""):
        self.stand_in = name

    def __getattr__(self, name):
        if name in HIDDEN:
            raise AttributeError(name)
        return Anything(name)

    def __call__(self, *given, **named):
        seen.append((self.stand_in, given, named))
        if self.stand_in == "SpeechGPTInference":  # it keeps its words in a file of the folder it was given last
            return Anything(f"in {given[-1]}")
        if self.stand_in.startswith("in "):
            line = json.dumps({"textAnswer": "", "answer": said()})
            pathlib.Path(self.stand_in[3:], "responses.json").write_text(line + "\n", encoding="utf-8")
        return filled(gives[self.stand_in]) if self.stand_in in gives else Anything()

    def __getitem__(self, key):
        return Anything()

    def __iter__(self):
        return iter((Anything(), Anything()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def keys(self):
        return []

    def items(self):
        return [("module.a", 1)]


class Module(type(sys)):
    __path__ = ()

    def __getattr__(self, name):
        return Anything(name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


if __name__ == "__main__":
    gives.update(json.loads(sys.argv.pop(1)))
    sys.meta_path.append(Finder())
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
