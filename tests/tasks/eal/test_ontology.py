"""Ontologies: the bundled tables against the official ones, and files that users bring."""

import json

import pytest

from adjudge.errors import FormatError, UsageError
from adjudge.tasks.eal.ontology import YEARS, load_ontology
from eal_responses import response

NAMES = {"Job-Title": "JOB", "Sentence": "SENTENCE"}  # in table 2 of the task description


class TestBundled:
    @pytest.mark.parametrize("year", YEARS)
    def test_official_tables(self, conformance, year):
        tables = json.loads((conformance / "cases" / "eal_types.json").read_text())
        ontology = load_ontology(year).as_in_programs()
        expected = {type_: {*roles, *tables["always_valid"][year]} for type_, roles in tables[year].items()}
        assert {type_: set(roles) for type_, roles in ontology.types.items()} == expected
        for type_, roles in tables.get(f"filler_types_{year}", {}).items():
            for role, entities in roles.items():
                named = [NAMES.get(each, each) for each in entities] if year == "2015" else entities
                assert sorted(ontology.entity_types(type_, role)) == sorted(named)
        if year == "2016":
            types = list(ontology.types)
            linkable = {one: [other for other in types if ontology.are_linkable(one, other)] for one in types}
            assert linkable == {one: [each for each in types if each in tables["2016_linkable"][one]] for one in types}

    @pytest.mark.parametrize("year", YEARS)
    def test_every_role_has_entity_types(self, year):
        ontology = load_ontology(year)
        assert all(entities for roles in ontology.types.values() for entities in roles.values())

    def test_the_task_description_is_followed_where_the_programs_are_not(self):
        """Table 1 has no Plaintiff of an appeal; Money[2], that of a fine, is NUM in table 2."""
        ontology = load_ontology("2015")
        assert ontology.roles("Justice.Appeal") == ("Prosecutor", "Adjudicator", "Defendant", "Crime", "Time", "Place")
        assert ontology.entity_types("Justice.Fine", "Money") == ("NUM",)
        assert ontology.entity_types("Transaction.Transfer-Money", "Money") == ("MONEY",)
        assert ontology.entity_types("Personnel.Elect", "Position") == ("JOB",)
        assert ontology.as_in_programs().entity_types("Justice.Fine", "Money") == ("MONEY",)

    @pytest.mark.parametrize("year", ["2015", "2016"])
    @pytest.mark.parametrize("type_", ["Contact.Correspondance", "Contact.Correspondence"])
    def test_both_spellings(self, year, type_):
        ontology = load_ontology(year)
        assert ontology.is_type(type_)
        assert ontology.is_role(type_, "Entity")
        assert ontology.roles(type_) == ontology.roles("Contact.Correspondence")
        assert ontology.normalise(response(type=type_)) == response(type="Contact.Correspondence")
        assert ontology.are_linkable("Contact.Correspondance", "Contact.Correspondence")

    def test_hints(self):
        ontology = load_ontology("2015")
        assert ontology.type_hint("conflict_attack") == "did you mean Conflict.Attack?"
        assert ontology.type_hint("Xyz").startswith("the 32 types of 2015 are Business.Declare-Bankruptcy, ")
        assert ontology.role_hint("Conflict.Attack", "attacker") == "did you mean Attacker?"
        assert ontology.role_hint("Conflict.Attack", "Attackr") == "did you mean Attacker?"
        assert ontology.role_hint("Contact.Correspondance", "Xyz") == (
            "roles of Contact.Correspondence are Entity, Time, Place"
        )
        assert not ontology.is_role("Nothing", "Place")
        assert ontology.entity_types("Nothing", "Place") == ()


class TestFiles:
    def test_the_bundled_form(self, tmp_path):
        import adjudge.tasks.eal.ontology as module

        path = tmp_path / "mine.json"
        path.write_bytes((module._FOLDER / "ontology-2016.json").read_bytes())
        assert load_ontology(path) == load_ontology("2016")

    def test_toml(self, tmp_path):
        path = tmp_path / "mine.toml"
        path.write_text(
            'always = ["Time"]\n[types."Sport.Win"]\nWinner = ["PER", "ORG"]\n[aliases]\nWin = "Sport.Win"\n'
        )
        ontology = load_ontology(path)
        assert ontology.name == "mine"
        assert ontology.roles("Win") == ("Winner", "Time")
        assert ontology.entity_types("Win", "Winner") == ("PER", "ORG")

    def test_lists_of_types(self, tmp_path):
        path = tmp_path / "types.txt"
        path.write_text("# types\nSport.Win\tWinner\tLoser\n\nSport.Draw\n")
        ontology = load_ontology(path)
        assert dict(ontology.types) == {
            "Sport.Win": {"Winner": (), "Loser": (), "Time": (), "Place": ()},
            "Sport.Draw": {"Time": (), "Place": ()},
        }

    @pytest.mark.parametrize(
        ("name", "text", "says"),
        [
            ("a.json", "{", "a.json:1:2: "),
            ("a.json", "[]", "is not an object"),
            ("a.json", "{}", "has no types"),
            ("a.json", '{"types": {}}', "has no types"),
            ("a.json", '{"types": {"A": {"R": "PER"}}}', "types.A is not an object of roles"),
            ("a.json", '{"types": {"A": []}, "always": 3}', "always is not an object of roles"),
            ("a.json", '{"types": {"A": []}, "type": 1}', "there is no field 'type', did you mean types"),
            ("a.json", '{"types": {"A": []}, "aliases": {"B": "C"}}', "the alias 'B' is for 'C'"),
            ("a.json", '{"types": {"A": []}, "aliases": []}', "aliases are not an object"),
            ("a.json", '{"types": {"A": []}, "linkable": [["A", "B"]]}', "not a pair of types"),
            ("a.json", '{"types": {"A": []}, "linkable": {}}', "not a pair of types"),
            ("a.json", '{"types": {"A": [], "A": []}}', "'A' occurs twice"),
            ("a.json", "[" * 100_000, "a.json"),
            ("a.toml", "x = ", "a.toml:1:5: this is not TOML"),
            ("a.txt", "", "has no types"),
        ],
    )
    def test_mistakes(self, tmp_path, name, text, says):
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(FormatError) as caught:
            load_ontology(path)
        assert says in str(caught.value)
        assert str(path) in str(caught.value)

    def test_all_mistakes_at_once(self, tmp_path):
        path = tmp_path / "a.json"
        path.write_text('{"types": {"A": 1, "B": 2}, "extra": 3, "linkable": [1]}')
        with pytest.raises(FormatError) as caught:
            load_ontology(path)
        assert len(caught.value.problems) == 4

    @pytest.mark.parametrize("name", ["2017", "none.json", "a\0b"])
    def test_no_such_file(self, name):
        with pytest.raises(UsageError, match="give a file, or 2014, 2015 or 2016"):
            load_ontology(name)

    def test_bytes_that_are_no_text(self, tmp_path):
        (tmp_path / "a.json").write_bytes(b"\xff")
        with pytest.raises(FormatError, match=r"a\.json:1:1: the byte 0xff is not UTF-8"):
            load_ontology(tmp_path / "a.json")
