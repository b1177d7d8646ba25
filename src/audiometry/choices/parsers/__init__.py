"""Parsers of other papers and other people's ports: how each reads an answer out of a reply, under its own name.

They stand beside the house's reader (`audiometry.choices.read_answer`) so that a run can be scored as others
would score it. Each is written from a description of its rules; where a description leaves something open, the
module says so and what was chosen; where its original can be installed, ``make test-ports`` holds it to that.
None of them removes reasoning. AIR-Bench's script, EvalScope and MuChoMusic's script know the letters A to D whatever
an item shows, AIR-Bench's text at least these, the others the letters of the item's own options.
"""
