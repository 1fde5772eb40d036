"""Commands with many options: `--help` lists them under headings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


class SectionOption(click.Option):
    """An option that stands under a heading."""

    def __init__(self, *args: Any, section: str = "", **more: Any) -> None:
        super().__init__(*args, **more)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose options stand under the headings of their sections, the others under `Options`."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section, in the order in which the sections first appear."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                sections.setdefault(getattr(parameter, "section", "") or "Options", []).append(record)
        last = sections.pop("Options", [])
        for title, rows in (*sections.items(), ("Options", last)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def section(title: str) -> Callable[..., Callable[[F], F]]:
    """A function that makes options of one section, like `click.option`."""

    def option(*names: str, **more: Any) -> Callable[[F], F]:
        return click.option(*names, cls=SectionOption, section=title, **more)

    return option


def given(options: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The options that were given, under the names that the library has for them.

    >>> given({"hops": 2, "walks": None}, {"hops": "hops", "walks": "walks"})
    {'hops': 2}
    """
    return {theirs: options[ours] for ours, theirs in names.items() if options.get(ours) is not None}
