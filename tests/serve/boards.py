"""A board of 50 runs on 500 documents: how long it takes to make it, by the processor, since others may be busy, too.

PYTHONPATH=tests python tests/serve/boards.py [--runs 50] [--documents 500]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from pathlib import Path

from adjudge.cli import run
from adjudge.serve import scorings
from adjudge.serve.folder import Folder
from adjudge.serve.jobs import Keeper
from adjudge.serve.store import Store, now
from adjudge.serve.store.tables import Phase
from adjudge.serve.tracks import add_member, keep_file, parse_settings, set_phase, set_track, write

BAR = 20.0
TABLE = {"task": "ner", "score": ["ner", "score", "{gold}", "{name}={system}", "--save", "{result}"]}


def documents(number: int, wrong: float, seed: int) -> str:
    """Documents with ten entities each, of which a share is of the wrong type."""
    chance = random.Random(seed)
    made = [
        {"id": f"d{at}", "genre": f"g{at % 3}"}
        | {
            "entities": [
                {"span": {"start": n, "end": n + 1}, "type": "X" if chance.random() < wrong else "PER"}
                for n in range(10)
            ]
        }
        for at in range(number)
    ]
    return "".join(json.dumps(each) + "\n" for each in made)


def fill(store: Store, place: Path, runs: int, number: int) -> None:
    """Runs that were scored, five of each team."""
    gold, system, result = place / "gold.jsonl", place / "run.jsonl", place / "result.json"
    gold.write_text(documents(number, 0.0, 0), "utf-8")
    set_track(store, "ner", parse_settings("ner", TABLE))
    set_phase(store, "ner", "main", {"gold": keep_file(store, gold)})
    with store.read() as snapshot:
        phase = snapshot.get(Phase, "ner", "main")
    assert phase is not None
    score = {"metric": "ner.strict", "part": "f1", "value": 0.5}
    for at in range(runs):
        system.write_text(documents(number, 0.1 + 0.3 * at / runs, at), "utf-8")
        words = ["ner", "score", gold, system, "--reader", "jsonl", "--by", "genre", "--save", result, "--quiet"]
        assert run([*map(str, words), "-o", str(place / "scores.txt")]) == 0
        sha256, name = store.put_blob(result.read_bytes(), "result"), f"run-{at}"
        team = add_member(store, "ner", f"team-{at // 5}", f"of-team-{at // 5}")
        given = {"phase": "main", "team": team, "number": at % 5 + 1, "name": name, "sha256": sha256, "size": 1}
        given |= {"received": now(), "flags": {"file": f"{name}.jsonl"}, "deadline": None}
        write(store, "ner", "submit", name, given)
        done = {"state": "scored", "scoring": phase.scoring, "files": {"result": sha256}, "score": score}
        write(store, "ner", "state", name, done)


def spent() -> float:
    """Seconds of the processor, with those of children that have ended."""
    return sum(os.times()[:4])


def main() -> None:
    """Measure, and fail above the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--documents", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Folder.create(Path(temporary) / "folder")
        with Store.open(folder.path) as store:
            fill(store, Path(temporary), options.runs, options.documents)
            begun, before = time.monotonic(), spent()
            Keeper(folder, store).look()
            took, seconds = time.monotonic() - begun, spent() - before
            with store.read() as snapshot:
                board = scorings.board_of(store, scorings.shown(snapshot, "ner", "main"))
    assert board is not None
    assert len(board.all[0].lines) == options.runs, board.note
    what = f"a board of {options.runs} runs and {options.documents} documents, {len(board.all)} tabs"
    print(f"{what}: {seconds:.1f} s of the processor, {took:.1f} s by the clock, bar {BAR:.0f} s")
    assert seconds < BAR


if __name__ == "__main__":
    main()
