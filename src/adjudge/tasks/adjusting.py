"""The options of families: what those that were given do to documents, and what the signature says of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from adjudge.tasks.task import Adjust

if TYPE_CHECKING:
    from adjudge.scorers.published import Option
    from adjudge.tasks.family import Family


def given_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that somebody gave.

    >>> given_of({"known": None, "repair": True})
    {'repair': True}
    """
    return {name: given for name, given in options.items() if given is not None and given is not False}


def adjusted(family: Family, options: Mapping[str, Any]) -> Adjust | None:
    """What the options of a family do to documents; None if there is nothing to do."""
    given = {name: own for name, own in given_of(options).items() if name not in family.of_metrics}
    if not given:
        return None
    reading = [{to: given[name] for name, to in side.items() if name in given} for side in (family.gold, family.system)]
    rest = {
        name.replace("-", "_"): own
        for name, own in given.items()
        if name not in family.gold and name not in family.system
    }
    change = partial(family.adjust, **rest) if rest and family.adjust is not None else None
    return Adjust(change, shown(family.options, given), *reading)


def shown(known: Mapping[str, Option], options: Mapping[str, Any]) -> dict[str, str]:
    """Options that were given, as the signature has them: a file by what is in it, not by its name."""
    from adjudge.formats.source import read_whole

    found = {}
    for name, given in given_of(options).items():
        is_read = known[name].metavar == "FILE" and given != "-"
        text = read_whole(given).digest[:12] if is_read else "yes" if given is True else str(given)
        found[name.replace("-", "_")] = text
    return found
