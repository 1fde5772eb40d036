"""Collections of anything: JSON values compared as they are, and lists of records as models and people write them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from adjudge.algebra import exact, f, f1, ir, jaccard, mapped, sequence, set_of, threshold
from adjudge.algebra.shape import Anything, Fields, Ignore, Leaf, Listing, Plain, Schema
from adjudge.metrics.registry import metric

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
EXAMPLE = {"id": "d1", "items": ["a", "b", {"any": "value"}]}
RECORDS = {"id": "d1", "records": [{"name": "Ada Lovelace", "born": 1815}, {"name": "Alan Turing", "born": "1912"}]}
OF_RECORDS: dict[str, Any] = {
    "within": "records",
    "laws": ("self", "order", "swap", "bounded", "pooled"),
    "embedded": ("schema",),
    "usual": ir.Conventions(undefined="both"),
}
Text = Literal["exact", "fold", "squad"]
Blank = Literal["absent", "value"]


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


@metric("record.match", example=RECORDS, **OF_RECORDS)
def match(
    *,
    text: Text = "fold",
    numbers: bool = False,
    dates: bool = False,
    nulls: str = "",
    blank: Blank = "absent",
    schema: Any = None,
    beta: float = 1.0,
) -> ir.Similarity:
    """F1 of records, matched one-to-one so that as much as possible is right; a record counts by its share of leaves.

    Two records are worth the F1 of their leaves (2C over the leaves of both), 1 if neither has any. Texts are
    equal but for case, spacing and Unicode form (`fold`), also for punctuation and articles (`squad`), or as they are
    (`exact`); `numbers` and `dates` read texts as such. A text of nothing but space is absent, unless `blank` is value,
    and so are `nulls`, texts between commas. `schema` is a file that says how each field is compared.

    >>> gold = [{"name": "Ada", "born": 1815}, {"name": "Alan", "born": 1912}]
    >>> match.score(gold, [{"name": "ALAN", "born": 1912}, {"name": "Ada", "born": 1816}]).f1
    0.75
    """
    made = _schema(schema, Plain(text=text, numbers=numbers, dates=dates), nulls, blank)
    return f(_records(f1(_leaves_of_one(made), undefined=1), made), beta=beta)


@metric("record.fields", example=RECORDS, **OF_RECORDS)
def fields(
    *,
    text: Text = "fold",
    numbers: bool = False,
    dates: bool = False,
    nulls: str = "",
    blank: Blank = "absent",
    schema: Any = None,
    beta: float = 1.0,
) -> ir.Similarity:
    """F1 of the leaves of records, matched one-to-one, like the elements of lists in them, so that most are right.

    A leaf is one value. C correct, W wrong, O omitted and H hallucinated ones make P = C / (C + W + H) and
    R = C / (C + W + O). The options are those of `record.match`.

    >>> gold = [{"name": "Ada", "born": 1815}, {"name": "Alan", "born": 1912}]
    >>> found = fields.score(gold, [{"name": "Alan"}, {"name": "Ada", "born": 1816, "died": 1852}])
    >>> found.f1, found.wrong, found.omitted, found.hallucinated
    (0.5, 1.0, 1.0, 1.0)
    """
    return f(ir.Leaves(schema=_schema(schema, Plain(text=text, numbers=numbers, dates=dates), nulls, blank)), beta=beta)


@metric("record.field-mean", per="field", example=RECORDS, **OF_RECORDS)
def field_mean(
    *,
    text: Text = "fold",
    numbers: bool = False,
    dates: bool = False,
    nulls: str = "",
    blank: Blank = "absent",
    schema: Any = None,
) -> ir.Similarity:
    """The unweighted mean of the F1 of all fields that gold or the system has, aligned as for `record.fields`.

    The options are those of `record.match`.

    >>> gold = {"vendor": "Acme", "lines": [{"sku": "A1"}, {"sku": "B2"}]}
    >>> field_mean.score(gold, {"vendor": "Acme", "lines": [{"sku": "A1"}, {"sku": "C3"}]}).f1
    0.75
    """
    return f(ir.Leaves(schema=_schema(schema, Plain(text=text, numbers=numbers, dates=dates), nulls, blank)))


@metric("record.exact", example=RECORDS, **OF_RECORDS)
def all_right(
    *,
    text: Text = "fold",
    numbers: bool = False,
    dates: bool = False,
    nulls: str = "",
    blank: Blank = "absent",
    schema: Any = None,
    beta: float = 1.0,
) -> ir.Similarity:
    """F1 of records all of whose leaves are right, and which have none too many.

    Two records without any leaf are equal. The options are those of `record.match`.

    >>> gold = [{"name": "Ada", "born": 1815}]
    >>> all_right.score(gold, [{"born": "1815", "name": "ada"}], numbers=True).f1
    1.0
    """
    made = _schema(schema, Plain(text=text, numbers=numbers, dates=dates), nulls, blank)
    return f(_records(threshold(f1(_leaves_of_one(made), undefined=1), at_least=1), made), beta=beta)


def _schema(given: Any, plain: Plain, nulls: str, blank: Blank) -> Schema:
    from adjudge.algebra.schema_file import schema_of

    made = Schema(root=Anything(by=plain)) if given is None else schema_of(given)
    names = tuple(each for part in nulls.split(",") if (each := part.strip()))
    return msgspec.structs.replace(made, nulls=(*made.nulls, *names), blank=made.blank or blank == "value")


def _records(of: ir.Similarity, schema: Schema) -> ir.Similarity:
    """The best one-to-one matching of records, which may be one object."""
    unique = isinstance(schema.root, Listing) and schema.root.unique
    return mapped(set_of(of, duplicates="set" if unique else "multiset"), by="records")


def _leaves_of_one(schema: Schema) -> ir.Leaves:
    """The leaves of a single record."""
    root = schema.root.of if isinstance(schema.root, Listing) else schema.root
    if isinstance(root, Leaf | Listing | Ignore):
        root = Fields(fields={"value": root})
    return ir.Leaves(schema=msgspec.structs.replace(schema, root=root))
