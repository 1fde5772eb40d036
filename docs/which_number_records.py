"""Nested records, for docs/which-number.md: one invoice, three answers, in the ways that scorers of JSON count."""

from __future__ import annotations

from typing import Any

from which_number_parts import Field, Row, lines

LINES = (("A1", 10), ("B2", 99), ("C3", 3))


def invoice(*pairs: tuple[str, int]) -> dict[str, Any]:
    """An invoice with its lines."""
    return {"vendor": "Acme", "lines": [{"sku": sku, "price": price} for sku, price in pairs]}


def answer(value: dict[str, Any]) -> str:
    """One document."""
    return lines([{"id": "d1", "records": value}])


ANSWERS = {
    "swapped": invoice(("A1", 99), ("B2", 3), ("C3", 10)),
    "reordered": invoice(*(LINES[place] for place in (2, 0, 1))),
    "omitted": invoice(LINES[0], LINES[2]),
}
SCORE = f"adjudge record score gold.jsonl {' '.join(f'{name}.jsonl' for name in ANSWERS)}"
STICKLER = f"{SCORE} --compat stickler-1.0.0"
DONUT = f"{SCORE} --compat donut"
RECORDS = Field(
    name="records",
    title="Nested records",
    story="""\
An invoice with a vendor and three lines, as a language model extracts it. One answer has every price on the wrong
line, one is correct except for the order of the lines, and one leaves a line out.""",
    files={"gold.jsonl": answer(invoice(*LINES)), **{f"{name}.jsonl": answer(own) for name, own in ANSWERS.items()}},
    shown=("gold.jsonl", "swapped.jsonl"),
    systems={"swapped": "prices on wrong lines", "reordered": "another order", "omitted": "a line left out"},
    rows=(
        Row("fields: `record.fields`", f"{SCORE} --metric record.fields", "record.fields", best=True),
        Row("ANLS\\* 1.0.1", f"{SCORE} --compat anls-star-1.0.1", "anls-star", part="score"),
        Row("stickler 1.0.0, score", STICKLER, "stickler", part="score"),
        Row("stickler 1.0.0, F1 overall", STICKLER, "stickler.overall"),
        Row("stickler 1.0.0, F1 aggregate", STICKLER, "stickler.aggregate"),
        Row("stickler 1.0.0, recall overall", STICKLER, "stickler.overall", part="recall"),
        Row("Donut, cal_f1", DONUT, "donut.cal_f1"),
        Row("Donut, tree edit distance", DONUT, "donut.nTED", part="score"),
        Row("autoevals 0.4.1, JSONDiff", f"{SCORE} --compat jsondiff-0.4.1", "JSONDiff", part="score"),
    ),
    why="""\
Of the seven values three are wrong if the prices are on the wrong lines (the names of the lines are correct), none in
another order, and two are missing with their line: 4/7, 1, and 5 of 7 and 5. `record.fields` aligns the lines and
counts correct, wrong, omitted and hallucinated values separately.

ANLS\\* aligns lists too, but by averages of pairs, and divides by the longer side. It compares texts, so 10
against 10.0 earns one half, and so does 5 against -5. A null on both sides earns 1, so empty fields raise the
score; an empty field that only the system has costs as much as a wrong one. stickler's recall is TP / (TP + FN):
wrong values do not lower it, and it is 1 with every price wrong. Its aggregate counts only the fields of similar
lines, so a missing line costs nothing. A text that is half correct is a true positive, and a value that pydantic
cannot read as its type stops the program. Donut's `cal_f1` puts all values of a field into one bag, without 0 and
false: prices may stand on any line. Its tree edit distance keeps the order of lists, and prefers wrong prices to
another order. So does JSONDiff, which compares lists by position, considers 1815 nearly 1912 (.974), and averages level
by level, so the vendor weighs as much as all lines together.

extract-bench 0.1.0 asks a language model about every list; `--compat extract-bench-0.1.0` counts schemas that need
none. Its precision is TP / (TP + FP), where only a field that gold does not have is FP: with all values wrong it
is 1.

We report `record.fields`, with its table of fields.""",
)
