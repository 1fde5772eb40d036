"""CorefUD as the scorer of the CRAC shared tasks reads it: entities in CoNLL-U, their heads, and zeros with their DEPS.

`formats.conllu` reads the same files for the other profiles, which only know spans of words. Here a mention is the set
of its nodes, empty ones included, and the official reader is followed, even where it is surprising: the last
`global.Entity` holds for the whole file, a mention that opens and closes on one node in two brackets goes on to the end
of its sentence, and the empty node 3.10 is 3.1. What stops that program is an error, with its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from adjudge.errors import Problem
from adjudge.findings import raise_problems
from adjudge.formats.source import Source, read_text, reads
from adjudge.model.coref import SENTENCE, Chain, CorefCorpus, Mention, Sentence, TreeNode, UdDocument, node_runs
from adjudge.model.document import CorpusNote

Placed: TypeAlias = "tuple[list[float], float, UdDocument]"  # a mention: its nodes, its head, its document
Deps: TypeAlias = "frozenset[tuple[float, str]]"
Name: TypeAlias = "tuple[int, str]"  # the document of an id, if ids belong to documents, and the id

_ITEM = re.compile(r"\([^()]*\)?|[^()]+\)?|\)")
_PART = re.compile(r"([^\[]+)\[(\d+)/(\d+)\]")
_SENT_ID = re.compile(r"# sent_id\s*=?\s*(\S+)")
_NEWDOC = re.compile(r"# newdoc(?:\s+id\s*=\s*(.+))?$")
_GLOBAL = re.compile(r"# (?<=^# )global.Entity\s*=\s*(\S+)", re.MULTILINE)  # begins with what is rare: faster
_EMPTY = re.compile(r"\d{1,6}\.\d{1,6}", re.ASCII)
_RANGE = re.compile(r"\d+-\d+")
_PARENT = re.compile(r"\d{1,7}(?:\.\d{1,6})?", re.ASCII)
_LONGEST = 7  # digits of a number in the file
_MISC, _DEPS, _HEAD, _FORM = 9, 8, 6, 1
_ID_FIELDS = ("eid", "GRP")

_NOTES = {
    "unclosed": "mentions that never close and were left out: {n}",
    "no-brackets": "pieces of text in no brackets that were ignored: {n}",
    "to-the-end": "mentions that open and close on one node in two brackets and go on to the end of their sentence, as "
    "in the official scorer: {n}",
    "same-number": "empty nodes that count as another one, since trailing zeros of their numbers mean nothing to "
    "the official scorer: {n}",
    "no-newdoc": "the file does not begin with a newdoc; the official scorer stops at mentions before the first one",
    "last-line": "no empty line follows the last sentence; the official scorer stops at the end of such a file",
    "short-lines": "lines with fewer than ten columns: {n}",
    "SplitAnte": "split antecedents, which are not scored: {n}",
    "Bridge": "bridging relations, which are not scored: {n}",
}


@reads("CoNLL-U with entities (CorefUD)", "conllu")
def read_corefud(source: Source, *, name: str | None = None, trees: bool = False) -> CorefCorpus:
    r"""All documents of a file, with their `trees` if wanted; all problems are raised together at the end.

    >>> rows = [("1", "a", "Entity=(e1--2"), ("1.1", "_", "_"), ("2", "b", "Entity=e1)"), ("3", "c", "Entity=(e2--1)")]
    >>> lines = [f"{number}\t{form}" + "\t_" * 7 + f"\t{misc}\n" for number, form, misc in rows]
    >>> text = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n" + "".join(lines)
    >>> document = read_corefud(text.encode()).documents[0]
    >>> [chain.id for chain in document.chains], document.written(document.chains[0].mentions[0])
    (['e1', 'e2'], '1:1,1.1,2')
    """
    whole, text = read_text(source, name=name)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    reader = _Reader(whole.place, text, trees)
    raise_problems(sorted(reader.problems, key=lambda problem: (problem.line or 0, problem.column or 0)), whole.place)
    return CorefCorpus(whole.place, list(reader.documents.values()), whole.digest, counted=reader.notes())


class _Node(NamedTuple):
    """A node with entities: its number, its line, its MISC column and where that begins."""

    number: float
    line: int
    misc: str
    column: int


class _Opening(NamedTuple):
    """An opening bracket: its entity, its part of a mention and of how many, its head; or what is wrong."""

    chain: Name
    part: str | None
    total: str | None
    head: int | None
    wrong: str
    hint: str


class _Mention:
    """A mention, open or not: its nodes so far, and the sentence, place and head of its last opening."""

    __slots__ = ("at", "chain", "column", "document", "head", "head_number", "line", "nodes", "sentence")
    at: int
    column: int
    head_number: int | None
    line: int
    sentence: int

    def __init__(self, chain: Name, document: UdDocument) -> None:
        self.chain, self.document = chain, document
        self.nodes: list[float] = []
        self.head: float | None = None


class _Reader:
    """Reads sentence by sentence; brackets are tracked over the whole file, because entities may span documents."""

    def __init__(self, place: str, text: str, trees: bool) -> None:
        self.place, self.trees = place, trees
        self.documents: dict[str, UdDocument] = {}
        self.problems: list[Problem] = []
        self.found: dict[str, list[int]] = {}  # lines by kind of note
        headers = list(_GLOBAL.finditer(text))
        self.fields = headers[-1][1].split("-") if headers else None
        if self.fields is not None and not set(_ID_FIELDS) & set(self.fields):
            number = text.count("\n", 0, headers[-1].start()) + 1
            hint = "write eid-etype-head-other"
            self._wrong(f"global.Entity has no eid: {headers[-1][1]}", number, headers[-1].start(1), hint)
            self.fields = ["eid"]
        self._know_fields()
        self.ordinal = 0  # of the document among all newdocs of the file
        self.sentences = 0
        self.sent_id: str | None = None
        self.document: UdDocument | None = None
        self.openings: dict[str, _Opening] = {}  # those of this document, since most brackets recur
        self.empty: dict[float, str] = {}  # DEPS of the empty nodes of the file
        self.open: dict[Name, list[_Mention]] = {}
        self.parts: dict[Name, list[_Mention]] = {}
        self.entities: dict[Name, list[_Mention]] = {}
        self._read(text)
        self._finish()

    def _know_fields(self) -> None:
        """The places of id and head among the fields; of two with one name, the last counts."""
        places = {field: place for place, field in enumerate(self.fields or ())}
        self.by_document = "GRP" in places
        self.id_at = places.get("GRP" if self.by_document else "eid", 0)
        self.head_at = places.get("head", len(self.fields or ()))

    def _wrong(self, message: str, line: int, column: int | None, hint: str) -> None:
        self.problems.append(Problem(message, self.place, line, column, hint))

    def _note(self, kind: str, line: int, number: int = 1) -> None:
        self.found.setdefault(kind, []).extend([line] * number)

    def notes(self) -> list[CorpusNote]:
        """What may have been read differently than meant, with counts."""
        found = []
        for kind, message in _NOTES.items():
            if lines := self.found.get(kind):
                text = message.format(n=len(lines))
                found.append(CorpusNote(f"corefud-{kind.lower()}", len(lines), text, (f"{self.place}:{lines[0]}",)))
        return found

    # -----------------------------------------------------------------------------------------------------------------
    # Lines and sentences

    def _read(self, text: str) -> None:
        number, lines = 0, text.split("\n")
        total = len(lines)
        while number < total:
            if lines[number]:
                end = number + 1
                while end < total and lines[end]:
                    end += 1
                self._sentence(lines[number:end], number + 1)
                number = end
            number += 1
        if not self.sentences and not self.problems:
            self._wrong("the file has no sentence", 1, None, "write CoNLL-U with the ten columns of each word")
        if text.endswith("\n") and not text.endswith("\n\n"):
            self._note("last-line", total - 1)

    def _sentence(self, lines: list[str], number: int) -> None:
        """One block of lines; without a word it is not a sentence."""
        base = (self.sentences + 1) * SENTENCE
        words: list[int] = []
        forms: list[str] = []
        empty: list[float] = []
        marked: list[_Node] = []
        sent_id = newdoc = None
        starts = False
        for line_number, line in enumerate(lines, number):
            fields = line.split("\t")
            first = fields[0]
            if first.isdecimal() and len(first) <= _LONGEST:  # for every word: no call
                word = int(first)
                node: float = base + word
                words.append(word)
                forms.append(fields[_FORM] if len(fields) > _FORM else "_")
            elif line[0] == "#":
                if found := _SENT_ID.match(line):
                    sent_id = found[1]
                elif found := _NEWDOC.match(line):
                    starts, newdoc = True, found[1] or ""
                continue
            elif _EMPTY.fullmatch(first):
                node = base + float(first)
                empty.append(node)
                self.empty[node] = fields[_DEPS] if len(fields) > _DEPS else "_"
            elif _RANGE.fullmatch(first) and len(fields) > 1:
                continue
            else:
                hint = "separate the columns by TABs and number the words"
                self._wrong("expected a word with ten columns", line_number, 1, hint)
                continue
            if len(fields) <= _MISC:
                self._note("short-lines", line_number)
            elif (misc := fields[_MISC]) != "_" and ("Entity=" in misc or "SplitAnte=" in misc or "Bridge=" in misc):
                marked.append(_Node(node, line_number, misc, len(line) - len(misc) + 1))
        if not words:
            return
        self.sentences += 1
        self._begin(sent_id, newdoc if starts else None, number)
        document = self.document
        assert document is not None
        document.sentences.append(Sentence(self.sentences, sent_id, newdoc, number, "\t".join(forms)))
        document.tokens += len(forms)
        if self.trees:
            document.trees.append(sorted(_tree(lines, base), key=lambda node: node.number))
        nodes: Sequence[float] = range(base + 1, base + len(words) + 1)
        if words[-1] != len(words) or words != list(range(1, len(words) + 1)):
            if len(set(words)) < len(words) or 0 in words:
                self._wrong("two words have one number", number, 1, "number the words of a sentence from 1")
                return
            nodes = sorted(base + word for word in words)
        if empty:
            if len(set(empty)) < len(empty):
                self._note("same-number", number, len(empty) - len(set(empty)))
            nodes = sorted([*nodes, *empty])
            marked.sort(key=lambda each: each.number)
        for each in marked:
            self._marks(each, nodes)

    def _begin(self, sent_id: str | None, newdoc: str | None, number: int) -> None:
        """The document of a sentence, and whether its id is new."""
        if sent_id is not None and sent_id == self.sent_id:
            self._wrong(f"two sentences in a row have the sent_id {sent_id}", number, None, "give each its own")
        self.sent_id = sent_id
        if newdoc is None and self.document is not None:
            return
        self.ordinal += 1
        if newdoc is None:
            self._note("no-newdoc", number)
        self.openings = {}
        name = newdoc or str(self.ordinal)
        self.document = self.documents.get(name)
        if self.document is None:
            self.document = self.documents[name] = UdDocument(name, number)

    # -----------------------------------------------------------------------------------------------------------------
    # Entities

    def _marks(self, node: _Node, nodes: Sequence[float]) -> None:
        """Parse the last column of a node."""
        text, start, here = "", 0, node.column
        for part in node.misc.split("|") if "|" in node.misc else (node.misc,):
            if part.startswith("Entity="):
                text, start = part[7:], here + 7
            elif part.startswith(("SplitAnte", "Bridge")):
                key, _, value = part.partition("=")
                if key in ("SplitAnte", "Bridge"):
                    self._note(key, node.line, value.count(",") + 1)
            here += len(part) + 1
        if not text:
            return
        if self.fields is None:
            hint = "write a line: # global.Entity = eid-etype-head-other"
            self._wrong("there are entities, but no global.Entity", node.line, start, hint)
            self.fields = ["eid", "etype", "head", "other"]
            self._know_fields()
        for chunk in _ITEM.findall(text):
            if chunk in ("(", ")", "()"):
                self._wrong("brackets without an entity", node.line, start, "name the entity in them")
            elif chunk[0] == "(":
                self._opening(chunk, node, nodes, start)
            elif chunk[-1] == ")":
                self._closing(chunk[:-1], node, nodes, start)
            else:
                self._note("no-brackets", node.line)
            start += len(chunk)

    def _opening(self, text: str, node: _Node, nodes: Sequence[float], column: int) -> None:
        """A bracket that opens, as `(e1` does, and may close at once, as `(e1)` does."""
        said = self.openings.get(text)
        if said is None:
            said = self.openings[text] = self._said(text.strip("()"))
        chain, part, total, head, wrong, hint = said
        if wrong:
            self._wrong(wrong, node.line, column, hint)
            if not chain[1]:
                return None
        assert self.document is not None
        if part is None or part == "1":
            mention = _Mention(chain, self.document)
            self.entities.setdefault(chain, []).append(mention)
            if part:
                self.parts.setdefault(chain, []).append(mention)
        else:
            opened = self.open.get(chain, ())
            waiting = [each for each in self.parts.get(chain, ()) if each not in opened]
            if not waiting:
                message = f"part {part} of entity {chain[1]} has no first part that waits for it"
                return self._wrong(message, node.line, column, "number the parts [1/2], [2/2]")
            mention = waiting[0]
            if mention.document is not self.document:
                message = f"entity {chain[1]} has a mention in two documents"
                return self._wrong(message, node.line, column, "close it in the document where it opens")
        mention.nodes.append(node.number)
        mention.head_number, mention.line, mention.column = head, node.line, column
        if text[-1] != ")":
            mention.sentence, mention.at = self.sentences, nodes.index(node.number)
            self.open.setdefault(chain, []).append(mention)
        elif part is not None and part != "1" and part == total and self._last_part(mention, node, column):
            self._set_head(mention, -1 if head == 0 else (head or 0) - 1)  # 0 is Python's last node
        return None

    def _said(self, text: str) -> _Opening:
        """The content of an opening bracket, or what is wrong with it."""
        assert self.fields is not None
        values = text.split("-")
        given = values[self.id_at] if self.id_at < len(values) else ""
        part = total = None
        if given.endswith("]"):
            found = _PART.match(given)
            given, part, total = found.groups() if found else ("", None, None)
        head = values[self.head_at] if self.head_at < len(values) and self.head_at < len(self.fields) else None
        wrong = hint = ""
        if not given:
            wrong, hint = f"({text} has no entity id", f"write {'-'.join(self.fields)}"
        elif head is not None and not _is_number(head):
            wrong, hint = f"expected the number of a node as head, got {head!r}", "write 1 for the first node"
        chain = self.ordinal if self.by_document else 0, given
        return _Opening(chain, part, total, None if head is None or wrong else int(head), wrong, hint)

    def _closing(self, text: str, node: _Node, nodes: Sequence[float], column: int) -> None:
        chain = self.ordinal if self.by_document else 0, text
        part = total = None
        if chain not in self.open and (found := _PART.match(text)):
            chain = chain[0], found[1]
            part, total = found[2], found[3]
        stack = self.open.get(chain)
        if not stack:
            return self._wrong(
                f"entity {text} closes here but is not open", node.line, column, "open it at its first word"
            )
        mention = stack.pop()
        if mention.sentence != self.sentences:
            message = f"entity {text} closes in another sentence than it opens (line {mention.line})"
            return self._wrong(message, node.line, column, "close it in the sentence where it opens")
        last = mention.nodes[-1]
        end = nodes.index(node.number) + 1
        if node.number <= last:  # the official reader looks for the end after the last node, and does not find it
            self._note("to-the-end", node.line)
            end = len(nodes)
        more = nodes[mention.at + 1 : end]
        mention.nodes += [each for each in more if each > last] if more and more[0] == last else more
        if mention.head_number and (part is None or part == total):
            self._set_head(mention, mention.head_number - 1)
        if part is not None and part == total:
            self._last_part(mention, node, column)
        return None

    def _last_part(self, mention: _Mention, node: _Node, column: int) -> bool:
        """The mention is complete; it must be the last one of its entity that was begun."""
        parts = self.parts.get(mention.chain, [])
        if parts and parts.pop() is mention:
            return True
        message = f"entity {mention.chain[1]} ends here, but a mention of it that began later has not ended"
        self._wrong(message, node.line, column, "write all parts of one mention before the next one begins")
        return False

    def _set_head(self, mention: _Mention, place: int) -> None:
        if place < len(mention.nodes):
            mention.head = mention.nodes[place]
            return
        message = f"entity {mention.chain[1]} has head {place + 1} but only {len(mention.nodes)} nodes"
        self._wrong(message, mention.line, mention.column, "count the nodes of the mention from 1")

    # -----------------------------------------------------------------------------------------------------------------
    # The end of the file

    def _finish(self) -> None:
        for stack in self.open.values():
            for each in stack:
                self._note("unclosed", each.line)
                self.entities[each.chain].remove(each)
        found = (
            (given, [(each.nodes, each.nodes[0] if each.head is None else each.head, each.document) for each in own])
            for (_, given), own in self.entities.items()
        )
        fill_documents(found, lambda head: frozenset(_parents(self.empty[head], head)))


def fill_documents(entities: Iterable[tuple[str, list[Placed]]], deps: Callable[[float], Deps]) -> None:
    """Add entities to documents in the order of the official scorer, with the dependencies of zeros.

    Mentions are ordered by their first node, the longer first, then by their last node; entities by their first mention
    in the whole file, then by their ids.
    """
    found = []
    for given, mentions in entities:
        ordered = []
        for nodes, head, document in mentions:
            runs, size = node_runs(nodes)
            ordered.append(((runs[0], -size, runs[-1]), runs, head, document))
        if ordered:
            ordered.sort(key=itemgetter(0))
            found.append((ordered[0][0], given, ordered))
    found.sort(key=itemgetter(0, 1))
    for _, given, ordered in found:
        split: dict[str, tuple[list[Mention], list[float]]] = {}
        at = None
        for _, runs, head, document in ordered:
            if document is not at:
                at = document
                mine, heads = split.setdefault(document.id, ([], []))
            if not mine:
                document.chains.append(Chain(given, mine))
                document.marks.append(heads)
            mine.append(runs)
            heads.append(head)
            if type(head) is float and head not in document.deps:
                document.deps[head] = deps(head)


def _tree(lines: list[str], base: int) -> Iterator[TreeNode]:
    """The nodes of a sentence."""
    for line in lines:
        fields = [*line.split("\t"), *("_" * _MISC)]
        word = _is_number(fields[0])
        if word or _EMPTY.fullmatch(fields[0]):
            number = base + (int(fields[0]) if word else float(fields[0]))
            parent = None if not word else base + (int(fields[_HEAD]) if _is_number(fields[_HEAD]) else 0)
            yield TreeNode(number, fields[_FORM], parent, tuple(_parents(fields[_DEPS], number)))


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= _LONGEST


def _parents(text: str, node: float) -> Iterator[tuple[float, str]]:
    """The enhanced parents of a node with their relations; the positions are those of its sentence."""
    base = int(node) // SENTENCE * SENTENCE
    for each in text.split("|") if text != "_" else ():
        parent, _, relation = each.partition(":")
        if _PARENT.fullmatch(parent):
            yield base + float(parent), relation
