"""What is odd about events, by the rules of event arguments and linking: `check = "eal.frames"`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from adjudge.formats.eal_fields import is_valid, less_specific
from adjudge.model.eal import TIME_ROLES
from adjudge.serve.codecs.eal import assessment_of, response_of
from adjudge.tasks.eal.reference import covered_fillers, vague_dates
from adjudge.tasks.eal.settings import DIE, SPEC

if TYPE_CHECKING:
    from adjudge.serve.desk import Sheet
    from adjudge.serve.links import Linked, Row

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
        times = sorted({text for row in here if row.values.get("role") in TIME_ROLES for text in _texts(row)})
        places = [row for row in here if row.values.get("role") == PLACE]
        said = [
            f"{one} and {other} are different times"
            for one, other in combinations([each for each in times if is_valid(each)], 2)
            if one not in less_specific(other) and other not in less_specific(one)
        ]
        for one_row, other_row in combinations(places, 2):
            one, other = _texts(one_row)[0], _texts(other_row)[0]
            if one.casefold() not in other.casefold() and other.casefold() not in one.casefold():
                said.append(f"{one} and {other} are different places")
        if said:
            found[name] = said
    return found


def _texts(row: Row) -> list[str]:
    return sorted({str(item.body["cas"]) for item in row.items})
