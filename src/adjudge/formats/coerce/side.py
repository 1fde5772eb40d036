"""One side: its documents by id, each taken by the shape that it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from adjudge.errors import FormatError
from adjudge.formats.coerce.answers import is_raw, unwrapped
from adjudge.formats.coerce.corpus import IDS, Declared, Facts, Notes, fields_of, origin, plain, wrong
from adjudge.formats.coerce.spans import JOINED, LEFT_OUT, Ends, Item, Part, UnevenPlace, without_fragments
from adjudge.formats.coerce.tables import Loaded, load, named

_KNOWN = {
    "ner": "entities, spans, tags",
    "linking": "mentions, entities, spans",
    "relation": "relations, triples",
    "event": "events",
    "tree": "dependencies, heads",
    "amr": "amr",
    "coref": "clusters",
}


_BESIDE = ("text", "prompt", "question", "input", "tokens", "words", "meta", "model")


class OneSide:
    """A side on its way: values by id, then parts, then documents."""

    def __init__(self, kind: str, source: Any, declared: Declared) -> None:
        self.kind, self.declared, self.notes = kind, declared, Notes()
        loaded: Loaded = load(source, declared, kind, _is_document(kind, declared))
        self.values, self.given = named(loaded, self.notes, declared.side)
        self.parts: dict[str, Part] = {}
        self.facts: dict[str, Any] = {}
        self.left_out: list[str] = []
        self.ends: Ends | None = None
        self.lost: Mapping[str, list[Item]] = {}

    def read(self) -> None:
        """Every document by the shape that it has; those of no known shape are an error together."""
        parse = _parser(self.kind)
        unknown: list[tuple[str, Any]] = []
        shapes: dict[str, str] = {}
        for name, given in self.values.items():
            value = given
            if self.kind in ("tree", "amr", "coref"):
                fields = fields_of(given) or {}
                value = fields.get(self.declared.chosen(fields, ""), given)
            if self.kind not in ("ner", "linking"):  # which know of answers with tags inside
                value = unwrapped(self.kind, name, value, self.declared, self.notes)
            try:
                found = parse(name, value, self.declared, self.notes)
            except UnevenPlace as error:
                problem = error.problems[0]
                raise wrong(self.declared.side, f", document {name!r}: {problem.message}", problem.hint) from None
            if found is None:
                unknown.append((name, given))
            elif isinstance(found, Part):
                if found.shape == LEFT_OUT:
                    self.left_out.append(name)
                elif found.items:
                    self.parts[name] = without_fragments(name, found, self.declared, self.notes)
                else:
                    self.parts[name] = found
            else:
                self.facts[name] = found
                if isinstance(found, Facts) and found.joined:
                    message = JOINED.format(side=self.declared.side)
                    self.notes.add("fragments-joined", message, name, count=found.joined)
            shape = _shape_of(found)
            # Answers are as models write them.
            if shape and shape not in shapes and given is value and not is_raw(given):
                shapes[shape] = name
        if self.declared.side == "gold" and self.notes.count("no-json") == len(self.values) > 0:
            unknown = [each for each in self.values.items() if fields_of(each[1]) or isinstance(each[1], str)]
        if unknown:
            raise _unknown_shape(self.kind, unknown, len(self.values), self.declared.side)
        if len(shapes) > 1:
            told = " and ".join(f"{shape} (document {name!r})" for shape, name in list(shapes.items())[:2])
            raise wrong(self.declared.side, f" has documents of two shapes: {told}", "give all of them in one")

    def has_items(self) -> bool:
        """Whether anything was found in any document."""
        found = any(part.items or part.tags for part in self.parts.values())
        return found or any(each != [] and each != Facts(relations=[]) for each in self.facts.values())

    def texts(self) -> dict[str, str]:
        """The texts of the documents that have one."""
        return {name: part.text for name, part in self.parts.items() if part.text is not None}


def _shape_of(found: Any) -> str:
    """What a document looks like; nothing if it has nothing that could tell."""
    if isinstance(found, Part):
        return found.shape if found.items or found.tags else ""
    if isinstance(found, Facts):
        return "triples of texts" if found.triples else "relations between spans" if found.relations else ""
    return ""


def _unknown_shape(kind: str, unknown: Sequence[tuple[str, Any]], documents: int, side: str) -> FormatError:
    """What is said of documents that have nothing that is known, with the field that may be meant."""
    name, value = unknown[0]
    fields = fields_of(value)
    has = ", ".join(map(str, fields)) if fields is not None else f"{plain(value)!r}"[:60]
    likely = [each for each in fields or () if each not in (*IDS, *_BESIDE)]
    likely = [each for each in likely if fields and isinstance(fields[each], list | dict)] or likely[-1:]
    return wrong(
        side,
        f": {len(unknown)} of {documents} documents have none of {_KNOWN[kind]}, ... "
        f"(first: document {name!r} has {has})",
        f'name the field with field="{likely[0] if likely else "NAME"}"' if fields else None,
    )


def _is_document(kind: str, declared: Declared) -> Callable[[Any], bool]:
    if kind in ("ner", "linking"):
        from adjudge.formats.coerce import entities

        return partial(entities.is_document, bare=declared.scheme == "IO")
    if kind in ("relation", "event"):
        from adjudge.formats.coerce import relations

        return relations.is_document
    from adjudge.formats.coerce import structures

    if kind == "coref" and declared.shape == "mapping":
        return structures.is_chain_map
    if kind == "coref":
        return lambda value: structures.is_clusters(value) or (isinstance(value, Mapping) and "clusters" in value)
    return lambda value: (isinstance(value, Mapping) and "heads" in value) or _is_spacy(value)


def _is_spacy(value: Any) -> bool:
    return origin(value) == "spacy" and hasattr(value, "text")


def _parser(kind: str) -> Callable[[str, Any, Declared, Notes], Any]:
    """What takes the documents of a family; the modules of the others are not loaded."""
    if kind in ("ner", "linking"):
        from adjudge.formats.coerce import entities

        return entities.part_of
    if kind in ("relation", "event"):
        from adjudge.formats.coerce import relations

        of = relations.relations_of if kind == "relation" else relations.events_of
        return lambda _, value, declared, __: of(value, declared)
    from adjudge.formats.coerce import structures

    if kind == "amr":
        return lambda _, value, __, ___: structures.triples_of(value)
    if kind == "tree":
        return lambda name, value, declared, _: structures.dependencies_of(name, value, declared)
    return lambda _, value, declared, __: structures.clusters_of(value, declared)
