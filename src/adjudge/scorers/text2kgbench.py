"""Text2KGBench as its script counts it: triples, conformance to the ontology, and hallucinations.

Departures from the definitions (`kbp.triples`, `kbp.conformance`, `kbp.hallucination`): only triples of the system
whose relation, as it is written, gold has in that document count for precision, so that a wrong relation costs nothing;
a document without a line of the system adds 0 to every sum, conformance included; ends are searched as Porter stems in
the stems of the sentence and all concepts, as substrings without blanks. What needs a language model is not supported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.algebra.solve.deadline import timed
from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.findings import Findings
from adjudge.formats.json_file import read_json
from adjudge.formats.kg_json import LISTS, json_entries, shown
from adjudge.formats.kg_keys import document_of, roles_of
from adjudge.formats.source import read_text
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import both_sides
from adjudge.scorers.webnlg import has_sentences, words_of
from adjudge.stats.measure import Ratio

PARTS = ("precision", "recall", "f1", "onto_conf", "rel_halluc", "sub_halluc", "obj_halluc")
MEASURES = tuple(Ratio("kbp.text2kgbench", part, ((part, 1.0),), (("documents", 1.0),)) for part in PARTS)
_DATE = "01januari"


class Sentence(NamedTuple):
    """A document: its text and its triples of subject, relation and object."""

    text: str
    triples: list[tuple[str, str, str]]


class Labels(NamedTuple):
    """The names of an ontology."""

    concepts: tuple[str, ...]
    relations: frozenset[str]


def squeezed(text: str) -> str:
    """A text without blanks and underscores, in lower case.

    >>> squeezed("Lyon_Airport 1")
    'lyonairport1'
    """
    return "".join(text.replace("_", " ").split()).lower()


def stems(text: str) -> str:
    """The Porter stems of the words of a text, as one string."""
    return squeezed("".join(map(_stem, words_of(text))))


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    found: str = _stemmer().stem(word)
    return found


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from nltk.stem import PorterStemmer

    return PorterStemmer()


def read_sentences(source: Any) -> dict[str, Sentence]:
    """The documents of a file, by id."""
    whole, text = read_text(source)
    found, made = Findings(whole.place), dict[str, Sentence]()
    hint = 'write {"id": ..., "sent": ..., "triples": [...]} on each line'
    for entry in json_entries(text, whole.place):
        value = entry.value if isinstance(entry.value, Mapping) else {}
        name = document_of(value, ("id", "doc_id", "document_id", "document", "doc"))
        key = next((key for key in LISTS if isinstance(value.get(key), list)), None)
        if name is None or key is None:
            found.add("entry", f"{entry.where}: no id and list of triples", entry.line, None, hint)
            continue
        if name in made:
            found.add("entry", f"{entry.where}: a second document {name!r}", entry.line, None, "keep one of them")
        triples = []
        for number, each in enumerate(value[key], 1):
            roles = roles_of(each) if isinstance(each, Mapping) else None
            parts = each if isinstance(each, list) else [each[roles[role]] for role in _ROLES] if roles else ()
            if len(parts) != 3:
                message = f"{entry.where}, triple {number}: {shown(each)} does not have three parts"
                found.add("triple", message, entry.line, None, "write subject, relation and object")
                continue
            first, relation, last = (part if isinstance(part, str) else str(part) for part in parts)
            triples.append((first, relation, last))
        sentence = value.get("sent", value.get("text", ""))
        made[name] = Sentence(sentence if isinstance(sentence, str) else "", triples)
    found.finish()
    return made


_ROLES = ("subject", "relation", "object")


def read_labels(source: Any) -> Labels:
    """The names of the concepts and relations of an ontology."""
    place, value = "the ontology", source
    if not isinstance(source, Mapping):
        whole, value = read_json(source)
        place = whole.place
    fields = value if isinstance(value, Mapping) else {}
    relations, concepts = (
        [each.get("label") for each in fields.get(key) or () if isinstance(each, Mapping)]
        for key in ("relations", "concepts")
    )
    if not relations or not all(isinstance(each, str) for each in (*relations, *concepts)):
        hint = 'write {"concepts": [{"label": ...}], "relations": [{"label": ...}]}'
        raise ValidationError(Problem("this is not an ontology of Text2KGBench", path=place, hint=hint))
    return Labels(tuple(map(str, concepts)), frozenset(str(each).replace(" ", "_") for each in relations))


def score_document(gold: Sentence, system: Sentence | None, ontology: Labels) -> dict[str, float]:
    """The numbers of one document."""
    if system is None:
        return dict.fromkeys(PARTS, 0.0)
    ours = {"".join(map(squeezed, each)) for each in gold.triples}
    known = {relation.replace(" ", "_") for _, relation, _ in gold.triples}
    theirs = {"".join(map(squeezed, each)) for each in system.triples if each[1] in known}
    both = len(ours & theirs)
    precision, recall, f1 = precision_recall_f1(both, len(theirs), len(ours)) if theirs else (0.0, 0.0, 0.0)
    number = len(system.triples)
    conform = sum(relation in ontology.relations for _, relation, _ in system.triples) / number if number else 1.0
    context = stems(gold.text + " ".join(ontology.concepts))
    lost = [
        sum(stems(each[end]).replace(_DATE, "") not in context for each in system.triples) / number if number else 0.0
        for end in (0, 2)
    ]
    return dict(zip(PARTS, (precision, recall, f1, conform, 1 - conform, *lost), strict=True))


def run(gold: Any, system: Any, *, ontology: Any = None) -> Published:
    """Count one system; folders are scored file by file, and files are averaged.

    >>> onto = b'{"concepts": [{"label": "City"}], "relations": [{"label": "city served"}]}'
    >>> right = b'{"id": "1", "sent": "LYS serves Lyon.", "triples": [["LYS", "city served", "Lyon"]]}'
    >>> print(run(right, b'{"id": "1", "triples": [["LYS", "city_served", "Lyon"]]}', ontology=onto).text, end="")
    precision 1.00
    recall 1.00
    f1 1.00
    onto_conf 1.00
    rel_halluc 0.00
    sub_halluc 0.00
    obj_halluc 0.00
    """
    if ontology is None:
        raise UsageError("Text2KGBench needs an ontology", hint="give --ontology FILE")
    files = _files(gold, system, ontology)
    rows: list[tuple[str, dict[str, float]]] = []
    averages = []
    names: tuple[set[str], set[str]] = (set(), set())
    for name, ours, theirs, labels in files:
        right, said = both_sides(read_sentences, ours, theirs) if theirs is not None else (read_sentences(ours), {})
        if not right:
            raise ValidationError(Problem("there are no documents", path=str(ours), hint="check the file"))
        known = read_labels(labels)
        own = [(f"{name}{each}", score_document(right[each], said.get(each), known)) for each in timed(right)]
        averages.append({part: fsum(row[part] for _, row in own) / len(own) for part in PARTS})
        share = 1.0 if len(files) == 1 else 1 / len(own)  # files have equal weight, however many documents they have
        rows += [(each, {**{part: share * row[part] for part in PARTS}, "documents": share}) for each, row in own]
        names[0].update(f"{name}{each}" for each in right)
        names[1].update(f"{name}{each}" for each in said)
    whole = {part: fsum(each[part] for each in averages) / len(averages) for part in PARTS}
    from adjudge.stats.result import Note

    notes = []
    if not has_sentences():
        notes.append(Note("tokens:line", 1, "nltk has no data to find sentences: words are found by its rules alone"))
    text = "".join(f"{part} {value:.2f}\n" for part, value in whole.items())
    return Published(rows, MEASURES, text, notes=notes, documents=names)


def _files(gold: Any, system: Any, ontology: Any) -> Sequence[tuple[str, Any, Any, Any]]:
    """The files of both sides with their ontologies: those of folders by equal names."""
    if not isinstance(gold, str | Path) or not Path(gold).is_dir():
        return [("", gold, system, ontology)]
    found, problems = [], []
    for file in sorted(path for path in Path(gold).iterdir() if path.suffix in (".jsonl", ".json")):
        theirs: Path | None = Path(system) / file.name
        labels = Path(ontology) / f"{file.stem}.json" if Path(ontology).is_dir() else Path(ontology)
        if not labels.is_file():
            problems.append(Problem("there is no such ontology", path=str(labels), hint=f"{file.name} needs one"))
        found.append((f"{file.stem}:", file, theirs if theirs is not None and theirs.is_file() else None, labels))
    if problems or not found:
        message = "the folder has no .jsonl files"
        raise UsageError(problems or Problem(message, path=str(gold), hint="give a file, or a folder with some"))
    return found


SCORER = Scorer(
    name="text2kgbench",
    family="kbp",
    about="the script of Text2KGBench: triples, conformance, hallucination (without its language model)",
    run=run,
    options={"ontology": Option("Text2KGBench: the ontology; for folders, one or a folder of them.", "FILE")},
)
