"""Commands that are killed or fail at chosen moments, and what must hold afterwards."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from faults.writers import Writer, make_inputs

LEFT = re.compile(r"\..+\.(?:[0-9a-f]{12}(?:\.old|\.packed)?|adjudge-lock)")
LOCK = "__lock"
OLD = b"old\n"

Tree = dict[str, str]  # hashes of files by their names; folders have none


class Ran(NamedTuple):
    """The outcome of a command."""

    code: int
    out: str
    err: str
    events: int
    seconds: float


class Nursery:
    """A process that has everything imported, and children that do the work."""

    def __init__(self) -> None:
        tests = str(Path(__file__).parents[1])
        path = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore", "NO_COLOR": "1"}
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("nursery.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, argv: tuple[str, ...], cwd: Path, **request: Any) -> Ran:
        """Run a command line in a folder; the inputs are in the folder beside it that is called `in`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        line = [f"../in/{each[1:]}" if each.startswith("@") else each for each in argv]
        self.process.stdin.write(json.dumps({"argv": line, "cwd": str(cwd), **request}) + "\n")
        self.process.stdin.flush()
        return Ran(**json.loads(self.process.stdout.readline()))

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Ground:
    """A folder with inputs and one in which commands write; `told` has the results of those that nobody disturbed."""

    def __init__(self, root: Path, nursery: Nursery) -> None:
        self.root = root
        (root / "in").mkdir()
        make_inputs(root / "in")
        self.inputs = tree(root / "in")
        self.nursery = nursery
        self.added: dict[str, bytes] = {}
        self.told: dict[str, tuple[Tree, int, float]] = {}

    def fresh(self) -> Path:
        """An empty folder to write in."""
        work = self.root / "work"
        if work.exists():
            shutil.rmtree(work)
        work.mkdir()
        return work

    def undisturbed(self, writer: Writer) -> tuple[Tree, int, float]:
        """What a command writes into an empty folder, in how many operations and seconds."""
        if writer.name not in self.told:
            work = self.fresh()
            ran = self.nursery.run(writer.arguments, work)
            assert ran.code == writer.code, (writer.name, ran)
            made = tree(work)
            assert {name.split("/")[0] for name in made} == set(writer.outputs), (writer.name, made)
            self.told[writer.name] = (made, ran.events, ran.seconds)
            if writer.appends:
                self.added[writer.name] = (work / writer.outputs[0]).read_bytes()
        return self.told[writer.name]

    def fill(self, writer: Writer, work: Path) -> Tree:
        """Put something old where a command will write; what it was."""
        for name in writer.outputs:
            path = work / name
            if writer.shared and not path.suffix:
                path.mkdir()
                (path / "kept").write_text("kept\n")
            elif writer.overwrite and not path.suffix and path.name != "quotes":
                path.mkdir()
                (path / "OLD").write_text("")
            else:
                path.write_bytes(OLD)
        return tree(work)

    def check_disturbed(self, writer: Writer, work: Path, old: Tree, new: Tree) -> None:
        """Every output is what it was or what it should become; beside it is only what is known as unfinished."""
        found = {name: value for name, value in tree(work).items() if not _is_left(name)}
        assert tree(self.root / "in") == self.inputs, f"{writer.name}: an input has changed"
        for output in writer.outputs:
            here = part(found, output)
            if writer.shared and output in old:
                for name, value in here.items():
                    assert value in (old.get(name, value), new.get(name, value)), f"{writer.name}: {name} is damaged"
                    assert name in old or name in new, f"{writer.name}: {name} is nobody's"
                assert part(old, output).keys() <= here.keys()
            elif writer.appends and output == writer.outputs[0]:
                added = {output: _hash(OLD + b"\n" + self.added[writer.name])}
                allowed = (part(old, output), part(new, output), added, {output: _hash(b"")} if not old else {})
                assert here in allowed, f"{writer.name}: {output} is damaged"
            else:
                reserved = {output: ""}  # an empty folder that waits for its store
                whole = [part(old, output), part(new, output), *([reserved] if output not in old else [])]
                assert here in whole, f"{writer.name}: {output} is neither old nor new: {here}"
        stray = [name for name in found if not any(name.split("/")[0] == output for output in writer.outputs)]
        assert not stray, f"{writer.name}: {stray}"

    def check_rerun(self, writer: Writer, work: Path, old: Tree, new: Tree) -> None:
        """The same command again comes to its end, with the result that it would have had, and clears up."""
        done = tree(work)
        ready = not any(_is_left(name) for name in done) and all(
            part(done, output) == part(new, output) for output in writer.outputs
        )
        ran = self.nursery.run(writer.again if old else writer.arguments, work)
        if writer.new and ran.code == 2:  # stopped when all was done but the clearing up, which is done now
            assert "it already exists" in ran.err, (writer.name, ran)
            assert tree(work) == new, writer.name
            return
        if ready and writer.overwrite and not old:  # it had been done, and is not done twice
            assert (ran.code, tree(work)) == (2, done), (writer.name, ran)
            return
        if writer.overwrite and not old and ran.code == 2:
            # Killed when all was done but the clearing up: what is there is the result.
            assert "it already exists" in ran.err, (writer.name, ran)
            ran = self.nursery.run(writer.again, work)
        assert ran.code == writer.code, (writer.name, ran)
        found = tree(work)
        if writer.appends:
            found.pop(writer.outputs[0])
            new = {name: value for name, value in new.items() if name != writer.outputs[0]}
        kept = {name: value for name, value in old.items() if writer.shared and name.endswith("/kept")}
        assert found == {**new, **kept}, f"{writer.name}: {found} is not {new}"

    def disturb(self, writer: Writer, kind: str, draw: random.Random) -> int:
        """Let something happen at a random moment, with or without something old; check everything, give the code."""
        new, events, seconds = self.undisturbed(writer)
        work = self.fresh()
        old = self.fill(writer, work) if draw.random() < 0.5 and not writer.new else {}
        request: dict[str, Any] = {"kind": kind, "at": draw.randint(1, events)}
        if kind == "time":
            request["seconds"] = draw.uniform(0, seconds)
        ran = self.nursery.run(writer.again if old else writer.arguments, work, **request)
        if kind == "full":
            self.check_refused(writer, work, old, new, ran)
        elif kind == "interrupt":
            assert ran.code in (130, writer.code), (writer.name, ran)
            assert ran.code == writer.code or ran.err.strip() == "error: interrupted", (writer.name, ran)
        elif hasattr(errno, kind):  # one operation fails; what does not matter for the result may fail in silence
            assert ran.code in (2, writer.code), (writer.name, ran)
            assert ran.code == writer.code or os.strerror(getattr(errno, kind)) in ran.err, (writer.name, ran)
        else:
            assert ran.code in (-9, writer.code), (writer.name, ran)
        self.check_disturbed(writer, work, old, new)
        self.check_rerun(writer, work, old, new)
        return ran.code

    def check_refused(self, writer: Writer, work: Path, old: Tree, new: Tree, ran: Ran) -> None:
        """A full disk is one line that names a file, and nothing is left behind."""
        found = tree(work)
        if ran.code == writer.code:
            assert all(part(found, each) == part(new, each) for each in writer.outputs[writer.appends :]), writer.name
            return
        assert ran.code == 2, (writer.name, ran)
        assert re.fullmatch(r"error: .*No space left on device.*\n", ran.err), (writer.name, ran.err)
        assert any(each in ran.err for each in (*writer.outputs, "temporary", "/in/")), (writer.name, ran.err)
        assert not [name for name in found if _is_left(name)], (writer.name, found)
        assert all(name in found for name in old), (writer.name, found)
        assert found == old or not writer.overwrite, f"{writer.name}: some of it is new, and some is not: {found}"
        assert old or len(writer.outputs) > 1 or not found, (writer.name, found)

    def check_printing(self, writer: Writer) -> None:
        """A standard output that takes nothing is one line, and one that nobody reads is none."""
        argv = writer.arguments[: writer.arguments.index("-o")]
        ran = self.nursery.run(argv, self.fresh(), stdout="/dev/full")
        says = "error: standard output cannot be written: No space left on device, write elsewhere with -o\n"
        assert (ran.code, ran.err) == (2, says), (writer.name, ran)
        ran = self.nursery.run(argv, self.fresh(), stdout="nobody")
        assert (ran.code, ran.err) == (141, ""), (writer.name, ran)


def tree(folder: Path) -> Tree:
    """All files of a folder."""
    found: Tree = {}
    for base, folders, files in os.walk(folder):
        for name in folders:
            found[Path(base, name).relative_to(folder).as_posix()] = ""
        for name in files:
            path = Path(base, name)
            found[path.relative_to(folder).as_posix()] = _hash(path.read_bytes())
    return dict(sorted(found.items()))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def part(found: Tree, output: str) -> Tree:
    """What is at or in one output."""
    return {name: value for name, value in found.items() if name == output or name.startswith(f"{output}/")}


def _is_left(name: str) -> bool:
    """Whether a file is known as unfinished, or is in such a folder, or is a lock."""
    parts = name.split("/")
    return any(LEFT.fullmatch(each) for each in parts) or parts[-1].endswith(LOCK)
