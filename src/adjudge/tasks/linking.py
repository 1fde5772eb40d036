"""The family of entity linking."""

from __future__ import annotations

from adjudge.tasks.family import Family, Reader

FAMILY = Family(
    name="linking",
    about="Entity linking: mentions, links, unlinked clusters.",
    metrics=(
        "linking.mention",
        "linking.typed",
        "linking.link",
        "linking.nil",
        "linking.typed-all",
        "linking.ceafm",
        "linking.typed-ceafm",
        "linking.b3",
        "linking.b3-plus",
    ),
    readers={
        "neleval": Reader(
            "tables of neleval: document, first, last, id, score, type", "adjudge.formats.linking:read_neleval"
        ),
        "edl": Reader(
            "the tab format of the TAC tasks, DOC:first-last in column 4", "adjudge.formats.linking:read_edl"
        ),
        "csv": Reader("a table with a row per mention", "adjudge.formats.exports:read_csv"),
        "pubtator": Reader(
            "PubTator: titles, abstracts and their annotations", "adjudge.formats.biomedical:read_pubtator"
        ),
        "bioc": Reader("a BioC collection in XML", "adjudge.formats.biomedical:read_bioc"),
    },
    default="neleval",
    example="adjudge linking score gold.tsv system.tsv",
)
