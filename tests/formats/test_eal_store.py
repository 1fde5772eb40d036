"""Stores: layouts in folders and archives, reading document by document, and writing whole or not at all."""

import gc
import os
import shutil
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from adjudge.errors import AdjudgeError, FormatError, UsageError, ValidationError
from adjudge.formats.archive import pack
from adjudge.formats.eal_arguments import write_arguments
from adjudge.formats.eal_sources import from_utf16, to_utf16
from adjudge.formats.eal_store import (
    FramesWriter,
    KeyWriter,
    StoreWriter,
    open_frames,
    open_key,
    open_store,
    scan_store,
    transformed,
)
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Span
from eal_files import DOCUMENT, keys, linked_files
from eal_responses import response

BOB, ANN = response("Bob", document="D1"), response("Ann", document="D1")
D1 = Arguments("D1", [Argument(BOB, 0.5), Argument(ANN, 0.25)])
LINKED = Linking("D1", [Frame(frozenset([BOB, ANN])), Frame(frozenset([ANN]))])
D2 = Arguments("D2", [])
LINE = write_arguments(D1).splitlines(keepends=True)[0]


def lay(root, *names):
    """A folder with these files; a name that ends with a slash is a folder."""
    root.mkdir(exist_ok=True)
    for name in names:
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(LINE.replace(b"D1", path.name.encode()) if "arguments" in name else b"")
    return root


def contents(store):
    found = {}
    for arguments, linking in store:
        found[arguments.document] = [each._replace(line=0, id="") for each in arguments.arguments], linking
    return found


@pytest.fixture
def written(tmp_path):
    with StoreWriter(tmp_path / "store") as writer:
        writer.write(D2, Linking("D2"))
        writer.write(D1, LINKED)
    return tmp_path / "store"


class TestRead:
    def test_a_folder(self, written):
        store = open_store(written, layout="2015")
        assert (store.documents, store.linking_documents, store.has_linking) == (["D1", "D2"], ["D1", "D2"], True)
        assert {each.response for each in store.arguments("D1").arguments} == {BOB, ANN}
        assert store.linking("D1") == LINKED
        assert ("D1" in store, "D9" in store, len(store)) == (True, False, 2)

    def test_a_document_that_is_not_there(self, written):
        store = open_store(written)
        assert store.arguments("D9") == Arguments("D9", [])
        assert store.linking("D9") is None
        assert store.bytes_of("D9") is None

    @pytest.mark.parametrize("suffix", [".zip", ".tar.gz", ".tgz"])
    def test_archives(self, written, tmp_path, suffix):
        path = tmp_path / f"sub{suffix}"
        pack(written, path, zipped=suffix == ".zip")
        store = open_store(path, layout="2015")
        assert contents(store) == contents(open_store(written))
        assert store.place("D1", "linking") == f"{path}/linking/D1"
        store.close()

    def test_problems_name_the_file_in_the_archive(self, written, tmp_path):
        (written / "arguments" / "D1").write_bytes(LINE.replace(b"Actual", b"Really"))
        (written / "linking" / "D2").write_bytes(b"7\n")
        pack(written, tmp_path / "sub.zip", zipped=True)
        store = open_store(tmp_path / "sub.zip")
        with pytest.raises(FormatError, match=r"sub.zip/arguments/D1:1:\d+: there is no realis 'Really'"):
            store.arguments("D1")
        with pytest.raises(FormatError, match=r"sub.zip/linking/D2:1:1: there is no response with the id '7'"):
            store.linking("D2")
        arguments, findings = store.scan_arguments("D1")
        assert not arguments.arguments
        assert [finding.kind for finding in findings] == ["realis"]

    def test_memory_does_not_grow_with_the_number_of_documents(self, tmp_path):
        def peak(count):
            root = tmp_path / str(count)
            with StoreWriter(root, linking=False) as writer:
                for at in range(count):
                    document = f"D{at:03}"
                    responses = [response("x" * 200, document=document, at=(0, end)) for end in range(150)]
                    writer.write(Arguments(document, [Argument(each) for each in responses]))
            store = open_store(root)
            gc.collect()
            tracemalloc.start()
            for document in store.documents:
                store.arguments(document)
            answer = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return answer

        assert peak(60) < 1.5 * peak(6)

    def test_a_file_that_has_gone(self, written):
        store = open_store(written)
        (written / "arguments" / "D1").unlink()
        with pytest.raises(UsageError, match="cannot be read"):
            store.arguments("D1")


class TestLayout:
    @pytest.mark.parametrize(
        ("layout", "names", "says"),
        [
            ("2015", ["arguments/D"], ["the folder linking/ is missing"]),
            ("2015", ["linking/D"], ["the folder arguments/ is missing"]),
            ("2015", ["argument/D", "linking/D"], ["rename the folder argument/", "the folder argument does not"]),
            ("2015", ["Arguments/D", "linking/D"], ["rename the folder Arguments/", "the folder Arguments does not"]),
            ("2015", ["arguments/D", "linking"], ["the folder linking/ is a file"]),
            ("2015", ["arguments/D", "linking/D", "README"], ["the file README does not belong here"]),
            ("2015", ["arguments/D", "linking/D", "corpusLinking/"], ["the folder corpusLinking does not belong here"]),
            ("2016", ["arguments/D", "linking/D"], ["the folder corpusLinking/ is missing"]),
            ("2014", ["arguments/D", "linking/D"], ["the folder linking does not belong here"]),
            ("2015", ["D1", "D2"], ["arguments/ is missing", "linking/ is missing", "the file D1", "the file D2"]),
            ("2015", ["arguments/D", "linking/D", *"abcdefgh"], ["8 files such as a do not belong here"]),
            ("2015", ["arguments/sub/", "linking/"], ["store/arguments/sub: a folder among the documents"]),
            ("2015", ["arguments/a.zip", "linking/"], ["arguments/a.zip: an archive among the documents"]),
            (None, ["stuff/D"], ["the folder arguments/ is missing", "the folder stuff does not belong here"]),
            (None, [], ["the folder arguments/ is missing"]),
            (None, ["sub.tar.gz"], ["store/sub.tar.gz: an archive among the documents, unpack it"]),
        ],
    )
    def test_mistakes(self, tmp_path, layout, names, says):
        with pytest.raises(FormatError) as caught:
            open_store(lay(tmp_path / "store", *names), layout=layout)
        assert len(caught.value.problems) == len(says)
        text = str(caught.value)
        assert [each for each in says if each not in text] == []

    @pytest.mark.parametrize(
        ("layout", "names"),
        [
            ("2014", ["D1", "D2"]),
            ("2014", ["arguments/D1"]),
            ("2015", ["arguments/", "linking/"]),
            ("2016", ["arguments/D1", "linking/D1", "corpusLinking/corpusLinking"]),
            (None, ["arguments/D1"]),
            (None, ["arguments/D1", "linking/D1"]),
            (None, ["arguments/D1", "linking/D1", "corpusLinking/corpusLinking"]),
            (None, ["D1"]),
        ],
    )
    def test_good(self, tmp_path, layout, names):
        store, findings = scan_store(lay(tmp_path / "store", *names), layout=layout)
        assert not findings
        assert store.has_linking == any("linking/" in name for name in names)
        assert store.documents == sorted(name.split("/")[-1] for name in names if "ink" not in name and name[-1] != "/")

    def test_places_of_flat_stores(self, tmp_path):
        store = open_store(lay(tmp_path / "store", "D1"))
        assert store.place("D1") == f"{tmp_path}/store/D1"

    @pytest.mark.parametrize("suffix", [".zip", ".tar.gz"])
    def test_a_folder_around_everything(self, tmp_path, suffix):
        (tmp_path / "in").mkdir()
        lay(tmp_path / "in" / "mine", "arguments/D1", "linking/D1")
        path = tmp_path / f"good{suffix}"
        pack(tmp_path / "in", path, zipped=suffix == ".zip")
        with pytest.raises(FormatError) as caught:
            open_store(path, layout="2015")
        (problem,) = caught.value.problems
        assert problem.message == "everything is inside the folder mine/; arguments/ must be at the top"
        command = "zip -r ../good.zip" if suffix == ".zip" else "tar czf ../good.tar.gz"
        assert problem.hint == f"pack what is in it instead: cd mine && {command} arguments linking"
        with pytest.raises(FormatError, match=f"give {tmp_path}/in/mine"):
            open_store(tmp_path / "in")

    JUNK = ("__MACOSX/", "__MACOSX/arguments/._D1", ".DS_Store", "arguments/.DS_Store", "arguments/._D1", "Thumbs.db")

    def test_junk_in_an_archive_is_refused(self, tmp_path):
        lay(tmp_path / "in", "arguments/D1", "linking/D1", *self.JUNK)
        for zipped, suffix in ((True, ".zip"), (False, ".tgz")):
            path = tmp_path / f"sub{suffix}"
            pack(tmp_path / "in", path, zipped=zipped)
            with pytest.raises(FormatError) as caught:
                open_store(path, layout="2015")
            text = str(caught.value)
            assert len(caught.value.problems) == 4
            assert "was put there by macOS" in text
            command = "zip -d sub.zip '__MACOSX/*' '__MACOSX'" if zipped else "COPYFILE_DISABLE=1"
            assert command in text

    def test_junk_in_a_folder_is_a_remark(self, tmp_path):
        store = open_store(lay(tmp_path / "in", "arguments/D1", "linking/D1", *self.JUNK), layout="2015")
        assert store.documents == ["D1"]
        assert {finding.kind for finding in store.notes} == {"junk"}
        assert not any(finding.error for finding in store.notes)

    def test_pipes_are_not_opened(self, tmp_path, make_pipe):
        make_pipe(lay(tmp_path / "in", "arguments/D1", "linking/D1") / "arguments" / "D2")
        with pytest.raises(FormatError, match="arguments/D2: this is not a regular file"):
            open_store(tmp_path / "in")

    def test_names_that_are_no_ids(self, tmp_path):
        lay(tmp_path / "in", "arguments/D\n1", "linking/")
        with pytest.raises(FormatError) as caught:
            open_store(tmp_path / "in")
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("name", ["none", "a\0b"])
    def test_no_store(self, tmp_path, name):
        with pytest.raises(UsageError, match="cannot be read"):
            open_store(tmp_path / name)

    def test_an_archive_is_unpacked_and_removed(self, written, tmp_path, monkeypatch):
        work = tmp_path / "work"
        work.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(work))
        pack(written, tmp_path / "sub.zip", zipped=True)
        with open_store(tmp_path / "sub.zip") as store:
            assert len(list(work.iterdir())) == 1
            assert len(store) == 2
        assert not list(work.iterdir())
        lay(tmp_path / "in", "x/D1", "y/D2")
        pack(tmp_path / "in", tmp_path / "bad.zip", zipped=True)
        with pytest.raises(FormatError):
            open_store(tmp_path / "bad.zip")
        assert not list(work.iterdir())


class TestTransform:
    def test_ids_are_found_before(self, tmp_path):
        texts = {"D1": "\U0001f600 Bob and Ann"}
        here = [response("Bob", document="D1", at=(2, 4)), response("Ann", document="D1", at=(10, 12))]
        arguments = Arguments("D1", [Argument(each) for each in here])
        linking = Linking("D1", [Frame(frozenset(here))])
        official = transformed(arguments, linking, to_utf16(texts.__getitem__))
        assert official[0].arguments[0].response.cas.span == Span(3, 5)
        with StoreWriter(tmp_path / "store") as writer:
            writer.write(*official)
        store = open_store(tmp_path / "store", transform=from_utf16(texts.__getitem__))
        assert {each.response for each in store.arguments("D1").arguments} == set(here)
        assert {each.response for each in store.scan_arguments("D1")[0].arguments} == set(here)
        assert store.linking("D1") == linking

    def test_responses_that_become_one(self):
        arguments, linking = transformed(D1, LINKED, lambda each: each._replace(cas=Cas("x", Span(0, 2))))
        assert [each.confidence for each in arguments.arguments] == [0.5]
        assert [len(frame.responses) for frame in linking.frames] == [1, 1]


def crash(writer, error):
    writer.write(D1, LINKED)
    raise error


def another(writer, act):
    """Something that another program does while a store is written."""
    writer.write(D2)
    act()


def no_links(*_):
    raise PermissionError(1, "Operation not permitted")


class TestWrite:
    @given(linked_files())
    @settings(max_examples=20)
    def test_what_is_written_comes_back(self, tmp_path_factory, files):
        arguments, linking = files
        root = tmp_path_factory.mktemp("store")
        for name in ("one", "one.zip", "one.tar.gz"):
            with StoreWriter(root / name) as writer:
                writer.write(arguments, linking)
        with StoreWriter(root / "two") as writer:
            for each in open_store(root / "one"):
                writer.write(*each)
        for folder in ("arguments", "linking"):
            assert (root / "one" / folder / DOCUMENT).read_bytes() == (root / "two" / folder / DOCUMENT).read_bytes()
        for name in ("one.zip", "one.tar.gz"):
            assert contents(open_store(root / name)) == contents(open_store(root / "one"))
        assert open_store(root / "one").linking(DOCUMENT) == linking
        assert sorted(path.name for path in root.iterdir()) == ["one", "one.tar.gz", "one.zip", "two"]

    @given(keys())
    @settings(max_examples=20)
    def test_keys(self, tmp_path_factory, key):
        root = tmp_path_factory.mktemp("key")
        with KeyWriter(root / "key") as writer:
            writer.write(key)
        again = open_key(root / "key").key(DOCUMENT)
        assert (again.assessed, set(again.unassessed), again.coref) == (key.assessed, set(key.unassessed), key.coref)
        with KeyWriter(root / "key", overwrite=True) as writer:
            writer.write(again)
        assert open_key(root / "key").key(DOCUMENT) == again

    @pytest.mark.parametrize("ids", ["sha1", "2014", "keep"])
    def test_ids_of_arguments_and_linking_agree(self, tmp_path, ids):
        named = Arguments("D1", [each._replace(id=f"r{at}") for at, each in enumerate(D1.arguments)])
        with StoreWriter(tmp_path / "store", ids=ids) as writer:
            writer.write(named, LINKED)
        assert open_store(tmp_path / "store").linking("D1") == LINKED
        assert (b"r0" in (tmp_path / "store/linking/D1").read_bytes()) == (ids == "keep")

    def test_hoppers(self, tmp_path):
        with StoreWriter(tmp_path / "store", layout="2016") as writer:
            writer.write(D1, Linking("D1", [Frame(frozenset([BOB]), "h7")]))
        assert open_store(tmp_path / "store").linking("D1").frames == [Frame(frozenset([BOB]), "h7")]

    @pytest.mark.parametrize("name", ["store", "store.zip"])
    def test_a_crash_leaves_nothing(self, tmp_path, name):
        with pytest.raises(KeyboardInterrupt), StoreWriter(tmp_path / name) as writer:
            crash(writer, KeyboardInterrupt)
        assert not list(tmp_path.iterdir())

    def test_a_crash_leaves_the_old_store(self, written, tmp_path):
        before = contents(open_store(written))
        with pytest.raises(ZeroDivisionError), StoreWriter(written, overwrite=True) as writer:
            crash(writer, ZeroDivisionError)
        assert contents(open_store(written)) == before
        assert [path.name for path in tmp_path.iterdir()] == ["store"]

    def test_a_crash_while_names_change_leaves_the_old_store(self, written, tmp_path, monkeypatch):
        before = contents(open_store(written))
        original = type(written).rename

        def rename(path, target):
            if path.name != "store" and not path.name.endswith(".old"):
                raise OSError(28, "No space left on device")
            return original(path, target)

        monkeypatch.setattr("adjudge.formats.eal_write.exchange", lambda *_: False)
        monkeypatch.setattr(type(written), "rename", rename)
        with pytest.raises(UsageError, match="No space left"), StoreWriter(written, overwrite=True) as writer:
            writer.write(D2)
        assert contents(open_store(written)) == before
        assert [path.name for path in tmp_path.iterdir()] == ["store"]

    @pytest.mark.parametrize("exchanges", [True, False])
    @pytest.mark.parametrize("there", [True, False])
    def test_what_belongs_to_a_store_has_its_name_back_if_the_store_has_not(
        self, written, tmp_path, monkeypatch, exchanges, there
    ):
        if not exchanges:
            monkeypatch.setattr("adjudge.formats.eal_write.exchange", lambda *_: False)
        beside, other = tmp_path / "design", tmp_path / "key"
        if there:
            beside.write_text("old")
            with KeyWriter(other) as writer:
                writer.write(AnswerKey("OLD"))
        before = sorted(path.name for path in tmp_path.iterdir())

        def write(path, **options):
            with StoreWriter(path, **options) as writer:
                writer.beside(beside).write("new")
                writer.together(KeyWriter(other, overwrite=True)).write(AnswerKey("NEW"))
                writer.write(D2)
                if path != written:
                    path.write_bytes(b"another's")

        with pytest.raises(UsageError, match="already exists"):
            write(tmp_path / "taken")
        (tmp_path / "taken").unlink()
        assert sorted(path.name for path in tmp_path.iterdir()) == before
        assert not there or (beside.read_text(), open_key(other).documents) == ("old", ["OLD"])
        write(written, overwrite=True)
        assert (beside.read_text(), open_key(other).documents) == ("new", ["NEW"])
        assert open_store(written).documents == ["D2"]
        assert sorted(path.name for path in tmp_path.iterdir()) == ["design", "key", "store"]

    def test_overwriting(self, written, tmp_path):
        with pytest.raises(UsageError, match="already exists"), StoreWriter(written):
            pass
        with StoreWriter(written, overwrite=True) as writer:
            writer.write(D2)
        assert open_store(written).documents == ["D2"]
        assert [path.name for path in tmp_path.iterdir()] == ["store"]
        (tmp_path / "empty").mkdir()
        with StoreWriter(tmp_path / "empty") as writer:
            writer.write(D2)
        assert open_store(tmp_path / "empty").documents == ["D2"]

    @pytest.mark.parametrize("exchanges", [True, False])
    def test_the_old_one_is_removed_when_the_new_one_is_there(self, written, tmp_path, monkeypatch, exchanges):
        if not exchanges:
            monkeypatch.setattr("adjudge.formats.eal_write.exchange", lambda *_: False)
        removed = []
        original = shutil.rmtree

        def rmtree(path, **options):
            if Path(path).exists():
                removed.append((sorted(each.name for each in Path(path).iterdir()), open_store(written).documents))
            original(path, **options)

        monkeypatch.setattr("shutil.rmtree", rmtree)
        with StoreWriter(written, overwrite=True) as writer:
            writer.write(D2)
        assert removed == [(["arguments", "linking"], ["D2"])]
        (tmp_path / "file").write_bytes(b"old")
        with StoreWriter(tmp_path / "file", overwrite=True) as writer:
            writer.write(D2)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "store"]

    @pytest.mark.parametrize("name", ["store", "store.zip", "store.tgz"])
    @pytest.mark.parametrize("links", [True, False])
    def test_what_appears_meanwhile_is_not_replaced(self, tmp_path, monkeypatch, name, links):
        if not links:
            monkeypatch.setattr("os.link", no_links)
        with pytest.raises(UsageError, match="already exists"), StoreWriter(tmp_path / name) as writer:
            another(writer, lambda: (tmp_path / name).write_bytes(b"another's"))
        assert (tmp_path / name).read_bytes() == b"another's"
        assert [path.name for path in tmp_path.iterdir()] == [name]
        (tmp_path / name).unlink()
        with StoreWriter(tmp_path / name) as writer:
            writer.write(D1, LINKED)
        assert open_store(tmp_path / name).linking("D1") == LINKED
        assert [path.name for path in tmp_path.iterdir()] == [name]

    def test_a_folder_that_appears_meanwhile_is_not_replaced(self, tmp_path):
        with pytest.raises(UsageError, match="already exists"), StoreWriter(tmp_path / "store") as writer:
            another(writer, lambda: lay(tmp_path / "store", "arguments/D1"))
        assert open_store(tmp_path / "store").documents == ["D1"]

    def test_nothing_is_visible_before_the_end(self, tmp_path):
        with StoreWriter(tmp_path / "store") as writer:
            writer.write(D1, LINKED)
            assert not (tmp_path / "store").exists()
            assert all(path.name.startswith(".") for path in tmp_path.iterdir())
        assert (tmp_path / "store").is_dir()

    def test_a_document_twice(self, tmp_path):
        with StoreWriter(tmp_path / "store") as writer:
            writer.write(D1)
            with pytest.raises(UsageError, match="written twice"):
                writer.write(D1)

    @pytest.mark.parametrize("document", ["", ".x", "a/b", "../up", "a\\b", "a\nb", "a\0b"])
    def test_ids_that_are_no_names(self, tmp_path, document):
        with pytest.raises(ValidationError), StoreWriter(tmp_path / "store") as writer:
            writer.write(Arguments(document, []))

    def test_frames_of_another_document(self, tmp_path):
        with pytest.raises(ValidationError), StoreWriter(tmp_path / "store") as writer:
            writer.write(D1, Linking("D2"))

    def test_no_such_place(self, tmp_path):
        with pytest.raises(UsageError, match="cannot be written"), StoreWriter(tmp_path / "none" / "store"):
            pass

    def test_archives_have_the_two_folders_always(self, tmp_path):
        with StoreWriter(tmp_path / "a.zip"):
            pass
        with zipfile.ZipFile(tmp_path / "a.zip") as packed:
            assert packed.namelist() == ["arguments/", "linking/"]
        assert open_store(tmp_path / "a.zip", layout="2015").documents == []


class TestKeys:
    def test_lock(self, tmp_path):
        with KeyWriter(tmp_path / "key") as writer:
            writer.write(AnswerKey("D1", {BOB: Assessment("W")}))
        (tmp_path / "key" / "__lock").touch()
        for open_ in (open_key, open_frames):
            with pytest.raises(UsageError, match="locked"):
                open_(tmp_path / "key")
        shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "key")
        with pytest.raises(UsageError, match="locked"):
            open_key(tmp_path / "packed.zip")
        (tmp_path / "key" / "__lock").unlink()
        store = open_key(tmp_path / "key")
        assert (store.documents, len(store), "D1" in store) == (["D1"], 1, True)

    def test_no_such_document(self, tmp_path):
        with KeyWriter(tmp_path / "key") as writer:
            writer.write(AnswerKey("DOC1"))
        with pytest.raises(UsageError, match="did you mean DOC1"):
            open_key(tmp_path / "key").key("DOC2")

    def test_folders_do_not_belong(self, tmp_path):
        with pytest.raises(FormatError, match="a folder among the documents"):
            open_key(lay(tmp_path / "key", "D1", "sub/D2"))

    def test_problems_are_raised_together(self, tmp_path):
        (lay(tmp_path / "key") / "D1").write_bytes(LINE + LINE)
        with pytest.raises(FormatError) as caught:
            open_key(tmp_path / "key").key("D1")
        assert len(caught.value.problems) == 2

    def test_frames(self, tmp_path):
        key = AnswerKey("D1", {BOB: Assessment("W")}, (ANN,))
        with FramesWriter(tmp_path / "frames") as writer:
            writer.write(LINKED)
        frames = open_frames(tmp_path / "frames")
        assert frames.linking(key) == LINKED
        assert frames.linking(AnswerKey("D2")) is None
        with pytest.raises(FormatError, match="D1:1:"):
            frames.linking(AnswerKey("D1", {BOB: Assessment("W")}))

    def test_archives(self, tmp_path):
        with KeyWriter(tmp_path / "key.zip") as writer:
            writer.write(AnswerKey("D1", {BOB: Assessment("W")}))
        store = open_key(tmp_path / "key.zip")
        assert store.key("D1").assessed == {BOB: Assessment("W")}
        store.close()
        shutil.copy(tmp_path / "key.zip", tmp_path / "cut.zip")
        os.truncate(tmp_path / "cut.zip", 50)
        with pytest.raises(AdjudgeError):
            open_key(tmp_path / "cut.zip")


@pytest.mark.parametrize("target", ["{name}", "../arguments", "/dev/null/x"])
@pytest.mark.parametrize("name", ["DOC9", ".hidden"])
def test_a_link_that_leads_nowhere_is_named_or_passed_over(tmp_path, target, name):
    (tmp_path / "arguments").mkdir()
    (tmp_path / "arguments" / "DOC1").write_text("")
    (tmp_path / "arguments" / name).symlink_to(target.format(name=name))
    if name == ".hidden":
        assert open_store(tmp_path).documents == ["DOC1"]
    else:
        with pytest.raises(AdjudgeError, match=r"arguments/DOC9: (this is not a regular file|a folder among)"):
            open_store(tmp_path)
