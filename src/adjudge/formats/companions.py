"""Files that go with those that are scored: ontologies, lists of documents, offsets of quotations.

They are recognised by how their lines look, and only where no reader of a task can read a file.
"""

from __future__ import annotations

import re

from adjudge.formats.recognise import Format

_EVENT = r"[A-Z][\w-]*[.:][A-Z][\w-]*"
COMPANIONS = (
    (Format("eal-ontology", "an ontology of event types with their roles"), rf"(?:{_EVENT}(?:\t[\w-]+)+\n+)+"),
    (Format("eal-ontology", "an ontology of event types with their roles"), rf'\{{.*"types": *\{{ *"{_EVENT}": .*'),
    (Format("kg-ontology", "an ontology of relations with their types"), r'\{.*"relations": *\[\s*\{.*"domain": .*'),
    (Format("eal-quotes", "places of quotations"), r"\d+\n(?:[^\t\n ]+\n(?:\d+-\d+(?: \d+-\d+)*)?\n)+"),
    (Format("list", "a list of documents"), r"(?:(?:#.*|[\w.:-]+)?\n){2,}"),
)
"""The kinds, and how the whole of such a file looks, or its beginning."""
_JSON = 1 << 13  # letters of a JSON file that are looked at


def companion_of(text: str) -> Format | None:
    r"""The kind of a file that goes with others; None if it is none of them.

    >>> companion_of("Life.Die\tVictim\tAgent\nLife.Born\tPerson\n").kind, companion_of("Ada met Ben.\nWhere?\n")
    ('eal-ontology', None)
    """
    lines = text.rstrip("\n") + "\n"
    for kind, form in COMPANIONS:
        if re.fullmatch(form, lines) if "\\n" in form else re.fullmatch(form, lines[:_JSON], re.DOTALL):
            return kind
    return None
