"""Trees, graphs and clusters from what people have: heads and labels, Penman texts, lists of clusters, mappings."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from adjudge.formats.coerce.corpus import Declared, fields_of, first_of, is_list, origin, plain, wrong
from adjudge.formats.coerce.spans import pair_of

# ---------------------------------------------------------------------------------------------------------------------
# Dependency trees


def dependencies_of(name: str, value: Any, declared: Declared) -> list[dict[str, Any]] | None:
    """The dependencies of one sentence, heads counted from 1 and the root 0; None if its shape is not known."""
    if origin(value) == "spacy":
        return [
            {"head": 0 if each.head.i == each.i else each.head.i + 1, "dependent": each.i + 1, "label": each.dep_}
            for each in value
        ]
    if origin(value) == "conllu":
        rows = [each for each in value if isinstance(each["id"], int)]
        return [{"head": each["head"], "dependent": each["id"], "label": each["deprel"]} for each in rows]
    if is_list(value):
        return _listed(value)
    fields = fields_of(value)
    if fields is None:
        return None
    heads = first_of(fields, ("heads", "head"))
    labels = first_of(fields, ("deprels", "labels", "deps", "rels", "deprel"))
    if is_list(heads) and is_list(labels):
        return _of_heads(name, [plain(each) for each in heads], list(labels), declared)
    values = first_of(fields, ("dependencies", "arcs", "edges"))
    return None if values is None else _listed(values)


def _listed(values: Any) -> list[dict[str, Any]] | None:
    made = []
    for each in values:
        if is_list(each) and len(each) == 3:
            head, dependent, label = map(plain, each)
            made.append({"head": head, "dependent": dependent, "label": label})
            continue
        fields = fields_of(each)
        if fields is not None and is_list(fields.get("id")):  # a word that is several, whose parts follow
            continue
        if fields is None or "head" not in fields:
            return None
        dependent = first_of(fields, ("dependent", "id", "index"))
        label = first_of(fields, ("label", "deprel", "dep", "rel"))
        made.append({"head": plain(fields["head"]), "dependent": plain(dependent), "label": label})
    return made


def _of_heads(name: str, heads: list[Any], labels: list[Any], declared: Declared) -> list[dict[str, Any]]:
    if len(heads) != len(labels):
        raise wrong(
            declared.side,
            f", document {name!r}: there are {len(heads)} heads and {len(labels)} labels",
            "give one of each for every token",
        )
    if declared.take("base") == 0:
        heads = [0 if head in (-1, place) else head + 1 for place, head in enumerate(heads)]
    elif heads and (min(heads) < 0 or 0 not in heads):
        raise wrong(
            declared.side,
            f", document {name!r}: heads are {', '.join(map(str, heads))}, and none is 0, the root",
            "set base=0 if tokens are counted from 0 and a root is -1 or its own head",
        )
    return [
        {"head": head, "dependent": place, "label": label}
        for place, (head, label) in enumerate(zip(heads, labels, strict=True), 1)
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Meaning


def triples_of(value: Any) -> list[tuple[Any, ...]] | str | None:
    """The triples of a graph of meaning, or the text in which it is written; None if its shape is not known."""
    if isinstance(value, str):
        return value
    if origin(value) == "penman":
        triples = [(first, role.lstrip(":"), last) for first, role, last in value.triples]
        return [*triples, (value.top, "top", "top")]
    if is_list(value) and all(is_list(each) and len(each) == 3 for each in value):
        return [tuple(each) for each in value]
    fields = fields_of(value)
    found = None if fields is None else first_of(fields, ("amr", "graph", "penman"))
    return None if found is None else triples_of(found)


# ---------------------------------------------------------------------------------------------------------------------
# Clusters


def is_clusters(value: Any) -> bool:
    """Whether a value is one document: a list of clusters of spans or ids, not a list of such lists.

    >>> is_clusters([[(0, 1), (4, 5)]]), is_clusters([{7, 8}, {9}]), is_clusters([["a", "b"]]), is_clusters([[{7, 8}]])
    (True, True, True, False)
    """
    if not is_list(value) or not len(value):
        return False
    clusters = [each for each in value if is_list(each) and len(each)]
    return len(clusters) > 0 and all(_is_mention(mention, c) for c in clusters for mention in c)


def is_chain_map(value: Any) -> bool:
    """Whether a value is one document that gives the entity of every mention, and none of several documents.

    >>> is_chain_map({"m1": "e1", "m2": "e1"}), is_chain_map({"d1": {"m1": "e1"}})
    (True, False)
    """
    return isinstance(value, Mapping) and not any(isinstance(each, Mapping) or is_list(each) for each in value.values())


def _is_mention(value: Any, cluster: Any) -> bool:
    """Whether what is in a cluster is a mention: two numbers, a text, or whatever is in a set."""
    return pair_of(value) is not None if is_list(value) else isinstance(value, str) or isinstance(cluster, Set)


def has_named_mentions(document: Any) -> bool:
    """Whether the first mention of a document is a name or another id, and no place."""
    clusters: Any = document.get("clusters") if isinstance(document, Mapping) else document
    if not is_list(clusters):
        return False
    firsts = ((mention, cluster) for cluster in clusters if is_list(cluster) for mention in cluster)
    mention, cluster = next(firsts, (None, None))
    return isinstance(mention, str) or (isinstance(cluster, Set) and pair_of(mention) is None)


def clusters_of(value: Any, declared: Declared) -> list[list[Any]] | None:
    """The clusters of one document; None if its shape is not known."""
    if origin(value) == "spacy":
        names = [name for name in value.spans if name.startswith("coref_clusters")]
        return [[(span.start, span.end) for span in value.spans[name]] for name in names]
    declared.take("ends")  # which chains of mentions do not depend on
    if declared.take("shape") == "mapping" and isinstance(value, Mapping):
        chains: dict[Any, list[Any]] = {}
        for mention, entity in value.items():
            chains.setdefault(entity, []).append(mention)
        return list(chains.values())
    if is_list(value):
        rows = [fields_of(each) for each in value]
        if rows and all(row is not None and "cluster" in row for row in rows):
            return _by_cluster([row for row in rows if row is not None])
        return [_mentions(each) for each in value]
    fields = fields_of(value)
    found = None if fields is None else first_of(fields, (*declared.predicted("clusters"), "chains"))
    return None if found is None else clusters_of(found, declared)


def _by_cluster(rows: list[Mapping[str, Any]]) -> list[list[Any]]:
    chains: dict[Any, list[Any]] = {}
    for row in rows:
        chains.setdefault(row["cluster"], []).append(pair_of(row))
    return list(chains.values())


def _mentions(cluster: Any) -> list[Any]:
    if isinstance(cluster, Set):
        return [str(each) if (pair := pair_of(each)) is None else pair for each in sorted(cluster, key=repr)]
    return [pair if (pair := pair_of(each)) is not None else each for each in cluster]
