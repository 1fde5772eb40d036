"""Ontologies: event types, their roles, and what entities may fill them, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from adjudge.bounded import file_text
from adjudge.errors import FormatError, Problem, did_you_mean, refusal
from adjudge.formats.json_file import parse_json, parse_toml
from adjudge.model.eal import Response
from adjudge.model.whereabouts import find_name, not_utf8

YEARS = ("2014", "2015", "2016")

_FOLDER = Path(__file__).with_name("data")
_KEYS = ("name", "about", "always", "types", "aliases", "linkable", "programs")
_FORM = 'give an object with "types": {type: {role: [entity types]}}'


@dataclass(frozen=True, slots=True)
class Ontology:
    """Event types and their roles; `types` gives for each type its roles, and for each role the entities it takes.

    `aliases` are other spellings of types, `linkable` pairs of different types that may be in one frame, `programs` the
    roles of types that the official programs have in another way.
    """

    name: str
    types: Mapping[str, Mapping[str, tuple[str, ...]]]
    aliases: Mapping[str, str] = field(default_factory=dict)
    linkable: frozenset[tuple[str, str]] = frozenset()
    programs: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def as_in_programs(self) -> Ontology:
        """The same with the roles that the official programs use.

        >>> ontology = load_ontology("2015")
        >>> [each.is_role("Justice.Appeal", "Plaintiff") for each in (ontology, ontology.as_in_programs())]
        [False, True]
        """
        more = {type_: {**self.types.get(type_, {}), **roles} for type_, roles in self.programs.items()}
        return replace(self, types={**self.types, **more})

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
        """The remedy for an illegal type.

        >>> load_ontology("2015").type_hint("Life.Dies")
        'did you mean Life.Die or ...?'
        """
        known = [*self.types, *self.aliases]
        same = [each for each in known if _letters(each) == _letters(type_)]
        if same:
            return f"did you mean {same[0]}?"
        return did_you_mean(type_, known) or f"the {len(self.types)} types of {self.name} are {', '.join(self.types)}"

    def role_hint(self, type_: str, role: str) -> str:
        """The remedy for a role that is illegal for a type.

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
        text = file_text(path)
    except UnicodeDecodeError as error:
        raise FormatError(not_utf8(error, str(name))) from None
    except (OSError, ValueError) as error:  # a ValueError is a path with a null character
        reason = getattr(error, "strerror", None) or str(error)
        close = did_you_mean(str(name), YEARS)
        hint = f"give a file, or {', '.join(YEARS[:-1])} or {YEARS[-1]}" + (f"; {close}" if close else "")
        raise refusal(error, Problem(f"the ontology cannot be read ({reason})", path=str(name), hint=hint)) from None
    if path.suffix == ".toml":
        data: Any = parse_toml(text, str(path))
    elif path.suffix == ".json" or text.lstrip().startswith("{"):
        data = _json(text, str(path))
    else:
        data = _table(text)
    return _ontology(data, path, text)


class _Complaints(list[Problem]):
    """Problems in an ontology, each at the position of the name concerned."""

    def __init__(self, text: str, place: str) -> None:
        super().__init__()
        self.text, self.place = text, place

    def add(self, message: str, hint: str | None, *names: str) -> None:
        """Complain of the last of several names, each behind the one before."""
        self.append(Problem(message, self.place, *find_name(self.text, *names), hint))


def _ontology(data: object, path: Path, text: str) -> Ontology:
    problems = _Complaints(text, str(path))
    if not isinstance(data, dict):
        problems.add("the ontology is not an object", _FORM)
        raise FormatError(problems)
    for key in (key for key in data if key not in _KEYS):
        hint = did_you_mean(str(key), _KEYS)
        problems.add(f"there is no field {key!r}", hint or _FORM, str(key))
    always = _roles(data.get("always", {}), ("always",), problems)
    listed = data.get("types")
    types: dict[str, Mapping[str, tuple[str, ...]]] = {}
    if not isinstance(listed, dict) or not listed:
        problems.add("the ontology has no types", _FORM, "types")
    else:
        for type_, roles in listed.items():
            types[str(type_)] = {**_roles(roles, ("types", str(type_)), problems), **always}
    aliases = data.get("aliases", {})
    if not isinstance(aliases, dict) or not all(isinstance(each, str) for each in aliases.values()):
        problems.add("aliases are not an object of names", "give {spelling: type}", "aliases")
        aliases = {}
    for alias, type_ in aliases.items():
        if type_ not in types:
            hint = did_you_mean(type_, types)
            problems.add(f"the alias {alias!r} is for {type_!r}, which is not a type", hint, "aliases", str(alias))
    pairs = _pairs(data.get("linkable", []), types, problems)
    programs = _programs(data.get("programs", {}), types, problems)
    if problems:
        raise FormatError(problems)
    return Ontology(str(data.get("name", path.stem)), types, aliases, pairs, programs)


def _programs(
    listed: object, types: Mapping[str, object], problems: _Complaints
) -> dict[str, dict[str, tuple[str, ...]]]:
    if not isinstance(listed, dict):
        problems.add("programs are not an object of types", _FORM.replace("types", "programs"), "programs")
        return {}
    for type_ in listed:
        if type_ not in types:
            hint = did_you_mean(str(type_), types)
            problems.add(f"programs have {type_!r}, which is not a type", hint, "programs", str(type_))
    return {str(type_): _roles(roles, ("programs", str(type_)), problems) for type_, roles in listed.items()}


def _pairs(listed: object, types: Mapping[str, object], problems: _Complaints) -> frozenset[tuple[str, str]]:
    found = set()
    for pair in listed if isinstance(listed, list) else [listed]:
        if not isinstance(pair, list) or len(pair) != 2 or not all(each in types for each in map(str, pair)):
            names = [str(each) for each in pair if str(each) not in types] if isinstance(pair, list) else []
            problems.add(f"linkable has {pair!r}, which is not a pair of types", None, "linkable", *names[:1])
        else:
            found |= {(pair[0], pair[1]), (pair[1], pair[0])}
    return frozenset(found)


def _roles(value: object, where: tuple[str, ...], problems: _Complaints) -> dict[str, tuple[str, ...]]:
    """Roles from an object of lists of entity types, or from a list of names."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return dict.fromkeys(value, ())
    if isinstance(value, dict):
        lists = {role: entities for role, entities in value.items() if isinstance(entities, list)}
        if len(lists) == len(value) and all(isinstance(each, str) for entities in lists.values() for each in entities):
            return {str(role): tuple(entities) for role, entities in lists.items()}
    problems.add(f"{'.'.join(where)} is not an object of roles", _FORM, *where)
    return {}


def _json(text: str, place: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                where = find_name(text, key, key)
                raise FormatError(Problem(f"{key!r} occurs twice", place, *where, "keep one of them"))
            found[key] = value
        return found

    return parse_json(text, place, pairs=once)


def _table(text: str) -> dict[str, Any]:
    """The official lists of types: a type and its roles on each line; Time and Place are implied."""
    rows = [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    types = {row[0].strip(): [role.strip() for role in row[1:] if role.strip()] for row in rows}
    return {"types": types, "always": ["Time", "Place"]}


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
