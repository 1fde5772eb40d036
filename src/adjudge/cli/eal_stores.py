"""`adjudge eal trim`, `top`, `pool` and the like: one store of responses derived from others, and a report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

import click

from adjudge._version import __version__
from adjudge.cli.eal_options import UNITS, offsets_option, store_options, texts_option, unlinked_option
from adjudge.cli.options import Target, choice, command, flag, named, value
from adjudge.cli.output import check_targets, emit, emit_lines, uncollected
from adjudge.errors import Problem, UsageError, ValidationError, visible
from adjudge.findings import counted
from adjudge.formats.archive import SUFFIXES
from adjudge.formats.eal_fields import sha1_id
from adjudge.formats.eal_sources import Sources, in_units, provenance_path, write_quotes
from adjudge.formats.eal_store import KeyWriter, Store, StoreWriter
from adjudge.model.eal import Argument, Arguments, Linking, Span
from adjudge.tasks.eal.apply import (
    Operation,
    Summary,
    apply,
    cutoff,
    documents,
    is_alone,
    keep_until,
    linking_layout,
    pool_stores,
)
from adjudge.tasks.eal.apply import baseline_link as linked_by_type
from adjudge.tasks.eal.apply import top as best_of
from adjudge.tasks.eal.responses import Outcome, Remark, both
from adjudge.tasks.eal.responses import trim as trimmed
from adjudge.tasks.eal.settings import Profile, get_profile
from adjudge.tasks.eal.task import Regions
from adjudge.tasks.eal.texts import expand_justifications as widened
from adjudge.tasks.eal.texts import filter_quotes as without_quotes
from adjudge.tasks.eal.texts import read_regions, regions_in
from adjudge.tasks.eal.texts import sentences as find_sentences
from adjudge.tasks.eal.views import neutralize_coref, neutralize_realis, neutralize_realis_key

MEMORY = 1 << 20  # bytes of a report held in memory; the rest goes to a temporary file

EXPLAINED = {
    "quoted-base-filler": "the base filler begins or ends in a quotation",
    "quoted-cas": "the CAS begins or ends in a quotation",
    "quoted-base-filler-and-cas": "the base filler and the CAS begin or end in a quotation",
    "encloses-quotation-base-filler": "the base filler has a whole quotation inside, the response stays",
    "encloses-quotation-cas": "the CAS has a whole quotation inside, the response stays",
    "unclosed-quotation": "a quotation is never closed and reaches to the end of the document",
    "widened": "justifications were widened to whole sentences",
    "merged": "another response has become the same, the more confident one stays",
    "repeated": "the same response is on another line, the more confident one stays",
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


class Report:
    """Collects what was done; a long list is kept on disk, because nothing is printed before the store is written."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._json = options["format_"] == "json"
        self._silent = options["quiet"] or not (self._json or options["verbose"])
        self._file = SpooledTemporaryFile(max_size=MEMORY, mode="w+", encoding="utf-8", newline="\n")  # noqa: SIM115
        self._any = False

    def close(self) -> None:
        """Discard the report."""
        self._file.close()

    def each(self, outcome: Outcome) -> None:
        """Record what happened to a document."""
        if self._silent:
            return
        for record in _records(outcome):
            if self._json:
                self._file.write((",\n    " if self._any else "\n    ") + json.dumps(record, ensure_ascii=False))
            else:
                self._file.write(visible(_line(record)) + "\n")
            self._any = True

    def chunks(self) -> Iterator[str]:
        """The recorded text, piece by piece."""
        self._file.seek(0)
        while chunk := self._file.read(MEMORY):
            yield chunk


def transform(
    name: str,
    source: str,
    options: Mapping[str, Any],
    operation: Callable[[Profile, Store], Operation],
    *,
    writes: bool | None = None,
    facts: Mapping[str, Any] | None = None,
    last: Callable[[StoreWriter], None] | None = None,
) -> None:
    """Read a store, write the outcome of the operation, and report it.

    `writes` says whether frames are written that are not read; by default they are read and written if they are there.
    `last` writes what appears together with the store.
    """
    profile = get_profile(options["profile"])
    reads = writes is None and profile.linking_layout != "none"
    with ExitStack() as stack:
        store = profile.open_store(source)
        stack.callback(store.close)
        frames = (reads and store.has_linking) if writes is None else writes
        report = Report(options)
        stack.callback(report.close)
        layout = linking_layout(store) if reads and frames else "2015"
        how = {"ids": options["ids"], "overwrite": options["overwrite"]}
        with uncollected(), StoreWriter(options["output"], linking=frames, layout=layout, **how) as writer:
            summary = apply(store, writer, operation(profile, store), linking=reads, each=report.each)
            if last is not None:
                last(writer)
        conclude(name, {"input": source, **(facts or {})}, options, summary, report)


def conclude(name: str, facts: Mapping[str, Any], options: Mapping[str, Any], summary: Summary, report: Report) -> None:
    """Print the report."""
    if options["quiet"]:
        return
    profile, output = options["profile"], str(options["output"])
    if options["format_"] == "json":
        head = {"adjudge": __version__, "task": "eal", "operation": name, "profile": profile}
        head |= {**facts, "output": output, **summary._asdict()}
        emit(json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}") + ',\n  "details": [')
    for chunk in report.chunks():
        emit(chunk)
    if options["format_"] == "json":
        emit("\n  ]\n}\n")
        return
    lines = [
        f"{name}: {counted(summary.documents, 'document')}, {counted(summary.responses, 'response')}, "
        f"{summary.kept} kept, {sum(summary.removed.values())} removed, {sum(summary.changed.values())} changed"
    ]
    for what, counts in (("removed", summary.removed), ("changed", summary.changed), ("note", summary.remarks)):
        lines += [f"  {what:7} {count:7}  {reason}: {EXPLAINED[reason]}" for reason, count in counts.items()]
    emit_lines([*lines, f"profile: {profile}", f"written: {output}"])


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
        "cas_span": str(response.cas.span),
        "base_filler": str(response.base_filler),
        "justifications": list(map(str, response.justifications)),
        "realis": response.realis,
        "confidence": argument.confidence,
    }


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


def _spans(regions: Regions | None, listed: str | None) -> Callable[[str], Sequence[Span]]:
    """How to find the spans of a document: in its text, or else in a file that has the form of a quote filter."""
    if (regions is None) == (listed is None):
        raise UsageError("where do the spans come from?", hint="give --texts, or the file, but not both")
    found = read_regions(str(listed)) if regions is None else regions

    def spans(document: str) -> Sequence[Span]:
        try:
            return found(document) or ()
        except UsageError as error:
            raise ValidationError(error.problems) from None  # one of many that the command collects

    return spans


@command(
    "filter-quotes",
    click.Argument(["store"], metavar="STORE"),
    texts_option("quotations"),
    value("--quotes", "FILE", "Quotations of each document, as a quote filter file."),
    value("--save-quotes", "FILE", "Also write the quotations that were found.", type=Target()),
    offsets_option,
    store_options(keep_ids=True),
    examples=["adjudge eal filter-quotes run1/ --texts sources/ -o run1.unquoted"],
    old={"--docs": "--texts"},
)
def filter_quotes(
    store: str, docs: str | None, quotes: str | None, save_quotes: Path | None, offsets: str | None, **options: Any
) -> None:
    """Remove the responses whose base filler or CAS begins or ends in <quote> ... </quote>.

    Tags match in any case, and a quotation that is never closed reaches to the end of its document, with a note.
    A response with a whole quotation inside one of them stays, with a note. Removed responses are also removed from
    their hoppers, and empty hoppers are dropped.
    """
    check_targets({"save_quotes": save_quotes}, "save_quotes")
    profile = get_profile(options["profile"])
    quoted = None if docs is None else regions_in(docs, profile, offsets=UNITS.get(offsets or ""))
    spans = _spans(quoted, quotes)
    used: dict[str, Sequence[Span]] = {}

    def step(arguments: Arguments, linking: Linking | None) -> Outcome:
        found = used[arguments.document] = spans(arguments.document)
        unclosed = [] if quoted is None else quoted.unclosed(arguments.document)
        remarks = [Remark(None, "unclosed-quotation", str(problem)) for problem in unclosed]
        outcome = without_quotes(arguments, linking, found)
        return outcome._replace(remarks=(*remarks, *outcome.remarks))

    def save(writer: StoreWriter) -> None:
        if save_quotes is not None:
            writer.beside(save_quotes).write(write_quotes(used).decode())

    facts = {"quotations": docs or quotes}
    transform("filter-quotes", store, options, lambda *_: step, facts=facts, last=save)


@command(
    "expand-justifications",
    click.Argument(["store"], metavar="STORE"),
    texts_option("sentences"),
    value("--sentences given", "FILE", "Sentences of each document, in the form of a quote filter."),
    offsets_option,
    store_options(keep_ids=False),
    examples=["adjudge eal expand-justifications run1/ --texts sources/ -o run1.sentences"],
    old={"--docs": "--texts"},
)
def expand_justifications(store: str, docs: str | None, given: str | None, offsets: str | None, **options: Any) -> None:
    """Widen each predicate justification to the sentences in which it begins and ends.

    Sentences are given, or found in the source documents: they end at . ! ? before white space, unless a lower-case
    letter follows, at tags and at blank lines. Responses that become the same are merged, with the higher confidence.
    """
    units = UNITS[offsets] if offsets else get_profile(options["profile"]).offsets
    sources = None if docs is None else Sources(docs)

    def sentences(document: str) -> Sequence[Span]:
        assert sources is not None
        text = sources.text(document)
        return in_units(text, find_sentences(text), units)

    spans = _spans(None if docs is None else sentences, given)

    def step(arguments: Arguments, linking: Linking | None) -> Outcome:
        return widened(arguments, linking, spans(arguments.document))

    transform("expand-justifications", store, options, lambda *_: step, facts={"sentences": docs or given})


@command(
    "trim",
    click.Argument(["store"], metavar="STORE"),
    flag("--nested", "Responses with nested CASes also compete."),
    unlinked_option("Responses"),
    store_options(keep_ids=True),
    examples=["adjudge eal trim run1/ -o run1.trimmed"],
)
def trim(store: str, nested: bool, unlinked: Any, **options: Any) -> None:
    """Keep the best of the responses in a hopper that differ in base filler and justifications only.

    That is, of those with the same document, type, role, CAS, CAS offsets and realis. The best is the most confident;
    of several, the one with the largest 2014 id. Generic responses compete in the whole document. A response that is
    the best in one hopper stays in all its hoppers. Without linking files a document is one hopper.
    """
    policy = unlinked or get_profile(options["profile"]).unlinked
    facts = {"nested": nested, "unlinked": policy}
    transform("trim", store, options, lambda *_: partial(trimmed, nested=nested, unlinked=policy), facts=facts)


@command(
    "top",
    click.Argument(["store"], metavar="STORE"),
    value("-n --number", "N", "Responses to keep.", type=click.IntRange(min=1), required=True),
    choice(
        "--per",
        ("submission", "document"),
        "N responses of the whole store, or of each document.",
        default="submission",
    ),
    store_options(keep_ids=True),
    examples=["adjudge eal top run1.trimmed -n 5000 -o run1.top"],
)
def top(store: str, number: int, per: str, **options: Any) -> None:
    """Keep the N most confident responses, but first the best one of every hopper.

    First come the best responses of the hoppers, by confidence, then all others, by confidence; the first N stay.
    Equal confidences are decided by the larger 2014 id.
    """

    def operation(profile: Profile, opened: Store) -> Operation:
        if per == "document":
            return partial(best_of, count=number)
        last = cutoff(documents(opened, linking=profile.linking_layout != "none"), number)
        return partial(keep_until, last=last)

    transform("top", store, options, operation, facts={"number": number, "per": per})


@command(
    "pool",
    click.Argument(["stores"], metavar="[NAME=]STORE...", nargs=-1, required=True),
    store_options(keep_ids=False),
    examples=["adjudge eal pool A=run1/ B=run2.zip -o pool"],
)
def pool(stores: tuple[str, ...], **options: Any) -> None:
    """Join submissions into one store: every response once, with its highest confidence and the comment of that line.

    Which system gave which response with which confidence is written next to the store, into
    OUT.provenance.tsv. A STORE that has such a file is itself a pool, and its systems count. Neither the order of the
    stores nor pooling in several steps makes a difference. The pool has no linking; filter and trim first.
    """
    profile, output, overwrite = get_profile(options["profile"]), options["output"], options["overwrite"]
    paths = _names(stores)
    provenance = provenance_path(output)
    if provenance.exists() and not overwrite and not is_alone(output):
        raise UsageError(f"{provenance}: it already exists", hint="choose another OUT, or give --overwrite")
    with ExitStack() as stack:
        opened = {name: profile.open_store(path) for name, path in paths.items()}
        for store in opened.values():
            stack.callback(store.close)
        report = Report(options)
        stack.callback(report.close)
        with uncollected(), StoreWriter(output, ids=options["ids"], linking=False, overwrite=overwrite) as writer:
            summary = pool_stores(opened, writer, writer.beside(provenance), each=report.each)
        conclude("pool", {"input": paths, "provenance": str(provenance)}, options, summary, report)


def _names(stores: tuple[str, ...]) -> dict[str, str]:
    """The stores by the names of their systems."""
    paths: dict[str, str] = {}
    for text in stores:
        name, path = named(text)
        if name is None:
            name = Path(path).resolve().name
            for ending in SUFFIXES:
                name = name.removesuffix(ending)
        if not name.isprintable():
            raise UsageError(f"{name!r} cannot be the name of a system", hint="name it, as in A=PATH")
        if name in paths:
            hint = f"name them, as in A={paths[name]} B={path}"
            raise UsageError(f"two stores are called {name!r}: {paths[name]} and {path}", hint=hint)
        paths[name] = path
    return paths


@command(
    "baseline-link",
    click.Argument(["store"], metavar="STORE"),
    store_options(keep_ids=True),
    examples=["adjudge eal baseline-link run1/ -o run1.baseline"],
)
def baseline_link(store: str, **options: Any) -> None:
    """Link all responses of a document that have the same event type and are not generic.

    Linking files of STORE are ignored.
    """

    def step(arguments: Arguments, _: Linking | None) -> Outcome:
        return Outcome(arguments, linked_by_type(arguments))

    transform("baseline-link", store, options, lambda *_: step, writes=True)


@command(
    "neutralize",
    click.Argument(["store"], metavar="STORE"),
    flag("--realis", "All responses become Actual."),
    flag("--coref", "Correct responses with a wrong CAS for a correct base filler."),
    value("--key", "KEY", "Assessments, which --coref needs."),
    value("--save-key", "KEY-OUT", "Also write KEY with all realis Actual.", type=click.Path(path_type=Path)),
    store_options(keep_ids=False),
    examples=["adjudge eal neutralize run1/ --realis --coref --key assessments/ -o run1.neutral"],
)
def neutralize(store: str, realis: bool, coref: bool, key: str | None, save_key: Path | None, **options: Any) -> None:
    """Take realis, or realis and coreference, out of the comparison.

    With --realis every response becomes Actual; of those that become the same the most confident stays. With --coref a
    response whose base filler is assessed as right and whose CAS is not becomes a good response of KEY with the same
    type, role and base filler, else with the same type and role; otherwise it is removed.
    """
    _check(realis=realis, coref=coref, key=key, save_key=save_key)
    profile = get_profile(options["profile"])
    official = profile.name != "spec"
    generics: Any = "unlinked" if profile.neutralised_generic == "drop" else "singleton"
    keys = None if key is None else profile.open_key(key)

    def step(arguments: Arguments, linking: Linking | None) -> Outcome:
        outcome = neutralize_realis(arguments, linking, generics=generics)
        if not coref or keys is None:
            return outcome
        if arguments.document not in keys:
            message = f"there are no assessments of {arguments.document}"
            raise ValidationError(Problem(message, path=key, hint="assess it, or leave it out of the store"))
        known = neutralize_realis_key(keys.key(arguments.document), order="hash" if official else "file")
        return both(outcome, neutralize_coref(*outcome[:2], known, first="key" if official else "smallest"))

    def save(writer: StoreWriter) -> None:
        if save_key is not None and keys is not None:
            # It is there before the store is: if somebody is killed in between, the next one finds it.
            how = {"ids": options["ids"], "overwrite": options["overwrite"]}
            new = writer.together(KeyWriter(save_key, **how, again=True))
            for document in keys.documents:
                new.write(neutralize_realis_key(keys.key(document)))

    facts = {"realis": realis, "coref": coref, "key": key}
    with nullcontext() if keys is None else keys:
        transform("neutralize", store, options, lambda *_: step, facts=facts, last=save)


def _check(*, realis: bool, coref: bool, key: str | None, save_key: Path | None) -> None:
    if not realis:
        hint = "add --realis" if coref else "give --realis, or --realis and --coref"
        message = "coreference can be neutralised only together with realis" if coref else "nothing to neutralise"
        raise UsageError(message, hint=hint)
    if coref and key is None:
        raise UsageError("--coref needs assessments", hint="give them with --key")
    if save_key is not None and key is None:
        raise UsageError("--save-key needs a key", hint="give it with --key")
    if key is not None and not coref and save_key is None:
        raise UsageError("--key is used by --coref and --save-key only", hint="leave it out, or give one of them")
