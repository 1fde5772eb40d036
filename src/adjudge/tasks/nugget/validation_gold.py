"""Whether given nuggets have been copied: which are missing, have other ids, were changed, and which were invented.

In the task in which gold nuggets are given, a system adds relations and nothing else. A nugget is copied if its place,
type and realis are those of a gold nugget. What is left is paired by its id, then by its place, and has been changed.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import NamedTuple, TypeAlias

from adjudge.errors import FormatError, Problem
from adjudge.findings import Findings
from adjudge.formats.tbf import TbfFile
from adjudge.formats.tbf_scan import field_place, quote
from adjudge.model.nugget import Nugget
from adjudge.tasks.nugget.settings import canonical
from adjudge.tasks.nugget.spans import place_keys
from adjudge.tasks.nugget.validation_lines import Lines

_ID, _PLACE, _TEXT, _TYPE, _REALIS = 2, 3, 4, 5, 6  # columns
_NAMES = {_PLACE: "place", _TYPE: "type", _REALIS: "realis"}


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


_Rule: TypeAlias = Callable[[_Given], Hashable]
_COPIED: _Rule = lambda each: (each.nugget.id, each.content)  # noqa: E731
_RENAMED: _Rule = lambda each: each.content  # noqa: E731
_CHANGED: tuple[_Rule, ...] = (lambda each: each.nugget.id, lambda each: each.place)


class Copies:
    """Compares the documents of a file with those of gold; `counts` says what became of how many nuggets."""

    def __init__(self, gold: TbfFile, out: Findings) -> None:
        self.gold = gold
        self.out = out
        self.counts = dict.fromkeys(("gold", "copied", "renamed", "changed", "missing", "invented"), 0)
        self._seen: set[str] = set()

    def check(self, lines: Lines, text: str) -> None:
        """Compare a document, of which `text` is the section of the file."""
        if lines.document not in self.gold:  # which is said of the document
            self.counts["invented"] += len(lines.nuggets)
            return
        self._seen.add(lines.document)
        theirs = _given(self._read(lines.document), self.gold.mode)
        mine = _given(lines.nuggets, self.gold.mode)
        self.counts["gold"] += len(theirs)
        document = _Document(lines, text.split("\n"), self)
        for one, other in _take(mine, theirs, _COPIED):
            document.copied(one, other)
        for one, other in _take(mine, theirs, _RENAMED):
            document.renamed(one, other)
        for rule in _CHANGED:
            for one, other in _take(mine, theirs, rule, fits=_alike):
                document.changed(one, other)
        for one in mine:
            document.invented(one)
        read = {nugget.id for nugget in lines.nuggets}
        for other in theirs:
            document.missing(other, unreadable=other.nugget.id in lines.ids and other.nugget.id not in read)

    def finish(self) -> None:
        """Say in the findings how many there are, and what became of them; those of missing documents are missing."""
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


class _Document:
    """One document on its way through the comparison."""

    def __init__(self, lines: Lines, rows: Sequence[str], copies: Copies) -> None:
        self.lines, self.rows = lines, rows
        self.out, self.counts, self.path = copies.out, copies.counts, copies.gold.path
        self.twins: dict[Hashable, Nugget] = {}  # gold nuggets that have been found, by their content

    def copied(self, mine: _Given, gold: _Given) -> None:
        self.counts["copied"] += 1
        self._same_text(mine, gold)

    def renamed(self, mine: _Given, gold: _Given) -> None:
        self.counts["renamed"] += 1
        message = f"{quote(mine.nugget.id)} is the gold nugget {quote(gold.nugget.id)} under another id"
        hint = f"call it {quote(gold.nugget.id)[1:-1]}"
        self.out.warn("renamed-nugget", message, *self._at(mine, _ID), hint)
        self._same_text(mine, gold)

    def changed(self, mine: _Given, gold: _Given) -> None:
        self.counts["changed"] += 1
        self.twins.setdefault(gold.content, gold.nugget)
        written = {
            _PLACE: (mine.span, gold.span, mine.place == gold.place),
            _TYPE: (mine.nugget.type, gold.nugget.type, mine.type == gold.type),
            _REALIS: (mine.nugget.realis, gold.nugget.realis, mine.realis == gold.realis),
        }
        other = [column for column, (*_, same) in written.items() if not same]
        parts = [
            f"the {_NAMES[each]} is {quote(written[each][0])}, in gold {quote(written[each][1])}" for each in other
        ]
        name = quote(gold.nugget.id)
        if mine.nugget.id != gold.nugget.id:
            name += f" (here {quote(mine.nugget.id)})"
        self.out.add(
            "changed-nugget",
            f"the gold nugget {name} was changed: {'; '.join(parts)} ({self.path}:{gold.nugget.line})",
            *self._at(mine, other[0]),
            "copy the line of gold",
            fix=self._line(gold),
        )

    def invented(self, mine: _Given) -> None:
        self.counts["invented"] += 1
        twin = self.twins.get(mine.content)
        message = f"{quote(mine.nugget.id)} is no gold nugget"
        if twin is not None:
            message = f"{quote(mine.nugget.id)} is another copy of the gold nugget {quote(twin.id)}"
        self.out.add(
            "invented-nugget",
            message,
            *self._at(mine, _ID),
            "remove it, and name gold nuggets only in relations",
        )

    def missing(self, gold: _Given, *, unreadable: bool) -> None:
        self.counts["missing"] += 1
        if unreadable:  # which is said of the line that has its id
            return
        nugget = gold.nugget
        self.out.add(
            "missing-nugget",
            f"the gold nugget {quote(nugget.id)} ({quote(nugget.text)}, {self.path}:{nugget.line}) was not copied",
            self.lines.line,
            1,
            "copy its line",
            fix=self._line(gold),
        )

    def _same_text(self, mine: _Given, gold: _Given) -> None:
        self.twins.setdefault(gold.content, gold.nugget)
        if _squeezed(mine.nugget.text) != _squeezed(gold.nugget.text):
            message = f"the text is {quote(mine.nugget.text)}, in gold {quote(gold.nugget.text)}"
            hint = "copy the line of gold"
            self.out.warn("changed-text", message, *self._at(mine, _TEXT), hint)

    def _at(self, mine: _Given, column: int) -> tuple[int, int]:
        line = mine.nugget.line
        return line, field_place(self.rows[line - self.lines.line], column)

    def _line(self, gold: _Given) -> str:
        """The line of gold under the name of the system."""
        nugget = gold.nugget
        first = next((row.split("\t")[0].strip() for row in self.rows if "\t" in row and row[0] not in "#@"), "")
        columns = (first or nugget.system, self.lines.document, nugget.id, gold.span)
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
    rule: _Rule,
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
    _drop(mine, pairs)
    _drop(theirs, set(pairs.values()))
    return taken


def _drop(given: list[_Given], numbers: Collection[int]) -> None:
    given[:] = [each for number, each in enumerate(given) if number not in numbers]


def _squeezed(text: str) -> str:
    return "".join(text.split())
