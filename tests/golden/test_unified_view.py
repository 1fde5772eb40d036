"""The worked cases of the unified view: each of them expressed in the algebra, each number to 1e-9."""

import json
from itertools import combinations
from pathlib import Path

import pytest

from adjudge.algebra import (
    custom,
    exact,
    f,
    f1,
    graph,
    hierarchy,
    iou,
    jaccard,
    latent,
    many_to_many,
    many_to_one,
    mapped,
    one_of,
    one_sided,
    one_to_many,
    overlap,
    precision,
    record,
    sequence,
    set_of,
    threshold,
    union,
    unit,
    variable,
)
from adjudge.algebra.plan import plan
from adjudge.algebra.similarity import case
from adjudge.metrics import Combined, Metric, find
from definition import Reference

FILE = Path(__file__).with_name("metrics.json")
DATA = json.loads(FILE.read_text())
CASES = {each["id"]: each for each in DATA["cases"]}
WAYS = (plan, Reference)


def sigma(node, c, way):
    return way(node).observe(c["ref"], c["pred"]).value


def prf(node, c, way):
    """Precision, recall and F1 of one document, from a ratio and its one or two matching values."""
    first = way(node.of).observe(c["ref"], c["pred"])
    last = first if node.recall is None else way(node.recall).observe(c["ref"], c["pred"])
    p, r = safe(first.value, first.system), safe(last.value, last.gold)
    if node.recall is None:
        total = safe(2 * first.value, first.system + first.gold)
    else:
        total = safe(2 * p * r, p + r)
    return {"precision": p, "recall": r, "f1": total}


def safe(top, bottom):
    return top / bottom if bottom else 0.0


def each_pair(node, c, names, way):
    pairs = zip(names, c["pred"], c["ref"], strict=True)
    return {name: way(node).observe(g, s).value for name, s, g in pairs}


span = record({"0": exact, "1": exact})
phi_subset = overlap(exact, by="subset")
letters = overlap(exact, by="dice")
role_filler = {"0": exact, "1": phi_subset}


def entities(c):
    return {"pred": [list(e) for e in c["pred"]], "ref": [list(e) for e in c["ref"]]}


def closeness(a, b):
    return max(0.0, 1 - abs(a - b) / 10)


def events(arguments):
    return set_of(record({"0": exact, "1": set_of(arguments)}))


labelled = record({"0": exact, "1": exact, "2": exact})
trigger = set_of(record({"0": exact}))


def members(by):
    """Each mention compared together with the entity it stands in."""
    return mapped(set_of(record(mention=exact, entity=overlap(exact, by=by))), by="memberships")


def noncoreference(entities):
    owner = {mention: number for number, entity in enumerate(entities) for mention in entity}
    return [pair for pair in combinations(sorted(owner), 2) if owner[pair[0]] != owner[pair[1]]]


b3 = f(members("precision"), members("recall"))
muc = f1(many_to_many(overlap(exact, by="link")))
ceafe = f1(set_of(letters))
ceafm = f1(set_of(overlap(exact, by="count")))
ceaf_ree = f1(set_of(record(role_filler)))
rme_subset = record(role_filler)
rme_phi3 = record({"0": exact, "1": overlap(exact, by="count")})

scirex_mention = iou(above=0.5)
scirex_entity = record({"0": exact, "1": threshold(precision(set_of(scirex_mention)), above=0.5)})
scirex_relation = threshold(f1(set_of(scirex_entity)), at_least=1)

triples = record(
    {"0": union(case(variable, prefix="?"), exact), "1": exact, "2": union(case(variable, prefix="?"), exact)}
)


def content_words(premodifiers):
    words = mapped(set_of(exact, match="best"), by=f"without({','.join(premodifiers)})")
    return mapped(words, by="words")


def string_fill(c):
    return unit(one_of(content_words(c["premodifiers"])))


def set_fill(c):
    return hierarchy(parents=c["hierarchy"], credit="general")


def muc4(c):
    slot = union(
        case(record({"0": exact, "1": set_fill(c)}), name="set fill", field="0", equals="INSTR_TYPE"),
        case(record({"0": exact, "1": string_fill(c)}), name="string fill"),
    )
    return f1(set_of(record({"0": exact, "1": set_of(slot)})))


def better(c, way):
    types = f1(set_of(record({"0": exact}), duplicates="multiset"))
    fillers = f1(set_of(record({"0": exact, "1": set_of(record({"0": exact, "1": exact}))})))
    type_f1, filler_f1 = prf(types, c, way)["f1"], prf(fillers, c, way)["f1"]
    combined = Combined(
        "better", ((Metric(types, name="type"), "f1"), (Metric(fillers, name="filler"), "f1")), op="product"
    )
    whole = combined.score(c["ref"], c["pred"]).score
    assert whole == pytest.approx(type_f1 * filler_f1)
    return {"type_f1": type_f1, "filler_f1": filler_f1, "better": whole}


def blanc(c, way):
    c = entities(c)
    links = prf(f1(mapped(set_of(exact), by="links")), c, way)["f1"]
    others = prf(f1(mapped(set_of(exact), by=noncoreference)), c, way)["f1"]
    return {"coref_link_f1": links, "noncoref_link_f1": others, "blanc": (links + others) / 2}


def two_documents(c, way):
    from adjudge.stats.points import Additive
    from adjudge.stats.table import StatsTable

    out = {}
    for name, node in (("muc", muc), ("ceaf_phi4", ceafe)):
        metric = Metric(node, name=name)
        pairs = [([list(e) for e in g], [list(e) for e in s]) for s, g in zip(c["pred"], c["ref"], strict=True)]
        rows = [(f"d{k}", metric.observe(g, s).counts) for k, (g, s) in enumerate(pairs)]
        table = StatsTable.from_rows(rows, metric.columns)
        micro, macro = (Additive(table, metric.measures, pool).point() for pool in ("micro", "macro"))
        short = {"precision": "p", "recall": "r", "f1": "f1"}
        out |= {f"{name}_micro_{short[part]}": value for (_, part), value in micro.items()}
        out |= {f"{name}_macro_{short[part]}": value for (_, part), value in macro.items()}
    return out


def empty_documents(c, way):
    from adjudge.stats.points import Additive
    from adjudge.stats.table import StatsTable

    metric = find("record.set")
    pairs = zip(c["pred"], c["ref"], strict=True)
    rows = [(f"d{k}", metric.observe({"items": g}, {"items": s}).counts) for k, (s, g) in enumerate(pairs)]
    table = StatsTable.from_rows(rows, metric.columns)
    return {part: value for (_, part), value in Additive(table, metric.measures).point().items()}


def matrix(c, way):
    weights = c["pred"]
    rows, columns = range(len(weights)), range(len(weights[0]))
    cell = custom(lambda i, j: weights[i][j], self_score=1.0)
    data = {"pred": list(rows), "ref": list(columns)}
    arrows = {"<->": set_of(cell), "->": many_to_one(cell), "<-": one_to_many(cell), "~": many_to_many(cell)}
    return {arrow: sigma(node, data, way) for arrow, node in arrows.items()}


def overlap_of_sets(c, way):
    node = set_of(exact)
    seen = way(node).observe(c["ref"], c["pred"])
    out = {"sigma": seen.value, **prf(f1(node), c, way)}
    out["jaccard"] = sigma(jaccard(node), c, way)
    out["f2"], out["f0.5"] = sigma(f(node, beta=2), c, way), sigma(f(node, beta=0.5), c, way)
    return out


def dependencies(c, way):
    unlabelled = f1(set_of(record({"0": exact, "1": exact})))
    return {"uas": prf(unlabelled, c, way)["f1"], "las": prf(f1(set_of(labelled)), c, way)["f1"]}


def li2013(c, way):
    arguments = prf(f1(events(labelled)), c, way)
    return {
        "trigger_f1": prf(f1(trigger), c, way)["f1"],
        **{f"arg_{part}": value for part, value in arguments.items()},
    }


def entity_similarities(c, way):
    c = {"pred": list(c["pred"]), "ref": list(c["ref"])}
    kinds = {"phi3": "count", "phi4": "dice", "link": "link"}
    return {name: sigma(overlap(exact, by=by), c, way) for name, by in kinds.items()}


def subsets(c, way):
    names = ("a", "ad", "empty")
    pairs = {"pred": [list(s) for s in c["pred"]], "ref": [list(c["ref"])] * 3}
    return each_pair(phi_subset, pairs, names, way)


def strings(c, way):
    pairs = {"pred": c["pred"], "ref": [c["ref"]] * 3}
    return each_pair(string_fill(c), pairs, c["pred"], way)


def levels(c, way):
    pairs = {"pred": c["pred"], "ref": [c["ref"]] * 3}
    power = each_pair(hierarchy(separator=".", credit="halving"), pairs, ["pow0", "pow1", "pow2"], way)
    linear = each_pair(hierarchy(separator=".", credit="linear"), pairs, ["lin0", "lin1", "lin2"], way)
    return power | linear


def given(c):
    return custom(lambda s, g: c["similarity"].get(f"{s}-{g}", 0.0), self_score=1.0)


EXPRESSED = {
    "delta": lambda c, b: each_pair(exact, c, ("pair0", "pair1"), b),
    "product": lambda c, b: each_pair(record({"0": custom(closeness), "1": exact}), c, ("pair0", "pair1"), b),
    "set_overlap": overlap_of_sets,
    "relation_f1": lambda c, b: prf(f1(set_of(record({"0": exact, "1": span, "2": span}))), c, b),
    "dependency_uas_las": dependencies,
    "matching_constraints": matrix,
    "event_li2013": li2013,
    "event_arg_identification": lambda c, b: prf(f1(events(record({"0": exact, "1": exact}))), c, b),
    "event_same_trigger_twice": lambda c, b: prf(f1(events(labelled)), c, b),
    "event_without_arguments": lambda c, b: prf(f1(events(labelled)), c, b),
    "entity_sims": entity_similarities,
    "coref_p14_muc": lambda c, b: prf(muc, entities(c), b),
    "coref_p14_b3": lambda c, b: prf(b3, entities(c), b),
    "coref_p14_ceaf_phi4": lambda c, b: prf(ceafe, entities(c), b),
    "coref_p14_ceaf_phi3": lambda c, b: prf(ceafm, entities(c), b),
    "coref_all_singletons_muc": lambda c, b: prf(muc, entities(c), b),
    "coref_two_docs": two_documents,
    "phi_subset": subsets,
    "ceaf_ree_grit1": lambda c, b: prf(ceaf_ree, c, b),
    "ceaf_ree_grit3": lambda c, b: prf(ceaf_ree, c, b),
    "ceaf_ree_strictness": lambda c, b: prf(ceaf_ree, c, b),
    "ceaf_rme_subset": lambda c, b: prf(one_sided(rme_subset), c, b),
    "ceaf_rme_subset_literal": lambda c, b: prf(f1(many_to_one(rme_subset)), c, b),
    "ceaf_rme_phi3": lambda c, b: prf(f1(many_to_one(rme_phi3)), c, b),
    "scirex_mention": lambda c, b: each_pair(scirex_mention, c, ("pair0", "pair1"), b),
    "scirex_entity": lambda c, b: {"sim": sigma(scirex_entity, c, b)},
    "scirex_relations": lambda c, b: prf(f1(set_of(scirex_relation)), c, b),
    "muc4_setfill": lambda c, b: each_pair(set_fill(c), c, list(c["expected"]), b),
    "muc4_stringfill": strings,
    "muc4_templates": lambda c, b: prf(muc4(c), c, b),
    "template_phi_subset": lambda c, b: prf(f1(set_of(record({"0": exact, "1": set_of(record(role_filler))}))), c, b),
    "better_granular": better,
    "smatch_cai_knight": lambda c, b: prf(f1(latent(set_of(triples))), c, b),
    "latent_consistency": lambda c, b: {"sigma": sigma(latent(set_of(triples)), c, b)},
    "lcs": lambda c, b: {"sigma": sigma(sequence(exact), c, b)},
    "weighted_lcs": lambda c, b: {"sigma": sigma(sequence(given(c)), c, b)},
    "dag": lambda c, b: {
        "sigma": sigma(mapped(graph(exact, ids="value"), by=lambda x: {**x, "nodes": list(x["nodes"])}), c, b)
    },
    "hier_level": levels,
    "hier_supertypes": lambda c, b: {"sim": sigma(hierarchy(separator=".", credit="ancestors"), c, b)},
    "coref_p14_blanc": blanc,
    "duplicates_are_one": lambda c, b: {"sigma": sigma(set_of(exact), c, b), "f1": prf(f1(set_of(exact)), c, b)["f1"]},
    "empty_docs_micro": empty_documents,
    "ilp_latent": lambda c, b: {"optimum": sigma(latent(set_of(triples)), c, b)},
}


def test_every_case_is_expressed():
    assert set(EXPRESSED) == set(CASES)
    assert len(CASES) == 43


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CASES)
def test_case(name, way):
    c = CASES[name]
    got = EXPRESSED[name](c, way)
    for key, expected in c["expected"].items():
        assert got[key] == pytest.approx(expected, abs=DATA["tolerance"]), key


def test_the_ilp_written_out():
    """Section 4's tiny example: the given matrix has the optimum that the latent matching finds."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    c = CASES["ilp_latent"]
    rows = LinearConstraint(np.array(c["matrix"]), -np.inf, np.array(c["upper"]))
    solved = milp(-np.array(c["objective"]), constraints=rows, integrality=np.ones(5), bounds=Bounds(0, 1))
    assert -solved.fun == pytest.approx(c["expected"]["optimum"])


def test_the_copy_is_true(conformance):
    """The cases here are the published ones."""
    official = conformance / "cases" / "metrics.json"
    assert json.loads(official.read_text()) == DATA
