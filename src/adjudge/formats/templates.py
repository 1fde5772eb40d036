"""Templates as GRIT, GTT and IterX write them: roles, entities, and the strings of their mentions.

    GRIT gold    {"docid": "TST3-MUC4-0001", "extracts": {"Victim": [[["the mayor", 17], ["he", 80]]]}}     a line each
    GRIT system  {"30001": {"pred_extracts": {"Victim": [["mayor"]]}}}                                     one object
    GTT gold     {"docid": "TST3-MUC4-0001", "templates": [{"incident_type": "attack", "Victim": [...]}]}   a line each
    GTT system   {"30001": {"pred_templates": [{"incident_type": "attack", "Victim": [["mayor"]]}]}}       one object
    IterX system {"TST3-MUC4-0001": [{"incident_type": "attack", "Victim": [["mayor"]]}]}       lines, added up by id
    both sides   {"30001": {"doctext": "...", "gold_templates": [...], "pred_templates": [...]}}           one object

A mention is a string, or a list whose first element is one. GRIT and GTT call message 1 of TST3 "30001" in their
output, and so do the readers of their gold files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from adjudge.errors import FormatError, Problem
from adjudge.findings import LIMIT, raise_problems
from adjudge.formats.json_file import json_problem, read_json
from adjudge.formats.jsonl import read_documents
from adjudge.formats.source import Source, Whole, read_text, read_whole, reads
from adjudge.model.document import Corpus, Document

TYPE = "incident_type"
SKIPPED = "template-spans"
# How to write a document, said with every problem in one.
SHAPES = {
    "extracts": 'write {"docid": id, "extracts": {role: [[mention, ...], ...]}}',
    "templates": 'write {"docid": id, "templates": [{"incident_type": type, role: [[mention, ...], ...]}]}',
    "pred_extracts": 'write {id: {"pred_extracts": {role: [[mention, ...], ...]}}}',
    "pred_templates": 'write {id: {"pred_templates": [{"incident_type": type, role: [[mention, ...], ...]}]}}',
    "gold_templates": 'write {id: {"gold_templates": [{"incident_type": type, role: [[mention, ...], ...]}]}}',
}
_MESSAGE = re.compile(r"[^-]*([0-9])(?:-.*)?-([0-9]{1,9})", re.DOTALL)

Entities = list[list[str]]


class Template(NamedTuple):
    """One template as the file has it; `scalars` are the roles whose value was not a list."""

    type: str | None
    roles: dict[str, Entities]
    scalars: frozenset[str] = frozenset()


class Page(NamedTuple):
    """The templates of one document; `text` is "" if the file does not have it."""

    templates: list[Template]
    text: str = ""
    line: int | None = None


class Sheet(NamedTuple):
    """A file of templates."""

    whole: Whole
    pages: dict[str, Page]


# Documents of the catalogue


def read_grit(source: Source, *, name: str | None = None) -> Corpus:
    """Gold files of GRIT; the entities of a document are one template without a type.

    >>> read_grit(b'{"docid": "TST3-MUC4-0001", "extracts": {"Victim": [[["the mayor", 17]]]}}').documents[0].data
    {'id': '30001', 'templates': [{'type': '', 'fillers': [{'role': 'Victim', 'mentions': ['the mayor']}]}]}
    """
    return _corpus(read_lines(source, "extracts", name=name), typed=False)


def read_grit_output(source: Source, *, name: str | None = None) -> Corpus:
    """Output of GRIT.

    >>> read_grit_output(b'{"30001": {"pred_extracts": {"Victim": []}}}').documents[0].data
    {'id': '30001', 'templates': []}
    """
    return _corpus(read_object(source, "pred_extracts", name=name), typed=False)


def read_gtt(source: Source, *, name: str | None = None) -> Corpus:
    """Gold files of GTT.

    >>> read_gtt(b'{"docid": "d", "templates": [{"incident_type": "attack"}]}').documents[0].data["templates"]
    [{'type': 'attack', 'fillers': []}]
    """
    return _corpus(read_lines(source, "templates", name=name))


def read_gtt_output(source: Source, *, name: str | None = None) -> Corpus:
    """Output of GTT.

    >>> read_gtt_output(b'{"d": {"pred_templates": []}}').documents[0].id
    'd'
    """
    return _corpus(read_object(source, "pred_templates", name=name))


def read_iterx(source: Source, *, name: str | None = None) -> Corpus:
    """Gold files of GTT with their own ids, as IterX uses them.

    >>> read_iterx(b'{"docid": "TST3-MUC4-0001", "templates": []}').documents[0].id
    'TST3-MUC4-0001'
    """
    return _corpus(read_lines(source, "templates", rename=False, name=name))


def read_iterx_output(source: Source, *, name: str | None = None) -> Corpus:
    r"""Output of IterX: the templates of all lines of a document.

    >>> read_iterx_output(b'{"d": []}\n{"d": [{"incident_type": "attack"}]}').documents[0].data["templates"]
    [{'type': 'attack', 'fillers': []}]
    """
    return _corpus(read_answers(source, name=name))


def read_both(source: Source, *, name: str | None = None) -> Corpus:
    """The gold side of an error analysis file, which has both sides.

    >>> read_both(b'{"d": {"gold_templates": [], "pred_templates": []}}').documents[0].data
    {'id': 'd', 'templates': []}
    """
    return _corpus(read_object(source, "gold_templates", name=name))


# Files as they are


def read_lines(
    source: Source, field: Literal["extracts", "templates"], *, rename: bool = True, name: str | None = None
) -> Sheet:
    """Gold files of GRIT (`extracts`) and GTT (`templates`); entities without mentions are left out.

    With `rename`, ids are those of the output: 10000 times the digit of TST3, and the number of the message.
    """
    whole = read_whole(source, name=name)
    pages: dict[str, Page] = {}
    problems: list[Problem] = []
    for raw in read_documents(whole.data, name=whole.place, keys=("docid",)):
        wrong: list[str] = []
        templates = _templates(raw.data.get(field), field, wrong)
        kept = [_without_empty(each) for each in templates]
        identifier = output_id(raw.id) if rename else raw.id
        if identifier in pages:
            wrong.append(f"the document {raw.id!r} is called {identifier} like another one")
        text = raw.data.get("doctext")
        pages[identifier] = Page(kept, text if isinstance(text, str) else "", raw.line)
        problems += (Problem(each, path=whole.place, line=raw.line, hint=SHAPES[field]) for each in wrong)
    return Sheet(whole, _without_problems(pages, problems))


@reads("one JSON object", "json", "json-lines", "json-array", reader_option=True)
def read_object(
    source: Source,
    field: Literal["pred_extracts", "pred_templates", "gold_templates"],
    *,
    name: str | None = None,
) -> Sheet:
    """Output of GRIT and GTT, and either side of an error analysis file: one object of documents."""
    whole, value = read_json(source, name=name)
    pages: dict[str, Page] = {}
    problems: list[Problem] = []
    if not isinstance(value, dict):
        message = "expected one object of documents by id"
        raise FormatError(json_problem(whole, "$", message, 'write {"id": {"' + field + '": ...}}'))
    for identifier, document in value.items():
        wrong: list[str] = []
        given = document.get(field) if isinstance(document, dict) else None
        templates = _templates(given, field, wrong)
        text = document.get("doctext") if isinstance(document, dict) else None
        pages[identifier] = Page(templates, text if isinstance(text, str) else "")
        # The line is that of the field, and is only searched for in problems that are raised.
        room = max(0, LIMIT - len(problems))
        at = (identifier, field)
        problems += [json_problem(whole, at, f"{identifier}: {each}", SHAPES[field]) for each in wrong[:room]]
        problems += [Problem(f"{identifier}: {each}", path=whole.place) for each in wrong[room:]]
    return Sheet(whole, _without_problems(pages, problems))


def read_answers(source: Source, *, name: str | None = None) -> Sheet:
    """Output of IterX: an object with one document on each line."""
    whole, text = read_text(source, name=name)
    pages: dict[str, Page] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        wrong: list[str] = []
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            wrong, value = ["this is not JSON"], {}
        if isinstance(value, dict) and len(value) == 1:
            ((identifier, given),) = value.items()
            page = pages.setdefault(identifier, Page([], line=number))
            page.templates.extend(_templates(given, "", wrong))
        elif not wrong:
            wrong.append("expected an object with one document")
        hint = 'write one {"id": [templates]} per line'
        problems += (Problem(each, path=whole.place, line=number, hint=hint) for each in wrong)
    return Sheet(whole, _without_problems(pages, problems))


def output_id(identifier: str) -> str:
    """The id of a message in the output of GRIT and GTT; an id of another form stays as it is.

    >>> output_id("TST3-MUC4-0001"), output_id("d1")
    ('30001', 'd1')
    """
    found = _MESSAGE.fullmatch(identifier)
    return identifier if found is None else str(int(found[1]) * 10000 + int(found[2]))


def distinct(templates: Sequence[Template], *, clean: Callable[[str], str] = str) -> list[Template]:
    """Templates without repetitions: one that says the same in the same order is left out."""
    found: dict[Any, Template] = {}
    for each in templates:
        roles = {role: [[clean(one) for one in entity] for entity in entities] for role, entities in each.roles.items()}
        key = (each.type, tuple((role, tuple(map(tuple, entities))) for role, entities in roles.items()))
        found.setdefault(key, each._replace(roles=roles))
    return list(found.values())


# ---------------------------------------------------------------------------------------------------------------------


def _corpus(sheet: Sheet, *, typed: bool = True) -> Corpus:
    """Documents in the catalogue's form; a template without a type counts only if it has fillers."""
    documents = tuple(
        Document(
            id=identifier,
            data={"id": identifier, "templates": [each for each in _made(page) if typed or each["fillers"]]},
            line=page.line,
        )
        for identifier, page in sheet.pages.items()
    )
    return Corpus(path=sheet.whole.place, documents=documents, digest=sheet.whole.digest)


def _made(page: Page) -> Iterator[dict[str, Any]]:
    for template in page.templates:
        fillers = [
            {"role": role, "mentions": list(entity)} for role, entities in template.roles.items() for entity in entities
        ]
        yield {"type": template.type or "", "fillers": fillers}


def _without_empty(template: Template) -> Template:
    return template._replace(
        roles={role: [entity for entity in entities if entity] for role, entities in template.roles.items()}
    )


def _without_problems(pages: dict[str, Page], problems: list[Problem]) -> dict[str, Page]:
    raise_problems(problems)
    return pages


def _templates(value: Any, field: str, wrong: list[str]) -> list[Template]:
    """Templates, or the roles of a document as a template without a type."""
    if field.endswith("extracts"):
        if not isinstance(value, dict):
            wrong.append(f"expected an object of roles as {field}")
            return []
        return [_template({key: inner for key, inner in value.items() if key != TYPE}, field, wrong)]
    if not isinstance(value, list):
        wrong.append(f"expected a list of templates as {field}" if field else "expected a list of templates")
        return []
    found = []
    for place, each in enumerate(value):
        path = f"{field}[{place}]"
        if isinstance(each, dict):
            found.append(_template(each, path, wrong))
        else:
            wrong.append(f"{path}: expected a template, an object")
    return found


def _template(value: Mapping[str, Any], path: str, wrong: list[str]) -> Template:
    roles: dict[str, Entities] = {}
    scalars = set()
    for role, given in value.items():
        if role in (TYPE, SKIPPED):
            continue
        if isinstance(given, str | int | float) and not isinstance(given, bool):
            scalars.add(role)
            roles[role] = [[str(given)]]
        elif isinstance(given, list):
            roles[role] = [
                [_mention(one, f"{path}.{role}[{at}]", wrong) for one in entity]
                for at, entity in enumerate(given)
                if _is_list(entity, f"{path}.{role}[{at}]", wrong)
            ]
        else:
            wrong.append(f"{path}.{role}: expected a list of entities")
    kind = value.get(TYPE)
    return Template(kind if isinstance(kind, str) else None, roles, frozenset(scalars))


def _is_list(entity: Any, path: str, wrong: list[str]) -> bool:
    if not isinstance(entity, list):
        wrong.append(f"{path}: expected an entity, a list of mentions")
        return False
    return True


def _mention(value: Any, path: str, wrong: list[str]) -> str:
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, str):
        wrong.append(f"{path}: expected a mention, a string or a list that begins with one")
        return ""
    return first
