"""The examples of docs/which-number.md on facts: relations, templates, links to a knowledge base."""

from __future__ import annotations

import json
from typing import Any

from which_number_parts import Field, Row, lines

# ---------------------------------------------------------------------------------------------------------------------
# Relations

CLAIM = "BERT solves NER on CoNLL 2003 data with F1 ; it also reads CoNLL text"
TEXT = CLAIM.split()
BERT, NER_TASK, CONLL, F1, IT, AGAIN = (0, 1), (2, 3), (4, 7), (8, 9), (10, 11), (13, 14)
SHORT = (4, 6)
Link = tuple[tuple[int, int], tuple[int, int], str]
GOLD_LINKS: list[Link] = [(BERT, NER_TASK, "SOLVES"), (BERT, CONLL, "TESTED-ON"), (IT, AGAIN, "TESTED-ON")]
SYSTEM_LINKS: list[Link] = [
    (BERT, NER_TASK, "SOLVES"),
    (BERT, SHORT, "TESTED-ON"),
    (IT, AGAIN, "TESTED-ON"),
    (IT, AGAIN, "SOLVES"),
    (NER_TASK, BERT, "SOLVES"),
]
KINDS = {BERT: "Method", IT: "Method", NER_TASK: "Task", CONLL: "Material", AGAIN: "Material", F1: "Metric"}


def dygie_relations(links: list[Link], prefix: str = "") -> str:
    """DyGIE++ documents, whose spans have their last token."""
    made = [[s[0], s[1] - 1, o[0], o[1] - 1, kind] for s, o, kind in links]
    spans = {span for link in links for span in link[:2]}
    kinds = [[start, end - 1, KINDS.get((start, end), "Material")] for start, end in sorted(spans)]
    return lines([{"doc_key": "d1", "sentences": [TEXT], f"{prefix}ner": [kinds], f"{prefix}relations": [made]}])


def oneie_relations(links: list[Link]) -> str:
    """OneIE's graphs."""
    spans = sorted({span for link in links for span in link[:2]})
    entities = [[*span, KINDS.get(span, "Material"), "NAM", 1.0] for span in spans]
    made = [[spans.index(subject), spans.index(object_), kind, 1.0] for subject, object_, kind in links]
    graph = {"entities": entities, "triggers": [], "relations": made, "roles": []}
    return lines([{"sent_id": "d1", "graph": graph}])


def docred() -> dict[str, str]:
    """The same between entities: BERT is 0, NER is 1, CoNLL 2003 is 2."""
    names = ("BERT", "NER", "CoNLL 2003")
    labels = [{"h": 0, "t": t, "r": r, "evidence": [0]} for t, r in ((1, "SOLVES"), (2, "TESTED-ON"))]
    gold = [{"title": "d1", "vertexSet": [[{"name": name}] for name in names], "labels": labels}]
    said = ((0, 1, "SOLVES"), (0, 2, "TESTED-ON"), (0, 2, "SOLVES"), (1, 0, "SOLVES"))
    system = [{"title": "d1", "h_idx": h, "t_idx": t, "r": r, "evidence": [0]} for h, t, r in said]
    return {
        "gold.docred": json.dumps(gold) + "\n",
        "system.docred": json.dumps(system) + "\n",
        "train.json": json.dumps([["BERT", "NER", "SOLVES"]]) + "\n",
    }


def scirex() -> dict[str, str]:
    """The same as one relation of four entities; the system takes BERT and `it` for two methods."""
    ner = [[*span, kind] for span, kind in sorted(KINDS.items())]
    coref = {"conll": [CONLL, AGAIN], "f1": [F1], "ner": [NER_TASK], "bert": [BERT, IT]}
    fact = {"Material": "conll", "Metric": "f1", "Task": "ner", "Method": "bert"}
    found = [[*SHORT, "Material"], *(each for each in ner if tuple(each[:2]) != CONLL)]
    clusters = {"A": [SHORT, AGAIN], "B": [F1], "C": [NER_TASK], "D": [BERT], "E": [IT]}
    return {
        "gold.scirex": lines([{"doc_id": "d1", "ner": ner, "coref": coref, "n_ary_relations": [fact]}]),
        "scirex/ner.jsonl": lines([{"doc_id": "d1", "ner": found}]),
        "scirex/clusters.jsonl": lines([{"doc_id": "d1", "clusters": clusters}]),
        "scirex/relations.jsonl": lines(
            [{"doc_id": "d1", "predicted_relations": [[list(each), 0.9, 1] for each in ("ABCD", "ABCE")]}]
        ),
    }


DYGIE = "adjudge relation score gold.dygie system.dygie"
DOCRED = "adjudge relation score gold.docred system.docred"
SCIREX = "adjudge relation score gold.scirex scirex"
RELATIONS = Field(
    name="relations",
    title="Relations",
    story="""\
*BERT solves NER on CoNLL 2003 data with F1; it also reads CoNLL text.* Between mentions, gold has (BERT, solves,
NER), (BERT, tested on, CoNLL 2003 data) and (it, tested on, CoNLL). The system cuts *CoNLL 2003 data* to *CoNLL
2003*, and says of *it* and *CoNLL* both "tested on" and "solves"; it also says that NER solves BERT. Between
entities that is two gold relations and four of the system. As a relation of material, metric, task and method it
is one in gold and two of the system, which takes *BERT* and *it* for two methods.""",
    files={
        "gold.dygie": dygie_relations(GOLD_LINKS),
        "system.dygie": dygie_relations(SYSTEM_LINKS, "predicted_"),
        "gold.oneie": oneie_relations(GOLD_LINKS),
        "system.oneie": oneie_relations(SYSTEM_LINKS),
        **docred(),
        **scirex(),
    },
    rows=(
        Row("mentions: `relation.strict`", f"{DYGIE} --reader dygie", "relation.strict", best=True),
        Row("`relation.relaxed`", f"{DYGIE} --reader dygie", "relation.relaxed"),
        Row("DyGIE++", f"{DYGIE} --compat dygie", "relation.dygie"),
        Row("OneIE", "adjudge relation score gold.oneie system.oneie --compat oneie", "relation.oneie"),
        Row(
            "entities: `relation.docred`",
            f"{DOCRED} --reader docred --metric relation.docred",
            "relation.docred",
            best=True,
        ),
        Row("DocRED", f"{DOCRED} --compat docred --train-annotated train.json", "relation.docred"),
        Row(
            "DocRED, Ign F1",
            f"{DOCRED} --compat docred --train-annotated train.json",
            "relation.docred-ign.annotated",
        ),
        Row(
            "four entities: `relation.scirex-4ary`",
            f"{SCIREX} --reader scirex --metric relation.scirex-4ary,relation.scirex-clusters",
            "relation.scirex-4ary",
            best=True,
        ),
        Row("SciREX, n=4", f"{SCIREX} --compat scirex", "relation.scirex-4ary"),
        Row("SciREX, n=2", f"{SCIREX} --compat scirex", "relation.scirex-binary"),
    ),
    why="""\
Strict requires whole spans; relaxed accepts overlap, and the same system gains a great deal. DyGIE++ keeps
one label for a pair of spans, the last: the correct "tested on" is overwritten by "solves". OneIE ignores directions,
so NER solving BERT is correct as well; both count for recall, which looks complete although CoNLL 2003 data is missed.
Relations between entities are another task: entities are given
there, so boundaries cost nothing. Ign F1 leaves out of precision what the training data already contain (here "BERT
solves NER"). SciREX takes more than half of the tokens for a mention and more than half of the mentions for an
entity; its script lets both halves of a split entity be the gold one, so the split costs nothing.

We report strict scores with the types of arguments, and the boundary scores beside them when comparing with work
that calls those strict. Never compare numbers from different groups of rows.""",
)

# ---------------------------------------------------------------------------------------------------------------------
# Templates

Filled = tuple[str, dict[str, list[list[str]]]]
GOLD_TEMPLATES: list[Filled] = [
    (
        "bombing",
        {"PerpInd": [["guerrillas", "rebels"]], "Target": [["power station", "station"]], "Weapon": [["bomb"]]},
    ),
    ("attack", {"PerpInd": [["guerrillas", "rebels"]], "Victim": [["mayor", "ana diaz"], ["driver"]]}),
    ("kidnapping", {"Victim": [["journalist"]]}),
]
SYSTEM_TEMPLATES: list[Filled] = [
    ("bombing", {"PerpInd": [["rebels"]], "Target": [["power station"], ["station"]], "Weapon": [["bomb"]]}),
    ("attack", {"Victim": [["mayor", "driver"]], "Weapon": [["bomb"]]}),
]
ROLES = ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")
SLOTS = {
    "PerpInd": "9.  PERP: INDIVIDUAL ID",
    "Target": "12. PHYS TGT: ID",
    "Victim": "18. HUM TGT: NAME",
    "Weapon": "6.  INCIDENT: INSTRUMENT ID",
}
MESSAGE, NUMBER = "TST3-MUC4-0001", "30001"


def merged(templates: list[Filled]) -> dict[str, list[list[str]]]:
    """The entities of a document by role, whichever template they are in."""
    found: dict[str, list[list[str]]] = {role: [] for role in ROLES}
    for _, roles in templates:
        for role, entities in roles.items():
            found[role] += [entity for entity in entities if entity not in found[role]]
    return found


def whole(templates: list[Filled]) -> list[dict[str, Any]]:
    """Templates with all roles."""
    return [{"incident_type": kind, **{role: roles.get(role, []) for role in ROLES}} for kind, roles in templates]


def placed(value: Any) -> Any:
    """Gold mentions have a place in the text; nobody scores it."""
    if isinstance(value, dict):
        return {key: placed(each) for key, each in value.items()}
    if isinstance(value, list):
        return [placed(each) if isinstance(each, list | dict) else [each, 0] for each in value]
    return value


def muc4(templates: list[Filled]) -> str:
    """MUC-4 files: mentions of an entity are alternatives."""
    blocks = []
    for number, (kind, roles) in enumerate(templates, 1):
        rows = [("0.  MESSAGE: ID", MESSAGE), ("1.  MESSAGE: TEMPLATE", str(number))]
        rows.append(("4.  INCIDENT: TYPE", kind.upper()))
        for role, entities in sorted(roles.items(), key=lambda item: float(SLOTS[item[0]].split(".")[0])):
            for place, entity in enumerate(entities):
                rows.append((SLOTS[role] if place == 0 else "", " / ".join(f'"{name.upper()}"' for name in entity)))
        blocks.append("\n".join(f"{label:<35}{value}" for label, value in rows) + "\n")
    return "\n".join(blocks)


GRIT = "adjudge template score gold.grit system.grit"
GTT = "adjudge template score gold.gtt system.gtt"
ITERX = "adjudge template score gold.gtt system.iterx"
MUC4 = "adjudge template score key.muc4 response.muc4"
TEMPLATES = Field(
    name="templates",
    title="Templates",
    story="""\
A message with a bombing, an attack and a kidnapping, as MUC-4 writes it (the other scorers have files of their
own). The system splits the power station into two entities, merges the mayor and the driver into one, misses the
perpetrators of the attack, puts the bomb into it as well, and has no kidnapping.""",
    files={
        "key.muc4": muc4(GOLD_TEMPLATES),
        "response.muc4": muc4(SYSTEM_TEMPLATES),
        "gold.grit": lines([{"docid": MESSAGE, "extracts": placed(merged(GOLD_TEMPLATES))}]),
        "system.grit": json.dumps({NUMBER: {"pred_extracts": merged(SYSTEM_TEMPLATES)}}) + "\n",
        "gold.gtt": lines([{"docid": MESSAGE, "templates": placed(whole(GOLD_TEMPLATES))}]),
        "system.gtt": json.dumps({NUMBER: {"pred_templates": whole(SYSTEM_TEMPLATES)}}) + "\n",
        "system.iterx": lines([{MESSAGE: whole(SYSTEM_TEMPLATES)}]),
    },
    shown=("key.muc4", "response.muc4"),
    rows=(
        Row("entities: `template.ceaf-ree`", f"{GRIT} --reader grit --metric template.ceaf-ree", "template.ceaf-ree"),
        Row("GRIT, CEAF-REE", f"{GRIT} --compat grit", "template.ceaf-ree"),
        Row("GRIT, with shares", f"{GRIT} --compat grit --similarity prop", "template.ceaf-ree"),
        Row(
            "templates: `template.fillers`",
            f"{GTT} --reader gtt --metric template.fillers,template.gtt-like",
            "template.fillers",
            best=True,
        ),
        Row(
            "`template.gtt-like`",
            f"{GTT} --reader gtt --metric template.fillers,template.gtt-like",
            "template.gtt-like",
        ),
        Row("GTT", f"{GTT} --compat gtt", "template.gtt"),
        Row(
            "mentions: `template.ceaf-rme`",
            f"{ITERX} --reader iterx --metric template.ceaf-rme",
            "template.ceaf-rme",
        ),
        Row(
            "`template.ceaf-rme(phi=4)`",
            f'{ITERX} --reader iterx --metric "template.ceaf-rme(phi=4)"',
            "template.ceaf-rme",
        ),
        Row("IterX, phi-3", f"{ITERX} --compat iterx --phi 3", "template.iterx"),
        Row(
            "IterX, phi-3, denominators of its files", f"{ITERX} --compat iterx --denominators files", "template.iterx"
        ),
        Row("IterX, phi-subset", f"{ITERX} --compat iterx --phi subset", "template.iterx"),
        Row("MUC-4: `template.muc4`", f"{MUC4} --reader muc4", "template.muc4", best=True),
        Row(
            "MUC-4 scorer, all templates",
            f"{MUC4} --compat muc4-3.3",
            printed=r"ALL TEMPLATES.*\|\s*(?P<recall>\d+)\s+(?P<precision>\d+)(?s:.*)F-MEASURES\s+(?P<f1>[\d.]+)",
        ),
        Row(
            "MUC-4 scorer, matched only",
            f"{MUC4} --compat muc4-3.3",
            printed=r"MATCHED ONLY.*\|\s*(?P<recall>\d+)\s+(?P<precision>\d+)",
        ),
    ),
    why="""\
GRIT ignores templates: all entities of a role are in one bag, each to be matched once, and an entity is correct if all
its mentions are (or, with shares, by how many are); so the split power station is one spurious entity and the merged
victims are wrong. GTT adds the types of templates as fillers, and lets several entities match one, so splitting costs
nothing. IterX counts mentions; its code divides by mentions where the comparisons released with it divide by entities.
phi-subset asks whether any mention is correct, so merging costs no precision: the victims are one correct entity, and
one of two found. The MUC-4 scorer looks for one of the alternatives and has no notion of entities; "matched only"
leaves out the missed kidnapping.

We report `template.fillers` for templates, each entity matched once in the best alignment, because splitting and
merging entities gains nothing there; CEAF-REE only for comparisons with GRIT, and MUC-4 on MUC-4. [muc4.md](muc4.md)
has an example where the alignment of the scorer of 1992 is not the best one.""",
)

# ---------------------------------------------------------------------------------------------------------------------
# Entity linking

LINKED: dict[str, tuple[tuple[Any, ...], ...]] = {
    "gold": (
        ("d1", 0, 4, "Q1", "PER"),
        ("d1", 10, 17, "NIL1", "ORG"),
        ("d1", 30, 36, "Q2", "GPE"),
        ("d2", 5, 9, "NIL1", "ORG"),
        ("d2", 20, 24, "Q1", "PER"),
    ),
    "system": (
        ("d1", 0, 4, "Q1", "PER"),
        ("d1", 10, 17),
        ("d1", 30, 33, "Q2", "GPE"),
        ("d2", 5, 9),
        ("d2", 20, 24, "Q1", "PER"),
    ),
}


def linked(side: str) -> str:
    """A table of neleval: document, first and last character, and if there is one an entity, its score and type."""
    rows: list[list[Any]] = [[*row[:4], 1.0, row[4]] if row[3:] else list(row) for row in LINKED[side]]
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


LINK = "adjudge linking score gold.tab system.tab"
WEAK = f"{LINK} --metric linking.weak-link"
LINKING = Field(
    name="linking",
    title="Entity linking",
    story="""\
Five mentions in two documents: document, first and last character, entity, confidence, type. The system cuts one
mention short, and says nothing about the two mentions of an organisation that the knowledge base does not have
(`NIL1` in gold).""",
    files={"gold.tab": linked("gold"), "system.tab": linked("system")},
    shown=("gold.tab", "system.tab"),
    rows=(
        Row("mentions: `linking.mention`", LINK, "linking.mention"),
        Row("links: `linking.link`", LINK, "linking.link", best=True),
        Row("neleval, strong_link_match", f"{LINK} --compat neleval-3.1.1", "linking.link"),
        Row("links of overlapping mentions: `linking.weak-link`", WEAK, "linking.weak-link"),
        Row("unknown entities: `linking.nil`", LINK, "linking.nil"),
        Row("neleval, strong_nil_match", f"{LINK} --compat neleval-3.1.1", "linking.nil"),
        Row("clusters: `linking.ceafm`", LINK, "linking.ceafm", best=True),
        Row("neleval, mention_ceaf", f"{LINK} --compat neleval-3.1.1", "linking.ceafm"),
        Row("clusters: `linking.b3`", LINK, "linking.b3"),
        Row("neleval, b_cubed", f"{LINK} --compat neleval-3.1.1", "linking.b3"),
    ),
    why="""\
The short mention costs a link in the strong scores and nothing in the weak ones. neleval puts mentions without an
entity into one cluster of the whole corpus, which here happens to be correct, and counts them neither as links nor as
unknown; we treat each as an unknown entity of its own. Give every unknown entity a name (NIL1, NIL2), and the two
agree.

We report links (strong) and clusters (CEAFm) over the corpus together: the first says nothing about entities that
the knowledge base lacks, the second nothing about names.""",
)

# ---------------------------------------------------------------------------------------------------------------------
# Knowledge graphs

KG = "adjudge kbp score gold.tsv system.tsv --graph --hops 2"
GRAPHS = Field(
    name="graphs",
    title="Knowledge graphs",
    story="""\
Subject, relation, object and document. The system lacks the capital, calls a relation by another name, invents an
employer, and writes one name in lower case.""",
    files={
        "gold.tsv": "Ada\tworks_for\tAcme\td1\nAcme\tbased_in\tOslo\td1\nOslo\tcapital_of\tNorway\td2\n",
        "system.tsv": "Ada\tworks_for\tacme\td1\nAcme\tlocated_in\tOslo\td1\nBo\tworks_for\tAcme\td2\n",
    },
    shown=("gold.tsv", "system.tsv"),
    rows=(
        Row("triples of the corpus: `kbp.triples`", KG, "kbp.triples"),
        Row("the same, names folded", f"{KG} --names folded", "kbp.triples", best=True),
        Row("document by document, summed: `kbp.triples.micro`", f"{KG} --names folded", "kbp.triples.micro"),
        Row("mean over documents: `kbp.triples.macro`", f"{KG} --names folded", "kbp.triples.macro"),
        Row("credit for parts: `kbp.triples.partial.micro`", f"{KG} --names folded", "kbp.triples.partial.micro"),
        Row("edges, whatever the relation: `kbp.pairs`", f"{KG} --names folded", "kbp.pairs"),
        Row("one connected component: `kbp.connected`", f"{KG} --names folded", "kbp.connected"),
        Row("paths of two facts: `kbp.hop2`", f"{KG} --names folded", "kbp.hop2"),
    ),
    why="""\
Names are compared as written by default, so `acme` costs a triple until names are folded.
Papers pool triples over the corpus, over documents or as a mean of documents, and call all three F1. A wrong relation
loses the triple, two thirds of a partial match remain, and the pair is right: retrieval asks for the pair, a database
for the triple. `kbp.hop2` is what a two-step question finds: no gold path of two facts is left.

We report `kbp.triples` with `--names folded`, and `kbp.hop2` where the graph answers multi-step questions.""",
)
