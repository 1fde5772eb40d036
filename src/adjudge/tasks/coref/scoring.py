"""Score responses against a key: read, pair the documents, count each pair once, add up."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from adjudge.errors import AdjudgeError, UsageError, did_you_mean
from adjudge.model.coref import CorefCorpus, CorefDocument
from adjudge.stats.inference import Inference
from adjudge.tasks.coref.counts import COLUMNS
from adjudge.tasks.coref.measures import METRICS, chosen_metrics, measures_of
from adjudge.tasks.coref.notes import remarks, strict_problems
from adjudge.tasks.coref.observe import Compared, compare
from adjudge.tasks.coref.settings import Settings, settings
from adjudge.tasks.coref.sides import (
    Documents,
    Sides,
    check_documents,
    choose,
    held,
    is_held,
    name_responses,
    raise_together,
    read_side,
)

if TYPE_CHECKING:
    from adjudge.stats.data import AttributeValue
    from adjudge.stats.result import Result

ATTRIBUTES = ("genre",)


class Campaign(NamedTuple):
    """All that was read, and what was counted: name of the response -> one comparison per document."""

    settings: Settings
    sides: Sides
    compared: dict[str, list[Compared]]
    sources: tuple[Documents, ...] = ()  # of the key and the responses, as they were given


def score(
    key: Documents,
    response: Any,
    *,
    metric: str | Iterable[str] | None = None,
    by: str | Sequence[str] = (),
    bootstrap: int | None = None,
    ci: float = 0.95,
    seed: int = 13,
    pool: Literal["micro", "macro"] = "micro",
    profile: str = "conll-8.01",
    singletons: str = "keep",
    match: str = "exact",
    overlap: float | None = None,
    docs: Iterable[str] | None = None,
    names: Sequence[str | None] | None = None,
    jobs: int = 1,
    cluster: str | None = None,
    test: str = "auto",
    interval: str = "auto",
) -> Result:
    """The coreference scores of one or several responses, with intervals and paired comparisons.

    `key` and `response` are paths (CoNLL, CorefUD, or JSON lines of clusters) or documents in memory: objects with
    clusters, or the clusters alone, by id in a mapping, or in a list, paired by their ids or, if they have none, by
    position. `response` may be a list of paths or a mapping from names. `metric` chooses from mentions, muc, b3,
    ceafm, ceafe, blanc, lea, conll (the mean F1 of muc, b3, ceafe) and kbp (of muc, b3, ceafe, blanc). Documents are
    pooled by adding their counts, or averaged (`pool="macro"`). `profile` is `conll-8.01`, `clean` or `strict`;
    `singletons="drop"` leaves out chains of one mention on both sides; `match` is `exact`, `head`, or `partial` from
    an `overlap` on. Several responses can be scored in several processes (`jobs`), or on a Dask `cluster` whose
    workers see the same files.

    >>> key = [{"id": "d", "clusters": [[[0, 0], [2, 3], [5, 5]]]}]
    >>> response = [{"id": "d", "clusters": [[[0, 0], [2, 3]], [[5, 5], [7, 7]]]}]
    >>> score(key, response, bootstrap=0)["coref.muc"].recall
    0.5000
    """
    by = (by,) if isinstance(by, str) else tuple(by)
    inference = Inference(bootstrap=bootstrap, level=ci, seed=seed, interval=interval, test=test)
    metrics = chosen_metrics(metric)
    chosen = settings(profile, singletons, match, overlap)
    campaign = observe(key, response, chosen, docs=docs, names=names, jobs=jobs, cluster=cluster, keep=False)
    return result_of(campaign, metrics, by=by, inference=inference, pool=pool)


def observe(
    key: Documents,
    response: Any,
    settings: Settings,
    *,
    docs: Iterable[str] | None = None,
    names: Sequence[str | None] | None = None,
    jobs: int = 1,
    cluster: str | None = None,
    keep: bool = True,
    digest: bool = True,
) -> Campaign:
    """Read both sides and compare every pair of documents.

    `jobs` is the number of processes, each with parts of large files or files of its own; 0 starts several only if
    that pays. Without `keep`, the chains of a response are forgotten as soon as they are counted.
    """
    key = held(key, "gold") if is_held(key) else key
    responses = _named(key, response, names)
    sources = (key, *(source for _, source in responses))
    if not keep and (cluster is not None or jobs != 1):
        from adjudge.tasks.coref.parts import observe_parts

        parts = observe_parts(key, responses, settings, digest=digest, jobs=jobs, cluster=cluster)
        if parts is not None:
            return _assembled(*parts, settings, docs)._replace(sources=sources)
    errors: list[AdjudgeError] = []
    ours = _read_key(key, settings, errors, digest=digest)
    only = None if errors else frozenset(document.id for document in ours.documents)
    reader = Reader(() if errors else choose(ours, docs), only, settings, digest=digest, keep=keep)
    named = all(isinstance(source, str | os.PathLike) and str(source) != "-" for _, source in responses)
    if not named or (cluster is None and (jobs == 1 or len(responses) == 1)):
        observed = {name: reader.read(None, source) for name, source in responses}
    else:
        from adjudge.engine.local import map_documents, work_folder

        pairs = ((name, None, source) for name, source in responses)
        folder = work_folder(source for _, source in responses)
        observed = dict(map_documents(reader.read, pairs, jobs=jobs, cluster=cluster, folder=folder, chunk=1))
    raise_together(errors + [each for each in observed.values() if isinstance(each, AdjudgeError)])
    read = {name: each for name, each in observed.items() if not isinstance(each, AdjudgeError)}
    found = {name: {document.id: document for document in corpus.documents} for name, (corpus, _) in read.items()}
    sides = Sides(ours, reader.documents, {name: corpus for name, (corpus, _) in read.items()}, found)
    campaign = Campaign(settings, sides, {name: compared for name, (_, compared) in read.items()}, sources)
    if settings.profile == "strict":
        check_documents(sides)
        strict_problems(sides, campaign.compared)
    return campaign


def _named(key: Documents, response: Any, names: Sequence[str | None] | None) -> list[tuple[str, Documents]]:
    """The responses by name; those in memory have documents that can be paired with those of the key."""
    responses = name_responses(key, response, names)
    if not any(is_held(source) for _, source in responses):
        return responses
    from adjudge.tasks.documents import Side, check_places

    gold = key if isinstance(key, Side) else Side("gold", None, {}, "")
    responses = [(name, held(source, name) if is_held(source) else source) for name, source in responses]
    for side in (source for _, source in responses if isinstance(source, Side)):
        check_places(gold, side)
    return responses


def _assembled(
    key: CorefCorpus,
    read: Mapping[str, tuple[CorefCorpus, list[Compared]]],
    settings: Settings,
    docs: Iterable[str] | None,
) -> Campaign:
    """The chosen documents of what was read in parts."""
    documents = choose(key, docs)
    chosen = {document.id for document in documents}
    places = [place for place, document in enumerate(key.documents) if document.id in chosen]
    found = {name: {document.id: document for document in corpus.documents} for name, (corpus, _) in read.items()}
    sides = Sides(key, documents, {name: corpus for name, (corpus, _) in read.items()}, found)
    return Campaign(
        settings, sides, {name: [compared[place] for place in places] for name, (_, compared) in read.items()}
    )


def _read_key(key: Documents, settings: Settings, errors: list[AdjudgeError], *, digest: bool) -> CorefCorpus:
    """The key, or an empty one and an error for later, so that the responses are looked at too."""
    try:
        return read_side(key, settings, digest=digest)
    except UsageError:
        raise
    except AdjudgeError as error:
        errors.append(error)
        return CorefCorpus("", [], "")


class Reader(NamedTuple):
    """Reads a response and compares its documents with those of the key; travels to other processes."""

    documents: tuple[CorefDocument, ...]
    only: frozenset[str] | None
    settings: Settings
    digest: bool
    keep: bool

    def read(self, _: Any, source: Documents) -> tuple[CorefCorpus, list[Compared]] | AdjudgeError:
        """The response and one comparison for each document, or what is wrong with the file."""
        try:
            corpus = read_side(source, self.settings, only=self.only, digest=self.digest)
        except UsageError:
            raise
        except AdjudgeError as error:
            return error
        found = {document.id: document for document in corpus.documents}
        compared = [compare(document, found.get(document.id), self.settings) for document in self.documents]
        if self.keep:
            return corpus, compared
        bare = [CorefDocument(each.id, [], each.tokens, each.line) for each in corpus.documents]
        return CorefCorpus(corpus.path, bare, corpus.digest, corpus.notes), [each.bare() for each in compared]


def result_of(
    campaign: Campaign,
    metrics: Sequence[str],
    *,
    by: Sequence[str],
    inference: Inference,
    pool: Literal["micro", "macro"],
) -> Result:
    """Add up and, if asked, resample; numpy is loaded only when there is something to draw."""
    check_documents(campaign.sides)
    documents, responses = campaign.sides.documents, campaign.compared
    attributes: dict[str, tuple[AttributeValue, ...]] = {name: _attribute(name, campaign) for name in dict.fromkeys(by)}
    ids = tuple(document.id for document in documents)
    rows = {name: tuple(each.counts for each in compared) for name, compared in responses.items()}
    common: dict[str, Any] = {
        "task": "coref",
        "profile": campaign.settings.profile,
        "measures": measures_of(metrics, campaign.settings.rule),
        "by": tuple(attributes),
        "inference": inference,
        "notes": {name: remarks(campaign.sides, name, compared) for name, compared in responses.items()},
        "signature_fields": _signature(campaign, metrics),
    }
    if pool == "micro" and (inference.resamples == 0 or len(ids) == len(responses) == 1):
        from adjudge.stats.data import TableData
        from adjudge.stats.plain import plain_result

        tables = {
            name: TableData(ids, COLUMNS, cast("Any", tuple(tuple(map(float, row)) for row in values)), attributes)
            for name, values in rows.items()
        }
        return _with_doubts(plain_result(tables=tables, **common), campaign)
    from adjudge.stats.build import build_result
    from adjudge.stats.table import StatsTable

    result = build_result(
        tables={name: StatsTable(ids, COLUMNS, values, attributes) for name, values in rows.items()},  # type: ignore[arg-type]
        pool=pool,
        **common,
    )
    return _with_doubts(result, campaign)


def _with_doubts(result: Result, campaign: Campaign) -> Result:
    """The result with notes on mentions that look shifted, for which the files are read again."""
    from adjudge.evaluate.doubts import Compared as Sources
    from adjudge.evaluate.doubts import with_doubts

    def mentions(source: Documents) -> Iterator[tuple[str, list[tuple[int, int]]]]:
        if hasattr(source, "read") or (isinstance(source, str | os.PathLike) and str(source) == "-"):
            return  # it was read, and is gone
        for document in read_side(source, campaign.settings, digest=False).documents:
            spans = [each for chain in document.chains for each in chain.mentions]
            yield document.id, [(int(each[0]), int(each[-1])) for each in spans]

    paths = [str(each) if isinstance(each, str | os.PathLike) else None for each in campaign.sources]
    spans = [partial(mentions, each) for each in campaign.sources]
    return with_doubts(result, Sources(tuple(paths), tuple(spans), "token", "coref.mentions"))


def _attribute(name: str, campaign: Campaign) -> tuple[str | None, ...]:
    if name not in ATTRIBUTES:
        hint = did_you_mean(name, ATTRIBUTES) or f"documents have a {', '.join(ATTRIBUTES)}"
        raise UsageError(f"cannot slice by {name!r}", hint=hint)
    values = tuple(document.genre for document in campaign.sides.documents)
    if values and all(value is None for value in values):
        hint = "names such as (bc/cctv/00/cctv_0000) do"
        raise UsageError("the names of these documents carry no genre", hint=hint)
    return values


def _signature(campaign: Campaign, metrics: Sequence[str]) -> dict[str, str | float | None]:
    from adjudge.stats.signature import hash_chunks

    key, chosen = campaign.sides.key, [document.id for document in campaign.sides.documents]
    digests = [corpus.digest.encode() for corpus in (key, *campaign.sides.responses.values())]
    return {
        "metric": None if tuple(metrics) == METRICS else "+".join(metrics),
        **campaign.settings.fields(),
        "gold": hash_chunks(digests[:1]),
        **({"docs": "#" + hash_chunks(["\n".join(chosen).encode()])[:4]} if len(chosen) < len(key.documents) else {}),
        "in": hash_chunks(digests),
    }
