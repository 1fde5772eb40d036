"""Templates: the searches against trying everything, and what is wrong with templates."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError, FormatError, UsageError, ValidationError
from adjudge.metrics import find
from adjudge.scorers import auto_err, grit, gtt, iterx
from adjudge.scorers.auto_err import first_best
from adjudge.scorers.published import find_scorers
from adjudge.tasks.template_errors import KINDS, find_errors

numbers = st.integers(0, 3)


@st.composite
def tables(draw, cells, rows=4, columns=4):
    number = draw(st.integers(0, columns))
    return [[draw(cells) for _ in range(number)] for _ in range(draw(st.integers(0, rows)))], number


class TestGtt:
    pair = st.none() | st.tuples(numbers, numbers).map(lambda each: gtt.Counts((each[0],), (each[1],)))

    @settings(deadline=None, max_examples=75)
    @given(tables(pair), st.integers(0, 4), st.integers(0, 4))
    def test_the_first_best_pairing(self, table, more_p, more_r):
        pairs, number = table
        # The denominators are at least what any pairing can reach.
        p_den, r_den = 3 * len(pairs) + more_p, 3 * number + more_r
        best, best_value = None, -1.0
        for mapping in product([*range(number), -1], repeat=len(pairs)):
            used = [j for j in mapping if j >= 0]
            if len(set(used)) < len(used):
                continue
            chosen = [(i, j) for i, j in enumerate(mapping) if j >= 0]
            p, r = (sum(sum(pairs[i][j][side]) for i, j in chosen if pairs[i][j]) for side in (0, 1))
            p, r = p / p_den if p_den else 0, r / r_den if r_den else 0
            value = 2 * p * r / (p + r) if p + r else 0
            if value > best_value:
                best, best_value = chosen, value
        assert gtt.best_pairing(pairs, p_den, r_den) == best

    def test_many_templates(self):
        """Twelve against twelve are 13^12 pairings for the program; the right one is the reverse."""

        def template(number):
            return {"incident_type": "attack", "Victim": [[f"v{number}"], ["all"]]}

        gold = json.dumps({"docid": "d", "templates": [template(k) for k in range(12)]}).encode()
        system = json.dumps({"d": {"pred_templates": [template(k) for k in reversed(range(12))]}}).encode()
        # All types, victims of their own, and "all": 36 of 36 on both sides.
        assert gtt.run(gold, system).rows[0][1]["matched"] == 36
        assert gtt.run(gold, system).text.endswith("100.00 100.00 100.00\n\n")

    def test_groups_of_documents(self):
        gold = b'{"docid": "d", "templates": []}'
        system = b'{"d": {"pred_templates": []}}'
        assert gtt.run(gold, system, event_n=">=2", docids=b'{">=2": ["d"]}').text.endswith("print: 0.00 0.00 0.00\n\n")
        with pytest.raises(UsageError, match="go together"):
            gtt.run(gold, system, event_n=">=2")
        with pytest.raises(FormatError, match="expected a list of gold documents as '>=2'"):
            gtt.run(gold, system, event_n=">=2", docids=b'{">=2": ["e"]}')


class TestAutoErr:
    gain = st.none() | st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.5, 1.0, 1.25, 2.0]))

    @settings(deadline=None, max_examples=75)
    @given(tables(gain))
    def test_the_first_best_pairing(self, table):
        gains, number = table

        def pairings(row, free):
            if row == len(gains):
                yield []
                return
            for rest in pairings(row + 1, free):
                yield [-1, *rest]
            for j in free:
                if gains[row][j] is not None:
                    for rest in pairings(row + 1, [each for each in free if each != j]):
                        yield [j, *rest]

        def value(chosen):
            taken = [gains[i][j] for i, j in enumerate(chosen) if j >= 0]
            return sum(each[0] for each in taken), sum(each[1] for each in taken)

        best = None
        for chosen in pairings(0, list(range(number))):
            if best is None or value(chosen) > value(best):
                best = chosen
        assert first_best(gains, number, lambda chosen: -value(chosen)[1]) == best

    def test_other_roles_and_no_types(self):
        """One of two methods is right, the task is not found: 1 of 2 and of 3; one missing, one spurious, one span."""
        document = {
            "doctext": "bert and roberta solve parsing of english",
            "gold_templates": [{"Method": [["bert"], ["roberta"]], "Task": [["parsing of english"]]}],
            "pred_templates": [{"Method": [["bert"]], "Task": [["parsing"]]}],
        }
        file = json.dumps({"d": document}).encode()
        text = auto_err.run(file, file, mode="Errors", roles="Method,Task").text
        assert "total: Precision : 0.5000, Recall : 0.3333, F1 : 0.4000\n" in text
        assert "incident_type" not in text
        assert "Span_Error: 1\n" in text
        assert "\nMissing_Role_Filler: 1\n" in text
        with pytest.raises(ValidationError, match="knows no role 'Method'"):
            auto_err.run(file, file)

    def test_what_is_not_in_the_text_is_all_the_same(self):
        document = {
            "doctext": "nothing",
            "gold_templates": [{"incident_type": "attack", "Victim": [["mayor"]]}],
            "pred_templates": [{"incident_type": "attack", "Victim": [["guards"]]}],
        }
        file = json.dumps({"d": document}).encode()
        assert "Victim: Precision : 1.0000, Recall : 1.0000, F1 : 1.0000\n" in auto_err.run(file, file).text


class TestIterx:
    GOLD = (
        b'{"docid": "d", "templates": [{"incident_type": "attack", "Victim": [[["mayor", 3], ["he", 9]], [["x", 1]]]}]}'
    )
    SYSTEM = b'{"d": [{"incident_type": "attack", "victim": [["mayor"], ["he"]]}]}'

    def test_slots_of_scirex_are_merged(self):
        """In lower case, the role is that of MUC-4 and no role of SciREX; merged, two mentions are one entity."""
        muc = iterx.run(self.GOLD, self.SYSTEM, phi="subset")
        assert dict(muc.rows[0][1]) == {"matched": 2, "system": 2, "found": 1, "gold": 2}
        scirex = iterx.run(self.GOLD.replace(b"Victim", b"victim"), self.SYSTEM, phi="subset", dataset="scirex")
        assert dict(scirex.rows[0][1]) == {"matched": 1, "system": 1, "found": 1, "gold": 2}
        assert scirex.text == "iterx_scirex_p: 1.0\niterx_scirex_r: 0.5\niterx_scirex_f: 0.6667\n"

    def test_documents_without_gold_templates(self):
        system = self.SYSTEM + b'\n{"e": [{"incident_type": "attack", "Victim": [["y"]]}]}'
        assert len(iterx.run(self.GOLD, system).rows) == 2
        assert len(iterx.run(self.GOLD, system, ignore_no_template_doc=True).rows) == 1


def test_scorers_refuse_what_the_programs_fail_on():
    gold = b'{"docid": "d", "templates": [{"incident_type": "attack", "Place": [["x"]]}]}'
    with pytest.raises(ValidationError) as caught:
        gtt.run(gold, b"{}")
    messages = [problem.message for problem in caught.value.problems]
    assert "the gold document 'd' has no answer, and the published scorer fails" in messages
    assert "d: the published scorer knows no role 'Place'" in messages


# Our own errors


def document(*templates):
    made = [
        {"type": kind, "fillers": [{"role": role, "mentions": list(names)} for role, *names in fillers]}
        for kind, *fillers in templates
    ]
    return [{"id": "d", "templates": made}]


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (document(("attack", ("Victim", "the MAYOR"), ("Weapon", "bomb")), ("arson", ("Target", "car"))), {}),
        (
            document(("attack", ("Victim", "mayor perez"), ("Weapon", "bomb")), ("arson", ("Target", "car"))),
            {"span": 1},
        ),
        (document(("attack", ("Target", "mayor"), ("Weapon", "bomb")), ("arson", ("Target", "car"))), {"role": 1}),
        (
            document(
                ("attack", ("Victim", "mayor"), ("Victim", "he"), ("Weapon", "bomb")), ("arson", ("Target", "car"))
            ),
            {"duplicate": 1},
        ),
        (
            document(("attack", ("Victim", "mayor"), ("Target", "car"), ("Weapon", "bomb")), ("arson",)),
            {"other-template": 1, "missing": 1},
        ),
        (
            document(
                ("attack", ("Victim", "mayor"), ("Weapon", "bomb"), ("Weapon", "car")), ("arson", ("Target", "car"))
            ),
            {"other-template-and-role": 1},
        ),
        (
            document(("attack", ("Victim", "mayor"), ("Weapon", "gun")), ("arson", ("Target", "car"))),
            {"spurious": 1, "missing": 1},
        ),
        (
            document(("kidnapping", ("Victim", "mayor"), ("Weapon", "gun")), ("arson", ("Target", "car"))),
            {"type": 1, "type-filler": 1, "spurious": 1, "missing": 1},
        ),
        (
            document(("attack", ("Victim", "mayor"), ("Weapon", "bomb")), ("kidnapping", ("Victim", "guard"))),
            {
                "spurious-template": 1,
                "spurious-template-filler": 1,
                "missing-template": 1,
                "missing-template-filler": 1,
            },
        ),
        ([], {"missing-template": 2, "missing-template-filler": 3}),
    ],
)
def test_each_kind_of_mistake(system, expected):
    gold = document(("attack", ("Victim", "mayor", "he"), ("Weapon", "a bomb")), ("arson", ("Target", "car")))
    system = system or document()
    found = find_errors(gold, system)
    assert {kind: number for kind, number in found.counts.items() if number} == expected
    assert list(found.counts) == list(KINDS)


filler = st.tuples(
    st.sampled_from(["P", "Q"]), st.lists(st.sampled_from(["a b", "b", "c", "c d"]), min_size=1, max_size=2)
)
template = st.tuples(st.sampled_from(["A", "B", "A / B"]), st.lists(filler, max_size=3))
templates = st.lists(template, max_size=3).map(
    lambda each: document(*((kind, *((role, *names) for role, names in fillers)) for kind, fillers in each))
)


@settings(deadline=None, max_examples=50)
@given(templates, templates)
def test_mistakes_add_up(gold, system):
    """What is right is what the metric says, and every filler of the system is right or one mistake."""
    found = find_errors(gold, system)
    metric = find("template.fillers")
    row = metric.observe(gold[0], system[0]).counts
    assert found.right == row["template.fillers:matched"]
    counts = found.counts
    of_system = ("span", "role", "duplicate", "other-template", "other-template-and-role", "spurious", "type-filler")
    assert found.system == found.right + sum(counts[kind] for kind in (*of_system, "spurious-template-filler"))
    missed = sum(counts[kind] for kind in ("span", "missing", "missing-template-filler", "type-filler"))
    assert missed <= found.gold - found.right <= missed + counts["role"]


def test_documents_that_do_not_fit():
    with pytest.raises(ValidationError, match="templates"):
        find_errors([{"id": "d", "templates": [{"type": 5, "fillers": []}]}], document())


@settings(deadline=None, max_examples=30)
@given(st.binary(max_size=60), st.sampled_from(["grit", "gtt", "iterx", "auto-err"]))
def test_no_bytes_lead_to_another_exception(data, name):
    run = find_scorers("template")[name].run
    for sides in ((data, b'{"d": []}'), (b'{"docid": "d", "templates": [], "extracts": {}}', data)):
        with suppress(AdjudgeError):
            run(*sides)


def test_one_string_is_compared_as_the_programs_do():
    assert grit.plain("The  U.S.\tEmbassy's an-nex") == "us embassys annex"
