"""Two gigabytes of clips in parquet, in one row group and in many, read in a child whose memory is measured."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the hub extra is not installed")

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "performance" / "streaming.py"
MOST_BYTES = 300_000_000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems state the peak in other units")
@pytest.mark.parametrize("in_group", [1000, 8])
def test_two_gigabytes_of_clips_are_taken_out_in_less_than_300_mb(in_group):
    with tempfile.TemporaryDirectory(prefix="audiometry-streamed-") as scratch:  # pytest would keep them
        file = Path(scratch) / "clips.parquet"
        subprocess.run([sys.executable, str(SCRIPT), "make", str(file), str(in_group)], check=True)
        assert file.stat().st_size >= 2_000_000_000
        own = os.environ | {"AUDIOMETRY_CACHE": str(Path(scratch) / "own")}
        process = subprocess.Popen([sys.executable, str(SCRIPT), "audiometry", str(file)], env=own)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        assert usage.ru_maxrss * 1024 < MOST_BYTES
