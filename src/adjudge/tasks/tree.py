"""Dependency trees."""

from __future__ import annotations

from adjudge.tasks.family import Family, Reader

_PAIR = "adjudge.scorers.ud2018:align_documents"

FAMILY = Family(
    name="tree",
    about="Dependency trees, with gold or predicted tokens.",
    metrics=("tree.uas", "tree.las", "tree.clas", "tree.mlas", "tree.blex"),
    readers={
        "conllu": Reader(
            "CoNLL-U, without subtypes of relations and features that are not universal",
            "adjudge.formats.conllu_trees:read_conllu_trees",
            pair=_PAIR,
        ),
        "conllu-full": Reader("CoNLL-U with all of them", "adjudge.formats.conllu_trees:read_conllu_full", pair=_PAIR),
    },
    default="conllu",
    example="adjudge tree score gold.conllu system.conllu",
)
