"""The relations of TAC Cold Start (2017): who may be subject and object, which is the inverse of which.

A predicate is `domain:name`, where the domain is the type of the subject. Names alone are not unique: `per:parents` is
the inverse of `per:children`, `org:parents` that of `org:subsidiaries`.
"""

from __future__ import annotations

from typing import NamedTuple

ENTITY_TYPES = ("PER", "ORG", "GPE", "FAC", "LOC")
STRING = "STRING"
EVENT_TYPES = (
    "conflict.attack",
    "conflict.demonstrate",
    "contact.broadcast",
    "contact.contact",
    "contact.correspondence",
    "contact.meet",
    "justice.arrest-jail",
    "life.die",
    "life.injure",
    "manufacture.artifact",
    "movement.transport-artifact",
    "movement.transport-person",
    "personnel.elect",
    "personnel.end-position",
    "personnel.start-position",
    "transaction.transaction",
    "transaction.transfer-money",
    "transaction.transfer-ownership",
)
REALIS = ("actual", "generic", "other")


class Slot(NamedTuple):
    """A predicate of one domain; `inverse` is a name without a domain, which is the type of the object."""

    domain: str
    name: str
    ranges: frozenset[str]
    inverse: str | None = None
    single: bool = False


# Subject types, name, object types, inverse; each line stands for both directions. * is a slot with one value.
_PAIRS = """
per children per parents
per siblings per siblings
per spouse per spouse
per other_family per other_family
per *city_of_birth gpe births_in_city
per *country_of_birth gpe births_in_country
per *stateorprovince_of_birth gpe births_in_stateorprovince
per *city_of_death gpe deaths_in_city
per *country_of_death gpe deaths_in_country
per *stateorprovince_of_death gpe deaths_in_stateorprovince
per cities_of_residence gpe residents_of_city
per countries_of_residence gpe residents_of_country
per statesorprovinces_of_residence gpe residents_of_stateorprovince
per employee_or_member_of org,gpe employees_or_members
per top_member_employee_of org top_members_employees
per schools_attended org students
per,org,gpe organizations_founded org founded_by
per,org,gpe holds_shares_in org shareholders
org,gpe member_of org members
org parents org,gpe subsidiaries
org *city_of_headquarters gpe headquarters_in_city
org *country_of_headquarters gpe headquarters_in_country
org *stateorprovince_of_headquarters gpe headquarters_in_stateorprovince
"""
_STRINGS = {
    "per": "*age alternate_names *cause_of_death charges *date_of_birth *date_of_death origin *religion title",
    "org": "alternate_names *date_dissolved *date_founded *number_of_employees_members "
    "political_religious_affiliation *website",
}
_SENTIMENT = (("likes", "is_liked_by"), ("dislikes", "is_disliked_by"))
_ALIASES = {
    "per": "employee_of=employee_or_member_of member_of=employee_or_member_of ages=age titles=title spouses=spouse "
    "city_of_residence=cities_of_residence country_of_residence=countries_of_residence "
    "stateorprovinces_of_residence=statesorprovinces_of_residence "
    "stateorprovince_of_residence=statesorprovinces_of_residence",
    "org": "dissolved=date_dissolved founded=date_founded employees=employees_or_members "
    "membership=employees_or_members number_of_employees/members=number_of_employees_members "
    "political/religious_affiliation=political_religious_affiliation top_members/employees=top_members_employees",
    "gpe": "employees=employees_or_members membership=employees_or_members",
}


def _slots() -> dict[tuple[str, str], Slot]:
    found = {}

    def add(domains: list[str], name: str, ranges: list[str], inverse: str | None) -> None:
        for domain in domains:
            bare = name.removeprefix("*")
            found[domain, bare] = Slot(domain, bare, frozenset(ranges), inverse, name != bare)

    for line in _PAIRS.split("\n"):
        if line:
            subjects, name, objects, inverse = line.split()
            add(subjects.split(","), name, objects.split(","), inverse)
            add(objects.split(","), inverse, subjects.split(","), name.removeprefix("*"))
    for domain, names in _STRINGS.items():
        for name in names.split():
            add([domain], name, ["string"], None)
    return found


def _sentiment() -> dict[tuple[str, str], Slot]:
    types = [each.lower() for each in ENTITY_TYPES]
    pairs = [pair for name, inverse in _SENTIMENT for pair in ((name, inverse), (inverse, name))]
    return {(type_, name): Slot(type_, name, frozenset(types), inverse) for type_ in types for name, inverse in pairs}


RELATIONS = _slots()
"""The slots of Cold Start by domain and name, without sentiment and events."""

SLOTS = RELATIONS | _sentiment()

ALIASES = {
    (domain, alias): name
    for domain, pairs in _ALIASES.items()
    for alias, name in (pair.split("=") for pair in pairs.split())
}
"""Old and misspelt names."""


def find_slot(domain: str, name: str) -> tuple[Slot | None, bool]:
    """The slot of a domain and name, both in lower case, and whether the name was an alias.

    >>> find_slot("per", "employee_of")[0].name, find_slot("org", "parents")[0].inverse
    ('employee_or_member_of', 'subsidiaries')
    """
    slot = SLOTS.get((domain, name))
    if slot is not None:
        return slot, False
    alias = ALIASES.get((domain, name))
    return (None, False) if alias is None else (SLOTS[domain, alias], True)


def event_inverse(predicate: str, object_type: str) -> str | None:
    """The inverse of an argument of an event, None if the predicate is no such argument.

    >>> event_inverse("conflict.attack:attacker", "PER"), event_inverse("per:conflict.attack_attacker", "x")
    ('per:conflict.attack_attacker', 'conflict.attack:attacker')
    """
    domain, colon, name = predicate.partition(":")
    if domain.lower() in EVENT_TYPES and colon:
        known = object_type and object_type != STRING  # a string is no subject
        return f"{object_type.lower()}:{domain}_{name}" if known else None
    for type_ in EVENT_TYPES:
        if name.lower().startswith(f"{type_}_"):
            return f"{name[: len(type_)]}:{name[len(type_) + 1 :]}"
    return None


def inverse_table() -> dict[str, str]:
    """Each predicate of Cold Start whose inverse does not depend on the type of its object, and that inverse.

    >>> inverse_table()["per:children"], "per:employee_or_member_of" in inverse_table()
    ('per:parents', False)
    """
    found = {}
    for (domain, name), slot in RELATIONS.items():
        if slot.inverse is not None and len(slot.ranges) == 1:
            (type_,) = slot.ranges
            found[f"{domain}:{name}"] = f"{type_}:{slot.inverse}"
    return found
