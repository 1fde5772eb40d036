"""The options that every scoring shares, as one value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import msgspec

from adjudge.errors import check_keywords
from adjudge.stats.inference import Inference

Progress: TypeAlias = "Callable[[int, int | None], None]"
"""Called with the number of documents done and the number of all, None if that is not known."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """How a corpus is scored, whatever the task.

    `docs` are the gold documents that count, by default all. `jobs` is the number of processes (0: as many as pay),
    `cluster` the address of a Dask scheduler or `local`. `keep` keeps what was found in every document, for
    pages and the output of official programs, `align` makes an alignment of every one, for explanations and saved
    documents; `document` is the only one that counts, given by a part of its name that no other one has. Without
    `digest` the inputs are not hashed for the signature.
    Files are read a part at a time if they are large, or if `stream` says so. `time_limit` bounds, in seconds, the
    search for each document where one is needed; with `exact` a score that is not proven then is an error.
    """

    inference: Inference = msgspec.field(default_factory=Inference)
    pool: str | None = None
    by: tuple[str, ...] = ()
    docs: tuple[str, ...] | None = None
    jobs: int | None = 1
    cluster: str | None = None
    keep: bool = False
    align: bool = False
    document: str | None = None
    digest: bool = True
    stream: bool | None = None
    time_limit: float | None = None
    exact: bool = False
    progress: Progress | None = None


INFERENCE = ("bootstrap", "seed", "interval", "test", "cluster_by")
OPTIONS = (
    "by",
    "ci",
    *INFERENCE,
    "pool",
    "docs",
    "jobs",
    "cluster",
    "stream",
    "time_limit",
    "exact",
    "progress",
    "keep",
    "align",
    "digest",
)


def run_of(
    *,
    by: str | Iterable[str] = (),
    docs: Iterable[str] | None = None,
    ci: float = 0.95,
    function: str = "score",
    **given: Any,
) -> Run:
    """A run from the keywords of a function, by default `score`.

    >>> run_of(by="genre", bootstrap=0).by
    ('genre',)
    """
    check_keywords(given, OPTIONS, function)
    return Run(
        inference=Inference(level=ci, **{name: given.pop(name) for name in INFERENCE if name in given}),
        by=(by,) if isinstance(by, str) else tuple(dict.fromkeys(by)),
        docs=None if docs is None else tuple(map(str, docs)),
        **given,
    )
