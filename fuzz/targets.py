"""The readers that are fuzzed: for each a name, the folder of its valid files, and what is done with bytes.

A target that needs several files takes them from one input, in parts with a line `~~~~` between them. A target that
reads paths gets them in a folder of its own, which must be empty again afterwards: a reader leaves nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.errors import FormatError

SEEDS = Path(__file__).parent / "seeds"
PART = b"~~~~\n"


class Target(NamedTuple):
    """A reader; `shape` tells the generator of structures what its files look like."""

    name: str
    shape: str
    seeds: str
    run: Callable[[bytes, Path], Any]
    cost: int = 1  # how many inputs of others one input of this target is worth

    def corpus(self) -> tuple[bytes, ...]:
        """Valid files."""
        return seeds_of(self.seeds)


@cache
def seeds_of(folder: str) -> tuple[bytes, ...]:
    """The files of a folder of seeds, in order of their names."""
    made = MADE.get(folder)
    return made() if made is not None else tuple(each.read_bytes() for each in sorted((SEEDS / folder).iterdir()))


def parts(data: bytes, count: int) -> list[bytes]:
    """The parts of an input; those that are not there are empty."""
    found = data.split(PART, count - 1)
    return found + [b""] * (count - len(found))


# How an input becomes what a reader takes


def direct(function: str, **options: Any) -> Callable[[bytes, Path], Any]:
    """A function of bytes, `module:name` below adjudge."""
    return lambda data, _: _call(function, data, **options)


def filed(function: str, name: str, **options: Any) -> Callable[[bytes, Path], Any]:
    """A function of a path; the bytes are put into a file of that name."""

    def run(data: bytes, room: Path) -> Any:
        path = room / name
        path.write_bytes(data)
        return _drained(_call(function, path, **options))

    return run


def placed(function: str, *more: Any, **options: Any) -> Callable[[bytes, Path], Any]:
    """A function of bytes and further arguments."""
    return lambda data, _: _call(function, data, *more, **options)


def _call(function: str, *arguments: Any, **options: Any) -> Any:
    return _drained(_load(function)(*arguments, **options))


@cache
def _load(function: str) -> Callable[..., Any]:
    import importlib

    module, _, name = function.partition(":")
    return getattr(importlib.import_module(f"adjudge.{module}"), name)


def _drained(value: Any) -> Any:
    return list(value) if isinstance(value, Iterable) and hasattr(value, "__next__") else value


def _brat(data: bytes, _: Path, **options: str) -> Any:
    annotation, text = parts(data, 2)
    words = text.decode("utf-8", "replace") if text else None
    return _call("formats.brat:read_brat", annotation, document="a", text=words, name="a.ann", **options)


def _ere(data: bytes, _: Path, **options: str) -> Any:
    xml, text = parts(data, 2)
    words = text.decode("utf-8", "replace") if text else None
    return _call("formats.ere:read_ere", xml, text=words, name="a.xml", **options)


def _ace(data: bytes, room: Path, **options: str) -> Any:
    xml, text = parts(data, 2)
    (room / "X1.apf.xml").write_bytes(xml)
    (room / "X1.sgm").write_bytes(text)
    return _call("formats.kb_ace:read_ace", room, **options)


def _kb_ere(data: bytes, room: Path, **options: str) -> Any:
    xml, text = parts(data, 2)
    for folder, name, content in (("ere", "d.rich_ere.xml", xml), ("source", "d.xml", text)):
        (room / folder).mkdir(exist_ok=True)
        (room / folder / name).write_bytes(content)
    return _call("formats.kb_ere:read_ere_corpus", room / "ere", docs=room / "source", **options)


def _scirex(data: bytes, room: Path) -> Any:
    for name, content in zip(("ner.jsonl", "clusters.jsonl", "relations.jsonl"), parts(data, 3), strict=True):
        (room / name).write_bytes(content)
    _call("formats.whole:read_folder_digest", room)
    return _call("formats.scirex:read_scirex_output", room)


def _linking(data: bytes, _: Path, **options: str) -> Any:
    arguments, linking = parts(data, 2)
    known, problems = _call("formats.eal_arguments:parse_arguments", arguments, "MINI_NW_02", "arguments")
    return problems, _call("formats.eal_linking:scan_linking", linking, known, "linking", **options)


def _frames(data: bytes, _: Path) -> Any:
    answers, frames = parts(data, 2)
    known, problems = _call("formats.eal_assessments:parse_key", answers, "MINI_NW_02", "key")
    return problems, _call("formats.eal_linking:parse_linking", frames, known, "frames")


def _sources(data: bytes, room: Path) -> Any:
    path = room / "list.tsv"
    path.write_bytes(data)
    (room / "D2.txt").write_bytes(data)
    found = _load("formats.eal_sources:Sources")(path)
    return [found.text(document) for document in found.documents if document == "D2"]


def _store(data: bytes, room: Path, *, folder: bool, strict: bool = False, **options: Any) -> Any:
    """Everything that a store of arguments and linking, packed or not, has to say."""
    if folder:
        for name, content in zip(("arguments", "linking"), parts(data, 2), strict=True):
            (room / name).mkdir()
            (room / name / "MINI_NW_02").write_bytes(content)
        path = room
    else:
        path = room / ("s.zip" if data[:2] == b"PK" else "s.tar.gz")
        path.write_bytes(data)
    with _load("formats.eal_store:open_store")(path, **options) if strict else nullcontext() as opened:
        if opened is not None:
            return [(opened.arguments(document), opened.linking(document)) for document in opened.documents]
    store, findings = _load("formats.eal_store:scan_store")(path, **options)
    found = list(findings)
    try:
        for document in store.documents:
            more = store.scan_arguments(document)[1]
            found += more
            if document in store.linking_documents:
                found += store.scan_linking(document)[1]
    finally:
        store.close()
    return found


def _flat(data: bytes, room: Path, function: str) -> Any:
    """A folder of one file each: answer keys, or frames."""
    answers, frames = parts(data, 2)
    for name, content in (("key", answers), ("frames", frames)):
        (room / name).mkdir()
        (room / name / "MINI_NW_02").write_bytes(content)
    with _load("formats.eal_store:open_key")(room / "key") as keys:
        if function == "open_key":
            return [keys.key(document) for document in keys.documents]
        known = keys.key("MINI_NW_02")
    with _load("formats.eal_store:open_frames")(room / "frames") as store:
        return store.linking(known)


def _validate_eal(data: bytes, room: Path) -> Any:
    arguments, linking, text = parts(data, 3)
    for name, content in (("arguments", arguments), ("linking", linking), ("texts", text)):
        (room / name).mkdir()
        (room / name / ("MINI_NW_02" + ".txt" * (name == "texts"))).write_bytes(content)
    (room / "store").mkdir()
    for name in ("arguments", "linking"):
        (room / name).rename(room / "store" / name)
    return _call("tasks.eal.validation:validate", room / "store", docs=room / "texts")


def _validate_nugget(data: bytes, room: Path) -> Any:
    tbf, tokens, text = parts(data, 3)
    for folder, name, content in (("tokens", "a.tab", tokens), ("texts", "a.txt", text)):
        if content:
            (room / folder).mkdir()
            (room / folder / name).write_bytes(content)
    folders = {
        name: room / folder for name, folder in (("tables", "tokens"), ("texts", "texts")) if (room / folder).exists()
    }
    return _call("tasks.nugget.validation:validate", tbf, types=("Life_Die", "Conflict_Attack"), **folders)


def _spec(data: bytes, room: Path) -> Any:
    path = room / ("m.json" if data[:1] == b"{" else "m.yaml")
    path.write_bytes(data)
    spec = _call("algebra.data:load_spec", path)
    _call("algebra.data:dump_spec", spec)
    return spec


def _similarity(data: bytes, _: Path) -> Any:
    """Not a file: what is wrong has no place, and whoever reads it from a file adds that."""
    try:
        return _call("algebra.data:decode", data)
    except FormatError as error:
        raise FormatError([replace(problem, path="<similarity>") for problem in error.problems]) from None


def _settings(data: bytes, _: Path) -> Any:
    return _call("tasks.eal.campaign_settings:parse_settings", data, "campaign.toml")


def _state(data: bytes, room: Path) -> Any:
    (room / ".campaign").mkdir()
    (room / ".campaign" / "state.json").write_bytes(data)
    return _call("tasks.eal.campaign_state:read_state", room)


def _coldstart(data: bytes, _: Path, **options: Any) -> Any:
    return _call("formats.kb_coldstart:read_coldstart", data, **options)[0]


def _repair(data: bytes, _: Path) -> Any:
    """A file is mended, and what is still wrong is said; it never becomes worse by being mended again."""
    return _call("tasks.kbp.validation:repair", data)


def _tbf(data: bytes, _: Path, mode: str | None = None) -> Any:
    file = _load("formats.tbf:open_tbf")(data, mode=mode)
    try:
        for document in file.ids:
            file.read(document)
        return [*(problem for each in file.ids for problem in file.problems(each)), *file.notes]
    finally:
        file.close()


def _links(data: bytes, _: Path) -> Any:
    table = _call("formats.kb_links:read_links", data)
    documents = _call("formats.kb_documents:read_kb_documents", seeds_of("kb-documents")[0]).documents
    return _call("formats.kb_links:attach_links", table, documents)[1]


def _shard(data: bytes, room: Path, name: str) -> Any:
    (room / name).write_bytes(data)
    (room / "part-0.jsonl").write_bytes(b'{"id": "first"}\n')
    found = _call("formats.shards:find_shards", room)
    return _call("formats.shards:read_shards", str(room), found)


def _both_sides(data: bytes, _: Path) -> Any:
    gold = _call("formats.bio:read_bio", seeds_of("bio")[0])
    return _call("formats.bio:check_sentences", gold, _call("formats.bio:read_bio", data, name="system"))


def _gen_arg(data: bytes, _: Path) -> Any:
    return _call("tasks.catalogue.gen_arg:_templates", data)


# Seeds that are made


def _packed() -> tuple[bytes, ...]:
    """A store as a zip archive and as a compressed tar archive, always the same bytes."""
    import gzip
    import io
    import tarfile
    import zipfile

    arguments, linking = parts(seeds_of("eal-linking")[0], 2)
    files = {"arguments/MINI_NW_02": arguments, "linking/MINI_NW_02": linking}
    zipped, plain = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    with tarfile.open(fileobj=plain, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return zipped.getvalue(), gzip.compress(plain.getvalue(), mtime=0)


def _zipped(which: int) -> tuple[bytes, ...]:
    return (_packed()[which],)


def _validated_eal() -> tuple[bytes, ...]:
    text = b"<doc>\n" + b"words and words " * 60 + b"\n</doc>\n"
    return tuple(seed + PART + text for seed in seeds_of("eal-linking"))


def _validated_nugget() -> tuple[bytes, ...]:
    return tuple(seed + PART + tokens + PART for seed, tokens in zip(seeds_of("tbf"), seeds_of("tokens"), strict=True))


def _gzipped() -> tuple[bytes, ...]:
    import gzip

    return tuple(gzip.compress(seed, mtime=0) for seed in seeds_of("jsonl"))


def _zstd() -> tuple[bytes, ...]:
    import zstandard

    return tuple(zstandard.compress(seed) for seed in seeds_of("jsonl"))


def _parquet() -> tuple[bytes, ...]:
    import io

    import pyarrow
    import pyarrow.parquet

    stream = io.BytesIO()
    rows = [{"id": "d1", "items": [1, 2], "text": "x"}, {"id": "d2", "items": [], "text": None}]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), stream)
    return (stream.getvalue(),)


MADE: dict[str, Callable[[], tuple[bytes, ...]]] = {
    "zip": partial(_zipped, 0),
    "tar": partial(_zipped, 1),
    "validate-eal": _validated_eal,
    "validate-nugget": _validated_nugget,
    "gzip": _gzipped,
    "zstd": _zstd,
    "parquet": _parquet,
}


def _catalogue() -> Iterable[Target]:
    """Readers of the catalogue and of data sets: JSON, tables and columns."""
    for name, function in {
        "jsonl": "jsonl:read_all",
        "answers": "answers:read_answers",
        "answers-strict": "answers:read_answers_strictly",
        "clusters": "clusters:read_clusters",
        "scirex": "scirex:read_scirex",
        "dygie": "dygie:read_dygie",
        "oneie": "oneie:read_oneie",
        "textee": "oneie:read_textee",
        "rams": "rams:read_rams",
        "wikievents": "wikievents:read_wikievents",
        "wikievents-documents": "wikievents:read_wikievents_documents",
        "wikievents-clusters": "wikievents:read_clusters",
        "omnievent": "omnievent:read_omnievent",
        "kb-documents": "kb_documents:read_kb_documents",
    }.items():
        folder = {"answers-strict": "answers", "wikievents-documents": "wikievents"}.get(name, name)
        yield Target(name, "jsonl", folder, direct(f"formats.{function}"))
    yield Target("dygie-output", "jsonl", "dygie", direct("formats.dygie:read_dygie_output"))
    yield Target("scirex-output", "jsonl", "scirex-output", _scirex, cost=2)
    for reader in ("docred", "docred_result", "train_facts"):
        yield Target(reader.replace("_", "-"), "json", "docred", direct(f"formats.docred:read_{reader}"))
    for reader, folder, shape in (
        ("grit", "templates", "jsonl"),
        ("gtt", "templates", "jsonl"),
        ("iterx", "templates", "jsonl"),
        ("grit_output", "templates-output", "json"),
        ("gtt_output", "templates-output", "json"),
        ("both", "templates-output", "json"),
        ("iterx_output", "templates-iterx", "jsonl"),
    ):
        yield Target(f"templates-{reader.replace('_', '-')}", shape, folder, direct(f"formats.templates:read_{reader}"))
    for reader in (
        "bio",
        "both_gold",
        *(f"{scheme}{side}" for scheme in ("iob1", "iob2", "ioe2", "iobes", "bilou") for side in ("", "_gold")),
    ):
        yield Target(f"bio-{reader.replace('_', '-')}", "words", "bio", direct(f"formats.bio:read_{reader}"))
    yield Target("bio-sentences", "words", "bio", _both_sides)
    yield Target("neleval", "fields", "neleval", direct("formats.linking:read_neleval"))
    yield Target("edl", "fields", "edl", direct("formats.linking:read_edl"))
    yield Target("trees", "fields", "trees", direct("formats.conllu_trees:read_conllu_trees"))
    yield Target("trees-full", "fields", "trees", direct("formats.conllu_trees:read_conllu_full"))
    yield Target("penman", "brackets", "penman", direct("formats.penman:read_penman"))
    yield Target("penman-in-order", "brackets", "penman", direct("formats.penman:read_penman_in_order"))
    yield Target("penman-graphs", "brackets", "penman", direct("formats.penman:read_graphs"))
    yield Target("muc4", "lines", "muc4", direct("formats.muc4_documents:read_muc4"))
    yield Target("muc4-history", "brackets", "muc4-history", direct("formats.muc4_history:read_history"))
    yield Target("muc4-slots", "toml", "muc4-slots", direct("formats.muc4_slots:read_slots"), cost=8)
    yield Target("muc4-messages", "lines", "messages", direct("tasks.catalogue.muc4:read_messages"))
    yield Target("rams-multiplicities", "words", "multiplicities", direct("tasks.catalogue.rams:read_multiplicities"))
    yield Target("gen-arg-templates", "json", "gen-arg", _gen_arg)
    for name, file in (("gzip", "part-1.jsonl.gz"), ("zstd", "part-1.jsonl.zst"), ("parquet", "part-1.parquet")):
        if name == "gzip" or _installed({"zstd": "zstandard", "parquet": "pyarrow"}[name]):
            yield Target(f"shards-{name}", "bytes", name, partial(_shard, name=file), cost=2)


def _coreference() -> Iterable[Target]:
    yield Target("conll", "words", "conll", direct("formats.conll:read_conll"))
    yield Target("conll-strict", "words", "conll", direct("formats.conll:read_conll", profile="strict"))
    yield Target("conllu", "fields", "conllu", direct("formats.conllu:read_conllu"))
    yield Target("coreference-file", "words", "conll", filed("formats.coreference:read_coreference", "a.conll"))
    for name, folder, shape in (
        ("conll", "conll", "words"),
        ("conllu", "conllu", "fields"),
        ("clusters", "clusters", "jsonl"),
    ):
        yield Target(f"coreference-{name}", shape, folder, direct("formats.coreference:read_coreference"))
        yield Target(f"validate-{name}", shape, folder, direct("formats.coreference:check_coreference"), cost=2)


def _nuggets() -> Iterable[Target]:
    yield Target("tbf", "fields", "tbf", direct("formats.tbf:read_tbf"))
    yield Target("tbf-char", "fields", "tbf", direct("formats.tbf:read_tbf", mode="char"))
    yield Target("tbf-file", "fields", "tbf", _tbf)
    yield Target("tokens", "fields", "tokens", placed("formats.token_table:read_table", "a"))
    yield Target("validate-tokens", "fields", "tokens", placed("formats.token_table:scan_table", "a"))
    yield Target("brat", "fields", "brat", _brat)
    yield Target("brat-bytes", "fields", "brat", partial(_brat, units="utf-8", order="file"))
    yield Target("ere", "xml", "ere", _ere)
    yield Target("ere-utf-16", "xml", "ere", partial(_ere, units="utf-16", order="file"))
    yield Target("validate-nugget", "fields", "validate-nugget", _validate_nugget, cost=2)
    yield Target("text", "lines", "lists", placed("formats.standoff:read_text", "a.txt"))
    yield Target(
        "nugget-sizes", "words", "nugget-sizes", filed("tasks.nugget.validation_ground:read_sizes", "sizes.txt")
    )
    yield Target("nugget-types", "lines", "nugget-types", filed("tasks.nugget.ontology:read_types", "types.txt"))


def _arguments() -> Iterable[Target]:
    """Event arguments and linking."""
    yield Target(
        "eal-arguments", "fields", "eal-arguments", placed("formats.eal_arguments:scan_verbatim", "MINI_NW_02")
    )
    yield Target(
        "eal-arguments-any",
        "fields",
        "eal-arguments",
        placed("formats.eal_arguments:scan_arguments", "MINI_NW_02", repeats="first"),
    )
    yield Target("eal-linking", "fields", "eal-linking", _linking)
    yield Target("eal-linking-2016", "fields", "eal-linking", partial(_linking, layout="2016", separator="any"))
    yield Target("eal-key", "fields", "eal-key", placed("formats.eal_assessments:scan_key", "MINI_NW_02"))
    yield Target("eal-frames", "fields", "eal-frames", _frames)
    yield Target(
        "eal-provenance",
        "fields",
        "eal-provenance",
        filed("formats.eal_provenance:read_provenance", "p.tsv", documents=("MINI_NW_02", "MINI_NW_03")),
    )
    yield Target("eal-quotes", "words", "eal-quotes", placed("formats.eal_quotes:parse_quotes", "quotes"))
    yield Target("eal-sources", "fields", "eal-sources", _sources, cost=2)
    yield Target("eal-store", "fields", "eal-linking", partial(_store, folder=True), cost=4)
    yield Target("eal-key-store", "fields", "eal-frames", partial(_flat, function="open_key"), cost=4)
    yield Target("eal-frames-store", "fields", "eal-frames", partial(_flat, function="open_frames"), cost=4)
    yield Target("eal-zip", "archive", "zip", partial(_store, folder=False), cost=4)
    yield Target("eal-tar", "archive", "tar", partial(_store, folder=False), cost=4)
    yield Target("eal-zip-open", "archive", "zip", partial(_store, folder=False, strict=True), cost=4)
    yield Target("eal-store-open", "fields", "eal-linking", partial(_store, folder=True, strict=True), cost=4)
    yield Target("eal-lock", "fields", "eal-lock", filed("formats.eal_lock:is_left", "__lock"))
    yield Target("validate-eal", "fields", "validate-eal", _validate_eal, cost=6)
    yield Target("eal-ontology", "json", "eal-ontology", filed("tasks.eal.ontology:load_ontology", "o.txt"))
    yield Target("eal-ontology-toml", "toml", "eal-ontology-toml", filed("tasks.eal.ontology:load_ontology", "o.toml"))
    yield Target("eal-campaign", "toml", "eal-campaign", _settings)
    yield Target("eal-state", "json", "eal-state", _state)
    yield Target("eal-genres", "fields", "eal-genres", filed("tasks.eal.diagnostics:read_genres", "genres.tsv"))


def _knowledge_bases() -> Iterable[Target]:
    yield Target("ace", "xml", "ace", _ace, cost=2)
    yield Target("ace-raw", "xml", "ace", partial(_ace, units="raw", offsets="realign"), cost=2)
    yield Target("kb-ere", "xml", "kb-ere", _kb_ere, cost=2)
    yield Target("kb-ere-strings", "xml", "kb-ere", partial(_kb_ere, fillers="string", offsets="realign"), cost=2)
    yield Target("kb-queries", "xml", "kb-queries", direct("formats.kb_queries:read_queries"))
    yield Target("kb-query-table", "fields", "kb-queries", direct("formats.kb_queries:read_queries"))
    yield Target("kb-answers", "fields", "kb-answers", direct("formats.kb_answers:read_answers"))
    yield Target("kb-assessments", "fields", "kb-assessments", direct("formats.kb_answers:read_assessments"))
    yield Target("coldstart", "fields", "coldstart", _coldstart)
    yield Target("coldstart-strict", "fields", "coldstart", partial(_coldstart, mode="strict", add_inverses=True))
    yield Target("coldstart-repair", "fields", "coldstart", _repair, cost=2)
    yield Target("triples", "fields", "triples", direct("formats.kb_triples:read_triples"))
    for name, folder in (
        ("coldstart", "coldstart"),
        ("triples", "triples"),
        ("links", "links"),
        ("kb-documents", "kb-documents"),
    ):
        shape = "jsonl" if name == "kb-documents" else "fields"
        yield Target(f"validate-{name}", shape, folder, direct("tasks.kbp.validation:validate"), cost=2)
    yield Target("links", "fields", "links", _links)
    yield Target("links-first", "fields", "links", direct("formats.kb_links:read_links", several="first"))
    yield Target("names", "lines", "lists", direct("formats.kb_lists:read_names"))
    yield Target("stop-list", "lines", "lists", direct("formats.kb_lists:read_stop_list"))
    yield Target("pairs", "fields", "pairs", direct("formats.kb_lists:read_pairs"))
    yield Target("redirects", "fields", "pairs", direct("formats.kb_lists:read_redirects"))


def _descriptions() -> Iterable[Target]:
    """Metrics as data, and results."""
    yield Target("specs", "yaml", "specs", _spec, cost=4)
    yield Target("similarity", "json", "similarity", _similarity)
    yield Target("schema", "yaml", "schema", filed("metrics.record_schema:read_schema", "fields.yaml"), cost=2)
    yield Target("hierarchy", "fields", "hierarchy", filed("algebra.similarity:read_parents", "h.tsv"))
    yield Target("hierarchy-json", "json", "hierarchy-json", filed("algebra.similarity:read_parents", "h.json"))
    yield Target("results", "json", "results", placed("stats.result:decode_result", "r.json"), cost=2)


def _installed(module: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(module) is not None


@cache
def targets() -> tuple[Target, ...]:
    """All targets, by name."""
    rooms = (_catalogue, _coreference, _nuggets, _arguments, _knowledge_bases, _descriptions)
    return tuple(sorted((each for room in rooms for each in room()), key=lambda each: each.name))


def chosen(only: str | None) -> Sequence[Target]:
    """The targets whose name has one of the words `only`, which commas separate."""
    words = [word for word in (only or "").split(",") if word]
    found = [each for each in targets() if not words or any(re.search(word, each.name) for word in words)]
    if not found:
        raise SystemExit(f"no target is called {only}; there are: {', '.join(each.name for each in targets())}")
    return found


__all__ = ["PART", "SEEDS", "Target", "chosen", "parts", "seeds_of", "targets"]
