"""Score responses against a key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.run import run_of
from adjudge.tasks.coref.measures import chosen_metrics
from adjudge.tasks.coref.settings import settings
from adjudge.tasks.coref.task import CorefTask

if TYPE_CHECKING:
    from adjudge.stats.result import Result


def score(
    key: Any,
    response: Any,
    *,
    metric: str | Iterable[str] | None = None,
    profile: str = "conll-8.01",
    singletons: str = "keep",
    match: str = "exact",
    overlap: float | None = None,
    names: Sequence[str | None] | None = None,
    **options: Any,
) -> Result:
    """The coreference scores of one or several responses, with intervals and paired comparisons.

    `key` and `response` are paths (CoNLL, CorefUD, or JSON lines of clusters) or documents in memory: objects with
    clusters, or the clusters alone, by id in a mapping, or in a list, paired by their ids or, if they have none, by
    position. `response` may be a list of paths or a mapping from names. `metric` chooses from mentions, muc, b3, ceafm,
    ceafe, blanc, lea, conll (the mean F1 of muc, b3, ceafe) and kbp (of muc, b3, ceafe, blanc). `profile` is
    `conll-8.01`, `clean` or `strict`; `singletons="drop"` leaves out chains of one mention on both sides; `match` is
    `exact`, `head`, or `partial` from an `overlap` on. The `options` are those of every task: `by`, `bootstrap`, `ci`,
    `seed`, `interval`, `test`, `pool`, `docs`, `jobs` and `cluster` (see `adjudge.evaluate.run`).

    >>> key = [{"id": "d", "clusters": [[[0, 0], [2, 3], [5, 5]]]}]
    >>> response = [{"id": "d", "clusters": [[[0, 0], [2, 3]], [[5, 5], [7, 7]]]}]
    >>> score(key, response, bootstrap=0)["coref.muc"].recall
    0.5000
    """
    task = CorefTask(settings(profile, singletons, match, overlap), chosen_metrics(metric))
    return evaluate(task, key, response, run_of(**options), names=names).result()
