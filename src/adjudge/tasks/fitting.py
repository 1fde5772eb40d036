"""The formats that a file can be read in, and the tasks that it can be used for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from adjudge.errors import AdjudgeError, Problem
from adjudge.findings import Findings
from adjudge.formats.coerce.corpus import ITEMS
from adjudge.formats.kinds import FORMATS, Format
from adjudge.formats.source import Source
from adjudge.tasks.contents import Contents, ends_of, read_contents, tasks_of
from adjudge.tasks.family import JSONL, families, find_family, find_reader, is_for, readers_of

GRAPHS = ("kg-json", "turtle", "trig", "graphrag", "langchain", "neo4j", "llamaindex", "kggen", "webnlg")
SHOWN = 6  # fields listed
_READINGS = {"bio-both": "gold and system", "bio": "last column"}


class Use(NamedTuple):
    """A task that a file can be used for: its reader, and the metrics if not the usual ones."""

    task: str
    reader: str = ""
    metrics: tuple[str, ...] = ()

    @property
    def scored(self) -> tuple[str, ...]:
        """The metrics that are scored: these, those of the reader, or the usual ones of the task."""
        if self.metrics or self.task not in families():
            return self.metrics
        family = find_family(self.task)
        reader = family.readers.get(self.reader)
        return (reader.metrics if reader else ()) or family.metrics


_OWN = {
    **dict.fromkeys(("conll", "corefud", "clusters", "cluster-table"), "coref"),
    **dict.fromkeys(("kb-documents", "coldstart", "triples", "ace", "ere", "ntriples", *GRAPHS), "kbp"),
    **dict.fromkeys(("eal", "eal-key"), "eal"),
    "tbf": "nugget",
}
"""Kinds of files of tasks that detect their own formats; those of families have the names of their readers."""


def uses_of(kind: str) -> list[Use]:
    """What files of a kind can be used for.

    >>> [(each.task, each.reader) for each in uses_of("dygie-output")]
    [('event', 'dygie'), ('ner', 'dygie'), ('relation', 'dygie')]
    """
    own = [Use(_OWN[kind])] if kind in _OWN else []
    if own and kind != "triples":
        return own
    return own + [
        Use(name, each)
        for each in readers_of(kind)
        for name in families()
        if each in find_family(name).readers and is_for(kind, name)
    ]


@dataclass
class Diagnosis:
    """What is known about a file or folder.

    `fits` are the formats it could be read in, best first, with their uses; `failed` are those it could not, and
    where. `seen` is how much was examined, None for all of it; `told` describes the format and its fields.
    """

    path: str
    findings: Findings
    compression: str = ""
    encoding: str = ""
    folder: bool = False
    files: int = 0
    seen: int | None = None
    fits: list[tuple[Format, list[Use], Contents]] = field(default_factory=list)
    failed: list[tuple[Format, Problem]] = field(default_factory=list)
    looks: str = ""
    told: str = ""

    @property
    def format(self) -> Format | None:
        """The format, if it could be read."""
        return self.fits[0][0] if self.fits else None

    @property
    def contents(self) -> Contents | None:
        """What is in it."""
        return self.fits[0][2] if self.fits else None

    @property
    def uses(self) -> list[Use]:
        """What it is good for."""
        return list(dict.fromkeys(use for _, uses, _ in self.fits for use in uses))

    @property
    def readings(self) -> list[str]:
        """The options to choose from, if a task can read it in several ways."""
        own = {each.kind: each for each, uses, _ in self.fits if uses}
        return [f"--reader {kind} ({_READINGS[kind]})" for kind in _READINGS if kind in own] if len(own) > 1 else []

    @property
    def unit(self) -> str:
        """What offsets count, tokens or characters, if the format or the file says so."""
        own = "" if self.contents is None else self.contents.unit
        return own or ("" if self.format is None else self.format.unit)

    @property
    def ends(self) -> str:
        """Whether ends are inclusive, by the format or as the texts show."""
        if self.format is None or self.contents is None:
            return ""
        return self.format.ends or (ends_of(self.contents) if self.format.kind in ("jsonl", "parquet") else "")


def fit(found: Diagnosis, format: Format, source: Source) -> None:
    """Read a source in a format, and record what it can be used for, or why it cannot be read."""
    if format.kind in ("jsonl", "parquet"):
        contents = attempt(found, format, source)
        mine = format.kind == "jsonl" and not found.fits
        if contents is None and mine and (other := _other_shape(found, source)) is not None:
            found.failed = []
            found.fits.append(other)
            return
        if contents is None or (found.fits and format.kind == "jsonl"):
            return
        uses = [Use(task, JSONL, metrics) for task, metrics in tasks_of(contents.data).items()]
        if not uses and mine and (other := _other_shape(found, source)) is not None:
            found.fits.append(other)
            return
        found.fits.append((format, uses, contents))
        return
    uses, last, reader = [], None, ""
    for use in uses_of(format.kind) or [Use("")]:
        if last is None or use.reader != reader:
            last, reader = attempt(found, format, source, use) or last, use.reader
        if last is not None:
            contents = last
            if not use.task or use.task not in families() or _has_items(use, contents):
                uses.append(use)
    if last is not None:
        found.fits.append((format, [use for use in uses if use.task], last))


def _other_shape(found: Diagnosis, source: Source) -> tuple[Format, list[Use], Contents] | None:
    """JSON lines in a shape that is coerced like data in memory: the first task that understands them."""
    from adjudge.formats.exported import understood
    from adjudge.formats.exports import read_values
    from adjudge.tasks.contents import counted_documents
    from adjudge.tasks.conventions import LINES

    try:
        values = read_values(source, name=found.path)
    except AdjudgeError:
        return None
    fields = {key for each in values.values if isinstance(each, Mapping) for key in each}
    for kind, names in LINES.items():
        if kind == "linking" or fields.isdisjoint(names):
            continue
        try:
            reading = understood(kind, values, {}, {})[0]
        except AdjudgeError:
            continue
        contents = counted_documents(found.path, values.corpus(reading))
        unit = {"token": "tokens", "char": "characters"}.get(reading.unit or "", "")
        name = f"JSON lines ({_shape(reading.shape, values.values)})"
        return Format("jsonl", name, unit), [Use(kind, JSONL)], contents
    return None


def _shape(shape: str, values: Sequence[Any]) -> str:
    """A shape, with the fields of the first item if there is one."""
    items = (item for each in values if isinstance(each, Mapping) for name in ITEMS for item in each.get(name) or ())
    first = next((item for item in items if isinstance(item, Mapping)), {})
    return f"{shape.partition(' ')[0]} with {', '.join(map(str, list(first)[:SHOWN]))}" if first else shape


def fit_others(found: Diagnosis, start: bytes) -> None:
    """Try the readers of families whose formats are not detected."""
    readers = [(name, key, own) for name in families() for key, own in find_family(name).readers.items()]
    known = {own.gold.partition(":")[0] for _, key, own in readers if key in FORMATS}
    for name, key, own in readers:
        if own.gold.partition(":")[0] not in known:
            format = Format(key, own.about)
            if contents := attempt(found, format, start, Use(name, key)):
                found.fits.append((format, [Use(name, key)], contents))


def _has_items(use: Use, contents: Contents) -> bool:
    """Whether there is anything that the task compares; a file without any items may be for any task."""
    if sum(each.total() for each in contents.items.values()) == 0:
        return True
    from adjudge.metrics.registry import find

    fields = {member.within for name in use.scored for member in find(name).members}
    return any(isinstance(data, Mapping) and any(data.get(str(each)) for each in fields) for data in contents.data)


def attempt(found: Diagnosis, format: Format, source: Source, use: Use = Use("")) -> Contents | None:  # noqa: B008
    """What a source holds if it can be read in a format; why it cannot is recorded."""
    known = find_reader(use.reader, use.task) if use.reader else None
    where = "" if known is None else (known.system or known.gold) if format.side == "system" else known.gold
    try:
        return read_contents(format, where, source, found.path)
    except AdjudgeError as error:
        if not any(each.kind == format.kind for each, _ in found.failed):
            found.failed.append((format, error.problems[0]))
    except (RecursionError, MemoryError):
        found.failed.append((format, Problem("nested too deeply", path=found.path)))
    return None
