"""DocRED as its evaluation script counts it: relation F1, Ign F1 by two sets of training facts, evidence F1.

Departures from the definitions (`relation.docred*`): relations of documents that gold does not have stay in the
denominator of precision; a gold label that is repeated counts once, its evidence each time; Ign F1 leaves only those
known relations out of precision that are right; and a submission without relations, or of which nothing is left after
that, is an error (the script raises an exception).
"""

from __future__ import annotations

from typing import Any

from adjudge.errors import Problem, ValidationError
from adjudge.formats.relation_documents import Answer, Gold, names_of, read_answers, read_gold, read_train_facts
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Option, Published, Scorer
from adjudge.stats.measure import Prf

COLUMNS = (
    *("correct", "system", "gold", "evidence_correct", "evidence_system", "evidence_gold"),
    *("annotated_correct", "annotated_system", "distant_correct", "distant_system"),
)
MEASURES = (
    Prf("relation.docred", ("correct", "system"), ("correct", "gold")),
    Prf("relation.docred-evidence", ("evidence_correct", "evidence_system"), ("evidence_correct", "evidence_gold")),
    Prf("relation.docred-ign.annotated", ("annotated_correct", "annotated_system"), ("correct", "gold")),
    Prf("relation.docred-ign.distant", ("distant_correct", "distant_system"), ("correct", "gold")),
)
LABELS = ("RE_F1", "Evi_F1", "RE_ignore_annotated_F1", "RE_ignore_distant_F1")


def run(gold: Any, system: Any, *, train_annotated: Any = None, train_distant: Any = None) -> Published:
    """Count one system; without training facts, Ign F1 is F1."""
    documents = {document.title: document for document in read_gold(gold).documents}
    whole, answers = read_answers(system)
    annotated, distant = (
        frozenset() if facts is None else read_train_facts(facts) for facts in (train_annotated, train_distant)
    )
    rows = {title: dict.fromkeys(COLUMNS, 0.0) for title in documents}
    labels = {}
    for title, document in documents.items():
        labels[title] = {(label.h, label.t, label.r): set(label.evidence) for label in document.labels}
        rows[title]["gold"] = len(labels[title])
        rows[title]["evidence_gold"] = sum(len(label.evidence) for label in document.labels)
    for answer in _distinct(answers):
        row = rows.setdefault(answer.title, dict.fromkeys(COLUMNS, 0.0))
        _count(answer, row, documents.get(answer.title), labels.get(answer.title, {}), annotated, distant)
    sums = {column: sum(row[column] for row in rows.values()) for column in COLUMNS}
    for column in ("system", "annotated_system", "distant_system", "gold", "evidence_gold"):
        if not sums[column]:
            what = "gold" if "gold" in column else "the submission"
            problem = Problem(
                f"the published scorer divides by zero here, because nothing is left of {what}",
                path=whole.place,
                hint="score without --compat",
            )
            raise ValidationError(problem)
    values = [_f1(sums, measure) for measure in MEASURES]
    text = "".join(f"{label}: {value}\n" for label, value in zip(LABELS, values, strict=True))
    titles = {answer.title for answer in answers}
    return Published(list(rows.items()), MEASURES, text, documents=(documents.keys(), titles))


def _distinct(answers: list[Answer]) -> list[Answer]:
    """Sorted by title, entities and relation; of equal ones, the first of the file."""
    found: dict[tuple[Any, ...], Answer] = {}
    for answer in answers:
        found.setdefault((answer.title, answer.h_idx, answer.t_idx, answer.r), answer)
    return [found[key] for key in sorted(found)]


def _count(
    answer: Answer,
    row: dict[str, float],
    document: Gold | None,
    labels: dict[tuple[int, int, str], set[int]],
    annotated: frozenset[tuple[str, str, str]],
    distant: frozenset[tuple[str, str, str]],
) -> None:
    """Add one relation of the system to the counts of its document."""
    evidence = set(answer.evidence or ())
    right = labels.get((answer.h_idx, answer.t_idx, answer.r))
    row["system"] += 1
    row["correct"] += right is not None
    if document is not None:
        row["evidence_system"] += len(evidence)
        row["evidence_correct"] += len(evidence & (right or set()))
    names = [] if document is None else names_of(document, answer.h_idx, answer.t_idx, answer.r)
    for key, facts in (("annotated", annotated), ("distant", distant)):
        dropped = right is not None and any(name in facts for name in names)
        row[f"{key}_system"] += not dropped
        row[f"{key}_correct"] += right is not None and not dropped


def _f1(sums: dict[str, float], measure: Prf) -> float:
    """F1 from precision and recall, in the script's order of operations, so that the last digits agree."""
    (matched, system), (found, gold) = measure.precision, measure.recall
    return precision_recall_f1(sums[matched], sums[system], sums[gold], sums[found], undefined=0)[2]


SCORER = Scorer(
    name="docred",
    family="relation",
    about="the evaluation script of DocRED: F1, evidence F1, Ign F1",
    run=run,
    options={
        "train-annotated": Option(
            "DocRED: training data that Ign F1 leaves out, as documents or as a list of "
            "[head name, tail name, relation].",
            "FILE",
        ),
        "train-distant": Option("DocRED: the same for distantly supervised training data.", "FILE"),
    },
)
