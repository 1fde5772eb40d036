"""`adjudge eal trim`: a store without redundant responses."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from adjudge.cli.eal_common import Settings, store_options, transform
from adjudge.tasks.eal.profiles import get_profile
from adjudge.tasks.eal.trim import UNLINKED, trim


@click.command("trim", epilog="\b\nExample:\n  adjudge eal trim run1/ -o run1.trimmed")
@click.argument("store", metavar="STORE")
@click.option("--nested", is_flag=True, help="Responses with nested CASes compete, too.")
@click.option(
    "--unlinked",
    type=click.Choice(UNLINKED),
    help="Responses that are not generic and in no hopper: an error, dropped, or hoppers of their own (default: as the "
    "profile says).",
)
@store_options(keep_ids=True)
def command(store: str, nested: bool, unlinked: Any, **options: Any) -> None:
    """Keep the best of the responses in a hopper that differ in base filler and justifications only.

    That is, of those with the same document, type, role, CAS, CAS offsets and realis. The best is the most confident;
    of several, the one with the largest 2014 id. Generic responses compete in the whole document. A response that is
    the best in one hopper stays in all its hoppers. Without linking files a document is one hopper.
    """
    settings = Settings(**options)
    policy = unlinked or get_profile(settings.profile).unlinked
    operation = partial(trim, nested=nested, unlinked=policy)
    facts = {"nested": nested, "unlinked": policy}
    transform("trim", store, settings, lambda *_: operation, facts=facts)
