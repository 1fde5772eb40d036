"""Whole campaigns: several systems, slices, resampling, saved results, notes, and what is refused."""

import json
import random

import pytest

from adjudge.errors import FormatError, UsageError
from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.task import Run
from adjudge.model.nugget import Nugget, NuggetDocument, Relation, Token, TokenTable
from adjudge.stats.compare import compare
from adjudge.stats.result import Result
from adjudge.tasks.nugget import mapping
from adjudge.tasks.nugget.confusion import confusions
from adjudge.tasks.nugget.mapping import best_of_ties
from adjudge.tasks.nugget.settings import settings
from adjudge.tasks.nugget.task import NuggetTask, score

TYPES = ("Life_Die", "Conflict_Attack", "Life_Die", "Movement_Transport")


def line(id, place, type="Life_Die", realis="Actual", text="word", system="sys", document="d"):
    return f"{system}\t{document}\t{id}\t{place}\t{text}\t{type}\t{realis}\n"


def tbf(*documents):
    return "".join(f"#BeginOfDocument {id}\n{''.join(lines)}#EndOfDocument\n" for id, *lines in documents).encode()


def campaign(wrong=0):
    """Eight documents of four nuggets; a system with so many wrong types, missed places and broken clusters."""
    gold, system = [], []
    for number in range(8):
        own = [line(f"E{k}", f"{10 * k},{10 * k + 5}", TYPES[k], "Actual" if k else "Other") for k in range(4)]
        gold.append((f"d{number}", *own, "@Coreference\tR1\tE0,E2\n"))
        theirs = [
            line(f"m{k}", f"{10 * k},{10 * k + (3 if k < wrong else 5)}", TYPES[k] if k > number % 3 else "Life_Die")
            for k in range(4)
        ]
        system.append((f"d{number}", *theirs, "@Coreference\tR1\tm0,m2\n" if number % 2 else ""))
    return tbf(*gold), tbf(*system)


GOLD, GOOD = campaign()
_, POOR = campaign(3)


def test_slices_add_up(tmp_path):
    result = score(GOLD, {"good": GOOD, "poor": POOR}, by=["type", "realis"], bootstrap=20)
    scores = [each for each in result.systems[0].scores if each.part == "recall" and each.pool == "micro"]
    for field, metric in (("type", "nugget.type"), ("type", "nugget.type+realis"), ("realis", "nugget.realis")):
        parts = [each for each in scores if each.metric == metric and field in each.slice]
        (whole,) = (each for each in scores if each.metric == metric and not each.slice)
        assert sum(each.numerator for each in parts) == pytest.approx(whole.numerator)
        assert sum(each.denominator for each in parts) == whole.denominator
    found = {each.slice["type"]: each.value for each in scores if each.metric == "nugget.type" and "type" in each.slice}
    assert found == {"Life_Die": 1.0, "Conflict_Attack": pytest.approx(3 / 8), "Movement_Transport": 1.0}
    result.save(tmp_path / "both.json")
    again = compare(Result.load(tmp_path / "both.json"), by=["type"], bootstrap=20)
    kept = [each for each in again.systems[0].scores if each.slice == {"type": "Life_Die"} and each.part == "f1"]
    assert [each.value for each in kept] == [
        each.value for each in result.systems[0].scores if each.slice == {"type": "Life_Die"} and each.part == "f1"
    ]
    assert {each.pool for each in again.systems[0].scores if each.metric == "nugget.span.macro"} == {"macro"}
    with pytest.raises(UsageError, match="cannot slice by 'genre'"):
        score(GOLD, GOOD, by="genre")


def test_micro_or_macro_only():
    for pool in ("micro", "macro"):
        names = score(GOLD, GOOD, bootstrap=0, pool=pool).systems[0].metrics
        assert all(name.endswith(".macro") == (pool == "macro") for name in names)


def test_what_has_no_average_over_documents_is_named():
    cluster, link = Relation("Coreference", "R1", ("E1", "E2")), Relation("After", "R2", ("E1", "E2"))

    def notes(pool, relations, **more):
        nuggets = [Nugget(each, "Life_Die", "Actual", "died", (each,)) for each in ("E1", "E2")]
        gold = [NuggetDocument("d", nuggets, relations)]
        result = score(gold, gold, bootstrap=0, pool=pool, **more)
        return [each.message for each in result.systems[0].notes if each.code == "micro-only"]

    assert notes("micro", [cluster, link]) == notes(None, [cluster]) == notes("macro", []) == []
    assert notes("macro", [cluster], coref=False) == []
    (coreference,), (both,) = notes("macro", [cluster]), notes("macro", [cluster, link])
    assert coreference.startswith("coreference has no average over documents and is left out")
    assert both.startswith("coreference and sequencing have no average over documents and are left out")


def test_averages_do_not_depend_on_choices_of_coreference():
    """Two nuggets of one place and type are a choice for coreference only, which is not searched for averages."""
    places = (("E1", "t1"), ("E2", "t1"), ("E3", "t2"))
    gold = [Nugget(id, "Life_Die", "Actual", "died", (token,)) for id, token in places]
    ours = [NuggetDocument("d", gold, [Relation("Coreference", "R1", ("E2", "E3"))])]
    theirs = [NuggetDocument("d", gold[1:], [Relation("Coreference", "R1", ("E2", "E3"))])]
    both = score(ours, theirs, bootstrap=0)
    assert "coref.kbp.best" in both.systems[0].metrics
    only = score(ours, theirs, bootstrap=0, pool="macro", exact=True)
    assert only["nugget.span.macro"].recall == both["nugget.span.macro"].recall
    assert "double-annotation" not in {each.code for each in only.systems[0].notes}


def test_attributes():
    def names(attributes, **more):
        return list(score(GOLD, GOOD, attributes=attributes, bootstrap=0, **more).systems[0].metrics)

    assert names("type", coref=False, pool="micro") == ["nugget.span", "nugget.type"]
    assert names((), coref=False, pool="micro") == ["nugget.span"]
    assert "coref.kbp" in names("realis")  # over the type mapping all the same
    with pytest.raises(UsageError, match="there is no attribute 'tpye', did you mean type"):
        names("tpye")


def test_all_problems_of_all_files_at_once():
    gold = tbf(("a", line("E1", "0,x"), line("E2", "0,4")))
    system = tbf(("a", "sys\ta\tm1\t0,4\n", "@Coreference\tR1\n"))
    with pytest.raises(FormatError) as refused:
        score(gold, system, mode="char")
    assert [problem.line for problem in refused.value.problems] == [2, 2, 3]


def test_places_that_are_not_what_they_seem():
    """Token ids without tables are tokens; said to be characters, they are refused by their lines."""
    both = tbf(("a", line("E1", "t1,t2"), line("E2", "t3")))
    result = score(both, both, bootstrap=0)
    assert "|mode:token|" in result.signature
    assert [note.code for note in result.systems[0].notes] == ["no-token-table"]
    with pytest.raises(FormatError, match="not a position in a text"):
        score(both, both, mode="char")
    with pytest.raises(UsageError, match="compares tokens only"):
        score(GOLD, GOOD, profile="evmeval-2015")


def test_a_token_table_of_another_document():
    both = tbf(("a", line("E1", "t1", text="attack"), line("E2", "t2", text="died")))
    right = TokenTable("a", [Token("t1", "attack", 0, 6), Token("t2", "died", 7, 11)])
    wrong = TokenTable("a", [Token("t1", "Yesterday", 0, 9), Token("t2", "morning", 10, 17)])
    codes = [
        {note.code for note in score(both, both, tokens={"a": table}, bootstrap=0).systems[0].notes}
        for table in (right, wrong, TokenTable("a", [Token("t7", "x", 0, 1)]))
    ]
    assert codes == [set(), {"foreign-table"}, {"foreign-token"}]


def test_tables_in_a_folder(tmp_path):
    both = tbf(("a", line("E1", "t1,t2", text="the attack")))
    (tmp_path / "a.tab").write_text("t1\tthe\t0\t3\nt2\tattack\t4\t10\n")
    assert score(both, both, tokens=tmp_path, bootstrap=0).systems[0].notes == ()
    with pytest.raises(UsageError, match="there is no such folder"):
        score(both, both, tokens=tmp_path / "tkn")
    (tmp_path / "a.tab").write_text("t1\tthe\t0\n")
    with pytest.raises(FormatError, match=r"a\.tab:1:1"):
        score(both, both, tokens=tmp_path)
    assert score(both, both, tokens=tmp_path, profile="evmeval-1.8", bootstrap=0).systems[0].notes[0].code == "input"


def test_hostile_files():
    both = tbf(("a", line("E1", "0,4")))
    with pytest.raises(FormatError, match="the file is empty"):
        score(b"", both)
    nothing = score(both, b"", bootstrap=0).systems[0]
    assert {"input", "missing-document", "empty-system"} <= {note.code for note in nothing.notes}
    latin = both.replace(b"Life_Die", b"Life_D\xe9")
    notes = score(both, latin, bootstrap=0).systems[0].notes
    assert [(note.code, note.examples) for note in notes] == [("input", ()), ("encoding", ("Life_D\\xe9",))]
    assert notes[0].message == "<bytes>:2:25: the byte 0xe9 is not UTF-8 and read as an escape, save the file as UTF-8"
    windows = score(both, both.replace(b"\n", b"\r\n"), bootstrap=0)
    assert windows["nugget.type"].f1 == 1.0
    assert "carriage returns" in windows.systems[0].notes[0].message
    assert "null character" in score(both, both.replace(b"word", b"w\0rd"), bootstrap=0).systems[0].notes[0].message
    long = both.replace(b"word", b"x" * 1_000_000).replace(b"0,4", b"0,999999999999")
    assert score(both, long, bootstrap=0)["nugget.span"].f1 == pytest.approx(0.0, abs=1e-10)
    with pytest.raises(FormatError, match="not a position in a text"):
        score(both, both.replace(b"0,4", b"9" * 5000 + b",4"), mode="char")
    with pytest.raises(FormatError, match="have E2 in common"):
        score(
            both, tbf(("a", line("E1", "0,4"), line("E2", "5,9"), "@Coreference\tR\tE1,E2\n@Coreference\tS\tE2,E1\n"))
        )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.decode().encode("utf-16"), "in UTF-16"),
        (lambda data: data.replace(b"\n", b"\r"), "has no footer"),
        (lambda data: b"Lorem ipsum\n", "lines outside documents are not read"),
    ],
)
def test_a_file_without_documents_is_no_system_that_finds_nothing(change, words):
    gold = tbf(("a", line("E1", "0,4")))
    with pytest.raises(FormatError, match=words):
        score(gold, change(gold))
    official = score(gold, change(gold), profile="evmeval-1.8", bootstrap=0)  # as the official program has it
    assert official["nugget.span"].recall == 0
    assert words in official.systems[0].notes[0].message
    assert score(gold, b" \n\n", bootstrap=0)["nugget.span"].f1 == 0  # nothing at all is a system that finds nothing


def test_a_missing_table_is_noted_where_it_matters():
    both = [NuggetDocument("a", [Nugget("E1", "A", "Actual", "x", ("t1",))])]
    for profile, codes in (("spec", ["no-token-table"]), ("evmeval-2015", ["no-token-table"]), ("evmeval-1.8", [])):
        assert [note.code for note in score(both, both, profile=profile, bootstrap=0).systems[0].notes] == codes


def test_the_signature_says_what_is_averaged():
    for pool, said in ((None, "micro+macro"), ("micro", "micro"), ("macro", "macro")):
        result = score(GOLD, POOR, pool=pool, bootstrap=0)
        assert f"|pool:{said}|" in result.signature
        assert result.signature.count("pool:") == 1


def test_gold_and_system_swapped():
    gold = tbf(("a", line("E1", "0,4", system="brat_conversion")))
    system = tbf(("a", line("m1", "0,4", system="run3")))
    codes = [
        {note.code for note in score(*pair, bootstrap=0).systems[0].notes} for pair in ((gold, system), (system, gold))
    ]
    assert codes == [set(), {"swapped"}]


def test_an_id_twice_stops_the_program_of_2015():
    gold = [NuggetDocument(id, [Nugget("E1", "A", "Actual", "x", ("t1",))]) for id in "abc"]
    system = [NuggetDocument(id, [Nugget("E1", "A", "Actual", "x", ("t1",))] * (1 + (id == "b"))) for id in "abc"]
    spec, old = (score(gold, system, profile=profile, bootstrap=0) for profile in ("spec", "evmeval-2015"))
    assert (spec["nugget.span"].precision, old["nugget.span"].precision) == (0.75, 1.0)
    (note,) = (note for note in old.systems[0].notes if note.code == "stopped")
    assert "document b has a mention id twice" in note.message
    assert [note.examples for note in spec.systems[0].notes if note.code == "repeated-id"] == [("b",)]


def test_sequencing_is_scored_if_there_are_links():
    nuggets = [Nugget(f"E{k}", "A", "Actual", "x", (f"t{k}",)) for k in range(3)]
    gold = NuggetDocument("a", nuggets, [Relation("After", "R1", ("E0", "E1")), Relation("After", "R2", ("E1", "E2"))])
    system = NuggetDocument("a", nuggets, [Relation("After", "R1", ("E0", "E1"))])
    found = score([gold], [system], bootstrap=0)
    assert (found["nugget.after"].precision, found["nugget.after"].recall) == (1.0, 0.5)
    assert "nugget.after" not in score([gold], [system], sequencing=False, bootstrap=0)
    reversed_ = NuggetDocument(
        "a", nuggets, [Relation("After", "R1", ("E0", "E1")), Relation("After", "R2", ("E1", "E0"))]
    )
    with pytest.raises(FormatError, match="the reverse"):
        score([gold], [reversed_], bootstrap=0)
    evaluate(NuggetTask(settings(any_links=True)), [gold], [reversed_], Run()).result()


def test_names_of_systems():
    with pytest.raises(UsageError, match="two systems are called 'x'"):
        score(GOLD, [GOOD, POOR], names=["x", "x"])
    with pytest.raises(UsageError, match="standard input can be read only once"):
        score("-", "-")
    with pytest.raises(UsageError, match="cannot take nuggets from int"):
        score(GOLD, 5)


def test_confusion_is_over_the_mapping_of_places():
    gold = tbf(("a", line("E1", "0,4", "A"), line("E2", "5,9", "B"), line("E3", "10,14", "B")))
    system = tbf(("a", line("m1", "0,4", "B"), line("m2", "5,8", "B"), line("m3", "20,24", "C")))
    (found,) = confusions(evaluate(NuggetTask(), gold, {"s": system}, Run(keep=True)), "type")
    assert found.counts == {("A", "B"): 1, ("B", "B"): 1, ("B", None): 1, (None, "C"): 1}
    assert found.rows()[0] == ["gold type \\ s (spec)", "B", "C", "(missed)"]
    assert found.rows()[1:] == [["A", "1", "0", "0"], ["B", "1", "0", "1"], ["(spurious)", "0", "1", "0"]]
    assert json.loads(json.dumps(found.to_data()))["cells"][0] == {"gold": "A", "system": "B", "count": 1}


def test_a_score_that_is_not_proven_says_what_it_cannot_exceed(monkeypatch):
    def unfinished(edges, **_):
        found = best_of_ties(edges)
        return found._replace(proven=False, optimal=found.best + 0.5)

    monkeypatch.setattr(mapping, "best_of_ties", unfinished)
    gold = tbf(("a", line("E1", "0,4"), line("E2", "4,8")))  # one nugget of the system reaches into both
    system = tbf(("a", line("m1", "2,6"), line("m2", "6,10")))
    found = score(gold, system, bootstrap=0).systems[0]
    (recall,) = (each for each in found.scores if (each.metric, each.part) == ("nugget.span", "recall"))
    assert (recall.value, recall.optimal, recall.bound) == (0.5, False, 0.75)
    assert any(note.code == "not-optimal" and note.examples == ("a",) for note in found.notes)


def test_problems_come_in_the_order_of_documents_and_systems():
    bad = tbf(*((f"d{n}", line("E1", f"{n},9", "A"), line("E2", "nowhere", "A")) for n in range(8)))
    with pytest.raises(FormatError) as caught:
        score(bad, {"a": bad, "b": bad}, mode="char", bootstrap=0)
    assert [problem.line for problem in caught.value.problems] == [3 + 4 * number for number in range(8)]


def with_double_annotation(rng, name):
    """A document of a few places, each with one to three nuggets of one type, in chains and alone."""
    places = [place for place in range(12) for _ in range(rng.choice((*(1,) * 16, 2, 2, 3)))]
    rng.shuffle(places)
    nuggets = {f"E{number}": place for number, place in enumerate(places) if rng.random() < 0.9}
    chains = [{} for _ in range(8)]
    for id, place in nuggets.items():
        if rng.random() < 0.8:
            rng.choice(chains).setdefault(place, id)
    lines = [line(id, f"{10 * place},{10 * place + 5}", "A") for id, place in nuggets.items()]
    links = [f"@Coreference\tR{n}\t{','.join(each.values())}\n" for n, each in enumerate(chains) if len(each) > 1]
    return name, *lines, *links


def test_double_annotation_is_in_the_table_of_documents():
    rng, names = random.Random(0), [f"d{number}" for number in range(150)]
    gold, system = (tbf(*(with_double_annotation(rng, name) for name in names)) for _ in range(2))
    tables = [score(gold, {"s": system}, coref=True, bootstrap=number).systems[0].table for number in (0, 100)]
    assert tables[0] == tables[1]
    own, best = (tables[0].columns.index(f"coref.b3{kind}:matched") for kind in ("", ".best"))
    assert sum(row[own] != row[best] for row in tables[0].values) > 5
