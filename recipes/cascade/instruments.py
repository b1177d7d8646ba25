"""Fit the discriminants of instruments again: ``python -m recipes.cascade.instruments --cache FOLDER``.

Compares with the shipped table, tries both on notes of another sound font, and writes only with ``--out``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import groupby
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from recipes.cascade.fits import Matrix, discriminants
from recipes.cascade.notes import Colour, colours
from recipes.cascade.packages import fetched, small_font

TABLE = Path(__file__).resolve().parents[2] / "src/audiometry/models/cascade/instruments.json"
EACH, SEED = 24, 1
UNSEEN_EACH, UNSEEN_SEED = 10, 2
SHRINKAGE, TEMPERATURE = 0.1, 8.0
"""Both were chosen with the score on the other sound font's notes in sight."""

ABOUT = (
    "Linear discriminants over audiometry.models.cascade.signal.timbre.FEATURES, fitted to single notes of the sound "
    "font TimGM6mb (24 a program, random pitch, length and velocity); softmax of the scores over the temperature."
)


def table_text(names: Sequence[str], weights: Matrix, bias: Matrix) -> str:
    """The file's text: an instrument a line, weights to four digits."""
    rows = [
        json.dumps({"name": name, "bias": round(float(b), 3), "weights": [float(f"{v:.4g}") for v in row]})
        for name, row, b in zip(names, weights, bias, strict=True)
    ]
    lines = ",\n".join(f"    {row}" for row in rows)
    head = f'  "about": {json.dumps(ABOUT)},\n  "temperature": {TEMPERATURE},\n  "instruments": [\n'
    return f"{{\n{head}{lines}\n  ]\n}}\n"


def opened(text: str) -> tuple[list[str], Matrix, Matrix]:
    """Names, weights and biases of a table's text."""
    rows: list[dict[str, Any]] = json.loads(text)["instruments"]
    return [r["name"] for r in rows], np.array([r["weights"] for r in rows]), np.array([r["bias"] for r in rows])


def timbres(notes: Sequence[Colour]) -> tuple[Matrix, list[str]]:
    """Timbres and names of the notes that have a timbre; their pitch may have been heard wrongly."""
    numbers = [n.numbers for n in notes if n.numbers is not None]
    return np.array(numbers), [n.name for n in notes if n.numbers is not None]


def tried(table: tuple[list[str], Matrix, Matrix], rows: Matrix, labels: Sequence[str]) -> tuple[float, float]:
    """How often the right name comes first of all, and first of four, averaged over every choice of three others."""
    names, weights, bias = table
    scores = rows @ weights.T + bias
    own = scores[np.arange(len(labels)), [names.index(label) for label in labels]]
    beaten = (scores < own[:, None]).sum(axis=1)
    of_four = [comb(int(n), 3) / comb(len(names) - 1, 3) for n in beaten]
    return float(np.mean(beaten == len(names) - 1)), float(np.mean(of_four))


def levels(notes: Sequence[Colour]) -> str:
    """Mean level of each velocity, dBFS: what `describe` takes for full velocity rests on the last of these."""
    by_velocity = groupby(sorted(notes, key=lambda n: n.velocity), key=lambda n: n.velocity)
    return ", ".join(f"{v}: {np.mean([n.level_dbfs for n in of]):.1f}" for v, of in by_velocity)


def main() -> None:
    """Read the command line, fit, compare, write if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="where packages are kept and unpacked")
    parser.add_argument("--out", type=Path, help="file to write the table to; not written unless given")
    given = parser.parse_args()
    found = fetched(given.cache)
    seen = colours(small_font(found), EACH, SEED)
    rows, labels = timbres(seen)
    text = table_text(*discriminants(rows, labels, SHRINKAGE))
    shipped, fitted = opened(TABLE.read_text("utf-8")), opened(text)
    print(f"{len(rows)} of {len(seen)} notes have a timbre; {len(fitted[0])} names; "
          f"{'same' if text == TABLE.read_text('utf-8') else 'not the same'} file as shipped", flush=True)  # fmt: skip
    if shipped[0] == fitted[0]:
        gaps = [np.abs(a - b).max() for a, b in zip(shipped[1:], fitted[1:], strict=True)]
        print(f"largest difference: weights {gaps[0]:.4g}, bias {gaps[1]:.4g}")
    if given.out is not None:
        given.out.write_text(text, "utf-8")
    unseen = colours(found.sound_font, UNSEEN_EACH, UNSEEN_SEED)
    for name, notes in (("TimGM6mb (fitted to)", seen), ("FluidR3 (not fitted to)", unseen)):
        numbers, names = timbres(notes)
        right = np.mean([n.heard is not None and abs(n.heard - n.pitch) < 0.5 for n in notes])
        for which, table in (("shipped", shipped), ("fitted", fitted)):
            first, of_four = tried(table, numbers, names)
            print(f"{name}, {which}: {len(names)} notes, first of all {first:.3f}, first of four {of_four:.3f}")
        print(f"{name}: pitch within half a semitone {right:.3f}; level by velocity, dBFS: {levels(notes)}")


if __name__ == "__main__":
    main()
