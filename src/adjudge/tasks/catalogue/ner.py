"""Named entities."""

from __future__ import annotations

from adjudge.tasks.catalogue.family import Compat, Family, Option, Reader

_PAIR = "adjudge.formats.bio:check_sentences"
_BOTH = Option("GOLD has the gold tags in its last column but one; give the file twice if it has the system's as well.")


def _strict(about: str, name: str) -> Reader:
    return Reader(about, f"adjudge.formats.bio:read_{name}_gold", f"adjudge.formats.bio:read_{name}", _PAIR)


FAMILY = Family(
    name="ner",
    about="Named entities from tags of tokens, or spans with types.",
    metrics=("ner.strict", "ner.exact", "ner.type", "ner.partial"),
    readers={
        "bio": Reader(
            "columns, the tag in the last one; every run of a type is an entity",
            "adjudge.formats.bio:read_bio",
            pair=_PAIR,
        ),
        "bio-both": Reader(
            "one file with both: gold tags in the last column but one, the system's in the last",
            "adjudge.formats.bio:read_both_gold",
            "adjudge.formats.bio:read_bio",
            _PAIR,
        ),
        "iob1": _strict("columns, strictly IOB1: B- only after an entity of the same type", "iob1"),
        "iob2": _strict("columns, strictly IOB2 (BIO): every entity begins with B-", "iob2"),
        "ioe2": _strict("columns, strictly IOE2: every entity ends with E-", "ioe2"),
        "iobes": _strict("columns, strictly IOBES: S- for a single token, B- I- E- for several", "iobes"),
        "bilou": _strict("columns, strictly BILOU: U- for a single token, B- I- L- for several", "bilou"),
    },
    default="bio",
    compats={
        "conlleval": Compat(
            "conlleval.pl of 2004-01-26 (CoNLL-2000 to 2003)",
            "adjudge.tasks.catalogue.conlleval:run",
            {"both-columns": _BOTH},
        ),
        "seqeval-1.2.2": Compat(
            "classification_report of seqeval 1.2.2",
            "adjudge.tasks.catalogue.seqeval:run",
            {
                "both-columns": _BOTH,
                "scheme": Option(
                    "Its strict mode with this scheme.", choices=("IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU")
                ),
            },
        ),
        "nervaluate-1.2.1": Compat(
            "summary_report of nervaluate 1.2.1",
            "adjudge.tasks.catalogue.nervaluate:run",
            {
                "both-columns": _BOTH,
                "scenario": Option(
                    "Its report for each type in this scenario.", choices=("strict", "exact", "partial", "ent_type")
                ),
                "min-overlap": Option("The least overlap, in percent of the gold entity (1).", metavar="PERCENT"),
            },
        ),
    },
    example="adjudge ner score gold.bio system.bio",
)
