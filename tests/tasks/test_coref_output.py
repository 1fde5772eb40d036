"""What is printed of a document and of a corpus: the reference scorer's blocks, and the explanation."""

import pytest

from adjudge.errors import UsageError
from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.task import Run
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
    lines = str(explained()).splitlines()
    assert lines[0] == "d  system  coref: 2 correct, 5 partial, 1 missed, 3 spurious"
    ours, theirs = "0 [(0,0), (2,3), (5,5)] 1 [(7,7), (8,8)]", "0 [(0,0), (2,3), (7,7)] 1 [(5,5), (8,8), (9,9)]"
    assert [line.partition(" ")[2].strip() for line in lines if line.startswith("chain")] == [
        f"mixed: gold {ours}; system {theirs}",
        "spurious: system 2 [(15,15), (16,16)]",
    ]
    assert "links    3 lost: (0,0) - (5,5), (2,3) - (5,5), (7,7) - (8,8)" in lines
    assert any(line.startswith("links    6 gained") for line in lines)
    assert str(explained(response=CHAINS)) == "\n".join(
        ["d  system  coref: 8 correct", *(f"correct  ({a},{b})" for chain in CHAINS for a, b in chain)]
    )


def test_the_explanation_follows_the_options():
    assert "(11,11)" not in str(explained(singletons="drop"))
    assert "2 correct" in str(explained([[[0, 3], [5, 5]]], [[[0, 2], [5, 5]]], match="partial"))
    repeated = explained([[[0, 0], [1, 1]]], [[[0, 0], [1, 1], [0, 0]]])
    assert "ignored  (0,0) 2: repeated" in str(repeated)


def test_many_links_are_counted_but_not_all_listed():
    (line,) = (each for each in str(explained([[[k, k] for k in range(200)]], [])).splitlines() if "links" in each)
    assert f"{200 * 199 // 2} lost" in line
    assert line.count(" - ") == 50
    assert line.endswith(", ...")


def test_words_of_the_text(tmp_path):
    rows = ["a 0 0 Ann (1)", "a 0 1 met -", "a 0 2 her (1)"]
    key, response = tmp_path / "key.conll", tmp_path / "system.conll"
    key.write_text("\n".join(["#begin document (a); part 000", *rows, "", "#end document", ""]))
    response.write_text(key.read_text().replace("her (1)", "her -"))
    assert str(explain(key, response, "(a)")["system"]).splitlines()[1:3] == [
        "partial  Ann (0,0) (0.67): chain 1 of 2 mentions, 1 of them in chain 1 of 1",
        "missed   her (2,2)",
    ]
