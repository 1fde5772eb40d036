import dataclasses

import pytest

from adjudge.errors import UsageError
from adjudge.tasks.kbp.options import PROFILES, KbOptions, make_options, relation_name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mention_match": "heads"}, "mention_match cannot be 'heads', did you mean head"),
        ({"threshold": 100}, "a threshold of 100 % is out of range"),
        ({"threshold": float("nan")}, "a threshold of nan % is out of range"),
        ({"levels": ()}, "levels must be levels of mentions"),
        ({"levels": "NAM"}, "levels must be levels of mentions"),
        ({"gold_levels": ("NAME",)}, "a level in gold_levels cannot be 'NAME'"),
        ({"exclude": "Family"}, "exclude must be several names"),
        ({"min_confidence": 2}, "a confidence of 2 is out of range"),
        ({"hops": 0}, "0 hops are out of range"),
        ({"hops": True}, "True hops are out of range"),
        ({"notch": 0}, "a notch constant of 0 is out of range"),
        ({"one_to_two": True}, "there is no option 'one_to_two', did you mean one_to_one"),
        ({"profile": "papers"}, "there is no profile 'papers', did you mean paper"),
    ],
)
def test_wrong_choices(changes, message):
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        make_options(**changes)


def test_profiles_differ_where_the_documentation_says():
    paper, other = (dataclasses.asdict(PROFILES[name]) for name in ("paper", "recommended"))
    assert PROFILES["paper"] == KbOptions()
    assert {name: value for name, value in other.items() if value != paper[name]} == {
        "symmetric": "close",
        "self_loops": "drop",
        "identity": "both",
        "interval": "auto",
        "test": "auto",
        "notch": 1.57,
    }


@pytest.mark.parametrize(
    ("relation", "options", "expected"),
    [
        ("Employment", {}, "Employment"),
        ("Lasting-Personal", {}, None),
        ("PER-SOC.Lasting-Personal", {}, None),
        ("METONYMY", {}, None),
        ("Lasting-Personal", {"exclude": ()}, "Lasting-Personal"),
        ("Employment", {"include": ("Founder",)}, None),
        ("ORG-AFF.Founder", {"include": ("Founder",)}, "ORG-AFF.Founder"),
        ("Family", {"include": ("Family",), "exclude": ("Family",)}, None),
        ("works", {"system_relations": {"works": "Employment"}, "include": ("Employment",)}, "Employment"),
        ("works", {"gold_relations": {"works": "Employment"}}, "works"),
        # A new name is not looked up again.
        ("a", {"system_relations": {"a": "b", "b": "c"}}, "b"),
    ],
)
def test_relations(relation, options, expected):
    assert relation_name(relation, KbOptions(**options), "system") == expected
