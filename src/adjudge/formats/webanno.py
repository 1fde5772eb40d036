r"""WebAnno TSV 3: one document per file, a token per line, spans in columns that the header names.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=webanno.custom.NE|value

    #Text=Ada Lovelace met Bo
    1-1	0-3	Ada	PER[1]
    1-2	4-12	Lovelace	PER[1]
    1-3	13-16	met	_
    1-4	17-19	Bo	PER

`[1]` joins the tokens of one span, `|` separates several spans of a token, `*` is a span without a value. The layer is
that of named entities, or the only one, and its feature is `value`, or the first one. Offsets count characters, or
UTF-16 units if the texts prove it. The document is named after its file.

UIMA XMI, another export of the same tools, has one document per file, its text in a Sofa, its entities in elements with
`begin` and `end`. These count UTF-16 units, as Java does, and become characters. The document is named after its file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import FormatError, Problem
from adjudge.findings import raise_problems
from adjudge.formats.coerce.corpus import Notes
from adjudge.formats.safe_xml import Element, read_xml, whole_number
from adjudge.formats.source import Source, read_text, read_whole
from adjudge.formats.standoff import MisplacedError, Offsets, code_points
from adjudge.model.document import Corpus, Document

MARK = "#FORMAT=WebAnno"
_TOKEN = re.compile(r"\d+-\d+(\.\d+)?")
_PLACE = re.compile(r"(\d{1,18})-(\d{1,18})")
_VALUE = re.compile(r"(.*?)(?:\[(\d+)\])?", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)")
_ENTITY = re.compile(r"NamedEntity$|(?:^|\.)(?:NE|NER|Entity|Entities)$", re.IGNORECASE)
_LONGEST = 10_000_000  # characters in a document; larger offsets would make endless blanks


class _Layer(NamedTuple):
    """A layer of spans: its name, the column of its value, counted from 0 after the token, and its features."""

    name: str
    column: int
    features: tuple[str, ...]


class _Span(NamedTuple):
    start: int
    end: int
    label: str


def read_webanno(source: Source, *, name: str | None = None, field: str | None = None) -> Corpus:
    r"""The document of a file; `field` names the layer of spans if there are several.

    >>> start = b"#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.NE|value\n\n#Text=Ada met\n"
    >>> read_webanno(start + b"1-1\t0-3\tAda\tPER\n1-2\t4-7\tmet\t_\n", name="a.tsv").documents[0].data["entities"]
    [{'span': {'start': 0, 'end': 3}, 'type': 'PER'}]
    """
    whole, text = read_text(source, name=name)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if not lines[0].startswith(MARK):
        hint = "the first line of WebAnno TSV is #FORMAT=WebAnno TSV 3.3"
        raise FormatError(Problem("this is not WebAnno TSV", path=whole.place, line=1, hint=hint))
    layer = _chosen(lines, whole.place, field)
    problems: list[Problem] = []
    words = _Text()
    spans: list[_Span] = []
    open_spans: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, 1):
        if line.startswith("#Text="):
            words.begin(_unescaped(line.removeprefix("#Text=")))
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        place = _PLACE.fullmatch(cells[1]) if len(cells) > 2 and _TOKEN.fullmatch(cells[0]) else None
        if place is None or int(place[2]) <= int(place[1]) or int(place[2]) > _LONGEST:
            hint = "write sentence-token, start-end, the token and its values separated by TABs"
            problems.append(Problem("no line of a token", path=whole.place, line=number, hint=hint))
            continue
        start, end = int(place[1]), int(place[2])
        words.place(start, end)
        value = cells[3 + layer.column] if layer is not None and len(cells) > 3 + layer.column else "_"
        for each in re.split(r"(?<!\\)\|", value):
            label, key = _labelled(each)
            if label is None:
                continue
            known = open_spans.get((label, key)) if key else None
            if known is not None:
                spans[known] = spans[known]._replace(end=max(end, spans[known].end))
                continue
            if key:
                open_spans[label, key] = len(spans)
            spans.append(_Span(start, end, label))
    raise_problems(problems, whole.place)
    return _corpus(whole.place, whole.digest, words, spans)


def _corpus(place: str, digest: str, words: _Text, spans: list[_Span]) -> Corpus:
    notes = Notes()
    notes.add("one-document", f"{place} was read as one document")
    text, points = words.whole()
    if points is not None:
        notes.add("utf16-offsets", "offsets are UTF-16 units and became characters")
        spans = [_Span(points[each.start], points[each.end], each.label) for each in spans]
    entities = [{"span": {"start": each.start, "end": each.end}, "type": each.label} for each in spans]
    identifier = Path(place).stem
    data = {"id": identifier, "entities": entities, **({"text": text} if text else {})}
    return Corpus(
        path=place, documents=(Document(id=identifier, data=data, line=1),), digest=digest, notes=notes.made()
    )


class _Text:
    """The text of a document, from its sentences, each at the offset of its first token."""

    def __init__(self) -> None:
        self.sentences: list[tuple[int, str]] = []
        self.ends: list[int] = []  # the end of the last token of each sentence
        self._waiting: str | None = None

    def begin(self, text: str) -> None:
        self._waiting = text

    def place(self, start: int, end: int) -> None:
        if self._waiting is not None:
            self.sentences.append((start, self._waiting))
            self.ends.append(end)
            self._waiting = None
        elif self.ends:
            self.ends[-1] = max(self.ends[-1], end)

    def whole(self) -> tuple[str, list[int] | None]:
        """The text, and the position of every UTF-16 unit in it if tokens count these."""
        units = any(
            len(text) < end - start <= len(text.encode("utf-16-le", "surrogatepass")) // 2
            for (start, text), end in zip(self.sentences, self.ends, strict=True)
        )
        made: list[str] = []
        size = 0
        for start, text in self.sentences:
            if start > size:
                made.append(" " * (start - size))
                size = start
            made.append(text)
            size += len(text.encode("utf-16-le", "surrogatepass")) // 2 if units else len(text)
        found = "".join(made)
        return found, code_points(found) if units else None


def _chosen(lines: list[str], place: str, field: str | None) -> _Layer | None:
    """The layer of entities; None if the file has no layer of spans."""
    layers: list[_Layer] = []
    column = 0
    for line in lines:
        kind, equals, rest = line.partition("=")
        if not equals or kind not in ("#T_SP", "#T_RL", "#T_CH"):
            continue
        name, *features = rest.split("|")
        if kind == "#T_SP":
            at = features.index("value") if "value" in features else 0
            layers.append(_Layer(name, column + at, tuple(features)))
        column += max(len(features), 1)
    named = [each for each in layers if (each.name == field if field else _ENTITY.search(each.name))]
    if field and not named:
        hint = f"its layers are {', '.join(each.name for each in layers) or 'none'}"
        raise FormatError(Problem(f"there is no layer {field!r}", path=place, line=1, hint=hint))
    if not named and len(layers) > 1:
        hint = f'name one of them with field="{layers[0].name}"'
        names = ", ".join(each.name for each in layers)
        raise FormatError(Problem(f"there are several layers of spans: {names}", path=place, line=1, hint=hint))
    return next(iter(named or layers), None)


def _labelled(value: str) -> tuple[str | None, str]:
    """The label of a span and the number that joins its tokens; no label if there is no span."""
    if value in ("_", ""):
        return None, ""
    found = _VALUE.fullmatch(value)
    label, key = (found[1], found[2] or "") if found else (value, "")
    return ("" if label == "*" else _unescaped(label)), key


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: {"n": "\n", "t": "\t", "r": "\r"}.get(found[1], found[1]), text)


_LABELS = ("value", "label", "entityType", "category")
_NAMED_ENTITY = "NamedEntity"


def read_xmi(source: Source, *, name: str | None = None) -> Corpus:
    """The document of a file.

    >>> data = b'<x:XMI xmlns:x="u"><Sofa sofaString="Ada"/><NamedEntity begin="0" end="3" value="PER"/></x:XMI>'
    >>> read_xmi(data, name="a.xmi").documents[0].data["entities"]
    [{'span': {'start': 0, 'end': 3}, 'type': 'PER'}]
    """
    whole = read_whole(source, name=name)
    root = read_xml(whole.data, whole.place)
    if _local(root) != "XMI":
        raise FormatError(Problem(f"the root is {root.tag!r}", whole.place, root.line, root.column, "give an XMI file"))
    sofas = {each.get("xmi:id"): each for each in root.children if _local(each) == "Sofa"}
    texts = [each.attributes["sofaString"] for each in sofas.values() if "sofaString" in each.attributes]
    text = texts[0] if texts else None
    notes, problems = Notes(), []
    notes.add("one-document", f"{whole.place} was read as one document")
    if text is not None and code_points(text) is not None:
        notes.add("utf16-offsets", "offsets are UTF-16 units and became characters")
    offsets = Offsets(text, "utf-16" if text is not None else "code-points", whole.place)
    labelled = [each for each in root.children if "begin" in each.attributes and "end" in each.attributes]
    named = [each for each in labelled if _local(each) == _NAMED_ENTITY]
    entities: list[dict[str, Any]] = []
    for each in named or [each for each in labelled if any(key in each.attributes for key in _LABELS)]:
        begin, end = whole_number(each.get("begin")), whole_number(each.get("end"))
        kind = next((each.get(key) for key in _LABELS if each.get(key)), "")
        try:
            if begin is None or end is None or end <= begin:
                raise MisplacedError("the annotation has no position", "write begin and end as numbers")
            start, stop = offsets.piece(begin, end, "the annotation")
        except MisplacedError as error:
            problems.append(Problem(error.args[0], whole.place, each.line, each.column, error.args[1]))
            continue
        entities.append({"span": {"start": start, "end": stop}, "type": kind})
    raise_problems(problems, whole.place)
    identifier = Path(whole.place).stem
    data = {"id": identifier, "entities": entities, **({} if text is None else {"text": text})}
    document = Document(id=identifier, data=data, line=1)
    return Corpus(path=whole.place, documents=(document,), digest=whole.digest, notes=notes.made())


def _local(element: Element) -> str:
    return element.tag.rpartition(":")[2]


def pair_single(gold: Corpus, system: Corpus) -> Corpus:
    """The system's document under the id of gold's if both have only one, as ids come from file names.

    >>> one = Corpus(path="g", documents=(Document(id="g", data={"id": "g"}),), digest="")
    >>> pair_single(one, Corpus(path="s", documents=(Document(id="s", data={"id": "s"}),), digest="")).documents[0].id
    'g'
    """
    if len(gold.documents) != 1 or len(system.documents) != 1:
        return system
    (mine,), (theirs,) = gold.documents, system.documents
    renamed = msgspec.structs.replace(theirs, id=mine.id, data={**theirs.data, "id": mine.id})
    return msgspec.structs.replace(system, documents=(renamed,))
