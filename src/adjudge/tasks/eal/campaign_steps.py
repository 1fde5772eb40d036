"""The steps of a campaign: each reads some folders, writes others atomically, and reports it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from adjudge.errors import Problem, refusing, some_of, visible
from adjudge.files import write_atomically
from adjudge.findings import Finding, Findings, Severities, counted, finding_lines, totals_line
from adjudge.formats.archive import SUFFIXES
from adjudge.formats.eal_fields import sha1_id
from adjudge.formats.eal_layout import is_junk
from adjudge.formats.eal_sources import Sources, in_units, provenance_path
from adjudge.formats.eal_store import StoreWriter, open_frames, open_key
from adjudge.formats.eal_write import Companion
from adjudge.model.eal import Arguments, Linking, Response
from adjudge.tasks.eal.apply import (
    Operation,
    apply,
    cutoff,
    documents,
    keep_until,
    linking_layout,
    pool_stores,
    top,
)
from adjudge.tasks.eal.campaign_people import Documents, check_sources, extend_assessments, extend_frames
from adjudge.tasks.eal.campaign_scores import Inputs, Publisher, write_diagnostics, write_files, write_scores
from adjudge.tasks.eal.campaign_settings import CampaignSettings
from adjudge.tasks.eal.campaign_state import MEMORY, kind_of
from adjudge.tasks.eal.consistency import check
from adjudge.tasks.eal.frames import describe
from adjudge.tasks.eal.ontology import YEARS
from adjudge.tasks.eal.responses import Outcome, Removed, both, trim
from adjudge.tasks.eal.settings import Profile
from adjudge.tasks.eal.stores import change_store, expanding, read_store
from adjudge.tasks.eal.texts import Quoted, expand_justifications, filter_quotes, sentences
from adjudge.tasks.eal.validation import validate

_COLUMNS = ("document", "reason", "id", "type", "role", "CAS", "CAS offsets", "realis", "confidence", "instead")


class Rooms:
    """The folders of a campaign; people fill sources, submissions, assessments and frames, and steps the others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources, self.submissions = folder / "sources", folder / "submissions"
        self.filtered = folder / "filtered"  # each submission after the filters
        self.pool = folder / "pool"
        self.assessments = folder / "assessments"  # people's assessments of each response
        self.key = folder / "key"  # the same with copies for the correct realis
        self.frames = folder / "frames"  # what people link
        self.reference = folder / "reference"  # the same in full
        self.reports = folder / "reports"  # the report of each step
        self.scores = folder / "scores"
        self.diagnostics, self.graphs = self.scores / "diagnostics", self.scores / "graphs"
        self.page = self.scores / "report.html"
        self.begun = folder / MEMORY / "assessments.txt"  # what is being added to the assessments

    def report(self, name: str) -> Path:
        """A file with the details of a step."""
        return self.reports / name


class Made(NamedTuple):
    """The outcome of a step: a sentence, details, numbers for later steps; `changed` if it wrote anything."""

    message: str
    details: Path | None = None
    failed: bool = False
    changed: bool = True
    facts: Mapping[str, int] = {}


def listed(folder: Path) -> list[Path]:
    """The contents of a folder, without files that operating systems leave there."""
    with refusing("cannot be read", folder, "it should be a folder that you may read"):
        try:
            return sorted(each for each in folder.iterdir() if not is_junk(each.name))
        except FileNotFoundError:
            return []


def find_submissions(folder: Path) -> tuple[dict[str, Path], dict[str, str]]:
    """Submissions by the names of their systems, and other files with their problems."""
    found: dict[str, Path] = {}
    strays: dict[str, str] = {}
    for path in listed(folder):
        name = path.name
        if kind_of(path) != "folder":
            ending = next((each for each in SUFFIXES if name.lower().endswith(each)), None)
            if ending is None:
                strays[name] = "this is not a submission, give a folder, a .zip or a .tar.gz"
                continue
            name = name[: -len(ending)]
        other = next((each for each in found if each.casefold() == name.casefold()), None)
        if other is not None:
            strays[path.name] = f"{found[other].name} has the same name, rename one of them; {found[other].name} counts"
        elif not name.isprintable() or not name.strip() or name.lower().endswith(SUFFIXES):
            strays[path.name] = "this cannot be the name of a system, rename it"
        else:
            found[name] = path
    return found, strays


def ontology_of(rooms: Rooms, settings: CampaignSettings) -> str | Path:
    """The name of an ontology, or the file that holds it."""
    return settings.ontology if settings.ontology in YEARS else rooms.folder / settings.ontology


def check_texts(rooms: Rooms, settings: CampaignSettings, documents: Documents) -> Made:
    """Check the source documents, on which everything else depends."""
    found = Findings(str(rooms.sources), limit=0)
    found.take(check_sources(documents, settings))
    report = rooms.report("sources.txt")
    _write(report, finding_lines(found))
    wrong = f"{counted(found.errors, 'error')}, {counted(found.warnings, 'warning')}"
    first = f": {found.found[0].problem}" if found.found else ""
    facts = {"warnings": found.warnings}
    return Made(wrong + first, report if found.total else None, failed=bool(found.errors), facts=facts)


def validate_submission(rooms: Rooms, settings: CampaignSettings, documents: Documents, name: str, path: Path) -> Made:
    """Validate a submission and write a report of its problems."""
    ontology = ontology_of(rooms, settings)
    found = validate(
        path,
        docs=rooms.sources,
        ontology=ontology,
        profile=settings.rules(),
        required=documents.required(settings),
        severity=settings.severity,
    )
    report = rooms.report(f"validate-{name}.txt")
    _write(report, [*finding_lines(found), totals_line(found)])
    summary = ", ".join(counted(found.contents[what], what) for what in ("document", "response"))
    wrong = f"{counted(found.errors, 'error')}, {counted(found.warnings, 'warning')}"
    if found.errors:
        return Made(f"{wrong}: left out", report, failed=True)
    warned = f", {counted(found.warnings, 'warning')}" if found.warnings else ""
    return Made(summary + warned, report if warned else None)


def filter_submission(rooms: Rooms, settings: CampaignSettings, documents_: Documents, name: str, path: Path) -> Made:
    """Write the filtered submission, and a list of what was removed and why."""
    profile = settings.rules()
    linking = profile.linking_layout != "none"
    report = rooms.report(f"filter-{name}.tsv")
    changes = 0
    with ExitStack() as stack:
        store = profile.open_store(path)
        stack.callback(store.close)
        operation = _filters(settings, profile, documents_.sources)
        if settings.top and settings.top_per == "submission":
            filtered = (operation(*each) for each in documents(store, linking=linking, only=documents_))
            last = cutoff(((each.arguments, each.linking) for each in filtered), settings.top)
            operation = _chain([operation, partial(keep_until, last=last)])
        layout = linking_layout(store) if linking else "2015"
        writer = StoreWriter(
            rooms.filtered / name, linking=linking and store.has_linking, layout=layout, overwrite=True
        )
        with writer:
            stream = writer.beside(report)
            stream.write("\t".join(_COLUMNS) + "\n")
            each = partial(_list_removed, stream)
            summary = apply(store, writer, operation, linking=linking, each=each, only=documents_)
        changes = sum(summary.removed.values())
    gone = ", ".join(f"{number} {reason}" for reason, number in summary.removed.items())
    changed = "".join(f", {number} {reason}" for reason, number in summary.changed.items())
    message = f"{summary.kept} of {counted(summary.responses, 'response')} kept"
    return Made(message + (f"; removed: {gone}" if gone else "") + changed, report if changes else None)


def _filters(settings: CampaignSettings, profile: Profile, sources: Sources) -> Operation:
    """The filters of a campaign one after the other."""

    quoted = Quoted(sources, profile.offsets, profile.quote_tags == "exact")

    def expand(arguments: Arguments, linking: Linking | None) -> Outcome:
        text = sources.text(arguments.document)
        return expand_justifications(arguments, linking, in_units(text, sentences(text), profile.offsets))

    def unquote(arguments: Arguments, linking: Linking | None) -> Outcome:
        return filter_quotes(arguments, linking, quoted(arguments.document))

    steps: list[Operation] = []
    if settings.expand_justifications:
        steps.append(expand)
    if settings.quotes:
        steps.append(unquote)
    if settings.trim:
        steps.append(partial(trim, nested=settings.nested, unlinked=profile.unlinked))
    if settings.top and settings.top_per == "document":
        steps.append(partial(top, count=settings.top))
    return _chain(steps)


def _chain(steps: Sequence[Operation]) -> Operation:
    def operation(arguments: Arguments, linking: Linking | None) -> Outcome:
        outcome = Outcome(arguments, linking)
        for step in steps:
            outcome = both(outcome, step(outcome.arguments, outcome.linking))
        return outcome

    return operation


def _list_removed(stream: Companion, outcome: Outcome) -> None:
    for each in outcome.removed:
        stream.write("\t".join(map(visible, _removed(each))) + "\n")


def _removed(each: Removed) -> tuple[str, ...]:
    response = each.argument.response
    return (
        response.document,
        each.reason,
        each.argument.id or sha1_id(response),
        response.type,
        response.role,
        response.cas.text,
        str(response.cas.span),
        response.realis,
        f"{each.argument.confidence:g}",
        "" if each.instead is None else each.instead.id or sha1_id(each.instead.response),
    )


def make_pool(rooms: Rooms, settings: CampaignSettings, names: Sequence[str]) -> Made:
    """Pool the filtered submissions."""
    profile = settings.rules()
    with ExitStack() as stack:
        stores = {name: profile.open_store(rooms.filtered / name) for name in names}
        for store in stores.values():
            stack.callback(store.close)
        with StoreWriter(rooms.pool, linking=False, overwrite=True) as writer:
            summary = pool_stores(stores, writer, writer.beside(provenance_path(rooms.pool)))
    several = f"{counted(len(names), 'system')}, {counted(summary.documents, 'document')}"
    return Made(f"{counted(summary.kept, 'response')} of {several}")


def add_to_assessments(rooms: Rooms) -> Made:
    """Add pooled responses to the assessments.

    What is to be added to files that had assessments is written down before, and stays so until the step is done: a run
    that was interrupted, and the one that completes it, report it together.
    """
    lines = _lines(rooms.begun)

    def announce(lost: Sequence[Response]) -> None:
        told = "was pooled, had no line in the assessments, and waits there now"
        new = [visible(f"{each.document}: {sha1_id(each)} {describe((each,))} {told}") for each in lost]
        lines.extend(line for line in new if line not in lines)
        if lines:
            _write(rooms.begun, lines)

    added = extend_assessments(rooms.pool, rooms.assessments, announce)
    done = f"{counted(added.responses, 'response')} added to {counted(added.files, 'file')}"
    if added.problems:
        return _refused(rooms, "assessments", added.problems, done if added.files else "nothing was added")
    report = rooms.report("assessments.txt") if lines else None
    if report is not None:
        _write(report, lines)
    return Made(done if added.files else "every pooled response is there", report, changed=bool(added.files))


def check_assessments(rooms: Rooms, settings: CampaignSettings, documents: Documents) -> Made:
    """Check what people have assessed so far, and compare it with the pool."""
    store = open_key(rooms.assessments)
    store.close()
    known = [each for each in store.documents if each in documents]
    strays = documents.stray_findings(rooms.assessments, store.documents)
    waits: Severities = {"unassessed": "off"}
    found = check(rooms.assessments, pool=rooms.pool, documents=known, profile=settings.rules(), severity=waits)
    found.take(strays)
    report = rooms.report("check.txt")
    _write(report, finding_lines(found))
    done, left = (found.contents[f"{which} response"] for which in ("assessed", "unassessed"))
    documents_, clusters = (counted(found.contents[what], what) for what in ("document", "cluster"))
    message = f"{documents_}, {clusters}, {counted(found.errors, 'error')}, {counted(found.warnings, 'warning')}"
    facts = {"assessed": done, "responses": done + left}
    shown = report if found.total else None
    return Made(message + _not_scored(strays), shown, failed=bool(found.errors), facts=facts)


def _not_scored(strays: Sequence[Finding]) -> str:
    return f"; not a document: {some_of([finding.document or '' for finding in strays], 3)}" if strays else ""


def expand_key(rooms: Rooms, documents: Sequence[str]) -> Made:
    """Write the assessments with copies for the correct realis."""
    summary = change_store(rooms.assessments, rooms.key, expanding, overwrite=True, documents=documents)
    return Made(f"{counted(len(summary.changes), 'copy')} with the assessed realis added")


def add_to_frames(rooms: Rooms, key: Path, documents: Sequence[str]) -> Made:
    """Describe what is to be linked."""
    linked = extend_frames(key, rooms.frames, documents)
    facts = {"classes": linked.classes, "unlinked": linked.unlinked}
    done = f"{counted(linked.classes, 'TRFR')} described"
    written = f"{counted(linked.files, 'file')} written"
    if linked.problems:
        made = _refused(rooms, "frames", linked.problems, written if linked.files else "nothing was added")
        return made._replace(facts=facts)
    if not linked.files:
        return Made(done, changed=False, facts=facts)
    return Made(f"{done}, {written}", facts=facts)


def write_reference(
    rooms: Rooms, settings: CampaignSettings, key: Path, documents: Documents, sound: Sequence[str]
) -> Made:
    """Check the frames that people have made, and write them in full."""
    store = open_frames(rooms.frames)
    store.close()
    strays = documents.stray_findings(rooms.frames, store.documents)
    read = {*sound, *store.documents} - {finding.document for finding in strays}
    found = read_store(
        rooms.frames,
        key,
        rooms.reference,
        overwrite=True,
        profile=settings.rules(),
        complete=True,
        documents=[each for each in read if each is not None],
    )
    report = rooms.report("reference.txt")
    findings = found.findings
    findings.take([*store.notes, *strays])
    _write(report, finding_lines(findings))
    frames, classes = (sum(each) for each in zip(*((d.frames, d.classes) for d in found.documents), strict=True))
    wrong = f"{counted(findings.errors, 'error')}, {counted(findings.warnings, 'warning')}"
    message = f"{counted(frames, 'frame')} of {counted(classes, 'TRFR')}, {wrong}{_not_scored(strays)}"
    return Made(message, report if findings.total else None, failed=bool(findings.errors))


def score_systems(rooms: Rooms, inputs: Inputs) -> Made:
    """Score and rank the filtered submissions."""
    return Made(write_scores(rooms.scores, inputs), rooms.scores / "scores.txt")


def diagnose(rooms: Rooms, inputs: Inputs) -> Made:
    """Score the diagnostic views."""
    return Made(write_diagnostics(rooms.diagnostics, inputs), rooms.diagnostics)


def publish(rooms: Rooms, inputs: Inputs, publisher: Publisher, what: str) -> Made:
    """Write the page, or the graphs."""
    if what == "report":
        write_atomically(rooms.page, publisher.page(inputs).encode("utf-8", "backslashreplace"))
        return Made("the outcome of every response", rooms.page)
    files = publisher.graphs(inputs)
    write_files(rooms.graphs, files)
    return Made(counted(len(files), "graph"), rooms.graphs)


def _refused(rooms: Rooms, name: str, problems: Sequence[Problem], what: str) -> Made:
    report = rooms.report(f"{name}.failed.txt")
    write_problems(report, problems)
    where = some_of(sorted({Path(problem.path).name for problem in problems if problem.path}), 3)
    message = f"{counted(len(problems), 'problem')} to be corrected first in {where}; {what}"
    return Made(message, report, failed=True)


def _lines(path: Path) -> list[str]:
    with refusing("cannot be read", path, "check the permissions"):
        return path.read_text(encoding="utf-8").splitlines() if kind_of(path) else []


def _write(path: Path, lines: Iterable[str]) -> None:
    text = "".join(f"{visible(line)}\n" for line in lines)
    write_atomically(path, text.encode("utf-8", "backslashreplace"))


def write_problems(path: Path, problems: Sequence[Problem]) -> None:
    """Write down problems, one per line."""
    _write(path, map(str, problems))
