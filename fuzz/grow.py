"""Files made from their structure: well formed more often than not, and wrong in what they say.

Each shape takes a valid file apart (values, rows of fields, elements, brackets), changes the parts, and writes the
file again. The random numbers come from outside, so that hypothesis can choose them, too, and shrink what it finds.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

from fuzz.mutate import NUMBERS, STRANGE

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 10**6, 2**31, 2**63, -(2**63) - 1, 10**30, 0.5, -0.0, 1e308, 1e-320, "", " ", "x",
    "\0", "\u2028", "\ud800",
    "\U0001f600", "d1", "0", "null", [], {}, [[]], [None], [0, 0], [1, 0], {"": None}, {"id": "d"}, "a" * 300,
)  # fmt: skip


def grown(shape: str, seeds: Sequence[bytes], random: Random) -> bytes:
    """A file of a shape, after the example of valid ones."""
    return SHAPES[shape](seeds, random)


# JSON


def _json(seeds: Sequence[bytes], random: Random) -> bytes:
    known = _values(tuple(seeds))
    if not known:
        return _lines(seeds, random)
    value = _changed(random.choice(known), _pieces(tuple(seeds)), random)
    return _dumped(value, random)


def _jsonl(seeds: Sequence[bytes], random: Random) -> bytes:
    """Lines; a target of several files has as many parts as its example."""
    example = random.choice(list(seeds)).decode("utf-8", "replace").split("~~~~\n")
    files = []
    for part in example:
        known = [value for line in part.splitlines() if (value := _loaded(line.removeprefix("\ufeff"))) is not None]
        lines = (
            [_changed(random.choice(known), _pieces(tuple(seeds)), random) for _ in range(random.randint(0, 4))]
            if known
            else []
        )
        files.append(
            b"".join(_dumped(line, random) + random.choice((b"\n", b"\n", b"\n", b"\r\n", b"\n\n")) for line in lines)
        )
    return b"~~~~\n".join(files)


def _yaml(seeds: Sequence[bytes], random: Random) -> bytes:
    import yaml

    known = _trees(tuple(seeds), "yaml")
    value = _changed(random.choice(known), _pieces_of(known), random)
    if random.random() < 0.5:
        return _dumped(value, random)
    try:
        return yaml.safe_dump(value, allow_unicode=random.random() < 0.5).encode("utf-8", "surrogatepass")
    except (yaml.YAMLError, RecursionError, ValueError):
        return _dumped(value, random)


def _toml(seeds: Sequence[bytes], random: Random) -> bytes:
    known = _trees(tuple(seeds), "toml")
    value = _changed(random.choice(known), _pieces_of(known), random)
    lines: list[str] = []
    tables = []
    for key, each in value.items() if isinstance(value, dict) else []:
        rows = each if isinstance(each, list) and each and all(isinstance(row, dict) for row in each) else None
        if isinstance(each, dict) or rows:
            tables.append((key, rows or [each], rows is not None))
        else:
            lines.append(f"{json.dumps(str(key))} = {_toml_value(each)}")
    for key, rows, several in tables:
        for row in rows:
            lines.append(f"[[{json.dumps(str(key))}]]" if several else f"[{json.dumps(str(key))}]")
            lines += [f"{json.dumps(str(inner))} = {_toml_value(value)}" for inner, value in row.items()]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {_toml_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return '""' if value is None else json.dumps(value, ensure_ascii=False)


def _dumped(value: Any, random: Random) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=random.random() < 0.5, indent=random.choice((None, None, None, 1)))
    except (ValueError, RecursionError):
        return b"{}"
    return text.encode("utf-8", "surrogatepass")


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


@cache
def _values(seeds: tuple[bytes, ...]) -> tuple[Any, ...]:
    return tuple(value for seed in seeds if (value := _loaded(seed.decode("utf-8", "replace"))) is not None)


@cache
def _trees(seeds: tuple[bytes, ...], kind: str) -> tuple[Any, ...]:
    import tomllib

    import yaml

    read = yaml.safe_load if kind == "yaml" else lambda seed: tomllib.loads(seed.decode())
    return tuple(map(read, seeds))


@cache
def _pieces(seeds: tuple[bytes, ...]) -> tuple[Any, ...]:
    """The values in valid files, which are put where others were."""
    lines = [line for seed in seeds for line in (seed, *seed.splitlines())]
    return _pieces_of(tuple(value for line in lines if (value := _loaded(line.decode("utf-8", "replace"))) is not None))


def _pieces_of(values: Sequence[Any]) -> tuple[Any, ...]:
    found: list[Any] = []

    def walk(value: Any) -> None:
        if len(found) < 200:
            found.append(value)
            for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
                walk(each)

    for value in values:
        walk(value)
    return tuple(found) or (None,)


def _changed(value: Any, pieces: Sequence[Any], random: Random) -> Any:
    """The same value with a few things in it changed; the old one is left as it is."""
    value = json.loads(json.dumps(value))
    for _ in range(random.randint(0, 3)):
        box: list[Any] = [value]
        holder, key = _somewhere(box, random)
        new = deepcopy(random.choice(VALUES if random.random() < 0.5 else pieces))
        match random.randrange(5):
            case 0 if holder is not box:
                if isinstance(holder, dict):
                    del holder[key]
                else:
                    holder.pop(key)
            case 1 if isinstance(holder, dict):
                holder[str(random.choice(("id", "x", "", "type", key.upper())))] = holder.pop(key)
            case 2 if isinstance(holder[key], list):
                holder[key] = holder[key] * 2 + [new]
            case 3 if isinstance(holder[key], dict):
                holder[key] = {**holder[key], random.choice(("x", "id", "type")): new}
            case _:
                holder[key] = new
        value = box[0]
    return value


def _somewhere(holder: Any, random: Random) -> tuple[Any, Any]:
    """A place in a value: who holds it, and under which key."""
    key: Any = 0
    while isinstance(holder[key], dict | list) and holder[key] and random.random() < 0.8:
        holder = holder[key]
        key = random.choice(list(holder)) if isinstance(holder, dict) else random.randrange(len(holder))
    return holder, key


# Rows


def _fields(seeds: Sequence[bytes], random: Random, separator: str | None = None) -> bytes:
    """Rows like those of an example, whose fields come from rows like them, from others, or from nowhere."""
    example = random.choice(list(seeds))
    lines = example.decode("utf-8", "replace").split("\n")
    cells = _cells(tuple(seeds))
    made = []
    for line in lines:
        chance = random.random()
        if chance < 0.05:
            continue
        if chance < 0.1:
            made.append(random.choice(lines))
        if chance > 0.7 and line.strip():
            line = _row(line, cells, random)
        made.append(line)
    return "\n".join(made).encode("utf-8", "surrogatepass")


def _row(line: str, cells: Sequence[str], random: Random) -> str:
    between = "\t" if "\t" in line else "," if "," in line else " "
    row = line.split(between)
    at = random.randrange(len(row))
    match random.randrange(5):
        case 0:
            row[at] = random.choice(cells)
        case 1:
            row[at] = random.choice(NUMBERS).decode()
        case 2:
            row[at] = row[at] + random.choice(STRANGE).decode("utf-8", "replace") + random.choice(("", row[at]))
        case 3:
            row.insert(at, random.choice(cells))
        case _:
            del row[at]
    return between.join(row)


@cache
def _cells(seeds: tuple[bytes, ...]) -> tuple[str, ...]:
    found = {cell for seed in seeds for cell in re.split(r"[\t\n, ]", seed.decode("utf-8", "replace"))}
    return tuple(sorted(found))


def _lines(seeds: Sequence[bytes], random: Random) -> bytes:
    return _fields(seeds, random)


# XML: tags and what is between them


_MARK = re.compile(r"(<[^>]*>)")
_VALUE = re.compile(r'="[^"]*"')
_ODD_VALUES = ('=""', '="-1"', '="0"', '="99999999999"', '="x"', '="&lt;"', '="²"', '="1.5"', '=" 3 "')


def _xml(seeds: Sequence[bytes], random: Random) -> bytes:
    head, mark, rest = random.choice(list(seeds)).decode("utf-8", "replace").partition("~~~~\n")
    pieces = _MARK.split(head)
    for _ in range(random.randint(0, 4)):
        at = random.randrange(len(pieces))
        match random.randrange(6):
            case 0:
                pieces[at] = _VALUE.sub(lambda found: random.choice((found[0], random.choice(_ODD_VALUES))), pieces[at])
            case 1:
                pieces[at] = ""
            case 2:
                pieces.insert(at, random.choice(pieces))
            case 3:
                pieces[at] = re.sub(
                    r"(</?)\w+", lambda found: found[1] + random.choice(("x", "entity", "name", "trigger")), pieces[at]
                )
            case 4:
                other = random.randrange(len(pieces))
                pieces[at:at] = pieces[other : other + random.randint(1, 12)]
            case _:
                pieces[at] = pieces[at] + random.choice(STRANGE).decode("utf-8", "replace")
    return ("".join(pieces) + mark + rest).encode("utf-8", "surrogatepass")


# Brackets


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+')


def _brackets(seeds: Sequence[bytes], random: Random) -> bytes:
    """Nested lists of the words of an example."""
    words = [word for word in _TOKEN.findall(random.choice(list(seeds)).decode("utf-8", "replace")) if word not in "()"]
    if random.random() < 0.5:
        return _fields(seeds, random)

    def form(depth: int) -> str:
        count = random.randint(0, 4)
        parts = [form(depth - 1) if depth and random.random() < 0.5 else random.choice(words) for _ in range(count)]
        return "(" + " ".join(parts) + ")"

    def graph(depth: int, number: list[int]) -> str:
        number[0] += 1
        inner = []
        for _ in range(random.randint(0, 3) if depth else 0):
            target = (
                graph(depth - 1, number)
                if random.random() < 0.6
                else random.choice((f"v{random.randint(1, 5)}", '"x"', "-", "7"))
            )
            inner.append(f":{random.choice(('ARG0', 'ARG1-of', 'mod', 'op1', 'x', ''))} {target}")
        return f"(v{number[0]} / {random.choice(('boy', 'go-01', 'and'))} {' '.join(inner)})"

    made = [graph(3, [0]) if random.random() < 0.5 else form(4) for _ in range(random.randint(0, 3))]
    return "\n\n".join(made).encode("utf-8", "surrogatepass")


# Archives


_NAMES = (
    "arguments/MINI_NW_02", "linking/MINI_NW_02", "arguments/", "linking/", "a/../b", "../x", "/etc/x", "C:\\x",
    "a\\b", "", ".", "x" * 300,
    "a/" * 20 + "b", "ARGUMENTS/MINI_NW_02", "arguments/mini_nw_02", "arguments/\u0301", "a\0b", "a\nb", ".DS_Store",
    "__MACOSX/x", " x", "s.zip",
    "arguments/MINI_NW_02/x",
)  # fmt: skip


def _archive(seeds: Sequence[bytes], random: Random) -> bytes:
    """An archive that names what it likes, of the kind of the example."""
    files = [(random.choice(_NAMES), _content(random)) for _ in range(random.randint(0, 4))]
    return _zip(files, random) if seeds[0][:2] == b"PK" else _tar(files, random)


def _content(random: Random) -> bytes:
    fields = [str(random.choice(VALUES)).encode("utf-8", "replace")[:40] for _ in range(11)]
    return random.choice((b"", b"\t".join(fields), b"0" * random.choice((10, 5000, 100_000)), bytes(range(256))))


def _zip(files: Sequence[tuple[str, bytes]], random: Random) -> bytes:
    import warnings
    import zipfile

    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names that are there twice
        with zipfile.ZipFile(stream, "w") as archive:
            for name, content in files:
                info = zipfile.ZipInfo("x")
                info.filename = name
                info.compress_type = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
                info.external_attr = random.choice((0, 0o644, 0o120777, 0o020666, 0o040755)) << 16
                archive.writestr(info, content)
    return _touched(stream.getvalue(), random)


def _tar(files: Sequence[tuple[str, bytes]], random: Random) -> bytes:
    import gzip
    import tarfile

    stream = io.BytesIO()
    with tarfile.open(
        fileobj=stream, mode="w", format=random.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))
    ) as archive:
        for name, content in files:
            info = tarfile.TarInfo(name.replace("\0", "?"))
            info.type = random.choice(
                (tarfile.REGTYPE,) * 4
                + (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE)
            )
            info.size = len(content) if info.type == tarfile.REGTYPE else 0
            info.linkname = random.choice(("", "../x"))
            archive.addfile(info, io.BytesIO(content))
    return gzip.compress(_touched(stream.getvalue(), random), 1, mtime=0)


def _touched(data: bytes, random: Random) -> bytes:
    if not data or random.random() < 0.6:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes((random.randrange(256),)) + data[at + 1 :]


def _bytes(seeds: Sequence[bytes], random: Random) -> bytes:
    """Nothing is known of the inside: only where it ends, and what follows it."""
    data = random.choice(list(seeds))
    return data[: random.randint(0, len(data))] + random.choice((b"", data, b"\0" * 16))


SHAPES: dict[str, Callable[[Sequence[bytes], Random], bytes]] = {
    "archive": _archive,
    "brackets": _brackets,
    "bytes": _bytes,
    "fields": _fields,
    "json": _json,
    "jsonl": _jsonl,
    "lines": _lines,
    "toml": _toml,
    "words": _fields,
    "xml": _xml,
    "yaml": _yaml,
}
