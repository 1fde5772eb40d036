"""Campaigns of event arguments, and what those who work on them do."""

import json
from pathlib import Path

from adjudge.demo.eal import ASSESSMENTS, FRAMES, SUBMISSIONS
from adjudge.formats.eal_assessments import UNANNOTATED
from adjudge.tasks.eal.campaign import run_campaign
from adjudge.tasks.eal.campaign_state import MEMORY

STEPS = [
    *(f"{step} {name}" for name in SUBMISSIONS for step in ("validate", "filter")),
    *("pool", "assessments", "check", "assess", "frames", "link", "reference", "score"),
]


def settle(folder: Path, **changes: object) -> None:
    """Change settings; few draws, because nothing here depends on them."""
    text = (folder / "campaign.toml").read_text()
    for name, value in {"bootstrap": 20, **changes}.items():
        lines = text.split("\n")
        (place,) = [at for at, line in enumerate(lines) if line.startswith(f"{name} =")]
        lines[place] = f"{name} = {json.dumps(value)}"
        text = "\n".join(lines)
    (folder / "campaign.toml").write_text(text)


def run(folder: Path, **options: object) -> dict[str, str]:
    return {f"{each.step} {each.subject}".strip(): each.status for each in run_campaign(folder, **options)}


def assess(folder: Path) -> None:
    """Do what assessors do: answer every response that waits."""
    for path in (folder / "assessments").iterdir():
        answers = {line.split("\t")[0]: line for line in (ASSESSMENTS / path.name).read_text().splitlines()}
        lines = path.read_text().splitlines()
        path.write_text(
            "".join(answers[each.split("\t")[0]] + "\n" if UNANNOTATED in each else each + "\n" for each in lines)
        )


def link(folder: Path) -> None:
    """Do what annotators do: add a line for each event above the INCOMPLETE line, and leave everything else."""
    for path in (folder / "frames").iterdir():
        known = {line.split("\t")[0] for line in (folder / "assessments" / path.name).read_text().splitlines()}
        frames = [[each for each in line.split("\t") if each in known] for line in frames_of(FRAMES / path.name)]
        rest = [line for line in path.read_text().splitlines() if line.startswith(("#", "INCOMPLETE"))]
        path.write_text("".join(f"{line}\n" for line in (*("\t".join(each) for each in frames if each), *rest)))


def frames_of(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if not line.startswith(("#", "INCOMPLETE"))]


def finish(folder: Path) -> dict[str, str]:
    run(folder)
    assess(folder)
    run(folder)
    link(folder)
    return run(folder)


def results(folder: Path) -> dict[str, bytes]:
    """What everything comes to."""
    found = {}
    for room in ("filtered", "pool", "reference", "scores"):
        for path in sorted((folder / room).rglob("*")):
            if path.is_file():
                found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Everything that is there, and when it was written."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.stat().st_ino)
        for path in folder.rglob("*")
        if path.name not in ("lock", MEMORY)
    }
