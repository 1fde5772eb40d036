"""`adjudge eal pool`: the responses of many submissions in one store, and who gave which."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from adjudge.cli.eal_common import Report, Settings, conclude, store_options
from adjudge.cli.memory import uncollected
from adjudge.cli.options import named
from adjudge.errors import UsageError
from adjudge.formats.eal_store import StoreWriter
from adjudge.formats.eal_write import PACKED
from adjudge.tasks.eal.apply import beside, is_alone, open_for, pool_stores, provenance_path
from adjudge.tasks.eal.profiles import get_profile


@click.command("pool", epilog="\b\nExample:\n  adjudge eal pool A=run1/ B=run2.zip -o pool")
@click.argument("stores", metavar="[NAME=]STORE...", nargs=-1, required=True)
@store_options(keep_ids=False)
def command(stores: tuple[str, ...], **options: Any) -> None:
    """Join submissions into one store: every response once, with its highest confidence and the comment of that line.

    Which system gave which response with which confidence is written next to the store, into
    OUT.provenance.tsv. A STORE that has such a file is itself a pool, and its systems count. Neither the order of the
    stores nor pooling in several steps makes a difference. The pool has no linking; filter and trim before.
    """
    settings = Settings(**options)
    profile = get_profile(settings.profile)
    paths = _names(stores)
    provenance = provenance_path(settings.output)
    if provenance.exists() and not settings.overwrite and not is_alone(settings.output):
        raise UsageError(f"{provenance}: there is something already", hint="choose another OUT, or give --overwrite")
    with ExitStack() as stack:
        opened = {name: open_for(profile, path) for name, path in paths.items()}
        for store in opened.values():
            stack.callback(store.close)
        report = Report(settings)
        stack.callback(report.close)
        with (
            uncollected(),
            StoreWriter(settings.output, ids=settings.ids, linking=False, overwrite=settings.overwrite) as writer,
            beside(provenance) as stream,
        ):
            summary = pool_stores(opened, writer, stream, each=report.each)
            writer.seal()  # before the provenance is there
        facts = {"input": paths, "provenance": str(provenance)}
        conclude("pool", facts, settings, summary, report)


def _names(stores: tuple[str, ...]) -> dict[str, str]:
    """The stores by the names of their systems."""
    paths: dict[str, str] = {}
    for text in stores:
        name, path = named(text) if not Path(text).exists() else (None, text)
        if name is None:
            name = Path(path).resolve().name
            for ending in PACKED:
                name = name.removesuffix(ending)
        if not name.isprintable():
            raise UsageError(f"{name!r} cannot be the name of a system", hint="name it, as in A=PATH")
        if name in paths:
            hint = f"name them, as in A={paths[name]} B={path}"
            raise UsageError(f"two stores are called {name!r}: {paths[name]} and {path}", hint=hint)
        paths[name] = path
    return paths
