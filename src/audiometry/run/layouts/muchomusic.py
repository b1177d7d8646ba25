"""MuChoMusic's script: question, options in one line, and the beginning of the answer; examples stand before likewise.

Its scoring rules look for the answer behind these last words, so that they are kept.
"""

from __future__ import annotations

from audiometry.run.layout import Layout

LAYOUTS = {
    "muchomusic": Layout(
        "Question: {question}\nOptions: {options}\nThe correct answer is: ",
        "Question: {question}\nThe correct answer is: ",
        style="one-line",
        example="{asked}{answer}",
        after="",
    )
}
