"""UIMA XMI: one document in a file, its text in a Sofa, its entities elements with `begin` and `end`.

Offsets are UTF-16 units, as Java counts them, and become characters. The document is called after its file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from adjudge.errors import FormatError, Problem
from adjudge.findings import raise_problems
from adjudge.formats.coerce.corpus import Notes
from adjudge.formats.safe_xml import Element, read_xml, whole_number
from adjudge.formats.source import Source, read_whole
from adjudge.formats.standoff import MisplacedError, Offsets, code_points
from adjudge.model.document import Corpus, Document

_LABELS = ("value", "label", "entityType", "category")
_ENTITY = "NamedEntity"


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
    named = [each for each in labelled if _local(each) == _ENTITY]
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
    """The system's document under the name of gold's, if both have one: they are called after their files.

    >>> one = Corpus(path="g", documents=(Document(id="g", data={"id": "g"}),), digest="")
    >>> pair_single(one, Corpus(path="s", documents=(Document(id="s", data={"id": "s"}),), digest="")).documents[0].id
    'g'
    """
    if len(gold.documents) != 1 or len(system.documents) != 1:
        return system
    (mine,), (theirs,) = gold.documents, system.documents
    renamed = msgspec.structs.replace(theirs, id=mine.id, data={**theirs.data, "id": mine.id})
    return msgspec.structs.replace(system, documents=(renamed,))
