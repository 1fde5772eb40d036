"""Archives, good and hostile ones, and a place where they are opened."""

import io
import tarfile
import zipfile

import pytest

from adjudge.errors import FormatError
from adjudge.formats.archive import open_archive

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
