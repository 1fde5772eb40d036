"""All problems in a submission of event nuggets, each with its line and column.

An error is what the official programs refuse, or what cannot be scored as intended. A warning does not affect the
score, but is suspicious or violates the letter of the format.

In the task in which gold nuggets are given, a system adds relations and nothing else. A nugget is copied if its place,
type and realis are those of a gold nugget. What is left is paired by its id, then by its place, and has been changed.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.findings import Finding, Findings, Severities, check_severities
from adjudge.formats.recognise import recognised
from adjudge.formats.source import Source, listed_lines, source_name
from adjudge.formats.tbf import TbfFile, open_tbf
from adjudge.formats.tbf_scan import DIGITS, LIMIT, Section, decode, field_place, quote
from adjudge.formats.token_table import find_table, scan_table
from adjudge.model.nugget import COREFERENCE, Nugget, TokenTable
from adjudge.tasks.nugget.places import folder_of, read_text
from adjudge.tasks.nugget.settings import canonical
from adjudge.tasks.nugget.spans import place_keys
from adjudge.tasks.nugget.task import TBF
from adjudge.tasks.nugget.validation_lines import Ground, Lines, Rules, near, squeezed
from adjudge.tasks.nugget.validation_relations import check_relations

KINDS = (
    *("no-documents", "outside", "missing-header", "missing-footer", "no-id", "repeated-document", "missing-document"),
    *("unknown-document", "damaged", "utf-16", "byte-order-mark", "line-ends", "null", "encoding", "long-line"),
    *("columns", "extra-columns", "system-id", "document-column", "mention-id", "repeated-id", "type", "unknown-type"),
    *("realis", "no-realis", "confidence", "order", "text", "duplicate", "mode", "token-id", "unknown-token"),
    *("token-repeated", "token-order", "offsets", "offset-unit", "outside-text", "overlapping-pieces", "piece-order"),
    *("misfit", "no-table", "table-row", "table-repeated", "table-encoding", "table-header", "table-order"),
    *("table-empty", "table-text", "no-text", "text-encoding", "no-size", "text-size", "relation-columns"),
    *("relation-name", "relation-names", "relation-id", "argument", "unknown-mention", "repeated-argument"),
    *("one-member", "closure", "same-place", "link-arguments", "self-link", "repeated-link", "link-in-cluster"),
    *("both-ways", "circle", "renamed-nugget", "changed-nugget", "changed-text", "missing-nugget", "invented-nugget"),
)
YEARS = ("2015", "2016")


def validate(
    source: Source,
    *,
    types: Iterable[str] | None = None,
    documents: Collection[str] | None = None,
    gold: TbfFile | None = None,
    mode: Literal["token", "char"] | None = None,
    limit: int | None = None,
    severity: Severities | None = None,
    **where: Any,
) -> Findings:
    """Check a file.

    `types` are those that are allowed, `documents` those that must be there. If nuggets were given, they are in `gold`,
    and must have been copied. `where` are tokens and texts (`tables`, `suffix`, `texts`, `text_suffix`, `sizes`: see
    `Grounds`). Token tables mean that places are token ids; else `mode` says how places are written, or it is guessed.

    >>> found = validate(b"#BeginOfDocument a\\ns\\tb\\tE1\\tt1\\tran\\tMovement\\tPast\\n#EndOfDocument\\n")
    >>> [(each.kind, each.problem.line, each.problem.column) for each in found.findings]
    [('document-column', 2, 3), ('realis', 2, 24)]
    """
    grounds = Grounds(**where)
    if grounds.tables is not None and mode == "char":
        raise UsageError("token tables are of no use for places in characters", hint="give the texts, or mode token")
    if mode == "token" and grounds.texts is not None and grounds.tables is None:
        raise UsageError("texts are of no use for token ids alone", hint="give the token tables, too, or mode char")
    if grounds.tables is not None:
        mode = "token"
    if gold is not None:  # whose places are those of the system
        mode = gold.mode = mode or gold.mode
        documents = gold.ids
    found = Findings(source_name(source), limit=limit, severities=check_severities(severity or {}, KINDS))
    found.contents.update(dict.fromkeys(("document", "mention", "cluster", "other relation"), 0))
    found.facts.update(mode=mode or "token", without_mentions=0)
    try:
        file = open_tbf(source, mode=mode)
    except FormatError as error:  # corrupt in the middle: nothing else can be checked
        found.add_problems("damaged", error.problems)
        return found
    found.facts["mode"] = file.mode
    found.contents["document"] = len(file.ids)
    listed = None if types is None else {canonical(each): each for each in types}
    rules = Rules(file.mode, listed, given=gold is not None)
    copies = None if gold is None else Copies(gold, found)
    try:
        is_tbf = any(section.id is not None for section in file.sections)
        found.take(file.index.found if is_tbf else _other_format(file.index.found, source))
        for kind, remark in file.remarks.items() if is_tbf else ():
            found.add_problem(kind, remark, error=kind == "null")
        counted = set(file.index.documents.values())
        for number, section in enumerate(file.sections):
            if section.id is not None:  # else it is wrong as a whole
                _check_section(file, section, (rules, grounds), copies, found, counts=number in counted)
    finally:
        file.close()
    found.document = None
    if grounds.texts is not None and grounds.tables is None and rules.mode == "token":
        message = "places are read as token ids, so the texts are not looked at"
        found.warn("mode", message, None, None, "give the token tables, too, or use --mode char")
    if documents is not None:
        _check_documents(file, documents, found)
    if found.facts["without_mentions"]:
        found.remarks["document"] = f"{found.facts['without_mentions']} without mentions"
    if copies is not None:
        copies.finish()
    return found


def _other_format(found: Findings, source: Source) -> Findings | list[Finding]:
    """What is wrong with a file without documents: that it is another format, if it looks like one."""
    if found.counts.keys() != {"no-documents", "outside"}:
        return found
    other, *more = recognised(FormatError(found.problems()), source, TBF).problems
    return found if more else [Finding("no-documents", True, other)]


def _check_section(
    file: TbfFile, section: Section, how: tuple[Rules, Grounds], copies: Copies | None, out: Findings, *, counts: bool
) -> None:
    """The lines of a document, whether it counts or not."""
    rules, grounds = how
    out.document = document = section.id or ""
    text = decode(file.section_bytes(section))
    text = text.removeprefix("\ufeff") if section.offset == 0 else text
    ground = grounds.find(document, section.line, rules.mode, out)
    lines = Lines(document, section.line, rules, ground, out)
    lines.check(text)
    keys: list[Hashable] = place_keys(lines.nuggets, rules.mode)
    if copies is None:  # else gold may have them, and what is not in gold is reported
        lines.check_duplicates(keys)
    places: dict[str, Hashable] = dict.fromkeys(lines.ids)
    places.update({nugget.id: key for nugget, key in zip(lines.nuggets, keys, strict=True)})
    check_relations(lines.relations, places, out)
    if copies is not None and counts:
        copies.check(lines, text)
    clusters = sum(line.relation.name == COREFERENCE for line in lines.relations)
    out.contents["mention"] += len(lines.nuggets)
    out.contents["cluster"] += clusters
    out.contents["other relation"] += len(lines.relations) - clusters
    out.facts["without_mentions"] += counts and not lines.nuggets


def _check_documents(file: TbfFile, wanted: Collection[str], out: Findings) -> None:
    """Missing documents, and those that were not requested."""
    known = dict.fromkeys(wanted)
    lines = {section.id: section.line for section in file.sections if section.id is not None}
    for id in file.ids:
        if id and id not in known:
            message = f"document {quote(id)} is not one of those that are scored"
            close = near(id, known)
            hint = f"did you mean {close}?" if close else "remove it, or check the id"
            out.add("unknown-document", message, lines.get(id), 1, hint, document=id)
    for id in known:
        if id and id not in file:
            hint = "write its footer" if id in lines else "write its header and footer, even if it has no mentions"
            out.add("missing-document", f"document {quote(id)} is missing", None, None, hint, document=id)


# ---------------------------------------------------------------------------------------------------------------------
# The tokens and texts that places refer to


class Grounds:
    """Where token tables and texts are, if given, and how long the texts are.

    `tables` and `texts` are folders with a file `<document><suffix>` for each document, `sizes` numbers of characters.
    """

    def __init__(
        self,
        tables: str | Path | None = None,
        suffix: str = ".tab",
        texts: str | Path | None = None,
        text_suffix: str = ".txt",
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        self.tables = folder_of(tables, "token tables")
        self.suffix = suffix
        self.texts = folder_of(texts, "texts")
        self.text_suffix = text_suffix
        self.sizes = sizes
        self.names = cache(_names)

    def find(self, document: str, line: int, mode: str, out: Findings) -> Ground:
        """What is known about a document; `line` is that of its header."""
        if not document:
            return Ground()
        text = table = None
        size = None if self.sizes is None else self.sizes.get(document)
        if self.sizes is not None and size is None:
            out.add("no-size", f"document {quote(document)} is not in the list of sizes", line, 1, "check the id")
        if self.texts is not None and (self.tables is not None or mode == "char"):
            path = find_table(self.texts, document, suffix=self.text_suffix)
            if path is None:
                hint = self._other(self.texts, document, self.text_suffix, "--text-suffix")
                out.add("no-text", f"document {quote(document)} has no text in {self.texts}", line, 1, hint)
            elif isinstance(found := read_text(path), str):
                text = found
            else:
                out.add_problem("no-text" if found.line is None else "text-encoding", found)
        if text is not None:
            if size is not None and size != len(text):
                message = f"the text of document {quote(document)} has {len(text)} characters, in the list {size}"
                out.add("text-size", message, line, 1, "is it the same text?")
            size = len(text)
        if self.tables is not None:
            path = find_table(self.tables, document, suffix=self.suffix)
            if path is None:
                hint = self._other(self.tables, document, self.suffix, "--token-suffix")
                out.add("no-table", f"document {quote(document)} has no token table in {self.tables}", line, 1, hint)
            else:
                table = _read_table(path, document, text, out)
        rows: dict[str, int] = {}
        for row, token in enumerate(table.tokens if table else ()):
            rows.setdefault(token.id, row)
        return Ground(table, rows, text, size)

    def _other(self, folder: Path, document: str, suffix: str, option: str) -> str:
        """A remedy if a document has a file, but with another suffix."""
        other = self.names(folder).get(document)
        if other is not None:
            return f"there is {document}{other}: use {option} {other}"
        return f"it would be called {quote(document + suffix)[1:-1]}"


def _names(folder: Path) -> dict[str, str]:
    """The endings of the files of a folder, by what stands before each of their dots."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return {}
    found: dict[str, str] = {}
    for name in names:
        for place, sign in enumerate(name):
            if sign == ".":
                found.setdefault(name[:place], name[place:])
    return found


def _read_table(path: Path, document: str, text: str | None, out: Findings) -> TokenTable:
    table, findings = scan_table(path, document)
    for each in findings:
        out.add_problem(each.kind, each.problem, error=each.error)
    if text is not None:
        wrong = [t for t in table.tokens if "".join(text[t.begin : t.end].split()) != "".join(t.text.split())]
        if wrong:
            first = quote(wrong[0].text)
            message = f"{len(wrong)} of {len(table.tokens)} tokens are elsewhere in the text, the first is {first}"
            hint = f"is {path.name} the table of another text?"
            out.add_problem("table-text", Problem(message, table.path, wrong[0].line, 1, hint))
    return table


# ---------------------------------------------------------------------------------------------------------------------
# Lists


def read_types(name: str | Path) -> tuple[str, ...]:
    """The types of a task by its year (38 in 2015, 18 in 2016), or the lines of a file that are not blank.

    The spelling of a type does not matter: "conflict attack" is Conflict_Attack.

    >>> len(read_types("2015")), len(read_types("2016")), read_types("2016")[0]
    (38, 18, 'Conflict_Attack')
    """
    path = Path(__file__).with_name(f"types_{name}.txt") if str(name) in YEARS else Path(name)
    hint = f"give a file with one type per line, or {' or '.join(YEARS)}"
    types = tuple(line.strip() for line in listed_lines(path, "types", hint) if line.strip())
    if not types:
        raise UsageError(Problem("the list names no types", path=str(name), hint="write one type per line"))
    return types


def read_sizes(path: str | Path) -> dict[str, int]:
    """The number of characters of documents: a line for each, the id and the number with a blank or TAB between."""
    sizes: dict[str, int] = {}
    problems = []
    for number, line in enumerate(listed_lines(path, "sizes"), 1):
        parts = line.split()
        if len(parts) == 2 and parts[1].isascii() and parts[1].isdigit() and len(parts[1]) <= DIGITS:
            sizes[parts[0]] = int(parts[1])
        elif parts:
            hint = "write a document id and its number of characters"
            problems.append(Problem(f"{quote(line)} is not a size", path=str(path), line=number, column=1, hint=hint))
    if problems:
        raise UsageError(problems[:LIMIT])
    return sizes


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
        self._rows: list[str] = []  # of the current document
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
            if nugget.id not in unread:  # else it is reported for the line that has its id
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
        if squeezed(own.text) != squeezed(other.text):
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
    if mine.type == gold.type or squeezed(one.text) == squeezed(other.text) or set(one.tokens) & set(other.tokens):
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
