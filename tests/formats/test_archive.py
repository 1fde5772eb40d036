"""Archives from strangers: everything that may not be there is refused with a reason, and nothing else is touched."""

import contextlib
import gc
import gzip
import io
import os
import stat
import struct
import subprocess
import sys
import tarfile
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError, FormatError, UsageError
from adjudge.formats.archive import Limits, open_archive
from adjudge.formats.archive_pack import pack

KINDS = [".zip", ".tar.gz"]
FILES = {"arguments/D1": b"one", "arguments/D2": b"", "linking/D1": b"1\n"}


def make_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files:
            info = zipfile.ZipInfo("x")
            info.filename = name  # as it is, also with a null character
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, data)


def make_tar(path, files, **options):
    with tarfile.open(path, "w:gz", **options) as packed:
        for name, data in files:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            packed.addfile(member, io.BytesIO(data))


def make(path, files):
    (make_zip if path.name.endswith(".zip") else make_tar)(path, files)
    return path


class Box:
    """A folder that is looked at before and after."""

    def __init__(self, root):
        self.root = root
        self.work = root / "inner" / "work"
        self.work.mkdir(parents=True)

    def state(self):
        return {
            str(path.relative_to(self.root)): path.read_bytes() if path.is_file() else None
            for path in self.root.rglob("*")
            if not path.is_symlink()
        }

    def refused(self, path, *says, limits=None, error=FormatError):
        before = self.state()
        with pytest.raises(error) as caught:
            open_archive(path, limits=limits, work=self.work)
        assert self.state() == before
        for each in says:
            assert each in str(caught.value)
        return [problem.message for problem in caught.value.problems]


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
            (["arguments/D1", "arguments/D1"], "is there twice"),
            (["arguments/D1", "./arguments//D1"], "is there twice"),
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


class TestBombs:
    @pytest.mark.parametrize("kind", KINDS)
    def test_ratio(self, box, kind):
        path = make(box.root / f"bomb{kind}", [("arguments/D1", bytes(40 << 20))])
        assert path.stat().st_size < 100_000
        box.refused(path, "unpacks to more than 200 times its size")

    @pytest.mark.parametrize("kind", KINDS)
    def test_many_files_of_some_size(self, box, kind):
        path = make(box.root / f"bomb{kind}", [(f"arguments/D{at}", bytes(1 << 20)) for at in range(40)])
        box.refused(path, "unpacks to more than 200 times its size")

    @pytest.mark.parametrize("kind", KINDS)
    def test_total(self, box, kind):
        files = [(f"arguments/D{at}", os.urandom(1000)) for at in range(5)]
        path = make(box.root / f"large{kind}", files)
        box.refused(path, "unpacks to more than 3000 bytes", limits=Limits(total=3000))
        open_archive(path, limits=Limits(total=10_000)).close()

    @pytest.mark.parametrize("kind", KINDS)
    def test_one_entry(self, box, kind):
        path = make(box.root / f"large{kind}", [("arguments/D1", os.urandom(1000))])
        box.refused(path, "is larger than 999 bytes", limits=Limits(entry=999))

    def test_ordinary_files_are_not_refused(self, box):
        path = make(box.root / "a.zip", [("arguments/D1", bytes(1 << 20))])
        open_archive(path).close()

    def test_a_zip_that_lies_about_sizes(self, box):
        path = make(box.root / "a.zip", [("arguments/D1", bytes(5 << 20))])
        data = bytearray(path.read_bytes())
        for mark, at in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
            struct.pack_into("<I", data, data.index(mark) + at, 10)
        path.write_bytes(data)
        box.refused(path, "is damaged")

    def test_a_tar_that_claims_terabytes(self, box):
        header = tarfile.TarInfo("arguments/D1")
        header.size = 1 << 45
        data = header.tobuf(tarfile.GNU_FORMAT)
        (box.root / "a.tgz").write_bytes(gzip.compress(data + bytes(2048)))
        box.refused(box.root / "a.tgz", "is larger than 256 MiB")

    @pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
    def test_headers_without_end(self, box, kind):
        header = tarfile.TarInfo("x")
        header.type, header.size = kind, 30 << 20
        data = header.tobuf(tarfile.GNU_FORMAT) + bytes(30 << 20)
        (box.root / "a.tgz").write_bytes(gzip.compress(data))
        box.refused(box.root / "a.tgz", "a header of 31457280 bytes")

    def test_zeros_after_the_end(self, box):
        data = tarfile.TarInfo("arguments/D1").tobuf() + bytes(60 << 20)
        (box.root / "a.tgz").write_bytes(gzip.compress(data))
        box.refused(box.root / "a.tgz", "unpacks to more than 200 times its size")

    def test_archives_in_archives_stay_packed(self, box):
        inner = make(box.root / "inner.zip", [("arguments/D1", bytes(5 << 20))])
        path = make(box.root / "outer.zip", [("inner.zip", inner.read_bytes())])
        with open_archive(path) as archive:
            assert archive.read("inner.zip") == inner.read_bytes()

    def test_100_000_entries_of_zip(self, box):
        parts, central, at = [], [], 0
        for number in range(100_000):
            name = b"arguments/%d" % number
            local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 33, 0, 0, 0, len(name), 0) + name
            fields = (b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, len(name), 0, 0, 0, 0, 0, at)
            central.append(struct.pack("<4s6H3I5H2I", *fields) + name)
            parts.append(local)
            at += len(local)
        listed = b"".join(central)
        end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 34464, 34464, len(listed), at, 0)  # it counts to 65535 only
        (box.root / "a.zip").write_bytes(b"".join(parts) + listed + end)
        box.refused(box.root / "a.zip", "has more than 20000 entries")

    def test_the_list_of_entries_is_not_read_if_it_is_too_long(self, box, monkeypatch):
        path = make(box.root / "a.zip", [(f"arguments/{number:0100d}", b"") for number in range(60)])
        monkeypatch.setattr(zipfile, "ZipFile", None)
        box.refused(path, "has more than 10 entries", limits=Limits(entries=10))

    def test_100_000_entries_of_tar(self, box):
        template = bytearray(tarfile.TarInfo("arguments/000000").tobuf())
        blocks = []
        base = sum(template[:148]) + sum(template[156:]) + 8 * 32 - sum(template[10:16])
        for number in range(100_000):
            digits = b"%06d" % number
            template[10:16] = digits
            template[148:156] = b"%06o\0 " % (base + sum(digits))
            blocks.append(bytes(template))
        (box.root / "a.tgz").write_bytes(gzip.compress(b"".join(blocks), 1))
        box.refused(box.root / "a.tgz", "has more than 20000 entries")


class TestTricks:
    @pytest.mark.parametrize("name", ["../up", "/etc/cron.d/x", "arguments/../../up", "a\\b"])
    @pytest.mark.parametrize("kind", ["x", "g", "L"])
    def test_names_in_headers_that_extend_others(self, box, kind, name):
        if kind == "L":
            header, data = tarfile.TarInfo("././@LongLink"), name.encode() + b"\0"
            header.type = tarfile.GNUTYPE_LONGNAME
        else:
            header, data = tarfile.TarInfo("pax"), record("path", name)
            header.type = tarfile.XHDTYPE if kind == "x" else tarfile.XGLTYPE
        (box.root / "a.tgz").write_bytes(
            gzip.compress(extended(header, data) + tarfile.TarInfo("arguments/D1").tobuf())
        )
        (message,) = box.refused(box.root / "a.tgz")
        assert repr(name).strip("'")[:4] in message

    def test_one_name_for_all(self, box):
        header = tarfile.TarInfo("pax")
        header.type = tarfile.XGLTYPE
        entries = tarfile.TarInfo("arguments/D1").tobuf() + tarfile.TarInfo("arguments/D2").tobuf()
        (box.root / "a.tgz").write_bytes(gzip.compress(extended(header, record("path", "arguments/D3")) + entries))
        box.refused(box.root / "a.tgz", "'arguments/D3' is there twice")

    @pytest.mark.parametrize("size", ["-1", "1e9", "9" * 30, "", "0x10"])
    def test_sizes_that_are_none(self, box, size):
        header = tarfile.TarInfo("pax")
        header.type = tarfile.XHDTYPE
        data = extended(header, record("size", size)) + tarfile.TarInfo("arguments/D1").tobuf()
        (box.root / "a.tgz").write_bytes(gzip.compress(data))
        box.refused(box.root / "a.tgz", "a size that is no number")

    def test_a_size_that_hides_an_entry(self, box):
        """The second entry stands in what the extended header calls content of the first, and is nothing else."""
        hidden = tarfile.TarInfo("../../hidden").tobuf()
        header = tarfile.TarInfo("pax")
        header.type = tarfile.XHDTYPE
        data = extended(header, record("size", str(len(hidden)))) + tarfile.TarInfo("arguments/D1").tobuf() + hidden
        (box.root / "a.tgz").write_bytes(gzip.compress(data + bytes(1024)))
        with open_archive(box.root / "a.tgz", work=box.work) as archive:
            assert {name for name, place in archive.entries.items() if place} == {"arguments/D1"}
            assert archive.read("arguments/D1") == hidden

    def test_entries_of_zip_that_share_their_bytes(self, box):
        """A few kilobytes of zeros, listed many times under many names."""
        packed = zlib.compressobj(9, zlib.DEFLATED, -15)
        content = packed.compress(bytes(1 << 20)) + packed.flush()
        check = zlib.crc32(bytes(1 << 20))
        listed = b""
        name = b"arguments/D0000"
        local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 33, check, len(content), 1 << 20, len(name), 0) + name
        for number in range(1000):
            other = b"arguments/D%04d" % number
            fields = (b"PK\1\2", 20, 20, 0, 8, 0, 33, check, len(content), 1 << 20, len(name), 0, 0, 0, 0, 0, 0)
            listed += struct.pack("<4s6H3I5H2I", *fields) + other
        end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1000, 1000, len(listed), len(local + content), 0)
        (box.root / "a.zip").write_bytes(local + content + listed + end)
        box.refused(box.root / "a.zip")

    def test_a_long_list_behind_a_record_of_64_bits(self, box, monkeypatch):
        """The usual record claims a short list, the other one a long one, which is the one that is read."""
        path = make(box.root / "a.zip", [(f"arguments/{number:0100d}", b"") for number in range(60)])
        data = path.read_bytes()
        at = data.rindex(b"PK\5\6")
        count, size, start = struct.unpack_from("<H2I", data, at + 10)
        long = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
        locator = struct.pack("<4sIQI", b"PK\6\7", 0, at, 1)
        short = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, 50, start, 0)
        path.write_bytes(data[:at] + long + locator + short)
        with zipfile.ZipFile(path) as packed:
            assert len(packed.infolist()) == 60
        monkeypatch.setattr(zipfile, "ZipFile", None)
        box.refused(path, "has more than 10 entries", limits=Limits(entries=10))

    @pytest.mark.parametrize("kind", KINDS)
    def test_bombs_take_no_memory(self, box, kind):
        path = make(box.root / f"bomb{kind}", [("arguments/D1", bytes(60 << 20))])
        tracemalloc.start()
        try:
            box.refused(path, "times its size")
            assert tracemalloc.get_traced_memory()[1] < 8 << 20
        finally:
            tracemalloc.stop()

    @pytest.mark.skipif(os.name != "posix", reason="needs locks of POSIX")
    def test_what_a_killed_process_unpacked_is_removed(self, box):
        path = make(box.root / "a.zip", FILES.items())
        program = (
            "import os, signal, sys\nfrom pathlib import Path\nfrom adjudge.formats.archive import open_archive\n"
            "archive = open_archive(sys.argv[1], work=Path(sys.argv[2]))\nos.kill(os.getpid(), signal.SIGKILL)\n"
        )
        subprocess.run([sys.executable, "-c", program, str(path), str(box.work)], check=False)
        (left,) = box.work.iterdir()
        assert left.stat().st_mode & 0o077 == 0  # nobody else looks into it
        with open_archive(path, work=box.work) as first, open_archive(path, work=box.work) as second:
            assert sorted(box.work.iterdir()) == sorted([first.folder, second.folder])
        assert not list(box.work.iterdir())


def record(key, value):
    """A field of an extended header."""
    body = f" {key}={value}\n".encode()
    length = len(body) + 1
    while length != len(str(length)) + len(body):
        length = len(str(length)) + len(body)
    return str(length).encode() + body


def extended(header, data):
    """A header that extends the next, with its content."""
    header.size = len(data)
    return header.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % 512)


class TestDamage:
    @pytest.mark.parametrize("kind", KINDS)
    def test_truncated_anywhere(self, box, kind):
        path = make(box.root / f"good{kind}", FILES.items())
        data = path.read_bytes()
        for length in range(len(data)):
            path.write_bytes(data[:length])
            box.refused(path)

    @pytest.mark.parametrize("kind", KINDS)
    @given(data=st.data())
    @settings(max_examples=60)
    def test_changed_anywhere(self, tmp_path_factory, kind, data):
        root = tmp_path_factory.mktemp("damage")
        path = make(root / f"good{kind}", FILES.items())
        changed = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(changed)
        (root / "work").mkdir()
        with contextlib.suppress(AdjudgeError):
            open_archive(path, work=root / "work").close()
        assert sorted(each.name for each in root.iterdir()) == sorted([path.name, "work"])
        assert not list((root / "work").iterdir())

    @given(st.binary(max_size=1500))
    @settings(max_examples=60)
    def test_any_bytes_in_a_tar(self, tmp_path_factory, data):
        path = tmp_path_factory.mktemp("any") / "a.tgz"
        path.write_bytes(gzip.compress(data))
        with contextlib.suppress(FormatError):
            open_archive(path).close()

    @given(
        st.dictionaries(st.sampled_from(["path", "size", "linkpath", "x"]), st.binary(max_size=9)),
        st.binary(max_size=9),
    )
    @settings(max_examples=60)
    def test_any_extended_header(self, tmp_path_factory, fields, tail):
        records = b""
        for key, value in fields.items():
            body = b" " + key.encode() + b"=" + value + b"\n"
            length = len(body) + 2
            records += str(length).encode().rjust(2, b"0") + body
        records += tail
        header = tarfile.TarInfo("x")
        header.type, header.size = tarfile.XHDTYPE, len(records)
        data = header.tobuf(tarfile.USTAR_FORMAT) + records + bytes(-len(records) % 512)
        path = tmp_path_factory.mktemp("any") / "a.tgz"
        path.write_bytes(gzip.compress(data + tarfile.TarInfo("y").tobuf()))
        with contextlib.suppress(FormatError):
            open_archive(path).close()

    def test_a_wrong_sum_of_the_contents(self, box):
        path = make(box.root / "a.tgz", FILES.items())
        data = bytearray(path.read_bytes())
        data[-8] ^= 1
        path.write_bytes(data)
        box.refused(path, "is damaged")

    def test_a_compressed_file_that_is_no_tar(self, box):
        (box.root / "a.tgz").write_bytes(gzip.compress(b"hello" * 200))
        box.refused(box.root / "a.tgz", "is damaged: a")

    @pytest.mark.parametrize(
        ("name", "data", "says"),
        [
            ("a.zip", b"", "the file is empty"),
            ("a.zip", b"hello", "neither a .zip nor a .tar.gz"),
            ("a.tar", tarfile.TarInfo("x").tobuf(), "neither a .zip nor a .tar.gz"),
            ("a.zip", gzip.compress(b"", mtime=0), "rename it so that it ends with .tar.gz"),
            ("a", gzip.compress(b"", mtime=0), "rename it so that it ends with .tar.gz"),
            ("a.gz", gzip.compress(b"", mtime=0), "rename it so that it ends with .tar.gz"),
            ("a.tgz", b"PK\5\6" + bytes(18), "rename it so that it ends with .zip"),
            ("a.zip", b"PK\3\4", "is damaged"),
        ],
    )
    def test_other_files(self, box, name, data, says):
        (box.root / name).write_bytes(data)
        box.refused(box.root / name, says)

    def test_no_file(self, box):
        box.refused(box.root / "none.zip", "cannot be read", error=UsageError)
        os.mkfifo(box.root / "pipe.zip")
        with pytest.raises(UsageError, match="not a regular file"):
            open_archive(box.root / "pipe.zip")

    def test_no_place_to_unpack(self, box):
        path = make(box.root / "a.zip", FILES.items())
        with pytest.raises(UsageError, match="no place to unpack"):
            open_archive(path, work=Path("/nonexistent"))


def test_zlib_is_not_trusted_with_stored_sizes(tmp_path):
    """A stored entry whose bytes are not those that were summed."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as packed:
        packed.writestr("arguments/D1", b"contents")
    path.write_bytes(path.read_bytes().replace(b"contents", b"CONTENTS"))
    with pytest.raises(FormatError, match="damaged"):
        open_archive(path)
    assert zlib.crc32(b"contents") != zlib.crc32(b"CONTENTS")
