"""What ``run.json`` says of a run that goes on, and which folder a request is given."""

import re

import msgspec
import pytest

from audiometry.files.run_folder import BenchmarkStamp, PromptStamp, RunFolder, RunInfo
from audiometry.run import folder as folders
from audiometry.run.folder import default_path, finish

BENCHMARK = BenchmarkStamp(name="b", version="1", source="/b", sha256="a")
INFO = RunInfo(
    benchmark=BENCHMARK,
    model="openai/mock",
    parameters={"temperature": 0.5},
    prompt=PromptStamp(layout="ours", sha256="1" * 64, part_order="audio-first"),
    seed=3,
    variants=("plain",),
    n_items=4,
    versions={},
    started="2026-01-01T00:00:00Z",
    served_at=("http://one",),
)


def claim(folder, info):
    """Without a reply, so that no benchmark is looked at."""
    return folders.claim(folder, info, None)


def but(info=INFO, **changes):
    return msgspec.structs.replace(info, **changes)


def of(content, **changes):
    return but(benchmark=msgspec.structs.replace(BENCHMARK, sha256=content, **changes))


ONE, TWO, BOTH = ("http://one",), ("http://two",), ("http://one", "http://two")


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({"served_at": TWO}, {"served_at": ONE}, BOTH),
        ({"served_at": ONE}, {"served_at": ONE}, ONE),
        ({"served_at": None}, {"served_at": ONE}, None),
        ({"served_at": None}, {"served_at": ONE, "again": True}, ONE),  # what was there is set aside
        ({"served_at": TWO}, {"served_at": ONE, "again": True}, ONE),
        ({"served_at": TWO, "unfinished": True}, {"served_at": ONE, "again": True}, BOTH),
        ({"served_at": None, "unfinished": True}, {"served_at": ONE, "again": True}, None),
    ],
)
def test_every_address_at_which_replies_of_the_folder_were_asked(tmp_path, before, now, said):
    folder = RunFolder(tmp_path)
    claim(folder, but(**before))
    assert claim(folder, but(**now)).served_at == folder.info().served_at == said


def test_the_contents_that_were_corrected_oldest_first(tmp_path):
    folder, told = RunFolder(tmp_path), []
    for content in ("a", "b", "c", "c", "a", "b"):
        claim(folder, of(content))
        told.append((folder.info().benchmark.sha256, folder.info().benchmark.earlier))
    assert told == [
        ("a", ()), ("b", ("a",)), ("c", ("a", "b")), ("c", ("a", "b")), ("a", ("b", "c")), ("b", ("c", "a")),
    ]  # fmt: skip


def test_a_run_that_is_asked_anew_stays_so_until_it_is_whole(tmp_path):
    folder = RunFolder(tmp_path)
    claim(folder, but(again=True, unfinished=True))
    said = claim(folder, but(started="2027-01-01T00:00:00Z"))
    assert (said.again, said.unfinished, said.started) == (True, True, INFO.started)
    finish(folder)
    assert (folder.info().again, folder.info().unfinished) == (True, False)
    assert not claim(folder, INFO).unfinished


def test_nothing_is_written_where_only_the_versions_differ(tmp_path):
    folder = RunFolder(tmp_path)
    claim(folder, INFO)
    for same in (INFO, but(versions={"audiometry": "9"})):
        assert claim(folder, same) == INFO
        assert folder.info() == INFO
    assert claim(folder, but(n_items=5)).n_items == folder.info().n_items == 5


def test_a_corrected_benchmark_keeps_its_folder_and_another_request_gets_its_own():
    place = default_path(INFO)
    assert place == default_path(of("b")) == default_path(of("b", version="2")) == default_path(but(n_items=9))
    others = [
        of("a", source="/c"), of("a", name="c"), but(model="openai/other"), but(seed=4), but(parameters={}),
        but(prompt=msgspec.structs.replace(INFO.prompt, part_order="text-first")),
    ]  # fmt: skip
    assert len({place, *map(default_path, others)}) == 7


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (f"cascade/whisper-large-v2?hears=words&reader=vllm/{'some-body-' * 9}/Llama-3.1-70B-Instruct", "70B-Instruct"),
        (f"exec/python {'deep/' * 40}serve.py --weights 13B", "serve.py-weights-13B"),
        ("hf/" + "x" * 400, "x" * 110),
        ("hf/" + "/" * 400, "run"),
    ],
)
def test_a_long_name_is_cut_between_words_and_keeps_both_its_ends(model, named):
    _, slug, digest = default_path(but(model=model)).name.split("--")
    assert slug.endswith(named)
    assert len(slug) <= 120
    words = re.split(r"[^A-Za-z0-9.]+", model.partition("/")[2])
    if len(words) > 2:
        assert all(word in words for part in slug.split("...") for word in part.split("-"))
    other = default_path(but(model=model + "-chat")).name
    assert other.split("--")[1] != slug
    assert len(digest) == 4
