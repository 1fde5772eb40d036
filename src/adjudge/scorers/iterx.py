"""CEAF-RME as the scorer of IterX counts it: templates matched 1:1 by the mentions that they share.

Departures from the definition (`template.ceaf-rme`): one pairing of templates, the best for precision, is also used for
recall; with phi-subset, any shared mention makes a system entity right (its first mention that is found decides which
gold entity), and with phi-3 the entities of two templates are matched 1:1. The denominators of phi-3 are numbers of
mentions in the code, and numbers of entities in the comparisons that were released with it (`denominators=files`). A
gold template of several types ("attack / bombing") is taken apart; the code counts the mentions of all its copies.
"""

from __future__ import annotations

from typing import Any

from adjudge.algebra.solve.deadline import timed
from adjudge.formats.templates import TYPE, Entities, Template, distinct, read_answers, read_lines
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.grit import ROLES, plain
from adjudge.scorers.shared import assigned, sum_in_order
from adjudge.stats.measure import Prf

COLUMNS = ("matched", "system", "found", "gold")
MEASURES = (Prf("template.iterx", ("matched", "system"), ("found", "gold")),)
Mention = tuple[str, str, str]
Clusters = list[list[Mention]]
_SPECIAL = str.maketrans("", "", "'\"\\-")


def run(
    gold: Any,
    system: Any,
    *,
    phi: str | None = None,
    denominators: str | None = None,
    dataset: str | None = None,
    ignore_no_template_doc: bool = False,
    per_document: bool = False,
) -> Published:
    """Count one system with phi-3, or phi-subset; SciREX: the mentions of a slot are one entity."""
    key, answers = read_lines(gold, "templates", rename=False), read_answers(system)
    scirex = dataset == "scirex"
    rows, lines = [], []
    for identifier in timed(dict.fromkeys((*key.pages, *answers.pages))):
        wanted = distinct(key.pages[identifier].templates, clean=_sanitised) if identifier in key.pages else []
        said = answers.pages[identifier].templates if identifier in answers.pages else []
        if ignore_no_template_doc and not wanted:
            continue
        golds = [_clusters(each) for each in wanted]
        systems = [_clusters(_merged(each) if scirex else _five(each)) for each in said]
        counts = _count(golds, systems, phi or "3", entities=denominators == "files")
        rows.append((identifier, dict(zip(COLUMNS, counts, strict=True))))
        shown = f"#pred={sum(map(bool, systems))}\t#gold={sum(map(bool, golds))}"
        matched, system_size, found, gold_size = counts
        p, r, f1 = precision_recall_f1(matched, system_size, gold_size, found, undefined=0)
        lines.append((identifier, f"doc_id={identifier}\t{shown}\tprec={p:.4f}\trec={r:.4f}\tf1={f1:.4f}\n"))
    p_num, p_den, r_num, r_den = (sum_in_order(row[column] for _, row in rows) for column in COLUMNS)
    p, r, f1 = precision_recall_f1(p_num, p_den, r_den, r_num, undefined=0)
    names = ("scirex_p", "scirex_r", "scirex_f") if scirex else ("muc_slot_p", "muc_slot_r", "muc_slot_f1")
    text = "".join(f"iterx_{name}: {round(value, 4)}\n" for name, value in zip(names, (p, r, f1), strict=True))
    if per_document:
        text = "".join(line for _, line in sorted(lines)) + text
    return Published(rows, MEASURES, text)


def _sanitised(text: str) -> str:
    return text.translate(_SPECIAL)


def _five(template: Template) -> Template:
    """The roles of MUC-4, whose names may be in lower case."""
    roles = template.roles
    return template._replace(roles={role: roles.get(role, roles.get(role.lower(), [])) for role in ROLES})


def _merged(template: Template) -> Template:
    """The mentions of each slot as one entity, sorted, because their order in the program is arbitrary."""
    roles: dict[str, Entities] = {
        role: entities if role in template.scalars else [sorted({one for entity in entities for one in entity})]
        for role, entities in template.roles.items()
    }
    return template._replace(roles=roles)


def _clusters(template: Template) -> Clusters:
    kind = str(template.type)
    return [
        [(kind, role, plain(mention)) for mention in entity]
        for role, entities in template.roles.items()
        if role != TYPE
        for entity in entities
    ]


def _count(gold: list[Clusters], system: list[Clusters], phi: str, *, entities: bool) -> tuple[float, ...]:
    """Numerators and denominators of precision and recall."""
    copies = [_copies(each) if system else [each] for each in gold]
    split = [each for group in copies for each in group]
    said = [each for each in system if each]
    similar = _subset if phi == "subset" else _phi3
    table: list[list[tuple[int, int]]] = []
    for group in copies:
        rows = [[similar(wanted, found) for found in said] for wanted in group]
        # Of the copies of a template, only the first with the greatest sum keeps its scores.
        kept = max(range(len(rows)), key=lambda place: sum(right for right, _ in rows[place]))
        table += (row if place == kept else [(0, 0)] * len(said) for place, row in enumerate(rows))
    chosen = assigned([[right for right, _ in row] for row in table])
    p_num, r_num = (float(sum(table[i][j][part] for i, j in chosen)) for part in (0, 1))
    if phi == "subset" or entities:
        return p_num, float(sum(map(len, said))), r_num, float(sum(map(len, gold)))
    p_den, r_den = (float(sum(len(e) for each in side for e in each)) for side in (said, split))
    return p_num, p_den, r_num, r_den


def _copies(template: Clusters) -> list[Clusters]:
    """A template of several types once for each."""
    kind = next((mention[0] for entity in template for mention in entity if "/" in mention[0]), None)
    if kind is None:
        return [template]
    return [
        [[(label.strip(), role, text) for _, role, text in entity] for entity in template] for label in kind.split("/")
    ]


def _subset(gold: Clusters, system: Clusters) -> tuple[int, int]:
    """System entities that share a mention with a gold one, and gold entities that are hit."""
    hits = [
        next((place for mention in entity for place, other in enumerate(gold) if mention in other), None)
        for entity in system
    ]
    found = [place for place in hits if place is not None]
    return len(found), len(set(found))


def _phi3(gold: Clusters, system: Clusters) -> tuple[int, int]:
    """Mentions that matched entities have in common, for precision and for recall."""
    scores = [[sum(mention in other for mention in entity) for entity in system] for other in gold]
    shared = sum(scores[i][j] for i, j in assigned(scores))
    return shared, shared


SCORER = Scorer(
    name="iterx",
    family="template",
    about="the scorer of IterX: CEAF-RME with phi-3 or phi-subset",
    run=run,
    options={
        "phi": Option("IterX: the similarity (default 3).", choices=("3", "subset")),
        "denominators": Option(
            "IterX: phi-3 over mentions, as the code has it, or over entities, as in its released files.",
            choices=("code", "files"),
        ),
        "dataset": Option("IterX: SciREX merges the mentions of a slot.", choices=("muc", "scirex")),
        "ignore-no-template-doc": Option("IterX: leave out documents without gold templates."),
        "per-document": Option("IterX: a line for each document before the totals."),
    },
)
