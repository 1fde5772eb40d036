"""pytest: scores as conditions; a plug-in is not needed."""

import adjudge as aj

GOLD = [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["B-ORG"], ["B-PER"], ["O", "B-LOC"], ["B-ORG"]]
BEFORE = [["B-PER", "O", "O"], ["O", "B-LOC"], ["B-ORG"], ["B-PER"], ["O", "O"], ["B-ORG"]]
NOW = [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["B-ORG"], ["B-PER"], ["O", "O"], ["B-ORG"]]


def test_the_model_is_good_enough_and_not_worse_than_before():
    """Two conditions on one result."""
    result = aj.score("ner.strict", GOLD, {"before": BEFORE, "now": NOW})
    aj.assert_score(result, "ner.strict.f1", at_least=0.8, system="now")
    aj.assert_score(result, "ner.strict.f1", not_worse_than="before", system="now")
