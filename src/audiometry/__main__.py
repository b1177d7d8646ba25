"""``python -m audiometry`` and the ``audiometry`` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; Ctrl-C while it is being loaded ends it without a word, since nothing was begun."""
    try:
        from audiometry.cli.main import run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
