"""Assessments and frames of event arguments and linking, as `adjudge eal` reads and writes them.

What a file says comes back byte for byte if adjudge wrote it; else as reading and writing with `adjudge eal` gives it.
Spans are half-open here and inclusive in files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from adjudge.findings import Finding, errors_of
from adjudge.formats.eal_assessments import write_key
from adjudge.formats.eal_fields import is_valid, less_specific, sha1_id
from adjudge.formats.eal_sources import Sources as Texts
from adjudge.formats.eal_sources import read_provenance
from adjudge.formats.eal_store import FramesStore
from adjudge.model.eal import TIME_ROLES, AnswerKey, Assessment, Cas, Frame, Linking, Response, Span
from adjudge.serve.codecs import ItemData, ScopeData, Sources, Written, digest, identity_of, text_of
from adjudge.serve.groups import member_of, unnamed
from adjudge.serve.schema import Schema
from adjudge.tasks.eal.reference import covered_fillers, vague_dates
from adjudge.tasks.eal.settings import DIE, SPEC

if TYPE_CHECKING:
    from adjudge.serve.desk import Sheet
    from adjudge.serve.links import Linked, Row
    from adjudge.serve.store.tables import Item

COLUMNS = ("aet", "aer", "cas", "bf", "realis", "mention_type")
_OF = ("cas", "cas_span")


def body_of(response: Response) -> dict[str, Any]:
    """The fields of a response."""
    return {
        "type": response.type,
        "role": response.role,
        "cas": response.cas.text,
        "cas_span": _out(response.cas.span),
        "base_filler": _out(response.base_filler),
        "justifications": [_out(each) for each in response.justifications],
        "additional": [_out(each) for each in response.additional],
        "realis": response.realis,
    }


def _out(span: Span) -> list[int]:
    return [span.start, span.end + 1]


def _in(span: Iterable[int]) -> Span:
    start, end = span
    return Span(start, end - 1)


def response_of(item: Item) -> Response:
    """The response that an item of a store is."""
    return _response(item.scope, item.body)


def _response(document: str, body: Mapping[str, Any]) -> Response:
    return Response(
        document,
        body["type"],
        body["role"],
        Cas(body["cas"], _in(body["cas_span"])),
        _in(body["base_filler"]),
        tuple(map(_in, body["justifications"])),
        tuple(map(_in, body["additional"])),
        body["realis"],
    )


def assessment_of(values: Mapping[str, str]) -> Assessment:
    """Columns 12 to 18 without the cluster, from the values of all questions."""
    return Assessment(*(cast("Any", None if values.get(name) == "NIL" else values.get(name)) for name in COLUMNS))


def answers_of(assessment: Assessment) -> dict[str, str]:
    """The answers that lead to an assessment."""
    values = dict(zip(COLUMNS, assessment, strict=True))
    answers = {name: str(value) for name, value in values.items() if value is not None}
    return answers if "aet" in answers else {"aet": "NIL"}


def settings(folder: Path | None) -> dict[str, Any]:
    """What may fill which role, and which types may be in one event, from the ontology of a campaign."""
    from adjudge.tasks.eal.campaign_settings import FILE, read_settings
    from adjudge.tasks.eal.campaign_steps import Rooms, ontology_of
    from adjudge.tasks.eal.ontology import load_ontology

    name: str | Path = "2015"
    if folder is not None and (folder / FILE).exists():
        name = ontology_of(Rooms(folder), read_settings(folder))
    ontology = load_ontology(name)
    return {
        "entities": {
            type_: {role: list(kinds) for role, kinds in roles.items()} for type_, roles in ontology.types.items()
        },
        "linkable": sorted([*pair] for pair in ontology.linkable if pair[0] < pair[1]),
    }


def read(schema: Schema, sources: Sources, findings: list[Finding]) -> Iterator[ScopeData]:
    """The documents of a store of assessments, with their frames."""
    from adjudge.formats.eal_store import open_frames, open_key

    texts = Texts(sources.texts) if sources.texts is not None else None
    with open_key(sources.answers) as store:
        frames = open_frames(sources.frames) if sources.frames is not None and sources.frames.is_dir() else None
        given = _origins(sources.pool)
        try:
            for document in store.documents:
                key, found = store.scan_key(document)
                findings += found
                if errors_of(found):
                    continue
                text = text_of(texts, document, document, findings)
                if text is None:
                    continue
                data = store.bytes_of(document, again=True) or b""
                yield _scope(schema, key, text, data, frames, given.get(document, {}), findings)
        finally:
            if frames is not None:
                frames.close()


def _origins(pool: Path | None) -> dict[str, dict[str, tuple[str, ...]]]:
    """The systems that gave each response, by document and id."""
    from adjudge.formats.eal_sources import provenance_path
    from adjudge.formats.eal_store import open_store

    if pool is None or not provenance_path(pool).is_file():
        return {}
    with open_store(pool) as store:
        documents = store.documents
    found = zip(documents, read_provenance(provenance_path(pool), documents), strict=True)
    return {document: {id_: tuple(sorted(systems)) for id_, systems in given.items()} for document, given in found}


def _scope(
    schema: Schema,
    key: AnswerKey,
    text: str,
    data: bytes,
    frames: FramesStore | None,
    origins: Mapping[str, tuple[str, ...]],
    findings: list[Finding],
) -> ScopeData:
    items: list[ItemData] = []
    names: dict[Response, str] = {}
    for response in (*key.assessed, *key.unassessed):
        body = body_of(response)
        names[response] = identity_of(schema, key.document, body)
        judged = key.assessed.get(response)
        answers = None if judged is None else answers_of(judged)
        items.append(ItemData(body, names[response], None, answers, origins.get(sha1_id(response), ())))
    groups = {
        member_of({"cas": cas.text, "cas_span": _out(cas.span)}, _OF): str(number) for cas, number in key.coref.items()
    }
    old = data != write_key(key) and data == write_key(key, ids="2014")
    meta: dict[str, Any] = {"ids": "2014" if old else "sha1", "comments": False, "files": {"assessments": digest(data)}}
    scope = ScopeData(key.document, text, items, meta, groups or None)
    if frames is not None and key.document in frames:
        _take_frames(scope, key, frames, names, findings)
    return scope


def _take_frames(
    scope: ScopeData, key: AnswerKey, frames: FramesStore, names: Mapping[Response, str], findings: list[Finding]
) -> None:
    from adjudge.tasks.eal.frames import project
    from adjudge.tasks.eal.stores import scan_linked

    linking, problems = scan_linked(frames, key)
    if linking is None or problems:
        findings += [Finding("frames", True, problem, key.document) for problem in problems]
        return
    scope.links = {
        "events": {
            str(number): {"name": frame.id, "items": {names[each]: True for each in sorted(frame.responses)}}
            for number, frame in enumerate(linking.frames, 1)
        },
        "waiting": {names[each]: True for each in sorted(linking.incomplete)},
    }
    scope.linked = not key.unassessed and not project(linking, key).unlinked
    data = frames.bytes_of(key.document, again=True) or b""
    scope.meta["comments"] = data == _written(linking, key, comments=True)
    scope.meta["files"]["frames"] = digest(data)


def _written(linking: Linking, key: AnswerKey, *, comments: bool) -> bytes:
    from adjudge.tasks.eal.frames import format_linking

    return format_linking(linking, key, comments=comments)


def key_of(scope: Written) -> tuple[AnswerKey, dict[str, Response]]:
    """The assessments of a scope, and its responses by the identities of their items."""
    responses = {item.identity: _response(scope.id, item.body) for item in scope.items}
    assessed = {responses[each.identity]: assessment_of(each.answers) for each in scope.items if each.answers}
    rest = tuple(responses[item.identity] for item in scope.items if not item.answers)
    coref = {}
    for member, number in scope.groups.items():
        text, span = unnamed(member)
        coref[Cas(text, _in(span))] = int(number)
    return AnswerKey(scope.id, assessed, rest, coref), responses


def linking_of(scope: Written, key: AnswerKey, responses: Mapping[str, Response]) -> tuple[Linking, Linking] | None:
    """The frames of a scope as people made them, and in full; None if nobody has linked anything."""
    from adjudge.tasks.eal.frames import project

    if scope.links is None:
        return None
    linking = _as_made(scope, responses)
    full = project(linking, key).linking
    return (full if scope.links.get("waiting") is None else linking), full


def _as_made(scope: Written, responses: Mapping[str, Response], waiting: frozenset[Response] = frozenset()) -> Linking:
    """The frames with what is listed in them, whatever has become of it; `waiting` is what waits unless a file says."""
    links = scope.links or {}
    given = links.get("events", {})
    frames = []
    for name in sorted(given, key=int):
        here = frozenset(responses[each] for each in given[name]["items"] if each in responses)
        if here:
            frames.append(Frame(here, given[name].get("name")))
    if links.get("waiting") is not None:
        waiting = frozenset(responses[each] for each in links["waiting"] if each in responses)
    return Linking(scope.id, frames, waiting)


def completed(scope: Written) -> Written:
    """A finished scope in which everything is linked: what scorers ignore, and nobody has linked, is an event alone.

    Readers need not link it, and the commands that score files wait until everything is.
    """
    key, responses = key_of(scope)
    names = {response: name for name, response in responses.items()}
    events = dict((scope.links or {}).get("events", {}))
    for _ in responses:
        scope = msgspec.structs.replace(scope, links={"events": events})
        both = linking_of(scope, key, responses)
        if both is None or not both[1].incomplete:
            break
        first = min(names[response] for response in both[1].incomplete)
        number = str(max(map(int, events), default=0) + 1)
        events = {**events, number: {"name": None, "items": {first: True}}}
    return scope


def write(schema: Schema, scopes: Iterable[Written]) -> Iterator[tuple[str, bytes]]:
    """The files of documents: `assessments/`, and, if somebody has linked, `frames/` and `reference/`."""
    del schema
    for scope in scopes:
        key, responses = key_of(scope)
        ids: Literal["sha1", "2014"] = "2014" if scope.meta.get("ids") == "2014" else "sha1"
        yield f"assessments/{scope.id}", write_key(key, ids=ids)
        both = linking_of(scope, key, responses)
        if both is not None:
            yield f"frames/{scope.id}", _written(both[0], key, comments=bool(scope.meta.get("comments")))
            yield f"reference/{scope.id}", _written(both[1], key, comments=False)


def check(scopes: Iterable[Written]) -> Iterator[Finding]:
    """What contradicts itself in official answers: after a document was opened again, frames may have become wrong."""
    from adjudge.formats.eal_assessments import scan_key
    from adjudge.tasks.eal.consistency import check_frames, check_key

    for scope in scopes:
        key, responses = key_of(scope)
        yield from scan_key(write_key(key), scope.id, f"assessments/{scope.id}")[1]
        yield from check_key(key, f"assessments/{scope.id}")
        both = linking_of(scope, key, responses)
        if both is not None:
            yield from check_frames(_as_made(scope, responses, both[1].incomplete), key, f"frames/{scope.id}")


# ---------------------------------------------------------------------------------------------------------------------
# What is odd about events


PLACE = "Place"


def covered(rows: Iterable[Row], sheet: Sheet, values: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The rows that scorers ignore: what Life.Die covers, and dates of which a more specific one was accepted."""
    listed = list(rows)
    items = {item.id: item for item in sheet.items}
    assessed = {response_of(items[id_]): assessment_of(own) for id_, own in values.items()}
    coref = {
        response_of(item).cas: int(row.values["group"])
        for row in listed
        for item in row.items
        if str(row.values.get("group")).isdecimal()
    }
    covers = covered_fillers(assessed.items(), coref, [DIE])
    dates = vague_dates(assessed.items(), SPEC)
    found = {}
    for row in listed:
        response = response_of(row.items[0])
        cover = covers.get((response.type, response.role, response.realis, coref.get(response.cas, response.cas)))
        date = None
        if response.role in TIME_ROLES:
            realis = response.realis if SPEC.time_rule_same_realis else None
            date = dates.get((response.type, response.role, realis, response.cas.text))
        if cover or date:
            found[row.id] = f"scorers ignore it: {f'{cover} has it' if cover else f'{date} says more'}"
    return found


def oddities(state: Linked) -> dict[str, list[str]]:
    """Times and places of one event that do not refine each other."""
    found: dict[str, list[str]] = {}
    for name, event in state.events.items():
        here = [row for row in state.rows.values() if any(item.id in event["items"] for item in row.items)]
        times = sorted({text for row in here if row.values.get("role") in TIME_ROLES for text in _fillers(row)})
        places = [row for row in here if row.values.get("role") == PLACE]
        said = [
            f"{one} and {other} are different times"
            for one, other in combinations([each for each in times if is_valid(each)], 2)
            if one not in less_specific(other) and other not in less_specific(one)
        ]
        for one_row, other_row in combinations(places, 2):
            one, other = _fillers(one_row)[0], _fillers(other_row)[0]
            if one.casefold() not in other.casefold() and other.casefold() not in one.casefold():
                said.append(f"{one} and {other} are different places")
        if said:
            found[name] = said
    return found


def _fillers(row: Row) -> list[str]:
    return sorted({str(item.body["cas"]) for item in row.items})
