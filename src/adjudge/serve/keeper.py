"""Keeps boards up to date, and brings what teams hand in for assessed tracks to those who assess: one thread.

Several servers on one database take turns: a lease says who does it.
"""

from __future__ import annotations

import logging
import secrets
import shutil
import threading
from pathlib import Path

from adjudge.errors import AdjudgeError
from adjudge.serve import assessed
from adjudge.serve.folder import Folder
from adjudge.serve.jobs import work_folder
from adjudge.serve.scorings import Basis, Interrupted, make_anew, phase_of, refresh
from adjudge.serve.states import later
from adjudge.serve.store import Store, StoreError, now
from adjudge.serve.store.rows import Rows
from adjudge.serve.store.tables import Lease, Phase, Scoring
from adjudge.serve.tracks import TrackSettings, settings_of, track_of

LOG = logging.getLogger("adjudge.serve.keeper")
EVERY = 2.0
"""Seconds between two looks."""
_LEASE = 120
_NAME = "boards"


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
            held = rows.get(Lease, _NAME)
            if held is not None and held.holder != self._name and held.until > at:
                return False
            rows.put(Lease(_NAME, self._name, later(at, _LEASE)))
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
            row = snapshot.campaign(pool.campaign)
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
