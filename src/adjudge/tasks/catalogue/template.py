"""The family of templates."""

from __future__ import annotations

from adjudge.tasks.catalogue.family import Compat, Family, Option, Reader

FAMILY = Family(
    name="template",
    about="Templates: incidents with slots and their fillers.",
    metrics=("template.muc4",),
    readers={
        "muc4": Reader("MUC-4 key and response files (template.muc4)", "adjudge.formats.muc4_documents:read_muc4"),
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
    },
    example="adjudge template score key.txt response.txt --compat muc4-3.3",
)
