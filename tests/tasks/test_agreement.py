"""Agreement between annotators: pairs, means, coefficients, and where they disagree."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge as aj
from adjudge.errors import UsageError, ValidationError
from adjudge.metrics import catalogue
from adjudge.stats.agreement import cohen_kappa
from adjudge.stats.unitising import Unit
from adjudge.tasks.agreement import browsable, matrix
from adjudge.tasks.units import continua_of, labels_of, place_labels, span_of


def entity(start: int, end: int, kind: str) -> dict:
    return {"span": {"start": start, "end": end}, "type": kind}


TEXT = "Ada met Alan in Rome"
ANNA = [
    {"id": "d1", "text": TEXT, "entities": [entity(0, 3, "PER"), entity(8, 12, "PER"), entity(16, 20, "LOC")]},
    {"id": "d2", "text": TEXT, "entities": [entity(0, 3, "PER")]},
    {"id": "d3", "text": TEXT, "entities": []},
]
BEN = [
    {"id": "d1", "text": TEXT, "entities": [entity(0, 3, "PER"), entity(8, 12, "LOC")]},
    {"id": "d2", "text": TEXT, "entities": [entity(0, 3, "PER"), entity(8, 12, "PER")]},
    {"id": "d4", "text": TEXT, "entities": []},
]
CLARA = [{**each, "id": f"d{i}"} for i, each in enumerate(ANNA, 1)]


def test_a_pair_is_scored_on_what_both_have():
    found = aj.agree("ner.strict", {"anna": ANNA, "ben": BEN}, bootstrap=100)
    (pair,) = found.pairs
    assert pair.documents == 2
    shared = aj.score("ner.strict", ANNA[:2], BEN[:2], bootstrap=100)
    assert pair.headline("ner.strict").value == shared["ner.strict"].f1 == 2 * 2 / (4 + 4)
    assert (pair.headline("ner.strict").low, pair.headline("ner.strict").high) == (
        shared["ner.strict"].f1.low,
        shared["ner.strict"].f1.high,
    )
    assert [note.code for note in found.notes] == ["not-shared", "not-shared", "few-documents"]
    assert found.notes[0].examples == ("d3",)
    assert found.annotators == {"anna": 3, "ben": 3}
    assert found.signature.startswith("agree|annotators:2|metric:ner.strict|")


def test_three_annotators_have_a_matrix_and_a_mean_with_an_interval():
    found = aj.agree("ner.strict", {"anna": ANNA, "ben": BEN[:2], "clara": CLARA}, bootstrap=100, docs=["d1", "d2"])
    cells = matrix(found, "ner.strict")
    assert cells["anna", "clara"] == cells["clara", "anna"] == 1
    assert len(cells) == 6
    (mean,) = found.means
    assert mean.value == pytest.approx((0.5 + 1 + 0.5) / 3)
    assert mean.low is not None
    assert mean.low <= mean.value <= mean.high
    # On other documents there is no common corpus to resample.
    (mean,) = aj.agree("ner.strict", {"anna": ANNA, "ben": BEN, "clara": CLARA}, bootstrap=100).means
    assert mean.low is None


def test_a_metric_that_is_not_symmetric_says_so():
    # Precision leaves out facts of the system side that the training data has.
    def documents(*facts: tuple[str, bool]) -> list[dict]:
        made = [{"type": kind, "head": 0, "tail": 1, "evidence": [], "known": known} for kind, known in facts]
        return [{"id": "d", "facts": made}]

    one, other = documents(("a", False), ("b", False)), documents(("a", False), ("c", True), ("e", False))
    found = aj.agree("relation.docred-ign", {"a": one, "b": other}, bootstrap=0)
    assert found.pairs[0].headline("relation.docred-ign").value == 0.5
    assert found.pairs[0].reverse == {"relation.docred-ign": pytest.approx(0.4)}
    assert matrix(found, "relation.docred-ign") == {("a", "b"): 0.5, ("b", "a"): pytest.approx(0.4)}


def test_coefficients_of_spans():
    found = aj.agree("ner.strict", {"anna": ANNA, "ben": BEN}, bootstrap=0)
    by = {(each.name, each.on): each for each in found.coefficients}
    kappa = by["kappa (Cohen)", "entities on characters"]
    assert kappa.units == 2 * len(TEXT)
    # The same, written out character by character.
    labels = []
    for documents in (ANNA, BEN):
        own = []
        for document in documents[:2]:
            line = ["-"] * len(TEXT)
            for each in document["entities"]:
                for place in range(each["span"]["start"], each["span"]["end"]):
                    line[place] = each["type"]
            own += line
        labels.append(own)
    assert kappa.value == pytest.approx(cohen_kappa(*labels))
    assert by["alpha_u (Krippendorff)", "entities as units"].units == 8
    assert ("alpha_u (Krippendorff)", "entities as units: LOC") in by


def test_overlaps_and_unknown_lengths_are_said():
    a = [{"id": "d", "entities": [entity(0, 4, "X"), entity(2, 6, "X"), entity(2, 6, "Y")]}]
    found = aj.agree("ner.strict", {"a": a, "b": a}, bootstrap=0)
    assert [note.code for note in found.notes] == ["overlapping-units", "unknown-length"]
    continua = continua_of({"a": {"d": a[0]}, "b": {"d": a[0]}}, "entities")
    assert continua.documents == [(6, [[Unit(0, 6, "X"), Unit(2, 6, "Y")]] * 2)]


def test_labels_of_the_same_units():
    a = {"d1": {"g": "x", "t": [{"k": 1, "tag": "N"}, {"k": 2, "tag": "V"}]}, "d2": {"g": "y", "t": []}}
    b = {"d1": {"g": "y", "t": [{"k": 2, "tag": "V"}, {"k": 3, "tag": "N"}]}}
    assert labels_of({"a": a, "b": b}, "g")[1] == [[(["x", "y"], 1)], [(["y", None], 1)]]
    rows = [row for row, _ in labels_of({"a": a, "b": b}, "t.tag", ["k"])[1][0]]
    assert rows == [["N", None], ["V", "V"], [None, "N"]]
    with pytest.raises(ValidationError, match=r"different numbers of t\.tag"):
        labels_of({"a": a, "b": {"d1": {"t": [{"tag": "N"}]}}}, "t.tag")
    with pytest.raises(UsageError, match="did you mean g"):
        labels_of({"a": a, "b": b}, "gg")
    with pytest.raises(UsageError, match="could be paired by"):
        labels_of({"a": a, "b": b}, "g", ["k"])
    twice = {"d1": {"t": [{"k": 1, "tag": "N"}, {"k": 1, "tag": "V"}]}}
    with pytest.raises(ValidationError, match="two units have k 1"):
        labels_of({"a": twice, "b": b}, "t.tag", ["k"])


def test_labels_enter_the_agreement():
    a = [{"id": str(i), "items": [], "score": i % 3} for i in range(6)]
    b = [{"id": str(i), "items": [], "score": (i + (i == 2)) % 3} for i in range(6)]
    found = aj.agree("record.set", {"a": a, "b": b}, label="score", distance="interval", bootstrap=50)
    assert [each.name for each in found.coefficients] == ["alpha (Krippendorff, interval)"]
    assert "|label:score|distance:interval|" in found.signature


def test_disagreements_name_who_has_what():
    found = aj.agree("ner.strict,ner.partial", {"anna": ANNA, "ben": BEN}, bootstrap=0, disagreements=True)
    strict = [each for each in found.disagreements if each.metric == "ner.strict"]
    assert [(each.document, each.only, each.path) for each in strict] == [
        ("d1", "anna", "entities[2]"),
        ("d1", None, "entities[1]"),
        ("d2", "ben", "entities[1]"),
    ]
    shifted = [{**ANNA[1], "entities": [entity(0, 4, "PER")]}]
    (half,) = aj.agree(
        "ner.partial", {"anna": ANNA[1:2], "ben": shifted}, bootstrap=0, disagreements=True
    ).disagreements
    assert (half.only, half.credit) == (None, 0.5)


def test_a_result_for_a_report():
    kept = browsable("ner.strict", {"anna": ANNA, "d1": BEN, "clara": CLARA}, bootstrap=0)
    assert [system.name for system in kept.systems] == ["d1", "clara"]
    assert kept.systems[0].documents == 2


def test_what_cannot_be_compared():
    with pytest.raises(UsageError, match="at least two annotators"):
        aj.agree("ner.strict", {"anna": ANNA})
    with pytest.raises(ValidationError, match="no document in common"):
        aj.agree("ner.strict", {"anna": ANNA[2:], "ben": BEN})
    with pytest.raises(UsageError, match="there is no document 'd9'"):
        aj.agree("ner.strict", {"anna": ANNA, "ben": BEN}, docs=["d9"])
    with pytest.raises(UsageError, match="no document has all annotators"):
        browsable("ner.strict", {"anna": ANNA[2:], "ben": BEN})


EXAMPLES = [each for each in catalogue() if each.example]


@pytest.mark.parametrize("definition", EXAMPLES, ids=lambda each: each.name)
def test_every_metric_of_the_catalogue_agrees_with_itself(definition):
    documents = [definition.example]
    found = aj.agree(definition.name, {"a": documents, "b": documents}, bootstrap=0)
    alone = aj.score(definition.name, documents, documents, bootstrap=0)[definition.name]
    assert found.pairs[0].headline(definition.name).value == alone[found.pairs[0].headlines[definition.name]]
    assert found.pairs[0].reverse == {}


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4), st.sampled_from("xy")), max_size=4),
        min_size=2,
        max_size=3,
    )
)
def test_labels_of_places_are_those_of_every_place(sides):
    annotators = {
        str(i): {"d": {"text": "." * 15, "spans": [{"start": s, "end": s + n, "type": t} for s, n, t in side]}}
        for i, side in enumerate(sides)
    }
    continua = continua_of(annotators, "spans")
    if continua is None:
        assert not any(sides)
        return
    (rows,) = place_labels(continua.documents)
    spread = [row for row, count in rows for _ in range(count)]
    slow = [
        tuple("+".join(sorted({t for s, n, t in side if s <= place < s + n})) or "(none)" for side in sides)
        for place in range(15)
    ]
    assert spread == slow


def test_spans_are_found_where_they_are():
    assert span_of({"start": 1, "end": 2}) == (1, 2)
    assert span_of([1, 2]) is None
    assert span_of({"span": {"start": 2, "end": 2}}) is None


def test_options_of_scores_alone_are_refused():
    documents = [{"id": "d", "items": ["a"]}]
    with pytest.raises(TypeError, match=r"agree\(\) got an unexpected keyword argument 'by'"):
        aj.agree("record.set", {"a": documents, "b": documents}, by=["genre"])
