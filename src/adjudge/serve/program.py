"""A track as a bundle for other platforms: the same command lines, a small program that runs them, reference data.

The layout is that of Codabench and CodaLab: a scoring program with `metadata.yaml`, and reference data beside it.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from adjudge._version import __version__
from adjudge.errors import UsageError
from adjudge.files import write_atomically
from adjudge.serve import scoring_program
from adjudge.serve.jobs import as_text
from adjudge.serve.store import Snapshot, Store
from adjudge.serve.store.tables import Phase, Track
from adjudge.serve.tracks import lay_out, settings_of

_COMMAND = "command: python3 $program/score.py $input $output\n"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # so that the same track gives the same bytes
_ABOUT = """\
# {track}, {phase}

`scoring_program` and `reference_data` for Codabench or CodaLab: zip the content of each folder and upload it. The image
needs Python 3.11 or newer and `pip install adjudge=={version}`. Anywhere else, with the data in `INPUT/ref` and what is
scored in `INPUT/res`:

    python3 scoring_program/score.py INPUT OUTPUT

The scores are those of the commands in `scoring_program/track.json`.
"""


def make_bundle(store: Store, track: str, phase: str | None, target: Path) -> list[str]:
    """Write the bundle of a phase of a track; the names of its files."""
    with store.read() as snapshot:
        row, chosen = chosen_phase(snapshot, track, phase)
    settings = settings_of(row)
    if settings.campaign is not None:
        hint = "other platforms have no assessors: give them the track without a campaign"
        raise UsageError(f"the runs of {track!r} are scored when people have assessed them", hint=hint)
    kept: dict[str, dict[str, Any]] = {**settings.files, **({"gold": chosen.gold} if chosen.gold else {})}
    made = {
        "README.md": _ABOUT.format(track=track, phase=chosen.id, version=__version__).encode(),
        "scoring_program/metadata.yaml": _COMMAND.encode(),
        "scoring_program/score.py": Path(scoring_program.__file__).read_bytes(),
    }
    about = {
        "track": track,
        "phase": chosen.id,
        "adjudge": __version__,
        "files": {word: f"{word}/{each['name']}" for word, each in kept.items()},
        "check": as_text(settings.check),
        "score": settings.score,
        "report": settings.report,
    }
    made["scoring_program/track.json"] = (json.dumps(about, indent=1, ensure_ascii=False) + "\n").encode()
    with TemporaryDirectory(prefix="adjudge-bundle-") as temporary:
        for word, each in kept.items():
            path = lay_out(store, each, Path(temporary))
            for inner, data in _files(path):
                made[f"reference_data/{word}/{inner}"] = data
    write_atomically(target, _zipped(made))
    return list(made)


def chosen_phase(snapshot: Snapshot, track: str, phase: str | None) -> tuple[Track, Phase]:
    """A track and its phase that is meant: the only one, unless it is said."""
    row = snapshot.get(Track, track)
    phases = snapshot.find(Phase, track=track)
    names = [each.id for each in phases]
    if row is None or not phases:
        known = [each.id for each in snapshot.find(Track)]
        hint = f"tracks are {', '.join(known)}" if known else "make one with adjudge serve track"
        raise UsageError(f"there is no track {track!r} with a phase", hint=hint)
    if phase is None and len(phases) == 1:
        return row, phases[0]
    if phase not in names:
        said = "which phase is meant?" if phase is None else f"there is no phase {phase!r}"
        raise UsageError(said, hint=f"give --phase: {', '.join(names)}")
    return row, phases[names.index(phase)]


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_file():
        yield path.name, path.read_bytes()
        return
    for each in sorted(inner for inner in path.rglob("*") if inner.is_file()):
        yield f"{path.name}/{each.relative_to(path).as_posix()}", each.read_bytes()


def _zipped(files: dict[str, bytes]) -> bytes:
    from io import BytesIO

    whole = BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
    return whole.getvalue()
