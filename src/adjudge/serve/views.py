"""What a reader may see of a campaign and of a scope. What is hidden is not in it, whoever draws the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from adjudge.serve.answers import Fields, names_in
from adjudge.serve.desk import Desk, Range, Sheet, Stack, campaign_of, joined
from adjudge.serve.groups import grouped
from adjudge.serve.links import linked
from adjudge.serve.schema import PLACEHOLDER, Schema
from adjudge.serve.store import ASSESS, DECIDED, Snapshot

_TAG = re.compile(r"</?[A-Za-z!?][^<>]*>")
_SHOWN_TAG = re.compile(r"<dateline\b[^<>]*>", re.IGNORECASE)
_POST = re.compile(r"""<post\b(?=[^<>]*>)""", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\b(?:author|datetime)\s*=\s*"[^"<>]*\"""", re.IGNORECASE)


def campaign_view(desk: Desk) -> dict[str, Any]:
    """A campaign and the scopes on which this reader works; all of them for whoever only looks on."""
    with desk.store.read() as snapshot:
        campaign, schema = campaign_of(desk, snapshot)
        scopes = snapshot.scopes(desk.campaign)
        reader = DECIDED if desk.reader is None else desk.reader
        tallies = {(each.scope, each.stage): each for each in snapshot.tally(desk.campaign, reader=reader)}
        mine = snapshot.assignments(desk.campaign, reader=desk.reader) if desk.reader is not None else []
        mixed = _mixed(desk, snapshot, [each.scope for each in mine if each.stage == ASSESS and each.slot == 0])
    states = {(each.scope, each.stage): each.state for each in mine}
    listed = []
    for scope in scopes:
        own = {stage: state for (name, stage), state in states.items() if name == scope.id}
        if desk.reader is not None and not own:
            continue
        stage = scope.stage if (scope.id, scope.stage) in tallies or scope.stage in own else ASSESS
        tally = tallies.get((scope.id, stage))
        listed.append(
            {
                "id": scope.id,
                "stage": scope.stage,
                "state": own.get(scope.stage, "waiting" if own else "open"),
                "stages": own,
                "items": tally.items if tally else 0,
                "done": mixed[scope.id] if scope.id in mixed and stage == ASSESS else tally.done if tally else 0,
                "flags": tally.flags if tally else 0,
            }
        )
    return {
        "campaign": campaign.id,
        "title": campaign.settings.get("title", campaign.id),
        "state": campaign.state,
        "guideline": campaign.settings.get("guideline", ""),
        "scope": schema.scope,
        "stages": [stage.kind for stage in schema.stage],
        "schema": schema_view(schema),
        "scopes": listed,
    }


def _mixed(desk: Desk, snapshot: Snapshot, scopes: list[str]) -> dict[str, int]:
    """How many items are answered in scopes of which something was decided before this reader came."""
    wanted = set(scopes)
    found = {}
    for tally in snapshot.tally(desk.campaign, reader=DECIDED):
        if tally.stage == ASSESS and tally.done and tally.scope in wanted:
            known = {each.subject for each in snapshot.decisions(desk.campaign, tally.scope, ASSESS)}
            said = snapshot.judgments(desk.campaign, tally.scope, desk.reader)
            open_ = {each.item for each in said if not each.complete}
            found[tally.scope] = len((known | {each.item for each in said}) - open_)
    return found


def scope_view(desk: Desk, scope: str) -> dict[str, Any]:
    """Everything of a scope that this reader may see; a LookupError if there is no such scope."""
    with desk.store.read() as snapshot:
        sheet = Sheet(desk, snapshot, scope)
        stages = [stage.kind for stage in sheet.schema.stage]
        reached = stages[1 : stages.index(sheet.scope.stage) + 1] if sheet.scope.stage in stages else stages[1:]
        mine = {each.stage: each for each in snapshot.assignments(desk.campaign, scope, desk.reader or "")}
        now = mine.get(sheet.scope.stage)
        return {
            "campaign": desk.campaign,
            "scope": scope,
            "stage": sheet.scope.stage,
            "stages": stages,
            "state": now.state if now else "open",
            "version": now.version if now else 0,
            **text_view(sheet.text.text),
            "schema": schema_view(sheet.schema),
            "items": _items(sheet, snapshot),
            "groups": grouped(sheet, snapshot).view() if "group" in reached else None,
            "frames": linked(sheet, snapshot).view() if "link" in reached else None,
        }


def text_view(text: str) -> dict[str, Any]:
    """A text with what is not shown of it, its quotations, and the tags that are shown, as half-open ranges.

    >>> text_view('<P>\\nHe <quote>left</quote>.')["hide"], text_view("<quote>a</quote>b")["quote"]
    ([[0, 4], [7, 14], [18, 26]], [[0, 16]])
    """
    from adjudge.tasks.eal.texts import find_quotes

    hide: list[list[int]] = []
    tags: list[list[int]] = []
    for tag in _TAG.finditer(text):
        start, end = tag.span()
        shown: list[Range] = []
        if _POST.match(text, start):
            shown = [each.span() for each in _ATTRIBUTE.finditer(text, start, end)]
        if _SHOWN_TAG.match(text, start):
            tags.append([start, end])
            continue
        if shown:
            tags.append([shown[0][0], shown[-1][1]])
            hide += [[start, shown[0][0]], [shown[-1][1], end]]
        else:
            alone = (start == 0 or text[start - 1] == "\n") and text[end : end + 1] == "\n"
            hide.append([start, end + alone])
    quotes, _ = find_quotes(text)
    return {"text": text, "hide": hide, "quote": [[start, end + 1] for start, end in quotes], "tag": tags}


def schema_view(schema: Schema) -> dict[str, Any]:
    """What a page has to know of a schema to ask its questions: nothing about hidden fields."""
    hidden = {f"item.{name}" for name in schema.item.hidden}
    used = {question.nil for question in schema.question if isinstance(question.nil, str)}
    when = {name: schema.when[name] for name in used if not hidden & set(names_in(schema.when[name]))}
    names = ("id", "label", "ask", "kind", "keys", "implied", "nil", "nil_value", "finishes", "carry", "same")
    return {
        "questions": [
            {name: getattr(each, name) for name in (*names, "show", "within", "new_key")} for each in schema.question
        ],
        "when": dict(sorted(when.items())),
        "words": schema.show.words,
        "group": schema.show.group,
        "label": schema.show.label,
        "nil_value": schema.files.nil_value,
    }


def shown_of(sheet: Sheet, stack: Stack) -> dict[str, Any]:
    """What a card claims, in words, with what else is said of it, and where the text is marked for it."""
    show, fields = sheet.schema.show, stack.card.fields
    shown = _Shown(sheet, fields)
    return {
        "fields": dict(fields),
        "claim": shown.fill(show.claim),
        "detail": [said for each in show.detail if (said := shown.fill(each))],
        "marks": shown.marks(),
        "warn": [each.say for each in show.warn if _applies(each.when, fields)],
        "ask": {each.id: shown.fill(each.ask) for each in sheet.schema.question if each.ask},
    }


def _items(sheet: Sheet, snapshot: Snapshot) -> list[dict[str, Any]]:
    suggestions = _suggestions(sheet, snapshot)
    training = sheet.campaign.settings.get("training", {})
    before: Stack | None = None
    found = []
    for stack in sheet.stacks:
        card = stack.card
        notes = [sheet.notes[item.id] for item in stack.items if item.id in sheet.notes]
        view: dict[str, Any] = {
            "id": card.id,
            "parent": card.parent,
            **shown_of(sheet, stack),
            "differs": _differs(sheet.schema, before, stack),
            "group": card.fields.get(sheet.schema.show.group or ""),
            "label": joined(card.fields.get(name) for name in sheet.schema.show.label),
            "version": sheet.version(stack),
            "n": sheet.number(stack),
            "answers": sheet.answers(stack),
            "complete": sheet.complete(stack),
            "flag": next((note.flag for note in notes if note.flag is not None), None),
            "comments": [comment for note in notes[:1] for comment in note.comments],
            "suggestion": suggestions.get(card.id),
        }
        if any(item.id in training for item in stack.items):
            view["training"] = True
        if (official := sheet.decisions.get(card.id)) is not None:
            view["decided"] = {"answers": official.answers, "how": official.how, "why": official.why}
        found.append(view)
        before = stack
    return found


def _suggestions(sheet: Sheet, snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """What automatic judges suggest, unless anything of the scope belongs to the validity sample."""
    if any(item.validity for item in sheet.items):
        return {}
    first = {item.id: stack.card.id for stack in sheet.stacks for item in stack.items}
    given = snapshot.suggestions(sheet.desk.campaign, sheet.scope.id)
    return {first[each.item]: {"source": each.source, "answers": each.answers} for each in given if each.item in first}


def _differs(schema: Schema, before: Stack | None, stack: Stack) -> list[str]:
    """What alone differs from the card before: nothing if more does than a schema has words for."""
    if before is None:
        return []
    other = {name for name in schema.visible if before.card.fields.get(name) != stack.card.fields.get(name)}
    named = {field: name for name, field in schema.show.differs.items()}
    return [named[field] for field in named if field in other] if other <= named.keys() else []


def _applies(when: Mapping[str, tuple[str, ...]], fields: Fields) -> bool:
    return all(any(_fits(str(fields.get(name, "")), each) for each in allowed) for name, allowed in when.items())


def _fits(value: str, pattern: str) -> bool:
    from adjudge.formats.eal_fields import is_valid

    if pattern.startswith("!"):
        return not _fits(value, pattern[1:])
    return is_valid(value) if pattern == "date" else fnmatchcase(value, pattern)


class _Shown:
    """The words and marks of one card."""

    def __init__(self, sheet: Sheet, fields: Fields) -> None:
        self._sheet, self._fields = sheet, fields

    def marks(self) -> dict[str, list[Range]]:
        """Where it stands in the text."""
        kinds = self._sheet.schema.fields
        marks = self._sheet.schema.show.marks
        return {name: self._sheet.text.ranges(self._fields.get(field), kinds[field]) for name, field in marks.items()}

    def fill(self, template: str) -> str:
        """A template with its fields; nothing if a function of it has nothing to say."""
        missing = False

        def one(found: re.Match[str]) -> str:
            nonlocal missing
            function, names = found[1], found[2].split(",")
            if not function:
                value = self._fields.get(names[0])
                return "" if value is None else str(value)
            said = self._text(names[0]) if function == "text" else self._ontology(*names)
            missing = missing or not said
            return said

        filled = PLACEHOLDER.sub(one, template)
        return "" if missing else filled

    def _text(self, field: str) -> str:
        sheet = self._sheet
        ranges = sheet.text.ranges(self._fields.get(field), sheet.schema.fields[field])
        return " ... ".join(" ".join(sheet.text.text[start:end].split()) for start, end in ranges)

    def _ontology(self, type_: str, role: str) -> str:
        entities = self._sheet.campaign.settings.get("entities", {})
        return ", ".join(entities.get(self._fields.get(type_), {}).get(self._fields.get(role), ()))
