"""The report and the comparison file of the official program, character for character, on a campaign of our own."""

import pytest

from adjudge.errors import ValidationError
from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.task import Run
from adjudge.tasks.nugget.compat import report, write_comparison
from adjudge.tasks.nugget.settings import settings
from adjudge.tasks.nugget.task import NuggetTask

GOLD = """#BeginOfDocument b
gold	b	E1	t1,t2	the attack	Conflict_Attack	Actual
gold	b	E2	t3	died	Life_Die	Actual
gold	b	E3	t3	died, again	Conflict_Attack	Other
@Coreference	R1	E1,E3
#EndOfDocument
#BeginOfDocument longer_name
gold	longer_name	E1	t2	raid	Conflict_Attack	Generic
#EndOfDocument
#BeginOfDocument a
#EndOfDocument
"""
RUN = """#BeginOfDocument b
run	b	m1	t2	attack	conflict attack	Actual
run	b	m2	t3	died	Conflict_Attack	Actual
run	b	m3	t5	x	Life_Born	Actual
@Coreference	R1	m1,m2
#EndOfDocument
#BeginOfDocument a
run	a	m1	t5	x	Life_Die	Actual
#EndOfDocument
"""
TABLE = "t1\tthe\t0\t3\nt2\tattack\t4\t10\nt3\tdied\t11\t15\nt5\tx\t20\t21\n"

TITLES = (
    "           \t             plain\t|\t      mention_type\t|\t     realis_status\t|\tmention_type+realis_status",
    "     Doc ID\t" + "\t|\t".join(["Prec  \tRec  \tF1   "] * 4),
)
FINAL = (
    "                          \t     Micro Average\t     Macro Average",
    "                Attributes\tPrec  \tRec  \tF1   \tPrec  \tRec  \tF1   ",
)


def blocks(cell):
    return "\t|\t".join([cell] * 4)


REPORTS = {
    "evmeval-1.8": (
        "========Document Mention Detection Results==========",
        *TITLES,
        "          a\t" + blocks("0.00\tnan\tnan"),
        "          b\t" + "\t|\t".join(["55.56\t55.56\t55.56"] * 3) + "\t|\t22.22\t22.22\t22.22",
        "longer_name\t" + blocks("nan\t0.00\tnan"),
        "",
        "",
        "========Mention Type Results==========",
        "          Type\tPrec\tRec\tF1\t#Gold\t#Sys",
        "conflictattack\t0.33\t0.22\t0.27\t3\t2",
        "       lifedie\t0.00\t0.00\t0.00\t1\t1",
        "",
        "=======Final Mention Detection Results=========",
        *FINAL,
        "                     plain\t55.56\t41.67\t47.62\t27.78\t27.78\t27.78",
        "              mention_type\t55.56\t41.67\t47.62\t27.78\t27.78\t27.78",
        "             realis_status\t55.56\t41.67\t47.62\t27.78\t27.78\t27.78",
        "mention_type+realis_status\t22.22\t16.67\t19.05\t11.11\t11.11\t11.11",
        "",
        "=======Final Mention Coreference Results=========",
        "Metric : bcub\tScore\t12.50",
        "Metric : ceafe\tScore\t16.66",
        "Metric : ceafm\tScore\t25.00 *",
        "Metric : muc\tScore\t0.00",
        "Metric : blanc\tScore\t0.00",
        "Overall Average CoNLL score\t7.29",
        "",
        "* Score not included for final CoNLL score.",
        "",
    ),
    "evmeval-2015": (
        "========Document Mention Detection Results==========",
        *TITLES,
        "          a\t" + blocks("0.00\tnan\tnan"),
        "          b\t" + "\t|\t".join(["66.67\t66.67\t66.67"] * 3) + "\t|\t33.33\t33.33\t33.33",
        "longer_name\t" + blocks("nan\t0.00\tnan"),
        "",
        "",
        "========Document Mention Corefrence Results (CoNLL Average)==========",
        "a\t0.00",
        "b\t86.66",
        "longer_name\t0.00",
        "",
        "=======Final Mention Detection Results=========",
        *FINAL,
        "                     plain\t66.67\t50.00\t57.14\t33.33\t33.33\t33.33",
        "              mention_type\t66.67\t50.00\t57.14\t33.33\t33.33\t33.33",
        "             realis_status\t66.67\t50.00\t57.14\t33.33\t33.33\t33.33",
        "mention_type+realis_status\t33.33\t25.00\t28.57\t16.67\t16.67\t16.67",
        "",
        "=======Final Mention Coreference Results=========",
        "Metric : bcub\tScore\t80.00",
        "Metric : ceafe\tScore\t66.66",
        "Metric : ceafm\tScore\t80.00 *",
        "Metric : muc\tScore\t100.00",
        "Metric : blanc\tScore\t100.00",
        "Overall Average CoNLL score\t85.33",
        "",
        "* Score not included for final CoNLL score.",
        "",
    ),
}
COMPARISONS = {
    "evmeval-1.8": (
        "#BeginOfDocument a",
        "run.tbf\t-\t|\tm1\tt5\tlifedie\tactual\tx\t-",
        "#EndOfDocument ",
        "#BeginOfDocument b",
        "run.tbf\tE1\tt1,t2\tconflictattack\tactual\tthe attack\t|\tm1\tt2\tconflictattack\tactual\tattack\t0.67",
        "run.tbf\tE2\tt3\tlifedie\tactual\tdied\t|\tm2\tt3\tconflictattack\tactual\tdied\t1.00",
        "run.tbf\tE3\tt3\tconflictattack\tother\tdied, again\t|\t-\t-",
        "run.tbf\t-\t|\tm3\tt5\tlifeborn\tactual\tx\t-",
        "@coref\tgold\tE1:the attack,E3:died again",
        "@coref\tsystem\tm1:attack,m2:died",
        "#EndOfDocument ",
        "#BeginOfDocument longer_name",
        "run.tbf\tE1\tt2\tconflictattack\tgeneric\traid\t|\t-\t-",
        "#EndOfDocument ",
        "",
    ),
    "evmeval-2015": (
        "#BeginOfDocument a",
        "run\t-\t|\tm1\tt5\tlifedie\tactual\t-",
        "#EndOfDocument ",
        "#BeginOfDocument b",
        "run\tE1\tt1,t2\tconflictattack\tactual\t|\tm1\tt2\tconflictattack\tactual\t1.00",
        "run\tE2\tt3\tlifedie\tactual\t|\tm2\tt3\tconflictattack\tactual\t1.00",
        "run\tE3\tt3\tconflictattack\tother\t|\t-\t-",
        "run\t-\t|\tm3\tt5\tlifeborn\tactual\t-",
        "@coref\tgold\tE1:the attack,E3:died, again",
        "@coref\tsystem\tm1:attack,m2:died",
        "#EndOfDocument ",
        "#BeginOfDocument longer_name",
        "\tE1\tt2\tconflictattack\tgeneric\t|\t-\t-",
        "#EndOfDocument ",
        "",
    ),
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold.tbf").write_text(GOLD)
    (tmp_path / "run.tbf").write_text(RUN)
    for name in ("a", "b", "longer_name"):
        (tmp_path / f"{name}.tab").write_text(TABLE)
    return tmp_path


def kept(gold, system, chosen, **how):
    return evaluate(NuggetTask(chosen, **how), gold, system, Run(keep=True))


@pytest.mark.parametrize("profile", REPORTS)
def test_report_and_comparison(profile, files):
    found = kept(files / "gold.tbf", files / "run.tbf", settings(profile, coref=True), tokens=files)
    write_comparison(files / "comparison.txt", found, "run.tbf")
    assert tuple(report(found).split("\n")) == REPORTS[profile]
    assert tuple((files / "comparison.txt").read_text().split("\n")) == COMPARISONS[profile]


def test_without_coreference():
    text = report(kept(GOLD.encode(), RUN.encode(), settings("evmeval-1.8", coref=False)))
    assert text.splitlines()[-1].startswith("mention_type+realis_status\t22.22")
    assert "Coreference" not in text


def test_nothing_in_gold():
    """Every number is nan, and there is no table of types."""
    gold = b"#BeginOfDocument a\n#EndOfDocument\n"
    text = report(kept(gold, RUN.encode(), settings("evmeval-1.8", coref=True)))
    assert "plain\tnan\tnan\tnan\tnan\tnan\tnan" in text
    assert "Mention Type Results==========\n\n=======Final" in text


def test_sequencing():
    lines = GOLD.replace("@Coreference\tR1\tE1,E3", "@After\tA1\tE1,E2\n@After\tA2\tE2,E3")
    text = report(kept(lines.encode(), lines.encode(), settings("evmeval-1.8", sequencing=True)))
    assert text.endswith(
        "=======Event Sequencing Results for All =======\n=== Temporal Awareness Score ===\n"
        "Evaluated considering implicit relations in recall as well\nTemporal Score\tF1\tP\tR\n"
        "\t\t100.0\t100.0\t100.0\t\nOverall Temporal Awareness Score (F1 score): 100.0\n\n"
    )


def test_every_character_of_a_place(tmp_path):
    gold = b"#BeginOfDocument a\ng\ta\tE1\t4,7;9,11\tmade\tX\tActual\n#EndOfDocument\n"

    def place(both):
        write_comparison(tmp_path / "c.txt", kept(both, both, settings()), "s")
        return (tmp_path / "c.txt").read_text().splitlines()[1].split("\t")[2]

    assert place(gold) == "4,5,6,9,10"
    with pytest.raises(ValidationError, match="a comparison file lists every one of them"):
        place(gold.replace(b"9,11", b"9,999999"))
