"""Options under headings, so that a long ``--help`` can be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import click

Sections: TypeAlias = Mapping[str, Sequence[str]]
"""Names of parameters by heading, in the order they are shown."""

RUN: Sections = {
    "What to ask": (
        "data",
        "tasks",
        "categories",
        "limit",
        "strict",
        "orders",
        "wordings",
        "repeats",
        "shots",
        "shots_with",
        "variants",
        "prompt",
        "part_order",
        "recipe",
        "seed",
    ),
    "Of whom": ("model", "base_urls", "proxy", "reader", "temperature", "max_tokens", "extra", "card"),
    "How fast, and how patiently": ("concurrency", "rpm", "tpm", "max_tries", "timeout", "stream"),
    "At what cost": ("prices", "cache", "clips", "again", "no_probe", "dry_run"),
    "Where it goes": ("output", "as_json"),
}
SCORE: Sections = {
    "By whose rules": ("profiles", "metrics", "tags"),
    "By which judges": ("align", "judges", "panel", "injections", "people", "base_urls", "proxy"),
    "How judges are asked": ("concurrency", "rpm", "tpm", "max_tries", "timeout", "card", "extra", "prices", "cache"),
    "Where things are": ("bench", "tables", "figures", "as_json"),
}


class Sectioned(click.Command):
    """A command whose options stand under headings.

    Args:
        sections: which under which; an option that none names stands at the end.
    """

    def __init__(self, *args: Any, sections: Sections, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, heading by heading."""
        left = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                left[param.name] = record
        found = {title: [left.pop(name) for name in names if name in left] for title, names in self._sections.items()}
        for title, records in (found | {"Other": list(left.values())}).items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
