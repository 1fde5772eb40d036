"""Ontologies: event types, their roles, and what entities may fill them, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.errors import FormatError, Problem, UsageError, did_you_mean
from adjudge.model.eal import Response

YEARS = ("2014", "2015", "2016")

_FOLDER = Path(__file__).with_name("data")
_FORM = 'give an object with "types": {type: {role: [entity types]}}'


@dataclass(frozen=True, slots=True)
class Ontology:
    """Event types and their roles; `types` gives for each type its roles, and for each role the entities it takes.

    `aliases` are other spellings of types, `linkable` pairs of different types that may be in one frame.
    """

    name: str
    types: Mapping[str, Mapping[str, tuple[str, ...]]]
    aliases: Mapping[str, str] = field(default_factory=dict)
    linkable: frozenset[tuple[str, str]] = frozenset()

    def canonical(self, type_: str) -> str:
        """The usual spelling of a type; a type that is not known stays as it is.

        >>> load_ontology("2015").canonical("Contact.Correspondance")
        'Contact.Correspondence'
        """
        return self.aliases.get(type_, type_)

    def normalise(self, response: Response) -> Response:
        """A response with the usual spelling of its type.

        The content hashes of the two spellings differ, so this is for responses whose ids are no longer needed.
        """
        type_ = self.aliases.get(response.type)
        return response if type_ is None else response._replace(type=type_)

    def is_type(self, type_: str) -> bool:
        """Whether a type is legal, in any spelling."""
        return self.canonical(type_) in self.types

    def is_role(self, type_: str, role: str) -> bool:
        """Whether a role is legal for a type.

        >>> ontology = load_ontology("2015")
        >>> ontology.is_role("Life.Die", "Victim"), ontology.is_role("Life.Die", "Time"), ontology.is_role("x", "Time")
        (True, True, False)
        """
        return role in self.types.get(self.canonical(type_), ())

    def roles(self, type_: str) -> tuple[str, ...]:
        """The roles of a type; none if there is no such type."""
        return tuple(self.types.get(self.canonical(type_), ()))

    def entity_types(self, type_: str, role: str) -> tuple[str, ...]:
        """The kinds of entities that may fill a role; none if the ontology does not say.

        >>> load_ontology("2015").entity_types("Conflict.Attack", "Instrument")
        ('WEA', 'VEH')
        """
        return self.types.get(self.canonical(type_), {}).get(role, ())

    def are_linkable(self, one: str, other: str) -> bool:
        """Whether responses of two types may be in one frame.

        >>> ontology = load_ontology("2016")
        >>> ontology.are_linkable("Contact.Meet", "Contact.Contact"), ontology.are_linkable("Life.Die", "Life.Injure")
        (True, False)
        """
        one, other = self.canonical(one), self.canonical(other)
        return one == other or (one, other) in self.linkable

    def type_hint(self, type_: str) -> str:
        """What to do about a type that is not legal.

        >>> load_ontology("2015").type_hint("Life.Dies")
        'did you mean Life.Die or ...?'
        """
        known = [*self.types, *self.aliases]
        same = [each for each in known if _letters(each) == _letters(type_)]
        if same:
            return f"did you mean {same[0]}?"
        return did_you_mean(type_, known) or f"the {len(self.types)} types of {self.name} are {', '.join(self.types)}"

    def role_hint(self, type_: str, role: str) -> str:
        """What to do about a role that is not legal for a type.

        >>> load_ontology("2015").role_hint("Life.Marry", "victim")
        'roles of Life.Marry are Person, Time, Place'
        """
        roles = self.roles(type_)
        same = [each for each in roles if _letters(each) == _letters(role)]
        if same:
            return f"did you mean {same[0]}?"
        return did_you_mean(role, roles) or f"roles of {self.canonical(type_)} are {', '.join(roles)}"


def load_ontology(name: str | Path) -> Ontology:
    """The ontology of a year (2014, 2015, 2016), or of a file in JSON or TOML, or of lines `type TAB role TAB role`.

    >>> [len(load_ontology(year).types) for year in YEARS]
    [30, 32, 18]
    """
    bundled = str(name) in YEARS
    path = _FOLDER / f"ontology-{name}.json" if bundled else Path(name)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # a ValueError is a path with a null character, or text that is not UTF-8
        reason = getattr(error, "strerror", None) or str(error)
        close = did_you_mean(str(name), YEARS)
        hint = f"give a file, or {', '.join(YEARS[:-1])} or {YEARS[-1]}" + (f"; {close}" if close else "")
        raise UsageError(Problem(f"the ontology cannot be read ({reason})", path=str(name), hint=hint)) from None
    if path.suffix == ".toml":
        data = _toml(text, str(path))
    elif path.suffix == ".json" or text.lstrip().startswith("{"):
        data = _json(text, str(path))
    else:
        data = _table(text)
    return _ontology(data, path)


def _ontology(data: object, path: Path) -> Ontology:
    place = str(path)
    problems: list[Problem] = []
    if not isinstance(data, dict):
        raise FormatError(Problem("the ontology is not an object", path=place, hint=_FORM))
    unknown = [key for key in data if key not in ("name", "about", "always", "types", "aliases", "linkable")]
    for key in unknown:
        hint = did_you_mean(str(key), ("name", "about", "always", "types", "aliases", "linkable"))
        problems.append(Problem(f"there is no field {key!r}", path=place, hint=hint or _FORM))
    always = _roles(data.get("always", {}), "always", place, problems)
    listed = data.get("types")
    types: dict[str, Mapping[str, tuple[str, ...]]] = {}
    if not isinstance(listed, dict) or not listed:
        problems.append(Problem("the ontology has no types", path=place, hint=_FORM))
    else:
        for type_, roles in listed.items():
            types[str(type_)] = {**_roles(roles, f"types.{type_}", place, problems), **always}
    aliases = data.get("aliases", {})
    if not isinstance(aliases, dict) or not all(isinstance(each, str) for each in aliases.values()):
        problems.append(Problem("aliases are not an object of names", path=place, hint="give {spelling: type}"))
        aliases = {}
    for alias, type_ in aliases.items():
        if type_ not in types:
            hint = did_you_mean(type_, types)
            problems.append(Problem(f"the alias {alias!r} is for {type_!r}, which is no type", path=place, hint=hint))
    pairs = _pairs(data.get("linkable", []), types, place, problems)
    if problems:
        raise FormatError(problems)
    return Ontology(str(data.get("name", path.stem)), types, aliases, pairs)


def _pairs(
    listed: object, types: Mapping[str, object], place: str, problems: list[Problem]
) -> frozenset[tuple[str, str]]:
    found = set()
    for pair in listed if isinstance(listed, list) else [listed]:
        if not isinstance(pair, list) or len(pair) != 2 or not all(each in types for each in map(str, pair)):
            problems.append(Problem(f"linkable has {pair!r}, which is not a pair of types", path=place))
        else:
            found |= {(pair[0], pair[1]), (pair[1], pair[0])}
    return frozenset(found)


def _roles(value: object, where: str, place: str, problems: list[Problem]) -> dict[str, tuple[str, ...]]:
    """Roles from an object of lists of entity types, or from a list of names."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return dict.fromkeys(value, ())
    if isinstance(value, dict):
        lists = {role: entities for role, entities in value.items() if isinstance(entities, list)}
        if len(lists) == len(value) and all(isinstance(each, str) for entities in lists.values() for each in entities):
            return {str(role): tuple(entities) for role, entities in lists.items()}
    problems.append(Problem(f"{where} is not an object of roles", path=place, hint=_FORM))
    return {}


def _json(text: str, place: str) -> Any:
    import json

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        again = sorted({key for key in keys if keys.count(key) > 1})
        if again:
            raise FormatError(Problem(f"{again[0]!r} stands there twice", path=place, hint="keep one of them"))
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise FormatError(Problem(error.msg, place, error.lineno, error.colno, "correct the JSON")) from None
    except RecursionError:
        raise FormatError(Problem("the file is nested too deeply", path=place, hint=_FORM)) from None


def _toml(text: str, place: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FormatError(Problem(str(error), path=place, hint="correct the TOML")) from None


def _table(text: str) -> dict[str, Any]:
    """The official lists of types: a type and its roles on each line; Time and Place go without saying."""
    rows = [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    types = {row[0].strip(): [role.strip() for role in row[1:] if role.strip()] for row in rows}
    return {"types": types, "always": ["Time", "Place"]}


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
