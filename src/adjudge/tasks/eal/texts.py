"""Source texts: where quotations and sentences are, and how responses change accordingly."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path

from adjudge.bounded import file_bytes
from adjudge.errors import FormatError, Problem, ValidationError, did_you_mean, refusing, visible
from adjudge.formats.eal_sources import Offsets, Sources, Utf16, in_units, parse_quotes
from adjudge.model.eal import Argument, Arguments, Linking, Response, Span
from adjudge.tasks.eal.responses import Outcome, Remark, remove, replace
from adjudge.tasks.eal.settings import SPEC, Profile

_QUOTE = re.compile(r"<quote(?=[\s>])|(</quote\s*>)", re.IGNORECASE)
# What the official program knows: lower case only, followed by ">" or one blank.
_EXACT = re.compile(r"<quote[> ]|(</quote>)")


def find_quotes(text: str, *, path: str | None = None, exact: bool = False) -> tuple[tuple[Span, ...], list[Problem]]:
    """The outermost quotations of a document, and those that are never closed, which reach to its end.

    A quotation is from the first character of the opening to the last of the closing tag, whether they are written in
    small letters or in capitals; with `exact` only in small letters, as in the official program. Quotations may be
    nested. A closing tag alone means nothing.

    >>> find_quotes("Foo <quote>bar <QUOTE>baz</QUOTE></quote> blah")
    ((Span(start=4, end=40),), [])
    """
    regions: list[Span] = []
    opened: list[int] = []
    for tag in (_EXACT if exact else _QUOTE).finditer(text):
        if tag.group(1) is None:
            opened.append(tag.start())
        elif opened:
            start = opened.pop()
            if not opened:
                regions.append(Span(start, tag.end() - 1))
    if opened:
        regions.append(Span(opened[0], len(text) - 1))
    return tuple(regions), [_unclosed(text, place, path) for place in opened]


def quote_regions(text: str, *, path: str | None = None, exact: bool = False) -> tuple[Span, ...]:
    """The quotations of a document; with `exact` one that is never closed is an error, as in the official program.

    >>> quote_regions("Foo <quote>bar")
    (Span(start=4, end=13),)
    """
    regions, unclosed = find_quotes(text, path=path, exact=exact)
    if exact and unclosed:
        raise FormatError(unclosed)
    return regions


def _unclosed(text: str, place: int, path: str | None) -> Problem:
    line = text.count("\n", 0, place) + 1
    column = place - (text.rfind("\n", 0, place) + 1) + 1
    message = "the quotation that begins here is never closed and reaches to the end of the document"
    return Problem(message, path=path, line=line, column=column, hint="add </quote> where the quotation ends")


@dataclass(frozen=True, slots=True)
class Quoted:
    """The quotations of a document, found in the source documents on demand."""

    sources: Sources
    offsets: Offsets
    exact: bool = False

    def __call__(self, document: str) -> Sequence[Span]:
        """The quotations of one document."""
        text = self.sources.text(document)
        regions = quote_regions(text, path=self.sources.place(document), exact=self.exact)
        return in_units(text, regions, self.offsets)

    def unclosed(self, document: str) -> list[Problem]:
        """The quotations of one document that are never closed."""
        return find_quotes(self.sources.text(document), path=self.sources.place(document), exact=self.exact)[1]


def regions_in(folder: str | Path, profile: Profile = SPEC, *, offsets: Offsets | None = None) -> Quoted:
    """The quotations of source documents; the value can be sent to another process."""
    return Quoted(Sources(folder), offsets or profile.offsets, profile.quote_tags == "exact")


@dataclass(frozen=True, slots=True)
class Listed:
    """Where the quotations of a document are by a quote filter, which must have every document that is asked for."""

    path: str
    regions: Mapping[str, Sequence[Span]]

    def __call__(self, document: str) -> Sequence[Span]:
        """The quotations of one document."""
        if document not in self.regions:
            hint = did_you_mean(document, self.regions) or "add its id, and an empty line if it has none"
            raise ValidationError(Problem(f"the document {document!r} is not listed here", path=self.path, hint=hint))
        return self.regions[document]


def read_regions(path: str) -> Listed:
    """The quotations of a quote filter; every problem of the file is raised at once."""
    with refusing("the quote filter cannot be read", path, "check the path"):
        data = file_bytes(path)
    known, problems = parse_quotes(data, path)
    if problems:
        raise FormatError(problems)
    return Listed(path, known)


def filter_quotes(arguments: Arguments, linking: Linking | None, regions: Sequence[Span]) -> Outcome:
    """Remove responses whose base filler or CAS begins or ends in a quotation.

    A span with a whole quotation inside begins and ends outside of it: its response stays, and is remarked upon.

    >>> from adjudge.model.eal import Argument, Cas, Response
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(9, 9), (Span(0, 9),), (), "Actual")
    >>> filter_quotes(Arguments("d", [Argument(bob)]), None, [Span(9, 20)]).removed[0].reason
    'quoted-base-filler'
    """
    regions = _disjoint(regions)
    starts = [region.start for region in regions]

    def inside(place: int) -> bool:
        at = bisect_right(starts, place) - 1
        return at >= 0 and place <= regions[at].end

    def around(span: Span) -> Span | None:
        """The first quotation that lies in the span, whose ends are in none."""
        at = bisect_right(starts, span.start)
        return regions[at] if at < len(regions) and regions[at].end <= span.end else None

    gone = {}
    remarks = []
    for place, argument in enumerate(arguments.arguments):
        spans = {"base-filler": argument.response.base_filler, "cas": argument.response.cas.span}
        quoted = [name for name, span in spans.items() if inside(span.start) or inside(span.end)]
        if quoted:
            gone[place] = f"quoted-{'-and-'.join(quoted)}", None
            continue
        for name, span in spans.items():
            region = around(span)
            if region is not None:
                message = f"the {name.replace('-', ' ')} {span} encloses the quotation {region}"
                remarks.append(Remark(argument, f"encloses-quotation-{name}", message))
    return remove(arguments, linking, gone, remarks=remarks)


def _disjoint(regions: Sequence[Span]) -> list[Span]:
    """The same characters as regions that do not overlap, in order."""
    joined: list[Span] = []
    for region in sorted(regions):
        if joined and region.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, region.end))
        else:
            joined.append(region)
    return joined


INLINE = frozenset(("a", "b", "br", "em", "font", "i", "img", "span", "strong", "sub", "sup", "u"))
ABBREVIATIONS = frozenset(
    (
        *("adm", "assn", "ave", "bros", "capt", "cf", "cmdr", "co", "col", "corp", "cpl", "dept", "dr", "e.g", "est"),
        *("etc", "ext", "fig", "fr", "gen", "gov", "hon", "i.e", "inc", "jr", "lt", "ltd", "maj", "messrs", "mr"),
        *("mrs", "ms", "mt", "op", "pp", "pres", "prof", "rep", "rev", "rt", "sen", "sgt", "sr", "st", "supt", "vol"),
        *("vs", "jan", "feb", "apr", "aug", "sept", "oct", "nov", "dec"),
    )
)

_TAG = r"</?([A-Za-z][\w:.-]*+)[^<>]*+>|<[!?][^<>]*+>|\n[^\S\n]*(?:\r?\n\s*)+"
_BREAK = re.compile(_TAG)
_BREAK_OR_COMMENT = re.compile(rf"<!--.*?-->|{_TAG}", re.DOTALL)
_CLOSING = "\"'”’»)\\]}"
# Marks are taken from the first to the last or not at all, else a million dots would be looked at from each of them.
_END = re.compile(rf"</?[A-Za-z][^<>]*>|(?<![.!?…])[.!?…]++[{_CLOSING}]*+(?=\s)|[。！？]+[{_CLOSING}」』）]*")
_WORD = re.compile(r"[^\s\"'“‘«(\[{<>]+$")
_DOTTED = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")
_NEXT = re.compile(r"\S")
_LONGEST = 24  # characters before a full stop that may be an abbreviation


def sentences(text: str) -> tuple[Span, ...]:
    """The sentences of a document in order; they do not overlap.

    >>> text = "<P>Mr. Bo said: \\"No!\\" He left the U.S. early.</P>"
    >>> [text[start : end + 1] for start, end in sentences(text)]
    ['Mr. Bo said: "No!"', 'He left the U.S. early.']
    """
    found = []
    for start, end in _blocks(text):
        at = start
        for stop in _stops(text, start, end):
            found.append((at, stop))
            at = stop
        found.append((at, end))
    trimmed = (_trimmed(text, start, end) for start, end in found)
    return tuple(span for span in trimmed if span is not None)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """The stretches (end excluded) between tags and blank lines."""
    start = 0
    ended = text.rfind("-->")
    last = ended + len("-->") if ended >= 0 else 0  # behind it no comment ends, and none is looked for
    for found in chain(_BREAK_OR_COMMENT.finditer(text, 0, last), _BREAK.finditer(text, last)):
        name = found.group(1)
        if name is not None and name.lower() in INLINE:
            continue
        yield start, found.start()
        start = found.end()
    yield start, len(text)


def _stops(text: str, start: int, end: int) -> Iterator[int]:
    for found in _END.finditer(text, start, end):
        mark = found.group()
        if mark[0] == "<":  # dots in an inline tag end nothing
            continue
        if mark[0] in "。！？":
            yield found.end()
            continue
        following = _NEXT.search(text, found.end(), end)
        if following is None or following.group().islower():
            continue
        if mark == "." and _is_abbreviation(text[max(start, found.start() - _LONGEST) : found.start()]):
            continue
        yield found.end()


def _is_abbreviation(before: str) -> bool:
    word = _WORD.search(before)
    if word is None:
        return False
    return word.group().lower() in ABBREVIATIONS or _DOTTED.fullmatch(word.group()) is not None


def _trimmed(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end - 1) if start < end else None


def expand_justifications(arguments: Arguments, linking: Linking | None, boundaries: Sequence[Span]) -> Outcome:
    """Widen predicate justifications: from the start of the sentence of their start to the end of that of their end.

    An end that lies in no sentence stays where it is. Responses that have become equal are merged. `boundaries` are the
    sentences, in any order; they may not overlap.

    >>> from adjudge.model.eal import Argument, Cas
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(4, 25),), (), "Actual")
    >>> outcome = expand_justifications(Arguments("d", [Argument(bob)]), None, [Span(0, 19), Span(21, 40)])
    >>> outcome.arguments.arguments[0].response.justifications
    (Span(start=0, end=40),)
    """
    ordered = sorted(boundaries)
    for one, other in pairwise(ordered):
        if other.start <= one.end:
            message = f"the sentences {one} and {other} of {arguments.document} overlap"
            raise ValidationError(Problem(message, hint="give sentences that have no character in common"))
    starts = [sentence.start for sentence in ordered]

    def sentence(place: int) -> Span:
        at = bisect_right(starts, place) - 1
        return ordered[at] if at >= 0 and place <= ordered[at].end else Span(place, place)

    mapping: dict[Response, tuple[Response, str]] = {}
    for response in {argument.response: None for argument in arguments.arguments}:
        spans = {Span(sentence(span.start).start, sentence(span.end).end) for span in response.justifications}
        wide = tuple(sorted(spans))
        if wide != response.justifications:
            mapping[response] = response._replace(justifications=wide), "widened"
    return replace(arguments, linking, mapping)


# ---------------------------------------------------------------------------------------------------------------------
# Texts by offsets, and responses shown with them

AROUND = 10_000  # characters before and after a span in which a text is looked for

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Text:
    """A document, addressed by offsets that count code points or UTF-16 units; both ends of a span belong to it.

    >>> text = Text("a\U0001f600bc", "utf-16")
    >>> text.size, text.at(Span(3, 4)), text.cuts(Span(2, 3))
    (5, 'bc', True)
    """

    def __init__(self, text: str, offsets: Offsets = "code-points", path: str | None = None) -> None:
        self.text = text
        self.path = path
        self.offsets = offsets
        self.astral = [] if text.isascii() else [each.start() for each in _ASTRAL.finditer(text)]
        self._units = Utf16(text) if self.astral and offsets == "utf-16" else None
        self.size = len(text) + (len(self.astral) if self._units else 0)

    @property
    def has_halves(self) -> bool:
        """Whether a span can begin or end in the middle of a character."""
        return self._units is not None

    def at(self, span: Span) -> str:
        """The characters of a span; those that it cuts into halves count."""
        start, end = span if self._units is None else self._units.to_characters(span)
        return self.text[start : end + 1]

    def cuts(self, span: Span) -> bool:
        """Whether a span begins or ends in the middle of a character."""
        return self._units is not None and self._units.cuts(span)

    def span(self, start: int, end: int) -> Span:
        """The offsets of the characters from `start` to `end`, both inclusive."""
        return Span(start, end) if self._units is None else self._units.to_units(Span(start, end))

    def find(self, wanted: str, near: Span) -> Span | None:
        """Where a string expected at a span is found: the closest position, or None if it is not nearby."""
        start = near.start if self._units is None else self._units.to_characters(near).start
        first, last = max(0, start - AROUND), start + AROUND + len(wanted)
        places = [self.text.rfind(wanted, first, start + len(wanted)), self.text.find(wanted, start, last)]
        there = [place for place in places if place >= 0]
        if not there or not wanted:
            return None
        place = min(there, key=lambda each: abs(each - start))
        return self.span(place, place + len(wanted) - 1)


WIDTH = 240  # characters of a text that are shown


def dump_document(arguments: Arguments, linking: Linking | None, text: Text | None = None) -> str:
    """The responses of a document in the order of its frames, then those that are in none.

    >>> from adjudge.model.eal import Cas
    >>> at = Span(0, 2)
    >>> bob = Response("D1", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 7),), (), "Actual")
    >>> print(dump_document(Arguments("D1", [Argument(bob, 0.9, "7")]), None, Text("Bob died.")), end="")
    D1: 1 response
    <BLANKLINE>
      7  Life.Die  Victim  'Bob'  Actual  0.9
          CAS          0-2  Bob
          base filler  0-2  Bob
          because      0-7  Bob died
    <BLANKLINE>
    """
    count = len(arguments.arguments)
    title = f"{arguments.document}: {count} response{'s' * (count != 1)}"
    if linking is not None:
        title += f", {len(linking.frames)} frame{'s' * (len(linking.frames) != 1)}"
    lines = [title, "", *_frames(arguments, linking, text)]
    return "".join(f"{visible(line)}\n" for line in lines)


def _frames(arguments: Arguments, linking: Linking | None, text: Text | None) -> Iterator[str]:
    if linking is None:
        yield from _group(arguments.arguments, text, set())
        return
    shown: set[Response] = set()
    for number, frame in enumerate(linking.frames, 1):
        types = ", ".join(sorted({response.type for response in frame.responses}))
        yield f"frame {number if frame.id is None else frame.id}: {types}"
        yield from _group((each for each in arguments.arguments if each.response in frame.responses), text, shown)
    rest = [each for each in arguments.arguments if each.response not in shown]
    groups: dict[str, list[Argument]] = {"incomplete": [], "in no frame": [], "generic": []}
    for argument in rest:
        response = argument.response
        unlinked = "incomplete" if response in linking.incomplete else "in no frame"
        groups["generic" if response.realis == "Generic" else unlinked].append(argument)
    for name, group in groups.items():
        if group:
            yield f"{name}:"
            yield from _group(group, text, shown)


def _group(arguments: Iterable[Argument], text: Text | None, shown: set[Response]) -> Iterator[str]:
    for argument in arguments:
        response = argument.response
        again = response in shown
        shown.add(response)
        said = (response.type, response.role, repr(response.cas.text), response.realis, f"{argument.confidence:g}")
        yield "  " + "  ".join((argument.id, *said)) + ("  (see above)" if again else "")
        if not again:
            yield from _spans(response, text)
    yield ""


def _spans(response: Response, text: Text | None) -> Iterator[str]:
    rows: list[tuple[str, Span]] = [("CAS", response.cas.span), ("base filler", response.base_filler)]
    rows += [("because", span) for span in response.justifications]
    rows += [("and because", span) for span in response.additional]
    places = [str(span) for _, span in rows]
    width = max(map(len, places))
    for (name, span), place in zip(rows, places, strict=True):
        said = "" if text is None else _shown(text, span)
        yield f"      {name:<11}  {place:<{width}}  {said}".rstrip()


def _shown(text: Text, span: Span) -> str:
    if span.start >= text.size:
        return "(outside the document)"
    found = " ".join(text.at(span).split())
    if len(found) > WIDTH:
        found = f"{found[: WIDTH * 2 // 3]} [...] {found[-WIDTH // 3 :]}"
    return found if span.end < text.size else f"{found} (continues beyond the end of the document)"
