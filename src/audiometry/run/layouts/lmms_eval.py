"""The port in lmms-eval: question, four lettered lines, the instruction last.

For open questions it asks for detail and for English.
"""

from __future__ import annotations

from audiometry.run.layout import Layout

LAYOUTS = {
    "lmms-eval": Layout(
        "{question}\n{options}\nGive the letter of the right option, directly.",
        "{question}\nAnswer in English and in detail.",
        shown=4,
    )
}
