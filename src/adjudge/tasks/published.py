"""Published scorers for `compat=`: they count as the original programs do, on files or on data in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from adjudge.errors import FormatError, UsageError, ValidationError, check_keywords, did_you_mean
from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.sides import is_file, name_systems
from adjudge.evaluate.task import OPTIONS as RUN
from adjudge.evaluate.task import Run
from adjudge.formats.coerce.corpus import Declared, fields_of, is_list, plain
from adjudge.formats.coerce.tables import as_table, table_documents
from adjudge.scorers.published import PublishedTask, Scorer, find_scorers
from adjudge.tasks.family import families, shown
from adjudge.tasks.named import task_of
from adjudge.tasks.request import Asking, request_of, run_with

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation

_TAGS = ("tags", "ner_tags", "labels")
_WHOLE = ("docred", "gtt", "grit", "iterx", "auto-err")  # whose files are one JSON value


def published_request(task: Any, *, metrics: Any, run: Any, compat: str, **options: Any) -> PublishedRequest | None:
    """The request to a published scorer; None if the task has rules of its own, which include its scorers.

    >>> tags = [["B-PER", "I-PER", "O"]]
    >>> request = published_request("ner", metrics=None, run=None, compat="seqeval-1.2.2", bootstrap=0)
    >>> request.result(tags, tags).profile
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
    check_keywords(options, (*own, *RUN, "names"), f"score(compat={compat!r})")
    chosen = {name: options.pop(spelt, None) for spelt, name in own.items()}
    for name, option in scorer.options.items():
        if option.required and chosen[name] is None:
            raise UsageError(f"{compat} needs {name.replace('-', '_')}", hint=option.about)
    names = options.pop("names", None)
    return PublishedRequest(scorer, chosen, run_with(run, options), names)


@dataclass(frozen=True)
class PublishedRequest(Asking):
    """A published scorer with its options, for files and for data in memory."""

    scorer: Scorer
    chosen: Mapping[str, Any]
    run: Run
    names: Sequence[str | None] | None = None
    tells_items: ClassVar[bool] = False

    def evaluated(self, gold: Any, system: Any, run: Run | None = None) -> Evaluation:
        """What the program counts of every document."""
        run = run or self.run
        known = set(map(str, gold)) if isinstance(gold, Mapping) else set()
        several = name_systems(gold, system, self.names, known=known, is_whole=_is_whole, texts=not is_file(gold))
        task = published_task(self.scorer, self.chosen, run)
        sources = [_as_file(each, self.scorer) for _, each in several]
        return evaluate(task, _as_file(gold, self.scorer), sources, run, names=[name for name, _ in several])


def published_task(scorer: Scorer, chosen: Mapping[str, Any], run: Run) -> PublishedTask:
    """The task of a published scorer with its options; gold is read once more, for its fields, if they are sliced by.

    >>> published_task(find_scorers("ner")["conlleval"], {}, Run()).profile
    'conlleval'
    """
    sliced = bool(run.by) or run.inference.cluster_by is not None
    task = PublishedTask(
        scorer,
        {name.replace("-", "_"): each for name, each in chosen.items()},
        shown=shown(scorer.options, {name: each for name, each in chosen.items() if name in scorer.options}),
        seconds=run.time_limit,
        fields=partial(_gold_fields, scorer.family) if sliced and scorer.family in families() else None,
    )
    task.check_run(run)
    return task


def _gold_fields(family: str, gold: Any) -> dict[str, dict[str, Any]]:
    """The fields of the gold documents by id; none if our readers of the family cannot read the file."""
    try:
        side = request_of(family, None, None, {}).documents(gold)
    except (FormatError, ValidationError):
        return {}
    return {
        name: {key: value for key, value in each.data.items() if isinstance(value, str | int | float)}
        for name, each in side.documents.items()
        if isinstance(each.data, Mapping)
    }


def _is_whole(value: Any) -> bool:
    return not isinstance(value, str) and (is_list(value) or isinstance(value, Mapping) or hasattr(value, "columns"))


def _as_file(source: Any, scorer: Scorer) -> Any:
    """A file as it is; data in memory as the bytes of a file that the program would read."""
    if hasattr(source, "read"):  # read twice: to score, and for the signature
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
    """A sentence as lines with a token and its tag."""
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
