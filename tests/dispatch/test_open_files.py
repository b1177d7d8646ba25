"""Concurrency fits the limit of open files, which is raised as far as it goes; each case in a process of its own."""

import re
import subprocess
import sys

import pytest

CHILD = """
import resource, sys
soft, hard, concurrency = map(int, sys.argv[1:])
from audiometry.dispatch import open_files
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
fits = open_files.fitted(concurrency)
open_files.fitted(concurrency)
print(fits, *resource.getrlimit(resource.RLIMIT_NOFILE), open_files._open_now())
"""


def fitted(soft, hard, concurrency):
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *map(str, (soft, hard, concurrency))], capture_output=True, text=True, check=True
    )
    return [int(n) for n in done.stdout.split()], done.stderr


@pytest.mark.parametrize("concurrency", [1, 8, 64, 400])
def test_a_low_soft_limit_is_raised_as_far_as_is_needed(concurrency):
    (fits, soft, hard, held), said = fitted(40, 4096, concurrency)
    assert (fits, hard, said) == (concurrency, 4096, "")
    assert held + 2 * concurrency + 30 <= soft <= held + 2 * concurrency + 40


def test_a_limit_that_is_high_enough_stays():
    (fits, soft, _, _), said = fitted(2000, 4096, 200)
    assert (fits, soft, said) == (200, 2000, "")


@pytest.mark.parametrize(("limit", "concurrency"), [(64, 256), (128, 100), (40, 8), (33, 2)])
def test_what_does_not_fit_is_left_out_and_told_once(limit, concurrency):
    (fits, soft, hard, held), said = fitted(limit // 2, limit, concurrency)
    assert (soft, hard) == (limit, limit)
    assert 1 <= fits < concurrency
    assert fits == 1 or held + 2 * fits + 32 <= limit < held + 2 * (fits + 1) + 33
    wanted = said.rpartition("ulimit -n ")[2].partition(")")[0]
    assert said == (
        f"{fits} requests at a time, not {concurrency}: only {limit} files may be open; "
        f"raise the limit (ulimit -n {wanted}) for more\n"
    )
    assert int(wanted) >= held + 2 * concurrency + 30


LOOP = """
import os, resource, sys
from audiometry.dispatch import event_loop
from audiometry.errors import ShortageError
soft, hard, held = map(int, sys.argv[1:])
for _ in range(held):
    os.open(os.devnull, os.O_RDONLY)
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
async def main():
    return "ran"
try:
    print(event_loop.run(main))
except ShortageError as problem:
    print(problem)
"""


def looped(*limits):
    words = [sys.executable, "-c", LOOP, *map(str, limits)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize(("soft", "hard", "held"), [(9, 100, 0), (40, 40, 0), (60, 100, 55)])
def test_an_event_loop_is_given_the_files_it_opens(soft, hard, held):
    assert looped(soft, hard, held) == "ran\n"


@pytest.mark.parametrize(("limit", "held", "wanted"), [(9, 0, (32, 32)), (31, 0, (32, 32)), (60, 55, (55 + 12, 80))])
def test_no_event_loop_is_begun_that_cannot_open_its_files(limit, held, wanted):
    told = re.fullmatch(
        r"fewer than (\d+) files may be open; raise the limit \(ulimit -n (\d+)\)\n", looped(limit, limit, held)
    )
    assert wanted[0] <= int(told[1]) <= wanted[1]
    assert int(told[2]) == int(told[1]) + 32
