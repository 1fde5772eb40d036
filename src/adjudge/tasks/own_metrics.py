"""Metrics computed by tasks with rules of their own: what they measure, and the command that computes them.

They depend on official rules, on paths or on whole corpora and cannot be given to `adjudge score`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple


class OwnMetric(NamedTuple):
    """A metric in a result: its name, where N is a number, what it measures, and the command that computes it."""

    name: str
    about: str
    command: str

    @property
    def family(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]


_COMMANDS = {
    "adjudge coref score KEY SYSTEM --profile corefud": {
        "coref.mor": "Mention overlap ratio: words shared by mentions aligned one to one, whatever their entity.",
        "coref.zero": "Anaphoric zeros that are linked to a correct antecedent.",
    },
    "adjudge coref score KEY_FOLDER SYSTEM_FOLDER --profile corefud": {
        "coref.crac": "Mean over datasets of the mean F1 of MUC, B3 and CEAFe; the score of the CRAC shared task.",
    },
    "adjudge nugget score GOLD SYSTEM": {
        "nugget.after": "Links between events of which one follows the other.",
        "nugget.subevent": "Links between events of which one is part of the other.",
        "nugget.sequence": "All links between events.",
    },
    "adjudge eal score ASSESSMENTS SUBMISSION --frames FRAMES": {
        "eal.argument": "Event arguments: F1, and the official score, which subtracts false positives.",
        "eal.linking": "How arguments are grouped into event frames.",
        "eal.overall": "The mean of argument and linking score, by which systems are ranked.",
        "eal2014.standard": "Arguments as in 2014: a class counts if the system's response for it is good.",
        "eal2014.strict": "The same, if the response is perfect.",
        "eal2014.lax": "The same, if any system's response for the class is good.",
    },
    "adjudge kbp score GOLD SYSTEM --hops N": {
        "kbp.hopN": "Paths of N facts, compared by their ends and relations.",
        "kbp.hopN.full": "Paths of N facts, compared node by node.",
    },
    "adjudge kbp score GOLD SYSTEM --hops N --identity-source system": {
        "kbp.hopN.system": "Paths of N facts along the system's own nodes.",
    },
    "adjudge kbp score GOLD SYSTEM": {"kbp.hops": "Paths of all lengths together."},
    "adjudge kbp score GOLD SYSTEM --graph": {
        "kbp.triples": "Triples of the whole corpus as one set.",
        "kbp.triples.micro": "Triples document by document, summed.",
        "kbp.triples.macro": "Triples, as a mean over documents.",
        "kbp.triples.partial.micro": "Triples with credit for each correct part, document by document, summed.",
        "kbp.triples.partial.macro": "Triples with credit for each correct part, as a mean over documents.",
        "kbp.pairs": "Pairs of connected entities, whatever the relation; also .micro, .macro and .undirected.",
        "kbp.entities": "Names of entities; also .micro and .macro.",
        "kbp.relations": "Names of relations; also .micro and .macro.",
        "kbp.connected": "Pairs of entities in one connected component.",
        "kbp.distanceN": "Of pairs of entities N facts apart in gold, the share that the system connects in at most N.",
    },
    "adjudge kbp score GOLD SYSTEM --ontology FILE": {
        "kbp.conformance.relation": "Share of facts whose relation is in the ontology.",
        "kbp.conformance.domain": "Share of facts whose subject has a type that the ontology allows.",
        "kbp.conformance.range": "Share of facts whose object has a type that the ontology allows.",
        "kbp.hallucination.relation": "Share of facts whose relation is not in the ontology.",
    },
    "adjudge kbp score GOLD SYSTEM --texts FOLDER": {
        "kbp.hallucination.subject": "Share of facts whose subject is not in the text.",
        "kbp.hallucination.object": "Share of facts whose object is not in the text.",
    },
    "adjudge kbp judged FILE": {"kbp.judged": "Facts as a judge assessed them."},
    "adjudge kbp discovery GOLD SYSTEM": {
        "kbp.mention": "Mentions of entities; with their types: kbp.mention.typed.",
        "kbp.link": "Mentions with the entity they are linked to.",
        "kbp.nil": "Mentions of entities without a page.",
        "kbp.entity.ceafm": "Clusters of mentions over the whole corpus, by CEAFm; with types: kbp.entity.ceafm.typed.",
        **{f"kbp.entity.{each.lower()}": f"The same clusters, by {each}." for each in ("B3", "CEAFe", "MUC")},
        "kbp.entity.pairwise": "The same clusters, by pairs of mentions.",
    },
    "adjudge kbp query SYSTEM --queries FILE --assessments FILE": {
        "kbp.query": "Answers to queries, summed over queries; as a mean: kbp.query.macro.",
        "kbp.query.ap": "Average precision of ranked answers, the official measure of Cold Start 2017.",
    },
}
OWN_METRICS = tuple(
    OwnMetric(name, about, command) for command, metrics in _COMMANDS.items() for name, about in metrics.items()
)


def own_metric(name: str) -> OwnMetric | None:
    """The entry of a metric, or of the metric it is a variant of.

    >>> own_metric("kbp.hop2").name, own_metric("kbp.pairs.undirected.macro").name, own_metric("ner.strict")
    ('kbp.hopN', 'kbp.pairs', None)
    """
    while name:
        for each in OWN_METRICS:
            if re.fullmatch(re.escape(each.name).replace("N", "(?:N|[0-9]+)"), name):
                return each
        name = name.rpartition(".")[0]
    return None


def how_to_score(name: str) -> str:
    """How to compute a metric that only a task's result has, in Python and by command; empty if there is no way.

    >>> how_to_score("kbp.hop2")
    'write score("kbp", gold, system, hops=2)["kbp.hop2"], or run adjudge kbp score GOLD SYSTEM --hops 2'
    >>> how_to_score("kbp.judged"), how_to_score("nugget.span.macro").partition(", or")[0], how_to_score("ner.strict")
    ('run adjudge kbp judged FILE', 'write score("nugget", gold, system)["nugget.span.macro"]', '')
    """
    from adjudge.tasks.named import OWN, NamedTask

    task = name.partition(".")[0]
    own = own_metric(name)
    if own is None and (task not in OWN or name not in NamedTask(task).metrics):
        return ""
    command = own.command if own is not None else f"adjudge {task} score GOLD SYSTEM"
    number = re.search("[0-9]+", name.removeprefix(task))
    command = re.sub(r"\bN\b", number[0], command) if number else command
    words = shlex.split(command)
    if words[2] != "score" or "FOLDER" in words[4]:
        return f"run {command}"
    given = "".join(f", {key}={value}" for key, value in _keywords(words[5:]))
    return f'write score("{words[1]}", gold, system{given})["{name}"], or run {command}'


def _keywords(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Command-line options as function arguments."""
    for word, following in pairwise([*words, "--"]):
        if word.startswith("--"):
            name = word.lstrip("-").replace("-", "_")
            is_name = following.islower() and following.isalpha()
            yield name, "True" if following.startswith("--") else f'"{following}"' if is_name else following
