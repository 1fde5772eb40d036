"""Pairing, profiles, options and notes of coreference scoring."""

import json
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

import adjudge as aj
from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.stats.compare import compare as compare_saved

KEY = {"d1": [[[0, 0], [2, 3], [5, 5]], [[7, 7]]], "d2": [[[1, 1], [4, 4]]]}
RESPONSE = {"d1": [[[0, 0], [2, 3]], [[5, 5], [9, 9]]], "d2": [[[1, 1], [4, 4]]]}


def documents(clusters, **more):
    return [{"id": name, "clusters": chains, **more} for name, chains in clusters.items()]


def score(key=KEY, response=RESPONSE, **options):
    options.setdefault("bootstrap", 0)
    return aj.coref.score(key, response, **options)


def conll(name, column, *, rows=4):
    lines = [f"x\t0\t{k}\tw\t{column.get(k, '-')}" for k in range(rows)]
    return "\n".join([f"#begin document {name}", *lines, "#end document", ""])


def codes(result, system=0):
    return {note.code: note for note in result.systems[system].notes}


def test_counts_of_documents_are_added_before_anything_is_divided():
    result = score()
    muc = next(s for s in result.systems[0].scores if (s.metric, s.part) == ("coref.muc", "recall"))
    assert (muc.numerator, muc.denominator) == (2.0, 3.0)
    averaged = score(pool="macro")
    assert averaged["coref.muc"].recall == pytest.approx((1 / 2 + 1) / 2)


def test_averages_are_means_of_unrounded_f1():
    result = score()
    parts = [result[f"coref.{name}"].f1 for name in ("muc", "b3", "ceafe", "blanc")]
    assert result["coref.conll"].f1 == pytest.approx(sum(parts[:3]) / 3)
    assert result["coref.kbp"].f1 == pytest.approx(sum(parts) / 4)


def test_scores_against_different_keys_are_not_compared():
    other = score({**KEY, "d2": [[[1, 1], [6, 6]]]}, {"B": documents(RESPONSE)})
    with pytest.raises(UsageError, match="they differ in gold"):
        compare_saved(score(), other)
    with pytest.raises(UsageError, match="they differ in docs"):
        compare_saved(score(docs=["d1"]), score(KEY, {"B": documents(RESPONSE)}, docs=["d2"]))


def test_metrics_by_any_of_their_names():
    result = score(metric="coref.muc, bcub")
    assert result.systems[0].metrics == ("coref.muc", "coref.b3")
    assert "metric:muc+b3" in result.signature
    with pytest.raises(UsageError, match=r"no coreference metric 'mucc'.*did you mean muc"):
        score(metric="mucc")


def test_profile_and_options_are_in_the_signature():
    result = score(profile="clean", singletons="drop", match="partial", overlap=0.75)
    assert "profile:clean|blanc:2014|singletons:drop|match:partial|overlap:0.75|" in result.signature
    assert "profile:conll-8.01|blanc:8.01|singletons:keep|match:exact|gold:" in score().signature
    assert "|pool:micro|docs:2|" in score().signature
    assert "|docs:1#" in score(docs=["d1"]).signature
    assert "profile    conll-8.01" in str(score())


def test_slices_by_genre():
    key = "".join(
        conll(f"({genre}/x/{k}); part 000", {0: "(1)", 2: "(1)"}) for k, genre in enumerate(["bc", "nw", "bc"])
    )
    response = "".join(
        conll(f"({genre}/x/{k}); part 000", {0: "(1)", k: "(1)"}) for k, genre in enumerate(["bc", "nw", "bc"])
    )
    result = score(key.encode(), response.encode(), by="genre")
    assert result["coref.mentions"].where(genre="bc").recall == pytest.approx(3 / 4)
    assert result["coref.mentions"].where(genre="nw").recall == pytest.approx(1 / 2)
    with pytest.raises(UsageError, match="no gold document has a field 'genre'"):
        score(by="genre")
    with pytest.raises(UsageError, match="no gold document has a field 'gender'"):
        score(by="gender")


def test_documents_on_one_side_only_are_named():
    result = score(response={"d1": RESPONSE["d1"], "d3": [[[0, 0]]]})
    notes = codes(result)
    assert notes["missing-document"].examples == ("d2",)
    assert notes["missing-document"].message == "1 gold document has no system output and counts as empty"
    assert notes["extra-document"].examples == ("d3",)
    assert result["coref.mentions"].recall == pytest.approx(3 / 6)
    with pytest.raises(ValidationError, match="in common with <documents>: 'x' here and 'd1', 'd2' there"):
        score(response={"x": [[[0, 0]]]})


def test_unequal_numbers_of_tokens_are_noted():
    key, response = conll("(a)", {0: "(1)"}), conll("(a)", {0: "(1)"}, rows=5)
    assert codes(score(key.encode(), response.encode()))["unequal-tokens"].examples == ("(a): 4 and 5",)


REPEATED = {"d": [[[0, 0], [1, 1]], [[0, 0], [2, 2]]]}


def test_repeats_in_the_three_profiles():
    key = {"d": [[[0, 0], [1, 1]], [[2, 2]]]}
    reference = score(key, REPEATED)
    note = codes(reference)["repeated-response-mention"]
    assert note.message == "1 repeated mention in the response was removed"
    assert note.examples == ("(0,0) in chains 0 and 1 of 'd'",)
    assert reference["coref.muc"].f1 == 1.0
    swapped = score(REPEATED, key)
    assert codes(swapped)["repeated-key-mention"].message.startswith("1 repeated mention in the key was kept")
    assert swapped["coref.muc"].recall == 0.0
    clean = score(REPEATED, key, profile="clean")
    assert codes(clean)["repeated-key-mention"].message == "1 repeated mention in the key was removed"
    assert clean["coref.muc"].f1 == clean["coref.blanc"].f1 == 1.0
    with pytest.raises(ValidationError, match=r"mention .0, 0. is in chain 0 and in chain 1|\(0,0\)"):
        score(key, REPEATED, profile="strict")


def test_a_repeated_mention_that_the_key_does_not_have_stays():
    response = {"d": [[[0, 0], [9, 9]], [[9, 9], [9, 9]]]}
    result = score({"d": [[[0, 0]]]}, response)
    note = codes(result)["repeated-response-mention"]
    assert "kept because the key does not have them" in note.message
    assert note.examples == ("(9,9) in chains 0 and 1 of 'd', 2 times",)
    precision = next(s for s in result.systems[0].scores if (s.metric, s.part) == ("coref.b3", "precision"))
    assert precision.denominator == 4
    assert (
        next(
            s
            for s in score({"d": [[[0, 0]]]}, response, profile="clean").systems[0].scores
            if (s.metric, s.part) == ("coref.b3", "precision")
        ).denominator
        == 2
    )


def test_strict_lists_everything_at_once():
    key = conll("(a)", {0: "(1)"}) + conll("(b)", {0: "(1)"})
    response = conll("(a)", {0: "(1)"}, rows=5) + conll("(c)", {0: "(1)"})
    with pytest.raises(ValidationError) as caught:
        score(key.encode(), response.encode(), profile="strict")
    text = str(caught.value)
    assert "document '(a)' has 5 tokens, the key has 4" in text
    assert "document '(b)' of the key is not there" in text
    assert "document '(c)' is not in the key" in text
    assert score(key.encode(), key.encode(), profile="strict")["coref.conll"].f1 == pytest.approx(2 / 3)


def test_broken_files_are_errors_in_every_profile():
    broken = conll("(a)", {0: "(1", 2: "2)"}).encode()
    for profile in ("conll-8.01", "clean", "strict"):
        with pytest.raises(FormatError) as caught:
            score(broken, broken, profile=profile)
        assert [problem.line for problem in caught.value.problems] == [2, 4]  # those of both sides are the same


def test_singletons_can_be_dropped_on_both_sides():
    key, response = {"d": [[[0, 0], [1, 1]], [[2, 2]]]}, {"d": [[[0, 0], [1, 1]], [[3, 3]]]}
    assert score(key, response)["coref.b3"].f1 == pytest.approx(2 / 3)
    assert score(key, response, singletons="drop")["coref.b3"].f1 == 1.0


def test_blanks_at_the_end_of_a_name_need_not_be_typed():
    key = conll("(a); ", {0: "(1)"}).encode()
    assert score(key, key, docs=["(a);"]).systems[0].documents == 1
    with pytest.raises(ValidationError, match="the names differ by the suffix ' ' of gold only"):
        score(key, conll("(a);", {0: "(1)"}).encode())


def test_documents_in_memory():
    assert score(KEY, RESPONSE).systems == score(documents(KEY), documents(RESPONSE)).systems
    with pytest.raises(UsageError, match="cannot take documents from int"):
        score(5, RESPONSE)
    with pytest.raises(ValidationError, match="has no clusters"):
        score([{"id": "d"}], RESPONSE)
    with pytest.raises(UsageError, match="document 'd' cannot be read: object is neither a list nor a set"):
        score([{"id": "d", "clusters": [object()]}], documents(RESPONSE))
    with pytest.raises(ValidationError, match="expected a list of mentions"):
        score([{"id": "d", "clusters": {1, 2}}], documents(RESPONSE))


def chains(clusters):
    return [frozenset(map(tuple, cluster)) for cluster in clusters]


@pytest.mark.parametrize(
    "given",
    [
        lambda corpus: [{"clusters": clusters} for clusters in corpus.values()],
        lambda corpus: list(corpus.values()),
        lambda corpus: [chains(clusters) for clusters in corpus.values()],
        lambda corpus: {name: {"clusters": clusters} for name, clusters in corpus.items()},
        lambda corpus: [SimpleNamespace(id=name, clusters=clusters) for name, clusters in corpus.items()],
        lambda corpus: iter(list(corpus.values())),
    ],
)
def test_what_other_metrics_take_is_taken(given):
    expected = score(documents(KEY), documents(RESPONSE))["coref.conll"].f1
    assert score(given(KEY), given(RESPONSE))["coref.conll"].f1 == expected
    assert float(aj.score("coref.conll", given(KEY), given(RESPONSE), bootstrap=0)["coref.conll"].f1) == expected
    systems = {"A": given(RESPONSE), "B": given(KEY)}
    if isinstance(systems["A"], Iterator):  # it may be the clusters of one document
        systems = {name: list(each) for name, each in systems.items()}
    several = score(given(KEY), systems)
    assert (several["coref.conll"]["A"].f1, several["coref.conll"]["B"].f1) == (expected, 1)


def test_documents_without_ids_must_be_as_many():
    with pytest.raises(UsageError, match="system has 1 documents and gold has 2, documents without ids"):
        score(list(KEY.values()), [RESPONSE["d1"]])
    with pytest.raises(UsageError, match="the documents of system have no ids, give ids on both sides"):
        score(KEY, list(RESPONSE.values())[1:])
    found = score(KEY, list(RESPONSE.values()))
    assert found["coref.conll"].f1 == score(KEY, RESPONSE)["coref.conll"].f1
    assert "paired-by-position" in {note.code for note in found.systems[0].notes}


def test_the_package_has_it_and_small_scores_load_no_numpy():
    assert "coref" in dir(aj)
    code = (
        "import sys, adjudge as aj\n"
        f"result = aj.coref.score({documents(KEY)!r}, {documents(RESPONSE)!r}, bootstrap=0)\n"
        f"one = aj.coref.score({documents(KEY)!r}, {documents(RESPONSE)!r}, docs=['d1'])\n"
        "str(result), str(one), result.to_json()\n"
        "assert one['coref.muc'].f1.low is None\n"
        "assert not {'numpy', 'scipy', 'rich', 'click'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"profile": "conl"}, "no profile 'conl'"),
        ({"singletons": "no"}, "no way to treat singletons"),
        ({"match": "fuzzy"}, "no way to match mentions"),
        ({"overlap": 0.5}, "only when mentions match in part"),
        ({"match": "partial", "overlap": 1.5}, "overlap of 1.5 is out of range"),
        ({"bootstrap": -1}, "bootstrap is -1"),
        ({"match": "head"}, "says nothing of the heads"),
    ],
)
def test_wrong_choices(options, message):
    with pytest.raises(UsageError, match=message):
        score(**options)


def test_several_processes_give_the_same_result(tmp_path):
    paths = []
    for number in range(3):
        clusters = {name: chains[: 2 - number % 2] for name, chains in RESPONSE.items()}
        paths.append(tmp_path / f"run{number}.jsonl")
        paths[-1].write_text("".join(json.dumps(each) + "\n" for each in documents(clusters)))
    here, chosen, elsewhere = (score(response=paths, jobs=jobs) for jobs in (1, 0, 2))
    assert here.to_json(with_tables=True) == chosen.to_json(with_tables=True) == elsewhere.to_json(with_tables=True)
    paths[1].write_text('{"id": "d1"}')
    paths[2].write_text('{"id": "d1", "clusters": 5}')
    for jobs in (1, 2):
        with pytest.raises(ValidationError) as caught:
            score(response=paths, jobs=jobs)
        assert [problem.path for problem in caught.value.problems] == [str(paths[1]), str(paths[2])]
