"""The family of meaning graphs: its metrics, the notation it reads, and the scorers it can stand in for."""

from __future__ import annotations

from adjudge.tasks.family import Family, Reader

FAMILY = Family(
    name="amr",
    about="Meaning graphs (AMR): proven optimal Smatch, related scores.",
    metrics=(
        "amr.smatch",
        "amr.unlabelled",
        "amr.no-wsd",
        "amr.concepts",
        "amr.named-entities",
        "amr.negation",
        "amr.wiki",
        "amr.reentrancy",
        "amr.srl",
    ),
    readers={
        "penman": Reader(
            "Penman notation, graphs paired by # ::id where all have one, else by order",
            "adjudge.formats.penman:read_penman",
        ),
        "penman-in-order": Reader(
            "Penman notation, graphs paired by order whatever their ids are",
            "adjudge.formats.penman:read_penman_in_order",
        ),
    },
    default="penman",
    example="adjudge amr score gold.amr system.amr --metric amr.smatch",
)
