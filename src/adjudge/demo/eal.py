"""The bundled campaign of event arguments and linking: twelve short documents, three systems, and the work of people.

adjudge eal campaign init FOLDER --demo
"""

from __future__ import annotations

from pathlib import Path

from adjudge.demo import DATA

FOLDER = DATA / "eal"
SOURCES = FOLDER / "sources"
SUBMISSIONS = {name: FOLDER / "submissions" / name for name in ("granite", "marble", "slate")}
ASSESSMENTS = FOLDER / "assessments"
FRAMES = FOLDER / "frames"
ANSWERS = "answers"


def fill_campaign(folder: str | Path) -> list[Path]:
    """Put the texts and the submissions into a new campaign, and the finished assessments and frames beside it.

    The submissions are handed in as people do it: one as a .zip, one as a .tar.gz, one as a folder. The answers are not
    where a run looks for them, so that it waits as it would for people.
    """
    from adjudge.formats.archive import pack

    folder = Path(folder)
    _copy(SOURCES, folder / "sources")
    granite, marble, slate = (folder / "submissions" / name for name in ("granite.zip", "marble.tar.gz", "slate"))
    pack(SUBMISSIONS["granite"], granite, zipped=True)
    pack(SUBMISSIONS["marble"], marble, zipped=False)
    _copy(SUBMISSIONS["slate"], slate)
    answers = folder / ANSWERS
    _copy(ASSESSMENTS, answers / "assessments")
    _copy(FRAMES, answers / "frames")
    return [granite, marble, slate, answers]


def _copy(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for each in source.iterdir():
        if each.is_dir():
            _copy(each, target / each.name)
        else:
            (target / each.name).write_bytes(each.read_bytes())
