"""`score`, `read`, `state` and `explain` of any task: the functions that people call, and the tasks by name."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.errors import FormatError, UsageError, check_keywords, did_you_mean
from adjudge.evaluate.sides import is_file, is_stdin, name_systems
from adjudge.formats.coerce.corpus import Declared, fields_of, is_list, origin, plain
from adjudge.formats.coerce.tables import as_table, table_documents
from adjudge.scorers.published import Scorer, find_scorers, published_result, published_runs, published_signature
from adjudge.tasks.family import families, shown
from adjudge.tasks.named import NamedTask, asking, task_of
from adjudge.tasks.reading import Corpus
from adjudge.tasks.request import repeatable, request_of, run_with
from adjudge.tasks.task import MetricsTask

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.result import Result
    from adjudge.tasks.documents import Documents
    from adjudge.tasks.state import State

_DATA = re.compile(r"\{.*\}|\[.*\]|\(.*\)", re.DOTALL)


def score(
    task: Any, gold: Documents, system: Any = None, *, metrics: Any = None, run: Any = None, **options: Any
) -> Result:
    """The scores of one or several systems, with intervals and paired comparisons.

    `task` is the name of a task (`"ner"`, `aj.coref`), whose usual metrics are scored as far as they fit the documents,
    or those in `metrics`; or itself a metric: a name of the catalogue, several between commas, a specification file, a
    metric, a similarity, a type, or a list of these.

    `gold` is what you have: the path of a file or a folder, lists of tags or spans, documents by id, a table, objects
    of spaCy or `datasets` (see "In memory"); `system` is the same, or several by name (`{"A": ..., "B": ...}`), or a
    list of paths. It may be left out if gold has both. Documents without ids are paired by position.

    The options are those of the command line, with `_` for `-`. Of the inputs: `reader`, `gold_reader`,
    `system_reader`, and for what is in memory `ends`, `unit`, `base`, `scheme`, `labels`, `locate`, `field`, `fields`,
    `id`, `format`, `annotator`. Of the run: `by`, `docs`, `pool`, `bootstrap`, `ci`, `seed`, `interval`, `test`,
    `jobs`, `cluster`, `stream`, `time_limit`, `exact`, `progress`; or all of them as a mapping, `run`. With `documents`
    the result has the texts and the outcome of every item. Of metrics: `profile`, `hierarchy` (fields and their
    hierarchies, for partial credit), `hierarchy_credit`, `adjust`, and those of the task, such as `schema` and `repair`
    of records. `compat` counts as a published scorer does (`compat="seqeval-1.2.2"`), and takes its options.
    With `runs` (`runs="seed"`) rows that differ in this column are runs of one system, called NAME#1, NAME#2 and so on;
    their mean is `result.mean_of_runs()`.

    >>> score("ner", [["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]], bootstrap=0)["ner.type"].f1
    1.0000
    >>> gold = [{"id": "d1", "items": ["a", "b"]}, {"id": "d2", "items": ["c"]}]
    >>> score("record.set", gold, [{"id": "d1", "items": ["a", "x"]}], bootstrap=0)["record.set"].precision
    0.5000
    """
    if (column := options.pop("runs", None)) is not None:
        system = _by_run(system, column)
    if options.get("compat") is not None:
        found = published_score(task, gold, system, metrics=metrics, run=run, **options)
        if found is not None:
            return found
    gold, system = _sources(gold, system)
    request = asking(task, metrics, run, options)
    spent = any(map(_is_spent, (gold, *(system.values() if isinstance(system, dict) else [system]))))
    return request.result(gold, system) if spent else repeatable(request, gold, system)


def _sources(gold: Any, system: Any) -> tuple[Any, Any]:
    """What `read` has read, as a side of its own; a text that is not a path, but data, is an error."""
    if isinstance(system, dict) and origin(system) != "datasets":
        return _source("gold", gold), {name: _source(name, each, system) for name, each in system.items()}
    return _source("gold", gold), _source("system", system)


def _source(name: str, source: Any, systems: Any = None) -> Any:
    if isinstance(source, io.TextIOBase):
        return source.read().encode()
    if systems is None and isinstance(source, str) and ("\n" in source or _DATA.fullmatch(source.strip())):
        hint = "give data as a list of texts, or as io.StringIO(text)"
        raise FormatError(f"{name}: a text is always the path of a file, and this looks like data", hint=hint)
    return source.side(name) if isinstance(source, Corpus) else source


def _by_run(system: Any, column: str) -> dict[str, Any]:
    """Every run of every system as a system of its own."""
    from adjudge.formats.coerce.tables import as_table
    from adjudge.formats.runs import rows_of_runs, split_runs

    found: dict[str, Any] = {}
    for name, source in name_systems(None, system):
        table = None if is_file(source) else as_table(source, name)
        rows = list(table.rows) if table is not None else source
        if not is_file(source) and (isinstance(rows, Mapping) or not isinstance(rows, Iterable)):
            raise UsageError(
                f"{name}: no rows that name their run by {column!r}", hint="give a file, a list or a table"
            )
        runs: Mapping[str, Any] = split_runs(source, column) if is_file(source) else rows_of_runs(rows, column, name)
        found |= {f"{name}#{number}": own for number, own in runs.items()}
    return found


def _is_spent(source: Any) -> bool:
    """Whether something can be read only once."""
    return isinstance(source, Iterator) or hasattr(source, "read") or is_stdin(source)


def read(task: Any, source: Any, **options: Any) -> Corpus:
    """The documents of a source as a task compares them, and how the source was interpreted.

    `source` and the options are those of `score`. What is read can be looked at, saved as JSON lines, and scored.

    >>> found = read("ner", [["B-PER", "I-PER", "O"]])
    >>> found[0]
    {'id': '1', 'entities': [{'span': {'start': 0, 'end': 2}, 'type': 'PER'}]}
    >>> print(found.reading)
    tags: 1 document, tokens, ends exclusive (shape), documents are known by position
    """
    named = task_of(task)
    if not isinstance(source, Corpus):
        source = _source("gold", source)
    side = asking(task, None, None, options).documents(source)
    return Corpus.of(side, named.name if named is not None else "")


def state(task: Any, *, metrics: Any = None, **options: Any) -> State:
    """Documents as they come, for training loops and other frameworks; its `result` is that of `score` on all of them.

    >>> found = state("ner")
    >>> found.add(["B-PER", "O"], ["B-PER", "B-LOC"])
    >>> found.add_batch([["O"], ["B-LOC"]], [["O"], ["B-LOC"]])
    >>> len(found), found.result(bootstrap=0)["ner.strict"].precision
    (3, 0.6667)
    """
    from adjudge.tasks.state import State

    return State(task, metrics=metrics, **options)


def explain(task: Any, *where: Any, **options: Any) -> dict[str, Explanation]:
    """Outcomes of the items of one document, by system: of a result, or of a task with gold and systems.

    >>> gold, system = [{"id": "d1", "items": ["a", "b"]}], [{"id": "d1", "items": ["a"]}]
    >>> print(explain("record.set", gold, system, "d1")["system"])
    d1  system  record.set: 1 correct, 1 missed
    correct  a (items[0])
    missed   b (items[1])
    >>> explain(score("record.set", gold, system, bootstrap=0), "d1")["system"].document
    'd1'
    """
    from adjudge.stats.result import Result

    if isinstance(task, Result):
        if len(where) != 1 or options:
            raise UsageError("a result explains one document", hint="write explain(result, document)")
        return task.explain(where[0])
    if len(where) != 3:
        raise UsageError("there is nothing to explain", hint="write explain(task, gold, system, document)")
    gold, system = _sources(*where[:2])
    return asking(task, options.pop("metrics", None), None, options).explanations(gold, system, where[2])


def explain_document(
    metric: Any, gold: Documents, system: Any, document: str, **options: Any
) -> dict[str, dict[str, Alignment]]:
    """What is matched, missed and spurious in one document: system name -> metric name -> alignment.

    >>> gold = [{"id": "d1", "items": ["a", "b"]}]
    >>> found = explain_document("record.set", gold, [{"id": "d1", "items": ["a"]}], "d1")
    >>> [item.value for item in found["system"]["record.set"].missed]
    ['b']
    """
    request = request_of(None, metric, None, {"stream": False, **options}, function="explain_document")
    found = request.evaluated(gold, system, msgspec.structs.replace(request.run, docs=(document,)))
    task = found.task
    assert isinstance(task, MetricsTask)
    ours = found.gold.documents[document].data
    return {
        name: {
            each.name: each.align(*task.observer.pair(each, ours, theirs))
            for whole in task.metrics
            for each in whole.members
        }
        for name, own in found.systems.items()
        for theirs in [own.side.documents[document].data if document in own.side.documents else None]
    }


# ---------------------------------------------------------------------------------------------------------------------
# Published scorers: `compat=` counts as they do, on files or on what is in memory

_INFERENCE = ("bootstrap", "ci", "seed", "interval", "test")
_TAGS = ("tags", "ner_tags", "labels")
_WHOLE = ("docred", "gtt", "grit", "iterx", "auto-err")  # whose files are one JSON value


def published_score(
    task: Any, gold: Any, system: Any, *, metrics: Any, run: Any, compat: str, **options: Any
) -> Result | None:
    """The numbers of a published scorer; None if the task has rules of its own, and its programs among these.

    >>> tags = [["B-PER", "I-PER", "O"]]
    >>> published_score("ner", tags, tags, metrics=None, run=None, compat="seqeval-1.2.2", bootstrap=0).profile
    'seqeval-1.2.2'
    """
    named = task_of(task)
    family = named.name if named is not None else str(task).partition(".")[0]
    if family not in families() and compat not in find_scorers(family):
        return None
    if named is None or metrics is not None:
        raise UsageError("a published scorer has its own metrics", hint=f'name the task: score("{family}", ...)')
    scorers = find_scorers(family)
    if compat not in scorers:
        hint = did_you_mean(compat, scorers) or (f"there are {', '.join(scorers)}" if scorers else "leave compat out")
        raise UsageError(f"{family} has no published scorer {compat!r}", hint=hint)
    scorer = scorers[compat]
    own = {name.replace("-", "_"): name for name in scorer.options}
    check_keywords(options, (*own, *_INFERENCE, "names"), f"score(compat={compat!r})")
    chosen = {name: options.pop(spelt, None) for spelt, name in own.items()}
    for name, option in scorer.options.items():
        if option.required and chosen[name] is None:
            raise UsageError(f"{compat} needs {name.replace('-', '_')}", hint=option.about)
    names = options.pop("names", None)
    inference = run_with(run, options).inference
    known = set(map(str, gold)) if isinstance(gold, Mapping) else set()
    several = name_systems(gold, system, names, known=known, is_whole=_is_whole, texts=not is_file(gold))
    mine = _as_file(gold, scorer)
    sources = {name: _as_file(each, scorer) for name, each in several}
    found = published_runs(scorer, mine, sources, {name.replace("-", "_"): each for name, each in chosen.items()})
    fields = published_signature(mine, sources, shown(scorer.options, chosen))
    return published_result(scorer, found, fields, inference)


def _is_whole(value: Any) -> bool:
    return not isinstance(value, str) and (is_list(value) or isinstance(value, Mapping) or hasattr(value, "columns"))


def _as_file(source: Any, scorer: Scorer) -> Any:
    """A file as it is; what is in memory as the bytes of one, as the program would read them."""
    if hasattr(source, "read"):  # which is read twice: to score, and for the signature
        data = source.read()
        return data.encode() if isinstance(data, str) else data
    if is_file(source):
        return source
    if scorer.family == "kbp":
        entries = (
            [{"id": str(name), "triples": list(own)} for name, own in source.items()]
            if isinstance(source, Mapping)
            else list(source)
        )
        return msgspec.json.encode(entries, enc_hook=plain)
    if scorer.name in _WHOLE:
        return msgspec.json.encode(source, enc_hook=plain)
    documents = _documents(source)
    if scorer.family == "ner":
        return "\n".join(map(_columns, documents)).encode()
    if scorer.family == "amr":
        return (
            "\n\n".join(str(each if isinstance(each, str) else each["amr"]) for _, each in documents).encode() + b"\n"
        )
    texts = all(isinstance(each, str) for _, each in documents)
    if texts and scorer.family != "record":
        return "\n".join(each for _, each in documents).encode()
    if texts:
        documents = [(name, {"output": each}) for name, each in documents]
    lines = [{"id": name, **_fields(each, scorer.family)} for name, each in documents]
    return b"".join(msgspec.json.encode(each, enc_hook=plain) + b"\n" for each in lines)


def _documents(source: Any) -> list[tuple[str, Any]]:
    table = as_table(source, "the side")
    if table is not None:
        rows = table_documents(table, Declared(), "ner")
        return [(each.id or str(place), each.value) for place, each in enumerate(rows, 1)]
    if isinstance(source, Mapping):
        return [(str(name), value) for name, value in source.items()]
    return [(_id(value, place), value) for place, value in enumerate(source, 1)]


def _id(value: Any, place: int) -> str:
    fields = fields_of(value)
    return str(place if fields is None or fields.get("id") is None else fields["id"])


def _fields(value: Any, family: str) -> Mapping[str, Any]:
    fields = fields_of(value)
    if fields is None:
        return {"records" if family == "record" else "value": value}
    known = ("records", "output", "answer", "completion", "response", "prediction")
    if family == "record" and not any(name in fields for name in known):
        return {"records": {name: each for name, each in fields.items() if name != "id"}}
    return fields


def _columns(document: tuple[str, Any]) -> str:
    """A sentence as lines of a token and its tag."""
    name, value = document
    fields = fields_of(value)
    tokens: Any = None
    tags: Any = None
    if fields is not None:
        tags = next((fields[key] for key in _TAGS if key in fields), None)
        tokens = fields.get("tokens") or fields.get("words")
    else:
        pair = is_list(value) and len(value) == 2 and all(map(is_list, value))
        tokens, tags = value if pair else (None, value)
    if not is_list(tags) or not all(isinstance(plain(each), str) for each in tags):
        raise UsageError(f"document {name!r} has no list of tags", hint="published scorers of entities compare tags")
    words = list(tokens) if tokens is not None else [f"w{place}" for place in range(len(tags))]
    if len(words) != len(tags):
        raise UsageError(f"document {name!r} has {len(words)} tokens and {len(tags)} tags", hint="give one tag a token")
    return "".join(f"{word}\t{tag}\n" for word, tag in zip(words, tags, strict=True))


__all__ = ["NamedTask", "explain", "explain_document", "read", "score", "state"]
