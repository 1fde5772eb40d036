"""Whether gold and the systems are about the same documents."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import TYPE_CHECKING

from adjudge.evaluate.sides import Names, check_sides

if TYPE_CHECKING:
    from adjudge.model.kbp import TripleTable
    from adjudge.tasks.kbp.inputs import KbInputs, SystemInput

_FIRST = 100  # rows of a system, one of which is usually in a document of gold


def check_documents(read: KbInputs) -> None:
    """Raise if gold is empty, or none of its documents is in a system that has any."""
    table = read.gold.table
    apart = [
        each for each in read.systems if table is None or each.table is None or not _begins_with(table, each.table)
    ]
    if table is not None and len(table) and not apart:
        return
    if read.gold.corpus is not None:
        gold: Collection[str] = {document.id for document in read.gold.corpus.documents}
    else:
        gold = _documents(table)
    check_sides(Names(read.gold.path, gold), [Names(each.path, _documents_of(each)) for each in apart])


def _begins_with(gold: TripleTable, system: TripleTable) -> bool:
    """Whether one of the first rows of a system is in a document of gold, which shares its names."""
    return gold.names is system.names and any(
        number in gold.documents for number in set(islice(system.documents, _FIRST))
    )


def _documents(table: TripleTable | None) -> set[str]:
    return set() if table is None else {table.names.documents.listed[number] for number in set(table.documents)}


def _documents_of(system: SystemInput) -> Collection[str]:
    return _documents(system.table) if system.kb is None else system.kb.documents()
