"""Coreference: chains of mentions compared as partitions.

Documents are {"id", "clusters": [[mention, ...], ...]}; a mention is anything that can be compared for equality, such
as [first, last]. Here is what the metrics are; the command `adjudge coref score` computes all of them from one table,
reads the files of the field and has the conventions of its scorers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from adjudge.algebra import dice, exact, f, ir, many_to_many, mapped, overlap, record, set_of
from adjudge.errors import UsageError
from adjudge.metrics.base import Metric
from adjudge.metrics.derived import Combined
from adjudge.metrics.registry import metric

if TYPE_CHECKING:
    from adjudge.stats.measure import Measure

LAWS = ("self", "order", "swap", "bounded", "pooled")
LINK_LAWS = ("perfect", *LAWS[1:])  # a chain of one mention has no link
EXAMPLE = {"id": "d1", "clusters": [[[0, 1], [5, 5]], [[3, 4], [8, 8], [11, 12]]]}
Rule = Literal["2014", "8.01"]


@metric("coref.mentions", within="clusters", laws=LAWS, example=EXAMPLE)
def mentions(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the mentions, whatever their chains.

    >>> mentions.score([["a", "b"], ["c"]], [["a"], ["b", "x"]]).recall
    0.666...
    """
    return f(mapped(set_of(exact), by="flatten"), beta=beta)


@metric("coref.muc", within="clusters", laws=LINK_LAWS, example=EXAMPLE)
def muc(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of links: those needed to hold each chain together that the other side does not cut.

    Each pair of chains adds |X & Y| - 1 (Eq. 21; Vilain et al. 1995); a chain of one mention has no link.

    >>> muc.score([["a", "b", "c", "d"]], [["a", "b"], ["c", "d"]]).recall
    0.666...
    """
    return f(many_to_many(overlap(by="link")), beta=beta)


@metric("coref.b3", within="clusters", laws=LAWS, example=EXAMPLE)
def b3(*, beta: float = 1.0) -> ir.Similarity:
    """B-cubed: the mean over mentions of how much of their chain is right.

    For a mention in X and Y, precision adds |X & Y| / |X| and recall |X & Y| / |Y| (Eq. 25; Bagga and Baldwin 1998).

    >>> b3.score([["a", "b", "c"]], [["a", "b"], ["c", "d"]]).recall
    0.555...
    """
    return f(_members("precision"), _members("recall"), beta=beta)


@metric("coref.ceafm", within="clusters", laws=LAWS, example=EXAMPLE)
def ceafm(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of mentions in the best 1:1 alignment of chains (CEAF with phi3 = |X & Y|; Luo 2005).

    >>> ceafm.score([["a", "b", "c"]], [["a", "b"], ["c"]]).f1
    0.666...
    """
    return f(set_of(overlap(by="count")), beta=beta)


@metric("coref.ceafe", within="clusters", laws=LAWS, example=EXAMPLE)
def ceafe(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of the best 1:1 alignment of chains by their Dice (CEAF with phi4 = 2 |X & Y| / (|X| + |Y|); Luo 2005).

    >>> ceafe.score([[1, 2], [3]], [[1, 2, 3]]).f1
    0.533...
    """
    return f(set_of(dice()), beta=beta)


@metric("coref.lea", within="clusters", laws=LAWS, example=EXAMPLE)
def lea(*, beta: float = 1.0) -> ir.Similarity:
    """Chains weighted by size, each by the share of its links that the other side has (Moosavi and Strube 2016).

    Recall adds |Y| T(X & Y) / T(Y) with T(n) = n (n - 1) / 2 for every pair of chains, precision |X| T(X & Y) / T(X); a
    chain of one mention is right iff it is a chain of its own on the other side.

    >>> lea.score([["a", "b", "c"]], [["a", "b"], ["c"]]).recall
    0.333...
    """
    precision, recall = (many_to_many(overlap(by=by)) for by in _SHARES)
    return f(precision, recall, beta=beta)


@metric("coref.blanc", within="clusters", laws=LAWS, example=EXAMPLE)
def blanc(*, rule: Rule | float = "2014") -> Combined:
    """The mean of two scores: of links within chains and of links between chains (BLANC; Luo et al. 2014).

    A kind of links that neither side has is left out, and if there are no links the score is 1 if the mentions are the
    same and else 0. With rule=8.01, a kind that gold does not have is left out, and without links the score is 0.

    >>> blanc.score([["a", "b"], ["c"]], [["a", "b", "c"]])
    recall=0.5 precision=0.166... f1=0.25
    """
    chosen = rule if isinstance(rule, str) else f"{rule:g}"  # without quotes it is read as a number
    if chosen not in ("2014", "8.01"):
        raise UsageError(f"coref.blanc has no rule {chosen}", hint="use 2014 or 8.01")
    coref = _member("coref.blanc.coref", f(many_to_many(overlap(by="pairs"))))
    noncoref = _member("coref.blanc.noncoref", f(mapped(set_of(exact), by="separations")))
    own = mentions()
    return Blanc("coref.blanc", ((coref, "f1"), (noncoref, "f1"), (own, "f1")), part="f1", rule=cast("Rule", chosen))


@metric("coref.conll", within="clusters", laws=LAWS, example=EXAMPLE)
def conll() -> Combined:
    """The mean F1 of MUC, B3 and CEAFe, the figure of the CoNLL shared tasks.

    >>> conll.score([["a", "b"], ["c"]], [["a", "b"], ["c"]]).f1
    1.0
    """
    return Combined("coref.conll", tuple((each(), "f1") for each in (muc, b3, ceafe)), part="f1")


@metric("coref.kbp", within="clusters", laws=LAWS, example=EXAMPLE)
def kbp(*, rule: Rule | float = "2014") -> Combined:
    """The mean F1 of MUC, B3, CEAFe and BLANC, the figure of the KBP event nugget tasks.

    >>> kbp.score([["a", "b"], ["c"]], [["a", "b"], ["c"]]).f1
    1.0
    """
    parts: list[Any] = [muc(), b3(), ceafe(), blanc(rule=rule)]
    return Combined("coref.kbp", tuple((each, "f1") for each in parts), part="f1")


_SHARES: tuple[ir.OverlapKind, ir.OverlapKind] = ("pairs-precision", "pairs-recall")


def _members(by: ir.OverlapKind) -> ir.Similarity:
    """Each mention compared together with the chain it stands in."""
    return mapped(set_of(record(mention=exact, entity=overlap(by=by))), by="memberships")


def _member(name: str, similarity: ir.Similarity) -> Metric:
    return Metric(similarity, name=name, within="clusters", origin=name)


class Blanc(Combined, frozen=True):
    """Two kinds of links and the mentions, combined by a rule on the summed counts."""

    rule: Rule = "2014"

    @property
    def parts(self) -> tuple[str, ...]:
        """What is reported."""
        return ("recall", "precision", "f1")

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The members' measures, then the rule."""
        from adjudge.stats.measure import Blanc as Rule

        coref, noncoref, own = ((each[0], each[1], each[2]) for each in (member.columns for member in self.members))
        return (
            *(measure for member in self.members for measure in member.measures),
            Rule(self.name, coref, noncoref, own, self.rule),
        )

    def definition(self) -> str:
        """What it is."""
        return f"{super().definition()}\n\nthe kinds of links are combined by the rule of {self.rule}"
