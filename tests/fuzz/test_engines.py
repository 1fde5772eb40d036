"""The same documents in one process and in two, and written and read again, give the same result."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.stats.saved import decode_result
from adjudge.tasks.scoring import score

ENTITIES = st.lists(
    st.fixed_dictionaries(
        {
            "span": st.tuples(st.integers(0, 5), st.integers(1, 3)).map(
                lambda at: {"start": at[0], "end": at[0] + at[1]}
            ),
            "type": st.sampled_from(["PER", "ORG"]),
        }
    ),
    max_size=4,
)
CORPORA = st.lists(st.tuples(ENTITIES, ENTITIES, st.sampled_from(["nw", "df"])), min_size=1, max_size=6)


def sides(corpus):
    gold = [{"id": f"d{n}", "genre": genre, "entities": ours} for n, (ours, _, genre) in enumerate(corpus)]
    return gold, [{"id": f"d{n}", "entities": theirs} for n, (_, theirs, _) in enumerate(corpus)]


def plain(result) -> str:
    return json.dumps(json.loads(result.to_json(with_tables=True)), sort_keys=True)


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(CORPORA)
def test_two_processes_say_what_one_says(tmp_path_factory: pytest.TempPathFactory, corpus) -> None:
    folder = tmp_path_factory.mktemp("run")
    paths = []
    for name, documents in zip(("gold", "system"), sides(corpus), strict=True):
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in documents))
        paths.append(str(path))
    options = {"bootstrap": 20, "by": ["genre"]}
    one, two = (score("ner.strict", paths[0], {"a": paths[1]}, jobs=jobs, **options) for jobs in (1, 2))
    assert plain(one) == plain(two)


@settings(max_examples=25, deadline=None)
@given(CORPORA)
def test_a_result_is_read_as_it_was_written(corpus) -> None:
    gold, system = sides(corpus)
    result = score("ner.strict", gold, {"a": system}, bootstrap=20)
    again = decode_result(result.to_json(with_tables=True).encode())
    assert plain(again) == plain(result)
