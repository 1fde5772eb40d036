"""Tags of tokens (B-PER, I-PER, O) and the chunks that they stand for.

Lenient decoding takes every run of tags of one type as a chunk, wherever it begins (`O I-PER` begins one, as in IOB1);
strict decoding takes the chunks that the rules of a scheme allow, and leaves out the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

Chunk: TypeAlias = tuple[str, int, int]
"""Type, first token, and the token after the last."""

OUTSIDE = "O"
PREFIXES = "BIOESUL"


def split_tag(tag: str) -> tuple[str, str] | None:
    """Prefix and type of a tag; None if it is not a tag. The type of a tag without one is `_`.

    >>> split_tag("B-PER"), split_tag("O"), split_tag("I"), split_tag("PER")
    (('B', 'PER'), ('O', ''), ('I', '_'), None)
    """
    prefix, _, kind = tag.partition("-")
    if prefix == OUTSIDE:
        return (OUTSIDE, "")
    return (prefix, kind or "_") if len(prefix) == 1 and prefix in PREFIXES else None


class Step(NamedTuple):
    """The step from one tag to the next: the previous chunk ends, a chunk starts."""

    ends: bool
    starts: bool
    before: str  # the type of the tag before


class Steps(dict[tuple[str, str], Step]):
    """A cache of the steps between tags, computed by a rule."""

    def __init__(self, rule: Callable[[str, str], Step]) -> None:
        super().__init__()
        self.rule = rule

    def __missing__(self, tags: tuple[str, str]) -> Step:
        step = self[tags] = self.rule(*tags)
        return step


_SINGLE = frozenset("SU")
_LAST = frozenset("EL")
_WITHIN = frozenset("IEL")


def lenient(before: str, tag: str) -> Step:
    """Chunks as in conlleval, and also single (S, U) and last (E, L) tags.

    >>> lenient("O", "I-PER"), lenient("I-PER", "I-LOC").ends
    (Step(ends=False, starts=True, before=''), True)
    """
    (left, kind), (right, other) = split_tag(before) or ("O", ""), split_tag(tag) or ("O", "")
    inside = left != OUTSIDE
    done = left in _SINGLE or left in _LAST or kind != other
    starts = right in "BSU" or (right in _WITHIN and (not inside or done))
    return Step(inside and (done or starts or right == OUTSIDE), starts, kind)


def decode_tags(tags: Sequence[str], steps: Steps) -> list[Chunk]:
    """The chunks of a sentence.

    >>> decode_tags(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"], Steps(lenient))
    [('PER', 0, 2), ('LOC', 3, 4), ('LOC', 4, 5)]
    """
    chunks: list[Chunk] = []
    if tags.count(OUTSIDE) == len(tags):
        return chunks
    before, start = OUTSIDE, 0
    for place, tag in enumerate(tags):
        if tag == before == OUTSIDE:
            continue
        ends, starts, kind = steps[before, tag]
        if ends:
            chunks.append((kind, start, place))
        if starts:
            start = place
        before = tag
    if before != OUTSIDE:
        ends, _, kind = steps[before, OUTSIDE]
        if ends:
            chunks.append((kind, start, len(tags)))
    return chunks


class Scheme(NamedTuple):
    """Which pairs of neighbouring tags start, continue and end a chunk.

    A pair is two prefixes (`.` is any) and a sign: `=` the same type, `!` another one, `*` either.
    """

    prefixes: str
    start: str
    inside: str
    end: str


SCHEMES = {
    "IOB1": Scheme("IOB", "OI* II! BI* IB= BB=", "BI= II=", "II! IO* IB* BO* BI! BB="),
    "IOB2": Scheme("IOB", ".B*", "BI= II=", "IO* II! IB* BO* BI! BB*"),
    "IOE1": Scheme("IOE", "OI* II! EI* EE=", "II= IE=", "II! IO* IE! EI= EE="),
    "IOE2": Scheme("IOE", "OI* OE* EI* EE* II! IE!", "IE= II=", "E.*"),
    "IOBES": Scheme("IOBES", ".B* .S*", "BI= BE= II= IE=", "S.* E.*"),
    "BILOU": Scheme("BILOU", ".B* .U*", "BI= BL= II= IL=", "U.* L.*"),
}

Parse: TypeAlias = Callable[[str], "tuple[str, str] | None"]


class Turn(NamedTuple):
    """The rules of a strict scheme for two neighbouring tags."""

    start: bool
    inside: bool
    end: bool


class Turns(dict[tuple[str, str], Turn]):
    """A cache of the rules of a scheme for each pair of tags."""

    def __init__(self, scheme: Scheme, parse: Parse = split_tag) -> None:
        super().__init__()
        self.scheme = scheme
        self.parse = parse
        self.rules = [frozenset(rules.split()) for rules in scheme[1:]]

    def __missing__(self, tags: tuple[str, str]) -> Turn:
        (left, kind), (right, other) = (self.parse(tag) or (OUTSIDE, "") for tag in tags)
        pairs = [
            a + b + sign for a in (left, ".") for b in (right, ".") for sign in ("*", "=" if kind == other else "!")
        ]
        turn = self[tags] = Turn(*(any(pair in rules for pair in pairs) for rules in self.rules))
        return turn

    def kind(self, tag: str) -> str:
        """The type of a tag."""
        return (self.parse(tag) or (OUTSIDE, ""))[1]


def decode_strict(tags: Sequence[str], turns: Turns) -> list[Chunk]:
    """The chunks of a sentence that a scheme allows.

    >>> decode_strict(["I-PER", "O", "B-LOC", "I-LOC"], Turns(SCHEMES["IOB2"]))
    [('LOC', 2, 4)]
    """
    chunks: list[Chunk] = []
    padded, size = [*tags, OUTSIDE], len(tags)
    place, before = 0, OUTSIDE
    while place < size:
        tag = padded[place]
        if tag == before == OUTSIDE:
            place += 1
            continue
        if turns[before, tag].start:
            end = place + 1
            while turns[padded[end - 1], padded[end]].inside:
                end += 1
            if turns[padded[end - 1], padded[end]].end:
                chunks.append((turns.kind(tag), place, end))
            place = end
        else:
            place += 1
        before = padded[place - 1]
    return chunks


def outside_of(chunks: Iterable[Chunk], tags: Sequence[str]) -> list[int]:
    """The tokens that are in no chunk although their tags are not O.

    >>> outside_of([("LOC", 2, 3)], ["I-PER", "O", "B-LOC"])
    [0]
    """
    inside = {place for _, start, end in chunks for place in range(start, end)}
    return [place for place, tag in enumerate(tags) if tag != OUTSIDE and place not in inside]
