"""Writing Rich ERE and LDC event-nugget XML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count

from adjudge.errors import Problem, ValidationError
from adjudge.formats.ere import ere_cluster_id, ere_nugget_id, ere_realis, ere_type
from adjudge.formats.standoff import closed, covered
from adjudge.model.nugget import COREFERENCE, NOT_ANNOTATED, Nugget, NuggetDocument

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that an XML file cannot have."""


def write_ere(document: NuggetDocument, *, hoppers: bool = True, path: str | None = None) -> str:
    """The XML file of a document: Rich ERE with a hopper for each cluster and each lone nugget, or without `hoppers`.

    A trigger reaches from the first character of a nugget to its last. Everything that cannot be written is a problem;
    `path` is where the document came from, for messages.

    >>> nugget = Nugget("E7", "Life_Die", "Actual", "died", pieces=((3, 7),))
    >>> print(write_ere(NuggetDocument("a", [nugget]), hoppers=False), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <deft_ere doc_id="a">
      <event_mention id="em-7" type="life" subtype="die" realis="actual">
        <trigger source="a" offset="3" length="4">died</trigger>
      </event_mention>
    </deft_ere>
    """
    problems = list(_unwritable(document, hoppers, path))
    if problems:
        raise ValidationError(problems)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<deft_ere{_attributes(doc_id=document.id)}>"]
    if hoppers:
        lines.append("  <hoppers>")
        for id, members in _hoppers(document):
            lines.append(f"    <hopper{_attributes(id=id)}>")
            lines += [line for member in members for line in _mention(document, member, " " * 6)]
            lines.append("    </hopper>")
        lines.append("  </hoppers>")
    else:
        lines += [line for nugget in document.nuggets for line in _mention(document, nugget, "  ")]
    return "\n".join([*lines, "</deft_ere>", ""])


def _hoppers(document: NuggetDocument) -> Iterator[tuple[str, list[Nugget]]]:
    """Clusters, and nuggets that are alone, in the order of their first nuggets."""
    nuggets = {nugget.id: nugget for nugget in document.nuggets}
    place = {id: index for index, id in enumerate(nuggets)}
    cluster = {
        member: (ere_cluster_id(relation.id), sorted(relation.arguments, key=place.__getitem__))
        for relation in document.relations
        for member in relation.arguments
    }
    taken = {id for id, _ in cluster.values()}
    free = (id for id in map("h-{}".format, count(1)) if id not in taken)
    for id, nugget in nuggets.items():
        hopper, members = cluster.get(id) or (next(free), [id])
        if members[0] == id:
            yield hopper, [nuggets[member] for member in members] if len(members) > 1 else [nugget]


def _mention(document: NuggetDocument, nugget: Nugget, indent: str) -> list[str]:
    type_, subtype = ere_type(nugget.type)
    given = {"id": ere_nugget_id(nugget.id), "type": type_}
    if subtype is not None:
        given["subtype"] = subtype
    if nugget.realis != NOT_ANNOTATED:
        given["realis"] = ere_realis(nugget.realis)
    begin, end = extent(nugget)
    where = _attributes(source=document.id, offset=str(begin), length=str(end - begin))
    text = _escaped(trigger_text(document, nugget))
    return [
        f"{indent}<event_mention{_attributes(**given)}>",
        f"{indent}  <trigger{where}>{text}</trigger>",
        f"{indent}</event_mention>",
    ]


def extent(nugget: Nugget) -> tuple[int, int]:
    """From the first character of a nugget to the one behind its last."""
    return min(begin for begin, _ in nugget.pieces), max(end for _, end in nugget.pieces)


def trigger_text(document: NuggetDocument, nugget: Nugget) -> str:
    """What the trigger is written as: the text at that place, if it is known and is what the nugget says."""
    if document.text is None:
        return nugget.text
    begin, end = extent(nugget)
    said = covered(document.text, nugget.pieces).split() == nugget.text.split()
    return allowed(document.text[begin:end]) if said else nugget.text


def allowed(text: str) -> str:
    """The text without characters that XML cannot have: a blank or a replacement character stands for each."""
    return FORBIDDEN.sub(lambda found: " " if found[0].isspace() else "\ufffd", text)


def _attributes(**given: str) -> str:
    return "".join(f' {name}="{_escaped(value, quoted=True)}"' for name, value in given.items())


def _escaped(text: str, *, quoted: bool = False) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
    # In attributes a line break would be read as a blank.
    return text.replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;") if quoted else text


def _unwritable(document: NuggetDocument, hoppers: bool, path: str | None) -> Iterable[Problem]:
    """Why a document cannot be written."""

    def problem(message: str, line: int, hint: str) -> Problem:
        return Problem(f"{message}, in document {document.id!r}", path=path, line=line or None, hint=hint)

    strings = [("document id", document.id, document.line)]
    seen: set[str] = set()
    for nugget in document.nuggets:
        if not nugget.id or nugget.id in seen or nugget.id.startswith("em-"):
            hint = "ids are E1, E2 and so on, each once"
            yield problem(f"the id {nugget.id!r} is empty, there twice, or would change", nugget.line, hint)
        seen.add(nugget.id)
        if not nugget.type:
            yield problem(f"{nugget.id!r} has no type", nugget.line, "give it one")
        if not nugget.pieces or any(end <= begin or begin < 0 for begin, end in nugget.pieces):
            yield problem(f"{nugget.id!r} has no characters", nugget.line, "find them with a token table")
        strings += [
            ("id", nugget.id, nugget.line),
            ("type", nugget.type, nugget.line),
            ("realis", nugget.realis, nugget.line),
            ("text", nugget.text, nugget.line),
        ]
    for relation in document.relations:
        strings.append(("id", relation.id, relation.line))
        if relation.name != COREFERENCE or not hoppers:
            yield problem(f"there is no room for the relation {relation.name!r}", relation.line, "leave it out")
        elif not set(relation.arguments) <= seen or len(set(relation.arguments)) < 2 or not relation.id:
            message = f"the cluster {relation.id!r} has no id, unknown nuggets, or less than two"
            yield problem(message, relation.line, "leave it out")
    ids = [nugget.id for nugget in document.nuggets]
    clusters = document.clusters()
    if len(closed(clusters, ids)) < len(clusters) or len({relation.id for relation in document.relations}) < len(
        clusters
    ):
        yield problem("two clusters overlap or have the same id", document.line, "merge them")
    for what, value, line in strings:
        if FORBIDDEN.search(value):
            yield problem(f"the {what} {value!r} has characters that XML cannot have", line, "leave them out")
