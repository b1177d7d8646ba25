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
