"""Documents read ahead, a block at a time, where there are so many that comparing them all at once pays.

`in_blocks` gives document by document what a system has: the document, to be compared by itself, or, where that could
be compared along with the others of its block, what was `Known` of it then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from adjudge.model.nugget import NuggetDocument
from adjudge.tasks.nugget.facts import Facts
from adjudge.tasks.nugget.observe import of_types
from adjudge.tasks.nugget.settings import Settings
from adjudge.tasks.nugget.sides import Opened

if TYPE_CHECKING:
    from adjudge.tasks.nugget.blocks import Codes, Columns, Compared
    from adjudge.tasks.nugget.twins import Front

LARGE = 20_000  # lines of all systems from which on it pays to load numpy
BLOCK = 65_536  # about so many lines of a side are a block
LINE = 64  # bytes that make a line, if there are fewer


class Known(NamedTuple):
    """What was found of one document of a system."""

    compared: Compared
    number: int  # of the document in its block

    @property
    def nuggets(self) -> Sequence[float]:
        """The row of counts of nuggets."""
        return self.compared.nuggets[self.number]

    @property
    def coref(self) -> Sequence[float]:
        """The row of counts of coreference."""
        return self.compared.coref[self.number]

    @property
    def front(self) -> Front | None:
        """What twins leave open."""
        return self.compared.fronts.get(self.number)

    def tell(self, facts: Facts, document: str) -> None:
        """Add what notes are made of; sums over the documents are told with the first of a block."""
        compared, number = self
        if number == compared.leading:
            facts.see_many(compared.numbers, compared.matched, compared.entangled)
            facts.occurring(compared.values)
        for name in compared.decided.get(number, ()):
            facts.decided.setdefault(name, []).append(document)
        for side, (name, confident) in zip(("gold", "system"), compared.begins[number], strict=True):
            facts.begins(side, name, confident=confident)


Own: TypeAlias = NuggetDocument | Known | None
"""What a system has of a document: None if nothing."""
Walk: TypeAlias = Iterator[tuple[str, NuggetDocument | None, Iterator[Own]]]
"""Documents by id, each with that of gold, unless nobody needs it any more, and with what the systems have."""


def one_by_one(gold: Opened, systems: Sequence[Opened], ids: Sequence[str], settings: Settings) -> Walk:
    """All documents, each read when it is needed."""
    for id in ids:
        yield id, of_types(gold.read(id), settings), (_read(each, id, settings) for each in systems)


def in_blocks(gold: Opened, systems: Sequence[Opened], ids: Sequence[str], settings: Settings) -> Walk:
    """All documents, those of a block compared beforehand as far as they are plain."""
    from adjudge.tasks.nugget.blocks import DOCUMENTS, Block, Codes

    codes = Codes(), Codes()
    size = min(DOCUMENTS, *(_documents(each) for each in (gold, *systems)))
    for begin in range(0, len(ids), size):
        here = ids[begin : begin + size]
        columns, ours = _gather(gold, here, settings, codes)
        block = Block(columns, settings)
        found = []
        for each in systems:
            columns, theirs = _gather(each, here, settings, codes)
            found.append((each, block.compare(columns), theirs))
        for number, id in enumerate(here):
            own = [
                Known(compared, number) if compared.plain[number] else theirs.get(number) or _read(each, id, settings)
                for each, compared, theirs in found
            ]
            known = all(isinstance(each, Known) for each in own)
            yield id, None if known else ours.get(number) or _read(gold, id, settings), iter(own)


def _documents(opened: Opened) -> int:
    """How many documents make a block, as far as this side is concerned."""
    return max(1, -(-BLOCK * len(opened.ids) // max(1, opened.lines, opened.size // LINE)))


def _gather(
    opened: Opened, ids: Sequence[str], settings: Settings, codes: tuple[Codes, Codes]
) -> tuple[Columns, dict[int, NuggetDocument]]:
    """The columns of some documents, and those that had to be read, by their places among them."""
    from adjudge.formats.tbf_columns import as_lines, read_columns
    from adjudge.tasks.nugget.blocks import columns_of

    texts = opened.texts(ids) if settings.types is None else [b""] * len(ids)
    table = read_columns(texts)
    odd = {
        number: document
        for number, ordinary in enumerate(table.ordinary.tolist())
        if not ordinary and (document := _read(opened, ids[number], settings)) is not None
    }
    if odd:
        for number, document in odd.items():
            texts[number] = b"" if opened.problems(ids[number]) else as_lines(document)
        table = read_columns(texts)
        for number, document in odd.items():
            for first in document.nuggets[:1]:
                table.begins[number] = first.system, bool(first.confidence)
    return columns_of(table, *codes), odd


def _read(opened: Opened, id: str, settings: Settings) -> NuggetDocument | None:
    return of_types(opened.read(id), settings) if id in opened else None
