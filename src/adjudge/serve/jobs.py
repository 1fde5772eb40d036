"""Processing a submission: it is checked, then scored, each by a child process, and put on the board.

Workers are threads that wait for it.

A worker claims a submission (a lease, renewed while the child runs), says so by an event, runs the child, and says its
outcome, with the version that it has seen: whoever has lost the lease says nothing more.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from adjudge.errors import AdjudgeError, UsageError
from adjudge.serve import assessed, child, states
from adjudge.serve.folder import Folder
from adjudge.serve.scorings import Basis, Interrupted, make_anew, phase_of, refresh
from adjudge.serve.states import CHECKING, FAILED, INVALID, POOLED, QUEUED, RECEIVED, SCORED, SCORING, WORK, later
from adjudge.serve.store import Store, StoreError, now
from adjudge.serve.store.events import Rows
from adjudge.serve.store.tables import Campaign, Lease, Phase, Scoring, Submission, Track
from adjudge.serve.tracks import TrackSettings, filled, lay_out, settings_of, track_of

LOG = logging.getLogger("adjudge.serve.jobs")
SWEEP = 5.0
"""Seconds between two looks for what is over time."""
RENEW = 15.0
_POLL = 1.0
_WORK = f"adjudge-work-{socket.gethostname()}-"
_LEFT = 3600  # seconds after which what is not written to any longer was left
_RESULT = 64_000_000  # bytes of a result or a page that are kept
_LOG = 1_000_000  # bytes of what was said before that are kept
_HEADLINE = "adjudge.serve.headline"
_FINDINGS = ".out/findings.json"


class Runner:
    """The workers of one process: some that check, and some that score."""

    def __init__(self, store: Store, workers: int = 1, *, checks: int = 2) -> None:
        self.store, self.workers, self.checks = store, workers, checks
        self.name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
        _remove_left(store.folder)
        self._folder = work_folder()
        self._ended, self._more = threading.Event(), threading.Condition()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin; what a server that was ended here has left is put back at once."""
        with self.store.read() as snapshot:
            isolated = [each.id for each in snapshot.find(Track) if settings_of(each).isolate]
        if isolated and not child.bwrap_works():
            hint = "install bubblewrap, or take isolate out of serve.toml"
            raise UsageError(f"the track {isolated[0]!r} needs bwrap, which does not work here", hint=hint)
        if self.store.url is None:  # nobody else works on this database
            with self.store.leases() as connection:
                connection.release()
        self._sweep()
        kinds = [(RECEIVED,)] * self.checks + [(QUEUED,)] * self.workers
        work: list[tuple[Callable[..., None], tuple[Any, ...]]] = [(self._sweeping, ())]
        work += [(self._working, (kind, f"{self.name}/{number}")) for number, kind in enumerate(kinds)]
        for target, args in work:
            self._threads.append(threading.Thread(target=target, args=args, name="adjudge-worker", daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """End; children are killed, and what they did is done again by somebody else."""
        self._ended.set()
        self.wake()
        for thread in self._threads:
            thread.join()
        with contextlib.suppress(StoreError), self.store.leases() as connection:
            for number in range(len(self._threads)):
                connection.release(holder=f"{self.name}/{number}")
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Runner:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wake(self) -> None:
        """Wake the workers."""
        with self._more:
            self._more.notify_all()

    # -----------------------------------------------------------------------------------------------------------------
    # Threads

    def _sweeping(self) -> None:
        while not self._ended.wait(SWEEP):
            self._sweep()

    def _sweep(self) -> None:
        try:
            changed = states.sweep(self.store, now(), self.name)
        except (StoreError, AdjudgeError) as error:
            LOG.warning("sweep: %s", error)
            return
        for name in changed:
            LOG.warning("put back or ended: %s", name)
        if changed:
            self.wake()

    def _working(self, kinds: Sequence[str], holder: str) -> None:
        seen = 0.0
        while not self._ended.is_set():
            try:
                if time.monotonic() - seen > RENEW:
                    seen = time.monotonic()
                    self._here(kinds, holder)
                done = self.work(kinds, holder)
            except Exception as error:  # the next one may be better
                LOG.error("worker: %s: %s", type(error).__name__, error, exc_info=error)
                self._ended.wait(_POLL)
                continue
            if not done:
                with self._more:
                    self._more.wait(_POLL)

    def _here(self, kinds: Sequence[str], holder: str) -> None:
        """Say that there is a worker: whoever waits is told how long that can take."""
        row = Lease(f"{states.WORKER}{holder}/{kinds[0]}", holder, states.later(now(), states.LEASE))
        self.store.writer.run(lambda rows: rows.put(row)).result()

    def work(self, kinds: Sequence[str], holder: str) -> bool:
        """Process one submission, if there is one."""
        at = now()
        with self.store.leases() as connection:
            name = connection.claim(kinds, holder, states.later(at, states.LEASE), at)
        if name is None:
            return False
        try:
            job = self._begin(name, holder)
            if job is not None:
                job.run()
                self.wake()
        finally:
            with self.store.leases() as connection:
                connection.release(name, holder)
        return True

    def _begin(self, name: str, holder: str) -> Job | None:
        """Say that work on a submission begins, unless somebody was faster."""
        with self.store.read() as snapshot:
            row = snapshot.get(Submission, name)
            if row is None or row.state not in WORK:
                return None
            track, phase = snapshot.get(Track, row.track), snapshot.get(Phase, row.track, row.phase)
            assert track is not None
            assert phase is not None
            scoring = phase.scoring
            with_this = snapshot.get(Scoring, scoring) if scoring else None
        settings = settings_of(track)
        if with_this is not None:  # what a scoring was begun with, not what the track says now
            config = msgspec.json.decode(self.store.get_blob(with_this.config_sha))
            gold = config.pop("gold")
            settings = msgspec.convert({**msgspec.to_builtins(settings), **config}, TrackSettings)
        else:
            gold = phase.gold
        state, at = WORK[row.state], now()
        body: dict[str, Any] = {"state": state, "deadline": states.deadline(state, settings.limits, at)}
        body["attempts"] = row.attempts + 1
        if state == SCORING:
            body["scoring"] = scoring
        if states.move(self.store, row, body, holder) is None:
            return None
        with self.store.read() as snapshot:
            now_ = snapshot.get(Submission, name)
        assert now_ is not None
        return Job(self, now_, settings, gold, holder)

    @property
    def ended(self) -> bool:
        """Whether the workers are to stop."""
        return self._ended.is_set()

    @property
    def inputs(self) -> Path:
        """Where gold and other files of tracks are laid out."""
        return self._folder / "inputs"

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """A temporary folder for one child."""
        folder = Path(tempfile.mkdtemp(prefix="job-", dir=self._folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


class Job:
    """One submission in the hands of one worker."""

    def __init__(
        self, runner: Runner, row: Submission, settings: TrackSettings, gold: Mapping[str, Any], holder: str
    ) -> None:
        self.runner, self.row, self.settings, self.gold, self.holder = runner, row, settings, gold, holder
        self.store = runner.store
        self._renewed = time.monotonic()
        self._log: list[str] = []

    def needed(self) -> bool:
        """Renew the lease from time to time; whether it is still ours."""
        if self.runner.ended:
            return False
        if time.monotonic() - self._renewed < RENEW:
            return True
        self._renewed = time.monotonic()
        with self.store.leases() as connection:
            return connection.renew(self.row.id, self.holder, states.later(now(), states.LEASE))

    def run(self) -> None:
        """Check it or score it, and say its outcome."""
        try:
            with self.runner.scratch() as folder:
                done = self._check(folder) if self.row.state == CHECKING else self._score(folder)
        except (OSError, AdjudgeError, StoreError) as error:
            done = {"state": FAILED, "reason": f"the operating system refused: {error}"}
        if self.runner.ended:  # the next worker repeats it, as if it had not begun
            back = RECEIVED if self.row.state == CHECKING else QUEUED
            done = {"state": back, "deadline": states.deadline(back, self.settings.limits, now())}
            done["attempts"], self._log = self.row.attempts - 1, []
        if self._log:
            before = self.store.get_blob(self.row.files["log"])[-_LOG:] if "log" in self.row.files else b""
            log = self.store.put_blob(before + "".join(self._log).encode("utf-8", "replace"), "log")
            done["files"] = {**done.get("files", {}), "log": log}
        if states.move(self.store, self.row, done, self.holder) is not None:
            said = {"submission": self.row.id, "state": done["state"], "reason": done.get("reason")}
            LOG.info("run", extra={"data": said})

    def _words(self, folder: Path) -> dict[str, str]:
        """What the words in curly brackets stand for; the run is there under the name that its team knows."""
        file = self.row.flags["file"]
        link = folder / file
        link.symlink_to(self.store.blob_file(self.row.sha256).resolve())
        (folder / ".out").mkdir()
        kept = {**self.settings.files, **({"gold": self.gold} if self.gold else {})}
        given = {name: str(lay_out(self.store, each, self.runner.inputs)) for name, each in kept.items()}
        made = {"result": ".out/result.json", "page": ".out/page.html"}
        return {**given, **made, "system": file, "name": self.row.name}

    def _child(self, line: Sequence[str], folder: Path, words: Mapping[str, str], *, check: bool) -> child.Child:
        reads = self.runner.inputs, self.store.folder.resolve() / "blobs"
        return child.limited(filled(line, words), folder, self.settings, *reads, check=check)

    def _note(self, one: child.Child, ended: child.Ended) -> None:
        """What the team sees of a child: names of files, and not where they are here."""
        place = re.compile(re.escape(f"{self.runner.inputs}/") + "[0-9a-f]{16}/")
        shown, said = place.sub("", " ".join(one.args)), place.sub("", ended.errors.decode("utf-8", "replace"))
        how = ended.reason or f"exit code {ended.code}"
        self._log.append(f"$ adjudge {shown}\n{said}{how}, {ended.seconds:.1f} s\n")

    def _check(self, folder: Path) -> dict[str, Any]:
        """Findings as text, which is printed, and as JSON, which is saved: by one child."""
        if not self.settings.check:
            return self._accepted({})
        words = self._words(folder)
        one = self._child([*as_text(self.settings.check), "--save", _FINDINGS], folder, words, check=True)
        ended = child.run(one, self.needed)
        self._note(one, ended)
        if not self.needed():
            return {"state": FAILED, "reason": "nobody needs it any longer"}
        if ended.code not in (0, 1):
            return {"state": FAILED, "reason": f"checking: {ended.reason or ended.last or f'exit code {ended.code}'}"}
        try:
            saved = self._keep(folder / _FINDINGS, "findings", child.OUTPUT)
            found = msgspec.json.decode(self.store.get_blob(saved), type=dict[str, Any])
            errors, count = int(found["errors"]), int(found["warnings"])
        except (FileNotFoundError, msgspec.DecodeError, KeyError, TypeError, ValueError):
            return {"state": FAILED, "reason": "checking: its output is not a list of findings"}
        files = {"findings": saved, "text": self.store.put_blob(ended.output, "findings")}
        if ended.code == 1:
            said = f"{errors} error{'s' * (errors != 1)}" if errors else f"{count} warning{'s' * (count != 1)}"
            return {"state": INVALID, "reason": said, "files": files}
        return self._accepted(files)

    def _accepted(self, files: dict[str, str]) -> dict[str, Any]:
        state = POOLED if self.settings.campaign is not None else QUEUED
        until = states.deadline(state, self.settings.limits, now())
        return {"state": state, "deadline": until, "attempts": 0, "files": files}

    def _score(self, folder: Path) -> dict[str, Any]:
        """The score with its interval, and the page."""
        words = self._words(folder)
        line = [*self.settings.score, *(["--cluster", self.settings.cluster] if self.settings.cluster else [])]
        one = self._child(line, folder, words, check=False)
        ended = child.run(one, self.needed)
        self._note(one, ended)
        if ended.code != 0:
            state = INVALID if ended.code == 1 and not self.settings.check else FAILED
            return {"state": state, "reason": f"{ended.reason or ended.last or f'exit code {ended.code}'}"}
        left = one.wall - ended.seconds  # both together have less than `states.GRACE` more than that
        args = (words["result"], self.settings.rank_by or "")
        look = msgspec.structs.replace(one, args=args, module=_HEADLINE, wall=max(15.0, left))
        read = child.run(look, self.needed)
        try:
            score = msgspec.json.decode(read.output, type=dict[str, Any])
        except msgspec.DecodeError:
            said = (read.reason or read.last)[:300]
            return {"state": FAILED, "reason": f"scoring wrote no readable result: {said}"}
        files = {"result": self._keep(folder / words["result"], "result")}
        if self.settings.report:
            page = self._child(self.settings.report, folder, words, check=False)
            page = msgspec.structs.replace(page, wall=max(10.0, left - read.seconds))
            shown = child.run(page, self.needed)
            self._note(page, shown)
            if shown.code == 0 and (folder / words["page"]).is_file():
                files["report"] = self._keep(folder / words["page"], "report")
        return {"state": SCORED, "files": files, "score": score}

    def _keep(self, path: Path, kind: str, most: int = _RESULT) -> str:
        if path.is_symlink() or path.stat().st_size > most:
            raise OSError(f"the {kind} is not a file, or larger than {most} bytes")
        with path.open("rb") as file:
            return self.store.put_blob(iter(lambda: file.read(1 << 20), b""), kind)


def work_folder() -> Path:
    """A new temporary folder, which the next server on this machine removes if this process is killed."""
    return Path(tempfile.mkdtemp(prefix=f"{_WORK}{os.getpid()}-"))


def _remove_left(folder: Path) -> None:
    """Remove what processes that were killed have left: their work, and uploads that nobody has gone on with."""
    for path in Path(tempfile.gettempdir()).glob(f"{_WORK}*"):
        pid = path.name.removeprefix(_WORK).partition("-")[0]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists() and Path("/proc").is_dir():
            shutil.rmtree(path, ignore_errors=True)
    for path in (folder / "blobs").glob(".part-*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _LEFT:
                path.unlink()


def as_text(line: Sequence[str]) -> list[str]:
    """The command that prints the same findings for people.

    >>> as_text(["ner", "validate", "{system}", "--format", "json", "--strict"])
    ['ner', 'validate', '{system}', '--strict']
    """
    made = list(line)
    for at in range(len(made) - 1):
        if made[at : at + 2] == ["--format", "json"]:
            return [*made[:at], *made[at + 2 :]]
    return made


# ---------------------------------------------------------------------------------------------------------------------
# Boards are kept up to date, and what teams hand in for assessed tracks is brought to those who assess, by one thread.
# Several servers on one database take turns: a lease says who does it.


EVERY = 2.0
"""Seconds between two looks."""
_TURN = 120  # seconds
_BOARDS = "boards"  # the lease


class Keeper:
    """The thread that makes boards."""

    def __init__(self, folder: Folder, store: Store) -> None:
        self.folder, self.store = folder, store
        self._name = secrets.token_hex(8)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="adjudge-boards", daemon=True)

    def __enter__(self) -> Keeper:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End after what is being done."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        seen = -1
        while not self._ended.wait(EVERY):
            try:
                with self.store.read() as snapshot:
                    last = snapshot.last()
                if last != seen and self._take():
                    self.look()
                    seen = last
            except Exception as error:  # the next look may be better
                LOG.error("boards: %s: %s", type(error).__name__, error, exc_info=error)

    def _goes_on(self) -> bool:
        return not self._ended.is_set()

    def _take(self) -> bool:
        """Whether it is this server's turn."""
        at = now()

        def take(rows: Rows) -> bool:
            held = rows.get(Lease, _BOARDS)
            if held is not None and held.holder != self._name and held.until > at:
                return False
            rows.put(Lease(_BOARDS, self._name, later(at, _TURN)))
            return True

        return bool(self.store.writer.run(take).result())

    def look(self) -> None:
        """Bring every phase up to date."""
        with self.store.read() as snapshot:
            phases = [(each.track, each.id) for each in snapshot.find(Phase) if each.scoring is not None]
        for track, phase in phases:
            scratch = work_folder()
            try:
                with self.store.read() as snapshot:
                    settings = settings_of(track_of(snapshot, track))
                if settings.campaign is None:
                    refresh(self.store, track, phase, scratch, self._goes_on)
                else:
                    self._assessed(track, phase, settings, scratch)
            except Interrupted:
                return
            except (AdjudgeError, StoreError, OSError) as error:
                LOG.error("board of %s, %s: %s", track, phase, error)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)

    def _assessed(self, track: str, phase: str, settings: TrackSettings, scratch: Path) -> None:
        """New responses into the campaign; what is decided there into the board."""
        with self.store.read() as snapshot:
            scoring = snapshot.get(Scoring, phase_of(snapshot, track, phase).scoring)
            assert scoring is not None
            pool = assessed.Pool(self.folder, self.store, settings, scoring, scratch, self._goes_on)
            row = snapshot.get(Campaign, pool.campaign)
        if scoring.frozen:
            return
        frozen = row is not None and row.state == "frozen"
        if not frozen:
            assessed.take_in(pool)
        with self.store.read() as snapshot:
            runs = [run for run, _ in assessed.pooled(snapshot, pool)]
            digest, finished, whole = assessed.basis(snapshot, pool.campaign)
        if not finished:
            return
        kept: dict[str, bytes] = {}
        note = assessed.note_of(len(finished), whole, frozen=frozen)
        compare = assessed.scorer(pool, finished, kept)
        board = make_anew(self.store, scoring, Basis(runs, compare, None, note, digest))
        if board is not None and board.all and frozen and len(finished) == whole:
            assessed.mark_scored(pool, board, kept["result"])
