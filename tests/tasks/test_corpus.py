"""Metrics of a whole corpus: point, leave-outs and bootstrap equal what scoring those documents says."""

from random import Random

import numpy as np
import pytest

import adjudge as aj
from adjudge.errors import UsageError
from adjudge.metrics import find
from adjudge.stats.resample import Stream, bootstrap_weights

KINDS = ("muc", "b3", "ceafm", "ceafe", "pairwise")
NAMES = [f"linking.{kind}" for kind in KINDS]


def corpus(seed, documents=6):
    rng = Random(seed)

    def side():
        return [
            {
                "id": f"d{k}",
                "genre": "nw" if k % 2 else "df",
                "mentions": [
                    {
                        "span": {"start": place, "end": place + 1},
                        "type": rng.choice(["PER", "ORG"]),
                        "entity": rng.choice(["E1", "E2", "NIL1", "NIL2", None]),
                    }
                    for place in rng.sample(range(8), 5)
                ],
            }
            for k in range(documents)
        ]

    return side(), side()


def merged(documents, weights=None):
    """One document with the mentions of all, each document as often as its weight says."""
    found = []
    for place, document in enumerate(documents):
        for copy in range(1 if weights is None else int(weights[place])):
            for each in document["mentions"]:
                start = 1000 * place + 100 * copy + each["span"]["start"]
                name = each["entity"] or f"NIL-{place}-{each['span']['start']}"
                found.append({**each, "span": {"start": start, "end": start + 1}, "entity": name})
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_corpus_is_scored_as_one_document(seed):
    gold, system = corpus(seed)
    result = aj.score(NAMES, gold, system, bootstrap=0)
    for name in NAMES:
        scores = find(name).score(merged(gold), merged(system))
        for part in ("precision", "recall", "f1"):
            assert float(getattr(result[name], part)) == pytest.approx(scores[part]), (name, part)
    summed = find("linking.b3").score  # what adding up documents would give is something else
    assert float(result["linking.b3"].recall) != pytest.approx(
        np.mean([summed(g["mentions"], s["mentions"]).recall for g, s in zip(gold, system, strict=True)])
    )


def test_samples_equal_scoring_the_sampled_documents():
    gold, system = corpus(7)
    result = aj.score([*NAMES, "linking.link"], gold, system, bootstrap=20, seed=3)
    (samples,) = result.systems[0].samples
    columns = dict(zip(samples.columns, samples.values, strict=True))
    weights = [[1] * 6, *(1 - np.eye(6)).tolist(), *np.concatenate(list(bootstrap_weights(6, 20, Stream(3)))).tolist()]
    assert samples.left_out == 6
    assert len(samples.pairs) == 15
    for a, b in samples.pairs:
        weights.append([float(place not in (a, b)) for place in range(6)])
    for metric in map(find, [*NAMES, "linking.link"]):
        for place, row in enumerate(weights):
            documents = {"mentions": merged(gold, row)}, {"mentions": merged(system, row)}
            for column, value in metric.observe(*documents).counts.items():
                assert columns[column][place] == pytest.approx(value), (column, row)


def test_the_interval_is_the_jackknife_and_the_percentile_interval_may_miss_the_score():
    # One gold entity with a mention in each of ten documents; the system never sees that they are one.
    place = {"start": 0, "end": 1}
    gold = [{"id": f"d{k}", "mentions": [{"span": place, "entity": "E1"}]} for k in range(10)]
    system = [{"id": f"d{k}", "mentions": [{"span": place, "entity": f"NIL{k}"}]} for k in range(10)]
    (score,) = (each for each in aj.score("linking.b3", gold, system).systems[0].scores if each.part == "recall")
    assert score.value == pytest.approx(0.1)  # each mention has 1/10 of its entity
    assert score.low is None  # leaving out any of the documents gives the same
    low, high = score.uncertainty.intervals["percentile"]
    assert low > score.value  # a document that is drawn twice agrees with itself
    assert high > low


def test_slices_by_documents_and_by_elements():
    gold, system = corpus(2)
    result = aj.score(["linking.b3", "linking.link"], gold, system, by=["genre", "mentions.type"], bootstrap=10)
    found = {(s.metric, *s.slice.values()): s.value for s in result.systems[0].scores if s.part == "f1" and s.slice}
    for genre in ("nw", "df"):
        sides = [[each for each in side if each["genre"] == genre] for side in (gold, system)]
        for name in ("linking.b3", "linking.link"):
            assert found[name, genre] == pytest.approx(find(name).score(*map(merged, sides)).f1)
    for kind in ("PER", "ORG"):
        sides = [
            [{**each, "mentions": [m for m in each["mentions"] if m["type"] == kind]} for each in side]
            for side in (gold, system)
        ]
        for name in ("linking.b3", "linking.link"):
            assert found[name, kind] == pytest.approx(find(name).score(*map(merged, sides)).f1)


def test_systems_are_compared_and_results_saved_and_compared_again(tmp_path):
    gold, system = corpus(5)
    result = aj.score(NAMES, gold, {"A": system, "B": gold}, bootstrap=50)
    assert {each.test for each in result.comparisons} == {"jackknife"}
    assert {each.metric for each in result.comparisons} == set(NAMES)
    path = tmp_path / "r.json"
    result.save(path)
    again = aj.Result.load(path)
    assert again.systems == result.systems
    assert again.comparisons == result.comparisons


def test_additive_metrics_keep_their_scores_in_such_company():
    gold, system = corpus(1)
    alone = aj.score("linking.link", gold, system, bootstrap=0)
    together = aj.score("linking.link, linking.b3", gold, system, bootstrap=0)
    assert float(alone["linking.link"].f1) == float(together["linking.link"].f1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pool": "macro"}, "documents have none to average"),
        ({"profile": "multiset"}, "repeated ones cannot count"),
        ({"test": "approximate-randomisation"}, "cannot be exchanged"),
        ({"hierarchy": {"mentions.type": "."}}, "compares clusters"),
    ],
)
def test_what_a_whole_corpus_cannot_do_is_refused(options, message):
    gold, system = corpus(0)
    with pytest.raises(UsageError, match=message):
        aj.score("linking.typed, linking.typed-ceafm", gold, system, **options)


def test_one_document_has_no_interval():
    gold, system = corpus(0, documents=1)
    result = aj.score("linking.b3", gold, system)
    assert result.systems[0].scores[0].low is None
    assert "one-document" in {note.code for note in result.notes}
