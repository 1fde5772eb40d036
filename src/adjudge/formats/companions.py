"""Files and folders that are neither gold nor system output: lists, settings, samples, and what commands write.

Some have fields, columns, sections or marks that nothing else has, and are recognised at once (`certain`). The others
are told by how all of their lines look, and only where no reader of a task can read a file (`likely`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from adjudge.formats.json_file import json_values
from adjudge.formats.kinds import FORMATS, Format, formats_of
from adjudge.formats.source import HEAD, head_of

COMPANIONS: Mapping[str, Format] = {
    each.kind: each
    for each in (
        FORMATS["eal-linking"],
        Format("eal-ontology", "an ontology of event types with their roles"),
        Format("eal-quotes", "places of quotations"),
        Format("eal-provenance", "which systems gave each response of a pool"),
        Format("eal-lock", "the lock of a store: somebody is writing to it, or left it behind"),
        Format("eal-settings", "the settings of a campaign of event arguments"),
        Format("eal-state", "the state of a campaign of event arguments"),
        Format("eal-campaign", "a campaign of event arguments"),
        Format("eal-report", "which responses a filter removed"),
        Format("kg-ontology", "an ontology of relations with their types"),
        Format("kb-judged", "judgements of facts by a model"),
        Format("kb-aliases", "names with other names of the same"),
        Format("muc4-slots", "the slots of a template"),
        Format("muc4-history", "decisions of people about fillers (MUC-4)"),
        Format("gen-arg", "templates of event types with their roles"),
        Format("multiplicities", "roles of event types with their multiplicities"),
        Format("record-schema", "the schema of a record"),
        Format("json-schema", "a JSON Schema"),
        Format("similarity", "a comparison of values, without a metric"),
        Format("hierarchy", "types with their parents"),
        Format("marked-text", "text with marked mentions (CRAC)"),
        Format("list", "a list of documents, types or other names"),
        Format("genres", "documents with their genres"),
        Format("text-paths", "documents with the paths of their texts"),
        Format("relation-names", "relations with other names"),
        Format("redirects", "pages with the pages that they redirect to"),
        Format("pairs", "lines of two columns"),
        Format("sizes", "names with a number: lengths or counts of documents"),
        Format("texts", "texts of documents"),
        Format("sample-pool", "a pool of items to draw from"),
        Format("design", "the design of a sample"),
        Format("labels", "verdicts of assessors"),
        Format("judge", "verdicts of a judge"),
        Format("exhaustive", "counts of documents that were read completely"),
        Format("estimate", "a saved estimate of documents"),
        Format("item-estimate", "a saved estimate of items"),
        Format("plan", "a plan of an evaluation"),
        Format("selection", "a selection of what to annotate"),
        Format("agreement", "the agreement of annotators"),
        Format("findings", "findings of adjudge doctor or a validator"),
        Format("explanation", "the outcome of every item (--explain)"),
        Format("kb-explanation", "where paths of knowledge bases are lost"),
        Format("metric-list", "a list of metrics"),
        Format("proposal-tables", "the tables of the scoring proposal"),
        Format("nugget-comparison", "gold and system nuggets side by side"),
        Format("scores", "scores for people and other programs"),
        Format("page", "a page for a browser"),
        Format("graph", "a graph as SVG"),
        Format("serve-folder", "the folder of a server"),
        Format("serve-settings", "the settings of a server"),
        Format("serve-store", "the database of a server"),
        Format("serve-schema", "an assessment schema"),
        Format("serve-training", "items for training, with their correct answers"),
        Format("serve-backup", "a backup of a server"),
        Format("serve-export", "an export of decisions"),
        Format("serve-events", "events of a server"),
        Format("serve-board", "published boards"),
        Format("serve-program", "the scoring of a track for Codabench"),
    )
}

_FIELDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # A kind fits if all objects, or the header of a table, have these fields.
    ("design", ("id", "probability", "drawn")),
    ("sample-pool", ("id", "document", "systems")),
    ("exhaustive", ("document", "in_pool", "all")),
    ("estimate", ("kind", "unit", "assist", "rounds")),
    ("agreement", ("adjudge", "annotators", "pairs")),
    ("selection", ("adjudge", "order", "ranking", "neighbours")),
    ("findings", ("adjudge", "task", "files", "findings")),
    ("plan", ("difference", "alpha", "power", "rows")),
    ("explanation", ("document", "system", "items", "metrics")),
    ("metric-list", ("name", "about", "family", "field")),
    ("proposal-tables", ("beta", "lambda", "table_1")),
    ("eal-state", ("form", "steps")),
    ("eal-provenance", ("document", "response", "system", "confidence")),
    ("eal-report", ("document", "reason", "id", "type", "role")),
    ("marked-text", ("doc_id", "clusters_token_offsets")),
    ("serve-export", ("campaign", "heads", "files")),
    ("serve-backup", ("backup", "adjudge", "events")),
    ("serve-events", ("seq", "stream", "kind", "subject")),
    ("serve-training", ("document", "item", "answers")),
    ("scores", ("system", "metric", "pool", "part", "slice")),
    ("scores", ("system", "document", "tp", "fp", "fn")),
    ("scores", ("system", "row", "hop", "gold", "submitted")),
)
_ONLY: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    # A kind fits if all have the first fields, and others only of the second ones.
    ("labels", ("id", "verdict"), ("assessor", "seen_judge", "judge", "document")),
    ("judge", ("id", "judge"), ("document",)),
)
_SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # A kind fits if TOML has one of these keys.
    ("serve-settings", ("server", "campaign", "track")),
    ("serve-schema", ("item", "question", "questions")),
    ("muc4-slots", ("slots", "slot")),
    ("eal-ontology", ("types",)),
    ("eal-settings", ("filters", "assessment", "scoring", "diagnostics", "decisions")),
)
_CERTAIN: tuple[tuple[str, str], ...] = (
    ("nugget-comparison", r"#BeginOfDocument.*\n(?:.*\n)*?[^\t\n]+(?:\t[^\t\n]*)*\t\|\t"),
    ("eal-lock", r"\S+\t\d+\t\S+\t\d{4}-\d\d-\d\d [\d:]+ UTC\t[0-9a-f]+\s*\Z"),
    ("muc4-history", r"(?:[ \t]*(?:;.*)?\n)*\(\(\""),
    ("page", r"(?i:\s*<!doctype html>)[^\0]*?<meta name=\"generator\" content=\"adjudge "),
    ("serve-store", r"SQLite format 3\0(?s:.*)CREATE TABLE event\b"),
    ("graph", r"\s*(?:<\?xml[^>]*>\s*)?<svg\b"),
    ("scores", r"\| (?:system|metric) \|[^\n]*\n\| :--"),
    ("scores", r"% needs \\usepackage\{booktabs\}"),
    ("scores", r"(?:system|metric)  [^\n]*\n(?:[^\n]*\n)*?signature  [\w.-]+\|"),
    ("eal-linking", r"(?:#.*\n|(?:[^\t\n]+\t)?(?:[0-9a-f]{40}[ \t]?)+\n)*INCOMPLETE(?:[ \t]|\Z)"),
)
"""How a file begins, by kind."""
_EVENT = r"[A-Z][\w-]*[.:][A-Z][\w-]*"
_IDS = r"[0-9a-f]{40}(?:[ \t][0-9a-f]{40})*"
_TAGGED = re.compile(r"(?:[BIESLU]-\S+|O)")
_LIKELY: tuple[tuple[str, str, str], ...] = (
    # How every line looks, without comments and empty lines; and what must be somewhere in the file.
    ("eal-ontology", rf"{_EVENT}(?:\t[\w-]+)+", ""),
    ("eal-linking", rf"(?:[^\t]+\t)?{_IDS}|INCOMPLETE(?:\t.*)?", ""),
    ("eal-linking", r"(?:[A-Za-z][^\t ]*\t)?\d+(?:[ \t]\d+)*", r"\d[ \t]\d"),
    ("multiplicities", r"[\w-]+(?:\.[\w-]+)+(?: \S+ \d+)+", ""),
    ("sizes", r"\S+[ \t]+\d+", ""),
    (
        "record-schema",
        r"[\w$. -]+:.*|[ ]*- .*|[ \]}]+",
        r"(?m)^[\w$. -]+:[ \[{]*(?:exact|text|squad|number|date|boolean|words|edit|ignore|enum|compare|list)\b",
    ),
    ("marked-text", r".*", r"\|\[?e\d+\]?(?:,|[ \n])"),
    ("list", r"[\w.:/()-]+|[A-Z]+\d+-MUC\d-\d+\b.*", r"\S\s*\n\s*\S"),
    ("hierarchy", r"[^\t]+\t[^\t]+", r"#.*\bparents?\b"),
    ("text-paths", r"\S+\t[^\t]+\.(?:txt|sgml?|xml|html?)(?:\.\w+)?", ""),
    ("genres", r"\S*\d\S*\t[A-Za-z][a-z _-]*|[A-Z]{2,}[\w.-]+\t[a-z][a-z _-]*", ""),
    ("relation-names", r"(?:[a-z]+:[\w./-]+|[a-z]+(?:[_A-Z][A-Za-z]*)+)\t[\w:./-]+", ""),
    ("redirects", r"[A-Z\d][^\t]*\t[A-Z\d][^\t]*", ""),
    ("pairs", r"[^\t]+\t[^\t]+", ""),
    ("kb-answers", r"Q\w*(?:\t[^\t]+){1,4}", ""),
    ("kg-ontology", r"[\w:./-]+(?:\t[A-Z][\w:./-]*){0,2}", r"\t"),
    ("kb-aliases", r"[^\t]+(?:\t[^\t]+)+", ""),
)
_PAIRS = ("text-paths", "genres", "relation-names", "redirects", "pairs")
_QUOTES = re.compile(r"\d+\n(?:[^\t\n ]+\n(?:\d+-\d+(?: \d+-\d+)*)?\n)+\n*")
_LARGEST = 1 << 16  # letters of a file whose lines are compared with all of these
_TEXTS = (".txt", ".sgm", ".sgml", ".cmp.txt", ".mpdf.xml", ".xml", ".htm", ".html")
MEMORY = ".campaign"  # the folder in that of a campaign where its state is
_FOLDERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # A kind fits if a folder has all of these.
    ("eal-campaign", ("campaign.toml",)),
    ("serve-backup", ("backup.json",)),
    ("serve-folder", ("serve.toml", "secret.key")),
    ("serve-export", ("manifest.json", "events.jsonl", "schema.toml")),
    ("serve-board", ("board.css", "index.html")),
)


def certain(text: str) -> Format | None:
    r"""The kind of a file whose fields, sections or first lines no other has; None if it is none of them.

    >>> certain('{"id": "a", "verdict": 1}\n').kind, certain('{"id": "a", "text": "b"}\n')
    ('labels', None)
    >>> certain("id,verdict\na,1\n").kind, certain('[server]\nname = "autumn"\n').kind
    ('labels', 'serve-settings')
    """
    kind = next((kind for kind, form in _CERTAIN if re.match(form, text)), "")
    kind = kind or _of_json(text) or _of_columns(text) or _of_toml(text)
    return COMPANIONS[kind] if kind else None


def likely(text: str) -> Format | None:
    r"""The kind of a file whose lines all look as in such files; None if it is none of them.

    >>> likely("Life.Die\tVictim\tAgent\nLife.Born\tPerson\n").kind, likely("Ada met Ben.\nWhere?\n")
    ('eal-ontology', None)
    """
    if len(text) > _LARGEST:
        text = text[: text.rfind("\n", 0, _LARGEST) + 1]
    whole = text if text.endswith("\n") else text + "\n"
    lines = [line for each in text.split("\n") if (line := each.strip("\r ")) and not line.startswith("#")]
    if "\0" in text or "\N{REPLACEMENT CHARACTER}" in text or not lines:
        return None
    if _QUOTES.fullmatch(whole):
        return COMPANIONS["eal-quotes"]
    if lines[0].lstrip()[:1] == "{":
        values = json_values(text)
        names = values[0] if len(values) == 1 and isinstance(values[0], dict) else {}
        parents = len(names) > 1 and all(isinstance(each, str) for each in names.values())
        return COMPANIONS["hierarchy"] if parents else None
    for kind, form, somewhere in _LIKELY:
        if all(re.fullmatch(form, line) for line in lines) and re.search(somewhere, whole):
            tagged = kind in (*_PAIRS, "kb-aliases") and any(_TAGGED.fullmatch(line.split("\t")[-1]) for line in lines)
            return None if tagged else COMPANIONS.get(kind) or FORMATS[kind]
    return None


def _of_json(text: str) -> str:
    """The kind of an object, or of objects that all have the same fields."""
    bare = re.sub(r"\A(?:#.*\n)*", "", text)
    if bare.lstrip()[:1] not in ("{", "["):
        return ""
    values = json_values(bare)
    objects = [each for each in values if isinstance(each, dict)]
    if not objects or len(objects) < len(values):
        return ""
    if kind := _of_fields([frozenset(each) for each in objects]):
        return "item-estimate" if kind == "estimate" and objects[0]["unit"] == "item" else kind
    one = objects[0] if len(objects) == 1 else {}
    if isinstance(one.get("systems"), list) and one["systems"] and _have(one["systems"], ("system", "hops")):
        return "kb-explanation"
    if "$schema" in one or (one.get("type") == "object" and "properties" in one):
        return "json-schema"
    if "sim" in one:
        return "similarity"
    if any(each.get("evaluation") in (0, 1) for each in objects) and all("id" not in each for each in objects):
        return "kb-judged"
    return _of_mapping(one)


def _of_mapping(one: Mapping[str, Any]) -> str:
    """The kind of an object whose keys are names."""
    types = one.get("types")
    if isinstance(types, dict) and types and all(re.fullmatch(_EVENT, each) for each in types):
        return "eal-ontology"
    if isinstance(one.get("relations"), list) and one["relations"] and _have(one["relations"], ("domain",)):
        return "kg-ontology"
    return "gen-arg" if one and _have(one.values(), ("template", "roles")) else ""


def _have(values: Iterable[Any], names: Iterable[str]) -> bool:
    """Whether all values are objects with these fields."""
    return all(isinstance(each, dict) and each.keys() >= set(names) for each in values)


def _of_fields(found: list[frozenset[str]]) -> str:
    """The kind of rows with these fields."""
    common, every = frozenset.intersection(*found), frozenset.union(*found)
    kind = next((kind for kind, needed in _FIELDS if common.issuperset(needed)), "")
    return kind or next(
        (kind for kind, needed, more in _ONLY if common.issuperset(needed) and every <= {*needed, *more}), ""
    )


def _of_columns(text: str) -> str:
    """The kind of a table that names such columns in its first line."""
    header = re.split(r"[\t,;]", text.lstrip("# ").partition("\n")[0].strip())
    return _of_fields([frozenset(cell.strip().strip('"') for cell in header)]) if len(header) > 1 else ""


def _of_toml(text: str) -> str:
    """The kind of settings with such sections."""
    if not re.search(r"^[ \t]*(?:\[+[\w.\"' -]+\]+|[\w.\"'-]+\s*=)", text, re.MULTILINE):
        return ""
    import tomllib

    try:
        keys = tomllib.loads(text).keys()
    except (ValueError, RecursionError):  # also of a number with thousands of digits
        return ""
    return next((kind for kind, names in _SECTIONS if not keys.isdisjoint(names)), "")


def folder_kind(folder: Path) -> Format | None:
    """The kind of a folder of a campaign or a server; None if it is neither."""
    kind = next((kind for kind, names in _FOLDERS if all((folder / name).is_file() for name in names)), "")
    kind = "eal-state" if folder.name == MEMORY else kind
    return COMPANIONS[kind] if kind else None


def files_kind(files: Iterable[Path], heads: Iterable[bytes]) -> Format | None:
    """The kind that the files of a folder have in common, by their beginnings; None if they have none."""
    names, texts = list(files), [head.decode("utf-8-sig", "replace") for head in islice(heads, 12)]
    filled = [text[: text.rfind("\n") + 1] for text in texts if text.strip()]
    kinds = {"" if (own := certain(text) or likely(text)) is None else own.kind for text in filled}
    common = kinds.pop() if len(kinds) == 1 else ""
    if not common and (own := likely("".join(filled))) is not None:
        common = own.kind
    if common:
        return COMPANIONS.get(common) or FORMATS[common]
    return COMPANIONS["texts"] if names and all(path.name.lower().endswith(_TEXTS) for path in names) else None


def is_program(names: Iterable[str]) -> bool:
    """Whether an archive with files of these names is the scoring of a track for other platforms.

    >>> is_program(["README.md", "scoring_program/score.py"])
    True
    """
    return "scoring_program/score.py" in names


def told(kind: str, text: str) -> int:
    """How many entries such a file has, if they stand on lines of their own; else 0."""
    if kind not in _LISTED:
        return 0
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    header = not lines[:1] or lines[0].lstrip()[:1] == "{" or not _of_columns(lines[0])
    return len(lines) - (not header) if lines and not _is_json(lines) else 0


_LISTED = (
    *("design", "sample-pool", "labels", "judge", "exhaustive", "eal-provenance", "list", *_PAIRS, "sizes"),
    *("serve-events", "serve-training", "hierarchy", "kb-aliases", "multiplicities"),
)


def _is_json(lines: list[str]) -> bool:
    """Whether lines are one value rather than one each."""
    try:
        json.loads(lines[0])
    except (ValueError, RecursionError):
        return lines[0].lstrip()[:1] in ("{", "[")
    return False


# ---------------------------------------------------------------------------------------------------------------------
# Folders of annotation


MANY = 2000  # entries of a folder that are examined


def folder_formats(folder: Path) -> tuple[list[Format], list[Path]]:
    """The formats that a folder may have as a whole, and its files; none if it is just a folder of files."""
    from adjudge.formats.kg_graphrag import is_graphrag

    names = sorted(islice((entry.name for entry in os.scandir(folder)), MANY))
    kept = [folder / name for name in names if not name.startswith((".", "_"))]
    files = [path for path in kept if path.is_file()]
    if (folder / "arguments").is_dir():
        return [FORMATS["eal"]], files
    if is_graphrag(folder):
        return [FORMATS["graphrag"]], files
    saved = all((folder / name).is_file() for name in ("dataset_info.json", "state.json"))
    if saved or (folder / "dataset_dict.json").is_file():
        return [FORMATS["dataset"]], files
    if any(path.suffix == ".ann" for path in files):
        return [FORMATS["brat"]], files
    for ending, kind in ((".apf.xml", "ace"), (".rich_ere.xml", "ere")):
        below = (path for each in kept for path in (each, *(each.iterdir() if each.is_dir() else ())))
        if any(path.name.endswith(ending) for path in islice(below, MANY)):
            return [FORMATS[kind]], files
    if len(files) == 3 and all(
        sum(part in path.name.lower() for path in files) == 1 for part in ("ner", "cluster", "rel")
    ):
        return [FORMATS["scirex-output"]], files
    common: list[Format] | None = None
    for path in _examples(files):
        head = head_of(path)
        found = formats_of(head, cut=len(head) >= HEAD)
        common = found if common is None else [each for each in common if each in found]
    return common or [], files


def _examples(files: Sequence[Path]) -> list[Path]:
    """Some files of every ending."""
    by_ending: dict[str, list[Path]] = {}
    for path in files:
        by_ending.setdefault(path.suffix.lower(), []).append(path)
    return [path for own in by_ending.values() for path in own[:3]][:12]
