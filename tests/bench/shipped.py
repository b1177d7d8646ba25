"""What the tests marked `shipped` measured when they were last recorded: data, the recipe, and the tests themselves.

    python tests/bench/shipped.py      records what stands there now; `make shipped` runs the tests first

As long as nothing of it has changed, those tests count as slow; after a change of any of it `make test` runs them.
"""

import hashlib
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).with_suffix(".sha256")
MEASURED = ("src/audiometry/bench/mini/**/*", "recipes/mini/**/*", "tests/bench/test_mini_*.py")


def digest(root: Path = ROOT) -> str:
    """Of the names and bytes of all that is measured, and of what measures it."""
    whole = hashlib.sha256()
    for path in sorted({path for pattern in MEASURED for path in root.glob(pattern) if path.is_file()}):
        if "__pycache__" not in path.parts:
            name = path.relative_to(root).as_posix()
            whole.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def unchanged(root: Path = ROOT, record: Path = RECORD) -> bool:
    """Whether all of it is as it was recorded."""
    return record.is_file() and record.read_text(encoding="utf-8").strip() == digest(root)


if __name__ == "__main__":
    RECORD.write_text(digest() + "\n", encoding="utf-8")
