"""A whole campaign in one folder: from submissions to scores, with people who assess and link in between.

`run_campaign` does every automatic step that is due and says what it waits for. Whether a step is due is decided by
hashes of what it reads and writes, never by times. Steps write whole files or folders, so a run may be interrupted at
any moment and started again.

    validate, filter, pool, assessments -> people assess -> check, frames -> people link -> reference, score
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from adjudge import scratch
from adjudge._version import __version__
from adjudge.errors import AdjudgeError, Problem, UsageError
from adjudge.formats.eal_layout import is_junk
from adjudge.stats.atomic import write_atomically
from adjudge.tasks.eal import campaign_steps as steps
from adjudge.tasks.eal.apply import provenance_path
from adjudge.tasks.eal.campaign_scores import FILES
from adjudge.tasks.eal.campaign_settings import FILE, TEMPLATE, CampaignSettings, read_settings, settings_record
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
from adjudge.tasks.eal.campaign_steps import Made, Rooms, count, find_submissions, listed
from adjudge.tasks.eal.locking import clear_lock
from adjudge.tasks.eal.profiles import get_profile

Status: TypeAlias = Literal["done", "up to date", "due", "waiting", "failed"]
FAILED = "failed"  # in place of a hash
DUE = ""  # in place of what has to be waited for: steps before would have to be done first
FOLDERS = ("sources", "submissions", "pool", "assessments", "frames", "scores")


class Step(NamedTuple):
    """What became of one step; `details` is a file with more."""

    step: str
    subject: str
    status: Status
    message: str
    details: Path | None = None


Each: TypeAlias = "Callable[[Step], None]"
Fill: TypeAlias = "Callable[[Path], Sequence[Path]]"


def init_campaign(folder: str | Path, *, fill: Fill | None = None) -> list[Path]:
    """Lay out a campaign, and give what was made; nothing that is there is changed.

    `fill` puts something into it, and gives what. The settings come last: without them there is no campaign, and what
    was made before is made again.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     made = init_campaign(Path(place) / "new")
    >>> [path.name for path in made]
    ['campaign.toml', 'sources', 'submissions', 'pool', 'assessments', 'frames', 'scores']
    """
    shown, folder = str(folder), Path(folder)
    try:
        _refuse_second(folder, shown)
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside the folder, or in it, because it may be a disk of its own or that in which somebody stands.
        place = folder / FILE if folder.is_dir() else Path(os.path.realpath(folder))
        with scratch.guarded(place, wait=True):
            scratch.sweep(place)
            _refuse_second(folder, shown)  # there may be one since somebody else was waited for
            name, handle = scratch.make_folder(place)
            stage = Path(name)
            try:
                for room in FOLDERS:
                    (stage / room).mkdir()
                filled = [] if fill is None else [path.relative_to(stage) for path in fill(stage)]
                write_atomically(stage / FILE, TEMPLATE.encode(), sweep=False)
                _move_in(stage, folder, shown)
            finally:
                scratch.remove(name)
                if handle is not None:
                    os.close(handle)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(Problem(f"cannot be made: {reason}", path=shown, hint=scratch.advice(error))) from None
    return [folder / FILE, *(folder / name for name in FOLDERS), *(folder / each for each in filled)]


def _refuse_second(folder: Path, shown: str) -> None:
    if (folder / FILE).exists():
        hint = f"continue it with: adjudge eal campaign run {shown}"
        raise UsageError(Problem("there is a campaign already", path=shown, hint=hint))


def _move_in(stage: Path, folder: Path, shown: str) -> None:
    if not folder.is_dir():
        stage.rename(folder)
        return
    there = {each.name for each in folder.iterdir() if not is_junk(each.name)}
    # What somebody who was killed has made is just what is made now.
    if any(not (stage / name).exists() or digest_of(stage / name) != digest_of(folder / name) for name in there):
        hint = "choose a new folder, or an empty one"
        raise UsageError(Problem("the folder is not empty", path=shown, hint=hint))
    for each in sorted(stage.iterdir(), key=lambda path: path.name == FILE):
        if each.name not in there:
            each.rename(folder / each.name)


def run_campaign(folder: str | Path, *, dry_run: bool = False, each: Each | None = None) -> list[Step]:
    """Do every step that is due; `each` is told of every step as soon as it is over.

    With `dry_run` nothing is done or written, and steps are said to be due.
    """
    rooms = Rooms(Path(folder))
    settings = read_settings(rooms.folder)
    run = _Run(rooms, settings, State(), dry_run, each)
    if dry_run:
        run.state = read_state(rooms.folder)
        run.all()
        return run.told
    with alone(rooms.folder):
        _clear_up(rooms)
        _make_rooms(rooms)
        run.state = read_state(rooms.folder)
        run.all()
    return run.told


def _clear_up(rooms: Rooms) -> None:
    """Remove what was left by runs that were killed: files and folders that nobody finishes, and locks of stores."""
    stores = (rooms.assessments, rooms.key, rooms.frames, rooms.reference)
    for folder in (rooms.folder, rooms.filtered, *stores, rooms.scores, rooms.reports, rooms.folder / MEMORY):
        scratch.sweep_folder(folder)
    for store in stores:
        clear_lock(store)


def _make_rooms(rooms: Rooms) -> None:
    try:
        for path in (*(rooms.folder / name for name in FOLDERS), rooms.filtered, rooms.reports):
            path.mkdir(exist_ok=True)
    except OSError as error:
        hint = "check the permissions"
        raise UsageError(Problem(f"cannot be made: {error.strerror or error}", path=str(path), hint=hint)) from None


class _Run:
    """One run; a step whose input is not known yet, because it would have to be made first, has None for its hash."""

    def __init__(
        self, rooms: Rooms, settings: CampaignSettings, state: State, dry_run: bool, each: Each | None
    ) -> None:
        self.rooms = rooms
        self.settings = settings
        self.profile = get_profile(settings.profile)
        self.state = state
        self.dry_run = dry_run
        self.told: list[Step] = []
        self.systems: list[str] = []  # that are scored
        self._each = each

    def say(self, step: str, subject: str, status: Status, message: str, details: Path | None = None) -> None:
        """Report a step."""
        self.told.append(Step(step, subject, status, message, details))
        if self._each is not None:
            self._each(self.told[-1])

    # ------------------------------------------------------------------------------------------------------------------
    # The order of the steps

    def all(self) -> None:
        """Every step, as far as it goes."""
        pool = self.submissions()
        if not self.systems or pool == FAILED:
            return
        waiting = self.assessments(pool)
        if waiting is None:
            waiting, key = self.key()
        frames = None
        if waiting is None and self.profile.linking_layout != "none":
            waiting, frames = self.frames(key)
        if waiting is None:
            self.score(key, frames)
        elif waiting == DUE:
            self.say("score", "", "due", "after the steps before, if people are ready")
        else:
            old = ", those that are there are from before" if "score" in self.state.steps else ""
            self.say("score", "", "waiting", waiting + old)

    def submissions(self) -> str | None:
        """Validate and filter each submission, and pool them; the hash of the pool, if there is one."""
        rooms, settings = self.rooms, self.settings
        if not listed(rooms.sources):
            self.say("sources", "", "waiting", f"put one file per document into {rooms.sources}")
            return None
        found, strays = find_submissions(rooms.submissions)
        self._forget({*found})
        for name, message in strays.items():
            self.say("validate", name, "failed", message)
        if not found and not strays:
            self.say("submissions", "", "waiting", f"put folders, .zip or .tar.gz files into {rooms.submissions}")
            return None
        sources = digest_of(rooms.sources)
        ontology = steps.ontology_of(rooms, settings)
        severity = [settings_record(settings.severity)] if settings.severity else []
        own = digest_of(ontology) if isinstance(ontology, Path) else ""
        rules = digest(settings.profile, settings.ontology, own, *severity)
        filters = settings_record(settings.filters())
        left: dict[str, str | None] = {}
        for name, path in found.items():
            content = digest_of(path)
            checked = self._perform(
                "validate",
                name,
                partial(digest, content, sources, rules),
                [rooms.report(f"validate-{name}.txt")],
                partial(steps.validate_submission, rooms, settings, name, path),
            )
            if checked == FAILED:
                self._leave_out(name)
                continue
            made = self._perform(
                "filter",
                name,
                None if checked is None else partial(digest, content, sources, settings.profile, filters),
                [rooms.filtered / name, rooms.report(f"filter-{name}.tsv")],
                partial(steps.filter_submission, rooms, settings, name, path),
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
            None if None in left.values() else partial(digest, settings.profile, *known),
            [rooms.pool, provenance_path(rooms.pool)],
            partial(steps.make_pool, rooms, settings, self.systems),
        )

    def assessments(self, pool: str | None) -> str | None:
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
        if added is None or added == FAILED:
            return DUE if added is None else "for the assessments to be corrected"
        checked = self._perform(
            "check",
            "",
            lambda: digest(self.settings.profile, digest_of(rooms.assessments)),
            [rooms.report("check.txt")],
            partial(steps.check_assessments, rooms, self.settings),
        )
        if checked is None or checked == FAILED:
            return DUE if checked is None else "for the assessments to be corrected"
        facts = self.state.steps["check"].facts
        done = f"{facts['assessed']} of {count(facts['responses'], 'response')} assessed"
        if facts["assessed"] < facts["responses"]:
            self.say("assess", "", "waiting", f"{done}; fill columns 12 to 18 in {rooms.assessments}")
            return "for the assessments"
        self.say("assess", "", "done", done)
        return None

    def key(self) -> tuple[str | None, Path]:
        """What is scored against: the assessments, or these and copies of them."""
        rooms = self.rooms
        if not self.settings.expand_realis:
            return None, rooms.assessments
        inputs = partial(digest_of, rooms.assessments)
        made = self._perform("key", "", inputs, [rooms.key], partial(steps.expand_key, rooms))
        return DUE if made is None else "for the key" if made == FAILED else None, rooms.key

    def frames(self, key: Path) -> tuple[str | None, Path]:
        """Describe what is to be linked, and read what people have linked; what has to be waited for, if anything."""
        rooms = self.rooms
        inputs = lambda: digest(self.settings.profile, digest_of(key), digest_of(rooms.frames))  # noqa: E731
        described = self._perform("frames", "", inputs, [], partial(steps.add_to_frames, rooms, key), edits=True)
        if described is None or described == FAILED:
            return DUE if described is None else "for the frames to be corrected", rooms.reference
        facts = self.state.steps["frames"].facts
        unlinked = facts["unlinked"]
        if unlinked:
            verb = "is" if unlinked == 1 else "are"
            message = (
                f"{unlinked} of {count(facts['classes'], 'TRFR')} {verb} not linked; make frames in {rooms.frames}"
            )
            self.say("link", "", "waiting", message)
            return "for the frames", rooms.reference
        self.say("link", "", "done", f"{count(facts['classes'], 'TRFR')} linked")
        read = self._perform(
            "reference",
            "",
            inputs,
            [rooms.reference, rooms.report("reference.txt")],
            partial(steps.write_reference, rooms, self.settings, key),
        )
        return DUE if read is None else "for the frames to be corrected" if read == FAILED else None, rooms.reference

    def score(self, key: Path, frames: Path | None) -> None:
        """Score and rank."""
        rooms, settings = self.rooms, self.settings
        systems = {name: rooms.filtered / name for name in self.systems}
        inputs = [key, *([frames] if frames else []), *systems.values()]
        if settings.genres:
            inputs.append(rooms.folder / settings.genres)
        chosen = settings_record(settings.scoring())
        self._perform(
            "score",
            "",
            lambda: digest(settings.profile, chosen, digest_of(*inputs)),
            [rooms.scores / name for name in FILES],
            partial(steps.score_systems, rooms, settings, key, frames, systems),
        )

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
    ) -> str | None:
        """Do a step if it is due, and give the hash of what it wrote: FAILED if it did, None if that is not known.

        Without `inputs` the step depends on another one that is due. A step that `edits` what people edit is done until
        there is nothing left to do, so that what is remembered is what it has seen.
        """
        name = f"{step} {subject}".strip()
        if inputs is None:
            self.say(step, subject, "due", "after the steps before")
            return None
        record = self.state.steps.get(name)
        before = digest(__version__, inputs())
        if record is not None and (record.inputs, record.outputs) == (before, digest_of(*outputs)):
            details = None if record.details is None else self.rooms.folder / record.details
            self.say(step, subject, "up to date", record.message, details)
            return record.outputs
        if self.dry_run:
            self.say(step, subject, "due", "its input or its output has changed" if record else "not done yet")
            return None
        failure = self.rooms.report(f"{name.replace(' ', '-')}.failed.txt")
        try:
            made = last = action()
            while edits and last.changed and not last.failed:
                before = digest(__version__, inputs())
                last = action()
        except AdjudgeError as error:
            made = last = _failure(failure, error)
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
        self.say(step, subject, "done" if made.changed else "up to date", made.message, made.details)
        return record.outputs

    def _forget(self, names: set[str]) -> None:
        """Remove what was made of submissions that are no longer there."""
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


def _failure(report: Path, error: AdjudgeError) -> Made:
    steps.write_problems(report, error.problems)
    first, more = str(error.problems[0]), len(error.problems) - 1
    return Made(first + (f", and {count(more, 'more problem')}" if more else ""), report, failed=True)
