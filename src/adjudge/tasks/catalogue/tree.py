"""Dependency trees."""

from __future__ import annotations

from adjudge.tasks.catalogue.family import Compat, Family, Option, Reader

_PAIR = "adjudge.tasks.catalogue.words:align_documents"

FAMILY = Family(
    name="tree",
    about="Dependency trees, whose words may be cut differently.",
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
    compats={
        "ud-2018": Compat(
            "conll18_ud_eval.py 1.2 of the CoNLL 2018 shared task, its table of all metrics",
            "adjudge.tasks.catalogue.ud2018:run",
            {"counts": Option("Its counts instead of its scores.")},
        )
    },
    example="adjudge tree score gold.conllu system.conllu",
)
