"""Open answers, scored by judges: AIR-Bench chat and whatever else has questions without options.

``pair`` is what a judge is shown, ``reading`` what its answer says, ``rules`` what a profile makes of it; ``sheet``
joins replies to items, ``verdicts`` asks, ``rows`` averages, ``bias``, ``slices`` and ``injection`` look closer.
"""
