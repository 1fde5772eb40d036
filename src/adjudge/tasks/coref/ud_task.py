"""CorefUD as a task: the profile `corefud` of coreference, whose files are CoNLL-U and whose texts must be the same."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.evaluate.engine import Evaluation
from adjudge.evaluate.sides import is_file
from adjudge.evaluate.task import Remark, Row, Side
from adjudge.findings import raise_problems
from adjudge.formats.corefud import read_corefud
from adjudge.formats.corefud_text import is_marked_text, read_marked
from adjudge.formats.source import is_file as is_path
from adjudge.formats.source import source_name
from adjudge.model.coref import SENTENCE, CorefCorpus, CorefDocument, Mention, Sentence, UdDocument
from adjudge.model.document import CorpusNote
from adjudge.tasks.coref.corefud import Aligned, compare_corefud
from adjudge.tasks.coref.counts import UD_COLUMNS
from adjudge.tasks.coref.observe import Compared, View, align_mentions
from adjudge.tasks.coref.settings import Settings, metrics_of, settings
from adjudge.tasks.coref.task import CorefTask

if TYPE_CHECKING:
    from adjudge.evaluate.task import Run
    from adjudge.evaluate.validation import Checks
    from adjudge.findings import Findings
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.result import Note

REMARKS = {
    "corefud-place": "mentions that share a place with another mention of the other file and are confused with it, as "
    "in the official scorer: {n}",
    "corefud-twice": "mentions in two entities, of which the last one counts, as in the official scorer: {n}",
    "corefud-tie": "assignments of mentions that are not unique, of which the one of the official scorer counts: {n}",
    "corefud-zero-place": "zeros that coref.zero takes for the mention at their place, not for the one that they "
    "match, as in the official scorer: {n}",
    "corefud-zero-deps": "zeros without DEPS, matched by place only, at which the official scorer stops: {n}",
}


class CorefUDTask(CorefTask):
    """Entities of a key and of responses in CorefUD, compared as the scorer of the CRAC shared tasks does."""

    begins = None
    telling = None
    remedy = "a document begins with a line such as: # newdoc id = NAME"

    def __init__(self, chosen: Settings | None = None, metrics: Sequence[str] = (), *, words: bool = False) -> None:
        chosen = chosen or settings("corefud")
        super().__init__(chosen, metrics or metrics_of(chosen.profile), words=words)
        self.columns = UD_COLUMNS
        self.key: Any = None  # texts are aligned to its words

    def read(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:  # noqa: ARG002
        """One file."""
        if isinstance(source, Side):
            return source
        if not is_file(source):
            hint = "give files of CoNLL-U with entities, or leave out profile=corefud"
            raise UsageError("the profile corefud reads files only: data in memory have no empty nodes", hint=hint)
        return self._side(read_corefud(source), name)

    def read_system(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:
        """One file, which may also be a text or JSON of the track for language models."""
        if isinstance(source, Side) or not is_marked_text(source):
            return self.read(source, name, only=only, digest=digest)
        return self._side(read_text_onto(self.key, source), name)

    def _side(self, corpus: CorefCorpus, name: str) -> Side:
        documents = {document.id: document for document in corpus.documents}
        return Side(name, corpus.path, documents, corpus.digest, tuple(corpus.counted))

    def validate(self, source: Any, checks: Checks) -> Findings:
        """As for every task; a text is aligned to the words of gold."""
        if checks.gold is None and is_marked_text(source):
            raise _without_key(source)
        task = self if checks.gold is None else self.with_gold(checks.gold)[0]
        return super(CorefUDTask, task).validate(source, checks)

    def with_gold(self, gold: Any) -> tuple[CorefUDTask, Any]:
        """For a folder, the task of a folder of datasets."""
        from adjudge.tasks.coref.crac import CracTask, is_folder

        if not is_folder(gold):
            task = copy(self)
            task.key = gold
            return task, gold
        if self.metrics != metrics_of(self.profile):
            raise UsageError("folders of datasets have the one metric coref.crac", hint="leave the metrics out")
        return CracTask(self.settings, str(gold)), gold

    def cut(self, sources: Sequence[Any], parts: int, run: Run) -> None:  # noqa: ARG002
        """Files are read as a whole, because sentences are compared by their number."""
        return

    def meet(self, gold: Side, systems: Sequence[Side]) -> tuple[CorefTask, Sequence[Side]]:
        """Key and response must have the same documents, sentences and words, up to the end of the shorter one."""
        return self, [fitted(gold, side) for side in systems]

    def observe(self, gold: UdDocument, system: UdDocument | None, *, keep: bool = False) -> Row:  # type: ignore[override]
        """All counts of all metrics at once."""
        found = compare_corefud(gold, system, self.settings)
        return Row(found.counts, found.remarks, found if keep else None)

    def with_texts(self) -> CorefTask:
        """The words are always read."""
        return self

    def align(self, gold: UdDocument, system: UdDocument | None, row: Row) -> Alignment:  # type: ignore[override]
        """The outcome of every mention, and of its entity."""
        found: Aligned = row.detail
        names = {s: k for k, s in found.pairs}
        known = {name for chain in found.key for name in chain.mentions}
        for chain in found.response:
            for name in chain.mentions:
                if name in known and name not in names:
                    names[name] = ("another mention at this place", name)
        starts: dict[float, int] = {}
        words: list[str] = []
        for sentence in gold.sentences:
            starts[sentence.number] = len(words)
            words += sentence.forms.split("\t")
        by_head = self.settings.match == "head"

        def runs(name: Any) -> list[tuple[int, int]]:
            mention: Mention = name[0] if by_head else name
            found = []
            for first, last in zip(mention[::2], mention[1::2], strict=True):
                sentence, place = divmod(first, SENTENCE)
                if sentence in starts and type(first) is int:
                    begin = starts[sentence] + int(place) - 1
                    found.append((begin, begin + int(last - first) + 1))
            return found

        view = View(lambda name: gold.written(name[0] if by_head else name), runs, names)
        compared = Compared(found.key, found.response, found.response, [], [], found.counts)
        return align_mentions(compared, words, missing=system is None, view=view)

    def spans(self, document: CorefDocument) -> Iterable[tuple[int, int]]:  # noqa: ARG002
        """None: offsets cannot be shifted, because words are compared."""
        return ()

    def notes(self, evaluation: Evaluation, name: str) -> list[Note]:
        """Where the official scorer departs from its own definition, with counts."""
        return [*self.meaning(), *remark_notes(evaluation.systems[name].remarks, REMARKS)]


def read_text_onto(key: Any, source: Any) -> CorefCorpus:
    """A text or JSON aligned to the sentences of a key, which must be a file."""
    if not (isinstance(key, bytes) or is_path(key)):
        raise _without_key(source)
    readable: Any = key
    documents: list[Any] = read_corefud(readable, trees=True).documents
    return read_marked(source, documents)


def _without_key(source: Any) -> UsageError:
    hint = "give a file of CoNLL-U as the key (of validate: --gold KEY)"
    return UsageError(Problem("a text is put onto the words of a key", path=source_name(source), hint=hint))


def remark_notes(remarks: Iterable[tuple[str, Remark]], texts: Mapping[str, str]) -> Iterable[Note]:
    """Remarks of documents, added up by their codes."""
    from adjudge.evaluate.results import EXAMPLES
    from adjudge.stats.result import Note

    found: dict[str, list[Remark]] = {}
    for _, remark in remarks:
        found.setdefault(remark.code, []).append(remark)
    for code, text in texts.items():
        if own := found.get(code):
            number = sum(each.number for each in own)
            examples = tuple(sorted({each.example for each in own})[:EXAMPLES])
            yield Note(code, number, text.format(n=number), examples)


# ---------------------------------------------------------------------------------------------------------------------
# Whether two files belong together


def fitted(gold: Side, side: Side) -> Side:
    """The response, with a note if it is longer or shorter; any other mismatch with the key is an error."""
    problems, lengths = _misfits(gold, side)
    for name in gold.documents:
        if name not in side.documents:
            message = f"document {name!r} of the key is not there"
            problems.append(Problem(message, path=side.place, hint="add it, even without entities"))
    raise_problems(problems, side.place, ValidationError)
    if not lengths:
        return side
    message = (
        "sentences that only one of key and response has, or whose length differs; what is in one only was not "
        f"compared, as in the official scorer: {len(lengths)}"
    )
    return replace(side, notes=(*side.notes, CorpusNote("corefud-length", len(lengths), message, tuple(lengths[:5]))))


def _misfits(gold: Side, side: Side) -> tuple[list[Problem], list[str]]:
    """Differences, and the sentences of which one file has more."""
    problems: list[Problem] = []
    lengths: list[str] = []
    ours, theirs = (
        sorted(sentence for document in each.documents.values() for sentence in document.sentences)
        for each in (gold, side)
    )
    for own, other in zip(ours, theirs, strict=False):
        if (own.newdoc, own.id) != (other.newdoc, other.id):
            said = (_labels(own), _labels(other))
            message = f"{other.name}: expected {said[0]} as in the key, got {said[1]}"
            problems.append(Problem(message, side.place, other.line, hint="keep the sentences of the key in order"))
            return problems, lengths  # what follows is offset
        if own.forms == other.forms:
            continue
        pairs = list(zip(own.forms.split("\t"), other.forms.split("\t"), strict=False))
        for number, (word, said_) in enumerate(pairs, 1):
            if word != said_:
                message = f"{other.name}: word {number} is {said_!r}, but {word!r} in the key"
                problems.append(Problem(message, side.place, other.line, hint="keep the words of the key"))
                break
        else:
            lengths.append(own.name)
    longer = max(ours, theirs, key=len)
    return problems, [*lengths, *(each.name for each in longer[min(len(ours), len(theirs)) :])]


def _labels(sentence: Sentence) -> str:
    document = "no newdoc" if sentence.newdoc is None else f"newdoc {sentence.newdoc}".strip()
    return f"{document} and {f'sent_id {sentence.id}' if sentence.id else 'no sent_id'}"
