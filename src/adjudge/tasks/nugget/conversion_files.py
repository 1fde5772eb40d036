"""Converting files of nuggets: which files belong together, and what comes out.

Nothing is written here: everything is read and built first, so that an error in the last file leaves no output.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError
from adjudge.formats.standoff import natural, read_source_text
from adjudge.model.nugget import NuggetDocument, TokenTable
from adjudge.tasks.nugget.conversion import TARGETS, Loss, fit, summary, to_pieces, to_tokens
from adjudge.tasks.nugget.places import check_places, other_words, recounted, recounted_pieces

if TYPE_CHECKING:
    from adjudge.formats.tbf import TbfFile

SUFFIXES = {"brat": ".ann", "ere": ".rich_ere.xml", "nugget-xml": ".event_nugget.xml", "tbf": ".tbf"}

_ENDINGS = {
    "brat": (".mpdf.xml.ann", ".xml.ann", ".txt.ann", ".tkn.ann", ".ann"),
    "ere": (".rich_ere.xml", ".event_nugget.xml", ".event_hoppers.xml", ".ere.xml", ".xml"),
    "tbf": (".tbf",),
}
_TEXTS = (".txt", ".tkn.txt", ".cmp.txt", ".mpdf.xml", ".xml", ".sgm")
_TABLES = (".tab", ".txt.tab", ".tkn.tab", ".mpdf.xml.tab", ".xml.tab")
_SOURCE_TEXTS = (".mpdf.xml", ".cmp.xml", ".src.xml")
_NAME_BYTES = 200  # file systems take 255


@dataclass(frozen=True)
class Plan:
    """What to do: formats, where tables and texts are, and how to read."""

    target: str
    source: str | None = None
    tokens: Path | None = None
    texts: Path | None = None
    order: str | None = None
    units: str = "code-points"
    table_units: str = "code-points"
    system: str | None = None


class Converted(NamedTuple):
    """Documents that the target represents exactly, what was lost in conversion, and which files were read."""

    documents: list[NuggetDocument]
    target: str
    notes: list[Problem]
    inputs: list[str]


@dataclass
class _Work:
    plan: Plan
    notes: list[Problem] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    found: list[NuggetDocument] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)
    broken: type[AdjudgeError] = ValidationError


def convert(inputs: Sequence[str], plan: Plan) -> Converted:
    """Read files or folders and fit their documents to the target; all problems of all files are raised at once."""
    work = _Work(plan)
    targets: set[str] = set()
    for path, source in _sources(inputs, plan.source):
        work.inputs.append(path)
        with _collecting(work):
            read = _read_tbf if source.startswith("tbf") else _read_one
            losses: list[Loss] = []
            for document, kind in read(path, source, work):
                target = _target(plan, kind)
                targets.add(target)
                with _collecting(work):
                    _take(document, target, path, work, losses)
            work.notes += summary(losses, path=path)
    if len(targets) > 1:
        raise UsageError("some files have tokens and some have characters", hint="use --to tbf-token or --to tbf-char")
    if work.problems:
        raise work.broken(work.problems)
    target = targets.pop() if targets else _target(plan, "char")
    return Converted(work.found, target, work.notes, work.inputs)


def render(documents: Iterable[NuggetDocument], target: str) -> str:
    """The text of one file: of all documents in TBF, of the only document in any other format.

    >>> render([NuggetDocument("a")], "tbf-char")
    '#BeginOfDocument a\\n#EndOfDocument\\n'
    """
    from adjudge.formats.brat import write_brat
    from adjudge.formats.ere import write_ere
    from adjudge.formats.tbf import write_tbf

    if target.startswith("tbf"):
        return write_tbf(documents)
    (document,) = documents
    return write_brat(document) if target == "brat" else write_ere(document, hoppers=target == "ere")


def render_files(documents: Iterable[NuggetDocument], target: str) -> dict[str, bytes]:
    """A file for each document by name; for brat also the text, if known.

    >>> list(render_files([NuggetDocument("a", text="He died")], "brat"))
    ['a.ann', 'a.txt']
    """
    suffix = SUFFIXES["tbf" if target.startswith("tbf") else target]
    files: dict[str, bytes] = {}
    problems = []
    for document in documents:
        if not is_file_name(document.id):
            message = f"the document id {document.id!r} cannot be the name of a file"
            problems.append(Problem(message, hint="rename the document, or write all documents to one TBF file"))
            continue
        files[document.id + suffix] = render([document], target).encode("utf-8", "backslashreplace")
        if target == "brat" and document.text is not None:
            files[f"{document.id}.txt"] = document.text.encode("utf-8", "surrogatepass")
    if problems:
        raise ValidationError(problems)
    return files


def is_file_name(id: str) -> bool:
    """Whether a document id, which is untrusted, can be a file name in a folder.

    >>> is_file_name("NYT_ENG_20130914.0094"), is_file_name("../secret")
    (True, False)
    """
    strange = {"/", "\\", "\0", os.sep} & set(id)
    return bool(id) and not strange and id.isprintable() and not id.startswith(".") and len(id.encode()) <= _NAME_BYTES


# ---------------------------------------------------------------------------------------------------------------------
# Converting one document


def _take(document: NuggetDocument, target: str, path: str, work: _Work, losses: list[Loss]) -> None:
    plan = work.plan
    if document.id in work.paths:
        other = work.paths[document.id]
        message = f"the document {document.id!r} is also in {other}"
        raise ValidationError(
            Problem(message, path=path, line=document.line or None, hint="convert one of them, or rename it")
        )
    work.paths[document.id] = path
    found: list[Loss] = []
    by_tokens = any(nugget.tokens for nugget in document.nuggets)
    by_pieces = any(nugget.pieces for nugget in document.nuggets)
    if by_tokens and target != "tbf-token":
        table = _table(document, work)
        _doubt(document, table, path, work)
        document = to_pieces(document, table, path=path)
    check_places(document, path=path)
    if by_pieces and target == "tbf-token":
        table = _table(document, work)
        document, found = to_tokens(document, table)
        _doubt(document, table, path, work)
    document, more = fit(document, target, system=plan.system or "adjudge")
    if plan.system is not None:
        document = NuggetDocument(
            document.id,
            [nugget._replace(system=plan.system if target.startswith("tbf") else "") for nugget in document.nuggets],
            document.relations,
            document.text,
            document.line,
        )
    if target == "brat" and document.text is None:
        more.append(Loss("no-text", document.id, "", document.line))
    losses += [*found, *more]
    work.found.append(document)


def _doubt(document: NuggetDocument, table: TokenTable, path: str, work: _Work) -> None:
    """A note if the words suggest that a table belongs to another document."""
    if other_words(document.nuggets, table):
        message = f"the words of most nuggets of {document.id!r} are not those of {table.path or 'the token table'}"
        hint = "is it that of another document?"
        work.notes.append(Problem(message, path=path, line=document.line or None, hint=hint))


def _target(plan: Plan, kind: str) -> str:
    """The format to write; plain `tbf` is by tokens if there are tables, and turns one kind of TBF into the other."""
    if plan.target != "tbf":
        if plan.target not in TARGETS:
            raise UsageError(f"there is no format {plan.target!r}", hint=f"formats are {', '.join(TARGETS)} and tbf")
        return plan.target
    if kind == "tbf-token":
        return "tbf-char"
    return "tbf-token" if kind == "tbf-char" or plan.tokens is not None else "tbf-char"


def _table(document: NuggetDocument, work: _Work) -> TokenTable:
    from adjudge.formats.token_table import find_table, scan_table

    folder = work.plan.tokens
    if folder is None:
        raise UsageError(
            "tokens and characters cannot be turned into each other without token tables", hint="name their folder: -t"
        )
    if folder.is_dir():
        path = next((found for suffix in _TABLES if (found := find_table(folder, document.id, suffix=suffix))), None)
        if path is None:
            message = f"there is no token table for the document {document.id!r}"
            raise ValidationError(Problem(message, path=str(folder), hint=f"add {document.id}.tab"))
    else:
        path = folder
    work.inputs.append(str(path))
    table, findings = scan_table(path, document.id)
    if wrong := [finding.problem for finding in findings if finding.error]:
        raise FormatError(wrong)
    work.notes += [finding.problem for finding in findings]
    if work.plan.table_units == "utf-16":
        if document.text is None:
            message = f"UTF-16 offsets of tokens cannot be read without the text of {document.id!r}"
            raise UsageError(Problem(message, path=str(path), hint="give it with --texts"))
        table = recounted(table, document.text)
    return table


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def _sources(inputs: Sequence[str], given: str | None) -> Iterator[tuple[str, str]]:
    """The files to read and their formats."""
    for name in inputs:
        if name != "-" and Path(name).is_dir():
            yield from _folder(Path(name), given)
            continue
        source = given or next((kind for kind, ends in _ENDINGS.items() if name.endswith(ends)), None)
        if source is None:
            raise UsageError(Problem("the name does not show the format", path=name, hint="give it with --from"))
        if name == "-" and not source.startswith("tbf"):
            raise UsageError(f"{source} cannot be read from standard input", hint="name the files")
        yield name, source


def _folder(folder: Path, given: str | None) -> Iterator[tuple[str, str]]:
    try:
        names = sorted((each.name for each in folder.iterdir() if each.is_file()), key=natural)
    except OSError as error:
        message = f"the folder cannot be read: {error.strerror or error}"
        raise UsageError(Problem(message, path=str(folder), hint="check its permissions")) from None
    found: dict[str, list[str]] = {}
    for kind, endings in _ENDINGS.items():
        if given is None or given.partition("-")[0] == kind:
            found[kind] = [name for name in names if name.endswith(endings)]
    # The annotated sources may be in the same folder as the annotations and be XML files as well.
    told = [name for name in found.get("ere", ()) if name.endswith(_ENDINGS["ere"][:-1])]
    if "ere" in found:
        found["ere"] = told or [name for name in found["ere"] if not name.endswith(_SOURCE_TEXTS)]
    kinds = [kind for kind, members in found.items() if members]
    if not kinds:
        what = given or "brat, ere or tbf"
        raise UsageError(Problem(f"the folder has no files in the format {what}", path=str(folder), hint="check it"))
    if len(kinds) > 1:
        message = f"the folder has files in several formats: {', '.join(kinds)}"
        raise UsageError(Problem(message, path=str(folder), hint="choose one with --from"))
    for name in found[kinds[0]]:
        yield str(folder / name), given or kinds[0]


def _read_one(path: str, source: str, work: _Work) -> Iterator[tuple[NuggetDocument, str]]:
    """The document of a brat or ERE file."""
    from adjudge.formats.brat import read_brat
    from adjudge.formats.ere import read_ere

    name = Path(path).name
    ending = next((each for each in _ENDINGS[source] if name.endswith(each)), "")
    id = name.removesuffix(ending) or name
    stem = name.removesuffix(Path(name).suffix) if source == "brat" else id
    text = _text((id, stem), work, beside=Path(path).parent, but=path)
    read: Callable[..., tuple[NuggetDocument, list[Problem]]] = read_brat if source == "brat" else read_ere
    document, notes = read(path, document=id, text=text, order=work.plan.order or "id", units=work.plan.units)
    work.notes += notes
    yield document, source


def _read_tbf(path: str, source: str, work: _Work) -> Iterator[tuple[NuggetDocument, str]]:
    """The documents of a TBF file."""
    from adjudge.formats.standoff import in_order
    from adjudge.formats.tbf import open_tbf

    if work.plan.units == "utf-16" and work.plan.texts is None:
        raise UsageError("UTF-16 offsets cannot be read without the texts", hint="name their folder: --texts")
    file = open_tbf(path, mode="token" if source == "tbf-token" else "char" if source == "tbf-char" else None)
    try:
        if not file.ids:
            nothing = Problem("the file has no documents", path=path, hint="each begins with #BeginOfDocument")
            raise FormatError(file.notes or [nothing])
        work.notes += [*file.notes, *file.remarks.values()]
        if source == "tbf" and file.mode == "char" and not _are_characters(file):
            message = "the file does not tell whether its places are tokens or characters"
            raise UsageError(Problem(message, path=path, hint="use --from tbf-token or --from tbf-char"))
        for id in file.ids:
            document = file.read(id)
            if document.problems:
                work.problems += document.problems
                work.broken = FormatError
            text = _text((id,), work)
            nuggets = in_order(document.nuggets, work.plan.order or "file")
            document = NuggetDocument(id, nuggets, document.relations, text, document.line)
            if work.plan.units == "utf-16":
                document = recounted_pieces(document, path=path)
            yield document, f"tbf-{file.mode}"
    finally:
        file.close()


def _are_characters(file: TbfFile) -> bool:
    """Whether at least half of the pairs of numbers span the length of the mention string.

    Nothing else tells the characters `3,4` from the tokens 3 and 4.
    """
    votes = 0
    for document in file:
        for nugget in document.nuggets:
            size = sum(end - begin for begin, end in nugget.pieces)
            votes += 1 if len(nugget.text) in (size, size + len(nugget.pieces) - 1) else -1
    return votes >= 0


def _text(names: Iterable[str], work: _Work, *, beside: Path | None = None, but: str = "") -> str | None:
    """The text that a document is about: in the folder of texts, else beside the annotations."""
    folders = [folder for folder in (work.plan.texts, beside) if folder is not None]
    for folder in folders:
        for name in names:
            for suffix in _TEXTS if is_file_name(name) else ():
                path = folder / f"{name}{suffix}"
                if str(path) != but and os.path.isfile(path):  # noqa: PTH113  # unlike Path.is_file it never raises
                    work.inputs.append(str(path))
                    return read_source_text(path, str(path))
    return None


@contextmanager
def _collecting(work: _Work) -> Iterator[None]:
    """Record the errors of one file or document, and continue."""
    try:
        yield
    except (FormatError, ValidationError) as error:
        work.problems += error.problems
        if isinstance(error, FormatError):
            work.broken = FormatError
