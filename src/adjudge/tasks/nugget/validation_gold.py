"""Whether given nuggets have been copied: which are missing, have other ids, were changed, and which were invented.

In the task in which gold nuggets are given, a system adds relations and nothing else. A nugget is copied if its place,
type and realis are those of a gold nugget. What is left is paired by its id, then by its place, and has been changed.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from adjudge.errors import FormatError, Problem
from adjudge.findings import Findings
from adjudge.formats.tbf import TbfFile
from adjudge.formats.tbf_scan import field_place, quote
from adjudge.model.nugget import Nugget
from adjudge.tasks.nugget.settings import canonical
from adjudge.tasks.nugget.spans import place_keys
from adjudge.tasks.nugget.validation_lines import Lines

_ID, _PLACE, _TEXT, _TYPE, _REALIS = 2, 3, 4, 5, 6  # columns


class _Given(NamedTuple):
    """A nugget and what is compared of it."""

    nugget: Nugget
    place: Hashable
    type: str
    realis: str

    @property
    def content(self) -> Hashable:
        return self.place, self.type, self.realis

    @property
    def span(self) -> str:
        """The place as it is written."""
        nugget = self.nugget
        return ";".join(f"{begin},{end}" for begin, end in nugget.pieces) or ",".join(nugget.tokens)


class Copies:
    """Compares the documents of a file with those of gold; `counts` says how many nuggets had which outcome."""

    def __init__(self, gold: TbfFile, out: Findings) -> None:
        self.gold, self.out = gold, out
        self.counts = dict.fromkeys(("gold", "copied", "renamed", "changed", "missing", "invented"), 0)
        self._seen: set[str] = set()
        self._rows: list[str] = []  # of the document that is looked at
        self._line = 0  # of its header

    def check(self, lines: Lines, text: str) -> None:
        """Compare a document, of which `text` is the section of the file."""
        if lines.document not in self.gold:  # which is said of the document
            self.counts["invented"] += len(lines.nuggets)
            return
        self._seen.add(lines.document)
        self._rows, self._line = text.split("\n"), lines.line
        theirs, mine = (_given(each, self.gold.mode) for each in (self._read(lines.document), lines.nuggets))
        self.counts["gold"] += len(theirs)
        known: dict[Hashable, Nugget] = {}  # gold nuggets that have been found, by their content
        for one, other in _take(mine, theirs, lambda each: (each.nugget.id, each.content)):
            self._copied("copied", one, other)
            known.setdefault(other.content, other.nugget)
        for one, other in _take(mine, theirs, lambda each: each.content):
            self._copied("renamed", one, other)
            known.setdefault(other.content, other.nugget)
        for one, other in (
            *_take(mine, theirs, lambda each: each.nugget.id, fits=_alike),
            *_take(mine, theirs, lambda each: each.place, fits=_alike),
        ):
            self._changed(one, other, lines.document)
            known.setdefault(other.content, other.nugget)
        self.counts["invented"] += len(mine)
        for one in mine:
            message = f"{quote(one.nugget.id)} is not a gold nugget"
            if one.content in known:
                message = f"{quote(one.nugget.id)} is another copy of the gold nugget {quote(known[one.content].id)}"
            hint = "remove it, and name gold nuggets only in relations"
            self.out.add("invented-nugget", message, *self._at(one, _ID), hint)
        self.counts["missing"] += len(theirs)
        unread = lines.ids.keys() - {nugget.id for nugget in lines.nuggets}
        for other in theirs:
            nugget, where = other.nugget, f"{self.gold.path}:{other.nugget.line}"
            if nugget.id not in unread:  # else it is said of the line that has its id
                message = f"the gold nugget {quote(nugget.id)} ({quote(nugget.text)}, {where}) was not copied"
                fix = self._gold_line(other, lines.document)
                self.out.add("missing-nugget", message, self._line, 1, "copy its line", fix=fix)

    def finish(self) -> None:
        """Say in the findings how many there are, and their outcomes; those of missing documents are missing."""
        gold = self.counts
        for id in self.gold.ids:
            if id and id not in self._seen:
                number = len(self._read(id))
                gold["gold"] += number
                gold["missing"] += number
        self.out.facts["gold"] = gold
        fates = [f"{gold[name]} {name}" for name in ("copied", "renamed", "changed", "missing") if gold[name]]
        invented = f"; {gold['invented']} invented" if gold["invented"] else ""
        self.out.remarks["mention"] = f"of {gold['gold']} in gold {', '.join(fates) or 'none copied'}{invented}"

    def _read(self, document: str) -> Sequence[Nugget]:
        found = self.gold.read(document)
        if found.problems:
            told = Problem("gold cannot be read", path=self.gold.path, hint="fix these lines")
            raise FormatError([*found.problems, told])
        return found.nuggets

    def _copied(self, fate: str, mine: _Given, gold: _Given) -> None:
        self.counts[fate] += 1
        own, other = mine.nugget, gold.nugget
        if fate == "renamed":
            message = f"{quote(own.id)} is the gold nugget {quote(other.id)} under another id"
            self.out.warn("renamed-nugget", message, *self._at(mine, _ID), f"call it {quote(other.id)[1:-1]}")
        if _squeezed(own.text) != _squeezed(other.text):
            message = f"the text is {quote(own.text)}, in gold {quote(other.text)}"
            self.out.warn("changed-text", message, *self._at(mine, _TEXT), "copy the line of gold")

    def _changed(self, mine: _Given, gold: _Given, document: str) -> None:
        self.counts["changed"] += 1
        own, other = mine.nugget, gold.nugget
        parts = {
            column: f"the {name} is {quote(ours)}, in gold {quote(theirs)}"
            for column, name, ours, theirs, same in (
                (_PLACE, "place", mine.span, gold.span, mine.place == gold.place),
                (_TYPE, "type", own.type, other.type, mine.type == gold.type),
                (_REALIS, "realis", own.realis, other.realis, mine.realis == gold.realis),
            )
            if not same
        }
        name = quote(other.id) + (f" (here {quote(own.id)})" if own.id != other.id else "")
        message = f"the gold nugget {name} was changed: {'; '.join(parts.values())} ({self.gold.path}:{other.line})"
        fix = self._gold_line(gold, document)
        self.out.add("changed-nugget", message, *self._at(mine, min(parts)), "copy the line of gold", fix=fix)

    def _at(self, mine: _Given, column: int) -> tuple[int, int]:
        line = mine.nugget.line
        return line, field_place(self._rows[line - self._line], column)

    def _gold_line(self, gold: _Given, document: str) -> str:
        """The line of gold under the name of the system."""
        nugget = gold.nugget
        first = next((row.split("\t")[0].strip() for row in self._rows if "\t" in row and row[0] not in "#@"), "")
        columns = (first or nugget.system, document, nugget.id, gold.span)
        return "\t".join((*columns, nugget.text, nugget.type, nugget.realis))


def _given(nuggets: Sequence[Nugget], mode: str) -> list[_Given]:
    return [
        _Given(nugget, key, canonical(nugget.type), canonical(nugget.realis))
        for nugget, key in zip(nuggets, place_keys(nuggets, mode), strict=True)
    ]


def _alike(mine: _Given, gold: _Given) -> bool:
    """Whether two nuggets have more in common than an id, which may be there by chance."""
    one, other = mine.nugget, gold.nugget
    if mine.type == gold.type or _squeezed(one.text) == _squeezed(other.text) or set(one.tokens) & set(other.tokens):
        return True
    return any(begin < last and first < end for begin, end in one.pieces for first, last in other.pieces)


def _take(
    mine: list[_Given],
    theirs: list[_Given],
    rule: Callable[[_Given], Hashable],
    fits: Callable[[_Given, _Given], bool] = lambda _, __: True,
) -> list[tuple[_Given, _Given]]:
    """The pairs that are equal by a rule and fit, in the order of the file; they are taken out of both lists."""
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for number, each in enumerate(theirs):
        waiting[rule(each)].append(number)
    pairs: dict[int, int] = {}
    for number, each in enumerate(mine):
        found = waiting.get(rule(each))
        if found and fits(each, theirs[found[0]]):
            pairs[number] = found.popleft()
    taken = [(mine[one], theirs[other]) for one, other in pairs.items()]
    for given, numbers in ((mine, set(pairs)), (theirs, set(pairs.values()))):
        given[:] = [each for number, each in enumerate(given) if number not in numbers]
    return taken


def _squeezed(text: str) -> str:
    return "".join(text.split())
