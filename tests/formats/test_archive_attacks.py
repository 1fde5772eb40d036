"""Archives that lie about their size, their names or their sums, or are damaged: refused, and nothing is left."""

import contextlib
import gzip
import os
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
from archives import FILES, KINDS, Box, make


@pytest.fixture
def box(tmp_path):
    return Box(tmp_path)


class TestBombs:
    @pytest.mark.parametrize("kind", KINDS)
    def test_ratio(self, box, kind):
        path = make(box.root / f"bomb{kind}", [("arguments/D1", bytes(40 << 20))])
        assert path.stat().st_size < 100_000
        box.refused(path, "unpacks to more than 200 times its size")

    @pytest.mark.parametrize("kind", KINDS)
    def test_total(self, box, kind):
        files = [(f"arguments/D{at}", os.urandom(1000)) for at in range(5)]
        path = make(box.root / f"large{kind}", files)
        box.refused(path, "unpacks to more than 3000 bytes", limits=Limits(total=3000))
        open_archive(path, limits=Limits(total=10_000)).close()

    @pytest.mark.parametrize("kind", KINDS)
    def test_entries(self, box, kind):
        path = make(box.root / f"many{kind}", [(f"arguments/D{at}", b"") for at in range(11)])
        box.refused(path, "has more than 10 entries", limits=Limits(entries=10))

    @pytest.mark.parametrize("kind", KINDS)
    def test_one_entry(self, box, kind):
        path = make(box.root / f"large{kind}", [("arguments/D1", os.urandom(1000))])
        box.refused(path, "is larger than 999 bytes", limits=Limits(entry=999))

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

    def test_the_list_of_entries_is_not_read_if_it_is_too_long(self, box, monkeypatch):
        path = make(box.root / "a.zip", [(f"arguments/{number:0100d}", b"") for number in range(60)])
        monkeypatch.setattr(zipfile, "ZipFile", None)
        box.refused(path, "has more than 10 entries", limits=Limits(entries=10))


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
        box.refused(box.root / "a.tgz", "'arguments/D3' occurs twice")

    @pytest.mark.parametrize("size", ["-1", "1e9", "9" * 30, "", "0x10"])
    def test_sizes_that_are_none(self, box, size):
        header = tarfile.TarInfo("pax")
        header.type = tarfile.XHDTYPE
        data = extended(header, record("size", size)) + tarfile.TarInfo("arguments/D1").tobuf()
        (box.root / "a.tgz").write_bytes(gzip.compress(data))
        box.refused(box.root / "a.tgz", "a size that is not a number")

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


class TestEnds:
    """Ends of zip archives that do not say the truth; programs differ in which part of them they believe."""

    END = "<4s4H2IH"

    def forged(self, box, files=FILES, comment=b"", **changes):
        """An archive whose end has other numbers."""
        path = make(box.root / "a.zip", files.items())
        data = path.read_bytes()
        at = len(data) - struct.calcsize(self.END)
        names = ("mark", "disk", "start_disk", "here", "entries", "size", "start", "comment")
        end = dict(zip(names, struct.unpack_from(self.END, data, at), strict=True)) | changes
        path.write_bytes(data[:at] + struct.pack(self.END, *end.values()) + comment)
        return path

    def with_long_end(self, path, **changes):
        """The archive with a record of 64 bits in its end."""
        data = path.read_bytes()
        at = len(data) - struct.calcsize(self.END)
        count, size, start = struct.unpack_from("<H2I", data, at + 10)
        numbers = {"disk": 0, "start_disk": 0, "here": count, "entries": count, "size": size, "start": start}
        where, disks = changes.pop("where", at), changes.pop("disks", 1)
        short = changes.pop("short", (0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF))
        long = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, *(numbers | changes).values())
        locator = struct.pack("<4sIQI", b"PK\6\7", 0, where, disks)
        path.write_bytes(data[:at] + long + locator + struct.pack(self.END, b"PK\5\6", *short, 0))
        return path

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"here": 2, "entries": 2}, "says that there are 2 entries, and it lists 3"),
            ({"here": 65535, "entries": 65535}, "says that there are 65535 entries, and it lists 3"),
            ({"here": 0, "entries": 0}, "says that there are 0 entries, and it lists 3"),
            ({"here": 2}, "says that 2 of 3 entries are on this disk"),
            ({"disk": 1}, "one of several disks"),
            ({"start_disk": 7}, "one of several disks"),
            ({"disk": 65535, "start_disk": 65535}, "one of several disks"),
            ({"start": 0}, "list of entries is not at byte 0"),
            ({"size": 60}, "list of entries is not at byte"),
            ({"comment": b"junk"}, "4 bytes follow its end"),
            ({"comment": bytes(70_000)}, "is damaged"),
        ],
    )
    def test_numbers(self, box, changes, says):
        junk = changes.get("comment", b"")
        path = self.forged(box, comment=junk, **{name: value for name, value in changes.items() if name != "comment"})
        box.refused(path, str(path), says, "pack or copy it again")

    def test_a_comment_that_is_cut(self, box):
        path = make(box.root / "a.zip", FILES.items())
        path.write_bytes(path.read_bytes()[:-2] + b"\x09\0short")
        box.refused(path, "its comment lacks 4 bytes")

    def test_a_list_that_ends_early(self, box):
        """The end says that one entry is all; the list is cut to it."""
        data = make(box.root / "a.zip", FILES.items()).read_bytes()
        first, second = data.index(b"PK\1\2"), data.index(b"PK\1\2", data.index(b"PK\1\2") + 1)
        path = self.forged(box, here=1, entries=1, size=second - first)
        box.refused(path, "list of entries is not at byte")

    def test_an_end_in_the_comment(self, box):
        """Whoever looks from the front finds one archive, whoever looks from the back another."""
        path = make(box.root / "a.zip", FILES.items())
        data = path.read_bytes()
        other = struct.pack(self.END, b"PK\5\6", 0, 0, 0, 0, 0, len(data), 0)
        path.write_bytes(data[:-2] + struct.pack("<H", len(other)) + other)
        box.refused(path, "it has two ends")

    def test_two_archives_in_one_file(self, box):
        path = make(box.root / "a.zip", FILES.items())
        path.write_bytes(path.read_bytes() * 2)
        box.refused(path, "list of entries is not at byte")

    def test_an_entry_on_another_disk(self, box):
        path = make(box.root / "a.zip", FILES.items())
        data = bytearray(path.read_bytes())
        struct.pack_into("<H", data, data.index(b"PK\1\2") + 34, 3)
        path.write_bytes(data)
        box.refused(path, "'arguments/D1' is said to be on another disk")

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"short": (0, 0, 1, 1, 50, 0)}, "contradict each other"),
            ({"entries": 2, "here": 2}, "says that there are 2 entries, and it lists 3"),
            ({"here": 1}, "1 of 3 entries"),
            ({"disk": 1}, "contradict each other"),
            ({"disks": 2}, "several disks"),
            ({"where": 5}, "not at byte 5"),
        ],
    )
    def test_long_ends(self, box, changes, says):
        box.refused(self.with_long_end(make(box.root / "a.zip", FILES.items()), **changes), says)

    @pytest.mark.parametrize("short", [(0, 0, 3, 3), (0, 0, 0xFFFF, 0xFFFF), (0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF)])
    def test_honest_long_ends(self, box, short):
        path = self.with_long_end(make(box.root / "a.zip", FILES.items()), short=(*short, 0xFFFFFFFF, 0xFFFFFFFF))
        with open_archive(path, work=box.work) as archive:
            assert {name: archive.read(name) for name, place in archive.entries.items() if place} == FILES

    @pytest.mark.parametrize("comment", [b"", b"made on Monday", b"PK\5\6", b"x" * 65535, bytes(65535)])
    def test_honest_comments(self, box, comment):
        path = make(box.root / "a.zip", FILES.items())
        with zipfile.ZipFile(path, "a") as packed:
            packed.comment = comment
        if comment == b"PK\5\6":  # too short to be an end, but what the standard library takes for one
            box.refused(path, "is damaged")
            return
        with open_archive(path, work=box.work) as archive:
            assert {name: archive.read(name) for name, place in archive.entries.items() if place} == FILES

    def test_many_entries(self, box):
        """More than 65,535, which only a record of 64 bits can say."""
        path = make(box.root / "a.zip", [(f"a/{number}", b"") for number in range(65_540)])
        with open_archive(path, work=box.work, limits=Limits(entries=70_000)) as archive:
            assert sum(1 for place in archive.entries.values() if place) == 65_540


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
    @settings(max_examples=30)
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
    @settings(max_examples=30)
    def test_any_bytes_in_a_tar(self, tmp_path_factory, data):
        path = tmp_path_factory.mktemp("any") / "a.tgz"
        path.write_bytes(gzip.compress(data))
        with contextlib.suppress(FormatError):
            open_archive(path).close()

    @given(
        st.dictionaries(st.sampled_from(["path", "size", "linkpath", "x"]), st.binary(max_size=9)),
        st.binary(max_size=9),
    )
    @settings(max_examples=30)
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

    def test_a_pipe(self, box, make_pipe):
        make_pipe(box.root / "pipe.zip")
        with pytest.raises(UsageError, match="not a regular file"):
            open_archive(box.root / "pipe.zip")

    def test_no_place_to_unpack(self, box):
        path = make(box.root / "a.zip", FILES.items())
        with pytest.raises(UsageError, match="no folder to unpack"):
            open_archive(path, work=Path("/nonexistent"))
