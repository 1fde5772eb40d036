"""A whole campaign in one folder: from submissions to scores, with people who assess and link in between.

`run_campaign` does every automatic step that is due and says what it waits for. Whether a step is due is decided by
hashes of what it reads and writes, never by times. Steps write whole files or folders, so a run may be interrupted at
any moment and started again.

    validate, filter, pool, assessments -> people assess -> check, frames -> people link -> reference, score

An error in the file of one document stops that document and the scores, but not the work on others. A fault of the
machine (no space, no permission, a failing disk) stops the run, and the next run continues.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from adjudge import temporary
from adjudge._version import __version__
from adjudge.errors import AdjudgeError, EnvironmentFault, Problem, UsageError, refusing
from adjudge.findings import counted
from adjudge.formats.eal_lock import clear_lock
from adjudge.formats.eal_sources import provenance_path
from adjudge.tasks.eal import campaign_steps as steps
from adjudge.tasks.eal.campaign_people import Documents, read_documents, sound_documents
from adjudge.tasks.eal.campaign_scores import FILES, Inputs, Publisher
from adjudge.tasks.eal.campaign_settings import (
    FOLDERS,
    CampaignSettings,
    Fill,
    init_campaign,
    read_settings,
    settings_record,
)
from adjudge.tasks.eal.campaign_state import (
    MEMORY,
    Record,
    State,
    alone,
    digest,
    digest_of,
    read_state,
    remove,
    write_state,
)
from adjudge.tasks.eal.campaign_steps import Made, Rooms, find_submissions, listed

__all__ = ["Each", "Fill", "Status", "Step", "init_campaign", "run_campaign"]

Status: TypeAlias = Literal["done", "up to date", "due", "waiting", "failed"]
FAILED = "failed"  # in place of a hash
CORRECT = "for the assessments to be corrected"
DUE = ""  # stands for what is not available yet: earlier steps have to be done first


class Step(NamedTuple):
    """The outcome of one step; `details` is a file with more."""

    step: str
    subject: str
    status: Status
    message: str
    details: Path | None = None


Each: TypeAlias = "Callable[[Step], None]"


def run_campaign(
    folder: str | Path, *, dry_run: bool = False, each: Each | None = None, publisher: Publisher | None = None
) -> list[Step]:
    """Do every step that is due; `each` is called with every step as soon as it is finished.

    With `dry_run` nothing is done or written, and steps are shown as due. `publisher` draws the report and the graphs
    if the settings ask for them: `adjudge.report.campaign.PUBLISHER`. If the machine refuses something, that is raised
    as an `EnvironmentFault` at once, and nothing is made without what could not be read or written.
    """
    rooms = Rooms(Path(folder))
    run: _Run | None = None
    try:
        run = _Run(rooms, read_settings(rooms.folder), dry_run, each, publisher)
        if dry_run:
            run.state = read_state(rooms.folder)
            run.all()
            return run.told
        with alone(rooms.folder):
            _clear_up(rooms)
            _make_rooms(rooms)
            run.state = read_state(rooms.folder)
            run.all()
    except (EnvironmentFault, OSError, MemoryError) as error:
        raise _stopped(error, rooms.folder, run.at if run else "") from error
    return run.told


def _stopped(error: EnvironmentFault | OSError | MemoryError, folder: Path, step: str) -> EnvironmentFault:
    """The fault with the step at which the campaign stopped."""
    if isinstance(error, EnvironmentFault):
        problems = error.problems
    elif isinstance(error, MemoryError):
        problems = [Problem("out of memory", path=str(folder), hint="free some")]
    else:
        path = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else str(folder)
        problems = [Problem(error.strerror or str(error), path=path, hint=temporary.advice(error))]
    where = f"the campaign has stopped at the step {step!r}" if step else "the campaign has not begun"
    return EnvironmentFault(
        replace(each, hint="; ".join(filter(None, [each.hint, f"{where}, run it again then"]))) for each in problems
    )


def _clear_up(rooms: Rooms) -> None:
    """Remove what killed runs left behind: unfinished files and folders, and locks of stores."""
    stores = (rooms.assessments, rooms.key, rooms.frames, rooms.reference)
    for folder in (rooms.folder, rooms.filtered, *stores, rooms.scores, rooms.reports, rooms.folder / MEMORY):
        temporary.sweep_folder(folder)
    for store in stores:
        clear_lock(store)


def _make_rooms(rooms: Rooms) -> None:
    hint = partial(temporary.advice, otherwise="check the permissions")
    for path in (*(rooms.folder / name for name in FOLDERS), rooms.filtered, rooms.reports):
        with refusing("cannot be made", path, hint):
            path.mkdir(exist_ok=True)


class _Run:
    """One run; a step whose input is not known yet, because it would have to be made first, has None for its hash."""

    def __init__(
        self,
        rooms: Rooms,
        settings: CampaignSettings,
        dry_run: bool,
        each: Each | None,
        publisher: Publisher | None,
    ) -> None:
        self.rooms = rooms
        self.settings = settings
        self.profile = settings.rules()
        self.convention = settings.convention()
        self.state = State()
        self.dry_run = dry_run
        self.publisher = publisher
        self.facts: dict[str, Mapping[str, int]] = {}  # of steps, also of those that have failed
        self.told: list[Step] = []
        self.at = ""  # the current step
        self.systems: list[str] = []  # that are scored
        self._each = each
        self._sources_digest: str | None = None

    def say(self, step: str, subject: str, status: Status, message: str, details: Path | None = None) -> None:
        """Report a step."""
        self.told.append(Step(step, subject, status, message, details))
        if self._each is not None:
            self._each(self.told[-1])

    # ------------------------------------------------------------------------------------------------------------------
    # The order of the steps

    def all(self) -> None:
        """Every step, as far as it goes."""
        documents = self.sources()
        if documents is None:
            return
        pool = self.submissions(documents)
        if not self.systems or pool == FAILED:
            return
        waiting = self.assessments(pool, documents)
        if waiting is None or (waiting == CORRECT and "check" in self.facts):
            held = waiting  # the other documents continue
            sound = sound_documents(self.rooms.assessments, documents)
            waiting, key = self.key(sound)
            frames = None
            if waiting is None and self.profile.linking_layout != "none":
                waiting, frames = self.frames(key, documents, sound, held=held is not None)
            waiting = held or waiting
        if waiting is None:
            self.score(key, frames, sound)
        elif waiting == DUE:
            self.say("score", "", "due", "after the earlier steps, if people are ready")
        else:
            old = ", the existing ones are from an earlier run" if "score" in self.state.steps else ""
            self.say("score", "", "waiting", waiting + old)

    def sources(self) -> Documents | None:
        """Check the texts, on which all depends; the documents of the campaign, or None if it cannot continue."""
        rooms, settings = self.rooms, self.settings
        self.at = "sources"
        if not listed(rooms.sources):
            self.say("sources", "", "waiting", f"put one file per document into {rooms.sources}")
            return None
        documents = read_documents(rooms.folder, settings)
        names = documents.listed or ()
        inputs = lambda: digest(self.convention, *names, str(settings.quotes), self._sources())  # noqa: E731
        action = partial(steps.check_texts, rooms, settings, documents)
        made = self._perform("sources", "", inputs, [rooms.report("sources.txt")], action, quiet=True)
        if made == FAILED:
            self.say("score", "", "waiting", "for the source documents to be corrected")
            return None
        return documents

    def _sources(self) -> str:
        if self._sources_digest is None:
            self._sources_digest = digest_of(self.rooms.sources)
        return self._sources_digest

    def submissions(self, documents: Documents) -> str | None:
        """Validate and filter each submission, and pool them; the hash of the pool, if there is one."""
        rooms, settings = self.rooms, self.settings
        self.at = "submissions"
        found, strays = find_submissions(rooms.submissions)
        self._forget({*found})
        for name, message in strays.items():
            self.say("validate", name, "failed", message)
        if not found and not strays:
            self.say("submissions", "", "waiting", f"put folders, .zip or .tar.gz files into {rooms.submissions}")
            return None
        unknown = [run for runs in settings.teams.values() for run in runs if run not in found]
        if unknown:
            self.say("teams", "", "waiting", f"no submission {', '.join(unknown)}, which campaign.toml names")
        chosen = digest(*(documents.listed or ()))
        sources = digest(self._sources(), chosen)
        ontology = steps.ontology_of(rooms, settings)
        severity = [settings_record(settings.severity)] if settings.severity else []
        kinds = digest_of(ontology) if isinstance(ontology, Path) else ""
        rules = digest(self.convention, settings.ontology, kinds, settings.missing, *severity)
        filters = settings_record(settings.filters())
        left: dict[str, str | None] = {}
        for name, path in found.items():
            self.at = f"validate {name}"
            content = digest_of(path)
            checked = self._perform(
                "validate",
                name,
                partial(digest, content, sources, rules),
                [rooms.report(f"validate-{name}.txt")],
                partial(steps.validate_submission, rooms, settings, documents, name, path),
                about=path,
            )
            if checked == FAILED:
                self._leave_out(name)
                continue
            made = self._perform(
                "filter",
                name,
                None if checked is None else partial(digest, content, sources, self.convention, filters),
                [rooms.filtered / name, rooms.report(f"filter-{name}.tsv")],
                partial(steps.filter_submission, rooms, settings, documents, name, path),
                about=path,
            )
            if made != FAILED:
                left[name] = made
        if not left:
            self.say("pool", "", "waiting", "for a valid submission")
            return None
        self.systems = list(left)
        known = [part for name, made in left.items() for part in (name, made) if part is not None]
        return self._perform(
            "pool",
            "",
            None if None in left.values() else partial(digest, self.convention, *known),
            [rooms.pool, provenance_path(rooms.pool)],
            partial(steps.make_pool, rooms, settings, self.systems),
        )

    def assessments(self, pool: str | None, documents: Documents) -> str | None:
        """Add the pool to the assessments and check them; what has to be waited for, if anything."""
        rooms = self.rooms
        added = self._perform(
            "assessments",
            "",
            None if pool is None else lambda: digest(pool, digest_of(rooms.assessments)),
            [],
            partial(steps.add_to_assessments, rooms),
            edits=True,
        )
        if added is None:
            return DUE
        if added != FAILED and not self.dry_run:
            remove(rooms.begun)  # the state has it
        checked = self._perform(
            "check",
            "",
            lambda: digest(self.convention, pool or "", digest_of(rooms.assessments), self._known(documents)),
            [rooms.report("check.txt")],
            partial(steps.check_assessments, rooms, self.settings, documents),
        )
        if checked is None:
            return DUE
        facts = self.facts.get("check")
        if facts is None:
            return CORRECT
        done = f"{facts['assessed']} of {counted(facts['responses'], 'response')} assessed"
        if facts["assessed"] < facts["responses"]:
            self.say("assess", "", "waiting", f"{done}; fill columns 12 to 18 in {rooms.assessments}")
            return "for the assessments"
        if FAILED in (added, checked):
            return CORRECT
        self.say("assess", "", "done", done)
        return None

    def _known(self, documents: Documents) -> str:
        """Which documents there are, for steps that name files of others."""
        return digest(*(documents.listed or documents.sources.documents))

    def key(self, sound: Sequence[str]) -> tuple[str | None, Path]:
        """The key: the assessments, or these with realis copies."""
        rooms = self.rooms
        if not self.settings.expand_realis:
            return None, rooms.assessments
        inputs = lambda: digest(digest_of(rooms.assessments), *sound)  # noqa: E731
        made = self._perform("key", "", inputs, [rooms.key], partial(steps.expand_key, rooms, sound))
        return DUE if made is None else "for the key" if made == FAILED else None, rooms.key

    def frames(self, key: Path, documents: Documents, sound: Sequence[str], *, held: bool) -> tuple[str | None, Path]:
        """Describe what is to be linked, and read what people have linked; what has to be waited for, if anything.

        If documents are `held` back, the reference would not be whole, and stays as it is.
        """
        rooms = self.rooms

        def inputs() -> str:
            return digest(self.convention, digest_of(key), digest_of(rooms.frames), *sound)

        action = partial(steps.add_to_frames, rooms, key, sound)
        described = self._perform("frames", "", inputs, [], action, edits=True)
        if described is None:
            return DUE, rooms.reference
        facts = self.facts.get("frames")
        if described == FAILED or facts is None:
            return "for the frames to be corrected", rooms.reference
        unlinked = facts["unlinked"]
        if unlinked:
            verb = "is" if unlinked == 1 else "are"
            message = (
                f"{unlinked} of {counted(facts['classes'], 'TRFR')} {verb} not linked; make frames in {rooms.frames}"
            )
            self.say("link", "", "waiting", message)
            return "for the frames", rooms.reference
        self.say("link", "", "done", f"{counted(facts['classes'], 'TRFR')} linked")
        if held:
            return None, rooms.reference
        read = self._perform(
            "reference",
            "",
            lambda: digest(inputs(), self._known(documents)),
            [rooms.reference, rooms.report("reference.txt")],
            partial(steps.write_reference, rooms, self.settings, key, documents, sound),
        )
        return DUE if read is None else "for the frames to be corrected" if read == FAILED else None, rooms.reference

    def score(self, key: Path, frames: Path | None, sound: Sequence[str]) -> None:
        """Score and rank, and produce everything else made from the scores."""
        rooms, settings = self.rooms, self.settings
        systems = {name: rooms.filtered / name for name in self.systems}
        given = Inputs(settings, rooms.folder, key, frames, systems, sound)
        read = [key, *([frames] if frames else []), *systems.values()]
        if settings.genres:
            read.append(rooms.folder / settings.genres)
        chosen = settings_record(settings.scoring())

        def inputs() -> str:
            return digest(self.convention, chosen, digest_of(*read), *sound)

        files = [rooms.scores / name for name in FILES]
        self._perform("score", "", inputs, files, partial(steps.score_systems, rooms, given))
        views = settings.diagnostics()
        self._extra(
            "diagnostics",
            rooms.diagnostics,
            lambda: digest(inputs(), settings_record(views)),
            partial(steps.diagnose, rooms, given) if views else None,
        )
        for name, path, wanted in (("report", rooms.page, settings.report), ("graphs", rooms.graphs, settings.graphs)):
            publisher = self.publisher
            if wanted and publisher is None:
                self.say(name, "", "due", "run_campaign needs a publisher for it: adjudge.report.campaign")
                continue
            action = partial(steps.publish, rooms, given, publisher, name) if wanted and publisher else None
            self._extra(name, path, lambda: digest(inputs(), self._sources()), action)

    def _extra(self, name: str, path: Path, inputs: Callable[[], str], action: Callable[[], Made] | None) -> None:
        """A step that the settings may ask for; what it made goes if they no longer do."""
        if action is not None:
            self._perform(name, "", inputs, [path], action)
        elif name in self.state.steps and not self.dry_run:
            del self.state.steps[name]
            write_state(self.rooms.folder, self.state)
            remove(path)

    # ------------------------------------------------------------------------------------------------------------------
    # One step

    def _perform(
        self,
        step: str,
        subject: str,
        inputs: Callable[[], str] | None,
        outputs: Sequence[Path],
        action: Callable[[], Made],
        *,
        edits: bool = False,
        quiet: bool = False,
        about: Path | None = None,
    ) -> str | None:
        """Do a step if it is due, and return the hash of what it wrote: FAILED if it failed, None if it is not known.

        Without `inputs` the step depends on another one that is due. A step that `edits` what people edit is done until
        there is nothing left to do, so that what is remembered is what it has seen. A `quiet` step is reported only if
        it has something to warn of. A step `about` a submission fails if something is wrong with that; anything else
        that goes wrong says nothing about it, and nothing may be made without it.
        """
        name = self.at = f"{step} {subject}".strip()
        if inputs is None:
            self.say(step, subject, "due", "after the earlier steps")
            return None
        record = self.state.steps.get(name)
        before = digest(__version__, inputs())
        if record is not None and (record.inputs, record.outputs) == (before, digest_of(*outputs)):
            details = None if record.details is None else self.rooms.folder / record.details
            self.facts[name] = record.facts
            if not quiet or record.facts.get("warnings"):
                self.say(step, subject, "up to date", record.message, details)
            return record.outputs
        if self.dry_run:
            if not quiet:
                self.say(step, subject, "due", "its input or its output has changed" if record else "not done yet")
            return None
        failure = self.rooms.report(f"{name.replace(' ', '-')}.failed.txt")
        try:
            made = last = action()
            while edits and last.changed and not last.failed:
                before = digest(__version__, inputs())
                last = action()
        except EnvironmentFault:
            raise
        except AdjudgeError as error:
            if isinstance(error, UsageError) and about is not None and not _is_about(error, about):
                raise EnvironmentFault(error.problems) from None
            made = last = _failure(failure, error)
        if last.facts:
            self.facts[name] = last.facts
        if last.failed:
            self.state.steps.pop(name, None)
            write_state(self.rooms.folder, self.state)
            self.say(step, subject, "failed", last.message, last.details)
            return FAILED
        remove(failure)
        more = None if made.details is None else made.details.relative_to(self.rooms.folder).as_posix()
        record = Record(before, digest_of(*outputs), last.message, more, dict(last.facts))
        self.state.steps[name] = record
        write_state(self.rooms.folder, self.state)
        if not quiet or record.facts.get("warnings"):
            self.say(step, subject, "done" if made.changed else "up to date", made.message, made.details)
        return record.outputs

    def _forget(self, names: set[str]) -> None:
        """Remove what was made from submissions that no longer exist."""
        for name in [each.partition(" ")[2] for each in self.state.steps if each.startswith("filter ")]:
            if name not in names:
                self._leave_out(name)

    def _leave_out(self, name: str) -> None:
        if self.dry_run or f"filter {name}" not in self.state.steps:
            return
        del self.state.steps[f"filter {name}"]
        self.state.steps.pop(f"validate {name}", None)
        write_state(self.rooms.folder, self.state)
        remove(self.rooms.filtered / name)
        remove(self.rooms.report(f"filter-{name}.tsv"))


def _is_about(error: AdjudgeError, path: Path) -> bool:
    """Whether every problem is one of a file, or of something in a folder."""
    own = str(path)
    return all(each.path == own or (each.path or "").startswith((f"{own}/", f"{own}:")) for each in error.problems)


def _failure(report: Path, error: AdjudgeError) -> Made:
    steps.write_problems(report, error.problems)
    first, more = str(error.problems[0]), len(error.problems) - 1
    return Made(first + (f", and {counted(more, 'more problem')}" if more else ""), report, failed=True)
