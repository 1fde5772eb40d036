"""Documents of one cluster are drawn, left out and exchanged together: as if they were one document."""

import random

import pytest

from adjudge.errors import AdjudgeError
from adjudge.stats.build import Counts, Scoring, build_result
from adjudge.stats.influence import select_documents
from adjudge.stats.measure import Ratio
from adjudge.stats.table import StatsTable
from adjudge.tasks.kbp.scoring import score


def corpora(names):
    draw = random.Random(3)
    rows = [
        (f"e{draw.randrange(30)}", draw.choice("pq"), f"e{draw.randrange(30)}", at)
        for at in range(20)
        for _ in range(6)
    ]
    systems = [
        [(s, r, o if draw.random() < share else f"e{draw.randrange(30)}", at) for s, r, o, at in rows]
        for share in (0.7, 0.6)
    ]
    return ["".join(f"{s}\t{r}\t{o}\t{names[at]}\n" for s, r, o, at in side).encode() for side in (rows, *systems)]


@pytest.mark.parametrize("test", ["jackknife", "randomisation", "bootstrap"])
def test_clusters_are_drawn_as_documents_are(test):
    how = {"hops": 2, "bootstrap": 40, "test": test, "names": ["a", "b"], "by": "relation"}
    stories = [f"s{at // 3}" for at in range(20)]
    gold, *systems = corpora(stories)
    merged = score(gold, systems, **how)
    names = [f"d{at:02}" for at in range(20)]
    gold, *systems = corpora(names)
    clustered = score(gold, systems, clusters=dict(zip(names, stories, strict=True)), **how)
    for one, other in zip(merged.systems, clustered.systems, strict=True):
        assert one.scores == other.scores
        assert one.samples == other.samples
    assert [(each.p, each.low, each.high) for each in merged.comparisons] == [
        (each.p, each.low, each.high) for each in clustered.comparisons
    ]
    assert clustered.options.clusters == 7
    alone = score(gold, systems, **how)
    assert [score.low for score in alone.systems[0].scores] != [score.low for score in clustered.systems[0].scores]


def test_strangers_and_few_clusters_are_refused():
    names = [f"d{at:02}" for at in range(20)]
    gold, *systems = corpora(names)
    with pytest.raises(AdjudgeError, match="'zz', which is not a document here"):
        score(gold, systems, clusters={"zz": "s1"}, names=["a", "b"])
    with pytest.raises(AdjudgeError, match="4 clusters"):
        score(gold, systems, clusters={each: each[-1] if each[-1] < "4" else "0" for each in names}, names=["a", "b"])


def test_select_takes_clusters_out_together():
    draw = random.Random(5)
    ids = tuple(f"d{at}" for at in range(12))
    tables = {
        name: StatsTable(
            ids, ("s", "n"), [[draw.randint(1, 5), 5] for _ in ids], {"story": [at // 2 for at in range(12)]}
        )
        for name in "AB"
    }
    measures = [Ratio("x", "score", (("s", 1.0),), (("n", 1.0),))]
    made = build_result(
        Scoring(task="t", profile="p", measures=measures), {name: Counts(own) for name, own in tables.items()}
    )
    found = select_documents(made, 6, cluster_by="story")
    assert {each.document for each in found.documents} == {f"story {at}" for at in range(6)}
    for each in found.documents:
        story = int(each.document.split()[1])
        rest = [place for place in range(12) if place // 2 != story]
        without = [
            sum(tables[name].values[place][0] for place in rest) / 50 for name in (each.effects[0].a, each.effects[0].b)
        ]
        assert each.effects[0].without == pytest.approx(without[0] - without[1])
    with pytest.raises(AdjudgeError, match="no field 'author'"):
        select_documents(made, 2, cluster_by="author")
