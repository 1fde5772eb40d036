"""Sentences: where they begin and end in a source document, and justifications widened to them.

The splitter is simple on purpose, so that everybody can foresee what it does:

1. A tag that is not of `INLINE` ends a sentence and is never part of one; so does a line without anything visible. A
   line break alone does not.
2. Inside such a block a sentence ends after one or more of `.` `!` `?` or `…`, together with the quotation marks and
   brackets that close directly behind, if white space follows and the next character is not a small letter. After
   `。`, `！` or `？` no white space is needed.
3. A single `.` ends nothing behind one of `ABBREVIATIONS`, behind a single letter that stands alone (`J. Smith`), or
   behind letters with dots between them (`U.S.`), unless the block ends there.
4. White space at both ends of a sentence is not part of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from adjudge.errors import Problem, ValidationError
from adjudge.model.eal import Arguments, Linking, Response, Span
from adjudge.tasks.eal.changes import Outcome, replace

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
            both = f"{one.start}-{one.end} and {other.start}-{other.end}"
            message = f"the sentences {both} of {arguments.document} overlap"
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
