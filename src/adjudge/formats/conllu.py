"""CoNLL-U files with entities in the style of CorefUD 1.x and Universal Anaphora.

The MISC column has `Entity=(e1-person-1-...` where a mention opens and `Entity=e1)` where it closes, several in a row;
the comment `# global.Entity = eid-etype-head-other` names the fields. A mention with gaps has parts, `e1[1/2]`. The
head is the number of a word in the mention. Bridging and split antecedents are not read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from math import floor

from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.findings import raise_problems
from adjudge.formats.source import BOM, COPY, Source, line_blocks, opened, source_name
from adjudge.model.coref import Chain, CorefCorpus, CorefDocument, Mention

FIELDS = "eid-etype-head-other"

_ITEM = re.compile(r"\(([^()]*)(\))?|([^()]+)(\))?|[()]")
_PART = re.compile(r"(.+)\[(\d{1,9})/(\d{1,9})\]")
_NEWDOC = re.compile(r"#\s*newdoc(?:\s+id)?(?:\s*=\s*(.*?))?\s*$")
_GLOBAL = re.compile(r"#\s*global\.Entity\s*=\s*(.*?)\s*$")
_WORD = re.compile(r"(\d{1,9})(?:(-\d{1,9})|\.(\d{1,9}))?$")
_UNSAFE = re.compile(r"[-()\[\]|=\s/]")


def read_conllu(source: Source, *, name: str | None = None) -> CorefCorpus:
    """All documents of a file; all problems are raised together at the end.

    A document begins with `# newdoc id = NAME`; without an id it is named by its number. Empty nodes have numbers
    between the words around them, so that a system that has other empty nodes still agrees on the words.

    >>> rows = [("1", "a", "Entity=(e1--1(e2[1/2]--1)"), ("2", "b", "Entity=e1)"), ("3", "c", "Entity=(e2[2/2]--1)")]
    >>> lines = [f"{number}\\t{form}" + "\\t_" * 7 + f"\\t{misc}\\n" for number, form, misc in rows]
    >>> text = "# newdoc id = d\\n# global.Entity = eid-etype-head-other\\n" + "".join(lines)
    >>> read_conllu(text.encode()).documents
    [CorefDocument('d', [Chain('e1', [(0, 1)]), Chain('e2', [(0, 0, 2, 2)])], tokens=3)]
    """
    place = name or source_name(source)
    digest = hashlib.sha256()
    reader = _Reader(place)
    broken = None
    with opened(source, place) as stream:
        for block in line_blocks(stream, 1 << 18, digest):
            if isinstance(block, str):
                broken = block
                break
            for line in block.split(b"\n"):
                reader.line(line)
    reader.finish()
    if broken:
        reader.wrong(broken, None, COPY)
    raise_problems(sorted(reader.problems, key=lambda problem: (problem.line or 0, problem.column or 0)), place)
    return CorefCorpus(place, list(reader.documents.values()), digest.hexdigest(), reader.notes)


class _Pending:
    """A mention with parts still to come."""

    __slots__ = ("chain", "column", "expected", "head", "nodes", "number", "start", "total")

    def __init__(self, chain: str, head: int, total: int, number: int, column: int) -> None:
        self.chain, self.head, self.total = chain, head, total
        self.number, self.column = number, column
        self.nodes: list[int] = []
        self.expected = 1
        self.start = -1


class _Reader:
    """Collects documents line by line."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.documents: dict[str, CorefDocument] = {}
        self.notes: list[Problem] = []
        self.problems: list[Problem] = []
        self.number = 0
        self.fields: list[str] | None = None
        self.ignored = {"SplitAnte": 0, "Bridge": 0}
        self.started: int | None = None
        self.name = ""
        self._clear()

    def _clear(self) -> None:
        self.nodes: list[float] = []  # the number of every word and empty node
        self.words = 0
        self.sentence = 0  # the number of the first word of the sentence
        self.chains: dict[str, list[Mention]] = {}
        self.heads: dict[Mention, float] = {}
        self.open: dict[str, list[_Pending]] = {}
        self.parts: dict[str, list[_Pending]] = {}

    def wrong(self, message: str, column: int | None, hint: str, number: int | None = None) -> None:
        """Remember a problem."""
        self.problems.append(Problem(message, self.place, number or self.number or None, column, hint))

    def line(self, raw: bytes) -> None:
        """Read the next line."""
        self.number += 1
        if self.number == 1:
            raw = raw.removeprefix(BOM)
        if raw[:1] == b"#":
            self._comment(raw.decode(errors="backslashreplace"))
        elif not raw.strip():
            self.sentence = self.words
        else:
            self._node(raw)

    def _comment(self, text: str) -> None:
        if found := _NEWDOC.match(text):
            self.finish_document()
            self.started = self.number
            self.name = found[1] or ""
        elif found := _GLOBAL.match(text):
            self.fields = found[1].split("-")
            if not {"eid", "GRP"} & set(self.fields):
                self.wrong(f"global.Entity has no eid: {found[1]}", found.start(1) + 1, f"write {FIELDS}")

    def _node(self, raw: bytes) -> None:
        """A word or an empty node; a range of words that are one token is skipped."""
        if self.started is None:
            self.started = self.number
        identifier, tab, _ = raw.partition(b"\t")
        kind = _WORD.match(identifier.decode(errors="replace")) if tab else None
        if not kind:
            return self.wrong(
                "expected a word with ten columns", 1, "separate the columns by TABs and number the words"
            )
        if kind[2]:
            return None
        if kind[3]:
            # An empty node before the first word must not share a number with one after the last word of the sentence
            # before.
            before = self.sentence + int(kind[1]) - 1 if int(kind[1]) else self.sentence - 0.5
            self.nodes.append(round(before + int(kind[3]) / 1000, 3))
        else:
            if int(kind[1]) != self.words - self.sentence + 1:
                expected = self.words - self.sentence + 1
                self.wrong(f"expected word {expected}, got {kind[1]}", 1, "number the words of a sentence from 1")
            self.nodes.append(self.words)
            self.words += 1
        at = raw.find(b"Entity=", raw.rfind(b"\t"))
        if at < 0 and b"SplitAnte=" not in raw and b"Bridge=" not in raw:
            return None
        line = raw.decode(errors="replace").rstrip("\r")
        start = line.rfind("\t") + 1
        for part in line[start:].split("|"):
            key, _, value = part.partition("=")
            if key == "Entity":
                self._entities(value, start + len(key) + 2)
            elif key in self.ignored:
                self.ignored[key] += len(value.split(","))
            start += len(part) + 1
        return None

    def _entities(self, text: str, column: int) -> None:
        """The brackets of a word, from left to right."""
        here, covered = len(self.nodes) - 1, 0
        for item in _ITEM.finditer(text):
            place = column + item.start()
            if item.start() != covered:
                self.wrong(
                    f"{text[covered : item.start()]!r} is outside brackets", column + covered, "fix the brackets"
                )
            covered = item.end()
            if item[1]:
                self._opening(item[1], here, place, closing=bool(item[2]))
            elif item[4]:
                self._closing(item[3], here, place)
            elif item[3]:
                self.wrong(f"{item[3]!r} is outside brackets", place, "fix the brackets")
            else:
                self.wrong("brackets without an entity", place, "name the entity in them")
        if covered < len(text):
            self.wrong(f"{text[covered:]!r} is outside brackets", column + covered, "fix the brackets")

    def _opening(self, text: str, here: int, column: int, *, closing: bool) -> None:
        if self.fields is None:
            self.fields = FIELDS.split("-")
            message = f"there is no global.Entity, the fields are taken to be {FIELDS}"
            hint = f"write a line: # global.Entity = {FIELDS}"
            self.notes.append(Problem(message, path=self.place, line=self.number, column=column, hint=hint))
        values = dict(zip(self.fields, text.split("-"), strict=False))
        chain = values.get("eid") or values.get("GRP") or ""
        part, total = 1, 1
        if found := _PART.fullmatch(chain):
            chain, part, total = found[1], int(found[2]), int(found[3])
        if not chain or not 1 <= part <= total:
            return self.wrong(f"({text} has no entity id", column, f"write the fields {'-'.join(self.fields)}")
        head = values.get("head") or "0"
        if not (head.isascii() and head.isdigit() and len(head) < 10):
            self.wrong(f"expected the number of a word as head, got {head!r}", column, "write 1 for the first word")
            head = "0"
        self.chains.setdefault(chain, [])
        if part == 1:
            pending = _Pending(chain, int(head), total, self.number, column)
            if total > 1:
                self.parts.setdefault(chain, []).append(pending)
        else:
            waiting = [each for each in self.parts.get(chain, ()) if each.expected == part and each.total == total]
            if not waiting:
                return self.wrong(f"part {part} of entity {chain} has no part {part - 1}", column, "number the parts")
            pending = waiting[-1]
        pending.start, pending.expected = here, part + 1
        if closing:
            return self._part_done(pending, here)
        return self.open.setdefault(chain, []).append(pending)

    def _closing(self, text: str, here: int, column: int) -> None:
        found = _PART.fullmatch(text)
        chain, part = (found[1], int(found[2])) if found else (text, None)
        if chain not in self.open and "-" in chain and self.fields:  # GUM before 2.10 repeats the first fields
            values = dict(zip(self.fields, chain.split("-"), strict=False))
            chain = values.get("eid") or values.get("GRP") or chain
        stack = self.open.get(chain, [])
        # Parts are numbered, so a part closes its own mention rather than the one opened last.
        order = [i for i, each in enumerate(stack) if part is None or (each.total > 1 and each.expected == part + 1)]
        if not order:
            return self.wrong(f"entity {text} closes here but is not open", column, "open it at its first word")
        return self._part_done(stack.pop(order[-1]), here)

    def _part_done(self, pending: _Pending, here: int) -> None:
        pending.nodes.extend(range(pending.start, here + 1))
        if pending.expected <= pending.total:
            return
        if pending.total > 1:
            self.parts[pending.chain].remove(pending)
        nodes = pending.nodes
        runs: list[float] = []
        for index, node in enumerate(nodes):
            if index == 0 or node != nodes[index - 1] + 1:
                runs.append(self.nodes[node])
            if index == len(nodes) - 1 or nodes[index + 1] != node + 1:
                runs.append(self.nodes[node])
        mention = tuple(runs)
        self.chains[pending.chain].append(mention)
        if pending.head > len(nodes):
            message = f"entity {pending.chain} has head {pending.head} but only {len(nodes)} words"
            self.wrong(message, pending.column, "count from its first word", pending.number)
        elif pending.head:
            self.heads[mention] = self.nodes[nodes[pending.head - 1]]

    def finish_document(self) -> None:
        """Keep the document that ends here."""
        if self.started is None:
            return
        unfinished = {id(each): each for stack in (*self.open.values(), *self.parts.values()) for each in stack}
        for each in unfinished.values():
            message = f"entity {each.chain} opens here and never closes"
            self.wrong(message, each.column, "close it at its last word", each.number)
        chains = [Chain(chain, mentions) for chain, mentions in self.chains.items() if mentions]
        name = self.name or str(len(self.documents) + 1)
        if name in self.documents:
            self.wrong(f"document {name!r} occurs again", None, "give every document its own id", self.started)
        empty = [node for node in self.nodes if node != floor(node)]
        document = CorefDocument(name, chains, self.words, self.started, self.heads or None, empty)
        self.documents[name] = document
        self.started, self.name = None, ""
        self._clear()

    def finish(self) -> None:
        """The end of the file."""
        self.finish_document()
        for key, what in (("SplitAnte", "split antecedent"), ("Bridge", "bridging relation")):
            if n := self.ignored[key]:
                self.notes.append(Problem(f"{n} {what}{'s' * (n > 1)} not read", path=self.place))
        if not self.documents and not self.problems:
            self.wrong("the file has no documents", None, "write CoNLL-U with the ten columns of each word")


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def write_conllu(documents: Iterable[CorefDocument], *, path: str | None = None) -> tuple[str, list[Problem]]:
    """The text of a file with entities only, and what could not be kept.

    Mentions of one chain that cross cannot be written.

    >>> text, _ = write_conllu([CorefDocument("d", [Chain("e1", [(0, 1)])], 2)])
    >>> print(text.replace("\\t", " "), end="")
    # newdoc id = d
    # global.Entity = eid-etype-head-other
    1 _ _ _ _ _ _ _ _ Entity=(e1
    2 _ _ _ _ _ _ _ _ Entity=e1)
    <BLANKLINE>
    """
    documents = list(documents)
    parts: list[str] = []
    problems: list[Problem] = []
    expected: list[dict[str, list[Mention]]] = []
    renamed = unknown = 0
    for document in documents:
        if document.id != document.id.strip() or not document.id or len(document.id.splitlines()) > 1:
            message = f"the name {document.id!r} cannot be written as a document id"
            problems.append(Problem(message, path=path, line=document.line, hint="rename the document"))
        ids = [chain.id for chain in document.chains]
        if any(not each or _UNSAFE.search(each) for each in ids) or len(set(ids)) < len(ids):
            renamed += 1
            ids = [f"e{number}" for number in range(1, len(ids) + 1)]
        unknown += document.tokens < 0
        expected.append({name: chain.mentions for name, chain in zip(ids, document.chains, strict=True)})
        parts += [f"# newdoc id = {document.id}\n# global.Entity = {FIELDS}\n", *_nodes(document, ids), "\n"]
    text = "".join(parts)
    problems = problems or _misread(text, documents, expected, path)
    if problems:
        raise ValidationError(problems)
    notes = []
    if renamed:
        message = f"in {renamed} document{'s' * (renamed > 1)} chains got new ids, because theirs cannot be written"
        notes.append(Problem(message, path=path))
    if unknown:
        message = f"{unknown} document{'s' * (unknown > 1)} of unknown length written up to the last mention"
        notes.append(Problem(message, path=path))
    return text, notes


def _nodes(document: CorefDocument, ids: Sequence[str]) -> Iterable[str]:
    """The lines of a document; a new sentence begins only where an empty node must come before its first word."""
    used = [position for chain in document.chains for mention in chain.mentions for position in mention]
    length = max([document.tokens, *(floor(position) + 1 for position in used)])
    empty = {*document.empty, *(position for position in used if position != floor(position))}
    nodes: list[float] = sorted([*range(length), *empty])
    brackets = _brackets(document, ids, {node: index for index, node in enumerate(nodes)})
    sentence, initial = 0, False
    for index, node in enumerate(nodes):
        word, fraction = floor(node), round((node - floor(node)) * 1000)
        if fraction < 500:
            initial = False
        elif not initial:  # the first of the empty nodes with which a sentence begins
            initial, sentence = True, word + 1
            if index:
                yield "\n"
        place = f"{word - sentence + 1}" if fraction < 500 else "0"
        number = f"{place}.{fraction % 500}" if fraction else place
        misc = f"Entity={''.join(brackets[index])}" if index in brackets else "_"
        yield number + "\t_" * 8 + f"\t{misc}\n"


def _brackets(document: CorefDocument, ids: Sequence[str], number: dict[float, int]) -> dict[int, list[str]]:
    """What opens and closes at each node: closings first, then the longest mention first."""
    closings: list[tuple[int, str]] = []
    openings: list[tuple[int, int, str]] = []
    for name, chain in zip(ids, document.chains, strict=True):
        for mention in chain.mentions:
            runs = [(number[a], number[b]) for a, b in zip(mention[::2], mention[1::2], strict=True)]
            covered = [node for first, last in runs for node in range(first, last + 1)]
            head = (document.heads or {}).get(mention)
            fields = "" if head is None else f"--{covered.index(number[head]) + 1}"
            for order, (first, last) in enumerate(runs, 1):
                part = f"{name}[{order}/{len(runs)}]" if len(runs) > 1 else name
                openings.append((first, -last, f"({part}{fields}" + ")" * (first == last)))
                if first < last:
                    closings.append((last, f"{part})"))
    brackets: dict[int, list[str]] = {}
    for node, text in closings:
        brackets.setdefault(node, []).append(text)
    for node, _, text in sorted(openings, key=lambda opening: opening[:2]):
        brackets.setdefault(node, []).append(text)
    return brackets


def _misread(
    text: str, documents: Sequence[CorefDocument], expected: Sequence[dict[str, list[Mention]]], path: str | None
) -> list[Problem]:
    """Chains that would be read back differently."""
    if not documents:
        return []
    try:
        found = read_conllu(text.encode(), name=path).documents
    except FormatError as error:
        return list(error.problems)
    problems = []
    for document, chains, back in zip(documents, expected, found, strict=True):
        read = {chain.id: chain.mentions for chain in back.chains}
        for (name, mentions), chain in zip(chains.items(), document.chains, strict=True):
            if sorted(read.get(name, [])) != sorted(mentions) or (back.heads or {}) != (document.heads or {}):
                message = f"mentions of chain {chain.id} cross, in document {document.id!r}"
                problems.append(Problem(message, path=path, line=document.line, hint="write another format"))
    return problems
