"""Archives from strangers: everything that may not be there is refused with a reason, and nothing else is touched."""

import gc
import stat
import tarfile
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.formats.archive import open_archive, pack
from archives import FILES, KINDS, Box, make, make_tar


@pytest.fixture
def box(tmp_path):
    return Box(tmp_path)


class TestGood:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("prefix", ["", "./"])
    def test_files_and_folders(self, box, kind, prefix):
        path = make(box.root / f"good{kind}", [(prefix + name, data) for name, data in FILES.items()])
        with open_archive(path, work=box.work) as archive:
            assert {name: archive.read(name) for name, place in archive.entries.items() if place} == FILES
            assert sorted(name for name, place in archive.entries.items() if place is None) == ["arguments", "linking"]
            assert archive.folder.parent == box.work
        assert not list(box.work.iterdir())

    @pytest.mark.parametrize("kind", KINDS)
    def test_what_nobody_needs_is_removed(self, box, kind):
        archive = open_archive(make(box.root / f"good{kind}", FILES.items()), work=box.work)
        assert list(box.work.iterdir())
        del archive
        gc.collect()
        assert not list(box.work.iterdir())

    @pytest.mark.parametrize("kind", KINDS)
    def test_nothing_in_it(self, box, kind):
        with open_archive(make(box.root / f"none{kind}", [])) as archive:
            assert archive.entries == {}

    @pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
    @given(data=st.data())
    @settings(max_examples=15)
    def test_dialects_of_tar(self, tmp_path_factory, form, data):
        letters = st.text("abcé李", min_size=1, max_size=3 if form == tarfile.USTAR_FORMAT else 90)
        names = st.lists(letters, min_size=1, max_size=3).map("/".join)
        files = data.draw(st.dictionaries(names, st.binary(max_size=1500), max_size=4))
        folded = {name.casefold() for name in files}
        if any("/".join(name.split("/")[:at]) in folded for name in folded for at in range(1, name.count("/") + 1)):
            return  # both a file and a folder
        path = tmp_path_factory.mktemp("tar") / "a.tgz"
        make_tar(path, files.items(), format=form)
        with open_archive(path) as archive:
            assert {name: archive.read(name) for name, place in archive.entries.items() if place} == files

    @given(
        st.dictionaries(st.text("abé李", min_size=1, max_size=4), st.binary(max_size=100), max_size=4), st.booleans()
    )
    @settings(max_examples=15)
    def test_packed_folders(self, tmp_path_factory, files, zipped):
        root = tmp_path_factory.mktemp("pack")
        (root / "in" / "empty").mkdir(parents=True)
        for name, data in files.items():
            (root / "in" / f"f{name}").write_bytes(data)
        suffix = ".zip" if zipped else ".tar.gz"
        for number in (1, 2):
            pack(root / "in", root / f"{number}{suffix}", zipped=zipped)
        assert (root / f"1{suffix}").read_bytes() == (root / f"2{suffix}").read_bytes()
        with open_archive(root / f"1{suffix}") as archive:
            found = {name: archive.read(name) for name, place in archive.entries.items() if place}
            assert found == {f"f{name}": data for name, data in files.items()}
            assert archive.entries["empty"] is None

    def test_names_in_utf8_without_the_mark(self, box):
        path = make(box.root / "a.zip", [("arguments/xyz", b"")])
        data = path.read_bytes().replace(b"xyz", "\u674e".encode())
        path.write_bytes(data)
        with open_archive(path) as archive:
            assert "arguments/\u674e" in archive.entries


NAMES = [
    ("../up", "leads out of the archive"),
    ("arguments/../../up", "leads out of the archive"),
    ("arguments/..", "leads out of the archive"),
    ("/etc/passwd", "has an absolute name"),
    ("//server/share", "has an absolute name"),
    ("C:/x", "has a name with a drive letter"),
    ("c:x", "has a name with a drive letter"),
    ("..\\up", "has a backslash in its name"),
    ("arguments\\D1", "has a backslash in its name"),
    ("arguments/a\nb", "has control characters in its name"),
    ("arguments/\x1b[31mred", "has control characters in its name"),
    ("arguments/\x7f", "has control characters in its name"),
    ("arguments/\u2028x", "has control characters in its name"),
    ("arguments/D1 ", "has blanks at an end of its name"),
    ("a/" * 20 + "b", "is more than 8 folders deep"),
    ("arguments/" + "x" * 2000, "has a name of more than 1024 bytes"),
]


@pytest.mark.parametrize("kind", KINDS)
class TestNames:
    @pytest.mark.parametrize(("name", "says"), NAMES)
    def test_refused(self, box, kind, name, says):
        path = make(box.root / f"bad{kind}", [("arguments/fine", b"x"), (name, b"y")])
        (message,) = box.refused(path, says)
        assert "\x1b" not in message
        assert len(message) < 200

    def test_all_at_once(self, box, kind):
        path = make(box.root / f"bad{kind}", [(name, b"") for name, _ in NAMES])
        messages = box.refused(path)
        assert [each for (_, each), message in zip(NAMES, messages, strict=True) if each not in message] == []

    def test_the_name_of_the_archive_leads_nowhere(self, box, kind):
        path = make(box.root / f"bad{kind}", [("../" * 3 + "inner/planted", b"x")])
        box.refused(path, "leads out")
        assert not (box.root / "inner" / "planted").exists()

    @pytest.mark.parametrize(
        ("names", "says"),
        [
            (["arguments/D1", "arguments/D1"], "occurs twice"),
            (["arguments/D1", "./arguments//D1"], "occurs twice"),
            (["arguments/D1", "arguments/d1"], "the same name on many systems"),
            (["arguments/D1", "Arguments/D2"], "the same name on many systems"),
            (["arguments/\u00e9", "arguments/e\u0301"], "the same name on many systems"),
            (["arguments/stra\u00dfe", "arguments/STRASSE"], "the same name on many systems"),
            (["arguments", "arguments/D1"], "is both a file and a folder"),
            (["arguments/D1", "arguments"], "is both a file and a folder"),
        ],
    )
    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_names_that_are_alike(self, box, kind, names, says):
        path = make(box.root / f"bad{kind}", [(name, str(at).encode()) for at, name in enumerate(names)])
        box.refused(path, says)


class TestNamesInOtherEncodings:
    def test_tar(self, box):
        make_tar(box.root / "a.tgz", [("arguments/Jos\xe9", b"")], encoding="latin-1", format=tarfile.GNU_FORMAT)
        box.refused(box.root / "a.tgz", "has a name that is not UTF-8")

    def test_zip_of_dos(self, box):
        path = make(box.root / "a.zip", [("arguments/Josx", b"")])
        path.write_bytes(path.read_bytes().replace(b"Josx", b"Jos\x82"))
        box.refused(path, "has a name in an unknown encoding")

    def test_zip_that_says_utf8(self, box):
        path = make(box.root / "a.zip", [("arguments/\u674e", b"")])
        path.write_bytes(path.read_bytes().replace("\u674e".encode(), b"\xff\xfe\xfd"))
        box.refused(path, "not UTF-8")

    def test_null_characters(self, box):
        path = make(box.root / "a.zip", [("arguments/D1\0.exe", b"")])
        box.refused(path, "control characters")


class TestKinds:
    @pytest.mark.parametrize(
        ("kind", "says"),
        [
            (tarfile.SYMTYPE, "is a symbolic link"),
            (tarfile.LNKTYPE, "is a hard link"),
            (tarfile.CHRTYPE, "is a device"),
            (tarfile.BLKTYPE, "is a device"),
            (tarfile.FIFOTYPE, "is a pipe"),
            (tarfile.GNUTYPE_SPARSE, "is a sparse file"),
            (b"Z", "is of an unknown kind"),
        ],
    )
    @pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
    def test_tar(self, box, kind, says, form):
        path = box.root / "a.tar.gz"
        with tarfile.open(path, "w:gz", format=form) as packed:
            packed.addfile(tarfile.TarInfo("arguments/D1"))
            member = tarfile.TarInfo("arguments/" + "D2" * 60 if form != tarfile.USTAR_FORMAT else "arguments/D2")
            member.type, member.linkname = kind, str(box.root / "victim" / ("x" * 120 if form else ""))[:90]
            packed.addfile(member)
        (message,) = box.refused(path, says)
        assert "arguments/D2" in message

    def test_sparse_files_of_pax(self, box):
        path = box.root / "a.tar.gz"
        with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as packed:
            member = tarfile.TarInfo("arguments/D1")
            member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9" * 15}
            packed.addfile(member)
        box.refused(path, "is a sparse file")

    def test_a_link_and_a_file_through_it(self, box):
        target = box.root / "victim"
        target.mkdir()
        path = box.root / "a.tgz"
        with tarfile.open(path, "w:gz") as packed:
            member = tarfile.TarInfo("arguments")
            member.type, member.linkname = tarfile.SYMTYPE, str(target)
            packed.addfile(member)
            packed.addfile(tarfile.TarInfo("arguments/planted"))
        box.refused(path, "is a symbolic link")
        assert not list(target.iterdir())

    @pytest.mark.parametrize(
        ("mode", "says"),
        [
            (stat.S_IFLNK, "is a symbolic link"),
            (stat.S_IFIFO, "is a pipe"),
            (stat.S_IFCHR, "is a device"),
            (stat.S_IFBLK, "is a device"),
            (stat.S_IFSOCK, "is a socket"),
        ],
    )
    def test_zip(self, box, mode, says):
        with zipfile.ZipFile(box.root / "a.zip", "w") as packed:
            info = zipfile.ZipInfo("arguments/D1")
            info.external_attr = (mode | 0o777) << 16
            packed.writestr(info, "/etc/passwd")
        box.refused(box.root / "a.zip", says)

    def test_encrypted(self, box):
        path = make(box.root / "a.zip", [("arguments/D1", b"secret")])
        data = bytearray(path.read_bytes())
        for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
            data[data.index(mark) + at] |= 1
        path.write_bytes(data)
        box.refused(path, "is encrypted", "without a password")

    @pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_other_methods(self, box, method):
        with zipfile.ZipFile(box.root / "a.zip", "w", method) as packed:
            packed.writestr("arguments/D1", "x")
        box.refused(box.root / "a.zip", f"is compressed by method {method}")
