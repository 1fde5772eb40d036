"""The documents of a campaign, and people's work on them: new work is appended to what they have done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from adjudge.errors import EnvironmentFault, FormatError, Problem, UsageError, did_you_mean, visible
from adjudge.files import write_atomically
from adjudge.findings import Finding, errors_of
from adjudge.formats.eal_assessments import scan_key, write_key
from adjudge.formats.eal_fields import sha1_id
from adjudge.formats.eal_linking import INCOMPLETE, write_linking
from adjudge.formats.eal_lock import identity, locked
from adjudge.formats.eal_sources import Sources, read_list
from adjudge.formats.eal_store import FramesStore, open_frames, open_key, open_store
from adjudge.model.eal import AnswerKey, Arguments, Linking, Response
from adjudge.tasks.eal.apply import ENOUGH
from adjudge.tasks.eal.assess import add_responses
from adjudge.tasks.eal.campaign_settings import FILE, CampaignSettings
from adjudge.tasks.eal.frames import describe, format_linking, layout_of, linkable, project
from adjudge.tasks.eal.stores import scan_linked
from adjudge.tasks.eal.texts import find_quotes

Required: TypeAlias = "Collection[str] | Literal['all'] | None"


@dataclass(frozen=True, slots=True)
class Documents:
    """Those that `campaign.toml` lists, else every document that has a text."""

    listed: tuple[str, ...] | None
    sources: Sources

    def __contains__(self, document: object) -> bool:
        return document in (self.sources if self.listed is None else self.listed)

    def required(self, settings: CampaignSettings) -> Required:
        """The documents that a submission must have."""
        if settings.missing == "empty":
            return None
        return "all" if self.listed is None else self.listed

    def strays(self, names: Iterable[str]) -> list[str]:
        """The files that belong to no document."""
        return [name for name in names if name not in self]

    def stray_findings(self, folder: Path, names: Iterable[str]) -> list[Finding]:
        """A warning for each file that belongs to no document."""
        known = self.sources.one_each() if self.listed is None else self.listed
        message = "this is not a document of the campaign and is not scored"
        found = []
        for name in self.strays(names):
            hint = did_you_mean(name, known) or "move it elsewhere"
            found.append(Finding("stray-file", False, Problem(message, path=str(folder / name), hint=hint), name))
        return found


def read_documents(folder: Path, settings: CampaignSettings) -> Documents:
    """The documents of the campaign in a folder; it is an error if the list of them cannot be read."""
    listed = settings.documents
    if isinstance(listed, str) and listed:
        listed = _read_list(folder / listed)
    names = tuple(dict.fromkeys(each.strip() for each in listed))
    return Documents(names or None, Sources(folder / "sources"))


def _read_list(path: Path) -> tuple[str, ...]:
    names = tuple(line.strip() for _, line in read_list(path, "list of documents", f"check `documents` in {FILE}"))
    if not names:
        hint = f"write one id on each line, or take `documents` out of {FILE}"
        raise FormatError(Problem("the list has no documents", path=str(path), hint=hint))
    return names


def check_sources(documents: Documents, settings: CampaignSettings) -> list[Finding]:
    """Problems in the texts of a campaign: missing or unreadable texts, and unclosed quotations."""
    found: list[Finding] = []
    sources = documents.sources
    exact = settings.rules().quote_tags == "exact"
    for document in sources.one_each() if documents.listed is None else documents.listed:
        try:
            text = sources.text(document)
        except EnvironmentFault:
            raise  # the text may be correct
        except (FormatError, UsageError) as error:
            found += [Finding("text", True, problem, document) for problem in error.problems]
            continue
        unclosed = find_quotes(text, path=sources.place(document), exact=exact)[1]
        found += [Finding("quote", exact and settings.quotes, problem, document) for problem in unclosed]
    return found


def sound_documents(assessments: Path, documents: Documents) -> list[str]:
    """The documents of the campaign whose assessments follow the rules of the file."""
    store = open_key(assessments)
    try:
        names = [document for document in store.documents if document in documents]
        return [document for document in names if not errors_of(store.scan_key(document)[1])]
    finally:
        store.close()


class Added(NamedTuple):
    """What was added to how many files, and the problems of other files, which were not changed."""

    files: int
    responses: int
    problems: list[Problem]


def extend_assessments(pool: Path, assessments: Path, announce: Callable[[Sequence[Response]], None]) -> Added:
    """Add the responses of a pool that the assessments do not have, as waiting; documents that are new get a file.

    Those which go to files that had assessments are announced before any file is changed.
    """
    problems: list[Problem] = []
    changes: dict[str, int] = {}
    lost: list[Response] = []
    with ExitStack() as stack:
        pooled = stack.enter_context(open_store(pool))
        seen = identity(assessments)
        store = stack.enter_context(open_key(assessments))
        for document in pooled.documents:
            key = AnswerKey(document)
            if document in store:
                key, findings = store.scan_key(document)
                wrong = errors_of(findings)
                problems += wrong
                if wrong:
                    continue
            made = add_responses(key, pooled.arguments(document))
            if made.added or document not in store:
                changes[document] = made.added
            if key.assessed and made.added:
                lost += made.key.unassessed[-made.added :]
            if len(problems) >= ENOUGH:
                break
        if not changes:
            return Added(0, 0, problems)
        stack.enter_context(locked(assessments, overwrite=True, seen=seen))
        announce(lost)
        for document in changes:
            _append_responses(assessments / document, pooled.arguments(document))
    return Added(len(changes), sum(changes.values()), problems)


def _append_responses(path: Path, arguments: Arguments) -> None:
    """Append the new responses, with the clusters of their CASes."""
    data = path.read_bytes() if path.exists() else b""
    key, _ = scan_key(
        data, arguments.document, str(path), repeated_cluster="error"
    )  # numbers stay as people wrote them
    known = {*key.assessed, *key.unassessed}
    made = add_responses(key, arguments).key
    new = [response for response in made.unassessed if response not in known]
    lines = write_key(AnswerKey(key.document, {}, new, key.coref))
    write_atomically(path, data + (b"\n" if data and not data.endswith(b"\n") else b"") + lines, sweep=False)


class Linked(NamedTuple):
    """Frames after what is new was added: TRFRs that can be linked, those that no frame has, and what was done."""

    classes: int
    unlinked: int
    files: int
    problems: list[Problem]


def extend_frames(key: Path, frames: Path, documents: Collection[str]) -> Linked:
    """Describe in the frames what can be linked and is neither in a frame nor waiting; new documents get a file.

    Only these `documents` are processed, and files with errors stay as they are. Frames themselves are not changed,
    also if they have become wrong: people must decide about them.
    """
    problems: list[Problem] = []
    changes: list[str] = []
    classes = unlinked = 0
    with ExitStack() as stack:
        keys = stack.enter_context(open_key(key))
        seen = identity(frames)
        store = stack.enter_context(open_frames(frames))
        keys.keep_only(documents)
        for document in keys.documents:
            read = keys.key(document)
            linking, found = scan_linked(store, read)
            problems += found
            rest = project(linking or Linking(document), read).unlinked
            classes += len(linkable(read))
            unlinked += len(rest)
            if not found and (linking is None or _silent(linking, rest_of(read, rest))):
                changes.append(document)
            if len(problems) >= ENOUGH:
                break
        if not changes:
            return Linked(classes, unlinked, 0, problems)
        stack.enter_context(locked(frames, overwrite=True, seen=seen))
        for document in changes:
            _append_frames(frames / document, keys.key(document), store)
    return Linked(classes, unlinked, len(changes), problems)


def rest_of(key: AnswerKey, classes: Iterable[object]) -> list[tuple[Response, ...]]:
    """The responses of TRFRs."""
    wanted = set(classes)
    return [responses for each, responses in linkable(key).items() if each in wanted]


def _silent(linking: Linking, groups: Iterable[tuple[Response, ...]]) -> bool:
    """Whether the file does not say of some TRFR that it waits."""
    return any(linking.incomplete.isdisjoint(group) for group in groups)


def _append_frames(path: Path, key: AnswerKey, store: FramesStore) -> None:
    """Append descriptions of what is new, and a new INCOMPLETE line at the end."""
    linking, _ = scan_linked(store, key)
    projection = project(linking or Linking(key.document), key)
    if linking is None:
        write_atomically(path, format_linking(projection.linking, key, comments=True), sweep=False)
        return
    rest = rest_of(key, projection.unlinked)
    separator = "\t" if layout_of(linking) == "2015" else " "
    old = path.read_bytes().decode().removesuffix("\n").split("\n")
    lines = [line for line in old if line.split(None, 1)[:1] != [INCOMPLETE]]
    for group in rest:
        if linking.incomplete.isdisjoint(group):
            lines += ["#", f"# {visible(describe(group))}", "#" + separator.join(map(sha1_id, group))]
    last = write_linking(Linking(key.document, (), projection.linking.incomplete)).decode()
    write_atomically(path, ("".join(f"{line}\n" for line in lines) + last).encode(), sweep=False)
