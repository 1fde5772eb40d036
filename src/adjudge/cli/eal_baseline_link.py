"""`adjudge eal baseline-link`: a store in which all responses with the same event type are linked."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.eal_common import Settings, store_options, transform
from adjudge.model.eal import Arguments, Linking
from adjudge.tasks.eal.baseline import baseline_link
from adjudge.tasks.eal.changes import Outcome


@click.command("baseline-link", epilog="\b\nExample:\n  adjudge eal baseline-link run1/ -o run1.baseline")
@click.argument("store", metavar="STORE")
@store_options(keep_ids=True)
def command(store: str, **options: Any) -> None:
    """Link all responses of a document that have the same event type and are not generic.

    Linking files of STORE are not looked at.
    """
    transform("baseline-link", store, Settings(**options), lambda *_: _step, reads=False, writes=True)


def _step(arguments: Arguments, _: Linking | None) -> Outcome:
    return Outcome(arguments, baseline_link(arguments))
