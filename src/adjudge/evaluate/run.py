"""The options that every scoring shares, as one value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import msgspec

from adjudge.stats.inference import Inference

Progress: TypeAlias = "Callable[[int, int | None], None]"
"""Called with the number of documents done and the number of all, None if that is not known."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """How a corpus is scored, whatever the task.

    `docs` are the gold documents that count, by default all. `jobs` is the number of processes (0: as many as pay),
    `cluster` the address of a Dask scheduler or `local`. `keep` keeps what was found in every document, for pages,
    explanations and the output of official programs; without `digest` the inputs are not hashed for the signature.
    Files are read a part at a time if they are large, or if `stream` says so. `time_limit` bounds, in seconds, the
    search for each document where one is needed.
    """

    inference: Inference = msgspec.field(default_factory=Inference)
    pool: str | None = None
    by: tuple[str, ...] = ()
    docs: tuple[str, ...] | None = None
    jobs: int | None = 1
    cluster: str | None = None
    keep: bool = False
    digest: bool = True
    stream: bool | None = None
    time_limit: float | None = None
    progress: Progress | None = None


def run_of(
    *,
    by: str | Iterable[str] = (),
    docs: Iterable[str] | None = None,
    ci: float = 0.95,
    options: Iterable[str] = ("bootstrap", "seed", "interval", "test"),
    **given: Any,
) -> Run:
    """A run from the keywords of a `score` function.

    >>> run_of(by="genre", bootstrap=0).by
    ('genre',)
    """
    inference = Inference(level=ci, **{name: given.pop(name) for name in options if name in given})
    return Run(
        inference=inference,
        by=(by,) if isinstance(by, str) else tuple(dict.fromkeys(by)),
        docs=None if docs is None else tuple(map(str, docs)),
        **given,
    )
