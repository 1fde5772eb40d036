"""Stores through operations: what becomes of a document does not depend on the others."""

from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.formats.eal_store import StoreWriter, open_store
from adjudge.model.eal import Argument, Arguments, Frame, Linking, Response, Span
from adjudge.tasks.eal.apply import Operation, Summary, apply
from adjudge.tasks.eal.filters import top
from adjudge.tasks.eal.responses import trim
from adjudge.tasks.eal.texts import expand_justifications, filter_quotes
from adjudge.tasks.eal.views import neutralize_realis
from eal_responses import documents

OPERATIONS: dict[str, Operation] = {
    "trim": partial(trim, unlinked="singleton"),
    "nested": partial(trim, nested=True, unlinked="drop"),
    "filter-quotes": partial(filter_quotes, regions=(Span(2, 4), Span(9, 12))),
    "expand-justifications": partial(expand_justifications, boundaries=(Span(0, 6), Span(7, 20))),
    "top": partial(top, count=2),
    "neutralize": neutralize_realis,
}
STORES = st.dictionaries(st.sampled_from(["d1", "d2", "d3", "d4"]), documents(), min_size=1)


def renamed(document: str, arguments: Arguments, linking: Linking | None) -> tuple[Arguments, Linking]:
    """A document under another name, with each response once, and with frames."""

    def to(response: Response) -> Response:
        return response._replace(document=document)

    lines = {to(each.response): Argument(to(each.response), each.confidence) for each in arguments.arguments}
    frames = linking.frames if linking is not None else ()
    moved = [Frame(frozenset(map(to, frame.responses)), frame.id) for frame in frames]
    return Arguments(document, list(lines.values())), Linking(document, moved)


def write(path: Path, store: dict[str, tuple[Arguments, Linking]]) -> Path:
    with StoreWriter(path) as writer:
        for arguments, linking in store.values():
            writer.write(arguments, linking)
    return path


def changed(path: Path, operation: Operation) -> tuple[dict[str, bytes], Summary]:
    with open_store(path) as store, StoreWriter(path.with_name(f"{path.name}.out")) as writer:
        summary = apply(store, writer, operation)
    out = path.with_name(f"{path.name}.out")
    return {each.relative_to(out).as_posix(): each.read_bytes() for each in out.rglob("*") if each.is_file()}, summary


@pytest.mark.parametrize("name", OPERATIONS)
@settings(max_examples=10, deadline=None)
@given(drawn=STORES, chosen=st.sets(st.sampled_from(["d1", "d2", "d3", "d4"])))
def test_operations_commute_with_choosing_documents(
    tmp_path_factory: pytest.TempPathFactory, name: str, drawn: dict[str, tuple], chosen: set[str]
) -> None:
    place = tmp_path_factory.mktemp("stores")
    store = {document: renamed(document, *drawn[document]) for document in drawn}
    whole, all_counts = changed(write(place / "whole", store), OPERATIONS[name])
    parts = [
        {document: store[document] for document in store if (document in chosen) is inside} for inside in (True, False)
    ]
    made = [changed(write(place / f"part{at}", part), OPERATIONS[name]) for at, part in enumerate(parts)]
    for part, (files, _) in zip(parts, made, strict=True):
        assert files == {file: data for file, data in whole.items() if file.rpartition("/")[2] in part}
    for field in ("documents", "responses", "kept"):
        assert getattr(all_counts, field) == sum(getattr(counts, field) for _, counts in made)
