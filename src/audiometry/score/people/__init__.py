"""The score that people would give: estimated from a judge of all items and people's ratings of some.

``said`` finds in a rating file what people said of a run's replies; ``estimate`` puts it beside the judge's scores, or
says why it cannot.
"""
