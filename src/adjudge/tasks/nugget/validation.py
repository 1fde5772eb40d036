"""Everything that is wrong with a submission of event nuggets, each with its line and column.

An error is what the official programs refuse, or what cannot be scored as it is meant. A warning does no harm to the
score, but is odd or against the letter of the format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from adjudge.errors import FormatError, UsageError
from adjudge.findings import Finding, Findings
from adjudge.formats.source import Source, source_name
from adjudge.formats.tbf import TbfFile, open_tbf
from adjudge.formats.tbf_scan import Section, decode, quote
from adjudge.model.nugget import COREFERENCE
from adjudge.tasks.nugget.settings import canonical
from adjudge.tasks.nugget.spans import place_keys
from adjudge.tasks.nugget.validation_gold import Copies
from adjudge.tasks.nugget.validation_ground import Ground, Grounds
from adjudge.tasks.nugget.validation_lines import Lines, Rules, check_duplicates, check_lines, near
from adjudge.tasks.nugget.validation_relations import check_relations

LIMIT = 20
"""How many of a kind are listed, unless it is said otherwise."""


@dataclass(frozen=True, slots=True)
class NuggetReport:
    """What was found in one file, in file order, and what is in it; `unlisted` counts what is not listed, by kind.

    `gold` says, where nuggets were given, how many there are, and what became of how many of them.
    """

    path: str
    mode: str
    findings: list[Finding]
    unlisted: dict[str, int]
    errors: int
    warnings: int
    documents: int = 0
    empty: int = 0
    mentions: int = 0
    clusters: int = 0
    links: int = 0
    gold: dict[str, int] | None = None


def validate(
    source: Source,
    *,
    types: Iterable[str] | None = None,
    documents: Collection[str] | None = None,
    gold: TbfFile | None = None,
    mode: Literal["token", "char"] | None = None,
    limit: int = LIMIT,
    **where: Any,
) -> NuggetReport:
    """Check a file; the findings are in the order of their places.

    `types` are those that are allowed, `documents` those that must be there. If nuggets were given, they are in `gold`,
    and must have been copied. `where` are tokens and texts (`tables`, `suffix`, `texts`, `text_suffix`, `sizes`: see
    `Grounds`). Token tables mean that places are token ids; else `mode` says how places are written, or it is guessed.
    At most `limit` problems of a kind are listed (0: all).

    >>> report = validate(b"#BeginOfDocument a\\ns\\tb\\tE1\\tt1\\tran\\tMovement\\tPast\\n#EndOfDocument\\n")
    >>> [(each.kind, each.problem.line, each.problem.column) for each in report.findings]
    [('document-column', 2, 3), ('realis', 2, 24)]
    """
    grounds = Grounds(**where)
    if grounds.tables is not None and mode == "char":
        raise UsageError("token tables are of no use for places in characters", hint="give the texts, or mode token")
    if mode == "token" and grounds.texts is not None and grounds.tables is None:
        raise UsageError("texts are of no use for token ids alone", hint="give the token tables, too, or mode char")
    if grounds.tables is not None:
        mode = "token"
    if gold is not None:  # whose places are those of the system
        mode = gold.mode = mode or gold.mode
    out = Findings(source_name(source), limit=limit)
    try:
        file = open_tbf(source, mode=mode)
    except FormatError as error:  # damaged in the middle: nothing else can be said of it
        for problem in error.problems:
            out.add_problem("damaged", problem, error=True)
        return NuggetReport(out.place, mode or "token", out.found, {}, out.errors, out.warnings)
    listed = None if types is None else {canonical(each): each for each in types}
    rules = Rules(file.mode, listed, given=gold is not None)
    copies = None if gold is None else Copies(gold, out)
    checker = _Checker(file, out, grounds, rules, copies)
    try:
        checker.run()
    finally:
        file.close()
    if gold is not None:
        documents = gold.ids
    if documents is not None:
        _check_documents(file, documents, out)
    findings = sorted(
        out.found,
        key=lambda each: (each.problem.path != out.place, each.problem.line or 0, each.problem.column or 0),
    )
    counts = checker.counts
    return NuggetReport(
        out.place,
        file.mode,
        findings,
        out.unlisted(),
        out.errors,
        out.warnings,
        len(file.ids),
        counts["empty"],
        counts["mentions"],
        counts["clusters"],
        counts["links"],
        None if copies is None else copies.finish(),
    )


class _Checker:
    """One file on its way through all checks."""

    def __init__(self, file: TbfFile, out: Findings, grounds: Grounds, rules: Rules, copies: Copies | None) -> None:
        self.file = file
        self.out = out
        self.grounds = grounds
        self.rules = rules
        self.copies = copies
        self.counts: Counter[str] = Counter()
        self.returns = False  # carriage returns have been seen

    def run(self) -> None:
        """All checks but those of the list of documents."""
        file, out = self.file, self.out
        for finding in file.findings:
            out.document = finding.document
            out.add_problem(finding.kind, finding.problem, error=True)
        for kind, unseen in file.index.found.unlisted().items():  # the reader, too, keeps only the first of a kind
            out.counts[kind] += unseen
            out.errors += unseen
        out.document = None
        long = file.remarks.get("long-line")
        if long is not None:
            out.add_problem("long-line", long, error=False)
        counted = {last for _, last in file.index.documents.values()}
        for number, section in enumerate(file.sections):
            if section.id is not None:  # else it is wrong as a whole
                out.document = section.id
                data = file.section_bytes(section)
                self._check_bytes(data, section)
                self._check_section(decode(data), section, counts=number in counted)
        if self.grounds.texts is not None and self.grounds.tables is None and self.rules.mode == "token":
            message = "places are read as token ids, so the texts are not looked at"
            out.document = None
            out.warn("mode", message, None, None, "give the token tables, too, or say --mode char")

    def _check_bytes(self, data: bytes, section: Section) -> None:
        """What is not plain UTF-8 with LF at the end of lines."""
        out = self.out

        def place(at: int) -> tuple[int, int]:
            line = section.line + data.count(b"\n", 0, at)
            return line, len(decode(data[data.rfind(b"\n", 0, at) + 1 : at])) + 1

        if b"\r" in data and not self.returns:
            self.returns = True
            at = data.index(b"\r")
            ends = data[at : at + 2] == b"\r\n"
            message = "lines end in CR LF" if ends else "a carriage return in the middle of a line"
            out.warn("line-ends", message, *place(at), "save the file with LF line ends")
        if b"\0" in data:
            count = data.count(0)
            message = f"{count} null character{'s' * (count > 1)}, the first one here"
            hint = "save the file as UTF-8 text"
            out.add("null", message, *place(data.index(0)), hint)
        if not data.isascii():
            try:
                data.decode()
            except UnicodeDecodeError as error:
                message = f"the byte 0x{data[error.start]:02x} is not UTF-8"
                hint = "convert the file to UTF-8"
                out.warn("encoding", message, *place(error.start), hint)

    def _check_section(self, text: str, section: Section, *, counts: bool) -> None:
        """The lines of a document, whether it counts or not."""
        out, rules = self.out, self.rules
        lines = Lines(section.id or "", section.line)
        ground = self.grounds.find(lines.document, lines.line, rules.mode, out)
        text = text.removeprefix("\ufeff") if section.offset == 0 else text
        check_lines(text, lines, rules, ground, out)
        self._check_fit(lines, ground)
        keys: list[Hashable] = place_keys(lines.nuggets, rules.mode)
        if self.copies is None:  # else gold may have them, and what is not in gold is reported
            check_duplicates(lines, keys, out)
        places: dict[str, Hashable] = dict.fromkeys(lines.ids)
        places.update({nugget.id: key for nugget, key in zip(lines.nuggets, keys, strict=True)})
        check_relations(lines.relations, places, out)
        if self.copies is not None and counts:
            self.copies.check(lines, text)
        clusters = sum(line.relation.name == COREFERENCE for line in lines.relations)
        self.counts["mentions"] += len(lines.nuggets)
        self.counts["clusters"] += clusters
        self.counts["links"] += len(lines.relations) - clusters
        self.counts["empty"] += counts and not lines.nuggets

    def _check_fit(self, lines: Lines, ground: Ground) -> None:
        """If most mentions are elsewhere, the table or the text may be that of another document."""
        count = len(lines.nuggets)
        if lines.misfits > 1 and 2 * lines.misfits > count and (ground.table or ground.text is not None):
            what = "token table" if ground.table else "text"
            message = f"{lines.misfits} of {count} mentions do not fit the {what} of document {quote(lines.document)}"
            hint = "is it that of another document?"
            self.out.warn("misfit", message, lines.line, 1, hint)


def _check_documents(file: TbfFile, wanted: Collection[str], out: Findings) -> None:
    """Documents that are missing, and those that nobody has asked for."""
    known = dict.fromkeys(wanted)
    lines = {section.id: section.line for section in file.sections if section.id is not None}
    for id in file.ids:
        if id and id not in known:
            message = f"document {quote(id)} is not one of those that are scored"
            close = near(id, known)
            hint = f"did you mean {close}?" if close else "remove it, or check the id"
            out.document = id
            out.add("unknown-document", message, lines.get(id), 1, hint)
    for id in known:
        if id and id not in file:
            hint = "write its footer" if id in lines else "write its header and footer, even if it has no mentions"
            out.document = id
            out.add("missing-document", f"document {quote(id)} is missing", None, None, hint)
