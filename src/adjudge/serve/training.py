"""Training items: those of a campaign whose right answer is known, and is shown with its reason once a reader answered.

    {"document": "D1", "item": {"type": "Life.Die", "cas": "Bob"}, "answers": {"aet": "W"}, "why": "Nobody dies."}

`item` has some of the fields, as many as it takes to tell it from the others of its scope.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.formats.source import Source, read_text
from adjudge.serve.answers import interpret
from adjudge.serve.campaigns import create_campaign, schema_of
from adjudge.serve.schema import Schema
from adjudge.serve.store import Snapshot, Store
from adjudge.serve.store.tables import Item
from adjudge.serve.workbench import check_answers


def set_training(store: Store, campaign: str, source: Source) -> int:
    """Let the items that a file names be those of a training; every mistake is raised at once. Gives how many cards."""
    schema = schema_of(store, campaign)
    whole, text = read_text(source)
    found: dict[str, dict[str, Any]] = {}
    problems = []
    count = 0
    with store.read() as snapshot:
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            try:
                items, lesson = _lesson(snapshot, schema, campaign, line)
                found.update(dict.fromkeys(items, lesson))
                count += 1
            except (ValueError, ValidationError) as error:
                for said in error.problems if isinstance(error, ValidationError) else [Problem(str(error), hint=_HINT)]:
                    problems.append(Problem(said.message, whole.place, number, 1, said.hint))
    if problems:
        raise FormatError(problems)
    create_campaign(store, campaign, schema, {"training": found})
    return count


_HINT = "name a scope, fields of one of its items, and complete answers"


def _lesson(snapshot: Snapshot, schema: Schema, campaign: str, line: str) -> tuple[list[str], dict[str, Any]]:
    given = msgspec.json.decode(line, type=dict[str, Any])
    wanted, answers = given.get("item"), given.get("answers")
    if not isinstance(wanted, dict) or not isinstance(answers, dict):
        raise ValueError("there is no item, or there are no answers")
    check_answers(schema, {name: str(value) for name, value in answers.items()})
    items = items_like(snapshot, schema, campaign, str(given.get(schema.scope)), wanted)
    if not interpret(schema, items[0].body, answers).complete:
        raise ValueError("the answers are not complete")
    return [item.id for item in items], {"answers": answers, "why": str(given.get("why", ""))}


def items_like(snapshot: Snapshot, schema: Schema, campaign: str, scope: str, wanted: Mapping[str, Any]) -> list[Item]:
    """The items of a scope with these fields, which nobody who reads can tell apart; else a ValueError."""
    items = [
        item
        for item in snapshot.items(campaign, scope)
        if all(item.body.get(name) == value for name, value in wanted.items())
    ]
    seen = {repr([item.body.get(name) for name in schema.visible if name != schema.scope]) for item in items}
    if len(seen) != 1:
        raise ValueError(
            f"{len(seen)} items of {scope!r} are like this" if seen else f"no item of {scope!r} is like this"
        )
    return items
