"""Files that tests of the readers write."""

import pytest


@pytest.fixture
def file(tmp_path):
    """Write a file of these bytes or this text: its path."""

    def write(data, name="lines.jsonl"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write
