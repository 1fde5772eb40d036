"""Collections of anything: JSON values compared as they are, and lists of records as models and people write them."""

from __future__ import annotations

from typing import Literal

from adjudge.algebra import exact, f, f1, ir, jaccard, mapped, overlap, sequence, set_of, threshold
from adjudge.metrics.record_schema import of_fields, read_schema
from adjudge.metrics.registry import metric

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
EXAMPLE = {"id": "d1", "items": ["a", "b", {"any": "value"}]}
RECORDS = {"id": "d1", "records": [{"name": "Ada Lovelace", "born": 1815}, {"name": "Alan Turing", "born": "1912"}]}
RECORD_LAWS = ("self", "order", "swap", "bounded", "pooled")
Text = Literal["exact", "fold", "squad"]


@metric("record.set", within="items", laws=LAWS, example=EXAMPLE)
def set_f(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of two sets of equal values.

    F = 2 |S & G| / (|S| + |G|) (Eq. 6).

    >>> set_f.score([3, 4, 5], [1, 2, 3, 4])
    precision=0.5 recall=0.666... f1=0.571...
    """
    return f(set_of(exact), beta=beta)


@metric("record.jaccard", within="items", laws=LAWS, example=EXAMPLE)
def set_jaccard() -> ir.Similarity:
    """Jaccard index of two sets of equal values.

    J = |S & G| / |S | G| (Eq. 7).

    >>> set_jaccard.score([3, 4, 5], [1, 2, 3, 4]).jaccard
    0.4
    """
    return jaccard(set_of(exact))


@metric("record.sequence", within="items", laws=("self", "rename", "swap", "bounded", "pooled"), example=EXAMPLE)
def in_order(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the longest common subsequence of two lists.

    F = 2 LCS(S, G) / (|S| + |G|) (Eq. 37).

    >>> in_order.score([1, 3, 5, 2, 4], [1, 2, 3, 4, 5]).f1
    0.6
    """
    return f(sequence(exact), beta=beta)


@metric("record.match", within="records", laws=RECORD_LAWS, example=RECORDS, embedded=("schema",))
def match(
    *, text: Text = "fold", numbers: bool = False, dates: bool = False, schema: str | None = None, beta: float = 1.0
) -> ir.Similarity:
    """F1 of records, matched one-to-one so that as much as possible is right; a record counts by its share of fields.

    Two records are worth the Dice of their sets of (field, value), or with `schema` the F1 of their fields. Texts are
    equal but for case, spacing and Unicode form (`fold`), also for punctuation and articles (`squad`), or as they are
    (`exact`); `numbers` and `dates` read texts as such. `schema` is a file that says how each field is compared.

    >>> gold = [{"name": "Ada", "born": 1815}, {"name": "Alan", "born": 1912}]
    >>> match.score(gold, [{"name": "ALAN", "born": 1912}, {"name": "Ada", "born": 1816}]).f1
    0.75
    """
    if schema is not None:
        return f(set_of(f1(of_fields(read_schema(schema)))), beta=beta)
    return f(set_of(_entries(text, numbers, dates, by="dice")), beta=beta)


@metric("record.fields", within="records", laws=RECORD_LAWS, example=RECORDS, embedded=("schema",))
def fields(
    *, text: Text = "fold", numbers: bool = False, dates: bool = False, schema: str | None = None, beta: float = 1.0
) -> ir.Similarity:
    """F1 of the fields of records, which are matched one-to-one so that as many fields as possible are right.

    The options are those of `record.match`.

    >>> gold = [{"name": "Ada", "born": 1815}, {"name": "Alan", "born": 1912}]
    >>> fields.score(gold, [{"name": "Alan"}, {"name": "Ada", "born": 1816, "died": 1852}])
    precision=0.5 recall=0.5 f1=0.5
    """
    if schema is not None:
        return f(set_of(of_fields(read_schema(schema))), beta=beta)
    return f(set_of(_entries(text, numbers, dates, by="count")), beta=beta)


@metric("record.exact", within="records", laws=RECORD_LAWS, example=RECORDS, embedded=("schema",))
def all_right(
    *, text: Text = "fold", numbers: bool = False, dates: bool = False, schema: str | None = None, beta: float = 1.0
) -> ir.Similarity:
    """F1 of records all of whose fields are right.

    The options are those of `record.match`.

    >>> gold = [{"name": "Ada", "born": 1815}]
    >>> all_right.score(gold, [{"born": "1815", "name": "ada"}], numbers=True).f1
    1.0
    """
    if schema is not None:
        return f(set_of(threshold(f1(of_fields(read_schema(schema))), at_least=1)), beta=beta)
    return f(set_of(threshold(_entries(text, numbers, dates, by="dice"), at_least=1)), beta=beta)


def _entries(text: Text, numbers: bool, dates: bool, *, by: Literal["dice", "count"]) -> ir.Similarity:
    steps = [*([] if text == "exact" else [text]), *(["numbers"] if numbers else []), *(["dates"] if dates else [])]
    return mapped(overlap(by=by), by=f"entries({','.join(steps)})")
