"""Score submissions: read a document of every side, compare, count, forget it; `results` adds up and resamples."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.errors import Problem, UsageError, ValidationError, did_you_mean
from adjudge.evaluate.inputs import name_systems
from adjudge.evaluate.sides import Names, check_sides
from adjudge.formats.eal_store import FramesStore, KeyStore, Store, open_frames, open_key
from adjudge.stats.inference import Inference
from adjudge.tasks.eal.apply import open_for
from adjudge.tasks.eal.counting import AnyStore, Counter, Part, Regions, Visitor, lent
from adjudge.tasks.eal.diagnostics import FIELDS, Slices, genres
from adjudge.tasks.eal.facts import Facts
from adjudge.tasks.eal.results import Campaign, Counted, Pool, result_of
from adjudge.tasks.eal.settings import Settings, settings

if TYPE_CHECKING:
    from adjudge.stats.result import Result

__all__ = ["Campaign", "Counted", "Regions", "observe_all", "result_of", "score"]

LIMIT = 1000  # problems after which no more documents are read
AT_ONCE = 32  # documents that a process counts before it reports, at most
PARTS = 16  # for each process, at least, so that none of them waits long for the last one


def score(
    key: str | Path,
    frames: str | Path | None,
    systems: Mapping[str, str | Path] | Sequence[str | Path] | str | Path,
    *,
    profile: str = "spec",
    beta: float = 0.25,
    lambda_: float = 0.5,
    taxonomy: str = "full",
    neutralize: str | None = None,
    covers: Iterable[str] = (),
    extras: Iterable[str] = (),
    regions: Regions | None = None,
    docs: Iterable[str] | None = None,
    by: str | Sequence[str] = (),
    pool: Pool = "micro",
    bootstrap: int | None = None,
    ci: float = 0.95,
    seed: int | None = None,
    test: str = "auto",
    interval: str = "auto",
    jobs: int | None = 1,
    cluster: str | None = None,
) -> Result:
    """The scores of one or several submissions against assessments and reference frames.

    Without frames only arguments are scored. `regions` gives the quotations of a document, whose responses are left
    out; `docs` are the documents that are scored, by default all of the key.
    """
    chosen = settings(
        profile,
        beta=beta,
        lambda_=lambda_,
        taxonomy=taxonomy,
        neutralize=neutralize,
        covers=covers,
        extras=extras,
        linking=frames is not None,
    )
    by = (by,) if isinstance(by, str) else tuple(by)
    seed = chosen.profile.bootstrap_seed if seed is None else seed
    inference = Inference(bootstrap=bootstrap, level=ci, seed=seed, interval=interval, test=test)
    campaign = observe_all(
        key,
        frames,
        dict(name_systems(key, systems)),
        chosen,
        regions=regions,
        docs=docs,
        by=by,
        jobs=jobs,
        cluster=cluster,
    )
    return result_of(campaign, by=by, inference=inference, pool=pool)


# ---------------------------------------------------------------------------------------------------------------------
# Counting


def observe_all(
    key: str | Path,
    frames: str | Path | None,
    systems: Mapping[str, str | Path],
    settings: Settings,
    *,
    regions: Regions | None = None,
    docs: Iterable[str] | None = None,
    by: Sequence[str] = (),
    genre_list: Mapping[str, str] | None = None,
    genre: str | None = None,
    visit: Visitor | None = None,
    jobs: int | None = 1,
    cluster: str | None = None,
) -> Campaign:
    """Read all sides document by document and count; `visit` is shown every comparison on the way.

    `genre` scores only documents of one genre, which `genre_list` or the prefix of its id gives each of them. `jobs` is
    the number of processes; 0 starts several only if that pays. `cluster` is a Dask cluster whose workers see the same
    files.
    """
    if not systems:
        raise UsageError("no submission to score", hint="name at least one")
    for field in by:
        if field not in (*FIELDS, "genre"):
            hint = did_you_mean(field, (*FIELDS, "genre")) or "scores can be sliced by type, role and genre"
            raise UsageError(f"cannot slice by {field!r}", hint=hint)
    if (Path(key) / "arguments").is_dir():
        hint = "give the assessments as the key, and submissions without an option"
        raise UsageError(Problem("this is a submission, not a key", path=str(key), hint=hint))
    keys = open_key(key, repeated_cluster=settings.profile.repeated_cluster)
    reference = open_frames(frames) if frames is not None and settings.linking else None
    stores = {name: open_for(settings.profile, path) for name, path in systems.items()}
    try:
        check_sides(
            Names(keys.path, frozenset(keys.documents)),
            [Names(store.path, store.documents) for store in stores.values()],
            remedy="the key is a folder with one file of assessments for each document",
        )
        strays = [] if docs is not None else _strays(keys, reference, stores.values())
        ids = [document for document in _chosen(keys, docs) if document not in strays]
        known = genres(ids, genre_list)
        if genre is not None:
            ids = _of_genre(ids, known, genre)
        counted = {
            name: Counted(
                store.path, "", [], Facts(), {field: Slices(field, settings) for field in by if field in FIELDS}
            )
            for name, store in stores.items()
        }
        campaign = Campaign(settings, ids, len(keys) - len(strays), "", Facts(), counted, known)
        for document in strays:
            campaign.gold.add("stray", 1, document)
        for note in (*keys.notes, *([] if reference is None else reference.notes)):
            campaign.gold.add("backup", note.kind == "backup", note.problem.message)
        sides: list[AnyStore] = [keys, *([] if reference is None else [reference]), *stores.values()]
        digests = [hashlib.sha256() for _ in sides]
        campaign = _read(campaign, keys, reference, stores, regions, visit, digests, jobs, cluster)
        hashes = [_hexdigest(side, digest) for side, digest in zip(sides, digests, strict=True)]
        own = len(sides) - len(stores)
        campaign = campaign._replace(
            digest="".join(hashes[:own]),
            systems={
                name: each._replace(digest=digest)
                for (name, each), digest in zip(campaign.systems.items(), hashes[own:], strict=True)
            },
        )
    finally:
        for store in (keys, reference, *stores.values()):
            if store is not None:
                store.close()
    return campaign


def _read(
    campaign: Campaign,
    keys: KeyStore,
    reference: FramesStore | None,
    stores: Mapping[str, Store],
    regions: Regions | None,
    visit: Visitor | None,
    digests: Sequence[hashlib._Hash],
    jobs: int | None,
    cluster: str | None,
) -> Campaign:
    from adjudge.engine.local import map_documents, work_folder

    settings = campaign.settings
    problems = [
        Problem("the submission has no linking", path=store.path, hint="give one with linking/, or leave --frames out")
        for store in stores.values()
        if settings.linking and not store.has_linking and settings.profile.missing_document == "error"
    ]
    counter = Counter(
        lent(keys),
        None if reference is None else lent(reference),
        {name: lent(store) for name, store in stores.items()},
        settings,
        regions,
        {field: Slices(field, settings) for field in next(iter(campaign.systems.values())).slices},
        visit,
    )
    quotes = hashlib.sha256()
    size = _size(len(campaign.ids), jobs)
    todo = [(str(start), campaign.ids[start : start + size], None) for start in range(0, len(campaign.ids), size)]
    # Visitors want to see the documents in this process.
    places: dict[str, Any] = {"jobs": jobs, "cluster": cluster} if visit is None else {}
    folder = work_folder(store.path for store in (keys, reference, *stores.values()) if store is not None)
    parts = map_documents(counter.part, todo, chunk=1, total=len(todo), folder=folder, **places)
    with closing(parts):  # type: ignore[type-var]
        for start, part in parts:
            _take(campaign, int(start), part)
            for spans in part.regions:
                quotes.update(",".join(f"{span.start}-{span.end}" for span in spans or ()).encode() + b"\n")
            for digest, written in zip(digests, part.written, strict=True):
                digest.update(written)
            for own in part.problems:
                problems += own if len(problems) < LIMIT else ()
            if len(problems) >= LIMIT:
                break
    if problems:
        raise ValidationError(problems)
    for name, store in stores.items():
        if settings.linking and not store.has_linking:
            campaign.systems[name].facts.add("no-linking", 1, store.path)
        for document in store.documents:
            if document not in keys:
                campaign.systems[name].facts.add("extra", 1, document)
    return campaign if regions is None else campaign._replace(quotes=quotes.hexdigest())


def _size(documents: int, jobs: int | None) -> int:
    """How many documents a process counts before it reports."""
    from adjudge.engine.local import processors

    return min(AT_ONCE, 1 + documents // (PARTS * max(jobs or processors(), 1)))


def _take(campaign: Campaign, start: int, part: Part) -> None:
    campaign.gold.merge(part.gold)
    for name, share in part.systems.items():
        counted = campaign.systems[name]
        counted.rows.extend(share.rows)
        counted.facts.merge(share.facts)
        for field, found in share.slices.items():
            for place, each in enumerate(found, start):
                counted.slices[field].put(place, each)


def _strays(keys: KeyStore, reference: FramesStore | None, stores: Iterable[Store]) -> list[str]:
    """Files of the key that are no documents: they have no response, and no other side has a file of that name.

    A note that somebody put there would be drawn like a document, and move medians and intervals.
    """
    others: list[Store | FramesStore] = [*stores, *([] if reference is None else [reference])]
    unknown = [document for document in keys.documents if not any(document in other for other in others)]
    return [document for document in unknown if _is_empty(keys.bytes_of(document) or b"")]


def _is_empty(data: bytes) -> bool:
    return all(line.startswith(b"#") or not line.strip() for line in data.splitlines())


def _chosen(keys: KeyStore, docs: Iterable[str] | None) -> list[str]:
    if docs is None:
        return list(keys.documents)
    wanted = list(dict.fromkeys(docs))
    unknown = [document for document in wanted if document not in keys]
    if unknown:
        hint = did_you_mean(unknown[0], keys.documents) or "check the list"
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise UsageError(Problem(f"the key has no document {unknown[0]!r}{more}", path=keys.path, hint=hint))
    return wanted


def _of_genre(ids: Sequence[str], known: Mapping[str, str], genre: str) -> list[str]:
    found = [document for document in ids if known[document] == genre]
    if not found:
        there = sorted(set(known.values()))
        hint = did_you_mean(genre, there) or f"there are {', '.join(there)}; give others with --genre-list"
        raise UsageError(f"no document is {genre}", hint=hint)
    return found


def _hexdigest(store: AnyStore, digest: hashlib._Hash) -> str:
    """The hash of what was read: of an archive as a whole, or of the files of the documents."""
    return hashlib.sha256(Path(store.path).read_bytes()).hexdigest() if store.packed else digest.hexdigest()
