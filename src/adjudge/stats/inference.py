"""The choice of intervals, tests and numbers of resamples, the same for every task.

Below a hundred documents intervals and tests come from the jackknife, with Student's quantiles; from there on, from
the bootstrap. The test follows the interval, so that a difference is significant if and only if its interval excludes
zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from adjudge.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from adjudge.stats.result import Comparison, Options

INTERVALS = ("auto", "jackknife", "percentile", "bca")
TESTS = ("auto", "jackknife", "bootstrap", "randomisation")
CENTRED = "centred"  # an interval and a test of knowledge bases only
OLD_TESTS = {"paired-bootstrap": "bootstrap", "approximate-randomisation": "randomisation"}
_FOLLOWS = {"jackknife": "jackknife", "percentile": "bootstrap", "bca": "bootstrap", CENTRED: CENTRED}

RESAMPLES = 1000  # for intervals
MOST_TESTED = 100_000  # resamples that tests choose by default
ALPHA = 0.05
MOST = 1_000_000  # resamples; more add nothing, and do not fit into memory
ENOUGH = 100  # documents from which the bootstrap is the default
FEW = 20  # documents below which intervals and tests are rough
LEAST = 5  # documents below which nothing is marked as significant
FEWEST_CLUSTERS = 5


def check_level(level: float) -> float:
    """A confidence level strictly between 0 and 1.

    >>> check_level(0.95)
    0.95
    """
    if not 0 < level < 1:
        raise UsageError(f"a level of {level:g} is not between 0 and 1", hint="0.95 stands for 95 %")
    return level


class Inference(msgspec.Struct, frozen=True, kw_only=True):
    """The choices that every scoring shares; a wrong one raises a `UsageError`.

    Without `bootstrap` there are 1000 resamples for intervals, and for tests as many as their number requires; with 0
    there are neither intervals nor tests. Documents with the same value of the field `cluster_by` are drawn, left out
    and exchanged together.

    >>> Inference(test="paired-bootstrap").test
    'bootstrap'
    """

    bootstrap: int | None = None
    level: float = 0.95
    seed: int = 13
    interval: str = "auto"
    test: str = "auto"
    cluster_by: str | None = None

    def __post_init__(self) -> None:
        check_level(self.level)
        if self.bootstrap is not None and self.bootstrap < 0:
            raise UsageError(f"bootstrap is {self.bootstrap}", hint="give 0 to turn intervals off")
        if self.bootstrap is not None and self.bootstrap > MOST:
            raise UsageError(f"{self.bootstrap} resamples are too many", hint=f"give at most {MOST}")
        msgspec.structs.force_setattr(self, "test", OLD_TESTS.get(self.test, self.test))
        for kind, value, known in (("interval", self.interval, INTERVALS), ("test", self.test, TESTS)):
            if value not in (*known, CENTRED):
                hint = did_you_mean(value, known) or f"{kind}s: {', '.join(known)}"
                raise UsageError(f"no {kind} {value}", hint=hint)

    @property
    def resamples(self) -> int:
        """For intervals; 0 turns them off."""
        return RESAMPLES if self.bootstrap is None else self.bootstrap

    def for_tests(self, family: int) -> int:
        """The number of resamples of the tests of a family of so many.

        Where not even the most of them could make a difference significant, the usual number does.

        >>> Inference().for_tests(55), Inference(bootstrap=1000).for_tests(55), Inference().for_tests(5001)
        (10999, 1000, 1000)
        """
        if self.bootstrap is not None:
            return self.bootstrap
        return RESAMPLES if hidden(family, MOST_TESTED) else resamples_for(family)

    def of_families(self, sizes: Mapping[tuple[str, ...], int]) -> tuple[int, ...]:
        """The numbers of resamples in a signature: for the tests of the whole corpus, and the most for those of slices.

        >>> Inference().of_families({(): 1, ("lang",): 20, ("genre",): 10})
        (1000, 3999)
        """
        whole = self.for_tests(sizes.get((), 1))
        most = max((self.for_tests(size) for fields, size in sizes.items() if fields), default=whole)
        return (whole,) if most == whole else (whole, most)


OFF = Inference(bootstrap=0)
"""Neither intervals nor tests."""


def inherited(options: Options, **given: Any) -> Inference:
    """The choices of a saved result, overridden by those that are given and not None."""
    kept = None if options.bootstrap == RESAMPLES else options.bootstrap
    saved: dict[str, Any] = {"bootstrap": kept, "level": options.level, "seed": options.seed}
    # Before there was a choice of intervals, this test was the default.
    saved["cluster_by"] = options.cluster_by
    saved |= {"interval": options.interval, "test": "auto" if options.test == "paired-bootstrap" else options.test}
    return Inference(**{**saved, **{name: value for name, value in given.items() if value is not None}})


def chosen_interval(asked: str, documents: int, *, additive: bool = True) -> str:
    """The interval to use: `auto` is the jackknife below 100 documents, else the percentile interval.

    Scores that are not sums over documents always have the jackknife: resampled corpora repeat documents, which such
    scores do not count again, so that the percentile interval may miss the score itself.

    >>> chosen_interval("auto", 99), chosen_interval("auto", 100), chosen_interval("auto", 100, additive=False)
    ('jackknife', 'percentile', 'jackknife')
    """
    if asked != "auto":
        return asked
    return "percentile" if additive and documents >= ENOUGH else "jackknife"


def chosen_test(asked: str, interval: str) -> str:
    """The test to use: `auto` is the one that agrees with the interval.

    >>> chosen_test("auto", "percentile"), chosen_test("randomisation", "percentile")
    ('bootstrap', 'randomisation')
    """
    return _FOLLOWS[interval] if asked == "auto" else asked


def resamples_for(comparisons: int, alpha: float = ALPHA) -> int:
    """As many resamples as make the smallest p times the number of comparisons fall below a tenth of the level.

    B = max(1000, min(100000, ceil(10 M / alpha) - 1)).

    >>> [resamples_for(number) for number in (1, 10, 55, 435, 10_000)]
    [1000, 1999, 10999, 86999, 100000]
    """
    return max(RESAMPLES, min(MOST_TESTED, math.ceil(round(10 * comparisons / alpha, 6)) - 1))


def hidden(comparisons: int, resamples: int) -> str | None:
    """The message if no p of so many comparisons can be small enough, however different the systems are.

    >>> hidden(55, 1000)
    'no difference can be significant: 55 comparisons x 1/1001 > 0.05; give --bootstrap 10999'
    """
    if comparisons / (resamples + 1) <= ALPHA:
        return None
    floor, enough = f"{comparisons} comparisons x 1/{resamples + 1} > {ALPHA}", round(10 * comparisons / ALPHA) - 1
    return f"no difference can be significant: {floor}; give --bootstrap {max(RESAMPLES, enough)}"


def is_significant(comparison: Comparison) -> bool:
    """Whether a difference is marked: after Holm's correction, and never below five documents."""
    if comparison.p_holm is None or not comparison.difference:
        return False
    return comparison.p_holm < ALPHA and (comparison.documents is None or comparison.documents >= LEAST)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment: the i-th smallest of m times m - i + 1, never falling, at most 1 (Holm 1979).

    A test without a p is not counted.

    >>> holm([0.01, 0.04, 0.03, None])
    [0.03, 0.06, 0.06, None]
    """
    tested = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for step, (p, place) in enumerate(tested):
        highest = max(highest, min(1.0, p * (len(tested) - step)))
        adjusted[place] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """The share of false discoveries if all that are at most this small are claimed (Benjamini and Hochberg 1995).

    q of the r-th smallest of m is the least p m / r of this and all larger ones. A test without a p is not counted.

    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.005, None])
    [0.02, 0.04, 0.04, 0.02, None]
    """
    tested = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    lowest = 1.0
    for rank, (p, place) in reversed(list(enumerate(tested, start=1))):
        lowest = min(lowest, p * len(tested) / rank)
        adjusted[place] = lowest
    return adjusted


SignatureValue: TypeAlias = str | int | float | bool | None


def signature(task: str, fields: Mapping[str, SignatureValue]) -> str:
    """`task|key:value|...` in the given order; a field that is None is left out.

    >>> signature("score", {"metric": "relation.strict", "pool": "micro", "seed": 13, "profile": None, "exact": True})
    'score|metric:relation.strict|pool:micro|seed:13|exact:yes'
    """
    parts = [task]
    for key, value in fields.items():
        written = ("no", "yes")[value] if isinstance(value, bool) else f"{value}"
        written = written.removesuffix(".0") if isinstance(value, float) else written
        parts += [f"{key}:{written}"] if value is not None else []
    # A bar would start a new field and a control character a new line, so both are escaped as in a URL.
    return "|".join("".join(f"%{ord(c):02X}" if c in "|%" or not c.isprintable() else c for c in x) for x in parts)


def hash_bytes(data: bytes) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of some bytes.

    >>> hash_bytes(b"")
    'e3b0c44298fc'
    """
    return hash_chunks((data,))


def hash_chunks(chunks: Iterable[bytes]) -> str:
    """The same hash for bytes in chunks, wherever they are cut.

    >>> hash_chunks([b"go", b"ld"]) == hash_bytes(b"gold")
    True
    """
    import hashlib

    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()[:12]
