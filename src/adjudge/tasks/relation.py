"""The family of relations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from adjudge.rooms import Option
from adjudge.tasks.family import Family, Reader


def adjust(gold: Any, system: Any, *, known: str) -> tuple[Any, Any]:
    """A pair of documents whose facts are marked as known if the file `known` has them, under any names.

    Entities have the names given in gold under `names`; a document without names is unchanged.
    """
    given = gold.get("names") if isinstance(gold, Mapping) else None
    if not isinstance(given, list):
        return gold, system
    names = [[each for each in entity if isinstance(each, str)] if isinstance(entity, list) else [] for entity in given]
    facts = _facts(known)

    def marked(side: Any) -> Any:
        if not isinstance(side, Mapping) or not isinstance(side.get("facts"), list):
            return side
        return {**side, "facts": [{**each, "known": said(each)} if _is_fact(each) else each for each in side["facts"]]}

    def said(fact: Mapping[str, Any]) -> bool:
        heads, tails = (names[fact[end]] if 0 <= fact[end] < len(names) else () for end in ("head", "tail"))
        return any((head, tail, fact["type"]) in facts for head in heads for tail in tails)

    return marked(gold), marked(system)


def _is_fact(value: Any) -> bool:
    """Whether a fact is well-formed; the metric reports anything else."""
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("type"), str)
        and all(isinstance(value.get(end), int) for end in ("head", "tail"))
    )


@lru_cache(maxsize=4)
def _facts(path: str) -> frozenset[tuple[str, str, str]]:
    from adjudge.formats.relation_documents import read_train_facts

    return read_train_facts(path)


TRAIN = "training data that Ign F1 leaves out, as documents or as a list of [head name, tail name, relation]"
FAMILY = Family(
    name="relation",
    about="Relations between spans or entities, binary or n-ary.",
    metrics=("relation.strict", "relation.boundary", "relation.relaxed"),
    readers={
        "dygie": Reader(
            "DyGIE++ and SciERC, one document per line",
            "adjudge.formats.event_lines:read_dygie",
            "adjudge.formats.event_lines:read_dygie_output",
        ),
        "oneie": Reader("OneIE, one sentence per line, input or output", "adjudge.formats.event_lines:read_oneie"),
        "docred": Reader(
            "DocRED documents, and a system's list of relations (relation.docred)",
            "adjudge.formats.relation_documents:read_docred",
            "adjudge.formats.relation_documents:read_docred_result",
            metrics=("relation.docred", "relation.docred-evidence"),
        ),
        "scirex": Reader(
            "SciREX documents, and a system's folder of three files (relation.scirex-*)",
            "adjudge.formats.relation_documents:read_scirex",
            "adjudge.formats.relation_documents:read_scirex_output",
            metrics=(
                *("relation.scirex-mentions", "relation.scirex-clusters"),
                *("relation.scirex-binary", "relation.scirex-4ary"),
            ),
        ),
        "doccano": Reader("an export of doccano, JSON lines", "adjudge.formats.exports:read_export"),
        "label-studio": Reader("an export of Label Studio, JSON", "adjudge.formats.exports:read_export"),
        "llm": Reader(
            "raw answers of a language model under output, with triples", "adjudge.formats.exports:read_export"
        ),
        "triples": Reader(
            "tab-separated subject, relation, object and optionally a document (relation.triples)",
            "adjudge.formats.exports:read_triple_lines",
            metrics=("relation.triples",),
        ),
        "csv": Reader(
            "a table with columns subject, relation, object and one for the document (relation.triples)",
            "adjudge.formats.exports:read_csv",
            metrics=("relation.triples",),
        ),
        "inspect": Reader("a log of Inspect: targets are gold, answers a system", "adjudge.formats.exports:read_log"),
        "brat": Reader(
            "a folder of brat: an .ann file with its .txt for each document",
            "adjudge.formats.brat_documents:read_brat_documents",
        ),
    },
    example="adjudge relation score gold.jsonl system.jsonl --reader dygie",
    options={"known": Option(f"relation.docred-ign: {TRAIN}.", "FILE")},
    adjust=adjust,
)
