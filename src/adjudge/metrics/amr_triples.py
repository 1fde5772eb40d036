"""AMR graphs as triples, and the steps that normalise them before they are compared.

A graph is a text in Penman notation or a list of triples [source, role, target]; sources are variables. A step
turns a list of triples into another; metrics name the steps that they apply, one map after the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from adjudge.errors import ValidationError
from adjudge.model.penman import PenmanError, parse
from adjudge.model.variable import Variable


class Name(Variable):
    """A variable that is shown by its name, as in a graph."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


Node: TypeAlias = "Name | str"
Triple = tuple[Node, str, Node]
N = TypeVar("N", bound=Node)

INSTANCE = "instance"
TOP = "top"
# Roles that end in -of and are not the inverse of another.
PLAIN_OF = frozenset(("consist-of", "prep-on-behalf-of", "prep-out-of"))
# Role -> concept, first, second: (x, role, y) says the same as (z, instance, concept), (z, first, x), (z, second, y);
# the table of the AMR guidelines.
REIFIED: Mapping[str, tuple[str, str, str]] = {
    "accompanier": ("accompany-01", "arg1", "arg0"),
    "age": ("age-01", "arg1", "arg2"),
    "beneficiary": ("benefit-01", "arg0", "arg1"),
    "concession": ("have-concession-91", "arg1", "arg2"),
    "condition": ("have-condition-91", "arg1", "arg2"),
    "degree": ("have-degree-91", "arg1", "arg2"),
    "destination": ("be-destined-for-91", "arg1", "arg2"),
    "duration": ("last-01", "arg1", "arg2"),
    "example": ("exemplify-01", "arg1", "arg0"),
    "extent": ("have-extent-91", "arg1", "arg2"),
    "frequency": ("have-frequency-91", "arg1", "arg2"),
    "instrument": ("have-instrument-91", "arg1", "arg2"),
    "li": ("have-li-91", "arg1", "arg2"),
    "location": ("be-located-at-91", "arg1", "arg2"),
    "manner": ("have-manner-91", "arg1", "arg2"),
    "mod": ("have-mod-91", "arg1", "arg2"),
    "name": ("have-name-91", "arg1", "arg2"),
    "ord": ("have-ord-91", "arg1", "arg2"),
    "part": ("have-part-91", "arg1", "arg2"),
    "polarity": ("have-polarity-91", "arg1", "arg2"),
    "poss": ("own-01", "arg1", "arg0"),
    "purpose": ("have-purpose-91", "arg1", "arg2"),
    "quant": ("have-quant-91", "arg1", "arg2"),
    "source": ("be-from-91", "arg1", "arg2"),
    "subevent": ("have-subevent-91", "arg1", "arg2"),
    "time": ("be-temporally-at-91", "arg1", "arg2"),
    "topic": ("concern-02", "arg0", "arg1"),
    "value": ("have-value-91", "arg1", "arg2"),
}
_SPELT: Mapping[str, tuple[str, str, str]] = {
    concept: (role, first, second) for role, (concept, first, second) in REIFIED.items()
}

_HINT = "give Penman text or a list of [source, role, target]"
_ALIGNMENT = re.compile(r"~(?:[a-z]\.?)?\d+(?:,\d+)*$")
_SENSE = re.compile(r"-\d+$")


def read(value: Any) -> list[Triple]:
    """The triples of a graph: lower-cased, without quotation marks and alignments, roles in the direction written.

    >>> for triple in read("(b / Boy~e.1 :name (n / name :op1 \\"Bo\\"))"):
    ...     print(*triple)
    b instance boy
    n instance name
    b top top
    b name n
    n op1 bo
    """
    if isinstance(value, str):
        return list(_from_text(value))
    if isinstance(value, Sequence):
        return _from_triples(value)
    raise ValidationError("this is not a graph", hint=_HINT)


@lru_cache(maxsize=256)
def _from_text(text: str) -> tuple[Triple, ...]:
    try:
        graph = parse(text)
    except PenmanError as error:
        line, column = error.place(text)
        raise ValidationError(f"line {line}, column {column} of the graph: {error.message}", hint=error.hint) from None
    names = {name: Name(name) for name in graph.concepts}
    triples: list[Triple] = [(names[name], INSTANCE, _constant(concept)) for name, concept in graph.concepts.items()]
    triples.append((names[graph.top], TOP, TOP))
    triples += [(names[s], _role(role), names.get(t) or _constant(t)) for s, role, t in graph.edges]
    return tuple(triples)


def _from_triples(value: Sequence[Any]) -> list[Triple]:
    for position, item in enumerate(value):
        fits = isinstance(item, Sequence) and not isinstance(item, str) and len(item) == 3
        if (
            not fits
            or not all(isinstance(each, str) for each in item[:2])
            or not isinstance(item[2], str | int | float)
        ):
            raise ValidationError(f"triple {position + 1} is not [source, role, target]", hint="write three texts")
    names = {source: Name(source) for source, _, _ in value}
    triples: list[Triple] = []
    for source, written, target in value:
        role = _role(written.removeprefix(":"))
        other = None if role in (INSTANCE, TOP) or not isinstance(target, str) else names.get(target)
        triples.append((names[source], role, other or (TOP if role == TOP else _constant(str(target)))))
    return triples


def _role(role: str) -> str:
    return _ALIGNMENT.sub("", role).lower() if "~" in role else role.lower()


def _constant(text: str) -> str:
    if "~" in text:
        text = _ALIGNMENT.sub("", text)
    if len(text) >= 2 and text[0] == '"' == text[-1]:
        text = text[1:-1].replace('\\"', '"')
    return text.lower()


# Steps


def directed(triples: Iterable[Triple]) -> list[Triple]:
    """Inverse roles inverted; those between a variable and a constant are kept.

    >>> directed([(Name("b"), "arg0-of", Name("g")), (Name("g"), "consist-of", Name("b"))])
    [(g, 'arg0', b), (g, 'consist-of', b)]
    """
    out: list[Triple] = []
    for source, role, target in triples:
        if role.endswith("-of") and isinstance(target, Name):
            s: Node = source
            t: Node = target
            while role.endswith("-of") and role not in PLAIN_OF:
                s, role, t = t, role[:-3], s
            out.append((s, role, t))
        else:
            out.append((source, role, target))
    return out


def domains(triples: Iterable[Triple]) -> list[Triple]:
    """Mod between two variables as the inverse of domain.

    >>> domains([(Name("b"), "mod", Name("s"))])
    [(s, 'domain', b)]
    """
    return [(t, "domain", s) if role == "mod" and isinstance(t, Name) else (s, role, t) for s, role, t in triples]


def dereified(triples: Iterable[tuple[N, str, N]], *, source: type = Name) -> list[tuple[N, str, N]]:
    """Nodes that only stand for a role as that role: be-located-at-91 with its two arguments is a location.

    Such a node is not the top, no argument of another node, and has its two arguments and nothing else. The first of
    them, the `source` of the role, is a node; where nodes are written as texts, any.

    >>> z, x, y = (Name(name) for name in "zxy")
    >>> dereified([(z, "instance", "be-located-at-91"), (z, "arg1", x), (z, "arg2", y)])
    [(x, 'location', y)]
    """
    triples = list(triples)
    aimed_at = {target for _, _, target in triples}
    own: dict[N, list[tuple[N, str, N]]] = {}
    for triple in triples:
        own.setdefault(triple[0], []).append(triple)
    gone: set[N] = set()
    made: list[tuple[N, str, N]] = []
    for node, mine in own.items():
        parts = {role: target for _, role, target in mine}
        concept = parts.get(INSTANCE)
        if len(mine) != 3 or node in aimed_at or not isinstance(concept, str) or concept not in _SPELT:
            continue
        role, first, second = _SPELT[concept]
        if first in parts and second in parts and isinstance(parts[first], source):
            gone.add(node)
            made.append((parts[first], role, parts[second]))
    return [triple for triple in triples if triple[0] not in gone] + made


def reified(triples: Iterable[Triple]) -> list[Triple]:
    """Roles that have a concept of their own as a node with two arguments, the reverse of `dereified`."""
    out: list[Triple] = []
    for number, (source, role, target) in enumerate(triples):
        s, t = (target, source) if role == "domain" else (source, target)
        rule = REIFIED.get("mod" if role == "domain" else role)
        if rule is None or not isinstance(s, Name):
            out.append((source, role, target))
            continue
        concept, first, second = rule
        node = Name(f"{number}/{role}")  # no variable of a text has a slash
        out += [(node, INSTANCE, concept), (node, first, s), (node, second, t)]
    return out


def whole_names(triples: Iterable[Triple]) -> list[Triple]:
    """A name as one attribute: the node of :name with its :op parts becomes their text.

    >>> p, n = Name("p"), Name("n")
    >>> whole_names([(p, "name", n), (n, "instance", "name"), (n, "op1", "new"), (n, "op2", "york")])
    [(p, 'name', 'new york')]
    """
    triples = list(triples)
    parts: dict[Node, list[tuple[int, str]]] = {
        t: [] for _, role, t in triples if role == "name" and isinstance(t, Name)
    }
    complex_: set[Node] = set()
    for source, role, target in triples:
        if source in parts and role != INSTANCE:
            number = role.removeprefix("op")
            if isinstance(target, Name) or number == role or not number.isdecimal():
                complex_.add(source)
            else:
                parts[source].append((int(number), target))
        if role != "name":
            complex_.add(target)
    texts: dict[Node, Node] = {
        node: " ".join(text for _, text in sorted(words))
        for node, words in parts.items()
        if words and node not in complex_
    }
    kept = [triple for triple in triples if triple[0] not in texts]
    return [(s, role, texts.get(t, t) if role == "name" else t) for s, role, t in kept]


def without_wiki(triples: Iterable[Triple]) -> list[Triple]:
    """The triples without links to an encyclopedia."""
    return [triple for triple in triples if triple[1] != "wiki"]


def without_top(triples: Iterable[Triple]) -> list[Triple]:
    """The triples without the mark of the top."""
    return [triple for triple in triples if triple[1] != TOP]


def concept_at_top(triples: Iterable[Triple]) -> list[Triple]:
    """The mark of the top with the concept that stands there."""
    triples = list(triples)
    concepts = {source: target for source, role, target in triples if role == INSTANCE}
    return [(s, role, concepts.get(s, t) if role == TOP else t) for s, role, t in triples]


def unlabelled(triples: Iterable[Triple]) -> list[Triple]:
    """The triples with one role for all but concepts and the top."""
    return [(s, role if role in (INSTANCE, TOP) else "role", t) for s, role, t in triples]


def without_senses(triples: Iterable[Triple]) -> list[Triple]:
    """The triples with 01 as the sense number of all concepts.

    >>> without_senses([(Name("d"), "instance", "duck-02")])
    [(d, 'instance', 'duck-01')]
    """
    return [(s, role, _SENSE.sub("-01", t) if role == INSTANCE and isinstance(t, str) else t) for s, role, t in triples]


def reentrant(triples: Iterable[Triple]) -> list[Triple]:
    """The relations into nodes that more than one relation leads to, and the concepts at both of their ends."""
    triples = list(dict.fromkeys(triples))
    count = Counter(target for _, _, target in triples if isinstance(target, Name))
    return _with_concepts(triples, [each for each in triples if isinstance(each[2], Name) and count[each[2]] > 1])


def arguments(triples: Iterable[Triple]) -> list[Triple]:
    """The triples with numbered arguments of predicates (ARG0, ARG1, ...), and the concepts of their nodes."""
    triples = list(triples)
    return _with_concepts(triples, [each for each in triples if each[1].startswith("arg")])


def _with_concepts(triples: Sequence[Triple], chosen: list[Triple]) -> list[Triple]:
    involved = {node for source, _, target in chosen for node in (source, target)}
    return [each for each in triples if each[1] == INSTANCE and each[0] in involved] + chosen


# Lists of values


def concepts(triples: Iterable[Triple]) -> list[str]:
    """The concepts of all nodes."""
    return [str(target) for _, role, target in triples if role == INSTANCE]


def named(triples: Iterable[Triple]) -> list[str]:
    """The concepts of the nodes that have a name, once per name."""
    return _concepts_with(triples, "name")


def negated(triples: Iterable[Triple]) -> list[str]:
    """The concepts of the nodes that have a polarity, once per polarity."""
    return _concepts_with(triples, "polarity")


def wikis(triples: Iterable[Triple]) -> list[str]:
    """The links to an encyclopedia."""
    return [str(target) for _, role, target in triples if role == "wiki"]


def _concepts_with(triples: Iterable[Triple], wanted: str) -> list[str]:
    triples = list(triples)
    found = {source: str(target) for source, role, target in triples if role == INSTANCE}
    return [found[source] for source, role, _ in triples if role == wanted and source in found]
