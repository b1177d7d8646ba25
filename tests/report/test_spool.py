"""Values kept on the disk: each is found again by its number, in whatever order they are asked for."""

import errno
import os
import random

import pytest

from audiometry.errors import StorageError
from audiometry.report.spool import Spool


def spool() -> Spool[bytes]:
    return Spool(lambda value: value, lambda raw: raw)


def test_values_of_any_size_come_back_in_any_order_while_others_are_still_put():
    values = [bytes([k % 251]) * size for k, size in enumerate([0, 1, 300_000, 17, 20_000, 0, 5, 600_000] * 5)]
    kept = spool()
    for number, value in enumerate(values):
        assert kept.put(value) == number
        assert kept[number // 2] == values[number // 2]
    order = list(range(len(values)))
    random.Random(0).shuffle(order)
    assert [kept[number] for number in order] == [values[number] for number in order]
    assert list(kept) == values
    with pytest.raises(IndexError):
        kept[len(values)]


def test_a_full_disk_is_one_line_that_says_where(monkeypatch):
    kept = spool()
    kept.put(b"value")

    class Full:
        def write(self, _):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def close(self):
            pass

    kept._file.close()
    monkeypatch.setattr(kept, "_file", Full())
    with pytest.raises(StorageError, match="No space left on device; free some space or set TMPDIR to another folder"):
        kept[0]
