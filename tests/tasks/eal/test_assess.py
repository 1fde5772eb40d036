"""Pools that become stores of assessments, copies by realis, repairs; and writers that are interrupted."""

import itertools
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples

from adjudge.errors import AdjudgeError, UsageError, ValidationError
from adjudge.formats.eal_assessments import parse_key, write_key
from adjudge.formats.eal_lock import LOCK, lock_problem, locked
from adjudge.formats.eal_store import StoreWriter, open_frames, open_key, open_store
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking
from adjudge.tasks.eal.assess import LARGEST, add_responses, expand_realis, fresh_clusters, repair
from adjudge.tasks.eal.settings import BBN_2015, SPEC, Profile
from adjudge.tasks.eal.stores import (
    change_store,
    create_store,
    expanding,
    repairing,
    trimming,
    writing_key,
)
from eal_keys import CORPUS, GOOD, contents, keys, put, same
from eal_responses import documents, response

BOB, ANN = response("Bob"), response("Ann", at=(5, 7))


def pool_at(folder: Path, *found: Arguments) -> Path:
    with StoreWriter(folder, linking=False) as writer:
        for each in found:
            writer.write(each)
    return folder


@given(keys(), documents())
@examples(max_examples=30)
def test_create_is_idempotent_and_changes_no_assessment(key: AnswerKey, document):
    arguments, _ = document
    once = add_responses(key, arguments)
    twice = add_responses(once.key, arguments)
    assert same(once.key, twice.key)
    assert twice.added == 0
    assert once.key.assessed == key.assessed
    assert once.key.coref == key.coref
    told = {*key.assessed, *key.unassessed, *(each.response for each in arguments.arguments)}
    assert {*once.key.assessed, *once.key.unassessed} == told
    assert once.added + once.assessed + once.waiting == len({each.response for each in arguments.arguments})


def test_create_store_onto_another(tmp_path: Path):
    put(tmp_path / "old", AnswerKey("d", {BOB: GOOD}, (), {BOB.cas: 7}), AnswerKey("e", {}, [response(document="e")]))
    pool = pool_at(tmp_path / "pool", Arguments("d", [Argument(BOB), Argument(ANN)]), Arguments("f"))
    done = create_store(open_store(pool), tmp_path / "new", onto=tmp_path / "old")
    assert (done.documents, done.pooled, done.added, done.assessed, done.waiting) == (3, 2, 1, 1, 0)
    new = open_key(tmp_path / "new")
    assert new.documents == ["d", "e", "f"]
    assert new.key("d").assessed == {BOB: GOOD}
    assert list(new.key("d").unassessed) == [ANN]
    again = create_store(open_store(pool), tmp_path / "new", onto=tmp_path / "new")
    assert (again.added, again.assessed, again.waiting) == (0, 1, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old", "pool"]


def test_trimming_before(tmp_path: Path):
    him = response("him", at=(9, 11))
    other = BOB._replace(base_filler=(4, 5))  # same CAS: redundant in any case
    arguments = Arguments("d", [Argument(BOB, 0.9), Argument(other, 0.8), Argument(him, 0.7)])
    key = AnswerKey("d", {BOB: GOOD}, (), {BOB.cas: 1, him.cas: 1})
    by_cas = trimming("cas", unlinked="error")(arguments, None, key)
    assert [each.argument.response for each in by_cas.removed] == [other]
    by_coref = trimming("coref", unlinked="error")(arguments, None, key)
    assert [(each.argument.response, each.reason) for each in by_coref.removed] == [
        (other, "redundant"),
        (him, "coreferent"),
    ]
    inside = response("ob", at=(1, 2))
    two = Arguments("d", [Argument(BOB, 0.9), Argument(inside, 0.1)])
    nested = trimming("nested", unlinked="error")(two, None, key)
    assert [each.argument.response for each in nested.removed] == [inside]
    with pytest.raises(ValidationError, match="in no hopper"):
        trimming("cas", unlinked="error")(arguments, Linking("d", [Frame(frozenset([BOB]))]), key)


def test_problems_of_all_documents_at_once(tmp_path: Path):
    old = put(tmp_path / "old", AnswerKey("d", {BOB: GOOD}, (), {BOB.cas: 7}))
    (old / "e").write_text("nothing\n")
    pool = pool_at(tmp_path / "pool", Arguments("d", [Argument(ANN)]))
    (pool / "arguments" / "c").write_text("a\tb\n")
    before = contents(tmp_path)
    with pytest.raises(ValidationError) as caught:
        create_store(open_store(pool), tmp_path / "new", onto=old)
    assert sorted(Path(each.path).name for each in caught.value.problems) == ["c", "e"]
    assert contents(tmp_path) == before
    assert not (tmp_path / "new").exists()


# Copies with the realis of the assessor


@given(keys())
@examples(max_examples=30)
def test_expansion_is_idempotent_and_valid(key: AnswerKey):
    once, added = expand_realis(key)
    assert all(once.assessed[response] == assessment for response, assessment in key.assessed.items())
    assert len(once.assessed) == len(key.assessed) + len(added)
    assert list(once.unassessed) == list(key.unassessed)
    assert same(expand_realis(once)[0], once)
    assert not parse_key(write_key(once), "d")[1]
    # An obvious definition: every response that could be had by writing the assessed realis into another.
    wanted = {r._replace(realis=a.realis) for r, a in key.assessed.items() if a.realis}
    assert set(added) == wanted - {*key.assessed, *key.unassessed}


def test_expansion_of_a_key_that_was_expanded(tmp_path: Path):
    done = change_store(CORPUS / "key", tmp_path / "key", expanding)
    assert (done.documents, done.assessed, done.changes) == (12, 205, [])


# Repairs


def lines(*answers: str) -> bytes:
    fields = "x\td\tLife.Die\tTime\t2003-W10\t0-2\t0-50\t{}-{}\tNIL\tActual\t1.0\t{}\n"
    return "".join(fields.format(n, n, each.replace(" ", "\t")) for n, each in enumerate(answers)).encode()


def test_repair(tmp_path: Path):
    store = tmp_path / "store"
    store.mkdir()
    data = lines(
        "W NIL C NIL NIL NIL NIL",  # 14 is not asked for
        "C NIL NIL NIL NIL NIL NIL",  # 13 is missing
        "C C C C NIL Actual NAME",  # no cluster, no date
        "C C W C NIL Actual NAME",  # a wrong CAS may be what it likes
    )
    (store / "d").write_bytes(data)
    with pytest.raises(AdjudgeError):
        open_key(store).key("d")
    done = change_store(store, tmp_path / "repaired", repairing(SPEC), repaired=SPEC)
    assert [change.kind for change in done.changes] == ["cleared", "waits-again", "wrong-time", "new-cluster"]
    key = open_key(tmp_path / "repaired").key("d")
    assert sorted(key.assessed.values(), key=str) == [
        Assessment("C", "C", "W", "C", "Actual", "NAME"),
        Assessment("C", "C", "W", "C", "Actual", "NAME"),
        Assessment("W"),
    ]
    assert len(key.unassessed) == 1
    assert set(key.coref.values()) == {1}


@pytest.mark.parametrize(("profile", "kind"), [(SPEC, "joined-clusters"), (BBN_2015, "first-cluster")])
def test_repair_joins_two_clusters_or_keeps_the_first(tmp_path: Path, profile: Profile, kind: str):
    store = tmp_path / "store"
    store.mkdir()
    (store / "d").write_bytes(lines("W NIL NIL NIL 4 NIL NIL", "W NIL NIL NIL 5 NIL NIL"))
    done = change_store(store, tmp_path / "repaired", repairing(profile), repaired=profile)
    assert [change.kind for change in done.changes] == [kind]
    assert set(open_key(tmp_path / "repaired").key("d").coref.values()) == {4}


def test_repair_leaves_contradictions_to_people(tmp_path: Path):
    store = tmp_path / "store"
    store.mkdir()
    one, two = lines("W NIL NIL NIL 4 NIL NIL"), lines("C W NIL NIL 4 NIL NIL")
    (store / "d").write_bytes(one + two)
    with pytest.raises(ValidationError, match="another assessment"):
        change_store(store, tmp_path / "repaired", repairing(SPEC), repaired=SPEC)
    assert not (tmp_path / "repaired").exists()


@given(keys())
@examples(max_examples=25)
def test_repair_is_idempotent(key: AnswerKey):
    once, _ = repair(key)
    assert repair(once) == (once, [])


def test_new_clusters_when_numbers_run_out():
    full = {Cas("a", (0, 0)): LARGEST, Cas("b", (1, 1)): 1}
    assert list(islice(fresh_clusters(full), 2)) == [2, 3]


# Locks, and writers that are interrupted

WRITER = """
import sys, time
from adjudge.tasks.eal import stores
from adjudge.formats.eal_store import KeyWriter, open_store
write = KeyWriter.write
count = 0
def slowly(self, key):
    global count
    write(self, key)
    count += 1
    if count == 5:
        print("half", flush=True)
        time.sleep(60)
KeyWriter.write = slowly
stores.create_store(open_store(sys.argv[1]), sys.argv[2], onto=sys.argv[3] if len(sys.argv) > 3 else None)
"""
REPLACER = """
import sys, time
from pathlib import Path
from adjudge.tasks.eal import stores
from adjudge.formats import eal_write
from adjudge.formats.eal_store import open_store
eal_write.exchange = lambda one, other: False  # as where the system has no such thing
rename = Path.rename
def slowly(self, target):
    done = rename(self, target)
    if str(target).endswith(".old"):
        print("half", flush=True)
        time.sleep(60)
    return done
Path.rename = slowly
stores.create_store(open_store(sys.argv[1]), sys.argv[2], onto=sys.argv[2])
"""

TAKER = """
import sys, time
from adjudge.errors import UsageError
from adjudge.formats.eal_lock import locked
try:
    with locked(sys.argv[1], overwrite=True):
        began = time.time()
        time.sleep(0.3)
        print("mine", began, time.time())
except UsageError as error:
    print(error)
"""


def start_quietly(program: str, *arguments: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", program, *map(str, arguments)], stdout=subprocess.PIPE, text=True)


def start(program: str, *arguments: Path) -> "subprocess.Popen[str]":
    process = start_quietly(program, *arguments)
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    return process


def kill(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


@pytest.fixture
def campaign(tmp_path: Path) -> tuple[Path, Path]:
    """A pool, and a store with assessments to lose."""
    store = tmp_path / "store"
    create_store(open_store(CORPUS / "systems" / "S0"), store, onto=CORPUS / "key")
    return CORPUS / "systems" / "S1", store


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_killed_writer_loses_nothing(campaign: tuple[Path, Path]):
    pool, store = campaign
    before = contents(store)
    process = start(WRITER, pool, store, store)
    try:
        # While it writes, nobody else may, and nobody reads what may change.
        problem = lock_problem(store)
        assert problem is not None
        assert f"process {process.pid} has been writing" in problem.message
        with pytest.raises(UsageError, match="has been writing"):
            create_store(open_store(pool), store, onto=store)
        with pytest.raises(UsageError, match="wait until it is finished"):
            open_key(store)
        assert {name: data for name, data in contents(store).items() if name != LOCK} == before
    finally:
        kill(process)
    # The store is as it was before, so it can be read; the next writer takes the lock over and clears up.
    assert {name: data for name, data in contents(store).items() if name != LOCK} == before
    assert lock_problem(store) is None
    open_key(store).close()
    assert (store / LOCK).exists()
    assert create_store(open_store(pool), store, onto=store).added >= 0
    assert (store / LOCK).exists() is False
    assert [path.name for path in store.parent.iterdir()] == ["store"]


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_one_of_many_takes_over_the_lock_of_a_killed_writer(campaign: tuple[Path, Path]):
    pool, store = campaign
    kill(start(WRITER, pool, store, store))
    running = [start_quietly(TAKER, store) for _ in range(4)]
    said = [process.communicate(timeout=60)[0] for process in running]
    taken = [out for out in said if out.startswith("mine")]
    assert taken
    assert all("locked" in out or "replaced" in out for out in said if out not in taken), said
    assert (store / LOCK).exists() is False
    # While one had it, nobody else did: each wrote down when it began and when it ended.
    times = sorted(tuple(map(float, out.split()[1:])) for out in taken)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(times))


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_killed_first_writer_leaves_no_store(tmp_path: Path):
    process = start(WRITER, CORPUS / "systems" / "S0", tmp_path / "new")
    try:
        assert contents(tmp_path / "new").keys() == {LOCK}
        with pytest.raises(UsageError, match="has been writing"):
            create_store(open_store(CORPUS / "systems" / "S0"), tmp_path / "new")
    finally:
        kill(process)
    problem = lock_problem(tmp_path / "new")
    assert problem is not None
    assert "was interrupted; nothing was there before" in problem.message
    with pytest.raises(UsageError, match="write it again"):
        open_key(tmp_path / "new")
    create_store(open_store(CORPUS / "systems" / "S0"), tmp_path / "new")
    create_store(open_store(CORPUS / "systems" / "S0"), tmp_path / "undisturbed")
    assert contents(tmp_path / "new") == contents(tmp_path / "undisturbed")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "undisturbed"]


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killed_between_the_old_store_and_the_new(campaign: tuple[Path, Path]):
    pool, store = campaign
    before = contents(store)
    kill(start(REPLACER, pool, store))
    problem = lock_problem(store)
    if problem is None:  # the store is replaced in one step, and there is nothing between
        assert store.is_dir()
        return
    assert "was interrupted when it replaced the store" in problem.message
    with pytest.raises(UsageError, match="put it back"):
        open_key(store)
    with pytest.raises(UsageError, match="already exists"):  # it has been put back
        create_store(open_store(pool), store)
    assert {name: data for name, data in contents(store).items() if name != LOCK} == before
    open_key(store).close()
    create_store(open_store(pool), store, onto=store)
    assert [path.name for path in store.parent.iterdir()] == ["store"]


@pytest.mark.parametrize("text", ["", "somebody\n", "adjudge\tx\ty\tz\tw\n"])
def test_the_lock_of_another_program(campaign: tuple[Path, Path], text: str):
    pool, store = campaign
    (store / LOCK).write_text(text)
    with pytest.raises(UsageError, match="another program is writing"):
        create_store(open_store(pool), store, onto=store)
    assert (store / LOCK).read_text() == text


def test_the_lock_of_another_machine(campaign: tuple[Path, Path]):
    _, store = campaign
    (store / LOCK).write_text("adjudge\t1\tfar-away\t2015-07-15 12:00:00 UTC\tabc\n")
    with pytest.raises(UsageError, match="process 1 on far-away"):
        open_key(store)


@pytest.mark.parametrize("open_", [open_key, open_frames])
def test_a_lock_that_is_taken_while_a_store_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_: Any):
    """Whoever sees it first, the error is the same."""
    store = put(tmp_path / "store", AnswerKey("d"))
    list_folder, writers = os.scandir, ExitStack()

    def begin_to_write(path: Any) -> Any:
        monkeypatch.undo()
        writers.enter_context(locked(store, overwrite=True))
        return list_folder(path)

    monkeypatch.setattr(os, "scandir", begin_to_write)
    with writers:
        with pytest.raises(AdjudgeError) as while_opening:
            open_(store)
        with pytest.raises(AdjudgeError) as afterwards:
            open_(store)
    assert (type(while_opening.value), str(while_opening.value)) == (type(afterwards.value), str(afterwards.value))
    assert while_opening.value.exit_code == 2
    open_(store).close()


def test_a_failure_removes_the_lock(tmp_path: Path):
    def fail(path: Path) -> None:
        with writing_key(path, overwrite=True) as writer:
            assert lock_problem(path) is not None
            writer.write(AnswerKey("d"))
            raise RuntimeError

    for name in ("new", "new.zip"):
        with pytest.raises(RuntimeError):
            fail(tmp_path / name)
        assert list(tmp_path.iterdir()) == []
    store = put(tmp_path / "store", AnswerKey("d", {BOB: GOOD}, (), {BOB.cas: 7}))
    before = contents(store)
    with pytest.raises(RuntimeError):
        fail(store)
    assert contents(tmp_path / "store") == before
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_is_no_store_is_never_replaced(tmp_path: Path):
    (tmp_path / "thesis" / "chapters").mkdir(parents=True)
    with pytest.raises(UsageError, match="it contains folders"), locked(tmp_path / "thesis", overwrite=True):
        pass
    with pytest.raises(UsageError, match="is not a path"), locked("a\0b", overwrite=True):
        pass


def test_nothing_is_overwritten_unless_it_is_said(campaign: tuple[Path, Path]):
    pool, store = campaign
    before = contents(store)
    with pytest.raises(UsageError, match="it already exists"):
        create_store(open_store(pool), store)
    assert contents(store) == before
    create_store(open_store(pool), store, overwrite=True)
    assert not open_key(store).key("DOC00").assessed


def test_a_store_that_was_replaced_in_between(tmp_path: Path):
    put(tmp_path / "store", AnswerKey("d", {BOB: GOOD}, (), {BOB.cas: 7}))
    with (
        pytest.raises(UsageError, match="has replaced the store"),
        writing_key(tmp_path / "store", overwrite=True, seen=(0, 0)),
    ):
        pass
    assert open_key(tmp_path / "store").key("d").assessed == {BOB: GOOD}


def test_an_archive_is_locked_beside_it(tmp_path: Path):
    archive = tmp_path / "store.zip"
    with writing_key(archive) as writer:
        writer.write(AnswerKey("d", {BOB: GOOD}, (), {BOB.cas: 7}))
        with pytest.raises(UsageError, match="has been writing"):
            open_key(archive)
    assert [path.name for path in tmp_path.iterdir()] == ["store.zip"]
    assert open_key(archive).key("d").assessed == {BOB: GOOD}


def test_several_writers_take_turns(tmp_path: Path):
    """Several processes write one store: each either does, or is told that another does; no assessment is lost."""
    pool = pool_at(tmp_path / "pool", Arguments("d", [Argument(ANN)]))
    store = put(tmp_path / "store", AnswerKey("d", {BOB: GOOD}, (), {BOB.cas: 7}))
    program = (
        "import sys\nfrom adjudge.tasks.eal.stores import create_store\n"
        "from adjudge.formats.eal_store import open_store\nfrom adjudge.errors import UsageError\n"
        "try:\n    create_store(open_store(sys.argv[1]), sys.argv[2], onto=sys.argv[2])\n"
        "except UsageError as error:\n    print(error)\n    sys.exit(2)\n"
    )
    started = time.monotonic()
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(pool), str(store)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    codes = []
    for process in running:
        out, _ = process.communicate(timeout=60)
        codes.append(process.returncode)
        told = ("lock", "replaced", "cannot be read", "another program is writing")
        assert process.returncode == 0 or any(each in out for each in told), out
    assert 0 in codes
    assert time.monotonic() - started < 60
    key = open_key(store).key("d")
    assert key.assessed == {BOB: GOOD}
    assert list(key.unassessed) == [ANN]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pool", "store"]
