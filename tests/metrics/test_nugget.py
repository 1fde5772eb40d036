"""The metrics of the catalogue are those of the nugget scorer, with ties in the order of the lines."""

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from adjudge.metrics import find
from adjudge.model.nugget import Nugget, NuggetDocument
from adjudge.tasks.nugget.settings import MAPPINGS, Settings
from nuggets import observed

nugget = st.tuples(
    st.lists(st.sampled_from(["t1", "t2", "t3", "t4", "t5"]), min_size=1, max_size=3, unique=True),
    st.sampled_from(["attack", "die"]),
    st.sampled_from(["actual", "other"]),
)


def kept_once(nuggets):
    """The catalogue takes collections as sets, the scorer every line."""
    return list({(frozenset(tokens), *rest): (tokens, *rest) for tokens, *rest in nuggets}.values())


@pytest.mark.parametrize("name", MAPPINGS)
@given(gold=st.lists(nugget, max_size=5).map(kept_once), system=st.lists(nugget, max_size=5).map(kept_once))
@examples(max_examples=30)
def test_catalogue_and_scorer_agree(name, gold, system):
    metric = find(f"nugget.{name}(duplicates=multiset)")
    rows = [
        [{"tokens": tokens, "type": kind, "realis": real} for tokens, kind, real in side] for side in (gold, system)
    ]
    documents = [
        NuggetDocument("d", [Nugget(f"E{k}", kind, real, "", tuple(t)) for k, (t, kind, real) in enumerate(side)])
        for side in (gold, system)
    ]
    counts = metric.observe({"nuggets": rows[0]}, {"nuggets": rows[1]}).counts
    found = observed(*documents, Settings(profile="evmeval-1.8"))
    assert list(counts.values()) == pytest.approx([found.matched[name], found.system, found.gold])
