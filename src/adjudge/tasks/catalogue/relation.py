"""The family of relations."""

from __future__ import annotations

from adjudge.tasks.catalogue.family import Compat, Family, Option, Reader

TRAIN = "training data that Ign F1 leaves out, as documents or as a list of [head name, tail name, relation]"
FAMILY = Family(
    name="relation",
    about="Relations: between spans, between entities of a document, and among several entities.",
    metrics=("relation.strict", "relation.boundary", "relation.relaxed"),
    readers={
        "dygie": Reader(
            "DyGIE++ and SciERC, one document per line",
            "adjudge.formats.dygie:read_dygie",
            "adjudge.formats.dygie:read_dygie_output",
        ),
        "oneie": Reader("OneIE, one sentence per line, input or output", "adjudge.formats.oneie:read_oneie"),
        "docred": Reader(
            "DocRED documents, and a system's list of relations (relation.docred)",
            "adjudge.formats.docred:read_docred",
            "adjudge.formats.docred:read_docred_result",
            metrics=("relation.docred", "relation.docred-evidence"),
        ),
        "scirex": Reader(
            "SciREX documents, and a system's folder of three files (relation.scirex-*)",
            "adjudge.formats.scirex:read_scirex",
            "adjudge.formats.scirex:read_scirex_output",
            metrics=(
                *("relation.scirex-mentions", "relation.scirex-clusters"),
                *("relation.scirex-binary", "relation.scirex-4ary"),
            ),
        ),
    },
    compats={
        "docred": Compat(
            "the evaluation script of DocRED: F1, evidence F1, Ign F1",
            "adjudge.tasks.catalogue.docred:run",
            {
                "train-annotated": Option(f"DocRED: {TRAIN}.", "FILE"),
                "train-distant": Option(
                    f"DocRED: the same for distantly supervised {TRAIN.partition(' that')[0]}.", "FILE"
                ),
            },
        ),
        "oneie": Compat(
            "OneIE: its report of sentences; relations have no direction", "adjudge.tasks.catalogue.oneie:run"
        ),
        "dygie": Compat("DyGIE++: one label per ordered pair of spans", "adjudge.tasks.catalogue.dygie_relations:run"),
        "scirex": Compat(
            "the end-to-end script of SciREX, with a fixed order of ties", "adjudge.tasks.catalogue.scirex:run"
        ),
    },
    example="adjudge relation score gold.jsonl system.jsonl --reader dygie",
    options={"known": Option(f"relation.docred-ign: {TRAIN}.", "FILE")},
    adjust="adjudge.tasks.catalogue.relation_adjust:adjust",
)
