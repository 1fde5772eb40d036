"""The valid files that targets begin with: those of a folder, or made here because they are not text."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

SEEDS = Path(__file__).parent / "seeds"
PART = b"~~~~\n"


def parts(data: bytes, count: int) -> list[bytes]:
    """The parts of an input; those that are not there are empty."""
    found = data.split(PART, count - 1)
    return found + [b""] * (count - len(found))


@cache
def seeds_of(folder: str) -> tuple[bytes, ...]:
    """The files of a folder of seeds, in order of their names."""
    made = MADE.get(folder)
    return made() if made is not None else tuple(each.read_bytes() for each in sorted((SEEDS / folder).iterdir()))


def _packed() -> tuple[bytes, ...]:
    """A store as a zip archive and as a compressed tar archive, always the same bytes."""
    import gzip
    import io
    import tarfile
    import zipfile

    arguments, linking = parts(seeds_of("eal-linking")[0], 2)
    files = {"arguments/MINI_NW_02": arguments, "linking/MINI_NW_02": linking}
    zipped, plain = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    with tarfile.open(fileobj=plain, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return zipped.getvalue(), gzip.compress(plain.getvalue(), mtime=0)


def _zipped(which: int) -> tuple[bytes, ...]:
    return (_packed()[which],)


def _validated_eal() -> tuple[bytes, ...]:
    text = b"<doc>\n" + b"words and words " * 60 + b"\n</doc>\n"
    return tuple(seed + PART + text for seed in seeds_of("eal-linking"))


def _validated_nugget() -> tuple[bytes, ...]:
    return tuple(seed + PART + tokens + PART for seed, tokens in zip(seeds_of("tbf"), seeds_of("tokens"), strict=True))


def _gzipped() -> tuple[bytes, ...]:
    import gzip

    return tuple(gzip.compress(seed, mtime=0) for seed in seeds_of("jsonl"))


def _zstd() -> tuple[bytes, ...]:
    import zstandard

    return tuple(zstandard.compress(seed) for seed in seeds_of("jsonl"))


def _parquet() -> tuple[bytes, ...]:
    import io

    import pyarrow
    import pyarrow.parquet

    stream = io.BytesIO()
    rows = [{"id": "d1", "items": [1, 2], "text": "x"}, {"id": "d2", "items": [], "text": None}]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), stream)
    return (stream.getvalue(),)


MADE: dict[str, Callable[[], tuple[bytes, ...]]] = {
    "zip": partial(_zipped, 0),
    "tar": partial(_zipped, 1),
    "validate-eal": _validated_eal,
    "validate-nugget": _validated_nugget,
    "gzip": _gzipped,
    "zstd": _zstd,
    "parquet": _parquet,
}
