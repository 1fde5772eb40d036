"""What the commands that make one store out of another have in common: options, and the report of what was done."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple, TypeVar

import click

from adjudge._version import __version__
from adjudge.cli.memory import uncollected
from adjudge.cli.options import compose
from adjudge.cli.output import emit
from adjudge.errors import FormatError, Problem, UsageError, ValidationError, did_you_mean, visible
from adjudge.formats.eal_ids import sha1_id
from adjudge.formats.eal_quotes import parse_quotes
from adjudge.formats.eal_sources import Offsets, Sources, in_units
from adjudge.formats.eal_store import Store, StoreWriter
from adjudge.formats.source import opened
from adjudge.model.eal import Argument, Span
from adjudge.tasks.eal.apply import Operation, Summary, apply, linking_layout, open_for
from adjudge.tasks.eal.changes import Outcome
from adjudge.tasks.eal.profiles import PROFILES, Profile, get_profile

F = TypeVar("F", bound=Callable[..., Any])

IDS = ("sha1", "2014", "keep")
MEMORY = 1 << 20  # bytes of a report that are held in memory; the rest waits in a temporary file

EXPLAINED = {
    "quoted-base-filler": "the base filler begins or ends in a quotation",
    "quoted-cas": "the CAS begins or ends in a quotation",
    "quoted-base-filler-and-cas": "the base filler and the CAS begin or end in a quotation",
    "encloses-quotation-base-filler": "the base filler has a whole quotation inside, the response stays",
    "encloses-quotation-cas": "the CAS has a whole quotation inside, the response stays",
    "unclosed-quotation": "a quotation is never closed and reaches to the end of the document",
    "widened": "justifications were widened to whole sentences",
    "merged": "another response has become the same, the more confident one stays",
    "repeated": "the same response stands on another line, the more confident one stays",
    "redundant": "a better response differs in base filler and justifications only",
    "nested": "a better response has a CAS inside or around this one",
    "unlinked": "it is not generic and in no hopper",
    "not-among-the-top": "others come before it",
    "given-by-several": "another system gave the same response",
    "missing-document": "a system has no file for a document, which counts as empty",
    "realis-was-generic": "it was Generic and is Actual now",
    "realis-was-other": "it was Other and is Actual now",
    "correct-cas-for-base-filler": "it became the correct response with the same base filler",
    "correct-cas-for-role": "it became a correct response with the same type and role",
    "no-correct-cas": "its CAS is wrong and no correct one is known",
    "unassessed": "nobody has assessed it, it stays as it is",
}

profile_option = click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default="spec",
    show_default=True,
    help="Whose conventions decide where sources disagree.",
)


def ids_option(*, keep: bool) -> Callable[[F], F]:
    """How the first column is written; ids can be kept only by commands that do not change responses."""
    return click.option(
        "--ids",
        type=click.Choice(IDS if keep else IDS[:2]),
        default="sha1",
        show_default=True,
        help="First column: content hash, number of 2014" + (", or as it was." if keep else "."),
    )


def store_options(*, keep_ids: bool) -> Callable[[F], F]:
    """The options of commands that write a store."""
    return compose(
        click.option(
            "-o",
            "--output",
            metavar="OUT",
            required=True,
            type=click.Path(path_type=Path),
            help="Store to write: a folder, or a .zip, .tar.gz or .tgz; whole or not at all.",
        ),
        click.option("--overwrite", is_flag=True, help="Replace OUT if it is there already."),
        ids_option(keep=keep_ids),
        profile_option,
        click.option("--format", "format_", type=click.Choice(("text", "json")), default="text", show_default=True),
        click.option("--verbose", is_flag=True, help="List every response that was removed or changed, and why."),
        click.option("--quiet", is_flag=True, help="Do not say what was done."),
    )


class Settings(NamedTuple):
    """The values of `store_options`."""

    output: Path
    overwrite: bool
    ids: Any
    profile: str
    format_: str
    verbose: bool
    quiet: bool


class Report:
    """Collects what was done; a long list waits on the disk, because nothing is said before the store is written."""

    def __init__(self, settings: Settings) -> None:
        self._json = settings.format_ == "json"
        self._silent = settings.quiet or not (self._json or settings.verbose)
        self._file = SpooledTemporaryFile(max_size=MEMORY, mode="w+", encoding="utf-8", newline="\n")  # noqa: SIM115
        self._any = False

    def close(self) -> None:
        """Forget everything."""
        self._file.close()

    def each(self, outcome: Outcome) -> None:
        """Take down what happened to a document."""
        if self._silent:
            return
        for record in _records(outcome):
            if self._json:
                self._file.write((",\n    " if self._any else "\n    ") + json.dumps(record, ensure_ascii=False))
            else:
                self._file.write(visible(_line(record)) + "\n")
            self._any = True

    def chunks(self) -> Iterator[str]:
        """What was taken down, piece by piece."""
        self._file.seek(0)
        while chunk := self._file.read(MEMORY):
            yield chunk


def transform(
    name: str,
    source: str,
    settings: Settings,
    operation: Callable[[Profile, Store], Operation],
    *,
    reads: bool = True,
    writes: bool | None = None,
    facts: dict[str, Any] | None = None,
    last: Callable[[], None] | None = None,
) -> None:
    """Read a store, write what the operation makes of it, and say what that was.

    `reads` and `writes` say whether frames are; by default they are written if they are there. `last` writes what else
    is to be written; if it fails, so does everything.
    """
    profile = get_profile(settings.profile)
    reads = reads and profile.linking_layout != "none"
    with ExitStack() as stack:
        store = open_for(profile, source)
        stack.callback(store.close)
        frames = (reads and store.has_linking) if writes is None else writes
        report = Report(settings)
        stack.callback(report.close)
        layout = linking_layout(store) if reads and frames else "2015"
        output = StoreWriter(
            settings.output, ids=settings.ids, linking=frames, layout=layout, overwrite=settings.overwrite
        )
        with uncollected(), output as writer:
            summary = apply(store, writer, operation(profile, store), linking=reads, each=report.each)
            if last is not None:
                writer.seal()
                last()
        conclude(name, {"input": source, **(facts or {})}, settings, summary, report)


def conclude(name: str, facts: dict[str, Any], settings: Settings, summary: Summary, report: Report) -> None:
    """Print the report."""
    if settings.quiet:
        return
    if settings.format_ == "json":
        head = {
            "adjudge": __version__,
            "task": "eal",
            "operation": name,
            "profile": settings.profile,
            **facts,
            "output": str(settings.output),
            **summary._asdict(),
        }
        emit(json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}") + ',\n  "details": [', None)
        for chunk in report.chunks():
            emit(chunk, None)
        emit("\n  ]\n}\n", None)
        return
    for chunk in report.chunks():
        emit(chunk, None)
    emit(_text(name, settings, summary), None)


def _text(name: str, settings: Settings, summary: Summary) -> str:
    lines = [
        f"{name}: {_count(summary.documents, 'document')}, {_count(summary.responses, 'response')}, "
        f"{summary.kept} kept, {sum(summary.removed.values())} removed, {sum(summary.changed.values())} changed"
    ]
    for what, counts in (("removed", summary.removed), ("changed", summary.changed), ("note", summary.remarks)):
        lines += [f"  {what:7} {count:7}  {reason}: {EXPLAINED[reason]}" for reason, count in counts.items()]
    lines.append(f"profile: {settings.profile}")
    lines.append(f"written: {settings.output}")
    return "".join(f"{visible(line)}\n" for line in lines)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _records(outcome: Outcome) -> Iterator[dict[str, Any]]:
    document = outcome.arguments.document
    for removed in outcome.removed:
        record = {"action": "removed", "reason": removed.reason, **_described(removed.argument)}
        yield record if removed.instead is None else {**record, "instead": _described(removed.instead)}
    for changed in outcome.changed:
        described = _described(changed.before)
        yield {"action": "changed", "reason": changed.reason, **described, "now": _described(changed.after)}
    for remark in outcome.remarks:
        about = {"document": document} if remark.argument is None else _described(remark.argument)
        yield {"action": "note", "reason": remark.reason, **about, "message": remark.message}


def _described(argument: Argument) -> dict[str, Any]:
    response = argument.response
    return {
        "document": response.document,
        "id": argument.id or sha1_id(response),
        "type": response.type,
        "role": response.role,
        "cas": response.cas.text,
        "cas_span": _span(response.cas.span),
        "base_filler": _span(response.base_filler),
        "justifications": [_span(span) for span in response.justifications],
        "realis": response.realis,
        "confidence": argument.confidence,
    }


def _span(span: Span) -> str:
    return f"{span.start}-{span.end}"


def _line(record: dict[str, Any]) -> str:
    text = f"{record['document']}: {record['action']}: {record['reason']}: "
    if "id" in record:
        text += _short(record)
    if "instead" in record:
        text += f"; instead {_short(record['instead'])}"
    if "now" in record:
        text += f"; now {_short(record['now'])}"
    if "message" in record:
        text += ("; " if "id" in record else "") + record["message"]
    return text


def _short(described: dict[str, Any]) -> str:
    return (
        f"{described['id']} {described['type']} {described['role']} {described['cas']!r} {described['cas_span']} "
        f"(filler {described['base_filler']}, {described['realis']}, {described['confidence']})"
    )


def spans_in(
    docs: str, offsets: Offsets, find: Callable[[str, str], Iterable[Span]]
) -> Callable[[str], tuple[Span, ...]]:
    """How to find the spans of a document in its text; `find` is given the text and the name of its file."""
    sources = Sources(docs)

    def found(document: str) -> tuple[Span, ...]:
        try:
            text = sources.text(document)
        except UsageError as error:
            raise ValidationError(error.problems) from None  # one of many that the command collects
        return in_units(text, find(text, sources.place(document)), offsets)

    return found


def spans_from(path: str, what: str) -> Callable[[str], tuple[Span, ...]]:
    """How to look up the spans of a document in a file that has the form of a quote filter."""
    with opened(path, path) as stream:
        known, problems = parse_quotes(stream.read(), path)
    if problems:
        raise FormatError(problems)

    def listed(document: str) -> tuple[Span, ...]:
        if document not in known:
            hint = did_you_mean(document, known) or "add its id, and an empty line if it has none"
            raise ValidationError(Problem(f"the document {document!r} has no {what} here", path=path, hint=hint))
        return known[document]

    return listed


def docs_option(what: str) -> Callable[[F], F]:
    """The source documents, in which something is found."""
    return click.option(
        "--docs",
        metavar="SOURCES",
        help=f"Find {what} in these texts: a folder with a file per document, or a file of lines with id, TAB, path.",
    )


UNITS: dict[str, Offsets] = {"codepoints": "code-points", "utf16": "utf-16"}

offsets_option = click.option(
    "--offsets", type=click.Choice(list(UNITS)), help="What offsets count (default: as the profile says, code points)."
)


def units(offsets: str | None, profile: Profile) -> Offsets:
    """What offsets count, by the option or else by the profile."""
    return UNITS[offsets] if offsets is not None else profile.offsets


def one_of(**given: Any) -> None:
    """Raise unless exactly one of the options has a value."""
    names = [f"--{name.replace('_', '-')}" for name in given]
    if sum(value is not None for value in given.values()) != 1:
        raise UsageError(f"give one of {' or '.join(names)}", hint="not both, and not none")
