"""Shards scored by themselves and merged are the whole scored at once, to the byte."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError, ValidationError
from adjudge.stats.inference import hash_chunks
from adjudge.stats.result import Note
from adjudge.stats.saved import decode_result
from adjudge.tasks.coref import task as coref
from adjudge.tasks.eal import task as eal
from adjudge.tasks.scoring import score
from adjudge.tasks.state import merge

KINDS = ["x", "y", "z"]
LONG = "a note that is far too long to be the value of an attribute by which anybody could slice documents"

spans = st.integers(0, 2).map(lambda start: {"start": start, "end": start + 1})
relations = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(KINDS), "subject": spans, "object": spans}),
    max_size=3,
)
answers = st.one_of(st.none(), relations)
documents = st.lists(
    st.tuples(
        relations,
        answers,
        answers,
        st.fixed_dictionaries(
            {"genre": st.sampled_from(["nw", "df", None])},
            optional={"source": st.sampled_from(["p", "q"]), "remark": st.sampled_from(["short", LONG])},
        ),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=9,
)


def same_but_for_inputs(one, other):
    """Both results as saved, without the hashes of what was read."""

    def bare(result):
        fields = {name: value for name, value in result.options.fields.items() if name not in ("gold", "in")}
        signature = "|".join(
            part for part in result.signature.split("|") if part.partition(":")[0] not in ("gold", "in")
        )
        options = msgspec.structs.replace(result.options, fields=fields)
        return msgspec.structs.replace(result, signature=signature, options=options).to_json(with_tables=True)

    assert bare(one) == bare(other)


def sides(corpus):
    gold = [{"id": f"d{i}", "relations": each[0], **each[3]} for i, each in enumerate(corpus)]
    systems = {
        name: [{"id": f"d{i}", "relations": each[place]} for i, each in enumerate(corpus) if each[place] is not None]
        for name, place in (("A", 1), ("B", 2))
    }
    return gold, systems


def scored(gold, systems, **options):
    chosen = {"by": ["genre"], "bootstrap": 20} | options
    return score("relation.strict", gold, systems, **chosen)


@settings(max_examples=30, deadline=None)
@given(documents, st.sampled_from([("genre",), ("genre", "relations.type"), ()]), st.sampled_from(["micro", "macro"]))
def test_any_split_merges_to_the_whole(corpus, by, pool):
    gold, systems = sides(corpus)
    whole = scored(gold, systems, by=by, pool=pool)
    parts = []
    for number in sorted({each[4] for each in corpus}):
        ids = {f"d{i}" for i, each in enumerate(corpus) if each[4] == number}
        own = {name: [each for each in side if each["id"] in ids] for name, side in systems.items()}
        try:
            result = scored([each for each in gold if each["id"] in ids], own, by=by, pool=pool)
        except UsageError:  # a part without a single element with the field cannot be sliced by it
            return
        parts.append(decode_result(result.to_json(with_tables=True).encode()))
    merged = merge(parts, order=[each["id"] for each in gold])
    same_but_for_inputs(merged, whole)


@settings(max_examples=25, deadline=None)
@given(documents, st.integers(0, 9))
def test_consecutive_shards_need_no_order(corpus, cut):
    gold, systems = sides(corpus)
    cut = min(cut, len(gold) - 1)
    if cut == 0:
        return
    parts = []
    for some in (gold[:cut], gold[cut:]):
        ids = {each["id"] for each in some}
        own = {name: [each for each in side if each["id"] in ids] for name, side in systems.items()}
        parts.append(scored(some, own))
    whole = scored(gold, systems)
    same_but_for_inputs(merge(parts), whole)
    again = scored(gold, systems, bootstrap=0)
    small = [merge([part], bootstrap=0) for part in parts]
    same_but_for_inputs(merge(small), again)
    same_but_for_inputs(merge(small, bootstrap=20), whole)  # the draws can wait for the merge


def relation(kind):
    return {"type": kind, "subject": {"start": 0, "end": 1}, "object": {"start": 2, "end": 3}}


def part(*ids, name="s", **options):
    gold = [{"id": each, "genre": "nw", "relations": [relation("x")]} for each in ids]
    return score("relation.strict", gold, {name: gold}, **{"bootstrap": 0} | options)


def test_the_hashes_of_the_inputs_combine_as_stated():
    parts = [part("a"), part("b"), part("c")]
    merged = merge(parts)
    for field in ("gold", "in"):
        assert merged.options.fields[field] == hash_chunks(each.options.fields[field].encode() for each in parts)
        assert f"{field}:{merged.options.fields[field]}" in merged.signature


def test_parts_of_one_file_keep_its_hash():
    gold = [{"id": each, "relations": [relation("x")]} for each in "abc"]
    parts = [score("relation.strict", gold, {"s": gold}, docs=some, bootstrap=50) for some in (["a"], ["b", "c"])]
    whole = score("relation.strict", gold, {"s": gold}, docs=["a", "b", "c"], bootstrap=50)
    assert merge(parts).to_json(with_tables=True) == whole.to_json(with_tables=True)


def test_what_cannot_be_merged_is_refused():
    with pytest.raises(ValidationError, match=r"two.json: 2 documents of one.json are here again: b, c"):
        merge([part("a", "b", "c"), part("b", "c")], names=["one.json", "two.json"])
    with pytest.raises(UsageError, match=r"part 2: .*differ in profile \(default and multiset\)"):
        merge([part("a"), part("b", profile="multiset")])
    with pytest.raises(UsageError, match=r"part 2: has the systems other, and part 1 has s"):
        merge([part("a"), part("b", name="other")])
    with pytest.raises(UsageError, match=r"seed \(13 and 7\)"):
        merge([part("a"), part("b", seed=7)])
    assert merge([part("a"), part("b", seed=7)], seed=1).options.seed == 1
    gold = [{"id": "b", "relations": []}]
    other = score("relation.spans", gold, {"s": gold}, bootstrap=0)
    with pytest.raises(UsageError, match=r"metric \(relation.strict and relation.spans\)"):
        merge([part("a"), other])
    with pytest.raises(UsageError, match="no counts per document"):
        merge([decode_result(part("a").to_json().encode())])
    with pytest.raises(UsageError, match="the order does not have the documents b"):
        merge([part("a"), part("b")], order=["a"])
    with pytest.raises(UsageError, match="nothing to merge"):
        merge([])


def test_a_field_of_the_documents_can_be_sliced_by_when_merging():
    merged = merge([part("a"), part("b")], by=["genre"])
    assert {score.slice.get("genre") for score in merged.systems[0].scores} == {None, "nw"}
    with pytest.raises(UsageError, match="no field 'topic'"):
        merge([part("a")], by=["topic"])


clusters = st.lists(
    st.lists(st.tuples(st.integers(0, 9)).map(lambda t: [t[0], t[0]]), min_size=1, max_size=3, unique_by=tuple),
    max_size=3,
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(clusters, st.one_of(st.none(), clusters)), min_size=2, max_size=6), st.integers(1, 5))
def test_coreference_merges_to_the_whole(corpus, cut):
    cut = min(cut, len(corpus) - 1)
    key = [{"id": f"d{i}", "clusters": _apart(one)} for i, (one, _) in enumerate(corpus)]
    response = [{"id": f"d{i}", "clusters": _apart(two)} for i, (_, two) in enumerate(corpus) if two is not None]
    assume(all({each["id"] for each in response} & {each["id"] for each in some} for some in (key[:cut], key[cut:])))

    def run(some):
        ids = {each["id"] for each in some}
        own = [each for each in response if each["id"] in ids]
        return coref.score(some, own, names=["r"], bootstrap=15)

    same_but_for_inputs(merge([run(key[:cut]), run(key[cut:])]), run(key))


def _apart(found):
    """Chains without a mention that an earlier one has."""
    seen = set()
    kept = []
    for chain in found:
        own = [each for each in chain if each[0] not in seen]
        seen.update(each[0] for each in own)
        if own:
            kept.append(own)
    return kept


@pytest.mark.parametrize("profile", ["spec", "bbn-2015"])
def test_event_arguments_merge_to_the_whole(conformance, profile):
    folder = conformance / "conformance" / "eal" / "corpusA"
    ids = (folder / "docs.txt").read_text().split()

    def run(docs):
        systems = [folder / "systems" / name for name in ("S0", "S1")]
        return eal.score(folder / "key", folder / "ref", systems, docs=docs, profile=profile, bootstrap=30)

    merged, whole = merge([run(ids[:5]), run(ids[5:])]), run(ids)
    assert merged.comparisons == whole.comparisons
    for mine, other in zip(merged.systems, whole.systems, strict=True):
        assert (mine.scores, mine.table) == (other.scores, other.table)


def test_counts_of_the_whole_corpus_are_refused():
    one = part("a").signed()
    note = Note("double-annotation", 1, "which of several nuggets ...")
    odd = msgspec.structs.replace(one, systems=(msgspec.structs.replace(one.systems[0], notes=(note,)),))
    with pytest.raises(UsageError, match=r"two.json: cannot be merged: nuggets that are annotated twice"):
        merge([part("b"), odd], names=["one.json", "two.json"])
