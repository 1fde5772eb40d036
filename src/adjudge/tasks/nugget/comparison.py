"""Gold and system nuggets side by side as text, in the layout of the official comparison file.

Every gold nugget in the order of its file with the system nugget that the mapping of places gives it, then the system
nuggets that are left, then the clusters of both sides.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adjudge.errors import Problem, ValidationError
from adjudge.model.nugget import Nugget, NuggetDocument
from adjudge.tasks.nugget.mapping import Side
from adjudge.tasks.nugget.reading import Campaign, Seen, Visitor, observe_all
from adjudge.tasks.nugget.settings import Settings

LONGEST = 100_000  # characters of a place that are listed


def comparison(seen: Seen, name: str, *, coref: bool, year: int = 2017) -> Iterator[str]:
    r"""The lines of one document; `name` is the system file. That of 2015 has no texts, and the system id of a line.

    >>> from adjudge.tasks.nugget.observe import observe
    >>> gold = NuggetDocument("d", [Nugget("E1", "Life_Die", "Actual", "died", ("t3",))])
    >>> for line in comparison(Seen(0, "run", gold, None, observe(gold, None)), "run.tbf", coref=False):
    ...     print(line.replace("\t", " "))
    #BeginOfDocument d
    run.tbf E1 t3 Life_Die Actual died | - -
    #EndOfDocument
    """
    gold, system = seen.gold, seen.own if seen.own is not None else NuggetDocument(seen.gold.id)
    ours, theirs = (
        _fields(document, side, year) for document, side in zip((gold, system), seen.observed.sides, strict=True)
    )
    if year == 2015:
        name = system.nuggets[0].system if system.nuggets else ""
    mates = {one: (other, dice) for one, other, dice in seen.observed.mappings["span"]}
    taken = {other for other, _ in mates.values()}
    yield f"#BeginOfDocument {gold.id}"
    for place, mine in enumerate(ours):
        found = mates.get(place)
        yield f"{name}\t{mine}\t|\t" + ("-\t-" if found is None else f"{theirs[found[0]]}\t{found[1]:.2f}")
    for place, other in enumerate(theirs):
        if place not in taken:
            yield f"{name}\t-\t|\t{other}\t-"
    if coref:
        for label, document in (("gold", gold), ("system", system)):
            texts = {
                nugget.id: nugget.text if year == 2015 else nugget.text.replace(",", "") for nugget in document.nuggets
            }
            for cluster in document.clusters():
                yield f"@coref\t{label}\t" + ",".join(f"{id}:{texts.get(id, '')}" for id in cluster)
    yield "#EndOfDocument "


def _fields(document: NuggetDocument, side: Side, year: int) -> list[str]:
    found = []
    for nugget, type_, realis in zip(document.nuggets, side.types, side.realis, strict=True):
        columns = [nugget.id, _place(nugget), type_, realis, nugget.text]
        found.append("\t".join(columns[:4] if year == 2015 else columns))
    return found


def _place(nugget: Nugget) -> str:
    """Token ids as they are written, or every single character."""
    if not nugget.pieces:
        return ",".join(nugget.tokens)
    size = sum(end - begin for begin, end in nugget.pieces)
    if size > LONGEST:
        message = f"{nugget.id} has {size} characters, and a comparison file lists every one of them"
        raise ValidationError(Problem(message, line=nugget.line or None, hint="check its place, or leave the file out"))
    return ",".join(str(offset) for begin, end in nugget.pieces for offset in range(begin, end))


def write_comparison(
    target: Path, gold: Any, system: str, settings: Settings, *, visit: Visitor | None = None, **how: Any
) -> Campaign:
    """Score one system and write the comparison file on the way, whole or not at all; `how` is for `observe_all`."""
    from adjudge.stats.atomic import write_atomically

    year = 2015 if settings.profile == "evmeval-2015" else 2017
    with tempfile.TemporaryFile() as file:

        def write(seen: Seen) -> None:
            for line in comparison(seen, Path(system).name, coref=settings.coref is not False, year=year):
                file.write(f"{line}\n".encode("utf-8", "surrogatepass"))
            if visit is not None:
                visit(seen)

        campaign = observe_all(gold, [system], settings, visit=write, **how)
        file.seek(0)
        write_atomically(target, file.read())
    return campaign
