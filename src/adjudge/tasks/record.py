"""The family of records: nested JSON, as language models produce it."""

from __future__ import annotations

from adjudge.rooms import Option
from adjudge.tasks.family import Family, Reader

FAMILY = Family(
    name="record",
    about="Records: nested JSON, scored field by field.",
    metrics=("record.fields", "record.exact", "record.match", "record.field-mean"),
    readers={
        "answers": Reader(
            "records, or raw answers of a language model under output; unreadable answers count as empty",
            "adjudge.formats.answers:read_answers",
        ),
        "answers-strict": Reader(
            "the same, but unreadable answers are errors", "adjudge.formats.answers:read_answers_strictly"
        ),
        "csv": Reader("a table with a row per record", "adjudge.formats.exports:read_record_table"),
        "inspect": Reader(
            "a log of Inspect: targets are gold, answers a system",
            "adjudge.formats.exports:read_inspect_gold",
            "adjudge.formats.exports:read_inspect",
        ),
    },
    default="answers",
    example="adjudge record score gold.jsonl answers.jsonl --schema invoice.yaml",
    options={
        "schema": Option(
            "How fields are compared: a file of fields, a JSON Schema, or module:Class; with --compat a JSON Schema.",
            "FILE",
        ),
        "field": Option("The key of the records in the lines of gold (and of systems).", "NAME"),
        "system-field": Option("The key of the records in the lines of systems, if it differs.", "NAME"),
        "repair": Option("Also read answers that are almost JSON, and report how many and why."),
    },
    gold={"field": "field"},
    system={"field": "field", "system-field": "field", "repair": "repair"},
    of_metrics={"schema": "schema"},
)
