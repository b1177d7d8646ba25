import asyncio

import pytest

from audiometry.dispatch.shortage import PAUSES_S, outlasted
from audiometry.dispatch.stopped import StoppedError


def test_a_library_that_stays_half_loaded_ends_the_run_in_one_line():
    waited = []

    async def work():
        raise ImportError("cannot load module more than once per process")

    async def sleep(seconds):
        waited.append(seconds)
        return True

    with pytest.raises(
        StoppedError, match=r"^stopped: a library cannot be loaded \(cannot load .*run the same command"
    ):
        asyncio.run(outlasted(work, sleep))
    assert tuple(waited) == PAUSES_S


@pytest.mark.parametrize("problem", [RuntimeError("a slip of ours"), OSError(2, "No such file or directory")])
def test_what_is_no_shortage_is_not_waited_for(problem):
    async def work():
        raise problem

    with pytest.raises(type(problem)) as caught:
        asyncio.run(outlasted(work, pytest.fail))
    assert caught.value is problem
