"""The family of meaning graphs: its metrics, the notation it reads, and the scorers it can stand in for."""

from __future__ import annotations

from adjudge.tasks.catalogue.family import Compat, Family, Option, Reader

_HERE = "adjudge.tasks.catalogue"

FAMILY = Family(
    name="amr",
    about="Meaning graphs (AMR): Smatch with a proof of optimality, and its fine-grained relatives.",
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
    compats={
        "smatch-1.0.4": Compat(
            "the program smatch, with the optimum that its random search may miss",
            f"{_HERE}.amr_smatch:run",
            {"digits": Option("How many digits smatch prints after the point (2 unless told).", metavar="N")},
        ),
        "smatchpp-1.8": Compat(
            "the package smatchpp with its integer programme",
            f"{_HERE}.amr_smatchpp:run",
            {
                "standard": Option(
                    "How smatchpp standardises graphs (amr unless told).", choices=("amr", "generic", "none")
                ),
                "score-type": Option("How smatchpp adds up (micro unless told).", choices=("micro", "macro")),
            },
        ),
        "amr-evaluation": Compat(
            "the nine scores of the scripts amr-evaluation, with the optimum", f"{_HERE}.amr_evaluation:run"
        ),
    },
    example="adjudge amr score gold.amr system.amr --metric amr.smatch",
)
