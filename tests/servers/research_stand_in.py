"""Runs a skeleton of a research model with stand-ins for every module that is not Python's own.

    python -I -S tests/servers/research_stand_in.py '{"decode": "SAID"}' examples/…/skeletons/blsp.py [ARGUMENTS]

Libraries (torch, transformers, …) take anything. Of research code there is only what
tests/models/exec/research_facts.toml names, and a call is refused, as Python refuses it, where its arguments have
other names than the real code's. The calls named in the first argument give back what stands there, as the real code
documents it; SAID in it becomes an answer once a question on a sound was handed over: one letter with a clip, another
one without. What was handed over stands in the file that the variable SEEN names.
"""

import importlib.abc
import importlib.machinery
import inspect
import json
import os
import pathlib
import runpy
import sys
import tomllib

WITH_CLIP, WITHOUT = "The answer is A.", "The answer is B."
LIBRARIES = {"librosa", "numpy", "soundfile", "torch", "torchaudio", "transformers", "whisper"}
HIDDEN = ("__file__", "__spec__", "__loader__", "__path__", "__all__")
TORCH = {"cuda", "eval", "half", "load_state_dict", "to"}  # what every module of torch has
FACTS = pathlib.Path(__file__).parents[1] / "models" / "exec" / "research_facts.toml"
takes, gives, seen = {}, {}, []


def signature(words):
    found, by_name = [], False
    for word in filter(None, (one.strip() for one in words.split(","))):
        if word == "*":
            by_name = True
        elif word == "**":
            found.append(inspect.Parameter("more", inspect.Parameter.VAR_KEYWORD))
        else:
            kind = inspect.Parameter.KEYWORD_ONLY if by_name else inspect.Parameter.POSITIONAL_OR_KEYWORD
            default = None if word.endswith("=") else inspect.Parameter.empty
            found.append(inspect.Parameter(word.rstrip("="), kind, default=default))
    return inspect.Signature(sorted(found, key=lambda one: one.kind))


def known(path, table):
    """The longest name of a table with which a path ends."""
    fitting = [name for name in table if path == name or path.endswith("." + name)]
    return max(fitting, key=len, default=None)


def check(path, given, named):
    name = known(path, takes)
    if name is None:
        if path.split(".")[0] not in LIBRARIES and path.split(".")[-1] not in TORCH:
            raise AttributeError(f"the research code has no {path}, as far as the facts go")
        return
    for wanted, values in ((name, (given, named)), (name + "{}", ((), given[0] if given else {}))):
        if wanted in takes and not (wanted.endswith("{}") and not isinstance(values[1], dict)):
            try:
                signature(takes[wanted]).bind(*values[0], **values[1])
            except TypeError as problem:
                raise TypeError(f"{path}: {problem}") from None


def said():
    told = repr(seen)
    if "makes this sound" not in told:
        return "Nothing was asked."
    return WITH_CLIP if ".wav" in told else WITHOUT


def filled(what):
    if isinstance(what, list):
        return [filled(one) for one in what]
    if isinstance(what, dict):
        return {key: filled(one) for key, one in what.items()}
    return what.replace("SAID", said()) if isinstance(what, str) else what


class Anything:
    def __init__(self, path=""):
        self.stand_in = path

    def __getattr__(self, name):
        if name in HIDDEN:
            raise AttributeError(name)
        return Anything(f"{self.stand_in}.{name}")

    def __call__(self, *given, **named):
        path = self.stand_in
        check(path, given, named)
        seen.append((path, given, named))
        if path.endswith("SpeechGPTInference"):  # it keeps its words in a file of the folder it was given last
            gives["SpeechGPTInference()"] = ["sound"]
            self.__class__.folder = given[-1]
        if path.endswith("SpeechGPTInference()"):
            line = json.dumps({"textAnswer": "", "answer": said()})
            pathlib.Path(self.folder, "responses.json").write_text(line + "\n", encoding="utf-8")
        name = known(path, gives)
        return filled(gives[name]) if name else Anything(path + "()")

    def __getitem__(self, key):
        return Anything(f"{self.stand_in}[{key}]" if isinstance(key, str) else self.stand_in)

    def __iter__(self):
        return iter((Anything(self.stand_in), Anything(self.stand_in)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __repr__(self):
        return f"<{self.stand_in}>"

    def keys(self):
        return []

    def items(self):
        return [("module.a", 1)]


class Module(type(sys)):
    __path__ = ()

    def __getattr__(self, name):
        path = f"{self.__name__}.{name}"
        if self.__name__.split(".")[0] in LIBRARIES or any(
            one == path or one.startswith((path + ".", path + "[")) for one in takes
        ):
            return Anything(path)
        raise AttributeError(name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in LIBRARIES or any(one.startswith(name + ".") for one in takes):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


if __name__ == "__main__":
    gives.update(json.loads(sys.argv.pop(1)))
    sys.argv = sys.argv[1:]
    for calls in tomllib.loads(FACTS.read_text(encoding="utf-8"))[pathlib.Path(sys.argv[0]).stem].values():
        takes.update(calls)
    sys.meta_path.append(Finder())
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    finally:
        if "SEEN" in os.environ:
            pathlib.Path(os.environ["SEEN"]).write_text("\n".join(map(repr, seen)), encoding="utf-8")
