"""Make a wheel as small as its format allows: `python tools/release/pack.py dist`.

Its modules come without comments, without the docstrings of private functions, and without the examples of docstrings
that are tests and no part of the reference of Python; the source distribution has all of them. Every statement stays on
its line, so that tracebacks are right. zopfli then writes what any unzip reads, 3 % smaller than zlib does.
"""

from __future__ import annotations

import ast
import base64
import csv
import hashlib
import io
import re
import sys
import tokenize
import zipfile
from pathlib import Path
from unittest import mock

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference-python.md"
_EXAMPLES = re.compile(r'\n\s*>>> .*(?=""")', re.DOTALL)


class _Zopfli:
    """A compressor as zipfile uses it: everything in, then one raw deflate stream out."""

    def __init__(self) -> None:
        self._whole = bytearray()

    def compress(self, data: bytes) -> bytes:
        self._whole += data
        return b""

    def flush(self) -> bytes:
        import zopfli.zlib

        return bytes(zopfli.zlib.compress(bytes(self._whole), numiterations=15)[2:-4])  # without zlib's frame


def slim(module: str, reference: str, *, private: bool = False) -> str:
    r'''A module without its comments, and without the examples that the reference does not have.

    Docstrings of private functions stay with `private`: those of commands are their help.

    >>> slim('def f():\n    """One.\n\n    >>> f()\n    """\n    # why\n    return "#"  # what\n', "")
    'def f():\n    """One."""\n\n\n\n\n    return "#"\n'
    >>> slim('def _f():\n    """One."""\n    return 1\n', "")
    'def _f():\n\n    return 1\n'
    '''
    lines = module.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(module).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    for node in ast.walk(ast.parse(module)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            continue
        text = ast.get_docstring(node)
        if text is not None and not private and _is_private(node) and len(node.body) > 1:
            first, last = node.body[0].lineno - 1, node.body[0].end_lineno or 0
            lines[first:last] = [""] * (last - first)
            continue
        if text is None or ">>> " not in text or _first_example(text) in reference:
            continue
        first, last = node.body[0].lineno - 1, node.body[0].end_lineno or 0
        short = _EXAMPLES.sub("", "\n".join(lines[first:last])).splitlines()
        lines[first:last] = [*short, *[""] * (last - first - len(short))]
    return "\n".join(lines) + "\n" * module.endswith("\n")


def _is_private(node: ast.AST) -> bool:
    """Whether it is a function for its own module; classes may be described to users in a schema."""
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return is_function and node.name.startswith("_") and not node.name.startswith("__")


def _first_example(text: str) -> str:
    return next(line.strip() for line in text.splitlines() if line.strip().startswith(">>> "))


def pack(wheel: Path) -> None:
    """Replace the wheel by the same one, smaller."""
    smaller = wheel.with_suffix(".packed")
    reference = REFERENCE.read_text(encoding="utf-8")
    with zipfile.ZipFile(wheel) as before:
        files = {entry.filename: before.read(entry) for entry in before.infolist()}
        for name in (each for each in files if each.endswith(".py")):
            files[name] = slim(files[name].decode(), reference, private="/cli/" in name).encode()
        record = next(name for name in files if name.endswith(".dist-info/RECORD"))
        files[record] = _record(files, record)
        with (
            mock.patch("zipfile._get_compressor", side_effect=lambda *_: _Zopfli()),
            zipfile.ZipFile(smaller, "w", zipfile.ZIP_DEFLATED) as after,
        ):
            for entry in before.infolist():
                after.writestr(entry, files[entry.filename])
    smaller.replace(wheel)


def _record(files: dict[str, bytes], record: str) -> bytes:
    """The list of all files with their hashes and sizes."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.writerow([name, "", ""] if name == record else [name, f"sha256={digest}", len(data)])
    return text.getvalue().encode()


if __name__ == "__main__":
    for path in Path(sys.argv[1]).glob("*.whl"):
        pack(path)
