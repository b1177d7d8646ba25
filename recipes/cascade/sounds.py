"""Print the measures that were in sight when sounds.toml was written: ``python -m recipes.cascade.sounds --cache DIR``.

``sounds.toml`` is written by hand. Nothing here fits it; this shows what its author looked at.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from recipes.cascade.packages import fetched, read

from audiometry.models.cascade.signal.events import measure_events

FOLDERS = ("Human", "Animal", "Effects")
RATE = 22_050


def main() -> None:
    """Read the command line and print a line for each recording."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="where packages are kept and unpacked")
    root = fetched(parser.parse_args().cache).root("scratch") / "usr/share/scratch/Media/Sounds"
    for path in sorted(p for folder in FOLDERS for p in (root / folder).iterdir() if p.suffix in {".mp3", ".wav"}):
        found = measure_events(read(path, RATE), RATE)
        numbers = "silent" if found is None else ", ".join(f"{k} {v:.4g}" for k, v in found._asdict().items())
        print(f"{path.parent.name}/{path.stem}: {numbers}")


if __name__ == "__main__":
    main()
