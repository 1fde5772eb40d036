"""Rich ERE XML with event hoppers, and LDC event-nugget XML, in which event mentions stand alone.

    <deft_ere doc_id="a">
      <hoppers>
        <hopper id="h-1">
          <event_mention id="em-180" type="movement" subtype="transportartifact" realis="actual">
            <trigger source="a" offset="174" length="10">delivering</trigger>

An event mention is a nugget, a hopper of at least two a cluster. `em-180` is `E180`, `h-1` is `C1`; the type is
`Movement_Transport-Artifact`: capitalised, and with the hyphen that the file leaves out. A trigger that goes on in the
next line becomes a piece per line. Entities, fillers, relations, arguments and other attributes are not kept, and
counted in a note.

Such files come from outside, so nothing in them is obeyed: a file that declares entities is refused, a document type is
not fetched.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.formats.safe_xml import walk
from adjudge.formats.source import Source, read_bytes, source_name
from adjudge.formats.standoff import code_points, covered, folded, in_order, split_lines
from adjudge.model.nugget import COREFERENCE, NOT_ANNOTATED, REALIS, Nugget, NuggetDocument, Piece, Relation

DIGITS = 15  # of an offset; more are no place in any text

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
    if units == "utf-16" and text is None:
        raise UsageError(Problem("UTF-16 offsets cannot be read without the text", path=place, hint="give the text"))
    reading = _Reading(place, text, code_points(text) if units == "utf-16" and text is not None else None)
    reading.parse(read_bytes(source, place))
    found = reading.document(document, order)
    if reading.problems:
        raise FormatError(reading.problems)
    return found, reading.notes(found.id)


@dataclass
class _Mention:
    attributes: dict[str, str]
    hopper: int | None
    line: int
    column: int
    trigger: dict[str, str] | None = None
    trigger_place: tuple[int, int] = (0, 0)
    text: list[str] = field(default_factory=list)


@dataclass
class _Reading:
    """A file on its way in."""

    place: str
    text: str | None
    offsets: list[int] | None
    problems: list[Problem] = field(default_factory=list)
    mentions: list[_Mention] = field(default_factory=list)
    hoppers: list[tuple[str, int]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    attributes: set[str] = field(default_factory=set)
    mismatched: list[int] = field(default_factory=list)
    unknown: list[int] = field(default_factory=list)
    sources: dict[str, int] = field(default_factory=dict)
    shifted: bool = False
    id: str | None = None
    root: str = ""
    depth: int = 0
    hopper: int | None = None
    inside: _Mention | None = None
    collecting: bool = False

    def wrong(self, line: int | None, column: int | None, message: str, hint: str) -> None:
        self.problems.append(Problem(message, path=self.place, line=line, column=column, hint=hint))

    def parse(self, data: bytes) -> None:
        """Walk through the elements; stop at the first place that is not XML, or is a trap."""
        try:
            walk(data, self.place, start=self._start, end=self._end, characters=self._characters)
        except FormatError as error:
            self.problems += error.problems
        if self.root and not (self.problems or self.mentions or self.hoppers) and self.root != "deft_ere":
            message = f"the file has no event mentions, it is an XML file of <{self.root}>"
            self.wrong(1, 1, message, "name the annotation, not the source text")

    def _start(self, tag: str, attributes: dict[str, str], where: tuple[int, int]) -> None:
        self.depth += 1
        if self.depth == 1:
            self.root = tag
            self.id = attributes.get("doc_id") or attributes.get("docid")
        if tag == "hopper":
            self.hopper = len(self.hoppers)
            self.hoppers.append((attributes.get("id", ""), where[0]))
            if not attributes.get("id"):
                self.wrong(*where, "a hopper without an id", 'write for example id="h-1"')
        elif tag == "event_mention":
            self.inside = _Mention(attributes, self.hopper, *where)
            self.mentions.append(self.inside)
            self.attributes |= attributes.keys() - _READ
        elif tag == "trigger" and self.inside is not None:
            if self.inside.trigger is not None:
                self.wrong(*where, "an event mention with two triggers", "keep one of them")
            self.inside.trigger, self.inside.trigger_place = attributes, where
            self.collecting = True
        elif tag in _COUNTED:
            self.counts[tag] += 1

    def _end(self, tag: str) -> None:
        self.depth -= 1
        if tag == "hopper":
            self.hopper = None
        elif tag == "event_mention":
            self.inside = None
        elif tag == "trigger":
            self.collecting = False

    def _characters(self, text: str) -> None:
        if self.collecting and self.inside is not None:
            self.inside.text.append(text)

    def document(self, name: str | None, order: str) -> NuggetDocument:
        """What the elements amount to."""
        id = name or self.id
        if not id and self.root:
            self.wrong(1, 1, "nothing says which document this is", "add the attribute doc_id to the first element")
        nuggets = []
        members: dict[int, list[str]] = {}
        first: dict[str, int] = {}
        for mention in self.mentions:
            nugget = self._nugget(mention, id or "")
            if nugget is None:
                continue
            if nugget.id in first:
                message = f"the id {nugget.id!r} is there twice (line {first[nugget.id]})"
                self.wrong(mention.line, mention.column, message, "give each event mention its own")
            first.setdefault(nugget.id, mention.line)
            nuggets.append(nugget)
            if mention.hopper is not None:
                members.setdefault(mention.hopper, []).append(nugget.id)
        ordered = in_order(nuggets, order)
        place = {nugget.id: index for index, nugget in enumerate(ordered)}
        relations = [
            Relation(COREFERENCE, cluster_id(self.hoppers[hopper][0]), tuple(ids), self.hoppers[hopper][1])
            for hopper, ids in ((hopper, sorted(ids, key=place.__getitem__)) for hopper, ids in members.items())
            if len(ids) > 1
        ]
        relations.sort(key=lambda relation: place[relation.arguments[0]])
        return NuggetDocument(id or "", ordered, relations, self.text)

    def _nugget(self, mention: _Mention, document: str) -> Nugget | None:
        where = mention.line, mention.column
        given = mention.attributes
        for needed in ("id", "type"):
            if not given.get(needed):
                self.wrong(*where, f"an event mention without the attribute {needed}", "add it")
        if mention.trigger is None:
            self.wrong(*where, "an event mention without a trigger", "add the trigger with offset and length")
            return None
        source = mention.trigger.get("source")
        if source and source != document:
            self.sources.setdefault(source, mention.line)
        piece = self._piece(mention)
        if piece is None:
            return None
        realis = realis_name(given["realis"]) if given.get("realis") else NOT_ANNOTATED
        if realis not in (*REALIS, NOT_ANNOTATED):
            self.unknown.append(mention.line)
        pieces, text = self._trigger(mention, piece)
        type_ = type_name(given.get("type", ""), given.get("subtype"))
        return Nugget(nugget_id(given.get("id", "")), type_, realis, text, pieces=pieces, line=mention.line)

    def _piece(self, mention: _Mention) -> Piece | None:
        """Where the trigger is, in code points."""
        trigger = mention.trigger or {}
        numbers = []
        for needed in ("offset", "length"):
            value = trigger.get(needed, "").strip()
            if not (value.isascii() and value.isdigit() and len(value) <= DIGITS):
                message = f"the {needed} of a trigger is {value!r}" if value else f"a trigger without {needed}"
                self.wrong(*mention.trigger_place, message, "write a whole number of characters")
            else:
                numbers.append(int(value))
        if len(numbers) < 2:
            return None
        begin, end = numbers[0], numbers[0] + numbers[1]
        size = end if self.text is None else len(self.text)
        if self.offsets is not None:
            size = len(self.offsets) - 1
        if not numbers[1]:
            self.wrong(*mention.trigger_place, "a trigger of length 0", "give it at least one character")
        elif end > size:
            message = f"the trigger at {begin} ends behind the text of {size} characters"
            self.wrong(*mention.trigger_place, message, "check that the text is the one that was annotated")
        elif self.offsets is None:
            return begin, end
        elif self.offsets[begin] < 0 or self.offsets[end] < 0:
            message = f"the trigger at {begin} begins or ends inside a character"
            self.wrong(*mention.trigger_place, message, "check that the offsets are UTF-16 units")
        else:
            return self.offsets[begin], self.offsets[end]
        return None

    def _trigger(self, mention: _Mention, piece: Piece) -> tuple[tuple[Piece, ...], str]:
        """The pieces of a trigger, one per line, and their text."""
        begin, end = piece
        written = "".join(mention.text)
        line = mention.trigger_place[0]
        if self.text is not None:
            if folded(self.text[begin:end]) != folded(written):
                self.mismatched.append(line)
                self.shifted = self.shifted or self._is_shifted(piece, written)
                return split_lines([piece], self.text) or (piece,), _lines(written)
            pieces = split_lines([piece], self.text)
            return pieces or (piece,), covered(self.text, pieces)
        # A parser of XML turns every line end into one character, whatever it was in the source.
        for shown in (written, written.replace("\n", "\r\n")):
            if len(shown) == end - begin:
                pieces = tuple((begin + first, begin + last) for first, last in split_lines([(0, len(shown))], shown))
                return pieces or (piece,), _lines(shown)
        self.mismatched.append(line)
        return (piece,), _lines(written)

    def _is_shifted(self, piece: Piece, written: str) -> bool:
        """Whether the text of the trigger is where its offsets lead to in UTF-16 units."""
        offsets = code_points(self.text or "") if self.offsets is None else None
        if offsets is None or piece[1] >= len(offsets) or self.text is None:
            return False
        begin, end = offsets[piece[0]], offsets[piece[1]]
        return folded(self.text[begin:end]) == folded(written)

    def notes(self, document: str) -> list[Problem]:
        """What was not kept or looks odd, each kind once."""
        found: list[tuple[str, int | None]] = []
        if self.id and self.id != document:
            found.append((f"the file is named {document!r} but says doc_id={self.id!r}, its name is taken", None))
        for source, line in self.sources.items():
            found.append((f"triggers are in the source {source!r}, taken for those of {document!r}", line))
        lost = [_many(self.counts[tag], *names) for tag, names in _COUNTED.items() if self.counts[tag]]
        if self.attributes:
            lost.append("the attributes " + ", ".join(sorted(self.attributes)))
        if lost:
            found.append((f"not kept: {'; '.join(lost)}", None))
        if self.mismatched:
            many = _many(len(self.mismatched), "trigger", "triggers")
            found.append(
                (f"{many} whose text is not the text at that place, the offsets are taken", self.mismatched[0])
            )
        if self.shifted:
            found.append(("the offsets look like UTF-16 units: say so with --offsets utf-16", None))
        if self.unknown:
            many = _many(len(self.unknown), "realis value", "realis values")
            found.append((f"{many} that nobody knows, kept as written", self.unknown[0]))
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
