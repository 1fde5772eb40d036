"""All problems in a submission of event arguments and linking, each with its file, line and column.

An error is what the official programs refuse, or what cannot be scored as intended. A warning does not affect the
score, but is suspicious or violates the letter of the format. The profile decides where the sources disagree, and the
severity of each kind can be set."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from adjudge.errors import EnvironmentFault, FormatError, Problem, UsageError, did_you_mean, from_keywords
from adjudge.findings import Finding, Findings, Severities, check_severities
from adjudge.formats.eal_fields import BOM, WHITE
from adjudge.formats.eal_layout import Layout
from adjudge.formats.eal_linking import INCOMPLETE, FramePlaces
from adjudge.formats.eal_sources import Offsets, Sources
from adjudge.formats.eal_store import Store, scan_store
from adjudge.model.eal import Arguments, Linking, Response
from adjudge.tasks.eal.ontology import YEARS, Ontology, load_ontology
from adjudge.tasks.eal.settings import Profile, get_profile
from adjudge.tasks.eal.texts import Text
from adjudge.tasks.eal.validation_arguments import File, Rules, check_arguments, quote

Watcher: TypeAlias = Callable[[Arguments, Linking | None, Text | None], None]

KINDS = (
    *("archive", "layout", "junk", "backup", "document-name", "unexpected-document", "missing-document"),
    *("missing-linking", "linking-alone", "text", "encoding", "columns", "extra-columns", "document-id", "empty"),
    *("no-id", "repeated-id", "id-range", "id-form", "repeated-response", "type", "role", "span", "justification"),
    *("realis", "confidence", "time", "time-small-x", "time-calendar", "entity-type", "outside", "split-character"),
    *("astral", "cas-text", "cas-extent", "misfit", "empty-cas", "filler-outside", "overlapping-justifications"),
    *("additional", "quoted", "around-quotation", "quote", "unknown-id", "ambiguous-id", "unlinked"),
    *("generic-linked", "generic-incomplete", "mixed-types", "linked-incomplete", "repeated-incomplete"),
    *("repeated-frame", "hopper-names", "no-hopper-names", "repeated-hopper", "hopper-name", "empty-hopper"),
)
"""Every kind of problem that a submission can have, in the order of `docs/eal-validation.md`."""


class Checks(NamedTuple):
    """What a submission is checked against; `docs` is the folder of the source documents."""

    docs: str | Path | None = None
    ontology: str | Path | Ontology | None = None
    profile: str | Profile = "spec"
    offsets: Offsets | None = None
    layout: Layout | None = None
    documents: Collection[str] | None = None
    required: Collection[str] | Literal["all"] | None = None
    severity: Severities | None = None
    limit: int | None = None


def validate(path: str | Path, *, watch: Watcher | None = None, **checks: Any) -> Findings:
    r"""What is wrong with a folder or an archive, and in `contents` and `facts` what was checked, and by which rules.

    The `checks` are `docs`, `ontology`, `profile`, `offsets`, `layout`, `documents`, `required`, `severity`, `limit`.
    `docs` is the folder of the source documents, without it offsets are not checked; `documents` are those that must
    be there, and no others; `required` those that must be there beside others, "all" is every source document. The
    ontology is that of 2015 unless the profile is that of 2014; the layout is that of the year of the ontology.
    `severity` makes kinds of problems an "error", a "warning", or "off". The first `limit` problems of a kind are
    listed (0: all; None: all if they are few). `watch` is called with each document.

    >>> import tempfile
    >>> line = "1\tD1\tLife.Dye\tVictim\tBob\t0-2\t0-8\t0-2\tNIL\tActual\t0.9\n"
    >>> with tempfile.TemporaryDirectory() as place:
    ...     for name, content in (("arguments", line), ("linking", "")):
    ...         (Path(place) / name).mkdir()
    ...         _ = (Path(place) / name / "D1").write_text(content)
    ...     found = validate(place)
    >>> [(each.kind, each.problem.line, each.problem.column) for each in found.findings]
    [('unlinked', 1, 1), ('type', 1, 6)]
    """
    given = from_keywords(Checks, checks, "validate")
    ontology, profile = given.ontology, get_profile(given.profile)
    early = profile.linking_layout == "none"
    if not isinstance(ontology, Ontology):
        ontology = load_ontology(ontology or ("2014" if early else "2015"))
    if profile.program_roles:
        ontology = ontology.as_in_programs()
    year = "2014" if early else ontology.name if ontology.name in YEARS else "2015"
    rules = Rules(profile, ontology, given.layout or cast("Layout", year), given.offsets or profile.offsets)
    severities = check_severities(given.severity or {}, KINDS)
    out = Findings(str(path), limit=given.limit, severities=severities)
    _describe(out, rules, texts=given.docs is not None)
    try:
        store, findings = scan_store(
            path,
            layout=rules.layout,
            linking_layout="2015" if profile.linking_separator == "tab" and rules.layout == "2015" else None,
            **profile.reading(),
        )
    except FormatError as error:  # an archive that is not safe to unpack is not checked further
        out.take(Finding("archive", True, problem) for problem in error.problems)
        return out
    try:
        out.take(findings)
        _Checker(store, given, rules, out, watch).run()
    finally:
        store.close()
    return out


def _describe(out: Findings, rules: Rules, *, texts: bool) -> None:
    """What is checked and by which rules, for the line of totals and for programs."""
    name, ontology = rules.profile.name, rules.ontology.name
    against = "no source documents: offsets not checked"
    if texts:
        against = f"offsets in {'code points' if rules.offsets == 'code-points' else 'UTF-16 units'}"
    changed = "".join(f", {kind} {severity}" for kind, severity in out.severities.items())
    out.remarks[""] = f"profile {name}, ontology {ontology}{changed}, {against}"
    out.contents.update(document=0, response=0, frame=0)
    out.facts.update(profile=name, decisions=rules.profile.decisions(), severity=dict(out.severities))
    out.facts.update(ontology=ontology, layout=rules.layout, offsets=rules.offsets)
    out.facts.update(source_documents=texts, without_responses=0)


class _Checker:
    """All checks of one submission."""

    def __init__(self, store: Store, given: Checks, rules: Rules, out: Findings, watch: Watcher | None) -> None:
        self.store, self.rules, self.out, self.watch = store, rules, out, watch
        self.sources = None if given.docs is None else Sources(given.docs)
        self.wanted = None if given.documents is None else dict.fromkeys(given.documents)
        self.required = given.required

    def run(self) -> None:
        """All checks, and how many documents, responses and frames there are."""
        store, contents = self.store, self.out.contents
        contents["document"] = len(store.documents)
        empty = 0
        for document in store.documents:
            arguments, linking = self._check(document)
            contents["response"] += len(arguments.arguments)
            contents["frame"] += len(linking.frames) if linking is not None else 0
            empty += not arguments.arguments
        if empty:
            self.out.remarks["document"] = f"{empty} without responses"
        self.out.facts["without_responses"] = empty
        if self.rules.profile.check_documents and self.rules.has_linking:
            for document in store.linking_documents:
                if document not in store:
                    hint = "write its arguments, or an empty file if there are none"
                    message = "a linking file for a document that has no arguments"
                    self._say("linking-alone", message, store.place(document, "linking"), document, hint)
        self._check_missing()

    def _check(self, document: str) -> tuple[Arguments, Linking | None]:
        store, out, rules = self.store, self.out, self.rules
        file, here = File(store, document, out), File(store, document, out, "linking")
        arguments, found = store.scan_arguments(document)
        out.take(found)
        text = self._text(document)
        check_arguments(arguments, text, rules, file)
        linking = None
        if rules.has_linking and store.has_linking:
            linking, found = store.scan_linking(document)
            if linking is None:
                report_missing(arguments, here)
            else:
                check_linking(arguments, linking, rules, here, file)
                out.take(without_echoes(found, arguments, here, file) if found else found)
        if self.watch is not None:
            self.watch(arguments, linking, text)
        return arguments, linking

    def _text(self, document: str) -> Text | None:
        sources = self.sources
        known: Sources | Collection[str] | None = sources
        where = "" if sources is None else f"in {sources.path}"
        if self.wanted is not None and document not in self.wanted:
            known, where = self.wanted, "one of those that were asked for"
        if known is not None and document not in known:
            message = f"the document {quote(document)} is not {where}"
            self._say("unexpected-document", message, self.store.place(document), document, self._hint(document, known))
        if sources is None or document not in sources:
            return None
        try:
            return Text(sources.text(document), self.rules.offsets, sources.place(document))
        except EnvironmentFault:
            raise  # the text may be correct
        except (FormatError, UsageError) as error:
            self.out.take(Finding("text", True, problem, document) for problem in error.problems)
            return None

    def _hint(self, document: str, known: Sources | Collection[str]) -> str:
        stem = document
        while "." in stem:
            stem = stem.rpartition(".")[0]
            if stem in known:
                return f"name the file {stem}, with no extension"
        close = None
        if self.out.has_room("unexpected-document"):  # it takes its time, and if one name is strange, many are
            close = known.remedy(document) if isinstance(known, Sources) else did_you_mean(document, known)
        return close or "remove the file, or check the document id"

    def _check_missing(self) -> None:
        store, profile = self.store, self.rules.profile
        if not store.documents and self.out.errors:
            return  # that nothing was found has another reason, which is told
        texts = [] if self.sources is None else self.sources.one_each(store.documents)
        if self.required is not None and (self.required != "all" or self.sources is not None):
            wanted, error = texts if self.required == "all" else sorted(self.required), True
        elif self.wanted is not None:
            wanted, error = list(self.wanted), profile.check_documents
        else:  # there may be more texts than were asked for
            wanted, error = texts if profile.check_documents else [], False
        for document in wanted:
            if document in store:
                continue
            folders = "arguments/ and linking/" if self.rules.has_linking else "arguments/"
            hint = f"write files for it into {folders}, even if they are empty"
            if self.required == "all" and self.sources is not None:
                hint += f"; if it is not a document, keep it out of {self.sources.path}"
            message = f"the document {quote(document)} is missing"
            self._say("missing-document", message, store.path, document, hint, error=error)

    def _say(self, kind: str, message: str, place: str, document: str, hint: str, *, error: bool = True) -> None:
        self.out.add_problem(kind, Problem(message, path=place, hint=hint), document=document, error=error)


def check_linking(arguments: Arguments, linking: Linking, rules: Rules, here: File, there: File) -> None:
    """Report problems in frames; `here` is the linking file, `there` that of the arguments."""
    linked = linking.linked
    _check_presence(arguments, linking, linked, there)
    places = FramePlaces(lambda: here.lines, arguments, linking, rules.profile.linking_separator)
    _check_hoppers(linking, rules, places, here)
    seen: dict[frozenset[Response], int] = {}
    for number, (responses, _) in enumerate(linking.frames):
        first = seen.setdefault(responses, number)
        if first != number:
            line, column = places.of(number)
            message = f"the frame of line {places.of(first)[0]} is repeated"
            here.say("repeated-frame", message, line, column, hint="keep one of the two lines", error=False)
    if any(response[7] == "Generic" for response in linked):  # where they stand is only looked for if there are any
        for number, (responses, _) in enumerate(linking.frames):
            for response in sorted(each for each in responses if each.realis == "Generic"):
                line, column = places.of(number, response)
                message = f"the response {_name(response)} is generic, but in a frame"
                here.say("generic-linked", message, line, column, hint="take its id off the line")
    for response in sorted(each for each in linking.incomplete if each.realis == "Generic"):
        message = f"the response {_name(response)} is generic, but on the {INCOMPLETE} line"
        place = places.waiting((response,))
        here.say("generic-incomplete", message, *place, hint="take its id off the line", error=False)
    if rules.profile.check_frame_types:
        _check_types(linking, rules, places, here)


def report_missing(arguments: Arguments, file: File) -> None:
    """Report that a document has no linking file."""
    linkable = sum(each.response.realis != "Generic" for each in arguments.arguments)
    hint = f"link the {linkable} responses that are not generic" if linkable else "write an empty one"
    file.say("missing-linking", "there is no linking file for this document", hint=hint)


def without_echoes(found: Sequence[Finding], read: Arguments, here: File, there: File) -> list[Finding]:
    """Findings of the reader but for ids that are unknown only because their responses could not be read."""
    unknown = [finding for finding in found if finding.kind == "unknown-id"]
    if not unknown:
        return list(found)
    if not there.lines and there.data.removeprefix(BOM):  # the whole file could not be read
        return [finding for finding in found if finding.kind != "unknown-id"]
    good = {argument.line for argument in read.arguments}
    unread = {
        line.partition("\t")[0].strip(WHITE)
        for number, line in enumerate(there.lines, 1)
        if number not in good and line and line[0] != "#"
    }
    if not unread:
        return list(found)

    def is_echo(finding: Finding) -> bool:
        problem = finding.problem
        if finding.kind != "unknown-id" or problem.line is None or problem.column is None:
            return False
        rest = here.lines[problem.line - 1][problem.column - 1 :]
        return any(each in unread for each in (rest.partition("\t")[0].strip(WHITE), *rest.split(None, 1)[:1]))

    return [finding for finding in found if not is_echo(finding)]


def _check_presence(arguments: Arguments, linking: Linking, linked: Collection[Response], file: File) -> None:
    # Who is linked is among the arguments, which are all different, so often counting is enough.
    generic = sum(argument[0][7] == "Generic" for argument in arguments.arguments)
    if len(linked) - sum(response[7] == "Generic" for response in linked) == len(arguments.arguments) - generic:
        return
    for argument in arguments.arguments:
        response = argument[0]
        if response in linked or response.realis == "Generic":
            continue
        if response in linking.incomplete:
            message = f"the response is only on the {INCOMPLETE} line"
            hint = "put it into a frame, even if only its own"
        else:
            message, hint = "the response is in no frame, and it is not generic", "give it a line in the linking file"
        file.say_of("unlinked", message, argument, 1, hint=hint)


def _check_hoppers(linking: Linking, rules: Rules, places: FramePlaces, file: File) -> None:
    """Names of frames are of 2016."""
    if not linking.frames:
        return
    named = linking.frames[0].id is not None
    line, column = places.of(0) if named != (rules.layout == "2016") else (None, None)
    if named and rules.layout == "2015":
        message = f"lines begin with names of frames such as {quote(linking.frames[0].id or '')}"
        hint = "programs of 2015 take them for ids: leave them out"
        file.say("hopper-names", message, line, column, hint=hint, error=False)
    elif not named and rules.layout == "2016":
        message = "lines do not begin with the name of a hopper"
        file.say("no-hopper-names", message, line, column, hint="write a name, a TAB, and ids with blanks between them")


def _check_types(linking: Linking, rules: Rules, places: FramePlaces, file: File) -> None:
    ontology = rules.ontology
    for number, (responses, _) in enumerate(linking.frames):
        types = {response[1] for response in responses}
        if len(types) == 1:
            continue
        types = set(filter(ontology.is_type, types))  # others are reported as such
        wrong = next((pair for pair in combinations(sorted(types), 2) if not ontology.are_linkable(*pair)), None)
        if wrong is not None:
            shown = " and ".join(wrong)
            more = f" ({len(types)} types in all)" if len(types) > 2 else ""
            line, column = places.of(number)
            hint = "make a frame for each event type"
            file.say("mixed-types", f"a frame with responses of {shown}{more}", line, column, hint=hint)


def _name(response: Response) -> str:
    return f"{quote(response.cas.text)} ({response.type}, {response.role})"
