"""Every reader is fuzzed, and every seed is a good file for one of them."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import tempfile
from functools import cache, partial
from pathlib import Path

import pytest

import adjudge.formats
from adjudge.errors import AdjudgeError
from adjudge.tasks.family import families, find_family
from fuzz.judge import judge
from fuzz.seeding import SEEDS
from fuzz.targets import Target, targets

READS = ("Source", "bytes", "IO[", "Path")
"""The types of the first argument of a function that reads what comes from outside."""

WRITES = ("write_", "pack", "exchange")


@cache
def called() -> frozenset[str]:
    """All functions of formats that some target calls with its seeds, or with a damaged one, as `module.function`."""
    seen: set[str] = set()

    def watch(frame, event, _):
        if event == "call":
            module = frame.f_globals.get("__name__", "")
            if module.startswith("adjudge.formats."):
                seen.add(f"{module.removeprefix('adjudge.formats.')}.{frame.f_code.co_name}")

    with tempfile.TemporaryDirectory() as place:
        sys.setprofile(watch)
        try:
            for target in targets():
                for seed in target.corpus():
                    judge(target, seed, Path(place))
                    for old, new in ((b"0", b"x"), (b")", b""), (b"(", b"")):  # what is wrong is looked at more closely
                        judge(target, seed.replace(old, new), Path(place))
        finally:
            sys.setprofile(None)
    return frozenset(seen)


def public_readers() -> list[str]:
    found = []
    for info in pkgutil.iter_modules(adjudge.formats.__path__):
        module = importlib.import_module(f"adjudge.formats.{info.name}")
        for name, value in vars(module).items():
            if (
                inspect.isfunction(value)
                and value.__module__ == module.__name__
                and not name.startswith(("_", *WRITES))
                and not name.endswith("_path")  # says where a file is, and reads nothing
            ):
                first = next(iter(inspect.signature(value).parameters.values()), None)
                if first is not None and any(word in str(first.annotation) for word in READS):
                    found.append(f"{info.name}.{name}")
    return found


def test_every_function_that_reads_is_reached_by_a_target() -> None:
    readers = public_readers()
    assert len(readers) > 80
    missing = sorted(set(readers) - called())
    assert not missing, (
        f"put a valid file into fuzz/seeds/NAME, or add a target to fuzz/targets.py, for {', '.join(missing)}"
    )


def test_every_reader_of_the_catalogue_is_reached() -> None:
    readers = {
        place
        for family in map(find_family, families())
        for reader in family.readers.values()
        for place in (reader.gold, reader.system)
        if place
    }
    for place in readers:
        module, _, name = place.removeprefix("adjudge.formats.").partition(":")
        function = getattr(importlib.import_module(f"adjudge.formats.{module}"), name)
        while isinstance(function, partial):
            function = function.func
        assert f"{module}.{function.__name__}" in called(), place


@pytest.mark.parametrize("target", targets(), ids=lambda each: each.name)
def test_a_target_reads_one_of_its_seeds(target: Target, tmp_path: Path) -> None:
    outcomes = [judge(target, seed, tmp_path) for seed in target.corpus()]
    assert not [each.finding for each in outcomes if each.finding]
    # Strict readers may refuse all: the seeds are there for their neighbours.
    assert (
        any(each.name == "value" for each in outcomes)
        or "strict" in target.name
        or "gold" in target.name
        or target.name.endswith(("ioe2", "graphrag"))
    )


def test_every_seed_is_read_by_a_target(tmp_path: Path) -> None:
    for folder in SEEDS.iterdir():
        users = [each for each in targets() if each.seeds == folder.name]
        for file in folder.iterdir():
            assert (
                any(judge(each, file.read_bytes(), tmp_path).name == "value" for each in users) or folder.name in _PARTS
            ), file


_PARTS = {
    "eal-linking",
    "tbf",
    "tokens",
    "bio",
    "answers",
}  # parts of seeds that are made of several, or read by the lenient only


def test_a_reader_that_fails_is_found(tmp_path: Path) -> None:
    def outcome(run, *, memory: bool = False) -> str:
        found = judge(Target("x", "lines", "lists", run), b"data", tmp_path, memory=memory).finding
        return found.kind if found else "none"

    def silent(data, room):
        raise AdjudgeError([])

    def unplaced(data, room):
        raise AdjudgeError("it is wrong")

    def writing(data, room):
        (room / "mine").write_bytes(data)

    def hanging(data, room):
        while True:
            pass

    assert outcome(lambda data, room: data.index(b"z")) == "exception"
    assert outcome(lambda data, room: len(bytes(100 << 20)), memory=True) == "memory"
    assert outcome(hanging) == "slow"
    assert outcome(silent) == "silent"
    assert outcome(unplaced) == "unplaced"
    assert outcome(writing) == "left"
    assert outcome(lambda data, room: None) == "none"
