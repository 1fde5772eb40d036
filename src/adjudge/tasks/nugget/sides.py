"""Gold and the systems, from TBF files or from memory, and the token tables; a document is read when it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from adjudge.errors import FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.model.nugget import NuggetDocument, TokenTable
from adjudge.tasks.nugget.observe import is_char
from adjudge.tasks.nugget.settings import Mode

if TYPE_CHECKING:
    from adjudge.formats.findings import Finding

Documents: TypeAlias = Any  # a path, bytes, a stream, or documents in memory
SUFFIXES = (".gz", ".tbf", ".txt")


class Opened(Protocol):
    """Documents that can be read one by one: a TBF file, or a list."""

    path: str
    digest: str
    ids: list[str]

    @property
    def notes(self) -> list[Problem]:
        """What there is to say about the whole."""

    @property
    def remarks(self) -> Mapping[str, Problem]:
        """What is read without harm, but may not be meant, by kind."""

    @property
    def mode(self) -> Mode:
        """Whether places are tokens or characters."""

    def __contains__(self, id: object) -> bool: ...

    def read(self, id: str) -> NuggetDocument:
        """A document."""

    def problems(self, id: str, /) -> list[Problem]:
        """What could not be read of it."""


class Listed:
    """Documents in memory, with the face of a file."""

    def __init__(self, documents: Sequence[NuggetDocument]) -> None:
        from hashlib import sha256

        self.documents = {document.id: document for document in documents}
        if len(self.documents) < len(documents):
            ids = [document.id for document in documents]
            twice = next(each for each in ids if ids.count(each) > 1)
            raise ValidationError(f"duplicate id {twice!r}", hint="give every document its own id")
        self.path = "<documents>"
        self.ids = list(self.documents)
        self.digest = sha256(repr(list(documents)).encode("utf-8", "backslashreplace")).hexdigest()

    @property
    def notes(self) -> list[Problem]:
        """Nothing."""
        return []

    @property
    def remarks(self) -> Mapping[str, Problem]:
        """Nothing."""
        return {}

    @property
    def mode(self) -> Mode:
        """As the first nugget has it."""
        return "char" if is_char(*self.documents.values()) else "token"

    def __contains__(self, id: object) -> bool:
        return id in self.documents

    def read(self, id: str) -> NuggetDocument:
        """A document."""
        return self.documents[id]

    def problems(self, _: str) -> list[Problem]:
        """Nothing."""
        return []


def open_side(source: Documents, mode: Mode | None = None) -> Opened:
    """Gold or a system, unless it is open already; `mode` says whether places are tokens or characters."""
    from adjudge.formats.tbf import TbfFile, open_tbf

    if isinstance(source, Listed):
        return source
    if isinstance(source, TbfFile):
        source.mode = mode or source.mode
        return source
    if is_file(source):
        return open_tbf(source, mode=mode)
    if isinstance(source, Sequence) and all(isinstance(each, NuggetDocument) for each in source):
        return Listed(source)
    hint = "give the path of a TBF file, or a list of NuggetDocument"
    raise UsageError(f"cannot take nuggets from {type(source).__name__}", hint=hint)


def name_systems(gold: Documents, systems: Any, names: Sequence[str | None] | None) -> list[tuple[str, Documents]]:
    """The systems by name: one, a list of paths, or a mapping from names; None is called after its file.

    >>> [name for name, _ in name_systems("gold.tbf", ["a/run.tbf", "b/run.tbf"], None)]
    ['run-1', 'run-2']
    """
    if isinstance(systems, Mapping):
        several = [(str(name), source) for name, source in systems.items()]
    elif isinstance(systems, list | tuple) and systems and all(map(is_file, systems)):
        several = [(_stem(source), source) for source in systems]
    else:
        several = [(_stem(systems) if is_file(systems) else "system", systems)]
    if not several:
        raise UsageError("no system to score")
    given = list(names) if names is not None else [None] * len(several)
    if len(given) != len(several):
        raise UsageError(f"{len(given)} names for {len(several)} systems", hint="give one name for each system")
    if sum(isinstance(each, str | Path) and str(each) == "-" for each in (gold, *(s for _, s in several))) > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    own = [name for (name, _), chosen in zip(several, given, strict=True) if chosen is None]
    fresh = iter([f"{name}-{own[:n].count(name) + 1}" if own.count(name) > 1 else name for n, name in enumerate(own)])
    chosen = [next(fresh) if name is None else name for name in given]
    twice = next((name for name in chosen if chosen.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two systems are called {twice}", hint="write NAME=FILE to give each its own name")
    return [(name, source) for name, (_, source) in zip(chosen, several, strict=True)]


def is_file(source: Any) -> bool:
    """Whether a source is a path, bytes or a stream."""
    return isinstance(source, str | Path | bytes) or hasattr(source, "readinto") or hasattr(source, "peek")


def _stem(source: Any) -> str:
    from adjudge.formats.source import source_name

    name = Path(source_name(source)).name.strip("<>") if not isinstance(source, bytes) else ""
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name or "system"


def places(source: Documents, mode: Mode, ids: Iterable[str]) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """The pieces of text of the nuggets of some documents; none if they are tokens, or cannot be read again."""
    if mode != "char" or (is_file(source) and (not isinstance(source, str | Path | bytes) or str(source) == "-")):
        return
    opened = open_side(source, mode)
    for name in ids:
        if name in opened:
            yield name, [piece for nugget in opened.read(name).nuggets for piece in nugget.pieces]


def choose(gold: Opened, docs: Iterable[str] | None, *, in_order: bool) -> list[str]:
    """The documents to score: as gold has them, or sorted by the bytes of their ids as the official program does."""
    if docs is None:
        chosen = list(gold.ids)
    else:
        wanted = dict.fromkeys(map(str, docs))
        unknown = [name for name in wanted if name not in gold]
        if unknown:
            hint = "write the id as in its #BeginOfDocument"
            raise UsageError(
                [
                    Problem(f"gold has no document {name!r}", hint=did_you_mean(name, gold.ids) or hint)
                    for name in unknown
                ]
            )
        chosen = [name for name in gold.ids if name in wanted]
    return sorted(chosen, key=lambda name: name.encode("utf-8", "surrogatepass")) if in_order else chosen


class Tables:
    """The token tables of a folder, or of a mapping from document ids."""

    def __init__(self, source: Any, *, suffix: str = ".tab", lenient: bool = False) -> None:
        self.suffix = suffix
        self.lenient = lenient  # rows that cannot be read are left out, as the official program does
        self.given: Mapping[str, TokenTable] | None = source if isinstance(source, Mapping) else None
        self.folder: Path | None = None
        self.notes: list[Problem] = []
        if self.given is None and source is not None:
            self.folder = Path(source)
            if not self.folder.is_dir():
                hint = "name the folder with the token tables"
                raise UsageError(Problem("there is no such folder", path=str(source), hint=hint))

    def __bool__(self) -> bool:
        return self.given is not None or self.folder is not None

    def read(self, document: str) -> TokenTable | None:
        """The table of a document, None if there is none."""
        if self.given is not None:
            return self.given.get(document)
        if self.folder is None:
            return None
        from adjudge.formats.token_table import find_table, scan_table

        path = find_table(self.folder, document, suffix=self.suffix)
        if path is None:
            return None
        table, findings = scan_table(path, document)
        self._complain(findings)
        return table

    def _complain(self, findings: Sequence[Finding]) -> None:
        problems = [finding.problem for finding in findings if finding.error]
        if problems and not self.lenient:
            raise FormatError(problems)
        self.notes += [finding.problem for finding in findings if finding.error or finding.kind == "table-header"]
