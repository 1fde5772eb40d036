"""Checks of the responses of one document: ids, types, roles, dates, offsets, texts, quotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

from adjudge.errors import Problem
from adjudge.findings import VALUES, Findings, field_column
from adjudge.formats.eal_arguments import COLUMNS
from adjudge.formats.eal_fields import decode_lines, form_of
from adjudge.formats.eal_layout import Layout
from adjudge.formats.eal_sources import Offsets
from adjudge.formats.eal_store import Store
from adjudge.model.eal import TIME_ROLES, Argument, Arguments, Cas, Response, Span
from adjudge.tasks.eal.ontology import Ontology
from adjudge.tasks.eal.settings import Profile
from adjudge.tasks.eal.texts import Text, filter_quotes, find_quotes

Agreement: TypeAlias = Literal["same", "part", "other"]

_TAG = re.compile(r"<[^<>]*>")
_SMALL = frozenset(range(1, 10))
_LONG = 2000  # characters that are no longer looked at word by word
_SHOWN = 60  # characters of a text in a message
_NAMES = {6: "CAS", 7: "predicate justification", 8: "base filler", 9: "additional justification"}


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for a whole submission."""

    profile: Profile
    ontology: Ontology
    layout: Layout
    offsets: Offsets
    legal: set[tuple[str, str]] = field(default_factory=set)  # pairs of type and role that have been found to be so
    dates: set[str] = field(default_factory=set)  # dates without findings
    hints: dict[tuple[str, str | None], str] = field(default_factory=dict)
    entities: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)  # that may fill a role

    @property
    def has_linking(self) -> bool:
        """Whether a submission has frames."""
        return self.layout != "2014"


class File:
    """One file of a submission, whose lines are read only to locate findings."""

    def __init__(self, store: Store, document: str, out: Findings, kind: str = "arguments") -> None:
        self.place = store.place(document, kind)
        self.document = document
        self.out = out
        self._store = store
        self._kind = kind

    @cached_property
    def data(self) -> bytes:
        """The contents of the file; empty if it does not exist."""
        return self._store.bytes_of(self.document, self._kind) or b""

    @cached_property
    def lines(self) -> list[str]:
        """Its lines as the readers see them."""
        return decode_lines(self.data, Findings(self.place))

    def say(
        self, kind: str, message: str, line: int | None = None, column: int | None = None, *, hint: str, **more: Any
    ) -> None:
        """Report an error or a warning about the file."""
        problem = Problem(message, self.place, line, column, hint)
        self.out.add_problem(kind, problem, document=self.document, **more)

    def say_of(self, kind: str, message: str, argument: Argument, column: int, *, hint: str, **more: Any) -> None:
        """The same of a column of a response."""
        at = field_column(self.lines[argument.line - 1], column) if argument.line else None
        self.say(kind, message, argument.line or None, at, hint=hint, **more)


def check_arguments(arguments: Arguments, text: Text | None, rules: Rules, file: File) -> None:
    """Report problems in the readable responses."""
    _check_ids(arguments.arguments, rules, file)
    _check_extra_columns(arguments, file)
    if rules.profile.check_entity_types:
        _check_entities(arguments.arguments, rules, file)
    legal, dates = rules.legal, rules.dates
    check_times, check_texts = rules.profile.check_times, rules.profile.check_cas_text
    size, may_cut = (None, False) if text is None else (text.size, text.has_halves)
    compared: dict[Cas, Agreement] = {}
    misfits = 0
    for argument in arguments.arguments:
        _, type_, role, cas, filler, because, additional, _ = argument[0]
        if (type_, role) not in legal:
            _check_type(argument, rules, file)
        is_time = role in TIME_ROLES
        if is_time:
            if check_times and cas[0] not in dates:
                _check_time(argument, rules, file)
        elif not cas[0]:
            file.say_of(
                "empty-cas", "the CAS is empty", argument, 5, hint="write the text of the argument", error=False
            )
        first = because[0]
        if not (first[0] <= filler[0] and filler[1] <= first[1]):
            _check_filler(argument, file)
        reach = first[1] if len(because) == 1 else _check_overlaps(argument, because, file)
        if additional:
            if cas[1] == filler:
                message = "there are additional justifications, but the base filler is the CAS itself"
                file.say_of("additional", message, argument, 9, hint="write NIL", error=False)
            for span in additional:
                if span[1] > reach:
                    reach = span[1]
        if size is None or text is None:
            continue
        end = cas[1][1]
        if end >= size or filler[1] >= size or reach >= size or may_cut:
            _check_offsets(argument, text, file)
        if check_texts and not is_time and cas[0] and end < size:
            agreement = compared.get(cas)
            if agreement is None:
                agreement = compared[cas] = agree(cas[0], text.at(cas[1]))
            if agreement != "same":
                misfits += agreement == "other"
                _say_misfit(argument, agreement, text, file)
    if text is not None:
        count = len(arguments.arguments)
        if misfits > 1 and 2 * misfits > count:
            message = f"{misfits} of {count} CAS differ from the text at their offsets"
            hint = f"is {text.path} the text that was processed, and is the first character 0?"
            file.say("misfit", message, hint=hint, error=False)
        _check_astral(arguments, text, file)
        _check_quotes(arguments, text, rules, file)


def agree(cas: str, found: str) -> Agreement:
    """Whether a CAS is what stands in the document, but for white space and mark-up, or shares whole words with it.

    >>> agree("AT&T Corp.", "AT&amp;T\\n  Corp."), agree("Bob", "Bob Smith"), agree("Bob", " Bo")
    ('same', 'part', 'other')
    """
    if cas == found:
        return "same"
    a, b = " ".join(cas.split()), " ".join(found.split())
    if a == b:
        return "same"
    if "&" in b or "<" in b:
        from html import unescape

        b = " ".join(unescape(_TAG.sub(" ", b)).split())
        if a == b:
            return "same"
    a, b = a.casefold(), b.casefold()
    return "part" if _is_part(a, b) or _is_part(b, a) else "other"


def _is_part(part: str, text: str) -> bool:
    """Whether words stand in a text; between Chinese characters, which have no blanks, any place is an end."""
    if len(text) > _LONG:
        return bool(part) and part in text
    at = text.find(part) if part else -1
    while at >= 0:
        end = at + len(part)
        if not (_is_inside(text, at) or _is_inside(text, end)):
            return True
        at = text.find(part, at + 1)
    return False


def _is_inside(text: str, at: int) -> bool:
    return 0 < at < len(text) and all(each.isalnum() and each < "\u2e80" for each in text[at - 1 : at + 1])


def quote(text: str) -> str:
    """A text for messages, not longer than half a line."""
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 15]}...{text[-12:]}")


def _check_ids(arguments: Sequence[Argument], rules: Rules, file: File) -> None:
    numbers, in_range = rules.profile.checked_ids == "unique-number", rules.profile.checked_ids != "unique"
    ids = [argument[2] for argument in arguments]
    if len(set(ids)) == len(ids):
        joined = "".join(ids)
        if _are_small(joined, map(len, ids)) or (not numbers and _are_digests(joined, map(len, ids))):
            return
    seen: dict[str, int] = {}
    for argument in arguments:
        id_ = argument[2]
        first = seen.setdefault(id_, argument[4])
        if first != argument[4] and id_:
            message = f"the id {quote(id_)} of line {first} is used again, for another response"
            hint = "give each response an id of its own"
            file.say_of("repeated-id", message, argument, 1, hint=hint, error=rules.has_linking)
        if _are_small(id_, [len(id_)]):
            continue
        if not id_:
            hint = "number the responses of a document"
            file.say_of("no-id", "there is no id in column 1", argument, 1, hint=hint, error=rules.has_linking)
            continue
        form = form_of(id_)
        digits = id_.removeprefix("-")
        if id_.isascii() and digits.isdecimal():
            if not (len(digits) < 12 and -(2**31) <= int(id_) < 2**31):
                message = f"the id {quote(id_)} is not in the range of 32-bit numbers"
                hint = "use ids from -2147483648 to 2147483647"
                file.say_of("id-range", message, argument, 1, hint=hint, error=in_range)
        elif form != "sha1" or numbers:
            message = f"the id {quote(id_)} is not a number"
            file.say_of("id-form", message, argument, 1, hint="number the responses of a document", error=numbers)


def _are_small(joined: str, lengths: Iterable[int]) -> bool:
    """Whether ids, given joined and by their lengths, are numbers of less than ten digits."""
    return joined.isdecimal() and joined.isascii() and set(lengths) <= _SMALL


def _are_digests(joined: str, lengths: Iterable[int]) -> bool:
    """Whether ids, given joined and by their lengths, are content hashes."""
    return set(lengths) == {40} and joined.isascii() and not joined.encode().translate(None, b"0123456789abcdef")


def _check_extra_columns(arguments: Arguments, file: File) -> None:
    if file.data.count(b"\t") <= (COLUMNS - 1) * len(arguments.arguments):
        return
    lines = [argument.line for argument in arguments.arguments if argument.line]
    wide = [(line, count) for line in lines if (count := file.lines[line - 1].count("\t") + 1) > COLUMNS]
    if wide:
        line, count = wide[0]
        more = f", as have {len(wide) - 1} other lines" if len(wide) > 1 else ""
        message = f"the line has {count} columns{more}; only {COLUMNS} are read"
        file.say("extra-columns", message, line, 1, hint="remove what is not asked for", error=False)


def _check_type(argument: Argument, rules: Rules, file: File) -> None:
    type_, role = argument.response.type, argument.response.role
    ontology = rules.ontology
    if not ontology.is_type(type_):
        message = f"there is no event type {quote(type_)} in {ontology.name}"
        file.say_of("type", message, argument, 3, hint=_hint(rules, type_), value=type_)
    elif not ontology.is_role(type_, role):
        message = f"{ontology.canonical(type_)} has no role {quote(role)} in {ontology.name}"
        hint = _hint(rules, type_, role)
        file.say_of("role", message, argument, 4, hint=hint, value=f"{type_}\t{role}")
    else:
        rules.legal.add((type_, role))


def _check_entities(arguments: Sequence[Argument], rules: Rules, file: File) -> None:
    """Say where one filler has roles that no entity can have together: a Victim is a person, a Crime is none."""
    known = rules.entities
    left: dict[Cas, frozenset[str]] = {}  # what each filler can still be
    for argument in arguments:
        _, type_, role, cas, *_ = argument[0]
        here = known.get((type_, role))
        if here is None:
            here = known[type_, role] = frozenset(rules.ontology.entity_types(type_, role))
        before = left.get(cas, here)
        if here and before and here.isdisjoint(before):
            _say_entities(argument, here, arguments, rules, file)
        elif here:
            left[cas] = here & before if before else here


def _say_entities(
    argument: Argument, here: frozenset[str], arguments: Sequence[Argument], rules: Rules, file: File
) -> None:
    response = argument.response
    others = [each for each in arguments if each.response.cas == response.cas and each.line < argument.line]
    apart = [each for each in others if here.isdisjoint(rules.entities[each.response.type, each.response.role])]
    other = (apart or others)[0]

    def said(each: Response) -> str:
        return f"{each.role} of {each.type} ({', '.join(rules.ontology.entity_types(each.type, each.role))})"

    where = f"{said(other.response)} on line {other.line}"
    more = "" if apart or len(others) == 1 else f" and has {len(others) - 1} more roles"
    message = f"{quote(response.cas.text)} is {said(response)} and {where}{more}: no entity is all of this"
    hint = "check the roles, or which mention the CAS is"
    file.say_of("entity-type", message, argument, 4, hint=hint, error=False)


def _hint(rules: Rules, type_: str, role: str | None = None) -> str:
    """A remedy; looking for one is slow, and a mistake may stand in every line."""
    found = rules.hints.get((type_, role))
    if found is None and len(rules.hints) >= VALUES:
        return f"use the types and roles of {rules.ontology.name}"
    if found is None:
        ontology = rules.ontology
        found = ontology.type_hint(type_) if role is None else ontology.role_hint(type_, role)
        rules.hints[type_, role] = found
    return found


def _check_time(argument: Argument, rules: Rules, file: File) -> None:
    text, profile = argument.response.cas.text, rules.profile
    if not profile.is_date(text):
        hint = "write yyyy-mm-dd with X for what is not known, as in 1985-XX-XX"
        file.say_of("time", f"{quote(text)} is not a date", argument, 5, hint=hint)
        return
    fine = True
    if "x" in text:
        message = f"the date {text} has a small x, which is not equal to a capital one"
        file.say_of("time-small-x", message, argument, 5, hint=f"write {text.upper()}", error=False)
        fine = False
    _, month, day = text.split("-")
    if (month.isdecimal() and not 1 <= int(month) <= 12) or (day.isdecimal() and not 1 <= int(day) <= 31):
        hint = "write the year first, then the month and the day"
        file.say_of("time-calendar", f"{text} is in no calendar", argument, 5, hint=hint, error=False)
        fine = False
    if fine and len(rules.dates) < VALUES:
        rules.dates.add(text)


def _check_filler(argument: Argument, file: File) -> None:
    response = argument.response
    start, end = response.base_filler
    if not any(first <= start and end <= last for first, last in response.justifications):
        message = f"the base filler {start}-{end} is in no predicate justification"
        hint = "justify the event with the text around its filler"
        file.say_of("filler-outside", message, argument, 8, hint=hint, error=False)


def _check_overlaps(argument: Argument, spans: Sequence[Span], file: File) -> int:
    """Where the last of the spans ends, after a look whether they overlap.

    They are in order, so one that overlaps any before it overlaps the one of them that ends last.
    """
    widest = spans[0]
    for span in spans[1:]:
        if span[0] <= widest[1]:
            message = f"the predicate justifications {widest} and {span} overlap"
            hint = f"write {widest.start}-{max(widest.end, span.end)} for both"
            file.say_of("overlapping-justifications", message, argument, 7, hint=hint, error=False)
        if span[1] > widest[1]:
            widest = span
    return widest[1]


def _spans(response: Response) -> Iterator[tuple[int, Span]]:
    yield 6, response.cas.span
    yield from ((7, span) for span in response.justifications)
    yield 8, response.base_filler
    yield from ((9, span) for span in response.additional)


def _check_offsets(argument: Argument, text: Text, file: File) -> None:
    for column, span in _spans(argument.response):
        if span.end >= text.size:
            message = f"the {_NAMES[column]} {span} is outside the document"
            hint = f"its last character is {text.size - 1}" if text.size else "the document is empty"
            file.say_of("outside", message, argument, column, hint=hint)
        elif text.cuts(span):
            message = f"the {_NAMES[column]} {span} splits a character"
            hint = "count it as two, or use --offsets codepoints"
            file.say_of("split-character", message, argument, column, hint=hint)


def _say_misfit(argument: Argument, agreement: Agreement, text: Text, file: File) -> None:
    cas = argument.response.cas
    found = text.find(cas.text, cas.span)
    hint = f"it is at {found}" if found is not None and found != cas.span else None
    shown = f"{quote(cas.text)} is not the text at {cas.span}, which is {quote(text.at(cas.span))}"
    if agreement == "part":
        hint = hint or "use the text and the offsets of the same mention"
        file.say_of("cas-extent", f"the CAS {shown}", argument, 5, hint=hint, error=False)
    else:
        hint = hint or "use the text at the offsets, unless the CAS is normalised"
        file.say_of("cas-text", f"the CAS {shown}", argument, 5, hint=hint, error=False)


def _check_astral(arguments: Arguments, text: Text, file: File) -> None:
    """Characters that count once here and twice there."""
    if not text.astral:
        return
    start = text.span(text.astral[0], text.astral[0]).start
    behind = [each for each in arguments.arguments if any(span.end >= start for _, span in _spans(each.response))]
    if not behind:
        return
    count = len(text.astral)
    what = f"{count} characters beyond U+FFFF" if count > 1 else "a character beyond U+FFFF"
    counted = "are counted once each" if text.offsets == "code-points" else "count as two each"
    if count == 1:
        counted = counted.replace("are", "is").replace("count as", "counts as").replace(" each", "")
    message = f"the document has {what} at {start}, which {counted} by the offsets of {len(behind)} responses"
    hint = "check that your offsets are counted in this way"
    other = Text(text.text, "utf-16" if text.offsets == "code-points" else "code-points")
    cases = [each.response.cas for each in arguments.arguments if each.response.role not in TIME_ROLES]
    gain = sum(_fits(cas, other) - _fits(cas, text) for cas in cases)
    if gain > 0:
        option = "utf16" if text.offsets == "code-points" else "codepoints"
        hint = f"{gain} more CAS match the text with --offsets {option}"
    file.say("astral", message, hint=hint, error=False)


def _fits(cas: Cas, text: Text) -> bool:
    return agree(cas.text, text.at(cas.span)) != "other"


def _check_quotes(arguments: Arguments, text: Text, rules: Rules, file: File) -> None:
    if "<quote" not in text.text.lower():
        return
    exact = rules.profile.quote_tags == "exact"
    regions, unclosed = find_quotes(text.text, path=text.path, exact=exact)
    for problem in unclosed:
        file.out.add_problem("quote", problem, document=arguments.document, error=False)
    if exact and unclosed:
        return  # the official program goes no further
    outcome = filter_quotes(arguments, None, [text.span(*region) for region in regions])
    for gone in outcome.removed:
        column = 8 if "base-filler" in gone.reason else 6
        what = "base filler" if column == 8 else "CAS"
        message = f"the {what} is in a quotation, so the response is not scored"
        hint = "adjudge eal filter-quotes removes such responses"
        file.say_of("quoted", message, gone.argument, column, hint=hint, error=False)
    for remark in outcome.remarks:
        if remark.argument is not None:
            column = 8 if remark.reason.endswith("base-filler") else 6
            hint = "use a shorter span"
            file.say_of("around-quotation", remark.message, remark.argument, column, hint=hint, error=False)
