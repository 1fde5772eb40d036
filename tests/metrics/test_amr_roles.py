"""Roles that have a concept of their own, as the AMR guidelines list them."""

import pytest

from adjudge.metrics import find

TABLE = """
    accompanier accompany-01 arg1 arg0
    age age-01 arg1 arg2
    beneficiary benefit-01 arg0 arg1
    concession have-concession-91 arg1 arg2
    condition have-condition-91 arg1 arg2
    degree have-degree-91 arg1 arg2
    destination be-destined-for-91 arg1 arg2
    duration last-01 arg1 arg2
    example exemplify-01 arg1 arg0
    extent have-extent-91 arg1 arg2
    frequency have-frequency-91 arg1 arg2
    instrument have-instrument-91 arg1 arg2
    li have-li-91 arg1 arg2
    location be-located-at-91 arg1 arg2
    manner have-manner-91 arg1 arg2
    mod have-mod-91 arg1 arg2
    name have-name-91 arg1 arg2
    ord have-ord-91 arg1 arg2
    part have-part-91 arg1 arg2
    polarity have-polarity-91 arg1 arg2
    poss own-01 arg1 arg0
    purpose have-purpose-91 arg1 arg2
    quant have-quant-91 arg1 arg2
    source be-from-91 arg1 arg2
    subevent have-subevent-91 arg1 arg2
    time be-temporally-at-91 arg1 arg2
    topic concern-02 arg0 arg1
    value have-value-91 arg1 arg2
"""
ROWS = [tuple(line.split()) for line in TABLE.strip().splitlines()]


@pytest.mark.parametrize(("role", "concept", "first", "second"), ROWS)
@pytest.mark.parametrize("how", ["reify", "dereify"])
def test_a_role_and_the_concept_that_stands_for_it_say_the_same(role, concept, first, second, how):
    short = f"(a / thing :{role} (b / other))"
    long = f"(a / thing :{first.upper()}-of (z / {concept} :{second.upper()} (b / other)))"
    assert find(f"amr.smatch(roles={how})").score(short, long).f1 == 1.0
    assert find("amr.smatch").score(short, long).f1 == 0.6
