"""Rich ERE XML with event hoppers, and LDC event-nugget XML, in which event mentions stand alone.

    <deft_ere doc_id="a">
      <hoppers>
        <hopper id="h-1">
          <event_mention id="em-180" type="movement" subtype="transportartifact" realis="actual">
            <trigger source="a" offset="174" length="10">delivering</trigger>

An event mention is a nugget, a hopper of at least two a cluster. `em-180` is `E180`, `h-1` is `C1`; the type is
`Movement_Transport-Artifact`: capitalised, and with the hyphen that the file leaves out. A trigger that spans lines
becomes a piece per line. Entities, fillers, relations, arguments and other attributes are dropped, and counted in a
note.

Such files are not trusted: one that declares entities is refused, and document types are not fetched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count

from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.formats.safe_xml import Element, read_xml, whole_number
from adjudge.formats.source import Source, read_bytes, source_name
from adjudge.formats.standoff import (
    MisplacedError,
    Offsets,
    covered,
    folded,
    in_order,
    split_lines,
)
from adjudge.model.graph import closed
from adjudge.model.nugget import COREFERENCE, NOT_ANNOTATED, REALIS, Nugget, NuggetDocument, Piece, Relation

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that an XML file cannot have."""

_COUNTED = {
    "entity": ("entity", "entities"),
    "filler": ("filler", "fillers"),
    "relation": ("relation", "relations"),
    "em_arg": ("argument", "arguments"),
}
_READ = frozenset(("id", "type", "subtype", "realis"))


def read_ere(
    source: Source,
    *,
    document: str | None = None,
    text: str | None = None,
    name: str | None = None,
    order: str = "id",
    units: str = "code-points",
) -> tuple[NuggetDocument, list[Problem]]:
    r"""The event mentions of a file as nuggets, and what could not be kept; `text` is the source that was annotated.

    Without `document`, the file's own `doc_id` is the id. Nuggets are in the natural order of their ids, or as in the
    file. With `units="utf-16"` offsets are counted in UTF-16 units, for which the text is needed.

    >>> mention = '<event_mention id="em-7" type="life" subtype="die" realis="actual">'
    >>> trigger = '<trigger source="a" offset="3" length="4">died</trigger>'
    >>> xml = f'<deft_ere doc_id="a"><hopper id="h-1">{mention}{trigger}</event_mention></hopper></deft_ere>'
    >>> read_ere(xml.encode())[0].nuggets
    [Nugget(id='E7', type='Life_Die', realis='Actual', text='died', tokens=(), pieces=((3, 7),), ..., line=1)]
    """
    place = name or source_name(source)
    reading = _Reading(place, Offsets(text, units, place))
    reading.collect(read_xml(read_bytes(source, place), place))
    found = reading.document(document, order)
    if reading.problems:
        raise FormatError(reading.problems)
    return found, reading.notes(found.id)


class _Reading:
    """The content of a file, and its problems."""

    def __init__(self, place: str, offsets: Offsets) -> None:
        self.place = place
        self.text = offsets.text
        self.offsets = offsets
        self.problems: list[Problem] = []
        self.mentions: list[tuple[Element, int | None]] = []  # with the number of the hopper
        self.hoppers: list[Element] = []
        self.counts: Counter[str] = Counter()
        self.mismatched: list[int] = []
        self.unknown: list[int] = []
        self.sources: dict[str, int] = {}
        self.shifted = False
        self.id = ""

    def wrong(self, element: Element, message: str, hint: str) -> None:
        self.problems.append(Problem(message, self.place, element.line, element.column, hint))

    def collect(self, root: Element) -> None:
        """Collect event mentions and hoppers, wherever they are."""
        self.id = root.get("doc_id") or root.get("docid")
        self._collect(root, None)
        if not (self.problems or self.mentions or self.hoppers) and root.tag != "deft_ere":
            message = f"the file has no event mentions, it is an XML file of <{root.tag}>"
            self.wrong(root, message, "name the annotation, not the source text")

    def _collect(self, element: Element, hopper: int | None) -> None:
        for child in element.children:
            inside = hopper
            if child.tag == "hopper":
                inside = len(self.hoppers)
                self.hoppers.append(child)
                if not child.get("id"):
                    self.wrong(child, "a hopper without an id", 'write for example id="h-1"')
            elif child.tag == "event_mention":
                self.mentions.append((child, hopper))
            elif child.tag in _COUNTED:
                self.counts[child.tag] += 1
            self._collect(child, inside)

    def document(self, name: str | None, order: str) -> NuggetDocument:
        """The document made of all elements."""
        id = name or self.id
        if not id:
            hint = "add the attribute doc_id to the first element"
            self.problems.append(Problem("the document is not named", self.place, 1, 1, hint))
        nuggets = []
        members: dict[int, list[str]] = {}
        first: dict[str, int] = {}
        for mention, hopper in self.mentions:
            nugget = self._nugget(mention, id)
            if nugget is None:
                continue
            if nugget.id in first:
                message = f"the id {nugget.id!r} occurs twice (line {first[nugget.id]})"
                self.wrong(mention, message, "give each event mention its own")
            first.setdefault(nugget.id, mention.line)
            nuggets.append(nugget)
            if hopper is not None:
                members.setdefault(hopper, []).append(nugget.id)
        ordered = in_order(nuggets, order)
        place = {nugget.id: index for index, nugget in enumerate(ordered)}
        relations = [
            Relation(COREFERENCE, cluster_id(hopper.get("id")), tuple(sorted(ids, key=place.__getitem__)), hopper.line)
            for hopper, ids in ((self.hoppers[number], ids) for number, ids in members.items())
            if len(ids) > 1
        ]
        relations.sort(key=lambda relation: place[relation.arguments[0]])
        return NuggetDocument(id, ordered, relations, self.text)

    def _nugget(self, mention: Element, document: str) -> Nugget | None:
        for needed in ("id", "type"):
            if not mention.get(needed):
                self.wrong(mention, f"an event mention without the attribute {needed}", "add it")
        triggers = list(mention.all("trigger"))
        for trigger in triggers[1:]:
            self.wrong(trigger, "an event mention with two triggers", "keep one of them")
        if not triggers:
            self.wrong(mention, "an event mention without a trigger", "add the trigger with offset and length")
            return None
        trigger = triggers[-1]
        source = trigger.get("source")
        if source and source != document:
            self.sources.setdefault(source, mention.line)
        piece = self._piece(trigger)
        if piece is None:
            return None
        realis = realis_name(mention.get("realis")) or NOT_ANNOTATED
        if realis not in (*REALIS, NOT_ANNOTATED):
            self.unknown.append(mention.line)
        pieces, text = self._trigger(trigger, piece)
        type_ = type_name(mention.get("type"), mention.attributes.get("subtype"))
        return Nugget(nugget_id(mention.get("id")), type_, realis, text, pieces=pieces, line=mention.line)

    def _piece(self, trigger: Element) -> Piece | None:
        """Where the trigger is, in code points."""
        numbers = []
        for needed in ("offset", "length"):
            number = whole_number(trigger.get(needed))
            if number is None:
                given = f"the {needed} of a trigger is {trigger.get(needed)!r}"
                message = given if trigger.get(needed) else f"a trigger without {needed}"
                self.wrong(trigger, message, "write a whole number of characters")
            else:
                numbers.append(number)
        if len(numbers) < 2:
            return None
        begin, end = numbers[0], sum(numbers)
        if begin == end:
            self.wrong(trigger, "a trigger of length 0", "give it at least one character")
            return None
        try:
            return self.offsets.piece(begin, end, f"the trigger at {begin}")
        except MisplacedError as error:
            self.wrong(trigger, *error.args)
            return None

    def _trigger(self, trigger: Element, piece: Piece) -> tuple[tuple[Piece, ...], str]:
        """The pieces of a trigger, one per line, and their text."""
        begin, end = piece
        written = trigger.text
        if self.text is not None:
            if folded(self.text[begin:end]) != folded(written):
                self.mismatched.append(trigger.line)
                self.shifted = self.shifted or self.offsets.seem_utf16([piece], written)
                return split_lines([piece], self.text) or (piece,), _lines(written)
            pieces = split_lines([piece], self.text)
            return pieces or (piece,), covered(self.text, pieces)
        # XML parsers turn every line end into one character, whatever it was in the source.
        for shown in (written, written.replace("\n", "\r\n")):
            if len(shown) == end - begin:
                pieces = tuple((begin + first, begin + last) for first, last in split_lines([(0, len(shown))], shown))
                return pieces or (piece,), _lines(shown)
        self.mismatched.append(trigger.line)
        return (piece,), _lines(written)

    def notes(self, document: str) -> list[Problem]:
        """What was dropped or looks odd, each kind once."""
        found: list[tuple[str, int | None]] = []
        if self.id and self.id != document:
            found.append((f"the file is named {document!r} but says doc_id={self.id!r}, its name is taken", None))
        for source, line in self.sources.items():
            found.append((f"triggers are in the source {source!r}, taken for those of {document!r}", line))
        lost = [_many(self.counts[tag], *names) for tag, names in _COUNTED.items() if self.counts[tag]]
        attributes = {name for mention, _ in self.mentions for name in mention.attributes.keys() - _READ}
        if attributes:
            lost.append("the attributes " + ", ".join(sorted(attributes)))
        if lost:
            found.append((f"not kept: {'; '.join(lost)}", None))
        if self.mismatched:
            many = _many(len(self.mismatched), "trigger", "triggers")
            found.append(
                (f"{many} whose text differs from that at the offsets, the offsets are used", self.mismatched[0])
            )
        if self.shifted:
            found.append(("the offsets look like UTF-16 units: give --offsets utf-16", None))
        if self.unknown:
            many = _many(len(self.unknown), "realis value", "realis values")
            found.append((f"{many} that are unknown, kept as written", self.unknown[0]))
        return [Problem(message, path=self.place, line=line) for message, line in found]


def _many(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _lines(text: str) -> str:
    return covered(text, split_lines([(0, len(text))], text))


SUBTYPES = {
    name.replace("-", "").lower(): name
    for name in (
        "Arrest-Jail",
        "Charge-Indict",
        "Declare-Bankruptcy",
        "End-Org",
        "End-Position",
        "Merge-Org",
        "Release-Parole",
        "Start-Org",
        "Start-Position",
        "Transfer-Money",
        "Transfer-Ownership",
        "Transport-Artifact",
        "Transport-Person",
        "Trial-Hearing",
    )
}
"""The subtypes that lose their hyphen in Rich ERE."""


def nugget_id(id: str) -> str:
    """The id of a nugget: em-180 is E180, any other stays.

    >>> nugget_id("em-180"), nugget_id("m7")
    ('E180', 'm7')
    """
    return f"E{id[3:]}" if id.startswith("em-") else id


def ere_nugget_id(id: str) -> str:
    """The id of an event mention: E180 is em-180."""
    return f"em-{id[1:]}" if id.startswith("E") else id


def cluster_id(id: str) -> str:
    """The id of a cluster: the hopper h-201 is C201."""
    return f"C{id[2:]}" if id.startswith("h-") else id


def ere_cluster_id(id: str) -> str:
    """The id of a hopper: C201 is h-201."""
    return f"h-{id[1:]}" if id.startswith("C") else id


def type_name(type: str, subtype: str | None) -> str:
    """The type of a nugget; a subtype that is all in lower case gets its hyphen back.

    >>> type_name("justice", "arrestjail"), type_name("justice", "arrestJail"), type_name("life", None)
    ('Justice_Arrest-Jail', 'Justice_ArrestJail', 'Life')
    """
    if subtype is None:
        return _capitalised(type)
    return f"{_capitalised(type)}_{SUBTYPES.get(subtype) or _capitalised(subtype)}"


def ere_type(name: str) -> tuple[str, str | None]:
    """Type and subtype as Rich ERE writes them, or as close to it as can be read back.

    >>> ere_type("Justice_Arrest-Jail"), ere_type("Justice_ArrestJail"), ere_type("Life")
    (('justice', 'arrestjail'), ('justice', 'arrestJail'), ('life', None))
    """
    type, underscore, subtype = name.partition("_")
    if not underscore:
        return _lowered(type), None
    bare = subtype.replace("-", "").lower()
    if SUBTYPES.get(bare) == subtype:
        return _lowered(type), bare
    small = _lowered(subtype)
    return _lowered(type), subtype if small in SUBTYPES else small


def realis_name(value: str) -> str:
    """A realis value as nuggets have it.

    >>> realis_name("actual")
    'Actual'
    """
    return _capitalised(value)


def ere_realis(value: str) -> str:
    """A realis value as Rich ERE has it."""
    return _lowered(value)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lowered(text: str) -> str:
    """The text with a small first letter, if it is read back as it was."""
    small = text[:1].lower() + text[1:]
    return small if _capitalised(small) == text else text


# ---------------------------------------------------------------------------------------------------------------------
# Writing


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
    """From the first character of a nugget to the one after its last."""
    return min(begin for begin, _ in nugget.pieces), max(end for _, end in nugget.pieces)


def trigger_text(document: NuggetDocument, nugget: Nugget) -> str:
    """The written text of the trigger: the text at its place, if that is known and agrees with the nugget."""
    if document.text is None:
        return nugget.text
    begin, end = extent(nugget)
    said = covered(document.text, nugget.pieces).split() == nugget.text.split()
    return allowed(document.text[begin:end]) if said else nugget.text


def allowed(text: str) -> str:
    """The text with a blank or replacement character for each character that XML does not allow."""
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
            yield problem(f"the id {nugget.id!r} is empty, occurs twice, or would change", nugget.line, hint)
        seen.add(nugget.id)
        if not nugget.type:
            yield problem(f"{nugget.id!r} has no type", nugget.line, "give it one")
        if not nugget.pieces or any(end <= begin or begin < 0 for begin, end in nugget.pieces):
            yield problem(f"{nugget.id!r} has no characters", nugget.line, "look them up with a token table")
        strings += [
            ("id", nugget.id, nugget.line),
            ("type", nugget.type, nugget.line),
            ("realis", nugget.realis, nugget.line),
            ("text", nugget.text, nugget.line),
        ]
    for relation in document.relations:
        strings.append(("id", relation.id, relation.line))
        if relation.name != COREFERENCE or not hoppers:
            yield problem(f"this format cannot hold the relation {relation.name!r}", relation.line, "leave it out")
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
