"""What `seqeval.metrics` 1.2.2 has, with its numbers, messages and warnings.

    import adjudge.compat.seqeval as metrics

`mode="strict"` without a scheme is not strict in the functions that end in `_score`, and a scheme without
`mode="strict"` is ignored: so it is in seqeval, and both warn here. Where seqeval crashes (a report without entities,
accuracy of nothing, a tag with an unknown prefix) this returns a value, or an error that names the tag.
"""

from __future__ import annotations

import enum
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from adjudge.errors import AdjudgeWarning
from adjudge.model.prf import harmonic, ratio
from adjudge.model.tags import OUTSIDE, SCHEMES, Chunk, Turns, decode_strict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[Any]

__all__ = [
    "BILOU",
    "IOB1",
    "IOB2",
    "IOBES",
    "IOE1",
    "IOE2",
    "UndefinedMetricWarning",
    "accuracy_score",
    "auto_detect",
    "classification_report",
    "f1_score",
    "get_entities",
    "performance_measure",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
]

Tags: TypeAlias = Sequence[Sequence[str]]
_ENDS = frozenset(("BB", "BS", "BO", "IB", "IS", "IO"))
_STARTS = frozenset(("EE", "EI", "SE", "SI", "OE", "OI"))
_AVERAGES = (None, "micro", "macro", "weighted")
_ALL = ("precision", "recall", "f-score")


class UndefinedMetricWarning(UserWarning):
    """A ratio without a denominator."""


# ---------------------------------------------------------------------------------------------------------------------
# Schemes


class Prefix(enum.Flag):
    """The prefixes of tags, as seqeval numbers them."""

    I = enum.auto()  # noqa: E741
    O = enum.auto()  # noqa: E741
    B = enum.auto()
    E = enum.auto()
    S = enum.auto()
    U = enum.auto()
    L = enum.auto()


class _Scheme:
    name: ClassVar[str]


class IOB1(_Scheme):
    """B- only where an entity follows one of its type."""

    name = "IOB1"


class IOB2(_Scheme):
    """Every entity starts with B-."""

    name = "IOB2"


class IOE1(_Scheme):
    """E- only where an entity precedes one of its type."""

    name = "IOE1"


class IOE2(_Scheme):
    """Every entity ends with E-."""

    name = "IOE2"


class IOBES(_Scheme):
    """The last tag is E-, a single one S-."""

    name = "IOBES"


class BILOU(_Scheme):
    """The last tag is L-, a single one U-."""

    name = "BILOU"


_CLASSES = {each.name: each for each in (IOB1, IOB2, IOE1, IOE2, IOBES, BILOU)}
# The prefixes by which seqeval detects a scheme: the first must all occur, the others may.
_DETECTED = {
    IOB2: [("B", "IO")],
    IOE2: [("E", "IO")],
    IOBES: [("S", ""), ("BE", "IOS")],
    BILOU: [("U", ""), ("BL", "IOU")],
}


def auto_detect(sequences: Tags, suffix: bool = False, delimiter: str = "-") -> type[_Scheme]:
    """The scheme of sequences of tags.

    >>> auto_detect([["B-PER", "I-PER", "O"]]).name
    'IOB2'
    """
    found = set()
    for tag in dict.fromkeys(tag for tags in sequences for tag in tags):
        try:
            found.add(_split(tag, suffix, delimiter)[0])
        except ValueError:
            raise ValueError(f"This scheme is not supported: {tag}") from None
    for scheme, ways in _DETECTED.items():
        if any({*needed} <= found <= {*needed, *others} for needed, others in ways):
            return scheme
    raise ValueError(f"This scheme is not supported: { {Prefix[each] for each in found} }")


def _scheme_name(scheme: Any) -> str:
    name = scheme if isinstance(scheme, str) else getattr(scheme, "__name__", type(scheme).__name__)
    if name not in _CLASSES:
        raise ValueError(f"there is no scheme {name!r}; use {', '.join(_CLASSES)}")
    return str(name)


def _split(tag: str, suffix: bool, delimiter: str = "-") -> tuple[str, str]:
    """Prefix and type of a tag in strict mode."""
    prefix, kind = (tag[-1:], tag[:-1]) if suffix else (tag[:1], tag[1:])
    if prefix not in Prefix.__members__:
        raise ValueError(f"the tag {tag!r} has no known prefix; use B-, I-, O, E-, S-, U- or L-")
    return prefix, kind.strip(delimiter) or "_"


# ---------------------------------------------------------------------------------------------------------------------
# Entities


def get_entities(seq: Any, suffix: bool = False) -> list[tuple[str, int, int]]:
    """Type, first and last token of every entity; sentences are read as one sequence, with an O after each.

    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    nested = any(isinstance(each, list) for each in seq)
    sentences = seq if nested else [seq]
    _warn_of(sentences, suffix)
    found = default_entities(sentences, suffix=suffix)
    return [(kind, start, end - 1) for chunks in found for kind, start, end in chunks]


def default_entities(sentences: Tags, *, suffix: bool = False) -> list[list[Chunk]]:
    """The chunks of each sentence in the default mode; sentences are read as one sequence, with an O after each.

    >>> default_entities([["B-PER"], ["I-PER", "O"]])
    [[('PER', 0, 1)], [('PER', 2, 3)]]
    """
    steps: dict[tuple[str, str], tuple[bool, bool, str]] = {}
    found: list[list[Chunk]] = []
    before = ""
    start = offset = 0
    for tags in sentences:
        chunks: list[Chunk] = []
        found.append(chunks)
        if before == OUTSIDE and tags.count(OUTSIDE) == len(tags):
            offset += len(tags) + 1
            continue
        for place, tag in enumerate((*tags, OUTSIDE), offset):
            if tag == before == OUTSIDE:
                continue
            step = steps.get((before, tag))
            if step is None:
                step = steps[before, tag] = _step(before, tag, suffix)
            ends, starts, kind = step
            if ends:
                chunks.append((kind, start, place))
            if starts:
                start = place
            before = tag
        offset += len(tags) + 1
    return found


def _warn_of(sentences: Tags, suffix: bool) -> None:
    for tag in sorted(set().union(*sentences)):
        known = tag in ("O", "B", "I", "E", "S") or (
            tag.endswith(("-B", "-I", "-E", "-S")) if suffix else tag.startswith(("B-", "I-", "E-", "S-"))
        )
        if not known:
            warnings.warn(f"{tag} seems not to be NE tag.", UserWarning, stacklevel=5)


def _parts(tag: str, suffix: bool) -> tuple[str, str]:
    if not tag:  # before the first tag of all
        return OUTSIDE, ""
    if suffix:
        return tag[-1], tag[:-1].rsplit("-", maxsplit=1)[0] or "_"
    return tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"


def _step(before: str, tag: str, suffix: bool) -> tuple[bool, bool, str]:
    (left, kind), (right, other) = _parts(before, suffix), _parts(tag, suffix)
    changed = kind != other
    ends = left in "ES" or left + right in _ENDS or (left not in (OUTSIDE, ".") and changed)
    return ends, right in "BS" or left + right in _STARTS or (right not in (OUTSIDE, ".") and changed), kind


def strict_entities(sentences: Tags, scheme: str, *, suffix: bool = False) -> list[list[Chunk]]:
    """The chunks that a scheme allows, of each sentence.

    >>> strict_entities([["I-PER", "O", "B-LOC"]], "IOB2")
    [[('LOC', 2, 3)]]
    """
    allowed = Prefix(0)
    for prefix in SCHEMES[scheme].prefixes:
        allowed |= Prefix[prefix]

    def parse(tag: str) -> tuple[str, str]:
        prefix, kind = _split(tag, suffix)
        if Prefix[prefix] not in allowed:
            listed = "|".join(each.name or "" for each in Prefix if each in allowed)
            raise ValueError(f"Invalid token is found: {tag}. Allowed prefixes are: {listed}.")
        return prefix, kind

    turns = Turns(SCHEMES[scheme], parse)
    for tag in dict.fromkeys(tag for tags in sentences for tag in tags):
        parse(tag)  # the first that is wrong is named
    return [decode_strict(tags, turns) for tags in sentences]


# ---------------------------------------------------------------------------------------------------------------------
# Counts and scores


class Counts(NamedTuple):
    """The numbers of correct, system and gold entities of each type."""

    kinds: list[str]
    right: list[int]
    found: list[int]
    wanted: list[int]


def count(gold: Iterable[Sequence[Chunk]], system: Iterable[Sequence[Chunk]]) -> Counts:
    """The counts of each type.

    >>> count([[("PER", 0, 1)]], [[("PER", 0, 1), ("LOC", 2, 3)]])
    Counts(kinds=['LOC', 'PER'], right=[0, 1], found=[1, 1], wanted=[0, 1])
    """
    right, found, wanted = Counter[str](), Counter[str](), Counter[str]()
    for mine, theirs in zip(gold, system, strict=True):
        if mine or theirs:
            wanted.update([kind for kind, _, _ in mine])
            found.update([kind for kind, _, _ in theirs])
            right.update([kind for kind, _, _ in (mine if mine == theirs else {*mine}.intersection(theirs))])
    kinds = sorted({*wanted, *found})
    return Counts(kinds, *([each[kind] for kind in kinds] for each in (right, found, wanted)))


def _counts(y_true: Tags, y_pred: Tags, suffix: bool, scheme: str | None) -> Counts:
    _check_lengths(y_true, y_pred)
    if scheme is None:
        _warn_of((*y_true, *y_pred), suffix)
        sides = [default_entities(side, suffix=suffix) for side in (y_true, y_pred)]
    else:
        sides = [strict_entities(side, scheme, suffix=suffix) for side in (y_true, y_pred)]
    return count(*sides)


def _check_lengths(y_true: Tags, y_pred: Tags) -> None:
    if {*map(type, y_true), *map(type, y_pred)} != {list}:
        raise TypeError("Found input variables without list of list.")
    mine, theirs = list(map(len, y_true)), list(map(len, y_pred))
    if mine != theirs:
        raise ValueError(f"Found input variables with inconsistent numbers of samples:\n{mine}\n{theirs}")


class _Scores(NamedTuple):
    precision: Any
    recall: Any
    f: Any
    support: Any


class _How(NamedTuple):
    average: str | None = None
    warn_for: tuple[str, ...] = _ALL
    beta: float = 1.0
    zero_division: Any = "warn"


def _scores(counts: Counts, how: _How) -> _Scores:
    if how.average not in _AVERAGES:
        raise ValueError(f"average has to be one of {_AVERAGES}")
    if how.beta < 0:
        raise ValueError("beta should be >=0 in the F-beta score")
    if how.average == "micro":
        whole = Counts(["all"], [sum(counts.right)], [sum(counts.found)], [sum(counts.wanted)])
        (precision,), (recall,), (f,) = _divided(whole, how)
        return _Scores(precision, recall, f, whole.wanted[0])
    parts = _divided(counts, how)
    import numpy as np

    support = np.array(counts.wanted, dtype=int)
    if how.average is None:
        arrays = [np.array(each, dtype=float) for each in parts]
        return _Scores(arrays[0], arrays[1], arrays[2], support)
    weights = None
    total = int(support.sum())
    if how.average == "weighted":
        if total == 0:
            nothing = 0.0 if how.zero_division in ("warn", 0) else 1.0
            other = nothing if sum(counts.found) == 0 else 0.0
            return _Scores(other, nothing, other, total)
        weights = support
    if not counts.kinds:
        return _Scores(float("nan"), float("nan"), float("nan"), total)
    precision, recall, f = (float(np.average(np.array(each, dtype=float), weights=weights)) for each in parts)
    return _Scores(precision, recall, f, total)


def _divided(counts: Counts, how: _How) -> tuple[list[float], list[float], list[float]]:
    """Precision, recall and F of each row, with the warnings that seqeval gives."""
    _, right, found, wanted = counts
    precision = _ratios(right, found, "precision", "predicted", how)
    recall = _ratios(right, wanted, "recall", "true", how)
    neither = any(not mine and not theirs for mine, theirs in zip(wanted, found, strict=True))
    if neither and how.zero_division == "warn" and how.warn_for == ("f-score",):
        _warn("F-score is", "true nor predicted", len(wanted))
    if how.beta == float("inf"):
        return precision, recall, list(recall)
    square = how.beta**2
    return precision, recall, [harmonic(p, r, square) for p, r in zip(precision, recall, strict=True)]


def _ratios(above: Sequence[int], below: Sequence[int], name: str, missing: str, how: _How) -> list[float]:
    nothing = 0.0 if how.zero_division in ("warn", 0) else 1.0
    ratios = [ratio(a, b, nothing) for a, b in zip(above, below, strict=True)]
    if how.zero_division == "warn" and name in how.warn_for and 0 in below:
        both = "f-score" in how.warn_for
        _warn(f"{name.title()} and F-score are" if both else f"{name.title()} is", missing, len(below))
    return ratios


def _warn(start: str, missing: str, number: int) -> None:
    where = "due to" if number == 1 else "in labels with"
    text = f"{start} ill-defined and being set to 0.0 {where} no {missing} samples."
    message = f"{text} Use `zero_division` parameter to control this behavior."
    warnings.warn(message, UndefinedMetricWarning, stacklevel=6)


# ---------------------------------------------------------------------------------------------------------------------
# The functions of seqeval


def _strict(mode: str | None, scheme: Any) -> str | None:
    """The scheme, if a score is strict, which takes both `mode` and `scheme`."""
    if mode == "strict" and scheme:
        return _scheme_name(scheme)
    if mode == "strict":
        warnings.warn('mode="strict" without scheme= is not strict, as in seqeval', AdjudgeWarning, stacklevel=4)
    elif scheme:
        warnings.warn('scheme= without mode="strict" changes nothing, as in seqeval', AdjudgeWarning, stacklevel=4)
    return None


def precision_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,  # noqa: ARG001  # seqeval takes and ignores it
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Any:
    """Precision of entities.

    >>> precision_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    0.5
    """
    counts = _counts(y_true, y_pred, suffix, _strict(mode, scheme))
    return _scores(counts, _How(average, ("precision",), zero_division=zero_division)).precision


def recall_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,  # noqa: ARG001  # seqeval takes and ignores it
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Any:
    """Recall of entities.

    >>> recall_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    1.0
    """
    counts = _counts(y_true, y_pred, suffix, _strict(mode, scheme))
    return _scores(counts, _How(average, ("recall",), zero_division=zero_division)).recall


def f1_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,  # noqa: ARG001  # seqeval takes and ignores it
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Any:
    """F1 of entities.

    >>> f1_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    0.6666666666666666
    """
    counts = _counts(y_true, y_pred, suffix, _strict(mode, scheme))
    return _scores(counts, _How(average, ("f-score",), zero_division=zero_division)).f


def precision_recall_fscore_support(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = None,
    warn_for: tuple[str, ...] = _ALL,
    beta: float = 1.0,
    sample_weight: Any = None,  # noqa: ARG001  # seqeval takes and ignores it
    zero_division: Any = "warn",
    suffix: bool = False,
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall, F and the number of gold entities: arrays by type, or their average."""
    return _scores(_counts(y_true, y_pred, suffix, None), _How(average, tuple(warn_for), beta, zero_division))


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """The share of correct tags; 0 if there are none.

    >>> accuracy_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    0.5
    """
    mine, theirs = _flat(y_true, y_pred)
    return sum(a == b for a, b in zip(mine, theirs, strict=False)) / len(mine) if mine else 0.0


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """True positive, false positive, false negative and true negative tags.

    >>> performance_measure([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    {'TP': 1, 'FP': 1, 'FN': 0, 'TN': 0}
    """
    pairs = list(zip(*_flat(y_true, y_pred), strict=False))
    return {
        "TP": sum(a == b != OUTSIDE for a, b in pairs),
        "FP": sum(a != b != OUTSIDE for a, b in pairs),
        "FN": sum(a != OUTSIDE and b == OUTSIDE for a, b in pairs),
        "TN": sum(a == b == OUTSIDE for a, b in pairs),
    }


def _flat(*sides: Any) -> Iterator[list[str]]:
    nested = any(isinstance(each, list) for each in sides[0])
    return ([tag for tags in side for tag in tags] if nested else list(side) for side in sides)


def classification_report(
    y_true: Tags,
    y_pred: Tags,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,  # noqa: ARG001  # seqeval takes and ignores it
    zero_division: Any = "warn",
    scheme: Any = None,
) -> str | dict[str, dict[str, Any]]:
    """Precision, recall, F1 and support of every type, and their averages; strict mode may detect the scheme."""
    _check_lengths(y_true, y_pred)
    strict = None
    if mode == "strict":
        strict = _scheme_name(scheme or auto_detect(y_true, suffix))
    elif scheme:
        warnings.warn('scheme= without mode="strict" changes nothing, as in seqeval', AdjudgeWarning, stacklevel=2)
    counts = _counts(y_true, y_pred, suffix, strict)
    if not output_dict:
        return report(counts, digits, zero_division)
    names = ("precision", "recall", "f1-score", "support")
    return {name: dict(zip(names, row, strict=True)) for name, row in _rows(counts, zero_division)}


def _rows(counts: Counts, zero_division: Any) -> list[tuple[str, tuple[Any, ...]]]:
    each = _scores(counts, _How(zero_division=zero_division))
    rows: list[tuple[str, tuple[Any, ...]]] = list(zip(counts.kinds, zip(*each, strict=True), strict=True))
    for average in ("micro", "macro", "weighted"):
        rows.append((f"{average} avg", tuple(_scores(counts, _How(average, zero_division=zero_division)))))
    return rows


def report(counts: Counts, digits: int = 2, zero_division: Any = 0) -> str:
    """The scores of types and then their averages as seqeval prints them; those of nothing are 0."""
    rows = _rows(counts, zero_division)
    width = max([*(len(name) for name, _ in rows), digits])
    lines = [f"{'':>{width}} " + "".join(f" {name:>9}" for name in ("precision", "recall", "f1-score", "support"))]
    for number, (name, (*scores, support)) in enumerate(rows):
        if number in (0, len(counts.kinds)):
            lines.append("")
        values = (0.0 if score != score else score for score in scores)
        lines.append(f"{name:>{width}} " + "".join(f" {value:>9.{digits}f}" for value in values) + f" {support:>9}")
    return "\n".join(lines) + "\n"
