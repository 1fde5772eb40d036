"""`adjudge eal expand-justifications`: a store whose predicate justifications are whole sentences."""

from __future__ import annotations

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
from adjudge.formats.eal_store import Store
from adjudge.model.eal import Arguments, Linking
from adjudge.tasks.eal.apply import Operation
from adjudge.tasks.eal.changes import Outcome
from adjudge.tasks.eal.profiles import Profile
from adjudge.tasks.eal.sentences import expand_justifications, sentences


@click.command(
    "expand-justifications",
    epilog="\b\nExample:\n  adjudge eal expand-justifications run1/ --docs sources/ -o run1.sentences",
)
@click.argument("store", metavar="STORE")
@docs_option("sentences")
@click.option("--sentences", "given", metavar="FILE", help="Sentences of each document, in the form of a quote filter.")
@offsets_option
@store_options(keep_ids=False)
def command(store: str, docs: str | None, given: str | None, offsets: str | None, **options: Any) -> None:
    """Widen each predicate justification to the sentences in which it begins and ends.

    Sentences are given, or found in the source documents: they end at . ! ? before white space and no small letter, at
    tags and at blank lines. Responses that become the same are merged, with the higher confidence.
    """
    one_of(docs=docs, sentences=given)

    def operation(profile: Profile, _: Store) -> Operation:
        if docs is not None:
            spans = spans_in(docs, units(offsets, profile), lambda text, _: sentences(text))
        else:
            spans = spans_from(str(given), "sentences")

        def step(arguments: Arguments, linking: Linking | None) -> Outcome:
            return expand_justifications(arguments, linking, spans(arguments.document))

        return step

    transform("expand-justifications", store, Settings(**options), operation, facts={"sentences": docs or given})
