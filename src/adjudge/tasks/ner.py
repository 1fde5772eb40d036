"""Named entities."""

from __future__ import annotations

from adjudge.tasks.family import Family, Reader

_BRAT = "adjudge.formats.brat_documents:read_brat_documents"
_EXPORT = "adjudge.formats.exports:read_export"
_PAIR, _WORDS = "adjudge.formats.bio:check_sentences", "adjudge.formats.bio:read_words"


def _strict(about: str, name: str) -> Reader:
    gold, system = f"adjudge.formats.bio:read_{name}_gold", f"adjudge.formats.bio:read_{name}"
    return Reader(about, gold, system, _PAIR, words=_WORDS)


FAMILY = Family(
    name="ner",
    about="Named entities: token tags, or typed spans.",
    metrics=("ner.strict", "ner.exact", "ner.type", "ner.partial"),
    readers={
        "bio": Reader(
            "columns, the tag in the last one; every run of a type is an entity",
            "adjudge.formats.bio:read_bio",
            pair=_PAIR,
            words=_WORDS,
        ),
        "bio-both": Reader(
            "one file with both: gold tags in the last column but one, the system's in the last",
            "adjudge.formats.bio:read_both_gold",
            "adjudge.formats.bio:read_bio",
            _PAIR,
            words=_WORDS,
        ),
        "iob1": _strict("columns, strictly IOB1: B- only after an entity of the same type", "iob1"),
        "iob2": _strict("columns, strictly IOB2 (BIO): every entity begins with B-", "iob2"),
        "ioe2": _strict("columns, strictly IOE2: every entity ends with E-", "ioe2"),
        "iobes": _strict("columns, strictly IOBES: S- for a single token, B- I- E- for several", "iobes"),
        "bilou": _strict("columns, strictly BILOU: U- for a single token, B- I- L- for several", "bilou"),
        "prodigy": Reader("an export of Prodigy, JSON lines", _EXPORT),
        "doccano": Reader("an export of doccano, JSON lines", _EXPORT),
        "label-studio": Reader("an export of Label Studio, JSON", _EXPORT),
        "llm": Reader("raw answers of a language model under output, found in the texts of gold", _EXPORT),
        "csv": Reader(
            "a table with a row per token, per entity or per document (lists in its cells)",
            "adjudge.formats.exports:read_csv",
        ),
        "brat": Reader("a folder of brat: an .ann file with its .txt for each document", _BRAT),
        "pubtator": Reader(
            "PubTator: titles, abstracts and their annotations", "adjudge.formats.biomedical:read_pubtator"
        ),
        "bioc": Reader("a BioC collection in XML", "adjudge.formats.biomedical:read_bioc"),
        "webanno": Reader(
            "WebAnno TSV 3, one document",
            "adjudge.formats.webanno:read_webanno",
            pair="adjudge.formats.webanno:pair_single",
        ),
        "dygie": Reader(
            "DyGIE++ and SciERC, one document per line",
            "adjudge.formats.event_lines:read_dygie",
            "adjudge.formats.event_lines:read_dygie_output",
        ),
        "spacy": Reader("a DocBin of spaCy (.spacy), which needs spaCy", "adjudge.formats.exports:read_docbin"),
        "dataset": Reader(
            "a dataset of Hugging Face, saved as a folder or Parquet, which needs pyarrow",
            "adjudge.formats.exports:read_dataset",
        ),
        "inspect": Reader("a log of Inspect: targets are gold, answers a system", "adjudge.formats.exports:read_log"),
        "xmi": Reader(
            "UIMA XMI, one document", "adjudge.formats.webanno:read_xmi", pair="adjudge.formats.webanno:pair_single"
        ),
    },
    default="bio",
    example="adjudge ner score gold.bio system.bio",
)
