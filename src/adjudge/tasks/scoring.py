"""`score`, `read`, `state` and `explain` of any task: the functions that people call, and the tasks by name."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, overload

import msgspec
from msgspec.structs import replace

from adjudge.errors import FormatError, UsageError, did_you_mean
from adjudge.evaluate.sides import is_file, is_stdin, name_systems
from adjudge.evaluate.task import Side
from adjudge.formats.coerce.corpus import is_list, origin
from adjudge.formats.coerce.native import NATIVE
from adjudge.model.document import Document, Reading
from adjudge.tasks.named import NamedTask, asking, task_of
from adjudge.tasks.request import Asking, repeatable, request_of
from adjudge.tasks.task import MetricsTask

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.result import Result
    from adjudge.tasks.documents import Documents
    from adjudge.tasks.state import State


def score(
    task: Any, gold: Documents, system: Any = None, *, metrics: Any = None, run: Any = None, **options: Any
) -> Result:
    """The scores of one or several systems, with intervals and paired comparisons.

    `task` is the name of a task (`"ner"`, `aj.coref`), whose usual metrics are scored as far as they fit the documents,
    or those in `metrics`; or itself a metric: a name of the catalogue, several between commas, a specification file, a
    metric, a similarity, a type, or a list of these.

    `gold` is what you have: the path of a file or folder, lists of tags or spans, documents by id, a table, objects
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
    request: Asking | None = None
    if options.get("compat") is not None:
        from adjudge.tasks.published import published_request

        request = published_request(task, metrics=metrics, run=run, **options)
    if request is None:
        gold, system = _sources(gold, system)
        request = asking(task, metrics, run, options)
    spent = any(map(_is_spent, (gold, *(system.values() if isinstance(system, dict) else [system]))))
    return request.result(gold, system) if spent else repeatable(request, gold, system)


def _sources(gold: Any, system: Any) -> tuple[Any, Any]:
    """The output of `read` as a side; a string of data rather than a path is an error."""
    if isinstance(system, dict) and origin(system) != "datasets":
        return _source("gold", gold), {name: _source(name, each, system) for name, each in system.items()}
    return _source("gold", gold), _source("system", system)


def _source(name: str, source: Any, systems: Any = None) -> Any:
    if isinstance(source, io.TextIOBase):
        return source.read().encode()
    data = r"(?s)\{.*\}|\[.*\]|\(.*\)"
    if systems is None and isinstance(source, str) and ("\n" in source or re.fullmatch(data, source.strip())):
        hint = "give data as a list of texts, or as io.StringIO(text)"
        raise FormatError(f"{name}: a text is always the path of a file, and this looks like data", hint=hint)
    return source.side(name) if isinstance(source, Corpus) else source


def _by_run(system: Any, column: str) -> dict[str, Any]:
    """Every run of every system as a separate system."""
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


class Corpus:
    """Documents of one source, in order, by index or by id. `reading` says how the source was interpreted."""

    def __init__(self, side: Side, reading: Reading, task: str) -> None:
        self._side, self.reading, self.task = side, reading, task

    @classmethod
    def of(cls, side: Side, task: str) -> Corpus:
        """What was read of a side."""
        ids = "position" if side.paired_by_place else "given"
        usual = Reading(shape="documents", documents=len(side.documents), ids=ids)
        return cls(side, side.reading or usual, task)

    def side(self, name: str) -> Side:
        """The documents as a side of an evaluation."""
        return replace(self._side, name=name)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the documents."""
        return tuple(self._side.documents)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self._data(name) for name in self._side.documents)

    def __len__(self) -> int:
        return len(self._side.documents)

    @overload
    def __getitem__(self, which: int | str) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, which: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, which: int | str | slice) -> Any:
        if isinstance(which, slice):
            return [self[name] for name in self.ids[which]]
        name = self.ids[which] if isinstance(which, int) else which
        if name not in self._side.documents:
            raise UsageError(f"there is no document {name!r}", hint=did_you_mean(name, self.ids) or "see ids")
        return self._data(name)

    def _data(self, name: str) -> dict[str, Any]:
        """A document as plain data, its id first."""
        document = self._side.documents[name]
        data = document.data if isinstance(document, Document) else document
        if hasattr(data, "chains"):  # of coreference
            return {"id": name, "clusters": [[list(each[:2]) for each in chain.mentions] for chain in data.chains]}
        if not isinstance(data, Mapping) and not is_list(data) and not isinstance(data, str):
            data = msgspec.to_builtins(data, enc_hook=vars)
        if not isinstance(data, Mapping):
            return {"id": name, NATIVE.get(self.task, "value"): data}
        found = {"id": name, **{key: value for key, value in data.items() if key != "id"}}
        if self.task in ("coref", "amr"):
            found = msgspec.json.decode(msgspec.json.encode(found))  # with tuples as lists
        if self.task == "record" and isinstance(found.get("records"), Mapping):
            found["records"] = [found["records"]]
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the documents as JSON lines, atomically."""
        from adjudge.files import write_atomically

        write_atomically(path, b"".join(msgspec.json.encode(each) + b"\n" for each in self))

    def __repr__(self) -> str:
        return f"<{self.task or 'documents'}: {str(self.reading).partition(chr(10))[0]}>"

    def _repr_html_(self) -> str:
        from adjudge.stats.notebook import corpus_html

        return corpus_html(list(self[:3]), len(self), str(self.reading))


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
    """The matched, missed and spurious items of one document: system name -> metric name -> alignment.

    >>> gold = [{"id": "d1", "items": ["a", "b"]}]
    >>> found = explain_document("record.set", gold, [{"id": "d1", "items": ["a"]}], "d1")
    >>> [item.value for item in found["system"]["record.set"].missed]
    ['b']
    """
    request = request_of(None, metric, None, {"stream": False, **options}, function="explain_document")
    found = request.evaluated(gold, system, replace(request.run, docs=(document,)))
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


__all__ = ["NamedTask", "explain", "explain_document", "read", "score", "state"]
