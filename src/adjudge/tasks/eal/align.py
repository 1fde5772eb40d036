"""The outcome of the responses of a document, from the comparison that was counted.

Gold items are the correct classes of the key, and those of the reference frames that no system can match; system items
are the responses, including those that do not count. A class is shown as its first good response in the key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import isfinite

from adjudge.formats.eal_sources import Utf16
from adjudge.model.eal import Argument, Assessment, Response, Span
from adjudge.stats.alignment import Alignment, Item, Matching, Pair, Place, Single
from adjudge.tasks.eal.compare import IGNORED, UNLINKED, Compared, Observed, Prepared
from adjudge.tasks.eal.measures import document_scores, table_of
from adjudge.tasks.eal.reference import GOOD, OTHER_SPELLINGS, RULES, SHIFT, Class, Reference
from adjudge.tasks.eal.responses import ACCEPTABLE
from adjudge.tasks.eal.settings import Settings

_GONE = {
    "quoted-base-filler": "the base filler is in a quotation",
    "quoted-cas": "the CAS is in a quotation",
    "quoted-base-filler-and-cas": "the base filler and the CAS are in a quotation",
}


def align_responses(
    prepared: Prepared, compared: Compared, settings: Settings, *, text: str | None = None, missing: bool = False
) -> Alignment:
    """The classes of the key, the responses of a system, and the outcome of both."""
    made = _Document(prepared, compared, settings, text)
    return Alignment(
        gold=tuple(made.gold()),
        system=tuple(made.system()),
        matchings=(made.matching(),),
        text=text,
        groups="frame" if settings.linking else "",
        missing=missing,
    )


class _Document:
    """One document being aligned; `numbers` has the index of each class among the gold items."""

    def __init__(self, prepared: Prepared, compared: Compared, settings: Settings, text: str | None) -> None:
        self.prepared, self.compared, self.settings, self.text = prepared, compared, settings, text
        self.reference: Reference = prepared.reference
        self.observed: Observed = compared.observed
        self.units = Utf16(text) if text is not None and settings.profile.offsets == "utf-16" else None
        framed = self.reference.frames.bits
        shown = [n for n, right in enumerate(self.reference.correct) if right or n in framed]
        self.numbers = {number: at for at, number in enumerate(shown)}
        self.leaders = frozenset(self.observed.leaders.values())
        self.broken = frozenset(self.reference.key.response(at) for at in self.reference.broken)

    # ------------------------------------------------------------------------------------------------------------------
    # Items

    def gold(self) -> Iterator[Item]:
        """A class for each item: its first good response in the key, else any, else what a reference frame has."""
        found: dict[int, list[Response]] = {}
        for wanted in (GOOD, 0):
            for response in self.reference.assessed:
                code = self.reference.codes[response]
                if code >= 0 and code & GOOD == wanted:
                    found.setdefault(code >> SHIFT, []).append(response)
        linked = self.prepared.gold.frames
        frames = None if linked is None else linked.linking()
        for response in sorted(frames.linked if frames else ()):
            number = self.reference.numbers.get(self.reference.class_of(response))
            if number is not None:
                found.setdefault(number, []).append(response)
        groups: dict[int, list[str]] = {}
        for place, mask in enumerate(self.reference.frames.masks, 1):
            for bit, number in enumerate(self.reference.frames.members):
                if mask >> bit & 1:
                    groups.setdefault(number, []).append(str(place))
        for place, number in enumerate(self.numbers, 1):
            type_, role, realis, _ = self.reference.classes[number]
            own = found.get(number, [])
            fillers = list(dict.fromkeys(each.cas.text for each in own)) or ["?"]
            value = {"realis": realis, "fillers": fillers, "correct": bool(self.reference.correct[number])}
            said = f"{type_} {role}", fillers[0]
            yield self._item(f"c{place}", own[0] if own else None, said, tuple(groups.get(number, ())), value)

    def system(self) -> Iterator[Item]:
        """Every response, in the order of the file; then those that the view of the document does not have."""
        groups: dict[int, list[str]] = {}
        for place, frame in enumerate(self.observed.frames, 1):
            for at in sorted(frame):
                # The response that stands for a class is also where another good one of its class is kept.
                code = self.observed.codes[at]
                shown = self.observed.leaders[code >> SHIFT] if code >= 0 and code & GOOD else at
                own = groups.setdefault(shown if self.observed.codes[shown] & GOOD else at, [])
                if self.observed.kept[at] and str(place) not in own:
                    own.append(str(place))
        arguments = [*self.observed.arguments, *(argument for argument, _ in self.compared.system.gone)]
        for at, (name, argument) in enumerate(zip(_names(arguments), arguments, strict=True)):
            response = argument.response
            value: dict[str, object] = {"realis": response.realis, "confidence": argument.confidence}
            if argument.id not in ("", name):
                value["id"] = argument.id
            said = f"{response.type} {response.role}", response.cas.text
            yield self._item(name, response, said, tuple(groups.get(at, ())), value)

    def _item(
        self, name: str, response: Response | None, said: tuple[str, str], group: tuple[str, ...], value: object
    ) -> Item:
        pieces: list[tuple[str, Span]] = []
        if response is not None:
            pieces = [("filler", response.cas.span), ("base filler", response.base_filler)]
            pieces += [("justification", span) for span in response.justifications]
            pieces += [("additional", span) for span in response.additional]
        placed = [(role, place) for role, span in pieces if (place := self._place(span)) is not None]
        roles, places = tuple(role for role, _ in placed), tuple(place for _, place in placed)
        label, text = said
        return Item(
            id=name, level="arguments", text=text, place=places, roles=roles, label=label, group=group, value=value
        )

    def _place(self, span: Span) -> Place | None:
        """Where it stands in the text, end excluded; None if the text is shorter."""
        start, end = span if self.units is None else self.units.to_characters(span)
        return None if self.text is not None and end >= len(self.text) else (start, end + 1)

    # ------------------------------------------------------------------------------------------------------------------
    # The outcome of them

    def matching(self) -> Matching:
        """Pairs, misses and the rest; tp, fp and fn are the numbers of correct pairs, wrong or spurious, not found."""
        observed, reference = self.observed, self.reference
        pairs: list[Pair] = []
        spurious: list[Single] = []
        ignored: list[Single] = []
        unassessed = frozenset(observed.unassessed)
        left = {number: at for number, at in self.numbers.items() if reference.correct[number]}
        for at, argument in enumerate(observed.arguments):
            why = self._ignored(at, argument)
            if why:
                ignored.append(Single(at, why))
                continue
            code = observed.codes[at]
            number = code >> SHIFT
            if code & GOOD:
                pairs.append(Pair(left.pop(number), at))
                continue
            why = (
                "nobody has assessed it, so it counts as wrong" if at in unassessed else self._wrong(argument.response)
            )
            if number in left and at in unassessed and not self.settings.profile.unassessed_misses:
                spurious.append(Single(at, why, left.pop(number)))
            elif number in left:
                pairs.append(Pair(left.pop(number), at, "wrong", 0.0, why))
            else:
                spurious.append(Single(at, why))
        places = range(len(observed.arguments), len(observed.arguments) + len(self.compared.system.gone))
        for at, (_, reason) in zip(places, self.compared.system.gone, strict=True):
            ignored.append(Single(at, _GONE.get(reason) or reason.replace("-", " ")))
        near = self._near(spurious, left)
        spurious = [
            each if each.near is not None else Single(each.item, each.why, near.get(each.item)) for each in spurious
        ]
        lost = self._lost(ignored)
        missed = [
            Single(place, "its only responses do not count" if number in lost else "no response", lost.get(number))
            for number, place in left.items()
        ]
        return Matching(
            metric="eal",
            pairs=tuple(sorted(pairs, key=lambda pair: (pair.gold, pair.system))),
            missed=tuple(missed),
            spurious=tuple(spurious),
            ignored=tuple(ignored),
            numbers=self._numbers(),
        )

    def _numbers(self) -> dict[str, float | None]:
        table = table_of([self.reference.document], [self.compared.row], self.settings)
        (scores,) = document_scores(table, self.settings)
        return {
            name: value if value is not None and isfinite(value) else None
            for name, value in scores.items()
            if not isinstance(value, str)
        }

    def _near(self, spurious: Sequence[Single], left: dict[int, int]) -> dict[int, int]:
        """The gold item of the same filler that was missed, for responses with another type, role or realis."""
        fillers: dict[object, list[tuple[Class, int]]] = {}
        for number, place in left.items():
            each = self.reference.classes[number]
            fillers.setdefault(each[3], []).append((each, place))
        found = {}
        for single in spurious:
            mine = self.reference.class_of(self.observed.arguments[single.item].response)
            others = fillers.get(mine[3], ())
            if others:
                _, found[single.item] = max(others, key=lambda other: (_alike(mine, other[0]), -other[1]))
        return found

    def _lost(self, ignored: Sequence[Single]) -> dict[int, int]:
        """The first response of each class that does not count."""
        found: dict[int, int] = {}
        everything = (*self.observed.arguments, *(argument for argument, _ in self.compared.system.gone))
        for single in ignored:
            number = self.reference.numbers.get(self.reference.class_of(everything[single.item].response))
            if number is not None:
                found.setdefault(number, single.item)
        return found

    def _ignored(self, at: int, argument: Argument) -> str:
        """Why a response does not count; empty if it does."""
        observed, code = self.observed, self.observed.codes[at]
        if code in RULES:
            return self._by_rule(argument.response, RULES[code])
        if code == IGNORED:
            return "nobody has assessed it"
        if code == UNLINKED:
            return "it is not generic and in no frame"
        if at in self.leaders:
            return ""
        better = observed.arguments[observed.leaders[code >> SHIFT]]
        said = f"redundant, {better.id[:12] or better.response.cas.text} stands for its class"
        return f"{said}, but it is the best of it in a frame" if observed.kept[at] else said

    def _by_rule(self, response: Response, rule: str) -> str:
        bans = self.reference.bans
        own = response.type, response.role, response.realis, self.reference.cluster(response)
        if rule == "covered":
            return f"covered by a correct {bans.covered.get(own, 'response')}"
        return f"a time that says less: {bans.date(own, response.cas.text) or 'another one'} is correct"

    def _wrong(self, response: Response) -> str:
        """What the assessors marked as wrong."""
        reference = self.reference
        assessment = reference.assessed.get(response)
        if assessment is None and reference.spellings and response.type in OTHER_SPELLINGS:
            assessment = reference.assessed.get(response._replace(type=OTHER_SPELLINGS[response.type]))
        if assessment is None:
            return ""
        said = "; ".join(faults(response, assessment))
        return said.replace("the filler is wrong", "the filler is not a date") if response in self.broken else said


def _names(arguments: Sequence[Argument]) -> list[str]:
    """Prefixes of the ids, or numbers where these are ambiguous."""
    short = [argument.id[:12] for argument in arguments]
    known = Counter(short)
    return [name if name and known[name] == 1 else f"r{at}" for at, name in enumerate(short, 1)]


def _alike(one: Class, other: Class) -> int:
    """The similarity of two classes of one filler; the type counts most."""
    return 4 * (one[0] == other[0]) + 2 * (one[1] == other[1]) + (one[2] == other[2])


def faults(response: Response, assessment: Assessment) -> list[str]:
    """What the assessors marked as wrong in a response; empty if it is good.

    >>> from adjudge.model.eal import Cas
    >>> at = Span(0, 2)
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 9),), (), "Actual")
    >>> faults(bob, Assessment("C", "C", "W", "W", "Other", "NAME"))
    ['the filler is wrong', 'the base filler is wrong', 'the realis is Other, not Actual']
    >>> faults(bob, Assessment("W")), faults(bob, Assessment("C", "W"))
    (['the event type is wrong'], ['the role is wrong'])
    """
    if assessment.event_type not in ACCEPTABLE:
        return ["the event type is wrong"]
    if assessment.role not in ACCEPTABLE:
        return ["the role is wrong"]
    found = []
    if assessment.cas not in ACCEPTABLE:
        found.append("the filler is wrong")
    if assessment.base_filler not in ACCEPTABLE:
        found.append("the base filler is wrong")
    if assessment.realis != response.realis:
        found.append(f"the realis is {assessment.realis}, not {response.realis}")
    return found
