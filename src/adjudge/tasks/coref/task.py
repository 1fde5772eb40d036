"""Coreference as a task: chains of mentions, counted as the reference scorer 8.01 counts them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge.errors import Problem, UsageError, ValidationError, check_keywords
from adjudge.evaluate.engine import Evaluation, evaluate
from adjudge.evaluate.sides import is_file
from adjudge.evaluate.task import Remark, Row, Side, Task, run_of
from adjudge.formats.coreference import read_coreference, read_words
from adjudge.model.coref import CorefCorpus, CorefDocument
from adjudge.tasks.coref.counts import COLUMNS
from adjudge.tasks.coref.observe import Compared, Repeat, compare, written
from adjudge.tasks.coref.settings import (
    CHOICES,
    METRICS,
    Settings,
    chosen_metrics,
    measures_of,
    metrics_of,
    settings,
)

if TYPE_CHECKING:
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.measure import Measure
    from adjudge.stats.result import Note, Result

REFUSAL = 10  # repeats after which the reference scorer does not score
REPEATS = {
    "key-removed": "in the key {was} removed",
    "key-kept": "in the key {was} kept, as the reference scorer does; scores may exceed 100 %",
    "response-removed": "in the response {was} removed",
    "response-kept": "in the response {was} kept because the key does not have them, as the reference scorer does",
}


def score(
    key: Any,
    response: Any,
    *,
    metric: str | Iterable[str] | None = None,
    profile: str = "conll-8.01",
    names: Sequence[str | None] | None = None,
    **options: Any,
) -> Result:
    """The coreference scores of one or several responses, with intervals and paired comparisons.

    `key` and `response` are paths (CoNLL, CorefUD, JSON lines of clusters, tables) or documents in memory: objects with
    clusters, or the clusters alone, by id in a mapping, or in a list, paired by their ids or, if they have none, by
    position. `response` may be a list of paths or a mapping from names. `metric` chooses from mentions, muc, b3, ceafm,
    ceafe, blanc, lea, conll (the mean F1 of muc, b3, ceafe) and kbp (of muc, b3, ceafe, blanc). `profile` is
    `conll-8.01`, `clean`, `strict` or `corefud`. Of the `options`, `singletons="drop"` leaves out chains of one mention
    on both sides; `match` is `exact`, `head`, or `partial` from an `overlap` on; `zeros` (of `corefud`) is `dependent`
    or `linear`. The others are those of every task: `by`, `bootstrap`, `ci`, `seed`, `interval`, `test`, `pool`,
    `docs`, `jobs` and `cluster` (see `adjudge.evaluate.task`).

    >>> key = [{"id": "d", "clusters": [[[0, 0], [2, 3], [5, 5]]]}]
    >>> response = [{"id": "d", "clusters": [[[0, 0], [2, 3]], [[5, 5], [7, 7]]]}]
    >>> score(key, response, bootstrap=0)["coref.muc"].recall
    0.5000
    """
    chosen = settings(profile, **{name: options.pop(name) for name in CHOICES if name in options})
    task = task_of(chosen, metric)
    return evaluate(task, key, response, run_of(**options), names=names).result()


def explain(
    key: Any, response: Any, document: str, *, names: Sequence[str | None] | None = None, **options: Any
) -> dict[str, Explanation]:
    """The outcome of the mentions and chains of one document, for each response by name.

    The `options` are `profile`, `singletons`, `match`, `overlap` and `zeros` of `score`.

    >>> key = [{"id": "d", "clusters": [[[0, 0], [2, 3], [5, 5]]]}]
    >>> response = [{"id": "d", "clusters": [[[0, 0], [2, 3]], [[5, 5], [7, 7]]]}]
    >>> print(explain(key, response, "d")["system"])
    d  system  coref: 3 partial, 1 spurious
    partial  (0,0) (0.8): chain 0 of 3 mentions, 2 of them in chain 0 of 2
    partial  (2,3) (0.8): chain 0 of 3 mentions, 2 of them in chain 0 of 2
    partial  (5,5) (0.4): chain 0 of 3 mentions, 1 of them in chain 1 of 2
    spurious (7,7)
    chain    split: gold 0 [(0,0), (2,3), (5,5)]; system 0 [(0,0), (2,3)] 1 [(5,5), (7,7)]
    links    2 lost: (0,0) - (5,5), (2,3) - (5,5)
    links    1 gained: (5,5) - (7,7)
    """
    from adjudge.evaluate.engine import explain

    check_keywords(options, ("profile", *CHOICES), "explain")
    return explain(task_of(settings(**options)), key, response, document, names=names)


def task_of(chosen: Settings, metric: str | Iterable[str] | None = None) -> CorefTask:
    """The task of some settings and metrics."""
    if chosen.profile != "corefud":
        return CorefTask(chosen, chosen_metrics(metric))
    from adjudge.tasks.coref.ud_task import CorefUDTask

    return CorefUDTask(chosen, chosen_metrics(metric, "corefud"))


class CorefTask(Task):
    """Chains of a key and of responses, compared under some settings and reported by some metrics."""

    name = "coref"
    columns = COLUMNS
    begins: ClassVar[tuple[bytes, bytes] | None] = b"#begin document ", b"#end document"
    unit = "token"
    telling: ClassVar[str | None] = "coref.mentions"
    remedy = "a document begins with a line such as: #begin document (name); part 000"

    def __init__(
        self, chosen: Settings | None = None, metrics: Sequence[str] = METRICS, *, words: bool = False
    ) -> None:
        self.settings = chosen or settings()
        self.metrics = tuple(metrics)
        self.words = words

    @property
    def profile(self) -> str:
        """Whose rules are followed."""
        return self.settings.profile

    def measures(self) -> list[Measure]:
        """Those of the chosen metrics."""
        return measures_of(self.metrics, self.settings.rule)

    def read(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:
        """CoNLL, CorefUD, JSON lines of clusters, tables of mentions, or documents in memory."""
        if isinstance(source, Side):
            return source
        corpus, numbered = read_corpus(source, name, profile=self.settings.profile, only=only, digest=digest)
        documents = {document.id: document for document in corpus.documents}
        for identifier, words in read_words(source).items() if self.words and is_file(source) else ():
            if identifier in documents and documents[identifier].tokens == len(words):
                documents[identifier].words = words
        return Side(name, corpus.path, documents, corpus.digest, tuple(corpus.notes), numbered)

    def is_whole(self, value: Any, gold: Mapping[str, Any]) -> bool:  # noqa: ARG002
        """Whether a value is all the documents of a response rather than the clusters of one."""
        return is_whole(value)

    def observe(self, gold: CorefDocument, system: CorefDocument | None, *, keep: bool = False) -> Row:
        """All counts of all metrics at once."""
        compared = compare(gold, system, self.settings)
        remarks: tuple[Remark, ...] = ()
        if compared.key_repeats or compared.response_repeats:
            remarks = tuple(_told(compared, gold.id))
        if system is not None and gold.tokens != system.tokens and min(gold.tokens, system.tokens) >= 0:
            remarks += (Remark("unequal-tokens", f"{gold.id}: {gold.tokens} and {system.tokens}"),)
        return Row(compared.counts, remarks, compared if keep else None)

    def with_texts(self) -> CorefTask:
        """The task that also reads words."""
        return CorefTask(self.settings, self.metrics, words=True)

    def align(self, gold: CorefDocument, system: CorefDocument | None, row: Row) -> Alignment:
        """The outcome of every mention, and of its chain."""
        from adjudge.tasks.coref.observe import align_mentions

        words = gold.words or (() if system is None else system.words)
        return align_mentions(row.detail, words, missing=system is None)

    def attributes(self, document: CorefDocument) -> Mapping[str, Any]:
        """The genre in the document's name."""
        return {} if document.genre is None else {"genre": document.genre}

    def spans(self, document: CorefDocument) -> Iterable[tuple[int, int]]:
        """Where each mention begins and ends."""
        for chain in document.chains:
            for mention in chain.mentions:
                yield int(mention[0]), int(mention[-1])

    def bare(self, document: CorefDocument) -> CorefDocument:
        """Its name, its number of tokens and its line."""
        return CorefDocument(document.id, [], document.tokens, document.line)

    def signature(self, evaluation: Evaluation) -> dict[str, str | float | None]:  # noqa: ARG002
        """The metrics, unless all, and the settings."""
        return {
            "metric": None if self.metrics == metrics_of(self.profile) else "+".join(self.metrics),
            **self.settings.fields(),
        }

    def notes(self, evaluation: Evaluation, name: str) -> list[Note]:
        """Unequal texts and repeated mentions."""
        from adjudge.evaluate.results import EXAMPLES
        from adjudge.stats.result import Note

        return [
            *self.meaning(),
            *(
                Note(code, count, message, tuple(sorted(examples)[:EXAMPLES]))
                for code, count, message, examples in remarks_of(evaluation, name)
            ),
        ]

    def meaning(self) -> list[Note]:
        """What `--match head` means in this profile, since profiles differ."""
        from adjudge.stats.result import Note

        return [Note("match", 1, f"--match head: {self.settings.meaning}")] if self.settings.match == "head" else []

    def check(self, evaluation: Evaluation) -> None:
        """The profile `strict` allows no repeats, no missing or unknown documents and no unequal texts."""
        if self.settings.profile == "strict" and (problems := list(_strict(evaluation.checked()))):
            raise ValidationError(problems)


def _told(compared: Compared, document: str) -> Iterable[Remark]:
    for side, repeats in (("key", compared.key_repeats), ("response", compared.response_repeats)):
        for each in repeats:
            yield Remark(f"{side}-{'removed' if each.removed else 'kept'}", _repeat(each, document))


def _repeat(repeat: Repeat, document: str) -> str:
    same = repeat.first == repeat.again
    chains = f"twice in chain {repeat.first}" if same else f"in chains {repeat.first} and {repeat.again}"
    return f"{written(repeat.mention)} {chains} of {document!r}"


def remarks_of(evaluation: Evaluation, name: str) -> list[tuple[str, int, str, list[str]]]:
    """Remarks on the documents of one response: code, number, message, examples."""
    found: dict[str, list[str]] = {}
    for _, remark in evaluation.systems[name].remarks:
        found.setdefault(remark.code, []).append(remark.example)
    remarks = []
    unequal = found.get("unequal-tokens", [])
    if unequal:
        what = "document differs" if len(unequal) == 1 else "documents differ"
        message = f"{len(unequal)} {what} in the number of tokens, so mentions may be shifted"
        remarks.append(("unequal-tokens", len(unequal), message, unequal))
    for kind, text in REPEATS.items():
        examples = found.get(kind, [])
        if not examples:
            continue
        mentions, was = ("mention", "was") if len(examples) == 1 else ("mentions", "were")
        message = f"{len(examples)} repeated {mentions} {text.format(was=was)}"
        if kind == "response-removed" and len(examples) > REFUSAL:
            message += f" (with more than {REFUSAL}, the reference scorer refuses to score)"
        times = dict.fromkeys(examples, 0)
        for each in examples:
            times[each] += 1
        listed = [each + (f", {n} times" if n > 1 else "") for each, n in times.items()]
        remarks.append((f"repeated-{kind.partition('-')[0]}-mention", len(examples), message, listed))
    return remarks


def warnings(evaluation: Evaluation, name: str) -> Iterable[str]:
    """The notes of one response as lines of text, with all repeats listed."""
    from adjudge.evaluate.results import notes_of

    for note in notes_of(evaluation, name):
        yield note.message + (f" ({', '.join(note.examples)})" if note.examples else "")
    for note in evaluation.task.notes(evaluation, name) if evaluation.task.profile == "corefud" else ():
        if note.code != "match":
            yield note.message + (f" ({', '.join(note.examples)})" if note.examples else "")
    for code, _, message, examples in remarks_of(evaluation, name):
        if code.startswith("repeated"):
            yield message + ":"
            yield from (f"  {example}" for example in examples)
        else:
            yield f"{message} ({', '.join(examples)})"


def _strict(evaluation: Evaluation) -> Iterable[Problem]:
    gold = evaluation.gold
    for place, counted in enumerate(evaluation.systems.values()):
        side = counted.side
        for document in evaluation.ids:
            if document not in side.documents:
                message = f"document {document!r} of the key is not there"
                yield Problem(message, path=side.path, hint="add it, even without mentions")
        for document, remark in counted.remarks:
            if remark.code == "unequal-tokens":
                own, ours = side.documents[document], gold.documents[document]
                message = f"document {document!r} has {own.tokens} tokens, the key has {ours.tokens}"
                yield Problem(message, path=side.path, line=own.line, hint="the texts must be the same")
            elif remark.code.startswith("response") or place == 0:
                where = side if remark.code.startswith("response") else gold
                line = where.documents[document].line
                message = f"the mention {remark.example} is repeated"
                yield Problem(message, path=where.path, line=line, hint="remove one of them")
        for document, own in side.documents.items():
            if document not in gold.documents:
                hint = "remove it, or add it to the key"
                yield Problem(f"document {document!r} is not in the key", path=side.path, line=own.line, hint=hint)


# ---------------------------------------------------------------------------------------------------------------------
# Chains from files or from data in memory


def read_corpus(
    source: Any, name: str, *, profile: str, only: Container[str] | None = None, digest: bool = True
) -> tuple[CorefCorpus, bool]:
    """A file of any format, documents already read, or plain data; and whether documents were numbered.

    Plain data are objects with clusters, or the clusters alone: by id in a mapping, or in a list, paired by their ids
    or, if they have none, by position.
    """
    if isinstance(source, CorefCorpus):
        return source, False
    if is_file(source):
        return read_coreference(source, profile=profile, only=only, digest=digest), False
    if isinstance(source, list | tuple) and source and all(isinstance(each, CorefDocument) for each in source):
        return _read_already(source), False
    from adjudge.tasks.documents import read_side

    side = read_side(source, name)
    text = "\n".join(_line(each.id, each.data) for each in side.documents.values())
    corpus = read_coreference(text.encode(), format="jsonl", profile=profile, name="<documents>")
    return corpus, side.paired_by_place


def is_whole(value: Any) -> bool:
    """Whether a value in memory is all the documents of a response rather than the clusters of one.

    >>> is_whole([{"id": "d", "clusters": []}]), is_whole([[[0, 0], [2, 2]]]), is_whole([[[[0, 0], [2, 2]]]])
    (True, False, True)
    """
    if isinstance(value, CorefCorpus):
        return True
    if isinstance(value, Mapping):
        return bool(value) and "clusters" not in value
    if not isinstance(value, list | tuple) or not value:
        return False
    return isinstance(value[0], Mapping | CorefDocument) or hasattr(value[0], "clusters") or _depth(value) > _CLUSTERS


_CLUSTERS = 3  # levels: clusters, mentions, the two ends of a mention


def _depth(value: Any) -> int:
    """The depth of nested lists."""
    if isinstance(value, list | tuple | Set):
        return 1 + max((_depth(inner) for inner in value), default=0)
    return 0


def _read_already(source: Sequence[CorefDocument]) -> CorefCorpus:
    from hashlib import sha256

    ids = [each.id for each in source]
    if len(set(ids)) < len(ids):
        twice = next(each for each in ids if ids.count(each) > 1)
        raise ValidationError(f"duplicate id {twice!r}", hint="give every document its own id")
    text = repr([(each.id, each.chains) for each in source])
    return CorefCorpus("<documents>", list(source), sha256(text.encode()).hexdigest())


def _line(identifier: str, data: Any) -> str:
    """A document as a line of a file: an object with clusters, or the clusters themselves."""
    import json

    if isinstance(data, Mapping):
        found = dict(data) if "id" in data else {"id": identifier, **data}
    else:
        found = {"id": identifier, "clusters": getattr(data, "clusters", data)}
    try:
        return json.dumps(found, default=_listed)
    except TypeError as error:
        hint = 'give {"id": ..., "clusters": [[[first, last], ...], ...]}, or the clusters alone'
        raise UsageError(f"document {identifier!r} cannot be read: {error}", hint=hint) from None


def _listed(value: Any) -> list[Any]:
    if isinstance(value, Set):
        return sorted(value, key=repr)
    raise TypeError(f"{type(value).__name__} is neither a list nor a set")
