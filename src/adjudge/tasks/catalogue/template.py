"""The family of templates."""

from __future__ import annotations

from adjudge.tasks.catalogue.family import Compat, Family, Option, Reader

_READ = "adjudge.formats.templates"

FAMILY = Family(
    name="template",
    about="Templates: incidents with slots and their fillers.",
    metrics=("template.muc4",),
    readers={
        "muc4": Reader("MUC-4 key and response files (template.muc4)", "adjudge.formats.muc4:read_muc4"),
        "grit": Reader(
            "gold and output files of GRIT (template.ceaf-ree)",
            f"{_READ}:read_grit",
            f"{_READ}:read_grit_output",
            metrics=("template.ceaf-ree",),
        ),
        "gtt": Reader(
            "gold and output files of GTT (template.fillers, template.gtt-like)",
            f"{_READ}:read_gtt",
            f"{_READ}:read_gtt_output",
            metrics=("template.fillers", "template.gtt-like"),
        ),
        "iterx": Reader(
            "gold files of GTT and output of IterX (template.ceaf-rme)",
            f"{_READ}:read_iterx",
            f"{_READ}:read_iterx_output",
            metrics=("template.ceaf-rme",),
        ),
        "auto-err": Reader(
            "files of error analysis, which have both sides (template.fillers)",
            f"{_READ}:read_both",
            f"{_READ}:read_gtt_output",
            metrics=("template.fillers", "template.gtt-like"),
        ),
    },
    default="muc4",
    compats={
        "muc4-3.3": Compat(
            "the MUC-4 scorer 3.3 of 1992, without questions",
            "adjudge.tasks.catalogue.muc4:run",
            {
                "history": Option("MUC-4: decisions of people, as the scorer saves them.", "FILE"),
                "slots": Option("MUC-4: the slots of another kind of template, TOML or JSON.", "FILE"),
                "messages": Option("MUC-4: ids of all messages, if some have neither key nor response.", "FILE"),
                "report": Option(
                    "MUC-4: the totals, or before them every pair of templates.", choices=("totals", "full")
                ),
                "table": Option(
                    "MUC-4: which pairs of templates the table of slots counts.",
                    choices=("all-templates", "matched-only", "matched-missing", "matched-spurious"),
                ),
                "text-filtering": Option("MUC-4: add a row for relevant and other messages."),
                "per-slot": Option("MUC-4: with --format json, csv, ..., also a metric for each slot."),
            },
            explain="message",
        ),
        "grit": Compat(
            "the scorer of GRIT: CEAF-REE over five roles",
            "adjudge.tasks.catalogue.grit:run",
            {
                "similarity": Option(
                    "GRIT: all mentions of an entity are right (unless told), or the share of them that is.",
                    choices=("strict", "prop"),
                )
            },
        ),
        "gtt": Compat(
            "the scorer of GTT: the pairing of templates with the best F1 of the document",
            "adjudge.tasks.catalogue.gtt:run",
            {
                "event-n": Option("GTT: only documents with these numbers of templates.", choices=(">=2", "1,2,3,4")),
                "docids": Option("GTT: the documents by their number of templates, for --event-n.", "FILE"),
            },
        ),
        "iterx": Compat(
            "the scorer of IterX: CEAF-RME with phi-3 or phi-subset",
            "adjudge.tasks.catalogue.iterx:run",
            {
                "phi": Option("IterX: the similarity (3 unless told).", choices=("3", "subset")),
                "denominators": Option(
                    "IterX: phi-3 over mentions, as the code has it, or over entities, as its released files.",
                    choices=("code", "files"),
                ),
                "dataset": Option("IterX: SciREX merges the mentions of a slot.", choices=("muc", "scirex")),
                "ignore-no-template-doc": Option("IterX: leave out documents without gold templates."),
                "per-document": Option("IterX: a line for each document before the totals."),
            },
        ),
        "auto-err": Compat(
            "the error analysis of Das et al. (2022)",
            "adjudge.tasks.catalogue.auto_err:run",
            {
                "mode": Option(
                    "auto-err: templates are paired if their types are the same (unless told), or always.",
                    choices=("MUC_Errors", "Errors"),
                ),
                "roles": Option("auto-err: the roles, if they are not those of MUC-4.", "NAMES"),
            },
        ),
    },
    example="adjudge template score key.txt response.txt --compat muc4-3.3",
)
