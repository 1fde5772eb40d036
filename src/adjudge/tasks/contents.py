"""The contents of a file: its documents, and how many items of each label they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from adjudge.errors import AdjudgeError
from adjudge.evaluate.results import spans_in
from adjudge.findings import Findings, errors_of, raise_problems
from adjudge.formats.kinds import Format
from adjudge.formats.source import Source
from adjudge.model.document import Corpus
from adjudge.model.eal import AnswerKey, Arguments
from adjudge.rooms import load

_LABELS = ("type", "types", "label", "relation", "role", "slot", "entity")
_INNER = ("arguments", "fillers", "mentions")
_RARE, _OFTEN = 1, 10  # a label used once, and the one it may be a misspelling of
_EXAMPLES = 3
_FILES = 100  # files of a folder that are read


@dataclass
class Contents:
    """The documents of a file, its items by kind and label, and how many of its texts are present.

    `data` are documents as metrics compare them; `scored` whether items have confidences, as systems give them; `unit`
    what offsets count, where that is not the same for all files of the format.
    """

    place: str
    documents: list[str] = field(default_factory=list)
    items: dict[str, Counter[str]] = field(default_factory=dict)
    sentences: int = 0
    tokens: int = 0
    texts: int = 0
    empty: list[str] = field(default_factory=list)
    data: list[Any] = field(default_factory=list)
    scored: bool = False
    unit: str = ""
    notes: list[str] = field(default_factory=list)

    def count(self, kind: str, labels: Iterable[str]) -> int:
        """Add items and return their number."""
        own = self.items.setdefault(kind, Counter())
        before = own.total()
        own.update(labels)
        return own.total() - before

    def document(self, name: str, *, items: int, text: object = None) -> None:
        """Add a document with this many items."""
        self.documents.append(name)
        self.texts += bool(text)
        if not items:
            self.empty.append(name)


def read_contents(format: Format, reader: str, source: Source, place: str) -> Contents:
    """The contents of a source in this format; `reader` names a reader of a family, if one reads the format.

    >>> found = read_contents(Format("bio", ""), "adjudge.formats.bio:read_bio", b"EU B-ORG\\nsaid O\\n", "x")
    >>> found.documents, found.items
    (['sentence-1'], {'entities': Counter({'ORG': 1})})
    """
    found = Contents(place)
    read = _READERS.get(format.kind)
    if reader:
        _documents(found, source, reader)
    elif read is not None:
        read(found, source, format.kind)
    return found


def _documents(found: Contents, source: Source, reader: str) -> None:
    """Documents of the families."""
    _take(found, load(reader)(source, name=found.place))


def counted_documents(place: str, corpus: Corpus) -> Contents:
    """The contents of documents already read."""
    found = Contents(place)
    _take(found, corpus)
    return found


def _take(found: Contents, corpus: Corpus) -> None:
    found.notes += [each.message for each in corpus.notes]
    for each in corpus.documents:
        found.data.append(each.data)
        found.document(each.id, items=sum(_counted(found, each.data)), text=_text_of(each.data))


def _native(found: Contents, source: Source, _: str) -> None:
    from adjudge.formats.jsonl import read_all, read_file

    documents = read_file(str(source)) if isinstance(source, Path) else read_all(source, name=found.place).documents
    for each in documents:
        found.data.append(each.data)
        found.document(each.id, items=sum(_counted(found, each.data)), text=_text_of(each.data))
        if not found.unit and any(True for _ in spans_in(each.data)):
            found.unit = "characters" if each.data.get("text") else "tokens" if each.data.get("tokens") else ""


def _text_of(data: Mapping[str, Any]) -> object:
    return next((data[key] for key in ("text", "tokens", "sentences", "doctext") if data.get(key)), None)


def _counted(found: Contents, data: Mapping[str, Any]) -> Iterator[int]:
    """How many items each field of a document has."""
    for key, value in data.items():
        if key in ("amr", "tree", "graph") and value:
            yield found.count("graphs", [""])
        elif key == "sentences" and isinstance(value, list):
            found.sentences += len(value)
            found.tokens += sum(each if isinstance(each, int) else len(each) for each in value if each)
        elif isinstance(value, list) and key not in ("names", "candidates", "negative_triggers", "tokens"):
            yield found.count(key, map(_label, value))
            for item in value:
                found.scored |= isinstance(item, Mapping) and not {"score", "confidence"}.isdisjoint(item)
                for inner in _INNER:
                    if isinstance(item, Mapping) and isinstance(item.get(inner), list):
                        found.count(inner, map(_label, item[inner]))


def _label(item: Any) -> str:
    if not isinstance(item, Mapping):
        return ""
    value = next((item[key] for key in _LABELS if key in item), "")
    return value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, list) else ""


def _coref(found: Contents, source: Source, kind: str) -> None:
    from adjudge.formats.coreference import read_coreference

    format = {"clusters": "jsonl", "corefud": "conllu", "cluster-table": "csv"}.get(kind, kind)
    corpus = read_coreference(source, format=format, name=found.place)
    found.notes += [note.message for note in corpus.notes]
    for each in corpus.documents:
        found.tokens += max(each.tokens, 0)
        chains = found.count("chains", [""] * len(each.chains))
        found.count("mentions", [""] * sum(len(chain.mentions) for chain in each.chains))
        found.document(each.id, items=chains, text=each.tokens > 0)


def _tbf(found: Contents, source: Source, _: str) -> None:
    from adjudge.formats.tbf import read_tbf

    for each in read_tbf(source, name=found.place):
        _nuggets(found, each)


def _nuggets(found: Contents, document: Any) -> None:
    count = found.count("nuggets", (each.type for each in document.nuggets))
    found.count("realis", (each.realis for each in document.nuggets))
    found.count("links", (each.name for each in document.relations))
    found.scored |= any(each.confidence for each in document.nuggets)
    found.unit = found.unit or next(("tokens" if each.tokens else "characters" for each in document.nuggets), "")
    found.document(document.id, items=count, text=document.text)


def _ere(found: Contents, source: Source, _: str) -> None:
    from adjudge.formats.ere import read_ere

    folder = Path(source) if isinstance(source, str | Path) and Path(source).is_dir() else None
    files = sorted(folder.glob("**/*.rich_ere.xml")) if folder else []
    for each in islice(files, _FILES) if folder else (source,):
        _nuggets(found, read_ere(each, name=str(each) if folder else found.place)[0])
    if len(files) > _FILES:
        found.notes.append(f"of the first {_FILES} files of {len(files)}")


def _kb(found: Contents, source: Source, kind: str) -> None:
    from adjudge.tasks.kbp.detection import read_corpus

    kinds: Mapping[str, Any] = {"kb-documents": "documents", "ere": "ere", "ace": "ace"}
    for each in read_corpus(source, kinds[kind], name=found.place).documents:
        _knowledge(found, each)
        found.document(each.id, items=len(each.entities), text=each.text)


def _coldstart(found: Contents, source: Source, _: str) -> None:
    from adjudge.formats.kb_coldstart import read_coldstart

    kb = read_coldstart(source, name=found.place)[0]
    _knowledge(found, kb)
    found.scored = True
    mentions = (mention.document for each in kb.entities for mention in each.mentions)
    found.documents = list(dict.fromkeys([*mentions, *(each.document for each in kb.facts if each.document)]))


def _knowledge(found: Contents, base: Any) -> None:
    found.count("entities", (each.type for each in base.entities))
    found.count("mentions", (mention.level for each in base.entities for mention in each.mentions))
    found.count("facts", (each.relation for each in base.facts))
    found.scored |= any(each.confidence != 1 for each in base.facts)


def _triples(found: Contents, source: Source, _: str) -> None:
    from adjudge.formats.kb_triples import read_triples

    table = read_triples(source, name=found.place)
    relations = list(table.names.relations)
    found.count("facts", (relations[number] for number in table.relations))
    found.documents = list(table.names.documents)


def _graph(found: Contents, source: Source, kind: str) -> None:
    from adjudge.tasks.kbp.graphs import read_graph

    form: Any = "json" if kind == "kg-json" else kind
    graph = read_graph(source, form, name=found.place)
    relations = graph.table.names.relations.listed
    found.count("facts", (relations[number] for number in graph.table.relations))
    found.documents = list(dict.fromkeys((*graph.table.names.documents, *graph.documents)))
    found.scored |= bool(graph.confidences)


def _eal(found: Contents, source: Source, kind: str) -> None:
    from adjudge.formats.eal_store import KeyStore, open_key, open_store

    if isinstance(source, bytes):
        _eal_file(found, source, kind)
        return
    with open_key(str(source)) if kind == "eal-key" else open_store(str(source)) as store:
        for document in store.documents:
            _responses(found, store.key(document) if isinstance(store, KeyStore) else store.arguments(document))
    found.scored = kind == "eal"


def _eal_file(found: Contents, data: bytes, kind: str) -> None:
    """The arguments or assessments of one document."""
    from adjudge.formats.eal_arguments import scan_arguments
    from adjudge.formats.eal_assessments import scan_key

    rows = (line.split(b"\t") for line in data.split(b"\n") if b"\t" in line and line[:1] != b"#")
    document = next((row[1].decode("utf-8", "replace") for row in rows), "")
    own, findings = (scan_key if kind == "eal-key" else scan_arguments)(data, document, found.place)
    raise_problems(errors_of(findings), found.place)
    _responses(found, own)


def _responses(found: Contents, own: AnswerKey | Arguments) -> None:
    if isinstance(own, AnswerKey):
        responses = [*own.assessed, *own.unassessed]
    else:
        responses = [each.response for each in own.arguments]
    count = found.count("responses", (each.type for each in responses))
    found.count("roles", (each.role for each in responses))
    found.document(own.document, items=count)


def _rows(read: str) -> Callable[[Contents, Source, str], None]:
    def rows(found: Contents, source: Source, _: str) -> None:
        value = load(read)(source, name=found.place)
        value = value[0] if isinstance(value, tuple) else value
        listed = next((getattr(value, name) for name in ("links", "answers") if hasattr(value, name)), value)
        found.count("rows", [""] * len(listed))

    return rows


def _result(found: Contents, source: Source, _: str) -> None:
    from adjudge.formats.source import read_bytes
    from adjudge.stats.saved import decode_result

    result = decode_result(read_bytes(source, found.place), found.place)
    found.count("systems", (each.name for each in result.systems))
    found.count("metrics", list(dict.fromkeys(row.metric for each in result.systems for row in each.scores)))
    found.notes.append(f"task {result.task}, signature {result.signature}")


def _spec(found: Contents, source: Source, _: str) -> None:
    from adjudge.algebra.spec import load_spec
    from adjudge.formats.source import read_text

    spec = load_spec(read_text(source, name=found.place)[1], path=found.place)
    found.count("metrics", [spec.name or "metric"])


def _tokens(found: Contents, source: Source, _: str) -> None:
    from adjudge.formats.token_table import read_table

    table = read_table(source, Path(found.place).stem, name=found.place)
    found.tokens = len(table.tokens)
    found.document(table.document, items=found.tokens, text=True)


_READERS: Mapping[str, Callable[[Contents, Source, str], None]] = {
    **dict.fromkeys(("conll", "corefud", "clusters", "cluster-table"), _coref),
    **dict.fromkeys(("kb-documents", "ace"), _kb),
    **dict.fromkeys(("eal", "eal-key", "eal-arguments"), _eal),
    **dict.fromkeys(("jsonl", "parquet"), _native),
    "tbf": _tbf,
    "ere": _ere,
    "nugget-xml": _ere,
    "coldstart": _coldstart,
    "triples": _triples,
    **dict.fromkeys(
        (
            *("kg-json", "ntriples", "turtle", "trig", "graphrag"),
            *("langchain", "neo4j", "llamaindex", "kggen", "webnlg"),
        ),
        _graph,
    ),
    "result": _result,
    "spec": _spec,
    "tokens": _tokens,
    "links": _rows("adjudge.formats.kb_links:read_links"),
    "kb-queries": _rows("adjudge.formats.kb_queries:read_queries"),
    "kb-answers": _rows("adjudge.formats.kb_queries:read_answers"),
    "kb-assessments": _rows("adjudge.formats.kb_queries:read_assessments"),
    "docred-facts": _rows("adjudge.formats.relation_documents:read_train_facts"),
    "wikievents-clusters": _rows("adjudge.formats.event_lines:read_clusters"),
}


# ---------------------------------------------------------------------------------------------------------------------
# Suspicious contents


def check_contents(contents: Contents, found: Findings) -> None:
    """Add what looks wrong besides what validators report: empty documents, labels that look misspelt, span ends."""
    if contents.empty and len(contents.empty) < len(contents.documents):
        names = ", ".join(contents.empty[:_EXAMPLES])
        more = ", ..." * (len(contents.empty) > _EXAMPLES)
        count = len(contents.empty)
        message = f"{count} document{'s' * (count != 1)} without items ({names}{more})"
        found.warn("empty-document", message, None, None, "check that nothing was lost")
    for kind, labels in contents.items.items():
        for label, other in misspelt(labels):
            message = f"the label {label!r} of {kind} is used once, {other!r} {labels[other]} times"
            found.warn("rare-label", message, None, None, "check the spelling")
    if ends_of(contents) == "inclusive":
        message = "spans end inside of words, and with the words if their ends are taken as inclusive"
        found.warn("ends", message, hint="if they are, add one to each")


def misspelt(labels: Counter[str]) -> list[tuple[str, str]]:
    """Labels used once, each with a frequent label that is nearly the same.

    >>> misspelt(Counter({"PER": 40, "PRE": 1, "Per": 1, "ORG": 30, "GPE": 1, "ARG1": 50, "ARG2": 1}))
    [('PRE', 'PER'), ('Per', 'PER')]
    """
    often = [label for label, count in labels.most_common(200) if count >= _OFTEN and label]
    rare = [label for label, count in labels.items() if count <= _RARE and label][:200]
    pairs = ((label, next((each for each in often if _is_alike(label, each)), None)) for label in rare)
    return [(label, other) for label, other in pairs if other is not None]


def _is_alike(first: str, second: str) -> bool:
    """Whether two labels differ only in case, in one letter, or by two swapped letters."""
    if first.casefold() == second.casefold():
        return True
    if min(len(first), len(second)) < 3 or abs(len(first) - len(second)) > 1:
        return False
    at = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    ours, theirs = first[at:], second[at:]
    if (ours[:1] + theirs[:1]).isdigit():
        return False
    if len(first) == len(second):
        swapped = ours[:2] == theirs[1::-1] and ours[2:] == theirs[2:]
        return swapped or (len(first) > 4 and ours[1:] == theirs[1:])
    return ours[1:] == theirs or ours == theirs[1:]


def ends_of(contents: Contents) -> str:
    """Which ends, `exclusive` or `inclusive`, make spans end where words do; empty if the texts do not show it.

    >>> texts = Contents("x", data=[{"text": "Ada met Ben", "span": {"start": 0, "end": 3}}] * 10)
    >>> ends_of(texts)
    'exclusive'
    """
    places = _places(contents)
    exclusive, inclusive = (sum(_ends_a_word(text, end + more) for text, _, end in places) for more in (0, 1))
    enough = len(places) >= _OFTEN
    for name, right, wrong in (("exclusive", exclusive, inclusive), ("inclusive", inclusive, exclusive)):
        if enough and right >= 0.9 * len(places) and wrong <= 0.5 * len(places):
            return name
    return ""


def whole_words(contents: Contents, ends: str) -> tuple[int, int]:
    """How many spans begin and end at word boundaries, and how many lie in texts.

    >>> whole_words(Contents("x", data=[{"text": "Ada met Ben", "span": {"start": 0, "end": 3}}]), "exclusive")
    (1, 1)
    """
    places, more = _places(contents), int(ends == "inclusive")
    whole = [_begins_a_word(text, start) and _ends_a_word(text, end + more) for text, start, end in places]
    return sum(whole), len(whole)


def _places(contents: Contents) -> list[tuple[str, int, int]]:
    """The spans in texts."""
    return [
        (data["text"], start, end)
        for data in contents.data
        if isinstance(data, Mapping) and isinstance(data.get("text"), str)
        for start, end in spans_in(data)
        if 0 <= start < end <= len(data["text"])
    ]


def _begins_a_word(text: str, at: int) -> bool:
    """Whether a word begins here, rather than the rest of one or a space."""
    return not text[at].isspace() and not (at > 0 and text[at - 1 : at + 1].isalnum())


def _ends_a_word(text: str, at: int) -> bool:
    """Whether a word ends just before here, rather than half of one or a space."""
    return at <= len(text) and not text[at - 1].isspace() and not (text[at - 1 : at + 1].isalnum() and at < len(text))


def tasks_of(documents: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    """The families whose usual metrics can compare these documents; if there are none, other metrics by family.

    >>> tasks_of([{"id": "a", "entities": [{"span": {"start": 0, "end": 1}, "type": "PER"}]}])
    {'ner': ()}
    """
    from adjudge.metrics.registry import catalogue
    from adjudge.tasks.family import families, find_family

    common = [each for each in documents if isinstance(each, Mapping)]
    fields = {key for data in common for key, value in data.items() if value and all(key in each for each in common)}
    empty = {key for key in (common or [{}])[0] if all(each.get(key) == [] for each in common)}
    if fields <= {"id", "text"}:  # nothing was found in any document
        return {name: () for name in families() if {metric.within for metric in _usual(name)} <= empty}
    usual = {name: find_family(name).metrics for name in families()}
    known = {each.name: each.within for each in catalogue()}
    found: dict[str, tuple[str, ...]] = {}
    for name, metrics in usual.items():
        if all(known[each] in fields for each in metrics) and _compares(metrics, documents):
            found[name] = ()
    if not found:
        for name, within in known.items():
            family = name.partition(".")[0]
            if family in usual and within in fields and _compares([name], documents):
                found[family] = (*found.get(family, ()), name)
    return found


def _usual(family: str) -> list[Any]:
    from adjudge.metrics.registry import find
    from adjudge.tasks.family import find_family

    return [member for name in find_family(family).metrics for member in find(name).members]


_LOOK = 0.05  # seconds to compare a document with itself: this only shows whether it fits, so it need not be optimal


def _compares(names: Sequence[str], documents: Sequence[Any]) -> bool:
    """Whether the metrics accept the smallest documents that have something to compare."""
    from adjudge.metrics.registry import find
    from adjudge.tasks.observe import Observer, Ready

    try:
        metrics = tuple(find(name).with_options(time_limit=_LOOK) for name in names)
        field = metrics[0].members[0].within
        filled = [data for data in documents if isinstance(data, Mapping) and data.get(field)]
        observer = Observer(metrics)
        chosen = sorted(filled, key=lambda data: len(str(data.get(field))))[:3]
        return bool(chosen) and not any(observer(Ready("", data), data)[1] for data in chosen)
    except AdjudgeError:
        return False
