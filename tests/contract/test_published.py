"""What every published scorer promises, whatever it counts: one table of programs, one test for each promise."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import pytest

import adjudge as aj
from adjudge.errors import UsageError
from adjudge.rooms import declared
from adjudge.scorers.published import find_scorers
from adjudge.stats.result import Result
from adjudge.tasks.family import families

TAGS = [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["B-ORG", "O", "B-PER"]]
TAGGED = [["B-PER", "O", "O"], ["O", "B-LOC"], ["B-LOC", "O", "B-PER"]]
GRAPHS = ["(w / want-01 :ARG0 (b / boy))", "(s / see-01 :ARG0 (g / girl) :ARG1 (d / dog))", "(r / run-02)"]
GRAPHED = ["(w / want-01 :ARG0 (g / girl))", "(s / see-01 :ARG0 (g / girl) :ARG1 (c / cat))", "(r / run-02)"]
RECORDS = [{"id": f"r{n}", "records": {"name": f"n{n}", "lines": [{"sku": "a"}, {"sku": "b"}]}} for n in range(4)]
ANSWERED = [{**each, "records": {**each["records"], "name": "n1"}} for each in RECORDS]
TREES = "".join(
    f"1\t{word}\t{word}\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    for word in ("fish", "dogs", "cats")
)
LINKED = "".join(f"d{n}\t0\t3\tQ{n % 2}\t1.0\tPER\n" for n in range(4))
FACTS = [
    {
        "title": title,
        "vertexSet": [[{"name": "Paris"}], [{"name": "France"}]],
        "labels": [{"h": 0, "t": 1, "r": "P17", "evidence": [0]}],
    }
    for title in ("A", "B")
]
STATED = [{"title": "A", "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [0]}]


class Program(NamedTuple):
    """A program of a family, gold and a system that is wrong in some documents; `whole` if it counts the corpus."""

    family: str
    gold: Any
    system: Any
    whole: bool = False


PROGRAMS = {
    **{name: Program("ner", TAGS, TAGGED) for name in ("conlleval", "nervaluate-1.2.1", "seqeval-1.2.2")},
    **{name: Program("amr", GRAPHS, GRAPHED) for name in ("smatch-1.0.4", "smatchpp-1.8", "amr-evaluation")},
    **{name: Program("record", RECORDS, ANSWERED) for name in ("anls-star-1.0.1", "donut", "jsondiff-0.4.1")},
    "ud-2018": Program("tree", TREES.encode(), TREES.replace("nsubj", "obj", 1).encode()),
    "neleval-3.1.1": Program("linking", LINKED.encode(), LINKED.replace("Q1", "Q7", 1).encode(), whole=True),
    "docred": Program("relation", FACTS, STATED),
}


@pytest.fixture(params=sorted(PROGRAMS))
def name(request):
    return request.param


def scored(name: str, **options: Any) -> Result:
    program = PROGRAMS[name]
    return aj.score(program.family, program.gold, program.system, compat=name, **{"bootstrap": 0, **options})


def ids(result: Result) -> tuple[str, ...]:
    table = result.systems[0].table
    return table.ids if table is not None else ()


def fractions(result: Result) -> dict[tuple[str, str], tuple[float, float]]:
    return {
        (score.metric, score.part): (score.numerator, score.denominator)
        for score in result.systems[0].scores
        if score.numerator is not None and score.denominator is not None
    }


def values(result: Result) -> dict[tuple[str, str], float | None]:
    return {(score.metric, score.part): score.value for score in result.systems[0].scores if not score.slice}


def test_every_program_is_known():
    """A name that is not found would be skipped in silence."""
    known = {name for family in (*families(), "kbp") for name in find_scorers(family)}
    assert set(PROGRAMS) <= known
    assert known == {name for _, name, _ in declared("adjudge.scorers", "Scorer")}


def test_all_documents_are_the_corpus(name):
    whole = scored(name)
    chosen = ids(whole) or ("d0", "d1", "d2", "d3")
    assert values(scored(name, docs=chosen)) == values(whole)


def test_counts_of_documents_add_up(name):
    whole = scored(name)
    if PROGRAMS[name].whole:
        assert not ids(whole)
        return
    parts = [fractions(scored(name, docs=(each,))) for each in ids(whole)]
    assert len(parts) > 1
    for key, (top, bottom) in fractions(whole).items():
        if key[1] in ("precision", "recall"):
            for place, number in ((0, top), (1, bottom)):
                assert math.fsum(part[key][place] for part in parts if key in part) == pytest.approx(number)


def test_one_document_has_the_mean_of_itself(name):
    first, *_ = ids(scored(name)) or ("d0",)
    if PROGRAMS[name].whole:
        with pytest.raises(UsageError, match="its scores are of the whole corpus"):
            scored(name, docs=(first,), pool="macro")
        return
    single, mean = scored(name, docs=(first,)), scored(name, docs=(first,), pool="macro")
    assert values(single).keys() >= values(mean).keys()
    for key, value in values(mean).items():
        assert value == pytest.approx(values(single)[key]), key


def test_systems_are_scored_apart_as_together(name):
    program = PROGRAMS[name]
    both = {"a": program.system, "b": program.gold if name != "docred" else program.system}
    found = aj.score(program.family, program.gold, both, compat=name, bootstrap=0)
    alone = aj.score(program.family, program.gold, {"a": both["a"]}, compat=name, bootstrap=0)
    assert values(alone).items() <= values(found).items()


def test_what_is_saved_can_be_loaded(name, tmp_path):
    result = scored(name, bootstrap=20)
    result.save(tmp_path / "r.json")
    assert values(Result.load(tmp_path / "r.json")) == values(result)


@pytest.mark.parametrize("option", [{"jobs": 2}, {"exact": True}, {"stream": True}, {"cluster": "local"}])
def test_what_would_do_nothing_is_refused(name, option):
    with pytest.raises(UsageError, match="a published scorer "):
        scored(name, **option)


def test_a_document_that_is_not_there_is_named(name):
    with pytest.raises(UsageError, match="there is no gold document 'nothing'"):
        scored(name, docs=("nothing",))


def test_a_field_that_is_not_there_is_named(name):
    with pytest.raises(UsageError, match="'no-such-field'"):
        scored(name, by="no-such-field")
