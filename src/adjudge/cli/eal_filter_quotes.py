"""`adjudge eal filter-quotes`: a store without the responses that stand in quotations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.eal_common import (
    Settings,
    docs_option,
    offsets_option,
    one_of,
    spans_from,
    spans_in,
    store_options,
    transform,
    units,
)
from adjudge.cli.output import check_targets
from adjudge.errors import FormatError, Problem
from adjudge.formats.eal_quotes import write_quotes
from adjudge.formats.eal_store import Store
from adjudge.model.eal import Arguments, Linking, Span
from adjudge.stats.atomic import write_atomically
from adjudge.tasks.eal.apply import Operation
from adjudge.tasks.eal.changes import Outcome, Remark
from adjudge.tasks.eal.profiles import Profile
from adjudge.tasks.eal.quotes import filter_quotes, find_quotes


@click.command(
    "filter-quotes", epilog="\b\nExample:\n  adjudge eal filter-quotes run1/ --docs sources/ -o run1.unquoted"
)
@click.argument("store", metavar="STORE")
@docs_option("quotations")
@click.option("--quotes", metavar="FILE", help="Quotations of each document, as a quote filter file.")
@click.option(
    "--save-quotes", metavar="FILE", type=click.Path(path_type=Path), help="Also write the quotations that were found."
)
@offsets_option
@store_options(keep_ids=True)
def command(
    store: str, docs: str | None, quotes: str | None, save_quotes: Path | None, offsets: str | None, **options: Any
) -> None:
    """Remove the responses whose base filler or CAS begins or ends in <quote> ... </quote>.

    Capitals count as well, and a quotation that is never closed reaches to the end of its document, with a note.
    A response with a whole quotation inside one of them stays, with a note. Hoppers lose the responses that go; those
    that are left empty vanish.
    """
    settings = Settings(**options)
    one_of(docs=docs, quotes=quotes)
    check_targets(save_quotes)
    used: dict[str, tuple[Span, ...]] = {}
    unclosed: list[Problem] = []

    def operation(profile: Profile, _: Store) -> Operation:
        if docs is None:
            regions = spans_from(str(quotes), "quotations")
        else:
            exact = profile.quote_tags == "exact"
            regions = spans_in(docs, units(offsets, profile), lambda text, path: _find(text, path, exact, unclosed))

        def step(arguments: Arguments, linking: Linking | None) -> Outcome:
            unclosed.clear()
            found = used[arguments.document] = regions(arguments.document)
            outcome = filter_quotes(arguments, linking, found)
            remarks = [Remark(None, "unclosed-quotation", str(problem)) for problem in unclosed]
            return outcome._replace(remarks=(*remarks, *outcome.remarks))

        return step

    facts = {"quotations": docs or quotes}
    transform("filter-quotes", store, settings, operation, facts=facts, last=lambda: _save(save_quotes, used))


def _find(text: str, path: str, exact: bool, unclosed: list[Problem]) -> tuple[Span, ...]:
    regions, problems = find_quotes(text, path=path, exact=exact)
    if exact and problems:
        raise FormatError(problems)
    unclosed += problems
    return regions


def _save(path: Path | None, used: dict[str, tuple[Span, ...]]) -> None:
    if path is not None:
        write_atomically(path, write_quotes(used))
