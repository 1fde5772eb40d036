"""A small campaign at every stage, which is killed on its way to the next."""

from __future__ import annotations

import errno
import os
import random
import re
import shutil
from pathlib import Path
from typing import Any

from faults.harness import LEFT, LOCK, Nursery, Ran, Tree, tree
from faults.writers import FEW

STAGES = ("init", "pool", "assess", "link", "late")  # made by a command, after people have done something
_LAST = re.compile(
    r"(?<=\d)-(\d+)\t(?=\d+-\d+\t(?:NIL|[\d,;-]+)\t\w+\t[\d.]+$)", re.MULTILINE
)  # of predicate justifications
LOCKED = re.compile("another (run is working|program is writing)")  # as EACCES of a lock means
PEOPLE = {"assess": "assessments", "link": "frames"}


class Stages:
    """The campaign after each stage, as it is if nobody disturbs it; `events` are the operations on the way there."""

    def __init__(self, root: Path, nursery: Nursery) -> None:
        self.root = root
        self.nursery = nursery
        self.after: dict[str, Path] = {}
        self.events: dict[str, int] = {}
        for stage in STAGES:
            work = self.begin(stage)
            ran = self.go(stage, work, reading=True)
            assert ran.code == 0, ran
            self.events[stage] = ran.events
            self.after[stage] = root / f"after-{stage}"
            shutil.copytree(work, self.after[stage])
        assert (self.after["link"] / "c" / "scores" / "scores.txt").is_file()
        assert (self.after["late"] / "c" / "reports" / "assessments.txt").read_text().count("\n") > 3

    def begin(self, stage: str) -> Path:
        """A folder with the campaign before a stage, when people have done their work."""
        work = self.root / "work"
        if work.exists():
            shutil.rmtree(work)
        if stage == "init":
            work.mkdir()
            return work
        shutil.copytree(self.after[STAGES[STAGES.index(stage) - 1]], work)
        campaign = work / "c"
        if stage == "pool":
            make_small(campaign)
        elif stage == "late":  # a submission with responses that nobody has seen
            late = campaign / "submissions" / "late"
            shutil.copytree(campaign / "submissions" / "slate", late)
            for path in (late / "arguments").iterdir():
                path.write_text(_LAST.sub(lambda found: f"-{int(found[1]) - 1}\t", path.read_text()))
        else:
            for document in FEW:
                name = PEOPLE[stage]
                shutil.copy(campaign / "answers" / name / document, campaign / name / document)
        return work

    def go(self, stage: str, work: Path, **request: Any) -> Ran:
        """Do the stage."""
        command = ("init", "c", "--demo") if stage == "init" else ("run", "c")
        return self.nursery.run(("eal", "campaign", *command), work, **request)

    def disturb(self, stage: str, kind: str, draw: random.Random) -> int:
        """Let something happen a few times at random moments, then finish; check everything; how often it happened."""
        work = self.begin(stage)
        before = tree(work)
        disturbed = 0
        for _ in range(draw.randint(1, 3)):
            ran = self.go(stage, work, kind=kind, at=draw.randint(1, self.events[stage]), reading=True)
            disturbed += self.check_disturbed(stage, kind, ran, work, before)
        self.check_rerun(stage, work)
        return disturbed

    def disturb_once(self, stage: str, kind: str, at: int) -> int:
        """The same at one given operation."""
        work = self.begin(stage)
        before = tree(work)
        ran = self.go(stage, work, kind=kind, at=at, reading=True)
        disturbed = self.check_disturbed(stage, kind, ran, work, before)
        self.check_rerun(stage, work)
        return disturbed

    def check_disturbed(self, stage: str, kind: str, ran: Ran, work: Path, before: Tree) -> int:
        """Nothing is wrong but that it is not finished; whether anything happened."""
        codes = {"kill": (-9, 0), "interrupt": (130, 0)}.get(kind, (0, 2))
        if stage == "init" and "there is a campaign already" in ran.err:
            codes = (2,)  # what came too late before has left the whole campaign behind
        assert ran.code in codes, (stage, kind, ran)
        assert "bug" not in ran.err, (stage, kind, ran.err)
        expected = tree(self.after[stage])
        if ran.code == 2 and kind == "EACCES" and LOCKED.search(ran.err):
            pass  # that is what this error means if something is locked
        elif ran.code == 2 and stage == "init" and "there is a campaign already" in ran.err:
            assert (work / "c" / "campaign.toml").is_file()  # it was done before, but for the clearing up
        elif ran.code == 2:
            says = os.strerror(errno.ENOSPC if kind == "full" else getattr(errno, kind))
            assert says in ran.err, (stage, kind, ran)
            assert stage == "init" or "the campaign has" in ran.err, (stage, kind, ran)
            assert re.match(r"error: \S+: ", ran.err), (stage, kind, ran)
            assert " failed " not in ran.out, (stage, kind, ran)
            if kind == "full":
                assert not [name for name in tree(work) if _is_left(name)], (stage, ran, tree(work))
        self.check_work_of_people(work, before, expected)
        here = tree(work)
        for name, value in here.items():  # what is pooled, asked for or scored is what it should be, or was before
            if name.startswith(("c/pool", "c/assessments/", "c/frames/", "c/reference/")) and not _is_left(name):
                assert value in (before.get(name), expected.get(name)), (stage, kind, name, ran)
        return int(ran.code != 0)

    def check_rerun(self, stage: str, work: Path) -> None:
        """It comes to its end, with the bytes that it would have had."""
        expected = tree(self.after[stage])
        ran = self.go(stage, work)
        already = stage == "init" and ran.code == 2 and "there is a campaign already" in ran.err
        assert ran.code == 0 or already, (stage, ran)
        found = {name: value for name, value in tree(work).items() if not (already and _is_left(name))}
        different = {name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name)}
        assert not different, (stage, different)

    def check_work_of_people(self, work: Path, before: Tree, expected: Tree) -> None:
        """What people have made is there, as it was or with what the stage adds to it."""
        here = tree(work)
        for name, value in before.items():
            if name.startswith(("c/sources", "c/submissions", "c/campaign.toml", "c/assessments/", "c/frames/")):
                assert here.get(name) in (value, expected[name]), f"{name} is damaged"


def _is_left(name: str) -> bool:
    return any(LEFT.fullmatch(each) or each == LOCK for each in name.split("/"))


def make_small(campaign: Path) -> None:
    """Three documents and two systems, so that a run takes no time."""
    (campaign / "submissions" / "marble.tar.gz").unlink()
    (campaign / "submissions" / "granite.zip").unlink()
    shutil.copytree(campaign / "submissions" / "slate", campaign / "submissions" / "granite")
    for path in (*(campaign / "submissions").rglob("MINI_*"), *(campaign / "sources").iterdir()):
        if path.name.removesuffix(".txt") not in FEW:
            path.unlink()
    settings = campaign / "campaign.toml"
    settings.write_text(settings.read_text().replace("bootstrap = 1000", "bootstrap = 10"))
