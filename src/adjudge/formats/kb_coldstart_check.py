"""A Cold Start knowledge base as a whole: types, canonical mentions, predicates, inverses, attested endpoints."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from typing import NamedTuple, TypeAlias

from adjudge.formats.kb_coldstart_lines import shown
from adjudge.formats.kb_coldstart_parts import NodeParts, Parts, Said
from adjudge.formats.kb_coldstart_schema import EVENT_TYPES, Slot, event_inverse, find_slot
from adjudge.formats.kb_findings import KbFindings
from adjudge.model.kbp import NAMED, NOMINAL, NORMALISED, Entity, Fact, KnowledgeBase, Link, Mention

Texts: TypeAlias = Callable[[str], str | None]
"""The text of a document, None if there is no such document."""


def finish(
    run: str, parts: Parts, found: KbFindings, *, add_inverses: bool = False, texts: Texts | None = None
) -> KnowledgeBase:
    """The knowledge base of all parts; what is wrong with it goes to `found`."""
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


def _check_strings(parts: Parts, found: KbFindings) -> None:
    """The same span must have the same text in all lines; a normal form is another text by its nature."""
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
                found.error("several-strings", message, later, None, hint, repair="both are kept")


def _check_texts(parts: Parts, found: KbFindings, texts: Texts) -> None:
    """Documents must exist, spans lie in them, and mentions have the text that stands there."""
    places: dict[str, list[tuple[int, int, str | None, int]]] = {}  # by document: start, end, text, line
    for node in parts.nodes.values():
        for (document, start, end, level), said in node.mentions.items():
            text = None if level == NORMALISED else said.text
            places.setdefault(document, []).append((start, end, text, said.line))
    for fact, line in parts.facts.values():
        for spans in fact.provenance:
            places.setdefault(fact.document, []).extend((start, end, None, line) for start, end in spans)
    for document, given in sorted(places.items()):  # one text at a time is in memory
        whole = texts(document)
        if whole is None:
            line = min(each[3] for each in given)
            message = f"there is no document {document!r}, in which {len(given)} spans are"
            found.error("unknown-document", message, line, None, "check the id of the document", repair="kept")
            continue
        for start, end, text, line in given:
            if end > len(whole):
                message = f"the span {start}-{end - 1} ends behind document {document!r} of {len(whole)} characters"
                found.error("offset-behind-text", message, line, None, "count characters, not bytes", repair="kept")
            elif text is not None and _folded(text) not in (
                _folded(whole[start:end]),
                _folded(unescape(whole[start:end])),
            ):
                message = f"{document}:{start}-{end - 1} is {shown(whole[start:end])}, not {shown(text)}"
                found.warn("other-text", message, line, None, "correct the offsets or the string")


def _folded(text: str) -> str:
    return " ".join(text.split())


def _settle_canonical(node: NodeParts, found: KbFindings) -> None:
    """Exactly one canonical mention per document, which is also a mention."""
    documents: dict[str, list[tuple[tuple[str, int, int, str], Said]]] = {}
    for key, said in node.mentions.items():
        if key[3] in (NAMED, NOMINAL):
            documents.setdefault(key[0], []).append((key, said))
    if not node.mentions and not node.canonical:
        found.warn("no-mentions", f"the node {node.id} has no mentions", node.line, 1, "add its mentions")
    for document, given in node.canonical.items():
        if len(given) > 1:
            message = f"the node {node.id} has {len(given)} canonical mentions in document {document!r}"
            found.error("several-canonical", message, given[1][2].line, 1, "keep one", repair="the first is taken")
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
    node: NodeParts, document: str, given: list[tuple[tuple[str, int, int, str], Said]], found: KbFindings
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
        found.error("missing-canonical-of-several", message, best.line, 1, "add one", repair=repair)


class _Verdict(NamedTuple):
    """What is to be said of a predicate between nodes of certain types: its right name, its inverse, complaints."""

    relation: str
    inverse: str | None
    slot: Slot | None
    complaints: tuple[tuple[bool, str, str, str, str | None], ...]  # error?, kind, message, hint, repair


class _Facts:
    """All facts on their way through the checks."""

    def __init__(self, parts: Parts, found: KbFindings, *, add_inverses: bool) -> None:
        self.parts = parts
        self.found = found
        self.add_inverses = add_inverses
        self.verdicts: dict[tuple[str, str, str, str], _Verdict] = {}
        self.domains: dict[str, set[str]] = {}  # the types that an untyped node could have, by its predicates
        self.attested = {
            node.id: {key[0] for key in node.mentions if key[3] in (NAMED, NOMINAL)} for node in parts.nodes.values()
        }

    def run(self) -> tuple[list[Fact], list[int]]:
        """The facts with their right predicates, and their lines; those that are added come last."""
        facts: list[Fact] = []
        lines: list[int] = []
        inverses: list[tuple[Fact, int]] = []
        fills: dict[tuple[str, str], str] = {}
        known: set[tuple[object, ...]] = set()
        for fact, line in self.parts.facts.values():
            verdict = self._verdict(fact)
            for error, kind, message, hint, repair in verdict.complaints:
                (self.found.error if error else self.found.warn)(kind, message, line, None, hint, repair=repair)
            if verdict.relation != fact.relation:
                fact = fact._replace(relation=verdict.relation)
            key = (*fact[:5], fact.realis)
            if key in known:
                message = "the same assertion once more, under another name of its predicate"
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
                message = f"nothing is said of the node {id} but that it has a relation"
                self.found.error("unknown-node", message, line, None, "add its type and mentions", repair="kept")
            elif fact.document not in attested:
                message = f"the node {id} of {fact.relation} has no mention in document {fact.document!r}"
                hint = "add the mention, or name a document that has one"
                self.found.error("unattested", message, line, None, hint, repair="kept")

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
        """A node without a type gets the one that its predicates ask for, if there is just one."""
        types = self.domains.get(node.id, set())
        if len(types) == 1:
            node.type = types.pop().upper()
        repair = f"taken as {node.type}" if node.type else "kept without a type"
        message = f"the node {node.id} has no type"
        self.found.error("missing-type", message, node.line, 1, f"write {node.id}, type, ...", repair=repair)


def _judge(relation: str, subject_type: str, object_type: str, realis: str) -> _Verdict:
    """Everything that can be said of a predicate from the types of its nodes."""
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
            hint = "write .actual, .generic or .other behind it"
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
        message = f"{full} is no argument of an event, but has the realis {realis}"
        complaints.append((True, "unexpected-realis", message, "leave it out", "kept"))
    ranges = {object_type.lower()} if object_type else slot.ranges
    if slot.inverse is not None and len(ranges) == 1 and ranges <= slot.ranges:
        (type_,) = ranges
        return _Verdict(full, f"{type_}:{slot.inverse}", slot, tuple(complaints))
    return _Verdict(full, None, slot, tuple(complaints))
