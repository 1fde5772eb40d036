"""What `serve.toml` says of campaigns and people: taken over once, as events, with findings that have a line."""

import json

import pytest

from adjudge.demo.eal import ASSESSMENTS, SOURCES
from adjudge.errors import FormatError
from adjudge.serve.access import Access
from adjudge.serve.campaigns import create_campaign
from adjudge.serve.desk import Desk
from adjudge.serve.exchange import set_training
from adjudge.serve.folder import Folder
from adjudge.serve.organise import freeze, give
from adjudge.serve.schema import named_schema
from adjudge.serve.settings import take_over
from adjudge.serve.store import Store
from adjudge.serve.store.tables import Campaign
from adjudge.serve.tracks import parse_settings, set_track, sync_tracks
from calling import caller
from serve.demo_campaign import NAME, make
from serve.readers import server_of

serve, eal = caller("serve"), caller("eal")
PEOPLE = '[people]\nann = "assessor"\nben = { demo = "assessor" }\ndora = { demo = ["adjudicator", "organiser"] }\n'


@pytest.fixture
def folder(tmp_path):
    return Folder.create(tmp_path / "folder")


@pytest.fixture
def store(folder, database):
    with Store.open(folder.path, database) as made:
        make(made, answers=False)
        yield made


def say(store, folder, text, **more):
    """Start with another file."""
    (folder.path / "serve.toml").write_text(text, encoding="utf-8")
    read = Folder(folder.path)
    take_over(read, store, Access(store, read.secrets, read.settings), **more)


def settings(store, name=NAME):
    with store.read() as snapshot:
        return snapshot.get(Campaign, name).settings


def events(store, actor="serve.toml"):
    with store.read() as snapshot:
        found = [*snapshot.feed(NAME), *snapshot.events("admin")]
        return [(each.kind, each.subject) for each in found if each.actor == actor]


def given(store):
    """Who reads which documents, the first and the second ones."""
    with store.read() as snapshot:
        rows = [each for each in snapshot.assignments(NAME) if each.stage == "assess"]
    return {slot: {each.scope: each.reader for each in rows if each.slot == slot} for slot in (0, 1)}


def test_settings_are_events_and_hold_until_the_file_says_something_else(store, folder):
    table = "[campaign.demo]\nconfirm = true\nvalidity_share = 0.25\n"
    say(store, folder, table)
    assert {key: settings(store)[key] for key in ("confirm", "validity")} == {"confirm": True, "validity": 0.25}
    assert events(store) == [("campaign", "demo")]
    say(store, folder, table)
    assert events(store) == [("campaign", "demo")]
    create_campaign(store, NAME, named_schema("eal-2015"), {"confirm": False}, by="otto")
    say(store, folder, table)
    say(store, folder, table.replace("0.25", "0.5"))
    assert {key: settings(store)[key] for key in ("confirm", "validity")} == {"confirm": False, "validity": 0.5}
    say(store, folder, table.replace("true", "false"))
    say(store, folder, "")
    assert {key: settings(store)[key] for key in ("confirm", "validity")} == {"confirm": False, "validity": None}
    count = len(events(store))
    say(store, folder, "")
    assert len(events(store)) == count


def test_readers_share_what_nobody_has_and_some_is_read_twice(store, folder):
    desk = Desk(store, NAME, None, folder.secret)
    table = '[campaign.demo]\nreaders = ["ann", "ben"]\ndouble_share = 0.25\n' + PEOPLE
    say(store, folder, PEOPLE)
    give(desk, "ann", ["MINI_NW_07"])
    say(store, folder, table)
    found = given(store)
    assert sorted(list(found[0].values()).count(reader) for reader in ("ann", "ben")) == [5, 7]
    assert found[0]["MINI_NW_07"] == "ann"
    assert len(found[1]) == 3
    assert all(found[0][scope] != reader for scope, reader in found[1].items())
    give(desk, "ann", [scope for scope in found[0] if "ann" not in (found[0][scope], found[1].get(scope))][:1])
    after = given(store)
    say(store, folder, table)
    assert given(store) == after
    say(store, folder, table.replace("0.25", "0.5"))
    with store.read() as snapshot:
        rows = [each.scope for each in snapshot.assignments(NAME) if each.stage == "assess"]
    assert len(rows) - len(set(rows)) == 6
    assert ("assign", "ben") in events(store)


def test_a_training_is_taken_over_with_its_file(store, folder):
    with store.read() as snapshot:
        body = snapshot.items(NAME, "MINI_NW_07")[0].body
    lesson = {"document": "MINI_NW_07", "item": body, "answers": {"aet": "W"}, "why": "Nobody dies."}
    (folder.path / "lessons.jsonl").write_text(json.dumps(lesson))
    table = '[campaign.demo]\ntraining = "lessons.jsonl"\n'
    say(store, folder, table)
    assert [each["why"] for each in settings(store)["training"].values()] == ["Nobody dies."]
    (folder.path / "lessons.jsonl").write_text(json.dumps({**lesson, "why": "No."}))
    say(store, folder, table)
    assert [each["why"] for each in settings(store)["training"].values()] == ["No."]
    set_training(store, NAME, json.dumps({**lesson, "why": "By hand."}).encode())
    say(store, folder, table)
    assert [each["why"] for each in settings(store)["training"].values()] == ["By hand."]
    (folder.path / "lessons.jsonl").unlink()  # a backup does not have it
    say(store, folder, table)
    assert [each["why"] for each in settings(store)["training"].values()] == ["By hand."]
    say(store, folder, "[campaign.demo]\n")
    assert settings(store)["training"] == {}


def test_a_frozen_campaign_takes_nothing_until_it_is_thawed(store, folder):
    desk = Desk(store, NAME, None, folder.secret)
    freeze(desk, True, "f1", "otto")
    say(store, folder, "[campaign.demo]\nconfirm = true\n")
    assert "confirm" not in settings(store)
    freeze(desk, False, "f2", "otto")
    say(store, folder, "[campaign.demo]\nconfirm = true\n")
    assert settings(store)["confirm"] is True


def test_people_get_roles_and_who_is_revoked_stays_so(store, folder):
    say(store, folder, PEOPLE)
    with store.read() as snapshot:
        roles = {(each.person, each.role) for each in snapshot.roles(scope=NAME)}
    assert roles == {("ann", "assessor"), ("ben", "assessor"), ("dora", "adjudicator"), ("dora", "organiser")}
    count = len(events(store))
    Access(store, folder.secrets, folder.settings).revoke("ann")
    say(store, folder, PEOPLE)
    assert len(events(store)) == count


WRONG = """\
[server]
name = "x"

[people]
ann = "asessor"
ben = { domo = "assessor" }
cleo = "assessor"

[campaign."demo"]
schema = "records"
training = "none.jsonl"
readers = ["olga"]

[campaign.domo]
confirm = true
"""


def test_what_cannot_be_is_said_with_its_line_and_the_rest_is_done(store, folder):
    with pytest.raises(FormatError) as caught:
        say(store, folder, WRONG)
    said = [(each.line, each.message.partition(",")[0]) for each in caught.value.problems]
    assert said == [
        (5, "there is no role 'asessor'"),
        (6, "there is no campaign 'domo'"),
        (10, "the campaign 'demo' has a different schema from 'records'"),
        (12, "'olga' is not an assessor of this campaign"),
        (14, "there is no campaign 'domo'"),
    ]
    assert events(store) == [("person", "cleo"), ("role", "cleo")]
    for table, line, message in (
        ('training = "none.jsonl"', 2, "there is no file 'none.jsonl'"),
        ("double_share = 0.1", 2, "nobody can read anything as a second one"),
    ):
        with pytest.raises(FormatError) as caught:
            say(store, folder, f"[campaign.demo]\n{table}\n")
        assert [(each.line, each.message) for each in caught.value.problems] == [(line, message)]


def test_a_track_becomes_assessed_only_if_nobody_of_a_team_judges(store, folder):
    table = {"task": "eal", "score": ["eal", "campaign", "run", "demo"]}
    set_track(store, "runs", parse_settings("runs", table))
    access = Access(store, folder.secrets, folder.settings)
    access.add_person("tess", "team", "runs", team="fast")
    access.add_person("tess", "assessor", NAME)
    access.add_person("vera", "team", "runs", team="fast")
    with pytest.raises(FormatError, match=r"\[track.runs\] campaign: tess would be in a team .* allow_overlap = true"):
        sync_tracks(store, {"runs": {**table, "campaign": NAME}})
    say(store, folder, "[campaign.demo]\nallow_overlap = true\n")
    sync_tracks(store, {"runs": {**table, "campaign": NAME}})


def test_mistakes_of_the_file_have_lines(serve, tmp_path):
    folder = Folder.create(tmp_path / "x").path
    text = '[server]\nnme = "x"\n[people]\nann = 3\n[campaign."a b"]\nconfirm = "yes"\n'
    (folder / "serve.toml").write_text(text + 'double_share = 1.5\nreaders = "ann"\n')
    code, _, said = serve("people", folder)
    file = folder / "serve.toml"
    assert (code, [line.partition(", ")[0] for line in said.splitlines()]) == (
        1,
        [
            f"error: {file}:2:1: there is no 'nme' in server",
            f"error: {file}:4:1: people.ann: expected `str | object`",
            f"error: {file}:6:1: campaign.a b.confirm: expected `bool`",
            f"error: {file}:7:1: campaign.a b.double_share: expected `float` <= 1.0",
            f"error: {file}:8:1: campaign.a b.readers: expected `array`",
        ],
    )


def test_invite_all_gives_one_link_to_each_who_has_no_way_in(serve, tmp_path):
    folder = tmp_path / "demo"
    serve("init", folder, "--schema", "eal-2015", "--answers", ASSESSMENTS, "--texts", SOURCES)
    assert serve("invite", folder, "olga", "--role", "organiser")[0] == 0
    before = PEOPLE + 'olga = "organiser"\n'
    with (folder / "serve.toml").open("a") as file:
        file.write(before)
    code, said, _ = serve("invite", folder, "--all")
    lines = said.splitlines()
    assert (code, [line.split(",")[0] for line in lines[1:6:2]]) == (0, ["for ann", "for ben", "for dora"])
    assert len({line for line in lines[:6:2] if "/join/" in line}) == 3
    assert (folder / "serve.toml").read_text().endswith(before)
    assert serve("invite", folder, "--all")[:2] == (0, "everybody under [people] in serve.toml has been invited\n")
    assert serve("invite", folder, "ann", "--all")[0] == serve("invite", folder, "ann")[0] == 2


def test_a_second_campaign_is_made_from_the_file(serve, eal, tmp_path):
    folder, old = tmp_path / "demo", tmp_path / "old"
    serve("init", folder, "--schema", "eal-2015", "--answers", ASSESSMENTS, "--texts", SOURCES)
    assert eal("campaign", "init", old, "--demo", "--quiet")[0] == eal("campaign", "run", old, "--quiet")[0] == 0
    with (folder / "serve.toml").open("a") as file:
        file.write('[people]\nann = { winter = "assessor" }\n[campaign.winter]\nvalidity_share = 0.5\n')
        file.write(f"folder = {json.dumps(str(old))}\nreaders = ['ann']\n")
    assert serve("import", folder, "--scope", "winter")[0] == 0
    with Store.open(folder) as store, store.read() as snapshot:
        assert {each.scope for each in snapshot.assignments("winter", reader="ann")} == {
            each.id for each in snapshot.scopes("winter")
        }
        assert {each.p for each in snapshot.items("winter")} == {0.5}
    with (folder / "serve.toml").open("a") as file:
        file.write("confirm = true\n")
    with server_of(folder), Store.open(folder) as store:
        assert settings(store, "winter")["confirm"] is True
    with (folder / "serve.toml").open("a") as file:
        file.write("training = 'none.jsonl'\n")
    code, _, said = serve("run", folder, "--port", "0")
    assert (code, "serve.toml:10:1: there is no file 'none.jsonl'" in said) == (1, True), said
