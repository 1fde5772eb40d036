"""`adjudge eal top`: a store with the most confident responses."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from adjudge.cli.eal_common import Settings, store_options, transform
from adjudge.formats.eal_store import Store
from adjudge.tasks.eal.apply import Operation, documents
from adjudge.tasks.eal.profiles import Profile
from adjudge.tasks.eal.top import cutoff, keep_until, top


@click.command("top", epilog="\b\nExample:\n  adjudge eal top run1.trimmed -n 5000 -o run1.top")
@click.argument("store", metavar="STORE")
@click.option("-n", "--number", metavar="N", type=click.IntRange(min=1), required=True, help="Responses to keep.")
@click.option(
    "--per",
    type=click.Choice(("submission", "document")),
    default="submission",
    show_default=True,
    help="N responses of the whole store, or of each document.",
)
@store_options(keep_ids=True)
def command(store: str, number: int, per: str, **options: Any) -> None:
    """Keep the N most confident responses, but first the best one of every hopper.

    First come the best responses of the hoppers, by confidence, then all others, by confidence; the first N stay.
    Equal confidences are decided by the larger 2014 id.
    """

    def operation(profile: Profile, opened: Store) -> Operation:
        if per == "document":
            return partial(top, count=number)
        last = cutoff(documents(opened, linking=profile.linking_layout != "none"), number)
        return partial(keep_until, last=last)

    transform("top", store, Settings(**options), operation, facts={"number": number, "per": per})
