"""What the page of event arguments knows of a document: responses, what became of them, classes and frames.

Everything is numbers and lists: texts that occur again and again stand once in a list, and a response that several
systems give, or the key has, stands once in the pool of its document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from adjudge.model.eal import Response
from adjudge.report.html.page import Entry
from adjudge.tasks.eal.compare import Compared, Prepared
from adjudge.tasks.eal.explanation import Explanation, Fate, explained
from adjudge.tasks.eal.reference import GOOD, SHIFT, Class
from adjudge.tasks.eal.settings import Settings

LEGEND = (
    Entry("correct", "correct", "✓", "all that the assessors judge is right, and it stands for its class"),
    Entry("wrong-type", "wrong type", "T", "there is no such event"),
    Entry("wrong-role", "wrong role", "R", "the event is right, the role is not"),
    Entry("wrong-filler", "wrong filler", "F", "type and role are right, the CAS is not"),
    Entry("wrong-base", "wrong base filler", "B", "all before is right, the base filler is not"),
    Entry("wrong-realis", "wrong realis", "A", "only the realis is wrong"),
    Entry("unassessed", "unassessed", "?", "nobody has assessed it, it counts as wrong"),
    Entry("redundant", "redundant", "=", "another response stands for its class"),
    Entry("removed", "removed", "×", "a rule has taken it out before the scoring"),
    Entry("missed", "missed", "−", "a correct class of the key that the system does not earn"),
)
KINDS = tuple(entry.key for entry in LEGEND)
PAIRS = (
    Entry("both", "both", "✓", "both systems find it"),
    Entry("only-a", "only the first", "◐", "the first system finds it, the second does not"),
    Entry("only-b", "only the second", "◑", "the second system finds it, the first does not"),
    Entry("neither", "neither", "−", "a correct class of the key that neither system finds"),
    Entry("false-a", "false in the first", "▸", "a false positive of the first system only"),
    Entry("false-b", "false in the second", "◂", "a false positive of the second system only"),
    Entry("false-both", "false in both", "×", "a false positive of both systems"),
)
SCORES = ("overall", "argument", "linking", "tp", "fp", "fn")
STATUS = ("common", "missing", "spurious")
_WRONG = {
    "type": "wrong-type",
    "role": "wrong-role",
    "filler": "wrong-filler",
    "base filler": "wrong-base",
    "realis": "wrong-realis",
}


class Values:
    """Numbers for texts that occur again and again."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, value: str) -> int:
        """The number of a text."""
        return self.numbers.setdefault(value, len(self.numbers))

    def __iter__(self) -> Iterator[str]:
        return iter(self.numbers)


class Tables(NamedTuple):
    """The lists of texts that all documents share."""

    types: Values
    roles: Values
    realis: Values
    reasons: Values
    said: Values

    @staticmethod
    def new() -> Tables:
        """Empty lists."""
        return Tables(Values(), Values(), Values(), Values(), Values())


def kind_of(fate: Fate) -> str:
    """The kind of a response on the page: of several faults the first one that an assessor meets.

    >>> from adjudge.model.eal import Span
    >>> at = Span(0, 2)
    >>> fate = Fate(0, "1", "T", "R", "f", "Actual", 1.0, at, at, (), (), "wrong", ("filler", "realis"))
    >>> kind_of(fate)
    'wrong-filler'
    """
    if fate.outcome != "wrong":
        return fate.outcome
    return _WRONG.get(fate.reasons[0], "wrong-type") if fate.reasons else "wrong-type"


class Document:
    """A document of the page while its systems come in one after the other."""

    def __init__(self, name: str, prepared: Prepared, tables: Tables, settings: Settings) -> None:
        self.name, self.prepared, self.tables, self.settings = name, prepared, tables, settings
        self.words = Values()
        self.pool: dict[Response, int] = {}
        self.items: list[list[Any]] = []
        self.classes: dict[Class, int] = {}
        self.described: list[list[int]] = []
        self.systems: dict[str, dict[str, Any]] = {}
        reference = prepared.reference
        fillers: dict[int, str] = {}
        good: dict[int, list[int]] = {}
        for response in reference.assessed:
            code = reference.codes[response]
            if code >= 0:
                fillers.setdefault(code >> SHIFT, response.cas.text)
        for number, each in enumerate(reference.classes):
            self._class(each, fillers.get(number, "?"))
        for response in reference.assessed:
            code = reference.codes[response]
            if code >= 0 and code & GOOD:
                good.setdefault(code >> SHIFT, []).append(self._response(response))
        self.correct = [[number, *good.get(number, ())] for number, right in enumerate(reference.correct) if right]
        members = reference.frames.members
        self.frames = [[members[bit] for bit in _bits(mask)] for mask in reference.frames.masks]

    def add(self, system: str, compared: Compared) -> Explanation:
        """Take in one system."""
        found = explained(system, self.name, self.prepared, compared, self.settings)
        observed, reference = compared.observed, self.prepared.reference
        responses = [
            *(argument.response for argument in observed.arguments),
            *(argument.response for argument, _ in compared.system.gone),
        ]
        rows = [self._row(fate, response) for fate, response in zip(found.responses, responses, strict=True)]
        frames: list[list[list[int]]] = []
        for frame in observed.frames:
            here: dict[int, int] = {}
            for at in frame:
                if observed.kept[at]:
                    right = observed.codes[at] & GOOD and observed.codes[at] >> SHIFT in reference.frames.bits
                    number = self._class_of(observed.arguments[at].response)
                    if right or number not in here:
                        here[number] = STATUS.index("common" if right else "spurious")
            frames.append([[number, status] for number, status in here.items()])
        earned = {
            number
            for number, at in observed.leaders.items()
            if number < len(reference.correct) and reference.correct[number] and observed.codes[at] & GOOD
        }
        led = observed.leaders.keys()
        self.systems[system] = {
            "scores": [_rounded(found.scores.get(name)) for name in SCORES],
            "rows": rows,
            # Whether the class was lost by a wrong response, or nothing was said.
            "missed": [
                [number, int(number in led)]
                for number, right in enumerate(reference.correct)
                if right and number not in earned
            ],
            "frames": frames,
            "beside": [[-1 if each is None else each for each in pair] for pair in found.beside],
        }
        return found

    def to_data(self, names: Sequence[str], text: str | None) -> dict[str, Any]:
        """As the script reads it."""
        wide: list[int] = []
        if text is not None and not text.isascii() and self.settings.profile.offsets != "utf-16":
            wide = [place for place, letter in enumerate(text) if letter > "\uffff"]
        return {
            "id": self.name,
            "text": text,
            "wide": wide,
            "words": list(self.words),
            "pool": self.items,
            "classes": self.described,
            "correct": self.correct,
            "frames": self.frames,
            "systems": [self.systems[name] for name in names],
        }

    def _row(self, fate: Fate, response: Response) -> list[Any]:
        tables = self.tables
        why = [tables.reasons(each) for each in (*fate.reasons, *((fate.rule,) if fate.rule else ()))]
        return [
            self._response(response),
            fate.id,
            _rounded(fate.confidence),
            KINDS.index(kind_of(fate)),
            why,
            tables.said(fate.said),
            -1 if fate.instead is None else fate.instead,
            list(fate.frames),
            int(fate.misses),
        ]

    def _response(self, response: Response) -> int:
        number = self.pool.get(response)
        if number is None:
            number = self.pool[response] = len(self.items)
            _, type_, role, cas, base, justifications, additional, realis = response
            tables = self.tables
            self.items.append(
                [
                    tables.types(type_),
                    tables.roles(role),
                    tables.realis(realis),
                    self.words(cas.text),
                    self._class_of(response),
                    *cas.span,
                    *base,
                    [end for span in justifications for end in span],
                    [end for span in additional for end in span],
                ]
            )
        return number

    def _class_of(self, response: Response) -> int:
        return self._class(self.prepared.reference.class_of(response), response.cas.text)

    def _class(self, each: Class, filler: str) -> int:
        number = self.classes.get(each)
        if number is None:
            number = self.classes[each] = len(self.described)
            type_, role, realis, _ = each
            tables = self.tables
            self.described.append([tables.types(type_), tables.roles(role), tables.realis(realis), self.words(filler)])
        return number


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _rounded(value: float | None) -> float | None:
    """A number that JSON has, with no more digits than people read."""
    return None if value is None or value != value or abs(value) == float("inf") else round(value, 6)
