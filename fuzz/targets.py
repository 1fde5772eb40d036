"""The readers that are fuzzed: for each a name, the folder of its valid files, and what is done with bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.tasks.family import families, find_family
from fuzz import calls
from fuzz.calls import direct, filed, placed
from fuzz.seeding import SEEDS, seeds_of


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


def _catalogue() -> Iterable[Target]:
    """Readers of the catalogue and of data sets: JSON, tables and columns."""
    for name, function in {
        "jsonl": "jsonl:read_all",
        "answers": "answers:read_answers",
        "answers-strict": "answers:read_answers_strictly",
        "clusters": "clusters:read_clusters",
        "scirex": "relation_documents:read_scirex",
        "dygie": "event_lines:read_dygie",
        "oneie": "event_lines:read_oneie",
        "textee": "event_lines:read_textee",
        "rams": "event_lines:read_rams",
        "wikievents": "event_lines:read_wikievents",
        "wikievents-documents": "event_lines:read_wikievents_documents",
        "wikievents-clusters": "event_lines:read_clusters",
        "omnievent": "event_lines:read_omnievent",
        "kb-documents": "kb_documents:read_kb_documents",
    }.items():
        folder = {"answers-strict": "answers", "wikievents-documents": "wikievents"}.get(name, name)
        yield Target(name, "jsonl", folder, direct(f"formats.{function}"))
    yield Target("dygie-output", "jsonl", "dygie", direct("formats.event_lines:read_dygie_output"))
    yield Target("scirex-output", "jsonl", "scirex-output", calls.scirex, cost=2)
    for reader in ("docred", "docred_result", "train_facts"):
        yield Target(reader.replace("_", "-"), "json", "docred", direct(f"formats.relation_documents:read_{reader}"))
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
    yield Target("bio-sentences", "words", "bio", calls.both_sides)
    for reader, folder, shape in (("bioc", "bioc", "xml"), ("pubtator", "pubtator", "fields")):
        yield Target(reader, shape, folder, direct(f"formats.biomedical:read_{reader}"))
    yield Target("xmi", "xml", "xmi", direct("formats.webanno:read_xmi"))
    yield Target("brat-documents", "fields", "brat", calls.brat_folder)
    yield Target("exports", "jsonl", "exports", direct("formats.exports:read_export"))
    yield Target("export-table", "fields", "export-table", direct("formats.exports:read_csv"))
    yield Target("webanno", "fields", "webanno", direct("formats.webanno:read_webanno"))
    yield Target("triple-lines", "fields", "triples", direct("formats.exports:read_export", reader="triples"))
    yield Target("record-table", "fields", "record-table", direct("formats.exports:read_record_table"))
    yield Target("inspect-json", "json", "inspect-json", direct("formats.exports:read_inspect"))
    yield Target("inspect-gold", "json", "inspect-json", direct("formats.exports:read_inspect_gold"))
    yield Target("inspect-zip", "archive", "inspect", direct("formats.exports:read_inspect"), cost=2)
    yield Target("neleval", "fields", "neleval", direct("formats.linking:read_neleval"))
    yield Target("edl", "fields", "edl", direct("formats.linking:read_edl"))
    yield Target("trees", "fields", "trees", direct("formats.conllu_trees:read_conllu_trees"))
    yield Target("trees-full", "fields", "trees", direct("formats.conllu_trees:read_conllu_full"))
    yield Target("penman", "brackets", "penman", direct("formats.penman:read_penman"))
    yield Target("penman-in-order", "brackets", "penman", direct("formats.penman:read_penman_in_order"))
    yield Target("penman-graphs", "brackets", "penman", direct("formats.penman:read_graphs"))
    yield Target("muc4", "lines", "muc4", direct("formats.muc4:read_muc4"))
    yield Target("muc4-history", "brackets", "muc4-history", direct("formats.muc4:read_history"))
    yield Target("muc4-slots", "toml", "muc4-slots", direct("formats.muc4_slots:read_slots"), cost=8)
    yield Target("muc4-messages", "lines", "messages", direct("scorers.muc4:read_messages"))
    yield Target("rams-multiplicities", "words", "multiplicities", direct("scorers.rams:read_multiplicities"))
    yield Target("gen-arg-templates", "json", "gen-arg", calls.gen_arg)
    for family, reader, folder, shape in (
        ("ner", "bio", "bio", "words"),
        ("ner", "jsonl", "jsonl", "jsonl"),
        ("relation", "dygie", "dygie", "jsonl"),
        ("tree", "conllu", "trees", "fields"),
        ("amr", "penman", "penman", "brackets"),
        ("linking", "neleval", "neleval", "fields"),
        ("record", "answers", "answers", "jsonl"),
    ):
        validate = partial(calls.validate_family, family=family, reader=reader)
        yield Target(f"validate-{family}-{reader}", shape, folder, validate, cost=4)
    for name, file in (("gzip", "part-1.jsonl.gz"), ("zstd", "part-1.jsonl.zst"), ("parquet", "part-1.parquet")):
        if name == "gzip" or _installed({"zstd": "zstandard", "parquet": "pyarrow"}[name]):
            yield Target(f"shards-{name}", "bytes", name, partial(calls.shard, name=file), cost=2)


def _coreference() -> Iterable[Target]:
    yield Target("conll", "words", "conll", direct("formats.conll:read_conll"))
    yield Target("conll-strict", "words", "conll", direct("formats.conll:read_conll", profile="strict"))
    yield Target("conllu", "fields", "conllu", direct("formats.conllu:read_conllu"))
    yield Target("corefud", "fields", "corefud", direct("formats.corefud:read_corefud"))
    yield Target("corefud-text", "words", "corefud-text", calls.marked)
    yield Target("bio-words", "fields", "bio", direct("formats.bio:read_words"))
    yield Target("cluster-table", "fields", "cluster-table", direct("formats.clusters:read_cluster_table"))
    yield Target("words", "words", "conll", direct("formats.coreference:read_words"))
    for shape, folder in (
        *(("words", "conll"), ("jsonl", "jsonl"), ("fields", "bio"), ("xml", "ere")),
        *(("toml", "eal-campaign"), ("words", "eal-quotes"), ("json", "hierarchy-json"), ("fields", "pairs")),
    ):
        yield Target(f"doctor-{folder}", shape, folder, calls.doctor, cost=4)
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
    yield Target("tbf-file", "fields", "tbf", calls.tbf)
    yield Target("tbf-mode", "fields", "tbf", direct("formats.tbf:file_mode"))
    yield Target("tbf-columns", "fields", "tbf", partial(calls.tbf, mode="char"))
    yield Target("tokens", "fields", "tokens", placed("formats.token_table:read_table", "a"))
    yield Target("validate-tokens", "fields", "tokens", placed("formats.token_table:scan_table", "a"))
    yield Target("brat", "fields", "brat", calls.brat)
    yield Target("brat-bytes", "fields", "brat", partial(calls.brat, units="utf-8", order="file"))
    yield Target("ere", "xml", "ere", calls.ere)
    yield Target("ere-utf-16", "xml", "ere", partial(calls.ere, units="utf-16", order="file"))
    yield Target("validate-nugget", "fields", "validate-nugget", calls.validate_nugget, cost=2)
    yield Target("text", "lines", "lists", placed("formats.standoff:read_source_text", "a.txt"))
    yield Target("nugget-sizes", "words", "nugget-sizes", filed("tasks.nugget.validation:read_sizes", "sizes.txt"))
    yield Target("nugget-types", "lines", "nugget-types", filed("tasks.nugget.validation:read_types", "types.txt"))


def _arguments() -> Iterable[Target]:
    """Event arguments and linking."""
    yield Target(
        "eal-arguments", "fields", "eal-arguments", placed("formats.eal_arguments:scan_arguments", "MINI_NW_02")
    )
    yield Target(
        "eal-arguments-any",
        "fields",
        "eal-arguments",
        placed("formats.eal_arguments:scan_arguments", "MINI_NW_02", repeats="first"),
    )
    yield Target("eal-linking", "fields", "eal-linking", calls.linking)
    yield Target("eal-linking-2016", "fields", "eal-linking", partial(calls.linking, layout="2016", separator="any"))
    yield Target("eal-linking-ids", "fields", "eal-linking", placed("formats.eal_linking:scan_ids", "MINI_NW_02"))
    yield Target("eal-key", "fields", "eal-key", placed("formats.eal_assessments:scan_key", "MINI_NW_02"))
    yield Target("eal-frames", "fields", "eal-frames", calls.frames)
    yield Target(
        "eal-provenance",
        "fields",
        "eal-provenance",
        filed("formats.eal_sources:read_provenance", "p.tsv", documents=("MINI_NW_02", "MINI_NW_03")),
    )
    yield Target("eal-quotes", "words", "eal-quotes", placed("formats.eal_sources:parse_quotes", "quotes"))
    yield Target("eal-sources", "fields", "eal-sources", calls.sources, cost=2)
    yield Target("eal-store", "fields", "eal-linking", partial(calls.store, folder=True), cost=4)
    yield Target("eal-key-store", "fields", "eal-frames", partial(calls.flat, function="open_key"), cost=4)
    yield Target("eal-frames-store", "fields", "eal-frames", partial(calls.flat, function="open_frames"), cost=4)
    yield Target("eal-zip", "archive", "zip", partial(calls.store, folder=False), cost=4)
    yield Target("eal-tar", "archive", "tar", partial(calls.store, folder=False), cost=4)
    yield Target("eal-zip-open", "archive", "zip", partial(calls.store, folder=False, strict=True), cost=4)
    yield Target("eal-store-open", "fields", "eal-linking", partial(calls.store, folder=True, strict=True), cost=4)
    yield Target("eal-lock", "fields", "eal-lock", calls.lock)
    yield Target("validate-eal", "fields", "validate-eal", calls.validate_eal, cost=6)
    yield Target("eal-ontology", "json", "eal-ontology", filed("tasks.eal.ontology:load_ontology", "o.txt"))
    yield Target("eal-ontology-toml", "toml", "eal-ontology-toml", filed("tasks.eal.ontology:load_ontology", "o.toml"))
    yield Target("eal-campaign", "toml", "eal-campaign", calls.settings)
    yield Target("eal-state", "json", "eal-state", calls.state)
    yield Target("eal-genres", "fields", "eal-genres", filed("tasks.eal.diagnostics:read_genres", "genres.tsv"))


def _knowledge_bases() -> Iterable[Target]:
    yield Target("ace", "xml", "ace", calls.ace, cost=2)
    yield Target("ace-raw", "xml", "ace", partial(calls.ace, units="raw", offsets="realign"), cost=2)
    yield Target("kb-ere", "xml", "kb-ere", calls.kb_ere, cost=2)
    yield Target("kb-ere-strings", "xml", "kb-ere", partial(calls.kb_ere, fillers="string", offsets="realign"), cost=2)
    yield Target("kb-queries", "xml", "kb-queries", direct("formats.kb_queries:read_queries"))
    yield Target("kb-query-table", "fields", "kb-queries", direct("formats.kb_queries:read_queries"))
    yield Target("kb-answers", "fields", "kb-answers", direct("formats.kb_queries:read_answers"))
    yield Target("kb-assessments", "fields", "kb-assessments", direct("formats.kb_queries:read_assessments"))
    yield Target("coldstart", "fields", "coldstart", calls.coldstart)
    yield Target("coldstart-strict", "fields", "coldstart", partial(calls.coldstart, mode="strict", add_inverses=True))
    yield Target("coldstart-repair", "fields", "coldstart", calls.repair, cost=2)
    yield Target("triples", "fields", "triples", direct("formats.kb_triples:read_triples"))
    yield Target("kg-csv", "fields", "kg-csv", direct("formats.kb_triples:read_triples"))
    for kind in (None, "json", "langchain", "neo4j", "llamaindex", "kggen"):
        yield Target(f"kg-{kind or 'any'}", "json", "kg-json", direct("formats.kg_json:read_graph_json", kind=kind))
    yield Target("ntriples", "lines", "ntriples", direct("formats.kg_rdf:read_rdf"))
    yield Target("turtle", "lines", "turtle", direct("formats.kg_rdf:read_rdf", kind="turtle"))
    yield Target("trig", "lines", "turtle", direct("formats.kg_rdf:read_rdf", kind="trig"))
    yield Target("webnlg", "xml", "webnlg", direct("formats.kg_webnlg:read_webnlg"))
    yield Target("aliases", "fields", "aliases", direct("tasks.kbp.naming:read_aliases"))
    yield Target("kg-ontology", "json", "ontology", direct("tasks.kbp.ontology:read_ontology"))
    yield Target("graphrag", "lines", "runs", calls.graphrag_folder, cost=4)
    yield Target("runs", "jsonl", "runs", direct("formats.runs:split_runs", column="seed"))
    yield Target("judged", "json", "judged", direct("tasks.kbp.judged:read_judged"))
    for name, folder in (
        ("coldstart", "coldstart"),
        ("triples", "triples"),
        ("ntriples", "ntriples"),
        ("kg-json", "kg-json"),
        ("links", "links"),
        ("kb-documents", "kb-documents"),
    ):
        shape = {"kb-documents": "jsonl", "kg-json": "json", "ntriples": "lines"}.get(name, "fields")
        yield Target(f"validate-{name}", shape, folder, direct("tasks.kbp.validation:validate"), cost=2)
    yield Target("links", "fields", "links", calls.links)
    yield Target("links-first", "fields", "links", direct("formats.kb_links:read_links", several="first"))
    yield Target("names", "lines", "lists", direct("formats.kb_links:read_names"))
    yield Target("stop-list", "lines", "lists", direct("formats.kb_links:read_stop_list"))
    yield Target("pairs", "fields", "pairs", direct("formats.kb_links:read_pairs"))
    yield Target("redirects", "fields", "pairs", direct("formats.kb_links:read_redirects"))


def _descriptions() -> Iterable[Target]:
    """Metrics as data, and results."""
    yield Target("specs", "yaml", "specs", calls.spec, cost=4)
    yield Target("similarity", "json", "similarity", calls.similarity)
    yield Target("schema", "yaml", "schema", filed("algebra.schema_file:schema_of", "fields.yaml"), cost=2)
    yield Target("hierarchy", "fields", "hierarchy", filed("algebra.similarity:read_parents", "h.tsv"))
    yield Target("hierarchy-json", "json", "hierarchy-json", filed("algebra.similarity:read_parents", "h.json"))
    yield Target("results", "json", "results", placed("stats.saved:decode_result", "r.json"), cost=2)


def _installed(module: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(module) is not None


@cache
def targets() -> tuple[Target, ...]:
    """All targets, by name."""
    rooms = (_catalogue, _coreference, _nuggets, _arguments, _knowledge_bases, _descriptions)
    listed = [each for room in rooms for each in room()]
    known = {each.name for each in listed} | {each.run.args[0] for each in listed if getattr(each.run, "args", ())}
    return tuple(sorted((*listed, *_others(known)), key=lambda each: each.name))


def _others(listed: Container[Any]) -> Iterable[Target]:
    """Readers of tasks that are not listed, by name or by function, if a folder of seeds has their name."""
    for family in map(find_family, families()):
        for name, reader in family.readers.items():
            if name not in listed and (SEEDS / name).is_dir():
                for side, place in (("", reader.gold), ("-system", reader.system)):
                    function = place.removeprefix("adjudge.")
                    if function and function not in listed:
                        yield Target(f"{name}{side}", "lines", name, direct(function))


def chosen(only: str | None) -> Sequence[Target]:
    """The targets whose name has one of the words `only`, which commas separate."""
    words = [word for word in (only or "").split(",") if word]
    found = [each for each in targets() if not words or any(re.search(word, each.name) for word in words)]
    if not found:
        raise SystemExit(f"no target is called {only}; there are: {', '.join(each.name for each in targets())}")
    return found
