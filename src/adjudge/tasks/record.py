"""The family of records: lists of JSON objects, such as language models give them."""

from __future__ import annotations

from adjudge.tasks.family import Family, Reader

FAMILY = Family(
    name="record",
    about="Records: lists of JSON objects, matched optimally, in any order.",
    metrics=("record.exact", "record.match", "record.field-mean", "record.fields"),
    readers={
        "answers": Reader(
            "raw answers of a language model under output; those without JSON count as empty, with a note",
            "adjudge.formats.answers:read_answers",
        ),
        "answers-strict": Reader(
            "the same, and an answer without JSON is an error", "adjudge.formats.answers:read_answers_strictly"
        ),
    },
    default="answers",
    example='adjudge record score gold.jsonl answers.jsonl --metric "record.match(numbers=true)"',
)
