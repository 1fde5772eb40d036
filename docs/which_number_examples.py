"""The examples of docs/which-number.md; formats that only write the same thing differently are made from one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Row(NamedTuple):
    """A line of a table: a metric of the result of a command, or what it prints (a pattern with named groups)."""

    label: str
    command: str
    metric: str = ""
    best: bool = False
    printed: str = ""


class Field(NamedTuple):
    """A section: what the example is, its files (of which the page prints some), its rows, and why they differ."""

    name: str
    title: str
    story: str
    files: Mapping[str, str]
    rows: tuple[Row, ...]
    why: str
    shown: tuple[str, ...] = ()
    parts: tuple[str, ...] = ("precision", "recall", "f1")


INTRODUCTION = """\
# Which number is it?

"F1 of 62" does not say what was counted. This page scores one small example per field in the ways that published
work does, says why the numbers differ, and which one we would report: the rows in **bold**. Every number comes
from a command below its table. `python docs/which_number.py --files FOLDER` writes the files that the commands
need, and `make docs-numbers` writes this page again; a test compares it with what the commands print today.

The examples are made to be difficult. On the output of a real system most of these differences are some points
and not some tens of points; that is as much as the differences between systems in print.

Whatever you report, name the scorer with its version, say what a pair has to share to be right, and give an
interval. The signature below every table of adjudge has all of it. Numbers here are percentages; P is precision
and R recall.
"""


def lines(values: Iterable[Any]) -> str:
    """JSON lines."""
    return "".join(json.dumps(value) + "\n" for value in values)


# ---------------------------------------------------------------------------------------------------------------------
# Events

SENTENCE = "Rebels attacked the base at dawn and bombed a bridge ; police shot two"
WORDS = SENTENCE.split()
Event = tuple[int, str, list[tuple[int, str]]]  # the token of the trigger, the type, and arguments by token and role
GOLD_EVENTS: list[Event] = [
    (1, "Attack", [(0, "Attacker"), (3, "Target")]),
    (7, "Attack", [(0, "Attacker"), (9, "Target")]),
    (12, "Attack", [(11, "Attacker")]),
    (12, "Injure", [(13, "Victim")]),
]
SYSTEM_EVENTS: list[Event] = [
    (1, "Attack", [(0, "Attacker"), (3, "Target"), (9, "Target")]),
    (1, "Attack", [(0, "Attacker"), (3, "Target"), (9, "Target")]),
    (5, "Attack", []),
    (12, "Injure", [(13, "Victim")]),
]
CANDIDATES = (11,)  # words that OmniEvent's file offers as triggers beside the gold ones
ENTITIES = (0, 3, 9, 11, 13)


def event_documents(events: list[Event]) -> str:
    """Our JSON lines."""
    made = [
        {
            "type": kind,
            "trigger": {"start": at, "end": at + 1},
            "arguments": [{"role": role, "span": {"start": word, "end": word + 1}} for word, role in arguments],
        }
        for at, kind, arguments in events
    ]
    return lines([{"id": "d1", "events": made}])


def textee(events: list[Event]) -> str:
    """TextEE's predictions."""
    made = [
        {"trigger": [at, at + 1, kind], "arguments": [[word, word + 1, role] for word, role in arguments]}
        for at, kind, arguments in events
    ]
    return lines([{"doc_id": "d1", "wnd_id": "d1", "events": made}])


def oneie(events: list[Event]) -> str:
    """OneIE's graphs."""
    entities = [[word, word + 1, "X", "NAM", 1.0] for word in ENTITIES]
    triggers = [[at, at + 1, kind, 1.0] for at, kind, _ in events]
    roles = [
        [number, ENTITIES.index(word), role, 1.0]
        for number, (_, _, arguments) in enumerate(events)
        for word, role in arguments
    ]
    graph = {"entities": entities, "triggers": triggers, "relations": [], "roles": roles}
    return lines([{"sent_id": "d1", "graph": graph}])


def dygie_events(events: list[Event], key: str) -> str:
    """DyGIE++ documents."""
    made = [[[at, kind], *([word, word, role] for word, role in arguments)] for at, kind, arguments in events]
    return lines([{"doc_key": "d1", "sentences": [WORDS], key: [made]}])


def omnievent(events: list[Event]) -> str:
    """OmniEvent's unified format: characters, and candidates."""

    def place(at: int) -> list[int]:
        start = len(" ".join([*WORDS[:at], ""]))
        return [start, start + len(WORDS[at])]

    def mention(at: int) -> dict[str, Any]:
        return {"mention": WORDS[at], "position": place(at)}

    made = []
    for at, kind, arguments in events:
        roles = [{"role": role, "mentions": [mention(word)]} for word, role in arguments]
        trigger = {"trigger_word": WORDS[at], "position": place(at), "arguments": roles}
        made.append({"type": kind, "triggers": [trigger]})
    others = [{"trigger_word": WORDS[at], "position": place(at)} for at in CANDIDATES]
    entities = [{"type": "X", "mentions": [mention(at)]} for at in ENTITIES]
    return lines([{"id": "d1", "text": SENTENCE, "events": made, "negative_triggers": others, "entities": entities}])


OURS = "adjudge event score gold.jsonl system.jsonl"
TYPE = 'adjudge event score gold.jsonl system.jsonl --metric "event.argument-cls(attach=type)"'
EVENTS = Field(
    name="events",
    title="Events",
    story="""\
*Rebels attacked the base at dawn and bombed a bridge; police shot two.* Gold has an Attack at *attacked* (Rebels,
base), one at *bombed* (Rebels, bridge), and two events at *shot*: Attack (police) and Injure (two). The system
misses *bombed* and hangs its *bridge* on *attacked*, an event that it gives twice; it takes *dawn* for an Attack,
and has only Injure at *shot*.""",
    files={
        "gold.jsonl": event_documents(GOLD_EVENTS),
        "system.jsonl": event_documents(SYSTEM_EVENTS),
        "gold.textee": textee(GOLD_EVENTS),
        "system.textee": textee(SYSTEM_EVENTS),
        "gold.oneie": oneie(GOLD_EVENTS),
        "system.oneie": oneie(SYSTEM_EVENTS),
        "gold.dygie": dygie_events(GOLD_EVENTS, "events"),
        "system.dygie": dygie_events(SYSTEM_EVENTS, "predicted_events"),
        "gold.omnievent": omnievent(GOLD_EVENTS),
        "system.omnievent": omnievent(SYSTEM_EVENTS),
    },
    rows=(
        Row("triggers: `event.trigger-cls`", OURS, "event.trigger-cls", best=True),
        Row("TextEE, Tri-C", "adjudge event score gold.textee system.textee --compat textee", "event.trigger-cls"),
        Row("OneIE", "adjudge event score gold.oneie system.oneie --compat oneie", "event.trigger-cls"),
        Row("DyGIE++", "adjudge event score gold.dygie system.dygie --compat dygie", "event.trigger-cls"),
        Row(
            "OmniEvent",
            "adjudge event score gold.omnievent system.omnievent --compat omnievent",
            "event.omnievent-trigger",
        ),
        Row("arguments: `event.argument-cls`", OURS, "event.argument-cls", best=True),
        Row(
            "TextEE, attached",
            "adjudge event score gold.textee system.textee --compat textee",
            "event.argument-cls",
        ),
        Row("`event.argument-cls(attach=type)`", TYPE, "event.argument-cls"),
        Row(
            "TextEE, Arg-C", "adjudge event score gold.textee system.textee --compat textee", "event.argument-cls.type"
        ),
        Row("OneIE", "adjudge event score gold.oneie system.oneie --compat oneie", "event.argument-cls.type"),
        Row("DyGIE++", "adjudge event score gold.dygie system.dygie --compat dygie", "event.argument-cls.type"),
        *(
            Row(
                f"OmniEvent, {mode}",
                f"adjudge event score gold.omnievent system.omnievent --compat omnievent --mode {mode}",
                "event.omnievent-argument",
            )
            for mode in ("default", "strict")
        ),
    ),
    why="""\
Triggers: OneIE counts lists, so the repeated Attack is right twice, and it compares a type only with that of the
first gold trigger on the span, so Injure at *shot* is wrong; in DyGIE++ a token has one type, the last one given,
so gold has one event less. OmniEvent scores candidates: *dawn* is none, so that mistake disappears, but Injure is
compared with both gold types of *shot*, and is right once and wrong once. Arguments: TextEE's Arg-C and OneIE
forget which trigger an argument belongs to, so that *bridge* at the wrong event is right, and *Rebels*, who
attack twice, need to be found once; DyGIE++ looks for type and role anywhere too, but counts *Rebels* twice in
gold. OmniEvent leaves out the arguments of triggers that the system has missed, unless its mode is strict.

We report arguments attached to their triggers, with sets: a system that mixes up two events of one type should
not get full marks. Most published numbers are of the other kind, so say which one yours is.""",
)

# ---------------------------------------------------------------------------------------------------------------------
# Named entities

TAGS = {
    "gold": "New B-LOC York I-LOC City {I}-LOC hired O Smith {B}-PER in O Paris {B}-LOC France {B}-LOC",
    "system": "New {B}-ORG York B-LOC City {I}-LOC hired O Smith I-PER in O Paris {B}-LOC France {B}-LOC",
}


def tags(side: str, *, single: str = "B", last: str = "I") -> str:
    """A token and its tag per line."""
    words = TAGS[side].format(B=single, I=last).split()
    return "".join(f"{word} {tag}\n" for word, tag in zip(words[::2], words[1::2], strict=True)) + "\n"


BIO = "adjudge ner score gold.bio system.bio"
NER = Field(
    name="named-entities",
    title="Named entities",
    story="""\
The system splits *New York City* after *New*, and begins *Smith* with `I-`, which the scheme IOB2 does not allow.""",
    files={
        "gold.bio": tags("gold"),
        "system.bio": tags("system"),
        "gold.iobes": tags("gold", single="S", last="E"),
        "system.iobes": tags("system", single="S", last="E"),
    },
    shown=("gold.bio", "system.bio"),
    rows=(
        Row("strict: `ner.strict`", BIO, "ner.strict", best=True),
        Row("conlleval", f"{BIO} --compat conlleval", "conlleval"),
        Row(
            "conlleval, the same entities written in IOBES",
            "adjudge ner score gold.iobes system.iobes --compat conlleval",
            "conlleval",
        ),
        Row("seqeval, micro average", f"{BIO} --compat seqeval-1.2.2", "seqeval"),
        Row("seqeval, macro average", f"{BIO} --compat seqeval-1.2.2", "seqeval.mean"),
        Row("seqeval, strict mode, IOB2", f"{BIO} --compat seqeval-1.2.2 --scheme IOB2", "seqeval"),
        Row("nervaluate, strict", f"{BIO} --compat nervaluate-1.2.1", "nervaluate.strict"),
        Row("type: `ner.type`", BIO, "ner.type"),
        Row("nervaluate, ent_type", f"{BIO} --compat nervaluate-1.2.1", "nervaluate.ent_type"),
        Row("partial: `ner.partial`", BIO, "ner.partial"),
        Row("nervaluate, partial", f"{BIO} --compat nervaluate-1.2.1", "nervaluate.partial"),
    ),
    why="""\
conlleval and seqeval agree with each other and with the definition on BIO. conlleval knows no `S-`: in IOBES
*Paris France* becomes one entity, and every number changes. seqeval's strict mode drops what breaks the scheme,
here *Smith*, on the side of the system: a missed entity, but no wrong one. Its macro average is over the types of
both sides, so one spurious ORG costs a third of it. nervaluate gives each system entity the first gold one that
it overlaps: *New* takes *New York City*, and *York City*, of the right type, comes too late.

We report `ner.strict`, pooled over documents, with the lenient reading of tags, which is what conlleval does on
BIO. Partial and type scores are good for finding mistakes; take the optimal matching, for which the order of
entities does not matter.""",
)

# ---------------------------------------------------------------------------------------------------------------------
# Coreference

MARKS = {
    "key": ("(0)", "-", "(1)", "(0)", "-", "(1)", "(2)", "(0)"),
    "response": ("(0)", "-", "(1)", "(0)|(1)", "(0)|(1)", "(1)", "(2)", "-"),
}


def conll(side: str) -> str:
    """A document of CoNLL-2012, with the columns that matter."""
    rows = "".join(f"d1\t0\t{number}\tw{number}\t{mark}\n" for number, mark in enumerate(MARKS[side]))
    return f"#begin document (d1); part 000\n{rows}\n#end document\n"


COREF = "adjudge coref score key.conll response.conll"
COREFERENCE = Field(
    name="coreference",
    title="Coreference",
    story="""\
Eight words; the key has chains of three, two and one mention. The response misses the last mention of the first,
and invents a mention, word 4; words 3 and 4 it puts into two chains at once.""",
    files={"key.conll": conll("key"), "response.conll": conll("response")},
    shown=("key.conll", "response.conll"),
    rows=(
        *(
            Row(f"{label}, `{profile}`", f"{COREF} --profile {profile}", metric, best=metric == "coref.conll" and first)
            for metric, label in (
                ("coref.muc", "MUC"),
                ("coref.b3", "B3"),
                ("coref.ceafe", "CEAFe"),
                ("coref.conll", "mean of MUC, B3, CEAFe"),
            )
            for profile, first in (("conll-8.01", True), ("clean", False))
        ),
        Row("the same mean without singletons", f"{COREF} --singletons drop", "coref.conll"),
        Row("LEA", COREF, "coref.lea"),
        Row("BLANC", COREF, "coref.blanc"),
    ),
    why="""\
The reference scorer removes a second mention only if the key has that mention: of word 3 one copy goes, but both
copies of the invented word 4 stay, and each is a mistake. `clean` keeps the first of any mention. Chains of one
mention count in B3 and CEAFe and not in MUC, so that corpora with and without singletons are not comparable; LEA
and BLANC weigh the same mistakes by links.

We report the mean of MUC, B3 and CEAFe as the reference scorer 8.01 counts, because that is what papers have, and
LEA beside it. If your system repeats mentions, mend the system.""",
)

# ---------------------------------------------------------------------------------------------------------------------
# Trees


def conllu(*sentences: str) -> str:
    """CoNLL-U from words written as form/tag/head/label."""
    blocks = []
    for number, sentence in enumerate(sentences, 1):
        rows = [f"# sent_id = s{number}"]
        for place, word in enumerate(sentence.split(), 1):
            form, tag, head, label = word.split("/")
            rows.append(f"{place}\t{form}\t{form.lower()}\t{tag}\t_\t_\t{head}\t{label}\t_\t_")
        blocks.append("\n".join(rows) + "\n\n")
    return "".join(blocks)


TREE = "adjudge tree score gold.conllu system.conllu"
SAME = "She/PRON/2/nsubj left/VERB/0/root last/ADJ/4/{} week/NOUN/2/{} ./PUNCT/{}/punct"
TREES = Field(
    name="trees",
    title="Dependency trees",
    story="""\
In the first sentence the system has the labels `nummod` for `amod` and `obl` for `obl:tmod`, and a wrong head for
the full stop. In the second it takes *cannot* for one word.""",
    files={
        "gold.conllu": conllu(
            SAME.format("amod", "obl:tmod", 2), "I/PRON/4/nsubj can/AUX/4/aux not/PART/4/advmod swim/VERB/0/root"
        ),
        "system.conllu": conllu(SAME.format("nummod", "obl", 4), "I/PRON/3/nsubj cannot/AUX/3/aux swim/VERB/0/root"),
    },
    shown=("gold.conllu", "system.conllu"),
    rows=(
        Row("`tree.las`", TREE, "tree.las", best=True),
        Row("CoNLL 2018, LAS", f"{TREE} --compat ud-2018", "ud.las"),
        Row("CoNLL 2018, UAS", f"{TREE} --compat ud-2018", "ud.uas"),
        Row("CoNLL 2018, CLAS", f"{TREE} --compat ud-2018", "ud.clas"),
        Row("CoNLL 2018, MLAS", f"{TREE} --compat ud-2018", "ud.mlas"),
        Row("LAS with subtypes of labels", f"{TREE} --reader conllu-full --metric tree.las", "tree.las"),
        Row("LAS without punctuation", f'{TREE} --metric "tree.las(punctuation=false)"', "tree.las"),
        Row(
            "LAS without punctuation, with subtypes (CoNLL-X)",
            f'{TREE} --reader conllu-full --metric "tree.las(punctuation=false)"',
            "tree.las",
        ),
    ),
    why="""\
The table of 2018 is the definition with words aligned by their characters: *cannot* is no gold word, so precision
and recall differ. It leaves out subtypes, so `obl` for `obl:tmod` is right; with subtypes it is not. Since
CoNLL-X, words of punctuation were often left out, and subtypes, where there were any, compared; that was an
accuracy and needs the gold words on both sides (accuracy = P = R there). CLAS leaves out function words and
punctuation, MLAS wants tags, features and function words to be right as well.

We report LAS as F1 over all words, and CLAS or MLAS beside it for comparisons of languages. A LAS "without
punctuation" is higher or lower by some points and has to be called so.""",
)

# ---------------------------------------------------------------------------------------------------------------------
# Meaning graphs

GOLD_GRAPHS = (
    "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))",
    "(b / boy :mod (s / small))",
    "(m / man :consist (g / group))",
    '(c / city :name (n / name :op1 "New" :op2 "York") :polarity -)',
    "(t / tell-01 :ARG0 (m / man))",
    "(d / dog)",
)
SYSTEM_GRAPHS = (
    "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-01))",
    "(b / boy :mod (s / small) :mod s)",
    "(g / group :consist-of (m / man))",
    '(c / city :name (n / name :op1 "New York"))',
    "(s / say-01 :ARG0 (m / man))",
    "(c / car)",
)
GRAPHS = "adjudge amr score gold.amr system.amr"
AMR = Field(
    name="amr",
    title="Meaning graphs (AMR)",
    story="""\
Six pairs of small graphs: a missing re-entrancy and a wrong sense, a relation given twice, `:consist` against
`:consist-of`, a name in one string, a wrong root, and two graphs that have nothing in common.""",
    files={"gold.amr": "\n\n".join(GOLD_GRAPHS) + "\n", "system.amr": "\n\n".join(SYSTEM_GRAPHS) + "\n"},
    shown=("gold.amr", "system.amr"),
    rows=(
        Row("`amr.smatch`", GRAPHS, "amr.smatch", best=True),
        Row("smatch 1.0.4", f"{GRAPHS} --compat smatch-1.0.4", "smatch"),
        Row("smatchpp 1.8", f"{GRAPHS} --compat smatchpp-1.8", "smatchpp"),
        Row("amr-evaluation, Smatch", f"{GRAPHS} --compat amr-evaluation", "smatch"),
        Row("`amr.smatch(top=concept)`", f'{GRAPHS} --metric "amr.smatch(top=concept)"', "amr.smatch"),
        Row("`amr.smatch`, mean of graphs", f"{GRAPHS} --metric amr.smatch --pool macro", "amr.smatch"),
    ),
    why="""\
A relation that is written twice counts in every pair of copies in smatch 1.0.4 and amr-evaluation, where a score
may exceed 100; they also cut *"New York"* after *New*, which makes a wrong name half right here. The mark of the
root is a free point in smatch 1.0.4 and in our default: a dog and a car share "there is a root"; smatchpp and
amr-evaluation want its concept to be right. smatchpp and amr-evaluation take `:consist-of` for the inverse of
`:consist`, which it is not in AMR. Our search is exact in every row; the climbers of smatch 1.0.4 and
amr-evaluation may print less.

We report `amr.smatch`, pooled over the corpus. Use `top=concept` if graphs are so small that the free point
matters.""",
)

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
Strict wants whole spans; relaxed is content with overlap, and the same system gains a great deal. DyGIE++ keeps
one label for a pair of spans, the last: the right "tested on" is overwritten by "solves". OneIE looks at no
directions, so that NER solving BERT is right as well; both count for
recall, which looks complete although CoNLL 2003 data is missed.
Relations between entities are another task: entities are given
there, so boundaries cost nothing. Ign F1 leaves out of precision what the training data say already (here "BERT
solves NER"). SciREX takes more than half of the tokens for a mention and more than half of the mentions for an
entity; its script lets both halves of a split entity be the gold one, so that the split costs nothing.

We report strict scores with the types of arguments, and the boundary scores beside them when comparing with work
that calls those strict. Never compare numbers of different groups of rows.""",
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
GRIT forgets templates: all entities of a role are in one bag, each to be matched once, and an entity is right if
all its mentions are (or, with shares, by how many are); so the split power station is one spurious entity and the
merged victims are wrong. GTT adds the types of templates as fillers, and lets several entities fit one, so that
splitting costs nothing. IterX counts mentions; its code divides by mentions where the comparisons released with
it divide by entities. phi-subset asks whether any mention is right, so that merging costs no precision: the
victims are one right entity, and one of two found. The scorer of MUC-4 looks for one of the alternatives and
knows no entities; "matched only" leaves out the missed kidnapping.

We report `template.fillers` for templates, each entity matched once in the best alignment, because splitting and
merging entities does not pay there; CEAF-REE only for comparisons with GRIT, and MUC-4 on MUC-4.
[muc4.md](muc4.md) has an example where the alignment of the scorer of 1992 is not the best one.""",
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
entity into one cluster of the whole corpus, which here happens to be right, and takes them neither for links nor
for unknown; we take each for an unknown entity of its own. Give every unknown entity a name (NIL1, NIL2), and the
two agree.

We report links (strong) and clusters (CEAFm) over the corpus together: the first says nothing of entities that
the knowledge base lacks, the second nothing of names.""",
)

FIELDS = (EVENTS, NER, COREFERENCE, TREES, AMR, RELATIONS, TEMPLATES, LINKING)
