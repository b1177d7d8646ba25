"""AIR-Bench §4: instruction line, question, four lettered lines; two-option items show None twice."""

from __future__ import annotations

from audiometry.run.layout import Layout

LAYOUTS = {
    "airbench": Layout(
        "Pick, out of the options A, B, C and D, the answer that fits the question on the next line best; "
        "A, B, C or D is all you may say.\n{question}\n{options}",
        "{question}",
        shown=4,
    )
}
