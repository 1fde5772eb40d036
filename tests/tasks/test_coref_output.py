"""What is printed of a document and of a corpus: the reference scorer's blocks, and the explanation."""

import pytest

from adjudge.errors import UsageError
from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.run import Run
from adjudge.tasks.coref import explain
from adjudge.tasks.coref.compat import chosen_compat, reference_output, result_line
from adjudge.tasks.coref.task import CorefTask


def conll(name, *columns):
    return "\n".join([f"#begin document {name}", *(f"w\t{column}" for column in columns), "#end document", ""])


KEY = (conll("(a)", "(1)|(2)", "(1)", "(2", "2)|(1)") + conll("(b)", "(1)", "-")).encode()
RESPONSE = conll("(a)", "(5)", "(5)|(6)", "(5", "5)").encode()

MUC = """
METRIC muc:
====> (a):
File (a):
Entity 0: (0,0) (1,1) (3,3)
Entity 1: (0,0) (2,3)
====> (a):
File (a):
Entity 0: (0,0) (1,1) (2,3)
Entity 1: (1,1)
(a):
Repeated mention in the key: 0, 0 03
Repeated mention in the response: 1, 1 11
Total key mentions: 4
Total response mentions: 3
Strictly correct identified mentions: 3
Partially correct identified mentions: 0
No identified: 1
Invented: 1
Recall: (1 / 3) 33.33%\tPrecision: (1 / 2) 50%\tF1: 40%
--------------------------------------------------------------------------
====> (b):
File (b):
Entity 0: (0,0)
====> :
File :
(b):
Total key mentions: 1
Total response mentions: 0
Strictly correct identified mentions: 0
Partially correct identified mentions: 0
No identified: 1
Invented: 0
Recall: (0 / 0) 0%\tPrecision: (0 / 0) 0%\tF1: 0%
--------------------------------------------------------------------------

====== TOTALS =======
Identification of Mentions: Recall: (3 / 5) 60%\tPrecision: (3 / 3) 100%\tF1: 74.99%
--------------------------------------------------------------------------
Coreference: Recall: (1 / 3) 33.33%\tPrecision: (1 / 2) 50%\tF1: 40%
--------------------------------------------------------------------------
"""


def test_blocks_of_documents():
    campaign = evaluate(CorefTask(), KEY, RESPONSE, Run(keep=True))
    assert reference_output(campaign, ["muc"], documents=True) == MUC
    blanc = reference_output(campaign, ["blanc"], documents=True, titles=False).splitlines()
    assert blanc.count(":") == 2  # it does not print the name, nor a score of the document
    assert sum(line.startswith("Recall:") for line in blanc) == 0


@pytest.mark.parametrize(
    ("numbers", "printed"),
    [
        ((5, 9, 5, 16), "Recall: (5 / 9) 55.55%\tPrecision: (5 / 16) 31.25%\tF1: 39.99%"),
        ((0, 0, 0, 0), "Recall: (0 / 0) 0%\tPrecision: (0 / 0) 0%\tF1: 0%"),
        ((2 / 3, 1, 0.5, 2.0), "Recall: (0.666666666666667 / 1) 66.66%\tPrecision: (0.5 / 2) 25%\tF1: 36.36%"),
        ((4, 3, 4, 4), "Recall: (4 / 3) 133.33%\tPrecision: (4 / 4) 100%\tF1: 114.28%"),
    ],
)
def test_percentages_are_cut_off(numbers, printed):
    assert result_line(*numbers) == [printed, "-" * 74]


def test_metrics_by_the_names_of_the_reference_scorer():
    assert chosen_compat("BLANC, b3") == ("blanc", "bcub")
    assert chosen_compat(None) == chosen_compat("all") == ("muc", "bcub", "ceafm", "ceafe", "blanc")
    with pytest.raises(UsageError, match="the reference scorer has no metric 'lea'"):
        chosen_compat("lea")


CHAINS = [[[0, 0], [2, 3], [5, 5]], [[7, 7], [8, 8]], [[11, 11]], [[20, 20], [21, 21]]]
FOUND = [[[0, 0], [2, 3], [7, 7]], [[5, 5], [8, 8], [9, 9]], [[15, 15], [16, 16]], [[20, 20], [21, 21]]]


def explained(key=CHAINS, response=FOUND, **options):
    sides = [[{"id": "d", "clusters": clusters}] for clusters in (key, response)]
    return explain(*sides, "d", **options)["system"]


def test_what_went_wrong():
    found = explained()
    assert [whole.chain for whole in found.merged] == ["0", "1"]
    assert [whole.chain for whole in found.split] == ["0", "1"]
    assert [whole.chain for whole in found.missed] == ["2"]
    assert [whole.chain for whole in found.invented] == ["2"]
    assert found.right == ("3",)
    assert [(part.chain, part.mentions) for part in found.missed_mentions] == [("2", ("(11,11)",))]
    assert [(part.chain, part.mentions) for part in found.invented_mentions] == [
        ("1", ("(9,9)",)),
        ("2", ("(15,15)", "(16,16)")),
    ]
    assert (found.links_lost, found.links_gained) == (len(found.lost), len(found.gained)) == (3, 6)
    assert ("(0,0)", "(5,5)") in found.lost
    assert ("(5,5)", "(8,8)") in found.gained


def test_the_explanation_in_words():
    text = str(explained())
    assert "merged    response chain 0 (3 mentions): key chain 0 has (0,0) (2,3); key chain 1 has (7,7)" in text
    assert "split     key chain 0 (3 mentions): 0 has (0,0) (2,3); 1 has (5,5)" in text
    assert "missed    key chain 2 (1 mention): (11,11)" in text
    assert "invented  response chain 2 (2 mentions): (15,15) (16,16)" in text
    assert "links     3 lost: (0,0)-(5,5) (2,3)-(5,5) (7,7)-(8,8)" in text
    assert str(explained(response=CHAINS)).endswith("nothing is wrong")


def test_the_explanation_follows_the_options():
    assert not explained(singletons="drop").missed
    assert explained([[[0, 3], [5, 5]]], [[[0, 2], [5, 5]]], match="partial").right == ("0",)
    assert explained().to_data()["right"] == ("3",)


def test_many_links_are_counted_but_not_all_listed():
    found = explained([[[k, k] for k in range(200)]], [])
    assert found.links_lost == 200 * 199 // 2
    assert len(found.lost) == 50
    assert str(found).endswith(" ...")
