"""Measure speed and memory on this machine, beside reference loops in the same minutes.

    python benchmarks/performance/run_bench.py                       everything, about a quarter of an hour
    python benchmarks/performance/run_bench.py --only speed --repeats 3
    python benchmarks/performance/run_bench.py --only-reference      without audiometry's command line

The work of ``speed``: 2,000 items, each with 5 s of 16 kHz 16-bit WAV (160 kB), against a mock server that answers
after 50 ms. Rates are on the server's clock. Prints a table in Markdown, or JSON; medians everywhere.
"""

import argparse
import os
import platform
import sys
import tempfile
from pathlib import Path

import building
import conversion
import foundation
import judging
import measures
import mixing
import page
import ranking
import reporting
import scoring
import sections
import stored_votes
import streaming
from sections import Row, Settings, as_json

import arena
import music

SECTIONS = sections.SECTIONS | {
    "foundation": foundation.foundation,
    "judging": judging.judging,
    "scoring": scoring.scoring,
    "measures": measures.measures,
    "music": music.music,
    "reporting": reporting.reporting,
    "page": page.page,
    "conversion": conversion.conversion,
    "mixing": mixing.mixing,
    "building": building.building,
    "streaming": streaming.streaming,
    "ranking": ranking.ranking,
    "arena": arena.arena,
    "stored-votes": stored_votes.stored_votes,
}

QUIET = 0.5
"""Load average above which others take time from what is measured."""


def table(title: str, rows: list[Row]) -> str:
    """One section in Markdown."""
    lines = [f"### {title}", "", "| what | median | goal | |", "|---|--:|--:|---|"]
    for row in rows:
        goal = "" if row.goal is None else f"{'≥' if row.at_least else '≤'} {row.goal:g}"
        met = {None: "", True: "met", False: "**not met**"}[row.met]
        lines.append(f"| {row.what} | {number(row.value)} {row.unit} | {goal} | {met} |")
    return "\n".join([*lines, ""])


def number(value: float) -> str:
    """Three digits are enough for what is measured here."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def main() -> int:
    """Measure the sections asked for; 1 if a goal was not met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=SECTIONS, help="this section; may be given again")
    parser.add_argument("--only-reference", action="store_true", help="the reference loops and imports alone")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--items", type=int, default=2000, help="of the speed section")
    parser.add_argument("--many", type=int, default=50_000, help="items of the memory section's large run")
    parser.add_argument("--long", type=int, default=19_000, help="items of the resume section's large run")
    parser.add_argument("--clips", type=int, default=100, help="of each format in the conversion section")
    parser.add_argument("--pairs", type=int, default=100, help="of the mixing section")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "audiometry-benchmarks")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    settings = Settings(
        cache=asked.cache,
        items=asked.items,
        repeats=asked.repeats,
        concurrency=tuple(asked.concurrency),
        many=asked.many,
        long=asked.long,
        clips=asked.clips,
        pairs=asked.pairs,
        only_reference=asked.only_reference,
    )
    wanted = asked.only or (["speed", "start"] if asked.only_reference else list(SECTIONS))
    if not asked.json:
        system = f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}"
        print(f"## Speed and memory\n\n{system}; {asked.repeats} repeats\n", flush=True)
        if os.getloadavg()[0] > QUIET:
            print(
                f"This machine is busy (load {os.getloadavg()[0]:.1f}): go by ratios and CPU, not by time.\n",
                flush=True,
            )
    found: dict[str, list[Row]] = {}
    for section in wanted:
        found[section] = SECTIONS[section](settings)
        if not asked.json:
            print(table(section, found[section]), flush=True)
    if asked.json:
        print(as_json(found))
    return int(any(row.met is False for rows in found.values() for row in rows))


if __name__ == "__main__":
    sys.exit(main())
