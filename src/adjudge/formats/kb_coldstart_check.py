"""A Cold Start knowledge base as a whole: assertions gathered by node, the table of predicates, and checks.

Types, canonical mentions, predicates, inverses and attested endpoints are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from adjudge.findings import Findings
from adjudge.formats.standoff import folded
from adjudge.model.kbp import NAMED, NOMINAL, NORMALISED, Entity, Fact, KnowledgeBase, Link, Mention, Span

if TYPE_CHECKING:
    from adjudge.formats.kb_coldstart import LineReader, Node

Texts: TypeAlias = Callable[[str], str | None]
"""Gives the text of a document, None if there is no such document."""


def finish(
    run: str, parts: Parts, found: Findings, *, add_inverses: bool = False, texts: Texts | None = None
) -> KnowledgeBase:
    """The knowledge base made of all parts; what is wrong with it goes to `found`."""
    _check_strings(parts, found)
    if texts is not None:
        _check_texts(parts, found, texts)
    for node in parts.nodes.values():
        _settle_canonical(node, found)
    checker = _Facts(parts, found, add_inverses=add_inverses)
    facts, lines = checker.run()
    for node in parts.nodes.values():
        if not node.type:
            checker.missing_type(node)
    entities = [_entity(node) for node in parts.nodes.values()]
    return KnowledgeBase(run, entities, facts, lines, found.place)


def _entity(node: NodeParts) -> Entity:
    mentions = tuple(
        Mention(document, start, end, level, said.text, None, "", said.confidence, said.canonical, said.realis)
        for (document, start, end, level), said in node.mentions.items()
    )
    links = tuple(Link(target, confidence) for target, confidence in node.links.items())
    return Entity(node.id, node.type, mentions, links, kind=node.kind, confidence=node.confidence)


def _check_strings(parts: Parts, found: Findings) -> None:
    """The same span must have the same text in all lines, except in normal forms."""
    texts: dict[tuple[str, int, int], Said] = {}
    for node in parts.nodes.values():
        given = [(key[:3], said) for key, said in node.mentions.items() if key[3] != NORMALISED]
        given += [
            ((document, start, end), said) for document, all_ in node.canonical.items() for start, end, said in all_
        ]
        for key, said in given:
            first = texts.setdefault(key, said)
            if first.text != said.text:
                message = f"{key[0]}:{key[1]}-{key[2] - 1} is {shown(said.text)} here and {shown(first.text)} elsewhere"
                later = max(first.line, said.line)
                hint = f"write the same text as in line {min(first.line, said.line)}"
                found.add("several-strings", message, later, None, hint, repair="both are kept")


def _check_texts(parts: Parts, found: Findings, texts: Texts) -> None:
    """Documents must exist, spans must lie inside them, and mentions must have the text found there."""
    places: dict[str, list[tuple[int, int, str | None, int]]] = {}  # by document: start, end, text, line
    for node in parts.nodes.values():
        for (document, start, end, level), said in node.mentions.items():
            text = None if level == NORMALISED else said.text
            places.setdefault(document, []).append((start, end, text, said.line))
    for fact, line in parts.facts.values():
        for spans in fact.provenance:
            places.setdefault(fact.document, []).extend((start, end, None, line) for start, end in spans)
    for document, given in sorted(places.items()):  # one text is in memory at a time
        whole = texts(document)
        if whole is None:
            line = min(each[3] for each in given)
            message = f"there is no document {document!r}, in which {len(given)} spans are"
            found.add("unknown-document", message, line, None, "check the id of the document", repair="kept")
            continue
        for start, end, text, line in given:
            if end > len(whole):
                message = f"the span {start}-{end - 1} ends beyond document {document!r} of {len(whole)} characters"
                found.add("offset-behind-text", message, line, None, "count characters, not bytes", repair="kept")
            elif text is not None and folded(text) not in (
                folded(whole[start:end]),
                folded(unescape(whole[start:end])),
            ):
                message = f"{document}:{start}-{end - 1} is {shown(whole[start:end])}, not {shown(text)}"
                found.warn("other-text", message, line, None, "correct the offsets or the string")


def _settle_canonical(node: NodeParts, found: Findings) -> None:
    """See that there is exactly one canonical mention per document, and that it is also a mention."""
    documents: dict[str, list[tuple[tuple[str, int, int, str], Said]]] = {}
    for key, said in node.mentions.items():
        if key[3] in (NAMED, NOMINAL):
            documents.setdefault(key[0], []).append((key, said))
    if not node.mentions and not node.canonical:
        found.warn("no-mentions", f"the node {node.id} has no mentions", node.line, 1, "add its mentions")
    for document, given in node.canonical.items():
        if len(given) > 1:
            message = f"the node {node.id} has {len(given)} canonical mentions in document {document!r}"
            found.add("several-canonical", message, given[1][2].line, 1, "keep one", repair="the first is taken")
        start, end, canonical = given[0]
        known = [said for key, said in documents.get(document, ()) if key[1:3] == (start, end)]
        if known:
            known[0].canonical = True
            continue
        message = f"the canonical mention of {node.id} in document {document!r} is not asserted as a mention"
        found.warn("unasserted-mention", message, canonical.line, 1, "assert it, too", repair="the mention is added")
        canonical.canonical = True
        node.mentions[document, start, end, NAMED] = canonical
    for document, given_mentions in documents.items():
        if document not in node.canonical:
            _add_canonical(node, document, given_mentions, found)


def _add_canonical(
    node: NodeParts, document: str, given: list[tuple[tuple[str, int, int, str], Said]], found: Findings
) -> None:
    message = f"the node {node.id} has no canonical mention in document {document!r}"
    # Names before nominals, then long before short, then the first in the text.
    _, best = min(given, key=lambda each: (each[0][3] != NAMED, -len(each[1].text), each[0][1:]))
    best.canonical = True
    if len(given) == 1:
        repair = "its only mention is taken"
        found.warn("missing-canonical", message, best.line, 1, "add one", repair=repair)
    else:
        repair = f"its longest name, {shown(best.text)}, is taken"
        found.add("missing-canonical-of-several", message, best.line, 1, "add one", repair=repair)


class _Verdict(NamedTuple):
    """The verdict on a predicate between nodes of certain types: its right name, its inverse, and complaints."""

    relation: str
    inverse: str | None
    slot: Slot | None
    complaints: tuple[tuple[bool, str, str, str, str | None], ...]  # error?, kind, message, hint, repair


class _Facts:
    """Runs all facts through the checks."""

    def __init__(self, parts: Parts, found: Findings, *, add_inverses: bool) -> None:
        self.parts = parts
        self.found = found
        self.add_inverses = add_inverses
        self.verdicts: dict[tuple[str, str, str, str], _Verdict] = {}
        self.domains: dict[str, set[str]] = {}  # the types that its predicates allow an untyped node
        self.attested = {
            node.id: {key[0] for key in node.mentions if key[3] in (NAMED, NOMINAL)} for node in parts.nodes.values()
        }

    def run(self) -> tuple[list[Fact], list[int]]:
        """The facts with their right predicates, and their lines; added ones come last."""
        facts: list[Fact] = []
        lines: list[int] = []
        inverses: list[tuple[Fact, int]] = []
        fills: dict[tuple[str, str], str] = {}
        known: set[tuple[object, ...]] = set()
        for fact, line in self.parts.facts.values():
            verdict = self._verdict(fact)
            for error, kind, message, hint, repair in verdict.complaints:
                self.found.add(kind, message, line, None, hint, error=error, repair=repair, value=message)
            if verdict.relation != fact.relation:
                fact = fact._replace(relation=verdict.relation)
            key = (*fact[:5], fact.realis)
            if key in known:
                message = "a repeated assertion, under another name of its predicate"
                self.found.warn("duplicate-assertion", message, line, 1, "leave it out", repair="left out")
                continue
            known.add(key)
            self._endpoints(fact, line)
            if verdict.slot is not None and verdict.slot.single:
                first = fills.setdefault((fact.subject, fact.relation), fact.object)
                if first != fact.object:
                    message = f"{fact.subject} has more than one {fact.relation}, which has one value"
                    self.found.warn("several-fills", message, line, None, "keep the best one")
            if verdict.inverse is not None and not fact.literal:
                inverse = fact._replace(
                    subject=fact.object, relation=verdict.inverse, object=fact.subject, inferred=True
                )
                inverses.append((inverse, line))
            facts.append(fact)
            lines.append(line)
        for fact, line in inverses:
            if (*fact[:5], fact.realis) in known:
                continue
            message = f"the inverse, {fact.subject} {fact.relation} {fact.object}, is not asserted"
            repair = "added" if self.add_inverses else None
            self.found.warn("missing-inverse", message, line, None, "assert it, too", repair=repair)
            if self.add_inverses:
                facts.append(fact)
                lines.append(line)
        return facts, lines

    def _endpoints(self, fact: Fact, line: int) -> None:
        for id in (fact.subject,) if fact.literal else (fact.subject, fact.object):
            attested = self.attested.get(id)
            if attested is None:
                message = f"nothing is known of the node {id} except that it has a relation"
                self.found.add("unknown-node", message, line, None, "add its type and mentions", repair="kept")
            elif fact.document not in attested:
                message = f"the node {id} of {fact.relation} has no mention in document {fact.document!r}"
                hint = "add the mention, or name a document that has one"
                self.found.add("unattested", message, line, None, hint, repair="kept")

    def _verdict(self, fact: Fact) -> _Verdict:
        subject, object_ = self.parts.nodes.get(fact.subject), self.parts.nodes.get(fact.object)
        object_type = "STRING" if fact.literal else object_.type if object_ else ""
        key = fact.relation, subject.type if subject else "", object_type, fact.realis
        verdict = self.verdicts.get(key)
        if verdict is None:
            verdict = self.verdicts[key] = _judge(*key)
        if verdict.slot is not None:
            if subject is None or not subject.type:
                self.domains.setdefault(fact.subject, set()).add(verdict.slot.domain)
            if not object_type and len(verdict.slot.ranges) == 1:
                self.domains.setdefault(fact.object, set()).update(verdict.slot.ranges)
        return verdict

    def missing_type(self, node: NodeParts) -> None:
        """Give a node without a type the one that its predicates ask for, if there is only one."""
        types = self.domains.get(node.id, set())
        if len(types) == 1:
            node.type = types.pop().upper()
        repair = f"taken as {node.type}" if node.type else "kept without a type"
        message = f"the node {node.id} has no type"
        self.found.add("missing-type", message, node.line, 1, f"write {node.id}, type, ...", repair=repair)


def _judge(relation: str, subject_type: str, object_type: str, realis: str) -> _Verdict:
    """The verdict on a predicate, given the types of its nodes."""
    complaints: list[tuple[bool, str, str, str, str | None]] = []
    domain, colon, name = relation.lower().partition(":")
    own = subject_type.lower()
    if not colon:
        domain, name = own, domain
    slot, alias = find_slot(domain, name)
    inverse = event_inverse(relation, object_type)
    if slot is None and (inverse is not None or (domain in EVENT_TYPES and colon)):
        if not realis:
            message = f"{relation} has no realis"
            hint = "write .actual, .generic or .other after it"
            complaints.append((True, "missing-realis", message, hint, "kept without"))
        return _Verdict(relation, inverse, None, tuple(complaints))
    if slot is None:
        hint = (
            "use a predicate of Cold Start, such as per:spouse" if own or colon else "write it with the type before it"
        )
        complaints.append((True, "illegal-predicate", f"there is no predicate {shown(relation)}", hint, "kept"))
        return _Verdict(relation, None, None, tuple(complaints))
    full = f"{slot.domain}:{slot.name}"
    if alias:
        message = f"{relation} is an old or misspelt name"
        complaints.append((False, "predicate-alias", message, f"write {full}", f"read as {full}"))
    elif not colon:
        message = f"{relation} has no type before it"
        complaints.append((False, "domain-omitted", message, f"write {full}", f"read as {full}"))
    if own and own != slot.domain:
        message = f"a subject of type {subject_type} cannot have {full}"
        complaints.append((True, "subject-type", message, "correct its type or the predicate", "kept"))
    if object_type and object_type.lower() not in slot.ranges:
        allowed = ", ".join(sorted(slot.ranges)).upper()
        message = f"an object of type {object_type} cannot be that of {full}"
        complaints.append((True, "object-type", message, f"it should be {allowed}", "kept"))
    if realis:
        message = f"{full} is not an argument of an event, but has the realis {realis}"
        complaints.append((True, "unexpected-realis", message, "leave it out", "kept"))
    ranges = {object_type.lower()} if object_type else slot.ranges
    if slot.inverse is not None and len(ranges) == 1 and ranges <= slot.ranges:
        (type_,) = ranges
        return _Verdict(full, f"{type_}:{slot.inverse}", slot, tuple(complaints))
    return _Verdict(full, None, slot, tuple(complaints))


def shown(text: str) -> str:
    """A field as messages show it, cut short."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


@dataclass(slots=True)
class Said:
    """A mention as a line gives it."""

    text: str
    confidence: float
    realis: str
    line: int
    canonical: bool = False


@dataclass(slots=True)
class NodeParts:
    """Everything said of one node; `mentions` by document, start, end and level."""

    id: str
    kind: str
    line: int
    type: str = ""
    confidence: float = 1.0
    links: dict[str, float] = field(default_factory=dict)
    mentions: dict[tuple[str, int, int, str], Said] = field(default_factory=dict)
    canonical: dict[str, list[tuple[int, int, Said]]] = field(default_factory=dict)


class Parts:
    """Takes in the assertions of one file."""

    def __init__(self, reader: LineReader) -> None:
        self.reader = reader
        self.nodes: dict[str, NodeParts] = {}
        self.facts: dict[tuple[object, ...], tuple[Fact, int]] = {}  # by all but the confidence, with the line

    def _node(self, node: Node) -> NodeParts:
        parts = self.nodes.get(node.id)
        if parts is None:
            parts = self.nodes[node.id] = NodeParts(node.id, node.kind, self.reader.line)
        return parts

    def _repeated(self) -> None:
        message = "a repeated assertion"
        self.reader.warn("duplicate-assertion", 0, message, "leave it out", repair="the more confident one is kept")

    def add_type(self, node: Node, raw: str, confidence: float) -> None:
        """The type of a node."""
        parts = self._node(node)
        type_ = raw.upper() if raw.upper() in (*ENTITY_TYPES, STRING) else raw
        if parts.type.lower() == type_.lower():
            self._repeated()
            parts.confidence = max(parts.confidence, confidence)
            return
        if parts.type:
            message = f"the node {node.id} has more than one type, {parts.type} and {type_}"
            self.reader.error("several-types", 3, message, "keep one of them", repair="the first is kept")
            return
        parts.type, parts.confidence = type_, confidence
        kind = "event" if raw.lower() in EVENT_TYPES else "string" if type_ == STRING else "entity"
        if type_ not in (*ENTITY_TYPES, STRING) and kind != "event":
            known = ", ".join((*ENTITY_TYPES, STRING))
            message = f"there is no type {shown(type_)}"
            hint = f"write {known} or the type of an event"
            self.reader.error("illegal-type", 3, message, hint, repair="kept", value=type_)
        elif kind != node.kind:
            message = f"the node {node.id} cannot have the type {type_}"
            self.reader.error("incompatible-name", 1, message, f"call it :{kind.capitalize()}...", repair="kept")

    def add_link(self, node: Node, target: str, confidence: float) -> None:
        """A link of a node to another knowledge base."""
        links = self._node(node).links
        base = target.partition(":")[0]
        if target in links:
            self._repeated()
        elif any(each.partition(":")[0] == base for each in links):
            message = f"the node {node.id} has more than one link to {base}"
            self.reader.warn("several-links", 3, message, "keep the best one")
        links[target] = max(confidence, links.get(target, 0.0))

    def add_mention(self, node: Node, level: str, document: str, span: Span, said: Said) -> None:
        """A mention of a node; an empty level marks its canonical mention."""
        start, end = span
        parts = self._node(node)
        if not level:
            known = parts.canonical.setdefault(document, [])
            if any(each[:2] == (start, end) for each in known):
                self._repeated()
            else:
                known.append((start, end, said))
            return
        key = document, start, end, level
        before = parts.mentions.get(key)
        if before is None:
            parts.mentions[key] = said
        elif before.text != said.text:
            message = f"{document}:{start}-{end - 1} is {shown(said.text)} here and {shown(before.text)} elsewhere"
            hint = f"write the same text as in line {before.line}"
            self.reader.error("several-strings", 3, message, hint, repair="the first is kept")
        else:
            self._repeated()
            before.confidence = max(before.confidence, said.confidence)

    def add_fact(self, fact: Fact) -> None:
        """A relation; of repeated ones with the same provenance, the most confident is kept, then the earliest."""
        key = (*fact[:5], fact.realis, fact.literal)
        before = self.facts.get(key)
        if before is None:
            self.facts[key] = fact, self.reader.line
            return
        self._repeated()
        if fact.confidence > before[0].confidence:
            self.facts[key] = before[0]._replace(confidence=fact.confidence), before[1]


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
    """A predicate of one domain; `inverse` is a name without its domain, which is the type of the object."""

    domain: str
    name: str
    ranges: frozenset[str]
    inverse: str | None = None
    single: bool = False


# Subject types, name, object types, inverse; each line gives both directions. * marks a slot with a single value.
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


_DIRECTIONS: list[tuple[str, str, str, str | None]] = [
    direction
    for subjects, name, objects, inverse in map(str.split, _PAIRS.strip().split("\n"))
    for direction in ((subjects, name, objects, inverse), (objects, inverse, subjects, name.removeprefix("*")))
]
_DIRECTIONS += [(domain, name, "string", None) for domain, names in _STRINGS.items() for name in names.split()]

RELATIONS = {
    (domain, bare): Slot(domain, bare, frozenset(ranges.split(",")), inverse, single=name != bare)
    for domains, name, ranges, inverse in _DIRECTIONS
    for bare in (name.removeprefix("*"),)
    for domain in domains.split(",")
}
"""The slots of Cold Start by domain and name, without sentiment and events."""

SLOTS = RELATIONS | {
    (type_, name): Slot(type_, name, frozenset(map(str.lower, ENTITY_TYPES)), inverse)
    for one, other in _SENTIMENT
    for name, inverse in ((one, other), (other, one))
    for type_ in map(str.lower, ENTITY_TYPES)
}

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
    """The inverse of an event argument, None if the predicate is not one.

    >>> event_inverse("conflict.attack:attacker", "PER"), event_inverse("per:conflict.attack_attacker", "x")
    ('per:conflict.attack_attacker', 'conflict.attack:attacker')
    """
    domain, colon, name = predicate.partition(":")
    if domain.lower() in EVENT_TYPES and colon:
        known = object_type and object_type != STRING  # a string is not a subject
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
