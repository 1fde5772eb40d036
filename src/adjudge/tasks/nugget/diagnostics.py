"""What a reader should know of a system's scores: gathered document by document, told as notes."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import fsum
from typing import TYPE_CHECKING, Any

from adjudge.errors import Problem
from adjudge.evaluate.sides import NO_DOCUMENTS
from adjudge.model.nugget import NuggetDocument, TokenTable
from adjudge.tasks.nugget.best import SAME, Mapped
from adjudge.tasks.nugget.observe import Observed
from adjudge.tasks.nugget.ready import Ready
from adjudge.tasks.nugget.settings import Settings, canonical

if TYPE_CHECKING:
    from adjudge.stats.result import Note

SHOWN = 5
GOLD_NAMES = frozenset(("gold", "goldstandard", "gold_standard", "brat_conversion", "rich_ere", "ldc", "key"))
"""What converters and annotators write into the first column of gold files."""


@dataclass(slots=True)
class Diagnostics:
    """What was seen of one system and of gold next to it."""

    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    input: list[Problem] = field(default_factory=list)
    documents: int = 0
    nothing: bool = False  # whether the system has no documents at all
    shared: bool = False  # whether it has any that gold has
    decided: dict[str, list[str]] = field(default_factory=dict)  # mapping -> documents that the order of lines decides
    unproven: list[str] = field(default_factory=list)
    # Sums of Dice of every document by mapping, to be added up at the end: so their order does not matter.
    line: dict[str, array[float]] = field(default_factory=dict)  # by order of lines
    best: dict[str, array[float]] = field(default_factory=dict)
    optimal: dict[str, array[float]] = field(default_factory=dict)
    matched: dict[str, array[float]] = field(default_factory=dict)
    gold: int = 0
    system: int = 0
    free: list[str] = field(default_factory=list)  # documents without gold nuggets, whose false alarms cost nothing
    free_nuggets: int = 0
    empty: dict[str, int] = field(default_factory=dict)  # side -> nuggets without a visible place
    repeated: dict[str, list[str]] = field(default_factory=dict)  # side -> documents with an id twice
    unknown: dict[str, list[str]] = field(default_factory=dict)  # side -> clusters with unknown ids
    values: dict[tuple[str, str], set[str]] = field(
        default_factory=dict
    )  # (side, attribute) -> values as they are compared
    without_table: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)  # documents with tokens that their table does not have
    other_text: list[str] = field(default_factory=list)  # documents whose nuggets have other words than their table
    stopped: str | None = None
    left_out: list[str] = field(default_factory=list)  # of coreference, by the program of 2015
    remarks: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    names: dict[str, set[str]] = field(default_factory=dict)  # side -> first columns
    confident: dict[str, bool] = field(default_factory=dict)  # side -> whether nuggets have confidences

    def see(
        self,
        gold: Ready,
        system: Ready,
        observed: Observed,
        settings: Settings,
        *,
        missing: bool,
    ) -> None:
        """Take in one compared document; it may be missing from the system."""
        document = gold.document.id
        self.documents += 1
        self.gold += observed.gold
        self.system += observed.system
        if missing:
            self.missing.append(document)
        if not observed.gold and observed.system and settings.official:
            self.free.append(document)
            self.free_nuggets += observed.system
        self._ties(document, observed.matched, observed.entangled)
        for name, own in (("gold", gold), ("system", system)):
            if own.document.nuggets:
                self._written(name, own)

    def _ties(self, document: str, matched: Mapping[str, float], entangled: Mapping[str, Mapped]) -> None:
        """Take in the sums of Dice of a document, and what became of entangled places."""
        for name, value in matched.items():
            self.matched.setdefault(name, array("d")).append(value)
        for name, mapped in entangled.items():
            if mapped.best > mapped.line + SAME:
                self.decided.setdefault(name, []).append(document)
            if not mapped.proven and document not in self.unproven[-1:]:
                self.unproven.append(document)
            for totals, value in ((self.line, mapped.line), (self.best, mapped.best), (self.optimal, mapped.optimal)):
                totals.setdefault(name, array("d")).append(value)

    def _written(self, side: str, own: Ready) -> None:
        if own.without_place:
            self.empty[side] = self.empty.get(side, 0) + own.without_place
        for attribute, values in (("type", own.types), ("realis", own.realis)):
            self.values.setdefault((side, attribute), set()).update(values)
        if own.repeated:
            self.repeated.setdefault(side, []).append(own.document.id)
        if own.unknown:
            self.unknown.setdefault(side, []).extend(own.unknown)
        first = own.document.nuggets[0]
        names = self.names.setdefault(side, set())
        if len(names) <= SHOWN:
            names.add(first.system)
        self.confident[side] = self.confident.get(side, False) or bool(first.confidence)

    def tokens(self, gold: NuggetDocument, system: NuggetDocument | None, table: TokenTable | None) -> None:
        """Take in how nuggets and token table fit."""
        if table is None:
            if gold.nuggets or (system is not None and system.nuggets):
                self.without_table.append(gold.id)
            return
        words = {token.id: token.text for token in table.tokens}
        wrong = compared = 0
        foreign: set[str] = set()
        for document in (gold, system):
            for nugget in document.nuggets if document is not None else ():
                if not words.keys() >= set(nugget.tokens):
                    foreign.update(set(nugget.tokens) - words.keys())
                elif nugget.text:
                    compared += 1
                    spelled = "".join([words[token] for token in nugget.tokens])
                    wrong += _letters(spelled) != _letters(nugget.text)
        if foreign:
            self.foreign.append(f"{gold.id}: {', '.join(sorted(foreign)[:SHOWN])}")
        if compared and wrong * 2 > compared:
            self.other_text.append(gold.id)

    def extend(self, later: Diagnostics) -> None:
        """Take in what was seen of later documents of the same files."""
        for each in fields(self):
            if each.name not in _WHOLE:
                setattr(self, each.name, _joined(getattr(self, each.name), getattr(later, each.name)))

    def notes(self, settings: Settings) -> list[Note]:
        """All of it as notes."""
        from adjudge.stats.result import Note
        from adjudge.tasks.nugget.sequencing import sequence_notes

        told = [
            Note(code, count, message, tuple(sorted(examples)[:SHOWN]))
            for code, count, message, examples in self._remarks(settings)
        ]
        return told + sequence_notes(self.remarks)

    def _remarks(self, settings: Settings) -> Iterator[tuple[str, int, str, Sequence[str]]]:
        for problem in self.input[:SHOWN]:
            yield "input", 1, str(problem), ()
        if len(self.input) > SHOWN:
            yield "input", len(self.input) - SHOWN, f"{len(self.input) - SHOWN} more remarks on the files", ()
        if self.missing:
            what = _number(len(self.missing), "gold document has", "gold documents have")
            yield "missing-document", len(self.missing), f"{what} no system output, taken as empty", self.missing
        if self.extra:
            what = _number(len(self.extra), "system document is", "system documents are")
            yield "extra-document", len(self.extra), f"{what} not in gold, and ignored", self.extra
        if self.nothing:
            yield "empty-system", 1, NO_DOCUMENTS, ()
        if self._swapped():
            message = "the system file looks like a gold file, and the gold file does not: are the two swapped?"
            yield "swapped", 1, message, sorted(self.names.get("system", ()))
        if self.stopped is not None:
            message = (
                f"document {self.stopped} has a mention id twice, and as in the program of 2015 neither it nor any "
                "later document counts"
            )
            yield "stopped", 1, message, ()
        yield from self._about_ties(settings)
        if self.free:
            what = _number(self.free_nuggets, "false alarm", "false alarms")
            where = _number(len(self.free), "document", "documents")
            message = f"{what} in {where} without gold nuggets cost nothing, as in the official program"
            yield "free-false-alarms", self.free_nuggets, message, self.free
        yield from self._about_nuggets(settings)
        yield from self._about_tables(settings)
        if self.left_out:
            what = _number(len(self.left_out), "document has", "documents have")
            message = f"{what} a coreference score of 0 and no part in coreference, as in the program of 2015"
            yield "coref-left-out", len(self.left_out), message, self.left_out

    def _about_ties(self, settings: Settings) -> Iterator[tuple[str, int, str, Sequence[str]]]:
        for name, documents in self.decided.items():
            if name not in settings.scored:
                continue
            line, best = fsum(self.line[name]), fsum(self.best[name])
            where = _number(len(documents), "document", "documents")
            rest = fsum(self.matched[name]) - (line if settings.official else best)
            values = f"{self._f1(rest + line)} by the order of lines, {self._f1(rest + best)} at best"
            taken = "lines" if settings.official else "the best"
            message = f"ties decide nugget.{name} in {where}: f1 is {values}; {taken} counted"
            yield "ties", len(documents), message, documents
        for name, most in self.optimal.items():
            optimal, counted = fsum(most), fsum(self.line[name] if settings.official else self.best[name])
            if name in settings.scored and optimal > counted + SAME:
                rest = fsum(self.matched[name]) - counted
                message = (
                    f"an optimal instead of a greedy mapping would give nugget.{name} f1 {self._f1(rest + optimal)} "
                    f"instead of {self._f1(rest + counted)}"
                )
                yield "optimal-mapping", 1, message, ()
        if self.unproven:
            where = _number(len(self.unproven), "document", "documents")
            message = f"in {where} there are too many ties to prove that the best mapping was found"
            yield "unproven", len(self.unproven), message, self.unproven

    def _f1(self, matched: float) -> str:
        total = self.gold + self.system - self.free_nuggets
        return f"{200 * matched / total:.2f}" if total else "0.00"

    def _about_nuggets(self, settings: Settings) -> Iterator[tuple[str, int, str, Sequence[str]]]:
        for side, number in self.empty.items():
            what = _number(number, f"{side} nugget has", f"{side} nuggets have")
            why = "no visible token or character" if settings.invisible else "an empty place"
            yield "empty-place", number, f"{what} {why}, and cannot be matched", ()
        for side, documents in self.repeated.items():
            where = _number(len(documents), "document", "documents")
            yield "repeated-id", len(documents), f"a {side} mention id occurs twice in {where}", documents
        for side, clusters in self.unknown.items():
            what = _number(len(clusters), f"{side} cluster names", f"{side} clusters name")
            yield "unknown-mention", len(clusters), f"{what} mentions that there are not, which are ignored", clusters
        for (side, attribute), values in self.values.items():
            broken = sorted(value for value in values if "\\x" in value)
            if broken:
                message = (
                    f"{_number(len(broken), 'value', 'values')} of the {side} {attribute} have bytes that are not UTF-8"
                )
                yield "encoding", len(broken), message, broken
        if settings.spelling is None:
            for attribute in settings.attributes:
                yield from self._spellings(attribute)

    def _spellings(self, attribute: str) -> Iterator[tuple[str, int, str, Sequence[str]]]:
        ours = self.values.get(("gold", attribute), set())
        written = {canonical(value): value for value in sorted(ours)}
        other = [
            f"{value} for {written[canonical(value)]}"
            for value in sorted(self.values.get(("system", attribute), set()) - ours)
            if canonical(value) in written
        ]
        if other:
            what = _number(len(other), f"{attribute} value", f"{attribute} values")
            message = f"{what} of the system differ from gold in capitals or punctuation only, and do not match"
            yield "spelling", len(other), message, other

    def _about_tables(self, settings: Settings) -> Iterator[tuple[str, int, str, Sequence[str]]]:
        if self.without_table and settings.invisible:  # without invisible words a table changes nothing
            what = _number(len(self.without_table), "document has", "documents have")
            message = f"{what} no token table, so all words there are visible"
            yield "no-token-table", len(self.without_table), message, self.without_table
        if self.foreign:
            what = _number(len(self.foreign), "document has", "documents have")
            message = f"{what} tokens that are not in the token table: is it the table of another document?"
            yield "foreign-token", len(self.foreign), message, self.foreign
        if self.other_text:
            what = _number(len(self.other_text), "document", "documents")
            message = (
                f"the words of most nuggets of {what} are not those of the token table: is it of another document?"
            )
            yield "foreign-table", len(self.other_text), message, self.other_text

    def _swapped(self) -> bool:
        ours, theirs = ({name.lower() for name in self.names.get(side, ())} for side in ("gold", "system"))
        if theirs and theirs <= GOLD_NAMES and ours and not ours & GOLD_NAMES:
            return True
        return self.confident.get("gold", False) and not self.confident.get("system", True) and not ours & GOLD_NAMES


_WHOLE = ("extra", "input", "stopped")  # what is about whole files


def _joined(one: Any, other: Any) -> Any:
    if isinstance(one, bool):
        return one or other
    if isinstance(one, set):
        return one | other
    if isinstance(one, dict):
        return {key: _joined(one[key], other[key]) if key in other else one[key] for key in one} | {
            key: value for key, value in other.items() if key not in one
        }
    return one + other


def _letters(text: str) -> str:
    """Text without blanks, since tokens do not have those between them."""
    return "".join([c for c in text if c.isalnum()]).lower()


def _number(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
